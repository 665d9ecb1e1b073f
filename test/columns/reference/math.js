/**
 * Functions of numbers.
 */
'use strict';

const { invalid, overflow, divisionByZero } = require('./faults.js');
const { fitted, floored, nearest, rescaled, rounded, sizeOf, tenTo } = require('./numbers.js');
const { decimal } = require('./types.js');

const first = ([/** @type {any} */ a]) => a;

/** @type {(name: string, f: (x: number) => number) => any[]} */
const ofNumber = (names, f) => [names, '(float64) → float64', f];

/** Halves away from zero. @type {(x: number) => number} */
const round = (x) => Math.trunc(x + (x > 0 ? 0.5 : -0.5));

/** Halves to the even neighbour. @type {(x: number) => number} */
function roundEven(x) {
  const down = Math.floor(x);
  const rest = x - down;
  const whole = rest < 0.5 || (rest === 0.5 && down % 2 === 0) ? down : down + 1;
  return whole === 0 && (x < 0 || Object.is(x, -0)) ? -0 : whole;
}

/** 10 ** scale as floats give it: negative scales are fractions. @type {(scale: bigint) => number} */
const multiplier = (scale) => (scale >= 0n ? Number(tenTo(scale)) : 1 / Number(tenTo(-scale)));

/** Numbers at another scale; floats have no digits beyond the 308th. @type {(rounding: (x: number) => number) => any} */
const floatAt = (rounding) => (/** @type {number} */ a, /** @type {bigint} */ scale, /** @type {any} */ { result }) => {
  if (scale > 308n) return a;
  if (scale < -308n) return 0;
  const times = multiplier(scale);
  return rounded(rounding(a * times) / times, result);
};

/** @type {(value: bigint, scale: bigint, round: (a: bigint, b: bigint) => bigint) => bigint} */
function atPlace(value, scale, rounding) {
  if (scale >= 0n) return value;
  if (scale < -38n) return 0n;
  const unit = tenTo(-scale);
  return rounding(value, unit) * unit;
}

const cutOff = (/** @type {bigint} */ a, /** @type {bigint} */ b) => a / b;

/** Decimals at another scale than they have. @type {(scale: number, rounding: any) => any} */
const decimalAt = (rounding) => (/** @type {bigint} */ digits, /** @type {bigint} */ scale, /** @type {any} */ { args, result }) => {
  const at = Number(scale) - args[0].scale;
  return rescaled(atPlace(digits, BigInt(at), rounding), args[0].scale, result.scale);
};

/** The type of a decimal that is rounded to a whole number. */
const whole = ([/** @type {any} */ { precision, scale }]) =>
  scale === 0 ? decimal(precision, 0) : decimal(Math.min(38, precision - scale + 1), 0);

/** @type {(rounding: (a: bigint, b: bigint) => bigint) => any} */
const toWhole = (rounding) => (/** @type {bigint} */ digits, /** @type {any} */ { args }) => rounding(digits, tenTo(args[0].scale));

/** @type {(n: bigint) => bigint} */
function factorial(n) {
  if (n < 0n) return invalid(`factorial of ${n}`);
  if (n > 20n) return overflow(`factorial of ${n}`);
  let product = 1n;
  for (let i = 2n; i <= n; i++) product *= i;
  return product;
}

/** @type {(base: number, x: number) => number} */
function logarithm(base, x) {
  if (Math.log(base) === 0) return divisionByZero(`logarithm to base ${base}`);
  return Math.log(x) / Math.log(base);
}

module.exports = [
  ['abs', '(int A) → ?', (a, { result, options }) => fitted(sizeOf(a), result, options), first],
  ['abs', '(float A) → ?', Math.abs, first],
  ['abs', '(decimal) → ?', sizeOf, first],
  ['sign', '(int A) → ?', (a) => (a > 0n ? 1n : a < 0n ? -1n : 0n), first],
  ['sign', '(float A) → ?', Math.sign, first],
  ['ceiling ceil', '(int A) → ?', (a) => a, first],
  ['ceiling ceil', '(float A) → ?', Math.ceil, first],
  ['ceiling ceil', '(decimal) → ?', toWhole((a, b) => -floored(-a, b)), whole],
  ['floor', '(int A) → ?', (a) => a, first],
  ['floor', '(float A) → ?', Math.floor, first],
  ['floor', '(decimal) → ?', toWhole(floored), whole],
  ['round', '(int A) → ?', (a) => a, first],
  ['round', '(float A) → ?', (a, { result }) => rounded(round(a), result), first],
  ['round', '(decimal) → ?', toWhole(nearest), whole],
  ['round', '(int A, int) → ?', (a, scale, { result, options }) => fitted(atPlace(a, scale, nearest), result, options), first],
  ['round', '(float A, int) → ?', floatAt(round), first],
  ['round', '(decimal, int) → ?', decimalAt(nearest), first],
  ['bround', '(float A) → ?', roundEven, ([type]) => type],
  ['truncate trunc', '(int A, int) → ?', (a, scale) => atPlace(a, scale, cutOff), first],
  ['truncate trunc', '(int A) → ?', (a) => a, first],
  ['truncate trunc', '(float A) → ?', Math.trunc, first],
  ['truncate trunc', '(float A, int) → ?', floatAt(Math.trunc), first],
  ['truncate trunc', '(decimal) → ?', toWhole(cutOff), whole],
  ['truncate trunc', '(decimal, int) → ?', decimalAt(cutOff), first],
  ofNumber('sqrt', Math.sqrt),
  ofNumber('cbrt', Math.cbrt),
  ofNumber('exp', Math.exp),
  ofNumber('log ln', Math.log),
  ['log', '(float64, float64) → float64', logarithm],
  ofNumber('log10', Math.log10),
  ofNumber('log2', Math.log2),
  // C's powers: 1 to whatever is 1, as is -1 to infinity, for which JavaScript has NaN.
  ['power pow', '(float64, float64) → float64', (a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b)],
  ['factorial', '(int) → int64', factorial],
  ofNumber('sin', Math.sin),
  ofNumber('cos', Math.cos),
  ofNumber('tan', Math.tan),
  ofNumber('cot', (x) => Math.tan(Math.PI / 2 - x)),
  ofNumber('asin', Math.asin),
  ofNumber('acos', Math.acos),
  ofNumber('atan', Math.atan),
  ofNumber('sinh', Math.sinh),
  ofNumber('cosh', Math.cosh),
  ofNumber('tanh', Math.tanh),
  ['atan2', '(float64, float64) → float64', Math.atan2],
  ofNumber('radians', (x) => (x * Math.PI) / 180),
  ofNumber('degrees udfdegrees', (x) => (x * 180) / Math.PI),
];
