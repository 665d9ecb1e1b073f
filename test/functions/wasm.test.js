// Functions as WebAssembly modules: every one called natively, as a module of each variant and in JavaScript, with the
// same bits; what is thrown, what becomes of arrays, memory that ends, and what a module of numbers exports.
'use strict';

require('../support/verify.js');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { test } = require('node:test');
const { native } = require('graphjit');
const { throwsGraphError } = require('../support/errors.js');
const { assertVariant, featuresOf } = require('../support/wasm-code.js');

/** @type {Promise<{ load: (source: any) => Promise<any> }>} */
const loader = import('../../lib/web/function.mjs');
const VARIANTS = /** @type {const} */ (['mvp', 'simd']);

/** Arrays, numbers with their signs, and all NaNs as one. @type {(value: any) => any} */
function bits(value) {
  if (ArrayBuffer.isView(value)) return [Object.prototype.toString.call(value), ...Array.from(/** @type {any} */ (value), bits)];
  if (Array.isArray(value)) return value.map(bits);
  if (value instanceof Error) return [value.name, value.message];
  if (typeof value === 'object' && value !== null) return Object.entries(value).map(([name, each]) => [name, bits(each)]);
  return Object.is(value, -0) ? '-0' : typeof value === 'bigint' ? `${value}n` : value;
}

/** A call's result, or what it throws, and the arguments as it leaves them. @type {(f: Function, args: any[]) => any} */
function outcome(f, args) {
  const own = structuredClone(args);
  try {
    return bits([f(...own), own]);
  } catch (error) {
    return bits([error, own]);
  }
}

const SPECIAL = [0, -0, 1, -1.5, 0.1, 2.5, 1e10, -3e-300, 2 ** 31, -(2 ** 31), 2 ** 53, NaN, Infinity, -Infinity];
const scalars = SPECIAL.map((x) => [x]);
const pairs = SPECIAL.flatMap((x) => [2, -0, 0.5, -7, NaN].map((y) => [x, y]));
const wave = (/** @type {any} */ Class, length = 37) => Class.from({ length }, (/** @type {any} */ _, /** @type {number} */ i) => (/Big/.test(Class.name) ? BigInt(i * i) - 50n : Math.sin(i) * 90));

const FLOATS = [Float64Array, Float32Array];
const SMALL = [Int32Array, Uint32Array, Int16Array, Uint16Array, Int8Array, Uint8Array, Uint8ClampedArray];
const BIG = [BigInt64Array, BigUint64Array];

