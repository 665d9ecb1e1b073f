// Selection by masks, and sizes that a run computes: results of every way of running, sizes given, errors.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { it } = require('node:test');
const { Graph, forLoop, jit, tensor, zeros } = require('graphjit');
const { inFolder, run } = require('./support/object.js');
const { allWays, assertAgreement, native: compiled, reference } = require('./support/oracles.js');
const { arrayOf } = require('./support/values.js');

/** @type {(count: number, seed?: number) => Float64Array} */
function noise(count, seed = 1) {
  let state = seed;
  return Float64Array.from({ length: count }, () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  });
}

/** A graph of what is above a limit, and of sizes made of how many that is. */
function selection() {
  const graph = new Graph('selection');
  const x = graph.input('x', 'f64', ['n']);
  const some = x.maskedSelect(x.gt(0.5), { symbol: 'k' });
  graph.output('some', some.mul(2));
  graph.output('twice', some.concat([some]));
  graph.output('sum', some.sum());
  return graph;
}

/** @type {(x: Float64Array) => { some: number[], twice: number[], sum: number }} */
function expectedOf(x) {
  const some = [...x].filter((v) => v > 0.5);
  return { some: some.map((v) => 2 * v), twice: [...some, ...some], sum: some.reduce((a, b) => a + b, 0) };
}

/** @type {(results: any, x: Float64Array) => void} */
function check(results, x) {
  const { some, twice, sum } = expectedOf(x);
  assert.deepStrictEqual(results.some.toArray(), some);
  assert.deepStrictEqual(results.twice.toArray(), twice);
  assert.ok(Math.abs(results.sum.item() - sum) < 1e-9 * Math.max(1, sum));
}

it('runs give outputs the size that they found, whatever it was before', () => {
  const graph = selection();
  for (const options of [{ threads: 1 }, { threads: 2 }, { tier: 'auto' }, { numerics: 'strict' }]) {
    const program = graph.compile(/** @type {any} */ (options));
    for (const [size, seed] of [[10, 1], [0, 1], [5000, 2], [5000, 3], [1, 4], [70000, 5]]) {
      const x = noise(size, seed);
      check(program.run({ x }), x);
      check(graph.eval({ x }), x);
    }
    check(program.run({ x: new Float64Array(3000).fill(1) }), new Float64Array(3000).fill(1));
    check(program.run({ x: new Float64Array(3000) }), new Float64Array(3000));
    program.dispose();
  }
});

it('gives the same in modules of every variant', async () => {
  const { load } = await import('graphjit/web');
  const graph = selection();
  const native = graph.compile({ numerics: 'strict' });
  const { modules } = graph.toWasm({ variants: ['mvp', 'simd', 'relaxed'], optimize: false });
  for (const bytes of Object.values(modules)) {
    const program = await load(bytes);
    assert.deepStrictEqual(program.outputs[1], { name: 'twice', dtype: 'f64', shape: ['2*k'] });
    for (const size of [5, 0, 5000]) {
      const x = noise(size, size);
      const expected = native.run({ x });
      for (const [name, { data, shape }] of Object.entries(program.run({ x }))) {
        assert.deepStrictEqual([data, shape], [expected[name].data.slice(), [...expected[name].shape]]);
      }
    }
    const x = program.allocate('f64', [40]);
    const twice = program.allocate('f64', [80]);
    const some = new Float64Array(40);
    const call = program.bind({ x }, { some, twice, sum: new Float64Array(1) });
    for (const seed of [1, 2]) {
      x.data.set(noise(40, seed));
      const results = call();
      const expected = expectedOf(noise(40, seed));
      assert.deepStrictEqual([[...results.some.data], [...results.twice.data]], [expected.some, expected.twice]);
      assert.strictEqual(results.some.data.buffer, some.buffer);
    }
    assert.throws(() => program.run({ x: noise(9) }, { some: new Float64Array(8), twice: new Float64Array(18), sum: new Float64Array(1) }), { code: 'ERR_SHAPE' });
  }
});

