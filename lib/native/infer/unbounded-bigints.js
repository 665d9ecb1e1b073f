/**
 * Bigints that numbers are made into, `BigInt(x)`, of any size: 1e300 is one in JavaScript.
 *
 * Bigints have 64 bits here, and one that has more is a RangeError of the run. But where nobody wants all of its bits
 * it need not fit: what BigInt.asIntN and asUintN leave of it, of sums and products with it too, comparisons,
 * Number(b), and what is not used. For these such a bigint is kept as the number, as long as it is in a constant.
 * Everybody else gets it by `evaluate`, which asks whether it fits. Others are known modulo 2^64 only, where ways with
 * and without a sign meet: `expectExact` refuses these.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./values.js').BigIntValue} BigIntValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

/** @type {(value: number) => Expression} */
const double = (value) => M.constant('f64', value);

/** @typedef {BigIntValue & { unbounded: Expression, place: Place }} UnboundedValue */

/** @type {(value: Value | null | undefined) => value is UnboundedValue} whether it is such a bigint */
const isUnbounded = (value) => value?.kind === 'bigint' && value.unbounded !== undefined;

/** @type {(walk: Walk, number: Expression, place: Place) => BigIntValue} BigInt(number); throws where that is none */
function unboundedBigInt(walk, number, place) {
  const unbounded = walk.settle(number, 'whole');
  const is = M.and(M.unary('is_finite', unbounded), M.binary('eq', M.unary('trunc', unbounded), unbounded));
  walk.throwUnless(
    is,
    place,
    'RangeError',
    ['The number ', null, ' cannot be converted to a BigInt because it is not an integer'],
    [unbounded],
  );
  const x = walk.settle({ op: 'convert', type: 'i64', args: [unbounded] }, 'big');
  return { kind: 'bigint', x, lo: V.LEAST_I64, hi: V.MOST_I64, unbounded, place };
}

/**
 * The same with all its bits; throws where these are more than 64.
 *
 * @template {Value} T
 * @param {Walk} walk
 * @param {T} value
 * @returns {T | BigIntValue}
 */
function toFitting(walk, value) {
  if (!isUnbounded(value)) return value;
  const { x, lo, hi, unbounded, place } = value;
  const fits = M.and(M.binary('ge', unbounded, double(-(2 ** 63))), M.binary('lt', unbounded, double(2 ** 63)));
  walk.throwUnless(fits, place, 'RangeError', ['a bigint leaves 64 bits: ', null], [unbounded]);
  return V.bigint(x, lo, hi);
}

/** @type {(value: UnboundedValue) => BigIntValue} modulo 2^64: the remainder is exact, and its magnitude a u64 */
function wrapped({ unbounded }) {
  const rest = M.binary('rem', unbounded, double(2 ** 64));
  const magnitude = M.convert({ op: 'convert', type: 'u64', args: [M.unary('abs', rest)] }, 'i64');
  return V.bigint(M.select(M.binary('lt', rest, double(0)), M.unary('neg', magnitude), magnitude));
}

/** @type {(value: UnboundedValue) => import('./values.js').NumberValue} as a number, which is exact; of -0 there is no bigint */
function asNumber({ unbounded }) {
  return new V.NumberValue(N.number({ int: true }), M.binary('add', unbounded, double(0)));
}

/** @type {(v: BigIntValue, place: Place) => void} refuses a bigint that is known modulo 2^64 only */
function expectExact(v, place) {
  if (v.lo < 0n && v.hi > V.MOST_I64)
    refuse(
      place,
      'a bigint here may be below 0 or above 2^63',
      'use BigInt.asUintN(64, …) or BigInt.asIntN(64, …) on it first',
    );
}

module.exports = { asNumber, expectExact, isUnbounded, toFitting, unboundedBigInt, wrapped };
