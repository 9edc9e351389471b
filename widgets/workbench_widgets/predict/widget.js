// Predict and reveal: nothing of what comes next is in the page before it was guessed or skipped.

import { called, count, el, halted, plural, show, trouble, visible } from "../shared/dom.mjs";
import { guessAt, guessDone, guessEntry, guessGroup, guessIsDone, guessOpen } from "./geometry.mjs";
import { guessContext, guessName, guessReveal, guessSoFar } from "./reveal.mjs";

const GUESS_NOUNS = { contribution: ["contribution", "contributions"], turn: ["turn", "turns"], reply: ["reply", "replies"] };

/** Mount predict and reveal. */
export function predict(root, store) {
  const frame = el("section", { class: "wbw-predict", "aria-label": "Predict and reveal", "data-lm-suppress-shortcuts": "true" });
  const title = el("h3", { tabindex: "-1" });
  const told = el("span", { class: "wbw-predict-count" });
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Guessed so far" });
  const big = el("button", { type: "button", onclick: () => store.set("presenter", !presenting()) }, "Large type");
  const body = el("div", { class: "wbw-predict-body" });
  const note = el("div", { class: "wbw-notes", role: "status" });
  frame.append(el("div", { class: "wbw-predict-page" }, el("header", { class: "wbw-predict-top" }, title, el("div", { class: "wbw-predict-progress" }, told, bar, big)), note, body));
  root.append(frame);

  const unit = store.options.unit ?? "contribution";
  const sheet = root.closest(".wbw") ?? root;
  let closed = false;
  let here = null; // {group, item}: what is looked at; null for the end
  let key = "";
  let hold = "back"; // whether the shared cursor is to be drawn back, or moved on, at the next painting
  let shown = store.head.shown;
  if (store.get("guesses") === undefined) store.set("guesses", []);

  const fail = (error) => closed || show(note, trouble(error));
  const need = (kind, name) => {
    const known = store.peek(kind, name);
    if (known === undefined) store.load(kind, name).then(() => closed || paint(), fail);
    return known;
  };
  const guesses = () => store.get("guesses") ?? [];
  const presenting = () => store.get("presenter") ?? sheet.classList.contains("wbw-presenter");
  const which = () => (store.get("order") === "path" ? 1 : 0);

  function paint() {
    try {
      painted();
    } catch (error) {
      fail(error);
    }
  }

  function painted() {
    sheet.classList.toggle("wbw-presenter", presenting());
    big.setAttribute("aria-pressed", String(presenting()));
    const about = need("predict_about", unit);
    if (!about) return;
    const total = about.counts.reduce((sum, n) => sum + n, 0);
    if (!total) return nothing();
    if (here === null) {
      const place = guessGroup(about.counts, guesses().length);
      here = place === null ? null : { group: place, item: null };
    }
    if (here === null) return finished(about, total);
    const group = need("predict_group", `${unit}/${here.group}`);
    if (!group) return;
    const done = guessDone(guesses());
    if (here.item === null || here.item >= group.items.length) here.item = Math.max(0, group.items.findIndex((item) => !guessIsDone(item, done)));
    const item = group.items[here.item];
    const entry = guessEntry(item, guesses());
    progress(entry ? entry.place + 1 : guesses().length + 1, guesses().length, total);
    if (hold) keep(group, done, hold);
    hold = null;
    const wanted = JSON.stringify([here, entry, group.number, item.path]);
    if (wanted === key) return;
    key = wanted;
    show(note);
    if (entry) revealed(about, group, item, entry);
    else asked(about, group, item, done);
  }

  /** Put the shared cursor before what is hidden; `back` leaves it where it is if that is earlier. */
  function keep(group, done, how) {
    const safe = guessAt(group, done, which(), null, null);
    if (safe !== null && (how === "on" || which() === 1 || store.get("at") > safe)) store.set("at", safe);
  }

  function progress(now, done, total) {
    told.textContent = `${count(now)} of ${count(total)}`;
    bar.max = total;
    bar.value = done;
  }

  function nothing() {
    show(title, "Nothing to guess yet");
    show(body, el("p", { class: "wbw-soft" }, `Nobody has spoken in this run of ${visible(store.head.protocol)}. ${halted(store.head)}`));
    told.textContent = "";
    bar.hidden = true;
  }

  function asked(about, group, item, done) {
    bar.hidden = false;
    const open = group.items.filter((one) => !guessIsDone(one, done));
    const so_far = group.items.filter((one) => guessIsDone(one, done) && one.agent !== null).map((one) => guessOpen(one.hidden));
    show(title, group.number === null ? "What comes next?" : `Turn ${group.number}`, el("span", { class: "wbw-soft", dir: "auto" }, visible(store.head.title.slice(0, 120))));
    const words = el("textarea", { rows: 4, dir: "auto", placeholder: "Write what you expect, then compare.", oninput: ready, onkeydown: pressed });
    const reveal = el("button", { type: "button", class: "wbw-predict-main", disabled: true, onclick: () => record(words.value) }, "Reveal");
    const skip = el("button", { type: "button", title: "Show it without a guess", onclick: () => record(null) }, "Skip");
    const whom = item.agent === null ? el("select", { "aria-label": "Whom the guess is about" }, el("option", { value: "" }, "the whole turn"), ...about.seated.map((name, place) => el("option", { value: place }, called(store.head, name).slice(0, 80)))) : null;

    function ready() {
      reveal.disabled = !words.value.trim();
    }

    function pressed(event) {
      event.stopPropagation(); // a letter is no shortcut of another view
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !reveal.disabled) record(words.value);
    }

    function record(guess) {
      const name = whom ? (whom.value && guess !== null ? about.seated[Number(whom.value)] : null) : item.agent;
      const seat = item.seats.find(([author]) => author === name); // who was chosen may not have spoken
      const [path, at_event] = seat ? seat.slice(1) : [item.path, item.at];
      const entry = { path, guess, at_event, about: name };
      store.set("guesses", [...guesses(), entry]);
      const now = store.peek("predict_group", `${unit}/${here.group}`) ?? group; // a live run has grown
      const to = guessAt(now, guessDone(guesses()), which(), item, store.head.events - 1);
      if (to !== null) store.set("at", to);
      paint();
      title.focus();
    }

    const label = el("label", { class: "wbw-predict-ask" }, el("span", {}, ...(item.agent === null ? ["What will happen in this turn?"] : ["What will ", guessName(store.head, item.agent), group.number === null ? " reply?" : " say?"])), words);
    show(
      body,
      guessContext(guessOpen(group.context), here.group === 0 ? about.brief && store.text(about.brief) : null),
      guessSoFar(store.head, so_far),
      open.length > 1 ? picker(group, open, item) : null,
      whom ? el("div", { class: "wbw-predict-whom" }, el("span", { class: "wbw-soft" }, "My guess is about "), whom) : null,
      label,
      el("div", { class: "wbw-predict-buttons" }, reveal, skip, backButton(), el("span", { class: "wbw-soft wbw-predict-hint" }, "Ctrl+Enter reveals")),
    );
  }

  function picker(group, open, item) {
    const choose = (one) => {
      here = { ...here, item: group.items.indexOf(one) };
      paint();
      body.querySelector("textarea")?.focus();
    };
    return el("div", { class: "wbw-predict-pick", role: "group", "aria-label": "Whom to guess next" }, ...open.map((one) => el("button", { type: "button", "aria-pressed": String(one === item), onclick: () => choose(one) }, guessName(store.head, one.agent))));
  }

  function revealed(about, group, item, entry) {
    bar.hidden = false;
    const hidden = guessOpen(item.hidden);
    const about_whom = item.agent === null ? (entry.about ?? item.seats.find(([, path]) => path === entry.path)?.[0] ?? null) : null;
    show(title, group.number === null ? "" : `Turn ${group.number}: `, item.agent === null ? "what happened" : guessName(store.head, item.agent));
    const next = el("button", { type: "button", class: "wbw-predict-main", onclick: forward }, "Next");
    show(body, ...guessReveal(store.head, hidden, entry, item.agent === null ? "turn" : "contribution", about_whom, guessOpen(group.context)), el("div", { class: "wbw-predict-buttons" }, next, backButton()));
  }

  function forward() {
    const { counts } = store.peek("predict_about", unit);
    const open = guessGroup(counts, guesses().length);
    const inside = here.item + 1 < counts[here.group];
    const to = inside ? here.group : here.group + 1;
    if (here.group === open || to === open) {
      here = { group: open, item: null };
      hold = "on";
    } else here = to < counts.length ? { group: to, item: inside ? here.item + 1 : 0 } : null;
    paint();
    (body.querySelector("textarea") ?? title).focus();
  }

  function backButton() {
    const at = previous();
    return el("button", { type: "button", disabled: at === null, onclick: () => ((here = previous()), paint(), title.focus()) }, "Back");
  }

  /** The item before the one that is looked at, among those that were revealed. */
  function previous() {
    const about = store.peek("predict_about", unit);
    if (here === null) return { group: about.counts.length - 1, item: about.counts.at(-1) - 1 };
    const group = store.peek("predict_group", `${unit}/${here.group}`);
    const done = guessDone(guesses());
    for (let place = here.item - 1; place >= 0; place -= 1) if (guessIsDone(group.items[place], done)) return { group: here.group, item: place };
    return here.group ? { group: here.group - 1, item: about.counts[here.group - 1] - 1 } : null;
  }

  function finished(about, total) {
    const place = about.counts.length - 1;
    const group = need("predict_group", `${unit}/${place}`);
    if (!group) return;
    const all = guesses();
    progress(total, all.length, total);
    const wanted = JSON.stringify(["end", all.length, total]);
    if (wanted === key) return;
    key = wanted;
    const skipped = all.filter(({ guess }) => guess === null).length;
    const end = guessOpen(group.end);
    const why = halted(store.head);
    show(title, store.head.live ? "The run has not come further yet" : why ? "All that was said is revealed" : "All revealed");
    show(
      body,
      why ? el("p", {}, why) : null,
      el("p", {}, `You guessed ${plural(total - skipped, ...GUESS_NOUNS[about.unit])}${skipped ? ` and skipped ${skipped}` : ""}.`),
      end ? guessContext({ before: end }, null) : null,
      el("details", { class: "wbw-predict-fold" }, el("summary", {}, "My guesses, to copy"), el("pre", { class: "wbw-code", dir: "auto" }, visible(all.map(({ path, guess, about: whom }) => `${path}${whom && about.unit === "turn" ? `, about ${whom}` : ""}\n${guess ?? "(skipped)"}`).join("\n\n")))),
      el("div", { class: "wbw-predict-buttons" }, backButton()),
    );
  }

  const offs = [
    store.on("guesses", (all) => {
      if (!all.length) [here, key, hold] = [null, "", "back"]; // the teacher began anew
      paint();
    }),
    store.on("head", (head) => {
      if (head.shown !== shown) [here, key, hold, shown] = [null, "", "back", head.shown]; // another run
      paint();
    }),
    store.on("presenter", paint),
    store.on("order", () => {
      const group = here && store.peek("predict_group", `${unit}/${here.group}`);
      if (group) keep(group, guessDone(guesses()), "back");
    }),
  ];
  paint();
  return () => {
    closed = true;
    offs.forEach((off) => off());
    frame.remove();
  };
}
