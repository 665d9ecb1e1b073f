// Optimisers, schedules and clipping: the figures of PyTorch, in graphs and on tensors, and what is told of wrong use.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const {
  adam, adamW, clipByGlobalNorm, clipByNorm, globalNorm, jit, lion, ones, rmsprop, schedules, sgd, tensor, zeros,
} = require('graphjit');
const { throwsGraphError: refuses } = require('../support/errors.js');

/** What torch.optim 1.13 makes of six steps of gradients sin(3 w + t) and cos(2 b - t), t from 0. */
const figures = JSON.parse(fs.readFileSync(path.join(__dirname, 'pytorch.json'), 'utf8'));

/** @type {any} */
const makers = { adam, adamW, lion, rmsprop, sgd };

const start = (dtype = 'f64') => ({
  w: tensor([[0.5, -1.25, 2], [0, 3, -0.75]], { dtype }),
  b: tensor([1, -2], { dtype }),
});
const slopes = ({ w, b }, t) => ({ w: w.mul(3).add(t).sin(), b: b.mul(2).sub(t).cos() });
const list = (x) => Array.from(x.contiguous().data, Number);
const flat = (x) => ({ w: list(x.w), b: list(x.b) });

function close(got, want, tolerance, what) {
  assert.equal(got.length, want.length, what);
  got.forEach((each, i) => assert.ok(Math.abs(each - want[i]) <= tolerance * (1 + Math.abs(want[i])), `${what}[${i}]: ${each} for ${want[i]}`));
}

/** Six steps. */
function trained(optimiser, step, dtype) {
  let params = start(dtype);
  let state = optimiser.init(params);
  for (let t = 0; t < 6; t++) [params, state] = step(params, state, t);
  return { params, state };
}
const atOnce = (optimiser) => (params, state, t) => optimiser.update(slopes(params, t), state, params);
const inGraph = (optimiser) => jit((params, state, t) => optimiser.update(slopes(params, t), state, params));

for (const [dtype, rows, tolerance] of [['f64', figures.cases, 1e-13], ['f32', figures.f32, 2e-6]]) {
  for (const { name, options, w, b } of rows) {
    test(`${name} ${JSON.stringify(options)} in ${dtype} steps as PyTorch does`, () => {
      const optimiser = makers[name](options);
      for (const step of [atOnce(optimiser), inGraph(optimiser)]) {
        const { params, state } = trained(optimiser, step, dtype);
        assert.equal(params.w.dtype, dtype);
        assert.equal(state.step.item(), 6);
        close(list(params.w), w, tolerance, 'w');
        close(list(params.b), b, tolerance, 'b');
      }
    });
  }
}

test('lion steps as program 1 of its paper says', () => {
  const [rate, beta1, beta2, decay] = [0.01, 0.8, 0.95, 0.1];
  const { params } = trained(lion({ learningRate: rate, betas: [beta1, beta2], weightDecay: decay }), atOnce(lion({ learningRate: rate, betas: [beta1, beta2], weightDecay: decay })));
  const own = (x, slope) => {
    let m = 0;
    for (let t = 0; t < 6; t++) {
      const g = slope(x, t);
      x -= rate * (Math.sign(beta1 * m + (1 - beta1) * g) + decay * x);
      m = beta2 * m + (1 - beta2) * g;
    }
    return x;
  };
  close(list(params.w), list(start().w).map((x) => own(x, (w, t) => Math.sin(3 * w + t))), 1e-12, 'w');
  close(list(params.b), list(start().b).map((x) => own(x, (b, t) => Math.cos(2 * b - t))), 1e-12, 'b');
});

test('a schedule is followed from step 0 on', () => {
  const optimiser = adam({ learningRate: schedules.exponentialDecay(0.1, { steps: 1, rate: 0.7 }) });
  for (const step of [atOnce(optimiser), inGraph(optimiser)]) {
    const { params } = trained(optimiser, step);
    close(list(params.w), figures.scheduled.w, 1e-12, 'w');
    close(list(params.b), figures.scheduled.b, 1e-12, 'b');
  }
  const asked = [];
  const own = sgd({ learningRate: (step) => (asked.push(step.dtype), step.add(1).mul(0.5)) });
  const [params] = own.update(tensor([1, 1]), { step: tensor(3, { dtype: 'i32' }) }, tensor([10, 20]));
  assert.deepEqual(list(params), [8, 18]);
  assert.deepEqual(asked, ['f64']);
});

