/**
 * apache-arrow itself, where results or files need it: the copy that the program has. For browsers web/arrow-module.js
 * stands in its place, which package.json says under `browser`.
 */
'use strict';

const { createRequire } = require('node:module');
const path = require('node:path');
const { expected } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');

/** @type {any} */
let loaded;

/**
 * The copy of apache-arrow that results are made with from now on. A program of ES modules has another one than
 * `require` finds, and one copy does not write what another one made.
 *
 * @param {any} module such as `await import('apache-arrow')`
 */
function useArrow(module) {
  if (typeof module?.RecordBatchReader !== 'function') expected('useArrow', 'apache-arrow', 'the module', module);
  loaded = module;
}

/**
 * apache-arrow, as this library or the program finds it.
 *
 * @param {string} caller
 * @returns {any}
 */
function loadArrow(caller) {
  const main = require.main?.filename ?? path.join(process.cwd(), 'index.js');
  const places = [__filename, main, path.join(process.cwd(), 'index.js')];
  for (const place of places) loaded ??= tryLoad(place);
  return loaded ?? fail('ERR_UNSUPPORTED', `${caller}: this needs the package apache-arrow: npm install apache-arrow`);
}

/** @type {(place: string) => any} */
function tryLoad(place) {
  try {
    return createRequire(place)('apache-arrow');
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

module.exports = { loadArrow, useArrow };
