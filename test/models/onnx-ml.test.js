// ai.onnx.ml: what scikit-learn predicts, forests against a plain walk through their trees, and what onnxruntime gives
// where both leave it open.
'use strict';

const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { Graph, load, tensor } = require('graphjit');
const { throwsGraphError } = require('../support/errors.js');
const { assertGives } = require('../support/onnx-load.js');
const { onnxModel } = require('../support/onnx-writer.js');
const fitted = /** @type {any[]} */ (require('./onnx-ml-fitted.json'));

const f32 = (/** @type {any} */ list) => tensor(list, { dtype: 'f32' });
const f64 = (/** @type {any} */ list) => tensor(list, { dtype: 'f64' });
const u8 = (/** @type {any} */ list) => tensor(list, { dtype: 'u8' });
const i64 = (/** @type {any} */ ...list) => tensor(list.map(BigInt), { dtype: 'i64' });
const floats = (/** @type {readonly number[]} */ ...list) => ({ floats: list });

/** @type {(op: string, inputs: Record<string, any>, outputs: readonly string[], attributes: any, version?: number) => any} a model of one node */
const one = (op, inputs, outputs, attributes, version = 3) => ({
  nodes: [[`ai.onnx.ml::${op}`, Object.keys(inputs), outputs, attributes]], inputs, outputs, opsets: { '': 17, 'ai.onnx.ml': version },
});

/** Attributes with whole numbers as floats where ONNX has floats. @type {(attributes: Record<string, any>) => Record<string, any>} */
function typed(attributes) {
  const isFloat = (/** @type {string} */ name) =>
    /values|weights|coefficients|intercepts|rho|prob_|kernel_params|support_vectors|offset|^scale|floats|threshold|replaced/.test(name);
  const number = (/** @type {any} */ each) => (each === 'NaN' ? NaN : each);
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => {
    if (!isFloat(name)) return [name, value];
    return [name, Array.isArray(value) ? { floats: value.map(number) } : { f: number(value) }];
  }));
}

describe('models that scikit-learn fitted', () => {
  for (const { name, op, attributes, x, outputs } of fitted) {
    it(name, async () => {
      const rows = f32(x.map((/** @type {any[]} */ row) => row.map((each) => (each === 'NaN' ? NaN : each))));
      const names = outputs.map((/** @type {any} */ _, /** @type {number} */ i) => `y${i}`);
      const want = Object.fromEntries(names.map((/** @type {string} */ each, /** @type {number} */ i) => [each, outputs[i]]));
      await assertGives(one(op, { x: ['f32', ['rows', 3]] }, names, typed(attributes)), { x: rows }, want, 1e-4);
    });
  }
});

// --------------------------------------------------------------------------------------- forests

/** Numbers that are alike in every run. @type {(seed: number) => () => number} between -1 and 1 */
function noise(seed) {
  let state = seed;
  return () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 31) - 1;
}

const modes = ['BRANCH_LEQ', 'BRANCH_LT', 'BRANCH_GTE', 'BRANCH_GT', 'BRANCH_EQ', 'BRANCH_NEQ'];
/** @type {Record<string, (x: number, limit: number) => boolean>} */
const tests = {
  BRANCH_LEQ: (x, limit) => x <= limit, BRANCH_LT: (x, limit) => x < limit, BRANCH_GTE: (x, limit) => x >= limit,
  BRANCH_GT: (x, limit) => x > limit, BRANCH_EQ: (x, limit) => x === limit, BRANCH_NEQ: (x, limit) => x !== limit,
};

/** @typedef {{ mode: string, feature: number, limit: number, missing: boolean, yes: any, no: any } | { votes: [number, number][] }} Tree */

/** @type {(random: () => number, depth: number, use: readonly string[], targets: readonly number[]) => any} */
function randomTree(random, depth, use, targets) {
  if (depth === 0 || random() > 0.7) return { votes: targets.map((target) => [target, Math.fround(random())]) };
  return {
    mode: use[Math.floor(((random() + 1) / 2) * use.length)], feature: Math.floor((random() + 1) * 1.5),
    limit: Math.round(random() * 4) / 4, missing: random() > 0,
    yes: randomTree(random, depth - 1, use, targets), no: randomTree(random, depth - 1, use, targets),
  };
}

