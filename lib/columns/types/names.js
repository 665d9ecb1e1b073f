/**
 * Data types from their names, in the spelling of Arrow and in those of SQL databases and of pandas:
 *
 *   int32  timestamp[us, UTC]  decimal128(38, 2)  double precision  varchar(20)  timestamp(3) with time zone
 *
 * What they leave open is set here: `timestamp` and `time` count milliseconds, as in JavaScript and Gandiva, a zone
 * that is not named is UTC, and `decimal` without digits has 38 of them, 9 behind the point. The length of a varchar
 * is no part of the type: a cast cuts what is longer.
 */
'use strict';

const { describe, expected, nearest, unknownName } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const types = require('./data-types.js');
const { checkZone } = require('./zone-names.js');

/** @typedef {import('./data-types.js').DataType} DataType */
/** @typedef {string | number} Argument */

/** @type {Readonly<Record<string, string>>} */
const ALIASES = Object.freeze({
  tinyint: 'int8',
  smallint: 'int16',
  int: 'int32',
  integer: 'int32',
  bigint: 'int64',
  long: 'int64',
  utinyint: 'uint8',
  usmallint: 'uint16',
  uint: 'uint32',
  uinteger: 'uint32',
  ubigint: 'uint64',
  byte: 'int8',
  short: 'int16',
  int2: 'int16',
  int4: 'int32',
  half: 'float16',
  halffloat: 'float16',
  real: 'float32',
  float4: 'float32',
  float: 'float64',
  float8: 'float64',
  double: 'float64',
  'double precision': 'float64',
  boolean: 'bool',
  string: 'utf8',
  text: 'utf8',
  str: 'utf8',
  varchar: 'utf8',
  char: 'utf8',
  character: 'utf8',
  'character varying': 'utf8',
  nvarchar: 'utf8',
  large_utf8: 'utf8',
  large_string: 'utf8',
  blob: 'binary',
  bytea: 'binary',
  varbinary: 'binary',
  bytes: 'binary',
  large_binary: 'binary',
  date: 'date32',
  datetime: 'timestamp',
  'timestamp without time zone': 'timestamp',
  'time without time zone': 'time',
  timestamptz: 'timestamp with time zone',
  decimal: 'decimal128',
  numeric: 'decimal128',
  dec: 'decimal128',
});

/** What may be said of texts and is ignored. */
const SIZED = new Set(['varchar', 'char', 'character', 'character varying', 'nvarchar', 'varbinary']);

/** Digits of a second in SQL, and units. @type {Readonly<Record<string, import('./data-types.js').TimeUnit>>} */
const UNITS = Object.freeze({
  0: 's', 3: 'ms', 6: 'us', 9: 'ns',
  s: 's', ms: 'ms', us: 'us', ns: 'ns',
  second: 's', millisecond: 'ms', microsecond: 'us', nanosecond: 'ns',
});

/** @typedef {{ name: string, args: readonly Argument[], caller: string }} Wanted */

/** @type {(wanted: Wanted, most: number) => void} */
function atMost({ name, args, caller }, most) {
  if (args.length <= most) return;
  const count = most === 0 ? 'no arguments' : most === 1 ? 'at most 1 argument' : `at most ${most} arguments`;
  fail('ERR_ARGUMENT', `${caller}: type ${name} takes ${count}, got ${args.length}`);
}

/** @type {(wanted: Wanted, arg: Argument | undefined, otherwise: string) => any} */
function unit({ name, caller }, arg = undefined, otherwise) {
  if (arg === undefined) return otherwise;
  const found = Object.hasOwn(UNITS, arg) ? UNITS[arg] : undefined;
  if (found === undefined) expected(caller, "'s', 'ms', 'us' or 'ns' (or 0, 3, 6, 9)", `the unit of ${name}`, arg);
  return found;
}

/** @type {(wanted: Wanted, arg: Argument | undefined, otherwise: number) => number} */
function digits({ name, caller }, arg, otherwise) {
  if (arg === undefined) return otherwise;
  return /^\d+$/.test(String(arg)) ? Number(arg) : expected(caller, 'a number of digits', `type ${name}`, arg);
}

/** @type {(wanted: Wanted) => DataType} */
function timestamp(wanted) {
  atMost(wanted, 2);
  const [first, zone] = wanted.args;
  return types.timestamp(unit(wanted, first, 'ms'), zone === undefined ? undefined : String(zone));
}

/** @type {(wanted: Wanted) => DataType} */
function timestampWithZone(wanted) {
  atMost(wanted, 2);
  const [first, zone = 'UTC'] = wanted.args;
  return types.timestamp(unit(wanted, first, 'ms'), String(zone));
}

/** @type {(wanted: Wanted) => DataType} */
function decimal(wanted) {
  atMost(wanted, 2);
  if (wanted.args.length === 0) return types.decimal128(types.MAX_PRECISION, 9);
  const [precision, scale] = wanted.args;
  return types.decimal128(digits(wanted, precision, 0), digits(wanted, scale, 0));
}

