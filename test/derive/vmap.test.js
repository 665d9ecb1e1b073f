// vmap: every op for a batch gives what a loop over its examples gives, whichever operands are batched; and what vmap
// makes of trees, axes, closures, other transformations and wrong arguments.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, cond, jit, random: draws, scan, tensor, whileLoop } = require('graphjit');
const { native: addon } = require('../../lib/base/binding.js');
const { append, stateOf } = require('../../lib/graph/value.js');
const { grad, valueAndGrad } = require('../../lib/transform/index.js');
const { vmap } = require('../../lib/transform/vmap.js');
const { elementwise } = require('../ops/table.js');
const { assertClose } = require('../support/compare.js');
const { throwsGraphError } = require('../support/errors.js');
const { arrayOf, isFloat, randomOf, randoms, specials } = require('../support/values.js');
const { cases, refused } = require('./batch-cases.js');

// ------------------------------------------------------------------------------- every op of the table

const SIZES = { n: 4, m: 3 };
const BATCHES = [3, 'b'];
const COUNTS = { 3: [3], b: [5, 1, 0] };

/** Sizes such as 'n' and 'n - 1'. @type {(shape: any[], sizes: any) => number[]} */
const known = (shape, sizes) =>
  shape.map((size) => {
    if (typeof size === 'number') return size;
    const [name, less = 0] = size.split(' - ');
    return sizes[name] - Number(less);
  });
const product = (/** @type {number[]} */ shape) => shape.reduce((a, b) => a * b, 1);

/** One input of a case. @type {(spec: any, dtype: string) => { dtype: string, shape: any[], values?: any[] }} */
const specOf = (spec, dtype) => (Array.isArray(spec) ? { dtype, shape: spec } : { shape: [], ...spec, values: spec.values ?? spec.scalars });

/** Elements in turn; the start of each input differs. @type {(spec: any, count: number, at: number) => any} */
function elements({ dtype, values }, count, at) {
  const numbers = isFloat(dtype) ? [...randoms(dtype, 60, at + 1).map((x) => Number(x) % 8), -0, NaN, Infinity] : randoms(dtype, 40, at + 3);
  const pool = values ?? numbers.map((x) => (typeof x === 'number' && Math.abs(x) < 1e-3 && x !== 0 ? 0.5 : x));
  return arrayOf(dtype, Array.from({ length: count }, (_, i) => pool[(i + at * 5) % pool.length]));
}

const listOf = (/** @type {any} */ result) => [result].flat();

/** @type {(each: any, graph: any, values: any[], dtype: string) => any[]} */
const resultsOf = ({ build, isTable }, graph, values, dtype) => listOf(isTable || build.length !== values.length ? build(values, graph, dtype) : build(...values));

/** What gives symbols their values where no input of a case does. @type {(graph: any) => void} */
const bindSizes = (graph) => graph.input('sizes', 'bool', ['n', 'm']);
const bound = { sizes: tensor(new Uint8Array(SIZES.n * SIZES.m), { dtype: 'bool', shape: [SIZES.n, SIZES.m] }) };

/** @type {(each: any, dtype: string) => (graph: any, values: any[]) => any[]} */
const callOf = (each, dtype) => (graph, values) => resultsOf(each, graph, values, dtype);

/** The case for one example. @type {(each: any, dtype: string) => any} */
function exampleGraph(each, dtype) {
  const graph = new Graph('example');
  bindSizes(graph);
  const inputs = each.shapes.map((/** @type {any} */ spec, /** @type {number} */ i) => {
    const own = specOf(spec, dtype);
    return graph.input(`x${i}`, /** @type {any} */ (own.dtype), own.shape);
  });
  each.call(graph, inputs).forEach((/** @type {any} */ value, /** @type {number} */ k) => graph.output(`r${k}`, value));
  return graph;
}

