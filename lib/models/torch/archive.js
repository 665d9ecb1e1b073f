/**
 * Archives of PyTorch: a zip file whose entries lie in one folder, and the tensors of its storages.
 *
 * Tensors are stored as they are, as PyTorch writes them, so that an archive holds little more than its own bytes. A
 * tensor is read when somebody asks for its elements.
 */
'use strict';

const { describe } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { BytesSource } = require('../../files/bytes-source.js');
const { listEntries, readContent } = require('../../files/zip.js');
const { dtypes } = require('../../tensor/dtypes.js');
const { wrapOwn } = require('../../tensor/tensor.js');
const { Known } = require('../shared/operands.js');
const { storageDtype } = require('./dtypes.js');
const { unpickle } = require('./pickle.js');

/** @typedef {import('./pickle-globals.js').TensorRecord} TensorRecord */
/** @typedef {import('../../tensor/dtypes.js').DType} DType */

const STORED = 0;
/** Code alone is compressed, and is not long. */
const MAX_UNPACKED = 2 ** 22;
/** A tensor that repeats elements of its storage has at most so many. */
const MAX_REPEATED = 2 ** 26;

class Archive {
  /** @type {Map<string, import('../../files/zip.js').Entry>} */
  #entries = new Map();
  /** Tensors by where their elements are. @type {Map<string, Known>} */
  #tensors = new Map();
  #source;

  /**
   * @param {Uint8Array} bytes
   * @param {string} file
   * @param {string} caller
   */
  constructor(bytes, file, caller) {
    this.what = `${caller}: ${file}`;
    this.#source = /** @type {any} */ (new BytesSource(bytes, file, caller));
    const entries = listEntries(this.#source);
    const tops = new Set(entries.map(({ name }) => name.split('/', 1)[0]));
    const folder = tops.size === 1 && entries.every(({ name }) => name.includes('/')) ? `${[...tops][0]}/` : '';
    for (const entry of entries) this.#entries.set(entry.name.slice(folder.length), entry);
  }

  get names() {
    return [...this.#entries.keys()];
  }

  /** @type {(name: string) => boolean} */
  has(name) {
    return this.#entries.has(name);
  }

  /** @type {(name: string) => Uint8Array} */
  read(name) {
    const entry = this.#entries.get(name);
    if (entry === undefined) return fail('ERR_PARSE', `${this.what} has no ${describe(name)}`);
    if (entry.method !== STORED && entry.size > MAX_UNPACKED)
      return fail('ERR_UNSUPPORTED', `${this.what}: ${describe(name)} is compressed and larger than ${MAX_UNPACKED} bytes, PyTorch stores such entries as they are`);
    return readContent(this.#source, entry);
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
    const entry = this.#entries.get(name);
    if (entry === undefined) return fail('ERR_PARSE', `${what}: its bytes are not in the file`);
    if ((count > 0 && (last + 1) * bytes > entry.size) || (count * bytes > entry.size && count > MAX_REPEATED))
      return fail('ERR_PARSE', `${what} of shape [${shape}] needs more than the ${entry.size} bytes that are there`);
    const read = () => elementsOf(this.read(name), { dtype, offset, shape, strides }, count);
    return new Known(dtype, shape, () => wrapOwn(read(), dtype, [...shape]));
  }
}

/** Strides of elements in row-major order. @type {(shape: readonly number[]) => number[]} */
function rowMajor(shape) {
  const strides = shape.map(() => 1);
  for (let axis = shape.length - 2; axis >= 0; axis--) strides[axis] = strides[axis + 1] * shape[axis + 1];
  return strides;
}

/** @type {(bytes: Uint8Array, layout: { dtype: DType, offset: number, shape: number[], strides: number[] }, count: number) => any} */
function elementsOf(bytes, { dtype, offset, shape, strides }, count) {
  const { arrayType, bytes: width } = dtypes[dtype];
  const data = /** @type {any} */ (new arrayType(count));
  const isPlain = rowMajor(shape).every((stride, axis) => stride === strides[axis] || shape[axis] === 1);
  if (isPlain) {
    new Uint8Array(data.buffer).set(bytes.subarray(offset * width, (offset + count) * width));
    return dtype === 'bool' ? data.map(Boolean) : data;
  }
  const all = new arrayType(Math.floor(bytes.length / width));
  new Uint8Array(all.buffer).set(bytes.subarray(0, all.length * width));
  const index = shape.map(() => 0);
  let from = offset;
  for (let i = 0; i < count; i++) {
    data[i] = dtype === 'bool' ? all[from] !== 0 : all[from];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return data;
}

module.exports = { Archive, rowMajor };
