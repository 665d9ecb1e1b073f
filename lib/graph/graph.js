/**
 * Graph: the builder that users meet, over a graph that lives in C.
 *
 * A graph grows and is never edited: what was appended keeps its number, so its text reads in the order
 * in which it was written. Compiling reads it and leaves it usable; programs do not need it afterwards.
 *
 * What few programs do with a graph, such as drawing it, is loaded when they do.
 */
'use strict';

const { availableParallelism } = require('node:os');
const { native } = require('../base/binding.js');
const { DESCRIBE, boolean, describe, expected, integer, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { NUMERICS, numericsOption } = require('../base/numerics.js');
const { asTensor } = require('../tensor/create.js');
const { dtypeName } = require('../tensor/dtypes.js');
const { readableOf, wrap } = require('../tensor/tensor.js');
const { readAxis, readShapeFor } = require('../tensor/views.js');
const { createProgram } = require('./program.js');
const values = require('./value.js');

const { GraphState, append, constantFrom, constantOf, isScalar, isValue, stateOf, tensorOf, valueOf } = values;

/** @typedef {import('./value.js').Value} Value */

const TIERS = Object.freeze({ llvm: 0, auto: 1 });
const tierOption = oneOf(/** @type {(keyof typeof TIERS)[]} */ (Object.keys(TIERS)));
const MAX_THREADS = 256;

const compileOptions = {
  numerics: numericsOption,
  optLevel: integer(0, 3),
  threads: integer(1, MAX_THREADS),
  cache: boolean,
  tier: tierOption,
};

/** @typedef {{ numerics: keyof typeof NUMERICS, optLevel: number, threads: number, cache: boolean, tier: keyof typeof TIERS }} CompileOptions */

/**
 * @param {string} caller
 * @param {unknown} options
 * @returns {CompileOptions}
 */
function readCompileOptions(caller, options) {
  const threads = Math.min(availableParallelism(), MAX_THREADS);
  const defaults = { numerics: 'default', optLevel: 3, threads, cache: true, tier: 'llvm' };
  return /** @type {any} */ ({ ...defaults, ...readOptions(caller, options, compileOptions) });
}

/** @type {(graph: import('../base/binding.js').Handle, options: CompileOptions) => import('../base/binding.js').ProgramHandle} */
const compileHandle = (graph, { numerics, optLevel, threads, cache, tier }) =>
  native.programCompile(graph, NUMERICS[numerics], optLevel, threads, cache, TIERS[tier]);

/** What Graph.parse passes to the constructor in place of a name. */
class Parsed {
  /** @param {import('../base/binding.js').Handle} handle */
  constructor(handle) {
    this.handle = handle;
  }
}

/**
 * A name, as C will hand it back: half a surrogate pair would turn into another character on the way.
 *
 * @param {unknown} name
 * @param {string} which
 * @param {string} caller
 * @returns {string}
 */
function readName(name, which, caller) {
  if (typeof name !== 'string') return expected(caller, 'a string', which, name);
  if (/\p{Surrogate}/u.test(name)) return expected(caller, 'a string of whole characters', which, name);
  return name;
}

/** @type {(graph: Graph) => import('./value.js').GraphState} */
let stateOfGraph;

/** Loaded when it is needed. @type {() => typeof import('../ops/signal-windows.js')} */
const signals = () => require('../ops/signal-windows.js');

class Graph {
  #state;

  static {
    stateOfGraph = (graph) => graph.#state;
  }

  /** @param {unknown} [name] 'main' when left out */
  constructor(name) {
    const read = () => (name === undefined ? undefined : readName(name, 'the name', 'Graph'));
    const handle = name instanceof Parsed ? name.handle : native.graphNew(read());
    this.#state = new GraphState(handle);
    this.#state.graph = this;
  }

  /**
   * @param {unknown} text as toString() prints it
   * @returns {Graph}
   */
  static parse(text) {
    if (typeof text !== 'string') return expected('Graph.parse', 'a string', 'the text', text);
    return new Graph(new Parsed(native.graphParse(text)));
  }

  get name() {
    return native.graphName(this.#state.handle);
  }

  // ------------------------------------------------------------------------------- building

  /**
   * @param {unknown} name
   * @param {unknown} dtype
   * @param {unknown} [shape] a scalar when left out
   * @returns {Value}
   */
  input(name, dtype, shape = []) {
    const text = readName(name, 'the name', 'input');
    const own = dtypeName(dtype, 'the dtype', 'input');
    const dims = this.#state.dims(shape, 'input');
    return valueOf(this.#state, native.graphParam(this.#state.handle, text, own, dims));
  }

  /**
   * @param {unknown} data a number, a Tensor, a typed array or arrays of arrays
   * @param {unknown} [options]
   * @returns {Value}
   */
  constant(data, options) {
    const { dtype, shape } = readOptions('constant', options, { dtype: dtypeName, shape: (given) => given });
    if (isScalar(data)) {
      const own = dtype ?? asTensor(data).dtype;
      const dims = shape === undefined ? [] : this.#state.dims(shape, 'constant');
      return constantOf(this.#state, data, own, 'the value', 'constant', dims);
    }
    const tensor = tensorOf(data, 'constant', dtype);
    const sizes = shape === undefined ? tensor.shape : readShapeFor(tensor.size)(shape, "option 'shape'", 'constant');
    return constantFrom(this.#state, wrap(readableOf(tensor, 'constant'), tensor.dtype, sizes), 'constant');
  }

  /**
   * @param {unknown} shape a length, or sizes
   * @param {unknown} [options]
   * @returns {Value}
   */
  iota(shape, options) {
    const { dtype = 'i64', axis = 0 } = readOptions('iota', options, { dtype: dtypeName, axis: integer() });
    const dims = this.#state.dims(shape, 'iota');
    return append(this.#state, 'iota', [], { dtype, shape: dims, axis: readAxis(axis, dims.length, 'iota') });
  }

  /** @type {(size: unknown, options?: unknown) => Value} */
  hannWindow(size, options) {
    return signals().signalWindow(this.#state, 'hannWindow', size, options);
  }

  /** @type {(size: unknown, options?: unknown) => Value} */
  hammingWindow(size, options) {
    return signals().signalWindow(this.#state, 'hammingWindow', size, options);
  }

  /** @type {(size: unknown, options?: unknown) => Value} */
  blackmanWindow(size, options) {
    return signals().signalWindow(this.#state, 'blackmanWindow', size, options);
  }

  /** @type {(options: unknown) => Value} */
  melWeightMatrix(options) {
    return signals().melWeightMatrix(this.#state, options);
  }

  /**
   * @param {unknown} name
   * @param {unknown} operands
   * @param {unknown} options
   * @returns {Value}
   */
  customCall(name, operands, options) {
    return require('./custom-call.js').customCall(this.#state, name, operands, options);
  }

  /**
   * @param {unknown} name
   * @param {unknown} value
   * @returns {this}
   */
  output(name, value) {
    const text = readName(name, 'the name', 'output');
    if (!isValue(value)) return expected('output', 'a Value', `output '${text}'`, value);
    stateOf(value).body?.refuse(value);
    if (stateOf(value) !== this.#state) {
      const other = `${describe(value)} of graph "${value.graph.name}"`;
      return fail('ERR_ARGUMENT', `output: output '${text}' is ${other}, not of graph "${this.name}"`);
    }
    native.graphOutput(this.#state.handle, text, value.ref);
    return this;
  }

  // -------------------------------------------------------------------------------- reading

  /** @param {import('../base/binding.js').NamedRef[]} list */
  #ports(list) {
    return list.map(({ name, ref }) => {
      const value = valueOf(this.#state, ref);
      return Object.freeze({ name, dtype: value.dtype, shape: value.shape, value });
    });
  }

  get inputs() {
    return this.#ports(native.graphInputs(this.#state.handle));
  }

  get outputs() {
    return this.#ports(native.graphOutputs(this.#state.handle));
  }

  /** @returns {import('../base/binding.js').NodeInfo[]} */
  get nodes() {
    const { handle } = this.#state;
    return Array.from({ length: native.graphCount(handle) }, (_, i) => native.graphNode(handle, i + 1));
  }

  /** @returns {{ name: string, nodes: import('../base/binding.js').NodeInfo[], outputs: import('../base/binding.js').NamedRef[] }[]} */
  get functions() {
    return native.graphFunctions(this.#state.handle);
  }

  toString() {
    return native.graphPrint(this.#state.handle);
  }

  #listing() {
    return {
      name: this.name, nodes: this.nodes, outputs: native.graphOutputs(this.#state.handle), functions: this.functions,
    };
  }

  toTable() {
    return require('./diagrams.js').toTable(this.#listing());
  }

  toDot() {
    return require('./diagrams.js').toDot(this.#listing());
  }

  /**
   * @param {unknown} inputs
   * @returns {Record<string, import('../tensor/tensor.js').Tensor>}
   */
  eval(inputs) {
    const ports = { inputs: this.inputs, outputs: this.outputs };
    return require('./evaluate.js').evaluate(this.#state.handle, ports, inputs);
  }

  // ------------------------------------------------------------------------------ compiling

  /**
   * @param {unknown} [options]
   * @returns {import('./program.js').Program}
   */
  compile(options) {
    const { handle } = this.#state;
    const compiled = compileHandle(handle, readCompileOptions('compile', options));
    return createProgram(this.name, compiled);
  }

  /** @param {unknown} [options] */
  toWasm(options) {
    return require('./wasm.js').toWasm('toWasm', this.#state.handle, options);
  }

  /** @param {unknown} [options] */
  toObject(options) {
    return require('./object-file.js').toObject('toObject', this.#state.handle, options);
  }

  /** @param {unknown} [options] */
  toHeader(options) {
    return require('./object-file.js').toHeader('toHeader', this.#state.handle, options);
  }

  // --------------------------------------------------------------------------------- ending

  dispose() {
    const { handle, functions } = this.#state;
    for (const each of [...functions.splice(0), handle]) native.graphDispose(each);
  }

  [DESCRIBE]() {
    return `Graph "${this.name}"`;
  }

  [Symbol.for('nodejs.util.inspect.custom')]() {
    try {
      return this.toString().trimEnd();
    } catch {
      return '[Graph (disposed)]'; // a debugger shows what is there instead of throwing
    }
  }
}
// Named by string, since older engines have no Symbol.dispose and then nobody asks for it.
if (Symbol.dispose !== undefined) {
  Object.defineProperty(Graph.prototype, Symbol.dispose, {
    value: Graph.prototype.dispose, writable: true, configurable: true,
  });
}

/**
 * A graph as the compiler simplifies it, and which of its values each value of the graph became: `became[3]` is
 * the number of what %3 is now, 0 when nothing needs it any more.
 *
 * @param {Graph} graph
 * @returns {{ graph: Graph, became: number[] }}
 */
function simplify(graph) {
  const simplified = native.graphSimplify(stateOfGraph(graph).handle);
  return { graph: new Graph(new Parsed(simplified.graph)), became: simplified.became };
}

/** @type {(graph: Graph) => Graph} the same graph for another owner: values of the one are none of the other */
const reopen = (graph) => new Graph(new Parsed(stateOfGraph(graph).handle));

module.exports = { Graph, compileHandle, compileOptions, readCompileOptions, reopen, simplify, stateOfGraph };
