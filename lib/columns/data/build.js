/**
 * JavaScript values as columns: arrays of numbers, texts, truths, bigints, dates, bytes and nulls.
 *
 * This copies, since such values are no buffers, and happens whenever the array is read: a program that asks more
 * than once makes a table first. Without a type, what the values are decides: numbers are float64, bigints int64 (or
 * uint64 where one needs it), dates timestamp[ms]. With a type each value must fit into it; nothing is rounded but
 * floats. Where there is no value there is null; undefined counts as null, and so do holes.
 */
'use strict';

const { describe } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { halves } = require('../../tensor/halves.js');
const types = require('../types/index.js');
const { packBits } = require('./bitmaps.js');
const { Column } = require('./column.js');
const { byteLength, encoded, encodeInto, isWellFormed, uncleared } = require('./text.js');

/** @typedef {import('../types/data-types.js').DataType} DataType */
/** @typedef {readonly any[]} List */
/** @typedef {(row: number, wanted: string, value: unknown) => never} Wrong */

const f16 = /** @type {import('../../tensor/halves.js').Half} */ (halves.f16);
const DAY = 86400000;

/** @type {(value: unknown) => boolean} */
const isMissing = (value) => value === null || value === undefined;

/** @type {(value: any) => string} */
const sortOf = (value) =>
  value instanceof Date ? 'date' : value instanceof Uint8Array ? 'binary' : typeof value;

const INT64_MAX = 2n ** 63n - 1n;

/** @type {Record<string, (list: List) => DataType>} */
const inferred = {
  number: () => types.float64,
  string: () => types.utf8,
  boolean: () => types.bool,
  bigint: (list) => (list.some((value) => !isMissing(value) && value > INT64_MAX) ? types.uint64 : types.int64),
  date: () => types.timestamp('ms'),
  binary: () => types.binary,
};

/** @type {(list: List) => any} the first value that decides what the others are */
const firstOf = (list) => list.find((value) => !isMissing(value));

/** What columns are made of, undefined of values that none is made of. @type {(list: List) => DataType | undefined} */
function typeOfList(list) {
  const first = firstOf(list);
  return first === undefined ? types.none : inferred[sortOf(first)]?.(list);
}

/** @type {(list: List, name: string) => never} */
function refuseList(list, name) {
  const wanted = 'numbers, bigints, strings, booleans, dates, Uint8Arrays or null';
  return fail('ERR_DTYPE', `table: expected ${wanted} in column '${name}', got ${describe(firstOf(list))}`);
}

/** @type {(type: DataType) => [bigint, bigint]} */
function rangeOf({ bits, signed }) {
  const size = BigInt(bits);
  return signed ? [-(2n ** (size - 1n)), 2n ** (size - 1n) - 1n] : [0n, 2n ** size - 1n];
}

/** Integers from numbers, bigints and moments. @type {(type: DataType, wrong: Wrong, fromDate?: (ms: number) => number) => (value: any, row: number) => number | bigint} */
function integers(type, wrong, fromDate) {
  const [low, high] = rangeOf({ ...type, signed: type.kind !== 'int' || type.signed });
  const isBig = type.array === BigInt64Array || type.array === BigUint64Array;
  const wanted = fromDate ? `a Date or an integer for ${type.text}` : `an integer from ${low} to ${high}`;
  return (value, row) => {
    const number = fromDate && value instanceof Date ? fromDate(value.getTime()) : value;
    const whole = typeof number === 'bigint' || Number.isSafeInteger(number);
    if (!whole || number < low || number > high) return wrong(row, wanted, value);
    return isBig ? BigInt(number) : Number(number);
  };
}

/** @type {(value: bigint) => boolean} */
const isDouble = (value) => Number.isFinite(Number(value)) && BigInt(Number(value)) === value;

