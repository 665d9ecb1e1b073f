/**
 * Typings of populations of programs and of evolution; index.d.ts exports all of it. docs/populations.md says more.
 */

import type { Graph, Tensor, TypedArray } from '../index.js';

// ------------------------------------------------------------------------------------- populations

/** A program as nested arrays: a number, the name of a variable, or an array of the name of an operator and its operands; or a text. */
export type ProgramTree = number | string | ProgramNode;
export type ProgramNode = readonly (number | string | ProgramNode)[];

/**
 * Programs as arrays, which are copied. Program `i` has the tokens from `offsets[i]` up to `offsets[i + 1]`. A token is the number of an operator in
 * the population's `ops`; -1 for a constant, whose value stands at the same place of `constants`; -2 - v for variable number v.
 */
export interface ProgramArrays {
  tokens: Int32Array;
  /** As many as there are tokens. */
  constants: Float64Array;
  /** One more than there are programs, rising from 0 to the number of tokens. */
  offsets: Uint32Array | Int32Array;
  /** Whether operators stand behind their operands or before them. Default `'postfix'`. */
  order?: 'postfix' | 'prefix';
}

/** An operator of one's own: an expression of its operands, such as `'p / sqrt(1 + q * q)'`. */
export interface OwnOperator {
  /** Of small letters, digits and underscores. */
  name: string;
  /** Up to 8. */
  operands: string[];
  expression: string;
}

/**
 * An operator that is a function of one to three numbers, native or one that `native` compiles. It may not throw, capture arrays or
 * call itself.
 */
export interface NativeOperator {
  /** Of small letters, digits and underscores. */
  name: string;
  native: (a: number, b: number, c: number) => number | boolean;
}

/** Operators that a population has: names of built-in ones, and own ones. A function is one under its name. */
export type Operators = readonly (string | OwnOperator | NativeOperator | NativeOperator['native'])[];

/**
 * A loss by name, or an expression or a function of `f`, the value of a program, and `y`, the target, whose mean over the rows is the
 * loss. Functions are compiled as by `native`, and may not throw or capture arrays.
 */
export type Loss = 'mse' | 'rmse' | 'mae' | 'r2' | 'correlation' | 'logLoss' | (string & {}) | ((f: number, y: number) => number);

/** One array for each variable, by name or in their order. */
export type ProgramColumns = Readonly<Record<string, TypedArray | Tensor | readonly number[]>> | readonly (TypedArray | Tensor | readonly number[])[];

/** Options of {@link population}. */
export interface PopulationOptions {
  /** Names of the columns that programs may have. */
  variables: readonly string[];
  /** The operators, in the order of their tokens. Default: all that are built in. */
  ops?: Operators;
  /** Whether `div`, `inv`, `log`, `log2`, `log10` and `sqrt` are protected, as in gplearn. Default false: IEEE 754. */
  protected?: boolean;
  /** What values are computed in. Default `'f64'`. */
  dtype?: 'f64' | 'f32';
  /** `'strict'`: elementary functions have the same bits on every machine. Default `'default'`. */
  numerics?: 'default' | 'strict';
}

/** Options of evaluations. */
export interface PredictOptions {
  /** Numbers of the rows that are looked at, in this order. Default: all. */
  rows?: readonly number[] | Int32Array | Uint32Array;
  /** Most threads. Default: as many as there are cores. Results do not depend on it. */
  threads?: number;
}

/** Options of {@link Population.errors}. */
export interface ErrorsOptions extends PredictOptions {
  /** Default `'mse'`: squares. */
  loss?: Loss;
}

/** Options of {@link Population.fitness}. */
export interface FitnessOptions extends ErrorsOptions {
  /** Of the rows, finite and not negative. Default: 1 each. */
  weights?: TypedArray | Tensor | readonly number[];
  /** Compare a + b f with the target, where a and b are those of weighted least squares. For `'mse'`, `'rmse'` and `'r2'`. Default false. */
  linearScaling?: boolean;
  /**
   * Programs whose loss is greater get Infinity, most of them without all rows being looked at. For losses that are means of what is
   * not negative.
   */
  bound?: number;
}

