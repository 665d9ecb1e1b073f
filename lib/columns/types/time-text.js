/**
 * Texts of dates, times, timestamps and intervals, and patterns of them.
 *
 * Literals of expressions are read here, by the same rules as texts of columns in src/library/dates/text.c, so that
 * `date '2020-1-31'` and a cast of that text are equal: spaces around the value; months, days and hours of one digit;
 * years of one or two digits are of 1970 … 2069; what is finer than the unit is cut off. Patterns, which compiled code
 * goes by, are only checked (dates/pattern.c has what they mean).
 */
'use strict';

const { describe } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { daysOf, monthDays } = require('./calendar.js');
const { zoneLocalOffset } = require('./zones.js');

/**
 * @typedef {'s' | 'ms' | 'us' | 'ns'} TimeUnit
 * @typedef {{ months: number, days: number, nanoseconds: bigint }} Interval
 */

const DAY = 86400;
const SECOND = 1_000_000_000n;
/** @type {Record<TimeUnit, bigint>} */
const perSecond = { s: 1n, ms: 1000n, us: 1_000_000n, ns: SECOND };

const date = '([+-]?)(\\d{1,12})([-/])(\\d{1,2})\\3(\\d{1,2})';
const clock = '(\\d{1,2}):(\\d{1,2})(?::(\\d{1,2})(?:\\.(\\d+))?)?';
const offset = '(z|utc|[+-]\\d\\d(?:\\d\\d|:\\d\\d(?::\\d\\d)?)?)';
const space = '[ \\t-\\r]';
const STAMP = new RegExp(`^${space}*${date}(?:(?:${space}+|t)${clock}${space}*${offset}?)?${space}*$`, 'i');
const CLOCK = new RegExp(`^${space}*${clock}${space}*$`);

/**
 * Days since 1970. A time after the date is checked and dropped.
 *
 * @param {string} text such as '2020-01-31'
 * @returns {number}
 */
function parseDate(text) {
  const { days } = stampOf(text, 'date', "such as '2020-01-31'");
  return within(32, BigInt(days), text, 'date32') && days;
}

/**
 * Units since midnight.
 *
 * @param {string} text such as '23:59:59.5'
 * @param {TimeUnit} unit
 * @returns {bigint}
 */
function parseTime(text, unit) {
  const parts = CLOCK.exec(text);
  if (parts === null) return wrong(text, 'time', "expected such as '23:59:59.5'");
  return unitsOf(clockOf(text, 'time', parts.slice(1)), unit);
}

/**
 * Units since 1970 in UTC. A text without an offset is local time of the zone.
 *
 * @param {string} text such as '2020-01-31 23:59:59.5', '2020-01-31T23:59Z', '2020-01-31 23:59:59+01:00'
 * @param {TimeUnit} unit
 * @param {import('./zones.js').ZoneTable} [zone] UTC if there is none
 * @returns {bigint}
 */
function parseTimestamp(text, unit, zone) {
  const { days, nanoseconds, shift } = stampOf(text, 'timestamp', "such as '2020-01-31 23:59:59.5'");
  const seconds = BigInt(days) * BigInt(DAY) + nanoseconds / SECOND;
  const away = shift ?? (zone === undefined ? 0 : zoneLocalOffset(zone, seconds));
  const value = (seconds - BigInt(away)) * perSecond[unit] + unitsOf(nanoseconds % SECOND, unit);
  within(64, value, text, `timestamp[${unit}]`);
  return value;
}

/** Of nanoseconds that are not negative. @type {(nanoseconds: bigint, unit: TimeUnit) => bigint} */
const unitsOf = (nanoseconds, unit) => nanoseconds / (SECOND / perSecond[unit]);

/** @type {(text: string, what: string, example: string) => { days: number, nanoseconds: bigint, shift: number | undefined }} */
function stampOf(text, what, example) {
  const parts = STAMP.exec(text);
  if (parts === null) return wrong(text, what, `expected ${example}`);
  const [sign, digits, , monthText, dayText] = parts.slice(1);
  const [month, day] = [Number(monthText), Number(dayText)];
  const isShort = sign === '' && digits.length < 4 && Number(digits) < 100;
  const named = Number(digits) + (isShort ? (Number(digits) < 70 ? 2000 : 1900) : 0);
  const year = sign === '-' ? -named : named;
  if (month < 1 || month > 12) return wrong(text, what, `month ${month} is not in 1 … 12`);
  const last = monthDays(year, month);
  if (day < 1 || day > last) return wrong(text, what, `day ${day} is not in 1 … ${last}, the days of that month`);
  const hasTime = parts[6] !== undefined;
  const nanoseconds = hasTime ? clockOf(text, what, parts.slice(6, 10)) : 0n;
  return { days: daysOf(year, month, day), nanoseconds, shift: shiftOf(text, what, parts[10]) };
}

