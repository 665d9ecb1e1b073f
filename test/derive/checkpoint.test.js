// checkpoint: the same derivatives with less memory, since what a function computes inside is computed again.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, forLoop, scan, tensor } = require('graphjit');
const { gradients } = require('../../lib/transform/derivatives.js');
const { grad } = require('../../lib/transform/index.js');
const { checkpoint } = require('../../lib/transform/overrides.js');
const { checkDerivatives, randomTensor } = require('./support.js');

/** @type {(shapes: Record<string, number[]>) => Record<string, import('graphjit').Tensor>} */
const randomOf = (shapes) =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape], i) => [name, randomTensor(shape, { seed: 27 + i })]));

test('derivatives are those of the function, by what it captures, too', () => {
  for (const n of [1, 3]) {
    checkDerivatives(
      ({ x, w }) => Object.values(checkpoint(({ v }) => ({ a: w.mul(v).tanh().mul(v), b: v.sum().sin() }))({ v: x })),
      randomOf({ x: [n], w: [n] }),
      { symbolic: { x: ['n'], w: ['n'] } },
    );
  }
});

test('in loops, around loops and in one another', () => {
  const inputs = randomOf({ x: [3], w: [3] });
  checkDerivatives(({ x, w }) => forLoop(0, 3, (_, c) => checkpoint((v) => w.mul(v).sin().exp())(c), x), inputs, { second: false });
  checkDerivatives(({ x, w }) => checkpoint((v) => forLoop(0, 3, (_, c) => w.mul(c).sin(), v))(x), inputs, { second: false });
  checkDerivatives(({ x, w }) => checkpoint((v) => checkpoint((u) => w.mul(u).tanh())(v).mul(v))(x), inputs);
});

test('called with tensors it is compiled', () => {
  const f = checkpoint((x) => x.mul(x));
  assert.deepEqual([...f(tensor([1, 2])).data], [1, 4]);
  assert.deepEqual([...grad((x) => f(x).sum())(tensor([1, 2])).data], [2, 4]);
});

/** Layers of which each needs many values for its derivative. */
function layers(/** @type {(fn: any) => any} */ wrap) {
  const graph = new Graph('layers');
  const x = graph.input('x', 'f64', [1000]);
  const layer = wrap((/** @type {any} */ v) => {
    for (let i = 0; i < 5; i++) v = v.sin().cumulativeSum({ axis: 0 }).mul(0.01).tanh();
    return v;
  });
  let y = x;
  for (let i = 0; i < 8; i++) y = layer(y);
  graph.output('grad', gradients(y.sum(), [x])[0]);
  const program = graph.compile({ optLevel: 1 });
  const { data } = program.run({ x: Float64Array.from({ length: 1000 }, (_, i) => Math.sin(i)) }).grad;
  const { scratchBytes } = program.stats;
  program.dispose();
  return { data, scratchBytes };
}

test('a checkpoint keeps less', () => {
  const [whole, less] = [layers((fn) => fn), layers(checkpoint)];
  assert.deepEqual(less.data, whole.data);
  assert.ok(less.scratchBytes < whole.scratchBytes / 2, `${less.scratchBytes} of ${whole.scratchBytes}`);
});

test('a checkpoint as the body of a loop stacks what the body is given, and nothing else', () => {
  const stacked = (/** @type {(fn: any) => any} */ wrap) => {
    const graph = new Graph('scan');
    const [h, xs] = [graph.input('h', 'f64', [5]), graph.input('xs', 'f64', [7, 5])];
    const [last] = scan(wrap((c, v) => [c.mul(v).sin().exp().tanh(), null]), h, xs);
    graph.output('grad', gradients(last.sum(), [h])[0]);
    return [...String(graph).matchAll(/= result .* : f64\[7, 5\]/g)].length;
  };
  const own = (fn) => (c, v) => [checkpoint((a, b) => fn(a, b)[0])(c, v), null];
  assert.equal(stacked(own), 1);
  assert.ok(stacked((fn) => fn) > 2);
});

test('without derivatives a checkpoint is nothing but its function', () => {
  const graph = new Graph('inlined');
  const x = graph.input('x', 'f64', [5]);
  const y = checkpoint((v) => v.sin().mul(2))(x);
  graph.output('y', y.add(1));
  const program = graph.compile();
  assert.equal(program.stats.kernels.length, 1);
  program.dispose();
  graph.output('grad', gradients(y.sum(), [x])[0]);
  assert.match(String(graph), /= noinline_call /);
});
