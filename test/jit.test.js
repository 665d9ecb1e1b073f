// Functions of tensors: what they take and give, when they are traced, and what they refuse.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Worker } = require('node:worker_threads');
const { Graph, Tensor, jit, tensor, zeros } = require('graphjit');
const { native } = require('../lib/base/binding.js');
const { parameterNames } = require('../lib/trace/parameter-names.js');
const { gcUntil } = require('./support/gc.js');
const { throwsGraphError: refuses } = require('./support/errors.js');

/** A function that counts how often it is traced. */
function counted(/** @type {(...args: any[]) => unknown} */ fn, options = {}) {
  let traces = 0;
  const traced = jit((/** @type {any[]} */ ...args) => (traces++, fn(...args)), options);
  return { call: traced, traces: () => traces };
}

const arrays = (/** @type {any} */ tree) => JSON.parse(JSON.stringify(tree, (_, value) => (value instanceof Tensor ? value.toArray() : value)));

// ------------------------------------------------------------------------------------ calling

test('a function is traced once per dtype and shape, and gives what it would give', () => {
  const { call, traces } = counted((x, y) => x.mul(y).add(x));
  const [x, y] = [tensor([1, 2, 3]), tensor([4, 5, 6])];
  for (let i = 0; i < 3; i++) assert.deepEqual(call(x, y).toArray(), [5, 12, 21]);
  assert.equal(traces(), 1);
  const single = tensor([1, 2], { dtype: 'f32' });
  assert.equal(call(single, single).dtype, 'f32');
  assert.deepEqual(call(x, y).toArray(), [5, 12, 21]);
  assert.deepEqual(call(x.reshape([3, 1]), y).shape, [3, 3]);
  assert.deepEqual([traces(), call.cacheSize], [3, 3]);
});

test('arguments may be tensors of any strides, typed arrays, numbers, bigints and booleans', () => {
  const f = jit((/** @type {any} */ x, /** @type {any} */ y) => x.add(y));
  const table = tensor([[1, 2], [3, 4]]);
  assert.deepEqual(f(table, table.T).toArray(), [[2, 5], [5, 8]]);
  assert.deepEqual(f(table.slice(1), Float64Array.of(10, 20)).toArray(), [13, 24]);
  assert.deepEqual(f(table.slice(null, 1), 1).toArray(), [3, 5]);
  assert.deepEqual(f(1, 2).toArray(), 3);
  assert.equal(f(2n ** 62n, 1n).item(), 2n ** 62n + 1n);
  assert.equal(jit((/** @type {any} */ x) => x.not())(true).item(), false);
  refuses(() => f(2n ** 63n, 1n), 'ERR_DTYPE', /argument 'x' is 9223372036854775808n, which i64 does not hold/);
  for (let i = 0; i < 2; i++) assert.deepEqual(f(new Uint8ClampedArray([1, 255]), new Uint8ClampedArray([1, 1])).toArray(), [2, 0]);
});

test('trees go in and come out, in their order', () => {
  const step = jit((/** @type {any} */ params, /** @type {any} */ { x, rate }) => ({
    params: params.map((/** @type {any} */ { w, b }) => ({ w: w.sub(x.mul(rate)), b })),
    loss: x.sum(),
    constants: [3, true, null, tensor([1, 2])],
  }));
  const given = [{ w: tensor([1, 2]), b: null }, { w: tensor([3, 4]), b: tensor(5) }];
  for (const scale of [1, 2, 3]) {
    const result = step(given, { x: tensor([1, 1]), rate: scale });
    const params = [{ w: [1 - scale, 2 - scale], b: null }, { w: [3 - scale, 4 - scale], b: 5 }];
    assert.deepEqual(arrays(result), { params, loss: 2, constants: [3, true, null, [1, 2]] });
    assert.deepEqual(Object.keys(result), ['params', 'loss', 'constants']);
  }
  assert.equal(step.cacheSize, 1);
  const odd = jit((/** @type {any} */ tree) => tree)(JSON.parse('{ "__proto__": 1, "constructor": [2] }'));
  assert.deepEqual(Object.keys(odd), ['__proto__', 'constructor']);
  assert.equal(Object.getPrototypeOf(odd), Object.prototype);
});

