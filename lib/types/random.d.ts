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

/** Options of {@link random.choice}. */
export interface ChoiceOptions {
  /** How many, `[]` (one) unless told. */
  shape?: SymbolicShape;
  /** Whether an element may come again. Default true. */
  replace?: boolean;
  /** Weights of the elements. */
  p?: Tensor | Value | readonly number[] | Float64Array | Float32Array;
  axis?: number;
}

/** Options of draws that give whole numbers. */
export interface CountDraw extends Source {
  /** `'i64'` unless told; may be a float. */
  dtype?: Exclude<DType, 'bool'>;
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
  /** e to a normal number of that mean and deviation. */
  logNormal<O extends FloatDraw & { mean?: Parameter; std?: Parameter }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Rayleigh: the length of a pair of normal numbers. */
  rayleigh<O extends PlacedDraw>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Weibull: an exponential number to the power 1 / a, times `scale`. */
  weibull<O extends FloatDraw & { a?: Parameter; scale?: Parameter }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Pareto, from `scale` on, with tails as x to the -a. */
  pareto<O extends FloatDraw & { a?: Parameter; scale?: Parameter }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Gamma of shape `a`, times `scale`. */
  gamma<O extends FloatDraw & { a?: Parameter; scale?: Parameter }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Beta. */
  beta<O extends FloatDraw & { a?: Parameter; b?: Parameter }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** χ² of `df` degrees of freedom. */
  chiSquare<O extends FloatDraw & { df?: Parameter }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Student's t of `df` degrees of freedom. */
  studentT<O extends FloatDraw & { df?: Parameter }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Points whose coordinates, along a new last axis as long as that of `alpha`, are positive and add up to 1. */
  dirichlet<O extends FloatDraw & { alpha: Tensor | Value }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** How many events there are where `lam` are expected. */
  poisson<O extends CountDraw & { lam?: Parameter }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** How many of `n` trials succeed, each with probability `p`, 0.5 unless told. */
  binomial<O extends CountDraw & { n: Parameter; p?: Parameter }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** How many of `n` things fall to each category along the last axis of `p`, which becomes the last of the result. */
  multinomial<O extends CountDraw & { n: Parameter; p: Tensor | Value }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** The number of the first trial that succeeds, counted from 1, each with probability `p`, 0.5 unless told. */
  geometric<O extends CountDraw & { p?: Parameter }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** True with probability `p`, 0.5 unless told; another dtype by option. */
  bernoulli<O extends Source & { p?: Parameter; dtype?: DType }>(shape: SymbolicShape, options: O): Drawn<O>;
  /** Integers from `low` up to but without `high`, i32 unless told. */
  randint<O extends Source & { dtype?: DType }>(shape: SymbolicShape, low: number | bigint, high: number | bigint, options: O): Drawn<O>;
  /** Indices along an axis of logits, each as likely as the softmax says; `shape` is how many of each. */
  categorical<O extends Source & { shape?: SymbolicShape; axis?: number }>(logits: Tensor | Value, options: O): Drawn<O>;
  /**
   * Elements along an axis (0 by default), which the axes of `shape` replace; of a number n, the integers below it (`i64`).
   * Each is as likely as its weight in `p`, a vector that need not add up to 1. With `replace: false` none comes twice.
   */
  choice<A extends number | Tensor | Value, O extends Source & ChoiceOptions>(a: A, options: O): A extends Value ? Value : Drawn<O>;
  /**
   * The slices along an axis (0 by default) in a random order, each line in its own with `independent`; of a number n, the
   * integers below it (`i64`).
   */
  permutation<A extends number | Tensor | Value, O extends Source & { axis?: number; independent?: boolean }>(
    a: A,
    options: O,
  ): A extends Value ? Value : Drawn<O>;
};
