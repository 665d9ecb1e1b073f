/**
 * Elementwise results that are still to be computed, and what they are to be computed from.
 *
 * A node is an entry (eager/entries.js: an operation for given dtypes) and its operands: other nodes, or arrays.
 * Arrays are *captured* so that they are what they were when the operation was called. An array that nobody
 * else has is counted as read, and its cell takes a copy before anything is written to it (cells.js). One that
 * was handed out may change at any time: a small one is copied, and with a larger one an operation is computed
 * at once, since copying takes as long as computing.
 */
'use strict';

const { arrayOf } = require('../cells.js');
const { cellOf, isWhole, layoutOf, readableOf } = require('../tensor.js');

/** @typedef {import('../cells.js').Cell} Cell */
/** @typedef {import('../dtypes.js').DTypeInfo} DTypeInfo */
/** @typedef {import('../dtypes.js').TypedArray} TypedArray */
/** @typedef {import('../tensor.js').Tensor} Tensor */
/** @typedef {import('./entries.js').Entry} Entry */

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
   * @param {Cell | null} cell that counts this as a reader
   * @param {boolean} isStable whether the array cannot change
   * @param {readonly number[] | null} [axes] of the elements as they lie, for a tensor that sees them permuted; then `shape` is theirs
   */
  constructor(node, array, info, shape, size, cell, isStable, axes = null) {
    this.axes = axes;
    /** The cell's array that is read, by which the cell knows its readers. */
    this.source = cell?.array ?? null;
    this.node = node;
    this.array = array;
    this.info = info;
    this.shape = shape;
    this.size = size;
    this.cell = cell;
    this.isStable = isStable;
  }

  /** Nobody reads this any more. */
  release() {
    const { node, cell, source } = this;
    if (node !== null) node.consumers--;
    const owner = node === null ? cell : node.cell;
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
    /** What the tensor has, set by whoever makes it. @type {Cell | null} */
    this.cell = null;
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
    const { cell } = this;
    if (cell === null || cell.pending !== this) return;
    cell.array = array;
    cell.pending = null;
    cell.readers = this.consumers;
  }
}

/** From so many elements on a permuted tensor is read as it lies, by a kernel for its shape. */
const MANY = 4096;

/**
 * How elements lie that a tensor sees in another order of axes: all of a cell, none twice.
 *
 * @param {Tensor} tensor
 * @returns {{ shape: number[], axes: number[] } | null} the shape in memory, and where the tensor's axes are in it
 */
function permutationOf(tensor) {
  const { shape, strides, size, offset, isContiguous } = layoutOf(tensor);
  if (isContiguous || size < MANY || offset !== 0 || size !== cellOf(tensor).size) return null;
  const order = shape.map((_, axis) => axis).sort((a, b) => strides[b] - strides[a] || shape[b] - shape[a]);
  let step = 1;
  for (let at = order.length - 1; at >= 0; at--) {
    const axis = order[at];
    if (shape[axis] !== 1 && strides[axis] !== step) return null;
    step *= shape[axis];
  }
  return { shape: order.map((axis) => shape[axis]), axes: shape.map((_, axis) => order.indexOf(axis)) };
}

/** @type {(cell: Cell, caller: string, found: { shape: number[], axes: number[] }) => Operand} */
function capturePermuted(cell, caller, { shape, axes }) {
  const array = arrayOf(cell, caller);
  if (!cell.lent) cell.readers++;
  return new Operand(null, array, cell.info, shape, cell.size, cell.lent ? null : cell, !cell.lent, axes);
}

/**
 * @param {Tensor} tensor
 * @param {string} caller
 * @returns {Operand} to be released when it was read
 * @throws {import('../errors.js').GraphError} ERR_STATE for a tensor whose elements are gone
 */
function capture(tensor, caller) {
  const cell = cellOf(tensor);
  const { shape, size, isContiguous } = layoutOf(tensor);
  if (cell.pending !== null && isWhole(tensor)) {
    const node = /** @type {Node} */ (cell.pending);
    node.consumers++;
    return new Operand(node, null, cell.info, shape, size, null, true);
  }
  const permuted = permutationOf(tensor);
  if (permuted !== null && arrayOf(cell, caller).length === size) return capturePermuted(cell, caller, permuted);
  const array = readableOf(tensor, caller);
  if (!isContiguous) return new Operand(null, array, cell.info, shape, size, null, true);
  if (!cell.lent) {
    cell.readers++;
    return new Operand(null, array, cell.info, shape, size, cell, true);
  }
  if (array.byteLength > COPIED_BYTES) return new Operand(null, array, cell.info, shape, size, null, false);
  const copy = new cell.info.arrayType(/** @type {any} */ (array));
  return new Operand(null, copy, cell.info, shape, size, null, true);
}

module.exports = { Node, Operand, capture, permutationOf };
