/**
 * Weights of a file: from the bytes of the file to memory of their own, so that they are never held twice.
 *
 * A file is read whole, since parts of its messages lie all over it. Then the elements of its tensors are taken from
 * behind to the front: each goes into memory that the graph and its programs share, and the file gives back what lies
 * behind it. So there is at most one tensor more than the file has.
 */
'use strict';

const { GraphError } = require('../../base/errors.js');
const { Source } = require('../../files/file-io.js');
const { allocateConstant } = require('../../graph/shared-constants.js');

/** @typedef {import('../../tensor/dtypes.js').DType} DType */

/** Giving memory back is a call of the system. */
const STEP = 2 ** 20;

/** @type {(size: number, file: string, caller: string) => ArrayBuffer} */
function resizable(size, file, caller) {
  try {
    return new (/** @type {any} */ (ArrayBuffer))(size, { maxByteLength: size });
  } catch (cause) {
    throw new GraphError(`${caller}: no memory for the ${size} bytes of ${file}`, { code: 'ERR_MEMORY', cause });
  }
}

/** Bytes of a file, in memory that can be given back from its end. @type {(file: string, caller: string) => Uint8Array} */
function readFile(file, caller) {
  const source = new Source(file, caller);
  try {
    const { size } = source;
    const buffer = resizable(size, file, caller);
    const bytes = new Uint8Array(buffer, 0, size);
    source.fill(bytes, 0);
    return bytes;
  } finally {
    source.close();
  }
}

/**
 * Gives parts of a file memory of their own, and that of the file back.
 *
 * @param {readonly import('./protobuf.js').View[]} views all that is part of the file
 * @param {Uint8Array} bytes of the file
 */
function takeWeights(views, bytes) {
  const buffer = /** @type {any} */ (bytes.buffer);
  const startOf = (/** @type {import('./protobuf.js').View} */ { holder, key }) => holder[key].byteOffset;
  for (const { holder, key } of views.toSorted((a, b) => startOf(b) - startOf(a))) {
    const part = /** @type {Uint8Array} */ (holder[key]);
    const start = part.byteOffset;
    const copy = /** @type {Uint8Array} */ (allocateConstant('u8', part.length, 'load'));
    copy.set(part);
    holder[key] = copy;
    if (buffer.resizable && buffer.byteLength - start >= STEP) buffer.resize(start);
  }
}

/**
 * Bytes as elements, without a copy where they lie as elements have to. Any byte but 0 is true.
 *
 * @param {Uint8Array} bytes
 * @param {import('../../tensor/dtypes.js').DTypeInfo} info
 * @returns {any}
 */
function elementsOver(bytes, { arrayType, bytes: width, name }) {
  const count = bytes.length / width;
  if (name === 'bool') return bytes.map((each) => Number(each !== 0));
  if (bytes.byteOffset % width === 0 && !(/** @type {any} */ (bytes.buffer).resizable))
    return new (/** @type {any} */ (arrayType))(bytes.buffer, bytes.byteOffset, count);
  const data = allocateConstant(name, count, 'load');
  new Uint8Array(data.buffer, data.byteOffset, bytes.length).set(bytes);
  return data;
}

module.exports = { elementsOver, readFile, takeWeights };
