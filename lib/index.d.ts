/**
 * Typings of graphjit, written for readers.
 *
 * Sections: errors, dtypes, tensors, creation; types/value.d.ts has values and the operations on them,
 * types/graph.d.ts graphs and programs, types/jit.d.ts functions of tensors, types/function.d.ts plain functions,
 * types/random.d.ts random numbers, types/transform.d.ts derivatives, types/optimise.d.ts optimisers and solvers,
 * types/models.d.ts model files, types/forests.d.ts forests of trees, types/columns.d.ts expressions over columns, types/maps.d.ts static maps,
 * types/evolve.d.ts populations, evolution and symbolic regression. In every section the types come first, then
 * what can be called. A dtype leads to its typed array through {@link DataTypeMap} and to its JavaScript value through {@link ScalarOf}; nothing else in this file lists dtypes.
 */

import type { Forest, ForestOptions } from './types/forests.js';
import type { Tree } from './types/jit.js';
import type { Model, ModelOptions } from './types/models.js';
import type { TensorOperations } from './types/value.js';

export * from './types/columns.js';
export * from './types/forests.js';
export * from './types/function.js';
export * from './types/graph.js';
export * from './types/control.js';
export * from './types/jit.js';
export * from './types/maps.js';
export * from './types/models.js';
export * from './types/evolve.js';
export * from './types/optimise.js';
export * from './types/random.js';
export * from './types/transform.js';
export * from './types/value.js';

// ---------------------------------------------------------------------------------------- errors

/**
 * What a {@link GraphError} is about.
 *
 * | code | meaning, and what to do |
 * |---|---|
 * | `ERR_ARGUMENT` | an argument or option is missing, unknown or out of range: fix the call |
 * | `ERR_DTYPE` | a value or array has the wrong dtype, or does not fit it: convert it |
 * | `ERR_SHAPE` | ranks, sizes, axes or indices do not fit together |
 * | `ERR_PARSE` | text is not in the expected form: the message has line and column |
 * | `ERR_VERIFY` | a graph breaks a rule of its form |
 * | `ERR_UNSUPPORTED` | well-formed, but this version or target cannot do it |
 * | `ERR_OVERFLOW` | a size leaves its integer type: use smaller shapes |
 * | `ERR_MEMORY` | there is not enough memory; nothing was changed |
 * | `ERR_CANCELLED` | the caller asked to stop: outputs hold unspecified values |
 * | `ERR_STATE` | an object is disposed, detached or busy |
 * | `ERR_CALL` | a C function of `customCall` reported an error, or a native function threw one: outputs hold unspecified values |
 * | `ERR_INTERNAL` | graphjit contradicts itself: please report it |
 */
export type ErrorCode =
  | 'ERR_ARGUMENT'
  | 'ERR_DTYPE'
  | 'ERR_SHAPE'
  | 'ERR_PARSE'
  | 'ERR_VERIFY'
  | 'ERR_UNSUPPORTED'
  | 'ERR_OVERFLOW'
  | 'ERR_MEMORY'
  | 'ERR_CANCELLED'
  | 'ERR_STATE'
  | 'ERR_CALL'
  | 'ERR_INTERNAL';

/**
 * Every error that graphjit throws. The message names the function, the argument and both values; the
 * stack starts at the caller's own line.
 *
 * @example
 * try {
 *   tensor([[1, 2], [3]]);
 * } catch (error) {
 *   error.code;    // 'ERR_SHAPE'
 *   error.message; // 'tensor: ragged array: element [1] has length 1, element [0] has 2'
 * }
 */
export class GraphError extends Error {
  constructor(message: string, options?: { code?: ErrorCode; cause?: unknown });
  readonly name: 'GraphError';
  code: ErrorCode;
}

// ---------------------------------------------------------------------------------------- dtypes

/**
 * The typed array behind each dtype. A `bool` is a byte of 0 or 1. `f16` and `bf16` are the bits of
 * 16-bit floats, which are computed in f32; `at`, `item`, `toArray` and printing show the numbers. Where
 * the engine has `Float16Array`, those are taken for `f16`, too.
 */
export interface DataTypeMap {
  f64: Float64Array;
  f32: Float32Array;
  f16: Uint16Array;
  bf16: Uint16Array;
  i64: BigInt64Array;
  i32: Int32Array;
  i16: Int16Array;
  i8: Int8Array;
  u64: BigUint64Array;
  u32: Uint32Array;
  u16: Uint16Array;
  u8: Uint8Array;
  bool: Uint8Array;
}

