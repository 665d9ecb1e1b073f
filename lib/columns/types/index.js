/**
 * What columns hold: data types (data-types.js), how to read their names (names.js), and the type in which values
 * of two types meet (common.js).
 */
'use strict';

/** @typedef {import('./data-types.js').DataType} DataType */

module.exports = {
  ...require('./data-types.js'),
  ...require('./common.js'),
  ...require('./names.js'),
};
