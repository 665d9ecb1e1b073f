/**
 * What can be known about a number: the range it is in, whether it is whole, and which odd values it may have.
 *
 * Numbers of JavaScript are doubles, and an operation may run on integers or on floats of 32 bits instead only where
 * that gives the same double. Whether it does follows from these facts, which flow forward from constants, types of
 * arrays, bit operations and comparisons. The functions here say what an operator does to them. Ranges are bounds on
 * the double that JavaScript would have, so arithmetic on the bounds, which rounds as it does, is safe.
 *
 * A number that counts something began small and grows by small constants, one round of a loop at a time, and no
 * machine lives to see it reach 2^53. It stays an integer although its growth alone would end that.
 */
'use strict';

/**
 * The sum or product of integers that ends within these bounds, rounded as doubles are, was none that had to be
 * rounded.
 */
const LIMIT = 2 ** 53 - 1;
const LEAST_INT32 = -(2 ** 31);
const MOST_INT32 = 2 ** 31 - 1;
const MOST_UINT32 = 2 ** 32 - 1;
/** A step so small that a counter stays one. */
const SMALL_STEP = 64;

/**
 * @typedef {object} Num
 * @property {'number'} kind
 * @property {number} lo
 * @property {number} hi   bounds of what is neither NaN nor nothing
 * @property {boolean} int   whole, or infinite where the bounds are
 * @property {boolean} negativeZero   may be -0
 * @property {boolean} nan
 * @property {boolean} single   every value is a float of 32 bits
 * @property {0 | 32 | 64} width   of the integer it comes as: 0 for constants, which are any
 * @property {boolean} undefined   may be undefined
 * @property {boolean} null   may be null
 * @property {boolean} boolean   may be a boolean, which it is as 0 or 1
 * @property {boolean} counts   its bound is that of a counter
 * @property {number} from   the parameters that it is made of, a bit for each of the first 31
 * @property {ReadonlySet<unknown> | null} below   values that it is less than
 */

/** @type {(fields: Partial<Num>) => Num} */
function number(fields) {
  return {
    kind: 'number',
    lo: -Infinity,
    hi: Infinity,
    int: false,
    negativeZero: false,
    nan: false,
    single: false,
    width: 64,
    undefined: false,
    null: false,
    boolean: false,
    counts: false,
    from: 0,
    below: null,
    ...fields,
  };
}

const anyNumber = number({ negativeZero: true, nan: true });
const anySingle = number({ negativeZero: true, nan: true, single: true });

/** @type {(lo: number, hi: number, width?: 0 | 32 | 64) => Num} */
function integer(lo, hi, width = 64) {
  return number({ lo, hi, int: true, width });
}

const int32 = integer(LEAST_INT32, MOST_INT32, 32);
/** What began small and goes by small steps. */
const counter = number({ lo: -LIMIT, hi: LIMIT, int: true, counts: true });

/** @type {(value: number) => Num} */
function constant(value) {
  if (Number.isNaN(value)) return number({ lo: 0, hi: 0, nan: true, single: true, width: 0 });
  const negativeZero = Object.is(value, -0);
  return number({
    lo: value, hi: value, int: Number.isInteger(value), negativeZero, single: Math.fround(value) === value, width: 0,
  });
}

/** @type {(dtype: string) => Num} what an element, or a parameter, of this dtype may be */
function ofDType(dtype) {
  switch (dtype) {
    case 'f64':
      return anyNumber;
    case 'f32':
      return anySingle;
    case 'i32':
    case 'smi':
      return int32;
    case 'u32':
      return integer(0, MOST_UINT32);
    case 'i16':
      return integer(-32768, 32767, 32);
    case 'u16':
      return integer(0, 65535, 32);
    case 'i8':
      return integer(-128, 127, 32);
    case 'u8':
      return integer(0, 255, 32);
    default:
      throw new Error(`no number of dtype ${dtype}`);
  }
}

// --- questions ---

/** @type {(t: Num) => boolean} whether it can be computed as an integer */
function isInteger(t) {
  return t.int && !t.negativeZero && !t.nan && !isNothing(t) && t.lo >= -LIMIT && t.hi <= LIMIT;
}

/** @type {(t: Num) => boolean} the same but for the sign of a zero */
function isIntegerOrNegativeZero(t) {
  return t.int && !t.nan && !isNothing(t) && t.lo >= -LIMIT && t.hi <= LIMIT;
}

/** @type {(t: Num) => boolean} */
function fitsInt32(t) {
  return t.lo >= LEAST_INT32 && t.hi <= MOST_INT32;
}

