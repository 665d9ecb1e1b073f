/**
 * Typings of models that were loaded from files; index.d.ts exports all of it, and `load` itself.
 */

/// <reference lib="esnext.disposable" />

import type { DType, Tensor, TypedArray } from '../index.js';
import type { CompileOptions, Graph, Input } from './graph.js';
import type { Value } from './value.js';

/** Element types that files have and graphs have not: arrays hold codes, one in each element of a `u8` or, for `i4` and `i2`, an `i8`. */
export type StorageType =
  | 'f8e4m3fn'
  | 'f8e4m3fnuz'
  | 'f8e5m2'
  | 'f8e5m2fnuz'
  | 'f8e8m0fnu'
  | 'f4e2m1fn'
  | 'i4'
  | 'u4'
  | 'i2'
  | 'u2';

/**
 * What a name of a model stands for: a tensor, a list or an optional of such, or a map; in files that leave dtypes open, a
 * tensor of any. `'data'` is a number, a boolean, a string, or a list of them.
 */
export type ModelType =
  | { readonly kind: 'tensor'; readonly dtype?: DType | StorageType | 'string'; readonly shape?: readonly (number | string | null)[] }
  | { readonly kind: 'data' }
  | { readonly kind: 'sequence' | 'optional'; readonly of: ModelType }
  | { readonly kind: 'map'; readonly key: string; readonly value: ModelType };

/** A named input or output of a model. */
export interface ModelPort {
  readonly name: string;
  /** Of a tensor. */
  readonly dtype?: DType | StorageType | 'string';
  /** Of a tensor: numbers, and names of sizes that each run says; undefined where not even the rank is known. */
  readonly shape?: readonly (number | string)[];
  /** Of what is no tensor. */
  readonly type?: ModelType;
  /** Whether an input may be left out: the file then has what stands for it. A run that gives it has a graph of its own. */
  readonly optional?: boolean;
}

/** A node of a file, as an op of the option `ops` sees it. */
export interface ModelNode {
  readonly op: string;
  readonly domain: string;
  readonly name: string;
  /** Of ONNX: the version of its domain that the file names. */
  readonly version: number;
  /** Of ONNX. */
  readonly outputs: readonly string[];
  /** An attribute: numbers, strings and arrays of them; `initial` where the file has none. */
  attr(name: string, initial?: unknown): any;
}

/** An op in JavaScript: a value, or one for each output, of the graph that its operands belong to. */
export type ModelOp = (node: ModelNode, ...inputs: (Value | undefined)[]) => Value | readonly Value[];

/** What `load` is doing: reading the file, building its graph, compiling it. */
export interface ModelProgress {
  readonly stage: 'read' | 'build' | 'compile';
}

/** Options of `load` for models; those of compiling are those of {@link Graph.compile}. */
export interface ModelOptions extends CompileOptions {
  /** Numbers for sizes that the file has names for, such as `{ batch: 1 }`. Programs of fixed sizes may be faster. */
  sizes?: Readonly<Record<string, number>>;
  /** Ops that the file has and graphjit has not, by `'domain::Name'`, or `'Name'` in the standard domain. */
  ops?: Readonly<Record<string, ModelOp>>;
  /** Names of values of the file to give in place of its outputs, such as features of an inner layer. */
  outputs?: readonly string[];
  /** Which signature of a SavedModel; `serving_default`, or else the first one, when left out. */
  signature?: string;
  /**
   * Shapes of inputs that a TorchScript file leaves open, such as `{ x: ['n', 3, 224, 224] }`, of `f32` unless told
   * otherwise. Then there is one graph, which is compiled before the first run.
   */
  inputs?: Readonly<Record<string, ScriptInput>>;
  /** Whether to compile before the promise settles (default), or when the model first runs. */
  compile?: boolean;
  /** Called when a stage begins. */
  onProgress?: (progress: ModelProgress) => void;
  /** What the file is, where its content is not to say. */
  format?: 'onnx' | 'tensorflow' | 'torch';
}

/** What is known of an input of a script: its shape, numbers and names of sizes. */
export type ScriptInput = readonly (number | string)[] | { readonly dtype?: DType; readonly shape: readonly (number | string)[] };

