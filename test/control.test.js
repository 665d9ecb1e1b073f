// Control flow: functions of Values traced into sub-graphs, run by the reference, machine code and wasm.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { native } = require('../lib/base/binding.js');
const { renderView } = require('../lib/view/render.js');
const { Graph, Tensor, associativeScan, cond, forLoop, jit, map, scan, switchCase, tensor, whileLoop } = require('graphjit');

/** Runs a graph in every way and gives the outputs, which must be the same. */
async function everyWay(graph, inputs) {
  const want = graph.eval(inputs);
  const program = graph.compile();
  const first = graph.compile({ tier: 'auto' });
  const { load } = await import('../lib/web/index.mjs');
  const module = await load(graph.toWasm({ optimize: false }).bytes);
  for (const [name, got] of Object.entries({ program: program.run(inputs), first: first.run(inputs), wasm: module.run(inputs) })) {
    for (const key of Object.keys(want)) {
      const data = got[key].data ?? got[key];
      assert.deepEqual(Array.from(data), Array.from(want[key].data), `${key} of ${name}`);
    }
  }
  program.dispose();
  first.dispose();
  return want;
}

test('cond runs one of two functions, and captures what they use', async () => {
  const graph = new Graph('cond');
  const x = graph.input('x', 'f64', ['n']);
  const p = graph.input('p', 'bool');
  const scale = x.sum();
  const { y, total } = cond(
    p,
    (v) => ({ y: v.mul(scale), total: 1 }),
    (v) => ({ y: v.sub(2), total: v.sum() }),
    x,
  );
  graph.output('y', y);
  graph.output('total', total);
  const yes = await everyWay(graph, { x: Float64Array.of(1, 2, 3), p: Uint8Array.of(1) });
  assert.deepEqual([...yes.y.data, ...yes.total.data], [6, 12, 18, 1]);
  const no = await everyWay(graph, { x: Float64Array.of(1, 2, 3), p: Uint8Array.of(0) });
  assert.deepEqual([...no.y.data, ...no.total.data], [-1, 0, 1, 6]);
});

test('switchCase clamps its index', async () => {
  const graph = new Graph('switch');
  const x = graph.input('x', 'i32');
  graph.output('y', switchCase(x, [(v) => v.add(10), (v) => v.mul(3), (v) => v.neg()], x));
  for (const [at, want] of [[-5, 5], [0, 10], [1, 3], [2, -2], [9, -9]]) {
    const { y } = await everyWay(graph, { x: Int32Array.of(at) });
    assert.equal(y.data[0], want);
  }
});

test('loops nest, carry trees and run no rounds at all', async () => {
  const graph = new Graph('loops');
  const x = graph.input('x', 'f64', ['n']);
  const limit = graph.input('limit', 'i32');
  const last = whileLoop(
    ({ i }) => i.lt(limit),
    ({ i, at: [v] }) => ({ i: i.add(1), at: [forLoop(0, 3, (k, w) => w.add(k.convert('f64')).add(x), v)] }),
    { i: graph.constant(0, { dtype: 'i32' }), at: [x] },
  );
  graph.output('i', last.i);
  graph.output('v', last.at[0]);
  const { v } = await everyWay(graph, { x: Float64Array.of(1, 2), limit: Int32Array.of(2) });
  assert.deepEqual([...v.data], [1 + 2 * (3 + 3), 2 + 2 * (3 + 6)]);
  const none = await everyWay(graph, { x: Float64Array.of(1, 2), limit: Int32Array.of(0) });
  assert.deepEqual([...none.v.data], [1, 2]);
});

test('forLoop takes sizes and values as bounds', async () => {
  const graph = new Graph('for');
  const x = graph.input('x', 'f64', ['n']);
  const from = graph.input('from', 'i64');
  graph.output('a', forLoop(1, 'n', (i, sum) => sum.add(i), graph.constant(0, { dtype: 'i64' })));
  graph.output('b', forLoop(from, 7, (i, sum) => sum.add(i), graph.constant(0, { dtype: 'i64' })));
  graph.output('x', x);
  const { a, b } = await everyWay(graph, { x: new Float64Array(5), from: BigInt64Array.of(5n) });
  assert.deepEqual([a.data[0], b.data[0]], [10n, 11n]);
});