/** The name of an element type. */
export type DType = keyof DataTypeMap;

/** Any typed array that can hold elements. */
export type TypedArray = DataTypeMap[DType];

/** What one element is in JavaScript: a boolean, a bigint for the 64-bit integers, or a number. */
export type ScalarOf<D extends DType> = D extends 'bool' ? boolean : D extends 'i64' | 'u64' ? bigint : number;

/** The dtype that a typed array stands for by itself: a `Uint8Array` is `u8`, never `bool`. */
export type DTypeOf<A> = A extends Float64Array
  ? 'f64'
  : A extends Float32Array
    ? 'f32'
    : A extends BigInt64Array
      ? 'i64'
      : A extends Int32Array
        ? 'i32'
        : A extends Int16Array
          ? 'i16'
          : A extends Int8Array
            ? 'i8'
            : A extends BigUint64Array
              ? 'u64'
              : A extends Uint32Array
                ? 'u32'
                : A extends Uint16Array
                  ? 'u16'
                  : A extends Uint8Array | Uint8ClampedArray
                    ? 'u8'
                    : never;

/** One row of {@link dtypes}. */
export interface DTypeInfo<D extends DType = DType> {
  readonly name: D;
  readonly kind: 'float' | 'int' | 'uint' | 'bool';
  /** Bytes per element. */
  readonly bytes: number;
  /** Whether elements are bigints in JavaScript. */
  readonly big: boolean;
  readonly arrayType: new (length: number) => DataTypeMap[D];
  /** The smallest integer held; 0 for floats. */
  readonly min: number | bigint;
  /** The largest integer held; 0 for floats. */
  readonly max: number | bigint;
}

/**
 * The table of dtypes, by name.
 *
 * @example
 * dtypes.i16.max; // 32767
 */
export const dtypes: { readonly [D in DType]: DTypeInfo<D> };

// --------------------------------------------------------------------------------------- tensors

/** Sizes per axis, outermost first: at most 8 of them. One number stands for a vector. */
export type ShapeLike = number | readonly number[];

/** An array of arrays of … of `T`, or just a `T`. */
export type Nested<T> = T | readonly Nested<T>[];

/**
 * What `slice` takes for one axis: an index (drops the axis), `[start, stop, step]` with null or
 * nothing for the defaults, null for the whole axis, or once `'...'` for all axes not mentioned.
 */
export type Range = number | readonly (number | null | undefined)[] | null | '...';

/** The operations: `t.add(u)`, `t.sum({ axis: 0 })` and so on compute at once, with cached kernels. */
export interface Tensor<D extends DType = DType> extends TensorOperations {}

/**
 * A typed array seen through a shape and strides. Make one with {@link tensor}, {@link zeros} and the
 * other functions below.
 *
 * Views (`slice`, `transpose`, `T`, `reshape` where possible, …) share `data` with the tensor they come
 * from and cost nothing but a small object. Elements of its data can be set, and what says about gradients; nothing else.
 *
 * @example
 * const t = tensor([[1, 2, 3], [4, 5, 6]]);
 * t.shape;                       // [2, 3]
 * t.T.slice([0, 2]).toArray();   // [[1, 4], [2, 5]]
 * String(t.slice(null, -1));     // '[3. 6.]'
 */
export class Tensor<D extends DType = DType> implements Iterable<any> {
  private constructor();

  /** The storage, shared with views: use `contiguous().data` for the elements in their order. */
  readonly data: DataTypeMap[D];
  readonly dtype: D;
  readonly shape: readonly number[];
  /** Elements (not bytes) from one index to the next, per axis. */
  readonly strides: readonly number[];
  /** Where in `data` the first element is. */
  readonly offset: number;
  /** The number of elements. */
  readonly size: number;
  /** The number of axes. */
  readonly rank: number;
  /** Whether the elements lie in `data` one after the other, in their order. */
  readonly isContiguous: boolean;

  /** A view with the order of all axes reversed. */
  readonly T: Tensor<D>;
  /** A view with the last two axes exchanged: of a stack of matrices their transposes. */
  readonly mT: Tensor<D>;

