'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { test } = require('node:test');
const { Forest, GraphError, load, tensor } = require('graphjit');
const { isGraphError } = require('../support/errors.js');
const { catboost, generator, jsonBytes, lightgbm, rowsOf, ubjson, xgboost } = require('./models.js');

const { json, margin } = xgboost(generator(1), { features: 3, trees: 6 });

/** @type {(objective: string, groups?: number) => any} */
function ofObjective(objective, groups = 1) {
  const model = xgboost(generator(2), { features: 3, trees: 6, groups }).json;
  model.learner.objective.name = objective;
  return model;
}

/** @type {(action: () => unknown, code: string, message: RegExp) => Promise<void>} */
const refuses = async (action, code, message) => void (await assert.rejects(async () => action(), (error) => isGraphError(error, code, message)));

test('a forest is loaded from a path, bytes, an ArrayBuffer, an object', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'forest-'));
  const bytes = jsonBytes(json);
  const file = path.join(folder, 'model.json');
  fs.writeFileSync(file, bytes);
  const sources = [file, pathToFileURL(file), bytes, new Uint8Array(bytes).buffer, json, ubjson(json)];
  for (const source of sources) {
    const forest = await load(source);
    assert.ok(forest instanceof Forest);
    assert.equal(String(forest), 'Forest xgboost (6 trees, 3 features -> 1 output, reg:squarederror)');
  }
  assert.equal((await load(file, { format: 'xgboost', threads: 1, compile: false })).source, 'xgboost');
  fs.rmSync(folder, { recursive: true });
  await refuses(() => load(json, { format: 'lightgbm' }), 'ERR_PARSE', /^the model: expected a model of lightgbm, got one of xgboost/);
  for (const url of ['https://example.com/model.json', 'file://host/model.json']) {
    const promise = load(new URL(url));
    await refuses(() => promise, 'ERR_ARGUMENT', /expected a URL of a file/);
  }
  await refuses(() => load(json, { sizes: { n: 1 } }), 'ERR_ARGUMENT', /unknown option 'sizes'/);
  assert.throws(() => new /** @type {any} */ (Forest)(), GraphError);
});

test('rows come in many forms', async () => {
  const forest = await load(json);
  const x = Float64Array.of(0.5, -1, NaN, 2, 0.25, 1);
  const wanted = [...margin(x)];
  const named = { ...json, learner: { ...json.learner, feature_names: ['a', 'b', 'c'] } };
  const forms = [
    x, Float32Array.from(x), tensor(x, { shape: [2, 3] }), [[0.5, -1, null], [2, 0.25, 1]], [Float32Array.of(0.5, -1, NaN), [2, 0.25, 1]],
    tensor([[0.5, 2], [-1, 0.25], [NaN, 1]], { dtype: 'f32' }).transpose(), { f0: [0.5, 2], f1: Float32Array.of(-1, 0.25), f2: [undefined, 1] },
  ];
  for (const form of forms) assert.deepEqual([...forest.predict(form).data], wanted);
  const byName = await load(named);
  assert.deepEqual(byName.featureNames, ['a', 'b', 'c']);
  assert.deepEqual([...byName.predict({ c: [NaN, 1], b: [-1, 0.25], a: [0.5, 2] }).data], wanted);
  for (const dtype of ['f16', 'bf16'])
    assert.deepEqual([...forest.predict({ f0: tensor([0.5, 2], { dtype }), f1: [-1, 0.25], f2: tensor([NaN, 1], { dtype }) }).data], wanted);
  assert.deepEqual([...forest.predict([0.5, -1, null]).data], wanted.slice(0, 1));
  assert.deepEqual(forest.predict(tensor([0.5, -1, NaN])).shape, [1]);
  assert.deepEqual([...forest.predict(Int32Array.of(2, 0, 1)).data], [...margin([2, 0, 1])]);
  assert.equal(forest.predict([]).size, 0);
  assert.equal(forest.predict(new Float32Array(0)).size, 0);
});

