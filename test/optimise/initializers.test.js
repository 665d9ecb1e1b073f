// Initialisers: dtypes, shapes, deviations and bounds by their fans, reproducible by key, also in graphs.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { initializers, jit, random } = require('graphjit');
const { throwsGraphError: refuses } = require('../support/errors.js');

const key = random.key(7);
const deviation = (x) => x.astype('f64').std().item();

test('constants need no key', () => {
  assert.deepEqual(initializers.zeros(null, [2, 2]).toArray(), [[0, 0], [0, 0]]);
  assert.deepEqual(initializers.ones(null, [2], { dtype: 'bf16' }).toArray(), [1, 1]);
  assert.deepEqual(initializers.constant(null, [3], { value: 2.5, dtype: 'f32' }).toArray(), [2.5, 2.5, 2.5]);
  assert.deepEqual(initializers.zeros(null, []).shape, []);
});

/** Name, shape, options, deviation. */
const fans = [
  ['glorotNormal', [200, 300], {}, Math.sqrt(2 / 500)],
  ['glorotUniform', [200, 300], {}, Math.sqrt(2 / 500)],
  ['heNormal', [200, 300], {}, Math.sqrt(2 / 200)],
  ['heUniform', [200, 300], { inAxis: 1, outAxis: 0 }, Math.sqrt(2 / 300)],
  ['heNormal', [64, 32, 3, 3], {}, Math.sqrt(2 / (32 * 9))],
  ['lecunNormal', [64, 32, 5], {}, Math.sqrt(1 / (32 * 5))],
  ['lecunUniform', [100, 5, 32], { inAxis: -1, outAxis: 0 }, Math.sqrt(1 / (32 * 5))],
  ['glorotUniform', [60, 40, 3, 3], {}, Math.sqrt(2 / (100 * 9))],
  ['normal', [20000], { std: 0.3 }, 0.3],
  ['truncatedNormal', [20000], { std: 0.3 }, 0.3],
  ['uniform', [20000], { low: -1, high: 1 }, Math.sqrt(1 / 3)],
];

for (const [name, shape, options, want] of fans) {
  for (const dtype of ['f64', 'f32']) {
    test(`${name} of [${shape}] in ${dtype} has the deviation of its fan`, () => {
      const made = initializers[name](key, shape, { dtype, ...options });
      assert.equal(made.dtype, dtype);
      assert.deepEqual([...made.shape], shape);
      const got = deviation(made);
      assert.ok(Math.abs(got / want - 1) < 0.03, `${got} for ${want}`);
      assert.ok(Math.abs(made.astype('f64').mean().item()) < 0.03 * want);
      const most = made.abs().max().item();
      if (name.includes('niform')) assert.ok(most <= Math.sqrt(3) * want * 1.0001);
      else if (name !== 'normal') assert.ok(most <= (2 * want) / 0.8796);
    });
  }
}

test('orthogonal ones have orthonormal rows or columns, whichever are fewer', () => {
  for (const shape of [[5, 5], [7, 3], [3, 7], [2, 3, 4], [1, 6], [0, 3]]) {
    const made = initializers.orthogonal(key, shape, { scale: 2 });
    const outputs = shape.length === 2 ? shape[1] : shape[0];
    const matrix = shape.length === 2 ? made : made.reshape([outputs, -1]);
    const few = matrix.shape[0] < matrix.shape[1] ? matrix.matmul(matrix.mT) : matrix.mT.matmul(matrix);
    const want = few.shape[0];
    few.toArray().flat().forEach((value, i) => assert.ok(Math.abs(value - (i % (want + 1) === 0 ? 4 : 0)) < 1e-12));
  }
  refuses(() => initializers.orthogonal(key, [3]), 'ERR_SHAPE', /initializers.orthogonal: expected at least two axes/);
});

test('each has the dtype that it is asked for', () => {
  for (const [name, make] of Object.entries(initializers))
    for (const dtype of ['f64', 'f32', 'f16']) assert.equal(make(key, [4, 3], { dtype }).dtype, dtype, name);
});

test('a key gives the same numbers, also in a graph', () => {
  for (const name of ['orthogonal', 'heNormal', 'glorotUniform', 'normal']) {
    const draw = initializers[name];
    const first = draw(key, [5, 3], { dtype: 'f32' }).toArray();
    assert.deepEqual(draw(key, [5, 3], { dtype: 'f32' }).toArray(), first);
    assert.deepEqual(jit((own) => draw(own, [5, 3], { dtype: 'f32' }))(key).toArray(), first);
    assert.notDeepEqual(draw(random.key(8), [5, 3], { dtype: 'f32' }).toArray(), first);
  }
});

test('shapes without fans and wrong options are told', () => {
  refuses(() => initializers.heNormal(key, [3]), 'ERR_SHAPE', /initializers.heNormal: expected at least two axes for the shape/);
  refuses(() => initializers.heNormal(key, [3, 4], { inAxis: 1 }), 'ERR_SHAPE', /axis 1 cannot be both/);
  refuses(() => initializers.heNormal(key, [3, 4], { inAxis: 2 }), 'ERR_SHAPE', /there is no axis 2 among 2/);
  refuses(() => initializers.heNormal(key, [3, 4], { dtype: 'i32' }), 'ERR_DTYPE', /a float dtype/);
  refuses(() => initializers.normal(key, [3], { std: -1 }), 'ERR_ARGUMENT', /option 'std'/);
  refuses(() => initializers.normal(5, [3]), 'ERR_ARGUMENT', /expected a key/);
  refuses(() => initializers.ones(null, [3], { value: 3 }), 'ERR_ARGUMENT', /unknown option 'value'/);
  assert.deepEqual([...initializers.heNormal(key, [0, 4]).shape], [0, 4]);
});
