/**
 * Typings of optimisers, schedules, clipping, initialisers and solvers; index.d.ts exports all of it. docs/training.md says
 * more.
 */

import type { Tensor } from '../index.js';
import type { Given, TensorLike } from './jit.js';
import type { Key } from './random.js';
import type { SymbolicShape, Value } from './value.js';

// ------------------------------------------------------------------------------------- optimisers

/** A number as a function of the step, counted from 0: of a number, or of a scalar as in a traced step. */
export interface Schedule {
  (step: number): number;
  (step: Value): Value;
  (step: Tensor): Tensor;
}

/** A learning rate: a number, or any function of the step, an `f64` scalar, to one. */
export type LearningRate = number | ((step: Value) => Value | number);

/** What an optimiser remembers: the number of the step (`i32`), and trees like the parameters. */
export type OptimizerState = { step: any } & Record<string, any>;

/**
 * How parameters follow from gradients. Parameters are a tree of float tensors; nothing is written in place.
 *
 * @example
 * const { init, update } = adam({ learningRate: 1e-3 });
 * let state = init(params);
 * const step = jit((params, state, x, y) => {
 *   const [loss, grads] = valueAndGrad(lossOf)(params, x, y);
 *   return [...update(grads, state, params), loss];
 * }, { donate: ['params', 'state'] });
 * [params, state, loss] = step(params, state, x, y);
 */
export interface Optimizer {
  /** The state before the first step. */
  init(params: any): OptimizerState;
  /**
   * The new parameters and the new state. With Values it adds to the graph that is traced; with tensors it is compiled by itself.
   *
   * @throws {GraphError} `ERR_ARGUMENT`, `ERR_SHAPE` where a tree is not like the parameters, `ERR_DTYPE` for parameters that are
   *   no floats
   */
  update<P>(grads: any, state: OptimizerState, params: P): [params: P extends Value ? P : any, state: OptimizerState];
}

/** Options of {@link sgd}. */
export interface SgdOptions {
  learningRate: LearningRate;
  /** 0 unless told, up to but not 1. */
  momentum?: number;
  /** Nesterov's momentum. Default false. */
  nesterov?: boolean;
  /** Times the parameters, added to the gradient. 0 unless told. */
  weightDecay?: number;
}

/** Options of {@link adam} and {@link adamW}. */
export interface AdamOptions {
  /** 0.001 unless told. */
  learningRate?: LearningRate;
  /** How much averages of gradients and of their squares keep of a step: `[0.9, 0.999]` unless told. */
  betas?: readonly [number, number];
  /** Added to the root of the average of squares. 1e-8 unless told. */
  epsilon?: number;
  /** Of adam added to the gradient, 0 unless told; of adamW apart from it, 0.01 unless told. */
  weightDecay?: number;
}

/** Options of {@link rmsprop}. */
export interface RmspropOptions {
  /** 0.01 unless told. */
  learningRate?: LearningRate;
  /** How much the average of squares keeps of a step. 0.99 unless told. */
  alpha?: number;
  /** 1e-8 unless told, added to the root. */
  epsilon?: number;
  weightDecay?: number;
  momentum?: number;
  /** Whether the average of gradients is taken off the squares. Default false. */
  centered?: boolean;
}

/** Options of {@link lion}. */
export interface LionOptions {
  /** 0.0001 unless told. */
  learningRate?: LearningRate;
  /** Of the step, and of the average that is kept: `[0.9, 0.99]` unless told. */
  betas?: readonly [number, number];
  /** Apart from the gradient. 0 unless told. */
  weightDecay?: number;
}

/** Gradient descent, with momentum as in PyTorch. */
export function sgd(options: SgdOptions): Optimizer;
/** Adam: steps by an average of gradients over the root of one of their squares. */
export function adam(options?: AdamOptions): Optimizer;
/** Adam with decay apart from the gradient. */
export function adamW(options?: AdamOptions): Optimizer;
/** Steps by gradients over the root of an average of their squares. */
export function rmsprop(options?: RmspropOptions): Optimizer;
/** Steps of one size, with the sign of an average of gradients. */
export function lion(options?: LionOptions): Optimizer;

/**
 * Learning rates as functions of the step, counted from 0. Behind its last step one stays where it is.
 *
 * @example
 * const rate = schedules.warmupCosine(1e-3, { warmup: 100, steps: 2000 });
 * rate(50); // 0.0005
 */
