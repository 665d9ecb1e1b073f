/**
 * Gandiva's functions that convert. Its castINT and castBIGINT round floats, where the operators cast and :: cut them
 * off, and let integers wrap; and castVARCHAR cuts texts to a length.
 */
'use strict';

const types = require('../types/index.js');
const { castOf, castValue } = require('./cast.js');
const { roundAway } = require('./math.js');
const { overload, row } = require('./signature.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('../analyse/context.js').Typed} Typed */
/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('./signature.js').Build} Build */
/** @typedef {import('./signature.js').Overload} Overload */

/** @type {Build} what the operator does */
const cast = (c, [value], { args: [from], result }) => castValue(c, value, from, result);

/** @type {Build} texts that nobody has verified; what is no number has no other bytes either */
const castBytes = (c, [value], { result }) => castValue(c, value, types.utf8, result);

/** @type {Build} */
const castRounded = (c, [value], { args: [from], result }) => castValue(c, roundAway(c.dag, value), from, result);

/** @type {Build} integers that wrap, unless the option `overflow` says otherwise */
const castWrapping = (c, [value], { args: [from], result }) => {
  const { dag } = c;
  const narrow = dag.convert(value, /** @type {import('../kernel/dag.js').Rep} */ (result.dtype));
  const isChanged = from.bits > result.bits || (from.bits === result.bits && from.signed !== result.signed);
  if (isChanged && c.policy('overflow') !== 'wrap') {
    const isSame = dag.compare('eq', dag.convert(narrow, value.rep), value);
    const isOther = from.signed ? dag.not(isSame) : dag.or(dag.not(isSame), dag.compare('lt', narrow, dag.constant(0n, narrow.rep)));
    c.fault(isOther, 'overflow', `${result.text} overflow`);
  }
  return narrow;
};

/** @type {Build} years of months */
const wholeYears = (c, [months], { result }) => {
  const years = c.dag.op('div', [months, c.dag.constant(12, 'i32')]);
  return c.dag.convert(years, /** @type {import('../kernel/dag.js').Rep} */ (result.dtype));
};

/** @type {Build} days are the low half, milliseconds the high one */
const milliseconds = (c, [interval]) => {
  const { dag } = c;
  const days = dag.convert(dag.convert(interval, 'i32'), 'i64');
  const rest = dag.op('shr', [interval, dag.constant(32n, 'i64')]);
  return dag.op('add', [dag.op('mul', [days, dag.constant(86400000n, 'i64')]), rest]);
};

/** @type {(result: string) => Overload[]} */
const toInteger = (result) => [
  overload(`(int) → ${result}`, castWrapping),
  overload(`(float) → ${result}`, castRounded),
  overload(`(decimal) → ${result}`, cast),
  overload(`(bool) → ${result}`, cast),
  overload(`(utf8) → ${result}`, cast),
  overload(`(binary) → ${result}`, castBytes),
  overload(`(interval[year_month]) → ${result}`, wholeYears),
];

/** @type {(result: string) => Overload[]} */
const toFloat = (result) => [
  overload(`(number) → ${result}`, cast),
  overload(`(bool) → ${result}`, cast),
  overload(`(utf8) → ${result}`, cast),
  overload(`(binary) → ${result}`, castBytes),
];

/** Precision and scale that literals say. @type {(typed: readonly Typed[]) => DataType | null} */
function decimalOfLiterals([, precision, scale]) {
  const digits = [precision, scale].map(({ literal }) => (typeof literal === 'bigint' ? Number(literal) : NaN));
  return digits.some(Number.isNaN) ? null : types.decimal128(digits[0], digits[1]);
}

/** @type {Build} null where the value does not fit, whatever the option `cast` says */
const castOrNull = (c, args, info) => {
  const { policies } = c;
  c.policies = { ...policies, cast: 'null' };
  const value = cast(c, args, info);
  c.policies = policies;
  return value;
};

/** Without a precision, integers are whole and others have nine digits behind the point. @type {(build: Build) => Overload[]} */
const toDecimal = (build) => [
  overload('(decimal) → ?', build, ([type]) => type),
  overload('(int) → decimal128(38, 0)', build),
  overload('(float) → decimal128(38, 9)', build),
  overload('(utf8) → decimal128(38, 9)', build),
  ...['number', 'utf8'].map((from) => overload(`(${from}, int64, int64) → ?`, build, (_, args) => decimalOfLiterals(args))),
];

// --- texts and bytes of some length ---

