/**
 * Typings of forests of decision trees; index.d.ts exports all of it, and `load` itself.
 */

import type { Tensor, TypedArray } from '../index.js';
import type { ObjectOptions, WasmModule } from './graph.js';

/**
 * What {@link Forest.predict} gives of each row.
 *
 * | output | is | shape, dtype |
 * |---|---|---|
 * | `'prediction'` | the margin after the objective's transform: a probability, a rate, a value; a class where the objective gives classes | [rows] or [rows, outputs] |
 * | `'margin'` | the sum of the trees, as the library has it before any transform | the same |
 * | `'probability'` | of the second of two classes, or of each class | the same |
 * | `'class'` | the number of the most probable class | [rows], i32 |
 * | `'leaf'` | the leaf of each tree, by the library's own number | [rows, trees], i32 |
 * | `'contributions'` | what each feature adds to the margin (SHAP values), and last what any row begins with | [rows, features + 1] or [rows, outputs, features + 1], f64 |
 *
 * Sums are f32 for XGBoost and f64 for LightGBM and CatBoost.
 */
export type ForestOutput = 'prediction' | 'margin' | 'probability' | 'class' | 'leaf' | 'contributions';

/**
 * Rows of features: a tensor [rows, features] or [features], a typed array of whole rows one behind the other, rows as
 * arrays, or columns by the names of features (`f0`, `f1`, … where the file has none). Missing values are NaN; in arrays
 * null and undefined too.
 */
export type ForestRows =
  | Tensor
  | TypedArray
  | readonly (number | null | undefined)[]
  | readonly (TypedArray | readonly (number | null | undefined)[])[]
  | Readonly<Record<string, Tensor | TypedArray | readonly (number | null | undefined)[]>>;

export interface ForestPredictOptions {
  /** `'prediction'` if not given. */
  output?: ForestOutput;
  /** The first so many iterations of boosting, or those from `first` up to `end`. All if not given. */
  iterations?: number | readonly [first: number, end: number];
  /** What stands for a missing value besides NaN; what `load` was told if not given. */
  missing?: number;
}

export interface ForestPredictAsyncOptions extends ForestPredictOptions {
  signal?: AbortSignal;
}

/** Options of `load` for forests. */
export interface ForestOptions {
  /** Refuses files of others. */
  format?: 'xgboost' | 'lightgbm' | 'catboost';
  /** Threads of a prediction, 1 … 256; as many as there are processors if not given. */
  threads?: number;
  /** What stands for a missing value in rows besides NaN, such as 0 or -999; nothing else if not given. */
  missing?: number;
}

/** What leaves the process: all iterations. */
export interface ForestExportOptions {
  /** `'prediction'` if not given. */
  output?: 'prediction' | 'margin';
  /** Of rows; `'f32'` if not given. */
  dtype?: 'f32' | 'f64';
}

export interface ForestWasmOptions extends ForestExportOptions {
  optLevel?: 0 | 1 | 2 | 3;
  /** What engines must know; `['simd']` if not given. */
  variants?: readonly ('mvp' | 'simd' | 'relaxed')[];
  /** Whether `wasm-opt` shrinks modules; `'auto'`: if it is there. */
  optimize?: boolean | 'auto';
}

export type ForestObjectOptions = ForestExportOptions & Omit<ObjectOptions, 'threads'>;

/** Some trees of a forest, and the levels of the deepest. */
export interface ForestTrees {
  trees: number;
  levels: number;
}

/** How a forest is laid out, and nanoseconds of a row, measured by this call. */
export interface ForestExplanation {
  layout: 'compared' | 'followed' | 'compared and followed';
  reason: string;
  /** How one row is taken. */
  single: string;
  /** Trees all of whose nodes are compared. */
  compared: ForestTrees;
  /** Trees that are followed from their roots. */
  followed: ForestTrees;
  nodes: number;
  /** Of all features, those that nodes share counted once. */
  thresholds: number;
  /** Rows that are taken together. */
  block: number;
  /** Of the table and its parts, of the code, which all forests share, and of the memory that each thread works in. */
  bytes: { table: number; thresholds: number; nodes: number; compared: number; code: number; work: number };
  /** That the table took, and the code, the first time or from the disk. */
  compileMilliseconds: { table: number; code: number };
  threads: number;
  /** Of one row with the call, and of each of some hundred on all threads; null without features. */
  nanoseconds: { row: number; batch: number } | null;
}

/**
 * A model of XGBoost, LightGBM or CatBoost, compiled; made by `load`. It computes what the library does, to the same bits
 * before transforms.
 *
 * @example
 * const forest = await load('model.json');
 * const chances = forest.predict([[5.1, 3.5, null, 0.2]]);
 */
export class Forest {
  private constructor();
  readonly source: 'xgboost' | 'lightgbm' | 'catboost';
  /** As the file names it; an empty text where it names none. */
  readonly objective: string;
  readonly task: 'regression' | 'binary' | 'multiclass' | 'ranking';
  readonly features: number;
  readonly featureNames: readonly string[] | null;
  /** Sums of a row: 1, or one for each class. */
  readonly outputs: number;
  readonly trees: number;
  readonly iterations: number;
  /**
   * @throws {GraphError} `ERR_SHAPE` for rows of another number of features, `ERR_ARGUMENT` for what is no row and unknown
   *   options, `ERR_UNSUPPORTED` for what the model cannot give, `ERR_STATE` for detached arrays
   */
  predict(rows: ForestRows, options?: ForestPredictOptions): Tensor;
  /** The same on other threads. */
  predictAsync(rows: ForestRows, options?: ForestPredictAsyncOptions): Promise<Tensor>;
  explain(): ForestExplanation;
  /**
   * A module that the loader `graphjit/web/function` makes a function of: from a typed array of whole rows to a fresh one of
   * predictions, [rows, outputs].
   *
   * @throws {GraphError} `ERR_UNSUPPORTED` for linear leaves, and for predictions that are classes
   */
  toWasm(options?: ForestWasmOptions): WasmModule;
  /** An object with `int32_t SYMBOL(const float *x, int64_t rows, float *out, void *work)`, which {@link Forest.toHeader} describes. */
  toObject(options?: ForestObjectOptions & { emit?: 'object' | 'bitcode' }): Uint8Array;
  toObject(options: ForestObjectOptions & { emit: 'assembly' | 'llvm' }): string;
  toHeader(options?: ForestExportOptions & { symbol?: string }): string;
}
