// Models for tests, loaded from what onnx-writer.js writes, and run in the ways there are.
'use strict';

const assert = require('node:assert/strict');
const { Tensor, load } = require('graphjit');
const { onnxModel } = require('./onnx-writer.js');

/** What results are compared as: tensors and strings as nested arrays, with numbers for bigints. @type {(result: any) => any} */
function plain(result) {
  if (typeof result === 'bigint') return Number(result);
  if (result instanceof Tensor) return plain(result.toArray());
  if (result instanceof Map) return new Map([...result].map(([key, value]) => [key, plain(value)]));
  if (Array.isArray(result)) return result.map(plain);
  if (result && Array.isArray(result.data)) return nested(result.data, result.shape);
  return result;
}

/** @type {(data: readonly any[], shape: readonly number[]) => any} */
function nested(data, [size, ...rest]) {
  if (size === undefined) return data[0];
  const step = rest.reduce((total, each) => total * each, 1);
  return Array.from({ length: size }, (_, i) => nested(data.slice(i * step, (i + 1) * step), rest));
}

/** @type {(got: any, want: any, title: string, within: number) => void} numbers may differ by so much of their size */
function assertClose(got, want, title, within = 1e-5) {
  if (Array.isArray(want)) {
    assert.ok(Array.isArray(got), `${title}: ${got}, expected ${want}`);
    assert.equal(got.length, want.length, `${title}: length`);
    want.forEach((each, i) => assertClose(got[i], each, `${title}[${i}]`, within));
  } else if (typeof want === 'number' && typeof got === 'number' && !Number.isNaN(want))
    assert.ok(got === want || Math.abs(got - want) <= within * Math.max(1, Math.abs(want)), `${title}: ${got}, expected ${want}`);
  else assert.deepEqual(got, want, title);
}

/**
 * Loads a model, and compares what it gives compiled, in the pool and by the reference evaluator.
 *
 * @param {Parameters<typeof onnxModel>[0]} given
 * @param {any} inputs
 * @param {Record<string, any>} want
 * @param {number} [within]
 * @returns {Promise<Record<string, any>>} results as they are
 */
async function assertGives(given, inputs, want, within) {
  const model = await load(Buffer.from(onnxModel(given)), { cache: false, optLevel: 1 });
  try {
    const results = model.run(inputs);
    for (const [way, each] of Object.entries({ run: results, runAsync: await model.runAsync(inputs), eval: model.eval(inputs) })) {
      for (const [name, value] of Object.entries(want)) assertClose(plain(each[name]), plain(value), `${way} ${name}`, within);
    }
    return results;
  } finally {
    model.dispose();
  }
}

module.exports = { assertClose, assertGives, plain };