test('scan and map stack what bodies give', async () => {
  const graph = new Graph('scan');
  const x = graph.input('x', 'f64', ['n', 2]);
  const zero = graph.constant(0, { dtype: 'f64', shape: [2] });
  const [sum, sums] = scan((s, row) => [s.add(row), { s: s.add(row), twice: row.mul(2) }], zero, x);
  const [, back] = scan((s, row) => [s.add(row), s.add(row)], zero, x, { reverse: true });
  const [count] = scan((s) => [s.add(1), null], graph.constant(0, { dtype: 'i32' }), null, { length: 4 });
  graph.output('sum', sum);
  graph.output('sums', sums.s);
  graph.output('twice', sums.twice);
  graph.output('back', back);
  graph.output('count', count);
  graph.output('means', map((row) => row.mean(), x));
  const got = await everyWay(graph, { x: Float64Array.of(1, 2, 3, 4, 5, 6) });
  assert.deepEqual([...got.sums.data], [1, 2, 4, 6, 9, 12]);
  assert.deepEqual([...got.back.data], [9, 12, 8, 10, 5, 6]);
  assert.deepEqual([...got.means.data], [1.5, 3.5, 5.5]);
  assert.equal(got.count.data[0], 4);
  const empty = await everyWay(graph, { x: new Float64Array(0) });
  assert.deepEqual([...empty.sum.data], [0, 0]);
});

test('functions given to jit may use them, and print and parse', () => {
  const f = jit((x) => forLoop(0, 3, (_, y) => y.mul(x).add(1), x));
  assert.deepEqual([...f(tensor([1, 2])).data], [4, 31 - 8]);
  const graph = new Graph('text');
  const x = graph.input('x', 'f64', ['n']);
  graph.output('y', forLoop(0, 3, (_, y) => y.mul(x), x));
  assert.equal(String(Graph.parse(String(graph))), String(graph));
});

test('an endless loop ends when its signal aborts', async () => {
  const graph = new Graph('endless');
  const x = graph.input('x', 'f64');
  graph.output('y', whileLoop(() => true, (v) => v.add(1), x));
  const program = graph.compile();
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 20);
  await assert.rejects(program.runAsync({ x: Float64Array.of(0) }, undefined, { signal: abort.signal }));
  program.dispose();
});

test('errors name the leaf and both types', () => {
  const graph = new Graph('errors');
  const x = graph.input('x', 'f64', ['n']);
  const p = graph.input('p', 'bool');
  const fails = (run, code, text) => assert.throws(run, (error) => error.code === code && error.message.includes(text), text);
  fails(() => whileLoop(() => true, ({ a }) => ({ a: a.sum() }), { a: x }), 'ERR_SHAPE', 'state.a begins as f64[n], but the body makes it f64[]');
  fails(() => whileLoop(() => true, ({ a }) => ({ a: a.convert('f32') }), { a: x }), 'ERR_DTYPE', 'the body makes it f32[n]');
  fails(() => whileLoop(() => true, () => ({}), { a: x }), 'ERR_ARGUMENT', 'an empty object');
  fails(() => whileLoop((a) => a.gt(0), (a) => a, x), 'ERR_SHAPE', 'the condition is bool[n], but must be bool[]');
  fails(() => cond(p, (a) => a, (a) => a.sum(), x), 'ERR_SHAPE', 'the result of function 1 is f64[], but function 0 gives f64[n] there');
  fails(() => cond(x, (a) => a, (a) => a, x), 'ERR_DTYPE', 'must be bool[]');
  fails(() => cond(1, (a) => a, (a) => a, x), 'ERR_ARGUMENT', 'the predicate');
  fails(() => scan((s) => s, x, x), 'ERR_ARGUMENT', 'an array of the new state');
  fails(() => scan((s) => [s, null], x, null), 'ERR_ARGUMENT', "option 'length'");
  fails(() => scan((s) => [s, null], x, null, { size: 3 }), 'ERR_ARGUMENT', "unknown option 'size'");
  fails(() => forLoop(0, 3, async (_, s) => s, x), 'ERR_ARGUMENT', 'Promise');
});

