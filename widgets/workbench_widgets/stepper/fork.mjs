// "Fork here": ask the selected turn or question again, or put another answer in its place.

import { el, enable, plural, show, trouble, visible } from "../shared/dom.mjs";
import { stpClock, stpWaitList, stpWaitWords } from "../stepper/waits.mjs";

const STP_RULES = [
  ["prefix", "prefix: keep what does not depend on the change; everything after it is live (two samples from here on)"],
  ["unchanged", "unchanged: only asks whose request changed are live (cheaper, but the branches share samples)"],
];

/** Make the panel; `page()` is the selected event in full. Returns {node, paint, close}. */
export function stpFork(walk, store, page, announce) {
  const what = el("select", { "aria-label": "What to change", onchange: () => fill() });
  const rule = el("select", { "aria-label": "Rule" }, STP_RULES.map(([name, words]) => el("option", { value: name }, words)));
  const words = el("textarea", { rows: 6, "aria-label": "The answer in its place", class: "wbw-step-answer" });
  const draw = el("input", { inputmode: "numeric", "aria-label": "Seed", class: "wbw-step-number", placeholder: "auto" });
  const make = el("button", { type: "button", onclick: () => run() }, "Make the fork");
  const stop = el("button", { type: "button", onclick: () => act("stop") }, "Stop the fork");
  const hint = el("p", { class: "wbw-soft" });
  const state = el("p", { role: "status" });
  const clock = stpClock();
  const waiting = el("ul", { class: "wbw-step-waiting" });
  const wrong = el("div", {});
  const made = el("div", { class: "wbw-step-fieldset wbw-step-made" });
  const form = el(
    "details",
    { class: "wbw-step-forking" },
    el("summary", {}, "Fork here"),
    el("div", { class: "wbw-step-form" }, el("label", {}, "Change ", what), words, el("label", {}, "Rule ", rule), el("label", {}, "Seed of the live part ", draw), el("div", { class: "wbw-step-fieldset" }, make, hint)),
  );
  const under_way = el("section", { class: "wbw-step-live wbw-step-busy", "aria-label": "The fork under way" }, el("div", { class: "wbw-step-state" }, state, clock.node), el("div", { class: "wbw-step-fieldset" }, stop), waiting);
  const node = el("section", { class: "wbw-step-forks", "aria-label": "Forks" }, form, under_way, wrong, made);
  let error = null;
  let choices = [];
  let sign = "";

  form.addEventListener("toggle", () => fill());

  async function fill() {
    const choice = choices[what.selectedIndex];
    words.hidden = !choice?.edit;
    if (!choice?.edit || !form.open) return;
    try {
      const reply = await stpReply(store, page(), choice);
      if (choices[what.selectedIndex] === choice) words.value = reply;
    } catch (problem) {
      error = problem;
      paint();
    }
  }

  async function run() {
    const choice = choices[what.selectedIndex];
    if (!choice) return;
    error = null;
    const given = { path: choice.path, rule: rule.value, text: choice.edit ? words.value : null, seed: draw.value.trim() || null };
    try {
      const done = await store.act("fork", given);
      if (done.failed) error = new Error(done.failed);
      announce(stpMade(done));
    } catch (problem) {
      error = problem;
    }
    paint();
  }

  const act = (name, given) =>
    store.act(name, given).catch((problem) => {
      error = problem;
      paint();
    });

  function paint() {
    const { head } = store;
    node.hidden = !store.ask || !head.forks;
    if (node.hidden) return;
    const doing = store.live && head.doing?.what === "fork" ? head.doing : null;
    const detail = page();
    const now = `${head.shown}/${detail?.at}/${head.live}`;
    if (now !== sign) {
      sign = now;
      choices = stpChoices(detail, walk.row(walk.pos));
      show(what, choices.map(({ name }, i) => el("option", { value: i }, name)));
      form.hidden = head.live;
      fill();
    }
    under_way.hidden = !doing;
    enable(stop, doing && !doing.stopping, form.querySelector("summary"));
    make.disabled = !store.live || Boolean(head.doing) || !choices.length;
    hint.textContent = stpForkHint(store, choices);
    state.textContent = doing ? stpForkWords(doing) : "";
    clock.set(doing ? doing.began : null);
    stpWaitList(waiting, doing ? doing.waits : { many: 0, calls: [] }, "asks");
    show(wrong, error ? trouble(error) : null);
    const tab = (number, name) => el("button", { type: "button", disabled: !store.live, "aria-pressed": String(head.looking === number), onclick: () => head.looking !== number && act("look", { number }) }, name);
    show(
      made,
      head.forks.length
        ? [el("span", { class: "wbw-soft" }, "Look at"), tab(0, "the run"), head.forks.map((fork, i) => tab(i + 1, `fork ${i + 1} (${visible(fork.status)}, ${plural(fork.calls, "live call")})`))]
        : null,
    );
  }

  return { node, paint, close: clock.close };
}

/** What is wanting before a fork can be made, in words. */
function stpForkHint(store, choices) {
  if (!store.live) return "A fork needs a kernel: run the cell again.";
  if (store.head.doing) return "One thing at a time: something is under way.";
  return choices.length ? "" : "Select an event of a turn, a question or an answer.";
}

/** How it goes with a fork, in words. */
function stpForkWords(doing) {
  if (doing.stopping) return "Stopping the fork: what was answered is kept, what is under way is dropped.";
  return `Forking at ${visible(doing.path)}. ${stpWaitWords(doing.waits)} ${plural(doing.answered, "answer")} so far.`;
}

/** What has come of a fork, in words. */
function stpMade({ fork, stopped, file }) {
  if (!fork) return "No fork was made.";
  const where = file ? `stepper.forks[${fork - 1}] and ${visible(file)}` : `stepper.forks[${fork - 1}]`;
  return stopped ? `Fork ${fork} was stopped; what was answered is kept in ${where}.` : `Fork ${fork} is made: ${where}.`;
}

/** What can be changed at an event: [{name, path, edit}]. */
function stpChoices(detail, row) {
  if (!detail || !row) return [];
  const out = [];
  const ask = detail.ask?.path;
  const path = ask ?? detail.command?.[0];
  if (path) {
    if (ask) out.push({ name: `ask again: ${visible(path)}`, path, edit: false });
    else out.push({ name: `call again: ${visible(path)}`, path, edit: false });
    out.push({ name: `another answer to ${visible(path)}`, path, edit: true });
  }
  const turn = /^(?:.*?)\/turn=\d+(?=\/|$)/.exec(detail.path);
  if (turn) out.push({ name: `ask the whole turn again: ${visible(turn[0])}`, path: turn[0], edit: false });
  return out;
}

/** The recorded answer, to begin the edit with. */
async function stpReply(store, detail, { path }) {
  if (detail.ask?.path === path && detail.ask.reply) return store.text(detail.ask.reply);
  const at = detail.ask?.path === path ? detail.ask.answer : detail.answer;
  const answer = at === null || at === undefined ? detail : await store.load("detail", String(at));
  if (answer.ask?.reply) return store.text(answer.ask.reply);
  if (answer.said !== undefined) return typeof answer.said === "string" ? answer.said : store.text(answer.said);
  return "value" in answer ? JSON.stringify(stpPlain(answer.value, store), null, 1) : "";
}

/** A page's value as plain JSON again. */
function stpPlain(value, store) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => stpPlain(item, store));
  if ("t" in value) return store.text(value);
  return Object.fromEntries(value.o.map(([name, item]) => [name, stpPlain(item, store)]));
}
