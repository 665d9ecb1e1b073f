// Forests of decision trees: one row, including the call, and 100,000 rows, against C, XGBoost and ONNX Runtime; how long
// loading takes. C has the trees in the shape that suits its loop; XGBoost and ONNX Runtime have the same trees in files.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { load, tensor } = require('graphjit');
const { onnxModel } = require('../../support/onnx-writer.js');
const { fill } = require('../support/arrays.js');
const { addonFile, compilers, cores, inC, inOnnxRuntime, inPython, inThreadedCHere } = require('../support/peers.js');

const FEATURES = 32;
const ROWS = 1e5;
/** Rows that take turns, as nobody asks for the same one again and again. */
const TURNS = 1000;
const [HEAP, NODES] = [64, 127];

/** 500 full trees of 6 levels, as XGBoost's JSON and as heaps. */
function fullTrees(count) {
  const numbers = fill({ type: 'f32', length: count * 3 * HEAP });
  const [feature, threshold, leaf] = [new Int32Array(count * HEAP), new Float32Array(count * HEAP), new Float32Array(count * HEAP)];
  const trees = Array.from({ length: count }, (_, id) => {
    for (let i = 0; i < HEAP; i++) {
      const at = id * HEAP + i;
      feature[at] = Math.floor(numbers[3 * at] * FEATURES);
      threshold[at] = numbers[3 * at + 1];
      leaf[at] = numbers[3 * at + 2] - 0.5;
    }
    const inner = (/** @type {(i: number) => number} */ of, /** @type {(leaf: number) => number} */ rest) =>
      Array.from({ length: NODES }, (__, i) => (i < HEAP - 1 ? of(id * HEAP + i + 1) : rest(id * HEAP + i + 1 - HEAP)));
    const place = (/** @type {number} */ at) => at - id * HEAP - 1;
    return {
      left: inner((at) => 2 * place(at) + 1, () => -1), right: inner((at) => 2 * place(at) + 2, () => -1),
      threshold: inner((at) => threshold[at], (at) => leaf[at]), feature: inner((at) => feature[at], () => 0),
    };
  });
  [feature[0], feature[HEAP]] = [count, FEATURES];
  return { json: xgboostOf(trees), trees, feature, threshold, leaf };
}

/** Nodes of a tree; a leaf has its value as its threshold. @typedef {{ left: number[], right: number[], feature: number[], threshold: number[] }} Nodes */

/** @type {(trees: Nodes[]) => any} */
function xgboostOf(trees) {
  const list = trees.map(({ left, right, feature, threshold }, id) => {
    const all = (/** @type {number} */ value) => new Array(left.length).fill(value);
    const parents = all(2147483647);
    left.forEach((child, node) => child >= 0 && (parents[child] = parents[right[node]] = node));
    return {
      id, base_weights: all(0), categories: [], categories_nodes: [], categories_segments: [], categories_sizes: [],
      default_left: all(1), left_children: left, loss_changes: all(0), parents, right_children: right, split_conditions: threshold,
      split_indices: feature, split_type: all(0), sum_hessian: all(1),
      tree_param: { num_deleted: '0', num_feature: String(FEATURES), num_nodes: String(left.length), size_leaf_vector: '0' },
    };
  });
  const count = trees.length;
  const model = { gbtree_model_param: { num_parallel_tree: '1', num_trees: String(count), size_leaf_vector: '0' }, tree_info: new Array(count).fill(0), trees: list };
  const param = { base_score: '5E-1', boost_from_average: '1', num_class: '0', num_feature: String(FEATURES), num_target: '1' };
  const objective = { name: 'reg:squarederror', reg_loss_param: { scale_pos_weight: '1' } };
  const learner = { attributes: {}, feature_names: [], feature_types: [], gradient_booster: { model, name: 'gbtree' }, learner_model_param: param, objective };
  return { learner, version: [1, 7, 4] };
}

