/**
 * The types of parameters and results, as a signature, JSDoc or the arguments of a call give them to inference.
 *
 * A function is compiled for one list of these. What a list of arguments is in memory follows from it: infer/index.js
 * turns each parameter into ports (tir/index.js), in order, objects and tuples field by field.
 */
'use strict';

/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('../tir/index.js').Scalar} Scalar */
/** @typedef {import('../tir/index.js').Element} Element */

/**
 * A number that is promised to be one of the values of `dtype`: callers check.
 *
 * @typedef {{ kind: 'number', dtype: 'f64' | 'f32' | 'i32' | 'u32' | 'i16' | 'u16' | 'i8' | 'u8' | 'smi' }} NumberType 'smi': an i32 that is not -0, what a number is taken for that counts
 */
/** @typedef {{ kind: 'boolean' }} BooleanType */
/** @typedef {{ kind: 'bigint', dtype: 'i64' | 'u64' }} BigIntType */
/** @typedef {{ kind: 'undefined' | 'null' }} NothingType */
/**
 * A typed array, with `length` one of just that length.
 *
 * @typedef {{ kind: 'array', dtype: Element, clamps?: boolean, length?: number }} ArrayType
 */
/**
 * An Array of numbers; it comes as a buffer of f64, `length` if that is part of the type.
 *
 * @typedef {{ kind: 'list', length?: number }} ListType
 */
/**
 * An Array of fixed length whose elements have types of their own.
 *
 * @typedef {{ kind: 'tuple', elements: ValueType[] }} TupleType
 */
/**
 * An object with these fields. Of a value there are `own`, the names that it has itself, and `proto`, its prototype, of
 * which `fields` has what it inherits: only objects with just these are of the type.
 *
 * @typedef {{ kind: 'object', fields: Record<string, ValueType>, own?: string[], proto?: object | null }} ObjectType
 */
/**
 * A Tensor, with a port for its elements, then sizes and strides (in elements) of its axes as i64.
 *
 * @typedef {{ kind: 'tensor', dtype: Element, rank: number }} TensorType
 */
/** A function that is known at compile time. @typedef {{ kind: 'function', callee: FunctionNode }} FunctionType */
/**
 * Something known at compile time: a number, bigint, boolean or string.
 *
 * @typedef {{ kind: 'constant', value: number | bigint | boolean | string }} ConstantType
 */

/**
 * @typedef {NumberType | BooleanType | BigIntType | NothingType | ArrayType | ListType | TupleType | ObjectType | TensorType
 *   | FunctionType | ConstantType} ValueType
 */

/**
 * Where a result is found among the slots behind those of the scalar parameters, and what JavaScript makes of it.
 *
 * A `tag` is the slot of an i32 that is 0 for the value itself, 1 for undefined, 2 for null, 3 for the boolean that a
 * number is. An array has three slots: address, length, and where it lies: 1 for memory of the run, 2 + k for array
 * port k itself, VIEW + 2 + k for a view of it. Of a list that is `encoded`, elements are NaNs with this head where
 * they are undefined (1), null (2), false (3) or true (4), and others are numbers, or 1 and 0 for booleans. What is
 * given is an object that the caller passed: the number of the argument, then names of fields.
 *
 * @typedef {{ kind: 'undefined' | 'null' }
 *   | { kind: 'constant', value: number | bigint | boolean | string }
 *   | { kind: 'number' | 'boolean' | 'bigint', dtype: Scalar, slot: number, tag: number | null }
 *   | { kind: 'array', dtype: Element, clamps: boolean, slot: number, tag: number | null }
 *   | { kind: 'list', dtype: Element, clamps: boolean, slot: number, tag: number | null, encoded?: { head: number, kind: 'numbers' | 'booleans' } }
 *   | { kind: 'given', path: (string | number)[], tag?: number }
 *   | { kind: 'tuple', elements: ResultShape[], tag?: number }
 *   | { kind: 'object', fields: Record<string, ResultShape>, tag?: number }} ResultShape
 */

/** Marks an array that is returned as a view of an argument, not as the argument itself. */
const VIEW = 0x10000;

module.exports = { VIEW };
