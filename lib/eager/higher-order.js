/**
 * Operations on tensors that take a function: recorded as a graph that runs at once, as loops over tensors are.
 *
 * A sort by a native function of numbers is a native function itself, which sorts line by line; the comparison makes
 * it.
 */
'use strict';

const { readOptions } = require('../base/check.js');
const { SORTER } = require('../base/well-known-symbols.js');
const { constantFrom, currentState } = require('../graph/value.js');
const { asTensor } = require('../tensor/create.js');
const { dtypes } = require('../tensor/dtypes.js');
const { recording } = require('../tensor/recording.js');
const { storageOver } = require('../tensor/storage.js');
const { Tensor, layoutFor, readableOf, tensorOver } = require('../tensor/tensor.js');
const { readAxis } = require('../tensor/views.js');
const { recordAndRun } = require('./record-and-run.js');

/** @typedef {import('./operation.js').Operation} Operation */

/** Native functions that sort by one, by that. @type {WeakMap<Function, (lines: any, length: number) => void>} */
const sorters = new WeakMap();

/** @type {(compare: Function) => (lines: any, length: number) => void} */
function sorterBy(compare) {
  const known = sorters.get(compare);
  if (known !== undefined) return known;
  const made = /** @type {any} */ (compare)[SORTER]();
  sorters.set(compare, made);
  return made;
}

/** @type {(x: Tensor, compare: Function, options: unknown) => Tensor} */
function sortLines(x, compare, options) {
  const { axis = -1 } = readOptions('sort', options, { axis: (value) => value });
  const along = readAxis(axis, x.rank, 'sort');
  const last = x.rank - 1;
  const order = Array.from({ length: x.rank }, (_, i) => i)
    .toSpliced(along, 1)
    .toSpliced(last, 0, along);
  const lines = along === last ? x : x.permute(order);
  const info = dtypes[x.dtype];
  const data = new info.arrayType(/** @type {any} */ (readableOf(lines, 'sort')));
  if (data.length > 1) sorterBy(compare)(data, lines.shape[last]);
  const sorted = tensorOver(storageOver(data, info, false), layoutFor(lines.shape));
  return along === last ? sorted : sorted.permute(order.map((_, i) => order.indexOf(i)));
}

/**
 * Whether elements are to JavaScript what they are in an array.
 *
 * @type {(operation: Operation, args: readonly unknown[]) => boolean}
 */
function isPlainSort({ name }, [x, compare]) {
  if (name !== 'sort' || !(x instanceof Tensor) || x.rank === 0 || typeof compare !== 'function') return false;
  return SORTER in compare && x.dtype !== 'bool' && dtypes[x.dtype].half === undefined;
}

/**
 * @param {Operation} operation
 * @param {readonly unknown[]} args a tensor, a function, and what else there is
 * @returns {any}
 */
function callHigherOrder(operation, args) {
  const [first, ...rest] = args;
  const x = first instanceof Tensor ? first : asTensor(/** @type {any} */ (first));
  const isRecorded = recording.isOn && x.requiresGrad;
  if (!isRecorded && isPlainSort(operation, [x, ...rest])) return sortLines(x, /** @type {any} */ (rest[0]), rest[1]);
  return recordAndRun(operation.name, () =>
    operation.call(constantFrom(/** @type {any} */ (currentState()), x, operation.name), ...rest),
  );
}

module.exports = { callHigherOrder };
