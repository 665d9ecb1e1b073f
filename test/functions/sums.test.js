// Sums in loops: without overflow checks where nothing can overflow, of integers where all that is added is whole, and always
// what JavaScript gives.
'use strict';

require('../support/verify.js');
const assert = require('node:assert');
const { test } = require('node:test');

const { native } = require('../..');
const { firstDifference } = require('./support/same.js');

const M = 2n ** 63n;
const ints = (/** @type {any} */ Class, length = 100) => Class.from({ length }, (/** @type {any} */ _, /** @type {number} */ i) => (i * 7919) % 251 - (Class === Uint8Array ? 0 : 90));

/** The part of the text that runs where conditions hold, and that for all else. @param {any} f */
function partsOf(f) {
  const text = f.loops();
  const [fast, slow = ''] = text.slice(Math.max(text.indexOf('in_range_'), 0)).split('} else {');
  return { text, fast, slow };
}

/** @type {[string, Function, any[][]][]} */
const whole = [
  ['while', (/** @type {bigint} */ a) => { let s = 0n; let i = 0n; while (i <= a) { s += i; i++; } return s; }, [[10n], [-1n], [0n], [100000n]]],
  ['steps', (/** @type {bigint} */ a) => { let s = 0n; for (let i = 1n; i < a; i += 3n) s += i * i; return s; }, [[10n], [-1n], [3000n]]],
  ['downwards', (/** @type {bigint} */ a) => { let s = 0n; for (let i = a; i > 0n; i -= 2n) { s -= i; s += 5n; } return s; }, [[10n], [-7n], [3001n]]],
  ['several', (/** @type {bigint} */ a, /** @type {bigint} */ k) => { let [s, t, n] = [1n, k, 0n]; for (let i = 0n; i < a; i++) { s += i; t -= s; if (t < -50n) n++; } return [s, t, n]; }, [[10n, 3n], [1000n, -3n], [0n, 4n]]],
  ['nested', (/** @type {bigint} */ a) => { let s = 0n; for (let i = 0n; i < a; i++) for (let j = i; j < a; j++) s += i * j; return s; }, [[10n], [60n], [-3n]]],
  ['left early', (/** @type {bigint} */ a, /** @type {bigint} */ most) => { let s = 0n; let i = 0n; for (; i < a; i++) { s += i; if (s > most) break; if (s === 21n) return -s; } return s + i; }, [[100n, 50n], [100n, 15n], [3n, 50n]]],
];

for (const [name, fn, sets] of whole) {
  test(`overflows that cannot be are not looked for: ${name}`, () => {
    const f = native(/** @type {any} */ (fn), { cache: false });
    assert.strictEqual(firstDifference(/** @type {any} */ (fn), f, sets), null);
    const { fast, slow } = partsOf(f);
    assert.doesNotMatch(fast, /overflows/u);
    assert.match(slow, /overflows/u);
  });
}

test('beyond 64 bits a sum throws in the round that it did, and not before', () => {
  const fn = (/** @type {bigint} */ a, /** @type {bigint} */ by, /** @type {Float64Array} */ seen) => { let s = 0n; for (let i = 0n; i < a; i++) { seen[0]++; s += by; } return s; };
  const f = native(fn);
  for (const [a, by] of [[8n, 2n ** 60n], [7n, 2n ** 60n], [9n, 2n ** 60n], [8n, -(2n ** 60n)], [9n, -(2n ** 60n)], [2n, M - 1n], [1n, M - 1n], [0n, 5n], [5n, 2n ** 40n], [1000n, 2n ** 53n]]) {
    const [seen, here] = [new Float64Array(1), new Float64Array(1)];
    const want = fn(a, by, seen);
    if (want < M && want >= -M) assert.strictEqual(f(a, by, here), want);
    else assert.throws(() => f(a, by, here), { name: 'RangeError', message: /leaves 64 bits/u });
    assert.strictEqual(here[0], want < M && want >= -M ? seen[0] : 8 - Number(by === -(2n ** 60n) ? -1 : by === M - 1n ? 6 : 0));
  }
});

test('a counter throws at the end of its type', () => {
  const f = native((/** @type {bigint} */ from, /** @type {bigint} */ a) => { let n = 0n; let i = from; while (i <= a) { n += 2n; i++; } return n; });
  assert.strictEqual(f(M - 5n, M - 3n), 6n);
  assert.strictEqual(f(0n, 1000n), 2002n);
  assert.throws(() => f(M - 5n, M - 1n), RangeError);
  const steps = native((/** @type {bigint} */ a) => { let n = 0n; for (let i = 0n; i < a; i += 1n << 20n) n++; return n; });
  assert.strictEqual(steps(2n ** 22n + 1n), 5n);
  const near = native((/** @type {bigint} */ a) => { let n = 0n; for (let i = a; i < 9223372036854775807n; i += 1048576n) n++; return n; });
  assert.throws(() => near(M - 3n), RangeError);
});