/** An input of a run: strings are arrays of strings, lists are arrays, maps are Maps, null is an optional that is not there. */
export type ModelInput = Input | null | string | readonly unknown[] | ReadonlyMap<unknown, unknown>;

/** All results by name: tensors; of strings their shape and data; arrays, maps and null. */
export type ModelResults = Record<string, any>;

/**
 * A model that was loaded: something to run, and the graph of it.
 *
 * Most models are one graph for all sizes. Where a file leaves to data what a graph has to know (ranks of inputs, the shape
 * that an input asks for), there is one for each case, built and compiled when a run comes that is of it; the last 64 are kept.
 */
export class Model {
  private constructor();

  readonly name: string;
  /** What kind of file it was. */
  readonly format: string;
  readonly inputs: readonly ModelPort[];
  readonly outputs: readonly ModelPort[];
  /** Names of what the file computes, in its order: the option `outputs` may ask for them. */
  readonly values: readonly string[];
  /** Who made the file, versions of its ops, and what else it says of itself. */
  readonly metadata: Readonly<Record<string, any>>;

  /**
   * The graph, like any other: text, `compile`, `toWasm`, `toObject`.
   *
   * @throws {GraphError} `ERR_STATE` when there is one for each case, see {@link specialization}
   */
  readonly graph: Graph;

  /**
   * Null for one graph that serves all runs; else by what there are several, and why. The one graph takes sizes to be
   * equal that the file names apart but needs to be so; a run in which they are not has a graph of its own.
   */
  readonly specialization: { readonly by: 'signature' | 'sizes' | 'values'; readonly because: string } | null;

  /** The graph that a run with these inputs uses. */
  graphFor(inputs: Readonly<Record<string, ModelInput>> | Input): Graph;

  /**
   * Runs now, on this thread.
   *
   * @param inputs by name; of a model with one input, that alone will do
   * @param outputs arrays to write tensors into; fresh ones when left out
   * @throws {GraphError} as {@link Program.run}
   */
  run(inputs?: Readonly<Record<string, ModelInput>> | Input, outputs?: Readonly<Record<string, TypedArray | Tensor>>): ModelResults;

  /** Runs on a thread of the libuv pool; see {@link Program.runAsync}. */
  runAsync(
    inputs?: Readonly<Record<string, ModelInput>> | Input,
    outputs?: Readonly<Record<string, TypedArray | Tensor>>,
    options?: { signal?: AbortSignal },
  ): Promise<ModelResults>;

  /** Computes the outputs with the reference evaluator: slow, and independent of the compiler. */
  eval(inputs?: Readonly<Record<string, ModelInput>> | Input): ModelResults;

  /** Settles when the code for the next run is there; `load` has waited for it, unless told not to compile. */
  ready(): Promise<void>;

  /** `Model main (x: f32[n, 4]) -> (y: f32[n])` */
  toString(): string;

  /** Frees graphs and code now rather than when they are collected. May be called again; all else then throws `ERR_STATE`. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** An argument of a script's method: tensors, numbers, texts and arrays of them; undefined leaves one out. */
export type ScriptArgument = Input | number | boolean | string | null | undefined | readonly ScriptArgument[];

/**
 * A TorchScript file, what `torch.jit.save` writes of a scripted or traced module, with methods that take arguments by
 * place. Its code is never run as Python: it is followed while a graph is built.
 *
 * @example
 * const net = new ScriptModule('net.pt');
 * const scores = net.forward(image);
 *
 * @throws {GraphError} `ERR_PARSE` for a file that is damaged, `ERR_UNSUPPORTED` for one that is no script
 */
export class ScriptModule {
  constructor(source: string | Uint8Array | ArrayBuffer, options?: Pick<ModelOptions, 'ops' | 'inputs'> & CompileOptions);

  /** Names of its methods, such as `'forward'`. */
  readonly methods: readonly string[];

  /** Tensors, arrays and objects of them, and numbers, as the method returns them. */
  forward(...args: ScriptArgument[]): any;

  /** Calls any method; one of a name that is not taken is a method of the module, too: `net.encode(x)`. */
  call(name: string, ...args: ScriptArgument[]): any;

  /** The model that a method is, with its inputs by name. */
  model(name: string): Model;

  /** Frees graphs and code now rather than when they are collected. */
  dispose(): void;

  [method: string]: any;
}
