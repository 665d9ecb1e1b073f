// The programs that pages and workers must compute as Node does, with what to run them on.
//
// Each has a `build(graph)` and `runs`, lists of sizes of its symbols; inputs are made of the values where
// implementations tend to differ (NaN, infinities, zeros, subnormals, extremes) and of random ones. Sums of random
// bit patterns would be NaN throughout, so some inputs are `moderate`.
'use strict';

const { Graph, concat, stack, tensor, where } = require('graphjit');
const { arrayOf, isFloat, moderate, randomOf, randoms, specials } = require('../support/values.js');

/** Weights of a layer, the same in every process. @type {(shape: number[], seed: number) => import('graphjit').Tensor} */
function weights(shape, seed) {
  const random = randomOf(seed);
  const count = shape.reduce((a, b) => a * b, 1);
  return tensor(Float32Array.from({ length: count }, () => (random() - 0.5) / Math.sqrt(shape[0])), { shape });
}

/** x of [n, k] times a matrix of [k, m]. */
const dense = (x, matrix) => x.expandDims(2).mul(matrix).sum({ axis: 1 });

/** Every function of the math library of one dtype, each an output of its own. */
function functions(graph, dtype) {
  const [x, y] = [graph.input('x', dtype, ['n']), graph.input('y', dtype, ['n'])];
  const unary = [
    'exp', 'exp2', 'expm1', 'log', 'log2', 'log10', 'log1p', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh',
    'acosh', 'atanh', 'cbrt', 'erf', 'erfc', 'lgamma', 'sigmoid', 'gelu',
  ];
  for (const name of unary) graph.output(name, x[name]());
  for (const name of ['pow', 'atan2', 'hypot']) graph.output(name, x[name](y));
}

/** What processors do by themselves, or nearly. */
function arithmetic(graph, dtype) {
  const [x, y] = [graph.input('x', dtype, ['n']), graph.input('y', dtype, ['n'])];
  for (const name of ['neg', 'abs', 'sign', 'sqrt', 'floor', 'ceil', 'trunc', 'roundEven', 'isFinite']) graph.output(name, x[name]());
  for (const name of ['add', 'sub', 'mul', 'div', 'rem', 'min', 'max', 'lt', 'ge', 'eq', 'ne']) graph.output(name, x[name](y));
  graph.output('fma', x.fma(y, x.neg()));
  graph.output('fused', x.mul(y).add(x).sub(y.div(x)).max(0).mul(0.1).sqrt());
}

function reductions(graph) {
  for (const dtype of ['f32', 'f64']) {
    const x = graph.input(dtype, dtype, ['n', 'm']);
    for (const name of ['sum', 'std', 'prod', 'argmin']) graph.output(`${name} ${dtype}`, x[name]());
    graph.output(`rows ${dtype}`, x.sum({ axis: 1 })).output(`columns ${dtype}`, x.mul(x).sum({ axis: 0 }));
    graph.output(`most ${dtype}`, x.abs().max({ axis: 0 }));
  }
}

function integers(graph, dtype) {
  const [x, y] = [graph.input('x', dtype, ['n']), graph.input('y', dtype, ['n'])];
  for (const name of ['add', 'sub', 'mul', 'div', 'rem', 'min', 'max', 'and', 'xor', 'shl', 'shr', 'lt', 'ne']) graph.output(name, x[name](y));
  for (const name of ['neg', 'abs', 'not', 'popcount', 'clz', 'sum', 'argmax']) graph.output(name, x[name]());
  graph.output('running', x.cumulativeSum()).output('seventh', x.div(7).add(x.rem(10)));
}

function logic(graph) {
  const [p, q] = [graph.input('p', 'bool', ['n', 'm']), graph.input('q', 'bool', ['n', 'm'])];
  const x = graph.input('x', 'f32', ['n', 'm']);
  graph.output('and', p.and(q)).output('xor', p.xor(q)).output('not', p.not().or(x.gt(0)));
  graph.output('all', p.or(q).all({ axis: 1 })).output('any', p.and(x.isNan()).any());
  graph.output('count', p.sum({ axis: 0 })).output('chosen', where(p, x, where(q, x.neg(), -0)));
}

