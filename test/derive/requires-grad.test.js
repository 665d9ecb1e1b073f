// Gradients along recorded operations: what backward() gives is what grad(fn) gives, and what central differences do.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const gj = require('graphjit');
const { grad, valueAndGrad } = require('../../lib/transform/index.js');
const { gcUntil } = require('../support/gc.js');
const { randomOf } = require('../support/values.js');

const { Graph, Tensor, jit, noGrad, ones, random, tensor, zeros } = gj;

/** @typedef {any[]} Args */
/** A function of tensors, and the shapes of these. @typedef {[fn: (...args: any[]) => any, ...shapes: number[][]]} Case */

const next = randomOf(5);
/** Numbers between 0.2 and 1.2, no two alike. @type {(shape: number[], dtype?: any) => any} */
const filled = (shape, dtype = 'f64') =>
  tensor(Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => 0.2 + next()), { dtype, shape });

/** @type {(args: Args) => any[]} leaves over the same elements */
const leavesOf = (args) => args.map((arg) => tensor(arg, { requiresGrad: true }));

/** A number that depends on each element in its own way. @type {(y: any) => any} */
const weighed = (y) => y.mul(y).mul(0.5).add(y).sum();

/** @type {(x: any) => number[]} */
const numbersOf = (x) => Array.from(x.contiguous().data, Number);

/** Counts the graphs that backward makes. @type {(t: import('node:test').TestContext) => () => number} */
function graphsOf(t) {
  const { mock } = t.mock.method(Graph, 'parse');
  return () => mock.callCount();
}

/** @type {(got: any, wanted: any, tolerance: number, which: string) => void} */
function assertClose(got, wanted, tolerance, which) {
  assert.deepEqual(got.shape, wanted.shape, which);
  const [a, b] = [numbersOf(got), numbersOf(wanted)];
  a.forEach((value, i) => {
    const isClose = Object.is(value, b[i]) || Math.abs(value - b[i]) <= tolerance * (1 + Math.abs(b[i]));
    assert.ok(isClose, `${which}[${i}]: ${value} for ${b[i]}`);
  });
}

/** Central differences of a function of tensors, by one of them. @type {(fn: (...args: any[]) => any, args: Args, which: number) => any} */
function differences(fn, args, which) {
  const h = 1e-6;
  const at = (/** @type {number} */ i, /** @type {number} */ by) => {
    const moved = args.map((arg, k) => (k === which ? arg.copy() : arg));
    moved[which].data[i] += by;
    return fn(...moved).item();
  };
  const data = Float64Array.from({ length: args[which].size }, (_, i) => (at(i, h) - at(i, -h)) / (2 * h));
  return tensor(data, { shape: [...args[which].shape] });
}

const key = random.key(3);
const picks = tensor([0n, 2n, 2n]);
const labels = tensor([0n, 2n]);

