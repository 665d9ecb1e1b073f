/**
 * Constants whose elements are held once: by the graph, its copies and the programs compiled from it.
 *
 * graph.constant() copies what it is given, since its user may write to it later. Readers of model files make the
 * memory of a tensor here, read the file into it, and give it to a graph, which copies nothing. A tensor has memory of
 * its own: it begins at a cache line wherever it lies in the file, and goes with the last graph or program that has it.
 *
 * Nobody may write to the array once a graph has it, so it is not for users: equal constants are found by their
 * content, and compiled code reads it on other threads.
 */
'use strict';

const { native } = require('../base/binding.js');
const { checkRoom } = require('../tensor/allocate.js');
const { dtypes } = require('../tensor/dtypes.js');
const { valueOf } = require('./value.js');

/** @typedef {import('../index.d.ts').DType} DType */
/** @typedef {import('./value.js').GraphState} GraphState */
/** @typedef {import('./value.js').Value} Value */
/** @typedef {import('../tensor/dtypes.js').TypedArray} TypedArray */

/**
 * @typedef {object} ConstantMemory
 * @property {DType} dtype
 * @property {readonly number[]} shape
 * @property {TypedArray} data zeros at first; its buffer has nothing else
 * @property {import('../base/binding.js').StorageHandle} storage
 */

/**
 * Memory for a constant, to be filled before a graph gets it.
 *
 * @param {DType} dtype
 * @param {readonly number[]} shape
 * @param {string} caller
 * @returns {ConstantMemory}
 * @throws {import('../base/errors.js').GraphError} ERR_MEMORY
 */
function allocateConstant(dtype, shape, caller) {
  const info = dtypes[dtype];
  const size = shape.reduce((product, length) => product * length, 1);
  checkRoom(info, size, caller);
  const storage = native.storageNew(Math.max(size, 1) * info.bytes); // no elements leave one, which the graph ignores
  const ArrayType = /** @type {any} */ (info.arrayType);
  return Object.freeze({ dtype, shape, storage, data: new ArrayType(storage.buffer, 0, size) });
}

/**
 * A constant of the memory itself; the elements are copied only where they are few.
 *
 * @param {GraphState} state
 * @param {ConstantMemory} memory
 * @returns {Value}
 */
function sharedConstant(state, { dtype, shape, storage }) {
  return valueOf(state, native.graphConstShared(state.handle, dtype, [...shape], storage));
}

module.exports = { allocateConstant, sharedConstant };
