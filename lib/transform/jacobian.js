/**
 * Jacobians and Hessians: derivatives by every element at once, as batches of products with basis vectors.
 *
 * One cotangent of a result pulled back is a row, one tangent of an argument pushed forward a column. The function is
 * recorded once, and what does not depend on the vector is computed once for all of them (batch.js).
 */
'use strict';

const { callable, expected, oneOf, readOptions } = require('../base/check.js');
const { append, constantOf, currentState, dimsOf } = require('../graph/value.js');
const { liftTree } = require('../trace/control.js');
const { unflatten } = require('../trace/pytree.js');
const { Batch, moveAxis, placed } = require('./batch.js');
const { gradient, jvp, pullBack, pushForward, shapedAs } = require('./derivatives.js');
const { ofTensors, transformed, wantedOf, wrtOption } = require('./index.js');
const { checkFloat, variablesOf } = require('./variables.js');

/** @typedef {(...args: any[]) => any} Fn */
/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {'reverse' | 'forward'} Mode */

/** @type {(state: GraphState, values: readonly Value[]) => number[]} how many elements each has */
const sizesOf = (state, values) => values.map((value) => state.product(dimsOf(value)));

/** @type {(state: GraphState, sizes: readonly number[]) => number} */
const total = (state, sizes) => sizes.reduce((sum, size) => state.add(sum, size), 0);

/**
 * Of all basis vectors of some values together the part that is for one of them: [count, …].
 *
 * @param {GraphState} state
 * @param {Value} value
 * @param {readonly number[]} sizes of all of them
 * @param {number} at which it is
 * @returns {Value}
 */
function basis(state, value, sizes, at) {
  const size = sizes[at];
  const index = (/** @type {number} */ axis) => append(state, 'iota', [], { dtype: 'i64', shape: [size, size], axis });
  const own = append(state, 'convert', [append(state, 'eq', [index(0), index(1)])], { dtype: value.dtype });
  const zeros = (/** @type {readonly number[]} */ others) =>
    constantOf(state, 0, value.dtype, 'a constant', 'jacobian', [total(state, others), size]);
  const parts = [zeros(sizes.slice(0, at)), own, zeros(sizes.slice(at + 1))];
  const rows = sizes.length === 1 ? own : append(state, 'concat', parts, { axis: 0 });
  return append(state, 'reshape', [rows], { shape: [total(state, sizes), ...dimsOf(value)] });
}

/** Rows of all basis vectors, parted by the value that they are of. @type {(state: GraphState, rows: Value, sizes: readonly number[]) => Value[]} */
function partsOf(state, rows, sizes) {
  const [, ...dims] = dimsOf(rows);
  return sizes.map((size, i) => {
    const start = [total(state, sizes.slice(0, i)), ...dims.map(() => 0)];
    return append(state, 'slice', [rows], { start, shape: [size, ...dims], stride: start.map(() => 1) });
  });
}

/** @type {(state: GraphState, inputs: readonly number[], outputs: readonly number[]) => Mode} the one of fewer vectors */
function modeFor(state, inputs, outputs) {
  const [ins, outs] = [total(state, inputs), total(state, outputs)];
  return ins >= 0 && outs >= 0 && ins <= outs ? 'forward' : 'reverse';
}

/**
 * @typedef {object} How
 * @property {string} caller
 * @property {import('./variables.js').Wanted} wanted
 * @property {Mode} [mode] that of fewer vectors when left out
 */

/**
 * Records the product with one vector.
 *
 * @param {Batch} batch
 * @param {Fn} fn
 * @param {readonly unknown[]} args
 * @param {How} how
 */
function recordProduct(batch, fn, args, { caller, wanted, mode }) {
  const { state } = batch;
  const { args: variables, trees } = variablesOf(state, args, wanted.list, caller);
  const xs = trees.flatMap(({ values }) => values);
  const out = liftTree(state, fn(...variables), 'the result', caller);
  out.values.forEach((value, k) => checkFloat(value, out.names[k], caller));
  const isForward = (mode ?? modeFor(state, sizesOf(state, xs), sizesOf(state, out.values))) === 'forward';
  const varied = isForward ? xs : out.values;
  const vectors = varied.map((value) => batch.example({ dtype: value.dtype, dims: dimsOf(value) }));
  const changes = isForward ? pushForward(state, xs, vectors, out.values) : pullBack(state, out.values, vectors, xs);
  return { trees, xs, out, isForward, varied, changes };
}

/**
 * The derivative of every element of what a function gives by every element of its arguments.
 *
 * @param {Fn} fn
 * @param {readonly unknown[]} args
 * @param {GraphState} state
 * @param {How} how
 * @returns {any} a tree as the result, of trees as the arguments, of tensors of the shape of one and then the other
 */
