'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { expr } = require('../../lib/columns/index.js');
const { project } = require('./engine.js');
const { arrowTable } = require('./tables.js');

// Rows are the beginning of 1970, a moment of a leap day, null, and the unit before 1970.
const SCHEMA = {
  d: 'date32', e: 'date64', s: 'timestamp[s]', m: 'timestamp[ms]', u: 'timestamp[us]', n: 'timestamp[ns]',
  z: 'timestamp[ms, Europe/Berlin]', t: 'time32[ms]', w: 'time64[ns]', i: 'int32', du: 'duration[ms]', x: 'utf8',
  ym: 'interval[year_month]', dt: 'interval[day_time]',
};
const LEAP = 1582979634n; // 2020-02-29 12:33:54
const months = (/** @type {number} */ value) => ({ months: value, days: 0, nanoseconds: 0n });
const daysAnd = (/** @type {number} */ days, ms = 0n) => ({ months: 0, days, nanoseconds: ms * 1_000_000n });
const COLUMNS = {
  d: [0, 18321, null, -1],
  e: [0n, 1582934400000n, null, -1n],
  s: [0n, LEAP, null, -1n],
  m: [0n, LEAP * 1000n + 567n, null, -1n],
  u: [0n, LEAP * 1_000_000n + 567_123n, null, -1n],
  n: [0n, LEAP * 1_000_000_000n + 567_123_456n, null, -1n],
  z: [0n, LEAP * 1000n + 567n, null, -1n],
  t: [0, 3661001, null, 86399999],
  w: [0n, 3661001002003n, null, 1n],
  i: [1, 2, null, -3],
  du: [0n, 86400000n, null, -5n],
  x: ['2020-01-31', '1999-12-31', null, '2020-02-29'],
  ym: [months(1), months(14), null, months(-1)],
  dt: [daysAnd(1), daysAnd(2, 5n), null, daysAnd(-1, -1n)],
};
const TABLE = arrowTable(SCHEMA, COLUMNS);

/** @type {Record<string, bigint>} */
const PER_SECOND = { s: 1n, ms: 1000n, us: 1_000_000n, ns: 1_000_000_000n };
const floorDiv = (/** @type {bigint} */ a, /** @type {bigint} */ b) => a / b - (a % b < 0n ? 1n : 0n);
const modulo = (/** @type {bigint} */ a, /** @type {bigint} */ b) => a - floorDiv(a, b) * b;

