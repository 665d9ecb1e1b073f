// One row per op of the native table: what it takes, how exact it is, what it gives at the edges, what
// it refuses. The tests beside this file run every row over the reference evaluator, native code and
// wasm, and fail for an op that has no row here.
//
// Elementwise rows: `ulp` is the tolerance against the reference evaluator in floats (0: every bit). The
// bounds of elementary functions are those of docs/numerics.md against the exact result; the reference is
// rounded from a wider type, within 0.5 of it, so the distance in whole floats has the same bound. 'fast'
// has the same tolerances: what it may do needs two ops. `extra` adds operands to those of
// test/support/values.js, `variants` are arguments of the method, `examples` are [dtype, operands, result].
//
// Rows of other kinds: `cases` build a value from inputs of the given shapes (an input of its own dtype
// lists the scalars it takes in turn), for each dtype and each binding of symbols; `examples` are
// [build, nested array].
//
// `bad` are [build, error code, part of the message]. Dtypes that a row does not list are refused, but for those that
// the method takes `also`.
'use strict';

const { ALL, FLOATS, INTEGERS, LOGIC, NUMERIC, SIGNED, arrayOf, specials } = require('../support/values.js');

/** @typedef {import('graphjit').Graph} Graph */
/** @typedef {import('graphjit').Value} Value */

/** @type {(bound: number, extra?: number[], examples?: any[]) => any} a unary elementary function */
const math = (ulp, extra = [], examples = []) => ({ dtypes: FLOATS, ulp, extra, examples });

const quarters = Array.from({ length: 9 }, (_, i) => ((i - 4) * Math.PI) / 2);
const angles = [...quarters, 1e22, 2 ** 1000, 6381956970095103 * 2 ** 797, 1e5, -123456.789, 33554432, 1.5707964, 1e15];
const aroundOne = [1 - 2 ** -53, 1 - 2 ** -30, 1 + 2 ** -30, -1 + 2 ** -53, -1 - 2 ** -52, 0.9999999, 0.4999999, 0.75, -0.99];
const tiny = [1e-20, -1e-20, 1e-10, 3e-8, 2 ** -28, 1e-310, 1e-40];

const input = (/** @type {Graph} */ g, dtype = 'f32', /** @type {any} */ shape = [3, 4], name = 'x') => g.input(name, /** @type {any} */ (dtype), shape);
/** @type {(g: Graph, shape: any, other: any, dtype?: string) => [Value, Value]} */
const two = (g, shape, other, dtype = 'f32') => [input(g, dtype, shape, 'x'), input(g, dtype, other, 'y')];

/** What every binary op refuses. @type {(method: string, dtype?: string) => any[]} */
const badPair = (method, dtype = 'f64') => [
  [(g) => { const [x, y] = two(g, [3, 4], [2, 4], dtype); return x[method](y); }, 'ERR_SHAPE', /axis 0 of shapes \[3, 4\] and \[2, 4\] differ: 3 vs 2/],
  [(g) => { const [x, y] = two(g, ['n'], ['m'], dtype); return x[method](y); }, 'ERR_SHAPE', /\[n\] and \[m\] differ: n vs m/],
  [(g) => input(g, 'i8')[method](input(g, 'f32', [4], 'y')), 'ERR_DTYPE', /i8 \(%1\) and f32 \(%2\) have no common dtype/],
  [(g) => input(g, dtype)[method](), 'ERR_ARGUMENT', /expected 2 operands for the call, got 1|expected .* for operand 2, got undefined/],
];

const nan = NaN;
const inf = Infinity;

