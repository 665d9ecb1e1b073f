// From a function's source to its tree: the tree, evaluated, does what the function does.
/* eslint-disable no-unused-vars, no-var, prefer-const, no-shadow, no-fallthrough, no-undef, no-sparse-arrays, eqeqeq, no-redeclare,
   no-constant-condition, no-empty, no-duplicate-case, no-case-declarations, no-empty-pattern */
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { build } = require('../../lib/native/build/index.js');
const { evaluator } = require('../../lib/native/hir/evaluate.js');
const { prange } = require('../../lib/native/source/prange.js');
const { print } = require('../../lib/native/hir/print.js');
const { remember } = require('../../lib/native/source/index.js');
const programs = require('./programs/index.js');
const rows = require('./npm-functions.js');
const { captureOf, functionOf } = require('./support/modules.js');
const { firstDifference } = require('./support/same.js');
const { setsOf } = require('./support/values.js');

/** What a call gives, or throws, and what is in its arguments afterwards. */
function outcome(fn, args) {
  const given = structuredClone(args);
  try {
    return { value: fn(...given), args: given };
  } catch (error) {
    return { thrown: String(error), args: given };
  }
}

/** Checks that a function and its tree do the same for each set of arguments. */
function same(fn, ...sets) {
  const run = evaluator(build(fn));
  for (const args of sets.length > 0 ? sets : [[]]) assert.deepEqual(outcome(run, args), outcome(fn, args), fn.toString());
}

/** What a text evaluates to. */
const valueOf = (text, args = [], options = {}) => evaluator(build(text, options))(...args);

/** The tree of a function as text, without its first line. */
const tree = (fn, options) => print(build(fn, options)).split('\n').slice(1, -1).join('\n');

const f64 = (...values) => Float64Array.of(...values);
const numbers = [[1], [2], [3], [4], [0], [-1.5], [NaN]];

test('functions are read however they are written', () => {
  same((a, b) => a + b, [1, 2]);
  same((a) => ({ a }), [1]);
  same(function (a) { return -a; }, [1]);
  same(function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }, [10]);
  same({ f(x) { return x + 1; } }.f, [1]);
  same({ 'odd name'(x) { return x + 1; } }['odd name'], [1]);
  same({ [Symbol.iterator](x) { return x + 1; } }[Symbol.iterator], [1]);
  same((class { static f(x) { return x + 1; } }).f, [1]);
  assert.equal(valueOf('x => x * 2;', [4]), 8);
  assert.equal(valueOf('/* twice */ (x) => x * 2 // really', [4]), 8);
  assert.equal(valueOf('f(x) { return x * 2 }', [4]), 8);
  assert.equal(valueOf('function f(x) { return x * 2 }', [4]), 8);
});

test('of a text with several functions the last is meant, or the one that is named', () => {
  const text = 'const twice = (x) => k * x; const k = 2; function f(x) { return twice(x) + 1; } export function g(x) { return f(x) * 10; }';
  assert.equal(valueOf(text, [3]), 70);
  assert.equal(valueOf(text, [3], { name: 'f' }), 7);
  assert.equal(valueOf(text, [3], { name: 'twice' }), 6);
  assert.equal(build(text).name, 'g');
  assert.equal(valueOf('export default (x) => x + 1', [3]), 4);
});

test('what a text declares beside the function is computed once', () => {
  const text = 'const t = new Float64Array([1, 2, 3]); const n = Math.sqrt(t.length + 1); function f(i) { return t[i] * n; }';
  assert.equal(valueOf(text, [2]), 6);
  assert.throws(() => build('let n = 1; function g() { n = 2; } function f() { return n; }'), /'n' is neither a function nor a constant/);
});

test('scopes: hoisting, shadowing, functions before their declaration', () => {
  same((x) => { y = x; var y; return y + y; }, [2]);
  same((x) => { if (x > 1) { var y = x; } return y; }, [1], [2]);
  same((x) => { let y = 1; { let y = 2; x += y; } { const y = 3; x += y; } return x + y; }, [1]);
  same((x) => { return f(x) + g(x); function f(k) { return k * 2; } function g(k) { return f(k) - 1; } }, [2]);
  same((x) => { for (var i = 0; i < 3; i++) ; for (let i = 0; i < 2; i++) x += i; return i + x; }, [1]);
  same((x) => { var x; return x; }, [5]);
  same((x) => { var x = 3; var x = x + 1; return x; }, [5]);
  same((a) => { const f = function g(n) { return n ? g(n - 1) + 1 : a; }; return f(4); }, [5]);
  same((x) => { function f() { return 1; } { f(); } function g() { return f(); } return g() + x; }, [1]);
  same(function f(x) { let g = function () { return 1; }; if (x) g = () => 2; return g(); }, [0], [1]);
  same((x) => { let f = (a) => a + 1; const g = f; f = (a) => a + 10; return g(x) * 100 + f(x); }, [1]);
  same(new Function('x', 'function f() { return 1 } f = x; return f'), [4]);
  same(new Function('a', 'a', 'return a'), [1, 2]);
  same(new Function('x', 'var f; function f() { return 3 } return f() + x'), [4]);
});