test('another structure, order of names or number of arguments is another trace', () => {
  const { call, traces } = counted((...args) => args.filter((arg) => arg !== undefined));
  for (const args of [[1], [1, 1], [[1]], [{ a: 1, b: 2 }], [{ b: 2, a: 1 }], [null], [undefined], [], [{ a: 1, c: 2 }]]) call(...args);
  assert.equal(traces(), 9);
  assert.deepEqual(arrays(call({ b: 2, a: 1 })), [{ b: 2, a: 1 }]);
  assert.equal(traces(), 9);
});

test('results are fresh memory, small and large', () => {
  for (const n of [3, 5000]) {
    const f = jit((/** @type {any} */ x) => ({ same: x, again: x, two: x.add(1) }));
    const x = zeros([n]);
    const [a, b] = [f(x), f(x)];
    const buffers = [x, a.same, a.again, a.two, b.same, b.again, b.two].map(({ data }) => data.buffer);
    assert.equal(new Set(buffers).size, 7);
    b.two.set([0], 9);
    assert.equal(f(x).two.at(0), 1);
  }
});

test('numbers take the dtype of floats beside them, as numbers in the text do', () => {
  const f = jit((/** @type {any} */ x, /** @type {any} */ rate) => x.sub(x.mul(rate.mul(2).add(1))));
  assert.equal(f(tensor([1, 2], { dtype: 'f32' }), 0.5).dtype, 'f32');
  assert.equal(f(tensor([1, 2]), 0.5).dtype, 'f64');
  assert.equal(f(tensor([1, 2], { dtype: 'f32' }), tensor(0.5)).dtype, 'f64');
  assert.equal(jit((/** @type {any} */ x, /** @type {any} */ n) => x.add(n))(tensor([1], { dtype: 'i32' }), 2n).dtype, 'i32');
  assert.equal(jit((/** @type {any} */ x, /** @type {any} */ n) => x.add(n.astype('f64')))(tensor([1], { dtype: 'f32' }), 2).dtype, 'f64');
});

test('tensors, typed arrays and numbers that a function closes over are constants', () => {
  const weights = tensor([10, 20]);
  const f = jit((/** @type {any} */ x) => x.mul(weights).add(Float64Array.of(1, 2)).add(1));
  assert.deepEqual(f(tensor([1, 2])).toArray(), [12, 43]);
  weights.set([0], 0); // baked in
  assert.deepEqual(f(tensor([1, 2])).toArray(), [12, 43]);
});

test('a traced function inside of another one, or of a graph, becomes a part of it', () => {
  const { call: inner, traces } = counted((x, k) => x.mul(k));
  const outer = jit((/** @type {any} */ x) => inner(x.add(1), 3));
  assert.deepEqual(outer(tensor([1, 2])).toArray(), [6, 9]);
  assert.deepEqual([traces(), inner.cacheSize, outer.cacheSize], [1, 0, 1]);
  const graph = new Graph();
  graph.output('y', inner(graph.input('x', 'f32', ['n']), 2));
  assert.deepEqual(graph.eval({ x: Float32Array.of(1) }).y.toArray(), [2]);
});

test('functions without arguments or without tensors in their result work', () => {
  assert.deepEqual(jit(() => tensor([1, 2]))().toArray(), [1, 2]);
  assert.deepEqual(jit((/** @type {any} */ _x) => ({ none: [null, {}] }))(1), { none: [null, {}] });
  assert.deepEqual(jit((/** @type {any} */ x, /** @type {any} */ _unused) => x)(1, 2).toArray(), 1);
  assert.deepEqual(jit((/** @type {any} */ x) => x)(zeros([0, 3])).shape, [0, 3]);
});

test('thousands of leaves go in and come out', () => {
  const tree = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`w${i}`, tensor([i])]));
  const f = jit((/** @type {any} */ all) => ({ first: all.w0.add(1), last: all.w2999, count: Object.keys(all).length }), { optLevel: 0 });
  for (let i = 0; i < 2; i++) assert.deepEqual(arrays(f(tree)), { first: [1], last: [2999], count: 3000 });
});

// ------------------------------------------------------------------------------------ options

test('static arguments are compared by what they hold', () => {
  const relu = () => 0;
  const { call, traces } = counted((x, mode) => (mode?.deep?.[0] === 1 ? x.add(1) : x.sub(1)), { static: [1] });
  const one = tensor([1]);
  for (const mode of [{ deep: [1], b: 2 }, { b: 2, deep: [1] }]) assert.deepEqual(call(one, mode).toArray(), [2]);
  assert.equal(traces(), 1);
  for (const mode of ['1', 1, 1n, true, null, undefined, -0, 0, NaN, relu, () => 0, [1], ['1'], {}]) call(one, mode);
  assert.equal(traces(), 15);
  for (const mode of ['1', NaN, relu, -0, [1], { deep: [1], b: 2 }]) call(one, mode);
  assert.equal(traces(), 15);
  const changing = { deep: [1] };
  assert.deepEqual(call(one, changing).toArray(), [2]);
  changing.deep[0] = 2;
  assert.deepEqual(call(one, changing).toArray(), [0]);
});

