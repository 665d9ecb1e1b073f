// Models of equal layers: kernels that differ in their constants only are compiled once, and give what the reference gives.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');

/** @type {(seed: number) => (below: number) => number} */
const generator = (seed) => (below) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

/** @type {(random: (below: number) => number, shape: number[]) => any} small integers over 8, of which no sum is rounded */
const weights = (random, shape) => tensor(Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => (random(17) - 8) / 8), { shape });

/** Layers of a few kinds on constants, of which some come again. */
function model(/** @type {(below: number) => number} */ random, size = 4 + random(9)) {
  const graph = new Graph('layers');
  let x = graph.input('x', 'f32', ['n', size]);
  const matrices = Array.from({ length: 4 }, () => graph.constant(weights(random, [size, size])));
  const vectors = Array.from({ length: 4 }, () => graph.constant(weights(random, [size])));
  const one = (/** @type {any[]} */ list) => list[random(list.length)];
  const kinds = [
    () => x.matmul(one(matrices)).add(one(vectors)).relu(),
    () => x.matmul(one(matrices)).add(one(vectors)).relu(),
    () => x.mul(one(vectors)).add(one(vectors)).matmul(one(matrices)).tanh(),
    () => x.add(one(vectors)).softmax({ axis: 1 }).add(x),
    () => x.mul(one(vectors)).sub(x.max({ axis: 1, keepDims: true })),
    () => x.matmul(one(matrices).add(one(matrices))).mul(0.25),
  ];
  for (let i = 0; i < 12; i++) {
    x = kinds[random(kinds.length)]();
    if (random(4) === 0) graph.output(`y${i}`, x);
  }
  return { graph: graph.output('z', x), size };
}

test('equal layers with other weights are one kernel', () => {
  const random = generator(1);
  const graph = new Graph('dense');
  let x = graph.input('x', 'f32', ['n', 16]);
  for (let i = 0; i < 20; i++) x = x.matmul(weights(random, [16, 16])).add(weights(random, [16])).relu();
  const program = graph.output('z', x).compile();
  const names = program.stats.kernels.map(({ name }) => name);
  assert.ok(new Set(names).size <= 3, [...new Set(names)].join(' ')); // the first, those between and the last
  assert.deepEqual(names.slice(1, 20), names.slice(1, 20).fill('k1'));
});

test('layers of constants that come again give what the reference gives', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = generator(seed);
    const { graph, size } = model(random);
    const inputs = { x: weights(random, [1 + random(20), size]) };
    const expected = graph.eval(inputs);
    for (const tier of /** @type {const} */ (['llvm', 'auto'])) {
      const program = graph.compile({ tier, threads: 1 + random(2), cache: false });
      const results = program.run(inputs);
      for (const [name, value] of Object.entries(expected)) {
        const [got, wanted] = [results[name].data, value.data].map((data) => Array.from(/** @type {any} */ (data), Number));
        wanted.forEach((each, i) => assert.ok(Math.abs(got[i] - each) <= 1e-4 * (1 + Math.abs(each)), `seed ${seed} ${tier} ${name}[${i}]: ${got[i]} for ${each}`));
      }
      program.dispose();
    }
  }
});
