// Mount a view on the data of the page that it stands in: a hand-out, with no kernel.

import { el, trouble } from "../shared/dom.mjs";
import { pageStore } from "../shared/store.mjs";

/** Mount `view` in the element `view`, on the data in the element `run`. */
export function mountPage(view) {
  const place = document.getElementById("view");
  const root = el("div", { class: "wbw" });
  place.append(root);
  try {
    const data = JSON.parse(document.getElementById("run").textContent);
    root.classList.toggle("wbw-presenter", data.options.presenter === true);
    view(root, pageStore(data));
    root.querySelector(".wbw-step")?.focus({ preventScroll: true }); // the page is its own: the arrows work at once
  } catch (error) {
    root.append(trouble(error));
  }
}
