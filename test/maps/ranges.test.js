/**
 * Ranges and tries against a look at each interval and each prefix.
 */
'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { cidrRange, compileRanges, compileTrie, jit, tensor } = require('graphjit');
const { generator } = require('../support/generator.js');
const { OTHERS } = require('./support.js');

/** @typedef {[any, any, any][]} Triples */

/** @type {(triples: Triples, inclusive: boolean) => (key: any) => any} */
const slowly = (triples, inclusive) => (key) =>
  triples.find(([low, high]) => typeof key === typeof low && key >= low && (inclusive ? key <= high : key < high))?.[2];

/** @type {(triples: Triples, probes: readonly any[], inclusive: boolean, Class?: any) => void} */
function compare(triples, probes, inclusive, Class) {
  const find = slowly(triples, inclusive);
  const columns = { lows: triples.map(([low]) => low), highs: triples.map(([, high]) => high), values: triples.map(([, , value]) => value) };
  for (const own of [compileRanges(triples, { inclusive, threads: 2 }), compileRanges(columns, { inclusive, threads: 1 })]) {
    for (const key of [...probes, ...OTHERS]) assert.equal(own.get(key), find(key), String(key));
    assert.deepEqual(own.getMany([...probes]), probes.map(find));
    if (Class) assert.deepEqual(own.getMany(Class.from(probes)), Array.from(Class.from(probes), find));
  }
}

const SIZES = [1, 2, 7, 8, 9, 73, 400];

test('ranges of numbers, even and not', () => {
  const random = generator(1);
  for (const inclusive of [false, true]) {
    for (const size of [0, ...SIZES]) {
      let x = -40;
      /** @type {Triples} */
      const triples = Array.from({ length: size }, (_, i) => {
        x += random() * (i % 9 ? 1 : 10 ** (random() * 12)) + 1e-3;
        const low = x;
        x += random() + 1e-3;
        return [low, x, `v${i}`];
      });
      const probes = triples.flatMap(([low, high]) => [low, high, low * (1 + 2 ** -52), high * (1 - 2 ** -53), (low + high) / 2]);
      triples.sort(() => random() - 0.5);
      compare(triples, [...probes, 0, -0, NaN, Infinity, -Infinity, -1e300], inclusive, Float64Array);
    }
  }
  compare([[-Infinity, 0, 'a'], [0, 1, 'b'], [1, Infinity, 'c']], [-Infinity, -1, -0, 0, 0.5, 1, 1e308, Infinity, NaN], false, Float64Array);
  compare([[-Infinity, -1e300, 'a'], [Infinity, Infinity, 'c']], [-Infinity, Infinity, 0, -1e300, -1e299], true, Float64Array);
  compare([[-0, 5e-324, 'zero']], [0, -0, 5e-324, -5e-324], false, Float64Array);
});

test('ranges of bigints of 64 bits and more', () => {
  const random = generator(2);
  const bases = [[-300n, BigInt64Array], [-(2n ** 63n), BigInt64Array], [2n ** 63n - 900n, BigUint64Array], [2n ** 31n - 50n, BigInt64Array], [2n ** 100n, undefined]];
  for (const [base, Class] of bases) {
    for (const size of SIZES) {
      let x = /** @type {bigint} */ (base);
      /** @type {Triples} */
      const triples = Array.from({ length: size }, (_, i) => {
        const low = x + BigInt(Math.floor(random() * 4));
        x = low + 1n + BigInt(Math.floor(random() * 5));
        return [low, x, i];
      });
      for (const inclusive of [false, true]) {
        if (inclusive) for (const triple of triples) triple[1] -= 1n;
        const probes = triples.flatMap(([low, high]) => [low, high, high - 1n, high + 1n]).filter((key) => Class !== BigUint64Array || key >= 0n);
        // Of the class only where keys are of it.
        const fits = Class && (triples.some(([, high]) => high > 2n ** 63n) ? BigUint64Array : BigInt64Array);
        compare(triples, probes, inclusive, fits);
      }
    }
  }
});

