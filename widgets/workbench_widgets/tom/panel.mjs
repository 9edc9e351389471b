// A pair in full: prediction and contribution side by side, the verdict and its reason.

import { badge, el, prose, visible } from "../shared/dom.mjs";
import { TOM_WORDS, tomName } from "./matrix.mjs";

/** The panel of a pair; `known` is what is known of it at the cursor, undefined if it is not due. */
export function tomPanel(head, store, { evaluator, peer, known, page, cell, events, go, close }) {
  const [predicted, said] = events;
  const judged = known && !["due", "ahead", "waiting"].includes(known.state);
  return el(
    "section",
    { class: "wbw-tom-panel", tabindex: "-1", "aria-label": "The pair in full" },
    el("header", {}, el("h4", {}, tomName(head, evaluator), el("span", { class: "wbw-soft" }, " of "), tomName(head, peer), el("span", { class: "wbw-soft" }, ` in turn ${page.number}`)), el("button", { type: "button", onclick: close, "aria-label": "Close the pair" }, "Close")),
    judged ? tomVerdict(store, known.state, cell) : null,
    el(
      "div",
      { class: "wbw-tom-sides" },
      tomSide(store, "Predicted before writing", known?.foretold ? cell?.prediction : null, tomNotYet(store, known, known?.foretold, "predicted", cell?.no_prediction), predicted, () => go(predicted)),
      tomSide(store, "Then said", known?.spoken ? cell?.said : null, tomNotYet(store, known, known?.spoken, "said", cell?.no_contribution), said, () => go(said)),
    ),
  );
}

function tomNotYet(store, known, reached, what, why) {
  if (!known) return "Not due in this turn.";
  if (known.state === "ahead") return "The turn has not begun.";
  if (!reached) return `Not yet ${what} at this step.`;
  return why ? `Missing: ${store.text(why)}.` : "…";
}

function tomSide(store, title, words, otherwise, event, go) {
  return el(
    "div",
    {},
    el("p", { class: "wbw-tom-label" }, title, event ? el("button", { type: "button", class: "wbw-tom-go", onclick: go }, `event ${event[0] + 1}`) : null),
    words ? prose(store.text(words)) : el("p", { class: "wbw-tom-otherwise" }, visible(otherwise)),
  );
}

function tomVerdict(store, state, cell) {
  if (!cell || (cell.verdict === null && state !== "missing")) return el("p", { class: "wbw-soft" }, cell ? "Not judged: there is no audit of this pair." : "…");
  const known = cell.verdict ? badge(cell.verdict) : null;
  if (known) known.prepend(`${Object.hasOwn(TOM_WORDS, cell.verdict) ? TOM_WORDS[cell.verdict][0] : "•"} `);
  return el(
    "div",
    { class: "wbw-tom-judged" },
    known ?? el("span", { class: "wbw-badge wbw-unsure" }, "∅ missing"),
    cell.cosine === null ? null : el("span", { class: "wbw-tom-score" }, `cosine ${cell.cosine.toFixed(3)}`),
    cell.reason ? el("p", { class: "wbw-tom-reason", dir: "auto" }, visible(store.text(cell.reason))) : null,
  );
}
