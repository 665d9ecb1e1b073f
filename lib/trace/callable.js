/**
 * A program called with tensors by position, as cheaply as a call gets.
 *
 * What a call of small tensors costs is not the work but what goes around it: the engine takes 30 ns to say where an
 * array lies, three times as long the first time that native code asks for a small one, and ten times as long to make
 * one. So when all arrays of a call are few bytes, their words are copied into arrays that belong to the
 * program and stay where they are; the native function was bound to these once. Results are copied from there into
 * blocks (tensor/storage.js). Larger arrays are passed as they are, and C checks each.
 *
 * Nobody else ever sees the arrays of a program, and results alias nothing.
 */
'use strict';

const { native } = require('../base/binding.js');
const { callWith, invoke } = require('../graph/call-program.js');
const { portsOf } = require('../graph/ports.js');
const { blockOf, cutArray, isSmall, smallStorage, takeArray } = require('../tensor/storage.js');
const { Tensor, storageOf, layoutFor, layoutOf, readableOf, tensorOver, wrapOwn } = require('../tensor/tensor.js');
const { sizeOf } = require('../tensor/views.js');

/** @typedef {import('../tensor/dtypes.js').TypedArray} TypedArray */
/** @typedef {import('../graph/ports.js').Port} Port */
/** @typedef {import('../tensor/tensor.js').Layout} Layout */
/** @typedef {Tensor | TypedArray | number | bigint | boolean} Input */

/** Up to so many bytes in all, arrays are copied: this takes less than looking where they lie. */
const STAGED_BYTES = 4096;

/** From so many words on, the engine's way to copy is quicker than a loop. */
const MANY_WORDS = 32;

/** The program's own array for an input or output. */
class Stage {
  /**
   * @param {Port} port
   * @param {number} size elements
   */
  constructor({ info }, size) {
    const buffer = new ArrayBuffer(Math.ceil((size * info.bytes) / 8) * 8);
    const View = /** @type {new (buffer: ArrayBuffer, at: number, size: number) => any} */ (
      /** @type {unknown} */ (info.arrayType)
    );
    this.info = info;
    this.size = size;
    this.array = new View(buffer, 0, size);
    this.words = new Int32Array(buffer);
    /** Words that hold elements. */
    this.count = (size * info.bytes + 3) >> 2;
  }

  /** @type {(input: Input, caller: string) => void} */
  read(input, caller) {
    if (!(input instanceof Tensor)) {
      if (typeof input === 'object') this.array.set(input);
      else this.array[0] = input;
      return;
    }
    const storage = storageOf(input);
    const block = layoutOf(input).isPlain ? blockOf(storage) : null;
    const from = block?.words;
    const { words, count } = this;
    const at = 2 * storage.at;
    // A detached array has no words; the long way says so.
    if (!from || from.length < at + count) this.array.set(readableOf(input, caller));
    else if (count < MANY_WORDS) for (let i = 0; i < count; i++) words[i] = from[at + i];
    else words.set(from.length === count ? from : from.subarray(at, at + count));
  }

  /** @type {(layout: Layout) => Tensor} over fresh memory */
  tensor(layout) {
    const { info, size, words, count } = this;
    if (!isSmall(info, size))
      return wrapOwn(new /** @type {any} */ (info.arrayType)(this.array), info.name, layout.shape);
    const storage = smallStorage(info, size);
    const to = /** @type {Int32Array} */ (storage.block?.words);
    const at = 2 * storage.at;
    if (count < MANY_WORDS) for (let i = 0; i < count; i++) to[at + i] = words[i];
    else to.set(words, at);
    return tensorOver(storage, layout);
  }
}

class Callable {
  #handle;
  #inputs;
  #outputs;
  /** Of the outputs, for the sizes that C has. @type {Layout[]} */
  #layouts = [];
  /** The program's own arrays for the inputs, while all arrays are small. @type {Stage[] | null} */
  #from = null;
  /** And for the outputs. @type {Stage[]} */
  #to = [];
  /** What calls on these. @type {import('../base/binding.js').BoundHandle | null} */
  #bound = null;

