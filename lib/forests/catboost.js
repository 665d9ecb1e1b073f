/**
 * Models of CatBoost, as `save_model(format='json')` writes them: oblivious trees, which ask the same on each level,
 * and others.
 *
 * A value goes right if it is greater than the border, both as f32. Bit i of the number of a leaf is what split i of
 * the tree says. Leaves are f64, and so is what sums are multiplied with and what is added. Several outputs share trees
 * in the file; here each gets its own.
 */
'use strict';

const { describe } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { integerAt, isObject, listAt, numberAt, numbersAt, objectAt } = require('./fields.js');
const { growTree } = require('./growing.js');
const { objective } = require('./objectives.js');
const { FLAG, above, emptyTree } = require('./trees.js');

/** @typedef {import('./trees.js').Definition} Definition */
/** @typedef {import('./trees.js').Tree} Tree */
/** @typedef {import('./objectives.js').Objective} Objective */
/** A float feature: its column, and where NaN goes. @typedef {{ column: number, flags: number }} Feature */
/** @typedef {{ feature: Feature, threshold: number }} Split */

const MOST = 2 ** 31 - 2;
/** Of an oblivious tree, as in CatBoost. */
const DEEPEST = 16;

/** What becomes of NaN before it is compared. */
const TREATMENTS = ['AsIs', 'AsFalse', 'AsTrue'];

/** @type {Record<string, Objective>} */
const OBJECTIVES = Object.assign(Object.create(null), {
  Logloss: objective('Logloss', 'binary', 'sigmoid'), CrossEntropy: objective('CrossEntropy', 'binary', 'sigmoid'),
  MultiClass: objective('MultiClass', 'multiclass', 'softmax'),
  MultiClassOneVsAll: objective('MultiClassOneVsAll', 'multiclass', 'sigmoids'),
  Poisson: objective('Poisson', 'regression', 'exp'), Tweedie: objective('Tweedie', 'regression', 'exp'),
});

/** The loss function of the training, where the file has it. @type {(info: any) => Objective} */
function objectiveOf(info) {
  let params = isObject(info) ? (info.loss_function ?? info.params) : undefined;
  if (typeof params === 'string') {
    try {
      params = JSON.parse(params);
    } catch {
      params = { type: params };
    }
  }
  const loss = isObject(params) && params.loss_function !== undefined ? params.loss_function : params;
  const name = isObject(loss) ? String(loss.type ?? '') : String(loss ?? '');
  const [own] = name.split(':');
  const isRank = /^(YetiRank|PairLogit|Query|Stochastic|LambdaMart)/.test(own);
  return OBJECTIVES[own] ?? objective(own, isRank ? 'ranking' : 'regression', 'identity');
}

/** @type {(json: any) => Feature[]} */
function featuresOf(json) {
  const info = objectAt(json.features_info, 'features_info');
  const odd = ['categorical_features', 'text_features', 'embedding_features'].find((kind) => Array.isArray(info[kind]) && info[kind].length > 0);
  if (odd !== undefined) fail('ERR_UNSUPPORTED', `features_info: the model has ${odd.replace('_', ' ')}, expected float features only`);
  return listAt(info.float_features ?? [], 'float_features').map((each, i) => {
    const own = objectAt(each, `float_features[${i}]`);
    const treatment = own.nan_value_treatment ?? 'AsIs';
    if (!TREATMENTS.includes(treatment))
      fail('ERR_PARSE', `float_features[${i}].nan_value_treatment: expected one of ${TREATMENTS.join(', ')}, got ${describe(treatment)}`);
    const column = integerAt(own.flat_feature_index ?? own.feature_index ?? i, `float_features[${i}].flat_feature_index`, 0, MOST);
    return { column, flags: treatment === 'AsTrue' ? FLAG.missingRight : 0 };
  });
}

/** @type {(json: unknown, features: readonly Feature[], where: string) => Split} */
function splitOf(json, features, where) {
  const own = objectAt(json, where);
  if (own.split_type !== undefined && own.split_type !== 'FloatFeature')
    fail('ERR_UNSUPPORTED', `${where}: a split by ${describe(own.split_type)}, expected float features only`);
  const index = integerAt(own.float_feature_index, `${where}: float_feature_index`, 0, features.length - 1);
  const border = Math.fround(numberAt(own.border, `${where}: border`));
  return { feature: features[index], threshold: above(border) };
}

/** @type {(tree: Tree, node: number, split: Split) => void} */
function setSplit(tree, node, { feature, threshold }) {
  tree.feature[node] = feature.column;
  tree.flags[node] = feature.flags;
  tree.threshold[node] = threshold;
}

