/**
 * Evolution: populations of programs evaluated by compiled code, numeric optimisation by evolution, and symbolic
 * regression, which finds formulas for data.
 */
'use strict';

const { population } = require('./population.js');

module.exports = { population };
