/**
 * Functions of the language: Math, Number, BigInt, and what makes typed arrays.
 *
 * Elementary functions are operators of Loop IR, which give V8's bits in modules of functions. What Loop IR has no
 * operator for is composed here of those it has, or is a function of the prelude (emit/prelude.js), whose operators
 * begin with "js_".
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const E = require('./environment.js');
const X = require('./expressions.js');
const Whole = require('./unbounded-bigints.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').NumberValue} NumberValue */
/** @typedef {import('../tir/index.js').Expression} Expression */

const { NumberValue } = V;

// --- Math ---

/** Elementary functions by the bounds of their results. @type {Record<string, [number, number]>} */
const ELEMENTARY = {
  acos: [0, 4],
  acosh: [0, Infinity],
  asin: [-2, 2],
  asinh: [-Infinity, Infinity],
  atan: [-2, 2],
  atanh: [-Infinity, Infinity],
  cbrt: [-Infinity, Infinity],
  cos: [-1, 1],
  cosh: [1, Infinity],
  exp: [0, Infinity],
  expm1: [-1, Infinity],
  log: [-Infinity, Infinity],
  log10: [-Infinity, Infinity],
  log1p: [-Infinity, Infinity],
  log2: [-Infinity, Infinity],
  sin: [-1, 1],
  sinh: [-Infinity, Infinity],
  tan: [-Infinity, Infinity],
  tanh: [-1, 1],
};

/** @type {(name: string, type: string, ...args: Expression[]) => Expression} */
function operator(name, type, ...args) {
  return { op: name, type, args };
}

/** @type {(name: string, a: NumberValue) => NumberValue} */
function elementary(name, a) {
  const [lo, hi] = ELEMENTARY[name];
  const t = N.plain(a.type);
  // cos, cosh, exp and acos give no -0.
  const negativeZero = !['cos', 'cosh', 'exp', 'acos', 'acosh'].includes(name);
  const always = ['atan', 'asinh', 'cbrt', 'cosh', 'exp', 'expm1', 'sinh', 'tanh'].includes(name) && !t.nan;
  return new NumberValue(N.number({ lo, hi, negativeZero, nan: !always }), () => operator(name, 'f64', O.asDouble(a)));
}

/** @type {(name: 'floor' | 'ceil' | 'trunc' | 'round', a: NumberValue) => NumberValue} */
function rounded(name, a) {
  const type = N.round(name, a.type);
  if (a.type.int && !N.isNothing(a.type)) return a;
  const exact = () => (name === 'round' ? operator('js_round', 'f64', O.asDouble(a)) : M.unary(name, O.asDouble(a)));
  const int32 = name === 'trunc' ? () => O.asInt32(a) : null;
  return new NumberValue(type, () => M.convert(exact(), N.typeOf(type)), { int32 });
}

/** @type {(a: NumberValue) => NumberValue} */
function absolute(a) {
  const type = N.absolute(a.type);
  const exact = () =>
    N.isIntegerOrNegativeZero(a.type) ? M.unary('abs', O.asInteger(a)) : M.unary('abs', O.asDouble(a));
  return new NumberValue(type, () => M.convert(exact(), N.typeOf(type)), {
    single: a.type.single ? () => M.unary('abs', O.asSingle(a)) : null,
  });
}

/** @type {(which: 'min' | 'max', values: NumberValue[]) => NumberValue} */
function extreme(which, values) {
  if (values.length === 0) return V.numberConstant(which === 'min' ? Infinity : -Infinity);
  return values.reduce((a, b) => {
    const type = N.extreme(which, a.type, b.type);
    const to = N.typeOf(type);
    if (N.isInteger(a.type) && N.isInteger(b.type)) {
      const either = N.typeOf(N.join(a.type, b.type)); // a constant may be out of the range of the result
      return new NumberValue(type, () =>
        M.convert(M.binary(which, M.convert(a.x, either), M.convert(b.x, either)), to),
      );
    }
    const single = a.type.single && b.type.single;
    const exact = () =>
      single ? M.binary(which, O.asSingle(a), O.asSingle(b)) : M.binary(which, O.asDouble(a), O.asDouble(b));
    return new NumberValue(type, () => M.convert(exact(), to));
  });
}

