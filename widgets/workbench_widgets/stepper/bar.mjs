// Step, back, jump and play; and the keys that do the same while the stepper has the focus.

import { count, el, enable, show, svg } from "../shared/dom.mjs";
import { stpBit, stpSeek, stpTurnRange } from "../stepper/geometry.mjs";

const STP_SPEEDS = [1, 2, 5, 10, 25];

const STP_ICONS = {
  first: "M4 3v10M13 3L6 8l7 5z",
  turnBack: "M8 3L2 8l6 5zM14 3L8 8l6 5z",
  back: "M11 3L4 8l7 5z",
  play: "M4 2.5l9 5.5-9 5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  step: "M5 3l7 5-7 5z",
  turnOn: "M2 3l6 5-6 5zM8 3l6 5-6 5z",
  last: "M12 3v10M3 3l7 5-7 5z",
};

export const STP_ORDERS = {
  happened: ["As it happened", "In the order in which the answers came in: what ran at the same time is interleaved."],
  path: ["By path", "In causal order, then by path: the same for every recording, whoever answered first."],
};

/** Make the bar; `stops()` gives the breakpoints' {bits} or null. Returns {node, paint, keys, close}. */
export function stpBar(walk, store, stops, focusSearch, announce) {
  let timer = 0;
  const button = (icon, name, act) => {
    const made = el("button", { type: "button", class: "wbw-step-icon", "aria-label": name, title: name, onclick: act });
    stpIcon(made, icon);
    return made;
  };
  const moved = (act) => () => {
    pause();
    act();
  };
  const first = button("first", "First event (Home)", moved(() => walk.go(0)));
  const turnBack = button("turnBack", "Back a turn (Shift+Left)", moved(() => walk.stepTurn(-1)));
  const back = button("back", "Back (Left)", moved(() => walk.step(-1)));
  const play = button("play", "Play (Space)", () => toggle());
  const step = button("step", "Step (Right)", moved(() => walk.step(1)));
  const turnOn = button("turnOn", "Next turn (Shift+Right)", moved(() => walk.stepTurn(1)));
  const last = button("last", "Last event (End)", moved(() => walk.go(walk.count - 1)));
  const speed = el("select", { "aria-label": "Speed", title: "Events a second", onchange: () => timer && start() }, STP_SPEEDS.map((n) => el("option", { value: n, selected: n === 5 }, `${n} / s`)));
  const turn = el("input", { type: "number", "aria-label": "Turn", class: "wbw-step-number" });
  const event = el("input", { type: "number", min: 1, "aria-label": "Event", class: "wbw-step-number" });
  // What was typed gives way to where one is, also while the field has the focus.
  stpEntered(turn, () => walk.goTurn(turn.value) || (turn.value = walk.turns[walk.turn]?.[0] ?? ""));
  stpEntered(event, () => {
    if (event.value) walk.goAt(Math.round(Number(event.value)) - 1);
    event.value = walk.at + 1;
  });
  const turns = el("span", { class: "wbw-soft" });
  const events = el("span", { class: "wbw-soft" });
  const order = el("select", { "aria-label": "Order", onchange: () => store.set("order", order.value) }, Object.entries(STP_ORDERS).map(([name, [words]]) => el("option", { value: name }, words)));
  const why = el("span", { class: "wbw-step-why wbw-soft" });
  const turnField = el("label", { class: "wbw-step-field" }, "Turn", turn, turns);
  const node = el(
    "div",
    { class: "wbw-step-bar", role: "toolbar", "aria-label": "Step" },
    el("div", { class: "wbw-step-buttons" }, first, turnBack, back, play, step, turnOn, last),
    el("div", { class: "wbw-step-fieldset" }, speed, turnField, el("label", { class: "wbw-step-field" }, "Event", event, events)),
    el("div", { class: "wbw-step-fieldset" }, el("label", { class: "wbw-step-field" }, "Order", order), why),
  );

  function toggle() {
    if (timer) pause();
    else if (walk.pos < walk.count - 1 || store.head.live) start();
    else {
      walk.go(0);
      start();
    }
  }

  function start() {
    clearInterval(timer);
    timer = setInterval(tick, 1000 / Number(speed.value));
    sign();
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    sign();
  }

  function tick() {
    if (walk.pos >= walk.count - 1) return store.head.live ? undefined : pause();
    walk.step(1);
    const found = stops();
    if (found && stpBit(found.bits, walk.pos)) {
      pause();
      announce(`Stopped at a breakpoint: event ${count(walk.at + 1)}.`);
    }
  }

  function sign() {
    stpIcon(play, timer ? "pause" : "play");
    const name = timer ? "Pause (Space)" : "Play (Space)";
    play.setAttribute("aria-label", name);
    play.title = name;
  }

  function paint() {
    const start = walk.pos <= 0;
    const end = walk.pos >= walk.count - 1;
    const refuge = first.closest(".wbw-step");
    for (const made of [first, turnBack, back]) enable(made, !start, refuge);
    for (const made of [step, turnOn, last]) enable(made, !end, refuge);
    const now = walk.turns[walk.turn]?.[0] ?? null;
    for (const made of [turnField, turnBack, turnOn]) made.hidden = now === null;
    if (turn.getRootNode().activeElement !== turn) turn.value = now ?? "";
    if (event.getRootNode().activeElement !== event) event.value = walk.at + 1;
    turns.textContent = now === null ? "" : stpTurnOf(walk.turns, walk.turn);
    events.textContent = `of ${count(walk.count)}`;
    order.value = walk.order;
    why.textContent = STP_ORDERS[walk.order][1];
  }

  /** Go on to the next breakpoint at once. */
  function toStop() {
    pause();
    const found = stops();
    const place = found ? stpSeek(found.bits, walk.pos, 1, walk.count) : -1;
    if (place < 0) announce("No breakpoint lies ahead.");
    else walk.go(place);
  }

  /** Act on a key; tells whether it was one of the stepper's. */
  function keys(pressed) {
    if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return false;
    const act = {
      ArrowRight: () => (pressed.shiftKey ? walk.stepTurn(1) : walk.step(1)),
      ArrowLeft: () => (pressed.shiftKey ? walk.stepTurn(-1) : walk.step(-1)),
      Home: () => walk.go(0),
      End: () => walk.go(walk.count - 1),
      " ": toggle,
      "/": focusSearch,
    }[pressed.key];
    if (!act) return false;
    if (pressed.key !== " ") pause();
    act();
    return true;
  }

  return { node, paint, keys, toStop, close: pause };
}

/** What stands after a turn's number: "of 3", or "of 0 to 3"; where a turn is left and come back to, which part. */
function stpTurnOf(turns, place) {
  const [least, most, again] = stpTurnRange(turns);
  const range = least === 1 ? `of ${count(most)}` : `of ${count(least)} to ${count(most)}`;
  return again ? `${range}, part ${count(place + 1)} of ${count(turns.length)}` : range;
}

/** Act on a number that was typed, also on the same one again. */
function stpEntered(field, act) {
  field.addEventListener("change", act);
  field.addEventListener("keydown", (pressed) => pressed.key === "Enter" && act());
}

function stpIcon(button, name) {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  show(button, svg("svg", { viewBox: "0 0 16 16", width: "1.1em", height: "1.1em", "aria-hidden": "true" }, svg("path", { d: STP_ICONS[name] })));
}
