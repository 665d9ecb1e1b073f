// WebAssembly against WebAssembly, all of it in this process on V8: modules of graphjit with vectors against the same
// loops in C by clang, in AssemblyScript, and against the libraries of arrays that browsers have.
'use strict';

const { Graph } = require('graphjit');
const { fill, types } = require('../support/arrays.js');
const { inWasm } = require('../support/wasm.js');
const { inJax, inTfjs, loop, present } = require('../support/wasm-peers.js');

const N = 10_000; // in the second cache
const ranges = { f64: [-3, 3], f32: [-3, 3], i32: [-1e6, 1e6], u8: [0, 256] };

/**
 * What wasm-loops.c computes, by name: of `x` and `y` in the dtypes given.
 *
 * @typedef {object} Loop
 * @property {string} title
 * @property {(keyof typeof types)[]} dtypes
 * @property {(x: any, y: any) => any} build
 * @property {any[]} [shape] of x and y, for n that follows from it
 * @property {number} [length] of x and y
 * @property {keyof typeof types} [gives] the dtype of the result
 * @property {number} [results] how many, as many as there are elements unless told
 */

const transposed = (rows) => ({ shape: [rows, 'n'], length: rows * rows, build: (x) => x.T, dtypes: ['f32'] });

/** @type {Record<string, Loop>} */
const loops = {
  axpby: { title: '2x + 3y', dtypes: ['f64', 'f32'], build: (x, y) => x.mul(2).add(y.mul(3)) },
  norm: { title: 'sqrt(x² + y²)', dtypes: ['f64', 'f32'], build: (x, y) => x.mul(x).add(y.mul(y)).sqrt() },
  chain: {
    title: 'ten operations',
    dtypes: ['f64', 'f32'],
    build: (x, y) => x.add(y).mul(x.sub(y)).add(x.mul(0.5)).mul(y.neg().add(1.5)).div(x.mul(x).add(1)),
  },
  clamp: { title: 'min(max(x, y), 2) · y', dtypes: ['f64', 'f32'], build: (x, y) => x.max(y).min(2).mul(y) },
  select: { title: 'x < y ? 2x : y - 1', dtypes: ['f64', 'f32'], build: (x, y) => x.lt(y).where(x.mul(2), y.sub(1)) },
  integers: { title: '(7x + y) ^ (x >> 3)', dtypes: ['i32'], build: (x, y) => x.mul(7).add(y).xor(x.shr(3)) },
  blend: {
    title: 'blend of pictures',
    dtypes: ['u8'],
    build: (x, y) => x.convert('u16').mul(5).add(y.convert('u16').mul(3)).add(4).shr(3).convert('u8'),
  },
  grey: {
    title: 'grey of interleaved colours',
    dtypes: ['u8'],
    shape: ['n', 3],
    length: 3 * N,
    results: N,
    build: (x) => {
      const [red, green, blue] = [0, 1, 2].map((i) => x.slice(null, i).convert('u16'));
      return red.mul(77).add(green.mul(150)).add(blue.mul(29)).add(128).shr(8).convert('u8');
    },
  },
  sum: { title: 'sum', dtypes: ['f64', 'f32', 'i32'], build: (x) => x.sum({ dtype: x.dtype }), results: 1 },
  dot: { title: 'dot product', dtypes: ['f32'], build: (x, y) => x.mul(y).sum(), results: 1 },
  max: { title: 'max', dtypes: ['f64', 'f32'], build: (x) => x.max(), results: 1 },
  running: { title: 'running sum', dtypes: ['f32', 'i32'], build: (x) => x.cumulateSum(0) },
  transpose: { title: 'transpose 100 × 100', ...transposed(100) },
  transpose1000: { title: 'transpose 1000 × 1000', ...transposed(1000) },
};

