/**
 * What JavaScript's operators do to values, as expressions of machine types that give the same bits.
 *
 * Where both operands are integers and the result is one, the operation is done on integers; else on doubles. Besides
 * its exact value each result keeps what is cheaper for those who want less of it (values.js): `(a * b + c) | 0` never
 * leaves integers, `Math.fround(x * y)` of two floats is a product of floats, and an index does not care about the sign
 * of a zero.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');

/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./values.js').NumberValue} NumberValue */
/** @typedef {import('./values.js').Value} Value */

const { NumberValue } = V;

// --- views of numbers ---

/** @type {(v: NumberValue) => Expression} */
function asDouble(v) {
  return M.convert(v.x, 'f64');
}

/** @type {(v: NumberValue) => Expression} of a whole number within ±2^53; -0 is 0 */
function asInteger(v) {
  if (v.integer) return v.integer();
  return M.convert(v.x, 'i64');
}

/** @type {(v: NumberValue) => Expression} ToInt32 of any number */
function asInt32(v) {
  if (v.int32) return v.int32();
  const x = v.integer && N.isIntegerOrNegativeZero(v.type) ? v.integer() : v.x;
  return x.type === 'f64' || x.type === 'f32' ? M.wrap(M.convert(x, 'f64'), 'i32') : M.convert(x, 'i32');
}

/** @type {(v: NumberValue) => Expression} rounded to f32 */
function asSingle(v) {
  if (v.single) return v.single();
  return M.convert(v.x, 'f32');
}

/** @type {(v: NumberValue) => boolean} */
function isInt(v) {
  return N.isIntegerOrNegativeZero(v.type);
}

/** @type {(x: Expression, type?: import('./number-types.js').Num) => NumberValue} an i32 of any value */
function int32Value(x, type = N.int32) {
  return new NumberValue(type, x, { int32: () => x });
}

/**
 * A value that nothing cheaper is known of.
 *
 * @type {(type: import('./number-types.js').Num, x: Expression) => NumberValue}
 */
function plainValue(type, x) {
  return new NumberValue(type, M.convert(x, N.typeOf(type)));
}

// --- arithmetic ---

const RULES = { add: N.add, sub: N.subtract, mul: N.multiply };

/** @type {(name: 'add' | 'sub' | 'mul', a: NumberValue, b: NumberValue) => NumberValue} */
function arithmetic(name, a, b) {
  const type = RULES[name](a.type, b.type);
  const whole = isInt(a) && isInt(b) && N.isIntegerOrNegativeZero(type);
  const onIntegers = () => M.binary(name, asInteger(a), asInteger(b));
  const exact =
    whole && N.isInteger(type)
      ? () => M.convert(onIntegers(), N.typeOf(type))
      : () => M.binary(name, asDouble(a), asDouble(b));
  return new NumberValue(type, exact, {
    integer: whole ? onIntegers : null,
    int32: whole ? () => M.binary(name, asInt32(a), asInt32(b)) : null,
    single: singleView(name, a, b),
  });
}

/**
 * One rounding of two floats' result is that of their doubles' result rounded.
 *
 * @type {(name: string, a: NumberValue, b: NumberValue) => (() => Expression) | null}
 */
function singleView(name, a, b) {
  if (!a.type.single || !b.type.single) return null;
  return () => M.binary(name, asSingle(a), asSingle(b));
}

/** @type {(a: NumberValue, b: NumberValue) => NumberValue} */
function divide(a, b) {
  const type = N.divide(a.type, b.type);
  const whole = isInt(a) && isInt(b) && N.fitsInt32(a.type) && N.fitsInt32(b.type);
  // In i64, where no quotient of two i32 overflows; by zero it is infinite or NaN, whose ToInt32 is 0.
  const int32 = () => {
    const [x, y] = [asInteger(a), asInteger(b)];
    const quotient = M.convert(M.binary('div', x, y), 'i32');
    return N.hasZero(b.type)
      ? M.select(M.binary('eq', y, M.constant('i64', 0)), M.constant('i32', 0), quotient)
      : quotient;
  };
  return new NumberValue(type, () => M.binary('div', asDouble(a), asDouble(b)), {
    int32: whole ? int32 : null,
    single: singleView('div', a, b),
  });
}

/** @type {(a: NumberValue, b: NumberValue) => Expression} the remainder of integers, as i64; of zero any */
function integerRemainder(a, b) {
  const narrow = N.fitsInt32(a.type) && N.fitsInt32(b.type);
  const to = narrow ? 'i32' : 'i64';
  return M.convert(M.binary('rem', M.convert(asInteger(a), to), M.convert(asInteger(b), to)), 'i64');
}

