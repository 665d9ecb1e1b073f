// Reductions larger than the caches, and along the axes that are awkward to loop over.
'use strict';

const { Graph, tensor } = require('graphjit');
const { inNumpy } = require('../support/peers.js');

const N = 1e7;

/** Numbers that are neither sorted nor all alike. @type {(x: any) => any} */
function fill(x) {
  for (let i = 0; i < x.length; i++) x[i] = ((i * 7919) % 1009) / 16;
  return x;
}

/** @type {(dtype: 'f64' | 'f32', dims: number[]) => any} */
function operand(dtype, dims) {
  const size = dims.reduce((a, b) => a * b, 1);
  const data = fill(dtype === 'f64' ? new Float64Array(size) : new Float32Array(size));
  return tensor(data, { shape: dims, dtype });
}

/** @type {(name: string, dtype: 'f64' | 'f32', dims: number[], method: string, axis: number | undefined, numpy: string) => any} */
const reduction = (name, dtype, dims, method, axis, numpy) => ({
  name: `${name}-${dtype}`,
  title: `${method} of ${dtype}, ${name}`,
  unit: 'µs',
  contestants() {
    const x = operand(dtype, dims);
    const graph = new Graph(name);
    const input = graph.input('x', dtype, dims.map((_, i) => 'nmk'[i]));
    graph.output('z', /** @type {any} */ (input)[method](axis === undefined ? {} : { axis }));
    const program = graph.compile();
    const z = program.run({ x }).z;
    const shape = `(${dims.join(', ')},)`;
    const type = dtype === 'f64' ? 'np.float64' : 'np.float32';
    return {
      graphjit: program.bind({ x }, { z }),
      ...inNumpy(`x = (np.arange(${x.size}) * 7919 % 1009 / 16).astype(${type}).reshape(${shape})`, numpy),
    };
  },
});

module.exports = [
  reduction('max-1e7', 'f64', [N], 'max', undefined, 'np.max(x)'),
  reduction('var-1e7', 'f64', [N], 'var', undefined, 'np.var(x)'),
  reduction('argmax-1e7', 'f32', [N], 'argmax', undefined, 'np.argmax(x)'),
  reduction('sum-rows', 'f64', [1000, 1000], 'sum', 1, 'np.sum(x, axis=1)'),
  reduction('sum-columns', 'f64', [1000, 1000], 'sum', 0, 'np.sum(x, axis=0)'),
  reduction('sum-short-rows', 'f64', [1e6, 3], 'sum', 1, 'np.sum(x, axis=1)'),
  reduction('sum-few-columns', 'f64', [1e6, 3], 'sum', 0, 'np.sum(x, axis=0)'),
];