test('values of a body cannot be used outside of it', () => {
  const graph = new Graph('leak');
  const x = graph.input('x', 'f64', ['n']);
  let kept;
  forLoop(0, 3, (_, s) => (kept = s.mul(2)), x);
  assert.throws(() => kept.add(1), { code: 'ERR_STATE', message: /forLoop: .* is a value of a function that was traced/ });
  assert.throws(() => x.add(kept), { code: 'ERR_STATE' });
  assert.throws(() => graph.output('y', kept), { code: 'ERR_STATE' });
});

test('functions take, carry and give halves, computed in f32', async () => {
  const graph = new Graph('halves');
  const x = graph.input('x', 'f16', ['n']);
  const b = graph.input('b', 'bf16', [3]);
  const { total } = forLoop(0, 4, (_, v) => ({ total: v.total.mul(0.5).add(x) }), { total: x });
  graph.output('sum', total);
  graph.output('chosen', cond(b.sum().gt(2), (v) => v.exp(), (v) => v.neg(), b));
  const half = (/** @type {number[]} */ values, /** @type {any} */ dtype) => tensor(values, { dtype });
  const results = await everyWay(graph, { x: half([1, 2, 3.5], 'f16'), b: half([1, 1, 1], 'bf16') });
  assert.deepEqual(results.sum.toArray(), [1.9375, 3.875, 6.78125]);
});

/** What scans with `fn` come to, one element after the other. */
function scanned(values, fn, reverse) {
  const order = reverse ? [...values].reverse() : values;
  const out = [];
  for (const value of order) out.push(out.length === 0 ? value : fn(out.at(-1), value));
  return reverse ? out.reverse() : out;
}

test('associativeScan joins what neither commutes nor is a number', async () => {
  const affine = (p, q) => ({ a: p.a.mul(q.a), b: q.a.mul(p.b).add(q.b) });
  const one = ([a, b], [c, d]) => [a * c, c * b + d];
  for (const size of [0, 1, 2, 3, 6, 13]) {
    for (const reverse of [false, true]) {
      const data = Array.from({ length: size }, (_, i) => [((i * 7) % 3) - 1, ((i * 5) % 4) - 2]);
      const want = scanned(data, one, reverse);
      const inputs = { a: Float64Array.from(data, ([a]) => a), b: Float64Array.from(data, ([, b]) => b) };
      for (const shape of [[size], ['n']]) {
        const graph = new Graph('affine');
        const result = associativeScan(affine, { a: graph.input('a', 'f64', shape), b: graph.input('b', 'f64', shape) }, { reverse });
        graph.output('a', result.a);
        graph.output('b', result.b);
        const got = size !== 3 ? graph.compile({ tier: 'auto' }).run(inputs) : await everyWay(graph, inputs);
        assert.deepEqual(Array.from(got.b.data), want.map(([, b]) => b), `${size} ${reverse} ${shape}`);
        assert.deepEqual(Array.from(got.a.data), want.map(([a]) => a));
      }
    }
  }
  const rows = associativeScan((a, b) => a.add(b), tensor([[1, 2, 3], [4, 5, 6]]), { axis: -1 });
  assert.deepEqual(rows.toArray(), [[1, 3, 6], [4, 9, 15]]);
  assert.throws(() => associativeScan((a) => a.sum(), tensor([1, 2])), { code: 'ERR_SHAPE', message: /the function gets f64\[1\] for xs, but gives f64\[\]/ });
  assert.throws(() => associativeScan((a) => a, { a: tensor([1, 2]), b: tensor([1]) }), { code: 'ERR_SHAPE', message: /axis 0 of xs.b has size 1, but that of xs.a has 2/ });
  assert.throws(() => associativeScan((a) => a, tensor([1]), { axes: 0 }), { message: /unknown option 'axes'/ });
  assert.throws(() => associativeScan((a) => a, null), { message: /xs has no Value/ });
});

