/**
 * Operations that work element by element: one function per elementwise row of the native op table,
 * made from the row, and the composites of them that are worth a name.
 *
 * A function takes its operands in the order of the row; at least one of them is a Value. Operands of
 * different dtypes are promoted and shapes broadcast, both in C. Composites are a few primitives each:
 * the compiler sees through them, so they cost no more than what they stand for.
 */
'use strict';

const { expected, oneOf, readOptions } = require('../base/check.js');
const { opRows } = require('../base/ops.js');
const { append, constantOf, dimsOf, graphOf, isScalar, isValue, lift, stateOf } = require('../graph/value.js');
const { dtypeName, dtypeOf, dtypes } = require('../tensor/dtypes.js');

/** @typedef {import('../tensor/dtypes.js').DType} DType */
/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {(...operands: any[]) => Value} Operation */

/** @type {(name: string) => string} round_even → roundEven */
const camelCase = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/**
 * @param {import('../base/binding.js').OpRow} row elementwise, without attributes
 * @returns {Operation}
 */
function fromRow({ name, arity }) {
  const caller = camelCase(name);
  // The condition of a selection is a bool whatever the other operands are.
  const first = name === 'select' ? 1 : 0;
  const { [caller]: operation } = {
    /** @param {...unknown} operands */
    [caller](...operands) {
      if (operands.length !== arity) return expected(caller, `${arity} operands`, 'the call', operands.length);
      const { state, values } = lift(operands, caller, first);
      return append(state, name, values);
    },
  };
  return operation;
}

/** @type {Record<string, Operation>} */
const rows = {};
for (const row of opRows.values()) {
  if (row.kind === 'elementwise' && Object.keys(row.attrs).length === 0) rows[camelCase(row.name)] = fromRow(row);
}

/** @type {(caller: string, name: string) => (x: unknown, dtype: unknown) => Value} */
const typed = (caller, name) => (x, dtype) => {
  const { state, values } = lift([x], caller);
  return append(state, name, values, { dtype: dtypeName(dtype, 'the dtype', caller) });
};

const convert = typed('convert', 'convert');
const astype = typed('astype', 'convert');
const bitcast = typed('bitcast', 'bitcast');

/**
 * The half type that all of some operands have, numbers and integers aside.
 *
 * @type {(operands: readonly any[]) => DType | undefined}
 */
function halfOf(operands) {
  /** @type {(DType | undefined)[]} */
  const named = operands.filter((x) => typeof x === 'object').map((x) => x?.dtype ?? dtypeOf(x));
  const [first, ...others] = named.filter(
    (dtype) => dtype === undefined || !['int', 'uint'].includes(dtypes[dtype]?.kind),
  );
  return first !== undefined && dtypes[first]?.half && others.every((dtype) => dtype === first) ? first : undefined;
}

/**
 * An operation that computes in f32 throughout where its first operands are of a half type, and rounds at the
 * end: its parts, as sums are, may be out of range of a half although the result is not.
 *
 * @template {(...args: any[]) => Value | Record<string, Value>} F
 * @param {F} operation
 * @param {number} [operands] how many there are of which the result takes its dtype
 * @returns {F}
 */
function roundedOnce(operation, operands = 1) {
  const wrapped = (/** @type {any[]} */ ...args) => {
    const half = halfOf(args.slice(0, operands));
    if (half === undefined) return operation(...args);
    const result = operation(
      ...args.map((x, i) => (i < operands && isValue(x) && x.dtype === half ? convert(x, 'f32') : x)),
    );
    /** @type {(of: Value) => Value} weights may have made it f64 */
    const back = (of) => (of.dtype === 'f32' ? convert(of, half) : of);
    if (isValue(result)) return back(result);
    return Object.fromEntries(Object.entries(result).map(([name, of]) => [name, back(of)]));
  };
  return /** @type {F} */ (wrapped);
}

/**
 * One operand, checked to be a Value, and its neighbour: constants of its dtype.
 *
 * @param {unknown} x
 * @param {string} caller
 */
function single(x, caller) {
  const state = graphOf([x], caller);
  const value = /** @type {Value} */ (x);
  /** @type {(number: number) => Value} */
  const number = (of) => constantOf(state, of, value.dtype, String(of), caller);
  return { value, number };
}

/** @type {(x: unknown, caller: string) => ReturnType<typeof single>} */
function float(x, caller) {
  const operand = single(x, caller);
  if (dtypes[operand.value.dtype].kind !== 'float') expected(caller, 'a float Value', 'the operand', x, 'ERR_DTYPE');
  return operand;
}

const { abs, add, div, eq, erf, exp, ge, gt, le, log1p, lt, max, min, mul, neg, select, tanh } = rows;

