/**
 * JavaScript values turned into elements: single numbers, nested arrays, typed arrays of another dtype.
 *
 * Nothing is lost in silence. A value that a dtype cannot hold (300 in a u8, 1.5 in an i32, 2 in a
 * bool) is an error that names the value and where it stands, and so is an array whose rows differ.
 * Rounding into floats is what those types are for and is no loss in this sense. Halves become bits.
 */
'use strict';

const { describe, isAttached } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { allocate } = require('./allocate.js');
const { dtypeOf, dtypes } = require('./dtypes.js');
const { oddNumber } = require('./halves.js');
const { MAX_RANK, sizeOf } = require('./views.js');

/** @typedef {import('./dtypes.js').DType} DType */
/** @typedef {import('./dtypes.js').DTypeInfo} DTypeInfo */
/** @typedef {import('./dtypes.js').TypedArray} TypedArray */
/** @typedef {{ readonly length: number, readonly [index: number]: unknown }} List */

/** @type {Readonly<Record<string, DType>>} */
const dtypeOfScalar = Object.freeze({ number: 'f64', boolean: 'bool', bigint: 'i64' });

/**
 * The dtype that one value stands for by itself.
 *
 * @type {(value: unknown) => DType | undefined} undefined for what is no number, bigint or boolean
 */
const scalarDType = (value) => dtypeOfScalar[typeof value];

/** @type {(value: unknown) => value is List} */
const isList = (value) => Array.isArray(value) || dtypeOf(value) !== undefined;

/** @type {(position: readonly number[]) => string} */
const place = (position) => (position.length === 0 ? 'the value' : `element [${position.join(', ')}]`);

/**
 * @param {unknown} value a number, bigint or boolean
 * @param {DTypeInfo} info
 * @param {() => string} where names the value in an error, only called for one
 * @param {string} caller
 * @returns {number | bigint} what the typed array stores
 * @throws {import('../base/errors.js').GraphError} ERR_DTYPE when the dtype cannot hold the value
 */
function toElement(value, info, where, caller) {
  if (scalarDType(value) === undefined) {
    return fail('ERR_DTYPE', `${caller}: expected a number for ${where()}, got ${describe(value)}`);
  }
  const number = /** @type {number} */ (value);
  if (info.half !== undefined) return info.half.encode(typeof value === 'bigint' ? oddNumber(value) : Number(number));
  if (info.kind === 'float') return Number(number);
  // Comparing a number with a bigint is exact, so 2 ** 63 is caught for i64 although it rounds.
  const whole = typeof value !== 'number' || Number.isInteger(value);
  if (!whole || number < info.min || number > info.max) {
    const { name, min, max } = info;
    const held = name === 'bool' ? 'true, false, 0 and 1' : `the integers ${min} to ${max}`;
    return fail('ERR_DTYPE', `${caller}: ${name} holds ${held}, ${where()} is ${describe(value)}`);
  }
  return info.big ? BigInt(number) : Number(number);
}

/** @type {(flat: number, shape: readonly number[]) => number[]} the indices of a contiguous element */
function positionIn(flat, shape) {
  const position = new Array(shape.length);
  let rest = flat;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    position[axis] = rest % shape[axis];
    rest = Math.floor(rest / shape[axis]);
  }
  return position;
}

/**
 * Copies elements that lie one after the other into a fresh array of another dtype.
 *
 * @param {{ data: TypedArray, dtype: DType, shape: readonly number[] }} source
 * @param {DTypeInfo} info
 * @param {string} caller
 * @returns {TypedArray}
 * @throws {import('../base/errors.js').GraphError} ERR_DTYPE when the dtype cannot hold an element
 */
function convertArray({ data, dtype, shape }, info, caller) {
  const target = allocate(info, data.length, caller);
  const { kind, big, half } = dtypes[dtype];
  const truths = kind === 'bool'; // of which any byte but 0 is true
  if (info.kind === 'float' && !info.half && !big && !truths && !half) {
    /** @type {Float64Array} */ (target).set(/** @type {Float64Array} */ (data));
    return target;
  }
  for (let i = 0; i < data.length; i++) {
    const value = half ? half.decode(Number(data[i])) : truths ? data[i] !== 0 : data[i];
    target[i] = toElement(value, info, () => place(positionIn(i, shape)), caller);
  }
  return target;
}

/**
 * Follows the first elements inwards.
 *
 * @param {unknown} value
 * @param {string} caller
 * @returns {{ shape: number[], dtype: DType, kind: string }} what the first elements make of the array;
 *   `kind` is the typeof that all elements share unless a dtype is given
 */
