/**
 * Differential evolution (Storn and Price, 1997): each individual against one made of it and the differences of others.
 *
 * The base is a random individual, or a point between this one and one of the best (current-to-pbest of Zhang and
 * Sanderson's JADE, 2009, without its archive). A gene that leaves its bounds goes half of the way to them.
 */
'use strict';

const { native } = require('../../native/index.js');
const { prange } = require('../../native/source/prange.js');
const { bits, draw, keyOf, mix } = require('./stream.js');

/**
 * @typedef {object} DifferentialOptions
 * @property {'rand' | 'best'} strategy
 * @property {number} weight of differences, F
 * @property {number} crossoverRate of genes, CR
 */

/** How many of the best 'best' chooses among, in parts of all. */
const BEST = 0.1;

/** @param {number} index among all but one @param {number} taken */
function beyond(index, taken) {
  return index + Number(index >= taken);
}

/**
 * @param {Float64Array} rows [n, d]
 * @param {Int32Array} order the best first
 * @param {number} leaders how many of them are followed; 0: none
 * @param {Float64Array} trials [n, d]
 * @param {number} count n
 * @param {number} size d
 * @param {Float64Array} low
 * @param {Float64Array} high
 * @param {number} weight
 * @param {number} rate
 * @param {number} seed
 * @param {number} generation
 */
function propose(rows, order, leaders, trials, count, size, low, high, weight, rate, seed, generation) {
  const [n, d] = [count | 0, size | 0];
  for (const i of prange(n)) {
    const key = keyOf(seed, generation, i);
    // Three others, by leaving out in rising order those that are taken.
    const a = beyond((draw(key, 0) * (n - 1)) | 0, i);
    const [low2, high2] = [Math.min(i, a), Math.max(i, a)];
    const b = beyond(beyond((draw(key, 1) * (n - 2)) | 0, low2), high2);
    const [low3, high3] = [Math.min(low2, b), Math.max(high2, b)];
    const middle = i + a + b - low3 - high3;
    const c = beyond(beyond(beyond((draw(key, 2) * (n - 3)) | 0, low3), middle), high3);
    const leader = order[(draw(key, 3) * Math.max(leaders, 1)) | 0];
    const sure = (draw(key, 4) * d) | 0;
    for (let j = 0; j < d; j++) {
      const own = rows[i * d + j];
      let base = rows[a * d + j];
      if (leaders > 0) base = own + weight * (rows[leader * d + j] - own);
      let x = base + weight * (rows[b * d + j] - rows[c * d + j]);
      if (x < low[j]) x = (own + low[j]) / 2;
      if (x > high[j]) x = (own + high[j]) / 2;
      if (j !== sure && draw(key, 5 + j) >= rate) x = own;
      trials[i * d + j] = x;
    }
  }
}

/** By the most threads. @type {Map<number, typeof propose>} */
const compiled = new Map();

/** @type {(threads: number) => typeof propose} */
function proposer(threads) {
  const capture = { beyond, bits, draw, keyOf, mix, prange };
  const made = compiled.get(threads) ?? native(propose, { capture, bounds: 'unchecked', threads });
  compiled.set(threads, made);
  return made;
}

/** @param {Float64Array} values @returns {Int32Array} the best first */
function ranked(values) {
  return Int32Array.from(values, (_, i) => i).sort((a, b) => values[a] - values[b] || a - b);
}

/**
 * @param {import('./evolve.js').Search} search
 * @param {DifferentialOptions} options
 * @returns {Generator<void, void>}
 */
function* differential(search, { strategy, weight, crossoverRate }) {
  const { size: d, count: n, low, high, seed } = search;
  const make = proposer(search.threads);
  const rows = search.first();
  const trials = new Float64Array(n * d);
  const values = new Float64Array(n);
  const tried = new Float64Array(n);
  const leaders = strategy === 'best' ? Math.max(1, Math.round(BEST * n)) : 0;
  const none = new Int32Array(1);
  search.evaluate(rows, values, n);
  values.forEach((each, i) => Number.isNaN(each) && (values[i] = Infinity));
  yield;
  for (let generation = 1; ; generation++) {
    const order = leaders > 0 ? ranked(values) : none;
    make(rows, order, leaders, trials, n, d, low, high, weight, crossoverRate, seed, generation);
    search.evaluate(trials, tried, n);
    for (let i = 0; i < n; i++) {
      if (!(tried[i] <= values[i])) continue;
      values[i] = tried[i];
      rows.set(trials.subarray(i * d, (i + 1) * d), i * d);
    }
    yield;
  }
}

module.exports = { differential };
