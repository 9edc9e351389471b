// One row in full: what two runs hold at a path, and what changed there, word by word.

import { called, count, dollars, el, plural, seconds, visible } from "../shared/dom.mjs";
import { cmpCut, cmpFold, cmpLetter, cmpShort } from "../compare/geometry.mjs";
import { cmpSign, cmpVerdict } from "../compare/heads.mjs";
import { cmpNamed } from "../compare/rows.mjs";

const CMP_MOST = 20000;
const CMP_HOW = {
  lines: "Too long to compare by words throughout: compared by lines, and by words where that could be done.",
  ends: "Too long to compare by words: what the two begin and end with alike is told, and all between counts as changed.",
};
const CMP_GROUPS = { settings: "Besides", args: "Called with", result: "Result" };

/** The row; `view` holds the `pair`, `sides` (side by side) and `whole` (nothing folded). */
export function cmpDetail(store, view, page) {
  const [a, b] = view.pair;
  const { head } = store;
  const out = [
    el("div", { class: "wbw-compare-title" }, el("h4", {}, cmpNamed(head, page.about)), page.place[0] === 0 ? null : el("span", { class: "wbw-path wbw-soft" }, cmpRun("=", store.text(page.path)))),
  ];
  if (!page.has[0] && !page.has[1]) return [...out, el("p", { class: "wbw-compare-note" }, `Neither ${cmpLetter(a)} nor ${cmpLetter(b)} has anything at this path.`)];
  for (const [mine, other, has] of [[a, b, page.has[1]], [b, a, page.has[0]]]) {
    if (!has) out.push(el("p", { class: "wbw-compare-note" }, `Only in ${cmpLetter(mine)}: ${cmpLetter(other)} has nothing at this path.`));
  }
  out.push(cmpFigures(page, a, b));
  if (page.verdicts.length) out.push(el("div", { class: "wbw-compare-section" }, el("h5", {}, "Audits"), page.verdicts.map((v) => cmpAudit(store, v, a, b))));
  view.both = page.has[0] && page.has[1];
  let group = "";
  for (const section of page.sections) {
    const name = CMP_GROUPS[section.group];
    if (name && section.group !== group) out.push(el("h5", { class: "wbw-compare-group" }, name));
    group = section.group;
    out.push(cmpSection(store, view, section));
  }
  const differs = page.sections.some((s) => s.segs);
  if (!differs && page.has[0] && page.has[1]) out.splice(1, 0, el("p", { class: "wbw-compare-equal" }, `The same in ${cmpLetter(a)} and ${cmpLetter(b)}.`));
  return out;
}

/** Who paid, and for what, on each side. */
function cmpFigures(page, a, b) {
  const lines = page.figures.map((f, side) => {
    if (!f) return null;
    const who = f.paid === "own" ? "its own call" : f.paid === "edited" ? "put in place by an edit; nobody paid" : `inherited: paid by ${f.from.slice(0, 8)}`;
    const told = [who];
    if (f.paid !== "edited" && "tokens_in" in f) told.push(`${count(f.tokens_in)} tokens read${f.tokens_cached === null ? "" : ` (${count(f.tokens_cached)} of them cached)`}, ${count(f.tokens_out)} written`, `cost ${dollars(f.cost_usd)}`);
    if (f.latency_s !== null) told.push(seconds(f.latency_s));
    if (f.attempts > 1) told.push(`${count(f.attempts)} attempts`);
    return el("li", {}, cmpSign(side ? b : a), ` ${told.join(" · ")}`);
  });
  return lines.some(Boolean) ? el("ul", { class: "wbw-compare-figures" }, lines) : null;
}

function cmpAudit(store, [auditor, peer, was, now, before, after], a, b) {
  const who = el("p", {}, el("strong", {}, visible(auditor)), peer ? ` on ${cmpShort(called(store.head, peer))}: ` : ": ", cmpVerdict(was), was === now ? el("span", { class: "wbw-soft" }, " in both") : [" → ", cmpVerdict(now)]);
  const why = (side, reason) => el("div", { class: "wbw-compare-side" }, cmpSign(side), el("div", { class: "wbw-say" }, visible(store.text(reason)) || "no reason"));
  const reasons = el("div", { class: "wbw-compare-sides" }, was === null ? null : why(a, before), now === null ? null : why(b, after));
  return el("details", { open: was !== now }, el("summary", {}, who), reasons);
}