test('no rows give no results, whatever becomes of sums', async () => {
  const scaled = catboost(generator(3), { trees: 3 }).json;
  for (const [source, options] of [[json], [json, { missing: -1 }], [ofObjective('multi:softmax', 3)], [ofObjective('multi:softprob', 3)], [scaled], [scaled, { missing: -1 }]]) {
    const forest = await load(source, options);
    for (const rows of [new Float32Array(0), new Float64Array(0), []]) assert.equal(forest.predict(rows).size, 0);
  }
});

test('rows that do not fit are refused', async () => {
  const forest = await load(json);
  await refuses(() => forest.predict(new Float32Array(4)), 'ERR_SHAPE', /expected rows of 3 features, got 4 numbers/);
  await refuses(() => forest.predict([[1, 2]]), 'ERR_SHAPE', /row 0 has 2 numbers, expected 3/);
  await refuses(() => forest.predict([[1, 2, 'x']]), 'ERR_ARGUMENT', /a number or null for feature 2 of row 0, got "x"/);
  await refuses(() => forest.predict([1, 2, 3].map(String)), 'ERR_ARGUMENT', /expected a number or null/);
  await refuses(() => forest.predict(tensor([[1, 2]])), 'ERR_SHAPE', /expected a tensor \[rows, 3\] or \[3\], got \[1, 2\]/);
  await refuses(() => forest.predict({ f0: [1] }), 'ERR_ARGUMENT', /column 'f1' is missing/);
  await refuses(() => forest.predict({ f0: [1], f1: [1, 2], f2: [3] }), 'ERR_SHAPE', /column 'f1' has 2 rows, 'f0' has 1/);
  await refuses(() => forest.predict(5), 'ERR_ARGUMENT', /expected a tensor, a typed array/);
  const detached = new Float32Array(3);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  await refuses(() => forest.predict(detached), 'ERR_STATE', /detached/);
  await refuses(() => forest.predict([[1, 2, 3]], { output: 'odds' }), 'ERR_ARGUMENT', /expected one of 'prediction'/);
  await refuses(() => forest.predict([[1, 2, 3]], { iterations: 7 }), 'ERR_ARGUMENT', /iteration 7 of 6/);
  await refuses(() => forest.predict([[1, 2, 3]], { output: 'class' }), 'ERR_UNSUPPORTED', /gives no class: its task is regression/);
});

test('what objectives make of sums', async () => {
  const x = rowsOf(generator(3), 20, 3);
  const sigmoid = (/** @type {number} */ v) => 1 / (1 + Math.exp(-v));
  /** @type {[string, (sum: number) => number][]} */
  const cases = [
    ['binary:logistic', sigmoid], ['reg:logistic', sigmoid], ['binary:logitraw', (v) => v], ['binary:hinge', (v) => Number(v > 0)],
    ['count:poisson', Math.exp], ['reg:gamma', Math.exp], ['reg:tweedie', Math.exp], ['rank:ndcg', (v) => v], ['reg:squaredlogerror', (v) => v],
  ];
  for (const [name, apply] of cases) {
    const forest = await load(ofObjective(name));
    const sums = forest.predict(x, { output: 'margin' }).data;
    forest.predict(x).data.forEach((/** @type {number} */ each, /** @type {number} */ i) => assert.ok(Math.abs(each - apply(sums[i])) <= 3e-7 * Math.max(1, each), `${name}: ${each}`));
    // The base score 0.5 is a prediction; of binary:logitraw that is a sum.
    const flat = ofObjective(name);
    flat.learner.gradient_booster.model.trees.forEach((/** @type {any} */ tree) => tree.split_conditions.fill(0));
    const [base] = (await load(flat)).predict([0, 0, 0]).data;
    assert.ok(Math.abs(base - (name === 'binary:hinge' ? 1 : 0.5)) < 1e-7, `${name}: ${base}`);
  }
});