export const schedules: {
  constant(value: number): Schedule;
  /** A straight line over `steps` steps from `begin`. */
  linear(from: number, to: number, options: { steps: number; begin?: number }): Schedule;
  /** value · rate^(step / steps), whole powers alone with `staircase`, and not beyond `end`. */
  exponentialDecay(
    value: number,
    options: { steps: number; rate: number; staircase?: boolean; begin?: number; end?: number },
  ): Schedule;
  /** From a value to `end` by half a wave of the cosine. */
  cosineDecay(value: number, options: { steps: number; end?: number }): Schedule;
  /** From `start` up to a peak in a straight line, then to `end` by the cosine; `steps` counts both. */
  warmupCosine(peak: number, options: { warmup: number; steps: number; start?: number; end?: number }): Schedule;
  /** `values[i]` up to but without step `boundaries[i]`. */
  piecewise(values: readonly number[], boundaries: readonly number[]): Schedule;
};

// --------------------------------------------------------------------------------------- clipping

/** The root of the sum of the squares of all elements of a tree: a scalar. */
export function globalNorm<T>(grads: T): T extends Value ? Value : any;

/**
 * A tree with each leaf scaled so that its norm is at most `max`. Leaves within it stay as they are, bit for bit.
 *
 * @throws {GraphError} `ERR_ARGUMENT` for a norm that is not above 0, `ERR_DTYPE` for leaves that are no floats
 */
export function clipByNorm<T>(grads: T, max: number | Value): T;
/** The same with all leaves scaled alike, by the norm of all: {@link globalNorm}. */
export function clipByGlobalNorm<T>(grads: T, max: number | Value): T;

// ------------------------------------------------------------------------------------ initialisers

/** Options of all initialisers. */
export interface InitializerOptions {
  /** `'f64'` unless told. */
  dtype?: 'f64' | 'f32' | 'f16' | 'bf16';
}

/** Options of initialisers that count inputs and outputs. */
export interface FanOptions extends InitializerOptions {
  /** The axis of inputs: 0 of a matrix, else 1, unless told. */
  inAxis?: number;
  /** The axis of outputs: 1 of a matrix, else 0, unless told. */
  outAxis?: number;
}

/** First values of a parameter. Those that draw need a key. */
export type Initializer<O extends InitializerOptions = InitializerOptions> = <K extends Key | null>(
  key: K,
  shape: SymbolicShape,
  options?: O,
) => K extends Tensor | null ? Tensor : any;

/**
 * Initialisers by their usual names. A matrix is [in, out]; shapes of more axes are those of convolutions, [out, in, ...window].
 *
 * @example
 * const [a, b] = random.split(random.key(1));
 * const weight = initializers.heNormal(a, [784, 128], { dtype: 'f32' });
 */
export const initializers: {
  zeros: Initializer;
  ones: Initializer;
  constant: Initializer<InitializerOptions & { value?: number }>;
  normal: Initializer<InitializerOptions & { mean?: number; std?: number }>;
  /** Normal numbers within two deviations of a wider one, so that their own deviation is `std`. */
  truncatedNormal: Initializer<InitializerOptions & { std?: number }>;
  uniform: Initializer<InitializerOptions & { low?: number; high?: number }>;
  /** Variance 2 / (in + out). */
  glorotUniform: Initializer<FanOptions>;
  glorotNormal: Initializer<FanOptions>;
  /** Variance 2 / in, for layers in front of a relu. */
  heUniform: Initializer<FanOptions>;
  heNormal: Initializer<FanOptions>;
  /** Variance 1 / in. */
  lecunUniform: Initializer<FanOptions>;
  lecunNormal: Initializer<FanOptions>;
  /** Orthonormal rows or columns, whichever are fewer, of inputs by outputs, times `scale` (1). */
  orthogonal: Initializer<FanOptions & { scale?: number }>;
};

// ----------------------------------------------------------------------------------------- solvers

/** What a function that is solved gets for what x0 is: Values in its place. */
export type Solved<X> = X extends TensorLike ? Value : { [K in keyof X]: Solved<X[K]> };

/** What a solver gives for what x0 is: numbers as they are, tensors for typed arrays. */
export type Solution<X> = X extends number
  ? number
  : X extends TensorLike
    ? Tensor
    : { -readonly [K in keyof X]: Solution<X[K]> };

/** Options of all solvers. */
export interface SolverOptions<X, A extends readonly unknown[] = readonly unknown[]> {
  /** What the function is given behind x, such as data. Data that it closes over is part of the compiled code. */
  args?: Given<A>;
  /** When to stop. */
  tolerance?: number;
  maxIterations?: number;
  /** Called behind each iteration; `false` ends it all. */
  callback?: (progress: { iteration: number; x: Solution<X>; value: number; gradient?: Solution<X> }) => unknown;
  /** Looked at between iterations. */
  signal?: AbortSignal;
}