/** @type {(a: NumberValue) => NumberValue} */
function sign(a) {
  const t = N.plain(a.type);
  const type = N.number({
    lo: t.lo < 0 ? -1 : 0, hi: t.hi > 0 ? 1 : 0, int: true, nan: t.nan, negativeZero: t.negativeZero,
  });
  if (N.isInteger(a.type))
    return new NumberValue(type, () => M.convert(M.unary('sign', M.convert(a.x, 'i64')), N.typeOf(type)));
  return new NumberValue(type, () => M.convert(M.unary('sign', O.asDouble(a)), N.typeOf(type)));
}

/** @type {(x: NumberValue, y: NumberValue) => NumberValue} x ** y */
function power(x, y) {
  const known = y.type.lo === y.type.hi && !y.type.nan && !N.isNothing(y.type) ? y.type.lo : null;
  if (known === 1) return O.plainValue(N.plain(x.type), M.convert(x.x, N.typeOf(N.plain(x.type))));
  if (known === 2) return O.arithmetic('mul', x, x);
  if (known === 0) return V.numberConstant(1);
  const [a, b] = [N.plain(x.type), N.plain(y.type)];
  const whole = a.int && b.int && b.lo >= 0 && b.hi < Infinity && !a.nan && !b.nan;
  const positive = a.lo >= 0 && !a.negativeZero;
  const type = N.number({ lo: positive ? 0 : -Infinity, int: whole, nan: !whole, negativeZero: !positive });
  return new NumberValue(type, () => M.convert(operator('pow', 'f64', O.asDouble(x), O.asDouble(y)), N.typeOf(type)));
}

/** @type {(values: NumberValue[]) => NumberValue} */
function hypot(values) {
  if (values.length === 0) return V.numberConstant(0);
  const type = N.number({ lo: 0, nan: values.some((v) => N.plain(v.type).nan) });
  if (values.length === 1) return absolute(values[0]);
  return new NumberValue(type, () =>
    operator(values.length === 2 ? 'hypot' : `js_hypot${values.length}`, 'f64', ...values.map(O.asDouble)),
  );
}

/** @type {(a: NumberValue) => NumberValue} */
function squareRoot(a) {
  const t = N.plain(a.type);
  const type = N.number({
    lo: 0, hi: Math.sqrt(Math.max(t.hi, 0)), nan: t.nan || t.lo < 0, negativeZero: t.negativeZero,
  });
  return new NumberValue(type, () => M.unary('sqrt', O.asDouble(a)), {
    single: a.type.single ? () => M.unary('sqrt', O.asSingle(a)) : null,
  });
}

/** @type {(a: NumberValue) => NumberValue} */
function fround(a) {
  const t = N.plain(a.type);
  if (N.isInteger(t) && Math.max(Math.abs(t.lo), Math.abs(t.hi)) <= 2 ** 24) return a;
  const type = {
    ...N.number({ ...t, lo: Math.fround(t.lo), hi: Math.fround(t.hi) }), int: t.int, width: /** @type {64} */ (64),
    single: true, negativeZero: t.negativeZero || (!t.int && t.lo < 0), below: null,
  };
  return new NumberValue(type, () => M.convert(O.asSingle(a), N.typeOf(type)), { single: () => O.asSingle(a) });
}

/** @type {(a: NumberValue) => NumberValue} */
function clz32(a) {
  const bits = () => ({ op: 'clz', type: 'u32', args: [{ op: 'bitcast', type: 'u32', args: [O.asInt32(a)] }] });
  return new NumberValue(N.whole(0, 32, 32), () => M.convert(bits(), 'i32'));
}

