/**
 * Schedules: learning rates as functions of the step, counted from 0.
 *
 * A schedule takes a number and gives one, so that it can be looked at and drawn; inside of a traced step it takes a
 * Value and adds to the graph. Any function that does the latter will do as a learning rate; these are those that
 * optax and Keras have names for. Behind its last step a schedule stays where it is.
 */
'use strict';

const { boolean, expected, finite, integer, positive, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { isValue } = require('../graph/value.js');
const { Tensor } = require('../tensor/tensor.js');
const { tensor } = require('../tensor/create.js');

/** What has the methods of both. @typedef {any} Scalar */
/** @typedef {(step: any) => any} Schedule */

/** @type {(name: string, rate: (step: Scalar) => Scalar) => Schedule} of an f64 scalar, tensor or value */
function schedule(name, rate) {
  const { [name]: made } = {
    [name](/** @type {unknown} */ step) {
      if (typeof step === 'number') return rate(tensor(step)).item();
      if ((isValue(step) || step instanceof Tensor) && step.rank === 0)
        return rate(step.dtype === 'f64' ? step : /** @type {any} */ (step).convert('f64'));
      return expected(`schedules.${name}`, 'a number or a scalar', 'the step', step);
    },
  };
  return made;
}

const count = integer(1);
const fromZero = integer(0);

/**
 * An option that must be there.
 *
 * @template T
 * @param {import('../base/check.js').Getter<T>} getter
 * @param {unknown} value
 * @param {string} name
 * @param {string} caller
 * @returns {T}
 */
const needed = (getter, value, name, caller) => getter(value, `option '${name}'`, caller);

/**
 * How far a step is on the way from `begin`, from 0 to 1.
 *
 * @type {(step: Scalar, begin: number, steps: number) => Scalar}
 */
const part = (step, begin, steps) => step.sub(begin).div(steps).max(0).min(1);

/** @type {(value: unknown) => Schedule} */
function constant(value) {
  const rate = finite(value, 'the value', 'schedules.constant');
  return schedule('constant', (step) => step.mul(0).add(rate));
}

/** A straight line. @type {(from: unknown, to: unknown, options: unknown) => Schedule} */
function linear(from, to, options) {
  const caller = 'schedules.linear';
  const [first, last] = [finite(from, 'the first value', caller), finite(to, 'the last value', caller)];
  const { steps, begin = 0 } = readOptions(caller, options, { steps: count, begin: fromZero });
  const length = needed(count, steps, 'steps', caller);
  return schedule('linear', (step) => part(step, begin, length).mul(last - first).add(first));
}

/** value · rate^(step / steps), optax's exponential_decay. @type {(value: unknown, options: unknown) => Schedule} */
function exponentialDecay(value, options) {
  const caller = 'schedules.exponentialDecay';
  const first = finite(value, 'the value', caller);
  const own = readOptions(caller, options, {
    steps: count, rate: positive, staircase: boolean, begin: fromZero, end: finite,
  });
  const { staircase = false, begin = 0, end } = own;
  const length = needed(count, own.steps, 'steps', caller);
  const rate = Math.log(needed(positive, own.rate, 'rate', caller));
  return schedule('exponentialDecay', (step) => {
    const periods = step.sub(begin).max(0).div(length);
    const decayed = (staircase ? periods.floor() : periods).mul(rate).exp().mul(first);
    if (end === undefined) return decayed;
    return rate < 0 === first > 0 ? decayed.max(end) : decayed.min(end);
  });
}

/** Half a wave of a cosine, 1 to 0. @type {(at: Scalar) => Scalar} */
const halfWave = (at) => at.mul(Math.PI).cos().mul(0.5).add(0.5);

/**
 * From a value to another by half a wave of the cosine: Loshchilov and Hutter, "SGDR" (2017), without restarts.
 *
 * @type {(value: unknown, options: unknown) => Schedule}
 */
function cosineDecay(value, options) {
  const caller = 'schedules.cosineDecay';
  const first = finite(value, 'the value', caller);
  const { steps, end = 0 } = readOptions(caller, options, { steps: count, end: finite });
  const length = needed(count, steps, 'steps', caller);
  return schedule('cosineDecay', (step) => halfWave(part(step, 0, length)).mul(first - end).add(end));
}

/**
 * Up in a straight line, then down by the cosine; `steps` counts both.
 *
 * @type {(peak: unknown, options: unknown) => Schedule}
 */
function warmupCosine(peak, options) {
  const caller = 'schedules.warmupCosine';
  const most = finite(peak, 'the peak', caller);
  const own = readOptions(caller, options, { warmup: count, steps: count, start: finite, end: finite });
  const { start = 0, end = 0 } = own;
  const [warmup, steps] = [needed(count, own.warmup, 'warmup', caller), needed(count, own.steps, 'steps', caller)];
  if (warmup >= steps)
    fail('ERR_ARGUMENT', `${caller}: option 'warmup' is ${warmup}, which leaves nothing of ${steps} steps to decay in`);
  return schedule('warmupCosine', (step) => {
    const rising = part(step, 0, warmup).mul(most - start).add(start);
    const falling = halfWave(part(step, warmup, steps - warmup)).mul(most - end).add(end);
    return step.lt(warmup).where(rising, falling);
  });
}

/**
 * The value `values[i]` up to but without step `boundaries[i]`.
 *
 * @type {(values: unknown, boundaries: unknown) => Schedule}
 */
function piecewise(values, boundaries) {
  const caller = 'schedules.piecewise';
  if (!Array.isArray(values) || values.length === 0) return expected(caller, 'an array of values', 'the values', values);
  if (!Array.isArray(boundaries) || boundaries.length !== values.length - 1)
    return expected(caller, `an array of ${values.length - 1} steps`, 'the boundaries', boundaries);
  const rates = values.map((value, i) => finite(value, `value ${i}`, caller));
  const ends = boundaries.map((step, i) => integer(i === 0 ? 1 : boundaries[i - 1] + 1)(step, `boundary ${i}`, caller));
  return schedule('piecewise', (step) =>
    ends.reduceRight((rest, end, i) => step.lt(end).where(rates[i], rest), step.mul(0).add(rates[ends.length])),
  );
}

const schedules = Object.freeze({ constant, cosineDecay, exponentialDecay, linear, piecewise, warmupCosine });

module.exports = { schedules };
