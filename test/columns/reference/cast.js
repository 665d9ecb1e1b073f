/**
 * Casts: `castValue` of the operators cast and ::, and Gandiva's functions that convert.
 *
 * The operators cut floats off at the point; castINT and castBIGINT round them, as Gandiva does.
 */
'use strict';

const { DAY, daysInMonth, fieldsOf, fromMillis, momentInZone, momentOf, offsetOf, toMillis } = require('./calendar.js');
const { castFault, invalid } = require('./faults.js');
const { decimalToNumber, decimalToText, fitted, fittedDecimal, floored, nearest, rescaled, rounded, tenTo } = require('./numbers.js');
const { decoded } = require('./strings.js');
const { NANOS, inRange, typeOf } = require('./types.js');

/** @type {(value: bigint, to: any) => bigint} */
const integerOr = (value, to) => (inRange(value, to) ? value : castFault(`${value} does not fit ${to.text}`));

/** @type {(value: number, to: any) => bigint} */
const integerOfFloat = (value, to) =>
  Number.isFinite(value) ? integerOr(BigInt(Math.trunc(value)), to) : castFault(`${value} is no ${to.text}`);

// --- texts ---

/** @type {(text: string, to: any) => bigint} */
const integerOfText = (text, to) =>
  /^ *[+-]?\d+ *$/u.test(text) ? integerOr(BigInt(text.trim().replace('+', '')), to) : castFault(`'${text}' is no ${to.text}`);

/** @type {(text: string, to: any) => number} */
function floatOfText(text, to) {
  const word = /^ *([+-]?)(inf|infinity|nan) *$/iu.exec(text);
  if (word) return (word[1] === '-' ? -1 : 1) * (/nan/iu.test(word[2]) ? NaN : Infinity);
  if (!/^ *[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)? *$/iu.test(text)) return castFault(`'${text}' is no ${to.text}`);
  return rounded(Number(text), to);
}

/** @type {(text: string) => boolean} */
function booleanOfText(text) {
  const found = { true: true, 1: true, false: false, 0: false }[text.replace(/^ +| +$/gu, '').toLowerCase()];
  return found ?? castFault(`'${text}' is no bool`);
}

/** @type {(text: string, to: any) => bigint} */
function decimalOfText(text, to) {
  const found = /^ *([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))? *$/iu.exec(text);
  if (!found || found[2] + found[3] === '') return castFault(`'${text}' is no decimal`);
  const [, sign, whole, part, power = '0'] = found;
  const digits = BigInt(whole + part) * (sign === '-' ? -1n : 1n);
  const scale = part.length - Number(power);
  return fittedDecimal(scale < 0 ? rescaled(digits * tenTo(-scale), 0, to.scale) : rescaled(digits, scale, to.scale), to);
}

/** @type {(text: string, digits: string) => number} years of two digits are of 1970 to 2069 */
const yearOf = (digits) => (digits.length < 4 && Number(digits) < 100 ? Number(digits) + (Number(digits) < 70 ? 2000 : 1900) : Number(digits));

/** @type {(year: number, month: number, day: number, text: string) => bigint} */
function dayOf(year, month, day, text) {
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month - 1);
  return isDay ? momentOf(year, month - 1, day) : castFault(`'${text}' is no date`);
}

/** In milliseconds; what follows the day is not looked at. @type {(text: string) => bigint} */
function dateOfText(text) {
  const found = /^(\d+)\D(\d+)\D(\d+)/u.exec(text);
  if (!found) return castFault(`'${text}' is no date`);
  return dayOf(yearOf(found[1]), Number(found[2]), Number(found[3]), text);
}

