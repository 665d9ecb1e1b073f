/**
 * Elementwise results that are still to be computed, and what they are to be computed from.
 *
 * A node is an entry (operation.js: an operation for given dtypes) and its operands: other nodes, or arrays. Arrays
 * are *captured* so that they are what they were when the operation was called. An array that nobody else has is
 * counted as read, and its storage takes a copy before anything is written to it (tensor/storage.js). One that was
 * handed out may change at any time: a small one is copied, and with a larger one an operation is computed at once,
 * since copying takes as long as computing.
 */
'use strict';

const { arrayOf } = require('../tensor/storage.js');
const { storageOf, isWhole, layoutOf, readableOf } = require('../tensor/tensor.js');

/** @typedef {import('../tensor/storage.js').Storage} Storage */
/** @typedef {import('../tensor/dtypes.js').DTypeInfo} DTypeInfo */
/** @typedef {import('../tensor/dtypes.js').TypedArray} TypedArray */
/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {import('./operation.js').Entry} Entry */

/** Lent arrays of up to so many bytes are copied. */
const COPIED_BYTES = 4096;

/** One operand, as it was when the operation was called. */
class Operand {
  /**
   * @param {Node | null} node
   * @param {TypedArray | null} array in place of a node: elements in their order
   * @param {DTypeInfo} info
   * @param {readonly number[]} shape
   * @param {number} size
   * @param {Storage | null} storage that counts this as a reader
   * @param {boolean} isStable whether the array cannot change
   * @param {readonly number[] | null} [axes] of the elements as they lie, for a tensor that sees them permuted; then `shape` is theirs
   */
  constructor(node, array, info, shape, size, storage, isStable, axes = null) {
    this.axes = axes;
    /** The storage's array that is read, by which the storage knows its readers. */
    this.source = storage?.array ?? null;
    this.node = node;
    this.array = array;
    this.info = info;
    this.shape = shape;
    this.size = size;
    this.storage = storage;
    this.isStable = isStable;
  }

  /** Nobody reads this any more. */
  release() {
    const { node, storage, source } = this;
    if (node !== null) node.consumers--;
    const owner = node === null ? storage : node.storage;
    const read = node === null ? source : node.array;
    if (owner !== null && read !== null && owner.array === read && owner.readers > 0) owner.readers--;
  }
}

class Node {
  /**
   * @param {Entry} entry
   * @param {readonly Operand[]} operands
   * @param {readonly number[]} shape
   * @param {number} size
   */
  constructor(entry, operands, shape, size) {
    this.entry = entry;
    this.operands = operands;
    this.shape = shape;
    this.size = size;
    /** What the tensor has, set by whoever makes it. @type {Storage | null} */
    this.storage = null;
    /** The result once it was computed. @type {TypedArray | null} */
    this.array = null;
    /** Operands that are this node, of nodes that were not computed yet. */
    this.consumers = 0;
    /** Whether a kernel computed this on the way to something else. */
    this.wasComputed = false;
    this.count = 1;
    this.sources = 0;
    for (const { node } of operands) {
      this.count += node?.count ?? 0;
      this.sources += node?.sources ?? 1;
    }
    // Of the walk that came by last (plan.js): which it was, where this was in its order, how often it met this.
    this.walk = 0;
    this.index = 0;
    this.uses = 0;
  }

  /** The result is there: what it was computed from is let go. @param {TypedArray} array */
  settle(array) {
    this.array = array;
    for (const operand of this.operands) operand.release();
    this.operands = [];
    const { storage } = this;
    if (storage === null || storage.pending !== this) return;
    storage.array = array;
    storage.pending = null;
    storage.readers = this.consumers;
  }
}

/** From so many elements on a permuted tensor is read as it lies, by a kernel for its shape. */
const MANY = 4096;

/**
 * How elements lie that a tensor sees in another order of axes: all of a storage, none twice.
 *
 * @param {Tensor} tensor
 * @returns {{ shape: number[], axes: number[] } | null} the shape in memory, and where the tensor's axes are in it
 */
function permutationOf(tensor) {
  const { shape, strides, size, offset, isContiguous } = layoutOf(tensor);
  if (isContiguous || size < MANY || offset !== 0 || size !== storageOf(tensor).size) return null;
  const order = shape.map((_, axis) => axis).sort((a, b) => strides[b] - strides[a] || shape[b] - shape[a]);
  let step = 1;
  for (let at = order.length - 1; at >= 0; at--) {
    const axis = order[at];
    if (shape[axis] !== 1 && strides[axis] !== step) return null;
    step *= shape[axis];
  }
  return { shape: order.map((axis) => shape[axis]), axes: shape.map((_, axis) => order.indexOf(axis)) };
}

/** @type {(storage: Storage, caller: string, found: { shape: number[], axes: number[] }) => Operand} */
function capturePermuted(storage, caller, { shape, axes }) {
  const array = arrayOf(storage, caller);
  if (!storage.lent) storage.readers++;
  return new Operand(
    null,
    array,
    storage.info,
    shape,
    storage.size,
    storage.lent ? null : storage,
    !storage.lent,
    axes,
  );
}

/**
 * @param {Tensor} tensor
 * @param {string} caller
 * @returns {Operand} to be released when it was read
 * @throws {import('../base/errors.js').GraphError} ERR_STATE for a tensor whose elements are gone
 */
function capture(tensor, caller) {
  const storage = storageOf(tensor);
  const { shape, size, isContiguous } = layoutOf(tensor);
  if (storage.pending !== null && isWhole(tensor)) {
    const node = /** @type {Node} */ (storage.pending);
    node.consumers++;
    return new Operand(node, null, storage.info, shape, size, null, true);
  }
  const permuted = permutationOf(tensor);
  if (permuted !== null && arrayOf(storage, caller).length === size) return capturePermuted(storage, caller, permuted);
  const array = readableOf(tensor, caller);
  if (!isContiguous) return new Operand(null, array, storage.info, shape, size, null, true);
  if (!storage.lent) {
    storage.readers++;
    return new Operand(null, array, storage.info, shape, size, storage, true);
  }
  if (array.byteLength > COPIED_BYTES) return new Operand(null, array, storage.info, shape, size, null, false);
  const copy = new storage.info.arrayType(/** @type {any} */ (array));
  return new Operand(null, copy, storage.info, shape, size, null, true);
}

module.exports = { Node, Operand, capture, permutationOf };
