/**
 * Typings of graphs, programs and wasm modules; index.d.ts exports all of it.
 */

/// <reference lib="esnext.disposable" />

import type { DType, Nested, Tensor, TypedArray } from '../index.js';
import type { Operand, Size, SymbolicShape, Value } from './value.js';

// ---------------------------------------------------------------------------------------- graphs

/** A named input or output of a graph or program. */
export interface Port {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly Size[];
  /** The most that sizes can be, of an output some of which depend on data. */
  readonly most?: readonly Size[];
}

/** A named input or output of a graph, with its value. */
export interface GraphPort extends Port {
  readonly value: Value;
}

/** A function of a graph: a graph of its own, whose sizes are those of the graph. */
export interface GraphFunction {
  readonly name: string;
  readonly nodes: readonly GraphNode[];
  readonly outputs: readonly { readonly name: string; readonly ref: number }[];
}

/** One node of a graph, as {@link Graph.nodes} lists it. */
export interface GraphNode {
  readonly ref: number;
  /** The name in the op table, such as `round_even`. */
  readonly op: string;
  readonly operands: readonly number[];
  readonly dtype: DType;
  readonly shape: readonly Size[];
  readonly attrs: Readonly<Record<string, string | number | readonly Size[]>>;
  /** Of an input. */
  readonly name?: string;
  /** Of a constant: the bytes it holds, one element's when that is repeated. */
  readonly bytes?: number;
  /** Of a constant: its first elements, at most 8. */
  readonly data?: readonly (number | bigint | boolean)[];
}

/**
 * How results may differ in their last bits.
 *
 * - `'strict'`: every op rounds by itself; the same bits on every kind of CPU and in wasm.
 * - `'default'`: the math library may use fused multiply-add inside; the same bits on one kind of CPU.
 * - `'fast'`: contraction and reassociation are allowed.
 */
export type Numerics = 'strict' | 'default' | 'fast';

/** Options of {@link Graph.compile}. */
export interface CompileOptions {
  numerics?: Numerics;
  /** 0 compiles fastest, 3 (default) runs fastest. */
  optLevel?: 0 | 1 | 2 | 3;
  /**
   * The most threads that one run may use, from 1 to 256; as many as the process has cores by default. Runs use no more
   * than that, and one for work that is small.
   */
  threads?: number;
  /** Whether compiled code may be shared, looked for on disk and kept there. Default `true`. */
  cache?: boolean;
  /**
   * - `'llvm'` (default): compiled to machine code before the first run.
   * - `'auto'`: runs at once in an interpreter over blocks of elements; once a program has run for a
   *   millisecond or is given a megabyte, a thread in the background compiles it, and later runs call the
   *   code. Results keep their bits. With numerics `'fast'` it is the same as `'llvm'`.
   */
  tier?: 'llvm' | 'auto';
}

/** Options of {@link Graph.toWasm}. */
export interface WasmOptions {
  /** Default `'strict'`: the same bits as a native program compiled with `'strict'`. */
  numerics?: Numerics;
  optLevel?: 0 | 1 | 2 | 3;
  /**
   * Which modules to make, `['simd']` by default: `'mvp'` needs nothing beyond version 1.0 of WebAssembly, `'simd'`
   * 128-bit vectors, which all engines since 2023 have, and `'relaxed'` relaxed SIMD.
   */
  variants?: readonly ('mvp' | 'simd' | 'relaxed')[];
  /** Whether large constants are in the module (default) or in a file beside it. */
  weights?: 'inside' | 'separate';
  /** Whether runs may be divided among workers, in shared memory. Default `false`. */
  threads?: boolean;
  /** Whether `wasm-opt` of the npm package `binaryen` makes modules smaller: no (default), yes, or where it is installed (`'auto'`). */
  optimize?: 'auto' | boolean;
}