/** @type {Record<string, any>} */
const unary = {
  neg: { dtypes: SIGNED, examples: [['f64', [0], -0], ['i8', [-128], -128], ['i32', [5], -5], ['f32', [inf], -inf]] },
  abs: { dtypes: NUMERIC, examples: [['f32', [-0], 0], ['i16', [-32768], -32768], ['u8', [200], 200], ['f64', [-inf], inf]] },
  sign: { dtypes: NUMERIC, examples: [['f64', [-0], -0], ['f64', [nan], nan], ['f32', [-3.5], -1], ['i64', [-9], -1], ['u32', [0], 0]] },
  floor: { dtypes: FLOATS, also: INTEGERS, examples: [['f64', [-0.5], -1], ['f32', [-0], -0], ['f64', [2.9], 2]] },
  ceil: { dtypes: FLOATS, also: INTEGERS, examples: [['f64', [-0.5], -0], ['f32', [2.1], 3], ['f64', [-inf], -inf]] },
  trunc: { dtypes: FLOATS, also: INTEGERS, examples: [['f64', [-0.5], -0], ['f32', [-2.9], -2], ['f64', [2.9], 2]] },
  round_even: {
    dtypes: FLOATS,
    also: INTEGERS,
    extra: [0.5 - 2 ** -54, 0.49999997, 3.5, -3.5, 8388609.5],
    examples: [['f64', [0.5], 0], ['f64', [1.5], 2], ['f64', [2.5], 2], ['f32', [-0.5], -0], ['f64', [0.5 - 2 ** -54], 0]],
  },
  sqrt: { dtypes: FLOATS, examples: [['f64', [-0], -0], ['f64', [-1], nan], ['f32', [2], Math.fround(Math.SQRT2)]] },
  cbrt: math(1, [8, -27, 1000], [['f64', [-27], -3], ['f32', [1000], 10], ['f64', [-0], -0]]),
  exp: math(1, [709.782712893384, 709.7827128933841, -745.13, -745.2, -708.4, 88.72283, 88.7229, -103.97, -104, -87.34, ...tiny],
    [['f64', [0], 1], ['f64', [-inf], 0], ['f64', [710], inf], ['f32', [-200], 0]]),
  exp2: math(1, [1023.999, 1024, -1074, -1074.9, -1075.1, -1022, 127.9999, 128, -149, -149.9, -150.1, ...tiny],
    [['f64', [10], 1024], ['f64', [-1074], 5e-324], ['f32', [128], inf]]),
  expm1: math(1, [709.78, 709.79, -37, -40, 0.35, -0.3, 88.72, -17, ...tiny], [['f64', [-0], -0], ['f64', [-inf], -1], ['f64', [-100], -1]]),
  log: math(1, [...aroundOne, 0.7071, 1.4143, ...tiny], [['f64', [1], 0], ['f64', [0], -inf], ['f64', [-1], nan], ['f32', [inf], inf]]),
  log2: math(1, [...aroundOne, 8, 2 ** -1074, 1024, ...tiny], [['f64', [8], 3], ['f64', [2 ** -1074], -1074], ['f32', [-0], -inf]]),
  log10: math(1, [...aroundOne, 1000, 1e22, 1e15, ...tiny], [['f64', [1000], 3], ['f32', [10], 1], ['f64', [-2], nan]]),
  log1p: math(1, [...aroundOne, -0.5, -0.3, 0.4142, ...tiny], [['f64', [-0], -0], ['f64', [-1], -inf], ['f64', [-1.5], nan]]),
  sin: math(1, [...angles, ...tiny], [['f64', [-0], -0], ['f64', [inf], nan], ['f32', [0], 0]]),
  cos: math(1, [...angles, ...tiny], [['f64', [0], 1], ['f64', [-inf], nan], ['f32', [nan], nan]]),
  tan: math(1, [...angles, ...tiny], [['f64', [-0], -0], ['f32', [inf], nan]]),
  asin: math(2, [...aroundOne, ...tiny], [['f64', [-0], -0], ['f64', [1.5], nan], ['f64', [1], Math.PI / 2]]),
  acos: math(2, [...aroundOne, ...tiny], [['f64', [1], 0], ['f64', [-1], Math.PI], ['f32', [2], nan]]),
  atan: math(1, [...aroundOne, 1e17, 2.4375, 0.4375, ...tiny], [['f64', [inf], Math.PI / 2], ['f64', [-0], -0]]),
  sinh: math(2, [710.47, 710.48, -711, 22, 89.4, 89.42, ...tiny], [['f64', [-0], -0], ['f64', [-inf], -inf], ['f64', [711], inf]]),
  cosh: math(2, [710.47, 710.48, -711, 22, 89.4, 89.42, ...tiny], [['f64', [0], 1], ['f64', [-inf], inf], ['f32', [-90], inf]]),
  tanh: math(1, [0.55, 19, 22.1, -9.1, 0.01, ...tiny], [['f64', [-0], -0], ['f64', [30], 1], ['f32', [-inf], -1]]),
  asinh: math(2, [1e8, 1e16, 0.3, ...tiny], [['f64', [-0], -0], ['f64', [-inf], -inf]]),
  acosh: math(2, [...aroundOne, 1e8, 1e16, 1.001], [['f64', [1], 0], ['f64', [0.5], nan], ['f32', [inf], inf]]),
  atanh: math(2, [...aroundOne, ...tiny], [['f64', [1], inf], ['f64', [-1], -inf], ['f64', [-0], -0], ['f32', [1.5], nan]]),
  erf: math(1, [0.84375, 1.25, 2.857, 5.9, 6.1, 3.9, ...tiny], [['f64', [-0], -0], ['f64', [inf], 1], ['f32', [-7], -1]]),
  erfc: math(2, [0.84375, 1.25, 26.5, 27.2, 27.3, -6, 10.05, 10.1, ...tiny], [['f64', [0], 1], ['f64', [-inf], 2], ['f64', [inf], 0]]),
  lgamma: {
    ...math(2, [-0.75, -2.4570247382208006, -3.955294284858598, -2.7476826467274127, -1e15 - 0.5, 171.6, 2.5e305, 4e36, 8.5, ...aroundOne, ...tiny],
      [['f64', [1], 0], ['f64', [2], 0], ['f64', [-3], inf], ['f64', [-inf], inf], ['f32', [0], inf]]),
    absolute: { f64: 2.5e-16, f32: 0 }, // beside the negative roots, where no relative bound holds
  },
  stop_gradient: { dtypes: ALL, examples: [['f64', [-0], -0], ['f32', [nan], nan], ['bool', [1], 1], ['i8', [-128], -128]] },
  not: { dtypes: LOGIC, examples: [['bool', [1], 0], ['i8', [0], -1], ['u16', [1], 65534]] },
  is_nan: { dtypes: FLOATS, also: INTEGERS, gives: 'bool', examples: [['f64', [nan], 1], ['f32', [inf], 0]] },
  is_finite: { dtypes: FLOATS, also: INTEGERS, gives: 'bool', examples: [['f64', [nan], 0], ['f32', [-inf], 0], ['f64', [1e308], 1]] },
  popcount: { dtypes: INTEGERS, examples: [['i8', [-1], 8], ['u64', [2n ** 63n + 1n], 2n], ['i32', [0], 0]] },
  clz: { dtypes: INTEGERS, examples: [['i8', [-1], 0], ['u16', [0], 16], ['i64', [1], 63n]] },
};

/** @type {(dtypes: string[], rest?: any) => any} */
const binaryRow = (dtypes, rest = {}) => ({ arity: 2, dtypes, ...rest });
/** @type {(examples: any[]) => any} */
const comparison = (examples) => binaryRow(ALL, { gives: 'bool', examples });

