/**
 * fixedPoint: where a function of a tree of tensors gives what it is given.
 *
 * Plain iteration, sped up by Anderson's method in the form of Walker and Ni, "Anderson acceleration for fixed-point
 * iterations" (2011): of the last differences, the combination that leaves least. An iteration that it makes worse by
 * far begins anew.
 */
'use strict';

const { integer, readOptions } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { largest, leastSquaresOf, moved, norm } = require('./dense.js');
const { Watch, checkStart, common } = require('./options.js');
const { Problem } = require('./problem.js');

/** A place, and how far it is moved. @typedef {{ next: Float64Array, residual: Float64Array }} Move */

/** How much longer a residual may become. */
const MOST_GROWTH = 2;

/** Where to go from the last moves, the newest last. @type {(moves: readonly Move[]) => Float64Array} */
function mixed(moves) {
  const last = moves[moves.length - 1];
  const columns = moves.length - 1;
  const n = last.next.length;
  if (columns === 0) return last.next;
  const matrix = new Float64Array(n * columns);
  for (let k = 0; k < columns; k++)
    for (let i = 0; i < n; i++) matrix[i * columns + k] = moves[k + 1].residual[i] - moves[k].residual[i];
  const factors = leastSquaresOf(matrix, last.residual, new Float64Array(columns).fill(1e-10 * norm(matrix)));
  if (factors === null) return last.next;
  return factors.reduce(
    (x, factor, k) => moved(x, -factor, moved(moves[k + 1].next, -1, moves[k].next)),
    last.next,
  );
}

/**
 * @param {Problem} problem
 * @param {Watch} watch
 * @param {number} memory
 * @param {number} tolerance
 * @returns {{ x: Float64Array, residual: number } & import('./options.js').End}
 */
function iterate(problem, watch, memory, tolerance) {
  let x = problem.start;
  /** @type {Move[]} */
  let moves = [];
  /** How far the start is moved. @type {number | undefined} */
  let first;
  for (;;) {
    const next = problem.vector(x);
    if (next.length !== x.length)
      fail('ERR_SHAPE', `fixedPoint: the function must give as many numbers as x0 has, ${x.length}, got ${next.length}`);
    if (first === undefined) checkStart(problem, next, 'the function');
    const move = { next, residual: moved(next, -1, x) };
    const size = largest(move.residual);
    if (!Number.isFinite(size)) return { x, residual: size, success: false, message: 'the function is no number here' };
    first ??= size;
    // Far out, what is small beside x may be as much as it was at first.
    if (size <= Math.min(tolerance * (1 + largest(x)), Math.sqrt(tolerance) * (1 + first)))
      return { x: next, residual: size, success: true, message: 'the change is within the tolerance' };
    const enough = watch.enough();
    if (enough !== null) return { x, residual: size, ...enough };
    const before = moves.at(-1);
    const isWorse = before !== undefined && size > MOST_GROWTH * largest(before.residual);
    moves = isWorse ? [move] : [...moves.slice(Math.max(0, moves.length - memory)), move];
    x = mixed(moves);
    const stop = watch.next(x, { value: size });
    if (stop !== null) return { x, residual: size, ...stop };
  }
}

/**
 * @param {unknown} fn
 * @param {unknown} x0
 * @param {unknown} [options]
 * @returns {any}
 */
function fixedPoint(fn, x0, options) {
  const caller = 'fixedPoint';
  const own = readOptions(caller, options, { memory: integer(0, 50), ...common });
  const problem = new Problem(caller, fn, x0, own.args ?? []);
  try {
    const watch = new Watch(problem, own, 1000);
    const memory = Math.min(own.memory ?? 5, problem.size);
    const end = iterate(problem, watch, memory, own.tolerance ?? 1e-10);
    return watch.report(end, { value: end.residual });
  } finally {
    problem.dispose();
  }
}

module.exports = { fixedPoint };
