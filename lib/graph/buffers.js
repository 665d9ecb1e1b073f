/**
 * What a program accepts as an input or an output array, brought to the one form that native code
 * takes: a typed array whose elements lie one after the other, from the first to the last.
 *
 * An input in any other order is copied into that form; an output never is, since the caller wants
 * the results in the array that was passed. Whether sizes fit is decided in C, where shapes are bound;
 * here a wrong kind of value is refused while its name is at hand.
 */
'use strict';

const { describe, expected, isAttached } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { allocate } = require('../tensor/allocate.js');
const { scalarDType, toElement } = require('../tensor/convert.js');
const { dtypeOf, dtypes, holds, plainArray } = require('../tensor/dtypes.js');
const { Tensor, readableOf } = require('../tensor/tensor.js');

/** @typedef {import('../tensor/dtypes.js').DType} DType */
/** @typedef {import('../tensor/dtypes.js').TypedArray} TypedArray */

/**
 * @typedef {object} Buffer
 * @property {TypedArray} data
 * @property {readonly number[] | null} shape null for a bare typed array, which fits any shape of its length
 */

/** @type {readonly number[]} */
const SCALAR_SHAPE = Object.freeze([]);

/**
 * @param {unknown} value a Tensor, a typed array, or a number, bigint or boolean for rank 0
 * @param {DType} dtype what the program was compiled for; nothing is converted
 * @param {string} which such as "input 'x'"
 * @param {string} caller
 * @returns {Buffer} without a copy unless the value is a tensor that is not contiguous
 * @throws {import('../base/errors.js').GraphError} ERR_DTYPE, ERR_ARGUMENT for other kinds of value,
 *   ERR_STATE for a tensor over a detached array
 */
function readInput(value, dtype, which, caller) {
  if (value instanceof Tensor) {
    checkDType(value.dtype, dtype, value, which, caller);
    return { data: readableOf(value, caller), shape: value.shape };
  }
  const own = dtypeOf(value);
  if (own !== undefined) return { data: readArray(value, own, dtype, which, caller), shape: null };
  if (scalarDType(value) !== undefined) {
    const info = dtypes[dtype];
    const data = allocate(info, 1, caller);
    data[0] = toElement(value, info, () => which, caller);
    return { data, shape: SCALAR_SHAPE };
  }
  return expected(caller, `a Tensor or a ${className(dtype)}`, which, value);
}

/**
 * @param {unknown} value a Tensor that is contiguous, or a typed array
 * @param {DType} dtype
 * @param {string} which such as "output 'z'"
 * @param {string} caller
 * @returns {Buffer} over the memory of `value`
 * @throws {import('../base/errors.js').GraphError} as readInput, and ERR_ARGUMENT for a tensor whose
 *   elements do not lie one after the other
 */
function readOutput(value, dtype, which, caller) {
  if (value instanceof Tensor) {
    checkDType(value.dtype, dtype, value, which, caller);
    if (value.isContiguous) return value.contiguous();
    const got = `${describe(value)} with strides [${value.strides.join(', ')}]`;
    return fail('ERR_ARGUMENT', `${caller}: expected a contiguous tensor for ${which}, got ${got}`);
  }
  const own = dtypeOf(value);
  if (own !== undefined) return { data: readArray(value, own, dtype, which, caller), shape: null };
  return expected(caller, `a Tensor or a ${className(dtype)}`, which, value);
}

/** @type {(dtype: DType) => string} */
const className = (dtype) => dtypes[dtype].arrayType.name;

/** @type {(value: any, own: DType, dtype: DType, which: string, caller: string) => TypedArray} */
function readArray(value, own, dtype, which, caller) {
  // A bool is a Uint8Array as well, and nothing about the array says which of the two is meant.
  if (!holds(own, dtype)) checkDType(own, dtype, value, which, caller);
  if (!isAttached(value)) fail('ERR_STATE', `${caller}: the array of ${which} is detached or was shortened`);
  return plainArray(value);
}

/** @type {(own: DType, dtype: DType, value: unknown, which: string, caller: string) => void} */
function checkDType(own, dtype, value, which, caller) {
  if (own !== dtype) {
    fail('ERR_DTYPE', `${caller}: expected ${dtype} for ${which}, got ${own} (${describe(value)})`);
  }
}

module.exports = { readInput, readOutput };
