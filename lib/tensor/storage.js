/**
 * Storages: the elements that a tensor and its views share, wherever they are.
 *
 * A storage has its elements in a typed array, or in a place of a *block* (small results lie side by side in
 * one buffer, since a buffer of its own costs several times what most operations on 16 elements take), or
 * it has none yet: then it is *pending*, and eager/ computes it when somebody looks.
 *
 * A typed array that was handed out, or came from outside, is *lent*: anybody may write to it at any time.
 * What is pending reads only arrays that are not lent. They are counted (`readers`), and before one of them
 * is lent or written to, the storage gets a copy; who reads keeps the old array. Blocks are never handed out:
 * an array is made of the place first.
 *
 * Arrays of tensors that were disposed of are kept for the next results of their size, a few of them:
 * fresh memory has to be cleared and mapped, which takes longer than an addition.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { allocate, inLargePages } = require('./allocate.js');

/** @typedef {import('./dtypes.js').DTypeInfo} DTypeInfo */
/** @typedef {import('./dtypes.js').TypedArray} TypedArray */
/** @typedef {object} Node what eager/ computes, some time */

/** Results of up to so many bytes lie in blocks. */
const SMALL_BYTES = 1024;
const BLOCK_BYTES = 8192;

/** One buffer as elements of each kind that somebody goes through; `null` where it cannot be seen so. */
class Block {
  /**
   * @param {Float64Array | null} f64
   * @param {Float32Array | null} f32
   * @param {Int32Array | null} words
   */
  constructor(f64, f32, words) {
    this.f64 = f64;
    this.f32 = f32;
    this.words = words;
  }
}

/** @type {(buffer: ArrayBuffer) => Block} */
const blockOver = (buffer) => new Block(new Float64Array(buffer), new Float32Array(buffer), new Int32Array(buffer));

class Storage {
  /**
   * @param {DTypeInfo} info
   * @param {number} size elements
   * @param {TypedArray | null} array
   * @param {Block | null} block
   * @param {number} at where in the block, in units of 8 bytes
   * @param {boolean} lent
   */
  constructor(info, size, array, block, at, lent) {
    this.info = info;
    this.size = size;
    this.array = array;
    this.block = block;
    this.at = at;
    this.lent = lent;
    /** Pending nodes that read the array. */
    this.readers = 0;
    /** How often an element was set: what was recorded before reads other elements now. */
    this.writes = 0;
    /** @type {Node | null} */
    this.pending = null;
  }
}

// ---------------------------------------------------------------------------------------- making

let block = blockOver(new ArrayBuffer(BLOCK_BYTES));
let next = 0;

/** @type {(info: DTypeInfo, size: number) => boolean} */
const isSmall = (info, size) => size * info.bytes <= SMALL_BYTES;

/**
 * A storage in a block. Its elements are unspecified.
 *
 * @param {DTypeInfo} info
 * @param {number} size for which isSmall() holds
 * @returns {Storage}
 */
function smallStorage(info, size) {
  const units = (size * info.bytes + 7) >> 3;
  if (next + units > BLOCK_BYTES / 8) {
    block = blockOver(new ArrayBuffer(BLOCK_BYTES));
    next = 0;
  }
  const at = next;
  next += units;
  return new Storage(info, size, null, block, at, false);
}

/**
 * @param {TypedArray} array
 * @param {DTypeInfo} info
 * @param {boolean} lent whether anybody else may have the array
 * @returns {Storage}
 */
const storageOver = (array, info, lent) => new Storage(info, array.length, array, null, 0, lent);

/** @type {(info: DTypeInfo, size: number, node: Node) => Storage} */
function pendingStorage(info, size, node) {
  const storage = new Storage(info, size, null, null, 0, false);
  storage.pending = node;
  return storage;
}

// --------------------------------------------------------------------------------------- reading

/** Set by eager/, which this file is below of. @type {(node: Node) => void} */
let compute = () => {};

/** @param {(node: Node) => void} hook computes a node and gives its storage the array */
function setCompute(hook) {
  compute = hook;
}

/**
 * The elements as an array of the storage's class, for reading, which nobody may keep.
 *
 * @param {Storage} storage
 * @param {string} caller
 * @returns {TypedArray}
 * @throws {import('../base/errors.js').GraphError} ERR_STATE for a tensor that was disposed of
 */
function arrayOf(storage, caller) {
  if (storage.array !== null) return storage.array;
  if (storage.pending !== null) compute(storage.pending);
  else if (storage.block !== null) leaveBlock(storage);
  return storage.array ?? fail('ERR_STATE', `${caller}: the tensor is disposed`);
}

/**
 * The same for somebody who looks once: what lies in a block stays there, and is seen by an array over its place.
 *
 * @type {typeof arrayOf}
 */
const lookAt = (storage, caller) =>
  storage.array === null && storage.block !== null ? placeOf(storage) : arrayOf(storage, caller);

/** @type {(storage: Storage) => TypedArray} over the place in its block */
function placeOf({ block: place, info, at, size }) {
  const { buffer } = /** @type {Int32Array} */ (/** @type {Block} */ (place).words);
  const ArrayOver = /** @type {any} */ (info.arrayType);
  return new ArrayOver(buffer, 8 * at, size);
}

/**
 * Makes an array of the place. That of few elements has no buffer, until somebody asks for it.
 *
 * @param {Storage} storage
 */
