/**
 * Data types for the reference evaluator, by their text: int32, timestamp[us, UTC], decimal128(10, 2).
 *
 * It is written anew rather than taken from the library, so that a mistake there shows here. Values are kept as plainly
 * as JavaScript allows: every integer, date, time and moment is a bigint (of the type's unit), floats are numbers, a
 * decimal is the bigint of its digits, an interval { months, days, nanoseconds }.
 */
'use strict';

const KINDS = {
  int8: 'int', int16: 'int', int32: 'int', int64: 'int', uint8: 'int', uint16: 'int', uint32: 'int', uint64: 'int',
  float16: 'float', float32: 'float', float64: 'float', bool: 'bool', utf8: 'utf8', binary: 'binary', null: 'null',
  date32: 'date', date64: 'date', time32: 'time', time64: 'time', timestamp: 'timestamp', duration: 'duration',
  interval: 'interval', decimal128: 'decimal',
};

/** Nanoseconds of a unit. @type {Record<string, bigint>} */
const NANOS = { ns: 1n, us: 1000n, ms: 1000000n, s: 1000000000n, day: 86400000000000n };

/**
 * @typedef {{ text: string, id: string, kind: string, bits: number, signed: boolean, unit: string, zone: string, precision: number, scale: number }} Type
 */

/** @type {Map<string, Type>} */
const known = new Map();

/** @type {(text: string) => Type} */
function typeOf(text) {
  const found = known.get(text);
  if (found !== undefined) return found;
  const [, id, inside = ''] = /** @type {RegExpExecArray} */ (/^(\w+)(?:[[(](.*)[\])])?$/u.exec(text));
  const kind = /** @type {Record<string, string>} */ (KINDS)[id];
  if (kind === undefined) throw new TypeError(`no type ${text}`);
  const [first = '', second = ''] = inside.split(',').map((part) => part.trim());
  const unit = kind === 'date' ? { date32: 'day', date64: 'ms' }[id] : kind === 'decimal' ? '' : first;
  const type = {
    text, id, kind, unit: unit ?? '', zone: kind === 'timestamp' ? second : '',
    bits: Number(/\d+$/u.exec(id)?.[0] ?? (kind === 'timestamp' || kind === 'duration' ? 64 : 0)),
    signed: !id.startsWith('u') || kind !== 'int',
    precision: kind === 'decimal' ? Number(first) : 0, scale: kind === 'decimal' ? Number(second) : 0,
  };
  known.set(text, type);
  return type;
}

/** @type {(precision: number, scale: number) => Type} */
const decimal = (precision, scale) => typeOf(`decimal128(${precision}, ${scale})`);

/** @type {(unit: string, zone?: string) => Type} */
const timestamp = (unit, zone) => typeOf(zone ? `timestamp[${unit}, ${zone}]` : `timestamp[${unit}]`);

/** @type {(value: bigint, type: Type) => boolean} */
const inRange = (value, { bits, signed }) =>
  signed ? BigInt.asIntN(bits, value) === value : BigInt.asUintN(bits, value) === value;

/** @type {(a: Type, b: Type) => Type} */
function commonInt(a, b) {
  if (a.signed === b.signed) return a.bits > b.bits ? a : b;
  const [signed, unsigned] = a.signed ? [a, b] : [b, a];
  if (signed.bits > unsigned.bits) return signed;
  return typeOf(unsigned.bits === 64 ? 'float64' : `int${unsigned.bits * 2}`);
}

/** Digits of the greatest. @type {Record<string, number>} */
const DIGITS = { int8: 3, uint8: 3, int16: 5, uint16: 5, int32: 10, uint32: 10, int64: 19, uint64: 20 };

/** @type {(type: Type) => Type} */
const asDecimal = (type) => (type.kind === 'int' ? decimal(DIGITS[type.id], 0) : type);

/** @type {(a: Type, b: Type) => Type} */
function commonDecimal(a, b) {
  const [x, y] = [asDecimal(a), asDecimal(b)];
  const whole = Math.max(x.precision - x.scale, y.precision - y.scale);
  const scale = Math.min(Math.max(x.scale, y.scale), 38 - whole);
  return decimal(whole + scale, scale);
}

/** @type {(a: Type, b: Type) => string} */
const finer = (a, b) => {
  const [x, y] = [a, b].map(({ unit }) => (unit === 'day' ? 's' : unit));
  return NANOS[x] < NANOS[y] ? x : y;
};

/** @type {Record<string, (a: Type, b: Type) => Type | null>} by kinds in the order of the alphabet */
const MEETING = {
  'int int': commonInt,
  'float float': (a, b) => (a.bits > b.bits ? a : b),
  'float int': (a, b) => typeOf(`float${Math.max(a.bits, Math.min(64, b.bits * 2))}`),
  'decimal decimal': commonDecimal,
  'decimal int': commonDecimal,
  'decimal float': () => typeOf('float64'),
  'date date': () => typeOf('date64'),
  'date timestamp': (a, b) => timestamp(finer(a, b), b.zone),
  'timestamp timestamp': (a, b) => {
    if (a.zone === b.zone) return timestamp(finer(a, b), a.zone);
    return a.zone && b.zone ? timestamp(finer(a, b), 'UTC') : null;
  },
  'time time': (a, b) => typeOf(`${NANOS[finer(a, b)] < NANOS.ms ? 'time64' : 'time32'}[${finer(a, b)}]`),
  'duration duration': (a, b) => typeOf(`duration[${finer(a, b)}]`),
  'interval interval': () => typeOf('interval[month_day_nano]'),
  'binary utf8': (a) => a,
};

/** The type in which two meet, or null. @type {(a: Type, b: Type) => Type | null} */
function common(a, b) {
  if (a === b || b.kind === 'null') return a;
  if (a.kind === 'null') return b;
  const [x, y] = a.kind <= b.kind ? [a, b] : [b, a];
  return MEETING[`${x.kind} ${y.kind}`]?.(x, y) ?? null;
}

module.exports = { NANOS, asDecimal, common, decimal, inRange, timestamp, typeOf };
