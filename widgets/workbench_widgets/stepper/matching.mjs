// Which events a search, a filter or a breakpoint means; find.py says the same in a kernel.

const STP_WORD = /"([^"]*)"?|([^\s"]+)/g;

/** What must occur, in small letters: words, and "phrases". */
export function stpWords(text) {
  const found = [...String(text ?? "").matchAll(STP_WORD)].map((m) => m[1] || m[2] || "");
  return found.filter(Boolean).map((word) => word.toLowerCase());
}

/** Whether a query asks for anything. */
export function stpAsks(query) {
  return Boolean(stpWords(query.text).length || query.agent || query.kind || query.verdict || query.flags);
}

/** Whether `query` needs the event in full. */
export function stpNeedsDetail(query) {
  return stpWords(query.text).length > 0;
}

/** Whether a query holds for an event: its row, the run's agents, its page in full, and the pool. */
export function stpHolds(query, row, agents, detail, text) {
  const [, kind, path, , place, , verdicts, flags] = row;
  if (query.flags && !(query.flags & flags)) return false;
  if (query.kind && query.kind !== kind) return false;
  if (query.verdict && !verdicts.some(([auditor, verdict]) => `${auditor}:${verdict}` === query.verdict)) return false;
  const agent = place === null ? null : agents[place];
  if (query.agent && query.agent !== agent?.[0]) return false;
  const words = stpWords(query.text);
  if (!words.length) return true;
  const hay = [path, kind, ...(agent ?? []), ...stpSaid(detail, query.prompts, text)].join("\n").toLowerCase();
  return words.every((word) => hay.includes(word));
}

/** The texts of an event that a search looks in. */
export function stpSaid(detail, prompts, text) {
  const out = [];
  const take = (value) => stpLeaves(value, text, out);
  const { event } = detail;
  if (event === "asked") {
    const parts = detail.ask.parts.map(([words]) => words);
    take(prompts ? parts : parts.slice(-1));
  } else if (event === "answered") take(detail.ask?.reply ?? "");
  else if (event === "said") take(detail.said);
  else if (event === "posted") take(detail.data.map(([, value]) => value));
  else if (event === "called") take([detail.tool, detail.args]);
  else if (event === "consulted") take([detail.asked, detail.choices]);
  else if (event === "returned") take(detail.value);
  else if (event === "failed") take([detail.failed.error, detail.failed.message]);
  else if (event === "run_started") take([detail.protocol, detail.params.map(([, value]) => value)]);
  else if (event === "run_ended") take([detail.ended.status, detail.ended.error, detail.ended.result]);
  for (const judged of detail.judged) take([judged.reason, judged.rules.map(([, , why]) => why)]);
  return out;
}

/** The texts in a value of a page; names of fields and numbers are none. */
export function stpLeaves(value, text, out) {
  if (typeof value === "string") out.push(value);
  else if (Array.isArray(value)) for (const item of value) stpLeaves(item, text, out);
  else if (value !== null && typeof value === "object") {
    if ("t" in value) out.push(text(value));
    else for (const [, item] of value.o) stpLeaves(item, text, out);
  }
}
