// The timeline: a lane for each agent, a column for each event, and only what is in view.

import { el, hue, show, svg, visible } from "../shared/dom.mjs";
import { stpBit, stpTurnAt, stpTurnsIn, stpWindow } from "../stepper/geometry.mjs";
import { stpGlyph, stpKind, stpMark } from "../stepper/glyphs.mjs";

const STP_LANES = 24;

/** Make the timeline; returns {node, paint(find, detail), window}. */
export function stpTimeline(walk, store) {
  const labels = el("div", { class: "wbw-step-names" });
  const picture = svg("svg", { class: "wbw-step-lanes", role: "img" });
  const node = el("div", { class: "wbw-step-timeline" }, labels, el("div", { class: "wbw-step-track" }, picture));
  const legend = el("p", { class: "wbw-step-legend wbw-soft" });
  let from = 0;
  let to = 0;
  let column = 16;

  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const place = from + Math.floor((event.clientX - box.left) / column);
    if (place < to) walk.go(place);
  });

  function paint(found, detail) {
    const em = parseFloat(getComputedStyle(node).fontSize) || 14;
    column = Math.round(em * 1.15);
    const lane = Math.round(em * 1.7);
    const top = Math.round(em * 1.6);
    const width = Math.max(column * 4, picture.parentElement.clientWidth || 600);
    const room = Math.floor(width / column) - (store.head.live ? 1 : 0);
    [from, to] = stpWindow(walk.pos, walk.count, room, from);
    const rows = [];
    for (let pos = from; pos < to; pos += 1) rows.push(walk.row(pos));
    const lanes = stpLanes(store.head, rows);
    const middle = (index) => top + (index + 0.5) * lane;
    const height = top + lanes.length * lane + 4;
    const x = (pos) => (pos - from + 0.5) * column;
    const y = (row) => middle(Math.max(0, lanes.indexOf(row[4])));
    const group = (row, ...inside) => svg("g", { class: row[4] === null ? "" : hue(store.head, store.head.agents[row[4]]?.[0]) }, ...inside);

    labels.style.paddingTop = `${top}px`;
    show(
      labels,
      lanes.map((place) => {
        const agent = store.head.agents[place];
        const name = agent ? visible(agent[1]) : "The run";
        const kind = agent ? `wbw-who ${hue(store.head, agent[0])}` : "wbw-soft";
        return el("div", { class: `wbw-step-name ${kind}`, title: name, style: `height:${lane}px;line-height:${lane}px` }, name);
      }),
    );
    picture.setAttribute("width", width);
    picture.setAttribute("height", height);
    picture.setAttribute("aria-label", `Events ${from + 1} to ${to} of ${walk.count}, a lane for each agent`);

    const places = new Map(rows.map((row, i) => [row?.[0], from + i]));
    const waiting = new Set(store.head.pending);
    const answered = new Set(rows.filter((row) => row && (row[1] === "answered" || row[1] === "returned" || row[1] === "said")).map((row) => row[2]));
    show(
      picture,
      svg("rect", { class: "wbw-step-here", x: x(walk.pos) - column / 2, y: 0, width: column, height }),
      lanes.map((_, i) => svg("line", { class: "wbw-step-lane", x1: 0, x2: width, y1: middle(i), y2: middle(i) })),
      stpTurnMarks(walk.turns, from, to, x, column, height, em),
      store.head.live && to === walk.count ? stpEdge((to - from) * column + column * 0.4, height, em, width) : null,
      stpReads(detail, places, rows, from, x, y, group),
      rows.map((row, i) => {
        if (!row) return null;
        const here = from + i === walk.pos;
        const dim = found && !stpBit(found.bits, from + i);
        const pending = waiting.has(row[2]) && !answered.has(row[2]);
        const mark = stpMark(row[6]);
        const made = group(
          row,
          svg("title", {}, `${row[0] + 1}. ${stpKind(row[1])}: ${visible(row[5])}`),
          here ? svg("circle", { class: "wbw-step-ring", cx: x(from + i), cy: y(row), r: column * 0.62 }) : null,
          stpGlyph(row, x(from + i), y(row), column * 0.4, pending),
          mark ? svg("text", { class: `wbw-step-mark ${mark[1]}`, x: x(from + i), y: y(row) - lane * (here ? 0.45 : 0.3), "font-size": em * 0.78 }, mark[0]) : null,
        );
        if (dim) made.classList.add("wbw-step-dim");
        return made;
      }),
    );
    stpLegend(legend, rows);
  }

  return {
    node: el("div", {}, node, legend),
    paint,
    get window() {
      return [from, to];
    },
  };
}

