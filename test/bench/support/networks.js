// Three networks to train, in the words of each library: the same layers on the same numbers, but for PyTorch's, which are
// random. Losses are cross entropies of logits.
'use strict';

const { scan, tensor } = require('graphjit');
const { fill } = require('./arrays.js');

const BATCH = 64;

/** Numbers around 0, alike in each run. @type {(shape: number[], scale: number) => { data: Float32Array, shape: number[] }} */
const weights = (shape, scale) => ({
  data: /** @type {Float32Array} */ (fill({ type: 'f32', length: shape.reduce((a, b) => a * b, 1), from: -scale, to: scale })),
  shape,
});

const oneHot = () => ({
  data: Float32Array.from({ length: 10 * BATCH }, (_, i) => Number(i % 10 === Math.floor(i / 10) % 10)),
  shape: [BATCH, 10],
});

/**
 * @typedef {object} Network
 * @property {string} title
 * @property {number[][]} params shapes
 * @property {number} scale of the parameters
 * @property {number[]} x its shape
 * @property {(params: any[], x: any) => any} logits
 * @property {string} torch which makes `net` and `x`
 * @property {(library: any, params: any[], x: any) => any} jax every array is used up once: `.ref` is another reference
 * @property {{ backend: 'wasm' | 'cpu', logits: (tf: any, params: any[], x: any) => any, params?: number[][], x?: number[] }} tfjs
 *   with other shapes where its layout is another
 * @property {number} speed that is asked for, by PyTorch's
 */

