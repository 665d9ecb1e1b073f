// What a call of a traced function costs that was traced before: three operations on small tensors, so that the work
// itself hardly counts. Every library gives a tensor of its own, whose elements are there when the call ends.
'use strict';

const { jit, tensor } = require('graphjit');
const { inJaxNow, inTfjs } = require('../support/wasm-peers.js');

const sizes = [
  { name: 'jit-call', n: 16, below: 1.5 },
  { name: 'jit-call-kib', n: 256, below: 2 },
];

/** A function whose arguments are trees, as those of a training step are. */
function step() {
  const f = jit((/** @type {any} */ params, /** @type {any} */ rate) => ({ w: params.w.sub(params.g.mul(rate)), g: params.g }));
  const params = { w: tensor(new Float32Array(16).fill(0.5)), g: tensor(new Float32Array(16).fill(0.25)) };
  return () => f(params, 0.1);
}

module.exports = sizes.map(({ name, n, below }) => ({
  name,
  title: `cached call of a traced function, tanh(xy + x) on ${n} f32, a fresh tensor each`,
  unit: 'µs',
  targets: [{ below }, { who: 'graphjit', peer: 'jax-js', speed: 2 }, { who: 'graphjit', peer: 'tfjs', speed: 2 }],
  async contestants() {
    const inputs = [0.5, 0.25].map((value) => new Float32Array(n).fill(value));
    const [x, y] = inputs.map((input) => tensor(input));
    const f = jit((/** @type {any} */ a, /** @type {any} */ b) => a.mul(b).add(a).tanh());
    return {
      graphjit: () => f(x, y),
      'trees of 16 f32': step(),
      ...(await inJaxNow('f32', inputs, ({ numpy: np }, a, b) => np.tanh(a.ref.mul(b).add(a)))),
      ...(await inTfjs(inputs, (tf, a, b) => tf.tanh(tf.add(tf.mul(a, b), a)))),
    };
  },
}));
