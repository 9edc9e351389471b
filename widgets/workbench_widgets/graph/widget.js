// The graph view: the drawing that Python made, with what has passed up to the cursor.

import { called, count, el, halted, plural, prose, show, svg, trouble, visible } from "../shared/dom.mjs";
import { rail, railLoad, railPlace } from "../shared/rail.mjs";
import { GRAPH_ATTRIBUTES, GRAPH_PASSINGS, GRAPH_STEPS, GRAPH_TAGS, graphFold, graphInDrawing, graphLast, graphList, graphNeighbour, graphSpending, graphWidth } from "../graph/geometry.mjs";

const GRAPH_KINDS = ["nominated", "read", "answered"];
const GRAPH_NARROW_EM = 46;
const GRAPH_DENSE = 120; // edges in sight from which on each is fainter
const GRAPH_ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** An SVG element of a shape. What is not on the list of tags and attributes is an error. */
function graphShape([tag, attrs, children]) {
  if (!GRAPH_TAGS.includes(tag)) throw new Error(`not a shape: ${tag}`);
  for (const name of Object.keys(attrs)) {
    if (!GRAPH_ATTRIBUTES.includes(name)) throw new Error(`not a shape: ${tag} with ${name}`);
  }
  return svg(tag, attrs, typeof children === "string" ? visible(children) : children.map(graphShape));
}

/** Draw a page of shapes; returns the picture, and its nodes and edges to change. */
function graphDrawn(page, label, bare) {
  const [x, y, width, height] = page.box;
  const picture = svg("svg", { viewBox: `${x} ${y} ${width} ${height}`, role: "group", "aria-label": label });
  picture.style.width = `${width / 14}em`;
  const nodes = [];
  const edges = [];
  page.edges.forEach(([source, , kind, line, head], edge) => {
    const off = bare ? "" : " wbw-graph-off"; // until it is known what has passed
    const group = graphShape(["g", { class: `wbw-graph-edge${off} wbw-graph-${kind} wbw-a${page.hues[source]}`, "data-edge": edge }, [
      ["title", {}, ""],
      ["path", { class: "wbw-graph-line", d: line }, ""],
      ["path", { class: "wbw-graph-head", d: head }, ""],
      ["path", { class: "wbw-graph-hit", d: line }, ""],
    ]]);
    edges.push({ group, line: group.children[1], title: group.firstChild, n: -1 });
  });
  const words = new Map(page.words.map((shape) => [shape[1]["data-edge"], graphShape(shape)]));
  for (const card of page.cards) nodes.push(graphNode(graphShape(card)));
  picture.append(...edges.map((one) => one.group), ...nodes.map((one) => one.group), ...words.values());
  return { page, picture, nodes, edges, words };
}

function graphNode(group) {
  const card = group.querySelector("rect");
  const [x, y, wide, tall] = ["x", "y", "width", "height"].map((name) => Number(card.getAttribute(name)));
  const now = svg("text", { class: "wbw-graph-now", x: x + 2, y: y - 6 }, "now");
  group.append(now);
  group.setAttribute("role", "button");
  group.setAttribute("tabindex", "-1");
  return {
    group,
    middle: [x + wide / 2, y + tall / 2],
    title: group.querySelector("title"),
    note: group.querySelector(".wbw-graph-note"),
    told: null,
  };
}

