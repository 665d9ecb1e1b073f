// Native functions in a real browser: a page loads their modules with graphjit/web/function, as it stands in lib/, and gets
// what V8 gets from the functions themselves.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const { native } = require('graphjit');
const { browserTest } = require('../support/browser.js');

const VARIANTS = /** @type {const} */ (['mvp', 'simd', 'relaxed']);
/** No eval, as sites that are careful have it. */
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/** Calls by what they are about: a function, its signature, arguments. @type {Record<string, [Function, string, any[]]>} */
const CALLS = {
  numbers: [(/** @type {number} */ x, /** @type {number} */ y) => Math.hypot(x, y) * Math.sin(x) - x ** y, '(f64, f64)', [1.25, -3.5]],
  integers: [(/** @type {number} */ a, /** @type {number} */ b) => [(a ^ (b << 3)) >>> 1, Math.imul(a, b), a % b], '(i32, i32)', [-77, 30]],
  bigints: [(/** @type {bigint} */ n) => { let s = 0n; for (let i = 0n; i <= n; i++) s += i * i; return s; }, '(i64)', [100000n]],
  waves: [
    (/** @type {Float64Array} */ a) => { let most = -Infinity; for (let i = 0; i < a.length; i++) { a[i] = Math.exp(Math.cos(a[i])); if (a[i] > most) most = a[i]; } return { most, missing: a[a.length] }; },
    '(f64[])', [Float64Array.from({ length: 301 }, (_, i) => i / 7 - 20)],
  ],
  bytes: [
    (/** @type {Uint8Array} */ a, /** @type {Uint8Array} */ b) => { const row = new Int32Array(b.length + 1); for (let j = 0; j <= b.length; j++) row[j] = j; for (let i = 1; i <= a.length; i++) { let last = row[0]; row[0] = i; for (let j = 1; j <= b.length; j++) { const up = row[j]; row[j] = Math.min(up + 1, row[j - 1] + 1, last + (a[i - 1] === b[j - 1] ? 0 : 1)); last = up; } } return row[b.length]; },
    '(u8[], u8[])', [Uint8Array.from('kitten sitting on a mat', (c) => c.charCodeAt(0)), Uint8Array.from('sitting kitten at a mall', (c) => c.charCodeAt(0))],
  ],
  recursion: [(/** @type {number} */ n) => { const fib = (/** @type {number} */ k) => (k < 2 ? k : fib(k - 1) + fib(k - 2)); return fib(n); }, '(i32)', [20]],
};

/** Arguments and results as they travel to a page and back. @type {(value: any) => any} */
const packed = (value) => {
  if (ArrayBuffer.isView(value)) return { class: Object.prototype.toString.call(value).slice(8, -1), list: Array.from(/** @type {any} */ (value), packed) };
  if (typeof value === 'bigint') return { big: String(value) };
  if (typeof value === 'number') return { number: Object.is(value, -0) ? '-0' : String(value) };
  if (Array.isArray(value)) return value.map(packed);
  if (value && typeof value === 'object') return { fields: Object.entries(value).map(([name, each]) => [name, packed(each)]) };
  return { other: String(value) };
};

/** The page: what it is asked for is in its address. */
const page = `import { load } from '/web/function.mjs';
const packed = ${packed};
const unpacked = (v) => Array.isArray(v) ? v.map(unpacked) : v.class ? globalThis[v.class].from(v.list.map(unpacked)) : v.big ? BigInt(v.big) : Number(v.number);
self.call = async (source, args, reload) => {
  const f = await load(reload ? await fetch(source).then((r) => r.arrayBuffer()) : source);
  const own = unpacked(args);
  let first = packed([f(...own), own]);
  const again = unpacked(args);
  if (JSON.stringify(packed([f(...again), again])) !== JSON.stringify(first)) first = 'another result the second time';
  return first;
};
self.fails = async (source, args) => { const f = await load(source); try { return f(...unpacked(args)); } catch (error) { return error.name + ': ' + error.message; } };`;

/** @type {(tools: any, files: Record<string, string | Uint8Array>) => Promise<any>} a page of a site with these files */
async function pageWith({ serve, open }, files) {
  const site = await serve({
    files: { '/index.html': '<script type="module" src="/page.mjs"></script>', '/page.mjs': page, ...files },
    folders: { '/web/': path.join(__dirname, '../../lib/web') },
    policy: POLICY,
  });
  const made = await open(`${site}/index.html`);
  await made.waitForFunction(() => Boolean(/** @type {any} */ (globalThis).call));
  return made;
}

for (const variant of VARIANTS) {
  browserTest(`a page gets from functions for ${variant} what V8 gets from their source`, async (tools) => {
    const modules = Object.entries(CALLS).map(([name, [fn, signature]]) => [`/${name}.wasm`, native(/** @type {any} */ (fn), signature).toWasm({ variants: [variant], optimize: false }).bytes]);
    const opened = await pageWith(tools, Object.fromEntries(modules));
    for (const [name, [fn, , args]] of Object.entries(CALLS)) {
      const own = structuredClone(args);
      const expected = packed([fn(...own), own]);
      for (const reload of [false, true]) {
        const words = [`/${name}.wasm`, packed(args), reload];
        const found = await opened.evaluate((/** @type {any} */ given) => /** @type {any} */ (globalThis).call(...given), words);
        assert.deepEqual(found, expected, `${name}, ${variant}`);
      }
    }
  });
}

browserTest('errors of functions reach the page', async (tools) => {
  const checked = native((/** @type {Float64Array} */ a, /** @type {number} */ i) => { if (i < 0) throw new RangeError(`no ${i}`); return a[i]; }, '(f64[], i32)', { bounds: 'check' });
  const deep = native(/** @type {any} */ (function deep(/** @type {number} */ n) { return deep(n + 1) + 1; }), '(f64)');
  const opened = await pageWith(tools, { '/checked.wasm': checked.toWasm({ optimize: false }).bytes, '/deep.wasm': deep.toWasm({ optimize: false }).bytes });
  const fails = (/** @type {string} */ name, /** @type {any[]} */ args) => opened.evaluate((/** @type {any} */ given) => /** @type {any} */ (globalThis).fails(...given), [name, packed(args)]);
  assert.equal(await fails('/checked.wasm', [Float64Array.of(7), 0]), 7);
  assert.equal(await fails('/checked.wasm', [Float64Array.of(7), -4]), 'RangeError: no -4');
  assert.match(await fails('/checked.wasm', [Float64Array.of(7), 1]), /^RangeError: index 1 is out of range of a: it has 1 elements/);
  assert.match(await fails('/deep.wasm', [0]), /^RangeError: /);
});