/** @type {Record<string, Case>} */
const cases = {
  arithmetic: [(x, y) => x.add(y).mul(x).sub(y.div(x)).add(2).mul(0.5), [3, 4], [4]],
  'numbers in front': [(x) => gj.div(1, x).add(gj.sub(3, x)), [5]],
  powers: [(x, y) => x.pow(3).add(x.pow(y)).add(y.pow(2.5)), [7], [7]],
  functions: [(x) => x.exp().add(x.log()).mul(x.sin()).add(x.tanh().sqrt()), [5, 1]],
  activations: [(x) => x.gelu().add(x.silu()).add(x.sigmoid()).add(x.relu()), [6]],
  comparisons: [(x, y) => gj.where(x.gt(y), x.mul(2), y.exp()), [4, 3], [4, 3]],
  extremes: [(x, y) => x.max(y).add(x.min(0.7)).add(x.clip(0.4, 0.9)), [6], [6]],
  matmul: [(x, y) => x.matmul(y).tanh(), [3, 4], [4, 5]],
  'stacks of matrices': [(x, y) => x.matmul(y), [2, 3, 4], [4, 1]],
  einsum: [(x, y) => gj.einsum('ij,kj->ik', x, y), [3, 4], [5, 4]],
  outer: [(x, y) => x.outer(y), [3], [2]],
  views: [(x) => x.T.reshape([2, 6]).slice([0, 1]).expandDims(0).squeeze().flip().broadcastTo([3, 6]).permute([1, 0]), [4, 3]],
  joins: [(x, y) => gj.concat([x, y, x], { axis: 0 }).mul(gj.stack([y, y]).sum()), [2, 3], [1, 3]],
  parts: [(x) => { const [a, b] = x.split(2); return a.mul(b); }, [4]],
  padding: [(x) => x.pad([[1, 1], [2, 0]]).mul(2), [2, 3]],
  rolled: [(x) => x.roll(1).mul(x).add(x.tril().sum()), [3, 3]],
  sums: [(x) => x.sum({ axis: 1, keepDims: true }).mul(x).add(x.mean()), [2, 3]],
  'largest of all': [(x) => x.max({ axis: 0 }).mul(x.sum()), [3, 2]],
  softmax: [(x) => x.softmax({ axis: -1 }).log().mul(x).add(x.logSumExp({ axis: 0 })), [3, 5]],
  variance: [(x) => x.var({ axis: 0 }).sqrt(), [5, 2]],
  'layer norm': [(x, y) => x.layerNorm({ scale: y }), [3, 4], [4]],
  products: [(x) => x.prod({ axis: 0 }), [3, 2]],
  'running sums': [(x) => x.cumulativeSum({ axis: 0 }).mul(x), [5]],
  sorted: [(x) => x.sort().mul(gj.arange(5)), [5]],
  'sorted by a function': [(x) => x.sort((/** @type {any} */ a, /** @type {any} */ b) => a.sub(b)).mul(gj.arange(5)), [5]],
  largest: [(x) => x.topk(2).values, [5]],
  taken: [(x) => x.take(picks).mul(gj.arange(3)), [5]],
  embedding: [(x) => gj.embedding(x, picks), [4, 2]],
  selected: [(x) => x.maskedSelect(x.gt(0.6)).mul(2), [6]],
  convolution: [(x, y) => x.conv(y), [1, 2, 5, 5], [3, 2, 3, 3]],
  pooled: [(x) => x.maxPool([2, 2]), [1, 1, 4, 4]],
  dropout: [(x) => x.mul(random.bernoulli([8], { key, dtype: x.dtype })).div(0.5), [8]],
  drawn: [(x) => random.normal([3], { key, mean: x, dtype: x.dtype }), [3]],
  'mean squared error': [(x, y) => x.mseLoss(y), [8], [8]],
  'huber loss': [(x, y) => x.mul(3).huberLoss(y), [8], [8]],
  'binary cross entropy': [(x, y) => x.binaryCrossEntropyWithLogits(y), [8], [8]],
  'cross entropy': [(x) => x.crossEntropyLoss(labels), [2, 3]],
  loops: [(x) => gj.scan((/** @type {any} */ c, /** @type {any} */ e) => [c.mul(e), c.add(e)], x.sum(), x)[1], [4]],
  choices: [(x) => gj.cond(x.sum().gt(0), () => x.mul(2), () => x.add(1)), [4]],
  'folded by a function': [(x) => x.reduce((/** @type {any} */ a, /** @type {any} */ b) => a.mul(b)), [4]],
  jit: [jit((/** @type {any} */ x, /** @type {any} */ y) => ({ sum: x.add(y), all: [x.mul(y).sin(), 3] })), [4], [4]],
};

/** What a case gives as one number. @type {(fn: (...args: any[]) => any) => (...args: any[]) => any} */
const lossOf = (fn) => (...args) => {
  const made = fn(...args);
  return made.sum instanceof Function ? weighed(made) : weighed(made.sum.mul(made.all[0]));
};

for (const [name, [fn, ...shapes]] of Object.entries(cases)) {
  test(`${name}: as grad(fn) and differences have it`, () => {
    for (const dtype of /** @type {const} */ (['f64', 'f32'])) {
      const args = shapes.map((shape) => filled(shape, dtype));
      const loss = lossOf(fn);
      /** @type {any[]} */
      let wanted;
      try {
        wanted = grad(loss, { wrt: args.map((_, i) => i) })(...args);
      } catch (error) {
        // What has no rule has none here either.
        assert.equal(/** @type {any} */ (error).code, 'ERR_UNSUPPORTED', String(error));
        assert.throws(() => loss(...leavesOf(args)).backward(), { code: 'ERR_UNSUPPORTED', message: /^backward: derivative of / });
        return;
      }
      const leaves = leavesOf(args);
      const result = loss(...leaves);
      assert.ok(result.requiresGrad && !result.isLeaf);
      result.backward();
      leaves.forEach((leaf, i) => {
        assertClose(leaf.grad, wanted[i], dtype === 'f64' ? 1e-10 : 1e-4, `${name} ${i}`);
        if (dtype === 'f64') assertClose(leaf.grad, differences(loss, args, i), 1e-6, `differences ${name} ${i}`);
        assert.equal(leaf.grad.dtype, dtype);
        assert.ok(!leaf.grad.requiresGrad);
      });
      assert.ok(args.every((arg) => !arg.requiresGrad));
    }
  });
}

