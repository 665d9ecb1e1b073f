/**
 * Random numbers: a key and a shape give the same numbers on every machine, in every mode, for any number of
 * threads, computed at once or inside of a graph.
 *
 * There is no hidden state. A key is a u32[2]; whoever needs independent numbers derives keys from keys
 * (`split`, `foldIn`). Element i of a draw is a function of the key and i (threefry2x32, see the primitive
 * `rng_bits`), so keys, seeds and bits are those of JAX with its partitionable layout. The distributions are composites
 * written once over values; with keys that are tensors they run as traced functions (jit.js), which
 * become part of the graph where a key, or a parameter, is a value.
 *
 * Bits become floats in [0, 1) by dividing the upper 24 (f32) or 53 (f64) by the power of two; where 0 must not
 * come up, half a unit is added to one bit less, which is exact as well.
 */
'use strict';

const { describe, expected, finite, isOptions, readOptions } = require('./check.js');
const { dtypeName, dtypes } = require('./dtypes.js');
const { elementwise, rows } = require('./elementwise.js');
const { fail } = require('./errors.js');
const { erfInv } = require('./inverse.js');
const { jit } = require('./jit.js');
const { joins, movement } = require('./movement.js');
const { reductions } = require('./reductions.js');
const { rngBits } = require('./rng.js');
const { Tensor, wrap } = require('./tensor.js');
const { constantFrom, constantOf, dimsOf, isValue, stateOf } = require('./value.js');
const { readShape } = require('./views.js');

/** @typedef {import('./value.js').Value} Value */
/** @typedef {import('./dtypes.js').DType} DType */

const { abs, add, cos, erf, log, log1p, lt, max, min, mul, neg, or, rem, shl, shr, sign, sqrt, sub, tan, xor } = rows;
const { convert } = elementwise;

/** Traces of each distribution that are kept: one per shape, dtype and kinds of parameters. */
const CACHE_LIMIT = 256;

// ------------------------------------------------------------------------------------------ keys

/** @type {(word: bigint | number) => number} */
const low32 = (word) => Number(BigInt.asUintN(32, BigInt(word)));

/**
 * @param {unknown} seed an integer of up to 64 bits
 * @returns {Tensor} u32[2]
 */
function key(seed) {
  const whole = typeof seed === 'bigint' || Number.isSafeInteger(seed);
  if (!whole || BigInt(/** @type {number} */ (seed)) < -(2n ** 63n) || BigInt(/** @type {number} */ (seed)) >= 2n ** 64n) {
    return expected('random.key', 'an integer of at most 64 bits', 'the seed', seed);
  }
  const all = BigInt.asUintN(64, BigInt(/** @type {number} */ (seed)));
  return wrap(Uint32Array.of(Number(all >> 32n), low32(all)), 'u32', [2]);
}

/** @type {(given: unknown, caller: string) => Value | Tensor} a key as it may be passed on */
function readKey(given, caller) {
  const isKey = (isValue(given) || given instanceof Tensor) && given.dtype === 'u32' && given.rank === 1 && given.shape[0] === 2;
  if (isKey) return /** @type {Value | Tensor} */ (given);
  return expected(caller, 'a key (u32[2], such as random.key(1) makes)', 'the key', given);
}

const ROTATIONS = [13, 15, 26, 6, 17, 29, 16, 24];

/** Threefry2x32 in primitives, for one block. @type {(key: [Value, Value], x: [Value, Value]) => [Value, Value]} */
function threefry(words, [x0, x1]) {
  const schedule = [words[0], words[1], xor(xor(words[0], words[1]), 0x1bd11bda)];
  let [a, b] = [add(x0, schedule[0]), add(x1, schedule[1])];
  for (let round = 0; round < 20; round++) {
    const rotation = ROTATIONS[round % 8];
    a = add(a, b);
    b = xor(or(shl(b, rotation), shr(b, 32 - rotation)), a);
    if (round % 4 !== 3) continue;
    const injection = (round + 1) / 4;
    a = add(a, schedule[injection % 3]);
    b = add(b, add(schedule[(injection + 1) % 3], injection));
  }
  return [a, b];
}

/** @type {(value: Value) => [Value, Value]} the upper and the lower word of u64, as u32 */
const halves = (value) => [convert(shr(value, 32), 'u32'), convert(value, 'u32')];

