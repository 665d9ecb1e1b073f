// WebAssembly on V8: modules with 128-bit vectors, without, and the loop that people write in JavaScript.
'use strict';

const { Graph } = require('graphjit');
const { fill, types } = require('../support/arrays.js');
const { inWasm } = require('../support/wasm.js');

const N = 10000;

/** What to compute of `x` and `y`, and the same for one element in JavaScript. */
const expressions = {
  axpby: { title: '2x + 3y', build: (x, y) => x.mul(2).add(y.mul(3)), plain: '2 * x[i] + 3 * y[i]' },
  norm: { title: 'sqrt(x² + y²)', build: (x, y) => x.mul(x).add(y.mul(y)).sqrt(), plain: 'Math.sqrt(x[i] * x[i] + y[i] * y[i])' },
  exp: { title: 'exp(x) · y', build: (x, y) => x.exp().mul(y), plain: 'Math.exp(x[i]) * y[i]' },
  sin: { title: 'sin(x) + y', build: (x, y) => x.sin().add(y), plain: 'Math.sin(x[i]) + y[i]' },
  tanh: { title: 'tanh(x) · y', build: (x, y) => x.tanh().mul(y), plain: 'Math.tanh(x[i]) * y[i]' },
  clamp: { title: 'x < y ? x : 0', build: (x, y) => x.lt(y).where(x, 0), plain: 'x[i] < y[i] ? x[i] : 0' },
  sum: { title: 'sum of x · y', build: (x, y) => x.mul(y).sum(), plain: null },
};

function wasmCase(name, type) {
  const { title, build, plain } = expressions[name];
  return {
    name: `wasm-${name}-${type}`,
    title: `${title} on 1e4 ${type} in WebAssembly`,
    unit: 'µs',
    targets: [{ peer: 'without vectors', speed: 2 }],
    async contestants() {
      const [x, y] = [fill({ type, length: N, from: -3, to: 3 }), fill({ type, length: N, from: -2, to: 5 })];
      const graph = new Graph(name);
      graph.output('z', build(graph.input('x', type, ['n']), graph.input('y', type, ['n'])));
      const outputs = [{ type, length: plain ? N : 1 }];
      const z = new types[type](N);
      const loop = plain && new Function('x', 'y', 'z', `for (let i = 0; i < z.length; i++) z[i] = ${plain};`);
      const total = () => {
        for (let i = 0; i < N; i++) z[0] += x[i] * y[i];
      };
      return {
        graphjit: await inWasm(graph, N, [x, y], outputs),
        'without vectors': await inWasm(graph, N, [x, y], outputs, { variants: ['mvp'] }),
        'JavaScript loop': loop ? () => loop(x, y, z) : total,
        'graphjit, native': graph.compile().bind({ x, y }, { z: plain ? z : new types[type](1) }),
      };
    },
  };
}

module.exports = Object.keys(expressions).flatMap((name) => ['f64', 'f32'].map((type) => wasmCase(name, type)));
