/**
 * Whether operations on tensors are recorded, and what is known of a tensor that they are recorded for.
 *
 * An operation one of whose operands requires a gradient leaves a *step* behind (eager/tape.js), which its results
 * refer to, and so do theirs; `backward` goes back along them. Most programs never ask for it, so all that an operation
 * looks at before it looks at its operands is `recording.isOn`: it stays false until a tensor requires a gradient.
 *
 * The hooks are set by eager/, which this room is below of.
 */
'use strict';

const { callable } = require('../base/check.js');
const { fail } = require('../base/errors.js');

/** @typedef {import('./tensor.js').Tensor} Tensor */
/** @typedef {object} Step what eager/ records of an operation */

/** What a tensor that requires a gradient has besides its elements. */
class History {
  /**
   * @param {Step | null} step that made it; null for a leaf
   * @param {number} index which of the results of the step
   */
  constructor(step, index) {
    this.step = step;
    this.index = index;
    this.requiresGrad = true;
    /** Whether `grad` is kept, of what is no leaf. */
    this.retainsGrad = false;
    /** @type {Tensor | null} */
    this.grad = null;
  }
}

/**
 * @typedef {object} Hooks
 * @property {(name: string, args: readonly unknown[], x: Tensor, made: Tensor) => Tensor} recordView the view, recorded
 * @property {(name: string, fn: (...args: any[]) => any, args: readonly unknown[], run: () => any) => any} callFunction
 *   what `run` gives, recorded as what the function gives for the arguments, if one of these requires a gradient
 * @property {(root: Tensor, gradient: unknown, options: unknown) => void} backward
 */

/** @type {{ isOn: boolean, hooks: Hooks }} */
const recording = { isOn: false, hooks: /** @type {any} */ (undefined) };

let isWanted = false;
let pauses = 0;

const update = () => {
  recording.isOn = isWanted && pauses === 0;
};

/** Some tensor requires a gradient. */
function begin() {
  isWanted = true;
  update();
}

/** @type {(value: unknown) => boolean} */
const isPromise = (value) =>
  typeof value === 'object' && value !== null && typeof (/** @type {any} */ (value).then) === 'function';

const REASON =
  'the function must do its work at once: what else runs before a promise is settled would not be recorded either';

/**
 * Calls a function whose operations are not recorded.
 *
 * @param {unknown} fn
 * @returns {any} what it gives
 */
function noGrad(fn) {
  const run = callable(fn, 'the function', 'noGrad');
  if (run.constructor.name === 'AsyncFunction') fail('ERR_ARGUMENT', `noGrad: ${REASON}`);
  pauses++;
  update();
  /** @type {unknown} */
  let result;
  try {
    result = run();
  } finally {
    pauses--;
    update();
  }
  if (!isPromise(result)) return result;
  Promise.resolve(result).catch(() => {}); // the error below is the one to hear of
  return fail('ERR_ARGUMENT', `noGrad: ${REASON}`);
}

module.exports = { History, begin, noGrad, recording };
