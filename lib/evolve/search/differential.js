/**
 * Differential evolution (Storn and Price, 1997): each individual against one made of it and the differences of others.
 *
 * The base is a random individual, or a point between this one and one of the best (current-to-pbest of Zhang and
 * Sanderson's JADE, 2009, without its archive). A gene that leaves its bounds goes half of the way to them.
 */
'use strict';

const { native } = require('../../native/index.js');
const { prange } = require('../../native/source/prange.js');
const { best } = require('./genetic.js');
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
 * A trial: genes of x, but those that cross, which are a point between x and `to` (at part `toward` of the way) and a
 * difference.
 *
 * @param {Float64Array} x
 * @param {Float64Array} to
 * @param {Float64Array} plus
 * @param {Float64Array} minus
 * @param {Float64Array} trial
 * @param {Float64Array} low
 * @param {Float64Array} high
 * @param {number} toward
 * @param {number} weight
 * @param {number} rate
 * @param {number} key
 */
function combine(x, to, plus, minus, trial, low, high, toward, weight, rate, key) {
  const d = x.length;
  const sure = (draw(key, 4) * d) | 0;
  for (let j = 0; j < d; j++) {
    const own = x[j];
    const base = toward === 1 ? to[j] : own + toward * (to[j] - own);
    const free = base + weight * (plus[j] - minus[j]);
    const above = free < low[j] ? (own + low[j]) / 2 : free;
    const within = above > high[j] ? (own + high[j]) / 2 : above;
    trial[j] = j !== sure && draw(key, (5 + j) | 0) >= rate ? own : within;
  }
}

/**
 * @param {Float64Array} rows [n, d]
 * @param {Int32Array} order the best first
 * @param {boolean} follows whether they are followed
 * @param {Float64Array} trials [n, d]
 * @param {number} count n
 * @param {Float64Array} low
 * @param {Float64Array} high
 * @param {number} weight
 * @param {number} rate
 * @param {number} seed
 * @param {number} generation
 */
function propose(rows, order, follows, trials, count, low, high, weight, rate, seed, generation) {
  const [n, d] = [count | 0, low.length];
  for (const i of prange(n)) {
    const key = keyOf(seed, generation, i);
    // Three others, by leaving out in rising order those that are taken.
    const a = beyond((draw(key, 0) * (n - 1)) | 0, i);
    const [low2, high2] = [Math.min(i, a), Math.max(i, a)];
    const b = beyond(beyond((draw(key, 1) * (n - 2)) | 0, low2), high2);
    const [low3, high3] = [Math.min(low2, b), Math.max(high2, b)];
    const middle = i + a + b - low3 - high3;
    const c = beyond(beyond(beyond((draw(key, 2) * (n - 3)) | 0, low3), middle), high3);
    let to = a;
    if (follows) to = order[(draw(key, 3) * order.length) | 0];
    combine(
      rows.subarray(i * d, (i + 1) * d), rows.subarray(to * d, (to + 1) * d), rows.subarray(b * d, (b + 1) * d),
      rows.subarray(c * d, (c + 1) * d), trials.subarray(i * d, (i + 1) * d), low, high, follows ? weight : 1, weight,
      rate, key,
    );
  }
}

/** By the most threads. @type {Map<number, typeof propose>} */
const compiled = new Map();

/** @type {(threads: number) => typeof propose} */
function proposer(threads) {
  const capture = { beyond, bits, combine, draw, keyOf, mix, prange };
  const made = compiled.get(threads) ?? native(propose, { capture, bounds: 'unchecked', threads });
  compiled.set(threads, made);
  return made;
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
  const follows = strategy === 'best';
  const leaders = new Int32Array(Math.max(1, Math.round(BEST * n)));
  search.evaluate(rows, values, n);
  values.forEach((each, i) => Number.isNaN(each) && (values[i] = Infinity));
  yield;
  for (let generation = 1; ; generation++) {
    if (follows) best(values, leaders);
    make(rows, leaders, follows, trials, n, low, high, weight, crossoverRate, seed, generation);
    search.evaluate(trials, tried, n);
    for (let i = 0; i < n; i++) {
      if (!(tried[i] <= values[i])) continue;
      values[i] = tried[i];
      for (let j = i * d; j < (i + 1) * d; j++) rows[j] = trials[j];
    }
    yield;
  }
}

module.exports = { differential };