/** What all solvers give. */
export interface SolverResult<X> {
  readonly x: Solution<X>;
  /** Of minimize what the function is there, of leastSquares half the sum of squares, else the size of what is left. */
  readonly value: number;
  readonly iterations: number;
  /** Runs of compiled code. */
  readonly evaluations: number;
  readonly success: boolean;
  /** How it ended. */
  readonly message: string;
}

/** Options of {@link minimize}. */
export interface MinimizeOptions<X, A extends readonly unknown[] = readonly unknown[]> extends SolverOptions<X, A> {
  /** `'bfgs'` unless told, `'lbfgs'` for more than 512 variables. `'nelder-mead'` needs no derivatives. */
  method?: 'bfgs' | 'lbfgs' | 'newton-cg' | 'nelder-mead';
  /** How many steps L-BFGS remembers. 10 unless told. */
  memory?: number;
  /** The largest element of the gradient, 1e-5 unless told; of Nelder-Mead the width of the simplex in x and value, 1e-6. */
  tolerance?: number;
}

/** What {@link minimize} gives. */
export interface MinimizeResult<X> extends SolverResult<X> {
  /** `null` where none was computed. */
  readonly gradient: Solution<X> | null;
}

/**
 * Where a function of a tree of tensors, which gives a scalar, is least, near x0. It is traced once and compiled together with
 * its gradient; the loop is JavaScript's.
 *
 * @throws {GraphError} `ERR_SHAPE` where the result is no scalar, `ERR_DTYPE` where it or x0 is not of floats, `ERR_ARGUMENT`
 *   where function or gradient are not finite at x0, `ERR_UNSUPPORTED` for an op that has no derivative
 * @throws {AbortError} when the signal aborts
 * @example
 * const { x } = minimize(([x, y]) => x.sub(1).square().add(y.sub(x.square()).square().mul(100)), [-1.2, 1]);
 */
export function minimize<X, A extends readonly unknown[] = readonly unknown[]>(
  fn: (x: Solved<X>, ...args: A) => Value | number,
  x0: X,
  options?: MinimizeOptions<X, A>,
): MinimizeResult<X>;

/** What {@link leastSquares} gives. */
export interface LeastSquaresResult<X> extends SolverResult<X> {
  readonly gradient: Solution<X>;
  /** All residuals one behind the other. */
  readonly residuals: Tensor<'f64'>;
  /** How they change with all of x: [residuals, x]. */
  readonly jacobian: Tensor<'f64'>;
  /**
   * Of all of x, where residuals are independent and of one deviation, which they are taken for; `null` where there are no more of
   * them than variables, or where they do not tell these apart. The roots of its diagonal are standard errors.
   */
  readonly covariance: Tensor<'f64'> | null;
}

/**
 * What makes the sum of the squares of residuals least, near x0, by the method of Levenberg and Marquardt. `tolerance` (1e-8) is
 * that of the gradient, of steps and of changes of the sum, relative to x and the sum.
 *
 * @throws {GraphError} as {@link minimize}
 * @example
 * const fit = leastSquares(({ a, b }, t, y) => t.mul(b).exp().mul(a).sub(y), { a: 1, b: -1 }, { args: [t, y] });
 */
export function leastSquares<X, A extends readonly unknown[] = readonly unknown[]>(
  fn: (x: Solved<X>, ...args: A) => any,
  x0: X,
  options?: SolverOptions<X, A> & { method?: 'lm' },
): LeastSquaresResult<X>;

/**
 * Where all that a function gives is 0, near x0: as many numbers as x0 has. Newton's method, or Broyden's, which needs no
 * derivatives, where there are none. `tolerance` (1e-10) is that of the largest number.
 *
 * @throws {GraphError} as {@link minimize}; `ERR_SHAPE` where the function gives more or fewer numbers
 * @example
 * const { x } = root(([x, y]) => [x.square().add(y.square()).sub(4), x.mul(y).sub(1)], [2, 0.1]);
 */
export function root<X, A extends readonly unknown[] = readonly unknown[]>(
  fn: (x: Solved<X>, ...args: A) => any,
  x0: X,
  options?: SolverOptions<X, A> & { method?: 'newton' | 'broyden' },
): SolverResult<X>;

/**
 * Where a function gives what it is given, by iteration that Anderson's method speeds up. `tolerance` (1e-10) is that of the largest
 * change, relative to x.
 *
 * @throws {GraphError} as {@link root}
 * @example
 * const { x } = fixedPoint((x) => x.cos(), 1);
 */
export function fixedPoint<X, A extends readonly unknown[] = readonly unknown[]>(
  fn: (x: Solved<X>, ...args: A) => any,
  x0: X,
  options?: SolverOptions<X, A> & {
    /** How many iterations are remembered: 5 unless told, 0 for none. */
    memory?: number;
  },
): SolverResult<X>;
