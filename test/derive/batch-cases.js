// What each op is batched for: a function of one example with inputs of the given shapes, so that whatever subset of them
// is batched can be compared with a loop over examples.
//
// Elementwise ops are made from the rows of test/ops/table.js, movement has its cases there as well; here are the others,
// by op: { shapes, build, dtypes }. A shape may be { dtype, shape, values }: an input of its own dtype, which takes these
// values in turn. A function may give an array of values.
'use strict';

const { cond, forLoop, native, scan, switchCase, whileLoop } = require('graphjit');
const { append, dimsOf, stateOf, within } = require('../../lib/graph/value.js');
const { Body, Captures } = require('../../lib/trace/control.js');
const { leaves, movement } = require('../ops/table.js');

/** @typedef {any} Value */

const FLOATS = ['f64', 'f32'];

/** @type {(values: (number | bigint)[], shape?: any[], dtype?: string) => any} integers in turn */
const integers = (values, shape = [], dtype = 'i64') => ({ dtype, shape, values });
const starts = integers([-3, 0, 1, 2, 5, 1, 9]);
const bools = (/** @type {any[]} */ shape = []) => integers([1, 0, 0, 1, 1, 0, 1], shape, 'bool');

/** @type {(shapes: any[], build: (...values: any[]) => any, dtypes?: string[]) => any} */
const of = (shapes, build, dtypes = FLOATS) => ({ shapes, build, dtypes });

/** @type {(method: string, dtypes: string[]) => any[]} */
const reduction = (method, dtypes) => [
  of([[5]], (x) => x[method](0), dtypes),
  of([[2, 3, 4]], (x) => x[method]([0, 2]), dtypes),
  of([[2, 3]], (x) => x[method]([]), dtypes),
  of([[2, 0, 3]], (x) => x[method](1), dtypes),
  of([[3, 'n']], (x) => x[method](1), dtypes),
];

/** @type {(method: string) => any[]} */
const running = (method) => [
  of([[5]], (x) => x[method](0), ['f64', 'i32']),
  of([[2, 3, 4]], (x) => x[method](1), ['f64', 'i32']),
  of([['n', 3]], (x) => x[method](0), ['f64']),
];

/** Each as alike for all scatters. @type {(method: string, dtypes: string[]) => any[]} */
const scattering = (method, dtypes) => [
  of([[4, 3], integers([0, 3, 1, 1, -1, 2], [2, 1]), [2, 3]], (x, at, u) => x[method](at, u, { collapsedAxes: [0], indexMap: [0], offsetAxes: [1] }), dtypes),
  of([[5], integers([0, 4, 3, -2, 1], [3, 1]), [3, 2]], (x, at, u) => x[method](at, u, { indexMap: [0], offsetAxes: [1] }), dtypes),
  of([[2, 4], integers([0, 3, 1, 2, 4], [2, 3, 1]), [2, 3]],
    (x, at, u) => x[method](at, u, { collapsedAxes: [1], operandBatch: [0], indicesBatch: [0], indexMap: [1] }), dtypes),
  of([['n', 3], integers([0, 1, 2, 5], [2, 1]), [2, 3]], (x, at, u) => x[method](at, u, { collapsedAxes: [0], indexMap: [0], offsetAxes: [1] }), dtypes),
];

/** @type {(method: string) => any[]} */
const windowing = (method) => [
  of([[7]], (x) => x[method](3), ['f64', 'i32']),
  of([[5, 6]], (x) => x[method]([2, 3], { stride: [1, 2], padding: [[1, 0], [0, 2]] }), ['f64', 'i32']),
  of([[6]], (x) => x[method](2, { dilation: 2, baseDilation: 2 }), ['f64']),
  of([['n', 4]], (x) => x[method]([1, 2]), ['f64']),
];

const choices = [(/** @type {Value} */ v) => v.add(1), (/** @type {Value} */ v) => v.mul(v), (/** @type {Value} */ v) => v.neg()];
const cubed = native((/** @type {number} */ x, /** @type {number} */ y) => x * x * x - y);

/** Symmetric and far from singular. @type {(x: Value) => Value} */
function definite(x) {
  const square = x.matmul(x.mT);
  return square.add(square.mul(0).add(1).tril().triu());
}

/** An op that calls a function of the graph. @type {(op: string, fn: any, ...values: Value[]) => Value[]} */
function called(op, fn, ...values) {
  const state = stateOf(values[0]);
  const body = new Body(op, state, new Captures(), 'called');
  const inputs = values.map((value) => body.input({ dtype: value.dtype, dims: dimsOf(value) }));
  const outputs = within(body.state, () => fn(...inputs));
  const first = append(state, op, values, { functions: [body.add(outputs)] });
  return outputs.map((/** @type {Value} */ _, /** @type {number} */ index) => (index === 0 ? first : append(state, 'result', [first], { index })));
}

