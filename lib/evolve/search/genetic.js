/**
 * A real-coded genetic algorithm: tournaments, crossover, gaussian mutation, elites.
 *
 * Crossover is simulated binary (Deb and Agrawal, Simulated binary crossover for continuous search space, 1995) or a
 * blend (Eshelman and Schaffer, BLX-α, 1993). A generation is bred by one compiled function, each pair of children from
 * a stream of its own. Draws of a gene have numbers that follow from the gene's, so that loops over genes become
 * vectors; mutations, of which there are few, come behind, from draws of their own. Logarithms and exponentials have
 * the bits of JavaScript's, so a seed is the same run whatever the vectors of the machine.
 */
'use strict';

const { native } = require('../../native/index.js');
const { prange } = require('../../native/source/prange.js');
const { bits, draw, keyOf, mix } = require('./stream.js');

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
 * The winner of a tournament.
 *
 * @param {Float64Array} values
 * @param {number} key
 * @param {number} first draw
 * @param {number} rounds how many meet
 */
function winner(values, key, first, rounds) {
  const n = values.length;
  let leader = (draw(key, first) * n) | 0;
  for (let k = 1; k < rounds; k++) {
    const other = (draw(key, first + k) * n) | 0;
    if (values[other] < values[leader]) leader = other;
  }
  return leader;
}

/**
 * 31 less the binary logarithm of a number from 1 to 2^31 - 1, to 4e-7. As powerOfTwo() it is a polynomial: sums and
 * products alone are the same in vectors of any size and on any machine.
 *
 * @param {number} whole
 */
function depth(whole) {
  const zeros = Math.clz32(whole);
  const s = ((whole << zeros) >>> 1) / 1073741824 - 1.5;
  const s2 = s * s;
  const low = 0.58496276 + 0.96179654 * s + (-0.32063188 + 0.14250802 * s) * s2;
  return zeros - (low + (-0.07059455 + 0.03761046 * s + (-0.02511014 + 0.01444035 * s) * s2) * (s2 * s2));
}

/** 2^x for x from 0 to 32, to 1e-7 of it. @param {number} x */
function powerOfTwo(x) {
  const f = x / 32;
  const f2 = f * f;
  const low = 1.0000000025 + 0.69314693276 * f + (0.24023045441 + 0.0554806302 * f) * f2;
  const root = low + (0.00968418631 + 0.00123913318 * f + 0.000218657848 * f2) * (f2 * f2);
  const p4 = root * root * (root * root);
  const p16 = p4 * p4 * (p4 * p4);
  return p16 * p16;
}

/**
 * How far children lie apart, in parts of the distance of their parents: (2 u)^power for u up to a half, and above it
 * the inverse of (2 - 2 u)^power, u being (drawn + 0.5) / 2^31.
 *
 * @param {number} drawn a u32 below 2^31
 * @param {number} power below 1
 */
function spreadOf(drawn, power) {
  const part = (2 * drawn + 1) | 0;
  const size = powerOfTwo(depth(Math.abs(part) | 0) * power);
  return part > 0 ? 1 / size : size;
}

/**
 * Both children of x and y, by simulated binary crossover of every other gene, as in Deb's own code: below a half a
 * number is as good as one of its own.
 *
 * @param {Float64Array} x
 * @param {Float64Array} y
 * @param {Float64Array} one child
 * @param {Float64Array} two
 * @param {number} key
 * @param {number} first draw
 * @param {number} power of the spread, 1 / (eta + 1)
 */
function crossBinary(x, y, one, two, key, first, power) {
  for (let j = 0; j < x.length; j++) {
    const drawn = bits(key, (first + j) | 0) | 0;
    const [middle, half] = [(x[j] + y[j]) / 2, ((y[j] - x[j]) / 2) * spreadOf(drawn, power)];
    one[j] = drawn >= 0 ? middle - half : x[j];
    two[j] = drawn >= 0 ? middle + half : y[j];
  }
}

/**
 * The same by blends, each child anywhere between its parents and `beyond` of their distance further.
 *
 * @param {Float64Array} x
 * @param {Float64Array} y
 * @param {Float64Array} one
 * @param {Float64Array} two
 * @param {number} key
 * @param {number} first draw
 * @param {number} beyond
 */
function crossBlend(x, y, one, two, key, first, beyond) {
  const d = x.length;
  for (let j = 0; j < d; j++) {
    const [u, v] = [draw(key, (first + j) | 0), draw(key, (first + d + j) | 0)];
    const [least, span] = [Math.min(x[j], y[j]), Math.abs(y[j] - x[j])];
    one[j] = least + ((1 + 2 * beyond) * u - beyond) * span;
    two[j] = least + ((1 + 2 * beyond) * v - beyond) * span;
  }
}

/** -log2(u) of a uniform u in (0, 1). @param {number} key @param {number} counter of the draw */
function surprise(key, counter) {
  return depth(((bits(key, counter) >>> 2) * 2 + 1) | 0);
}

