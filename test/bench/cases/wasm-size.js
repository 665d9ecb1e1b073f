// What modules of WebAssembly weigh: code alone, weights being a file of their own. `graphjit` is the variant with vectors.
'use strict';

const { Graph, tensor } = require('graphjit');
const { fill } = require('../support/arrays.js');

/** Numbers as weights, the same in every process. @type {(...shape: number[]) => import('graphjit').Tensor} */
const weights = (...shape) => tensor(fill({ type: 'f32', length: shape.reduce((a, b) => a * b, 1), from: -1 }), { shape });
const dense = (value, from, to) => value.expandDims(2).mul(weights(from, to)).sum({ axis: 1 }).add(weights(to));

/** @type {Record<string, { title: string, below: number, build: (graph: Graph) => void }>} */
const modules = {
  scalar: {
    title: 'x + 2 of one number',
    below: 301,
    build: (graph) => graph.output('y', graph.input('x', 'f64').add(2)),
  },
  hypot: {
    title: 'sqrt(x² + y²)',
    below: 1024,
    build(graph) {
      const [x, y] = ['x', 'y'].map((name) => graph.input(name, 'f64', ['n']));
      graph.output('z', x.mul(x).add(y.mul(y)).sqrt());
    },
  },
  fused: {
    title: 'GELU, tanh form',
    below: 2049,
    build(graph) {
      const x = graph.input('x', 'f32', ['n']);
      graph.output('y', x.mul(0.5).mul(x.add(x.mul(x).mul(x).mul(0.044715)).mul(0.7978845608028654).tanh().add(1)));
    },
  },
  mlp: {
    title: 'a perceptron 784-256-128-10',
    below: 12289,
    build(graph) {
      const hidden = dense(dense(graph.input('x', 'f32', ['n', 784]), 784, 256).relu(), 256, 128).relu();
      graph.output('p', dense(hidden, 128, 10).softmax());
    },
  },
};

module.exports = Object.entries(modules).map(([name, { title, below, build }]) => ({
  name: `wasm-size-${name}`,
  title: `wasm module of ${title}`,
  unit: 'bytes',
  targets: [{ below }],
  values() {
    const graph = new Graph(name);
    build(graph);
    const compile = (/** @type {boolean | 'auto'} */ optimize) =>
      graph.toWasm({ variants: ['mvp', 'simd', 'relaxed'], weights: 'separate', optimize }).modules;
    const [made, optimized] = [compile(false), compile('auto')];
    return {
      graphjit: made.simd.length,
      'relaxed simd': made.relaxed.length,
      'without vectors': made.mvp.length,
      'after wasm-opt': optimized.simd.length,
    };
  },
}));
