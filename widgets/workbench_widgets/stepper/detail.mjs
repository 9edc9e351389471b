// The selected event in full: the fact, the verdicts on it, the prompt by its parts, the reply.

import { badge, called, count, dollars, el, hue, legible, plural, seconds, show, trouble, visible } from "../shared/dom.mjs";
import { kindName } from "../shared/kinds.mjs";
import { AUDITORS } from "../shared/verdicts.mjs";
import { stpTold } from "../stepper/glyphs.mjs";
import { stpFields, stpText, stpValue } from "../stepper/value.mjs";

const STP_AUDITORS = { ...AUDITORS, own: "its own" };

/** Make the pane; returns {node, paint()}. `walk.changed("detail")` is told when a page has come. */
export function stpDetail(walk, store, arrived) {
  const node = el("article", { class: "wbw-step-detail", tabindex: "0", "aria-label": "The selected event" });
  let drawn = "";
  let page = null;
  let last = 0;
  let scrolled = false;

  node.addEventListener(
    "scroll",
    () => {
      scrolled = true;
    },
    { passive: true },
  );

  function paint() {
    const { at } = walk;
    const sign = `${store.head.shown}/${store.head.events}/${at}/${walk.pos}/${walk.order}`;
    if (sign === drawn) return;
    const here = store.peek("detail", String(at));
    if (here !== undefined) {
      drawn = sign;
      page = { ...here, at };
      node.removeAttribute("aria-busy");
      node.dataset.at = at;
      show(node, stpEvent(page, walk.row(walk.pos), walk, store));
      if (scrolled) node.scrollTop = 0; // else it would lay the page out for nothing
      scrolled = false;
      setTimeout(ahead);
      return;
    }
    page = null;
    drawn = "";
    node.setAttribute("aria-busy", "true");
    const asked = store.head;
    store.load("detail", String(at)).then(
      () => {
        if (at !== walk.at || asked.shown !== store.head.shown) return;
        paint();
        arrived();
      },
      (error) => at === walk.at && show(node, stpEventHead(null, walk.row(walk.pos), walk, store), trouble(error)),
    );
  }

  /** Have the next events on the way brought, so that stepping does not wait. */
  function ahead() {
    const way = walk.pos < last ? -1 : 1;
    last = walk.pos;
    for (const by of [way, 2 * way]) {
      const row = walk.rowAt(walk.pos + by);
      if (row && store.peek("detail", String(row[0])) === undefined) store.load("detail", String(row[0])).catch(() => {}); // told when one goes there
    }
  }

  return {
    node,
    paint,
    get page() {
      return page;
    },
  };
}

function stpEvent(page, row, walk, store) {
  const { ask } = page;
  return [
    stpEventHead(page, row, walk, store),
    page.failed ? stpPart("What went wrong", trouble({ message: `${page.failed.error}: ${store.text(page.failed.message)}` }), el("p", { class: "wbw-soft" }, plural(page.failed.attempts, "attempt"))) : null,
    page.ended ? stpPart(`The run is ${page.ended.status}`, page.ended.error ? trouble({ message: store.text(page.ended.error) }) : null, page.ended.result === null ? null : stpValue(page.ended.result, store)) : null,
    page.data ? stpPart("Fact", stpFields(page.data, store)) : null,
    page.judged.length ? stpPart("What the audit says", page.judged.map((judged) => stpJudged(judged, store))) : null,
    page.tool !== undefined ? stpPart(`Call of ${legible(page.tool)}`, stpValue(page.args, store)) : null,
    page.asked !== undefined ? stpPart("Question to a person", stpValue(page.asked, store), page.choices.length ? el("p", { class: "wbw-soft" }, `to choose from: ${page.choices.map(visible).join(", ")}`) : null) : null,
    page.said !== undefined ? stpPart("Answer", stpValue(page.said, store)) : null,
    "value" in page ? stpPart("Result", stpValue(page.value, store), page.latency_s === null ? null : el("p", { class: "wbw-soft" }, `in ${seconds(page.latency_s)}`)) : null,
    ask?.reply ? stpPart("Reply, as it came", stpText(store.text(ask.reply), "wbw-code wbw-step-raw"), stpFigures(ask)) : null,
    ask ? stpPrompt(ask, walk, store) : null,
    page.params ? stpPart("Parameters", stpFields(page.params, store, 1)) : null,
    page.models ? stpPart("Models", stpValue(page.models, store)) : null,
    stpLinks(page, walk),
  ];
}

function stpEventHead(page, row, walk, store) {
  const agent = row && row[4] !== null ? store.head.agents[row[4]]?.[0] : null;
  const where = [row && row[3] !== null ? `turn ${row[3]}` : null, `event ${count(walk.at + 1)} of ${count(walk.count)}`];
  const origin = page?.origin;
  return el(
    "header",
    { class: `wbw-step-head ${agent === null ? "" : hue(store.head, agent)}` },
    el("h4", {}, row ? kindName(row[1]) : "…", agent === null ? null : [" · ", el("span", { class: "wbw-who" }, called(store.head, agent))]),
    el("p", { class: "wbw-soft" }, where.filter(Boolean).join(" · "), row && row[2] ? [" · ", el("span", { class: "wbw-path" }, visible(row[2]))] : null),
    el(
      "p",
      { class: "wbw-step-said" },
      (row ? stpTold(row[7]) : []).map((words) => el("span", { class: `wbw-badge ${row[7] & 5 ? "wbw-bad" : "wbw-unsure"}` }, words)),
      origin && origin !== "edit" ? el("span", { class: "wbw-soft" }, `from the parent run ${visible(origin.slice(0, 12))}`) : null,
    ),
  );
}

