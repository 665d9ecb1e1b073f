// Variables that may be a number, a boolean, undefined or null, and every operation on them.
/* eslint-disable eqeqeq */
'use strict';

const { arrays, oneOf, whole } = require('../support/values.js');

const n = whole(-2, 6, [0, 1, 2, 3, 5]);
const some = oneOf(0, 1, 2, -1, -0, 0.5, NaN, 2 ** 31, undefined, null, true, false);
const list = arrays(whole(-3, 9), { lengths: [0, 1, 2, 3, 7] });

module.exports = [
  { fn: function fourKinds(a) { let x; if (a > 1) x = a; else if (a < 0) x = a < -1; else if (a === 5) x = null; return [+x, x + 1, x == null, x >= 0]; }, kinds: [n] },
  { fn: function booleanOrNothing(a) { let x; if (a < 0) x = a < -1; let y = x; if (a > 3) y = a; return [x, y, +y, -y, ~y, !y, y * 2, y | 0]; }, kinds: [n] },
  { fn: function asked(a) { let x; if (a > 1) x = a; else if (a < 0) x = a < -1; return [typeof x === 'number', typeof x === 'undefined', typeof x === 'boolean', x === undefined, x == null, x === true, x === 1, x == 1, Object.is(x, 1), isNaN(x), Number.isNaN(x), Number.isInteger(x)]; }, kinds: [n] },
  { fn: function chosenByTest(a) { let x; if (a > 1) x = a; else if (a < 0) x = a < -1; else if (a === 0) x = null; return [x ? 1 : 2, x ?? 7, x || 8, x && 9, x < 1, x <= 0, 0 >= x]; }, kinds: [n] },
  { fn: function asArgument(a) { let x; if (a > 1) x = a; else if (a < 0) x = a < -1; return [Math.max(x, 0), Math.abs(x), Math.floor(x), Math.sign(x), Math.fround(x), Math.imul(x, 3), Math.hypot(x, 1), Number(x)]; }, kinds: [n] },
  { fn: function asIndex(v, a) { let x; if (a > 1) x = a; else if (a < 0) x = a < -1; else if (a === 0) x = null; return [v[x], v.at(x), v.slice(x).length, v.subarray(x, 2).length]; }, kinds: [list, n] },
  { fn: function booleanAsPosition(v, a) { let x; if (a < 1) x = a < -1; return [v.slice(0, x).length, v.subarray(x).length, new Float64Array(v).fill(7, 0, x)[1]]; }, kinds: [list, n] },
  { fn: function missingPositions(v) { const z = new Int16Array(5); return [v.subarray(0, z[-1]).length, v.slice(1, z[7]).length, v.slice(z[9], 1).length, new Float64Array(v).fill(7, 0, z[-1])[0]]; }, kinds: [list] },
  { fn: function asElement(a) { let x; if (a > 1) x = a; else if (a < 0) x = a < -1; const f = new Float64Array(1), i = new Int32Array(1), c = new Uint8ClampedArray(1); f[0] = x; i[0] = x; c[0] = x; return [f[0], i[0], c[0]]; }, kinds: [n] },
  { fn: function inField(a) { const o = { x: undefined, y: null }; if (a < 1) o.x = a < -1; if (a > 2) o.y = o.x; if (a > 3) o.x = a; return [o.x, o.y, o.x + 1, o.y >= 0]; }, kinds: [n] },
  { fn: function inList(a, b) { const v = [a, b, undefined]; if (a) v[2] = a > 1; return [v[0], v[b], v[2] + 1, v[2] == null]; }, kinds: [some, whole(0, 3)] },
  { fn: function becomesElement(a, b) { let x = a > 0; if (a > 1) x = b; const v = [a, x, x]; x = v[x]; return [x, x + 1]; }, kinds: [n, whole(0, 4)] },
  { fn: function followsList(v, a) { let x = 0; for (let i = 0; i < 4; i++) x = v[x]; return [x, x === undefined, a]; }, kinds: [arrays(whole(0, 5), { type: Int32Array, lengths: [1, 3, 6] }), n] },
  { fn: function inClosure(a) { let x; const set = (y) => { x = y; }; const get = () => x; if (a < 0) set(a < -1); else if (a > 2) set(a); else if (a === 1) set(null); return [get(), +get(), get() + 1]; }, kinds: [n] },
  { fn: function carried(a) { let x, s = 0; for (let i = 0; i < 4; i++) { s += x === undefined ? 1 : +x; if (i === a) x = i > 1; else if (i > a) x = i; } return [s, x, +x]; }, kinds: [n] },
  { fn: function given(a, b) { let x = a; if (b > 1) x = b > 3; return [x, +x, x + 1, x == null, x === b, x < 2, typeof x === 'boolean']; }, kinds: [some, n] },
  { fn: function thrown(a) { let x; if (a > 1) x = a; else if (a < 0) x = a < -1; else if (a === 0) x = null; throw new RangeError(`${x} of ${a}`); }, kinds: [n] },
  { fn: function throughCalls(a) { const f = (k, y) => (k <= 0 ? y : f(k - 1, k === a ? k > 1 : y)); const y = f(3, undefined); return [y, +y, y + 1]; }, kinds: [n] },
];
