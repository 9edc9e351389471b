import assert from "node:assert/strict";
import { test } from "node:test";
import { failing, halted } from "../../../widgets/workbench_widgets/shared/dom.mjs";

const head = { status: "interrupted", events: 9, live: false, error: null, failures: [], pending: [] };
const failed = { path: "/a", error: "LMError", message: "429" };

for (const [why, more, told] of [
  ["complete", { status: "complete", failures: [failed] }, ""],
  ["cut off", {}, "The run is interrupted after 9 events."],
  ["a call failed", { failures: [failed] }, "The run is interrupted after 9 events: LMError: 429"],
  ["no message", { failures: [{ ...failed, message: "" }] }, "The run is interrupted after 9 events: LMError"],
  ["the protocol raised", { status: "failed", error: "KeyError: x", failures: [failed] }, "The run is failed after 9 events: KeyError: x"],
  ["live", { live: true, pending: ["/a"] }, ""],
  ["live, and to be asked again", { live: true, pending: ["/b", "/a"], failures: [failed] }, "The run waits after 9 events: LMError: 429"],
  ["live, and a graph", { graph: true, failures: [failed] }, ""],
]) test(`a run that is ${why}`, () => assert.equal(halted({ ...head, ...more }), told));

test("only at the last event", () => assert.equal(halted({ ...head, failures: [failed] }, 7), ""));

test("a long message is cut, and says so", () => {
  const told = failing({ error: "E", message: "x".repeat(600) });
  assert.equal(told, `E: ${"x".repeat(497)}…`);
});
