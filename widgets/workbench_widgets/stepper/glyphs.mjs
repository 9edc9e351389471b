// The stepper's signs: what a kind of event looks like, and what it is called.

import { svg } from "../shared/dom.mjs";
import { stpRuling, stpShape } from "../stepper/geometry.mjs";

export const STP_FLAGS = { broken: 1, retried: 2, failed: 4, inherited: 8, put: 16 };

/** The sign of a row around (x, y), with a radius of r. */
export function stpGlyph(row, x, y, r, pending = false) {
  const flags = row[7];
  const attrs = { class: "wbw-step-glyph" };
  const at = (part) => ({ cx: x, cy: y, r: r * part });
  const poly = (...points) => points.map(([dx, dy]) => `${x + dx * r},${y + dy * r}`).join(" ");
  if (flags & STP_FLAGS.failed) return stpCross(x, y, r * 0.7, "wbw-step-alarm");
  switch (stpShape(row[1])) {
    case "ask":
      return svg("circle", { ...at(0.45), class: `wbw-step-line${pending ? " wbw-step-pending" : ""}` });
    case "answer":
      if (flags & STP_FLAGS.inherited) {
        return svg("g", {}, svg("circle", { ...at(0.62), class: "wbw-step-line" }), svg("circle", { ...at(0.22), ...attrs }));
      }
      if (flags & STP_FLAGS.put) return svg("polygon", { ...attrs, points: poly([0, -0.7], [0.65, 0.5], [-0.65, 0.5]) });
      return svg("circle", { ...at(0.45), ...attrs });
    case "call":
      return svg("rect", { x: x - r * 0.5, y: y - r * 0.5, width: r, height: r, class: `wbw-step-line${pending ? " wbw-step-pending" : ""}` });
    case "result":
      return svg("rect", { x: x - r * 0.5, y: y - r * 0.5, width: r, height: r, ...attrs });
    case "square":
      return svg("rect", { x: x - r * 0.85, y: y - r * 0.85, width: r * 1.7, height: r * 1.7, rx: r * 0.3, ...attrs });
    case "diamond":
      return svg("polygon", { ...attrs, points: poly([0, -1.05], [1.05, 0], [0, 1.05], [-1.05, 0]) });
    case "cross":
      return stpCross(x, y, r * 0.7, "wbw-step-alarm");
    case "gate":
      if (flags & (STP_FLAGS.broken | STP_FLAGS.retried)) {
        const kind = flags & STP_FLAGS.broken ? "wbw-step-alarm-fill" : "wbw-step-warn";
        return svg("polygon", { class: kind, points: poly([0, -0.85], [0.85, 0.7], [-0.85, 0.7]) });
      }
      return svg("line", { x1: x, x2: x, y1: y - r * 0.5, y2: y + r * 0.5, class: "wbw-step-line" });
    case "start":
      return svg("polygon", { ...attrs, points: poly([-0.5, -0.8], [0.8, 0], [-0.5, 0.8]) });
    case "end":
      return svg("rect", { x: x - r * 0.6, y: y - r * 0.6, width: r * 1.2, height: r * 1.2, ...attrs });
    default:
      return svg("circle", { ...at(0.85), ...attrs });
  }
}

function stpCross(x, y, r, kind) {
  return svg("path", { class: kind, d: `M${x - r},${y - r}L${x + r},${y + r}M${x - r},${y + r}L${x + r},${y - r}` });
}

/** The sign of a row's ruling (see `stpRuling`): ["✗", class], ["?", class], ["✓", class] or null. */
export function stpMark(row) {
  const ruling = stpRuling(row);
  return ruling && { bad: ["✗", "wbw-bad"], unsure: ["?", "wbw-unsure"], good: ["✓", "wbw-good"] }[ruling[1]];
}

/** What a row's flags mean, in words. */
export function stpTold(flags) {
  return [
    [STP_FLAGS.broken, "unreadable"],
    [STP_FLAGS.retried, "asked again"],
    [STP_FLAGS.failed, "failed call"],
    [STP_FLAGS.inherited, "inherited"],
    [STP_FLAGS.put, "edited"],
  ]
    .filter(([flag]) => flags & flag)
    .map(([, words]) => words);
}
