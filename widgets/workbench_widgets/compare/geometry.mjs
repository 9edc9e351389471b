// Arithmetic of the comparison: folding, sides, pages and moves. No DOM.

export const CMP_ROWS = 50;
export const CMP_PLACES = 500;
const CMP_KEEP = 140;

/** What a column is called: A to Z, then by number. */
export function cmpLetter(column) {
  return column < 26 ? String.fromCharCode(65 + column) : `#${column + 1}`;
}

/**
 * Segments `[op, text]` with the middle of long equal ones folded, as `["fold", text]`. `side` is
 * "-" or "+" for one side alone; null for both. What is around a change is kept, to a whole word.
 */
export function cmpFold(segs, side = null, keep = CMP_KEEP) {
  const mine = segs.filter(([op]) => side === null || op === "=" || op === side);
  const out = [];
  mine.forEach(([op, text], place) => {
    const first = place === 0;
    const last = place === mine.length - 1;
    const before = first ? 0 : keep;
    const after = last ? 0 : keep;
    if (op !== "=" || text.length <= before + after + keep) {
      out.push([op, text]);
      return;
    }
    const [from, to] = cmpEdges(text, before, after);
    if (from) out.push(["=", text.slice(0, from)]);
    out.push(["fold", text.slice(from, to)]);
    if (to < text.length) out.push(["=", text.slice(to)]);
  });
  return out;
}

/** Where to fold a text: after `before` characters and before the last `after`, between words. */
function cmpEdges(text, before, after) {
  let from = before;
  let to = text.length - after;
  if (before) {
    const blank = text.lastIndexOf(" ", from);
    if (blank > from / 2) from = blank + 1;
    else if (cmpHalved(text, from)) from -= 1;
  }
  if (after) {
    const blank = text.indexOf(" ", to);
    if (blank >= 0 && blank < to + after / 2) to = blank;
    else if (cmpHalved(text, to)) to += 1;
  }
  return [from, to];
}

/** Whether a cut at `at` would part a surrogate pair. */
function cmpHalved(text, at) {
  return /[\ud800-\udbff]/.test(text[at - 1] ?? "") && /[\udc00-\udfff]/.test(text[at] ?? "");
}

/** The first `most` characters of a text and the rest, with no pair of surrogates parted. */
export function cmpCut(text, most) {
  if (text.length <= most + most / 4) return [text, ""];
  const at = cmpHalved(text, most) ? most - 1 : most;
  return [text.slice(0, at), text.slice(at)];
}

/** The page of a position, and the position's place on it. */
export function cmpPage(position, size = CMP_ROWS) {
  return [Math.floor(position / size), position % size];
}

/** Where an arrow key leads from `[position, column]`; null for any other key. */
export function cmpMove(key, [position, column], rows, columns) {
  const to = {
    ArrowDown: [position + 1, column],
    ArrowUp: [position - 1, column],
    ArrowRight: [position, column + 1],
    ArrowLeft: [position, column - 1],
    Home: [0, column],
    End: [rows - 1, column],
    PageDown: [position + 10, column],
    PageUp: [position - 10, column],
  }[key];
  if (!to) return null;
  return [Math.max(0, Math.min(rows - 1, to[0])), Math.max(0, Math.min(columns - 1, to[1]))];
}

/** The second figure less the first, with its sign; null where one is unknown. */
export function cmpDelta(before, after) {
  if (before === null || after === null || before === undefined || after === undefined) return null;
  const by = after - before;
  return Math.abs(by) < 1e-9 ? 0 : by;
}

/** A path without its turn, which the rows are grouped by. */
export function cmpTail(path, turn) {
  const lead = `/turn=${turn}/`;
  return turn !== null && path.startsWith(lead) ? path.slice(lead.length) : path;
}

/** A name that fits into a line; cut, it ends in an ellipsis. */
export function cmpShort(name, most = 120) {
  const [now, later] = cmpCut(name, most);
  return later ? `${now}…` : now;
}