  /**
   * Whether gradients by this tensor are wanted: then operations it takes part in are recorded, their results require
   * gradients too, and {@link backward} of one of these puts the gradient into {@link grad}. It can be set for leaves,
   * of float dtypes.
   *
   * @example
   * const w = tensor([1, 2, 3], { requiresGrad: true });
   * w.mul(w).sum().backward();
   * w.grad.toArray(); // [2, 4, 6]
   *
   * @throws {GraphError} `ERR_DTYPE` for integers and booleans; `ERR_STATE` where it is set to false for the result of
   *   recorded operations, which {@link detach} is for
   */
  requiresGrad: boolean;

  /** Whether no recorded operation made it: gradients end here. */
  readonly isLeaf: boolean;

  /**
   * The gradient, after `backward` of something that was made of this tensor: of leaves that require one, and of
   * tensors that {@link retainGrad} was called of. What further calls give is added: set it to null in between.
   */
  grad: Tensor<D> | null;

  /**
   * Puts the gradients of this tensor by all leaves that require one into their {@link grad}, added to what is there.
   *
   * What was recorded is let go of with that. The operands are read now: elements that were written to since through
   * `data` count as they are now, such that {@link set} has written are an error. Gradients of gradients are left to
   * derivatives of functions (`grad`).
   *
   * @param gradient what the result is multiplied by, a tensor of the shape and dtype of this one; may be left out for
   *   one element
   * @param options `retainGraph`: keep what was recorded, for another call
   * @throws {GraphError} `ERR_STATE` where nothing was recorded, or an earlier call has let go of it; `ERR_SHAPE`
   *   for a tensor of several elements without a gradient, and for a gradient of another shape or dtype;
   *   `ERR_UNSUPPORTED` for an operation without a derivative
   */
  backward(gradient?: TensorLike | null, options?: { retainGraph?: boolean }): void;

  /** A tensor over the same elements that requires no gradient: what is made of it is not recorded. */
  detach(): Tensor<D>;

  /** Has `backward` keep the gradient of a tensor that is no leaf. */
  retainGrad(): this;

  /**
   * A view with permuted axes.
   *
   * @param axes where each axis of the result comes from; all reversed when left out
   */
  transpose(axes?: readonly number[]): Tensor<D>;

  /**
   * A view with permuted axes, as {@link transpose} with its argument.
   *
   * @param axes where each axis of the result comes from
   */
  permute(axes: readonly number[]): Tensor<D>;

  /**
   * The same elements in another shape: a view where strides can express it, which is always so for a
   * contiguous tensor, and a copy otherwise (after most transpositions, for instance).
   *
   * @param shape one size may be -1: whatever is left
   */
  reshape(shape: ShapeLike): Tensor<D>;

  /**
   * A view of a part, as by basic slicing in Python: negative positions count from the end, bounds of a
   * range are clipped, an index out of range is an error.
   *
   * @example
   * t.slice(0);                  // a[0]
   * t.slice([1, 3], null);       // a[1:3, :]
   * t.slice('...', [null, null, -2]); // a[..., ::-2]
   */
  slice(...ranges: Range[]): Tensor<D>;

  /** A view with a new axis of size 1 at `axis`, from -(rank + 1) to rank. */
  expandDims(axis: number): Tensor<D>;

  /** A view without the given axes, which must have size 1; without all such axes by default. */
  squeeze(axes?: number | readonly number[]): Tensor<D>;

  /** A view with the order of elements reversed along the given axes, along all by default. */
  flip(axes?: number | readonly number[]): Tensor<D>;

  /** A view that repeats the elements to a larger shape, by the rules of broadcasting. */
  broadcastTo(shape: ShapeLike): Tensor<D>;

  /** One element; as many indices as axes, negative ones count from the end. */
  at(...indices: number[]): ScalarOf<D>;

  /**
   * Writes one element, also for every view that shares it.
   *
   * @throws {GraphError} `ERR_DTYPE` when the dtype cannot hold the value; `ERR_STATE` for a tensor that requires a
   *   gradient, outside of {@link noGrad}
   */
  set(indices: readonly number[], value: number | bigint | boolean): this;

  /** The element of a tensor that has just one. */
  item(): ScalarOf<D>;

  /**
   * The same elements in order in an array of exactly that length: the tensor itself, a view when it
   * is part of a longer array, a copy when its elements are not in order.
   */
  contiguous(): Tensor<D>;

  /** A contiguous tensor over a fresh array. */
  copy(): Tensor<D>;

  /**
   * Nested plain arrays, or one value for rank 0.
   *
   * @throws {GraphError} `ERR_MEMORY` when they would not fit in the memory of JavaScript
   */
  toArray(): Nested<ScalarOf<D>>;

