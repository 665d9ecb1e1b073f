/**
 * Literals and casts of dates, times, timestamps, durations and intervals, and Gandiva's functions that make them.
 *
 * What a unit does not hold is cut off, towards the past; what does not fit is a fault of kind 'cast'. A timestamp
 * becomes the date and the time that clocks of its zone show, and a date the midnight of the zone; between timestamps
 * an instant stays the same instant, so a cast that adds or drops a zone keeps the number (from_utc_timestamp and
 * to_utc_timestamp move clocks). Integers are numbers in the type's unit. Texts are read and written as ISO 8601 and
 * SQL have them (src/library/dates/text.c).
 */
'use strict';

const { addLiteral } = require('../analyse/literals.js');
const types = require('../types/index.js');
const { scalarRange } = require('../types/representation.js');
const { checkPattern, parseDate, parseInterval, parseTime, parseTimestamp } = require('../types/time-text.js');
const { zoneTable } = require('../types/zones.js');
const { addCast, castValue } = require('./cast.js');
const {
  DAY_SECONDS, PER_SECOND, clockOf, daysOf, instantOf, intervalParts, isDays, isUtc, orRefuse, perDay, perSecond, whole,
} = require('./dates-units.js');
const { overload, row } = require('./signature.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../kernel/dag.js').Rep} Rep */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('../types/time-text.js').TimeUnit} TimeUnit */
/** @typedef {import('../types/time-text.js').Interval} Interval */
/** @typedef {import('./signature.js').Build} Build */
/** @typedef {import('./signature.js').CallInfo} CallInfo */
/** @typedef {(message: string) => never} Refuse */

const DAY_MILLISECONDS = 1000n * DAY_SECONDS;

// --- literals ---

/** Thousandths are enough for most; what has more digits is of a finer unit. @type {(text: string) => TimeUnit} */
function unitOfText(text) {
  const digits = /\.(\d*)/u.exec(text)?.[1].length ?? 0;
  return digits <= 3 ? 'ms' : digits <= 6 ? 'us' : 'ns';
}

addLiteral(
  'date',
  (text, refuse) => (text.includes(':') ? refuse(`a date has no time: write timestamp '${text}'`) : types.date32),
  (dag, text, type, refuse) => {
    const days = orRefuse(() => parseDate(text), refuse);
    return isDays(type) ? dag.constant(days, 'i32') : whole(dag, BigInt(days) * DAY_MILLISECONDS);
  },
);

addLiteral('time', (text) => types.time(unitOfText(text)), (dag, text, { unit, dtype }, refuse) =>
  dag.constant(orRefuse(() => parseTime(text, /** @type {TimeUnit} */ (unit)), refuse), /** @type {Rep} */ (dtype)),
);

addLiteral('timestamp', (text) => types.timestamp(unitOfText(text)), (dag, text, { unit, zone }, refuse) =>
  whole(dag, orRefuse(() => parseTimestamp(text, /** @type {TimeUnit} */ (unit), zone === undefined ? undefined : zoneTable(zone)), refuse)),
);

/** @type {(value: string | Interval, refuse: Refuse) => Interval} */
const intervalOf = (value, refuse) => (typeof value === 'string' ? orRefuse(() => parseInterval(value), refuse) : value);

/** Of two numbers of 32 bits. @type {(low: number, high: number) => bigint} */
const pair = (low, high) => BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt.asUintN(32, BigInt(low)));

/** @type {Record<string, (dag: import('../kernel/dag.js').Dag, interval: Interval, refuse: Refuse) => Node>} */
const INTERVALS = {
  year_month: (dag, { months, days, nanoseconds }, refuse) =>
    days === 0 && nanoseconds === 0n ? dag.constant(months, 'i32') : refuse('an interval of years and months has no days and no time'),
  day_time: (dag, { months, days, nanoseconds }, refuse) => {
    const milliseconds = Number(nanoseconds / 1_000_000n);
    if (months !== 0) refuse('an interval of days and milliseconds has no months');
    const fits = Math.trunc(milliseconds) === (milliseconds | 0) && nanoseconds % 1_000_000n === 0n;
    return fits ? whole(dag, pair(days, milliseconds)) : refuse('an interval of days and milliseconds has no such time');
  },
  month_day_nano: (dag, { months, days, nanoseconds }) =>
    dag.table(new Uint8Array(BigInt64Array.of(pair(months, days), nanoseconds).buffer), 'i128'),
};