/** @type {(parts: (string | undefined)[], text: string) => bigint} nanoseconds */
function clockOf([hours = '0', minutes = '0', seconds = '0', fraction = ''], text) {
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return castFault(`'${text}' is no time`);
  const whole = BigInt((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * NANOS.s;
  return whole + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
}

const STAMP = /^(\d+)-(\d+)-(\d+)(?:[ T](\d+)(?::(\d+)(?::(\d+)(?:\.(\d+))?)?)?)? *(?:([+-])(\d+)(?::(\d+))?|(Z|[A-Za-z].*))?$/u;

/** @type {(text: string, to: any) => bigint} */
function timestampOfText(text, to) {
  const found = STAMP.exec(text);
  if (!found) return castFault(`'${text}' is no timestamp`);
  const day = dayOf(yearOf(found[1]), Number(found[2]), Number(found[3]), text);
  const nanos = clockOf(found.slice(4, 8), text);
  const [sign, hours, minutes = '0', zone] = found.slice(8);
  const local = day + floored(nanos, NANOS.ms);
  const ahead = BigInt(Number(hours ?? 0) * 60 + Number(minutes)) * 60000n * (sign === '-' ? -1n : 1n);
  const named = zone === 'Z' ? 'UTC' : zone;
  return fromMillis(named ? momentInZone(local, named) : local - ahead, nanos % NANOS.ms, to.unit);
}

/** @type {(text: string, to: any) => bigint} */
function timeOfText(text, to) {
  const found = /^(\d+)(?::(\d+)(?::(\d+)(?:\.(\d+))?)?)?$/u.exec(text);
  return found ? clockOf(found.slice(1), text) / NANOS[to.unit] : castFault(`'${text}' is no time`);
}

const amount = (/** @type {string | undefined} */ text) => Number((text ?? '0').replace(',', '.'));
const N = String.raw`(-?\d+(?:[.,]\d+)?)`;
const PERIOD = new RegExp(`^P(?:${N}Y)?(?:${N}M)?(?:${N}D)?(?:T(?:${N}H)?(?:${N}M)?(?:${N}S)?)?$`, 'u');
const WEEKS = new RegExp(`^P${N}W$`, 'u');

/** @type {(milliseconds: number, days?: number) => any} */
function dayInterval(milliseconds, days = 0) {
  const ms = BigInt(Math.trunc(milliseconds));
  return { months: 0, days: Math.trunc(days + Number(ms / DAY)), nanoseconds: (ms % DAY) * NANOS.ms };
}

/** A number is of milliseconds, else it is an ISO 8601 period, whose years and months do not count. @type {(text: string) => any} */
function dayIntervalOfText(text) {
  if (/^\d+$/u.test(text)) return dayInterval(Number(text));
  const weeks = WEEKS.exec(text);
  if (weeks) return dayInterval(amount(weeks[1]) * 7 * 86400000);
  const found = PERIOD.exec(text);
  if (!found) return castFault(`'${text}' is no interval`);
  const [, , , days, hours, minutes, seconds] = found.map(amount);
  return dayInterval(hours * 3600000 + minutes * 60000 + seconds * 1000, days);
}

/** A number is of months, else only years and months count. @type {(text: string) => any} */
function yearIntervalOfText(text) {
  if (/^\d+$/u.test(text)) return months(BigInt(text));
  const found = PERIOD.exec(text) ?? WEEKS.exec(text);
  if (!found) return castFault(`'${text}' is no interval`);
  return WEEKS.test(text) ? months(0n) : months(BigInt(Math.trunc(amount(found[1]) * 12 + amount(found[2]))));
}

/** @type {(value: bigint) => any} */
const months = (value) => ({ months: Number(integerOr(value, typeOf('int32'))), days: 0, nanoseconds: 0n });

// --- to texts ---

/** The least digits that give a float32 back. @type {(value: number) => string} */
const shortest32 = (value) =>
  /** @type {string} */ ([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => value.toPrecision(n)).find((text) => Math.fround(Number(text)) === value));

/** As Java writes it: 1.0, 1.2E-5 below .001, 1.0E7 from ten million. @type {(value: number, type: any) => string} */
function textOfFloat(value, { bits }) {
  if (!Number.isFinite(value)) return String(value);
  const exact = bits === 32 ? shortest32(value) ?? String(value) : String(value);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa, power] = Number(exact).toExponential().split('e');
  const exponent = Number(power);
  const digits = mantissa.replace(/[-.]/gu, '');
  const sign = value < 0 ? '-' : '';
  if (exponent < -3 || exponent >= 7) return `${sign}${digits[0]}.${digits.slice(1) || '0'}E${exponent}`;
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const padded = digits.padEnd(exponent + 1, '0');
  return `${sign}${padded.slice(0, exponent + 1)}.${padded.slice(exponent + 1) || '0'}`;
}

const two = (/** @type {number | bigint} */ n) => String(n).padStart(2, '0');

/** @type {(ms: bigint) => string} */
function textOfDay(ms) {
  const { year, month, day } = fieldsOf(ms);
  const size = String(Math.abs(year)).padStart(4, '0');
  return `${year < 0 ? '-' : ''}${size}-${two(month + 1)}-${two(day)}`;
}

/** @type {(nanos: bigint, unit: string) => string} of a day */
function textOfClock(nanos, unit) {
  const seconds = nanos / NANOS.s;
  const digits = { s: 0, ms: 3, us: 6, ns: 9 }[unit] ?? 0;
  const fraction = digits === 0 ? '' : `.${String(nanos % NANOS.s).padStart(9, '0').slice(0, digits)}`;
  return `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}${fraction}`;
}

/** @type {(value: bigint, type: any) => string} as clocks of its zone show it */
function textOfTimestamp(value, type) {
  const { ms, rest } = toMillis(value, type.unit);
  const local = type.zone ? ms + offsetOf(type.zone, ms) : ms;
  return `${textOfDay(local)} ${textOfClock(fieldsOf(local).rest * NANOS.ms + rest, type.unit)}`;
}

/** @type {Record<string, (value: any, from: any) => string>} */
const TEXTS = {
  int: String,
  float: textOfFloat,
  bool: String,
  decimal: (value, from) => decimalToText(value, from.scale),
  date: (value, from) => textOfDay(toMillis(value, from.unit).ms),
  time: (value, from) => textOfClock(value * NANOS[from.unit], from.unit),
  timestamp: textOfTimestamp,
  utf8: (value) => value,
  binary: decoded,
};

// --- the operators ---

/** @type {(value: bigint, from: any, to: any) => bigint} from unit to unit, towards the past */
const unitCast = (value, from, to) => floored(value * NANOS[from.unit], NANOS[to.unit]);

/** @type {(value: bigint, from: any) => bigint} milliseconds as clocks show them */
const localMillis = (value, from) => {
  const { ms } = toMillis(value, from.unit);
  return from.zone ? ms + offsetOf(from.zone, ms) : ms;
};

/** By kinds. @type {Record<string, (value: any, from: any, to: any) => any>} */
const CASTS = {
  'int int': (value, _, to) => integerOr(value, to),
  'int float': (value, _, to) => rounded(Number(value), to),
  'int bool': (value) => value !== 0n,
  'int decimal': (value, _, to) => fittedDecimal(value * tenTo(to.scale), to),
  'float int': (value, _, to) => integerOfFloat(value, to),
  'float float': (value, _, to) => rounded(value, to),
  'float bool': (value) => value !== 0,
  'float decimal': (value, _, to) => decimalOfText(Number.isFinite(value) ? String(value) : 'x', to),
  'bool int': (value) => (value ? 1n : 0n),
  'bool float': (value) => (value ? 1 : 0),
  'decimal int': (value, from, to) => integerOr(nearest(value, tenTo(from.scale)), to),
  'decimal float': (value, from, to) => rounded(decimalToNumber(value, from.scale), to),
  'decimal decimal': (value, from, to) => fittedDecimal(rescaled(value, from.scale, to.scale), to),
  'utf8 int': (value, _, to) => integerOfText(value, to),
  'utf8 float': (value, _, to) => floatOfText(value, to),
  'utf8 bool': booleanOfText,
  'utf8 decimal': (value, _, to) => decimalOfText(value, to),
  'utf8 binary': (value) => Buffer.from(value),
  'utf8 date': (value, _, to) => dateOfText(value) * NANOS.ms / NANOS[to.unit],
  'utf8 timestamp': (value, _, to) => timestampOfText(value, to),
  'utf8 time': (value, _, to) => timeOfText(value, to),
  'date date': unitCast,
  'date timestamp': unitCast,
  'timestamp timestamp': unitCast,
  'timestamp date': (value, from, to) => floored(localMillis(value, from), DAY) * (NANOS.day / NANOS[to.unit]),
  'timestamp time': (value, from, to) => {
    const { rest } = toMillis(value, from.unit);
    return (fieldsOf(localMillis(value, from)).rest * NANOS.ms + rest) / NANOS[to.unit];
  },
  'time time': unitCast,
  'duration duration': unitCast,
  'int date': (value) => value,
  'int timestamp': (value) => value,
  'int time': (value) => value,
  'int duration': (value) => value,
  'interval interval': (value) => value,
};

/** Undefined where there is none. @type {(from: any, to: any) => ((value: any, from: any, to: any) => any) | undefined} */
function castOf(from, to) {
  if (from === to || from.kind === 'null') return (value) => value;
  return to.kind === 'utf8' ? TEXTS[from.kind] : CASTS[`${from.kind} ${to.kind}`];
}

// --- Gandiva's functions ---

/** @type {(value: number, type: any) => bigint} the nearest, halves away from zero */
const roundedInteger = (value, type) => integerOfFloat(value < 0 ? -Math.round(-value) : Math.round(value), type);

/** Texts of at most so many characters. @type {(toText: (value: any, type: any) => string, unlimited?: boolean) => any} */
const varchar = (toText, unlimited = false) => (/** @type {any} */ value, /** @type {bigint} */ length, /** @type {any} */ { args }) => {
  if (length < 0n) return invalid(`a text of ${length} characters`);
  const text = toText(value, args[0]);
  return unlimited && length === 0n ? text : Array.from(text).slice(0, Number(length)).join('');
};

/** @type {(toBytes: (value: any, type: any) => Uint8Array, unlimited?: boolean) => any} */
const varbinary = (toBytes, unlimited = false) => (/** @type {any} */ value, /** @type {bigint} */ length, /** @type {any} */ { args }) => {
  if (length < 0n) return invalid(`${length} bytes`);
  const data = toBytes(value, args[0]);
  return unlimited && length === 0n ? data : data.subarray(0, Number(length));
};

/** @type {(n: bigint) => any} the low half is days, the high half milliseconds */
const packedInterval = (n) => ({ months: 0, days: Number(BigInt.asIntN(32, n)), nanoseconds: (n >> 32n) * NANOS.ms });

/** Of an SQL pattern: YYYY, MM, DD, HH24, HH, MI, SS; what stands behind is not looked at. @type {(text: string, pattern: string) => bigint} */
function dateByPattern(text, pattern) {
  /** @type {Record<string, string>} */
  const fields = { YYYY: '(?<y>\\d{4})', MM: '(?<m>\\d{1,2})', DD: '(?<d>\\d{1,2})', HH24: '\\d{1,2}', HH: '\\d{1,2}', MI: '\\d{1,2}', SS: '\\d{1,2}' };
  const source = pattern.replace(/YYYY|MM|DD|HH24|HH|MI|SS|[^A-Z]/gu, (part) => fields[part] ?? part.replace(/[.()+*?]/u, '\\$&'));
  const found = new RegExp(`^${source}`, 'u').exec(text);
  if (!found?.groups) return castFault(`'${text}' is not of the form ${pattern}`);
  return dayOf(Number(found.groups.y), Number(found.groups.m ?? 1), Number(found.groups.d ?? 1), text);
}

/** @type {(size: number, write: (data: Buffer, value: any) => void, reverse: boolean) => any} */
const toBytes = (size, write, reverse) => (/** @type {any} */ value) => {
  const data = Buffer.alloc(size);
  write(data, value);
  return reverse ? data.reverse() : data;
};

const bigint = (/** @type {Buffer} */ data, /** @type {bigint} */ value) => data.writeBigInt64LE(value);
const int = (/** @type {Buffer} */ data, /** @type {bigint} */ value) => data.writeInt32LE(Number(value));

/** @type {[name: string, param: string, size: number, write: any][]} */
const ENCODINGS = [
  ['DOUBLE', 'float64', 8, (data, value) => data.writeDoubleLE(value)],
  ['FLOAT', 'float32', 4, (data, value) => data.writeFloatLE(value)],
  ['BIGINT', 'int64', 8, bigint],
  ['INT', 'int32', 4, int],
  ['TIMESTAMP_EPOCH', 'timestamp', 8, bigint],
  ['DATE_EPOCH', 'date64', 8, bigint],
  ['TIME_EPOCH', 'time32[ms]', 4, int],
];

/** Milliseconds of the day. @type {(ms: bigint) => bigint} */
const ofDay = (ms) => ms - floored(ms, DAY) * DAY;

const first = ([/** @type {any} */ a]) => a;
const milliseconds = (/** @type {any} */ interval) => interval.nanoseconds / NANOS.ms + BigInt(interval.days) * DAY;

module.exports = {
  castOf,
  dateOfText,
  timeOfText,
  timestampOfText,
  rows: [
    ['castINT', '(int) → int32', (value, { result, options }) => fitted(value, result, options)],
    ['castINT', '(float) → int32', (value, { result }) => roundedInteger(value, result)],
    ['castINT', '(utf8) → int32', (value, { result }) => integerOfText(value, result)],
    ['castINT', '(binary) → int32', (value, { result }) => integerOfText(decoded(value), result)],
    ['castINT castNULLABLEINT', '(interval[year_month]) → int32', ({ months: n }) => BigInt(Math.trunc(n / 12))],
    ['castBIGINT', '(int) → int64', (value, { result, options }) => fitted(value, result, options)],
    ['castBIGINT', '(float) → int64', (value, { result }) => roundedInteger(value, result)],
    ['castBIGINT', '(decimal) → int64', (value, { args, result }) => integerOr(nearest(value, tenTo(args[0].scale)), result)],
    ['castBIGINT', '(utf8) → int64', (value, { result }) => integerOfText(value, result)],
    ['castBIGINT', '(binary) → int64', (value, { result }) => integerOfText(decoded(value), result)],
    ['castBIGINT castNULLABLEBIGINT', '(interval[year_month]) → int64', ({ months: n }) => BigInt(Math.trunc(n / 12))],
    ['castBIGINT', '(interval[day_time]) → int64', milliseconds],
    ['castFLOAT4', '(int) → float32', (value) => Math.fround(Number(value))],
    ['castFLOAT4', '(float) → float32', (value) => Math.fround(value)],
    ['castFLOAT4', '(utf8) → float32', (value, { result }) => floatOfText(value, result)],
    ['castFLOAT4', '(binary) → float32', (value, { result }) => floatOfText(decoded(value), result)],
    ['castFLOAT8', '(int) → float64', Number],
    ['castFLOAT8', '(float) → float64', (value) => value],
    ['castFLOAT8', '(decimal) → float64', (value, { args }) => decimalToNumber(value, args[0].scale)],
    ['castFLOAT8', '(utf8) → float64', (value, { result }) => floatOfText(value, result)],
    ['castFLOAT8', '(binary) → float64', (value, { result }) => floatOfText(decoded(value), result)],
    ['castDECIMAL decimal castDECIMALNullOnOverflow', '(decimal) → ?', (value) => value, first],
    ['castDECIMAL decimal', '(int) → decimal128(38, 0)', (value) => value],
    ['castDECIMAL decimal', '(float) → decimal128(38, 9)', (value, { result }) => CASTS['float decimal'](value, null, result)],
    ['castDECIMAL decimal', '(utf8) → decimal128(38, 9)', (value, { result }) => decimalOfText(value, result)],
    ['castBIT castBOOLEAN', '(utf8) → bool', booleanOfText],
    ['castDATE', '(utf8) → date64', dateOfText],
    ['castDATE', '(int32) → date32', (value) => value],
    ['castDATE', '(int64) → date64', (value) => value],
    ['castDATE', '(date32) → date64', (value) => value * DAY],
    ['castDATE to_date', '(timestamp) → date64', (value, { args }) => floored(localMillis(value, args[0]), DAY) * DAY],
    ['to_date', '(utf8, utf8) → date64', dateByPattern],
    ['to_date', '(utf8, utf8, int) → date64', (text, pattern, suppress) => {
      if (suppress === 0n) return dateByPattern(text, pattern);
      try {
        return dateByPattern(text, pattern);
      } catch {
        return null;
      }
    }],
    ['castTIMESTAMP', '(utf8) → timestamp[ms]', (value, { result }) => timestampOfText(value, result)],
    ['castTIMESTAMP', '(date) → timestamp[ms]', (value, { args }) => toMillis(value, args[0].unit).ms],
    ['castTIMESTAMP', '(int) → timestamp[ms]', (value) => value],
    ['castTIME', '(utf8) → time32[ms]', (value, { result }) => timeOfText(value, result)],
    ['castTIME', '(timestamp) → time32[ms]', (value, { args }) => ofDay(localMillis(value, args[0]))],
    ['castTIME', '(int) → time32[ms]', (value) => (value < 0n ? 0n : value % DAY)],
    ['to_timestamp', '(int) → timestamp[ms]', (seconds, { result, options }) => fitted(seconds * 1000n, { ...result, signed: true }, options)],
    ['to_timestamp', '(float) → timestamp[ms]', (seconds, { args }) => integerOfFloat(rounded(seconds * 1000, args[0]), typeOf('int64'))],
    ['to_time', '(int) → time32[ms]', (seconds) => ofDay(seconds * 1000n)],
    ['to_time', '(float) → time32[ms]', (seconds, { args }) => ofDay(integerOfFloat(rounded(seconds * 1000, args[0]), typeOf('int64')))],
    ['castINTERVALDAY castNULLABLEINTERVALDAY', '(int) → interval[day_time]', packedInterval],
    ['castINTERVALYEAR castNULLABLEINTERVALYEAR', '(int) → interval[year_month]', months],
    ['castINTERVALDAY', '(utf8) → interval[day_time]', dayIntervalOfText],
    ['castINTERVALYEAR', '(utf8) → interval[year_month]', yearIntervalOfText],
    ['castVARCHAR varchar', '(utf8, int) → utf8', varchar((value) => value, true)],
    ['castVARCHAR varchar', '(binary, int) → utf8', varchar(decoded, true)],
    ...['bool', 'int', 'float', 'date', 'timestamp', 'decimal'].map((kind) => ['castVARCHAR varchar', `(${kind}, int) → utf8`, varchar(TEXTS[kind])]),
    ['castVARBINARY', '(binary, int) → binary', varbinary((value) => value, true)],
    ['castVARBINARY', '(utf8, int) → binary', varbinary(Buffer.from, true)],
    ['castVARBINARY', '(int, int) → binary', varbinary((value) => Buffer.from(String(value)))],
    ['castVARBINARY', '(float, int) → binary', varbinary((value, type) => Buffer.from(textOfFloat(value, type)))],
    ['binary', '(binary) → binary', (value) => value],
    ['binary', '(utf8) → binary', (value) => Buffer.from(value)],
    ...ENCODINGS.flatMap(([name, param, size, write]) => [
      [`convert_to${name}`, `(${param}) → binary`, toBytes(size, write, false)],
      [`convert_to${name}_be`, `(${param}) → binary`, toBytes(size, write, true)],
    ]),
    ['convert_toBOOLEAN_BYTE', '(bool) → binary', (value) => Buffer.from([value ? 1 : 0])],
  ],
};