test('static arguments may be named, and must be plain data', () => {
  const f = jit((/** @type {any} */ x, /** @type {string} */ mode) => (mode === 'up' ? x.add(1) : x.sub(1)), { static: ['mode'] });
  assert.equal(f(1, 'up').item(), 2);
  assert.equal(f(1, 'down').item(), 0);
  /** @type {any} */
  const cycle = {};
  cycle.self = [cycle];
  refuses(() => f(1, cycle), 'ERR_ARGUMENT', /argument 'mode'\.self\[0\] holds itself/);
  for (const value of [tensor(1), new Float64Array(1), new Map(), Symbol('s'), { deep: new Date() }]) {
    refuses(() => f(1, /** @type {any} */ (value)), 'ERR_ARGUMENT', /argument 'mode'.* is .*, expected plain data or a function/);
  }
  refuses(() => f(1, 'x'.repeat(2e6)), 'ERR_ARGUMENT', /too large to be compared/);
  refuses(() => jit((/** @type {any} */ x) => x)(/** @type {any} */ ('text')), 'ERR_ARGUMENT', /argument 'x' is "text", which is no tensor: name it in option 'static'/);
});

test('symbolic sizes make one trace for all', () => {
  const { call, traces } = counted((x, y) => x.add(y).sum({ axis: 0 }), { symbolic: true });
  assert.deepEqual(call(zeros([3, 2]), zeros([3, 2])).shape, [2]);
  for (const [n, m] of [[4, 5], [1000, 7], [0, 3]]) assert.deepEqual(call(zeros([n, m]), zeros([n, m])).shape, [m]);
  assert.equal(traces(), 1);
  call(zeros([4, 4]), zeros([4, 4])); // equal sizes are another pattern
  call(zeros([4, 5]), zeros([1, 5])); // and so is 1
  assert.equal(traces(), 3);
});

test('symbolic sizes may be told per argument', () => {
  const { call, traces } = counted((x, { w, b }) => x.mul(w).add(b.sum()), { symbolic: [['n', 4], { b: ['m'] }] });
  const params = (/** @type {number} */ m) => ({ w: zeros([4]), b: tensor(new Float64Array(m).fill(2)) });
  for (const n of [1, 3, 100]) assert.deepEqual(call(zeros([n, 4]), params(4)).at(n - 1, 3), 8);
  assert.equal(traces(), 0 + 1);
  refuses(() => call(zeros([3, 5]), params(3)), 'ERR_SHAPE', /argument 'arg0' has shape \[3, 5\], option 'symbolic' says \["n", 4\]/);
  refuses(() => jit((/** @type {any} */ x) => x, { symbolic: [4] })(zeros([4])), 'ERR_ARGUMENT', /expected null or an array of sizes, such as \['n', 4\] for option 'symbolic' at x, got 4/);
});

test('donated tensors are disposed of, and their memory is used again', () => {
  for (const n of [2, 4096]) {
    const step = jit((/** @type {any} */ x, /** @type {any} */ y) => [x.add(y), y.sum()], { donate: ['x'] });
    const y = tensor(new Float64Array(n).fill(1));
    const first = zeros([n]);
    const row = first.slice([0, 2]);
    let [x] = step(first, y);
    refuses(() => first.toArray(), 'ERR_STATE', /toArray: the tensor is disposed/);
    refuses(() => row.at(0), 'ERR_STATE', /disposed/);
    refuses(() => step(first, y), 'ERR_STATE', /disposed/);
    for (let i = 0; i < 5; i++) [x] = step(x, y);
    assert.deepEqual([x.at(0), x.at(n - 1), y.at(0)], [6, 6, 1]);
  }
  const tree = { a: zeros([2]), b: zeros([3]), c: 1 };
  const other = zeros([2]);
  jit((/** @type {any} */ _x, /** @type {any} */ y) => y.a, { donate: [1] })(other, tree);
  refuses(() => tree.b.at(0), 'ERR_STATE', /disposed/);
  assert.equal(other.at(0), 0);
});