test('sums of whole numbers are sums of integers', () => {
  /** @type {[Function, any[][]][]} */
  const rows = [
    [(/** @type {any} */ a) => { let s = 0; for (let i = 0; i < a.length; i++) s += a[i]; return s; }, [[ints(Uint8Array)], [ints(Uint8Array, 0)]]],
    [(/** @type {any} */ a) => { let s = 0; for (const x of a) s -= x; return s; }, [[ints(Int16Array)], [ints(Int16Array, 1)]]],
    [(/** @type {any} */ a, /** @type {any} */ b) => { let s = 0; for (let i = 0; i < a.length; i++) s += a[i] * b[i]; return s; }, [[ints(Int16Array), ints(Int16Array)], [ints(Int16Array), ints(Int16Array, 50)], [ints(Int16Array), ints(Int16Array, 200)]]],
    [(/** @type {number} */ a) => { let s = 0; for (let i = 0; i <= a; i++) s += i; return s; }, [[1000], [-5], [1000000]]],
    [(/** @type {any} */ a, /** @type {number} */ k) => { let s = 0; for (const x of a) s += x > k ? 1 : x < 0 ? -2 : 0; return s; }, [[ints(Int32Array), 20], [ints(Int32Array), NaN]]],
  ];
  for (const [fn, sets] of rows) {
    const f = native(/** @type {any} */ (fn), { threads: 1 });
    assert.strictEqual(firstDifference(/** @type {any} */ (fn), f, sets), null);
    assert.match(partsOf(f).fast, /let s(_\d)?: i64/u);
  }
});

test('sums that are not whole, or too great, stay doubles', () => {
  const fn = (/** @type {number} */ from, /** @type {number} */ n, /** @type {number} */ by) => { let s = from; for (let i = 0; i < n; i++) s += by; return [s, 1 / s]; };
  const f = native(fn, '(f64, f64, f64)');
  const numbers = [0, -0, 1, -1, 0.5, NaN, Infinity, 2 ** 53, 2 ** 53 - 2, -(2 ** 53), 2 ** 40, 1e300];
  const sets = numbers.flatMap((from) => numbers.flatMap((by) => [-1, 0, 1, 5, 2.5, NaN].map((n) => [from, n, by])));
  assert.strictEqual(firstDifference(fn, f, sets), null);
  const reset = (/** @type {number} */ x, /** @type {any} */ a) => { let s = 0; let t = 0; for (let k = 0; k < 3; k++) { s = x * k; for (const y of a) s += y; t += s; } return [s, t, 1 / s]; };
  assert.strictEqual(firstDifference(reset, native(reset), [[0.5, ints(Int32Array)], [-0, new Int32Array(2)], [-1, new Int32Array(0)], [3, ints(Int32Array, 3)]]), null);
  const negative = (/** @type {any} */ a, /** @type {number} */ i) => { let s = -a[i] * 0; for (const x of a) s += x; return 1 / s; };
  assert.strictEqual(firstDifference(negative, native(negative), [[ints(Int32Array), 0], [Int32Array.of(5), 1], [new Int32Array(0), 0]]), null);
});

test('a whole double that is indexed with later is what it was then', () => {
  const fn = (/** @type {any} */ a, /** @type {number} */ n, /** @type {number} */ from) => { let s = 0; let i = from; while (i < n) { const t = i; i++; s = s * 2 + a[t] + a[i]; const u = i * 2; i += 1; s += a[u]; } return [s, i, 1 / i]; };
  const sets = [[new Float64Array(9).fill(3), 4, 0], [new Float64Array(3).fill(3), 4, 0], [new Float64Array(9).fill(3), 4, 0.5], [new Float64Array(9).fill(3), 0, -0]];
  assert.strictEqual(firstDifference(fn, native(fn, '(f64[], f64, f64)'), sets), null);
  const twice = (/** @type {any} */ a, /** @type {number} */ n, /** @type {number} */ from) => { let s = 0; for (let k = 0; k < 2; k++) { let j = 0; while (j < n) { s += a[j]; j += 1; } j = from; while (j < n) { s += j; j += 1; } } return s; };
  assert.strictEqual(firstDifference(twice, native(twice, '(f64[], f64, f64)'), [[new Float64Array(9), 4, 0.5], [new Float64Array(9), 4, 1], [new Float64Array(9), 4, NaN]]), null);
});