/** Dates and timestamps as texts, by JavaScript's Date, in UTC. @type {(type: string, value: any) => any} */
function shown(type, value) {
  const unit = /^timestamp\[(\w+)/u.exec(type)?.[1];
  if (value === null || (unit === undefined && !type.startsWith('date'))) return value;
  if (type === 'date32') return new Date(value * 86400000).toISOString().slice(0, 10);
  const per = PER_SECOND[unit ?? 'ms'];
  const seconds = floorDiv(value, per);
  const digits = String(modulo(value, per) + per).slice(1);
  return new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ') + (digits === '' ? '' : `.${digits}`);
}

/** @type {(text: string, table: any, type: string, options?: any) => any[]} */
function valuesOfExpression(text, table, type, options) {
  const { type: got, values = [], error } = project(text, table, type, options);
  assert.equal(error, undefined, `${text}: ${error?.message}`);
  assert.equal(got, type, text);
  return values.map((value) => shown(type, value));
}

/** @type {(rows: readonly [text: string, type: string, values: any[]][]) => void} */
function check(rows) {
  for (const [text, type, values] of rows) assert.deepEqual(valuesOfExpression(text, TABLE, type), values, text);
}

describe('parts of dates: ', () => {
  test('of each kind of value', () => {
    check([
      ['extract(year from d)', 'int64', [1970n, 2020n, null, 1969n]],
      ["date_part('YEAR', e)", 'int64', [1970n, 2020n, null, 1969n]],
      ['year(s)', 'int64', [1970n, 2020n, null, 1969n]],
      ['month(n)', 'int64', [1n, 2n, null, 12n]],
      ['day(z)', 'int64', [1n, 29n, null, 1n]],
      ['quarter(u)', 'int64', [1n, 1n, null, 4n]],
      ['extractDow(d)', 'int64', [5n, 7n, null, 4n]],
      ['isodow(z)', 'int64', [4n, 6n, null, 4n]],
      ['hour(d)', 'int64', [0n, 0n, null, 0n]],
      ['hour(z)', 'int64', [1n, 13n, null, 0n]],
      ['minute(z)', 'int64', [0n, 33n, null, 59n]],
      ['second(s)', 'int64', [0n, 54n, null, 59n]],
      ['hour(t)', 'int64', [0n, 1n, null, 23n]],
      ['minute(w)', 'int64', [0n, 1n, null, 0n]],
      ['extract(millisecond from n)', 'int64', [0n, 567n, null, 999n]],
      ['extract(microsecond from m)', 'int64', [0n, 567000n, null, 999000n]],
      ['extract(nanosecond from w)', 'int64', [0n, 1002003n, null, 1n]],
      ['extractEpoch(u)', 'int64', [0n, LEAP, null, 0n]],
      ['epoch(d)', 'int64', [0n, 1582934400n, null, -86400n]],
      ['doy(n)', 'int64', [1n, 60n, null, 365n]],
      ['week(m)', 'int64', [1n, 9n, null, 1n]],
      ['extract(isoyear from d)', 'int64', [1970n, 2020n, null, 1970n]],
      ['extract(day from dt)', 'int64', [1n, 2n, null, -1n]],
      ['extract(year from ym)', 'int64', [0n, 1n, null, 0n]],
      ['extract(month from ym)', 'int64', [1n, 2n, null, -1n]],
      ["extract(hour from interval '1 day 25:10:00')", 'int64', [25n, 25n, 25n, 25n]],
      ["extract(minute from interval '1 day 25:10:00')", 'int64', [10n, 10n, 10n, 10n]],
      ['dayname(d)', 'utf8', ['Thursday', 'Saturday', null, 'Wednesday']],
      ['monthname(m)', 'utf8', ['January', 'February', null, 'December']],
      ['to_char(z, \'Dy yyyy-mm-dd hh24:mi:ss.fff\')', 'utf8', [
        'Thu 1970-01-01 01:00:00.000', 'Sat 2020-02-29 13:33:54.567', null, 'Thu 1970-01-01 00:59:59.999',
      ]],
    ]);
  });

  /** Year, month and day of a day, counted in eras. @type {(days: bigint) => { year: bigint, month: bigint, day: bigint }} */
  function civil(days) {
    const shifted = days + 719468n;
    const era = floorDiv(shifted, 146097n);
    const ofEra = shifted - era * 146097n;
    const yearOfEra = (ofEra - ofEra / 1460n + ofEra / 36524n - ofEra / 146096n) / 365n;
    const ofYear = ofEra - (365n * yearOfEra + yearOfEra / 4n - yearOfEra / 100n);
    const march = (5n * ofYear + 2n) / 153n;
    const month = march < 10n ? march + 3n : march - 9n;
    return { year: yearOfEra + era * 400n + (month <= 2n ? 1n : 0n), month, day: ofYear - (153n * march + 2n) / 5n + 1n };
  }

  const newYear = (/** @type {bigint} */ year) => {
    const past = year - 1n;
    return 365n * past + floorDiv(past, 4n) - floorDiv(past, 100n) + floorDiv(past, 400n) - 719162n;
  };
  const dayOfYear = (/** @type {bigint} */ days) => days - newYear(civil(days).year) + 1n;
  const thursday = (/** @type {bigint} */ days) => days + 3n - modulo(days + 3n, 7n);

  /** @type {Record<string, (days: bigint) => bigint>} */
  const OF_DAYS = {
    year: (days) => civil(days).year,
    month: (days) => civil(days).month,
    day: (days) => civil(days).day,
    quarter: (days) => (civil(days).month + 2n) / 3n,
    doy: dayOfYear,
    dow: (days) => modulo(days + 4n, 7n) + 1n,
    isodow: (days) => modulo(days + 3n, 7n) + 1n,
    week: (days) => (dayOfYear(thursday(days)) - 1n) / 7n + 1n,
    isoyear: (days) => civil(thursday(days)).year,
    extractDecade: (days) => floorDiv(civil(days).year, 10n),
    extractCentury: (days) => floorDiv(civil(days).year - 1n, 100n) + 1n,
    extractMillennium: (days) => floorDiv(civil(days).year - 1n, 1000n) + 1n,
  };
  /** @type {Record<string, (days: bigint) => bigint>} */
  const FIRST_DAYS = {
    week: (days) => thursday(days) - 3n,
    month: (days) => days - civil(days).day + 1n,
    quarter: (days) => {
      const { year, month } = civil(days);
      const lengths = [31n, newYear(year + 1n) - newYear(year) - 337n, 31n, 30n, 31n, 30n, 31n, 31n, 30n];
      const before = lengths.slice(0, Number(month - 1n - ((month - 1n) % 3n)));
      return before.reduce((sum, length) => sum + length, newYear(year));
    },
    year: (days) => newYear(civil(days).year),
  };
  /** @type {Record<string, [seconds: bigint, within: bigint]>} */
  const OF_TIME = { hour: [3600n, 24n], minute: [60n, 60n], second: [1n, 60n] };

  /** Days all over a type and at changes of years and centuries, at their first, last and other units. @type {(bits: bigint, perDay: bigint) => bigint[]} */
  function spread(bits, perDay) {
    const most = 2n ** (bits - 1n);
    const first = -most / perDay;
    const days = [0n, 1n, -1n, first + 1n, -first - 1n];
    for (let year = -2000n; year <= 3000n; year += year % 100n === 0n ? 1n : 33n) {
      days.push(newYear(year) - 1n, newYear(year), newYear(year) + 58n, newYear(year) + 59n, newYear(year) + 60n);
    }
    for (let step = 1n; step < 400n; step++) days.push(first + (step * -2n * first) / 400n + step);
    const rest = perDay === 1n ? [0n] : [0n, 1n, perDay - 1n, perDay / 2n, (perDay * 13n) / 17n];
    const units = days.map((day, i) => day * perDay + rest[i % rest.length]);
    return [-most, most - 1n, ...units.filter((unit) => unit >= -most && unit < most)];
  }

  for (const type of ['date32', 'date64', 'timestamp[s]', 'timestamp[ms]', 'timestamp[us]', 'timestamp[ns]', 'timestamp[us, UTC]']) {
    test(`all over ${type}`, () => {
      const isDays = type === 'date32';
      const perSecond = PER_SECOND[/\[(\w+)/u.exec(type)?.[1] ?? 'ms'];
      const perDay = isDays ? 1n : 86400n * perSecond;
      const bits = isDays ? 32n : 64n;
      const values = spread(bits, perDay);
      const table = arrowTable({ v: type }, { v: isDays ? values.map(Number) : values });
      for (const numerics of ['default', 'fast']) {
        for (const [name, part] of Object.entries(OF_DAYS)) {
          const { values: got } = project(`${name}(v)`, table, 'int64', { numerics });
          assert.deepEqual(got, values.map((value) => part(floorDiv(value, perDay))), `${name} ${numerics}`);
        }
        for (const [name, [seconds, within]] of isDays ? [] : Object.entries(OF_TIME)) {
          const { values: got } = project(`${name}(v)`, table, 'int64', { numerics });
          assert.deepEqual(got, values.map((value) => modulo(floorDiv(value, seconds * perSecond), within)), `${name} ${numerics}`);
        }
        const begins = [
          ...Object.entries(FIRST_DAYS).map(([name, first]) => [name, (/** @type {bigint} */ value) => first(floorDiv(value, perDay)) * perDay]),
          ...(isDays ? [] : Object.entries({ day: [86400n], ...OF_TIME })).map(([name, [seconds]]) => [
            name, (/** @type {bigint} */ value) => floorDiv(value, seconds * perSecond) * seconds * perSecond,
          ]),
        ];
        for (const [name, begin] of /** @type {[string, (value: bigint) => bigint][]} */ (begins)) {
          const { values: got } = project(`date_trunc('${name}', v)`, table, type, { numerics, cast: 'null' });
          const wanted = values.map((value) => {
            const first = begin(value);
            if (BigInt.asIntN(Number(bits), first) !== first) return null;
            return isDays ? Number(first) : first;
          });
          assert.deepEqual(got, wanted, `${name} ${numerics}`);
        }
      }
    });
  }
});

test('beginnings of spans', () => {
  check([
    ["date_trunc('month', d)", 'date32', ['1970-01-01', '2020-02-01', null, '1969-12-01']],
    ["date_trunc('quarter', d)", 'date32', ['1970-01-01', '2020-01-01', null, '1969-10-01']],
    ["date_trunc('hour', d)", 'date32', ['1970-01-01', '2020-02-29', null, '1969-12-31']],
    ["date_trunc('decade', u)", 'timestamp[us]', ['1970-01-01 00:00:00.000000', '2020-01-01 00:00:00.000000', null, '1960-01-01 00:00:00.000000']],
    ["date_trunc('century', s)", 'timestamp[s]', ['1901-01-01 00:00:00', '2001-01-01 00:00:00', null, '1901-01-01 00:00:00']],
    ["date_trunc('millisecond', u)", 'timestamp[us]', ['1970-01-01 00:00:00.000000', '2020-02-29 12:33:54.567000', null, '1969-12-31 23:59:59.999000']],
    ["date_trunc('nanosecond', m)", 'timestamp[ms]', ['1970-01-01 00:00:00.000', '2020-02-29 12:33:54.567', null, '1969-12-31 23:59:59.999']],
    // Midnight in Berlin is 23:00 of the day before.
    ["date_trunc('day', z)", 'timestamp[ms, Europe/Berlin]', ['1969-12-31 23:00:00.000', '2020-02-28 23:00:00.000', null, '1969-12-31 23:00:00.000']],
    ["date_trunc('week', z)", 'timestamp[ms, Europe/Berlin]', ['1969-12-28 23:00:00.000', '2020-02-23 23:00:00.000', null, '1969-12-28 23:00:00.000']],
    ["date_trunc('year', z)", 'timestamp[ms, Europe/Berlin]', ['1969-12-31 23:00:00.000', '2019-12-31 23:00:00.000', null, '1969-12-31 23:00:00.000']],
    ['last_day(d)', 'date64', ['1970-01-31 00:00:00.000', '2020-02-29 00:00:00.000', null, '1969-12-31 00:00:00.000']],
    ["next_day(z, 'fri')", 'date64', ['1970-01-02 00:00:00.000', '2020-03-06 00:00:00.000', null, '1970-01-02 00:00:00.000']],
  ]);
});

test('sums and differences', () => {
  const month = ['1970-02-01 00:00:00.000', '2020-03-29 12:33:54.567', null, '1970-01-31 23:59:59.999'];
  check([
    ['d + 1', 'date32', ['1970-01-02', '2020-03-01', null, '1970-01-01']],
    ['1 + d', 'date32', ['1970-01-02', '2020-03-01', null, '1970-01-01']],
    ['d - i', 'date32', ['1969-12-31', '2020-02-27', null, '1970-01-03']],
    ['date_add(s, i)', 'timestamp[s]', ['1970-01-02 00:00:00', '2020-03-02 12:33:54', null, '1969-12-28 23:59:59']],
    ['z + 1', 'timestamp[ms, Europe/Berlin]', ['1970-01-02 00:00:00.000', '2020-03-01 12:33:54.567', null, '1970-01-01 23:59:59.999']],
    ["m + interval '1 month'", 'timestamp[ms]', month],
    ["interval '1 month' + m", 'timestamp[ms]', month],
    ["m - interval '-1 month'", 'timestamp[ms]', month],
    ["u - interval '1 day 00:00:01'", 'timestamp[us]', ['1969-12-30 23:59:59.000000', '2020-02-28 12:33:53.567123', null, '1969-12-30 23:59:58.999999']],
    ["d + interval '1 day'", 'timestamp[ms]', ['1970-01-02 00:00:00.000', '2020-03-01 00:00:00.000', null, '1970-01-01 00:00:00.000']],
    ['d + ym', 'timestamp[ms]', ['1970-02-01 00:00:00.000', '2021-04-29 00:00:00.000', null, '1969-11-30 00:00:00.000']],
    ['m - dt', 'timestamp[ms]', ['1969-12-31 00:00:00.000', '2020-02-27 12:33:54.562', null, '1970-01-02 00:00:00.000']],
    ['s + du', 'timestamp[ms]', ['1970-01-01 00:00:00.000', '2020-03-01 12:33:54.000', null, '1969-12-31 23:59:58.995']],
    ['d + t', 'timestamp[ms]', ['1970-01-01 00:00:00.000', '2020-02-29 01:01:01.001', null, '1969-12-31 23:59:59.999']],
    ["t + interval '23:00:00'", 'time32[ms]', [82800000, 61001, null, 82799999]],
    ["date '1998-12-01' - interval '90' day", 'timestamp[ms]', Array.from({ length: 4 }, () => '1998-09-02 00:00:00.000')],
    ["date '2019-03-31' - interval '1 month'", 'timestamp[ms]', Array.from({ length: 4 }, () => '2019-02-28 00:00:00.000')],
    ["date '2020-01-31' + interval '1 month'", 'timestamp[ms]', Array.from({ length: 4 }, () => '2020-02-29 00:00:00.000')],
    ["timestamp '1994-01-01 00:00:00.5' - interval '11 months 1 day 00:00:00.25'", 'timestamp[ms]', Array.from({ length: 4 }, () => '1993-01-31 00:00:00.250')],
    ["d - date '2020-01-01'", 'int64', [-18262n, 59n, null, -18263n]],
    ['d - e', 'int64', [0n, 0n, null, 0n]],
    ['epoch(u) - epoch(m)', 'int64', [0n, 0n, null, 0n]],
    ['dt = dt', 'bool', [true, true, null, true]],
    ['du + du = du', 'bool', [true, false, null, false]],
    ['-du > du', 'bool', [false, false, null, true]],
    ["(u - m) < interval '00:00:00.001'", 'bool', [true, true, null, true]],
    ["du > interval '1 hour'", 'bool', [false, true, null, false]],
    ['ym + ym', 'interval[year_month]', [months(2), months(28), null, months(-2)]],
    ["ym - interval '1 month'", 'interval[year_month]', [months(0), months(13), null, months(-2)]],
    ['-ym * 2', 'interval[year_month]', [months(-2), months(-28), null, months(2)]],
    ['dt - dt * i', 'interval[day_time]', [daysAnd(0), daysAnd(-2, -5n), null, daysAnd(-4, -4n)]],
    ['timestampadd(day, i, m)', 'timestamp[ms]', ['1970-01-02 00:00:00.000', '2020-03-02 12:33:54.567', null, '1969-12-28 23:59:59.999']],
    ['timestampaddMonth(i, d)', 'date32', ['1970-02-01', '2020-04-29', null, '1969-09-30']],
    ['timestampadd(hour, 30, d)', 'date32', ['1970-01-02', '2020-03-01', null, '1970-01-01']],
    ["timestampadd('microsecond', 2500, m)", 'timestamp[ms]', ['1970-01-01 00:00:00.002', '2020-02-29 12:33:54.569', null, '1970-01-01 00:00:00.001']],
    ["timestampdiff(month, m, timestamp '2021-01-01 00:00:00')", 'int64', [612n, 10n, null, 612n]],
    ["timestampdiff(microsecond, m, '2021-01-01 00:00:00')", 'int64', [1609459200000000n, 26479565433000n, null, 1609459200001000n]],
    ['timestampdiffDay(e, d)', 'int32', [0, 0, null, 0]],
    ["datediff(d, '1970-01-11')", 'int32', [-10, 18311, null, -11]],
    ["months_between(d, '1969-11-30')", 'float64', [1 + 2 / 31, 603, null, 1]],
  ]);
});

test('dates put together, and clocks of other zones', () => {
  check([
    ['make_date(2020, 2, 29)', 'date32', Array.from({ length: 4 }, () => '2020-02-29')],
    ['make_time(1, 2, 3)', 'time32[ms]', [3723000, 3723000, 3723000, 3723000]],
    ['make_timestamp(2020, 2, 29, 12, 30, 1.25)', 'timestamp[us]', Array.from({ length: 4 }, () => '2020-02-29 12:30:01.250000')],
    ["to_utc_timestamp(m, 'Europe/Berlin')", 'timestamp[ms]', ['1969-12-31 23:00:00.000', '2020-02-29 11:33:54.567', null, '1969-12-31 22:59:59.999']],
    ["from_utc_timestamp(m, 'Asia/Kolkata')", 'timestamp[ms]', ['1970-01-01 05:30:00.000', '2020-02-29 18:03:54.567', null, '1970-01-01 05:29:59.999']],
    ['to_timestamp(i)', 'timestamp[ms]', ['1970-01-01 00:00:01.000', '1970-01-01 00:00:02.000', null, '1969-12-31 23:59:57.000']],
    ["to_timestamp(x, 'yyyy-mm-dd')", 'timestamp[ms]', ['2020-01-31 00:00:00.000', '1999-12-31 00:00:00.000', null, '2020-02-29 00:00:00.000']],
    ["to_date(x, 'yyyy-mm')", 'date64', ['2020-01-01 00:00:00.000', '1999-12-01 00:00:00.000', null, '2020-02-01 00:00:00.000']],
    ["strftime(m, '%d%d %F %T.%f %j%%')", 'utf8', [
      '0101 1970-01-01 00:00:00.000000 001%', '2929 2020-02-29 12:33:54.567000 060%', null, '3131 1969-12-31 23:59:59.999000 365%',
    ]],
    ["strftime(t, '%H h %M')", 'utf8', ['00 h 00', '01 h 01', null, '23 h 59']],
    ["strptime(x || 'T1112', '%Y-%m-%dT%H%M')", 'timestamp[us]', [
      '2020-01-31 11:12:00.000000', '1999-12-31 11:12:00.000000', null, '2020-02-29 11:12:00.000000',
    ]],
    ["to_date(x, 'yyyy:mm', 1)", 'date64', [null, null, null, null]],
  ]);
});

test('where clocks are set', () => {
  const texts = [
    '2020-03-29 00:59:59', '2020-03-29 01:00:00', '2020-10-24 23:30:00', '2020-10-25 00:30:00', '2020-10-25 01:30:00', '2050-07-01 00:00:00',
  ];
  const table = arrowTable(
    { z: 'timestamp[ms, Europe/Berlin]', x: 'utf8' },
    { z: texts.map((text) => BigInt(Date.parse(`${text}Z`))), x: ['2020-03-29 02:30:00', '2020-03-29 03:30:00', '2020-10-25 02:30:00', '2020-10-25 02:30:00+01:00', '2050-07-01', '1890-01-01'] },
  );
  const zoned = 'timestamp[ms, Europe/Berlin]';
  assert.deepEqual(valuesOfExpression('hour(z)', table, 'int64'), [1n, 3n, 1n, 2n, 2n, 2n]);
  assert.deepEqual(valuesOfExpression("date_trunc('hour', z)", table, zoned), [
    '2020-03-29 00:00:00.000', '2020-03-29 01:00:00.000', '2020-10-24 23:00:00.000', '2020-10-25 00:00:00.000', '2020-10-25 01:00:00.000',
    '2050-07-01 00:00:00.000',
  ]);
  assert.deepEqual(valuesOfExpression("date_trunc('day', z)", table, zoned), [
    '2020-03-28 23:00:00.000', '2020-03-28 23:00:00.000', '2020-10-24 22:00:00.000', '2020-10-24 22:00:00.000', '2020-10-24 22:00:00.000',
    '2050-06-30 22:00:00.000',
  ]);
  // A day later is the same time of the clocks: 23 hours or 25.
  assert.deepEqual(valuesOfExpression("z - interval '1 day'", table, zoned), [
    '2020-03-28 00:59:59.000', '2020-03-28 02:00:00.000', '2020-10-23 23:30:00.000', '2020-10-24 00:30:00.000', '2020-10-24 00:30:00.000',
    '2050-06-30 00:00:00.000',
  ]);
  assert.deepEqual(valuesOfExpression("z + interval '24:00:00'", table, zoned)[2], '2020-10-25 23:30:00.000');
  // A time that is left out is read with the offset before, one that comes twice is the first.
  assert.deepEqual(valuesOfExpression(`cast(x as timestamp[ms, 'Europe/Berlin'])`, table, zoned), [
    '2020-03-29 01:30:00.000', '2020-03-29 01:30:00.000', '2020-10-25 00:30:00.000', '2020-10-25 01:30:00.000', '2050-06-30 22:00:00.000',
    '1889-12-31 23:06:32.000',
  ]);
  assert.deepEqual(valuesOfExpression("z >= '2020-10-25 02:30:00'", table, 'bool'), [false, false, false, true, true, true]);
  assert.deepEqual(valuesOfExpression("z >= timestamp '2020-10-25 02:30:00+01:00'", table, 'bool'), [false, false, false, false, true, true]);
});

test('casts', () => {
  check([
    ['cast(x as date)', 'date32', ['2020-01-31', '1999-12-31', null, '2020-02-29']],
    ['cast(x as date64)', 'date64', ['2020-01-31 00:00:00.000', '1999-12-31 00:00:00.000', null, '2020-02-29 00:00:00.000']],
    ['cast(x as timestamp[us])', 'timestamp[us]', ['2020-01-31 00:00:00.000000', '1999-12-31 00:00:00.000000', null, '2020-02-29 00:00:00.000000']],
    ['cast(cast(t as utf8) as time64[us])', 'time64[us]', [0n, 3661001000n, null, 86399999000n]],
    ['d::utf8', 'utf8', ['1970-01-01', '2020-02-29', null, '1969-12-31']],
    ['n::utf8', 'utf8', ['1970-01-01 00:00:00.000000000', '2020-02-29 12:33:54.567123456', null, '1969-12-31 23:59:59.999999999']],
    ['z::utf8', 'utf8', ['1970-01-01 01:00:00.000+01:00', '2020-02-29 13:33:54.567+01:00', null, '1970-01-01 00:59:59.999+01:00']],
    ['du::utf8', 'utf8', ['PT0S', 'PT24H', null, 'PT-0.005S']],
    ['ym::utf8', 'utf8', ['P1M', 'P1Y2M', null, 'P-1M']],
    ['dt::utf8', 'utf8', ['P1D', 'P2DT0.005S', null, 'P-1DT-0.001S']],
    ["cast('1 year 2 months' as interval)::utf8", 'utf8', Array.from({ length: 4 }, () => 'P1Y2M')],
    ['cast(ym as interval[month_day_nano])::utf8', 'utf8', ['P1M', 'P1Y2M', null, 'P-1M']],
    ['cast(cast(dt as interval[month_day_nano]) as interval[day_time])', 'interval[day_time]', [daysAnd(1), daysAnd(2, 5n), null, daysAnd(-1, -1n)]],
    ['m::date', 'date32', ['1970-01-01', '2020-02-29', null, '1969-12-31']],
    ['z::date', 'date32', ['1970-01-01', '2020-02-29', null, '1970-01-01']],
    ['s::date64', 'date64', ['1970-01-01 00:00:00.000', '2020-02-29 00:00:00.000', null, '1969-12-31 00:00:00.000']],
    ['e::date32', 'date32', ['1970-01-01', '2020-02-29', null, '1969-12-31']],
    ['z::time', 'time32[ms]', [3600000, 48834567, null, 3599999]],
    ['n::time64[us]', 'time64[us]', [0n, 45234567123n, null, 86399999999n]],
    ['w::time', 'time32[ms]', [0, 3661001, null, 0]],
    ['d::timestamp[ns]', 'timestamp[ns]', ['1970-01-01 00:00:00.000000000', '2020-02-29 00:00:00.000000000', null, '1969-12-31 00:00:00.000000000']],
    ["cast(d as timestamp[s, 'Europe/Berlin'])", 'timestamp[s, Europe/Berlin]', ['1969-12-31 23:00:00', '2020-02-28 23:00:00', null, '1969-12-30 23:00:00']],
    ['u::timestamp[s]', 'timestamp[s]', ['1970-01-01 00:00:00', '2020-02-29 12:33:54', null, '1969-12-31 23:59:59']],
    ['s::timestamp[ns]', 'timestamp[ns]', ['1970-01-01 00:00:00.000000000', '2020-02-29 12:33:54.000000000', null, '1969-12-31 23:59:59.000000000']],
    ['i::date', 'date32', ['1970-01-02', '1970-01-03', null, '1969-12-29']],
    ['i::timestamp[ms]', 'timestamp[ms]', ['1970-01-01 00:00:00.001', '1970-01-01 00:00:00.002', null, '1969-12-31 23:59:59.997']],
    ['d::int64', 'int64', [0n, 18321n, null, -1n]],
    ['try_cast(m as int32)', 'int32', [0, null, null, -1]],
    ["try_cast('2020-02-30' as date)", 'date32', [null, null, null, null]],
    ["try_cast(x as time)", 'time32[ms]', [null, null, null, null]],
  ]);
  const far = arrowTable({ s: 'timestamp[s]', d: 'date32' }, { s: [2n ** 62n, 0n], d: [2 ** 31 - 1, 0] });
  for (const [text, type] of [
    ['s::date', 'date32'], ['s::date64', 'date64'], ['s::timestamp[ns]', 'timestamp[ns]'], ['d::timestamp[us]', 'timestamp[us]'],
  ]) {
    assert.match(project(text, far, type).error?.message, /^row 0: .* does not fit/u, text);
    assert.equal(project(text, far, type, { cast: 'null' }).values?.[0], null, text);
  }
});

test('literals beside columns', () => {
  check([
    ["d > '2020-01-01'", 'bool', [false, true, null, false]],
    ["'2020-02-29' = d", 'bool', [false, true, null, false]],
    ["m = '2020-02-29 12:33:54.567'", 'bool', [false, true, null, false]],
    ["m < timestamp '2020-02-29 12:33:54.567001'", 'bool', [true, true, null, true]],
    ["n between date '2019-01-01' and '2021-01-01'", 'bool', [false, true, null, false]],
    ["w > '01:01:01.001002002'", 'bool', [false, true, null, false]],
    ["t = time '01:01:01.001'", 'bool', [false, true, null, false]],
    ["d in ('1970-01-01', '2020-02-29')", 'bool', [true, true, null, false]],
    ["coalesce(d, '2000-01-01')", 'date32', ['1970-01-01', '2020-02-29', '2000-01-01', '1969-12-31']],
    ["case when i > 0 then e else date '2000-01-01' end", 'date64', ['1970-01-01 00:00:00.000', '2020-02-29 00:00:00.000', '2000-01-01 00:00:00.000', '2000-01-01 00:00:00.000']],
    ["ym = interval '14 months'", 'bool', [false, true, null, false]],
    ["dt = interval '2 days 00:00:00.005'", 'bool', [false, true, null, false]],
  ]);
  const seen = expr('m < @now').project(TABLE, { parameters: { now: new Date(0) } });
  assert.deepEqual([...seen], [false, false, null, true]);
});

test('what is wrong is said, and where', () => {
  /** @type {[text: string, code: string, message: RegExp, marked?: string][]} */
  const rows = [
    ["date_part('wek', d)", 'ERR_ARGUMENT', /no part of a date 'wek' \(did you mean 'week'\?\), there are 'millennium', .*'nanosecond'/u, "'wek'"],
    ["date_trunc('fortnight', d)", 'ERR_ARGUMENT', /no span of time 'fortnight'.* 'quarter'/u, "'fortnight'"],
    ['date_part(x, d)', 'ERR_ARGUMENT', /the part of a date has to be a literal/u],
    ["extract('year', t)", 'ERR_DTYPE', /a time32\[ms\] has no year/u, "'year'"],
    ["m > '2020-13-01'", 'ERR_PARSE', /month 13 is not in 1 … 12/u, "'2020-13-01'"],
    ["d in ('2020-01-01', '2020-02-30')", 'ERR_PARSE', /day 30 is not in 1 … 29/u, "'2020-02-30'"],
    ["date '2020-02-03 10:00'", 'ERR_PARSE', /write timestamp '2020-02-03 10:00'/u],
    ["ym = '1 day'", 'ERR_PARSE', /has no days and no time/u, "'1 day'"],
    ["du > '1 month'", 'ERR_PARSE', /a duration has no months/u, "'1 month'"],
    ['d > 5', 'ERR_DTYPE', /greater_than takes \(A, A\), .*got \(date32, int32\)/u],
    ['m > z', 'ERR_DTYPE', /got \(timestamp\[ms\], timestamp\[ms, Europe\/Berlin\]\)/u],
    ['d + d', 'ERR_DTYPE', /add takes .* got \(date32, date32\)/u],
    ['hour(du)', 'ERR_DTYPE', /extractHour takes \(moment\) or \(time\) or \(interval\), got \(duration\[ms\]\)/u],
    ["to_char(d, 'yyyz')", 'ERR_PARSE', /character 3: expected a word/u, "'yyyz'"],
    ["dt < interval '1 day'", 'ERR_DTYPE', /less_than takes .*got \(interval\[day_time\], interval\[month_day_nano\]\)/u],
    ["strftime(d, '%Q')", 'ERR_PARSE', /a pattern knows no '%Q', but %Y %y/u, "'%Q'"],
    ['strftime(d, x)', 'ERR_ARGUMENT', /the pattern has to be a literal/u],
    ["from_utc_timestamp(m, 'Europe/Berln')", 'ERR_ARGUMENT', /did you mean 'Europe\/Berlin'/u, "'Europe/Berln'"],
    ['to_utc_timestamp(m, x)', 'ERR_ARGUMENT', /the zone has to be a literal/u],
    ['make_date(2021, 2, 27 + i)', 'ERR_CALL', /^row 1: there is no such date/u],
    ['make_timestamp(2021, 2, 27, 0, 0, 60)', 'ERR_CALL', /^row 0: there is no such time/u],
    ["next_day(d, 'noday')", 'ERR_CALL', /^row 0: no day of the week/u],
    ["n + interval '300 years'", 'ERR_CALL', /^row 0: the result is out of the range/u],
    ['d + 2147483647', 'ERR_CALL', /^row 1: the result is out of the range/u],
    ["cast(x as time)", 'ERR_CALL', /^row 0: utf8 to time32\[ms\]: the text is no time32\[ms\]/u],
  ];
  for (const [text, code, message, marked = text] of rows) {
    const { error } = project(text, TABLE, 'int64');
    assert.equal(error?.code, code, `${text}: ${error?.message}`);
    assert.match(error.message, message, text);
    const carets = error.message.split('\n').at(-1);
    assert.equal(text.slice(carets.indexOf('^') - 2, carets.length - 2), marked, text);
  }
  assert.throws(() => expr('m < @now').project(TABLE, { parameters: { now: new Date(NaN) } }), /a valid Date/u);
});
