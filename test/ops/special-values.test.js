// NaN, infinities, zeros and subnormal numbers through every op that takes floats, and through composites: in all ways
// of running, what the reference has as NaN, ∞ or -∞ is that, and what it has as a number is one.
//
// How exact numbers are is the subject of the other files. Nothing here overflows on the way, where sums and products in a
// wider type may differ (docs/numerics.md); contractions, whose order is promised, go without that reserve in 'strict'.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { native: addon } = require('../../lib/base/binding.js');
const { assertSameClass, bytesOf } = require('../support/compare.js');
const { native, reference, runGuarded, variants, wasm } = require('../support/oracles.js');
const { isFloat, randomOf } = require('../support/values.js');
const { elementwise } = require('./table.js');

/** @typedef {import('graphjit').Value} Value */
/** @typedef {{ x: any, y: any, g: Graph }} Given matrices of n × m */
/** @typedef {Record<string, (given: Given) => Value>} Cases */

const FLOATS = /** @type {const} */ (['f64', 'f32', 'f16', 'bf16']);
const [N, M] = [19, 23];

const camelCase = (/** @type {string} */ name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
/** @type {<T>(list: readonly T[], row: (each: T) => [string, (given: Given) => Value][]) => Cases} */
const each = (list, row) => Object.fromEntries(list.flatMap(row));
const ENDS = [0, 1];
const image = (/** @type {Value} */ value) => value.expandDims(0).expandDims(0);
const third = (/** @type {Given} */ { g }) => g.constant([[0], [2], [0]], { dtype: 'i32' });
const rows = { collapsedAxes: [0], indexMap: [0], offsetAxes: [1] };

/** Elementwise ops of the table, of two operands in turn, and what their results are often joined with. @type {Cases} */
const single = {
  ...each(Object.entries(elementwise).filter(([name, { dtypes }]) => dtypes.includes('f64') && name !== 'bitcast'), ([name, { arity = 1, first, variants: more }]) =>
    (more ? more('f64') : [[]]).map((/** @type {any[]} */ args) => [`${name} ${args}`, ({ x, y }) => {
      const operands = [first === 'bool' ? x.gt(0) : x, y, x.neg()].slice(0, arity);
      return operands[0][camelCase(name)](...operands.slice(1), ...args);
    }])),
  ...each([0, 1, -1, 2, 0.5, Infinity, -Infinity], (c) => ['add', 'sub', 'mul', 'div', 'pow', 'min', 'max'].map((op) => [`${op} ${c}`, ({ x }) => x[op](c)])),
  ...each(['sub', 'div', 'eq', 'ne', 'lt', 'le', 'min'], (op) => [[`${op} itself`, ({ x }) => x[op](x)]]),
  ...each(['isInf', 'isNan', 'isFinite', 'relu'], (op) => [[`${op} of a product`, ({ x, y }) => x.mul(y)[op]()], [`${op} of a sum`, ({ x, y }) => x.add(y)[op]()]]),
  // The sign of a NaN that arithmetic makes is not specified.
  'signBit of a product': ({ x, y }) => x.mul(y).isNan().not().and(x.mul(y).signBit()),
  'signBit of a sum': ({ x, y }) => x.add(y).isNan().not().and(x.add(y).signBit()),
  ...each('gelu sigmoid silu softplus square reciprocal logit nanToNum sinc celu elu hardSigmoid hardSwish hardTanh leakyRelu logSigmoid mish relu6 selu softShrink softsign tanhShrink erfInv'.split(' '),
    (op) => [[op, ({ x }) => x[op]()]]),
  ...each('copySign floorDivide fmax fmin heaviside isClose logAddExp nextAfter remainder'.split(' '), (op) => [[op, ({ x, y }) => x[op](y)]]),
  'not less': ({ x, y }) => x.lt(y).not(),
  'chosen by less': ({ x, y }) => x.lt(y).select(x, y),
  'zero for zero': ({ x }) => x.eq(0).select(0, x),
  lerp: ({ x, y }) => x.lerp(y, 0.5),
  'x y + x x': ({ x, y }) => x.mul(y).add(x.mul(x)),
  'x y 0': ({ x, y }) => x.mul(y).mul(0),
};

/** @type {Cases} */
const reduced = {
  ...each([0, 1, undefined], (axis) => [
    ...'sum prod min max mean var std argmin argmax nanMax nanMin nanSum nanMean ptp logSumExp median vectorNorm countNonzero'.split(' ').map((op) => /** @type {[string, any]} */ ([`${op} ${axis}`, (/** @type {Given} */ { x }) => x[op]({ axis })])),
    [`sum of products ${axis}`, ({ x, y }) => x.mul(y).sum({ axis })],
    [`all ${axis}`, ({ x }) => x.gt(0).all({ axis })], [`any ${axis}`, ({ x }) => x.gt(0).any({ axis })],
  ]),
  ...each(ENDS, (axis) => [
    ...'cumulativeSum cumulativeProd softmax logSoftmax layerNorm rmsNorm diff sort argsort'.split(' ').map((op) => /** @type {[string, any]} */ ([`${op} ${axis}`, (/** @type {Given} */ { x }) => x[op]({ axis })])),
    ...['cumulateMin', 'cumulateMax'].map((op) => /** @type {[string, any]} */ ([`${op} ${axis}`, (/** @type {Given} */ { x }) => x[op](axis)])),
    [`topk ${axis}`, ({ x }) => x.topk(3, { axis }).values],
    [`quantile ${axis}`, ({ x }) => x.quantile(0.3, { axis })],
  ]),
};

/** @type {Cases} */
const joined = {
  matmul: ({ x, y }) => x.matmul(y.T),
  'matmul of columns': ({ x, y }) => x.T.matmul(y),
  'matmul, then relu': ({ x, y }) => x.matmul(y.T).relu(),
  'matmul, then isInf': ({ x, y }) => x.matmul(y.T).isInf(),
  'matmul of what is computed': ({ x, y }) => x.mul(2).matmul(y.T.add(1)),
  'matmul with zeros': ({ x, g }) => x.matmul(g.constant(0, { dtype: x.dtype, shape: [x.shape[1], 3] })),
  'matmul with the identity': ({ x, g }) => x.slice([0, 2]).T.matmul(g.constant([[1, 0], [0, 1]], { dtype: x.dtype })),
  'matrix and vector': ({ x, y }) => x.matmul(y.slice(0)),
  'vector and matrix': ({ x, y }) => y.slice(null, 0).matmul(x),
  'batch alone': ({ x, y }) => x.dotGeneral(y, { contract: [1, 1], batch: [0, 0] }),
  'all axes': ({ x, y }) => x.tensordot(y),
  vecdot: ({ x, y }) => x.vecdot(y),
  outer: ({ x, y }) => x.slice(0).outer(y.slice(0)),
  'lower triangle': ({ x, y }) => x.tril().matmul(y.T),
  attention: ({ x, y }) => x.expandDims(0).attention(y.expandDims(0), x.expandDims(0)),
};

/** @type {Cases} */
const arranged = {
  ...each(['windowSum', 'windowProd', 'windowMin', 'windowMax'], (op) => [[op, ({ x }) => x[op]([2, 3])], [`${op}, padded`, ({ x }) => x[op]([3, 3], { padding: 1 })]]),
  ...each(['scatterAdd', 'scatterMul', 'scatterMin', 'scatterMax'], (op) => [[op, (given) => given.x[op](third(given), given.y.slice([0, 3]), rows)]]),
  scatter: ({ x, y, g }) => x.scatter(g.constant([[1], [2]], { dtype: 'i32' }), y.slice([0, 2]), rows),
  gather: ({ x }) => x.take([0, 2, 1], { axis: 0 }),
  conv: ({ x, y }) => image(x).conv(image(y.slice([0, 3], [0, 3]))),
  'conv, padded': ({ x, y }) => image(x).conv(image(y.slice([0, 3], [0, 3])), { padding: 1 }).relu(),
  'conv with gaps': ({ x, y }) => image(x).conv(image(y.slice([0, 2], [0, 2])), { padding: 1, baseDilation: 2 }),
  'conv of channels': ({ x, y }) => x.expandDims(0).conv(y.slice([0, 8], [0, 3]).expandDims(1).broadcastTo([8, x.shape[0], 3])),
  avgPool: ({ x }) => image(x).avgPool(2),
  maxPool: ({ x }) => image(x).maxPool(2),
  segmentSum: ({ x, g }) => x.segmentSum(g.iota([x.shape[0]], { dtype: 'i32' }).rem(3), 3),
  convolve: ({ x, y }) => x.slice(0).convolve(y.slice(0, [0, 3])),
  searchsorted: ({ x, y }) => x.slice(0).sort().searchsorted(y),
  concat: ({ x, y }) => x.concat(y, { axis: 1 }),
  pad: ({ x }) => x.pad(1, { interior: 1 }),
  'other movement': ({ x, y }) => x.T.reshape([-1]).reverse().slice([2, null]).broadcast([3, x.shape[0] === 'n' ? 'n * m - 2' : N * M - 2], [1]).dynamicSlice([1, 3], [2, 5]).updateSlice(y.slice([0, 1], [0, 2]), [0, 1]),
};

const groups = { single, reduced, joined, arranged };

/** Bits of NaNs of both signs, quiet with a payload and signalling. */
const NANS = {
  f64: [0x7ff8000000000000n, 0xfff8000000000000n, 0x7ff0000000000001n, 0xfff8000000000123n],
  f32: [0x7fc00000, 0xffc00000, 0x7f800001, 0xffc00123],
  f16: [0x7e00, 0xfe00, 0x7c01, 0xfe12],
  bf16: [0x7fc0, 0xffc0, 0x7f81, 0xffc3],
};
const LEAST = { f64: 5e-324, f32: 2 ** -149, f16: 2 ** -24, bf16: 2 ** -133 };
const bitsOf = (/** @type {any} */ array) => {
  const Class = /** @type {any} */ ({ 8: BigUint64Array, 4: Uint32Array, 2: Uint16Array })[array.BYTES_PER_ELEMENT];
  return new Class(array.buffer, array.byteOffset, array.length);
};

/**
 * What lies among ordinary numbers, and how much of it. Infinities do not meet subnormal numbers, whose products are 0 in
 * one width only.
 *
 * @type {{ specials: number[], share: number, subnormal?: boolean }[]}
 */
const REGIMES = [
  { specials: [NaN], share: 0.03 }, { specials: [Infinity], share: 0.02 }, { specials: [-Infinity], share: 0.03 },
  { specials: [Infinity, -Infinity], share: 0.05 }, { specials: [-Infinity, NaN], share: 0.05 },
  { specials: [NaN, Infinity, -Infinity, 0, -0], share: 0.5 }, { specials: [0, -0, Infinity], share: 0.9 }, { specials: [0, -0], share: 0.6, subnormal: true },
];

/** @type {(dtype: keyof typeof NANS, regime: typeof REGIMES[number], seed: number) => any} */
function matrix(dtype, { specials, share, subnormal = false }, seed) {
  const random = randomOf(seed);
  const pick = (/** @type {any} */ list) => list[Math.floor(random() * list.length)];
  const numbers = Float64Array.from({ length: N * M }, () => (random() < share ? pick(specials) : (random() - 0.5) * 4));
  const { data } = tensor(numbers.map((x) => (subnormal && x === 0 ? pick([0, -0, 1, -1, 3]) * LEAST[dtype] : x))).astype(dtype);
  const array = data.slice();
  numbers.forEach((x, i) => { if (Number.isNaN(x)) bitsOf(array)[i] = pick(NANS[dtype]); });
  return { dtype, shape: [N, M], data: array };
}

/** @type {(cases: Cases, dtype: any, shape: any) => Graph} */
function graphOf(cases, dtype, shape) {
  const graph = new Graph('special');
  const given = { x: graph.input('x', dtype, shape), y: graph.input('y', dtype, shape), g: graph };
  for (const [name, build] of Object.entries(cases)) graph.output(name, build(given));
  return graph;
}

/** Compiling to wasm takes longest, so one dtype goes there. @type {(graph: Graph, dtype: string) => Promise<import('../support/oracles.js').Way[]>} */
async function waysOf(graph, dtype) {
  const strict = native(graph, { numerics: 'strict' });
  if (dtype !== 'f32') return [strict, native(graph, { threads: 2 })];
  return [strict, native(graph, {}), native(graph, { numerics: 'fast' }), ...await Promise.all(variants.map((variant) => wasm(graph, variant)))];
}

for (const [group, cases] of Object.entries(groups)) {
  test(`what is NaN or infinite is so everywhere: ${group}`, async () => {
    for (const [k, dtype] of FLOATS.entries()) {
      const graph = graphOf(cases, dtype, k % 2 ? [N, M] : ['n', 'm']);
      const ways = await waysOf(graph, dtype);
      for (const [r, regime] of REGIMES.entries()) {
        if (k > 1 && r % 2 === 1) continue; // halves run as f32 does
        const inputs = { x: matrix(dtype, regime, 2 * r + 1), y: matrix(dtype, regime, 2 * r + 2) };
        const want = reference(graph, inputs);
        for (const way of ways) {
          if (regime.subnormal && way.numerics === 'fast') continue; // it may count them as 0
          const got = runGuarded(way, inputs, want, dtype);
          for (const [name, { data, dtype: own }] of Object.entries(want)) assertSameClass(got[name].data, data, own, `${name} of ${dtype} among ${regime.specials}, ${way.name}`);
        }
      }
      for (const way of ways) way.dispose();
      graph.dispose();
    }
  });
}

test('every op that takes floats is among the cases', () => {
  const text = Object.values(groups).map((cases) => graphOf(cases, 'f64', ['n', 'm']).toString()).join('');
  const seen = new Set(Array.from(text.matchAll(/= (\w+)/g), ([, name]) => name));
  // These take none, run what others made, or are tested by themselves, as are factors and transforms.
  const others = new Set(['rng_bits', 'popcount', 'clz', 'and', 'or', 'xor', 'shl', 'shr', 'scatter_and', 'scatter_or', 'bitcast', 'compress', 'custom_call', 'apply', 'call', 'checkpoint', 'noinline_call', 'cond', 'switch', 'while', 'for']);
  const missing = addon.ops().filter(({ kind }) => kind !== 'library').map(({ name }) => name).filter((name) => !seen.has(name) && !others.has(name));
  assert.deepEqual(missing, []);
});

test('sums of products that overflow on the way are in strict what the reference says', async () => {
  for (const dtype of /** @type {const} */ (['f64', 'f32', 'f16', 'bf16'])) {
    const most = { f64: Number.MAX_VALUE, f32: 2 ** 128 - 2 ** 104, f16: 2 ** 127, bf16: 2 ** 127 }[dtype];
    const graph = graphOf(joined, dtype, [N, M]);
    const inputs = { x: matrix(dtype, { specials: [most, -most, most / 3], share: 0.2 }, 1), y: matrix(dtype, { specials: [most, -most, 2, -0], share: 0.3 }, 2) };
    const want = reference(graph, inputs);
    for (const way of [native(graph, { numerics: 'strict' }), native(graph, { numerics: 'strict', optLevel: 0, threads: 2 }), await wasm(graph, 'simd')]) {
      const got = runGuarded(way, inputs, want, dtype);
      for (const name of Object.keys(joined).filter((key) => key.startsWith('ma') || key === 'batch alone')) {
        assertSameClass(got[name].data, want[name].data, want[name].dtype, `${name} of ${dtype}, ${way.name}`);
      }
      way.dispose();
    }
  }
});

test('the variance of numbers whose squares overflow is infinite, and that of infinite ones NaN', async () => {
  const graph = new Graph('spread');
  const x = graph.input('x', 'f64', ['n', 40]);
  graph.output('rows', x.var({ axis: 1 })).output('columns', x.var({ axis: 0 })).output('mean', x.mean({ axis: 1 }));
  const data = Float64Array.from({ length: 120 }, (_, i) => (i % 7 === 0 ? 1e200 : i % 11) * (i % 2 ? 1 : -1));
  data[119] = Infinity;
  const inputs = { x: { dtype: 'f64', shape: [3, 40], data } };
  const want = reference(graph, inputs);
  assert.deepEqual([...want.rows.data], [Infinity, Infinity, NaN]);
  for (const way of [native(graph, {}), native(graph, { numerics: 'strict' }), await wasm(graph, 'simd'), await wasm(graph, 'mvp')]) {
    const got = runGuarded(way, inputs, want, way.name);
    for (const name of Object.keys(want)) assertSameClass(got[name].data, want[name].data, 'f64', `${name}, ${way.name}`);
    way.dispose();
  }
});

test('quotients by roots of 0 and of infinity are numbers in fast', async () => {
  const graph = new Graph('roots');
  for (const dtype of /** @type {const} */ (['f64', 'f32'])) {
    const [x, y] = ['x', 'y'].map((name) => graph.input(name + dtype, dtype, ['n']));
    graph.output(`reciprocal ${dtype}`, y.sqrt().reciprocal()).output(`quotient ${dtype}`, x.div(y.sqrt()));
  }
  const data = Float64Array.from({ length: 40 }, (_, i) => [0, Infinity, 4, NaN, -0][i % 5]);
  const inputs = Object.fromEntries(graph.inputs.map(({ name, dtype }) => [name, { dtype, shape: [40], data: tensor(name[0] === 'x' ? data.map((_, i) => i + 1) : data).astype(dtype).data }]));
  const want = reference(graph, inputs);
  for (const way of [native(graph, { numerics: 'fast' }), native(graph, { numerics: 'fast', optLevel: 0 })]) {
    const got = runGuarded(way, inputs, want, way.name);
    for (const { name, dtype } of graph.outputs) assertSameClass(got[name].data, want[name].data, dtype, `${name}, ${way.name}`);
    way.dispose();
  }
});

test('ops that move bits keep every NaN, and its sign is changed and read', async () => {
  for (const dtype of FLOATS) {
    const graph = new Graph('bits');
    const [x, y, p] = [graph.input('x', dtype, ['n']), graph.input('y', dtype, ['n']), graph.input('p', 'bool', ['n'])];
    const whole = /** @type {const} */ ({ f64: 'i64', f32: 'i32', f16: 'i16', bf16: 'i16' })[dtype];
    /** @type {Record<string, Value>} */
    const kept = {
      select: p.select(x, y), copySign: x.copySign(y), joined: x.concat(y), gathered: x.take([3, 2, 1, 0], { axis: 0 }), turned: x.reverse(), padded: x.pad(1), moved: x.updateSlice(y.slice([0, 3]), [1]),
      scattered: x.scatter(graph.constant([[1], [5]], { dtype: 'i32' }), y.slice([0, 2]), { collapsedAxes: [0], indexMap: [0], offsetAxes: [] }), bits: x.bitcast(whole), signs: x.signBit(),
      'sign of the opposite': x.neg().signBit(), 'sign of the size': x.abs().neg().signBit(),
    };
    if (isFloat(dtype) && ['f64', 'f32'].includes(dtype)) Object.assign(kept, { neg: x.neg(), abs: x.abs(), sort: x.sort() });
    for (const [name, value] of Object.entries(kept)) graph.output(name, value);
    const array = (/** @type {number} */ step) => {
      const { data } = tensor(Float64Array.from({ length: 63 }, (_, i) => [1, -0, Infinity][i % 3])).astype(dtype);
      const made = data.slice();
      for (let i = 0; i < 63; i++) if (i % 7 < 5) bitsOf(made)[i] = NANS[dtype][(i * step + (i >> 3)) % 4];
      return { dtype, shape: [63], data: made };
    };
    const inputs = { x: array(1), y: array(3), p: { dtype: 'bool', shape: [63], data: Uint8Array.from({ length: 63 }, (_, i) => (i % 3 ? 1 : 0)) } };
    const want = reference(graph, inputs);
    const ways = [...['strict', 'default', 'fast'].map((numerics) => native(graph, { numerics: /** @type {'strict'} */ (numerics) })), await wasm(graph, 'simd'), await wasm(graph, 'mvp')];
    for (const way of ways) {
      const got = runGuarded(way, inputs, want, dtype);
      for (const name of Object.keys(kept)) assert.ok(bytesOf(got[name].data).equals(bytesOf(want[name].data)), `${name} of ${dtype}, ${way.name}`);
      way.dispose();
    }
  }
});
