/**
 * How TensorFlow's files are recognised: graphs in binary and in text, SavedModels, models of TensorFlow.js.
 *
 * A binary message says nothing of its type, so its first fields have to. A graph begins with a node, whose first
 * fields are its name and op; a SavedModel begins with version 1 and a graph with metadata.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { fail } = require('../../base/errors.js');
const { readFile } = require('../shared/weights.js');

/** @typedef {import('../index.js').Format} Format */
/** @typedef {import('../index.js').Input} Input */

/** Files that a folder is read by. */
const SAVED = 'saved_model.pb';
const BROWSER = 'model.json';

/** @type {(head: Uint8Array, at: number) => { value: number, next: number }} */
function varint(head, at) {
  let [value, shift, next] = [0, 1, at];
  for (; next < head.length && next < at + 10; shift *= 128) {
    value += (head[next] & 127) * shift;
    if (head[next++] < 128) return { value, next };
  }
  return { value: NaN, next };
}

/** @type {(head: Uint8Array) => boolean} */
function looksLikeGraph(head) {
  if (head[0] !== 0x0a) return false;
  const node = varint(head, 1);
  if (head[node.next] !== 0x0a) return false;
  const name = varint(head, node.next + 1);
  const end = name.next + name.value;
  return name.value > 0 && end < node.next + node.value && head[end] === 0x12;
}

/** @type {(head: Uint8Array) => boolean} */
function looksLikeSavedModel(head) {
  if (head[0] !== 0x08 || head[1] !== 1 || head[2] !== 0x12) return false;
  const { next } = varint(head, 3);
  return head[next] === 0x0a || head[next] === 0x12;
}

/** @type {(head: Uint8Array) => string} */
const textOf = (head) => Buffer.from(head).toString('latin1');

/** Where a SavedModel lies: the folder, or undefined for bytes. @type {(input: Input) => string | undefined} */
const folderOf = ({ path: place, isFolder }) => (place === undefined || isFolder ? place : path.dirname(place));

/** @type {(input: Input, name: string) => boolean} whether it is a folder with such a file */
const holds = ({ isFolder, path: place }, name) => isFolder && fs.existsSync(path.join(String(place), name));

/** @type {(input: Input, name: string) => Input} the file in a folder */
function fileIn(input, name) {
  if (!input.isFolder) return input;
  const file = path.join(String(input.path), name);
  return { ...input, file: `${input.file}/${name}`, isFolder: false, bytes: () => readFile(file, 'load') };
}

/** @type {(input: Input, word: string) => boolean} whether it is JSON that has a word */
const isJsonOf = ({ isFolder, head, bytes }, word) =>
  !isFolder && /^\s*[{[]/.test(textOf(head)) && Buffer.from(bytes()).includes(`"${word}"`);

/** What each kind of file looks like, and what reads it. @type {readonly Omit<Format, 'name'>[]} */
const kinds = [
  {
    matches: (input) => (input.isFolder ? holds(input, SAVED) : looksLikeSavedModel(input.head)),
    read: (input, context) => {
      const { bytes, file } = fileIn(input, SAVED);
      return require('./saved-model.js').readSavedModel(bytes(), { ...context, file, folder: folderOf(input) });
    },
  },
  {
    matches: ({ head, isFolder }) => !isFolder && looksLikeGraph(head),
    read: (input, context) => require('./index.js').readGraph(input.bytes(), { ...context, file: input.file }),
  },
  {
    matches: ({ head, isFolder }) =>
      !isFolder && /^(\s|#[^\n]*\n)*(node|library|versions)\s*:?\s*[{<]/.test(textOf(head)),
    read: (input, context) => require('./index.js').readGraphText(input.bytes(), { ...context, file: input.file }),
  },
  {
    matches: (input) => holds(input, BROWSER) || isJsonOf(input, 'modelTopology'),
    read: (input, context) => {
      const { readBrowserModel } = require('./browser-model.js');
      const { bytes, file } = fileIn(input, BROWSER);
      return readBrowserModel(bytes(), { ...context, file, folder: folderOf(input) });
    },
  },
  {
    matches: (input) => isJsonOf(input, 'weights') && isJsonOf(input, 'paths'),
    read: ({ file }, { caller }) =>
      fail('ERR_UNSUPPORTED', `${caller}: ${file} lists weights of TensorFlow.js and no graph: its network is code elsewhere`),
  },
];

/** @type {Format} */
const format = {
  name: 'tensorflow',
  matches: (input) => kinds.some(({ matches }) => matches(input)),
  read: (input, context) => {
    const kind = kinds.find(({ matches }) => matches(input));
    return kind ? kind.read(input, context) : fail('ERR_PARSE', `${context.caller}: ${input.file} is no file of TensorFlow`);
  },
};

module.exports = { format };