function movement(graph) {
  const [x, y] = [graph.input('x', 'f64', ['n', 'm']), graph.input('y', 'f64', ['k', 'm'])];
  const bytes = graph.input('bytes', 'u8', ['n', 'm', 3]);
  graph.output('turned', x.T.add(1)).output('joined', concat([x, y.reverse(), x.slice([1, null])]));
  graph.output('every', x.slice([null, null, 2], [null, null, -1])).output('padded', x.pad([[1, 2], [0, 3]], { value: -0, interior: 1 }));
  graph.output('flat', x.reshape(['n*m']).mul(2)).output('spread', x.sum({ axis: 0 }).broadcastTo(['k', 'm']).mul(y));
  graph.output('planes', bytes.transpose([2, 0, 1])).output('window', x.dynamicSlice([1, 0], [1, 'm']).updateSlice(y.slice([0, 1]), [0, 0]));
}

function cumulative(graph) {
  const [x, k] = [graph.input('x', 'f64', ['n', 'm']), graph.input('k', 'f32', ['n', 'm'])];
  graph.output('down', x.cumulativeSum({ axis: 0 })).output('along', x.cumulativeSum({ axis: 1, includeInitial: true }));
  graph.output('highest', k.cumulateMax(1)).output('product', k.mul(0.5).add(1).cumulativeProd({ axis: 1 }).log1p());
}

/** Sharpens bytes by the difference from a blur of 3 × 3, and makes them grey. */
function filter(graph) {
  const image = graph.input('image', 'u8', ['h', 'w', 3]);
  const amount = graph.input('amount', 'f32');
  const grey = image.convert('f32').mul(tensor([0.299, 0.587, 0.114], { dtype: 'f32' })).sum({ axis: 2 });
  const ranges = [[0, -2], [1, -1], [2, null]];
  const rows = ranges.map((range) => grey.slice(range, null)).reduce((a, b) => a.add(b));
  const blur = ranges.map((range) => rows.slice(null, range)).reduce((a, b) => a.add(b)).div(9);
  const middle = grey.slice([1, -1], [1, -1]);
  const sharp = middle.add(middle.sub(blur).mul(amount)).clip(0, 255).roundEven().convert('u8');
  graph.output('grey', stack([sharp, sharp, sharp], { axis: 2 })).output('dark', sharp.lt(64).sum());
}

function constants(graph) {
  const x = graph.input('x', 'f32', ['n', 1000]);
  const table = graph.constant(weights([1000], 5)).mul(3);
  const places = graph.iota([1000], { dtype: 'f32' }).div(1000).sin();
  graph.output('y', x.mul(table).add(places)).output('dot', x.mul(weights([1000], 6)).sum({ axis: 1 }));
}

function perceptron(graph) {
  const x = graph.input('x', 'f32', ['n', 24]);
  const hidden = dense(x, weights([24, 32], 1)).add(weights([32], 2)).gelu().layerNorm({ scale: weights([32], 3) });
  graph.output('p', dense(hidden, weights([32, 5], 4)).softmax()).output('class', dense(hidden, weights([32, 5], 4)).argmax({ axis: 1 }));
}

const EVERY = ['f64', 'f32', 'i64', 'i32', 'i16', 'i8', 'u64', 'u32', 'u16', 'u8', 'bool'];

function conversions(graph) {
  for (const from of ['f64', 'f32', 'i64', 'u32', 'i8', 'bool']) {
    const x = graph.input(from, from, ['n']);
    for (const to of EVERY.filter((dtype) => dtype !== from)) graph.output(`${from} to ${to}`, x.convert(to));
  }
  const [f64, f32] = graph.inputs.map(({ value }) => value);
  graph.output('bits', f64.mul(0).add(1).bitcast('u64')).output('back', f32.abs().bitcast('i32').shr(4).bitcast('f32'));
}