/**
 * Mutates a child and brings it back within its bounds. How many genes are passed over until the next mutation is
 * geometric.
 *
 * @param {Float64Array} child
 * @param {Float64Array} low
 * @param {Float64Array} high
 * @param {number} key
 * @param {number} first draw
 * @param {number} rarity -log2 of the share of genes that stay
 * @param {number} scale
 */
function mutate(child, low, high, key, first, rarity, scale) {
  const d = child.length;
  let at = first;
  let j = rarity > 0 ? Math.min(surprise(key, at) / rarity, d) | 0 : d;
  while (j < d) {
    const size = Math.sqrt(2 * Math.LN2 * Math.max(surprise(key, at + 1), 0));
    child[j] += scale * (high[j] - low[j]) * size * Math.cos(2 * Math.PI * draw(key, at + 2));
    j += 1 + (Math.min(surprise(key, at + 3) / rarity, d) | 0);
    at += 3;
  }
  for (let k = 0; k < d; k++) child[k] = Math.min(Math.max(child[k], low[k]), high[k]);
}

/**
 * Pairs of children behind the elites, which the caller has put in front.
 *
 * @param {Float64Array} parents [n, d]
 * @param {Float64Array} values of the parents
 * @param {Float64Array} children [n, d]
 * @param {Float64Array} spare a row for the second child of the last pair, where only one is wanted
 * @param {number} first child
 * @param {Float64Array} low [d]
 * @param {Float64Array} high [d]
 * @param {Float64Array} settings
 * @param {number} seed
 * @param {number} generation
 */
function breed(parents, values, children, spare, first, low, high, settings, seed, generation) {
  const [n, d, head] = [values.length, low.length, first | 0];
  const [rounds, rate, isBinary, eta] = [settings[0] | 0, settings[1], settings[2], settings[3]];
  const [alpha, rarity, scale] = [settings[4], -Math.log2(1 - settings[5]), settings[6]];
  for (const pair of prange((n - head + 1) >> 1)) {
    const key = keyOf(seed, generation, pair);
    const [a, b] = [winner(values, key, 0, rounds), winner(values, key, rounds, rounds)];
    const [x, y] = [parents.subarray(a * d, (a + 1) * d), parents.subarray(b * d, (b + 1) * d)];
    const child = head + 2 * pair;
    const one = children.subarray(child * d, (child + 1) * d);
    let two = spare;
    if (child + 1 < n) two = children.subarray((child + 1) * d, (child + 2) * d);
    const genes = 2 * rounds + 1;
    if (draw(key, 2 * rounds) >= rate) {
      for (let j = 0; j < d; j++) {
        one[j] = x[j];
        two[j] = y[j];
      }
    } else if (isBinary === 1) {
      crossBinary(x, y, one, two, key, genes, 1 / (eta + 1));
    } else {
      crossBlend(x, y, one, two, key, genes, alpha);
    }
    // At most 3 d + 1 draws each.
    mutate(one, low, high, key, genes + 2 * d, rarity, scale);
    mutate(two, low, high, key, genes + 5 * d + 1, rarity, scale);
  }
}

const capture = {
  bits, crossBinary, crossBlend, depth, draw, keyOf, mix, mutate, powerOfTwo, prange, spreadOf, surprise, winner,
};

/** By the most threads. @type {Map<number, typeof breed>} */
const compiled = new Map();

/** @type {(threads: number) => typeof breed} */
function breeder(threads) {
  const made = compiled.get(threads) ?? native(breed, { capture, bounds: 'unchecked', threads });
  compiled.set(threads, made);
  return made;
}

/**
 * Fills `order` with the numbers of the least values, least first, of equal ones those in front first.
 *
 * @param {Float64Array} values without NaN
 * @param {Int32Array} order as many as are wanted, at most as there are values
 */
function best(values, order) {
  let found = 0;
  for (let i = 0; i < values.length; i++) {
    let at = found;
    while (at > 0 && values[i] < values[order[at - 1]]) at--;
    if (at === order.length) continue;
    if (found < order.length) found++;
    order.copyWithin(at + 1, at, found - 1);
    order[at] = i;
  }
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
  const [values, spare, elites] = [new Float64Array(n), new Float64Array(d), new Int32Array(options.elites)];
  for (let generation = 1; ; generation++) {
    search.evaluate(parents, values, n);
    yield;
    // What is NaN must not win a tournament.
    for (let i = 0; i < n; i++) if (Number.isNaN(values[i])) values[i] = Infinity;
    best(values, elites);
    for (let i = 0; i < elites.length; i++) {
      for (let j = 0; j < d; j++) children[i * d + j] = parents[elites[i] * d + j];
    }
    next(parents, values, children, spare, options.elites, low, high, settings, seed, generation);
    [parents, children] = [children, parents];
  }
}

module.exports = { best, genetic, spreadOf };
