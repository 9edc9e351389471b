// What a consultation's view can compute without a document: where keys lead, and what is said.

/** The place to go to by a key in a grid of `rows` x `columns`, or null for other keys. */
export function consultMove(key, row, column, rows, columns) {
  const to = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, 0],
    End: [row, columns - 1],
    PageUp: [row - 10, column],
    PageDown: [row + 10, column],
  }[key];
  if (!to) return null;
  const held = (n, most) => Math.max(0, Math.min(most - 1, n));
  return [held(to[0], rows), held(to[1], columns)];
}

/** The node of a page of the topology that a key leads to from the node `from`; `from` at an edge.
 *
 * Nodes are {row, column}. Left and right stay in the row, up and down go to the nearest column.
 */
export function consultNeighbour(nodes, from, key) {
  const { row, column } = nodes[from];
  const far = {
    ArrowLeft: (n) => (n.row === row && n.column < column ? column - n.column : Infinity),
    ArrowRight: (n) => (n.row === row && n.column > column ? n.column - column : Infinity),
    ArrowUp: (n) => (n.row < row ? 100 * (row - n.row) + Math.abs(n.column - column) : Infinity),
    ArrowDown: (n) => (n.row > row ? 100 * (n.row - row) + Math.abs(n.column - column) : Infinity),
  }[key];
  if (!far) return null;
  let best = from;
  nodes.forEach((node, place) => {
    if (place !== from && far(node) < (best === from ? Infinity : far(nodes[best]))) best = place;
  });
  return best;
}

export const CONSULT_CLASSES = ["divergence", "overlap", "unique", "unclassified", "unsupported", "cited"];

/** The marks of a cell, [class, how many], in the order of classes. */
export function consultMarks(cell) {
  return CONSULT_CLASSES.filter((kind) => cell?.[kind]).map((kind) => [kind, cell[kind]]);
}

/** A cell in words: "2 overlap, 1 unique", "no finding" or "not given". */
export function consultCell(cell) {
  if (cell === null) return "not given";
  return consultMarks(cell).map(([kind, n]) => `${n} ${kind}`).join(", ") || "no finding";
}

/** Names in a row, and how many more there are. */
export function consultFew([names, more]) {
  return more ? `${names.join(", ")} and ${more} more` : names.join(", ");
}
