/**
 * Maps and ranges as native functions, in others, as WebAssembly, as objects.
 */
'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const arrow = require('apache-arrow');
const { Graph, compileMap, compileRanges, compileSet, compileTrie, expr, jit, native, table, tensor, vectorize } = require('graphjit');
const { throwsGraphError } = require('../support/errors.js');
const { generator } = require('../support/generator.js');
const { KEYS } = require('./support.js');

const NUMBERS = [0, -0, 1, 2.5, -1, NaN, Infinity, -Infinity, 2 ** 31, 2 ** 53, 1e300];
const BIGINTS = [0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 32n];

for (const kind of ['doubles', 'small doubles', 'integers of 32 bits', 'dense integers', 'dense large integers', 'signed bigints', 'unsigned bigints']) {
  test(`maps of ${kind} as native functions`, () => {
    for (const size of [0, 3, 50, 700]) {
      const random = generator(size);
      const isBig = kind.endsWith('bigints');
      const keys = Array.from({ length: size }, (_, i) => KEYS[kind](random, i)).concat(size === 50 && !isBig ? [NaN, Infinity] : []);
      const map = new Map(keys.map((key, i) => [key, i / 2]));
      const places = new Map([...map.keys()].map((key, i) => [key, i]));
      const own = compileMap(map);
      const [value, index, is] = [own.toNative({ missing: -7 }), own.toNative({ of: 'index' }), compileSet(keys).toNative()];
      const others = isBig ? BIGINTS.map((key) => (kind === 'signed bigints' || size === 0 ? BigInt.asIntN(64, key) : BigInt.asUintN(64, key))) : NUMBERS;
      if (size === 0 && isBig) continue;
      for (const key of [...map.keys(), ...others]) {
        assert.deepEqual([value(key), index(key), is(key)], [map.get(key) ?? -7, places.get(key) ?? -1, Number(map.has(key))], `${size} ${key}`);
      }
    }
  });
}

test('ranges as native functions', () => {
  const own = compileRanges([[0, 1, 10], [1.5, 2, 20], [-Infinity, -1, 30]]).toNative();
  assert.deepEqual([0, 0.5, 1, 1.75, -5, NaN, 3, -Infinity].map((key) => own(key)), [10, 10, NaN, 20, 30, NaN, NaN, 30]);
  const bigs = compileRanges([[5n, 9n, 'a'], [20n, 2n ** 63n, 'b']]).toNative({ of: 'index' });
  assert.deepEqual([4n, 5n, 8n, 9n, 2n ** 63n - 1n].map((key) => bigs(key)), [-1, 0, 0, -1, 1]);
});

test('in a loop of another native function, in WebAssembly, in a header for C', async () => {
  const keys = Array.from({ length: 500 }, (_, i) => i * 7919 - 100_000);
  const price = compileMap({ keys, values: Float64Array.from(keys, (key) => key / 4) }).toNative({ missing: 0 });
  const total = native('(x) => { let sum = 0; for (let i = 0; i < x.length; i++) sum += price(x[i]); return sum; }', { capture: { price } });
  const probes = Float64Array.from({ length: 3000 }, (_, i) => (i % 3 ? keys[i % 500] : i + 0.5));
  const expected = probes.reduce((sum, key) => sum + (keys.includes(key) ? key / 4 : 0), 0);
  assert.equal(total(probes), expected);
  const { instance } = /** @type {any} */ (await WebAssembly.instantiate(price.toWasm().bytes));
  const [run] = Object.values(instance.exports).filter((each) => typeof each === 'function' && each.length === 1);
  assert.equal(/** @type {any} */ (run)(keys[17]), keys[17] / 4);
  assert.equal(/** @type {any} */ (run)(keys[17] + 1), 0);
  assert.match(price.toHeader(), /double \w+\(double k\);/u);
  assert.ok(price.toObject().length > 1000);
});

test('maps of few keys in expressions over columns, graphs and vectorised', () => {
  const price = compileMap([[1, 10], [2.5, 20], [NaN, 5]]).toNative({ missing: 0 });
  const x = Float64Array.of(1, 2, 2.5, NaN);
  assert.deepEqual(expr('f(x) * 2', { functions: { f: price } }).project({ x }), Float64Array.of(20, 0, 40, 10));
  assert.deepEqual(vectorize(price)(x).toArray?.() ?? [...vectorize(price)(x)], [10, 0, 20, 5]);
  const double = jit((/** @type {any} */ t) => /** @type {any} */ (price)(t).mul(2));
  assert.deepEqual(/** @type {any} */ (double(tensor(x))).toArray(), [20, 0, 40, 10]);
});

