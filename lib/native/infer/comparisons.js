/**
 * Relations and equality of values of any types, as `==` and `===` have them.
 *
 * What the types decide is a constant; the rest asks for tags, which say whether a number is one, and compares machine
 * values.
 */
'use strict';

const M = require('../tir/machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const E = require('./environment.js');
const Maybe = require('./nullable.js');
const Unbounded = require('./unbounded-bigints.js');
const bigints = require('./bigints.js');
const unions = require('./object-union.js');
const { advice, isNothing, isNullish, isNumeric, isScalar, toNumber } = require('./conversions.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

/** @type {(walk: Walk, op: string, a: Value, b: Value, place: Place) => Expression} */
function relation(walk, op, a, b, place) {
  if (Unbounded.isUnbounded(a)) return relation(walk, op, Unbounded.asNumber(a), b, place);
  if (Unbounded.isUnbounded(b)) return relation(walk, op, a, Unbounded.asNumber(b), place);
  if (a.kind === 'bigint' || b.kind === 'bigint') return bigints.bigintRelation(walk, op, a, b, place);
  const [x, y] = [toNumber(a, place), toNumber(b, place)];
  if (O.isInt(x) !== O.isInt(y)) walk.hint(O.isInt(x) ? y.type : x.type);
  return O.relation(op, x, y);
}

/** @type {(walk: Walk, e: import('../hir/index.js').BinaryNode, a: Value, b: Value) => Value} */
function equality(walk, e, a, b) {
  const { op, place } = e;
  for (const v of [a, b]) if (v.kind === 'mixed') return refuse(place, `this may be ${V.describe(v)}`, advice(v));
  const strict = op.length === 3;
  const same = areEqual(walk, strict, a, b, place);
  return V.boolean(op[0] === '!' ? M.unary('not', same) : same);
}

/** @type {(walk: Walk, strict: boolean, a: any, b: any, place: Place) => Expression} */
function areEqual(walk, strict, a, b, place) {
  const nothing = (/** @type {Value} */ v) => v.kind === 'undefined' || v.kind === 'null';
  if (nothing(a) || nothing(b)) {
    const [known, other] = nothing(a) ? [a, b] : [b, a];
    if (!strict) return nothing(other) ? M.constant('bool', true) : isNullish(other);
    return isNothing(other, known.kind === 'undefined' ? 1 : 2);
  }
  if (a.kind === 'string' && b.kind === 'string') return textsEqual(a, b);
  if (!strict && a.kind === 'string' && isNumeric(b)) return areEqual(walk, strict, numberOfText(a), b, place);
  if (!strict && b.kind === 'string' && isNumeric(a)) return areEqual(walk, strict, a, numberOfText(b), place);
  if (!strict)
    for (const [v, other] of [
      [a, b],
      [b, a],
    ])
      if (isByText(v) && isScalar(other))
        refuse(place, `${V.describe(v)} is compared with ${V.describe(other)} by ==`, 'write ===');
  if (Unbounded.isUnbounded(a) || Unbounded.isUnbounded(b)) return wholesEqual(walk, strict, a, b, place);
  const [isNumber, isOther] = [isNumeric(a), isNumeric(b)];
  if (isNumber && isOther)
    return strict
      ? areIdentical(a, b, numbersEqual)
      : areLooselyEqual(a, b, O.isEqual(toNumber(a, place), toNumber(b, place)));
  if (!strict && ((isNumber && b.kind === 'bigint') || (a.kind === 'bigint' && isOther))) {
    return M.and(M.unary('not', isNullish(isNumber ? a : b)), bigints.bigintRelation(walk, '==', a, b, place));
  }
  const [p, q] = [Maybe.objectOf(a), Maybe.objectOf(b)];
  if (p && q)
    return M.or(
      bothNothing(a, b, strict),
      M.and(M.unary('not', M.or(isNullish(a), isNullish(b))), unions.isSame(p, q)),
    );
  if (a.kind === 'bigint' && b.kind === 'bigint') for (const v of [a, b]) Unbounded.expectExact(v, place);
  if (a.kind === b.kind) return sameKindEqual(a, b, strict);
  return bothNothing(a, b, strict);
}

/**
 * Bigints that may not fit are compared as the numbers that they were made of.
 *
 * @type {(walk: Walk, strict: boolean, a: any, b: any, place: Place) => Expression}
 */
function wholesEqual(walk, strict, a, b, place) {
  if (strict && a.kind !== b.kind) return M.constant('bool', false);
  const [x, y] = [a, b].map((v) => (Unbounded.isUnbounded(v) ? Unbounded.asNumber(v) : v));
  return areEqual(walk, false, x, y, place);
}

/** @type {(text: import('./values.js').StringValue) => Value} the `typeof` of something is none */
const numberOfText = ({ value, tag }) => V.numberConstant(tag ? NaN : Number(value));

/** @type {(v: any) => boolean} what becomes a text, and that a number, to be compared with one */
const isByText = (v) => v.kind === 'string' || v.kind === 'array' || Boolean(Maybe.objectOf(v)?.isTuple);

/**
 * Whether a text, which may be the `typeof` of what may be undefined, is this one.
 *
 * @type {(x: any, name: string) => Expression}
 */
function isText(x, name) {
  if (!x.tag) return M.constant('bool', x.value === name);
  const is = (/** @type {number} */ tag, /** @type {boolean} */ may) =>
    may ? M.binary('eq', x.tag, M.constant('i32', tag)) : M.constant('bool', false);
  const nothing = M.or(is(1, name === 'undefined'), is(2, name === 'object'));
  return M.or(M.or(is(0, name === x.value), is(E.BOOLEAN, name === 'boolean')), nothing);
}

/** @type {(a: any, b: any) => Expression} */
function textsEqual(a, b) {
  if (!b.tag) return isText(a, b.value);
  if (!a.tag) return isText(b, a.value);
  const both = ['undefined', 'object', 'boolean', 'number'].map((name) => M.and(isText(a, name), isText(b, name)));
  return both.reduce(M.or);
}

/** @type {(a: any, b: any, strict: boolean) => Expression} whether neither is a value, and both alike */
function bothNothing(a, b, strict) {
  if (!strict) return M.and(isNullish(a), isNullish(b));
  return M.or(M.and(isNothing(a, 1), isNothing(b, 1)), M.and(isNothing(a, 2), isNothing(b, 2)));
}

/**
 * Numbers and booleans by ===, values of one type as `equal` says.
 *
 * @type {(a: any, b: any, equal: (a: any, b: any) => Expression) => Expression}
 */
function areIdentical(a, b, equal) {
  const isTagged = a.tag || b.tag;
  if (!isTagged) return a.kind === b.kind ? equal(a, b) : M.constant('bool', false);
  if (equal === numbersEqual && [a, b].every((v) => v.kind === 'number' && !v.type.boolean)) {
    // What is undefined is a NaN, which is equal to nothing, and asking for that first spares asking for its tag.
    const isNull = M.or(isNothing(a, 2), isNothing(b, 2));
    return M.or(M.and(M.unary('not', isNull), M.binary('eq', O.asDouble(a), O.asDouble(b))), bothNothing(a, b, true));
  }
  const [p, q] = [E.tagOf(a), E.tagOf(b)];
  const isNone = M.or(M.binary('eq', p, M.constant('i32', 1)), M.binary('eq', p, M.constant('i32', 2)));
  return M.and(M.binary('eq', p, q), M.or(isNone, equal(a, b)));
}

/** @type {(a: any, b: any) => Expression} as numbers are equal, of numbers and booleans */
function numbersEqual(a, b) {
  if (a.kind === 'number' && b.kind === 'number') return O.isEqual(a, b);
  if (a.kind === 'boolean' && b.kind === 'boolean') return M.binary('eq', a.x, b.x);
  const [number, boolean] = a.kind === 'number' ? [a, b] : [b, a];
  return M.binary('eq', number.x, M.convert(boolean.x, number.x.type));
}

/**
 * Numbers and booleans by ==, which are the same as numbers: but null is equal to no 0.
 *
 * @type {(a: any, b: any, same: Expression) => Expression}
 */
function areLooselyEqual(a, b, same) {
  const [p, q] = [isNullish(a), isNullish(b)];
  return M.or(M.and(p, q), M.and(M.unary('not', M.or(p, q)), same));
}

/** @type {(a: any, b: any, strict: boolean) => Expression} */
function sameKindEqual(a, b, strict) {
  switch (a.kind) {
    case 'bigint':
      return bigintsEqual(a, b);
    case 'array': {
      const [p, q] = [isNullish(a), isNullish(b)];
      return M.or(bothNothing(a, b, strict), M.and(M.unary('not', M.or(p, q)), sameArray(a.ref, b.ref)));
    }
    case 'closure':
      return M.constant('bool', a.callee === b.callee && a.frame === b.frame);
    default:
      return M.constant('bool', a.name === b.name);
  }
}

/** @type {(a: import('../tir/index.js').ArrayRef, b: import('../tir/index.js').ArrayRef) => Expression} */
function sameArray(a, b) {
  if (a.dtype !== b.dtype || a.clamps !== b.clamps) return M.constant('bool', false);
  if (E.isSame(a.pointer, b.pointer) && E.isSame(a.length, b.length)) return M.constant('bool', true);
  const address = (/** @type {Expression} */ pointer) => ({ op: 'address', type: 'i64', args: [pointer] });
  return M.and(M.binary('eq', address(a.pointer), address(b.pointer)), M.binary('eq', a.length, b.length));
}

/** @type {(a: any, b: any) => Expression} of i64 or u64 each */
function bigintsEqual(a, b) {
  if (a.lo > b.hi || a.hi < b.lo) return M.constant('bool', false);
  const same = M.binary('eq', M.convert(a.x, 'i64'), M.convert(b.x, 'i64'));
  if (a.x.type === b.x.type) return same;
  const unsigned = a.x.type === 'u64' ? a : b;
  return M.and(same, M.binary('ge', M.convert(unsigned.x, 'i64'), M.constant('i64', 0)));
}

module.exports = { areEqual, areIdentical, equality, relation };
