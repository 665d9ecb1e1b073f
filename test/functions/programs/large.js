// Large functions that are called so often that they are compiled apart: what they are handed, change and give back.
'use strict';

const { arrays, oneOf, real, whole } = require('../support/values.js');

const wave = (/** @type {number} */ x) => {
  let s = x * 1.5 + Math.sin(x) / 3;
  if (s > 10) s -= Math.floor(s / 10) * 10;
  else if (s < -10) s = -s / 7;
  let t = s * s - 0.25 * s + 1 / (1 + s * s);
  for (let k = 0; k < 3; k++) t = (t + s / t) / 2;
  if (t !== t) return s;
  return t > 5 ? t - s : t + s * 0.125;
};

const root = (/** @type {number} */ x, /** @type {string} */ how, tolerance = 1e-6) => {
  if (x < 0) return how === 'strict' ? undefined : -1;
  let lo = 0;
  let hi = x < 1 ? 1 : x;
  for (let i = 0; i < 60 && hi - lo > tolerance; i++) {
    const middle = (lo + hi) / 2;
    const cube = how === 'cube' ? middle * middle * middle : middle * middle;
    if (cube > x) hi = middle;
    else lo = middle;
  }
  return how === 'round' ? Math.round((lo + hi) / 2) : (lo + hi) / 2;
};

const smooth = (/** @type {number[]} */ into, /** @type {number[]} */ from, /** @type {number} */ first, /** @type {number} */ step) => {
  let last = 0;
  for (let i = first; i < into.length; i += step) {
    const before = i > 0 ? from[i - 1] : from[i];
    const after = i + 1 < from.length ? from[i + 1] : from[i];
    const mean = (before + 2 * from[i] + after) / 4;
    into[i] = mean > 100 || mean < -100 ? 0 : mean;
    last = into[i] - last / 2;
  }
  return last;
};

const longer = (/** @type {number[]} */ a, /** @type {number[]} */ b, /** @type {number} */ limit) => {
  let x = 0;
  let y = 0;
  for (let i = 0; i < a.length && i < limit; i++) x += a[i] * a[i] - Math.abs(a[i]) / 2 + (a[i] > 3 ? 1 : 0);
  for (let i = 0; i < b.length && i < limit; i++) y += b[i] * b[i] - Math.abs(b[i]) / 2 + (b[i] > 3 ? 1 : 0);
  return x > y || (x === y && a.length > b.length) ? a : b;
};

const split = (/** @type {number} */ x, /** @type {number} */ unit) => {
  const times = Math.floor(x / unit);
  const rest = x - times * unit;
  const half = rest > unit / 2 ? 1 : rest < -unit / 2 ? -1 : 0;
  const scaled = (rest * 2 - half * unit) / (Math.abs(unit) + 1);
  return { whole: times, rest, parts: [half, scaled, half * scaled - (times > 0 ? 0.5 : -0.5)] };
};

const guarded = (/** @type {number} */ n, /** @type {number} */ least, /** @type {number} */ most) => {
  if (n < least) throw new RangeError(`${n} is below ${least}`);
  if (n > most) throw new RangeError(`${n} is above ${most}`);
  const middle = (least + most) / 2;
  const scaled = (n - middle) / (most - least + 1);
  const bent = scaled < 0 ? -scaled * scaled : scaled * scaled * scaled;
  return Math.trunc(bent * 1000) / 1000 + (n === middle ? 1 : n > middle ? 2 : 3);
};

const bigs = (/** @type {bigint} */ a, /** @type {bigint} */ b) => {
  let [x, y] = a > b ? [a, b] : [b, a];
  let rounds = 0n;
  while (y !== 0n) {
    const rest = x % y;
    x = y;
    y = rest < 0n ? -rest : rest;
    rounds += rest > 7n ? 2n : 1n;
  }
  return x * 100n + (rounds % 10n) * 10n + (a % 2n === 0n ? 1n : 0n) + (b % 3n === 0n ? 2n : 0n);
};

const kind = (/** @type {number | undefined} */ x, /** @type {boolean} */ strict) => {
  if (x === undefined) return strict ? undefined : false;
  const low = x - Math.floor(x);
  const isHalf = low > 0.4 && low < 0.6;
  const isNear = low <= 0.1 || low >= 0.9;
  if (strict && !isHalf && !isNear) return null;
  if (x * x > 50 && !strict) return x < 0 || isHalf;
  return isHalf || (isNear && x > 1) || (!isNear && x < -1 && !strict);
};

const pick = (/** @type {number[]} */ a, /** @type {number} */ i, /** @type {(x: number, y: number) => number} */ better) => {
  let best = a[i];
  let at = i;
  for (let k = i + 1; k < i + 4 && k < a.length; k++) {
    const test = better(a[k], best) + better(a[k] / 2, best / 2) * 0.5;
    if (test > 0 || (test === 0 && a[k] * a[k] < best * best)) {
      best = a[k];
      at = k;
    }
  }
  return at * 10 + (best > 0 ? 1 : best < 0 ? 2 : 3);
};

