// Functions inside functions, closures, recursion, parameters, structs and several results.
/* eslint-disable no-shadow, prefer-const */
'use strict';

const { arrays, oneOf, real, record, whole } = require('../support/values.js');

const n = whole(-2, 12, [0, 1, 2, 3]);
const list = arrays(whole(-5, 9));
const point = record({ x: real, y: real });

module.exports = [
  { fn: (a, b) => a * 2 + b, name: 'arrow', kinds: [real, real] },
  { fn: (a) => { const b = a + 1; return b * b; }, name: 'arrowWithBlock', kinds: [real] },
  { fn: a => a - 1, name: 'arrowWithoutParentheses', kinds: [real] },
  { fn: Object(function (a) { return a / 2; }), name: 'anonymous', kinds: [real] },
  { fn: { method(a, b) { return a ** b; } }.method, name: 'method', kinds: [real, real] },
  { fn: { 'odd name'(a) { return a + 1; } }['odd name'], name: 'methodWithOddName', kinds: [real] },
  { fn: (class { static twice(a) { return a * 2; } }).twice, name: 'staticMethod', kinds: [real] },
  { fn: function defaults(a, b = 2, c = a + b) { return a * 100 + b * 10 + c; }, sets: [[1], [1, 5], [1, 5, 9], [1, undefined, 9]] },
  { fn: function missing(a, b) { return a + (b === undefined ? 10 : b); }, sets: [[1], [1, 2]] },
  { fn: function tooMany(a) { return a; }, sets: [[1, 2, 3]] },
  { fn: function counts() { return arguments.length; }, sets: [[], [1], [1, undefined], [1, 2, 3]] },
  { fn: function numbered(a) { return arguments.length > 1 && arguments[1] !== undefined ? arguments[1] : a; }, sets: [[1], [1, 5], [1, undefined]] },
  { fn: function countsInner(a) { function g(x, y) { return arguments.length * x + (y === undefined ? 0 : y); } return g(a) + g(a, 1) * 10 + g(a, 2, 3) * 100; }, kinds: [real] },
  { fn: function countsRecursive(k) { return arguments.length < 2 ? countsRecursive(k, 1) + 1 : k <= 0 ? 0 : countsRecursive(k - 1, 2) + countsRecursive(k - 1); }, kinds: [whole(-1, 6)] },
  { fn: function inner(a) { function square(x) { return x * x; } return square(a) + square(a + 1); }, kinds: [real] },
  { fn: function hoistedInner(a) { return later(a) * 2; function later(x) { return x + 1; } }, kinds: [real] },
  { fn: function closes(a, b) { const scale = (x) => x * a; const shift = (x) => scale(x) + b; return shift(3) - shift(scale(1)); }, kinds: [real, real] },
  { fn: function closureSets(a) { let count = 0; const tick = (by) => { count += by; return count; }; tick(a); tick(2); return count * 10 + tick(1); }, kinds: [n] },
  { fn: function closureOverLoop(a) { let s = 0; for (let i = 0; i < a; i++) { const f = (x) => x * i; s += f(i + 1); } return s; }, kinds: [n] },
  { fn: function closureSeesLater(a) { let k = 1; const f = () => k * a; const before = f(); k = 5; return before * 100 + f(); }, kinds: [n] },
  { fn: function closureOverArray(a, at) { const get = (i) => a[i]; const set = (i, x) => { a[i] = x; }; set(at, 7); return get(at) + get(0); }, kinds: [list, whole(-1, 6)] },
  { fn: function passesFunction(a) { const apply = (f, x) => f(f(x)); return apply((x) => x * a + 1, 2) + apply((x) => x - a, 3); }, kinds: [real] },
  { fn: function returnsFunction(a) { const adder = (k) => (x) => x + k; const plus = adder(a), minus = adder(-a); return plus(1) * minus(2); }, kinds: [real] },
  { fn: function integrate(lo, hi) { const f = (x) => Math.sin(x) * x; const simpson = (g, a, b, steps) => { const h = (b - a) / steps; let s = g(a) + g(b); for (let i = 1; i < steps; i++) s += g(a + i * h) * (i % 2 ? 4 : 2); return (s * h) / 3; }; return simpson(f, lo, hi, 20); }, kinds: [oneOf(0, 1, -1), oneOf(2, 3.5)] },
  { fn: function factorial(n) { return n <= 1 ? 1 : n * factorial(n - 1); }, kinds: [whole(-1, 25)] },
  { fn: function fibonacci(n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }, kinds: [whole(0, 15)] },
  { fn: function ackermann(m, n) { return m === 0 ? n + 1 : n === 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }, kinds: [whole(0, 2), whole(0, 6)] },
  { fn: function mutual(n) { const even = (k) => (k === 0 ? true : odd(k - 1)); const odd = (k) => (k === 0 ? false : even(k - 1)); return even(n) ? 1 : 0; }, kinds: [whole(0, 30)] },
  { fn: function mutualNumbers(n) { function f(x) { return x <= 0 ? 1 : x - g(f(x - 1)); } function g(x) { return x <= 0 ? 0 : x - f(g(x - 1)); } return f(n) * 100 + g(n); }, kinds: [whole(0, 12)] },
  { fn: function recursesOverArray(a) { const sum = (lo, hi) => { if (hi - lo < 1) return 0; if (hi - lo === 1) return a[lo]; const mid = (lo + hi) >> 1; return sum(lo, mid) + sum(mid, hi); }; return sum(0, a.length); }, kinds: [list] },
  { fn: function quicksort(a) { const sort = (lo, hi) => { if (lo >= hi) return; const pivot = a[(lo + hi) >> 1]; let i = lo, j = hi; while (i <= j) { while (a[i] < pivot) i++; while (a[j] > pivot) j--; if (i <= j) { const t = a[i]; a[i] = a[j]; a[j] = t; i++; j--; } } sort(lo, j); sort(i, hi); }; sort(0, a.length - 1); return a; }, kinds: [list] },
  { fn: function hanoi(n) { let moves = 0; const move = (k, from, to) => { if (k <= 0) return; move(k - 1, from, 6 - from - to); moves = moves * 3 % 1000003 + from - to; move(k - 1, 6 - from - to, to); }; move(n, 1, 3); return moves; }, kinds: [whole(0, 8)] },
  { fn: function destructuresArray(a, b) { const [x, y = 5] = [a, b]; let [p, , q] = [x + y, 1, x - y]; return p * q; }, kinds: [real, real] },
  { fn: function destructuresObject(a, b) { const { x, y: z, w = 3 } = { x: a + 1, y: b + 2 }; return x * z - w; }, kinds: [real, real] },
  { fn: function destructuresNested(a) { const { p: { q }, r: [s, t] } = { p: { q: a }, r: [a + 1, a + 2] }; return q * s - t; }, kinds: [real] },
  { fn: function destructuresParameters({ x, y }, [u, v] = [1, 2]) { return x * u + y * v; }, sets: [[{ x: 3, y: 4 }], [{ x: 3, y: -0.5 }, [5, 6]]] },
  { fn: function rest(a, b) { const [first, ...others] = [a, b, a + b]; return first + others[0] * others[1] + others.length; }, kinds: [real, real] },
  { fn: function struct(a, b) { const p = { x: a, y: b }; p.x += 1; p.y = p.x * 2; const q = p; q.x = 5; return p.x + p.y; }, kinds: [real, real] },
  { fn: function structOfStructs(a) { const line = { from: { x: 0, y: a }, to: { x: a, y: 1 } }; line.from.x = line.to.x * 2; const { from, to } = line; return Math.hypot(to.x - from.x, to.y - from.y); }, kinds: [real] },
  { fn: function structInLoop(n) { let p = { a: 0, b: 1 }; for (let i = 0; i < n; i++) p = { a: p.b, b: p.a + p.b }; return p.a; }, kinds: [n] },
  { fn: function complexPower(re, im) { const mul = (a, b) => ({ re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re }); let z = { re: 1, im: 0 }; const w = { re, im }; for (let i = 0; i < 5; i++) z = mul(z, w); return z.re - z.im; }, kinds: [real, real] },
  { fn: function structParameter(p, k) { return p.x * k + p.y; }, kinds: [point, real] },
  { fn: function fixedArray(a, i) { const t = [a, a * 2, a * 3, 7]; t[1] += 5; t[i] = 9; return t[0] + t[1] * 10 + t[2] * 100 + t[3] * 1000 + t.length; }, kinds: [real, whole(0, 3)] },
  { fn: function fixedArrayReads(i) { const t = [1.5, 2.5, -3.5]; return t[i]; }, kinds: [whole(-1, 4)] },
  { fn: function fixedTable(i) { const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]; let s = 0; for (let m = 0; m < i; m++) s += days[m]; return s; }, kinds: [whole(0, 12)] },
  { fn: function arrayOfArrays(a) { const m = [[1, a], [a, 2]]; return m[0][0] * m[1][1] - m[0][1] * m[1][0]; }, kinds: [real] },
  { fn: function arrayOfStructs(a) { const points = [{ x: 0, y: a }, { x: 1, y: a * 2 }, { x: 2, y: 5 }]; let s = 0; for (let i = 0; i < 3; i++) s += points[i].x * points[i].y; return s; }, kinds: [real] },
  { fn: function forOfFixed(a) { let s = 0; for (const x of [1, a, 3]) s = s * 2 + x; return s; }, kinds: [real] },
  { fn: function returnsArray(a, b) { return [a + b, a - b, a * b]; }, kinds: [real, real] },
  { fn: function returnsObject(a, b) { return { sum: a + b, isLess: a < b, nested: a / b }; }, kinds: [real, real] },
  { fn: function returnsNested(a) { return { p: [a, a + 1], q: { r: -a } }; }, kinds: [real] },
  { fn: function returnsBoolean(a, b) { return a > b; }, kinds: [real, real] },
  { fn: function returnsAnd(a, b) { return a > 1 && b < 2; }, kinds: [real, real] },
  { fn: function returnsInts(a) { return [a | 0, a >>> 0, a < 0, Math.fround(a)]; }, kinds: [real] },
  { fn: function severalReturns(a) { if (a > 1) return [a, 1]; if (a < 0) return [0, a]; return [1.5, -a]; }, kinds: [real] },
  { fn: function innerResults(a, b) { const divmod = (x, y) => [Math.floor(x / y), x % y]; const [q, r] = divmod(a, b); return q * b + r; }, kinds: [real, real] },
  { fn: function innerObjects(a) { const polar = (x, y) => ({ r: Math.hypot(x, y), t: Math.atan2(y, x) }); const { r, t } = polar(a, 2); return r * Math.cos(t); }, kinds: [real] },
  { fn: function minMaxOf(data) { let min = Infinity, max = -Infinity; for (const x of data) { if (x < min) min = x; if (x > max) max = x; } return { min, max, range: max - min }; }, kinds: [list] },
  { fn: function arrayAndNumber(data) { const out = new Float64Array(data.length); let s = 0; for (let i = 0; i < data.length; i++) { s += data[i]; out[i] = s; } return { total: s, sums: out }; }, kinds: [list] },
  { fn: function iife(a) { return (() => { let s = 0; for (let i = 0; i < 3; i++) s += a * i; return s; })() + ((x) => x + 1)(a); }, kinds: [real] },
  { fn: function shadows(a) { const f = (a) => a + 1; const g = function (b) { let a = b * 2; return a; }; return f(g(a)) + a; }, kinds: [real] },
  { fn: function differentTypes(a) { const half = (x) => x / 2; return half(3) + half(a) + half(a > 1 ? 1 : 0) + half(7 | 0); }, kinds: [real] },
  { fn: function innerTypes(a) { const pick = (x, y, z) => (x ? y : z); return pick(a > 0, 1, 2) + pick(a, 0.5, a) + (pick(true, 3, 4) | 0); }, kinds: [real] },
  { fn: function reassignsParameter(a, b) { a = a + b; b = a * 2; if (a > b) a = b - 1; return a - b; }, kinds: [real, real] },
  { fn: function captured(x) { return scale * x + table[x & 3] + helper(x); }, capture: { scale: 2.5, table: [1, 2, 4, 8], helper: (x) => x * x - 1 }, kinds: [real] },
  { fn: function capturedArray(x) { return weights[0] * x + weights[x] + weights.length; }, capture: { weights: Float64Array.of(1, 2, 3) }, kinds: [oneOf(0, 1, 2, 3, -1, 0.5)] },
  { fn: function capturedObject(x) { return options.scale * x + options.offset.y; }, capture: { options: { scale: 3, offset: { y: 1 } } }, kinds: [real] },
  { fn: function capturedRecursion(k) { return even(k) ? 1 : 0; }, capture: { even: (k) => (k === 0 ? true : odd(k - 1)), odd: (k) => (k === 0 ? false : even(k - 1)) }, kinds: [whole(0, 20)] },
  { fn: function restInLoops(k, ...xs) { let s = k; for (const x of xs) s += x; for (let i = 0; i < xs.length; i++) s = s * xs[i] + i; return [s, xs.length, xs.reduce((a, b) => a + b, 0)]; }, sets: [[1], [1, 2], [1.5, 2, 3, 4]] },
  { fn: function restOfBooleans(...xs) { let s = 0; for (const x of xs) if (x === true) s++; return s; }, sets: [[], [true, false, true]] },
  { fn: function restInside(a, b) { const sum = (...v) => { let s = 0; for (const x of v) s += x; return s; }; return sum(a, b) + sum(a) * sum(a, b, a); }, sets: [[1, 2], [1.5, -3]] },
  { fn: function spreadsObjects(o, n) { const p = { z: 0, ...o, y: 3, x: o.x + n }; return { ...p, ...(n > 2 ? { q: 1 } : { q: n }), ...undefined, z: p.z + 1 }; }, sets: [[{ x: 1, y: 2 }, 1], [{ y: 4, x: 2, w: 7 }, 3]] },
  { fn: function spreadsState(n) { let s = { i: 0, sum: 0 }; for (let i = 0; i < n; i++) s = { ...s, i, sum: s.sum + i }; return s; }, sets: [[0], [5]] },
  { fn: function spreadsInOrder(n) { let c = n; const f = () => ({ a: ++c, b: ++c }); const o = { a: 1 }; return { ...o, b: (o.a = ++c), ...f(), c: ++c, ...o, ...[c, 7] }; }, sets: [[0], [2.5]] },
  { fn: function mutualThrough(n, k) { const f = (a, d) => (d > 0 ? g(a, d - 1) : a); const g = (a, d) => f(a, d) + a; return f(n, k); }, kinds: [real, whole(-1, 5)] },
  { fn: function listHandedOn(a) { const xs = []; for (const x of a) xs.push(x * 1.5); const mean = (v) => { let s = 0; for (const x of v) s += x; return s / v.length; }; function spread(v, m) { return Math.sqrt(v.reduce((s, x) => s + (x - m) ** 2, 0) / v.length); } const m = mean(xs); xs.push(m); return [m, spread(xs, m), xs]; }, kinds: [list] },
  { fn: function listIntoArrays(a) { const xs = []; for (const x of a) xs.push(x, x + 1); const b = Float64Array.from(xs), c = new Float64Array(30); c.set(xs, 2); xs.push(7); return [b, c, xs, Uint8Array.from(xs, (x) => x * 2), Array.from(xs)]; }, kinds: [list] },
  // Objects or nothing.
  { fn: function foundOrNull(v) { const f = (x) => { if (x <= 0) return null; if (x > 3) return { t: 1, u: x }; return { t: x, u: 7 }; }; const h = f(v); const g = f(v - 1); if (h === null) return null; return { sum: h.t + h.u, g, t: g?.t ?? -1, or: (f(v - 2) || { t: -5, u: 0 }).t, and: g && g.u, not: !g }; }, kinds: [real] },
  { fn: function pairOrUndefined(v) { if (v > 1) return [v, v > 2]; return undefined; }, kinds: [n] },
  { fn: function foundOrThrows(v, w) { const f = (x) => (x > 1 ? { t: x } : w > 5 ? null : null); const o = f(v); if (w > 2) o.t = w; return o.t + f(w).t; }, kinds: [n, n] },
  { fn: function bestSoFar(a) { let best = null; for (let i = 0; i < a.length; i++) for (let j = i + 1; j < a.length; j++) { const d = Math.abs(a[i] - a[j]); if (best === null || d < best.d) best = { d, pair: [i, j] }; } return best; }, kinds: [list] },
  { fn: function lastThree(a) { let p2 = null, p1 = null, s = 0; for (const x of a) { const cur = { x, y: x * 2 }; if (p1) p1.x += 10; if (p2 && p1) s += cur.x * p1.y - p2.x; p2 = p1; p1 = cur; } return [s, p1, p2]; }, kinds: [list] },
  { fn: function stateOrNull(v) { let s = null; for (let i = 0; i < v; i++) s = s ? { c: s.c + 1, l: i } : { c: 1, l: -1 }; let down = { v }; let t = 0; while (down) { t += down.v; down = down.v > 0 ? { v: down.v - 1 } : null; } return [s, t, down]; }, kinds: [n] },
  { fn: function namesOrNull(v) { const o = { t: 1 }; const h = v > 1 ? o : null, g = v > 2 ? o : undefined; if (h) h.t = v; return [h === g, Object.is(h, g), h === o, g !== h, o.t, Boolean(h), h !== null && h.t > 3]; }, kinds: [n] },
  { fn: function fieldOrNull(a) { const st = { best: null, n: 0 }; for (const x of a) { st.n++; if (!st.best || st.best.x < x) st.best = { x, at: st.n }; } return [st, st.best ? st.best.at : 0, a.length > 3 ? [a[0]] : null]; }, kinds: [list] },
  { fn: function argumentOrNull(o, v) { o.last = v > 2 ? { v } : null; return v > 1 ? o : null; }, sets: [0, 2, 3].map((v) => [{ x: 1, last: 0 }, v]) },
  { fn: function arraysOrNull(a) { let r = null; for (let i = 0; i < 4; i++) { const w = a.slice(0, i); if (!r || w.length > 1) { const old = r; r = { w, s: old ? old.w.length + old.s : 0 }; } } return a.length > 1 ? r : undefined; }, kinds: [list] },
  { fn: function closuresOfNothing(v) { let best = null; const see = (x) => { if (!best || x > best.x) best = { x, c: best ? best.c + 1 : 1 }; }; for (let i = 0; i < v; i++) see((i * 7) % 5); const read = () => (best ? best.x : 0); return [read() + read(), best]; }, kinds: [n] },
  { fn: function recursionOrNull(v) { const f = (k) => { if (k <= 0) return null; const r = f(k - 1); return { d: r ? r.d + 1 : 1, k }; }; return f(v); }, kinds: [n] },
  { fn: function wideOrNull(v) { const o = v > 1n ? { v, w: v > 2n } : null; return o; }, sets: [[0n], [2n], [2n ** 62n]] },
];

/* The helpers that captures name; the functions above find them here when V8 runs them. */
const scale = 2.5;
const table = [1, 2, 4, 8];
const helper = (/** @type {number} */ x) => x * x - 1;
const weights = Float64Array.of(1, 2, 3);
const options = { scale: 3, offset: { y: 1 } };
const even = (/** @type {number} */ k) => (k === 0 ? true : odd(k - 1));
const odd = (/** @type {number} */ k) => (k === 0 ? false : even(k - 1));
