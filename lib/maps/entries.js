/**
 * What programs give as entries and keys, as arrays of keys of one kind and of values.
 *
 *   compileMap   a Map, an iterable of [key, value], { keys, values } with arrays, an object by its own names
 *   compileSet   an iterable of keys, a typed array
 */
'use strict';

const { describe, expected, isAttached } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { classOf, isBigArray, plain } = require('./words.js');

/** @typedef {import('./words.js').Kind} Kind */
/** Keys: a Float64Array, a BigInt64Array, a BigUint64Array or an array of strings. @typedef {{ kind: Kind, keys: any, values: any }} Entries */

/** Most entries, whose indices are to fit 32 bits and tables an array. */
const MOST = 2 ** 28;

const MOST_SIGNED = 2n ** 63n;
const MOST_UNSIGNED = 2n ** 64n;

/** @type {(value: any) => boolean} */
const isIterable = (value) => typeof value?.[Symbol.iterator] === 'function';
/** @type {(value: any) => boolean} */
const isList = (value) => Array.isArray(value) || classOf(value) !== undefined;

/**
 * Refuses bigints that no kind holds all of.
 *
 * @param {string} caller
 * @param {readonly bigint[]} keys
 * @param {ArrayLike<bigint>} [more] of one kind, or none
 * @returns {'signed' | 'unsigned'}
 */
function checkBigints(caller, keys, more = []) {
  let [least, most] = [0n, 0n];
  for (const list of [keys, more]) {
    for (let i = 0; i < list.length; i++) {
      if (list[i] < least) least = list[i];
      if (list[i] > most) most = list[i];
    }
  }
  if (most < MOST_SIGNED && least >= -MOST_SIGNED) return 'signed';
  if (least >= 0n && most < MOST_UNSIGNED) return 'unsigned';
  const got = `got ${describe(least)} and ${describe(most)}`;
  return fail('ERR_ARGUMENT', `${caller}: expected bigints from -2^63 to 2^63 - 1 or from 0 to 2^64 - 1 as keys, ${got}`);
}

/** Refuses texts that are none in UTF-8. @type {(caller: string, texts: readonly string[]) => void} */
function checkPaired(caller, texts) {
  const other = texts.findIndex((text) => !(/** @type {any} */ (text).isWellFormed()));
  if (other >= 0) fail('ERR_UNSUPPORTED', `${caller}: UTF-8 has no half characters, such as in ${describe(texts[other])}`);
}

/** @type {(caller: string, keys: readonly bigint[]) => { kind: Kind, keys: any }} */
function bigints(caller, keys) {
  const kind = checkBigints(caller, keys);
  return { kind, keys: kind === 'signed' ? BigInt64Array.from(keys) : BigUint64Array.from(keys) };
}

/** Copied, with 0 in place of -0, as a Map has it. @type {(keys: ArrayLike<number>) => Float64Array} */
function numbers(keys) {
  const own = Float64Array.from(keys);
  for (let i = 0; i < own.length; i++) own[i] += 0;
  return own;
}

/** @type {(caller: string, keys: readonly any[]) => { kind: Kind, keys: any }} */
function ofOneType(caller, keys) {
  const type = keys.length === 0 ? 'number' : typeof keys[0];
  if (!['number', 'bigint', 'string'].includes(type)) return expected(caller, 'a number, a bigint or a string', 'key 0', keys[0]);
  for (let i = 0; i < keys.length; i++) if (typeof keys[i] !== type) return expected(caller, `a ${type} as the keys before`, `key ${i}`, keys[i]);
  if (type === 'bigint') return bigints(caller, keys);
  return type === 'number' ? { kind: 'number', keys: numbers(keys) } : { kind: 'string', keys: [...keys] };
}

/** Keys of one kind, copied. @type {(caller: string, keys: any) => { kind: Kind, keys: any }} */
function kindOfKeys(caller, keys) {
  if (keys.length > MOST) fail('ERR_OVERFLOW', `${caller}: ${keys.length} keys, the most are ${MOST}`);
  if (!ArrayBuffer.isView(keys)) return ofOneType(caller, keys);
  if (!isAttached(/** @type {any} */ (keys))) fail('ERR_STATE', `${caller}: the keys are detached`);
  if (!isBigArray(keys)) return { kind: 'number', keys: numbers(/** @type {any} */ (keys)) };
  const copy = /** @type {any} */ (keys).slice();
  return { kind: copy instanceof BigInt64Array ? 'signed' : 'unsigned', keys: copy };
}

/** @type {(caller: string, entries: Iterable<any>) => Entries} */
function pairs(caller, entries) {
  /** @type {any[]} */
  const keys = [];
  /** @type {any[]} */
  const values = [];
  for (const entry of entries) {
    if (typeof entry !== 'object' || entry === null) expected(caller, '[key, value]', `entry ${keys.length}`, entry);
    keys.push(entry[0]);
    values.push(entry[1]);
  }
  return { ...kindOfKeys(caller, keys), values };
}

/** @type {(caller: string, entries: any) => Entries} */
function columns(caller, given) {
  const [keys, values] = [given.keys, given.values].map((list) => plain(list) ?? list);
  if (!isList(keys)) expected(caller, 'an array', "'keys'", keys);
  if (!isList(values)) expected(caller, 'an array', "'values'", values);
  if (ArrayBuffer.isView(values) && !isAttached(/** @type {any} */ (values))) fail('ERR_STATE', `${caller}: 'values' are detached`);
  if (keys.length !== values.length) {
    fail('ERR_ARGUMENT', `${caller}: 'keys' has ${keys.length} elements and 'values' ${values.length}`);
  }
  return { ...kindOfKeys(caller, keys), values: values.slice() };
}

/** @type {(caller: string, entries: any) => Entries} */
function readEntries(caller, entries) {
  if (typeof entries !== 'object' || entries === null) return expected(caller, 'a Map, an iterable of [key, value] or an object', 'entries', entries);
  if (isIterable(entries)) return pairs(caller, entries);
  const names = Object.keys(entries);
  const isObject = typeof entries.keys === 'object' || typeof entries.values === 'object';
  if (names.length === 2 && names.includes('keys') && names.includes('values') && isObject) return columns(caller, entries);
  const prototype = Object.getPrototypeOf(entries);
  // What is made by a class has its entries elsewhere, as a promise has.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    return expected(caller, 'a Map, an iterable of [key, value] or a plain object', 'entries', entries);
  return { kind: 'string', keys: names, values: Object.values(entries) };
}

/** @type {(caller: string, keys: any) => Entries} */
function readKeys(caller, keys) {
  if (typeof keys !== 'object' || keys === null || !isIterable(keys)) return expected(caller, 'an iterable of keys', 'keys', keys);
  return { ...kindOfKeys(caller, plain(keys) ?? [...keys]), values: null };
}

module.exports = { checkBigints, checkPaired, isIterable, isList, readEntries, readKeys };