function stpPart(title, ...inside) {
  return el("section", {}, el("h5", {}, title), inside);
}

function stpJudged(judged, store) {
  const peer = judged.peer === null ? null : [" on ", el("span", { class: `wbw-who ${hue(store.head, judged.peer)}` }, called(store.head, judged.peer))];
  return el(
    "div",
    { class: "wbw-step-judged" },
    el("p", {}, el("b", {}, STP_AUDITORS[judged.auditor] ?? legible(judged.auditor)), peer, " ", badge(judged.verdict), judged.score === null ? null : el("span", { class: "wbw-soft" }, ` score ${judged.score.toFixed(2)}`)),
    judged.reason ? stpValue(judged.reason, store) : null,
    judged.rules.length
      ? el("ul", { class: "wbw-step-rules" }, judged.rules.map(([rule, verdict, why]) => el("li", {}, el("p", {}, el("b", {}, legible(rule)), " ", badge(verdict)), stpValue(why, store))))
      : null,
  );
}

function stpFigures(ask) {
  const { figures } = ask;
  const attempts = figures.attempts === 1 ? "1 attempt" : `${count(figures.attempts)} attempts`;
  const items = [
    ["model", figures.model === null ? "unsaid" : legible(figures.model)],
    ["tokens", `${count(figures.tokens_in)} in, ${count(figures.tokens_out)} out${figures.tokens_cached ? `, ${count(figures.tokens_cached)} of those read from a cache` : ""}`],
    ["cost", dollars(figures.cost_usd)],
    ["latency", figures.latency_s === null ? "unknown" : seconds(figures.latency_s)],
    ["sent", figures.unsent.length ? `${attempts}, without ${figures.unsent.map(legible).join(", ")}` : attempts],
    ["ended with", legible(figures.finish_reason)],
  ];
  return el("dl", { class: "wbw-step-figures" }, items.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function stpPrompt(ask, walk, store) {
  const parts = ask.parts.map(([words, path, speaker, at]) =>
    el(
      "li",
      { class: "wbw-step-part" },
      el("p", { class: "wbw-soft" }, `${visible(speaker)} · `, stpSource(path, at, walk, store)),
      stpText(store.text(words)),
    ),
  );
  const sampling = ask.sampling.length
    ? el("dl", { class: "wbw-step-figures" }, ask.sampling.map(([name, value]) => el("div", {}, el("dt", {}, legible(name)), el("dd", {}, stpValue(value, store)))))
    : null;
  return stpPart(
    `Prompt, ${plural(ask.parts.length, "part")}`,
    el("ol", { class: "wbw-step-parts" }, parts),
    ask.schema ? el("p", { class: "wbw-soft" }, `Answer wanted as JSON: ${legible(ask.schema)}`) : null,
    sampling,
  );
}

/** Where a part's words came from: a button to that event, if it is in this run. */
function stpSource(path, at, walk, store) {
  if (path === null) return "the protocol's own words";
  const row = at === null || walk.order !== "happened" ? null : walk.rowAt(at);
  const agent = row && row[4] !== null ? store.head.agents[row[4]]?.[0] : null;
  if (at === null) return [`from `, el("span", { class: "wbw-path" }, legible(path)), ", not an event of this run"];
  const words = agent === null ? `event ${count(at + 1)}` : `${called(store.head, agent)}, event ${count(at + 1)}`;
  return ["from ", stpLink(words, at, walk, path)];
}

function stpLink(words, at, walk, title) {
  return el("button", { type: "button", class: "wbw-step-link", title: visible(title), onclick: () => walk.goAt(at) }, words);
}

function stpLinks(page, walk) {
  const links = [
    ...(page.sources ?? []).map(([path, at]) => ["drawn from", path, at]),
    page.ask && page.event !== "posted" && page.event !== "asked" ? ["asked in", page.ask.path, page.ask.at] : null,
    page.ask?.answer !== undefined && page.ask.answer !== null && page.event !== "answered" && page.event !== "posted" ? ["answered in", page.ask.path, page.ask.answer] : null,
    page.command && page.command[1] !== walk.at ? ["called in", ...page.command] : null,
    page.command && page.answer !== null && page.answer !== undefined ? ["answered in", page.command[0], page.answer] : null,
  ].filter(Boolean);
  if (!links.length) return null;
  return el(
    "p",
    { class: "wbw-step-links wbw-soft" },
    links.map(([how, path, at]) => el("span", {}, `${how} `, at === null ? el("span", { class: "wbw-path" }, legible(path)) : stpLink(legible(path), at, walk, path))),
  );
}
