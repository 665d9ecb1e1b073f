/**
 * Evolution: populations of programs evaluated by prebuilt kernels, and numeric optimisation by evolution.
 */
'use strict';

const { population } = require('./population.js');
const { evolve, evolveAsync } = require('./search/evolve.js');

module.exports = { evolve, evolveAsync, population };
