/**
 * Sums and differences of dates, timestamps, times, durations and intervals: overloads of the rows of arithmetic.js,
 * and rows for date_add and date_sub.
 *
 *   moment ± int         so many days later, at the same local time
 *   moment ± interval    months first, then days at the same local time, then time; of a date a timestamp[ms]
 *   moment ± duration    time, of the finer unit; of a date a timestamp
 *   timestamp - timestamp    a duration; date - date days
 *   date + time          a timestamp; time ± interval a time of any day
 *   intervals and durations are added and negated, intervals multiplied by integers
 *
 * Nothing of it wraps: a result that does not fit is a fault of kind 'value'.
 */
'use strict';

const { daysOf, floorDiv, monthDays, yearOf } = require('../types/calendar.js');
const { commonType } = require('../types/common.js');
const types = require('../types/index.js');
const { castValue } = require('./cast.js');
const { DAY_SECONDS, PER_SECOND, clockOf, intervalParts, isDays, isUtc, perDay, perSecond, whole } = require('./dates-units.js');
const { overload, row } = require('./signature.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../kernel/dag.js').Rep} Rep */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('./signature.js').Build} Build */
/** @typedef {import('./signature.js').Overload} Overload */
/** @typedef {1n | -1n} Sign */

const HOW = /** @type {const} */ ({ fault: 'value', what: 'the result is out of the range of its type' });

// --- days ---

/** @type {(c: Context, value: Node, days: Node, type: DataType, sign: Sign) => Node} */
function plusDays(c, value, days, type, sign) {
  const { dag } = c;
  const n = sign > 0n ? days : negated(c, days);
  if (isDays(type)) return c.call('date_add', [dag.convert(value, 'i64'), n, whole(dag, 1n)], 'i32', HOW);
  if (!isUtc(type)) return c.call('add_days', [value, n, whole(dag, 1n), ...clockOf(c, type)], 'i64', HOW);
  return c.call('time_add', [value, n, whole(dag, perDay(type))], 'i64', HOW);
}

/** Of the least number there is none. @type {(c: Context, value: Node) => Node} */
function negated(c, value) {
  const { dag } = c;
  c.fault(dag.compare('eq', value, dag.constant(value.rep === 'i32' ? -(2n ** 31n) : -(2n ** 63n), value.rep)), HOW.fault, HOW.what);
  return dag.op('neg', [value]);
}

// --- intervals and durations ---

/** Of dates, since an interval may have time. @type {(type: DataType) => DataType} */
const afterInterval = (type) => (type.kind === 'date' ? types.timestamp('ms') : type);

/** @type {(c: Context, value: Node, interval: Node, type: DataType, by: DataType, sign: Sign, literal: any) => Node} */
function plusInterval(c, value, interval, type, by, sign, literal) {
  const { dag } = c;
  const to = afterInterval(type);
  const moment = castValue(c, value, type, to);
  const known = literal?.months === undefined || !isUtc(to) ? undefined : plusKnown(c, moment, literal, to, sign);
  if (known !== undefined) return known;
  const parts = intervalParts(c, interval, by, literal);
  return c.call('add_interval', [moment, ...parts, whole(dag, sign), ...clockOf(c, to)], 'i64', HOW);
}

const isInt64 = (/** @type {bigint} */ value) => BigInt.asIntN(64, value) === value;

/** A literal without months is a number of units, and one with them beside a literal gives one. @type {(c: Context, moment: Node, interval: import('../types/time-text.js').Interval, type: DataType, sign: Sign) => Node | undefined} */
function plusKnown(c, moment, { months, days, nanoseconds }, type, sign) {
  const { dag } = c;
  const units = floorDiv(sign * nanoseconds, PER_SECOND.ns / perSecond(type)) + sign * BigInt(days) * perDay(type);
  if (months === 0) return isInt64(units) ? sumOfCounts(c, moment, whole(dag, units), 1n) : undefined;
  if (moment.kind !== 'constant') return undefined;
  const sum = plusMonths(BigInt(/** @type {bigint} */ (moment.value)), Number(sign) * months, perDay(type)) + units;
  return isInt64(sum) ? whole(dag, sum) : undefined;
}

