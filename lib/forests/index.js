/**
 * Forests of decision trees, from files of XGBoost, LightGBM and CatBoost: the door.
 *
 * A reader makes a Definition (trees.js) of a file. Of that comes a table (table.js), which code for all forests reads
 * (run.js). `load` of lib/models is where users enter; it asks here whether a file is one of ours.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { isCatboost, readCatboost } = require('./catboost.js');
const { Forest, createForest, forestOptions } = require('./forest.js');
const { parseJson } = require('./json.js');
const { isLightgbmJson, readLightgbmJson } = require('./lightgbm-json.js');
const { isLightgbmText, readLightgbmText } = require('./lightgbm-text.js');
const { parseUbjson } = require('./ubjson.js');
const { isXgboost, readXgboost } = require('./xgboost.js');

/** @typedef {import('./trees.js').Definition} Definition */
/** What the first bytes of a file are like. @typedef {'json' | 'ubjson' | 'lightgbm' | 'xgboost-binary' | 'dump'} Look */

const formats = /** @type {const} */ (['xgboost', 'lightgbm', 'catboost']);

/** @type {(head: Uint8Array) => Look | undefined} */
function lookAt(head) {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 4096)).toString('latin1');
  if (/^tree\s*\n/.test(text)) return 'lightgbm';
  // A key of an object with its length as L, l, I, U or i before it.
  if (/^\{(?:L\0{7}|l\0{3}|I\0|U|i)[^\0][ -~]/.test(text)) return 'ubjson';
  if (/^(?:\xef\xbb\xbf)?\s*(?:\{\s*"|\[\s*\{\s*"nodeid")/.test(text)) return 'json';
  if (/^(?:booster\[0\]:\s*)?0:(?:\[|leaf=)/.test(text)) return 'dump';
  // The old binary format of XGBoost: a mark, or 136 bytes of numbers and the name of the objective behind its length.
  const isBinary = text.startsWith('binf') || /^.{136}[^\0]\0{7}(?:reg|binary|multi|rank|count|survival):/s.test(text);
  return isBinary ? 'xgboost-binary' : undefined;
}

const BINARY = "the old binary format of XGBoost: load it with XGBoost before 3.1 and save it as JSON or UBJSON, booster.save_model('model.json')";

const DUMP = 'a dump of trees without the model around them has no objective';

/** @type {(json: any, file: string) => Definition} */
function definitionOfJson(json, file) {
  if (isXgboost(json)) return readXgboost(json);
  if (isLightgbmJson(json)) return readLightgbmJson(json);
  if (isCatboost(json)) return readCatboost(json);
  return fail('ERR_PARSE', `${file}: no model of XGBoost, LightGBM or CatBoost: ${DUMP}`);
}

/** @type {(bytes: Uint8Array, file: string) => Definition} */
function definitionOf(bytes, file) {
  switch (lookAt(bytes)) {
    case 'lightgbm': {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
      return isLightgbmText(text) ? readLightgbmText(text, file) : fail('ERR_PARSE', `${file}: no model of LightGBM`);
    }
    case 'ubjson':
      return definitionOfJson(parseUbjson(bytes, file), file);
    case 'xgboost-binary':
      return fail('ERR_UNSUPPORTED', `${file}: ${BINARY}`);
    case 'dump':
      return fail('ERR_PARSE', `${file}: ${DUMP}: save the model as JSON, booster.save_model('model.json')`);
    default:
      return definitionOfJson(parseJson(bytes, file), file);
  }
}

/**
 * @param {Uint8Array | Record<string, any>} source the bytes of a file, or what JSON.parse makes of them
 * @param {{ file?: string, format?: typeof formats[number], threads?: number, missing?: number }} [options]
 * @returns {Forest}
 */
function readForest(source, { file = 'the model', format, ...options } = {}) {
  const definition = source instanceof Uint8Array ? definitionOf(source, file) : definitionOfJson(source, file);
  if (format !== undefined && definition.source !== format)
    fail('ERR_PARSE', `${file}: expected a model of ${format}, got one of ${definition.source}`);
  return createForest(definition, options);
}

module.exports = { Forest, forestOptions, formats, lookAt, readForest };