test('schedules are those of PyTorch', () => {
  const own = {
    cosineDecay: schedules.cosineDecay(0.5, { steps: 11, end: 0.05 }),
    linear: schedules.linear(0.1, 0.5, { steps: 5 }),
    exponentialDecay: schedules.exponentialDecay(0.5, { steps: 1, rate: 0.7 }),
    staircase: schedules.exponentialDecay(0.5, { steps: 3, rate: 0.1, staircase: true }),
    piecewise: schedules.piecewise([0.5, 0.05, 0.005], [2, 7]),
  };
  for (const [name, want] of Object.entries(figures.schedules)) {
    close(want.map((_, i) => own[name](i)), want, 1e-14, name);
    const traced = jit((step) => own[name](step));
    close(want.map((_, i) => traced(tensor(i, { dtype: 'i32' })).item()), want, 1e-14, `${name} of values`);
  }
});

test('schedules of optax begin, rise, fall and stay as they say', () => {
  const warm = schedules.warmupCosine(1, { warmup: 4, steps: 12, start: 0.2, end: 0.1 });
  close([0, 2, 4, 8, 12, 100].map(warm), [0.2, 0.6, 1, 0.55, 0.1, 0.1], 1e-14, 'warmupCosine');
  close([0, 5, 7, 9, 50].map(schedules.linear(3, 1, { steps: 4, begin: 5 })), [3, 3, 2, 1, 1], 1e-14, 'linear');
  close([0, 9].map(schedules.constant(0.3)), [0.3, 0.3], 0, 'constant');
  close([0, 3, 5, 50].map(schedules.exponentialDecay(1, { steps: 2, rate: 0.25, begin: 1, end: 0.1 })), [1, 0.25, 0.1, 0.1], 1e-14, 'exponentialDecay');
  close([0, 2, 50].map(schedules.exponentialDecay(1, { steps: 2, rate: 3, end: 5 })), [1, 3, 5], 1e-14, 'growing');
  close([0, 1].map(schedules.piecewise([7], [])), [7, 7], 0, 'piecewise of one');
});

test('parameters of 16 bits are computed with in f32', () => {
  for (const dtype of ['f16', 'bf16']) {
    const optimiser = adam({ learningRate: 0.125 });
    const params = { a: ones([3], { dtype }) };
    const state = optimiser.init(params);
    assert.equal(state.mean.a.dtype, 'f32');
    const [next, after] = optimiser.update({ a: ones([3], { dtype }) }, state, params);
    assert.equal(next.a.dtype, dtype);
    assert.equal(after.square.a.dtype, 'f32');
    assert.deepEqual(next.a.toArray(), [0.875, 0.875, 0.875]);
  }
});

test('trees of any form, leaves of any size, and null stay as they are', () => {
  const params = [{ w: ones([0, 3]), none: null }, [tensor(2), ones([1, 1, 7])], 5];
  const optimiser = sgd({ learningRate: 0.5, momentum: 0.5 });
  const [next, state] = optimiser.update([{ w: ones([0, 3]), none: null }, [tensor(1), ones([1, 1, 7])], 1], optimiser.init(params), params);
  assert.deepEqual(next[0].w.shape, [0, 3]);
  assert.equal(next[0].none, null);
  assert.equal(next[1][0].item(), 1.5);
  assert.equal(next[2].item(), 4.5);
  assert.deepEqual(state.velocity[1][1].shape, [1, 1, 7]);
  // Names may come in another order, as from a file.
  const [again] = adam({ learningRate: 1 }).update({ b: tensor([1]), a: tensor([0, 1]) }, { step: zeros([], { dtype: 'i32' }), mean: { b: zeros([1]), a: zeros([2]) }, square: { a: zeros([2]), b: zeros([1]) } }, { a: zeros([2]), b: zeros([1]) });
  close(list(again.a), [0, -1], 1e-7, 'a');
  assert.deepEqual(Object.keys(again), ['a', 'b']);
});

test('a step of symbolic sizes is one trace', () => {
  const optimiser = adamW();
  const step = jit((params, state) => optimiser.update(params, state, params), { symbolic: true });
  for (const n of [2, 3, 100]) {
    const params = { w: ones([n, 3]) };
    const [next] = step(params, optimiser.init(params));
    assert.deepEqual(next.w.shape, [n, 3]);
  }
  assert.equal(step.cacheSize, 2); // 3 by 3 has its own
});

