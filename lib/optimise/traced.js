/**
 * What the functions over trees in this room share: becoming part of the graph at hand, or else being compiled, and
 * the dtypes that they compute in.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { dimsOf, stateOf } = require('../graph/value.js');
const { elementwise } = require('../ops/elementwise.js');
const { dtypes } = require('../tensor/dtypes.js');
const { flattenAs } = require('../trace/pytree.js');
const { transformed } = require('../transform/index.js');
const { liftTree } = require('../transform/variables.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../tensor/dtypes.js').DType} DType */

/**
 * A function of trees of tensors or of Values, of which `build` is told the graph that it adds to.
 *
 * @type {(name: string, length: number, build: (args: any[], graph: import('../graph/value.js').GraphState) => any) => (...args: any[]) => any}
 */
const traced = (name, length, build) => transformed(name, /** @type {any} */ ({ name: 'trees', length }), build);

/** @type {(value: Value, dtype: DType) => Value} */
const inDType = (value, dtype) => (value.dtype === dtype ? value : elementwise.convert(value, dtype));

/** What numbers of a dtype are computed in: halves in f32. @type {(dtype: DType) => DType} */
const wide = (dtype) => (dtypes[dtype].half ? 'f32' : dtype);

/**
 * The leaves of a tree that is to be like another, in its shapes and dtypes.
 *
 * @param {import('../transform/variables.js').Lifted} like
 * @param {unknown} tree
 * @param {string} name what messages call it
 * @param {string} caller
 * @returns {Value[]}
 */
function leavesLike(like, tree, name, caller) {
  const leaves = flattenAs(like.structure, tree, caller, name, 'params');
  return leaves.map((leaf, i) => {
    const want = like.values[i];
    const state = stateOf(want);
    const [value] = liftTree(state, leaf, name, caller).values;
    const [have, need] = [value, want].map(dimsOf);
    if (have.length !== need.length || have.some((dim, axis) => dim !== need[axis])) {
      const shapes = [have, need].map((dims) => state.shapeText(dims));
      fail('ERR_SHAPE', `${caller}: ${name} for ${like.names[i]} is ${shapes[0]}, but must be ${shapes[1]}`);
    }
    return inDType(value, want.dtype);
  });
}

module.exports = { inDType, leavesLike, traced, wide };
