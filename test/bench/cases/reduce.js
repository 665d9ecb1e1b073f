// Reductions larger than the caches, and along the axes that are awkward to loop over.
//
// The limit of those over one long row is how fast memory can be read. A sum in C that may be
// reordered is the measure of it, on one core and on all: in this process and on the same array, since
// figures in different memory, or of a process that has the last cache to itself, cannot be compared. (The
// libraries have to be in processes of their own; NumPy asks for large pages there, an array of JavaScript
// has small ones.)
'use strict';

const { Graph, tensor } = require('graphjit');
const { fill } = require('../support/arrays.js');
const { cores, inC, inOnnxRuntime, inPython, inThreadedCHere, inTorch } = require('../support/peers.js');

const N = 1e7;

/** The same in libraries. @type {(one: { dtype: string, dims: number[], numpy: string, torch: string }) => any} */
function libraries({ dtype, dims, numpy, torch }) {
  const type = dtype === 'f64' ? 'np.float64' : 'np.float32';
  const filled = ['import numpy as np', `x = np.random.default_rng(1).random((${dims.join(', ')},), ${type})`];
  return { ...inPython('numpy', filled.join('\n'), numpy), ...inTorch(filled, ['x'], torch) };
}

/** Nodes and constants in ONNX. A sum's axes are an operand, a maximum's an attribute. */
const onnx = {
  sum: (/** @type {number} */ axis) => [[['ReduceSum', ['x', 'axes'], 'z', { keepdims: 0 }]], { axes: [axis] }],
  max: (/** @type {number} */ axis) => [[['ReduceMax', ['x'], 'z', { axes: [axis], keepdims: 0 }]]],
};

/** At least as fast as libraries, and 0.9 times as fast as memory where that is the limit. @param {boolean} long */
function targets(long) {
  const both = (/** @type {string} */ peer, /** @type {number} */ speed) => [
    { who: 'graphjit', peer, speed },
    { who: `graphjit ×${cores}`, peer: `${peer} ×${cores}`, speed },
  ];
  return [{ who: 'graphjit', peer: 'numpy', speed: 1 }, ...both('torch', 1), ...both('onnxruntime', 1), ...(long ? both('gcc -Ofast', 0.9) : [])];
}

/** @type {(name: string, dtype: 'f64' | 'f32', dims: number[], method: string, axis: number | undefined, numpy: string, torch: string) => any} */
const reduction = (name, dtype, dims, method, axis, numpy, torch) => ({
  name: `${name}-${dtype}`,
  title: `${method} of ${dtype}, ${name}`,
  unit: 'µs',
  targets: targets(dims.length === 1),
  contestants() {
    const spec = { type: dtype, length: dims.reduce((a, b) => a * b, 1) };
    const data = fill(spec);
    const x = tensor(data, { shape: dims, dtype });
    const graph = new Graph(name);
    const input = graph.input('x', dtype, dims.map((size, i) => (size < 10 ? size : 'nmk'[i])));
    graph.output('z', /** @type {any} */ (input)[method](axis === undefined ? {} : { axis }));
    const bound = (/** @type {number} */ threads) => {
      const program = graph.compile({ threads });
      return program.bind({ x }, { z: program.run({ x }).z });
    };
    const sum = `sum_${dtype}`;
    const total = fill({ type: dtype, length: 1 });
    return {
      graphjit: bound(1),
      ...(cores > 1 && { [`graphjit ×${cores}`]: bound(cores) }),
      ...(dims.length === 1 && inC(sum, data, total)),
      ...(dims.length === 1 && inThreadedCHere(sum, data, total)),
      ...libraries({ dtype, dims, numpy, torch }),
      ...(onnx[method] && inOnnxRuntime(dtype, { x: { shape: dims } }, ...onnx[method](axis ?? 0))),
    };
  },
});

module.exports = [
  reduction('sum-1e7', 'f64', [N], 'sum', undefined, 'np.sum(x)', 'x.sum()'),
  reduction('sum-1e7', 'f32', [N], 'sum', undefined, 'np.sum(x)', 'x.sum()'),
  reduction('max-1e7', 'f64', [N], 'max', undefined, 'np.max(x)', 'x.max()'),
  reduction('max-1e7', 'f32', [N], 'max', undefined, 'np.max(x)', 'x.max()'),
  reduction('var-1e7', 'f64', [N], 'var', undefined, 'np.var(x)', 'x.var(unbiased=False)'),
  reduction('var-1e7', 'f32', [N], 'var', undefined, 'np.var(x)', 'x.var(unbiased=False)'),
  reduction('argmax-1e7', 'f64', [N], 'argmax', undefined, 'np.argmax(x)', 'x.argmax()'),
  reduction('argmax-1e7', 'f32', [N], 'argmax', undefined, 'np.argmax(x)', 'x.argmax()'),
  reduction('sum-rows', 'f64', [1000, 1000], 'sum', 1, 'np.sum(x, axis=1)', 'x.sum(1)'),
  reduction('sum-columns', 'f64', [1000, 1000], 'sum', 0, 'np.sum(x, axis=0)', 'x.sum(0)'),
  reduction('sum-short-rows', 'f64', [1e6, 3], 'sum', 1, 'np.sum(x, axis=1)', 'x.sum(1)'),
  reduction('sum-few-columns', 'f64', [1e6, 3], 'sum', 0, 'np.sum(x, axis=0)', 'x.sum(0)'),
];
