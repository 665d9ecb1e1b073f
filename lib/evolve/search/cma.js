/**
 * CMA-ES: a normal distribution that follows where the better ones were (Hansen, The CMA evolution strategy: a
 * tutorial, 2016, whose names and default numbers are used: equations 5 to 58).
 *
 * It works on [0, 1] in each direction, the bounds of a gene, so that ranges need not be alike. Points outside are
 * evaluated at the nearest one inside, with a penalty that grows with the distance. What takes d² steps and more is
 * compiled: drawing a generation, what the best of it have in common, the covariance matrix, of which only the lower
 * triangle is kept, and its eigenvectors, which are renewed now and then only. Sums are in the same order in vectors
 * of any size, on any number of threads, and the eigenvectors are those of 'strict' numerics, so a seed is one run.
 */
'use strict';

const { Graph } = require('../../graph/graph.js');
const { native } = require('../../native/index.js');
const { prange } = require('../../native/source/prange.js');
const { wrap } = require('../../tensor/tensor.js');
const { bits, draw, keyOf, mix, normal } = require('./stream.js');

/** @typedef {{ sigma: number, start: Float64Array | null }} CmaOptions */

/** @type {(matrix: import('../../tensor/tensor.js').Tensor) => Record<string, import('../../tensor/tensor.js').Tensor>} */
let decomposition;

/**
 * Eigenvectors of a symmetric matrix, one in each row, and the same times the square roots of their eigenvalues, of
 * which none counts as less than a small part of the greatest.
 *
 * @param {Float64Array} lower [d, d], of which the lower triangle is read
 * @param {number} d
 * @returns {{ vectors: Float64Array, axes: Float64Array }}
 */
function eigen(lower, d) {
  decomposition ??= compileEigen();
  const { vectors, axes } = decomposition(wrap(lower, 'f64', [d, d]));
  return { vectors: /** @type {Float64Array} */ (vectors.data), axes: /** @type {Float64Array} */ (axes.data) };
}

function compileEigen() {
  const graph = new Graph('eigen');
  const matrix = /** @type {any} */ (graph.input('matrix', 'f64', ['d', 'd']));
  const { eigenvalues, eigenvectors } = matrix.eigh();
  const scales = eigenvalues.max(eigenvalues.reduceMax().mul(1e-14)).sqrt();
  graph.output('vectors', eigenvectors.T);
  graph.output('axes', eigenvectors.mul(scales).T);
  const program = /** @type {any} */ (graph.compile({ numerics: 'strict', threads: 1 }));
  return (/** @type {unknown} */ each) => program.run({ matrix: each });
}

/**
 * Draws the individuals of a generation: normal numbers z, steps from the mean in units of the step size, the points
 * that these lead to, and the square of how far each lies outside of the bounds.
 *
 * @param {Float64Array} z [n, d]
 * @param {Float64Array} steps [n, d]
 * @param {Float64Array} rows [n, d]
 * @param {Float64Array} outside [n]
 * @param {Float64Array} mean [d]
 * @param {Float64Array} axes [d, d]
 * @param {number} sigma
 * @param {Float64Array} low [d]
 * @param {Float64Array} range [d]
 * @param {number} seed
 * @param {number} generation
 */
function sample(z, steps, rows, outside, mean, axes, sigma, low, range, seed, generation) {
  const d = mean.length;
  for (const k of prange(outside.length)) {
    const key = keyOf(seed, generation, k);
    const [own, step] = [z.subarray(k * d, (k + 1) * d), steps.subarray(k * d, (k + 1) * d)];
    const row = rows.subarray(k * d, (k + 1) * d);
    for (let j = 0; j < d; j++) own[j] = normal(draw(key, 2 * j), draw(key, 2 * j + 1));
    for (let i = 0; i < d; i++) step[i] = 0;
    for (let j = 0; j < d; j++) {
      const along = own[j];
      for (let i = 0; i < d; i++) step[i] += along * axes[j * d + i];
    }
    let distance = 0;
    for (let i = 0; i < d; i++) {
      const x = mean[i] + sigma * step[i];
      const inside = Math.min(Math.max(x, 0), 1);
      distance += (x - inside) * (x - inside);
      row[i] = low[i] + range[i] * inside;
    }
    outside[k] = distance;
  }
}

