// Steps of gradient descent in jax-js and tfjs, on one thread: in Node neither knows another way.
//
// They come from `npm run bench:peers`; who is not there is left out.
'use strict';

const { BATCH, startOf } = require('./networks.js');
const { installed, openJax, openTfjs, resolve } = require('./wasm-peers.js');

/** @typedef {import('./networks.js').Network} Network */

/** Milliseconds after which a step is known well enough: some take most of a minute. */
const PATIENCE = 5e3;

/** A contestant that times itself. @type {(step: () => unknown) => { sample: (seconds: number) => Promise<number> }} */
function timed(step) {
  let best = Infinity;
  let spent = 0;
  return {
    async sample(seconds) {
      for (let now = 0; now < seconds * 1e3 && spent < PATIENCE;) {
        const start = performance.now();
        await step();
        const ms = performance.now() - start;
        best = Math.min(best, ms);
        now += ms;
        spent += ms;
      }
      return best * 1e6;
    },
  };
}

/** In jax-js, compiled before the first sample. @type {(network: Network) => Promise<Record<string, any>>} */
async function trainedInJax(network) {
  const library = await openJax();
  if (!library) return {};
  const { numpy: np, nn, jit, valueAndGrad, blockUntilReady } = library;
  const arrayOf = (/** @type {any} */ { data, shape }) => np.array(data, { dtype: np.float32 }).reshape(shape);
  const loss = (/** @type {any[]} */ p, /** @type {any} */ input, /** @type {any} */ target) =>
    nn.logSoftmax(network.jax(library, p, input), -1).mul(target).sum().mul(-1 / BATCH);
  const update = jit((/** @type {any[]} */ p, /** @type {any} */ input, /** @type {any} */ target) => {
    const [value, grads] = valueAndGrad(loss)(p.map(({ ref }) => ref), input, target);
    return [p.map((one, i) => one.sub(grads[i].mul(0.01))), value];
  });
  const { state: first, data } = startOf(network, arrayOf);
  let state = first;
  const step = async () => {
    const [next, value] = update(state, ...data.map(({ ref }) => ref));
    await blockUntilReady(next);
    value.dispose();
    state = next;
  };
  await step();
  return { 'jax-js, wasm': timed(step) };
}

/** In tfjs by its own optimiser. @type {(network: Network) => Promise<Record<string, any>>} */
async function trainedInTfjs({ tfjs, ...own }) {
  const network = { ...own, ...tfjs };
  const { backend, logits } = network;
  // For Node, the gradients of the core are in the file of the layers only.
  const tf = resolve('@tensorflow/tfjs-layers') && (await openTfjs(backend));
  if (!tf) return {};
  installed('@tensorflow/tfjs-layers');
  tf.enableProdMode();
  const tensorOf = (/** @type {any} */ { data, shape }) => tf.tensor(data, shape);
  const { state: first, data: [input, target] } = startOf(network, tensorOf);
  const state = first.map((one) => tf.variable(one));
  const optimiser = tf.train.sgd(0.01);
  const loss = () => tf.losses.softmaxCrossEntropy(target, logits(tf, state, input));
  return { [`tfjs, ${backend}`]: timed(() => optimiser.minimize(loss, false, state)) };
}

module.exports = { trainedInJax, trainedInTfjs };
