/**
 * Forests of models for the kernels of lib/forests: their nodes as trees that compare with thresholds alone.
 *
 * Left out are nodes that ask for equality, and those that two nodes lead to.
 */
'use strict';

const { GraphError } = require('../../base/errors.js');
const { leavesOf } = require('../../forests/leaves-op.js');
const { FLAG, above, afterAtMost, emptyTree } = require('../../forests/trees.js');

/** @typedef {import('./forest.js').Forest} Forest */
/** @typedef {import('../../forests/trees.js').Tree} Tree */

/** In the order of TESTS in forest.js: whether `yes` is where values go that are at least the threshold, and that. @type {readonly { isRight: boolean, from: (threshold: number, rounded: number) => number }[]} */
const RULES = [
  { isRight: false, from: (_, rounded) => afterAtMost(rounded) },
  { isRight: false, from: (threshold) => (Number.isNaN(threshold) ? -Infinity : threshold) },
  { isRight: true, from: (threshold) => threshold },
  { isRight: true, from: (_, rounded) => above(rounded) },
];

/**
 * All trees, each level by level, or null where they are none.
 *
 * @param {Forest} forest
 * @param {(threshold: number) => number} rounded as features are
 * @returns {Tree[] | null}
 */
function treesOf({ splits, roots }, rounded) {
  const most = 2 * splits.feature.length + roots.length;
  const nodes = emptyTree(most, 0, 0); // of all trees, which have parts of it
  const places = new Int32Array(most);
  const seen = new Uint8Array(splits.feature.length);
  let end = 0;
  /** @type {Tree[]} */
  const trees = [];
  for (const root of roots) {
    const begin = end;
    places[end++] = root;
    for (let at = begin; at < end; at++) {
      const place = places[at];
      if (place < 0) {
        nodes.number[at] = -1 - place;
        continue;
      }
      if (seen[place] === 1) return null;
      seen[place] = 1;
      const { isRight, from } = RULES[splits.test[place]];
      nodes.feature[at] = splits.feature[place];
      nodes.threshold[at] = from(splits.threshold[place], rounded(splits.threshold[place]));
      nodes.flags[at] = (splits.missing[place] === 1) === isRight ? FLAG.missingRight : 0;
      nodes.left[at] = end - begin;
      nodes.right[at] = end - begin + 1;
      places[end++] = isRight ? splits.no[place] : splits.yes[place];
      places[end++] = isRight ? splits.yes[place] : splits.no[place];
    }
    trees.push(partOf(nodes, begin, end, trees.length));
  }
  return trees;
}

/** @type {(nodes: Tree, begin: number, end: number, iteration: number) => Tree} */
const partOf = ({ feature, threshold, flags, left, right, value, number, ...rest }, begin, end, iteration) => ({
  ...rest, iteration, feature: feature.subarray(begin, end), threshold: threshold.subarray(begin, end),
  flags: flags.subarray(begin, end), left: left.subarray(begin, end), right: right.subarray(begin, end),
  value: value.subarray(begin, end), number: number.subarray(begin, end),
});

/**
 * Where rows end.
 *
 * @param {any} x a Value [rows, features]
 * @param {Forest} forest that was checked
 * @returns {any} a Value [rows, trees] of leaves, i32; undefined where kernels do not have it
 */
function kernelLeaves(x, forest) {
  const { splits: { test }, roots } = forest;
  const isAsked = typeof x.shape[1] === 'number' && roots.length > 0 && !test.some((each) => each >= RULES.length);
  const trees = isAsked ? treesOf(forest, x.dtype === 'f64' ? Number : Math.fround) : null;
  if (trees === null) return undefined;
  try {
    return leavesOf(x, trees);
  } catch (error) {
    // Tables may have no room for so many thresholds.
    if (error instanceof GraphError && error.code === 'ERR_UNSUPPORTED') return undefined;
    throw error;
  }
}

module.exports = { kernelLeaves };