test('what is counted in a loop is a place in range', () => {
  const fn = (/** @type {any} */ a, /** @type {any} */ out) => { let k = 0; for (let i = 0; i < a.length; i++) if (a[i] > 0) { out[k] = a[i]; k++; } return k; };
  const f = native(fn, { cache: false });
  assert.strictEqual(firstDifference(fn, f, [[ints(Int32Array), new Int32Array(100)], [ints(Int32Array), new Int32Array(5)], [ints(Int32Array, 0), new Int32Array(5)]]), null);
  assert.doesNotMatch(partsOf(f).fast, /if \(lt\(bitcast<u64>\(k/u);
});

/** Random numbers that are the same in each run. @param {number} seed */
function random(seed) {
  let state = seed;
  return (/** @type {number} */ n) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor(state / 65536) % n;
  };
}

/** A function that sums in random ways. @param {(n: number) => number} below @param {boolean} isBig */
function randomSums(below, isBig) {
  const pick = (/** @type {string[]} */ ...all) => all[below(all.length)];
  const z = (/** @type {number} */ x) => (isBig ? `${x}n` : `${x}`);
  const sums = ['s', 't', 'u'].slice(0, 1 + below(3));
  /** @type {(vars: string[], depth?: number) => string} */
  const value = (vars, depth = 2) => (depth === 0 || below(3) === 0 ? pick(...vars, z(below(5)), 'p', ...vars) : `(${value(vars, depth - 1)} ${pick('+', '-', '*', '+', '*')} ${value(vars, depth - 1)})`);
  const condition = (/** @type {string[]} */ vars) => `${value(vars, 1)} ${pick('<', '>', '<=', '===', '!==')} ${value(vars, 1)}`;
  const end = `return [${sums.join(', ')}, c];`;
  /** @type {(vars: string[], level: number) => string} */
  const statement = (vars, level) => {
    const s = pick(...sums);
    const d = below(3) === 0 ? (isBig ? 'a[c]' : `a[${pick(...vars)}]`) : value(vars);
    return [
      () => `${s} += ${d};`, () => `${s} -= ${d};`, () => `if (${condition(vars)}) ${s} += ${d};`, () => `${s} += ${condition(vars)} ? ${z(1)} : ${z(3)};`,
      () => (level < 2 ? loop(vars, level + 1) : `${s}++;`),
      () => `if (${pick(...sums)} > ${z(below(5000))}) ${pick('break', 'continue')};`, () => `o[c % 16] = ${isBig ? `BigInt.asIntN(64, ${s})` : s};`,
      () => (level > 1 ? `if (${condition(vars)}) break outer;` : `if (${condition(vars)}) { ${s} -= ${d}; }`),
    ][below(8)]();
  };
  /** @type {(vars: string[], level: number) => string} */
  const loop = (vars, level) => {
    const i = 'ijk'[level - 1];
    const inside = Array.from({ length: 1 + below(3) }, () => statement([...vars, i], level)).join(' ');
    const body = `c++; if (c > 2000) ${end} ${inside}`;
    const [label, bound] = [level === 1 ? 'outer: ' : '', pick('n', 'n', 'q', z(7), ...vars)];
    return [
      `${label}for (let ${i} = ${z(0)}; ${i} < ${bound}; ${i}++) { ${body} }`,
      `${label}for (let ${i} = p; ${i} <= ${bound}; ${i} += ${z(1 + below(3))}) { ${body} }`,
      `${label}for (let ${i} = ${bound}; ${i} > ${z(0)}; ${i} -= ${z(1 + below(2))}) { ${body} }`,
      `{ let ${i} = ${z(0)}; ${label}while (${i} < ${bound}) { ${i}++; ${body} } }`,
      `{ let ${i} = ${z(0)}; ${label}while (${i} <= ${bound}) { ${body.replaceAll('continue', 'break')} ${i}++; } }`,
    ][below(5)];
  };
  const inits = sums.map((s) => `let ${s} = ${pick(z(0), z(1), 'p', isBig ? '-5n' : '-0')};`).join(' ');
  return `(a, n, p, q, o) => { let c = 0; ${inits} ${loop(['p'], 1)} ${end} }`;
}

test('random sums are what JavaScript gives, or too great for 64 bits', () => {
  const below = random(11);
  const big = [[5n, 3n, 7n], [30n, 2n ** 20n, 9n], [10n, 2n ** 40n, 2n ** 35n], [12n, 2n ** 62n, 5n], [20n, -(2n ** 62n), -7n], [M - 1n, M - 5n, 3n]];
  const small = [[5, 3, 7], [30, 2 ** 20, 9], [10, 2 ** 40, 2 ** 35], [20, -(2 ** 52), -7], [7, -0, 3], [7.5, 0.5, 3], [6, 2 ** 53 - 4, 6], [1e300, 3, Infinity]];
  for (let k = 0; k < 24; k++) {
    const isBig = k % 2 === 0;
    const text = randomSums(below, isBig);
    const [fn, f] = [(0, eval)(text), native(/** @type {any} */ (text), { threads: 1 + (k & 2) / 2 })];
    for (const numbers of isBig ? big : small) {
      const [[a, o], [b, x]] = [0, 1].map(() => (isBig ? [BigInt64Array.from({ length: 16 }, (_, i) => BigInt(i * i - 20)), new BigInt64Array(16)] : [ints(Int32Array, 16), new Float64Array(16)]));
      const [want, got] = [[fn, a, o], [f, b, x]].map(([call, first, last]) => {
        try {
          return call(first, ...numbers, last);
        } catch (error) {
          return String(error);
        }
      });
      if (isBig && /64 bits/u.test(got)) continue;
      assert.deepStrictEqual([got, x], [want, o], `${text} of ${numbers}`);
    }
  }
});
