// Which item is next, and how far the shared cursor may go before it is guessed; no DOM.

/** The paths that have an entry among the guesses. */
export function guessDone(guesses) {
  return new Set(guesses.map(({ path }) => path));
}

/** Whether an item has been guessed or skipped: itself, or, of a whole turn, one of its seats. */
export function guessIsDone(item, done) {
  return done.has(item.path) || item.seats.some(([, path]) => done.has(path));
}

/** The entry of an item among the guesses, and its place there. */
export function guessEntry(item, guesses) {
  const paths = new Set([item.path, ...item.seats.map(([, path]) => path)]);
  const place = guesses.findIndex(({ path }) => paths.has(path));
  return place < 0 ? null : { place, ...guesses[place] };
}

/** The first group that is not done, where groups are done one after another; null when all are. */
export function guessGroup(counts, many) {
  let left = many;
  for (let place = 0; place < counts.length; place += 1) {
    if (left < counts[place]) return place;
    left -= counts[place];
  }
  return null;
}

/** The edge [position, event before] that is not to be passed; null where nothing is hidden. */
export function guessEdge(group, done, which) {
  const edges = group.items.filter((item) => !guessIsDone(item, done)).map((item) => item.edges[which]);
  if (group.later[which]) edges.push(group.later[which]);
  return edges.reduce((least, edge) => (least === null || edge[0] < least[0] ? edge : least), null);
}

/** Where the cursor may stand: at what was just revealed if that tells nothing else, which of a
 * whole turn is its end, and of the last one the end of the run; else before what is hidden.
 */
export function guessAt(group, done, which, revealed, end) {
  const edge = guessEdge(group, done, which);
  if (revealed?.agent === null) return edge === null ? end : edge[1];
  if (revealed && (edge === null || revealed.places[which] < edge[0])) return revealed.at;
  return edge === null ? null : edge[1];
}

/** JSON that was sealed. */
export function guessOpen(seal) {
  return JSON.parse(atob(seal));
}
