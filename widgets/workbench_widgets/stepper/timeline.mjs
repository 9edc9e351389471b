// The timeline: a lane for each agent, a column for each event, and only what is in view.

import { el, hue, legible, show, svg, visible } from "../shared/dom.mjs";
import { kindName } from "../shared/kinds.mjs";
import { stpBit, stpKinds, stpSigns, stpTurnAt, stpTurnsIn, stpWindow } from "../stepper/geometry.mjs";
import { stpGlyph, stpMark } from "../stepper/glyphs.mjs";

const STP_LANES = 24;
const STP_ANSWERS = new Set(["answered", "returned", "said"]);

/** Make the timeline; returns {node, paint(size, found), read(detail), window}.
 *
 * A step within the window moves the marks of the cursor; all else is drawn only when it changes.
 */
export function stpTimeline(walk, store) {
  const labels = el("div", { class: "wbw-step-names" });
  const here = svg("rect", { class: "wbw-step-here", y: 0 });
  const ring = svg("circle", { class: "wbw-step-ring" });
  const still = svg("g", {});
  const reads = svg("g", {});
  const picture = svg("svg", { class: "wbw-step-lanes", role: "img" }, here, still, reads, ring);
  const track = el("div", { class: "wbw-step-track" }, picture);
  const node = el("div", { class: "wbw-step-timeline" }, labels, track);
  const legend = el("p", { class: "wbw-step-legend wbw-soft" });
  let drawn = null;

  picture.addEventListener("click", (event) => {
    if (!drawn) return;
    const place = drawn.from + Math.floor((event.clientX - picture.getBoundingClientRect().left) / drawn.column);
    if (place < drawn.to) walk.go(place);
  });

  function paint({ em, width }, found) {
    const column = Math.round(em * 1.15);
    const lane = Math.round(em * 1.7);
    const top = Math.round(em * 1.6);
    const room = Math.floor(Math.max(4, width / column)) - (store.head.live ? 1 : 0);
    const [from, to] = stpWindow(walk.pos, walk.count, room, drawn?.from ?? 0);
    const rows = [];
    for (let pos = from; pos < to; pos += 1) rows.push(walk.row(pos));
    const now = { em, width, column, lane, top, from, to, found, head: store.head, turns: walk.turns, rows, reading: drawn?.reading };
    if (!drawn || stpDiffer(drawn, now)) {
      drawn = now;
      drawn.reading = null;
      whole();
    }
    const row = rows[walk.pos - from];
    here.setAttribute("x", (walk.pos - from) * column);
    ring.setAttribute("visibility", row ? "visible" : "hidden");
    if (row) {
      ring.setAttribute("cx", x(walk.pos));
      ring.setAttribute("cy", y(row));
    }
  }

  /** Show what the selected event's prompt was made of. */
  function read(detail) {
    if (!drawn || drawn.reading === detail) return;
    drawn.reading = detail;
    show(reads, stpReads(detail, drawn, x, y, group) ?? []);
  }

  const x = (pos) => (pos - drawn.from + 0.5) * drawn.column;
  const middle = (index) => drawn.top + (index + 0.5) * drawn.lane;
  const y = (row) => middle(Math.max(0, drawn.lanes.indexOf(row[4])));
  const group = (row, ...inside) => svg("g", { class: row[4] === null ? "" : hue(store.head, store.head.agents[row[4]]?.[0]) }, ...inside);

  function whole() {
    const { em, column, lane, top, from, to, found, rows, head } = drawn;
    const lanes = (drawn.lanes = stpLanes(head, rows));
    const width = Math.max(column * 4, drawn.width);
    const height = top + lanes.length * lane + 4;
    labels.style.paddingTop = `${top}px`;
    show(
      labels,
      lanes.map((place) => {
        const agent = head.agents[place];
        const name = agent ? legible(agent[1]) : "The run";
        const kind = agent ? `wbw-who ${hue(head, agent[0])}` : "wbw-soft";
        return el("div", { class: `wbw-step-name ${kind}`, title: name, style: `height:${lane}px;line-height:${lane}px` }, stpEnds(name));
      }),
    );
    picture.setAttribute("width", width);
    picture.setAttribute("height", height);
    picture.setAttribute("aria-label", `Events ${from + 1} to ${to} of ${walk.count}, a lane for each agent`);
    here.setAttribute("width", column);
    here.setAttribute("height", height);
    ring.setAttribute("r", column * 0.62);
    const waiting = new Set(head.pending);
    const answered = new Set(rows.filter((row) => row && STP_ANSWERS.has(row[1])).map((row) => row[2]));
    show(
      still,
      lanes.map((_, i) => svg("line", { class: "wbw-step-lane", x1: 0, x2: width, y1: middle(i), y2: middle(i) })),
      stpTurnMarks(walk.turns, from, to, x, column, height, em) ?? [],
      head.live && to === walk.count ? stpEdge((to - from) * column + column * 0.4, height, em, width) : [],
      rows.map((row, i) => {
        if (!row) return [];
        const mark = stpMark(row);
        const made = group(
          row,
          svg("title", {}, `${row[0] + 1}. ${kindName(row[1])}: ${visible(row[5])}`),
          stpGlyph(row, x(from + i), y(row), column * 0.4, waiting.has(row[2]) && !answered.has(row[2])),
          mark ? svg("text", { class: `wbw-step-mark ${mark[1]}`, x: x(from + i), y: y(row) - lane * 0.36, "font-size": em * 0.78 }, mark[0]) : null,
        );
        if (found && !stpBit(found.bits, from + i)) made.classList.add("wbw-step-dim");
        return made;
      }),
    );
    stpLegend(legend, rows, walk.turns);
  }

  return {
    node: el("div", {}, node, legend),
    track,
    paint,
    read,
    get window() {
      return drawn ? [drawn.from, drawn.to] : [0, 0];
    },
  };
}

