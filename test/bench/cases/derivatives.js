// Derivatives: a value and its gradient against C by hand, training steps and gradients of each example against PyTorch,
// training steps also against the libraries that train in JavaScript, and what it takes to differentiate and compile.
'use strict';

const { Graph, grad, gradients, jit, tensor, valueAndGrad, vmap } = require('graphjit');
const { fill } = require('../support/arrays.js');
const { BATCH, lossOf, networks, startOf } = require('../support/networks.js');
const { cores, inC, inPython, inThreadedC, inTorch } = require('../support/peers.js');
const { trainedInJax, trainedInTfjs } = require('../support/training-peers.js');

const TAU = 2 * Math.PI;

/** Rastrigin's function of the last axis. */
const rastrigin = (/** @type {any} */ x) => x.mul(x).sub(x.mul(TAU).cos().mul(10)).sum({ axis: -1 }).add(400);

/** @type {(batch: number) => any} */
const rastriginCase = (batch) => ({
  name: `derive-rastrigin-${batch}`,
  title: `value and gradient of Rastrigin's function of 40 variables, ${batch} point${batch > 1 ? 's' : ''}`,
  unit: 'µs',
  group: 'derivatives',
  targets: [
    { who: 'graphjit', peer: 'gcc -Ofast', speed: 1 },
    ...(batch > 1 && cores > 1 ? [{ who: `graphjit ×${cores}`, peer: `gcc -Ofast ×${cores}`, speed: 1 }] : []),
  ],
  contestants() {
    const spec = { type: /** @type {const} */ ('f64'), length: 40 * batch, from: -5, to: 5 };
    const x = fill(spec);
    const f = new Float64Array(batch);
    const d = new Float64Array(40 * batch);
    const run = (/** @type {number} */ threads) => {
      const g = new Graph('rastrigin');
      const v = g.input('x', 'f64', [batch, 40]);
      const y = rastrigin(v);
      g.output('f', y);
      g.output('d', gradients(y.sum(), [v])[0]);
      return g.compile({ threads }).bind({ x }, { f, d });
    };
    return {
      graphjit: run(1),
      ...(batch > 1 && cores > 1 && { [`graphjit ×${cores}`]: run(cores) }),
      ...inC('rastrigin40', x, f, d),
      ...(batch > 1 && inThreadedC('rastrigin40', [spec, { ...spec, length: batch }, spec])),
    };
  },
});

const tensorOf = (/** @type {{ data: Float32Array, shape: number[] }} */ { data, shape }) => tensor(data).reshape(shape);

/** Python in which a network is `net`, a batch `x`, and its targets `y`. */
const inWordsOfTorch = (/** @type {{ torch: string }} */ { torch }) => [
  'import torch', 'import torch.nn as nn', torch, 'y = torch.arange(64) % 10',
];

/**
 * A step of gradient descent in place of the parameters.
 *
 * @type {(loss: (...args: any[]) => any, threads: number) => (...args: any[]) => any}
 */
const stepOf = (loss, threads) =>
  jit(
    (/** @type {any[]} */ params, /** @type {any} */ x, /** @type {any} */ y) => {
      const [value, grads] = valueAndGrad(loss)(params, x, y);
      return [params.map((p, i) => p.sub(grads[i].mul(0.01))), value];
    },
    { donate: [0], threads, tier: 'llvm' },
  );

const training = Object.entries(networks).map(([name, network]) => ({
  name: `derive-train-${name}`,
  title: `a training step: ${network.title}, batch ${BATCH}, f32`,
  unit: 'µs',
  group: 'training',
  targets: [
    ...[1, cores].map((threads) => ({
      who: threads > 1 ? `graphjit ×${threads}` : 'graphjit', peer: threads > 1 ? `torch ×${threads}` : 'torch', speed: network.speed,
    })),
    ...['tfjs, wasm', 'tfjs, cpu', 'jax-js, wasm'].map((peer) => ({ peer, speed: 5 })),
  ],
  async contestants() {
    const run = (/** @type {number} */ threads) => {
      const step = stepOf(lossOf(network), threads);
      const { state: first, data } = startOf(network, tensorOf);
      let state = first;
      return () => {
        [state] = step(state, ...data);
      };
    };
    const setup = [...inWordsOfTorch(network), 'o = torch.optim.SGD(net.parameters(), lr=0.01)'];
    return {
      graphjit: run(1),
      ...(cores > 1 && { [`graphjit ×${cores}`]: run(cores) }),
      ...inTorch(setup, [], 'o.zero_grad(); nn.functional.cross_entropy(net(x), y).backward(); o.step()'),
      ...(await trainedInTfjs(network)),
      ...(await trainedInJax(network)),
    };
  },
}));

