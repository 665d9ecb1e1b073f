/**
 * A function of a tree of tensors as one of a vector: what the solvers call.
 *
 * The leaves of x lie one behind the other in a Float64Array, and what the function gives is taken in f64, whatever
 * dtype the leaves have: solvers work with differences. The function is traced once, together with its derivatives
 * where a solver asks for them, and each evaluation is one run of compiled code. All of it ends with the solver.
 */
'use strict';

const { callable, describe, expected } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { constantOf, isValue, stateOf } = require('../../graph/value.js');
const { joins, movement } = require('../../ops/movement.js');
const { asTensor } = require('../../tensor/create.js');
const { readableOf, wrap, wrapOwn } = require('../../tensor/tensor.js');
const { jit } = require('../../trace/jit.js');
const { flatten, leafPaths, pathText, unflatten } = require('../../trace/pytree.js');
const { gradient, jvp } = require('../../transform/derivatives.js');
const { jacobianOf } = require('../../transform/jacobian.js');
const { checkFloat, liftTree } = require('../../transform/variables.js');
const { inDType } = require('../traced.js');

/** @typedef {import('../../graph/value.js').Value} Value */
/** @typedef {import('../../graph/value.js').GraphState} GraphState */
/** @typedef {import('../../tensor/tensor.js').Tensor} Tensor */

/** A place, and what the function is there. @typedef {{ x: Float64Array, value: number, gradient: Float64Array }} Point */

/** What is compiled, of the function and vectors. @typedef {(state: GraphState, fn: (x: Value) => any, vectors: Value[]) => any} Build */

/** @type {(tensor: Tensor, caller: string) => Float64Array} a copy of what is f64 */
const arrayOf = (tensor, caller) => new Float64Array(/** @type {any} */ (readableOf(tensor, caller)));

class Problem {
  /** What was compiled, by what it is for. @type {Map<string, any>} */
  #known = new Map();

  /**
   * @param {string} caller
   * @param {unknown} fn
   * @param {unknown} x0
   * @param {readonly unknown[]} args what the function is given behind x
   */
  constructor(caller, fn, x0, args) {
    this.caller = caller;
    this.fn = callable(fn, 'the function', caller);
    this.args = args;
    const { leaves, structure } = flatten(x0, caller, 'x0');
    if (leaves.length === 0) expected(caller, 'a tensor, or a tree of tensors', 'x0', x0);
    const names = leafPaths(structure).map((path) => pathText(path, 'x0'));
    const tensors = leaves.map((leaf, i) => {
      if (isValue(leaf)) return expected(caller, 'a tensor (solvers run at once, not as part of a graph)', names[i], leaf);
      const own = asTensor(/** @type {any} */ (leaf));
      checkFloat(/** @type {any} */ (own), names[i], caller);
      return own;
    });
    this.structure = structure;
    let end = 0;
    this.leaves = tensors.map(({ dtype, shape, size }, i) => {
      const from = end;
      end += size;
      return { name: names[i], dtype, shape, isNumber: typeof leaves[i] === 'number', from, to: end };
    });
    if (end === 0) fail('ERR_SHAPE', `${caller}: x0 has no elements`);
    this.size = end;
    /** @type {Float64Array} */
    this.start = new Float64Array(end);
    tensors.forEach((each, i) => {
      const own = each.dtype === 'f64' ? each : /** @type {any} */ (each).astype('f64');
      this.start.set(arrayOf(own, caller), this.leaves[i].from);
    });
    /** What a value may be off by: sums that are rounded in f32 are not smooth below it. */
    this.noise = this.leaves.every(({ dtype }) => dtype === 'f64') ? 1e-12 : 1e-6;
    this.evaluations = 0;
  }

  /** A vector as a tree like x0: numbers where that has numbers, and tensors. @type {(x: Float64Array) => any} */
  treeOf(x) {
    const tensors = this.leaves.map(({ dtype, shape, isNumber, from, to }) => {
      if (isNumber) return x[from];
      const own = wrapOwn(x.slice(from, to), 'f64', [...shape]);
      return dtype === 'f64' ? own : /** @type {any} */ (own).astype(dtype);
    });
    return unflatten(this.structure, tensors);
  }

