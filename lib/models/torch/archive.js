/**
 * Archives of PyTorch: a zip file whose entries lie in one folder, and the tensors of its storages.
 *
 * PyTorch stores tensors as they are, so an archive holds little more than its own bytes. All of it is read at once,
 * since the file may be gone when a graph is built: each storage straight into the memory that graphs and programs
 * share, so that weights are held once. A tensor that is not all of its storage is a copy, made when somebody asks.
 */
'use strict';

const { describe } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { listEntries, readContent } = require('../../files/zip.js');
const { allocateConstant } = require('../../graph/shared-constants.js');
const { dtypes } = require('../../tensor/dtypes.js');
const { wrapOwn } = require('../../tensor/tensor.js');
const { Known } = require('../shared/operands.js');
const { storageDtype } = require('./dtypes.js');
const { unpickle } = require('./pickle.js');

/** @typedef {import('./pickle-globals.js').TensorRecord} TensorRecord */
/** @typedef {import('../../tensor/dtypes.js').DType} DType */

const STORED = 0;
/** Code alone is compressed, and all of it is not long. */
const MAX_UNPACKED = 2 ** 24;
/** Where code came from: the larger part of many files, and nobody asks. */
const DEBUG = /\.debug_pkl$/;
/** A tensor that repeats elements of its storage has at most so many. */
const MAX_REPEATED = 2 ** 26;

class Archive {
  /** @type {Map<string, Uint8Array>} */
  #contents = new Map();
  /** Tensors by where their elements are. @type {Map<string, Known>} */
  #tensors = new Map();

  /**
   * @param {any} source a Source or a BytesSource, for as long as this takes
   * @param {string} file
   * @param {string} caller
   */
  constructor(source, file, caller) {
    this.what = `${caller}: ${file}`;
    const entries = listEntries(source).filter(({ name }) => !DEBUG.test(name));
    const unpacked = entries.reduce((total, { method, size }) => total + (method === STORED ? 0 : size), 0);
    if (unpacked > MAX_UNPACKED)
      fail('ERR_UNSUPPORTED', `${this.what}: its compressed entries have ${unpacked} bytes, more than ${MAX_UNPACKED}; PyTorch stores tensors as they are`);
    const tops = new Set(entries.map(({ name }) => name.split('/', 1)[0]));
    const folder = tops.size === 1 && entries.every(({ name }) => name.includes('/')) ? `${[...tops][0]}/` : '';
    const allocate = (/** @type {number} */ size) => /** @type {Uint8Array} */ (allocateConstant('u8', size, caller));
    for (const entry of entries)
      this.#contents.set(entry.name.slice(folder.length), readContent(source, entry, allocate));
  }

  get names() {
    return [...this.#contents.keys()];
  }

  /** @type {(name: string) => boolean} */
  has(name) {
    return this.#contents.has(name);
  }

  /** @type {(name: string) => Uint8Array} */
  read(name) {
    return this.#contents.get(name) ?? fail('ERR_PARSE', `${this.what} has no ${describe(name)}`);
  }

  /** What nobody reads again. @type {(name: string) => Uint8Array} */
  take(name) {
    const content = this.read(name);
    this.#contents.delete(name);
    return content;
  }

  /** @type {(name: string) => string} */
  text(name) {
    return Buffer.from(this.read(name)).toString('utf8');
  }

  /** @type {(name: string) => any} */
  pickle(name) {
    return unpickle(this.read(name), `${this.what}: ${name}`);
  }

  /**
   * @param {TensorRecord} record
   * @param {string} folder of its storage, such as 'data'
   * @returns {Known}
   */
  tensor({ storage, dtype: named, offset, shape, strides }, folder) {
    const what = `${this.what}: tensor ${folder}/${storage.key}`;
    const key = `${folder}/${storage.key}:${named ?? storage.storage}:${offset}:${shape}:${strides}`;
    const known = this.#tensors.get(key);
    if (known !== undefined) return known;
    const dtype = storageDtype(named ?? storage.storage, what);
    const name = `${folder}/${storage.key}`;
    const made = this.strided(name, { dtype, offset, shape, strides }, what);
    this.#tensors.set(key, made);
    return made;
  }

  /**
   * A tensor in the bytes of an entry.
   *
   * @param {string} name
   * @param {{ dtype: DType, offset: number, shape: number[], strides: number[] }} layout in elements
   * @param {string} what
   * @returns {Known}
   */
  strided(name, { dtype, offset, shape, strides }, what) {
    const count = shape.reduce((total, size) => total * size, 1);
    const last = count === 0 ? 0 : shape.reduce((at, size, axis) => at + (size - 1) * strides[axis], offset);
    const { bytes } = dtypes[dtype];
    const content = this.#contents.get(name);
    if (content === undefined) return fail('ERR_PARSE', `${what}: its bytes are not in the file`);
    if ((count > 0 && (last + 1) * bytes > content.length) || (count * bytes > content.length && count > MAX_REPEATED))
      return fail('ERR_PARSE', `${what} of shape [${shape}] needs more than the ${content.length} bytes that are there`);
    const read = () => elementsOf(content, { dtype, offset, shape, strides }, count);
    return new Known(dtype, shape, () => wrapOwn(read(), dtype, [...shape]));
  }
}

/** What was inflated begins anywhere in its buffer. @type {(content: Uint8Array, width: number) => boolean} */
const isAligned = (content, width) => content.byteOffset % width === 0;

/** Strides of elements in row-major order. @type {(shape: readonly number[]) => number[]} */
function rowMajor(shape) {
  const strides = shape.map(() => 1);
  for (let axis = shape.length - 2; axis >= 0; axis--) strides[axis] = strides[axis + 1] * shape[axis + 1];
  return strides;
}

/**
 * Elements in row-major order: the content itself where it is just that.
 *
 * @type {(content: Uint8Array, layout: { dtype: DType, offset: number, shape: number[], strides: number[] }, count: number) => any}
 */
function elementsOf(content, { dtype, offset, shape, strides }, count) {
  const { arrayType, bytes: width } = dtypes[dtype];
  const ArrayType = /** @type {any} */ (arrayType);
  const { buffer, byteOffset } = isAligned(content, width) ? content : content.slice();
  const all = new ArrayType(buffer, byteOffset, Math.floor(content.length / width));
  const isPlain = rowMajor(shape).every((stride, axis) => stride === strides[axis] || shape[axis] === 1);
  if (isPlain && count === all.length && offset === 0 && dtype !== 'bool') return all;
  const data = /** @type {any} */ (allocateConstant(dtype, count, 'load'));
  if (isPlain) {
    data.set(all.subarray(offset, offset + count));
    return dtype === 'bool' ? data.map(Boolean) : data;
  }
  const index = shape.map(() => 0);
  let from = offset;
  for (let i = 0; i < count; i++) {
    data[i] = dtype === 'bool' ? Number(all[from] !== 0) : all[from];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return data;
}

module.exports = { Archive };
