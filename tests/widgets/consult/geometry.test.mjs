import assert from "node:assert/strict";
import { test } from "node:test";
import { consultCell, consultFew, consultMarks, consultMove, consultNeighbour } from "../../../widgets/workbench_widgets/consult/geometry.mjs";

test("keys move in the grid and stop at its edges", () => {
  assert.deepEqual(consultMove("ArrowDown", 0, 2, 4, 3), [1, 2]);
  assert.deepEqual(consultMove("ArrowUp", 0, 2, 4, 3), [0, 2]);
  assert.deepEqual(consultMove("ArrowRight", 1, 2, 4, 3), [1, 2]);
  assert.deepEqual(consultMove("Home", 1, 2, 4, 3), [1, 0]);
  assert.deepEqual(consultMove("End", 1, 0, 4, 3), [1, 2]);
  assert.deepEqual(consultMove("PageDown", 1, 0, 4, 3), [3, 0]);
  assert.equal(consultMove("x", 1, 0, 4, 3), null);
});

// Row 0: columns 0 and 2; row 1: column 1; row 2: columns 0 and 2.
const nodes = [[0, 0], [0, 2], [1, 1], [2, 0], [2, 2]].map(([row, column]) => ({ row, column }));

test("keys lead from node to node: in the row, and to the nearest column of the next row", () => {
  assert.equal(consultNeighbour(nodes, 0, "ArrowRight"), 1);
  assert.equal(consultNeighbour(nodes, 1, "ArrowRight"), 1);
  assert.equal(consultNeighbour(nodes, 1, "ArrowLeft"), 0);
  assert.equal(consultNeighbour(nodes, 1, "ArrowDown"), 2);
  assert.equal(consultNeighbour(nodes, 2, "ArrowDown"), 3);
  assert.equal(consultNeighbour(nodes, 4, "ArrowUp"), 2);
  assert.equal(consultNeighbour(nodes, 0, "ArrowUp"), 0);
  assert.equal(consultNeighbour(nodes, 0, "Tab"), null);
});

test("a cell is told in words, its classes in one order", () => {
  const cell = { unique: 1, divergence: 2 };
  assert.deepEqual(consultMarks(cell), [["divergence", 2], ["unique", 1]]);
  assert.equal(consultCell(cell), "2 divergence, 1 unique");
  assert.equal(consultCell({}), "no finding");
  assert.equal(consultCell(null), "not given");
});

test("a list of names tells how many more there are", () => {
  assert.equal(consultFew([["C1", "C2"], 0]), "C1, C2");
  assert.equal(consultFew([["C1"], 3]), "C1 and 3 more");
});
