/**
 * Functions of the language by their names. Number, Boolean, BigInt, Object.is and tests of numbers are here, the
 * others in math.js and arrays.js.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const Unbounded = require('./unbounded-bigints.js');
const arrays = require('./arrays.js');
const bigints = require('./bigints.js');
const { areEqual, areIdentical } = require('./comparisons.js');
const { toBoolean, toNumber } = require('./conversions.js');
const { evaluateLoosely, wrapping } = require('./expressions.js');
const { spread } = require('./literals.js');
const { math } = require('./math.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').BuiltinNode} BuiltinNode */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./values.js').NumberValue} NumberValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').CallSite} CallSite */
/** @typedef {import('./walk.js').Walk} Walk */

// --- numbers ---

/** @type {(x: Expression) => Expression} a bigint as the double next to it */
function nearestDouble(x) {
  const made = M.convert(x, 'f64');
  return made.op === 'convert' ? { ...made, rounds: true } : made;
}

/** @type {(args: Value[], e: CallSite) => Value} Number(x) */
function toNumberCall(args, e) {
  if (args.length === 0) return V.numberConstant(0);
  const [value] = args;
  if (value.kind !== 'bigint') return toNumber(value, e.place);
  if (Unbounded.isUnbounded(value)) return Unbounded.asNumber(value);
  Unbounded.expectExact(value, e.place);
  const limit = BigInt(N.LIMIT);
  const small = value.lo >= -limit && value.hi <= limit;
  const type = N.number({ lo: Number(value.lo), hi: Number(value.hi), int: true });
  const x = small ? value.x : nearestDouble(value.x);
  return new V.NumberValue(type, () => M.convert(x, N.typeOf(type)), {
    integer: small ? () => M.convert(value.x, 'i64') : null,
    int32: small ? () => M.convert(value.x, 'i32') : null,
  });
}

/** @type {(name: string, value: Value, e: CallSite) => Value} */
function test(name, value, e) {
  const own = name.startsWith('Number.');
  if (own && value.kind !== 'number') return V.boolean(M.constant('bool', false));
  const number = toNumber(value, e.place);
  const t = number.type;
  const x = () => O.asDouble(number);
  const solid = (/** @type {Expression} */ is) =>
    own && value.kind === 'number' && value.tag ? M.and(M.binary('eq', value.tag, M.constant('i32', 0)), is) : is;
  switch (name.replace('Number.', '')) {
    case 'isNaN':
      return V.boolean(t.nan ? solid(M.unary('is_nan', x())) : M.constant('bool', false));
    case 'isFinite':
      return V.boolean(
        solid(t.nan || t.lo === -Infinity || t.hi === Infinity ? M.unary('is_finite', x()) : M.constant('bool', true)),
      );
    default: {
      const whole = t.int && !t.nan ? M.constant('bool', true) : M.binary('eq', M.unary('trunc', x()), x());
      const finite = M.unary('is_finite', x());
      const small = M.binary('le', M.unary('abs', x()), M.constant('f64', Number.MAX_SAFE_INTEGER));
      if (N.isIntegerOrNegativeZero(t) && name === 'Number.isInteger')
        return V.boolean(solid(M.constant('bool', true)));
      return V.boolean(solid(M.and(name === 'Number.isInteger' ? finite : small, whole)));
    }
  }
}

/** @type {(walk: Walk, a: any, b: any, e: CallSite) => Value} Object.is */
function isSameValue(walk, a, b, e) {
  if (a.kind !== 'number' || b.kind !== 'number') return V.boolean(areEqual(walk, true, a, b, e.place));
  return V.boolean(areIdentical(a, b, areSameBits));
}

/** @type {(a: NumberValue, b: NumberValue) => Expression} */
function areSameBits(a, b) {
  if (N.isInteger(a.type) && N.isInteger(b.type)) return O.isEqual(a, b);
  const [x, y] = [O.asDouble(a), O.asDouble(b)];
  const bits = (/** @type {Expression} */ v) => ({ op: 'bitcast', type: 'i64', args: [v] });
  return M.or(M.binary('eq', bits(x), bits(y)), M.and(M.unary('is_nan', x), M.unary('is_nan', y)));
}

/** @type {(walk: Walk, e: BuiltinNode) => Value} BigInt.asIntN and asUintN, in whose argument sums and products wrap */
function wrapBigInt(walk, e) {
  const bits = walk.evaluate(e.args[0]);
  const n = bits.kind === 'number' && bits.type.lo === bits.type.hi ? bits.type.lo : -1;
  if (!Number.isInteger(n) || n < 0 || n > 64)
    return refuse(e.args[0].place, 'the number of bits must be a constant from 0 to 64', '');
  const isSigned = e.name === 'BigInt.asIntN';
  const value = wrapping(walk, e.args[1]);
  if (value.kind !== 'bigint') return refuse(e.args[1].place, `${V.describe(value)} is no bigint`, 'write BigInt(x)');
  return bigints.truncateBigInt(value, BigInt(n), isSigned);
}

// --- by name ---

/** @type {(walk: Walk, e: BuiltinNode) => Value} */
function builtin(walk, e) {
  if (e.name === 'BigInt.asIntN' || e.name === 'BigInt.asUintN') return wrapBigInt(walk, e);
  const isLoose = e.name === 'Number' || e.name === 'Boolean';
  const args = e.args.flatMap((a) =>
    a.kind === 'spread' ? spread(walk, a) : [isLoose ? evaluateLoosely(walk, a) : walk.evaluate(a)],
  );
  return apply(walk, e.name, args, e);
}

/** @type {(walk: Walk, name: string, args: Value[], e: CallSite) => Value} */
function apply(walk, name, args, e) {
  if (name.startsWith('Math.')) return math(name.slice(5), args, e);
  switch (name) {
    case 'arguments.length':
      return V.numberConstant(walk.frame.count);
    case 'Number':
      return toNumberCall(args, e);
    case 'Boolean':
      return V.boolean(toBoolean(args[0] ?? V.UNDEFINED, e.place));
    case 'BigInt':
      return bigints.toBigInt(walk, args[0] ?? V.UNDEFINED, e);
    case 'Object.is':
      return isSameValue(walk, args[0] ?? V.UNDEFINED, args[1] ?? V.UNDEFINED, e);
    case 'isNaN':
    case 'isFinite':
    case 'Number.isNaN':
    case 'Number.isFinite':
    case 'Number.isInteger':
    case 'Number.isSafeInteger':
      return test(name, args[0] ?? V.UNDEFINED, e);
    case 'Array.isArray':
      if (args[0]?.kind === 'maybe')
        return V.boolean(isList(args[0].object) ? toBoolean(args[0], e.place) : M.constant('bool', false));
      return V.boolean(M.constant('bool', isList(args[0])));
    case 'ArrayBuffer.isView':
      return V.boolean(M.constant('bool', args[0]?.kind === 'array' && !args[0].isList));
    default:
      return arrays.builtin(walk, name, args, e);
  }
}

/** @type {(value: Value | undefined) => boolean} */
function isList(value) {
  return (value?.kind === 'object' && value.isTuple) || (value?.kind === 'array' && value.isList);
}

module.exports = { apply, builtin };