test('options are checked', () => {
  const f = (/** @type {any} */ x, /** @type {any} */ y) => x.add(y);
  refuses(() => jit(/** @type {any} */ (3)), 'ERR_ARGUMENT', /^jit: expected a function for the first argument, got 3/);
  refuses(() => jit(f, /** @type {any} */ ({ statics: [1] })), 'ERR_ARGUMENT', /unknown option 'statics' \(did you mean 'static'\?\), known options are 'static', 'donate'/);
  refuses(() => jit(f, { static: ['z'] }), 'ERR_ARGUMENT', /option 'static': the function has no parameter 'z' .*its parameters are 'x', 'y'/);
  refuses(() => jit(f, /** @type {any} */ ({ static: 0 })), 'ERR_ARGUMENT', /expected an array of positions and names/);
  refuses(() => jit(f, { donate: [-1] }), 'ERR_ARGUMENT', /expected positions and names of arguments for option 'donate', got -1/);
  refuses(() => jit(f, { donate: [1], static: ['y'] }), 'ERR_ARGUMENT', /argument 1 is both static and donated/);
  refuses(() => jit(f, { threads: 0 }), 'ERR_ARGUMENT', /for option 'threads', got 0/);
  const strict = jit(f, { numerics: 'strict', threads: 1, optLevel: 1, tier: 'llvm', name: 'mine' });
  assert.equal(strict(1, 2).item(), 3);
  assert.deepEqual([strict.name, strict.length, jit(f).name], ['mine', 2, 'f']);
});

test('traces are kept up to a limit, and freed', async () => {
  const { call, traces } = counted((x) => x.add(1), { cacheLimit: 2 });
  // Programs of the tests before would go while this one counts.
  let last = NaN;
  await gcUntil(() => last === (last = native.usage().programs));
  const before = native.usage().programs;
  for (const n of [1, 2, 1, 3, 1, 2]) assert.equal(call(zeros([n])).at(0), 1);
  assert.deepEqual([traces(), call.cacheSize, native.usage().programs - before], [4, 2, 2]);
  call.clear();
  assert.deepEqual([call.cacheSize, native.usage().programs - before], [0, 0]);
  assert.equal(call(zeros([1])).at(0), 1);
  call.dispose();
  refuses(() => call(zeros([1])), 'ERR_STATE', /the function is disposed/);
  const count = native.usage().programs;
  jit((/** @type {any} */ x) => x.add(1))(1);
  assert.ok(await gcUntil(() => native.usage().programs <= count));
});

// ------------------------------------------------------------------------------------ lowering

test('lower gives the graph, with inputs named after arguments', () => {
  const f = jit((/** @type {any} */ x, /** @type {any} */ { w, b: [b] }, /** @type {number} */ k) => ({ y: x.mul(w).add(b), z: [k] }), { static: [2], name: 'dense' });
  const graph = f.lower({ dtype: 'f32', shape: ['n', 2] }, { w: tensor([1, 2], { dtype: 'f32' }), b: [{ dtype: 'f32' }] }, 7);
  assert.equal(
    String(graph),
    `graph "dense" {
  %1 = param "x" : f32[n, 2]
  %2 = param "arg1.w" : f32[2]
  %3 = param "arg1.b[0]" : f32[]
  %4 = mul %1, %2 : f32[n, 2]
  %5 = add %4, %3 : f32[n, 2]
  %6 = const 7.0 : f64[]
  output "y" = %5
  output "z[0]" = %6
}
`,
  );
  assert.equal(f.cacheSize, 0);
  graph.output('more', graph.outputs[0].value.add(1)); // it is a graph like any other
  const { more } = graph.compile().run({ x: tensor([[1, 2]], { dtype: 'f32' }), 'arg1.w': Float32Array.of(1, 2), 'arg1.b[0]': 3 });
  assert.deepEqual(more.toArray(), [[5, 8]]);
});

