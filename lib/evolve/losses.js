/**
 * The losses of populations: how the terms of rows are put together, and what a term is.
 *
 * A term is an expression of `f`, the value of the program, and `y`, the target, in postfix order over ops, or a
 * compiled function of both. Losses that compare squares need none: the evaluator adds those up by itself.
 */
'use strict';

const { expected, unknownName } = require('../base/check.js');
const { compileBody, expandOwn, languageOf } = require('./operators.js');
const expression = require('./expression.js');

/** How terms become a loss, as src/population/population.h has it. */
const KINDS = Object.freeze({ mean: 0, root: 1, r2: 2, correlation: 3 });

/**
 * @typedef {object} Loss
 * @property {number} kind
 * @property {import('./operators.js').Body | null} term
 * @property {boolean} isSquare a straight line through the values may be fitted in closed form
 * @property {boolean} isBounded less is better, and the loss of some rows tells of that of all
 * @property {boolean} isScore more is better
 * @property {import('./own-function.js').OwnFunction} [own] of a value and a target, in place of a term
 */

/** @type {(kind: number, body?: string) => Loss} */
const loss = (kind, body) => ({
  kind,
  term: body === undefined ? null : compileBody(body),
  isSquare: body === undefined && kind !== KINDS.correlation,
  isBounded: kind <= KINDS.root,
  isScore: kind > KINDS.root,
});

/** Operand a is the value, b the target. @type {ReadonlyMap<string, () => Loss>} */
const LOSSES = new Map([
  ['mse', () => loss(KINDS.mean)],
  ['rmse', () => loss(KINDS.root)],
  ['mae', () => loss(KINDS.mean, 'a b sub abs')],
  ['r2', () => loss(KINDS.r2)],
  ['correlation', () => loss(KINDS.correlation)],
  // Of a logit a: log(1 + e^a) - b a, without overflow.
  ['logLoss', () => loss(KINDS.mean, 'a 0 max a abs neg exp log1p add b a mul sub')],
]);

/** The same with a term, for whoever looks at rows one by one. @type {(found: Loss) => Loss} */
const withTerm = (found) =>
  found.own || found.term ? found : { ...found, term: compileBody('a b sub a b sub mul') };

/**
 * @param {unknown} value a name, an expression of f and y, or a function of them
 * @param {string} caller
 * @returns {Loss}
 */
function readLoss(value, caller) {
  if (typeof value === 'function') {
    const own = require('./own-function.js').readLossFunction(value, "option 'loss'", caller);
    return { kind: KINDS.mean, term: null, isSquare: false, isBounded: true, isScore: false, own };
  }
  if (typeof value !== 'string') {
    return expected(caller, 'a name, an expression of f and y or a function', "option 'loss'", value);
  }
  const known = LOSSES.get(value);
  if (known) return known();
  if (/^\w+$/.test(value)) return unknownName(caller, 'loss name', value, [...LOSSES.keys()]);
  const language = languageOf(undefined, false, caller, expression.reader(caller));
  const term = expandOwn(expression.read(value, ['f', 'y'], language, caller), language, "option 'loss'", caller);
  return { kind: KINDS.mean, term, isSquare: false, isBounded: true, isScore: false };
}

module.exports = { LOSSES, readLoss, withTerm };
