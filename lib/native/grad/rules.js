/**
 * The derivative of each operator of TIR: how a change of an operand changes the result.
 *
 * A rule gives, for each operand, a linear map: from what the derivative is multiplied by, an f64, to the product.
 * Reverse mode applies it to the adjoint of the result, forward mode to the tangent of the operand. `r` is the result,
 * which exp, sqrt and others have as part of their derivative. Sources: Abramowitz and Stegun, 3.3, 4.1 to 4.6; where a
 * formula overflows or cancels and another does not, the other.
 *
 * At kinks one of the derivatives from the left and right, or between, is chosen: abs at 0 has 0, min and max of equal
 * numbers have that of their first operand, hypot at the origin has 0, what rounds has 0 everywhere, and `x ** y` with
 * x = 0 has 0 for y.
 */
'use strict';

const M = require('../tir/machine.js');
const { cyclesOf, functionOf } = require('../tir/operators.js');

/** @typedef {import('../tir/index.js').Expression} Expression */
/** From a factor to the product. @typedef {(s: Expression) => Expression} Linear */
/** null: the operand does not matter. @typedef {(args: Expression[], r: Expression) => (Linear | null)[]} Rule */

/** @type {(value: number) => Expression} */
const num = (value) => M.constant('f64', value);
/** @type {(a: Expression, b: Expression) => Expression} */
const add = (a, b) => M.binary('add', a, b);
/** @type {(a: Expression, b: Expression) => Expression} */
const sub = (a, b) => M.binary('sub', a, b);
/** @type {(a: Expression, b: Expression) => Expression} */
const div = (a, b) => M.binary('div', a, b);
/** @type {(name: string, ...args: Expression[]) => Expression} */
const call = (name, ...args) => ({ op: name, type: 'f64', args });
/** @type {(a: Expression) => Expression} */
const neg = (a) => (a.op === 'const' ? num(-a.value) : a.op === 'neg' ? a.args[0] : M.unary('neg', a));
/** @type {(a: Expression) => Expression} */
const sqrt = (a) => M.unary('sqrt', a);
/** @type {(a: Expression, b: Expression) => Expression} */
const isAt = (a, b) => M.binary('eq', a, b);

/** @type {(a: Expression, b: Expression) => Expression} a product, simpler where a factor is 1 or both are known */
function mul(a, b) {
  if (a.op === 'const' && a.value === 1) return b;
  if (b.op === 'const' && b.value === 1) return a;
  if (a.op === 'const' && b.op === 'const') return num(a.value * b.value);
  return M.binary('mul', a, b);
}

const ZERO = num(0);
const ONE = num(1);

/** @type {Linear} */
const same = (s) => s;

/** @type {(factor: Expression) => Linear} */
const times = (factor) => (s) => mul(s, factor);

/** @type {(x: Expression, y: Expression, r: Expression) => (Linear | null)[]} of x ** y, r the result */
function powRule(x, y, r) {
  const atZero = isAt(y, ZERO);
  /** @type {Linear} */
  let byX = (s) => M.select(atZero, ZERO, mul(s, mul(y, call('pow', x, sub(y, ONE)))));
  if (y.op === 'const') {
    if (y.value === 0) byX = () => ZERO;
    else if (y.value === 1) byX = same;
    else if (y.value === 2) byX = (s) => mul(s, mul(num(2), x));
    else if (y.value === 3) byX = (s) => mul(s, mul(num(3), mul(x, x)));
    else byX = (s) => mul(s, mul(y, call('pow', x, num(y.value - 1))));
  }
  return [byX, (s) => M.select(isAt(x, ZERO), ZERO, mul(s, mul(r, call('log', x))))];
}

/** @type {(test: Expression) => [Linear, Linear]} the first if it holds, else the second */
const either = (test) => [(s) => M.select(test, s, ZERO), (s) => M.select(test, ZERO, s)];

/** @type {Rule} of the root of a sum of squares */
const hypotRule = (args, r) => args.map((a) => (s) => M.select(isAt(r, ZERO), ZERO, mul(s, div(a, r))));

/** @type {Record<string, Rule>} */
const RULES = {
  neg: () => [neg],
  add: () => [same, same],
  sub: () => [same, neg],
  mul: ([a, b]) => [times(b), times(a)],
  div: ([, b], r) => [(s) => div(s, b), (s) => neg(mul(div(s, b), r))],
  // x % y is x - y · n for the whole number n = (x - r) / y.
  rem: ([a, b], r) => [same, (s) => neg(mul(s, M.unary('round_even', div(sub(a, r), b))))],
  fma: ([a, b]) => [times(b), times(a), same],
  abs: ([a]) => [times(M.unary('sign', a))],
  min: ([a, b]) => either(M.binary('le', a, b)),
  max: ([a, b]) => either(M.binary('ge', a, b)),
  select: ([test]) => [null, ...either(test)],
  convert: () => [same],
  sqrt: (_, r) => [(s) => div(mul(num(0.5), s), r)],
  cbrt: (_, r) => [(s) => div(s, mul(num(3), mul(r, r)))],
  exp: (_, r) => [times(r)],
  exp2: (_, r) => [(s) => mul(s, mul(r, num(Math.LN2)))],
  expm1: ([a]) => [(s) => mul(s, call('exp', a))],
  log: ([a]) => [(s) => div(s, a)],
  log2: ([a]) => [(s) => div(s, mul(a, num(Math.LN2)))],
  log10: ([a]) => [(s) => div(s, mul(a, num(Math.LN10)))],
  log1p: ([a]) => [(s) => div(s, add(ONE, a))],
  sin: ([a]) => [(s) => mul(s, call('cos', a))],
  cos: ([a]) => [(s) => neg(mul(s, call('sin', a)))],
  tan: (_, r) => [times(add(ONE, mul(r, r)))],
  asin: ([a]) => [(s) => div(s, sqrt(mul(sub(ONE, a), add(ONE, a))))],
  acos: ([a]) => [(s) => neg(div(s, sqrt(mul(sub(ONE, a), add(ONE, a)))))],
  atan: ([a]) => [(s) => div(s, add(ONE, mul(a, a)))],
  sinh: ([a]) => [(s) => mul(s, call('cosh', a))],
  cosh: ([a]) => [(s) => mul(s, call('sinh', a))],
  tanh: (_, r) => [times(mul(sub(ONE, r), add(ONE, r)))],
  asinh: ([a]) => [(s) => div(s, call('hypot', a, ONE))],
  acosh: ([a]) => [(s) => div(s, mul(sqrt(sub(a, ONE)), sqrt(add(a, ONE))))],
  atanh: ([a]) => [(s) => div(s, mul(sub(ONE, a), add(ONE, a)))],
  pow: ([x, y], r) => powRule(x, y, r),
  atan2: ([y, x]) => {
    const h = call('hypot', y, x);
    return [(s) => div(mul(s, div(x, h)), h), (s) => neg(div(mul(s, div(y, h)), h))];
  },
  hypot: hypotRule,
  js_hypot: hypotRule,
};

/** Cycles from which on a result is kept in loops, not computed again. */
const COSTLY = 6;

/** @type {(op: string) => Rule | undefined} */
function ruleOf(op) {
  const name = functionOf(op)?.name ?? op;
  return Object.hasOwn(RULES, name) ? RULES[name] : undefined;
}

/** @type {(op: string) => boolean} */
const isCostly = (op) => cyclesOf(op) >= COSTLY;

module.exports = { add, isCostly, mul, ruleOf };
