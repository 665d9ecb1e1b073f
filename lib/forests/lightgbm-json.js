/** The JSON of a LightGBM model, in which nodes have their children in them. See lightgbm.js. */
'use strict';

const { describe } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { flagAt, integerAt, integersAt, isObject, listAt, namesAt, numberAt, numbersAt, objectAt, textAt } = require('./fields.js');
const { growTree } = require('./growing.js');
const { MISSING, definitionOf, objectiveOf, setCategories, setNumeric } = require('./lightgbm.js');

/** @typedef {import('./trees.js').Tree} Tree */

const MOST = 2 ** 31 - 2;

/** @type {(text: unknown, where: string) => Int32Array} categories, such as "1||3||5" */
function membersOf(text, where) {
  if (typeof text === 'number') return integersAt([text], where);
  if (typeof text !== 'string') return fail('ERR_PARSE', `${where}: expected categories, got ${describe(text)}`);
  return integersAt(text.split('||').filter((word) => word !== ''), where);
}

/** @type {(own: Record<string, any>, where: string, hasCover: { all: boolean }) => import('./growing.js').Met} */
function meetLeaf(own, where, hasCover) {
  const number = own.leaf_index === undefined ? 0 : integerAt(own.leaf_index, `${where}: leaf_index`, 0, MOST);
  const value = numberAt(own.leaf_value, `${where}: leaf_value`);
  if (own.leaf_count === undefined) hasCover.all = false;
  const features = own.leaf_features === undefined ? null : integersAt(own.leaf_features, `${where}: leaf_features`);
  const write = (/** @type {Tree} */ tree, /** @type {number} */ node) => {
    tree.number[node] = number;
    tree.value[node] = value;
    if (tree.cover !== null) tree.cover[node] = numberAt(own.leaf_count, `${where}: leaf_count`);
    if (features === null) return;
    tree.linear ??= new Map();
    const coefficients = numbersAt(own.leaf_coeff, `${where}: leaf_coeff`, features.length);
    tree.linear.set(node, { constant: numberAt(own.leaf_const, `${where}: leaf_const`), features, coefficients });
  };
  return { children: null, write };
}

/** @type {(own: Record<string, any>, where: string, hasCover: { all: boolean }) => import('./growing.js').Met} */
function meetSplit(own, where, hasCover) {
  const feature = integerAt(own.split_feature, `${where}: split_feature`, 0, MOST);
  const { decision_type: type, missing_type: missing } = own;
  if (type !== '<=' && type !== '==') fail('ERR_PARSE', `${where}: decision_type: expected "<=" or "==", got ${describe(type)}`);
  if (type === '<=' && !Object.hasOwn(MISSING, String(missing)))
    fail('ERR_PARSE', `${where}: missing_type: expected one of None, Zero, NaN, got ${describe(missing)}`);
  const isDefaultLeft = flagAt(own.default_left, `${where}: default_left`);
  if (own.internal_count === undefined) hasCover.all = false;
  const write = (/** @type {Tree} */ tree, /** @type {number} */ node) => {
    tree.feature[node] = feature;
    if (tree.cover !== null) tree.cover[node] = numberAt(own.internal_count, `${where}: internal_count`);
    if (type === '==') setCategories(tree, node, membersOf(own.threshold, `${where}: threshold`));
    else setNumeric(tree, node, numberAt(own.threshold, `${where}: threshold`), isDefaultLeft, MISSING[/** @type {'None'} */ (missing)], where);
  };
  return { children: [own.left_child, own.right_child], write };
}

/** @type {(json: unknown, i: number, perIteration: number) => Tree} */
function readTree(json, i, perIteration) {
  const where = `tree ${i}`;
  const hasCover = { all: true };
  const meet = (/** @type {unknown} */ each) => {
    const own = objectAt(each, where);
    return own.split_feature === undefined ? meetLeaf(own, where, hasCover) : meetSplit(own, where, hasCover);
  };
  const root = objectAt(json, where).tree_structure;
  const at = { group: i % perIteration, iteration: Math.floor(i / perIteration), where, hasCover };
  return growTree(root, meet, at);
}

/** @type {(json: any) => boolean} */
const isLightgbmJson = (json) => isObject(json) && Array.isArray(json.tree_info) && json.max_feature_idx !== undefined;

/** @type {(json: any) => import('./trees.js').Definition} */
function readLightgbmJson(json) {
  const perIteration = integerAt(json.num_tree_per_iteration ?? json.num_class ?? 1, 'num_tree_per_iteration', 1, 2 ** 20);
  const features = integerAt(json.max_feature_idx, 'max_feature_idx', -1, MOST) + 1;
  const average = flagAt(json.average_output, 'average_output');
  const trees = listAt(json.tree_info, 'tree_info').map((each, i) => readTree(each, i, perIteration));
  return definitionOf(trees, {
    features, perIteration, names: namesAt(json.feature_names, features),
    average, objective: objectiveOf(textAt(json.objective ?? '', 'objective'), average && json.version === 'v2'),
  });
}

module.exports = { isLightgbmJson, readLightgbmJson };
