/**
 * explain(): how a forest is laid out, in words and figures, and what a row takes, measured when it is asked.
 *
 * All of a forest is its table, and the code is that of all forests: so what there is to say stands in the table.
 */
'use strict';

const { nanosecondsOf, rounded } = require('../base/measure.js');
const { headOf, thresholdsIn } = require('./table.js');

/** @typedef {import('./table.js').Placed} Placed */
/** @typedef {import('./table.js').Thresholds} Column */

/** Rows that are measured, by the numbers that they have, and for how long. */
const [MOST_ROWS, MOST_NUMBERS] = [256, 2 ** 20];
const LEAST = { rounds: 5, milliseconds: 20 };

/**
 * Rows of thresholds in no order, so that they go different ways.
 *
 * @type {(table: Uint8Array, columns: readonly Column[], head: Record<import('./table.js').Field, number>) => Float32Array}
 */
function sampleOf(table, columns, { features, thresholdAt }) {
  const rows = Math.min(MOST_ROWS, Math.max(1, Math.floor(MOST_NUMBERS / features)));
  const x = new Float32Array(rows * features);
  const thresholds = new Float64Array(table.buffer, thresholdAt);
  columns.forEach(({ feature, first, count }, c) => {
    for (let r = 0; r < rows && count > 0; r++) {
      x[r * features + feature] = thresholds[first + ((40503 * (r + 1) * (c + 1)) % count)];
    }
  });
  return x;
}

/** @type {(forest: any, x: Float32Array) => { row: number, batch: number }} */
function measure(forest, x) {
  const { features } = forest;
  const rows = Array.from({ length: x.length / features }, (_, r) => x.subarray(r * features, (r + 1) * features));
  const row = nanosecondsOf(rows.length, () => rows.forEach((each) => forest.predict(each)), LEAST);
  return { row, batch: nanosecondsOf(rows.length, () => forest.predict(x), LEAST) };
}

/** @type {(placed: readonly Placed[]) => { trees: number, levels: number }} and of the deepest */
const groupOf = (placed) => ({
  trees: placed.length, levels: placed.reduce((most, { depth }) => Math.max(most, depth), 0),
});

/** @type {(compared: { trees: number, levels: number }, followed: { trees: number, levels: number }) => string} */
function reason(compared, followed) {
  const few = `up to ${compared.levels} levels are filled up and compared as a whole, 64 rows at a time`;
  const many = `up to ${followed.levels} levels, or with sets of categories, are followed, eight rows at a time`;
  if (followed.trees === 0) return compared.trees === 0 ? 'there are no trees' : `all trees: of ${few}`;
  return compared.trees === 0 ? `all trees: of ${many}` : `${compared.trees} trees of ${few}; ${followed.trees} of ${many}`;
}

/** @type {(head: Record<string, number>, compared: number) => string} */
function single({ masks, walks }, compared) {
  if (masks === 1) return `all nodes of a shallow tree at once where the processor permutes bytes, else four trees at a time${walks === 1 ? '; eight deep trees at a time' : ''}`;
  return compared > 0 ? `four shallow trees at a time${walks === 1 ? ', or eight deep ones' : ''}` : 'eight trees at a time';
}

/**
 * @param {any} forest
 * @param {{ placed: readonly Placed[], table: Uint8Array, workBytes: number, threads: number, milliseconds: number, codes: readonly { codeBytes: number, total: number }[] }} own
 */
function explain(forest, { placed, table, workBytes, threads, milliseconds, codes }) {
  const head = headOf(table);
  const columns = thresholdsIn(table, head);
  const compared = groupOf(placed.filter(({ isDense }) => isDense));
  const followed = groupOf(placed.filter(({ isDense }) => !isDense));
  const sum = (/** @type {readonly number[]} */ list) => list.reduce((a, b) => a + b, 0);
  return {
    layout: followed.trees === 0 ? 'compared' : compared.trees === 0 ? 'followed' : 'compared and followed',
    reason: reason(compared, followed),
    single: single(head, compared.trees),
    compared,
    followed,
    nodes: sum(placed.map(({ order }) => order.length)),
    thresholds: sum(columns.map(({ count }) => count)),
    block: head.block,
    bytes: {
      table: table.length, thresholds: head.treeAt - head.columnAt, nodes: head.denseAt - head.treeAt,
      compared: head.baseAt - head.denseAt, code: sum(codes.map(({ codeBytes }) => codeBytes)), work: workBytes,
    },
    compileMilliseconds: { table: rounded(milliseconds), code: rounded(sum(codes.map(({ total }) => total))) },
    threads,
    nanoseconds: forest.features === 0 ? null : measure(forest, sampleOf(table, columns, head)),
  };
}

module.exports = { explain };
