/**
 * Maps and sets against Map and Set: keys of each kind and every layout, one at a time and many, in order.
 */
'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { compileMap, compileRanges, compileSet } = require('graphjit');
const { inspect } = require('node:util');
const { throwsGraphError } = require('../support/errors.js');
const { generator } = require('../support/generator.js');
const { KEYS, OTHERS, compare } = require('./support.js');

const SIZES = [0, 1, 2, 3, 5, 7, 8, 13, 31, 128, 129, 257, 1009];

/** @type {(kind: string, size: number, seed?: number) => any[]} keys, of which some may be equal */
function keysOf(kind, size, seed = size + 1) {
  const random = generator(seed);
  return Array.from({ length: size }, (_, i) => KEYS[kind](random, i));
}

/** Keys close to those that are there. @type {(key: any) => any[]} */
function near(key) {
  if (typeof key === 'string') return [`${key}x`, key.slice(1), `x${key.slice(1)}`, `${key.slice(0, -1)}\0`];
  return typeof key === 'bigint' ? [key + 1n, key ^ (1n << 40n), key + (1n << 64n)] : [key + 1, key * (1 + 2 ** -52), -key, String(key)];
}

for (const kind of Object.keys(KEYS)) {
  test(`maps of ${kind} find what a Map finds`, () => {
    for (const size of SIZES) {
      const keys = keysOf(kind, size);
      const map = new Map(keys.map((key, i) => [key, `value ${i}`]));
      const entries = keys.map((key, i) => [key, `value ${i}`]);
      for (const own of [compileMap(map), compileMap(entries)]) compare(own, map, [...keys.flatMap(near), ...OTHERS]);
    }
  });
}

for (const kind of ['doubles', 'integers of 32 bits', 'dense integers', 'signed bigints', 'numbered texts', 'random texts']) {
  test(`a map of 100,000 ${kind}`, () => {
    const keys = keysOf(kind, 100_000);
    const map = new Map(keys.map((key, i) => [key, i]));
    compare(compileMap(map), map, keys.slice(0, 1000).flatMap(near));
  });
}

test('keys are equal as in Map: NaN is one, -0 is 0; the last value counts at the place of the first', () => {
  const entries = [[0, 'a'], [NaN, 'b'], [-0, 'c'], [0.5, 'd'], [NaN, 'e'], [Infinity, 'f'], [-Infinity, 'g'], [1, 'h'], [1, 'i'], [2.5, 'j'], [3.5, 'k'], [4.5, 'l']];
  for (const length of [3, 5, 12]) compare(compileMap(entries.slice(0, length)), new Map(/** @type {any} */ (entries.slice(0, length))), [-0, 7, ...OTHERS]);
  const keys = Array.from({ length: 5000 }, (_, i) => (i * i) % 1237 / 3);
  compare(compileMap({ keys: Float64Array.from(keys), values: keys.map(String) }), new Map(keys.map((key) => [key, String(key)])), OTHERS);
  const texts = keys.map((key, i) => (i % 2 ? `${key}` : '\ud800'));
  compare(compileMap(texts.map((key, i) => [key, i])), new Map(texts.map((key, i) => [key, i])), OTHERS);
  const all = Float64Array.from({ length: 5000 }, () => NaN);
  compare(compileMap({ keys: all, values: all.map((_, i) => i) }), new Map([[NaN, 4999]]), [1]);
});

test('entries come as a Map, pairs, arrays, or an object by its names', () => {
  assert.equal(compileMap({ a: 1, keys: 2 }).get('keys'), 2);
  assert.equal(compileMap({ keys: ['a'], values: [undefined] }).has('a'), true);
  assert.equal(compileMap({ keys: new Int16Array([5, -3]), values: ['x', 'y'] }).get(-3), 'y');
  assert.equal(compileMap(Object.entries({ a: 1 })).get('a'), 1);
  const own = compileMap(new Map([['a', null], ['b', undefined]]));
  assert.deepEqual([...own], [['a', null], ['b', undefined]]);
  assert.deepEqual(own.getMany(['a', 'b', 'c']), [null, undefined, undefined]);
  assert.deepEqual(compileMap(new Map([['a', null], ['b', undefined]]), { missing: 0 }).getMany(['a', 'b', 'c']), [null, undefined, 0]);
});