/** @type {(tree: any, row: readonly number[]) => [number, number][]} */
function walk(tree, row) {
  if (tree.votes) return tree.votes;
  const x = row[tree.feature];
  return walk((Number.isNaN(x) ? tree.missing : tests[tree.mode](x, tree.limit)) ? tree.yes : tree.no, row);
}

/** @type {(trees: readonly any[], kind: string) => Record<string, any>} */
function attributesOf(trees, kind) {
  /** @type {Record<string, any[]>} */
  const lists = {};
  const add = (/** @type {Record<string, any>} */ row) => Object.entries(row).forEach(([key, value]) => (lists[key] ??= []).push(value));
  trees.forEach((tree, treeid) => {
    let count = 0;
    const visit = (/** @type {any} */ node) => {
      const id = count++;
      const at = (lists.nodes_nodeids ?? []).length;
      add({
        nodes_treeids: treeid, nodes_nodeids: id, nodes_modes: node.votes ? 'LEAF' : node.mode, nodes_featureids: node.feature ?? 0,
        nodes_values: node.limit ?? 0, nodes_missing_value_tracks_true: Number(node.missing ?? 0), nodes_truenodeids: 0, nodes_falsenodeids: 0,
      });
      for (const [target, weight] of node.votes ?? [])
        add({ [`${kind}_treeids`]: treeid, [`${kind}_nodeids`]: id, [`${kind}_ids`]: target, [`${kind}_weights`]: weight });
      if (!node.votes) [lists.nodes_truenodeids[at], lists.nodes_falsenodeids[at]] = [visit(node.yes), visit(node.no)];
      return id;
    };
    visit(tree);
  });
  return typed(lists);
}

const rows = [[0.3, -0.7, 0.1], [NaN, 0.25, -0.5], [0.25, -0.25, 0.5], [-1, NaN, NaN], [0, -0, 0], [Infinity, -Infinity, 1]];

/** @type {Record<string, (votes: readonly number[], trees: number) => number>} */
const joins = {
  SUM: (votes) => votes.reduce((a, b) => a + b, 0),
  AVERAGE: (votes, trees) => votes.reduce((a, b) => a + b, 0) / trees,
  MIN: (votes) => (votes.length > 0 ? Math.min(...votes) : 0),
  MAX: (votes) => (votes.length > 0 ? Math.max(...votes) : 0),
};

