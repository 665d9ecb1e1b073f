/**
 * The primitive that makes random bits; random.js has what is drawn with it.
 */
'use strict';

const { readOptions } = require('./check.js');
const { dtypeName } = require('./dtypes.js');
const { operandOf } = require('./movement.js');
const { append } = require('./value.js');

/**
 * @param {unknown} key u32[2]
 * @param {unknown} shape
 * @param {unknown} [options]
 * @returns {import('./value.js').Value}
 */
function rngBits(key, shape, options) {
  const { dtype = 'u32' } = readOptions('rngBits', options, { dtype: dtypeName });
  const { state, value } = operandOf(key, 'rngBits');
  return append(state, 'rng_bits', [value], { dtype, shape: state.dims(shape, 'rngBits') });
}

module.exports = { rngBits };