const splitKey = traced('split', (/** @type {Value} */ from, /** @type {number} */ count) => {
  const words = halves(rngBits(from, [count], { dtype: 'u64' }));
  return joins.stack(words, { axis: 1 });
});

/**
 * Independent keys made of one, which should not be used any more.
 *
 * @param {unknown} from
 * @param {unknown} [count]
 * @returns {(Value | Tensor)[]}
 */
function split(from, count = 2) {
  const given = readKey(from, 'random.split');
  const many = Number.isSafeInteger(count) && Number(count) >= 1 ? Number(count) : expected('random.split', 'an integer of at least 1', 'the count', count);
  const table = splitKey(given, many);
  return Array.from({ length: many }, (_, i) => table.slice(i));
}

/** Keys and data beside a value of a graph, as values of it. @type {(given: (Value | Tensor)[], caller: string) => Value[]} */
function valuesOf(given, caller) {
  const state = stateOf(/** @type {Value} */ (given.find(isValue)));
  return given.map((each) => (isValue(each) ? each : constantFrom(state, each, caller)));
}

const foldKey = traced('foldIn', (/** @type {Value | Tensor} */ ownKey, /** @type {Value | Tensor} */ ownData) => {
  const [from, data] = valuesOf([ownKey, ownData], 'random.foldIn');
  const zero = constantOf(stateOf(from), 0, 'u32', '0', 'random.foldIn');
  return joins.stack(threefry([movement.slice(from, 0), movement.slice(from, 1)], [zero, convert(data, 'u32')]));
});

/**
 * A key made of a key and a number, such as the number of a step.
 *
 * @param {unknown} from
 * @param {unknown} data an integer, of which the lower 32 bits count, or a scalar of an integer dtype
 * @returns {Value | Tensor}
 */
function foldIn(from, data) {
  const given = readKey(from, 'random.foldIn');
  if (isValue(data) || data instanceof Tensor) {
    const fits = data.rank === 0 && dtypes[data.dtype].kind !== 'float' && data.dtype !== 'bool';
    return foldKey(given, fits ? data : expected('random.foldIn', 'an integer', 'the data', data));
  }
  const whole = typeof data === 'bigint' || Number.isSafeInteger(data);
  if (!whole) return expected('random.foldIn', 'an integer', 'the data', data);
  return foldKey(given, wrap(Uint32Array.of(low32(/** @type {number} */ (data))), 'u32', []));
}

// ------------------------------------------------------------------------------------------ bits

/**
 * A function of a key and more that runs at once, or becomes part of the graph of a value among its arguments. What
 * comes after the tree of parameters is static.
 *
 * @template {(...args: any[]) => any} F
 * @param {string} name
 * @param {F} fn
 * @returns {any}
 */
function traced(name, fn) {
  return jit(fn, { name: `random.${name}`, static: name === 'split' ? [1] : [2, 3, 4], cacheLimit: CACHE_LIMIT });
}

/** @type {(like: Value, number: number) => Value} */
const constant = (like, number) => constantOf(stateOf(like), number, like.dtype, String(number), 'random');

/** Floats of which there are as many as bits in the mantissa. @type {(dtype: DType) => 'f32' | 'f64'} */
const widthOf = (dtype) => (dtype === 'f64' ? 'f64' : 'f32');

/** @type {(bits: Value) => Value} of [0, 1), from u32 the f32 and from u64 the f64 */
function unit(bits) {
  const wide = bits.dtype === 'u64';
  const float = convert(shr(bits, wide ? 11 : 8), wide ? 'f64' : 'f32');
  return mul(float, constant(float, 2 ** (wide ? -53 : -24)));
}

/** @type {(bits: Value) => Value} of (0, 1), symmetric about a half */
function openUnit(bits) {
  const wide = bits.dtype === 'u64';
  const float = convert(shr(bits, wide ? 12 : 9), wide ? 'f64' : 'f32');
  return mul(add(float, constant(float, 0.5)), constant(float, 2 ** (wide ? -52 : -23)));
}

/** @type {(from: Value, shape: unknown, dtype: DType) => Value} */
const bitsFor = (from, shape, dtype) => rngBits(from, shape, { dtype: widthOf(dtype) === 'f64' ? 'u64' : 'u32' });

