/**
 * JavaScript values turned into elements: single numbers, nested arrays, typed arrays of another dtype.
 *
 * Nothing is lost in silence. A value that a dtype cannot hold (300 in a u8, 1.5 in an i32, 2 in a
 * bool) is an error that names the value and where it stands, and so is an array whose rows differ.
 * Rounding into f64 and f32 is what those types are for and is no loss in this sense.
 */
'use strict';

const { allocate } = require('./allocate.js');
const { describe } = require('./check.js');
const { dtypeOf, dtypes, storageOf } = require('./dtypes.js');
const { fail } = require('./errors.js');
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
 * @throws {import('./errors.js').GraphError} ERR_DTYPE when the dtype cannot hold the value
 */
function toElement(value, info, where, caller) {
  if (scalarDType(value) === undefined) {
    return fail('ERR_DTYPE', `${caller}: expected a number for ${where()}, got ${describe(value)}`);
  }
  const number = /** @type {number} */ (value);
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

/**
 * Copies the elements of one typed array into a fresh one of another dtype.
 *
 * @param {TypedArray} source
 * @param {DTypeInfo} info
 * @param {string} caller
 * @returns {TypedArray}
 */
function convertArray(source, info, caller) {
  const target = allocate(info, source.length, caller);
  const plain = source[0] === undefined || typeof source[0] === 'number';
  if (info.kind === 'float' && plain) {
    /** @type {Float64Array} */ (target).set(/** @type {Float64Array} */ (source));
    return target;
  }
  for (let i = 0; i < source.length; i++) {
    target[i] = toElement(source[i], info, () => place([i]), caller);
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

/**
 * Nested arrays of equal rows as one typed array. Rows may be typed arrays.
 *
 * @param {unknown} value an array, or one number, bigint or boolean for rank 0
 * @param {DType | undefined} wanted the dtype, where the caller named one; else the first element says
 * @param {string} caller
 * @returns {{ data: TypedArray, dtype: DType, shape: number[] }}
 * @throws {import('./errors.js').GraphError} ERR_SHAPE for ragged arrays, ERR_DTYPE for elements that
 *   do not fit the dtype or, without a given dtype, differ in kind from the first one
 */
function fromNested(value, wanted, caller) {
  const { shape, dtype: found, kind } = survey(value, caller);
  const dtype = wanted ?? found;
  const info = storageOf(dtype, caller);
  const data = allocate(info, sizeOf(shape, caller), caller);
  /** @type {number[]} */
  const position = [];
  const where = () => place(position);
  const likeFirst = () => place(position.map(() => 0));
  let next = 0;

  /** @type {(item: unknown) => void} */
  const addElement = (item) => {
    if (isList(item)) {
      fail('ERR_SHAPE', `${caller}: ragged array: ${where()} is an array, ${likeFirst()} is not`);
    }
    const mixed = typeof item !== kind && scalarDType(item) !== undefined;
    if (wanted === undefined && mixed) {
      const got = `${where()} is ${describe(item)}`;
      fail('ERR_DTYPE', `${caller}: ${got}, but ${likeFirst()} is a ${kind}: pass a dtype to mix them`);
    }
    data[next++] = toElement(item, info, where, caller);
  };

  /** @type {(list: unknown) => void} */
  const addList = (list) => {
    const depth = position.length;
    if (!isList(list)) {
      const got = `${where()} is ${describe(list)}`;
      fail('ERR_SHAPE', `${caller}: ragged array: ${got}, ${likeFirst()} is an array`);
    }
    if (list.length !== shape[depth]) {
      const got = `${where()} has length ${list.length}`;
      fail('ERR_SHAPE', `${caller}: ragged array: ${got}, ${likeFirst()} has ${shape[depth]}`);
    }
    const row = dtypeOf(list);
    if (wanted === undefined && row !== undefined && row !== dtype) {
      fail('ERR_DTYPE', `${caller}: ${where()} is ${row}, the first row is ${dtype}: pass a dtype to mix them`);
    }
    for (let i = 0; i < list.length; i++) {
      position[depth] = i;
      if (depth + 1 === shape.length) addElement(list[i]);
      else addList(list[i]);
    }
    position.length = depth;
  };

  if (shape.length === 0) addElement(value);
  else addList(value);
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
