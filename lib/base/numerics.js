/**
 * The option `numerics`, as all that compiles takes it.
 */
'use strict';

const { oneOf } = require('./check.js');

/** By name, the number that C knows. */
const NUMERICS = Object.freeze({ default: 0, strict: 1, fast: 2 });
const numericsOption = oneOf(/** @type {(keyof typeof NUMERICS)[]} */ (Object.keys(NUMERICS)));

module.exports = { NUMERICS, numericsOption };