test('without a graph, control flow runs at once', () => {
  const w = tensor([1, 2, 3]);
  const power = (n) => whileLoop(({ i }) => i.lt(n), ({ i, v }) => ({ i: i.add(1), v: v.mul(w) }), { i: 0, v: tensor([1, 1, 1]) });
  assert.deepEqual(power(3).v.toArray(), [1, 8, 27]);
  assert.deepEqual(power(2).v.toArray(), [1, 4, 9]);
  assert.ok(power(1).i instanceof Tensor);
  assert.equal(forLoop(0, 4, (i, s) => s.add(i.convert('f64')), 0).item(), 6);
  assert.equal(forLoop(tensor(2, { dtype: 'i32' }), tensor(5, { dtype: 'i64' }), (i, s) => s.add(i), tensor(0, { dtype: 'i64' })).item(), 9n);
  assert.deepEqual(cond(w.sum().gt(5), (v) => v, (v) => v.neg(), w).toArray(), [1, 2, 3]);
  assert.deepEqual(cond(false, () => w, () => w.add(1)).toArray(), [2, 3, 4]);
  assert.deepEqual(switchCase(tensor(7, { dtype: 'i32' }), [(v) => v, (v) => v.mul(10)], w).toArray(), [10, 20, 30]);
  assert.deepEqual(map((row) => row.sum(), tensor([[1, 2], [3, 4]])).toArray(), [3, 7]);
  const [sum, sums] = scan((s, row) => [s.add(row), s], tensor([0, 0]), tensor([[1, 2], [3, 4]]));
  assert.deepEqual([sum.toArray(), sums.toArray()], [[4, 6], [[0, 0], [1, 2]]]);
  assert.deepEqual(jit((x) => forLoop(0, 2, (_, y) => y.mul(x).add(w), x))(w).toArray(), [1 + 1 + 1, 8 + 4 + 2, 27 + 9 + 3]);
});

test('what a body throws comes out, and the graph goes on', () => {
  const graph = new Graph('throws');
  const x = graph.input('x', 'f64', ['n']);
  const wrong = new Error('mine');
  const bodies = [() => { throw wrong; }, () => undefined, () => Promise.resolve(x), (_, s) => [s], (_, s) => s.add('a')]; // prettier-ignore
  for (const body of bodies) {
    assert.throws(() => forLoop(0, 3, (i, s) => forLoop(0, 3, body, s), x), (error) => error === wrong || error.name === 'GraphError');
    assert.throws(() => forLoop(0, 3, (i, s) => body(i, s), tensor([1])), (error) => error === wrong || error.name === 'GraphError');
  }
  graph.output('y', forLoop(0, 3, (_, s) => s.add(1), x));
  assert.deepEqual([...graph.compile().run({ x: Float64Array.of(1) }).y.data], [4]);
  assert.equal(forLoop(0, 3, (_, s) => s.add(1), 0).item(), 3);
});

test('functions go with their graph, without waiting for the collector', () => {
  const x = tensor([1, 2]);
  const double = (/** @type {any} */ v) => map((u) => map((w) => w.mul(2), u.reshape([1])), v);
  const before = native.usage().graphs;
  assert.deepEqual(double(x).toArray(), [[2], [4]]);
  assert.throws(() => map(() => assert.fail('mine'), x), { message: 'mine' });
  const traced = jit(double);
  assert.deepEqual(traced(x).toArray(), [[2], [4]]);
  const graph = new Graph('double');
  graph.output('y', double(graph.input('x', 'f64', [2])));
  graph.dispose();
  assert.equal(native.usage().graphs, before);
});

