// What is thrown: type, message, and what had happened before.
'use strict';

const { arrays, oneOf, real, whole } = require('../support/values.js');

const list = arrays(whole(-5, 9));
const n = whole(-2, 12, [0, 1, 2]);

module.exports = [
  { fn: function throws() { throw new Error('always'); }, kinds: [] },
  { fn: function throwsSometimes(a) { if (a < 0) throw new RangeError('negative'); return Math.sqrt(a); }, kinds: [real] },
  { fn: function throwsKinds(a) { if (a === 1) throw new TypeError('one'); if (a === 2) throw new RangeError('two'); if (a === 3) throw new SyntaxError('three'); if (a === 4) throw Error('four'); return a; }, kinds: [n] },
  { fn: function throwsTemplate(a, b) { if (a > b) throw new Error(`${a} is more than ${b}`); return b - a; }, kinds: [real, real] },
  { fn: function throwsSum(i, data) { if (i >= data.length) throw new RangeError('index ' + i + ' is out of ' + data.length); return data[i]; }, kinds: [whole(0, 20), list] },
  { fn: function throwsInt(a) { if ((a | 0) !== a) throw new Error('not an int: ' + a + '; as one: ' + (a | 0)); return a; }, kinds: [real] },
  { fn: function throwsBig(a) { if (a > 5n) throw new Error(`too big: ${a}`); return a; }, kinds: [oneOf(1n, 6n, 2n ** 60n)] },
  { fn: function throwsInLoop(data) { let s = 0; for (let i = 0; i < data.length; i++) { if (data[i] > 7) throw new Error(`element ${i} is ${data[i]}`); s += data[i]; } return s; }, kinds: [list] },
  { fn: function writesThenThrows(data) { for (let i = 0; i < data.length; i++) { data[i] *= 2; if (data[i] > 10) throw new Error('too large'); } return data; }, kinds: [list] },
  { fn: function certainInTest(count) { const b = new BigInt64Array(4), u = new Uint8Array(5), f = () => b[-1] + 1n; let s = 0; for (let i = 0; i < count; i++) while (f() <= 0n) s += u[i]; return s; }, kinds: [n] },
  { fn: function certainInLateTest(count) { const b = new BigInt64Array(4), u = new Uint8Array(5), f = () => b[-1] + 1n; let s = 0; for (let i = 0; i < count; i++) { do { s += u[i]; if (s > 2) continue; s++; } while (f() <= 0n); } return s; }, kinds: [n] },
  { fn: function throwsInside(a) { const check = (x) => { if (x > 5) throw new RangeError('inside'); return x; }; return check(a) + check(a * 2); }, kinds: [n] },
  { fn: function throwsInRecursion(a) { const down = (k) => { if (k === 0) throw new Error('bottom'); return down(k - 1); }; return a > 3 ? down(a) : a; }, kinds: [n] },
  { fn: function throwsInCondition(a) { const f = (x) => { if (x < 0) throw new Error('bad'); return x > 2; }; return (a > 0 && f(a - 3)) || f(a) ? 1 : 2; }, kinds: [n] },
  { fn: function throwsInSwitch(a) { switch (a) { case 0: throw new Error('zero'); case 1: return 1; default: throw new TypeError('other'); } }, kinds: [n] },
  { fn: function throwsAfterLoop(a) { let i = 0; while (true) { if (i > a) break; i += 2; } if (i % 3 === 0) throw new Error('multiple of three'); return i; }, kinds: [n] },
  { fn: function throwsEmpty(data) { if (!data.length) throw new Error(); return data[0]; }, kinds: [list] },
  { fn: function throwsConstant(a) { if (a > 3) throw new Error(message); return a; }, capture: { message: 'a constant of the module' }, kinds: [n] },
  { fn: function throwsBooleans(a) { const flag = a > 5 ? a > 8 : undefined; throw new RangeError(`${a > 3} ${!a} ${flag} ${a > 4 ? a : null} ${a > 6 ? a : a > 2}`); }, kinds: [n] },
  { fn: function throwsMissing(data, i) { throw new Error(`${data[i]} of ${data.length}, then ${data[i + 1]}`); }, kinds: [list, whole(-1, 9)] },
  { fn: function throwsOfKinds(a, b) { const stop = (x) => { throw new TypeError('no: ' + x); }; if (a > 1) stop(a); if (b > 1n) stop(b); stop(a > b); }, kinds: [n, oneOf(0n, 2n, 2n ** 62n)] },
  { fn: function bigFromFraction(a) { return BigInt(a); }, kinds: [oneOf(1, 2, 0.5, NaN, Infinity, -3)] },
];

const message = 'a constant of the module';