test('sets', () => {
  const set = compileSet(['x', 'y', 'x']);
  assert.deepEqual([set.size, set.has('x'), set.get('y'), set.has('z'), [...set]], [2, true, true, false, ['x', 'y']]);
  assert.deepEqual(compileSet(Int32Array.of(3, 1, 2)).hasMany(Int32Array.of(1, 5)), Uint8Array.of(1, 0));
  assert.deepEqual([...compileSet(new Set([1n]))], [1n]);
  assert.equal(compileSet([]).has(undefined), false);
});

// --- many ---

const CLASSES = [Float64Array, Float32Array, Int32Array, Uint32Array, Int16Array, Uint16Array, Int8Array, Uint8Array, Uint8ClampedArray];

test('many numbers of any class, by one thread and two', () => {
  for (const kind of ['small doubles', 'integers of 32 bits', 'dense integers', 'large integers']) {
    for (const size of [0, 1, 5, 90, 3000]) {
      const keys = [...keysOf(kind, size), ...(size > 5 ? [3.5, NaN, -0] : [])];
      const map = new Map(keys.map((key, i) => [key, i]));
      const values = Float32Array.from(map.values());
      for (const threads of [1, 2]) {
        const own = compileMap({ keys: [...map.keys()], values }, { threads });
        const places = [...map.keys()];
        for (const Class of CLASSES) {
          const probes = Class.from([...keys, ...keys.map((key) => key + 1), NaN, -0, 0.5, 1e300]);
          assert.deepEqual(own.indexMany(probes), Int32Array.from(probes, (key) => places.findIndex((other) => other === key || (other !== other && key !== key))), `${kind} ${size} ${Class.name}`);
          assert.deepEqual(own.getMany(probes), Float32Array.from(probes, (key) => map.get(key) ?? NaN));
        }
      }
    }
  }
});

test('many bigints of either class', () => {
  for (const kind of ['signed bigints', 'unsigned bigints']) {
    const keys = keysOf(kind, 700);
    const map = new Map(keys.map((key, i) => [key, BigInt(i)]));
    const own = compileMap(map);
    for (const Class of [BigInt64Array, BigUint64Array]) {
      const probes = Class.from([...keys, 0n, -1n, 5n]);
      assert.deepEqual(own.getMany(probes), Array.from(probes, (key) => map.get(key)));
      assert.deepEqual(own.hasMany(probes), Uint8Array.from(probes, (key) => Number(map.has(key))));
    }
  }
});

test('values of each class, into arrays that are given', () => {
  const keys = Float64Array.from({ length: 200 }, (_, i) => i / 4);
  const probes = Float64Array.of(0.25, 77.125, 49.75, -1);
  for (const Class of [...CLASSES, BigInt64Array, BigUint64Array]) {
    const values = /** @type {any} */ (Class).from(keys, (/** @type {number} */ _, /** @type {number} */ i) => (Class.name.startsWith('Big') ? BigInt(i) : i));
    const out = new Class(5);
    assert.equal(compileMap({ keys, values }).getMany(probes, out), out);
    const none = Class.name.startsWith('Float') ? NaN : values[0];
    assert.deepEqual(out.slice(0, 4), Class.from(/** @type {any} */ ([values[1], none, values[199], none])));
  }
  assert.deepEqual(compileMap({ keys, values: keys }, { missing: -7 }).getMany(probes), Float64Array.of(0.25, -7, 49.75, -7));
  assert.deepEqual(compileMap({ keys, values: keys }).getMany([0.25, 'x']), Float64Array.of(0.25, NaN));
  assert.throws(() => compileMap({ keys, values: keys }).getMany(probes, new Float64Array(3)), { code: 'ERR_ARGUMENT', message: /Float64Array of at least 4 for 'out'/ });
  assert.throws(() => compileMap({ keys, values: keys }).getMany(probes, new Float32Array(4)), { code: 'ERR_ARGUMENT' });
  assert.throws(() => compileMap({ keys, values: keys }, { missing: 1n }).getMany(probes), { code: 'ERR_ARGUMENT', message: /option 'missing'/ });
});