test('parameters: defaults, patterns, rest, and variables of their name', () => {
  same((a, b = a + 1, c = b * 2) => [a, b, c], [1], [1, 5], [1, undefined, 7], [1, null]);
  same(({ a, b: [c, d = 5], ...r }, [e, ...f] = [1, 2, 3]) => [a, c, d, r, e, f], [{ a: 1, b: [2], z: 3 }], [{ a: 1, b: [2, 3] }, [9]]);
  same(({ a = 1, b = a } = {}) => a + b, [], [{}], [{ a: 5 }], [{ b: 2 }]);
  same(([a = 1, [b = 2] = []]) => a + b, [[]], [[5]], [[5, [6]]]);
  same((x, f = () => x) => { var x = 10; return x + f(); }, [1]);
  same((x, f = () => x) => { var x; return x + f(); }, [1]);
  same((...v) => v.length + v[0], [1, 2, 3]);
  same((a, ...[b, c]) => a + b + c, [1, 2, 3]);
  same((a, b) => b === undefined, [1], [1, 2]);
  same(function (a) { return arguments.length; }, [], [1], [1, 2, 3]);
  same(function (a) { return arguments.length > 1 && arguments[1] !== undefined ? arguments[1] : a; }, [1], [1, 2]);
  same(function (a) { const f = function (x) { return arguments.length + x; }; return f(a, a, a); }, [1]);
});

test('closures: what they set, what they see, one variable per round', () => {
  same((x) => { let n = 0; const tick = () => ++n; tick(); tick(); return n * x; }, [3]);
  same(() => { const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i++ * 10); return [...fs, ...fs].map((f) => f()); });
  same(() => { const fs = []; for (var i = 0; i < 3; i++) fs.push(() => i); return fs.map((f) => f()); });
  same(() => { const fs = []; for (const x of [1, 2, 3]) { let y = x * 2; fs.push(() => y++ + x); } return fs.map((f) => f() + f()); });
  same(() => { const fs = []; let n = 0; while (n < 3) { let k = n++; fs.push(() => k++); } return [...fs, ...fs].map((f) => f()); });
  same(() => { const fs = []; for (let i = 0, f = () => i; i < 3; i++) fs.push(f); return fs.map((f) => f()); });
  same(() => { const fs = []; for (let i = 0; i < 2; i++) { const g = () => i; fs.push(() => g()); } return fs.map((f) => f()); });
  same(() => { const fs = []; for (let n = 0; n < 3; n++) { fs.push(() => k * 10); const k = n; } return fs.map((f) => f()); });
  same(() => { const fs = []; for (let n = 0; n < 3; n++) { fs.push(() => g() + 1); let k = n; const g = () => k++; } return [...fs, ...fs].map((f) => f()); });
  same(() => { const fs = []; for (let n = 0; n < 3; n++) { fs.push(g); let k = n; function g() { return k++; } } return [...fs, ...fs].map((f) => f()); });
  same(() => { const f = () => k; let k = 1; const before = f(); k = 2; return [before, f()]; });
  same(() => { const fs = []; for (const n of [1, 2]) { let g = 0; { fs.push(() => h() + g); g = n; } function h() { return 10; } } return fs.map((f) => f()); });
  same((a) => { const add = (x) => (y) => x + y; const add2 = add(2); return add2(a) * add(5)(a); }, [3]);
  same((n) => { const even = (k) => k === 0 || odd(k - 1); function odd(k) { return k !== 0 && even(k - 1); } return even(n); }, [7], [8]);
  same((a) => { const apply = (f, x) => f(f(x)); let n = 0; const r = apply((x) => x * a + n++, 2); return [r, n]; }, [3]);
  same((a) => (function () { return (() => a * 2)(); })(), [3]);
  same((a) => { const o = { add: (x) => x + a, n: 1 }; o.n += 4; return o.add(1) * o.n; }, [3]);
  same((a) => { const f = (x) => x + a; return f.call(null, 1); }, [3]);
});

