/**
 * Native functions as ops of graphs: called with Values, a function of numbers becomes an `apply` node, which is its
 * code for each element.
 *
 * The dtypes of the operands give the types of the parameters, as arguments of a call do; the code is the same typed
 * program, written as one exported function (emit/export.js). What may fail, keeps memory or gives more than a number
 * is no op of elements: an element has nobody to throw at. Functions of arrays are another kind of op (array-op.js).
 */
'use strict';

const { describe } = require('../../base/check.js');
const { GraphError, fail } = require('../../base/errors.js');
const { append, constantFrom, constantOf, graphOf, isScalar, isValue, rootOf } = require('../../graph/value.js');
const { asTensor } = require('../../tensor/create.js');
const { dtypeOf } = require('../../tensor/dtypes.js');
const { Tensor } = require('../../tensor/tensor.js');
const { constantModule } = require('../emit/export.js');
const { emit } = require('../pipeline.js');
const { keyOf, typeOf } = require('../run/arguments.js');
const { codeOf } = require('../run/compile.js');
const { shapeText } = require('../run/results.js');
const { refuse: refuseAt } = require('../source/frame.js');
const { typeText } = require('../source/signature.js');

/** @typedef {import('../run/callable.js').Callable} Callable */
/** @typedef {import('../run/compile.js').Code} Code */
/** @typedef {import('../source/types.js').ValueType} ValueType */
/** @typedef {import('../../tensor/dtypes.js').DType} DType */
/** @typedef {import('../../graph/value.js').Value} Value */

/**
 * A function for operands of given types; it gives `given`, of which `result` is made.
 *
 * @typedef {{ text: string, params: DType[], given: DType, result: DType }} Op
 */

/**
 * What the text of an op was made of: a function, the types of its parameters, and which of them are operands.
 *
 * @typedef {{ own: Callable, types: ValueType[], places: number[] }} Applied
 */

// --- types ---

/** @type {(dtype: DType) => ValueType} that an element is to JavaScript */
function elementType(dtype) {
  if (dtype === 'bool') return { kind: 'boolean' };
  if (dtype === 'i64' || dtype === 'u64') return { kind: 'bigint', dtype };
  return { kind: 'number', dtype: dtype === 'f16' || dtype === 'bf16' ? 'f32' : dtype };
}

/** Least and greatest of integers up to 32 bits. @type {(dtype: string) => [number, number] | null} */
function rangeOf(dtype) {
  const found = /^([iu])(8|16|32)$/u.exec(dtype);
  if (found === null) return null;
  const size = 2 ** Number(found[2]);
  return found[1] === 'u' ? [0, size - 1] : [-size / 2, size / 2 - 1];
}

/**
 * Whether a signature's type takes elements of a dtype, as it takes numbers.
 *
 * @type {(type: ValueType, dtype: DType) => boolean}
 */
function takes(type, dtype) {
  const own = elementType(dtype);
  if (type.kind !== 'number' || own.kind !== 'number') return keyOf(type) === keyOf(own);
  if (type.dtype === 'f64' || type.dtype === 'f32') return true;
  const [outer, inner] = [rangeOf(type.dtype === 'smi' ? 'i32' : type.dtype), rangeOf(dtype)];
  return outer !== null && inner !== null && outer[0] <= inner[0] && inner[1] <= outer[1];
}

/** The dtype of what is an operand. @type {(given: unknown) => DType | undefined} */
function operandDType(given) {
  if (isValue(given) || given instanceof Tensor) return given.dtype;
  return isScalar(given) ? asTensor(/** @type {number} */ (given)).dtype : dtypeOf(given);
}

/** @type {(own: Callable, given: unknown, i: number) => ValueType} */
function paramType(own, given, i) {
  const which = `${own.name}: argument ${i + 1}`;
  const place = own.signature?.params[i];
  const dtype = operandDType(given);
  const type = dtype === undefined ? typeOf(given, which, own.build) : elementType(dtype);
  if (place === undefined || place.type === null || (given === undefined && place.isOptional)) return type;
  if (dtype === undefined ? keyOf(type) === keyOf(place.type) : takes(place.type, dtype)) return place.type;
  return fail(
    'ERR_DTYPE',
    `${own.name}: expected ${typeText(place.type)} for argument ${i + 1}, got ${describe(given)}`,
  );
}

// --- code ---

/** Errors of functions that cannot be compiled for some types, and might be for others. @type {WeakSet<object>} */
const mistyped = new WeakSet();

/** @type {(error: unknown) => error is GraphError} */
const isMistyped = (error) => error instanceof GraphError && mistyped.has(error);

/** @type {<T>(infer: () => T) => T} what is inferred; errors are remembered as such */
function typed(infer) {
  try {
    return infer();
  } catch (error) {
    if (error instanceof GraphError && error.code === 'ERR_UNSUPPORTED') mistyped.add(error);
    throw error;
  }
}

/** @type {(name: string, why: string) => never} */
const refuse = (name, why) => fail('ERR_UNSUPPORTED', `${name}: it cannot be an op of a graph: ${why}`);