/** @type {(trees: Nodes[]) => Record<string, any>} */
function ensembleOf(trees) {
  /** @type {(of: (tree: Nodes, node: number, id: number) => any) => any[]} */
  const nodes = (of) => trees.flatMap((tree, id) => tree.left.map((_, node) => of(tree, node, id)));
  const leaves = trees.flatMap((tree, id) => tree.left.flatMap((child, node) => (child < 0 ? [{ id, node, weight: tree.threshold[node] }] : [])));
  return {
    n_targets: 1, base_values: [0.5], post_transform: 'NONE',
    nodes_treeids: nodes((_, __, id) => id), nodes_nodeids: nodes((_, node) => node), nodes_featureids: nodes(({ feature }, node) => feature[node]),
    nodes_modes: nodes(({ left }, node) => (left[node] < 0 ? 'LEAF' : 'BRANCH_LT')), nodes_values: nodes(({ threshold }, node) => threshold[node]),
    nodes_truenodeids: nodes(({ left }, node) => Math.max(0, left[node])), nodes_falsenodeids: nodes(({ right }, node) => Math.max(0, right[node])),
    nodes_missing_value_tracks_true: nodes(() => 1),
    target_treeids: leaves.map(({ id }) => id), target_nodeids: leaves.map(({ node }) => node), target_ids: leaves.map(() => 0), target_weights: leaves.map(({ weight }) => weight),
  };
}

/** ONNX Runtime on the same trees. @type {(trees: Nodes[], rows: number) => any} */
function inTreeEnsemble(trees, rows) {
  const attributes = { domain: 'ai.onnx.ml', ...ensembleOf(trees) };
  return inOnnxRuntime('f32', { x: { shape: [rows, FEATURES], from: 0, to: 1, ...(rows === 1 && { turns: TURNS }) } }, [['TreeEnsembleRegressor', ['x'], 'y', attributes]]);
}

/** The same file, for graphjit. @type {(trees: Nodes[]) => Buffer} */
function onnxOf(trees) {
  const typed = Object.entries(ensembleOf(trees)).map(([name, list]) => [name, /values|weights/.test(name) ? { floats: list } : list]);
  const node = /** @type {const} */ (['ai.onnx.ml::TreeEnsembleRegressor', ['x'], ['y'], Object.fromEntries(typed)]);
  const ports = { inputs: { x: /** @type {const} */ (['f32', ['n', FEATURES]]) }, outputs: ['y'] };
  return Buffer.from(onnxModel({ nodes: [node], ...ports, opsets: { '': 17, 'ai.onnx.ml': 3 } }));
}

