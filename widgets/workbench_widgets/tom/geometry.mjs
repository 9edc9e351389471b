// What is known of a pair at a moment, and where the points of a strip lie; no DOM.

/** The outcomes of a pair, as the payload numbers them. */
const TOM_OUTCOMES = [null, "missing", "unjudged", "consistent", "inconsistent", "unknown", "missing"];

/** The position of the event `at` in an order, or undefined where its page is not here. */
export function tomPosition(places, at, order) {
  return order === "path" ? places?.path[at - places.start] : at;
}

/** The place of the turn in which the event `at` lies. */
export function tomTurnOf(places, at) {
  let found = 0;
  for (const [start, place] of places.turns) if (start <= at) found = place;
  return found;
}

/** Whether an event, given as [index, position by path], has been reached. */
export function tomReached(event, order, position) {
  return event !== null && event !== undefined && event[order === "path" ? 1 : 0] <= position;
}

/** What is known of each pair of a turn at a position: "evaluator/peer" to what is known.
 *
 * `foretold` and `spoken` tell whether the predictor's and the peer's proposals have been reached;
 * `lost` marks a missing text that the audit called unknown.
 */
export function tomStates(page, order, position) {
  const known = new Map();
  const begun = page.goal === null || tomReached(page.goal, order, position);
  const over = page.over && position >= page.end[order === "path" ? 1 : 0][1];
  for (const cell of page.cells) {
    const [evaluator, peer, , , , cosine] = cell;
    const state = begun ? tomState(page, cell, order, position, over) : "ahead";
    const final = TOM_OUTCOMES.includes(state) && state !== "missing";
    const lost = state === "missing" && cell[4] === 6;
    const [foretold, spoken] = [evaluator, peer].map((who) => begun && (page.seats[who] ? tomReached(page.seats[who], order, position) : over));
    known.set(`${evaluator}/${peer}`, { state, cosine: final ? cosine : null, lost, foretold, spoken });
  }
  return known;
}

function tomState(page, [evaluator, peer, predicted, said, outcome], order, position, over) {
  const predicting = page.seats[evaluator];
  if (!predicting) return over ? "missing" : "due";
  if (!tomReached(predicting, order, position)) return "due";
  if (!predicted) return "missing";
  const saying = page.seats[peer];
  if (!saying) return over || !page.nominated.includes(peer) ? "missing" : "waiting";
  if (!tomReached(saying, order, position)) return "waiting";
  return said ? TOM_OUTCOMES[outcome] : "missing";
}

/** How many pairs are in each state; `lost` are missing texts that the audit called unknown. */
export function tomCounts(states) {
  const counts = { consistent: 0, inconsistent: 0, unknown: 0, unjudged: 0, missing: 0, waiting: 0, due: 0, ahead: 0, lost: 0 };
  for (const { state, lost } of states.values()) {
    counts[state] += 1;
    if (lost) counts.lost += 1;
  }
  return counts;
}

/** The summary of a turn in one line. */
export function tomSummary(counts, total) {
  if (!total) return "No prediction was due in this turn.";
  if (counts.ahead === total) return "The turn has not begun: there is no goal yet.";
  const said = [];
  const judged = counts.consistent + counts.inconsistent;
  if (judged) said.push(`${counts.consistent} consistent of ${judged} judged`);
  const unknown = counts.unknown + counts.lost;
  if (unknown) said.push(`${unknown} ${unknown === 1 ? "verdict" : "verdicts"} unknown${counts.lost ? ` (${counts.lost} for a missing text)` : ""}`);
  if (counts.unjudged) said.push(`${counts.unjudged} not judged`);
  if (counts.missing > counts.lost) said.push(`${counts.missing - counts.lost} missing`);
  if (counts.waiting) said.push(`${counts.waiting} not yet said`);
  if (counts.due) said.push(`${counts.due} not yet predicted`);
  return said.join(" · ");
}

/** A strip's drawing: `width` x `height`, a line of cosines with gaps, and a mark a point.
 *
 * `points` are as the page has them; those after `last` have not happened and are left out, and
 * `states` may say of the point `last` what is known of it. Marks are {x, y, kind, place}.
 */
export function tomStrip(points, { width, height, pad, scale, last, now }) {
  const step = points.length > 1 ? (width - 2 * pad) / (points.length - 1) : 0;
  const x = (i) => (points.length > 1 ? pad + i * step : width / 2);
  const y = (cosine) => height - pad - cosine * (height - 2 * pad);
  const lines = [];
  const marks = [];
  let line = [];
  points.forEach((point, i) => {
    let { kind, cosine } = tomPoint(point, scale);
    if (i > last) kind = null;
    if (i === last && now !== undefined) {
      kind = now.state === "ahead" || now.state === "due" || now.state === "waiting" ? null : now.state;
      cosine = now.cosine;
    }
    if (kind === null || cosine === null) {
      if (line.length > 1) lines.push(line);
      line = [];
    } else line.push([x(i), y(cosine)]);
    if (kind !== null) marks.push({ x: x(i), y: cosine === null ? height / 2 : y(cosine), kind, place: i });
  });
  if (line.length > 1) lines.push(line);
  return { x, y, step, lines, marks };
}

function tomPoint(point, scale) {
  if (point === null) return { kind: null, cosine: null };
  if (scale === 1) return { kind: TOM_OUTCOMES[point[0]], cosine: point[1] };
  return { kind: tomMost(point), cosine: point[5] };
}

/** What a bin is drawn as: what more than half of its verdicts said, "split" where no such half is;
 * where there is no verdict, whether more texts are missing than not judged.
 */
export function tomMost([consistent, inconsistent, unknown, missing, unjudged]) {
  const verdicts = consistent + inconsistent + unknown;
  if (!verdicts) return missing > unjudged ? "missing" : "unjudged";
  for (const [kind, many] of Object.entries({ consistent, inconsistent, unknown })) if (many * 2 > verdicts) return kind;
  return "split";
}

/** A polyline as the `d` of a path. */
export function tomPath(line) {
  return line.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/** The point that is nearest to `x`. */
export function tomNearest(x, many, width, pad) {
  if (many < 2) return 0;
  const place = Math.round(((x - pad) / (width - 2 * pad)) * (many - 1));
  return Math.max(0, Math.min(many - 1, place));
}

/** The place to go to by a key in a grid of `rows` x `columns`, or null for other keys. */
export function tomMove(key, row, column, rows, columns) {
  const to = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, 0],
    End: [row, columns - 1],
  }[key];
  if (!to) return null;
  const held = (n, most) => Math.max(0, Math.min(most - 1, n));
  return [held(to[0], rows), held(to[1], columns)];
}
