// Strips: for a pair, the cosine over turns as a line, with a mark for each verdict.

import { el, show, svg } from "../shared/dom.mjs";
import { tomNearest, tomPath, tomStrip } from "./geometry.mjs";
import { TOM_WORDS, tomName, tomShort } from "./matrix.mjs";

const TOM_HEIGHT = 44;
const TOM_PAD = 7;
const TOM_MARKS = {
  consistent: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  unjudged: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  inconsistent: (x, y, r) => `M${x - r} ${y - r}l${2 * r} ${2 * r}M${x - r} ${y + r}l${2 * r} ${-2 * r}`,
  unknown: (x, y, r) => `M${x} ${y - 1.3 * r}l${1.3 * r} ${1.3 * r}l${-1.3 * r} ${1.3 * r}l${-1.3 * r} ${-1.3 * r}z`,
  missing: (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  split: (x, y, r) => `M${x} ${y - r}a${r} ${r} 0 0 1 0 ${2 * r}a${r} ${r} 0 0 1 0 ${-2 * r}M${x} ${y - r}a${r} ${r} 0 0 1 0 ${2 * r}z`,
};

/** One strip of a pair; `go(place)` is called with the point that was chosen. */
export function tomStripRow(head, evaluator, peer, go) {
  const picture = svg("svg", { class: "wbw-tom-line", role: "slider", tabindex: "0", "aria-label": "", onclick: clicked, onkeydown: pressed });
  const told = el("span", { class: "wbw-tom-now" });
  const label = el("button", { type: "button", class: "wbw-tom-pair" }, el("span", { class: "wbw-soft" }, "of "), tomName(head, peer));
  const node = el("div", { class: "wbw-tom-strip" }, label, el("div", { class: "wbw-tom-plot" }, picture), told);
  picture.setAttribute("aria-label", `${tomShort(head, evaluator)} of ${tomShort(head, peer)}, over the turns`);
  let key = "";
  let many = 0;
  let here = 0;
  let width = 0;
  let pad = TOM_PAD;

  function clicked(event) {
    const box = picture.getBoundingClientRect();
    go(tomNearest(event.clientX - box.left, many, width, pad));
  }

  function pressed(event) {
    const to = { ArrowLeft: here - 1, ArrowDown: here - 1, ArrowRight: here + 1, ArrowUp: here + 1, Home: 0, End: many - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    go(Math.max(0, Math.min(many - 1, to)));
  }

  /** Draw the points up to `last`; `now` is what is known of the turn `here`. */
  function update(points, turns, { scale, last, here: current, now, wide, size, picked }) {
    label.setAttribute("aria-pressed", String(picked));
    const wanted = JSON.stringify([turns[0]?.[0], points.length, scale, last, current, now?.state, now?.cosine, wide, size]);
    if (wanted === key) return;
    key = wanted;
    many = points.length;
    here = current;
    width = wide;
    pad = TOM_PAD * size;
    const height = Math.round(TOM_HEIGHT * size);
    const drawn = tomStrip(points, { width, height, pad, scale, last, now });
    const radius = size * Math.max(1.1, Math.min(3.6, drawn.step ? drawn.step / 2.4 : 3.6));
    const parts = [0, 0.5, 1].map((c) => svg("line", { x1: 0, x2: width, y1: drawn.y(c), y2: drawn.y(c), class: c === 0.5 ? "wbw-tom-half" : "wbw-tom-grid" }));
    const band = Math.max(3, Math.min(2 * pad, drawn.step || 2 * pad));
    parts.unshift(svg("rect", { x: drawn.x(here) - band / 2, width: band, y: 0, height, rx: 3, class: "wbw-tom-here" }));
    for (const line of drawn.lines) parts.push(svg("path", { d: tomPath(line), class: "wbw-tom-curve" }));
    for (const [kind, shape] of Object.entries(TOM_MARKS)) {
      const marks = drawn.marks.filter((mark) => mark.kind === kind);
      if (marks.length) parts.push(svg("path", { d: marks.map(({ x, y }) => shape(x, y, radius)).join(""), class: `wbw-tom-mark wbw-tom-${kind}` }));
    }
    picture.setAttribute("width", width);
    picture.setAttribute("height", height);
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    show(picture, ...parts);
    const words = tomToldNow(points[last], scale, now);
    show(told, ...words.map(([kind, text]) => el("span", { class: kind }, text)));
    picture.setAttribute("aria-valuemin", "0");
    picture.setAttribute("aria-valuemax", String(many - 1));
    picture.setAttribute("aria-valuenow", String(here));
    picture.setAttribute("aria-valuetext", `turn ${turns[here]?.[1]}: ${words.map(([, text]) => text).join(" ")}`);
  }

  return { node, label, update };
}

function tomToldNow(point, scale, now) {
  if (scale > 1) {
    if (!point) return [["wbw-soft", "–"]];
    const [consistent, inconsistent, unknown, missing, unjudged, cosine] = point;
    const judged = consistent + inconsistent;
    const others = [[unknown, "unknown"], [missing, "missing"], [unjudged, "not judged"]].filter(([many]) => many).map(([many, word]) => `${many} ${word}`);
    return [["wbw-tom-score", cosine === null ? "" : cosine.toFixed(2)], ["wbw-soft wbw-tom-tally", [judged ? `✓ ${consistent} of ${judged}` : "", ...others].filter(Boolean).join(" · ")]];
  }
  const { state, cosine } = now ?? { state: "none", cosine: null };
  const [sign, word] = TOM_WORDS[state];
  return [["wbw-tom-score", cosine === null ? "" : cosine.toFixed(2)], [`wbw-tom-${state}`, `${sign} ${word}`]];
}

/** The legend of the marks. */
export function tomLegend(kinds) {
  return el(
    "ul",
    { class: "wbw-tom-legend", "aria-label": "Marks on the strips" },
    ...kinds.map((kind) => el("li", {}, svg("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, svg("path", { d: TOM_MARKS[kind](6, 6, 3.4), class: `wbw-tom-mark wbw-tom-${kind}` })), TOM_WORDS[kind][1])),
  );
}