/** @type {Record<'mlp' | 'cnn' | 'lstm', Network>} */
const networks = {
  mlp: {
    title: 'dense layers 784-256-128-10',
    params: [[784, 256], [256], [256, 128], [128], [128, 10], [10]],
    scale: 0.05,
    x: [BATCH, 784],
    logits: ([w1, b1, w2, b2, w3, b3], x) => x.matmul(w1).add(b1).relu().matmul(w2).add(b2).relu().matmul(w3).add(b3),
    torch: `
net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
x = torch.rand(64, 784)`,
    jax: ({ nn, numpy: np }, [w1, b1, w2, b2, w3, b3], x) => {
      const dense = (/** @type {any} */ h, /** @type {any} */ w, /** @type {any} */ b) => np.matmul(h, w).add(b);
      return dense(nn.relu(dense(nn.relu(dense(x, w1, b1)), w2, b2)), w3, b3);
    },
    tfjs: {
      backend: 'wasm',
      logits: ({ add, matMul, relu }, [w1, b1, w2, b2, w3, b3], x) => {
        const dense = (/** @type {any} */ h, /** @type {any} */ w, /** @type {any} */ b) => add(matMul(h, w), b);
        return dense(relu(dense(relu(dense(x, w1, b1)), w2, b2)), w3, b3);
      },
    },
    speed: 2,
  },
  cnn: {
    title: 'three convolutions of 28×28 pixels',
    params: [[16, 1, 3, 3], [32, 16, 3, 3], [64, 32, 3, 3], [576, 10], [10]],
    scale: 0.1,
    x: [BATCH, 1, 28, 28],
    logits: ([c1, c2, c3, w, b], x) => {
      const layer = (/** @type {any} */ h, /** @type {any} */ c) => h.conv(c, { padding: 1 }).relu().maxPool(2);
      return layer(layer(layer(x, c1), c2), c3).reshape([BATCH, 576]).matmul(w).add(b);
    },
    torch: `
L = lambda i, o: [nn.Conv2d(i, o, 3, padding=1, bias=False), nn.ReLU(), nn.MaxPool2d(2)]
net = nn.Sequential(*L(1, 16), *L(16, 32), *L(32, 64), nn.Flatten(), nn.Linear(576, 10))
x = torch.rand(64, 1, 28, 28)`,
    jax: ({ lax, nn, numpy: np }, [c1, c2, c3, w, b], x) => {
      const layer = (/** @type {any} */ h, /** @type {any} */ c) =>
        lax.reduceWindow(nn.relu(lax.convGeneralDilated(h, c, [1, 1], 'SAME')), np.max, [2, 2], [2, 2]);
      return np.matmul(layer(layer(layer(x, c1), c2), c3).reshape([BATCH, 576]), w).add(b);
    },
    tfjs: {
      backend: 'cpu', // the one in WebAssembly lacks Conv2DBackpropFilter
      params: [[3, 3, 1, 16], [3, 3, 16, 32], [3, 3, 32, 64], [576, 10], [10]],
      x: [BATCH, 28, 28, 1],
      logits: (tf, [c1, c2, c3, w, b], x) => {
        const layer = (/** @type {any} */ h, /** @type {any} */ c) => tf.maxPool(tf.relu(tf.conv2d(h, c, 1, 'same')), 2, 2, 'valid');
        return tf.add(tf.matMul(tf.reshape(layer(layer(layer(x, c1), c2), c3), [BATCH, 576]), w), b);
      },
    },
    speed: 1,
  },
  lstm: {
    title: 'an LSTM of 128 cells over 64 steps',
    params: [[64, 512], [128, 512], [512], [128, 10], [10]],
    scale: 0.05,
    x: [64, BATCH, 64],
    logits: ([w, u, b, v, c], x) => {
      const inputs = x.reshape([64 * BATCH, 64]).matmul(w).add(b).reshape([64, BATCH, 512]);
      const gate = (/** @type {any} */ z, /** @type {number} */ i) => z.slice(null, [128 * i, 128 * (i + 1)]);
      const zeros = tensor(new Float32Array(128 * BATCH)).reshape([BATCH, 128]);
      const [last] = scan((/** @type {any} */ { h, m }, /** @type {any} */ input) => {
        const z = input.add(h.matmul(u));
        const next = gate(z, 1).sigmoid().mul(m).add(gate(z, 0).sigmoid().mul(gate(z, 2).tanh()));
        return [{ h: gate(z, 3).sigmoid().mul(next.tanh()), m: next }, null];
      }, { h: zeros, m: zeros }, inputs);
      return last.h.matmul(v).add(c);
    },
    torch: `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(64, 128)
        self.last = nn.Linear(128, 10)
    def forward(self, x):
        return self.last(self.lstm(x)[0][-1])
net = Net()
x = torch.rand(64, 64, 64)`,
    // It has no loops: what is traced is all 64 steps, which take some 10 s to compile.
    jax: ({ nn, numpy: np }, [w, u, b, v, c], x) => {
      const inputs = np.matmul(x.reshape([64 * BATCH, 64]), w).add(b).reshape([64, BATCH, 512]);
      let [h, m] = [np.zeros([BATCH, 128]), np.zeros([BATCH, 128])];
      for (const input of np.split(inputs, 64, 0)) {
        const [i, f, g, o] = np.split(input.reshape([BATCH, 512]).add(np.matmul(h, u.ref)), 4, 1);
        m = nn.sigmoid(f).mul(m).add(nn.sigmoid(i).mul(np.tanh(g)));
        h = nn.sigmoid(o).mul(np.tanh(m.ref));
      }
      for (const rest of [u, m]) rest.dispose();
      return np.matmul(h, v).add(c);
    },
    tfjs: {
      backend: 'wasm',
      logits: (tf, [w, u, b, v, c], x) => {
        const inputs = tf.reshape(tf.add(tf.matMul(tf.reshape(x, [64 * BATCH, 64]), w), b), [64, BATCH, 512]);
        let [h, m] = [tf.zeros([BATCH, 128]), tf.zeros([BATCH, 128])];
        for (const input of tf.unstack(inputs)) {
          const [i, f, g, o] = tf.split(tf.add(input, tf.matMul(h, u)), 4, 1);
          m = tf.add(tf.mul(tf.sigmoid(f), m), tf.mul(tf.sigmoid(i), tf.tanh(g)));
          h = tf.mul(tf.sigmoid(o), tf.tanh(m));
        }
        return tf.add(tf.matMul(h, v), c);
      },
    },
    speed: 1,
  },
};

/**
 * What training starts from: first parameters, and a batch with its targets, as arrays of a library.
 *
 * @template T
 * @param {Pick<Network, 'params' | 'scale' | 'x'>} network
 * @param {(numbers: { data: Float32Array, shape: number[] }) => T} arrayOf
 * @returns {{ state: T[], data: T[] }}
 */
const startOf = ({ params, scale, x }, arrayOf) => ({
  state: params.map((shape) => arrayOf(weights(shape, scale))),
  data: [weights(x, 1), oneHot()].map(arrayOf),
});

/** The mean loss of a batch. @type {(network: Network) => (params: any[], x: any, y: any) => any} */
const lossOf = ({ logits }) => (params, x, y) => logits(params, x).logSoftmax().mul(y).sum().mul(-1 / BATCH);

module.exports = { BATCH, lossOf, networks, startOf };
