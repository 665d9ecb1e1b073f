// Derivatives: a value and its gradient against C by hand, training steps against PyTorch, and what it takes to
// differentiate and compile.
'use strict';

const { Graph, gradients, jit, scan, tensor, valueAndGrad } = require('graphjit');
const { fill } = require('../support/arrays.js');
const { cores, inC, inPython, inThreadedC } = require('../support/peers.js');

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

/** Numbers around 0, alike in each run. @type {(shape: number[], scale: number) => any} */
const weights = (shape, scale) =>
  tensor(fill({ type: 'f32', length: shape.reduce((a, b) => a * b, 1), from: -scale, to: scale })).reshape(shape);

/** A step of gradient descent in place of the parameters. @type {(loss: (...args: any[]) => any, threads: number) => (...args: any[]) => any} */
const stepOf = (loss, threads) =>
  jit(
    (/** @type {any[]} */ params, /** @type {any} */ x, /** @type {any} */ y) => {
      const [value, grads] = valueAndGrad(loss)(params, x, y);
      return [params.map((p, i) => p.sub(grads[i].mul(0.01))), value];
    },
    { donate: [0], threads, tier: 'llvm' },
  );

const BATCH = 64;
const oneHot = () => tensor(Float32Array.from({ length: 10 * BATCH }, (_, i) => Number(i % 10 === Math.floor(i / 10) % 10))).reshape([BATCH, 10]);
const crossEntropy = (/** @type {any} */ logits, /** @type {any} */ y) => logits.logSoftmax().mul(y).sum().mul(-1 / BATCH);

/** @type {Record<string, { title: string, params: () => any[], x: () => any, y: () => any, loss: (p: any[], x: any, y: any) => any, torch: string, speed: number }>} */
const networks = {
  mlp: {
    title: 'dense layers 784-256-128-10',
    params: () => [[784, 256], [256], [256, 128], [128], [128, 10], [10]].map((shape) => weights(shape, 0.05)),
    x: () => weights([BATCH, 784], 1),
    y: oneHot,
    loss: ([w1, b1, w2, b2, w3, b3], x, y) =>
      crossEntropy(x.matmul(w1).add(b1).relu().matmul(w2).add(b2).relu().matmul(w3).add(b3), y),
    torch: 'net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10)); x = torch.rand(64, 784)',
    speed: 2,
  },
  cnn: {
    title: 'three convolutions of 28×28 pixels',
    params: () => [[16, 1, 3, 3], [32, 16, 3, 3], [64, 32, 3, 3], [576, 10], [10]].map((shape) => weights(shape, 0.1)),
    x: () => weights([BATCH, 1, 28, 28], 1),
    y: oneHot,
    loss: ([c1, c2, c3, w, b], x, y) => {
      const layer = (/** @type {any} */ h, /** @type {any} */ c) => h.conv(c, { padding: 1 }).relu().maxPool(2);
      return crossEntropy(layer(layer(layer(x, c1), c2), c3).reshape([BATCH, 576]).matmul(w).add(b), y);
    },
    torch: 'L = lambda i, o: [nn.Conv2d(i, o, 3, padding=1, bias=False), nn.ReLU(), nn.MaxPool2d(2)]; net = nn.Sequential(*L(1, 16), *L(16, 32), *L(32, 64), nn.Flatten(), nn.Linear(576, 10)); x = torch.rand(64, 1, 28, 28)',
    speed: 1,
  },
  lstm: {
    title: 'an LSTM of 128 cells over 64 steps',
    params: () => [[64, 512], [128, 512], [512], [128, 10], [10]].map((shape) => weights(shape, 0.05)),
    x: () => weights([64, BATCH, 64], 1),
    y: oneHot,
    loss: ([w, u, b, v, c], x, y) => {
      const inputs = x.reshape([64 * BATCH, 64]).matmul(w).add(b).reshape([64, BATCH, 512]);
      const gate = (/** @type {any} */ z, /** @type {number} */ i) => z.slice(null, [128 * i, 128 * (i + 1)]);
      const zeros = tensor(new Float32Array(128 * BATCH)).reshape([BATCH, 128]);
      const [last] = scan((/** @type {any} */ { h, m }, /** @type {any} */ input) => {
        const z = input.add(h.matmul(u));
        const next = gate(z, 1).sigmoid().mul(m).add(gate(z, 0).sigmoid().mul(gate(z, 2).tanh()));
        return [{ h: gate(z, 3).sigmoid().mul(next.tanh()), m: next }, null];
      }, { h: zeros, m: zeros }, inputs);
      return crossEntropy(last.h.matmul(v).add(c), y);
    },
    torch: `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(64, 128)
        self.last = nn.Linear(128, 10)
    def forward(self, x):
        return self.last(self.lstm(x)[0][-1])
net = Net(); x = torch.rand(64, 64, 64)`,
    speed: 1,
  },
};

const training = Object.entries(networks).map(([name, { title, params, x, y, loss, torch, speed }]) => ({
  name: `derive-train-${name}`,
  title: `a training step: ${title}, batch ${BATCH}, f32`,
  unit: 'µs',
  group: 'training',
  targets: [1, cores].map((threads) => ({
    who: threads > 1 ? `graphjit ×${threads}` : 'graphjit', peer: threads > 1 ? `torch ×${threads}` : 'torch', speed,
  })),
  contestants() {
    const data = [x(), y()];
    const run = (/** @type {number} */ threads) => {
      const step = stepOf(loss, threads);
      let state = params();
      return () => {
        [state] = step(state, ...data);
      };
    };
    const inTorch = (/** @type {number} */ threads) =>
      inPython('torch', [
        'import torch', 'import torch.nn as nn', `torch.set_num_threads(${threads})`, torch, 'y = torch.arange(64) % 10',
        'o = torch.optim.SGD(net.parameters(), lr=0.01)',
      ].join('\n'), 'o.zero_grad(); nn.functional.cross_entropy(net(x), y).backward(); o.step()', threads);
    return {
      graphjit: run(1),
      ...(cores > 1 && { [`graphjit ×${cores}`]: run(cores) }),
      ...inTorch(1),
      ...(cores > 1 && inTorch(cores)),
    };
  },
}));

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

module.exports = [rastriginCase(1), rastriginCase(10_000), ...training, ...compiling];