test('what native functions cannot be given is refused', () => {
  assert.throws(() => compileMap([['a', 1]]).toNative(), { code: 'ERR_UNSUPPORTED', message: /no strings/ });
  assert.throws(() => compileMap([[1, 'x']]).toNative(), { code: 'ERR_UNSUPPORTED', message: /not numbers/ });
  assert.throws(() => compileRanges([[0n, 2n ** 70n, 1]]).toNative(), { code: 'ERR_UNSUPPORTED', message: /64 bits/ });
  assert.throws(() => compileMap([[1, 1]]).toNative(/** @type {any} */ ({ of: 'key' })), { code: 'ERR_ARGUMENT' });
  const map = compileMap([[1, 1]]);
  assert.throws(() => native((/** @type {number} */ x) => map.get(x), { capture: { map } })(1), { code: 'ERR_UNSUPPORTED', message: /hand map\.toNative\(\) over/ });
  const trie = compileTrie([['a', 1]]);
  assert.throws(() => native((/** @type {number} */ x) => trie.get(x), { capture: { trie } })(1), { code: 'ERR_UNSUPPORTED', message: /look keys up outside/ });
  assert.throws(() => compileMap([[1, 1]]).toNative(/** @type {any} */ ({ missing: 'x' })), { code: 'ERR_ARGUMENT' });
  for (const call of ['toNative', 'toWasm', 'toObject', 'toHeader'])
    assert.throws(() => /** @type {any} */ (compileMap([[1, 1]]))[call]({ of: 'index', missing: -7 }), { code: 'ERR_ARGUMENT', message: /no option 'missing'/ });
});

test('in graphs, of any number of keys: tensors, jit, graphs with symbols', () => {
  for (const size of [0, 1, 10, 100, 5000]) {
    const keys = Array.from({ length: size }, (_, i) => 7919 * i - 1000);
    const map = compileMap({ keys, values: Float32Array.from(keys, (key) => key / 4) }, { missing: -3 });
    const x = Float64Array.of(...keys.slice(0, 100), 5, NaN, -1000.5, 1e9, ...(size === 1 ? [3] : []));
    const [values, indices] = [Array.from(map.getMany(x)), Array.from(map.indexMany(x))];
    const t = tensor(x);
    assert.deepEqual(/** @type {any} */ (map.getMany(t)).toArray(), values);
    const found = /** @type {any} */ (map.indexMany(t));
    assert.deepEqual([found.dtype, found.toArray()], ['i32', indices]);
    const shape = [2, x.length / 2];
    const double = jit((/** @type {any} */ given) => /** @type {any} */ (map).getMany(given).mul(2));
    assert.deepEqual(double(t.reshape(shape)).reshape([-1]).toArray(), values.map((value) => 2 * value));
    const graph = new Graph('look up');
    graph.output('y', /** @type {any} */ (map).getMany(graph.input('x', 'f64', ['n', 'm'])));
    assert.deepEqual(/** @type {any} */ (graph.compile().run({ x: t.reshape(shape) }).y).reshape([-1]).toArray(), values);
    const ranges = compileRanges(keys.map((key, i) => [key, key + 10, i]));
    assert.deepEqual(/** @type {any} */ (ranges.getMany(t)).toArray(), Array.from(ranges.getMany(x), (value) => value ?? NaN));
    assert.deepEqual(/** @type {any} */ (ranges.indexMany(tensor(Int32Array.of(-995, 5)))).toArray(), Array.from(ranges.indexMany([-995, 5])));
    const set = compileSet(keys.map(BigInt));
    if (size > 0) assert.deepEqual(/** @type {any} */ (set.indexMany(tensor(BigInt64Array.of(-1000n, 6919n, 3n)))).toArray(), Array.from(set.indexMany([-1000n, 6919n, 3n])));
  }
  assert.throws(() => compileMap([['a', 1]]).getMany(/** @type {any} */ (tensor([1]))), { code: 'ERR_UNSUPPORTED', message: /no strings/ });
});

test('in graphs keys are what the map has, and nothing is found that is not there', () => {
  const bigints = compileMap([[1n, 5], [0n, 7]]);
  throwsGraphError(() => bigints.getMany(tensor([1.5, NaN])), 'ERR_DTYPE', /getMany: the keys are f64, those of the map are i64: convert them/);
  throwsGraphError(() => bigints.indexMany(tensor([1n], { dtype: 'u64' })), 'ERR_DTYPE', /indexMany/);
  throwsGraphError(() => compileMap([[2n ** 64n - 1n, 5]]).getMany(tensor([-1n])), 'ERR_DTYPE', /those of the map are u64/);
  throwsGraphError(() => compileRanges([[0n, 5n, 9]]).getMany(tensor([-0.5])), 'ERR_DTYPE', /those of the map are i64/);
  assert.deepEqual([...bigints.getMany(tensor([1, 2], { dtype: 'i32' })).data], [5, NaN]);
  throwsGraphError(() => bigints.getMany(tensor([1n]), new Float64Array(1)), 'ERR_ARGUMENT', /expected no array/);
  for (const keys of [[1, 2], Array.from({ length: 200 }, (_, i) => i + 1)]) {
    for (const map of [compileSet(keys), compileMap(keys.map((key) => [key, 0]))]) {
      assert.deepEqual(map.hasMany(tensor([1, 999, 2])).toArray(), [true, false, true]);
      assert.deepEqual(jit((x) => map.hasMany(x))(tensor([999, 1])).toArray(), [false, true]);
    }
    assert.deepEqual([...compileSet(keys).getMany(tensor([1, 999])).data], [1, 0]);
  }
});

