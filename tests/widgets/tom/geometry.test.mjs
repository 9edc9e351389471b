import assert from "node:assert/strict";
import { test } from "node:test";
import { tomCounts, tomMost, tomMove, tomNearest, tomPath, tomStates, tomStrip, tomSummary, tomTurnOf } from "../../../widgets/workbench_widgets/tom/geometry.mjs";

// Two agents who predict each other: a speaks at 3 (by path 2), b at 4 (by path 5).
const page = (more = {}) => ({
  axes: [0, 1], goal: [1, 1], end: [[6, 6], [6, 6]], over: true, nominated: [0, 1], seats: [[3, 2], [4, 5]],
  cells: [[0, 1, 1, 1, 3, 0.4], [1, 0, 1, 1, 4, 0.7]], ...more,
});
const states = (given, order, position) => [...tomStates(given, order, position).values()].map(({ state, cosine }) => [state, cosine]);

test("nothing is told before it happened", () => {
  assert.deepEqual(states(page(), "happened", 0), [["ahead", null], ["ahead", null]]);
  assert.deepEqual(states(page(), "happened", 2), [["due", null], ["due", null]]);
  assert.deepEqual(states(page(), "happened", 3), [["waiting", null], ["due", null]]);
  assert.deepEqual(states(page(), "happened", 4), [["consistent", 0.4], ["inconsistent", 0.7]]);
});

test("by path another order holds", () => {
  assert.deepEqual(states(page(), "path", 4), [["waiting", null], ["due", null]]);
  assert.deepEqual(states(page(), "path", 5), [["consistent", 0.4], ["inconsistent", 0.7]]);
});

test("a seat that stays empty is missing once the turn is over", () => {
  const gone = page({ seats: [[3, 2], null], cells: [[0, 1, 1, 0, 1, null], [1, 0, 0, 1, 1, null]] });
  assert.deepEqual(states(gone, "happened", 5), [["waiting", null], ["due", null]]);
  assert.deepEqual(states(gone, "happened", 6), [["missing", null], ["missing", null]]);
  assert.deepEqual(states({ ...gone, over: false }, "happened", 6), [["waiting", null], ["due", null]]);
  assert.deepEqual(states({ ...gone, nominated: [0] }, "happened", 3)[0], ["missing", null]);
});

test("what could not be read is missing when its turn comes", () => {
  const unread = page({ cells: [[0, 1, 1, 0, 6, null], [1, 0, 0, 1, 1, null]] });
  assert.deepEqual(states(unread, "happened", 3), [["waiting", null], ["due", null]]);
  assert.deepEqual(states(unread, "happened", 4), [["missing", null], ["missing", null]]);
  assert.equal(tomCounts(tomStates(unread, "happened", 4)).lost, 1);
});

test("the summary counts what is unknown apart", () => {
  const of = (more) => ({ consistent: 0, inconsistent: 0, unknown: 0, unjudged: 0, missing: 0, waiting: 0, due: 0, ahead: 0, lost: 0, ...more });
  assert.equal(tomSummary(of({ consistent: 2, inconsistent: 1, unknown: 1, missing: 2, lost: 1, waiting: 1, due: 3 }), 9), "2 consistent of 3 judged · 2 verdicts unknown (1 for a missing text) · 1 missing · 1 not yet said · 3 not yet predicted");
  assert.equal(tomSummary(of({}), 0), "No prediction was due in this turn.");
  assert.equal(tomSummary(of({ ahead: 6 }), 6), "The turn has not begun: there is no goal yet.");
  assert.equal(tomSummary(of({ unjudged: 6 }), 6), "6 not judged");
});

test("a strip has gaps, ends at what is known, and marks verdicts", () => {
  const points = [[3, 0], null, [4, 0.5], [3, 1], [3, 0.5]];
  const drawn = tomStrip(points, { width: 110, height: 30, pad: 5, scale: 1, last: 3, now: { state: "waiting", cosine: null } });
  assert.deepEqual(drawn.marks, [{ x: 5, y: 25, kind: "consistent", place: 0 }, { x: 55, y: 15, kind: "inconsistent", place: 2 }]);
  assert.deepEqual(drawn.lines, []);
  const later = tomStrip(points, { width: 110, height: 30, pad: 5, scale: 1, last: 4, now: { state: "unknown", cosine: 0.5 } });
  assert.deepEqual(later.lines, [[[55, 15], [80, 5], [105, 15]]]);
  assert.equal(later.marks.at(-1).kind, "unknown");
  assert.equal(tomPath(later.lines[0]), "M55.0 15.0L80.0 5.0L105.0 15.0");
  const bins = tomStrip([[1, 2, 0, 0, 0, 0.5], [2, 0, 0, 1, 0, 0.5], null, [0, 0, 0, 0, 2, null]], { width: 100, height: 30, pad: 5, scale: 9, last: 3 });
  assert.deepEqual(bins.marks.map(({ kind }) => kind), ["inconsistent", "consistent", "unjudged"]);
  assert.deepEqual(tomStrip([[3, 0.5]], { width: 100, height: 30, pad: 5, scale: 1, last: 0 }).marks[0].x, 50);
});

test("a bin is drawn as what more than half of its verdicts said", () => {
  const kinds = { consistent: [2, 1, 0, 5, 5], inconsistent: [0, 1, 0, 0, 0], unknown: [1, 0, 2, 0, 0], split: [1, 1, 0, 0, 0], missing: [0, 0, 0, 3, 0], unjudged: [0, 0, 0, 2, 2] };
  for (const [kind, counts] of Object.entries(kinds)) assert.equal(tomMost([...counts, null]), kind);
  assert.equal(tomMost([2, 1, 1, 0, 0, 0.5]), "split");
  assert.equal(tomMost([0, 0, 1, 9, 0, null]), "unknown");
});

test("clicks and keys find their place", () => {
  assert.deepEqual([0, 29, 31, 500].map((x) => tomNearest(x, 3, 110, 5)), [0, 0, 1, 2]);
  assert.equal(tomNearest(40, 1, 110, 5), 0);
  assert.deepEqual(tomMove("ArrowUp", 0, 1, 3, 3), [0, 1]);
  assert.deepEqual(tomMove("ArrowRight", 0, 1, 3, 3), [0, 2]);
  assert.deepEqual(tomMove("End", 2, 0, 3, 3), [2, 2]);
  assert.equal(tomMove("x", 0, 0, 3, 3), null);
  assert.equal(tomTurnOf({ turns: [[0, 0], [10, 1], [20, 2]] }, 15), 1);
});
