/**
 * One trace of a function, compiled, and how calls of it are recognised.
 *
 * A call that is like the one before must be known at a glance: the same dtypes, the same sizes, the same
 * static values. That is what `match` looks at, in the order in which a call is likely to differ, without making
 * anything but the list of leaves. Whatever it does not know goes the long way, which is also
 * where errors are made.
 */
'use strict';

const { isAttached } = require('../base/check.js');
const { compileHandle, stateOfGraph } = require('../graph/graph.js');
const { byteLengthOf } = require('../graph/inline-cache.js');
const { dtypeOf, dtypes, plainArray } = require('../tensor/dtypes.js');
const { Tensor, infoOf, layoutOf } = require('../tensor/tensor.js');
const { sizeOf } = require('../tensor/views.js');
const { Callable } = require('./callable.js');
const { collect, countLeaves, isTensorLike, unflatten } = require('./pytree.js');
const { argumentName } = require('./signature.js');
const { staticText } = require('./static-arguments.js');
const { traceCall } = require('./trace.js');

/** @typedef {import('./signature.js').Signature} Signature */
/** @typedef {import('./signature.js').Rules} Rules */
/** @typedef {import('./callable.js').Input} Input */

/** @type {(shape: readonly number[], other: readonly number[]) => boolean} */
function isSameShape(shape, other) {
  if (shape === other) return true;
  if (shape.length !== other.length) return false;
  for (let axis = 0; axis < shape.length; axis++) if (shape[axis] !== other[axis]) return false;
  return true;
}

/** @type {(value: unknown) => boolean} whether a static value is compared as it is */
const isPrimitive = (value) => typeof value !== 'object' || value === null;

/** @type {(fn: (...args: any[]) => unknown, rules: Rules, signature: Signature, args: readonly unknown[]) => ReturnType<typeof traceCall>} */
function traceOf(fn, { name }, { structures, inputs }, args) {
  return traceCall(fn, name, inputs, (values) => {
    let next = 0;
    return structures.map((structure, i) => {
      if (structure === null) return args[i];
      const own = values.slice(next, (next += countLeaves(structure)));
      return unflatten(structure, own);
    });
  });
}

class CompiledTrace {
  /** Shapes of the call that the program's sizes are for. @type {(readonly number[])[]} */
  #shapes = [];
  #isFitted = false;
  /** @type {number[]} */
  #bytes = [];
  /**
   * Layouts that tensors had, since most calls get tensors with the same.
   *
   * @type {(import('../tensor/tensor.js').Layout | null)[]}
   */
  #layouts = [];

  /**
   * @param {(...args: any[]) => unknown} fn
   * @param {Rules & { compile: import('../graph/graph.js').CompileOptions, donated: ReadonlySet<number> }} rules
   * @param {Signature} signature
   * @param {readonly unknown[]} args
   */
  constructor(fn, rules, signature, args) {
    const { graph, structure } = traceOf(fn, rules, signature, args);
    const { handle } = stateOfGraph(graph);
    this.rules = rules;
    this.name = rules.name;
    this.structure = structure;
    this.structures = signature.structures;
    this.kinds = signature.types.map(({ kind }) => kind);
    this.infos = signature.types.map(({ dtype }) => dtypes[dtype]);
    this.statics = args.map((arg, i) => (signature.structures[i] === null ? arg : undefined));
    this.staticTexts = signature.statics;
    /** A function without outputs has nothing to compile. */
    this.callable = countLeaves(structure) === 0 ? null : new Callable(compileHandle(handle, rules.compile));
    graph.dispose();
    let next = 0;
    /** Which leaves are given away; empty for none. @type {number[]} */
    this.donated = [];
    signature.structures.forEach((own, i) => {
      for (let end = next + (own === null ? 0 : countLeaves(own)); next < end; next++)
        if (rules.donated.has(i)) this.donated.push(next);
    });
  }

