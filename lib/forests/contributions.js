/**
 * What each feature contributes to the sum of a row: SHAP values of trees, by the cover of their nodes.
 *
 * Lundberg, Erion, Lee: "Consistent Individualized Feature Attribution for Tree Ensembles" (2018), algorithm 2. One
 * walk through a tree keeps, for all subsets of the features on the way at once, the weight of those subsets by size; a
 * feature that is met again is taken out first. The last number of a row is what the forest expects of any row, so that
 * all numbers of a row add up to its margin. The walk keeps a stack of its own, as deep as the tree is.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { FLAG } = require('./trees.js');

/** @typedef {import('./trees.js').Definition} Definition */
/** @typedef {import('./trees.js').Tree} Tree */

/** Levels of a tree, as a path is copied at each. */
const DEEPEST = 2048;
/** As LightGBM has it, in f32. */
const ZERO = Math.fround(1e-35);

/** @type {(tree: Tree, node: number, given: number, single: boolean) => boolean} */
function goesRight({ flags, threshold, sets }, node, given, single) {
  const own = flags[node];
  const value = single ? Math.fround(given) : given;
  const set = sets?.get(node);
  if (set !== undefined) {
    if (Number.isNaN(value)) return set.missingRight;
    const isNone = value >= 2 ** 31 || (own & FLAG.fractionIsNegative ? value < 0 : value <= -1);
    return (!isNone && set.members.includes(Math.trunc(value))) === set.goRight;
  }
  const isMissing = Number.isNaN(value) || (own & FLAG.zeroIsMissing && Math.abs(value) <= ZERO);
  if (isMissing && !(own & FLAG.nanIsZero)) return (own & FLAG.missingRight) !== 0;
  return (Number.isNaN(value) ? 0 : value) >= threshold[node];
}

/** Features on a way: of each the share of rows that went the same way without and with it, and weights by size. */
class Path {
  /** @param {number} room */
  constructor(room) {
    this.feature = new Int32Array(room);
    this.zero = new Float64Array(room);
    this.one = new Float64Array(room);
    this.weight = new Float64Array(room);
    this.length = 0;
  }

  /** @param {Path} other */
  copy(other) {
    const { length } = other;
    for (let i = 0; i < length; i++) {
      this.feature[i] = other.feature[i];
      this.zero[i] = other.zero[i];
      this.one[i] = other.one[i];
      this.weight[i] = other.weight[i];
    }
    this.length = length;
  }

  /** @type {(zero: number, one: number, feature: number) => void} */
  extend(zero, one, feature) {
    const { weight, length } = this;
    this.feature[length] = feature;
    this.zero[length] = zero;
    this.one[length] = one;
    weight[length] = length === 0 ? 1 : 0;
    for (let i = length - 1; i >= 0; i--) {
      weight[i + 1] += (one * weight[i] * (i + 1)) / (length + 1);
      weight[i] = (zero * weight[i] * (length - i)) / (length + 1);
    }
    this.length++;
  }

  /** The weights without the feature at a place, by what they add up to. @param {number} place */
  sumWithout(place) {
    const [one, zero] = [this.one[place], this.zero[place]];
    const last = this.length - 1;
    let next = this.weight[last];
    let total = 0;
    for (let i = last - 1; i >= 0; i--) {
      if (one !== 0) {
        const own = (next * (last + 1)) / ((i + 1) * one);
        total += own;
        next = this.weight[i] - (own * zero * (last - i)) / (last + 1);
      } else if (zero !== 0) total += (this.weight[i] * (last + 1)) / (zero * (last - i));
    }
    return total;
  }

  /** @param {number} place */
  remove(place) {
    const [one, zero] = [this.one[place], this.zero[place]];
    const { weight } = this;
    const last = this.length - 1;
    let next = weight[last];
    for (let i = last - 1; i >= 0; i--) {
      if (one !== 0) {
        const own = weight[i];
        weight[i] = (next * (last + 1)) / ((i + 1) * one);
        next = own - (weight[i] * zero * (last - i)) / (last + 1);
      } else weight[i] = (weight[i] * (last + 1)) / (zero * (last - i));
    }
    for (let i = place; i < last; i++) {
      this.feature[i] = this.feature[i + 1];
      this.zero[i] = this.zero[i + 1];
      this.one[i] = this.one[i + 1];
    }
    this.length--;
  }

  /** @param {number} feature */
  find(feature) {
    for (let i = 1; i < this.length; i++) if (this.feature[i] === feature) return i;
    return -1;
  }
}

