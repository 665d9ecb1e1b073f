/**
 * Values of columns for people and for files of text: dates and times as ISO 8601 has them, bytes in hexadecimal
 * digits, numbers with the fewest digits that read back as the same value. What expressions cannot use (structs, lists)
 * is JSON.
 */
'use strict';

const { textOfElement } = require('./elements.js');

/** @typedef {import('../columns/data/index.js').Column} Column */
/** @typedef {import('../columns/types/index.js').DataType} DataType */

/** Fractions of a second by unit. @type {Record<string, number>} */
const DIGITS = { s: 0, ms: 3, us: 6, ns: 9 };
const DAY = 86400n;
/** Days from 1970 that a Date has. */
const MOST_DAYS = 1e8;

/** @type {(value: bigint, by: bigint) => [bigint, bigint]} quotient, rounded down, and rest */
function divided(value, by) {
  const rest = ((value % by) + by) % by;
  return [(value - rest) / by, rest];
}

/** @type {(days: number) => string} */
function dateText(days) {
  if (Math.abs(days) > MOST_DAYS) return `day ${days}`;
  const text = new Date(days * Number(DAY) * 1000).toISOString();
  return text.slice(0, text.indexOf('T'));
}

/** Of a day. @type {(count: bigint, unit: string) => string} */
function clockText(count, unit) {
  const [seconds, fraction] = divided(count, 10n ** BigInt(DIGITS[unit]));
  const parts = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n].map((part) => String(part).padStart(2, '0'));
  return `${parts.join(':')}${unit === 's' ? '' : `.${String(fraction).padStart(DIGITS[unit], '0')}`}`;
}

/** @type {(count: bigint, unit: string, zone: string | undefined) => string} */
function stampText(count, unit, zone) {
  const [days, rest] = divided(count, DAY * 10n ** BigInt(DIGITS[unit]));
  return `${dateText(Number(days))}T${clockText(rest, unit)}${zone === undefined ? '' : 'Z'}`;
}

/** As ISO 8601 has it, which literals of intervals take. @type {(value: { months: number, days: number, nanoseconds: bigint }) => string} */
function intervalText({ months, days, nanoseconds }) {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const digits = String(size).padStart(10, '0');
  const seconds = `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, '');
  const parts = [months === 0 ? '' : `${months}M`, days === 0 ? '' : `${days}D`];
  const time = size === 0n ? '' : `T${nanoseconds < 0n ? '-' : ''}${seconds === '' ? '0' : seconds}S`;
  const text = `${parts.join('')}${time}`;
  return `P${text === '' ? '0D' : text}`;
}

/** @type {(bytes: Uint8Array) => string} */
const hex = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

/** Rows that are there, by kind: what JSON has for them. @type {Record<string, (column: Column) => (row: number) => unknown>} */
const readers = {
  date: ({ type, values }) =>
    type.bits === 32 ? (row) => dateText(values[row]) : (row) => dateText(Number(divided(values[row], DAY * 1000n)[0])),
  time: ({ type, values }) => (row) => clockText(BigInt(values[row]), /** @type {string} */ (type.unit)),
  timestamp: ({ type, values }) => (row) => stampText(values[row], /** @type {string} */ (type.unit), type.zone),
  duration: ({ type, values }) => (row) => `${values[row]} ${type.unit}`,
  interval: (column) => (row) => intervalText(column.get(row)),
  binary: (column) => (row) => hex(column.get(row)),
};

/**
 * What JSON has for the rows of a column: numbers, truths, texts, null.
 *
 * @param {Column} column
 * @returns {(row: number) => unknown}
 */
function valueReader(column) {
  const { type, validity, values, dictionary } = column;
  const get = (/** @type {number} */ row) => column.get(row);
  if (dictionary !== undefined) {
    const inner = valueReader(dictionary);
    return (row) => (validity !== null && get(row) === null ? null : inner(Number(values[row])));
  }
  const read = readers[type.kind]?.(column);
  return read === undefined ? get : (row) => (get(row) === null ? null : read(row));
}

/** What only apache-arrow can show. @type {(value: unknown) => unknown} */
const plain = (value) =>
  JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each)) ?? 'null');

/** @type {(value: unknown, type: DataType | undefined) => string} */
function textOf(value, type) {
  if (typeof value === 'number') return textOfElement(value, type?.dtype ?? 'f64');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

module.exports = { plain, textOf, valueReader };
