/**
 * Derivatives in WebAssembly: in 'strict' the bits of native code, in all variants.
 */
'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');
const { Graph, gradients } = require('graphjit');
const { variants } = require('../support/oracles.js');

const bytesOf = (/** @type {any} */ array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);

/** @type {Record<string, (x: any, w: any) => any>} of x[n, 6] and w[6, 4] */
const losses = {
  'a dense layer and softmax': (x, w) => x.matmul(w).tanh().logSoftmax().square().mean(),
  'norms and roots': (x, w) => x.square().sum({ axis: 1 }).add(1).sqrt().sum().mul(w.exp().mean()),
  'greatest values': (x, w) => x.max({ axis: 0 }).sum().add(w.relu().min({ axis: 1 }).sum()),
  'elementary functions': (x, w) => x.sin().mul(x.atan()).sum().add(w.erf().add(w.sigmoid().log()).sum()),
  'movement': (x, w) => x.transpose().reshape([-1]).slice([1, null, 2]).square().sum().add(w.pad([[1, 2], [0, 1]]).square().sum()),
};

for (const [name, loss] of Object.entries(losses)) {
  test(`gradients of ${name} are the same in WebAssembly`, async () => {
    const { load } = await import('graphjit/web');
    const g = new Graph('loss');
    const [x, w] = [g.input('x', 'f32', ['n', 6]), g.input('w', 'f32', [6, 4])];
    const y = loss(x, w);
    g.output('y', y);
    gradients(y, [x, w]).forEach((each, i) => g.output(`d${i}`, each));
    const native = g.compile({ numerics: 'strict' });
    for (const variant of variants) {
      const instance = await load(g.toWasm({ optimize: false, variants: [variant] }).bytes);
      for (const rows of [1, 2, 7, 33]) {
        const inputs = {
          x: Float32Array.from({ length: 6 * rows }, (_, i) => ((i * 7919) % 211) / 100 - 1),
          w: Float32Array.from({ length: 24 }, (_, i) => ((i * 104729) % 199) / 100 - 1),
        };
        const shaped = /** @type {any} */ ({ x: { data: inputs.x, shape: [rows, 6] }, w: { data: inputs.w, shape: [6, 4] } });
        const [here, there] = [native.run(toTensors(shaped)), instance.run(shaped)];
        for (const output of Object.keys(here)) {
          assert.ok(bytesOf(here[output].data).equals(bytesOf(there[output].data)), `${output}, ${rows} rows, ${variant}`);
        }
      }
    }
  });
}

/** @type {(arrays: Record<string, { data: Float32Array, shape: number[] }>) => any} */
function toTensors(arrays) {
  const { tensor } = require('graphjit');
  return Object.fromEntries(Object.entries(arrays).map(([name, { data, shape }]) => [name, tensor(data).reshape(shape)]));
}
