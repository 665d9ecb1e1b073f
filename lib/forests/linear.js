/**
 * Sums over trees whose leaves are functions of features, as LightGBM has them with linear_tree: in JavaScript, by the
 * leaves that compiled code finds.
 */
'use strict';

/** @typedef {import('./trees.js').Definition} Definition */
/** @typedef {import('./trees.js').Tree} Tree */

/** @type {(definition: Definition) => boolean} */
const isLinear = ({ trees }) => trees.some(({ linear }) => linear !== null);

/** Nodes of leaves by their numbers. @type {(tree: Tree) => Int32Array} */
function leavesOf({ left, number }) {
  const leaves = new Int32Array(left.length);
  for (let node = 0; node < left.length; node++) if (left[node] < 0) leaves[number[node]] = node;
  return leaves;
}

/** @type {(tree: Tree, node: number, x: ArrayLike<number>, at: number) => number} */
function valueAt({ linear, value }, node, x, at) {
  const own = linear?.get(node);
  if (own === undefined) return value[node];
  let sum = own.constant;
  for (let i = 0; i < own.features.length; i++) {
    const feature = x[at + own.features[i]];
    if (Number.isNaN(feature)) return value[node];
    sum += own.coefficients[i] * feature;
  }
  return sum;
}

/**
 * @param {Definition} definition
 * @param {{ x: ArrayLike<number>, rows: number }} rows
 * @param {Int32Array} found leaves, [rows, trees]
 * @param {readonly [number, number]} iterations that take part
 * @returns {Float64Array} [rows, groups]
 */
function linearSums({ trees, groups, features, base }, { x, rows }, found, [begin, end]) {
  const sums = new Float64Array(rows * groups);
  for (let r = 0; r < rows; r++) for (let g = 0; g < groups; g++) sums[r * groups + g] = base[g];
  trees.forEach((tree, t) => {
    if (tree.iteration < begin || tree.iteration >= end) return;
    const leaves = leavesOf(tree);
    for (let r = 0; r < rows; r++)
      sums[r * groups + tree.group] += valueAt(tree, leaves[found[r * trees.length + t]], x, r * features);
  });
  return sums;
}

module.exports = { isLinear, linearSums };