test('typed arrays as ends; what overlaps, is empty or no range is refused', () => {
  const own = compileRanges({ lows: Uint32Array.of(10, 0), highs: Uint32Array.of(20, 5), values: Float32Array.of(1, 2) });
  assert.deepEqual(own.getMany(Int16Array.of(10, 20, 4, -1)), Float32Array.of(1, NaN, 2, NaN));
  assert.deepEqual(own.indexMany(Uint8Array.of(3, 12, 7)), Int32Array.of(1, 0, -1));
  /** @type {[any, any, RegExp][]} */
  const wrong = [
    [[[0, 2, 'a'], [1, 3, 'b']], {}, /range 0 \(0 to 2\) and range 1 \(1 to 3\) overlap/],
    [[[0, 2, 'a'], [2, 3, 'b']], { inclusive: true }, /overlap/],
    [[[2, 2, 'a']], {}, /range 0 has nothing in it, from 2 to 2/],
    [[[0, NaN, 'a']], {}, /a number for high of range 0, got NaN/],
    [[[0, 1n, 'a']], {}, /a number for high of range 0, got 1n/],
    [[['a', 'b', 1]], {}, /a number or a bigint for low of range 0/],
    [[5], {}, /\[low, high, value\] for range 0/],
    [5, {}, /for ranges/],
    [{ lows: [1], highs: [2] }, {}, /an array for 'values'/],
    [{ lows: [1], highs: [2, 3], values: [1] }, {}, /'highs' has 2 elements and 'lows' 1/],
    [[], { inclusiv: true }, /unknown option/],
  ];
  for (const [ranges, options, message] of wrong) assert.throws(() => compileRanges(ranges, options), { code: 'ERR_ARGUMENT', message });
  assert.throws(() => own.getMany(BigInt64Array.of(1n)), { code: 'ERR_DTYPE' });
  assert.throws(() => own.getMany(/** @type {any} */ ('x')), { code: 'ERR_ARGUMENT' });
  own.dispose();
  assert.throws(() => own.get(1), { code: 'ERR_STATE' });
});

// --- prefixes ---

test('the longest prefix of texts, with and without a separator', () => {
  const random = generator(3);
  const word = (/** @type {number} */ most) => Array.from({ length: random() * most }, () => 'ab/c\ud800'[Math.floor(random() * 5)]).join('');
  for (const separator of [undefined, '/']) {
    for (const size of [0, 1, 2, 5, 30, 500]) {
      for (let round = 0; round < 4; round++) {
        const prefixes = new Map(Array.from({ length: size }, (_, i) => [word(7), i]));
        const own = compileTrie(prefixes, { of: 'texts', ...(separator && { separator }) });
        const ends = (/** @type {string} */ prefix, /** @type {string} */ text) =>
          separator === undefined || prefix.length === text.length || text[prefix.length] === separator || prefix.endsWith(separator);
        const texts = Array.from({ length: 300 }, () => word(7) + word(7));
        const expected = texts.map((text) => [...prefixes].filter(([prefix]) => text.startsWith(prefix) && (prefix === '' && separator ? text === '' || text[0] === separator : ends(prefix, text))).sort(([a], [b]) => b.length - a.length)[0]);
        texts.forEach((text, i) => assert.deepEqual(own.match(text), expected[i], `${JSON.stringify(text)} among ${JSON.stringify([...prefixes.keys()])}`));
        assert.deepEqual(own.getMany(texts), expected.map((found) => found?.[1]));
      }
    }
  }
});

