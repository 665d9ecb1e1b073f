// A sum over an array that is larger than the caches.
'use strict';

const { Graph } = require('graphjit');
const { inC, inNumpy } = require('../support/peers.js');

const N = 1e7;

function plain(x) {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i];
  return sum;
}

module.exports = [
  {
    name: 'sum-1e7',
    title: 'sum of 1e7 f64',
    unit: 'µs',
    contestants() {
      const x = new Float64Array(N).fill(0.5);
      const z = new Float64Array(1);
      const graph = new Graph('sum');
      graph.output('z', graph.input('x', 'f64', ['n']).sum());
      return {
        graphjit: graph.compile().bind({ x }, { z }),
        ...inC('sum_f64', x, z),
        'JavaScript loop': () => plain(x),
        ...inNumpy(`x = np.full(${N}, 0.5)`, 'np.sum(x)'),
      };
    },
  },
];
