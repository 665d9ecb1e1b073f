// One ONNX test case three ways: compiled, by the reference evaluator, and as strict WebAssembly.
//
//   node test/support/onnx-cases.js FOLDER [pattern]   runs the cases in the folders of FOLDER and lists what fails
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { Tensor, tensor } = require('graphjit');
const { readOnnx } = require('../../lib/models/onnx/index.js');
const { createModel, executionOf } = require('../../lib/models/model.js');
const { dataSets } = require('../../lib/models/onnx/recorded.js');
const { tableOf } = require('../../lib/models/shared/storage-types.js');

/** As the backend tests of ONNX: relative 1e-3, absolute 1e-7; halves as far as they go. @type {Record<string, [number, number]>} */
const tolerances = { f16: [2e-3, 1e-3], bf16: [2e-2, 1e-2] };

/** @type {(list: any) => any[]} */
const flat = (list) => (Array.isArray(list) ? list.flat(Infinity) : [list]);

/** What is wrong with a result, nothing when it is right. @type {(got: any, want: any, name: string) => string | undefined} */
function difference(got, want, name) {
  if (want === null || got === null) return want === got ? undefined : `${name}: ${got}, expected ${want}`;
  if (want instanceof Map) {
    if (!(got instanceof Map) || got.size !== want.size) return `${name}: a map of ${got?.size}, expected ${want.size}`;
    return [...want].map(([key, each]) => difference(got.get(key), each, `${name}[${key}]`)).find(Boolean);
  }
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length) return `${name}: ${got?.length} elements, expected ${want.length}`;
    return want.map((each, i) => difference(got[i], each, `${name}.${i}`)).find(Boolean);
  }
  if (String(got.shape) !== String(want.shape)) return `${name}: shape [${got.shape}], expected [${want.shape}]`;
  if (!(want instanceof Tensor)) return String(got.data) === String(want.data) ? undefined : `${name}: ${got.data}, expected ${want.data}`;
  if (got.dtype !== want.dtype) return `${name}: ${got.dtype}, expected ${want.dtype}`;
  const [a, b] = [flat(got.toArray()), flat(want.toArray())];
  const [relative, absolute] = tolerances[want.dtype] ?? [1e-3, 1e-6];
  const at = b.findIndex((each, i) => {
    if (Object.is(a[i], each) || a[i] === each) return false;
    if (typeof each !== 'number') return true;
    return !(Math.abs(a[i] - each) <= absolute + relative * Math.abs(each));
  });
  return at < 0 ? undefined : `${name}[${at}]: ${a[at]}, expected ${b[at]}`;
}

/** What codes of floats stand for, since several are NaN, or are 0. @type {(value: any, type: any) => any} */
function decoded(value, type) {
  const table = value instanceof Tensor ? tableOf(type.dtype) : undefined;
  return table === undefined ? value : tensor(flat(value.toArray()).map((code) => table[code])).reshape([...value.shape]);
}

/** @type {(want: Record<string, any>, got: Record<string, any>, ports?: readonly any[]) => string | undefined} */
function firstDifference(want, got, ports = []) {
  const typeOf = (/** @type {string} */ name) => ports.find((port) => port.name === name)?.type ?? {};
  const wrong = (/** @type {string} */ name) => {
    const [own, expected] = [got, want].map((each) => decoded(each[name], typeOf(name)));
    return difference(own, expected, name);
  };
  return Object.keys(want).map(wrong).find(Boolean);
}

/** @type {(folder: string) => { model: any, sets: ReturnType<typeof dataSets>, outputs: readonly any[] }} */
function openCase(folder) {
  const bytes = fs.readFileSync(path.join(folder, 'model.onnx'));
  const definition = readOnnx(bytes, { caller: 'load', file: path.basename(folder), folder, ops: {} });
  return { model: createModel(definition, { sizes: {}, compile: { cache: false, optLevel: 1 } }), sets: dataSets(folder, definition), outputs: definition.outputs };
}

/** @type {(model: any, inputs: any) => Promise<Record<string, any>>} */
async function runWasm(model, inputs) {
  const { graph, feeds, finish } = executionOf(model, inputs, 'wasm');
  if (graph.outputs.length === 0) return finish({});
  const { load } = await import('../../lib/web/index.mjs');
  const program = await load(graph.toWasm({ numerics: 'strict', optLevel: 1, optimize: false }).bytes);
  try {
    const results = program.run(feeds);
    return finish(Object.fromEntries(graph.outputs.map(({ name, dtype }) => [name, tensor(results[name].data, { dtype }).reshape([...results[name].shape])])));
  } finally {
    program.dispose();
  }
}

