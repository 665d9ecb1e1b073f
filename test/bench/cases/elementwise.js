// Loops that memory limits: sums, transposes, steps and broadcasts.
//
// Sizes in the first-level cache, in the second, in memory. C stores past the caches where an array is large, and
// transposes in blocks, as good programs do; NumPy and numba do what they do.
'use strict';

const { Graph } = require('graphjit');
const { fill } = require('../support/arrays.js');
const { cores, inC, inPython, inThreadedC } = require('../support/peers.js');

const square = (side) => [side, side];

// Per kind: what it computes, shapes of inputs by name and of z for a size, and what Python says. `first` is the array
// whose length C takes.
const kinds = {
  axpby: {
    title: '2x + 3y',
    sizes: { '1e3': 1e3, '1e5': 1e5, '1e7': 1e7 },
    inputs: (n) => ({ x: [n], y: [n] }),
    output: (n) => [n],
    build: ({ x, y }) => x.mul(2).add(y.mul(3)),
    numpy: 'np.add(np.multiply(x, T(2), out=t), np.multiply(y, T(3), out=u), out=z)',
    numba: 'for i in numba.prange(z.size):\n    z[i] = T(2) * x[i] + T(3) * y[i]',
    threaded: true,
  },
  transpose: {
    title: 'copy of a transpose',
    sizes: { tiny: 16, small: 64, 1000: 1000, 2048: 2048 },
    inputs: (n) => ({ x: square(n) }),
    output: square,
    build: ({ x }) => x.transpose(),
    numpy: 'np.copyto(z, x.T)',
    numba: 'for i in numba.prange(z.shape[0]):\n    for j in range(z.shape[1]):\n      z[i, j] = x[j, i]',
  },
  add_transposed: {
    title: 'x + transpose(y)',
    sizes: { tiny: 16, small: 64, 1000: 1000, 2048: 2048 },
    inputs: (n) => ({ x: square(n), y: square(n) }),
    output: square,
    build: ({ x, y }) => x.add(y.transpose()),
    numpy: 'np.add(x, y.T, out=z)',
    numba: 'for i in numba.prange(z.shape[0]):\n    for j in range(z.shape[1]):\n      z[i, j] = x[i, j] + y[j, i]',
  },
  halve: {
    title: 'every second element',
    sizes: { '1e3': 1e3, '1e5': 1e5 },
    inputs: (n) => ({ x: [2 * n] }),
    output: (n) => [n],
    build: ({ x }) => x.slice([null, null, 2]),
    numpy: 'np.copyto(z, x[::2])',
    numba: 'for i in numba.prange(z.size):\n    z[i] = x[2 * i]',
    first: 'z',
  },
  grey: {
    title: 'brightness of interleaved pixels',
    sizes: { '1e3': 1e3, '1e5': 1e5 },
    inputs: (n) => ({ x: [3 * n] }),
    output: (n) => [n],
    build: ({ x }) =>
      x.slice([null, null, 3]).mul(0.25).add(x.slice([1, null, 3]).mul(0.5)).add(x.slice([2, null, 3]).mul(0.25)),
    numpy: 'np.copyto(z, T(0.25) * x[::3] + T(0.5) * x[1::3] + T(0.25) * x[2::3])',
    numba: 'for i in numba.prange(z.size):\n    z[i] = T(0.25) * x[3 * i] + T(0.5) * x[3 * i + 1] + T(0.25) * x[3 * i + 2]',
    first: 'z',
  },
  add_row: {
    title: 'matrix and row',
    sizes: { small: 64, 1000: 1000 },
    inputs: (n) => ({ x: square(n), y: [n] }),
    output: square,
    build: ({ x, y }) => x.add(y),
    numpy: 'np.add(x, y, out=z)',
    numba: 'for i in numba.prange(z.shape[0]):\n    for j in range(z.shape[1]):\n      z[i, j] = x[i, j] + y[j]',
  },
  add_column: {
    title: 'matrix and column',
    sizes: { small: 64, 1000: 1000 },
    inputs: (n) => ({ x: square(n), y: [n, 1] }),
    output: square,
    build: ({ x, y }) => x.add(y),
    numpy: 'np.add(x, y, out=z)',
    numba: 'for i in numba.prange(z.shape[0]):\n    for j in range(z.shape[1]):\n      z[i, j] = x[i, j] + y[i, 0]',
  },
};

const lengthOf = (shape) => shape.reduce((a, b) => a * b, 1);

function inLibraries(kind, dtype, shapes, threads) {
  const type = dtype === 'f64' ? 'float64' : 'float32';
  const names = Object.keys(shapes);
  const setup = [
    'import numpy as np',
    'r = np.random.default_rng(1)',
    `T = np.${type}`,
    ...names.map((name) => `${name} = r.random((${shapes[name].join(', ')},)).astype(T)`),
    't, u = np.empty_like(z), np.empty_like(z)',
  ].join('\n');
  const jitted =
    `import numba\n@numba.njit(fastmath=True, parallel=numba.config.NUMBA_NUM_THREADS > 1)\n` +
    `def f(${names.join(', ')}):\n  ${kind.numba}`;
  return {
    ...(threads === 1 && inPython('numpy', setup, kind.numpy)),
    ...inPython('numba', `${setup}\n${jitted}`, `f(${names.join(', ')})`, threads),
  };
}

function elementwiseCase(name, dtype, label) {
  const kind = kinds[name];
  const n = kind.sizes[label];
  const shapes = { ...kind.inputs(n), z: kind.output(n) };
  const specs = Object.fromEntries(Object.entries(shapes).map(([x, shape]) => [x, { type: dtype, length: lengthOf(shape) }]));
  const order = kind.first ? [kind.first, ...Object.keys(specs).filter((x) => x !== kind.first)] : Object.keys(specs);
  const kernel = `${name}_${dtype}`;
  return {
    name: `${name.replace('_', '-')}-${dtype}-${label}`,
    title: `${kind.title}, n = ${n}, ${dtype}`,
    unit: 'µs',
    targets: [
      ...['gcc -Ofast', 'clang -O3', 'numpy', 'numba'].map((peer) => ({ who: 'graphjit', peer, speed: 1 })),
      ...(kind.threaded ? [{ who: `graphjit ×${cores}`, peer: `gcc -Ofast ×${cores}`, speed: 0.95 }] : []),
    ],
    contestants() {
      const { z, ...inputs } = Object.fromEntries(Object.entries(specs).map(([x, spec]) => [x, fill(spec)]));
      const graph = new Graph(name);
      graph.output('z', kind.build(Object.fromEntries(Object.keys(inputs).map((x) => [x, graph.input(x, dtype, shapes[x])]))));
      const bound = (threads) => graph.compile({ threads }).bind(inputs, { z });
      const all = { ...inputs, z };
      return {
        graphjit: bound(1),
        ...(kind.threaded && cores > 1 && { [`graphjit ×${cores}`]: bound(cores) }),
        ...inC(kernel, ...order.map((x) => all[x])),
        ...(kind.threaded && inThreadedC(kernel, order.map((x) => specs[x]))),
        ...inLibraries(kind, dtype, shapes, 1),
        ...(kind.threaded && cores > 1 && inLibraries(kind, dtype, shapes, cores)),
      };
    },
  };
}

module.exports = Object.keys(kinds).flatMap((name) =>
  ['f64', 'f32'].flatMap((dtype) => Object.keys(kinds[name].sizes).map((label) => elementwiseCase(name, dtype, label))),
);