describe('forests', () => {
  for (const aggregate of Object.keys(joins)) {
    for (const [name, use] of [...modes.map((mode) => [mode, [mode]]), ['all modes', modes]]) {
      it(`${aggregate} of trees with ${name}, as a walk finds it`, async () => {
        const random = noise(aggregate.length * 31 + String(name).length);
        const trees = [0, 1, 2, 3, 4].map((i) => randomTree(random, 4, /** @type {string[]} */ (use), i % 2 === 0 ? [0, 1] : [i % 3]));
        const want = rows.map((row) => {
          const votes = trees.flatMap((tree) => walk(tree, row));
          return [0, 1, 2].map((target) => joins[aggregate](votes.filter(([each]) => each === target).map(([, weight]) => weight), trees.length));
        });
        const attributes = { ...attributesOf(trees, 'target'), n_targets: 3, aggregate_function: aggregate };
        await assertGives(one('TreeEnsembleRegressor', { x: ['f32', ['n', 3]] }, ['y'], attributes), { x: f32(rows) }, { y: want });
        await assertGives(one('TreeEnsembleRegressor', { x: ['f64', ['n', 3]] }, ['y'], attributes), { x: f64(rows) }, { y: want });
      });
    }
  }

  it('are the same bits by kernels and by the graph, which has no calls', async () => {
    const random = noise(99);
    for (const dtype of /** @type {const} */ (['f32', 'f64'])) {
      for (const [count, depth, targets] of [[1, 0, 1], [2, 1, 1], [17, 9, 1], [40, 12, 3], [33, 3, 2]]) {
        const ofTarget = (/** @type {number} */ i) => randomTree(random, depth, modes.slice(0, 4), [i % targets]);
        const attributes = { ...attributesOf(Array.from({ length: count }, (_, i) => ofTarget(i)), 'target'), n_targets: targets };
        const bytes = Buffer.from(onnxModel(one('TreeEnsembleRegressor', { x: [dtype, ['n', 3]] }, ['y'], attributes)));
        const model = await load(bytes, { threads: 2 });
        const walks = model.graph.compile();
        assert.doesNotMatch(String(model.graph), /custom_call/);
        for (const n of [0, 1, 2, 7, 8, 9, 63, 64, 65, 131, 1031]) {
          const Class = dtype === 'f32' ? Float32Array : Float64Array;
          const special = [NaN, Infinity, -Infinity, 0, -0, 0.25, -0.5];
          const x = tensor(Class.from({ length: 3 * n }, (_, i) => (i % 5 === 0 ? special[i % 7] : random() * 2))).reshape([n, 3]);
          assert.deepEqual(model.run({ x }).y.data, walks.run({ x }).y.data, `${count} trees of ${depth} levels, ${n} rows of ${dtype}`);
        }
        walks.dispose();
        model.dispose();
      }
    }
  });

  for (const mode of modes) {
    it(`with thresholds that are no numbers, and ${mode}`, async () => {
      const ends = [[0, 1], [1, 2]].map((votes) => ({ votes: [/** @type {[number, number]} */ (votes)] }));
      const trees = [NaN, Infinity, -Infinity, -0, 3.4028234663852886e38].flatMap((limit) =>
        [true, false].map((missing) => ({ mode, feature: 0, limit, missing, yes: ends[0], no: ends[1] })));
      const x = [[NaN], [Infinity], [-Infinity], [0], [-0], [3.4028234663852886e38], [-1e-45]];
      const attributes = { ...attributesOf(trees, 'target'), n_targets: 2 };
      const want = x.map((row) => [0, 1].map((target) => joins.SUM(trees.flatMap((tree) => walk(tree, row)).filter(([each]) => each === target).map(([, weight]) => weight), 1)));
      await assertGives(one('TreeEnsembleRegressor', { x: ['f32', ['n', 1]] }, ['y'], attributes), { x: f32(x) }, { y: want });
      await assertGives(one('TreeEnsembleRegressor', { x: ['f64', ['n', 1]] }, ['y'], attributes), { x: f64(x) }, { y: want });
    });
  }

  it('are modules, too, and no text calls their kernels', async () => {
    const trees = [randomTree(noise(5), 4, modes, [0])];
    const bytes = Buffer.from(onnxModel(one('TreeEnsembleRegressor', { x: ['f32', ['n', 3]] }, ['y'], { ...attributesOf(trees, 'target'), n_targets: 1 })));
    const model = await load(bytes);
    assert.ok(WebAssembly.validate(model.graph.toWasm().bytes));
    model.dispose();
    const text = 'graph "g" {\n  %1 = param "x" : f32[1, 3]\n  %2 = param "t" : u8[9]\n  %3 = custom_call "gj__forest_leaves_f32" %2, %1 {dtype=i32, shape=[1, 1]}\n  output "y" = %3\n}\n';
    throwsGraphError(() => Graph.parse(text), 'ERR_UNSUPPORTED', /no text may call/);
  });

  it('with nodes out of order, and ids that do not count up', async () => {
    const attributes = {
      nodes_treeids: [7, 3, 7, 3, 7, 3], nodes_nodeids: [5, 1, 9, 2, 6, 40], nodes_modes: ['BRANCH_LT', 'BRANCH_GT', 'LEAF', 'LEAF', 'LEAF', 'LEAF'],
      nodes_featureids: [0, 1, 0, 0, 0, 0], nodes_values: floats(0.5, 0, 0, 0, 0, 0), nodes_truenodeids: [9, 40, 0, 0, 0, 0], nodes_falsenodeids: [6, 2, 0, 0, 0, 0],
      target_treeids: [3, 7, 7, 3, 7], target_nodeids: [40, 9, 6, 2, 5], target_ids: [0, 0, 0, 0, 0], target_weights: floats(1, 10, 20, 2, 1000), n_targets: 1,
    };
    await assertGives(one('TreeEnsembleRegressor', { x: ['f32', ['n', 2]] }, ['y'], attributes), { x: f32([[0, 1], [1, 0], [0.25, -1], [NaN, NaN]]) }, { y: [[11], [22], [12], [22]] });
  });

  it('of labels that are strings', async () => {
    const trees = [1, 2, 3].map((seed) => randomTree(noise(seed), 3, modes, [0, 1, 2]));
    const scores = rows.map((row) => [0, 1, 2].map((target) => joins.SUM(trees.flatMap((tree) => walk(tree, row)).filter(([each]) => each === target).map(([, weight]) => weight), 1)));
    const labels = scores.map((each) => 'abc'[each.indexOf(Math.max(...each))]);
    const attributes = { ...attributesOf(trees, 'class'), classlabels_strings: ['a', 'b', 'c'] };
    await assertGives(one('TreeEnsembleClassifier', { x: ['f32', ['n', 3]] }, ['label', 'scores'], attributes), { x: f32(rows) }, { label: labels, scores });
  });

  it('with thresholds of 64 bits', async () => {
    const tree = { mode: 'BRANCH_LT', feature: 0, limit: 0, missing: false, yes: { votes: [[0, 1]] }, no: { votes: [[0, 2]] } };
    const { nodes_values: values, target_weights: weights, ...rest } = attributesOf([tree], 'target');
    assert.deepEqual([values.floats.length, weights.floats.length], [3, 2]);
    const attributes = { ...rest, n_targets: 1, nodes_values_as_tensor: f64([0.1, 0, 0]), target_weights_as_tensor: f64([1, 2]), base_values_as_tensor: f64([10]) };
    await assertGives(one('TreeEnsembleRegressor', { x: ['f64', ['n', 1]] }, ['y'], attributes), { x: f64([[0.1], [0.1 - 1e-12], [NaN]]) }, { y: [[12], [11], [12]] });
  });

  it('of version 5: sets of members, leaves that are trees, shared nodes', async () => {
    const set = {
      n_targets: 4, membership_values: f32([1.2, 3.7, 8, 9, NaN, 12, 7, NaN]), tree_roots: [0], nodes_modes: u8([0, 6, 6]), nodes_featureids: [0, 0, 0],
      nodes_splits: f32([11, 232344, NaN]), nodes_trueleafs: [0, 1, 1], nodes_truenodeids: [1, 0, 1], nodes_falseleafs: [1, 0, 1], nodes_falsenodeids: [2, 2, 3],
      leaf_targetids: [0, 1, 2, 3], leaf_weights: f32([1, 10, 1000, 100]),
    };
    const want = [[1, 0, 0, 0], [0, 0, 0, 100], [0, 0, 0, 100], [0, 0, 1000, 0], [0, 0, 1000, 0], [0, 10, 0, 0]];
    await assertGives(one('TreeEnsemble', { x: ['f32', ['n', 1]] }, ['y'], set, 5), { x: f32([[1.2], [3.4], [-0.12], [NaN], [12], [7]]) }, { y: want });
    const leaf = {
      n_targets: 1, tree_roots: [0], nodes_modes: u8([0]), nodes_featureids: [0], nodes_splits: f64([0]), nodes_trueleafs: [1], nodes_truenodeids: [0],
      nodes_falseleafs: [1], nodes_falsenodeids: [0], leaf_targetids: [0], leaf_weights: f64([5.25]), post_transform: 2,
    };
    await assertGives(one('TreeEnsemble', { x: ['f64', ['n', 2]] }, ['y'], leaf, 5), { x: f64([[1, 2], [3, 4]]) }, { y: [[0.994780], [0.994780]] });
  });

  it('of one class, as onnxruntime reads them', async () => {
    const tree = (/** @type {number} */ low, /** @type {number} */ high, id = 0) =>
      attributesOf([{ mode: 'BRANCH_LEQ', feature: 0, limit: 0, missing: false, yes: { votes: [[id, low]] }, no: { votes: [[id, high]] } }], 'class');
    const x = { x: f32([[-1], [1]]) };
    const model = (/** @type {any} */ attributes, /** @type {any} */ more) => one('TreeEnsembleClassifier', { x: ['f32', ['n', 1]] }, ['label', 'scores'], { ...attributes, classlabels_int64s: [4, 5], ...more });
    await assertGives(model(tree(0.25, 0.75), {}), x, { label: [4, 5], scores: [[0.75, 0.25], [0.25, 0.75]] });
    await assertGives(model(tree(-0.25, 0.75), {}), x, { label: [4, 5], scores: [[0.25, -0.25], [-0.75, 0.75]] });
    await assertGives(model(tree(-0.25, 0.75), { post_transform: 'LOGISTIC', base_values: floats(0.5) }), x, { label: [5, 5], scores: [[0.437823, 0.562177], [0.2227, 0.7773]] });
    await assertGives(model(tree(0.25, 0.75, 1), {}), x, { label: [4, 5], scores: [[0, 0.25], [0, 0.75]] });
  });

  /** @type {[string, any, string, RegExp][]} */
  const refused = [
    ['nodes that lead back', { nodes_truenodeids: [0, 0, 0] }, 'ERR_PARSE', /lead back to each other/],
    ['nodes that are missing', { nodes_truenodeids: [7, 0, 0] }, 'ERR_PARSE', /tree 0 has no node 7/],
    ['nodes that are there twice', { nodes_nodeids: [0, 1, 1] }, 'ERR_PARSE', /node 1 of tree 0 is there twice/],
    ['features that are missing', { nodes_featureids: [3, 0, 0] }, 'ERR_SHAPE', /asks feature 3 of 3/],
    ['unknown tests', { nodes_modes: ['BRANCH', 'LEAF', 'LEAF'] }, 'ERR_PARSE', /'BRANCH' is unknown/],
    ['lists of different lengths', { nodes_values: floats(1) }, 'ERR_PARSE', /nodes_values has 1 elements, but nodes_treeids 3/],
    ['votes for targets that are missing', { target_ids: [0, 5] }, 'ERR_PARSE', /votes for target 5 of 1/],
    ['targets that are too many', { n_targets: 2 ** 40 }, 'ERR_UNSUPPORTED', /2 leaves that vote for 1099511627776 targets/],
    ['features that are no numbers', { nodes_featureids: floats(0.5, 0, 0) }, 'ERR_PARSE', /nodes_featureids has 0.5, expected a whole number/],
  ];
  for (const [name, change, code, message] of refused) {
    it(`refuses ${name}`, async () => {
      const tree = { mode: 'BRANCH_LEQ', feature: 0, limit: 0, missing: false, yes: { votes: [[0, 1]] }, no: { votes: [[0, 2]] } };
      const given = one('TreeEnsembleRegressor', { x: ['f32', [1, 3]] }, ['y'], { ...attributesOf([tree], 'target'), n_targets: 1, ...change });
      await assert.rejects(load(Buffer.from(onnxModel(given))), { code, message });
    });
  }
});

