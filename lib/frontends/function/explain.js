/**
 * What became of each loop of a function, as a text for people.
 */
'use strict';

/** @typedef {import('./tir.js').LoopRecord} LoopRecord */

/** @type {(loop: LoopRecord, where: { file: string, line: number, column: number }) => string} */
function loopText({ form, vector, parallel, reasons }, { file, line, column }) {
  const facts = [vector, parallel, ...reasons].filter((each) => each !== null);
  return `${file}:${line}:${column}: ${form} loop${facts.length === 0 ? '' : `: ${facts.join('; ')}`}`;
}

/**
 * @param {readonly LoopRecord[]} loops
 * @param {(place: import('./hir.js').Place) => { file: string, line: number, column: number }} whereOf
 * @param {string} remarks of the compiler, a line each
 * @returns {string}
 */
function explain(loops, whereOf, remarks) {
  const lines = loops.map((loop) => loopText(loop, whereOf(loop.place)));
  if (lines.length === 0) lines.push('there are no loops');
  return [...lines, ...(remarks === '' ? [] : [remarks])].join('\n');
}

module.exports = { explain };