test('classes and probabilities', async () => {
  const x = rowsOf(generator(4), 30, 3);
  const two = await load(ofObjective('binary:logitraw'));
  const chance = two.predict(x, { output: 'probability' }).data;
  assert.deepEqual([...two.predict(x, { output: 'class' }).data], [...chance].map((each) => Number(each > 0.5)));
  const three = await load(ofObjective('multi:softprob', 3));
  const all = three.predict(x);
  assert.deepEqual(all.shape, [30, 3]);
  const rows = all.toArray();
  for (const row of rows) assert.ok(Math.abs(row[0] + row[1] + row[2] - 1) < 1e-6);
  const classes = three.predict(x, { output: 'class' });
  assert.equal(classes.dtype, 'i32');
  assert.deepEqual([...classes.data], rows.map((/** @type {number[]} */ row) => row.indexOf(Math.max(...row))));
  assert.deepEqual([...(await load(ofObjective('multi:softmax', 3))).predict(x).data], [...classes.data]);
  await refuses(async () => (await load(ofObjective('binary:hinge'))).predict(x, { output: 'probability' }), 'ERR_UNSUPPORTED', /gives classes and no probabilities/);
});

test('objectives of LightGBM', async () => {
  const x = rowsOf(generator(5), 20, 5);
  const sigmoid = (/** @type {number} */ v) => 1 / (1 + Math.exp(-v));
  /** @type {[string, (sum: number) => number][]} */
  const cases = [
    ['binary sigmoid:2', (v) => sigmoid(2 * v)], ['regression sqrt', (v) => Math.sign(v) * v * v], ['poisson', Math.exp], ['cross_entropy', sigmoid],
    ['cross_entropy_lambda', (v) => Math.log1p(Math.exp(v))], ['lambdarank', (v) => v], ['custom', (v) => v], ['', (v) => v],
  ];
  for (const [objective, apply] of cases) {
    const model = lightgbm(generator(6), { objective });
    const forest = await load(Buffer.from(model.text));
    const sums = model.margin(x);
    forest.predict(x).data.forEach((/** @type {number} */ each, /** @type {number} */ i) => assert.ok(Math.abs(each - apply(sums[i])) <= 1e-14, objective));
  }
});

test('iterations of boosting', async () => {
  const model = xgboost(generator(7), { groups: 2, trees: 12, features: 3 });
  const forest = await load(model.json);
  const x = rowsOf(generator(8), 10, 3);
  assert.equal(forest.iterations, 6);
  for (let end = 0; end <= 6; end++)
    assert.deepEqual([...forest.predict(x, { output: 'margin', iterations: end }).data], [...model.margin(x, end)]);
  const [all, first, rest] = [6, 2, [2, 6]].map((iterations) => forest.predict(x, { output: 'margin', iterations }).data);
  rest.forEach((/** @type {number} */ each, /** @type {number} */ i) => assert.ok(Math.abs(each + first[i] - 0.5 - all[i]) < 1e-6));
});

test('leaves of some iterations are those of their trees', async () => {
  const forest = await load(xgboost(generator(7), { groups: 2, trees: 12, features: 3 }).json);
  const x = rowsOf(generator(8), 10, 3);
  const all = forest.predict(x, { output: 'leaf' }).toArray();
  for (const [begin, end] of [[0, 6], [0, 2], [1, 3], [2, 2], [5, 6]]) {
    const { shape, data } = forest.predict(x, { output: 'leaf', iterations: [begin, end] });
    assert.deepEqual(shape, [10, 2 * (end - begin)]);
    assert.deepEqual([...data], all.flatMap((/** @type {number[]} */ row) => row.slice(2 * begin, 2 * end)));
  }
});

