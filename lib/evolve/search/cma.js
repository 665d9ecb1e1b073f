/**
 * CMA-ES: a normal distribution that follows where the better ones were (Hansen, The CMA evolution strategy: a
 * tutorial, 2016, whose names and default numbers are used: equations 5 to 58).
 *
 * It works on [0, 1] in each direction, the bounds of a gene, so that ranges need not be alike. Points outside are
 * evaluated at the nearest one inside, with a penalty that grows with the distance. The eigenvectors of the covariance
 * matrix, found by cyclic Jacobi rotations, are renewed now and then only.
 */
'use strict';

const { Stream } = require('./stream.js');

/** @typedef {{ sigma: number, start: Float64Array | null }} CmaOptions */

/**
 * Eigenvalues and eigenvectors of a symmetric matrix, which is written over.
 *
 * @param {Float64Array} a [d, d]
 * @param {number} d
 * @returns {{ values: Float64Array, vectors: Float64Array }} vectors are columns
 */
function eigen(a, d) {
  const vectors = new Float64Array(d * d);
  for (let i = 0; i < d; i++) vectors[i * d + i] = 1;
  for (let sweep = 0; sweep < 50; sweep++) {
    let off = 0;
    let on = 0;
    a.forEach((each, at) => {
      if (at % (d + 1) === 0) on += each ** 2;
      else off += each ** 2;
    });
    if (off <= 1e-24 * on) break;
    for (let p = 0; p < d - 1; p++) for (let q = p + 1; q < d; q++) rotate(a, vectors, d, p, q);
  }
  return { values: Float64Array.from({ length: d }, (_, i) => a[i * d + i]), vectors };
}

