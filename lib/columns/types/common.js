/**
 * The type in which values of two types can meet: of `a + b`, `a < b`, the branches of a case, the items of a list.
 *
 *   int + int       the wider; signed with unsigned the next signed one, and int64 with uint64 is float64, as in NumPy
 *   int + float     the float if it holds each of the integers, else a wider one
 *   decimal + int   a decimal with room for both; decimal + float is float64
 *   date + timestamp, and units of time: the finer, so nothing is lost
 *   null + anything the other one
 *
 * Everything else has none: a number is no truth, a text no number, and a timestamp without a zone is not the same
 * moment as one with it. Casts say what is meant.
 */
'use strict';

const types = require('./data-types.js');

/** @typedef {import('./data-types.js').DataType} DataType */
/** @typedef {import('./data-types.js').TimeUnit} TimeUnit */

/** @type {(a: TimeUnit, b: TimeUnit) => TimeUnit} */
const finer = (a, b) => (types.TIME_UNITS.indexOf(a) > types.TIME_UNITS.indexOf(b) ? a : b);

/** @type {(bits: number, signed: boolean) => DataType} */
const intOf = (bits, signed) =>
  /** @type {DataType} */ (types.plain.find((type) => type.kind === 'int' && type.bits === bits && type.signed === signed));

/** @type {(bits: number) => DataType} */
const floatOf = (bits) => (bits <= 16 ? types.float16 : bits <= 32 ? types.float32 : types.float64);

/** @type {(a: DataType, b: DataType) => DataType} */
function ints(a, b) {
  if (a.signed === b.signed) return a.bits > b.bits ? a : b;
  const [signed, unsigned] = a.signed ? [a, b] : [b, a];
  if (signed.bits > unsigned.bits) return signed;
  return unsigned.bits === 64 ? types.float64 : intOf(unsigned.bits * 2, true);
}

/** The least float that holds each integer of a type, if any does: halves have 11 digits, floats 24. @type {Record<number, number>} */
const FLOAT_FOR_INT = { 8: 16, 16: 32, 32: 64, 64: 64 };

/** @type {(int: DataType, float: DataType) => DataType} */
const intWithFloat = (int, float) => floatOf(Math.max(float.bits, FLOAT_FOR_INT[int.bits]));

/** Decimal digits of the greatest. @type {Record<string, number>} */
const DIGITS = { int8: 3, uint8: 3, int16: 5, uint16: 5, int32: 10, uint32: 10, int64: 19, uint64: 20 };

/** @type {(type: DataType) => DataType} */
const asDecimal = (type) => (type.kind === 'int' ? types.decimal128(DIGITS[type.id]) : type);

/** @type {(a: DataType, b: DataType) => DataType} */
function decimals(a, b) {
  const [x, y] = [asDecimal(a), asDecimal(b)];
  const whole = Math.max(x.precision - x.scale, y.precision - y.scale);
  // Digits before the point are kept before those behind it.
  const scale = Math.min(Math.max(x.scale, y.scale), types.MAX_PRECISION - whole);
  return types.decimal128(Math.max(1, whole + scale), scale);
}

/** @type {(type: DataType) => TimeUnit} */
const unitOf = ({ unit }) => (unit === 'day' ? 's' : /** @type {TimeUnit} */ (unit));

/** @type {(a: DataType, b: DataType) => DataType | undefined} */
function timestamps(a, b) {
  const unit = finer(unitOf(a), unitOf(b));
  if (a.zone === b.zone) return types.timestamp(unit, a.zone);
  return a.zone !== undefined && b.zone !== undefined ? types.timestamp(unit, 'UTC') : undefined;
}

/** @type {(date: DataType, stamp: DataType) => DataType} */
const dateWithTimestamp = (date, stamp) => types.timestamp(finer(unitOf(date), unitOf(stamp)), stamp.zone);

/** By kinds, in the order of the alphabet. @type {Record<string, (a: DataType, b: DataType) => DataType | undefined>} */
const rules = {
  'int int': ints,
  'float float': (a, b) => (a.bits > b.bits ? a : b),
  'float int': (a, b) => intWithFloat(b, a),
  'decimal decimal': decimals,
  'decimal int': decimals,
  'decimal float': () => types.float64,
  'date date': () => types.date64,
  'date timestamp': dateWithTimestamp,
  'timestamp timestamp': timestamps,
  'time time': (a, b) => types.time(finer(unitOf(a), unitOf(b))),
  'duration duration': (a, b) => types.duration(finer(unitOf(a), unitOf(b))),
  'interval interval': () => types.interval('month_day_nano'),
  'binary utf8': (a) => a,
};

/** @type {(a: DataType, b: DataType) => DataType | undefined} undefined where there is none */
function commonType(a, b) {
  if (a === b || b.kind === 'null') return a;
  if (a.kind === 'null') return b;
  const [x, y] = a.kind <= b.kind ? [a, b] : [b, a];
  return rules[`${x.kind} ${y.kind}`]?.(x, y);
}

module.exports = { commonType };
