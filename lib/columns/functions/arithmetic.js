/**
 * Arithmetic. Integers stay within their type: they wrap, or the option `overflow` says what else. Decimals are in
 * decimal.js.
 */
'use strict';

const { scalarRange } = require('../types/representation.js');
const dates = require('./dates-arithmetic.js');
const decimal = require('./decimal.js');
const { overload, row } = require('./signature.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('./signature.js').Build} Build */

/** Whether the sign bits of all are set where the result has left the type. @type {Record<string, (c: Context, a: Node, b: Node, r: Node, type: DataType) => Node>} */
const overflows = {
  add: ({ dag }, a, b, r, { signed }) =>
    signed ? negative(dag, dag.op('and', [dag.op('xor', [a, r]), dag.op('xor', [b, r])])) : dag.compare('lt', r, a),
  sub: ({ dag }, a, b, r, { signed }) =>
    signed ? negative(dag, dag.op('and', [dag.op('xor', [a, b]), dag.op('xor', [a, r])])) : dag.compare('lt', a, b),
  mul: ({ dag }, a, b, r, type) => {
    if (type.bits < 64) {
      const wide = type.signed ? 'i64' : 'u64';
      const product = dag.op('mul', [dag.convert(a, wide), dag.convert(b, wide)]);
      return dag.compare('ne', product, dag.convert(r, wide));
    }
    const zero = dag.constant(0n, r.rep);
    const back = dag.compare('ne', dag.op('div', [r, b]), a);
    if (!type.signed) return dag.and(dag.compare('ne', b, zero), back);
    return dag.and(dag.compare('ne', b, zero), dag.or(back, dag.and(dag.compare('eq', b, dag.constant(-1n, 'i64')), isLeast(dag, a, type))));
  },
};

/** @type {(dag: import('../kernel/dag.js').Dag, value: Node) => Node} */
const negative = (dag, value) => dag.compare('lt', value, dag.constant(0n, value.rep));

/** @type {(dag: import('../kernel/dag.js').Dag, value: Node, type: DataType) => Node} whether it has no counterpart above 0 */
const isLeast = (dag, value, type) => dag.compare('eq', value, dag.constant(scalarRange(type)[0], value.rep));

/** An op of Loop IR whose result may leave an integer type. @type {(name: 'add' | 'sub' | 'mul') => Build} */
const wrapping = (name) => (c, [a, b], { result }) => {
  const value = c.dag.op(name, [a, b]);
  if (result.kind === 'int' && c.policy('overflow') !== 'wrap') {
    c.fault(overflows[name](c, a, b, value, result), 'overflow', `${result.text} overflow`);
  }
  return value;
};

/** A quotient or remainder of integers. @type {(name: 'div' | 'rem') => Build} */
const dividing = (name) => (c, [a, b], { result }) => {
  const { dag } = c;
  if (result.kind === 'int') {
    c.fault(dag.compare('eq', b, dag.constant(0n, b.rep)), 'divisionByZero', 'division by zero');
    if (name === 'div' && result.signed && c.policy('overflow') !== 'wrap') {
      c.fault(dag.and(isLeast(dag, a, result), dag.compare('eq', b, dag.constant(-1n, b.rep))), 'overflow', `${result.text} overflow`);
    }
  }
  return dag.op(name, [a, b]);
};

/** @type {Build} rounds towards minus infinity, as Python's */
const floorDivide = (c, [a, b], info) => {
  const { dag } = c;
  const quotient = dividing('div')(c, [a, b], info);
  if (info.result.kind === 'float') return dag.op('floor', [/** @type {Node} */ (quotient)]);
  if (!info.result.signed) return quotient;
  const zero = dag.constant(0n, a.rep);
  const rest = dag.op('rem', [a, b]);
  const down = dag.and(dag.compare('ne', rest, zero), dag.compare('ne', dag.compare('lt', rest, zero), dag.compare('lt', b, zero)));
  return dag.op('sub', [/** @type {Node} */ (quotient), dag.select(down, dag.constant(1n, a.rep), zero)]);
};

/** @type {Build} as Gandiva's: the divisor is added where the remainder or it is negative */
const positiveModulo = (c, [a, b], info) => {
  const { dag } = c;
  const rest = /** @type {Node} */ (dividing('rem')(c, [a, b], info));
  if (info.result.kind === 'int' && !info.result.signed) return rest;
  const zero = dag.constant(0, a.rep);
  const isAdded = dag.or(dag.compare('lt', rest, zero), dag.compare('lt', b, zero));
  const raised = dag.op('add', [rest, b]);
  if (info.result.kind === 'int' && c.policy('overflow') !== 'wrap') {
    c.fault(dag.and(isAdded, overflows.add(c, rest, b, raised, info.result)), 'overflow', `${info.result.text} overflow`);
  }
  return dag.select(isAdded, raised, rest);
};

/** @type {(name: 'neg' | 'abs') => Build} */
const unary = (name) => (c, [a], { result }) => {
  const { dag } = c;
  const { kind, signed, text } = result;
  if (kind === 'float' || (signed && c.policy('overflow') === 'wrap')) return dag.op(name, [a]);
  if (!signed && name === 'abs') return a;
  const zero = dag.constant(0n, a.rep);
  if (c.policy('overflow') !== 'wrap') c.fault(signed ? isLeast(dag, a, result) : dag.compare('ne', a, zero), 'overflow', `${text} overflow`);
  return signed ? dag.op(name, [a]) : dag.op('sub', [zero, a]);
};

/** Overloads for integers and floats of one type. @type {(build: Build) => import('./signature.js').Overload[]} */
const ofNumbers = (build) => [overload('(real A, real A) → A', build)];
/** @type {(build: Build) => import('./signature.js').Overload[]} */
const ofNumber = (build) => [overload('(real) → ?', build, ([type]) => type)];

module.exports = {
  unary,
  ofNumber,
  rows: [
    row('arithmetic', 'add', 'sum', [...ofNumbers(wrapping('add')), decimal.two.add, ...dates.plus]),
    row('arithmetic', 'subtract', 'difference', [...ofNumbers(wrapping('sub')), decimal.two.subtract, ...dates.minus]),
    row('arithmetic', 'multiply', 'product', [...ofNumbers(wrapping('mul')), decimal.two.multiply, ...dates.times]),
    row('arithmetic', 'divide', 'quotient, of integers as a float64', [
      overload('(float A, float A) → A', (c, [a, b]) => c.dag.op('div', [a, b])),
      decimal.two.divide,
      overload('(float64, float64) → float64', (c, [a, b]) => c.dag.op('div', [a, b])),
    ]),
    row('arithmetic', 'div', 'quotient of integers, cut off at the point', ofNumbers((c, args, info) => {
      const quotient = /** @type {Node} */ (dividing('div')(c, args, info));
      return info.result.kind === 'float' ? c.dag.op('trunc', [quotient]) : quotient;
    })),
    row('arithmetic', 'floor_divide', 'greatest integer that is not above the quotient', ofNumbers(floorDivide)),
    row('arithmetic', 'mod modulo', 'remainder with the sign of the dividend', [...ofNumbers(dividing('rem')), decimal.two.mod]),
    row('arithmetic', 'pmod', 'remainder that is not negative if the divisor is positive; pmod(1, -1) is -1, as in Gandiva', ofNumbers(positiveModulo)),
    row('arithmetic', 'negative negate', 'the number with the other sign', [...ofNumber(unary('neg')), decimal.negate, ...dates.negative]),
    row('arithmetic', 'positive', 'the number itself', [overload('(number) → ?', (_, [a]) => a, ([type]) => type)]),
  ],
};
