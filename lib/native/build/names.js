/**
 * Names of fields in literals and patterns.
 */
'use strict';

const { refuse } = require('../source/frame.js');
const { staticOf } = require('./statics.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('./context.js').Context} Context */

/** @param {Context} context @param {Ast} property of an object literal or pattern @returns {string} */
function propertyName(context, property) {
  const { key, computed } = property;
  if (!computed) return String(key.name ?? (key.bigint ? BigInt(key.bigint) : key.value));
  const found = staticOf(context.unit, key);
  if (found?.kind === 'constant') return String(found.value);
  return refuse(
    key,
    'the name of a field must be known when the function is compiled',
    'use an array for what is numbered',
  );
}

module.exports = { propertyName };
