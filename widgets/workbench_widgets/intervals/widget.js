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
    el("th", { scope: "row" }, visible(row.run)),
    el("td", {}, visible(row.condition)),
    el("td", { class: "wbw-intervals-number" }, value),
    told ? el("td", { class: "wbw-intervals-number" }, row.of === null ? "" : count(row.of)) : null,
    el("td", { class: "wbw-intervals-number" }, row.seed === null ? "" : String(row.seed)),
    el("td", {}, row.status === "complete" ? "" : badge(row.status)),
    el("td", {}, el("button", { type: "button", onclick: open, "aria-label": `Open ${visible(row.run)} in the stepper` }, "Open")),
  );
}

/** Draw the list in a cell; `model` is anywidget's. */
function runList({ model, el: cell }) {
  const root = el("div", { class: "wbw wbw-intervals" });
  cell.append(root);
  let dead = false;
  const gone = () => {
    dead = true;
    paint();
  };
  const paint = () => {
    const rows = model.get("rows");
    const opened = model.get("opened");
    const told = rows.some((row) => row.of !== null);
    const heads = ["Run", "Condition", visible(model.get("measure")), told ? "over" : null, "Seed", "", ""];
    show(
      root,
      dead ? el("p", { class: "wbw-gone", role: "status" }, "No kernel answers this view: run the cell again to open a run.") : null,
      model.get("problem") ? trouble(model.get("problem")) : null,
      el(
        "div",
        { class: "wbw-intervals-scroll", tabindex: "0", role: "region", "aria-label": "Runs" },
        el(
          "table",
          {},
          el("caption", {}, visible(model.get("title")), el("span", { class: "wbw-soft" }, ` (${count(rows.length)})`)),
          el("thead", {}, el("tr", {}, heads.filter((h) => h !== null).map((h) => el("th", { scope: "col" }, h)))),
          el("tbody", {}, rows.map((row) => runRow(model, row, told, gone))),
        ),
      ),
      opened ? el("h4", { class: "wbw-intervals-below" }, `${model.get("marks") ? "Chosen" : "Below"}: ${visible(opened.run)} `, el("span", { class: "wbw-soft" }, visible(opened.condition))) : null,
    );
  };
  const names = ["change:rows", "change:title", "change:opened", "change:problem"];
  for (const name of names) model.on(name, paint);
  paint();
  return () => {
    for (const name of names) model.off(name, paint);
    root.remove();
  };
}
