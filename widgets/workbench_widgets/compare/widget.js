// The comparison's view: cards of the runs, what changed, rows by path, and one row in full.

import { count, el, show, trouble, visible } from "../shared/dom.mjs";
import { host } from "../shared/host.mjs";
import { CMP_PLACES, cmpPage } from "../compare/geometry.mjs";
import { cmpBill, cmpCards, cmpSummary } from "../compare/heads.mjs";
import { cmpDetail, cmpTools } from "../compare/detail.mjs";
import { cmpRows } from "../compare/rows.mjs";

export function compare(root, store) {
  const view = { filter: "differs", place: [0, -1, -1], pair: [0, 1], column: 1, sides: false, whole: false, focus: false };
  const fork = store.head.columns[1];
  if (fork?.base !== null && fork?.base !== undefined) view.pair = [fork.base, 1];
  const box = el("section", { class: "wbw-compare", "aria-label": "Comparison of runs" });
  const cards = el("div", {});
  const summary = el("div", { class: "wbw-compare-summary" });
  const filters = el("div", { class: "wbw-compare-filters", role: "group", "aria-label": "Which rows" });
  const list = el("div", {});
  const tools = el("div", {});
  const detail = el("div", { class: "wbw-compare-detail", role: "region", "aria-label": "The selected row in full" });
  box.append(cards, summary, filters, list, tools, detail);
  root.append(box);

  /** Show `made` of a page in `where` once it is here, unless something else is wanted by then. */
  const filled = (where, kind, name, wanted, made) => {
    const draw = (page) => {
      try {
        made(page);
      } catch (error) {
        show(where, trouble(error));
      }
    };
    const known = store.peek(kind, name());
    if (known !== undefined) return draw(known);
    const asked = name();
    where.setAttribute("aria-busy", "true");
    store.load(kind, asked).then(
      (page) => (wanted() && name() === asked ? draw(page) : null),
      (error) => (name() === asked ? show(where, trouble(error)) : null),
    ).finally(() => where.removeAttribute("aria-busy"));
  };

  let open = true;
  const pairName = () => `${view.pair[0]}-${view.pair[1]}`;
  const rowName = () => `${pairName()}/${view.place[0]}`;

  const paintCards = () => {
    const pick = (pair) => {
      const { activeElement } = document;
      const at = [...cards.querySelectorAll("button")].indexOf(activeElement);
      choose(view.place, pair, pair[1], false);
      cards.querySelectorAll("button")[at]?.focus();
    };
    show(cards, el("h3", {}, visible(store.head.title)), cmpCards(store.head, view.pair, pick));
  };

  const paintSummary = () =>
    filled(summary, "pair", pairName, () => open, (page) =>
      show(summary, el("div", { class: "wbw-compare-told" }, cmpSummary(store.head, view.pair, page, (place) => choose(place, view.pair, view.column))), cmpBill(store.head, view.pair)),
    );

  const paintDetail = (follow) =>
    filled(detail, "pairdetail", rowName, () => open, (page) => {
      show(detail, cmpDetail(store, view, page));
      if (follow && page.at !== null && page.at !== undefined) {
        view.mine = page.at;
        store.set("at", page.at);
      }
    });

  const paintTools = () => show(tools, cmpTools(store, view, act));

  const paintFilters = () => {
    const { differing, flipped, rows: all } = store.head;
    const one = (name, label, n) => el("button", { "aria-pressed": String(view.filter === name), onclick: () => filter(name) }, label, el("span", { class: "wbw-compare-n" }, ` ${count(n)}`));
    show(filters, one("differs", "What differs", differing), flipped ? one("verdicts", "Rows with other verdicts", flipped) : null, one("all", "All rows", all));
  };

  const filter = (name) => {
    view.filter = name;
    rows.reset();
    paintFilters();
    rows.paint();
    [...filters.children].find((b) => b.getAttribute("aria-pressed") === "true")?.focus();
  };

  const choose = (place, pair, column, follow = true) => {
    const other = pair[0] !== view.pair[0] || pair[1] !== view.pair[1];
    view.place = place;
    view.pair = pair;
    view.column = column;
    if (other) {
      paintCards();
      paintSummary();
    }
    paintTools();
    rows.paint();
    paintDetail(follow);
  };

  /** Go to the n-th difference. */
  const jump = (position) => {
    const [page, at] = cmpPage(position);
    store.load("pairrows", `differs/${page}`).then(
      (made) => choose(made.rows[at].slice(0, 3), view.pair, view.column),
      (error) => show(detail, trouble(error)),
    );
  };

  const act = {
    pair: (side, column) => {
      const pair = [...view.pair];
      pair[side] = column;
      choose(view.place, pair, pair[1], false);
    },
    hasBack: () => view.place[1] > 0,
    hasNext: () => store.head.differing > 0 && view.place[1] + 1 < store.head.differing,
    back: () => jump(view.place[1] - 1),
    next: () => jump(view.place[1] + 1),
    sides: (sides) => {
      view.sides = sides;
      paintTools();
      paintDetail(false);
    },
    whole: (whole) => {
      view.whole = whole;
      paintTools();
      paintDetail(false);
    },
  };

  const rows = cmpRows(list, store, view, choose);

  /** Follow the cursor: show the row of the event that another view went to. */
  const followed = (at, beginning = false) => {
    if (at === view.mine) return;
    view.mine = at;
    store.load("pairplace", String(Math.floor(at / CMP_PLACES))).then(
      (made) => {
        const place = made.places[at - made.start];
        if (!open || !place || view.mine !== at) return;
        if (beginning && !place[0]) first();
        else if (place[0] !== view.place[0]) choose(place, view.pair, view.column, false);
      },
      (error) => show(detail, trouble(error)),
    );
  };

  const paint = () => {
    paintCards();
    paintSummary();
    paintFilters();
    paintTools();
    rows.paint();
    paintDetail(false);
  };

  const first = () => filled(summary, "pair", pairName, () => open, (page) => choose(page.open, view.pair, view.column, false));

  /** Begin where the cursor is; at the start or the end of a run, at the first divergence. */
  const begin = () => (store.get("at") > 0 ? followed(store.get("at"), true) : first());

  if (!store.head.differing) view.filter = "all";
  paint();
  begin();
  const offs = [
    store.on("at", followed),
    store.on("head", () => {
      rows.reset();
      paint();
    }),
  ];
  return () => {
    open = false;
    offs.forEach((off) => off());
  };
}
