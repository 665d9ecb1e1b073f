// What the threads of the pool bring: the same program on all cores and on the calling one.
//
// Small work must not become slower; large work that computes should gain a factor of the cores. Work that
// only moves memory gains what one core leaves of the bandwidth. The case of runs at once has twice as many runs as
// cores: then threads bring nothing, and must cost nothing.
'use strict';

const { Graph } = require('graphjit');
const { fill } = require('../support/arrays.js');
const { cores } = require('../support/peers.js');

const sizes = { '1e3': 1e3, '1e4': 1e4, '1e5': 1e5, '1e7': 1e7 };

const kinds = {
  computing: { title: 'sin(x) · cos(y)', build: (x, y) => x.sin().mul(y.cos()), gain: { '1e5': 0.85 * cores, '1e7': 0.925 * cores } },
  moving: { title: '2x + 3y', build: (x, y) => x.mul(2).add(y.mul(3)), gain: {} },
};

function threadsCase(kind, label) {
  const { title, build, gain } = kinds[kind];
  const n = sizes[label];
  return {
    name: `threads-${kind}-${label}`,
    title: `${title} of ${label} f64 on ${cores} threads`,
    unit: 'µs',
    targets: [{ peer: '1 thread', speed: gain[label] ?? 0.97 }],
    contestants() {
      const [x, y, z] = [1, 2, 3].map((to) => fill({ type: 'f64', length: n, to }));
      const graph = new Graph(kind);
      graph.output('z', build(graph.input('x', 'f64', ['n']), graph.input('y', 'f64', ['n'])));
      return {
        graphjit: graph.compile({ threads: cores }).bind({ x, y }, { z }),
        '1 thread': graph.compile({ threads: 1 }).bind({ x, y }, { z }),
      };
    },
  };
}

const atOnce = {
  name: 'threads-at-once',
  title: `${2 * cores} runs at once of sin(x) · cos(x), 1e6 f64`,
  unit: 'ms',
  awaited: true,
  targets: [{ peer: '1 thread', speed: 0.97 }],
  contestants() {
    const graph = new Graph('runs');
    const x = graph.input('x', 'f64', ['n']);
    graph.output('z', x.sin().mul(x.cos()));
    const arrays = Array.from({ length: 2 * cores }, () => [1, 2].map((to) => fill({ type: 'f64', length: 1e6, to })));
    const together = (threads) => {
      const program = graph.compile({ threads });
      return () => Promise.all(arrays.map(([data, z]) => program.runAsync({ x: data }, { z })));
    };
    return { graphjit: together(cores), '1 thread': together(1) };
  },
};

module.exports = [...Object.keys(kinds).flatMap((kind) => Object.keys(sizes).map((label) => threadsCase(kind, label))), atOnce];