  /**
   * @param {import('../base/binding.js').ProgramHandle} handle of a program that is nobody else's
   * @param {string} [caller] what messages begin with
   */
  constructor(handle, caller = 'jit') {
    this.caller = caller;
    const { inputs, outputs } = native.programPorts(handle);
    this.#handle = handle;
    this.#inputs = portsOf(inputs, 'input');
    this.#outputs = portsOf(outputs, 'output');
  }

  /**
   * Settles the sizes of the calls that follow.
   *
   * @param {readonly (readonly number[])[]} shapes of the inputs
   */
  fit(shapes) {
    const outputs = native.programFit(
      this.#handle,
      shapes.map((shape) => [...shape]),
    );
    const ports = [...this.#inputs, ...this.#outputs];
    const sizes = [...shapes, ...outputs].map((shape) => sizeOf(shape, this.caller));
    const bytes = ports.reduce((total, { info }, i) => total + info.bytes * sizes[i], 0);
    this.#layouts = outputs.map((shape) => layoutFor(Object.freeze(shape)));
    this.#from = null;
    if (bytes > STAGED_BYTES) return;
    const stages = ports.map((port, i) => new Stage(port, sizes[i]));
    this.#bound = native.programBind(
      this.#handle,
      stages.map(({ array }) => array),
      true,
    );
    this.#from = stages.slice(0, shapes.length);
    this.#to = stages.slice(shapes.length);
  }

  /**
   * Runs on inputs of the sizes settled last, whose types the caller has checked.
   *
   * @param {readonly Input[]} inputs
   * @returns {Tensor[]}
   */
  call(inputs) {
    const from = this.#from;
    if (from === null) return this.#callLarge(inputs);
    for (let i = 0; i < from.length; i++) from[i].read(inputs[i], this.caller);
    const computed = invoke(/** @type {import('../base/binding.js').BoundHandle} */ (this.#bound));
    const to = this.#to;
    if (computed !== undefined)
      return this.#cut(
        to.map(({ array }, i) => array.slice(0, sizeOf(computed[i], this.caller))),
        computed,
      );
    const results = new Array(to.length);
    for (let i = 0; i < to.length; i++) results[i] = to[i].tensor(this.#layouts[i]);
    return results;
  }

  /** @type {(inputs: readonly Input[]) => Tensor[]} */
  #callLarge(inputs) {
    const arrays = inputs.map((input, i) => this.#arrayOf(i, input));
    const fresh = this.#outputs.map(({ info }, i) => takeArray(info, this.#layouts[i].size, this.caller));
    const computed = callWith(this.#handle, [...arrays, ...fresh]);
    if (computed !== undefined) return this.#cut(fresh, computed);
    return fresh.map((array, i) => wrapOwn(array, this.#outputs[i].dtype, this.#layouts[i].shape));
  }

  /**
   * Of sizes that the run has computed.
   *
   * @type {(arrays: readonly TypedArray[], shapes: readonly (readonly number[])[]) => Tensor[]}
   */
  #cut(arrays, shapes) {
    return arrays.map((array, i) =>
      wrapOwn(cutArray(array, sizeOf(shapes[i], this.caller)), this.#outputs[i].dtype, shapes[i]),
    );
  }

  /** @type {(i: number, input: Input) => TypedArray} */
  #arrayOf(i, input) {
    if (input instanceof Tensor) return readableOf(input, this.caller);
    if (typeof input === 'object') return input;
    const array = new this.#inputs[i].info.arrayType(1);
    array[0] = /** @type {number} */ (input);
    return array;
  }

  /** Calls that are made all the same throw: a getter among the arguments of a call may come here. */
  dispose() {
    native.programDispose(this.#handle);
  }
}

module.exports = { Callable };
