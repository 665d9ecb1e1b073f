/**
 * What is done to the loops of a program between inference and emission, TIR to TIR, with a record of each loop.
 *
 * Doubles that are whole are computed as integers while they are small (loops-whole.js); range checks move out of loops (loops-checks.js) or together (loops-guard.js); what can only be whole then becomes an integer for good (loops-narrow.js); loops whose rounds are independent run in parallel (loops-parallel.js).
 * Programs are changed in place.
 */
'use strict';

const { moveChecks } = require('./loops-checks.js');
const { forward } = require('./loops-forward.js');
const { guardRounds } = require('./loops-guard.js');
const { narrow } = require('./loops-narrow.js');
const { divideLoops } = require('./loops-parallel.js');
const { tryIntegers } = require('./loops-whole.js');

/** @typedef {import('./tir.js').Program} Program */

/** @typedef {import('./tir.js').LoopRecord} LoopRecord */

/** What is known of a loop before anything is done to it. @param {LoopRecord} record */
function forget(record) {
  record.vector = null;
  record.parallel = null;
  record.reasons = [];
  record.checks = { moved: 0, kept: [] };
}

/**
 * @param {Program} program
 * @param {import('./loops-parallel.js').ParallelOptions} [options]
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