/** @type {(a: NumberValue, b: NumberValue) => NumberValue} */
function remainder(a, b) {
  const type = N.remainder(a.type, b.type);
  if (!isInt(a) || !isInt(b)) return new NumberValue(type, () => M.binary('rem', asDouble(a), asDouble(b)));
  const byZero = () => M.binary('eq', asInteger(b), M.constant('i64', 0));
  const exact = () => {
    const rest = integerRemainder(a, b);
    if (N.isInteger(type)) return M.convert(rest, N.typeOf(type));
    const below = M.and(M.binary('eq', rest, M.constant('i64', 0)), isBelowZero(a));
    const signed = type.negativeZero
      ? M.select(below, M.constant('f64', -0), M.convert(rest, 'f64'))
      : M.convert(rest, 'f64');
    return type.nan ? M.select(byZero(), M.constant('f64', NaN), signed) : signed;
  };
  const int32 = () => {
    const rest = M.convert(integerRemainder(a, b), 'i32');
    return type.nan ? M.select(byZero(), M.constant('i32', 0), rest) : rest;
  };
  return new NumberValue(type, exact, { int32, integer: type.nan ? null : () => integerRemainder(a, b) });
}

/** @type {(v: NumberValue) => Expression} whether an integer is negative or -0 */
function isBelowZero(v) {
  const negative = M.binary('lt', asInteger(v), M.constant('i64', 0));
  if (!v.type.negativeZero) return negative;
  const bits = { op: 'bitcast', type: 'i64', args: [asDouble(v)] };
  return M.binary('lt', bits, M.constant('i64', 0));
}

/** @type {(a: NumberValue) => NumberValue} */
function negate(a) {
  const type = N.negate(a.type);
  const whole = isInt(a);
  const exact =
    whole && N.isInteger(type) ? () => M.convert(M.unary('neg', asInteger(a)), N.typeOf(type)) : () => negated(a, type);
  return new NumberValue(type, exact, {
    integer: whole ? () => M.unary('neg', asInteger(a)) : null,
    int32: whole ? () => M.unary('neg', asInt32(a)) : null,
    single: a.type.single ? () => M.unary('neg', asSingle(a)) : null,
  });
}

/** @type {(a: NumberValue, type: import('./number-types.js').Num) => Expression} */
function negated(a, type) {
  const x = asDouble(a);
  const y = x.op === 'const' ? M.constant('f64', -x.value) : M.unary('neg', x);
  return M.convert(y, N.typeOf(type));
}

/** @type {(op: '&' | '|' | '^', a: NumberValue, b: NumberValue) => NumberValue} */
function bitwise(op, a, b) {
  const name = { '&': 'and', '|': 'or', '^': 'xor' }[op];
  const type = N.bits(op, a.type, b.type);
  const [x, y] = [asInt32(a), asInt32(b)];
  // x | 0, x ^ 0 and x & -1 are how JavaScript says ToInt32.
  if (op !== '&' && y.op === 'const' && y.value === 0n) return int32Value(x, N.toInt32(a.type));
  if (op === '&' && y.op === 'const' && y.value === -1n) return int32Value(x, N.toInt32(a.type));
  if (x.op === 'const' && y.op === 'const') {
    const value = op === '&' ? x.value & y.value : op === '|' ? x.value | y.value : x.value ^ y.value;
    return V.numberConstant(Number(value));
  }
  return int32Value({ op: name, type: 'i32', args: [x, y] }, type);
}

/** @type {(op: '<<' | '>>' | '>>>', a: NumberValue, b: NumberValue) => NumberValue} */
function shift(op, a, b) {
  const type = N.shift(op, a.type, b.type);
  const by = asInt32(b);
  const x = asInt32(a);
  if (x.op === 'const' && by.op === 'const') {
    const [p, q] = [Number(x.value), Number(by.value)];
    return V.numberConstant(op === '<<' ? p << q : op === '>>' ? p >> q : p >>> q);
  }
  if (op !== '>>>' && by.op === 'const' && (by.value & 31n) === 0n) return int32Value(x, N.toInt32(a.type));
  const masked =
    by.op === 'const'
      ? M.constant('i32', by.value & 31n)
      : { op: 'and', type: 'i32', args: [by, M.constant('i32', 31)] };
  if (op !== '>>>') return int32Value({ op: op === '<<' ? 'shl' : 'shr', type: 'i32', args: [x, masked] }, type);
  const unsigned = { op: 'bitcast', type: 'u32', args: [x] };
  const count = { op: 'bitcast', type: 'u32', args: [masked] };
  const shifted =
    masked.op === 'const' && masked.value === 0n ? unsigned : { op: 'shr', type: 'u32', args: [unsigned, count] };
  const int32 = () => ({ op: 'bitcast', type: 'i32', args: [shifted] });
  return new NumberValue(type, () => M.convert(shifted, N.typeOf(type)), { int32 });
}