test('what tensors alone have: copies, and rows that are gone through', () => {
  /** @type {Record<string, Case>} */
  const own = {
    copies: [(x) => x.mT.copy().mul(x.transpose([0, 2, 1])).reshape([-1]), [2, 3, 4]],
    'parts of a copy': [(x) => x.T.contiguous().slice(1).contiguous().mul(x.slice('...', 0).contiguous().sum()), [3, 2]],
    rows: [(x) => { const [a, b] = x; return a.mul(b); }, [2, 3]],
  };
  for (const [name, [fn, shape]] of Object.entries(own)) {
    const arg = filled(shape);
    const [x] = leavesOf([arg]);
    weighed(fn(x)).backward();
    assertClose(x.grad, differences((v) => weighed(fn(v)), [arg], 0), 1e-6, name);
  }
});

test('any size, where results are small, stored or never computed', () => {
  const loss = (/** @type {any} */ x, /** @type {any} */ w) => {
    const h = x.mul(w).tanh();
    const z = h.exp().mul(h).sub(x.mul(2));
    return z.mul(z).sum().add(h.mean());
  };
  for (const size of [1, 2, 3, 17, 127, 129, 1031, 5003]) {
    for (const looks of [false, true]) {
      const args = [filled([size]), filled([size])];
      const wanted = grad(loss, { wrt: [0, 1] })(...args);
      const [x, w] = leavesOf(args);
      const h = x.mul(w).tanh();
      if (looks) h.data.at(0); // now it is in memory
      const z = h.exp().mul(h).sub(x.mul(2));
      z.mul(z).sum().add(h.mean()).backward();
      assertClose(x.grad, wanted[0], 1e-10, `${size} ${looks}`);
      assertClose(w.grad, wanted[1], 1e-10, `${size} ${looks}`);
    }
  }
  const nothing = tensor(new Float64Array(0), { requiresGrad: true });
  nothing.mul(2).sum().backward();
  assert.deepEqual(nothing.grad?.toArray(), []);
});

test('other dtypes, converted and mixed', () => {
  const x = tensor([1, 2], { requiresGrad: true });
  const y = tensor([3, 4], { dtype: 'f32', requiresGrad: true });
  x.astype('f32').mul(y).sum().add(x.mul(y).sum()).backward();
  assert.deepEqual([x.grad?.dtype, x.grad?.toArray()], ['f64', [6, 8]]);
  assert.deepEqual([y.grad?.dtype, y.grad?.toArray()], ['f32', [2, 4]]);
  const half = tensor([1, 2], { dtype: 'f16', requiresGrad: true });
  half.mul(half).sum().backward();
  assert.deepEqual([half.grad?.dtype, half.grad?.toArray()], ['f16', [2, 4]]);
});

test('functions of jit with functions among their arguments, and derivatives of functions', (t) => {
  const graphs = graphsOf(t);
  const x = tensor([3, 1, 2], { requiresGrad: true });
  const apply = jit((/** @type {any} */ v, /** @type {any} */ fn) => fn(v).mul(3), { static: [1] });
  const squared = (/** @type {any} */ v) => v.mul(v);
  apply(x, squared).sum().backward();
  x.grad = null;
  apply(x, squared).sum().backward();
  assert.equal(graphs(), 1);
  assert.deepEqual(x.grad?.toArray(), [18, 6, 12]);
  x.grad = null;
  grad((/** @type {any} */ v) => v.pow(3).sum())(x).sum().backward(); // the second derivative
  assert.deepEqual(x.grad?.toArray(), [18, 6, 12]);
});

