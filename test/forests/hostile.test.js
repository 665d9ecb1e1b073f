'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Forest, load, zeros } = require('graphjit');
const { mutated } = require('../support/damaged-files.js');
const { generator: mutator } = require('../support/generator.js');
const { isGraphError } = require('../support/errors.js');
const { onnxModel } = require('../support/onnx-writer.js');
const { catboost, generator, jsonBytes, lightgbm, ubjson, xgboost } = require('./models.js');

/** @type {(source: any, code: string, message: RegExp) => Promise<void>} */
const refuses = async (source, code, message) => void (await assert.rejects(async () => load(source), (error) => isGraphError(error, code, message)));

/** A model of XGBoost with something else. @type {(change: (model: any, first: any) => void) => any} */
function changed(change) {
  const { json } = xgboost(generator(1));
  change(json, json.learner.gradient_booster.model.trees[0]);
  return json;
}

test('trees that are none are refused', async () => {
  /** @type {[(model: any, first: any) => void, RegExp][]} */
  const cases = [
    [(_, tree) => (tree.left_children[0] = 0), /^tree 0: two ways lead to node 0$/],
    [(_, tree) => (tree.left_children[1] = 0), /^tree 0: two ways lead to node 0$/],
    [(_, tree) => (tree.right_children[0] = tree.left_children[0]), /two ways lead to node/],
    [(_, tree) => (tree.left_children[0] = 99), /node 0 leads to node 99 of 15/],
    [(_, tree) => (tree.right_children[0] = -7), /node 0 leads to node -7 of 15/],
    [(_, tree) => (tree.split_indices[0] = 5), /node 0 asks feature 5 of 5/],
    [(_, tree) => (tree.split_indices[0] = -1), /node 0 asks feature -1 of 5/],
    [(_, tree) => tree.split_indices.pop(), /split_indices: expected 15 elements, got 14/],
    [(_, tree) => (tree.split_conditions[0] = 'x'), /split_conditions: expected a number, got "x"/],
    [(_, tree) => (tree.left_children = null), /left_children: expected an array, got null/],
    [(_, tree) => (tree.left_children[0] = 1e12), /left_children: expected an integer/],
    [(model) => (model.learner.gradient_booster.model.tree_info[0] = 3), /tree 0 adds to output 3 of 1/],
    [(model) => (model.learner.learner_model_param.num_class = '-1'), /num_class: expected an integer/],
    [(model) => (model.learner.learner_model_param.num_class = '2147483647'), /num_class: expected an integer from 0 to 1048576/],
    [(model) => (model.learner.learner_model_param.num_target = '200'), /the model has 10 trees for 200 outputs/],
    [(model) => (model.learner.learner_model_param.base_score = '[1,2]'), /base_score: expected one number or 1, got 2/],
    [(model) => delete model.learner.objective, /objective: expected an object/],
    [(model) => delete model.learner.objective.name, /objective: name: expected a text, got undefined/],
  ];
  for (const [change, message] of cases) await refuses(changed(change), 'ERR_PARSE', message);
});