/** Trees that grow leaf by leaf, as LightGBM's text with 255 bins for each feature, and as nodes. */
function leafwiseTrees(count, leaves) {
  let seed = 1;
  const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const nodes = new DataView(new ArrayBuffer(count * (2 * leaves - 1) * 24));
  const roots = Int32Array.from({ length: count + 1 }, (_, t) => (t === 0 ? count : (t - 1) * (2 * leaves - 1)));
  /** @type {Nodes[]} */
  const trees = [];
  const text = Array.from({ length: count }, (_, t) => {
    const [left, right, feature, threshold] = [[], [], [], []];
    const open = [{ parent: -1, side: left, mass: 1 }];
    for (let node = 0; node < leaves - 1; node++) {
      const at = open.reduce((most, { mass }, i) => (mass > open[most].mass ? i : most), 0);
      const { parent, side, mass } = open[at];
      if (parent >= 0) side[parent] = node;
      const share = 0.2 + 0.6 * random();
      feature.push(Math.floor(random() * FEATURES));
      threshold.push((1 + Math.floor(random() * 254)) / 255);
      open[at] = { parent: node, side: left, mass: mass * share * (0.5 + random()) };
      open.push({ parent: node, side: right, mass: mass * (1 - share) * (0.5 + random()) });
    }
    open.forEach(({ parent, side }, leaf) => void (side[parent] = ~leaf));
    const value = Array.from({ length: leaves }, () => random() - 0.5);
    const place = (/** @type {number} */ child) => (child < 0 ? leaves - 1 + ~child : child);
    const at = (/** @type {number} */ child) => roots[t + 1] + place(child);
    const behind = (/** @type {number[]} */ inner, /** @type {number[]} */ rest) => [...inner, ...rest];
    const none = value.map(() => -1);
    trees.push({ left: behind(left.map(place), none), right: behind(right.map(place), none), feature: behind(feature, value.map(() => 0)), threshold: behind(threshold, value) });
    for (let i = 0; i < 2 * leaves - 1; i++) {
      const isLeaf = i >= leaves - 1;
      const row = 24 * (roots[t + 1] + i);
      nodes.setFloat64(row, isLeaf ? value[i - leaves + 1] : threshold[i], true);
      [isLeaf ? 0 : feature[i], isLeaf ? -1 : at(left[i]), isLeaf ? -1 : at(right[i])].forEach((each, k) => nodes.setInt32(row + 8 + 4 * k, each, true));
    }
    return [
      `Tree=${t}`, `num_leaves=${leaves}`, 'num_cat=0', `split_feature=${feature.join(' ')}`, `threshold=${threshold.join(' ')}`,
      `decision_type=${feature.map(() => 2).join(' ')}`, `left_child=${left.join(' ')}`, `right_child=${right.join(' ')}`, `leaf_value=${value.join(' ')}`, '', '',
    ].join('\n');
  });
  const head = ['tree', 'version=v4', 'num_class=1', 'num_tree_per_iteration=1', `max_feature_idx=${FEATURES - 1}`, 'objective=regression', '', ''];
  return { text: `${head.join('\n')}${text.join('')}end of trees\n`, nodes: new Uint8Array(nodes.buffer), roots, trees };
}

/** XGBoost on random rows. @type {(json: any, rows: number, threads: number, statement?: string) => any} */
function inXgboost(json, rows, threads, statement = 'b.inplace_predict(next(x))') {
  const file = path.join(os.tmpdir(), `graphjit-bench-forest-${json.learner.gradient_booster.model.trees.length}.json`);
  // It wants a point in what is a number with a fraction.
  const floats = /"(?:base_weights|loss_changes|split_conditions|sum_hessian)":\[[^\]]*\]/g;
  fs.writeFileSync(file, JSON.stringify(json).replace(floats, (list) => list.replace(/([[,]-?\d+)(?=[,\]])/g, '$1.0')));
  const setup = `import numpy as np, xgboost\nb = xgboost.Booster({'nthread': ${threads}})\nb.load_model('${file}')\nfrom itertools import cycle
x = cycle(np.random.default_rng(1).random((${rows === 1 ? TURNS : 1}, ${rows}, ${FEATURES}), np.float32))`;
  return inPython('xgboost', setup, statement, threads);
}

/** Different rows in turn. @type {(x: Float32Array, run: (row: Float32Array) => void) => () => void} */
function taking(x, run) {
  const rows = Array.from({ length: TURNS }, (_, r) => x.subarray(r * FEATURES, (r + 1) * FEATURES));
  let next = 0;
  return () => run(rows[next++ % rows.length]);
}

/** Loops in C that take a row, different ones in turn. @type {(kernel: string, what: string, x: Float32Array, ...arrays: any[]) => any} */
const inCByRow = (kernel, what, x, ...arrays) =>
  Object.fromEntries(Object.entries(compilers).flatMap(([name, compiler]) => {
    const file = addonFile(compiler);
    return file === null ? [] : [[`${name}${what}`, taking(x, (row) => require(file)[kernel](row, ...arrays))]];
  }));

