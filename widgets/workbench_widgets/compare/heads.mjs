// What stands above the rows: a card for each run, the summary of a pair, and who paid for what.

import { badge, called, count, dollars, el, plural, seconds, visible } from "../shared/dom.mjs";
import { cmpDelta, cmpLetter, cmpShort } from "../compare/geometry.mjs";

/** A letter in a small square: which run is meant. */
export function cmpSign(column) {
  return el("span", { class: "wbw-compare-sign" }, cmpLetter(column));
}

/** The cards of all runs; where there are more than two, `pick(pair)` shows a fork and its base. */
export function cmpCards(head, pair, pick) {
  const cards = head.columns.map((column, j) => {
    const { base } = column;
    const on = pair[0] === base && pair[1] === j;
    const button = head.columns.length > 2 && base !== null ? el("button", { "aria-pressed": String(on), onclick: () => pick([base, j]) }, `${cmpLetter(base)} → ${cmpLetter(j)}`) : null;
    return el("li", { class: "wbw-compare-card" }, cmpCard(head, column, j), button);
  });
  return el("ul", { class: "wbw-compare-cards", "aria-label": "The runs" }, cards);
}

function cmpCard(head, column, j) {
  const line = column.lineage;
  const mine = [
    el("div", { class: "wbw-compare-name" }, cmpSign(j), el("strong", {}, cmpKind(head, column, j)), column.name === null ? null : el("span", { class: "wbw-path" }, cmpShort(visible(column.name))), badge(column.status)),
    el("p", { class: "wbw-soft wbw-compare-small" }, visible(column.protocol), " · ", el("span", { class: "wbw-compare-model" }, cmpModels(column)), ` · seed ${column.seed} · ${plural(column.events, "event")} · `, el("span", { class: "wbw-path" }, column.digest ? column.digest.slice(0, 8) : "not digested"), column.audited ? " · audited" : ""),
  ];
  if (column.error) mine.push(el("p", { class: "wbw-bad wbw-compare-small" }, visible(column.error)));
  if (column.failed) mine.push(el("p", { class: "wbw-unsure wbw-compare-small" }, plural(column.failed, "answer"), " failed to come"));
  if (!line) return mine;
  const of = column.parent === null ? `of ${line.parent.slice(0, 8)}, which is not here` : `of ${cmpLetter(column.parent)}`;
  const through = column.parent !== null && head.columns[column.parent].digest !== line.parent ? ", through forks that are not here" : "";
  mine.push(el("p", { class: "wbw-compare-small" }, `Fork ${of}${through}: `, el("strong", {}, line.rule), ` rule (${CMP_RULES[line.rule] ?? "?"}), seed ${line.seed}, ${plural(line.inherited, "answer")} inherited`));
  if (line.edits.length) {
    const edits = line.edits.map(([what, name]) => el("li", {}, `${what} `, el("span", { class: "wbw-path" }, visible(name))));
    if (line.edited > line.edits.length) edits.push(el("li", { class: "wbw-soft" }, `and ${plural(line.edited - line.edits.length, "more edit")}`));
    mine.push(el("ul", { class: "wbw-compare-edits" }, edits));
  } else mine.push(el("p", { class: "wbw-soft wbw-compare-small" }, "No edit: the parent, run again."));
  return mine;
}

function cmpModels({ models, more_models: more }) {
  if (!models.length) return "no model";
  return visible(models.join(", ")) + (more ? ` and ${count(more)} more` : "");
}

/** What a card is called; the title stands above all cards where it is the same for all. */
function cmpKind(head, column, j) {
  if (column.lineage) return "Fork";
  if (head.columns.some((other) => other.title !== column.title)) return visible(column.title);
  return head.columns.some((other) => other.parent === j) ? "Parent" : "Run";
}

const CMP_RULES = {
  prefix: "what depends on the change was drawn anew",
  unchanged: "only what was asked otherwise was drawn anew; the rest are the parent's samples",
};

