/**
 * Model files: TensorFlow, ONNX and PyTorch models as graphs that compile.
 *
 * `readModel` sees from the content which format a file has. A format is a row of a table: how it is recognised, and
 * what makes a definition (model.js) of it. Nothing in a file is ever run.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { describe, expected, integer, isOptions, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { compileOptions } = require('../graph/graph.js');
const { Source } = require('../files/file-io.js');
const { Model } = require('./model.js');

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

/** @typedef {{ caller: string, ops: Readonly<Record<string, Function>> }} Context */

/**
 * @typedef {object} Format
 * @property {string} name
 * @property {(input: Input) => boolean} matches
 * @property {(input: Input, context: Context) => import('./model.js').Definition | Promise<import('./model.js').Definition>} read
 */

/** @type {readonly Format[]} */
const formats = [
  {
    name: 'onnx',
    matches: ({ head, isFolder }) => !isFolder && looksLikeOnnx(head),
    read: (input, { caller, ops }) =>
      require('./onnx/index.js').readOnnx(input.bytes(), {
        caller, file: input.file, folder: input.path && path.dirname(input.path), ops,
      }),
  },
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

/** @type {(source: unknown, caller: string) => Input} */
function inputOf(source, caller) {
  if (source instanceof Uint8Array)
    return { file: 'the bytes', path: undefined, isFolder: false, head: source.subarray(0, HEAD_BYTES), bytes: () => source };
  if (source instanceof ArrayBuffer) return inputOf(new Uint8Array(source), caller);
  if (typeof source !== 'string' || source === '' || source.includes('\0'))
    return expected(caller, 'a path or the bytes of a file', 'the model', source);
  const isFolder = fs.statSync(source, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isFolder) return { file: source, path: source, isFolder, head: new Uint8Array(0), bytes: () => fail('ERR_ARGUMENT', `${caller}: ${source} is a folder`) };
  const open = new Source(source, caller);
  try {
    const head = open.read(0, Math.min(open.size, HEAD_BYTES));
    return { file: path.basename(source), path: source, isFolder, head, bytes: () => readAll(source, caller) };
  } finally {
    open.close();
  }
}

/** @type {(file: string, caller: string) => Uint8Array} */
function readAll(file, caller) {
  const source = new Source(file, caller);
  try {
    return source.read(0, source.size);
  } finally {
    source.close();
  }
}

/** @type {import('../base/check.js').Getter<Readonly<Record<string, Function>>>} */
function opsOption(value, which, caller) {
  if (isOptions(value) && Object.values(value).every((each) => typeof each === 'function')) return /** @type {any} */ (value);
  return expected(caller, "an object from names such as 'domain::Name' to functions", which, value);
}

/** @type {import('../base/check.js').Getter<Readonly<Record<string, number>>>} */
function sizesOption(value, which, caller) {
  if (!isOptions(value)) return expected(caller, 'an object from names of sizes to numbers', which, value);
  return Object.fromEntries(Object.entries(value).map(([name, size]) => [name, integer(0)(size, `${which}: ${name}`, caller)]));
}

/** Whether it is a model and not a file of tensors. @type {(source: unknown) => boolean} */
const isModelSource = (source) => typeof source !== 'string' || !/\.(npy|npz|safetensors)$/i.test(source);

/**
 * @param {unknown} source a path, a folder, or bytes
 * @param {unknown} [options]
 * @returns {Promise<Model>}
 */
async function readModel(source, options) {
  const caller = 'load';
  const { sizes = {}, ops = {}, ...compile } = readOptions(caller, options, { sizes: sizesOption, ops: opsOption, ...compileOptions });
  const input = inputOf(source, caller);
  const format = formats.find(({ matches }) => matches(input));
  if (format === undefined) {
    const known = formats.map(({ name }) => name).join(', ');
    return fail('ERR_UNSUPPORTED', `${caller}: ${describe(input.file)} is in no known format of models (${known})`);
  }
  return new Model(await format.read(input, { caller, ops }), { sizes, compile });
}

module.exports = { isModelSource, readModel };
