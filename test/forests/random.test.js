'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { load } = require('graphjit');
const { below, catboost, generator, jsonBytes, lightgbm, rowsOf, ubjson, xgboost } = require('./models.js');

/** Around the rows that are taken together. */
const ROWS = [0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 130, 521];

/** Trees that are compared as a whole, followed, and both in one forest. @type {Record<string, any>} */
const SHAPES = {
  stumps: { leaves: 2, trees: 17 },
  shallow: { leaves: 6, trees: 30 },
  deep: { leaves: 60, trees: 9, isChain: true },
  mixed: { leaves: (/** @type {number} */ i) => [1, 3, 200, 8, 8, 8, 8, 8, 40][i % 9], trees: 30 },
  'many thresholds': { leaves: 50, trees: 60, features: 2 },
  'many thresholds of shallow trees': { leaves: 7, trees: 400, features: 2 },
};

/** @type {(got: ArrayLike<number>, wanted: ArrayLike<number>, what: string) => void} the same bits, any NaN */
function equal(got, wanted, what) {
  assert.equal(got.length, wanted.length, what);
  for (let i = 0; i < wanted.length; i++) if (!Object.is(got[i], wanted[i])) assert.fail(`${what}: ${i}: ${got[i]}, expected ${wanted[i]}`);
}

/** All numbers of rows, as f32 and f64, on one thread and two. @type {(source: any, model: any, features: number, random: () => number, more?: number[]) => Promise<void>} */
async function check(source, model, features, random, more) {
  for (const threads of [1, 2]) {
    const forest = await load(source, { threads });
    for (const rows of ROWS) {
      const x = rowsOf(random, rows, features, more);
      for (const given of [x, Float32Array.from(x)]) {
        const what = `${forest}, ${rows} rows of ${given.constructor.name}`;
        equal(forest.predict(given, { output: 'margin' }).data, model.margin(given), what);
        if (model.leaf !== undefined) equal(forest.predict(given, { output: 'leaf' }).data, model.leaf(given), `leaves of ${what}`);
      }
    }
  }
}

describe('XGBoost', () => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    for (const categories of [false, true]) {
      test(`${name}${categories ? ' with categories' : ''}`, async () => {
        const random = generator(name.length + Number(categories));
        const model = xgboost(random, { ...shape, categories });
        await check(model.json, model, shape.features ?? 5, random);
      });
    }
  }

  test('several outputs, DART, base scores', async () => {
    const random = generator(3);
    for (const options of [{ groups: 3, trees: 12 }, { dart: true }, { base: '-1.5E0' }, { trees: 0 }]) {
      const model = xgboost(random, options);
      await check(model.json, model, 5, random);
    }
  });

  test('more thresholds than a code tells apart', async () => {
    const random = generator(6);
    const model = xgboost(random, { features: 1, leaves: 140001, trees: 1 });
    const forest = await load(model.json);
    const x = rowsOf(random, 300, 1);
    equal(forest.predict(x).data, model.margin(x), 'blocks');
    equal(forest.predict(x.subarray(0, 3)).data, model.margin(x.subarray(0, 3)), 'rows');
  });

  test('one row through shallow trees of each depth, by few codes and many', async () => {
    const random = generator(8);
    for (let leaves = 2; leaves < 13; leaves++) {
      for (const features of [1, 31, 70, 130, 300]) {
        const model = xgboost(random, { features, leaves, trees: 1 + below(random, 150), groups: 1 + below(random, 3) });
        const forest = await load(model.json);
        const x = Float32Array.from(rowsOf(random, 3, features));
        for (let row = 0; row < 3; row++) {
          const own = x.slice(row * features, (row + 1) * features);
          const two = new Float32Array([...own, ...own]);
          const block = new Float32Array(64 * features).map((_, i) => own[i % features]);
          const margin = (/** @type {Float32Array} */ of, /** @type {number} */ end) =>
            forest.predict(of, { output: 'margin', iterations: end }).data.slice(0, forest.outputs);
          const begin = below(random, forest.iterations + 1);
          equal(margin(own, forest.iterations), model.margin(own), `${forest}, ${leaves} leaves`);
          equal(margin(two, begin), margin(block, begin), `${forest}, up to iteration ${begin}`);
          equal(forest.predict(own).data, forest.predict(two).data.slice(0, forest.outputs), `predictions of ${forest}`);
          const rest = { output: 'margin', iterations: [begin, forest.iterations] };
          equal(forest.predict(own, rest).data, forest.predict(block, rest).data.slice(0, forest.outputs), 'from an iteration on');
        }
      }
    }
  });

  test('UBJSON is the same model', async () => {
    const random = generator(4);
    const model = xgboost(random, { trees: 12, categories: true });
    await check(ubjson(model.json), model, 5, random);
  });

  test('base scores are arrays in new versions', async () => {
    const { json } = xgboost(generator(5), { groups: 3, trees: 3 });
    json.learner.learner_model_param.base_score = '[1E0,2E0,3E0]';
    json.learner.gradient_booster.model.trees.forEach((/** @type {any} */ tree) => tree.split_conditions.fill(0));
    const forest = await load(json);
    assert.deepEqual([...forest.predict([[1, 2, 3, 4, 5]], { output: 'margin' }).data], [1, 2, 3]);
  });
});

describe('LightGBM', () => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    for (const categories of [false, true]) {
      test(`${name}${categories ? ' with categories' : ''}, as text and JSON`, async () => {
        const random = generator(10 + name.length + Number(categories));
        const model = lightgbm(random, { ...shape, categories });
        await check(Buffer.from(model.text), model, shape.features ?? 5, random);
        const json = await load(jsonBytes(model.json));
        const x = rowsOf(random, 70, json.features);
        equal(json.predict(x).data, model.margin(x), 'JSON');
      });
    }
  }

  test('several outputs, averages, linear leaves', async () => {
    const random = generator(12);
    for (const options of [{ groups: 3, trees: 12, objective: 'multiclass num_class:3' }, { average: true }, { linear: true }, { linear: true, groups: 2 }]) {
      const model = lightgbm(random, options);
      await check(Buffer.from(model.text), model, 5, random);
      const json = await load(model.json);
      const x = rowsOf(random, 20, 5);
      equal(json.predict(x, { output: 'margin' }).data, model.margin(x), 'JSON');
    }
  });
});

describe('CatBoost', () => {
  test('depths, outputs, scale and bias, treatments of NaN', async () => {
    const random = generator(20);
    for (const options of [{}, { depth: 0 }, { depth: 8 }, { groups: 3, loss: 'MultiClass' }, { scale: 0.5, bias: 2 }, { features: 1 + below(random, 9) }]) {
      const model = catboost(random, options);
      const borders = model.json.features_info.float_features.flatMap((/** @type {any} */ each) => each.borders);
      await check(model.json, model, options.features ?? 5, random, borders);
    }
  });

  test('trees that are not oblivious', async () => {
    const { json } = catboost(generator(21), { features: 2 });
    delete json.oblivious_trees;
    const split = (/** @type {number} */ border, /** @type {number} */ feature) => ({ border, float_feature_index: feature, split_type: 'FloatFeature' });
    json.trees = [{ split: split(1, 0), left: { value: 1, weight: 2 }, right: { split: split(2, 1), left: { value: 2 }, right: { value: 4 } } }];
    const forest = await load(json);
    assert.deepEqual([...forest.predict([[1, 9], [2, 2], [2, 3]]).data], [1, 2, 4]);
  });
});
