// Installs who graphjit is compared with: NumPy, numba, numexpr, PyTorch, XGBoost and DEAP from Debian; onnxruntime, polars,
// DuckDB with apache-arrow to bring them their columns, and those that compute in WebAssembly from npm.
//
//   npm run bench:peers
//
// Nobody but the bench needs them, so nothing else installs them; the bench leaves out what is not there. The
// packages of npm go to build/peers, or to $GRAPHJIT_PEERS.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { note, installPackages } = require('../../scripts/setup.js');
const { packages } = require('./support/peers.js');

const debian = ['gcc', 'libfftw3-double3', 'libfftw3-single3', 'libopenblas0-pthread', 'python3-numpy', 'python3-scipy', 'python3-numba', 'python3-numexpr', 'python3-torch', 'python3-onnx', 'python3-deap', 'python3-xgboost'];
const npm = [
  'onnxruntime-node', 'assemblyscript', '@jax-js/jax', '@tensorflow/tfjs-core', '@tensorflow/tfjs-backend-cpu', '@tensorflow/tfjs-backend-wasm',
  '@tensorflow/tfjs-layers', // has the gradients
  'find-my-way',
  'nodejs-polars', `nodejs-polars-${process.platform}-${process.arch}-gnu`, '@duckdb/node-api', 'apache-arrow',
];

/** @param {string} command @param {string[]} words @param {object} [options] */
function run(command, words, options) {
  const { status, error } = spawnSync(command, words, { stdio: 'inherit', ...options });
  if (status === 0) return;
  console.error(`bench:peers: ${[command, ...words].join(' ')}: ${error?.message ?? `status ${status}`}`);
  process.exitCode = 1;
}

note(`packages of Debian: ${debian.join(', ')}`);
installPackages(debian);
fs.mkdirSync(packages, { recursive: true });
const manifest = path.join(packages, 'package.json');
if (!fs.existsSync(manifest)) fs.writeFileSync(manifest, '{ "private": true }\n');
// Its install script would fetch libraries for graphics cards.
const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL_CUDA: 'skip', ONNXRUNTIME_NODE_INSTALL: 'skip' };
run('npm', ['install', '--no-audit', '--no-fund', ...npm], { cwd: packages, env });
