// Tensors that compute: what one operation costs where there is next to nothing to compute, and a chain of ten over arrays in
// memory. Every library makes a fresh array of each result; the chain ends when its elements are there.
'use strict';

const { tensor } = require('graphjit');
const { inNumpy } = require('../support/peers.js');
const { inJaxEagerly, inTfjs, inTfjsOnCpu } = require('../support/wasm-peers.js');

const peers = ['numpy', 'jax-js', 'tfjs', 'tfjs on the CPU'];

/** The same ten steps as each library writes them; `ref` is one more reference, where these are counted. */
const chains = {
  graphjit: (x) => x.add(1).mul(2).sub(3).mul(x).add(4).mul(0.5).sub(x).abs().sqrt().add(1),
  numpy: 'np.sqrt(np.abs(((((x + T(1)) * T(2) - T(3)) * x + T(4)) * T(0.5)) - x)) + T(1)',
  jax: ({ numpy: np }, x) => np.sqrt(np.abs(x.ref.add(1).mul(2).sub(3).mul(x.ref).add(4).mul(0.5).sub(x))).add(1),
  tfjs: (tf, x) => {
    const line = tf.mul(tf.sub(tf.mul(tf.add(x, 1), 2), 3), x);
    return tf.add(tf.sqrt(tf.abs(tf.sub(tf.mul(tf.add(line, 4), 0.5), x))), 1);
  },
};

const filled = (n, type) => `T = np.${type === 'f64' ? 'float64' : 'float32'}\nx = np.linspace(0, 1, ${n}).astype(T)\ny = x + T(1)`;

function arraysOf(n, type) {
  const Floats = type === 'f64' ? Float64Array : Float32Array;
  const x = Floats.from({ length: n }, (_, i) => i / n);
  return [x, x.map((value) => value + 1)];
}

const additions = ['f64', 'f32'].map((type) => ({
  name: `tensor-add-${type}`,
  title: `x.add(y) of two tensors of 16 ${type}`,
  unit: 'ns',
  targets: peers.map((peer) => ({ who: 'graphjit', peer, speed: 2 })),
  async contestants() {
    const [x, y] = arraysOf(16, type);
    const [a, b] = [tensor(x).copy(), tensor(y).copy()];
    return {
      graphjit: () => a.add(b),
      'arrays of the caller': ((u, v) => () => u.add(v))(tensor(x), tensor(y)),
      ...inNumpy(filled(16, type), 'x + y'),
      ...(await inJaxEagerly(type, [x, y], (_, u, v) => u.add(v))),
      ...(type === 'f32' && (await inTfjs([x, y], (tf, u, v) => tf.add(u, v)))),
      ...(type === 'f32' && (await inTfjsOnCpu([x, y], (tf, u, v) => tf.add(u, v)))),
    };
  },
}));

const long = ['f64', 'f32'].map((type) => ({
  name: `tensor-chain-1e6-${type}`,
  title: `ten elementwise calls on 1e6 ${type}`,
  unit: 'µs',
  targets: peers.map((peer) => ({ who: 'graphjit', peer, speed: 2 })),
  async contestants() {
    const [x] = arraysOf(1e6, type);
    const a = tensor(x).copy();
    const caller = tensor(x);
    return {
      graphjit: () => chains.graphjit(a).data,
      'and disposed of': () => {
        const made = chains.graphjit(a);
        made.at(0);
        made.dispose();
      },
      'arrays of the caller': () => chains.graphjit(caller).data,
      ...inNumpy(filled(1e6, type), chains.numpy),
      ...(await inJaxEagerly(type, [x], chains.jax)),
      ...(type === 'f32' && (await inTfjs([x], chains.tfjs))),
      ...(type === 'f32' && (await inTfjsOnCpu([x], chains.tfjs))),
    };
  },
}));

module.exports = [...additions, ...long];