/** @type {(x: unknown) => Value} */
function square(x) {
  const { value } = single(x, 'square');
  return mul(value, value);
}

/** @type {(x: unknown) => Value} */
function reciprocal(x) {
  const { value, number } = float(x, 'reciprocal');
  return div(number(1), value);
}

/** @type {(args: readonly unknown[]) => boolean} */
const isInteger = ([x, ...rest]) => isValue(x) && rest.length === 0 && ['int', 'uint'].includes(dtypes[x.dtype].kind);

/** A row that makes floats whole, and leaves integers as they are. @type {(caller: string) => Operation} */
const rounding =
  (caller) =>
  (...args) =>
    isInteger(args) ? args[0] : rows[caller](...args);

/**
 * A question about floats whose answer for integers is known.
 *
 * @type {(caller: string, answer: boolean, ask: Operation) => Operation}
 */
const asked =
  (caller, answer, ask) =>
  (...args) => {
    if (!isInteger(args)) return ask(...args);
    return constantOf(stateOf(args[0]), answer, 'bool', 'the answer', caller, [...dimsOf(args[0])]);
  };

/** @type {(x: unknown) => Value} */
function infinite(x) {
  const { value, number } = float(x, 'isInf');
  return eq(abs(value), number(Infinity));
}

/**
 * x, or a bound where it is not above (below) it: a maximum (minimum), which it is folded to, but with a derivative of
 * 0 at the bound, as PyTorch has it for relu and its like.
 *
 * @type {(value: Value, bound: Value) => Value}
 */
const atLeast = (value, bound) => select(le(value, bound), bound, value);
/** @type {(value: Value, bound: Value) => Value} */
const atMost = (value, bound) => select(ge(value, bound), bound, value);

/** @type {(x: unknown) => Value} */
function relu(x) {
  const { value, number } = single(x, 'relu');
  return atLeast(value, number(0));
}

/** @type {(x: unknown) => Value} */
function sigmoid(x) {
  const { value, number } = float(x, 'sigmoid');
  return div(number(1), add(number(1), exp(neg(value))));
}

/** @type {(x: unknown) => Value} */
function silu(x) {
  const { value, number } = float(x, 'silu');
  return div(value, add(number(1), exp(neg(value))));
}

/** log(1 + exp(x)), where the exponential cannot overflow. @type {(x: unknown) => Value} */
function softplus(x) {
  const { value, number } = float(x, 'softplus');
  return add(max(value, number(0)), log1p(exp(neg(abs(value)))));
}

/** @type {(x: unknown, options?: unknown) => Value} */
function gelu(x, options) {
  const { approximate = 'none' } = readOptions('gelu', options, { approximate: oneOf(['none', 'tanh']) });
  const { value, number } = float(x, 'gelu');
  const half = mul(number(0.5), value);
  if (approximate === 'none') return mul(half, add(number(1), erf(mul(value, number(Math.SQRT1_2)))));
  const bent = add(value, mul(number(0.044715), mul(value, mul(value, value))));
  return mul(half, add(number(1), tanh(mul(number(Math.sqrt(2 / Math.PI)), bent))));
}

/** A number, which makes no NaN of what is not one. @type {(bound: unknown) => bound is number} */
const isBound = (bound) => isScalar(bound) && !Number.isNaN(bound);

/**
 * At bounds that are numbers the derivative is that of x, as in PyTorch.
 *
 * @param {unknown} x
 * @param {unknown} [low] no lower bound when undefined
 * @param {unknown} [high] no upper bound when undefined
 * @returns {Value}
 */
function clip(x, low, high) {
  const { value, number } = single(x, 'clip');
  const raise = (/** @type {Value} */ bound) => select(lt(value, bound), bound, value);
  const raised = low === undefined ? value : isBound(low) ? raise(number(low)) : max(value, low);
  const lower = (/** @type {Value} */ bound) => select(gt(raised, bound), bound, raised);
  return high === undefined ? raised : isBound(high) ? lower(number(high)) : min(raised, high);
}

/** @type {(condition: unknown, x: unknown, y: unknown) => Value} */
function where(condition, x, y) {
  return select(condition, x, y);
}

/** Every operation here that becomes a method and a function, by name. */
const elementwise = {
  ...rows,
  astype,
  bitcast,
  ceil: rounding('ceil'),
  clip,
  convert,
  floor: rounding('floor'),
  gelu,
  isFinite: asked('isFinite', true, rows.isFinite),
  isInf: asked('isInf', false, infinite),
  isNan: asked('isNan', false, rows.isNan),
  reciprocal,
  relu,
  roundEven: rounding('roundEven'),
  sigmoid,
  silu,
  softplus,
  square,
  trunc: rounding('trunc'),
  where,
};

module.exports = { atLeast, atMost, camelCase, elementwise, float, roundedOnce, rows, single };
