/**
 * The primitive that makes random bits; random/index.js has what is drawn with it.
 */
'use strict';

const { readOptions } = require('../base/check.js');
const { append } = require('../graph/value.js');
const { dtypeName } = require('../tensor/dtypes.js');
const { operandOf } = require('./movement.js');

/**
 * @param {unknown} key u32[2]
 * @param {unknown} shape
 * @param {unknown} [options]
 * @returns {import('../graph/value.js').Value}
 */
function rngBits(key, shape, options) {
  const { dtype = 'u32' } = readOptions('rngBits', options, { dtype: dtypeName });
  const { state, value } = operandOf(key, 'rngBits');
  return append(state, 'rng_bits', [value], { dtype, shape: state.dims(shape, 'rngBits') });
}

module.exports = { rngBits };
