// Tensors that compute: every operation on tensors gives what it gives on values; what is pending is what it was when the
// operation was called; errors come with the call; memory does not grow.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const { test } = require('node:test');
const { once } = require('node:events');
const { spawnSync } = require('node:child_process');
const { MessageChannel, Worker } = require('node:worker_threads');
const graphjit = require('graphjit');
const { listed, operationOf } = require('../lib/ops/index.js');
const { storageOf } = require('../lib/tensor/tensor.js');
const { bytesOf } = require('./support/compare.js');
const { throwsGraphError: refuses } = require('./support/errors.js');

const { Graph, GraphError, Tensor, Value, arange, full, ones, tensor, zeros } = graphjit;
/** @type {any} */
const functions = graphjit;

/** @type {(t: any) => boolean} */
const isPending = (t) => storageOf(t).pending !== null;

// ------------------------------------------------------------------------------------ every operation

/** Elements in (0, 1), so that nearly every function is defined. @type {(dtype: any, shape: number[], seed: number) => any} */
function sample(dtype, shape, seed) {
  const size = shape.reduce((a, b) => a * b, 1);
  const kind = graphjit.dtypes[/** @type {'f64'} */ (dtype)].kind;
  const elements = Array.from({ length: size }, (_, i) => {
    const fraction = Math.abs(Math.sin(1 + i * 12.9898 + seed * 78.233));
    return kind === 'float' ? 0.05 + 0.9 * fraction : kind === 'bool' ? fraction < 0.5 : Math.floor(fraction * 3);
  });
  return tensor(elements, { dtype, shape });
}

const [x, y, z] = [1, 2, 3].map((seed) => sample('f64', [3, 4], seed));
const [i, j, k] = [1, 2, 3].map((seed) => sample('i64', [3, 4], seed));
const [p, q] = [1, 2].map((seed) => sample('bool', [3, 4], seed));
const rows = sample('f64', [4, 5], 4);
const vector = sample('f64', [6], 5);
const image = sample('f64', [2, 4, 6, 6], 6);
const kernel = sample('f64', [4, 4, 3, 3], 7);
const definite = (() => { const a = sample('f64', [2, 3, 3], 15); return a.matmul(a.mT).add(graphjit.eye(3)); })();
const classes = tensor([1, 0, 2], { dtype: 'i64' });

/** Arguments that most operations take, the first that an operation takes counts. @type {any[][]} */
const usual = [
  [x], [x, y], [x, y, z], [p, x, y], [i], [i, j], [i, j, k], [p], [p, q], [x, 0], [x, 'f32'], [x, 'i64'], [x, [1, 0]], [x, [12]],
  [[x, y]], [vector], [vector, vector], [x, rows], [x, classes], [image], [image, kernel], [image, 2], [image, [2, 2]],
  [sample('f64', [3], 9), sample('f64', [3], 10)], [x, i], [x, 2], [x, 0, 1], [vector, classes], [x, y, 0.5],
];

const places = tensor([[0], [2]], { dtype: 'i64' });
const roles = { offsetAxes: [1], collapsedAxes: [0], indexMap: [0] };
const [some, integers] = [sample('f64', [2, 4], 8), sample('i64', [2, 4], 9)];

