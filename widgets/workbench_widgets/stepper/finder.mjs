// Search, filters and breakpoints: which events are bright, counted, gone to and stopped at.

import { count, el, legible, plural, show, visible } from "../shared/dom.mjs";
import { kindName } from "../shared/kinds.mjs";
import { stpBit, stpRank, stpSeek } from "../stepper/geometry.mjs";
import { STP_FLAGS } from "../stepper/glyphs.mjs";
import { stpAsks } from "../stepper/matching.mjs";
import { stpFind } from "../stepper/search.mjs";

const STP_STOPS = [
  ["the Logic auditor says INVALID", { verdict: "logic:INVALID" }],
  ["the ToM auditor says inconsistent", { verdict: "tom:inconsistent" }],
  ["the RAG auditor says ineffective", { verdict: "rag:ineffective" }],
  ["a structural failure: unreadable, or asked again", { flags: STP_FLAGS.broken | STP_FLAGS.retried }],
  ["a failed call", { flags: STP_FLAGS.failed }],
];

/** Make search and breakpoints; `changed()` is told of new results. */
export function stpFinder(walk, store, changed, toStop, announce) {
  const search = el("input", { type: "search", placeholder: "Search what was said ( / )", "aria-label": "Search", class: "wbw-step-search" });
  const prompts = el("input", { type: "checkbox" });
  const agent = el("select", { "aria-label": "Agent" });
  const kind = el("select", { "aria-label": "Kind" });
  const verdict = el("select", { "aria-label": "Verdict" });
  const told = el("span", { class: "wbw-step-count", role: "status" });
  const back = el("button", { type: "button", "aria-label": "Previous match", title: "Previous match (Shift+Enter)", onclick: () => match(-1) }, "↑");
  const next = el("button", { type: "button", "aria-label": "Next match", title: "Next match (Enter)", onclick: () => match(1) }, "↓");
  const clear = el("button", { type: "button", onclick: () => reset() }, "Clear");
  const boxes = STP_STOPS.map(([words, query]) => {
    const box = el("input", { type: "checkbox", onchange: () => run() });
    return { box, query, node: el("label", {}, box, ` ${words}`) };
  });
  const matches = el("input", { type: "checkbox", onchange: () => run() });
  const summary = el("summary", {});
  const stopsMenu = el(
    "details",
    { class: "wbw-step-stops" },
    summary,
    el("div", { class: "wbw-step-menu", role: "group", "aria-label": "Breakpoints" }, boxes.map(({ node }) => node), el("label", {}, matches, " a match of the search and filters"), el("p", { class: "wbw-soft" }, "Play pauses there.")),
  );
  const go = el("button", { type: "button", onclick: () => toStop() }, "To the next stop");
  const node = el(
    "div",
    { class: "wbw-step-finder" },
    el("div", { class: "wbw-step-fieldset", role: "search" }, search, el("label", { class: "wbw-step-field" }, prompts, "prompts too"), agent, kind, verdict, back, next, clear, told),
    el("div", { class: "wbw-step-fieldset" }, stopsMenu, go),
  );

  let found = null;
  let stops = null;
  let asked = 0;
  let waiting = 0;
  let sign = "";
  let trouble = null;

  search.addEventListener("input", () => soon(180));
  for (const field of [prompts, agent, kind, verdict]) field.addEventListener("change", () => run());
  search.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && search.value) {
      search.value = "";
      run();
    } else if (event.key === "Enter") match(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  stopsMenu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !stopsMenu.open) return;
    stopsMenu.open = false;
    summary.focus();
    event.stopPropagation();
  });

  const query = () => ({ text: search.value, prompts: prompts.checked, agent: agent.value || null, kind: kind.value || null, verdict: verdict.value || null });

  function stopQueries() {
    const chosen = boxes.filter(({ box }) => box.checked).map((stop) => stop.query);
    return matches.checked && stpAsks(query()) ? [...chosen, query()] : chosen;
  }

  function soon(delay) {
    clearTimeout(waiting);
    waiting = setTimeout(run, delay);
  }

  /** Ask anew; an older answer that comes later is dropped. */
  function run() {
    clearTimeout(waiting);
    const mine = (asked += 1);
    trouble = null;
    Promise.all([stpFind(store, walk.order, [query()]), stpFind(store, walk.order, stopQueries())]).then(
      ([one, two]) => {
        if (mine !== asked) return;
        [found, stops] = [one, two];
        paint();
        changed();
      },
      (error) => {
        if (mine !== asked) return;
        trouble = error;
        paint();
      },
    );
    paint();
  }

  function reset() {
    search.value = "";
    prompts.checked = false;
    for (const field of [agent, kind, verdict]) field.value = "";
    run();
  }

  function match(by) {
    if (!found) return;
    let place = stpSeek(found.bits, walk.pos, by, walk.count);
    if (place < 0) {
      place = stpSeek(found.bits, by > 0 ? -1 : walk.count, by, walk.count);
      if (place >= 0) announce(by > 0 ? "From the beginning again." : "From the end again.");
    }
    if (place >= 0) walk.go(place);
  }

  /** What there is to choose from, and what was found. */
  function paint() {
    const page = walk.turnsPage;
    const now = `${store.head.shown}/${store.head.events}/${page ? page.kinds.length : ""}/${page ? page.verdicts.length : ""}`;
    if (page && now !== sign) {
      sign = now;
      stpOptions(agent, "All agents", store.head.agents.slice(0, 500).map(([name, title]) => [name, legible(title)]));
      stpOptions(kind, "All kinds", page.kinds.map(([name, n]) => [name, `${visible(kindName(name))} (${count(n)})`]));
      stpOptions(verdict, "All verdicts", page.verdicts.map(([who, what, n]) => [`${who}:${what}`, `${who === "own" ? "" : `${who}: `}${visible(what.slice(0, 60))} (${count(n)})`]));
      verdict.hidden = !page.verdicts.length;
    }
    const asks = stpAsks(query());
    for (const made of [back, next]) made.disabled = !found?.total;
    clear.disabled = !asks;
    told.textContent = trouble ? visible(trouble.message) : stpCounted(asks, found, walk);
    const chosen = stopQueries().length;
    show(summary, chosen ? `Stop at ${plural(chosen, "condition")}` : "Stop at…", stops ? el("span", { class: "wbw-soft" }, ` ${plural(stops.total, "place")}`) : null);
    go.disabled = !stops?.total;
  }

  return {
    node,
    paint,
    run,
    stopQueries,
    focus: () => search.focus(),
    close: () => clearTimeout(waiting),
    get found() {
      return found;
    },
    get stops() {
      return stops;
    },
  };
}

/** "3 of 12 matches", and how much of the run was looked at where it was not all. */
function stpCounted(asks, found, walk) {
  if (!asks) return "";
  if (!found) return "Searching…";
  const { bits, total, seen } = found;
  const here = stpBit(bits, walk.pos) ? `${count(stpRank(bits, walk.pos) + 1)} of ` : "";
  const partly = seen < walk.count ? `, among the ${count(seen)} of ${count(walk.count)} events that are in this page` : "";
  return `${here}${plural(total, "match", "matches")}${partly}`;
}

function stpOptions(select, all, options) {
  const kept = select.value;
  show(select, el("option", { value: "" }, all), options.map(([value, words]) => el("option", { value }, words)));
  select.value = options.some(([value]) => value === kept) ? kept : "";
}