/** @type {(type: DataType, wrong: Wrong) => (value: any, row: number) => number} */
function floats(type, wrong) {
  return (value, row) => {
    if (typeof value === 'bigint' && !isDouble(value)) return wrong(row, 'a number that a float64 holds', value);
    if (typeof value !== 'number' && typeof value !== 'bigint') return wrong(row, 'a number', value);
    return type.bits === 16 ? f16.encode(Number(value)) : Number(value);
  };
}

/** Milliseconds to a unit. @type {Record<string, (ms: number) => any>} */
const FROM_MILLISECONDS = {
  day: (ms) => Math.floor(ms / DAY),
  s: (ms) => Math.floor(ms / 1000),
  ms: (ms) => ms,
  us: (ms) => BigInt(ms) * 1000n,
  ns: (ms) => BigInt(ms) * 1000000n,
};

/** A date that is none is NaN, which is no integer either. @type {(type: DataType, wrong: Wrong) => (value: any, row: number) => any} */
function moments(type, wrong) {
  const convert = FROM_MILLISECONDS[/** @type {string} */ (type.unit)];
  return integers(type, wrong, (ms) => (Number.isNaN(ms) ? ms : convert(ms)));
}

/** By kind. @type {Record<string, (type: DataType, wrong: Wrong) => (value: any, row: number) => any>} */
const encoders = {
  int: (type, wrong) => integers(type, wrong),
  float: floats,
  date: moments,
  timestamp: moments,
  time: (type, wrong) => integers(type, wrong),
  duration: (type, wrong) => integers(type, wrong),
};

/** Holes are undefined for `includes`, and nothing for callbacks. @type {(list: List) => Uint8Array | null} */
function validityOf(list) {
  const isWhole = !list.includes(null) && !list.includes(undefined);
  return isWhole ? null : packBits(list.length, (row) => !isMissing(list[row]));
}

/** @type {(type: DataType, list: List, wrong: Wrong) => Column} */
function fixed(type, list, wrong) {
  const encode = encoders[type.kind](type, wrong);
  const values = new type.array(list.length);
  for (let row = 0; row < list.length; row++) if (!isMissing(list[row])) values[row] = encode(list[row], row);
  return new Column(type, list.length, { values, validity: validityOf(list) });
}

