// The explorer: the stepper, and beside it one of the other views, all on one store.

import { board } from "../board/widget.js";
import { consultView } from "../consult/widget.js";
import { graphView } from "../graph/widget.js";
import { el, show, trouble } from "../shared/dom.mjs";
import { stepper } from "../stepper/widget.js";
import { tomBoard } from "../tom/widget.js";

const EXPLORER_CONSULTED = ["consultation", "verification"]; // protocols that have a view of their own
const EXPLORER_VIEWS = [
  ["Board", board],
  ["Theory of Mind", tomBoard, (store) => !store.head.live && store.peek("tom_about", "")?.turns === 0],
  ["Graph", graphView],
]; // title, view, and whether a run has nothing for it

/** Lay out all views of a run as one; the stepper's controls serve them all. */
export function explorer(root, store) {
  store.options = { ...store.options, rail: false };
  const cleanups = [];
  const step = el("section", { class: "wbw-explorer-step", "aria-label": "Stepper" });
  const tabs = el("div", { class: "wbw-explorer-tabs", role: "tablist", "aria-label": "Views" });
  const side = el("section", { class: "wbw-explorer-side" }, tabs);
  root.append(el("div", { class: "wbw-explorer" }, step, side));

  const mount = (place, view) => {
    try {
      const cleanup = view(place, store);
      if (cleanup) cleanups.push(cleanup);
    } catch (error) {
      show(place, trouble(error));
    }
  };
  mount(step, stepper);

  const consulted = EXPLORER_CONSULTED.includes(store.head.protocol) ? [["Consultation", consultView]] : [];
  const panels = [...consulted, ...EXPLORER_VIEWS].map(([title, view, idle = () => false]) => {
    const panel = el("div", { role: "tabpanel", "aria-label": title, tabindex: "-1", hidden: true });
    const tab = el("button", { role: "tab", type: "button", onclick: () => choose(panels.indexOf(made)) }, title);
    const made = { tab, panel, view, idle, mounted: false };
    tabs.append(tab);
    side.append(panel);
    return made;
  });

  function choose(place, focus = false) {
    panels.forEach(({ tab, panel }, index) => {
      const on = index === place;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      panel.hidden = !on;
    });
    const chosen = panels[place];
    if (!chosen.mounted) {
      chosen.mounted = true;
      mount(chosen.panel, chosen.view);
    }
    if (focus) chosen.tab.focus();
  }
  const sift = () => panels.forEach(({ tab, panel, idle }) => (tab.hidden = panel.hidden && idle(store)));
  tabs.addEventListener("keydown", (event) => {
    const step_ = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step_ === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const open = panels.filter(({ tab }) => !tab.hidden);
    const now = open.findIndex(({ panel }) => !panel.hidden);
    choose(panels.indexOf(open[(now + step_ + open.length) % open.length]), true);
  });
  choose(0);
  sift();
  cleanups.push(store.on("head", sift));
  return () => cleanups.forEach((cleanup) => cleanup());
}
