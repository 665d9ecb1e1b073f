/**
 * Least and greatest values of pieces of a column, kept with it from the second time on that a predicate compares it.
 *
 * A column belongs to a table whose memory nobody changes, as Arrow says. What is looked at once is not worth it: the
 * statistics take a pass over the column.
 */
'use strict';

const { Dag } = require('../kernel/dag.js');
const { emitKernel } = require('../kernel/emit.js');
const { BLOCK, PIECE_BLOCKS } = require('../kernel/layout.js');
const { Run, ARRAYS } = require('../run/execute.js');

/** @typedef {import('../data/column.js').Column} Column */
/** `least` and `greatest` of each piece; of a piece without values they contradict each other. @typedef {{ least: any, greatest: any }} Ranges */

const PIECE_ROWS = BLOCK * PIECE_BLOCKS;
/** Fewest rows of a column whose pieces are worth looking at. */
const FEWEST = 4 * PIECE_ROWS;

/** @type {WeakMap<Column, { uses: number, ranges: Ranges | null }>} */
const known = new WeakMap();

/**
 * @param {Column} column
 * @param {import('../run/execute.js').RunOptions} options
 * @param {number} vectorBytes
 * @returns {Ranges | null} null where there are none yet, or never
 */
function rangesOf(column, options, vectorBytes) {
  const { layout, length, type } = column;
  if (layout !== 'fixed' || type.dtype === undefined || type.id === 'float16' || length < FEWEST) return null;
  const entry = known.get(column) ?? { uses: 0, ranges: null };
  known.set(column, entry);
  if (++entry.uses > 1) entry.ranges ??= collect(column, options, vectorBytes);
  return entry.ranges;
}

/** @type {(column: Column, options: import('../run/execute.js').RunOptions, vectorBytes: number) => Ranges} */
function collect(column, options, vectorBytes) {
  const rep = /** @type {import('../kernel/dag.js').NumberRep} */ (column.type.dtype);
  const dag = new Dag();
  const live = dag.local('live');
  const counted = column.validity === null ? live : dag.and(live, dag.bits('x', 'validity'));
  const roots = ['min', 'max'].map((name) => dag.fold(name, name, [dag.column('x', rep), counted]));
  const { text, unit, needsArena, folds } = emitKernel(dag, { name: 'ranges', roots, vectorBytes, parameters: 0, unit: 'piece' });
  const pieces = Math.ceil(column.length / PIECE_ROWS);
  const tables = new Map(folds.map(({ table, lanes }) => [`${table} values`, new ARRAYS[rep](pieces * lanes)]));
  const prepared = /** @type {any} */ ({ text, unit, needsArena, roots, buffers: dag.buffers, outputs: [], sites: [] });
  const chunks = [{ rows: column.length, columns: new Map([['x', column]]) }];
  new Run(prepared, { chunks, tables, words: [] }, options).now();
  const [{ lanes }] = folds;
  return {
    least: joined(tables.get('min values'), pieces, lanes, (a, b) => b < a),
    greatest: joined(tables.get('max values'), pieces, lanes, (a, b) => b > a),
  };
}

/** One value a piece; NaN if a lane has it. @type {(values: any, pieces: number, lanes: number, better: (a: any, b: any) => boolean) => any} */
function joined(values, pieces, lanes, better) {
  const out = new values.constructor(pieces);
  for (let p = 0; p < pieces; p++) {
    let best = values[p * lanes];
    for (let k = 1; k < lanes; k++) {
      const value = values[p * lanes + k];
      // NaN, of numbers and bigints alike.
      if (value !== value || better(best, value)) best = value;
    }
    out[p] = best;
  }
  return out;
}

module.exports = { PIECE_ROWS, rangesOf };
