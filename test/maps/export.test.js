/**
 * Maps, sets, ranges and tries as WebAssembly and as objects for C: they find what batches do.
 */
'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { compileMap, compileRanges, compileSet, compileTrie } = require('graphjit');
const { generator } = require('../support/generator.js');
const { inFolder, run } = require('../support/object.js');
const { KEYS } = require('./support.js');

/** @type {(kind: string, size: number) => any[]} */
function keysOf(kind, size) {
  const random = generator(size);
  return [...new Set(Array.from({ length: size }, (_, i) => KEYS[kind](random, i)))];
}

const TEXTS = ['', 'é', '日本', '😀', 'x'.repeat(70)];

/**
 * What is exported: how it is made, keys that are looked up, and the class they come in if they are no texts.
 *
 * @returns {{ name: string, own: any, probes: any[], Class?: any }[]}
 */
function cases() {
  const all = [];
  for (const size of [0, 1, 2, 97, 3000]) {
    const values = Int16Array.from({ length: size }, (_, i) => 3 * i - 7);
    const numbers = { doubles: Float64Array, 'dense integers': Float64Array, 'integers of 32 bits': Float64Array, 'signed bigints': BigInt64Array, 'unsigned bigints': BigUint64Array };
    for (const [kind, Class] of Object.entries(numbers)) {
      const keys = keysOf(kind, size);
      if (size === 0 && Class !== Float64Array) continue;
      const probes = [...keys, ...(Class === Float64Array ? [0, -0, NaN, 0.5] : [5n, 2n ** 62n])];
      all.push({ name: `map of ${size} ${kind}`, own: compileMap({ keys: Class.from(keys), values: values.slice(0, keys.length) }), probes, Class });
    }
    const texts = keysOf('random texts', size);
    const probes = [...texts, ...texts.map((key) => `${key}-`), ...TEXTS];
    const filled = [...texts, ...(size > 2 ? TEXTS : [])];
    if (size > 0) all.push({ name: `map of ${size} texts`, own: compileMap({ keys: filled, values: Float32Array.from(filled, (_, i) => i / 4) }, { missing: -1 }), probes });
    if (size > 0) all.push({ name: `set of ${size} texts`, own: compileSet(filled), probes });
    all.push({ name: `set of ${size} numbers`, own: compileSet(Float64Array.from({ length: size }, (_, i) => i / 8)), probes: [0, 0.125, 7, 400, NaN], Class: Float64Array });
    const ends = keysOf('doubles', 2 * size).sort((a, b) => a - b);
    const ranges = Array.from({ length: size }, (_, i) => [ends[2 * i], ends[2 * i + 1], i]);
    all.push({ name: `${size} ranges`, own: compileRanges(/** @type {any} */ (ranges)), probes: [...ends, 0, NaN, Infinity], Class: Float64Array });
    if (size > 0) all.push({ name: `${size} ranges of bigints`, own: compileRanges(Array.from({ length: size }, (_, i) => [10n * BigInt(i), 10n * BigInt(i) + 5n, i])), probes: [0n, 4n, 5n, 10n, -1n], Class: BigInt64Array });
    const routes = Array.from({ length: size }, (_, i) => /** @type {[string, number]} */ ([`/${i % 7}/${i % 31 === 0 ? 'é' : i}`, i]));
    const paths = [...routes.flatMap(([route]) => [route, `${route}/x`, `${route}x`]), ...TEXTS, '/', '/3'];
    for (const separator of [undefined, '/', 'é']) all.push({ name: `${size} routes, ${separator}`, own: compileTrie(routes, { of: 'texts', ...(separator && { separator }) }), probes: paths });
    const networks = Array.from({ length: size }, (_, i) => /** @type {[string, number]} */ ([i % 3 ? `10.${i % 256}.${i >> 8}.0/${8 + (i % 20)}` : `2001:db8:${i.toString(16)}::/${30 + (i % 40)}`, i]));
    if (size > 0) all.push({ name: `${size} networks`, own: compileTrie(networks), probes: ['10.1.0.5', '10.200.3.1', '11.0.0.0', '2001:db8:3::1', '2001:db8:c:8000::', '::', 'x'] });
  }
  return all;
}

const all = cases();