/** @type {(make: (unit: any) => DataType, otherwise: string) => (wanted: Wanted) => DataType} */
const withUnit = (make, otherwise) => (wanted) => {
  atMost(wanted, 1);
  return make(unit(wanted, wanted.args[0], otherwise));
};

/** @type {(wanted: Wanted) => DataType} */
function interval(wanted) {
  atMost(wanted, 1);
  return types.interval(/** @type {any} */ (wanted.args[0] ?? 'month_day_nano'));
}

/** @type {(wanted: Wanted) => DataType} */
function float(wanted) {
  atMost(wanted, 1);
  // SQL's FLOAT(24) is a real, FLOAT(53) a double.
  return digits(wanted, wanted.args[0], 53) <= 24 ? types.float32 : types.float64;
}

/** @type {Readonly<Record<string, (wanted: Wanted) => DataType>>} */
const withArguments = Object.freeze({
  float,
  time32: withUnit(types.time32, 'ms'),
  time64: withUnit(types.time64, 'us'),
  time: withUnit(types.time, 'ms'),
  timestamp,
  'timestamp with time zone': timestampWithZone,
  duration: withUnit(types.duration, 'ms'),
  interval,
  decimal128: decimal,
});

/** @type {ReadonlyMap<string, DataType>} */
const plain = new Map(types.plain.map((type) => [type.id, type]));

const known = Object.freeze(
  [...new Set([...plain.keys(), ...Object.keys(withArguments), ...Object.keys(ALIASES)])].sort(),
);

/** Those that a message lists. */
const listed = Object.freeze([...plain.keys(), ...Object.keys(withArguments).filter((name) => name !== 'float')]);

/**
 * The type that a name and its arguments stand for.
 *
 * @param {{ name: string, args?: readonly Argument[] }} typeName
 * @param {string} [caller]
 * @returns {DataType}
 */
function typeFromName(typeName, caller) {
  const type = typeNamed(typeName, caller);
  // Types of columns may have zones that this engine does not know, as long as nothing is asked about them.
  if (type.zone !== undefined) checkZone(type.zone);
  return type;
}

/** @type {(typeName: { name: string, args?: readonly Argument[] }, caller?: string) => DataType} */
function typeNamed({ name, args = [] }, caller = 'type') {
  const written = name.trim().replace(/\s+/g, ' ').toLowerCase();
  const own = Object.hasOwn(withArguments, written);
  const id = !own && Object.hasOwn(ALIASES, written) ? ALIASES[written] : written;
  const wanted = { name: written, args: SIZED.has(written) ? args.slice(1) : args, caller };
  if (Object.hasOwn(withArguments, id)) return withArguments[id](wanted);
  const type = plain.get(id);
  if (type === undefined) return unknownName(caller, 'type', written, listed, nearest(written, known));
  atMost(wanted, 0);
  return type;
}

/**
 * How many characters or bytes a name such as varchar(20) says that there are at most; it is no part of the type.
 *
 * @param {{ name: string, args?: readonly Argument[] }} typeName
 * @param {string} [caller]
 * @returns {number | undefined}
 */
function lengthFromName({ name, args = [] }, caller = 'type') {
  const written = name.trim().replace(/\s+/g, ' ').toLowerCase();
  if (!SIZED.has(written) || args.length === 0) return undefined;
  const [length] = args;
  return Number.isInteger(length) && Number(length) > 0
    ? Number(length)
    : expected(caller, 'a length of 1 or more', `type ${written}`, length);
}

/** name, arguments in either kind of brackets, and what follows: `timestamp(3) with time zone`. */
const TEXT = /^([^[\](),]+)(?:\[([^\][]*)\]|\(([^()]*)\))?([^[\](),]*)$/;

/** No name of a type is longer, and a pattern takes its time over those that are. */
const LONGEST = 200;

/** @type {(text: string) => Argument} */
function argument(text) {
  const bare = text.trim().replace(/^(['"])(.*)\1$/, '$2');
  return /^\d+$/.test(bare) ? Number(bare) : bare;
}

/** @type {(value: any) => value is DataType} */
const isType = (value) => types.typeByText(value?.text) === value && value !== undefined;

/**
 * The type with a text, its own or as a person writes it.
 *
 * @param {string | DataType} text a type is itself
 * @param {string} [caller]
 * @returns {DataType}
 */
function typeOf(text, caller = 'type') {
  if (isType(text)) return text;
  if (typeof text !== 'string') return expected(caller, 'the name of a type', 'the type', text);
  const match = text.length > LONGEST ? null : TEXT.exec(text);
  if (match === null) return fail('ERR_PARSE', `${caller}: expected the name of a type, got ${describe(text)}`);
  const [, name, square, round, rest] = match;
  const list = square ?? round;
  const args = list === undefined || list.trim() === '' ? [] : list.split(',').map(argument);
  return typeNamed({ name: `${name} ${rest}`, args }, caller);
}

module.exports = { lengthFromName, typeFromName, typeOf };