test('functions of loops that do something else by then', () => {
  const x = tensor([1, 2], { requiresGrad: true });
  let factor = 2;
  const y = gj.map((/** @type {any} */ v) => v.mul(factor), x);
  assert.ok(y.requiresGrad);
  factor = 3;
  assert.throws(() => y.sum().backward(), { code: 'ERR_STATE', message: /^backward: the functions given to map do something else now/ });
});

test('not a number and infinite', () => {
  const x = tensor([0, -1, Infinity, NaN, -0], { requiresGrad: true });
  const fn = (/** @type {any} */ v) => v.log().add(v.sqrt()).sum();
  fn(x).backward();
  assert.deepEqual(numbersOf(x.grad), numbersOf(grad(fn)(x.detach())));
});

// ------------------------------------------------------------------------------------------ state

test('flags, leaves and what is cut off', () => {
  const x = tensor([1, 2], { requiresGrad: true });
  const plain = tensor([1, 2]);
  assert.ok(x.requiresGrad && x.isLeaf && x.grad === null);
  assert.ok(!plain.requiresGrad && plain.isLeaf && plain.grad === null);
  const y = x.mul(plain);
  assert.ok(y.requiresGrad && !y.isLeaf);
  assert.ok(!plain.add(1).requiresGrad);
  assert.ok(!x.gt(1).requiresGrad && !x.argmax().requiresGrad && x.gt(1).isLeaf);
  const free = y.detach();
  assert.ok(!free.requiresGrad && free.isLeaf && free.mul(2).isLeaf);
  assert.equal(free.data, y.data);
  assert.ok(!noGrad(() => x.mul(2)).requiresGrad);
  assert.ok(noGrad(() => tensor([1], { requiresGrad: true })).requiresGrad);
  assert.throws(() => noGrad(() => { throw new Error('mine'); }), /^Error: mine$/);
  assert.ok(x.mul(2).requiresGrad);
  plain.requiresGrad = true;
  assert.ok(plain.mul(1).requiresGrad);
  plain.requiresGrad = false;
  assert.ok(!plain.mul(1).requiresGrad);
  y.requiresGrad = true; // as it is

  const same = tensor(x, { requiresGrad: true });
  assert.ok(same !== x && same.isLeaf);
  assert.equal(tensor(x), x);
  same.mul(x).sum().backward();
  assert.deepEqual([x.grad?.toArray(), same.grad?.toArray()], [[1, 2], [1, 2]]);
});

test('gradients add up, in tensors of their own', () => {
  const x = tensor([1, 2, 3], { requiresGrad: true });
  const loss = () => x.mul(x).sum();
  loss().backward();
  const first = x.grad;
  loss().backward();
  assert.deepEqual([first?.toArray(), x.grad?.toArray()], [[2, 4, 6], [4, 8, 12]]);
  x.grad = null;
  loss().backward();
  assert.deepEqual(x.grad?.toArray(), [2, 4, 6]);
  x.grad = ones([3]);
  x.backward([1, 2, 3]);
  x.backward(first);
  assert.deepEqual(x.grad?.toArray(), [4, 7, 10]);
  x.grad = null;
  x.backward(first);
  assert.deepEqual(x.grad?.toArray(), [2, 4, 6]);
  assert.notEqual(x.grad, first);
});

test('a gradient that is given, of a tensor that is no number', () => {
  const x = tensor([[1, 2], [3, 4]], { requiresGrad: true });
  x.matmul(x).backward([[1, 0], [0, 1]]);
  assert.deepEqual(x.grad?.toArray(), [[2, 6], [4, 8]]);
  x.grad = null;
  x.mul(x).slice(0).backward(tensor([1, 10]));
  assert.deepEqual(x.grad?.toArray(), [[2, 40], [0, 0]]);
  x.grad = null;
  x.slice([0, 1], [0, 1]).mul(3).backward(); // one element, of any rank
  assert.deepEqual(x.grad?.toArray(), [[3, 0], [0, 0]]);
});

test('a second backward needs a first one that retains', () => {
  const x = tensor([1, 2], { requiresGrad: true });
  const y = x.mul(x).retainGrad();
  const z = y.mul(3).sum();
  z.backward(undefined, { retainGraph: true });
  z.backward();
  assert.deepEqual([x.grad?.toArray(), y.grad?.toArray()], [[12, 24], [6, 6]]);
  assert.throws(() => z.backward(), { code: 'ERR_STATE', message: /^backward: sum was gone through by an earlier .*retainGraph: true/ });
  assert.throws(() => y.sum().backward(), { code: 'ERR_STATE', message: /^backward: mul was gone through/ });
  assert.deepEqual(x.grad?.toArray(), [12, 24]);
});