/** What is found in this process, as an array of what results are. @type {(own: any, probes: any[]) => any} */
function expectedOf(own, probes) {
  if (own.isSet) return Uint8Array.from(probes, (key) => Number(own.has(key)));
  return own.getMany(probes);
}

test('as WebAssembly', async () => {
  const { load } = await import('graphjit/web/function');
  for (const [i, { name, own, probes, Class }] of all.entries()) {
    const keys = Class ? Class.from(probes) : probes;
    const { modules } = own.toWasm({ optLevel: 1, variants: i % 8 === 0 ? ['mvp', 'simd', 'relaxed'] : ['simd'] });
    const expected = expectedOf(own, probes);
    for (const bytes of Object.values(modules)) {
      const find = await load(bytes);
      for (const count of [0, 1, probes.length]) {
        const found = find(keys.slice(0, count));
        assert.deepEqual(Array.from(found), Array.from(expected).slice(0, count).map((value) => value ?? NaN), name);
      }
    }
    const find = await load(own.toWasm({ of: 'index', optLevel: 1 }).bytes);
    assert.deepEqual(find(keys), own.indexMany(probes), name);
  }
});

test('the loader of texts takes bytes and offsets, and refuses others; halves of characters are in no table', async () => {
  const { load } = await import('graphjit/web/function');
  const find = await load(compileMap({ a: 1, bc: 2, '\ufffd': 3 }).toWasm({ missing: 0 }).bytes);
  assert.deepEqual(find({ bytes: Buffer.from('abca'), offsets: Int32Array.of(0, 1, 3, 4, 4) }), Float64Array.of(1, 2, 1, 0));
  assert.deepEqual(find(['\ufffd', '\ud800', 'a\udc00', '\ud800a']), Float64Array.of(3, 0, 0, 0));
  const bytes = Buffer.from('abca');
  for (const wrong of ['a', null, undefined, 5, [5], {}, { bytes }, { bytes, offsets: [0] }, { bytes, offsets: new Int32Array(0) }, { bytes, offsets: Int32Array.of(0, 5) }, { bytes, offsets: Int32Array.of(-1, 2) }, { bytes, offsets: Int32Array.of(0, 2, 1) }]) {
    assert.throws(() => find(wrong), { name: 'GraphError', code: 'ERR_DTYPE', message: 'map: expected an array of strings or { bytes, offsets } for argument 1' });
  }
});

test('as one file, and by hand', async () => {
  const { bytes, mjs, types } = compileTrie({ '/a': 1 }).toWasm({ of: 'index' });
  assert.match(types, /readonly string\[\] \| \{ readonly bytes: Uint8Array; readonly offsets: Int32Array \}\) => Int32Array/);
  const { load } = await import(`data:text/javascript;base64,${Buffer.from(mjs).toString('base64')}`);
  assert.deepEqual((await load())(['/ab', 'b']), Int32Array.of(0, -1));
  const { memory, find_many: findMany, __heap_base: base } = /** @type {any} */ (await WebAssembly.instantiate(bytes)).instance.exports;
  memory.grow(1);
  const at = Math.ceil(base.value / 16) * 16;
  new TextEncoder().encodeInto('/ab', new Uint8Array(memory.buffer, at, 8));
  new Int32Array(memory.buffer, at + 8, 2).set([0, 3]);
  findMany(at, at + 8, 1n, at + 16);
  assert.equal(new Int32Array(memory.buffer, at + 16, 1)[0], 0);
});

/** The C type of results. @type {(found: any) => string} */
const cType = (found) => ({ Float64Array: 'double', Float32Array: 'float', Int16Array: 'int16_t', Uint8Array: 'uint8_t' })[/** @type {'Float64Array'} */ (found.constructor.name)];