/** @type {(c: any, name: string, args: Value[], e: any) => Value} */
function math(c, name, args, e) {
  const n = (/** @type {number} */ i) => X.toNumber(c, args[i] ?? V.UNDEFINED, e.args[i]?.place ?? e.place);
  const all = () => args.map((v, i) => X.toNumber(c, v, e.args[i]?.place ?? e.place));
  if (name in ELEMENTARY) return elementary(name, n(0));
  switch (name) {
    case 'floor':
    case 'ceil':
    case 'trunc':
    case 'round':
      return rounded(name, n(0));
    case 'abs':
      return absolute(n(0));
    case 'min':
    case 'max':
      return extreme(name, all());
    case 'sign':
      return sign(n(0));
    case 'pow':
      return power(n(0), n(1));
    case 'hypot':
      return hypot(all());
    case 'sqrt':
      return squareRoot(n(0));
    case 'fround':
      return fround(n(0));
    case 'imul':
      return O.int32Value(M.binary('mul', O.asInt32(n(0)), O.asInt32(n(1))));
    case 'clz32':
      return clz32(n(0));
    case 'atan2': {
      const [y, x] = [n(0), n(1)];
      const type = N.number({ lo: -4, hi: 4, negativeZero: true, nan: N.plain(x.type).nan || N.plain(y.type).nan });
      return new NumberValue(type, () => operator('atan2', 'f64', O.asDouble(y), O.asDouble(x)));
    }
    default:
      return refuse(
        e.place,
        `Math.${name} is not supported`,
        name === 'random' ? 'hand random numbers over as an argument, or write a generator' : '',
      );
  }
}

// --- numbers ---

/** @type {(x: Expression) => Expression} a bigint as the double next to it */
function nearestDouble(x) {
  const made = M.convert(x, 'f64');
  return made.op === 'convert' ? { ...made, rounds: true } : made;
}

/** @type {(c: any, args: Value[], e: any) => Value} Number(x) */
function toNumberCall(c, args, e) {
  if (args.length === 0) return V.numberConstant(0);
  const [value] = args;
  if (value.kind !== 'bigint') return X.toNumber(c, value, e.place);
  if (Whole.isWhole(value)) return Whole.asNumber(/** @type {any} */ (value));
  Whole.expectExact(value, e.place);
  const limit = BigInt(N.LIMIT);
  const small = value.lo >= -limit && value.hi <= limit;
  const type = N.number({ lo: Number(value.lo), hi: Number(value.hi), int: true });
  const x = small ? value.x : nearestDouble(value.x);
  return new NumberValue(type, () => M.convert(x, N.typeOf(type)), {
    integer: small ? () => M.convert(value.x, 'i64') : null,
    int32: small ? () => M.convert(value.x, 'i32') : null,
  });
}

