/** The loader of functions as WebAssembly, which `toWasm` of a native function makes. */

import type { ArrayTypes, Source } from './index.mjs';

/** The dtypes that arrays of functions have; `u8c` is a Uint8ClampedArray's. */
export interface Elements extends Omit<ArrayTypes, 'f16' | 'bf16' | 'bool'> {
  u8c: Uint8ClampedArray;
}

/** An array in the memory of the function, which calls use where it lies. */
export interface Allocated<A> {
  /** A view, made anew after memory has grown: do not keep it. */
  readonly data: A;
  /** Its address in the memory. */
  readonly at: number;
  readonly length: number;
  /** Gives the memory back. May be called again; `data` then throws `ERR_STATE`. */
  free(): void;
}

/** A function in a module. */
export interface Members {
  /** What the module exports: functions of numbers that cannot fail, under their names. */
  readonly exports: Readonly<Record<string, any>>;
  /** The WebAssembly.Memory, whose buffer is another one after it has grown. */
  readonly memory: { readonly buffer: ArrayBufferLike };
  /** An array of zeros. It is passed itself, or as its `data`. */
  allocate<D extends keyof Elements>(dtype: D, length: number): Allocated<Elements[D]>;
}

/**
 * Instantiates a module; of variants the best is taken that the engine knows. What is returned is called like the original
 * function: arrays are copied unless they lie in its memory, errors are those of the source.
 *
 * @throws {Error} by rejection, and in calls with arguments of other types; the name is `GraphError` then
 * @example
 * const norm = await load<(x: Float64Array) => number>(new URL('norm.wasm', import.meta.url));
 */
export function load<F extends (...args: any[]) => unknown = (...args: any[]) => any>(
  source: Source | { readonly mvp?: Source; readonly simd?: Source; readonly relaxed?: Source },
): Promise<F & Members>;
