/**
 * Calls of machine code.
 *
 * Native code has one function that runs programs and one for bound calls. Which one is meant stands in memory that
 * both sides see: a function for each program would be a call that the engine cannot foresee, which takes 20 ns more.
 */
'use strict';

const { native } = require('../base/binding.js');

/** @typedef {import('../base/binding.js').ProgramHandle} ProgramHandle */
/** @typedef {import('../base/binding.js').BoundHandle} BoundHandle */

const { callBound, callProgram, called } = native;

/**
 * @param {ProgramHandle} program which sizes are settled for
 * @param {readonly unknown[]} arrays of inputs and outputs
 * @returns {number[][] | undefined} the shapes of the outputs, where a run computes sizes
 */
function callWith(program, arrays) {
  called[0] = program.number;
  // A list of arguments takes 20 ns more than the arguments themselves.
  if (arrays.length === 3) return callProgram(arrays[0], arrays[1], arrays[2]);
  if (arrays.length === 2) return callProgram(arrays[0], arrays[1]);
  if (arrays.length === 4) return callProgram(arrays[0], arrays[1], arrays[2], arrays[3]);
  return callProgram(...arrays);
}

/** @type {(bound: BoundHandle) => number[][] | undefined} */
function invoke(bound) {
  called[0] = bound.number;
  return callBound();
}

module.exports = { callWith, invoke };
