'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { load } = require('graphjit');
const { mutated } = require('../support/damaged-files.js');
const { generator: mutator } = require('../support/generator.js');
const { isGraphError } = require('../support/errors.js');
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
    [(model) => (model.learner.learner_model_param.base_score = '[1,2]'), /base_score: expected one number or 1, got 2/],
    [(model) => delete model.learner.objective, /objective: expected an object/],
  ];
  for (const [change, message] of cases) await refuses(changed(change), 'ERR_PARSE', message);
});

test('what forests cannot do is said', async () => {
  await refuses(changed((_, tree) => (tree.tree_param.size_leaf_vector = '3')), 'ERR_UNSUPPORTED', /multi_output_tree/);
  await refuses(changed((model) => (model.learner.gradient_booster.name = 'gblinear')), 'ERR_UNSUPPORTED', /booster 'gblinear' has no trees/);
  const old = Buffer.concat([Buffer.alloc(136), Buffer.from([15, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('binary:logistic')]);
  await refuses(old, 'ERR_UNSUPPORTED', /old binary format of XGBoost: load it with XGBoost/);
  await refuses(Buffer.from('binf'), 'ERR_UNSUPPORTED', /old binary format of XGBoost/);
  await refuses(Buffer.from('[{"nodeid":0,"leaf":1}]'), 'ERR_UNSUPPORTED', /cannot tell the format/);
  await refuses({ nodeid: 0, leaf: 1 }, 'ERR_PARSE', /no model of XGBoost, LightGBM or CatBoost/);
  const { json } = catboost(generator(2));
  await refuses({ ...json, features_info: { ...json.features_info, categorical_features: [{}] } }, 'ERR_UNSUPPORTED', /categorical features/);
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

test('damaged files are refused or work', async () => {
  const random = mutator(5);
  const small = { trees: 3, leaves: 5, categories: true };
  const files = [
    jsonBytes(xgboost(generator(6), small).json), ubjson(xgboost(generator(7), small).json), Buffer.from(lightgbm(generator(8), small).text),
    jsonBytes(lightgbm(generator(9), small).json), jsonBytes(catboost(generator(10), { trees: 2 }).json),
  ];
  let ran = 0;
  for (let i = 0; i < 1500; i++) {
    const bytes = mutated(files[i % files.length], random);
    try {
      const forest = await load(bytes, { threads: 1 });
      if (forest.features > 1000) continue;
      forest.predict(new Float64Array(forest.features * 9).fill(0.5));
      forest.predict(new Float64Array(forest.features).fill(NaN), { output: 'leaf' });
      ran++;
    } catch (error) {
      assert.equal(/** @type {Error} */ (error).name, 'GraphError', /** @type {Error} */ (error).stack);
      assert.notEqual(/** @type {any} */ (error).code, 'ERR_INTERNAL', /** @type {Error} */ (error).stack);
    }
  }
  assert.ok(ran > 50, `${ran} ran`);
});
