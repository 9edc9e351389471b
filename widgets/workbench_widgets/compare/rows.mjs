// The rows of a comparison: one for each path, a cell for each run, a page at a time.

import { called, count, el, hue, show, trouble, visible } from "../shared/dom.mjs";
import { CMP_ROWS, cmpLetter, cmpMove, cmpPage, cmpShort, cmpTail } from "../compare/geometry.mjs";
import { cmpSign, cmpVerdict } from "../compare/heads.mjs";

const CMP_STATES = ["not here", "same", "changed", "only here", "not here"];
const CMP_GLYPHS = ["·", "=", "≠", "+", "−"];
const CMP_MARKS = [[1, "request"], [2, "answer"], [4, "fact"], [8, "verdict"], [16, "audit"]];
const CMP_KINDS = { asked: "model call", posted: "fact", consulted: "human", run: "The runs", failed: "failed", answered: "reply", returned: "result", said: "said" };

/** What a row is, in words: `about` is its kind, turn and agent. */
export function cmpNamed(head, [kind, , agent]) {
  const known = agent === null ? null : head.agents[agent];
  const what = CMP_KINDS[kind] ?? (kind.startsWith("called ") ? `${kind.slice(7)} call` : kind);
  return [known ? el("span", { class: `wbw-who ${hue(head, known[0])}` }, cmpShort(called(head, known[0]))) : null, known ? " " : null, el("span", {}, visible(what))];
}

/** A path that is broken after a slash before it is broken in a name. */
function cmpBroken(path) {
  return path.split(/(?<=\/)/).flatMap((step, place) => (place ? [el("wbr", {}), step] : [step]));
}

/**
 * The rows, in `box`. `view` holds what is chosen: `filter`, `place` ([row, dpos, vpos]), `pair` and
 * `column`; `choose(place, pair, column)` is called for another. Returns `{paint, reset}`.
 */
