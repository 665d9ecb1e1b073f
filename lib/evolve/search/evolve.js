/**
 * evolve: the least value of a function within bounds, by a genetic algorithm, differential evolution or CMA-ES.
 *
 * Methods are generators that yield after each generation, so the same code runs in one go and with pauses in which
 * the event loop does other things.
 */
'use strict';

const { AbortError } = require('../../base/abort.js');
const { boolean, callable, expected, finite, integer, oneOf, positive, readOptions } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { wrapOwn } = require('../../tensor/tensor.js');
const { readFloats } = require('../data.js');
const { defaultThreads } = require('../population.js');
const { readObjective } = require('./objective.js');
const { Stream, readSeed } = require('./stream.js');

const METHODS = /** @type {const} */ (['ga', 'de', 'cmaes']);

/** @type {(value: unknown, which: string, caller: string) => number} */
const share = (value, which, caller) => {
  const good = typeof value === 'number' && value >= 0 && value <= 1;
  return good ? value : expected(caller, 'a number from 0 to 1', which, value);
};

/** @type {(value: unknown, which: string, caller: string) => unknown} */
const anything = (value) => value;

/** Beyond it, steps overflow. @type {(value: unknown, which: string, caller: string) => number} */
const factor = (value, which, caller) => {
  const good = typeof value === 'number' && value > 0 && value <= 1e6;
  return good ? value : expected(caller, 'a number above 0, at most 1e6', which, value);
};

const OWN = {
  ga: {
    tournament: integer(1, 1000), elites: integer(0), crossover: oneOf(['sbx', 'blend']), crossoverRate: share,
    eta: positive, alpha: factor, mutationRate: share, mutationScale: factor,
  },
  de: { strategy: oneOf(['rand', 'best']), weight: factor, crossoverRate: share },
  cmaes: { sigma: factor },
};

const COMMON = {
  bounds: anything, method: oneOf(METHODS), populationSize: integer(1, 2 ** 24), generations: integer(0),
  maxEvaluations: integer(1), target: finite, seed: readSeed, start: anything, vectorized: boolean,
  threads: integer(1, 256), onGeneration: callable, signal: anything,
};

/** @type {(signal: unknown, caller: string) => AbortSignal | undefined} */
function readSignal(signal, caller) {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  return expected(caller, 'an AbortSignal', "option 'signal'", signal);
}

/** @param {unknown} bounds @param {string} caller @returns {{ low: Float64Array, high: Float64Array }} */
function readBounds(bounds, caller) {
  if (!Array.isArray(bounds) || bounds.length === 0) {
    return expected(caller, 'an array of [least, greatest]', "option 'bounds'", bounds);
  }
  bounds.forEach((each, i) => {
    const good = Array.isArray(each) && each.length === 2 && each.every(Number.isFinite) && each[0] <= each[1];
    if (!good) expected(caller, 'an array [least, greatest] of finite numbers', `bounds of gene ${i}`, each);
    if (each[1] - each[0] === Infinity) fail('ERR_OVERFLOW', `${caller}: the range of gene ${i} is beyond the numbers of f64`);
  });
  return { low: Float64Array.from(bounds, ([low]) => low), high: Float64Array.from(bounds, ([, high]) => high) };
}

/** @param {unknown} start @param {Float64Array} low @param {Float64Array} high @param {string} caller */
function readStart(start, low, high, caller) {
  if (start === undefined) return null;
  const read = /** @type {Float64Array} */ (readFloats(start, 'f64', "option 'start'", caller));
  if (read.length !== low.length) {
    return fail('ERR_SHAPE', `${caller}: option 'start' has ${read.length} elements, expected ${low.length} as there are bounds`);
  }
  const wrong = read.findIndex((each, i) => !(each >= low[i] && each <= high[i]));
  return wrong < 0 ? read : expected(caller, `a number within its bounds`, `element ${wrong} of option 'start'`, read[wrong]);
}

/** What methods work on: bounds, the objective, and the best that was found. */
class Search {
  evaluations = 0;
  generation = -1;
  value = Infinity;
  mean = NaN;
  #objective;
  #start;

  /**
   * @param {import('./objective.js').Objective} objective
   * @param {{ low: Float64Array, high: Float64Array, start: Float64Array | null, count: number, seed: number, threads: number }} options
   */
  constructor(objective, { low, high, start, count, seed, threads }) {
    this.#objective = objective;
    this.#start = start;
    this.low = low;
    this.high = high;
    this.size = low.length;
    this.count = count;
    this.seed = seed;
    this.threads = threads;
    this.x = start?.slice() ?? low.map((each, i) => (each + high[i]) / 2);
  }

