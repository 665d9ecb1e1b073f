/**
 * Typings of plain functions as machine code; index.d.ts exports all of it.
 */

/// <reference lib="esnext.disposable" />

import type { Tensor, TypedArray } from '../index.js';
import type { ObjectOptions, WasmModule, WasmOptions } from './graph.js';
import type { SymbolicShape, Value } from './value.js';

/**
 * A type in a signature: `'f64'`, `'i32'`, `'i64'` (a bigint), `'bool'`, `'f64[]'` (a Float64Array), `'number[]'` (an Array of
 * numbers), `'f64[,]'` (a Tensor of rank 2), `'f64[3]'`, or an object or array of types.
 */
export type NativeType = string | readonly NativeType[] | { readonly [name: string]: NativeType };

/** The types of a function's parameters, as an object or as a text such as `'f64(f64[], i32)'`. */
export interface NativeSignature {
  params: readonly NativeType[];
  returns?: NativeType;
}

/** Options of {@link native}. */
export interface NativeOptions {
  /**
   * What happens to indices out of range. `'exact'`: what happens in JavaScript. `'check'`: they throw a RangeError.
   * `'unchecked'`: there are none, which nobody checks.
   */
  bounds?: 'exact' | 'check' | 'unchecked';
  /** `'fast'` lets sums be reordered and functions be less exact; otherwise results have JavaScript's bits. */
  numerics?: 'default' | 'strict' | 'fast';
  /** Most threads that a call may use; as many as there are processors unless told. */
  threads?: number;
  /** What names mean that the function takes from outside: numbers, arrays, objects of them, functions. */
  capture?: Readonly<Record<string, unknown>>;
  /**
   * The shape of an array that the function returns, for graphs: sizes, or a function that gives them for the arguments of a
   * call, which are Values and numbers. Where the length is a number, or computed of lengths of arguments, none is needed.
   */
  shape?: SymbolicShape | ((...args: any[]) => SymbolicShape);
  /** Whether a function that cannot be compiled is returned as it is, with a warning. */
  fallback?: boolean;
  /** Whether machine code is kept for later, on disk too. */
  cache?: boolean;
  /** From 0 to 3. */
  optLevel?: 0 | 1 | 2 | 3;
  /**
   * `'auto'`: the first calls run code that is made quickly, without vectors of LLVM's making, while the other is not worth its
   * time yet. `'full'`: the best code from the first call on. Results are the same.
   */
  tier?: 'auto' | 'full';
}

/** What compiling for one list of types took, in milliseconds, and made. */
export interface NativeStats {
  /** Such as `'f64(f64[])'`. */
  readonly signature: string;
  /** Which code the next call runs; the figures are those of its making. */
  readonly tier: 'quick' | 'full';
  /** Where the machine code came from. */
  readonly cache: 'off' | 'miss' | 'disk' | 'memory';
  readonly codeBytes: number;
  /** From source to Loop IR. */
  readonly front: number;
  readonly loops: number;
  readonly emit: number;
  readonly optimize: number;
  readonly machine: number;
  readonly load: number;
  readonly lookup: number;
  /** All but `front`. */
  readonly total: number;
}

/**
 * What a function is on its way to machine code: its tree (`'hir'`), the same with machine types (`'tir'`), Loop IR
 * (`'loops'`); or the name of a pass, whose result it is.
 */
export type NativeStage =
  | 'hir'
  | 'tir'
  | 'loops'
  | 'build'
  | 'infer'
  | 'place-locals'
  | 'number-loops'
  | 'differentiate'
  | 'lower-tape'
  | 'canonical-loops'
  | 'speculate-integers'
  | 'hoist-checks'
  | 'guard-iterations'
  | 'narrow-integers'
  | 'parallel'
  | 'emit';

/** Options of `toWasm`. */
export interface NativeWasmOptions extends Omit<WasmOptions, 'weights' | 'threads'> {}

/** Options of `toObject`. */
export interface NativeObjectOptions extends Omit<ObjectOptions, 'threads'> {}

