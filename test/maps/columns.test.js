/**
 * Tries and ranges looked up in columns, against one key at a time: Utf8, LargeUtf8 and dictionaries, with nulls.
 */
'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const arrow = require('apache-arrow');
const { cidrRange, compileRanges, compileTrie, table } = require('graphjit');
const { generator } = require('../support/generator.js');

/** The same texts in every layout. @type {(list: (string | null)[]) => any[]} */
const layouts = (list) => [
  table({ k: list }).column('k'),
  arrow.vectorFromArray(list, new arrow.Utf8()),
  arrow.vectorFromArray(list, new arrow.LargeUtf8()),
  arrow.vectorFromArray(list, new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32())),
];

/** @type {(own: any, list: (string | null)[]) => void} */
function compare(own, list) {
  const indices = Int32Array.from(list, (key) => (key === null ? -1 : own.index(key)));
  for (const column of layouts(list)) {
    assert.deepEqual(own.indexMany(column), indices);
    assert.deepEqual(Array.from(own.getMany(column)), Array.from(own.getMany(list)));
  }
  const [vector] = layouts(list).slice(1);
  assert.deepEqual(own.indexMany(vector.concat(vector.slice(1))), Int32Array.of(...indices, ...indices.subarray(1)));
}

test('the longest prefix of texts in columns, with separators of one byte to three', () => {
  const random = generator(5);
  for (const units of ['ab/c', 'aé/日', 'a😀/é', 'a/\ud83d日']) {
    const letters = Array.from({ length: units.length }, (_, i) => units[i]);
    const word = (/** @type {number} */ most) => Array.from({ length: random() * most }, () => letters[Math.floor(random() * letters.length)]).join('');
    for (const separator of [undefined, '/', 'é', '日']) {
      for (const size of [0, 1, 2, 31, 500]) {
        const entries = Array.from({ length: size }, (_, i) => /** @type {[string, number]} */ ([word(6), i]));
        const own = compileTrie(entries, { of: 'texts', ...(separator && { separator }) });
        const list = Array.from({ length: 200 }, (_, i) => (i % 7 === 3 ? null : word(6) + word(6))).filter((key) => key?.isWellFormed() ?? true);
        compare(own, list);
        compare(own, []);
      }
    }
  }
});

test('more texts than a block and a unit, on two threads; long texts', () => {
  const entries = Array.from({ length: 1000 }, (_, i) => /** @type {[string, number]} */ ([`/${'x'.repeat(i % 40)}/${i}`, i]));
  const own = compileTrie({ keys: entries.map(([key]) => key), values: Int32Array.from(entries, ([, value]) => value) }, { separator: '/', threads: 2, missing: -5 });
  const list = Array.from({ length: 40_001 }, (_, i) => `${entries[(i * 7) % 1000][0]}${['', '/', 'y', '/y'][i % 4]}`);
  assert.deepEqual(own.getMany(layouts(list)[1]), Int32Array.from(list, (key) => own.get(key) ?? -5));
});

test('addresses in columns, of either version, and what is none', () => {
  const random = generator(6);
  const below = (/** @type {number} */ n) => Math.floor(random() * n);
  const v4 = () => `${below(3)}.${below(4)}.${below(256)}.${below(256)}`;
  const v6 = () => Array.from({ length: 8 }, () => below(3).toString(16)).join(':').replace(/(:0)+/, random() < 0.5 ? ':0:0'.slice(0, 0) + ':' : '$&');
  for (const size of [1, 2, 63, 700]) {
    const entries = Array.from({ length: size }, (_, i) => /** @type {[string, number]} */ (i % 2 ? [`${v4()}/${below(33)}`, i] : [`${[below(3), below(3), 0, 0, 0, 0, below(3), below(9)].join(':')}/${below(129)}`, i]));
    const own = compileTrie(entries);
    assert.equal(own.explain().keys, 'network');
    const odd = ['', '1.2.3', '1.2.3.256', '01.2.3.4', '1.2.3.4.5', '::', '::1', '1::', ':::', '1::2::3', '12345::', '::ffff:1.2.3.4', '1.2.3.4::', '1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:7:1.2.3.4', 'FE80::A', 'fe80::1%eth0', '1:', ':1', '::1:', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8', '1::2:3:4:5:6:7:8', '日本'];
    compare(own, [...odd, ...Array.from({ length: 300 }, (_, i) => (i % 9 === 0 ? null : i % 2 ? v4() : v6()))]);
    const addresses = Array.from({ length: 100 }, () => below(3 * 2 ** 24));
    const numbers = arrow.vectorFromArray(addresses.map((x, i) => (i % 5 ? x : null)), new arrow.Uint32());
    assert.deepEqual(own.indexMany(numbers), Int32Array.from(addresses, (x, i) => (i % 5 ? own.index(x) : -1)));
  }
  assert.throws(() => compileTrie({ '::/0': 1 }).getMany(arrow.vectorFromArray([true])), { code: 'ERR_DTYPE', message: /keys of type bool, those of the trie are addresses/ });
});

test('ranges in columns, of bigints beyond 64 bits too', () => {
  const own = compileRanges([[0, 10, 'a'], [20, 30, 'b']]);
  assert.deepEqual(own.getMany(arrow.vectorFromArray([5, null, 25, 15], new arrow.Float64())), ['a', undefined, 'b', undefined]);
  assert.throws(() => own.getMany(layouts(['x'])[1]), { code: 'ERR_DTYPE', message: /the keys are strings, those of the ranges are numbers/ });
  for (const high of [2n ** 100n, 2n ** 130n]) {
    const wide = compileRanges([[0n, 10n, 1], [20n, high, 2]]);
    assert.deepEqual(wide.indexMany(arrow.vectorFromArray([5n, null, 25n, 15n], new arrow.Int64())), Int32Array.of(0, -1, 1, -1));
  }
});

test('ranges of 128 bits against a look at each', () => {
  const random = generator(8);
  const word = () => BigInt(Math.floor(random() * 2 ** 32));
  for (const size of [1, 2, 5, 64, 1009]) {
    for (const near of [false, true]) {
      // Such as differ in every half, and such as differ in the lowest bits alone.
      const ends = Array.from({ length: 2 * size }, () => (near ? 2n ** 127n + (word() % 4096n) : (word() << 96n) | (word() << 64n) | (word() << 32n) | word()));
      const sorted = [...new Set(ends)].sort((a, b) => (a < b ? -1 : 1));
      const ranges = Array.from({ length: sorted.length >> 1 }, (_, i) => /** @type {[bigint, bigint, number]} */ ([sorted[2 * i], sorted[2 * i + 1], i]));
      const own = compileRanges([...ranges, [0n, 1n, -1]]);
      assert.equal(own.explain().keys, 'wide');
      const probes = [...ranges.slice(0, 200).flatMap(([low, high]) => [low - 1n, low, low + 1n, high - 1n, high]), 0n, -1n, 2n ** 128n - 1n, 2n ** 128n, 2n ** 64n, -(2n ** 127n)];
      for (const key of probes) assert.equal(own.get(key), key === 0n ? -1 : ranges.find(([low, high]) => low <= key && key < high)?.[2], `${size} ${key}`);
      assert.deepEqual(own.getMany(probes), probes.map((key) => own.get(key)));
    }
  }
  const [low, high] = /** @type {[bigint, bigint]} */ (cidrRange('2001:db8::/32'));
  assert.equal(compileRanges([[low, high, 'net']]).get(low + 5n), 'net');
});
