/**
 * Functions of dates, times and moments. Moments in a zone are read as its clocks show them.
 */
'use strict';

const {
  DAY, addMonths, daysInMonth, fieldsOf, fromMillis, momentInZone, momentOf, offsetOf, toMillis,
} = require('./calendar.js');
const { invalid } = require('./faults.js');
const { fitted, floored } = require('./numbers.js');
const { NANOS, typeOf } = require('./types.js');

const first = ([/** @type {any} */ a]) => a;
const last = (/** @type {any[]} */ args) => args[args.length - 1];

/** What clocks show, in milliseconds. @type {(value: bigint, type: any) => bigint} */
function clock(value, type) {
  const { ms } = toMillis(value, type.unit);
  return type.zone ? ms + offsetOf(type.zone, ms) : ms;
}

/** A moment whose clocks were set by `change`; what is smaller than a millisecond is kept if `keep`. @type {(value: bigint, type: any, options: any, change: (ms: bigint) => bigint, keep?: boolean) => bigint} */
function changed(value, type, options, change, keep = true) {
  const { ms, rest } = toMillis(value, type.unit);
  const set = change(type.zone ? ms + offsetOf(type.zone, ms) : ms);
  const moved = fromMillis(type.zone ? momentInZone(set, type.zone) : set, keep ? rest : 0n, type.unit);
  return fitted(moved, { ...type, bits: type.id === 'date32' ? 32 : 64 }, options);
}

const SECOND = 1000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;

/** Since the 1st of January, from 1. @type {(ms: bigint) => bigint} */
const dayOfYear = (ms) => (ms - fieldsOf(ms).rest - momentOf(fieldsOf(ms).year, 0)) / DAY + 1n;

/** The Monday of a week. @type {(ms: bigint) => bigint} */
const mondayOf = (ms) => ms - fieldsOf(ms).rest - BigInt((fieldsOf(ms).weekday + 6) % 7) * DAY;

/** Of ISO 8601: the first one has the year's first Thursday. @type {(ms: bigint) => bigint} */
function isoWeek(ms) {
  const thursday = mondayOf(ms) + 3n * DAY;
  return (thursday - momentOf(fieldsOf(thursday).year, 0)) / DAY / 7n + 1n;
}

const whole = (/** @type {number} */ n) => BigInt(Math.trunc(n));

/** By names of extract. @type {Record<string, (ms: bigint) => bigint>} */
const parts = {
  Millennium: (ms) => whole((fieldsOf(ms).year - 1) / 1000) + 1n,
  Century: (ms) => whole((fieldsOf(ms).year - 1) / 100) + 1n,
  Decade: (ms) => whole(fieldsOf(ms).year / 10),
  Year: (ms) => BigInt(fieldsOf(ms).year),
  Quarter: (ms) => whole(fieldsOf(ms).month / 3) + 1n,
  Month: (ms) => BigInt(fieldsOf(ms).month + 1),
  Week: isoWeek,
  Day: (ms) => BigInt(fieldsOf(ms).day),
  Hour: (ms) => fieldsOf(ms).rest / HOUR,
  Minute: (ms) => (fieldsOf(ms).rest / MINUTE) % 60n,
  Second: (ms) => (fieldsOf(ms).rest / SECOND) % 60n,
  Doy: dayOfYear,
  Dow: (ms) => BigInt(fieldsOf(ms).weekday + 1),
};

/** @type {Record<string, string>} */
const ALIASES = {
  Year: 'year', Quarter: 'quarter', Month: 'month', Week: 'week weekofyear yearweek', Day: 'day dayofmonth', Hour: 'hour',
  Minute: 'minute', Second: 'second', Doy: 'doy dayofyear', Dow: 'dow dayofweek',
};

/** The first moment of a span of years that begins in a year like 0 or 1. @type {(span: number, from: number) => (ms: bigint) => bigint} */
const yearsFrom = (span, from) => (ms) =>
  momentOf(Number(whole((fieldsOf(ms).year - from) / span)) * span + from, 0);

