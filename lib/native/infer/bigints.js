/**
 * Bigints of 64 bits: arithmetic that throws where a result would not fit, and comparisons.
 *
 * A bigint is an i64 or a u64 with bounds; where the bounds say that the result fits, nothing is asked. Within
 * BigInt.asIntN and asUintN all is modulo 2^64 (`isWrapping`). Those that may have more bits are in
 * unbounded-bigints.js.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const Unbounded = require('./unbounded-bigints.js');
const { isNothing, toNumber } = require('./conversions.js');
const { callLibrary } = require('./library.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./values.js').BigIntValue} BigIntValue */
/** @typedef {import('./values.js').NumberValue} NumberValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').CallSite} CallSite */
/** @typedef {import('./walk.js').Walk} Walk */

/**
 * An integer as a bigint; where no number can be, any bounds will do.
 *
 * @type {(number: NumberValue) => BigIntValue}
 */
function wholeNumber(number) {
  const { lo, hi } = N.isNever(number.type) ? N.constant(0) : number.type;
  return V.bigint(O.asInteger(number), BigInt(lo), BigInt(hi));
}

/** @type {(walk: Walk, value: Value, e: CallSite) => Value} BigInt(x) */
function toBigInt(walk, value, e) {
  return Unbounded.toFitting(walk, looseBigInt(walk, value, e));
}

/** @type {(walk: Walk, value: Value, e: CallSite) => any} the same, not yet asked whether it fits */
function looseBigInt(walk, value, e) {
  if (value.kind === 'bigint') return value;
  for (const [which, name] of /** @type {const} */ ([
    [1, 'undefined'],
    [2, 'null'],
  ])) {
    walk.throwUnless(
      M.unary('not', isNothing(value, which)),
      e.place,
      'TypeError',
      [`Cannot convert ${name} to a BigInt`],
      [],
    );
  }
  if (value.kind === 'boolean') return V.bigint(M.convert(value.x, 'i64'), 0n, 1n);
  const number = toNumber(value, e.place);
  if (N.isIntegerOrNegativeZero(number.type)) return wholeNumber(number);
  return Unbounded.unboundedBigInt(walk, O.asDouble(number), e.place);
}

const LEAVES = 'a bigint leaves 64 bits: write BigInt.asIntN(64, …) where it should wrap';

/** @type {Record<string, 'add' | 'sub' | 'mul'>} */
const OVERFLOWING = { '+': 'add', '-': 'sub', '*': 'mul' };

/** @type {(op: string, a: BigIntValue, b: BigIntValue) => [bigint, bigint]} bounds of the mathematical result */
function bigintRange(op, a, b) {
  if (op === '+') return [BigInt(a.lo + b.lo), BigInt(a.hi + b.hi)];
  if (op === '-') return [BigInt(a.lo - b.hi), BigInt(a.hi - b.lo)];
  /** @type {bigint[]} */
  const all = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi].map(BigInt);
  return [all.reduce((m, v) => (v < m ? v : m)), all.reduce((m, v) => (v > m ? v : m))];
}

/** @type {(type: string) => [bigint, bigint]} */
function boundsOf(type) {
  return type === 'u64' ? [0n, V.MOST_U64] : [V.LEAST_I64, V.MOST_I64];
}

/** @type {(walk: Walk, op: string, a: BigIntValue, b: BigIntValue, place: Place) => BigIntValue} + - * that throw where the result does not fit */
function bigintArithmetic(walk, op, a, b, place) {
  const [lo, hi] = bigintRange(op, a, b);
  const type = commonType(walk, a, b, place);
  if (a.x.op === 'const' && b.x.op === 'const' && lo >= V.LEAST_I64 && hi <= V.MOST_U64) return V.bigintConstant(lo);
  const [x, y] = [M.convert(a.x, type), M.convert(b.x, type)];
  const [least, most] = boundsOf(type);
  if (lo >= least && hi <= most) return V.bigint(M.binary(OVERFLOWING[op], x, y), lo, hi);
  if (!walk.isWrapping) {
    const [p, q] = [walk.settle(x), walk.settle(y)];
    const overflows = { op: 'overflows', type: 'bool', what: OVERFLOWING[op], args: [p, q] };
    const text = `a bigint leaves 64 bits: write BigInt.as${type === 'u64' ? 'Uint' : 'Int'}N(64, …) where it should wrap`;
    walk.throwUnless(M.unary('not', overflows), place, 'RangeError', [text], []);
    return V.bigint(M.binary(OVERFLOWING[op], p, q), lo > least ? lo : least, hi < most ? hi : most);
  }
  return V.bigint({ ...M.binary(OVERFLOWING[op], x, y), wraps: true }, least, most);
}