// ------------------------------------------------------------------------ transforms, as recorded

describe('scores of one row of coefficients, as onnxruntime gives them', () => {
  /** @type {Record<string, readonly (readonly number[])[]>} */
  const want = {
    NONE: [[0.6, 0.4], [1.5, -0.5]], SOFTMAX: [[0.6, 0.4], [1.5, -0.5]], LOGISTIC: [[0.401312, 0.598688], [0.622459, 0.377541]],
  };
  for (const [post_transform, scores] of Object.entries(want)) {
    it(post_transform, async () => {
      const attributes = { coefficients: floats(0.5, 1), intercepts: floats(-0.6), classlabels_strings: ['no', 'yes'], post_transform };
      await assertGives(one('LinearClassifier', { x: ['f32', ['n', 2]] }, ['label', 'scores'], attributes), { x: f32([[1, 0.5], [0, 0.1]]) }, { label: ['yes', 'no'], scores });
    });
  }

  /** @type {Record<string, readonly number[]>} */
  const transforms = {
    NONE: [0, 1, -2], SOFTMAX: [0.259496, 0.705385, 0.035119], SOFTMAX_ZERO: [0, 0.952574, 0.0474259], LOGISTIC: [0.5, 0.731059, 0.119203],
  };
  for (const [post_transform, scores] of Object.entries(transforms)) {
    it(`${post_transform} of several`, async () => {
      const attributes = { coefficients: floats(0, 1, -2), intercepts: floats(0, 0, 0), targets: 3, post_transform };
      await assertGives(one('LinearRegressor', { x: ['f32', ['n', 1]] }, ['y'], attributes), { x: f32([[1]]) }, { y: [scores] });
    });
  }

  it('PROBIT, which is exact', async () => {
    const attributes = { coefficients: floats(1), intercepts: floats(0), post_transform: 'PROBIT' };
    await assertGives(one('LinearRegressor', { x: ['f32', ['n', 1]] }, ['y'], attributes), { x: f32([[0.5], [0.975]]) }, { y: [[0], [1.959964]] });
  });
});