/** @type {(t: Num) => boolean} */
function hasZero(t) {
  return (t.lo <= 0 && t.hi >= 0) || t.negativeZero;
}

/** @type {(t: Num) => boolean} whether it may be something else than a number */
function isNothing(t) {
  return t.undefined || t.null || t.boolean;
}

/** @type {(t: Num) => boolean} whether no number is in it: what is undefined or null */
function isNever(t) {
  return t.lo > t.hi && !t.nan && !t.negativeZero;
}

/** @type {(t: Num) => 'f64' | 'f32' | 'i64' | 'i32'} the type that holds it exactly */
function typeOf(t) {
  if (isInteger(t)) return t.width <= 32 && t.width > 0 && fitsInt32(t) ? 'i32' : 'i64';
  return t.single && !isNothing(t) ? 'f32' : 'f64';
}

/** @type {(a: Num, b: Num) => boolean} */
function isEqual(a, b) {
  return (
    a.lo === b.lo &&
    a.hi === b.hi &&
    a.int === b.int &&
    a.negativeZero === b.negativeZero &&
    a.nan === b.nan &&
    a.single === b.single &&
    a.width === b.width &&
    a.undefined === b.undefined &&
    a.null === b.null &&
    a.boolean === b.boolean &&
    a.counts === b.counts &&
    a.from === b.from &&
    isEqualSet(a.below, b.below)
  );
}

/** @type {(a: ReadonlySet<unknown> | null, b: ReadonlySet<unknown> | null) => boolean} */
function isEqualSet(a, b) {
  if (a === b || (!a && !b)) return true;
  return !!a && !!b && a.size === b.size && [...a].every((x) => b.has(x));
}

/** @type {(a: ReadonlySet<unknown> | null, b: ReadonlySet<unknown> | null) => ReadonlySet<unknown> | null} */
function common(a, b) {
  if (!a || !b) return null;
  const both = [...a].filter((x) => b.has(x));
  return both.length ? new Set(both) : null;
}

// --- joining ---

/** @type {(t: Num) => boolean} whether nobody lives to see it leave the integers by small steps */
function mayCount(t) {
  return t.counts || (t.lo >= -LIMIT / 2 && t.hi <= LIMIT / 2) || t.lo > t.hi;
}

/** @type {(a: Num, b: Num) => Num} what is one or the other */
function join(a, b) {
  return {
    kind: 'number',
    lo: Math.min(a.lo, b.lo),
    hi: Math.max(a.hi, b.hi),
    int: a.int && b.int,
    negativeZero: a.negativeZero || b.negativeZero,
    nan: a.nan || b.nan,
    single: a.single && b.single,
    width: /** @type {0 | 32 | 64} */ (Math.max(a.width, b.width)),
    undefined: a.undefined || b.undefined,
    null: a.null || b.null,
    boolean: a.boolean || b.boolean,
    counts: (a.counts || b.counts) && mayCount(a) && mayCount(b),
    from: a.from | b.from,
    below: common(a.below, b.below),
  };
}

/**
 * What counts from half of the integers on may come to their end: it becomes a float.
 *
 * @type {(hi: number, isCounter: boolean) => number}
 */
function widerHi(hi, isCounter) {
  if (hi <= MOST_INT32) return MOST_INT32;
  return hi <= (isCounter ? LIMIT : LIMIT / 2) ? LIMIT : Infinity;
}

/** @type {(before: Num, now: Num) => Num} what a value that went from one to the other in a round may end as */
function widen(before, now) {
  const joined = join(before, now);
  const isCounter = before.counts && now.counts;
  if (joined.hi > before.hi) joined.hi = widerHi(joined.hi, isCounter);
  if (joined.lo < before.lo) joined.lo = joined.lo >= 0 ? 0 : -widerHi(-joined.lo, isCounter);
  joined.counts ||= joined.int && mayCount(before) && mayCount(now) && (joined.hi === LIMIT || joined.lo === -LIMIT);
  return joined;
}

// --- operators ---

/** @type {(a: Num) => Num} arithmetic on what may be nothing sees NaN for undefined, 0 for null */
function plain(a) {
  if (!isNothing(a)) return a;
  const t = { ...a, nan: a.nan || a.undefined, undefined: false, null: false, boolean: false };
  if (a.null || a.boolean) {
    t.lo = Math.min(t.lo, 0);
    t.hi = Math.max(t.hi, a.boolean ? 1 : 0);
  }
  return t;
}

/** @type {(value: number, otherwise: number) => number} */
function bound(value, otherwise) {
  return Number.isNaN(value) ? otherwise : value;
}