/** Row numbers of every width, and values at them, of masks of every width. */
function rowNumbers() {
  const graph = new Graph('rows');
  for (const dtype of /** @type {const} */ (['f64', 'f32', 'i16', 'u8', 'bool'])) {
    const x = graph.input(dtype, dtype, ['n']);
    const mask = dtype === 'bool' ? x : x.gt(0);
    for (const index of /** @type {const} */ (['i64', 'u32'])) graph.output(`${dtype} ${index}`, mask.flatnonzero({ dtype: index }));
    graph.output(`${dtype} values`, x.maskedSelect(mask));
    const [row, column] = mask.expandDims(1).broadcastTo(['n', 3]).nonzero({ dtype: 'i32' });
    graph.output(`${dtype} row`, row).output(`${dtype} column`, column);
  }
  return graph;
}

/** @type {(n: number, density: number) => any} */
function masksOf(n, density) {
  const inputs = ['f64', 'f32', 'i16', 'u8', 'bool'].map((dtype, k) => {
    const random = noise(n, k + 3);
    return [dtype, { dtype, shape: [n], data: arrayOf(dtype, Array.from(random, (v) => (v < density ? 1 : 0))) }];
  });
  return Object.fromEntries(inputs);
}

it('finds row numbers in vectors and around their ends, and writes nothing behind them', async () => {
  const graph = rowNumbers();
  const ways = [...(await allWays(graph)), { ...compiled(graph, { threads: 3 }), name: 'threads' }, { ...compiled(graph, { tier: 'auto' }), name: 'first tier' }];
  for (const [n, density] of [[0, 1], [1, 1], [7, 0.5], [8, 1], [9, 0.9], [33, 0], [64, 0.1], [65, 1], [2047, 0.5], [2049, 0.02], [4096, 1], [6001, 0.97]]) {
    const inputs = masksOf(n, density);
    const room = (/** @type {string} */ name) => (/row|column/.test(name) ? 3 * n : n);
    assertAgreement(ways, inputs, reference(graph, inputs), { title: `${n} rows, ${density}`, room });
  }
  for (const way of ways) way.dispose();
});

it('finds the same row numbers in batches of blocks, on any number of threads', () => {
  const graph = new Graph('long');
  const x = graph.input('x', 'f64', ['n']);
  graph.output('rows', x.gt(0.5).flatnonzero()).output('values', x.maskedSelect(x.gt(0.5)));
  const n = 512 * 2048 + 2048 + 5;
  const inputs = { x: noise(n) };
  const expected = Float64Array.from(inputs.x.keys()).filter((i) => inputs.x[i] > 0.5);
  for (const threads of [1, 2, 3]) {
    const { rows, values } = graph.compile({ threads }).run(inputs);
    assert.deepStrictEqual(Float64Array.from(/** @type {any} */ (rows.data), Number), expected, `${threads} threads`);
    assert.deepStrictEqual(values.data.slice(), expected.map((i) => inputs.x[i]), `${threads} threads`);
  }
});

const ROWS = `
#include "rows.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  enum { N = 4099 };
  static double x[N];
  static int64_t wide[N];
  static int32_t narrow[N];
  void *buffers[] = {x, wide, narrow};
  int64_t dims[rows_dim_count] = {0}, found = 0;
  rows_sizes sizes;
  gj_exec exec = {0};
  for (int64_t i = 0; i < N; i++)
    x[i] = (double)(i * 7919 % 1009) - (i < 2048 ? 500.5 : 990.5);
  dims[rows_dim_n] = N;
  if (rows_plan(dims, &sizes) != 0)
    return 1;
  exec.scratch = aligned_alloc(64, (size_t)(sizes.scratch_bytes + 127) / 64 * 64);
  if (rows(buffers, dims, &exec) != 0)
    return 1;
  for (int64_t i = 0; i < N; i++)
    if (x[i] > 0 && (wide[found] != i || narrow[found++] != i))
      return 2;
  printf("%d", found == dims[rows_dim_k] && found == dims[rows_dim_m]);
  return 0;
}
`;