// ------------------------------------------------------------------------------ labels, categories

describe('labels', () => {
  const keys = { strings: { keys_strings: ['a', 'b', 'c'] }, int64s: { keys_int64s: [3, 1, 2] }, floats: { keys_floats: floats(1.5, NaN, -2) } };
  const values = { strings: { values_strings: ['x', 'y', 'z'] }, int64s: { values_int64s: [30, 10, 20] }, floats: { values_floats: floats(1.5, 3.5, -2) } };
  const given = {
    strings: { type: ['string', ['n', 2]], x: [['c', 'q'], ['a', 'b']], at: [2, 3, 0, 1] },
    int64s: { type: ['i64', ['n', 2]], x: tensor([[2n, 9n], [3n, 1n]]), at: [2, 3, 0, 1] },
    floats: { type: ['f32', ['n', 2]], x: f32([[-2, 7], [1.5, NaN]]), at: [2, 3, 0, 1] },
  };
  const results = { strings: ['x', 'y', 'z', '_Unused'], int64s: [30, 10, 20, -1], floats: [1.5, 3.5, -2, 0] };
  for (const from of /** @type {const} */ (['strings', 'int64s', 'floats'])) {
    for (const to of /** @type {const} */ (['strings', 'int64s', 'floats'])) {
      it(`of ${from} to ${to}`, async () => {
        const { type, x, at } = given[from];
        const [a, b, c, d] = at.map((place) => results[to][place]);
        await assertGives(one('LabelEncoder', { x: type }, ['y'], { ...keys[from], ...values[to] }, 2), { x }, { y: [[a, b], [c, d]] });
      });
    }
  }

  it('in tensors, of which the last of equal keys counts', async () => {
    const attributes = { keys_tensor: { t: ['a', 'b', 'a'] }, values_tensor: tensor([1, 2, 3], { dtype: 'i16' }), default_tensor: tensor([42], { dtype: 'i16' }) };
    const { y } = await assertGives(one('LabelEncoder', { x: ['string', ['n']] }, ['y'], attributes, 4), { x: ['a', 'b', 'q'] }, { y: [3, 2, 42] });
    assert.equal(y.dtype, 'i16');
    const doubles = { keys_tensor: f64([1, 2]), values_tensor: f64([0.1, 0.2]), default_tensor: f64([9]) };
    await assertGives(one('LabelEncoder', { x: ['f64', ['n']] }, ['y'], doubles, 4), { x: f64([2, 1, 0]) }, { y: [0.2, 0.1, 9] });
  });

  it('of version 1 and categories go both ways', async () => {
    const old = { classes_strings: ['a', 'b'] };
    await assertGives(one('LabelEncoder', { x: ['string', ['n']] }, ['y'], old, 1), { x: ['b', 'q'] }, { y: [1, -1] });
    await assertGives(one('LabelEncoder', { x: ['i64', ['n']] }, ['y'], { ...old, default_string: '?' }, 1), { x: i64(1, 5) }, { y: ['b', '?'] });
    const categories = { cats_strings: ['u', 'v'], cats_int64s: [5, 6] };
    await assertGives(one('CategoryMapper', { x: ['string', ['n']] }, ['y'], categories), { x: ['v', 'q'] }, { y: [6, -1] });
    await assertGives(one('CategoryMapper', { x: ['i64', ['n']] }, ['y'], categories), { x: i64(5, 7) }, { y: ['u', '_Unused'] });
  });

  it('become columns', async () => {
    await assertGives(one('OneHotEncoder', { x: ['string', ['n', 1]] }, ['y'], { cats_strings: ['u', 'v'] }), { x: [['v'], ['q']] }, { y: [[[0, 1]], [[0, 0]]] });
    await assertGives(one('OneHotEncoder', { x: ['f32', ['n']] }, ['y'], { cats_int64s: [3, 1] }), { x: f32([1, 3.7]) }, { y: [[0, 1], [1, 0]] });
  });

  it('that a graph computes stay in it, and become maps and numbers', async () => {
    const ml = (/** @type {any[]} */ [op, ...rest]) => /** @type {any} */ ([`ai.onnx.ml::${op}`, ...rest]);
    const { maps } = await assertGives({
      nodes: [
        ml(['LinearClassifier', ['x'], ['label', 'p'], { coefficients: floats(1, 2, -1, 0, 0.5, 0.5), intercepts: floats(0, 0, 0), classlabels_strings: ['a', 'b', 'c'], post_transform: 'SOFTMAX' }]),
        ml(['ZipMap', ['p'], ['maps'], { classlabels_strings: ['a', 'b', 'c'] }]),
        ml(['LabelEncoder', ['label'], ['number'], { keys_strings: ['b', 'a'], values_int64s: [10, 20] }]),
        ['Equal', ['label', 'wanted'], ['is']], ['Reshape', ['label', 'column'], ['tall']],
        ['StringNormalizer', ['label'], ['upper'], { case_change_action: 'UPPER' }],
      ],
      inputs: { x: ['f32', ['n', 2]] }, initializers: { wanted: ['a'], column: i64(-1, 1) },
      outputs: ['label', 'maps', 'number', 'is', 'tall', 'upper'], opsets: { '': 17, 'ai.onnx.ml': 3 },
    }, { x: f32([[1, 2], [-3, 1]]) }, {
      label: ['a', 'b'], number: [20, 10], is: [true, false], tall: [['a'], ['b']], upper: ['A', 'B'],
    });
    assert.deepEqual(maps.map((/** @type {Map<string, number>} */ each) => [...each.keys()]), [['a', 'b', 'c'], ['a', 'b', 'c']]);
    assert.ok(Math.abs(maps[1].get('b') - 0.9646632) < 1e-6);
  });
});