test('what forests cannot do is said', async () => {
  await refuses(changed((_, tree) => (tree.tree_param.size_leaf_vector = '3')), 'ERR_UNSUPPORTED', /multi_output_tree/);
  await refuses(changed((model) => (model.learner.gradient_booster.name = 'gblinear')), 'ERR_UNSUPPORTED', /booster 'gblinear' has no trees/);
  const old = Buffer.concat([Buffer.alloc(136), Buffer.from([15, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('binary:logistic')]);
  await refuses(old, 'ERR_UNSUPPORTED', /old binary format of XGBoost: load it with XGBoost/);
  for (const dump of ['[\n  { "nodeid": 0, "leaf": 1 }]', '0:[f0<1] yes=1,no=2,missing=1\n', 'booster[0]:\n0:leaf=1\n'])
    await refuses(Buffer.from(dump), 'ERR_PARSE', /a dump of trees without the model around them has no objective/);
  await refuses(Buffer.from('binf'), 'ERR_UNSUPPORTED', /old binary format of XGBoost/);
  await refuses(Buffer.from('[{"id":0,"leaf":1}]'), 'ERR_UNSUPPORTED', /cannot tell the format/);
  await refuses({ nodeid: 0, leaf: 1 }, 'ERR_PARSE', /no model of XGBoost, LightGBM or CatBoost/);
  const { json } = catboost(generator(2));
  await refuses({ ...json, features_info: { ...json.features_info, categorical_features: [{}] } }, 'ERR_UNSUPPORTED', /categorical features/);
});

test('JSON: fields of other kinds are not taken for what they might be', async () => {
  const model = () => lightgbm(generator(12), { categories: true }).json;
  const nodes = (/** @type {any} */ json) => json.tree_info.map((/** @type {any} */ tree) => tree.tree_structure);
  await refuses({ ...model(), objective: ['binary'] }, 'ERR_PARSE', /^objective: expected a text, got/);
  await refuses({ ...model(), average_output: 'no' }, 'ERR_PARSE', /^average_output: expected a boolean, got "no"$/);
  const flagged = model();
  nodes(flagged)[0].default_left = 'false';
  await refuses(flagged, 'ERR_PARSE', /^tree 0: default_left: expected a boolean, got "false"$/);
  const below = model();
  const asking = nodes(below).findIndex((/** @type {any} */ node) => node.decision_type === '==');
  nodes(below)[asking].threshold = '3||-1';
  await refuses(below, 'ERR_PARSE', /asks for category -1$/);
  const { json } = catboost(generator(13));
  json.features_info.float_features[1].nan_value_treatment = 'AsMin';
  await refuses(json, 'ERR_PARSE', /^float_features\[1\]\.nan_value_treatment: expected one of AsIs, AsFalse, AsTrue, got "AsMin"$/);
});

test('LightGBM: lines that do not fit', async () => {
  const { text } = lightgbm(generator(3), { categories: true });
  /** @type {[RegExp, string, RegExp][]} */
  const cases = [
    [/num_leaves=\d+/, 'num_leaves=1000000000', /num_leaves: expected an integer/],
    [/left_child=\S+/, 'left_child=0', /two ways lead to node 0/],
    [/left_child=\S+/, 'left_child=-99', /leads to node/],
    [/split_feature=\d+/, 'split_feature=x', /expected a number, got "x"/],
    [/split_feature=[^\n]*/, 'split_feature=1 2', /expected \d+ numbers, got 2/],
    [/cat_boundaries=0 \d+/, 'cat_boundaries=0 99', /cat_boundaries/],
    [/num_cat=\d+/, 'num_cat=0', /asks for a category, of which there are none/],
    [/max_feature_idx=\d+/, 'max_feature_idx=0', /asks feature/],
  ];
  for (const [from, to, message] of cases) await refuses(Buffer.from(text.replace(from, to)), 'ERR_PARSE', message);
  await refuses(Buffer.from('tree\nversion=v4\n'), 'ERR_PARSE', /has no trees/);
  await refuses(Buffer.from(text.slice(0, text.lastIndexOf('leaf_value=') + 13)), 'ERR_PARSE', /the text ends before 'end of trees'/);
  const several = lightgbm(generator(3), { groups: 3, trees: 9 }).text;
  const early = several.replace('version=v4', 'version=v2');
  await refuses(Buffer.from(early.slice(0, early.indexOf('Tree=6'))), 'ERR_PARSE', /the text has 6 trees, tree_sizes tells of 9/);
  const unsized = early.replace(/tree_sizes=.*/, '');
  await refuses(Buffer.from(unsized.slice(0, unsized.indexOf('Tree=5'))), 'ERR_PARSE', /the model has 5 trees, expected a multiple of 3/);
  const linear = lightgbm(generator(11), { linear: true }).text.replace(/leaf_features=[^\n]*\d/, (line) => line.replace(/\d(?=\D*$)/, '5'));
  await refuses(Buffer.from(linear), 'ERR_PARSE', /asks feature 5 of 5/);
});

test('UBJSON: lengths and depths are held against the file', async () => {
  const head = Buffer.from('{L\0\0\0\0\0\0\0\x01a', 'latin1');
  const refuse = (/** @type {string} */ rest, /** @type {RegExp} */ message) => refuses(Buffer.concat([head, Buffer.from(rest, 'latin1')]), 'ERR_PARSE', message);
  await refuse('[$d#L\x7f\xff\xff\xff\xff\xff\xff\xff', /expected a length/);
  await refuse('[$d#l\x7f\xff\xff\xff', /do not fit into the file/);
  await refuse('[$T#l\x7f\xff\xff\xff', /too many/);
  await refuse('Sl\0\0\xff\xff', /ends too early/);
  await refuse('Sl\xff\0\xff\xff', /expected a length/);
  await refuse('?', /unknown marker "\?"/);
  await refuse('['.repeat(1e6), /more than 64 levels/);
  const whole = ubjson(xgboost(generator(4), { trees: 1 }).json);
  for (let length = 20; length < whole.length; length += 7) await refuses(whole.subarray(0, length), 'ERR_PARSE', /ends too early|do not fit/);
});

test('trees of a million levels work', async () => {
  const leaves = 1e6;
  const text = (/** @type {(i: number) => number} */ each) => Array.from({ length: leaves - 1 }, (_, i) => each(i)).join(' ');
  const model = [
    'tree', 'version=v4', 'num_class=1', 'num_tree_per_iteration=1', 'max_feature_idx=0', 'objective=regression', '', 'Tree=0', `num_leaves=${leaves}`, 'num_cat=0',
    `split_feature=${'0 '.repeat(leaves - 1)}`, `threshold=${text((i) => i)}`, `decision_type=${'2 '.repeat(leaves - 1)}`, `left_child=${text((i) => -1 - i)}`,
    `right_child=${text((i) => (i === leaves - 2 ? -leaves : i + 1))}`, `leaf_value=${Array.from({ length: leaves }, (_, i) => i).join(' ')}`, '', 'end of trees',
  ].join('\n');
  const forest = await load(Buffer.from(model));
  assert.deepEqual([...forest.predict([[0], [1.5], [5e5], [1e9]]).data], [0, 2, 5e5, 999999]);
  assert.throws(() => forest.predict([1], { output: 'contributions' }), (error) => isGraphError(error, 'ERR_UNSUPPORTED', /cover|does not say/));
});

test('nested JSON of many levels', async () => {
  let open = '';
  let close = '';
  for (let i = 0; i < 20000; i++) {
    open += `{"split_feature":0,"threshold":${i},"decision_type":"<=","default_left":true,"missing_type":"None","left_child":{"leaf_value":${i}},"right_child":`;
    close += '}';
  }
  const model = `{"name":"tree","num_tree_per_iteration":1,"max_feature_idx":0,"tree_info":[{"tree_structure":${open}{"leaf_value":-1}${close}}]}`;
  const forest = await load(Buffer.from(model));
  assert.deepEqual([...forest.predict([[3], [1e9]]).data], [3, -1]);
});

/** Three trees of seven nodes as ONNX has them. */
function ensemble() {
  const all = (/** @type {(tree: number, node: number) => any} */ of) => [0, 1, 2].flatMap((tree) => [0, 1, 2, 3, 4, 5, 6].map((node) => of(tree, node)));
  const leaves = (/** @type {(tree: number, node: number) => any} */ of) => [0, 1, 2].flatMap((tree) => [3, 4, 5, 6].map((node) => of(tree, node)));
  const attributes = {
    n_targets: 2, nodes_treeids: all((tree) => tree), nodes_nodeids: all((_, node) => node), nodes_featureids: all((tree, node) => (tree + node) % 4),
    nodes_modes: all((tree, node) => (node > 2 ? 'LEAF' : ['BRANCH_LEQ', 'BRANCH_LT', 'BRANCH_GT'][tree])), nodes_values: { floats: all((tree, node) => tree - node / 3) },
    nodes_truenodeids: all((_, node) => (node > 2 ? 0 : 2 * node + 1)), nodes_falsenodeids: all((_, node) => (node > 2 ? 0 : 2 * node + 2)),
    nodes_missing_value_tracks_true: all((tree, node) => (tree + node) % 2), target_treeids: leaves((tree) => tree), target_nodeids: leaves((_, node) => node),
    target_ids: leaves((tree) => tree % 2), target_weights: { floats: leaves((tree, node) => tree + node / 7) },
  };
  return Buffer.from(onnxModel({
    nodes: [['ai.onnx.ml::TreeEnsembleRegressor', ['x'], ['y'], attributes]], inputs: { x: ['f32', ['n', 4]] }, outputs: { y: ['f32', ['n', 2]] }, opsets: { '': 17, 'ai.onnx.ml': 3 },
  }));
}

/** Runs what was loaded on some rows; whether it did. @type {(loaded: any) => boolean} */
function runs(loaded) {
  if (loaded instanceof Forest) {
    if (loaded.features > 1000) return false;
    loaded.predict(new Float64Array(loaded.features * 9).fill(0.5));
    loaded.predict(new Float64Array(loaded.features).fill(NaN), { output: 'leaf' });
    return true;
  }
  const [{ dtype = 'f32', shape = [9, 4] } = {}] = loaded.inputs;
  const sizes = shape.map((/** @type {any} */ size) => (typeof size === 'number' ? size : 9));
  if (sizes.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1) > 1e4) return false;
  loaded.run(zeros(sizes, { dtype }));
  loaded.dispose();
  return true;
}

const small = { trees: 3, leaves: 5, categories: true };
/** @type {Record<string, () => Buffer>} */
const damaged = {
  'XGBoost JSON': () => jsonBytes(xgboost(generator(6), small).json), 'XGBoost UBJSON': () => ubjson(xgboost(generator(7), small).json),
  'LightGBM text': () => Buffer.from(lightgbm(generator(8), small).text), 'LightGBM JSON': () => jsonBytes(lightgbm(generator(9), small).json),
  'CatBoost JSON': () => jsonBytes(catboost(generator(10), { trees: 2 }).json), 'ONNX': ensemble,
};
for (const [format, make] of Object.entries(damaged)) {
  test(`damaged files of ${format} are refused or work`, async () => {
    const [file, random] = [make(), mutator(5)];
    let ran = 0;
    for (let i = 0; i < 1000; i++) {
      const bytes = mutated(file, random);
      try {
        // Forests have none of the options of models, which are interpreted here, but for their kernels.
        const loaded = await load(bytes, format === 'ONNX' ? { compile: false, cache: false, tier: 'auto', threads: 1 } : { threads: 1 });
        ran += Number(runs(loaded));
      } catch (error) {
        assert.equal(/** @type {Error} */ (error).name, 'GraphError', /** @type {Error} */ (error).stack);
        assert.notEqual(/** @type {any} */ (error).code, 'ERR_INTERNAL', /** @type {Error} */ (error).stack);
      }
    }
    assert.ok(ran > 20, `${ran} ran`);
  });
}
