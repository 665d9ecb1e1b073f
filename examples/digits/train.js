// Trains the network of digits. A step (batch, gradients, optimiser) is one compiled program, whose parameters and
// state are donated, so that steps run in the memory of two.
'use strict';

const { adamW, jit, random, schedules, valueAndGrad } = require('graphjit');
const { initial, network } = require('./network.js');

const BATCH = 64;

const loss = (params, images, labels) => network(params, images).crossEntropyLoss(labels);

/**
 * Parameters after so many steps on batches of digits, the same for the same number of steps.
 *
 * @param {{ images: import('graphjit').Tensor, labels: import('graphjit').Tensor }} digits
 * @param {number} steps
 * @param {(done: number, value: number) => void} [onStep] called behind each step with how many there were, and the loss
 */
function train(digits, steps, onStep = () => {}) {
  const learningRate = schedules.warmupCosine(4e-3, { warmup: Math.ceil(Math.min(100, steps / 4)), steps });
  const optimiser = adamW({ learningRate });
  const step = jit(
    (params, state, all, chosen) => {
      const [images, labels] = [all.images.take(chosen, { axis: 0 }), all.labels.take(chosen).convert('i32')];
      const [value, grads] = valueAndGrad(loss)(params, images, labels);
      return [...optimiser.update(grads, state, params), value];
    },
    { donate: ['params', 'state'] },
  );
  let params = initial(random.key(1));
  let state = optimiser.init(params);
  const order = random.permutation(digits.labels.size, { key: random.key(2) });
  for (let i = 0; i < steps; i++) {
    const from = (i * BATCH) % (digits.labels.size - BATCH);
    let value;
    [params, state, value] = step(params, state, digits, order.slice([from, from + BATCH]));
    onStep(i + 1, value.item());
  }
  return params;
}

const right = jit((params, images, labels) =>
  network(params, images).argmax({ axis: 1 }).eq(labels.convert('i64')).convert('f64').mean(),
);

/** The share of ten thousand digits that are recognised. */
function accuracy(params, { images, labels }) {
  const parts = Array.from({ length: 10 }, (_, i) => [1000 * i, 1000 * (i + 1)]);
  return parts.reduce((sum, part) => sum + right(params, images.slice(part), labels.slice(part)).item(), 0) / 10;
}

module.exports = { accuracy, train };