/** @type {(value: Value, dtype: DType) => Value} */
const finished = (value, dtype) => (value.dtype === dtype ? value : convert(value, dtype));

// --------------------------------------------------------------------------------- distributions

/** Another key for a second draw of the same elements: the words of the square root of 2 say which. @type {(from: Value) => Value} */
const other = (from) => xor(from, Uint32Array.of(0x6a09e667, 0xf3bcc908));

/**
 * Standard normal by Box and Muller (1958), one number of each pair: the radius has 32 or 53 bits, so that
 * tails reach 6.6 and 8.5 deviations.
 *
 * @type {(from: Value, shape: unknown, dtype: DType) => Value}
 */
function standardNormal(from, shape, dtype) {
  const wide = widthOf(dtype) === 'f64';
  const bits = rngBits(from, shape, { dtype: 'u64' });
  const [upper, lower] = wide ? [shr(bits, 11), undefined] : halves(bits);
  const float = convert(upper, widthOf(dtype));
  const radius = mul(add(float, constant(float, 1)), constant(float, 2 ** (wide ? -53 : -32)));
  const angle = unit(lower ?? rngBits(other(from), shape, { dtype: 'u64' }));
  return mul(sqrt(mul(constant(float, -2), log(radius))), cos(mul(angle, constant(float, 2 * Math.PI))));
}

/** Of (0, 1) to a standard distribution by the inverse of its distribution function. @type {Record<string, (u: Value) => Value>} */
const inverses = {
  cauchy: (u) => tan(mul(sub(u, constant(u, 0.5)), constant(u, Math.PI))),
  gumbel: (u) => neg(log(neg(log(u)))),
  laplace: (u) => {
    const both = sub(mul(u, constant(u, 2)), constant(u, 1));
    return mul(sign(both), neg(log1p(neg(abs(both)))));
  },
  logistic: (u) => sub(log(u), log1p(neg(u))),
};

/** @type {Record<string, (from: Value, shape: unknown, dtype: DType) => Value>} */
const standard = {
  normal: standardNormal,
  exponential: (from, shape, dtype) => neg(log1p(neg(unit(bitsFor(from, shape, dtype))))),
};
for (const [name, inverse] of Object.entries(inverses)) {
  standard[name] = (from, shape, dtype) => inverse(openUnit(bitsFor(from, shape, dtype)));
}

/** @type {import('./check.js').Getter<any>} */
function parameter(value, which, caller) {
  if (typeof value === 'number') return finite(value, which, caller);
  if (value instanceof Tensor || isValue(value)) return value;
  return expected(caller, 'a number, a Tensor or a Value', which, value);
}

/** @type {import('./check.js').Getter<DType>} */
function floatName(value, which, caller) {
  const name = dtypeName(value, which, caller);
  return dtypes[name].kind === 'float' ? name : expected(caller, 'a float dtype', which, value, 'ERR_DTYPE');
}

const anything = (/** @type {unknown} */ value) => value;

/**
 * The key of a draw, from options of which one must be there.
 *
 * @param {{ key?: unknown, seed?: unknown }} options
 * @param {string} caller
 * @returns {Value | Tensor}
 */
function keyOf({ key: own, seed }, caller) {
  if (own !== undefined && seed !== undefined) return fail('ERR_ARGUMENT', `${caller}: expected one of the options 'key' and 'seed', got both`);
  if (own !== undefined) return readKey(own, caller);
  if (seed !== undefined) return key(seed);
  return fail('ERR_ARGUMENT', `${caller}: expected option 'key' or 'seed': there is no hidden state to draw from`);
}

/** @type {(shape: unknown, isGraph: boolean, caller: string) => unknown} sizes, symbolic ones in graphs */
const sizesFor = (shape, isGraph, caller) => (isGraph ? shape : readShape(shape, 'the shape', caller));

/**
 * A function that draws, from one over values.
 *
 * @param {string} name
 * @param {Record<string, import('./check.js').Getter<unknown>>} parameters options beside key, seed and dtype
 * @param {{ dtype: DType, read: import('./check.js').Getter<DType> }} result
 * @param {(from: Value, own: any, shape: unknown, dtype: DType) => Value} draw
 * @returns {(shape: unknown, options: unknown) => Value | Tensor}
 */
