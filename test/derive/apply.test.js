// Derivatives of functions that come from elsewhere: native functions applied to elements, C functions, and functions
// whose cotangents another function gives.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, cond, forLoop, native, tensor } = require('graphjit');
const { stateOf } = require('../../lib/graph/value.js');
const { gradients } = require('../../lib/transform/derivatives.js');
const { grad } = require('../../lib/transform/index.js');
const { customGrad, stopGradient } = require('../../lib/transform/overrides.js');
const { assertNear, checkDerivatives, randomTensor } = require('./support.js');

/** @type {(shapes: Record<string, number[]>) => Record<string, import('graphjit').Tensor>} */
const randomOf = (shapes) =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape], i) => [name, randomTensor(shape, { seed: 17 + i })]));

/** Native functions give f64 unless a signature says otherwise. @type {typeof checkDerivatives} */
const checkApplied = (build, inputs, options) => checkDerivatives(build, inputs, { narrow: false, ...options });

// ------------------------------------------------------------------------------------------- apply

test('native functions of one and of several numbers, which broadcast', () => {
  const wave = native((a) => Math.sin(a) * Math.exp(-a * a));
  const mixed = native((a, b) => a * a * b + Math.atan(b / (1 + a * a)));
  for (const n of [1, 2, 7]) {
    checkApplied(({ x }) => wave(x), randomOf({ x: [n] }), { symbolic: { x: ['n'] } });
    checkApplied(({ x, y }) => mixed(x, y), randomOf({ x: [n, 3], y: [3] }), { symbolic: { x: ['n', 3], y: [3] } });
    checkApplied(({ x, y }) => mixed(y, x), randomOf({ x: [n, 1], y: [3] }));
  }
});

test('native functions with branches and loops', () => {
  const bent = native((a) => {
    if (a > 0.2) return a * a * a;
    return Math.exp(a) - 1;
  });
  const series = native((a, b) => {
    let sum = 0;
    let term = b;
    for (let i = 1; i < 6; i++) {
      term *= a / i;
      sum += term;
    }
    return sum;
  });
  checkApplied(({ x }) => bent(x), randomOf({ x: [7] }));
  checkApplied(({ x, y }) => series(x, y), randomOf({ x: [5], y: [5] }));
});

test('a native function in f32 has derivatives in f32', () => {
  const square = native((a, b) => a * a * b);
  const graph = new Graph('narrow');
  const [x, y] = [graph.input('x', 'f32', ['n']), graph.input('y', 'f32', [])];
  const grads = gradients(square(x, y).sum(), [x, y]);
  grads.forEach((each, i) => graph.output(`grad ${i}`, each));
  assert.deepEqual(grads.map(({ dtype }) => dtype), ['f32', 'f32']);
  const program = graph.compile();
  for (const run of [(given) => graph.eval(given), (given) => program.run(given)]) {
    const results = run({ x: Float32Array.of(1, 2, 3), y: Float32Array.of(0.5) });
    assert.deepEqual([...results['grad 0'].data, ...results['grad 1'].data], [1, 2, 3, 14]);
  }
  program.dispose();
});

test('a signature says that numbers are f32', () => {
  const fn = native((a, b) => a * Math.sin(b), 'f32(f32, f32)');
  const graph = new Graph('signature');
  const [x, y] = ['x', 'y'].map((name) => graph.input(name, 'f32', [2]));
  gradients(fn(x, y).sum(), [x, y]).forEach((each, i) => graph.output(`grad ${i}`, each));
  const results = graph.eval({ x: Float32Array.of(1, 2), y: Float32Array.of(0.5, 3) });
  assertNear(results['grad 0'].data, [Math.sin(0.5), Math.sin(3)], 1e-6, 'by the first');
  assertNear(results['grad 1'].data, [Math.cos(0.5), 2 * Math.cos(3)], 1e-6, 'by the second');
});

test('arguments that are no operands: functions, numbers, and what is left out', () => {
  const scaled = native((a, k, b) => (k === undefined ? a * b : a * k * b));
  const times = native((a, fn) => fn(a) * a);
  checkApplied(({ x, y }) => scaled(x, undefined, y).add(scaled(x, 3, y)), randomOf({ x: [3], y: [3] }));
  checkApplied(({ x }) => times(x, (a) => Math.sin(a)), randomOf({ x: [3] }));
});

test('derivatives of derivatives of derivatives', () => {
  const fourth = native((a) => a ** 4);
  const third = grad((c) => grad((b) => grad((a) => fourth(a).sum())(b).sum())(c).sum());
  assertNear(third(tensor([1, 2])).data, [24, 48], 1e-13, 'third derivative');
});

test('a native function of which no derivative depends on the operands', () => {
  const line = native((a, b) => 3 * a + 1 + 0 * b);
  checkApplied(({ x, y }) => line(x, y).mul(x), randomOf({ x: [3], y: [3] }));
});

test('operands of integers have no cotangents', () => {
  const power = native((a, n) => {
    let result = 1;
    for (let i = 0; i < n; i++) result *= a;
    return result;
  });
  checkApplied(({ x, n }) => power(x, n), { x: randomTensor([5], { seed: 2 }), n: tensor(Int32Array.of(0, 1, 2, 3, 4), { dtype: 'i32' }) });
});

test('native functions in the bodies of loops and branches', () => {
  const step = native((a, b) => Math.tanh(a) * b);
  checkApplied(({ x, w }) => forLoop(0, 3, (_, c) => step(c, w), x), randomOf({ x: [3], w: [3] }));
  checkApplied(({ x, w }) => cond(x.sum().gt(0), () => step(x, w), () => step(w, x)), randomOf({ x: [3], w: [3] }));
});

