/**
 * Program: a compiled graph and the three ways to run it.
 *
 * `run` checks everything at each call; how the values of the last call were given is kept, and a call with
 * others of the same kinds and sizes skips all that led to their shapes. A call with the very arrays of the two calls
 * before, if they are small, skips looking at the arrays too. `bind` checks once and returns a function that is
 * little more than a call of the machine code. `runAsync` is `run` on another thread.
 *
 * Nothing here protects memory: C checks the bytes and the overlap of every array again. Where C is told
 * to use the pointers of an earlier call, inline-cache.js sees whether the arrays are still there.
 */
'use strict';

const { AbortError, onAbort } = require('../base/abort.js');
const { native } = require('../base/binding.js');
const { DESCRIBE, boolean, expected, integer, positive, readOptions } = require('../base/check.js');
const { GraphError, fail } = require('../base/errors.js');
const { lend } = require('../tensor/storage.js');
const { Tensor, storageOf } = require('../tensor/tensor.js');
const { callWith, invoke } = require('./call-program.js');
const { LastRun, Watch, byteLengthOf, mayChange, mayShrink } = require('./inline-cache.js');
const {
  cutOutputs, portsOf, readInputs, readOutputs, readSizes, resultOf, symbolsOf, valuesByName,
} = require('./ports.js');

/** @typedef {import('./ports.js').Port} Port */
/** @typedef {import('../tensor/dtypes.js').TypedArray} TypedArray */
/** @typedef {Record<string, Tensor>} Results */
/**
 * All arrays, the tensors of the outputs, and what was given for the inputs.
 *
 * @typedef {{ arrays: TypedArray[], tensors: Tensor[], values: unknown[] }} Read
 */
/** @typedef {{ arrays: TypedArray[], tensors: Tensor[], bound: import('../base/binding.js').BoundHandle, watch: Watch }} Again */

const KEY = Symbol('graphjit.program');

/** Bytes up to which texts without constants have them all the same. */
const SHORT_BYTES = 4096;

/** Programs keep the arrays of their last run, up to this many bytes, to know them when they come again. */
const KEPT_BYTES = 2 ** 16;

/** @type {(port: Port) => boolean} whether a run computes sizes of it */
const isComputed = ({ shape, most }) => shape.some((size, axis) => size !== most[axis]);

/** @type {(port: Port) => object} what users see of a port */
const publicPort = (port) => {
  const { name, dtype, shape, most } = port;
  return Object.freeze(isComputed(port) ? { name, dtype, shape, most } : { name, dtype, shape });
};

/** @type {(shape: readonly number[], other: readonly number[] | undefined) => boolean} */
const isSameShape = (shape, other) =>
  other !== undefined && shape.length === other.length && shape.every((size, axis) => size === other[axis]);

/** @type {(values: readonly unknown[], others: readonly unknown[]) => boolean} */
function isSame(values, others) {
  if (values.length !== others.length) return false;
  for (let i = 0; i < others.length; i++) if (values[i] !== others[i]) return false;
  return true;
}

/**
 * What others in this library call a program by, who look after arrays and sizes themselves.
 *
 * @typedef {object} Internals
 * @property {import('../base/binding.js').ProgramHandle} handle
 * @property {Port[]} inputs
 * @property {Port[]} outputs
 */

/** @type {(program: Program) => Internals} */
let internalsOf;

class Program {
  #handle;
  #name;
  #inputs;
  #outputs;
  /** Whether runs compute sizes of outputs; then there are no short ways. */
  #computes;
  /** Shapes of the inputs that C has sizes for; empty before the first run. @type {(readonly number[])[]} */
  #shapes = [];
  /** @type {(readonly number[])[]} */
  #outputShapes = [];
  /**
   * How the last run was given its values, which had these shapes; null where that does not help.
   *
   * @type {LastRun | null}
   */
  #last = null;
  /** The arrays of the last run, if they are few bytes. @type {TypedArray[] | null} */
  #latest = null;
  /** What runs of the same arrays as before need. @type {Again | null} */
  #again = null;

  static {
    internalsOf = (program) => ({
      handle: program.#handle,
      inputs: program.#inputs,
      outputs: program.#outputs,
    });
  }

