// Compile time, from an empty graph to a program. Every call compiles another constant, and the cache is
// off, so that nothing can be remembered from the call before; but for the case that reads it from disk.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Graph, tensor } = require('graphjit');

let calls = 0;

/** A graph of 20 operations; `math` are the names of elementary functions among them. */
function graph20(math) {
  const graph = new Graph('twenty');
  const x = graph.input('x', 'f64', ['n']);
  const y = graph.input('y', 'f64', ['n']);
  const steps = [...math.map((name) => (v) => v[name]())];
  while (steps.length < 20) {
    const k = 1.5 + calls++ * 1e-9;
    const [one, two, three] = [(v) => v.mul(y), (v) => v.add(k), (v) => v.sub(x)];
    steps.push([one, two, three][steps.length % 3]);
  }
  return graph.output('z', steps.reduce((value, step) => step(value), x));
}

/** 100 steps over a vector, each with a reduction and so a kernel or two of its own. */
function graph100() {
  const graph = new Graph('hundred');
  let value = graph.input('x', 'f32', ['n']);
  for (let i = 0; i < 50; i++) {
    value = value.mul(1.5 + calls++ * 1e-6).sub(value.max());
    value = value.div(value.sum());
  }
  return graph.output('z', value);
}

function compileOnce(graph, options) {
  graph.compile({ cache: false, threads: 1, ...options }).dispose();
  graph.dispose();
}

function compileCase(name, title, math) {
  return {
    name,
    title,
    unit: 'ms',
    targets: [{ below: 8 }],
    contestants: () => ({
      graphjit: () => compileOnce(graph20(math)),
      'optLevel 0': () => compileOnce(graph20(math), { optLevel: 0 }),
    }),
  };
}

/** The very first compilation of a process starts LLVM too. */
const first = {
  name: 'compile-first',
  title: 'the first compilation of a process, 20 operations',
  unit: 'ms',
  values() {
    const start = performance.now();
    compileOnce(graph20([]));
    return { graphjit: (performance.now() - start) * 1e6 };
  },
};

/**
 * Several objects at the same time, where there are cores for it. A program for two threads has half as much code
 * again as one for a single thread, since each of its reductions can be divided.
 */
const kernels = {
  name: 'compile-kernels',
  title: 'compile 100 steps with reductions',
  unit: 'ms',
  contestants: () => ({
    graphjit: () => compileOnce(graph100(), { threads: 2 }),
    'for one thread': () => compileOnce(graph100()),
  }),
};

/** Dense layers of equal sizes, with weights of their own. */
function layers(/** @type {number} */ count, /** @type {boolean} */ constants) {
  const graph = new Graph('layers');
  let value = graph.input('x', 'f32', ['n', 64]);
  for (let i = 0; i < count; i++) {
    const give = (/** @type {string} */ name, /** @type {number[]} */ shape) =>
      constants ? tensor(new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(1 + calls++ * 1e-3), { shape }) : graph.input(`${name}${i}`, 'f32', shape);
    value = value.matmul(give('w', [64, 64])).add(give('b', [64])).relu();
  }
  return graph.output('z', value);
}

const model = {
  name: 'compile-layers',
  title: 'compile 166 dense layers of equal sizes, weights as constants',
  unit: 'ms',
  targets: [{ below: 1000 }],
  contestants: () => ({
    graphjit: () => compileOnce(layers(166, true)),
    'weights as inputs': () => compileOnce(layers(166, false)),
    'one layer': () => compileOnce(layers(1, true)),
  }),
};

/** Code from the disk: no other program of the graph lives when the next one is compiled. */
const warm = {
  name: 'compile-warm',
  title: 'the code of 20 operations from the disk',
  unit: 'ms',
  targets: [{ below: 1 }],
  contestants() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-bench-'));
    process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
    process.env.GRAPHJIT_CACHE_DIR = folder; // looked at by the first compilation
    const graph = graph20(['exp', 'sin', 'log']);
    const sources = Array.from({ length: 2 }, () => {
      const program = graph.compile();
      const { cache } = program.stats;
      program.dispose();
      return cache;
    });
    if (sources[1] !== 'disk') throw new Error(`code came from ${sources[1]}`);
    return { graphjit: () => graph.compile().dispose() };
  },
};

module.exports = [
  compileCase('compile-20', 'compile 20 operations', []),
  compileCase('compile-20-math', 'compile 20 operations, among them exp, sin, log', ['exp', 'sin', 'log']),
  first,
  kernels,
  model,
  warm,
];