/** Arguments of operations that take none of these. @type {Record<string, any[]>} */
const particular = {
  conv1d: [sample('f64', [2, 4, 7], 11), sample('f64', [4, 4, 3], 12)],
  conv3d: [sample('f64', [1, 4, 4, 4, 4], 13), sample('f64', [4, 4, 2, 2, 2], 14)],
  convTranspose1d: [sample('f64', [2, 4, 7], 11), sample('f64', [4, 4, 3], 12)],
  convTranspose3d: [sample('f64', [1, 4, 4, 4, 4], 13), sample('f64', [4, 4, 2, 2, 2], 14)],
  bilinear: [sample('f64', [2, 3], 8), sample('f64', [2, 4], 9), sample('f64', [5, 3, 4], 10)],
  einsum: ['ij,kj->ik', x, x],
  reduce: [x, (/** @type {any} */ a, /** @type {any} */ b) => a.mul(0.5).add(b)],
  broadcast: [x, [2, 3, 4], [1, 2]],
  broadcastTo: [x, [2, 3, 4]],
  dynamicSlice: [x, [1, 1], [2, 2]],
  pad: [x, 1],
  gather: [x, places, { ...roles, window: [1, 4] }],
  scatter: [x, places, some, roles],
  scatterAdd: [x, places, some, roles],
  scatterMul: [x, places, some, roles],
  scatterMin: [x, places, some, roles],
  scatterMax: [x, places, some, roles],
  scatterAnd: [i, places, integers, roles],
  scatterOr: [i, places, integers, roles],
  bincount: [i, { length: 4 }],
  choose: [i, [x, y, z]],
  histogram: [x, { bins: 3, range: [0, 1] }],
  interp: [x, vector.sort(), vector],
  putAlongAxis: [x, i, y],
  resize: [sample('f64', [1, 2, 3, 4], 15), { size: [5, 7] }],
  affineGrid: [sample('f64', [2, 2, 3], 15), [3, 2]],
  gridSample: [sample('f64', [1, 2, 3, 4], 15), sample('f64', [1, 2, 3, 2], 16)],
  roiAlign: [sample('f64', [1, 2, 3, 4], 15), sample('f64', [2, 4], 16), tensor([0, 0], { dtype: 'i64' }), { size: 2 }],
  nonMaxSuppression: [sample('f64', [1, 5, 4], 15), sample('f64', [1, 2, 5], 16)],
  fold: [sample('f64', [2, 8, 4], 15), [3, 3], [2, 2]],
  maxUnpool: [sample('f64', [1, 2, 2, 2], 15), tensor([[[[0, 3], [9, 15]], [[5, 2], [8, 11]]]], { dtype: 'i64' }), 2],
  dft: [sample('f64', [3, 5, 2], 15)],
  stft: [sample('f64', [2, 9, 1], 15), { step: 2, length: 4 }],
  centerCropPad: [x, [2, 5]],
  reverseSequence: [x, tensor([3, 1, 2, 0], { dtype: 'i64' })],
  ...Object.fromEntries(
    ['cholesky', 'det', 'eigh', 'eigvalsh', 'expm', 'inv', 'lu', 'matrixRank', 'pinv', 'qr', 'slogdet', 'svd', 'svdvals'].map((name) => [name, [definite]]),
  ),
  lstsq: [definite, sample('f64', [2, 3, 2], 16)],
  solve: [definite, sample('f64', [2, 3, 2], 16)],
  triangularSolve: [definite, sample('f64', [2, 3, 2], 16)],
  ...Object.fromEntries(
    ['fft', 'ifft', 'fft2', 'ifft2', 'fftn', 'ifftn', 'irfft', 'irfft2', 'irfftn', 'real', 'imag', 'conj', 'complexAbs', 'angle'].map((name) => [name, [sample('f64', [3, 5, 2], 15)]]),
  ),
  complexMul: [sample('f64', [3, 5, 2], 15), sample('f64', [5, 2], 16)],
  fftConvolve: [sample('f64', [9], 15), sample('f64', [4], 16)],
  fftshift: [x, { complex: false }],
  ifftshift: [x, { complex: false }],
  istft: [sample('f64', [5, 3, 2], 15), { step: 2, length: 4 }],
  rngBits: [tensor([3, 5], { dtype: 'u32' }), [2, 3]],
  scatterNd: [x, i.slice(null, [0, 2]), y.slice(null, 0)],
  gatherNd: [x, i.slice(null, [0, 2])],
  indexAdd: [x, classes, y],
  indexMax: [x, classes, y],
  indexMin: [x, classes, y],
  indexMul: [x, classes, y],
  indexUpdate: [x, classes, y],
  oneHot: [i, 4],
  segmentMax: [x, classes, 3],
  segmentMean: [x, classes, 3],
  segmentMin: [x, classes, 3],
  segmentProd: [x, classes, 3],
  segmentSum: [x, classes, 3],
  takeAlongAxis: [x, i],
  updateSlice: [x, sample('f64', [2, 2], 8), [1, 1]],
};