/** @type {(walk: Walk, a: BigIntValue, b: BigIntValue, place: Place) => 'i64' | 'u64'} the type that holds both */
function commonType(walk, a, b, place) {
  if (walk.isWrapping) return 'i64';
  const unsigned = a.hi > V.MOST_I64 || b.hi > V.MOST_I64;
  if (unsigned && (a.lo < 0n || b.lo < 0n))
    return refuse(
      place,
      'a bigint above 2^63 meets one that may be negative',
      'use BigInt.asUintN(64, …) or BigInt.asIntN(64, …) on both',
    );
  return unsigned || (a.x.type === 'u64' && b.x.type === 'u64') ? 'u64' : 'i64';
}

/** @type {(walk: Walk, op: string, a: BigIntValue, b: BigIntValue, place: Place) => Value} */
function bigintBinary(walk, op, a, b, place) {
  if (!walk.isWrapping || '/ % >> < <= > >= **'.split(' ').includes(op))
    for (const v of [a, b]) Unbounded.expectExact(v, place);
  switch (op) {
    case '+':
    case '-':
    case '*':
      return bigintArithmetic(walk, op, a, b, place);
    case '/':
    case '%':
      return bigintQuotient(walk, op, a, b, place);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return V.boolean(bigintRelation(walk, op, a, b, place));
    case '&':
    case '|':
    case '^':
      return bigintBits(walk, op, a, b, place);
    case '<<':
    case '>>':
      return bigintShift(walk, op, a, b, place);
    case '**':
      return bigintPower(walk, a, b, place);
    default:
      return refuse(place, `bigints have no ${op}`, 'use >> on BigInt.asUintN(64, x)');
  }
}

/** @type {(walk: Walk, op: string, a: BigIntValue, b: BigIntValue, place: Place) => Value} */
function bigintQuotient(walk, op, a, b, place) {
  const type = commonType(walk, a, b, place);
  const [x, y] = [walk.settle(M.convert(a.x, type)), walk.settle(M.convert(b.x, type))];
  if (b.lo <= 0n && b.hi >= 0n)
    walk.throwUnless(M.binary('ne', y, M.constant(type, 0)), place, 'RangeError', ['Division by zero'], []);
  if (op === '%') {
    const most = (b.hi > -b.lo ? b.hi : -b.lo) - 1n;
    return V.bigint(M.binary('rem', x, y), a.lo >= 0n ? 0n : -most, most);
  }
  if (type === 'i64' && a.lo === V.LEAST_I64 && b.lo <= -1n && b.hi >= -1n && !walk.isWrapping) {
    const worst = M.and(M.binary('eq', x, M.constant('i64', V.LEAST_I64)), M.binary('eq', y, M.constant('i64', -1)));
    walk.throwUnless(M.unary('not', worst), place, 'RangeError', ['a bigint leaves 64 bits'], []);
  }
  const most = a.hi > -a.lo ? a.hi : -a.lo;
  const [least, greatest] = boundsOf(type);
  const lo = a.lo >= 0n && b.lo >= 0n ? 0n : 0n - most;
  return V.bigint(M.binary('div', x, y), lo < least ? least : lo, most > greatest ? greatest : most);
}

/** @type {(walk: Walk, v: BigIntValue, place: Place) => Value} ~v */
function bigintComplement(walk, v, place) {
  if (v.hi <= V.MOST_I64) return V.bigint(M.unary('not', M.convert(v.x, 'i64')), BigInt(~v.hi), BigInt(~v.lo));
  const x = walk.settle(M.convert(v.x, 'i64'));
  if (!walk.isWrapping) {
    Unbounded.expectExact(v, place);
    walk.throwUnless(M.binary('ge', x, M.constant('i64', 0)), place, 'RangeError', [LEAVES], []);
  }
  return V.bigint(M.unary('not', x));
}