test('loops: all forms, break and continue, labels', () => {
  same((x) => { let n = 0; do { n++; if (n === 3) continue; x *= 2; } while (n < 5); return x; }, [1]);
  same((x) => { let i = 5; while (i-- > 0) { if (i === 2) break; x += i; } return x * i; }, [1]);
  same((x) => { for (;;) { if (x++ > 5) break; } return x; }, [1]);
  same((x) => { let i, j; for (i = 0, j = 10; i < j; i++, j--) x += i * j; return x + i; }, [1]);
  same((x) => { a: for (let i = 0; i < 5; i++) { b: for (let j = 0; ; j++) { if (j === 3) continue a; if (i === 3) break a; if (j === 1) continue b; x += i * j + 1; } } return x; }, [1]);
  same((x) => { a: b: do { x++; if (x < 9) continue a; break b; } while (true); return x; }, [1]);
  same((x) => { a: { x++; if (x > 2) break a; x *= 10; } return x; }, [1], [2]);
  same((x) => { a: if (x) { x++; break a; } return x; }, [1], [0]);
  same((x) => { while (false) x = 7; do x++; while (0); return x; }, [1]);
  same((x) => { for (let i = 0; i < 9; i++) switch (i) { case 2: continue; case 5: x += 100; break; default: x += i; } return x; }, [1]);
});

test('for-of over arrays, literals, entries, keys, values and ranges', () => {
  same((a) => { let s = 0; for (const x of a) s += x; return s; }, [f64(1, 2, 3)], [[]]);
  same((a) => { let s = 0; for (let x of a) { x *= 2; s += x; } return s; }, [f64(1, 2, 3)]);
  same((a) => { let x; for (x of a) if (x > 1) break; return x; }, [f64(1, 2, 3)], [[]]);
  same((a) => { const o = { k: 0 }; for (o.k of a) ; for (a[0] of [7, 8]) ; return [o, a]; }, [[1, 2]]);
  same((a) => { let s = 0; for (const x of a) { s += x; if (a.length < 6) a.push(x + 1); } return s; }, [[1, 2]]);
  same((a) => { let s = 0; for (const [i, x] of a.entries()) s += i * x; for (const k of a.keys()) s += k; for (const v of a.values()) s -= v; return s; }, [f64(1, 2, 3)]);
  same((a) => { let s = 0; for (const pair of a.entries()) s += pair[0] * pair[1]; return s; }, [f64(1, 2, 3)]);
  same(() => { let s = 0; for (const [x, y] of [[1, 2], [3, 4]]) s += x * y; for (const { p, q = 2 } of [{ p: 1 }, { p: 2, q: 3 }]) s += p * q; return s; });
  same((a) => { const t = [[1, 2], [3, 4], [a, 5]]; let s = 0; for (const [x, y] of t) { if (x === 3) continue; s += x * y; } for (const p of t) { t[1][0] = 9; s = s * 10 + p[0]; if (s > 500) break; } return s; }, [1], [7]);
  same((a) => { const t = [[1, 2], [3, 4]]; let n = 0; for (const p of t) { if (n++ < 3) t.push([n, n]); } return [n, t]; }, [1]);
  same((a) => { a: for (const f of [(x) => x + 1, (x) => x * 2, (x) => x - 3]) { for (const k of [1, 2]) { if (k === 2) continue a; if (a > 50) break a; a = f(a) + k; } } return a; }, [1], [40]);
  same((a) => { const fs = []; for (const x of [a, a + 1]) for (let y of [x, 5]) fs.push(() => x * 10 + y++); return [...fs, ...fs].map((f) => f()); }, [1]);
  const ranged = (n) => { let s = 0; for (const i of prange(n)) { if (i === 2) continue; s += i; } for (const i of prange(2, n)) s += i * 10; return s; };
  assert.equal(valueOf(ranged.toString(), [5]), ranged(5));
  assert.equal(evaluator(build(ranged, { capture: { prange } }))(5), ranged(5));
  const renamed = (n) => { let s = 0; for (const i of (0, lib.prange)(n)) s += i; return s; };
  assert.equal(evaluator(build(renamed, { capture: { lib: { prange } } }))(5), 10);
  assert.match(tree(ranged), /L0 prange i of 0, n:\n {4}if i === 2:\n {6}continue L0/);
});