/** @type {(op: string) => any[]} */
const calling = (op) => [
  of([[3], []], (x, y) => called(op, (/** @type {Value} */ a, /** @type {Value} */ b) => [a.add(b), b, b.mul(2), a.reduceSum(0)], x, y), ['f64', 'i32']),
  of([[3], [3]], (x, y) => {
    const twice = (/** @type {Value} */ a) => called(op, (/** @type {Value} */ b) => [b.mul(b)], a);
    return called(op, (/** @type {Value} */ a, /** @type {Value} */ b) => [...twice(a), ...twice(b)], x, y);
  }),
];

/** @type {Record<string, any[]>} */
const cases = {
  param: [of([[3], []], (x, y) => [x, y])],
  const: [of([[3]], (x) => [x.add([1, 2, 3]), x.add(1)])],
  iota: leaves.iota.cases.filter((/** @type {any} */ { shapes }) => shapes.length > 0).map((/** @type {any} */ each) => ({ ...each, dtypes: ['f64', 'i32'], isTable: true })),
  rng_bits: [
    of([integers([1, 2, 3, 4, 5, 4294967295, 0], [2], 'u32')], (key) => [key.rngBits([3, 5]), key.rngBits([], { dtype: 'u64' }), key.rngBits([4, 1, 2], { dtype: 'u64' })], ['f64']),
    of([integers([7, 9], [2], 'u32'), ['n', 2]], (key, x) => key.rngBits(x.shape).convert('f64').add(x), ['f64']),
  ],
  dynamic_slice: [
    of([[6], starts], (x, i) => x.dynamicSlice([i], [3])),
    of([[4, 5], starts, starts], (x, i, k) => x.dynamicSlice([i, k], [2, 3]), ['f64', 'i8']),
    of([[4, 5], integers([0, 1, 7], [], 'u8')], (x, i) => x.dynamicSlice([i, 1], [4, 2])),
    of([[], starts], (x, i) => x.add(i.convert(x.dtype)).dynamicSlice([], [])),
    of([['n', 3], starts], (x, i) => x.dynamicSlice([i, i], ['n', 2])),
    of([['n', 3], starts], (x, i) => x.dynamicSlice([i, 0], ['n - 2', 3])),
  ],
  update_slice: [
    of([[6], [2], starts], (x, u, i) => x.updateSlice(u, [i])),
    of([[4, 5], [2, 5], starts, starts], (x, u, i, k) => x.updateSlice(u, [i, k]), ['f64', 'i8']),
    of([[4, 5], [2, 0], starts], (x, u, i) => x.updateSlice(u, [i, 1])),
    of([[], []], (x, u) => x.updateSlice(u, [])),
    of([['n', 3], ['n - 1', 2], starts], (x, u, i) => x.updateSlice(u, [i, i])),
    of([[300], [2], integers([0, 127, -1], [], 'i8')], (x, u, i) => x.updateSlice(u, [i])),
  ],
  gather: [
    of([[4, 3], integers([0, 3, 1, -1, 9], [2, 1])], (x, at) => x.gather(at, { collapsedAxes: [0], indexMap: [0], offsetAxes: [1], window: [1, 3] }), ['f64', 'bool']),
    of([[4, 3], integers([0, 2, 1], [2, 5, 2], 'i32')], (x, at) => x.gather(at, { collapsedAxes: [0, 1], indexMap: [0, 1], window: [1, 1] })),
    of([[4, 3], integers([0, 2, 1], [5, 1])], (x, at) => x.gather(at, { indexMap: [1], offsetAxes: [0, 2], window: [4, 2] })),
    of([[2, 4, 3], integers([0, 3, 1, 2], [2, 3, 1])],
      (x, at) => x.gather(at, { collapsedAxes: [1], operandBatch: [0], indicesBatch: [0], indexMap: [1], offsetAxes: [2], window: [1, 1, 3] })),
    of([['n', 3], integers([0, 2, 1], ['n', 1])], (x, at) => x.gather(at, { collapsedAxes: [0], indexMap: [0], offsetAxes: [1], window: [1, 3] })),
  ],
  scatter: scattering('scatter', ['f64', 'i32']),
  scatter_add: scattering('scatterAdd', FLOATS),
  scatter_mul: scattering('scatterMul', ['f64', 'i32']),
  scatter_min: scattering('scatterMin', ['f64', 'i32']),
  scatter_max: scattering('scatterMax', ['f32', 'u8']),
  scatter_and: scattering('scatterAnd', ['i32', 'bool']),
  scatter_or: scattering('scatterOr', ['u16', 'bool']),
  reduce_sum: reduction('reduceSum', ['f64', 'f32', 'i32']),
  reduce_prod: reduction('reduceProd', ['f64', 'i32']),
  reduce_min: reduction('reduceMin', ['f64', 'bool']),
  reduce_max: reduction('reduceMax', ['f32', 'i64']),
  reduce_and: reduction('reduceAnd', ['bool', 'i32']),
  reduce_or: reduction('reduceOr', ['bool', 'u8']),
  reduce_moments: [of([[5]], (x) => [x.var(), x.mean(), x.reduceMoments(0)]), of([[2, 3, 4]], (x) => x.reduceMoments([0, 2])), of([[3, 'n']], (x) => x.reduceMoments(1))],
  argmin: [of([[5]], (x) => [x.argmin(), x.min()]), of([[3, 4]], (x) => x.argmin({ axis: 0 }), ['f64', 'i8']), of([['n', 2]], (x) => x.argmin())],
  argmax: [of([[5]], (x) => [x.argmax(), x.max()]), of([[3, 4]], (x) => x.argmax({ axis: 1 }), ['f64', 'i8']), of([['n', 2]], (x) => x.argmax())],
  result: [of([[4]], (x) => [x.topk(2).indices, x.argsort()], ['f64', 'i32'])],
  cholesky: [of([[3, 3]], (x) => definite(x).cholesky()), of([[2, 'n', 'n']], (x) => definite(x).cholesky(), ['f64'])],
  triangular_solve: [
    of([[3, 3], [3, 2]], (x, y) => [definite(x).triangularSolve(y), definite(x).triangularSolve(y, { upper: true, transposed: true })]),
    of([[2, 'n', 'n'], [2, 'n', 1]], (x, y) => definite(x).triangularSolve(y), ['f64']),
  ],
  lu: [of([[3, 4]], (x) => Object.values(x.lu())), of([[2, 'n', 'n']], (x) => x.det(), ['f64'])],
  lu_solve: [of([[3, 3], [3]], (x, y) => definite(x).solve(y)), of([[2, 3, 3], [3, 'n']], (x, y) => definite(x).solve(y), ['f64'])],
  qr: [of([[4, 3]], (x) => Object.values(x.qr())), of([[2, 3, 3]], (x) => x.qr({ mode: 'complete' }).q, ['f64'])],
  eigh: [of([[3, 3]], (x) => Object.values(definite(x).eigh())), of([[2, 'n', 'n']], (x) => definite(x).eigvalsh(), ['f64'])],
  svd: [of([[3, 4]], (x) => Object.values(x.svd({ fullMatrices: false }))), of([[2, 3, 'n']], (x) => x.svdvals(), ['f64'])],
  fft: [of([[6, 2]], (x) => [x.fft(), x.ifft()]), of([[3, 'n', 2]], (x) => x.fft2(), ['f64'])],
  rfft: [of([[7]], (x) => x.rfft()), of([[2, 'n']], (x) => x.rfft({ axis: 0 }), ['f64'])],
  irfft: [of([[4, 2]], (x) => [x.irfft(), x.irfft({ n: 7 })]), of([['n', 3, 2]], (x) => x.irfft(), ['f64'])],
  cumulate_sum: running('cumulateSum'),
  cumulate_prod: running('cumulateProd'),
  cumulate_min: running('cumulateMin'),
  cumulate_max: running('cumulateMax'),
  dot_general: [
    of([[4], [4]], (x, y) => x.dotGeneral(y, { contract: [0, 0] }), ['f64', 'f32', 'i32']),
    of([[3, 4], [4, 5]], (x, y) => x.dotGeneral(y, { contract: [1, 0] }), ['f64', 'f32']),
    of([[3, 4], [4]], (x, y) => [x.dotGeneral(y, { contract: [1, 0] }), y.dotGeneral(x, { contract: [0, 1] })]),
    of([[2, 3, 4], [4, 2, 5]], (x, y) => x.dotGeneral(y, { batch: [0, 1], contract: [2, 0] })),
    of([[3, 2, 4], [4, 2]], (x, y) => [x.dotGeneral(y, { batch: [1, 1], contract: [2, 0] }), y.dotGeneral(x, { batch: [1, 1], contract: [0, 2] })]),
    of([[2, 3], [4]], (x, y) => x.dotGeneral(y, {})),
    of([['n', 3], [3, 'n']], (x, y) => [x.matmul(y), y.matmul(x)]),
  ],
  conv: [
    of([[2, 3, 6], [4, 3, 2]], (x, k) => x.conv(k, { stride: 2, padding: [[1, 0]] }), ['f64', 'f32', 'i32']),
    of([[2, 4, 5, 4], [6, 2, 2, 3]], (x, k) => x.conv(k, { groups: 2, padding: 1, dilation: [1, 2] })),
    of([[1, 2, 3, 4, 3], [2, 2, 1, 2, 2]], (x, k) => x.conv(k, { baseDilation: [1, 2, 1] })),
    of([['n', 2, 5], [2, 2, 2]], (x, k) => x.conv(k)),
  ],
  window_sum: windowing('windowSum'),
  window_prod: windowing('windowProd'),
  window_min: windowing('windowMin'),
  window_max: windowing('windowMax'),
  sort: [
    of([[5]], (x) => [x.sort(), x.argsort({ descending: true })], ['f64', 'i8']),
    of([[3, 4], [3, 4]], (x, y) => x.sortBy(y, { axis: 0 }), ['f64']),
    of([['n', 2]], (x) => x.sort({ axis: 0 })),
  ],
  top_k: [of([[5]], (x) => Object.values(x.topk(3)), ['f64', 'i8']), of([[4, 3]], (x) => Object.values(x.topk(2, { axis: 0, largest: false })))],
  apply: [of([[3], []], (x, y) => cubed(x, y), ['f64']), of([[2, 3], [3]], (x, y) => [cubed(x, y), cubed(y, x)], ['f64'])],
  call: calling('call'),
  checkpoint: calling('checkpoint'),
  noinline_call: calling('noinline_call'),
  cond: [
    of([bools(), [3]], (p, x) => cond(p, (v) => ({ a: v.add(1), b: 5 }), (v) => ({ a: v.mul(v), b: v.sum() }), x).a, ['f64']),
    of([bools(), [3], []], (p, x, y) => Object.values(cond(p, (v) => ({ a: v.add(y), b: y }), (v) => ({ a: v, b: y.neg() }), x)), ['f64', 'i32']),
    of([bools(), ['n']], (p, x) => cond(p, (v) => v.sum(), (v) => v.max(), x)),
  ],
  switch: [
    of([integers([0, 1, 2, 5, -3, 1]), [3]], (i, x) => switchCase(i, choices, x), ['f64', 'i32']),
    of([integers([0, 1, 2], [], 'i32'), [3], [3]], (i, x, y) => switchCase(i, [() => x, (v) => v.mul(y), () => y], x)),
    of([integers([4, 1]), [2]], (i, x) => switchCase(i, [choices[1]], x)),
  ],
  while: [
    of([[3], []], (x, y) => Object.values(whileLoop(({ i }) => i.lt(3), ({ i, v }) => ({ i: i.add(1), v: v.mul(0.5).add(y) }), { i: 0, v: x })), ['f64']),
    of([integers([3, 0, 7, 1]), [2]], (n, x) => Object.values(whileLoop(({ i }) => i.lt(n), ({ i, v, w }) => ({ i: i.add(1), v: v.add(w), w: w.mul(0.5) }), { i: n.sub(n), v: x, w: 1 })), ['f64']),
    of([integers([3, 0, 7, 1]), [2]], (n, x) => whileLoop(({ i }) => i.lt(n), ({ i, w }) => ({ i: i.add(1), v: w, w: x.mul(2) }), { i: n.sub(n), v: x.mul(0), w: x.mul(0).add(1) }).v, ['f64']),
    of([integers([30, 11, 97, 1]), []], (n, x) => whileLoop(({ n: left }) => left.gt(1), ({ n: left, s }) =>
      ({ n: cond(left.rem(2).eq(0), (v) => v.div(2), (v) => v.mul(3).add(1), left), s: forLoop(0, 2, (_, v) => v.add(x), s) }), { n, s: 0 }).s, ['f64']),
  ],
  for: [
    of([[3], []], (x, y) => forLoop(0, 4, (i, v) => v.mul(y).add(i.convert(v.dtype)), x), ['f64']),
    of([[], [4, 2]], (c, xs) => { const [last, ys] = scan((s, v) => [s.add(v.reduceSum(0)), { a: s.mul(v), b: v.max() }], c, xs); return [last, ys.a, ys.b]; }, ['f64', 'i32']),
    of([[], ['n', 2], [2]], (c, xs, k) => scan((s, v) => [v.mul(k).sum(), s], c, xs, { reverse: true }), ['f64']),
    of([[2], [3, 2]], (x, xs) => scan(([a, b], v) => [[b, a.mul(0).add(v)], a], [x.mul(0), x.mul(0)], xs).flat(), ['f64']),
    of([[3, 2], [3]], (xs, y) => scan((s, v) => [s, [v.sum(), s]], 3, xs)[1].concat(forLoop(0, 0, (_, each) => each.add(1), y))),
  ],
};

for (const [name, { cases: own, dtypes = ['f64', 'i16'] }] of Object.entries(movement)) {
  const some = dtypes.filter((/** @type {string} */ dtype) => ['f64', 'i16'].includes(dtype));
  cases[name] = [...(cases[name] ?? []), ...own.map((/** @type {any} */ each) => ({ ...each, dtypes: some, isTable: true }))];
}

/** Ops that have none: they are refused. */
const refused = ['custom_call', 'compress'];

module.exports = { cases, integers, refused };
