// How verdicts and states are shown, and what auditors are called: as workbench/record/judgement.py.

export const GOOD = new Set(["VALID", "consistent", "effective", "supported", "accept", "complete", "advance", "conclude"]);
export const BAD = new Set(["INVALID", "inconsistent", "ineffective", "refuted", "reject", "ruled out", "failed", "unparsed"]);
export const UNSURE = new Set(["unknown", "interrupted"]);

/** What an auditor is called where one reads it. */
export const AUDITORS = { logic: "Logic", tom: "Theory of Mind", rag: "RAG" };

/** The kind of a verdict or a state, which gives it its colour and its sign. */
export function verdictKind(word) {
  return GOOD.has(word) ? "good" : BAD.has(word) ? "bad" : UNSURE.has(word) ? "unsure" : "plain";
}

/** The sign of a verdict; empty for a word that is none of the known. */
export function verdictSign(word) {
  return { good: "✓", bad: "✗", unsure: "?", plain: "" }[verdictKind(word)];
}