/** Operations whose arguments include functions, which have tests of their own. */
const ofFunctions = ['cond', 'whileLoop', 'while', 'forLoop', 'for', 'scan', 'call', 'switch', 'map', 'customCall', 'checkpoint'];

/** Replaces the tensors in arguments. @type {(args: any, change: (t: any) => any) => any} */
function withEach(args, change) {
  if (args instanceof Tensor) return change(args);
  return Array.isArray(args) ? args.map((arg) => withEach(arg, change)) : args;
}

/** The values in a result, in order. @type {(result: any, is: any) => any[]} */
function leaves(result, is) {
  if (result instanceof is) return [result];
  return typeof result === 'object' && result !== null ? Object.values(result).flatMap((one) => leaves(one, is)) : [];
}

/** What an operation gives in a graph. @type {(operation: (...args: any[]) => any, args: any[]) => any[]} */
function inGraph(operation, args) {
  const graph = new Graph();
  /** @type {Record<string, any>} */
  const inputs = {};
  const result = operation(
    ...withEach(args, (t) => {
      const name = `x${Object.keys(inputs).length}`;
      inputs[name] = t;
      return graph.input(name, t.dtype, t.shape);
    }),
  );
  const values = leaves(result, Value);
  if (values.length === 0) return [];
  values.forEach((value, at) => graph.output(`y${at}`, value));
  const results = graph.compile({ tier: 'auto' }).run(inputs);
  return values.map((_, at) => results[`y${at}`]);
}

/** @type {(name: string) => { args: any[], expected: any[] }} arguments that an operation takes, and what it gives */
function findArguments(name) {
  for (const args of particular[name] ? [particular[name]] : usual) {
    try {
      const expected = inGraph(operationOf(name), args);
      if (expected.length > 0) return { args, expected };
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
    }
  }
  return assert.fail(`no arguments for ${name}: add some to this test`);
}

/** @type {(found: any[], expected: any[], title: string) => void} */
function assertSame(found, expected, title) {
  assert.equal(found.length, expected.length, title);
  found.forEach((t, at) => {
    assert.ok(t instanceof Tensor, title);
    assert.deepEqual([t.dtype, t.shape], [expected[at].dtype, expected[at].shape], title);
    assert.deepEqual(bytesOf(t.contiguous().data), bytesOf(expected[at].contiguous().data), title);
  });
}

for (const name of listed.operations.filter((each) => !ofFunctions.includes(each))) {
  test(`${name} of tensors is ${name} of values`, () => {
    const { args, expected } = findArguments(name);
    assertSame(leaves(functions[name](...args), Tensor), expected, name);
    const strided = withEach(args, (t) => t.T.copy().T);
    assertSame(leaves(functions[name](...strided), Tensor), expected, `${name} of strided tensors`);
    const pending = withEach(args, (t) => (t.dtype === 'bool' ? t : t.broadcastTo([200, ...t.shape]).copy().add(0).slice(7)));
    assertSame(leaves(functions[name](...pending), Tensor), expected, `${name} of parts of pending tensors`);
    const [first, ...rest] = args;
    if (!(first instanceof Tensor)) return;
    assertSame(leaves(/** @type {any} */ (first)[name](...rest), Tensor), expected, `${name} as a method`);
  });
}

// ---------------------------------------------------------------------------------------- what is pending

test('elementwise results of some size wait until somebody looks, and then take one kernel', () => {
  const a = arange(1000);
  const b = a.add(1);
  const c = b.mul(2).sqrt();
  assert.ok(isPending(b) && isPending(c));
  assert.deepEqual([c.dtype, c.shape, c.size, c.isContiguous], ['f64', [1000], 1000, true]);
  assert.equal(c.at(7), 4);
  assert.ok(isPending(b) && !isPending(c));
  assert.equal(b.at(7), 8);
  assert.equal(storageOf(c.reshape([10, 100]).add(1)).pending !== null, true);
});

