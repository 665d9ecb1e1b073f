/**
 * Weights of a file: from the bytes of the file to memory of their own, so that they are never held twice.
 *
 * A file is read whole, since parts of its messages lie all over it. Then the elements of its tensors are taken from
 * behind to the front: each goes into memory that the graph and its programs share, and the file gives back what lies
 * behind it. So there is at most one tensor more than the file has.
 */
'use strict';

const { Source } = require('../../files/file-io.js');
const { allocateConstant } = require('../../graph/shared-constants.js');

/** @typedef {import('../../tensor/dtypes.js').DType} DType */

/** Giving memory back is a call of the system. */
const STEP = 2 ** 20;

/** Bytes of a file, in memory that can be given back from its end. @type {(file: string, caller: string) => Uint8Array} */
function readFile(file, caller) {
  const source = new Source(file, caller);
  try {
    const { size } = source;
    const buffer = new (/** @type {any} */ (ArrayBuffer))(size, { maxByteLength: size });
    const bytes = new Uint8Array(buffer, 0, size);
    source.fill(bytes, 0);
    return bytes;
  } finally {
    source.close();
  }
}

/**
 * Gives messages with bytes their own, and the memory of the file back.
 *
 * @param {readonly { raw?: Uint8Array }[]} tensors all messages whose bytes are views of the file
 * @param {Uint8Array} bytes of the file
 */
function takeWeights(tensors, bytes) {
  const buffer = /** @type {any} */ (bytes.buffer);
  const own = tensors.filter(({ raw }) => raw !== undefined && raw.buffer === buffer);
  const at = (/** @type {{ raw?: Uint8Array }} */ each) => /** @type {Uint8Array} */ (each.raw).byteOffset;
  for (const each of own.sort((a, b) => at(b) - at(a))) {
    const start = at(each);
    const raw = /** @type {Uint8Array} */ (each.raw);
    const copy = allocateConstant('u8', raw.length, 'load');
    /** @type {Uint8Array} */ (copy).set(raw);
    each.raw = /** @type {Uint8Array} */ (copy);
    if (buffer.resizable && buffer.byteLength - start >= STEP) buffer.resize(start);
  }
}

/**
 * Bytes as elements, without a copy where they lie as elements have to.
 *
 * @param {Uint8Array} bytes
 * @param {import('../../tensor/dtypes.js').DTypeInfo} info
 * @returns {any}
 */
function elementsOver(bytes, { arrayType, bytes: width, name }) {
  const count = bytes.length / width;
  if (bytes.byteOffset % width === 0 && !(/** @type {any} */ (bytes.buffer).resizable))
    return new (/** @type {any} */ (arrayType))(bytes.buffer, bytes.byteOffset, count);
  const data = allocateConstant(name, count, 'load');
  new Uint8Array(data.buffer, data.byteOffset, bytes.length).set(bytes);
  return data;
}

module.exports = { elementsOver, readFile, takeWeights };
