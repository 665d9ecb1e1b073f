/**
 * Small dense linear algebra on Float64Arrays, for the solvers: factors by Householder reflections, and by Gaussian
 * elimination. Matrices are in row-major order. What is large does not belong here.
 */
'use strict';

/** @type {(a: Float64Array, b: Float64Array) => number} */
function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** The length of a vector, also of one whose squares are out of range. @type {(a: Float64Array) => number} */
function norm(a) {
  const most = largest(a);
  if (most === 0 || !Number.isFinite(most)) return most;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] / most) ** 2;
  return most * Math.sqrt(sum);
}

/** The largest magnitude; NaN if there is one. @type {(a: Float64Array) => number} */
function largest(a) {
  let most = 0;
  for (let i = 0; i < a.length; i++) {
    const size = Math.abs(a[i]);
    if (!(size <= most)) most = size;
    if (most !== most) return NaN;
  }
  return most;
}

/** x + scale · y, fresh. @type {(x: Float64Array, scale: number, y: Float64Array) => Float64Array} */
const moved = (x, scale, y) => x.map((each, i) => each + scale * y[i]);

/** @type {(x: Float64Array, scale: number) => Float64Array} */
const scaled = (x, scale) => x.map((each) => scale * each);

/**
 * Turns a matrix into R of its QR factors by Householder reflections, and a right side beside it into Qᵀb (Golub and
 * Van Loan, "Matrix computations", algorithm 5.2.1). What is below the diagonal is left unspecified.
 *
 * @param {Float64Array} a [rows, columns], rows >= columns
 * @param {Float64Array} b [rows]
 * @param {number} columns
 */
function triangularise(a, b, columns) {
  const rows = b.length;
  for (let k = 0; k < columns; k++) {
    let most = 0;
    for (let i = k; i < rows; i++) most = Math.max(most, Math.abs(a[i * columns + k]));
    if (most === 0 || !Number.isFinite(most)) continue;
    let sum = 0;
    for (let i = k; i < rows; i++) sum += (a[i * columns + k] / most) ** 2;
    const head = a[k * columns + k];
    const alpha = (head > 0 ? -1 : 1) * most * Math.sqrt(sum);
    const first = head - alpha; // v = (first, a[k + 1...]), and vᵀv = -2 alpha first
    const scale = -1 / (alpha * first);
    for (let j = k + 1; j <= columns; j++) {
      const [at, step, from] = j < columns ? [a, columns, j] : [b, 1, 0];
      let product = first * at[k * step + from];
      for (let i = k + 1; i < rows; i++) product += a[i * columns + k] * at[i * step + from];
      product *= scale;
      at[k * step + from] -= product * first;
      for (let i = k + 1; i < rows; i++) at[i * step + from] -= product * a[i * columns + k];
    }
    a[k * columns + k] = alpha;
  }
}

/**
 * Solves R x = b for the upper triangle of a matrix.
 *
 * @param {Float64Array} r [at least n, n]
 * @param {Float64Array} b of which the first n count
 * @param {number} n
 * @returns {Float64Array | null} null where R is singular
 */
function solveTriangular(r, b, n) {
  const x = new Float64Array(n);
  for (let i = n - 1; i >= 0; i--) {
    let rest = b[i];
    for (let j = i + 1; j < n; j++) rest -= r[i * n + j] * x[j];
    x[i] = rest / r[i * n + i];
    if (!Number.isFinite(x[i])) return null;
  }
  return x;
}

/**
 * The x that makes |A x - b|² + |D x|² least, D being diagonal.
 *
 * @param {Float64Array} a [m, n]
 * @param {Float64Array} b [m]
 * @param {Float64Array} [d] none when left out
 * @returns {Float64Array | null} null where A alone is singular
 */
function leastSquaresOf(a, b, d) {
  const n = a.length / b.length;
  const more = d === undefined ? Math.max(0, n - b.length) : n; // too few rows are singular, as they should be
  const matrix = new Float64Array(a.length + more * n);
  const right = new Float64Array(b.length + more);
  matrix.set(a);
  right.set(b);
  if (d !== undefined) d.forEach((each, i) => (matrix[a.length + i * n + i] = each));
  triangularise(matrix, right, n);
  return solveTriangular(matrix, right, n);
}

/**
 * Solves A x = b by Gaussian elimination with partial pivoting.
 *
 * @param {Float64Array} matrix [n, n], left as it is
 * @param {Float64Array} b [n]
 * @returns {Float64Array | null} null where A is singular
 */
function solve(matrix, b) {
  const n = b.length;
  const [a, x] = [matrix.slice(), b.slice()];
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(a[i * n + k]) > Math.abs(a[pivot * n + k])) pivot = i;
    if (a[pivot * n + k] === 0 || !Number.isFinite(a[pivot * n + k])) return null;
    if (pivot !== k) {
      for (let j = k; j < n; j++) [a[k * n + j], a[pivot * n + j]] = [a[pivot * n + j], a[k * n + j]];
      [x[k], x[pivot]] = [x[pivot], x[k]];
    }
    for (let i = k + 1; i < n; i++) {
      const factor = a[i * n + k] / a[k * n + k];
      if (factor === 0) continue;
      for (let j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      x[i] -= factor * x[k];
    }
  }
  return solveTriangular(a, x, n);
}

/** A x. @type {(a: Float64Array, x: Float64Array, rows: number) => Float64Array} */
function times(a, x, rows) {
  const n = x.length;
  const y = new Float64Array(rows);
  for (let i = 0; i < rows; i++) for (let j = 0; j < n; j++) y[i] += a[i * n + j] * x[j];
  return y;
}

/** Aᵀ y. @type {(a: Float64Array, y: Float64Array, columns: number) => Float64Array} */
function transposedTimes(a, y, columns) {
  const x = new Float64Array(columns);
  for (let i = 0; i < y.length; i++) for (let j = 0; j < columns; j++) x[j] += a[i * columns + j] * y[i];
  return x;
}

module.exports = {
  dot, largest, leastSquaresOf, moved, norm, scaled, solve, solveTriangular, times, transposedTimes, triangularise,
};
