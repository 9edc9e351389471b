// What is shown around a guess: what one knows before it, and guess and run side by side after it.

import { badge, called, el, hue, prose, visible } from "../shared/dom.mjs";
import { verdictSign } from "../shared/verdicts.mjs";

/** An agent's title in its colour. */
export function guessName(head, agent) {
  if (agent === null) return el("span", { class: "wbw-who" }, "the run");
  const title = called(head, agent);
  return el("span", { class: `wbw-who ${hue(head, agent)}`, dir: "auto" }, title.length > 60 ? `${title.slice(0, 60)}…` : title);
}

/** What may be known before the guess: the decision before, the goal, a prompt. */
export function guessContext(context, brief) {
  const parts = [];
  if (brief) parts.push(guessFold("The case", brief));
  if (context.before_goal) parts.push(guessFold("The goal of the turn before", context.before_goal));
  if (context.before) parts.push(guessEnd(context.before));
  parts.push(...guessGoal(context));
  if (context.prompt?.length) {
    const last = context.prompt.at(-1);
    if (context.prompt.length > 1) parts.push(guessFold("The prompt until then", context.prompt.slice(0, -1).join("\n\n")));
    parts.push(el("div", { class: "wbw-predict-goal" }, el("p", { class: "wbw-predict-label" }, "It is asked"), prose(last)));
  }
  return el("div", { class: "wbw-predict-context" }, ...parts);
}

function guessGoal({ goal, phase, rules }) {
  if (goal === undefined || goal === null) return [];
  const named = phase ? `The goal, in the phase ${visible(phase)}` : "The goal";
  const parts = [el("div", { class: "wbw-predict-goal" }, el("p", { class: "wbw-predict-label" }, named), prose(goal))];
  for (const [id, text] of rules ?? []) parts.push(el("p", { class: "wbw-predict-rule", dir: "auto" }, el("strong", {}, `New rule ${visible(id)}: `), visible(text)));
  return parts;
}

function guessEnd({ number, decision, reason, phase }) {
  return el("p", { class: "wbw-predict-end", dir: "auto" }, el("strong", {}, `Turn ${number} ended: ${visible(decision)}`), phase ? ` → ${visible(phase)}` : "", reason ? el("span", { class: "wbw-soft" }, visible(reason)) : null);
}

function guessFold(label, words) {
  return el("details", { class: "wbw-predict-fold" }, el("summary", {}, label), prose(words));
}

/** What was revealed in this turn before, folded. */
export function guessSoFar(head, hidden) {
  if (!hidden.length) return null;
  return el(
    "div",
    { class: "wbw-predict-sofar" },
    el("p", { class: "wbw-predict-label" }, "Said in this turn so far"),
    ...hidden.map(({ said: [said] }) => el("details", { class: "wbw-predict-fold" }, el("summary", {}, guessName(head, said[0])), guessWords(said))),
  );
}

/** Guess and run side by side, then what the peers had predicted; `about` is whom it was about. */
export function guessReveal(head, hidden, entry, unit, about, context) {
  const guess = el(
    "div",
    { class: "wbw-predict-side" },
    el("p", { class: "wbw-predict-label" }, "Your guess", about === null ? null : [" about ", guessName(head, about)]),
    entry.guess === null || entry.guess === undefined ? el("p", { class: "wbw-predict-none" }, "Skipped.") : prose(String(entry.guess)),
  );
  const many = unit === "turn";
  const [first] = hidden.said;
  const run = el(
    "div",
    { class: "wbw-predict-side wbw-predict-told" },
    el("p", { class: "wbw-predict-label" }, ...(many ? ["What happened"] : ["What ", guessName(head, first[0]), " said"])),
    ...(many ? [...guessGoal(hidden), ...hidden.said.map((said) => guessSaid(head, said))] : [guessWords(first)]),
    hidden.end ? guessEnd(hidden.end) : null,
  );
  const sides = el("div", { class: "wbw-predict-sides" }, guess, run);
  return [context.goal ? guessFold("The goal", context.goal) : null, sides, many ? null : guessForeseen(head, first[3])];
}

function guessSaid(head, said) {
  const [agent, , , foreseen] = said;
  return el(
    "div",
    { class: `wbw-predict-said ${hue(head, agent)}` },
    el("p", {}, guessName(head, agent)),
    guessWords(said),
    foreseen.length ? el("details", { class: "wbw-predict-fold" }, el("summary", {}, "What its peers had predicted"), guessForeseen(head, foreseen)) : null,
  );
}

function guessWords([, words, unread]) {
  return words === null ? guessUnread(unread) : prose(words);
}

function guessUnread(why) {
  return el("p", { class: "wbw-predict-none" }, `The reply could not be read: ${visible(why ?? "no reason was recorded")}`);
}

function guessForeseen(head, foreseen) {
  if (!foreseen.length) return null;
  return el(
    "section",
    { class: "wbw-predict-foreseen", "aria-label": "What the peers had predicted" },
    el("p", { class: "wbw-predict-label" }, "What its peers had predicted"),
    ...foreseen.map(([agent, words, verdict, cosine]) => {
      const mark = verdict ? badge(verdict) : null;
      if (verdictSign(verdict)) mark?.prepend(`${verdictSign(verdict)} `);
      return el(
        "div",
        { class: "wbw-predict-peer" },
        el("p", {}, guessName(head, agent), mark ? " " : null, mark, typeof cosine === "number" ? el("span", { class: "wbw-soft" }, ` cosine ${cosine.toFixed(2)}`) : null),
        prose(words),
      );
    }),
  );
}
