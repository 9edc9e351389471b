import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { modelStore } from "../../../widgets/workbench_widgets/shared/store.mjs";

/** A model that keeps what is sent, and can be told of what a kernel says. */
function kernel(send) {
  const listeners = new Map();
  const sent = [];
  const saved = [];
  const traits = { head: { events: 1 }, pages: {}, texts: {}, options: {}, at: 0, order: "happened", problem: "" };
  const model = {
    get: (name) => traits[name],
    on: (name, listener) => listeners.set(name, listener),
    off: (name) => listeners.delete(name),
    set: (name, value) => (traits[name] = value),
    save_changes: () => saved.push({ ...traits }),
    send: send ?? ((message) => sent.push(message)),
  };
  return { model, sent, saved, traits, listeners, say: (name, value) => listeners.get(name)(value) };
}

/** Let what was promised come true. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a page that comes late is told of, and taken", async (t) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  const { model, sent, say } = kernel();
  const store = modelStore(model);
  const told = [];
  store.on("late", (many) => told.push(many));
  const loads = [store.load("rows", "0"), store.load("rows", "1")];
  mock.timers.tick(7999);
  assert.deepEqual(told, []);
  mock.timers.tick(1);
  assert.deepEqual(told, [1, 2]);
  mock.timers.tick(60000);
  say("msg:custom", { id: sent[0].id, done: ["late"], texts: { 3: "three" } });
  assert.deepEqual(await loads[0], ["late"]);
  assert.deepEqual(store.peek("rows", "0"), ["late"]);
  assert.equal(store.text({ t: 3 }), "three");
  say("msg:custom", { id: sent[1].id, error: "KeyError: no rows 1" });
  await assert.rejects(loads[1], /no rows 1/);
  assert.deepEqual(told, [1, 2, 1, 0]);
});

test("after a long time it is given up, and may be asked for again", async (t) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  const { model, sent, say } = kernel();
  const store = modelStore(model);
  const load = store.load("rows", "0");
  let failed = null;
  load.catch((error) => (failed = error));
  mock.timers.tick(8000);
  mock.timers.tick(111999);
  await settled();
  assert.equal(failed, null);
  mock.timers.tick(1);
  await assert.rejects(load, /no answer from the kernel in 120 s/);
  assert.equal(store.get("late"), 0);
  const again = store.load("rows", "0");
  say("msg:custom", { id: sent[1].id, done: ["now"] });
  assert.deepEqual(await again, ["now"]);
});

test("what is under way fails at once where the kernel is gone", async () => {
  for (const name of ["comm:close", "comm_live_update"]) {
    const { model, say } = kernel();
    const store = modelStore(model, () => true);
    store.set("gone", false);
    const asked = [store.load("rows", name), store.act("step")];
    say(name);
    for (const one of asked) await assert.rejects(one, /the kernel is gone/);
    assert.equal(store.live, false);
  }
  const deaf = modelStore(kernel(() => { throw new Error("Cannot send"); }).model);
  await assert.rejects(deaf.load("rows", "0"), /the kernel is gone/);
  assert.equal(deaf.live, false);
});

test("a view without a kernel says so, shows what is here, and asks nobody", async () => {
  const { model, sent, say } = kernel();
  let severed = true;
  const store = modelStore(model, () => severed);
  store.cache.set("rows/0", ["saved"]);
  assert.equal(store.live, false);
  assert.deepEqual(await store.load("rows", "0"), ["saved"]);
  await assert.rejects(store.load("rows", "1"), /no kernel to ask: run the cell again/);
  await assert.rejects(store.act("fork"), /needs a running notebook/);
  assert.deepEqual(sent, []);
  severed = false; // the connection is back
  say("comm_live_update");
  await settled();
  assert.equal(store.live, true);
});

test("each view says that the kernel is gone: at its manager's signal, or once it moves", async () => {
  const signal = () => {
    const slots = new Set();
    return { slots, connect: (slot) => slots.add(slot), disconnect: (slot) => slots.delete(slot), emit: (value) => slots.forEach((slot) => slot(null, value)) };
  };
  const [restored, kernelChanged, statusChanged] = [signal(), signal(), signal()];
  const { model, sent } = kernel();
  Object.assign(model, { widget_manager: { restored, context: { sessionContext: { kernelChanged, statusChanged } } }, set: () => {}, save_changes: () => {} });
  const store = modelStore(model);
  statusChanged.emit("busy");
  assert.equal(sent.length, 0);
  store.set("at", 1);
  store.set("at", 2); // one question is enough
  assert.deepEqual(sent.map(({ want }) => want), ["here"]);
  assert.equal(store.live, true);
  model.send = () => {
    throw new Error("Cannot send");
  };
  kernelChanged.emit(null);
  assert.equal(store.live, false);
  store.close();
  for (const { slots } of [restored, kernelChanged, statusChanged]) assert.equal(slots.size, 0);

  const bare = kernel(() => {
    throw new Error("Cannot send");
  });
  Object.assign(bare.model, { set: () => {}, save_changes: () => {} });
  const moved = modelStore(bare.model);
  assert.equal(moved.live, true);
  moved.set("at", 1);
  assert.equal(moved.live, false);
});

test("a closed store has no listener and no timer left", (t) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  const { model, listeners } = kernel();
  const store = modelStore(model);
  const told = [];
  store.on("late", (many) => told.push(many));
  store.load("rows", "0");
  store.close();
  mock.timers.tick(500000);
  assert.deepEqual(told, []);
  assert.equal(listeners.size, 0);
});

test("what an action has changed is said back where somebody wants to know", async () => {
  for (const seen of ["", null]) {
    const { model, sent, saved, traits, say } = kernel();
    traits.seen = seen;
    const store = modelStore(model);
    const acted = store.act("look", { number: 1 });
    traits.head = { events: 1, shown: 1 };
    say("change:head");
    assert.equal(saved.length, 0);
    say("msg:custom", { id: sent[0].id, done: null });
    await acted;
    await settled();
    assert.equal(saved.length, seen === null ? 0 : 1);
    const found = store.act("find"); // changes nothing, and so says nothing
    say("msg:custom", { id: sent[1].id, done: [] });
    await found;
    await settled();
    assert.equal(saved.length, seen === null ? 0 : 1);
    store.close();
  }
});
