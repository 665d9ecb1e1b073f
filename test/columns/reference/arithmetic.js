/**
 * Arithmetic. Rows are [names, signature, function, type of the result where the signature says ?].
 */
'use strict';

const { divisionByZero } = require('./faults.js');
const { addInterval } = require('./calendar.js');
const { decimalResult, fitted, fittedDecimal, floored, nearest, rescaled, rounded } = require('./numbers.js');
const { NANOS, typeOf } = require('./types.js');

/** @type {(int: (a: bigint, b: bigint) => bigint) => any} */
const ofInts = (int) => (/** @type {bigint} */ a, /** @type {bigint} */ b, /** @type {any} */ { result, options }) =>
  fitted(int(a, b), result, options);

/** @type {(float: (a: number, b: number) => number) => any} */
const ofFloats = (float) => (/** @type {number} */ a, /** @type {number} */ b, /** @type {any} */ { result }) =>
  rounded(float(a, b), result);

/** @type {(int: (a: bigint, b: bigint) => bigint) => any} the second of which is not 0 */
const dividing = (int) => ofInts((a, b) => (b === 0n ? divisionByZero() : int(a, b)));

const first = ([/** @type {any} */ a]) => a;

/** Both as digits at the scale of the result. @type {(op: (a: bigint, b: bigint) => bigint) => any} */
const atOneScale = (op) => (/** @type {bigint} */ a, /** @type {bigint} */ b, /** @type {any} */ { args, result }) => {
  const scale = Math.max(args[0].scale, args[1].scale);
  const exact = op(rescaled(a, args[0].scale, scale), rescaled(b, args[1].scale, scale));
  return fittedDecimal(rescaled(exact, scale, result.scale), result);
};

/** @type {(name: string) => (args: any[]) => any} */
const resultLike = (name) => ([a, b]) => decimalResult[name](a, b);

/** What days are in the unit of a type. @type {(days: bigint, type: any) => bigint} */
const daysIn = (days, type) => (days * NANOS.day) / NANOS[type.unit];

/** @type {(sign: bigint) => any} */
const plusDays = (sign) => (/** @type {bigint} */ moment, /** @type {bigint} */ days, /** @type {any} */ { result, options }) =>
  fitted(moment + sign * daysIn(days, result), result, options);

/** @type {(sign: bigint) => any} */
const plusInterval = (sign) => (/** @type {bigint} */ moment, /** @type {any} */ interval, /** @type {any} */ { args, result, options }) =>
  fitted(addInterval(moment, interval, sign, args[0], result), result, options);

/** Days and timestamps by intervals: days stay days where nothing smaller is added, which types cannot tell, so they become timestamps. */
const withInterval = ([/** @type {any} */ moment]) => (moment.kind === 'date' ? typeOf('timestamp[ms]') : moment);

module.exports = [
  ['add', '(int A, int A) → ?', ofInts((a, b) => a + b), first],
  ['add', '(float A, float A) → ?', ofFloats((a, b) => a + b), first],
  ['add', '(decimal, decimal) → ?', atOneScale((a, b) => a + b), resultLike('add')],
  ['add date_add', '(moment, int) → ?', plusDays(1n), first],
  ['add date_add', '(int, moment) → ?', (days, moment, info) => plusDays(1n)(moment, days, info), ([, b]) => b],
  ['add date_add', '(moment, interval) → ?', plusInterval(1n), withInterval],
  ['subtract', '(int A, int A) → ?', ofInts((a, b) => a - b), first],
  ['subtract', '(float A, float A) → ?', ofFloats((a, b) => a - b), first],
  ['subtract', '(decimal, decimal) → ?', atOneScale((a, b) => a - b), resultLike('add')],
  ['subtract date_sub date_diff', '(moment, int) → ?', plusDays(-1n), first],
  ['subtract date_sub date_diff', '(moment, interval) → ?', plusInterval(-1n), withInterval],
  ['multiply', '(int A, int A) → ?', ofInts((a, b) => a * b), first],
  ['multiply', '(float A, float A) → ?', ofFloats((a, b) => a * b), first],
  ['multiply', '(decimal, decimal) → ?', (a, b, { args, result }) =>
    fittedDecimal(rescaled(a * b, args[0].scale + args[1].scale, result.scale), result), resultLike('multiply')],

  // Of integers it is the true quotient; `div` and `floor_divide` are for those who want integers.
  ['divide', '(int A, int A) → float64', (a, b) => Number(a) / Number(b)],
  ['divide', '(float A, float A) → ?', ofFloats((a, b) => a / b), first],
  ['divide', '(decimal, decimal) → ?', (a, b, { args, result }) => {
    if (b === 0n) return divisionByZero();
    const shift = result.scale - args[0].scale + args[1].scale;
    const [top, bottom] = shift >= 0 ? [a * 10n ** BigInt(shift), b] : [a, b * 10n ** BigInt(-shift)];
    return fittedDecimal(nearest(top, bottom), result);
  }, resultLike('divide')],
  ['div', '(int A, int A) → ?', dividing((a, b) => a / b), first],
  ['div', '(float A, float A) → ?', ofFloats((a, b) => Math.trunc(a / b)), first],
  ['floor_divide', '(int A, int A) → ?', dividing(floored), first],
  ['floor_divide', '(float A, float A) → ?', ofFloats((a, b) => Math.floor(a / b)), first],
  ['mod modulo', '(int A, int A) → ?', dividing((a, b) => a % b), first],
  ['mod modulo', '(float A, float A) → ?', ofFloats((a, b) => a % b), first],
  ['mod modulo', '(decimal, decimal) → ?', atOneScale((a, b) => (b === 0n ? divisionByZero() : a % b)), resultLike('mod')],
  ['pmod', '(int A, int A) → ?', dividing((a, b) => (a % b < 0n || b < 0n ? (a % b) + b : a % b)), first],
  ['pmod', '(float A, float A) → ?', ofFloats((a, b) => (a % b < 0 || b < 0 ? (a % b) + b : a % b)), first],

  ['negative negate', '(int A) → ?', (a, { result, options }) => fitted(-a, result, options), first],
  ['negative negate', '(float A) → ?', (a) => -a, first],
  ['negative negate', '(decimal) → ?', (a) => -a, first],
  ['negative negate', '(interval) → ?', ({ months, days, nanoseconds }) =>
    ({ months: -months, days: -days, nanoseconds: -nanoseconds }), first],
  ['positive', '(number) → ?', (a) => a, first],
];