/**
 * On two's complement of any length; 64 bits do where both fit.
 *
 * @type {(walk: Walk, op: '&' | '|' | '^', a: BigIntValue, b: BigIntValue, place: Place) => Value}
 */
function bigintBits(walk, op, a, b, place) {
  const unsigned = a.hi > V.MOST_I64 || b.hi > V.MOST_I64;
  const negative = a.lo < 0n || b.lo < 0n;
  const name = { '&': 'and', '|': 'or', '^': 'xor' }[op];
  // A mask that is not negative makes the result so, whatever the other operand.
  const type = unsigned && (!negative || op === '&') ? 'u64' : 'i64';
  let [p, q] = [M.convert(a.x, type), M.convert(b.x, type)];
  if (op === '^' && unsigned && negative && !walk.isWrapping) {
    [p, q] = [walk.settle(p), walk.settle(q)];
    // What is above 2^63 and what is below 0 differ in the bit of the sign, which is at 2^64 then.
    const [below, above] = a.lo < 0n ? [p, q] : [q, p];
    const isBelow = (/** @type {Expression} */ x) => M.binary('lt', x, M.constant('i64', 0));
    walk.throwUnless(M.unary('not', M.and(isBelow(below), isBelow(above))), place, 'RangeError', [LEAVES], []);
  }
  const x = { op: name, type, args: [p, q] };
  const most = op === '&' ? [a, b].filter((v) => v.lo >= 0n).map((v) => v.hi) : [];
  if (most.length)
    return V.bigint(
      x,
      0n,
      most.reduce((/** @type {bigint} */ m, /** @type {bigint} */ v) => (v < m ? v : m)),
    );
  return type === 'u64' || negative ? V.bigint(x) : V.bigint(x, 0n, V.MOST_I64);
}

/** @type {(walk: Walk, op: '<<' | '>>', a: BigIntValue, b: BigIntValue, place: Place) => Value} */
function bigintShift(walk, op, a, b, place) {
  if (b.lo < 0n)
    return callLibrary(walk, op === '<<' ? 'bigintLeft' : 'bigintRight', [a, b], { place, args: [] });
  const type = /** @type {import('../tir/index.js').Scalar} */ (a.x.type);
  const by = M.convert(b.x, type);
  if (op === '>>') return V.bigint({ op: 'shr', type, args: [a.x, by] }, a.lo < 0n ? a.lo : 0n, a.hi > 0n ? a.hi : 0n);
  const shifted = { op: 'shl', type, args: [a.x, by] };
  const [least, most] = boundsOf(type);
  if (b.hi < 64n && a.lo << b.hi >= least && a.hi << b.hi <= most)
    return V.bigint(shifted, a.lo < 0n ? a.lo << b.hi : a.lo, a.hi > 0n ? a.hi << b.hi : a.hi);
  if (walk.isWrapping) return V.bigint(shifted);
  const x = walk.settle(a.x);
  const n = walk.settle(by);
  const back = M.binary('eq', { op: 'shr', type, args: [{ op: 'shl', type, args: [x, n] }, n] }, x);
  const fits = M.or(
    M.and(M.binary('lt', n, M.constant(type, 64)), back),
    M.binary('eq', x, M.constant(type, 0)),
  );
  walk.throwUnless(fits, place, 'RangeError', [LEAVES], []);
  return V.bigint({ op: 'shl', type, args: [x, n] });
}

/** @type {(walk: Walk, a: BigIntValue, b: BigIntValue, place: Place) => Value} by multiplications, where the exponent is constant */
function bigintPower(walk, a, b, place) {
  if (b.lo !== b.hi || b.lo < 0n || b.lo > 64n)
    return callLibrary(walk, 'bigintPower', [a, b], { place, args: [] });
  let result = V.bigintConstant(1n);
  for (let i = 0n; i < b.lo; i++) result = bigintArithmetic(walk, '*', result, a, place);
  return result;
}

