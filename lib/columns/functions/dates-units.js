/**
 * What functions of dates, times, timestamps, durations and intervals have in common: units, zones, and the parts of
 * values as arguments of library functions.
 *
 * A *moment* is a date or a timestamp. date64 and timestamps count units of a second since 1970 and may be within a
 * day; date32 counts days. A timestamp with a zone is an instant and has its parts in local time: library functions
 * get the table of the zone's offsets (types/zones.js), or 0 rows of none for UTC and without a zone.
 */
'use strict';

const { nearest } = require('../../base/check.js');
const { zoneTable } = require('../types/zones.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../kernel/dag.js').Dag} Dag */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('../types/index.js').DataType} DataType */

const DAY_SECONDS = 86400n;

/** Units of a second. @type {Readonly<Record<string, bigint>>} */
const PER_SECOND = Object.freeze({ s: 1n, ms: 1000n, us: 1_000_000n, ns: 1_000_000_000n });

/** Of a type that counts them. @type {(type: DataType) => bigint} */
const perSecond = ({ unit }) => PER_SECOND[String(unit)];
/** @type {(type: DataType) => bigint} */
const perDay = (type) => DAY_SECONDS * perSecond(type);
const isDays = (/** @type {DataType} */ { unit }) => unit === 'day';

/** A zone as its table is passed: none for UTC. @type {(c: Context, name: string | undefined) => [address: Node, count: Node]} */
function zoneNodes({ dag }, name) {
  const table = name === undefined ? undefined : zoneTable(name);
  if (table === undefined || (table.count === 1 && table.offsets[0] === 0)) return [whole(dag, 0n), whole(dag, 0n)];
  return [dag.table(table.bytes), whole(dag, BigInt(table.count))];
}

/** Whether clocks of a type show UTC, so that no table is needed. @type {(type: DataType) => boolean} */
function isUtc({ zone }) {
  if (zone === undefined) return true;
  const { count, offsets } = zoneTable(zone);
  return count === 1 && offsets[0] === 0;
}

/** @type {(dag: Dag, value: bigint) => Node} */
const whole = (dag, value) => dag.constant(value, 'i64');

/** `per_second, zone, count` of a type. @type {(c: Context, type: DataType) => Node[]} */
const clockOf = (c, type) => [whole(c.dag, perSecond(type)), ...zoneNodes(c, type.zone)];

/** The day that a moment is in, where it is local. @type {(c: Context, value: Node, type: DataType) => Node} */
function daysOf(c, value, type) {
  if (isDays(type)) return c.dag.convert(value, 'i64');
  return c.call('local_days', [value, ...clockOf(c, type)], 'i64');
}

/** A moment in units of a second, with those and its zone: days in seconds. @type {(c: Context, value: Node, type: DataType) => Node[]} */
function instantOf(c, value, type) {
  if (!isDays(type)) return [value, ...clockOf(c, type)];
  const seconds = c.dag.op('mul', [c.dag.convert(value, 'i64'), whole(c.dag, DAY_SECONDS)]);
  return [seconds, whole(c.dag, 1n), whole(c.dag, 0n), whole(c.dag, 0n)];
}

/**
 * Months, days and nanoseconds of an interval.
 *
 * @type {(c: Context, value: Node, type: DataType, literal?: any) => [months: Node, days: Node, nanoseconds: Node]}
 */
function intervalParts({ dag }, value, { unit }, literal) {
  if (literal?.months !== undefined) {
    return [whole(dag, BigInt(literal.months)), whole(dag, BigInt(literal.days)), whole(dag, literal.nanoseconds)];
  }
  if (unit === 'year_month') return [dag.convert(value, 'i64'), whole(dag, 0n), whole(dag, 0n)];
  if (unit === 'day_time') return [whole(dag, 0n), low(dag, value), dag.op('mul', [high(dag, value), whole(dag, 1_000_000n)])];
  const first = dag.half(value, 0);
  return [low(dag, first), high(dag, first), dag.half(value, 1)];
}

/** The halves of 64 bits as signed numbers. @type {(dag: Dag, pair: Node) => Node} */
const low = (dag, pair) => dag.convert(dag.convert(pair, 'i32'), 'i64');
/** @type {(dag: Dag, pair: Node) => Node} */
const high = (dag, pair) => dag.op('shr', [pair, whole(dag, 32n)]);

/** @typedef {import('./signature.js').CallInfo} CallInfo */

/**
 * What an operand that is a literal says of a table, by its name in any case; else a refusal with what there is.
 *
 * @template T
 * @param {Context} c
 * @param {ReadonlyMap<string, T>} known
 * @param {CallInfo} info
 * @param {number} at number of the operand
 * @param {string} what 'part of a date'
 * @returns {T}
 */
function named(c, known, { literals, places }, at, what) {
  const name = literals[at];
  const list = firstNames(known).map((each) => `'${each}'`).join(', ');
  if (typeof name !== 'string') return c.refuse(`the ${what} has to be a literal, one of ${list}`);
  const found = known.get(name.toLowerCase());
  if (found !== undefined) return found;
  const close = nearest(name.toLowerCase(), [...known.keys()]);
  const hint = close === undefined ? '' : ` (did you mean '${close}'?)`;
  return c.refuse(`there is no ${what} '${name}'${hint}, there are ${list}`, 'ERR_ARGUMENT', places[at]);
}

/** The first of the names of each. @type {(known: ReadonlyMap<string, unknown>) => string[]} */
function firstNames(known) {
  const values = [...known.values()];
  return [...known.keys()].filter((_, i) => values.indexOf(values[i]) === i);
}

/**
 * What `make` gives, or a refusal with what it complains of.
 *
 * @type {<T>(make: () => T, refuse: (message: string) => never) => T}
 */
function orRefuse(make, refuse) {
  try {
    return make();
  } catch (error) {
    return refuse(/** @type {Error} */ (error).message);
  }
}

module.exports = {
  DAY_SECONDS, PER_SECOND, clockOf, daysOf, instantOf, intervalParts, isDays, isUtc, named, orRefuse, perDay, perSecond,
  whole, zoneNodes,
};
