// The board at a place: the state at the start of a page, and the changes of each event since.

export const BOARD_EVENTS = 100;
export const BOARD_LATEST = 40;

/** The state after the event at `place`, which lies on `page`: cells and totals by section. */
export function boardFold(page, place) {
  const sections = new Map(page.sections.map(([name]) => [name, { total: page.totals[name] ?? 0, cells: new Map() }]));
  for (const cell of page.cells) sections.get(cell.s).cells.set(cell.k, cell);
  for (let at = page.start; at <= place; at += 1) {
    const delta = page.deltas[at - page.start];
    if (!delta) break;
    const [, , , , set, gone, totals] = delta;
    for (const [name, key] of gone) sections.get(name).cells.delete(key);
    for (const cell of set) sections.get(cell.s).cells.set(cell.k, cell);
    for (const [name, total] of Object.entries(totals)) sections.get(name).total = total;
  }
  return sections;
}

/** How the event at `place` touched a cell: "new", "changed", or "" for not at all. */
export function boardMark(cell, place) {
  if (cell.place !== place) return "";
  return cell.was === undefined || cell.was === place ? "new" : "changed";
}

const BOARD_NAMES = new Intl.Collator("en", { numeric: true });

/** The cells of a section in the order of reading: by key (agents as they acted), or the latest first. */
export function boardSorted(cells, by, agents) {
  const latest = (a, b) => b.place - a.place || a.i - b.i;
  if (by === "recent") return [...cells].sort(latest);
  const rank = (cell) => {
    const found = agents.findIndex(([name]) => name === cell.k);
    return found < 0 ? agents.length : found;
  };
  return [...cells].sort((a, b) => rank(a) - rank(b) || BOARD_NAMES.compare(a.k, b.k));
}

/** In words, what the event at `place` changed: a list such as "Drafts: 1 new". */
export function boardChanges(page, place) {
  const delta = page.deltas[place - page.start];
  if (!delta) return [];
  const [, , , , set, , , closed] = delta;
  const counts = new Map();
  const add = (name, word, n) => {
    if (!counts.has(name)) counts.set(name, new Map());
    counts.get(name).set(word, (counts.get(name).get(word) ?? 0) + n);
  };
  for (const cell of set) {
    const mark = boardMark(cell, place);
    if (mark) add(cell.s, mark, 1);
  }
  for (const [name, n] of Object.entries(closed)) add(name, "closed", n);
  return page.sections.filter(([name]) => counts.has(name)).map(([name, title]) => `${title}: ${[...counts.get(name)].map(([word, n]) => `${n} ${word}`).join(", ")}`);
}

/** The first `most` characters of a text, cut at a space where one is near. */
export function boardLead(words, most) {
  const signs = [...words.slice(0, most * 2)];
  if (signs.length <= most && words.length <= most * 2) return words;
  const lead = signs.slice(0, most).join("");
  const space = lead.lastIndexOf(" ");
  return space > most * 0.8 ? lead.slice(0, space) : lead;
}
