// Reads pages of the board, and writes the state after each event as the widget folds it.

import { readFileSync } from "node:fs";

import { boardFold } from "../../../widgets/workbench_widgets/board/geometry.mjs";

const out = [];
for (const page of JSON.parse(readFileSync(0, "utf8"))) {
  page.deltas.forEach((_, number) => {
    const state = boardFold(page, page.start + number);
    out.push(Object.fromEntries([...state].map(([name, { total, cells }]) => [name, [total, [...cells.values()].map((cell) => [cell.k, cell.place, cell.i])]])));
  });
}
process.stdout.write(JSON.stringify(out));
