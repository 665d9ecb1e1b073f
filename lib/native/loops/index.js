/**
 * What is done to the loops of a program between inference and emission, TIR to TIR, with a record of each loop.
 *
 * Doubles that are whole are computed as integers while they are small (speculate-integers.js); range checks move out
 * of loops (hoist-checks.js) or together (guard-iterations.js); what can only be whole then becomes an integer for good
 * (narrow-integers.js); loops whose rounds are independent run in parallel (parallel.js). Programs are changed in
 * place.
 */
'use strict';

const { forward } = require('./canonical.js');
const { guardRounds } = require('./guard-iterations.js');
const { moveChecks } = require('./hoist-checks.js');
const { narrow } = require('./narrow-integers.js');
const { divideLoops } = require('./parallel.js');
const { tryIntegers } = require('./speculate-integers.js');

/** @typedef {import('../tir/index.js').Program} Program */

/** @typedef {import('../tir/index.js').LoopRecord} LoopRecord */

/** What is known of a loop before anything is done to it. @param {LoopRecord} record */
function forget(record) {
  record.vector = null;
  record.parallel = null;
  record.reasons = [];
  record.checks = { moved: 0, kept: [] };
}

/**
 * @param {Program} program
 * @param {import('./parallel.js').ParallelOptions} [options]
 * @returns {Program} the same
 */
function improveLoops(program, options = {}) {
  program.loops.forEach(forget);
  for (const func of program.funcs) {
    forward(func);
    tryIntegers(func);
    moveChecks(func, (s, moved, kept) => {
      program.loops[s.id].checks = { moved, kept };
    });
    guardRounds(func);
    narrow(func);
  }
  divideLoops(program, options);
  return program;
}

module.exports = { improveLoops };
