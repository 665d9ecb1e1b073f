/**
 * Program: a compiled graph and the three ways to run it.
 *
 * `run` checks everything at each call; the sizes of the last call are kept, and a call with vectors of
 * the same lengths skips all that led to them. `bind` checks once and returns a function that is little
 * more than a call of the machine code. `runAsync` is `run` on another thread.
 *
 * Nothing here protects memory: C checks class, length and overlap of every array again. What C cannot
 * see is what happens to an array between two calls of a bound function, so that function compares the
 * length of each array with what it was: losing the buffer or part of it changes that. Lengths are asked
 * of the language itself, not of properties that a caller may have put on the array.
 */
'use strict';

const { DESCRIBE, boolean, expected, readOptions } = require('./check.js');
const { GraphError, fail, hideLibraryFrames } = require('./errors.js');
const { native } = require('./native.js');
const { portsOf, readInputs, readOutputs, resultOf, valuesByName } = require('./ports.js');
const { Tensor, wrap } = require('./tensor.js');

/** @typedef {import('./ports.js').Port} Port */
/** @typedef {import('./dtypes.js').TypedArray} TypedArray */
/** @typedef {Record<string, Tensor>} Results */

const KEY = Symbol('graphjit.program');

/**
 * @param {object} prototype
 * @param {string} name
 * @returns {(object: unknown) => any} the getter that the language defines there
 */
function intrinsic(prototype, name) {
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  return get ? Function.prototype.call.bind(get) : () => undefined;
}

const typedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype);
const byteLengthOf = intrinsic(typedArrayPrototype, 'byteLength');
const bufferOf = intrinsic(typedArrayPrototype, 'buffer');
const resizableOf = intrinsic(ArrayBuffer.prototype, 'resizable');

/** @type {(buffer: unknown) => boolean} a shared buffer can only grow, and its getter is another */
function mayShrink(buffer) {
  try {
    return resizableOf(buffer) === true;
  } catch {
    return false;
  }
}

/** What Node's own functions reject with when a signal aborts them. */
class AbortError extends Error {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    super('The operation was aborted', { cause: signal.reason });
    this.name = 'AbortError';
    this.code = 'ABORT_ERR';
    hideLibraryFrames(this);
  }
}

/** @type {(port: Port) => object} what users see of a port */
const publicPort = ({ name, dtype, shape }) => Object.freeze({ name, dtype, shape });

/** @type {(shape: readonly number[], other: readonly number[] | undefined) => boolean} */
const isSameShape = (shape, other) =>
  other !== undefined && shape.length === other.length && shape.every((size, axis) => size === other[axis]);

class Program {
  #handle;
  #runner;
  #name;
  #inputs;
  #outputs;
  /** Shapes of the inputs that C has sizes for; empty before the first run. @type {(readonly number[])[]} */
  #shapes = [];
  /** @type {(readonly number[])[]} */
  #outputShapes = [];

