/**
 * The text of a LightGBM model: lines "name=values", of the model, then of each tree behind "Tree=i". See lightgbm.js.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { integerAt, numberAt } = require('./fields.js');
const { definitionOf, objectiveOf, setCategories, setNumeric } = require('./lightgbm.js');
const { MOST_NODES, emptyTree } = require('./trees.js');

/** @typedef {import('./trees.js').Tree} Tree */
/** @typedef {Map<string, string>} Fields */

const END = 'end of trees';

/** The fields of the model, and of each tree; whether the text ends behind the last. @type {(text: string, file: string) => { head: Fields, trees: Fields[], isWhole: boolean }} */
function sections(text, file) {
  const head = new Map();
  /** @type {Fields[]} */
  const trees = [];
  let own = head;
  let [at, isWhole] = [0, false];
  while (at < text.length && !isWhole) {
    const next = text.indexOf('\n', at);
    const end = next < 0 ? text.length : next;
    const line = text.slice(at, end).trim();
    at = end + 1;
    const equals = line.indexOf('=');
    const name = equals < 0 ? line : line.slice(0, equals);
    if (name === END) isWhole = true;
    else if (name === 'Tree') trees.push((own = new Map()));
    else if (name !== '') own.set(name, equals < 0 ? '' : line.slice(equals + 1));
  }
  // Old versions end with the last tree.
  if (!isWhole && trees.length === 0) fail('ERR_PARSE', `${file}: the text has no trees and no '${END}'`);
  return { head, trees, isWhole };
}

class TreeFields {
  #fields;

  /** @param {Fields} fields @param {string} where */
  constructor(fields, where) {
    this.#fields = fields;
    this.where = where;
  }

  has(/** @type {string} */ name) {
    return this.#fields.has(name);
  }

  /** @type {(name: string, least: number, most: number, missing?: number) => number} */
  integer(name, least, most, missing) {
    const text = this.#fields.get(name);
    if (text === undefined && missing !== undefined) return missing;
    return integerAt(text, `${this.where}: ${name}`, least, most);
  }

  /** @type {(name: string, length?: number) => Float64Array} */
  numbers(name, length) {
    const where = `${this.where}: ${name}`;
    const text = this.#fields.get(name);
    const words = (text ?? '').split(' ').filter((word) => word !== '');
    if (text === undefined || (length !== undefined && words.length !== length))
      fail('ERR_PARSE', `${where}: expected ${length ?? 'some'} numbers, got ${text === undefined ? 'none' : words.length}`);
    const numbers = new Float64Array(words.length);
    for (let i = 0; i < words.length; i++) {
      numbers[i] = Number(words[i]);
      if (Number.isNaN(numbers[i])) numbers[i] = numberAt(words[i], where);
    }
    return numbers;
  }

  /** @type {(name: string, length?: number) => Int32Array} */
  integers(name, length) {
    const numbers = this.numbers(name, length);
    const odd = numbers.find((each) => !Number.isInteger(each) || Math.abs(each) >= 2 ** 31);
    if (odd !== undefined) fail('ERR_PARSE', `${this.where}: ${name}: expected integers, got ${odd}`);
    return Int32Array.from(numbers);
  }
}

/** The categories whose bits are set in words. @type {(words: Float64Array) => Int32Array} */
function membersOf(words) {
  const members = [];
  for (let i = 0; i < words.length; i++)
    for (let bit = 0; bit < 32; bit++) if (((words[i] >>> bit) & 1) === 1) members.push(32 * i + bit);
  return Int32Array.from(members);
}

/** @type {(fields: TreeFields, splits: number) => (node: number, index: number, tree: Tree) => void} */
function categoriesOf(fields, splits) {
  const count = fields.integer('num_cat', 0, splits, 0);
  if (count === 0) return (node) => fail('ERR_PARSE', `${fields.where}: node ${node} asks for a category, of which there are none`);
  const bounds = fields.integers('cat_boundaries', count + 1);
  const words = fields.numbers('cat_threshold');
  const odd = bounds.findIndex((bound, i) => bound < (i === 0 ? 0 : bounds[i - 1]) || bound > words.length);
  if (odd >= 0) fail('ERR_PARSE', `${fields.where}: cat_boundaries has ${bounds[odd]} among ${words.length} words`);
  return (node, index, tree) => {
    if (!(Number.isInteger(index) && index >= 0 && index < count))
      fail('ERR_PARSE', `${fields.where}: node ${node} has set ${index} of ${count}`);
    setCategories(tree, node, membersOf(words.subarray(bounds[index], bounds[index + 1])));
  };
}