test('results that several take, and one that is taken often', () => {
  const x = tensor([2], { requiresGrad: true });
  let y = x.mul(1);
  for (let i = 0; i < 20; i++) y = y.add(y);
  y.sum().backward();
  assert.deepEqual(x.grad?.toArray(), [2 ** 20]);
  const { values, indices } = x.mul(3).topk(1);
  assert.ok(values.requiresGrad && !indices.requiresGrad);
});

test('a long way back', () => {
  const x = tensor([1], { requiresGrad: true });
  let y = x;
  for (let i = 0; i < 3000; i++) y = y.add(1);
  y.sum().backward();
  assert.deepEqual(x.grad?.toArray(), [1]);
});

test('elements that were set since, and elements that were given away', () => {
  const x = tensor([1, 2], { requiresGrad: true });
  const loss = x.mul(x).sum();
  assert.throws(() => x.set([0], 5), { code: 'ERR_STATE', message: /^set: .*noGrad/ });
  noGrad(() => x.set([0], 5));
  assert.throws(() => loss.backward(), { code: 'ERR_STATE', message: /^backward: operand 1 of mul was set to other elements/ });
  x.detach().set([0], 6);
  x.mul(x).sum().backward();
  assert.deepEqual(x.grad?.toArray(), [12, 4]);
  const weights = filled([300]);
  const h = tensor(weights, { requiresGrad: true }).mul(2).exp();
  const total = h.mul(h).sum();
  h.dispose(); // computed again
  total.backward();
});

test('errors say what to do', () => {
  const x = tensor([1, 2, 3], { requiresGrad: true });
  const refused = (/** @type {() => unknown} */ run, /** @type {string} */ code, /** @type {RegExp} */ message) =>
    assert.throws(run, { code, message });
  refused(() => x.mul(2).backward(), 'ERR_SHAPE', /^backward: the tensor is f64\[3\], not one number: reduce it/);
  refused(() => x.mul(2).backward([1, 2]), 'ERR_SHAPE', /^backward: the gradient is Tensor f64\[2\]/);
  refused(() => x.mul(2).backward(ones([3], { dtype: 'f32' })), 'ERR_SHAPE', /^backward: the gradient is Tensor f32/);
  refused(() => tensor([1n], { requiresGrad: true }), 'ERR_DTYPE', /only floats do/);
  refused(() => { tensor([true]).requiresGrad = true; }, 'ERR_DTYPE', /Tensor bool\[1\] has no gradient/);
  refused(() => tensor([1]).backward(), 'ERR_STATE', /^backward: no operation was recorded/);
  refused(() => noGrad(() => x.sum()).backward(), 'ERR_STATE', /^backward: no operation was recorded/);
  refused(() => { x.mul(2).requiresGrad = false; }, 'ERR_STATE', /detach/);
  refused(() => { /** @type {any} */ (x).requiresGrad = 1; }, 'ERR_ARGUMENT', /^requiresGrad: expected a boolean/);
  refused(() => { x.grad = tensor([1]); }, 'ERR_SHAPE', /^grad: the gradient is/);
  refused(() => { /** @type {any} */ (x).grad = 4; }, 'ERR_ARGUMENT', /^grad: expected a Tensor or null/);
  refused(() => { tensor([1]).grad = tensor([1]); }, 'ERR_STATE', /requires no gradient/);
  refused(() => tensor([1]).retainGrad(), 'ERR_STATE', /^retainGrad/);
  refused(() => x.sum().backward(undefined, /** @type {any} */ ({ createGraph: true })), 'ERR_ARGUMENT', /createGraph/);
  refused(() => noGrad(/** @type {any} */ (3)), 'ERR_ARGUMENT', /^noGrad: expected a function/);
  refused(() => noGrad(async () => 1), 'ERR_ARGUMENT', /^noGrad: the function must do its work at once/);
  refused(() => noGrad(() => Promise.reject(new Error('late'))), 'ERR_ARGUMENT', /^noGrad/);
  assert.ok(x.mul(2).requiresGrad);
});

