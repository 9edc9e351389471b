import assert from "node:assert/strict";
import test from "node:test";
import * as g from "../../../widgets/workbench_widgets/stepper/geometry.mjs";

const TURNS = [[1, 0, 0, 0], [2, 10, 1, 0], [3, 20, 0, 2], [4, 30, 0, 0]];

test("the window holds the cursor, fits the run, and moves only when it must", () => {
  let from = 0;
  for (const [pos, count, room] of [[0, 100, 20], [7, 100, 20], [19, 100, 20], [99, 100, 20], [50, 100, 1], [0, 1, 50], [3, 5, 9]]) {
    const [a, b] = g.stpWindow(pos, count, room, from);
    assert.ok(a <= pos && pos < b, `${pos} in ${a} to ${b}`);
    assert.equal(b - a, Math.min(room, count));
    assert.ok(a >= 0 && b <= count);
    from = a;
  }
  assert.deepEqual(g.stpWindow(10, 1000, 40, 0), [0, 40]);
  assert.deepEqual(g.stpWindow(11, 1000, 40, 0), [0, 40]);
});

test("stepping through all places keeps the cursor in view both ways", () => {
  let from = 0;
  for (const order of [[...Array(300).keys()], [...Array(300).keys()].reverse()]) {
    for (const pos of order) {
      const [a, b] = g.stpWindow(pos, 300, 30, from);
      assert.ok(a <= pos && pos < b);
      from = a;
    }
  }
});

test("turns are found by place", () => {
  for (let pos = 0; pos < 40; pos += 1) assert.equal(g.stpTurnAt(TURNS, pos), Math.floor(pos / 10));
  assert.equal(g.stpTurnAt([], 5), 0);
  assert.deepEqual(g.stpTurnsIn(TURNS, 5, 25), [[1, 10], [2, 20]]);
  assert.deepEqual(g.stpTurnsIn([], 0, 9), []);
});

test("a step by turn goes to beginnings", () => {
  assert.equal(g.stpTurnStep(TURNS, 3, 1, 40), 10);
  assert.equal(g.stpTurnStep(TURNS, 33, 1, 40), 39);
  assert.equal(g.stpTurnStep(TURNS, 13, -1, 40), 10);
  assert.equal(g.stpTurnStep(TURNS, 10, -1, 40), 0);
  assert.equal(g.stpTurnStep(TURNS, 0, -1, 40), 0);
  assert.equal(g.stpTurnStep([], 7, 1, 40), 7);
});

test("bins cover all turns, keep every flag, and are as few as asked", () => {
  for (const bins of [1, 2, 3, 4, 100]) {
    const made = g.stpBins(TURNS, 40, bins);
    assert.ok(made.length <= bins);
    assert.ok(Math.abs(made.reduce((sum, bin) => sum + bin.w, 0) - 1) < 1e-9);
    assert.equal(made.reduce((all, bin) => all | bin.flags, 0), 1);
    assert.equal(made.reduce((sum, bin) => sum + bin.bad, 0), 2);
  }
  assert.deepEqual(g.stpBins([], 40, 10), []);
});

test("a click on the strip is a turn's beginning, at the edges too", () => {
  assert.equal(g.stpPlaceAt(TURNS, 40, 0.3), 10);
  assert.equal(g.stpPlaceAt(TURNS, 40, -1), 0);
  assert.equal(g.stpPlaceAt(TURNS, 40, 2), 30);
  assert.equal(g.stpPlaceAt([], 40, 0.5), 20);
});

test("rows in view are few however long the list", () => {
  const [first, last] = g.stpRows(1_000_000, 400, 40, 300_000);
  assert.equal(first, 24_998);
  assert.ok(last - first <= 14);
  assert.deepEqual(g.stpRows(0, 400, 40, 3), [0, 3]);
});

test("bits: set, seek both ways, rank", () => {
  const bits = new Uint8Array(Math.ceil(1000 / 8));
  const set = [0, 7, 8, 63, 64, 500, 999];
  for (const place of set) g.stpSetBit(bits, place);
  for (let pos = -1; pos <= 1000; pos += 1) {
    assert.equal(g.stpSeek(bits, pos, 1, 1000), set.find((place) => place > pos) ?? -1, `after ${pos}`);
    assert.equal(g.stpSeek(bits, pos, -1, 1000), set.findLast((place) => place < pos) ?? -1, `before ${pos}`);
    if (pos >= 0) assert.equal(g.stpRank(bits, pos), set.filter((place) => place < pos).length);
  }
  assert.deepEqual([...g.stpBits(Buffer.from(bits).toString("base64"))], [...bits]);
});

test("a kind that is named like a property of objects has a shape", () => {
  for (const kind of ["constructor", "__proto__", "toString", "GoalSet"]) assert.equal(typeof g.stpShape(kind), "string");
  assert.equal(g.stpShape("constructor"), "fact");
});

test("one sign of a row: Logic on a proposal, RAG on a search, a verdict's own; never that of a prediction", () => {
  const row = (kind, ...verdicts) => [0, kind, "", 1, 0, "", verdicts, 0];
  const tom = ["tom", "inconsistent"];
  assert.deepEqual(g.stpRuling(row("Proposed", ["logic", "VALID"], tom)), ["logic", "good"]);
  assert.deepEqual(g.stpRuling(row("Proposed", tom, ["logic", "INVALID"])), ["logic", "bad"]);
  assert.deepEqual(g.stpRuling(row("Proposed", ["logic", "unparsed"])), ["logic", "unsure"]);
  assert.equal(g.stpRuling(row("Proposed", tom)), null);
  assert.deepEqual(g.stpRuling(row("called", ["rag", "ineffective"])), ["rag", "bad"]);
  assert.deepEqual(g.stpRuling(row("ToMVerdict", tom)), ["own", "bad"]);
  assert.deepEqual(g.stpRuling(row("Judged", ["own", "accept"])), ["own", "good"]);
  assert.equal(g.stpRuling(row("Odd", ["own", "so so"])), null);
  assert.deepEqual(g.stpSigns([row("Proposed", tom)]), []);
  assert.deepEqual(g.stpSigns([undefined, row("called", ["rag", "effective"]), row("Proposed", ["logic", "VALID"])]), [["✓ ✗", "Logic on a proposal, RAG on a search"]]);
});

test("the legend has one entry for a sign, whatever has it", () => {
  const row = (kind, flags = 0) => [0, kind, "", 1, 0, "", [], flags];
  const kinds = g.stpKinds([row("Routed"), row("Planned"), row("asked"), undefined, row("Routed"), row("Gated", 1), row("Gated")]);
  assert.deepEqual(kinds.map(([, names]) => names), [["Routed", "Planned"], ["asked"], ["Gated"], ["Gated"]]);
});

test("turns that do not begin at 1, or are left and come back to, are told so", () => {
  assert.deepEqual(g.stpTurnRange(TURNS), [1, 4, false]);
  assert.deepEqual(g.stpTurnRange([[0, 0], [1, 5], [2, 9]]), [0, 2, false]);
  assert.deepEqual(g.stpTurnRange([[1, 0], [2, 5], [1, 9]]), [1, 2, true]);
});