/** @type {(fields: TreeFields, tree: Tree, leaves: number) => void} */
function readLinear(fields, tree, leaves) {
  const constants = fields.numbers('leaf_const', leaves);
  const counts = fields.integers('num_features', leaves);
  const features = fields.integers('leaf_features');
  const coefficients = fields.numbers('leaf_coeff', features.length);
  tree.linear = new Map();
  let at = 0;
  for (let leaf = 0; leaf < leaves; leaf++) {
    const end = at + counts[leaf];
    if (counts[leaf] < 0 || end > features.length) fail('ERR_PARSE', `${fields.where}: leaf ${leaf} has ${counts[leaf]} features`);
    const [own, weights] = [features.slice(at, end), coefficients.slice(at, end)];
    tree.linear.set(leaves - 1 + leaf, { constant: constants[leaf], features: own, coefficients: weights });
    at = end;
  }
}

/** Nodes of rows, by what the file says of splits and of leaves. @type {(fields: TreeFields, tree: Tree, splits: number, leaves: number) => void} */
function readCover(fields, tree, splits, leaves) {
  // Of a tree without splits the field may be there without a number.
  if (splits === 0 || !fields.has('leaf_count')) return;
  tree.cover = new Float64Array(splits + leaves);
  tree.cover.set(fields.numbers('internal_count', splits));
  tree.cover.set(fields.numbers('leaf_count', leaves), splits);
}

/** Splits are nodes 0 …, leaves those behind. @type {(own: Fields, i: number, perIteration: number) => Tree} */
function readTree(own, i, perIteration) {
  const fields = new TreeFields(own, `tree ${i}`);
  const leaves = fields.integer('num_leaves', 1, MOST_NODES / 2);
  const splits = leaves - 1;
  const values = fields.numbers('leaf_value', leaves);
  const tree = emptyTree(splits + leaves, i % perIteration, Math.floor(i / perIteration));
  tree.value.set(values, splits);
  for (let leaf = 0; leaf < leaves; leaf++) tree.number[splits + leaf] = leaf;
  if (splits > 0) {
    const types = fields.integers('decision_type', splits);
    const thresholds = fields.numbers('threshold', splits);
    const childAt = (/** @type {number} */ child) => (child < 0 ? splits + ~child : child);
    tree.feature.set(fields.integers('split_feature', splits));
    tree.left.set(fields.integers('left_child', splits).map(childAt));
    tree.right.set(fields.integers('right_child', splits).map(childAt));
    /** @type {ReturnType<typeof categoriesOf> | undefined} */
    let setOf;
    for (let node = 0; node < splits; node++) {
      const [isCategory, isDefaultLeft, missing] = [types[node] & 1, (types[node] & 2) !== 0, (types[node] >> 2) & 3];
      if (isCategory) (setOf ??= categoriesOf(fields, splits))(node, thresholds[node], tree);
      else setNumeric(tree, node, thresholds[node], isDefaultLeft, missing, fields.where);
    }
  }
  readCover(fields, tree, splits, leaves);
  if (fields.integer('is_linear', 0, 1, 0) === 1) readLinear(fields, tree, leaves);
  return tree;
}

/** Refuses a text that ends before its last tree does: its head has a size for each. @type {(head: Fields, trees: number, isWhole: boolean, file: string) => void} */
function checkWhole(head, trees, isWhole, file) {
  const isLate = /^v(?:[4-9]|\d\d)/.test(head.get('version') ?? '');
  if (isLate && !isWhole) fail('ERR_PARSE', `${file}: the text ends before '${END}'`);
  const sizes = head.get('tree_sizes')?.split(' ').filter((word) => word !== '');
  if (sizes !== undefined && sizes.length !== trees)
    fail('ERR_PARSE', `${file}: the text has ${trees} trees, tree_sizes tells of ${sizes.length}`);
}

/** @type {(text: string) => boolean} */
const isLightgbmText = (text) => /^tree\s*\n/.test(text) && /\n(?:version|num_class|num_tree_per_iteration)=/.test(text);

/** @type {(text: string, file: string) => import('./trees.js').Definition} */
function readLightgbmText(text, file) {
  const { head, trees, isWhole } = sections(text, file);
  const model = new TreeFields(head, file);
  const perIteration = model.integer('num_tree_per_iteration', 1, 2 ** 20, model.integer('num_class', 1, 2 ** 20, 1));
  checkWhole(head, trees.length, isWhole, file);
  const features = model.integer('max_feature_idx', -1, 2 ** 31 - 2) + 1;
  const average = head.has('average_output');
  const names = (head.get('feature_names') ?? '').split(' ').filter((name) => name !== '');
  return definitionOf(trees.map((own, i) => readTree(own, i, perIteration)), {
    features, perIteration, names: names.length === features && features > 0 ? names : null,
    average, objective: objectiveOf(head.get('objective') ?? '', average && head.get('version') === 'v2'),
  });
}

module.exports = { isLightgbmText, readLightgbmText };