  /**
   * The elements as NumPy 2.0 prints them (bool as `true` and `false`): points aligned, at most 8 digits
   * after them, summarised above 1000 elements.
   */
  toString(): string;

  /** Goes over the first axis: elements for rank 1, views above. */
  [Symbol.iterator](): Generator<any, void, undefined>;

  /**
   * Gives the memory back now. The tensor and its views throw `ERR_STATE` from then on; of a tensor that is a view
   * only the view ends. Also `[Symbol.dispose]`, for `using`.
   */
  dispose(): void;
}

// -------------------------------------------------------------------------------------- creation

/** Options of most functions that create tensors. */
export interface CreateOptions<D extends DType = DType> {
  dtype?: D;
}

/** Options of {@link tensor}. */
export interface TensorOptions<D extends DType = DType> extends CreateOptions<D> {
  /** The shape of the result; one size may be -1: whatever is left. */
  shape?: ShapeLike;
  /** Whether gradients by it are wanted: see {@link Tensor.requiresGrad}. Of a tensor that makes another, a leaf. */
  requiresGrad?: boolean;
}

/** What {@link tensor} makes tensors of. Rows of nested arrays may be typed arrays. */
export type TensorLike = Tensor | TypedArray | Uint8ClampedArray | Nested<number | bigint | boolean | TypedArray>;

/**
 * A tensor of the given elements. A typed array, or a tensor, is not copied as long as it has the
 * dtype that is wanted. Without a dtype, numbers become `f64`, booleans `bool`, bigints `i64`.
 *
 * @example
 * tensor([[1, 2], [3, 4]], { dtype: 'f32' });
 * tensor(new Float64Array(6), { shape: [2, 3] });       // shares the array
 * tensor(new Uint8Array([0, 1, 1]), { dtype: 'bool' }); // shares the array, which must hold 0 and 1
 *
 * @throws {GraphError} `ERR_SHAPE` for ragged arrays, naming the place; `ERR_DTYPE` for an element that
 *   the dtype cannot hold (300 in a `u8`, 1.5 in an `i32`) or, without a dtype, for a mixture of numbers,
 *   bigints and booleans; `ERR_STATE` for a typed array whose buffer is detached
 */
export function tensor<D extends DType>(value: TensorLike, options: TensorOptions<D> & { dtype: D }): Tensor<D>;
export function tensor<D extends DType>(value: Tensor<D>, options?: TensorOptions<D>): Tensor<D>;
export function tensor<A extends TypedArray | Uint8ClampedArray>(value: A, options?: Omit<TensorOptions, 'dtype'>): Tensor<DTypeOf<A>>;
export function tensor(value: Nested<number>, options?: Omit<TensorOptions, 'dtype'>): Tensor<'f64'>;
export function tensor(value: Nested<bigint>, options?: Omit<TensorOptions, 'dtype'>): Tensor<'i64'>;
export function tensor(value: Nested<boolean>, options?: Omit<TensorOptions, 'dtype'>): Tensor<'bool'>;
export function tensor(value: TensorLike, options?: TensorOptions): Tensor;

/**
 * Calls a function without recording what it does, for gradients: what it makes of tensors that require gradients
 * requires none. The function must be done when it returns.
 *
 * @example
 * noGrad(() => { w = w.sub(w.grad.mul(0.1)); });
 * w.requiresGrad = true;
 *
 * @returns what the function gives
 * @throws {GraphError} `ERR_ARGUMENT` for an async function, or one that gives a promise
 */
export function noGrad<T>(fn: () => T): T;

/** As {@link tensor}, except that a tensor of the wanted dtype is returned as it is, strides and all. */
export function asTensor<D extends DType>(value: TensorLike, options: CreateOptions<D> & { dtype: D }): Tensor<D>;
export function asTensor<D extends DType>(value: Tensor<D>, options?: CreateOptions<D>): Tensor<D>;
export function asTensor<A extends TypedArray | Uint8ClampedArray>(value: A): Tensor<DTypeOf<A>>;
export function asTensor(value: Nested<number>): Tensor<'f64'>;
export function asTensor(value: Nested<bigint>): Tensor<'i64'>;
export function asTensor(value: Nested<boolean>): Tensor<'bool'>;
export function asTensor(value: TensorLike, options?: CreateOptions): Tensor;

/**
 * All zeros.
 *
 * @example
 * zeros([2, 3], { dtype: 'i32' });
 *
 * @throws {GraphError} `ERR_ARGUMENT` for sizes that are negative or no integers, `ERR_OVERFLOW` and
 *   `ERR_MEMORY` for sizes that are too large, before anything is allocated
 */
