/**
 * Which dtype the elements of a typed array have.
 */
'use strict';

/** @type {[any, import('../tir/index.js').Element][]} */
const TYPES = [
  [Float64Array, 'f64'],
  [Float32Array, 'f32'],
  [Int32Array, 'i32'],
  [Uint32Array, 'u32'],
  [Int16Array, 'i16'],
  [Uint16Array, 'u16'],
  [Int8Array, 'i8'],
  [Uint8Array, 'u8'],
  [Uint8ClampedArray, 'u8'],
  [BigInt64Array, 'i64'],
  [BigUint64Array, 'u64'],
];

/** @type {(array: object) => import('../tir/index.js').Element} */
function elementOf(array) {
  const found = TYPES.find(([type]) => array instanceof type);
  if (!found) throw new TypeError('no typed array');
  return found[1];
}

module.exports = { elementOf };