/** A name in two parts, of which the last is never cut: "Interpreter 1" and "Interpreter 2" stay apart. */
function stpEnds(name) {
  const end = /\s\S{1,3}$/u.exec(name)?.[0] ?? "";
  return [el("span", {}, name.slice(0, name.length - end.length)), end ? el("span", {}, end) : null];
}

/** Whether anything but the cursor and what it reads has changed. */
function stpDiffer(old, now) {
  if (["em", "width", "from", "to", "found", "head", "turns"].some((name) => old[name] !== now[name])) return true;
  return old.rows.some((row, i) => row !== now.rows[i]);
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
  const before = at > width - em * 6;
  const words = svg("text", { class: "wbw-step-edge-name", x: at + (before ? -4 : 4), y: height - 4, "font-size": em * 0.78 }, "live edge");
  words.setAttribute("text-anchor", before ? "end" : "start");
  return [svg("line", { class: "wbw-step-edge", x1: at, x2: at, y1: 0, y2: height }), words];
}

/** Lines from the events that the selected one's prompt was made of. */
function stpReads(detail, { rows, from }, x, y, group) {
  if (!detail?.ask || detail.event === "posted") return null;
  const places = new Map(rows.map((row, i) => [row?.[0], from + i]));
  const to = places.get(detail.at);
  if (to === undefined) return null;
  const sources = new Set(detail.ask.parts.map((part) => part[3]).filter((at) => at !== null));
  return [...sources].map((at) => {
    const start = places.get(at);
    if (start === undefined || start === to) return [];
    const [a, b] = [rows[start - from], rows[to - from]];
    const [x1, y1, x2, y2] = [x(start), y(a), x(to), y(b)];
    const bend = Math.max(12, Math.abs(x2 - x1) / 2);
    return group(a, svg("path", { class: "wbw-step-read", d: `M${x1},${y1}C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}` }));
  });
}

function stpLegend(node, rows, turns) {
  const kinds = stpKinds(rows).slice(0, 12);
  const signs = stpSigns(rows);
  const bad = turns.some((turn) => turn[3]);
  const sign = JSON.stringify([kinds.map(([row, names]) => [row[7], names]), signs, bad]);
  if (node.dataset.sign === sign) return;
  node.dataset.sign = sign;
  const entry = (mark, told) => el("span", { title: told }, svg("svg", { width: 14, height: 14, viewBox: "-8 -8 16 16", "aria-hidden": "true" }, mark), told);
  const words = { 1: ", unreadable", 2: ", asked again", 8: ", inherited", 16: ", edited" };
  show(
    node,
    kinds.map(([row, names]) => entry(stpGlyph(row, 0, 0, 6), `${names.length > 2 ? "Fact" : visible(names.map(kindName).join(", "))}${words[row[7]] ?? ""}`)),
    signs.map(([mark, told]) => el("span", {}, `${mark} ${told}`)),
    bad ? entry(svg("rect", { class: "wbw-step-badbar", x: -4, y: -5, width: 8, height: 10 }), "bad verdicts, in the strip above") : null,
  );
}