export function zeros<D extends DType = 'f64'>(shape: ShapeLike, options?: CreateOptions<D>): Tensor<D>;

/** All ones (`true` for bool). */
export function ones<D extends DType = 'f64'>(shape: ShapeLike, options?: CreateOptions<D>): Tensor<D>;

/** Unspecified elements, for results that will be overwritten. */
export function empty<D extends DType = 'f64'>(shape: ShapeLike, options?: CreateOptions<D>): Tensor<D>;

/** All elements the same; without a dtype it follows from the value. */
export function full<D extends DType>(
  shape: ShapeLike,
  value: number | bigint | boolean,
  options: CreateOptions<D> & { dtype: D },
): Tensor<D>;
export function full(shape: ShapeLike, value: number): Tensor<'f64'>;
export function full(shape: ShapeLike, value: bigint): Tensor<'i64'>;
export function full(shape: ShapeLike, value: boolean): Tensor<'bool'>;
export function full(shape: ShapeLike, value: number | bigint | boolean, options?: CreateOptions): Tensor;

/** Zeros in the shape, and unless another is given the dtype, of a tensor. */
export function zerosLike<D extends DType, E extends DType = D>(like: Tensor<D>, options?: CreateOptions<E>): Tensor<E>;

/** Ones in the shape, and unless another is given the dtype, of a tensor. */
export function onesLike<D extends DType, E extends DType = D>(like: Tensor<D>, options?: CreateOptions<E>): Tensor<E>;

/** One value in the shape, and unless another is given the dtype, of a tensor. */
export function fullLike<D extends DType, E extends DType = D>(
  like: Tensor<D>,
  value: number | bigint | boolean,
  options?: CreateOptions<E>,
): Tensor<E>;

/** Options of {@link eye}. */
export interface EyeOptions<D extends DType = DType> extends CreateOptions<D> {
  /** Which diagonal holds the ones: 0 the main one (default), positive above, negative below. */
  k?: number;
}

/**
 * Ones on a diagonal, zeros elsewhere.
 *
 * @param columns as many as rows when left out
 */
export function eye<D extends DType = 'f64'>(rows: number, columns?: number, options?: EyeOptions<D>): Tensor<D>;
export function eye<D extends DType = 'f64'>(rows: number, options: EyeOptions<D>): Tensor<D>;

/**
 * Evenly spaced values from `start` (0 when left out) up to, but not including, `stop`. Element `i` is
 * `start + i * step`. Bigints give `i64`.
 *
 * @example
 * arange(3);                          // [0. 1. 2.]
 * arange(2, 5, { dtype: 'i32' });     // [2 3 4]
 * arange(1, 0, -0.25);                // [1.   0.75 0.5  0.25]
 */
export function arange<D extends DType>(stop: number | bigint, options: CreateOptions<D> & { dtype: D }): Tensor<D>;
export function arange<D extends DType>(
  start: number | bigint,
  stop: number | bigint,
  options: CreateOptions<D> & { dtype: D },
): Tensor<D>;
export function arange<D extends DType>(
  start: number | bigint,
  stop: number | bigint,
  step: number | bigint,
  options: CreateOptions<D> & { dtype: D },
): Tensor<D>;
export function arange(stop: number): Tensor<'f64'>;
export function arange(start: number, stop: number, step?: number): Tensor<'f64'>;
export function arange(stop: bigint): Tensor<'i64'>;
export function arange(start: bigint, stop: bigint, step?: bigint): Tensor<'i64'>;

/** Options of {@link linspace}. */
export interface LinspaceOptions<D extends 'f64' | 'f32' = 'f64' | 'f32'> extends CreateOptions<D> {
  /** Whether `stop` is the last value (default) or the first one left out. */
  endpoint?: boolean;
}

/**
 * `count` evenly spaced values from `start` to `stop`.
 *
 * @example
 * linspace(0, 1, 5); // [0.   0.25 0.5  0.75 1.  ]
 */
export function linspace<D extends 'f64' | 'f32' = 'f64'>(
  start: number,
  stop: number,
  count: number,
  options?: LinspaceOptions<D>,
): Tensor<D>;

// ----------------------------------------------------------------------------------------- files

/** The files that {@link load} and {@link save} know. */
export type FileFormat = 'npy' | 'npz' | 'safetensors';