/** Options of {@link Population.fitConstants}. */
export interface FitConstantsOptions extends PredictOptions {
  weights?: TypedArray | Tensor | readonly number[];
  /** Most steps. Default 20. */
  iterations?: number;
}

/** Many programs over the same columns, evaluated together. */
export interface Population {
  /** How many programs. */
  readonly size: number;
  readonly variables: readonly string[];
  readonly dtype: 'f64' | 'f32';
  readonly numerics: 'default' | 'strict';
  /** How many different values there are, equal subtrees of all programs counted once. */
  readonly nodes: number;
  /** Names of the operators, in the order of their tokens. */
  readonly ops: string[];
  readonly programs: Required<ProgramArrays>;
  /** The values, [programs, rows]. */
  predict(columns: ProgramColumns, options?: PredictOptions): Tensor;
  /** What each row adds to the loss, [programs, rows], such as for lexicase selection. */
  errors(columns: ProgramColumns, target: TypedArray | Tensor | readonly number[], options?: ErrorsOptions): Tensor;
  /** The loss of each program; NaN where its values make it so. */
  fitness(
    columns: ProgramColumns,
    target: TypedArray | Tensor | readonly number[],
    options?: FitnessOptions,
  ): { values: Float64Array; intercepts?: Float64Array; slopes?: Float64Array };
  /**
   * The programs with constants that make the mean of squares less, by Levenberg and Marquardt's method from those that they have,
   * and those means. Programs with more than 64 constants stay as they are.
   */
  fitConstants(
    columns: ProgramColumns,
    target: TypedArray | Tensor | readonly number[],
    options?: FitConstantsOptions,
  ): { programs: Required<ProgramArrays>; values: Float64Array };
  /** A program as an expression, which `population` reads back. */
  toString(index?: number): string;
  toLatex(index: number): string;
  /**
   * A program as a graph with an input [n] for each variable and the output `value`, [n]; without a number all programs, with the
   * output `values`, [programs, n].
   */
  toGraph(index?: number): Graph;
  /** Frees memory at once. Afterwards there are only texts and graphs. */
  dispose(): void;
}

/**
 * Programs that are evaluated together: trees of operators over columns, as nested arrays, texts or typed arrays. Nothing is
 * compiled: prebuilt kernels go over blocks of rows, and equal subtrees are computed once.
 *
 * @example
 * const all = population([['add', 'x', ['mul', 2, 'y']], 'sin(x) / y'], { variables: ['x', 'y'] });
 * all.fitness({ x, y }, target).values;
 *
 * @throws {GraphError} `ERR_ARGUMENT`, `ERR_SHAPE`, `ERR_PARSE` for what is no program
 */
export function population(programs: readonly ProgramTree[] | ProgramArrays, options: PopulationOptions): Population;

// ------------------------------------------------------------------------------------- numeric evolution

/** What {@link evolve} minimises: a function of a vector, which is a copy, or of a tensor [n, size] to n values, or a graph of such. */
export type EvolveObjective = ((x: any) => any) | Graph;

/** What a callback learns of a generation. */
export interface EvolveReport {
  generation: number;
  evaluations: number;
  /** The least value so far, and where it is. */
  value: number;
  x: Float64Array;
  /** Of the values of this generation. */
  mean: number;
}

/** Options of all methods of {@link evolve}. */
export interface EvolveCommonOptions {
  /** The least and the greatest number of each gene, whose difference is finite. */
  bounds: readonly (readonly number[])[];
  /** Default: 100 for `'ga'`, 5 for each gene but 20 at least for `'de'`, 4 + 3 ln(size) for `'cmaes'`. */
  populationSize?: number;
  /** After the first. Default 200, without an end where `maxEvaluations` is given. */
  generations?: number;
  /** At least a generation of them. Default: no limit. */
  maxEvaluations?: number;
  /** A value that is small enough. */
  target?: number;
  /** An integer. Default 0. */
  seed?: number;
  /** One of the first individuals; the first mean of `'cmaes'`. */
  start?: TypedArray | Tensor | readonly number[];
  /** Whether the objective is a function of a tensor [n, size], which is compiled. Functions made by `jit` and graphs are. Default false. */
  vectorized?: boolean;
  /** Most threads. Default: as many as there are cores. Results do not depend on it. */
  threads?: number;
  /** Called after each generation; false ends the search. */
  onGeneration?: (report: EvolveReport) => unknown;
  signal?: AbortSignal;
}