/** @type {(a: Num, step: Num) => boolean} whether a counter takes a step that leaves it one */
function counts(a, step) {
  return a.counts && step.hi <= SMALL_STEP && step.lo >= -SMALL_STEP;
}

/** @type {(x: Num, y: Num) => Num} */
function add(x, y) {
  const [a, b] = [plain(x), plain(y)];
  const int = a.int && b.int;
  let lo = bound(a.lo + b.lo, -Infinity);
  let hi = bound(a.hi + b.hi, Infinity);
  const isCounter = int && (counts(a, b) || counts(b, a));
  if (isCounter) [lo, hi] = [Math.max(lo, -LIMIT), Math.min(hi, LIMIT)];
  const opposite = (a.hi === Infinity && b.lo === -Infinity) || (a.lo === -Infinity && b.hi === Infinity);
  return number({
    lo, hi, int, nan: a.nan || b.nan || opposite, negativeZero: a.negativeZero && b.negativeZero, width: widthOf(a, b),
    counts: isCounter, from: a.from | b.from,
  });
}

/** @type {(a: Num, b: Num) => 0 | 64} */
function widthOf(a, b) {
  return a.width === 0 && b.width === 0 ? 0 : 64;
}

/** @type {(x: Num) => Num} */
function negate(x) {
  const a = plain(x);
  const below = number({
    lo: -a.hi, hi: -a.lo, int: a.int, nan: a.nan, negativeZero: a.lo <= 0 && a.hi >= 0, single: a.single,
    width: a.width && 64, from: a.from,
  });
  if (a.lo === a.hi) {
    below.lo += 0;
    below.hi += 0;
  }
  return below;
}

/** @type {(x: Num, y: Num) => Num} */
function subtract(x, y) {
  const [a, b] = [plain(x), plain(y)];
  const t = add(a, { ...negate(b), negativeZero: false });
  return { ...t, negativeZero: a.negativeZero && hasZero(b) };
}

/** @type {(values: number[]) => [number, number]} */
function span(values) {
  return [Math.min(...values), Math.max(...values)];
}

/** @type {(a: Num) => boolean} */
function mayBeNegative(a) {
  return a.lo < 0 || a.negativeZero;
}

/** @type {(a: Num) => boolean} */
function mayBeInfinite(a) {
  return a.lo === -Infinity || a.hi === Infinity;
}

/** @type {(x: Num, y: Num) => Num} */
function multiply(x, y) {
  const [a, b] = [plain(x), plain(y)];
  const [lo, hi] = span([a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi].map((v) => bound(v, 0)));
  const int = a.int && b.int;
  const nan = a.nan || b.nan || (hasZero(a) && mayBeInfinite(b)) || (hasZero(b) && mayBeInfinite(a));
  // A product is -0 where one is zero and the signs differ; others than whole ones may also vanish.
  const differs =
    (hasZero(a) && mayBeNegative(b)) ||
    (hasZero(b) && mayBeNegative(a)) ||
    (a.negativeZero && b.hi >= 0) ||
    (b.negativeZero && a.hi >= 0);
  const negativeZero = int ? differs : mayBeNegative(a) || mayBeNegative(b);
  return number({ lo, hi, int, nan, negativeZero, width: widthOf(a, b), from: a.from | b.from });
}

/** @type {(x: Num, y: Num) => Num} */
function divide(x, y) {
  const [a, b] = [plain(x), plain(y)];
  const nan = a.nan || b.nan || (hasZero(a) && hasZero(b)) || (mayBeInfinite(a) && mayBeInfinite(b));
  const negativeZero = mayBeNegative(a) || mayBeNegative(b);
  const from = a.from | b.from;
  if (hasZero(b)) return number({ nan, negativeZero, from });
  const [lo, hi] = span([a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi].map((v) => bound(v, 0)));
  // Where a bound is infinite by infinite, anything between zero and it may come out.
  return number({
    lo: Math.min(lo, mayBeInfinite(b) ? 0 : lo), hi: Math.max(hi, mayBeInfinite(b) ? 0 : hi), nan, negativeZero, from,
  });
}

/** @type {(x: Num, y: Num) => Num} */
function remainder(x, y) {
  const [a, b] = [plain(x), plain(y)];
  const int = a.int && b.int;
  const most = Math.max(Math.abs(b.lo), Math.abs(b.hi)) - (int ? 1 : 0);
  const nan = a.nan || b.nan || hasZero(b) || mayBeInfinite(a);
  const lo = a.lo >= 0 ? 0 : Math.max(a.lo, -most);
  const hi = a.hi <= 0 ? 0 : Math.min(a.hi, most);
  return number({
    lo, hi: Math.max(hi, lo), int, nan, negativeZero: mayBeNegative(a), width: widthOf(a, b), from: a.from | b.from,
  });
}

