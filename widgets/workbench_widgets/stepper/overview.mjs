// The overview: all turns in one strip, with flags where something broke; a click jumps there.

import { count, el, show, svg } from "../shared/dom.mjs";
import { stpBins, stpBit, stpPlaceAt } from "../stepper/geometry.mjs";
import { STP_FLAGS } from "../stepper/glyphs.mjs";

/** Make the strip; returns {node, paint(size, window, found)}. */
export function stpOverview(walk) {
  const still = svg("g", {});
  const range = svg("rect", { class: "wbw-step-range", y: 0.5, rx: 3 });
  const cursor = svg("rect", { class: "wbw-step-cursor", y: 0, width: 3 });
  const picture = svg("svg", { class: "wbw-step-strip", preserveAspectRatio: "none" }, still, range, cursor);
  const node = el("div", { class: "wbw-step-overview", role: "slider", tabindex: "0", "aria-label": "Turns" }, picture);
  let drawn = {};

  const jump = (event) => {
    const box = picture.getBoundingClientRect();
    walk.go(stpPlaceAt(walk.turns, walk.count, (event.clientX - box.left) / Math.max(1, box.width)));
  };
  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture?.(event.pointerId);
    jump(event);
  });
  picture.addEventListener("pointermove", (event) => event.buttons & 1 && jump(event));
  node.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    walk.stepTurn(by);
  });

  function paint({ em, whole }, [from, to], found) {
    const width = Math.max(60, whole);
    const height = Math.round(em * 2.3);
    const { turns } = walk;
    const total = Math.max(1, walk.count);
    if (drawn.turns !== turns || drawn.width !== width || drawn.found !== found || drawn.total !== total || drawn.em !== em) {
      drawn = { turns, width, found, total, em };
      picture.setAttribute("width", width);
      picture.setAttribute("height", height);
      range.setAttribute("height", height - 1);
      cursor.setAttribute("height", height);
      show(still, stpStill(turns, total, width, height, em, found));
      node.setAttribute("aria-valuemin", turns[0]?.[0] ?? 1);
      node.setAttribute("aria-valuemax", turns.at(-1)?.[0] ?? walk.count);
    }
    range.setAttribute("x", (from / total) * width);
    range.setAttribute("width", Math.max(2, ((to - from) / total) * width));
    cursor.setAttribute("x", Math.min(width - 3, Math.max(0, (walk.pos / total) * width - 1)));
    const number = turns[walk.turn]?.[0] ?? null;
    node.setAttribute("aria-valuenow", number ?? walk.pos + 1);
    node.setAttribute("aria-valuetext", number === null ? `event ${count(walk.pos + 1)}` : `turn ${number}`);
  }

  return { node, paint };
}

/** What stays while the cursor moves: stretches, flags, matches. */
function stpStill(turns, total, width, height, em, found) {
  const bins = stpBins(turns, total, Math.floor(width / 4));
  const hits = found ? stpHits(found.bits, total, width) : [];
  const rail = height * 0.5;
  const r = Math.min(em * 0.3, 5);
  return [
    bins.map((bin, i) =>
      svg("rect", { class: i % 2 ? "wbw-step-odd" : "wbw-step-even", x: bin.x * width, y: rail - em * 0.3, width: Math.max(0.8, bin.w * width - 1), height: em * 0.6 }),
    ),
    bins.map((bin) => {
      const x = Math.min(width - r, Math.max(r, (bin.x + bin.w / 2) * width));
      const title = (words) => svg("title", {}, bin.from === null ? words : `${words} in turn ${bin.from === bin.to ? bin.from : `${bin.from} to ${bin.to}`}`);
      const broken = bin.flags & (STP_FLAGS.broken | STP_FLAGS.retried);
      return [
        bin.flags & STP_FLAGS.failed ? svg("path", { class: "wbw-step-alarm", d: `M${x - r},${1}l${2 * r},${2 * r}m0,${-2 * r}l${-2 * r},${2 * r}` }, title("a failed call")) : null,
        broken && !(bin.flags & STP_FLAGS.failed)
          ? svg("polygon", { class: bin.flags & STP_FLAGS.broken ? "wbw-step-alarm-fill" : "wbw-step-warn", points: `${x},1 ${x + r},${1 + 2 * r} ${x - r},${1 + 2 * r}` }, title(bin.flags & STP_FLAGS.broken ? "something unreadable" : "a question asked again"))
          : null,
        bin.bad ? svg("rect", { class: "wbw-step-badbar", x: x - Math.max(1, Math.min(r, (bin.w * width) / 2 - 0.5)), width: 2 * Math.max(1, Math.min(r, (bin.w * width) / 2 - 0.5)), y: rail + em * 0.35, height: em * Math.min(0.7, 0.16 + 0.09 * bin.bad) }, title(`${count(bin.bad)} bad ${bin.bad === 1 ? "verdict" : "verdicts"}`)) : null,
      ];
    }),
    hits.map((x) => svg("rect", { class: "wbw-step-hit", x, y: rail - em * 0.3, width: 2, height: em * 0.6 })),
  ];
}

/** Where on `width` pixels there are matches, one mark to every third pixel at most. */
function stpHits(bits, total, width) {
  const slots = Math.max(1, Math.floor(width / 3));
  const hit = new Uint8Array(slots);
  for (let byte = 0; byte < bits.length; byte += 1) {
    if (!bits[byte]) continue;
    for (let pos = byte * 8; pos < byte * 8 + 8; pos += 1) {
      if (stpBit(bits, pos)) hit[Math.min(slots - 1, Math.floor((pos / total) * slots))] = 1;
    }
  }
  const out = [];
  for (let slot = 0; slot < slots; slot += 1) if (hit[slot]) out.push(slot * 3);
  return out;
}