function leaveBlock(storage) {
  const array = new storage.info.arrayType(storage.size);
  /** @type {any} */ (array).set(placeOf(storage));
  storage.array = array;
  storage.block = null;
}

/**
 * The elements to be written to by this library.
 *
 * @param {Storage} storage
 * @param {string} caller
 * @returns {TypedArray}
 */
function ownArrayOf(storage, caller) {
  const array = arrayOf(storage, caller);
  storage.block = null;
  if (storage.readers === 0 || storage.lent) return array;
  const copy = allocate(storage.info, array.length, caller);
  /** @type {any} */ (copy).set(array);
  storage.array = copy;
  storage.readers = 0;
  return copy;
}

/**
 * The elements, to be handed out: from now on anybody may write to them.
 *
 * @param {Storage} storage
 * @param {string} caller
 * @returns {TypedArray}
 */
function lend(storage, caller) {
  if (storage.lent && storage.array !== null) return storage.array;
  const array = ownArrayOf(storage, caller);
  storage.lent = true;
  return array;
}

/**
 * The elements where they lie as a block, for loops over few of them: a plain array of floats, or any array at a
 * multiple of four bytes. Null for what has to be taken the long way, pending and disposed storages included.
 *
 * @param {Storage} storage
 * @returns {Block | null}
 */
function blockOf(storage) {
  return storage.block ?? (storage.array === null ? null : viewBlock(storage));
}

/** @type {(storage: Storage) => Block | null} */
function viewBlock(storage) {
  const array = /** @type {TypedArray} */ (storage.array);
  const { buffer, byteOffset, byteLength } = array;
  if (array.constructor !== storage.info.arrayType || (byteOffset | byteLength) & 3) return null;
  if (!(buffer instanceof ArrayBuffer) || /** @type {any} */ (buffer).resizable) return null;
  storage.block = new Block(
    array instanceof Float64Array ? array : null,
    array instanceof Float32Array ? array : null,
    new Int32Array(buffer, byteOffset, byteLength >> 2),
  );
  return storage.block;
}

// ---------------------------------------------------------------------------------------- ending

const KEPT_ARRAYS = 16;
const KEPT_BYTES = 64 * 2 ** 20;
const KEPT_FROM = 4096;

/** @type {TypedArray[]} */
const kept = [];
let keptBytes = 0;

/** Sizes whose memory the C library keeps for the next array; clearing it first would take as long as computing. */
const RECYCLED_FROM = 2 ** 18;
const RECYCLED_TO = 2 ** 25;

/** @type {(info: DTypeInfo, size: number, caller: string) => TypedArray} */
function allocateUncleared(info, size, caller) {
  const bytes = size * info.bytes;
  if (bytes < RECYCLED_FROM || bytes > RECYCLED_TO) return allocate(info, size, caller);
  const { buffer, byteOffset } = Buffer.allocUnsafeSlow(bytes);
  const ArrayOver = /** @type {any} */ (info.arrayType);
  return inLargePages(new ArrayOver(buffer, byteOffset, size));
}

/**
 * An array for a result, whose elements are unspecified.
 *
 * @param {DTypeInfo} info
 * @param {number} size
 * @param {string} caller
 * @returns {TypedArray}
 */
function takeArray(info, size, caller) {
  for (let i = kept.length - 1; i >= 0; i--) {
    const array = kept[i];
    if (array.length !== size || array.constructor !== info.arrayType) continue;
    kept.splice(i, 1);
    keptBytes -= array.byteLength;
    return array;
  }
  return allocateUncleared(info, size, caller);
}

/** Arrays by their beginnings, which are all that is in use of them. @type {WeakMap<TypedArray, TypedArray>} */
const wholes = new WeakMap();

/**
 * The first elements of a fresh array, for a result that became smaller than it might have: the array itself goes
 * on as long as a quarter of it is used.
 *
 * @param {TypedArray} array that nobody else has
 * @param {number} size at most its length
 * @returns {TypedArray}
 */
function cutArray(array, size) {
  if (size === array.length) return array;
  const isMuch = 4 * size >= array.length;
  const cut = isMuch ? array.subarray(0, size) : array.slice(0, size);
  if (isMuch) wholes.set(cut, array);
  else keep(array);
  return cut;
}

/** @param {Storage} storage the tensors of which cannot be used any more */
function release(storage) {
  const { array, lent, readers } = storage;
  storage.array = storage.block = storage.pending = null;
  storage.lent = false;
  if (array !== null && !lent && readers === 0) keep(wholes.get(array) ?? array);
}

/** @param {TypedArray} array that nobody has any more */
function keep(array) {
  if (array.byteLength < KEPT_FROM || array.byteLength > KEPT_BYTES) return;
  kept.push(array);
  keptBytes += array.byteLength;
  while (kept.length > KEPT_ARRAYS || keptBytes > KEPT_BYTES) {
    keptBytes -= /** @type {TypedArray} */ (kept.shift()).byteLength;
  }
}

module.exports = {
  Block,
  Storage,
  arrayOf,
  blockOf,
  storageOver,
  cutArray,
  isSmall,
  lend,
  lookAt,
  ownArrayOf,
  pendingStorage,
  release,
  setCompute,
  smallStorage,
  takeArray,
};