export function cmpRows(box, store, view, choose) {
  const list = el("div", { class: "wbw-compare-rows", role: "table", "aria-label": "Rows by path" });
  const pager = el("div", { class: "wbw-compare-pager" });
  box.append(list, pager);
  let page = 0;
  let painted = "";

  const position = () => ({ differs: view.place[1], verdicts: view.place[2], all: view.place[0] })[view.filter];

  const paint = (keep = false) => {
    const at = position();
    if (!keep && at >= 0) page = cmpPage(at)[0];
    const name = `${view.filter}/${page}`;
    const known = store.peek("pairrows", name);
    if (known) return draw(known, name);
    if (painted !== name) show(list, el("p", { class: "wbw-soft" }, "…"));
    store.load("pairrows", name).then(
      (made) => (`${view.filter}/${page}` === name ? draw(made, name) : null),
      (error) => show(list, trouble(error)),
    );
  };

  const draw = (made, name) => {
    const many = store.head.columns.length;
    const mark = `${name} ${store.head.differing} ${many}`;
    if (painted !== mark) {
      painted = mark;
      list.style.setProperty("--columns", many);
      list.classList.toggle("wbw-compare-many", many > 3);
      if (!made.rows.length) show(list, el("p", { class: "wbw-compare-none" }, view.filter === "verdicts" ? "No verdict changed." : "No row differs."));
      else show(list, heads(), body(made));
      turn(made);
    }
    mine(made);
  };

  /** The pair that a click on a column shows: it and its base; for the first, it and the chosen fork. */
  const pairOf = (j) => {
    const base = store.head.columns[j].base;
    return base !== null ? [base, j] : view.pair[0] === j ? view.pair : [j, Math.max(1, store.head.columns.findIndex((c) => c.base === j))];
  };

  const heads = () => el("div", { class: "wbw-compare-row wbw-compare-heads", role: "row" }, el("span", { role: "columnheader" }, "Path"), store.head.columns.map((column, j) => el("span", { role: "columnheader" }, cmpSign(j), column.base === null ? "" : el("span", { class: "wbw-soft" }, ` against ${cmpLetter(column.base)}`))));

  const body = (made) => {
    const out = [];
    let last;
    made.rows.forEach((row, place) => {
      const turn_ = row[5];
      if (turn_ !== last && (turn_ !== null || place > 0)) out.push(el("div", { class: "wbw-compare-turn", role: "row" }, el("span", { role: "rowheader" }, turn_ === null ? "Outside turns" : `Turn ${turn_}`)));
      last = turn_;
      out.push(line(row));
    });
    return out;
  };

  const line = (row) => {
    const [number, dpos, vpos, path, kind, turn_, agent, cells] = row;
    const label = el("div", { role: "rowheader", class: "wbw-compare-what" }, el("div", {}, cmpNamed(store.head, [kind, turn_, agent])), number ? el("div", { class: "wbw-path wbw-soft" }, cmpBroken(visible(cmpTail(path, turn_)))) : el("div", { class: "wbw-soft" }, "parameters, models, end"));
    const shown = cells.map((cell, j) => {
      const isBase = store.head.columns[j].base === null;
      const pick = () => choose([number, dpos, vpos], pairOf(j), j);
      return el("div", { role: "cell" }, el("button", { class: `wbw-compare-cell wbw-compare-s${cell[0]}`, tabindex: -1, dataset: { row: number, column: j }, onclick: pick }, cmpCell(cell, j, isBase, number)));
    });
    return el("div", { class: "wbw-compare-row", role: "row", dataset: { row: number } }, label, shown);
  };

  const turn = ({ start, total, rows }) => {
    if (total <= CMP_ROWS) return show(pager);
    const to = (next) => () => {
      page = next;
      paint(true);
    };
    const last = cmpPage(total - 1)[0];
    show(
      pager,
      el("button", { onclick: to(0), disabled: page === 0 }, "First"),
      el("button", { onclick: to(page - 1), disabled: page === 0 }, "Earlier rows"),
      el("span", {}, `${count(start + 1)} to ${count(start + rows.length)} of ${count(total)}`),
      el("button", { onclick: to(page + 1), disabled: page === last }, "Later rows"),
      el("button", { onclick: to(last), disabled: page === last }, "Last"),
    );
  };

  /** Mark what is chosen; the one cell that Tab reaches is the chosen one, or the first. */
  const mine = (made) => {
    const cells = [...list.querySelectorAll(".wbw-compare-cell")];
    const chosen = cells.find((c) => Number(c.dataset.row) === view.place[0] && Number(c.dataset.column) === view.column);
    for (const row of list.querySelectorAll(".wbw-compare-row[data-row]")) row.classList.toggle("wbw-compare-on", Number(row.dataset.row) === view.place[0]);
    for (const cell of cells) {
      cell.tabIndex = cell === (chosen ?? cells[0]) ? 0 : -1;
      if (cell === chosen) cell.setAttribute("aria-current", "true");
      else cell.removeAttribute("aria-current");
    }
    const row = chosen?.closest(".wbw-compare-row");
    if (row) {
      const head = list.querySelector(".wbw-compare-heads")?.offsetHeight ?? 0;
      const top = row.offsetTop;
      if (top - head < list.scrollTop) list.scrollTop = top - head;
      else if (top + row.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + row.offsetHeight - list.clientHeight;
    }
    if (view.focus) {
      view.focus = false;
      chosen?.focus({ preventScroll: true });
    }
  };

  const keyed = async (event) => {
    const cell = event.target.closest?.(".wbw-compare-cell");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const total = { differs: store.head.differing, verdicts: store.head.flipped, all: store.head.rows }[view.filter];
    const here = store.peek("pairrows", `${view.filter}/${page}`);
    const at = here ? here.start + here.rows.findIndex((row) => row[0] === Number(cell.dataset.row)) : position();
    const to = cmpMove(event.key, [at, Number(cell.dataset.column)], total, store.head.columns.length);
    if (!to) return;
    event.preventDefault();
    try {
      const [next, place] = cmpPage(to[0]);
      const row = (await store.load("pairrows", `${view.filter}/${next}`)).rows[place];
      view.focus = true;
      choose(row.slice(0, 3), pairOf(to[1]), to[1]);
    } catch (error) {
      show(pager, trouble(error));
    }
  };
  list.addEventListener("keydown", keyed);
  return { paint, reset: () => { painted = ""; page = 0; } };
}

/** A cell: how it stands against its base, what changed, and its words from there on. */
function cmpCell([state, marks, lead, label, badges, more, flags], column, isBase, row) {
  const what = row ? CMP_MARKS.filter(([bit]) => marks & bit).map(([, name]) => name) : [];
  const told = state === 2 && what.length ? `changed: ${what.join(", ")}` : CMP_STATES[state];
  const notes = [flags & 1 ? "no answer" : "", flags & 2 ? "edited" : "", flags & 4 ? "inherited" : ""].filter(Boolean);
  const first = isBase && state === 1 ? notes : [`${CMP_GLYPHS[state]} ${told}`, ...notes];
  return [
    el("span", { class: "wbw-compare-hidden" }, `${cmpLetter(column)}: `),
    first.length ? el("span", { class: "wbw-compare-state" }, first.join(" · ")) : null,
    state === 1 && !isBase ? null : el("span", { class: "wbw-compare-label", dir: "auto" }, lead ? el("span", { class: "wbw-soft" }, visible(lead)) : null, visible(label)),
    badges.length ? el("span", { class: "wbw-compare-badges" }, badges.map(([auditor, , verdict]) => el("span", {}, auditor === "own" ? null : el("span", { class: "wbw-soft" }, `${visible(auditor)} `), cmpVerdict(verdict))), more ? el("span", { class: "wbw-soft" }, `+${more}`) : null) : null,
  ];
}
