'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { load } = require('graphjit');
const { isGraphError } = require('../support/errors.js');
const { below, catboost, generator, lightgbm, rowsOf, xgboost } = require('./models.js');

/** What a tree gives if only some features are known, others by the cover. @type {(tree: any, node: number, x: number[], known: number) => number} */
function expectation(tree, node, x, known) {
  const [left, right] = [tree.left_children[node], tree.right_children[node]];
  if (left < 0) return tree.split_conditions[node];
  const feature = tree.split_indices[node];
  if ((known >> feature) & 1) return expectation(tree, x[feature] < tree.split_conditions[node] ? left : right, x, known);
  const share = tree.sum_hessian[left] / tree.sum_hessian[node];
  return share * expectation(tree, left, x, known) + (1 - share) * expectation(tree, right, x, known);
}

const factorial = (/** @type {number} */ n) => (n < 2 ? 1 : n * factorial(n - 1));

/** By the definition of Shapley values. @type {(trees: any[], x: number[], features: number) => number[]} */
function shapley(trees, x, features) {
  const value = (/** @type {number} */ known) => trees.reduce((sum, tree) => sum + expectation(tree, 0, x, known), 0);
  return Array.from({ length: features }, (_, f) => {
    let sum = 0;
    for (let known = 0; known < 2 ** features; known++) {
      if ((known >> f) & 1) continue;
      const size = known.toString(2).replace(/0/g, '').length;
      sum += ((factorial(size) * factorial(features - size - 1)) / factorial(features)) * (value(known | (1 << f)) - value(known));
    }
    return sum;
  });
}

/** Gives nodes the cover of their leaves. @type {(tree: any, random: () => number) => void} */
function cover(tree, random) {
  const visit = (/** @type {number} */ node) => {
    const left = tree.left_children[node];
    return (tree.sum_hessian[node] = left < 0 ? 1 + below(random, 9) : visit(left) + visit(tree.right_children[node]));
  };
  visit(0);
}

test('contributions are Shapley values', async () => {
  const random = generator(1);
  for (let round = 0; round < 10; round++) {
    const features = 1 + below(random, 5);
    const { json } = xgboost(random, { features, trees: 3, leaves: 2 + below(random, 12), base: '1E0' });
    const { trees } = json.learner.gradient_booster.model;
    for (const tree of trees) {
      tree.split_conditions = tree.split_conditions.map((/** @type {number} */ each) => (Math.abs(each) < 10 ? each : 0));
      cover(tree, random);
    }
    const forest = await load(json);
    const rows = Array.from({ length: 4 }, () => Array.from({ length: features }, () => Math.fround((random() - 0.5) * 4)));
    const found = forest.predict(rows, { output: 'contributions' }).toArray();
    rows.forEach((x, r) => {
      const wanted = shapley(trees, x, features);
      wanted.forEach((each, f) => assert.ok(Math.abs(found[r][f] - each) < 1e-10, `feature ${f}: ${found[r][f]}, expected ${each}`));
    });
  }
});

test('contributions add up to the margin', async () => {
  const random = generator(2);
  const lgb = lightgbm(random, { groups: 3, trees: 9, objective: 'multiclass num_class:3', leaves: 30 });
  const cat = catboost(random, { scale: 2, bias: 1 });
  for (const source of [Buffer.from(lgb.text), lgb.json, cat.json]) {
    const forest = await load(source);
    const x = Float64Array.from({ length: 5 * 6 }, () => (random() < 0.2 ? NaN : (random() - 0.5) * 3));
    const found = forest.predict(x, { output: 'contributions' });
    const sums = forest.predict(x, { output: 'margin' }).data;
    assert.deepEqual(found.shape, forest.outputs === 1 ? [6, 6] : [6, 3, 6]);
    sums.forEach((/** @type {number} */ sum, /** @type {number} */ i) => {
      const own = found.data.slice(6 * i, 6 * i + 6).reduce((/** @type {number} */ all, /** @type {number} */ each) => all + each, 0);
      assert.ok(Math.abs(own - sum) < 1e-9);
    });
  }
});