/** @type {Record<string, any>} */
const binary = {
  add: binaryRow(NUMERIC, { examples: [['i8', [127, 1], -128], ['f64', [inf, -inf], nan], ['f64', [-0, -0], -0], ['u8', [255, 2], 1]] }),
  sub: binaryRow(NUMERIC, { examples: [['u16', [0, 1], 65535], ['f64', [0, 0], 0], ['i32', [-(2 ** 31), 1], 2 ** 31 - 1]] }),
  mul: binaryRow(NUMERIC, { examples: [['i16', [256, 256], 0], ['f64', [-0, 5], -0], ['f32', [0, inf], nan], ['i64', [2n ** 62n, 2], -(2n ** 63n)]] }),
  div: binaryRow(NUMERIC, {
    examples: [
      ['i32', [7, 0], -1], ['u8', [7, 0], 255], ['i8', [-128, -1], -128], ['i64', [-7, 2], -3n], ['i32', [-7, -2], 3],
      ['f64', [1, -0], -inf], ['f64', [0, 0], nan], ['u64', [2n ** 64n - 1n, 2n ** 64n - 1n], 1n],
    ],
  }),
  rem: binaryRow(NUMERIC, {
    extra: [1e-300, 1e17],
    examples: [
      ['i32', [7, 0], 7], ['i8', [-128, -1], 0], ['i64', [-7, 2], -1n], ['i32', [7, -2], 1], ['u8', [250, 7], 5], ['f64', [-4, 2], -0],
      ['f64', [5.5, -2], 1.5], ['f64', [1, 0], nan], ['f64', [inf, 2], nan], ['f32', [3, inf], 3], ['f64', [2 ** 100, 7], 2],
    ],
  }),
  pow: binaryRow(NUMERIC, {
    ulp: 2,
    extra: [1 + 2 ** -20, 1023, -1074, 0.3333, 1000000, 1e-5, 17.25],
    examples: [
      ['f64', [nan, 0], 1], ['f64', [1, nan], 1], ['f64', [-8, 1 / 3], nan], ['f64', [-2, 3], -8], ['f64', [0, -1], inf], ['f64', [-0, -3], -inf],
      ['f64', [-1, inf], 1], ['f32', [2, 0.5], Math.fround(Math.SQRT2)], ['i32', [3, 4], 81], ['i32', [2, -1], 0], ['i32', [-1, -3], -1],
      ['i8', [2, 7], -128], ['u8', [3, 5], 243], ['i64', [0, 0], 1n], ['i32', [0, -1], 0],
    ],
  }),
  min: binaryRow(ALL, { examples: [['f64', [0, -0], -0], ['f64', [1, nan], nan], ['f32', [nan, 1], nan], ['i8', [-128, 127], -128], ['bool', [1, 0], 0], ['u8', [200, 3], 3]] }),
  max: binaryRow(ALL, { examples: [['f64', [-0, 0], 0], ['f64', [nan, inf], nan], ['u64', [2n ** 63n, 1], 2n ** 63n], ['bool', [1, 0], 1], ['i16', [-1, 1], 1]] }),
  atan2: binaryRow(FLOATS, { ulp: 2, examples: [['f64', [0, -0], Math.PI], ['f64', [-0, 1], -0], ['f64', [1, 0], Math.PI / 2], ['f64', [inf, -inf], (3 * Math.PI) / 4]] }),
  hypot: binaryRow(FLOATS, { ulp: 2, extra: [3e300, 4e300, 3e-200], examples: [['f64', [3, 4], 5], ['f64', [nan, -inf], inf], ['f64', [3e300, 4e300], 5e300], ['f32', [-0, 0], 0]] }),
  and: binaryRow(LOGIC, { examples: [['bool', [1, 0], 0], ['i8', [-1, 5], 5], ['u16', [12, 10], 8]] }),
  or: binaryRow(LOGIC, { examples: [['bool', [1, 0], 1], ['u16', [12, 10], 14]] }),
  xor: binaryRow(LOGIC, { examples: [['bool', [1, 1], 0], ['u16', [12, 10], 6], ['i64', [-1, 1], -2n]] }),
  shl: binaryRow(INTEGERS, { examples: [['i8', [1, 7], -128], ['i8', [1, 8], 0], ['i32', [1, -1], 0], ['u64', [1, 63], 2n ** 63n], ['u8', [255, 255], 0]] }),
  shr: binaryRow(INTEGERS, { examples: [['i8', [-128, 7], -1], ['i8', [-128, 8], -1], ['i32', [5, -1], 0], ['u8', [128, 7], 1], ['u64', [2n ** 63n, 64], 0n], ['i64', [-5, -1], -1n]] }),
  eq: comparison([['f64', [0, -0], 1], ['f64', [nan, nan], 0], ['u8', [255, 255], 1], ['bool', [0, 0], 1]]),
  ne: comparison([['f64', [nan, nan], 1], ['i64', [1, 2], 1], ['bool', [1, 1], 0]]),
  lt: comparison([['f64', [-0, 0], 0], ['f32', [nan, 1], 0], ['u8', [127, 128], 1], ['i8', [127, -128], 0], ['bool', [0, 1], 1]]),
  le: comparison([['f64', [0, -0], 1], ['f64', [1, nan], 0], ['u64', [2n ** 63n, 1], 0]]),
  gt: comparison([['f64', [inf, 1], 1], ['f64', [nan, nan], 0], ['i32', [-1, 1], 0], ['u32', [4294967295, 1], 1]]),
  ge: comparison([['f64', [-0, 0], 1], ['f64', [nan, 1], 0], ['i16', [5, 5], 1]]),
};

/** The method of an op. @type {(name: string) => string} */
const methodOf = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

for (const [name, row] of Object.entries(binary)) {
  // Without a second operand min and max are reductions.
  row.bad = badPair(methodOf(name), row.dtypes[0]).slice(0, name === 'min' || name === 'max' ? 3 : 4);
}

/** @type {Record<string, any>} */
const otherElementwise = {
  select: {
    arity: 3,
    first: 'bool',
    dtypes: ALL,
    examples: [['f64', [1, -0, nan], -0], ['i8', [0, 1, -128], -128], ['bool', [1, 0, 1], 0]],
    bad: [
      [(g) => input(g).select(1, 2), 'ERR_DTYPE', /select: operand 1 \(%1\) is f32, but it must be bool/],
      [(g) => input(g, 'bool').select(input(g, 'i32', [4], 'i'), input(g, 'f32', [4], 'f')), 'ERR_DTYPE', /i32 \(%2\) and f32 \(%3\)/],
      [(g) => g.input('p', 'bool', [2]).select(...two(g, [3, 4], [4], 'u8')), 'ERR_SHAPE', /select: axis \d of shapes/],
    ],
  },
  fma: {
    arity: 3,
    dtypes: FLOATS,
    extra: [1 + 2 ** -52, 1 - 2 ** -53, 2 ** -1050, 2 ** -140, 1e200, 1 / 3],
    examples: [
      ['f64', [1 + 2 ** -30, 1 + 2 ** -30, -1 - 2 ** -29], 2 ** -60], ['f64', [1e200, 1e200, -inf], -inf], ['f64', [0, inf, 1], nan],
      ['f32', [1 + 2 ** -12, 1 + 2 ** -12, -1 - 2 ** -11], 2 ** -24], ['f64', [0, -1, -0], -0], ['f64', [1, 1, -1], 0],
    ],
    bad: [[(g) => input(g).fma(input(g, 'f32', [4], 'y')), 'ERR_ARGUMENT', /fma: expected 3 operands for the call, got 2/]],
  },
  convert: {
    dtypes: ALL,
    extra: [127.9, 128, -128.9, -129, 32767.9, -32769, 65536, 2147483647.5, -2147483649, 4294967295.5, 2 ** 63 - 1024, -1.9e19, 16777217, 33554435],
    variants: () => ALL.map((dtype) => [dtype]),
    examples: [],
    bad: [
      [(g) => input(g).convert('f128'), 'ERR_ARGUMENT', /convert: unknown dtype 'f128', known dtypes are 'f64', /],
    ],
  },
  bitcast: {
    dtypes: NUMERIC,
    variants: (/** @type {string} */ dtype) => NUMERIC.filter((to) => to.slice(1) === dtype.slice(1)).map((to) => [to]),
    examples: [],
    bad: [
      [(g) => input(g).bitcast('f64'), 'ERR_DTYPE', /bitcast: f32 \(%1\) has 32 bits, but f64 has 64/],
      [(g) => input(g, 'u8').bitcast('bool'), 'ERR_DTYPE', /bitcast: dtype is bool/],
    ],
  },
};

/** Shapes of every rank, without and with a symbol in front. */
const ranks = Array.from({ length: 9 }, (_, rank) => [2, 1, 3, 2, 1, 2, 2, 1].slice(0, rank));
const smallSizes = [{ n: 5, m: 3 }, { n: 1, m: 1 }, { n: 17, m: 4 }, { n: 33, m: 9 }, { n: 0, m: 2 }, { n: 8, m: 0 }];

/** A case of one operand. @type {(shape: any[], build: (x: any, g: Graph, dtype: any) => Value) => any} */
const on = (shape, build) => ({ shapes: [shape], build: ([x], g, dtype) => build(x, g, dtype) });
/** A case of several operands. @type {(shapes: any[][], build: (...values: any[]) => Value) => any} */
const of = (shapes, build) => ({ shapes, build: (values) => build(...values) });