/** Nanoseconds since midnight. @type {(text: string, what: string, parts: (string | undefined)[]) => bigint} */
function clockOf(text, what, [hourText, minuteText, secondText, fraction]) {
  const [hour, minute, second] = [hourText, minuteText, secondText].map((part) => Number(part ?? 0));
  if (hour > 23) wrong(text, what, `hour ${hour} is not in 0 … 23`);
  if (minute > 59) wrong(text, what, `minute ${minute} is not in 0 … 59`);
  if (second > 59) wrong(text, what, `second ${second} is not in 0 … 59`);
  return BigInt(hour * 3600 + minute * 60 + second) * SECOND + billionths(fraction);
}

/** Of digits after a point. @type {(digits: string | undefined) => bigint} */
const billionths = (digits = '') => BigInt(digits.slice(0, 9).padEnd(9, '0'));

/** Seconds of an offset. @type {(text: string, what: string, written: string | undefined) => number | undefined} */
function shiftOf(text, what, written) {
  if (written === undefined) return undefined;
  if (!/^[+-]/.test(written)) return 0;
  const [hours, minutes, seconds] = [1, 3, 5].map((at) => Number(written.replaceAll(':', '').slice(at, at + 2)));
  if (hours > 23 || minutes > 59 || seconds > 59) return wrong(text, what, `offset ${written} is not within a day`);
  return (written[0] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}

/** @type {(text: string, what: string, why: string) => never} */
const wrong = (text, what, why) => fail('ERR_PARSE', `${describe(text)} is no ${what}: ${why}`);

/** @type {(bits: number, value: bigint, text: string, type: string) => true} */
function within(bits, value, text, type) {
  return BigInt.asIntN(bits, value) === value || fail('ERR_OVERFLOW', `${describe(text)} is out of the range of ${type}`);
}

// ---- intervals ----

/** @typedef {'months' | 'days' | 'nanoseconds'} Part */

/** Units by their names, which may end with an s if they are words. @type {Record<string, [part: Part, size: bigint]>} */
const units = {};
for (const [part, size, ...names] of /** @type {[Part, bigint, ...string[]][]} */ ([
  ['months', 12000n, 'millennium', 'millennia'],
  ['months', 1200n, 'century', 'centuries'],
  ['months', 120n, 'decade'],
  ['months', 12n, 'year', 'yr', 'y'],
  ['months', 3n, 'quarter'],
  ['months', 1n, 'month', 'mon'],
  ['days', 7n, 'week', 'w'],
  ['days', 1n, 'day', 'd'],
  ['nanoseconds', 3600n * SECOND, 'hour', 'hr', 'h'],
  ['nanoseconds', 60n * SECOND, 'minute', 'min'],
  ['nanoseconds', SECOND, 'second', 'sec', 's'],
  ['nanoseconds', 1_000_000n, 'millisecond', 'msec', 'ms'],
  ['nanoseconds', 1000n, 'microsecond', 'usec', 'us'],
  ['nanoseconds', 1n, 'nanosecond', 'nsec', 'ns'],
]))
  for (const name of names) {
    units[name] = [part, size];
    if (name.length > 1 && !name.endsWith('s')) units[`${name}s`] = [part, size];
  }

const number = '([+-]?)(\\d{1,18})(?:[.,](\\d+))?';
const isoPart = (/** @type {string} */ letter) => `(?:${number}${letter})?`;
const ISO = new RegExp(`^(-?)P${'YMWD'.replace(/./g, isoPart)}(?:T(?=[-+\\d])${'HMS'.replace(/./g, isoPart)})?$`);
const isoUnits = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'].map((name) => units[name]);
const WORD = new RegExp(`${space}*([+-]?)(?:${clock}|(\\d{1,18})(?:\\.(\\d+))?(?!\\d)${space}*([a-z]+))`, 'iy');

/**
 * '1 year 2 months -3.5 days 04:05:06.7', or as ISO 8601 has it, 'P1Y2M3DT4H5M6.7S'. Fractions of years are months,
 * those of days and weeks are time, and what is left of a month is cut off.
 *
 * @param {string} text
 * @returns {Interval}
 */
function parseInterval(text) {
  /** Months are in billionths. @type {Record<Part, bigint>} */
  const sums = { months: 0n, days: 0n, nanoseconds: 0n };
  const trimmed = text.replace(new RegExp(`^${space}+|${space}+$`, 'g'), '');
  const iso = /^-?P/.test(trimmed);
  if (iso) addIso(text, trimmed, sums);
  else addWords(text, trimmed, sums);
  const months = sums.months / SECOND;
  within(32, months, text, 'months of intervals');
  within(32, sums.days, text, 'days of intervals');
  within(64, sums.nanoseconds, text, 'nanoseconds of intervals');
  return { months: Number(months), days: Number(sums.days), nanoseconds: sums.nanoseconds };
}

/**
 * Adds an amount; a sum that is no int64 on the way is an error, as it is in C.
 *
 * @param {string} text
 * @param {Record<Part, bigint>} sums
 * @param {[Part, bigint]} unit
 * @param {{ isMinus: boolean, whole: string, fraction: string | undefined }} amount
 */
function add(text, sums, [part, size], { isMinus, whole, fraction }) {
  const signed = isMinus ? -size : size;
  const rest = billionths(fraction);
  if (part === 'months') sums.months += signed * (BigInt(whole) * SECOND + rest);
  else sums[part] += signed * BigInt(whole);
  if (part === 'days') sums.nanoseconds += signed * rest * BigInt(DAY);
  if (part === 'nanoseconds') sums.nanoseconds += (signed * rest) / SECOND;
  for (const sum of [sums.months / SECOND, sums.days, sums.nanoseconds]) within(64, sum, text, 'intervals');
}

/** @type {(text: string, trimmed: string, sums: Record<Part, bigint>) => void} */
function addIso(text, trimmed, sums) {
  const parts = ISO.exec(trimmed);
  if (parts === null || /[PT]$/.test(trimmed)) return wrong(text, 'interval', "expected such as 'P1Y2M3DT4H5M6.7S'");
  isoUnits.forEach((unit, row) => {
    const [sign, whole, fraction] = parts.slice(2 + 3 * row);
    if (whole !== undefined) add(text, sums, unit, { isMinus: (sign === '-') !== (parts[1] === '-'), whole, fraction });
  });
  return undefined;
}

/** @type {(text: string, trimmed: string, sums: Record<Part, bigint>) => void} */
function addWords(text, trimmed, sums) {
  WORD.lastIndex = 0;
  do {
    const at = WORD.lastIndex;
    const parts = WORD.exec(trimmed);
    if (parts === null) {
      const rest = trimmed.slice(at);
      const found = rest === '' ? 'the end' : describe(rest);
      return wrong(text, 'interval', `expected such as '1 year 2 days 04:05:06' at ${found}`);
    }
    const [sign, hour, minute, second, fraction, whole, part, name] = parts.slice(1);
    if (hour !== undefined) {
      const time = clockOf(text, 'interval', [hour, minute, second, fraction]);
      sums.nanoseconds += sign === '-' ? -time : time;
      within(64, sums.nanoseconds, text, 'intervals');
      continue;
    }
    const unit = Object.hasOwn(units, name.toLowerCase()) ? units[name.toLowerCase()] : undefined;
    if (unit === undefined) return wrong(text, 'interval', `unknown unit ${describe(name)}`);
    add(text, sums, unit, { isMinus: sign === '-', whole, fraction: part });
  } while (WORD.lastIndex < trimmed.length);
  return undefined;
}

// ---- patterns ----

const WORDS = /yyyy|yy|cc|ad|bc|q|month|mon|mm|mi|ww|iw|ddd|day|dd|dy|d|hh24|hh12|hh|am|pm|ss|tzo|tzh|tzm|ff[1-9]|f{1,9}/iy;
const QUOTED = /"[^"]*"/y;
const LITERAL = /[^a-z0-9"]|[TZ]/iy;
/** Words that say too little to read a time by. */
const ONLY_WRITTEN = /^(cc|q)$/i;

/**
 * Throws unless a pattern such as 'yyyy-mm-dd hh24:mi:ss.fff' can be gone by.
 *
 * @param {string} pattern
 * @param {boolean} isRead whether texts are read by it; else they are written
 */
function checkPattern(pattern, isRead) {
  for (let at = 0; at < pattern.length; ) {
    const word = matchAt(WORDS, pattern, at);
    if (word !== undefined && isRead && ONLY_WRITTEN.test(word))
      badPattern(pattern, at, `'${word}' can be written, but says too little to be read`);
    const token = word ?? matchAt(QUOTED, pattern, at) ?? literalAt(pattern, at);
    if (token === undefined)
      return badPattern(pattern, at, 'expected a word such as yyyy, mm, dd, hh24, mi, ss or fff, or text in double quotes');
    at += token.length;
  }
  const has = (/** @type {RegExp} */ word) => word.test(pattern.replace(/"[^"]*"/g, ' '));
  if (isRead && has(/[ap]m/i) && !has(/hh(?!24)/i)) badPattern(pattern, pattern.search(/[ap]m/i), "am and pm need 'hh'");
  return undefined;
}

/** @type {(pattern: RegExp, text: string, at: number) => string | undefined} */
function matchAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** A T or Z only in upper case. @type {(text: string, at: number) => string | undefined} */
function literalAt(text, at) {
  const literal = matchAt(LITERAL, text, at);
  return literal === 't' || literal === 'z' ? undefined : literal;
}

/** @type {(pattern: string, at: number, why: string) => never} */
function badPattern(pattern, at, why) {
  return fail('ERR_PARSE', `pattern ${describe(pattern)} at character ${at + 1}: ${why}`);
}

module.exports = { checkPattern, parseDate, parseInterval, parseTime, parseTimestamp };
