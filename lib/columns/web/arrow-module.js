/**
 * lib/columns/data/arrow-module.js for pages: the copy of apache-arrow that the page has given.
 */
'use strict';

const { expected } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');

/** @type {any} */
let given;

/** @type {(module: any) => void} */
function useArrow(module) {
  if (typeof module?.RecordBatchReader !== 'function') expected('load', 'apache-arrow', "option 'arrow'", module);
  given = module;
}

/** @type {(caller: string) => any} */
const loadArrow = (caller) =>
  given ?? fail('ERR_STATE', `${caller}: this needs apache-arrow: load(source, { arrow: await import('apache-arrow') })`);

module.exports = { loadArrow, useArrow };