  /**
   * @param {symbol} key
   * @param {string} name
   * @param {import('./native.js').Handle} handle
   */
  constructor(key, name, handle) {
    if (key !== KEY) fail('ERR_ARGUMENT', 'Program: programs come from graph.compile()');
    const { inputs, outputs } = native.programPorts(handle);
    this.#name = name;
    this.#handle = handle;
    this.#runner = native.programRunner(handle);
    this.#inputs = portsOf(inputs, 'input');
    this.#outputs = portsOf(outputs, 'output');
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
    const quick = this.#vectors(inputs, outputs);
    if (quick !== undefined) {
      this.#runner(...quick);
      return this.#wrapped(quick);
    }
    const { arrays, tensors } = this.#read(inputs, outputs, 'run');
    this.#runner(...arrays);
    return resultOf(tensors, this.#outputs);
  }

  /**
   * The arrays of a run whose inputs and outputs are all bare vectors as long as in the run before:
   * nothing has to be worked out then. Undefined for every other run, also a wrong one.
   *
   * @param {any} inputs
   * @param {any} outputs
   * @returns {TypedArray[] | undefined}
   */
  #vectors(inputs, outputs) {
    if (outputs === undefined || outputs === null || inputs === undefined || inputs === null) return undefined;
    if (this.#outputShapes.length === 0) return undefined;
    /** @type {TypedArray[]} */
    const arrays = [];
    const same =
      takeVectors(inputs, this.#inputs, this.#shapes, arrays) &&
      takeVectors(outputs, this.#outputs, this.#outputShapes, arrays);
    return same ? arrays : undefined;
  }

  /** @type {(arrays: TypedArray[]) => Results} the outputs among the arrays of #vectors */
  #wrapped(arrays) {
    /** @type {Results} */
    const result = {};
    let next = this.#inputs.length;
    for (let i = 0; i < this.#outputs.length; i++) {
      const { name, dtype } = this.#outputs[i];
      result[name] = wrap(arrays[next++], dtype, this.#outputShapes[i]);
    }
    return result;
  }

  /**
   * @param {unknown} inputs
   * @param {unknown} outputs
   * @param {string} caller
   * @returns {{ arrays: TypedArray[], tensors: Tensor[] }} all arrays, and the tensors of the outputs
   */
  #read(inputs, outputs, caller) {
    const values = valuesByName(inputs, this.#inputs, 'input', caller);
    // Before the sizes are settled, since a getter may run this very program.
    const targets = outputs === undefined ? undefined : valuesByName(outputs, this.#outputs, 'output', caller);
    const { arrays, shapes } = readInputs(values, this.#inputs, caller);
    this.#fit(shapes);
    const results = readOutputs(targets, this.#outputShapes, this.#outputs, caller);
    return { arrays: [...arrays, ...results.arrays], tensors: results.tensors };
  }

  /** @param {(readonly number[])[]} shapes */
  #fit(shapes) {
    if (this.#outputShapes.length > 0 && shapes.every((shape, i) => isSameShape(shape, this.#shapes[i]))) return;
    const outputShapes = native.programFit(this.#handle, shapes);
    this.#outputShapes = outputShapes;
    this.#shapes = shapes;
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
    }
    const { arrays, tensors } = this.#read(inputs, outputs, 'bind');
    const invoke = native.programBind(this.#handle, arrays);
    const results = Object.freeze(resultOf(tensors, this.#outputs));
    const lengths = arrays.map(byteLengthOf);
    const count = arrays.length;
    const stale = (/** @type {number} */ i) => {
      const { label } = [...this.#inputs, ...this.#outputs][i];
      fail('ERR_STATE', `bound function: the array of ${label} was detached or resized after bind`);
    };
    const call = () => {
      for (let i = 0; i < count; i++) {
        if (byteLengthOf(arrays[i]) !== lengths[i]) stale(i);
      }
      invoke();
      return results;
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
      if (!mayShrink(bufferOf(array))) return;
      const { label } = [...this.#inputs, ...this.#outputs][i];
      fail('ERR_STATE', `runAsync: ${label} lies in a resizable buffer, which may shrink during the run: pass a copy`);
    });
    const run = native.runStart(this.#handle, arrays);
    const cancel = () => native.runCancel(run);
    const forget = signal && onAbort(signal, cancel);
    try {
      await run.promise;
    } catch (error) {
      // Made on an empty stack; made again here it shows who awaits the run.
      if (!signal?.aborted && error instanceof GraphError) fail(error.code, error.message);
      if (!signal?.aborted) throw error;
    } finally {
      forget?.();
    }
    // A run that was over before it noticed counts as aborted as well: the caller has moved on.
    if (signal?.aborted) throw new AbortError(signal);
    return resultOf(tensors, this.#outputs);
  }

  // --------------------------------------------------------------------------------- seeing

  /** @param {unknown} [options] */
  llvm(options) {
    const { optimized = false } = readOptions('llvm', options, { optimized: boolean });
    return native.programText(this.#handle, optimized ? 'optimized' : 'llvm');
  }

  asm() {
    return native.programText(this.#handle, 'asm');
  }

  loops() {
    return native.programText(this.#handle, 'loops');
  }

  /** The graph that was compiled, after simplification, as text. */
  simplified() {
    return native.programText(this.#handle, 'graph');
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
 * Appends the values of the ports to `arrays` as long as they are plain vectors of known lengths.
 *
 * @param {any} given
 * @param {readonly Port[]} ports
 * @param {readonly (readonly number[])[]} shapes
 * @param {TypedArray[]} arrays
 * @returns {boolean} whether all of them are, and nothing else was given
 */
function takeVectors(given, ports, shapes, arrays) {
  let extra = ports.length;
  for (const name in given) if (name !== undefined) extra--;
  if (extra !== 0) return false;
  for (let i = 0; i < ports.length; i++) {
    const port = ports[i];
    if (port.rank !== 1 || port.name === '__proto__') return false;
    const array = given[port.name];
    if (array === undefined || array === null || array.constructor !== port.info.arrayType) return false;
    // An empty array may be a detached one, which only the long way finds out.
    if (array.length !== shapes[i][0] || array.length === 0) return false;
    arrays.push(array);
  }
  return true;
}

/**
 * The pending runs of each signal. They share one listener, since Node warns of a leak when there are
 * more than ten.
 *
 * @type {WeakMap<AbortSignal, { cancels: Set<() => void>, listener: () => void }>}
 */
const watched = new WeakMap();

/** @type {(signal: AbortSignal) => { cancels: Set<() => void>, listener: () => void }} */
function watch(signal) {
  /** @type {Set<() => void>} */
  const cancels = new Set();
  const listener = () => cancels.forEach((cancel) => cancel());
  signal.addEventListener('abort', listener, { once: true });
  const entry = { cancels, listener };
  watched.set(signal, entry);
  return entry;
}

/**
 * @param {AbortSignal} signal
 * @param {() => void} cancel called when the signal aborts
 * @returns {() => void} forgets about it
 */
function onAbort(signal, cancel) {
  const { cancels, listener } = watched.get(signal) ?? watch(signal);
  cancels.add(cancel);
  return () => {
    cancels.delete(cancel);
    if (cancels.size > 0) return;
    signal.removeEventListener('abort', listener);
    watched.delete(signal);
  };
}

/** @type {import('./check.js').Getter<AbortSignal>} */
function abortSignal(value, which, caller) {
  if (value instanceof AbortSignal) return value;
  return expected(caller, 'an AbortSignal', which, value);
}

/** @type {(name: string, handle: import('./native.js').Handle) => Program} */
const createProgram = (name, handle) => new Program(KEY, name, handle);

module.exports = { Program, createProgram };
