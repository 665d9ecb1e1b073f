/** Fields of model files, each of which is hostile until it was read here. */
'use strict';

const { describe } = require('../base/check.js');
const { fail } = require('../base/errors.js');

/** Texts for numbers that JSON has not (json.js). */
const SPECIAL = new Set(['NaN', 'Infinity', '-Infinity']);

/** @type {(value: any) => value is Record<string, any>} */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @type {(value: unknown, where: string) => Record<string, any>} */
const objectAt = (value, where) =>
  isObject(value) ? value : fail('ERR_PARSE', `${where}: expected an object, got ${describe(value)}`);

/** @type {(value: unknown, where: string) => any[]} a list of any length, which may be a typed array */
const listAt = (value, where) =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value)
    ? /** @type {any} */ (value)
    : fail('ERR_PARSE', `${where}: expected an array, got ${describe(value)}`);

/** @type {(value: unknown, where: string) => string} */
const textAt = (value, where) =>
  typeof value === 'string' ? value : fail('ERR_PARSE', `${where}: expected a text, got ${describe(value)}`);

/** What is left out is false. @type {(value: unknown, where: string) => boolean} */
const flagAt = (value = false, where) =>
  typeof value === 'boolean' ? value : fail('ERR_PARSE', `${where}: expected a boolean, got ${describe(value)}`);

/** A number, or the text of one. @type {(value: unknown, where: string) => number} */
function numberAt(value, where) {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'string' && value.trim() !== '') {
    const number = SPECIAL.has(value) ? Number(value) : textNumber(value);
    if (number !== undefined) return number;
  }
  return fail('ERR_PARSE', `${where}: expected a number, got ${describe(value)}`);
}

/** As C prints numbers, infinities and NaN too. @type {(text: string) => number | undefined} */
function textNumber(text) {
  const number = Number(text);
  if (!Number.isNaN(number)) return number;
  const special = /^\s*([+-]?)(inf(?:inity)?|nan)\s*$/i.exec(text);
  if (special === null) return undefined;
  if (special[2].toLowerCase() === 'nan') return NaN;
  return special[1] === '-' ? -Infinity : Infinity;
}

/** @type {(value: unknown, where: string, least: number, most: number) => number} */
function integerAt(value, where, least, most) {
  const number = numberAt(value, where);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  return fail('ERR_PARSE', `${where}: expected an integer from ${least} to ${most}, got ${describe(value)}`);
}

const [LEAST, MOST] = [-(2 ** 31), 2 ** 31 - 1];

/** @type {(list: ArrayLike<unknown>, length: number | undefined, where: string) => void} */
function checkLength(list, length, where) {
  if (length !== undefined && list.length !== length)
    fail('ERR_PARSE', `${where}: expected ${length} elements, got ${list.length}`);
}

/** @type {(value: unknown, where: string, length?: number) => Int32Array} */
function integersAt(value, where, length) {
  const list = listAt(value, where);
  checkLength(list, length, where);
  const numbers = new Int32Array(list.length);
  for (let i = 0; i < list.length; i++) {
    const each = list[i];
    numbers[i] = each;
    if (numbers[i] !== each) numbers[i] = integerAt(each, where, LEAST, MOST);
  }
  return numbers;
}

/** @type {(value: unknown, where: string, length?: number) => Float64Array} */
function numbersAt(value, where, length) {
  const list = listAt(value, where);
  checkLength(list, length, where);
  const numbers = new Float64Array(list.length);
  for (let i = 0; i < list.length; i++) numbers[i] = typeof list[i] === 'number' ? list[i] : numberAt(list[i], where);
  return numbers;
}

/** @type {(value: unknown, count: number) => string[] | null} names, if there is one for each feature */
function namesAt(value, count) {
  if (!Array.isArray(value) || value.length !== count || count === 0) return null;
  return value.every((each) => typeof each === 'string') ? [...value] : null;
}

module.exports = {
  flagAt, integerAt, integersAt, isObject, listAt, namesAt, numberAt, numbersAt, objectAt, textAt, textNumber,
};
