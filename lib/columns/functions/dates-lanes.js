/**
 * Parts and beginnings of dates and timestamps several rows at a time, where clocks show UTC.
 *
 * Machines of which vectors neither multiply nor divide 64-bit integers do so with float64, so that is what is
 * computed in. All values here are integers that it holds, and quotients are right: floor((n + 1/2) / d) is that of n
 * / d for integers, and the half is more than what three roundings do as long as n is below 2^50. A timestamp is cut
 * to that by dropping the bits in which a day, 675 · 2^7 seconds, is even. Milliseconds reach further, so their days
 * are corrected by what remains; seconds go on and are left to library functions, which also do what is not here.
 *
 * Years and centuries have 365.25 and 36524.25 days if what is counted begins at a right place (Neri and Schneider,
 * "Euclidean affine functions"): on the first of March of year 0, with leap days last, or, for the year alone, on the
 * first of January of year 0, whose leap day begins every fourth century.
 */
'use strict';

const { isDays, isUtc, perDay, perSecond, whole } = require('./dates-units.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../kernel/dag.js').Dag} Dag */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('../types/index.js').DataType} DataType */

/** Bits in which a day is even. @type {Readonly<Record<string, bigint>>} */
const EVEN_BITS = Object.freeze({ ms: 10n, us: 13n, ns: 16n });

const MARCH = 719468;
const JANUARY = 719528;
const YEAR = 365.25;
const CENTURY = 36524.25;
/** Above this and below twice of it a float64 is an integer, whose bits end with it. */
const INTEGERS = 2 ** 52 + 2 ** 51;
const INTEGERS_BITS = 0x4338n << 48n;

/** Sums and products of float64 and constants. */
class Floats {
  /** @param {Dag} dag */
  constructor(dag) {
    this.dag = dag;
  }

  /** @type {(value: number) => Node} */
  constant(value) {
    return this.dag.constant(value, 'f64');
  }

  /** @type {(a: Node, b: Node | number) => Node} */
  plus(a, b) {
    return this.dag.op('add', [a, typeof b === 'number' ? this.constant(b) : b]);
  }

  /** @type {(a: Node, b: Node | number) => Node} */
  minus(a, b) {
    return this.dag.op('sub', [a, typeof b === 'number' ? this.constant(b) : b]);
  }

  /** @type {(a: Node, b: number) => Node} */
  times(a, b) {
    return this.dag.op('mul', [a, this.constant(b)]);
  }

  /** @type {(a: Node, factor: number, more?: number) => Node} the integer below */
  floor(a, factor, more = 0) {
    const scaled = this.times(a, factor);
    return this.dag.op('floor', [more === 0 ? scaled : this.plus(scaled, more)]);
  }

  /** floor(a / size) of integers. @type {(a: Node, size: number) => Node} */
  quotient(a, size) {
    return this.floor(a, 1 / size, 0.5 / size);
  }

  /** @type {(a: Node, size: number) => Node} */
  remainder(a, size) {
    return this.minus(a, this.times(this.quotient(a, size), size));
  }

  /** Integers below 2^51 as such. @type {(a: Node) => Node} */
  toInteger(a) {
    const bits = this.dag.op('bitcast', [this.plus(a, INTEGERS)], 'i64');
    return this.dag.op('sub', [bits, whole(this.dag, INTEGERS_BITS)]);
  }
}

/** Whether this file can tell parts of a type. @type {(type: DataType) => boolean} */
const isKnown = (type) => (type.kind === 'date' || type.kind === 'timestamp') && (isDays(type) || (String(type.unit) in EVEN_BITS && isUtc(type)));

/**
 * Days since 1970, and what remains of the day without its lowest bits.
 *
 * @type {(f: Floats, value: Node, type: DataType) => { days: Node, rest: Node }}
 */
