/**
 * What a JavaScript value is to the compiler: numbers, booleans and bigints that are computed when the function runs,
 * and all else, which is known while it is compiled.
 *
 * Arrays are a pointer and a length; objects and tuples are boxes of variables, so that what refers to the same object
 * sees what is written to it; closures are a function and the frame that it was made in. A number knows, besides its
 * exact value, cheaper ones for those who want less: modulo 2^32, as an integer whose zero has no sign, rounded to f32.
 * These are functions that make an expression and do nothing else.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');

/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../tir/index.js').ArrayRef} ArrayRef */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./frames.js').Frame} Frame */
/** @typedef {import('./number-types.js').Num} Num */
/** @typedef {import('./restarts.js').Site} Site */

/**
 * A variable of one activation of a function: what names mean, and what objects are made of. `slots` are the locals
 * that hold it, one for each machine type that it has had.
 *
 * @typedef {{ name: string, slots: Map<string, import('../tir/index.js').Local>, owner: unknown, box?: ArrayRef | null }} Var
 */

class NumberValue {
  /** @type {'number'} */
  kind = 'number';
  /** @type {Expression | null} */
  #x = null;
  #make;

  /**
   * @param {Num} type
   * @param {Expression | (() => Expression)} exact of N.typeOf(type); where it may be undefined or null, NaN and 0 for these
   * @param {{ tag?: Expression | null, int32?: (() => Expression) | null, integer?: (() => Expression) | null, single?: (() => Expression) | null }} [views]
   */
  constructor(type, exact, views = {}) {
    this.type = type;
    this.#make = exact;
    /** Of i32: 0 for a number, 1 for undefined, 2 for null, 3 for a boolean. */
    this.tag = views.tag ?? null;
    this.int32 = views.int32 ?? null;
    this.integer = views.integer ?? null;
    this.single = views.single ?? null;
  }

  /** @returns {Expression} */
  get x() {
    if (!this.#x) this.#x = typeof this.#make === 'function' ? this.#make() : this.#make;
    return this.#x;
  }
}

/** @typedef {{ kind: 'boolean', x: Expression, tag: Expression | null, mayBeUndefined: boolean, mayBeNull: boolean }} BooleanValue */
/**
 * `x` is of i64 or u64; where no such type holds lo and hi, of i64 and modulo 2^64. With `unbounded`, an f64 that never
 * changes, it is that number, of any size, and x if it fits; who wants x asks for that first (unbounded-bigints.js).
 *
 * @typedef {{ kind: 'bigint', x: Expression, lo: bigint, hi: bigint, unbounded?: Expression, place?: Place }} BigIntValue
 */
/** @typedef {{ kind: 'undefined' } | { kind: 'null' }} NothingValue */
/** @typedef {{ kind: 'string', value: string, tag?: Expression | null }} StringValue `tag`: the `typeof` of what may be nothing */
/** @typedef {{ kind: 'closure', callee: FunctionNode, frame: Frame | null }} ClosureValue */
/** @typedef {{ kind: 'builtin', name: string }} BuiltinValue */
/**
 * @typedef {{ kind: 'array', ref: ArrayRef, isList: boolean, site: any, tag?: Expression | null }} ArrayValue `isList`: a JavaScript
 *   Array of numbers; `site`: facts on the elements of one that was made here; `tag`: as of numbers, where it may be nothing
 */
/** @typedef {{ kind: 'object', id: number, isTuple: boolean, fields: Map<string, Var>, site: any, nesting?: number, isCopy?: boolean }} ObjectValue `nesting`: of branches and
 *   loops, where it was made */
/** @typedef {{ kind: 'tensor', ref: ArrayRef, sizes: Expression[], strides: Expression[] }} TensorValue */
/** @typedef {import('./object-union.js').ObjectUnionValue} ObjectUnionValue */
/** @typedef {{ kind: 'maybe', object: ObjectValue, tag: Expression, mayBeUndefined: boolean, mayBeNull: boolean }} MaybeValue an object or nothing */
/** @typedef {{ kind: 'never' }} NeverValue of a field whose object is not there */
/** @typedef {import('./captured-cells.js').CellValue} CellValue a variable in memory; who reads one gets what it holds */
/** @typedef {{ kind: 'mixed', what: string[] }} MixedValue not to be used: it may be one of several things */
/** @typedef {NumberValue | BooleanValue | BigIntValue | NothingValue | StringValue | ClosureValue | BuiltinValue | ArrayValue | ObjectValue | TensorValue | ObjectUnionValue | CellValue | MaybeValue | NeverValue | MixedValue} Value */

/** @type {Value} */
const UNDEFINED = { kind: 'undefined' };
/** @type {Value} */
const NULL = { kind: 'null' };

/** @type {(value: number) => NumberValue} */
function numberConstant(value) {
  const type = N.constant(value);
  return new NumberValue(type, M.constant(N.typeOf(type), value));
}

/** @type {(x: Expression) => BooleanValue} */
function boolean(x) {
  return { kind: 'boolean', x, tag: null, mayBeUndefined: false, mayBeNull: false };
}

const LEAST_I64 = -(2n ** 63n);
const MOST_I64 = 2n ** 63n - 1n;
const MOST_U64 = 2n ** 64n - 1n;

/** @type {(x: Expression, lo?: bigint, hi?: bigint) => BigIntValue} */
function bigint(x, lo = x.type === 'u64' ? 0n : LEAST_I64, hi = x.type === 'u64' ? MOST_U64 : MOST_I64) {
  if (x.op === 'const') return { kind: 'bigint', x, lo: x.value, hi: x.value };
  return { kind: 'bigint', x, lo, hi };
}

/** @type {(value: bigint) => BigIntValue} a constant, of 64 bits */
function bigintConstant(value) {
  const type = value > MOST_I64 ? 'u64' : 'i64';
  return bigint(M.constant(type, value), value, value);
}

/** @type {Record<string, string>} */
const NAMES = {
  array: 'an array', object: 'an object', union: 'an object', closure: 'a function', builtin: 'a function',
  tensor: 'a Tensor', undefined: 'undefined', null: 'null',
};

/** @type {(value: Value) => string} for messages */
function describe(value) {
  if (value.kind === 'mixed')
    return value.what.length > 1 ? value.what.join(' or ') : value.what[0].replace(/^an? (\w+)$/, 'one of several $1s');
  if (value.kind === 'maybe') return `${describe(value.object)} or ${value.mayBeNull ? 'null' : 'undefined'}`;
  if (value.kind === 'object' && value.isTuple) return 'an array';
  return NAMES[value.kind] ?? `a ${value.kind}`;
}

/** What to write instead of methods and fields that there are not. @type {Record<string, string>} */
const INSTEAD = {
  push: 'make a typed array that is long enough',
  unshift: 'make a typed array that is long enough, and move its elements with .copyWithin',
  splice: 'make a new array of the elements that stay',
  with: 'copy it with .slice, and set the element',
  flat: 'loop over the arrays, and push their elements',
  flatMap: 'loop over the elements, and push what becomes of them',
  keys: 'loop with for (const i of a.keys())',
  values: 'loop with for (const x of a)',
  entries: 'loop with for (const [i, x] of a.entries())',
  buffer: 'hand over a typed array of the same buffer',
  byteOffset: 'hand the number over',
};

/** @type {(name: string) => string} */
const instead = (name) =>
  Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : 'compute it from elements and .length, or from fields that you name';

module.exports = {
  LEAST_I64, MOST_I64, MOST_U64, NULL, NumberValue, UNDEFINED, bigint, bigintConstant, boolean, describe, instead,
  numberConstant,
};
