// Divergence reports with their readings side by side, and the proof of isolation as a table.

import { count, el, plural, visible } from "../shared/dom.mjs";
import { consultEvent, consultNames, consultText } from "../consult/marks.mjs";

/** The divergence reports, page by page. */
export function consultDivergences(store, about, need) {
  const total = about.counts.divergences;
  const list = el("div", {});
  const more = el("button", { type: "button", class: "wbw-consult-more", hidden: true, onclick: () => next() });
  const node = el("section", { class: "wbw-consult-divergences", "aria-label": "Divergence reports" }, el("h4", {}, "Divergence reports ", el("span", { class: "wbw-soft" }, count(total))), list, more);
  let shown = 0;
  if (!total) {
    const left = about.counts.undecided;
    list.append(el("p", { class: "wbw-soft" }, left ? `None, but ${plural(left, "pair")} of readings ${left === 1 ? "is" : "are"} undecided.` : "No passage is read in two ways."));
    return { node };
  }

  function next() {
    const size = about.pages.reports;
    more.disabled = true;
    need("consult_divergences", String(shown / size), (page) => {
      list.append(...page.map(report));
      shown += page.length;
      more.disabled = false;
      more.hidden = shown >= total;
      more.textContent = `Show ${count(Math.min(size, total - shown))} more`;
    });
  }

  function report(one) {
    const stands = { true: "its value stands in what it cites", false: "its value does not stand in what it cites" };
    const sides = one.readings.map(([text, findings, cited, stated]) =>
      el("blockquote", {}, consultText(store, text), el("p", { class: "wbw-consult-meta" }, "finding ", consultNames(findings), " cites ", consultNames(cited), stated === null ? null : el("span", { class: "wbw-soft" }, ` · ${stands[stated]}`))),
    );
    return el(
      "article",
      { class: "wbw-consult-report", "aria-label": `${one.id}: ${one.type}` },
      el("p", { class: "wbw-consult-line" }, el("strong", {}, one.id), el("span", { class: "wbw-badge wbw-unsure" }, one.type), el("span", {}, "at ", consultNames(one.passages)), el("span", { class: "wbw-soft" }, `told apart by ${one.rules.map((rule) => visible(rule).replace(/_/g, " ")).join(", ")}`)),
      el("div", { class: "wbw-consult-sides" }, sides),
      one.more ? el("p", { class: "wbw-soft" }, `and ${plural(one.more, "more reading")}`) : null,
      el("p", {}, "Recommended: ", el("strong", {}, one.action)),
    );
  }

  next();
  return { node };
}

/** The isolation proof: five conditions, what was read, and the parts that break them. */
export function consultProof(store, about) {
  const { conditions, reads, breaches, broken, unseen } = about.proof;
  const verdict = (n, shown) => {
    if (n) return el("strong", { class: "wbw-bad" }, `✗ broken (${count(n)})`);
    return shown ? el("strong", { class: "wbw-good" }, "✓ kept") : el("span", { class: "wbw-bad" }, "not shown");
  };
  const rows = conditions.map(([name, forbids, checked, n, shown]) => el("tr", { role: "row" }, el("th", { role: "rowheader", scope: "row" }, name), el("td", { role: "cell" }, forbids), el("td", { role: "cell", class: "wbw-soft" }, checked), el("td", { role: "cell" }, verdict(n, shown))));
  const heads = (names) => el("thead", {}, el("tr", {}, names.map((name) => el("th", { scope: "col" }, name))));
  const contract = el("table", { class: "wbw-consult-table wbw-consult-contract", role: "table" }, heads(["", "Condition", "What was checked", "Kept"]), el("tbody", {}, rows));
  const parts = reads.map(([reader, ...told]) => el("tr", {}, el("th", { scope: "row" }, `interpreter ${reader}`), told.map((n) => el("td", { class: "wbw-consult-n" }, count(n)))));
  const read = el("table", { class: "wbw-consult-table wbw-consult-reads" }, el("caption", {}, "Parts of prompts, by where they came from"), heads(["Reader", "prompts", "parts", "package", "own path", "protocol", "elsewhere", "sources"]), el("tbody", {}, parts));
  const list = breaches.map((b) =>
    el("li", {}, el("strong", { class: "wbw-bad" }, `(${b.condition}) ${b.rule}`), " at ", el("code", { class: "wbw-path" }, visible(b.path)), b.part === null ? null : `, part ${b.part}`, b.source === null ? null : [", from ", el("code", { class: "wbw-path" }, visible(b.source))], `: ${visible(b.what)} `, consultEvent(store, b.at)),
  );
  const more = broken - breaches.length;
  return {
    node: el(
      "section",
      { class: "wbw-consult-proof", "aria-label": "Isolation proof" },
      el("h4", {}, "Isolation ", broken ? el("span", { class: "wbw-bad" }, `broken ${plural(broken, "time")}: the session is invalid`) : el("span", { class: "wbw-good" }, "kept")),
      list.length ? el("ul", { class: "wbw-consult-breaches", "aria-label": "What breaks it" }, list, more > 0 ? el("li", {}, `and ${count(more)} more`) : null) : null,
      el("div", { class: "wbw-consult-scroll" }, contract),
      reads.length ? el("div", { class: "wbw-consult-scroll" }, read) : null,
      el("p", { class: "wbw-soft" }, unseen),
    ),
  };
}
