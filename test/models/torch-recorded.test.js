// Files that PyTorch 1.13 wrote, traced, scripted and saved, against what it gave for them: torch-models.py made them.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { describe, it } = require('node:test');
const { GraphError, ScriptModule, load } = require('graphjit');
const { compare, compareAll, leaves } = require('../support/torch-results.js');

const folder = path.join(__dirname, 'torch-recorded');
const names = fs.readdirSync(folder).filter((file) => file.endsWith('.pt')).map((file) => file.slice(0, -3));
const models = names.filter((name) => name !== 'checkpoint');
const fileOf = (/** @type {string} */ name) => path.join(folder, `${name}.pt`);

describe('recorded files of PyTorch', () => {
  for (const name of models) {
    it(`give what PyTorch gave: ${name}`, async () => {
      compareAll(await load(fileOf(name), { cache: false, compile: false }), load(path.join(folder, `${name}.npz`)));
    });
  }

  it('give tensors, and what lies beside them', async () => {
    const found = await load(fileOf('checkpoint'));
    const { epoch, rate, name, nothing, size } = found;
    assert.deepEqual({ epoch, rate, name, nothing, size }, { epoch: 3, rate: 1e-3, name: 'a', nothing: null, size: [1, 2] });
    assert.deepEqual(found.types.map((/** @type {any} */ each) => each.dtype), ['f16', 'bf16', 'f64', 'i8', 'bool', 'i64']);
    assert.equal(found.model['1.num_batches_tracked'].item(), 1n);
    const recorded = Object.entries(load(path.join(folder, 'checkpoint.npz')));
    const own = leaves({ ...found, size: null }).filter(({ shape, dtype }) => shape.length > 0 && dtype !== 'bf16');
    const wanted = recorded.map(([, each]) => each);
    wanted.splice(wanted.findIndex(({ dtype }) => dtype === 'f16') + 1, 1); // halves that NumPy has not
    assert.equal(own.length, wanted.length);
    own.forEach((each, i) => compare(each, wanted[i], recorded[i][0]));
  });

  it('end in an error or a result when bytes are changed', async () => {
    const files = names.map((name) => fs.readFileSync(fileOf(name))).filter(({ length }) => length < 6000);
    let seed = 11;
    const random = (/** @type {number} */ below) => (seed = (seed * 48271) % 2147483647) % below;
    for (let round = 0; round < 300; round++) {
      const bytes = Uint8Array.from(files[round % files.length]);
      for (let left = 1 + (round % 4); left > 0; left--) bytes[random(bytes.length)] = random(256);
      const end = round % 10 === 0 ? random(bytes.length) : bytes.length;
      try {
        await load(bytes.subarray(0, end), { cache: false, compile: false, format: 'torch' });
        new ScriptModule(bytes).dispose();
      } catch (error) {
        assert.ok(error instanceof GraphError, String(error));
      }
    }
  });
});
