/**
 * Activations of neural networks beyond the few in elementwise.js, under the names that PyTorch and ONNX
 * share, with PyTorch's defaults.
 *
 * Each is a few primitives, which fuse with what stands before and behind. Where the textbook formula
 * overflows for large arguments on the way to a finite result, an equal one is taken that does not.
 */
'use strict';

const { expected, finite, positive, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, dimsOf, isScalar, lift } = require('../graph/value.js');
const { readAxis } = require('../tensor/views.js');
const { atLeast, atMost, elementwise, float, rows, single } = require('./elementwise.js');
const { operandOf, reshapeTo } = require('./movement.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {(x: unknown, options?: unknown) => Value} Activation */

const { abs, add, div, expm1, gt, le, log1p, min, mul, neg, select, sub, tanh, exp } = rows;

/** @type {(low: number, high: number, caller: string) => Activation} x between two fixed bounds */
const between = (low, high, caller) => (x) => {
  const { value, number } = single(x, caller);
  return atMost(atLeast(value, number(low)), number(high));
};

const relu6 = between(0, 6, 'relu6');

/** @type {Activation} */
function leakyRelu(x, options) {
  const { slope = 0.01 } = readOptions('leakyRelu', options, { slope: finite });
  const { value, number } = float(x, 'leakyRelu');
  return select(gt(value, number(0)), value, mul(value, number(slope)));
}

/**
 * `weight` has one element, or one per place along `axis`.
 *
 * @type {(x: unknown, weight: unknown, options?: unknown) => Value}
 */
function prelu(x, weight, options) {
  const { axis } = readOptions('prelu', options, { axis: (/** @type {unknown} */ given) => given });
  const { number } = float(x, 'prelu');
  const { state, values } = lift([x, weight], 'prelu');
  const [value, slope] = values;
  const sizes = dimsOf(slope);
  const rank = dimsOf(value).length;
  let factor = slope;
  if (sizes.length === 1 && rank > 0) {
    const at = readAxis(axis ?? (rank > 1 ? 1 : 0), rank, 'prelu');
    if (sizes[0] !== 1 && sizes[0] !== dimsOf(value)[at]) {
      const texts = [dimsOf(value)[at], sizes[0]].map((size) => state.text(size));
      fail('ERR_SHAPE', `prelu: expected 1 or ${texts[0]} weights for axis ${at}, got ${texts[1]}`);
    }
    factor = reshapeTo(
      state,
      slope,
      dimsOf(value).map((_, i) => (i === at ? sizes[0] : 1)),
    );
  }
  return select(gt(value, number(0)), value, mul(value, factor));
}

/**
 * x where it is positive, else scale · (exp(x / width) - 1).
 *
 * @type {(x: unknown, scale: number, width: number, caller: string) => Value}
 */
function exponentialBelow(x, scale, width, caller) {
  const { value, number } = float(x, caller);
  const taken = select(gt(value, number(0)), number(0), value); // what is not taken must not overflow
  const bent = expm1(width === 1 ? taken : div(taken, number(width)));
  return select(gt(value, number(0)), value, mul(number(scale), bent));
}

/** @type {Activation} */
function elu(x, options) {
  const { alpha = 1 } = readOptions('elu', options, { alpha: finite });
  return exponentialBelow(x, alpha, 1, 'elu');
}

/** @type {Activation} */
function celu(x, options) {
  const { alpha = 1 } = readOptions('celu', options, { alpha: positive });
  return exponentialBelow(x, alpha, alpha, 'celu');
}

// Klambauer et al., Self-Normalizing Neural Networks, 2017.
const SELU_ALPHA = 1.6732632423543772;
const SELU_SCALE = 1.0507009873554805;

/** @type {Activation} */
function selu(x) {
  const { number } = float(x, 'selu');
  return mul(number(SELU_SCALE), exponentialBelow(x, SELU_ALPHA, 1, 'selu'));
}

/** @type {Activation} */
function hardTanh(x, options) {
  const { low = -1, high = 1 } = readOptions('hardTanh', options, { low: finite, high: finite });
  if (low > high) expected('hardTanh', `a number of at least 'low', which is ${low},`, "option 'high'", high);
  return between(low, high, 'hardTanh')(x);
}

/** @type {Activation} */
function hardSigmoid(x) {
  const { value, number } = float(x, 'hardSigmoid');
  return div(atMost(atLeast(add(value, number(3)), number(0)), number(6)), number(6));
}

/** @type {Activation} */
function hardSwish(x) {
  const { value } = float(x, 'hardSwish');
  return mul(value, hardSigmoid(value));
}

/** @type {Activation} */
function hardShrink(x, options) {
  const { lambda = 0.5 } = readOptions('hardShrink', options, { lambda: finite });
  const { value, number } = float(x, 'hardShrink');
  return select(le(abs(value), number(lambda)), number(0), value);
}

/** @type {Activation} */
function softShrink(x, options) {
  const { lambda = 0.5 } = readOptions('softShrink', options, { lambda: finite });
  const { value, number } = float(x, 'softShrink');
  const above = select(gt(value, number(lambda)), sub(value, number(lambda)), mul(value, number(0)));
  return select(gt(neg(value), number(lambda)), add(value, number(lambda)), above);
}

/** @type {Activation} */
function tanhShrink(x) {
  const { value } = float(x, 'tanhShrink');
  return sub(value, tanh(value));
}

/** @type {Activation} */
function softsign(x) {
  const { value, number } = float(x, 'softsign');
  return div(value, add(number(1), abs(value)));
}

/** log(1 / (1 + exp(-x))), where the exponential cannot overflow. @type {Activation} */
function logSigmoid(x) {
  const { value, number } = float(x, 'logSigmoid');
  return sub(min(value, number(0)), log1p(exp(neg(abs(value)))));
}

/** @type {Activation} */
function mish(x) {
  const { value } = float(x, 'mish');
  return mul(value, tanh(elementwise.softplus(value)));
}

/** @type {(x: unknown, limit: unknown, other: unknown) => Value} */
function threshold(x, limit, other) {
  const { value } = single(x, 'threshold');
  for (const [which, given] of Object.entries({ limit, other })) {
    if (!isScalar(given)) expected('threshold', 'a number', which, given);
  }
  return select(gt(value, limit), value, other);
}

/** @type {Activation} */
function glu(x, options) {
  const { axis = -1 } = readOptions('glu', options, { axis: (/** @type {unknown} */ given) => given });
  float(x, 'glu');
  const { state, value, dims, rank } = operandOf(x, 'glu');
  const at = readAxis(axis, rank, 'glu');
  const half = state.floorDiv(dims[at], 2);
  if (state.mul(half, 2) !== dims[at]) {
    fail('ERR_SHAPE', `glu: axis ${at} has size ${state.text(dims[at])}, which is not known to be even`);
  }
  const parts = [0, half].map((start) =>
    append(state, 'slice', [value], {
      shape: dims.with(at, half),
      start: dims.map((_, i) => (i === at ? start : 0)),
      stride: dims.map(() => 1),
    }),
  );
  return mul(parts[0], elementwise.sigmoid(parts[1]));
}

/** Every operation here that becomes a method and a function, by name. */
const activations = {
  celu,
  elu,
  glu,
  hardShrink,
  hardSigmoid,
  hardSwish,
  hardTanh,
  leakyRelu,
  logSigmoid,
  mish,
  prelu,
  relu6,
  selu,
  softShrink,
  softsign,
  tanhShrink,
  threshold,
};

module.exports = { activations };
