// Formulas that symbolic regression is to find in samples of them: those of Nguyen Quang Uy et al. (Semantically-based crossover in
// genetic programming, 2011) and ten of the Feynman Symbolic Regression Database (Udrescu and Tegmark, AI Feynman, 2020), easy ones
// and such as few programs find, with the ranges of their variables as published.
'use strict';

const { generator } = require('../../support/generator.js');

/**
 * @typedef {object} Problem
 * @property {string} name
 * @property {string} formula
 * @property {Record<string, readonly [number, number]>} ranges of variables
 * @property {number} rows
 * @property {readonly string[]} ops
 * @property {(...x: number[]) => number} value
 */

const NGUYEN = ['add', 'sub', 'mul', 'div', 'sin', 'cos', 'exp', 'log'];
const FEYNMAN = [...NGUYEN, 'sqrt'];

const one = /** @type {const} */ ({ x: [-1, 1] });
const two = /** @type {const} */ ({ x: [0, 1], y: [0, 1] });

/** @type {(name: string, formula: string, ranges: Record<string, readonly [number, number]>, value: (...x: number[]) => number) => Problem} */
const nguyen = (name, formula, ranges, value) => ({ name: `nguyen-${name}`, formula, ranges, rows: 20, ops: NGUYEN, value });

/** Variables between 1 and 5, unless told. @type {(name: string, formula: string, names: string, value: (...x: number[]) => number, ranges?: Record<string, [number, number]>) => Problem} */
const feynman = (name, formula, names, value, ranges = {}) => ({
  name: `feynman-${name}`, formula, rows: 100, ops: FEYNMAN, value,
  ranges: Object.fromEntries(names.split(' ').map((each) => [each, ranges[each] ?? [1, 5]])),
});

/** @type {readonly Problem[]} */
const problems = [
  nguyen('1', 'x³ + x² + x', one, (x) => x ** 3 + x ** 2 + x),
  nguyen('2', 'x⁴ + x³ + x² + x', one, (x) => x ** 4 + x ** 3 + x ** 2 + x),
  nguyen('3', 'x⁵ + x⁴ + x³ + x² + x', one, (x) => x ** 5 + x ** 4 + x ** 3 + x ** 2 + x),
  nguyen('4', 'x⁶ + x⁵ + x⁴ + x³ + x² + x', one, (x) => x ** 6 + x ** 5 + x ** 4 + x ** 3 + x ** 2 + x),
  nguyen('5', 'sin(x²) cos(x) - 1', one, (x) => Math.sin(x * x) * Math.cos(x) - 1),
  nguyen('6', 'sin(x) + sin(x + x²)', one, (x) => Math.sin(x) + Math.sin(x + x * x)),
  nguyen('7', 'log(x + 1) + log(x² + 1)', { x: [0, 2] }, (x) => Math.log(x + 1) + Math.log(x * x + 1)),
  nguyen('8', '√x', { x: [0, 4] }, (x) => Math.sqrt(x)),
  nguyen('9', 'sin(x) + sin(y²)', two, (x, y) => Math.sin(x) + Math.sin(y * y)),
  nguyen('10', '2 sin(x) cos(y)', two, (x, y) => 2 * Math.sin(x) * Math.cos(y)),
  nguyen('11', 'x^y', two, (x, y) => x ** y),
  nguyen('12', 'x⁴ - x³ + y²/2 - y', two, (x, y) => x ** 4 - x ** 3 + (y * y) / 2 - y),
  feynman('I.6.20a', 'exp(-θ²/2) / √(2π)', 'theta', (t) => Math.exp((-t * t) / 2) / Math.sqrt(2 * Math.PI), { theta: [1, 3] }),
  feynman('I.10.7', 'm / √(1 - v²/c²)', 'm v c', (m, v, c) => m / Math.sqrt(1 - (v * v) / (c * c)), { v: [1, 2], c: [3, 10] }),
  feynman('I.12.1', 'μ N', 'mu n', (mu, n) => mu * n),
  feynman('I.12.11', 'q (E + B v sin θ)', 'q e b v theta', (q, e, b, v, t) => q * (e + b * v * Math.sin(t))),
  feynman('I.16.6', '(u + v) / (1 + u v / c²)', 'c v u', (c, v, u) => (u + v) / (1 + (u * v) / (c * c))),
  feynman('I.18.4', '(m r + n s) / (m + n)', 'm n r s', (m, n, r, s) => (m * r + n * s) / (m + n)),
  feynman('I.27.6', '1 / (1/d + n/e)', 'd e n', (d, e, n) => 1 / (1 / d + n / e)),
  feynman('I.34.27', 'h ω / 2π', 'omega h', (omega, h) => (h / (2 * Math.PI)) * omega),
  feynman('II.3.24', 'p / (4π r²)', 'p r', (p, r) => p / (4 * Math.PI * r * r)),
  feynman('III.17.37', 'β (1 + α cos θ)', 'beta alpha theta', (beta, alpha, t) => beta * (1 + alpha * Math.cos(t))),
];

/** Rows of a problem. @param {Problem} problem @param {number} seed @param {number} [rows] */
function sampleOf({ ranges, value, rows: usual }, seed, rows = usual) {
  const next = generator(seed);
  const bounds = Object.values(ranges);
  const columns = bounds.map(() => new Float64Array(rows));
  const y = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    bounds.forEach(([low, high], k) => (columns[k][row] = low + (high - low) * next()));
    y[row] = value(...columns.map((column) => column[row]));
  }
  return { x: Object.fromEntries(Object.keys(ranges).map((name, k) => [name, columns[k]])), y };
}

module.exports = { problems, sampleOf };
