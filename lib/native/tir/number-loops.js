/**
 * Numbers the loops of a program and gives each a record.
 *
 * A number is how later stages, LLVM's remarks among them, tell of a loop (run/explain.js). Copies that are made of a
 * loop keep its number, and are told apart by their variant.
 */
'use strict';

const { eachStatement } = require('./walk.js');

/** @param {import('./index.js').Program} program */
function numberLoops(program) {
  program.loops.length = 0;
  for (const func of program.funcs) {
    eachStatement(func.body, (s) => {
      if (s.kind !== 'loop' && s.kind !== 'prange') return;
      s.place ??= /** @type {import('./index.js').Place} */ (program.entry.place);
      s.id = program.loops.length;
      const form = s.kind === 'prange' ? 'prange' : (s.form ?? 'loop');
      program.loops.push({ id: s.id, place: s.place, form, vector: null, parallel: null, reasons: [] });
    });
  }
}

module.exports = { numberLoops };