test('in expressions over columns: all kinds, of few and many keys', () => {
  for (const size of [0, 1, 10, 100, 100_000]) {
    const numbers = Float64Array.from({ length: size }, (_, i) => i / 4 - 3);
    const texts = Array.from(numbers, (_, i) => (i % 3 ? `k${i}` : `é${i}`));
    const bigints = BigInt64Array.from(numbers, (_, i) => BigInt(i) * 7919n - 5n);
    const sample = (/** @type {any} */ keys, /** @type {any[]} */ others) => [...Array.from(keys).slice(0, 40), ...others, null];
    /** @type {[any, any[], any?][]} */
    const all = [
      [compileMap({ keys: numbers, values: Int16Array.from(numbers, (_, i) => i % 1000) }), sample(numbers, [0.1, NaN, -0])],
      [compileSet(numbers), sample(numbers, [0.1])],
      [compileRanges({ lows: numbers, highs: numbers.map((x) => x + 0.125), values: Float32Array.from(numbers) }), sample(numbers, [0.1, 0.2, NaN])],
    ];
    if (size > 0) {
      all.push(
        [compileMap({ keys: texts, values: Array.from(texts, (key) => `${key}!日本`) }), sample(texts, ['', 'x'])],
        [compileMap({ keys: texts, values: Uint32Array.from(numbers, (_, i) => i) }), sample(texts, ['', 'x'])],
        [compileSet(texts), sample(texts, ['', 'x'])],
        [compileMap({ keys: bigints, values: bigints }), sample(bigints, [1n])],
        [compileTrie(texts.map((key, i) => [`/${key}`, i]), { separator: '/' }), sample(texts.map((key) => `/${key}/x`), ['', '/'])],
        [compileTrie(texts.map((_, i) => [`10.${i % 200}.${(i >> 8) % 200}.0/24`, i])), ['10.0.0.1', '10.3.0.7', '11.0.0.0', 'x', null]],
      );
    }
    for (const [own, list] of all) {
      const options = { functions: { f: own } };
      const column = { x: table({ x: list }).column('x').chunks[0] };
      const expected = list.map((key) => (key === null ? null : own.isSet ? own.has(key) : (own.get(key) ?? null)));
      for (const e of [expr('f(x)', options), expr('case when x is not null then f(x) end', options)]) {
        const found = /** @type {any} */ (e.project(column));
        assert.deepEqual(found.toArray ? Array.from(found.toArray()) : Array.from(found), expected, `${size} ${own}`);
      }
    }
  }
});

test('in expressions with dictionaries, filters, groups, and as WebAssembly', async () => {
  const region = compileMap({ de: 'Europe', fr: 'Europe', jp: 'Asia' });
  const functions = { region };
  const rows = { country: arrow.vectorFromArray(['de', 'jp', 'fr', 'xx', 'de', null], new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32())), sales: Float64Array.of(1, 2, 3, 4, 5, 6) };
  assert.deepEqual(expr('region(country)', { functions }).project(rows).toArray(), ['Europe', 'Asia', 'Europe', null, 'Europe', null]);
  assert.deepEqual(expr("region(country) = 'Europe' and sales > 1", { functions }).filter(rows), Uint32Array.of(2, 4));
  const plain = { country: ['de', 'jp', 'fr', 'xx', 'de', null], sales: rows.sales };
  assert.deepEqual(expr('region(country)', { functions }).project(plain).toArray(), ['Europe', 'Asia', 'Europe', null, 'Europe', null]);
  const { load } = await import('graphjit/web/columns');
  const module = expr('price(x) * 2', { functions: { price: compileMap({ keys: ['a', 'b'], values: Float64Array.of(1.5, 2) }) } }).toWasm({ x: ['a'] });
  const found = (await load(module.bytes))({ x: ['b', 'a', 'c'] });
  assert.deepEqual(Array.from(found.toArray()), [4, 3, null]);
});

test('what expressions cannot look up is refused', () => {
  /** @type {[any, any, RegExp][]} */
  const wrong = [
    [compileMap([['a', {}]]), ['a'], /function 'f': expressions have maps to numbers, to strings or to elements of a typed array, value 0 is an empty object/],
    [compileMap([['a', '\ud800']]), ['a'], /half characters/],
    [compileMap([['\ud800', 1]]), ['a'], /half characters/],
    [compileRanges([[0n, 2n ** 70n, 1]]), BigInt64Array.of(1n), /64 bits/],
    [compileMap([['a', 1]]), Float64Array.of(1), /f/],
  ];
  for (const [own, x, message] of wrong) assert.throws(() => expr('f(x)', { functions: { f: own } }).project({ x }), { name: 'GraphError', message });
  const gone = compileMap([['a', 1]]);
  gone.dispose();
  assert.throws(() => expr('f(x)', { functions: { f: gone } }).project({ x: ['a'] }), { code: 'ERR_STATE' });
});
