// Layers of ONNX with symbolic sizes, compared with what ONNX Runtime gave for them, and with formulas where it has none.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { readOnnx } = require('../../lib/models/onnx/index.js');
const { createModel } = require('../../lib/models/model.js');
const { cases } = require('./neural-cases.js');
const { modelOf } = require('./neural-models.js');
const recorded = /** @type {Record<string, { shape: number[], data: number[] }[]>} */ (require('./neural-results.json'));

/** @type {(bytes: Uint8Array) => any} */
const open = (bytes) =>
  createModel(readOnnx(bytes, { caller: 'load', file: 'test', folder: '.', ops: {} }), { sizes: {}, compile: { cache: false, optLevel: 1 } });

/** @type {(got: any, want: { shape: readonly number[], data: readonly number[] }, title: string, within?: number) => void} */
function assertNear(got, want, title, within = 2e-5) {
  assert.deepEqual([...got.shape], [...want.shape], `${title}: shape`);
  const data = Array.from(got.copy().data, Number);
  const at = data.findIndex((each, i) => !(Math.abs(each - want.data[i]) <= within * Math.max(1, Math.abs(want.data[i]))));
  assert.ok(at < 0, `${title}: element ${at} is ${data[at]}, expected ${want.data[at]}`);
}

for (const [name, each] of Object.entries(cases)) {
  test(`as ONNX Runtime: ${name}`, () => {
    const { bytes, feeds, outputs } = modelOf(each);
    const model = open(bytes);
    try {
      for (const way of /** @type {const} */ (['run', 'eval'])) {
        const results = model[way](feeds);
        outputs.forEach((key, i) => assertNear(results[key], recorded[name][i], `${key}, ${way}`));
      }
    } finally {
      model.dispose();
    }
  });
}