/** WebAssembly modules and the texts that make them usable. */
export interface WasmModule {
  /** The module of the best variant that was asked for. */
  readonly bytes: Uint8Array;
  /** All modules, by variant. */
  readonly modules: Readonly<Partial<Record<'mvp' | 'simd' | 'relaxed', Uint8Array>>>;
  /** What `weights: 'separate'` leaves out of the modules; null when that is nothing. */
  readonly weights: Uint8Array | null;
  /** The loader, an ES module without imports: the one of `graphjit/web`, minified. */
  readonly loader: string;
  /** Typings of this program: what its `load` gives. */
  readonly types: string;
  /** Loader and modules as one ES module: `const program = await load()`. */
  readonly mjs: string;
}

/** Options of {@link Graph.toHeader}: those of the object that the header is for. */
export interface HeaderOptions {
  /** Name of the function for C: an identifier. Default: the name of the graph, made into one. */
  symbol?: string;
  /** Default `'strict'`: the same bits on every target. */
  numerics?: Numerics;
  /** Whether work can be divided through a callback, and a run be cancelled. Default `false`. */
  threads?: boolean;
}

/** Options of {@link Graph.toObject}. */
export interface ObjectOptions extends HeaderOptions {
  /** A triple such as `'aarch64-unknown-linux-gnu'`, or an architecture. Default: that of this machine. */
  target?: string;
  /** A processor of that architecture; `'native'` is the one of this machine. Default: what all have. */
  cpu?: string;
  /** `'+a,-b'` or `['+a', '-b']`: what the processor has beyond that, or lacks. */
  features?: string | readonly string[];
  /** Default `'object'`. `'object'` and `'bitcode'` give bytes, the others text. */
  emit?: 'object' | 'assembly' | 'llvm' | 'bitcode';
  /** With `emit: 'llvm'`: whether after optimisation (default) or before. */
  optimized?: boolean;
  optLevel?: 0 | 1 | 2 | 3;
}

/** An architecture that {@link Graph.toObject} can compile for. */
export interface Target {
  /** Its name; begins a triple, and stands for `triple` alone. */
  readonly arch: string;
  readonly triple: string;
  /** The first one is the default. */
  readonly cpus: readonly string[];
  readonly features: readonly string[];
}

/** The architectures that are linked in. */
export function targets(): Target[];

/**
 * Makes a C function known to `customCall`, for the life of the process:
 * `int32_t f(void *const *buffers, const int64_t *sizes)`. It runs in the process and is believed: it must
 * be pure, stay inside its buffers and be safe on several threads at once.
 *
 * @param name what graphs call it: a C identifier
 * @param options path of a shared library, as the system's loader takes it, and the name of the function there
 *   when that is another
 * @throws {GraphError} `ERR_ARGUMENT` when the library or the function is not found, `ERR_STATE` when the name is
 *   that of another function already
 */
export function registerCustomCall(name: string, options: { library: string; symbol?: string }): void;

/** Options of {@link Graph.hannWindow} and its siblings. */
export interface SignalWindowOptions {
  /** Whether the place behind the last one is as the first, or the last one itself. Default true. */
  periodic?: boolean;
  /** A float dtype. Default `'f32'`. */
  dtype?: DType;
}

/** Options of {@link Graph.melWeightMatrix}. */
export interface MelWeightOptions {
  /** Bands on the mel scale. */
  bins: number;
  /** Length of the transforms that made the spectra. */
  dftLength: number;
  /** Samples per second. */
  sampleRate: number;
  /** Where the first band begins, in Hertz. Default 0. */
  lowest?: number;
  /** Where the last band ends, in Hertz. By default half of the sample rate. */
  highest?: number;
  /** A float dtype. Default `'f32'`. */
  dtype?: DType;
}

/**
 * A computation on tensors, built value by value, then compiled.
 *
 * A graph only grows: what was appended stays, in the order of its text.
 *
 * @example
 * const graph = new Graph('hypot');
 * const x = graph.input('x', 'f64', ['n']);
 * const y = graph.input('y', 'f64', ['n']);
 * graph.output('z', x.mul(x).add(y.mul(y)).sqrt());
 * const program = graph.compile();
 * program.run({ x: Float64Array.of(3, 5), y: Float64Array.of(4, 12) }).z; // [ 5. 13.]
 */
export class Graph {
  /** @param name `'main'` when left out */
  constructor(name?: string);