/** What changed in a pair; `go(place)` opens a row. */
export function cmpSummary(head, [a, b], page, go) {
  const { counts, first, only, aligned, flips, changed } = page;
  const out = head.columns.length > 2 ? [el("h4", { class: "wbw-compare-pairname" }, cmpSign(a), "→", cmpSign(b))] : [];
  const two = `${cmpLetter(a)} and ${cmpLetter(b)}`;
  if (!first) {
    out.push(el("p", { class: "wbw-compare-equal" }, "The runs are equal", counts.verdicts ? `; their audits differ in ${plural(counts.verdicts, "verdict")}.` : "."));
  } else {
    out.push(el("p", {}, el("span", { class: "wbw-soft" }, "First divergence "), el("button", { class: "wbw-compare-first", onclick: () => go(first.place) }, first.path === "/" ? "how the runs began or ended" : visible(first.path), el("span", { class: "wbw-soft" }, ` ${visible(cmpWord(first.kind))}`))));
    const told = [[counts.requests, "request"], [counts.answers, "answer"], [counts.facts, "fact"], [counts.verdicts, "verdict"]].filter(([n]) => n).map(([n, noun]) => plural(n, noun));
    out.push(el("p", {}, told.length ? `Changed: ${told.join(", ")}. ` : "", `${plural(aligned, "path")} in both`, only[0] ? `, ${count(only[0])} in ${cmpLetter(a)} alone` : "", only[1] ? `, ${count(only[1])} in ${cmpLetter(b)} alone` : "", "."));
    if (counts.accounting) out.push(el("p", { class: "wbw-soft" }, `Besides, ${plural(counts.accounting, "answer")} alike but for tokens or cost, such as what a server had cached.`));
  }
  if (!aligned && (only[0] || only[1])) {
    const other = head.columns[a].protocol !== head.columns[b].protocol;
    out.push(el("p", { class: "wbw-compare-note" }, `Nothing is aligned: no path is in both ${two}`, other ? "; they are runs of different protocols." : "."));
  }
  if (flips.length) {
    const rows = flips.map(([row, dpos, vpos, path, auditor, peer, was, now]) =>
      el("li", {}, el("button", { class: "wbw-compare-flip", onclick: () => go([row, dpos, vpos]) }, cmpVerdict(was), el("span", { "aria-label": "became" }, " → "), cmpVerdict(now), el("span", {}, ` ${auditor === "own" ? "" : `${visible(auditor)} `}`, peer ? el("span", { class: "wbw-soft" }, `on ${cmpShort(called(head, peer))} `) : null, el("span", { class: "wbw-path wbw-soft" }, visible(path))))),
    );
    if (counts.verdicts > flips.length) rows.push(el("li", { class: "wbw-soft" }, `and ${plural(counts.verdicts - flips.length, "more verdict")}: choose "Rows with other verdicts" below`));
    out.push(el("h5", {}, "Changed verdicts"), el("ul", { class: "wbw-compare-list" }, rows));
  }
  if (changed.length) {
    const rows = changed.map(([name, was, now]) => [el("dt", {}, visible(name)), el("dd", {}, cmpValue("del", was), " → ", cmpValue("ins", now))]);
    if (page.changes > changed.length) rows.push(el("dt", {}, `and ${count(page.changes - changed.length)} more`), el("dd", {}, "in the first row below"));
    const many = changed.length > 4;
    out.push(el("details", { open: !many, class: "wbw-compare-given" }, el("summary", {}, `Started otherwise: ${plural(page.changes, "value")}`), el("dl", {}, rows)));
  }
  return out;
}

const CMP_WORDS = { answer: "reply or result", accounting: "tokens or cost alone" };

function cmpWord(kind) {
  return CMP_WORDS[kind] ?? kind;
}

/** A verdict, or that there is none. */
export function cmpVerdict(verdict) {
  return verdict === null ? el("span", { class: "wbw-soft" }, "none") : badge(verdict);
}

function cmpValue(tag, value) {
  return value === null ? el("span", { class: "wbw-soft" }, "none") : el(tag, {}, visible(value));
}

const CMP_FIGURES = [
  ["Calls", "calls", count],
  ["Tokens read", "tokens_in", count],
  ["Tokens written", "tokens_out", count],
  ["Cost", "cost_usd", dollars],
  ["Model time", "latency_s", (s) => (s === null ? "unknown" : seconds(s))],
];

/** Calls, tokens, cost and time of two runs: what each paid itself, and apart from it what it had from a parent. */
export function cmpBill(head, [a, b]) {
  const sides = [head.columns[a].paid, head.columns[b].paid];
  const rows = CMP_FIGURES.map((figure) => cmpFigure(figure, sides));
  const headings = ["", cmpSign(a), cmpSign(b), "change"].map((h) => el("th", { scope: "col" }, h));
  return el("div", { class: "wbw-compare-scroll", tabindex: 0, role: "group", "aria-label": "Who paid" }, el("table", { class: "wbw-compare-bill" }, el("caption", {}, "Paid by the run itself"), el("thead", {}, el("tr", {}, headings)), el("tbody", {}, rows)));
}

function cmpFigure([name, key, told], sides) {
  const by = cmpDelta(sides[0].own[key], sides[1].own[key]);
  const change = by === null ? "unknown" : by === 0 ? "none" : `${by > 0 ? "+" : "−"}${told(Math.abs(by))}`;
  const cells = sides.map((side) => {
    const apart = side.inherited.calls ? el("div", { class: "wbw-soft" }, `and ${told(side.inherited[key])} inherited`) : null;
    const edited = key === "calls" && side.edited.calls ? el("div", { class: "wbw-soft" }, `and ${count(side.edited.calls)} edited`) : null;
    return el("td", {}, told(side.own[key]), apart, edited);
  });
  return el("tr", {}, el("th", { scope: "row" }, name), cells, el("td", { class: by ? "" : "wbw-soft" }, change));
}