// -------------------------------------------------------------------------------------- training

/** @type {(sizes: number[], uniform: () => number) => Record<string, any>} */
function layers(sizes, uniform) {
  /** @type {Record<string, any>} */
  const made = {};
  for (let i = 1; i < sizes.length; i++) {
    const shape = [sizes[i - 1], sizes[i]];
    made[`w${i}`] = tensor(Float64Array.from({ length: shape[0] * shape[1] }, () => uniform() * 2 - 1), { shape });
    made[`b${i}`] = zeros([sizes[i]]);
  }
  for (const each of Object.values(made)) each.requiresGrad = true;
  return made;
}

test('a small network learns, and its second step makes no new graph', (t) => {
  const graphs = graphsOf(t);
  const uniform = randomOf(11);
  const parameters = layers([2, 16, 1], uniform);
  const x = tensor(Array.from({ length: 64 }, () => [uniform() * 2 - 1, uniform() * 2 - 1]));
  const y = x.slice(null, [0, 1]).mul(x.slice(null, [1, 2])).sin();
  const loss = (/** @type {any} */ { w1, b1, w2, b2 }) => x.matmul(w1).add(b1).tanh().matmul(w2).add(b2).mseLoss(y);
  const step = (/** @type {number} */ rate) => {
    const value = loss(parameters);
    value.backward();
    noGrad(() => {
      for (const [name, each] of Object.entries(parameters)) parameters[name] = each.sub(each.grad.mul(rate));
    });
    for (const each of Object.values(parameters)) each.requiresGrad = true;
    return value.item();
  };
  const plain = Object.fromEntries(Object.entries(parameters).map(([name, each]) => [name, each.detach()]));
  const [value, gradient] = valueAndGrad(loss)(plain);
  const reference = Object.entries(plain).map(([name, each]) => each.sub(gradient[name].mul(0.2)));
  const first = step(0.2);
  assert.equal(first, value.item());
  Object.values(parameters).forEach((each, i) => assertClose(each, reference[i], 1e-12, `parameter ${i}`));
  step(0.19);
  const made = graphs();
  let last = first;
  for (let i = 0; i < 2000; i++) last = step(0.2 - i / 1e6);
  assert.equal(graphs(), made);
  assert.ok(last < first / 20, `${first} → ${last}`);
});

test('other numbers in the operations make no new graph', (t) => {
  const graphs = graphsOf(t);
  const x = tensor([1, 2], { requiresGrad: true });
  const step = (/** @type {number} */ k) => {
    x.grad = null;
    x.mul(k).add(k).exp().sum().backward();
    return numbersOf(x.grad);
  };
  step(0.2);
  for (let k = 0; k < 5; k++) {
    const wanted = [1, 2].map((each) => k * Math.exp(each * k + k));
    step(k).forEach((each, i) => assert.ok(Math.abs(each - wanted[i]) <= 1e-13 * wanted[i]));
  }
  assert.equal(graphs(), 1);
});

// --------------------------------------------------------------------------------------- memory

test('what was recorded goes with backward, or with the result', async () => {
  const x = tensor(Array.from(filled([200]).data), { requiresGrad: true });
  /** @type {Set<string>} */
  const gone = new Set();
  const registry = new FinalizationRegistry((/** @type {string} */ name) => gone.add(name));
  /** @type {(name: string, finish: (loss: any) => void) => any} */
  const make = (name, finish) => {
    const h = x.mul(2).exp();
    registry.register(h, name);
    const loss = h.mul(h).sum();
    finish(loss);
    return loss;
  };
  const released = make('released', (loss) => loss.backward());
  const retained = make('retained', (loss) => loss.backward(undefined, { retainGraph: true }));
  const kept = [make('kept', () => {})];
  make('forgotten', () => {});
  make('failed', (loss) => assert.throws(() => loss.backward([1, 2])));
  assert.ok(await gcUntil(() => gone.size === 3), [...gone].join());
  await gcUntil(() => false, 3);
  assert.deepEqual([...gone].sort(), ['failed', 'forgotten', 'released']);
  assert.ok(released.requiresGrad && retained.requiresGrad);
  kept.pop();
  assert.ok(await gcUntil(() => gone.has('kept')));
  assert.ok(!gone.has('retained') && retained.item() > 0);
  assert.ok(x.grad instanceof Tensor);
});
