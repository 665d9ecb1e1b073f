/**
 * INPUT: the file that holds a graph: its text, or a model file that `load` knows.
 */
'use strict';

const path = require('node:path');
const { stop, usage } = require('./errors.js');
const { isFolder, isRegular, nameOf, readBytes, textOf } = require('./files.js');
const { progress } = require('./print.js');

/** @typedef {import('../graph/graph.js').Graph} Graph */
/** @typedef {import('../models/model.js').Model} Model */

/** Blanks and comments, then the word that every text begins with. */
const TEXT_START = /^\uFEFF?(?:\s|\/\/[^\n]*(?:\n|$))*graph\b/;

/** So many tell the text of a graph from a model, which may have gigabytes. */
const HEAD_BYTES = 65_536;

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

/** Whether it is the text of a graph, by its name or else by how it begins. @type {(file: string, bytes: Uint8Array) => boolean} */
const isGraphText = (file, bytes) =>
  path.extname(file).toLowerCase() === '.gj' ||
  TEXT_START.test(Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('utf8'));

/** @typedef {{ size?: import('./sizes.js').Symbols, outputs?: readonly string[], shape?: Record<string, any> }} ReadOptions sizes are fixed where the model asks for it, and then taken out of `size`; shapes of inputs that have none */

/**
 * A model file; a thing that is none is an error.
 *
 * @param {string} file
 * @param {Uint8Array | undefined} bytes of what can be read only once
 * @param {{ sizes?: Record<string, number>, outputs?: readonly string[], inputs?: Record<string, any> }} options
 * @returns {Promise<Model>}
 */
async function loadModel(file, bytes, options) {
  const { Forest, load } = require('../index.js');
  const { Model } = require('../models/model.js');
  const shown = progress();
  try {
    const found = await load(bytes ?? file, { compile: false, ...options, onProgress: shown.stage });
    if (found instanceof Model) return found;
    if (found instanceof Forest) return stop(`${nameOf(file)} holds a forest of trees and no graph`, { code: 'ERR_UNSUPPORTED' });
    return stop(`${nameOf(file)} holds tensors and no model`, { code: 'ERR_UNSUPPORTED' });
  } finally {
    shown.end();
  }
}

/**
 * What a file holds: a graph, or a model that has one or several.
 *
 * @param {string} file '-' for standard input
 * @param {ReadOptions} [options]
 * @returns {Promise<{ graph?: Graph, model?: Model }>}
 */
async function openModel(file, { size, outputs, shape } = {}) {
  const bytes = isFolder(file) ? undefined : readBytes(file, HEAD_BYTES);
  if (bytes !== undefined && isGraphText(file, bytes)) {
    if (shape !== undefined) usage('--shape is for models whose inputs have no shape');
    return { graph: parseText(textOf(isRegular(file) ? readBytes(file) : bytes, file), file) };
  }
  const given = { ...(outputs === undefined ? {} : { outputs }), ...(shape === undefined ? {} : { inputs: shape }) };
  const own = isRegular(file) ? undefined : bytes;
  const model = await loadModel(file, own, given);
  if (model.specialization === null) return { graph: model.graph, model };
  if (model.specialization.by === 'values' || size === undefined || size.size === 0) return { model };
  const fixed = await loadModel(file, own, { ...given, sizes: Object.fromEntries(size) });
  size.clear();
  return fixed.specialization === null ? { graph: fixed.graph, model: fixed } : { model: fixed };
}

/** Why a model is no single graph, and what makes it one. @type {(file: string, model: Model) => string} */
function severalText(file, { specialization, inputs }) {
  const { by, because } = /** @type {NonNullable<typeof specialization>} */ (specialization);
  const open = inputs.find(({ shape, type, optional }) => shape === undefined && type === undefined && !optional);
  const remedies = /** @type {Record<string, string>} */ ({
    sizes: '; --size NAME=NUMBER for each of its sizes makes it one',
    signature: open === undefined ? '' : `; say the shape of each input, as in --shape '${open.name}=[n,3]'`,
  });
  return `${nameOf(file)} is no single graph, there is one for each case: ${because}${remedies[by] ?? ''}`;
}

/**
 * The graph of a file.
 *
 * @param {string} file
 * @param {ReadOptions} [options]
 * @returns {Promise<Graph>}
 */
async function readModel(file, options) {
  const { graph, model } = await openModel(file, options);
  if (graph !== undefined) return graph;
  return stop(severalText(file, /** @type {Model} */ (model)), { code: 'ERR_UNSUPPORTED' });
}

module.exports = { openModel, readModel, severalText };