test('lower knows specs, symbolic sizes and results without names', () => {
  const f = jit((/** @type {any} */ x, /** @type {any} */ y) => [x, [y]], { symbolic: true });
  const { inputs, outputs } = f.lower(zeros([2, 3]), zeros([3, 1]));
  assert.deepEqual(inputs.map(({ shape }) => shape), [['n0', 'n1'], ['n1', 1]]);
  assert.deepEqual(outputs.map(({ name }) => name), ['result[0]', 'result[1][0]']);
  assert.deepEqual(jit((/** @type {any} */ x) => x).lower(1).outputs[0].name, 'result');
  refuses(() => f.lower({ dtype: 'f23', shape: [] }, 1), 'ERR_ARGUMENT', /lower: .*unknown dtype 'f23'|lower: .*'f23'/);
  refuses(() => f.lower({ dtype: 'f32', shape: [-1] }, 1), 'ERR_ARGUMENT', /expected sizes of at least 0 and symbols for the shape of argument 'x', got -1/);
  refuses(() => f.lower({ dtype: 'f32', shape: /** @type {any} */ ({}) }, 1), 'ERR_ARGUMENT', /for the shape of argument 'x'/);
});

test('names of parameters are read from the text of a function', () => {
  const names = (/** @type {Function} */ fn) => parameterNames(fn).map((name) => name ?? '?').join(' ');
  assert.equal(names((/** @type {any} */ x) => x), 'x');
  for (const [text, expected] of [
    ['x => x', 'x'],
    ['async (a, b) => a', 'a b'],
    ['async x => x', 'x'],
    ['function (a /* , c */, b = [1, (2)], { c, d }, ...rest) {}', 'a b ? ?'],
    ['function named(\n  a, // first, )\n  b = "),", $_1 = `,)`,\n) {}', 'a b $_1'],
    ['() => 1', ''],
    ['(a = (b, c) => b, d = {}) => a', 'a d'],
    ['function* many(größe) {}', 'größe'],
    ['({ ["a(b"](x, y) {} })["a(b"]', 'x y'],
    ['Math.max', ''],
    ['(function (a) {}).bind(null)', ''],
  ]) assert.equal(names((0, eval)(`(${text})`)), expected, text); // prettier-ignore
});

// -------------------------------------------------------------------------------------- errors

test('JavaScript that asks a traced value for data is told what to use', () => {
  const x = tensor([1, 2]);
  /** @type {[(x: any) => unknown, string][]} */
  const wrong = [
    [(v) => (v > 0 ? v : v), 'as a number'],
    [(v) => v + 1, 'as a number'],
    [(v) => v == 1, 'as a number'], // eslint-disable-line eqeqeq
    [(v) => Math.sin(v), 'as a number'],
    [(v) => `${v}`, 'as text'],
    [(v) => ({ a: 1 })[v], 'as text'],
    [(v) => [...v], 'as something to iterate over'],
    [(v) => { for (const row of v) return row; return v; }, 'as something to iterate over'], // prettier-ignore
    [(v) => v.data, 'for its \\.data'],
    [(v) => v.length, 'for its \\.length'],
    [(v) => v.item(), 'for its \\.item\\(\\)'],
    [(v) => v.toArray(), 'for its \\.toArray\\(\\)'],
    [(v) => v.at(0), 'for its \\.at\\(\\)'],
  ];
  for (const [fn, use] of wrong) {
    const message = `^jit: JavaScript asked Value %1 f64\\[2\\] \\(argument 'v'\\) ${use}, but it has no data while '.*' is traced: .*cond, whileLoop or where`;
    refuses(() => jit(fn)(x), 'ERR_ARGUMENT', new RegExp(message));
  }
  const branches = jit((/** @type {any} */ v) => (v.sum().gt(0) > 0 ? v : v.neg()));
  refuses(() => branches(x), 'ERR_ARGUMENT', /Value %4 bool\[\] of op gt, made at .*jit\.test\.js:\d+:\d+, as a number/);
});

test('a value of a graph has no data either', () => {
  const v = new Graph().input('x', 'f64', [2]);
  for (const look of [() => v.data, () => [.../** @type {any} */ (v)], () => /** @type {any} */ (v).item()]) {
    refuses(look, 'ERR_ARGUMENT', /^Value %1 f64\[2\] has no data: a graph has data only while it runs/);
  }
});

test('a loop that no value can end is ended, and what to use instead is named', () => {
  const drain = jit((/** @type {any} */ x) => {
    while (x.gt(0)) x = x.sub(1);
    return x;
  });
  refuses(() => drain(1), 'ERR_ARGUMENT', /made 65536 values while it was traced and has not returned: .* use whileLoop, forLoop or scan$/);
});