/** @type {(months: number) => (ms: bigint) => bigint} */
const monthsFrom = (months) => (ms) => momentOf(fieldsOf(ms).year, Math.floor(fieldsOf(ms).month / months) * months);

/** @type {(unit: bigint) => (ms: bigint) => bigint} */
const unitFrom = (unit) => (ms) => floored(ms, unit) * unit;

/** By names of date_trunc. @type {Record<string, (ms: bigint) => bigint>} */
const truncations = {
  Millennium: yearsFrom(1000, 1), Century: yearsFrom(100, 1), Decade: yearsFrom(10, 0), Year: monthsFrom(12),
  Quarter: monthsFrom(3), Month: monthsFrom(1), Week: mondayOf, Day: unitFrom(DAY), Hour: unitFrom(HOUR),
  Minute: unitFrom(MINUTE), Second: unitFrom(SECOND),
};

/** @type {Record<string, bigint>} */
const FIXED = { Second: SECOND, Minute: MINUTE, Hour: HOUR, Day: DAY, Week: 7n * DAY };
/** @type {Record<string, number>} */
const MONTHS = { Month: 1, Quarter: 3, Year: 12 };

/** Whole months from one moment to a later one. @type {(start: bigint, end: bigint) => number} */
function monthsApart(start, end) {
  const [a, b] = [fieldsOf(start), fieldsOf(end)];
  const months = 12 * (b.year - a.year) + b.month - a.month;
  if (b.day > a.day) return months;
  if (b.day < a.day) return months - (b.day === daysInMonth(b.year, b.month) ? 0 : 1);
  return months - (b.rest / SECOND >= a.rest / SECOND ? 0 : 1);
}

/** @type {(start: bigint, end: bigint, months: number) => bigint} */
const monthUnitsApart = (start, end, months) =>
  end > start ? whole(monthsApart(start, end) / months) : -whole(monthsApart(end, start) / months);

const millis = (/** @type {bigint} */ value, /** @type {any} */ type) => toMillis(value, type.unit).ms;

/** Months with fractions of 31 days; whole between the same days, and between last ones. @type {(end: bigint, start: bigint) => number} */
function monthsBetween(end, start) {
  const [a, b] = [fieldsOf(end), fieldsOf(start)];
  const months = (a.year - b.year) * 12 + a.month - b.month;
  const isLast = ({ year, month, day }) => day === daysInMonth(year, month);
  if (a.day === b.day || (isLast(a) && isLast(b))) return months;
  const hours = Number(a.rest / SECOND - b.rest / SECOND) / 3600;
  return months + (a.day - b.day) / 31 + hours / (24 * 31);
}

const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

/** The next such day after one; a part of a name will do, and the first that has it is taken. @type {(ms: bigint, name: string) => bigint} */
function nextDay(ms, name) {
  const wanted = WEEKDAYS.findIndex((day) => day.includes(name));
  if (wanted < 0) return invalid(`no day of the week is called ${name}`);
  const { weekday, rest } = fieldsOf(ms);
  return ms - rest + BigInt((wanted - weekday + 6) % 7 + 1) * DAY;
}

/** @type {(ms: bigint) => bigint} */
const lastDay = (ms) => momentOf(fieldsOf(ms).year, fieldsOf(ms).month + 1, 0);

/** @type {(table: Record<string, any>, name: string, what: string) => any} */
function named(table, name, what) {
  const key = Object.keys(table).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? invalid(`${what} knows no ${name}`) : table[key];
}

/** @type {(value: bigint, type: any) => bigint} seconds since 1970, cut off at the point */
const epoch = (value, type) => (value * NANOS[type.unit]) / NANOS.s;

const extractions = Object.entries(parts).flatMap(([name, part]) => {
  const names = [`extract${name}`, `extract_${name}`, ...(ALIASES[name] ?? '').split(' ')].filter(Boolean).join(' ');
  const rows = [[names, '(moment) → int64', (/** @type {bigint} */ value, /** @type {any} */ { args }) => part(clock(value, args[0]))]];
  if (['Hour', 'Minute', 'Second'].includes(name)) {
    rows.push([names, '(time) → int64', (/** @type {bigint} */ value, /** @type {any} */ { args }) => part(millis(value, args[0]))]);
  }
  return rows;
});

