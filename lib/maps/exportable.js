/**
 * What maps, ranges and tries have in common: they are functions of expressions (column-function.js), and exported as
 * WebAssembly and for C (export.js). Most programs load neither.
 */
'use strict';

const { DESCRIBE } = require('../base/check.js');
const { COLUMN_FUNCTION } = require('../base/well-known-symbols.js');

/** The method that says what is exported, for the caller of that name. */
const EXPORTED = Symbol('exported');

class Exportable {
  /** @param {string} caller @returns {import('./export.js').Exported} */
  [EXPORTED](caller) {
    throw new Error(`${caller}: nothing is exported`);
  }

  /** What it is, not how it is made. */
  [Symbol.for('nodejs.util.inspect.custom')]() {
    return `${this.constructor.name}: ${/** @type {any} */ (this)[DESCRIBE]()}`;
  }

  /** As a function of expressions over columns. @param {string} name */
  [COLUMN_FUNCTION](name) {
    return require('./column-function.js').columnFunction(name, this[EXPORTED](`expr: function '${name}'`));
  }

  /** A module of WebAssembly that looks many keys up. @param {unknown} [options] */
  toWasm(options) {
    return require('./export.js').toWasm(this[EXPORTED]('toWasm'), options);
  }

  /** The same as an object for C. @param {unknown} [options] */
  toObject(options) {
    return require('./export.js').toObject(this[EXPORTED]('toObject'), options);
  }

  /** The header of that. @param {unknown} [options] */
  toHeader(options) {
    return require('./export.js').toHeader(this[EXPORTED]('toHeader'), options);
  }
}

module.exports = { EXPORTED, Exportable };