  /**
   * The graph of a text that `toString` printed, or that was written by hand.
   *
   * @throws {GraphError} `ERR_PARSE` with line and column; other codes for text that makes no sense
   */
  static parse(text: string): Graph;

  readonly name: string;
  /** In the order in which they were declared. */
  readonly inputs: readonly GraphPort[];
  readonly outputs: readonly GraphPort[];
  /** All nodes; the one of `%3` is at index 2. */
  readonly nodes: readonly GraphNode[];
  /** What choices run and loops repeat, by the number that attribute `functions` of a node gives. */
  readonly functions: readonly GraphFunction[];

  /**
   * Declares an input. Every symbol in the graph must be a whole size of some input, which gives it its
   * value at run time.
   *
   * @param shape a scalar when left out
   */
  input(name: string, dtype: DType, shape?: SymbolicShape): Value;

  /**
   * A constant: its elements are copied.
   *
   * @param options the dtype follows from the data as for `tensor()`; one number fills the shape, which
   *   may then be symbolic
   */
  constant(
    data: number | bigint | boolean | Tensor | TypedArray | Nested<number | bigint | boolean>,
    options?: { dtype?: DType; shape?: SymbolicShape },
  ): Value;

  /**
   * the index along one axis: 0, 1, 2, …
   *
   * @param shape a length, or sizes
   * @param options dtype `'i64'` and axis 0 by default
   */
  iota(shape: SymbolicShape, options?: { dtype?: DType; axis?: number }): Value;

  /** a Hann window, 0.5 - 0.5 · cos(2πi / size) */
  hannWindow(size: Size, options?: SignalWindowOptions): Value;

  /** a Hamming window, α - (1 - α) · cos(2πi / size) */
  hammingWindow(size: Size, options?: SignalWindowOptions & { alpha?: number }): Value;

  /** a Blackman window, 0.42 - 0.5 · cos(2πi / size) + 0.08 · cos(4πi / size) */
  blackmanWindow(size: Size, options?: SignalWindowOptions): Value;

  /** weights of the bins of spectra, `[⌊dftLength / 2⌋ + 1, bins]`: triangles that are evenly spaced on the mel scale, as in ONNX */
  melWeightMatrix(options: MelWeightOptions): Value;

  /**
   * what a C function makes of the operands, see docs/api.md
   *
   * @param name of a function that {@link registerCustomCall} made known, or that an object is linked with
   * @param operands keep their dtypes; what is no value becomes a constant
   * @param options type of the result
   * @throws {GraphError} `compile()` and `eval()`: `ERR_STATE` when no function has the name; `toWasm()`:
   *   `ERR_UNSUPPORTED`; runs: `ERR_CALL` when the function reports an error
   */
  customCall(name: string, operands: readonly Operand[], options: { dtype: DType; shape: SymbolicShape }): Value;

  /** Declares an output. Returns the graph. */
  output(name: string, value: Value): this;

  /** Canonical text, which `Graph.parse` reads back to the same graph. */
  toString(): string;
  /** A table for people: one line per node. */
  toTable(): string;
  /** Text for Graphviz: `dot -Tsvg`. */
  toDot(): string;

  /**
   * Computes the outputs node by node with the reference evaluator. Slow: it is there to say what a
   * graph means, independently of the compiler.
   */
  eval(inputs: Inputs): Results;

  /** Machine code for this computer. The graph stays usable and may be disposed of first. */
  compile(options?: CompileOptions): Program;

  /** WebAssembly modules of the same computation, with a loader. */
  toWasm(options?: WasmOptions): WasmModule;

  /** An object file for C, its assembly or LLVM IR, for any target that is linked in; see {@link targets}. */
  toObject(options?: ObjectOptions & { emit?: 'object' | 'bitcode' }): Uint8Array;
  toObject(options: ObjectOptions & { emit: 'assembly' | 'llvm' }): string;
  toObject(options?: ObjectOptions): Uint8Array | string;

  /** The C header of that object: what it computes, what it takes, and functions with types that call it. */
  toHeader(options?: HeaderOptions): string;

  /** Frees the graph now rather than when it is collected. May be called again; all else then throws `ERR_STATE`. */
  dispose(): void;
  [Symbol.dispose](): void;
}