  /** @param {readonly (readonly number[])[]} shapes */
  fit(shapes) {
    if (this.#isFitted && shapes.every((shape, i) => isSameShape(shape, this.#shapes[i]))) return;
    const bytes = shapes.map((shape, i) => sizeOf(shape, this.name) * this.infos[i].bytes);
    this.callable?.fit(shapes);
    this.#isFitted = true;
    this.#shapes = [...shapes];
    this.#layouts = shapes.map(() => null);
    this.#bytes = bytes;
  }

  /**
   * The leaves of a call that is like the one before.
   *
   * @param {readonly unknown[]} args
   * @returns {Input[] | null} null for any other call, also a wrong one
   */
  match(args) {
    const { structures } = this;
    if (args.length !== structures.length) return null;
    /** @type {Input[]} */
    const inputs = [];
    for (let i = 0; i < structures.length; i++) {
      const structure = structures[i];
      if (structure === null) {
        if (!this.#isSameStatic(args[i], i)) return null;
      } else if (structure.kind === 'leaf') {
        if (!this.#take(args[i], inputs)) return null;
      } else if (!this.#takeTree(structure, args[i], inputs)) return null;
    }
    return inputs;
  }

  /** @type {(value: unknown, i: number) => boolean} */
  #isSameStatic(value, i) {
    if (isPrimitive(value)) return Object.is(value, this.statics[i]);
    return staticText(value, this.name, `argument '${argumentName(this.rules, i)}'`) === this.staticTexts[i];
  }

  /** @type {(structure: import('./pytree.js').Structure, tree: unknown, inputs: Input[]) => boolean} */
  #takeTree(structure, tree, inputs) {
    /** @type {unknown[]} */
    const leaves = [];
    if (!collect(structure, tree, isTensorLike, leaves)) return false;
    for (const leaf of leaves) if (!this.#take(leaf, inputs)) return false;
    return true;
  }

  /**
   * @param {unknown} leaf
   * @param {Input[]} inputs gets the leaf
   * @returns {boolean} false when the leaf is not of the type of this trace, and of the size of the last call
   */
  #take(leaf, inputs) {
    const i = inputs.length;
    if (leaf instanceof Tensor) {
      if (this.kinds[i] !== 'data' || infoOf(leaf) !== this.infos[i]) return false;
      const layout = layoutOf(leaf);
      if (layout !== this.#layouts[i]) {
        if (!isSameShape(layout.shape, this.#shapes[i])) return false;
        this.#layouts[i] = layout;
      }
      inputs.push(leaf);
      return true;
    }
    if (typeof leaf !== 'object') {
      if (typeof leaf !== this.kinds[i]) return false;
      if (typeof leaf === 'bigint' && BigInt.asIntN(64, leaf) !== leaf) return false;
      inputs.push(/** @type {Input} */ (leaf));
      return true;
    }
    return this.kinds[i] === 'data' && this.#takeArray(leaf, i, inputs);
  }

  /** @type {(array: any, i: number, inputs: Input[]) => boolean} */
  #takeArray(array, i, inputs) {
    if (dtypeOf(array) !== this.infos[i].name || this.#shapes[i].length !== 1) return false;
    if (byteLengthOf(array) !== this.#bytes[i] || !isAttached(array)) return false;
    inputs.push(plainArray(array));
    return true;
  }

  /** @type {(leaves: readonly unknown[]) => Input[] | null} leaves of the sizes of the last `fit` */
  take(leaves) {
    /** @type {Input[]} */
    const inputs = [];
    for (const leaf of leaves) if (!this.#take(leaf, inputs)) return null;
    return inputs;
  }

  /** @type {(inputs: readonly Input[]) => any} */
  run(inputs) {
    const { callable, structure, donated } = this;
    const results = callable === null ? [] : callable.call(inputs);
    for (const i of donated) {
      const input = inputs[i];
      if (input instanceof Tensor) input.dispose();
    }
    return structure.kind === 'leaf' ? results[0] : unflatten(structure, results);
  }

  dispose() {
    this.callable?.dispose();
  }
}

module.exports = { CompiledTrace, traceOf };
