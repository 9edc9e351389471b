// The passages with the readings on them: a grid with one column an interpreter.

import { count, el, show, visible } from "../shared/dom.mjs";
import { consultCell, consultFew, consultMarks, consultMove } from "../consult/geometry.mjs";
import { consultClass, consultMark } from "../consult/marks.mjs";

const CONSULT_NAMED = 5; // columns that a narrow grid has room to name

/** The grid of passages; `choose(kind, which, title)` is called with what is picked. */
export function consultMatrix(store, about, need, choose) {
  const head = el("tr", { role: "row" });
  const body = el("tbody", { role: "rowgroup" });
  const more = el("button", { type: "button", class: "wbw-consult-more", onclick: () => next(true) });
  const grid = el("table", { class: "wbw-consult-grid", role: "grid", "aria-label": "Passages and who cites them" }, el("thead", { role: "rowgroup" }, head), body);
  const node = el("section", { class: `wbw-consult-passages${about.interpreters.length > CONSULT_NAMED ? " wbw-consult-many" : ""}`, "aria-label": "Passages" }, el("h4", {}, "Passages ", el("span", { class: "wbw-soft" }, "in the order of the corpus")), legend(), el("div", { class: "wbw-consult-held" }, grid), more);
  node.style.setProperty("--columns", String(about.interpreters.length));
  const cells = []; // by row and column, what can be picked
  let shown = 0;
  let focus = [1, 0];
  let picked = null;

  function legend() {
    const kinds = about.valid ? ["divergence", "overlap", "unique", "unclassified"] : ["cited"];
    const absent = el("span", { class: "wbw-consult-class" }, el("span", { class: "wbw-consult-hatch", "aria-hidden": "true" }), " not given");
    return el("p", { class: "wbw-consult-legend" }, kinds.map((kind) => consultClass(about, kind)), absent);
  }

  /** Make an element one that can be picked. */
  function pickable(element, row, column, kind, which, title) {
    const pick = () => {
      if (picked) picked.setAttribute("aria-selected", "false");
      picked = element;
      element.setAttribute("aria-selected", "true");
      move(row, column, false);
      choose(kind, which, title);
    };
    element.tabIndex = -1;
    element.setAttribute("aria-selected", "false");
    element.addEventListener("click", pick);
    (cells[row] ??= [])[column] = { element, pick };
    return element;
  }

  function move(row, column, focused = true) {
    cells[focus[0]]?.[focus[1]]?.element.setAttribute("tabindex", "-1");
    focus = [row, column];
    const to = cells[row]?.[column]?.element;
    to?.setAttribute("tabindex", "0");
    if (focused) to?.focus();
  }

  grid.addEventListener("keydown", (event) => {
    const [row, column] = focus;
    if (event.key === "Enter" || event.key === " ") cells[row]?.[column]?.pick();
    else {
      const to = consultMove(event.key, row, column, cells.length, about.interpreters.length + 1);
      if (!to) return;
      move(to[0], to[0] === 0 && to[1] === 0 ? 1 : to[1]);
    }
    event.preventDefault();
    event.stopPropagation();
  });

  head.append(el("th", { role: "columnheader", scope: "col" }, "Passage"));
  about.interpreters.forEach(([number, model, family, state, why], column) => {
    const lost = state === "reported" ? null : el("strong", { class: "wbw-bad" }, ` ${state}`);
    const title = `${visible(model)}, ${visible(family)}${why ? `: ${visible(why)}` : ""}`;
    const label = el("span", { class: `wbw-who wbw-a${(number - 1) % 8}` }, String(number));
    const th = el("th", { role: "columnheader", scope: "col", title, "aria-label": `interpreter ${number}, ${title}${state === "reported" ? "" : `, ${state}`}` }, label, el("small", {}, visible(family)), lost);
    head.append(pickable(th, 0, column + 1, "interpreter", String(column), `Findings of interpreter ${number}`));
  });
  head.append(el("th", { role: "columnheader", scope: "col" }, "Readings"));

  /** Lay out the next page of passages. */
  function next(focused = false) {
    const size = about.pages.passages;
    more.disabled = true;
    need("consult_passages", String(shown / size), (page) => {
      page.forEach((row, place) => body.append(rowOf(row, shown + place)));
      const first = shown;
      shown += page.length;
      const left = about.counts.passages - shown;
      more.disabled = false;
      more.hidden = left <= 0;
      more.textContent = `Show ${count(Math.min(size, left))} more of ${count(about.counts.passages)} passages`;
      if (first === 0) move(1, 0, false);
      else if (focused) move(first + 1, 0);
    });
  }

  function rowOf(row, place) {
    const name = visible(row.id);
    const version = row.version ? el("span", { class: "wbw-soft" }, ` version ${visible(row.version)}`) : null;
    const [by] = row.superseded[0];
    const old = by === undefined ? null : el("strong", { class: "wbw-unsure" }, ` superseded by ${visible(by)}`);
    const words = row.whole ? "the whole document" : visible(store.text(row.text[0])).replace(/\s+/g, " ");
    const first = el("th", { role: "rowheader", scope: "row" }, el("span", { class: "wbw-path" }, name), version, old, el("span", { class: "wbw-consult-lead", dir: "auto" }, words));
    const tr = el("tr", { role: "row" }, pickable(first, place + 1, 0, "passage", String(place), `Findings on ${name}`));
    tr.row = row;
    row.cells.forEach((cell, column) => {
      const number = about.interpreters[column][0];
      const inside = cell === null ? el("span", { class: "wbw-consult-hatch" }) : consultMarks(cell).map(([kind, n]) => consultMark(about, kind, n));
      const td = el("td", { role: "gridcell", "aria-label": `interpreter ${number}: ${consultCell(cell)}` }, inside);
      tr.append(pickable(td, place + 1, column + 1, "cell", `${place}.${column}`, `Findings of interpreter ${number} on ${name}`));
    });
    const rests = [row.divergences, row.claims].filter(([names]) => names.length).map(consultFew).join(", ");
    tr.append(el("td", { role: "gridcell", class: "wbw-consult-state" }, row.states.join(", "), rests ? el("small", {}, visible(rests)) : null));
    return tr;
  }

  if (about.counts.passages) next();
  else {
    more.hidden = true;
    show(body, el("tr", {}, el("td", {}, "The package holds no passage.")));
  }
  return { node, row: (place) => body.children[place]?.row };
}
