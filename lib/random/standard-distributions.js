/**
 * Distributions in their standard form, each element from bits of its own: by Box and Muller, or by the inverse of the
 * distribution function.
 */
'use strict';

const { elementwise, rows } = require('../ops/elementwise.js');
const { rngBits } = require('../ops/rng.js');
const { bitsFor, constant, halves, openUnit, other, unit, widthOf } = require('./bits.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../tensor/dtypes.js').DType} DType */

const { abs, add, cos, log, log1p, mul, neg, shr, sign, sqrt, sub, tan } = rows;
const { convert } = elementwise;

/**
 * Standard normal by Box and Muller (1958), one number of each pair: the radius has 32 or 53 bits, so that
 * tails reach 6.6 and 8.5 deviations.
 *
 * @type {(from: Value, shape: unknown, dtype: DType) => Value}
 */
function standardNormal(from, shape, dtype) {
  const wide = widthOf(dtype) === 'f64';
  const bits = rngBits(from, shape, { dtype: 'u64' });
  const [upper, lower] = wide ? [shr(bits, 11), undefined] : halves(bits);
  const float = convert(upper, widthOf(dtype));
  const radius = mul(add(float, constant(float, 1)), constant(float, 2 ** (wide ? -53 : -32)));
  const angle = unit(lower ?? rngBits(other(from), shape, { dtype: 'u64' }));
  return mul(sqrt(mul(constant(float, -2), log(radius))), cos(mul(angle, constant(float, 2 * Math.PI))));
}

/**
 * Of (0, 1) to a standard distribution by the inverse of its distribution function.
 *
 * @type {Record<string, (u: Value) => Value>}
 */
const inverses = {
  cauchy: (u) => tan(mul(sub(u, constant(u, 0.5)), constant(u, Math.PI))),
  gumbel: (u) => neg(log(neg(log(u)))),
  laplace: (u) => {
    const both = sub(mul(u, constant(u, 2)), constant(u, 1));
    return mul(sign(both), neg(log1p(neg(abs(both)))));
  },
  logistic: (u) => sub(log(u), log1p(neg(u))),
  rayleigh: (u) => sqrt(mul(constant(u, -2), log(u))),
};

/** @type {Record<string, (from: Value, shape: unknown, dtype: DType) => Value>} */
const standard = {
  normal: standardNormal,
  exponential: (from, shape, dtype) => neg(log1p(neg(unit(bitsFor(from, shape, dtype))))),
};
for (const [name, inverse] of Object.entries(inverses)) {
  standard[name] = (from, shape, dtype) => inverse(openUnit(bitsFor(from, shape, dtype)));
}

module.exports = { standard, standardNormal };