const truncated = Object.entries(truncations).map(([name, truncate]) => [
  `date_trunc_${name}`, '(moment) → ?',
  (/** @type {bigint} */ value, /** @type {any} */ { args, options }) => changed(value, args[0], options, truncate, false), first,
]);

const additions = [
  ...Object.entries(FIXED).map(([name, unit]) => [`timestampadd${name}`, (/** @type {bigint} */ n) => (/** @type {bigint} */ ms) => ms + n * unit]),
  ...Object.entries(MONTHS).map(([name, months]) => [
    `timestampadd${name}${name === 'Month' ? ' add_months' : ''}`,
    (/** @type {bigint} */ n) => (/** @type {bigint} */ ms) => addMonths(ms, Number(n) * months),
  ]),
].flatMap(([names, change]) => [
  [names, '(moment, int) → ?', (/** @type {bigint} */ value, /** @type {bigint} */ n, /** @type {any} */ { args, options }) =>
    changed(value, args[0], options, /** @type {any} */ (change)(n)), first],
  [names, '(int, moment) → ?', (/** @type {bigint} */ n, /** @type {bigint} */ value, /** @type {any} */ { args, options }) =>
    changed(value, args[1], options, /** @type {any} */ (change)(n)), last],
]);

/** @type {(apart: (start: bigint, end: bigint) => bigint) => any} */
const difference = (apart) => (/** @type {bigint} */ start, /** @type {bigint} */ end, /** @type {any} */ { args, result }) =>
  fitted(apart(millis(start, args[0]), millis(end, args[1])), result, { overflow: 'wrap' });

module.exports = [
  ...extractions,
  ['extractDay extract_day', '(interval) → int64', ({ days }) => BigInt(days)],
  ['extractEpoch extract_epoch epoch', '(moment) → int64', (value, { args }) => epoch(value, args[0])],
  ['extract date_part', '(utf8, moment) → int64', (name, value, { args }) =>
    name.toLowerCase() === 'epoch' ? epoch(value, args[1]) : named(parts, name, 'extract')(clock(value, args[1]))],
  ['extract date_part', '(utf8, time) → int64', (name, value, { args }) => named(parts, name, 'extract')(millis(value, args[1]))],
  ...truncated,
  ['date_trunc', '(utf8, moment) → ?', (name, value, { args, options }) =>
    changed(value, args[1], options, named(truncations, name, 'date_trunc'), false), last],
  ...additions,
  ...Object.entries(FIXED).map(([name, unit]) => [`timestampdiff${name}`, '(moment, moment) → int32', difference((a, b) => (b - a) / unit)]),
  ...Object.entries(MONTHS).map(([name, months]) => [
    `timestampdiff${name}`, '(moment, moment) → int32', difference((a, b) => monthUnitsApart(a, b, months)),
  ]),
  ['datediff', '(moment, moment) → int32', difference((a, b) => (a - b) / DAY)],
  ['months_between', '(moment, moment) → float64', (end, start, { args }) => monthsBetween(millis(end, args[0]), millis(start, args[1]))],
  ['next_day', '(moment, utf8) → date64', (value, name, { args }) => nextDay(clock(value, args[0]), name)],
  ['last_day', '(moment) → date64', (value, { args }) => lastDay(clock(value, args[0]))],
  ['to_utc_timestamp', '(timestamp, utf8) → ?', (value, zone, { args }) => {
    const { ms, rest } = toMillis(value, args[0].unit);
    return fromMillis(ms - offsetOf(zone, ms), rest, args[0].unit);
  }, ([{ unit }]) => typeOf(`timestamp[${unit}]`)],
  ['from_utc_timestamp', '(timestamp, utf8) → ?', (value, zone, { args }) => {
    const { ms, rest } = toMillis(value, args[0].unit);
    return fromMillis(ms + offsetOf(zone, ms), rest, args[0].unit);
  }, ([{ unit }]) => typeOf(`timestamp[${unit}]`)],
];