test('whatever looks at a pending tensor computes it', () => {
  const a = ones([400]);
  const graph = new Graph();
  const program = graph.output('y', graph.input('x', 'f64', ['n']).neg()).compile({ tier: 'auto' });
  /** @type {((t: any) => any)[]} */
  const looks = [
    (t) => t.data[0],
    (t) => t.toArray()[0],
    (t) => Number(String(t).slice(1, 3)),
    (t) => t.at(3),
    (t) => [...t][0],
    (t) => t.copy().at(0),
    (t) => t.contiguous().at(0),
    (t) => t.slice([1, 3]).at(0),
    (t) => t.reshape([2, -1]).T.at(0, 0),
    (t) => t.set([0], 2).at(0),
    (t) => -program.run({ x: t }).y.at(0),
    (t) => -program.bind({ x: t })().y.at(0),
    (t) => t.max().item(),
    (t) => tensor(t, { dtype: 'i32' }).at(0),
  ];
  for (const look of looks) {
    const t = a.add(1);
    assert.ok(isPending(t));
    assert.equal(look(t), 2, String(look));
  }
});

test('a result is what its operands were when the operation was called', () => {
  const own = zeros([500]);
  const sum = own.add(1);
  own.set([3], 10);
  assert.deepEqual([sum.at(3), own.at(3), own.add(1).at(3)], [1, 10, 11]);

  const seen = zeros([500]);
  const before = seen.add(1);
  seen.data[3] = 10; // from here on anybody may write to it
  const after = seen.add(1);
  seen.data[3] = 20;
  assert.deepEqual([before.at(3), after.at(3), seen.at(3)], [1, 11, 20]);

  const array = new Float64Array(5000);
  const wrapped = tensor(array);
  const first = wrapped.mul(2).add(1);
  array.fill(7);
  assert.deepEqual([first.at(0), wrapped.mul(2).add(1).at(0)], [1, 15]);

  const whole = zeros([2, 300]);
  const part = whole.slice(1).add(1);
  const turned = whole.T.add(1);
  whole.set([1, 4], 5);
  assert.deepEqual([part.at(4), turned.at(4, 1), whole.slice(1).add(1).at(4)], [1, 1, 6]);

  const scale = full([1], 3);
  const scaled = own.add(scale);
  scale.set([0], 4);
  assert.equal(scaled.at(0), 3);
});

test('a pending result can be written to, whatever else depends on it', () => {
  const a = zeros([500]).add(1);
  const b = a.mul(2);
  a.set([0], 100);
  assert.deepEqual([a.at(0), b.at(0), a.mul(2).at(0)], [100, 2, 200]);
  const c = zeros([500]).add(1);
  const d = c.mul(2);
  c.data[0] = 100;
  assert.deepEqual([c.at(0), d.at(0)], [100, 2]);
});

test('a tensor that is disposed of leaves what depends on it', () => {
  const a = arange(600);
  const b = a.add(1);
  const c = b.mul(2);
  a.dispose();
  b.dispose();
  const next = ones([600]).mul(5);
  assert.equal(next.at(1), 5);
  assert.equal(c.at(1), 4);
  refuses(() => a.add(1), 'ERR_STATE', /^add: the tensor is disposed$/);
  refuses(() => b.sum(), 'ERR_STATE', /^sum: the tensor is disposed$/);
  const few = ones([4]).add(1);
  few.dispose();
  refuses(() => few.add(1), 'ERR_STATE', /^add: the tensor is disposed$/);
  refuses(() => few.neg(), 'ERR_STATE', /^neg: the tensor is disposed$/);
});

test('tensors end with the block that uses them', { skip: Symbol.dispose === undefined && 'the engine has no Symbol.dispose' }, () => {
  const t = ones([3]);
  /** @type {any} */ (t)[Symbol.dispose]();
  refuses(() => t.add(1), 'ERR_STATE', /^add: the tensor is disposed$/);
});

