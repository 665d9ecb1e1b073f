// Rows taken by index, and added where indices say: a million of 1 and of 64 f32. Indices are random, so what is measured
// is mostly memory. Rows of one come from a table of as many, those of 64 from one of a tenth.
//
// A scatter of a graph gives a new array, so graphjit copies its table in each call; the libraries add in place.
'use strict';

const { Graph, tensor } = require('graphjit');
const { fill } = require('../support/arrays.js');
const { cores, inPython, inTorch } = require('../support/peers.js');

const COUNT = 1e6;

/** Python's names for operands of the same shapes. @type {(rows: number, width: number) => string[]} */
const filled = (rows, width) => {
  const shape = (/** @type {number} */ count) => (width > 1 ? `(${count}, ${width})` : `(${count},)`);
  return [
    'import numpy as np',
    'r = np.random.default_rng(1)',
    `x = r.random(${shape(rows)}, np.float32)`,
    `u = r.random(${shape(COUNT)}, np.float32)`,
    `i = r.integers(0, ${rows}, ${COUNT})`,
    'z = np.empty_like(u)',
  ];
};

/** @type {(rows: number, width: number, numpy: Record<string, string>, torch: string) => any} */
function libraries(rows, width, numpy, torch) {
  const setup = filled(rows, width);
  const found = Object.entries(numpy).map(([who, text]) => inPython(who, setup.join('\n'), text));
  return Object.assign({}, ...found, inTorch(setup, ['x', 'u', 'i', 'z'], torch));
}

/** @type {(name: string, title: string, rows: number, width: number, build: (x: any, i: any, u: any) => any, numpy: Record<string, string>, torch: string) => any} */
const indexing = (name, title, rows, width, build, numpy, torch) => ({
  name,
  title,
  unit: 'µs',
  targets: [
    ...Object.keys(numpy).map((peer) => ({ who: 'graphjit', peer, speed: 1 })),
    { who: 'graphjit', peer: 'torch', speed: 1 },
    { who: `graphjit ×${cores}`, peer: `torch ×${cores}`, speed: 1 },
  ],
  contestants() {
    const shape = (/** @type {any} */ count) => (width > 1 ? [count, width] : [count]);
    const x = tensor(fill({ type: 'f32', length: rows * width }), { shape: shape(rows) });
    const u = tensor(fill({ type: 'f32', length: COUNT * width }), { shape: shape(COUNT) });
    let state = 1;
    const i = BigInt64Array.from({ length: COUNT }, () => BigInt(Math.floor(((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32) * rows)));
    const graph = new Graph(name);
    const operands = /** @type {const} */ ([graph.input('x', 'f32', shape('n')), graph.input('i', 'i64', ['k']), graph.input('u', 'f32', shape('k'))]);
    graph.output('z', build(...operands));
    const bound = (/** @type {number} */ threads) => {
      const program = graph.compile({ threads });
      return program.bind({ x, i, u }, { z: program.run({ x, i, u }).z });
    };
    return {
      graphjit: bound(1),
      ...(cores > 1 && { [`graphjit ×${cores}`]: bound(cores) }),
      ...libraries(rows, width, numpy, torch),
    };
  },
});

const taken = [{ numpy: 'np.take(x, i, axis=0, out=z, mode="clip")' }, 'torch.index_select(x, 0, i, out=z)'];
const added = [{ numpy: 'np.add.at(x, i, u)' }, 'x.index_add_(0, i, u)'];

module.exports = [
  indexing('gather-1', '1e6 f32 by index', 1e6, 1, (x, i) => x.take(i), taken[0], taken[1]),
  indexing('gather-64', '1e6 rows of 64 f32 by index', 1e5, 64, (x, i) => x.take(i, { axis: 0 }), taken[0], taken[1]),
  indexing('scatter-add-1', '1e6 f32 added by index', 1e6, 1, (x, i, u) => x.indexAdd(i, u), { ...added[0], bincount: 'np.bincount(i, u, len(x))' }, added[1]),
  indexing('scatter-add-64', '1e6 rows of 64 f32 added by index', 1e5, 64, (x, i, u) => x.indexAdd(i, u), {}, added[1]),
];
