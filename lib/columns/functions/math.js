/**
 * Functions of numbers.
 *
 * Those of floats follow IEEE 754: the square root of -1 is NaN and the logarithm of 0 is -Infinity, no faults. What
 * Loop IR has operations for is computed several rows at a time. Halves round away from 0, but for bround.
 */
'use strict';

const decimal = require('./decimal.js');
const { unary, ofNumber } = require('./arithmetic.js');
const { overload, row } = require('./signature.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../kernel/dag.js').Dag} Dag */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('./signature.js').Build} Build */

const FLOAT = '(float64) → float64';
const FLOATS = '(float64, float64) → float64';

/** Ops of Loop IR by name. @type {(names: string, doc: string, op: string) => import('./signature.js').FunctionRow} */
const ofFloat = (names, doc, op) => row('math', names, doc, [overload(FLOAT, (c, [a]) => c.dag.op(op, [a]))]);

// --- rounding ---

/**
 * @type {(kind: 'int' | 'float', params: string, build: Build) => import('./signature.js').Overload} what keeps its
 * type
 */
const keeping = (kind, params, build) => overload(`${params} → ?`, build, ([type]) => (type.kind === kind ? type : null));

/**
 * The same integer, and a float by one op.
 *
 * @type {(build: (dag: Dag, x: Node) => Node) => import('./signature.js').Overload[]}
 */
const toWhole = (build) => [keeping('int', '(int)', (_, [a]) => a), keeping('float', '(float)', (c, [a]) => build(c.dag, a))];

/**
 * Halves away from 0: what is left of the point decides, which no sum can round.
 *
 * @type {(dag: Dag, x: Node) => Node}
 */
function roundAway(dag, x) {
  const whole = dag.op('trunc', [x]);
  const isUp = dag.compare('ge', dag.op('abs', [dag.op('sub', [x, whole])]), dag.constant(0.5, x.rep));
  return dag.select(isUp, dag.op('add', [whole, dag.op('sign', [x])]), whole);
}

const cutOff = (/** @type {Dag} */ dag, /** @type {Node} */ x) => dag.op('trunc', [x]);
const roundEven = (/** @type {Dag} */ dag, /** @type {Node} */ x) => dag.op('round_even', [x]);

/** Floats from here on are whole. */
const WHOLE = 2 ** 52;
/** Powers of ten up to here are floats. */
const EXACT_DIGITS = 22;

/**
 * A float to so many digits behind the point: scaled, rounded, scaled back, as the library function does it, which is
 * called where the digits are no small literal.
 *
 * @type {(name: string, rounding: (dag: Dag, x: Node) => Node) => Build}
 */
const floatDigits = (name, rounding) => (c, [value, digits], { literals }) => {
  const { dag } = c;
  const wide = dag.convert(value, 'f64');
  const [, literal] = literals;
  if (typeof literal !== 'bigint' || literal < 0n || literal > EXACT_DIGITS) {
    return dag.convert(c.call(name, [wide, digits], 'f64'), value.rep);
  }
  const unit = dag.constant(Number(10n ** literal), 'f64');
  const scaled = dag.op('mul', [wide, unit]);
  const isFraction = dag.compare('lt', dag.op('abs', [scaled]), dag.constant(WHOLE, 'f64'));
  return dag.convert(dag.select(isFraction, dag.op('div', [rounding(dag, scaled), unit]), wide), value.rep);
};

/** @type {Build} */
const roundInt = (c, [value, digits], { result }) => {
  const name = result.signed ? 'round_int64' : 'round_uint64';
  const bits = c.dag.constant(BigInt(result.bits), 'i64');
  return c.call(name, [value, digits, bits], value.rep, { fault: 'overflow', what: `${result.text} overflow` });
};

/** @type {Build} */
const truncateInt = (c, args, { result }) => c.call(result.signed ? 'truncate_int64' : 'truncate_uint64', args, args[0].rep);

// --- others ---

/** @type {Build} */
const sign = (c, [a], { result }) => {
  const { dag } = c;
  if (result.kind === 'float' || result.signed) return dag.op('sign', [a]);
  return dag.select(dag.compare('ne', a, dag.constant(0n, a.rep)), dag.constant(1n, a.rep), dag.constant(0n, a.rep));
};

/** @type {(factor: number, divisor: number) => Build} */
const scaled = (factor, divisor) => (c, [a]) => {
  const { dag } = c;
  return dag.op('div', [dag.op('mul', [a, dag.constant(factor, 'f64')]), dag.constant(divisor, 'f64')]);
};

/** @type {Build} */
const logarithm = (c, [base, x]) => {
  const { dag } = c;
  const below = dag.op('log', [base]);
  c.fault(dag.compare('eq', below, dag.constant(0, 'f64')), 'divisionByZero', 'division by zero: a logarithm to base 1');
  return dag.op('div', [dag.op('log', [x]), below]);
};

/** @type {Build} squares are as exact as one multiplication */
const power = (c, [a, b], { literals }) =>
  Number(literals[1]) === 2 ? c.dag.op('mul', [a, a]) : c.dag.op('pow', [a, b]);

/** @type {Build} */
const factorial = (c, [n]) => {
  const { dag } = c;
  c.fault(dag.compare('lt', n, dag.constant(0n, 'i64')), 'value', 'there is no factorial of a negative number');
  c.fault(dag.compare('gt', n, dag.constant(20n, 'i64')), 'overflow', 'int64 overflow: a factorial of more than 20');
  return c.failing('factorial', [n], 'i64');
};

