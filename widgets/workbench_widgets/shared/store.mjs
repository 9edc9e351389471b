// What a view reads from and writes to: over a widget's model, or over the data of a page.
//
// A view is a function (root, store) -> cleanup. It knows nothing of kernels: it reads `head`,
// asks for pages, and shares `at` and `order` with the other views on the same store.

const PATIENCE_MS = 8000; // after which it is told that a page is still waited for
const LONG_MS = 120000; // after which nobody is taken to be there
const SEEN_MS = 500; // at most so often is a kernel told what has come of what is under way

/** A store over data and a way to ask for more; `ask` is null where there is nobody to ask. */
export class Store {
  constructor({ head, pages, texts, options, at, order }, ask) {
    this.head = head;
    this.options = options ?? {};
    this.state = { at, order };
    this.ask = ask;
    this.cache = new Map(Object.entries(pages ?? {}));
    this.pool = new Map(Object.entries(texts ?? {}));
    this.waiting = new Map();
    this.listeners = new Map();
  }

  /** Whether a kernel is there to do things: step a session, fork, load what was not shipped. */
  get live() {
    return this.ask !== null && !this.state.gone;
  }

  get(name) {
    return this.state[name];
  }

  /** Set a shared value (`at`, `order`, or one of a view's own) and tell the views. */
  set(name, value) {
    if (this.state[name] === value) return;
    this.state[name] = value;
    this.emit(name, value);
  }

  on(name, listener) {
    if (!this.listeners.has(name)) this.listeners.set(name, new Set());
    this.listeners.get(name).add(listener);
    return () => this.listeners.get(name).delete(listener);
  }

  emit(name, value) {
    for (const listener of [...(this.listeners.get(name) ?? [])]) listener(value);
  }

  /** A text of the pool; `ref` is `{t: number}` or a plain string. */
  text(ref) {
    if (ref === null || ref === undefined) return "";
    if (typeof ref === "string") return ref;
    return this.pool.get(String(ref.t)) ?? "";
  }

  /** A page that is here already, or undefined. */
  peek(kind, key) {
    return this.cache.get(`${kind}/${key}`);
  }

  /** A promise of a page. It fails with a plain message where the page cannot be had. */
  load(kind, key) {
    const name = `${kind}/${key}`;
    const known = this.cache.get(name);
    if (known !== undefined) return Promise.resolve(known);
    const under_way = this.waiting.get(name);
    if (under_way) return under_way;
    if (!this.ask) return Promise.reject(new Error("not in this page: open the run in a notebook"));
    if (!this.live) return Promise.reject(new Error("not in the saved view, and there is no kernel to ask: run the cell again"));
    const asked = this.ask({ want: "page", kind, key })
      .then(({ done, texts }) => {
        for (const [number, words] of Object.entries(texts ?? {})) this.pool.set(number, words);
        if (this.waiting.get(name) === asked) this.cache.set(name, done);
        return done;
      })
      .finally(() => {
        if (this.waiting.get(name) === asked) this.waiting.delete(name);
      });
    this.waiting.set(name, asked);
    return asked;
  }

  /** Ask the kernel to do something; resolves to its answer, or fails with its message. */
  act(want, given = {}) {
    if (!this.live) return Promise.reject(new Error("this needs a running notebook"));
    return this.ask({ want, with: given }).then(({ done }) => done);
  }

  /** Take in a new head: the run has grown, so what was read of it may have changed; or another
   * run is shown in its place. */
  grow(head, pages, texts) {
    const other = head.shown !== this.head.shown;
    const same = head.events === this.head.events && !other;
    this.head = head;
    if (!same) {
      this.cache = new Map(Object.entries(pages ?? {}));
      this.waiting.clear();
      if (other) this.pool.clear();
      for (const [number, words] of Object.entries(texts ?? {})) this.pool.set(number, words);
    }
    this.emit("head", head);
  }
}

/** A store over an anywidget model, with `close()` for its listeners.
 *
 * `severed()` tells whether the notebook has let go of the model: its kernel was restarted, or there
 * is none. `gone` then is true, and what waits is given up.
 * A kernel that is at work answers late: `late` then tells how many pages are still waited for.
 * They are given up only where the connection is known to be gone, or after a long time.
 */