test('as objects for C', () => {
  const some = all.filter((_, i) => i % 3 === 0 || i > all.length - 8);
  inFolder((folder) => {
    /** @type {string[]} */
    const calls = [];
    /** @type {Buffer[]} */
    const input = [];
    /** @type {number[]} */
    const expected = [];
    some.forEach(({ own, probes, Class }, i) => {
      const symbol = `table_${i}`;
      fs.writeFileSync(path.join(folder, `${symbol}.o`), own.toObject({ symbol, optLevel: 1 }));
      fs.writeFileSync(path.join(folder, `${symbol}.h`), own.toHeader({ symbol }));
      const found = expectedOf(own, probes);
      const result = ArrayBuffer.isView(found) ? found : Float64Array.from(found, (value) => value ?? NaN);
      expected.push(...Array.from(/** @type {any} */ (result), Number));
      const [n, type] = [probes.length, cType(result)];
      const each = (/** @type {string} */ get) => `for (int i = 0; i < n; i++) { ${type} one = ${get}; if (memcmp(&one, &out[i], sizeof one)) return 3; printf("%.17g\\n", (double)out[i]); }`;
      if (Class) {
        input.push(Buffer.from(Class.from(probes).buffer));
        const key = Class === Float64Array ? 'double' : Class === BigInt64Array ? 'int64_t' : 'uint64_t';
        calls.push(`{ enum { n = ${n} }; static ${key} keys[n]; static ${type} out[n]; if (fread(keys, 8, n, stdin) != n) return 1;
          ${symbol}(keys, n, out); ${each(`${symbol}_get(keys[i])`)} }`);
      } else {
        const bytes = Buffer.from(probes.join(''));
        const offsets = new Int32Array(n + 1);
        probes.forEach((text, k) => (offsets[k + 1] = offsets[k] + Buffer.byteLength(text)));
        input.push(Buffer.from(offsets.buffer), bytes);
        calls.push(`{ enum { n = ${n}, size = ${bytes.length} }; static int32_t ends[n + 1]; static char bytes[size + 1]; static ${type} out[n];
          if (fread(ends, 4, n + 1, stdin) != n + 1 || fread(bytes, 1, size, stdin) != size) return 1;
          ${symbol}(bytes, ends, n, out); ${each(`${symbol}_get(bytes + ends[i], ends[i + 1] - ends[i])`)} }`);
      }
    });
    const main = path.join(folder, 'main.c');
    fs.writeFileSync(main, `#include <stdio.h>\n#include <string.h>\n${some.map((_, i) => `#include "table_${i}.h"\n`).join('')}int main(void) {\n${calls.join('\n')}\nreturn 0; }\n`);
    const objects = some.map((_, i) => path.join(folder, `table_${i}.o`));
    run('cc', ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror', main, ...objects, '-o', path.join(folder, 'main')]);
    const printed = String(run(path.join(folder, 'main'), [], Buffer.concat(input))).trim().split('\n').map((line) => (line.endsWith('nan') ? NaN : Number(line)));
    assert.deepEqual(printed, expected);
  });
});

test('what cannot be exported is refused', () => {
  /** @type {[() => any, RegExp, string?][]} */
  const wrong = [
    [() => compileMap([['a', 'x']]).toWasm(), /values that are not numbers stay in JavaScript; their indices do not/],
    [() => compileMap([['a\ud800', 1]]).toObject(), /UTF-8 has no half characters, such as in "a\\ud800"/],
    [() => compileTrie([['\ud800', 1]]).toHeader(), /half characters/],
    [() => compileTrie([['a', 1]], { separator: '\ud800' }).toWasm(), /half characters/],
    [() => compileRanges([[0n, 2n ** 70n, 1]]).toWasm(), /64 bits/],
    [() => compileMap([['a', 1]]).toWasm(/** @type {any} */ ({ of: 'key' })), /option 'of'/, 'ERR_ARGUMENT'],
    [() => compileMap([['a', 1]]).toWasm(/** @type {any} */ ({ missing: 'x' })), /option 'missing'/, 'ERR_ARGUMENT'],
    [() => compileMap([['a', 1]]).toHeader(/** @type {any} */ ({ optLevel: 1 })), /unknown option/, 'ERR_ARGUMENT'],
  ];
  for (const [call, message, code = 'ERR_UNSUPPORTED'] of wrong) assert.throws(call, { name: 'GraphError', code, message });
  for (const own of [compileMap([[1, 1]]), compileRanges([[0, 1, 1]]), compileTrie([['a', 1]])]) {
    own.dispose();
    for (const call of [() => own.toWasm(), () => own.toObject(), () => own.toHeader()]) assert.throws(call, { code: 'ERR_STATE' });
  }
});