/** @type {(name: string) => Build} */
const ofInts = (name) => (c, args) => c.call(name, args, 'i64', { fault: 'overflow', what: 'int64 overflow' });

/**
 * A test of floats, and what it is of other numbers.
 *
 * @type {(names: string, doc: string, build: (dag: Dag, x: Node) => Node, otherwise: boolean) =>
 * import('./signature.js').FunctionRow}
 */
const test = (names, doc, build, otherwise) =>
  row('math', names, doc, [
    overload('(float) → bool', (c, [a]) => build(c.dag, a)),
    overload('(number) → bool', (c) => c.dag.constant(otherwise, 'bool')),
  ]);

/** @type {(value: number) => Build} */
const constant = (value) => (c) => c.dag.constant(value, 'f64');

module.exports = {
  roundAway,
  rows: [
    row('math', 'abs', 'the size of a number', [...ofNumber(unary('abs')), decimal.abs]),
    row('math', 'sign', '-1, 0 or 1', [...ofNumber(sign), decimal.sign]),
    row('math', 'round', 'the nearest whole number, or with so many digits behind the point; before it, if negative', [
      ...toWhole(roundAway),
      keeping('int', '(int, int64)', roundInt),
      keeping('float', '(float, int64)', floatDigits('round_float64', roundAway)),
      decimal.rounded('round', '(decimal)'),
      decimal.rounded('round', '(decimal, int64)'),
    ]),
    row('math', 'bround', 'round, but halves to the even neighbour', [
      ...toWhole(roundEven),
      keeping('float', '(float, int64)', floatDigits('bround_float64', roundEven)),
    ]),
    row('math', 'truncate trunc', 'without what is behind the point, or behind so many digits', [
      ...toWhole(cutOff),
      keeping('int', '(int, int64)', truncateInt),
      keeping('float', '(float, int64)', floatDigits('truncate_float64', cutOff)),
      decimal.rounded('truncate', '(decimal)'),
      decimal.rounded('truncate', '(decimal, int64)'),
    ]),
    row('math', 'ceiling ceil', 'the least whole number that is not below', [
      ...toWhole((dag, x) => dag.op('ceil', [x])),
      decimal.rounded('ceil', '(decimal)'),
    ]),
    row('math', 'floor', 'the greatest whole number that is not above', [
      ...toWhole((dag, x) => dag.op('floor', [x])),
      decimal.rounded('floor', '(decimal)'),
    ]),
    ofFloat('sqrt', 'square root; NaN below 0', 'sqrt'),
    ofFloat('cbrt', 'cube root', 'cbrt'),
    ofFloat('exp', 'e to a power', 'exp'),
    row('math', 'log ln', 'natural logarithm; of two numbers, that of the second to the base of the first', [
      overload(FLOAT, (c, [a]) => c.dag.op('log', [a])),
      overload(FLOATS, logarithm),
    ]),
    ofFloat('log2', 'logarithm to base 2', 'log2'),
    ofFloat('log10', 'logarithm to base 10', 'log10'),
    row('math', 'power pow', 'the first to the power of the second', [overload(FLOATS, power)]),
    row('math', 'factorial', 'the product of all integers up to a number', [overload('(int64) → int64', factorial)]),
    row('math', 'gcd', 'greatest common divisor', [overload('(int64, int64) → int64', ofInts('gcd_int64'))]),
    row('math', 'lcm', 'least common multiple', [overload('(int64, int64) → int64', ofInts('lcm_int64'))]),
    ofFloat('sin', 'sine of an angle in radians', 'sin'),
    ofFloat('cos', 'cosine', 'cos'),
    ofFloat('tan', 'tangent', 'tan'),
    row('math', 'cot', 'cotangent', [
      overload(FLOAT, (c, [a]) => c.dag.op('tan', [c.dag.op('sub', [c.dag.constant(Math.PI / 2, 'f64'), a])])),
    ]),
    ofFloat('asin', 'arc sine', 'asin'),
    ofFloat('acos', 'arc cosine', 'acos'),
    ofFloat('atan', 'arc tangent', 'atan'),
    row('math', 'atan2', 'the angle of a point, given as y and x', [overload(FLOATS, (c, args) => c.dag.op('atan2', args))]),
    row('math', 'hypot', 'the distance of a point from the origin', [overload(FLOATS, (c, args) => c.dag.op('hypot', args))]),
    ofFloat('sinh', 'hyperbolic sine', 'sinh'),
    ofFloat('cosh', 'hyperbolic cosine', 'cosh'),
    ofFloat('tanh', 'hyperbolic tangent', 'tanh'),
    row('math', 'radians', 'degrees as radians', [overload(FLOAT, scaled(Math.PI, 180))]),
    row('math', 'degrees udfdegrees', 'radians as degrees', [overload(FLOAT, scaled(180, Math.PI))]),
    row('math', 'pi', 'the ratio of a circle', [overload('() → float64', constant(Math.PI))]),
    row('math', 'e', "Euler's number", [overload('() → float64', constant(Math.E))]),
    test('isnan is_nan', 'whether it is NaN', (dag, x) => dag.op('is_nan', [x], 'bool'), false),
    test('isfinite is_finite', 'whether it is neither NaN nor infinite', (dag, x) => dag.op('is_finite', [x], 'bool'), true),
    test('isinf is_inf', 'whether it is infinite', (dag, x) => dag.compare('eq', dag.op('abs', [x]), dag.constant(Infinity, x.rep)), false),
  ],
};
