// A rail to step on: back, a slider, forward. For a view that stands alone, without the stepper.

import { count, el, enable, trouble } from "../shared/dom.mjs";

const RAIL_PLACES = 5000;

/** Call `then` with a page: at once where it is here, else when it has come. */
export function railLoad(store, kind, key, then, fail) {
  const known = store.peek(kind, key);
  if (known !== undefined) then(known);
  else store.load(kind, key).then(then, fail);
}

/** Call `then` with the place at which the event `at` stands in the order that is stepped in. */
export function railPlace(store, at, then, fail) {
  if (store.get("order") !== "path") then(at);
  else
    railLoad(store, "places", Math.floor(at / RAIL_PLACES), (page) => then(page.places[at % RAIL_PLACES]), fail);
}

/** Call `then` with the event at a place. */
export function railEvent(store, place, then, fail) {
  if (store.get("order") !== "path") then(place);
  else
    railLoad(store, "places", Math.floor(place / RAIL_PLACES), (page) => then(page.events[place % RAIL_PLACES]), fail);
}

/** The rail; `node` is its element, `off` its cleanup. It is empty where `options.rail` is false. */
export function rail(store) {
  const node = el("div", { class: "wbw-rail", role: "group", "aria-label": "Step through the run" });
  if (store.options.rail === false) {
    node.hidden = true;
    return { node, off: () => {} };
  }
  const note = el("span", { class: "wbw-rail-note" });
  const fail = (error) => note.replaceChildren(trouble(error));
  let place = 0;
  const go = (to) => {
    const last = store.head.events - 1;
    railEvent(store, Math.min(last, Math.max(0, to)), (at) => store.set("at", at), fail);
  };
  const slider = el("input", {
    type: "range",
    min: 0,
    "aria-label": "Event",
    oninput: () => go(Number(slider.value)),
  });
  const back = el("button", { type: "button", "aria-label": "Step back", onclick: () => go(place - 1) }, "‹");
  const next = el("button", { type: "button", "aria-label": "Step forward", onclick: () => go(place + 1) }, "›");
  node.append(back, slider, next, note);
  const paint = () =>
    railPlace(
      store,
      store.get("at"),
      (found) => {
        place = found;
        const last = Math.max(0, store.head.events - 1);
        slider.max = String(last);
        slider.value = String(place);
        const order = store.get("order") === "path" ? "by path" : "as it happened";
        slider.setAttribute("aria-valuetext", `event ${place + 1} of ${store.head.events}, ${order}`);
        enable(back, place > 0, slider);
        enable(next, place < last, slider);
        note.textContent = `${count(place + 1)} of ${count(store.head.events)}`;
      },
      fail,
    );
  const offs = ["at", "order", "head"].map((name) => store.on(name, paint));
  paint();
  return { node, off: () => offs.forEach((off) => off()) };
}