test('many texts in one derivative', () => {
  const fns = Array.from({ length: 70 }, (_, i) => native(`(a) => Math.sin(a * ${i + 1}) / ${i + 1}`));
  const graph = new Graph('many');
  const x = graph.input('x', 'f64', []);
  graph.output('grad', gradients(fns.map((fn) => fn(x)).reduce((a, b) => a.add(b)), [x])[0]);
  const want = fns.map((_, i) => Math.cos(0.3 * (i + 1))).reduce((a, b) => a + b);
  assertNear(graph.eval({ x: 0.3 }).grad.data, [want], 1e-12, 'gradient');
});

test('what has no derivative is refused by name', () => {
  const graph = new Graph('unknown');
  const x = graph.input('x', 'f64', []);
  const y = native((a) => a * 2)(x);
  stateOf(y).applied.clear(); // as of a graph that was read from text
  const message = /derivative of apply \(%2\): nothing is known of its function but its text: apply a native function in this graph, or use methods/;
  assert.throws(() => gradients(y, [x]), { code: 'ERR_UNSUPPORTED', message });
  const called = graph.customCall('gj_test_unknown', [x], { dtype: 'f64', shape: [] });
  assert.throws(() => gradients(called, [x]), { code: 'ERR_UNSUPPORTED', message: /derivative of custom_call .*the C function gj_test_unknown/ });
});

// ------------------------------------------------------------------------------------ stopGradient

test('stopGradient: what is stopped is a constant to derivatives', () => {
  checkDerivatives(({ x }) => stopGradient({ a: x, b: [x.floor()] }).b[0].add(x.mul(2)), randomOf({ x: [3] }));
  const df = grad((x) => stopGradient(x.exp()).mul(x).sum());
  assertNear(df(tensor([0.5, 1])).data, [Math.exp(0.5), Math.E], 1e-15, 'gradient');
  const ones = tensor([1]);
  assert.deepEqual(stopGradient([2, { ones }]), [2, { ones }]);
});

test('stopGradient leaves nothing behind in code', () => {
  const graph = new Graph('stop');
  graph.output('y', stopGradient(graph.input('x', 'f64', ['n'])).add(1));
  assert.match(String(graph), /stop_gradient/);
  const program = graph.compile();
  assert.deepEqual([...program.run({ x: Float64Array.of(1, NaN) }).y.data], [2, NaN]);
  assert.equal(program.stats.nodesAfter, 3);
  program.dispose();
});

// -------------------------------------------------------------------------------------- customGrad

/** sin(a · b) with its cotangents written out, here with twice the first one when `factor` is 2. */
const product = (factor = 1) =>
  customGrad(
    ({ a }, b) => [a.mul(b).sin()],
    ([{ a }, b], [result], [ct]) => {
      const slope = ct.mul(a.mul(b).cos()).add(result.mul(0));
      return [{ a: slope.mul(b).mul(factor) }, slope.mul(a)];
    },
  );

test('customGrad: the function that is given gives the cotangents', () => {
  checkDerivatives(({ x, y }) => product()({ a: x }, y)[0].exp(), randomOf({ x: [3], y: [3] }));
  checkDerivatives(({ x, y }) => forLoop(0, 3, (_, c) => product()({ a: c }, y)[0], x), randomOf({ x: [3], y: [3] }), { second: false });
  const gradsOf = (factor) => grad((x, y) => product(factor)({ a: x }, y)[0].sum(), { wrt: [0, 1] })(tensor([0.5, 2]), tensor([0.25, 3]));
  const [[ax, ay], [bx, by]] = [gradsOf(1), gradsOf(2)];
  assertNear(bx.data, [...ax.data].map((g) => 2 * g), 1e-15, 'doubled');
  assertNear(by.data, ay.data, 1e-15, 'left alone');
});

test('customGrad: a straight-through estimate, null for what has no cotangent, integers', () => {
  const round = customGrad((x, scale, n) => x.mul(scale).roundEven().add(n.convert('f64')), (_, __, ct) => [ct, null, null]);
  const [gx, gs] = grad((x, s) => round(x, s, tensor(Int32Array.of(1, 2), { dtype: 'i32' })).mul(x).sum(), { wrt: [0, 1] })(tensor([0.4, 1.6]), tensor([2, 2]));
  assert.deepEqual([...gx.data], [1 + 1 + 0.4, 3 + 2 + 1.6]);
  assert.deepEqual([...gs.data], [0, 0]);
});

test('customGrad: derivatives of the derivative go through the second function', () => {
  const cube = customGrad((x) => x.mul(x).mul(x), ([x], _, ct) => [ct.mul(x.mul(x)).mul(3)]);
  const second = grad((x) => grad((v) => cube(v).sum())(x).sum());
  assertNear(second(tensor([1, 2])).data, [6, 12], 1e-15, 'second derivative');
});

test('customGrad says what it is given and is to give', () => {
  const f = (back) => grad((x) => customGrad((a) => a.sin(), back)(x).sum())(tensor([1, 2]));
  assert.throws(() => customGrad((x) => x), { code: 'ERR_ARGUMENT', message: /customGrad: expected a function for the second argument/ });
  assert.throws(() => f((_, __, ct) => ct), { message: /customGrad: expected an array of cotangents, one per argument for the result of the second function/ });
  assert.throws(() => f((_, __, ct) => [ct.sum()]), { code: 'ERR_SHAPE', message: /customGrad: cotangent 0 .* must be \[2\]/ });
  const captured = grad((x) => {
    const twice = x.mul(2);
    return customGrad((a) => a.mul(twice), (_, __, ct) => [ct])(x).sum();
  });
  assert.throws(() => captured(tensor([1])), { code: 'ERR_UNSUPPORTED', message: /uses a value from outside .* pass it as an argument/ });
});
