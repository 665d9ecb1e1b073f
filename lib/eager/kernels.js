/**
 * Kernels: compiled programs by the text of what they compute, and how they are called.
 *
 * They begin in the interpreter (tier 'auto'), so that a first call takes a fraction of a millisecond, and
 * become machine code when they are called often. The least recently used ones go when there are many.
 */
'use strict';

const { native } = require('../base/binding.js');
const { callWith } = require('../graph/call-program.js');
const { Graph, compileHandle, readCompileOptions, stateOfGraph } = require('../graph/graph.js');
const { internalsOf } = require('../graph/program.js');
const { cutArray, takeArray } = require('../tensor/storage.js');
const { sizeOf } = require('../tensor/views.js');
const { Callable } = require('../trace/callable.js');

/** @typedef {import('../tensor/dtypes.js').DTypeInfo} DTypeInfo */
/** @typedef {import('../tensor/dtypes.js').TypedArray} TypedArray */
/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {import('../graph/value.js').Value} Value */

const MOST_KERNELS = 512;
const MOST_BYTES = 64 * 2 ** 20;
/** What a program takes, about, besides its key; the constants of one have their text in the key. */
const KERNEL_BYTES = 96 * 1024;

let clock = 0;

class Kernel {
  /** @type {readonly (readonly number[])[]} of the outputs, for the inputs that came last */
  shapes = [];
  #fitted = -1;

  /** @param {Graph} graph whose inputs are x0, x1, … and whose outputs are in the order of the results */
  constructor(graph) {
    const program = graph.compile({ tier: 'auto' });
    const { handle, outputs } = internalsOf(program);
    this.program = program;
    this.handle = handle;
    this.infos = outputs.map(({ info }) => info);
    /** What is made of the outputs, where somebody needs that. @type {unknown} */
    this.result = undefined;
    this.bytes = KERNEL_BYTES;
    this.used = ++clock;
  }

  /**
   * Prepares for inputs of these shapes.
   *
   * @param {number} size a number that is another for other shapes
   * @param {() => (readonly number[])[]} shapes of the inputs
   */
  fit(size, shapes) {
    if (this.#fitted === size) return;
    this.#fitted = -1;
    this.shapes = native.programFit(this.handle, shapes()).map((shape) => Object.freeze(shape));
    this.#fitted = size;
  }

  /**
   * @param {readonly TypedArray[]} inputs of the shapes that it was fitted to
   * @param {string} caller
   * @returns {TypedArray[]}
   */
  run(inputs, caller) {
    const outputs = this.infos.map((info, i) => takeArray(info, sizeOf(this.shapes[i], caller), caller));
    const computed = callWith(this.handle, [...inputs, ...outputs]);
    if (computed === undefined) return outputs;
    this.#fitted = -1; // shapes are those of this run
    this.shapes = computed.map((shape) => Object.freeze(shape));
    return outputs.map((array, i) => cutArray(array, sizeOf(computed[i], caller)));
  }

  /** Whether something was bound to it, which holds its code. */
  isBound = false;

  dispose() {
    this.program.dispose();
  }

  /** Ends with its place among the kernels. */
  drop() {
    if (!this.isBound) this.dispose();
  }
}

/** A kernel that is called with whole tensors, of the shapes it was made for. */
class Direct {
  bytes = KERNEL_BYTES;
  used = ++clock;

  /**
   * @param {string} name
   * @param {readonly Tensor[]} tensors
   * @param {(graph: Graph, inputs: Value[]) => unknown} build appends to a graph with an input for each tensor, and
   *   says what is to be made of the outputs
   */
  static build(name, tensors, build) {
    const graph = new Graph(name);
    try {
      const result = build(
        graph,
        tensors.map(({ dtype, shape }, i) => graph.input(`x${i}`, dtype, shape)),
      );
      return new Direct(graph, name, tensors, result);
    } finally {
      graph.dispose();
    }
  }

  /**
   * @param {Graph} graph that has an input for each tensor
   * @param {string} name what messages begin with
   * @param {readonly Tensor[]} tensors
   * @param {unknown} [result] what is to be made of the outputs
   */
  constructor(graph, name, tensors, result) {
    this.result = result;
    this.callable = new Callable(
      compileHandle(stateOfGraph(graph).handle, readCompileOptions(name, { tier: 'auto' })),
      name,
    );
    this.callable.fit(tensors.map(({ shape }) => shape));
    this.isDropped = false;
  }

  drop() {
    this.isDropped = true;
    this.callable.dispose();
  }
}

/** @typedef {{ bytes: number, used: number, drop: () => void }} Cached */

/** @type {Map<string, Cached>} */
const kernels = new Map();
let bytes = 0;

/**
 * Drops the half that was not used for the longest time, never the one that was used last. Their code goes at once:
 * Node would keep it until the event loop turns, which a loop of calls does not let it do.
 */
function evict() {
  const oldest = [...kernels].sort(([, a], [, b]) => a.used - b.used);
  for (const [key, kernel] of oldest.slice(0, Math.floor(oldest.length / 2))) {
    kernels.delete(key);
    bytes -= kernel.bytes;
    kernel.drop();
  }
}

/**
 * @template {Cached} T
 * @param {string} key
 * @param {() => T} make
 * @returns {T} which is to be run now; further calls may drop it
 */
function kernelFor(key, make) {
  const found = /** @type {T | undefined} */ (kernels.get(key));
  if (found !== undefined) {
    found.used = ++clock;
    return found;
  }
  const kernel = make();
  kernel.bytes += 2 * key.length;
  if (kernels.size >= MOST_KERNELS || bytes + kernel.bytes > MOST_BYTES) evict();
  kernels.set(key, kernel);
  bytes += kernel.bytes;
  return kernel;
}

/**
 * A kernel of a graph that is built here and now.
 *
 * @param {string} name
 * @param {(graph: Graph) => void} build
 * @returns {Kernel}
 */
function compile(name, build) {
  const graph = new Graph(name);
  try {
    build(graph);
    return new Kernel(graph);
  } finally {
    graph.dispose();
  }
}

module.exports = { Direct, Kernel, compile, kernelFor };
