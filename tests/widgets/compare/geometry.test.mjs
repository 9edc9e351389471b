// The arithmetic of the comparison.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cmpCut, cmpDelta, cmpFold, cmpLetter, cmpMove, cmpPage, cmpTail } from "../../../widgets/workbench_widgets/compare/geometry.mjs";

const joined = (segs) => segs.map(([, text]) => text).join("");

test("columns are letters, then numbers", () => {
  assert.deepEqual([0, 25, 26].map(cmpLetter), ["A", "Z", "#27"]);
});

test("long equal texts are folded around a change, and nothing is lost", () => {
  const words = "word ".repeat(200);
  const segs = [["=", words], ["-", "old "], ["+", "new "], ["=", words], ["-", "x"], ["=", words]];
  const folded = cmpFold(segs);
  assert.equal(joined(folded), joined(segs));
  assert.equal(folded.filter(([op]) => op === "fold").length, 3);
  assert.equal(folded[0][0], "fold");
  assert.equal(folded.at(-1)[0], "fold");
  for (const [op, text] of folded) if (op === "=") assert.ok(text.length < 300);
});

test("a side alone has no words of the other", () => {
  const segs = [["=", "a "], ["-", "b "], ["+", "c "]];
  assert.equal(joined(cmpFold(segs, "-")), "a b ");
  assert.equal(joined(cmpFold(segs, "+")), "a c ");
});

test("short texts are whole, and equal ones without a change too", () => {
  assert.deepEqual(cmpFold([["=", "short"], ["-", "x"]]), [["=", "short"], ["-", "x"]]);
  assert.deepEqual(cmpFold([]), []);
});

test("no pair of surrogates is parted", () => {
  const smile = "😀".repeat(2000);
  for (const [, text] of cmpFold([["=", smile], ["-", "x"], ["=", smile]])) assert.ok(text.isWellFormed?.() ?? true);
  for (const most of [100, 101]) assert.ok(cmpCut(smile, most)[0].isWellFormed?.() ?? true);
  assert.equal(cmpCut(smile, 101).join(""), smile);
  assert.deepEqual(cmpCut("short", 100), ["short", ""]);
});

test("arrow keys stay within the rows", () => {
  assert.deepEqual(cmpMove("ArrowDown", [0, 0], 2, 3), [1, 0]);
  assert.deepEqual(cmpMove("ArrowDown", [1, 0], 2, 3), [1, 0]);
  assert.deepEqual(cmpMove("ArrowLeft", [1, 0], 2, 3), [1, 0]);
  assert.deepEqual(cmpMove("End", [0, 2], 9, 3), [8, 2]);
  assert.equal(cmpMove("a", [0, 0], 2, 3), null);
});

test("pages, differences and paths", () => {
  assert.deepEqual(cmpPage(120), [2, 20]);
  assert.equal(cmpDelta(1, null), null);
  assert.equal(cmpDelta(0.1, 0.1), 0);
  assert.equal(cmpDelta(3, 1), -2);
  assert.equal(cmpTail("/turn=2/a/b", 2), "a/b");
  assert.equal(cmpTail("/turn=2/a/b", 1), "/turn=2/a/b");
  assert.equal(cmpTail("/goal", null), "/goal");
});