function dayOf(f, value, type) {
  const { dag } = f;
  const even = EVEN_BITS[String(type.unit)];
  const size = Number(perDay(type) >> even);
  const units = dag.convert(dag.op('shr', [value, whole(dag, even)]), 'f64');
  const days = f.quotient(units, size);
  const rest = f.minus(units, f.times(days, size));
  if (type.unit !== 'ms') return { days, rest };
  const [zero, one] = [f.constant(0), f.constant(1)];
  const up = dag.select(dag.compare('ge', rest, f.constant(size)), one, zero);
  const down = dag.select(dag.compare('lt', rest, zero), one, zero);
  const right = f.minus(f.plus(days, up), down);
  return { days: right, rest: f.minus(units, f.times(right, size)) };
}

/** @type {(f: Floats, value: Node, type: DataType) => Node} */
const daysOf = (f, value, type) => (isDays(type) ? f.dag.convert(value, 'f64') : dayOf(f, value, type).days);

/** Units since midnight. @type {(f: Floats, value: Node, type: DataType) => Node} */
function timeOf(f, value, type) {
  const { dag } = f;
  const even = EVEN_BITS[String(type.unit)];
  const low = dag.convert(dag.op('and', [value, whole(dag, (1n << even) - 1n)]), 'f64');
  return f.plus(f.times(dayOf(f, value, type).rest, Number(1n << even)), low);
}

/** Year, the day in it from 0, and 1 in leap years, else 0. @type {(f: Floats, days: Node) => { year: Node, day: Node, leap: Node }} */
function januaryOf(f, days) {
  const { dag } = f;
  const since = f.plus(days, JANUARY);
  const century = f.floor(since, 1 / CENTURY, 0.5 / (4 * CENTURY));
  const start = f.times(century, CENTURY);
  const before = dag.op('floor', [start]);
  const ofCentury = f.minus(since, before);
  const year = f.floor(ofCentury, 1 / YEAR, 0.5 / (4 * YEAR));
  // Centuries without a leap day in their first year begin with day 1.
  const [zero, one] = [f.constant(0), f.constant(1)];
  const isFirst = dag.compare('lt', year, one);
  const late = dag.select(dag.compare('gt', start, before), one, zero);
  const begin = dag.select(isFirst, late, dag.op('ceil', [f.times(year, YEAR)]));
  const isFourth = dag.compare('eq', f.remainder(year, 4), zero);
  const leap = dag.select(isFirst, f.minus(one, late), dag.select(isFourth, one, zero));
  return { year: f.plus(f.times(century, 100), year), day: f.minus(ofCentury, begin), leap };
}

const yearOf = (/** @type {Floats} */ f, /** @type {Node} */ days) => januaryOf(f, days).year;
const dayOfYear = (/** @type {Floats} */ f, /** @type {Node} */ days) => januaryOf(f, days).day;

/** The Monday before a day, or the day itself. @type {(f: Floats, days: Node) => Node} */
const mondayOf = (f, days) => f.minus(days, f.remainder(f.plus(days, 3), 7));
/** Of the week, whose year it says. @type {(f: Floats, days: Node) => Node} */
const thursdayOf = (f, days) => f.plus(mondayOf(f, days), 3);

/** The day of the year that begins with March, from 0, and its month, from 3. @type {(f: Floats, days: Node) => { day: Node, month: Node }} */
function marchOf(f, days) {
  const since = f.plus(days, MARCH);
  const century = f.floor(since, 1 / CENTURY, 3.5 / (4 * CENTURY));
  const ofCentury = f.minus(since, f.floor(century, CENTURY));
  const day = f.minus(ofCentury, f.floor(f.floor(ofCentury, 1 / YEAR, 3.5 / (4 * YEAR)), YEAR));
  return { day, month: f.floor(day, 2141 / 2 ** 16, 197913 / 2 ** 16) };
}

/** @type {(f: Floats, days: Node) => Node} */
function monthOf(f, days) {
  const { day, month } = marchOf(f, days);
  const isNext = f.dag.compare('ge', day, f.constant(306));
  return f.dag.select(isNext, f.minus(month, 12), month);
}

/** @type {(f: Floats, days: Node) => Node} */
function dayOfMonth(f, days) {
  const { day, month } = marchOf(f, days);
  return f.plus(f.minus(day, f.floor(month, 979 / 32, -2919 / 32)), 1);
}

