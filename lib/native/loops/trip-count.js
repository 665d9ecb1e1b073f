/**
 * The rounds of a loop that are known before it begins: those of prange, and of loops that count upwards.
 */
'use strict';

const { countedOf } = require('../tir/counted-loops.js');

/** @typedef {import('../tir/index.js').Expression} Expression */

/**
 * @typedef {object} Rounds
 * @property {import('../tir/index.js').Local} counter
 * @property {Expression} lo
 * @property {Expression} hi
 * @property {bigint} step
 * @property {boolean} isClosed hi is one of the rounds
 * @property {import('../tir/index.js').Statement[]} body
 */

/** @type {(s: import('../tir/index.js').LoopStmt | import('../tir/index.js').PrangeStmt) => Rounds | null} */
function roundsOf(s) {
  if (s.kind === 'prange') return { counter: s.local, lo: s.lo, hi: s.hi, step: 1n, isClosed: false, body: s.body };
  const counted = s.late ? null : countedOf(s);
  if (!counted || counted.step < 1n || s.update.length !== 1 || (counted.compare !== 'lt' && counted.compare !== 'le'))
    return null;
  const { counter, step, bound } = counted;
  return {
    counter, lo: { op: 'local', type: counter.type, local: counter, args: [] }, hi: bound, step,
    isClosed: counted.compare === 'le', body: s.body,
  };
}

module.exports = { roundsOf };
