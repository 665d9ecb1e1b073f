/**
 * leastSquares: parameters that make the squares of residuals least, by the method of Levenberg and Marquardt.
 *
 * Each step solves a linear problem by QR factors, damped by μ D, where D holds the largest norms that columns of the
 * Jacobian have had, as in MINPACK (Moré, "The Levenberg-Marquardt algorithm: implementation and theory", 1978). μ
 * follows how well the last step was predicted, as in Nielsen, "Damping parameter in Marquardt's method" (1999).
 *
 * Left out: bounds, weights (scale the residuals) and losses other than squares.
 */
'use strict';

const { oneOf, readOptions } = require('../../base/check.js');
const { wrapOwn } = require('../../tensor/tensor.js');
const {
  dot, largest, leastSquaresOf, moved, norm, scaled, solveTriangular, transposedTimes, triangularise,
} = require('./dense.js');
const { Watch, checkStart, common } = require('./options.js');
const { Problem } = require('./problem.js');

/** @typedef {import('./options.js').End} End */

/** A place, and the residuals there; `cost` is half of the sum of their squares. @typedef {{ x: Float64Array, residuals: Float64Array, cost: number }} Place */

/** What is known of the function at a place. @typedef {{ jacobian: Float64Array, gradient: Float64Array }} Slopes */

/** The first μ, as Nielsen and MINPACK's factor of 100 have it between them. */
const FIRST_DAMPING = 1e-3;

/** @type {(problem: Problem, x: Float64Array) => Place} */
function placeAt(problem, x) {
  const residuals = problem.vector(x);
  const cost = dot(residuals, residuals) / 2;
  return { x, residuals, cost: Number.isNaN(cost) ? Infinity : cost };
}

/** @type {(problem: Problem, place: Place) => Slopes} */
function slopesAt(problem, { x, residuals }) {
  const jacobian = problem.jacobian(x);
  return { jacobian, gradient: transposedTimes(jacobian, residuals, x.length) };
}

/** @type {(jacobian: Float64Array, n: number) => Float64Array} the norm of each column */
function columnNorms(jacobian, n) {
  const columns = Array.from({ length: n }, (_, j) => jacobian.filter((_each, at) => at % n === j));
  return Float64Array.from(columns, norm);
}

/** How a search that cannot go on has ended. @type {(reason: string) => End} */
const reached = (reason) => ({ success: true, message: reason });

/**
 * @param {Problem} problem
 * @param {Watch} watch
 * @param {number} tolerance
 * @returns {{ place: Place, slopes: Slopes } & End}
 */
function levenbergMarquardt(problem, watch, tolerance) {
  const n = problem.size;
  let place = placeAt(problem, problem.start);
  checkStart(problem, place.residuals, 'the function');
  let slopes = slopesAt(problem, place);
  checkStart(problem, slopes.jacobian, 'the Jacobian');
  const scale = columnNorms(slopes.jacobian, n).map((each) => each || 1);
  let [damping, growth] = [FIRST_DAMPING, 2];
  for (;;) {
    const end = (/** @type {End} */ how) => ({ place, slopes, ...how });
    if (largest(slopes.gradient) <= tolerance) return end(reached('the gradient is within the tolerance'));
    const enough = watch.enough();
    if (enough !== null) return end(enough);
    const damped = scaled(scale, Math.sqrt(damping));
    const step = leastSquaresOf(slopes.jacobian, scaled(place.residuals, -1), damped);
    if (step === null) return end({ success: false, message: 'the Jacobian is not finite' });
    const isShort = norm(step) <= tolerance * (tolerance + norm(place.x));
    const next = placeAt(problem, moved(place.x, 1, step));
    const scaledStep = step.map((each, i) => scale[i] * each);
    const predicted = (damping * dot(scaledStep, scaledStep) - dot(slopes.gradient, step)) / 2;
    const gain = (place.cost - next.cost) / predicted;
    if (!(gain > 0)) {
      if (isShort) return end(reached('the step is within the tolerance'));
      damping *= growth;
      growth *= 2;
      if (!Number.isFinite(damping)) return end({ success: false, message: 'no step makes the squares less' });
      continue;
    }
    damping *= Math.max(1 / 3, 1 - (2 * gain - 1) ** 3);
    growth = 2;
    const drop = place.cost - next.cost;
    const isLevel = drop <= tolerance * place.cost && predicted <= tolerance * place.cost && gain <= 2;
    place = next;
    slopes = slopesAt(problem, place);
    columnNorms(slopes.jacobian, n).forEach((each, i) => (scale[i] = Math.max(scale[i], each)));
    const stop = watch.next(place.x, { value: place.cost, gradient: problem.treeOf(slopes.gradient) });
    if (stop !== null) return end(stop);
    if (isLevel) return end(reached('the squares change by less than the tolerance'));
    if (isShort) return end(reached('the step is within the tolerance'));
  }
}

/** @type {(size: number, at: number) => Float64Array} */
function unit(size, at) {
  const vector = new Float64Array(size);
  vector[at] = 1;
  return vector;
}

/**
 * How far parameters may be off, where residuals are independent and of one deviation, which is estimated from what is
 * left of them: s² (JᵀJ)⁻¹ from the factors of J.
 *
 * @param {Place} place
 * @param {Slopes} slopes
 * @returns {import('../../tensor/tensor.js').Tensor | null} null where there are no more residuals than parameters, or J is
 *   singular
 */
function covarianceOf({ residuals, cost }, { jacobian, gradient }) {
  const [m, n] = [residuals.length, gradient.length];
  if (m <= n) return null;
  const factor = jacobian.slice();
  triangularise(factor, new Float64Array(m), n);
  const diagonal = Float64Array.from({ length: n }, (_, i) => Math.abs(factor[i * n + i]));
  const least = n * Number.EPSILON * largest(diagonal);
  if (diagonal.some((each) => !(each > least))) return null;
  const columns = Array.from({ length: n }, (_, j) => /** @type {Float64Array} */ (solveTriangular(factor, unit(n, j), n)));
  const variance = (2 * cost) / (m - n);
  const all = new Float64Array(n * n); // R⁻¹ R⁻ᵀ
  for (const column of columns)
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) all[i * n + j] += variance * column[i] * column[j];
  return wrapOwn(all, 'f64', [n, n]);
}

/**
 * @param {unknown} fn
 * @param {unknown} x0
 * @param {unknown} [options]
 * @returns {any}
 */
function leastSquares(fn, x0, options) {
  const caller = 'leastSquares';
  const own = readOptions(caller, options, { method: oneOf(/** @type {const} */ (['lm'])), ...common });
  const problem = new Problem(caller, fn, x0, own.args ?? []);
  try {
    const watch = new Watch(problem, own, 100 * (problem.size + 1));
    const { place, slopes, success, message } = levenbergMarquardt(problem, watch, own.tolerance ?? 1e-8);
    const [m, n] = [place.residuals.length, problem.size];
    return watch.report({ x: place.x, success, message }, {
      value: place.cost,
      residuals: wrapOwn(place.residuals, 'f64', [m]),
      gradient: problem.treeOf(slopes.gradient),
      covariance: covarianceOf(place, slopes),
      jacobian: wrapOwn(slopes.jacobian, 'f64', [m, n]),
    });
  } finally {
    problem.dispose();
  }
}

module.exports = { leastSquares };