test('the narrowest network, one address at a time and many', () => {
  const random = generator(4);
  const below = (/** @type {number} */ n) => Math.floor(random() * n);
  for (const size of [1, 2, 10, 300]) {
    const networks = Array.from({ length: size }, (_, i) => /** @type {[string, number]} */ ([`${below(3)}.${below(256)}.${below(256)}.${below(256)}/${below(33)}`, i]));
    const own = compileTrie(networks, { missing: -1 });
    const ranges = networks.map(([text, value]) => ({ range: /** @type {[number, number]} */ (cidrRange(text)), value }));
    const slow = (/** @type {number} */ address) => {
      const around = ranges.filter(({ range: [low, high] }) => low <= address && address < high);
      const width = Math.min(...around.map(({ range: [low, high] }) => high - low));
      return around.findLast(({ range: [low, high] }) => high - low === width)?.value;
    };
    const addresses = Uint32Array.from({ length: 1000 }, () => (below(2) ? below(3 * 2 ** 24) : ranges[below(size)].range[below(2)] - below(2)));
    const many = own.getMany(addresses);
    addresses.forEach((address, i) => {
      const text = [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
      const expected = slow(address);
      assert.deepEqual([own.get(address), own.get(text), many[i]], [expected, expected, expected ?? -1], text);
    });
  }
});

test('the narrowest network of IPv6, as bigints, texts and columns', () => {
  const { table } = require('graphjit');
  const random = generator(5);
  const below = (/** @type {number} */ n) => Math.floor(random() * n);
  const textOf = (/** @type {bigint} */ address) => Array.from({ length: 8 }, (_, i) => ((address >> BigInt(16 * (7 - i))) & 0xffffn).toString(16)).join(':');
  const any = () => Array.from({ length: 8 }, () => [0, 0xffff, 1, below(65536)][below(4)]).reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);
  for (const size of [1, 2, 3, 13, 400]) {
    const networks = Array.from({ length: size }, (_, i) => /** @type {[string, number]} */ ([`${textOf(any())}/${[0, 128, 127, below(129)][below(4)]}`, i]));
    const own = compileTrie(networks, { missing: -1 });
    const ranges = networks.map(([text, value]) => ({ range: /** @type {[bigint, bigint]} */ (cidrRange(text)), value }));
    const narrowest = (/** @type {bigint} */ address) => {
      const around = ranges.filter(({ range: [low, high] }) => low <= address && address < high);
      return around.reduce((a, b) => (b.range[1] - b.range[0] <= a.range[1] - a.range[0] ? b : a), around[0])?.value;
    };
    const ends = ranges.flatMap(({ range: [low, high] }) => [low, low - 1n, high - 1n, high]).filter((x) => x >= 0n && x < 2n ** 128n);
    const addresses = [...ends, 0n, 2n ** 128n - 1n, ...Array.from({ length: 200 }, any)];
    const expected = addresses.map(narrowest);
    assert.deepEqual(addresses.map((address) => own.get(address)), expected);
    assert.deepEqual(addresses.map((address) => own.get(textOf(address))), expected);
    const column = table({ k: addresses.map(textOf) }).column('k').chunks[0];
    assert.deepEqual(own.getMany(column), expected.map((value) => value ?? -1));
  }
});