test('a switch compares in order and runs through its cases', () => {
  same((v) => { switch (v) { case 1: v++; default: v += 10; case 2: v *= 3; break; case 4: return 7; } return v; }, ...numbers);
  same((v) => { switch (v) { case 1: case 2: return 5; default: v += 10; break; case 4: return 7; } return v; }, ...numbers);
  same((v) => { switch (v) { default: return 1; case 2: case 3: } return v; }, ...numbers);
  same((v) => { switch (v) { case 2: default: v = 9; break; case 3: v = 8; } return v; }, ...numbers);
  same((v) => { let n = 0; switch (v) { case n++: n += 10; case n++: n += 100; break; case n++: n += 1000; } return n; }, ...numbers);
  same((v) => { switch (v) { case 1: { const k = 3; if (v) break; v = k; } case 2: let k = 4; return k; } return v; }, ...numbers);
  same((v) => { switch (true) { case v > 2: return 'big'; case v > 0: return 'small'; } return 'none'; }, ...numbers);
  same((v) => { switch (typeof v) { case 'number': return 1; case 'boolean': return 2; default: return 3; } }, [1], [true], [null]);
  same((v) => { switch (v) { } switch (v) { case 1: } return v; }, ...numbers);
  same((v) => { switch (v) { case 1: f(); function f() { v = 5; } } return v; }, ...numbers);
  same((v) => { a: switch (v) { case 1: for (;;) { break a; } default: v = 6; } return v; }, ...numbers);
});

test('effects happen in the order of the source', () => {
  same(() => { let i = 0; const a = [0, 0, 0, 0]; a[i++] = i; a[i] += i++ + ++i; return [i, a]; });
  same((x) => { let y = x; const f = () => { y++; return y; }; return y + f() + y; }, [1]);
  same((x) => { const a = [1, 2]; const f = () => { a[0] = 9; return 1; }; return [a[0] + f(), a[0]]; }, [1]);
  same((x) => { let i = 1; i += (i = 5) + i; x = i++ + (i += 2) * i--; return [i, x]; }, [1]);
  same((x) => { let a = [1, 2, 3], i = 0; a[i] = (i = 2); a[i] = (a = [7, 8, 9], i = 1); return [a, i]; }, [1]);
  same((x) => { const a = [1, 2, 3]; let i = 0; [a[i++], a[i++]] = [a[1], a[0]]; return [a, i]; }, [1]);
  same((x) => { let a, b, c; a = b = c = x + 1; return a * b * c; }, [1]);
  same((x) => { let n = 0; const r = (x > 1 && (n++, x > 2) || (n += 10, null)) ?? (n += 100); return [n, r]; }, ...numbers);
  same((x) => { let n = 0; x &&= (n++, 5); x ||= (n += 10, 6); let y; y ??= (n += 100, x); return [n, x, y]; }, ...numbers);
  same((x) => { const o = { k: x }; let n = 0; o.k ||= ++n; o.k &&= ++n; o[n ? 'k' : 'k'] += n; return [o, n]; }, ...numbers);
  same((x) => { const a = [x]; let i = 0; a[i++] ??= 3; a[i++] ??= 4; a[--i]++; return [a, i, a[0]++, --a[0], a]; }, [undefined], [1]);
  same((x) => { let n = 0; return [n, n++, n, (n = 5, n), n > 3 ? n++ : --n, n]; }, [1]);
  same((x) => { let n = 1; return { a: n, b: (n = 2), c: n }; }, [1]);
  same((x) => { let n = 1; const f = (...v) => v; return f(n, n++, ...[n, n = 7], n); }, [1]);
  same((x) => { let n = 1; const v = [1, 2]; const r = [...v, v.push(3), ...v]; return r; }, [1]);
  same((x) => { let n = 1; return Math.max(n, (n = 3), n) + Math.min(n++, n); }, [1]);
  same((x) => { const a = [3, 1, 2]; return a.length + a.push(5) + a.length; }, [1]);
  same((a, b) => { [a, b] = [b, a]; return { a, b }; }, [1, 2]);
  same((a, b) => { const v = ([a, b] = [b, a, 3]); return [a, b, v]; }, [1, 2]);
  same((a, b) => { ({ a, b: b = 4 } = { a: b }); return [a, b]; }, [1, 2]);
  same((a) => { for (let i = 0, j = (i = 3, i); i < 5; j += i++) a += j; return a; }, [1]);
  same((a) => { var i = 0; while (i++ < 3 && (a += i)) if ((a += 1) > 5) a -= i; return [a, i]; }, [1]);
  same((x) => x++ + x-- * --x - ++x, [5]);
  same((x) => { x++; x += x++ + x; return -x + +x; }, [5]);
  same((x) => (x, x = 4, x), [5]);
  same((x) => { let o = { p: { q: 1 } }; const p = o.p; o.p.q += (o = { p: { q: 50 } }, 2); return [p, o]; }, [1]);
});

