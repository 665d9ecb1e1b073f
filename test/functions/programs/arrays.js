// Typed arrays of all kinds: elements read and written in range and out of it, and the methods.
/* eslint-disable eqeqeq */
'use strict';

const { arrays, oneOf, real, whole } = require('../support/values.js');

const kinds = [Float64Array, Float32Array, Int32Array, Uint32Array, Int16Array, Uint16Array, Int8Array, Uint8Array, Uint8ClampedArray];
const some = [Float64Array, Float32Array, Int32Array, Uint8Array, Uint8ClampedArray];
const odd = oneOf(0, -0, 1, 2, 4, 7, -1, 5, 8, 1.5, 0.5, -0.5, NaN, Infinity, -Infinity, 1e10, 2 ** 32, 4294967295, 2 ** 53);
const list = arrays(real, { lengths: [0, 1, 5, 8] });
const ints = arrays(whole(-100, 300), { type: Int32Array });
const values = [0, -0, 1, -1, 0.5, 1.5, 2.5, -1.5, 127, 128, 254.5, 255, 255.5, 256, 300, -300, 32768, 65536, 2 ** 31, 2 ** 32, -(2 ** 31) - 1, 2 ** 53, 1e20, NaN, Infinity, -Infinity, 1e-40, 3.4e38, 3.5e38];
const index = oneOf(0, -0, 1, 2, 3, 6, 7, 0.5, -0.5, NaN);
const numbers = [[[1, 2, 3]], [[]], [[-1, 0, 5, NaN]]];

const withNaN = [3, 4, 5, 9, 17, 33, 63].flatMap((n) => [Float64Array, Float32Array, Array].map((Type) => [Type.from({ length: n }, (_, i) => (i % 3 === 1 ? NaN : (i * 37) % 20))]));

/** Arguments once per kind of array. @param {(Type: any) => any[][]} sets */
const perKind = (sets) => kinds.flatMap(sets);