/** One tree for each output, as a heap: the last split is the root, so that leaves are in the order of their numbers. @type {(json: unknown, i: number, groups: number, features: readonly Feature[]) => Tree[]} */
function readOblivious(json, i, groups, features) {
  const where = `tree ${i}`;
  const own = objectAt(json, where);
  const splits = listAt(own.splits ?? [], `${where}: splits`).map((each) => splitOf(each, features, where));
  if (splits.length > DEEPEST) fail('ERR_PARSE', `${where} has ${splits.length} splits, expected at most ${DEEPEST}`);
  const leaves = 2 ** splits.length;
  const values = numbersAt(own.leaf_values, `${where}: leaf_values`, leaves * groups);
  const weights = own.leaf_weights === undefined ? null : numbersAt(own.leaf_weights, `${where}: leaf_weights`, leaves);
  return Array.from({ length: groups }, (_, group) => {
    const tree = emptyTree(2 * leaves - 1, group, i);
    for (let node = 0; node < leaves - 1; node++) {
      setSplit(tree, node, splits[splits.length - 1 - Math.floor(Math.log2(node + 1))]);
      tree.left[node] = 2 * node + 1;
      tree.right[node] = 2 * node + 2;
    }
    for (let leaf = 0; leaf < leaves; leaf++) {
      tree.value[leaves - 1 + leaf] = values[leaf * groups + group];
      tree.number[leaves - 1 + leaf] = leaf;
    }
    tree.cover = weights === null ? null : coverOf(weights);
    return tree;
  });
}

/** Of the nodes of a heap. @type {(weights: Float64Array) => Float64Array} */
function coverOf(weights) {
  const cover = new Float64Array(2 * weights.length - 1);
  cover.set(weights, weights.length - 1);
  for (let node = weights.length - 2; node >= 0; node--) cover[node] = cover[2 * node + 1] + cover[2 * node + 2];
  return cover;
}

/** A tree whose nodes have their children in them. @type {(json: unknown, i: number, groups: number, features: readonly Feature[]) => Tree[]} */
function readNested(json, i, groups, features) {
  const where = `tree ${i}`;
  return Array.from({ length: groups }, (_, group) => {
    let leaf = 0;
    /** @type {(each: unknown) => import('./growing.js').Met} */
    const meet = (each) => {
      const own = objectAt(each, where);
      if (own.split !== undefined) {
        const split = splitOf(own.split, features, where);
        return { children: [own.left, own.right], write: (tree, node) => setSplit(tree, node, split) };
      }
      const list = Array.isArray(own.value) ? own.value : [own.value];
      const value = numbersAt(list, `${where}: value`, groups)[group];
      const number = leaf++;
      const write = (/** @type {Tree} */ tree, /** @type {number} */ node) => {
        tree.value[node] = value;
        tree.number[node] = number;
      };
      return { children: null, write };
    };
    return growTree(json, meet, { group, iteration: i, where, hasCover: { all: false } });
  });
}

/** @type {(json: any) => boolean} */
const isCatboost = (json) =>
  isObject(json) && isObject(json.features_info) && (Array.isArray(json.oblivious_trees) || Array.isArray(json.trees));

/** @type {(json: any) => Definition} */
function readCatboost(json) {
  const features = featuresOf(json);
  const [scale = 1, given = 0] = listAt(json.scale_and_bias ?? [1, 0], 'scale_and_bias');
  const bias = [...numbersAt(Array.isArray(given) ? given : [given], 'scale_and_bias')];
  const isOblivious = Array.isArray(json.oblivious_trees);
  const list = isOblivious ? json.oblivious_trees : json.trees;
  const groups = Math.max(1, bias.length, groupsOf(list[0]));
  if (bias.length !== groups && bias.length > 1) fail('ERR_PARSE', `scale_and_bias: expected ${groups} biases, got ${bias.length}`);
  const read = isOblivious ? readOblivious : readNested;
  return {
    source: 'catboost',
    trees: list.flatMap((/** @type {unknown} */ each, /** @type {number} */ i) => read(each, i, groups, features)),
    groups,
    features: features.reduce((most, { column }) => Math.max(most, column + 1), 0),
    names: namesOf(json, features),
    single: true,
    doubles: true,
    base: new Array(groups).fill(0),
    scale: numberAt(scale, 'scale_and_bias'),
    bias: bias.length === groups ? bias : new Array(groups).fill(bias[0] ?? 0),
    average: false,
    objective: objectiveOf(json.model_info),
  };
}

/** Outputs, by the values of a tree. @type {(first: any) => number} */
function groupsOf(first) {
  if (isObject(first) && Array.isArray(first.splits) && Array.isArray(first.leaf_values))
    return Math.max(1, Math.floor(first.leaf_values.length / 2 ** Math.min(first.splits.length, DEEPEST)));
  let node = first;
  while (isObject(node) && node.split !== undefined) node = node.left;
  return isObject(node) && Array.isArray(node.value) ? Math.max(1, node.value.length) : 1;
}

/** @type {(json: any, features: readonly Feature[]) => string[] | null} */
function namesOf(json, features) {
  const list = json.features_info.float_features ?? [];
  const names = list.map((/** @type {any} */ each) => each.feature_id ?? each.feature_name);
  if (names.length === 0 || !names.every((/** @type {unknown} */ name) => typeof name === 'string' && name !== '')) return null;
  return features.every(({ column }, i) => column === i) ? names : null;
}

module.exports = { isCatboost, readCatboost };