/** The same for a batch; undefined where ranks have an end. @type {(each: any, dtype: string, flags: boolean[], size: number | string) => any} */
function batchGraph(each, dtype, flags, size) {
  const graph = new Graph('batch');
  bindSizes(graph);
  const inputs = each.shapes.map((/** @type {any} */ spec, /** @type {number} */ i) => {
    const own = specOf(spec, dtype);
    return graph.input(`x${i}`, /** @type {any} */ (own.dtype), flags[i] ? [size, ...own.shape] : own.shape);
  });
  const results = vmap((/** @type {any[]} */ ...values) => each.call(graph, values), { inAxes: flags.map((flag) => (flag ? 0 : null)) })(...inputs);
  results.forEach((/** @type {any} */ value, /** @type {number} */ k) => graph.output(`r${k}`, value));
  return graph;
}

/** @type {(count: number) => boolean[][]} */
const subsets = (count) => Array.from({ length: 2 ** count - 1 }, (_, bits) => Array.from({ length: count }, (__, i) => ((bits + 1) >> i) % 2 === 1));

/** What a loop over examples gives, as the batch has it. @type {(graph: any, specs: any[], data: any[], flags: boolean[], count: number) => any} */
function looped(graph, specs, data, flags, count) {
  /** @type {any} */
  const all = {};
  for (let example = 0; example < Math.max(count, 1); example++) {
    const inputs = specs.map(({ dtype, shape }, i) => {
      const size = product(shape);
      const whole = flags[i] && count === 0 ? arrayOf(dtype, Array(size).fill(0)) : data[i];
      return [`x${i}`, tensor(flags[i] ? whole.slice(example * size, (example + 1) * size) : whole, { dtype, shape })];
    });
    for (const [name, value] of Object.entries(graph.eval({ ...bound, ...Object.fromEntries(inputs) }))) (all[name] ??= []).push(value);
  }
  return Object.fromEntries(Object.entries(all).map(([name, values]) => {
    const [{ dtype, shape, data: first }] = values;
    const joined = new first.constructor(count * product(shape));
    if (count > 0) values.forEach((/** @type {any} */ value, /** @type {number} */ i) => joined.set(value.data, i * product(shape)));
    return [name, { dtype, shape: [count, ...shape], data: joined }];
  }));
}

/** @type {(got: any, want: any, tolerance: any, title: string) => void} */
function assertSame(got, want, tolerance, title) {
  for (const [name, { dtype, shape, data }] of Object.entries(want)) {
    assert.deepEqual([got[name].dtype, ...got[name].shape], [dtype, ...shape], `${title} ${name}`);
    assertClose(got[name].data, data, isFloat(dtype) ? tolerance : {}, (i) => `${title}, ${name}[${i}]`, dtype);
  }
}

/** So that each subset meets sizes of both kinds. */
let turn = 0;

/** One case by all subsets of its inputs. @type {(name: string, each: any, dtype: string, compiles: boolean) => void} */
function checkCase(name, each, dtype, compiles) {
  const own = { ...each, call: callOf(each, dtype) };
  const example = exampleGraph(own, dtype);
  const specs = own.shapes.map((/** @type {any} */ spec) => specOf(spec, dtype)).map((/** @type {any} */ spec) => ({ ...spec, shape: known(spec.shape, SIZES) }));
  for (const flags of subsets(specs.length)) {
    if (specs.some(({ shape }, i) => flags[i] && shape.length === 8)) continue;
    const size = BATCHES[turn++ % 2];
    const title = `${name} of ${dtype}, ${String(each.build).slice(0, 90)}, batched ${flags}, size ${size}`;
    let graph;
    try {
      graph = batchGraph(own, dtype, flags, size);
    } catch (error) {
      if (/^batch: a value of rank 8 /.test(/** @type {Error} */ (error).message)) continue;
      throw new Error(title, { cause: error });
    }
    for (const count of COUNTS[/** @type {3} */ (size)]) {
      const data = specs.map((/** @type {any} */ spec, /** @type {number} */ i) => elements(spec, product(spec.shape) * (flags[i] ? count : 1), i));
      const inputs = Object.fromEntries(specs.map(({ dtype: kind, shape }, i) => [`x${i}`, tensor(data[i], { dtype: kind, shape: flags[i] ? [count, ...shape] : shape })]));
      const want = looped(example, specs, data, flags, count);
      assertSame(graph.eval({ ...bound, ...inputs }), want, name.endsWith('fft') ? { ulp: 4, absolute: dtype === 'f64' ? 1e-15 : 1e-6 } : { ulp: 0 }, title); // of signals the lanes of a vector may be lines
      if (compiles && count !== 1) {
        const program = graph.compile({ tier: 'auto', cache: false });
        assertSame(program.run({ ...bound, ...inputs }), want, { ulp: 16, absolute: isFloat(dtype) ? (dtype === 'f64' ? 1e-9 : 1e-2) : 0 }, `${title}, compiled`);
        program.dispose();
      }
    }
  }
}