test('IPv6, and both together', () => {
  const own = compileTrie({ '2001:db8::/32': 'a', '::/0': 'all', '2001:DB8:1::/48': 'b', '2001:db8:1::5': 'one', '10.0.0.0/8': 'ten', '0.0.0.0/0': 'rest' });
  /** @type {[any, any][]} */
  const cases = [
    ['2001:db8:1::6', 'b'], ['2001:db8:1:0:0:0:0:5', 'one'], ['2001:db8:2::', 'a'], ['::1', 'all'], ['::ffff:10.1.2.3', 'all'], ['10.255.255.255', 'ten'],
    ['11.0.0.0', 'rest'], [2n ** 128n - 1n, 'all'], [2n ** 128n, undefined], [-1n, undefined], [10 * 2 ** 24, 'ten'], [2 ** 32, undefined], [0.5, undefined],
    ['', undefined], ['1.2.3', undefined], ['1.2.3.256', undefined], ['01.2.3.4', undefined], ['1.2.3.4.5', undefined], ['1..2.3', undefined], [':::', undefined],
    ['1::2::3', undefined], ['12345::', undefined], ['1:2:3:4:5:6:7', undefined], ['1:2:3:4:5:6:7:8:9', undefined], ['1.2.3.4::', undefined], ['fe80::1%eth0', undefined],
  ];
  for (const [key, value] of cases) assert.equal(own.get(key), value, String(key));
  assert.deepEqual(own.match('2001:db8:1::6'), ['2001:DB8:1::/48', 'b']);
  assert.deepEqual(cidrRange('2001:db8::/127'), [42540766411282592856903984951653826560n, 42540766411282592856903984951653826562n]);
  assert.deepEqual(cidrRange('255.255.255.255'), [2 ** 32 - 1, 2 ** 32]);
  assert.deepEqual(cidrRange('1.2.3.4/0'), [0, 2 ** 32]);
  for (const bad of ['10.0.0.0/33', '::/129', '10.0.0.0/08', '10.0.0.0/', 'x', 5]) assert.throws(() => cidrRange(/** @type {any} */ (bad)), { code: 'ERR_ARGUMENT', message: /a network such as/ });
});

test('no address lies between two', () => {
  const own = compileTrie({ '0.0.0.10/31': 'a', '0.0.0.12/32': 'b' });
  const keys = [10, 10.5, 11, 11.9, 12, 12.5, NaN];
  const found = ['a', undefined, 'a', undefined, 'b', undefined, undefined];
  assert.deepEqual(keys.map(own.get), found);
  assert.deepEqual(own.getMany(keys), found);
  for (const Class of [Float64Array, Float32Array]) assert.deepEqual(own.getMany(Class.from(keys)), found);
});

test('tries are texts unless all prefixes are networks, and refuse what they do not take', () => {
  assert.equal(compileTrie([['10.0.0.0/8', 1], ['/x', 2]]).get('10.0.0.0/8/y'), 1);
  assert.equal(compileTrie([['10.0.0.0/8', 1]], { of: 'texts' }).get('10.1.1.1'), undefined);
  const hosts = compileTrie({ '10.0.0.1': 'a', '10.0.0.2': 'b' }, { separator: '/' });
  assert.equal(hosts.get('10.0.0.1/index.html'), 'a');
  assert.throws(() => compileTrie([['10.0.0.1', 1]], { of: 'networks', separator: '.' }), { code: 'ERR_ARGUMENT', message: /no option 'separator' among networks/ });
  assert.throws(() => compileTrie([['/x', 1]], { of: 'networks' }), { code: 'ERR_ARGUMENT', message: /prefix 0, got "\/x"/ });
  assert.throws(() => compileTrie(/** @type {any} */ ([[1, 2]])), { code: 'ERR_ARGUMENT', message: /a string for prefix 0/ });
  assert.throws(() => compileTrie([], { separator: '//' }), { code: 'ERR_ARGUMENT', message: /one UTF-16 unit/ });
  assert.throws(() => compileTrie([['a', 1]]).getMany(/** @type {any} */ (new Uint8Array(1))), { code: 'ERR_DTYPE', message: /the keys are numbers, those of the trie are strings/ });
  const trie = compileTrie([['a', 1]]);
  assert.throws(() => jit((/** @type {any} */ x) => trie.getMany(x))(tensor([1])), { code: 'ERR_UNSUPPORTED', message: /getMany: tries are in no graphs/ });
  assert.throws(() => compileTrie([['a', 1]]).getMany(/** @type {any} */ (5)), { code: 'ERR_ARGUMENT', message: /a typed array, an array or a column for keys/ });
  const own = compileTrie([['a', 1], ['a', 2]]);
  assert.deepEqual([own.size, own.get('ab'), own.index('b')], [1, 2, -1]);
  assert.equal(own.explain().layout, 'radix tree');
  own.dispose();
  assert.throws(() => own.match('a'), { code: 'ERR_STATE' });
});