/** They are as large as 64 times the parameters: 60 MB. */
const perExample = {
  name: 'derive-per-example',
  title: `gradients of each of ${BATCH} examples: ${networks.mlp.title}, f32`,
  unit: 'ms',
  targets: ['torch, vmap', 'torch, a loop'].map((peer) => ({ peer, speed: 3 })),
  contestants() {
    const { logits } = networks.mlp;
    const loss = (/** @type {any[]} */ p, /** @type {any} */ one, /** @type {any} */ target) =>
      logits(p, one).logSoftmax().mul(target).sum().neg();
    const compute = jit(vmap(grad(loss), { inAxes: [null, 0, 0] }), { threads: 1, tier: 'llvm' });
    const { state, data } = startOf(networks.mlp, tensorOf);
    const setup = [...inWordsOfTorch(networks.mlp), 'torch.set_num_threads(1)'];
    // PyTorch 2 has them itself, 1.13 in a library that comes with it.
    const transforms = `
try:
    from torch.func import grad, vmap
except ImportError:
    from functorch import grad, vmap
def loss(p, x, y):
    h = nn.functional.linear(x, p[0], p[1]).relu()
    h = nn.functional.linear(h, p[2], p[3]).relu()
    return nn.functional.cross_entropy(nn.functional.linear(h, p[4], p[5]), y)
p = tuple(w.detach() for w in net.parameters())
each = vmap(grad(loss), (None, 0, 0))`;
    const loop = `
p = list(net.parameters())
def each():
    of = [torch.autograd.grad(nn.functional.cross_entropy(net(x[i:i + 1]), y[i:i + 1]), p) for i in range(64)]
    return [torch.stack(one) for one in zip(*of)]`;
    return {
      graphjit: () => {
        for (const one of compute(state, ...data)) one.dispose(); // PyTorch frees at once, too
      },
      ...inPython('torch, vmap', [...setup, transforms].join('\n'), 'each(p, x, y)'),
      ...inPython('torch, a loop', [...setup, loop].join('\n'), 'each()'),
    };
  },
};

/** A chain of that many nodes. @type {(count: number) => { g: any, x: any, y: any }} */
function chainOf(count) {
  const g = new Graph('chain');
  const x = g.input('x', 'f64', [64]);
  let y = x;
  for (let i = 0; i < count / 4; i++) y = y.mul(x).add(1 / (i + 2)).tanh().sub(x);
  return { g, x, y: y.sum() };
}

const compiling = [1000, 10_000].map((count) => ({
  name: `derive-compile-${count}`,
  title: `differentiating and compiling a chain of ${count} nodes`,
  unit: 'ms',
  group: 'derivatives, compiling',
  targets: [{ who: 'with the gradient', peer: 'forward alone', speed: 1 / 3 }],
  values() {
    const time = (/** @type {() => void} */ run) => {
      const start = process.hrtime.bigint();
      run();
      return Number(process.hrtime.bigint() - start);
    };
    const forward = chainOf(count);
    forward.g.output('y', forward.y);
    const both = chainOf(count);
    both.g.output('y', both.y);
    const differentiating = time(() => both.g.output('d', gradients(both.y, [both.x])[0]));
    return {
      differentiating,
      'forward alone': time(() => forward.g.compile({ cache: false })),
      'with the gradient': time(() => both.g.compile({ cache: false })),
    };
  },
}));

module.exports = [rastriginCase(1), rastriginCase(10_000), ...training, perExample, ...compiling];
