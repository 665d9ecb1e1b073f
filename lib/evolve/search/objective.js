/**
 * What evolution minimises, as a function of a whole population: rows of `size` numbers to one value each. Functions
 * of a vector get copies, which they may keep or write to.
 *
 * A native function of a vector is called by a compiled loop over the rows; a function of a tensor [n, size], a jit
 * function or a graph computes all rows at once; any other function is called row by row.
 */
'use strict';

const { expected } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { Graph } = require('../../graph/graph.js');
const { elementsOf } = require('../data.js');
const { Tensor, wrap } = require('../../tensor/tensor.js');

/** Writes values[n] of rows[n * size]. @typedef {(rows: Float64Array, values: Float64Array, n: number) => void} Objective */

/** @type {(result: unknown, n: number, caller: string) => ArrayLike<number>} */
function valuesOf(result, n, caller) {
  const data = result instanceof Tensor ? elementsOf(result) : result;
  const list = /** @type {ArrayLike<number | bigint> | null} */ (data);
  if (list?.length !== n) return expected(caller, `${n} values`, 'the result of the objective', result, 'ERR_SHAPE');
  return typeof list[0] === 'bigint' ? Array.from(list, Number) : /** @type {ArrayLike<number>} */ (list);
}

/** @param {(rows: Tensor) => unknown} whole @param {number} size @param {string} caller @returns {Objective} */
const ofTensor = (whole, size, caller) => (rows, values, n) => {
  values.set(valuesOf(whole(wrap(rows.subarray(0, n * size), 'f64', [n, size])), n, caller));
};

/** @param {Graph} graph @param {number} threads @param {string} caller @returns {(rows: Tensor) => unknown} */
function ofGraph(graph, threads, caller) {
  const program = graph.compile({ threads });
  const { inputs, outputs } = /** @type {any} */ (program);
  if (inputs.length !== 1 || outputs.length !== 1) fail('ERR_ARGUMENT', `${caller}: a graph as objective has one input and one output`);
  const [{ name: input }] = inputs;
  const [{ name: output }] = outputs;
  return (rows) => program.run({ [input]: rows })[output];
}

/** @param {(...args: any[]) => unknown} fn native @param {unknown} numerics @param {number} size @param {number} threads @returns {Objective} */
function ofNative(fn, numerics, size, threads) {
  const { native } = require('../../native/index.js');
  const { ownerOf } = require('../../native/run/callable.js');
  const { prange } = require('../../native/source/prange.js');
  const loop = native(
    (/** @type {Float64Array} */ rows, /** @type {Float64Array} */ values, /** @type {number} */ n, /** @type {number} */ d) => {
      for (const i of prange(n)) values[i] = /** @type {number} */ (fn(rows.subarray(i * d, (i + 1) * d)));
    },
    { capture: { fn, prange }, numerics, threads },
  );
  const own = ownerOf(loop);
  let mayWrite = true;
  return (rows, values, n) => {
    loop(mayWrite ? rows.slice() : rows, values, n, size);
    // Once there is code it is known.
    mayWrite = own === undefined || own.specializations.some(({ code }) => code.written[0]);
  };
}

/** @param {(row: Float64Array) => unknown} fn @param {number} size @param {string} caller @returns {Objective} */
const ofRows = (fn, size, caller) => (rows, values, n) => {
  const own = rows.slice(0, n * size);
  for (let i = 0; i < n; i++) {
    const value = fn(own.subarray(i * size, (i + 1) * size));
    if (typeof value !== 'number') expected(caller, 'a number', 'the result of the objective', value);
    values[i] = /** @type {number} */ (value);
  }
};

/**
 * @param {unknown} objective
 * @param {{ size: number, threads: number, isWhole: boolean }} options
 * @param {string} caller
 * @returns {Objective}
 */
function readObjective(objective, { size, threads, isWhole }, caller) {
  if (objective instanceof Graph) return ofTensor(ofGraph(objective, threads, caller), size, caller);
  if (typeof objective !== 'function') return expected(caller, 'a function or a graph', 'the objective', objective);
  const fn = /** @type {(...args: any[]) => unknown} */ (objective);
  const owner = require('../../native/run/callable.js').ownerOf(fn);
  if (owner) return ofNative(fn, owner.unit.options.numerics, size, threads);
  if ('lower' in fn && 'cacheSize' in fn) return ofTensor(fn, size, caller); // made by jit
  return isWhole ? ofTensor(require('../../trace/jit.js').jit(fn, { threads }), size, caller) : ofRows(fn, size, caller);
}

module.exports = { readObjective };
