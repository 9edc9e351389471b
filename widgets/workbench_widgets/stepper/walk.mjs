// The cursor of the stepper: an event's index (`at`, shared), and its place in the order that is shown.

import { railPlace } from "../shared/rail.mjs";
import { stpTurnAt, stpTurnStep } from "../stepper/geometry.mjs";

export const STP_ROWS = 200;
const STP_NONE = Object.freeze([]);

/** Walks a store; `changed(what)` is called with "place", "rows", "turns" or "trouble".
 *
 * It reads nothing before the first `reset()`.
 */
export class StpWalk {
  constructor(store, changed) {
    this.store = store;
    this.changed = changed;
    this.turnsPage = null;
    this.error = null;
    this.asked = 0;
    this.pos = 0;
    this.offs = [
      store.on("at", () => this.settle()),
      store.on("order", () => this.reset()),
      store.on("head", () => this.reset()),
    ];
    this.pages = new Map();
  }

  close() {
    for (const off of this.offs) off();
    this.asked += 1;
  }

  get count() {
    return this.store.head.events;
  }

  get order() {
    return this.store.get("order");
  }

  /** The event that is looked at; never past the end. */
  get at() {
    return Math.max(0, Math.min(this.store.get("at"), this.count - 1));
  }

  get turns() {
    return this.turnsPage?.turns ?? STP_NONE;
  }

  get turn() {
    return stpTurnAt(this.turns, this.pos);
  }

  /** Read all anew: another order, or a run that has grown. What was read is shown until then. */
  reset() {
    const sign = `${this.order}/${this.store.head.shown}`;
    if (this.sign !== sign) {
      this.sign = sign;
      this.pages.clear();
      this.turnsPage = null;
    }
    this.fetch("turns", this.order, (page) => {
      this.turnsPage = page;
      this.changed("turns");
    });
    this.settle();
    this.changed("rows");
  }

  /** Take a page now if it is here, else when it comes and is still wanted. */
  fetch(kind, key, take) {
    const { sign } = this;
    const here = this.store.peek(kind, key);
    if (here !== undefined) return take(here);
    this.store.load(kind, key).then(
      (page) => sign === this.sign && take(page),
      (error) => this.failed(error),
    );
  }

  failed(error) {
    this.error = error;
    this.changed("trouble");
  }

  /** Find the place of `at` in the order. */
  settle() {
    const asked = (this.asked += 1);
    const { at } = this;
    const arrived = (pos) => {
      if (asked !== this.asked) return;
      this.pos = pos ?? 0;
      this.error = null;
      this.changed("place");
    };
    if (this.rowAt(this.pos)?.[0] === at) arrived(this.pos);
    else railPlace(this.store, at, arrived, (error) => this.failed(error));
  }

  /** The row at a place, or undefined while it is not here; it then is on its way. */
  row(pos) {
    const number = Math.floor(pos / STP_ROWS);
    const key = `${this.order}/${number}`;
    const page = this.store.peek("rows", key);
    if (page !== undefined) {
      this.pages.set(number, page);
      return page.rows[pos - page.start];
    }
    this.need(number);
    const old = this.pages.get(number);
    return old?.rows[pos - old.start];
  }

  /** The row at a place if it is here. */
  rowAt(pos) {
    const page = this.store.peek("rows", `${this.order}/${Math.floor(pos / STP_ROWS)}`);
    return page?.rows[pos - page.start];
  }

  /** Have a page of rows brought. */
  need(number) {
    if (number < 0 || number * STP_ROWS >= this.count) return;
    if (this.store.peek("rows", `${this.order}/${number}`) !== undefined) return;
    this.fetch("rows", `${this.order}/${number}`, (page) => {
      this.pages.set(number, page);
      this.changed("rows");
    });
  }

  /** Go to a place of the order. */
  go(pos) {
    const to = Math.max(0, Math.min(pos, this.count - 1));
    if (this.order === "happened") return this.store.set("at", to);
    const row = this.rowAt(to);
    this.pos = to; // a quick second step goes on from here
    if (row) return this.store.set("at", row[0]);
    const asked = (this.asked += 1);
    this.fetch("rows", `${this.order}/${Math.floor(to / STP_ROWS)}`, (page) => {
      if (asked === this.asked) this.store.set("at", page.rows[to - page.start][0]);
    });
  }

  step(by) {
    this.go(this.pos + by);
  }

  stepTurn(by) {
    this.go(stpTurnStep(this.turns, this.pos, by, this.count));
  }

  /** Go to an event by its index. */
  goAt(at) {
    this.store.set("at", Math.max(0, Math.min(at, this.count - 1)));
  }

  /** Go to the beginning of a turn by its number as it was written; tells whether there is one. */
  goTurn(written) {
    const number = written.trim().replace(/^0+(?=\d)/, "");
    const found = this.turns.find(([turn]) => String(turn) === number);
    if (found) this.go(found[1]);
    return Boolean(found);
  }
}