module.exports = [
  { fn: function waves(x, y) { return wave(x) + wave(y) * 2 + wave(x + y) - wave(x - y) / 3 + wave(1) + wave(wave(x)) + wave(-0) + wave(7 | x) + wave(x | y); }, capture: { wave }, kinds: [real, real] },
  { fn: function roots(x) { const a = root(x, 'strict'); const b = root(x, 'strict', 0.1); return [a === undefined ? -7 : a, b, root(x, 'cube'), root(2, 'round'), root(x * x, 'round'), root(x, ''), root(x, '', 0.5), root(-x, 'strict')]; }, capture: { root }, kinds: [real] },
  { fn: function smooths(a, b) { let s = smooth(a, b, 0, 1) + smooth(b, a, 1, 2); for (let i = 0; i < 3; i++) s += smooth(a, a, i, 1) * i; s += smooth(b, b, 0, 3) + smooth(a, b, 2, 2); const c = a.slice(); return s + smooth(c, a, 0, 1) + smooth(c, c, 1, 1) + smooth(a, c, 0, 2) + smooth(b, c, 0, 1); }, capture: { smooth }, kinds: [arrays(whole(-50, 50)), arrays(whole(-50, 50))] },
  { fn: function overlaps(a) { const b = a.subarray(1); return smooth(a, b, 0, 1) + smooth(b, a, 0, 1) + smooth(a, a, 0, 1) + smooth(b, b, 0, 2) + smooth(a, b, 1, 1) + smooth(b, a, 1, 2) + smooth(a, b, 2, 1) + smooth(b, a, 2, 1); }, capture: { smooth }, kinds: [arrays(whole(-50, 50))] },
  { fn: function returnsOneOf(a, b) { const c = longer(a, b, 5); c[0] = 77; const d = longer(a, c, 2); const e = longer(d, b, 9); e[1] = -3; const f = longer(longer(a, b, 1), longer(b, a, 2), 3); f[2] += 1; const g = new Float64Array(3); g[0] = 2; const h = longer(g, longer(a, g, 3), 3); h[0] -= 1; return longer(f, h, 4); }, capture: { longer }, kinds: [arrays(whole(-5, 9)), arrays(whole(-5, 9))] },
  { fn: function splits(x, y) { const a = split(x, 2); const b = split(y, 3); a.rest += 1; b.parts[1] = a.rest; const c = split(a.rest, 1); const d = split(b.whole, x > 0 ? 2 : 5); d.parts = c.parts; d.parts[0] = 9; let s = 0; for (let i = 0; i < 4; i++) { const e = split(i, y); e.whole++; s += e.whole + e.parts[2]; } const g = split(s, 7); const h = split(g.rest, 0.5); const k = split(h.rest + x, 4); s += split(x, 3).rest + split(y, 4).whole + split(x + y, 5).parts[0] + split(y - x, 6).parts[1] + split(s, 9).rest; return { a, b, c: c.parts, d: d.parts[0], s, k }; }, capture: { split }, kinds: [whole(-30, 30), oneOf(1, 2, 5, -3)] },
  { fn: function guards(n) { let s = 0; s += guarded(n, -1, 20) + guarded(n + 1, -1, 20) * 2 + guarded(n * 2, -5, 30); s += guarded(1, 0, 3) + guarded(n - 1, -3, 11) + guarded(n, -1, 12) + guarded(3 - n, -7, 4); return s + guarded(s, -1e3, 1e3) + guarded(n / 2, -1, 5) + guarded(n, -9, 40) + guarded(n + 2, -2, 33) + guarded(n * 3, -30, 99) + guarded(4, 3, 5); }, capture: { guarded }, kinds: [whole(-3, 14)] },
  { fn: function divisors(a, b) { let s = bigs(a, b); s += bigs(a + 6n, b * 2n) * 3n; s += bigs(a * a, b) - bigs(12n, a) + bigs(b, 18n); s += bigs(a - b, b) + bigs(s % 1000n, a); return s + bigs(a, a) + bigs(30n, 42n); }, capture: { bigs }, sets: [[12n, 18n], [7n, 3n], [100n, 75n], [1n, 1n]] },
  { fn: function kinds(a, x) { return [kind(a[0], true), kind(a[1], false), kind(a[2], true), kind(a[9], true), kind(x, false), kind(x * 2, true), kind(x + 0.5, false), kind(undefined, false), kind(a[99], false), kind(x, true)]; }, capture: { kind }, kinds: [arrays(real), real] },
  { fn: function picks(a, w) { const heavy = (x, y) => x * w - y; let calls = 0; const counting = (x, y) => { calls++; return x - y; }; let s = 0; for (let i = 0; i < 4; i++) s += pick(a, i, heavy) + pick(a, i, counting); return s + pick(a, 0, (x, y) => y - x) + pick(a, 1, heavy) * 2 + pick(a, 2, heavy) + pick(a, 1, counting) + pick(a, 3, Math.min) + calls * 1000; }, capture: { pick }, kinds: [arrays(whole(-9, 9)), real] },
  { fn: function indexes(a, n) { const at = (i, shift) => { const k = ((i + shift) % 7 + 7) % 7; const inside = k < a.length ? k : a.length - 1; const left = inside > 0 ? a[inside - 1] : 0; const right = inside + 1 < a.length ? a[inside + 1] : 0; return a[inside] * 2 + left - right + (a[i] === undefined ? 0.5 : a[i]); }; return at(n, 0) + at(n, 1) + at(n + 1, 0) * 2 + at(0, n) + at(1, n) + at(n, n) + at(-n, 3) + at(n * 2, 1) + at(2, 2) + at(n - 1, 5); }, kinds: [arrays(whole(-9, 9)), whole(-2, 9)] },
];