/** A function that {@link native} made. */
export interface NativeMembers<F extends (...args: any[]) => unknown> {
  /** The types that it has been compiled for, such as `'f64(f64[], f64)'`. */
  readonly signatures: readonly string[];
  readonly stats: readonly NativeStats[];
  /**
   * A call on another thread. Arrays among the arguments must stay where they are, and be left alone, until it is done.
   *
   * @throws {AbortError} when the signal aborts
   */
  runAsync(args: Readonly<Parameters<F>>, options?: { signal?: AbortSignal }): Promise<ReturnType<F>>;
  /** Loop IR of the code that was used last. */
  loops(): string;
  /** LLVM IR of the same. */
  llvm(options?: { optimized?: boolean }): string;
  /** Assembly of the same. */
  asm(): string;
  /**
   * What became of each loop, and why. With `stage`: what a stage or pass of the compiler leaves of the function for the
   * types that were used last, as text for people, which no version promises to keep. The function is compiled once more
   * for it, with what it captures as it is now.
   *
   * @throws {GraphError} `ERR_ARGUMENT` where the pass does not run for the function
   */
  explain(options?: { stage?: NativeStage }): string;
  /**
   * WebAssembly modules of the function, for the types of a signature or else of its own. Functions of numbers that cannot
   * fail are exports of their name; for all, the loader (`graphjit/web/function`) gives a function called like this one.
   *
   * @throws {GraphError} `ERR_ARGUMENT` where types are missing, `ERR_UNSUPPORTED` where it writes to captured arrays
   */
  toWasm(signature?: NativeSignature | string | null, options?: NativeWasmOptions): WasmModule;
  /** The same for the function's own types. */
  toWasm(options: NativeWasmOptions): WasmModule;
  /** An object file for C (or its text), under the name of the function: see {@link Graph.toObject}. */
  toObject(
    signature: NativeSignature | string | null | undefined,
    options: NativeObjectOptions & { emit: 'assembly' | 'llvm' },
  ): string;
  toObject(
    signature?: NativeSignature | string | null,
    options?: NativeObjectOptions & { emit?: 'object' | 'bitcode' },
  ): Uint8Array;
  toObject(signature?: NativeSignature | string | null, options?: NativeObjectOptions): Uint8Array | string;
  /** The same for the function's own types. */
  toObject(options: NativeObjectOptions & { emit: 'assembly' | 'llvm' }): string;
  toObject(options: NativeObjectOptions & { emit?: 'object' | 'bitcode' }): Uint8Array;
  toObject(options: NativeObjectOptions): Uint8Array | string;
  /** The C header of that object. */
  toHeader(signature?: NativeSignature | string | null, options?: { symbol?: string }): string;
  toHeader(options: { symbol?: string }): string;
  /** Frees the code; calls throw from then on. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** A function that {@link native} made. */
export type NativeFunction<F extends (...args: any[]) => unknown> = F & NativeMembers<F>;

/**
 * Makes machine code of a plain function, with the results of JavaScript bit for bit. It is compiled for the types of its
 * signature or else of the arguments of each call.
 *
 * @throws {GraphError} `ERR_UNSUPPORTED` with the line of the source for what cannot be compiled, `ERR_ARGUMENT` for a
 *   signature or option that is none; calls throw `ERR_DTYPE` for arguments that the signature does not allow
 * @example
 * const sum = native((x) => {
 *   let s = 0;
 *   for (let i = 0; i < x.length; i++) s += x[i];
 *   return s;
 * }, { params: ['f64[]'], returns: 'f64' });
 */
export function native<F extends (...args: any[]) => unknown>(
  fn: F,
  signature?: NativeSignature | string,
  options?: NativeOptions,
): NativeFunction<F>;
export function native<F extends (...args: any[]) => unknown>(
  fn: F,
  options: NativeOptions & Partial<NativeSignature>,
): NativeFunction<F>;
export function native(
  text: string,
  signature?: NativeSignature | string | (NativeOptions & Partial<NativeSignature>),
  options?: NativeOptions,
): NativeFunction<(...args: any[]) => any>;

/** What {@link vectorize} takes in place of a number: its elements, or the number for all of them. */
export type Elements = Tensor | TypedArray | number | bigint | boolean | readonly unknown[];

/** As many of one type as there are parameters. */
type Each<A extends unknown[], T> = { [K in keyof A]: T };

/** A function of numbers as one of tensors. */
export interface Vectorized<A extends any[], R> {
  /** All numbers: what the function gives. */
  (...args: Each<A, number | bigint | boolean>): R;
  /** Typed arrays, and numbers beside them: a typed array. */
  (...args: Each<A, TypedArray | number | bigint | boolean>): TypedArray;
  (...args: Each<A, Elements>): Tensor;
  /** Values: an op of their graph. */
  (...args: Each<A, Elements | Value>): Value;
  /** The native function. */
  readonly native: NativeFunction<(...args: A) => R>;
}

/**
 * Makes a function of tensors of a function of numbers: it is applied to each element. Operands broadcast; the dtype of the result is
 * that of the signature, or what the function gives: f64, or i32, u32, i64, u64, bool, or f32 of operands that are f32.
 *
 * @throws {GraphError} `ERR_UNSUPPORTED`, in calls too, for functions that may throw, keep arrays or give more than a number
 * @example
 * const clip = vectorize((x, lo, hi) => (x < lo ? lo : x > hi ? hi : x));
 * clip(Float64Array.of(1, 2, 3), 1.5, 2.5); // Float64Array [1.5, 2, 2.5]
 */
export function vectorize<A extends any[], R extends number | bigint | boolean>(
  fn: (...args: A) => R,
  signature?: NativeSignature | string | (NativeOptions & Partial<NativeSignature>),
  options?: NativeOptions,
): Vectorized<A, R>;
export function vectorize(
  text: string,
  signature?: NativeSignature | string | (NativeOptions & Partial<NativeSignature>),
  options?: NativeOptions,
): Vectorized<any[], any>;

/**
 * The numbers from 0, or `first`, up to but not including `end`. In a native function, the rounds of a `for` loop over it may
 * run at the same time, on several threads.
 *
 * @example
 * const fill = native((z) => { for (const i of prange(z.length)) z[i] = Math.sqrt(i); });
 */
export function prange(end: number): Iterable<number>;
export function prange(first: number, end: number): Iterable<number>;