test('gradients are clipped as PyTorch does, and stay bit for bit within the norm', () => {
  const grads = start();
  for (const { most, norm, w, b } of figures.clip) {
    const clipped = [clipByGlobalNorm(grads, most), jit((g) => clipByGlobalNorm(g, most))(grads), jit((g, limit) => clipByGlobalNorm(g, limit))(grads, most)];
    for (const each of clipped) {
      close(list(each.w), w, 1e-6, 'w');
      close(list(each.b), b, 1e-6, 'b');
      if (norm < most) assert.deepEqual(flat(each), flat(grads));
    }
    assert.ok(Math.abs(globalNorm(grads).item() - norm) < 1e-14);
  }
  const own = clipByNorm({ w: tensor([3, 4]), b: tensor([0.3, 0.4]), z: zeros([2]), e: zeros([0]) }, 1);
  close(list(own.w), [0.6, 0.8], 1e-15, 'w');
  assert.deepEqual(list(own.b), [0.3, 0.4]);
  assert.deepEqual(list(own.z), [0, 0]);
  assert.deepEqual(clipByGlobalNorm(tensor([1, NaN]), 1).toArray(), [NaN, NaN]);
  assert.equal(globalNorm({ a: tensor([3e4, 4e4], { dtype: 'f16' }) }).item(), 50000);
  assert.equal(clipByGlobalNorm([tensor([3, 4], { dtype: 'f32' }), tensor([12])], 6.5)[0].dtype, 'f32');
});

test('wrong use of optimisers is told', () => {
  const params = { w: ones([2]), b: tensor(1) };
  refuses(() => sgd(), 'ERR_ARGUMENT', /^sgd: expected a number of at least 0, or a schedule, for option 'learningRate', got undefined/);
  refuses(() => sgd({ learningRate: -1 }), 'ERR_ARGUMENT', /got -1/);
  refuses(() => sgd({ learningRate: 1, nesterov: true }), 'ERR_ARGUMENT', /'nesterov' needs a momentum/);
  refuses(() => adam({ learningrate: 1 }), 'ERR_ARGUMENT', /unknown option 'learningrate' \(did you mean 'learningRate'\?\)/);
  refuses(() => adam({ betas: [0.9, 1] }), 'ERR_ARGUMENT', /from 0 to below 1 for option 'betas', got 1/);
  refuses(() => adam().init({}), 'ERR_ARGUMENT', /adam.init: expected a tensor, or a tree of tensors/);
  refuses(() => adam().init({ w: tensor([1n]) }), 'ERR_DTYPE', /adam.init: params.w is of dtype i64/);
  const { update, init } = adam();
  refuses(() => update({ w: ones([2]) }, init(params), params), 'ERR_ARGUMENT', /adam.update: grads is an object with w, expected an object with w, b/);
  refuses(() => update({ w: ones([3]), b: tensor(1) }, init(params), params), 'ERR_SHAPE', /grads for params.w is \[3\], but must be \[2\]/);
  refuses(() => update(params, sgd({ learningRate: 1 }).init(params), params), 'ERR_ARGUMENT', /adam.update: expected the state that init made \(step, mean, square\) for the state/);
  refuses(() => update(params, { ...init(params), step: tensor(1) }, params), 'ERR_DTYPE', /expected a scalar of dtype i32 for state.step/);
  refuses(() => adam({ learningRate: () => 'x' }).update(params, init(params), params), 'ERR_ARGUMENT', /the result of the schedule, got "x"/);
  refuses(() => clipByGlobalNorm(params, 0), 'ERR_ARGUMENT', /clipByGlobalNorm: expected a positive number for the norm, got 0/);
  refuses(() => globalNorm({}), 'ERR_ARGUMENT', /globalNorm: expected a tensor/);
  refuses(() => schedules.cosineDecay(1), 'ERR_ARGUMENT', /schedules.cosineDecay: expected an integer of at least 1 for option 'steps', got undefined/);
  refuses(() => schedules.warmupCosine(1, { warmup: 5, steps: 5 }), 'ERR_ARGUMENT', /leaves nothing of 5 steps/);
  refuses(() => schedules.piecewise([1, 2], [3, 4]), 'ERR_ARGUMENT', /an array of 1 steps/);
  refuses(() => schedules.piecewise([1, 2, 3], [4, 4]), 'ERR_ARGUMENT', /boundary 1/);
  refuses(() => schedules.constant(1)('2'), 'ERR_ARGUMENT', /expected a number or a scalar for the step/);
});
