/**
 * Fresh typed arrays, refused before the system is asked for memory that the machine does not have.
 *
 * The engine reserves address space first and pages later, so a vector of a terabyte may be granted
 * and kill the process when it is filled. Sizes come from strangers: anything above the memory of the
 * machine (or of its container) is an error here, with both figures. For large arrays the system is asked
 * for large pages: filling an array in small ones takes longer than computing what goes into it.
 */
'use strict';

const os = require('node:os');
const { native } = require('../base/binding.js');
const { fail } = require('../base/errors.js');

/** Below this many bytes nobody looks at the machine. */
const ALWAYS_TRIED = 2 ** 28;

/** From this many bytes on an array has large pages inside wherever it begins. */
const LARGE = 6 * 2 ** 20;

/** @type {() => number} */
function machineBytes() {
  const limit = process.constrainedMemory?.() ?? 0;
  return limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
}

/** @type {(bytes: number) => string} */
const gibibytes = (bytes) => `${(bytes / 2 ** 30).toPrecision(3)} GiB`;

/** @typedef {import('./dtypes.js').DTypeInfo} DTypeInfo */

/** @type {(info: DTypeInfo, size: number, caller: string, reason: string) => never} */
const refuse = (info, size, caller, reason) =>
  fail('ERR_MEMORY', `${caller}: ${size} elements of ${info.name} need ${gibibytes(size * info.bytes)}, ${reason}`);

/**
 * Refuses more elements than the machine has memory for.
 *
 * @type {(info: DTypeInfo, size: number, caller: string) => void}
 */
function checkRoom(info, size, caller) {
  const bytes = size * info.bytes;
  if (bytes > ALWAYS_TRIED && bytes > machineBytes()) {
    refuse(info, size, caller, `this machine has ${gibibytes(machineBytes())}`);
  }
}

/**
 * @param {DTypeInfo} info
 * @param {number} size elements, a safe integer of at least 0
 * @param {string} caller
 * @returns {import('./dtypes.js').TypedArray} filled with zeros
 * @throws {import('../base/errors.js').GraphError} ERR_MEMORY
 */
function allocate(info, size, caller) {
  checkRoom(info, size, caller);
  /** @type {import('./dtypes.js').TypedArray} */
  let array;
  try {
    array = new info.arrayType(size);
  } catch {
    return refuse(info, size, caller, 'which the system refuses');
  }
  return inLargePages(array);
}

/**
 * The array, which is to have large pages where it is large.
 *
 * @template {import('./dtypes.js').TypedArray} T
 * @param {T} array
 * @returns {T}
 */
function inLargePages(array) {
  if (array.byteLength >= LARGE) native.advise(array);
  return array;
}

module.exports = { allocate, checkRoom, inLargePages };