test('functions that call themselves and look at data are refused', () => {
  const graph = new Graph('recursion');
  const [p, x] = [graph.input('p', 'bool'), graph.input('x', 'f64')];
  const again = (v) => cond(p, again, (u) => u, v);
  assert.throws(() => again(x), { code: 'ERR_OVERFLOW', message: 'cond: functions are nested more than 32 deep: one that calls itself cannot be recorded' });
  const down = (i, v) => forLoop(0, 2, down, v);
  assert.throws(() => forLoop(0, 2, down, x), { code: 'ERR_OVERFLOW' });
  assert.throws(() => forLoop(0, 2, (i, v) => (v > 1 ? v : v.neg()), x), { code: 'ERR_ARGUMENT', message: /forLoop: JavaScript asked Value .* as a number, but .* choose with cond or where/ });
  assert.throws(() => map((v) => v.item(), tensor([1])), { code: 'ERR_ARGUMENT', message: /map: .* for its \.item\(\), but/ });
  const forever = (/** @type {any} */ v) => {
    while (v.gt(0)) v = v.sub(1);
    return v;
  };
  assert.throws(() => map(forever, tensor([1])), { code: 'ERR_ARGUMENT', message: /^map: a function made 65536 values .* use whileLoop/ });
  assert.throws(() => cond('x', () => 1, () => 2), { message: /a Tensor, a Value or a boolean for the predicate/ });
  assert.throws(() => switchCase('x', [() => 1]), { message: /a Tensor, a Value or an integer for the index/ });
});

test('control flow nests, runs long and carries sizes that are no numbers', async () => {
  const graph = new Graph('deep');
  const x = graph.input('x', 'f64', ['n', 2]);
  const many = Array.from({ length: 40 }, (_, i) => x.sum().add(i));
  const nest = (depth, v) => (depth === 0 ? v.add(many.reduce((a, b) => a.add(b))) : forLoop(0, 2, (i, w) => cond(i.eq(0), (u) => nest(depth - 1, u), (u) => u.mul(0.5), w), v));
  graph.output('y', nest(8, x));
  const { y } = await everyWay(graph, { x: new Float64Array(6).fill(1) });
  assert.equal(y.data.length, 6);
  const rounds = forLoop(0, 100000, (i, s) => s.mul(0.999).add(i.convert('f64')), tensor([0, 1]));
  const want = [0, 1];
  for (let i = 0; i < 100000; i++) for (let k = 0; k < 2; k++) want[k] = want[k] * 0.999 + i;
  assert.deepEqual(rounds.toArray(), want);
});

test('functions are shown wherever a graph and a program are', () => {
  const graph = new Graph('shown');
  const x = graph.input('x', 'f64', ['n', 'm']);
  const p = graph.input('p', 'bool');
  const row = (sum, each) => [sum.mul(0.5).add(each.max()), cond(p, function up(v) { return v.exp(); }, function down(v) { return v.flip(); }, each)]; // prettier-ignore
  const [sum, rows] = scan(row, graph.constant(0, { dtype: 'f64' }), x);
  graph.output('sum', sum);
  graph.output('rows', rows);
  assert.deepEqual(graph.functions.map(({ name }) => name), ['up', 'down', 'body']);
  const table = graph.toTable();
  for (const line of [/^%\d+ +for .* functions=\[@2\]/m, /^@0 "up"$/m, /^%\d+ +cond .* functions=\[@0, @1\]/m]) assert.match(table, line);
  const dot = graph.toDot();
  for (const part of ['subgraph cluster_f0', 'label="@2 body"', '-> f2n1 [style=dashed, lhead=cluster_f2]', '-> f1n1 [style=dashed, lhead=cluster_f1]']) {
    assert.ok(dot.includes(part), part);
  }
  const { functions, kernels } = graph.compile().stats;
  assert.deepEqual(functions.map(({ name, called }) => [name, called]), [['up', true], ['down', true], ['body', true]]);
  assert.ok(functions.every((own) => own.kernels.length > 0 && own.kernels.every(({ name }) => /^f\d_k\d$/.test(name))));
  assert.ok(kernels.some(({ ops }) => ops === 'for @2 -> sum, rows'));
  assert.ok(kernels.some(({ kind, flops }) => kind === 'control' && /n/.test(String(flops))));
  const page = renderView(graph, { profile: false });
  assert.ok(page.includes('id="function-2"') && page.includes('<strong>down</strong> <span class="muted">run by @2 %'));
  const count = new Graph('registers');
  count.output('i', whileLoop((i) => i.lt(9), (i) => i.mul(2), count.input('i', 'i32')));
  const program = count.compile();
  assert.deepEqual(program.stats.functions.map(({ called }) => called), [false, false]);
  assert.equal(program.stats.kernels[0].ops, 'while @0 @1 in registers -> i');
});