test('columns: texts, dictionaries, numbers, nulls', () => {
  const { table } = require('graphjit');
  const column = (/** @type {any} */ list) => table({ k: list }).column('k').chunks[0];
  for (const size of [1, 3, 90, 2000]) {
    const keys = keysOf('random texts', size).concat('é', '日本', '😀', '', '\ud800');
    const map = new Map(keys.map((key, i) => [key, i]));
    const probes = keys.concat(keys.map((key) => `${key}!`)).filter((key) => key.isWellFormed()).concat('�', '');
    const withNulls = probes.map((key, i) => (i % 5 ? key : null));
    for (const values of [Int32Array.from(map.values()), [...map.values()]]) {
      const own = compileMap({ keys: [...map.keys()], values }, { missing: -1, threads: 2 });
      assert.deepEqual(Array.from(own.getMany(column(withNulls))), withNulls.map((key) => (key === null ? -1 : (map.get(key) ?? -1))));
      assert.deepEqual(Array.from(own.getMany(probes)), probes.map((key) => map.get(key) ?? -1));
    }
  }
  const numbers = compileMap([[1.5, 'a'], [2, 'b']]);
  assert.deepEqual(numbers.getMany(column([1.5, null, 2, 3])), ['a', undefined, 'b', undefined]);
  assert.throws(() => numbers.getMany(column(['a'])), { code: 'ERR_DTYPE' });
});

test('vectors of apache-arrow, in chunks, with a dictionary', () => {
  const arrow = require('apache-arrow');
  const own = compileMap({ keys: ['a', 'b', 'c'], values: Int32Array.of(1, 2, 3) });
  const dictionary = arrow.vectorFromArray(['a', 'q', null, 'a', 'c']);
  assert.deepEqual(own.getMany(dictionary), Int32Array.of(1, 0, 0, 1, 3));
  assert.deepEqual(own.indexMany(dictionary), Int32Array.of(0, -1, -1, 0, 2));
  const plain = arrow.vectorFromArray(['b', null, 'x'], new arrow.Utf8());
  assert.deepEqual(own.getMany(plain.concat(plain)), Int32Array.of(2, 0, 0, 2, 0, 0));
});

// --- in order ---

test('ranks of bigints of the other kind', () => {
  const [signed, unsigned] = [compileMap([[-4n, 1], [7n, 2]]), compileMap([[2n ** 63n, 1], [5n, 2]])];
  assert.deepEqual([...signed.rankMany(BigUint64Array.of(2n ** 63n, 7n, 8n, 2n ** 64n - 1n))], [2, 1, 2, 2]);
  assert.deepEqual([...unsigned.rankMany(BigInt64Array.of(-1n, 5n, 6n, -(2n ** 63n)))], [0, 0, 1, 0]);
});

test('-0 is the key 0', () => {
  for (const keys of [[-0], Float64Array.of(-0), [-0, 0.5], Float32Array.of(-0, 0.5)]) {
    const map = compileMap({ keys, values: Array.from(keys, () => 1) });
    assert.ok([map.keys()[0], map.floor(0)[0], [...map][0][0], [...compileSet(keys)][0]].every((key) => Object.is(key, 0)));
  }
});

test('what are no entries is refused', () => {
  const entries = [{ keys: { length: 1, 0: 7 }, values: ['a'] }, { keys: new Set([1]), values: [1] }, Promise.resolve([]), (async function* none() {})(), new (class { a = 1; })()];
  for (const each of entries) throwsGraphError(() => compileMap(each), 'ERR_ARGUMENT', /expected/);
  const keys = Float64Array.of(1);
  structuredClone(keys, { transfer: [keys.buffer] });
  throwsGraphError(() => compileMap({ keys, values: [] }), 'ERR_STATE', /detached/);
  throwsGraphError(() => compileMap({ keys: [], values: keys }), 'ERR_STATE', /detached/);
  assert.equal(compileMap({ keys: 1, values: 2 }).get('values'), 2);
  assert.equal(compileMap({}).keyType, 'string');
  assert.equal(inspect(compileMap({ a: 1 })), 'CompiledMap: a map of 1 strings');
});

test('halves in columns are the numbers that they mean', () => {
  const arrow = require('apache-arrow');
  const map = compileMap([[1.5, 'a'], [2, 'b']]);
  const vector = arrow.vectorFromArray([1.5, null, 2, 3], new arrow.Float16());
  assert.deepEqual(map.getMany(vector), ['a', undefined, 'b', undefined]);
  assert.deepEqual([...compileSet([1.5]).hasMany(vector)], [1, 0, 0, 0]);
  assert.deepEqual([...compileRanges([[1, 2, 0]]).indexMany(vector)], [0, -1, -1, -1]);
});

