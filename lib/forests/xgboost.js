/**
 * Models of XGBoost, as `save_model` writes them: JSON and UBJSON, which have the same fields.
 *
 * A value goes left if it is less than the condition, both as f32; where the default goes if it is missing, which NaN
 * is. Categories of a node go right. A leaf has its value in the place of the condition. Sums begin with the base
 * score, which the file has as a prediction and not as a sum; DART multiplies each tree with a weight, as f32.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { integerAt, integersAt, isObject, listAt, namesAt, numberAt, numbersAt, objectAt, textAt } = require('./fields.js');
const { objective } = require('./objectives.js');
const { FLAG, emptyTree } = require('./trees.js');

/** @typedef {import('./trees.js').Definition} Definition */
/** @typedef {import('./trees.js').Tree} Tree */
/** @typedef {import('./objectives.js').Objective} Objective */

const { fround } = Math;
const MOST = 2 ** 31 - 1;
const MOST_GROUPS = 2 ** 20;

// --- objectives ---

/** @type {(base: number) => number} of f32 */
const logit = (base) => fround(-Math.log(fround(fround(1 / base) - 1)));
/** @type {(base: number) => number} */
const log = (base) => fround(Math.log(base));
/** @type {(base: number) => number} */
const same = (base) => base;

/**
 * Objectives, and what the base score is as a sum. Before XGBoost 1.4 that of binary:logitraw was a probability; later
 * ones take it as it is, from files of any version.
 *
 * @type {Record<string, { own: Objective, sum: (base: number) => number }>}
 */
const OBJECTIVES = Object.assign(Object.create(null), {
  'reg:logistic': { own: objective('reg:logistic', 'regression', 'sigmoid'), sum: logit },
  'binary:logistic': { own: objective('binary:logistic', 'binary', 'sigmoid'), sum: logit },
  'binary:logitraw': { own: objective('binary:logitraw', 'binary', 'identity'), sum: same },
  'binary:hinge': { own: objective('binary:hinge', 'binary', 'sign'), sum: same },
  'multi:softprob': { own: objective('multi:softprob', 'multiclass', 'softmax'), sum: same },
  'multi:softmax': { own: objective('multi:softmax', 'multiclass', 'softmax', { gives: 'class' }), sum: same },
});
for (const name of ['count:poisson', 'reg:gamma', 'reg:tweedie', 'survival:cox', 'survival:aft'])
  OBJECTIVES[name] = { own: objective(name, 'regression', 'exp'), sum: log };

/** @type {(name: string) => { own: Objective, sum: (base: number) => number }} */
function objectiveOf(name) {
  const task = name.startsWith('rank:') ? 'ranking' : 'regression';
  return OBJECTIVES[name] ?? { own: objective(name, task, 'identity'), sum: same };
}

/** One number, or in brackets one for each group. @type {(value: unknown, groups: number) => number[]} */
function baseScores(value, groups) {
  const where = 'base_score';
  let list = value;
  if (typeof value === 'string' && value.trim().startsWith('[')) list = value.trim().replace(/^\[|\]$/g, '').split(',');
  const isList = Array.isArray(list) || ArrayBuffer.isView(list);
  const numbers = isList ? [...numbersAt(list, where)] : [numberAt(list, where)];
  if (numbers.length === 1) return new Array(groups).fill(numbers[0]);
  if (numbers.length !== groups) fail('ERR_PARSE', `${where}: expected one number or ${groups}, got ${numbers.length}`);
  return numbers;
}

// --- trees ---

/** @type {(json: Record<string, any>, tree: Tree, where: string) => void} */
function readCategories(json, tree, where) {
  if (json.split_type === undefined) return;
  const types = integersAt(json.split_type, `${where}.split_type`, tree.left.length);
  if (!types.includes(1)) return;
  const all = integersAt(json.categories, `${where}.categories`);
  const nodes = integersAt(json.categories_nodes, `${where}.categories_nodes`);
  const begins = integersAt(json.categories_segments, `${where}.categories_segments`, nodes.length);
  const sizes = integersAt(json.categories_sizes, `${where}.categories_sizes`, nodes.length);
  const places = new Map([...nodes].map((node, i) => [node, i]));
  tree.sets = new Map();
  for (let node = 0; node < types.length; node++) {
    if (types[node] !== 1 || tree.left[node] < 0) continue;
    const place = places.get(node);
    const [begin, size] = place === undefined ? [0, 0] : [begins[place], sizes[place]];
    if (begin < 0 || size < 0 || begin + size > all.length)
      fail('ERR_PARSE', `${where}: the categories of node ${node} are not all there`);
    const missingRight = (tree.flags[node] & FLAG.missingRight) !== 0;
    tree.sets.set(node, { members: all.slice(begin, begin + size), goRight: true, missingRight });
    tree.flags[node] = FLAG.category | FLAG.fractionIsNegative;
  }
}

