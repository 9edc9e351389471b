// The topology of agreement: the graph that Python laid out, and each row in words beside it.

import { count, el, svg, visible } from "../shared/dom.mjs";
import { consultNeighbour } from "../consult/geometry.mjs";
import { consultNames, consultShape } from "../consult/marks.mjs";

const CONSULT_TIES = { divergence: "diverges from", other: "answers another question than", undecided: "is undecided against" };

/** The graph; `choose(place, line)` is called with the row that is picked. */
export function consultTopology(store, about, need, choose) {
  const list = el("div", { class: "wbw-consult-held" });
  const more = el("button", { type: "button", class: "wbw-consult-more", hidden: true, onclick: () => next() });
  const node = el("section", { class: "wbw-consult-topology", "aria-label": "Topology of agreement" }, el("h4", {}, "Topology of agreement"));
  let shown = 0;
  let picked = null;
  if (!about.valid) {
    node.append(el("p", { class: "wbw-consult-none" }, "None is shown: isolation was broken, so that agreement here tells nothing of the corpus. What each interpreter found can still be read."));
    return { node };
  }
  if (!about.counts.lines) {
    node.append(el("p", { class: "wbw-consult-none" }, "No interpreter found anything."));
    return { node };
  }
  const signs = Object.entries(about.drawing.signs).map(([kind, sign]) => el("span", { class: `wbw-consult-tie wbw-consult-${kind}-tie` }, `${sign} ${CONSULT_TIES[kind]}`));
  node.append(el("p", { class: "wbw-soft" }, "A column an interpreter, a node a finding. What is joined in a row overlaps: it cites common evidence and is compatible. Readings that share no passage are not held against each other."), el("p", { class: "wbw-consult-legend" }, signs), list, el("p", { class: "wbw-soft" }, about.formula), more);

  function next() {
    const size = about.pages.lines;
    more.disabled = true;
    need("consult_topology", String(shown / size), (page) => {
      list.append(drawn(page, shown));
      shown += page.lines.length;
      const left = about.counts.lines - shown;
      more.disabled = false;
      more.hidden = left <= 0;
      more.textContent = `Show ${count(Math.min(size, left))} more of ${count(about.counts.lines)} rows`;
    });
  }

  function pick(place, line, button) {
    picked?.setAttribute("aria-pressed", "false");
    picked = button;
    button.setAttribute("aria-pressed", "true");
    choose(place, line);
  }

  function drawn(page, first) {
    const { wide, tall, top, radius, signs: known } = about.drawing;
    const [left, right] = page.sides;
    const [width, height] = [right - left, tall * page.lines.length];
    const picture = svg("svg", { viewBox: `${left} ${-top} ${width} ${height + top}`, role: "group", "aria-label": "Findings by interpreter" });
    picture.style.setProperty("--columns", String(width / wide));
    picture.style.setProperty("--rows", String(page.lines.length));
    const lines = svg("g", {});
    const marks = []; // what keeps its shape where rows are taller, with its height in the drawing
    picture.append(lines);
    about.interpreters.forEach(([number], column) => {
      const x = wide * (column + 0.5);
      lines.append(svg("path", { class: "wbw-consult-tick", d: `M${x} 0V${height}` }));
      picture.append(svg("text", { class: "wbw-consult-number", x, y: -4 }, String(number)));
    });
    for (const [kind, path] of page.strokes) lines.append(svg("path", { class: `wbw-consult-stroke wbw-consult-${kind}-line`, d: path }));
    const buttons = page.lines.map((line, row) => lineOf(line, first + row));
    const nodes = page.lines.flatMap((line, row) => line.nodes.map(([id, column, x, y, kind]) => ({ row, column, y, group: nodeOf(line, column, x, y, kind, id, radius) })));
    nodes.forEach(({ row, y, group }, place) => {
      marks.push([y, group]);
      group.setAttribute("tabindex", place ? "-1" : "0");
      group.addEventListener("click", () => pick(first + row, page.lines[row], buttons[row].firstChild));
      group.addEventListener("keydown", (event) => keyed(event, nodes, place));
      picture.append(group);
    });
    for (const [kind, , x, y] of page.strokes) {
      if (!known[kind]) continue;
      const sign = svg("text", { class: "wbw-consult-sign", x, y: y + 5 }, known[kind]);
      marks.push([y, sign]);
      picture.append(sign);
    }
    const rows = el("ol", {}, buttons);
    const graph = el("div", { class: "wbw-consult-graph" }, picture, rows);
    new ResizeObserver(() => {
      const { fontSize } = getComputedStyle(graph);
      const usual = parseFloat(getComputedStyle(graph).getPropertyValue("--tall")) * parseFloat(fontSize);
      const tallest = Math.max(...buttons.map(({ firstChild }) => consultTall(firstChild)));
      if (tallest && usual) stretch(Math.max(1, (tallest + 6) / usual));
    }).observe(rows);

    /** Make all rows as tall as the one with the most words needs. */
    function stretch(by) {
      graph.style.setProperty("--stretch", String(by));
      picture.setAttribute("viewBox", `${left} ${-top} ${width} ${height * by + top}`);
      lines.setAttribute("transform", `scale(1 ${by})`);
      for (const [y, mark] of marks) mark.setAttribute("transform", `translate(0 ${y * (by - 1)})`);
    }
    return graph;
  }

  function keyed(event, nodes, place) {
    if (event.key === "Enter" || event.key === " ") nodes[place].group.dispatchEvent(new MouseEvent("click"));
    else {
      const to = consultNeighbour(nodes, place, event.key);
      if (to === null) return;
      nodes[place].group.setAttribute("tabindex", "-1");
      nodes[to].group.setAttribute("tabindex", "0");
      nodes[to].group.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  }

  function nodeOf(line, column, x, y, kind, id, radius) {
    const number = about.interpreters[column][0];
    const label = `finding ${visible(id)} of interpreter ${number}: ${kind}, in row ${visible(line.id)}`;
    return svg("g", { class: "wbw-consult-node", role: "button", "aria-label": label }, svg("title", {}, label), svg("circle", { class: "wbw-consult-halo", cx: x, cy: y, r: radius + 5 }), consultShape(about, kind, x, y, radius));
  }

  function lineOf(line, place) {
    const ties = line.ties.map(([kind, id]) => el("span", { class: `wbw-consult-tie wbw-consult-${kind}-tie`, title: `${CONSULT_TIES[kind]} ${visible(id)}` }, `${about.drawing.signs[kind]} ${visible(id)}`));
    const words = line.texts.map(([ref]) => visible(store.text(ref)).replace(/\s+/g, " ")).join(" / ");
    const button = el(
      "button",
      { type: "button", "aria-pressed": "false", onclick: () => pick(place, line, button) },
      el("span", { class: "wbw-consult-row" }, el("strong", {}, visible(line.id)), line.score ? el("span", { class: "wbw-consult-score" }, line.score) : null, el("span", { class: "wbw-soft" }, line.classes.join(", ")), ties),
      el("span", { class: "wbw-consult-lead", dir: "auto" }, words),
    );
    return el("li", {}, button);
  }

  next();
  return { node };
}

/** How many pixels the words of a row are tall. */
function consultTall(button) {
  return [...button.children].reduce((sum, { offsetHeight }) => sum + offsetHeight, 0);
}

/** A claim's structural confidence with all its parts, never without the classes beside it. */
export function consultScore(line) {
  const classes = `Findings here are in: ${line.classes.join(", ") || "no class"}.`;
  const ties = line.ties.map(([kind, id]) => `${CONSULT_TIES[kind]} ${visible(id)}`).join("; ");
  const more = el("p", { class: "wbw-soft" }, `${classes}${ties ? ` It ${ties}.` : ""}${line.more || line.unshown ? ` ${count(line.more + line.unshown)} more in the run.` : ""}`);
  if (!line.parts) return [more];
  const [score, n, total, share, specificity, penalty] = line.parts;
  const rows = [
    ["overlap share", share.toFixed(2), `${n} of ${total} interpreters that reported`],
    ["evidence specificity", String(specificity), specificity === 1 ? "a passage is shared" : "whole documents are all that is shared"],
    ["divergence penalty", penalty.toFixed(2), "share of interpreters that contradict it"],
    ["structural confidence", score.toFixed(2), "of the corpus under this question; it ranks no answer"],
  ];
  const table = el("table", { class: "wbw-consult-table" }, el("caption", {}, "Structural confidence"), el("tbody", {}, rows.map(([name, value, of]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "wbw-consult-n" }, value), el("td", {}, of)))));
  return [table, el("p", {}, "shared evidence: ", consultNames(line.shared)), more];
}
