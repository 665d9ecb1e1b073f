/**
 * Typings of control flow. Functions given to these are called once, with Values, to be recorded; see docs/api.md. Where no
 * operand is a Value and nothing is being traced, what was recorded runs at once and the results are Tensors.
 */

import type { Tensor } from '../index.js';
import type { Operand, Size, Value } from './value.js';

/** A tree of values: a Value, or arrays and plain objects of trees. */
export type ValueTree = Value | null | readonly ValueTree[] | { readonly [name: string]: ValueTree };

/** What can stand for a tree of values: numbers and tensors become constants. */
export type OperandTree = Operand | null | readonly OperandTree[] | { readonly [name: string]: OperandTree };

/** Options of {@link scan}. */
export interface ScanOptions {
  /** How many rounds there are, where `xs` is null. */
  length?: Size;
  /** Whether the last element comes first; results stay at the places of their elements. Default false. */
  reverse?: boolean;
}

/**
 * What `thenFn` gives where the predicate, a bool scalar, is true, else what `elseFn` gives; only that function runs.
 * Both get the operands and return trees of the same structure, dtypes and shapes.
 */
export declare function cond<T = any>(
  predicate: Value | Tensor | boolean,
  thenFn: (...operands: any[]) => unknown,
  elseFn: (...operands: any[]) => unknown,
  ...operands: unknown[]
): T;

/** What the function of that number gives, the first or the last one where there is none of that number. At most 64. */
export declare function switchCase<T = any>(
  index: Value | Tensor | number,
  functions: readonly ((...operands: any[]) => unknown)[],
  ...operands: unknown[]
): T;

/**
 * Runs `bodyFn` again and again as long as `conditionFn`, which gives a bool scalar, is true of the state. The state
 * keeps its structure, dtypes and shapes.
 */
export declare function whileLoop<T = any>(
  conditionFn: (state: any) => Value | boolean,
  bodyFn: (state: any) => unknown,
  initial: unknown,
): T;

/**
 * Runs `bodyFn` for each index from `lower` up to but not including `upper`; the index is an `i64` scalar. Bounds are
 * sizes, or integer values.
 */
export declare function forLoop<T = any>(
  lower: Size | Value | Tensor,
  upper: Size | Value | Tensor,
  bodyFn: (index: Value, state: any) => unknown,
  initial: unknown,
): T;

/**
 * Goes through `xs` along axis 0: `bodyFn` gets the state and one element and gives the next state and a result. Gives
 * the last state, and all results stacked along a new axis 0.
 */
export declare function scan<T = any>(
  bodyFn: (state: any, x: any) => readonly [unknown, unknown],
  initial: unknown,
  xs: unknown,
  options?: ScanOptions,
): T;

/** Calls `fn` for each element of `xs` along axis 0, and stacks what it gives along a new axis 0. */
export declare function map<T = any>(fn: (x: any) => unknown, xs: unknown): T;

/** Options of {@link associativeScan}. */
export interface AssociativeScanOptions {
  /** The axis of every leaf. Default 0. */
  axis?: number;
  /** Whether elements are taken from the last one on. Default false. */
  reverse?: boolean;
}

/**
 * What the elements along an axis come to, up to each of them, by an associative function of two trees like `xs`. The
 * function gets whole tensors, parts of the leaves along the axis, and works on all their elements at once. It is called
 * 2 log2 n times for about two values per element; for a size that is no number once, for log2 n rounds over all.
 */
export declare function associativeScan<T = any>(fn: (a: any, b: any) => unknown, xs: unknown, options?: AssociativeScanOptions): T;