  /**
   * @param {symbol} key
   * @param {string} name
   * @param {import('../base/binding.js').ProgramHandle} handle
   */
  constructor(key, name, handle) {
    if (key !== KEY) fail('ERR_ARGUMENT', 'Program: programs come from graph.compile()');
    const { inputs, outputs } = native.programPorts(handle);
    this.#name = name;
    this.#handle = handle;
    this.#inputs = portsOf(inputs, 'input');
    this.#outputs = portsOf(outputs, 'output');
    this.#computes = this.#outputs.some(isComputed);
    this.inputs = Object.freeze(this.#inputs.map(publicPort));
    this.outputs = Object.freeze(this.#outputs.map(publicPort));
    Object.freeze(this);
  }

  get name() {
    return this.#name;
  }

  // -------------------------------------------------------------------------------- running

  /**
   * @param {unknown} inputs
   * @param {unknown} [outputs]
   * @returns {Results}
   */
  run(inputs, outputs) {
    if (this.#computes) return this.#runComputing(inputs, outputs);
    const last = this.#last;
    const values = last === null ? null : last.read(inputs, outputs);
    if (last === null || values === null) return this.#runOther(this.#read(inputs, outputs, 'run'));
    // A getter among the values may have run this program with other sizes.
    if (last !== this.#last) return this.#runOther(this.#readValues(values));
    const again = this.#again;
    if (again !== null && isSame(values, again.arrays) && again.watch.isInPlace()) {
      invoke(again.bound);
      return this.#results(again.tensors);
    }
    const arrays = last.arrays(values);
    if (arrays === null) return this.#runOther(this.#readValues(values));
    callWith(this.#handle, arrays);
    const results = last.results(values, arrays);
    if (outputs !== undefined && last.bytes <= KEPT_BYTES) this.#remember(values, arrays, results);
    return results;
  }

  /** @type {(read: Read) => Results} a run that is not like the last */
  #runOther({ arrays, tensors, values }) {
    callWith(this.#handle, arrays);
    this.#again = this.#latest = null;
    const last = new LastRun(this.#inputs, values, this.#shapes, this.#outputs, this.#outputShapes);
    this.#last = last.isUsual ? last : null;
    return resultOf(tensors, this.#outputs);
  }

  /** @type {(inputs: unknown, outputs: unknown) => Results} a run whose outputs have the sizes that it finds */
  #runComputing(inputs, outputs) {
    const { arrays } = this.#read(inputs, outputs, 'run');
    return this.#cut(arrays, callWith(this.#handle, arrays), outputs === undefined);
  }

  /** @type {(arrays: TypedArray[], shapes: readonly (readonly number[])[] | undefined, fresh: boolean) => Results} */
  #cut(arrays, shapes = [], fresh) {
    return resultOf(cutOutputs(arrays.slice(this.#inputs.length), shapes, this.#outputs, fresh), this.#outputs);
  }

  /**
   * Keeps the arrays of a run, and what a run of the same arrays needs once they have come twice. Large
   * arrays are not kept: they would live as long as the program, and their runs take longer than the
   * look at them.
   *
   * @param {readonly unknown[]} values
   * @param {TypedArray[]} arrays
   * @param {Results} results
   */
  #remember(values, arrays, results) {
    const latest = this.#latest;
    this.#again = null;
    this.#latest = arrays;
    if (latest === null || !isSame(latest, arrays) || !isSame(values, arrays) || arrays.some(mayChange)) return;
    const bound = native.programBind(this.#handle, arrays, false);
    const tensors = this.#outputs.map(({ name }) => results[name]);
    this.#again = { arrays, tensors, bound, watch: new Watch(arrays) };
  }

  /** @type {(tensors: readonly Tensor[]) => Results} of ports whose names are plain */
  #results(tensors) {
    /** @type {Results} */
    const results = {};
    for (let i = 0; i < tensors.length; i++) results[this.#outputs[i].name] = tensors[i];
    return results;
  }

  /**
   * @param {unknown} inputs
   * @param {unknown} outputs
   * @param {string} caller
   * @returns {Read}
   */
  #read(inputs, outputs, caller) {
    const values = valuesByName(inputs, this.#inputs, 'input', caller);
    // Before the sizes are settled, since a getter may run this very program.
    const targets = outputs === undefined ? undefined : valuesByName(outputs, this.#outputs, 'output', caller);
    return this.#settle(values, targets, caller);
  }

  /**
   * The same of values of all ports, of which a getter may not be asked twice.
   *
   * @type {(values: readonly unknown[]) => Read}
   */
  #readValues(values) {
    const first = this.#inputs.length;
    return this.#settle(values.slice(0, first), values.length === first ? undefined : values.slice(first), 'run');
  }

  /** @type {(values: unknown[], targets: unknown[] | undefined, caller: string) => Read} */
  #settle(values, targets, caller) {
    const { arrays, shapes } = readInputs(values, this.#inputs, caller);
    this.#fit(shapes);
    const results = readOutputs(targets, this.#outputShapes, this.#outputs, caller);
    return { arrays: [...arrays, ...results.arrays], tensors: results.tensors, values };
  }

  /** @param {(readonly number[])[]} shapes */
  #fit(shapes) {
    if (this.#outputShapes.length > 0 && shapes.every((shape, i) => isSameShape(shape, this.#shapes[i]))) return;
    const outputShapes = native.programFit(this.#handle, shapes);
    this.#outputShapes = outputShapes;
    this.#shapes = shapes;
    this.#last = null;
  }

  /**
   * @param {unknown} inputs
   * @param {unknown} [outputs]
   * @returns {(() => Results) & { outputs: Results }}
   */
  bind(inputs, outputs) {
    for (const [i, value] of valuesByName(inputs, this.#inputs, 'input', 'bind').entries()) {
      if (Array.isArray(value) || (value instanceof Tensor && !value.isContiguous)) {
        const { label } = this.#inputs[i];
        expected('bind', 'a typed array, a contiguous Tensor or a number', label, value);
      }
      if (value instanceof Tensor) lendData(value);
    }
    const { arrays, tensors } = this.#read(inputs, outputs, 'bind');
    tensors.forEach(lendData);
    const bound = native.programBind(this.#handle, arrays, true);
    const results = Object.freeze(resultOf(tensors, this.#outputs));
    const watch = new Watch(arrays);
    const lengths = arrays.map(byteLengthOf);
    const stale = () => {
      const i = arrays.findIndex((array, at) => byteLengthOf(array) !== lengths[at]);
      const { label } = [...this.#inputs, ...this.#outputs][i];
      fail('ERR_STATE', `bound function: the array of ${label} was detached or resized after bind`);
    };
    const call = () => {
      if (!watch.isInPlace()) stale();
      const shapes = invoke(bound);
      return this.#computes ? this.#cut(arrays, shapes, false) : results;
    };
    return Object.assign(call, { outputs: results });
  }

  /**
   * @param {unknown} inputs
   * @param {unknown} [outputs]
   * @param {unknown} [options]
   * @returns {Promise<Results>}
   */
  async runAsync(inputs, outputs, options) {
    const { signal } = readOptions('runAsync', options, { signal: abortSignal });
    if (signal?.aborted) throw new AbortError(signal);
    const { arrays, tensors } = this.#read(inputs, outputs, 'runAsync');
    arrays.forEach((array, i) => {
      if (!mayShrink(array)) return;
      const { label } = [...this.#inputs, ...this.#outputs][i];
      fail('ERR_STATE', `runAsync: ${label} lies in a resizable buffer, which may shrink during the run: pass a copy`);
    });
    const run = native.runStart(this.#handle, arrays);
    const cancel = () => native.workCancel(run);
    const forget = signal && onAbort(signal, cancel);
    let shapes;
    try {
      shapes = await run.promise;
    } catch (error) {
      // Made on an empty stack; made again here it shows who awaits the run.
      if (!signal?.aborted && error instanceof GraphError) fail(error.code, error.message);
      if (!signal?.aborted) throw error;
    } finally {
      forget?.();
    }
    // A run that was over before it noticed counts as aborted as well: the caller has moved on.
    if (signal?.aborted) throw new AbortError(signal);
    if (this.#computes) return this.#cut(arrays, shapes, outputs === undefined);
    return resultOf(tensors, this.#outputs);
  }

  /**
   * Settles when runs call machine code, which they do from the start unless the tier is 'auto'.
   *
   * @returns {Promise<void>}
   */
  async ready() {
    try {
      await native.programReady(this.#handle);
    } catch (error) {
      // Made on an empty stack; made again here it shows who waits.
      if (error instanceof GraphError) fail(error.code, error.message);
      throw error;
    }
  }

  // --------------------------------------------------------------------------------- seeing

  /** @param {unknown} [options] */
  llvm(options) {
    const { optimized = false, constants = true } = readOptions('llvm', options, {
      optimized: boolean,
      constants: boolean,
    });
    return this.#text(optimized ? 'optimized' : 'llvm', constants);
  }

  /** @param {unknown} [options] */
  asm(options) {
    const { constants = true } = readOptions('asm', options, { constants: boolean });
    return this.#text('asm', constants);
  }

  /** @param {unknown} [options] */
  toWasm(options) {
    return require('./wasm.js').toWasm('toWasm', native.programGraph(this.#handle), options);
  }

  /** @param {unknown} [options] */
  toObject(options) {
    return require('./object-file.js').toObject('toObject', native.programGraph(this.#handle), options);
  }

  /** @param {unknown} [options] */
  toHeader(options) {
    return require('./object-file.js').toHeader('toHeader', native.programGraph(this.#handle), options);
  }

  /** @param {unknown} [options] */
  loops(options) {
    const { constants = true } = readOptions('loops', options, { constants: boolean });
    return this.#text('loops', constants);
  }

  /** @type {(what: 'llvm' | 'optimized' | 'asm' | 'loops', constants: boolean) => string} */
  #text(what, constants) {
    return native.programText(this.#handle, what, constants ? 0 : SHORT_BYTES);
  }

  /**
   * What each kernel takes on these arrays, beside what the machine can do.
   *
   * @param {unknown} inputs
   * @param {unknown} [options]
   */
  profile(inputs, options) {
    const {
      outputs,
      runs = 100,
      seconds = 0.25,
    } = readOptions('profile', options, {
      outputs: (given) => given,
      runs: integer(1, 1e6),
      seconds: positive,
    });
    const { arrays } = this.#read(inputs, outputs, 'profile');
    const figures = native.programProfile(this.#handle, arrays, runs, seconds);
    const { kernels, threads } = this.stats;
    const { Profile } = require('./profile.js');
    return new Profile(this.#name, figures, kernels, native.machine(threads));
  }

  /**
   * The memory of a run: of all its sizes as formulas, or of given ones in bytes.
   *
   * @param {unknown} [sizes] a number for every symbol
   */
  memory(sizes) {
    if (sizes === undefined) return native.programMemory(this.#handle);
    const symbols = symbolsOf(this.#inputs);
    const values = readSizes(sizes, symbols, 'memory');
    return native.programMemory(this.#handle, symbols, values);
  }

  /** The graph that was compiled, after simplification, as text. */
  simplified() {
    return native.programText(this.#handle, 'graph', 0);
  }

  get stats() {
    return native.programStats(this.#handle);
  }

  toString() {
    /** @type {(ports: Port[]) => string} */
    const list = (ports) => ports.map(({ name, type }) => `${name}: ${type}`).join(', ');
    return `Program ${this.#name}(${list(this.#inputs)}) -> (${list(this.#outputs)})`;
  }

  [DESCRIBE]() {
    return this.toString();
  }

  [Symbol.for('nodejs.util.inspect.custom')]() {
    return this.toString();
  }

  // --------------------------------------------------------------------------------- ending

  dispose() {
    native.programDispose(this.#handle);
  }
}
if (Symbol.dispose !== undefined) {
  const { dispose } = Program.prototype;
  Object.defineProperty(Program.prototype, Symbol.dispose, { value: dispose, writable: true, configurable: true });
}

/**
 * What a bound function reads and writes at each call is where others see and change it.
 *
 * @type {(tensor: Tensor) => void}
 */
function lendData(tensor) {
  lend(storageOf(tensor), 'bind');
}

/** @type {import('../base/check.js').Getter<AbortSignal>} */
function abortSignal(value, which, caller) {
  if (value instanceof AbortSignal) return value;
  return expected(caller, 'an AbortSignal', which, value);
}

/** @type {(name: string, handle: import('../base/binding.js').ProgramHandle) => Program} */
const createProgram = (name, handle) => new Program(KEY, name, handle);

module.exports = { Program, createProgram, internalsOf };
