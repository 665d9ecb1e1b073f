/**
 * root: where all that a function of a tree of tensors gives is 0.
 *
 * Newton's method with the Jacobian, halving steps that do not make the residuals less (Dennis and Schnabel,
 * "Numerical methods for unconstrained optimization and nonlinear equations", 1983, algorithm A6.3.1). Where the
 * Jacobian is singular, or its step leads nowhere, a damped step is made. A function without derivatives is solved by
 * Broyden's method, from a Jacobian by differences, which each step corrects.
 */
'use strict';

const { oneOf, readOptions } = require('../../base/check.js');
const { GraphError, fail } = require('../../base/errors.js');
const { dot, largest, leastSquaresOf, moved, norm, scaled, solve, times, transposedTimes } = require('./dense.js');
const { Watch, checkStart, common } = require('./options.js');
const { Problem } = require('./problem.js');

/** @typedef {import('./options.js').End} End */
/** @typedef {{ x: Float64Array, values: Float64Array, jacobian: Float64Array | null }} Place */

const MOST_HALVINGS = 40;

/**
 * Each column as a difference quotient.
 *
 * @type {(problem: Problem, x: Float64Array, values: Float64Array) => Float64Array}
 */
function differences(problem, x, values) {
  const n = x.length;
  const jacobian = new Float64Array(n * n);
  for (let j = 0; j < n; j++) {
    const other = x.slice();
    other[j] += Math.sqrt(problem.noise) * Math.max(1, Math.abs(x[j]));
    const step = other[j] - x[j];
    problem.vector(other).forEach((each, i) => (jacobian[i * n + j] = (each - values[i]) / step));
  }
  return jacobian;
}

/**
 * A correction of rank 1, so that the Jacobian explains the last step.
 *
 * @type {(place: Place, next: Place) => Float64Array}
 */
function corrected({ x, values, jacobian }, next) {
  const n = x.length;
  const step = moved(next.x, -1, x);
  const missed = moved(moved(next.values, -1, values), -1, times(/** @type {Float64Array} */ (jacobian), step, n));
  const square = dot(step, step);
  return /** @type {Float64Array} */ (jacobian).map((each, at) => each + (missed[Math.floor(at / n)] * step[at % n]) / square);
}

/**
 * The first of smaller and smaller steps that makes the residuals less.
 *
 * @type {(problem: Problem, place: Place, way: Float64Array | null) => Place | null}
 */
function stepAlong(problem, { x, values }, way) {
  if (way === null) return null;
  const before = norm(values);
  for (let i = 0, part = 1; i < MOST_HALVINGS; i++, part /= 2) {
    const next = moved(x, part, way);
    const made = problem.vector(next);
    if (norm(made) <= (1 - 1e-4 * part) * before) return { x: next, values: made, jacobian: null };
  }
  return null;
}

/**
 * Damped steps, from nearly Newton's to short ones down the slope.
 *
 * @type {(problem: Problem, place: Place) => Place | null}
 */
function dampedStep(problem, place) {
  const jacobian = /** @type {Float64Array} */ (place.jacobian);
  const n = place.x.length;
  const size = norm(jacobian);
  for (let damping = 1e-6; damping <= 1e6; damping *= 100) {
    const diagonal = new Float64Array(n).fill(damping * (size || 1));
    const next = stepAlong(problem, place, leastSquaresOf(jacobian, scaled(place.values, -1), diagonal));
    if (next !== null) return next;
  }
  return null;
}

/**
 * @param {Problem} problem
 * @param {Watch} watch
 * @param {'newton' | 'broyden'} method
 * @param {number} tolerance
 * @returns {Place & End}
 */
function iterate(problem, watch, method, tolerance) {
  const isExact = method === 'newton';
  const jacobianAt = (/** @type {Place} */ { x, values }) =>
    isExact ? problem.jacobian(x) : differences(problem, x, values);
  /** @type {Place} */
  let place = { x: problem.start, values: problem.vector(problem.start), jacobian: null };
  if (place.values.length !== problem.size)
    fail('ERR_SHAPE', `root: the function must give as many numbers as x0 has, ${problem.size}, got ${place.values.length}: use leastSquares`);
  checkStart(problem, place.values, 'the function');
  for (;;) {
    if (largest(place.values) <= tolerance)
      return { ...place, success: true, message: 'what the function gives is within the tolerance' };
    const enough = watch.enough();
    if (enough !== null) return { ...place, ...enough };
    const isFresh = place.jacobian === null;
    place.jacobian ??= jacobianAt(place);
    const right = scaled(place.values, -1);
    let next = stepAlong(problem, place, solve(place.jacobian, right));
    if (next === null && !isFresh) {
      place = { ...place, jacobian: null }; // it was corrected too often
      continue;
    }
    next ??= dampedStep(problem, place);
    if (next === null) {
      const slope = transposedTimes(place.jacobian, place.values, place.x.length);
      const isLeast = largest(slope) <= Math.sqrt(tolerance) * norm(place.jacobian) * norm(place.values);
      const why = isLeast ? 'the residuals are least here, but not 0' : 'no step makes the residuals less';
      return { ...place, success: false, message: why };
    }
    if (!isExact) next.jacobian = corrected(place, next);
    place = next;
    const stop = watch.next(place.x, { value: norm(place.values) });
    if (stop !== null) return { ...place, ...stop };
  }
}

/**
 * Whether a function has no derivative, which a method without them may do without.
 *
 * @type {(error: unknown) => boolean}
 */
const hasNoDerivative = (error) => error instanceof GraphError && error.code === 'ERR_UNSUPPORTED';

/**
 * @param {unknown} fn
 * @param {unknown} x0
 * @param {unknown} [options]
 * @returns {any}
 */
function root(fn, x0, options) {
  const caller = 'root';
  const own = readOptions(caller, options, { method: oneOf(/** @type {const} */ (['newton', 'broyden'])), ...common });
  const problem = new Problem(caller, fn, x0, own.args ?? []);
  const watch = new Watch(problem, own, 100 * (problem.size + 1));
  const tolerance = own.tolerance ?? 1e-10;
  try {
    let end;
    try {
      end = iterate(problem, watch, own.method ?? 'newton', tolerance);
    } catch (error) {
      if (own.method !== undefined || !hasNoDerivative(error)) throw error;
      end = iterate(problem, watch, 'broyden', tolerance);
    }
    return watch.report(end, { value: norm(end.values) });
  } finally {
    problem.dispose();
  }
}

module.exports = { root };
