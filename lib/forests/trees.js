/**
 * What readers make of model files: trees as typed arrays, and what is said about all of them.
 *
 * A node is a number. It splits rows by a feature: those whose value is at least `threshold` go right, the others left;
 * comparisons of libraries are brought into this form by the next number above, so that it is the same test for every
 * value. Nothing of a tree is believed before `layoutOf` has walked through it.
 */
'use strict';

const { fail } = require('../base/errors.js');

/**
 * What becomes of a value before it is compared, and where it goes if it is missing; as in
 * src/library/forests/table.h, but for `missingRight`.
 */
const FLAG = Object.freeze({
  nanIsZero: 1, zeroIsMissing: 2, missingRight: 4, category: 8, fractionIsNegative: 16,
});

/** Categories that go one way, and where missing values go. @typedef {{ members: Int32Array, goRight: boolean, missingRight: boolean }} CategorySet */
/** A leaf that is a function of features: `constant` + Σ coefficient · value. @typedef {{ constant: number, features: Int32Array, coefficients: Float64Array }} LinearLeaf */

/**
 * @typedef {object} Tree
 * @property {number} group the output that it adds to
 * @property {number} iteration of boosting
 * @property {Int32Array} feature
 * @property {Float64Array} threshold
 * @property {Uint8Array} flags
 * @property {Int32Array} left -1 in leaves
 * @property {Int32Array} right
 * @property {Float64Array} value of leaves
 * @property {Int32Array} number what the library calls a leaf
 * @property {Float64Array | null} cover weight of the training rows that came to each node; null where the file says none
 * @property {Map<number, CategorySet> | null} sets of nodes that ask for a category
 * @property {Map<number, LinearLeaf> | null} linear
 */

/**
 * @typedef {object} Definition
 * @property {'xgboost' | 'lightgbm' | 'catboost'} source
 * @property {Tree[]} trees
 * @property {number} groups
 * @property {number} features
 * @property {string[] | null} names of features
 * @property {boolean} single whether values are rounded to f32, and sums are of f32 where `doubles` is not set
 * @property {boolean} doubles whether leaves are added as f64
 * @property {number[]} base what sums begin with, by group
 * @property {number} scale what sums are multiplied with, then `bias` is added
 * @property {number[]} bias
 * @property {boolean} average whether sums are divided by the number of iterations
 * @property {import('./objectives.js').Objective} objective
 */

/** Most nodes of a forest, as the numbers of nodes are 32 bits with room to spare. */
const MOST_NODES = 2 ** 28;

/** @type {(nodes: number, group: number, iteration: number) => Tree} */
const emptyTree = (nodes, group, iteration) => ({
  group, iteration,
  feature: new Int32Array(nodes), threshold: new Float64Array(nodes), flags: new Uint8Array(nodes),
  left: new Int32Array(nodes).fill(-1), right: new Int32Array(nodes).fill(-1), value: new Float64Array(nodes),
  number: new Int32Array(nodes), cover: null, sets: null, linear: null,
});

const double = new Float64Array(1);
const bits = new BigInt64Array(double.buffer);

/** The least f64 above; NaN where there is none. @type {(number: number) => number} */
function above(number) {
  if (!(number < Infinity)) return NaN;
  if (number === 0) return 2 ** -1074;
  double[0] = number;
  bits[0] += number > 0 ? 1n : -1n;
  return double[0];
}

/**
 * The threshold of "goes left if value ≤ number": what is not at most NaN goes right.
 *
 * @type {(number: number) => number}
 */
const afterAtMost = (number) => (Number.isNaN(number) ? -Infinity : above(number));

/**
 * The nodes of a tree level by level, so that children are next to each other, and its depth. Refuses what is no tree.
 *
 * @type {(tree: Tree, features: number, where: string) => { order: Int32Array, depth: number }}
 */
function layoutOf({ left, right, feature, linear, sets }, features, where) {
  const nodes = left.length;
  const order = new Int32Array(nodes);
  const seen = new Uint8Array(nodes);
  let [depth, count, begin] = [0, 1, 0];
  if (nodes === 0) fail('ERR_PARSE', `${where} has no nodes`);
  for (const [leaf, own] of linear ?? []) {
    const odd = own.features.find((each) => each < 0 || each >= features);
    if (odd !== undefined) fail('ERR_PARSE', `${where}: leaf ${leaf} asks feature ${odd} of ${features}`);
  }
  for (const [node, { members }] of sets ?? []) {
    const odd = members.find((each) => each < 0);
    if (odd !== undefined) fail('ERR_PARSE', `${where}: node ${node} asks for category ${odd}`);
  }
  seen[0] = 1;
  for (let end = 1; begin < end; depth++) {
    for (; begin < end; begin++) {
      const node = order[begin];
      if (left[node] < 0) continue;
      if (feature[node] < 0 || feature[node] >= features)
        fail('ERR_PARSE', `${where}: node ${node} asks feature ${feature[node]} of ${features}`);
      for (const child of [left[node], right[node]]) {
        if (child < 0 || child >= nodes) fail('ERR_PARSE', `${where}: node ${node} leads to node ${child} of ${nodes}`);
        if (seen[child] === 1) fail('ERR_PARSE', `${where}: two ways lead to node ${child}`);
        seen[child] = 1;
        order[count++] = child;
      }
    }
    end = count;
  }
  return { order: order.subarray(0, count), depth: depth - 1 };
}

module.exports = { FLAG, MOST_NODES, above, afterAtMost, emptyTree, layoutOf };
