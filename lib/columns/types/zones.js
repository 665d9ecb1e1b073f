/**
 * Time zones as tables of offsets, which compiled code gets as constants (src/library/dates/zones.h has the layout).
 *
 * The only data about zones that every engine carries is behind Intl, which formats an instant with its offset. So
 * the instants at which the offset changes are searched for: by comparing offsets some days apart, and by bisection
 * where they differ. That takes some hundredths of a second for a zone and is kept. Six days are less than any summer
 * time was suspended for, but four days of Freetown in 1939, which are missed. Before 1900 hardly anything but the end
 * of local mean time happens, and before 1800 the first offset is taken to hold.
 *
 * Rules repeat with the calendar, so a table ends with 28 years of every kind, and years after them go by the one of
 * these that is like them: leap or not and with the same first weekday.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { daysOf, floorDiv, isLeap, yearOf } = require('./calendar.js');
const { fixedOffset, zoneFormat } = require('./zone-names.js');

/**
 * @typedef {object} ZoneTable
 * @property {string} name as it was asked for
 * @property {number} count of rows
 * @property {BigInt64Array} starts seconds since 1970 in UTC, ascending; the first is the least int64
 * @property {Int32Array} offsets from that start on, what to add to UTC for local time, in seconds
 * @property {Uint8Array} bytes the memory of both, starts first, as compiled code reads it
 */

const DAY = 86400;
/** The first of the years that later ones go by, GJL_ZONE_YEARS, and the end of the table. */
const LAST_YEARS = 2101;
const END = daysOf(LAST_YEARS + 28, 1, 1) * DAY;
const FIRST = daysOf(1800, 1, 1) * DAY;
const CLOSER = daysOf(1900, 1, 1) * DAY;
/** Years that are 28 apart are alike where no century is between them, and their changes likely are. */
const LIKE = 28 * 365.25 * DAY;

/** @type {Map<string, ZoneTable>} */
const tables = new Map();

/**
 * The table of a zone: 'Europe/Berlin', 'UTC', 'Z', '+05:30', '-0800', '+01'.
 *
 * @param {string} name
 * @returns {ZoneTable}
 */
function zoneTable(name) {
  const known = tables.get(name);
  if (known !== undefined) return known;
  const fixed = fixedOffset(name);
  const rows = fixed === undefined ? changes(offsetReader(name)) : /** @type {Row[]} */ ([[FIRST, fixed]]);
  const table = tableOf(name, rows);
  tables.set(name, table);
  return table;
}

/** @typedef {[start: number, offset: number]} Row seconds both */

/** @type {(name: string, rows: Row[]) => ZoneTable} */
function tableOf(name, rows) {
  const count = rows.length;
  const buffer = new ArrayBuffer(12 * count);
  const starts = new BigInt64Array(buffer, 0, count);
  const offsets = new Int32Array(buffer, 8 * count, count);
  rows.forEach(([start, offset], row) => {
    starts[row] = row === 0 ? -(2n ** 63n) : BigInt(start);
    offsets[row] = offset;
  });
  return Object.freeze({ name, count, starts, offsets, bytes: new Uint8Array(buffer) });
}

/** Gives the offset at an instant, by what Intl appends to its text: "GMT", "GMT+05:30". @param {string} name */
function offsetReader(name) {
  const format = zoneFormat(name);
  /** @type {(seconds: number) => number} */
  return (seconds) => {
    const text = format.format(seconds * 1000);
    const parts = /GMT(?:([+-])(\d+)(?::(\d+))?(?::(\d+))?)?$/.exec(text);
    if (parts === null) return fail('ERR_UNSUPPORTED', `time zone '${name}': this engine writes offsets as '${text}'`);
    const [hours, minutes, rest] = parts.slice(2).map((part) => Number(part ?? 0));
    return (parts[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + rest);
  };
}

/**
 * The first offset and every change of it.
 *
 * @param {(seconds: number) => number} offsetAt
 * @returns {Row[]}
 */
function changes(offsetAt) {
  /** @type {Row[]} */
  const rows = [[FIRST, offsetAt(FIRST)]];
  for (let from = FIRST, to; from < END; from = to) {
    to = Math.min(END, from + (from < CLOSER ? 180 : 6) * DAY);
    const offset = offsetAt(to);
    let last = rows[rows.length - 1];
    for (let at = from; last[1] !== offset; last = rows[rows.length - 1]) {
      const [low, offsetBefore] = [at, last[1]];
      const alike = rows.find(([start]) => start + LIKE > low && start + LIKE <= to);
      at = change(offsetAt, low, to, offsetBefore, alike && alike[0] + LIKE);
      rows.push([at, offsetAt(at)]);
    }
  }
  return rows;
}

/**
 * The instant in from < … ≤ to at which the offset is `offset` no more; at `to` it is another one. Nearly all changes
 * are at whole hours, which are tried before the seconds.
 *
 * @param {(seconds: number) => number} offsetAt
 * @param {number} from
 * @param {number} to
 * @param {number} offset
 * @param {number | undefined} guess
 * @returns {number}
 */
function change(offsetAt, from, to, offset, guess) {
  if (guess !== undefined && offsetAt(guess - 1) === offset && offsetAt(guess) !== offset) return guess;
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = low + (high - low > 7200 ? Math.round((high - low) / 7200) * 3600 : Math.ceil((high - low) / 2));
    // The hour is found: it is the change, unless the second before it is after the change too.
    const at = high - low === 3600 ? high - 1 : middle;
    if (offsetAt(at) !== offset) high = at;
    else if (high - low === 3600) return high;
    else low = at;
  }
  return high;
}

/**
 * As gjl_zone_offset: the offset at an instant.
 *
 * @param {ZoneTable} table
 * @param {bigint} seconds since 1970 in UTC
 * @returns {number} seconds
 */
function zoneOffset({ count, starts, offsets }, seconds) {
  const at = count > 1 ? within(seconds) : seconds;
  let row = count - 1;
  while (row > 0 && starts[row] > at) row--;
  return offsets[row];
}

/**
 * As gjl_zone_local_offset: the offset at a local time. Of one that clocks show twice it is that of the earlier
 * instant, and one that they leave out is read with the offset before the gap.
 *
 * @param {ZoneTable} table
 * @param {bigint} seconds since 1970 in local time
 * @returns {number} seconds
 */
function zoneLocalOffset({ count, starts, offsets }, seconds) {
  const at = count > 1 ? within(seconds) : seconds;
  let row = count - 1;
  while (row > 0 && starts[row] + BigInt(offsets[row - 1]) > at) row--;
  return row > 0 && at < starts[row] + BigInt(offsets[row]) ? offsets[row - 1] : offsets[row];
}

/** The same time of a year of the table that is like the year. @type {(seconds: bigint) => bigint} */
function within(seconds) {
  if (seconds < END) return seconds;
  const year = yearOf(Number(floorDiv(seconds, BigInt(DAY))));
  const first = daysOf(year, 1, 1);
  for (let like = LAST_YEARS; ; like++) {
    const distance = first - daysOf(like, 1, 1);
    if (distance % 7 === 0 && isLeap(like) === isLeap(year)) return seconds - BigInt(distance * DAY);
  }
}

module.exports = { zoneLocalOffset, zoneOffset, zoneTable };
