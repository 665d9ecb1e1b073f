/**
 * The functions that make tensors, named as in the Python array-API standard, in camelCase.
 *
 * Numbers are f64 unless a dtype is given, also whole ones: JavaScript has no other numbers. Booleans are bool and
 * bigints i64. Typed arrays are wrapped, not copied, as long as they can be what is wanted: their own dtype, bool for
 * bytes, the bits of f16 and bf16 for a Uint16Array. Sizes are checked before memory is asked for.
 */
'use strict';

const { boolean, expected, finite, integer, isAttached, isOptions, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { allocate } = require('./allocate.js');
const { checkTruth, convertArray, fromNested, scalarDType, toElement } = require('./convert.js');
const { dtypeName, dtypeOf, dtypes, holds, plainArray } = require('./dtypes.js');
const { Tensor, storageOf, layoutFor, readableOf, reshaped, tensorOver, wrap, wrapOwn } = require('./tensor.js');
const { readShape, readShapeFor, sizeOf } = require('./views.js');

/** @typedef {import('./dtypes.js').DType} DType */

const dtypeOption = { dtype: dtypeName };

/**
 * @param {unknown} value
 * @param {unknown} [options]
 * @returns {Tensor}
 */
function tensor(value, options) {
  const caller = 'tensor';
  const { dtype, shape, requiresGrad } = readOptions(caller, options, {
    ...dtypeOption,
    shape: (given) => given,
    requiresGrad: boolean,
  });
  const made = shaped(value, build(value, dtype, caller), shape, caller);
  if (requiresGrad === undefined) return made;
  const leaf = value instanceof Tensor ? made.detach() : made;
  leaf.requiresGrad = requiresGrad;
  return leaf;
}

/** @type {(value: unknown, made: Tensor, shape: unknown, caller: string) => Tensor} what was made of a value */
function shaped(value, made, shape, caller) {
  if (shape === undefined) return made;
  const sizes = readShapeFor(made.size)(shape, "option 'shape'", caller);
  return value instanceof Tensor ? reshaped(made, sizes) : tensorOver(storageOf(made), layoutFor(sizes));
}

/** @type {(value: unknown, dtype: DType | undefined, caller: string) => Tensor} */
function build(value, dtype, caller) {
  if (value instanceof Tensor) return fromTensor(value, dtype, caller);
  const own = dtypeOf(value);
  if (own !== undefined) return fromTyped(/** @type {any} */ (value), own, dtype, caller);
  if (scalarDType(value) === undefined && !Array.isArray(value)) {
    return expected(caller, 'an array, a typed array or a number', 'the value', value);
  }
  const made = fromNested(value, dtype, caller);
  return wrapOwn(made.data, made.dtype, made.shape);
}

/** @type {(value: Tensor, dtype: DType | undefined, caller: string) => Tensor} */
function fromTensor(value, dtype, caller) {
  if (dtype === undefined || dtype === value.dtype) return value.contiguous();
  const source = { data: readableOf(value, caller), dtype: value.dtype, shape: value.shape };
  return wrapOwn(convertArray(source, dtypes[dtype], caller), dtype, value.shape);
}

/** @type {(value: import('./dtypes.js').TypedArray, own: DType, dtype: DType | undefined, caller: string) => Tensor} */
function fromTyped(value, own, dtype, caller) {
  if (!isAttached(value)) fail('ERR_STATE', `${caller}: the array is detached or was shortened`);
  const wanted = dtype ?? own;
  const info = dtypes[wanted];
  const shape = [value.length];
  if (holds(own, wanted)) {
    if (wanted === 'bool') checkTruth(value, caller);
    return wrap(plainArray(value), wanted, shape);
  }
  return wrapOwn(convertArray({ data: value, dtype: own, shape }, info, caller), wanted, shape);
}

/**
 * @param {unknown} value
 * @param {unknown} [options]
 * @returns {Tensor} the value itself where it already is what is wanted
 */
function asTensor(value, options) {
  const { dtype } = readOptions('asTensor', options, dtypeOption);
  if (value instanceof Tensor && (dtype === undefined || dtype === value.dtype)) return value;
  return build(value, dtype, 'asTensor');
}

/** @type {(shape: readonly number[], value: unknown, dtype: DType, caller: string) => Tensor} */
function filled(shape, value, dtype, caller) {
  const info = dtypes[dtype];
  const element = toElement(value, info, () => 'the value', caller);
  const data = allocate(info, sizeOf(shape, caller), caller);
  // Fresh arrays hold zeros; leaving them untouched keeps their pages unmapped. -0 is not such a zero.
  if (!Object.is(Number(element), 0)) /** @type {any} */ (data).fill(element);
  return wrapOwn(data, dtype, shape);
}

/** @type {(caller: string, value: number) => (shape: unknown, options?: unknown) => Tensor} */
const constantMaker = (caller, value) => (shape, options) => {
  const { dtype = 'f64' } = readOptions(caller, options, dtypeOption);
  return filled(readShape(shape, 'the shape', caller), value, dtype, caller);
};

const zeros = constantMaker('zeros', 0);
const ones = constantMaker('ones', 1);
const empty = constantMaker('empty', 0);

/**
 * @param {unknown} shape
 * @param {unknown} value
 * @param {unknown} [options]
 * @returns {Tensor}
 */
function full(shape, value, options) {
  const { dtype = scalarDType(value) ?? 'f64' } = readOptions('full', options, dtypeOption);
  return filled(readShape(shape, 'the shape', 'full'), value, dtype, 'full');
}

/** @type {(caller: string, value: unknown, like: unknown, options: unknown) => Tensor} */
function filledLike(caller, value, like, options) {
  if (!(like instanceof Tensor)) return expected(caller, 'a Tensor', 'the first argument', like);
  const { dtype = like.dtype } = readOptions(caller, options, dtypeOption);
  return filled(like.shape, value, dtype, caller);
}

/** @type {(like: unknown, options?: unknown) => Tensor} */
const zerosLike = (like, options) => filledLike('zerosLike', 0, like, options);

/** @type {(like: unknown, options?: unknown) => Tensor} */
const onesLike = (like, options) => filledLike('onesLike', 1, like, options);

/** @type {(like: unknown, value: unknown, options?: unknown) => Tensor} */
const fullLike = (like, value, options) => filledLike('fullLike', value, like, options);

/**
 * @param {unknown} rows
 * @param {unknown} [columns] may be left out before the options
 * @param {unknown} [options]
 * @returns {Tensor}
 */
function eye(rows, columns, options) {
  if (options === undefined && isOptions(columns)) return eye(rows, undefined, columns);
  const { dtype = 'f64', k = 0 } = readOptions('eye', options, { ...dtypeOption, k: integer() });
  const height = integer(0)(rows, 'rows', 'eye');
  const width = columns === undefined ? height : integer(0)(columns, 'columns', 'eye');
  const result = filled([height, width], 0, dtype, 'eye');
  const one = toElement(1, dtypes[dtype], () => 'the diagonal', 'eye');
  const last = Math.min(height, width - k);
  const data = readableOf(result, 'eye'); // still nobody else's
  for (let row = Math.max(0, -k); row < last; row++) data[row * width + row + k] = one;
  return result;
}

/**
 * @param {...unknown} args stop, or start and stop, or start, stop and step; then the options
 * @returns {Tensor}
 */
function arange(...args) {
  const options = isOptions(args.at(-1)) ? args.pop() : undefined;
  if (args.length === 0 || args.length > 3) {
    fail('ERR_ARGUMENT', `arange: expected 1 to 3 numbers before the options, got ${args.length}`);
  }
  const given = args.length === 1 ? [undefined, args[0]] : args;
  const big = args.every((value) => typeof value === 'bigint');
  const { dtype = big ? 'i64' : 'f64' } = readOptions('arange', options, dtypeOption);
  const info = dtypes[dtype];
  const [start, stop, step] = [given[0] ?? 0, given[1], given[2] ?? 1].map((value, i) => {
    const which = ['start', 'stop', 'step'][i];
    return typeof value === 'bigint' ? value : finite(value, which, 'arange');
  });
  if (Number(step) === 0) fail('ERR_ARGUMENT', 'arange: expected a step other than 0, got 0');
  const exact = [start, stop, step].every((value) => typeof value === 'bigint' || Number.isSafeInteger(value));
  return exact && info.big
    ? bigRange(BigInt(start), BigInt(stop), BigInt(step), info)
    : floatRange(Number(start), Number(stop), Number(step), info);
}

/** @type {(start: bigint, stop: bigint, step: bigint, info: import('./dtypes.js').DTypeInfo) => Tensor} */
function bigRange(start, stop, step, info) {
  const span = step > 0n ? stop - start : start - stop;
  const stride = step > 0n ? step : -step;
  const count = span <= 0n ? 0 : Number((span + stride - 1n) / stride);
  return rangeOf(count, (i) => start + BigInt(i) * step, info);
}

/** @type {(start: number, stop: number, step: number, info: import('./dtypes.js').DTypeInfo) => Tensor} */
function floatRange(start, stop, step, info) {
  const count = Math.max(0, Math.ceil((stop - start) / step));
  return rangeOf(count, (i) => start + i * step, info);
}

/** @type {(count: number, value: (i: number) => number | bigint, info: import('./dtypes.js').DTypeInfo) => Tensor} */
function rangeOf(count, value, info) {
  if (!Number.isSafeInteger(count)) fail('ERR_OVERFLOW', `arange: ${count} elements are too many`);
  const data = allocate(info, count, 'arange');
  for (let i = 0; i < count; i++) data[i] = toElement(value(i), info, () => `element [${i}]`, 'arange');
  return wrapOwn(data, info.name, [count]);
}

/**
 * @param {unknown} start
 * @param {unknown} stop
 * @param {unknown} count
 * @param {unknown} [options]
 * @returns {Tensor}
 */
function linspace(start, stop, count, options) {
  const { dtype = 'f64', endpoint = true } = readOptions('linspace', options, { ...dtypeOption, endpoint: boolean });
  const info = dtypes[dtype];
  if (info.kind !== 'float') expected('linspace', 'a float dtype', "option 'dtype'", dtype, 'ERR_DTYPE');
  const [from, to] = [finite(start, 'start', 'linspace'), finite(stop, 'stop', 'linspace')];
  const size = integer(0)(count, 'count', 'linspace');
  const data = allocate(info, size, 'linspace');
  const steps = Math.max(1, endpoint ? size - 1 : size);
  const step = (to - from) / steps;
  for (let i = 0; i < size; i++) {
    // The distance of two huge numbers of opposite sign overflows; a weighted mean of them does not.
    const value = Number.isFinite(step) ? from + i * step : from * (1 - i / steps) + to * (i / steps);
    data[i] = toElement(value, info, () => `element [${i}]`, 'linspace');
  }
  if (endpoint && size > 1) data[size - 1] = toElement(to, info, () => 'stop', 'linspace');
  return wrapOwn(data, dtype, [size]);
}

module.exports = {
  arange,
  asTensor,
  empty,
  eye,
  full,
  fullLike,
  linspace,
  ones,
  onesLike,
  tensor,
  zeros,
  zerosLike,
};