const grid = (/** @type {Graph} */ g) => g.constant([[1, 2, 3], [4, 5, 6]], { dtype: 'i32' });
const starts = (/** @type {string} */ dtype) => ({ dtype, scalars: [-100, -1, 0, 1, 2, 3, 100] });

/** @type {(g: any, shape: any[], dtype: string) => any} */
const bitsOf = (g, shape, dtype) => g.constant(Uint32Array.of(1, 2)).rngBits(shape, { dtype });

/** @type {Record<string, any>} */
const leaves = {
  param: {
    dtypes: ALL,
    symbols: smallSizes,
    cases: [...ranks.map((shape) => on(shape, (x) => x)), on(['n', 'm'], (x) => x), on(['n'], (x) => x)],
    examples: [],
    bad: [
      [(g) => { input(g); return input(g); }, 'ERR_ARGUMENT', /input "x": the name is taken by %1/],
      [(g) => input(g, 'f32', [1, 1, 1, 1, 1, 1, 1, 1, 1]), 'ERR_SHAPE', /8/],
      [(g) => input(g, 'f32', [-1]), 'ERR_ARGUMENT', /expected a size .* got -1/],
    ],
  },
  const: {
    dtypes: ALL,
    symbols: smallSizes,
    cases: [
      { shapes: [], build: (_, g, dtype) => g.constant(arrayOf(dtype, specials(dtype)), { dtype }) },
      ...ranks.map((shape) => on([], (x, g, dtype) => x.min(g.constant(1, { dtype, shape })))),
      on(['n', 'm'], (x, g, dtype) => x.min(g.constant(1, { dtype, shape: ['m'] }))),
    ],
    examples: [[(g) => g.constant([[1.5, -0], [Infinity, NaN]]), [[1.5, -0], [Infinity, NaN]]], [(g) => g.constant(-5n, { shape: [2] }), [-5n, -5n]]],
    bad: [
      [(g) => g.constant([[1], [1, 2]]), 'ERR_SHAPE', /ragged array: element \[1\] has length 2, element \[0\] has 1/],
      [(g) => g.constant(300, { dtype: 'u8' }), 'ERR_DTYPE', /u8 holds the integers 0 to 255, the value is 300/],
    ],
  },
  iota: {
    dtypes: NUMERIC,
    symbols: smallSizes,
    cases: [
      { shapes: [], build: (_, g, dtype) => g.iota([300], { dtype }) },
      { shapes: [], build: (_, g, dtype) => g.iota([3, 4, 5], { dtype, axis: 1 }) },
      { shapes: [], build: (_, g, dtype) => g.iota([0], { dtype }) },
      on(['n', 'm'], (x, g, dtype) => x.add(g.iota(['n', 'm'], { dtype, axis: 0 }))),
      on(['n', 'm'], (x, g, dtype) => x.add(g.iota(['n', 'm'], { dtype, axis: 1 }))),
    ],
    examples: [[(g) => g.iota([2, 3], { axis: 1 }), [[0n, 1n, 2n], [0n, 1n, 2n]]], [(g) => g.iota(3, { dtype: 'f32' }), [0, 1, 2]]],
    bad: [
      [(g) => g.iota([3], { axis: 1 }), 'ERR_SHAPE', /iota: axis 1 is out of range for rank 1/],
      [(g) => g.iota([]), 'ERR_SHAPE', /iota: axis 0 is out of range for rank 0/],
      [(g) => g.iota([3], { dtype: 'bool' }), 'ERR_DTYPE', /iota: dtype is bool/],
    ],
  },
  rng_bits: {
    dtypes: INTEGERS,
    symbols: smallSizes,
    cases: [
      { shapes: [], build: (_, g, dtype) => bitsOf(g, [300], 'u32').convert(dtype) },
      { shapes: [], build: (_, g, dtype) => bitsOf(g, [3, 4, 5], 'u64').T.convert(dtype) },
      on(['n', 'm'], (x, g, dtype) => x.add(bitsOf(g, ['n', 'm'], 'u32').convert(dtype))),
    ],
    examples: [[(g) => bitsOf(g, [2], 'u64'), [2701842238948786916n, 2701551558830737608n]]],
    bad: [
      [(g) => input(g, 'u32', [3]).rngBits([1]), 'ERR_SHAPE', /rng_bits: the key \(%1\) is u32\[3\], but it must be u32\[2\]/],
      [(g) => input(g, 'f64', [2]).rngBits([1]), 'ERR_DTYPE', /rng_bits: operand 1 \(%1\) is f64/],
      [(g) => bitsOf(g, [1], 'i32'), 'ERR_DTYPE', /rng_bits: dtype is i32, but it must be u32 or u64/],
    ],
  },
};

