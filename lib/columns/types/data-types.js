/**
 * The data types of columns: those of Arrow that expressions know, as interned frozen objects.
 *
 * Two types are the same when they are the same object, so they are compared by `===` and serve as keys. Each carries
 * what storage needs to know: the typed array that holds its elements, how many of them make a row, and the element
 * type of a loop. How a column is laid out (32 or 64-bit offsets, a dictionary) is not part of its type.
 *
 * Names are read in Arrow's spelling, `timestamp[us, UTC]`, and in those of SQL databases, `double precision`, by
 * names.js; common.js says where two types meet.
 *
 * Lists, structs, maps and unions have no type here: structs are columns by themselves, the others are refused where an
 * expression names them.
 */
'use strict';

const { describe } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');

/**
 * @typedef {'s' | 'ms' | 'us' | 'ns'} TimeUnit
 * @typedef {'year_month' | 'day_time' | 'month_day_nano'} IntervalUnit
 * @typedef {'int' | 'float' | 'bool' | 'utf8' | 'binary' | 'date' | 'time' | 'timestamp' | 'duration' | 'interval' | 'decimal' | 'null'} Kind
 */

/**
 * @typedef {object} DataType
 * @property {string} id the name without parameters: int32, timestamp, decimal128
 * @property {string} text the whole name: int32, timestamp[us, UTC], decimal128(38, 2)
 * @property {Kind} kind
 * @property {number} bits of a row, 0 where rows differ in size (utf8, binary) or there is nothing (null)
 * @property {boolean} signed of integers
 * @property {TimeUnit | IntervalUnit | 'day' | undefined} unit
 * @property {string | undefined} zone of timestamps that have one
 * @property {number} precision of decimals, else 0
 * @property {number} scale of decimals, else 0
 * @property {number} bytes of a row: 0 for bool, whose rows are bits, and where rows differ in size
 * @property {any} array the class of typed array that holds values
 * @property {number} stride elements of that array in a row
 * @property {string | undefined} dtype the element of a loop that a row is; f16 is a u16 of bits; undefined where a row is no single element
 */

/** @type {Map<string, DataType>} by text */
const interned = new Map();

/**
 * @param {string} id
 * @param {string} text
 * @param {Kind} kind
 * @param {[array: any, stride: number, dtype: string | undefined]} storage
 * @param {Partial<DataType>} [more]
 * @returns {DataType}
 */
function intern(id, text, kind, [array, stride, dtype], more = {}) {
  const found = interned.get(text);
  if (found !== undefined) return found;
  const bytes = ['bool', 'utf8', 'binary', 'null'].includes(kind) ? 0 : array.BYTES_PER_ELEMENT * stride;
  const bits = kind === 'bool' ? 1 : 8 * bytes;
  const empty = { signed: false, unit: undefined, zone: undefined, precision: 0, scale: 0 };
  /** @type {DataType} */
  const type = Object.freeze({ id, text, kind, bits, ...empty, ...more, bytes, array, stride, dtype });
  interned.set(text, type);
  return type;
}

const I32 = /** @type {[any, number, string]} */ ([Int32Array, 1, 'i32']);
const I64 = /** @type {[any, number, string]} */ ([BigInt64Array, 1, 'i64']);
const BYTES = /** @type {[any, number, undefined]} */ ([Uint8Array, 1, undefined]);

/** @type {(bits: number, array: any, dtype: string) => DataType} */
const signedInt = (bits, array, dtype) => intern(`int${bits}`, `int${bits}`, 'int', [array, 1, dtype], { signed: true });
/** @type {(bits: number, array: any, dtype: string) => DataType} */
const unsignedInt = (bits, array, dtype) => intern(`uint${bits}`, `uint${bits}`, 'int', [array, 1, dtype]);

const int8 = signedInt(8, Int8Array, 'i8');
const int16 = signedInt(16, Int16Array, 'i16');
const int32 = signedInt(32, Int32Array, 'i32');
const int64 = signedInt(64, BigInt64Array, 'i64');
const uint8 = unsignedInt(8, Uint8Array, 'u8');
const uint16 = unsignedInt(16, Uint16Array, 'u16');
const uint32 = unsignedInt(32, Uint32Array, 'u32');
const uint64 = unsignedInt(64, BigUint64Array, 'u64');
const float16 = intern('float16', 'float16', 'float', [Uint16Array, 1, 'u16'], { signed: true });
const float32 = intern('float32', 'float32', 'float', [Float32Array, 1, 'f32'], { signed: true });
const float64 = intern('float64', 'float64', 'float', [Float64Array, 1, 'f64'], { signed: true });
const bool = intern('bool', 'bool', 'bool', BYTES);
const utf8 = intern('utf8', 'utf8', 'utf8', BYTES);
const binary = intern('binary', 'binary', 'binary', BYTES);
const date32 = intern('date32', 'date32', 'date', I32, { unit: 'day' });
const date64 = intern('date64', 'date64', 'date', I64, { unit: 'ms' });
const none = intern('null', 'null', 'null', BYTES);

