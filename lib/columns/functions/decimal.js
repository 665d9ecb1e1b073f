/**
 * Decimals: their literals and casts, and overloads of the rows of arithmetic.js and math.js that take them.
 *
 * Types of results follow types/decimal.js, and library functions are told scales and powers of ten, constants of a
 * call. Integers take part as decimals that hold all of their type, literals with a point as what is written; beside a
 * float everything is a float64. A result that does not fit is a fault of kind 'overflow': decimals do not wrap.
 */
'use strict';

const { addLiteral } = require('../analyse/literals.js');
const types = require('../types/index.js');
const { decimalFactors, decimalOfInteger, decimalOfText, decimalResult, decimalRounded } = require('../types/decimal.js');
const { repOf } = require('../types/representation.js');
const { addCast, castValue } = require('./cast.js');
const { decimalOfLiteral, overload } = require('./signature.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('../analyse/context.js').Typed} Typed */
/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('./signature.js').Build} Build */
/** @typedef {import('./signature.js').Overload} Overload */

/** gjl_status of library.h. */
const STATUS = Object.freeze({ invalid: 2, overflow: 3, division: 4 });

const facts = (/** @type {DataType} */ { precision, scale }) => ({ p: precision, s: scale });
const typeOfFacts = (/** @type {{ p: number, s: number }} */ { p, s }) => types.decimal128(p, s);

/** @type {(c: Context, ...values: number[]) => Node[]} */
const numbers = (c, ...values) => values.map((value) => c.dag.constant(BigInt(value), 'i64'));

// --- literals ---

/** 16 bytes, least first. @type {(value: bigint) => Uint8Array} */
function bytesOf(value) {
  const halves = BigInt64Array.of(BigInt.asIntN(64, value), BigInt.asIntN(64, value >> 64n));
  return new Uint8Array(halves.buffer);
}

/** @type {<T>(make: () => T, refuse: (message: string) => never) => T} */
function read(make, refuse) {
  try {
    return make();
  } catch (error) {
    return refuse(/** @type {Error} */ (error).message);
  }
}

addLiteral(
  'decimal',
  (value, refuse) => typeOfFacts(read(() => decimalOfText(value), refuse)),
  (dag, value, type, refuse) => {
    const own = read(() => decimalOfText(String(value)), refuse);
    return dag.table(bytesOf(own.value * 10n ** BigInt(type.scale - own.s)), 'i128');
  },
);

// --- casts ---

/** @type {(from: DataType, to: DataType) => string} */
const tooLarge = (from, to) => `${from.text} to ${to.text}: the value does not fit`;

/**
 * Whether all values of a type have room in another one.
 *
 * @type {(from: { p: number, s: number }, to: DataType) => boolean}
 */
const hasRoom = ({ p, s }, { precision, scale }) => p - s <= precision - scale && s <= scale;

addCast('int decimal', (c, value, from, to) => {
  const args = [value, ...numbers(c, to.scale, to.precision)];
  const name = from.signed ? 'decimal_from_int64' : 'decimal_from_uint64';
  const isSafe = hasRoom(decimalOfInteger(from.bits, from.signed), to);
  return c.call(name, args, 'i128', isSafe ? { out: true } : { fault: 'cast', what: tooLarge(from, to) });
});

addCast('bool decimal', (c, value, from, to) => castValue(c, castValue(c, value, from, types.int8), types.int8, to));

addCast('float decimal', (c, value, from, to) =>
  c.call('decimal_from_float64', [c.dag.convert(value, 'f64'), ...numbers(c, to.scale, to.precision)], 'i128', {
    fault: 'cast', what: tooLarge(from, to),
  }),
);

addCast('decimal decimal', (c, value, from, to) => {
  const args = [value, ...numbers(c, from.scale, to.scale, to.precision)];
  const isSafe = hasRoom(facts(from), to);
  if (isSafe && from.scale === to.scale) return value;
  return c.call('decimal_rescale', args, 'i128', isSafe ? { out: true } : { fault: 'cast', what: tooLarge(from, to) });
});

addCast('decimal int', (c, value, from, to) => {
  const wide = to.signed ? types.int64 : types.uint64;
  const name = to.signed ? 'decimal_to_int64' : 'decimal_to_uint64';
  const how = /** @type {const} */ ({ fault: 'cast', what: tooLarge(from, to) });
  return castValue(c, c.call(name, [value, ...numbers(c, from.scale)], repOf(wide), how), wide, to);
});

addCast('decimal float', (c, value, from, to) =>
  castValue(c, c.call('decimal_to_float64', [value, ...numbers(c, from.scale)], 'f64'), types.float64, to),
);

addCast('decimal bool', (c, value) => c.call('decimal_sign', [value], 'bool'));

