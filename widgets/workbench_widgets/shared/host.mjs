// Mount a view into an anywidget cell; an error in the view is shown in its place.

import { el, show, trouble } from "../shared/dom.mjs";
import { modelStore } from "../shared/store.mjs";

/** Mount `view` on a model; returns the cleanup that anywidget calls. */
export function host(cell, model, view) {
  const store = modelStore(model);
  const root = el("div", { class: "wbw" });
  root.classList.toggle("wbw-presenter", store.options.presenter === true);
  const note = el("div", { class: "wbw-notes", "aria-live": "polite" });
  const late = el("div", { class: "wbw wbw-notes wbw-late", role: "status" });
  cell.append(root, late, note);
  const offLate = store.on("late", (many) => show(late, many ? el("p", { class: "wbw-soft" }, "Still waiting for the kernel: it may be busy with another cell.") : null));
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
    offLate();
    cleanup();
    store.close();
    root.remove();
    late.remove();
    note.remove();
  };
}
