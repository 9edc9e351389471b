// Mount a view into an anywidget cell; an error in the view is shown in its place.

import { el, show, trouble } from "../shared/dom.mjs";
import { modelStore } from "../shared/store.mjs";

const HOST_SEVERED = ".jupyter-widgets-disconnected"; // a notebook's sign of a model without a kernel

/** Mount `view` on a model; returns the cleanup that anywidget calls. */
export function host(cell, model, view) {
  const store = modelStore(model, () => cell.closest(HOST_SEVERED) !== null);
  const root = el("div", { class: "wbw" });
  root.classList.toggle("wbw-presenter", store.options.presenter === true);
  const note = el("div", { class: "wbw-notes", "aria-live": "polite" });
  const state = el("div", { class: "wbw wbw-notes", role: "status" });
  cell.append(state, root, note);
  const tell = () => {
    const words = store.get("gone") ? hostGone(store.head) : store.get("late") ? "Still waiting for the kernel: it may be busy with another cell." : null;
    show(state, words ? el("p", { class: "wbw-gone" }, words) : null);
  };
  const offs = ["gone", "late", "head"].map((name) => store.on(name, tell));
  tell();
  const off = store.on("problem", (problem) => show(note, problem ? trouble(problem) : null));
  if (store.state.problem) show(note, trouble(store.state.problem));
  let cleanup = () => {};
  try {
    cleanup = view(root, store) ?? cleanup;
  } catch (error) {
    show(root, trouble(error));
  }
  note.classList.add("wbw");
  return () => {
    off();
    offs.forEach((one) => one());
    cleanup();
    store.close();
    state.remove();
    root.remove();
    note.remove();
  };
}

/** What still works in a saved view, in words. */
function hostGone(head) {
  const here = head.complete ? "The saved view still steps through the whole run" : "The saved view still steps through what was loaded of the run";
  return `No kernel answers this view. ${here}; to do more with it, run the cell again.`;
}
