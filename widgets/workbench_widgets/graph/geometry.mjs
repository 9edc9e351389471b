// What the graph shows at a place of the run: counts up to it, and what its event was made from.

/** The tags and attributes that a drawing may have; Python holds to the same. */
export const GRAPH_TAGS = ["g", "path", "rect", "text", "title"];
export const GRAPH_ATTRIBUTES =
  "class d x y width height rx text-anchor role aria-label data-node data-edge".split(" ");

export const GRAPH_STEPS = 200;
export const GRAPH_PASSINGS = 25;

/** The state after the event at `place`, which lies on `page`; `scope` is "turn" or "run". */
export function graphFold(page, place, scope) {
  const steps = page.steps;
  const here = steps[place - page.start];
  if (!here) return { at: -1, node: -1, turn: null, edges: new Map(), nodes: new Map(), passed: [], fed: [] };
  const begun = scope === "turn" ? here[3] : 0;
  const before = scope === "run" ? page.run : begun < page.start ? page.turn : { edges: [], nodes: [] };
  const edges = new Map(before.edges);
  const nodes = new Map(before.nodes.map(([node, ...told]) => [node, told]));
  for (let at = Math.max(begun, page.start); at <= place; at += 1) {
    const [, node, , , spent, passed] = steps[at - page.start];
    for (const [edge, n] of passed) edges.set(edge, (edges.get(edge) ?? 0) + n);
    if (spent) {
      const [calls, tokens, untold] = nodes.get(node) ?? [0, 0, 0];
      nodes.set(node, [calls + 1, tokens + spent[0], untold + spent[1]]);
    }
  }
  return { at: here[0], node: here[1], turn: here[2], edges, nodes, passed: here[5], fed: here[6] };
}

/**
 * A state in the numbers of a drawing, which may leave agents and edges out: `acts` is who acts by
 * its number among all, `hidden` over how many edges that are not drawn came what it was made from.
 */
export function graphInDrawing(state, { agents, lines }) {
  const node = new Map(agents.map((agent, place) => [agent, place]));
  const edge = new Map(lines.map((line, place) => [line, place]));
  const drawn = (map, place) => new Map([...map].filter(([at]) => place.has(at)).map(([at, told]) => [place.get(at), told]));
  const fed = state.fed.filter((at) => edge.has(at)).map((at) => edge.get(at));
  return {
    ...state,
    acts: state.node,
    node: node.get(state.node) ?? -1,
    edges: drawn(state.edges, edge),
    nodes: drawn(state.nodes, node),
    fed,
    hidden: state.fed.length - fed.length,
  };
}

const GRAPH_COUNT = new Intl.NumberFormat("en-US");

/** A node's second line; the same words as in the static picture. */
export function graphSpending([calls, tokens, untold] = [0, 0, 0]) {
  if (!calls) return "no calls";
  const words = `${GRAPH_COUNT.format(calls)} call${calls === 1 ? "" : "s"}`;
  if (untold === calls) return `${words} · tokens unknown`;
  return `${words} · ${untold ? "over " : ""}${GRAPH_COUNT.format(tokens)} tokens`;
}

/** How wide the line of an edge is that was used `n` times. */
export function graphWidth(n) {
  return Math.min(4, 1.2 + 0.5 * Math.log2(Math.max(1, n)));
}

/** Which pages of an edge's passings hold the last of `n`, and which of them to show. */
export function graphLast(n, older) {
  const last = Math.max(0, Math.floor((n - 1) / GRAPH_PASSINGS) - older);
  return { page: last, first: last * GRAPH_PASSINGS, end: Math.min(n, (last + 1) * GRAPH_PASSINGS) };
}

/** The node nearest to `from` in a direction, as [dx, dy]; `from` where there is none. */
export function graphNeighbour(middles, from, [dx, dy]) {
  let best = from;
  let least = Infinity;
  const [x0, y0] = middles[from];
  middles.forEach(([x, y], node) => {
    const along = (x - x0) * dx + (y - y0) * dy;
    const across = Math.abs((x - x0) * dy) + Math.abs((y - y0) * dx);
    if (node === from || along <= 1) return;
    const far = along + 3 * across;
    if (far < least) [best, least] = [node, far];
  });
  return best;
}

/** Names in a row of words; beyond five, how many more. */
export function graphList(names) {
  const kept = names.length > 6 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  return kept.length < 2 ? kept.join("") : `${kept.slice(0, -1).join(", ")} and ${kept.at(-1)}`;
}
