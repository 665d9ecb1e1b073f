/**
 * Evolution: populations of programs evaluated by prebuilt kernels, numeric optimisation by evolution, and symbolic
 * regression, which finds formulas for data.
 */
'use strict';

const { population } = require('./population.js');
const { symbolicRegression } = require('./regression/regressor.js');
const { evolve, evolveAsync } = require('./search/evolve.js');

module.exports = { evolve, evolveAsync, population, symbolicRegression };