/** @param {Float64Array} a @param {Float64Array} v @param {number} d @param {number} p @param {number} q */
function rotate(a, v, d, p, q) {
  const off = a[p * d + q];
  if (off === 0) return;
  const ratio = (a[q * d + q] - a[p * d + p]) / (2 * off);
  const t = Math.sign(ratio || 1) / (Math.abs(ratio) + Math.sqrt(ratio * ratio + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < d; k++) {
    const [x, y] = [a[k * d + p], a[k * d + q]];
    a[k * d + p] = c * x - s * y;
    a[k * d + q] = s * x + c * y;
  }
  for (let k = 0; k < d; k++) {
    const [x, y] = [a[p * d + k], a[q * d + k]];
    a[p * d + k] = c * x - s * y;
    a[q * d + k] = s * x + c * y;
  }
  for (let k = 0; k < d; k++) {
    const [x, y] = [v[k * d + p], v[k * d + q]];
    v[k * d + p] = c * x - s * y;
    v[k * d + q] = s * x + c * y;
  }
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
  /** @param {Float64Array} mean @param {number} sigma @param {number} n */
  constructor(mean, sigma, n) {
    this.d = mean.length;
    this.mean = mean;
    this.sigma = sigma;
    this.rates = constantsOf(n, this.d);
    this.covariance = new Float64Array(this.d ** 2);
    this.pathC = new Float64Array(this.d);
    this.pathS = new Float64Array(this.d);
    this.generation = 0;
    this.decomposed = 0;
    for (let i = 0; i < this.d; i++) this.covariance[i * (this.d + 1)] = 1;
    /** @type {Float64Array} */
    this.vectors = this.covariance.slice();
    /** @type {Float64Array} */
    this.scales = new Float64Array(this.d).fill(1);
  }

  /** A point less the mean, in units of the step size. @param {Stream} stream @param {Float64Array} y */
  sample(stream, y) {
    const { d, vectors, scales } = this;
    const z = scales.map((scale) => scale * stream.normal());
    for (let i = 0; i < d; i++) {
      let sum = 0;
      for (let k = 0; k < d; k++) sum += vectors[i * d + k] * z[k];
      y[i] = sum;
    }
  }

  /** @param {Float64Array} v @returns {Float64Array} C^(-1/2) v */
  whiten(v) {
    const { d, vectors, scales } = this;
    const out = new Float64Array(d);
    for (let k = 0; k < d; k++) {
      let sum = 0;
      for (let i = 0; i < d; i++) sum += vectors[i * d + k] * v[i];
      for (let i = 0; i < d; i++) out[i] += (vectors[i * d + k] * sum) / scales[k];
    }
    return out;
  }

  /** @param {Float64Array[]} steps from the mean, the best first */
  update(steps) {
    const { d, rates } = this;
    const { weights, mass, cs, cc, c1, cmu, damps, expected } = rates;
    this.generation++;
    const move = new Float64Array(d);
    weights.forEach((weight, k) => steps[k].forEach((each, i) => (move[i] += weight * each)));
    move.forEach((each, i) => (this.mean[i] += this.sigma * each));
    const white = this.whiten(move);
    white.forEach((each, i) => (this.pathS[i] = (1 - cs) * this.pathS[i] + Math.sqrt(cs * (2 - cs) * mass) * each));
    const length = Math.hypot(...this.pathS);
    const isLong = length / Math.sqrt(1 - (1 - cs) ** (2 * this.generation)) >= (1.4 + 2 / (d + 1)) * expected;
    const gain = isLong ? 0 : Math.sqrt(cc * (2 - cc) * mass);
    move.forEach((each, i) => (this.pathC[i] = (1 - cc) * this.pathC[i] + gain * each));
    const keep = 1 - c1 - cmu + (isLong ? c1 * cc * (2 - cc) : 0);
    for (let i = 0; i < d; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let k = 0; k < weights.length; k++) sum += weights[k] * steps[k][i] * steps[k][j];
        const value = keep * this.covariance[i * d + j] + c1 * this.pathC[i] * this.pathC[j] + cmu * sum;
        this.covariance[i * d + j] = value;
        this.covariance[j * d + i] = value;
      }
    }
    this.sigma *= Math.exp(Math.min(1, (cs / damps) * (length / expected - 1)));
    if (this.generation - this.decomposed > 1 / ((c1 + cmu) * d * 10)) this.decompose();
  }

  decompose() {
    const { values, vectors } = eigen(this.covariance.slice(), this.d);
    const most = values.reduce((a, b) => Math.max(a, b), 0);
    this.vectors = vectors;
    this.scales = values.map((each) => Math.sqrt(Math.max(each, 1e-14 * most)));
    this.decomposed = this.generation;
  }
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
  const own = new Distribution(middle, sigma, n);
  const steps = Array.from({ length: n }, () => new Float64Array(d));
  const rows = new Float64Array(n * d);
  const values = new Float64Array(n);
  for (let generation = 0; ; generation++) {
    const outside = steps.map((step, k) => {
      own.sample(new Stream(seed, generation, k), step);
      let distance = 0;
      for (let i = 0; i < d; i++) {
        const x = own.mean[i] + own.sigma * step[i];
        const inside = Math.min(Math.max(x, 0), 1);
        distance += (x - inside) ** 2;
        rows[k * d + i] = low[i] + range[i] * inside;
      }
      return distance;
    });
    search.evaluate(rows, values, n);
    yield;
    const finite = values.filter(Number.isFinite);
    const most = finite.reduce((a, b) => Math.max(a, b), -Infinity);
    const spread = most - finite.reduce((a, b) => Math.min(a, b), Infinity);
    const penalty = (spread > 0 && Number.isFinite(spread) ? spread : 1) + 1;
    const ranks = values.map((each, k) => (Number.isNaN(each) ? Infinity : each + penalty * outside[k]));
    const order = steps.map((_, k) => k).sort((a, b) => ranks[a] - ranks[b] || a - b);
    own.update(order.map((k) => steps[k]));
  }
}

module.exports = { cmaEs, eigen };
