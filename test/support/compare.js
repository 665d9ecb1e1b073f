// Comparing arrays element by element: to the bit, or within so many units in the last place.
//
// Any NaN equals any other one, since which NaN arithmetic makes is nobody's promise (docs/numerics.md, NaN; the same
// rule in C is gj_scalar_same_bits of src/ops/scalar.h); what only moves bits is compared by `bytesOf`. -0 and 0 differ. The
// distance of two floats is counted in floats: 1 for neighbours, also across powers of two, between the
// greatest number and infinity, and between 0 and the least subnormal.
'use strict';

const assert = require('node:assert/strict');

/** @typedef {import('graphjit').TypedArray} TypedArray */

/**
 * How far a result may be from the expected one.
 *
 * @typedef {object} Tolerance
 * @property {number} [ulp] in floats, 0 when left out
 * @property {number} [absolute] enough by itself
 */

const bytesOf = (/** @type {TypedArray} */ array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);

/** The place of a float in the order of floats; the zeros share one. @type {(array: TypedArray, index: number) => bigint} */
function rank(array, index) {
  const { buffer, byteOffset, BYTES_PER_ELEMENT: width } = array;
  const view = new DataView(buffer, byteOffset + index * width, width);
  if (width === 8) {
    const bits = view.getBigInt64(0, true);
    return bits < 0n ? -(bits & 0x7fffffffffffffffn) : bits;
  }
  const bits = view.getInt32(0, true);
  return BigInt(bits < 0 ? -(bits & 0x7fffffff) : bits);
}

/** The bits of the infinities of halves. @type {Record<string, number>} */
const INFINITY = { f16: 0x7c00, bf16: 0x7f80 };

/** Of two halves by their bits. @type {(a: number, b: number, infinity: number, tolerance: Tolerance) => boolean} */
function isHalfClose(a, b, infinity, { ulp = 0 }) {
  const [x, y] = [a & 0x7fff, b & 0x7fff];
  if (a === b || (x > infinity && y > infinity)) return true;
  const rankOf = (/** @type {number} */ bits) => (bits >> 15 ? -(bits & 0x7fff) : bits);
  const isZeros = x === 0 && y === 0;
  return x <= infinity && y <= infinity && !isZeros && Math.abs(rankOf(a) - rankOf(b)) <= ulp;
}

/** @type {(got: TypedArray, want: TypedArray, index: number, tolerance: Tolerance) => boolean} */
function isClose(got, want, index, { ulp = 0, absolute = 0 }) {
  const [a, b] = [got[index], want[index]];
  if (Object.is(a, b) || typeof a === 'bigint') return a === b || Object.is(a, b);
  if (!(got instanceof Float64Array || got instanceof Float32Array) || Number.isNaN(a) || Number.isNaN(b)) return false;
  if (Math.abs(a - Number(b)) <= absolute) return true;
  if (b === 0 && a === 0) return false; // the sign of zero is part of what an op promises
  const distance = rank(got, index) - rank(want, index);
  return (distance < 0n ? -distance : distance) <= BigInt(ulp);
}

/**
 * Asserts that two arrays agree, and says where they do not.
 *
 * @param {TypedArray} got
 * @param {TypedArray} want
 * @param {Tolerance} tolerance
 * @param {(index: number) => string} place what the message says of an element
 * @param {string} [dtype] of elements whose array does not tell
 */
function assertClose(got, want, tolerance, place, dtype = '') {
  assert.equal(got.length, want.length, `${place(0)}: length`);
  if (bytesOf(got).equals(bytesOf(want))) return;
  for (let i = 0; i < got.length; i++) {
    const isHalf = INFINITY[dtype] !== undefined;
    if (isHalf && isHalfClose(Number(got[i]), Number(want[i]), INFINITY[dtype], tolerance)) continue;
    if (!isHalf && isClose(got, want, i, tolerance)) continue;
    const show = (/** @type {number | bigint} */ x) => (Object.is(x, -0) ? '-0' : String(x));
    assert.fail(`${place(i)}: got ${show(got[i])}, expected ${show(want[i])} (tolerance ${JSON.stringify(tolerance)})`);
  }
}

/** Which kind of float an element is; whole numbers and bools are what they are. @type {(array: TypedArray, index: number, dtype: string) => string} */
function classOf(array, index, dtype) {
  const infinity = INFINITY[dtype];
  const value = array[index];
  if (infinity !== undefined) {
    const size = Number(value) & 0x7fff;
    return size > infinity ? 'NaN' : size < infinity ? 'a number' : Number(value) >> 15 ? '-Infinity' : 'Infinity';
  }
  if (!(array instanceof Float64Array || array instanceof Float32Array)) return String(value);
  return Number.isFinite(value) ? 'a number' : String(value);
}

/** Asserts that two arrays have NaN, each infinity and numbers at the same places, whatever the numbers are. @type {(got: TypedArray, want: TypedArray, dtype: string, title: string) => void} */
function assertSameClass(got, want, dtype, title) {
  assert.equal(got.length, want.length, `${title}: length`);
  for (let i = 0; i < got.length; i++) {
    const [a, b] = [classOf(got, i, dtype), classOf(want, i, dtype)];
    if (a !== b) assert.fail(`${title}: [${i}] is ${a}, expected ${b}`);
  }
}

module.exports = { assertClose, assertSameClass, bytesOf };
