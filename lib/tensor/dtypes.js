/**
 * The element types: their names, sizes, ranges and typed arrays. The rows follow src/ops/dtypes.def,
 * which a test compares with this table.
 *
 * bool is a Uint8Array of 0 and 1, so a bare Uint8Array means u8 and bool has to be asked for. f16 and
 * bf16 are Uint16Arrays of bits (halves.js), so a bare Uint16Array means u16.
 */
'use strict';

const { expected, unknownName } = require('../base/check.js');
const { halves } = require('./halves.js');

/** @typedef {import('../index.d.ts').DType} DType */
/** @typedef {import('../index.d.ts').TypedArray} TypedArray */

/**
 * @typedef {object} DTypeInfo
 * @property {DType} name
 * @property {'float' | 'int' | 'uint' | 'bool'} kind
 * @property {number} bytes bytes per element
 * @property {boolean} big elements are bigints in JavaScript
 * @property {import('./halves.js').Half | undefined} half what elements mean where they are bits of halves
 * @property {new (length: number) => TypedArray} arrayType
 * @property {number | bigint} min smallest integer held, a bigint where elements are (floats: 0)
 * @property {number | bigint} max largest integer held (floats: 0)
 */

/**
 * @param {DType} name
 * @param {DTypeInfo['kind']} kind
 * @param {number} bytes
 * @param {any} arrayType
 * @returns {DTypeInfo}
 */
function row(name, kind, bytes, arrayType) {
  const big = arrayType === BigInt64Array || arrayType === BigUint64Array;
  const bits = BigInt(8 * bytes);
  const [low, high] = {
    float: [0n, 0n],
    bool: [0n, 1n],
    uint: [0n, 2n ** bits - 1n],
    int: [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n],
  }[kind];
  const [min, max] = big ? [low, high] : [Number(low), Number(high)];
  return Object.freeze({ name, kind, bytes, big, half: halves[name], arrayType, min, max });
}

/** @type {Readonly<Record<DType, DTypeInfo>>} */
const dtypes = Object.freeze({
  f64: row('f64', 'float', 8, Float64Array),
  f32: row('f32', 'float', 4, Float32Array),
  f16: row('f16', 'float', 2, Uint16Array),
  bf16: row('bf16', 'float', 2, Uint16Array),
  i64: row('i64', 'int', 8, BigInt64Array),
  i32: row('i32', 'int', 4, Int32Array),
  i16: row('i16', 'int', 2, Int16Array),
  i8: row('i8', 'int', 1, Int8Array),
  u64: row('u64', 'uint', 8, BigUint64Array),
  u32: row('u32', 'uint', 4, Uint32Array),
  u16: row('u16', 'uint', 2, Uint16Array),
  u8: row('u8', 'uint', 1, Uint8Array),
  bool: row('bool', 'bool', 1, Uint8Array),
});

const names = Object.freeze(/** @type {DType[]} */ (Object.keys(dtypes)));

/** @type {Readonly<Record<string, DType>>} */
const dtypeOfClass = Object.freeze({
  Float64Array: 'f64',
  Float32Array: 'f32',
  Float16Array: 'f16',
  BigInt64Array: 'i64',
  Int32Array: 'i32',
  Int16Array: 'i16',
  Int8Array: 'i8',
  BigUint64Array: 'u64',
  Uint32Array: 'u32',
  Uint16Array: 'u16',
  Uint8Array: 'u8',
  Uint8ClampedArray: 'u8',
});

// The inherited @@toStringTag getter names the class of any typed array, also of one from another
// realm (a vm context, a test runner's sandbox) where instanceof says no, and cannot be forged.
const classOf = /** @type {() => string | undefined} */ (
  /** @type {PropertyDescriptor} */ (
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)
  ).get
);

/**
 * The dtype that a typed array stands for by itself: a Uint8Array, a Buffer and a Uint8ClampedArray
 * are u8, a Uint16Array is u16.
 *
 * @param {unknown} value
 * @returns {DType | undefined} undefined for whatever is no typed array
 */
function dtypeOf(value) {
  const name = ArrayBuffer.isView(value) ? classOf.call(value) : undefined;
  return name === undefined ? undefined : dtypeOfClass[name];
}

/** Those that native code knows, for classes that it does not. @type {Readonly<Record<string, any>>} */
const PLAIN = Object.freeze({ Uint8ClampedArray: Uint8Array, Float16Array: Uint16Array });

/**
 * The same memory as an array of bytes or bits where the class is Uint8ClampedArray or Float16Array, which
 * native code does not know; any other array unchanged.
 *
 * @param {any} array a typed array
 * @returns {TypedArray}
 */
function plainArray(array) {
  const Plain = PLAIN[/** @type {string} */ (classOf.call(array))];
  return Plain === undefined ? array : new Plain(array.buffer, array.byteOffset, array.length);
}

/**
 * Whether an array that stands for `own` by itself may hold elements of `dtype` as they are: a Uint8Array
 * bools, a Uint16Array the bits of halves.
 *
 * @type {(own: DType, dtype: DType) => boolean}
 */
const holds = (own, dtype) =>
  own === dtype || (own === 'u8' && dtype === 'bool') || (own === 'u16' && dtypes[dtype].half !== undefined);

/**
 * A getter for dtype names; the names used elsewhere (float32, int8, bool_) are recognised in the hint.
 *
 * @type {import('../base/check.js').Getter<DType>}
 */
function dtypeName(value, which, caller) {
  if (typeof value !== 'string') return expected(caller, 'a dtype', which, value);
  if (Object.hasOwn(dtypes, value)) return /** @type {DType} */ (value);
  const long = /^(bfloat|float|int|uint|bool)(8|16|32|64)?_?$/.exec(value.toLowerCase());
  const prefix = { bfloat: 'bf', float: 'f', int: 'i', uint: 'u', bool: 'bool' };
  const short = long && prefix[/** @type {keyof typeof prefix} */ (long[1])] + (long[2] ?? '');
  const meant = names.find((name) => name === short);
  return unknownName(caller, 'dtype', value, names, meant);
}

module.exports = { dtypeName, dtypeOf, dtypes, holds, plainArray };
