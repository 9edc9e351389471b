// A consultation: passages with the readings on them, findings, topology, divergences, the proof.

import { count, el, show, trouble, visible } from "../shared/dom.mjs";
import { railLoad } from "../shared/rail.mjs";
import { consultFindings, consultPassage } from "../consult/findings.mjs";
import { consultMatrix } from "../consult/matrix.mjs";
import { consultDivergences, consultProof } from "../consult/proof.mjs";
import { consultText } from "../consult/marks.mjs";
import { consultScore, consultTopology } from "../consult/topology.mjs";

const CONSULT_MODES = { consultation: "Consultation", verification: "Verification" };
const CONSULT_SIGNS = { bad: "✗", unsure: "!", plain: "·" };

/** Mount the view of a consultation. */
export function consultView(root, store) {
  const view = el("section", { class: "wbw-consult", "aria-label": "Consultation", "data-lm-suppress-shortcuts": "true" });
  const note = el("div", { role: "status" });
  const body = el("div", {});
  view.append(note, body);
  root.append(view);
  let asked = 0; // what was asked for before the run grew is not shown

  const fail = (error) => show(note, trouble(error));

  function paint() {
    const mine = (asked += 1);
    const need = (kind, key, then) => railLoad(store, kind, key, (page) => mine === asked && then(page), fail);
    view.setAttribute("aria-busy", "true");
    need("consult_about", "", (about) => {
      view.removeAttribute("aria-busy");
      show(note);
      show(body, consultHead(store, about), about.interpreters.length ? parts(about, need) : null, about.proof ? consultProof(store, about).node : null);
    });
  }

  function parts(about, need) {
    const findings = consultFindings(store, about, need);
    const matrix = consultMatrix(store, about, need, (kind, which, title) => {
      if (kind === "interpreter") {
        const one = about.interpreters[Number(which)];
        findings.open(kind, which, title, one[6], consultReader(one));
        return;
      }
      const [place, column] = which.split(".").map(Number);
      const row = matrix.row(place);
      const cells = kind === "cell" ? [row.cites[column]] : row.cites;
      findings.open(kind, which, title, cells.reduce((sum, n) => sum + n, 0), consultPassage(store, row));
    });
    const topology = consultTopology(store, about, need, (place, line) => findings.open("line", String(place), `Row ${visible(line.id)}`, line.nodes.length + line.unshown, consultScore(line)));
    const reports = about.valid ? consultDivergences(store, about, need).node : null;
    return [el("div", { class: "wbw-consult-body" }, matrix.node, findings.node, topology.node), reports];
  }

  const off = store.on("head", paint);
  paint();
  return () => {
    asked += 1;
    off();
    view.remove();
  };
}

/** What the session is, and what has to be said of it. */
function consultHead(store, about) {
  const marks = about.marks.map(([kind, text]) => el("li", { class: `wbw-${kind}` }, el("strong", {}, `${CONSULT_SIGNS[kind]} ${visible(text)}`)));
  if (about.unshown) marks.push(el("li", {}, `and ${count(about.unshown)} more`));
  const counts = about.classes.filter(([, n]) => n).map(([name, n]) => `${count(n)} ${name}`).join(", ");
  const many = about.classes.reduce((sum, [, n]) => sum + n, 0) > about.counts.findings;
  const n = `n = ${count(about.counts.reported)} of ${count(about.interpreters.length)} interpreters reported, ${count(about.counts.findings)} findings${counts ? `: ${counts}` : ""}${many ? "; some are of several classes" : ""}`;
  const held = about.held ? "" : "; not held against a corpus here";
  const question = consultText(store, about.question);
  question.classList.add("wbw-consult-question");
  const queries = about.queries.length > 1 ? el("ol", { class: "wbw-consult-queries", "aria-label": "Sub-queries" }, about.queries.map(([id, text]) => el("li", {}, el("strong", {}, `${visible(id)} `), visible(store.text(text[0]))))) : null;
  return el(
    "header",
    { class: "wbw-consult-head" },
    CONSULT_MODES[about.mode] ? el("h3", {}, CONSULT_MODES[about.mode], " ", el("span", { class: "wbw-soft" }, "by isolated interpreters")) : el("h3", {}, "No consultation"),
    question,
    queries,
    about.bound ? el("p", {}, visible(about.bound), `${held}; package `, el("code", { class: "wbw-path" }, about.package)) : null,
    about.interpreters.length ? el("p", { class: "wbw-soft" }, n) : null,
    marks.length ? el("ul", { class: "wbw-consult-marks", "aria-label": "Marks of the session" }, marks) : null,
  );
}

/** Who an interpreter is, above its findings. */
function consultReader([, model, family, state, why, given]) {
  const told = `${visible(model)}, of the family ${visible(family)}; was given ${count(given)} passages`;
  const lost = state === "reported" ? null : el("p", { class: "wbw-bad" }, el("strong", {}, state), why ? `: ${visible(why)}` : "");
  return [el("p", { class: "wbw-soft" }, told), lost];
}