addLiteral('interval', () => types.interval('month_day_nano'), (dag, value, { unit }, refuse) =>
  INTERVALS[String(unit)](dag, intervalOf(value, refuse), refuse),
);

addLiteral('duration', () => types.duration('ns'), (dag, value, type, refuse) => {
  const { months, days, nanoseconds } = intervalOf(value, refuse);
  if (months !== 0) refuse('a duration has no months, which are not all equally long');
  const total = BigInt(days) * DAY_SECONDS * PER_SECOND.ns + nanoseconds;
  const units = total / (PER_SECOND.ns / perSecond(type));
  return BigInt.asIntN(64, units) === units ? whole(dag, units) : refuse(`too long for ${type.text}`);
});

// --- between units ---

/** @type {(from: DataType, to: DataType) => string} */
const tooLarge = (from, to) => `${from.text} to ${to.text}: the value does not fit`;

/** An int64 as an int32 that it has to fit. @type {(c: Context, value: Node, what: string) => Node} */
function narrowed(c, value, what) {
  const { dag } = c;
  const [least, most] = scalarRange(types.int32);
  const isBelow = dag.compare('lt', value, whole(dag, least));
  c.fault(dag.or(isBelow, dag.compare('gt', value, whole(dag, most))), 'cast', what);
  return dag.convert(value, 'i32');
}

/** A number times a constant, where that may leave an int64. @type {(c: Context, value: Node, times: bigint, what: string) => Node} */
function multiplied(c, value, times, what) {
  const { dag } = c;
  const [, most] = scalarRange(types.int64);
  const limit = most / times;
  const isBelow = dag.compare('lt', value, whole(dag, -limit));
  c.fault(dag.or(isBelow, dag.compare('gt', value, whole(dag, limit))), 'cast', what);
  return dag.op('mul', [value, whole(dag, times)]);
}

/** A count of units of a second in those of another type. @type {(c: Context, value: Node, from: DataType, to: DataType) => Node} */
function rescaled(c, value, from, to) {
  const [own, other] = [perSecond(from), perSecond(to)];
  if (own === other) return value;
  return other > own
    ? multiplied(c, value, other / own, tooLarge(from, to))
    : c.call('time_div', [value, whole(c.dag, own / other)], 'i64');
}

addCast('duration duration', rescaled);
addCast('timestamp timestamp', rescaled);

addCast('time time', (c, value, from, to) => {
  // All times of a day fit; what a column has besides may not.
  const wide = rescaled(c, c.dag.convert(value, 'i64'), from, to);
  return to.bits === 64 ? wide : narrowed(c, wide, tooLarge(from, to));
});

addCast('date date', (c, value, from, to) => {
  const { dag } = c;
  if (isDays(from)) return dag.op('mul', [dag.convert(value, 'i64'), whole(dag, DAY_MILLISECONDS)]);
  return narrowed(c, daysOf(c, value, from), tooLarge(from, to));
});

addCast('date timestamp', (c, value, from, to) => {
  const { dag } = c;
  if (!isDays(from)) return rescaled(c, value, from, to);
  const days = dag.convert(value, 'i64');
  if (!isUtc(to)) {
    return c.call('make_timestamp', [days, whole(dag, 0n), ...clockOf(c, to)], 'i64', { fault: 'cast', what: tooLarge(from, to) });
  }
  const [, mostDays] = scalarRange(types.int32);
  const [, most] = scalarRange(types.int64);
  return mostDays * perDay(to) > most
    ? multiplied(c, days, perDay(to), tooLarge(from, to))
    : dag.op('mul', [days, whole(dag, perDay(to))]);
});