/** @type {(own: Callable, code: Code) => void} */
function checkCode({ name }, { result, sites, hidden, program }) {
  const isOne =
    result.kind === 'constant'
      ? typeof result.value !== 'string'
      : result.kind === 'number' || result.kind === 'boolean' || result.kind === 'bigint';
  if (!isOne) refuse(name, `it returns ${shapeText(result)}: return one number, boolean or bigint`);
  if ('tag' in result && result.tag !== null)
    refuse(name, 'it may return undefined or null: return a number on all ways');
  if (hidden.length > 0) refuse(name, `it captures an array: gather the elements before, and pass these`);
  if (program.funcs.some(({ isRecursive }) => isRecursive)) refuse(name, 'it calls itself: use a loop');
  const [site] = sites;
  if (site !== undefined) {
    const what = `${site.type} ${site.message.map((part) => part ?? '…').join('')}`.trim();
    refuse(
      name,
      `it may throw at ${site.file}:${site.line}:${site.column} (${what}): return NaN instead, or what it means`,
    );
  }
}

/** What exported functions return. */
const RETURNED = new Set(['f64', 'f32', 'i64', 'i32', 'u64', 'u32', 'bool']);

/**
 * Whether all floats among the parameters are f32: then a result that is one as well stays one. Numbers of JavaScript
 * are f64.
 *
 * @type {(types: readonly ValueType[]) => boolean}
 */
function isNarrow(types) {
  const dtypes = types.map((type) => (type.kind === 'number' ? type.dtype : ''));
  return dtypes.includes('f32') && !dtypes.includes('f64');
}

/** @type {(own: Callable, types: readonly ValueType[]) => Op} */
function makeOp(own, types) {
  const code = typed(() => {
    const made = codeOf(own.unit, types, { threads: 1 });
    const { asked } = made.program;
    // What has elements or fields is no single element.
    if (asked !== null) refuseAt(asked.place, asked.reason, asked.advice);
    return made;
  });
  checkCode(own, code);
  const { result, program } = code;
  const wholes = program.entry.results.map(
    () => result.kind === 'number' && (result.dtype === 'i64' || result.dtype === 'u64'),
  );
  const emitted = (/** @type {string | undefined} */ gives) =>
    result.kind === 'constant'
      ? constantModule(program, /** @type {number} */ (result.value), gives)
      : emit(program, { unlimited: true, exported: { declared: code.ports, wholes, gives } });
  const made = emitted(undefined);
  const { params, returns, needs } = made;
  if (returns?.is !== 'value' || params.some(({ role }) => role !== 'scalar') || needs.heap || needs.frame || needs.data)
    return refuse(own.name, 'it works on arrays of its own: use numbers');
  const type = /** @type {DType} */ (returns.dtype);
  const isNumber = result.kind === 'number' || (result.kind === 'constant' && typeof result.value === 'number');
  const inferred = type === 'f32' && !isNarrow(types) ? 'f64' : type;
  const declared = own.returns;
  const wanted = isNumber && declared?.kind === 'number' && declared.dtype !== 'smi' ? declared.dtype : inferred;
  const given = RETURNED.has(wanted) ? wanted : 'i32';
  return {
    text: given === type ? made.text : emitted(given).text,
    params: params.map(({ dtype }) => /** @type {DType} */ (dtype)),
    given,
    result: wanted,
  };
}

/** What native functions are as ops, by the types of their parameters. @type {WeakMap<Callable, Map<string, Op>>} */
const known = new WeakMap();

/** @type {(own: Callable, types: readonly ValueType[]) => Op} */
function opOf(own, types) {
  const ops = known.get(own) ?? new Map();
  known.set(own, ops);
  const key = types.map(keyOf).join();
  const op = ops.get(key) ?? makeOp(own, types);
  ops.set(key, op);
  return op;
}

// --- calls ---

/** @type {(value: Value, dtype: DType, state: import('../../graph/value.js').GraphState) => Value} */
const converted = (value, dtype, state) =>
  value.dtype === dtype ? value : append(state, 'convert', [value], { dtype });

/**
 * A call with Values among the arguments, as a node of their graph. Tensors and typed arrays are constants, numbers
 * too.
 *
 * @param {Callable} own
 * @param {readonly unknown[]} args
 * @returns {Value}
 */
function applyTo(own, args) {
  const { name, unit } = own;
  const state = graphOf(args.filter(isValue), name);
  const { count, hasRest } = unit.arity;
  const given = Array.from({ length: hasRest ? args.length : count }, (_, i) => args[i]);
  const types = given.map((arg, i) => paramType(own, arg, i));
  const op = opOf(own, types);
  const values = given.map((arg, i) => {
    const dtype = operandDType(arg);
    if (isValue(arg) || dtype === undefined) return isValue(arg) ? arg : undefined;
    return isScalar(arg) ? constantOf(state, arg, dtype, `argument ${i + 1}`, name) : constantFrom(state, arg, name);
  });
  const operands = values.filter((value) => value !== undefined);
  const places = values.flatMap((value, i) => (value === undefined ? [] : [i]));
  if (operands.length !== op.params.length) {
    const other = given.findIndex(
      (arg, i) => values[i] === undefined && arg !== undefined && typeof arg !== 'function',
    );
    return fail(
      'ERR_ARGUMENT',
      `${name}: beside Values, arguments are numbers, Tensors or functions, got ${describe(given[Math.max(other, 0)])}`,
    );
  }
  rootOf(state).applied.set(op.text, { own, types, places });
  const result = append(
    state,
    'apply',
    operands.map((value, i) => converted(value, op.params[i], state)),
    { dtype: op.given },
    op.text,
  );
  return converted(result, op.result, state);
}

module.exports = { applyTo, converted, elementType, isMistyped, isNarrow, opOf, refuse, takes, typed };
