/**
 * native(): what equal functions share, what later processes find, and when a function gets better code.
 */
'use strict';

require('../support/verify.js');
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const { native } = require('graphjit');
const addon = require('../../lib/base/binding.js').native;
const { Notes } = require('../../lib/native/run/disk-cache.js');

test('equal functions share their code, and later processes find it', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-native-'));
  const script = `const { native } = require(${JSON.stringify(path.join(__dirname, '..', '..'))});
    const make = () => native((x) => { let s = 0; for (const v of x) s += v * 1.25; return s; }, 'f64(f64[])');
    const all = [make(), make()];
    console.log(JSON.stringify([...all.map((f) => f.stats[0].cache), all[1](Float64Array.of(2, 2))]));`;
  const run = () => {
    const env = { ...process.env, GRAPHJIT_CACHE_DIR: folder, GRAPHJIT_CACHE: '' };
    return JSON.parse(execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' }));
  };
  assert.deepEqual(run(), ['miss', 'memory', 5]);
  assert.deepEqual(run(), ['disk', 'memory', 5]);
  fs.rmSync(folder, { recursive: true });
});

test('functions of the engine that look alike are told apart', () => {
  const make = (/** @type {Function} */ ask) => native('(x) => [ask(undefined), ask(null), ask(x)]', { capture: { ask } });
  for (const ask of [Number.isNaN, isNaN, Number.isFinite, isFinite, Number.isNaN]) assert.deepEqual(make(ask)(NaN), [ask(undefined), ask(null), ask(NaN)]);
});

test('a function gets better code when it has run for a while, with the same results', () => {
  const text = (/** @type {number} */ k) => `(x, n) => { let s = ${k}; for (let k = 0; k < n; k++) for (let i = 0; i < x.length; i++) s += x[i] / (i + 1); return s; }`;
  const x = Float64Array.from({ length: 1000 }, (_, i) => Math.sin(i));
  const made = native(text(0.125), { cache: false });
  const first = made(x, 1);
  assert.equal(made.stats[0].tier, 'quick');
  assert.match(made.explain(), /floats must be added in order/);
  assert.equal(made.stats[0].tier, 'full');
  assert.equal(made(x, 1), first);
  const hot = native(text(0.25), { cache: false });
  for (let i = 0; i < 100 && hot.stats.every(({ tier }) => tier === 'quick'); i++) hot(x, 1000);
  assert.equal(hot.stats[0].tier, 'full');
  for (const options of [{ tier: 'full' }, { numerics: 'fast' }]) assert.equal(native(text(0.5), '(f64[], i32)', { cache: false, ...options }).stats[0].tier, 'full');
  assert.throws(() => native(text(1), { tier: 'llvm' }), { message: /expected one of 'auto', 'full' for option 'tier', got "llvm"/ });
});

test('later processes neither parse nor type a function they find', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-native-'));
  const file = path.join(folder, 'user.js');
  fs.writeFileSync(
    file,
    `const { native } = require(${JSON.stringify(path.join(__dirname, '..', '..'))});
    const scale = 1.5;
    /** @param {Float64Array} x */
    const fill = native(function fill(x, n) {
      if (n > x.length) throw new RangeError(\`\${n} is too many\`);
      for (let i = 0; i < n; i++) x[i] = scale * i;
      return { last: x[n - 1], x };
    }, { capture: { scale } });
    const text = native('(a, b = 2n) => [a * b, a]');
    const x = new Float64Array(4);
    let thrown;
    const first = fill(x, 3);
    try { fill(x, 5); } catch (error) { thrown = [error.message, error.stack.split('\\n')[1]]; }
    const [a, b] = text(3n, 5n);
    (async () => {
      const later = await fill.runAsync([x, 2]);
      const front = Object.keys(require.cache).filter((name) => /acorn|infer|loops-|build/.test(path(name))).length;
      console.log(JSON.stringify([first.last, first.x === x, thrown, String(a), later.last, front > 0, fill.length, String(fill), fill.explain().includes('user.js:6:')]));
    })();
    function path(name) { return name.split('/').at(-1) + (name.includes('/acorn/') ? 'acorn' : ''); }`,
  );
  const run = () => {
    const env = { ...process.env, GRAPHJIT_CACHE_DIR: path.join(folder, 'cache'), GRAPHJIT_CACHE: '' };
    return JSON.parse(execFileSync(process.execPath, [file], { env, encoding: 'utf8' }));
  };
  const told = [3, true, ['5 is too many', `    at fill (${file}:5:25)`], '15', 1.5, true, 2, 'native fill: { last: f64 | undefined, x: f64[] }(f64[], smi)', true];
  assert.deepEqual(run(), told);
  told[5] = false;
  assert.deepEqual(run(), told);
  fs.rmSync(folder, { recursive: true });
});

test('notes that are no notes count as none', { skip: addon.cacheUsage().off }, () => {
  for (const text of ['', '{', 'null', '[]', '{"head":{"name":"f","arity":{}},"hints":[],"codes":[]}', '{"head":{"name":"f","arity":{"count":1},"docs":[]},"hints":5}']) {
    addon.noteWrite('a note', text);
    const notes = new Notes('a note');
    assert.equal(notes.head, null);
    assert.equal(notes.code('f64'), undefined);
  }
  const facts = /** @type {any} */ ({ result: { kind: 'constant', value: -0 }, updates: [], ports: [], results: [], sites: [] });
  const head = () => ({ name: 'f', arity: { count: 0, hasRest: false }, docs: [] });
  const needs = { heap: false, threads: false, cancel: false, stack: false, frame: false, data: false };
  const module = { text: 'module', name: 'main', params: [], returns: { is: /** @type {const} */ ('status'), dtype: 'i32' }, failures: [], needs };
  const modules = new Map([['apart', module]]);
  const notes = new Notes('a note');
  notes.noteCode(head, '', facts, modules);
  assert.equal(notes.code(''), undefined);
  notes.noteCode(head, '#1', { ...facts, result: { kind: 'undefined' } }, modules);
  assert.equal(notes.code('#1'), undefined);
  notes.noteHints('f64', [0]);
  notes.noteCode(head, '', { ...facts, result: { kind: 'undefined' } }, modules);
  assert.deepEqual(notes.code('')?.modules, modules);
  const again = new Notes('a note');
  assert.deepEqual([again.head, again.hints('f64'), again.code('')], [head(), [0], notes.code('')]);
  const written = String(addon.noteRead('a note'));
  for (const [whole, damaged] of [['"text":"module"', '"text":1'], ['"failures":[]', '"failures":[{"status":16,"reason":"threw","site":0}]'], ['"heap":false', '"heap":0'], ['"params":[]', '"params":null']]) {
    assert.ok(written.includes(whole), written);
    addon.noteWrite('a note', written.replace(whole, damaged));
    assert.equal(new Notes('a note').head, null, damaged);
  }
});
