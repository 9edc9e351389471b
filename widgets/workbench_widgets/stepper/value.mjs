// JSON values and long texts as elements: whole, as text, opened on demand where they are long.

import { count, el, legible, plural, prose, visible } from "../shared/dom.mjs";

const STP_LONG = 900;
const STP_PIECE = 20_000;

/** A text, shown in full; a long one begins with its first part and a button for the rest. */
export function stpText(words, kind = "wbw-say") {
  if (words.length <= STP_LONG * 1.3) return prose(words, kind);
  const cut = words.lastIndexOf(" ", STP_LONG);
  let end = cut > STP_LONG / 2 ? cut : STP_LONG;
  const said = prose(words.slice(0, end), kind);
  const rest = () => `Show ${count(Math.min(STP_PIECE, words.length - end))} more of ${plural(words.length - end, "character")}`;
  const more = el("button", { type: "button", class: "wbw-step-more", onclick: () => open() }, rest());
  const open = () => {
    said.append(visible(words.slice(end, end + STP_PIECE)));
    end += STP_PIECE;
    if (end >= words.length) more.remove();
    else more.textContent = rest();
  };
  return el("div", {}, said, more);
}

/** A value of a page: texts of the pool, objects as lists of names, lists. */
export function stpValue(value, store, depth = 0) {
  if (value === null || value === undefined) return el("span", { class: "wbw-soft" }, "none");
  if (typeof value === "string") return stpText(value);
  if (typeof value !== "object") return el("span", { class: "wbw-code" }, String(value));
  if (!Array.isArray(value) && "t" in value) return stpText(store.text(value));
  const items = Array.isArray(value) ? value.map((item, i) => [String(i + 1), item]) : value.o;
  if (!items.length) return el("span", { class: "wbw-soft" }, "empty");
  const made = () => stpFields(items, store, depth + 1);
  if (depth < 1 && items.length <= 12) return made();
  const many = `${count(items.length)} ${Array.isArray(value) ? "items" : "fields"}`;
  const folded = el("details", { class: "wbw-step-fold" }, el("summary", {}, many));
  folded.addEventListener("toggle", () => folded.childElementCount === 1 && folded.append(made()), { once: true });
  return folded;
}

/** Names and values, one under the other. */
export function stpFields(items, store, depth = 0) {
  const shown = items.slice(0, 200);
  return el(
    "dl",
    { class: "wbw-step-fields" },
    shown.map(([name, value]) => [el("dt", {}, legible(name)), el("dd", {}, stpValue(value, store, depth))]),
    items.length > shown.length ? el("p", { class: "wbw-soft" }, `and ${count(items.length - shown.length)} more, in the run's own table`) : null,
  );
}