/** @type {(name: string, type: keyof typeof types) => object} */
function loopCase(name, type) {
  const { title, build, shape = ['n'], length = N, gives = type, results = length } = loops[name];
  return {
    name: `wasm-clang-${name}-${type}`,
    title: `${title} on ${type} in WebAssembly`,
    unit: 'µs',
    targets: [{ peer: 'clang -O3', speed: 1 }],
    async contestants() {
      const [from, to] = ranges[type];
      const graph = new Graph(name);
      const made = ['x', 'y'].map((own) => graph.input(own, type, shape));
      graph.output('z', build(made[0], made[1]));
      const inputs = made.map(() => fill({ type, length, from, to }));
      inputs[1].reverse();
      const n = length / shape.reduce((total, size) => (size === 'n' ? total : total * size), 1);
      const bytes = results * types[gives].BYTES_PER_ELEMENT;
      const count = results === 1 ? length : results; // what the loop counts to
      return present({
        graphjit: await inWasm(graph, n, inputs, [{ type: gives, length: results }]),
        'clang -O3': await loop('c', `${name}_${type}`, count, inputs, bytes),
        AssemblyScript: await loop('assemblyScript', `${name}_${type}`, count, inputs, bytes),
        'AssemblyScript, simd': await loop('assemblyScript', `${name}_${type}_simd`, count, inputs, bytes),
      });
    },
  };
}

const gelu = (x) => x.mul(0.5).mul(x.add(x.mul(x).mul(x).mul(0.044715)).mul(0.7978845608028654).tanh().add(1));

/** Expressions in the words of each library; jax-js uses an array up unless `ref` is passed. */
const fused = {
  axpby: {
    title: '2x + 3y',
    build: loops.axpby.build,
    jax: (_, x, y) => x.mul(2).add(y.mul(3)),
    tfjs: ({ add, mul }, x, y) => add(mul(x, 2), mul(y, 3)),
    inAssemblyScript: true,
  },
  chain: {
    title: 'ten operations',
    build: loops.chain.build,
    jax: (_, x, y) => x.ref.add(y.ref).mul(x.ref.sub(y.ref)).add(x.ref.mul(0.5)).mul(y.neg().add(1.5)).div(x.ref.mul(x).add(1)),
    tfjs: ({ add, div, mul, sub }, x, y) => div(mul(add(mul(add(x, y), sub(x, y)), mul(x, 0.5)), sub(1.5, y)), add(mul(x, x), 1)),
    inAssemblyScript: true,
  },
  gelu: {
    title: 'GELU, tanh form',
    build: gelu,
    jax: ({ numpy: np }, x) => x.ref.mul(0.5).mul(np.tanh(x.ref.add(x.ref.mul(x.ref).mul(x).mul(0.044715)).mul(0.7978845608028654)).add(1)),
    tfjs: ({ add, mul, tanh }, x) => mul(mul(x, 0.5), add(tanh(mul(add(x, mul(mul(mul(x, x), x), 0.044715)), 0.7978845608028654)), 1)),
  },
};

/** @type {(name: keyof typeof fused, type: 'f64' | 'f32') => object} */
function fusedCase(name, type) {
  const { title, build, jax, tfjs, inAssemblyScript } = /** @type {any} */ (fused[name]);
  const length = 20_000; // large enough for the calls of libraries not to count
  return {
    name: `wasm-fused-${name}-${type}`,
    title: `${title} on 2e4 ${type} in WebAssembly`,
    unit: 'µs',
    awaited: true,
    targets: ['AssemblyScript', 'AssemblyScript, simd', 'jax-js', 'tfjs'].map((peer) => ({ peer, speed: peer.endsWith('simd') ? 1 : 2 })),
    async contestants() {
      const graph = new Graph(name);
      const made = (build.length === 2 ? ['x', 'y'] : ['x']).map((own) => graph.input(own, type, ['n']));
      graph.output('z', build(made[0], made[1]));
      const inputs = made.map((_, i) => fill({ type, length, from: -3, to: 3 + i }));
      const script = (/** @type {string} */ own) => (inAssemblyScript ? loop('assemblyScript', own, length, inputs, 8 * length) : null);
      return present({
        graphjit: await inWasm(graph, length, inputs, [{ type, length }]),
        AssemblyScript: await script(`${name}_${type}`),
        'AssemblyScript, simd': await script(`${name}_${type}_simd`),
        ...(await inJax(type, inputs, jax)),
        ...(type === 'f32' ? await inTfjs(inputs, tfjs) : {}),
      });
    },
  };
}

module.exports = [
  ...Object.keys(loops).flatMap((name) => loops[name].dtypes.map((type) => loopCase(name, type))),
  ...Object.keys(fused).flatMap((name) => ['f64', 'f32'].map((type) => fusedCase(/** @type {any} */ (name), /** @type {any} */ (type)))),
];
