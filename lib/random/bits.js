/**
 * What random numbers are drawn from and with: keys, bits, and the options of draws. index.js says what it is all
 * about.
 */
'use strict';

const { expected, finite, isOptions, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { constantFrom, constantOf, dimsOf, isValue, stateOf } = require('../graph/value.js');
const { elementwise, rows } = require('../ops/elementwise.js');
const { joins, movement } = require('../ops/movement.js');
const { rngBits } = require('../ops/rng.js');
const { dtypeName, dtypes } = require('../tensor/dtypes.js');
const { Tensor, wrap } = require('../tensor/tensor.js');
const { readShape } = require('../tensor/views.js');
const { jit } = require('../trace/jit.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../tensor/dtypes.js').DType} DType */

const { add, mul, or, shl, shr, xor } = rows;
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
  if (
    !whole ||
    BigInt(/** @type {number} */ (seed)) < -(2n ** 63n) ||
    BigInt(/** @type {number} */ (seed)) >= 2n ** 64n
  ) {
    return expected('random.key', 'an integer of at most 64 bits', 'the seed', seed);
  }
  const all = BigInt.asUintN(64, BigInt(/** @type {number} */ (seed)));
  return wrap(Uint32Array.of(Number(all >> 32n), low32(all)), 'u32', [2]);
}

/** @type {(given: unknown, caller: string) => Value | Tensor} a key as it may be passed on */
function readKey(given, caller) {
  const isKey =
    (isValue(given) || given instanceof Tensor) && given.dtype === 'u32' && given.rank === 1 && given.shape[0] === 2;
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
  const many =
    Number.isSafeInteger(count) && Number(count) >= 1
      ? Number(count)
      : expected('random.split', 'an integer of at least 1', 'the count', count);
  const table = splitKey(given, many);
  return Array.from({ length: many }, (_, i) => table.slice(i));
}

/**
 * Keys and data beside a value of a graph, as values of it.
 *
 * @type {(given: (Value | Tensor)[], caller: string) => Value[]}
 */
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

/**
 * floor(bits · span / 2^64) for a span of at most 2^32, in two products of 64 bits (Lemire, "Fast random integer
 * generation in an interval", 2019, without the rejection: no number is likelier by more than 2^-32).
 *
 * @type {(bits: Value, span: bigint) => Value}
 */
function scaledBits(bits, span) {
  if (span === 2n ** 32n) return shr(bits, 32);
  const lower = shr(mul(lowerHalf(bits), span), 32);
  return shr(add(mul(shr(bits, 32), span), lower), 32);
}

/** @type {(value: Value) => Value} the lower 32 bits of u64 */
const lowerHalf = (value) => rows.and(value, 0xffffffffn);

/** The same for a span of any size, in four products. @type {(bits: Value, span: Value) => Value} */
function scaledWide(bits, span) {
  const [upper, lower] = [shr(bits, 32), lowerHalf(bits)];
  const [wide, narrow] = [shr(span, 32), lowerHalf(span)];
  const first = add(mul(upper, narrow), shr(mul(lower, narrow), 32));
  const second = add(mul(lower, wide), lowerHalf(first));
  return add(add(mul(upper, wide), shr(first, 32)), shr(second, 32));
}

/** What tells further draws of the same elements apart: words of the square roots of 2, 3 and 5. */
const MARKS = [
  [0x6a09e667, 0xf3bcc908], [0xbb67ae85, 0x84caa73b], [0x3c6ef372, 0xfe94f82b],
];

/** Another key for a further draw of the same elements. @type {(from: Value, which?: number) => Value} */
const other = (from, which = 0) => xor(from, Uint32Array.of(...MARKS[which]));

/** @type {import('../base/check.js').Getter<any>} */
function parameter(value, which, caller) {
  if (typeof value === 'number') return finite(value, which, caller);
  if (value instanceof Tensor || isValue(value)) return value;
  return expected(caller, 'a number, a Tensor or a Value', which, value);
}