test('operators', () => {
  for (const op of ['+', '-', '*', '/', '%', '**', '&', '|', '^', '<<', '>>', '>>>', '<', '<=', '>', '>=', '==', '!=', '===', '!==']) {
    same(new Function('a', 'b', `return a ${op} b`), [7, 3], [-7.5, 33], [NaN, 0], [-0, 0]);
    if (op !== '>>>') same(new Function('a', 'b', `return a ${op} b`), [7n, 3n], [-7n, 3n]);
    if (!/^([<>]=?|[!=]=.*)$/.test(op)) same(new Function('a', 'b', `a ${op}= b; return a`), [7, 3], [-7.5, 33]);
  }
  for (const op of ['-', '+', '!', '~', 'typeof ', 'void ']) same(new Function('a', `return ${op}a`), ...numbers, [true], [undefined]);
  same((a) => [a++, a, ++a, a--, --a, a], [5n], [5], [true]);
  same((x) => [x === undefined, x == null, x !== null, x === void 0, typeof x === 'undefined', typeof nothing === 'undefined'], [undefined], [null], [1]);
  same(() => [!0, !1, 1 / 0, -1 / 0, 0 / 0, void 0, 2 ** 10, 1 + 2 * 3, ~5, 7 % 4, 'a' + 'b' === 'ab', -0, 0x10, 1_000, 9007199254740993n, -3n]);
  same((a) => [a instanceof Float64Array, a instanceof Array, Array.isArray(a), ArrayBuffer.isView(a)], [f64(1)], [[1]]);
  same((o) => [o?.a?.b, o?.['a'], o?.a.b, o.a?.b.c], [{ a: { b: 3 } }], [{}], [{ a: { b: null } }]);
  same((a) => { let n = 0; const r = a?.[n++]?.[n++]; return [r, n]; }, [null], [[1]], [[[1, 2]]]);
  same((a) => [a?.map((x) => x + 1), a?.length.x], [null], [[1]]);
});

test('what the language provides: by name, under other names, as values', () => {
  same((x) => [Math.abs(x), Math['max'](x, 1), Number.isInteger(x), isNaN(x), Number(x), Boolean(x), Object.is(x, -0)], ...numbers);
  same((x) => { var abs = Math.abs, M = Math, { PI, E: e } = Math; const { sqrt } = M, max = M.max; return [abs(x), PI, e, sqrt(x), max(x, 2)]; }, ...numbers);
  same((x) => [Math.PI, Number.EPSILON, NaN, Infinity, undefined, Float64Array.BYTES_PER_ELEMENT, globalThis.Math.abs(x)], ...numbers);
  same((a) => [a.map(Math.sqrt), a.reduce(Math.max === undefined ? 1 : (p, q) => Math.max(p, q)), Math.max(...a), Math.hypot(1, ...a)], [f64(1, 4, 9)]);
  same((a) => [Math.max(...a), Math.min(1, ...a, 2), Math.max(...a, ...a), Math.max(...[1, 2])], [f64(3, -0, 7)], [f64(0, -0)], [f64(NaN, 1)], [[]]);
  same((...v) => Math.max(...v), [1, 3, 2], []);
  same((x) => { const apply = (f, ...v) => f(...v); return [apply(Math.sqrt, x), apply(Math.max, x, 2, 1), apply(BigInt, 3)]; }, [4]);
  same((x) => [BigInt.asIntN(8, x), BigInt.asUintN(64, -x), BigInt(5), Number(x)], [300n]);
  same((x) => { const Math = { sqrt: (y) => y * 100 }; return Math.sqrt(x); }, [4]);
  same((x) => Number(), [4]);
});

