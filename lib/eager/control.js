/**
 * Control flow and scans on tensors: where all operands are tensors and nothing is being traced, what is recorded runs
 * at once.
 */
'use strict';

const { currentState, isValue } = require('../graph/value.js');
const { associativeScan } = require('../ops/associative-scan.js');
const { control } = require('../trace/control.js');
const { flatten } = require('../trace/pytree.js');
const { recordAndRun } = require('./record-and-run.js');

const { cond, forLoop, map, scan, switchCase, whileLoop } = control;

/**
 * The function, and for tensors the function that runs at once: outside of everything that is traced, with no Value
 * among its operands.
 *
 * @template {(...args: any[]) => any} F
 * @param {string} caller
 * @param {(...args: Parameters<F>) => readonly unknown[]} treesOf operands among the arguments
 * @param {F} fn
 * @returns {F}
 */
function forTensors(caller, treesOf, fn) {
  const { [caller]: named } = {
    /** @param {Parameters<F>} args */
    [caller](...args) {
      const isPlain =
        currentState() === undefined &&
        !treesOf(...args).some((tree) => flatten(tree ?? null, caller, 'operands').leaves.some(isValue));
      return isPlain ? recordAndRun(caller, () => fn(...args)) : fn(...args);
    },
  };
  return /** @type {F} */ (named);
}

/** The functions that index.js exports. */
const functions = Object.freeze({
  associativeScan: forTensors('associativeScan', (_, xs) => [xs], associativeScan),
  cond: forTensors(
    'cond',
    (predicate, _then, _else, ...operands) => [...(isValue(predicate) ? [predicate] : []), operands],
    cond,
  ),
  forLoop: forTensors('forLoop', (lower, upper, _, initial) => [[lower, upper].filter(isValue), initial], forLoop),
  map: forTensors('map', (_, xs) => [xs], map),
  scan: forTensors('scan', (_, initial, xs) => [initial, xs], scan),
  switchCase: forTensors(
    'switchCase',
    (index, _, ...operands) => [...(isValue(index) ? [index] : []), operands],
    switchCase,
  ),
  whileLoop: forTensors('whileLoop', (_condition, _body, initial) => [initial], whileLoop),
});

module.exports = { functions };
