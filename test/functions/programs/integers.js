// Integer code: hashes, generators and counters that live from wrapping exactly as JavaScript does.
'use strict';

const { arrays, oneOf, whole } = require('../support/values.js');

const word = oneOf(0, 1, -1, 7, 123456789, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 32 - 1, 2 ** 32 + 1);
const bytes = arrays(whole(0, 255), { type: Uint8Array });
const count = whole(0, 70, [1, 2]);
const wider = oneOf(0, -0, 1, -1, 3, 2 ** 31 - 1, -(2 ** 31), 2 ** 40, 0.5, -2.5, NaN, Infinity, -Infinity);
const edges = [0, -0, 1, 2, 6, 0.5, NaN, Infinity, -Infinity, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 1e300].map((x) => [x]);

module.exports = [
  { fn: function wraps(a, b) { return (a + b) | 0; }, kinds: [word, word] },
  { fn: function wrapsTwice(a, b) { let x = a | 0; x = (x + b) | 0; x = (x - 7) | 0; x = (x * 3) | 0; return x; }, kinds: [word, word] },
  { fn: function inexactProduct(a, b) { return ((a | 0) * (b | 0)) | 0; }, kinds: [word, word] },
  { fn: function divisionToInt(a, b) { return ((a | 0) / (b | 0)) | 0; }, kinds: [word, word] },
  { fn: function unsignedDivision(a, b) { return ((a >>> 0) / (b >>> 0)) >>> 0; }, kinds: [word, word] },
  { fn: function doesNotWrap(n) { let x = 2147483647; for (let i = 0; i < n; i++) x = x + 1; return x; }, kinds: [count] },
  { fn: function counterWraps(n) { let x = 2147483640; for (let i = 0; i < n; i++) x = (x + 1) | 0; return x; }, kinds: [count] },
  { fn: function xorshift(seed, n) { let x = seed | 0; for (let i = 0; i < n; i++) { x ^= x << 13; x ^= x >>> 17; x ^= x << 5; } return x >>> 0; }, kinds: [word, count] },
  { fn: function mulberry(seed, n) { let s = seed | 0, r = 0; for (let i = 0; i < n; i++) { s = (s + 0x6d2b79f5) | 0; let t = Math.imul(s ^ (s >>> 15), 1 | s); t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t; r += ((t ^ (t >>> 14)) >>> 0) / 4294967296; } return r; }, kinds: [word, count] },
  { fn: function lcg(seed, n) { let s = seed >>> 0; for (let i = 0; i < n; i++) s = (Math.imul(s, 1664525) + 1013904223) >>> 0; return s; }, kinds: [word, count] },
  { fn: function inexactLcg(seed, n) { let s = seed; for (let i = 0; i < n; i++) s = (s * 1103515245 + 12345) % 2147483648; return s; }, kinds: [word, count] },
  { fn: function fnv(data) { let h = 0x811c9dc5; for (let i = 0; i < data.length; i++) { h ^= data[i]; h = Math.imul(h, 0x01000193); } return h >>> 0; }, kinds: [bytes] },
  { fn: function adler(data) { let a = 1, b = 0; for (const byte of data) { a = (a + byte) % 65521; b = (b + a) % 65521; } return ((b << 16) | a) >>> 0; }, kinds: [bytes] },
  { fn: function crc(data) { let c = -1; for (let i = 0; i < data.length; i++) { c ^= data[i]; for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1; } return ~c >>> 0; }, kinds: [bytes] },
  { fn: function murmur(data, seed) { let h = seed | 0; let i = 0; for (; i + 4 <= data.length; i += 4) { let k = data[i] | (data[i + 1] << 8) | (data[i + 2] << 16) | (data[i + 3] << 24); k = Math.imul(k, 0xcc9e2d51); k = (k << 15) | (k >>> 17); h ^= Math.imul(k, 0x1b873593); h = (h << 13) | (h >>> 19); h = (Math.imul(h, 5) + 0xe6546b64) | 0; } h ^= data.length; h ^= h >>> 16; return h >>> 0; }, kinds: [bytes, word] },
  { fn: function popcount(x) { let v = x >>> 0, n = 0; while (v !== 0) { v &= v - 1; n++; } return n; }, kinds: [word] },
  { fn: function popcountParallel(x) { x = x - ((x >>> 1) & 0x55555555); x = (x & 0x33333333) + ((x >>> 2) & 0x33333333); return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24; }, kinds: [word] },
  { fn: function reverseBits(x) { let r = 0; for (let i = 0; i < 32; i++) { r = (r << 1) | (x & 1); x >>>= 1; } return r >>> 0; }, kinds: [word] },
  { fn: function rotate(x, n) { return ((x << n) | (x >>> (32 - n))) >>> 0; }, kinds: [word, count] },
  { fn: function isqrt(n) { let x = n >>> 0, r = 0, b = 1 << 30; while (b > x) b >>= 2; while (b !== 0) { if (x >= r + b) { x -= r + b; r = (r >> 1) + b; } else r >>= 1; b >>= 2; } return r; }, kinds: [whole(0, 2 ** 30, [1, 2, 3, 4, 15, 16, 17])] },
  { fn: function collatz(n) { let steps = 0; while (n !== 1 && steps < 500) { n = n % 2 === 0 ? n / 2 : 3 * n + 1; steps++; } return steps; }, kinds: [whole(1, 10000, [1, 2, 27, 97])] },
  { fn: function collatzInts(n) { let x = n | 0, steps = 0; while (x > 1) { x = x & 1 ? (3 * x + 1) | 0 : x >> 1; steps = (steps + 1) | 0; } return steps; }, kinds: [whole(1, 10000, [1, 2, 27, 97])] },
  { fn: function fibonacci(n) { let a = 0, b = 1; for (let i = 0; i < n; i++) { const t = a + b; a = b; b = t; } return a; }, kinds: [whole(0, 100)] },
  { fn: function fibonacciWrapped(n) { let a = 0, b = 1; for (let i = 0; i < n; i++) [a, b] = [b, (a + b) | 0]; return a; }, kinds: [whole(0, 100)] },
  { fn: function gcd(a, b) { while (b) [a, b] = [b, a % b]; return a; }, kinds: [whole(-100, 100), whole(-100, 100)] },
  { fn: function powmod(base, exponent, m) { let r = 1; base %= m; while (exponent > 0) { if (exponent & 1) r = (r * base) % m; base = (base * base) % m; exponent >>= 1; } return r; }, kinds: [whole(1, 1000), whole(0, 50), whole(2, 9999)] },
  { fn: function isPrime(n) { if (n < 2) return false; for (let d = 2; d * d <= n; d++) if (n % d === 0) return false; return true; }, kinds: [whole(-2, 2000, [2, 3, 4, 25, 49])] },
  { fn: function primes(n) { const composite = new Uint8Array(n + 1); let found = 0; for (let i = 2; i <= n; i++) { if (composite[i]) continue; found++; for (let j = i * i; j <= n; j += i) composite[j] = 1; } return found; }, kinds: [whole(0, 500, [1, 2, 3, 4])] },
  { fn: function zigzag(n) { return [(n << 1) ^ (n >> 31), (n >>> 1) ^ -(n & 1)]; }, kinds: [word] },
  { fn: function average(a, b) { return [(a + b) >> 1, (a & b) + ((a ^ b) >> 1), (a + b) >>> 1]; }, kinds: [word, word] },
  { fn: function toUnsignedAndBack(a) { let u = a >>> 0; u -= 1; u >>>= 0; const back = u | 0; return [u, back, u - back]; }, kinds: [word] },
  { fn: function minusInt(n) { let x = n | 0; x = -x; return [x, x | 0, -(-x) - 1]; }, kinds: [word] },
  { fn: function absInt(n) { return [Math.abs(n | 0), Math.abs(n | 0) | 0, Math.max(n | 0, 5), Math.min(n | 0, 5 | 0)]; }, kinds: [word] },
  { fn: function digits(n) { let sum = 0; n = Math.abs(n); while (n >= 1) { sum += n % 10; n = Math.floor(n / 10); } return sum; }, kinds: [whole(-1000000, 1000000)] },
  { fn: function packColor(r, g, b, a) { return ((a & 255) << 24 | (b & 255) << 16 | (g & 255) << 8 | r & 255) >>> 0; }, kinds: [word, word, word, word] },
  { fn: function signExtend(x) { return [(x << 24) >> 24, (x << 16) >> 16, (x << 24) >>> 24]; }, kinds: [word] },
  { fn: function int32Loop(n) { let s = 0; for (let i = n | 0; i > 0; i = (i - 3) | 0) s = (s + Math.imul(i, i)) | 0; return s; }, kinds: [whole(-5, 5000)] },
  { fn: function downTo(n) { let s = 0; for (let i = n; i-- > 0; ) s = s * 3 + i; return s; }, kinds: [count] },
  { fn: function stepsOfHalf(n) { let s = 0; for (let x = 0; x < n; x += 0.5) s += x * x; return s; }, kinds: [count] },
  { fn: function manyCounters(n) { let a = 0, b = 0.5, c = -1 >>> 0, d = 1; for (let i = 0; i < n; i++) { a += i; b *= 1.5; c = (c - i) >>> 0; d = (d << 1) | (d >>> 31); } return [a, b, c, d]; }, kinds: [count] },
  { fn: function roundsAtTheEnd(p) { let x = Math.floor(p); if (!(x >= 0 && x <= 2 ** 53)) return -1; for (let i = 0; i < 5; i++) x = x + 1; return x; }, sets: edges },
  { fn: function roundsBeyondTheEnd(p) { if (!(p >= 0)) return 0; const x = Math.min(Math.floor(p), 2 ** 53); let y = x + 1; y = y + 1; return y - 2; }, sets: edges },
  { fn: function counterOrOther(p) { let i = 0; while (i < 10) i++; const x = p > 20 ? Math.floor(p) : i; if (!(x <= 2 ** 53)) return -1; let y = x + 1; y = y + 1; return y; }, sets: edges },
  { fn: function countsDownOrUp(p) { let x = Math.floor(p); if (!(x >= 0 && x <= 2 ** 53)) return -1; while (x > 5) { if (x < 100) x -= 3; else { x = x + 1; x = x + 1; return x; } } return x; }, sets: edges },
  { fn: function constantBeyondRange(a) { return [Math.min(2 ** 40, a | 0), Math.max(-(2 ** 40), a | 0), Math.min(a & 7, 9, 100), Math.max(a & 7, -1)]; }, kinds: [wider] },
  { fn: function wholePowers(a, b) { return [Math.floor(a) ** Math.floor(b), (a | 0) ** Math.floor(b), (a | 0) ** (b & 7)]; }, kinds: [wider, wider] },
  { fn: function equalsFraction(p) { const i = p | 0; const h = Math.min(Math.max(p, 0.5), 2.5); return i === h ? Number(BigInt(i) + 1n) : 0; }, sets: edges },
  { fn: function recursionFromTheEnd(p) { const go = (k, n) => (n <= 0 ? k : go(k + 1, n - 1)); return [go(Math.min(Math.max(Math.floor(p), 0), 2 ** 53 - 2) || 0, 5), go(p | 0, 9)]; }, sets: edges },
];
