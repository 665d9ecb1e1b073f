/**
 * The functions of Math, on numbers.
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
const { toNumber } = require('./conversions.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./values.js').NumberValue} NumberValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').CallSite} CallSite */

const { NumberValue } = V;

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
  return new NumberValue(N.integer(0, 32, 32), () => M.convert(bits(), 'i32'));
}

/** @type {(name: string, args: Value[], e: CallSite) => NumberValue} `Math[name](...args)` */
function math(name, args, e) {
  const n = (/** @type {number} */ i) => toNumber(args[i] ?? V.UNDEFINED, e.args[i]?.place ?? e.place);
  const all = () => args.map((v, i) => toNumber(v, e.args[i]?.place ?? e.place));
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

module.exports = { math, power };
