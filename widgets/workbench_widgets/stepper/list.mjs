// The list of events: only the rows in view are in the page.

import { badge, called, count, el, hue, show, svg, visible } from "../shared/dom.mjs";
import { stpBit, stpRows } from "../stepper/geometry.mjs";
import { stpGlyph, stpKind, stpTold } from "../stepper/glyphs.mjs";

const STP_TALLEST = 8_000_000; // browsers lose count of pixels further down

/** Make the list; returns {node, paint(found), follow()}. */
export function stpList(walk, store) {
  const rows = el("div", { class: "wbw-step-rows", role: "presentation" });
  const node = el("div", { class: "wbw-step-list", role: "listbox", tabindex: "-1", "aria-label": "Events" }, rows);
  let found = null;
  let height = 0;
  let top = 0;

  node.addEventListener("scroll", () => draw(), { passive: true });

  /** How far a row lies down, and how far the box is scrolled, where the list is squeezed. */
  const squeeze = () => Math.max(1, (walk.count * height) / STP_TALLEST);

  function draw() {
    if (!height) return;
    const squeezed = squeeze();
    const shown = node.clientHeight || 300;
    const whole = walk.count * height;
    const scroll = squeezed === 1 ? node.scrollTop : (node.scrollTop / Math.max(1, STP_TALLEST - shown)) * (whole - shown);
    const [first, last] = stpRows(scroll, shown, height, walk.count);
    rows.style.height = `${Math.min(whole, STP_TALLEST)}px`;
    top = scroll;
    const shift = node.scrollTop - scroll;
    const made = [];
    for (let pos = first; pos < last; pos += 1) made.push(line(pos, pos * height + shift));
    show(rows, made);
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
      el("span", { class: "wbw-step-line-who" }, agent === null ? "" : el("span", { class: "wbw-who" }, called(store.head, agent)), " ", el("span", { class: "wbw-soft" }, visible(stpKind(row[1])))),
      el("span", { class: "wbw-step-says" }, visible(row[5])),
      el("span", { class: "wbw-step-said" }, stpTold(row[7]).map((words) => el("span", { class: `wbw-badge ${row[7] & 5 ? "wbw-bad" : "wbw-unsure"}` }, words)), stpBadges(row[6])),
    );
    return made;
  }

  function paint(hits) {
    found = hits;
    const em = parseFloat(getComputedStyle(node).fontSize) || 14;
    height = Math.round(em * 3.1);
    draw();
  }

  /** Scroll so that the cursor is in view. */
  function follow() {
    if (!height) return;
    const shown = node.clientHeight || 300;
    const whole = walk.count * height;
    const y = walk.pos * height;
    if (y >= top + height && y + 2 * height <= top + shown) return;
    const wanted = Math.max(0, Math.min(whole - shown, y < top + height && y > top - shown ? y - height : y + 2 * height > top + shown && y < top + 2 * shown ? y + 2 * height - shown : y - shown / 2));
    node.scrollTop = squeeze() === 1 ? wanted : (wanted / Math.max(1, whole - shown)) * (STP_TALLEST - shown);
    draw();
  }

  return { node, paint, follow };
}

/** Verdicts as labels; many of one kind as one with a count. */
function stpBadges(verdicts) {
  const many = new Map();
  for (const [, verdict] of verdicts) many.set(verdict, (many.get(verdict) ?? 0) + 1);
  return [...many].slice(0, 4).map(([verdict, n]) => [badge(verdict.slice(0, 40)), n > 1 ? el("span", { class: "wbw-soft" }, `×${n}`) : null]);
}
