/**
 * A real-coded genetic algorithm: tournaments, crossover, gaussian mutation, elites.
 *
 * Crossover is simulated binary (Deb and Agrawal, Simulated binary crossover for continuous search space, 1995) or a
 * blend (Eshelman and Schaffer, BLX-α, 1993). A generation is bred by one compiled function, each pair of children from
 * a stream of its own.
 */
'use strict';

const { native } = require('../../native/index.js');
const { prange } = require('../../native/source/prange.js');
const { draw, keyOf, mix, normal } = require('./stream.js');

/**
 * @typedef {object} GeneticOptions
 * @property {number} tournament how many meet
 * @property {number} elites best ones that stay as they are
 * @property {number} crossoverRate of pairs
 * @property {'sbx' | 'blend'} crossover
 * @property {number} eta of 'sbx': children of a large one are near their parents
 * @property {number} alpha of 'blend': how far beyond its parents a gene may lie
 * @property {number} mutationRate of genes
 * @property {number} mutationScale standard deviation, in parts of the range of a gene
 */

/** Numbers of `settings`, in the order in which breed() reads them. @type {(options: GeneticOptions) => Float64Array} */
const settingsOf = (o) =>
  Float64Array.of(
    o.tournament, o.crossoverRate, o.crossover === 'sbx' ? 1 : 0, o.eta, o.alpha, o.mutationRate, o.mutationScale,
  );

/**
 * Pairs of children behind the elites, which the caller has put in front.
 *
 * @param {Float64Array} parents [n, d]
 * @param {Float64Array} values of the parents
 * @param {Float64Array} children [n, d]
 * @param {number} count n
 * @param {number} size d
 * @param {number} first child
 * @param {Float64Array} low [d]
 * @param {Float64Array} high [d]
 * @param {Float64Array} settings
 * @param {number} seed
 * @param {number} generation
 */
function breed(parents, values, children, count, size, first, low, high, settings, seed, generation) {
  const [n, d, head] = [count | 0, size | 0, first | 0];
  const [rounds, rate, isBinary, eta] = [settings[0], settings[1], settings[2], settings[3]];
  const [alpha, rarity, scale] = [settings[4], Math.log(1 - settings[5]), settings[6]];
  const pairs = (n - head + 1) >> 1;
  for (const pair of prange(pairs)) {
    const key = keyOf(seed, generation, pair);
    let at = 0;
    let a = (draw(key, at++) * n) | 0;
    let b = (draw(key, at++) * n) | 0;
    for (let k = 1; k < rounds; k++) {
      const other = (draw(key, at++) * n) | 0;
      if (values[other] < values[a]) a = other;
      const another = (draw(key, at++) * n) | 0;
      if (values[another] < values[b]) b = another;
    }
    const crosses = draw(key, at++) < rate;
    // How many genes are passed over until the next mutation is geometric.
    let nextX = Math.floor(Math.log(draw(key, at++)) / rarity);
    let nextY = Math.floor(Math.log(draw(key, at++)) / rarity);
    const one = ((head + 2 * pair) * d) | 0;
    const two = (Math.min(head + 2 * pair + 1, n - 1) * d) | 0;
    for (let j = 0; j < d; j++) {
      let x = parents[a * d + j];
      let y = parents[b * d + j];
      if (crosses && isBinary === 1) {
        // Every other gene, as in Deb's own code; below a half the number is as good as one of its own.
        const u = 2 * draw(key, at++);
        if (u < 1) {
          const spread = Math.exp((u <= 0.5 ? Math.log(2 * u) : -Math.log(2 - 2 * u)) / (eta + 1));
          const [middle, half] = [(x + y) / 2, ((y - x) / 2) * spread];
          x = middle - half;
          y = middle + half;
        }
      } else if (crosses) {
        const [u, v] = [draw(key, at), draw(key, at + 1)];
        const [least, span] = [Math.min(x, y), Math.abs(y - x)];
        at += 2;
        x = least + ((1 + 2 * alpha) * u - alpha) * span;
        y = least + ((1 + 2 * alpha) * v - alpha) * span;
      }
      const range = scale * (high[j] - low[j]);
      if (j === nextX) {
        x += range * normal(draw(key, at), draw(key, at + 1));
        nextX += 1 + Math.floor(Math.log(draw(key, at + 2)) / rarity);
        at += 3;
      }
      if (j === nextY) {
        y += range * normal(draw(key, at), draw(key, at + 1));
        nextY += 1 + Math.floor(Math.log(draw(key, at + 2)) / rarity);
        at += 3;
      }
      // The last pair may be one child: it is written last.
      children[two + j] = Math.min(Math.max(y, low[j]), high[j]);
      children[one + j] = Math.min(Math.max(x, low[j]), high[j]);
    }
  }
}

/** By the most threads. @type {Map<number, typeof breed>} */
const compiled = new Map();

/** @type {(threads: number) => typeof breed} */
function breeder(threads) {
  const made = compiled.get(threads) ?? native(breed, { capture: { draw, keyOf, mix, normal, prange }, bounds: 'unchecked', threads });
  compiled.set(threads, made);
  return made;
}

/** The numbers of the least values, least first; NaN is last. @param {Float64Array} values @param {number} count */
function best(values, count) {
  const order = Array.from(values, (_, i) => i);
  const rank = (/** @type {number} */ i) => (Number.isNaN(values[i]) ? Infinity : values[i]);
  return order.sort((a, b) => rank(a) - rank(b) || a - b).slice(0, count);
}

/**
 * @param {import('./evolve.js').Search} search
 * @param {GeneticOptions} options
 * @returns {Generator<void, void>} a round each
 */
function* genetic(search, options) {
  const { size: d, count: n, low, high, seed } = search;
  const next = breeder(search.threads);
  const settings = settingsOf(options);
  /** @type {Float64Array} */
  let parents = search.first();
  /** @type {Float64Array} */
  let children = new Float64Array(n * d);
  const values = new Float64Array(n);
  for (let generation = 1; ; generation++) {
    search.evaluate(parents, values, n);
    yield;
    best(values, options.elites).forEach((each, i) => children.set(parents.subarray(each * d, (each + 1) * d), i * d));
    // What is NaN must not win a tournament.
    values.forEach((each, i) => Number.isNaN(each) && (values[i] = Infinity));
    next(parents, values, children, n, d, options.elites, low, high, settings, seed, generation);
    [parents, children] = [children, parents];
  }
}

module.exports = { genetic };
