/**
 * Expressions of machine types (index.js): how they are made, and what is known at once.
 *
 * Constants are folded where the result is certain and the code that follows would otherwise be written for nothing;
 * LLVM does the rest. Operators are those of Loop IR, so integers wrap.
 */
'use strict';

/** @typedef {import('./index.js').Expression} Expression */
/** @typedef {import('./index.js').Scalar} Scalar */
/** @typedef {import('./index.js').Local} Local */

const { cyclesOf } = require('./operators.js');

const INTEGERS = new Set(['i64', 'i32', 'u64', 'u32']);
/** What takes so long is not evaluated for nothing, nor what reads memory or chooses what to evaluate. */
const LONG = 4;
const CHOOSING = new Set(['load', 'choose', 'andalso', 'orelse']);

/** @type {(type: Scalar, value: number | bigint | boolean) => Expression} */
function constant(type, value) {
  if (INTEGERS.has(type)) return { op: 'const', type, value: BigInt(/** @type {number} */ (value)), args: [] };
  return { op: 'const', type, value: type === 'bool' ? Boolean(value) : Number(value), args: [] };
}

/** @type {(type: import('./index.js').Type) => Expression} what a local is that nobody has set */
function zero(type) {
  if (type.endsWith('*')) return { op: 'nowhere', type, args: [] };
  return constant(/** @type {Scalar} */ (type), 0);
}

/** @type {(local: Local) => Expression} */
function read(local) {
  return { op: 'local', type: local.type, local, args: [] };
}

/** @type {(e: Expression) => boolean} whether it stays what it is whatever happens */
function isStable(e) {
  return e.op === 'const' || (e.op === 'local' && !e.local.isSet);
}

/** @type {(e: Expression) => any} the value of a constant, undefined for others */
function valueOf(e) {
  return e.op === 'const' ? e.value : undefined;
}

/** @type {(type: string, value: bigint) => bigint} */
function wrapTo(type, value) {
  const bits = type.endsWith('64') ? 64 : 32;
  return type[0] === 'u' ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
}

/** @type {Record<string, (a: any, b: any) => any>} */
const FOLDS = { add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b };
/** @type {Record<string, (a: any, b: any) => boolean>} */
const COMPARES = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

/** @type {(name: string, a: Expression, b: Expression) => Expression | null} */
function foldBinary(name, a, b) {
  const [x, y] = [valueOf(a), valueOf(b)];
  if (name in COMPARES && x !== undefined && y !== undefined) return constant('bool', COMPARES[name](x, y));
  if (!INTEGERS.has(a.type)) return null;
  if (name in FOLDS && x !== undefined && y !== undefined)
    return constant(/** @type {Scalar} */ (a.type), wrapTo(a.type, FOLDS[name](x, y)));
  if ((name === 'add' || name === 'sub') && y === 0n) return a;
  if (name === 'add' && x === 0n) return b;
  if (name === 'mul' && y === 1n) return a;
  if (name === 'mul' && x === 1n) return b;
  return null;
}

/**
 * An operator on two of one type that gives that type, or a comparison.
 *
 * @type {(name: string, a: Expression, b: Expression) => Expression}
 */
function binary(name, a, b) {
  if (a.type !== b.type) throw new Error(`${name} of ${a.type} and ${b.type}`);
  return foldBinary(name, a, b) ?? { op: name, type: name in COMPARES ? 'bool' : a.type, args: [a, b] };
}

/** @type {(name: string, a: Expression) => Expression} */
function unary(name, a) {
  if (name === 'not' && a.type === 'bool') {
    if (a.op === 'const') return constant('bool', !a.value);
    if (a.op === 'not') return a.args[0];
  }
  return { op: name, type: name === 'is_nan' || name === 'is_finite' ? 'bool' : a.type, args: [a] };
}

/**
 * The value in another type; integers wrap, floats to integers saturate.
 *
 * @type {(e: Expression, type: Scalar) => Expression}
 */
function convert(e, type) {
  if (e.type === type) return e;
  if (e.op === 'const') {
    if (INTEGERS.has(e.type) && INTEGERS.has(type)) return constant(type, wrapTo(type, e.value));
    if (INTEGERS.has(e.type) || e.type === 'bool') {
      if (type === 'f64') return constant(type, Number(e.value));
      if (type === 'f32' && Math.fround(Number(e.value)) === Number(e.value)) return constant(type, Number(e.value));
      if (e.type === 'bool') return constant(type, Number(e.value));
    }
    if (e.type === 'f32' && type === 'f64') return constant(type, e.value);
    if (e.type === 'f64' && type === 'f32') return constant(type, Math.fround(e.value));
    if (INTEGERS.has(type) && Number.isSafeInteger(e.value) && wrapTo(type, BigInt(e.value)) === BigInt(e.value))
      return constant(type, e.value);
  }
  return { op: 'convert', type, args: [e] };
}

/** @type {(test: Expression, a: Expression, b: Expression) => Expression} */
function select(test, a, b) {
  if (test.op === 'const') return test.value ? a : b;
  return { op: 'select', type: a.type, args: [test, a, b] };
}

/** @type {(a: Expression, b: Expression) => Expression} of bools, both evaluated */
function and(a, b) {
  if (a.op === 'const') return a.value ? b : a;
  if (b.op === 'const') return b.value ? a : b;
  return { op: 'and', type: a.type, args: [a, b] };
}

/** @type {(a: Expression, b: Expression) => Expression} of bools, both evaluated */
function or(a, b) {
  if (a.op === 'const') return a.value ? a : b;
  if (b.op === 'const') return b.value ? b : a;
  return { op: 'or', type: a.type, args: [a, b] };
}

/** @type {(e: Expression, type: Scalar) => Expression} ECMAScript's modular conversion */
function wrap(e, type) {
  if (e.op === 'const' && e.type === 'f64') {
    const whole = Number.isFinite(e.value) ? BigInt(Math.trunc(e.value)) : 0n;
    return constant(type, wrapTo(type, whole));
  }
  return { op: 'wrap', type, args: [e] };
}

/**
 * Whether evaluating it twice, or for nothing, costs about nothing.
 *
 * @type {(e: Expression, budget?: { left: number }) => boolean}
 */
function isCheap(e, budget = { left: 12 }) {
  if (CHOOSING.has(e.op) || cyclesOf(e.op) >= LONG || --budget.left < 0) return false;
  return e.args.every((/** @type {Expression} */ a) => isCheap(a, budget));
}

module.exports = { and, binary, constant, convert, isCheap, isStable, or, read, select, unary, valueOf, wrap, zero };
