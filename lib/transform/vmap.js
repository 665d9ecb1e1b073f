/**
 * vmap: a function of one example as a function of a batch of them, as in JAX.
 *
 * Which axis of an argument the examples lie along is said by a number, by null for one that all of them share, or per
 * argument by an array of these, in which a tree may have a tree of its own. There is no loop over examples: the core
 * makes of each operation the one that computes all of them (batch.js).
 */
'use strict';

const { callable, describe, expected, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { dimsOf } = require('../graph/value.js');
const { checkResult, liftLeaf } = require('../trace/control.js');
const { countLeaves, flatten, leafPaths, pathText, unflatten } = require('../trace/pytree.js');
const { Batch, moveAxis, placed } = require('./batch.js');
const { ofTensors, transformed } = require('./index.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {import('../trace/pytree.js').Structure} Structure */
/** @typedef {number | null} Axis null: all examples share it */

/** @type {(value: unknown, which: string, caller: string) => unknown} */
function axesOption(value, which, caller) {
  const isTree = typeof value === 'object';
  return Number.isInteger(value) || isTree ? value : expected(caller, 'an axis, null, or a tree of them', which, value);
}

/** @type {(value: unknown, which: string, caller: string) => number | string} */
function sizeOption(value, which, caller) {
  if (typeof value === 'string' || (Number.isSafeInteger(value) && Number(value) >= 0)) return /** @type {any} */ (value);
  return expected(caller, "a size (an integer of at least 0, or text such as 'n')", which, value);
}

const OPTIONS = { inAxes: axesOption, outAxes: axesOption, axisSize: sizeOption };

/**
 * The axis of every leaf of a tree: what is said of a tree holds for all of it.
 *
 * @param {any} spec
 * @param {Structure} structure
 * @param {string} option
 * @param {string} name of the tree
 * @returns {Axis[]}
 */
function axesOf(spec, structure, option, name) {
  const { kind, names, children } = structure;
  if (spec === null || Number.isInteger(spec)) return Array(countLeaves(structure)).fill(spec);
  const [isArray, keys] = [Array.isArray(spec), Object.keys(spec ?? {})];
  const isLike = kind === 'array' ? isArray && spec.length === children.length : kind === 'object' && !isArray && keys.length === names.length;
  if (typeof spec !== 'object' || !isLike || !(kind === 'array' || names.every((key) => Object.hasOwn(spec, key)))) {
    fail('ERR_ARGUMENT', `vmap: option '${option}' has ${describe(spec)} for ${name}, which is not as that is: give an axis, null, or a tree of the same structure`);
  }
  return children.flatMap((child, i) => {
    const key = kind === 'array' ? i : names[i];
    return axesOf(spec[key], child, option, pathText([key], name));
  });
}

/** @type {(axis: number, rank: number, option: string, name: string) => number} from 0 on */
function axisIn(axis, rank, option, name) {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  const has = rank === 0 ? 'is a scalar, which has no axis: say null where all examples share it' : `has rank ${rank}`;
  return fail('ERR_SHAPE', `vmap: option '${option}' says axis ${axis}, but ${name} ${has}`);
}

/** The arguments as one example has them, and the batch. */
class Arguments {
  /**
   * @param {GraphState} state
   * @param {Batch} batch
   * @param {number | string | undefined} size
   */
  constructor(state, batch, size) {
    this.state = state;
    this.batch = batch;
    /** With the batch along axis 0. @type {Value[]} */
    this.values = [];
    this.size = size === undefined ? undefined : state.dim(size, "option 'axisSize'", 'vmap');
    this.from = "option 'axisSize' says";
  }

  /** @type {(leaf: unknown, axis: Axis, name: string) => unknown} */
  leaf(leaf, axis, name) {
    if (axis === null) return leaf;
    const whole = liftLeaf(this.state, leaf, name, 'vmap');
    const at = axisIn(axis, dimsOf(whole).length, 'inAxes', name);
    const value = moveAxis(whole, at, 0);
    const [size, ...dims] = dimsOf(value);
    if (this.size !== undefined && size !== this.size) {
      const [own, other] = [size, this.size].map((each) => this.state.text(each));
      fail('ERR_SHAPE', `vmap: axis ${at} of ${name} has size ${own}, but ${this.from} ${other}`);
    }
    if (this.size === undefined) this.from = `axis ${at} of ${name} has`;
    this.size = size;
    this.values.push(value);
    return this.batch.example({ dtype: value.dtype, dims });
  }

  /** @type {(arg: unknown, spec: unknown, name: string) => unknown} */
  argument(arg, spec, name) {
    if (spec === null) return arg; // may be anything then
    const { leaves, structure } = flatten(arg, 'vmap', name, { optional: true });
    const axes = axesOf(spec, structure, 'inAxes', name);
    const names = leafPaths(structure).map((path) => pathText(path, name));
    return unflatten(structure, leaves.map((leaf, i) => this.leaf(leaf, axes[i], names[i])));
  }
}

/** @type {(fn: (...args: any[]) => any, args: readonly unknown[], state: GraphState, options: any) => any} */
function batched(fn, args, state, { inAxes = 0, outAxes = 0, axisSize }) {
  const isList = Array.isArray(inAxes);
  if (isList ? inAxes.length !== args.length : typeof inAxes === 'object' && inAxes !== null)
    fail('ERR_ARGUMENT', `vmap: option 'inAxes' is ${describe(inAxes)}, but the function was given ${args.length} arguments: say one axis, or an array of one for each`);
  const batch = new Batch('vmap', state, fn.name || 'function');
  const given = new Arguments(state, batch, axisSize);
  const examples = args.map((arg, i) => given.argument(arg, isList ? inAxes[i] : inAxes, `argument ${i}`));
  const { size } = given;
  if (size === undefined) return fail('ERR_ARGUMENT', "vmap: no argument has a batch, so option 'axisSize' must say how many examples there are");
  const { values, structure } = batch.record(() => {
    const tree = flatten(checkResult('vmap', fn(...examples), 'the function'), 'vmap', 'the result', { optional: true });
    return { structure: tree.structure, values: tree.leaves.map((leaf) => liftLeaf(batch.state, leaf, 'the result', 'vmap')) };
  });
  const names = leafPaths(structure).map((path) => pathText(path, 'the result'));
  const axes = axesOf(outAxes, structure, 'outAxes', 'the result');
  const results = batch.finish(values, given.values, size).map((result, k) => {
    const axis = axes[k];
    if (axis !== null) return placed(result, axisIn(axis, dimsOf(values[k]).length + 1, 'outAxes', names[k]), size);
    if (result.isBatched) fail('ERR_ARGUMENT', `vmap: option 'outAxes' says null, but ${names[k]} is another one for each example`);
    return result.value;
  });
  return unflatten(structure, results);
}

/**
 * A function of batches.
 *
 * @param {unknown} fn of one example
 * @param {unknown} [options]
 * @returns {any}
 */
function vmap(fn, options) {
  const f = /** @type {(...args: any[]) => any} */ (callable(fn, 'the first argument', 'vmap'));
  const own = readOptions('vmap', options, OPTIONS);
  const made = transformed('vmap', f, (args, state) => batched(f, args, state, own));
  ofTensors.add(made);
  return made;
}

module.exports = { vmap };