test('floor, ceiling, rank and range', () => {
  for (const kind of ['doubles', 'dense integers', 'integers of 32 bits', 'signed bigints', 'unsigned bigints', 'random texts']) {
    for (const size of [0, 1, 2, 8, 9, 10, 82, 500]) {
      const map = new Map(keysOf(kind, size).map((key, i) => [key, i]));
      const own = compileMap(map);
      const sorted = [...map].sort(([a], [b]) => (a < b ? -1 : 1));
      const probes = [...map.keys()].slice(0, 60).flatMap((key) => [key, near(key)[0]]).filter((key) => typeof key !== 'bigint' || BigInt.asIntN(64, key) === key || kind !== 'signed bigints');
      for (const key of probes) {
        assert.deepEqual(own.floor(key), sorted.findLast(([other]) => other <= key));
        assert.deepEqual(own.ceiling(key), sorted.find(([other]) => other >= key));
        assert.equal(own.rank(key), sorted.filter(([other]) => other < key).length);
      }
      const [low, high] = [probes[0] ?? 0, probes.at(-1) ?? 0];
      assert.deepEqual(own.range(low, high), sorted.filter(([key]) => key >= low && key < high));
      if (kind === 'random texts') continue;
      const Class = kind === 'signed bigints' ? BigInt64Array : kind === 'unsigned bigints' ? BigUint64Array : Float64Array;
      const many = /** @type {any} */ (Class).from(size === 0 && Class !== Float64Array ? [] : probes);
      if (size > 0) assert.deepEqual(own.rankMany(many), Int32Array.from(many, (key) => own.rank(key)));
    }
  }
  const withNaN = compileMap([[NaN, 'n'], [1.5, 'a'], [-Infinity, 'b']]);
  assert.deepEqual([withNaN.floor(NaN), withNaN.ceiling(2), withNaN.floor(Infinity), withNaN.rank(Infinity)], [undefined, undefined, [1.5, 'a'], 2]);
  assert.deepEqual(withNaN.rankMany(Float64Array.of(NaN, -Infinity, 1.5, 2)), Int32Array.of(2, 0, 1, 2));
  assert.equal(withNaN.rank(NaN), 2);
  assert.throws(() => withNaN.floor('x'), { code: 'ERR_ARGUMENT', message: /a number, as keys are/ });
});

// --- explanations, ends ---

test('explain() says what was chosen, and of what', () => {
  const layouts = [[[1.5], ['comparisons', 'hash']], [[1, 2, 3, 5], ['comparisons', 'direct', 'hash']], [keysOf('dense integers', 300), ['direct', 'hash']], [['a', 'b'], ['comparisons', 'hash']]];
  for (const [keys, candidates] of /** @type {any} */ (layouts)) {
    const found = compileSet(keys).explain();
    assert.deepEqual(found.candidates.map(({ layout }) => layout).sort(), candidates);
    assert.equal(found.layout.split(' ')[0], found.candidates[0].layout);
    assert.match(found.reason, /measured/);
    for (const { nanoseconds, bytes } of found.candidates) assert.ok(nanoseconds > 0 && bytes > 0);
    assert.ok(found.nanoseconds !== null && found.nanoseconds.get > 0);
  }
  for (const [size, layout] of /** @type {const} */ ([[50, 'hash by product'], [500, 'hash by pilots']])) {
    const found = compileSet(keysOf('doubles', size)).explain();
    assert.deepEqual([found.layout, found.candidates], [layout, []]);
    assert.match(found.reason, /no other layout is possible/);
  }
  assert.equal(compileSet([]).explain().nanoseconds, null);
});

test('a disposed map refuses', () => {
  const own = compileMap([[1, 2]]);
  own.dispose();
  own.dispose();
  for (const call of [() => own.get(1), () => own.has(1), () => own.indexMany([1]), () => own.update([]), () => own.rank(1), () => own.explain()]) {
    assert.throws(call, { code: 'ERR_STATE', message: /disposed/ });
  }
});
