/**
 * Control flow and scans on tensors: where all operands are tensors and nothing is being traced, what is recorded runs
 * at once.
 */
'use strict';

const { currentState, isValue } = require('../graph/value.js');

/** What records and runs, and the functions themselves; loaded with the first call. */
const files = {
  control: () => require('../trace/control.js').control,
  associativeScan: () => require('../ops/associative-scan.js').associativeScan,
  flatten: () => require('../trace/pytree.js').flatten,
  recordAndRun: () => require('./record-and-run.js').recordAndRun,
};

/**
 * The function, and for tensors the function that runs at once: outside of everything that is traced, with no Value
 * among its operands.
 *
 * @template {(...args: any[]) => any} F
 * @param {string} caller
 * @param {(...args: Parameters<F>) => readonly unknown[]} treesOf operands among the arguments
 * @param {() => F} find
 * @returns {F}
 */
function forTensors(caller, treesOf, find) {
  const { [caller]: named } = {
    /** @param {Parameters<F>} args */
    [caller](...args) {
      const fn = find();
      const flatten = files.flatten();
      const isPlain =
        currentState() === undefined &&
        !treesOf(...args).some((tree) => flatten(tree ?? null, caller, 'operands').leaves.some(isValue));
      return isPlain ? files.recordAndRun()(caller, () => fn(...args)) : fn(...args);
    },
  };
  return /** @type {F} */ (named);
}

/** The functions that index.js exports. */
const functions = Object.freeze({
  associativeScan: forTensors('associativeScan', (_, xs) => [xs], files.associativeScan),
  cond: forTensors(
    'cond',
    (predicate, _then, _else, ...operands) => [...(isValue(predicate) ? [predicate] : []), operands],
    () => files.control().cond,
  ),
  forLoop: forTensors(
    'forLoop',
    (lower, upper, _, initial) => [[lower, upper].filter(isValue), initial],
    () => files.control().forLoop,
  ),
  map: forTensors('map', (_, xs) => [xs], () => files.control().map),
  scan: forTensors('scan', (_, initial, xs) => [initial, xs], () => files.control().scan),
  switchCase: forTensors(
    'switchCase',
    (index, _, ...operands) => [...(isValue(index) ? [index] : []), operands],
    () => files.control().switchCase,
  ),
  whileLoop: forTensors('whileLoop', (_condition, _body, initial) => [initial], () => files.control().whileLoop),
});

module.exports = { functions };