/** @type {Record<string, (f: Floats, days: Node) => Node>} */
const OF_DAYS = {
  year: yearOf,
  month: monthOf,
  day: dayOfMonth,
  quarter: (f, days) => f.quotient(f.plus(monthOf(f, days), 2), 3),
  dow: (f, days) => f.remainder(f.plus(days, 4), 7),
  isodow: (f, days) => f.plus(f.remainder(f.plus(days, 3), 7), 1),
  doy: (f, days) => f.plus(dayOfYear(f, days), 1),
  week: (f, days) => f.plus(f.quotient(dayOfYear(f, thursdayOf(f, days)), 7), 1),
  isoyear: (f, days) => yearOf(f, thursdayOf(f, days)),
  decade: (f, days) => f.quotient(yearOf(f, days), 10),
  century: (f, days) => f.plus(f.quotient(f.minus(yearOf(f, days), 1), 100), 1),
  millennium: (f, days) => f.plus(f.quotient(f.minus(yearOf(f, days), 1), 1000), 1),
};

/** @type {(f: Floats, days: Node) => Node} */
function quarterBegin(f, days) {
  const { dag } = f;
  const { day, leap } = januaryOf(f, days);
  const begin = QUARTERS.reduce((sum, each) => {
    const first = f.plus(leap, each);
    return dag.select(dag.compare('ge', day, first), first, sum);
  }, f.constant(0));
  return f.plus(f.minus(days, day), begin);
}

/** Days before them in a year without a leap day. */
const QUARTERS = [90, 181, 273];

/** The first day of a span. @type {Record<string, (f: Floats, days: Node) => Node>} */
const FIRST_DAYS = {
  week: mondayOf,
  month: (f, days) => f.minus(days, f.minus(dayOfMonth(f, days), 1)),
  quarter: quarterBegin,
  year: (f, days) => f.minus(days, dayOfYear(f, days)),
};

/** Seconds, and how many are in the next. @type {Record<string, [seconds: number, within: number]>} */
const OF_TIME = { hour: [3600, 24], minute: [60, 60], second: [1, 60] };

/**
 * A part, or undefined where this file has none.
 *
 * @type {(c: Context, name: string, value: Node, type: DataType) => Node | undefined}
 */
function partOf({ dag }, name, value, type) {
  if (!isKnown(type)) return undefined;
  const f = new Floats(dag);
  if (name in OF_DAYS) return f.toInteger(OF_DAYS[name](f, daysOf(f, value, type)));
  if (!(name in OF_TIME)) return undefined;
  const [seconds, within] = OF_TIME[name];
  const count = f.quotient(timeOf(f, value, type), seconds * Number(perSecond(type)));
  return f.toInteger(within === 24 ? count : f.remainder(count, within));
}

/** Beginnings never are after what they are of, unless they leave the type. @type {(c: Context, begin: Node, value: Node) => Node} */
function checked(c, begin, value) {
  c.fault(c.dag.compare('gt', begin, value), 'value', 'the result is out of the range of its type');
  return begin;
}

/**
 * The beginning of a week, month, quarter or year, or undefined where this file has none.
 *
 * @type {(c: Context, name: string, value: Node, type: DataType) => Node | undefined}
 */
function beginOfDays(c, name, value, type) {
  if (!isKnown(type) || !(name in FIRST_DAYS)) return undefined;
  const { dag } = c;
  const f = new Floats(dag);
  const first = f.toInteger(FIRST_DAYS[name](f, daysOf(f, value, type)));
  return checked(c, isDays(type) ? dag.convert(first, 'i32') : dag.op('mul', [first, whole(dag, perDay(type))]), value);
}

/**
 * The beginning of a span of so many units, of which a day has a whole number.
 *
 * @type {(c: Context, value: Node, type: DataType, size: bigint) => Node | undefined}
 */
function beginOfUnits(c, value, type, size) {
  if (!isKnown(type) || isDays(type) || perDay(type) % size !== 0n) return undefined;
  const { dag } = c;
  const f = new Floats(dag);
  const time = timeOf(f, value, type);
  const since = size === perDay(type) ? time : f.remainder(time, Number(size));
  return checked(c, dag.op('sub', [value, f.toInteger(since)]), value);
}

module.exports = { beginOfDays, beginOfUnits, partOf };