/** So many months later, or at the end of a month that is shorter. @type {(value: bigint, months: number, day: bigint) => bigint} */
function plusMonths(value, months, day) {
  const days = Number(floorDiv(value, day));
  const year = yearOf(days);
  const month = MONTHS.findLast((each) => daysOf(year, each, 1) <= days) ?? 1;
  const index = year * 12 + month - 1 + months;
  const [toYear, toMonth] = [Math.floor(index / 12), (((index % 12) + 12) % 12) + 1];
  const ofMonth = Math.min(days - daysOf(year, month, 1) + 1, monthDays(toYear, toMonth));
  return value + BigInt(daysOf(toYear, toMonth, ofMonth) - days) * day;
}

const MONTHS = Array.from({ length: 12 }, (_, i) => i + 1);

/** What a time of the day is some time later: months and days change nothing. @type {(c: Context, value: Node, interval: Node, type: DataType, by: DataType, sign: Sign, literal: any) => Node} */
function timePlusInterval(c, value, interval, type, by, sign, literal) {
  const { dag } = c;
  const [, , nanoseconds] = intervalParts(c, interval, by, literal);
  const moved = sign > 0n ? nanoseconds : negated(c, nanoseconds);
  const time = c.call('time_of_day_add', [dag.convert(value, 'i64'), moved, whole(dag, perSecond(type))], 'i64');
  return dag.convert(time, /** @type {Rep} */ (type.dtype));
}

/** The finer of both units. @type {(moment: DataType, duration: DataType) => DataType | null} */
function afterDuration(moment, { unit }) {
  const asStamp = types.timestamp(/** @type {any} */ (unit), moment.zone);
  return commonType(moment, asStamp) ?? null;
}

/** @type {(c: Context, a: Node, b: Node, sign: Sign) => Node} */
function sumOfCounts(c, a, b, sign) {
  const { dag } = c;
  const sum = dag.op(sign > 0n ? 'add' : 'sub', [a, b]);
  // Both operands have another sign than the sum, or of a difference the first one and not the second.
  const other = sign > 0n ? dag.op('xor', [b, sum]) : dag.op('xor', [a, b]);
  c.fault(dag.compare('lt', dag.op('and', [dag.op('xor', [a, sum]), other]), whole(dag, 0n)), HOW.fault, HOW.what);
  return sum;
}

/** @type {(c: Context, value: Node, duration: Node, type: DataType, by: DataType, to: DataType, sign: Sign) => Node} */
function plusDuration(c, value, duration, type, by, to, sign) {
  const scaled = castValue(c, duration, by, types.duration(/** @type {any} */ (to.unit)));
  return sumOfCounts(c, castValue(c, value, type, to), scaled, sign);
}

/** @type {(c: Context, a: Node, b: Node, type: DataType, sign: Sign) => Node} */
function sumOfIntervals(c, a, b, type, sign) {
  const { dag } = c;
  if (type.unit === 'year_month') {
    return c.call('date_add', [dag.convert(a, 'i64'), signed(c, dag.convert(b, 'i64'), sign), whole(dag, 1n)], 'i32', HOW);
  }
  if (type.unit === 'day_time') return c.call('interval_pair_add', [a, b, whole(dag, sign)], 'i64', HOW);
  const halves = [dag.half(a, 0), dag.half(a, 1), dag.half(b, 0), dag.half(b, 1)];
  return c.call('interval_add', [...halves, whole(dag, sign)], 'i128', HOW);
}

/** @type {(c: Context, value: Node, sign: Sign) => Node} of a number that came from 32 bits */
const signed = ({ dag }, value, sign) => (sign > 0n ? value : dag.op('neg', [value]));

/** @type {(c: Context, interval: Node, n: Node, type: DataType) => Node} */
function timesInterval(c, interval, n, type) {
  const { dag } = c;
  if (type.unit === 'year_month') {
    const pair = c.call('interval_pair', [dag.convert(interval, 'i64'), whole(dag, 0n)], 'i64');
    return dag.convert(c.call('interval_pair_multiply', [pair, n], 'i64', HOW), 'i32');
  }
  if (type.unit === 'day_time') return c.call('interval_pair_multiply', [interval, n], 'i64', HOW);
  return c.call('interval_multiply', [dag.half(interval, 0), dag.half(interval, 1), n], 'i128', HOW);
}

// --- overloads ---

/** @type {(kind: string) => (types: readonly DataType[]) => DataType | null} the common type, where it is of a kind */
const common = (kind) => ([type]) => (type.kind === kind ? type : null);
const first = (/** @type {readonly DataType[]} */ [type]) => type;
const second = (/** @type {readonly DataType[]} */ [, type]) => type;

