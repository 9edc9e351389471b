// Where things stand on the stepper's timeline, overview and list; pure, with no DOM.

import { verdictKind } from "../shared/verdicts.mjs";

/** The places [from, to) that `room` columns show, with `pos` in view and near `from` kept.
 *
 * The window moves only when the cursor leaves its inner part, so that a step does not shift it all.
 */
export function stpWindow(pos, count, room, from) {
  const size = Math.max(1, Math.min(room, count));
  const margin = Math.min(8, Math.floor((size - 1) / 4));
  let start = from;
  if (pos < start + margin || pos >= start + size - margin) {
    const near = pos >= start - size && pos < start + 2 * size;
    if (!near) start = pos - Math.floor(size / 2);
    else if (pos < start + margin) start = pos - size + 2 * margin + 1;
    else start = pos - 2 * margin;
    if (size < 12) start = pos - Math.floor(size / 2);
  }
  start = Math.max(0, Math.min(start, count - size));
  return [start, start + size];
}

/** Which of `turns` ([turn, start, ...]) a place lies in: an index. */
export function stpTurnAt(turns, pos) {
  let low = 0;
  let high = turns.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (turns[middle][1] <= pos) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

/** The turns that begin in [from, to), as [index, start]. */
export function stpTurnsIn(turns, from, to) {
  const out = [];
  if (!turns.length) return out;
  for (let i = stpTurnAt(turns, from); i < turns.length && turns[i][1] < to; i += 1) {
    if (turns[i][1] >= from) out.push([i, turns[i][1]]);
  }
  return out;
}

/** The place that a step of `by` turns leads to: back goes to the beginning of this turn first. */
export function stpTurnStep(turns, pos, by, count) {
  if (!turns.length) return pos;
  const now = stpTurnAt(turns, pos);
  if (by > 0) return now + 1 < turns.length ? turns[now + 1][1] : count - 1;
  if (pos > turns[now][1]) return turns[now][1];
  return turns[Math.max(0, now - 1)][1];
}

/** At most `bins` stretches of all turns: {x, w, flags, bad, from, to} in parts of 1, by place. */
export function stpBins(turns, count, bins) {
  const out = [];
  const each = Math.max(1, Math.ceil(turns.length / Math.max(1, bins)));
  for (let i = 0; i < turns.length; i += each) {
    const some = turns.slice(i, i + each);
    const start = some[0][1];
    const end = i + each < turns.length ? turns[i + each][1] : count;
    out.push({
      x: start / count,
      w: (end - start) / count,
      flags: some.reduce((all, turn) => all | turn[2], 0),
      bad: some.reduce((sum, turn) => sum + turn[3], 0),
      from: some[0][0],
      to: some[some.length - 1][0],
    });
  }
  return out;
}

/** The place at `share` (0 to 1) of the overview: the beginning of the turn that lies there. */
export function stpPlaceAt(turns, count, share) {
  const pos = Math.max(0, Math.min(count - 1, Math.floor(share * count)));
  return turns.length ? turns[stpTurnAt(turns, pos)][1] : pos;
}

/** How many of `count` rows of a height a scrolled box shows: [first, past the last]. */
export function stpRows(scroll, height, row, count) {
  const first = Math.max(0, Math.floor(scroll / row) - 2);
  return [Math.min(first, count), Math.min(count, Math.ceil((scroll + height) / row) + 2)];
}

/** Bits as the kernel sends them: base64, the lowest first. */
export function stpBits(words) {
  return Uint8Array.from(atob(words), (c) => c.charCodeAt(0));
}

export function stpBit(bits, place) {
  return ((bits[place >> 3] ?? 0) >> (place & 7)) & 1;
}

export function stpSetBit(bits, place) {
  bits[place >> 3] |= 1 << (place & 7);
}

/** The next place after `pos` (by 1 or -1) whose bit is set; -1 for none. */
export function stpSeek(bits, pos, by, count) {
  for (let place = pos + by; place >= 0 && place < count; place += by) {
    if (by > 0 && (place & 7) === 0) while (place < count && !bits[place >> 3]) place += 8;
    else if (by < 0 && (place & 7) === 7) while (place >= 0 && !bits[place >> 3]) place -= 8;
    if (place >= 0 && place < count && stpBit(bits, place)) return place;
  }
  return -1;
}

/** How many bits are set before `pos`. */
export function stpRank(bits, pos) {
  let sum = 0;
  for (let byte = 0; byte < pos >> 3; byte += 1) {
    for (let left = bits[byte]; left; left &= left - 1) sum += 1;
  }
  for (let place = (pos >> 3) << 3; place < pos; place += 1) sum += stpBit(bits, place);
  return sum;
}

const STP_SHAPES = {
  asked: "ask",
  answered: "answer",
  called: "call",
  returned: "result",
  consulted: "ask",
  said: "answer",
  failed: "cross",
  run_started: "start",
  run_ended: "end",
  GoalSet: "square",
  RuleAdded: "square",
  Proposed: "fact",
  NotProposed: "cross",
  Ratified: "diamond",
  Gated: "gate",
};

const STP_OWN = { LogicVerdict: "logic", ToMVerdict: "tom", RAGVerdict: "rag" };
const STP_LOGIC = { VALID: "good", INVALID: "bad" };

/** Whose verdict a row is marked with, and its kind: ["logic", "bad"]; null for none.
 *
 * A proposal is marked as in the run's picture, with what the Logic auditor says; a search with the
 * RAG auditor's, and a verdict with its own. What was said of predictions is told in words alone.
 */
export function stpRuling([, kind, , , , , verdicts]) {
  for (const who of ["logic", Object.hasOwn(STP_OWN, kind) ? STP_OWN[kind] : "own", "rag"]) {
    const found = verdicts.find(([auditor]) => auditor === who);
    if (!found) continue;
    const told = who === "logic" ? (STP_LOGIC[found[1]] ?? "unsure") : verdictKind(found[1]);
    if (told !== "plain") return [Object.hasOwn(STP_OWN, kind) ? "own" : who, told];
  }
  return null;
}

/** What the signs in view mean, as [sign, words]. */
export function stpSigns(rows) {
  const seen = new Set(rows.map((row) => row && stpRuling(row)?.[0]));
  const who = [["logic", "Logic on a proposal"], ["rag", "RAG on a search"], ["own", "the verdict"]];
  const told = who.filter(([name]) => seen.has(name)).map(([, words]) => words);
  const unsure = rows.some((row) => row && stpRuling(row)?.[1] === "unsure");
  return told.length ? [[unsure ? "✓ ✗ ?" : "✓ ✗", told.join(", ")]] : [];
}

/** Rows of which each stands for all with its sign, with the kinds that have it: [row, kinds]. */
export function stpKinds(rows) {
  const found = new Map();
  for (const row of rows) {
    if (!row) continue;
    const sign = `${row[7] & 4 ? "cross" : stpShape(row[1])}/${row[7]}`;
    if (!found.has(sign)) found.set(sign, [row, new Set()]);
    found.get(sign)[1].add(row[1]);
  }
  return [...found.values()].map(([row, kinds]) => [row, [...kinds]]);
}

/** The least and the greatest number of a turn, and whether some turn comes in several parts. */
export function stpTurnRange(turns) {
  const numbers = turns.map(([number]) => number).filter((number) => number !== null);
  const pick = (better) => numbers.reduce((one, other) => (better(Number(other), Number(one)) ? other : one));
  return [pick((a, b) => a < b), pick((a, b) => a > b), new Set(numbers).size < numbers.length];
}

/** The shape of a kind of event. */
export function stpShape(kind) {
  return Object.hasOwn(STP_SHAPES, kind) ? STP_SHAPES[kind] : "fact";
}
