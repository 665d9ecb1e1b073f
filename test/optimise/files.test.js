// Trees of tensors in files: parameters and states of optimisers come back as they were.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, test } = require('node:test');
const { adam, load, ones, save, tensor } = require('graphjit');
const { throwsGraphError: refuses } = require('../support/errors.js');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-trees-'));
after(() => fs.rmSync(folder, { recursive: true }));
const at = (name) => path.join(folder, name);

/** Tensors as what they hold. */
const plain = (tree) => JSON.parse(JSON.stringify(tree, (_, value) => (value?.toArray ? [value.dtype, value.toArray()] : value)));

test('parameters and a state of an optimiser come back', () => {
  const params = { layers: [{ w: tensor([[1, 2]], { dtype: 'f32' }), b: tensor([3]) }, { w: ones([2, 2]) }], scale: tensor(4) };
  const optimiser = adam();
  const [next, state] = optimiser.update(params, optimiser.init(params), params);
  for (const file of ['all.safetensors', 'all.npz']) {
    save(at(file), { params: next, state });
    assert.deepEqual(Object.keys(load(at(file))).sort().slice(0, 3), ['params.layers.0.b', 'params.layers.0.w', 'params.layers.1.w']);
    const all = load(at(file), { nested: true });
    assert.deepEqual(plain(all.params).layers, plain(next).layers);
    assert.equal(all.state.step.item(), 1);
    const [again] = optimiser.update(params, all.state, all.params);
    assert.deepEqual(plain(again.layers), plain(optimiser.update(params, state, next)[0].layers));
  }
});

test('arrays of numbers are data, arrays of tensors levels, null nothing', () => {
  save(at('mixed.safetensors'), { data: [[1, 2], [3, 4]], list: [tensor([1]), [5, 6]], none: null, flat: new Float32Array(2) });
  assert.deepEqual(plain(load(at('mixed.safetensors'), { nested: true })), { data: ['f64', [[1, 2], [3, 4]]], list: [['f64', [1]], ['f64', [5, 6]]], flat: ['f32', [0, 0]] });
  save(at('root.npz'), [{ w: tensor([1]) }, { w: tensor([2]) }]);
  assert.deepEqual(plain(load(at('root.npz'), { nested: true })), [{ w: ['f64', [1]] }, { w: ['f64', [2]] }]);
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`l.${11 - i}`, tensor(11 - i)]));
  save(at('many.safetensors'), many);
  assert.deepEqual(load(at('many.safetensors'), { nested: true }).l.map((x) => x.item()), Array.from({ length: 12 }, (_, i) => i));
  save(at('odd.safetensors'), { __proto__: null, 'a.__proto__.x': tensor(1), 'b.1': tensor(2), 'c..d': tensor(3) });
  const odd = load(at('odd.safetensors'), { nested: true });
  assert.equal(Object.hasOwn(odd.a, '__proto__'), true);
  assert.equal({}.x, undefined);
  assert.equal(odd.b[1].item(), 2);
  assert.equal(Array.isArray(odd.b), false);
  assert.equal(odd.c[''].d.item(), 3);
});

test('names that clash are told', () => {
  refuses(() => save(at('x.npz'), { a: { b: tensor(1) }, 'a.b': tensor(2) }), 'ERR_ARGUMENT', /save: two tensors have the name "a.b"/);
  refuses(() => save(at('x.npz'), [1, 2]), 'ERR_ARGUMENT', /an object from names to tensors/);
  const deep = Array.from({ length: 300 }).reduce((tree) => ({ a: tree }), tensor(1));
  refuses(() => save(at('x.npz'), deep), 'ERR_ARGUMENT', /nested more than 200/);
  save(at('clash.npz'), { a: tensor(1), 'a.b': tensor(2), c: tensor(3) });
  assert.deepEqual(Object.keys(load(at('clash.npz'))), ['a', 'a.b', 'c']);
  refuses(() => load(at('clash.npz'), { nested: true }), 'ERR_ARGUMENT', /load: tensor "a.b" does not nest/);
  save(at('deep.npz'), { [new Array(300).fill('a').join('.')]: tensor(1) });
  refuses(() => load(at('deep.npz'), { nested: true }), 'ERR_ARGUMENT', /nested more than 200/);
  save(at('one.npy'), tensor(1));
  refuses(() => load(at('one.npy'), { nested: true }), 'ERR_ARGUMENT', /holds one tensor, without names/);
});
