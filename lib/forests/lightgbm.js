/**
 * Models of LightGBM: the text that `save_model` writes, and the JSON of `dump_model`.
 *
 * All is f64. A value goes left if it is at most the threshold. What is missing goes where the node says: NaN, or with
 * missing type Zero also what is within 1e-35 of 0; with None NaN is 0. Categories of a node go left, and everything
 * else of such a feature right. Leaves may be linear in features: where one of them is NaN the plain value stands in.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { numberAt } = require('./fields.js');
const { objective } = require('./objectives.js');
const { FLAG, afterAtMost } = require('./trees.js');

/** @typedef {import('./trees.js').Definition} Definition */
/** @typedef {import('./trees.js').Tree} Tree */
/** @typedef {import('./objectives.js').Objective} Objective */
/** @typedef {import('./objectives.js').Transform} Transform */

/** @type {Record<string, [Objective['task'], Transform]>} */
const OBJECTIVES = Object.assign(Object.create(null), {
  binary: ['binary', 'sigmoid'], multiclass: ['multiclass', 'softmax'], multiclassova: ['multiclass', 'sigmoids'],
  cross_entropy: ['regression', 'sigmoid'], cross_entropy_lambda: ['regression', 'log1pExp'],
  poisson: ['regression', 'exp'], gamma: ['regression', 'exp'], tweedie: ['regression', 'exp'],
  lambdarank: ['ranking', 'identity'], rank_xendcg: ['ranking', 'identity'],
});

/**
 * By its text, such as "binary sigmoid:1". Up to version 2 the leaves of random forests are predictions already.
 *
 * @type {(text: string, isPredicted: boolean) => Objective}
 */
function objectiveOf(text, isPredicted) {
  const [name = '', ...params] = text.split(/\s+/).filter((word) => word !== '');
  if (isPredicted) return objective(name, 'regression', 'identity');
  const [task, transform] = OBJECTIVES[name] ?? ['regression', params.includes('sqrt') ? 'signedSquare' : 'identity'];
  const sigmoid = params.find((each) => each.startsWith('sigmoid:'));
  const isScaled = name === 'binary' || name === 'multiclassova';
  const factor = isScaled && sigmoid !== undefined ? numberAt(sigmoid.slice(8), 'sigmoid') : 1;
  return objective(name, task, transform, { factor });
}

/** Missing types, as bits 2 and 3 of a decision type have them. */
const MISSING = Object.freeze({ None: 0, Zero: 1, NaN: 2 });

/** @type {(tree: Tree, node: number, threshold: number, isDefaultLeft: boolean, missing: number, where: string) => void} */
function setNumeric(tree, node, threshold, isDefaultLeft, missing, where) {
  tree.threshold[node] = afterAtMost(threshold);
  if (missing > MISSING.NaN) fail('ERR_PARSE', `${where}: node ${node} has missing type ${missing}, expected 0, 1 or 2`);
  if (missing === MISSING.None) tree.flags[node] = FLAG.nanIsZero;
  else tree.flags[node] = (missing === MISSING.Zero ? FLAG.zeroIsMissing : 0) | (isDefaultLeft ? 0 : FLAG.missingRight);
}

/** @type {(tree: Tree, node: number, members: Int32Array) => void} */
function setCategories(tree, node, members) {
  tree.flags[node] = FLAG.category;
  tree.sets ??= new Map();
  tree.sets.set(node, { members, goRight: false, missingRight: true });
}

/** @type {(trees: Tree[], given: { features: number, perIteration: number, names: string[] | null, average: boolean, objective: Objective }) => Definition} */
function definitionOf(trees, { features, perIteration, names, average, objective: own }) {
  if (trees.length % perIteration !== 0)
    fail('ERR_PARSE', `the model has ${trees.length} trees, expected a multiple of ${perIteration} as an iteration has`);
  return {
    source: 'lightgbm', trees, groups: perIteration, features, names, single: false, doubles: true,
    base: new Array(perIteration).fill(0), scale: 1, bias: new Array(perIteration).fill(0), average, objective: own,
  };
}

module.exports = { MISSING, definitionOf, objectiveOf, setCategories, setNumeric };
