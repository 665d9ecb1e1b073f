/**
 * The kernels of maps as WebAssembly, where addresses have 32 bits, and by better code: they find what quick code finds.
 */
'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { native } = require('../../lib/base/binding.js');
const { textOf, unitsOf } = require('../../lib/maps/kernels.js');
const { placeWords } = require('../../lib/maps/table.js');
const { sortWords } = require('../../lib/maps/ordered.js');
const { rankRequest } = require('../../lib/maps/requests.js');
const { searchTree } = require('../../lib/maps/tree.js');
const { slotsOf, wordsOf } = require('../../lib/maps/words.js');
const { generator } = require('../support/generator.js');

/**
 * A run of a kernel in linear memory: what is copied in, and one array copied back.
 *
 * @param {any} name
 * @param {BigInt64Array} slots
 * @param {(any | null)[]} arrays
 * @param {number} variant
 * @param {number} result
 */
function runInWasm(name, slots, arrays, variant, result) {
  const module = new WebAssembly.Module(native.wasmFunction(textOf(name), 0, 2, variant, false, '', '{}'));
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  const { memory, __heap_base: base, run } = /** @type {any} */ (new WebAssembly.Instance(module).exports);
  let top = Math.ceil(base.value / 64) * 64;
  memory.grow(Math.ceil(arrays.reduce((sum, each) => sum + (each?.byteLength ?? 0), 1e5) / 65536));
  const put = (/** @type {any} */ array) => {
    const at = top;
    new Uint8Array(memory.buffer, at, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    top += 64 * Math.ceil(array.byteLength / 64);
    return at;
  };
  const places = arrays.map((array) => (array === null ? 0 : put(array)));
  const table = put(BigInt64Array.from(places, BigInt));
  const buffers = put(Uint32Array.of(put(slots), table));
  const exec = put(new Uint8Array(64));
  assert.equal(run(buffers, 0, exec), 0);
  const out = arrays[result];
  out.set(new out.constructor(memory.buffer, places[result], out.length));
}

/** @type {(name: any, slots: BigInt64Array, arrays: any[]) => void} */
function runInBetterCode(name, slots, arrays) {
  assert.equal(native.tableRun(native.functionCompile(textOf(name), 0, 3, false, 0), 1, slots, arrays), 0);
}

const random = generator(6);
const keys = Float64Array.from({ length: 3000 }, () => random() * 1000);
const probes = Float64Array.from({ length: 5001 }, (_, i) => (i % 2 ? keys[i % 3000] : random() * 1000));

/** Runs a kernel in all ways; `at`: the place of results. @type {(name: any, slots: BigInt64Array, arrays: any[], at: number, check: (out: any) => void) => void} */
function everywhere(name, slots, arrays, at, check) {
  const out = arrays[at];
  for (const variant of [0, 1, 2]) {
    runInWasm(name, slots, arrays, variant, at);
    check(out);
    out.fill(0);
  }
  runInBetterCode(name, slots, arrays);
  check(out);
}

for (const count of [50, 3000]) {
  test(`${count} keys are found in WebAssembly and by better code`, () => {
    const own = keys.subarray(0, count);
    const { slots: table, pilots, factors, bucketBits, slotBits } = /** @type {import('../../lib/maps/table.js').Table} */ (placeWords(wordsOf(own, 'number')));
    const hash = [...factors.map((factor) => factor >>> 0), bucketBits && 32 - bucketBits, 32 - slotBits];
    const slots = slotsOf([unitsOf(probes.length), probes.length, 0, 0, 0, 0, 0, 0, ...hash]);
    const expected = Int32Array.from(probes, (key) => own.indexOf(key));
    everywhere('map_find', slots, [probes, null, table, pilots, null, new Int32Array(probes.length)], 5, (out) => assert.deepEqual(out, expected));
  });
}

for (const [what, own] of /** @type {const} */ ([['even', keys], ['uneven', keys.map((key) => key ** 9)]])) {
  test(`ranks of ${what} keys in WebAssembly and by better code`, () => {
    const { words } = sortWords(own, 'number');
    const tree = searchTree(words, own.slice().sort());
    assert.equal(tree.buckets === null, what === 'uneven');
    const asked = [...probes, ...own.subarray(0, 99), NaN, Infinity, -Infinity, -0, -5e-324];
    const given = Float64Array.from(asked.slice(0, 1000).concat(asked.slice(-200)));
    const { slots, arrays } = rankRequest(tree, { keys: 0, kind: 'number', lasts: null, indices: null, output: { values: null, missing: -1 } });
    const out = new Int32Array(given.length);
    const expected = Int32Array.from(given, (key) => (key !== key ? own.length : own.filter((other) => other < key).length));
    const all = [given, null, ...arrays.slice(2)];
    all[6] = out;
    everywhere('map_rank', slotsOf([unitsOf(given.length), given.length, ...slots]), all, 6, (found) => assert.deepEqual(found, expected));
  });
}