/** A moment, and something after it. @type {(sign: Sign) => Overload[]} */
const afterMoment = (sign) => [
  overload('(moment, int64) → ?', (c, [value, n], { args: [type] }) => plusDays(c, value, n, type, sign), first),
  overload('(moment, interval) → ?', (c, [value, interval], info) => {
    const [type, by] = info.args;
    return plusInterval(c, value, interval, type, by, sign, info.literals[1]);
  }, ([type]) => afterInterval(type)),
  overload('(moment, duration) → ?', (c, [value, duration], { args: [type, by], result }) =>
    plusDuration(c, value, duration, type, by, result, sign), ([type, by]) => afterDuration(type, by)),
];

/** The same the other way round. @type {Overload[]} */
const beforeMoment = [
  overload('(int64, moment) → ?', (c, [n, value], { args: [, type] }) => plusDays(c, value, n, type, 1n), second),
  overload('(interval, moment) → ?', (c, [interval, value], info) => {
    const [by, type] = info.args;
    return plusInterval(c, value, interval, type, by, 1n, info.literals[0]);
  }, ([, type]) => afterInterval(type)),
  overload('(duration, moment) → ?', (c, [duration, value], { args: [by, type], result }) =>
    plusDuration(c, value, duration, type, by, result, 1n), ([by, type]) => afterDuration(type, by)),
];

/** @type {(sign: Sign) => Overload[]} */
const ofSpans = (sign) => [
  overload('(time, interval) → ?', (c, [value, interval], info) => {
    const [type, by] = info.args;
    return timePlusInterval(c, value, interval, type, by, sign, info.literals[1]);
  }, first),
  overload('(A, A) → ?', (c, [a, b], { args: [type] }) => sumOfIntervals(c, a, b, type, sign), common('interval')),
  overload('(A, A) → ?', (c, [a, b]) => sumOfCounts(c, a, b, sign), common('duration')),
];

/** @type {Overload} */
const dateWithTime = overload('(date, time) → ?', (c, [date, time], { args: [type, of], result }) => {
  const { dag } = c;
  const midnight = castValue(c, date, type, result);
  const units = perSecond(result) / perSecond(of);
  const since = dag.convert(time, 'i64');
  return sumOfCounts(c, midnight, units === 1n ? since : dag.op('mul', [since, whole(dag, units)]), 1n);
}, ([date, { unit }]) => commonType(date, types.timestamp(/** @type {any} */ (unit))) ?? null);

/** Days from the second to the first. @type {Build} */
const daysBetween = (c, [a, b], { args: [type] }) => {
  const { dag } = c;
  if (isDays(type)) return dag.op('sub', [dag.convert(a, 'i64'), dag.convert(b, 'i64')]);
  const [to, from] = [a, b].map((value) => c.call('time_div', [value, whole(dag, 1000n * DAY_SECONDS)], 'i64'));
  return dag.op('sub', [to, from]);
};

const plus = [...afterMoment(1n), ...beforeMoment, ...ofSpans(1n), dateWithTime];
const minus = [
  ...afterMoment(-1n),
  ...ofSpans(-1n),
  overload('(A, A) → ?', daysBetween, ([type]) => (type.kind === 'date' ? types.int64 : null)),
  overload('(A, A) → ?', (c, [a, b]) => sumOfCounts(c, a, b, -1n), ([type]) =>
    type.kind === 'timestamp' ? types.duration(/** @type {any} */ (type.unit)) : null),
  overload('(A, A) → ?', (c, [a, b]) => c.dag.op('sub', [c.dag.convert(a, 'i64'), c.dag.convert(b, 'i64')]), ([type]) =>
    type.kind === 'time' ? types.duration(/** @type {any} */ (type.unit)) : null),
];

module.exports = {
  plus,
  minus,
  times: [
    overload('(interval, int64) → ?', (c, [interval, n], { args: [type] }) => timesInterval(c, interval, n, type), first),
    overload('(int64, interval) → ?', (c, [n, interval], { args: [, type] }) => timesInterval(c, interval, n, type), second),
  ],
  negative: [
    overload('(interval) → ?', (c, [a], { args: [type] }) =>
      type.unit === 'year_month' ? negated(c, a) : timesInterval(c, a, whole(c.dag, -1n), type), first),
    overload('(duration) → ?', (c, [a]) => negated(c, a), first),
  ],
  rows: [
    row('datetime', 'date_add', 'so many days later, or an interval', [...afterMoment(1n), ...beforeMoment]),
    row('datetime', 'date_sub date_diff', 'so many days earlier, or an interval', afterMoment(-1n)),
  ],
};