test('a value that is kept after the trace says where it was made', () => {
  /** @type {any} */
  let kept;
  const x = tensor([1, 2]);
  const keep = jit((/** @type {any} */ v) => (kept = v.add(1)));
  keep(x);
  const message = /^jit: a value of 'keep' \(%\d+\), made at .*jit\.test\.js:\d+:\d+, was kept after the function was traced: return it as a result instead/;
  const other = jit((/** @type {any} */ v) => v.mul(kept), { name: 'other' });
  for (const use of [() => kept.add(1), () => kept.shape, () => kept.dtype, () => `${kept}`, () => kept.sum(), () => other(x), () => other(kept)]) {
    refuses(use, 'ERR_STATE', new RegExp(message.source.replace('keep', '(main|keep|)')));
  }
  refuses(() => jit(() => kept)(), 'ERR_STATE', /was kept after the function was traced/);
  const graph = new Graph();
  refuses(() => graph.input('x', 'f64', [2]).add(kept), 'ERR_STATE', /was kept/);
});

test('values of two traces do not mix', () => {
  const x = tensor([1]);
  const outer = jit((/** @type {any} */ v) => jit((/** @type {any} */ w) => w.add(v), { name: 'inner' })(x), { name: 'outer' });
  refuses(() => outer(x), 'ERR_ARGUMENT', /^add: .* of 'inner' and .* of 'outer' belong to two functions being traced: pass the one to the other/);
});

test('results that are no tensors are refused', () => {
  const x = tensor([1]);
  refuses(() => jit(() => {})(x), 'ERR_ARGUMENT', /returned undefined, expected a Value/);
  refuses(() => jit(async (/** @type {any} */ v) => v, { name: 'load' })(x), 'ERR_ARGUMENT', /^jit: 'load' returned a Promise: a traced function cannot wait/);
  refuses(() => jit((/** @type {any} */ v) => ({ v, extra: undefined }), { name: 'f' })(x), 'ERR_ARGUMENT', /^jit: the result of 'f'\.extra is undefined/);
  refuses(() => jit((/** @type {any} */ v) => [v, 'text'], { name: 'f' })(x), 'ERR_ARGUMENT', /^jit: the result of 'f'\[1\] is "text"/);
  const own = new RangeError('mine');
  const { call, traces } = counted(() => { throw own; }); // prettier-ignore
  for (let i = 0; i < 2; i++) assert.throws(() => call(x), own);
  assert.deepEqual([traces(), call.cacheSize], [2, 0]);
});

test('hostile arguments are errors, and no more', () => {
  const f = jit((/** @type {any} */ x) => (Array.isArray(x) ? x[0] : x), { name: 'f' });
  /** @type {any} */
  const cycle = [1];
  cycle.push(cycle);
  refuses(() => f(cycle), 'ERR_ARGUMENT', /^f: argument 'x'\[1\] holds itself/);
  refuses(() => f([1, , 2]), 'ERR_ARGUMENT', /argument 'x' has a hole at 1/); // eslint-disable-line no-sparse-arrays
  refuses(() => f(new Map()), 'ERR_ARGUMENT', /argument 'x' is a Map/);
  refuses(() => f([Symbol('s')]), 'ERR_ARGUMENT', /argument 'x'\[0\] is Symbol\(s\)/);
  const throwing = new Proxy({}, { ownKeys: () => { throw new RangeError('trap'); } }); // prettier-ignore
  assert.throws(() => f(throwing), /trap/);
  const gone = Float64Array.of(1, 2);
  f(gone);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  refuses(() => f(gone), 'ERR_STATE', /detached/);
  const lying = Float64Array.of(1, 2, 3);
  Object.defineProperty(lying, 'length', { value: 2 });
  assert.throws(() => f(lying), (error) => error instanceof Error);
  // A getter that disposes of the function whose arguments are being read.
  const g = jit((/** @type {any} */ { a }) => a.add(1));
  g({ a: 1 });
  refuses(() => g({ get a() { g.dispose(); return 1; } }), 'ERR_STATE', /disposed/); // prettier-ignore
  // One that calls it.
  const h = jit((/** @type {any} */ { a }) => a.add(1));
  h({ a: 1 });
  assert.equal(h({ get a() { return h({ a: tensor([5, 6]) }).at(0); } }).item(), 7); // prettier-ignore
});

test('functions are traced in worker threads', async () => {
  const code = `
    const { parentPort } = require('node:worker_threads');
    const { jit, tensor } = require('graphjit');
    parentPort.postMessage(jit((x) => x.mul(2))(tensor([1, 2])).toArray());`;
  const worker = new Worker(code, { eval: true });
  const message = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  assert.deepEqual(message, [2, 4]);
  await worker.terminate();
});
