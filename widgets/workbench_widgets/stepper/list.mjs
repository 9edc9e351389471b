// The list of events: only the rows in view are in the page.

import { badge, called, count, el, hue, show, svg, visible } from "../shared/dom.mjs";
import { kindName } from "../shared/kinds.mjs";
import { verdictSign } from "../shared/verdicts.mjs";
import { stpBit, stpRows } from "../stepper/geometry.mjs";
import { stpGlyph, stpTold } from "../stepper/glyphs.mjs";

const STP_TALLEST = 8_000_000; // browsers lose count of pixels further down

/** Make the list; returns {node, paint(size, found, follow)}. */
export function stpList(walk, store) {
  const rows = el("div", { class: "wbw-step-rows", role: "presentation" });
  const node = el("div", { class: "wbw-step-list", role: "listbox", tabindex: "-1", "aria-label": "Events" }, rows);
  let found = null;
  let height = 0;
  let shown = 0;
  let scroll = 0; // as the box has it, without asking for a layout
  let drawn = { sign: "", rows: [], lines: [] };

  node.addEventListener(
    "scroll",
    () => {
      scroll = node.scrollTop;
      draw();
    },
    { passive: true },
  );

  const whole = () => walk.count * height;
  /** How far down the list one is, where it is too long for the box and squeezed. */
  const top = () => (whole() <= STP_TALLEST ? scroll : (scroll / (STP_TALLEST - shown)) * (whole() - shown));

  function draw() {
    if (!height) return;
    const [first, last] = stpRows(top(), shown, height, walk.count);
    const shift = Math.round(scroll - top());
    const now = [];
    for (let pos = first; pos < last; pos += 1) now.push(walk.row(pos));
    const sign = `${first}/${height}/${whole() <= STP_TALLEST ? 0 : shift}/${walk.count}`;
    if (sign !== drawn.sign || found !== drawn.found || now.length !== drawn.rows.length || now.some((row, i) => row !== drawn.rows[i])) {
      rows.style.height = `${Math.min(whole(), STP_TALLEST)}px`;
      const lines = now.map((_, i) => line(first + i, (first + i) * height + shift));
      drawn = { sign, found, first, rows: now, lines };
      show(rows, lines);
    } else {
      drawn.lines.forEach((made, i) => made.setAttribute("aria-selected", String(first + i === walk.pos)));
    }
  }

  function line(pos, y) {
    const row = walk.row(pos);
    const attrs = { class: "wbw-step-row", role: "option", style: `top:${y}px;height:${height}px`, "aria-selected": String(pos === walk.pos), "aria-setsize": walk.count, "aria-posinset": pos + 1 };
    if (!row) return el("div", attrs, el("span", { class: "wbw-step-no wbw-soft" }, count(pos + 1)), el("span", { class: "wbw-soft" }, "…"));
    const agent = row[4] === null ? null : store.head.agents[row[4]]?.[0];
    const dim = found && !stpBit(found.bits, pos);
    const made = el(
      "div",
      { ...attrs, class: `wbw-step-row ${agent === null ? "" : hue(store.head, agent)}${dim ? " wbw-step-dim" : ""}`, onclick: () => walk.go(pos) },
      el("span", { class: "wbw-step-no wbw-soft" }, count(row[0] + 1)),
      svg("svg", { width: "1.15em", height: "1.15em", viewBox: "-8 -8 16 16", "aria-hidden": "true" }, stpGlyph(row, 0, 0, 7)),
      el("span", { class: "wbw-step-line-who" }, agent === null ? "" : el("span", { class: "wbw-who" }, called(store.head, agent)), el("span", { class: "wbw-soft" }, visible(kindName(row[1])))),
      el("span", { class: "wbw-step-says" }, visible(row[5])),
      stpLabels(row),
    );
    return made;
  }

  function paint(size, hits, follow) {
    found = hits;
    height = Math.round(size.em * 3.1);
    shown = size.list;
    if (follow) to();
    draw();
  }

  /** Scroll so that the cursor is in view, with a row before and after it. */
  function to() {
    const y = walk.pos * height;
    const above = top();
    if (y >= above + height && y + 2 * height <= above + shown) return;
    let wanted = y - shown / 2;
    if (y < above + height && y > above - shown) wanted = y - height;
    else if (y + 2 * height > above + shown && y < above + 2 * shown) wanted = y + 2 * height - shown;
    wanted = Math.max(0, Math.min(whole() - shown, wanted));
    rows.style.height = `${Math.min(whole(), STP_TALLEST)}px`;
    scroll = Math.round(whole() <= STP_TALLEST ? wanted : (wanted / (whole() - shown)) * (STP_TALLEST - shown));
    node.scrollTop = scroll;
  }

  return { node, paint };
}

/** Flags and verdicts as labels, many of one kind as one with a count; where they are many, and the list
 * narrow, a verdict is its sign alone. */
function stpLabels(row) {
  const flags = stpTold(row[7]).map((words) => el("span", { class: `wbw-badge ${row[7] & 5 ? "wbw-bad" : "wbw-unsure"}` }, words));
  const many = new Map();
  for (const [, verdict] of row[6]) many.set(verdict, (many.get(verdict) ?? 0) + 1);
  const verdicts = [...many].slice(0, 4).map(([verdict, n]) => [stpBadge(verdict, flags.length + many.size > 1), n > 1 ? el("span", { class: "wbw-soft" }, `×${n}`) : null]);
  return el("span", { class: `wbw-step-said${flags.length + many.size > 1 ? " wbw-step-many" : ""}` }, flags, verdicts);
}

function stpBadge(verdict, signed) {
  const made = badge(verdict.slice(0, 40));
  const sign = verdictSign(verdict);
  if (signed && sign) show(made, el("span", { "aria-hidden": "true" }, `${sign}`), el("span", { class: "wbw-step-word" }, ` ${made.textContent}`));
  made.title = made.textContent;
  return made;
}