/** Options of {@link load}. */
export interface LoadOptions {
  /** What the file is, where its name does not end in `.npy`, `.npz` or `.safetensors`. */
  format?: FileFormat;
  /** Which tensors of an `.npz` or `.safetensors` file to read; all when left out. */
  names?: readonly string[];
  /** Whether names such as `layers.0.w` are put together to the tree that they are of. Default false. */
  nested?: boolean;
}

/** Options of {@link save}. */
export interface SaveOptions {
  /** What the file is to be, where its name does not say. */
  format?: FileFormat;
  /** Whether to pack the arrays of an `.npz` file. Default false. */
  compress?: boolean;
  /** Texts by name, for a `.safetensors` file. */
  metadata?: Readonly<Record<string, string>>;
}

/**
 * The tensor of a `.npy` file, or all tensors of an `.npz` or `.safetensors` file by name. Files may come from strangers.
 *
 * @example
 * const { weight, bias } = load('layer.safetensors');
 *
 * @throws {GraphError} `ERR_PARSE` for a file that is damaged or contradicts itself, `ERR_UNSUPPORTED` for dtypes that
 *   there are not, `ERR_ARGUMENT` for a file that cannot be read and for unknown names
 */
export function load(file: `${string}.npy`, options?: LoadOptions): Tensor;
export function load(file: `${string}.npz` | `${string}.safetensors`, options: LoadOptions & { nested: true }): any;
export function load(file: `${string}.npz` | `${string}.safetensors`, options?: LoadOptions): Record<string, Tensor>;
export function load(file: string, options: LoadOptions & ({ format: FileFormat } | { nested: true })): any;
/**
 * A forest of decision trees: a model that XGBoost (JSON, UBJSON), LightGBM (text, JSON) or CatBoost (JSON) has written,
 * from a path, a `file:` URL, its bytes, or what `JSON.parse` makes of it.
 *
 * @example
 * const forest = await load('model.json', { format: 'xgboost' });
 *
 * @throws {GraphError} by rejection: `ERR_PARSE` for a file that is damaged or contradicts itself, `ERR_UNSUPPORTED` for
 *   models that have no trees, several values in a leaf, or CatBoost's categorical features
 */
export function load(source: string | URL | Uint8Array | ArrayBuffer, options: ForestOptions & { format: 'xgboost' | 'lightgbm' | 'catboost' }): Promise<Forest>;
export function load(file: `${string}.ubj` | `${string}.txt`, options?: ForestOptions): Promise<Forest>;
export function load(model: Readonly<Record<string, unknown>>, options?: ForestOptions): Promise<Forest>;
/**
 * A file of JSON may hold a forest, or a graph model of TensorFlow.js: `instanceof` tells which, or the option `format` says it
 * beforehand.
 *
 * @example
 * const model = await load('model.json');
 * if (model instanceof Forest) console.log(model.predict(rows));
 */
export function load(file: `${string}.json`, options?: ModelOptions | ForestOptions): Promise<Model | Forest>;
/**
 * A model file: of ONNX, or of PyTorch a script (`torch.jit.save`) or an exported program (`torch.export.save`). It is a
 * path, or its bytes. What it has is seen from its content, tensor files included, also those of `torch.save`, which are
 * then tensors by name. Nothing in a file is run. It is compiled off the main thread before the promise settles.
 *
 * @example
 * const model = await load('model.onnx');
 * const { scores } = await model.runAsync({ image });
 *
 * @throws {GraphError} by rejection: `ERR_UNSUPPORTED` for ops that there are not, all in one message; `ERR_PARSE` for a file
 *   that is damaged or contradicts itself; `ERR_ARGUMENT` for one that cannot be read, for unknown options and sizes
 */
export function load(source: string | Uint8Array | ArrayBuffer, options?: ModelOptions): Promise<Model>;
/** A file by its `file:` URL: what its path gives. */
export function load(source: URL, options?: ModelOptions | ForestOptions | LoadOptions): any;

/**
 * Writes a tensor to a `.npy` file, or tensors by name to an `.npz` or `.safetensors` file. Of a tree of tensors, names are
 * such as `layers.0.w`. The file is complete or as it was before.
 *
 * @example
 * save('layer.safetensors', { weight, bias }, { metadata: { made: 'by hand' } });
 *
 * @throws {GraphError} `ERR_ARGUMENT` for a file that cannot be written
 */
export function save(
  file: string,
  value: TensorLike | Tree<TensorLike>,
  options?: SaveOptions,
): void;
