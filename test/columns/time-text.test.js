/**
 * Literals of times and patterns; test/c/library_time_text_test.c compares many more readings with those of C.
 */
'use strict';

const { test } = require('node:test');
const assert = require('node:assert/strict');
const { checkPattern, parseDate, parseInterval, parseTime, parseTimestamp } = require('../../lib/columns/types/time-text.js');
const { daysOf, yearOf } = require('../../lib/columns/types/calendar.js');
const { zoneTable } = require('../../lib/columns/types/zones.js');

test('days are those of Date', () => {
  for (let days = -1000000; days < 1000000; days += 97) {
    const date = new Date(days * 864e5);
    assert.equal(daysOf(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()), days);
    assert.equal(yearOf(days), date.getUTCFullYear());
  }
});

test('dates are read', () => {
  for (const text of ['2020-02-29', '1600-01-01', '0000-03-01', '9999-12-31'])
    assert.equal(parseDate(text), Date.parse(`${text}T00:00:00Z`) / 864e5);
  assert.equal(parseDate(' 7/12/1 '), Date.UTC(2007, 11, 1) / 864e5);
  assert.equal(parseDate('70-1-1'), 0);
  assert.equal(parseDate('1970-01-01 23:59:59-05:00'), 0);
});

test('times are read in units, and cut off', () => {
  assert.equal(parseTime('23:59:59.9999', 'ms'), 86399999n);
  assert.equal(parseTime('1:2', 's'), 3720n);
  assert.equal(parseTimestamp('1970-01-01', 'ns'), 0n);
  assert.equal(parseTimestamp('1969-12-31 23:59:59.5', 's'), -1n);
  assert.equal(parseTimestamp('2020-02-29T23:59:59.5+01', 'ms'), BigInt(Date.parse('2020-02-29T22:59:59.5Z')));
  assert.equal(parseTimestamp('2262-04-11 23:47:16.854775807', 'ns'), 2n ** 63n - 1n);
  assert.equal(parseTimestamp('1677-09-21 00:12:43.145224192', 'ns'), -(2n ** 63n));
});

test('timestamps without an offset are of the zone', () => {
  const zone = zoneTable('America/New_York');
  const seconds = (/** @type {string} */ text) => BigInt(Date.parse(text) / 1000);
  assert.equal(parseTimestamp('2024-07-01 12:00', 's', zone), seconds('2024-07-01T16:00Z'));
  assert.equal(parseTimestamp('2024-01-01 12:00', 's', zone), seconds('2024-01-01T17:00Z'));
  assert.equal(parseTimestamp('2024-01-01 12:00Z', 's', zone), seconds('2024-01-01T12:00Z'));
});

test('intervals are read in words and in the form of ISO 8601', () => {
  const expected = { months: 14, days: 3, nanoseconds: 14706700000000n };
  assert.deepEqual(parseInterval('1 year 2 months 3 days 04:05:06.7'), expected);
  assert.deepEqual(parseInterval('P1Y2M3DT4H5M6.7S'), expected);
  assert.deepEqual(parseInterval('-1.5 years 1.5 days'), { months: -18, days: 1, nanoseconds: 43200000000000n });
  assert.deepEqual(parseInterval('-P1Y-2M'), { months: -10, days: 0, nanoseconds: 0n });
});

test('what is no literal is refused with the reason', () => {
  const ms = (/** @type {string} */ text) => () => parseTimestamp(text, 'ms');
  /** @type {[() => unknown, RegExp][]} */
  const cases = [
    [() => parseDate('yesterday'), /^"yesterday" is no date: expected such as '2020-01-31'$/],
    [() => parseDate('2020-13-01'), /month 13 is not in 1 … 12/],
    [() => parseDate('1900-02-29'), /day 29 is not in 1 … 28/],
    [() => parseTime('24:00', 's'), /hour 24 is not in 0 … 23/],
    [ms('2020-01-01 00:60'), /minute 60 is not in 0 … 59/],
    [ms('2020-01-01 00:00:61'), /second 61 is not in 0 … 59/],
    [ms('2020-01-01 00:00+25'), /offset \+25 is not within a day/],
    [ms('2020-01-01 00:00 Europe/Berlin'), /is no timestamp: expected/],
    [() => parseInterval('1 fortnight'), /unknown unit "fortnight"/],
    [() => parseInterval('1 constructor'), /unknown unit "constructor"/],
    [() => parseInterval('1 day 5'), /at " 5"$/],
    [() => parseInterval('P1D1Y'), /P1Y2M3DT4H5M6.7S/],
    [() => parseInterval(''), /at the end$/],
  ];
  for (const [read, message] of cases) assert.throws(read, { code: 'ERR_PARSE', message });
});

test('what is out of range is refused', () => {
  assert.equal(parseDate('5881580-07-11'), 2 ** 31 - 1);
  const tooFar = [
    () => parseDate('5881580-07-12'),
    () => parseTimestamp('2262-04-11 23:47:16.854775808', 'ns'),
    () => parseInterval('3000000000 days'),
    () => parseInterval('9999999999 s'),
  ];
  for (const read of tooFar) assert.throws(read, { code: 'ERR_OVERFLOW' });
});

test('patterns are checked', () => {
  for (const pattern of ['', 'yyyy-mm-dd hh24:mi:ss.fff', 'YYYYMMDDThh24missff9Z', 'Day, dd Month yyyy BC hh:mi am tzh:tzm', '"at "hh12 pm', 'ffffffffff'])
    for (const isRead of [false, true]) checkPattern(pattern, isRead);
  checkPattern('cc q hh24 am', false);
  /** @type {[string, number][]} */
  const wrong = [['yyyy-xx', 6], ['yyy', 3], ['hh24 am', 6], ['cc', 1], ['yyyy q', 6], ['dd "of', 4], ['yyyyt', 5], ['hh25', 3]];
  for (const [pattern, character] of wrong)
    assert.throws(() => checkPattern(pattern, true), { code: 'ERR_PARSE', message: new RegExp(`at character ${character}:`) });
});
