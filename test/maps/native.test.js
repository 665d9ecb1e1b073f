/**
 * Maps and ranges as native functions, in others, as WebAssembly, as objects.
 */
'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { compileMap, compileRanges, compileSet, expr, jit, native, tensor, vectorize } = require('graphjit');
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
  assert.throws(() => compileMap([[1, 1]]).toNative(/** @type {any} */ ({ missing: 'x' })), { code: 'ERR_ARGUMENT' });
});
