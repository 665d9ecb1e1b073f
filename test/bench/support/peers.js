// Who graphjit is compared with: C loops compiled here, and libraries where they are installed
// (`npm run bench:peers` installs them).
'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { root, llvm } = require('../../../scripts/setup.js');
const { service } = require('./service.js');

const ownSource = path.join(__dirname, 'peers.c');
/** What it includes. */
const headers = fs.readdirSync(__dirname).filter((file) => /\.h$/.test(file)).map((file) => path.join(__dirname, file));
const nodeService = path.join(__dirname, 'node-service.js');
const folder = path.join(root, 'build', 'bench');

/** clang as one types it, which makes code for any CPU of its kind. */
const plainClang = [`${llvm}/bin/clang`, '-O3'];

/** Compilers by the name that the table shows. */
const compilers = {
  'clang -O3': [...plainClang, '-march=native', '-fno-math-errno'],
  'gcc -Ofast': ['gcc', '-Ofast', '-march=native', '-mprefer-vector-width=512'],
};

/**
 * peers.c, or another source, as an addon from one compiler; null when that is not installed.
 *
 * @param {string[]} compiler with its options
 * @param {{ source?: string, standard?: string }} [what]
 * @returns {string | null} the file
 */
function addonFile(compiler, { source = ownSource, standard = 'gnu11' } = {}) {
  const nodeApi = require(require.resolve('node-api-headers', { paths: [root] })).include_dir;
  const line = [...compiler, `-std=${standard}`, '-fPIC', '-shared', `-I${nodeApi}`, source];
  const hash = crypto.createHash('sha256').update(line.join(' '));
  for (const each of [source, ...headers]) hash.update(fs.readFileSync(each));
  const digest = hash.digest('hex');
  const file = path.join(folder, `peers-${digest.slice(0, 16)}.node`);
  if (!fs.existsSync(file)) {
    fs.mkdirSync(folder, { recursive: true });
    const partial = `${file}.${process.pid}`;
    const { status, error, stderr } = spawnSync(line[0], [...line.slice(1), '-o', partial, '-lm'], { encoding: 'utf8' });
    if (error) return null;
    if (status !== 0) throw new Error(`${compiler.join(' ')} does not compile ${source}:\n${stderr}`);
    fs.renameSync(partial, file);
  }
  return file;
}

/**
 * The C loop `kernel` on these arrays, for every compiler that is there.
 *
 * @param {string} kernel
 * @param {any[]} arrays
 * @returns {Record<string, () => void>}
 */
function inC(kernel, ...arrays) {
  const found = {};
  for (const [name, compiler] of Object.entries(compilers)) {
    const file = addonFile(compiler);
    const run = file && require(file)[kernel];
    if (run) found[name] = () => run(...arrays);
  }
  return found;
}

/** The addon's part of a source that a case writes: `run(arrays, length)` is called with the arrays of the caller. */
const WRAPPER = `
#include <node_api.h>
static napi_value call(napi_env env, napi_callback_info info) {
  napi_value values[16];
  size_t count = 16, length = 0;
  void *arrays[16];
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
  for (size_t i = 0; i < count && i < 16; i++)
    napi_get_typedarray_info(env, values[i], NULL, i == 0 ? &length : NULL, &arrays[i], NULL, NULL);
  run(arrays, length);
  return NULL;
}
NAPI_MODULE_INIT() {
  napi_create_function(env, "run", NAPI_AUTO_LENGTH, call, NULL, &exports);
  return exports;
}
`;

/**
 * C that a case has written, which has `static void run(void *const *arrays, size_t length)`, on these arrays.
 *
 * @param {string} text
 * @param {any[]} arrays
 * @returns {Record<string, () => void>}
 */
function inWrittenC(text, ...arrays) {
  const digest = crypto.createHash('sha256').update(text).digest('hex');
  const source = path.join(folder, `written-${digest.slice(0, 16)}.c`);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(source, text + WRAPPER);
  const file = addonFile(compilers['gcc -Ofast'], { source });
  return file ? { 'gcc -Ofast': () => require(file)(...arrays) } : {};
}

// Where `npm run bench:peers` puts the packages of npm that graphjit is compared with.
const packages = process.env.GRAPHJIT_PEERS ?? path.join(root, 'build', 'peers');
const [python] = ['/usr/bin/python3', 'python3'].filter((one) => one === 'python3' || fs.existsSync(one));
const cores = os.availableParallelism();

const counters = ['OMP_NUM', 'OPENBLAS_NUM', 'MKL_NUM', 'NUMEXPR_NUM', 'NUMEXPR_MAX', 'NUMBA_NUM'];

/** Says to every library how many threads to use. @param {number} threads @returns {Record<string, string>} */
const threadsOf = (threads) => Object.fromEntries(counters.map((name) => [`${name}_THREADS`, String(threads)]));

/**
 * The loop `kernel` of peers.c from gcc with OpenMP, on all cores, in a process of its own.
 *
 * @param {string} kernel
 * @param {object[]} arrays what arrays.js fills them with
 */
function inThreadedC(kernel, arrays) {
  const addon = addonFile([...compilers['gcc -Ofast'], '-fopenmp']);
  if (!addon || cores < 2) return {};
  const peer = service(process.execPath, [nodeService], threadsOf(cores));
  return { [`gcc -Ofast ×${cores}`]: { sample: (/** @type {number} */ seconds) => peer.ask({ addon, kernel, arrays, seconds }) } };
}