/**
 * Relations and == of a bigint with a bigint or a number.
 *
 * @type {(walk: Walk, op: string, a: any, b: any, place: Place) => Expression}
 */
function bigintRelation(walk, op, a, b, place) {
  if (a.kind !== 'bigint' || b.kind !== 'bigint') return mixedRelation(walk, op, a, b, place);
  const name = { '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge', '==': 'eq' }[op] ?? '';
  const [x, y] = [a.x, b.x];
  if (x.type === y.type) return M.binary(name, x, y);
  const bothSmall = a.hi <= V.MOST_I64 && b.hi <= V.MOST_I64;
  if (bothSmall) return M.binary(name, M.convert(x, 'i64'), M.convert(y, 'i64'));
  if (a.lo >= 0n && b.lo >= 0n) return M.binary(name, M.convert(x, 'u64'), M.convert(y, 'u64'));
  return refuse(
    place,
    'a bigint above 2^63 is compared with one that may be negative',
    'use BigInt.asUintN(64, …) or BigInt.asIntN(64, …) on both',
  );
}

/** @type {(walk: Walk, op: string, a: any, b: any, place: Place) => Expression} */
function mixedRelation(walk, op, a, b, place) {
  const [big, other] = a.kind === 'bigint' ? [a, b] : [b, a];
  Unbounded.expectExact(big, place);
  const number = toNumber(other, place);
  if (N.isIntegerOrNegativeZero(number.type)) {
    const whole = wholeNumber(number);
    return a.kind === 'bigint' ? bigintRelation(walk, op, a, whole, place) : bigintRelation(walk, op, whole, b, place);
  }
  const swapped = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }[op] ?? op;
  return withDouble(a.kind === 'bigint' ? op : swapped, big, walk.settle(O.asDouble(number), 'x'));
}

/**
 * A bigint against a double: an integer against it rounded to where the answer is the same.
 *
 * @type {(op: string, big: BigIntValue, x: Expression) => Expression}
 */
function withDouble(op, big, x) {
  const type = big.x.type;
  const [least, beyond] = type === 'u64' ? [0, 2 ** 64] : [-(2 ** 63), 2 ** 63];
  const name = { '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge', '==': 'eq' }[op] ?? '';
  const whole = { op: 'convert', type, args: [M.unary(op === '<' || op === '>=' ? 'ceil' : 'floor', x)] };
  const isAbove = M.binary('ge', x, M.constant('f64', beyond));
  const isBelow = M.binary('lt', x, M.constant('f64', least));
  const isNear = M.and(M.binary('ge', x, M.constant('f64', least)), M.binary('lt', x, M.constant('f64', beyond)));
  const compared = M.and(isNear, M.binary(name, big.x, whole));
  if (op === '==') return M.and(compared, M.binary('eq', M.unary('floor', x), x));
  return M.or(compared, op === '<' || op === '<=' ? isAbove : isBelow);
}

/** @type {(value: BigIntValue, n: bigint, isSigned: boolean) => Value} */
function truncateBigInt(value, n, isSigned) {
  if (n === 0n) return V.bigintConstant(0n);
  const least = isSigned ? -(2n ** (n - 1n)) : 0n;
  const most = isSigned ? 2n ** (n - 1n) - 1n : 2n ** n - 1n;
  const type = isSigned || most <= V.MOST_I64 ? 'i64' : 'u64';
  if (value.lo >= least && value.hi <= most)
    return V.bigint(M.convert(value.x, type), value.lo, value.hi);
  const x = M.convert(value.x, type);
  if (n === 64n) return V.bigint(x, least, most);
  if (!isSigned) return V.bigint({ op: 'and', type, args: [x, M.constant(type, most)] }, least, most);
  const by = M.constant('i64', 64n - n);
  return V.bigint({ op: 'shr', type: 'i64', args: [{ op: 'shl', type: 'i64', args: [x, by] }, by] }, least, most);
}

module.exports = {
  bigintArithmetic, bigintBinary, bigintComplement, bigintRelation, looseBigInt, toBigInt, truncateBigInt,
};