test('off this thread, and stopped', async () => {
  const forest = await load(json, { threads: 2 });
  const x = Float32Array.from(rowsOf(generator(9), 500, 3));
  const runs = await Promise.all([0, 1, 2].map(() => forest.predictAsync(x, { output: 'margin' })));
  for (const { data } of runs) assert.deepEqual([...data], [...margin(x)]);
  const leaves = await forest.predictAsync(x, { output: 'leaf' });
  assert.deepEqual([...leaves.data], [...forest.predict(x, { output: 'leaf' }).data]);
  const resizable = new Float32Array(new /** @type {any} */ (ArrayBuffer)(12 * 100, { maxByteLength: 4000 })).fill(0.25);
  const run = forest.predictAsync(resizable, { output: 'margin' });
  /** @type {any} */ (resizable.buffer).resize(0);
  assert.deepEqual([...(await run).data], [...margin(new Float32Array(300).fill(0.25))]);
  await assert.rejects(forest.predictAsync(x, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  await refuses(() => forest.predictAsync(x, { signal: 1 }), 'ERR_ARGUMENT', /an AbortSignal/);
});

test('a number that stands for missing values', async () => {
  const random = generator(30);
  for (const { json: own } of [xgboost(random, { trees: 20 }), catboost(random, { trees: 9 })]) {
    const x = rowsOf(random, 40, 5).map((/** @type {number} */ each) => (Number.isNaN(each) ? -999.1 : each));
    const wanted = (await load(own)).predict(x.map((/** @type {number} */ each) => (each === -999.1 ? NaN : each))).data;
    const told = await load(own, { missing: -999.1 });
    const forest = await load(jsonBytes(own));
    for (const rows of [x, Float32Array.from(x), tensor([...x]).reshape([40, 5])]) {
      assert.deepEqual(told.predict(rows).data, wanted);
      assert.deepEqual(forest.predict(rows, { missing: -999.1 }).data, wanted);
      assert.deepEqual((await told.predictAsync(rows)).data, wanted);
      assert.deepEqual(told.predict(rows, { missing: NaN }).data, forest.predict(rows).data);
    }
    for (const name of /** @type {const} */ (['leaf', 'contributions']))
      assert.deepEqual(told.predict(x.subarray(0, 5), { output: name }).data, forest.predict(x.subarray(0, 5), { output: name, missing: -999.1 }).data);
    const one = Float32Array.from(x.subarray(0, 5));
    assert.deepEqual(told.predict(one).data, told.predict([...one]).data);
  }
  const forest = await load(xgboost(random).json);
  await refuses(() => forest.predict([1, 2, 3, 4, 5], { missing: 'NA' }), 'ERR_ARGUMENT', /expected a number for option 'missing', got "NA"/);
  await assert.rejects(async () => load(path.join(__dirname, '..', '..', 'examples', 'models', 'penguins.onnx'), { missing: 0 }), (error) => isGraphError(error, 'ERR_ARGUMENT', /option 'missing' is for forests/));
});

test('explain() says how a forest is laid out, and what a row takes', async () => {
  /** @type {[any, string, number, number][]} */
  const cases = [
    [{ leaves: 5, trees: 7 }, 'compared', 7, 0], [{ leaves: 90, trees: 3, isChain: true }, 'followed', 0, 3],
    [{ leaves: (/** @type {number} */ i) => [4, 200][i % 2], trees: 6 }, 'compared and followed', 3, 3], [{ trees: 0 }, 'compared', 0, 0],
  ];
  for (const [shape, layout, compared, followed] of cases) {
    const model = xgboost(generator(31), shape).json;
    const found = (await load(model, { threads: 2 })).explain();
    assert.deepEqual([found.layout, found.compared.trees, found.followed.trees], [layout, compared, followed]);
    const nodes = model.learner.gradient_booster.model.trees.reduce((/** @type {number} */ sum, /** @type {any} */ tree) => sum + tree.left_children.length, 0);
    assert.deepEqual([found.nodes, found.threads], [nodes, 2]);
    assert.ok(found.reason.length > 10 && found.single.length > 10 && found.block >= 64);
    const { table, thresholds, nodes: inNodes, compared: inCompared, code, work } = found.bytes;
    assert.ok(thresholds + inNodes + inCompared < table && code > 0 && work > 0, JSON.stringify(found.bytes));
    assert.ok(found.nanoseconds !== null && found.nanoseconds.row > 0 && found.nanoseconds.batch > 0);
  }
  const model = catboost(generator(32), { features: 3 }).json;
  const { thresholds } = (await load(model)).explain();
  const asked = model.oblivious_trees.flatMap((/** @type {any} */ { splits }) => splits.map((/** @type {any} */ each) => `${each.float_feature_index} ${each.border}`));
  assert.equal(thresholds, new Set(asked).size);
});