/** @type {import('../base/check.js').Getter<DType>} */
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
  if (own !== undefined && seed !== undefined)
    return fail('ERR_ARGUMENT', `${caller}: expected one of the options 'key' and 'seed', got both`);
  if (own !== undefined) return readKey(own, caller);
  if (seed !== undefined) return key(seed);
  return fail('ERR_ARGUMENT', `${caller}: expected option 'key' or 'seed': there is no hidden state to draw from`);
}

/** @type {(shape: unknown, isGraph: boolean, caller: string) => unknown} sizes, symbolic ones in graphs */
const sizesFor = (shape, isGraph, caller) => (isGraph ? shape : readShape(shape, 'the shape', caller));

/** Parameters that lie along an axis of their own, behind those of the shape. */
const LINES = new Set(['random.dirichlet alpha', 'random.multinomial p']);

/**
 * Refuses a parameter that has not the shape, nor becomes it by repeating.
 *
 * @type {(value: Value, which: string, shape: unknown, caller: string) => void}
 */
function checkFits(value, which, shape, caller) {
  const state = stateOf(value);
  const target = state.dims(shape, caller);
  const dims = LINES.has(`${caller} ${which}`) ? dimsOf(value).slice(0, -1) : dimsOf(value);
  const lead = target.length - dims.length;
  if (lead >= 0 && dims.every((dim, axis) => dim === 1 || dim === target[lead + axis])) return;
  fail(
    'ERR_SHAPE',
    `${caller}: option '${which}' of shape ${state.shapeText(dimsOf(value))} does not broadcast to ${state.shapeText(target)}`,
  );
}

/**
 * A function that draws, from one over values.
 *
 * @param {string} name
 * @param {Record<string, import('../base/check.js').Getter<unknown>>} parameters options beside key, seed and dtype
 * @param {{ dtype: DType, read: import('../base/check.js').Getter<DType> }} result
 * @param {(from: Value, own: any, shape: unknown, dtype: DType) => Value} draw
 * @returns {(shape: unknown, options: unknown) => Value | Tensor}
 */
function distribution(name, parameters, result, draw) {
  const caller = `random.${name}`;
  const run = traced(name, (/** @type {Value | Tensor} */ from, own, shape, dtype) => {
    const names = Object.keys(own).filter((each) => isValue(own[each]) || own[each] instanceof Tensor);
    // the key may be no value beside one
    const [value, ...values] = valuesOf([from, ...names.map((each) => own[each])], caller);
    names.forEach((each, i) => checkFits(values[i], each, shape, caller));
    return draw(value, { ...own, ...Object.fromEntries(names.map((each, i) => [each, values[i]])) }, shape, dtype);
  });
  return (shape, options) => {
    if (options !== undefined && !isOptions(options)) expected(caller, 'an object', 'the options', options);
    const {
      key: own,
      seed,
      dtype = result.dtype,
      ...others
    } = readOptions(caller, options, { key: anything, seed: anything, dtype: result.read, ...parameters });
    const from = keyOf({ key: own, seed }, caller);
    const isGraph = isValue(from) || Object.values(others).some(isValue);
    return run(from, others, sizesFor(shape, isGraph, caller), dtype);
  };
}

/** @type {import('../base/check.js').Getter<DType>} */
function integerName(value, which, caller) {
  const name = dtypeName(value, which, caller);
  return ['int', 'uint'].includes(dtypes[name].kind)
    ? name
    : expected(caller, 'an integer dtype', which, value, 'ERR_DTYPE');
}

/** @type {import('../base/check.js').Getter<DType>} of numbers that are whole, but may be stored as floats */
function numberName(value, which, caller) {
  const name = dtypeName(value, which, caller);
  return name === 'bool' ? expected(caller, 'a dtype of numbers', which, value, 'ERR_DTYPE') : name;
}

module.exports = {
  anything,
  bitsFor,
  constant,
  distribution,
  finished,
  floatName,
  foldIn,
  foldKey,
  halves,
  integerName,
  key,
  keyOf,
  openUnit,
  other,
  numberName,
  parameter,
  scaledBits,
  scaledWide,
  sizesFor,
  split,
  traced,
  unit,
  valuesOf,
  widthOf,
};
