/**
 * Integers within their width, decimals, and powers of ten.
 */
'use strict';

const { overflow } = require('./faults.js');
const { decimal, inRange } = require('./types.js');

/** @type {(value: bigint, type: any, options: any) => bigint} */
function fitted(value, type, options) {
  if (inRange(value, type)) return value;
  if (options.overflow !== 'wrap') return overflow(`${type.text} overflow`);
  return type.signed ? BigInt.asIntN(type.bits, value) : BigInt.asUintN(type.bits, value);
}

/** @type {(value: number, type: any) => number} */
const rounded = (value, type) => (type.bits === 32 ? Math.fround(value) : value);

const tenTo = (/** @type {number | bigint} */ n) => 10n ** BigInt(n);
const sizeOf = (/** @type {bigint} */ n) => (n < 0n ? -n : n);

/** The quotient, rounded to the nearest, halves away from zero. @type {(a: bigint, b: bigint) => bigint} */
function nearest(a, b) {
  const size = (2n * sizeOf(a) + sizeOf(b)) / (2n * sizeOf(b));
  return a < 0n !== b < 0n ? -size : size;
}

/** The quotient towards minus infinity. @type {(a: bigint, b: bigint) => bigint} */
const floored = (a, b) => a / b - (a % b !== 0n && a < 0n !== b < 0n ? 1n : 0n);

/** Digits at one scale as digits at another. @type {(digits: bigint, from: number, to: number) => bigint} */
const rescaled = (digits, from, to) => (to >= from ? digits * tenTo(to - from) : nearest(digits, tenTo(from - to)));

/** Digits that a decimal type has room for. @type {(digits: bigint, type: any) => bigint} */
const fittedDecimal = (digits, type) =>
  sizeOf(digits) < tenTo(type.precision) ? digits : overflow(`${type.text} overflow`);

/** @type {(precision: number, scale: number) => any} a type that keeps 6 digits behind the point if there is no room for all */
function adjusted(precision, scale) {
  if (precision <= 38) return decimal(precision, scale);
  return decimal(38, Math.max(scale - (precision - 38), Math.min(scale, 6)));
}

/** Types of results of decimals, by operation. @type {Record<string, (a: any, b: any) => any>} */
const decimalResult = {
  add: (a, b) => {
    const scale = Math.max(a.scale, b.scale);
    return adjusted(Math.max(a.precision - a.scale, b.precision - b.scale) + scale + 1, scale);
  },
  multiply: (a, b) => adjusted(a.precision + b.precision + 1, a.scale + b.scale),
  divide: (a, b) => {
    const scale = Math.max(6, a.scale + b.precision + 1);
    return adjusted(a.precision - a.scale + b.scale + scale, scale);
  },
  mod: (a, b) => {
    const scale = Math.max(a.scale, b.scale);
    return adjusted(Math.min(a.precision - a.scale, b.precision - b.scale) + scale, scale);
  },
};

/** @type {(digits: bigint, scale: number) => number} */
const decimalToNumber = (digits, scale) => Number(decimalToText(digits, scale));

/** @type {(digits: bigint, scale: number) => string} */
function decimalToText(digits, scale) {
  const text = sizeOf(digits).toString().padStart(scale + 1, '0');
  const sign = digits < 0n ? '-' : '';
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

module.exports = {
  decimalResult, decimalToNumber, decimalToText, fitted, fittedDecimal, floored, nearest, rescaled, rounded, sizeOf, tenTo,
};
