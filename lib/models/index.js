/**
 * The door for files: models of TensorFlow, ONNX and PyTorch as graphs that compile, forests, and tensors.
 *
 * `load` sees from the content which format a file has. A format is a row of a table: how it is recognised, and what
 * makes a definition (model.js) of it. Nothing in a file is ever run.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { fileURLToPath } = require('node:url');
const {
  boolean, callable, expected, integer, isOptions, oneOf, readOptions,
} = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { compileOptions } = require('../graph/graph.js');
const { Source } = require('../files/file-io.js');
const { load: loadTensors } = require('../files/index.js');
const { formats: forestFormats, forestOptions, lookAt, readForest } = require('../forests/index.js');
const { createModel } = require('./model.js');
const { readFile } = require('./shared/weights.js');

/**
 * A file, or bytes, that a model is read of.
 *
 * @typedef {object} Input
 * @property {string} file what messages call it
 * @property {string | undefined} path
 * @property {boolean} isFolder
 * @property {Uint8Array} head its first bytes
 * @property {() => Uint8Array} bytes all of them
 */

/**
 * @typedef {object} Context
 * @property {string} caller
 * @property {Readonly<Record<string, Function>>} ops
 * @property {readonly string[] | undefined} outputs names of values in place of the outputs of the file
 * @property {string | undefined} signature of a file that has several
 * @property {Readonly<Record<string, any>>} inputs shapes of inputs, where the file has none
 */

/**
 * @typedef {object} Format
 * @property {string} name
 * @property {boolean} [isTensors] whether it holds tensors and no model
 * @property {boolean} [isForest] whether it holds trees, which are no graph
 * @property {(input: Input) => boolean} matches
 * @property {(input: Input, context: Context) => any} read a definition of a model or, at once or later, tensors; of
 *   what may hold either, tensors as `{ tensors }`
 */

const tensorFormats = ['npy', 'npz', 'safetensors'];

/** What such files begin with. @type {Readonly<Record<string, (head: Uint8Array) => boolean>>} */
const tensorMagic = {
  npy: (head) => Buffer.from(head.subarray(0, 6)).toString('latin1') === '\x93NUMPY',
  npz: (head) => {
    const text = Buffer.from(head.subarray(0, 512)).toString('latin1');
    return text.startsWith('PK\x03\x04') && /^.{30}[^\0]*?\.npy/s.test(text);
  },
  safetensors: (head) => Buffer.from(head.subarray(4, 10)).toString('latin1') === '\0\0\0\0{"',
};

/** @type {readonly Format[]} */
const formats = [
  ...tensorFormats.map((name) => ({
    name,
    isTensors: true,
    matches: (/** @type {Input} */ { head, path: file }) => file !== undefined && tensorMagic[name](head),
    read: (/** @type {Input} */ { path: file }) => loadTensors(file, { format: name }),
  })),
  require('./tensorflow/formats.js').format,
  {
    name: 'onnx',
    matches: ({ head, isFolder }) => !isFolder && looksLikeOnnx(head),
    read: (input, context) => {
      const folder = input.path && path.dirname(input.path);
      return require('./onnx/index.js').readOnnx(input.bytes(), { ...context, file: input.file, folder });
    },
  },
  {
    name: 'torch',
    matches: ({ head, isFolder }) => !isFolder && require('./torch/index.js').looksLikeTorch(head),
    read: (input, context) =>
      require('./torch/index.js').readTorch(input.path ?? input.bytes(), { ...context, file: input.file }),
  },
  ...forestFormats.map((name) => ({
    name,
    isForest: true,
    // JSON of any kind: its reader says better what is missing than that nobody knows it.
    matches: (/** @type {Input} */ { head, isFolder }) => !isFolder && lookAt(head) !== undefined,
    read: (/** @type {Input} */ input) => input.bytes(),
  })),
];

/** The fields of a ModelProto, the first of which are small: the IR version, texts. @type {(head: Uint8Array) => boolean} */
function looksLikeOnnx(head) {
  let at = 0;
  let known = 0;
  while (at + 1 < head.length) {
    const [field, wire] = [head[at] >> 3, head[at] & 7];
    const isInteger = (field === 1 || field === 5) && wire === 0;
    const isText = [2, 3, 4, 6, 7, 8, 14, 20, 25].includes(field) && wire === 2;
    if (!isInteger && !isText) return false;
    at++;
    let [value, shift] = [0, 1];
    for (;;) {
      value += (head[at] & 127) * shift;
      shift *= 128;
      if (head[at++] < 128) break;
      if (at >= head.length || shift > 2 ** 63) return false;
    }
    known++;
    if (field === 7) return true;
    if (isText) at += value;
  }
  return known > 0 && at >= head.length;
}

const HEAD_BYTES = 4096;

/** What cannot be asked for is found out when it is opened. @type {(file: string) => boolean} */
function isDirectory(file) {
  try {
    return fs.statSync(file).isDirectory();
  } catch {
    return false;
  }
}

/** @type {(source: unknown, caller: string) => Input} */
function inputOf(source, caller) {
  if (source instanceof Uint8Array) {
    // A reader gives parts of a resizable buffer back, which is for buffers of its own.
    const bytes = () => (/** @type {any} */ (source.buffer).resizable ? source.slice() : source);
    return { file: 'the bytes', path: undefined, isFolder: false, head: source.subarray(0, HEAD_BYTES), bytes };
  }
  if (source instanceof ArrayBuffer) return inputOf(new Uint8Array(source), caller);
  if (typeof source !== 'string' || source === '' || source.includes('\0'))
    return expected(caller, 'a path or the bytes of a file', 'the model', source);
  if (isDirectory(source)) {
    const bytes = () => fail('ERR_ARGUMENT', `${caller}: ${source} is a folder`);
    return { file: source, path: source, isFolder: true, head: new Uint8Array(0), bytes };
  }
  const open = new Source(source, caller);
  try {
    const head = open.read(0, Math.min(open.size, HEAD_BYTES));
    return { file: path.basename(source), path: source, isFolder: false, head, bytes: () => readFile(source, caller) };
  } finally {
    open.close();
  }
}