test('arrays are made in all ways', () => {
  same((n) => [new Float64Array(n), new Array(n).fill(0), Array(n).fill(1), Array.from({ length: n }, (_, i) => i * i), new Array(1, 2), Array.of(n)], [3], [0]);
  same((a) => [Float32Array.from(a), Int8Array.from(a, (x, i) => x * i), Float64Array.of(1, ...a), new Int32Array([1, 2]), new Uint8Array(), Array.from(a), Array.from(a, (x) => -x)], [f64(1, 2, 3)]);
  same((n) => Float64Array.from({ length: n }, (_, i) => i / 2), [3]);
  same((n) => { const a = [1, , 3]; const m = [[1, 2], [3, 4]]; m[1][0] += n; return [a[1], m, [...a, ...m[1]]]; }, [3]);
  same((n) => Uint32Array.from({ length: n }), [3]);
  same((n) => { const p = [], q = []; p[0] = n; q[0] = p[0] * 2; p[1] = q[0] + (p[2] ?? 5); q[1] = p[1]; return [p, q, p.length]; }, [3]);
  same((n) => { const p = [1]; p[1] = p.length; p[2] = p.length; p[4] = 1; return p; }, [3]);
  same((n) => { const all = []; for (let i = 0; i < n; i++) { const p = []; p[0] = i; if (i > 1) continue; p[1] = i; all.push(p); } return all; }, [3]);
  assert.match(tree((n) => { const p = []; p[0] = n; p[1] = n; return p; }), /^ {2}p = \[undefined, undefined\]\n/);
});

test('arrays that grow, whatever is done to them', () => {
  same((n) => { const out = []; for (let i = 0; i < n; i++) out.push(i * i); return out; }, [0], [3], [100]);
  same((n) => { const out = [n]; for (let i = 0; i < n; i++) out[out.length] = i; out[0] = 7; return { out, n: out.length }; }, [0], [20]);
  same((n) => { const out = []; for (let i = 0; i < n; i++) out[i] = i; return [out, Float64Array.from(out), Math.max(...out), [...out, 1]]; }, [0], [20]);
  same((n) => { const stack = [n]; let s = 0; while (stack.length) { const k = stack.pop(); s += k; if (k > 1) stack.push(k >> 1, k - 2); } return s; }, [12]);
  same((n) => { const queue = [n]; let s = 0; while (queue.length > 0) { const k = queue.shift(); s = s * 3 + k; if (k > 1) queue.push(k - 1, k >> 1); } return [s % 1000, queue.shift(), queue.pop()]; }, [5]);
  same((a) => { const big = []; a.forEach((x) => { if (x > 1) big.push(x); }); big.sort((x, y) => y - x); return big; }, [f64(1, 3, 2, 9)]);
  same((a) => { const t = []; for (const x of a) { t.push(x); if (t.length === 2) t.length = 0; } return [t.length, t[0], t[5], t.map((x) => x + 1).concat(t)]; }, [f64(1, 2, 3)], [f64(1, 2)]);
  same((n) => { const out = [1, 2]; for (const x of out) { if (out.length < n) out.push(x + 1); } return out.filter((x) => x > 1).length; }, [9]);
  same((n) => { const rows = []; for (let i = 0; i < n; i++) { const row = []; for (let k = 0; k <= i; k++) row.push(k); rows.push(row.length); } return rows; }, [4]);
  same((n) => { const a = [3, n]; const b = a; b.push(1); return [a, a.sort()]; }, [5]);
  assert.throws(() => valueOf('(n) => { const a = []; a[0] = 1; for (let i = 0; i < n; i += 2) a[i] = i; return a }', [5]), /RangeError: .* there is none before 2/);
  assert.throws(() => build('(n) => { const a = []; a.push(n); a.forEach((x) => { a[0] = x; }); return a }'), /'a' is changed while a method goes over it/);
  assert.match(tree((n) => { const p = [1, 2]; p[0] = n; return p; }), /^ {2}p = \[1, 2\]\n/);
});

