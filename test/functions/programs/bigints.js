// BigInts of 64 bits.
/* eslint-disable eqeqeq */
'use strict';

const { oneOf, whole } = require('../support/values.js');

const big = oneOf(0n, 1n, -1n, 2n, 7n, -13n, 255n, 2n ** 31n, -(2n ** 32n), 2n ** 53n + 1n, 2n ** 62n, -(2n ** 62n), 2n ** 63n - 1n, -(2n ** 63n));
const little = oneOf(0n, 1n, -1n, 5n, -7n, 100n, 12345n, 2n ** 20n, -(2n ** 21n));
const count = whole(0, 40, [1, 2]);
const sizes = oneOf(0, -0, 5, -5, 2 ** 53, 2 ** 63, -(2 ** 63), 2 ** 64, 2 ** 64 + 4096, -(2 ** 64) - 4096, 2 ** 70 + 2 ** 20, 1.5e19, -1.5e19, 1e300, -1e300, NaN, Infinity, 0.5);

module.exports = [
  { fn: function addBig(a, b) { return a + b; }, kinds: [little, little] },
  { fn: function mulBig(a, b) { return a * b - a; }, kinds: [little, little] },
  { fn: function divBig(a, b) { return a / b; }, kinds: [big, oneOf(1n, -3n, 7n, 2n ** 40n)] },
  { fn: function remBig(a, b) { return a % b; }, kinds: [big, oneOf(1n, -3n, 7n, 2n ** 40n, -1n)] },
  { fn: function divByZero(a) { return a / 0n; }, kinds: [little] },
  { fn: function remByZero(a, b) { return a % b; }, kinds: [little, oneOf(0n, 1n)] },
  { fn: function negBig(a) { return -a; }, kinds: [little] },
  { fn: function powBig(a, b) { return a ** b; }, kinds: [oneOf(0n, 1n, -1n, 2n, -3n, 10n), oneOf(0n, 1n, 2n, 5n, 10n)] },
  { fn: function bitsBig(a, b) { return [a & b, a | b, a ^ b, ~a]; }, kinds: [big, big] },
  { fn: function shiftBig(a, b) { return [a >> b, (a & 255n) << b]; }, kinds: [big, oneOf(0n, 1n, 7n, 31n, 33n, 50n)] },
  { fn: function shiftRightFar(a) { return [a >> 63n, a >> 64n, a >> 100n]; }, kinds: [big] },
  { fn: function compareBig(a, b) { return [a < b, a <= b, a > b, a >= b, a === b, a !== b, a == b]; }, kinds: [big, big] },
  { fn: function compareMixed(a, x) { return [a < x, a <= x, a > x, a == x, a != x, a === x]; }, kinds: [big, oneOf(0, -0, 1, 1.5, -7, 2 ** 53, 2 ** 63, -(2 ** 63), 1e300, NaN, Infinity, -Infinity)] },
  { fn: function truthyBig(a) { return a ? 1n : 2n; }, kinds: [big] },
  { fn: function asIntN(a, b) { return [BigInt.asIntN(64, a + b), BigInt.asIntN(64, a * b), BigInt.asIntN(32, a), BigInt.asIntN(8, b), BigInt.asIntN(1, a)]; }, kinds: [big, big] },
  { fn: function asUintN(a) { return [BigInt.asUintN(32, a), BigInt.asUintN(8, a), BigInt.asUintN(1, a), BigInt.asUintN(63, a)]; }, kinds: [big] },
  { fn: function wrapsConstants(a) { const c = BigInt.asIntN(64, 9007199254740993n * 12345678901n) * BigInt.asIntN(33, 1n); return BigInt.asIntN(64, 12345678901n + c) + a; }, kinds: [oneOf(0n, 1n)] },
  { fn: function wrapsExactly(a, b) { return BigInt.asIntN(64, BigInt.asIntN(64, a * b) + BigInt.asIntN(64, a << 3n)); }, kinds: [big, big] },
  { fn: function sumTo(a) { let s = 0n; for (let i = 0n; i <= a; i++) s += i; return s; }, kinds: [oneOf(0n, 1n, 10n, 1000n)] },
  { fn: function whileBig(a) { let s = 0n; let i = a; while (i > 0n) { s += i * i; i -= 1n; } return s; }, kinds: [oneOf(-5n, 0n, 1n, 10n, 1000n)] },
  { fn: function factorialBig(n) { let r = 1n; for (let i = 2n; i <= n; i++) r *= i; return r; }, kinds: [oneOf(0n, 1n, 5n, 20n)] },
  { fn: function overflowThrows(n) { let r = 1n; for (let i = 0n; i < n; i++) r *= 10n; return r; }, kinds: [oneOf(0n, 1n, 18n)] },
  { fn: function fibonacciBig(n) { let a = 0n, b = 1n; for (let i = 0; i < n; i++) [a, b] = [b, a + b]; return a; }, kinds: [whole(0, 90)] },
  { fn: function splitmix(seed, n) { let s = seed, z = 0n; for (let i = 0; i < n; i++) { s = BigInt.asUintN(64, s + 0x9e3779b97f4a7c15n); z = s; z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n); z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn); z ^= z >> 31n; } return z & 0xffffffffn; }, kinds: [oneOf(0n, 1n, 42n, 2n ** 40n), count] },
  { fn: function lcg64(seed, n) { let s = seed; for (let i = 0; i < n; i++) s = BigInt.asIntN(64, s * 6364136223846793005n + 1442695040888963407n); return s; }, kinds: [big, count] },
  { fn: function gcdBig(a, b) { while (b !== 0n) { const t = a % b; a = b; b = t; } return a < 0n ? -a : a; }, kinds: [little, little] },
  { fn: function powmodBig(base, exponent, m) { let r = 1n; base %= m; while (exponent > 0n) { if (exponent & 1n) r = (r * base) % m; base = (base * base) % m; exponent >>= 1n; } return r; }, kinds: [oneOf(2n, 3n, 12345n), oneOf(0n, 1n, 65537n, 1000n), oneOf(97n, 1000000007n)] },
  { fn: function toNumber(a) { return [Number(a), Number(a) / 2, Number(a & 0xffn)]; }, kinds: [big] },
  { fn: function toInt32(a) { return [Number(a) | 0, Number(a) >>> 0, Number(9007199254740993n) | 0, Math.fround(Number(a))]; }, kinds: [big] },
  { fn: function fromNumber(x) { return BigInt(x) + 1n; }, kinds: [oneOf(0, -0, 1, -5, 2 ** 40, 2 ** 53)] },
  { fn: function largeUnused(x) { const b = BigInt(x); BigInt(x * 2); return typeof b === 'bigint'; }, kinds: [sizes] },
  { fn: function largeReduced(x) { const b = BigInt(x); return [BigInt.asIntN(64, BigInt(x)), BigInt.asUintN(64, b), BigInt.asUintN(8, b * 3n + 1n), BigInt.asIntN(33, -b ^ (b << 3n)), BigInt.asUintN(64, ~b)]; }, kinds: [sizes] },
  { fn: function largeCompared(x, y) { const b = BigInt(x); return [b < 10n, 10n >= b, b === 5n, b == x, b === x, b > -1e20, b !== BigInt(y), BigInt(x) < BigInt(y), b == null, b == true, b ? 1 : 2, !b]; }, kinds: [sizes, sizes] },
  { fn: function largeAsNumber(x) { const b = BigInt(x); return [Number(b), 1 / Number(BigInt(x)), Boolean(b), typeof b === 'bigint']; }, kinds: [sizes] },
  { fn: function largeTested(x) { const b = BigInt(x); const f = () => b > 9223372036854775807n || b < -9223372036854775808n; if (f()) return -1n; return b; }, kinds: [sizes] },
  { fn: function largeInLoop(x) { const b = BigInt(x); let s = 0; for (let i = 0; i < 3; i++) if (b > BigInt(i)) s++; return s; }, kinds: [sizes] },
  { fn: function largeStored(x, v) { const b = BigInt(x); v[0] = b; v[1] = b * 3n; v[1] += b; return v[0] === v[1]; }, sets: [1e300, 5, -5, 2 ** 63, -(2 ** 64) - 4096, 1.5e19].flatMap((x) => [[x, new BigInt64Array(2)], [x, new BigUint64Array(2)]]) },
  { fn: function nothingToBig(x) { return BigInt(x) + 1n; }, kinds: [oneOf(undefined, null, true, 3, NaN, 0.5)] },
  { fn: function maybeToBig(x) { const y = x > 2 ? undefined : x > 1 ? null : x > 0 ? true : x; return BigInt(y); }, kinds: [oneOf(0, 1, 2, 3, -4)] },
  { fn: function neverToBig(x) { let y; if (x > 1) y = null; if (!y) return 1n; return BigInt(Math.trunc(y)) + (5n < y ? 1n : 2n); }, kinds: [oneOf(0, 2)] },
  { fn: function fromFraction(x) { return BigInt(Math.trunc(x)); }, kinds: [oneOf(0.5, -1.5, 1e10 + 0.25)] },
  { fn: function fromBoolean(x) { return BigInt(x > 1) + BigInt(x < 1) * 10n; }, kinds: [oneOf(0, 1, 2)] },
  { fn: function incrementBig(a) { let b = a++; b += ++a; a--; return [a, b--, b]; }, kinds: [little] },
  { fn: function elements(a) { let s = 0n; for (let i = 0; i < a.length; i++) { s ^= a[i]; a[i] = a[i] + 1n; } return s; }, sets: [[BigInt64Array.of(1n, -5n, 2n ** 40n)], [new BigInt64Array(0)]] },
  { fn: function elementsWrap(a) { for (let i = 0; i < a.length; i++) a[i] = BigInt.asIntN(64, a[i] * 3n); return a[0]; }, sets: [[BigInt64Array.of(2n ** 62n, -(2n ** 62n), 5n)]] },
  { fn: function unsignedElements(a) { let n = 0; for (let i = 0; i < a.length; i++) { if (a[i] > 10n) n++; a[i] >>= 1n; } return n; }, sets: [[BigUint64Array.of(1n, 20n, 2n ** 50n)]] },
  { fn: function typeofBig(a) { return typeof a === 'bigint' ? 1 : 0; }, sets: [[1n], [1]] },
  { fn: function unsignedBits(a) { return [a[0] | -1n, a[0] & -2n, ~a[1], a[1] ^ -1n, BigInt.asIntN(64, ~a[0]), BigInt.asUintN(64, a[0] ^ -1n)]; }, sets: [[BigUint64Array.of(2n ** 63n, 5n)], [BigUint64Array.of(5n, 2n ** 63n - 1n)]] },
];
