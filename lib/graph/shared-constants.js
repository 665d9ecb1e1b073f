/**
 * Constants whose elements are held once: by the graph, its copies and the programs compiled from it.
 *
 * graph.constant() copies what it is given, since its user may write to it later. Readers of model files make the array
 * of a tensor here, read the file into it, and make a constant of the tensor without a copy. An array has memory of its
 * own: it begins at a cache line wherever the tensor lies in the file, and goes with the last graph, program or tensor
 * that has it.
 *
 * Nobody may write to the array once a graph has it, so it is not for users: equal constants are found by their
 * content, and compiled code reads it on other threads.
 */
'use strict';

const { native } = require('../base/binding.js');
const { allocate, checkRoom } = require('../tensor/allocate.js');
const { dtypes } = require('../tensor/dtypes.js');
const { readableOf } = require('../tensor/tensor.js');
const { constantFrom, valueOf } = require('./value.js');

/** @typedef {import('../base/binding.js').StorageHandle} StorageHandle */
/** @typedef {import('../tensor/dtypes.js').DType} DType */
/** @typedef {import('../tensor/dtypes.js').TypedArray} TypedArray */
/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {import('./value.js').GraphState} GraphState */
/** @typedef {import('./value.js').Value} Value */

/** Fewer bytes graphs copy. */
const LEAST = 4096;

/** What lies behind the buffers of arrays made here. @type {WeakMap<ArrayBufferLike, StorageHandle>} */
const storages = new WeakMap();

/**
 * An array of zeros for the elements of a constant, to be filled before a graph gets it.
 *
 * @param {DType} dtype
 * @param {number} size elements
 * @param {string} caller
 * @returns {TypedArray}
 * @throws {import('../base/errors.js').GraphError} ERR_MEMORY
 */
function allocateConstant(dtype, size, caller) {
  const info = dtypes[dtype];
  if (size * info.bytes < LEAST) return allocate(info, size, caller);
  checkRoom(info, size, caller);
  const storage = native.storageNew(size * info.bytes);
  storages.set(storage.buffer, storage);
  const ArrayType = /** @type {any} */ (info.arrayType);
  return new ArrayType(storage.buffer);
}

/**
 * A constant of the memory that a tensor has, if its array was made here and the tensor is all of it; else of a copy.
 *
 * @param {GraphState} state
 * @param {Tensor} tensor
 * @param {string} caller
 * @returns {Value}
 */
function sharedConstant(state, tensor, caller) {
  const { buffer, byteLength } = readableOf(tensor, caller);
  const storage = storages.get(buffer);
  if (storage === undefined || byteLength !== buffer.byteLength) return constantFrom(state, tensor, caller);
  return valueOf(state, native.graphConstShared(state.handle, tensor.dtype, [...tensor.shape], storage));
}

module.exports = { allocateConstant, sharedConstant };
