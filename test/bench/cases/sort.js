// Sorting a million numbers in several orders, the first hundred of them, and running sums: what NumPy, PyTorch
// and onnxruntime have functions for. NumPy sorts f32 in vectors on machines with AVX-512.
'use strict';

const { Graph, tensor } = require('graphjit');
const { fill } = require('../support/arrays.js');
const { cores, inOnnxRuntime, inPython, inTorch } = require('../support/peers.js');

const N = 1e6;

/** Orders that sorts treat differently: how they are made of random numbers, here and in Python. @type {Record<string, { order: (x: any) => any, python: string }>} */
const orders = {
  random: { order: (x) => x, python: 'x' },
  sorted: { order: (x) => x.sort(), python: 'np.sort(x)' },
  reversed: { order: (x) => x.sort().reverse(), python: 'np.sort(x)[::-1].copy()' },
  few: { order: (x) => x.map((/** @type {number} */ v) => Math.floor(v * 16)), python: 'np.floor(x * 16)' },
  nan: { order: (x) => x.map((/** @type {number} */ v) => (v < 0.25 ? NaN : v)), python: 'np.where(x < 0.25, np.nan, x).astype(x.dtype)' },
  equal: { order: (x) => x.fill(1), python: 'np.ones_like(x)' },
  organ: {
    order: (x) => {
      x.subarray(x.length / 2).sort().reverse();
      x.subarray(0, x.length / 2).sort();
      return x;
    },
    python: 'np.concatenate([np.sort(x[: x.size // 2]), np.sort(x[x.size // 2 :])[::-1]])',
  },
  zeros: {
    order: (x) => x.map((/** @type {number} */ v) => (v < 0.25 ? -0 : v < 0.5 ? 0 : v)),
    python: 'np.where(x < 0.5, np.where(x < 0.25, -0.0, 0.0), x).astype(x.dtype)',
  },
};

/** @type {(dtype: string, order: string, numpy: string | undefined, torch: string) => any} */
function libraries(dtype, order, numpy, torch) {
  const type = dtype === 'f64' ? 'np.float64' : 'np.float32';
  const filled = ['import numpy as np', `x = np.random.default_rng(1).random(${N}, ${type})`, `x = ${orders[order].python}`];
  return { ...(numpy && inPython('numpy', filled.join('\n'), numpy)), ...inTorch(filled, ['x'], torch) };
}

/** @typedef {{ name: string, build: (x: any) => any, numpy?: string, torch: string, onnx?: any[] }} Work */

/** @type {Work[]} */
const works = [
  { name: 'sort', build: (x) => x.sort(), numpy: 'np.sort(x)', torch: 'torch.sort(x)' },
  { name: 'argsort', build: (x) => x.argsort(), numpy: 'np.argsort(x)', torch: 'torch.argsort(x)' },
  {
    name: 'topk',
    build: (x) => x.topk(100).values,
    numpy: 'np.sort(np.partition(x, x.size - 100)[-100:])',
    torch: 'torch.topk(x, 100)',
    onnx: [[['TopK', ['x', 'k'], 'z where', { axis: 0 }]], { k: [100] }],
  },
  { name: 'cumsum', build: (x) => x.cumulateSum(), numpy: 'np.cumsum(x)', torch: 'torch.cumsum(x, 0)' },
];

/** @type {(work: Work, dtype: 'f64' | 'f32', order: string) => any} */
const ordered = ({ name, build, numpy, torch, onnx }, dtype, order) => ({
  name: `${name}-1e6-${dtype}${order === 'random' ? '' : `-${order}`}`,
  title: `${name} of a million ${dtype}, ${order}`,
  unit: 'µs',
  targets: [
    { who: 'graphjit', peer: 'numpy', speed: 1 },
    { who: 'graphjit', peer: 'torch', speed: 1 },
    { who: `graphjit ×${cores}`, peer: `torch ×${cores}`, speed: 1 },
    ...(onnx ? [{ who: 'graphjit', peer: 'onnxruntime', speed: 1 }] : []),
  ],
  contestants() {
    const x = tensor(orders[order].order(fill({ type: dtype, length: N })), { dtype });
    const graph = new Graph(name);
    graph.output('z', build(graph.input('x', dtype, [N])));
    const bound = (/** @type {number} */ threads) => {
      const program = graph.compile({ threads });
      return program.bind({ x }, { z: program.run({ x }).z });
    };
    return {
      graphjit: bound(1),
      ...(cores > 1 && { [`graphjit ×${cores}`]: bound(cores) }),
      ...libraries(dtype, order, numpy, torch),
      ...(onnx && order === 'random' && inOnnxRuntime(dtype, { x: { shape: [N] } }, ...onnx)),
    };
  },
});

/** What is measured in which orders: sorts in all of them, what is alike in those that differ most. */
const ordersOf = ({ name }) => {
  if (name === 'cumsum') return ['random'];
  return name === 'sort' ? Object.keys(orders) : ['random', 'sorted', 'reversed', 'few', 'nan'];
};

module.exports = works.flatMap((work) =>
  /** @type {const} */ (['f64', 'f32']).flatMap((dtype) => ordersOf(work).map((order) => ordered(work, dtype, order))),
);