/** A real-coded genetic algorithm. */
export interface GeneticOptions extends EvolveCommonOptions {
  method?: 'ga';
  /** How many meet, of which the best becomes a parent. Default 3. */
  tournament?: number;
  /** Best ones that stay. Default 1. */
  elites?: number;
  /** Simulated binary crossover, or BLX-α. Default `'sbx'`. */
  crossover?: 'sbx' | 'blend';
  /** Of pairs. Default 0.9. */
  crossoverRate?: number;
  /** Of `'sbx'`: the larger, the nearer are children to their parents. Default 15. */
  eta?: number;
  /** Of `'blend'`, at most 1e6. Default 0.5. */
  alpha?: number;
  /** Of genes. Default 1 / size. */
  mutationRate?: number;
  /** Standard deviation of a mutation, in parts of the range of the gene, at most 1e6. Default 0.1. */
  mutationScale?: number;
}

/** Differential evolution. */
export interface DifferentialOptions extends EvolveCommonOptions {
  method: 'de';
  /** What differences are added to: a random individual, or a point between each and one of the best tenth. Default `'rand'`. */
  strategy?: 'rand' | 'best';
  /** Of differences, at most 1e6. Default 0.8. */
  weight?: number;
  /** Of genes. Default 0.9. */
  crossoverRate?: number;
}

/** Covariance matrix adaptation. */
export interface CmaOptions extends EvolveCommonOptions {
  method: 'cmaes';
  /** The first standard deviation, in parts of the ranges, at most 1e6. Default 0.3. */
  sigma?: number;
}

export type EvolveOptions = GeneticOptions | DifferentialOptions | CmaOptions;

export interface EvolveResult {
  /** f64 [size] */
  x: Tensor & { readonly data: Float64Array };
  value: number;
  generations: number;
  evaluations: number;
  /** Why it ended. */
  reason: string;
}

/**
 * The least value of a function within bounds, by a genetic algorithm, differential evolution or CMA-ES. A seed is a run, whatever
 * the number of threads; NaN is worse than anything.
 *
 * @example
 * const { x, value } = evolve(native((x) => (x[0] - 1) ** 2 + x[1] ** 2), { bounds: [[-5, 5], [-5, 5]] });
 */
export function evolve(objective: EvolveObjective, options: EvolveOptions): EvolveResult;
/** The same with pauses for the event loop, so that a signal can end it; rejects with an AbortError then. */
export function evolveAsync(objective: EvolveObjective, options: EvolveOptions): Promise<EvolveResult>;

// ------------------------------------------------------------------------------------- symbolic regression