/**
 * @param {string} folder
 * @param {readonly ('run' | 'eval' | 'wasm')[]} ways
 * @returns {Promise<string | undefined>} what is wrong
 */
async function failureOf(folder, ways = ['run', 'eval', 'wasm']) {
  try {
    const { model, sets, outputs: ports } = openCase(folder);
    try {
      for (const { inputs, outputs } of sets) {
        for (const way of ways) {
          const got = way === 'wasm' ? await runWasm(model, inputs) : model[way](inputs);
          const wrong = firstDifference(outputs, got, ports);
          if (wrong !== undefined) return `${way}: ${wrong}`;
        }
      }
    } finally {
      model.dispose();
    }
    return undefined;
  } catch (error) {
    return /** @type {Error} */ (error).stack?.split('\n').slice(0, process.env.STACK ? 12 : 1).join('\n') ?? String(error);
  }
}

/** @type {(folder: string) => string | undefined} what is wrong with shapes and dtypes, whatever the numbers */
function wrongTypes(folder) {
  const { model, sets } = openCase(folder);
  try {
    for (const { inputs, outputs } of sets) {
      const results = model.run(inputs);
      const typeOf = (/** @type {any} */ { dtype, shape }) => `${dtype}[${shape}]`;
      const wrong = Object.keys(outputs).find((name) => typeOf(results[name]) !== typeOf(outputs[name]));
      if (wrong !== undefined) return `${wrong} has another type`;
    }
    return undefined;
  } finally {
    model.dispose();
  }
}

const otherNumbers = 'random numbers of another generator';

/** Cases whose results have no reason to be equal; types are. @type {Readonly<Record<string, string>>} */
const random = {
  test_bernoulli: otherNumbers,
  test_bernoulli_double: otherNumbers,
  test_bernoulli_double_expanded: otherNumbers,
  test_bernoulli_expanded: otherNumbers,
  test_bernoulli_seed: otherNumbers,
  test_bernoulli_seed_expanded: otherNumbers,
  test_training_dropout: otherNumbers,
  test_training_dropout_default: otherNumbers,
  test_training_dropout_default_mask: otherNumbers,
  test_training_dropout_mask: otherNumbers,
};

/** Counts cases, and tells which are not as expected. */
class CaseCheck {
  /** @param {Readonly<Record<string, string>>} known why some do not pass */
  constructor(known) {
    this.known = known;
    this.all = 0;
    this.passed = 0;
  }

  /** @type {(folder: string) => Promise<string | undefined>} a line for what is not as expected */
  async #surprise(folder) {
    const { known } = this;
    const name = path.basename(folder);
    const why = Object.hasOwn(random, name) ? wrongTypes(folder) : await failureOf(folder);
    this.all++;
    if (why === undefined) this.passed++;
    if (Object.hasOwn(known, name)) return why === undefined ? `${name} passes: take it out of the table` : undefined;
    return why === undefined ? undefined : `${name}: ${why}`;
  }

  /** @type {(root: string, pattern?: RegExp) => Promise<string[]>} of the cases in the folders of a folder */
  async surprises(root, pattern = /./) {
    const lines = [];
    for (const folder of caseFolders(root, pattern)) lines.push(await this.#surprise(folder));
    return lines.filter((line) => line !== undefined);
  }
}

/** @type {(root: string, pattern: RegExp) => string[]} */
const caseFolders = (root, pattern) =>
  fs.readdirSync(root)
    .filter((name) => pattern.test(name) && fs.existsSync(path.join(root, name, 'model.onnx')))
    .map((name) => path.join(root, name));

async function main([root, pattern = '', ...ways] = process.argv.slice(2)) {
  const folders = caseFolders(root, new RegExp(pattern));
  let failed = 0;
  for (const folder of folders) {
    const why = await failureOf(folder, ways.length > 0 ? /** @type {any} */ (ways) : undefined);
    if (why === undefined) continue;
    failed++;
    console.log(`${path.basename(folder)}: ${why}`);
  }
  console.log(`${folders.length - failed} of ${folders.length} pass`);
}

if (require.main === module) void main();

module.exports = { CaseCheck, difference, failureOf, firstDifference, openCase, random };
