/**
 * What each feature contributes to the sum of a row: SHAP values of trees, by the cover of their nodes.
 *
 * Compiled code (src/library/forests/contributions.c) goes along all ways to leaves, which are written down here: of
 * each the features that it asks, each once, with the share of the training rows that went the way at its nodes, and
 * with its conditions. The last number of a row is what the forest expects of any row, so that all numbers of a row add
 * up to its margin.
 */
'use strict';

const { fail } = require('../base/errors.js');

/** @typedef {import('./trees.js').Definition} Definition */
/** @typedef {import('./table.js').Placed} Placed */

/** Levels of a tree, as the time of a way grows with their square; features on all ways. */
const [DEEPEST, MOST_ELEMENTS] = [2048, 2 ** 25];
/** Bytes of the head, of a tree, of a leaf, of a feature on a way. */
const [HEAD, TREE, LEAF, ELEMENT] = [56, 24, 16, 24];

/** Refuses trees that have none. @type {(placed: Placed) => void} */
function check({ tree: { cover, linear }, place, order, depth }) {
  if (linear !== null) fail('ERR_UNSUPPORTED', 'contributions: a forest with linear leaves has none');
  if (order.length === 1) return;
  if (cover === null) fail('ERR_UNSUPPORTED', `contributions: the file does not say how many rows came to the nodes of tree ${place}`);
  const odd = order.find((node) => !(cover[node] >= 0 && cover[node] < Infinity));
  if (odd !== undefined) fail('ERR_UNSUPPORTED', `contributions: node ${odd} of tree ${place} has a cover of ${cover[odd]}`);
  if (depth > DEEPEST) fail('ERR_UNSUPPORTED', `contributions: tree ${place} has ${depth} levels, expected at most ${DEEPEST}`);
}

/**
 * The part of the training rows of a node that went to a child; where none came, as oblivious trees have it, half.
 *
 * @type {(cover: Float64Array, node: number, child: number) => number}
 */
const shareOf = (cover, node, child) => (cover[node] > 0 ? cover[child] / cover[node] : 0.5);

/** Features on a way. `conditions`: twice a place of a node in its tree, and whether the way goes right there. @typedef {{ feature: number, zero: number, conditions: number[] }} Element */

/** Of a leaf, by its place. @type {(placed: Placed, parents: Int32Array, leaf: number) => Element[]} */
function wayTo({ tree, order }, parents, leaf) {
  const cover = /** @type {Float64Array} */ (tree.cover);
  /** @type {Element[]} */
  const elements = [];
  for (let at = leaf; at > 0; at = parents[at]) {
    const [node, parent] = [order[at], order[parents[at]]];
    const [feature, share] = [tree.feature[parent], shareOf(cover, parent, node)];
    const condition = 2 * parents[at] + Number(tree.right[parent] === node);
    const known = elements.find((each) => each.feature === feature);
    if (known === undefined) elements.push({ feature, zero: share, conditions: [condition] });
    else {
      known.zero *= share;
      known.conditions.push(condition);
    }
  }
  return elements;
}

/** Places of the nodes above. @type {(placed: Placed) => Int32Array} */
function parentsOf({ tree: { left }, order }) {
  const parents = new Int32Array(order.length);
  let next = 1;
  order.forEach((node, at) => {
    if (left[node] < 0) return;
    parents[next++] = at;
    parents[next++] = at;
  });
  return parents;
}

/**
 * The ways to all leaves of trees of some iterations, as contributions.c reads them.
 *
 * @type {(placed: readonly Placed[], begin: number, end: number) => Int32Array}
 */
function pathsOf(placed, begin, end) {
  const trees = placed.filter(({ tree: { iteration } }) => iteration >= begin && iteration < end);
  let [leaves, elements, conditions, mostNodes, mostElements] = [0, 0, 0, 0, 0];
  const ways = trees.map((each) => {
    check(each);
    const parents = parentsOf(each);
    mostNodes = Math.max(mostNodes, each.order.length);
    /** @type {{ value: number, way: Element[] }[]} */
    const own = [];
    each.order.forEach((node, at) => {
      if (each.tree.left[node] >= 0) return;
      const way = wayTo(each, parents, at);
      own.push({ value: each.tree.value[node], way });
      leaves++;
      elements += way.length;
      conditions += way.reduce((sum, { conditions: { length } }) => sum + length, 0);
      mostElements = Math.max(mostElements, way.length);
      if (elements > MOST_ELEMENTS) fail('ERR_UNSUPPORTED', `contributions: the ways to all leaves have more than ${MOST_ELEMENTS} features`);
    });
    return own;
  });
  const treeAt = HEAD;
  const leafAt = treeAt + TREE * trees.length;
  const elementAt = leafAt + LEAF * leaves;
  const conditionAt = elementAt + ELEMENT * elements;
  const view = new DataView(new ArrayBuffer(conditionAt + 4 * conditions));
  [trees.length, mostNodes, mostElements, treeAt, leafAt, elementAt, conditionAt].forEach((each, i) =>
    view.setBigInt64(8 * i, BigInt(each), true));
  let [leaf, element, condition] = [0, 0, 0];
  trees.forEach(({ tree, first, order }, t) => {
    [first, order.length, leaf, ways[t].length, tree.group, Number(tree.sets !== null)].forEach((each, i) =>
      view.setInt32(treeAt + TREE * t + 4 * i, each, true));
    for (const { value, way } of ways[t]) {
      view.setFloat64(leafAt + LEAF * leaf, value, true);
      view.setInt32(leafAt + LEAF * leaf + 8, element, true);
      view.setInt32(leafAt + LEAF * leaf + 12, way.length, true);
      leaf++;
      for (const { feature, zero, conditions: own } of way) {
        const at = elementAt + ELEMENT * element++;
        view.setFloat64(at, zero, true);
        [feature, condition, own.length].forEach((each, i) => view.setInt32(at + 8 + 4 * i, each, true));
        for (const each of own) view.setUint32(conditionAt + 4 * condition++, each, true);
      }
    }
  });
  return new Int32Array(view.buffer);
}

/** What a tree gives on average. @type {(tree: import('./trees.js').Tree) => number} */
function meanOf({ left, right, value, cover }) {
  if (left[0] < 0) return value[0];
  if (cover === null) return NaN;
  const shares = new Float64Array(left.length);
  const order = [0];
  let mean = 0;
  shares[0] = 1;
  for (const node of order) {
    if (left[node] < 0) {
      mean += shares[node] * value[node];
      continue;
    }
    for (const child of [left[node], right[node]]) {
      shares[child] = cover[node] > 0 ? (shares[node] * cover[child]) / cover[node] : shares[node] / 2;
      order.push(child);
    }
  }
  return mean;
}

/**
 * Writes the last number of each row, and scales all.
 *
 * @param {Definition} definition
 * @param {Float64Array} found [rows, groups, features + 1]
 * @param {readonly [number, number]} iterations
 */
function expectations({ trees, groups, features, base, scale, bias, average }, found, [begin, end]) {
  const width = features + 1;
  const means = Float64Array.from(base);
  const own = trees.filter(({ iteration }) => iteration >= begin && iteration < end);
  for (const tree of own) means[tree.group] += meanOf(tree);
  const factor = average ? scale / Math.max(1, new Set(own.map(({ iteration }) => iteration)).size) : scale;
  for (let at = 0; at < found.length; at += width) {
    const group = (at / width) % groups;
    found[at + features] = means[group];
    if (factor !== 1) for (let f = 0; f < width; f++) found[at + f] *= factor;
    found[at + features] += bias[group];
  }
}

module.exports = { expectations, pathsOf };
