// What a call costs: tiny arrays, so that the work itself hardly counts.
'use strict';

const { promisify } = require('node:util');
const { randomBytes } = require('node:crypto');
const { Graph } = require('graphjit');
const { inC } = require('../support/peers.js');

const N = 16;

function addition() {
  const graph = new Graph('add');
  const x = graph.input('x', 'f64', ['n']);
  const program = graph.output('z', x.add(graph.input('y', 'f64', ['n']))).compile();
  const [x16, y16, z16] = [0, 1, 2].map(() => new Float64Array(N).fill(1.5));
  return { program, x: x16, y: y16, z: z16 };
}

function plain(x, y, z) {
  for (let i = 0; i < N; i++) z[i] = x[i] + y[i];
}

module.exports = [
  {
    name: 'bind-16',
    title: 'bound call, x + y on 16 f64',
    unit: 'ns',
    targets: [{ below: 150 }],
    contestants() {
      const { program, x, y, z } = addition();
      return { graphjit: program.bind({ x, y }, { z }), ...inC('add_f64', x, y, z), 'JavaScript loop': () => plain(x, y, z) };
    },
  },
  {
    name: 'run-16',
    title: 'run with outputs given, x + y on 16 f64',
    unit: 'ns',
    targets: [{ below: 1000 }],
    contestants() {
      const { program, x, y, z } = addition();
      return { graphjit: () => program.run({ x, y }, { z }), 'fresh outputs': () => program.run({ x, y }) };
    },
  },
  {
    name: 'async-16',
    title: 'runAsync, x + y on 16 f64',
    unit: 'µs',
    awaited: true,
    contestants() {
      const { program, x, y, z } = addition();
      const pool = promisify(randomBytes);
      return { graphjit: () => program.runAsync({ x, y }, { z }), 'crypto.randomBytes': () => pool(N) };
    },
  },
];