/** @type {[name: string, fn: Function, signature: string, argsOfCalls: any[][]][]} */
const table = [
  ['square', (/** @type {number} */ x) => x * x, '(f64)', scalars],
  ['bits of ints', (/** @type {number} */ a, /** @type {number} */ b) => ((a ^ (b << 3)) >>> 1) + (a % 7) - (a >> 2), '(i32, i32)', [[5, 3], [-1, 30], [2 ** 31 - 1, -(2 ** 31)], [0, 0]]],
  ['unsigned', (/** @type {number} */ a) => (a + 1) >>> 0, '(u32)', [[2 ** 32 - 1], [0], [7]]],
  ['unsigned and arrays', (/** @type {number} */ a, /** @type {Int8Array} */ b, /** @type {boolean} */ c) => (c ? a : -a) + b[1], '(u32, i8[], bool)', [[2 ** 32 - 1, Int8Array.of(1, -2), true], [7, Int8Array.of(5), false]]],
  ['small ints', (/** @type {number} */ a, /** @type {number} */ b) => a * b, '(i8, u16)', [[-128, 65535], [3, 4]]],
  ['single', (/** @type {number} */ x) => Math.fround(x * Math.fround(1.1)), '(f32)', [[1], [0.5], [-0]]],
  ['array or nothing', (/** @type {number} */ x) => (x > 1 ? new Float64Array(2) : undefined), '(f64)', [[0], [2]]],
  ['this or that', (/** @type {number} */ x) => (x > 1 ? x : x < 0 ? undefined : x > 0.3), '(f64)', scalars],
  ['truth', (/** @type {boolean} */ a, /** @type {number} */ x) => a !== x > 1, '(bool, f64)', [[true, 2], [false, 2], [true, NaN]]],
  ['wrapped bigint', (/** @type {bigint} */ a, /** @type {bigint} */ b) => BigInt.asIntN(64, a * b + 7n), '(i64, i64)', [[3n, 5n], [2n ** 62n, 9n], [-1n, -(2n ** 63n)]]],
  ['unsigned bigint', (/** @type {bigint} */ a) => BigInt.asUintN(64, a - 1n), '(u64)', [[0n], [2n ** 64n - 1n]]],
  ['overflow', (/** @type {bigint} */ a) => a + 1n, '(i64)', [[5n], [-(2n ** 63n)]]],
  ['functions', (/** @type {number} */ x) => Math.sin(x) + Math.exp(x / 1e9) + Math.atan2(x, 3) + Math.cbrt(x) + Math.log1p(x), '(f64)', scalars],
  ['more functions', (/** @type {number} */ x, /** @type {number} */ y) => Math.hypot(x, y) + Math.tanh(x) * Math.round(y) + Math.max(x, y, 0) + (x % y), '(f64, f64)', pairs],
  ['whole number', (/** @type {number} */ n) => { let s = 0; for (let i = 0; i < n; i++) s += i; return s; }, '(i32)', [[10], [0], [-3], [100000]]],
  ['sum of squares', (/** @type {bigint} */ n) => { let s = 0n; for (let i = 0n; i < n; i++) s += i * i * 3n - i; return s; }, '(i64)', [[10n], [0n], [-3n], [200001n]]],
  ['factorial', function factorial(/** @type {number} */ n) { return n < 2 ? 1 : n * factorial(n - 1); }, '(f64)', [[5], [170], [0.5]]],
  ['mutual', (/** @type {number} */ n) => { const even = (/** @type {number} */ k) => (k === 0 ? 1 : odd(k - 1)); const odd = (/** @type {number} */ k) => (k === 0 ? 0 : even(k - 1)); return even(n); }, '(i32)', [[10], [7]]],
  ['nothing', () => {}, '()', [[]]],
  ['constant', () => -0, '()', [[]]],
  ['maybe', (/** @type {number} */ x) => { if (x > 0) return x; return undefined; }, '(f64)', [[1], [-1]]],
  ['object or nothing', (/** @type {number} */ x, /** @type {number} */ y) => (x > y ? { x, hit: y > 0 ? [x, y] : null } : null), '(f64, f64)', pairs],
  ['given or nothing', (/** @type {any} */ o, /** @type {number} */ x) => (x > 1 ? o : undefined), '({ a: f64 }, f64)', [[{ a: 3 }, 2], [{ a: 3 }, 0]]],
  ['tuple', (/** @type {number} */ x, /** @type {number} */ y) => [x + y, x > y, -x], '(f64, f64)', pairs],
  ['object', (/** @type {number} */ x) => ({ x, half: { of: x / 2 }, twice: [x, x] }), '(f64)', scalars],
  ['object given', (/** @type {any} */ { a, b: [c, d] }) => a * c - d.length, '({ a: f64, b: [f64, u8[]] })', [[{ a: 3, b: [4, Uint8Array.of(1, 2)] }]]],
  ['thrown', (/** @type {number} */ x) => { if (x < 0) throw new RangeError(`no root of ${x}`); return Math.sqrt(x); }, '(f64)', scalars],
  ['thrown type', (/** @type {number} */ x) => { if (x > 1) throw new TypeError('too large'); }, '(f64)', [[0], [2]]],
  ['dot', (/** @type {Float64Array} */ a, /** @type {Float64Array} */ b) => { let s = 0; for (let i = 0; i < a.length; i++) s += a[i] * b[i]; return s; }, '(f64[], f64[])', [[wave(Float64Array), wave(Float64Array)], [wave(Float64Array, 3), wave(Float64Array, 2)], [new Float64Array(0), new Float64Array(0)]]],
  ['filled then thrown', (/** @type {Float64Array} */ a) => { a.fill(3); if (a.length > 3) throw new Error(`length ${a.length}`); }, '(f64[])', [[wave(Float64Array, 3)], [wave(Float64Array, 4)]]],
  ['list of booleans', (/** @type {number} */ n) => { const a = new Array(4).fill(false); a[n] = true; return a; }, '(f64)', [[0], [3]]],
  ['list of all kinds', (/** @type {number} */ n) => { /** @type {any[]} */ const a = [n, null, undefined, n > 1, false]; a[n] = 7; return a; }, '(f64)', [[0], [3]]],
  ['list', (/** @type {number[]} */ a) => { a[0] = a[1] + 1; return a; }, '(number[])', [[[1, 2, 3]], [[5, -0]]]],
  ['made', (/** @type {number} */ n) => { const a = new Float32Array(n); for (let i = 0; i < n; i++) a[i] = i / 3; return a; }, '(f64)', [[0], [5], [1000], [-1]]],
  ['made and lost', (/** @type {number} */ n) => { let s = 0; for (let k = 0; k < 100; k++) { const a = new Int32Array(n); a[k] = k; for (let i = 0; i < n; i++) s += a[i]; } return s; }, '(i32)', [[1000]]],
  ['made twice', (/** @type {Float64Array} */ a) => ({ up: a.slice(1), sums: a.map((x) => x + 1), count: a.length }), '(f64[])', [[wave(Float64Array)]]],
  ['fixed', (/** @type {number} */ x) => { const a = new Float64Array(4); a[2] = x; a[1] = a[2] * 2; return a[0] + a[1] + a[3] + a[9]; }, '(f64)', scalars],
  ['sorted', (/** @type {Float64Array} */ a) => { for (let i = 1; i < a.length; i++) for (let j = i; j > 0 && a[j - 1] > a[j]; j--) { const t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; } return a; }, '(f64[])', [[wave(Float64Array)]]],
  ...[...FLOATS, ...SMALL].map((Class) => /** @type {any} */ ([`scaled ${Class.name}`, (/** @type {any} */ a) => { let s = 0; for (let i = 0; i < a.length; i++) s += a[i] = a[i] * 3 + 1; return s; }, `(${Class.name})`, [[wave(Class)], [wave(Class, 1)]]])),
  ...BIG.map((Class) => /** @type {any} */ ([`added ${Class.name}`, (/** @type {any} */ a) => { let s = 0n; for (let i = 0; i < a.length; i++) { a[i] = BigInt.asUintN(64, a[i] * 3n); s = BigInt.asIntN(64, s + a[i]); } return s; }, `(${Class.name})`, [[wave(Class)]]])),
];

