/**
 * INPUT: the file that holds a graph, in one of the formats of a table. More formats are more rows.
 */
'use strict';

const path = require('node:path');
const { stop } = require('./errors.js');
const { nameOf, readBytes, textOf } = require('./files.js');

/** @typedef {import('../graph/graph.js').Graph} Graph */

/**
 * @typedef {object} Format
 * @property {string} name
 * @property {readonly string[]} extensions
 * @property {(bytes: Uint8Array) => boolean} matches whether a file of another name looks like it
 * @property {(bytes: Uint8Array, file: string) => Graph} load
 */

/** Blanks and comments, then the word that every text begins with. */
const TEXT_START = /^\uFEFF?(?:\s|\/\/[^\n]*(?:\n|$))*graph\b/;

/** @type {(text: string, file: string) => Graph} */
function parseText(text, file) {
  const { Graph } = require('../graph/graph.js');
  try {
    return Graph.parse(text);
  } catch (error) {
    const { code, message } = /** @type {{ code: string, message: string }} */ (error);
    const found = /^line (\d+), column (\d+): ([^]*)$/.exec(message ?? '');
    if (!found) throw error;
    const [line, column] = [Number(found[1]), Number(found[2])];
    const place = { file: nameOf(file), line, column, text: text.split('\n')[line - 1]?.replace(/\r$/, '') };
    return stop(found[3], { code, place, cause: error });
  }
}

/** @type {readonly Format[]} */
const formats = [
  {
    name: 'graph text',
    extensions: ['.gj'],
    matches: (bytes) => TEXT_START.test(Buffer.from(bytes.subarray(0, 65536)).toString('utf8')),
    load: (bytes, file) => parseText(textOf(bytes, file), file),
  },
];

const known = () => formats.map(({ name, extensions }) => `${name} (${extensions.join(', ')})`).join(', ');

/** @type {(file: string, bytes: Uint8Array) => Format} */
function formatOf(file, bytes) {
  const extension = path.extname(file).toLowerCase();
  const found =
    formats.find(({ extensions }) => extensions.includes(extension)) ?? formats.find(({ matches }) => matches(bytes));
  return (
    found ??
    stop(`cannot tell the format of ${nameOf(file)}, known formats are ${known()}`, { code: 'ERR_UNSUPPORTED' })
  );
}

/**
 * @param {string} file '-' for standard input
 * @returns {Graph}
 */
function readModel(file) {
  const bytes = readBytes(file);
  return formatOf(file, bytes).load(bytes, file);
}

module.exports = { readModel };