/** Options of {@link symbolicRegression}. */
export interface SymbolicRegressionOptions {
  /** Names of the columns. Default: the keys of X, or `x0`, `x1`, … */
  variables?: readonly string[];
  /** Default `['add', 'sub', 'mul', 'div', 'sin', 'cos', 'exp', 'log']`. */
  ops?: Operators;
  /** As of {@link population}. Default false. */
  protected?: boolean;
  dtype?: 'f64' | 'f32';
  numerics?: 'default' | 'strict';
  /** What is made less, so no `'r2'` or `'correlation'`. Default `'mse'`. */
  loss?: Loss;
  /** Trees of an island. Default 120. */
  populationSize?: number;
  /** Default 10. */
  islands?: number;
  /** Default 400. */
  generations?: number;
  /** Most tokens of a formula. Default 25. */
  maxSize?: number;
  /** How many meet in a tournament. Default 4. */
  tournament?: number;
  /** Of children that are no mutations. Default 0.8. */
  crossoverRate?: number;
  /** How much a size that many trees have counts against them, in the logarithm of the loss. Default 10. */
  parsimony?: number;
  /** New constants lie between it and its negative; 0: there are none. Default 5. */
  constantRange?: number;
  /** Whether constants are fitted, where the loss is one of squares. Default true. */
  fitConstants?: boolean;
  /** A loss that is small enough. Default: what rounding leaves of `'mse'`, `'rmse'` and `'mae'`. */
  target?: number;
  /** An integer: the same run each time, whatever the number of threads. Default 0. */
  seed?: number;
  /**
   * At most so many. Default: all cores. Evaluation is on all of them; where breeding takes most of the time of a search, so are islands,
   * on worker threads, unless operators or the loss are functions of your own.
   */
  threads?: number;
}

/** Rows of numbers, a tensor [rows, variables], or columns by name. */
export type RegressionInput = readonly (readonly number[] | Exclude<TypedArray, BigInt64Array | BigUint64Array>)[] | Tensor | Readonly<Record<string, TypedArray | Tensor | readonly number[]>>;

/** Options of fitting. */
export interface RegressionFitOptions {
  /** Of the rows. */
  weights?: TypedArray | Tensor | readonly number[];
  /** What {@link SymbolicRegressor.state} was: the search goes on from there. Over other data, or with other functions, its trees are measured anew. */
  state?: unknown;
  /** Called after each generation; false ends the search. */
  onGeneration?: (report: { generation: number; evaluations: number; loss: number; expression: string }) => unknown;
  signal?: AbortSignal;
  /** Whether lines on stderr tell how far it is; a terminal has one line that is rewritten. Default false. */
  verbose?: boolean;
}

/** A formula of the front. */
export interface Formula {
  /** Tokens. */
  readonly size: number;
  readonly loss: number;
  /** How much the logarithm of the loss drops for each token more than those of the formula before. */
  readonly score: number;
  readonly expression: string;
  readonly population: Population;
  toString(): string;
  toLatex(): string;
  /** The element `math`, with constants of five digits. */
  toMathml(): string;
  toGraph(): Graph;
}

export interface SymbolicRegressor {
  /** @throws {GraphError} `ERR_ARGUMENT` for a target that is not finite, or weights that are all 0 */
  fit(x: RegressionInput, y: TypedArray | Tensor | readonly number[], options?: RegressionFitOptions): this;
  /** With pauses for the event loop, so that a signal can end it; rejects with an AbortError then. */
  fitAsync(x: RegressionInput, y: TypedArray | Tensor | readonly number[], options?: RegressionFitOptions): Promise<this>;
  /** The best formulas of rising size, each better than those before. */
  readonly front: readonly Formula[];
  /** That of the greatest score among those whose loss is at most 1.5 times the least, or what rounding leaves. */
  readonly best: Formula;
  /** The values of the best formula, f64 or f32 [rows]. */
  predict(x: RegressionInput): Tensor;
  /** R² of the best formula. */
  score(x: RegressionInput, y: TypedArray | Tensor | readonly number[], options?: { weights?: TypedArray | Tensor | readonly number[] }): number;
  toString(): string;
  toLatex(): string;
  toGraph(): Graph;
  /** The front and its fits as a page, one file that asks the network for nothing. */
  toHtml(options?: { title?: string }): string;
  /** All trees of the search, as plain data that JSON can hold. */
  readonly state: unknown;
}

/**
 * Searches formulas for data by evolution of expression trees, in the manner of gplearn and PySR: islands, subtree crossover and
 * mutation, the best formula of each size, constants by least squares.
 *
 * @example
 * const model = symbolicRegression({ seed: 1 }).fit({ x, y }, target);
 * console.log(String(model), model.score({ x, y }, target));
 */
export function symbolicRegression(options?: SymbolicRegressionOptions): SymbolicRegressor;