module.exports = [
  { fn: function stores(a, x) { a[0] = x; return a[0]; }, sets: perKind((Type) => values.map((x) => [new Type(2), x])) },
  { fn: function storesInt(a, x) { a[0] = x | 0; a[1] = x >>> 0; return a[0] - a[1]; }, sets: perKind((Type) => values.map((x) => [new Type(2), x])) },
  { fn: function storesBoolean(a, x) { a[0] = x > 1; a[1] = !x; return a[0] + a[1]; }, sets: perKind((Type) => [[new Type(2), 0], [new Type(2), 2]]) },
  { fn: function valueOfStore(a, x) { const y = (a[0] = x); return y === a[0] ? y : -y; }, sets: perKind((Type) => values.map((x) => [new Type(1), x])) },
  { fn: function addsTo(a, i, x) { a[i] += x; return a[i]; }, sets: perKind((Type) => [[Type.of(1, 200, 3), 1, 100], [Type.of(1, 2), 5, 1], [Type.of(250), 0, 10.75], [Type.of(1), -1, 1]]) },
  { fn: function updatesElement(a, i) { const before = a[i]++; const after = --a[i]; a[i]--; return [before, after, a[i]]; }, sets: perKind((Type) => [[Type.of(0, 1), 0], [Type.of(0, 255), 1], [Type.of(0), 3]]) },
  { fn: function compoundElement(a, i) { a[i] *= 3; a[i] -= 1; a[i] <<= 2; a[i] ^= 21; a[i] >>>= 1; a[i] |= 8; a[i] %= 100; return a[i]; }, sets: perKind((Type) => [[Type.of(7, 99), 0], [Type.of(7, 99), 1], [Type.of(7, 99), 2]]) },
  { fn: function reads(a, i) { return a[i]; }, kinds: [list, odd] },
  { fn: function readsPlus(a, i) { return a[i] + 1; }, kinds: [list, odd] },
  { fn: function readsInts(a, i) { return a[i] | 0; }, kinds: [ints, odd] },
  { fn: function readsIntsPlus(a, i) { return a[i] + 1; }, kinds: [ints, odd] },
  { fn: function readIsUndefined(a, i) { return a[i] === undefined ? -1 : 1; }, kinds: [ints, odd] },
  { fn: function readOrElse(a, i) { return (a[i] ?? 42) + (a[i] || 7); }, kinds: [ints, odd] },
  { fn: function readIsFalsy(a, i) { return a[i] ? 1 : 2; }, kinds: [ints, odd] },
  { fn: function comparesMissing(a, i) { return [a[i] < 5, a[i] >= 5, a[i] === a[i], a[i] !== 3]; }, kinds: [ints, odd] },
  { fn: function missingInSum(a) { let s = 0; for (let i = -1; i <= a.length; i++) s += a[i] || 0; return s; }, kinds: [list] },
  { fn: function bitsOfMissing(a, i) { return (a[i] & 255) + (a[i] >>> 1) + ~a[i]; }, kinds: [ints, odd] },
  { fn: function writes(a, i, x) { a[i] = x; return a.length; }, kinds: [list, odd, real] },
  { fn: function neighbours(a) { let s = 0; for (let i = 0; i < a.length; i++) s += (a[i - 1] || 0) - 2 * a[i] + (a[i + 1] || 0); return s; }, kinds: [list] },
  { fn: function readsBeyond(a) { let last = 0; for (let i = 0; i <= a.length; i++) last = a[i]; return last; }, kinds: [list] },
  { fn: function writesBeyond(a, n) { for (let i = -3; i < n; i++) a[i] = i; return a.length; }, kinds: [list, whole(0, 12)] },
  { fn: function booleanIndex(a, i) { return [a[i > 1], a[!i], (a[i > 2] ?? 7) + 1]; }, kinds: [ints, odd] },
  { fn: function undefinedEnds(a, i) { return a.subarray(a[i], a[i + 1]).length; }, kinds: [ints, odd] },
  { fn: function indirect(a, b) { let s = 0; for (let i = 0; i < b.length; i++) s += a[b[i]]; return s; }, kinds: [list, arrays(whole(-2, 9), { type: Int32Array })] },
  { fn: function indirectFloats(a, b) { let s = 0; for (let i = 0; i < b.length; i++) { const x = a[b[i]]; if (x > s) s = x; } return s; }, kinds: [list, arrays(odd)] },
  { fn: function scatter(a, b) { for (let i = 0; i < b.length; i++) a[b[i]] += 1; return a.length; }, kinds: [ints, arrays(whole(-2, 9), { type: Int8Array })] },
  { fn: function histogram(data, n) { const counts = new Uint32Array(n); for (const x of data) counts[x & 7]++; let best = 0; for (let i = 1; i < n; i++) if (counts[i] > counts[best]) best = i; return best; }, kinds: [ints, whole(0, 9)] },
  { fn: function lengths(a, b) { return a.length * 100 + b.length; }, kinds: [list, ints] },
  { fn: function copies(a, b) { for (let i = 0; i < b.length; i++) b[i] = a[i]; }, sets: perKind((Type) => some.map((Other) => [Type.from(values), new Other(values.length + 2)])) },
  { fn: function sums(a) { let s = 0; for (let i = 0; i < a.length; i++) s += a[i]; return s; }, sets: perKind((Type) => [[Type.from(values)], [new Type(0)], [Type.from({ length: 100 }, (_, i) => i * 3)]]) },
  { fn: function dot(a, b) { let s = 0; for (let i = 0; i < a.length; i++) s += a[i] * b[i]; return s; }, sets: perKind((Type) => some.map((Other) => [Type.from({ length: 33 }, (_, i) => i * 7 - 5), Other.from({ length: 31 }, (_, i) => 3 - i)])) },
  { fn: function axpy(a, x, y) { for (let i = 0; i < x.length; i++) y[i] += a * x[i]; }, kinds: [real, list, list] },
  { fn: function scales(a, f) { for (let i = 0; i < a.length; i++) a[i] *= f; return a; }, sets: perKind((Type) => [[Type.from(values), 1.5], [Type.from(values), -3]]) },
  { fn: function prefixSums(a) { for (let i = 1; i < a.length; i++) a[i] += a[i - 1]; return a; }, sets: perKind((Type) => [[Type.from({ length: 40 }, (_, i) => i * 5)]]) },
  { fn: function shiftsBy(a, k) { for (let i = 0; i < a.length; i++) a[i] = a[i + k]; return a; }, kinds: [list, whole(-3, 3)] },
  { fn: function reversed(a) { for (let i = 0, j = a.length - 1; i < j; i++, j--) { const t = a[i]; a[i] = a[j]; a[j] = t; } return a; }, kinds: [list] },
  { fn: function swaps(a, i, j) { [a[i], a[j]] = [a[j], a[i]]; return a; }, sets: [[Int32Array.of(1, 2, 3), 0, 2], [Int32Array.of(1, 2, 3), 1, 1]] },
  { fn: function bubble(a) { for (let i = 0; i < a.length; i++) for (let j = 0; j + 1 < a.length - i; j++) if (a[j] > a[j + 1]) { const t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } return a; }, kinds: [ints] },
  { fn: function meetInTheMiddle(a, i, j) { let rounds = 0; for (; i < j; i++, j--) { const t = a[i]; a[i] = a[j]; a[j] = t; rounds++; } for (i = 0, j = a.length - 1; j > i; j -= 2, i += 3) a[i] += a[j]; return [rounds, i, j]; }, kinds: [list, oneOf(-1, 0, 1, 2, 0.5, -0, NaN), oneOf(-1, 0, 4, 7, 30, 6.5, NaN)] },
  { fn: function searchesForWhatMayBeMissing(a, b, k) { const gone = b[k]; let at = 0; while (a[at] !== gone && at < 40) at++; let n = 0; for (; !(a[n] === undefined || a[n] > 3 || a[n + 1] == gone); n++); let m = 5; while (a[m] == null || (a[m] !== a[m - 1] && m > 2)) m--; return [at, n, m]; }, sets: [[Float64Array.of(1, 2, NaN, 2), Float64Array.of(2), 0], [Float64Array.of(1, 2, NaN, 2), Float64Array.of(NaN), 0], [Int32Array.of(1, 2, 3, 2), Int32Array.of(7), 1], [Int32Array.of(0, 1), Int32Array.of(7), 0]] },
  { fn: function reversesByData(a, at) { let i = 0; let j = at[0]; while (i <= j) { const t = a[i]; a[i++] = a[j]; a[j] = t; j = j - 1; } return [i, j]; }, kinds: [list, arrays(oneOf(0, 3, 5, 12, -1, 2.5, NaN))] },
  { fn: function swapsToBoundFromData(a) { let rounds = 0; for (let first = a[0]; first !== 0 && rounds < 50; first = a[0]) { for (let i = 0, j = first; i < j; i++, j--) { const t = a[i]; a[i] = a[j]; a[j] = t; } rounds++; } return rounds; }, kinds: [arrays(whole(-1, 9), { type: Int32Array })] },
  { fn: function followsLinks(next, start) { let at = next[start]; let steps = 0; while (at !== undefined && at >= 0 && steps < 20) { const to = next[at]; next[at] = -2; at = to; steps++; } return [at, steps]; }, kinds: [arrays(whole(-1, 7), { type: Int32Array }), whole(-1, 8)] },
  { fn: function boundMayBeMissing(a, k) { let n = a[k]; let s = 0; for (let i = 0; i < n; i++) { s += i; n = a[i + k]; } return [s, n, n === n, n | 0, n >>> 0]; }, kinds: [arrays(whole(-2, 12), { type: Int16Array }), whole(-1, 3)] },
  { fn: function productsModulo(a, b, i, j) { const x = a[i] * b[j]; const y = a[j] - b[i]; const z = -a[i]; return [x | 0, y >>> 0, x < y, x === 0, z | 0, z <= 0, (x + y) | 0, x !== x]; }, kinds: [ints, arrays(whole(0, 4294967295), { type: Uint32Array }), odd, odd] },
  { fn: function largeProducts(a, i) { let x = a[i]; for (let k = 0; k < 4; k++) x = x * a[k]; return [x | 0, x >>> 0, x > 5]; }, kinds: [arrays(whole(-2147483648, 2147483647), { type: Int32Array }), odd] },
  { fn: function extremesOfInts(a, b, i, j) { const x = a[i]; const y = b[j]; const z = Math.min(x, y) + Math.max(x, 1); const w = -x * y; return [-x | 0, -x > 0, -x >>> 0, z | 0, z < 2147483648, w | 0, w === 0, w > 2147483647, (x - y) | 0, Math.floor(x + y) === 5, Math.min(x, y) < 0]; }, sets: [-2147483648, 2147483647, 0, -1].flatMap((x) => [-2147483648, 2147483647, -1, 1].map((y) => [Int32Array.of(x), Int32Array.of(y), 0, 0])).concat([[Int32Array.of(3), Int32Array.of(2), 0, 0], [Int32Array.of(3), Int32Array.of(2), 1, 0], [Int32Array.of(3), Int32Array.of(2), 0, -1]]) },
  { fn: function editDistance(a, b) { let prev = new Int32Array(b.length + 1); let next = new Int32Array(b.length + 1); for (let j = 0; j <= b.length; j++) prev[j] = j; for (let i = 1; i <= a.length; i++) { next[0] = i; for (let j = 1; j <= b.length; j++) { const cost = a[i - 1] === b[j - 1] ? 0 : 1; next[j] = Math.min(prev[j] + 1, next[j - 1] + 1, prev[j - 1] + cost); } [prev, next] = [next, prev]; } return prev[b.length]; }, kinds: [arrays(whole(0, 3), { type: Uint8Array }), arrays(whole(0, 3), { type: Uint8Array })] },
  { fn: function productStarts(a, k) { let s = 0; for (let i = 0; i < 5; i++) { let j = i * k; for (; j < a.length && j > 0; j += 3) a[j] = i; s += 1 / j; } return s; }, kinds: [ints, whole(-3, 3)] },
  { fn: function squareStarts(a, n) { let s = 0; for (let i = -2; i < n; i++) { let j = i * i; for (; j < n; j += 2) a[j] += i; s += 1 / j; } return s; }, kinds: [ints, oneOf(0, 1, 3, 9, 12)] },
  { fn: function keysThatAreNothing(a, i, k) { const key = i > 1 ? i : k > 0 ? null : undefined; const flag = i > 2 ? i > 3 : i; if (k > 1) a[k] = 7; return [a[key], a[flag], a[key] === undefined]; }, kinds: [ints, whole(-1, 5), whole(-1, 4)] },
  { fn: function incrementsNothing(a, i) { let p = i > 2 ? null : i; const c = i < 0 ? p++ : 0; return [a[p] + c, a[p] === undefined]; }, kinds: [ints, whole(-2, 5)] },
  { fn: function choicesInSums(a, n, x) { let p = 0; let bits = 0; for (let i = 0; i < n; i += 2) { p += i; bits |= i === x ? a[Math.sqrt(x)] : x * 0.5 - a[1]; } return [p, bits]; }, kinds: [ints, whole(0, 12), whole(-2, 9)] },
  { fn: function lastOfRounds(a, b, n) { let last = a[0]; for (let i = 0; i < n; i++) { const j = b[i]; if (j === 3 || j === undefined) continue; last = a[j]; a[j] = a[i]; a[i] = last; if (last > 200) break; } return [last, last < 5, last | 0]; }, kinds: [ints, arrays(whole(-2, 9), { type: Int8Array }), whole(0, 9)] },
  { fn: function swapsThrough(a, b, shift) { for (let i = 0; i < b.length; i++) { const j = b.length - 1 - i + shift; const k = i - shift; const x = a[j]; const y = a[k]; a[k] = x; a[j] = y; if (a[j] > 90) a[k + 1] = 7; } }, kinds: [ints, list, whole(-3, 3)] },
  { fn: function indexChangesInRound(a, at) { let j = at; for (let i = 0; i < 6; i++) { a[j] = i; j = j + 1; a[j] = a[i] + 1; j -= 3; a[j] = a[j + 1]; j += 2; } return j; }, kinds: [ints, whole(-5, 7)] },
  { fn: function arrayChangesInRound(a, b, n) { let from = a; let to = b; for (let i = 0; i < n; i++) { to[i] = from[n - i]; to[n - i] = from[i]; const t = from; from = to; to = t; } return [a, b]; }, kinds: [ints, ints, whole(0, 8)] },
  { fn: function insertionSort(a) { for (let i = 1; i < a.length; i++) { const x = a[i]; let j = i - 1; while (j >= 0 && a[j] > x) { a[j + 1] = a[j]; j--; } a[j + 1] = x; } return a; }, kinds: [list] },
  { fn: function fills(a, x) { a.fill(x); return a[0]; }, sets: perKind((Type) => values.map((x) => [new Type(3), x])) },
  { fn: function fillsPart(a, x, from, to) { a.fill(x, from, to); return a; }, kinds: [list, real, oneOf(0, 1, -2, 3, 10, -10, NaN, 1.5), oneOf(0, 2, -1, 5, 100, -Infinity, Infinity)] },
  { fn: function fillsFrom(a, x, from) { return a.fill(x, from); }, kinds: [list, real, oneOf(0, 1, -2, 3, 10)] },
  { fn: function sets(a, b) { a.set(b); return a; }, sets: perKind((Type) => some.map((Other) => [new Type(values.length), Other.from(values)])) },
  { fn: function setsAt(a, b, at) { a.set(b, at); return a; }, sets: [[new Float64Array(8), Float64Array.of(1, 2, 3), 0], [new Float64Array(8), Float64Array.of(1, 2, 3), 5], [new Int8Array(8), Float64Array.of(1, 200, 3), 2], [new Int8Array(8), new Float64Array(0), 8]] },
  { fn: function setsTooFar(a, b, at) { a.set(b, at); return 1; }, sets: [[new Float64Array(3), Float64Array.of(1, 2, 3), 1], [new Float64Array(3), Float64Array.of(1), -1], [new Float64Array(0), Float64Array.of(1), 0]] },
  { fn: function subarrays(a, from, to) { const part = a.subarray(from, to); let s = part.length * 1000; for (let i = 0; i < part.length; i++) s += part[i]; return s; }, kinds: [ints, oneOf(0, 1, 2, -1, -3, 50, 1.5, NaN), oneOf(0, 1, 3, -1, 100, Infinity)] },
  { fn: function subarrayWrites(a, k) { const part = a.subarray(k); for (let i = 0; i < part.length; i++) part[i] += i + 1; part[part.length] = 99; part[-1] = 99; return a; }, kinds: [ints, whole(-2, 4)] },
  { fn: function subarrayAliases(a) { const head = a.subarray(0, 3), tail = a.subarray(1); let s = 0; for (let i = 0; i < 3; i++) { head[i] = i * 10; s += tail[i] * 7; tail[i] += 1; } return s; }, kinds: [list] },
  { fn: function subarrayOfSubarray(a) { const b = a.subarray(1, -1).subarray(1); b.fill(5); return b.length; }, kinds: [list] },
  { fn: function setOverlaps(a) { a.set(a.subarray(0, 4), 2); return a; }, sets: perKind((Type) => [[Type.of(1, 2, 3, 4, 5, 6, 7)]]) },
  { fn: function setOverlapsBack(a) { a.subarray(0, 4).set(a.subarray(1, 5)); return a; }, sets: perKind((Type) => [[Type.of(1, 2, 3, 4, 5, 6, 7)]]) },
  { fn: function aliased(a, b) { for (let i = 0; i + 1 < b.length; i++) a[i + 1] = b[i] + 1; return b[b.length - 1]; }, sets: [same(Float64Array), same(Int32Array), [new Float64Array(5), Float64Array.of(1, 2, 3, 4, 5)]] },
  { fn: function overlapping(a, b) { for (let i = 0; i < b.length; i++) a[i] = b[i] * 2; return a[2]; }, sets: [overlap(Float64Array, 1), overlap(Float64Array, 2), overlap(Int16Array, 3)] },
  { fn: function reinterprets(a, b) { a[0] = 1.5; const low = b[0], high = b[1]; b[1] = high | 0x80000000; return [a[0], low, high >>> 0]; }, sets: [views()] },
  { fn: function localArray(n) { const a = new Float64Array(n); for (let i = 0; i < n; i++) a[i] = i * i; let s = 0; for (let i = n - 1; i >= 0; i--) s = s / 2 + a[i]; return s; }, kinds: [whole(0, 30)] },
  { fn: function localKinds(x) { const a = new Int8Array(4), b = new Uint8ClampedArray(4), c = new Float32Array(4), d = new Uint16Array(4); a[1] = x; b[1] = x; c[1] = x; d[1] = x; return [a[1], b[1], c[1], d[1], a[0], a[9]]; }, sets: values.map((x) => [x]) },
  { fn: function localConstant(i) { const a = new Int32Array(8); a[3] = 5; a[i] += 2; return a[3] + a[i]; }, kinds: [odd] },
  { fn: function localInLoop(n) { let s = 0; for (let k = 0; k < n; k++) { const a = new Float64Array(3); a[k % 3] += k; s += a[0] - a[1] + a[2]; } return s; }, kinds: [whole(0, 9)] },
  { fn: function localOfBadLength(n) { return new Float64Array(n).length; }, kinds: [oneOf(0, 3, -1, 2.5, NaN, 1e20)] },
  { fn: function localFromList(x) { const a = Float64Array.of(1, x, 3), b = new Int16Array([x, 2.7, -1]); return a[0] + a[1] * a[2] + b[0] * b[1] - b[2]; }, kinds: [oneOf(0, 1.5, -2, 40000)] },
  { fn: function localCopy(a) { const b = new Float64Array(a); b[0] = 9; const c = a.slice(); c[1] = 8; return b[0] + c[1] + a[0]; }, kinds: [list] },
  { fn: function returnsNew(n, x) { const a = new Float32Array(n); for (let i = 0; i < n; i++) a[i] = x / (i + 1); return a; }, kinds: [whole(0, 9), real] },
  { fn: function returnsArgument(a) { a[0] = 1; return a; }, kinds: [list] },
  { fn: function returnsPart(a) { return a.subarray(1, 3); }, kinds: [list] },
  { fn: function returnsOneOfTwo(a, b, x) { return x > 0 ? a : b; }, kinds: [list, list, oneOf(0, 1)] },
  { fn: function choosesArray(a, b, x) { const c = x > 0 ? a : b; let s = 0; for (let i = 0; i < c.length; i++) s += c[i]; c[0] = -1; return s; }, kinds: [list, list, oneOf(0, 1)] },
  { fn: function swapsBuffers(n) { let a = new Float64Array(8), b = new Float64Array(8); a[0] = 1; for (let k = 0; k < n; k++) { for (let i = 0; i < 8; i++) b[i] = a[i] + (a[i - 1] || 0); const t = a; a = b; b = t; } return a; }, kinds: [whole(0, 7)] },
  { fn: function swapsArguments(a, b, n) { for (let k = 0; k < n; k++) { for (let i = 0; i < a.length; i++) b[i] = a[i] * 0.5 + k; [a, b] = [b, a]; } return a; }, kinds: [list, list, whole(0, 4)] },
  { fn: function matmul(a, b, c, n) { for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) { let s = 0; for (let k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j]; c[i * n + j] = s; } return c; }, sets: [0, 1, 3, 8].map((n) => [filled(n * n), filled(n * n), new Float64Array(n * n), n]) },
  { fn: function matmulShort(a, b, c, n) { for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) { c[i * n + j] = 0; for (let k = 0; k < n; k++) c[i * n + j] += a[i * n + k] * b[k * n + j]; } return c; }, sets: [[filled(9), filled(8), new Float32Array(9), 3], [filled(4), filled(9), new Float64Array(5), 3]] },
  { fn: function convolve(a, kernel) { const out = new Float64Array(a.length); for (let i = 0; i < a.length; i++) { let s = 0; for (let k = 0; k < kernel.length; k++) { const at = i + k - (kernel.length >> 1); if (at >= 0 && at < a.length) s += a[at] * kernel[k]; } out[i] = s; } return out; }, kinds: [list, arrays(whole(-3, 3), { lengths: [0, 1, 3, 5] })] },
  { fn: function clampsPixels(data, gain) { for (let i = 0; i < data.length; i += 4) { data[i] = data[i] * gain; data[i + 1] = data[i + 1] * gain + 0.5; data[i + 2] = 255 - data[i + 2]; } return data; }, sets: [[Uint8ClampedArray.from({ length: 18 }, (_, i) => i * 15), 1.3], [Uint8ClampedArray.from({ length: 8 }, (_, i) => i * 31), -1]] },
  // The inner loop sets what only the outer one reads.
  { fn: function lastOfEach(a, n) { let sum = 0; for (let i = 0; i < n; i++) { let last = 0; for (let j = i % 3; j < n; j += 2) last = a[j]; sum += last * a[i]; } return sum; }, sets: [[Float64Array.from({ length: 20 }, (_, i) => Math.sin(i * 7)), 20], [Float64Array.of(1, 2, 3), 5], [Float64Array.of(3), 0]] },
  { fn: function life(a, b, w, h) { for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) { let n = 0; for (let dy = -1; dy <= 1; dy++) for (let dx = -1; dx <= 1; dx++) if (dx !== 0 || dy !== 0) n += a[((y + dy + h) % h) * w + ((x + dx + w) % w)]; b[y * w + x] = n === 3 || (n === 2 && a[y * w + x]) ? 1 : 0; } return b; }, sets: [[Uint8Array.from({ length: 48 }, (_, i) => (i * 7) % 3 & 1), new Uint8Array(48), 8, 6]] },
  { fn: function levenshtein(a, b) { const row = new Int32Array(b.length + 1); for (let j = 0; j <= b.length; j++) row[j] = j; for (let i = 1; i <= a.length; i++) { let diagonal = row[0]; row[0] = i; for (let j = 1; j <= b.length; j++) { const above = row[j]; row[j] = Math.min(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] === b[j - 1] ? 0 : 1)); diagonal = above; } } return row[b.length]; }, kinds: [arrays(whole(97, 100), { type: Uint8Array }), arrays(whole(97, 100), { type: Uint8Array })] },
  { fn: function binarySearch(a, x) { let lo = 0, hi = a.length; while (lo < hi) { const mid = (lo + hi) >>> 1; if (a[mid] < x) lo = mid + 1; else hi = mid; } return lo; }, kinds: [arrays(whole(-20, 20), { sorted: true }), whole(-22, 22)] },
  { fn: function movingMean(a, w) { const out = new Float64Array(Math.max(0, a.length - w + 1)); let s = 0; for (let i = 0; i < a.length; i++) { s += a[i]; if (i >= w) s -= a[i - w]; if (i >= w - 1) out[i - w + 1] = s / w; } return out; }, kinds: [arrays(whole(-9, 9)), whole(1, 6)] },
  { fn: function stencil(a, b, w, h) { for (let y = 1; y < h - 1; y++) for (let x = 1; x < w - 1; x++) b[y * w + x] = 0.25 * (a[y * w + x - 1] + a[y * w + x + 1] + a[(y - 1) * w + x] + a[(y + 1) * w + x]); return b; }, sets: [[filled(48), new Float64Array(48), 8, 6], [filled(48), new Float64Array(40), 9, 6]] },
  { fn: function atPositions(a, i) { return [a.at(NaN), a.at(i * 0.5), a.at(undefined), a.at(-0.5), a.at(a[7]), a.at(i)]; }, kinds: [list, odd] },
  { fn: function typeOfMissingArray(p) { let a; if (p > 0) a = new Float64Array(3); let b = null; if (p > 1) b = a; return [typeof a === 'undefined', typeof b === 'object', typeof a === 'object', typeof a === typeof b, a === b, a == b]; }, kinds: [whole(-1, 3)] },
  { fn: function typeOfOneOfSeveral(p) { const all = [{ x: 1 }, { x: 2 }]; const one = all[p > 0 ? 1 : 0]; return typeof one === 'object' ? one.x : -1; }, kinds: [whole(-1, 3)] },
  // NaN is before nothing and behind nothing, so where it ends up is a matter of the algorithm.
  { fn: function sortsNaN(a) { const b = a.toSorted((x, y) => x - y); a.sort((x, y) => y - x); return b; }, sets: withNaN },
  { fn: function sortsNaNByBranches(a) { return a.sort((x, y) => (x < y ? -1 : x > y ? 1 : 0)); }, sets: withNaN },
  // Arrays of other things than numbers.
  { fn: function memoOfHoles(n) { const m = new Array(50); const f = (k) => { if (k < 2) return k; if (m[k] !== undefined) return m[k]; const r = f(k - 1) + f(k - 2); m[k] = r; return r; }; return f((n | 0) + 5); }, kinds: [index] },
  { fn: function memoOfNulls(n) { const m = new Array(20).fill(null); let s = 0; for (let i = 0; i < 40; i++) { const k = (i * 7) % 20; if (m[k] === null) m[k] = i * n; else s += m[k]; } return s; }, kinds: [index] },
  { fn: function mapsToBooleans(l) { return l.map((x) => x > 0); }, sets: numbers },
  { fn: function sieveOfBooleans(n) { const p = new Array(30).fill(true); p[0] = p[1] = false; for (let i = 2; i * i < 30; i++) if (p[i]) for (let j = i * i; j < 30; j += i) p[j] = false; const out = []; for (let i = 0; i < 30; i++) if (p[i] === true) out.push(i); return [out, p, p[n], p[n | 0] === true]; }, kinds: [index] },
  { fn: function visitedOrHole(n) { const v = new Array(10); let c = 0; for (let i = 0; i < 20; i++) { const k = (i * 3) % 10; if (!v[k]) { v[k] = true; c++; } if (v[k] !== true) c += 100; if (v[n] === undefined) c += 1000; } return [c, v]; }, kinds: [index] },
  { fn: function pushesAllKinds(n) { const out = []; for (let i = 0; i < n; i++) { if (i % 3 === 0) out.push(i); else if (i % 3 === 1) out.push(null); else out.push(i > 3); } return out; }, kinds: [index] },
  { fn: function readsAllKinds(n) { const out = []; for (let i = 0; i < 9; i++) { if (i % 3 === 0) out.push(i); else if (i % 3 === 1) out.push(null); else out.push(i > 3); } const x = out[n]; return [x === null, x === undefined, x === true, x === false, typeof x === 'number', typeof x === 'boolean', x + 1, x ?? 77, x]; }, kinds: [index] },
  { fn: function nanIsNoHole(n) { const a = new Array(4); const t = new Float64Array(4); t[1] = a[n & 3]; a[0] = t[1]; return [a[0] === undefined, a[n & 1] === undefined]; }, kinds: [index] },
  { fn: function reversesAllKinds(n) { const a = [true, 2, null, undefined]; a[n & 3] = 9; a.reverse(); return a; }, kinds: [index] },
  { fn: function sortsHoles(n) { const a = new Array(12).fill(undefined); a[n & 7] = 5; a[9] = n; a[3] = -n; const b = a.toSorted((x, y) => y - x); a.sort((x, y) => x - y); return [a, b]; }, kinds: [index] },
  { fn: function sortsPushedHoles(n) { const out = []; for (let i = 0; i < 9; i++) out.push((i * n) % 3 > 1 ? undefined : 9 - i); out.sort((x, y) => x - y); return [out, out.length]; }, kinds: [index] },
  { fn: function fromBooleans(n) { return Array.from({ length: n & 7 }, (_, i) => i % 2 === 1); }, kinds: [index] },
  { fn: function copiesAreArrays(n) { const u = Uint8Array.of(n, 2, 3), f = Float32Array.of(1.1, n); const a = Array.from(u), b = [...f], c = [...a]; a[0] = 300.7; b[1] = 0.1; c[1] = -1; return [a, b, c, u, f, Array.isArray(a)]; }, kinds: [index] },
  { fn: function copiesGrow(n) { const u = Int16Array.of(5, n); const a = Array.from(u), b = [...u], c = new Array(n & 3).fill(0.5), d = [...[1, 2]]; a.push(n); b.pop(); b.push(1.5); c.push(-0); c[0] = 7; d.push(n); d.shift(); return [a, b, c, d, a.length + b.length]; }, kinds: [index] },
  { fn: function copiesAreSorted(x) { const a = [...x].sort((p, q) => p - q); const b = Array.from(x); b.reverse(); b.push(a.length); const c = Array.from(x); c[c.length] = 5; return [a, b, c]; }, kinds: [list] },
  { fn: function copyOfRest(...xs) { const a = [...xs]; a[0] = 9; const b = [...xs]; b.push(7); return [a, b, xs[0]]; }, kinds: [index, index] },
  { fn: function joinsArrays(y, v) { const x = [...y]; let o = [v]; for (const e of x) o = [...o, e, ...x.slice(1)]; return [[...x, v, ...x], [true, ...x, undefined, null], o, x.concat(o, 3, [4, v]), x.concat(), [0, ...x][1], [...x].length]; }, kinds: [list, index] },
  { fn: function joinsTyped(n) { const u = Uint8Array.of(n, 2), f = Float32Array.of(1.1); const a = [...u, ...f, n]; a[0] = 1e9; const b = [...u, ...u]; b.push(0.5); return [a, b, [...u].concat([...f])]; }, kinds: [index] },
  { fn: function pushesMany(y, v) { const x = Array.from(y); const o = []; let s = o.push(...x); s += o.push(v, ...x, 7); s += o.push(...o); return [o, s, o.concat(x), x.concat(o), o.length]; }, kinds: [list, index] },
  { fn: function quicksorts(y) { const f = (xs) => { if (xs.length < 2) return xs; const p = xs[0], rest = xs.slice(1); return [...f(rest.filter((v) => v < p)), p, ...f(rest.filter((v) => !(v < p)))]; }; return f([...y]); }, kinds: [list] },
  { fn: function joinsBooleans(n) { const f = new Array(6).fill(false); f[n & 3] = true; const g = [...f, n > 1]; return [g, f.concat([true]), [...f, ...f].length]; }, kinds: [index] },
  { fn: function fromHoles(n) { const a = Array.from({ length: n & 7 }); return a[0] === undefined ? 1 : 2; }, kinds: [index] },
  { fn: function slicesBooleans(n) { const a = [true, false, true, true]; a[n & 3] = false; const b = a.slice(1, 3); b[0] = n > 1; return [a, b, b.length]; }, kinds: [index] },
  { fn: function searchesBooleans(n) { const a = [true, false, true, true]; a[n & 3] = true; return [a.every((x) => x), a.some((x) => !x), a.indexOf(false), a.includes(true), a.find((x) => x === false), a.findIndex((x) => x === false)]; }, kinds: [index] },
  { fn: function togglesBooleans(n) { const d = new Array(11).fill(false); for (let i = 1; i <= 10; i++) for (let j = i; j <= 10; j += i) d[j] = !d[j]; let c = 0; for (const x of d) if (x) c++; return [c, d[n]]; }, kinds: [index] },
  { fn: function choosesBoolean(n) { const a = [n > 1, n > 2]; const i = n & 1; return a[i] ? 'x' === 'x' : a[1 - i]; }, kinds: [index] },
  { fn: function typedFromHoles(n) { const b = new Array(3); b[n & 1] = 5; const t = new Float64Array(b); const u = Int32Array.from(b); return [t, u]; }, kinds: [index] },
  { fn: function stackOfBooleans(n) { const st = []; st.push(true); st.push(n > 1); let c = 0; while (st.length) { const x = st.pop(); if (x === true) c++; else if (x === false) c += 10; else c += 100; } return c; }, kinds: [index] },
  { fn: function holesAmongNumbers(n) { const a = new Array(5); for (let i = 0; i < 5; i += 2) a[i] = i; let s = 0; for (let i = 0; i < 5; i++) s += a[i] ?? 100; for (const x of a) if (x == null) s += 1000; return [s, a[n]]; }, kinds: [index] },
  { fn: function recursionMarks(n) { const seen = new Array(8).fill(false); let c = 0; const go = (k) => { if (k < 0 || k > 7 || seen[k] === true) return; seen[k] = true; c++; go(k - 3); go(k + 5); }; go(n | 0); return [c, seen]; }, kinds: [index] },
  { fn: function listOfBooleans(a, i) { const b = []; for (const x of a) b.push(x > 1); const c = b.slice(1); c.reverse(); return [b, c, b[i], b[i] === true, b.includes(false), b.map((x) => !x)]; }, kinds: [list, whole(-1, 6)] },
  { fn: function flagsByIndex(n, i) { const flags = new Array(4).fill(true); flags[n] = false; const few = new Array(3); few[0] = n > 1; return [flags, few[0], few[i] ? 1 : 2, [true, n > 0][i & 1]]; }, kinds: [whole(0, 3), whole(0, 2)] },
  { fn: function rowsOfArgument(g, i, j) { let s = 0; for (let k = 0; k < g.length; k++) for (let l = 0; l < g[k].length; l++) s = s * 3 + g[k][l]; g[i][0] = s; return [g[i][j], g[j]?.length]; }, sets: [[[[1, 2], [3, 4]], 1, 0], [[[1, 2, 3], [3, 4]], 0, 1], [[Float64Array.of(1, 2), Float64Array.of(3, 4)], 1, 0]] },
  { fn: function polygonArea(p) { let s = 0; for (let i = 0, j = p.length - 1; i < p.length; j = i++) s += p[i][0] * p[j][1] - p[i][1] * p[j][0]; for (const [x, y] of p) s += x * y; return s / 2; }, sets: [[[[0, 0], [1, 0], [1, 1]]], [[[0, 0.5], [2, 0], [2, 3], [0, 4]]]] },
  { fn: function rowsChosen(a, b, i) { const rows = [a, b, new Float64Array(2)]; const r = rows[i]; r[0] += 1; return [a[0], b[0], r === a, rows[(i + 1) % 3].length]; }, sets: [[Float64Array.of(1), Float64Array.of(2, 3), 0], [Float64Array.of(1), Float64Array.of(2, 3), 1], [Float64Array.of(1), Float64Array.of(2, 3), 2]] },
  { fn: function elementOfArgument(p, i) { return [p[i], p[i] ? 1 : 2, p[i] === undefined]; }, sets: [0, 1, 2, 0.5, -0, NaN].flatMap((i) => [[[true, false], i], [[true, true], i]]) },
  { fn: function tableInRecursion(n) { const p = [1, 2, 3.5]; const f = (k) => (k === 0 ? 0 : p[k % 3] + f(k - 1)); return f(n); }, kinds: [whole(0, 9)] },
  { fn: function matrixLiterals(n, i, j) { const a = [[1, n], [0, 2]], b = [[n, 1], [1, 1]], c = [[0, 0], [0, 0]]; for (let r = 0; r < 2; r++) for (let s = 0; s < 2; s++) for (let t = 0; t < 2; t++) c[r][s] += a[r][t] * b[t][s]; c[i][j] += 7; return [c, a[i][j + 1]]; }, kinds: [real, whole(0, 1), whole(0, 1)] },
  { fn: function bytesOf(a) { return a.byteLength + a.BYTES_PER_ELEMENT; }, sets: perKind((Type) => [[new Type(3)]]) },
];

/** @param {any} Type */
function same(Type) {
  const a = Type.of(1, 2, 3, 4, 5);
  return [a, a];
}

/** @param {any} Type @param {number} by */
function overlap(Type, by) {
  const all = Type.from({ length: 12 }, (_, i) => i + 1);
  return [all.subarray(by, by + 6), all.subarray(0, 6)];
}

function views() {
  const buffer = new ArrayBuffer(16);
  return [new Float64Array(buffer), new Int32Array(buffer)];
}

/** @param {number} length */
function filled(length) {
  return Float64Array.from({ length }, (_, i) => (i * 37) % 11 - 4.5);
}
