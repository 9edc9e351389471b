// Reads pages and places, and writes what the geometry makes of them.

import { readFileSync } from "node:fs";

import { graphFold, graphSpending } from "../../../widgets/workbench_widgets/graph/geometry.mjs";

const sorted = (map) => [...map].map(([key, told]) => [key, told].flat()).sort((a, b) => a[0] - b[0]);

const made = JSON.parse(readFileSync(0, "utf8")).map(([page, place]) => {
  if (page === "spending") return graphSpending(place);
  const run = graphFold(page, place, "run");
  const turn = graphFold(page, place, "turn");
  return { run: sorted(run.edges), turn: sorted(turn.edges), nodes: sorted(run.nodes), turn_number: run.turn };
});
process.stdout.write(JSON.stringify(made));