addCast('timestamp date', (c, value, from, to) => {
  const days = daysOf(c, value, from);
  // No instant of microseconds or nanoseconds is so far from 1970.
  const isNear = perSecond(from) >= PER_SECOND.us;
  if (isDays(to)) return isNear ? c.dag.convert(days, 'i32') : narrowed(c, days, tooLarge(from, to));
  return isNear
    ? c.dag.op('mul', [days, whole(c.dag, DAY_MILLISECONDS)])
    : multiplied(c, days, DAY_MILLISECONDS, tooLarge(from, to));
});

addCast('timestamp time', (c, value, from, to) => {
  const { dag } = c;
  const time = c.call('local_time', [value, ...clockOf(c, from)], 'i64');
  const [own, other] = [perSecond(from), perSecond(to)];
  const scaled = other >= own ? dag.op('mul', [time, whole(dag, other / own)]) : c.call('time_div', [time, whole(dag, own / other)], 'i64');
  return dag.convert(scaled, /** @type {Rep} */ (to.dtype));
});

// --- numbers ---

/** The integer that a value is stored as. @type {(type: DataType) => DataType} */
const storage = ({ bits }) => (bits === 64 ? types.int64 : types.int32);

for (const kind of ['date', 'time', 'timestamp', 'duration']) {
  addCast(`int ${kind}`, (c, value, from, to) => castValue(c, value, from, storage(to)));
  addCast(`${kind} int`, (c, value, from, to) => castValue(c, value, storage(from), to));
}

// --- intervals ---

addCast('interval interval', (c, value, from, to) => {
  const { dag } = c;
  const [months, days, nanoseconds] = intervalParts(c, value, from);
  const zero = whole(dag, 0n);
  if (to.unit === 'month_day_nano') return dag.wide(c.call('interval_pair', [months, days], 'i64'), nanoseconds);
  const what = tooLarge(from, to);
  const lost = to.unit === 'year_month' ? [days, nanoseconds] : [months];
  for (const part of lost) c.fault(dag.compare('ne', part, zero), 'cast', what);
  if (to.unit === 'year_month') return dag.convert(months, 'i32');
  const milliseconds = narrowed(c, c.call('time_div', [nanoseconds, whole(dag, 1_000_000n)], 'i64'), what);
  return c.call('interval_pair', [days, milliseconds], 'i64');
});

// --- texts ---

/** @type {(name: string, more: (c: Context, to: DataType) => Node[], rep?: Rep) => import('./cast.js').Cast} */
const reader = (name, more, rep) => (c, text, from, to) => {
  const what = `${from.text} to ${to.text}: the text is no ${to.text}, or one that does not fit`;
  return c.call(name, [text, ...more(c, to)], rep ?? /** @type {Rep} */ (to.dtype), { fault: 'cast', what });
};

const readDays = reader('parse_date', () => [], 'i32');
addCast('utf8 date', (c, text, from, to) => castValue(c, readDays(c, text, from, to), types.date32, to));
addCast('utf8 time', reader('parse_time', (c, to) => [whole(c.dag, perSecond(to))]));
addCast('utf8 timestamp', reader('parse_timestamp', clockOf));

/** @type {Record<string, import('./cast.js').Cast>} */
const READ_INTERVALS = {
  year_month: reader('parse_interval_months', () => [], 'i32'),
  day_time: reader('parse_interval_day_time', () => [], 'i64'),
  month_day_nano: reader('parse_interval', () => [], 'i128'),
};
addCast('utf8 interval', (c, text, from, to) => READ_INTERVALS[String(to.unit)](c, text, from, to));

/** @type {(name: string, parts: (c: Context, value: Node, from: DataType) => Node[]) => import('./cast.js').Cast} */
const writer = (name, parts) => (c, value, from) => c.call(name, parts(c, value, from), 'view', { arena: true });

