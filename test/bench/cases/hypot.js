// sqrt(x² + y²): one multiplication and one square root per element; memory decides for long arrays.
'use strict';

const { Graph } = require('graphjit');
const { inC, inNumpy } = require('../support/peers.js');
const { inWasm } = require('../support/wasm.js');

function hypotGraph() {
  const graph = new Graph('hypot');
  const x = graph.input('x', 'f64', ['n']);
  const y = graph.input('y', 'f64', ['n']);
  return graph.output('z', x.mul(x).add(y.mul(y)).sqrt());
}

function plain(x, y, z) {
  for (let i = 0; i < z.length; i++) z[i] = Math.sqrt(x[i] * x[i] + y[i] * y[i]);
}

function hypotCase(n, label, targets) {
  return {
    name: `hypot-${label}`,
    title: `sqrt(x² + y²) on ${label} f64`,
    unit: 'µs',
    targets,
    async contestants() {
      const x = Float64Array.from({ length: n }, (_, i) => i / 3);
      const y = Float64Array.from({ length: n }, (_, i) => n - i / 7);
      const z = new Float64Array(n);
      const graph = hypotGraph();
      return {
        graphjit: graph.compile().bind({ x, y }, { z }),
        ...inC('hypot_f64', x, y, z),
        wasm: await inWasm(graph, n, [x, y], [{ type: 'f64', length: n }]),
        'JavaScript loop': () => plain(x, y, z),
        ...inNumpy(`x = np.arange(${n}) / 3; y = ${n} - np.arange(${n}) / 7; z = np.empty(${n})`, 'np.sqrt(x * x + y * y, out=z)'),
      };
    },
  };
}

module.exports = [hypotCase(1e3, '1e3'), hypotCase(1e6, '1e6', [{ peer: 'clang -O3', speed: 0.9 }])];
