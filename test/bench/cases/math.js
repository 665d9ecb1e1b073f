// Throughput of elementary functions on arrays that stay in the second-level cache.
'use strict';

const { Graph } = require('graphjit');
const { inC, inNumpy } = require('../support/peers.js');

const N = 20000;

function mathCase(op, dtype) {
  const ArrayType = dtype === 'f64' ? Float64Array : Float32Array;
  return {
    name: `${op}-${dtype}`,
    title: `${op}(x) on 2e4 ${dtype}`,
    unit: 'µs',
    contestants() {
      const x = ArrayType.from({ length: N }, (_, i) => (i / N) * 20 - 10);
      const y = new ArrayType(N);
      const graph = new Graph(op);
      graph.output('y', graph.input('x', dtype, ['n'])[op]());
      const bound = (numerics) => graph.compile({ numerics }).bind({ x }, { y });
      const loop = new Function('x', 'y', `for (let i = 0; i < x.length; i++) y[i] = Math.${op}(x[i]);`);
      const setup = `x = (np.arange(${N}) / ${N} * 20 - 10).astype(np.${dtype === 'f64' ? 'float64' : 'float32'}); y = np.empty_like(x)`;
      return {
        graphjit: bound('default'),
        "'strict'": bound('strict'),
        ...inC(`${op}_${dtype}`, x, y),
        'JavaScript loop': () => loop(x, y),
        ...inNumpy(setup, `np.${op}(x, out=y)`),
      };
    },
  };
}

module.exports = [mathCase('sin', 'f64'), mathCase('sin', 'f32'), mathCase('exp', 'f64'), mathCase('exp', 'f32')];