function survey(value, caller) {
  /** @type {number[]} */
  const shape = [];
  let level = value;
  while (isList(level)) {
    if (shape.length === MAX_RANK) {
      return fail('ERR_SHAPE', `${caller}: arrays are nested more than ${MAX_RANK} deep`);
    }
    shape.push(level.length);
    const dtype = dtypeOf(level);
    if (dtype !== undefined) return { shape, dtype, kind: dtypes[dtype].big ? 'bigint' : 'number' };
    if (level.length === 0) return { shape, dtype: 'f64', kind: 'number' };
    level = level[0];
  }
  const dtype = scalarDType(level);
  if (dtype === undefined) {
    const where = place(new Array(shape.length).fill(0));
    return fail('ERR_DTYPE', `${caller}: expected a number for ${where}, got ${describe(level)}`);
  }
  return { shape, dtype, kind: typeof level };
}

/** Copies nested arrays into one typed array, and knows where it is when something does not fit. */
class NestedReader {
  /**
   * @param {unknown} value
   * @param {DType | undefined} wanted
   * @param {string} caller
   */
  constructor(value, wanted, caller) {
    const { shape, dtype, kind } = survey(value, caller);
    this.caller = caller;
    this.shape = shape;
    this.dtype = wanted ?? dtype;
    this.info = dtypes[this.dtype];
    /** The typeof that all elements must share, if any. */
    this.kind = wanted === undefined ? kind : undefined;
    this.data = allocate(this.info, sizeOf(shape, caller), caller);
    this.next = 0;
    /** @type {number[]} */
    this.position = [];
    this.where = () => place(this.position);
    if (shape.length === 0) this.addElement(value);
    else this.addList(value);
  }

  /** The element that the first look went to, on the level of the present one. */
  first() {
    return place(this.position.map(() => 0));
  }

  /** @param {unknown} item */
  addElement(item) {
    if (isList(item)) {
      fail('ERR_SHAPE', `${this.caller}: ragged array: ${this.where()} is an array, ${this.first()} is not`);
    }
    if (this.kind !== undefined && typeof item !== this.kind && scalarDType(item) !== undefined) {
      const got = `${this.where()} is ${describe(item)}`;
      fail('ERR_DTYPE', `${this.caller}: ${got}, but ${this.first()} is a ${this.kind}: pass a dtype to mix them`);
    }
    this.data[this.next++] = toElement(item, this.info, this.where, this.caller);
  }

  /** @param {unknown} list */
  addList(list) {
    const { position, shape } = this;
    const depth = position.length;
    if (!isList(list)) {
      const got = `${this.where()} is ${describe(list)}`;
      fail('ERR_SHAPE', `${this.caller}: ragged array: ${got}, ${this.first()} is an array`);
    }
    if (list.length !== shape[depth]) {
      const got = `${this.where()} has length ${list.length}`;
      fail('ERR_SHAPE', `${this.caller}: ragged array: ${got}, ${this.first()} has ${shape[depth]}`);
    }
    if (!Array.isArray(list)) this.checkRow(/** @type {TypedArray} */ (list));
    if (this.info.half !== undefined && dtypeOf(list) === 'u16') return this.addBits(/** @type {Uint16Array} */ (list));
    for (let i = 0; i < list.length; i++) {
      position[depth] = i;
      if (depth + 1 === shape.length) this.addElement(list[i]);
      else this.addList(list[i]);
    }
    position.length = depth;
    return undefined;
  }

  /** @param {Uint16Array} row halves as they are */
  addBits(row) {
    this.data.set(/** @type {any} */ (row), this.next);
    this.next += row.length;
  }

  /** @param {TypedArray} row */
  checkRow(row) {
    if (!isAttached(row)) {
      fail('ERR_STATE', `${this.caller}: ${this.where()} is an array that is detached or was shortened`);
    }
    const own = dtypeOf(row);
    if (this.kind !== undefined && own !== this.dtype) {
      const got = `${this.where()} is ${own}`;
      fail('ERR_DTYPE', `${this.caller}: ${got}, the first row is ${this.dtype}: pass a dtype to mix them`);
    }
  }
}

/**
 * Nested arrays of equal rows as one typed array. Rows may be typed arrays.
 *
 * @param {unknown} value an array, or one number, bigint or boolean for rank 0
 * @param {DType | undefined} wanted the dtype, where the caller named one; else the first element says
 * @param {string} caller
 * @returns {{ data: TypedArray, dtype: DType, shape: number[] }}
 * @throws {import('../base/errors.js').GraphError} ERR_SHAPE for ragged arrays, ERR_DTYPE for elements that
 *   do not fit the dtype or, without a given dtype, differ in kind from the first one, ERR_STATE for
 *   rows that are detached
 */
function fromNested(value, wanted, caller) {
  const { data, dtype, shape } = new NestedReader(value, wanted, caller);
  return { data, dtype, shape };
}

/**
 * Refuses bytes other than 0 and 1 in an array that is about to be taken for bool.
 *
 * @param {TypedArray} data
 * @param {string} caller
 */
function checkTruth(data, caller) {
  for (let i = 0; i < data.length; i++) {
    if (data[i] > 1) fail('ERR_DTYPE', `${caller}: bool holds 0 and 1, ${place([i])} is ${data[i]}`);
  }
}

module.exports = { checkTruth, convertArray, fromNested, scalarDType, toElement };