function jacobianOf(fn, args, state, how) {
  const batch = new Batch(how.caller, state, fn.name || 'function');
  const { trees, xs, out, isForward, varied, changes } = batch.record(() => recordProduct(batch, fn, args, how));
  const sizes = sizesOf(state, varied);
  const vectors = varied.map((value, i) => basis(state, value, sizes, i));
  const results = batch.finish(changes, vectors, total(state, sizes));
  /** By what changes, by what was varied. */
  const blocks = results.map((result) => partsOf(state, placed(result, 0, total(state, sizes)), sizes));
  const blockOf = (/** @type {number} */ k, /** @type {number} */ i) => {
    const part = isForward ? moveAxis(blocks[k][i], 0, dimsOf(out.values[k]).length) : blocks[i][k];
    return append(state, 'reshape', [part], { shape: [...dimsOf(out.values[k]), ...dimsOf(xs[i])] });
  };
  const rows = out.values.map((_, k) => xs.map((__, i) => blockOf(k, i)));
  return unflatten(out.structure, rows.map((row) => shapedAs(trees, row, how.wanted.isSingle)));
}

/** @type {(name: string, fn: unknown, build: (f: Fn, args: any[], state: GraphState) => any) => any} */
function ofFunction(name, fn, build) {
  const f = /** @type {Fn} */ (callable(fn, 'the first argument', name));
  const made = transformed(name, f, (args, state) => build(f, args, state));
  ofTensors.add(made);
  return made;
}

/**
 * The Jacobian of a function, by its first argument or those that `wrt` says.
 *
 * @param {unknown} fn
 * @param {unknown} [options]
 * @returns {any} a function of the same arguments
 */
function jacobian(fn, options) {
  const modes = oneOf(/** @type {const} */ (['reverse', 'forward']));
  const { wrt = 0, mode } = readOptions('jacobian', options, { wrt: wrtOption, mode: modes });
  return ofFunction('jacobian', fn, (f, args, state) => {
    return jacobianOf(f, args, state, { caller: 'jacobian', wanted: wantedOf(f, wrt, 'jacobian'), mode });
  });
}

/** The gradient, where a function of it is recorded. @type {(fn: Fn, args: readonly unknown[], wanted: import('./variables.js').Wanted, caller: string) => any} */
function gradientHere(fn, args, wanted, caller) {
  const state = /** @type {GraphState} */ (currentState());
  return gradient(fn, args, state, { caller, wanted, hasAux: false }).grad;
}

/**
 * The second derivatives of a function that returns a scalar.
 *
 * @param {unknown} fn
 * @param {unknown} [options]
 * @returns {any} a function of the same arguments
 */
function hessian(fn, options) {
  const { wrt = 0 } = readOptions('hessian', options, { wrt: wrtOption });
  return ofFunction('hessian', fn, (f, args, state) => {
    const wanted = wantedOf(f, wrt, 'hessian');
    const grad = (/** @type {any[]} */ ...xs) => gradientHere(f, xs, wanted, 'hessian');
    return jacobianOf(grad, args, state, { caller: 'hessian', wanted, mode: 'forward' });
  });
}

/** By function, what multiplies with its Hessian. @type {WeakMap<Fn, Fn>} */
const products = new WeakMap();

/** @type {(fn: Fn) => Fn} */
const productOf = (fn) =>
  transformed('hvp', fn, (args, state) => {
    const [primals, tangents] = args;
    const wanted = { list: primals.map((/** @type {unknown} */ _, /** @type {number} */ i) => i), isSingle: false };
    const grad = (/** @type {any[]} */ ...xs) => gradient(fn, xs, state, { caller: 'hvp', wanted, hasAux: false }).grad;
    return jvp(grad, primals, tangents, state)[1];
  });

/**
 * The Hessian of a function that returns a scalar, times a vector: forward mode over reverse mode, without the Hessian.
 *
 * @param {unknown} fn
 * @param {unknown} primals an array of all arguments
 * @param {unknown} tangents an array of one for each
 * @returns {any} an array of one tree per argument
 */
function hvp(fn, primals, tangents) {
  const f = /** @type {Fn} */ (callable(fn, 'the first argument', 'hvp'));
  if (!Array.isArray(primals)) return expected('hvp', 'an array of arguments', 'the primals', primals);
  if (!Array.isArray(tangents) || tangents.length !== primals.length)
    return expected('hvp', 'an array of tangents, one per argument', 'the tangents', tangents);
  let own = products.get(f);
  if (own === undefined) products.set(f, (own = productOf(f)));
  return own(primals, tangents);
}

module.exports = { hessian, hvp, jacobian, jacobianOf };
