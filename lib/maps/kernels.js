/**
 * What maps run natively: functions of src/library/maps over typed arrays, on threads where units of work are many.
 *
 * Each takes slots, which are scalars in both directions, and addresses of arrays. Slot 0 has the count of units.
 */
'use strict';

const { native } = require('../base/binding.js');
const { fail } = require('../base/errors.js');
const { NUMERICS } = require('../base/numerics.js');

/** @typedef {import('../base/binding.js').Handle} Handle */
/** @typedef {'map_place_few' | 'map_place' | 'map_sort' | 'map_tree' | 'map_words' | 'map_find' | 'map_rank' | 'map_text_words' | 'map_text_cells' | 'map_find_texts' | 'map_find_prefixes' | 'map_find_addresses'} KernelName */

/** Keys of a unit of work, and fewest units of a thread, since one takes microseconds. */
const UNIT = 1024;
const GRAIN = 16;

/** @type {Map<KernelName, Handle>} */
const kernels = new Map();

/** @type {(name: KernelName) => string} Loop IR */
const textOf = (name) => `module "${name}" {
  library "${name}" func work(slots: i64, table: i64, begin: i64, end: i64) -> i64
  func rows(slots: i64* noalias, table: i64* noalias readonly, begin: i64, end: i64) -> i32 {
    return convert<i32>(call work(address(slots), address(table), begin, end))
  }
  entry func main() -> i32 {
    let slots: i64* = buffer<0, i64>
    let table: i64* = buffer<1, i64>
    return parallel rows(slots, table) over 0 to slots[0] grain ${GRAIN}
  }
}
`;

/** @type {(name: KernelName) => Handle} */
function kernelOf(name) {
  const known = kernels.get(name) ?? native.functionCompile(textOf(name), NUMERICS.default, 3, true, 1);
  kernels.set(name, known);
  return known;
}

/** @type {(status: number) => void} */
function check(status) {
  if (status !== 0) fail(status === 2 ? 'ERR_MEMORY' : 'ERR_INTERNAL', `a kernel of maps ended with status ${status}`);
}

/**
 * Runs a kernel now.
 *
 * @param {KernelName} name
 * @param {BigInt64Array} slots
 * @param {readonly (ArrayBufferView | null)[]} arrays
 * @param {number} [threads]
 */
const run = (name, slots, arrays, threads = 1) => check(native.tableRun(kernelOf(name), threads, slots, arrays));

/**
 * Runs a kernel on another thread.
 *
 * @param {KernelName} name
 * @param {BigInt64Array} slots
 * @param {readonly (ArrayBufferView | null)[]} arrays
 */
async function runLater(name, slots, arrays) {
  check(await native.tableStart(kernelOf(name), 1, slots, arrays).promise);
}

/** @type {(count: number) => number} */
const unitsOf = (count) => Math.ceil(count / UNIT);

module.exports = { UNIT, run, runLater, textOf, unitsOf };
