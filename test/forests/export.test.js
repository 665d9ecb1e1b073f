'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { load } = require('graphjit');
const { isGraphError } = require('../support/errors.js');
const { inFolder, run } = require('../support/object.js');
const { catboost, generator, lightgbm, rowsOf, xgboost } = require('./models.js');

/** Forests of all kinds of trees, sums and transforms. @returns {Promise<any[]>} */
async function forests() {
  const random = generator(1);
  const two = xgboost(random, { categories: true, leaves: 40 }).json;
  two.learner.objective.name = 'binary:logistic';
  const average = { average: true, trees: 6, objective: 'binary sigmoid:2' };
  const sources = [
    two, Buffer.from(lightgbm(random, { ...average, leaves: (/** @type {number} */ i) => 3 + 20 * (i % 2) }).text),
    catboost(random, { groups: 2, scale: 0.5, bias: 2, loss: 'MultiClass' }).json,
  ];
  return Promise.all(sources.map((source) => load(source)));
}

/** @type {(got: ArrayLike<number>, wanted: ArrayLike<number>, tolerance: number, what: string) => void} */
function near(got, wanted, tolerance, what) {
  assert.equal(got.length, wanted.length, what);
  for (let i = 0; i < wanted.length; i++)
    assert.ok(Math.abs(got[i] - wanted[i]) <= tolerance * Math.max(1, Math.abs(wanted[i])), `${what}, ${i}: ${got[i]}, expected ${wanted[i]}`);
}

test('a forest as WebAssembly', async () => {
  const { load: loadModule } = await import('graphjit/web/function');
  for (const [i, forest] of (await forests()).entries()) {
    const x = rowsOf(generator(2), 70, forest.features);
    const { modules, types } = forest.toWasm({ dtype: 'f64', variants: i === 0 ? ['mvp', 'simd'] : ['simd'], optLevel: 1 });
    assert.match(types, /export type Forest = \(\(rows: Float64Array\) => Float(32|64)Array\)/);
    for (const bytes of Object.values(modules)) {
      const predict = await loadModule(bytes);
      for (const rows of [0, 1, 70]) near(predict(x.subarray(0, rows * forest.features)), forest.predict(x.subarray(0, rows * forest.features)).data, 3e-7, String(forest));
      assert.throws(() => predict(x.subarray(1)), { name: 'RangeError', message: `forest: expected rows of ${forest.features} features` });
      assert.throws(() => predict(Float32Array.from(x)), /expected Float64Array for argument 1/);
    }
    if (i > 0) continue;
    const margin = await loadModule(forest.toWasm({ output: 'margin', optLevel: 1 }).bytes);
    const single = Float32Array.from(x);
    near(margin(single), forest.predict(single, { output: 'margin' }).data, 0, String(forest));
  }
});

test('a forest as an object for C', async () => {
  const all = (await forests()).slice(0, 2);
  inFolder((folder) => {
    const x = all.map((forest) => Float32Array.from(rowsOf(generator(3), 40, forest.features)));
    const calls = all.map((forest, i) => {
      const symbol = `forest_${i}`;
      fs.writeFileSync(path.join(folder, `${symbol}.o`), forest.toObject({ symbol, output: 'margin', optLevel: 1 }));
      fs.writeFileSync(path.join(folder, `${symbol}.h`), forest.toHeader({ symbol, output: 'margin' }));
      const type = forest.source === 'xgboost' ? 'float' : 'double';
      return `{ static _Alignas(64) unsigned char work[${symbol}_work]; static float x[40 * ${symbol}_features]; static ${type} out[40 * ${symbol}_outputs];
        if (fread(x, sizeof *x, 40 * ${symbol}_features, stdin) != 40 * ${symbol}_features || ${symbol}(x, 40, out, work) != 0) return 1;
        for (int i = 0; i < 40 * ${symbol}_outputs; i++) printf("%.17g\\n", out[i]); }`;
    });
    const includes = all.map((_, i) => `#include "forest_${i}.h"\n`).join('');
    fs.writeFileSync(path.join(folder, 'main.c'), `#include <stdio.h>\n${includes}int main(void) {\n${calls.join('\n')}\nreturn 0; }\n`);
    const objects = all.map((_, i) => path.join(folder, `forest_${i}.o`));
    run('cc', ['-std=c11', '-Wall', '-Wextra', '-Werror', path.join(folder, 'main.c'), ...objects, '-o', path.join(folder, 'main')]);
    const input = Buffer.concat(x.map(({ buffer }) => Buffer.from(buffer)));
    const printed = String(run(path.join(folder, 'main'), [], input)).trim().split('\n').map(Number);
    const wanted = all.flatMap((forest, i) => [...forest.predict(x[i], { output: 'margin' }).data]);
    near(printed, wanted, 0, 'in C');
  });
});

test('other processors, and what is not exported', async () => {
  const [forest] = await forests();
  assert.match(String(forest.toObject({ target: 'aarch64-unknown-linux-gnu', emit: 'assembly', optLevel: 1 })), /forest/);
  const linear = await load(Buffer.from(lightgbm(generator(4), { linear: true }).text));
  assert.throws(() => linear.toWasm(), (error) => isGraphError(error, 'ERR_UNSUPPORTED', /linear leaves is not exported/));
  const classes = xgboost(generator(5), { groups: 3 }).json;
  classes.learner.objective.name = 'multi:softmax';
  const softmax = await load(classes);
  assert.throws(() => softmax.toHeader(), (error) => isGraphError(error, 'ERR_UNSUPPORTED', /predicts classes: export \{ output: 'margin' \}/));
  assert.throws(() => forest.toWasm({ output: 'leaf' }), (error) => isGraphError(error, 'ERR_ARGUMENT', /expected one of 'prediction', 'margin'/));
});