/**
 * The mean of the best steps, and what it is where the distribution is the standard one: C^(-1/2) of it, the same
 * eigenvectors times the mean of the normal numbers.
 *
 * @param {Float64Array} steps [n, d]
 * @param {Float64Array} z [n, d]
 * @param {Int32Array} order the best first
 * @param {Float64Array} weights of the best
 * @param {Float64Array} vectors [d, d]
 * @param {Float64Array} move [d]
 * @param {Float64Array} white [d]
 * @param {Float64Array} drawn [d] the mean of the normal numbers
 */
function recombine(steps, z, order, weights, vectors, move, white, drawn) {
  const d = move.length;
  for (let i = 0; i < d; i++) {
    move[i] = 0;
    white[i] = 0;
    drawn[i] = 0;
  }
  for (let k = 0; k < weights.length; k++) {
    const [weight, at] = [weights[k], order[k] * d];
    for (let i = 0; i < d; i++) {
      move[i] += weight * steps[at + i];
      drawn[i] += weight * z[at + i];
    }
  }
  for (let j = 0; j < d; j++) {
    const along = drawn[j];
    for (let i = 0; i < d; i++) white[i] += along * vectors[j * d + i];
  }
}

/**
 * Renews the lower triangle of the covariance matrix by the path and the best steps.
 *
 * @param {Float64Array} covariance [d, d]
 * @param {number} keep of what it was
 * @param {Float64Array} path [d]
 * @param {number} c1 weight of the path
 * @param {Float64Array} steps [n, d]
 * @param {Int32Array} order the best first
 * @param {Float64Array} weights of the best
 * @param {number} cmu weight of these
 */
function adapt(covariance, keep, path, c1, steps, order, weights, cmu) {
  const d = path.length;
  for (const i of prange(d)) {
    const row = covariance.subarray(i * d, i * d + i + 1);
    const along = c1 * path[i];
    for (let j = 0; j <= i; j++) row[j] = keep * row[j] + along * path[j];
    for (let k = 0; k < weights.length; k++) {
      const at = order[k] * d;
      const part = cmu * weights[k] * steps[at + i];
      for (let j = 0; j <= i; j++) row[j] += part * steps[at + j];
    }
  }
}

/** By the most threads. @type {Map<number, { sample: typeof sample, recombine: typeof recombine, adapt: typeof adapt }>} */
const compiled = new Map();

/** @param {number} threads */
function compileFor(threads) {
  const options = { capture: { bits, draw, keyOf, mix, normal, prange }, bounds: /** @type {const} */ ('unchecked'), threads };
  const made = compiled.get(threads) ?? {
    sample: native(sample, options),
    recombine: native(recombine, { bounds: 'unchecked' }),
    adapt: native(adapt, { ...options, capture: { prange } }),
  };
  compiled.set(threads, made);
  return made;
}

/** Weights and rates, for n individuals of d genes. @param {number} n @param {number} d */
function constantsOf(n, d) {
  const mu = Math.max(1, Math.floor(n / 2));
  const raw = Array.from({ length: mu }, (_, i) => Math.log((n + 1) / 2) - Math.log(i + 1));
  const total = raw.reduce((a, b) => a + b, 0);
  const weights = n > 1 && total > 0 ? raw.map((each) => each / total) : [1];
  const mass = 1 / weights.reduce((sum, each) => sum + each * each, 0);
  const cs = (mass + 2) / (d + mass + 5);
  const c1 = 2 / ((d + 1.3) ** 2 + mass);
  return {
    weights, mass, cs, c1,
    damps: 1 + 2 * Math.max(0, Math.sqrt((mass - 1) / (d + 1)) - 1) + cs,
    cc: (4 + mass / d) / (d + 4 + (2 * mass) / d),
    cmu: Math.min(1 - c1, (2 * (mass - 2 + 1 / mass)) / ((d + 2) ** 2 + mass)),
    expected: Math.sqrt(d) * (1 - 1 / (4 * d) + 1 / (21 * d * d)),
  };
}

