/**
 * What all solvers are told, and what they tell: options, what happens between iterations, and the result.
 */
'use strict';

const { AbortError } = require('../../base/abort.js');
const { callable, expected, integer, positive } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');

/** @typedef {import('./problem.js').Problem} Problem */

/** @type {import('../../base/check.js').Getter<AbortSignal>} */
function signalOption(value, which, caller) {
  return value instanceof AbortSignal ? value : expected(caller, 'an AbortSignal', which, value);
}

/** @type {import('../../base/check.js').Getter<readonly unknown[]>} */
function listOption(value, which, caller) {
  return Array.isArray(value) ? value : expected(caller, 'an array of arguments', which, value);
}

const common = {
  args: listOption, tolerance: positive, maxIterations: integer(0), callback: callable, signal: signalOption,
};

/** How a solver ended. @typedef {{ success: boolean, message: string }} End */

/** What each ends with where nothing else is to be said. */
const ends = Object.freeze({
  stopped: Object.freeze({ success: false, message: 'the callback returned false' }),
  most: Object.freeze({ success: false, message: 'the most iterations were made' }),
});

/** What happens between iterations. */
class Watch {
  /**
   * @param {Problem} problem
   * @param {{ maxIterations?: number, callback?: (progress: any) => unknown, signal?: AbortSignal }} options
   * @param {number} maxIterations unless told
   */
  constructor(problem, { maxIterations: most = NaN, callback, signal }, maxIterations) {
    this.problem = problem;
    this.most = Number.isNaN(most) ? maxIterations : most;
    this.callback = callback;
    this.signal = signal;
    this.iterations = 0;
    this.check();
  }

  check() {
    if (this.signal?.aborted) throw new AbortError(this.signal);
  }

  /**
   * Counts an iteration.
   *
   * @param {Float64Array} x
   * @param {Record<string, unknown>} facts what the callback is told beside
   * @returns {End | null} what ends it all
   */
  next(x, facts) {
    this.iterations++;
    const { iterations, problem, callback } = this;
    const answer = callback?.({ iteration: iterations, x: problem.treeOf(x), ...facts });
    this.check();
    return answer === false ? ends.stopped : null;
  }

  /**
   * What a solver returns.
   *
   * @template {Record<string, unknown>} F
   * @param {End & { x: Float64Array }} end
   * @param {F} facts of this solver
   */
  report({ x, success, message }, facts) {
    const { iterations, problem } = this;
    return { x: problem.treeOf(x), ...facts, iterations, evaluations: problem.evaluations, success, message };
  }

  /** @type {() => End | null} whether there is an iteration left */
  enough() {
    return this.iterations >= this.most ? ends.most : null;
  }
}

/**
 * Refuses a start at which the function is no number.
 *
 * @type {(problem: Problem, values: Float64Array, what: string) => void}
 */
function checkStart(problem, values, what) {
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at < 0) return;
  const which = values.length === 1 ? what : `${what} has element ${at}, which`;
  fail('ERR_ARGUMENT', `${problem.caller}: ${which} is ${values[at]} at x0: begin where the function is finite`);
}

module.exports = { Watch, checkStart, common, ends };
