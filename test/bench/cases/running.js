// Results as long as what they are made of, whose elements depend on all before: running sums of one long row, and the
// numbers of the rows where a condition holds. In C the first is a loop of additions that wait for each other, which no
// compiler may reorder, the second one pass with vectors that are compressed by a mask.
'use strict';

const { Graph, tensor } = require('graphjit');
const { fill } = require('../support/arrays.js');
const { cores, inC, inPython, inTorch } = require('../support/peers.js');

/** @typedef {{ name: string, title: string, length: number, speed: number, kernel: string, build: (x: any) => any, room: (count: number) => any, numpy: string, torch: string }} Work */

/** @type {(dtype: 'f64' | 'f32') => Work[]} */
const works = (dtype) => [
  {
    name: 'running-sum-1e7',
    title: 'running sum of ten million',
    length: 1e7,
    speed: 1,
    kernel: 'running',
    build: (x) => x.cumulateSum(),
    room: (count) => fill({ type: dtype, length: count }),
    numpy: 'np.cumsum(x)',
    torch: 'torch.cumsum(x, 0)',
  },
  {
    name: 'rows-5e6',
    title: 'numbers of rows above 0.5, of five million',
    length: 5e6,
    speed: 0.95,
    kernel: 'rows',
    build: (x) => x.gt(0.5).flatnonzero(),
    room: (count) => new BigInt64Array(count),
    numpy: 'np.flatnonzero(x > 0.5)',
    torch: 'torch.nonzero(x > 0.5)',
  },
];

/** @type {(work: Work, dtype: 'f64' | 'f32') => any} */
const running = ({ name, title, length, speed, kernel, build, room, numpy, torch }, dtype) => ({
  name: `${name}-${dtype}`,
  title: `${title} ${dtype}`,
  unit: 'µs',
  targets: [
    { who: 'graphjit', peer: 'clang -O3', speed },
    { who: `graphjit ×${cores}`, peer: 'clang -O3', speed },
    { who: 'graphjit', peer: 'numpy', speed: 1 },
    { who: `graphjit ×${cores}`, peer: `torch ×${cores}`, speed: 1 },
  ],
  contestants() {
    const data = fill({ type: dtype, length });
    const graph = new Graph(name);
    graph.output('z', build(graph.input('x', dtype, ['n'])));
    const z = room(length);
    const bound = (/** @type {number} */ threads) => graph.compile({ threads }).bind({ x: tensor(data, { dtype }) }, { z });
    const type = dtype === 'f64' ? 'np.float64' : 'np.float32';
    const filled = ['import numpy as np', `x = np.random.default_rng(1).random(${length}, ${type})`];
    return {
      graphjit: bound(1),
      ...(cores > 1 && { [`graphjit ×${cores}`]: bound(cores) }),
      ...inC(`${kernel}_${dtype}`, data, room(length + 8)),
      ...inPython('numpy', filled.join('\n'), numpy),
      ...inTorch(filled, ['x'], torch),
    };
  },
});

module.exports = /** @type {const} */ (['f64', 'f32']).flatMap((dtype) => works(dtype).map((work) => running(work, dtype)));