  /** The same of values. @type {(x: Value) => any} */
  #valuesOf(x) {
    const parts = this.leaves.map(({ dtype, shape, from, to }) =>
      inDType(movement.reshape(movement.slice(x, [from, to]), [...shape]), dtype),
    );
    return unflatten(this.structure, parts);
  }

  /**
   * A function of vectors, compiled when it is called first.
   *
   * @param {string} name
   * @param {Build} build
   * @param {...Float64Array} vectors
   * @returns {any}
   */
  #run(name, build, ...vectors) {
    const own = this.#known.get(name) ?? this.#compile(name, build, vectors.length);
    this.evaluations++;
    return own(...vectors.map((each) => wrap(each, 'f64', [each.length])), ...this.args);
  }

  /** @type {(name: string, build: Build, count: number) => (...args: any[]) => any} */
  #compile(name, build, count) {
    const traced = (/** @type {any[]} */ ...all) => {
      const given = /** @type {Value[]} */ (all.slice(0, count));
      return build(stateOf(given[0]), (x) => this.fn(this.#valuesOf(x), ...all.slice(count)), given);
    };
    const own = jit(traced, { name: `${this.caller}(${this.fn.name || 'function'})` });
    this.#known.set(name, own);
    return own;
  }

  /** What the function gave, as an f64 scalar. @type {(state: GraphState, result: unknown) => Value} */
  #scalarOf(state, result) {
    const { caller } = this;
    if (typeof result === 'number') return constantOf(state, result, 'f64', 'the result', caller);
    if (!isValue(result)) return expected(caller, 'a scalar', 'the result of the function', result);
    checkFloat(result, 'the result of the function', caller);
    if (result.rank === 0) return inDType(result, 'f64');
    return fail('ERR_SHAPE', `${caller}: the function must return a scalar, got ${describe(result)}: reduce it, for example with sum`);
  }

  /** @type {(x: Float64Array) => number} */
  value(x) {
    return this.#run('value', (state, fn, [at]) => this.#scalarOf(state, fn(at)), x).item();
  }

  /** @type {(x: Float64Array) => Point} */
  at(x) {
    const [value, slope] = this.#run('gradient', (state, fn, [at]) => this.#gradientIn(state, fn, at), x);
    return { x, value: value.item(), gradient: arrayOf(slope, this.caller) };
  }

  /** @type {(state: GraphState, fn: (x: Value) => any, at: Value) => [Value, Value]} */
  #gradientIn(state, fn, at) {
    const loss = (/** @type {Value} */ x) => this.#scalarOf(state, fn(x));
    const wanted = { list: [0], isSingle: true };
    const made = gradient(loss, [at], state, { caller: this.caller, wanted, hasAux: false });
    return [made.value, made.grad];
  }

  /**
   * The second derivatives times a vector, forward over reverse.
   *
   * @type {(x: Float64Array, v: Float64Array) => Float64Array}
   */
  hessianTimes(x, v) {
    const product = this.#run('hessian', (state, fn, [at, way]) =>
      jvp((/** @type {Value} */ own) => this.#gradientIn(state, fn, own)[1], [at], [way], state)[1], x, v);
    return arrayOf(product, this.caller);
  }

  /** All that the function gave, as one vector. @type {(state: GraphState, result: unknown) => Value} */
  #vectorOf(state, result) {
    const { caller } = this;
    const { values, names } = liftTree(state, result, 'the result of the function', caller);
    if (values.length === 0) return expected(caller, 'a tensor, or a tree of tensors', 'the result of the function', result);
    values.forEach((value, i) => checkFloat(value, names[i], caller));
    const flat = values.map((value) => inDType(movement.reshape(value, [-1]), 'f64'));
    return flat.length === 1 ? flat[0] : joins.concat(flat);
  }

  /** All results as a vector, and the tree that they were. @type {(x: Float64Array) => Float64Array} */
  vector(x) {
    return arrayOf(this.#run('vector', (state, fn, [at]) => this.#vectorOf(state, fn(at)), x), this.caller);
  }

  /** How all results change with all of x, as [results, x] in row-major order. @type {(x: Float64Array) => Float64Array} */
  jacobian(x) {
    const wanted = { list: [0], isSingle: true };
    /** @type {Build} */
    const build = (state, fn, [at]) =>
      jacobianOf((own) => this.#vectorOf(stateOf(own), fn(own)), [at], state, { caller: this.caller, wanted });
    return arrayOf(this.#run('jacobian', build, x), this.caller);
  }

  dispose() {
    for (const each of this.#known.values()) each.dispose();
  }
}

module.exports = { Problem };