/** @type {(c: any, name: string, value: Value, e: any) => Value} */
function test(c, name, value, e) {
  const own = name.startsWith('Number.');
  if (own && value.kind !== 'number') return V.boolean(M.constant('bool', false));
  const number = X.toNumber(c, value, e.place);
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

/** @type {(c: any, a: any, b: any, e: any) => Value} Object.is */
function isSameValue(c, a, b, e) {
  if (a.kind !== 'number' || b.kind !== 'number') return V.boolean(X.areEqual(c, true, a, b, e.place));
  return V.boolean(X.areIdentical(a, b, areSameBits));
}

/** @type {(a: NumberValue, b: NumberValue) => Expression} */
function areSameBits(a, b) {
  if (N.isInteger(a.type) && N.isInteger(b.type)) return O.isEqual(a, b);
  const [x, y] = [O.asDouble(a), O.asDouble(b)];
  const bits = (/** @type {Expression} */ v) => ({ op: 'bitcast', type: 'i64', args: [v] });
  return M.or(M.binary('eq', bits(x), bits(y)), M.and(M.unary('is_nan', x), M.unary('is_nan', y)));
}

// --- bigints ---

/**
 * An integer as a bigint; where no number can be, any bounds will do.
 *
 * @type {(number: NumberValue) => import('./values.js').BigIntValue}
 */
function wholeNumber(number) {
  const { lo, hi } = N.isNever(number.type) ? N.constant(0) : number.type;
  return V.bigint(O.asInteger(number), BigInt(lo), BigInt(hi));
}

/** @type {(c: any, value: Value, e: any) => Value} BigInt(x) */
function toBigInt(c, value, e) {
  return Whole.fitting(c, looseBigInt(c, value, e));
}

/** @type {(c: any, value: Value, e: any) => any} the same, not yet asked whether it fits */
function looseBigInt(c, value, e) {
  if (value.kind === 'bigint') return value;
  for (const [which, name] of /** @type {const} */ ([
    [1, 'undefined'],
    [2, 'null'],
  ])) {
    c.throwUnless(
      M.unary('not', X.isNothing(value, which)),
      e.place,
      'TypeError',
      [`Cannot convert ${name} to a BigInt`],
      [],
    );
  }
  if (value.kind === 'boolean') return V.bigint(M.convert(value.x, 'i64'), 0n, 1n);
  const number = X.toNumber(c, value, e.place);
  if (N.isIntegerOrNegativeZero(number.type)) return wholeNumber(number);
  return Whole.wholeBigInt(c, O.asDouble(number), e.place);
}

const LEAVES = 'a bigint leaves 64 bits: write BigInt.asIntN(64, …) where it should wrap';

/** @type {Record<string, 'add' | 'sub' | 'mul'>} */
const OVERFLOWING = { '+': 'add', '-': 'sub', '*': 'mul' };

/** @type {(op: string, a: any, b: any) => [bigint, bigint]} bounds of the mathematical result */
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

/** @type {(c: any, op: string, a: any, b: any, place: any) => Value} + - * that throw where the result does not fit */
function bigintArithmetic(c, op, a, b, place) {
  const [lo, hi] = bigintRange(op, a, b);
  const type = commonType(c, a, b, place);
  if (a.x.op === 'const' && b.x.op === 'const' && lo >= V.LEAST_I64 && hi <= V.MOST_U64) return V.bigintConstant(lo);
  const [x, y] = [M.convert(a.x, type), M.convert(b.x, type)];
  const [least, most] = boundsOf(type);
  if (lo >= least && hi <= most) return V.bigint(M.binary(OVERFLOWING[op], x, y), lo, hi);
  if (!c.isWrapping) {
    const [p, q] = [E.settle(c, x), E.settle(c, y)];
    const overflows = { op: 'overflows', type: 'bool', what: OVERFLOWING[op], args: [p, q] };
    const text = `a bigint leaves 64 bits: write BigInt.as${type === 'u64' ? 'Uint' : 'Int'}N(64, …) where it should wrap`;
    c.throwUnless(M.unary('not', overflows), place, 'RangeError', [text], []);
    return V.bigint(M.binary(OVERFLOWING[op], p, q), lo > least ? lo : least, hi < most ? hi : most);
  }
  return V.bigint({ ...M.binary(OVERFLOWING[op], x, y), wraps: true }, least, most);
}

/** @type {(c: any, a: any, b: any, place: any) => 'i64' | 'u64'} the type that holds both */
function commonType(c, a, b, place) {
  if (c.isWrapping) return 'i64';
  const unsigned = a.hi > V.MOST_I64 || b.hi > V.MOST_I64;
  if (unsigned && (a.lo < 0n || b.lo < 0n))
    return refuse(
      place,
      'a bigint above 2^63 meets one that may be negative',
      'use BigInt.asUintN(64, …) or BigInt.asIntN(64, …) on both',
    );
  return unsigned || (a.x.type === 'u64' && b.x.type === 'u64') ? 'u64' : 'i64';
}

/** @type {(c: any, op: string, a: any, b: any, place: any) => Value} */
function bigintBinary(c, op, a, b, place) {
  if (!c.isWrapping || '/ % >> < <= > >= **'.split(' ').includes(op))
    for (const v of [a, b]) Whole.expectExact(v, place);
  switch (op) {
    case '+':
    case '-':
    case '*':
      return bigintArithmetic(c, op, a, b, place);
    case '/':
    case '%':
      return bigintQuotient(c, op, a, b, place);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return V.boolean(bigintRelation(c, op, a, b, place));
    case '&':
    case '|':
    case '^':
      return bigintBits(c, op, a, b, place);
    case '<<':
    case '>>':
      return bigintShift(c, op, a, b, place);
    case '**':
      return bigintPower(c, a, b, place);
    default:
      return refuse(place, `bigints have no ${op}`, 'use >> on BigInt.asUintN(64, x)');
  }
}

/** @type {(c: any, op: string, a: any, b: any, place: any) => Value} */
function bigintQuotient(c, op, a, b, place) {
  const type = commonType(c, a, b, place);
  const [x, y] = [E.settle(c, M.convert(a.x, type)), E.settle(c, M.convert(b.x, type))];
  if (b.lo <= 0n && b.hi >= 0n)
    c.throwUnless(M.binary('ne', y, M.constant(type, 0)), place, 'RangeError', ['Division by zero'], []);
  if (op === '%') {
    const most = (b.hi > -b.lo ? b.hi : -b.lo) - 1n;
    return V.bigint(M.binary('rem', x, y), a.lo >= 0n ? 0n : -most, most);
  }
  if (type === 'i64' && a.lo === V.LEAST_I64 && b.lo <= -1n && b.hi >= -1n && !c.isWrapping) {
    const worst = M.and(M.binary('eq', x, M.constant('i64', V.LEAST_I64)), M.binary('eq', y, M.constant('i64', -1)));
    c.throwUnless(M.unary('not', worst), place, 'RangeError', ['a bigint leaves 64 bits'], []);
  }
  const most = a.hi > -a.lo ? a.hi : -a.lo;
  const [least, greatest] = boundsOf(type);
  const lo = a.lo >= 0n && b.lo >= 0n ? 0n : 0n - most;
  return V.bigint(M.binary('div', x, y), lo < least ? least : lo, most > greatest ? greatest : most);
}

/** @type {(c: any, v: any, place: any) => Value} ~v */
function bigintComplement(c, v, place) {
  if (v.hi <= V.MOST_I64) return V.bigint(M.unary('not', M.convert(v.x, 'i64')), BigInt(~v.hi), BigInt(~v.lo));
  const x = E.settle(c, M.convert(v.x, 'i64'));
  if (!c.isWrapping) {
    Whole.expectExact(v, place);
    c.throwUnless(M.binary('ge', x, M.constant('i64', 0)), place, 'RangeError', [LEAVES], []);
  }
  return V.bigint(M.unary('not', x));
}

/**
 * On two's complement of any length; 64 bits do where both fit.
 *
 * @type {(c: any, op: '&' | '|' | '^', a: any, b: any, place: any) => Value}
 */
function bigintBits(c, op, a, b, place) {
  const unsigned = a.hi > V.MOST_I64 || b.hi > V.MOST_I64;
  const negative = a.lo < 0n || b.lo < 0n;
  const name = { '&': 'and', '|': 'or', '^': 'xor' }[op];
  // A mask that is not negative makes the result so, whatever the other operand.
  const type = unsigned && (!negative || op === '&') ? 'u64' : 'i64';
  let [p, q] = [M.convert(a.x, type), M.convert(b.x, type)];
  if (op === '^' && unsigned && negative && !c.isWrapping) {
    [p, q] = [E.settle(c, p), E.settle(c, q)];
    // What is above 2^63 and what is below 0 differ in the bit of the sign, which is at 2^64 then.
    const [below, above] = a.lo < 0n ? [p, q] : [q, p];
    const isBelow = (/** @type {Expression} */ x) => M.binary('lt', x, M.constant('i64', 0));
    c.throwUnless(M.unary('not', M.and(isBelow(below), isBelow(above))), place, 'RangeError', [LEAVES], []);
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

/** @type {(c: any, op: '<<' | '>>', a: any, b: any, place: any) => Value} */
function bigintShift(c, op, a, b, place) {
  if (b.lo < 0n)
    return require('./calls.js').library(c, op === '<<' ? 'bigintLeft' : 'bigintRight', [a, b], { place, args: [] });
  const type = a.x.type;
  const by = M.convert(b.x, type);
  if (op === '>>') return V.bigint({ op: 'shr', type, args: [a.x, by] }, a.lo < 0n ? a.lo : 0n, a.hi > 0n ? a.hi : 0n);
  const shifted = { op: 'shl', type, args: [a.x, by] };
  const [least, most] = boundsOf(type);
  if (b.hi < 64n && a.lo << b.hi >= least && a.hi << b.hi <= most)
    return V.bigint(shifted, a.lo < 0n ? a.lo << b.hi : a.lo, a.hi > 0n ? a.hi << b.hi : a.hi);
  if (c.isWrapping) return V.bigint(shifted);
  const x = E.settle(c, a.x);
  const n = E.settle(c, by);
  const back = M.binary('eq', { op: 'shr', type, args: [{ op: 'shl', type, args: [x, n] }, n] }, x);
  const fits = M.or(
    M.and(M.binary('lt', n, M.constant(/** @type {any} */ (type), 64)), back),
    M.binary('eq', x, M.constant(/** @type {any} */ (type), 0)),
  );
  c.throwUnless(fits, place, 'RangeError', [LEAVES], []);
  return V.bigint({ op: 'shl', type, args: [x, n] });
}

/** @type {(c: any, a: any, b: any, place: any) => Value} by multiplications, where the exponent is constant */
function bigintPower(c, a, b, place) {
  if (b.lo !== b.hi || b.lo < 0n || b.lo > 64n)
    return require('./calls.js').library(c, 'bigintPower', [a, b], { place, args: [] });
  let result = V.bigintConstant(1n);
  for (let i = 0n; i < b.lo; i++) result = /** @type {any} */ (bigintArithmetic(c, '*', result, a, place));
  return result;
}

/**
 * Relations and == of a bigint with a bigint or a number.
 *
 * @type {(c: any, op: string, a: any, b: any, place: any) => Expression}
 */
function bigintRelation(c, op, a, b, place) {
  if (a.kind !== 'bigint' || b.kind !== 'bigint') return mixedRelation(c, op, a, b, place);
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

/** @type {(c: any, op: string, a: any, b: any, place: any) => Expression} */
function mixedRelation(c, op, a, b, place) {
  const [big, other] = a.kind === 'bigint' ? [a, b] : [b, a];
  Whole.expectExact(big, place);
  const number = X.toNumber(c, other, place);
  if (N.isIntegerOrNegativeZero(number.type)) {
    const whole = wholeNumber(number);
    return a.kind === 'bigint' ? bigintRelation(c, op, a, whole, place) : bigintRelation(c, op, whole, b, place);
  }
  const swapped = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }[op] ?? op;
  return withDouble(a.kind === 'bigint' ? op : swapped, big, E.settle(c, O.asDouble(number), 'x'));
}

/**
 * A bigint against a double: an integer against it rounded to where the answer is the same.
 *
 * @type {(op: string, big: any, x: Expression) => Expression}
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

/** @type {(c: any, e: any) => Value} BigInt.asIntN and asUintN, in whose argument sums and products wrap */
function wrapBigInt(c, e) {
  const bits = X.evaluate(c, e.args[0]);
  const n = bits.kind === 'number' && bits.type.lo === bits.type.hi ? bits.type.lo : -1;
  if (!Number.isInteger(n) || n < 0 || n > 64)
    return refuse(e.args[0].place, 'the number of bits must be a constant from 0 to 64', '');
  const isSigned = e.name === 'BigInt.asIntN';
  const value = X.wrapping(c, e.args[1]);
  if (value.kind !== 'bigint') return refuse(e.args[1].place, `${V.describe(value)} is no bigint`, 'write BigInt(x)');
  return truncateBigInt(value, BigInt(n), isSigned);
}

/** @type {(value: any, n: bigint, isSigned: boolean) => Value} */
function truncateBigInt(value, n, isSigned) {
  if (n === 0n) return V.bigintConstant(0n);
  const least = isSigned ? -(2n ** (n - 1n)) : 0n;
  const most = isSigned ? 2n ** (n - 1n) - 1n : 2n ** n - 1n;
  const type = isSigned || most <= V.MOST_I64 ? 'i64' : 'u64';
  if (value.lo >= least && value.hi <= most && value.exact !== false)
    return V.bigint(M.convert(value.x, type), value.lo, value.hi);
  const x = M.convert(value.x, type);
  if (n === 64n) return V.bigint(x, least, most);
  if (!isSigned) return V.bigint({ op: 'and', type, args: [x, M.constant(type, most)] }, least, most);
  const by = M.constant('i64', 64n - n);
  return V.bigint({ op: 'shr', type: 'i64', args: [{ op: 'shl', type: 'i64', args: [x, by] }, by] }, least, most);
}

// --- all of them ---

/** @type {(c: any, e: any) => Value} */
function call(c, e) {
  if (e.name === 'BigInt.asIntN' || e.name === 'BigInt.asUintN') return wrapBigInt(c, e);
  const evaluate = e.name === 'Number' || e.name === 'Boolean' ? X.evaluateLoosely : X.evaluate;
  const args = e.args.flatMap((/** @type {any} */ a) =>
    a.kind === 'spread' ? require('./memory.js').spread(c, a) : [evaluate(c, a)],
  );
  return apply(c, e.name, args, e);
}

/** @type {(c: any, name: string, args: Value[], e: any) => Value} */
function apply(c, name, args, e) {
  if (name.startsWith('Math.')) return math(c, name.slice(5), args, e);
  switch (name) {
    case 'arguments.length':
      return V.numberConstant(c.frame.count);
    case 'Number':
      return toNumberCall(c, args, e);
    case 'Boolean':
      return V.boolean(X.toBoolean(c, args[0] ?? V.UNDEFINED, e.place));
    case 'BigInt':
      return toBigInt(c, args[0] ?? V.UNDEFINED, e);
    case 'Object.is':
      return isSameValue(c, args[0] ?? V.UNDEFINED, args[1] ?? V.UNDEFINED, e);
    case 'isNaN':
    case 'isFinite':
    case 'Number.isNaN':
    case 'Number.isFinite':
    case 'Number.isInteger':
    case 'Number.isSafeInteger':
      return test(c, name, args[0] ?? V.UNDEFINED, e);
    case 'Array.isArray':
      if (args[0]?.kind === 'maybe')
        return V.boolean(isList(args[0].object) ? X.toBoolean(c, args[0], e.place) : M.constant('bool', false));
      return V.boolean(M.constant('bool', isList(args[0])));
    case 'ArrayBuffer.isView':
      return V.boolean(M.constant('bool', args[0]?.kind === 'array' && !args[0].isList));
    default:
      return require('./arrays.js').builtin(c, name, args, e);
  }
}

/** @type {(value: any) => boolean} */
function isList(value) {
  return (value?.kind === 'object' && value.isTuple) || (value?.kind === 'array' && value.isList);
}

exports.apply = apply;
exports.bigintArithmetic = bigintArithmetic;
exports.bigintBinary = bigintBinary;
exports.bigintComplement = bigintComplement;
exports.bigintRelation = bigintRelation;
exports.call = call;
exports.looseBigInt = looseBigInt;
exports.power = power;