/**
 * By names that files choose, so that none is found that every object has.
 *
 * @type {import('../base/check.js').Getter<Readonly<Record<string, Function>>>}
 */
function opsOption(value, which, caller) {
  if (isOptions(value) && Object.values(value).every((each) => typeof each === 'function'))
    return Object.assign(Object.create(null), value);
  return expected(caller, "an object from names such as 'domain::Name' to functions", which, value);
}

/** @type {import('../base/check.js').Getter<Readonly<Record<string, number>>>} */
function sizesOption(value, which, caller) {
  if (!isOptions(value)) return expected(caller, 'an object from names of sizes to numbers', which, value);
  const size = integer(0);
  const sizes = Object.entries(value).map(([name, each]) => [name, size(each, `${which}: ${name}`, caller)]);
  return Object.assign(Object.create(null), Object.fromEntries(sizes));
}

/** @type {import('../base/check.js').Getter<readonly string[]>} */
function namesOption(value, which, caller) {
  const isList = Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
  return isList ? value : expected(caller, 'an array of names', which, value);
}

/** @type {import('../base/check.js').Getter<string>} */
const textOption = (value, which, caller) => (typeof value === 'string' ? value : expected(caller, 'a text', which, value));

/** @type {import('../base/check.js').Getter<Readonly<Record<string, any>>>} */
const inputsOption = (value, which, caller) =>
  isOptions(value) ? value : expected(caller, 'an object from names of inputs to shapes', which, value);

const readers = {
  sizes: sizesOption,
  ops: opsOption,
  outputs: namesOption,
  signature: textOption,
  inputs: inputsOption,
  compile: boolean,
  onProgress: callable,
  format: oneOf(formats.map(({ name }) => name)),
  missing: forestOptions.missing,
  ...compileOptions,
};

/** @type {(input: Input, name: string | undefined, caller: string) => Format} */
function formatOf(input, name, caller) {
  const found = formats.find((format) => (name === undefined ? format.matches(input) : format.name === name));
  if (found !== undefined) return found;
  if (input.isFolder) return fail('ERR_ARGUMENT', `${caller}: cannot read ${input.file}: it is a folder without a model`);
  const known = formats.map((format) => format.name).join(', ');
  return fail('ERR_UNSUPPORTED', `${caller}: cannot tell the format of ${input.file}, known formats are ${known}`);
}

/** A forest, of bytes or of what JSON.parse makes of them. @type {(source: any, file: string, options: unknown, caller: string) => any} */
function loadForest(source, file, options, caller) {
  // Of forests nothing is compiled: who does not know what a file holds may say so of models.
  const known = { format: oneOf(forestFormats), compile: boolean, onProgress: callable, ...forestOptions };
  const { format, threads, missing } = readOptions(caller, options, known);
  return readForest(source, { file, format, threads, missing });
}

/**
 * @param {unknown} source a path, a folder, bytes, or the JSON of a forest
 * @param {unknown} options
 * @returns {Promise<any>} a Model, a Forest, or tensors
 */
async function loadModel(source, options) {
  const caller = 'load';
  if (source instanceof URL) return expected(caller, 'a URL of a file', 'the model', source.href);
  if (isOptions(source) && !(source instanceof ArrayBuffer)) return loadForest(source, 'the model', options, caller);
  const read = readOptions(caller, options, readers);
  const { sizes = Object.create(null), ops = Object.create(null), outputs, signature, compile = true } = read;
  const { inputs = Object.create(null), onProgress = () => undefined, format: name } = read;
  const compiling = Object.fromEntries(Object.entries(read).filter(([each]) => Object.hasOwn(compileOptions, each)));
  const input = inputOf(source, caller);
  const format = formatOf(input, name, caller);
  if (!format.isForest && read.missing !== undefined)
    fail('ERR_ARGUMENT', `${caller}: option 'missing' is for forests, ${input.file} is of the format ${format.name}`);
  onProgress({ stage: 'read' });
  const found = await format.read(input, { caller, ops, outputs, signature, inputs });
  if (format.isForest) return loadForest(found, input.file, options, caller);
  if (format.isTensors) return found;
  if ('tensors' in found) return found.tensors;
  onProgress({ stage: 'build' });
  const model = createModel(/** @type {import('./model.js').Definition} */ (found), { sizes, compile: compiling });
  try {
    if (compile) {
      onProgress({ stage: 'compile' });
      await model.ready();
    }
    return model;
  } catch (error) {
    model.dispose();
    throw error;
  }
}

/** Of a file of this machine. @type {(url: URL) => string | undefined} */
function pathOf(url) {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/**
 * The tensors of a tensor file at once; a promise of anything else.
 *
 * @param {unknown} source
 * @param {unknown} [options]
 * @returns {any}
 */
function load(source, options) {
  const file = source instanceof URL ? pathOf(source) : undefined;
  if (file !== undefined) return load(file, options);
  const isTensorFile = typeof source === 'string' && /\.(npy|npz|safetensors)$/i.test(source);
  const format = isOptions(options) ? options.format : undefined;
  if (isTensorFile || tensorFormats.includes(/** @type {string} */ (format))) return loadTensors(source, options);
  return loadModel(source, options);
}

module.exports = { load };
