/**
 * Calls of a vectorized function on a few numbers in typed arrays, again and again.
 *
 * As an operation, arrays become tensors, their shapes are broadcast and a kernel is looked for, several times what a
 * function takes for some numbers. A call of typed arrays of one length, and numbers, is one of a program when the
 * calls before had arguments of the same classes: the program is the function's own, and only lengths are looked at.
 */
'use strict';

const { native } = require('../../base/binding.js');
const { GraphError } = require('../../base/errors.js');
const { callWith } = require('../../graph/call-program.js');
const { Graph } = require('../../graph/graph.js');
const { byteLengthOf, classOf } = require('../../graph/inline-cache.js');
const { internalsOf } = require('../../graph/program.js');
const { dtypeOf, dtypes } = require('../../tensor/dtypes.js');
const { takeArray } = require('../../tensor/storage.js');
const { applyTo } = require('./apply.js');

/** @typedef {import('../../tensor/dtypes.js').TypedArray} TypedArray */
/** @typedef {import('../run/callable.js').Callable} Callable */

/** More elements take longer than the call, and more than one thread where there is one. */
const MOST_ELEMENTS = 4096;

/** So many calls have had arguments of the same classes when a program is made for them. */
const CALLS = 4;

/** The class of an argument, 'number', or undefined for others. @type {(arg: unknown) => string | undefined} */
function kindOf(arg) {
  if (typeof arg === 'number') return 'number';
  const dtype = dtypeOf(arg);
  return dtype !== undefined && dtypes[dtype].arrayType.name === classOf(arg) ? dtype : undefined;
}

/** A program of the function for arguments of some classes. */
class VectorCall {
  #length = 0;

  /**
   * @param {Callable} own
   * @param {readonly string[]} kinds
   */
  constructor(own, kinds) {
    const graph = new Graph(own.name);
    const values = kinds.map((kind, i) =>
      graph.input(`x${i}`, kind === 'number' ? 'f64' : /** @type {any} */ (kind), kind === 'number' ? [] : ['n']),
    );
    graph.output('y', applyTo(own, values));
    const program = graph.compile({ tier: 'auto' });
    graph.dispose();
    const { handle, outputs } = internalsOf(program);
    this.handle = handle;
    this.kinds = kinds;
    this.classes = kinds.map((kind) =>
      kind === 'number'
        ? 'number'
        : dtypes[/** @type {import('../../tensor/dtypes.js').DType} */ (kind)].arrayType.name,
    );
    this.bytes = kinds.map((kind) =>
      kind === 'number' ? 0 : dtypes[/** @type {import('../../tensor/dtypes.js').DType} */ (kind)].bytes,
    );
    /** Where numbers go. */
    this.boxes = kinds.map((kind) => (kind === 'number' ? new Float64Array(1) : null));
    this.info = outputs[0].info;
    this.isVector = outputs[0].rank === 1;
  }

  /**
   * @param {readonly any[]} args
   * @returns {TypedArray | null} null for arguments of other classes, or of several lengths
   */
  call(args) {
    const { classes, bytes, boxes } = this;
    if (args.length !== classes.length) return null;
    const arrays = new Array(classes.length + 1);
    let length = -1;
    for (let i = 0; i < classes.length; i++) {
      const arg = args[i];
      const box = boxes[i];
      if (box !== null) {
        if (typeof arg !== 'number') return null;
        box[0] = arg;
        arrays[i] = box;
        continue;
      }
      if (classOf(arg) !== classes[i]) return null;
      const own = byteLengthOf(arg) / bytes[i];
      if (length < 0) length = own;
      else if (own !== length) return null;
      arrays[i] = arg;
    }
    if (length < 1 || length > MOST_ELEMENTS) return null; // an empty array may be a detached one
    if (length !== this.#length) this.#fit(length);
    const result = takeArray(this.info, length, 'vectorize');
    arrays[classes.length] = result;
    callWith(this.handle, arrays);
    return result;
  }

  /** @param {number} length */
  #fit(length) {
    this.#length = 0;
    native.programFit(
      this.handle,
      this.kinds.map((kind) => (kind === 'number' ? [] : [length])),
    );
    this.#length = length;
  }
}

/** Makes a program when calls have been alike for a while. */
class VectorCalls {
  #own;
  /** Of the latest calls. */
  #key = '';
  #count = 0;
  /** @type {VectorCall | null} */
  #made = null;

  /** @param {Callable} own */
  constructor(own) {
    this.#own = own;
  }

  /** @type {(args: readonly unknown[]) => TypedArray | null} null for what is to be done otherwise */
  call(args) {
    return this.#made === null ? null : this.#made.call(args);
  }

  /** Tells of a call that was done otherwise. @param {readonly unknown[]} args */
  note(args) {
    const kinds = args.map(kindOf);
    const key = kinds.includes(undefined) || kinds.every((kind) => kind === 'number') ? '' : kinds.join();
    this.#count = key === this.#key ? this.#count + 1 : 1;
    this.#key = key;
    if (key === '' || this.#count !== CALLS) return;
    this.#made = this.#make(/** @type {string[]} */ (kinds));
  }

  /** @type {(kinds: readonly string[]) => VectorCall | null} */
  #make(kinds) {
    try {
      const made = new VectorCall(this.#own, kinds);
      return made.isVector ? made : null;
    } catch (error) {
      // As an operation it has worked, or fails with a message that names the arguments.
      if (error instanceof GraphError) return null;
      throw error;
    }
  }
}

module.exports = { VectorCalls };
