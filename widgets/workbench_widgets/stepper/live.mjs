// The live edge of a session: its buttons drive the run; the cursor is another thing.

import { count, el, failing, plural, show, trouble, visible } from "../shared/dom.mjs";
import { stpClock, stpWaitList, stpWaitWords } from "../stepper/waits.mjs";

/** Make the panel; `stops()` gives the breakpoints as queries. Returns {node, paint, close}. */
export function stpLive(walk, store, stops, announce) {
  const button = (name, unit) => el("button", { type: "button", onclick: () => drive(unit) }, name);
  const next = button("Step to the next answer", "answer");
  const turn = button("Finish the turn", "turn");
  const play = button("Play to a stop or the end", "play");
  const stop = el("button", { type: "button", onclick: () => act("stop") }, "Stop");
  const edge = el("button", { type: "button", class: "wbw-step-link", onclick: () => walk.go(walk.count - 1) }, "Go to the live edge");
  const state = el("p", { role: "status" });
  const waiting = el("ul", { class: "wbw-step-waiting" });
  const wrong = el("div", {});
  const clock = stpClock();
  const node = el("section", { class: "wbw-step-live", "aria-label": "The live run" }, el("div", { class: "wbw-step-state" }, state, clock.node), el("div", { class: "wbw-step-fieldset" }, next, turn, play, stop, edge), waiting, wrong);
  let error = null;

  function act(name, given) {
    return store.act(name, given).catch((problem) => {
      error = problem;
      paint();
      return null;
    });
  }

  async function drive(unit) {
    error = null;
    paint();
    const done = await act("drive", { unit, stops: stops() });
    if (done?.failed) announce("The world did not answer; it can be asked again.");
    else if (done?.stopped) announce("Stopped at a breakpoint.");
  }

  function paint() {
    const { head } = store;
    node.hidden = !head.session;
    if (!head.session) return;
    const doing = store.live && head.doing?.what !== "fork" ? head.doing : null;
    const able = head.live && store.live && !head.doing;
    for (const made of [next, turn, play]) made.disabled = !able;
    turn.hidden = walk.turns.every(([number]) => number === null);
    stop.disabled = !doing || doing.stopping;
    edge.disabled = walk.pos >= walk.count - 1;
    const where = walk.pos >= walk.count - 1 ? "the cursor is at its edge" : `the cursor is ${plural(walk.count - 1 - walk.pos, "event")} behind its edge`;
    state.textContent = stpLiveWords(store, doing, where);
    clock.set(doing ? doing.began : null);
    node.classList.toggle("wbw-step-busy", Boolean(doing));
    const failed = new Map(head.failures.map((failure) => [failure.path, failure]));
    const retried = head.pending.some((path) => failed.has(path));
    next.textContent = retried && !doing ? "Ask again" : "Step to the next answer";
    stpWaitList(waiting, head.waits, doing ? "asks" : "will ask", (path) => {
      const failure = failed.get(path);
      return failure ? [el("br"), el("span", { class: "wbw-bad" }, `✗ failed: ${failing(failure)}`)] : null;
    });
    show(wrong, error ? trouble(error) : null);
  }

  return { node, paint, close: clock.close };
}

/** How the live run stands, in words. */
function stpLiveWords(store, doing, where) {
  const { head } = store;
  if (!head.live) return head.status === "interrupted" ? "This session is closed, before the end of its run; only the cursor moves now." : "The live run has ended; only the cursor moves now.";
  if (!store.live) return `The run was live when this view was saved; without a kernel nothing drives it, and ${where}.`;
  if (!doing) return `The run is live and waits; ${where}.`;
  const asks = stpWaitWords(head.waits);
  if (doing.stopping) return `Stopping: nothing new is sent; what is under way is waited for, since it is paid for. ${asks}`;
  return `Running. ${asks} ${plural(head.events, "event")} so far; ${where}.`;
}

/** The lineage of a fork in words: what was changed, by which rule, and what was kept. */
export function stpLineage(head) {
  const { lineage } = head;
  if (!lineage) return null;
  const edits = lineage.edits ?? [];
  const told = edits.map(([how, what]) => [`${how} `, el("span", { class: "wbw-path" }, visible(what)), "; "]);
  const rule = lineage.rule === "prefix" ? "what does not depend on the change is kept, all after it is live" : "only asks whose request changed are live; the branches share samples";
  return el(
    "p",
    { class: "wbw-step-lineage" },
    el("b", {}, "A fork"),
    ` of run ${visible(lineage.parent.slice(0, 12))}${lineage.depth > 1 ? ` (${count(lineage.depth)} forks deep)` : ""}: `,
    told,
    `rule ${visible(lineage.rule)} (${rule}); ${plural(head.usage.inherited, "answer")} inherited, ${plural(head.usage.calls, "live call")}.`,
  );
}