addCast('date utf8', writer('format_date', (c, value, from) => [daysOf(c, value, from)]));
addCast('time utf8', writer('format_time', (c, value, from) => [c.dag.convert(value, 'i64'), whole(c.dag, perSecond(from))]));
addCast('timestamp utf8', writer('format_timestamp', (c, value, from) => [value, ...clockOf(c, from)]));
addCast('duration utf8', writer('format_duration', (c, value, from) => [value, whole(c.dag, perSecond(from))]));
addCast('interval utf8', writer('format_interval', (c, value, from) => intervalParts(c, value, from)));

// --- Gandiva's functions ---

/** @type {Build} what the operator does */
const cast = (c, [value], { args: [from], result }) => castValue(c, value, from, result);

/**
 * Reads a text; where `suppress` is not 0 a text that is none gives null and no fault.
 *
 * @type {(c: Context, name: string, args: Node[], rep: Rep, what: string, suppress: Node | undefined, literal: unknown) => Node}
 */
function readUnless(c, name, args, rep, what, suppress, literal) {
  const { dag, policies } = c;
  if (suppress === undefined || literal === 0n) return c.call(name, args, rep, { fault: 'cast', what });
  const call = dag.call(name, args, rep, { out: true, fails: true, arena: false }, c.guard);
  c.policies = { ...policies, cast: 'null' };
  c.fault(dag.failed(call), 'cast', what);
  c.policies = policies;
  c.fault(dag.and(dag.failed(call), dag.compare('eq', suppress, dag.constant(0n, suppress.rep))), 'cast', what);
  return call;
}

/** Checks the second operand, a pattern, where it is a literal. @type {(c: Context, info: CallInfo, isRead: boolean) => void} */
function checked(c, { literals: [, pattern], places: [, place] }, isRead) {
  if (typeof pattern !== 'string') return;
  orRefuse(() => checkPattern(pattern, isRead), (message) => c.refuse(message, 'ERR_PARSE', place));
}

/** What stands behind is not looked at, as in Gandiva. @type {Build} */
const dateByPattern = (c, [text, pattern, suppress], info) => {
  const { dag } = c;
  checked(c, info, true);
  const args = [text, pattern, whole(dag, 1n)];
  const days = readUnless(c, 'parse_date_pattern', args, 'i64', 'the text is no date of this pattern', suppress, info.literals[2]);
  return dag.op('mul', [days, whole(dag, DAY_MILLISECONDS)]);
};

/** @type {Build} */
const timestampByPattern = (c, [text, pattern], info) => {
  checked(c, info, true);
  const args = [text, pattern, whole(c.dag, 0n), ...clockOf(c, info.result)];
  return c.call('parse_pattern', args, 'i64', { fault: 'cast', what: 'the text is no timestamp of this pattern' });
};

/** @type {Build} */
const textByPattern = (c, [value, pattern], info) => {
  const [type] = info.args;
  checked(c, info, false);
  const parts = type.kind === 'time' ? [c.dag.convert(value, 'i64'), ...clockOf(c, type)] : instantOf(c, value, type);
  return c.call('format_pattern', [...parts, pattern], 'view', { arena: true, fault: 'value', what: 'the pattern makes no sense' });
};

/** Seconds as milliseconds. @type {Build} */
const ofSeconds = (c, [value], { args: [from] }) => {
  const { dag } = c;
  const what = `a timestamp[ms] does not hold so many seconds`;
  if (from.kind === 'int') {
    const seconds = castValue(c, value, from, types.int64);
    return c.call('time_add', [whole(dag, 0n), seconds, whole(dag, 1000n)], 'i64', { fault: 'cast', what });
  }
  const name = from.bits === 64 ? 'timestamp_of_f64' : 'timestamp_of_f32';
  return c.call(name, [value, whole(dag, 1000n)], 'i64', { fault: 'cast', what });
};

/** @type {Build} */
const timeOfSeconds = (c, args, info) => {
  const milliseconds = /** @type {Node} */ (ofSeconds(c, args, info));
  return c.dag.convert(c.call('time_mod', [milliseconds, whole(c.dag, DAY_MILLISECONDS)], 'i64'), 'i32');
};