function growing(graph) {
  const x = graph.input('x', 'f64', ['n']);
  const parts = x.abs().sqrt();
  graph.output('share', parts.div(parts.sum())).output('steps', concat([x, x.slice([1, null]).sub(x.slice([0, -1]))]));
}

const LENGTHS = [0, 1, 7, 1003].map((n) => ({ n }));
const GRIDS = [{ n: 1, m: 1, k: 1 }, { n: 19, m: 67, k: 3 }, { n: 130, m: 33, k: 8 }];

const programs = [
  { name: 'functions of f64', build: (graph) => functions(graph, 'f64'), runs: LENGTHS },
  { name: 'functions of f32', build: (graph) => functions(graph, 'f32'), runs: LENGTHS },
  { name: 'arithmetic of f64', build: (graph) => arithmetic(graph, 'f64'), runs: LENGTHS },
  { name: 'arithmetic of f32', build: (graph) => arithmetic(graph, 'f32'), runs: LENGTHS },
  { name: 'reductions', build: reductions, runs: GRIDS, moderate: true },
  {
    name: 'softmax and norms',
    build: (graph) => {
      const x = graph.input('x', 'f32', ['n', 'm']);
      const gain = graph.input('gain', 'f32', ['m']);
      graph.output('p', x.softmax()).output('l', x.logSumExp()).output('r', x.rmsNorm());
      graph.output('y', x.layerNorm({ scale: gain, bias: 0.5 })).output('d', x.convert('f64').logSoftmax({ axis: 0 }));
    },
    runs: GRIDS,
    moderate: true,
  },
  { name: 'integers of 64 bits', build: (graph) => integers(graph, 'i64'), runs: LENGTHS.slice(1) },
  { name: 'integers of 8 bits', build: (graph) => integers(graph, 'i8'), runs: LENGTHS.slice(1) },
  { name: 'logic', build: logic, runs: GRIDS },
  { name: 'movement', build: movement, runs: GRIDS.slice(1) },
  { name: 'running sums', build: cumulative, runs: GRIDS, moderate: true },
  { name: 'an image filter on bytes', build: filter, runs: [{ h: 3, w: 3 }, { h: 24, w: 37 }] },
  { name: 'constants', build: constants, runs: [{ n: 1 }, { n: 3 }], moderate: true },
  { name: 'a perceptron', build: perceptron, runs: [{ n: 1 }, { n: 9 }], moderate: true },
  { name: 'conversions', build: conversions, runs: LENGTHS },
  { name: 'growing sizes', build: growing, runs: [{ n: 5 }, { n: 40_000 }, { n: 120_001 }, { n: 3 }], moderate: true },
];

/** The graph of a program. */
function graphOf({ name, build }) {
  const graph = new Graph(name);
  build(graph);
  return graph;
}

/** Inputs of one run: { name: { dtype, shape, data } }. */
function inputsOf(graph, sizes, seed, isModerate) {
  const made = graph.inputs.map(({ name, dtype, shape }, i) => {
    const own = shape.map((size) => (typeof size === 'string' ? sizes[size] : size));
    const count = own.reduce((a, b) => a * b, 1);
    const random = (isModerate ? moderate : randoms)(dtype, count, seed + i);
    // Values of interest of two inputs meet in other pairs each time.
    const special = isModerate && isFloat(dtype) ? [] : specials(dtype);
    const all = random.map((value, at) => (special.length > 0 && at % 3 < 2 ? special[(at * (i + 1) + seed) % special.length] : value));
    return [name, { dtype, shape: own, data: arrayOf(dtype, all) }];
  });
  return Object.fromEntries(made);
}

module.exports = { graphOf, inputsOf, programs };