// -------------------------------------------------------------------------------------- programs

/**
 * An input of a run. A typed array gives a vector, or the shape that follows from its length where only
 * one symbol is unknown; otherwise pass a {@link Tensor}. Nothing is converted: an `f32` input takes a
 * `Float32Array`. A `bool` input takes a `Uint8Array`, in which any byte but 0 is true.
 */
export type Input = TypedArray | Tensor | number | bigint | boolean | Nested<number | bigint | boolean>;

/** All inputs by name. */
export type Inputs = Readonly<Record<string, Input>>;

/** An array for every output, by name: as long as the result, not overlapping any other array. */
export type Outputs = Readonly<Record<string, TypedArray | Tensor>>;

/** All results by name. */
export type Results = Record<string, Tensor>;

/** A function made by {@link Program.bind}. */
export interface BoundCall {
  (): Results;
  /** What each call fills, and returns. */
  readonly outputs: Results;
}

/** What compiling took and made. */
export interface ProgramStats {
  /** What the next run is: `'interpreter'` with tier `'auto'` until the machine code is there. */
  readonly tier: 'interpreter' | 'llvm';
  /** Why there is no machine code and never will be. */
  readonly compileError?: string;
  /** Milliseconds per stage. */
  readonly compileMs: {
    readonly simplify: number;
    readonly fuse: number;
    readonly lower: number;
    readonly emit: number;
    readonly optimize: number;
    readonly machine: number;
    readonly load: number;
    /** Looking for code in the cache, and keeping it there. */
    readonly cache: number;
    readonly total: number;
  };
  /**
   * Where the code came from: compiled with the cache switched off (or not yet, with tier `'auto'`), compiled
   * and kept, read from the disk, or shared with another program of this process.
   */
  readonly cache: 'off' | 'miss' | 'disk' | 'memory';
  /** Nodes of the graph as it was built. */
  readonly nodesBefore: number;
  /** Nodes after simplification. */
  readonly nodesAfter: number;
  /** The most threads that a run uses: the option `threads`, or the cores of the process if they are fewer. */
  readonly threads: number;
  readonly codeBytes: number;
  readonly constantBytes: number;
  /** Memory for the intermediate values of one run. */
  readonly scratchBytes: Size;
  /** The intermediate values that are stored, and where: the memory plan. */
  readonly intermediates: readonly IntermediateInfo[];
  /** The loop nests that the graph was fused into, in the order in which they run. */
  readonly kernels: readonly KernelInfo[];
  /** The functions that control ops run, by number; those that nobody runs are gone. */
  readonly functions: readonly FunctionInfo[];
}

/** A function of {@link Program.simplified}, as it was compiled. */
export interface FunctionInfo {
  readonly name: string;
  /** Whether it is called; else its code stands in the kernels of the ops that name it, and it has no kernels. */
  readonly called: boolean;
  /** Those of one call, with figures of one call. */
  readonly kernels: readonly KernelInfo[];
}

/** A value that one kernel writes for others to read. Sizes are numbers, or expressions over the symbols. */
export interface IntermediateInfo {
  /** Its name in {@link Program.simplified}, such as `%7`. */
  readonly value: string;
  readonly dtype: DType;
  readonly shape: string;
  readonly bytes: Size;
  /** From the start of the scratch memory. Values that are not needed at the same time may share a place. */
  readonly offset: Size;
  /** Index of the kernel that writes it. */
  readonly firstKernel: number;
  /** Index of the last kernel that reads it. */
  readonly lastKernel: number;
  /** Whether it overwrites a value that the same kernel reads. */
  readonly inPlace: boolean;
}

/** The memory of a run. Sizes are numbers, or expressions over the symbols where these were not given. */
export interface MemoryPlan {
  /** Arrays of the caller. */
  readonly inputs: readonly HeldPort[];
  readonly outputs: readonly HeldPort[];
  /** Held by the program. */
  readonly constantBytes: number;
  /** One piece of memory for all intermediate values. */
  readonly scratchBytes: Size;
  /** Where each of them lies in it, and from which kernel to which. */
  readonly intermediates: readonly IntermediateInfo[];
}

