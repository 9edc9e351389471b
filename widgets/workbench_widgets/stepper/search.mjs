// Ask which places queries hold for: of the kernel, or where the whole run is here, of its pages.

import { stpBits, stpSetBit } from "../stepper/geometry.mjs";
import { stpAsks, stpHolds, stpNeedsDetail } from "../stepper/matching.mjs";
import { STP_ROWS } from "../stepper/walk.mjs";

const STP_PATIENCE_MS = 8000;

/** A promise of {bits, total, seen}: `seen` is how many events were looked at. */
export async function stpFind(store, order, queries) {
  const asking = queries.filter(stpAsks);
  if (!asking.length) return null;
  if (store.head.complete || !store.live) return stpFindHere(store, order, asking);
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(null), STP_PATIENCE_MS);
  });
  try {
    const found = await Promise.race([store.act("find", { queries: asking, order }), late]);
    if (found === null) return stpFindHere(store, order, asking);
    return { bits: stpBits(found.bits), total: found.total, seen: store.head.events };
  } finally {
    clearTimeout(timer);
  }
}

/** The same from the pages that are here. */
export function stpFindHere(store, order, queries) {
  const { events, agents } = store.head;
  const bits = new Uint8Array(Math.ceil(events / 8));
  const text = (ref) => store.text(ref);
  let total = 0;
  let seen = 0;
  for (let number = 0; number * STP_ROWS < events; number += 1) {
    const page = store.peek("rows", `${order}/${number}`);
    for (const [offset, row] of (page?.rows ?? []).entries()) {
      const detail = store.peek("detail", String(row[0]));
      const able = queries.filter((query) => detail !== undefined || !stpNeedsDetail(query));
      if (able.length) seen += 1;
      if (!able.some((query) => stpHolds(query, row, agents, detail, text))) continue;
      stpSetBit(bits, page.start + offset);
      total += 1;
    }
  }
  return { bits, total, seen };
}