/** A text without more than so many code points. @type {(c: Context, text: Node, length: Node) => Node} */
const truncated = (c, text, length) =>
  c.call('utf8_truncate', [text, length], 'view', { out: true, fault: 'value', what: 'a text of less than 0 characters' });

/** @type {(c: Context, bytes: Node, length: Node) => Node} */
const truncatedBytes = (c, bytes, length) =>
  c.call('bytes_truncate', [bytes, length], 'view', { out: true, fault: 'value', what: 'less than 0 bytes' });

/**
 * Of texts and bytes a length of 0 leaves all, as in Gandiva; of what is made a text here, nothing.
 *
 * @type {(c: Context, cut: Node, length: Node) => Node}
 */
const unlessZero = ({ dag }, cut, length) =>
  dag.select(dag.compare('eq', length, dag.constant(0n, 'i64')), dag.text(new Uint8Array(0)), cut);

/** @type {(types: readonly DataType[]) => DataType | null} what has a text */
const asText = ([type]) => (castOf(type, types.utf8) === undefined ? null : types.utf8);

/** @type {Build} */
const toVarchar = (c, [value, length], { args: [from] }) => {
  const cut = truncated(c, castValue(c, value, from, types.utf8), length);
  return from.kind === 'utf8' || from.kind === 'binary' ? cut : unlessZero(c, cut, length);
};

/** @type {Build} */
const toVarbinary = (c, [value, length], { args: [from] }) => {
  if (from.kind === 'utf8' || from.kind === 'binary') return truncatedBytes(c, value, length);
  return unlessZero(c, truncatedBytes(c, castValue(c, value, from, types.utf8), length), length);
};

// --- bytes of numbers ---

/** @type {(size: number, isBigEndian: boolean) => Build} */
const toBytes = (size, isBigEndian) => (c, [value]) =>
  c.call(isBigEndian ? 'to_bytes_be' : 'to_bytes', [value, c.dag.constant(BigInt(size), 'i64')], 'view', { arena: true });

/** @type {[name: string, param: string, size: number][]} */
const ENCODINGS = [
  ['DOUBLE', 'float64', 8],
  ['FLOAT', 'float32', 4],
  ['BIGINT', 'int64', 8],
  ['INT', 'int32', 4],
  ['TIMESTAMP_EPOCH', 'timestamp', 8],
  ['DATE_EPOCH', 'date64', 8],
  ['TIME_EPOCH', 'time32[ms]', 4],
];

module.exports = {
  truncated,
  truncatedBytes,
  rows: [
    row('cast', 'castINT castNULLABLEINT', 'an int32: floats and decimals rounded, integers wrapped, texts read', toInteger('int32')),
    row('cast', 'castBIGINT castNULLABLEBIGINT', 'an int64, likewise', [
      ...toInteger('int64'),
      overload('(interval[day_time]) → int64', milliseconds),
    ]),
    row('cast', 'castFLOAT4', 'a float32', toFloat('float32')),
    row('cast', 'castFLOAT8', 'a float64', toFloat('float64')),
    row('cast', 'castDECIMAL decimal', 'a decimal, of a precision and a scale if they are given', toDecimal(cast)),
    row('cast', 'castDECIMALNullOnOverflow', 'castDECIMAL, but null where there is no room', toDecimal(castOrNull)),
    row('cast', 'castBIT castBOOLEAN', 'the truth that a text says', [overload('(utf8) → bool', cast)]),
    row('cast', 'castVARCHAR varchar', 'a text, of so many characters at most', [
      overload('(any) → ?', cast, asText),
      overload('(any, int64) → ?', toVarchar, asText),
    ]),
    row('cast', 'castVARBINARY varbinary', 'bytes of a text, so many at most', [
      overload('(text) → binary', (_, [a]) => a),
      overload('(any, int64) → ?', toVarbinary, ([type]) => (type.kind === 'binary' || asText([type]) ? types.binary : null)),
    ]),
    row('cast', 'binary', 'a text as bytes', [overload('(text) → binary', (_, [a]) => a)]),
    ...ENCODINGS.flatMap(([name, param, size]) => [
      row('cast', `convert_to${name}`, 'bytes of a number, least first', [overload(`(${param}) → binary`, toBytes(size, false))]),
      row('cast', `convert_to${name}_be`, 'bytes of a number, greatest first', [overload(`(${param}) → binary`, toBytes(size, true))]),
    ]),
    row('cast', 'convert_toBOOLEAN_BYTE', '1 or 0 as a byte', [overload('(bool) → binary', toBytes(1, false))]),
  ],
};