it('finds row numbers with the vectors of any processor', { skip: process.arch !== 'x64' }, () => {
  const graph = new Graph('rows');
  const x = graph.input('x', 'f64', ['n']);
  graph.output('wide', x.gt(0).flatnonzero({ symbol: 'k' })).output('narrow', x.gt(0).flatnonzero({ symbol: 'm', dtype: 'i32' }));
  for (const cpu of ['generic', 'x86-64-v2', 'x86-64-v3']) {
    const text = inFolder((folder) => {
      const at = (/** @type {string} */ name) => path.join(folder, name);
      fs.writeFileSync(at('rows.o'), graph.toObject({ symbol: 'rows', target: 'x86_64', ...(cpu !== 'generic' && { cpu }) }));
      fs.writeFileSync(at('rows.h'), graph.toHeader({ symbol: 'rows' }));
      fs.writeFileSync(at('main.c'), ROWS);
      run('gcc', ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror', at('main.c'), at('rows.o'), '-o', at('main')]);
      return String(run(at('main'), []));
    });
    assert.strictEqual(text, '1', cpu);
  }
});

const MAIN = `
#include "chosen.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  static double x[] = {0.25, 0.75, 1, 0, 2};
  double some[5], twice[10], sum;
  void *buffers[] = {x, some, twice, &sum};
  int64_t dims[chosen_dim_count], k = -1;
  chosen_sizes sizes;
  gj_exec exec = {0};
  dims[chosen_dim_n] = 5;
  dims[chosen_dim_k] = -7;
  if (chosen_plan(dims, &sizes) != 0)
    return 1;
  printf("%d %d ", (int)sizes.some[0], (int)sizes.twice[0]);
  exec.scratch = aligned_alloc(64, (size_t)(sizes.scratch_bytes + 63) / 64 * 64);
  if (chosen(buffers, dims, &exec) != 0 || chosen_plan(dims, &sizes) != 0)
    return 1;
  printf("%d %d %d %g %g %g", (int)dims[chosen_dim_k], (int)sizes.gj_found_some[0], (int)sizes.gj_found_twice[0], some[2], twice[5], sum);
  if (chosen_call(x, some, twice, &sum, 4, &k, exec.scratch) != 0)
    return 1;
  printf(" %d %g", (int)k, sum);
  free(exec.scratch);
  return 0;
}
`;

it('gives C the sizes that it found', { skip: process.arch !== 'x64' }, () => {
  const text = inFolder((folder) => {
    const at = (/** @type {string} */ name) => path.join(folder, name);
    fs.writeFileSync(at('chosen.o'), selection().toObject({ symbol: 'chosen', optLevel: 1 }));
    fs.writeFileSync(at('chosen.h'), selection().toHeader({ symbol: 'chosen' }));
    fs.writeFileSync(at('main.c'), MAIN);
    run('gcc', ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror', at('main.c'), at('chosen.o'), '-o', at('main')]);
    return String(run(at('main'), []));
  });
  assert.strictEqual(text, '5 10 3 3 6 4 2 3.75 2 1.75');
});

it('says the most that sizes can be', () => {
  const program = selection().compile();
  assert.deepStrictEqual(program.outputs, [
    { name: 'some', dtype: 'f64', shape: ['k'], most: ['n'] },
    { name: 'twice', dtype: 'f64', shape: ['2*k'], most: ['2*n'] },
    { name: 'sum', dtype: 'f64', shape: [] },
  ]);
  assert.match(String(program), /some: f64\[k\], twice: f64\[2\*k\]/);
  assert.strictEqual(program.memory({ n: 10 }).outputs[1].bytes, 160);
  assert.match(program.simplified(), /compress %\d+, %1 \{count=\[k\]\}/);
});

it('fills the beginning of arrays with room for the most', () => {
  const program = selection().compile();
  const x = noise(9);
  const outputs = { some: new Float64Array(9), twice: zeros([18]), sum: new Float64Array(1) };
  const results = program.run({ x }, outputs);
  check(results, x);
  assert.strictEqual(results.some.data.buffer, outputs.some.buffer);
  assert.deepStrictEqual([...outputs.some.subarray(0, results.some.size)], results.some.toArray());
  const before = outputs.some.slice();
  assert.throws(() => program.run({ x }, { ...outputs, twice: new Float64Array(17) }), {
    code: 'ERR_SHAPE',
    message: "run: expected 18 elements for output 'twice' (f64[18]), got 17",
  });
  assert.deepStrictEqual(outputs.some, before);
});

it('is bound, and runs on other threads', async () => {
  const program = selection().compile();
  const x = noise(3000);
  const call = program.bind({ x });
  check(call(), x);
  x.set(noise(3000, 7));
  check(call(), x);
  const given = { some: new Float64Array(40), twice: new Float64Array(80), sum: new Float64Array(1) };
  const others = [1, 2, 3].map((seed) => noise(40 * seed, seed));
  const runs = others.map((each, i) => program.runAsync({ x: each }, i === 0 ? given : undefined));
  for (const [i, results] of (await Promise.all(runs)).entries()) check(results, others[i]);
  assert.match(String(program.profile({ x })), /compress/);
});

it('selects for tensors', () => {
  const x = tensor([[0, 1, 2], [3, 0, 4]]);
  assert.deepStrictEqual(x.nonzero().map((each) => each.toArray()), [[0n, 0n, 1n, 1n], [1n, 2n, 0n, 2n]]);
  assert.deepStrictEqual(x.argwhere({ dtype: 'i32' }).toArray(), [[0, 1], [0, 2], [1, 0], [1, 2]]);
  assert.deepStrictEqual(x.flatnonzero({ dtype: 'u32' }).toArray(), [1, 2, 3, 5]);
  assert.deepStrictEqual(x.compress([true, false, true], { axis: 1 }).toArray(), [[0, 2], [3, 4]]);
  assert.deepStrictEqual(x.compress(Uint8Array.of(0, 1, 0, 0, 0, 2)).toArray(), [1, 4]);
  assert.deepStrictEqual(x.maskedSelect(tensor([false, true])).toArray(), [[3, 0, 4]]);
  assert.deepStrictEqual(x.T.maskedSelect(x.T.gt(1)).toArray(), [3, 2, 4]);
  assert.deepStrictEqual(zeros([0, 3]).nonzero().map(({ shape }) => shape), [[0], [0]]);
});

it('tells different values from each other', () => {
  const x = tensor([3, 1, 3, NaN, 2, 1, NaN, -0, 0, 3]);
  assert.deepStrictEqual(x.uniqueValues().toArray(), [-0, 1, 2, 3, NaN, NaN]);
  assert.deepStrictEqual(x.uniqueValues({ equalNaN: true }).size, 5);
  const { values, indices, inverseIndices, counts } = x.uniqueAll();
  assert.deepStrictEqual(values.toArray(), [-0, 1, 2, 3, NaN, NaN]);
  assert.deepStrictEqual(indices.toArray(), [7n, 1n, 4n, 0n, 3n, 6n]);
  assert.deepStrictEqual(inverseIndices.toArray(), [3n, 1n, 3n, 4n, 2n, 1n, 5n, 0n, 0n, 3n]);
  assert.deepStrictEqual(counts.toArray(), [2n, 2n, 1n, 3n, 1n, 1n]);
  assert.deepStrictEqual(tensor([[true, false], [true, true]]).uniqueCounts().counts.toArray(), [1n, 3n]);
  assert.deepStrictEqual(tensor([['', ''], ['', '']].map(() => [5, 5]), { dtype: 'u8' }).uniqueInverse().inverseIndices.toArray(), [[0n, 0n], [0n, 0n]]);
});

it('tells slices from each other, in all ways and at any size', async () => {
  const graph = new Graph('slices');
  const x = graph.input('x', 'f64', ['n', 'k']);
  for (const [name, options] of Object.entries({ rows: { axis: 0 }, columns: { axis: 1, equalNaN: true }, met: { axis: 0, sorted: false }, elements: { sorted: false, equalNaN: true } })) {
    for (const [part, value] of Object.entries(x.uniqueAll(options))) graph.output(`${name}, ${part}`, value);
  }
  /** @type {(name: string, n: number, k: number) => number | undefined} elements that an output may have, where a run finds them */
  const mostOf = (name, n, k) => {
    const [kind, part] = name.split(', ');
    if (part === 'inverseIndices') return undefined;
    return part === 'values' || kind === 'elements' ? n * k : kind === 'columns' ? k : n;
  };
  const ways = await allWays(graph);
  for (const [n, k] of [[17, 3], [1, 1], [0, 2], [5, 0], [7, 11]]) {
    const data = noise(n * k, n).map((v) => (v < 0.2 ? NaN : Math.floor(v * 3)));
    const inputs = { x: { dtype: /** @type {const} */ ('f64'), shape: [n, k], data } };
    const want = reference(graph, inputs);
    assertAgreement(ways, inputs, want, { title: `slices ${n} ${k}`, room: (name) => mostOf(name, n, k) });
  }
  const rows = tensor([[2, NaN], [0, 5], [2, NaN], [0, 5], [-0, 5]]);
  assert.deepStrictEqual(rows.uniqueCounts({ axis: 0, equalNaN: true }).counts.toArray(), [3n, 2n]);
  assert.deepStrictEqual(rows.uniqueAll({ axis: 0, sorted: false }).indices.toArray(), [0n, 1n, 2n]);
  const { values, inverseIndices, counts } = rows.uniqueAll({ axis: 0, sorted: false, size: 4, fill: 9 });
  assert.deepStrictEqual(values.toArray(), [[2, NaN], [0, 5], [2, NaN], [9, 9]]);
  assert.deepStrictEqual([inverseIndices.toArray(), counts.toArray()], [[0n, 1n, 2n, 1n, 1n], [1n, 3n, 1n, 0n]]);
  assert.deepStrictEqual(zeros([4, 0]).uniqueCounts({ axis: 0 }).counts.toArray(), [4n]);
});

it('knows sets', () => {
  const [a, b] = [tensor([5, 1, 3, 3, 9, NaN]), tensor([3, 4, 9, 4])];
  assert.deepStrictEqual(a.union1d(b).toArray(), [1, 3, 4, 5, 9, NaN]);
  assert.deepStrictEqual(a.intersect1d(b).toArray(), [3, 9]);
  assert.deepStrictEqual(a.setdiff1d(b).toArray(), [1, 5, NaN]);
  assert.deepStrictEqual(b.setdiff1d([4]).toArray(), [3, 9]);
  assert.deepStrictEqual(a.setxor1d(b).toArray(), [1, 4, 5, NaN]);
  assert.deepStrictEqual(a.intersect1d(zeros([0])).toArray(), []);
});

it('gives as many rows as are asked for', () => {
  const x = tensor([3, 1, 3, 0, 1]);
  assert.deepStrictEqual(x.nonzero({ size: 6, fill: -1 })[0].toArray(), [0n, 1n, 2n, 4n, -1n, -1n]);
  assert.deepStrictEqual(x.nonzero({ size: 2 })[0].toArray(), [0n, 1n]);
  const { values, counts } = x.uniqueCounts({ size: 4, fill: 7 });
  assert.deepStrictEqual([values.toArray(), counts.toArray()], [[0, 1, 3, 7], [1n, 2n, 2n, 0n]]);
  for (const [size, expected] of /** @type {const} */ ([[0, []], [2, [1n, 2n]], [3, [1n, 2n, 2n]]])) {
    assert.deepStrictEqual(x.uniqueCounts({ size }).counts.toArray(), expected, 'fewer values than there are');
    assert.deepStrictEqual(x.uniqueAll({ size }).counts.toArray(), expected);
  }
  assert.deepStrictEqual(zeros([0]).uniqueCounts({ size: 2 }).counts.toArray(), [0n, 0n]);
  assert.deepStrictEqual(x.intersect1d([1, 2, 3], { size: 3 }).toArray(), [1, 3, 0]);
  assert.deepStrictEqual(tensor([[1, 2], [3, 4]]).compress([false, true], { axis: 0, size: 2, fill: 9 }).toArray(), [[3, 4], [9, 9]]);
  const looped = jit((/** @type {any} */ v) =>
    forLoop(0, 2, (/** @type {any} */ _, /** @type {any} */ c) => c.add(c.maskedSelect(c.gt(1), { size: 5 }).sum()), v),
  );
  assert.deepStrictEqual(looped(x).toArray(), [47, 45, 47, 44, 45]);
});

it('computes with sizes that it found inside jit', () => {
  /** @type {unknown[]} */
  const shapes = [];
  const f = jit((/** @type {any} */ v) => {
    const some = v.maskedSelect(v.gt(1), { symbol: 'k' });
    shapes.push(some.shape);
    return { some, mean: some.mean(), rows: some.reshape([-1, 1]).mul([[1, 10]]), rest: v.compress(v.le(1)) };
  });
  const first = f(tensor([1, 2, 4]));
  assert.deepStrictEqual(shapes, [['k']]);
  assert.deepStrictEqual(first.rows.toArray(), [[2, 20], [4, 40]]);
  assert.strictEqual(first.mean.item(), 3);
  assert.deepStrictEqual(first.rest.toArray(), [1]);
  assert.deepStrictEqual(f(tensor([5, 1, 1])).some.toArray(), [5]);
  const large = noise(5000);
  assert.strictEqual(f(tensor(large).mul(4)).some.size, large.filter((each) => 4 * each > 1).length);
});

it('takes parts of what it found, and nothing where that has none', () => {
  const f = jit((/** @type {any} */ v) => {
    const some = v.maskedSelect(v.gt(1));
    return [some.slice([1]), some.slice([null, -1]), some.slice([null, null, -1]), some.diff(), some.reverse().pad([[1, 2]])];
  });
  const parts = (/** @type {number[]} */ list) => f(tensor(list)).map((/** @type {any} */ each) => each.toArray());
  assert.deepStrictEqual(parts([1, 2, 5, 3]), [[5, 3], [2, 5], [3, 5, 2], [3, -2], [0, 3, 5, 2, 0, 0]]);
  assert.deepStrictEqual(parts([7, 1, 1]), [[], [], [7], [], [0, 7, 0, 0]]);
  assert.deepStrictEqual(parts([1, 1, 1]), [[], [], [], [], [0, 0, 0]]);
});

it('has a name for each size', () => {
  const graph = Graph.parse('graph "g" {\n  %1 = param "m" : bool[n]\n  %2 = compress %1, %1 {count=[_3]}\n  output "z" = %2\n}');
  const [{ value }] = graph.inputs;
  const again = value.maskedSelect(value.not());
  assert.deepStrictEqual([again.shape, again.compress(again).shape], [['_4'], ['_5']]);
});

/** @type {(results: any) => any} */
const listsOf = (results) => Object.fromEntries(Object.entries(results).map(([name, { dtype, data }]) => [name, [dtype, ...data]]));

it('converts what it selects before that is written', () => {
  const graph = new Graph('converted');
  const [x, y] = ['x', 'y'].map((name) => graph.input(name, 'f64', ['n']));
  for (const [i, dtype] of /** @type {const} */ (['i32', 'u32', 'u8', 'f32', 'f16', 'i64']).entries()) {
    graph.output(`rows ${dtype}`, x.gt(i / 8).flatnonzero().convert(dtype));
    graph.output(`values ${dtype}`, y.mul(300).maskedSelect(x.gt(i / 9)).convert(dtype));
  }
  const both = x.lt(0.4).flatnonzero();
  graph.output('narrow', both.convert('i32')).output('wide', both).output('sum', x.lt(0.3).flatnonzero().convert('i32').sum());
  for (const options of [{ threads: 1 }, { threads: 2 }, { tier: 'auto' }, { numerics: 'strict' }]) {
    const program = graph.compile(/** @type {any} */ (options));
    for (const n of [0, 1, 7, 64, 1023, 1025, 70000]) {
      const inputs = { x: noise(n), y: noise(n, 5).map((v) => v - 0.5) };
      assert.deepStrictEqual(listsOf(program.run(inputs)), listsOf(graph.eval(inputs)));
    }
    program.dispose();
  }
  const named = Graph.parse('graph "named" {\n  %1 = param "m" : bool[n]\n  %2 = param "x" : f32[n]\n  %3 = compress %1, %2 {count=[k]}\n  %4 = result %3 {index=0}\n  %5 = convert %3 {dtype=i16}\n  output "y" = %4\n  output "z" = %5\n}');
  const given = { m: Uint8Array.of(1, 0, 1), x: Float32Array.of(1.5, 2, -5) };
  assert.deepStrictEqual(listsOf(named.compile().run(given)), { y: ['f32', 1.5, -5], z: ['i16', 1, -5] });
  const rows = new Graph('rows');
  rows.output('z', rows.input('x', 'f64', ['n']).lt(4).flatnonzero().convert('i32'));
  const program = rows.compile();
  assert.deepStrictEqual(program.stats.kernels.map(({ ops }) => ops), ['lt convert compress -> z']);
  program.dispose();
});

it('lets loops have values of a size that was found outside', () => {
  const f = jit((/** @type {any} */ v) => forLoop(0, 3, (/** @type {any} */ _, /** @type {any} */ c) => c.add(c), v.maskedSelect(v.gt(1))));
  assert.deepStrictEqual(f(tensor([1, 2, 4])).toArray(), [16, 32]);
});

it('refuses what data may make wrong', () => {
  const x = tensor([3, 1, 3]);
  /** @type {(make: (v: any) => unknown) => () => void} */
  const traced = (make) => () => void jit(/** @type {any} */ (make))(x);
  const some = (/** @type {any} */ v) => v.maskedSelect(v.gt(1), { symbol: 'k' });
  assert.throws(traced((v) => some(v).add(v)), { code: 'ERR_SHAPE', message: /add: axis 0 of shapes \[k\] and \[3\] differ/ });
  assert.throws(traced((v) => some(v).reshape([1, 2])), { code: 'ERR_SHAPE', message: /reshape: \[k\] has not as many elements as \[1, 2\].* for some values of a size that depends on data/ });
  assert.throws(traced((v) => forLoop(0, 2, (/** @type {any} */ _, /** @type {any} */ c) => c.mul(some(c).sum()), v)), { code: 'ERR_UNSUPPORTED', message: /compress: sizes of values inside a function do not depend on data/ });
  assert.throws(traced((v) => [some(v), some(v.mul(2))]), { code: 'ERR_SHAPE', message: /k is the size that %\d+ computes; use another/ });
  assert.throws(() => Graph.parse('graph "g" {\n  %1 = param "m" : bool[n]\n  %2 = param "x" : f32[k]\n  %3 = compress %1, %1 {count=[k]}\n  output "z" = %3\n}').compile(), { code: 'ERR_SHAPE', message: /input "x"|%2/ });
});

it('refuses wrong arguments', () => {
  const x = tensor([3, 1, 3]);
  assert.throws(() => x.compress([true]), { code: 'ERR_SHAPE', message: /compress: axis 0 of \[3\].* differs from the mask's/ });
  assert.throws(() => x.compress(tensor([[true]])), { code: 'ERR_SHAPE', message: /compress: expected a vector for the mask/ });
  assert.throws(() => x.compress(/** @type {any} */ (true)), { message: /the mask/ });
  assert.throws(() => x.maskedSelect([true]), { code: 'ERR_SHAPE', message: 'maskedSelect: the shape of the mask [1] is not that of leading axes of [3]' });
  assert.throws(() => tensor(3).nonzero(), { code: 'ERR_SHAPE', message: /nonzero: a value without axes/ });
  assert.throws(() => x.uniqueValues(/** @type {any} */ ({ sise: 3 })), { message: /unknown option 'sise' \(did you mean 'size'\?\)/ });
  assert.throws(() => x.uniqueValues({ fill: 3 }), { message: /option 'fill' is for what is left of option 'size'/ });
  assert.throws(() => x.uniqueValues({ size: 3, symbol: 'k' }), { message: /option 'symbol' names a size/ });
  assert.throws(() => x.uniqueValues({ symbol: 'k + 1' }), { message: /option 'symbol'/ });
  assert.throws(() => x.nonzero({ size: -1 }), { message: /option 'size'/ });
  assert.throws(() => x.nonzero({ dtype: /** @type {any} */ ('f64') }), { message: /option 'dtype'/ });
});
