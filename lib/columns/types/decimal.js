/**
 * Types of decimals: which precision and scale a result has, and the powers of ten that the functions of
 * src/library/numbers/decimal.c scale operands and results by.
 *
 * The rules are Gandiva's, which are those of SQL Server and Impala. With p the precision and s the scale of the
 * operands, d = max(s1, s2), and i = p - s the digits before the point:
 *
 *   add, subtract   max(i1, i2) + d + 1, d
 *   multiply        p1 + p2 + 1, s1 + s2
 *   divide          i1 + s2 + s, s = max(6, s1 + p2 + 1)
 *   mod             min(i1, i2) + d, d
 *   common          max(i1, i2) + d, d              of branches and lists
 *   round …         i + 1 + s', s' = digits kept    of round, ceil, floor; truncate adds no digit
 *
 * More than 38 digits are cut to 38: the scale gives way, but not below 6 (or what it was, if that is less), and the
 * result is rounded to it, half away from 0. A value that is too large even so is an overflow.
 *
 * What is left out: scales that are negative or above the precision, which Arrow allows and no rule speaks of.
 */
'use strict';

const { fail } = require('../../base/errors.js');

/** @typedef {{ p: number, s: number }} DecimalType */
/** @typedef {'add' | 'subtract' | 'multiply' | 'divide' | 'mod' | 'common'} DecimalOp */

const MAX_PRECISION = 38;

/** The scale that is kept when digits before the point need room. */
const MIN_SCALE = 6;

/** Decimal digits of the largest value of each integer type, by bits. */
const INTEGER_DIGITS = { 8: 3, 16: 5, 32: 10, 64: 19 };

/** @type {Record<DecimalOp, (a: DecimalType, b: DecimalType) => DecimalType>} */
const rules = {
  add: (a, b) => withWhole(Math.max(whole(a), whole(b)) + 1, Math.max(a.s, b.s)),
  subtract: (a, b) => rules.add(a, b),
  multiply: (a, b) => ({ p: a.p + b.p + 1, s: a.s + b.s }),
  divide: (a, b) => withWhole(whole(a) + b.s, Math.max(MIN_SCALE, a.s + b.p + 1)),
  mod: (a, b) => withWhole(Math.min(whole(a), whole(b)), Math.max(a.s, b.s)),
  common: (a, b) => withWhole(Math.max(whole(a), whole(b)), Math.max(a.s, b.s)),
};

/** @type {(t: DecimalType) => number} digits before the point */
const whole = (t) => t.p - t.s;

/** @type {(digits: number, s: number) => DecimalType} */
const withWhole = (digits, s) => ({ p: digits + s, s });

/**
 * @param {DecimalType} t of any precision
 * @returns {DecimalType} of 38 digits at most, and one at least
 */
function adjusted({ p, s }) {
  if (p <= MAX_PRECISION) return { p: Math.max(p, 1), s };
  return { p: MAX_PRECISION, s: Math.max(s - (p - MAX_PRECISION), Math.min(s, MIN_SCALE)) };
}

/**
 * The type of an operation on two decimals; an integer takes part as `decimalOfInteger` says.
 *
 * @param {DecimalOp} op
 * @param {DecimalType} left
 * @param {DecimalType} right
 * @returns {DecimalType}
 */
function decimalResult(op, left, right) {
  return adjusted(rules[op](left, right));
}

/**
 * What library functions are told of types. A comparison, `decimalFactors('compare', left, right)`, has no result whose
 * type would matter.
 *
 * @param {DecimalOp | 'compare'} op
 * @param {DecimalType} left
 * @param {DecimalType} right
 * @param {DecimalType} [result] what `decimalResult` gives, unless the result has another type
 * @returns {{ xUp: number, yUp: number, up: number, down: number, precision: number }} the powers of ten of the
 *   operands, of the dividend and of what the result is divided by; those that an op does not have are 0
 */
function decimalFactors(op, left, right, result = op === 'compare' ? left : decimalResult(op, left, right)) {
  const none = { xUp: 0, yUp: 0, up: 0, down: 0, precision: result.p };
  if (op === 'multiply') return { ...none, down: left.s + right.s - result.s };
  if (op === 'divide') return { ...none, up: result.s + right.s - left.s };
  const scale = Math.max(left.s, right.s);
  const down = op === 'compare' ? 0 : scale - result.s;
  return { ...none, xUp: scale - left.s, yUp: scale - right.s, down };
}

/**
 * The type of round, truncate, ceil or floor to some digits behind the point, or before it if negative. If their number
 * is not known, the scale stays.
 *
 * @param {'round' | 'truncate' | 'ceil' | 'floor'} op
 * @param {DecimalType} type
 * @param {number} [digits]
 * @returns {DecimalType}
 */
function decimalRounded(op, type, digits) {
  const s = Math.min(Math.max(digits ?? type.s, 0), type.s);
  const carry = op === 'truncate' || Number(digits) >= type.s ? 0 : 1; // 9.9 rounds to a digit more
  return adjusted(withWhole(whole(type) + carry, s));
}

/**
 * @param {number} bits
 * @param {boolean} signed
 * @returns {DecimalType} the decimal that every value of an integer type fits
 */
function decimalOfInteger(bits, signed) {
  const digits = INTEGER_DIGITS[/** @type {keyof typeof INTEGER_DIGITS} */ (bits)];
  return { p: bits === 64 && !signed ? digits + 1 : digits, s: 0 };
}

/**
 * The value and the least type of a decimal as written: '1.50' has three digits, of which two are behind the point.
 *
 * @param {string} text
 * @returns {DecimalType & { value: bigint }} `value` is what stands for the number, times 10^s
 */
function decimalOfText(text) {
  const parts = /^\s*([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,9}))?\s*$/i.exec(text);
  if (!parts || !(parts[2] || parts[3])) fail('ERR_PARSE', `expected a decimal such as '12.50', got '${text}'`);
  const [, sign, before, behind = '', exponent = '0'] = parts;
  const digits = (before + behind).replace(/^0+/, '');
  const places = behind.length - Number(exponent);
  const s = Math.max(places, 0);
  const p = Math.max(digits.length + s - places, s, 1);
  if (digits && p > MAX_PRECISION) {
    fail('ERR_OVERFLOW', `a decimal has ${MAX_PRECISION} digits at most, got ${p} in '${text}'`);
  }
  if (!digits) return { p: Math.min(Math.max(s, 1), MAX_PRECISION), s: Math.min(s, MAX_PRECISION), value: 0n };
  const value = BigInt(digits) * 10n ** BigInt(s - places);
  return { p, s, value: sign === '-' ? -value : value };
}

/** The same, or null where there are too many digits. @type {(text: string) => (DecimalType & { value: bigint }) | null} */
function leastDecimal(text) {
  try {
    return decimalOfText(text);
  } catch {
    return null;
  }
}

module.exports = {
  MAX_PRECISION,
  decimalFactors,
  decimalOfInteger,
  decimalOfText,
  decimalResult,
  decimalRounded,
  leastDecimal,
};