/** @type {(json: unknown, at: { group: number, iteration: number, weight: number }, where: string) => Tree} */
function readTree(json, { group, iteration, weight }, where) {
  const own = objectAt(json, where);
  const param = isObject(own.tree_param) ? own.tree_param : {};
  const width = param.size_leaf_vector === undefined ? 1 : integerAt(param.size_leaf_vector, `${where}.size_leaf_vector`, 0, MOST);
  if (width > 1) fail('ERR_UNSUPPORTED', `${where}: its leaves have ${width} values each (multi_strategy 'multi_output_tree'), expected one tree per output`);
  const left = integersAt(own.left_children, `${where}.left_children`);
  const nodes = left.length;
  const right = integersAt(own.right_children, `${where}.right_children`, nodes);
  const conditions = numbersAt(own.split_conditions, `${where}.split_conditions`, nodes);
  const feature = integersAt(own.split_indices, `${where}.split_indices`, nodes);
  const defaultLeft = integersAt(own.default_left, `${where}.default_left`, nodes);
  const tree = { ...emptyTree(nodes, group, iteration), left, right, feature };
  for (let node = 0; node < nodes; node++) {
    const condition = fround(conditions[node]);
    tree.number[node] = node;
    if (left[node] < 0) tree.value[node] = weight === 1 ? condition : fround(weight * condition);
    // Nothing is less than NaN.
    else tree.threshold[node] = Number.isNaN(condition) ? -Infinity : condition;
    tree.flags[node] = defaultLeft[node] === 0 ? FLAG.missingRight : 0;
  }
  if (own.sum_hessian !== undefined) tree.cover = numbersAt(own.sum_hessian, `${where}.sum_hessian`, nodes);
  readCategories(own, tree, where);
  return tree;
}

/** @type {(model: Record<string, any>, groups: number, weights: Float64Array | null) => Tree[]} */
function readTrees(model, groups, weights) {
  const list = listAt(model.trees, 'trees');
  const info = integersAt(model.tree_info, 'tree_info', list.length);
  const param = isObject(model.gbtree_model_param) ? model.gbtree_model_param : {};
  const parallel = Math.max(1, integerAt(param.num_parallel_tree ?? 1, 'num_parallel_tree', 0, MOST));
  if (weights !== null && weights.length !== list.length)
    fail('ERR_PARSE', `weight_drop: expected ${list.length} weights, got ${weights.length}`);
  const counts = new Int32Array(groups);
  return list.map((json, i) => {
    if (info[i] < 0 || info[i] >= groups) fail('ERR_PARSE', `tree ${i} adds to output ${info[i]} of ${groups}`);
    const iteration = Math.floor(counts[info[i]]++ / parallel);
    return readTree(json, { group: info[i], iteration, weight: weights === null ? 1 : fround(weights[i]) }, `tree ${i}`);
  });
}

/** The fields of the booster that has trees, and weights of these. @type {(booster: Record<string, any>) => { model: Record<string, any>, weights: Float64Array | null }} */
function boosterOf(booster) {
  if (booster.name === 'dart') {
    const inner = objectAt(booster.gbtree, 'gradient_booster.gbtree');
    return { model: objectAt(inner.model, 'model'), weights: numbersAt(booster.weight_drop, 'weight_drop') };
  }
  if (booster.name === 'gbtree') return { model: objectAt(booster.model, 'model'), weights: null };
  return fail('ERR_UNSUPPORTED', `booster '${String(booster.name)}' has no trees, expected gbtree or dart`);
}

/** @type {(json: any) => boolean} */
const isXgboost = (json) =>
  isObject(json) && (isObject(json.learner) || (isObject(json.Model) && isObject(json.Model.learner)));

/** @type {(json: any) => Definition} */
function readXgboost(json) {
  const { learner } = isObject(json.learner) ? json : json.Model;
  const param = objectAt(learner.learner_model_param, 'learner_model_param');
  const many = (/** @type {string} */ name, most = MOST) => integerAt(param[name] ?? 0, name, 0, most);
  const groups = Math.max(1, many('num_class', MOST_GROUPS), many('num_target', MOST_GROUPS));
  const features = many('num_feature');
  const { own, sum } = objectiveOf(textAt(objectAt(learner.objective, 'objective').name, 'objective: name'));
  const { model, weights } = boosterOf(objectAt(learner.gradient_booster, 'gradient_booster'));
  const trees = readTrees(model, groups, weights);
  // Each iteration has trees of all.
  if (trees.length > 0 && trees.length < groups) fail('ERR_PARSE', `the model has ${trees.length} trees for ${groups} outputs`);
  return {
    source: 'xgboost',
    trees,
    groups, features,
    names: namesAt(learner.feature_names, features),
    single: true,
    doubles: false,
    base: baseScores(param.base_score ?? 0.5, groups).map((base) => sum(fround(base))),
    scale: 1,
    bias: new Array(groups).fill(0),
    average: false,
    objective: own,
  };
}

module.exports = { isXgboost, readXgboost };