for (const [name, fn, signature, calls] of table) {
  test(`${name}: modules give what JavaScript and machine code give`, async () => {
    const { load } = await loader;
    const made = native(/** @type {any} */ (fn), signature);
    const { modules } = made.toWasm(undefined, { variants: VARIANTS, optimize: false });
    for (const variant of VARIANTS) {
      if (!/factorial|mutual/.test(name)) assertVariant(modules[variant], variant, name); // the others export a global
      const f = await load(modules[variant]);
      assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(/** @type {any} */ (modules[variant]))), []);
      for (const args of calls) {
        const expected = outcome(fn, args);
        assert.deepEqual(outcome(f, args), name === 'overflow' ? outcome(made, args) : expected, `${variant} of ${args}`);
        assert.deepEqual(outcome(made, args), name === 'overflow' ? outcome(f, args) : expected, `native of ${args}`);
      }
    }
  });
}

// ------------------------------------------------------------------------------- functions of numbers

test('a function of numbers that cannot fail is an export of its name, and small', async () => {
  const { bytes } = native(function area(/** @type {number} */ r) { return r * r * Math.PI; }).toWasm('(f64)', { optimize: false });
  assert.ok(bytes.length < 400, `${bytes.length} bytes`);
  const { instance } = await WebAssembly.instantiate(/** @type {any} */ (bytes));
  assert.equal(/** @type {any} */ (instance.exports).area(2.5), 2.5 * 2.5 * Math.PI);
  const big = native((/** @type {bigint} */ x) => BigInt.asIntN(64, x * 3n), '(i64)').toWasm(undefined, { optimize: false });
  const other = await WebAssembly.instantiate(/** @type {any} */ (big.bytes));
  assert.equal(/** @type {any} */ (other.instance.exports).anonymous(7n), 21n);
});