test('threads compute by themselves, and pending tensors reach programs on other threads', async () => {
  const script = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { tensor } = require('graphjit');
    const x = tensor(workerData);
    parentPort.postMessage([x.add(1).mul(2).sum().item(), x.slice([0, 2]).neg().toArray()]);`;
  const worker = new Worker(script, { eval: true, workerData: Float64Array.from({ length: 1000 }, (_, at) => at) });
  const [message] = await once(worker, 'message');
  assert.deepEqual(message, [1001000, [-0, -1]]);
  await worker.terminate();
  const graph = new Graph();
  const program = graph.output('y', graph.input('x', 'f64', ['n']).neg()).compile({ tier: 'auto' });
  const results = await program.runAsync({ x: ones([600]).add(1) });
  assert.equal(results.y.mul(2).at(599), -4);
});

test('long chains, wide ones and ones that double stay bounded', () => {
  let sum = zeros([300]);
  for (let round = 0; round < 1000; round++) sum = sum.add(1);
  assert.equal(sum.at(299), 1000);
  let doubled = ones([300]);
  for (let round = 0; round < 40; round++) doubled = doubled.add(doubled);
  assert.equal(doubled.at(0), 2 ** 40);
  let all = zeros([300]);
  for (let round = 0; round < 100; round++) all = all.add(full([300], round));
  assert.equal(all.at(0), 4950);
});

test('what two results need is computed once for both', () => {
  const a = arange(1000).add(1);
  const [b, c] = [a.mul(2), a.mul(3)];
  assert.equal(b.at(1), 4);
  assert.ok(!isPending(a), 'stored on the way, since c needs it');
  assert.equal(c.at(1), 6);
  const d = arange(1000).add(1);
  assert.equal(d.sum().item(), 500500);
  assert.ok(isPending(d), 'computed on the way');
  assert.equal(d.mean().item(), 500.5);
  assert.ok(!isPending(d), 'the second time it is kept');
});

test('shapes broadcast in pending results as anywhere', () => {
  const a = arange(1200).reshape([30, 40]);
  const [row, column] = [arange(40), arange(30).reshape([30, 1])];
  const b = a.add(row).mul(column).sub(1);
  assert.ok(isPending(b));
  assert.deepEqual(b.shape, [30, 40]);
  assert.equal(b.at(3, 5), (125 + 5) * 3 - 1);
  assert.equal(b.reshape([40, 30]).add(arange(30)).at(0, 2), -1 + 2);
  assert.equal(row.add(column).at(29, 39), 68);
  const none = zeros([0, 3]).add(1).add(zeros([1, 3]));
  assert.deepEqual([none.shape, none.sum().item()], [[0, 3], 0]);
});

test('operations may have any number of operands', () => {
  const one = tensor([1, 2], { dtype: 'u8' });
  assert.deepEqual(one.convert('f32').polyval([one, one].map((each) => each.convert('f32'))).toArray(), [2, 6]);
  refuses(() => one.add(one, one, one), 'ERR_ARGUMENT', /expected 2 operands for the call, got 4/);
  assert.deepEqual(/** @type {any} */ (one).lerp(one, one, one).toArray(), [1, 2]); // one more than it looks at
});

test('what does nothing to vectors is no elementwise operation for that', () => {
  assert.deepEqual([5, [5], [[5]]].map((given) => tensor(given).atleast1d().shape), [[1], [1], [1, 1]]);
  assert.deepEqual(zeros([0, 3]).unstack(), []);
  assert.deepEqual(zeros([3, 0]).add(1).unstack({ axis: 1 }), []);
  refuses(() => zeros([2, 2]).einsum('i->i'), 'ERR_SHAPE', /einsum: operand 1 has rank 2/);
});

test('large tensors with permuted axes are read as they lie', () => {
  const whole = arange(6000).reshape([10, 20, 30]);
  const lent = tensor(Float64Array.from({ length: 6000 }, (_, at) => at)).reshape([10, 20, 30]);
  for (const t of [whole, lent, whole.expandDims(1), whole.add(0)]) {
    const turned = t.squeeze().permute([2, 0, 1]);
    const same = turned.copy();
    assert.deepEqual(turned.add(same).mul(turned).toArray(), same.mul(same).mul(2).toArray());
    assert.deepEqual(turned.sum({ axis: 1 }).toArray(), same.sum({ axis: 1 }).toArray());
    assert.deepEqual(turned.expandDims(0).neg().shape, [1, 30, 10, 20]);
  }
  const later = whole.T.add(1);
  whole.set([0, 0, 1], -5);
  assert.deepEqual([later.at(1, 0, 0), whole.T.add(1).at(1, 0, 0)], [2, -4]);
});

// -------------------------------------------------------------------------------------- numbers and errors

test('numbers take the dtype of the tensor, which must hold them', () => {
  const bytes = tensor([1, 2, 3], { dtype: 'u8' });
  assert.deepEqual([bytes.add(1).dtype, bytes.add(255).toArray()], ['u8', [0, 1, 2]]);
  assert.deepEqual(tensor([1n, 2n]).mul(3n).toArray(), [3n, 6n]);
  assert.deepEqual(tensor([1n, 2n]).mul(3).toArray(), [3n, 6n]);
  assert.deepEqual(functions.sub(10, tensor([1, 2], { dtype: 'f32' })).toArray(), [9, 8]);
  assert.deepEqual(functions.where(tensor([true, false]), 1, 2).toArray(), [1, 2]);
  assert.deepEqual(tensor([1.5, 2]).add([1, 2]).toArray(), [2.5, 4]);
  assert.deepEqual(tensor([1.5, 2]).add(Float64Array.of(1, 2)).toArray(), [2.5, 4]);
  assert.equal(tensor([1, 2], { dtype: 'f32' }).add(tensor([0.5, 0.5])).dtype, 'f64');
  refuses(() => tensor([1, 2], { dtype: 'i32' }).add(tensor([0.5, 0.5])), 'ERR_DTYPE', /no common dtype/);
  for (const size of [3, 500]) {
    const t = zeros([size], { dtype: 'u8' });
    refuses(() => t.add(256), 'ERR_DTYPE', /^add: u8 holds the integers 0 to 255, operand 2 is 256$/);
    refuses(() => t.add(1.5), 'ERR_DTYPE', /^add: u8 holds .*, operand 2 is 1\.5$/);
  }
});

test('exponents and other numbers may change without a kernel for each', () => {
  const t = full([4], 2);
  for (let n = 0; n < 300; n++) assert.ok(Math.abs(t.pow(n / 100).at(0) / 2 ** (n / 100) - 1) < 1e-14);
  assert.deepEqual([t.pow(3).at(0), t.pow(-1).at(0), t.pow(0.5).at(0)], [8, 0.5, Math.SQRT2]);
});

test('kernels go when there are many, and what was used before still works', () => {
  const few = tensor([1, 2, 3], { dtype: 'i32' });
  const before = few.xor(few.shl(4)).toArray();
  for (let size = 1; size <= 1100; size++) assert.equal(few.slice([0, 1]).broadcastTo([size]).sum().item(), BigInt(size));
  assert.deepEqual(few.xor(few.shl(4)).toArray(), before);
});

test('floats are added, divided and compared as kernels do it, few or many', () => {
  const special = [0, -0, 1, -1, NaN, Infinity, -Infinity, 1e308, 5e-324, 0.1, 1 / 3, 16777217];
  const pairs = special.flatMap((a) => special.map((b) => [a, b]));
  for (const dtype of /** @type {const} */ (['f64', 'f32'])) {
    const [a, b] = [0, 1].map((at) => tensor(pairs.map((pair) => pair[at]), { dtype }));
    for (const name of ['add', 'sub', 'mul', 'div', 'min', 'max']) {
      const many = functions[name](a, b).toArray();
      const few = pairs.map((_, at) => functions[name](a.slice([at, at + 1]).copy(), b.slice([at, at + 1]).copy()).item());
      assert.deepEqual(few, many, `${name} ${dtype}`);
      assert.deepEqual(many.map((/** @type {number} */ v) => Object.is(v, -0)), few.map((v) => Object.is(v, -0)), `${name} ${dtype}`);
    }
  }
});

test('what does not fit is refused by the call, not by whoever looks', () => {
  for (const size of [3, 500]) {
    const t = zeros([size]);
    refuses(() => t.add(zeros([size + 1])), 'ERR_SHAPE', /^add: axis 0 of shapes \[\d+\] and \[\d+\] differ/);
    refuses(() => tensor(new Int32Array(size)).sin(), 'ERR_DTYPE', /^sin: operand 1 .* is i32, but the op takes floats$/);
    refuses(() => t.sum({ axs: 1 }), 'ERR_ARGUMENT', /unknown option 'axs'/);
    refuses(() => t.sum({ axis: 1 }), 'ERR_SHAPE', /axis 1 is out of range/);
    refuses(() => t.add('1'), 'ERR_ARGUMENT', /for operand 2, got "1"$/);
    refuses(() => t.add(), 'ERR_ARGUMENT', /^add: expected 2 operands/);
    refuses(() => t.sin(1), 'ERR_ARGUMENT', /^sin: expected 1 operands/);
    refuses(() => t.add(undefined), 'ERR_ARGUMENT', /for operand 2, got undefined$/);
    refuses(() => t.add(new Map()), 'ERR_ARGUMENT', /for operand 2, got a Map$/);
  }
  const { port1 } = new MessageChannel();
  for (const size of [3, 500]) {
    const array = new Float64Array(size);
    const t = tensor(array);
    assert.equal(t.add(t).at(0), 0);
    port1.postMessage(null, [array.buffer]);
    refuses(() => t.add(t), 'ERR_STATE', /detached/);
    refuses(() => t.neg(), 'ERR_STATE', /detached/);
    refuses(() => t.add(1), 'ERR_STATE', /detached/);
  }
  port1.close();
});

test('beside a value a tensor is a constant, as ever', () => {
  const graph = new Graph();
  const v = graph.input('v', 'f64', [2]);
  for (const made of [tensor([1, 2]).add(v), functions.add(tensor([1, 2]), v), functions.concat([tensor([1]), v])]) {
    assert.ok(made instanceof Value);
  }
  refuses(() => functions.add([1], [2]), 'ERR_ARGUMENT', /expected a Tensor or a Value/);
});

// ------------------------------------------------------------------------------------------ memory

test('a million small operations and a thousand large ones do not grow the process', () => {
  const script = `
    const { ones } = require('graphjit');
    const [few, many] = [ones([16]), ones([5e5])];
    const whole = ones([16], { dtype: 'i32' });
    const grown = (count, operate) => {
      for (let i = 0; i < count / 10; i++) operate(i);
      gc();
      const before = process.memoryUsage.rss();
      for (let i = 0; i < count; i++) operate(i);
      gc();
      return Math.round((process.memoryUsage.rss() - before) / 2 ** 20);
    };
    console.log(JSON.stringify({
      small: grown(1e6, (i) => few.add(few).mul(i)),
      bound: grown(1e5, (i) => whole.xor(i).sum().item()),
      large: grown(1000, (i) => i % 10 === 0 ? many.add(i).data : many.add(i).sum()),
      disposed: grown(200, (i) => { const made = many.add(i); made.at(0); made.dispose(); }),
      shapes: grown(600, (i) => few.broadcastTo([i + 1, 16]).sum({ axis: 0 }).at(0)),
    }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '-e', script], { cwd: path.join(__dirname, '..'), encoding: 'utf8' });
  assert.equal(stderr, '');
  for (const [what, mebibytes] of Object.entries(JSON.parse(stdout))) assert.ok(mebibytes < 128, `${what}: ${mebibytes} MiB`);
});

test('kernels that make room go at once, and come again', () => {
  const script = `
    const { map, tensor } = require('graphjit');
    const { native } = require('./lib/base/binding.js');
    const x = tensor([[1, 2, 3]]);
    const calls = [
      (i) => x.pad(i + 1).at(i + 1, i + 2),
      (i) => map((v) => v.mul(i), x).at(0, 1) / i,
      (i) => tensor([1]).leakyRelu({ slope: i }).item() + 1,
    ];
    const results = new Set();
    const sum = () => x.T.sum().item() + Number(x.argsort().at(0, 2));
    results.add(sum() / 4);
    for (let i = 1; i < 250; i++) for (const call of calls) results.add(call(i));
    results.add(sum() / 4); // known of a program that is gone
    console.log(JSON.stringify([[...results], native.usage().programs < 600]));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: path.join(__dirname, '..'), encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.deepEqual(JSON.parse(stdout), [[2], true]);
});
