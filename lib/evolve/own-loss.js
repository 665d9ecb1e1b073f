/**
 * Losses that are a function of the user's own, of a value and a target: a compiled loop over the values of all
 * programs, which are computed before.
 */
'use strict';

const { native } = require('../native/index.js');
const { prange } = require('../native/source/prange.js');

/** @typedef {(value: number, target: number) => number} OwnLoss */
/** @typedef {(values: ArrayLike<number>, target: Float64Array, weights: Float64Array, losses: Float64Array, rows: number) => void} Loop */

/** By function, then by the most threads. @type {WeakMap<OwnLoss, Map<number, Loop>>} */
const compiled = new WeakMap();

/** @param {OwnLoss} loss @param {number} threads @returns {Loop} */
function loopOf(loss, threads) {
  const known = compiled.get(loss) ?? new Map();
  compiled.set(loss, known);
  const loop = known.get(threads) ?? native(
    (
      /** @type {Float64Array} */ values, /** @type {Float64Array} */ target, /** @type {Float64Array} */ weights,
      /** @type {Float64Array} */ losses, /** @type {number} */ rows,
    ) => {
      for (const p of prange(losses.length)) {
        let sum = 0;
        let total = 0;
        for (let i = 0; i < rows; i++) {
          sum += weights[i] * loss(values[p * rows + i], target[i]);
          total += weights[i];
        }
        losses[p] = sum / total;
      }
    },
    { capture: { loss, prange }, threads },
  );
  known.set(threads, loop);
  return loop;
}

module.exports = { loopOf };