/** @type {(type: DataType, list: List, wrong: Wrong) => Column} */
function truths(type, list, wrong) {
  list.forEach((value, row) => isMissing(value) || typeof value === 'boolean' || wrong(row, 'a boolean', value));
  const values = packBits(list.length, (row) => list[row] === true);
  return new Column(type, list.length, { values, validity: validityOf(list) });
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?$/;

/** @type {(type: DataType, text: string) => bigint | undefined} the number without its point, undefined where it does not fit */
function parseDecimal({ precision, scale }, text) {
  const match = DECIMAL.exec(text.trim());
  if (match === null) return undefined;
  const [, sign, whole, part = ''] = match;
  const kept = part.slice(0, scale).padEnd(scale, '0');
  const fits = whole.length + part.length > 0 && !/[^0]/.test(part.slice(scale));
  const size = BigInt(`0${whole}${kept}`);
  return fits && size < 10n ** BigInt(precision) ? (sign === '-' ? -size : size) : undefined;
}

/** @type {(type: DataType, list: List, wrong: Wrong) => Column} */
function decimals(type, list, wrong) {
  const values = new Uint32Array(4 * list.length);
  list.forEach((value, row) => {
    if (isMissing(value)) return;
    const known = ['string', 'number', 'bigint'].includes(typeof value);
    const parsed = known ? parseDecimal(type, String(value)) : undefined;
    const bits = BigInt.asUintN(128, parsed ?? wrong(row, `a number or text that ${type.text} holds`, value));
    for (let word = 0; word < 4; word++) values[4 * row + word] = Number(BigInt.asUintN(32, bits >> BigInt(32 * word)));
  });
  return new Column(type, list.length, { values, validity: validityOf(list) });
}

/** A text of all strings, below the longest that engines make. */
const JOINABLE = 2 ** 28;
const MOST_BYTES = 2 ** 31 - 1;

/** @type {(list: List, wrong: Wrong) => number} code units */
function unitsOf(list, wrong) {
  let units = 0;
  list.forEach((value, row) => {
    if (typeof value === 'string') units += value.length;
    else if (!isMissing(value)) wrong(row, 'a string', value);
  });
  return units;
}

/** Bytes of all strings where each character is one. @type {(list: List, units: number) => Uint8Array | undefined} */
function joinedAscii(list, units) {
  if (units > JOINABLE) return undefined;
  // The engine writes null and undefined as nothing.
  const bytes = encoded(list.join(''));
  return bytes.length === units ? bytes : undefined;
}

/** @type {(list: List, sizeOf: (value: any) => number, name: string) => Int32Array} */
function offsetsOf(list, sizeOf, name) {
  const offsets = new Int32Array(list.length + 1);
  let at = 0;
  for (let row = 0; row < list.length; row++) {
    if (!isMissing(list[row])) at += sizeOf(list[row]);
    if (at > MOST_BYTES) fail('ERR_OVERFLOW', `table: column '${name}' has more than ${MOST_BYTES} bytes; use chunks`);
    offsets[row + 1] = at;
  }
  return offsets;
}

/** @type {(type: DataType, list: List, wrong: Wrong, name: string) => Column} */
function texts(type, list, wrong, name) {
  const validity = validityOf(list);
  const plain = joinedAscii(list, unitsOf(list, wrong));
  if (plain !== undefined) {
    const offsets = offsetsOf(list, (text) => text.length, name);
    return new Column(type, list.length, { values: plain, offsets, validity, ascii: true });
  }
  list.forEach((text, row) => isMissing(text) || isWellFormed(text) || wrong(row, 'a text without half a character', text));
  const offsets = offsetsOf(list, byteLength, name);
  const values = uncleared(offsets[list.length]);
  list.forEach((text, row) => isMissing(text) || encodeInto(text, values, offsets[row]));
  return new Column(type, list.length, { values, offsets, validity });
}

/** @type {(type: DataType, list: List, wrong: Wrong, name: string) => Column} */
function blobs(type, list, wrong, name) {
  list.forEach((value, row) => isMissing(value) || value instanceof Uint8Array || wrong(row, 'a Uint8Array', value));
  const offsets = offsetsOf(list, (value) => value.length, name);
  const values = new Uint8Array(offsets[list.length]);
  list.forEach((value, row) => isMissing(value) || values.set(value, offsets[row]));
  return new Column(type, list.length, { values, offsets, validity: validityOf(list) });
}

/** @type {(type: DataType, list: List, wrong: Wrong) => Column} */
function nulls(type, list, wrong) {
  list.forEach((value, row) => isMissing(value) || wrong(row, 'null', value));
  return new Column(type, list.length, { validity: packBits(list.length, () => false) });
}

/** @type {Record<string, (type: DataType, list: List, wrong: Wrong, name: string) => Column>} */
const builders = { bool: truths, utf8: texts, binary: blobs, decimal: decimals, null: nulls };
for (const kind of Object.keys(encoders)) builders[kind] = fixed;

/**
 * @param {List} list
 * @param {string} name
 * @param {DataType} [type]
 * @returns {Column}
 */
function buildColumn(list, name, type = typeOfList(list) ?? refuseList(list, name)) {
  const build = builders[type.kind];
  if (build === undefined) return fail('ERR_UNSUPPORTED', `table: column '${name}' of ${type.text} cannot be made of an array`);
  return build(type, list, (row, wanted, value) =>
    fail('ERR_DTYPE', `table: expected ${wanted} in column '${name}', row ${row}, got ${describe(value)}`), name);
}

module.exports = { buildColumn, refuseList, typeOfList };