/** An input or output and what it takes. */
export interface HeldPort extends Port {
  readonly bytes: Size;
}

/** One loop nest. */
export interface KernelInfo {
  /** Its function in the texts of {@link Program.loops} and {@link Program.llvm}; equal kernels share one. */
  readonly name: string;
  /** That function, then the one with its loops where that is another. */
  readonly functions: readonly string[];
  /** What it computes, as numbers of values in {@link Program.simplified}: 7 for `%7`. Several kernels may compute one. */
  readonly nodes: readonly number[];
  readonly kind: string;
  /** The ops it computes, then what it writes. */
  readonly ops: string;
  readonly shape: string;
  /** Inputs and intermediate values that it reads. */
  readonly reads: readonly string[];
  /** Outputs and intermediate values that it writes. */
  readonly writes: readonly string[];
  /**
   * What it has to move and compute, counted as {@link Program.profile} does: a number, an expression over the symbols
   * that holds where each is at least 1, or null where that would be too long.
   */
  readonly bytesRead: number | string | null;
  readonly bytesWritten: number | string | null;
  readonly flops: number | string | null;
  /** Width of its widest vector loop in elements, 1 when there is none. */
  readonly lanes: number;
  /** The same in words: `8 lanes`, or why there are no vectors. */
  readonly vectorised: string;
  /** What became of each of its innermost loops. */
  readonly loops: readonly LoopInfo[];
}

/** One loop of a kernel, as the vectoriser left it. */
export interface LoopInfo {
  /** Its variable in {@link Program.loops}. */
  readonly name: string;
  readonly lanes: number;
  /** `8 lanes`, `8 lanes, masked rest`, `8 lanes, unrolled ×2`, or `scalar:` and the reason. */
  readonly how: string;
}

/** Times of a program and its kernels. Rates and fractions belong to the best times. */
export interface Profile {
  readonly name: string;
  /** How many runs were measured. */
  readonly runs: number;
  readonly threads: number;
  /** Microseconds of a run. */
  readonly bestUs: number;
  readonly medianUs: number;
  /** The part of a run that no kernel accounts for. */
  readonly outsideUs: number;
  readonly kernels: readonly KernelProfile[];
  /** A table for people. */
  toString(): string;
}

/** What one kernel of a profile took. */
export interface KernelProfile {
  readonly name: string;
  readonly kind: string;
  readonly ops: string;
  readonly shape: string;
  readonly bestUs: number;
  readonly medianUs: number;
  /** Fraction of the run. */
  readonly share: number;
  /** Counted from shapes: each element once, of a slice what is taken. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** One per element and op, more for elementary functions; see the documentation. */
  readonly flops: number;
  readonly gbPerSecond: number;
  readonly gflopPerSecond: number;
  /** The least time that this machine would need, as a fraction of the time it took: 1 is the limit. */
  readonly roof: number;
  /** What that limit is: arithmetic, or the memory that the kernel's data fits in. */
  readonly bound: 'compute' | 'L1' | 'L2' | 'L3' | 'memory';
}

/** What this machine can do, as measured by code of this compiler. */
export interface Machine {
  readonly model: string;
  /** The processor as the compiler calls it. */
  readonly cpu: string;
  readonly cores: number;
  readonly vectorBytes: number;
  /** Whether it has fused multiply-add. */
  readonly fma: boolean;
  /** With how many threads this was measured. */
  readonly threads: number;
  /** 10⁹ operations a second, a fused multiply-add being two. */
  readonly peak: { readonly f64: number; readonly f32: number };
  /** GB/s per level of memory, for sums of an array and for copies (bytes read and written together). */
  readonly bandwidth: readonly {
    readonly level: 'L1' | 'L2' | 'L3' | 'memory';
    /** What fits, over all threads. */
    readonly bytes: number;
    readonly read: number;
    readonly copy: number;
  }[];
}

/**
 * Measures this machine: 0.1 to 0.3 s for the first call with that number of threads, which is all cores
 * by default.
 */
export function machine(options?: { threads?: number }): Machine;