test('contributions of many rows are those of each, on any number of threads, for some iterations too', async () => {
  const random = generator(5);
  const deep = xgboost(random, { leaves: 70, trees: 6, features: 4, categories: true }).json;
  for (const tree of deep.learner.gradient_booster.model.trees) cover(tree, random);
  for (const source of [deep, Buffer.from(lightgbm(random, { groups: 3, trees: 9, leaves: 20, features: 4 }).text)]) {
    const [one, two] = await Promise.all([1, 2].map((threads) => load(source, { threads })));
    const x = Float32Array.from(rowsOf(random, 67, 4));
    const each = 5 * one.outputs;
    for (const rows of [0, 1, 2, 7, 8, 9, 16, 17, 67]) {
      const given = x.subarray(0, 4 * rows);
      const found = one.predict(given, { output: 'contributions' }).data;
      assert.deepEqual(two.predict(given, { output: 'contributions' }).data, found);
      assert.deepEqual((await two.predictAsync(Float64Array.from(given), { output: 'contributions' })).data, found);
      for (let row = 0; row < rows; row++)
        assert.deepEqual(one.predict(given.slice(4 * row, 4 * row + 4), { output: 'contributions' }).data, found.slice(each * row, each * (row + 1)));
    }
    for (const iterations of [0, 1, [1, 3]]) {
      const found = one.predict(x, { output: 'contributions', iterations }).data;
      const sums = one.predict(x, { output: 'margin', iterations }).data;
      sums.forEach((/** @type {number} */ sum, /** @type {number} */ i) => {
        const own = found.slice(5 * i, 5 * i + 5).reduce((/** @type {number} */ all, /** @type {number} */ value) => all + value, 0);
        assert.ok(Math.abs(own - sum) < 1e-5 * Math.max(1, Math.abs(sum)), `${one}: ${own}, expected ${sum}`);
      });
    }
  }
});

test('where no row came contributions are of no weight, and add up all the same', async () => {
  const random = generator(6);
  const { json } = catboost(random, { depth: 4 });
  const [empty] = json.oblivious_trees;
  empty.leaf_weights = empty.leaf_values.map(() => 0);
  for (const tree of json.oblivious_trees.slice(1)) {
    // As in a training: what no row came to has the value 0.
    tree.leaf_weights = tree.leaf_values.map((/** @type {number} */ _, /** @type {number} */ i) => (random() < 0.6 && i > 0 ? 0 : 1 + below(random, 9)));
    tree.leaf_values = tree.leaf_values.map((/** @type {number} */ value, /** @type {number} */ i) => (tree.leaf_weights[i] > 0 ? value : 0));
  }
  const forest = await load(json);
  const x = Float64Array.from(rowsOf(random, 40, 5));
  const found = forest.predict(x, { output: 'contributions' }).toArray();
  forest.predict(x, { output: 'margin' }).data.forEach((/** @type {number} */ sum, /** @type {number} */ row) => {
    const own = found[row].reduce((/** @type {number} */ all, /** @type {number} */ each) => all + each, 0);
    assert.ok(Math.abs(own - sum) < 1e-9, `${own}, expected ${sum}`);
  });
});

test('a tree of one leaf needs no cover', async () => {
  const head = 'tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=1\nobjective=binary sigmoid:1\nfeature_names=a b\n\n';
  for (const count of ['leaf_count=\ninternal_count=\n', 'leaf_count=7\n', '']) {
    const tree = `Tree=0\nnum_leaves=1\nnum_cat=0\nleaf_value=0.25\n${count}is_linear=0\nshrinkage=1\n\nend of trees\n`;
    const forest = await load(Buffer.from(head + tree));
    assert.deepEqual([...forest.predict([1, 2], { output: 'contributions' }).data], [0, 0, 0.25]);
    assert.deepEqual([...forest.predict([1, 2], { output: 'margin' }).data], [0.25]);
  }
  const tree_info = [{ tree_structure: { leaf_value: 0.25 } }];
  const forest = await load({ max_feature_idx: 1, num_tree_per_iteration: 1, objective: 'regression', tree_info });
  assert.deepEqual([...forest.predict([1, 2], { output: 'contributions' }).data], [0, 0, 0.25]);
});

test('without a cover there are none', async () => {
  const { json } = xgboost(generator(3));
  for (const tree of json.learner.gradient_booster.model.trees) delete tree.sum_hessian;
  const forest = await load(json);
  assert.throws(() => forest.predict([1, 2, 3, 4, 5], { output: 'contributions' }), (error) => isGraphError(error, 'ERR_UNSUPPORTED', /does not say how many rows/));
  const linear = await load(Buffer.from(lightgbm(generator(4), { linear: true }).text));
  assert.throws(() => linear.predict([1, 2, 3, 4, 5], { output: 'contributions' }), (error) => isGraphError(error, 'ERR_UNSUPPORTED', /linear leaves/));
});
