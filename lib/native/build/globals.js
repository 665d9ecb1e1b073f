/**
 * What the language itself provides under a name: `Math.sqrt`, `Number.EPSILON`, `Float64Array`.
 *
 * A function meets these by their names, under another name (`const abs = Math.abs`), or as captured values, so there
 * is a table by name and one by identity. How many arguments a function looks at matters where it is handed over as a
 * callback.
 */
'use strict';

const { prange } = require('../source/prange.js');

/** @typedef {import('../hir/nodes.js').Constant} Constant */

const TYPED_ARRAYS = [
  'Float64Array', 'Float32Array', 'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array',
  'Int32Array', 'Uint32Array', 'BigInt64Array', 'BigUint64Array',
];

const ERRORS = ['Error', 'RangeError', 'TypeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError'];

const MATH = [
  'abs', 'acos', 'acosh', 'asin', 'asinh', 'atan', 'atan2', 'atanh', 'cbrt', 'ceil', 'clz32', 'cos', 'cosh', 'exp',
  'expm1', 'floor', 'fround', 'hypot', 'imul', 'log', 'log10', 'log1p', 'log2', 'max', 'min', 'pow', 'random', 'round',
  'sign', 'sin', 'sinh', 'sqrt', 'tan', 'tanh', 'trunc',
];

/** Functions of the language by their whole name, with the number of arguments that they look at; Infinity: all. */
/** @type {Map<string, number>} */
const BUILTINS = new Map([
  ...MATH.map((name) => /** @type {[string, number]} */ ([`Math.${name}`, /** @type {any} */ (Math)[name].length])),
  ['Math.max', Infinity],
  ['Math.min', Infinity],
  ['Math.hypot', Infinity],
  ['Number', 1],
  ['Boolean', 1],
  ['BigInt', 1],
  ['isNaN', 1],
  ['isFinite', 1],
  ['Number.isInteger', 1],
  ['Number.isSafeInteger', 1],
  ['Number.isFinite', 1],
  ['Number.isNaN', 1],
  ['BigInt.asIntN', 2],
  ['BigInt.asUintN', 2],
  ['Object.is', 2],
  ['Array.isArray', 1],
  ['ArrayBuffer.isView', 1],
]);

/** @type {Map<string, Constant>} */
const CONSTANTS = new Map([
  ['undefined', undefined],
  ['NaN', NaN],
  ['Infinity', Infinity],
]);
for (const [space, names] of /** @type {[any, string[]][]} */ ([
  [Math, ['E', 'LN10', 'LN2', 'LOG10E', 'LOG2E', 'PI', 'SQRT1_2', 'SQRT2']],
  [
    Number,
    [
      'EPSILON', 'MAX_SAFE_INTEGER', 'MAX_VALUE', 'MIN_SAFE_INTEGER', 'MIN_VALUE', 'NaN', 'NEGATIVE_INFINITY',
      'POSITIVE_INFINITY',
    ],
  ],
  ...TYPED_ARRAYS.map((name) => [/** @type {any} */ (globalThis)[name], ['BYTES_PER_ELEMENT']]),
])) {
  for (const name of names) CONSTANTS.set(`${space.name ?? 'Math'}.${name}`, space[name]);
}

/** Names that are looked at as parts of a longer one, called with `new`, or asked for by `instanceof`. */
const SPACES = new Set([
  'Math', 'Number', 'BigInt', 'Boolean', 'Object', 'Array', 'ArrayBuffer', 'globalThis', 'prange', ...TYPED_ARRAYS,
  ...ERRORS,
]);

/** Of typed arrays and Array: their makers. */
const MAKERS = new Set(['Array', ...TYPED_ARRAYS].flatMap((name) => [`${name}.of`, `${name}.from`]));

/** @type {Map<unknown, string>} */
const IDENTITIES = new Map();
for (const name of [...SPACES, ...BUILTINS.keys(), ...MAKERS]) {
  const value = name.split('.').reduce((at, part) => /** @type {any} */ (at)?.[part], /** @type {any} */ (globalThis));
  if (value !== undefined && !IDENTITIES.has(value)) IDENTITIES.set(value, name);
}
IDENTITIES.set(prange, 'prange');

/**
 * Why a global is not there, and what to do; asked for by the whole name or its first part.
 *
 * @type {Record<string, [string, string]>}
 */
const ABSENT = {
  console: [
    'nothing can be printed from native code',
    'return the values, or throw an Error that has them in its message',
  ],
  parseInt: ['texts are not computed with', 'use Math.trunc for a number'],
  parseFloat: ['texts are not computed with', 'hand the number over'],
  'Number.parseInt': ['texts are not computed with', 'use Math.trunc for a number'],
  'Number.parseFloat': ['texts are not computed with', 'hand the number over'],
  String: ['texts are not computed with', 'return the value and make a text of it outside'],
  Date: ['there is no clock in native code', 'hand the time over as an argument'],
  performance: ['there is no clock in native code', 'hand the time over as an argument'],
  JSON: ['texts are not computed with', 'hand the values over as arguments'],
  'Object.keys': ['objects are taken apart when the function is compiled', 'name the fields'],
  'Object.values': ['objects are taken apart when the function is compiled', 'name the fields, or use an array'],
  'Object.entries': ['objects are taken apart when the function is compiled', 'name the fields, or use an array'],
  'Object.assign': ['objects are taken apart when the function is compiled', 'write { ...a, ...b }'],
  'Object.freeze': ['objects are taken apart when the function is compiled', 'leave it out'],
  setTimeout: ['native code runs from start to end', 'do what waits outside of the function'],
  setInterval: ['native code runs from start to end', 'do what waits outside of the function'],
  fetch: ['native code runs from start to end', 'do what waits outside of the function'],
  structuredClone: ['objects are taken apart when the function is compiled', 'write { ...a }, or .slice() of an array'],
  TextEncoder: ['texts are not computed with', 'encode outside of the function, and hand over the bytes'],
  TextDecoder: ['texts are not computed with', 'decode outside of the function'],
  Map: ['there are no maps in native code', 'use an array, or a typed array as a hash table'],
  Set: ['there are no sets in native code', 'use a Uint8Array of flags'],
  WeakMap: ['there are no maps in native code', 'use an array'],
  Promise: ['native code runs from start to end', 'do what waits outside of the function'],
  Symbol: ['there are no symbols in native code', 'use a number'],
  RegExp: ['texts are not computed with', 'match outside of the function, or walk over the bytes of a Uint8Array'],
  eval: ['eval needs an interpreter at run time', 'write the code itself'],
  Function: ['new code cannot be made at run time', 'write the function itself'],
  Reflect: ['objects are taken apart when the function is compiled', 'name the fields'],
  Proxy: ['there are no proxies in native code', 'call a function'],
  Atomics: ['threads are made by prange alone', 'write prange loops whose rounds do not share elements'],
  DataView: ['views with offsets in bytes are not supported', 'use typed arrays'],
  process: ['native code does not see the process', 'hand over what it needs as { capture }'],
  require: ['modules cannot be loaded from native code', 'hand over what it exports as { capture }'],
};

module.exports = { ABSENT, BUILTINS, CONSTANTS, ERRORS, IDENTITIES, MAKERS, SPACES, TYPED_ARRAYS };
