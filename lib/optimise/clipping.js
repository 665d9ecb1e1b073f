/**
 * Norms of trees of tensors, and gradients cut to a norm.
 *
 * A gradient within the norm stays as it is, bit for bit: what it is multiplied by is max / max(norm, max). One that
 * is not finite makes all that shares its norm NaN, as nothing sensible is left of the step; sums of squares of 16-bit
 * gradients are taken in f32.
 */
'use strict';

const { expected, positive } = require('../base/check.js');
const { isValue } = require('../graph/value.js');
const { rows } = require('../ops/elementwise.js');
const { reductions } = require('../ops/reductions.js');
const { unflatten } = require('../trace/pytree.js');
const { checkFloat, liftTree } = require('../transform/variables.js');
const { inDType, traced, wide } = require('./traced.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

const { add, div, max, mul, sqrt } = rows;

/** @type {(graph: GraphState, tree: unknown, caller: string) => import('../transform/variables.js').Lifted} */
function floatsOf(graph, tree, caller) {
  const lifted = liftTree(graph, tree, 'grads', caller);
  if (lifted.values.length === 0) expected(caller, 'a tensor, or a tree of tensors', 'grads', tree);
  lifted.values.forEach((value, i) => checkFloat(value, lifted.names[i], caller));
  return lifted;
}

/** The root of the sum of all squares. @type {(values: readonly Value[]) => Value} */
function normOf(values) {
  const dtype = values.some((value) => value.dtype === 'f64') ? 'f64' : 'f32';
  const sums = values.map((value) => {
    const own = inDType(value, wide(value.dtype));
    return inDType(reductions.sum(mul(own, own)), dtype);
  });
  return sqrt(sums.reduce((all, each) => add(all, each)));
}

/** @type {(value: Value, norm: Value, most: number | Value) => Value} */
function cut(value, norm, most) {
  const scale = div(most, max(norm, most));
  return inDType(mul(inDType(value, norm.dtype), scale), value.dtype);
}

/** The root of the sum of the squares of all elements of a tree. */
const globalNorm = traced('globalNorm', 1, ([grads], graph) => normOf(floatsOf(graph, grads, 'globalNorm').values));

/**
 * A function of a tree and the norm that it is cut to.
 *
 * @param {string} caller
 * @param {(values: readonly Value[], most: number | Value) => Value[]} clip
 * @returns {(grads: any, most: any) => any}
 */
function clipping(caller, clip) {
  const run = traced(caller, 2, ([grads, most], graph) => {
    const { values, structure } = floatsOf(graph, grads, caller);
    return unflatten(structure, clip(values, most));
  });
  return (grads, most) => run(grads, isValue(most) ? most : positive(most, 'the norm', caller));
}

/** Each leaf by its own norm. */
const clipByNorm = clipping('clipByNorm', (values, most) => values.map((value) => cut(value, normOf([value]), most)));

/** All leaves by the norm of all: Pascanu et al., "On the difficulty of training recurrent neural networks" (2013). */
const clipByGlobalNorm = clipping('clipByGlobalNorm', (values, most) => {
  const norm = normOf(values);
  return values.map((value) => cut(value, norm, most));
});

module.exports = { clipByGlobalNorm, clipByNorm, globalNorm };