test('methods of arrays are the loops that the language says', () => {
  const arrays = [[f64(3, 1, NaN, 2, 1, -0)], [[]], [[1, 2, 3, 2]]];
  same((a) => a.map((x, i) => x * i), ...arrays);
  same((a) => { let s = 0; a.forEach((x, i, all) => { s += x * i + all.length; }); return s; }, ...arrays);
  same((a) => [a.filter((x) => x > 1), a.filter((x, i) => i & 1)], ...arrays);
  same((a) => [a.reduce((s, x, i) => s * 2 + x + i, 1), a.reduceRight((s, x, i) => s * 2 + x + i, 1)], ...arrays);
  same((a) => a.reduce((s, x) => s + x), ...arrays);
  same((a) => a.reduceRight((s, x) => s - x), ...arrays);
  same((a) => [a.some((x) => x > 2), a.every((x) => x > 0), a.find((x) => x < 2), a.findIndex((x) => x < 2), a.findLast((x) => x < 2), a.findLastIndex((x) => x > 2)], ...arrays);
  same((a) => [a.indexOf(1), a.indexOf(NaN), a.includes(NaN), a.includes(0), a.lastIndexOf(1), a.lastIndexOf(2)], ...arrays);
  for (const from of [0, 1, 3, 9, -1, -3, -9, 1.7, -1.2, NaN, undefined, Infinity, -Infinity]) {
    same((a, k) => [a.indexOf(1, k), a.includes(2, k), a.lastIndexOf(1, k)], ...arrays.map(([a]) => [a, from]));
  }
  same((a) => [a.toSorted((x, y) => y - x), a.toReversed(), a.at(-1), a], [f64(3, 1, 2)]);
  same((a) => { a.sort((x, y) => y - x).reverse(); return a.fill(7, 1, 2).slice(1); }, [f64(3, 1, 2)]);
  same((a) => [a.push(4), a.pop(), a.shift(), a.unshift(1, 2), a.splice(1, 1), a], [[3, 1, 2]]);
  same((a) => { const b = a.subarray(1); b[0] = 9; a.set(b, 0); a.copyWithin(1, 0); return [a, b]; }, [f64(3, 1, 2)]);
  same((a) => { let n = 0; const next = () => { n++; return a; }; return [next().map((x) => x + n), next().reduce((s, x) => s + x, n), n]; }, [[1, 2]]);
  same((a) => a.map((x) => { if (x > 1) return x; return -x; }).filter(Boolean), [[1, 2, 0]]);
  same((a) => a.concat([1], 2), [[1]]);
  same((a, f) => { const pick = a[0] > 1 ? (x) => x * 2 : (x, i) => i; return a.map(pick); }, [[1, 2]], [[2, 3]]);
  same((a) => { const seen = []; a.every((x, i) => (seen.push(i), i < 1)); a.some((x, i) => { seen.push(i + 10); return i > 0; }); return seen; }, [[1, 2, 3, 4]]);
});

test('destructuring in declarations and assignments', () => {
  same((a, b) => { const [p, q = 5] = [a, b]; let [x, , y] = [p + q, 1, p - q]; return x * y; }, [1, 2], [1]);
  same((o) => { const { a, b: { c, ...d } = { c: 1, e: 2 }, ['f']: g = 7, 'h': h } = o; return [a, c, d, g, h]; }, [{ a: 1 }], [{ b: { c: 3, k: 4 }, f: 5, h: 6 }]);
  same((a) => { var [x, y] = a, [p, ...r] = a; [a[0], ...a[1]] = [5, 6, 7]; return [x, y, p, r, a]; }, [[1, 2, 3]]);
  same((a) => { let x = 1, y = 2; [x, y] = [y, x]; [[x], { y }] = [[y], { y: x }]; return [x, y]; }, [1]);
  same((a) => { var x = 1, y = 2; var [x, y] = [y, x]; return [x, y]; }, [1]);
  same((a) => { const [] = a; const {} = a; [] = a; return a; }, [[1]]);
  same((a) => { const { 0: x, length } = a; return x + length; }, [[5]]);
  same((o) => { const f = ({ x = 1, y: [z = 2] = [] }) => x + z; return [f({}), f({ x: 5, y: [6] })]; }, [1]);
});

test('errors are thrown with their type and message', () => {
  same((x) => { throw new RangeError(`bad ${x + 1} of ${'y'}${x}`); }, [4]);
  same((x) => { if (x > 1) throw Error('a' + x + x * 2 + 'b' + (x + 1)); return x; }, [1], [4]);
  same((x) => { throw new TypeError; }, [4]);
  same((x) => { throw new Error(x); }, [4]);
  same((x) => { throw new Error(x + x + ' is ' + -0 + true); }, [4]);
  same((x) => { let i = 0; throw new Error(`${i++} ${i++} ${i}`); }, [4]);
  same((x) => { throw new SyntaxError('only text'); }, [4]);
  assert.throws(() => valueOf('(x) => { throw x }', [7]), (thrown) => thrown === 7);
});