/** @type {Record<string, any>} */
const movement = {
  reshape: {
    symbols: smallSizes,
    cases: [
      ...ranks.map((shape) => on(shape, (x) => x.reshape([-1]))),
      ...ranks.slice(1).map((shape) => on([shape.reduce((a, b) => a * b, 1)], (x) => x.reshape(shape))),
      on([2, 3, 4], (x) => x.transpose().reshape([6, 4])),
      on([6, 4], (x) => x.slice([null, null, -2]).reshape([2, 2, 3]).transpose([2, 0, 1])),
      on(['n', 6], (x) => x.reshape(['n', 2, 3])),
      on(['n', 'm'], (x) => x.reshape(['n * m'])),
      on(['n', 'm'], (x) => x.T.reshape([-1])),
      on(['n', 'm', 2], (x) => x.reshape(['n', -1]).reshape([-1, 2, 1])),
      on([0, 3], (x) => x.reshape([7, 0, 2])),
    ],
    examples: [[(g) => grid(g).reshape([3, 2]), [[1, 2], [3, 4], [5, 6]]], [(g) => grid(g).slice([0, 1], [0, 1]).reshape([]), 1]],
    bad: [
      [(g) => input(g).reshape([5]), 'ERR_SHAPE', /reshape: \[3, 4\] has 12 elements, but \[5\] has 5/],
      [(g) => input(g).reshape([-1, 5]), 'ERR_SHAPE', /reshape: no size for -1/],
      [(g) => input(g).reshape([2, 2, 3, 1, 1, 1, 1, 1, 1]), 'ERR_SHAPE', /8/],
    ],
  },
  transpose: {
    symbols: smallSizes,
    cases: [
      ...ranks.map((shape) => on(shape, (x) => x.transpose())),
      ...[[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map((axes) => on([3, 4, 5], (x) => x.transpose(axes))),
      on([17, 19], (x) => x.T),
      ...[[0, 2, 1], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map((axes) => on([2, 19, 35], (x) => x.transpose(axes))),
      on([16, 200], (x) => x.T),
      on(['n', 'm'], (x) => x.T),
      on(['n', 3, 'm'], (x) => x.transpose([2, 0, 1])),
      on(['n', 3, 'm'], (x) => x.transpose([0, 2, 1]).transpose([1, 0, 2])),
    ],
    examples: [[(g) => grid(g).T, [[1, 4], [2, 5], [3, 6]]]],
    bad: [
      [(g) => input(g).transpose([0, 0]), 'ERR_SHAPE', /transpose: axis 0 is named twice in \[0, 0\]/],
      [(g) => input(g).transpose([0]), 'ERR_SHAPE', /expected an array of all 2 axes/],
      [(g) => input(g).transpose([0, 2]), 'ERR_SHAPE', /axis 2 is out of range for rank 2/],
    ],
  },
  broadcast: {
    symbols: smallSizes,
    cases: [
      on([], (x) => x.broadcast([4, 5], [])),
      on([3], (x) => x.broadcast([3, 9], [0])),
      on([3], (x) => x.broadcast([9, 3], [1])),
      on([1, 3], (x) => x.broadcast([5, 3, 2], [0, 1])),
      on([2, 1, 3], (x) => x.broadcastTo([4, 2, 7, 3])),
      on(['n'], (x) => x.broadcast(['n', 'm'], [0])),
      on(['m'], (x) => x.broadcast(['n', 'm'], [1])),
      on([1, 'm'], (x) => x.broadcastTo(['n', 'm'])),
      on([], (x) => x.broadcastTo(['n'])),
      on([2], (x) => x.broadcast([1, 2, 3, 1, 2, 1, 2, 2], [4])),
    ],
    examples: [[(g) => g.constant([1, 2]).broadcast([2, 3], [0]), [[1, 1, 1], [2, 2, 2]]]],
    bad: [
      [(g) => input(g).broadcast([2, 3], [0, 1]), 'ERR_SHAPE', /broadcast: axis 0 of operand %1 has size 3, but axis 0 of \[2, 3\] has 2/],
      [(g) => input(g).broadcast([3, 4, 5], [0]), 'ERR_SHAPE', /expected 2 axes, one for each of the operand/],
    ],
  },
  slice: {
    symbols: [{ n: 5, m: 3 }, { n: 3, m: 3 }, { n: 17, m: 4 }, { n: 33, m: 9 }],
    cases: [
      on([20], (x) => x.slice([3, 15])),
      on([20], (x) => x.slice([1, null, 3])),
      on([20], (x) => x.slice([null, null, -1])),
      on([20], (x) => x.slice([-2, 2, -3])),
      on([20], (x) => x.slice([5, 5])),
      on([20], (x) => x.slice(7)),
      on([4, 5, 6], (x) => x.slice([1, 3], [null, null, -2], 2)),
      on([4, 5, 6], (x) => x.slice('...', [null, null, 2])),
      on([4, 5, 6], (x) => x.slice([null, null, -1], [1, 4]).slice([1, 3], [null, null, -1], [4, null, -2])),
      on(ranks[8], (x) => x.slice('...', 1, [0, 1])),
      on(['n'], (x) => x.slice([1, null])),
      on(['n'], (x) => x.slice([null, -1])),
      on(['n'], (x) => x.slice([null, null, -1])),
      on(['n'], (x) => x.slice([null, null, 2])),
      on(['n'], (x) => x.slice([null, null, -3])),
      on(['n', 'm'], (x) => x.slice(-1, [1, -1])),
      on(['n', 'm'], (x) => x.slice([2, null], [null, null, -1])),
    ],
    examples: [[(g) => grid(g).slice(null, [null, null, -2]), [[3, 1], [6, 4]]], [(g) => grid(g).slice(-1, 0), 4]],
    bad: [
      [(g) => input(g).slice(null, 5), 'ERR_SHAPE', /slice: index 5 is out of range for axis 1 of size 4/],
      [(g) => input(g).slice(0, 0, 0), 'ERR_SHAPE', /slice: 3 ranges for rank 2, shape \[3, 4\]/],
      [(g) => input(g).slice([0, 2, 0]), 'ERR_ARGUMENT', /slice/],
    ],
  },
  dynamic_slice: {
    symbols: [{ n: 5, m: 3 }, { n: 4, m: 3 }, { n: 17, m: 4 }, { n: 33, m: 9 }],
    cases: [
      of([[10], starts('i32')], (x, i) => x.dynamicSlice([i], [4])),
      of([[10], starts('i64')], (x, i) => x.dynamicSlice([i], [10])),
      of([[10], { dtype: 'u64', scalars: [0n, 1n, 6n, 7n, 2n ** 63n, 2n ** 64n - 1n] }], (x, i) => x.dynamicSlice([i], [4])),
      of([[10], { dtype: 'u8', scalars: [0, 6, 7, 255] }], (x, i) => x.dynamicSlice([i], [3])),
      of([[10], { dtype: 'i64', scalars: [2n ** 63n - 1n, -(2n ** 63n)] }], (x, i) => x.dynamicSlice([i], [4])),
      of([[4, 5, 6], starts('i8')], (x, i) => x.dynamicSlice([i, 1, i], [2, 3, 4])),
      of([[4, 5], starts('i16')], (x, i) => x.T.dynamicSlice([i, i], [3, 2])),
      of([['n', 'm'], starts('i32')], (x, i) => x.dynamicSlice([i, i], ['n - 3', 2])),
      of([['n', 'm'], starts('i32')], (x, i) => x.dynamicSlice([i, 0], [1, 'm'])),
      on([7], (x) => x.dynamicSlice([100], [0])),
    ],
    examples: [[(g) => grid(g).dynamicSlice([5, 1], [1, 2]), [[5, 6]]], [(g) => grid(g).dynamicSlice([-5, -1], [2, 1]), [[1], [4]]]],
    bad: [
      [(g) => input(g).dynamicSlice([0, 0], [4, 1]), 'ERR_SHAPE', /axis 0 of the window \[4, 1\] is larger than operand %1 \[3, 4\]/],
      [(g) => input(g).dynamicSlice([0], [1, 1]), 'ERR_SHAPE', /expected an array of 2 starts/],
      [(g) => input(g).dynamicSlice([input(g, 'f32', [], 's'), 0], [1, 1]), 'ERR_DTYPE', /f32/],
    ],
  },
  update_slice: {
    symbols: [{ n: 5, m: 3 }, { n: 4, m: 3 }, { n: 17, m: 4 }, { n: 33, m: 9 }],
    cases: [
      of([[10], [4], starts('i32')], (x, y, i) => x.updateSlice(y, [i])),
      of([[10], [10], starts('i64')], (x, y, i) => x.updateSlice(y, [i])),
      of([[10], [0], starts('u8')], (x, y, i) => x.updateSlice(y, [i.abs()])),
      of([[4, 5], [2, 3], starts('i8')], (x, y, i) => x.updateSlice(y, [i, i])),
      of([[4, 5], [3, 2], starts('i8')], (x, y, i) => x.updateSlice(y.T, [i, 1]).updateSlice(y, [1, i])),
      of([[4, 5], [4, 5], starts('i16')], (x, y, i) => x.min(y).updateSlice(x.max(y).slice([1, 3], [0, 4, 2]), [i, i])),
      of([['n', 'm'], [2, 'm'], starts('i32')], (x, y, i) => x.updateSlice(y, [i, 0])),
      of([['n', 'm'], ['n', 1], starts('i32')], (x, y, i) => x.updateSlice(y, [0, i])),
      of([[], []], (x, y) => x.updateSlice(y, [])),
    ],
    examples: [[(g) => grid(g).updateSlice(g.constant([[9, 8]], { dtype: 'i32' }), [9, -9]), [[1, 2, 3], [9, 8, 6]]]],
    bad: [
      [(g) => input(g).updateSlice(input(g, 'f32', [4, 1], 'y'), [0, 0]), 'ERR_SHAPE', /update_slice/],
      [(g) => input(g).updateSlice(input(g, 'f64', [1, 1], 'y'), [0, 0]), 'ERR_DTYPE', /f32 and f64/],
      [(g) => input(g).updateSlice(input(g, 'f32', [1], 'y'), [0, 0]), 'ERR_SHAPE', /update_slice/],
    ],
  },
  pad: {
    symbols: smallSizes,
    cases: [
      on([5], (x) => x.pad([[2, 3]])),
      on([5], (x) => x.pad([[2, 3]], { interior: 2, value: 1 })),
      on([5], (x) => x.pad([[-1, -2]])),
      on([5], (x) => x.pad([[-2, 1]], { interior: 1 })),
      on([5], (x) => x.pad([[-5, 0]])),
      on([0], (x) => x.pad([[2, 1]], { interior: 3, value: 1 })),
      on([3, 4], (x) => x.pad([[1, 0], [-1, 2]], { interior: [0, 1] })),
      on([3, 4], (x) => x.T.pad(1).T.min(x.pad(1, { value: 1 }))),
      of([[3, 4], []], (x, y) => x.pad(2, { value: y })),
      on(ranks[8], (x) => x.pad([[1, 0], [0, 0], [0, 1], [0, 0], [1, 1], [0, 0], [-1, 0], [0, 0]])),
      on([], (x) => x.pad([])),
      on(['n'], (x) => x.pad([[3, 1]], { value: 1 })),
      on(['n', 'm'], (x) => x.pad([[1, 1], [0, 2]], { interior: [1, 0] })),
      on(['n', 'm'], (x) => x.pad([[0, 1], [2, 0]]).pad([[0, -1], [-2, 0]])),
    ],
    examples: [[(g) => g.constant([1, 2, 3]).pad([[1, -1]], { interior: 1, value: 9 }), [9, 1, 9, 2, 9]], [(g) => grid(g).pad([[0, 1], [-1, 0]]), [[2, 3], [5, 6], [0, 0]]]],
    bad: [
      [(g) => input(g).pad(-2), 'ERR_SHAPE', /pad: axis 0 of shape \[-1, 0\] is negative: -1/],
      [(g) => input(g).pad(1, { interior: -1 }), 'ERR_ARGUMENT', /expected an integer of at least 0 for option 'interior', got -1/],
      [(g) => input(g).pad([[1, 1]]), 'ERR_SHAPE', /expected a number, or 2 pairs/],
      [(g) => input(g).pad(1, { value: input(g, 'f32', [3], 'y') }), 'ERR_SHAPE', /pad/],
    ],
  },
  concat: {
    symbols: smallSizes,
    cases: [
      of([[3], [4]], (x, y) => x.concat(y)),
      of([[3, 2], [3, 5], [3, 0]], (x, y, z) => x.concat([y, z], { axis: 1 })),
      of([[3, 2], [1, 2]], (x, y) => x.concat([y, x, y], { axis: 0 })),
      of([[3, 2], [2, 3]], (x, y) => x.T.concat(y.slice(null, [null, null, -1]), { axis: 0 })),
      of([[3, 2], [3, 2]], (x, y) => x.min(y).concat(x.max(y), { axis: -1 })),
      of([ranks[8], ranks[8]], (x, y) => x.concat(y, { axis: 5 })),
      of([[4]], (x) => x.concat([])),
      of([['n'], ['m']], (x, y) => x.concat(y)),
      of([['n', 'm'], ['n', 2]], (x, y) => x.concat([y, x], { axis: 1 })),
      of([['n', 'm'], ['n', 'm']], (x, y) => x.stack([y, x], { axis: 1 })),
    ],
    examples: [[(g) => grid(g).concat(grid(g).slice([0, 1]), { axis: 0 }), [[1, 2, 3], [4, 5, 6], [1, 2, 3]]]],
    bad: [
      [(g) => { const [x, y] = two(g, [3, 4], [3, 5]); return x.concat(y); }, 'ERR_SHAPE', /concat: axis 1 of shapes \[3, 4\] \(%1\) and \[3, 5\] \(%2\) differ: 4 vs 5/],
      [(g) => { const [x, y] = two(g, [3, 4], [3]); return x.concat(y); }, 'ERR_SHAPE', /concat/],
      [(g) => input(g).concat(input(g, 'bool', [3, 4], 'y')), 'ERR_DTYPE', /concat: f32 \(%1\) and bool \(%2\) have no common dtype/],
      [(g) => input(g).concat([], { axis: 2 }), 'ERR_SHAPE', /axis 2 is out of range for rank 2/],
      [(g) => input(g, 'f32', []).concat([]), 'ERR_SHAPE', /axis 0 is out of range for rank 0/],
    ],
  },
  reverse: {
    symbols: smallSizes,
    cases: [
      ...ranks.map((shape) => on(shape, (x) => x.reverse())),
      on([17], (x) => x.reverse()),
      on([3, 4, 5], (x) => x.reverse(1)),
      on([3, 4, 5], (x) => x.reverse([0, 2])),
      on([3, 4, 5], (x) => x.reverse([])),
      on(['n', 'm'], (x) => x.reverse(0)),
      on(['n', 'm'], (x) => x.T.reverse(0).T),
    ],
    examples: [[(g) => grid(g).reverse(1), [[3, 2, 1], [6, 5, 4]]]],
    bad: [
      [(g) => input(g).reverse([2]), 'ERR_SHAPE', /reverse: axis 2 is out of range for rank 2/],
      [(g) => input(g).reverse([0, -2]), 'ERR_SHAPE', /named twice/],
    ],
  },
};

/** @type {(op: string) => any[]} what every reduction refuses */
const badAxes = (op, dtype = 'i32') => [
  [(g) => input(g, dtype)[op](2), 'ERR_SHAPE', /axis 2 is out of range for rank 2/],
  [(g) => input(g, dtype)[op]([0, -2]), 'ERR_SHAPE', /axis 0 is named twice/],
];
const corner = (/** @type {Graph} */ g, /** @type {string} */ dtype) => g.constant([[0, 1], [3, 1]], { dtype: /** @type {any} */ (dtype) });
const none = (/** @type {Graph} */ g, /** @type {string} */ dtype) => g.constant([], { dtype: /** @type {any} */ (dtype), shape: [2, 0] });

/** `rounds`: float results depend on the order, within the bound of docs/numerics.md. @type {Record<string, any>} */
const reductions = {
  reduce_sum: {
    dtypes: NUMERIC,
    rounds: true,
    examples: [
      [(g) => corner(g, 'f64').reduceSum(1), [1, 4]], [(g) => none(g, 'f32').reduceSum(1), [0, 0]],
      [(g) => g.constant([200, 100], { dtype: 'u8' }).reduceSum(), 44], [(g) => g.constant([Infinity, -Infinity]).reduceSum(), NaN],
    ],
    bad: badAxes('reduceSum'),
  },
  reduce_prod: {
    dtypes: NUMERIC,
    rounds: true,
    examples: [[(g) => corner(g, 'i32').reduceProd(1), [0, 3]], [(g) => none(g, 'f32').reduceProd(1), [1, 1]], [(g) => g.constant([16, 17], { dtype: 'i8' }).reduceProd(), 16]],
    bad: badAxes('reduceProd'),
  },
  reduce_min: {
    dtypes: ALL,
    examples: [
      [(g) => corner(g, 'f64').reduceMin(1), [0, 1]], [(g) => none(g, 'f64').reduceMin(1), [Infinity, Infinity]],
      [(g) => none(g, 'i8').reduceMin(1), [127, 127]], [(g) => none(g, 'bool').reduceMin(1), [true, true]],
      [(g) => g.constant([1, NaN, -1]).reduceMin(), NaN], [(g) => g.constant([0, -0]).reduceMin(), -0],
    ],
    bad: badAxes('reduceMin'),
  },
  reduce_max: {
    dtypes: ALL,
    examples: [
      [(g) => corner(g, 'u8').reduceMax(0), [3, 1]], [(g) => none(g, 'f32').reduceMax(1), [-Infinity, -Infinity]],
      [(g) => none(g, 'i16').reduceMax(1), [-32768, -32768]], [(g) => none(g, 'bool').reduceMax(1), [false, false]],
      [(g) => g.constant([1, NaN, 5]).reduceMax(), NaN], [(g) => g.constant([-0, 0]).reduceMax(), 0],
    ],
    bad: badAxes('reduceMax'),
  },
  reduce_and: {
    dtypes: LOGIC,
    examples: [[(g) => corner(g, 'u8').reduceAnd(1), [0, 1]], [(g) => none(g, 'bool').reduceAnd(1), [true, true]], [(g) => none(g, 'i8').reduceAnd(1), [-1, -1]]],
    bad: badAxes('reduceAnd'),
  },
  reduce_or: {
    dtypes: LOGIC,
    examples: [[(g) => corner(g, 'i64').reduceOr(1), [1n, 3n]], [(g) => none(g, 'bool').reduceOr(1), [false, false]]],
    bad: badAxes('reduceOr'),
  },
  argmin: {
    dtypes: ALL,
    examples: [
      [(g) => corner(g, 'f64').argmin({ axis: 0 }), [0n, 0n]], [(g) => none(g, 'f64').argmin({ axis: 1 }), [-1n, -1n]],
      [(g) => g.constant([3, NaN, 1, NaN]).argmin(), 1n], [(g) => g.constant([2, 1, 1, 2]).argmin(), 1n], [(g) => corner(g, 'u8').argmin(), 0n],
      [(g) => g.constant([0, -0]).argmin(), 0n],
    ],
    bad: [[(g) => input(g).argmin({ axis: 3 }), 'ERR_SHAPE', /argmin: axis 3 is out of range for rank 2/]],
  },
  argmax: {
    dtypes: ALL,
    examples: [
      [(g) => corner(g, 'i8').argmax(), 2n], [(g) => g.constant([1, 5, 5, NaN]).argmax(), 3n], [(g) => g.constant([true, true]).argmax(), 0n],
      [(g) => none(g, 'u8').argmax({ axis: 1 }), [-1n, -1n]],
    ],
    bad: [[(g) => input(g).argmax({ axis: -3 }), 'ERR_SHAPE', /argmax: axis -3 is out of range for rank 2/]],
  },
};

/** Never exact, unlike the others: compared within a bound. @type {Record<string, any>} */
const moments = {
  reduce_moments: {
    dtypes: FLOATS,
    examples: [
      [(g) => corner(g, 'f64').reduceMoments(1), [0.5, 2]], [(g) => none(g, 'f32').reduceMoments(1), [NaN, NaN]],
      [(g) => g.constant([7, 7, 7]).reduceMoments(), 0], [(g) => g.constant([1, Infinity]).reduceMoments(), NaN],
      [(g) => g.constant([1e8, 1e8 + 2], { dtype: 'f64' }).reduceMoments(), 2],
    ],
    bad: badAxes('reduceMoments'),
  },
};

/** @type {(method: string) => any[][]} what is no axis */
const badAxis = (method) => [
  [(/** @type {any} */ g) => input(g)[method](2), 'ERR_SHAPE', new RegExp(`^${method}: axis 2 is out of range for rank 2`)],
  [(/** @type {any} */ g) => input(g)[method](), 'ERR_ARGUMENT', new RegExp(`^${method}: expected an axis for a value of rank 2`)],
  [(/** @type {any} */ g) => input(g)[method]([0]), 'ERR_ARGUMENT', new RegExp(`^${method}: expected an integer for axis`)],
];

/** Running reductions, along one axis. */
const running = {
  cumulate_sum: {
    dtypes: NUMERIC,
    examples: [
      [(g) => corner(g, 'f64').cumulateSum(1), [[0, 1], [3, 4]]], [(g) => corner(g, 'f32').cumulateSum(0), [[0, 1], [3, 2]]],
      [(g) => g.constant([200, 100], { dtype: 'u8' }).cumulateSum(), [200, 44]], [(g) => none(g, 'i32').cumulateSum(1), [[], []]],
      [(g) => g.constant([1, Infinity, 1, -Infinity, 1]).cumulateSum(), [1, Infinity, Infinity, NaN, NaN]],
    ],
    bad: badAxis('cumulateSum'),
  },
  cumulate_prod: {
    dtypes: NUMERIC,
    examples: [[(g) => g.constant([2, -3, 0.5]).cumulateProd(), [2, -6, -3]], [(g) => corner(g, 'i16').cumulateProd(-1), [[0, 0], [3, 3]]]],
    bad: badAxis('cumulateProd'),
  },
  cumulate_min: {
    dtypes: NUMERIC,
    examples: [[(g) => g.constant([2, 3, -1, NaN, -5]).cumulateMin(), [2, 2, -1, NaN, NaN]], [(g) => corner(g, 'u8').cumulateMin(0), [[0, 1], [0, 1]]]],
    bad: badAxis('cumulateMin'),
  },
  cumulate_max: {
    dtypes: NUMERIC,
    examples: [[(g) => g.constant([0, -0, 2, 1]).cumulateMax(), [0, 0, 2, 2]], [(g) => corner(g, 'i64').cumulateMax(1), [[0n, 1n], [3n, 3n]]]],
    bad: badAxis('cumulateMax'),
  },
};

/** Sums of products; contract.test.js has their cases. */
const contractions = {
  dot_general: {
    dtypes: NUMERIC,
    examples: [
      [(g) => corner(g, 'f64').dotGeneral(corner(g, 'f64'), { contract: [1, 0] }), [[3, 1], [3, 4]]],
      [(g) => corner(g, 'f32').dotGeneral([[5, 7], [1, 2]], { contract: [1, 1], batch: [0, 0] }), [7, 5]],
      [(g) => g.constant([100, 3], { dtype: 'i8' }).dotGeneral(g.constant([2, 1], { dtype: 'i8' }), { contract: [0, 0] }), -53],
      [(g) => g.constant([1, 2]).dotGeneral([3, 4], {}), [[3, 4], [6, 8]]],
      [(g) => none(g, 'f32').dotGeneral(none(g, 'f32'), { contract: [1, 1] }), [[0, 0], [0, 0]]],
      [(g) => g.constant([-0]).dotGeneral([1], { contract: [0, 0] }), 0],
      [(g) => g.constant([Infinity, 1]).dotGeneral([0, 1], { contract: [0, 0] }), NaN],
    ],
    bad: [
      [(g) => input(g).dotGeneral(input(g, 'f32', [5], 'y'), { contract: [1, 0] }), 'ERR_SHAPE', /^dotGeneral: axis 1 of \[3, 4\] has size 4, but axis 0 of \[5\] has size 5$/],
      [(g) => input(g).dotGeneral(2, { contract: [[0, 1], [0]] }), 'ERR_SHAPE', /^dotGeneral: axis 0 is out of range for rank 0/],
      [(g) => input(g).dotGeneral(input(g, 'f32', [3], 'y'), { contract: [[0, 1], [0]] }), 'ERR_SHAPE', /expected as many axes of one operand as of the other for option 'contract'/],
      [(g) => input(g).dotGeneral(input(g, 'f32', [3], 'y'), { contract: 1 }), 'ERR_ARGUMENT', /expected axes of both operands, .* for option 'contract', got 1/],
      [(g) => input(g).dotGeneral(input(g, 'f32', [3, 4], 'y'), { contract: [0, 0], batch: [0, 0] }), 'ERR_SHAPE', /axis 0 of operand %1 is named twice/],
      [(g) => input(g, 'bool').dotGeneral(input(g, 'bool', [3], 'y'), { contract: [0, 0] }), 'ERR_DTYPE', /dot_general: operand 1 \(%1\) is bool, but the op takes numbers/],
    ],
  },
};

/** Sorts along one axis; test/ops/sorting.test.js runs them. */
const sorts = {
  sort: {
    dtypes: ALL,
    examples: [
      [(g) => g.constant([2, NaN, -1, 0, -0, Infinity]).sort(), [-1, 0, -0, 2, Infinity, NaN]],
      [(g) => g.constant([2, NaN, -0, 0]).sort({ descending: true }), [NaN, 2, -0, 0]],
      [(g) => corner(g, 'i8').sort({ axis: 0, descending: true }), [[3, 1], [0, 1]]],
      [(g) => g.constant([true, false, true]).sort(), [false, true, true]],
    ],
    bad: [
      [(g) => input(g).sort({ axis: 2 }), 'ERR_SHAPE', /sort: axis 2 is out of range for rank 2/],
      [(g) => input(g, 'f32', []).sort(), 'ERR_SHAPE', /sort: a value without axes has no order/],
      [(g) => input(g).sort({ decending: true }), 'ERR_ARGUMENT', /unknown option 'decending' \(did you mean 'descending'\?\)/],
      [(g) => { const [x, y] = two(g, [3, 4], [3]); return x.sortBy(y); }, 'ERR_SHAPE', /sort: operand %2 has shape \[3\], but %1 has \[3, 4\]/],
      [(g) => input(g).argsort({ dtype: 'f32' }), 'ERR_ARGUMENT', /argsort: expected one of 'i32', 'i64', 'u32', 'u64' for option 'dtype'/],
    ],
  },
  top_k: {
    dtypes: ALL,
    examples: [
      [(g) => g.constant([2, NaN, -1, 7]).topk(2).values, [NaN, 7]],
      [(g) => g.constant([2, 1, 2, 1]).topk(3, { largest: false }).indices, [1n, 3n, 0n]],
      [(g) => g.constant([2, 1]).topk(0).indices, []],
    ],
    bad: [
      [(g) => input(g).topk(5).values, 'ERR_SHAPE', /top_k: count is 5, but axis 1 of \[3, 4\] \(%1\) has size 4/],
      [(g) => input(g).topk(-1).values, 'ERR_ARGUMENT', /topk: expected a size .* for the count, got -1/],
      [(g) => input(g).kthValue(0).values, 'ERR_ARGUMENT', /kthValue: expected an integer of at least 1 for k, got 0/],
    ],
  },
};

/** In text only: argmin and argmax of two axes at once, with indices of any integer type. */
const texts = {
  result: {
    dtypes: ['f64', 'f32', 'i16', 'u64', 'bool'],
    symbols: smallSizes,
    text: (/** @type {string} */ dtype, /** @type {string} */ index) => `graph "pair" {
  %1 = param "x" : ${dtype}[n, 3, m]
  %2 = iota {dtype=${index}, shape=[n * 3 * m], axis=0}
  %3 = reshape %2 {shape=[n, 3, m]}
  %4 = argmax %1, %3 {axes=[0, 2]}
  %5 = result %4 {index=1}
  %6 = result %4 {index=0}
  %7 = argmin %1, %3 {axes=[1, 2]}
  %8 = result %7 {index=1}
  output "greatest" = %4
  output "same" = %6
  output "where" = %5
  output "least" = %8
}
`,
    bad: [
      ['graph "g" {\n  %1 = param "x" : f64[2]\n  %2 = result %1 {index=1}\n}\n', 'ERR_ARGUMENT', /result: index 1, but %1 \(param\) has 1 result/],
      [
        'graph "g" {\n  %1 = param "x" : f64[2]\n  %2 = iota {dtype=u16, shape=[2], axis=0}\n  %3 = argmin %1, %2 {axes=[0]}\n}\n',
        'ERR_DTYPE',
        /argmin: indices \(%2\) are u16, but they must be i32, i64, u32 or u64/,
      ],
    ],
  },
};

const elementwise = { ...unary, ...binary, ...otherElementwise };
for (const [name, row] of Object.entries(unary)) {
  row.bad = [[(g) => /** @type {any} */ (input(g, 'f64'))[methodOf(name)](1), 'ERR_ARGUMENT', /expected 1 operands for the call, got 2/]];
}

module.exports = { contractions, elementwise, leaves, moments, movement, reductions, running, sorts, texts };
