// The findings of what is chosen: a passage, an interpreter, both, or a row of the topology.

import { count, el, plural, show, visible } from "../shared/dom.mjs";
import { consultClass, consultEvent, consultNames, consultText, consultWho } from "../consult/marks.mjs";

/** The panel of findings; `open(kind, which, title, total, before)` fills it. */
export function consultFindings(store, about, need) {
  const node = el("section", { class: "wbw-consult-panel", "aria-label": "Findings of what is chosen", tabindex: "-1" });
  let asked = 0;
  show(node, el("h4", {}, "Findings"), el("p", { class: "wbw-soft" }, "Choose a passage, an interpreter, or a row of the topology."));

  function open(kind, which, title, total, before) {
    const mine = (asked += 1);
    const heading = el("h4", {}, title, el("span", { class: "wbw-soft" }, ` ${count(total)}`));
    const list = el("div", { class: "wbw-consult-list" });
    const more = el("button", { type: "button", class: "wbw-consult-more", hidden: true });
    show(node, heading, before, list, more);
    let shown = 0;
    const next = () => {
      more.disabled = true;
      need("consult_findings", `${kind}/${which}/${shown / about.pages.findings}`, (page) => {
        if (mine !== asked) return;
        list.append(...page.findings.map(article));
        shown += page.findings.length;
        more.disabled = false;
        more.hidden = shown >= page.total;
        more.textContent = `Show ${count(Math.min(about.pages.findings, page.total - shown))} more`;
      });
    };
    more.addEventListener("click", next);
    if (total) next();
    else list.append(el("p", { class: "wbw-soft" }, "No finding."));
    const { top, bottom } = node.getBoundingClientRect();
    if (top > innerHeight - 60 || bottom < 60) node.scrollIntoView({ block: "nearest" });
  }

  function article(finding) {
    const invalid = finding.invalid[0].map((name) => el("li", { class: "wbw-bad" }, el("strong", {}, "✗ "), el("code", { class: "wbw-path" }, visible(name)), " is nothing that it was given: not counted"));
    const unshown = finding.invalid[1] ? el("li", {}, `and ${plural(finding.invalid[1], "more invalid citation")}`) : null;
    const said = (title, texts) => (texts.length ? el("div", { class: "wbw-consult-said" }, el("h5", {}, title), texts.map((text) => consultText(store, text))) : null);
    return el(
      "article",
      { class: "wbw-consult-finding" },
      el("p", { class: "wbw-consult-line" }, el("strong", {}, visible(finding.id)), consultWho(finding.by), finding.classes.map((kind) => consultClass(about, kind)), consultEvent(store, finding.at)),
      consultText(store, finding.conclusion),
      el("p", { class: "wbw-consult-meta" }, "cites ", finding.cited[0].length ? consultNames(finding.cited) : "nothing that counts", el("span", { class: "wbw-soft" }, `${finding.query ? ` · for ${visible(finding.query)}` : ""} · says its confidence is ${visible(finding.confidence)}`)),
      invalid.length ? el("ul", { class: "wbw-consult-invalid", "aria-label": "Invalid citations" }, invalid, unshown) : null,
      said("Ambiguities", finding.ambiguities),
      said("Other readings that it names", finding.alternatives),
    );
  }

  return { node, open };
}

/** A passage in full, above its findings. */
export function consultPassage(store, row) {
  if (row.whole) return [el("p", { class: "wbw-soft" }, "The document was cited as a whole, not a passage of it.")];
  const old = row.superseded[0].length ? el("p", { class: "wbw-unsure" }, el("strong", {}, "Superseded by "), consultNames(row.superseded)) : null;
  const heading = row.heading ? el("p", { class: "wbw-soft" }, visible(row.heading)) : null;
  return [old, el("details", { class: "wbw-consult-text" }, el("summary", {}, "The passage", row.version ? `, version ${visible(row.version)}` : ""), heading, consultText(store, row.text))];
}