export function graphView(root, store) {
  const bare = store.head.graph === true; // a graph of agents, without a run
  const label = `${visible(store.head.title)}: graph of agents`;
  const view = el("section", { class: "wbw-graph", "aria-label": label });
  const part = el("div", { class: "wbw-graph-part" });
  const figure = el("div", { class: "wbw-graph-figure" });
  const status = el("p", { class: "wbw-graph-status", "aria-live": "polite" });
  const panel = el("div", { class: "wbw-graph-panel" });
  const hidden = new Set();
  let scope = "turn";
  let pick = null; // {node} or {edge, older}
  let drawn = null;
  let titles = []; // of the nodes, as their cards have them
  let state = null;
  let place = 0; // of the cursor, in the order that is stepped in
  let focus = 0;
  let asked = 0; // only the last answer is shown
  let drawing = 0; // the last drawing that was asked for
  let awaited = false; // it is under way: what is read meanwhile numbers other agents
  let size = null;
  let around = null; // of a graph too large to be drawn whole, the agent whose part is drawn

  const fail = (error) => show(status, trouble(error));
  const named = (node) => titles[node];
  const many = (edge) => (bare ? 1 : (state?.edges.get(edge) ?? 0));
  const shown = (edge) => many(edge) > 0 && !hidden.has(drawn.page.edges[edge][2]);

  const scopes = [
    ["turn", "This turn"],
    ["run", "Run so far"],
  ].map(([name, words]) =>
    el("button", {
      type: "button",
      "aria-pressed": String(scope === name),
      dataset: { scope: name },
      onclick: () => {
        scope = name;
        for (const one of scopes) one.setAttribute("aria-pressed", String(one.dataset.scope === name));
        paint();
      },
    }, words),
  );
  const kinds = el("div", { class: "wbw-graph-kinds", role: "group", "aria-label": "Edges to show" });
  const rails = bare ? null : rail(store);
  const switches = bare ? null : el("div", { class: "wbw-graph-switches" }, el("div", { class: "wbw-graph-scope", role: "group", "aria-label": "What is counted" }, scopes), kinds);
  view.append(
    el("header", { class: "wbw-graph-top" }, el("h3", {}, bare ? visible(store.head.title) : "Who nominated, read and answered whom"), rails?.node ?? []),
    ...(switches ? [switches] : []),
    part,
    figure,
    status,
    panel,
  );
  root.append(view);

  /** Draw anew: at first, in another size, and where the run has become more. */
  function draw() {
    const wanted = (size ?? "wide") + (around === null ? "" : `/${around}`);
    const mine = (drawing += 1);
    awaited = true;
    railLoad(store, "graph_shapes", wanted, (page) => {
      if (mine !== drawing) return;
      awaited = false;
      pick = drawn && pick ? moved(pick, drawn.page, page) : pick;
      titles = graphTitles(store.head, page);
      try {
        drawn = graphDrawn(page, label, bare);
      } catch (error) {
        fail(error);
        return;
      }
      show(part, partOf(page));
      show(figure, page.nodes.length ? drawn.picture : el("p", { class: "wbw-soft" }, graphNothing(store)));
      const there = new Set(page.edges.map((edge) => edge[2]));
      show(kinds, GRAPH_KINDS.filter((kind) => there.has(kind)).map(keyOf));
      drawn.nodes.forEach((one, node) => listen(one.group, () => choose({ node }), () => tellNode(node)));
      drawn.edges.forEach((one, edge) => listen(one.group, () => choose({ edge, older: 0 }), () => tellEdge(edge)));
      drawn.picture.addEventListener("keydown", keyed);
      focus = Math.min(focus, Math.max(0, drawn.nodes.length - 1));
      drawn.nodes[focus]?.group.setAttribute("tabindex", "0");
      paint();
    }, (error) => {
      awaited &&= mine !== drawing;
      fail(error);
    });
  }

  /** What is drawn of a graph that is too large to be drawn whole, and a choice of another part. */
  function partOf({ agents, lines, of, names }) {
    if (!names.length) return [];
    const which = around === null ? "those with the most edges" : `${nameAt(names, around)} and those of its neighbours with the most edges`;
    const told = el("p", {}, `Drawn are ${count(agents.length)} of ${plural(of[0], "agent")}, ${which}, and the ${count(lines.length)} of ${plural(of[1], "edge")} among them.`);
    if (!store.live) return [told];
    const box = el("select", { onchange: () => drawAround(box.value === "" ? null : Number(box.value)) }, el("option", { value: "" }, "those with the most edges"), names.map((_, agent) => el("option", { value: agent, selected: agent === around }, nameAt(names, agent))));
    return [told, el("label", {}, "Draw ", box)];
  }

  /** An agent's title, by its number among all. */
  const nameAt = (names, agent) => (bare ? visible(store.head.agents[agent]?.[1] ?? names[agent]) : called(store.head, names[agent]));

  function drawAround(agent) {
    around = agent;
    draw();
  }

  /** What was picked, by its number in a new drawing: as a run grows, its agents may be renumbered. */
  function moved(one, before, after) {
    if (one.node !== undefined) {
      const node = after.nodes.indexOf(before.nodes[one.node]);
      return node < 0 ? null : { node };
    }
    const [source, target, kind] = before.edges[one.edge];
    const ends = [after.nodes.indexOf(before.nodes[source]), after.nodes.indexOf(before.nodes[target])];
    const edge = after.edges.findIndex((other) => other[0] === ends[0] && other[1] === ends[1] && other[2] === kind);
    return edge < 0 ? null : { ...one, edge };
  }

  /** A kind's line and its name, as a switch. */
  function keyOf(kind) {
    const line = svg("svg", { viewBox: "0 0 26 8", class: "wbw-graph-sample", "aria-hidden": "true" }, svg("g", { class: `wbw-graph-edge wbw-graph-${kind}` }, svg("path", { class: "wbw-graph-line", d: "M1 4h24" })));
    const key = el("button", {
      type: "button",
      "aria-pressed": String(!hidden.has(kind)),
      onclick: () => {
        if (!hidden.delete(kind)) hidden.add(kind);
        key.setAttribute("aria-pressed", String(!hidden.has(kind)));
        apply();
      },
    }, line, kind);
    return key;
  }

  function listen(group, act, tell) {
    group.addEventListener("click", act);
    group.addEventListener("pointerenter", tell);
    group.addEventListener("pointerleave", told);
    group.addEventListener("focus", tell);
    group.addEventListener("blur", told);
  }

  function keyed(event) {
    if (event.key === "Enter" || event.key === " ") choose({ node: focus });
    else if (event.key === "Escape") choose(null);
    else if (GRAPH_ARROWS[event.key]) {
      const to = graphNeighbour(drawn.nodes.map((one) => one.middle), focus, GRAPH_ARROWS[event.key]);
      drawn.nodes[focus].group.setAttribute("tabindex", "-1");
      focus = to;
      drawn.nodes[focus].group.setAttribute("tabindex", "0");
      drawn.nodes[focus].group.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function choose(next) {
    const same = pick && next && pick.node === next.node && pick.edge === next.edge && pick.older === next.older;
    pick = same ? null : next;
    if (pick?.node !== undefined) {
      drawn.nodes[focus]?.group.setAttribute("tabindex", "-1");
      focus = pick.node;
      drawn.nodes[focus].group.setAttribute("tabindex", "0");
    }
    apply();
  }

  /** Read the state at the cursor and show it. */
  function paint() {
    if (!drawn) return;
    if (bare) {
      apply();
      return;
    }
    const mine = (asked += 1);
    railPlace(store, store.get("at"), (found) => {
      if (found === undefined) return;
      place = found;
      const key = `${store.get("order")}/${Math.floor(place / GRAPH_STEPS)}`;
      if (store.peek("graph_steps", key) === undefined) view.setAttribute("aria-busy", "true");
      railLoad(store, "graph_steps", key, (page) => {
        if (mine !== asked || awaited) return;
        view.removeAttribute("aria-busy");
        state = graphFold(page, place, scope);
        switches.querySelector(".wbw-graph-scope").hidden = state.turn === null;
        if (state.turn === null && scope === "turn") state = graphFold(page, place, "run");
        state = graphInDrawing(state, drawn.page);
        if (pick?.edge !== undefined) pick.older = 0;
        apply();
      }, fail);
    }, fail);
  }

  function apply() {
    const { page, nodes, edges } = drawn;
    const fed = new Set(state?.fed ?? []);
    drawn.picture.classList.toggle("wbw-graph-dense", edges.filter((_, edge) => shown(edge)).length > GRAPH_DENSE);
    edges.forEach((one, edge) => {
      const on = shown(edge);
      const [source, target] = page.edges[edge];
      const near = pick === null || pick.edge === edge || pick.node === source || pick.node === target;
      one.group.classList.toggle("wbw-graph-off", !on);
      if (!on) return;
      one.group.classList.toggle("wbw-graph-fed", fed.has(edge));
      one.group.classList.toggle("wbw-graph-faint", !near);
      one.group.classList.toggle("wbw-graph-near", near && pick !== null);
      drawn.words.get(edge)?.classList.toggle("wbw-graph-faint", !near);
      one.group.classList.toggle("wbw-graph-picked", pick?.edge === edge);
      if (one.n === many(edge)) return;
      one.n = many(edge);
      if (bare) {
        one.title.textContent = describe(edge, "");
        return;
      }
      one.line.style.strokeWidth = `${graphWidth(one.n)}px`;
      one.title.textContent = `${describe(edge, "")}: ${plural(one.n, "time")}`;
    });
    nodes.forEach((one, node) => {
      const lit = state?.node === node;
      one.group.classList.toggle("wbw-graph-lit", lit);
      one.group.setAttribute("aria-pressed", String(pick?.node === node));
      one.group.classList.toggle("wbw-graph-picked", pick?.node === node);
      if (bare) return;
      const note = graphSpending(state?.nodes.get(node));
      const words = `${named(node)}: ${note}${lit ? ", acts now" : ""}`;
      if (one.told === words) return;
      one.told = words;
      one.note.textContent = note;
      one.title.textContent = words;
      one.group.setAttribute("aria-label", words);
    });
    told();
    open();
  }

  /** Say what the event at the cursor was made from. */
  function told() {
    if (!drawn || !drawn.nodes.length) return;
    if (bare) {
      show(status, `${plural(drawn.nodes.length, "agent")}, ${plural(drawn.edges.length, "edge")}. Pick one to see more.`);
      return;
    }
    if (!state || state.at < 0) return;
    const away = () => `${nameAt(drawn.page.names, state.acts)}, which is not drawn, acts`;
    const who = state.acts === -1 ? "the run itself acts" : state.acts < 0 ? "an agent that is not drawn acts" : state.node < 0 ? away() : `${named(state.node)} acts`;
    const turn = state.turn === null ? "" : `, turn ${state.turn}`;
    const heard = state.fed.filter((edge) => drawn.page.edges[edge][2] === "read" && drawn.page.edges[edge][1] === state.node);
    const read = [...new Set(heard.map((edge) => drawn.page.edges[edge][0]))].map((node) => (node === state.node ? "its own words" : named(node)));
    const others = state.fed.filter((edge) => !heard.includes(edge)).map((edge) => describe(edge, ""));
    if (state.hidden) others.push(`${plural(state.hidden, "edge")} not drawn`);
    const made = [read.length ? `it read ${graphList(read)}` : "", graphList(others)].filter(Boolean);
    show(status, `Event ${count(state.at + 1)}${turn}: ${[who, ...made].join("; ")}. ${halted(store.head, place)}`);
  }

  function describe(edge, n) {
    const [source, target, kind] = drawn.page.edges[edge];
    if (bare) return `${named(source)} → ${named(target)}: ${visible(drawn.page.told[edge])}`;
    if (kind === "read") return `${named(target)} read ${source === target ? "its own words" : named(source)}${n}`;
    return `${named(source)} ${kind} ${named(target)}${n}`;
  }

  const tellEdge = (edge) => show(status, bare ? describe(edge, "") : `${describe(edge, "")}: ${plural(many(edge), "time")}.`);
  const tellNode = (node) => show(status, `${named(node)}: ${bare ? visible(drawn.page.notes[node]) : graphSpending(state?.nodes.get(node))}`);

  /** Show what was picked: an agent's edges, or the words that passed over an edge. */
  function open() {
    if (pick === null) show(panel);
    else if (pick.node !== undefined) show(panel, agentPanel(pick.node));
    else if (bare) show(panel, panelHead(describe(pick.edge, "")));
    else edgePanel(pick.edge, pick.older);
  }

  function panelHead(words, note) {
    const close = el("button", { type: "button", "aria-label": "Close", onclick: () => choose(null) }, "×");
    return el("header", { class: "wbw-graph-head-line" }, el("h4", {}, words), note ? el("span", { class: "wbw-soft" }, note) : [], close);
  }

  function agentPanel(node) {
    const side = (title, place) => {
      const found = drawn.page.edges.map((edge, number) => [edge, number]).filter(([edge, number]) => edge[place] === node && shown(number));
      const list = found.map(([edge, number]) => {
        const other = named(edge[1 - place]);
        const words = bare ? visible(drawn.page.told[number]) : `${edge[2]} × ${count(many(number))}`;
        const button = el("button", { type: "button", onclick: () => choose({ edge: number, older: 0 }) }, el("span", { class: "wbw-graph-other" }, other), el("span", { class: "wbw-soft" }, words));
        listen(button, () => {}, () => light(number, true));
        button.addEventListener("pointerleave", () => light(number, false));
        button.addEventListener("blur", () => light(number, false));
        return el("li", {}, button);
      });
      return el("div", {}, el("h5", {}, title), list.length ? el("ul", {}, list) : el("p", { class: "wbw-soft" }, "nothing yet"));
    };
    const note = bare ? visible(drawn.page.notes[node]) : graphSpending(state?.nodes.get(node));
    const agent = drawn.page.agents[node];
    const more = drawn.page.names.length && store.live && agent !== around ? el("button", { type: "button", onclick: () => drawAround(agent) }, "Draw what is around it") : [];
    return [panelHead(named(node), note), more, el("div", { class: "wbw-graph-sides" }, side("From it", 0), side("To it", 1))];
  }

  function light(edge, on) {
    drawn.edges[edge]?.group.classList.toggle("wbw-graph-hover", on);
    if (on) tellEdge(edge);
  }

  function edgePanel(edge, older) {
    const before = state ? state.edges.get(edge) ?? 0 : 0;
    const head = panelHead(describe(edge, ""), `${plural(before, "time")}${scope === "turn" && state?.turn !== null ? " in this turn" : " so far"}, latest first`);
    if (!before) {
      show(panel, head, el("p", { class: "wbw-soft" }, "nothing yet at this place of the run"));
      return;
    }
    const mine = pick;
    // pages count from the beginning of the run: those of this turn are the last of the run so far
    railPlace(store, store.get("at"), (place) => railLoad(store, "graph_steps", `${store.get("order")}/${Math.floor(place / GRAPH_STEPS)}`, (steps) => {
      const all = graphFold(steps, place, "run").edges.get(drawn.page.lines[edge]) ?? 0;
      const { page, first, end } = graphLast(all, older);
      railLoad(store, "graph_passings", `${store.get("order")}/${drawn.page.lines[edge]}/${page}`, (found) => {
        if (pick !== mine) return;
        const from = Math.max(first, all - before);
        const items = found.passings.slice(from - first, end - first).reverse().map(passing);
        const left = from > all - before;
        show(panel, head, el("ol", { class: "wbw-graph-words" }, items), left ? el("button", { type: "button", onclick: () => choose({ edge, older: older + 1 }) }, `Earlier (${GRAPH_PASSINGS} at a time)`) : []);
      }, (error) => show(panel, head, trouble(error)));
    }, fail), fail);
  }

  function passing([at, source, turn, words, characters]) {
    const text = store.text(words);
    const jump = (to, said) => el("button", { type: "button", class: "wbw-graph-jump", onclick: () => store.set("at", to) }, `${said} ${count(to + 1)}`);
    const cut = characters - [...text].length;
    return el("li", {},
      el("div", { class: "wbw-graph-where" }, turn === null ? [] : el("span", { class: "wbw-soft" }, `turn ${turn}`), jump(at, "arrived at event"), source >= 0 && source !== at ? jump(source, "came from event") : []),
      prose(text),
      cut > 0 ? el("p", { class: "wbw-soft" }, `… ${plural(cut, "more character")}: the event has them all`) : []);
  }

  const measure = () => {
    const em = parseFloat(getComputedStyle(root).fontSize) || 14;
    const width = root.clientWidth;
    if (!width) return;
    const next = width / em < GRAPH_NARROW_EM ? "narrow" : "wide";
    if (next === size) return;
    size = next;
    draw();
  };
  const watch = new ResizeObserver(measure);
  watch.observe(root);
  measure();
  if (!size) draw();
  const offs = [store.on("at", paint), store.on("order", paint), store.on("head", draw)];
  return () => {
    watch.disconnect();
    offs.forEach((off) => off());
    rails?.off();
    view.remove();
  };
}

/** The nodes' titles. Those of a graph are the head's in their order: two names may read the same. */
function graphTitles(head, { nodes, agents }) {
  if (head.graph) return nodes.map((name, node) => visible(head.agents[agents[node]]?.[1] ?? name));
  return nodes.map((name) => called(head, name));
}

/** Why there is nothing to draw. */
function graphNothing(store) {
  if (store.head.graph) return "This graph has no nodes.";
  return `No agent has acted in this run. ${halted(store.head)}`;
}
