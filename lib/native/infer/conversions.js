/**
 * ToNumber, ToBoolean and what else asks of a value what kind it is, without looking at where it comes from.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const E = require('./environment.js');
const Maybe = require('./nullable.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./values.js').NumberValue} NumberValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

/** @type {(value: Value, place: Place) => NumberValue} ToNumber */
function toNumber(value, place) {
  switch (value.kind) {
    case 'number':
      return N.isNothing(value.type) ? plainNumber(value) : value;
    case 'boolean':
      return booleanNumber(value);
    case 'undefined':
      return V.numberConstant(NaN);
    case 'null':
      return V.numberConstant(0);
    case 'bigint':
      return refuse(place, 'a bigint and a number do not mix', 'write Number(x) or BigInt(x) to convert one of them');
    default:
      return refuse(place, `${V.describe(value)} is used as a number`, advice(value));
  }
}

/** @type {(value: NumberValue) => NumberValue} of what may be nothing */
function plainNumber(value) {
  const type = N.plain(value.type);
  return new V.NumberValue(type, () => M.convert(value.x, N.typeOf(type)), { int32: value.int32 });
}

/** @type {(value: any) => NumberValue} */
function booleanNumber(value) {
  const number = O.fromBoolean(value.x);
  if (!value.mayBeUndefined) return number;
  return new V.NumberValue({ ...number.type, nan: true, width: 64 }, E.numberAs(value, 'f64'));
}

/** @type {(value: Value) => string} */
function advice(value) {
  if (value.kind === 'mixed') return 'give it one type on every way to here';
  if (value.kind === 'string') return 'texts are known at compile time only: compare them, or throw them';
  if (value.kind === 'array' || value.kind === 'object') return 'use its elements or fields';
  if (value.kind === 'closure' || value.kind === 'builtin')
    return 'call it; functions are no elements of arrays that grow or are indexed';
  return '';
}

/** @type {(value: Value, place: Place) => Expression} ToBoolean */
function toBoolean(value, place) {
  switch (value.kind) {
    case 'number':
      return O.isTruthy(value);
    case 'boolean':
      return value.x; // false where it is undefined or null
    case 'bigint':
      if (value.unbounded) return M.binary('ne', value.unbounded, M.constant('f64', 0));
      return M.binary('ne', value.x, M.constant(/** @type {any} */ (value.x.type), 0));
    case 'string':
      return M.constant('bool', value.value !== '');
    case 'undefined':
    case 'null':
      return M.constant('bool', false);
    case 'mixed':
      return refuse(place, `this may be ${V.describe(value)}`, advice(value));
    case 'array':
    case 'maybe':
      return value.tag ? M.binary('eq', value.tag, M.constant('i32', 0)) : M.constant('bool', true);
    default:
      return M.constant('bool', true);
  }
}

/** @type {(walk: Walk, v: Value) => Value} a number that is computed here, not where it is used */
function settleValue(walk, v) {
  if (v.kind === 'number' && !M.isStable(v.x))
    return new V.NumberValue(v.type, walk.settle(v.x), { tag: v.tag && walk.settle(v.tag) });
  if ((v.kind === 'boolean' || v.kind === 'bigint') && !M.isStable(v.x)) return { ...v, x: walk.settle(v.x) };
  return v;
}

/** @type {(value: any, which: 1 | 2) => Expression} whether a value is undefined (1) or null (2) */
function isNothing(value, which) {
  if (value.kind === 'undefined') return M.constant('bool', which === 1);
  if (value.kind === 'null') return M.constant('bool', which === 2);
  if (value.kind === 'array')
    return value.tag ? M.binary('eq', value.tag, M.constant('i32', which)) : M.constant('bool', false);
  const may =
    value.kind === 'number'
      ? which === 1
        ? value.type.undefined
        : value.type.null
      : which === 1
        ? value.mayBeUndefined
        : value.mayBeNull;
  return may && value.tag ? M.binary('eq', value.tag, M.constant('i32', which)) : M.constant('bool', false);
}

/** @type {(value: any) => Expression} */
function isNullish(value) {
  return M.or(isNothing(value, 1), isNothing(value, 2));
}

/** @type {(v: Value) => boolean} */
const isScalar = (v) => isNumeric(v) || v.kind === 'bigint';

/** @type {(v: Value) => boolean} */
function isNumeric(v) {
  return v.kind === 'number' || v.kind === 'boolean';
}

/** @type {(value: Value) => Value} the same where it counts as false */
function falsy(value) {
  if (value.kind === 'boolean') return { ...value, x: M.constant('bool', false) };
  return value.kind === 'maybe' ? Maybe.nothingOf(value) : value;
}

/** @type {(value: Value) => Value} the same where it counts as true */
function truthy(value) {
  if (value.kind === 'boolean') return V.boolean(M.constant('bool', true));
  return value.kind === 'maybe' ? value.object : value;
}

/** @type {(value: any) => Value} the same where it is known to be a value */
function solid(value) {
  if (value.kind === 'maybe') return value.object;
  if (value.kind === 'number')
    return new V.NumberValue(
      { ...value.type, undefined: false, null: false, negativeZero: true },
      M.convert(value.x, 'f64'),
      { tag: value.type.boolean ? value.tag : null },
    );
  return { ...value, mayBeUndefined: false, mayBeNull: false, tag: null };
}

module.exports = {
  advice, falsy, isNothing, isNullish, isNumeric, isScalar, settleValue, solid, toBoolean, toNumber, truthy,
};
