// What a run under way waits for, in words: whom it asks, whether a model is still loading, since when.

import { el, legible, plural, show, visible } from "../shared/dom.mjs";

/** "Asking gpt-4o: 3 calls are pending.", or that a model is loading first. */
export function stpWaitWords({ many, calls, loading }) {
  if (!many) return "Nothing is asked yet.";
  const pending = `${plural(many, "call")} ${many === 1 ? "is" : "are"} pending`;
  if (loading.length) return `Loading ${loading.map(legible).join(" and ")}, which takes a while the first time; ${pending}.`;
  const asked = [...new Set(calls.map(([, , by]) => by).filter((by) => by !== null))];
  return asked.length ? `Asking ${asked.map(legible).join(", ")}: ${pending}.` : `${pending}.`;
}

/** Show the pending calls: the agent, who is asked (or will be), the path; `more(path)` adds to each. */
export function stpWaitList(node, { many, calls }, asks, more = () => null) {
  return show(
    node,
    calls.map(([path, agent, by]) => el("li", {}, agent === null ? null : [el("b", {}, legible(agent)), " "], by === null ? null : el("span", { class: "wbw-soft" }, `${asks} ${legible(by)} `), el("span", { class: "wbw-path" }, visible(path)), more(path))),
    many > calls.length ? el("li", { class: "wbw-soft" }, `and ${plural(many - calls.length, "more call")}`) : null,
  );
}

/** A clock; `set(began)` with seconds of the epoch starts it, with null stops it.
 *
 * What begins while one looks is timed here, since the kernel's clock may be another one.
 */
export function stpClock() {
  const node = el("span", { class: "wbw-step-clock wbw-soft" });
  let began = null;
  let idle = false;
  let start = 0;
  let timer = 0;
  const tell = () => {
    node.textContent = stpLasting((performance.now() - start) / 1000);
  };
  function set(value) {
    if (value !== began || value === null) {
      clearInterval(timer);
      node.textContent = "";
    }
    if (value !== null && value !== began) {
      start = performance.now() - (idle ? 0 : Math.max(0, Date.now() - value * 1000));
      timer = setInterval(tell, 1000);
      tell();
    }
    idle = value === null;
    began = value;
  }
  return { node, set, close: () => clearInterval(timer) };
}

/** How long something has lasted, in calm words. */
export function stpLasting(seconds) {
  const whole = Math.floor(seconds);
  if (whole < 2) return "just begun";
  if (whole < 60) return `for ${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `for ${minutes} min ${whole % 60} s` : `for ${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