/** @type {Build} */
const timeOfInt = (c, [value]) => c.dag.convert(c.call('time_of_int', [value, whole(c.dag, 1000n)], 'i64'), 'i32');

/** @type {(name: string, rep: Rep) => Build} */
const intervalUnless = (name, rep) => (c, [text, suppress], info) => {
  const what = `the text is no ${info.result.text}, or one that does not fit`;
  return readUnless(c, name, [text], rep, what, suppress, info.literals[1]);
};

/** Days are the low half, milliseconds the high one. @type {Build} */
const intervalOfInt = (_, [value]) => value;

module.exports = {
  rows: [
    row('cast', 'castDATE', 'a date64: of a text, a timestamp, a number of milliseconds; of an int32 a date32 of days', [
      overload('(utf8) → date64', cast),
      overload('(timestamp) → date64', cast),
      overload('(date) → date64', cast),
      overload('(int32) → date32', cast),
      overload('(int64) → date64', cast),
    ]),
    row('cast', 'to_date', 'a date64; by a pattern, after which anything may stand; with 1 behind, null where it is none', [
      overload('(utf8) → date64', cast),
      overload('(timestamp) → date64', cast),
      overload('(date) → date64', cast),
      overload('(int32) → date32', cast),
      overload('(int64) → date64', cast),
      overload('(utf8, utf8) → date64', dateByPattern),
      overload('(utf8, utf8, int64) → date64', dateByPattern),
    ]),
    row('cast', 'castTIMESTAMP', 'a timestamp[ms]', [
      overload('(utf8) → timestamp[ms]', cast),
      overload('(timestamp) → timestamp[ms]', cast),
      overload('(date) → timestamp[ms]', cast),
      overload('(int64) → timestamp[ms]', cast),
    ]),
    row('cast', 'castTIME', 'a time32[ms]; numbers are milliseconds of any day', [
      overload('(utf8) → time32[ms]', cast),
      overload('(timestamp) → time32[ms]', cast),
      overload('(time) → time32[ms]', cast),
      overload('(int64) → time32[ms]', timeOfInt),
    ]),
    row('cast', 'to_timestamp from_unixtime', 'a timestamp[ms], of seconds since 1970 or of a text by a pattern', [
      overload('(int) → timestamp[ms]', ofSeconds),
      overload('(float) → timestamp[ms]', ofSeconds),
      overload('(utf8) → timestamp[ms]', cast),
      overload('(utf8, utf8) → timestamp[ms]', timestampByPattern),
    ]),
    row('cast', 'to_time', 'a time32[ms], of seconds of any day', [
      overload('(int) → time32[ms]', timeOfSeconds),
      overload('(float) → time32[ms]', timeOfSeconds),
      overload('(utf8) → time32[ms]', cast),
    ]),
    row('cast', 'to_char date_format', "a text by a pattern such as 'yyyy-mm-dd hh24:mi:ss.fff'", [
      overload('(moment, utf8) → utf8', textByPattern),
      overload('(time, utf8) → utf8', textByPattern),
    ]),
    row('cast', 'castINTERVALDAY castNULLABLEINTERVALDAY', 'an interval[day_time]; with 1 behind, null where a text is none', [
      overload('(int64) → interval[day_time]', intervalOfInt),
      overload('(utf8) → interval[day_time]', cast),
      overload('(utf8, int32) → interval[day_time]', intervalUnless('parse_interval_day_time', 'i64')),
    ]),
    row('cast', 'castINTERVALYEAR castNULLABLEINTERVALYEAR', 'an interval[year_month]; numbers are months; with 1 behind, null where a text is none', [
      overload('(int64) → interval[year_month]', (c, [value], { result }) => narrowed(c, value, tooLarge(types.int64, result))),
      overload('(utf8) → interval[year_month]', cast),
      overload('(utf8, int32) → interval[year_month]', intervalUnless('parse_interval_months', 'i32')),
    ]),
  ],
};