function cmpSection(store, view, section) {
  const name = el("h5", {}, visible(section.name));
  const css = section.group === "reply" || section.group === "fact" || section.group === "prompt" ? "wbw-say" : "wbw-code";
  if ("same" in section) {
    const text = store.text(section.same);
    if (text.length <= 60 && !text.includes("\n")) return el("div", { class: "wbw-compare-line" }, name, el("span", { class: css }, visible(text) || "empty"), el("span", { class: "wbw-soft" }, "same"));
    return cmpLazy(el("summary", {}, visible(section.name), el("span", { class: "wbw-soft" }, ` the same in both, ${count(text.length)} characters`)), () => cmpRuns([["=", text]], css), view.whole);
  }
  const segs = section.segs.map(([op, ref]) => [op, store.text(ref)]);
  const [a, b] = view.pair;
  const only = section.only && view.both ? el("span", { class: "wbw-soft" }, ` only in ${cmpLetter(section.only === "before" ? a : b)}`) : null;
  const how = section.how === "words" ? null : el("p", { class: "wbw-compare-note" }, CMP_HOW[section.how]);
  const side = (op) => cmpRuns(view.whole ? segs.filter(([o]) => o === "=" || o === op) : cmpFold(segs, op), css);
  const long = segs.reduce((n, [, text]) => n + text.length, 0) > 60 || segs.some(([, text]) => text.includes("\n"));
  const body = section.only
    ? cmpRuns(segs.map(([, text]) => ["=", text]), css)
    : view.sides && long
      ? el("div", { class: "wbw-compare-sides" }, el("div", { class: "wbw-compare-side" }, cmpSign(a), side("-")), el("div", { class: "wbw-compare-side" }, cmpSign(b), side("+")))
      : cmpRuns(view.whole ? segs : cmpFold(segs), css);
  if (!long && !how) return el("div", { class: "wbw-compare-line" }, name, body, only);
  return el("div", { class: "wbw-compare-section" }, el("div", {}, name, only), how, body);
}

/** A fold whose inside is made when it is opened. */
function cmpLazy(summary, make, open) {
  const box = el("details", { class: "wbw-compare-section", open }, summary);
  const filled = () => {
    if (box.open && box.childElementCount === 1) box.append(make());
  };
  box.addEventListener("toggle", filled);
  if (open) filled();
  return box;
}

/** Segments as running text: what left is struck through, what came is underlined. */
function cmpRuns(segs, css) {
  return el("div", { class: `${css} wbw-compare-text`, dir: "auto" }, segs.map(([op, text]) => (op === "fold" ? cmpFolded(text) : cmpRun(op, text))));
}

const CMP_TAGS = { "=": "span", "-": "del", "+": "ins" };

function cmpRun(op, text) {
  const [now, later] = cmpCut(text, CMP_MOST);
  // A change of line ends alone would show nothing.
  const told = op === "=" ? visible(now) : visible(now).replaceAll("\n", "↵\n");
  const node = el(CMP_TAGS[op], {}, told);
  if (later) {
    const more = el("button", { class: "wbw-compare-fold" }, `${count(later.length)} more characters`);
    more.addEventListener("click", () => more.replaceWith(cmpRun(op, later)));
    return [node, more];
  }
  return op === "=" ? node : [el("span", { class: "wbw-compare-hidden" }, op === "-" ? " [removed: " : " [added: "), node, el("span", { class: "wbw-compare-hidden" }, "] ")];
}

function cmpFolded(text) {
  const button = el("button", { class: "wbw-compare-fold", "aria-label": `Show ${count(text.length)} characters that are the same` }, `… ${count(text.length)} the same …`);
  button.addEventListener("click", () => button.replaceWith(...[cmpRun("=", text)].flat()));
  return button;
}

/** The buttons above a row: which pair, how it is shown, and the way to the next difference. */
export function cmpTools(store, view, act) {
  const { columns, differing } = store.head;
  const pick = (side) => {
    const box = el("select", { "aria-label": side ? "Second run" : "First run" }, columns.map((c, j) => el("option", { value: j, selected: view.pair[side] === j }, cmpLetter(j))));
    box.addEventListener("change", () => act.pair(side, Number(box.value)));
    return box;
  };
  const at = view.place[1];
  const told = differing ? (at >= 0 ? `difference ${count(at + 1)} of ${count(differing)}` : plural(differing, "difference")) : "no difference";
  return [
    el("div", { class: "wbw-compare-tools", role: "toolbar", "aria-label": "The selected row" },
      el("span", { class: "wbw-compare-pair" }, columns.length > 2 && store.live ? [pick(0), " → ", pick(1)] : [cmpSign(view.pair[0]), " → ", cmpSign(view.pair[1])]),
      el("button", { onclick: act.back, disabled: !act.hasBack(), "aria-label": "Previous difference" }, "‹"),
      el("span", { class: "wbw-soft", "aria-live": "polite" }, told),
      el("button", { onclick: act.next, disabled: !act.hasNext(), "aria-label": "Next difference" }, "›"),
      el("span", { class: "wbw-compare-gap" }),
      el("button", { "aria-pressed": String(!view.sides), onclick: () => act.sides(false) }, "Inline"),
      el("button", { "aria-pressed": String(view.sides), onclick: () => act.sides(true) }, "Side by side"),
      el("button", { "aria-pressed": String(view.whole), onclick: () => act.whole(!view.whole) }, "Whole texts")),
  ];
}
