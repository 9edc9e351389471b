// The runs behind a mean: a table with a button to open each.

import { badge, count, el, show, trouble, visible } from "../shared/dom.mjs";

function runRow(model, row, told, gone) {
  const value = row.value === null ? "not known" : row.value.toLocaleString("en-US", { maximumFractionDigits: 2 });
  const open = (event) => {
    if (event.target.closest(".jupyter-widgets-disconnected")) return gone();
    if (model.get("marks")) {
      model.set("opened", row);
      model.save_changes();
      return undefined;
    }
    try {
      Promise.resolve(model.send({ open: row.digest })).catch(gone);
    } catch {
      gone(); // the connection is closed
    }
    return undefined;
  };
  const here = model.get("opened")?.digest === row.digest;
  return el(
    "tr",
    { class: here ? "wbw-intervals-opened" : null, "aria-current": here ? "true" : null },
    el("th", { scope: "row" }, el("span", {}, visible(row.run))),
    el("td", {}, el("span", {}, visible(row.condition))),
    el("td", { class: "wbw-intervals-number" }, value),
    told ? el("td", { class: "wbw-intervals-number" }, row.of === null ? "" : count(row.of)) : null,
    el("td", { class: "wbw-intervals-number" }, row.seed === null ? "" : String(row.seed)),
    el("td", {}, row.status === "complete" ? "" : badge(row.status)),
    el("td", {}, el("button", { type: "button", onclick: open, "aria-label": `Open ${visible(row.run)} in the stepper` }, "Open")),
  );
}

/** A choice of the condition whose runs are listed: the chart has no mark where nothing is known. */
function runChoice(model, gone) {
  const sizes = model.get("conditions");
  if (sizes.length < 2) return null;
  const chosen = model.get("chosen");
  const options = [
    ["All runs", []],
    ...sizes.map(([name]) => [visible(name), [name]]),
    ...(chosen.length > 1 ? [[visible(model.get("title")), chosen]] : []),
  ];
  const now = chosen.length > 1 ? options.length - 1 : 1 + sizes.findIndex(([name]) => name === chosen[0]);
  const choose = () => {
    try {
      Promise.resolve(model.send({ choose: options[select.selectedIndex][1] })).catch(gone);
    } catch {
      gone(); // the connection is closed
    }
  };
  const select = el("select", { "aria-label": "List the runs of", onchange: choose }, options.map(([words], i) => el("option", { selected: i === now }, words)));
  return el("label", {}, "List ", select);
}

/** Draw the list in a cell; `model` is anywidget's. */
function runList({ model, el: cell }) {
  const above = el("div", {});
  const choice = el("p", {});
  const scroll = el("div", { class: "wbw-intervals-scroll", tabindex: "0", role: "region", "aria-label": "Runs" });
  const below = el("div", {});
  const root = el("div", { class: "wbw wbw-intervals" }, above, choice, scroll, below);
  cell.append(root);
  let dead = false;
  let pressed = false;
  let timer = 0;
  const gone = () => {
    dead = true;
    paint();
  };
  scroll.addEventListener("click", (event) => (pressed ||= event.target.closest("button") !== null));
  const paint = () => {
    const rows = model.get("rows");
    const opened = model.get("opened");
    const told = rows.some((row) => row.of !== null);
    const heads = ["Run", "Condition", visible(model.get("measure")), told ? "over" : null, "Seed", "", ""];
    const focused = root.getRootNode().activeElement;
    const held = focused?.closest?.(".wbw-intervals") === root ? focused.getAttribute("aria-label") : null;
    show(
      above,
      dead ? el("p", { class: "wbw-gone", role: "status" }, "No kernel answers this view: run the cell again to open a run.") : null,
      model.get("problem") ? trouble(model.get("problem")) : null,
    );
    show(choice, runChoice(model, gone));
    show(
      scroll,
      el(
        "table",
        {},
        el("caption", {}, visible(model.get("title")), el("span", { class: "wbw-soft" }, ` (${count(rows.length)})`)),
        el("thead", {}, el("tr", {}, heads.filter((h) => h !== null).map((h) => el("th", { scope: "col" }, h)))),
        el("tbody", {}, rows.map((row) => runRow(model, row, told, gone))),
      ),
    );
    show(
      below,
      opened ? el("h4", { class: "wbw-intervals-below" }, `${model.get("marks") ? "Chosen" : "Below"}: ${visible(opened.run)} `, el("span", { class: "wbw-soft" }, visible(opened.condition))) : null,
      model.get("hint") ? el("p", { class: "wbw-soft" }, model.get("hint")) : null,
    );
    if (held) [...root.querySelectorAll("button, select")].find((one) => one.getAttribute("aria-label") === held)?.focus({ preventScroll: true });
  };
  // Whoever pressed Open is shown what was opened, also where the page grows only when it is drawn.
  const reveal = () => {
    paint();
    if (!pressed || !model.get("opened")) return;
    pressed = false;
    below.scrollIntoView({ block: "center" });
    timer = setTimeout(() => below.scrollIntoView({ block: "center" }), 400);
  };
  const names = ["change:rows", "change:title", "change:chosen", "change:problem", "change:hint"];
  for (const name of names) model.on(name, paint);
  model.on("change:opened", reveal);
  paint();
  return () => {
    for (const name of names) model.off(name, paint);
    model.off("change:opened", reveal);
    clearTimeout(timer);
    root.remove();
  };
}
