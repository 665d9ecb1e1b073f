/**
 * What programs give as intervals, as sorted ones that do not overlap.
 *
 *   [[low, high, value], …]      an iterable
 *   { lows, highs, values }      arrays, typed or not
 *
 * An interval is [low, high), or [low, high] where the option `inclusive` says so. Inside both ends are included: an
 * excluded end becomes the f64 or the integer before it.
 */
'use strict';

const { describe, expected } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { isIterable, isList } = require('./entries.js');
const { orderOf, wideWords } = require('./intervals.js');
const { plain } = require('./words.js');

/** @typedef {import('./intervals.js').Intervals} Intervals */
/** @typedef {import('./intervals.js').IntervalKind} IntervalKind */
/** @typedef {{ lows: any, highs: any, values: any }} Columns */

/** @type {(caller: string, ranges: any) => Columns} */
function columnsOf(caller, ranges) {
  if (typeof ranges !== 'object' || ranges === null) return expected(caller, 'an iterable of [low, high, value] or an object', 'ranges', ranges);
  if (!isIterable(ranges)) return checked(caller, ranges);
  /** @type {{ lows: any[], highs: any[], values: any[] }} */
  const columns = { lows: [], highs: [], values: [] };
  for (const range of ranges) {
    if (typeof range !== 'object' || range === null) expected(caller, '[low, high, value]', `range ${columns.lows.length}`, range);
    columns.lows.push(range[0]);
    columns.highs.push(range[1]);
    columns.values.push(range[2]);
  }
  return columns;
}

/** @type {(caller: string, columns: any) => Columns} */
function checked(caller, given) {
  const [lows, highs, values] = [given.lows, given.highs, given.values].map((list) => plain(list) ?? list);
  for (const [name, list] of Object.entries({ lows, highs, values })) {
    if (!isList(list)) expected(caller, 'an array', `'${name}'`, list);
    if (list.length !== lows.length) fail('ERR_ARGUMENT', `${caller}: '${name}' has ${list.length} elements and 'lows' ${lows.length}`);
  }
  return { lows, highs, values: values.slice() };
}

const view = new DataView(new ArrayBuffer(8));

/** The f64 before one. @type {(x: number) => number} */
function before(x) {
  if (x === 0) return -Number.MIN_VALUE;
  view.setFloat64(0, x);
  view.setBigInt64(0, view.getBigInt64(0) + (x > 0 ? -1n : 1n));
  return view.getFloat64(0);
}

/** The last key of an interval, whose ends are of one type. @type {(low: any, high: any, inclusive: boolean) => any} */
function lastOf(low, high, inclusive) {
  if (inclusive) return high;
  return typeof high === 'bigint' ? high - 1n : before(high);
}

/** @type {(caller: string, columns: Columns, inclusive: boolean) => { lows: any[], lasts: any[] }} */
function endsOf(caller, { lows, highs }, inclusive) {
  const type = typeof lows[0];
  if (lows.length > 0 && type !== 'number' && type !== 'bigint') expected(caller, 'a number or a bigint', 'low of range 0', lows[0]);
  const lasts = new Array(lows.length);
  for (let i = 0; i < lows.length; i++) {
    const [low, high] = [lows[i], highs[i]];
    for (const [name, end] of Object.entries({ low, high })) {
      if (typeof end !== type || Number.isNaN(end)) expected(caller, `a ${type}`, `${name} of range ${i}`, end);
    }
    if (inclusive ? high < low : high <= low) {
      fail('ERR_ARGUMENT', `${caller}: range ${i} has nothing in it, from ${describe(low)} to ${describe(high)}`);
    }
    lasts[i] = lastOf(low, high, inclusive);
  }
  return { lows: Array.from(lows), lasts };
}

/** The narrowest kind that holds all ends. @type {(lows: readonly any[], lasts: readonly any[]) => IntervalKind} */
function kindOf(lows, lasts) {
  if (lows.length === 0 || typeof lows[0] === 'number') return 'number';
  const least = lows.reduce((a, b) => (a < b ? a : b));
  const most = lasts.reduce((a, b) => (a > b ? a : b));
  if (least >= -(2n ** 63n) && most < 2n ** 63n) return 'signed';
  if (least < 0n) return 'any';
  return most < 2n ** 64n ? 'unsigned' : most < 2n ** 128n ? 'wide' : 'any';
}

/** @type {Record<Exclude<IntervalKind, 'wide'>, any>} */
const CLASSES = { number: Float64Array, signed: BigInt64Array, unsigned: BigUint64Array, any: Array };

/** @type {(lows: Uint32Array, highs: Uint32Array) => Intervals} */
function wideInOrder(lows, highs) {
  const indices = orderOf('wide', lows);
  const moved = (/** @type {Uint32Array} */ words) => words.map((_, i) => words[4 * indices[i >> 2] + (i & 3)]);
  return { kind: 'wide', lows: moved(lows), highs: moved(highs), indices };
}

/**
 * Intervals in order.
 *
 * @param {readonly any[]} lows
 * @param {readonly any[]} lasts
 * @returns {Intervals}
 */
function inOrder(lows, lasts) {
  const kind = kindOf(lows, lasts);
  if (kind === 'wide') return wideInOrder(wideWords(lows), wideWords(lasts));
  const Class = CLASSES[kind];
  const indices = orderOf(kind, Class.from(lows));
  return { kind, lows: Class.from(indices, (/** @type {number} */ i) => lows[i]), highs: Class.from(indices, (/** @type {number} */ i) => lasts[i]), indices };
}

/**
 * @param {string} caller
 * @param {any} ranges
 * @param {boolean} inclusive
 * @returns {{ intervals: Intervals, values: any }}
 */
function readRanges(caller, ranges, inclusive) {
  const columns = columnsOf(caller, ranges);
  const { lows, lasts } = endsOf(caller, columns, inclusive);
  const intervals = inOrder(lows, lasts);
  const { indices } = intervals;
  for (let i = 1; i < indices.length; i++) {
    if (lows[indices[i]] > lasts[indices[i - 1]]) continue;
    const text = (/** @type {number} */ at) => `range ${at} (${describe(lows[at])} to ${describe(columns.highs[at])})`;
    fail('ERR_ARGUMENT', `${caller}: ${text(indices[i - 1])} and ${text(indices[i])} overlap`);
  }
  return { intervals, values: columns.values };
}

module.exports = { readRanges };