/** @type {(x: Num) => Num} of ToInt32 */
function toInt32(x) {
  const a = plain(x);
  return isIntegerOrNegativeZero(a) && fitsInt32(a) ? integer(Math.trunc(a.lo) + 0, Math.trunc(a.hi) + 0, 32) : int32;
}

/** @type {(x: Num) => Num} of ToUint32 */
function toUint32(x) {
  const a = plain(x);
  return isIntegerOrNegativeZero(a) && a.lo >= 0 && a.hi <= MOST_UINT32
    ? integer(a.lo + 0, a.hi + 0, a.hi <= MOST_INT32 ? 32 : 64)
    : integer(0, MOST_UINT32);
}

/** @type {(n: number) => number} the least number of ones that covers it */
function ones(n) {
  return 2 ** (32 - Math.clz32(n)) - 1;
}

/** @type {(op: '&' | '|' | '^', x: Num, y: Num) => Num} */
function bits(op, x, y) {
  const [a, b] = [toInt32(x), toInt32(y)];
  if (op === '&' && (a.lo >= 0 || b.lo >= 0))
    return integer(0, Math.min(a.lo >= 0 ? a.hi : MOST_INT32, b.lo >= 0 ? b.hi : MOST_INT32), 32);
  if (a.lo >= 0 && b.lo >= 0) return integer(0, Math.max(ones(a.hi), ones(b.hi)), 32);
  return int32;
}

/** @type {(op: '<<' | '>>' | '>>>', x: Num, y: Num) => Num} */
function shift(op, x, y) {
  const by = toInt32(y);
  const known = by.lo === by.hi ? by.lo & 31 : -1;
  if (op === '>>>') {
    const a = toUint32(x);
    const t = known >= 0 ? integer(Math.floor(a.lo / 2 ** known), Math.floor(a.hi / 2 ** known)) : integer(0, a.hi);
    return { ...t, width: t.hi <= MOST_INT32 ? 32 : 64 };
  }
  const a = toInt32(x);
  if (op === '>>')
    return known >= 0 ? integer(a.lo >> known, a.hi >> known, 32) : integer(Math.min(a.lo, 0), Math.max(a.hi, 0), 32);
  const [lo, hi] = [a.lo * 2 ** known, a.hi * 2 ** known];
  return known >= 0 && lo >= LEAST_INT32 && hi <= MOST_INT32 ? integer(lo, hi, 32) : int32;
}

/** @type {(how: 'floor' | 'ceil' | 'round' | 'trunc', x: Num) => Num} */
function round(how, x) {
  const a = plain(x);
  const negativeZero = a.negativeZero || (!a.int && how !== 'floor' && a.lo < 0 && a.hi > -1);
  return number({
    lo: Math[how](a.lo) + 0, hi: Math[how](a.hi) + 0, int: true, nan: a.nan, negativeZero, single: a.single,
    width: a.int ? a.width : 64, from: a.from,
  });
}

/** @type {(x: Num) => Num} */
function absolute(x) {
  const a = plain(x);
  const lo = a.lo >= 0 ? a.lo : a.hi <= 0 ? -a.hi : 0;
  return number({
    lo, hi: Math.max(Math.abs(a.lo), Math.abs(a.hi)), int: a.int, nan: a.nan, single: a.single, width: a.width && 64,
  });
}

/** @type {(which: 'min' | 'max', x: Num, y: Num) => Num} */
function extreme(which, x, y) {
  const [a, b] = [plain(x), plain(y)];
  const below =
    which === 'min' && (a.below || b.below)
      ? new Set([...(a.below ?? []), ...(b.below ?? [])])
      : common(a.below, b.below);
  return {
    ...join(a, b), lo: Math[which](a.lo, b.lo), hi: Math[which](a.hi, b.hi), below: a.nan || b.nan ? null : below,
  };
}

module.exports = {
  LIMIT,
  MOST_INT32,
  MOST_UINT32,
  absolute,
  add,
  anyNumber,
  anySingle,
  bits,
  constant,
  counter,
  divide,
  extreme,
  fitsInt32,
  hasZero,
  int32,
  integer,
  isEqual,
  isInteger,
  isIntegerOrNegativeZero,
  isNever,
  isNothing,
  join,
  mayCount,
  multiply,
  negate,
  number,
  ofDType,
  plain,
  remainder,
  round,
  shift,
  subtract,
  toInt32,
  toUint32,
  typeOf,
  widen,
};
