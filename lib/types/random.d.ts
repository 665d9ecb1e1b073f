/**
 * Typings of random numbers; index.d.ts exports all of it.
 */

import type { DType, Tensor } from '../index.js';
import type { SymbolicShape, Value } from './value.js';

/** A key: u32[2]. */
export type Key = Tensor | Value;

/** Where numbers are drawn from: one of the two must be given. */
export interface Source {
  key?: Key;
  /** As `key: random.key(seed)`. */
  seed?: number | bigint;
}

/** Options of draws that give floats. */
export interface FloatDraw extends Source {
  /** `'f64'` unless told. */
  dtype?: 'f64' | 'f32' | 'f16' | 'bf16';
}

/** A number, or one per element. */
export type Parameter = number | Tensor | Value;

/** What is drawn: a Value where a key or a parameter is one. */
export type Drawn<O> = O extends { key: Value } ? Value : Value extends O[keyof O] ? Tensor | Value : Tensor;

/** Options of the distributions that have a place and a scale. */
export interface PlacedDraw extends FloatDraw {
  loc?: Parameter;
  scale?: Parameter;
}

/**
 * Random numbers. The same key, shape and dtype give the same numbers on every machine, for any number of threads, in
 * Node and in WebAssembly.
 *
 * @example
 * const [first, second] = random.split(random.key(42));
 * random.normal([2, 3], { key: first });
 */
export const random: {
  /** The key of an integer of up to 64 bits. */
  key(seed: number | bigint): Tensor<'u32'>;
  /** Independent keys, 2 unless told, in place of one. */
  split<K extends Key>(key: K, count?: number): K[];
  /** A key made of a key and an integer, such as the number of a step. */
  foldIn(key: Tensor, data: number | bigint | Tensor): Tensor;
  foldIn(key: Key, data: number | bigint | Tensor | Value): Key;

  /** Bits: u32, or u64 by option. */
  bits<O extends Source & { dtype?: 'u32' | 'u64' }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Uniform in [low, high), [0, 1) unless told; rounding may give `high` itself where the range is not [0, 1). */
  uniform<O extends FloatDraw & { low?: Parameter; high?: Parameter }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Normal, of mean 0 and deviation 1 unless told. */
  normal<O extends FloatDraw & { mean?: Parameter; std?: Parameter }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Normal between bounds, -2 and 2 unless told. */
  truncatedNormal<O extends FloatDraw & { low?: Parameter; high?: Parameter }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Exponential. */
  exponential<O extends PlacedDraw>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Laplace, the double exponential. */
  laplace<O extends PlacedDraw>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Gumbel, the extreme value distribution. */
  gumbel<O extends PlacedDraw>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Cauchy. */
  cauchy<O extends PlacedDraw>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Logistic. */
  logistic<O extends PlacedDraw>(shape: SymbolicShape, options: O): Drawn<O>;
  /** True with probability `p`, 0.5 unless told; another dtype by option. */
  bernoulli<O extends Source & { p?: Parameter; dtype?: DType }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Integers from `low` up to but without `high`, i32 unless told. */
  randint<O extends Source & { dtype?: DType }>(shape: SymbolicShape, low: number | bigint, high: number | bigint, options: O): Drawn<O>;
  /** Indices along an axis of logits, each as likely as the softmax says; `shape` is how many of each. */
  categorical<O extends Source & { shape?: SymbolicShape; axis?: number }>(logits: Tensor | Value, options: O): Drawn<O>;
};