export function modelStore(model, severed = () => false) {
  const waiting = new Map();
  let last = 0;
  const mine = Math.random().toString(36).slice(2);
  const ask = (message) =>
    new Promise((resolve, reject) => {
      const id = `${mine}-${(last += 1)}`;
      const open = { resolve, reject, timer: 0, late: false };
      waiting.set(id, open);
      if (message.want === "page") open.timer = setTimeout(() => wait(id), PATIENCE_MS); // an action may take long
      try {
        Promise.resolve(model.send({ ...message, id })).catch(() => lost(true)); // marimo's is a promise
      } catch {
        lost(true); // the connection is closed, whatever the notebook says
      }
    });
  const wait = (id) => {
    const open = waiting.get(id);
    open.late = true;
    open.timer = setTimeout(() => done(id).reject(new Error(`no answer from the kernel in ${LONG_MS / 1000} s; is it running?`)), LONG_MS - PATIENCE_MS);
    tell();
  };
  const done = (id) => {
    const open = waiting.get(id);
    if (!open) return undefined;
    waiting.delete(id);
    clearTimeout(open.timer);
    if (open.late) tell();
    return open;
  };
  const tell = () => store.set("late", [...waiting.values()].filter(({ late }) => late).length);
  const given = {};
  for (const name of ["head", "pages", "texts", "options", "at", "order"]) given[name] = model.get(name);
  const store = new Store(given, ask);

  const answered = (message) => {
    const open = done(message?.id);
    if (!open) return;
    if (message.error === undefined) open.resolve(message);
    else open.reject(new Error(message.error));
  };
  const offs = [];
  const follow = (name, take) => {
    const changed = () => take(model.get(name));
    model.on(`change:${name}`, changed);
    offs.push(() => model.off(`change:${name}`, changed));
  };
  const lost = (gone) => {
    store.set("gone", gone);
    if (gone) for (const id of [...waiting.keys()]) done(id).reject(new Error("the kernel is gone: run the cell again"));
  };
  const look = () => queueMicrotask(() => lost(severed())); // once all who listen have heard
  const probe = () => ask({ want: "here" }).catch(() => {}); // a closed connection is told of when it is used
  const hear = (signal, slot) => {
    signal?.connect?.(slot);
    offs.push(() => signal?.disconnect?.(slot));
  };
  const manager = model.widget_manager; // JupyterLab's has signals
  const session = manager?.context?.sessionContext;
  hear(manager?.restored, probe); // it has a kernel again, perhaps another
  hear(session?.kernelChanged, probe); // shut down, or another was chosen
  hear(session?.statusChanged, (_, status) => status === "dead" && probe());
  const heard = { "msg:custom": answered, "comm:close": () => lost(true), comm_live_update: look };
  for (const [name, listener] of Object.entries(heard)) {
    model.on(name, listener);
    offs.push(() => model.off(name, listener));
  }
  // marimo runs the cells that depend on a widget only for what its front end sets; so what the kernel
  // does because a button here was pressed is said back to it, in a trait that nothing else goes by.
  const stand = () => JSON.stringify([store.get("at"), store.get("order"), store.head.shown, store.head.events, store.head.live, store.head.forks?.length]);
  let seen = stand();
  let acting = 0;
  let due = 0;
  const saw = () => {
    clearTimeout(due);
    due = 0;
    const now = stand();
    if (now === seen || typeof model.get("seen") !== "string") return; // no text: nobody wants to know
    seen = now;
    model.set("seen", now);
    model.save_changes();
  };
  store.act = (want, given) => {
    acting += 1;
    return Store.prototype.act.call(store, want, given).finally(() => {
      acting -= 1;
      saw();
    });
  };
  const shared = ["at", "order", ...(given.options?.synced ?? [])]; // the others are a view's own traits
  for (const name of shared) {
    store.state[name] = model.get(name);
    follow(name, (value) => store.set(name, value));
    offs.push(
      store.on(name, (value) => {
        if (model.get(name) === value) return;
        model.set(name, value);
        seen = stand();
        model.save_changes(); // which says nothing where nobody hears it
        if (!waiting.size) probe();
      }),
    );
  }
  follow("head", (head) => {
    store.grow(head, model.get("pages"), model.get("texts"));
    if (acting) due ||= setTimeout(saw, SEEN_MS);
  });
  follow("problem", (problem) => store.emit("problem", problem));
  store.state.problem = model.get("problem");
  store.state.gone = severed();
  store.close = () => {
    offs.forEach((off) => off());
    clearTimeout(due);
    for (const { timer } of waiting.values()) clearTimeout(timer);
  };
  return store;
}

/** A store over data that is all there is: a hand-out, or a page without a kernel. */
export function pageStore(data) {
  return new Store(data, null);
}
