// Different values among a million, elements where something is true, and where that is: results whose size depends
// on data. NumPy and PyTorch get a fresh array each time, and so does graphjit.
'use strict';

const { Graph, tensor } = require('graphjit');
const { fill } = require('../support/arrays.js');
const { cores, inPython, inTorch } = require('../support/peers.js');

const N = 1e6;

/** What the numbers are, here and in Python. @type {Record<string, { made: (v: number) => number, python: string }>} */
const kinds = {
  random: { made: (v) => v, python: 'x' },
  few: { made: (v) => Math.floor(v * 1000), python: 'np.floor(x * 1000)' },
};

/** @typedef {{ name: string, title: string, build: (x: any) => any, numpy: string, torch: string }} Work */

/** @type {Work[]} */
const works = [
  { name: 'unique', title: 'different values', build: (x) => x.uniqueValues(), numpy: 'np.unique(x)', torch: 'torch.unique(x)' },
  { name: 'mask', title: 'elements above 0.5', build: (x) => x.maskedSelect(x.gt(0.5)), numpy: 'x[x > 0.5]', torch: 'x[x > 0.5]' },
  { name: 'nonzero', title: 'where elements are above 0.5', build: (x) => x.gt(0.5).nonzero()[0], numpy: 'np.nonzero(x > 0.5)', torch: 'torch.nonzero(x > 0.5)' },
];

/** @type {(work: Work, dtype: 'f64' | 'f32', kind: string) => any} */
const selected = ({ name, title, build, numpy, torch }, dtype, kind) => ({
  name: `${name}-1e6-${dtype}${kind === 'random' ? '' : `-${kind}`}`,
  title: `${title} of a million ${dtype}, ${kind}`,
  unit: 'µs',
  targets: [
    { who: 'graphjit', peer: 'numpy', speed: 1 },
    { who: 'graphjit', peer: 'torch', speed: 1 },
    { who: `graphjit ×${cores}`, peer: `torch ×${cores}`, speed: 1 },
  ],
  contestants() {
    const x = tensor(fill({ type: dtype, length: N }).map(kinds[kind].made), { dtype });
    const graph = new Graph(name);
    graph.output('z', build(graph.input('x', dtype, [N])));
    const run = (/** @type {number} */ threads) => {
      const program = graph.compile({ threads });
      return () => program.run({ x }).z.dispose();
    };
    const type = dtype === 'f64' ? 'np.float64' : 'np.float32';
    const filled = ['import numpy as np', `x = np.random.default_rng(1).random(${N}, ${type})`, `x = (${kinds[kind].python}).astype(${type})`];
    return {
      graphjit: run(1),
      ...(cores > 1 && { [`graphjit ×${cores}`]: run(cores) }),
      ...inPython('numpy', filled.join('\n'), numpy),
      ...inTorch(filled, ['x'], torch),
    };
  },
});

module.exports = works.flatMap((work) =>
  /** @type {const} */ (['f64', 'f32']).flatMap((dtype) => Object.keys(kinds).map((kind) => selected(work, dtype, kind))),
);
