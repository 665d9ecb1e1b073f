// Training steps as one program: they learn, run in the memory of two steps, and give the same with donated arguments.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { adam, clipByGlobalNorm, initializers, jit, random, sgd, tensor, zeros } = require('graphjit');
const { valueAndGrad } = require('../../lib/transform/index.js');

const HIDDEN = 256;
const dtype = 'f32';

const initial = (hidden = HIDDEN) => {
  const [a, b] = random.split(random.key(1));
  return {
    layers: [
      { w: initializers.heNormal(a, [2, hidden], { dtype }), b: zeros([hidden], { dtype }) },
      { w: initializers.glorotNormal(b, [hidden, 2], { dtype }), b: zeros([2], { dtype }) },
    ],
  };
};
const network = ({ layers: [first, last] }, x) => x.matmul(first.w).add(first.b).relu().matmul(last.w).add(last.b);
const loss = (params, x, y) => network(params, x).crossEntropyLoss(y);

/** Whether points lie in a ring. */
function ring(count = 512) {
  const x = random.normal([count, 2], { key: random.key(5), dtype });
  const distances = x.square().sum({ axis: 1 }).toArray();
  return { x, y: tensor(Int32Array.from(distances, (each) => (each > 0.5 && each < 2.5 ? 1 : 0))) };
}

function stepOf(optimiser, options) {
  return jit((params, state, x, y) => {
    const [value, grads] = valueAndGrad(loss)(params, x, y);
    return [...optimiser.update(clipByGlobalNorm(grads, 1), state, params), value];
  }, options);
}

const weights = (params) => params.layers.flatMap(({ w, b }) => [...w.toArray().flat(), ...b.toArray()]);

test('a network learns to tell a ring from what is around', () => {
  const { x, y } = ring();
  const optimiser = adam({ learningRate: 0.01 });
  const step = stepOf(optimiser);
  let params = initial();
  let state = optimiser.init(params);
  let value;
  for (let i = 0; i < 200; i++) [params, state, value] = step(params, state, x, y);
  assert.ok(value.item() < 0.1, String(value.item()));
  const right = jit((own) => network(own, x).argmax({ axis: 1 }).convert('i32').eq(y).convert('f64').mean())(params).item();
  assert.ok(right > 0.97, String(right));
  assert.equal(step.cacheSize, 1);
});

test('donated arguments are disposed of and change no results', () => {
  const { x, y } = ring(64);
  for (const optimiser of [adam(), sgd({ learningRate: 0.1, momentum: 0.9 })]) {
    const [plain, donating] = [stepOf(optimiser), stepOf(optimiser, { donate: ['params', 'state'] })];
    let kept = [initial(), optimiser.init(initial())];
    let given = [initial(), optimiser.init(initial())];
    for (let i = 0; i < 5; i++) {
      const before = given;
      kept = plain(...kept, x, y).slice(0, 2);
      given = donating(...given, x, y).slice(0, 2);
      assert.throws(() => before[0].layers[0].w.toArray(), /disposed/);
    }
    assert.deepEqual(weights(given[0]), weights(kept[0]));
    assert.equal(given[1].step.item(), 5);
  }
});

test('a thousand steps run in the memory of two', () => {
  const { x, y } = ring(4);
  const optimiser = adam();
  const step = stepOf(optimiser, { donate: ['params', 'state'] });
  let params = initial(8192);
  let state = optimiser.init(params);
  const bytes = 3 * 4 * 5 * 8192; // of parameters and state
  const used = () => process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 20; i++) [params, state] = step(params, state, x, y);
  const before = used();
  let most = before;
  for (let i = 0; i < 1000; i++) {
    [params, state] = step(params, state, x, y);
    most = Math.max(most, used());
  }
  // What is few bytes, such as the loss, is made anew and collected at some time.
  assert.ok(most - before < 4 * bytes, `${most - before} bytes beyond ${before} for steps of ${bytes}`);
  assert.equal(state.step.item(), 1020);
});
