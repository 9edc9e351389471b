// The board's view: sections of cells, those that the last step set marked in words.

import { badge, called, count, el, halted, hue, legible, plural, prose, show, trouble, visible } from "../shared/dom.mjs";
import { kindName } from "../shared/kinds.mjs";
import { rail, railLoad, railPlace } from "../shared/rail.mjs";
import { BOARD_EVENTS, BOARD_LATEST, boardChanges, boardFold, boardLead, boardMark, boardSorted } from "../board/geometry.mjs";

const BOARD_LEADS = { question: 600, goal: 600, drafts: 520, rules: 130, decision: 420, knowledge: 150, open: 110 };
const BOARD_FLAT = new Set(["knowledge", "open", "other", "rules"]); // their beginnings stand on one line
const BOARD_SIDE = new Set(["question", "goal", "phase", "decision", "plan", "rules", "open"]);
const BOARD_OPEN = { knowledge: 6, verdicts: 8, open: 6, other: 8 }; // cells that stand open; the others a click away

export function board(root, store) {
  const view = el("section", { class: "wbw-board", "aria-label": "Board: what holds at this place of the run" });
  const status = el("div", { class: "wbw-board-status", "aria-live": "polite" });
  const side = el("div", { class: "wbw-board-side" });
  const main = el("div", { class: "wbw-board-main" });
  const note = el("div", {});
  const columns = el("div", { class: "wbw-board-columns" }, side, main);
  const rails = rail(store);
  const unfolded = new Set(); // sections of which all cells are shown
  let articles = new Map(); // the elements of cells, kept while nothing of theirs changes
  let asked = 0;

  view.append(el("header", { class: "wbw-board-top" }, el("h3", {}, "Board"), rails.node), status, note, columns);
  root.append(view);

  const fail = (error) => show(note, trouble(error));

  function paint() {
    const mine = (asked += 1);
    railPlace(store, store.get("at"), (place) => {
      if (place === undefined) return;
      const key = `${store.get("order")}/${Math.floor(place / BOARD_EVENTS)}`;
      if (store.peek("board_state", key) === undefined) view.setAttribute("aria-busy", "true");
      railLoad(store, "board_state", key, (page) => {
        if (mine !== asked) return;
        view.removeAttribute("aria-busy");
        show(note);
        lay(page, place);
      }, fail);
    }, fail);
  }

  function lay(page, place) {
    const state = boardFold(page, place);
    const kept = new Map();
    const sides = [];
    const mains = [];
    for (const [name, title, by, always] of page.sections) {
      const { total, cells } = state.get(name);
      if (!total && !always) continue;
      const sorted = boardSorted(cells.values(), by, store.head.agents);
      (BOARD_SIDE.has(name) ? sides : mains).push(sectionOf(name, title, sorted, total, place, kept));
    }
    articles = kept;
    const focused = view.contains(document.activeElement) ? document.activeElement : null;
    show(side, sides);
    show(main, mains);
    if (focused && view.contains(focused) && document.activeElement !== focused) focused.focus({ preventScroll: true });
    side.hidden = !sides.length;
    if (!sides.length && !mains.length) show(side, el("p", { class: "wbw-soft" }, "Nothing is on the board here."));
    if (!sides.length && !mains.length) side.hidden = false;
    columns.classList.toggle("wbw-board-single", !mains.length);
    tell(page, place);
  }

  function tell(page, place) {
    const delta = page.deltas[place - page.start];
    const why = halted(store.head, place);
    const end = why ? el("p", {}, why) : null;
    if (!delta) {
      show(status, end);
      return;
    }
    const [at, kind, by, turn] = delta;
    const where = `Event ${count(at + 1)}${turn === null ? "" : `, turn ${turn}`}`;
    const who = by === null ? "" : el("span", { class: `wbw-who ${hue(store.head, by)}` }, called(store.head, by));
    const changes = boardChanges(page, place);
    show(
      status,
      el("p", {}, `${where}: `, el("strong", {}, legible(kindName(kind))), by === null ? "" : " by ", who),
      changes.length ? el("ul", { "aria-label": "Changed at this step" }, changes.map((words) => el("li", {}, words))) : el("p", { class: "wbw-soft" }, "nothing on the board changed"),
      end,
    );
  }

  function sectionOf(name, title, cells, total, place, kept) {
    const most = unfolded.has(name) ? BOARD_LATEST : (BOARD_OPEN[name] ?? BOARD_LATEST);
    const items = cells.slice(0, most).map((cell) => articleOf(cell, place, kept));
    const counted = total > 1 ? el("span", { class: "wbw-soft" }, count(total)) : [];
    const section = el("section", { class: `wbw-board-section wbw-board-${name}`, "aria-label": title }, el("h4", {}, title, " ", counted));
    if (!total) section.append(el("p", { class: "wbw-soft" }, "nothing yet"));
    const list = el("div", { class: "wbw-board-cells" }, items);
    section.append(list);
    if (total > items.length) section.append(rest(name, cells, items.length, total, place, list, kept));
    return section;
  }

  /** A button for the cells that are not shown: those at hand first, then pages of older ones. */
  function rest(name, cells, open, total, place, list, kept) {
    let shown = open;
    let page = 1;
    const button = el("button", { type: "button", class: "wbw-board-more" });
    const label = () => {
      button.textContent = `Show ${count(Math.min(BOARD_LATEST, total - shown))} more of ${count(total)}`;
      button.hidden = shown >= total;
    };
    button.addEventListener("click", () => {
      if (shown < cells.length) {
        unfolded.add(name);
        list.append(...cells.slice(shown).map((cell) => articleOf(cell, place, kept)));
        shown = cells.length;
        label();
        return;
      }
      button.disabled = true;
      store.load("board_more", `${store.get("order")}/${place}/${name}/${page}`).then((found) => {
        list.append(...found.cells.map((cell) => articleOf(cell, place, kept)));
        shown += found.cells.length;
        page += 1;
        button.disabled = false;
        label();
      }, (error) => button.replaceWith(trouble(error)));
    });
    label();
    return button;
  }

  function articleOf(cell, place, kept) {
    const mark = boardMark(cell, place);
    const id = JSON.stringify([store.get("order"), cell.s, cell.place, cell.i, mark]);
    const known = articles.get(id) ?? article(cell, mark);
    kept.set(id, known);
    return known;
  }

  function article(cell, mark) {
    const title = headOf(cell);
    const who = cell.by && !boardSeat(cell) ? byline(cell.by) : [];
    const meta = [cell.turn === null ? [] : el("span", { class: "wbw-soft" }, `turn ${cell.turn}`), who];
    return el(
      "article",
      { class: `wbw-board-cell ${mark ? "wbw-board-touched" : ""}` },
      el("div", { class: "wbw-board-line" }, mark ? el("strong", { class: "wbw-board-mark" }, mark) : [], title, cell.verdict ? badge(cell.verdict) : [], el("span", { class: "wbw-board-meta" }, meta)),
      words(cell),
      support(cell),
    );
  }

  function headOf(cell) {
    if (boardSeat(cell)) return el("span", { class: `wbw-who ${hue(store.head, cell.k)}` }, called(store.head, cell.k));
    return cell.label ? el("span", { class: "wbw-board-label", dir: "auto" }, legible(cell.label)) : [];
  }

  function byline(by) {
    const agent = store.head.agents.some(([name]) => name === by);
    return el("span", { class: agent ? `wbw-who ${hue(store.head, by)}` : "wbw-soft" }, agent ? called(store.head, by) : legible(by));
  }

  /** A cell's words: the beginning, and all of them at a click. */
  function words(cell) {
    const full = store.text(cell.text);
    if (!full) return [];
    const most = BOARD_LEADS[cell.s] ?? 260;
    const lead = boardLead(BOARD_FLAT.has(cell.s) ? full.slice(0, most * 8).replace(/\s+/g, " ").trim() : full, most);
    const box = prose(lead);
    if (full.length <= most * 8 && lead.length >= full.trim().replace(/\s+/g, " ").length && !cell.more) return box;
    box.append("… ");
    const size = [...full].length + (cell.more ?? 0);
    const button = el("button", { type: "button", class: "wbw-board-all" }, `all ${count(size)} characters`);
    button.addEventListener("click", () => {
      if (!cell.more) show(box, visible(full));
      else {
        button.disabled = true;
        const key = `${store.get("order")}/${cell.place}/${cell.i}`;
        store.load("board_whole", key).then((found) => show(box, visible(store.text(found.text))), (error) => show(box, visible(full), trouble(error)));
      }
    });
    box.append(button);
    return box;
  }

  /** What a cell rests on: events to jump to, and passages. */
  function support(cell) {
    const go = (at, ...said) => el("button", { type: "button", class: "wbw-board-go", onclick: () => store.set("at", at) }, ...said);
    const events = cell.from.filter(([at]) => at !== cell.at).map(([at, kind]) => go(at, `${legible(kindName(kind))} ${count(at + 1)}`));
    const passages = cell.passages.map(([id, at]) => (at === null || at === undefined ? el("span", { class: "wbw-path" }, legible(id)) : go(at, el("span", { class: "wbw-path" }, legible(id)))));
    const more = cell.unshown ? el("span", { class: "wbw-soft" }, `and ${plural(cell.unshown, "more")}`.replace("mores", "more")) : [];
    if (!events.length && !passages.length) return [];
    return el("div", { class: "wbw-board-support", role: "group", "aria-label": "Rests on" }, el("span", { class: "wbw-soft" }, events.length ? "rests on" : "passages"), events, passages, more);
  }

  const restart = () => {
    articles = new Map();
    paint();
  };
  const offs = [store.on("at", paint), store.on("order", paint), store.on("head", restart)];
  paint();
  return () => {
    offs.forEach((off) => off());
    rails.off();
    view.remove();
  };
}

/** Whether a cell stands under its agent's name: a specialist's draft, or its part of the plan. */
function boardSeat(cell) {
  return (cell.s === "drafts" || cell.s === "plan") && !cell.label;
}