addCast('utf8 decimal', (c, value, from, to) =>
  c.call('decimal_from_text', [value, ...numbers(c, to.scale, to.precision)], 'i128', {
    fault: 'cast', what: `${from.text} to ${to.text}: the text is no number, or one that does not fit`,
  }),
);

addCast('decimal utf8', (c, value, from) => c.call('decimal_to_text', [value, ...numbers(c, from.scale, 1)], 'view', { arena: true }));

// --- two operands ---

/** The decimal that an operand takes part as. @type {(typed: Typed, other: Typed) => DataType | undefined} */
function asDecimal({ type, literal }, other) {
  if (type.kind === 'decimal') return type;
  if (type.kind === 'null') return other.type;
  return type.kind === 'int' ? typeOfFacts(decimalOfInteger(type.bits, type.signed)) : decimalOfLiteral(type, literal);
}

/** @typedef {import('../types/decimal.js').DecimalOp} DecimalOp */

/**
 * Where one of two operands is a decimal, and the other no float.
 *
 * @type {(op: DecimalOp, build: (c: Context, args: Node[], factors: ReturnType<typeof decimalFactors>) => Node) =>
 * Overload}
 */
const ofTwo = (op, build) => ({
  text: '(decimal, decimal) → decimal',
  build: (c, args, { args: [a, b], result }) => build(c, args, decimalFactors(op, facts(a), facts(b), facts(result))),
  fit: (args) => {
    if (args.length !== 2 || !args.some(({ type }) => type.kind === 'decimal')) return null;
    const [a, b] = [asDecimal(args[0], args[1]), asDecimal(args[1], args[0])];
    return a && b ? { args: [a, b], result: typeOfFacts(decimalResult(op, facts(a), facts(b))), cost: 1 } : null;
  },
});

/** @type {{ fault: 'overflow', what: string }} */
const OVERFLOW = { fault: 'overflow', what: 'decimal overflow' };

/** @type {(name: 'add' | 'subtract') => Overload} */
const sum = (name) =>
  ofTwo(name, (c, args, { xUp, yUp, down, precision }) =>
    c.call(`decimal_${name}`, [...args, ...numbers(c, xUp, yUp, down, precision)], 'i128', OVERFLOW),
  );

/** @type {(c: Context, name: string, args: Node[]) => Node} what may divide by zero */
function divided(c, name, args) {
  const call = c.failing(name, args, 'i128');
  c.fault(c.dag.failed(call, STATUS.division), 'divisionByZero', 'division by zero');
  c.fault(c.dag.failed(call, STATUS.overflow), 'overflow', OVERFLOW.what);
  return call;
}

/** By the rows they belong to. @type {Record<'add' | 'subtract' | 'multiply' | 'divide' | 'mod', Overload>} */
const two = {
  add: sum('add'),
  subtract: sum('subtract'),
  multiply: ofTwo('multiply', (c, args, { down, precision }) =>
    c.call('decimal_multiply', [...args, ...numbers(c, down, precision)], 'i128', OVERFLOW),
  ),
  divide: ofTwo('divide', (c, args, { up, precision }) => divided(c, 'decimal_divide', [...args, ...numbers(c, up, precision)])),
  mod: ofTwo('mod', (c, args, { xUp, yUp }) => divided(c, 'decimal_mod', [...args, ...numbers(c, xUp, yUp)])),
};

// --- one operand ---

/** @type {(name: string) => Overload} */
const sameType = (name) => overload('(decimal) → ?', (c, args) => c.call(name, args, 'i128', { out: true }), ([type]) => type);

const negate = sameType('decimal_negate');
const abs = sameType('decimal_abs');
const sign = overload('(decimal) → int32', (c, args) => c.call('decimal_sign', args, 'i32'));

/** How many digits a literal says. @type {(typed: Typed | undefined) => number | undefined} */
const digitsOf = (typed) => (typeof typed?.literal === 'bigint' ? Number(typed.literal) : undefined);

/**
 * To a whole number, or to so many digits behind the point. Digits that are no literal say nothing of the type, which
 * then stays.
 *
 * @type {(name: 'round' | 'truncate' | 'ceil' | 'floor', params: '(decimal)' | '(decimal, int64)') => Overload}
 */
const rounded = (name, params) =>
  overload(
    `${params} → ?`,
    (c, [value, digits = c.dag.constant(0n, 'i64')], { args: [from], result }) => {
      const [scale, outScale, precision] = numbers(c, from.scale, result.scale, result.precision);
      return c.call(`decimal_${name}`, [value, scale, digits, outScale, precision], 'i128', OVERFLOW);
    },
    ([type], args) => typeOfFacts(decimalRounded('round', facts(type), args.length === 1 ? 0 : digitsOf(args[1]))),
  );

module.exports = { STATUS, abs, negate, rounded, sign, two };
