/**
 * Typings of functions of tensors; index.d.ts exports all of it.
 */

/// <reference lib="esnext.disposable" />

import type { DType, Tensor, TypedArray } from '../index.js';
import type { CompileOptions, Graph } from './graph.js';
import type { Size, Value } from './value.js';

/** What may stand for one tensor in a call of a traced function. */
export type TensorLike = Tensor | TypedArray | number | bigint | boolean;

/** Arrays and plain objects, nested, with leaves of one type. `null` is a tree without leaves. */
export type Tree<Leaf> = Leaf | null | readonly Tree<Leaf>[] | { readonly [name: string]: Tree<Leaf> };

/** A tensor by its type alone. */
export interface TensorSpec {
  readonly dtype: DType;
  /** A scalar when left out; a symbol such as `'n'` stands for any size. */
  readonly shape?: Size | readonly Size[];
}

/** What a call takes where the function has a Value. What is no Value stays as it is, such as static arguments. */
export type Given<T> = T extends Value
  ? TensorLike
  : T extends Tensor | TypedArray | string | number | bigint | boolean | null | undefined | ((...args: any[]) => unknown)
    ? T
    : T extends readonly unknown[] | object
      ? { [K in keyof T]: Given<T[K]> }
      : T;

/** What a call gives for what the function returns: tensors in place of values and numbers. */
export type Computed<T> = T extends Value | TensorLike
  ? Tensor
  : T extends readonly unknown[] | object
    ? { -readonly [K in keyof T]: Computed<T[K]> }
    : T;

/** Options of {@link jit}. `tier` is `'auto'` unless told. */
export interface JitOptions extends CompileOptions {
  /**
   * Arguments, by position or name, that the function gets as they are. It is traced for each value of them; plain data is
   * compared by what it holds, functions by identity.
   */
  static?: readonly (number | string)[];
  /**
   * Arguments, by position or name, that the caller gives away: their tensors are disposed of by the call, and results of
   * later calls are made in their memory.
   */
  donate?: readonly (number | string)[];
  /**
   * Which sizes one trace is for all of. `true`: all but 1, equal ones sharing a symbol. A list: per argument the sizes,
   * such as `['n', 4]`, or a tree of such for a tree, or `null` for sizes as they come.
   */
  symbolic?: boolean | readonly unknown[];
  /** What graphs and messages call the function; its own name unless told. */
  name?: string;
  /** How many traces are kept, 64 unless told. */
  cacheLimit?: number;
}

/** A function of tensors that {@link jit} made. */
export interface Jitted<F extends (...args: any[]) => unknown> {
  (...args: Given<Parameters<F>>): Computed<ReturnType<F>>;
  /** With Values among the arguments, as inside of another traced function, it does what the function does. */
  (...args: Parameters<F>): ReturnType<F>;

  /** How many traces are compiled and kept. */
  readonly cacheSize: number;
  /**
   * The graph of the function for arguments of given types, whose inputs are named after the arguments and outputs after the
   * places in the result. Static arguments are given as they are.
   *
   * @example
   * jit((x, y) => x.mul(y)).lower({ dtype: 'f32', shape: ['n'] }, { dtype: 'f32' }).compile();
   */
  lower(...specs: (Tree<TensorSpec | TensorLike> | unknown)[]): Graph;
  /** Forgets all traces and frees their code. */
  clear(): void;
  /** Frees everything; calls throw from then on. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/**
 * Makes a function of tensors that runs as machine code. The function is called once per combination of argument trees,
 * dtypes, shapes and static arguments, with {@link Value}s in place of tensors, and what it does to them is compiled.
 *
 * @throws {GraphError} `ERR_ARGUMENT` for unknown options, and by calls when the function needs data to go on
 * @example
 * const f = jit((x, y) => x.mul(y).add(1).tanh());
 * f(tensor([1, 2, 3]), tensor([4, 5, 6]));
 */
export function jit<F extends (...args: any[]) => unknown>(fn: F, options?: JitOptions): Jitted<F>;
