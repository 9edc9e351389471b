// The Theory-of-Mind board: the matrix of the turn at the cursor, one pair in full, strips of turns.

import { el, halted, plural, show, trouble, visible } from "../shared/dom.mjs";
import { tomCounts, tomPosition, tomStates, tomSummary, tomTurnOf } from "./geometry.mjs";
import { tomMatrix, tomName } from "./matrix.mjs";
import { tomPanel } from "./panel.mjs";
import { tomLegend, tomStripRow } from "./strips.mjs";

const TOM_FEW = 4; // up to so many agents, the strips of all of them are shown at once

/** Mount the board. */
export function tomBoard(root, store) {
  const heading = el("h3", {});
  const earlier = el("button", { type: "button", onclick: () => jump("before") }, "‹ Earlier turn");
  const later = el("button", { type: "button", onclick: () => jump("after") }, "Later turn ›");
  const summary = el("p", { class: "wbw-tom-summary", "aria-live": "polite" });
  const source = el("p", { class: "wbw-soft wbw-tom-source" });
  const place = el("div", { class: "wbw-tom-scroll" });
  const detail = el("div", {});
  const strips = el("section", { class: "wbw-tom-strips", "aria-label": "Pairs over the turns" });
  const note = el("div", { class: "wbw-notes", role: "status" });
  const top = el("header", { class: "wbw-tom-top" }, heading, el("div", { class: "wbw-tom-turns" }, earlier, later));
  const body = el("div", { class: "wbw-tom-body" }, top, summary, source, note, place, detail, strips);
  const frame = el("div", { class: "wbw-tom", "data-lm-suppress-shortcuts": "true" }, body);
  root.append(frame);

  let closed = false;
  let matrix = null; // {key, table, update}
  let pair = null; // the names of the pair that is open
  let chosen = null; // whose strips are shown, where there are many
  let whole = false; // strips over all turns, in bins
  let page = null;
  let rows = { key: "", items: [] };
  let wide = 0;
  let size = 1; // of the type, against the usual

  const fail = (error) => closed || show(note, trouble(error));
  const need = (kind, key) => {
    const known = store.peek(kind, String(key));
    if (known === undefined) store.load(kind, String(key)).then(() => closed || paint(), fail);
    return known;
  };
  const go = (event) => store.set("at", event[0]);
  const to = (both) => store.set("at", both[store.get("order") === "path" ? 1 : 0]);
  const jump = (side) => page?.[side] && to(page[side]);

  function open(evaluator, peer) {
    pair = pair && pair[0] === evaluator && pair[1] === peer ? null : [evaluator, peer];
    if (pair) chosen = evaluator;
    paint();
  }

  function close() {
    pair = null;
    paint();
    matrix?.focus();
  }

  function paint() {
    try {
      body.setAttribute("aria-busy", String(!painted()));
    } catch (error) {
      fail(error);
    }
  }

  function painted() {
    const about = need("tom_about", "");
    if (!about) return false;
    const [at, order] = [store.get("at"), store.get("order")];
    if (!about.turns) return tomEmpty(about);
    const places = need("tom_places", Math.floor(at / about.events));
    if (!places) return false;
    const turn = tomTurnOf(places, at);
    const found = need("tom_turn", turn);
    if (!found) return false;
    show(note, tomStopped(store.head));
    page = found;
    const axes = page.axes.map((agent) => about.agents[agent]);
    const states = tomStates(page, order, tomPosition(places, at, order));
    show(heading, `Turn ${page.number}`, page.phase ? el("span", { class: "wbw-soft" }, ` ${visible(page.phase)}`) : null, el("span", { class: "wbw-soft wbw-tom-of" }, ` ${turn + 1} of ${about.turns}`));
    earlier.disabled = !page.before;
    later.disabled = !page.after;
    summary.textContent = tomSummary(tomCounts(states), page.cells.length);
    source.textContent = tomSource(about, page);
    const key = JSON.stringify([axes, store.head.shown, store.head.agents.length]);
    if (matrix?.key !== key) {
      const focused = place.contains(document.activeElement);
      matrix = { key, ...tomMatrix(store.head, axes, open) };
      show(place, matrix.table);
      if (focused) matrix.focus();
    }
    matrix.table.setAttribute("aria-label", `Predictions in turn ${page.number}`);
    matrix.update(states, pair);
    paintPair(about, turn, states, axes);
    const complete = paintStrips(about, turn, states, axes);
    for (const beside of [turn + 1, turn - 1]) if (beside >= 0 && beside < about.turns && store.live && !store.peek("tom_turn", String(beside))) store.load("tom_turn", String(beside)).catch(() => {}); // told when it is needed
    return complete;
  }

  function tomEmpty(about) {
    show(heading, "No predictions to show");
    summary.textContent = store.head.live
      ? "Nobody has been asked yet to predict what a peer will say."
      : `In this run of the protocol ${visible(store.head.protocol)} nobody was asked to predict what a peer will say.`;
    show(note, tomStopped(store.head));
    show(place);
    show(detail);
    show(strips);
    earlier.disabled = later.disabled = true;
    return about !== undefined;
  }

  function paintPair(about, turn, states, axes) {
    if (!pair) return show(detail);
    const [evaluator, peer] = pair.map((name) => axes.indexOf(name));
    const known = states.get(`${evaluator}/${peer}`);
    const ids = pair.map((name) => about.agents.indexOf(name));
    const cell = known?.foretold || known?.spoken ? need("tom_cell", `${turn}/${ids[0]}/${ids[1]}`) : undefined;
    const wanted = JSON.stringify([turn, pair, known, cell === undefined]);
    if (detail.dataset.key === wanted && detail.firstChild && detail.page === page) return detail;
    const focused = detail.contains(document.activeElement);
    detail.dataset.key = wanted;
    detail.page = page;
    const events = known ? [page.seats[evaluator], page.seats[peer]] : [null, null];
    show(detail, tomPanel(store.head, store, { evaluator: pair[0], peer: pair[1], known, page, cell, events, go, close }));
    if (focused) detail.firstChild.focus();
    return detail;
  }

  function paintStrips(about, turn, states, axes) {
    if (about.agents.length < 2) return Boolean(show(strips));
    const few = about.agents.length <= TOM_FEW;
    const shown = few ? about.agents : [chosen ?? about.agents[0]];
    const scale = whole ? about.scale : 1;
    const block = whole ? 0 : Math.floor(turn / about.block);
    const pages = shown.map((name) => need("tom_strip", `${about.agents.indexOf(name)}/${scale}/${block}`));
    if (pages.includes(undefined)) return false;
    const key = JSON.stringify([shown, scale, block, about.turns, store.head.shown]);
    if (rows.key !== key || rows.pages.some((p, i) => p !== pages[i])) rows = makeStrips(about, shown, pages, key);
    const { turns } = pages[0];
    let here = turns.findIndex(([last]) => last >= turn);
    if (here < 0) here = turns.length - 1;
    const over = turns[here][0] === turn && page.cells.every(([e, p]) => !["due", "ahead", "waiting"].includes(states.get(`${e}/${p}`).state));
    const last = scale === 1 || over ? here : here - 1;
    const width = Math.max(120, Math.floor(wide || 480));
    for (const { row, evaluator, peer, points } of rows.items) {
      const now = scale === 1 ? (states.get(`${axes.indexOf(evaluator)}/${axes.indexOf(peer)}`) ?? { state: "none", cosine: null }) : undefined;
      row.update(points, turns, { scale, last, here, now, wide: width, size, picked: pair !== null && pair[0] === evaluator && pair[1] === peer });
    }
    const part = turns.length > 1 ? here / (turns.length - 1) : 0.5;
    const one = pages[0].from === turns.at(-1)[1];
    rows.from.textContent = !one && part > 0.12 ? `turn ${pages[0].from}` : "";
    rows.to.textContent = !one && part < 0.88 ? `turn ${turns.at(-1)[1]}` : "";
    rows.at.textContent = `turn ${page.number}`;
    rows.at.style.marginLeft = `${100 * part}%`;
    rows.at.style.translate = `${-100 * part}%`;
    return true;
  }

  function makeStrips(about, shown, pages, key) {
    const made = { key, pages, items: [], from: el("span"), to: el("span"), at: el("strong") };
    const groups = shown.map((evaluator, i) => {
      const lines = pages[i].strips.map(([peer, points]) => {
        const name = about.agents[peer];
        const row = tomStripRow(store.head, evaluator, name, (point) => to(rows.pages[i].turns[point].slice(2)));
        row.label.addEventListener("click", () => open(evaluator, name));
        made.items.push({ row, evaluator, peer: name, points });
        return row.node;
      });
      const cut = pages[i].cut ? el("p", { class: "wbw-soft" }, `${pages[i].cut} more peers are not drawn; wb.tables(run).predictions has them all.`) : null;
      return el("div", { class: "wbw-tom-group" }, el("h5", {}, tomName(store.head, evaluator), el("span", { class: "wbw-soft" }, " predicts")), ...lines, cut);
    });
    const focused = strips.contains(document.activeElement) ? document.activeElement.tagName : "";
    show(
      strips,
      el("header", {}, el("h4", {}, "Over the turns"), makeControls(about, shown)),
      el("p", { class: "wbw-soft wbw-tom-key" }, `Height: cosine from 0 to 1. ${whole ? `A point is ${about.scale} turns: their mean cosine, and what more than half of the verdicts said.` : "A gap: no cosine."} Click a strip, or use the arrow keys on it, to go to a turn.`),
      ...groups,
      el("div", { class: "wbw-tom-axis" }, el("span"), el("span", { class: "wbw-tom-ticks" }, made.at, made.from, made.to), el("span")),
      tomLegend(about.audited ? ["consistent", "inconsistent", ...(whole ? ["split"] : []), "unknown", "missing", "unjudged"] : ["unjudged", "missing"]),
    );
    if (focused) strips.querySelector(`header ${focused}`)?.focus();
    watch.disconnect();
    const first = strips.querySelector(".wbw-tom-plot");
    if (first) watch.observe(first);
    measure();
    return made;
  }

  function makeControls(about, shown) {
    const pick = el("select", { "aria-label": "Whose predictions", onchange: (event) => (chosen = about.agents[Number(event.target.value)]) && paint() });
    about.agents.forEach((name, i) => pick.append(el("option", { value: i, selected: name === shown[0] }, tomName(store.head, name).textContent)));
    const zoom = el("button", { type: "button", "aria-pressed": String(whole), onclick: () => ((whole = !whole), paint()) }, `All ${plural(about.turns, "turn")}`);
    return el("div", { class: "wbw-tom-controls" }, about.agents.length > TOM_FEW ? pick : null, about.scale > 1 ? zoom : null);
  }

  function measure() {
    const now = strips.querySelector(".wbw-tom-plot")?.clientWidth ?? 0;
    const type = parseFloat(getComputedStyle(body).fontSize) / 14 || 1;
    if (!now || (Math.abs(now - wide) < 1 && type === size)) return false;
    wide = now;
    size = type;
    return true;
  }

  const watch = new ResizeObserver(() => measure() && paint());
  const offs = ["at", "order", "head"].map((name) => store.on(name, paint));
  paint();
  return () => {
    closed = true;
    watch.disconnect();
    offs.forEach((off) => off());
    frame.remove();
  };
}

function tomSource(about, page) {
  const cut = page.cut ? ` ${page.cut} more agents of this turn are not drawn; wb.tables(run).predictions has them all.` : "";
  if (about.without) return `This run was made without Theory of Mind.${cut}`;
  if (!about.audit) return `No audit was given: no verdicts and no cosines. ToMBoard(run, audit=...) shows them.${cut}`;
  if (!about.audited) return `The audit that was given has no verdict on predictions.${cut}`;
  return `Judged by ${visible(about.judge.join(", ") || "an unnamed model")}. The number is the cosine of prediction and contribution, a proxy: read it with the verdict.${cut}`;
}

function tomStopped(head) {
  const why = halted(head);
  return why ? el("p", { class: "wbw-tom-stopped" }, why) : null;
}
