/**
 * Elementwise functions of the array-API standard and of NumPy that are made of primitives: floored
 * division, logical operators, the sign bit, other maxima, comparison with a tolerance.
 *
 * The primitives have StableHLO's semantics, which are those of C: `div` and `rem` truncate, `and` works
 * on the bits of integers. What is here rounds down and takes numbers for truth values, as Python does.
 */
'use strict';

const { boolean, expected, finite, integer, readOptions } = require('../base/check.js');
const { alike, constantOf, lift } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { elementwise, float, roundedOnce, rows, single } = require('./elementwise.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {(x: unknown, y: unknown) => Value} Binary */

const { abs, add, and, div, eq, exp, exp2, floor, gt, isNan, le, log1p } = rows;
const { lt, max, min, mul, ne, not, or, rem, roundEven, select, sin, sub, xor } = rows;

/**
 * Two operands in their common dtype, and constants of it.
 *
 * @param {unknown} a
 * @param {unknown} b
 * @param {string} caller
 */
function pair(a, b, caller) {
  const { state, values } = lift([a, b], caller);
  const [x, y] = alike(values, caller);
  const { dtype } = x;
  /** @type {(of: number) => Value} */
  const number = (of) => constantOf(state, of, dtype, String(of), caller);
  return { x, y, number, kind: dtypes[dtype].kind };
}

/** @type {(x: unknown, y: unknown, caller: string) => ReturnType<typeof pair>} */
function floatPair(a, b, caller) {
  const both = pair(a, b, caller);
  if (both.kind !== 'float') expected(caller, 'floats', 'the operands', `${both.x.dtype}`, 'ERR_DTYPE');
  return both;
}

// ------------------------------------------------------------------------------------------ bits

/** @type {Record<number, 'i16' | 'i32' | 'i64'>} */
const SIGNED = { 2: 'i16', 4: 'i32', 8: 'i64' };

/** The bits of floats as signed integers. @type {(x: Value) => Value} */
const bitsOf = (x) => elementwise.bitcast(x, SIGNED[dtypes[x.dtype].bytes]);

/** @type {(x: unknown) => Value} */
function signBit(x) {
  const { value, number } = single(x, 'signBit');
  return dtypes[value.dtype].kind === 'float' ? lt(bitsOf(value), 0) : lt(value, number(0));
}

/** @type {Binary} */
function copySign(a, b) {
  const { x, y } = floatPair(a, b, 'copySign');
  const bits = bitsOf(x);
  const { max: most } = dtypes[bits.dtype];
  const [size, sign] = [and(bits, most), and(bitsOf(y), not(constantLike(bits, most)))];
  return elementwise.bitcast(or(size, sign), x.dtype);
}

/** @type {(like: Value, number: number | bigint) => Value} */
const constantLike = (like, number) =>
  constantOf(lift([like], 'a constant').state, number, like.dtype, String(number), 'a constant');

/**
 * The bits of a float, taken as an integer, count the floats from zero on each side, so the neighbour is
 * one away.
 *
 * @type {Binary}
 */
function nextAfter(a, b) {
  const { x, y, number } = floatPair(a, b, 'nextAfter');
  const bits = bitsOf(x);
  const zero = number(0);
  const away = ne(gt(x, zero), gt(y, x)); // towards zero
  const beside = elementwise.bitcast(select(away, sub(bits, 1), add(bits, 1)), x.dtype);
  const least = elementwise.bitcast(constantLike(bits, 1), x.dtype);
  const moved = select(eq(x, zero), copySign(least, y), beside);
  const stays = select(eq(x, y), y, moved);
  return select(or(isNan(x), isNan(y)), add(x, y), stays);
}

// -------------------------------------------------------------------------------------- division

/**
 * Whether a quotient that was truncated has to go down by one.
 *
 * @type {(rest: Value, y: Value, zero: Value) => Value}
 */
const rounds = (rest, y, zero) => and(ne(rest, zero), ne(lt(rest, zero), lt(y, zero)));

/**
 * The remainder that has the sign of `y`: for floats, adding `y` to one of the other sign rounds once.
 *
 * @type {Binary}
 */
function remainder(a, b) {
  const { x, y, number, kind } = pair(a, b, 'remainder');
  const rest = rem(x, y);
  if (kind === 'uint') return rest;
  const zero = number(0);
  const other = rounds(rest, y, zero);
  // By 0 an integer has itself as remainder.
  if (kind !== 'float') return select(and(other, ne(y, zero)), add(rest, y), rest);
  return select(other, add(rest, y), select(eq(rest, zero), copySign(rest, y), rest));
}

/**
 * The quotient rounded down. The rounded quotient of floats may have reached the next whole number
 * already, so it is made from the exact remainder instead; what is left of a fraction then is an error.
 *
 * @type {Binary}
 */
function floorDivide(a, b) {
  const { x, y, number, kind } = pair(a, b, 'floorDivide');
  const quotient = div(x, y);
  if (kind === 'uint') return quotient;
  const [zero, one] = [number(0), number(1)];
  const rest = rem(x, y);
  const down = rounds(rest, y, zero);
  if (kind !== 'float') return select(and(down, ne(y, zero)), sub(quotient, one), quotient);
  const whole = div(sub(x, rest), y);
  const lower = select(down, sub(whole, one), whole);
  const below = floor(lower);
  const nearest = select(gt(sub(lower, below), number(0.5)), add(below, one), below);
  const signed = select(eq(nearest, zero), copySign(zero, quotient), nearest);
  return select(eq(y, zero), quotient, signed);
}

// ---------------------------------------------------------------------------------- truth values

/** @type {(x: Value) => Value} */
const truth = (x) => (x.dtype === 'bool' ? x : ne(x, 0));

/** @type {(op: Binary, caller: string) => Binary} */
const logical = (op, caller) => (a, b) => {
  const [x, y] = lift([a, b], caller).values;
  return op(truth(x), truth(y));
};

/** @type {(x: unknown) => Value} */
const logicalNot = (x) => not(truth(single(x, 'logicalNot').value));

const tolerances = { relative: finite, absolute: finite, equalNan: boolean };

/**
 * |x - y| ≤ absolute + relative · |y|, as numpy.isclose has it.
 *
 * @type {(x: unknown, y: unknown, options?: unknown) => Value}
 */
function isClose(a, b, options) {
  const { relative = 1e-5, absolute = 1e-8, equalNan = false } = readOptions('isClose', options, tolerances);
  const { x, y, number, kind } = pair(a, b, 'isClose');
  if (kind !== 'float') return isClose(elementwise.convert(x, 'f64'), elementwise.convert(y, 'f64'), options);
  const near = le(abs(sub(x, y)), add(number(absolute), mul(number(relative), abs(y))));
  const result = or(eq(x, y), and(near, rows.isFinite(y)));
  return equalNan ? or(result, and(isNan(x), isNan(y))) : result;
}

// ------------------------------------------------------------------------------ other elementwise

/** The other operand where one is NaN. @type {(op: Binary, caller: string) => Binary} */
const ignoringNan = (op, caller) => (a, b) => {
  const { x, y, kind } = pair(a, b, caller);
  if (kind !== 'float') return op(x, y);
  return select(isNan(x), y, select(isNan(y), x, op(x, y)));
};

/**
 * The logarithm of a sum of powers, which do not overflow on the way.
 *
 * @type {(caller: string, power: (x: Value) => Value, log: (x: Value) => Value) => Binary}
 */
const logAdd = (caller, power, log) => (a, b) => {
  const { x, y, number } = floatPair(a, b, caller);
  const apart = select(eq(x, y), number(0), abs(sub(x, y))); // of equal infinities too
  return add(max(x, y), log(power(rows.neg(apart))));
};

/** @type {(x: Value) => Value} */
const log2of1p = (x) => mul(log1p(x), Math.LOG2E);

/** @type {(x: unknown, y: unknown) => Value} */
function heaviside(a, b) {
  const { x, y, number } = floatPair(a, b, 'heaviside');
  const step = select(gt(x, number(0)), number(1), number(0));
  return select(isNan(x), x, select(eq(x, number(0)), y, step));
}

/** sin(πx) / (πx), 1 at 0. @type {(x: unknown) => Value} */
function sinc(x) {
  const { value, number } = float(x, 'sinc');
  const angle = mul(value, number(Math.PI));
  return select(eq(value, number(0)), number(1), div(sin(angle), angle));
}

/** @type {(factor: number, caller: string) => (x: unknown) => Value} */
const scaled = (factor, caller) => (x) => {
  const { value, number } = float(x, caller);
  return mul(value, number(factor));
};

/** @type {(x: unknown, options?: unknown) => Value} */
function round(x, options) {
  const { decimals = 0 } = readOptions('round', options, { decimals: integer(-300, 300) });
  const { value } = single(x, 'round');
  if (dtypes[value.dtype].kind !== 'float') {
    if (decimals < 0) expected('round', 'floats, to round to tens and hundreds', 'the operand', x, 'ERR_DTYPE');
    return value;
  }
  if (decimals === 0) return roundEven(value);
  const { number } = float(x, 'round');
  const power = number(10 ** Math.abs(decimals));
  if (decimals < 0) return mul(roundEven(div(value, power)), power);
  const whole = div(roundEven(mul(value, power)), power);
  return select(rows.isFinite(whole), whole, value); // beyond what fractions there are
}

const replacements = { nan: finite, posInf: finite, negInf: finite };

/** @type {(x: unknown, options?: unknown) => Value} */
function nanToNum(x, options) {
  const { nan = 0, posInf, negInf } = readOptions('nanToNum', options, replacements);
  const { value, number } = single(x, 'nanToNum');
  if (dtypes[value.dtype].kind !== 'float') return value;
  const { max: greatest } = FINITE[value.dtype];
  const high = select(eq(value, number(Infinity)), number(posInf ?? greatest), value);
  const low = select(eq(value, number(-Infinity)), number(negInf ?? -greatest), high);
  return select(isNan(value), number(nan), low);
}

/** The greatest finite numbers. @type {Record<string, { max: number }>} */
const FINITE = {
  f16: { max: 65504 },
  bf16: { max: (2 - 2 ** -7) * 2 ** 127 },
  f32: { max: (2 - 2 ** -23) * 2 ** 127 },
  f64: { max: Number.MAX_VALUE },
};

/** x + weight · (y - x). @type {(x: unknown, y: unknown, weight: unknown) => Value} */
function lerp(a, b, weight) {
  const { values } = lift([a, b, weight], 'lerp');
  return add(values[0], mul(values[2], sub(values[1], values[0])));
}

/** @type {(x: unknown) => Value} */
function logit(x) {
  const { value, number } = float(x, 'logit');
  return rows.log(div(value, sub(number(1), value)));
}

/** Coefficients from the highest power down, by Horner's rule. @type {(x: unknown, coefficients: unknown) => Value} */
function polyval(x, coefficients) {
  const { value, number } = single(x, 'polyval');
  if (!Array.isArray(coefficients) || coefficients.length === 0) {
    return expected(
      'polyval',
      'an array of numbers or Values, the highest power first,',
      'the coefficients',
      coefficients,
    );
  }
  const zero = mul(value, number(0));
  return coefficients.reduce((sum, each, i) => (i === 0 ? add(zero, each) : add(mul(sum, value), each)), zero);
}

/** Every operation here that becomes a method and a function, by name. */
const arithmetic = {
  copySign,
  degrees: scaled(180 / Math.PI, 'degrees'),
  floorDivide,
  fmax: ignoringNan(max, 'fmax'),
  fmin: ignoringNan(min, 'fmin'),
  heaviside,
  isClose,
  lerp,
  logAddExp: logAdd('logAddExp', exp, log1p),
  logAddExp2: logAdd('logAddExp2', exp2, log2of1p),
  logicalAnd: logical(and, 'logicalAnd'),
  logicalNot,
  logicalOr: logical(or, 'logicalOr'),
  logicalXor: logical(xor, 'logicalXor'),
  logit,
  nanToNum,
  nextAfter,
  polyval,
  radians: scaled(Math.PI / 180, 'radians'),
  remainder,
  round,
  signBit,
  sinc: roundedOnce(sinc),
};

module.exports = { arithmetic };
