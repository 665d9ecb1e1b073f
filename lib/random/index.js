/**
 * Random numbers: a key and a shape give the same numbers on every machine, in every mode, for any number of
 * threads, computed at once or inside of a graph.
 *
 * There is no hidden state. A key is a u32[2]; whoever needs independent numbers derives keys from keys
 * (`split`, `foldIn`). Element i of a draw is a function of the key and i (threefry2x32, see the primitive
 * `rng_bits`), so keys, seeds and bits are those of JAX with its partitionable layout. The distributions are composites
 * written once over values; with keys that are tensors they run as traced functions (trace/jit.js), which
 * become part of the graph where a key, or a parameter, is a value.
 *
 * Bits become floats in [0, 1) by dividing the upper 24 (f32) or 53 (f64) by the power of two; where 0 must not
 * come up, half a unit is added to one bit less, which is exact as well.
 */
'use strict';

const { describe, expected, readOptions } = require('../base/check.js');
const { choices } = require('./choice.js');
const {
  anything, bitsFor, constant, distribution, finished, floatName, foldIn, integerName, key, keyOf, numberName, openUnit,
  parameter, scaledBits, sizesFor, split, traced, unit,
} = require('./bits.js');
const { fail } = require('../base/errors.js');
const { constantOf, isValue, stateOf } = require('../graph/value.js');
const { elementwise, rows } = require('../ops/elementwise.js');
const { erfInv } = require('../ops/erfinv.js');
const { rngBits } = require('../ops/rng.js');
const { dtypeName, dtypes } = require('../tensor/dtypes.js');
const { rejection } = require('./rejection.js');
const { standard } = require('./standard-distributions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {import('../tensor/dtypes.js').DType} DType */

const { add, ceil, div, erf, exp, log, log1p, lt, max, min, mul, neg, rem, select, sub } = rows;
const { convert } = elementwise;

/** @type {(value: Value, own: Record<string, any>, shift: string, scale: string) => Value} scaled, then moved */
function placed(value, own, shift, scale) {
  const inDType = (/** @type {any} */ operand) => (isValue(operand) ? finished(operand, value.dtype) : operand);
  const scaled = own[scale] === undefined ? value : mul(value, inDType(own[scale]));
  return own[shift] === undefined ? scaled : add(scaled, inDType(own[shift]));
}

const float = { dtype: /** @type {DType} */ ('f64'), read: floatName };

/**
 * One that is a standard one, moved and scaled.
 *
 * @type {(name: string, shift: string, scale: string) => ReturnType<typeof distribution>}
 */
function scaledDrawing(name, shift, scale) {
  return distribution(name, { [shift]: parameter, [scale]: parameter }, float, (from, own, shape, dtype) =>
    finished(placed(standard[name](from, shape, dtype), own, shift, scale), dtype),
  );
}

const uniform = distribution('uniform', { low: parameter, high: parameter }, float, (from, bounds, shape, dtype) => {
  const value = unit(bitsFor(from, shape, dtype));
  const [low, high] = [bounds.low, bounds.high ?? 1].map((each) =>
    isValue(each) ? finished(each, value.dtype) : each,
  );
  const own = { low, scale: low === undefined ? high : isValue(high) || isValue(low) ? sub(high, low) : high - low };
  return finished(placed(value, own.scale === 1 ? { low } : own, 'low', 'scale'), dtype);
});

const bernoulli = distribution(
  'bernoulli',
  { p: parameter },
  { dtype: 'bool', read: dtypeName },
  (from, { p = 0.5 }, shape, dtype) => {
    const draw = convert(rngBits(from, shape), 'f64');
    const limit = mul(isValue(p) ? finished(p, 'f64') : constant(draw, p), constant(draw, 2 ** 32));
    return finished(lt(draw, limit), dtype);
  },
);

const logNormal = distribution('logNormal', { mean: parameter, std: parameter }, float, (from, own, shape, dtype) =>
  finished(exp(placed(standard.normal(from, shape, dtype), own, 'mean', 'std')), dtype),
);

/** A parameter, NaN where it is negative. @type {(like: Value, given: any) => Value} */
function notNegative(like, given) {
  const value = isValue(given) ? finished(given, like.dtype) : constant(like, given);
  return select(lt(value, 0), constant(value, NaN), value);
}

/**
 * What is a power of a standard exponential, or e to one.
 *
 * @type {(value: Value, a: any) => Value} the exponential by the parameter
 */
const overA = (value, a) => mul(value, div(constant(value, 1), notNegative(value, a)));

const weibull = distribution(
  'weibull',
  { a: parameter, scale: parameter },
  float,
  (from, { a = 1, scale }, shape, dtype) => {
    const value = standard.exponential(from, shape, dtype);
    return finished(placed(exp(overA(log(value), a)), { scale }, 'loc', 'scale'), dtype);
  },
);

const pareto = distribution('pareto', { a: parameter, scale: parameter }, float, (from, { a = 1, scale }, shape, dtype) =>
  finished(placed(exp(overA(standard.exponential(from, shape, dtype), a)), { scale }, 'loc', 'scale'), dtype),
);

/** How many trials up to the first success: the exponential, rounded up, by -log(1 - p). */
const geometric = distribution(
  'geometric',
  { p: parameter },
  { dtype: 'i64', read: numberName },
  (from, { p = 0.5 }, shape, dtype) => {
    const value = neg(log(openUnit(bitsFor(from, shape, 'f64'))));
    const rate = neg(log1p(neg(notNegative(value, p))));
    return finished(max(ceil(div(value, rate)), constant(value, 1)), dtype);
  },
);

/** @type {import('../base/check.js').Getter<bigint>} */
function bound(value, which, caller) {
  if (typeof value === 'bigint') return value;
  return Number.isSafeInteger(value)
    ? BigInt(/** @type {number} */ (value))
    : expected(caller, 'an integer', which, value);
}

const drawIntegers = traced('randint', (/** @type {Value} */ from, _none, shape, dtype, range) => {
  const [low, span] = range;
  const bits = rngBits(from, shape, { dtype: 'u64' });
  let value = bits; // of 2^64 numbers
  if (span <= 2n ** 32n) value = scaledBits(bits, span);
  else if (span < 2n ** 64n) value = rem(bits, span);
  const wrapped = dtype === 'u64' ? value : convert(value, 'i64');
  const start = constantOf(stateOf(from), BigInt.asIntN(64, low), 'i64', 'low', 'random.randint');
  return convert(dtype === 'u64' ? add(wrapped, convert(start, 'u64')) : add(wrapped, start), dtype);
});

/**
 * Integers from `low` up to but without `high`.
 *
 * @param {unknown} shape
 * @param {unknown} low
 * @param {unknown} high
 * @param {unknown} [options]
 * @returns {Value | Tensor}
 */
function randint(shape, low, high, options) {
  const caller = 'random.randint';
  const { dtype = 'i32', ...source } = readOptions(caller, options, {
    key: anything, seed: anything, dtype: integerName,
  });
  const [from, to] = [bound(low, 'low', caller), bound(high, 'high', caller)];
  const { min: least, max: most } = dtypes[dtype];
  if (from >= to)
    fail('ERR_ARGUMENT', `${caller}: expected low below high, got ${describe(low)} and ${describe(high)}`);
  if (from < least || to - 1n > most)
    fail('ERR_DTYPE', `${caller}: ${dtype} holds the integers ${least} to ${most}, got ${from} to ${to - 1n}`);
  const own = keyOf(source, caller);
  return drawIntegers(own, null, sizesFor(shape, isValue(own), caller), dtype, [from, to - from]);
}

const truncatedNormal = distribution(
  'truncatedNormal',
  { low: parameter, high: parameter },
  float,
  (from, { low = -2, high = 2 }, shape, dtype) => {
    const u = openUnit(bitsFor(from, shape, dtype));
    const [least, most] = [low, high].map((each) => (isValue(each) ? finished(each, u.dtype) : constant(u, each)));
    const [a, b] = [least, most].map((each) => erf(mul(each, constant(u, Math.SQRT1_2))));
    const value = mul(erfInv(add(a, mul(u, sub(b, a)))), constant(u, Math.SQRT2));
    return finished(max(min(value, most), least), dtype);
  },
);

/**
 * @param {unknown} shape
 * @param {unknown} [options]
 * @returns {Value | Tensor}
 */
function drawBits(shape, options) {
  const caller = 'random.bits';
  const { dtype = 'u32', ...source } = readOptions(caller, options, {
    key: anything, seed: anything, dtype: dtypeName,
  });
  if (dtype !== 'u32' && dtype !== 'u64') expected(caller, "'u32' or 'u64'", "option 'dtype'", dtype, 'ERR_DTYPE');
  const from = keyOf(source, caller);
  return bitsOf(from, null, sizesFor(shape, isValue(from), caller), dtype);
}
const bitsOf = traced('bits', (/** @type {Value} */ from, _none, shape, dtype) => rngBits(from, shape, { dtype }));

/** Everything that draws, and what it draws from. */
const random = Object.freeze({
  ...rejection,
  ...choices,
  bernoulli,
  bits: drawBits,
  cauchy: scaledDrawing('cauchy', 'loc', 'scale'),
  exponential: scaledDrawing('exponential', 'loc', 'scale'),
  foldIn,
  geometric,
  gumbel: scaledDrawing('gumbel', 'loc', 'scale'),
  key,
  laplace: scaledDrawing('laplace', 'loc', 'scale'),
  logNormal,
  logistic: scaledDrawing('logistic', 'loc', 'scale'),
  normal: scaledDrawing('normal', 'mean', 'std'),
  pareto,
  randint,
  rayleigh: scaledDrawing('rayleigh', 'loc', 'scale'),
  split,
  truncatedNormal,
  uniform,
  weibull,
});

module.exports = { random };