/**
 * A compiled graph. Programs are immutable and may be run any number of times at once.
 *
 * @throws {GraphError} all ways to run: before anything runs, `ERR_ARGUMENT` for missing and unknown names
 *   and for outputs that overlap other arrays, `ERR_DTYPE` for the wrong class of array, `ERR_SHAPE` for
 *   the wrong length or shape, `ERR_STATE` for detached arrays and disposed programs
 */
export class Program {
  private constructor();

  readonly name: string;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];

  /**
   * Runs now, on this thread.
   *
   * @param outputs arrays to write the results into; fresh ones when left out
   * @example
   * program.run({ x, y }).z;            // a Tensor over a fresh array
   * program.run({ x, y }, { z: out });  // writes into out
   */
  run(inputs: Inputs, outputs?: Outputs): Results;

  /**
   * A function that runs on these very arrays, whatever they hold when it is called: everything is
   * checked once, here. Refuses what would have to be copied: nested arrays and strided tensors. Numbers
   * keep their value.
   *
   * @example
   * const step = program.bind({ x, y }, { z: x2 });
   * for (let i = 0; i < 1000; i++) step();
   */
  bind(inputs: Inputs, outputs?: Outputs): BoundCall;

  /**
   * Runs on a thread of the libuv pool. Until the promise settles, the arrays must not be transferred to
   * another thread, and what they hold is in flux.
   *
   * @param options a signal that aborts the run: the promise is then rejected with an `AbortError`
   * @throws {GraphError} by rejection, also for wrong arguments
   */
  runAsync(inputs: Inputs, outputs?: Outputs, options?: { signal?: AbortSignal }): Promise<Results>;

  /**
   * The memory of a run: arrays, and the plan of what lies where in its working memory.
   *
   * @param sizes a number for every symbol; without them sizes are formulas
   * @throws {GraphError} for sizes that a run would refuse
   */
  memory(sizes?: Readonly<Record<string, number>>): MemoryPlan;

  /**
   * What each kernel takes on these arrays, beside what the machine can do. Runs the program and each of
   * its kernels several times; outputs are written as by `run`, inputs never.
   *
   * The first profile compiles a variant of the program, and measures the machine (0.1 to 0.3 s).
   *
   * @param options at most so many `runs` (100) and `seconds` (0.25; a run that has begun is finished)
   * @example
   * console.log(String(program.profile({ x, y })));
   */
  profile(inputs: Inputs, options?: { outputs?: Outputs; runs?: number; seconds?: number }): Profile;

  /**
   * Settles when runs call machine code: at once, unless the program was compiled with tier `'auto'`; then
   * it is compiled now, on a thread of the libuv pool.
   *
   * @throws {GraphError} by rejection, when LLVM refuses; runs then stay interpreted
   */
  ready(): Promise<void>;

  /** LLVM IR, as emitted or after optimisation. */
  llvm(options?: { optimized?: boolean; constants?: boolean }): string;
  /** Assembly text. */
  asm(options?: { constants?: boolean }): string;

  /** WebAssembly modules of the graph that was compiled, in `'strict'` by default: see {@link Graph.toWasm}. */
  toWasm(options?: WasmOptions): WasmModule;

  /** An object file for C, its assembly or LLVM IR, for any target that is linked in; see {@link targets}. */
  toObject(options?: ObjectOptions & { emit?: 'object' | 'bitcode' }): Uint8Array;
  toObject(options: ObjectOptions & { emit: 'assembly' | 'llvm' }): string;
  toObject(options?: ObjectOptions): Uint8Array | string;

  /** The C header of that object: what it computes, what it takes, and functions with types that call it. */
  toHeader(options?: HeaderOptions): string;
  /** Loop IR, vectorised. */
  loops(options?: { constants?: boolean }): string;
  /** The graph after simplification, as text. */
  simplified(): string;
  readonly stats: ProgramStats;
  /** `Program hypot(x: f64[n], y: f64[n]) -> (z: f64[n])` */
  toString(): string;

  /**
   * Frees the code now rather than when it is collected, or as soon as no run is pending. May be called
   * again; all else, bound functions too, then throws `ERR_STATE`.
   */
  dispose(): void;
  [Symbol.dispose](): void;
}