/** A tree whose contributions are asked for: its depth and what it gives on average. @typedef {{ tree: Tree, cover: Float64Array, depth: number, mean: number }} Weighed */

/** @type {(tree: Tree, i: number) => Weighed} */
function weigh(tree, i) {
  const { left, right, value, cover } = tree;
  if (cover === null) return fail('ERR_UNSUPPORTED', `contributions: the file does not say how many rows came to the nodes of tree ${i}`);
  if (tree.linear !== null) return fail('ERR_UNSUPPORTED', 'contributions: a forest with linear leaves has none');
  const shares = new Float64Array(left.length);
  const depths = new Int32Array(left.length);
  const order = [0];
  let [mean, depth] = [0, 0];
  shares[0] = 1;
  for (let k = 0; k < order.length; k++) {
    const node = order[k];
    if (left[node] < 0) {
      mean += shares[node] * value[node];
      depth = Math.max(depth, depths[node]);
      continue;
    }
    if (!(cover[node] > 0)) return fail('ERR_UNSUPPORTED', `contributions: node ${node} of tree ${i} has a cover of ${cover[node]}`);
    for (const child of [left[node], right[node]]) {
      shares[child] = (shares[node] * cover[child]) / cover[node];
      depths[child] = depths[node] + 1;
      order.push(child);
    }
  }
  if (depth > DEEPEST) fail('ERR_UNSUPPORTED', `contributions: tree ${i} has ${depth} levels, expected at most ${DEEPEST}`);
  return { tree, cover, depth, mean };
}

/** Adds what a tree says of a row. @type {(weighed: Weighed, x: ArrayLike<number>, at: number, single: boolean, paths: Path[], out: Float64Array, to: number) => void} */
function addTree({ tree, cover }, x, at, single, paths, out, to) {
  // What is to be visited: a node, its level, shares of the way to it, the feature asked above.
  /** @type {{ node: number, level: number, zero: number, one: number, feature: number }[]} */
  const stack = [{ node: 0, level: 0, zero: 1, one: 1, feature: -1 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, level, zero, one, feature } = next;
    const path = paths[level];
    if (level === 0) path.length = 0;
    else path.copy(paths[level - 1]);
    let [shareZero, shareOne] = [zero, one];
    const again = level === 0 ? -1 : path.find(feature);
    if (again >= 0) {
      shareZero *= path.zero[again];
      shareOne *= path.one[again];
      path.remove(again);
    }
    path.extend(shareZero, shareOne, feature);
    if (tree.left[node] < 0) {
      for (let i = 1; i < path.length; i++)
        out[to + path.feature[i]] += path.sumWithout(i) * (path.one[i] - path.zero[i]) * tree.value[node];
      continue;
    }
    const own = tree.feature[node];
    const isRight = goesRight(tree, node, x[at + own], single);
    const [hot, cold] = isRight ? [tree.right[node], tree.left[node]] : [tree.left[node], tree.right[node]];
    stack.push({ node: cold, level: level + 1, zero: cover[cold] / cover[node], one: 0, feature: own });
    stack.push({ node: hot, level: level + 1, zero: cover[hot] / cover[node], one: 1, feature: own });
  }
}

/**
 * @param {Definition} definition
 * @param {{ x: ArrayLike<number>, rows: number }} rows
 * @param {readonly [number, number]} iterations
 * @returns {Float64Array} [rows, groups, features + 1]
 */
function contributionsOf({ trees, groups, features, base, single, scale, bias, average }, { x, rows }, [begin, end]) {
  const width = features + 1;
  const out = new Float64Array(rows * groups * width);
  const means = Float64Array.from(base);
  const iterations = new Set();
  trees.forEach((tree, i) => {
    if (tree.iteration < begin || tree.iteration >= end) return;
    const weighed = weigh(tree, i);
    const paths = Array.from({ length: weighed.depth + 1 }, (_, level) => new Path(level + 2));
    means[tree.group] += weighed.mean;
    iterations.add(tree.iteration);
    for (let r = 0; r < rows; r++)
      addTree(weighed, x, r * features, single, paths, out, (r * groups + tree.group) * width);
  });
  const factor = average ? scale / Math.max(1, iterations.size) : scale;
  for (let r = 0; r < rows; r++) {
    for (let g = 0; g < groups; g++) {
      const at = (r * groups + g) * width;
      out[at + features] = means[g];
      for (let f = 0; f < width; f++) out[at + f] *= factor;
      out[at + features] += bias[g];
    }
  }
  return out;
}

module.exports = { contributionsOf };