test('captures: numbers, arrays, functions, objects of functions, compiled functions', () => {
  const k = 3;
  const table = f64(1, 2, 3);
  const helper = (x) => x * k + offset;
  const offset = 10;
  const lib = { math: { twice: (x) => x * 2 }, n: 5, table };
  const compiled = () => 'not called';
  remember(compiled, { origin: (x) => x * inner, capture: { inner: 7 } });
  const capture = { k, table, helper, offset, lib, compiled, sqrt: Math.sqrt, M: Math, big: 5n, yes: true, nothing: undefined };
  const check = (fn, ...args) => assert.deepEqual(evaluator(build(fn, { capture }))(...args), fn(...args));
  const inner = 7;
  const M = Math;
  const [nothing, yes] = [undefined, true];
  check((x) => x * k + helper(x), 2);
  check((x) => { let s = 0; for (const t of table) s += t * x; return s + table[1]; }, 2);
  check((x) => lib.math.twice(x) + lib.n + lib.table[2], 2);
  check((x) => { const { math } = lib; const m = lib.math; return math.twice(x) + m.twice(x); }, 2);
  check((x) => [M.abs(x), nothing, yes, Math.max(x)], -4);
  assert.equal(evaluator(build((x) => sqrt(x), { capture }))(16), 4);
  assert.equal(evaluator(build((x) => compiled(x) + 1, { capture }))(2), 15);
  assert.equal(evaluator(build(compiled))(2), 'not called');
  const even = (n) => (n === 0 ? 1 : odd(n - 1));
  const odd = (n) => (n === 0 ? 0 : even(n - 1));
  assert.equal(evaluator(build(even, { capture: { odd, even } }))(5), 0);
  assert.equal(evaluator(build(even, { capture: { odd } }))(4), 1);
  const fn = build((x) => table[0] + table[1] + x, { capture });
  assert.deepEqual(fn.captures.map(({ name, value, owner }) => [name, value === table, owner]), [['table', true, null]]);
});

test('code of compilers and minifiers', () => {
  same(new Function('t', 'e', 'var n,r=t.length,i=-1;if(null==e){for(;++i<r;)if(null!=(n=t[i])&&n>=n)for(;++i<r;)null!=t[i]&&n<t[i]&&(n=t[i])}else for(;++i<r;)if(null!=(n=e(t[i]))&&n>=n)for(;++i<r;)null!=(r=e(t[i]))&&n<r&&(n=r);return n'), [f64(1, 5, 3)], [[]]);
  same(new Function('t', 'return (t*=2)<=1?t*t:(t-=2)*(2-t)+2'), [0.2], [0.8]);
  same(new Function('a', '"use strict";debugger;;var b=!0,c=!1,d=void 0;return b&&!c?(d=a,d===void 0?1:d):0'), [3], [undefined]);
  same(new Function('a', 'for(var r=0,n=a.length,e=n;e--;)r+=a[e];return r/n'), [f64(1, 2, 6)]);
  same(new Function('a', 'var b=arguments.length>1&&void 0!==arguments[1]?arguments[1]:2;return a*b'), [3], [3, 4]);
  same(new Function('a', 'return a?1:a===0?2:a!==a?3:4'), ...numbers);
});

test('the tree is what is to be expected of simple functions', () => {
  assert.equal(tree((a, n) => { const k = 2; let s = 0; for (let i = 0; i < n; i++) s += a[i] * k; return s; }), [
    '  s = 0',
    '  i = 0',
    '  L0 loop for:',
    '    test i < n',
    '    body:',
    '      s = s + (a[i] * 2)',
    '    update:',
    '      i = increment i',
    '  return s',
  ].join('\n'));
  assert.equal(tree((a, i) => { a[i++] = a[i] + i--; const f = (x) => x * i; const y = f(3); return y; }), [
    '  old = numeric i',
    '  i = increment old',
    '  value = a[i]',
    '  old_1 = numeric i',
    '  i = decrement old_1',
    '  a[old] = value + old_1',
    '  y = call fn f(3)',
    '  return y',
    'function f(x) captures i:',
    '  return x * i',
  ].join('\n'));
});

test('programs over the whole language do the same as their trees', () => {
  for (const { name, fn, kinds, sets = setsOf(kinds ?? [], 40), capture } of programs) {
    assert.equal(firstDifference(evaluator(build(fn, { capture })), fn, sets), null, name);
  }
});

test('functions of npm packages do the same as their trees', () => {
  const wrap = (fn, capture) => {
    const wrapped = (...args) => fn(...args);
    remember(wrapped, { origin: fn, capture });
    return wrapped;
  };
  for (const { file, name, kinds, known } of rows) {
    const fn = functionOf(file, name);
    const run = evaluator(build(fn, { capture: captureOf(fn, wrap, known?.()) }));
    assert.equal(firstDifference(run, fn, setsOf(kinds, 20)), null, `${file} ${name}`);
  }
});
