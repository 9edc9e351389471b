// The marks of classes, whose form tells what their colour does, and texts that may be cut.

import { count, el, prose, svg, visible } from "../shared/dom.mjs";

/** The form of a class, to be put into a picture at a place. */
export function consultShape(about, kind, x, y, size) {
  return svg("path", { class: `wbw-consult-${kind}`, d: about.drawing.shapes[kind], transform: `translate(${x} ${y}) scale(${size})` });
}

/** A mark in a line of text; `many` stands beside it if it is more than one. */
export function consultMark(about, kind, many = 1) {
  const picture = svg("svg", { class: "wbw-consult-mark", viewBox: "-8 -8 16 16", "aria-hidden": "true" }, consultShape(about, kind, 0, 0, 6));
  return el("span", { class: "wbw-consult-marked" }, picture, many > 1 ? el("small", {}, count(many)) : null);
}

/** A class with its mark and its word. */
export function consultClass(about, kind) {
  return el("span", { class: "wbw-consult-class" }, consultMark(about, kind), ` ${kind}`);
}

/** An interpreter by its number, in the colour of its column. */
export function consultWho(number, ...more) {
  return el("span", { class: `wbw-who wbw-a${(number - 1) % 8}` }, `interpreter ${number}`, ...more);
}

/** A text of the pool, `[ref, more]`; what was not shipped of it is told. */
export function consultText(store, [ref, more]) {
  const box = prose(store.text(ref));
  if (more) box.append(el("span", { class: "wbw-soft" }, ` … ${count(more)} more characters in the run`));
  return box;
}

/** Names as code, and how many more there are: `[names, more]`. */
export function consultNames([names, more]) {
  const codes = names.map((name) => el("code", { class: "wbw-path" }, visible(name)));
  return el("span", { class: "wbw-consult-names" }, codes, more ? el("span", { class: "wbw-soft" }, `and ${count(more)} more`) : null);
}

/** A button to an event, for the views beside this one; nothing where there is no such event. */
export function consultEvent(store, at) {
  if (at === null || at === undefined) return null;
  return el("button", { type: "button", class: "wbw-consult-go", onclick: () => store.set("at", at) }, `event ${count(at + 1)}`);
}
