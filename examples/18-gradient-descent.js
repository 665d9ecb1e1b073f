// Shows gradients: a loss written as a plain function, a network of two layers with loops, and descent on it.
'use strict';

const { native, valueAndGrad } = require('graphjit');

const HIDDEN = 8;

// Mean squared error of a network with one input: weights and offsets of the hidden layer, then those of the output.
const loss = native(
  (w, x, y) => {
    let sum = 0;
    for (let i = 0; i < x.length; i++) {
      let out = w[3 * HIDDEN];
      for (let k = 0; k < HIDDEN; k++) out += w[2 * HIDDEN + k] * Math.tanh(w[k] * x[i] + w[HIDDEN + k]);
      sum += (out - y[i]) ** 2;
    }
    return sum / x.length;
  },
  { capture: { HIDDEN } },
);
const step = valueAndGrad(loss);

const x = Float64Array.from({ length: 64 }, (_, i) => i / 16 - 2);
const y = x.map((at) => Math.sin(2 * at) + 0.5 * at);
const w = Float64Array.from({ length: 3 * HIDDEN + 1 }, (_, i) => Math.sin(7 * i + 1));

// Descent with momentum.
const speed = new Float64Array(w.length);
for (let round = 0; round <= 4000; round++) {
  const [value, slope] = step(w, x, y);
  if (round % 1000 === 0) console.log(`round ${round}: loss ${value.toFixed(4)}`);
  for (let i = 0; i < w.length; i++) {
    speed[i] = 0.9 * speed[i] - 0.02 * slope[i];
    w[i] += speed[i];
  }
}

// The way back knows the counters again, so only tanh is kept, on a tape that the run frees.
console.log(step.signatures[0]);
