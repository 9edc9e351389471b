import assert from "node:assert/strict";
import { test } from "node:test";
import { guessAt, guessDone, guessEdge, guessEntry, guessGroup, guessIsDone, guessOpen } from "../../../widgets/workbench_widgets/predict/geometry.mjs";

// As it happened b answers (8) before a (12); by path a (5) comes before b (7).
const item = (path, at, edges, places, more = {}) => ({ path, at, agent: path, edges, places, seats: [], ...more });
const a = item("a", 14, [[12, 11], [5, 30]], [14, 6]);
const b = item("b", 10, [[8, 7], [7, 31]], [10, 8]);
const group = { items: [a, b], later: [[20, 19], [9, 40]] };

test("the cursor stands before the first thing that is hidden, in either order", () => {
  const none = guessDone([]);
  assert.deepEqual(guessEdge(group, none, 0), [8, 7]);
  assert.deepEqual(guessEdge(group, none, 1), [5, 30]);
  assert.equal(guessAt(group, none, 0, null, 99), 7);
});

test("what was revealed is shown only where that tells nothing else", () => {
  const one = guessDone([{ path: "a" }]);
  assert.equal(guessAt(group, one, 0, a, 99), 7);
  assert.equal(guessAt(group, one, 1, a, 99), 14);
  const both = guessDone([{ path: "a" }, { path: "b" }]);
  assert.equal(guessAt(group, both, 0, b, 99), 10);
  assert.equal(guessAt({ ...group, later: [null, null] }, both, 0, a, 99), 14);
  assert.equal(guessAt({ ...group, later: [null, null] }, both, 0, null, 99), null);
});

test("a whole turn is shown to its end, and counts as done by any of its seats", () => {
  const turn = item("/goal", 4, [[1, 0], [1, 0]], [4, 4], { agent: null, seats: [["a", "/a", 9]] });
  const whole = { items: [turn], later: [[20, 19], [20, 19]] };
  const done = guessDone([{ path: "/a", guess: "x", at_event: 9 }]);
  assert.ok(guessIsDone(turn, done));
  assert.equal(guessAt(whole, done, 0, turn, 99), 19);
  assert.equal(guessAt({ ...whole, later: [null, null] }, done, 0, turn, 99), 99);
  assert.equal(guessEntry(turn, [{ path: "z" }, { path: "/a" }]).place, 1);
  assert.equal(guessEntry(turn, []), null);
});

test("groups are done one after another", () => {
  assert.deepEqual([0, 1, 2, 4, 5].map((many) => guessGroup([1, 3, 1], many)), [0, 1, 1, 2, null]);
  assert.equal(guessGroup([], 0), null);
});

test("seals open to the same text, also to half a surrogate pair", () => {
  const seal = Buffer.from('{"said": "\\u00e9 \\ud800"}', "latin1").toString("base64");
  assert.deepEqual(guessOpen(seal), { said: "é \ud800" });
});
