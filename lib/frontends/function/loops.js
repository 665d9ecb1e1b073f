/**
 * What is done to the loops of a program between inference and emission, TIR to TIR, with a record of each loop.
 *
 * Range checks move out of loops (loops-checks.js). Programs are changed in place.
 */
'use strict';

const { moveChecks } = require('./loops-checks.js');

/** @typedef {import('./tir.js').Program} Program */

/**
 * @param {Program} program
 * @returns {Program} the same
 */
function improveLoops(program) {
  for (const func of program.funcs) {
    moveChecks(func, (s, moved, kept) => {
      program.loops[s.id].checks = { moved, kept: kept.length };
    });
  }
  return program;
}

module.exports = { improveLoops };
