// Loops at their limits: what a test reads before it stops one, sums that wrap, numbers that leave the integers in between.
'use strict';

const { prange } = require('../../../lib/native/source/prange.js');

const three = Float64Array.of(1, 2, 3);

module.exports = [
  { fn: function endsInItsFirstRound(n) { let s = 1, c = 0; do { if (c++ > 6) break; } while (!((s += 0.5, c < 3))); let t = n; do { t += s; if (t > 9) continue; } while ((s *= 2, s < n)); return [s, c, t]; }, sets: [[0], [2], [7], [0.5]] },
  { fn: function endsInAStepOfTheRound(n, u) { const a = new Int8Array(1), v = a.subarray(0, 3); let i = 4; while (i-- > 0) { v[i] >>>= a[1]; for (let j = Math.min(u & 7, 20); j-- > 0; ) n /= 0; } return [n, v.length]; }, sets: [[25, undefined], [25, 3]] },
  { fn: function readsBeforeTheTest(a, n) { let i = 0, t = 0; while ((t = a[i]) > 0 && i < n) i++; return [t, i]; }, sets: [[three, 3], [three, 5], [three, 2]] },
  { fn: function readsThenAsksForTheEnd(a) { let i = 0, t = 0; while ((t = a[i], i < a.length)) i++; return [t, i]; }, sets: [[three], [new Float64Array(0)]] },
  { fn: function sumsBeforeTheTest(a, s, n) { let i = 0; while ((s += a[i], ++i < n)); return s; }, sets: [[Int32Array.of(5, 6), 2 ** 53 - 1, 0], [Int32Array.of(5, 6), 3, 2], [Int32Array.of(5, 6), 3, 3], [Int32Array.of(5, 6), -0, 2], [new Int32Array(0), 4, -1]] },
  { fn: function differenceThatWraps(a, b) { let s = 0; for (let k = 0; k < b.length; k++) { const u = b[k]; if (BigInt.asIntN(64, u - 1n) >= 0n && u < 3n) s += a[Number(u)]; } return s; }, sets: [[three, BigInt64Array.of(1n, 2n, 0n)], [three, BigInt64Array.of(1n, -(2n ** 63n), 2n)]] },
  { fn: function counterThatWraps(a, n) { let s = 0; let i = 2n; for (let k = 0; k < n; k++) { if (i >= 0n) s += a[Number(i)]; i = BigInt.asIntN(64, i - 2n ** 52n); } return s; }, sets: [[three, 10], [three, 3000]] },
  { fn: function countsInBigInts(a, n) { let s = 0; for (let i = 0n; i < n; i = BigInt.asIntN(64, i + 1n)) s += a[Number(i)]; return s; }, sets: [[three, 3n], [three, 5n], [three, -1n]] },
  { fn: function boundAtTheEndOfBigInts(a) { let s = 0; for (let i = 0n; i < 9223372036854775807n; i++) { s += a[Number(i + 5n)]; if (i > 3n) break; } return s; }, sets: [[new Float64Array(0)], [three]] },
  { fn: function remaindersInUpdates(x, m, n) { let c = 0; for (let k = 0; k < n; k++, c = ((x * x) % 1001) | 0) { if (k !== m) { x = x + 1; continue; } x = x % 7; } return c + x; }, sets: [[2 ** 49 + 1, 5, 3], [12345678901, 3, 2], [3, 10, 2]] },
  { fn: function greatestOfWhatMayBeMissing(p, a, n) { let best = -1; for (const i of prange(n)) best = Math.max(best, p[i]); return a[best]; }, sets: [[Int32Array.of(1, 2, 0), three, 3], [Int32Array.of(1, 2, 0), three, 5]], capture: { prange } },
  { fn: function sumsArrayChosenInRounds(a, n) { let s = 0; const rows = [a, a.subarray(0, 2)]; for (let i = 1; i < 8; i++) s += rows[n & 1][i] | 0; return s; }, sets: [[Int8Array.of(1, 2, 3), 0], [Int8Array.of(1, 2, 3), 1]] },
  { fn: function storesArrayChosenInRounds(a, n) { const rows = [a, a.subarray(0, 2)], v = new Float64Array(9); for (let i = 0; i < 8; i++) v[i] = rows[(n + i) & 1][i] ?? -1; return v; }, sets: [[three, 0], [three, 1]] },
  { fn: function stepsToWhatItOnceWas(a, i, n) { const v = a.subarray(16, 24); let k = i | 0, c = 0; while (c < 3) { k--; c++; } const t = k + 1; k = 0; while (k < n) { v[k] = 5; k = t; if (c++ > 5) break; } return k; }, sets: [[new Float64Array(40), -10, 6], [new Float64Array(40), 1, 2], [new Float64Array(40), -9, 2]] },
  { fn: function stepsByWhatItOnceWas(a, m, n) { const v = a.subarray(16, 24); let by = m | 0, c = 0; while (c < 3) { by--; c++; } const step = by + 1; by = 2; let k = 4; while (k < n) { v[k] = 5; k += step; by = 3; if (c++ > 5) break; } return [k, by]; }, sets: [[new Float64Array(40), 3, 8], [new Float64Array(40), 0, 8], [new Float64Array(40), -3, 6]] },
  { fn: function leavesByATestOrByAJump(a, t) { let c = 0; while ((t = a[c + 1]) !== 0) { if (c++ > 2) break; } return [+t, c]; }, sets: [[Int32Array.of(5, 6), 1], [Int32Array.of(5, 0), 1], [Int32Array.of(5, 6, 7, 0), 1]] },
  { fn: function testsLateWhatItHasSet(a, k) { let t = 1, c = 0, last = 0; do { if (c++ > 6) break; last = t; } while ((t = +a[k]) < 1e9); return [t, last]; }, sets: [[Int32Array.of(5, 6), 9], [Int32Array.of(5, 6), 1]] },
];
