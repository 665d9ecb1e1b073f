// Functions that hand on what they are called with: rest parameters, `arguments`, spread, `apply` and `call`.
/* eslint-disable no-var */
'use strict';

const { arrays, oneOf, whole } = require('../support/values.js');

const n = whole(-2, 9, [0, 1, 2, 3]);
const pair = arrays(whole(-3, 9), { type: Array, lengths: [0, 1, 2, 3] });
const some = oneOf(0, 1, 2.5, -0, NaN, undefined, null, true);
const f = (/** @type {number} */ a, /** @type {number} */ b, c = 3) => a - b * 2 + c;
const sum = (/** @type {number[]} */ ...values) => { let s = 0; for (const x of values) s += x; return s; };
const capture = { f, sum };
const sets = [[5, 2], [1, 2, 3], [4], [], [1.5, -0, NaN, 7]];

module.exports = [
  { fn: (...args) => f(...args), name: 'spread', sets, capture },
  { fn: (...args) => f(1, ...args), name: 'spreadBehind', sets, capture },
  { fn: (...args) => sum(...args, ...args) + args.length, name: 'spreadTwice', sets, capture },
  { fn: (...args) => f.apply(null, args), name: 'applies', sets, capture },
  { fn: (...args) => f.call(null, ...args), name: 'calls', sets, capture },
  { fn: function appliesArguments() { return f.apply(this, arguments); }, sets, capture },
  { fn: function spreadsArguments() { return f(...arguments); }, sets, capture },
  { fn: function indexesArguments() { let s = 0; for (let i = 0; i < arguments.length; i++) s += arguments[i] * i; return s; }, sets },
  { fn: function argumentsBehind(a) { let s = 0; for (let i = 1; i < arguments.length; i++) s += arguments[i] * a; return s; }, sets },
  { fn: function argumentOutside(a) { return [arguments[1], arguments[a], arguments.length]; }, sets },
  { fn: function loopsOverArguments() { for (const x of arguments) if (x > 2) return x; return -1; }, sets },
  { fn: function slicesArguments() { const args = Array.prototype.slice.call(arguments, 1); return f(...args); }, sets, capture },
  { fn: function copiesArguments() { const args = Array.from(arguments); return [f(...args), sum.apply(null, [...arguments])]; }, sets, capture },
  { fn: function takesArgumentsApart() { const [a, b = 2] = arguments; return a - b; }, sets },
  { fn: function compiledRest(a) { for (var length = arguments.length, rest = new Array(length > 1 ? length - 1 : 0), k = 1; k < length; k++) { rest[k - 1] = arguments[k]; } let s = a; for (let i = 0; i < rest.length; i++) s += rest[i]; return s; }, sets },
  { fn: (...v) => Math.max.apply(null, v) - Math.min.apply(Math, [0, ...v]), name: 'extremes', sets },
  { fn: (...v) => { const wrap = (g) => function () { return g.apply(this, arguments); }; return wrap((x, y = 1) => x * 2 - y)(...v); }, name: 'wrapped', sets },
  { fn: (...v) => { const partial = (g, ...head) => (...tail) => g(...head, ...tail); return partial(f, 1)(...v); }, name: 'partial', sets, capture },
  { fn: (...v) => { const compose = (g, h) => (...x) => g(h(...x)); return compose((x) => x * 2, f)(...v); }, name: 'composed', sets, capture },
  { fn: (...v) => { const link = (from, to) => function (args) { return to(from(args)); }; return link((a) => [a[0] * 2, a.length], (a) => a[0] - a[1])(v); }, name: 'linked', sets },
  { fn: (...v) => { v[0] = 7; return f(...v); }, name: 'setsRest', sets, capture },
  { fn: (...v) => { for (let i = 0; i < v.length; i++) v[i] *= 2; return f(...v); }, name: 'setsAllOfRest', sets, capture },
  { fn: (...v) => { let calls = 0; const g = (x) => x + calls; const next = () => { calls++; return null; }; return g.apply(next(), v) + g.call(next(), 1); }, name: 'receiverHasEffects', sets },
  { fn: (a, b) => { const g = (x, ...v) => (x <= 0 ? sum(...v) : g(x - 1, ...v)); return g(2, a, b); }, name: 'restOfRecursion', kinds: [n, n], capture },
  { fn: (a) => { const g = (...v) => (v.length > 5 ? v[0] : g(...v, 1)); return g(a); }, name: 'restGrows', kinds: [n] },
  { fn: function countedRecursion(a) { const g = function (k, m) { return k <= 0 ? arguments[1] + arguments.length : g(k - 1, m + 1); }; return g(a & 3, a); }, kinds: [n] },
  { fn: function methodCounts(a) { const count = function (x) { return arguments.length * 10 + x; }; return [[a, 1].map(count), [a].reduce(count, 2), Float64Array.of(a, a).map(count)]; }, kinds: [n] },
  { fn: function methodGivesAll(a) { return [a, 1].map(function () { return f.apply(null, [arguments[0], ...arguments[2]]) + arguments.length; }); }, kinds: [n], capture },
  { fn: function methodOfItself(a) { function g(x) { return x > 0 ? [x - 1].map(g)[0] * 3 + arguments.length : arguments.length; } return g(a); }, kinds: [n] },
  { fn: (v) => f(...v), name: 'spreadsGiven', kinds: [pair], capture },
  { fn: (v, a) => f.apply(null, v) + f(a, ...v), name: 'appliesGiven', kinds: [pair, n], capture },
  {
    fn: (...args) => { const first = args[0]; if (first === undefined || first === null) return first; if (first.length > 1) args = first; return f(args[0], args[1], args.length); },
    name: 'channelsOrArray', sets: [...sets, [[1, 2]], [[4, 5, 6]], [null], [undefined, 1]], capture,
  },
  { fn: (a) => [a?.length, typeof a === 'object', a === null ? 0 : a?.size ?? 1], name: 'fieldsOfScalars', kinds: [some] },
  { fn: (a) => { const found = a > 2 ? [a, 1] : a > 0 ? undefined : null; return typeof found === 'object' ? (found === null ? 1 : found[0]) : typeof found === 'undefined' ? 2 : 3; }, name: 'typeofArrayOrNothing', kinds: [n] },
];
