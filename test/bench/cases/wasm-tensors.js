// Programs of tensor algebra in WebAssembly, against the two libraries of arrays that compute there, all in this process. A
// module of graphjit runs on arrays in its memory and writes its results over those of the run before; the libraries take
// arrays of theirs and make new ones. All of them have one thread: in Node, tfjs knows no other way.
'use strict';

const { Graph } = require('graphjit');
const { fill } = require('../support/arrays.js');
const { inWasm } = require('../support/wasm.js');
const { inJax, inTfjs, present } = require('../support/wasm-peers.js');

const COUNT = 1e5;

/** @typedef {{ shape: number[], below?: number }} Operand of f32, or with `below` of i32 under that */

/**
 * A program, its operands and how many f32 it gives; in jax-js every operand must be used up once.
 *
 * @typedef {object} Program
 * @property {string} title
 * @property {Operand[]} operands
 * @property {number} length
 * @property {(...values: any[]) => any} build
 * @property {(lib: any, ...values: any[]) => any} [jax]
 * @property {(tf: any, ...values: any[]) => any} [tfjs]
 */

const line = { shape: [COUNT] };
const norm = (x) => x.sub(x.mean({ axis: -1, keepDims: true })).div(x.var({ axis: -1, keepDims: true }).add(1e-5).sqrt());

/** @type {Record<string, Program>} */
const programs = {
  add: {
    title: 'x + y of 16',
    operands: [{ shape: [16] }, { shape: [16] }],
    length: 16,
    build: (x, y) => x.add(y),
    jax: (_, x, y) => x.add(y),
    tfjs: (tf, x, y) => tf.add(x, y),
  },
  sort: { title: 'sort of 1e5', operands: [line], length: COUNT, build: (x) => x.sort(), jax: ({ numpy }, x) => numpy.sort(x) },
  argsort: {
    title: 'argsort of 1e5',
    operands: [line],
    length: 2 * COUNT,
    build: (x) => x.argsort(),
    jax: ({ numpy }, x) => numpy.argsort(x),
  },
  topk: {
    title: 'the greatest 100 of 1e5',
    operands: [line],
    length: 100,
    build: (x) => x.topk(100).values,
    jax: ({ lax }, x) => lax.topK(x, 100)[0],
    tfjs: (tf, x) => tf.topk(x, 100).values,
  },
  cumsum: {
    title: 'running sum of 1e5',
    operands: [line],
    length: COUNT,
    build: (x) => x.cumulateSum(),
    jax: ({ numpy }, x) => numpy.cumsum(x),
    tfjs: (tf, x) => tf.cumsum(x),
  },
  gather: {
    title: '1e5 f32 by index',
    operands: [line, { shape: [COUNT], below: COUNT }],
    length: COUNT,
    build: (x, i) => x.take(i, { axis: 0 }),
    jax: ({ numpy }, x, i) => numpy.take(x, i, 0),
    tfjs: (tf, x, i) => tf.gather(x, i),
  },
  rows: {
    title: '1e4 rows of 64 f32 by index',
    operands: [{ shape: [1e4, 64] }, { shape: [1e4], below: 1e4 }],
    length: 64e4,
    build: (x, i) => x.take(i, { axis: 0 }),
    jax: ({ numpy }, x, i) => numpy.take(x, i, 0),
    tfjs: (tf, x, i) => tf.gather(x, i),
  },
  scatter: {
    title: '1e5 f32 added by index',
    operands: [line, { shape: [COUNT], below: COUNT }],
    length: COUNT,
    build: (u, i) => u.mul(0).indexAdd(i, u),
    tfjs: (tf, u, i) => tf.scatterND(tf.expandDims(i, 1), u, [COUNT]),
  },
  matmul: {
    title: 'product of two matrices of 256 × 256',
    operands: [{ shape: [256, 256] }, { shape: [256, 256] }],
    length: 65536,
    build: (x, y) => x.matmul(y),
    jax: ({ numpy }, x, y) => numpy.matmul(x, y),
    tfjs: (tf, x, y) => tf.matMul(x, y),
  },
  conv: {
    title: '3 × 3 convolution of 32 × 28 × 28 to 64 channels',
    operands: [{ shape: [1, 28, 28, 32] }, { shape: [3, 3, 32, 64] }],
    length: 26 * 26 * 64,
    build: (x, k) => x.transpose([0, 3, 1, 2]).conv(k.transpose([3, 2, 0, 1])).transpose([0, 2, 3, 1]),
    jax: ({ lax, numpy }, x, k) => lax.convGeneralDilated(numpy.transpose(x, [0, 3, 1, 2]), numpy.transpose(k, [3, 2, 0, 1]), [1, 1], 'VALID'),
    tfjs: (tf, x, k) => tf.conv2d(x, k, 1, 'valid'),
  },
  softmax: {
    title: 'softmax of 256 rows of 1000',
    operands: [{ shape: [256, 1000] }],
    length: 256e3,
    build: (x) => x.softmax(),
    jax: ({ nn }, x) => nn.softmax(x, -1),
    tfjs: (tf, x) => tf.softmax(x),
  },
  norm: {
    title: 'normalisation of 256 rows of 768',
    operands: [{ shape: [256, 768] }],
    length: 256 * 768,
    build: norm,
    jax: ({ nn }, x) => nn.standardize(x, -1),
    tfjs: (tf, x) => {
      const { mean, variance } = tf.moments(x, -1, true);
      return tf.div(tf.sub(x, mean), tf.sqrt(tf.add(variance, 1e-5)));
    },
  },
};

const sizeOf = (/** @type {number[]} */ shape) => shape.reduce((total, size) => total * size, 1);

module.exports = Object.entries(programs).map(([name, { title, operands, length, build, jax, tfjs }]) => ({
  name: `wasm-tensors-${name}`,
  title: `${title} in WebAssembly`,
  unit: 'µs',
  awaited: true,
  targets: ['jax-js', 'tfjs'].map((peer) => ({ peer, speed: 1.5 })),
  async contestants() {
    const graph = new Graph(name);
    const made = operands.map(({ shape, below }, i) => graph.input(`x${i}`, below ? 'i32' : 'f32', shape));
    graph.output('z', build(...made));
    const inputs = operands.map(({ shape, below }, i) => fill({ type: below ? 'i32' : 'f32', length: sizeOf(shape), from: below ? 0 : i - 1, to: below ?? 1 }));
    const shapes = operands.map(({ shape }) => shape);
    return present({
      graphjit: await inWasm(graph, 1, inputs, [{ type: 'f32', length }]),
      'graphjit, fast': await inWasm(graph, 1, inputs, [{ type: 'f32', length }], { numerics: 'fast' }),
      ...(jax && (await inJax('f32', inputs, jax, { shapes }))),
      ...(tfjs && (await inTfjs(inputs, tfjs, shapes))),
    });
  },
}));