test('loops over arrays become vectors where the variant has them', () => {
  const made = native((/** @type {Float64Array} */ a, /** @type {Float64Array} */ b) => { for (let i = 0; i < a.length; i++) a[i] += 3 * b[i]; }, '(f64[], f64[])');
  const { modules } = made.toWasm(undefined, { variants: VARIANTS, optimize: false });
  assert.ok(featuresOf(/** @type {Uint8Array} */ (modules.simd)).has('simd'));
});

test('names that a module needs itself are changed', async () => {
  const { load } = await loader;
  for (const name of ['memory', 'run', 'main', 'sin', 'memcpy', 'é']) {
    const { bytes } = native(`function ${name}(x) { return x + 1; }`).toWasm('(f64)', { optimize: false });
    assert.equal((await load(bytes))(1), 2, name);
  }
});

// -------------------------------------------------------------------------------------------- errors

test('recursion without end is a RangeError, after which the function goes on', async () => {
  const { load } = await loader;
  const deep = native(function deep(/** @type {number} */ n) { return n === 0 ? 0 : 1 + deep(n - 1); });
  const tail = native(function tail(/** @type {number} */ n) { return n === 1000 ? n : tail(n + (n === 0 ? 0 : 1)); });
  await assert.rejects(async () => (await load(tail.toWasm('(f64)', { optimize: false }).bytes))(0), RangeError);
  const kept = native(function kept(/** @type {number} */ n) {
    const a = new Float64Array(3);
    a[n & 1] = n;
    /** @type {number} */
    const below = n === 0 ? 0 : kept(n - 1);
    return below + a[0] + a[1];
  });
  for (const f of [await load(deep.toWasm('(f64)', { optimize: false }).bytes), await load(kept.toWasm('(i32)', { optimize: false }).bytes)]) {
    for (let i = 0; i < 3; i++) {
      assert.throws(() => f(-1), { name: 'RangeError', message: 'Maximum call stack size exceeded' });
      assert.equal(typeof f(1000), 'number');
    }
  }
});

test('arguments that are of other types are refused', async () => {
  const { load } = await loader;
  const fn = (/** @type {any} */ i, /** @type {any} */ a) => i + a.length;
  const f = await load(native(fn).toWasm('(u8, f64[3])', { optimize: false }).bytes);
  assert.equal(f(3, new Float64Array(3)), 6);
  for (const args of [[256, new Float64Array(3)], [1.5, new Float64Array(3)], [1n, new Float64Array(3)], []]) {
    assert.throws(() => f(...args), { name: 'GraphError', code: 'ERR_DTYPE', message: /expected u8 for argument 1/ });
  }
  for (const array of [new Float64Array(2), new Float32Array(3), [1, 2, 3], null, undefined]) {
    assert.throws(() => f(1, array), { code: 'ERR_DTYPE', message: /expected f64\[3\] for argument 2/ });
  }
});

test('arrays for which there is no memory are a RangeError', async () => {
  const { load } = await loader;
  const f = await load(native((/** @type {number} */ n) => new Float64Array(n).length).toWasm('(f64)', { optimize: false }).bytes);
  assert.throws(() => f(2 ** 31), { name: 'RangeError', message: /out of memory/ });
  assert.equal(f(10), 10);
});

// -------------------------------------------------------------------------------------------- arrays

test('arrays in the memory of the module are used in place', async () => {
  const { load } = await loader;
  const f = await load(native((/** @type {Float64Array} */ a, /** @type {number} */ n) => { for (let i = 0; i < a.length; i++) a[i] += i; const b = new Float64Array(n); return a.subarray(1, 3 + b.length * 0); }).toWasm('(f64[], f64)', { optimize: false }).bytes);
  const a = f.allocate('f64', 4);
  const other = f.allocate('u8', 100);
  assert.equal(a.data.byteOffset, a.at);
  const part = f(a, 0);
  assert.deepEqual([...a.data], [0, 1, 2, 3]);
  assert.equal(part.buffer, f.memory.buffer);
  assert.deepEqual([...f(a.data, 1e6)], [2, 4]); // memory grows meanwhile
  assert.deepEqual([...a.data], [0, 2, 4, 6]);
  a.free();
  assert.throws(() => a.data, { code: 'ERR_STATE' });
  assert.equal(f.allocate('i32', 5).at, a.at);
  other.free();
  assert.throws(() => f.allocate('f64', -1), { code: 'ERR_ARGUMENT' });
  assert.throws(() => f.allocate('x', 1), { code: 'ERR_ARGUMENT' });
});