/** The distribution: mean, step size, covariance and its eigenvectors, paths. */
class Distribution {
  /** @param {Float64Array} mean @param {number} sigma @param {number} n @param {ReturnType<typeof compileFor>} run */
  constructor(mean, sigma, n, run) {
    const d = mean.length;
    this.run = run;
    this.mean = mean;
    this.sigma = sigma;
    this.rates = constantsOf(n, d);
    this.weights = Float64Array.from(this.rates.weights);
    this.covariance = new Float64Array(d * d);
    for (let i = 0; i < d; i++) this.covariance[i * (d + 1)] = 1;
    this.vectors = this.covariance.slice();
    this.axes = this.vectors;
    this.z = new Float64Array(n * d);
    this.steps = new Float64Array(n * d);
    this.outside = new Float64Array(n);
    this.pathC = new Float64Array(d);
    this.pathS = new Float64Array(d);
    this.move = new Float64Array(d);
    this.white = new Float64Array(d);
    this.drawn = new Float64Array(d);
    this.generation = 0;
    this.decomposed = 0;
  }

  /**
   * @param {Float64Array} rows where the points go
   * @param {{ low: Float64Array, range: Float64Array, seed: number, generation: number }} options
   */
  sample(rows, { low, range, seed, generation }) {
    const { z, steps, outside, mean, axes, sigma } = this;
    this.run.sample(z, steps, rows, outside, mean, axes, sigma, low, range, seed, generation);
  }

  /** @param {Int32Array} order of the points that were drawn, the best first */
  update(order) {
    const { mean, weights, covariance, vectors, z, steps, pathC, pathS, move, white } = this;
    const { mass, cs, cc, c1, cmu, damps, expected } = this.rates;
    const d = mean.length;
    this.generation++;
    this.run.recombine(steps, z, order, weights, vectors, move, white, this.drawn);
    const pull = Math.sqrt(cs * (2 - cs) * mass);
    let square = 0;
    for (let i = 0; i < d; i++) {
      mean[i] += this.sigma * move[i];
      pathS[i] = (1 - cs) * pathS[i] + pull * white[i];
      square += pathS[i] * pathS[i];
    }
    const length = Math.sqrt(square);
    const isLong = length / Math.sqrt(1 - (1 - cs) ** (2 * this.generation)) >= (1.4 + 2 / (d + 1)) * expected;
    const gain = isLong ? 0 : Math.sqrt(cc * (2 - cc) * mass);
    for (let i = 0; i < d; i++) pathC[i] = (1 - cc) * pathC[i] + gain * move[i];
    const keep = 1 - c1 - cmu + (isLong ? c1 * cc * (2 - cc) : 0);
    this.run.adapt(covariance, keep, pathC, c1, steps, order, weights, cmu);
    this.sigma *= Math.exp(Math.min(1, (cs / damps) * (length / expected - 1)));
    if (this.generation - this.decomposed <= 1 / ((c1 + cmu) * d * 10)) return;
    Object.assign(this, eigen(covariance, d));
    this.decomposed = this.generation;
  }
}

/** @param {Float64Array} values @returns {number} more than they differ by: what a point outside is worse for certain */
function penaltyOf(values) {
  let [least, most] = [Infinity, -Infinity];
  for (let k = 0; k < values.length; k++) {
    if (!Number.isFinite(values[k])) continue;
    least = Math.min(least, values[k]);
    most = Math.max(most, values[k]);
  }
  return (most > least && Number.isFinite(most - least) ? most - least : 1) + 1;
}

/**
 * @param {import('./evolve.js').Search} search
 * @param {CmaOptions} options
 * @returns {Generator<void, void>}
 */
function* cmaEs(search, { sigma, start }) {
  const { size: d, count: n, low, high, seed } = search;
  const range = high.map((each, i) => each - low[i]);
  const unit = (/** @type {number} */ x, /** @type {number} */ i) => (range[i] > 0 ? (x - low[i]) / range[i] : 0);
  const middle = start ? start.map(unit) : new Float64Array(d).fill(0.5);
  const own = new Distribution(middle, sigma, n, compileFor(search.threads));
  const rows = new Float64Array(n * d);
  const [values, ranks, order] = [new Float64Array(n), new Float64Array(n), new Int32Array(n)];
  for (let generation = 0; ; generation++) {
    own.sample(rows, { low, range, seed, generation });
    search.evaluate(rows, values, n);
    yield;
    const penalty = penaltyOf(values);
    for (let k = 0; k < n; k++) {
      ranks[k] = Number.isNaN(values[k]) ? Infinity : values[k] + penalty * own.outside[k];
      order[k] = k;
    }
    own.update(order.sort((a, b) => (ranks[a] === ranks[b] ? a - b : ranks[a] - ranks[b])));
  }
}

module.exports = { cmaEs, eigen };
