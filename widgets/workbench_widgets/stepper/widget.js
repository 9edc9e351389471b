// The stepper: a run, event by event, forward and back.

import { badge, count, dollars, el, failing, plural, show, trouble, visible } from "../shared/dom.mjs";
import { stpBar } from "../stepper/bar.mjs";
import { stpDetail } from "../stepper/detail.mjs";
import { stpFinder } from "../stepper/finder.mjs";
import { stpFork } from "../stepper/fork.mjs";
import { stpList } from "../stepper/list.mjs";
import { stpLineage, stpLive } from "../stepper/live.mjs";
import { stpOverview } from "../stepper/overview.mjs";
import { stpTimeline } from "../stepper/timeline.mjs";
import { StpWalk } from "../stepper/walk.mjs";

const STP_FRAME_MS = 12;
const STP_WAIT_MS = 150;
const STP_TYPING = "input, select, textarea, [contenteditable]";

/** Show a run's events; returns the cleanup. */
export function stepper(root, store) {
  let frame = 0;
  let speaking = 0;
  const due = new Set();
  const size = { em: 14, width: 600, whole: 600, list: 300 };
  let painted = 0;
  let late = 0; // the old picture stays while rows are on their way, though not for long
  let waited = false;
  const walk = new StpWalk(store, (what) => {
    due.add(what);
    if (what === "place") ask();
    if (frame) return;
    // A lone step is shown at once; many in a row, once a frame.
    frame = requestAnimationFrame(paint);
    if (performance.now() - painted > STP_FRAME_MS) queueMicrotask(() => frame && paint());
  });
  const about = el("header", { class: "wbw-step-about" });
  const spoken = el("p", { class: "wbw-step-spoken", role: "status", "aria-live": "polite" });
  const note = el("p", { class: "wbw-step-note wbw-soft", role: "status" });
  const wrong = el("div", {});
  const announce = (words) => {
    note.textContent = words;
  };
  const overview = stpOverview(walk);
  const line = stpTimeline(walk, store);
  const list = stpList(walk, store);
  const detail = stpDetail(walk, store, () => walk.changed("detail"));
  const finder = stpFinder(walk, store, () => walk.changed("found"), () => bar.toStop(), announce);
  const bar = stpBar(walk, store, () => finder.stops, () => finder.focus(), announce);
  const live = stpLive(walk, store, () => finder.stopQueries(), announce);
  const fork = stpFork(walk, store, () => detail.page, announce);
  const panes = el("div", { class: "wbw-step-panes" }, list.node, detail.node);
  const node = el(
    "section",
    { class: "wbw-step", tabindex: "0", "aria-label": "Stepper: arrow keys step, with Shift by turn; Space plays; Home, End; / searches", "data-lm-suppress-shortcuts": "true" },
    about, live.node, overview.node, bar.node, note, line.node, wrong, finder.node, panes, fork.node, spoken,
  );
  root.append(node);

  node.addEventListener("keydown", (event) => {
    const { target } = event;
    const own = target.closest?.("button, summary, a");
    if (target.closest?.(STP_TYPING)) {
      if (event.key === "Escape") node.focus();
    } else if (!(own && (event.key === " " || event.key === "Enter")) && bar.keys(event)) event.preventDefault();
    event.stopPropagation(); // the notebook has keys of its own
  });
  // A click on the timeline or a row gives the stepper the focus, so that the arrows work at once.
  node.addEventListener("pointerup", (event) => {
    if (!event.target.closest?.(`${STP_TYPING}, button, summary, [tabindex="0"]:not(.wbw-step)`)) node.focus({ preventScroll: true });
  });

  /** Ask for what a place needs before it is painted. */
  function ask() {
    const at = String(walk.at);
    if (store.peek("detail", at) === undefined) store.load("detail", at).catch(() => {}); // told when painted
    walk.row(walk.pos);
  }

  function paint() {
    cancelAnimationFrame(frame);
    frame = 0;
    const moved = due.has("place") || due.has("turns");
    try {
      if (due.has("turns")) {
        stpAbout(about, store.head);
        finder.run();
      }
      if (walk.row(walk.pos) || due.has("late")) {
        clearTimeout(late);
        late = 0;
        list.paint(size, finder.found, moved || waited);
        line.paint(size, finder.found);
        waited = false;
      } else {
        waited = true;
        late ||= setTimeout(() => walk.changed("late"), STP_WAIT_MS);
      }
      detail.paint();
      line.read(detail.page);
      bar.paint();
      finder.paint();
      live.paint();
      fork.paint();
      overview.paint(size, line.window, finder.found);
      show(wrong, walk.error ? trouble(walk.error) : null);
      if (moved) say();
    } catch (error) {
      show(wrong, trouble(error));
    }
    due.clear();
    painted = performance.now();
  }

  /** Tell a screen reader where one is, once one has come to rest. */
  function say() {
    clearTimeout(speaking);
    speaking = setTimeout(() => {
      const row = walk.row(walk.pos);
      const turn = row?.[3] ?? null;
      spoken.textContent = row ? `Event ${row[0] + 1} of ${walk.count}${turn === null ? "" : `, turn ${turn}`}: ${visible(row[5])}` : "";
    }, 400);
  }

  // Sizes are read here alone: reading them while painting would lay the page out at each step.
  const measure = () => {
    size.em = parseFloat(getComputedStyle(line.node).fontSize) || 14;
    size.width = line.track.clientWidth || 600;
    size.whole = overview.node.clientWidth || 600;
    size.list = list.node.clientHeight || 300;
  };
  const sized = new ResizeObserver(() => {
    measure();
    walk.changed("place");
  });
  for (const box of [node, list.node]) sized.observe(box);
  const offs = [store.on("head", () => stpAbout(about, store.head)), store.on("gone", () => walk.changed("gone"))];
  stpAbout(about, store.head);
  measure();
  walk.reset();
  cancelAnimationFrame(frame);
  paint();
  return () => {
    for (const off of offs) off();
    live.close();
    fork.close();
    walk.close();
    bar.close();
    finder.close();
    clearTimeout(speaking);
    clearTimeout(late);
    cancelAnimationFrame(frame);
    sized.disconnect();
    node.remove();
  };
}

/** What ran, how it stands, and why it stopped if it did. */
function stpAbout(node, head) {
  const { usage } = head;
  const facts = [
    plural(head.agents.length, "agent"),
    plural(usage.calls, "model call"),
    plural(usage.tokens_in + usage.tokens_out, "token"),
    `cost ${dollars(usage.cost_usd)}`,
    ...head.models.slice(0, 3).map(visible),
  ];
  show(
    node,
    el("p", { class: "wbw-soft" }, `${visible(head.protocol)} run `, badge(head.live ? "live" : head.status)),
    el("h3", {}, visible(head.title)),
    el("p", { class: "wbw-soft" }, facts.join(" · ")),
    stpLineage(head),
    head.error ? trouble({ message: `The run failed: ${head.error}` }) : null,
    !head.live && head.failed && !head.error ? trouble({ message: `The run stopped: ${stpWhy(head)}` }) : null,
  );
}

function stpWhy(head) {
  const told = head.failures.slice(0, 3).map((failure) => `${failure.path}: ${failing(failure)}`);
  return head.failed > told.length ? `${told.join("\n")}\nand ${count(head.failed - told.length)} more` : told.join("\n");
}