/** The agents that have a lane: all if they are few, else those in view; null is the run itself. */
function stpLanes(head, rows) {
  const seen = new Set(rows.filter(Boolean).map((row) => row[4]));
  const all = head.agents.map((_, place) => place);
  const some = head.agents.length <= STP_LANES ? all : all.filter((place) => seen.has(place));
  return seen.has(null) || !some.length ? [null, ...some] : some;
}

function stpTurnMarks(turns, from, to, x, column, height, em) {
  const named = ([index, start], left) => {
    const number = turns[index][0];
    if (number === null) return null;
    return svg("text", { class: "wbw-step-turn", x: left + 4, y: em, "font-size": em * 0.86 }, `Turn ${number}`);
  };
  if (turns.every(([number]) => number === null)) return null; // even parts, which mean nothing
  const inside = stpTurnsIn(turns, from, to);
  const marks = inside.map((turn) => {
    const left = x(turn[1]) - column / 2;
    return [svg("line", { class: "wbw-step-cut", x1: left, x2: left, y1: 0, y2: height }), named(turn, left)];
  });
  const next = inside[0]?.[1] ?? to;
  const room = (next - from) * column > em * 5;
  return [marks, turns.length && room ? named([stpTurnAt(turns, from), from], 0) : null];
}

function stpEdge(at, height, em, width) {
  const words = svg("text", { class: "wbw-step-edge-name", x: at, y: height - 4, "font-size": em * 0.78 }, "live edge");
  words.setAttribute("text-anchor", at > width - em * 6 ? "end" : "start");
  return [svg("line", { class: "wbw-step-edge", x1: at, x2: at, y1: 0, y2: height }), words];
}

/** Lines from the events that the selected one's prompt was made of. */
function stpReads(detail, places, rows, from, x, y, group) {
  if (!detail?.ask || detail.event === "posted") return null;
  const to = places.get(detail.at);
  const sources = new Set(detail.ask.parts.map((part) => part[3]).filter((at) => at !== null));
  if (to === undefined) return null;
  return [...sources].map((at) => {
    const start = places.get(at);
    if (start === undefined || start === to) return null;
    const [a, b] = [rows[start - from], rows[to - from]];
    if (!a || !b) return null;
    const [x1, y1, x2, y2] = [x(start), y(a), x(to), y(b)];
    const bend = Math.max(12, Math.abs(x2 - x1) / 2);
    return group(a, svg("path", { class: "wbw-step-read", d: `M${x1},${y1}C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}` }));
  });
}

function stpLegend(node, rows) {
  const kinds = new Map();
  for (const row of rows) if (row && kinds.size < 12) kinds.set(`${row[1]}/${row[7]}`, row);
  const sign = [...kinds.keys()].join(" ");
  if (node.dataset.sign === sign) return;
  node.dataset.sign = sign;
  const words = { 1: ", unreadable", 2: ", asked again", 8: ", inherited", 16: ", edited" };
  show(
    node,
    [...kinds.values()].map((row) =>
      el("span", {}, svg("svg", { width: 14, height: 14, viewBox: "-8 -8 16 16", "aria-hidden": "true" }, stpGlyph(row, 0, 0, 6)), `${visible(stpKind(row[1]))}${words[row[7]] ?? ""}`),
    ),
  );
}