/** From coarse to fine. @type {readonly TimeUnit[]} */
const TIME_UNITS = Object.freeze(['s', 'ms', 'us', 'ns']);
/** @type {readonly IntervalUnit[]} */
const INTERVAL_UNITS = Object.freeze(['year_month', 'day_time', 'month_day_nano']);

/** @type {<T extends string>(id: string, unit: unknown, units: readonly T[]) => T} */
function unitOf(id, unit, units) {
  const found = units.find((each) => each === unit);
  if (found !== undefined) return found;
  const list = units.map((each) => `'${each}'`).join(', ');
  return fail('ERR_ARGUMENT', `${id}: expected one of ${list} for the unit, got ${describe(unit)}`);
}

/** @type {(unit: 's' | 'ms') => DataType} */
const time32 = (unit) => intern('time32', `time32[${unitOf('time32', unit, ['s', 'ms'])}]`, 'time', I32, { unit });

/** @type {(unit: 'us' | 'ns') => DataType} */
const time64 = (unit) => intern('time64', `time64[${unitOf('time64', unit, ['us', 'ns'])}]`, 'time', I64, { unit });

/** The type of times of day in a unit, whatever its size. @type {(unit: TimeUnit) => DataType} */
const time = (unit) => (unit === 's' || unit === 'ms' ? time32(unit) : time64(unit));

/** @type {(unit: TimeUnit, zone?: string | null) => DataType} */
function timestamp(unit, zone) {
  unitOf('timestamp', unit, TIME_UNITS);
  const text = zone ? `timestamp[${unit}, ${zone}]` : `timestamp[${unit}]`;
  return intern('timestamp', text, 'timestamp', I64, { unit, zone: zone || undefined });
}

/** @type {(unit: TimeUnit) => DataType} */
const duration = (unit) =>
  intern('duration', `duration[${unitOf('duration', unit, TIME_UNITS)}]`, 'duration', I64, { unit });

/** @type {Record<IntervalUnit, [any, number, string | undefined]>} */
const INTERVAL_STORAGE = {
  year_month: I32,
  day_time: [Int32Array, 2, undefined],
  month_day_nano: [Int32Array, 4, undefined],
};

/** @type {(unit: IntervalUnit) => DataType} */
function interval(unit) {
  unitOf('interval', unit, INTERVAL_UNITS);
  return intern('interval', `interval[${unit}]`, 'interval', INTERVAL_STORAGE[unit], { unit });
}

const MAX_PRECISION = 38;

/** @type {(precision: number, scale?: number) => DataType} */
function decimal128(precision, scale = 0) {
  if (!Number.isInteger(precision) || precision < 1 || precision > MAX_PRECISION) {
    const wanted = `an integer from 1 to ${MAX_PRECISION}`;
    return fail('ERR_ARGUMENT', `decimal128: expected ${wanted} for the precision, got ${describe(precision)}`);
  }
  if (!Number.isInteger(scale) || scale < 0 || scale > precision) {
    const wanted = `an integer from 0 to the precision ${precision}`;
    return fail('ERR_ARGUMENT', `decimal128: expected ${wanted} for the scale, got ${describe(scale)}`);
  }
  const storage = /** @type {[any, number, undefined]} */ ([Uint32Array, 4, undefined]);
  return intern('decimal128', `decimal128(${precision}, ${scale})`, 'decimal', storage, { precision, scale });
}

/** @type {readonly DataType[]} those without parameters */
const plain = Object.freeze([
  int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64,
  bool, utf8, binary, date32, date64, none,
]);

/** The type with exactly this text, if it has been made. @type {(text: string) => DataType | undefined} */
const typeByText = (text) => interned.get(text);

/** @type {(type: DataType) => string} */
const typeText = (type) => type.text;

/** @type {(type: DataType) => boolean} */
const isNumeric = ({ kind }) => kind === 'int' || kind === 'float' || kind === 'decimal';

/** Whether values are days, or times, or moments. @type {(type: DataType) => boolean} */
const isTemporal = ({ kind }) => kind === 'date' || kind === 'time' || kind === 'timestamp';

module.exports = {
  INTERVAL_UNITS,
  MAX_PRECISION,
  TIME_UNITS,
  binary,
  bool,
  date32,
  date64,
  decimal128,
  duration,
  float16,
  float32,
  float64,
  int16,
  int32,
  int64,
  int8,
  interval,
  isNumeric,
  isTemporal,
  none,
  plain,
  time,
  time32,
  time64,
  timestamp,
  typeByText,
  typeText,
  uint16,
  uint32,
  uint64,
  uint8,
  utf8,
};
