/**
 * Parts of dates, times and timestamps, their beginnings (truncation), and steps between them.
 *
 * All of it is floor arithmetic on the proleptic Gregorian calendar with a year 0. Weeks are those of ISO 8601 and
 * begin on Monday; `dow` counts from Sunday, which is 1, as Gandiva and MySQL have it, and `isodow` from Monday. What
 * is finer than a second counts within it: `millisecond` is 0 … 999. Centuries and millennia begin with years that end
 * with 1. `epoch` cuts off at the point.
 *
 * now() and current_date are no functions here: an expression is compiled once and gives the same for the same table.
 * Who needs the time passes it as a parameter.
 */
'use strict';

const types = require('../types/index.js');
const lanes = require('./dates-lanes.js');
const {
  DAY_SECONDS, PER_SECOND, clockOf, daysOf, instantOf, intervalParts, isDays, isUtc, named, orRefuse, perSecond, whole,
  zoneNodes,
} = require('./dates-units.js');
const { overload, row } = require('./signature.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('./signature.js').Build} Build */
/** @typedef {import('./signature.js').FunctionRow} FunctionRow */
/** @typedef {import('./signature.js').Overload} Overload */

const isMoment = (/** @type {DataType} */ { kind }) => kind === 'date' || kind === 'timestamp';
/** @type {(types: readonly DataType[]) => DataType | null} */
const sameMoment = ([type]) => (isMoment(type) ? type : null);

const LEAVES_RANGE = 'the result is out of the range of its type';

// --- parts ---

/**
 * A part of a value of some type; undefined where values of the type have none.
 *
 * @typedef {(c: Context, value: Node, type: DataType) => Node | undefined} Part
 */

/** Of the day that a moment is in. @type {(name: string) => Part} */
const ofDays = (name) => (c, value, type) =>
  isMoment(type) ? (lanes.partOf(c, name, value, type) ?? c.call(`${name}_of_days`, [daysOf(c, value, type)], 'i64')) : undefined;

/** Of months, days and nanoseconds of an interval, else of the day. @type {(name: string, ofInterval: (c: Context, parts: readonly Node[]) => Node) => Part} */
const ofDaysOrInterval = (name, ofInterval) => (c, value, type) =>
  type.kind === 'interval' ? ofInterval(c, intervalParts(c, value, type)) : ofDays(name)(c, value, type);

/** @type {(name: 'div' | 'rem', part: 0 | 1 | 2, by: bigint) => (c: Context, parts: readonly Node[]) => Node} */
const portion = (name, part, by) => ({ dag }, parts) => dag.op(name, [parts[part], whole(dag, by)]);

/** What clocks show, as a count of so many seconds, within so many of those. @type {(name: string, seconds: bigint, within: bigint) => Part} */
const ofClock = (name, seconds, within) => (c, value, type) => {
  const { dag } = c;
  if (type.kind === 'interval') {
    const count = portion('div', 2, seconds * PER_SECOND.ns)(c, intervalParts(c, value, type));
    return within === 24n ? count : dag.op('rem', [count, whole(dag, within)]);
  }
  if (isDays(type)) return whole(dag, 0n);
  const fast = lanes.partOf(c, name, value, type);
  if (fast !== undefined) return fast;
  const time = type.kind === 'time' ? dag.convert(value, 'i64') : c.call('local_time', [value, ...clockOf(c, type)], 'i64');
  const count = c.call('time_div', [time, whole(dag, seconds * perSecond(type))], 'i64');
  return c.call('time_mod', [count, whole(dag, within)], 'i64');
};

/** @type {(unit: string) => Part} of a second */
const ofSecond = (unit) => (c, value, type) => {
  if (isDays(type)) return whole(c.dag, 0n);
  if (type.kind === 'interval') return undefined;
  const args = [c.dag.convert(value, 'i64'), whole(c.dag, perSecond(type)), whole(c.dag, PER_SECOND[unit])];
  return c.call('time_subsecond', args, 'i64');
};

/** @type {Part} */
const epoch = (c, value, type) => {
  if (!isMoment(type)) return undefined;
  const { dag } = c;
  return isDays(type) ? instantOf(c, value, type)[0] : dag.op('div', [value, whole(dag, perSecond(type))]);
};

/** @type {Part} Sunday is 1 */
const dow = (c, value, type) => {
  const day = ofDays('dow')(c, value, type);
  return day && c.dag.op('add', [day, whole(c.dag, 1n)]);
};

/** With the aliases that calls have, and those that texts have besides. @type {readonly [name: string, aliases: string, words: string, doc: string, part: Part][]} */
const PARTS = [
  ['Millennium', '', 'millennia', 'the millennium, the third of which began with 2001', ofDays('millennium')],
  ['Century', '', 'centuries', 'the century, the 21st of which began with 2001', ofDays('century')],
  ['Decade', '', 'decades', 'the year by 10', ofDays('decade')],
  ['Year', 'year', 'years yr y yyyy', 'the year; of an interval whole years', ofDaysOrInterval('year', portion('div', 0, 12n))],
  ['Quarter', 'quarter', 'quarters', 'the quarter of the year', ofDays('quarter')],
  ['Month', 'month', 'months mon mm', 'the month; of an interval those besides years', ofDaysOrInterval('month', portion('rem', 0, 12n))],
  ['Week', 'week weekofyear yearweek', 'weeks isoweek', 'the week by ISO 8601', ofDays('week')],
  ['Day', 'day dayofmonth', 'days d dd', 'the day of the month; of an interval its days', ofDaysOrInterval('day', (_, [, days]) => days)],
  ['Hour', 'hour', 'hours hr h hh', 'the hour', ofClock('hour', 3600n, 24n)],
  ['Minute', 'minute', 'minutes min', 'the minute', ofClock('minute', 60n, 60n)],
  ['Second', 'second', 'seconds sec s ss', 'the second', ofClock('second', 1n, 60n)],
  ['Doy', 'doy dayofyear', '', 'the day of the year', ofDays('doy')],
  ['Dow', 'dow dayofweek', 'weekday', 'the day of the week; Sunday is 1', dow],
  ['Epoch', 'epoch to_unix_timestamp unix_timestamp', '', 'seconds since 1970, cut off at the point', epoch],
  ['IsoDow', 'isodow', '', 'the day of the week; Monday is 1', ofDays('isodow')],
  ['IsoYear', 'isoyear', '', 'the year that the week by ISO 8601 is of', ofDays('isoyear')],
  ['Millisecond', 'millisecond', 'milliseconds msec ms', 'milliseconds of the second', ofSecond('ms')],
  ['Microsecond', 'microsecond', 'microseconds usec us', 'microseconds of the second', ofSecond('us')],
  ['Nanosecond', 'nanosecond', 'nanoseconds nsec ns', 'nanoseconds of the second', ofSecond('ns')],
];

/** By what texts call them. @type {ReadonlyMap<string, Part>} */
const parts = new Map(
  PARTS.flatMap(([name, aliases, words, , part]) =>
    [name.toLowerCase(), ...`${aliases} ${words}`.split(' ').filter(Boolean)].map((each) => /** @type {[string, Part]} */ ([each, part])),
  ),
);

/** Types that have parts, and one of each that they are asked of. @type {Record<string, DataType>} */
const EXAMPLES = { moment: types.date64, time: types.time32('ms'), interval: types.interval('day_time') };
/** Parts that times and intervals have. @type {Record<string, readonly string[]>} */
const HAVE = {
  moment: PARTS.map(([name]) => name),
  time: ['Hour', 'Minute', 'Second', 'Millisecond', 'Microsecond', 'Nanosecond'],
  interval: ['Year', 'Month', 'Day', 'Hour', 'Minute', 'Second'],
};

/** @type {FunctionRow[]} */
const extractions = PARTS.map(([name, aliases, , doc, part]) =>
  row(
    'datetime', [`extract${name}`, `extract_${name}`, ...aliases.split(' ')].filter(Boolean).join(' '), doc,
    Object.keys(EXAMPLES).map((kind) =>
      HAVE[kind].includes(name) ? overload(`(${kind}) → int64`, (c, [value], { args: [type] }) => /** @type {Node} */ (part(c, value, type))) : null,
    ),
  ),
);

/** @type {Build} */
const extract = (c, [, value], info) => {
  const [, type] = info.args;
  const part = named(c, parts, info, 0, 'part of a date');
  return part(c, value, type) ?? c.refuse(`a ${type.text} has no ${info.literals[0]}`, 'ERR_DTYPE', info.places[0]);
};

// --- truncation ---

/**
 * Spans of time: so many months, or so many seconds. `origin` is where one begins, `lanes` what dates-lanes.js calls
 * it.
 *
 * @typedef {{ months?: bigint, seconds?: bigint, perSecond?: bigint, origin?: bigint, lanes?: string }} Span
 */

/** @type {readonly [name: string, words: string, span: Span][]} */
const SPANS = [
  ['Millennium', 'millennia', { months: 12000n, origin: 12n }],
  ['Century', 'centuries', { months: 1200n, origin: 12n }],
  ['Decade', 'decades', { months: 120n }],
  ['Year', 'years yr y', { months: 12n, lanes: 'year' }],
  ['Quarter', 'quarters', { months: 3n, lanes: 'quarter' }],
  ['Month', 'months mon', { months: 1n, lanes: 'month' }],
  ['Week', 'weeks w', { seconds: 7n * DAY_SECONDS, origin: -3n * DAY_SECONDS, lanes: 'week' }],
  ['Day', 'days d', { seconds: DAY_SECONDS }],
  ['Hour', 'hours hr h', { seconds: 3600n }],
  ['Minute', 'minutes min', { seconds: 60n }],
  ['Second', 'seconds sec s', { seconds: 1n }],
  ['Millisecond', 'milliseconds msec ms', { perSecond: 1000n }],
  ['Microsecond', 'microseconds usec us', { perSecond: 1_000_000n }],
  ['Nanosecond', 'nanoseconds nsec ns', { perSecond: 1_000_000_000n }],
];

/** @type {ReadonlyMap<string, Span>} */
const spans = new Map(
  SPANS.flatMap(([name, words, span]) =>
    [name, ...words.split(' '), `sql_tsi_${name}`].map((each) => /** @type {[string, Span]} */ ([each.toLowerCase(), span])),
  ),
);

/** A span in units of a type, 0 where it is less than one. @type {(span: Span, type: DataType) => bigint} */
const unitsOf = ({ seconds = 1n, perSecond: times = 1n }, type) => (seconds * perSecond(type)) / times;

/** @type {(c: Context, value: Node, type: DataType, span: Span) => Node} */
function truncated(c, value, type, span) {
  const { dag } = c;
  const { months, seconds = 0n, origin = 0n, lanes: name = '' } = span;
  const begin = lanes.beginOfDays(c, name, value, type);
  if (begin !== undefined) return begin;
  const how = /** @type {const} */ ({ fault: 'value', what: LEAVES_RANGE });
  if (isDays(type)) {
    if (months === undefined && seconds <= DAY_SECONDS) return value;
    const days = dag.convert(value, 'i64');
    return months === undefined
      ? c.call('date_trunc', [days, whole(dag, seconds / DAY_SECONDS), whole(dag, origin / DAY_SECONDS)], 'i32', how)
      : c.call('date_trunc_months', [days, whole(dag, months), whole(dag, origin)], 'i32', how);
  }
  if (months !== undefined) return c.call('trunc_months', [value, whole(dag, months), whole(dag, origin), ...clockOf(c, type)], 'i64', how);
  const size = unitsOf(span, type);
  if (size <= 1n) return value;
  const fast = origin === 0n ? lanes.beginOfUnits(c, value, type, size) : undefined;
  if (fast !== undefined) return fast;
  return c.call('trunc', [value, whole(dag, size), whole(dag, origin * perSecond(type)), ...clockOf(c, type)], 'i64', how);
}

/** @type {Build} */
const truncate = (c, [, value], info) => truncated(c, value, info.args[1], named(c, spans, info, 0, 'span of time'));

const truncations = SPANS.map(([name, , span]) =>
  row('datetime', `date_trunc_${name}`, `the beginning of the ${name.toLowerCase()}`, [
    overload('(moment) → ?', (c, [value], { args: [type] }) => truncated(c, value, type, span), sameMoment),
  ]),
);

// --- steps ---

/**
 * So many spans later. Those of days and more lead to the same time of the day where the zone has it.
 *
 * @type {(c: Context, value: Node, n: Node, type: DataType, span: Span) => Node}
 */
function stepped(c, value, n, type, span) {
  const { dag } = c;
  const { months, seconds = 0n } = span;
  const how = /** @type {const} */ ({ fault: 'value', what: LEAVES_RANGE });
  if (isDays(type)) {
    const days = dag.convert(value, 'i64');
    if (months !== undefined) return c.call('date_add_months', [days, n, whole(dag, months)], 'i32', how);
    if (seconds >= DAY_SECONDS) return c.call('date_add', [days, n, whole(dag, seconds / DAY_SECONDS)], 'i32', how);
    return dayOfSteps(c, value, n, span);
  }
  if (months !== undefined) return c.call('add_months', [value, n, whole(dag, months), ...clockOf(c, type)], 'i64', how);
  if (seconds >= DAY_SECONDS && !isUtc(type)) {
    return c.call('add_days', [value, n, whole(dag, seconds / DAY_SECONDS), ...clockOf(c, type)], 'i64', how);
  }
  const size = unitsOf(span, type);
  if (size > 0n) return c.call('time_add', [value, n, whole(dag, size)], 'i64', how);
  const many = c.call('time_div', [n, whole(dag, /** @type {bigint} */ (span.perSecond) / perSecond(type))], 'i64');
  return c.call('time_add', [value, many, whole(dag, 1n)], 'i64', how);
}

/** The day in which the steps from a midnight end. @type {(c: Context, value: Node, n: Node, span: Span) => Node} */
function dayOfSteps(c, value, n, { seconds = 1n, perSecond: times = 1n }) {
  const { dag } = c;
  const how = /** @type {const} */ ({ fault: 'value', what: LEAVES_RANGE });
  const days = c.call('time_div', [n, whole(dag, (DAY_SECONDS * times) / seconds)], 'i64');
  return c.call('date_add', [dag.convert(value, 'i64'), days, whole(dag, 1n)], 'i32', how);
}

/** @type {(step: (c: Context, value: Node, n: Node, type: DataType) => Node) => Overload[]} */
const inEitherOrder = (step) => [
  overload('(moment, int64) → ?', (c, [value, n], { args: [type] }) => step(c, value, n, type), sameMoment),
  overload('(int64, moment) → ?', (c, [n, value], { args: [, type] }) => step(c, value, n, type), ([, type]) => sameMoment([type])),
];

/** Spans that Gandiva has functions for: from years to seconds. */
const STEPS = SPANS.slice(3, 11);

const additions = STEPS.map(([name, , span]) =>
  row('datetime', `timestampadd${name}${name === 'Month' ? ' add_months' : ''}`, `so many ${name.toLowerCase()}s later`,
    inEitherOrder((c, value, n, type) => stepped(c, value, n, type, span))),
);

/** @type {Build} */
const addByName = (c, [, n, value], info) => stepped(c, value, n, info.args[2], named(c, spans, info, 0, 'span of time'));

// --- differences ---

/** Whole spans from a to b, towards 0. @type {(c: Context, a: Node, b: Node, type: DataType, span: Span) => Node} */
function stepsBetween(c, a, b, type, span) {
  const { dag } = c;
  const [from, ...clock] = instantOf(c, a, type);
  const [to] = instantOf(c, b, type);
  if (span.months !== undefined) return c.call('diff_months', [from, to, whole(dag, span.months), ...clock], 'i64');
  const scaled = isDays(type) ? types.timestamp('s') : type;
  const size = unitsOf(span, scaled);
  const how = /** @type {const} */ ({ fault: 'value', what: LEAVES_RANGE });
  if (size > 0n) return c.call('time_diff', [from, to, whole(dag, size)], 'i64', how);
  const times = /** @type {bigint} */ (span.perSecond) / perSecond(scaled);
  const units = c.call('time_diff', [from, to, whole(dag, 1n)], 'i64', how);
  return c.call('time_add', [whole(dag, 0n), units, whole(dag, times)], 'i64', how);
}

/** As an int32, which wraps. @type {(build: (c: Context, a: Node, b: Node, type: DataType) => Node) => Overload[]} */
const asInt32 = (build) => [
  overload('(A, A) → ?', (c, [a, b], { args: [type] }) => {
    const { dag } = c;
    const steps = build(c, a, b, type);
    const narrow = dag.convert(steps, 'i32');
    if (c.policy('overflow') !== 'wrap') c.fault(dag.compare('ne', dag.convert(narrow, 'i64'), steps), 'overflow', 'int32 overflow');
    return narrow;
  }, ([type]) => (isMoment(type) ? types.int32 : null)),
];

const differences = STEPS.map(([name, , span]) =>
  row('datetime', `timestampdiff${name}`, `whole ${name.toLowerCase()}s from the first to the second, as an int32`,
    asInt32((c, a, b, type) => stepsBetween(c, a, b, type, span))),
);

/** @type {Build} */
const differenceByName = (c, [, a, b], info) => stepsBetween(c, a, b, info.args[1], named(c, spans, info, 0, 'span of time'));

/** @type {Build} */
const monthsBetween = (c, [a, b], { args: [type] }) => {
  const [to, ...clock] = instantOf(c, a, type);
  return c.call('months_between', [to, instantOf(c, b, type)[0], ...clock], 'f64');
};

// --- days ---

/** The midnight of a day as a date64. @type {(c: Context, days: Node) => Node} */
const midnight = ({ dag }, days) => dag.op('mul', [days, whole(dag, 1000n * DAY_SECONDS)]);

/** @type {Build} */
const lastDay = (c, [value], { args: [type] }) =>
  midnight(c, c.call('last_day', [daysOf(c, value, type)], 'i64', { fault: 'value', what: LEAVES_RANGE }));

/** @type {Build} */
const nextDay = (c, [value, name], { args: [type] }) => {
  const weekday = c.call('parse_weekday', [name], 'i64', { fault: 'value', what: "no day of the week is called so: expected such as 'FRI'" });
  return midnight(c, c.call('next_day', [daysOf(c, value, type), weekday], 'i64', { fault: 'value', what: LEAVES_RANGE }));
};

/** Names as they are written in patterns. @type {(pattern: string) => Build} */
const nameOfDay = (pattern) => (c, [value], { args: [type] }) =>
  c.call('format_pattern', [...instantOf(c, value, type), c.dag.text(new TextEncoder().encode(pattern))], 'view', {
    arena: true, fault: 'value', what: LEAVES_RANGE,
  });

// --- zones and parts put together ---

/** @type {(name: 'to_utc' | 'to_local') => Build} */
const moved = (name) => (c, [value], info) => {
  const [, zone] = info.literals;
  if (typeof zone !== 'string') return c.refuse("the zone has to be a literal such as 'Europe/Berlin'");
  const table = orRefuse(() => zoneNodes(c, zone), (message) => c.refuse(message, 'ERR_ARGUMENT', info.places[1]));
  const args = [value, whole(c.dag, perSecond(info.result)), ...table];
  return c.call(name, args, 'i64', { fault: 'value', what: LEAVES_RANGE });
};

/** @type {(types: readonly DataType[]) => DataType | null} */
const withoutZone = ([{ unit }]) => types.timestamp(/** @type {any} */ (unit));

/** @type {Build} */
const makeDate = (c, args) => c.call('make_date', args, 'i32', { fault: 'value', what: 'there is no such date' });

/** @type {Build} */
const makeTime = (c, args, { result }) =>
  c.dag.convert(
    c.call('make_time', [...args, whole(c.dag, perSecond(result))], 'i64', { fault: 'value', what: 'there is no such time' }),
    /** @type {import('../kernel/dag.js').Rep} */ (result.dtype),
  );

/** @type {Build} */
const makeTimestamp = (c, [year, month, day, hour, minute, second], { result }) => {
  const { dag } = c;
  const days = c.call('make_date', [year, month, day], 'i64', { fault: 'value', what: 'there is no such date' });
  const floor = dag.op('floor', [second]);
  const isSecond = dag.and(dag.compare('ge', second, dag.constant(0, 'f64')), dag.compare('lt', second, dag.constant(60, 'f64')));
  c.fault(dag.not(isSecond), 'value', 'there is no such time');
  const units = perSecond(result);
  const time = c.call('make_time', [hour, minute, dag.convert(floor, 'i64'), whole(dag, units)], 'i64', {
    fault: 'value', what: 'there is no such time',
  });
  const rest = dag.op('floor', [dag.op('mul', [dag.op('sub', [second, floor]), dag.constant(Number(units), 'f64')])]);
  const since = dag.op('add', [time, dag.convert(rest, 'i64')]);
  return c.call('make_timestamp', [days, since, ...clockOf(c, result)], 'i64', { fault: 'value', what: LEAVES_RANGE });
};

module.exports = {
  rows: [
    ...extractions,
    row('datetime', 'extract date_part datepart', "a part by its name: extract(year from t), date_part('year', t)", [
      overload('(utf8, moment) → int64', extract),
      overload('(utf8, time) → int64', extract),
      overload('(utf8, interval) → int64', extract),
    ]),
    ...truncations,
    row('datetime', 'date_trunc', "the beginning of a span by its name: date_trunc('month', t)", [
      overload('(utf8, moment) → ?', truncate, ([, type]) => sameMoment([type])),
    ]),
    ...additions,
    row('datetime', 'timestampadd dateadd', 'so many spans later: timestampadd(day, 1, t)', [
      overload('(utf8, int64, moment) → ?', addByName, ([, , type]) => sameMoment([type])),
    ]),
    ...differences,
    row('datetime', 'timestampdiff', 'whole spans from the second to the third, as an int64: timestampdiff(day, a, b)', [
      overload('(utf8, A, A) → ?', differenceByName, ([, type]) => (isMoment(type) ? types.int64 : null)),
    ]),
    row('datetime', 'datediff', 'whole days from the second to the first, as an int32',
      asInt32((c, a, b, type) => stepsBetween(c, b, a, type, { seconds: DAY_SECONDS }))),
    row('datetime', 'months_between', 'months from the second to the first, of 31 days where they are not whole', [
      overload('(A, A) → ?', monthsBetween, ([type]) => (isMoment(type) ? types.float64 : null)),
    ]),
    row('datetime', 'last_day', 'the last day of the month', [overload('(moment) → date64', lastDay)]),
    row('datetime', 'next_day', "the next day that is called so: next_day(t, 'FRI')", [overload('(moment, utf8) → date64', nextDay)]),
    row('datetime', 'dayname', 'the English name of the day of the week', [overload('(moment) → utf8', nameOfDay('Day'))]),
    row('datetime', 'monthname', 'the English name of the month', [overload('(moment) → utf8', nameOfDay('Month'))]),
    row('datetime', 'to_utc_timestamp', 'the instant at which clocks of a zone show this', [
      overload('(timestamp, utf8) → ?', moved('to_utc'), withoutZone),
    ]),
    row('datetime', 'from_utc_timestamp', 'what clocks of a zone show at this instant', [
      overload('(timestamp, utf8) → ?', moved('to_local'), withoutZone),
    ]),
    row('datetime', 'make_date', 'a date of a year, a month and a day', [overload('(int64, int64, int64) → date32', makeDate)]),
    row('datetime', 'make_time', 'a time of an hour, a minute and a second', [
      overload('(int64, int64, int64) → time32[ms]', makeTime),
    ]),
    row('datetime', 'make_timestamp', 'a timestamp of its parts, seconds with a fraction', [
      overload('(int64, int64, int64, int64, int64, float64) → timestamp[us]', makeTimestamp),
    ]),
  ],
};
