// The stepper's view.

import { badge, called, el, show, visible } from "../shared/dom.mjs";
import { host } from "../shared/host.mjs";

export function stepper(root, store) {
  const where = el("p", {});
  const back = el("button", { onclick: () => store.set("at", Math.max(0, store.get("at") - 1)) }, "Back");
  const next = el("button", { onclick: () => store.set("at", Math.min(store.head.events - 1, store.get("at") + 1)) }, "Step");
  const paint = () => {
    const at = store.get("at");
    const page = store.peek("rows", `happened/${Math.floor(at / 200)}`);
    const row = page?.rows[at - page.start];
    show(where, `${at + 1} of ${store.head.events}: `, row ? visible(row[2]) : "...", badge(store.head.status));
  };
  root.append(el("h3", {}, visible(store.head.title)), back, next, where);
  paint();
  return store.on("at", paint);
}