for (const [name, list] of Object.entries(cases)) {
  test(`${name} of batches gives what a loop over examples gives`, () => {
    const texts = list.map((each) => exampleGraph({ ...each, call: callOf(each, each.dtypes[0]) }, each.dtypes[0]).toString());
    assert.ok(texts.some((text) => new RegExp(`= ${name} `).test(text)), `no case has a ${name}`);
    for (const each of list) each.dtypes.forEach((/** @type {string} */ dtype, /** @type {number} */ i) => checkCase(name, each, dtype, i === 0));
  });
}

/** Shapes of up to three operands that broadcast. @type {(random: () => number, count: number) => number[][]} */
function operandShapes(random, count) {
  const whole = Array.from({ length: Math.floor(random() * 4) }, () => [1, 2, 3, 5][Math.floor(random() * 4)]);
  return Array.from({ length: count }, () => whole.slice(Math.floor(random() * (whole.length + 1))).map((size) => (random() < 0.2 ? 1 : size)));
}

const camelCase = (/** @type {string} */ name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

test('elementwise ops of batches give what a loop over examples gives', () => {
  const random = randomOf(3);
  for (const [name, row] of Object.entries(elementwise)) {
    const { dtypes, arity = 1, first } = row;
    const [dtype] = [...dtypes].sort(() => random() - 0.5);
    const args = row.variants?.(dtype)[0] ?? [];
    for (let round = 0; round < (arity === 1 ? 1 : 2); round++) {
      const shapes = operandShapes(random, arity).map((shape, i) => {
        const kind = i === 0 && first ? first : dtype;
        return { dtype: kind, shape, values: specials(kind) };
      });
      const build = (/** @type {any[]} */ [x, ...others]) => x[camelCase(name)](...others, ...args);
      checkCase(name, { shapes, build, isTable: true }, dtype, round === 0 && arity > 1);
    }
  }
});

test('every op of the native table is batched here, or refused', () => {
  const here = new Set([...Object.keys(cases), ...Object.keys(elementwise), ...refused]);
  assert.deepEqual(addon.ops().map(({ name }) => name).filter((name) => !here.has(name)), []);
});

// ----------------------------------------------------------------------------------- axes and trees

const matrix = tensor([[1, 2, 3], [4, 5, 6]]);
const row = tensor([10, 20, 30]);
const nested = (/** @type {any} */ value) => value.toArray();

test('axes of arguments and results count from either end', () => {
  const dot = (/** @type {any} */ a, /** @type {any} */ b) => a.mul(b).sum();
  assert.deepEqual(nested(vmap(dot)(matrix, matrix)), [14, 77]);
  assert.deepEqual(nested(vmap(dot, { inAxes: 1 })(matrix, matrix)), [17, 29, 45]);
  assert.deepEqual(nested(vmap(dot, { inAxes: [-1, 0] })(matrix.T, matrix)), [14, 77]);
  assert.deepEqual(nested(vmap(dot, { inAxes: [0, null] })(matrix, row)), [140, 320]);
  const double = (/** @type {any} */ a) => a.mul(2);
  for (const outAxes of [1, -1]) assert.deepEqual(nested(vmap(double, { outAxes })(matrix)), [[2, 8], [4, 10], [6, 12]]);
  for (const outAxes of [0, -2]) assert.deepEqual(nested(vmap(double, { inAxes: -2, outAxes })(matrix)), [[2, 4, 6], [8, 10, 12]]);
  const cube = tensor(Float64Array.from({ length: 24 }, (_, i) => i), { shape: [2, 3, 4] });
  const moved = vmap((/** @type {any} */ a) => a.T, { inAxes: 1, outAxes: 1 })(cube);
  assert.deepEqual(moved.shape, [4, 3, 2]);
  assert.deepEqual(nested(moved), nested(cube.transpose([2, 1, 0])));
});

test('trees of arguments and results have axes of their own', () => {
  const f = (/** @type {any} */ { w, rest: [b] }, /** @type {any} */ x) => ({ y: [w.mul(x).sum().add(b)], x, same: b });
  const tree = { w: matrix, rest: [tensor(1)] };
  const { y, x, same } = vmap(f, { inAxes: [{ w: 0, rest: [null] }, null], outAxes: { y: 0, x: null, same: null } })(tree, row);
  assert.deepEqual([nested(y[0]), nested(x), same.item()], [[141, 321], [10, 20, 30], 1]);
  const spread = vmap(f, { inAxes: [{ w: 0, rest: null }, null] })(tree, row);
  assert.deepEqual([nested(spread.x), nested(spread.same)], [[[10, 20, 30], [10, 20, 30]], [1, 1]]);
  assert.deepEqual(vmap(() => null, { axisSize: 3 })(), null);
  assert.deepEqual(nested(vmap((/** @type {any} */ a) => [a, 5], { inAxes: null, axisSize: 2 })(row)[1]), [5, 5]);
  assert.deepEqual(nested(vmap((/** @type {any} */ x0, /** @type {any} */ how) => (how === 'double' ? x0.mul(2) : x0), { inAxes: [0, null] })(jit((/** @type {any} */ v) => v)(row), 2)), [10, 20, 30]);
});

test('functions may use values and tensors of around, which all examples share', () => {
  const outer = jit((/** @type {any} */ w, /** @type {any} */ xs) => {
    const scale = w.exp();
    return vmap((/** @type {any} */ x) => x.mul(scale).add(row).sum().add(w.sum()))(xs);
  });
  const w = tensor([0, 1, -1]);
  const want = [0, 1].map((i) => matrix.slice(i).mul(w.exp()).add(row).sum().add(w.sum()).item());
  nested(outer(w, matrix)).forEach((/** @type {number} */ each, /** @type {number} */ i) => assert.ok(Math.abs(each - want[i]) < 1e-12));
});

test('what depends on no example is computed once', () => {
  const graph = new Graph('once');
  const [w, xs] = [graph.input('w', 'f64', [7]), graph.input('xs', 'f64', ['b', 7])];
  graph.output('y', vmap((/** @type {any} */ a, /** @type {any} */ x) => a.exp().mul(x).sum(), { inAxes: [null, 0] })(w, xs));
  assert.match(graph.toString(), /= exp %1 : f64\[7\]\n/);
  assert.equal(graph.toString().match(/broadcast|function/g), null);
});

test('functions of loops are batched once for each set of batched inputs', () => {
  const graph = new Graph('memo');
  const xs = graph.input('xs', 'f64', [4, 3]);
  const step = (/** @type {any} */ v) => cond(v.sum().gt(1), (/** @type {any} */ a) => a.mul(0.5), (/** @type {any} */ a) => a, v);
  const body = (/** @type {any} */ x) => scan((/** @type {any} */ c, /** @type {any} */ v) => [step(c).add(v), step(c)], x.sum(), x)[1];
  graph.output('y', vmap(body)(xs));
  const functions = graph.toString().match(/^ *function/gm) ?? [];
  assert.ok(functions.length <= 10, graph.toString());
});

// --------------------------------------------------------------------------- other transformations

/** @type {(a: any, b: any) => void} */
const assertNear = (a, b) => {
  assert.deepEqual(a.shape, b.shape);
  const want = b.copy().data;
  a.copy().data.forEach((/** @type {number} */ each, /** @type {number} */ i) =>
    assert.ok(Math.abs(each - want[i]) <= 1e-12 * (1 + Math.abs(each)), `[${i}] is ${each}, expected ${want[i]}`),
  );
};
/** @type {(shape: number[], seed: number) => any} */
const randomTensor = (shape, seed) => {
  const random = randomOf(seed);
  return tensor(Float64Array.from({ length: product(shape) }, () => random() * 2 - 1), { shape });
};
/** @type {(parts: any[]) => any} */
const stacked = (parts) => tensor(Float64Array.from(parts.flatMap((part) => [...part.data])), { shape: [parts.length, ...parts[0].shape] });

const loss = (/** @type {any} */ { w, b }, /** @type {any} */ x, /** @type {any} */ y) => x.matmul(w).add(b).tanh().sub(y).pow(2).sum();

test('gradients of each example are those of a loop over examples', () => {
  const params = { w: randomTensor([3, 2], 1), b: randomTensor([2], 2) };
  const [xs, ys] = [randomTensor([5, 3], 3), randomTensor([5, 2], 4)];
  const each = vmap(grad(loss), { inAxes: [null, 0, 0] });
  const one = grad(loss);
  const want = Array.from({ length: 5 }, (_, i) => one(params, xs.slice(i), ys.slice(i)));
  for (const got of [each(params, xs, ys), jit(each)(params, xs, ys)]) {
    assertNear(got.w, stacked(want.map(({ w }) => w)));
    assertNear(got.b, stacked(want.map(({ b }) => b)));
  }
  const both = vmap(valueAndGrad(loss), { inAxes: [null, 0, 0] })(params, xs, ys);
  assertNear(both[1].w, stacked(want.map(({ w }) => w)));
  assertNear(both[0], stacked(Array.from({ length: 5 }, (_, i) => jit(loss)(params, xs.slice(i), ys.slice(i)))));
});

test('a gradient of a batch is that of a sum over examples', () => {
  const params = { w: randomTensor([3, 2], 1), b: randomTensor([2], 2) };
  const [xs, ys] = [randomTensor([5, 3], 3), randomTensor([5, 2], 4)];
  const whole = (/** @type {any} */ p) => vmap(loss, { inAxes: [null, 0, 0] })(p, xs, ys).sum();
  const parts = (/** @type {any} */ p) => Array.from({ length: 5 }, (_, i) => loss(p, xs.slice(i), ys.slice(i))).reduce((a, b) => a.add(b));
  const [got, want] = [grad(whole)(params), grad(parts)(params)];
  assertNear(got.w, want.w);
  assertNear(got.b, want.b);
});

test('batches of batches are as batches of both', () => {
  const [a, b] = [randomTensor([4, 3], 1), randomTensor([5, 3], 2)];
  const dot = (/** @type {any} */ x, /** @type {any} */ y) => x.mul(y).sum().tanh();
  const pairs = vmap(vmap(dot, { inAxes: [null, 0] }), { inAxes: [0, null] });
  assertNear(pairs(a, b), a.matmul(b.T).tanh());
  const loops = vmap(vmap((/** @type {any} */ n, /** @type {any} */ x) => whileLoop(({ i }) => i.lt(n), ({ i, v }) => ({ i: i.add(1), v: v.add(x) }), { i: n.sub(n), v: x }).v, { inAxes: [0, null] }), { inAxes: [null, 0] });
  const got = loops(tensor([0, 3, 1], { dtype: 'i64' }), tensor([1, 10]));
  assert.deepEqual(nested(got), [[1, 4, 2], [10, 40, 20]]);
});

test('derivatives inside of a batch and around it are apart', () => {
  // d/dx x · d/dy (x · y) for each y is 2x, not 3x or x
  const mixed = grad((/** @type {any} */ x) => vmap((/** @type {any} */ y) => x.mul(grad((/** @type {any} */ z) => x.mul(z))(y)))(row).sum());
  assert.equal(mixed(tensor(5)).item(), 3 * 2 * 5);
  // what is derived by another value of the same elements is none of the outer variable
  const apart = jit((/** @type {any} */ x) => grad((/** @type {any} */ z) => vmap((/** @type {any} */ a) => grad((/** @type {any} */ w) => w.mul(w).mul(a).sum())(x).sum())(matrix).sum().add(z.sum()))(x));
  assert.deepEqual(nested(apart(row)), [1, 1, 1]);
});

test('a batch may have a size that is known when it runs', () => {
  const graph = new Graph('symbolic');
  const xs = graph.input('xs', 'f64', ['b', 3]);
  const w = graph.input('w', 'f64', [3]);
  graph.output('y', vmap(grad((/** @type {any} */ v, /** @type {any} */ x) => v.mul(x).sum().tanh()), { inAxes: [null, 0] })(w, xs));
  graph.output('z', vmap((/** @type {any} */ x) => x.sort().cumulateSum(0))(xs));
  graph.output('ones', vmap(() => 1, { inAxes: null, axisSize: 'b' })(w));
  const program = graph.compile();
  for (const count of [0, 1, 2, 7]) {
    const inputs = { xs: randomTensor([count, 3], count), w: row };
    const [got, want] = [program.run(inputs), graph.eval(inputs)];
    assertNear(got.y, want.y);
    assertNear(got.z, want.z);
    assert.deepEqual(nested(got.ones), Array(count).fill(1));
  }
  const list = jit(vmap((/** @type {any} */ x) => x.max()), { symbolic: [['b', 3]] });
  assert.deepEqual([nested(list(matrix)), nested(list(matrix.slice([0, 1])))], [[3, 6], [3]]);
});

test('random numbers of keys are those that each key gives', () => {
  const list = draws.split(draws.key(7), 3);
  const keys = list[0].stack(list.slice(1));
  const draw = (/** @type {any} */ key) => [draws.normal([4], { key }), draws.uniform([2, 2], { key })];
  const [normal, uniform] = vmap(draw)(keys);
  for (let i = 0; i < 3; i++) {
    const [a, b] = jit(draw)(list[i]);
    assert.deepEqual([nested(normal)[i], nested(uniform)[i]], [nested(a), nested(b)]);
  }
});

// ------------------------------------------------------------------------------------------ errors

test('errors name argument, axis and sizes', () => {
  const add = (/** @type {any} */ a, /** @type {any} */ b) => a.add(b);
  /** @type {[() => unknown, string, RegExp][]} */
  const wrong = [
    [() => vmap(add)(matrix, row), 'ERR_SHAPE', /^vmap: axis 0 of argument 1 has size 3, but axis 0 of argument 0 has 2$/],
    [() => vmap(add, { inAxes: [0, -1] })({ w: matrix }, matrix), 'ERR_SHAPE', /^vmap: axis 1 of argument 1 has size 3, but axis 0 of argument 0\.w has 2$/],
    [() => vmap(add, { axisSize: 4 })(matrix, matrix), 'ERR_SHAPE', /^vmap: axis 0 of argument 0 has size 2, but option 'axisSize' says 4$/],
    [() => vmap(add)(matrix, 3), 'ERR_SHAPE', /^vmap: option 'inAxes' says axis 0, but argument 1 is a scalar, which has no axis: say null/],
    [() => vmap(add, { inAxes: 2 })(matrix, matrix), 'ERR_SHAPE', /^vmap: option 'inAxes' says axis 2, but argument 0 has rank 2$/],
    [() => vmap(add, { inAxes: [0] })(matrix, matrix), 'ERR_ARGUMENT', /^vmap: option 'inAxes' is .*, but the function was given 2 arguments/],
    [() => vmap(add, { inAxes: { a: 0 } })(matrix, matrix), 'ERR_ARGUMENT', /^vmap: option 'inAxes' is /],
    [() => vmap(add, { inAxes: [{ w: 0 }, 0] })({ v: matrix }, matrix), 'ERR_ARGUMENT', /^vmap: option 'inAxes' has .* for argument 0, which is not as that is/],
    [() => vmap(add, { inAxes: null })(matrix, matrix), 'ERR_ARGUMENT', /^vmap: no argument has a batch, so option 'axisSize' must say/],
    [() => vmap(add, { outAxes: null })(matrix, matrix), 'ERR_ARGUMENT', /^vmap: option 'outAxes' says null, but the result is another one for each example$/],
    [() => vmap((/** @type {any} */ a) => ({ y: a }), { outAxes: { y: null } })(matrix), 'ERR_ARGUMENT', /says null, but the result\.y is another one/],
    [() => vmap(add, { outAxes: 2 })(matrix, matrix), 'ERR_SHAPE', /^vmap: option 'outAxes' says axis 2, but the result has rank 2$/],
    [() => vmap(add, { outAxes: [0] })(matrix, matrix), 'ERR_ARGUMENT', /^vmap: option 'outAxes' has .* for the result/],
    [() => vmap(/** @type {any} */ (3)), 'ERR_ARGUMENT', /^vmap: expected a function for the first argument, got 3$/],
    [() => vmap(add, { inAxis: 0 }), 'ERR_ARGUMENT', /unknown option 'inAxis' \(did you mean 'inAxes'\?\)/],
    [() => vmap(add, { inAxes: 0.5 }), 'ERR_ARGUMENT', /^vmap: expected an axis, null, or a tree of them for option 'inAxes', got 0\.5$/],
    [() => vmap(async (/** @type {any} */ a) => a)(matrix), 'ERR_ARGUMENT', /^vmap: the function returned a Promise/],
    [() => vmap((/** @type {any} */ a) => a.compress(row.gt(15), { axis: 0 }))(matrix), 'ERR_UNSUPPORTED', /^compress: sizes of values inside a function do not depend on data/],
    [() => vmap((/** @type {any} */ a) => a.item())(matrix), 'ERR_ARGUMENT', /^vmap: JavaScript asked /],
  ];
  for (const [act, code, message] of wrong) throwsGraphError(act, code, message);
  /** @type {any} */
  let kept;
  vmap((/** @type {any} */ a) => (kept = a))(matrix);
  throwsGraphError(() => kept.add(1), 'ERR_STATE', /^vmap: .* return it as a result instead/);
});

test('a call of code from elsewhere has no batch, but may be shared', () => {
  const graph = new Graph('custom');
  const [x, xs] = [graph.input('x', 'f64', [2]), graph.input('xs', 'f64', [3, 2])];
  const call = (/** @type {any} */ v) => append(stateOf(v), 'custom_call', [v], { dtype: 'f64', shape: [2] }, 'somewhere');
  throwsGraphError(() => vmap(call)(xs), 'ERR_UNSUPPORTED', /^batch of custom_call "somewhere": its code takes one example/);
  assert.equal(vmap((/** @type {any} */ v) => call(x).add(v))(xs).rank, 2);
});

test('ranks have an end', () => {
  const graph = new Graph('ranks');
  const [x, y] = [graph.input('x', 'f64', [1, 1, 1, 1, 1, 1, 1, 1]), graph.input('y', 'f64', [3])];
  throwsGraphError(() => vmap((/** @type {any} */ v) => x.add(v))(y), 'ERR_SHAPE', /^batch: a value of rank 8 is the highest there is, without a batch$/);
});