describe('features', () => {
  it('are taken and joined', async () => {
    await assertGives(one('ArrayFeatureExtractor', { x: ['f32', ['n', 3]], i: ['i64', [2]] }, ['y'], {}), { x: f32([[1, 2, 3], [4, 5, 6]]), i: i64(2, 0) }, { y: [[3, 1], [6, 4]] });
    await assertGives(one('ArrayFeatureExtractor', { x: ['string', [3]], i: ['i64', ['n']] }, ['y'], {}), { x: ['a', 'b', 'c'], i: i64(2, 0, 2) }, { y: [['c', 'a', 'c']] });
    await assertGives(one('FeatureVectorizer', { a: ['i64', ['n', 2]], b: ['i64', ['n', 1]] }, ['y'], { inputdimensions: [2, 1] }), { a: tensor([[1n, 2n]]), b: tensor([[3n]]) }, { y: [[1, 2, 3]] });
  });

  it('are replaced and scaled', async () => {
    await assertGives(one('Imputer', { x: ['i64', ['n', 2]] }, ['y'], { imputed_value_int64s: [9], replaced_value_int64: -1 }), { x: tensor([[-1n, 2n]]) }, { y: [[9, 2]] });
    await assertGives(one('Normalizer', { x: ['f32', ['n', 2]] }, ['y'], { norm: 'MAX' }), { x: f32([[-1, -2], [0, 0], [3, 4]]) }, { y: [[1, 2], [0, 0], [0.75, 1]] });
    await assertGives(one('Scaler', { x: ['i64', ['n', 2]] }, ['y'], { offset: floats(1), scale: floats(2) }), { x: tensor([[1n, 2n]]) }, { y: [[0, 2]] });
  });

  it('come of maps', async () => {
    const map = (/** @type {string} */ key, /** @type {string} */ value) => ({ key, value: [value] });
    await assertGives(one('DictVectorizer', { x: map('string', 'f32') }, ['y'], { string_vocabulary: ['a', 'c', 'b', 'z'] }), { x: { a: 4, c: 8 } }, { y: [[4, 8, 0, 0]] });
    await assertGives(one('DictVectorizer', { x: map('i64', 'string') }, ['y'], { int64_vocabulary: [5, 3] }), { x: new Map([[3, 'q'], [9, 'u']]) }, { y: [['', 'q']] });
    const numbers = { x: new Map([[3, 1.5], [1, 2.5]]) };
    await assertGives(one('CastMap', { x: map('i64', 'f32') }, ['y'], {}), numbers, { y: [[2.5, 1.5]] });
    await assertGives(one('CastMap', { x: map('i64', 'f32') }, ['y'], { cast_to: 'TO_INT64', map_form: 'SPARSE', max_map: 4 }), numbers, { y: [[0, 2, 0, 1]] });
    const model = await load(Buffer.from(onnxModel(one('CastMap', { x: map('i64', 'f32') }, ['y'], {}))));
    assert.throws(() => model.run({ x: 5 }), { code: 'ERR_ARGUMENT' });
    model.dispose();
  });
});