function drawing(name, parameters, result, draw) {
  const caller = `random.${name}`;
  const run = traced(name, (/** @type {Value | Tensor} */ from, own, shape, dtype) => {
    const [value] = valuesOf([from, ...Object.values(own).filter(isValue)], caller); // the key may be no value beside one
    return draw(value, own, shape, dtype);
  });
  return (shape, options) => {
    if (options !== undefined && !isOptions(options)) expected(caller, 'an object', 'the options', options);
    const { key: own, seed, dtype = result.dtype, ...others } = readOptions(caller, options, { key: anything, seed: anything, dtype: result.read, ...parameters });
    const from = keyOf({ key: own, seed }, caller);
    const isGraph = isValue(from) || Object.values(others).some(isValue);
    return run(from, others, sizesFor(shape, isGraph, caller), dtype);
  };
}

/** @type {(value: Value, own: Record<string, any>, shift: string, scale: string) => Value} scaled, then moved */
function placed(value, own, shift, scale) {
  const inDType = (/** @type {any} */ operand) => (isValue(operand) ? finished(operand, value.dtype) : operand);
  const scaled = own[scale] === undefined ? value : mul(value, inDType(own[scale]));
  return own[shift] === undefined ? scaled : add(scaled, inDType(own[shift]));
}

const float = { dtype: /** @type {DType} */ ('f64'), read: floatName };

/** @type {(name: string, shift: string, scale: string) => ReturnType<typeof drawing>} one that is a standard one, moved and scaled */
function scaledDrawing(name, shift, scale) {
  return drawing(name, { [shift]: parameter, [scale]: parameter }, float, (from, own, shape, dtype) =>
    finished(placed(standard[name](from, shape, dtype), own, shift, scale), dtype),
  );
}

const uniform = drawing('uniform', { low: parameter, high: parameter }, float, (from, { low, high = 1 }, shape, dtype) => {
  const value = unit(bitsFor(from, shape, dtype));
  const own = { low, scale: low === undefined ? high : isValue(high) || isValue(low) ? sub(high, low) : high - low };
  return finished(placed(value, own.scale === 1 ? { low } : own, 'low', 'scale'), dtype);
});

const bernoulli = drawing('bernoulli', { p: parameter }, { dtype: 'bool', read: dtypeName }, (from, { p = 0.5 }, shape, dtype) => {
  const draw = convert(rngBits(from, shape), 'f64');
  const limit = mul(isValue(p) ? finished(p, 'f64') : constant(draw, p), constant(draw, 2 ** 32));
  return finished(lt(draw, limit), dtype);
});

/** @type {import('./check.js').Getter<DType>} */
function integerName(value, which, caller) {
  const name = dtypeName(value, which, caller);
  return ['int', 'uint'].includes(dtypes[name].kind) ? name : expected(caller, 'an integer dtype', which, value, 'ERR_DTYPE');
}