/**
 * The same in this process, on these very arrays, for loops that memory limits: what a process of its own
 * finds in the last cache, which all share, depends on who ran before. Its threads sleep between calls, which costs a
 * wake-up of some 50 µs each.
 *
 * @param {string} kernel
 * @param {any[]} arrays
 * @returns {Record<string, () => void>}
 */
function inThreadedCHere(kernel, ...arrays) {
  const file = addonFile([...compilers['gcc -Ofast'], '-fopenmp']);
  if (!file || cores < 2) return {};
  Object.assign(process.env, threadsOf(cores), { OMP_WAIT_POLICY: 'passive' }); // read when the file is loaded
  const run = require(file)[kernel];
  return { [`gcc -Ofast ×${cores}`]: () => run(...arrays) };
}

/**
 * A statement in Python, timed in a process of its own; nothing where a library is not installed.
 *
 * @param {string} name of the library, as shown
 * @param {string} setup
 * @param {string} statement
 * @param {number} [threads]
 */
function inPython(name, setup, statement, threads = 1) {
  const peer = service(python, [path.join(__dirname, 'python.py')], threadsOf(threads));
  const sample = (/** @type {number} */ seconds) => peer.ask({ key: name + setup, setup, statement, seconds });
  return { [threads > 1 ? `${name} ×${threads}` : name]: { sample } };
}

/** The same with NumPy, which is there as `np`. @param {string} setup @param {string} statement */
const inNumpy = (setup, statement) => inPython('numpy', `import numpy as np\n${setup}`, statement);

/**
 * The same with PyTorch, on one thread and on all cores, where arrays have become tensors.
 *
 * @param {string[]} setup in which NumPy arrays of these names are made
 * @param {string[]} names
 * @param {string} statement
 */
function inTorch(setup, names, statement) {
  const tensors = names.map((name) => `${name} = torch.from_numpy(${name})`);
  const on = (/** @type {number} */ threads) =>
    inPython('torch', [...setup, 'import torch', `torch.set_num_threads(${threads})`, ...tensors].join('\n'), statement, threads);
  return { ...on(1), ...(cores > 1 && on(cores)) };
}

/**
 * An ONNX model of these nodes as a file; null where Python's onnx is not installed.
 *
 * @param {object} model see model.py
 * @returns {string | null}
 */
function modelFile(model) {
  const text = JSON.stringify(model);
  const file = path.join(folder, `model-${crypto.createHash('sha256').update(text).digest('hex').slice(0, 16)}.onnx`);
  if (!fs.existsSync(file)) {
    fs.mkdirSync(folder, { recursive: true });
    const partial = `${file}.${process.pid}`;
    const { status, error } = spawnSync(python, [path.join(__dirname, 'model.py'), partial], { input: text, stdio: ['pipe', 'ignore', 'inherit'] });
    if (error || status === 3) return null;
    if (status !== 0) throw new Error(`${text} is no model`);
    fs.renameSync(partial, file);
  }
  return file;
}

/**
 * An ONNX model run by onnxruntime-node on one thread and on all cores; nothing where that is not installed.
 *
 * @param {'f32' | 'f64'} dtype of all numbers
 * @param {Record<string, { shape: number[], from?: number, to?: number }>} feeds  inputs, and what arrays.js fills them with
 * @param {[op: string, inputs: string[], output: string, attributes?: object][]} nodes  the last gives the output; several in one string
 * @param {Record<string, number | number[]>} [constants]
 */
function inOnnxRuntime(dtype, feeds, nodes, constants = {}) {
  const model = modelFile({
    dtype,
    inputs: Object.fromEntries(Object.entries(feeds).map(([name, { shape }]) => [name, shape])),
    constants,
    nodes: nodes.map(([op, inputs, output, attributes = {}]) => [op, inputs, output, attributes]),
  });
  return model ? askOnnxRuntime(model, Object.fromEntries(Object.entries(feeds).map(([name, feed]) => [name, { type: dtype, ...feed }]))) : {};
}

/**
 * A model file in onnxruntime, on numbers from -1 to 1.
 *
 * @param {string} model
 * @param {Record<string, number[]>} inputs shapes of f32
 */
const inOnnxRuntimeFile = (model, inputs) =>
  askOnnxRuntime(model, Object.fromEntries(Object.entries(inputs).map(([name, shape]) => [
    name, { type: 'f32', shape, length: shape.reduce((total, size) => total * size, 1), from: -1, to: 1 },
  ])));

/** @type {(model: string, feeds: Record<string, any>) => Record<string, any>} */
function askOnnxRuntime(model, filled) {
  const peer = service(process.execPath, [nodeService]);
  const sampleOf = (/** @type {number} */ threads) => (/** @type {number} */ seconds) =>
    peer.ask({ packages, model, feeds: filled, threads, seconds });
  return {
    onnxruntime: { sample: sampleOf(1) },
    ...(cores > 1 && { [`onnxruntime ×${cores}`]: { sample: sampleOf(cores) } }),
  };
}

module.exports = { addonFile, compilers, cores, inC, inNumpy, inOnnxRuntime, inOnnxRuntimeFile, inPython, inThreadedC, inThreadedCHere, inTorch, inWrittenC, packages, plainClang, python, threadsOf };
