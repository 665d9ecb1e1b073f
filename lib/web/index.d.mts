/** The loader of graphjit's WebAssembly modules. */

/** The typed array of each dtype. */
export interface ArrayTypes {
  f64: Float64Array;
  f32: Float32Array;
  /** The bits of 16-bit floats. */
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
  /** 0 and 1; any byte but 0 is true. */
  bool: Uint8Array;
}
export type DType = keyof ArrayTypes;
export type TypedArray = ArrayTypes[DType];

/** A typed array, or one with the shape that its length alone does not tell, such as an array of `allocate`. */
export type Shaped<A extends TypedArray = TypedArray> = A | { readonly data: A; readonly shape?: readonly number[] };

export interface Result<D extends DType = DType> {
  readonly data: ArrayTypes[D];
  readonly dtype: D;
  readonly shape: readonly number[];
}

/** An array in the memory of the program, which runs use where it lies. */
export interface Allocated<D extends DType = DType> extends Result<D> {
  /** A view, made anew after memory has grown: do not keep it. */
  readonly data: ArrayTypes[D];
  /** Its address in the memory. */
  readonly at: number;
  /** Gives the memory back. May be called again; `data` then throws `ERR_STATE`. */
  free(): void;
}

export interface Port {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly (number | string)[];
}

export type Inputs = Readonly<Record<string, Shaped | number | bigint | boolean>>;
export type Outputs = Readonly<Record<string, Shaped>>;
export type Results = Record<string, Result>;

export interface BoundCall {
  (): Results;
  /** What each call fills, and returns. */
  readonly outputs: Results;
  /** Gives back the memory that the function keeps for its runs. */
  free(): void;
}

export interface Program {
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  /** The WebAssembly.Memory, whose buffer is another one after it has grown. */
  readonly memory: { readonly buffer: ArrayBufferLike };
  run(inputs: Inputs, outputs?: Outputs): Results;
  /** A function that runs on these very arrays, whatever they hold when it is called. */
  bind(inputs: Inputs, outputs?: Outputs): BoundCall;
  /** An array that runs use where it lies. Its content is not cleared. */
  allocate<D extends DType>(dtype: D, shape: number | readonly number[]): Allocated<D>;
  /** Frees all arrays; the program cannot run any more. */
  dispose(): void;
}

/** An address, a response, bytes. Types are plain, so that neither those of pages nor those of Node are needed. */
export type Bytes = string | URL | Response | ArrayBuffer | ArrayBufferView | PromiseLike<Response | ArrayBuffer | ArrayBufferView>;
/** `object` stands for a WebAssembly.Module. */
export type Source = Bytes | object;

/**
 * Instantiates a module of `toWasm`. Of variants the best is taken that the engine knows; with a type
 * that the `types` of toWasm declare, arguments and results are those of the program.
 *
 * @example
 * const program = await load<import('./hypot.d.mts').Program>(new URL('hypot.wasm', import.meta.url));
 * @throws {Error} by rejection; all errors of programs have the name `GraphError` and the `code`s of graphjit
 */
export function load<P = Program>(
  source: Source | { readonly mvp?: Source; readonly simd?: Source; readonly relaxed?: Source },
  options?: { readonly weights?: Bytes },
): Promise<P>;