/** @type {import('./check.js').Getter<bigint>} */
function bound(value, which, caller) {
  if (typeof value === 'bigint') return value;
  return Number.isSafeInteger(value) ? BigInt(/** @type {number} */ (value)) : expected(caller, 'an integer', which, value);
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
 * floor(bits · span / 2^64) for a span of at most 2^32, in two products of 64 bits (Lemire, "Fast random integer
 * generation in an interval", 2019, without the rejection: no number is likelier by more than 2^-32).
 *
 * @type {(bits: Value, span: bigint) => Value}
 */
function scaledBits(bits, span) {
  if (span === 2n ** 32n) return shr(bits, 32);
  const lower = shr(mul(rows.and(bits, 0xffffffffn), span), 32);
  return shr(add(mul(shr(bits, 32), span), lower), 32);
}

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
  const { dtype = 'i32', ...source } = readOptions(caller, options, { key: anything, seed: anything, dtype: integerName });
  const [from, to] = [bound(low, 'low', caller), bound(high, 'high', caller)];
  const { min: least, max: most } = dtypes[dtype];
  if (from >= to) fail('ERR_ARGUMENT', `${caller}: expected low below high, got ${describe(low)} and ${describe(high)}`);
  if (from < least || to - 1n > most) fail('ERR_DTYPE', `${caller}: ${dtype} holds the integers ${least} to ${most}, got ${from} to ${to - 1n}`);
  const own = keyOf(source, caller);
  return drawIntegers(own, null, sizesFor(shape, isValue(own), caller), dtype, [from, to - from]);
}

const truncatedNormal = drawing('truncatedNormal', { low: parameter, high: parameter }, float, (from, { low = -2, high = 2 }, shape, dtype) => {
  const u = openUnit(bitsFor(from, shape, dtype));
  const [least, most] = [low, high].map((each) => (isValue(each) ? finished(each, u.dtype) : constant(u, each)));
  const [a, b] = [least, most].map((each) => erf(mul(each, constant(u, Math.SQRT1_2))));
  const value = mul(erfInv(add(a, mul(u, sub(b, a)))), constant(u, Math.SQRT2));
  return finished(max(min(value, most), least), dtype);
});

const drawCategories = traced('categorical', (/** @type {any} */ from, /** @type {any} */ logits, shape, axis) => {
  const [own, like] = valuesOf([from, logits], 'random.categorical');
  const state = stateOf(like);
  const dims = [...state.dims(shape, 'random.categorical'), ...dimsOf(like)].map((dim) => state.text(dim));
  const floats = dtypes[like.dtype].kind === 'float' ? like : convert(like, 'f64');
  const noise = standard.gumbel(own, dims, floats.dtype);
  const place = axis < 0 ? axis : dims.length - dimsOf(like).length + axis;
  return reductions.argmax(add(noise, finished(floats, noise.dtype)), { axis: place });
});

/**
 * Indices along an axis of logits, each as likely as the softmax says (the Gumbel-max trick).
 *
 * @param {unknown} logits unnormalised logarithms of probabilities
 * @param {unknown} [options]
 * @returns {Value | Tensor} i64, of the other axes of the logits behind those of `shape`
 */
function categorical(logits, options) {
  const caller = 'random.categorical';
  const integer = (/** @type {unknown} */ value, /** @type {string} */ which) => (Number.isSafeInteger(value) ? Number(value) : expected(caller, 'an integer', which, value));
  const { shape = [], axis = -1, ...source } = readOptions(caller, options, { key: anything, seed: anything, shape: anything, axis: integer });
  if (!isValue(logits) && !(logits instanceof Tensor)) return expected(caller, 'a Tensor or a Value', 'the logits', logits);
  if (axis >= logits.rank || axis < -logits.rank) fail('ERR_SHAPE', `${caller}: axis ${axis} is not one of a value of rank ${logits.rank}`);
  const from = keyOf(source, caller);
  return drawCategories(from, logits, sizesFor(shape, isValue(from) || isValue(logits), caller), axis);
}

/**
 * @param {unknown} shape
 * @param {unknown} [options]
 * @returns {Value | Tensor}
 */
function drawBits(shape, options) {
  const caller = 'random.bits';
  const { dtype = 'u32', ...source } = readOptions(caller, options, { key: anything, seed: anything, dtype: dtypeName });
  if (dtype !== 'u32' && dtype !== 'u64') expected(caller, "'u32' or 'u64'", "option 'dtype'", dtype, 'ERR_DTYPE');
  const from = keyOf(source, caller);
  return bitsOf(from, null, sizesFor(shape, isValue(from), caller), dtype);
}
const bitsOf = traced('bits', (/** @type {Value} */ from, _none, shape, dtype) => rngBits(from, shape, { dtype }));

/** Everything that draws, and what it draws from. */
const random = Object.freeze({
  bernoulli,
  bits: drawBits,
  categorical,
  cauchy: scaledDrawing('cauchy', 'loc', 'scale'),
  exponential: scaledDrawing('exponential', 'loc', 'scale'),
  foldIn,
  gumbel: scaledDrawing('gumbel', 'loc', 'scale'),
  key,
  laplace: scaledDrawing('laplace', 'loc', 'scale'),
  logistic: scaledDrawing('logistic', 'loc', 'scale'),
  normal: scaledDrawing('normal', 'mean', 'std'),
  randint,
  split,
  truncatedNormal,
  uniform,
});

module.exports = { random };
