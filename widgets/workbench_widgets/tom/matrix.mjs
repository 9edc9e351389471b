// The matrix of a turn: who predicted whom, made once a turn and brought up to date at each step.

import { called, el, hue } from "../shared/dom.mjs";
import { tomMove } from "./geometry.mjs";

/** For each state its sign and its words. */
export const TOM_WORDS = {
  consistent: ["✓", "consistent"],
  inconsistent: ["✗", "inconsistent"],
  unknown: ["?", "unknown"],
  unjudged: ["○", "not judged"],
  split: ["◐", "split, no majority"],
  missing: ["∅", "missing"],
  waiting: ["…", "not yet said"],
  due: ["·", "not yet predicted"],
  ahead: ["", "no goal yet"],
  none: ["–", "not due"],
};

const TOM_WIDE = 6; // more agents than this, and cells hold a sign and a number alone
const TOM_LONG = 60; // characters of a title
const TOM_HEAD = 32; // and of one that stands upright over a narrow column, in two lines

/** Make the matrix over agents; `open` is called with the names of a chosen pair. */
export function tomMatrix(head, axes, open) {
  const many = axes.length;
  const cells = axes.map((_, row) => axes.map((_, column) => tomCell(row, column)));
  const table = el(
    "table",
    { role: "grid", class: `wbw-tom-matrix${many > TOM_WIDE ? " wbw-tom-tight" : ""}`, style: `--agents: ${many}`, onkeydown: moved, onclick: chosen },
    el(
      "thead",
      {},
      el("tr", {}, el("td", { class: "wbw-tom-corner" }, el("span", {}, "predicts ↓"), el("span", {}, "of →")), ...axes.map((name) => el("th", { scope: "col" }, tomName(head, name, many > TOM_WIDE ? TOM_HEAD : TOM_LONG)))),
    ),
    el("tbody", {}, ...axes.map((name, row) => el("tr", {}, el("th", { scope: "row" }, tomName(head, name)), ...cells[row].map(({ node }) => node)))),
  );
  let focus = [0, Math.min(1, many - 1)];
  if (many) cells[focus[0]][focus[1]].node.tabIndex = 0;

  function tomCell(row, column) {
    const sign = el("span", { class: "wbw-tom-sign", "aria-hidden": "true" });
    const word = el("span", { class: "wbw-tom-word" });
    const score = el("span", { class: "wbw-tom-score" });
    const bar = el("span", { class: "wbw-tom-bar", "aria-hidden": "true" }, el("i"));
    const node = el("td", { role: "gridcell", tabindex: "-1", dataset: { row, column } }, el("span", { class: "wbw-tom-verdict" }, sign, word), score, bar);
    return { node, sign, word, score, bar, state: "" };
  }

  function at(node) {
    const cell = node.closest("td[data-row]");
    return cell && table.contains(cell) ? [Number(cell.dataset.row), Number(cell.dataset.column)] : null;
  }

  function go(to) {
    cells[focus[0]][focus[1]].node.tabIndex = -1;
    focus = to;
    const { node } = cells[to[0]][to[1]];
    node.tabIndex = 0;
    node.focus();
  }

  function chosen(event) {
    const place = at(event.target);
    if (!place) return;
    go(place);
    const state = cells[place[0]][place[1]].state;
    if (state !== "none" && state !== "ahead") open(axes[place[0]], axes[place[1]]);
  }

  function moved(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") chosen(event);
    else {
      const [row, column] = at(event.target) ?? focus;
      const to = tomMove(event.key, row, column, many, many);
      if (!to) return;
      go(to);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Show what is known now, and which pair is open. */
  function update(states, pair) {
    cells.forEach((line, row) =>
      line.forEach((cell, column) => {
        const { state, cosine } = states.get(`${row}/${column}`) ?? { state: "none", cosine: null };
        const picked = String(pair !== null && pair[0] === axes[row] && pair[1] === axes[column]);
        if (cell.node.getAttribute("aria-selected") !== picked) cell.node.setAttribute("aria-selected", picked);
        const key = `${state} ${cosine}`;
        if (cell.key === key) return;
        cell.key = key;
        cell.state = state;
        const [sign, word] = row === column ? ["", "no one predicts itself"] : TOM_WORDS[state];
        cell.node.dataset.state = row === column ? "self" : state;
        cell.sign.textContent = sign;
        cell.word.textContent = row === column ? "" : word.replace("consistent", "con\u00adsis\u00adtent").replace("incon", "in\u00adcon");
        cell.score.textContent = cosine === null ? "" : cosine.toFixed(2);
        cell.bar.hidden = cosine === null;
        if (cosine !== null) cell.bar.firstChild.style.width = `${Math.round(cosine * 100)}%`;
        const whom = `${tomShort(head, axes[row])} of ${tomShort(head, axes[column])}`;
        cell.node.setAttribute("aria-label", row === column ? word : `${whom}: ${word}${cosine === null ? "" : `, cosine ${cosine.toFixed(2)}`}`);
      }),
    );
  }

  return { table, update, focus: () => (many ? cells[focus[0]][focus[1]].node.focus() : null) };
}

/** An agent's title; a very long one is cut. */
export function tomShort(head, agent, long = TOM_LONG) {
  const title = called(head, agent);
  return title.length > long ? `${title.slice(0, long).trimEnd()}…` : title;
}

/** An agent's title in its colour, and whole in the tooltip where it was cut. */
export function tomName(head, agent, long) {
  const [title, short] = [called(head, agent), tomShort(head, agent, long)];
  return el("span", { class: `wbw-who ${hue(head, agent)}`, dir: "auto", title: title === short ? null : title.slice(0, 2000) }, short);
}
