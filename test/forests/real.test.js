// Models as the libraries have written them, with what they predict: the same bits where nothing but sums and
// comparisons is asked for, and for transformed sums as near as exp is.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { describe, test } = require('node:test');
const { gunzipSync } = require('node:zlib');
const { load } = require('graphjit');

const folder = path.join(__dirname, 'fixtures');
const read = (/** @type {string} */ name) => gunzipSync(fs.readFileSync(path.join(folder, `${name}.gz`)));
/** @type {(name: string) => number[][]} */
const table = (name) => String(read(name)).trim().split('\n').map((line) => line.trim().split(/\s+/).map(Number));

/** @type {(got: ArrayLike<number>, wanted: ArrayLike<number>, tolerance: number) => void} */
function near(got, wanted, tolerance) {
  assert.equal(got.length, wanted.length);
  for (let i = 0; i < wanted.length; i++) {
    const isNear = Math.abs(got[i] - wanted[i]) <= tolerance * Math.max(1, Math.abs(wanted[i]));
    assert.ok(isNear, `element ${i}: ${got[i]}, expected ${wanted[i]}`);
  }
}

describe('XGBoost', () => {
  const files = fs.readdirSync(folder).flatMap((name) => /^(xgb-.*)\.(?:json|ubj)\.gz$/.exec(name) ?? []).filter((name) => /^xgb-[^.]*$/.test(name));
  for (const name of files) {
    test(name, async () => {
      const isBinary = fs.existsSync(path.join(folder, `${name}.ubj.gz`));
      const forest = await load(read(`${name}.${isBinary ? 'ubj' : 'json'}`));
      const wanted = JSON.parse(String(read(`${name}.expected.json`)));
      const rows = wanted.rows.map((/** @type {any[]} */ row) => Float32Array.from(row, (each) => each ?? NaN));
      near(forest.predict(rows, { output: 'margin' }).data, wanted.margin, 0);
      near(forest.predict(rows, { output: 'leaf' }).data, wanted.leaf, 0);
      near(forest.predict(rows).data, wanted.prediction, 2 ** -23);
      if (wanted.staged !== undefined) {
        near(forest.predict(rows, { output: 'margin', iterations: forest.iterations >> 1 }).data, wanted.staged, 0);
        near(forest.predict(rows, { output: 'contributions' }).data, wanted.contributions, 2e-6); // of f32 there
      }
    });
  }
});

describe('LightGBM', () => {
  test('DART, binary', async () => {
    const forest = await load(read('lg_dart_breast_cancer.model'));
    near(forest.predict(table('breast_cancer_test.tsv')).data, table('lg_dart_breast_cancer_true_predictions.txt').flat(), 2 ** -52);
  });

  test('a random forest of version 2, whose leaves are predictions', async () => {
    const forest = await load(read('lg_rf_iris.model'));
    const rows = table('lg_rf_iris_true_predictions.txt');
    const lines = String(read('iris_test.libsvm')).trim().split('\n');
    const x = lines.map((line) => [0, 1, 2, 3].map((f) => Number(new RegExp(` ${f}:(\\S+)`).exec(line)?.[1] ?? 0)));
    near(forest.predict(x).data, rows.flat(), 0);
  });

  test('13 classes, with categories', async () => {
    const forest = await load(read('lg_kddcup99.model'));
    assert.equal(forest.outputs, 13);
    near(forest.predict(table('kddcup99_test.tsv'), { output: 'margin' }).data, table('lg_kddcup99_true_predictions.txt').flat(), 0);
  });
});