module.exports = [
  {
    name: 'forest-500x6-row',
    title: 'one row through 500 trees of 6 levels',
    unit: 'µs',
    targets: [{ who: 'graphjit', peer: 'clang -O3', speed: 1 }, { who: 'graphjit', peer: 'clang -O3, gathers', speed: 1 }],
    async contestants() {
      const { json, trees, feature, threshold, leaf } = fullTrees(500);
      const forest = await load(json, { threads: 1 });
      const x = fill({ type: 'f32', length: TURNS * FEATURES });
      const arrays = [feature, threshold, leaf, new Float32Array(16)];
      return {
        graphjit: taking(x, (row) => forest.predict(row)),
        ...inCByRow('forest_one_f32', '', x, ...arrays),
        ...inCByRow('forest_one_gather_f32', ', gathers', x, ...arrays),
        ...inXgboost(json, 1, 1),
        ...inTreeEnsemble(trees, 1),
      };
    },
  },
  {
    name: 'forest-500x6-1e5',
    title: '100,000 rows through 500 trees of 6 levels',
    unit: 'ms',
    targets: [{ who: 'graphjit', peer: 'gcc -Ofast', speed: 1 }, { who: `graphjit ×${cores}`, peer: `gcc -Ofast ×${cores}`, speed: 1 }],
    async contestants() {
      const { json, trees, feature, threshold, leaf } = fullTrees(500);
      const x = fill({ type: 'f32', length: ROWS * FEATURES });
      const [one, all] = await Promise.all([1, cores].map((threads) => load(json, { threads })));
      const arrays = [new Float32Array(ROWS), feature, threshold, leaf, x];
      return {
        graphjit: () => one.predict(x),
        ...(cores > 1 && { [`graphjit ×${cores}`]: () => all.predict(x) }),
        ...inC('forest_rows_f32', ...arrays),
        ...inThreadedCHere('forest_rows_f32', ...arrays),
        ...inXgboost(json, ROWS, 1),
        ...(cores > 1 && inXgboost(json, ROWS, cores)),
        ...inTreeEnsemble(trees, ROWS),
      };
    },
  },
  {
    name: 'forest-1000x255-1e5',
    title: '100,000 rows through 1,000 trees of 255 leaves',
    unit: 'ms',
    targets: [{ who: 'graphjit', peer: 'clang -O3', speed: 2 }, { who: `graphjit ×${cores}`, peer: `gcc -Ofast ×${cores}`, speed: 2 }],
    async contestants() {
      const { text, nodes, roots } = leafwiseTrees(1000, 255);
      const x = fill({ type: 'f32', length: ROWS * FEATURES });
      const [one, all] = await Promise.all([1, cores].map((threads) => load(Buffer.from(text), { threads })));
      const arrays = [new Float64Array(ROWS), nodes, roots, x];
      return {
        graphjit: () => one.predict(x),
        ...(cores > 1 && { [`graphjit ×${cores}`]: () => all.predict(x) }),
        ...inC('forest_walk_f64', ...arrays),
        ...inThreadedCHere('forest_walk_f64', ...arrays),
      };
    },
  },
  {
    name: 'forest-1000x255-1e4',
    title: '10,000 rows through 1,000 trees of 255 leaves',
    unit: 'ms',
    targets: [
      ...['xgboost', 'onnxruntime'].flatMap((peer) => [{ who: 'graphjit', peer, speed: 2 }, { who: `graphjit ×${cores}`, peer: `${peer} ×${cores}`, speed: 2 }]),
      { who: 'graphjit, ONNX', peer: 'onnxruntime', speed: 2 },
    ],
    async contestants() {
      const { text, trees } = leafwiseTrees(1000, 255);
      const x = fill({ type: 'f32', length: 1e4 * FEATURES });
      const [one, all] = await Promise.all([1, cores].map((threads) => load(Buffer.from(text), { threads })));
      const model = await load(onnxOf(trees), { threads: 1 });
      const inputs = { x: tensor(x).reshape([1e4, FEATURES]) };
      return {
        graphjit: () => one.predict(x),
        ...(cores > 1 && { [`graphjit ×${cores}`]: () => all.predict(x) }),
        'graphjit, ONNX': () => model.run(inputs),
        ...inXgboost(xgboostOf(trees), 1e4, 1),
        ...(cores > 1 && inXgboost(xgboostOf(trees), 1e4, cores)),
        ...inTreeEnsemble(trees, 1e4),
      };
    },
  },
  {
    name: 'forest-1000x255-row',
    title: 'one row through 1,000 trees of 255 leaves',
    unit: 'µs',
    targets: [{ who: 'graphjit', peer: 'onnxruntime', speed: 2 }, { who: 'graphjit', peer: 'xgboost', speed: 2 }],
    async contestants() {
      const { text, trees } = leafwiseTrees(1000, 255);
      const forest = await load(Buffer.from(text), { threads: 1 });
      const model = await load(onnxOf(trees), { threads: 1 });
      const x = fill({ type: 'f32', length: TURNS * FEATURES });
      return {
        graphjit: taking(x, (row) => forest.predict(row)),
        'graphjit, ONNX': taking(x, (row) => model.run({ x: tensor(row).reshape([1, FEATURES]) })),
        ...inXgboost(xgboostOf(trees), 1, 1),
        ...inTreeEnsemble(trees, 1),
      };
    },
  },
  {
    name: 'forest-contributions',
    title: 'SHAP values of 200 rows by 500 trees of 6 levels',
    unit: 'ms',
    targets: [{ who: 'graphjit', peer: 'xgboost', speed: 2 }],
    async contestants() {
      const { json } = fullTrees(500);
      const x = fill({ type: 'f32', length: 200 * FEATURES });
      const [one, all] = await Promise.all([1, cores].map((threads) => load(json, { threads })));
      const statement = 'b.predict(xgboost.DMatrix(next(x)), pred_contribs=True)';
      return {
        graphjit: () => one.predict(x, { output: 'contributions' }),
        ...(cores > 1 && { [`graphjit ×${cores}`]: () => all.predict(x, { output: 'contributions' }) }),
        ...inXgboost(json, 200, 1, statement),
        ...(cores > 1 && inXgboost(json, 200, cores, statement)),
      };
    },
  },
  {
    name: 'forest-load',
    title: 'loading 500 trees of 6 levels and 1,000 trees of 255 leaves',
    unit: 'ms',
    targets: [{ who: '500 × 6', below: 500 }, { who: '1000 × 255, ONNX', below: 1000 }],
    async contestants() {
      const bytes = Buffer.from(JSON.stringify(fullTrees(500).json));
      const text = Buffer.from(leafwiseTrees(1000, 255).text);
      const x = new Float32Array(FEATURES);
      const onnx = onnxOf(leafwiseTrees(1000, 255).trees);
      const loading = (/** @type {Buffer} */ source) => async () => (await load(source)).predict(x);
      const loadingModel = async () => {
        const model = await load(onnx);
        model.run({ x: tensor(x).reshape([1, FEATURES]) });
        model.dispose();
      };
      return { '500 × 6': { sample: (/** @type {number} */ seconds) => best(loading(bytes), seconds) }, '1000 × 255': { sample: (/** @type {number} */ seconds) => best(loading(text), seconds) }, '1000 × 255, ONNX': { sample: (/** @type {number} */ seconds) => best(loadingModel, seconds) } };
    },
  },
];

/** The least time of a promise, in nanoseconds. @type {(run: () => Promise<unknown>, seconds: number) => Promise<number>} */
async function best(run, seconds) {
  let least = Infinity;
  for (const end = performance.now() + 1e3 * seconds; performance.now() < end || least === Infinity; ) {
    const begin = performance.now();
    await run();
    least = Math.min(least, 1e6 * (performance.now() - begin));
  }
  return least;
}
