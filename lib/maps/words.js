/**
 * Keys as words of 64 bits, and the classes of arrays that they come in; src/library/maps/maps.h has both.
 *
 *   kind       keys                            word
 *   number     f64, by Map's SameValueZero     bits, where -0 is 0 and NaN is one
 *   integer    numbers, of 32 bits all         the integer
 *   signed     bigints from -2^63 on           their bits
 *   unsigned   bigints from 0 to 2^64 - 1      their bits
 *   string     UTF-16                          a hash (texts.js)
 */
'use strict';

const { run, unitsOf } = require('./kernels.js');

/** @typedef {'number' | 'integer' | 'signed' | 'unsigned' | 'string'} Kind */

/** By the names of their classes. @type {Record<string, number>} */
const CLASSES = {
  Float64Array: 0, Float32Array: 1, Int32Array: 2, Uint32Array: 3, Int16Array: 4, Uint16Array: 5, Int8Array: 6,
  Uint8Array: 7, BigInt64Array: 8, BigUint64Array: 9, Uint8ClampedArray: 7,
};

/** By their numbers above, the dtypes. */
const DTYPES = ['f64', 'f32', 'i32', 'u32', 'i16', 'u16', 'i8', 'u8', 'i64', 'u64'];

/** And the classes. */
const ARRAYS = [
  Float64Array, Float32Array, Int32Array, Uint32Array, Int16Array, Uint16Array, Int8Array, Uint8Array, BigInt64Array,
  BigUint64Array,
];

const typedArrays = Object.getPrototypeOf(Uint8Array.prototype);
/** What the engine knows of a typed array, whatever properties it has been given. @type {(name: any) => () => any} */
const getter = (name) => /** @type {any} */ (Object.getOwnPropertyDescriptor(typedArrays, name)).get;
const nameOf = getter(Symbol.toStringTag);
const lengthOf = getter('length');
const bufferOf = getter('buffer');
const offsetOf = getter('byteOffset');

/** @type {Record<Exclude<Kind, 'string'>, number>} */
const KINDS = { number: 0, integer: 1, signed: 2, unsigned: 3 };

/** The class of a typed array of numbers or bigints. @type {(array: any) => number | undefined} */
const classOf = (array) => CLASSES[nameOf.call(array)];

/**
 * The same memory as an array that nobody has touched; undefined for what is no typed array of numbers or bigints.
 *
 * @type {(array: any) => any}
 */
function plain(array) {
  const number = classOf(array);
  if (number === undefined) return undefined;
  const length = lengthOf.call(array);
  // Detached memory has no place: such an array stays as it is, and is refused where it matters.
  return length === 0 ? array : new ARRAYS[number](bufferOf.call(array), offsetOf.call(array), length);
}

/** @type {(array: any) => boolean} */
const isBigArray = (array) => array instanceof BigInt64Array || array instanceof BigUint64Array;

/** @type {(numbers: readonly (number | bigint)[]) => BigInt64Array} slots */
const slotsOf = (numbers) => BigInt64Array.from(numbers, BigInt);

/**
 * @param {ArrayBufferView & { length: number }} keys
 * @param {Exclude<Kind, 'string'>} kind
 * @param {number} [threads]
 * @returns {BigInt64Array}
 */
function wordsOf(keys, kind, threads = 1) {
  const words = new BigInt64Array(keys.length);
  const slots = slotsOf([unitsOf(keys.length), keys.length, Number(classOf(keys)), KINDS[kind]]);
  run('map_words', slots, [keys, words], threads);
  return words;
}

module.exports = { ARRAYS, DTYPES, KINDS, classOf, isBigArray, plain, slotsOf, wordsOf };