test('arrays that overlap do so in the module, and one that is returned is that one', async () => {
  const { load } = await loader;
  const fn = (/** @type {Float64Array} */ a, /** @type {Float64Array} */ b) => { for (let i = 0; i < a.length; i++) a[i] = b[i] + 1; return a; };
  const f = await load(native(fn).toWasm('(f64[], f64[])', { optimize: false }).bytes);
  for (const each of [f, fn]) {
    const memory = Float64Array.of(1, 2, 3, 4, 5, 6);
    const whole = memory.subarray(1, 6);
    assert.equal(each(whole, memory.subarray(0, 5)), whole);
    assert.deepEqual([...memory], [1, 2, 3, 4, 5, 6]);
  }
});

test('arrays that are captured are part of the module, unless they are written', async () => {
  const { load } = await loader;
  const weights = Float64Array.of(1, 10, 100);
  const f = native((/** @type {number} */ i) => weights[i] * 2, { capture: { weights } });
  const compiled = await load(f.toWasm('(i32)', { optimize: false }).bytes);
  assert.deepEqual([compiled(1), compiled(5)], [20, NaN]);
  const g = native((/** @type {number} */ i) => { weights[i] = 1; }, { capture: { weights } });
  throwsGraphError(() => g.toWasm('(i32)'), 'ERR_UNSUPPORTED', /writes to an array that it captures/);
});

// ------------------------------------------------------------------------------------------- interface

test('types come from a signature here, from that of the function, or from comments', () => {
  const f = native('(x) => x + 1');
  throwsGraphError(() => f.toWasm(), 'ERR_ARGUMENT', /types of the parameters are not known/);
  throwsGraphError(() => f.toWasm('(f64, f64)'), 'ERR_ARGUMENT', /has 1 parameters, the signature 2/);
  throwsGraphError(() => f.toWasm('(f64)', { colour: 1 }), 'ERR_ARGUMENT', /unknown option 'colour'.*numerics.*optLevel.*variants.*optimize/);
  throwsGraphError(() => f.toWasm('(f64)', { variants: ['x'] }), 'ERR_ARGUMENT', /'variants'\[0\]/);
  const commented = native('/** @param {number} x */ (x) => x + 1');
  const { bytes } = commented.toWasm(undefined, { optimize: false });
  assert.ok(bytes.length > 0);
  assert.deepEqual(commented.toWasm({ optimize: false }).bytes, bytes, 'options alone');
  assert.deepEqual(commented.toWasm({ params: ['f64'] }, { optimize: false }).bytes, bytes);
  throwsGraphError(() => commented.toWasm({ colour: 1 }), 'ERR_ARGUMENT', /unknown option 'colour'/);
  f.dispose();
  throwsGraphError(() => f.toWasm('(f64)'), 'ERR_STATE', /disposed/);
});

test('one file holds loader and modules, and typings come with it', async () => {
  const f = native(function norm(/** @type {Float64Array} */ x) { let s = 0; for (const each of x) s += each * each; return Math.sqrt(s); });
  const made = f.toWasm('(f64[])', { variants: ['mvp', 'simd'], optimize: false });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-function-'));
  try {
    const file = path.join(folder, 'norm.mjs');
    fs.writeFileSync(file, made.mjs);
    const { load } = await import(pathToFileURL(file).href);
    assert.equal((await load())(Float64Array.of(3, 4)), 5);
    assert.match(made.types, /\(x: Float64Array \| Allocated<Float64Array>\): number;/);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
  const { load } = await loader;
  await assert.rejects(() => load(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)), { code: 'ERR_ARGUMENT' });
  assert.equal((await load(made.modules))(Float64Array.of(6, 8)), 10);
});
