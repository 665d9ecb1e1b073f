// Variables that are named before they are declared: by functions that run too early, and by cases of a switch behind others.
/* eslint-disable no-case-declarations, no-fallthrough, prefer-const */
'use strict';

const { whole } = require('../support/values.js');

const n = whole(-1, 5, [0, 1, 2, 3]);

module.exports = [
  { fn: function closureBefore(a) { const f = () => x; if (a > 1) f(); let x = a; return f() + x; }, kinds: [n] },
  { fn: function closureBehind(a) { const f = () => x; let x = a; return f() + x; }, kinds: [n] },
  { fn: function declaredFunction(a) { function f() { return x; } if (a > 1) f(); const x = 4; return f() + x; }, kinds: [n] },
  { fn: function constantBefore(a) { const f = () => size * 2; if (a > 1) return f(); const size = 3; return f(); }, kinds: [n] },
  { fn: function functionBefore(a) { const g = () => f() + 1; if (a > 1) g(); const f = () => 3; return g(); }, kinds: [n] },
  { fn: function throughTwo(a) { const f = () => g() + 1; const g = () => h(); if (a > 1) f(); let h = () => 3; return f(); }, kinds: [n] },
  { fn: function nestedBefore(a) { const f = () => { const g = () => x; return g; }; if (a > 1) f()(); let x = 2; return f()(); }, kinds: [n] },
  { fn: function setsBefore(a) { const set = () => { x = 5; return 1; }; if (a > 1) set(); let x = 1; set(); return x; }, kinds: [n] },
  { fn: function addsBefore(a) { const add = () => { x += 1; return x; }; if (a > 1) add(); let x = a; return add(); }, kinds: [n] },
  { fn: function typeofBefore(a) { const f = () => typeof x; if (a > 1) return f() === 'undefined'; let x = 1; return f() === 'number'; }, kinds: [n] },
  { fn: function calledBySelf(a) { const f = (k) => (k <= 0 ? x : f(k - 1) + 1); if (a > 1) return f(3); let x = 1; return f(4); }, kinds: [n] },
  { fn: function eachRound(a) { let s = 0; for (let i = 0; i < 3; i++) { const f = () => y; if (a === i) s += f(); let y = i; s += f(); } return s; }, kinds: [n] },
  { fn: function eachRoundHoisted(a) { let s = 0; for (let i = 0; i < 3; i++) { if (i > 0 && a > 1) s += f(); const z = i; function f() { return z; } s += f(); } return s; }, kinds: [n] },
  { fn: function inOwnValue(a) { const x = (() => (a > 1 ? x : 1))(); return x; }, kinds: [n] },
  { fn: function inOwnElements(a) { let s = 0; for (const v of (() => (a > 1 ? [v] : [1, 2]))()) s += v; return s; }, kinds: [n] },
  { fn: function inHead(a) { for (let i = 0, f = () => j, j = a > 1 ? f() : 2; i < 3; i++) if (i === 2) return f(); return 1; }, kinds: [n] },
  { fn: function heldByHead(a) { let s = a; for (let i = 0, f = () => i + j, j = 2; i < 3; i++) { s += i; if (i === 2) return f() + s; } return 1; }, kinds: [n] },
  { fn: function setByHead(a) { for (let i = a, next = () => ++i; i < 5; i++) { if (next() > 3) return i; } return -1; }, kinds: [n] },
  { fn: function laterParameter(a, f = () => b, b = 3) { return a + f() + b; }, kinds: [n] },
  { fn: function parameterBefore(a, b = (() => (a > 1 ? c : 1))(), c = 3) { return b + c; }, kinds: [n] },
  { fn: function partsBefore(a) { const f = () => [x, y]; const [x, y = a > 1 ? f()[0] : f()[1]] = [a]; return x + y + f()[1]; }, kinds: [n] },
  { fn: function objectBefore(a) { const f = () => o.x; if (a > 1) f(); const o = { x: 3 }; return f(); }, kinds: [n] },
  { fn: function arrayBefore(a) { const f = (i) => v[i]; if (a > 1) f(0); const v = [1, 2, 3]; return f(a); }, kinds: [n] },
  { fn: function storedBefore(a) { const f = () => v[0]; if (a > 1) f(); const v = new Float64Array(2); v[0] = 3; return f(); }, kinds: [n] },
  { fn: function effectsBefore(a) { const v = [0, 0]; const f = () => { v[0] = 1; v[1] = x; }; if (a > 1) f(); let x = 2; f(); return v[0] + v[1]; }, kinds: [n] },
  { fn: function setInOtherCase(a) { switch (a) { case 0: let x = 1; return x; case 1: x = 2; return x; case 2: return x; default: return 7; } }, kinds: [n] },
  { fn: function fallsIntoCase(a) { switch (a) { case 0: let x = 1; case 1: return 3 + x; default: return -1; } }, kinds: [n] },
  { fn: function heldByCase(a) { switch (a) { case 0: const x = 1; case 1: { const f = () => x; return a > 1 ? 5 : f(); } default: return -1; } }, kinds: [n] },
  { fn: function switchInLoop(a) { let s = 0; for (let i = 0; i < 3; i++) switch (i + a) { case 1: let x = 4; case 2: s += i; break; case 4: s += x; } return s; }, kinds: [n] },
];