  /** Individuals anywhere within the bounds, the first of them where the caller said. @returns {Float64Array} */
  first() {
    const { size, count, low, high } = this;
    const rows = new Float64Array(count * size);
    for (let i = 0; i < count; i++) {
      const stream = new Stream(this.seed, 0, i);
      for (let j = 0; j < size; j++) rows[i * size + j] = low[j] + (high[j] - low[j]) * stream.next();
    }
    if (this.#start) rows.set(this.#start);
    return rows;
  }

  /** @param {Float64Array} rows @param {Float64Array} values @param {number} n */
  evaluate(rows, values, n) {
    this.#objective(rows, values, n);
    this.evaluations += n;
    this.generation++;
    let [sum, best] = [0, -1];
    for (let i = 0; i < n; i++) {
      sum += values[i];
      if (!(values[i] < this.value)) continue;
      this.value = values[i];
      best = i;
    }
    if (best >= 0) for (let j = 0; j < this.size; j++) this.x[j] = rows[best * this.size + j];
    this.mean = sum / n;
  }
}

/** @type {Record<typeof METHODS[number], (size: number) => number>} */
const SIZES = {
  ga: () => 100,
  de: (size) => Math.max(20, 5 * size),
  cmaes: (size) => 4 + Math.floor(3 * Math.log(size)),
};

/** Individuals that a method needs. */
const LEAST = { ga: 1, de: 4, cmaes: 2 };

/** @param {Search} search @param {typeof METHODS[number]} method @param {Record<string, any>} own @param {Float64Array | null} start */
function methodOf(search, method, own, start) {
  if (method === 'ga') {
    const elites = Math.min(own.elites ?? 1, search.count - 1);
    return require('./genetic.js').genetic(search, {
      tournament: 3, crossover: 'sbx', crossoverRate: 0.9, eta: 15, alpha: 0.5, mutationRate: 1 / search.size,
      mutationScale: 0.1, ...own, elites,
    });
  }
  if (method === 'de') {
    const { differential } = require('./differential.js');
    return differential(search, { strategy: 'rand', weight: 0.8, crossoverRate: 0.9, ...own });
  }
  return require('./cma.js').cmaEs(search, { sigma: 0.3, ...own, start });
}

/** @param {unknown} objective @param {Record<string, unknown>} options @param {string} caller */
function prepare(objective, options, caller) {
  const method = COMMON.method(options?.method ?? 'ga', "option 'method'", caller);
  const read = /** @type {any} */ (readOptions(caller, options, { ...COMMON, ...OWN[method] }));
  const { bounds, generations, maxEvaluations = Infinity, target, seed = 0, vectorized = false } = read;
  const { threads = defaultThreads(), onGeneration } = read;
  const { low, high } = readBounds(bounds, caller);
  const start = readStart(read.start, low, high, caller);
  const count = COMMON.populationSize(read.populationSize ?? SIZES[method](low.length), "option 'populationSize'", caller);
  if (maxEvaluations < count) {
    fail('ERR_ARGUMENT', `${caller}: option 'maxEvaluations' is ${maxEvaluations}, but a generation takes ${count}: make option 'populationSize' less`);
  }
  if (count < LEAST[method]) {
    expected(caller, `an integer of at least ${LEAST[method]}`, "option 'populationSize'", count);
  }
  const given = Object.keys(OWN[method]).filter((name) => read[name] !== undefined);
  const own = Object.fromEntries(given.map((name) => [name, read[name]]));
  const all = readObjective(objective, { size: low.length, threads, isWhole: vectorized }, caller);
  const search = new Search(all, { low, high, start, count, seed, threads });
  const rounds = methodOf(search, method, own, start);
  const limits = { generations: generations ?? (maxEvaluations === Infinity ? 200 : Infinity), maxEvaluations, target };
  return { search, rounds, limits, onGeneration, signal: readSignal(read.signal, caller) };
}

/** Why a search ends after this generation, or null. @param {Search} search @param {{ generations: number, maxEvaluations: number, target?: number }} limits */
function endOf({ value, generation, evaluations, count }, { generations, maxEvaluations, target }) {
  if (target !== undefined && value <= target) return 'the target is reached';
  if (generation >= generations) return 'all generations have passed';
  return evaluations + count > maxEvaluations ? 'all evaluations are made' : null;
}

/** @param {ReturnType<typeof prepare>} prepared @returns {Generator<void, object>} */
function* generationsOf({ search, rounds, limits, onGeneration, signal }) {
  for (;;) {
    if (signal?.aborted) throw new AbortError(signal);
    rounds.next();
    const { generation, evaluations, value, mean, x } = search;
    const isStopped = onGeneration?.({ generation, evaluations, value, mean, x: x.slice() }) === false;
    const reason = isStopped ? 'the callback said so' : endOf(search, limits);
    if (reason !== null) {
      const best = wrapOwn(search.x.slice(), 'f64', [search.size]);
      return { x: best, value, generations: generation, evaluations, reason };
    }
    yield;
  }
}

/** For other threads, here or while the event loop goes on. @typedef {{ now: () => void, later: () => Promise<void> }} Wait */

/** Runs a generator to its end. @template R @param {Generator<Wait | void, R>} steps @returns {R} */
function runNow(steps) {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return /** @type {R} */ (value);
    if (value) value.now();
  }
}

/** How long other things wait at most, in ms. */
const SLICE = 12;

/** The same, with pauses for the event loop. @template R @param {Generator<Wait | void, R>} steps @returns {Promise<R>} */
async function runAsync(steps) {
  for (let since = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return /** @type {R} */ (value);
    if (value) await value.later();
    if (performance.now() - since < SLICE) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
}

/** @param {unknown} objective @param {Record<string, unknown>} options */
const evolve = (objective, options) => runNow(generationsOf(prepare(objective, options, 'evolve')));

/** @param {unknown} objective @param {Record<string, unknown>} options */
const evolveAsync = async (objective, options) => runAsync(generationsOf(prepare(objective, options, 'evolveAsync')));

module.exports = { Search, evolve, evolveAsync, readSignal, runAsync, runNow };
