// Elements, made from names, attributes and text. Text is set as text: nothing is parsed as HTML.

import { verdictKind } from "../shared/verdicts.mjs";

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element. `attrs`: `class`, `on...` (a listener), `dataset`, other attributes. */
export function el(tag, attrs = {}, ...children) {
  return fill(document.createElement(tag), attrs, children);
}

/** An SVG element. */
export function svg(tag, attrs = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attrs, children);
}

function fill(node, attrs, children) {
  for (const [name, value] of Object.entries(attrs ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

/** Put `children` in place of what `node` holds. */
export function show(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udfff](?![\udc00-\udfff])/gu;

/** `words` with the characters that cannot be seen, or that turn text around, written out. */
export function visible(words) {
  return String(words).replace(HIDDEN, (c) => `\\u${c.codePointAt(0).toString(16).padStart(4, "0")}`);
}

const NAMED = 300; // characters of a name; no view is laid out around a megabyte of it
const NAMES_END = 20; // of these at its end, as in shared/source.py, which tells how many are left out
const NAMES_MORE = 40; // which takes so many

/** A name that is no longer than a name is, and how much of it is left out. */
export function brief(words) {
  const told = String(words);
  if (told.length <= NAMED) return told;
  const letters = [...told];
  if (letters.length <= NAMED + NAMES_MORE) return told;
  const head = letters.slice(0, NAMED - NAMES_END).join("");
  return `${head}… (+${count(letters.length - NAMED)}) …${letters.slice(-NAMES_END).join("")}`;
}

/** `words` as a name that can be seen and read out, also where they are blank or endless. */
export function legible(words) {
  const told = visible(brief(words));
  if (told.trim()) return told;
  return told ? `“${told}” (blank)` : "(no name)";
}

/** A block of a model's words, shown whole, as text. */
export function prose(words, kind = "wbw-say") {
  return el("div", { class: kind, dir: "auto" }, visible(words));
}

const COUNT = new Intl.NumberFormat("en-US");

/** A number with its thousands apart; one too large for a number comes as a text, and stays as it is. */
export function count(value) {
  if (value === null || value === undefined) return "?";
  return typeof value === "string" ? value : COUNT.format(value);
}

export function plural(n, noun, nouns = `${noun}s`) {
  return `${count(n)} ${n === 1 ? noun : nouns}`;
}

export function seconds(value) {
  if (value === null || value === undefined) return "";
  return value < 10 ? `${value.toFixed(2)} s` : `${value.toFixed(1)} s`;
}

/** Dollars; an unknown price is "unknown", never 0. */
export function dollars(value) {
  if (value === null || value === undefined) return "unknown";
  return value === 0 || value >= 1 ? `$${value.toFixed(2)}` : `$${value.toFixed(4)}`;
}

/** A verdict or a state as a small label; its words tell it too, not its colour alone. */
export function badge(verdict) {
  return el("span", { class: `wbw-badge wbw-${verdictKind(verdict)}` }, visible(brief(verdict)));
}

/** The class that gives an agent its colour: one of eight, which the head tells. */
export function hue(head, agent) {
  const found = head.agents.find(([name]) => name === agent);
  return found ? `wbw-a${found[2]}` : "";
}

/** An agent's title, as one reads it. */
export function called(head, agent) {
  const found = head.agents.find(([name]) => name === agent);
  return legible(found ? found[1] : agent);
}

/** Show what went wrong where the view would be. */
export function trouble(error) {
  return el("p", { class: "wbw-trouble", role: "alert" }, visible(error?.message ?? String(error)));
}

/** What failed, in words: the error's class, and what it said. */
export function failing({ error, message }) {
  const told = message ? `${error}: ${message}` : error;
  return visible(told.length > 500 ? `${told.slice(0, 500)}…` : told);
}

/** Why a run that is not complete ends at `place`; empty elsewhere, and of a live run that goes on. */
export function halted(head, place = head.events - 1) {
  if (head.status === "complete" || head.graph || place < head.events - 1) return "";
  const failed = head.failures.find(({ path }) => !head.live || head.pending.includes(path));
  if (head.live && !failed) return "";
  const why = head.error ? failing(head) : failed ? failing(failed) : "";
  return `The run ${head.live ? "waits" : `is ${visible(head.status)}`} after ${plural(head.events, "event")}${why ? `: ${why}` : "."}`;
}

/** Enable a button or not; the focus that a disabled one would lose goes to `refuge`. */
export function enable(button, on, refuge) {
  if (!on && !button.disabled && button.getRootNode().activeElement === button) refuge?.focus();
  button.disabled = !on;
}
