// f16 and bf16 from end to end: every row of the op table through all ways of running it, mixed dtypes, tensors
// of them, files, and modules.
//
// What the formats mean and how conversions round is tested exhaustively in test/c/half_test.c; here the numbers
// that JavaScript makes of bits are compared with what native code makes of them.
'use strict';

const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { Graph, arange, asTensor, full, linspace, ones, tensor, zeros } = require('graphjit');
const { formatNpy, parseNpy } = require('../lib/tensor/npy.js');
const { assertAgreement, mainWays, reference, wasm } = require('./support/oracles.js');
const { arrayOf, randoms, specials } = require('./support/values.js');
const { elementwise, movement, reductions, running } = require('./ops/table.js');

/** @typedef {'f16' | 'bf16'} Half */

/** @type {readonly Half[]} */
const HALVES = ['f16', 'bf16'];
const camelCase = (/** @type {string} */ name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** All bits there are. */
const everyBits = () => Uint16Array.from({ length: 65536 }, (_, i) => i);

/** @type {(dtype: Half, elements: Iterable<number>) => Uint16Array} */
const bitsOf = (dtype, elements) => /** @type {Uint16Array} */ (tensor([...elements], { dtype }).data);

/** Operands of binary ops: all pairs of the values worth trying. @type {(dtype: Half) => Uint16Array[]} */
function operands(dtype) {
  const values = [...new Set(bitsOf(dtype, [...specials('f32'), 65504, 65519, 65520, 2 ** -24, 2 ** -14, 2 ** -133, 1 + 2 ** -10].map(Number)))];
  const pairs = values.flatMap((x) => values.map((y) => [x, y]));
  return [0, 1].map((k) => Uint16Array.from(pairs, (pair) => pair[k]));
}

it('composites of halves keep parts in range where results are', () => {
  const pair = tensor([[300, 400]], { dtype: 'f16' });
  const many = full([3, 2, 2000], 60, { dtype: 'f16' });
  const results = {
    norm: pair.vectorNorm(), similarity: pair.cosineSimilarity(pair), distance: pair.pairwiseDistance(pair.mul(2)), mean: many.nanMean(), pool: many.avgPool(2000).max(),
    loss: many.mseLoss(52), group: pair.reshape([1, 1, 2]).groupNorm(1).max(), image: pair.reshape([1, 1, 2]).instanceNorm().min(), average: many.average(),
    power: pair.reshape([1, 1, 2]).lpPool(2).max(), swish: pair.mul(100).hardSwish().max(), sinc: pair.mul(150).sinc().abs().max(), correlation: pair.concat(pair).corrcoef().min(),
  };
  const wanted = {
    norm: 500, similarity: 1, distance: 500, mean: 60, pool: 60, loss: 64, group: 1, image: -1, average: 60, power: 500, swish: 40000, sinc: 0, correlation: 1,
  };
  for (const [name, result] of Object.entries(results)) {
    const [value, want] = [result.convert('f64').max().item(), wanted[/** @type {keyof typeof wanted} */ (name)]];
    assert.equal(result.dtype, 'f16', name);
    assert.ok(Math.abs(value - want) <= 0.001 * Math.max(1, Math.abs(want)), `${name}: ${value}, not ${want}`);
  }
  assert.equal(pair.mseLoss(tensor([[1, 2]], { dtype: 'f32' })).dtype, 'f32');
});

for (const dtype of HALVES) {
  describe(dtype, () => {
    it('is computed alike everywhere by every elementwise op', async () => {
      const graph = new Graph('ops');
      const [x, y] = ['x', 'y'].map((name) => /** @type {any} */ (graph.input(name, dtype, ['n'])));
      /** @type {Record<string, number>} */
      const ulps = {};
      for (const [name, row] of Object.entries(elementwise)) {
        if (!row.dtypes.includes('f32') || ['convert', 'bitcast', 'select'].includes(name)) continue;
        const args = row.arity === 3 ? [y, x.neg()] : row.arity === 2 ? [y] : [];
        const result = x[camelCase(name)](...args);
        assert.equal(result.dtype, row.gives ?? dtype, name);
        graph.output(name, result);
        // What f32 has within a few units in the last place may round to the neighbour.
        ulps[name] = row.ulp ? 1 : 0;
      }
      graph.output('select', x.lt(y).select(x, y));
      assert.ok(Object.keys(ulps).length > 45);
      const [a, b] = operands(dtype);
      const inputs = { x: { dtype, shape: [a.length], data: a }, y: { dtype, shape: [b.length], data: b } };
      const ways = [...(await mainWays(graph)), await wasm(graph, 'mvp')];
      assertAgreement(ways, inputs, reference(graph, inputs), { title: dtype, tolerance: (name) => ({ ulp: ulps[name] ?? 0 }) });
      for (const way of ways) way.dispose();
    });

    it('becomes every dtype and comes back alike everywhere', async () => {
      const graph = new Graph('conversions');
      const x = graph.input('x', dtype, ['n']);
      const others = /** @type {const} */ (['f64', 'f32', 'f16', 'bf16', 'i64', 'i32', 'i16', 'i8', 'u64', 'u32', 'u16', 'u8', 'bool']);
      for (const other of others) {
        graph.output(other, x.convert(other)).output(`${other} and back`, x.mul(3).convert(other).convert(dtype));
      }
      graph.output('bits', x.bitcast('u16').add(1).bitcast(dtype).isFinite());
      const inputs = { x: { dtype, shape: [65536], data: everyBits() } };
      const ways = await mainWays(graph);
      assertAgreement(ways, inputs, reference(graph, inputs), { title: dtype });
      for (const way of ways) way.dispose();
    });

    it('is moved, reduced and summed up alike everywhere', async () => {
      const graph = new Graph('rest');
      /** @type {Record<string, any>} */
      const inputs = {};
      const sizes = { n: 37, m: 5 };
      const x = /** @type {any} */ (graph.input('x', dtype, ['n', 'm']));
      const small = Array.from({ length: 37 * 5 }, (_, i) => ((i * 7) % 11) - 5);
      inputs.x = { dtype, shape: [37, 5], data: bitsOf(dtype, small) };
      for (const name of Object.keys(reductions)) {
        if (!reductions[name].dtypes?.includes('f32') || /arg/.test(name)) continue;
        for (const axis of [0, 1]) graph.output(`${name} ${axis}`, x[camelCase(name.replace('reduce_', ''))]({ axis }));
      }
      for (const name of Object.keys(running)) graph.output(name, x.abs().min(1)[camelCase(name)](0));
      graph.output('argmax', x.argmax({ axis: 0 })).output('argmin', x.argmin({ axis: 1 }));
      graph.output('turned', x.transpose().reshape(['m*n']).flip()).output('padded', x.pad([[1, 2], [0, 1]], { value: 1.5 }));
      graph.output('joined', x.concat(x.mul(2), { axis: 0 })).output('cut', x.slice([1, 4]));
      const ways = await mainWays(graph);
      assertAgreement(ways, inputs, reference(graph, inputs), { title: `${dtype}, ${JSON.stringify(sizes)}`, tolerance: () => ({ ulp: 1 }) });
      for (const way of ways) way.dispose();
    });

    it('rounds after every op, fused or not', () => {
      const graph = new Graph('chain');
      const x = graph.input('x', dtype, ['n']);
      const product = x.mul(x);
      graph.output('fused', x.mul(x).add(x).mul(0.3)).output('product', product).output('stored', product.add(x).mul(0.3));
      const data = arrayOf('f32', randoms('f32', 500));
      const values = tensor(data, { dtype });
      const { fused, stored } = graph.compile({ numerics: 'fast' }).run({ x: values });
      const step = (/** @type {number[]} */ list) => tensor(list, { dtype }).toArray();
      const third = step([0.3])[0];
      const own = values.toArray();
      const products = step(own.map((v) => v * v));
      const sums = step(products.map((v, i) => v + own[i]));
      assert.deepEqual(fused.toArray(), step(sums.map((v) => v * third)));
      assert.deepEqual(stored.toArray(), fused.toArray());
    });

    it('gives its numbers to JavaScript, and takes them', () => {
      const all = tensor(everyBits(), { dtype });
      const graph = new Graph('wide');
      graph.output('y', graph.input('x', dtype, ['n']).convert('f64'));
      assert.deepEqual(all.toArray(), graph.compile().run({ x: all }).y.toArray());
      const numbers = all.toArray();
      const again = tensor(numbers, { dtype });
      const differs = numbers.findIndex((value, i) => !Number.isNaN(value) && again.data[i] !== i);
      assert.equal(differs, -1);
      assert.ok(again.toArray().every((value, i) => Object.is(value, numbers[i])));
      // Rounding, compared with native code: midpoints, their neighbours, numbers of any size.
      const middles = numbers.slice(0, 0x7c00).flatMap((value, i) => {
        const middle = (value + numbers[i + 1]) / 2;
        return [middle, -middle, middle * (1 + 2 ** -50), middle * (1 - 2 ** -50)];
      });
      const doubles = Float64Array.from([...middles, ...specials('f64').map(Number), ...randoms('f64', 5000).map(Number)]);
      const narrow = new Graph('narrow');
      narrow.output('y', narrow.input('x', 'f64', ['n']).convert(dtype));
      const { y } = narrow.compile().run({ x: doubles });
      assert.deepEqual(tensor(doubles, { dtype }).toArray(), y.toArray());
    });
  });
}

describe('tensors of halves', () => {
  it('are made like any others', () => {
    assert.deepEqual(ones([2], { dtype: 'f16' }).data, Uint16Array.of(0x3c00, 0x3c00));
    assert.deepEqual(zeros([2], { dtype: 'bf16' }).toArray(), [0, 0]);
    assert.deepEqual(full([2], -0, { dtype: 'f16' }).data, Uint16Array.of(0x8000, 0x8000));
    assert.deepEqual(arange(0, 2, 0.5, { dtype: 'bf16' }).toArray(), [0, 0.5, 1, 1.5]);
    assert.deepEqual(linspace(0, 1, 5, { dtype: 'f16' }).toArray(), [0, 0.25, 0.5, 0.75, 1]);
    assert.equal(tensor(0.1, { dtype: 'f16' }).item(), 0.0999755859375);
    assert.deepEqual(tensor([[1, 2], [3, 4]], { dtype: 'bf16' }).set([1, 0], 2.5).toArray(), [[1, 2], [2.5, 4]]);
    assert.deepEqual(tensor([true, 70000n], { dtype: 'f16' }).toArray(), [1, Infinity]);
  });

  it('take arrays of 16 bits as they are, and numbers of any other kind', () => {
    const bits = Uint16Array.of(0x3c00, 0xc000);
    assert.equal(tensor(bits, { dtype: 'f16' }).data, bits);
    assert.deepEqual(tensor([bits], { dtype: 'f16' }).toArray(), [[1, -2]]);
    assert.deepEqual(tensor(Uint8Array.of(3), { dtype: 'bf16' }).toArray(), [3]);
    assert.deepEqual(tensor(tensor([7], { dtype: 'u16' }), { dtype: 'f16' }).toArray(), [7]);
    assert.deepEqual(asTensor(tensor([1.5, 2], { dtype: 'bf16' }), { dtype: 'f32' }).toArray(), [1.5, 2]);
    assert.throws(() => tensor(tensor([1.5], { dtype: 'f16' }), { dtype: 'i8' }), { code: 'ERR_DTYPE', message: /i8 holds the integers/ });
  });

  it('round bigints once', () => {
    const tie = 2n ** 62n + 2n ** 54n; // between two numbers of 8 digits
    assert.deepEqual(tensor([tie, tie + 1n, tie - 1n, -tie - 1n], { dtype: 'bf16' }).toArray(), [2 ** 62, 2 ** 62 + 2 ** 55, 2 ** 62, -(2 ** 62) - 2 ** 55]);
  });

  it('print as many digits as they have', () => {
    assert.equal(String(tensor([0.1, 3.14159, 1000], { dtype: 'f16' })), '[1.00e-01 3.14e+00 1.00e+03]');
    assert.equal(String(tensor([0.1, 0.2, 1 / 3], { dtype: 'f16' })), '[0.1    0.2    0.3333]');
    assert.equal(String(tensor([0.1, 1 / 3], { dtype: 'bf16' })), '[0.1   0.334]');
    assert.equal(String(tensor(65504, { dtype: 'f16' })), '65500.0');
  });

  it('are those of Float16Array where the engine has it', { skip: !('Float16Array' in globalThis) }, () => {
    const Float16 = /** @type {any} */ (globalThis).Float16Array;
    const own = Float16.of(1, -2.5);
    const made = tensor(own);
    assert.equal(made.dtype, 'f16');
    assert.equal(made.data.buffer, own.buffer);
    const graph = new Graph('double');
    graph.output('y', graph.input('x', 'f16', ['n']).mul(2));
    const target = new Float16(2);
    graph.compile().run({ x: own }, { y: target });
    assert.deepEqual([...target], [2, -5]);
  });
});

describe('programs of halves', () => {
  it('take means and norms of what overflows as a sum', () => {
    for (const dtype of HALVES) {
      const graph = new Graph('overflow');
      const x = graph.input('x', dtype, ['n']);
      graph.output('mean', x.mean()).output('std', x.std()).output('softmax', x.softmax()).output('norm', x.rmsNorm());
      const results = graph.compile().run({ x: full([100000], 300, { dtype }) });
      assert.deepEqual([results.mean.item(), results.std.item(), results.norm.at(0)], [300, 0, 1]);
      assert.equal(results.softmax.at(5), tensor(1e-5, { dtype }).item());
      assert.equal(results.softmax.dtype, dtype);
    }
  });

  it('mix with other dtypes as the array API has it', () => {
    const graph = new Graph('mixed');
    const [a, b] = HALVES.map((dtype) => graph.input(dtype, dtype, ['n']));
    const single = graph.input('s', 'f32', ['n']);
    assert.deepEqual([a.add(b).dtype, a.add(single).dtype, b.mul(single).dtype, a.mul(0.1).dtype, b.add(1).dtype], ['f32', 'f32', 'f32', 'f16', 'bf16']);
    assert.equal(graph.input('d', 'f64', []).add(a).dtype, 'f64');
    assert.throws(() => a.add(graph.input('i', 'i8', ['n'])), { code: 'ERR_DTYPE', message: /f16 .* and i8 .* have no common dtype/ });
  });

  it('take numbers for inputs of rank 0, and arrays of bits', () => {
    const graph = new Graph('scalars');
    const x = graph.input('x', 'f16', []);
    graph.output('y', x.mul(graph.input('v', 'f16', ['n'])));
    const program = graph.compile();
    assert.deepEqual(program.run({ x: 0.5, v: Uint16Array.of(0x3c00, 0x4000) }).y.toArray(), [0.5, 1]);
    assert.throws(() => program.run({ x: 1, v: Int16Array.of(1) }), { code: 'ERR_DTYPE', message: /expected f16 for input 'v', got i16/ });
  });

  it('run as interpreted code first', async () => {
    const graph = new Graph('tiers');
    const x = graph.input('x', 'bf16', ['n']);
    graph.output('y', x.exp().add(x)).output('s', x.sum());
    const data = { x: linspace(-3, 3, 1000, { dtype: 'bf16' }) };
    const program = graph.compile({ tier: 'auto', cache: false });
    const early = program.run(data);
    await program.ready();
    const late = program.run(data);
    assert.deepEqual(early.y.data, late.y.data);
    assert.deepEqual(early.s.data, late.s.data);
  });

  it('load in the browser with their bits', async () => {
    const { load } = await import('graphjit/web');
    const graph = new Graph('web');
    graph.output('y', graph.input('x', 'bf16', ['n']).mul(graph.input('a', 'bf16', [])));
    const { bytes, types } = graph.toWasm({ optimize: false, variants: ['simd'] });
    const program = await load(bytes);
    const two = Uint16Array.of(0x4000);
    const { y } = program.run({ x: Uint16Array.of(0x3f80, 0xbf80), a: two });
    assert.deepEqual([y.dtype, [...y.data]], ['bf16', [0x4000, 0xc000]]);
    assert.equal(program.allocate('f16', 3).data.constructor, Uint16Array);
    assert.throws(() => program.run({ x: two, a: 2 }), { code: 'ERR_DTYPE' });
    assert.match(types, /a: Shaped<Uint16Array>;/);
  });

  it('go to files of NumPy', () => {
    const data = tensor([1, -2, 0.1], { dtype: 'f16' });
    const { dtype, shape, data: back } = parseNpy(formatNpy(data));
    assert.deepEqual([dtype, shape, back], ['f16', [3], data.data]);
  });
});

it('rows of the table that only move take halves', () => {
  for (const dtype of HALVES) {
    const graph = new Graph('moves');
    for (const name of ['transpose', 'reverse', 'concat', 'pad']) {
      const [first] = movement[name].cases;
      const values = first.shapes.map((/** @type {any} */ spec, /** @type {number} */ k) =>
        Array.isArray(spec) ? graph.input(`${name}${k}`, dtype, spec) : graph.input(`${name}${k}`, spec.dtype, []));
      assert.equal(first.build(values, graph, dtype).dtype, dtype, name);
    }
  }
});