/** @type {(a: NumberValue) => NumberValue} */
function complement(a) {
  const x = asInt32(a);
  if (x.op === 'const') return V.numberConstant(~Number(x.value));
  const { lo, hi } = N.toInt32(a.type);
  return int32Value({ op: 'not', type: 'i32', args: [x] }, N.integer(~hi, ~lo, 32));
}

// --- comparison ---

/** @type {Record<string, string>} */
const COMPARES = { '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge' };

/** @type {(op: string, a: NumberValue, b: NumberValue) => Expression | null} what the ranges say */
function decided(op, a, b) {
  const [x, y] = [N.plain(a.type), N.plain(b.type)];
  if (x.nan || y.nan) return null;
  const less =
    op === '<'
      ? [x.hi < y.lo, x.lo >= y.hi]
      : op === '<='
        ? [x.hi <= y.lo, x.lo > y.hi]
        : op === '>'
          ? [x.lo > y.hi, x.hi <= y.lo]
          : [x.lo >= y.hi, x.hi < y.lo];
  return less[0] ? M.constant('bool', true) : less[1] ? M.constant('bool', false) : null;
}

/** @type {(op: string, a: NumberValue, b: NumberValue) => Expression} */
function relation(op, a, b) {
  const known = decided(op, a, b);
  if (known) return known;
  const name = COMPARES[op];
  if (isInt(a) && isInt(b)) return M.binary(name, asInteger(a), asInteger(b));
  if (isInt(a) && a.x.op !== 'const' && isPlace(b)) return withBound(name, a, b);
  if (isInt(b) && b.x.op !== 'const' && isPlace(a))
    return withBound({ lt: 'gt', le: 'ge', gt: 'lt', ge: 'le' }[name] ?? '', b, a);
  if (a.type.single && b.type.single) return M.binary(name, asSingle(a), asSingle(b));
  return M.binary(name, asDouble(a), asDouble(b));
}

/**
 * Whether it is a variable that may not change, so that what is made of it can be moved.
 *
 * @type {(v: NumberValue) => boolean}
 */
function isPlace(v) {
  return v.x.op === 'local';
}

/**
 * An integer against a double, as a comparison of integers: i < x is i < ceil(x). Loops that count to a double are
 * loops of integers so, and the bound is computed once. NaN compares false with everything.
 *
 * @type {(name: string, a: NumberValue, b: NumberValue) => Expression}
 */
function withBound(name, a, b) {
  const x = asDouble(b);
  const rounded = M.unary(name === 'lt' || name === 'ge' ? 'ceil' : 'floor', x);
  const bound = b.type.int ? x : rounded;
  const never = M.constant('i64', name === 'lt' || name === 'le' ? -(2n ** 63n) : 2n ** 63n - 1n);
  const whole = { op: 'convert', type: 'i64', args: [bound] };
  return M.binary(
    name,
    asInteger(a),
    b.type.nan || b.type.undefined ? M.select(M.unary('is_nan', x), never, whole) : whole,
  );
}

/** @type {(a: NumberValue, b: NumberValue) => Expression} numbers equal by ==, NaN to nothing */
function isEqual(a, b) {
  const [x, y] = [N.plain(a.type), N.plain(b.type)];
  if (x.lo > y.hi || x.hi < y.lo) return M.constant('bool', false);
  if (x.lo === x.hi && y.lo === y.hi && !x.nan && !y.nan) return M.constant('bool', x.lo === y.lo);
  if (isInt(a) && isInt(b)) return M.binary('eq', asInteger(a), asInteger(b));
  return M.binary('eq', asDouble(a), asDouble(b));
}

/** @type {(v: NumberValue) => Expression} neither 0 nor NaN */
function isTruthy(v) {
  const t = v.type;
  if (!N.hasZero(t) && !t.nan && !N.isNothing(t)) return M.constant('bool', true);
  if (isInt(v)) return M.binary('ne', asInteger(v), M.constant('i64', 0));
  const x = asDouble(v);
  return t.nan || N.isNothing(t)
    ? M.binary('gt', M.unary('abs', x), M.constant('f64', 0))
    : M.binary('ne', x, M.constant('f64', 0));
}

/** @type {(test: Expression) => NumberValue} 1 or 0 */
function fromBoolean(test) {
  if (test.op === 'const') return V.numberConstant(Number(test.value));
  return new NumberValue(N.integer(0, 1, 32), () => M.convert(test, 'i32'));
}

module.exports = {
  arithmetic,
  asDouble,
  asInt32,
  asInteger,
  asSingle,
  bitwise,
  complement,
  divide,
  fromBoolean,
  int32Value,
  isEqual,
  isInt,
  isTruthy,
  negate,
  plainValue,
  relation,
  remainder,
  shift,
};
