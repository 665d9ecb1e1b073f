/**
 * Elementwise operations on few elements, where a call costs more than what it computes.
 *
 * Arithmetic on floats is a loop in JavaScript over the places where the elements lie: its results have the
 * bits of the kernel's, as both round each operation to nearest. Everything else is a call of a kernel that
 * was bound, once, to arrays of its own: operands are copied into them and the result out of them, which
 * spares a call the look at its arrays.
 */
'use strict';

const { native } = require('../base/binding.js');
const { invoke } = require('../graph/call-program.js');
const { smallStorage } = require('../tensor/storage.js');
const { compile, kernelFor } = require('./kernels.js');

/** @typedef {import('../tensor/storage.js').Block} Block */
/** @typedef {import('../tensor/storage.js').Storage} Storage */
/** @typedef {import('../tensor/dtypes.js').DTypeInfo} DTypeInfo */
/** @typedef {import('./operation.js').Entry} Entry */
/** @typedef {Float64Array | Float32Array} Floats */

/** z[k] = x[i] · y[j] for n elements; a step of 0 is for an operand of one element.
 * @typedef {(x: Floats, i: number, s: number, y: Floats, j: number, t: number, z: Floats, k: number, n: number) => void} Loop
 */

/** @type {Record<string, Loop>} */
const loops = {
  add(x, i, s, y, j, t, z, k, n) {
    for (const end = k + n; k < end; k++, i += s, j += t) z[k] = x[i] + y[j];
  },
  sub(x, i, s, y, j, t, z, k, n) {
    for (const end = k + n; k < end; k++, i += s, j += t) z[k] = x[i] - y[j];
  },
  mul(x, i, s, y, j, t, z, k, n) {
    for (const end = k + n; k < end; k++, i += s, j += t) z[k] = x[i] * y[j];
  },
  div(x, i, s, y, j, t, z, k, n) {
    for (const end = k + n; k < end; k++, i += s, j += t) z[k] = x[i] / y[j];
  },
  min(x, i, s, y, j, t, z, k, n) {
    for (const end = k + n; k < end; k++, i += s, j += t) z[k] = Math.min(x[i], y[j]);
  },
  max(x, i, s, y, j, t, z, k, n) {
    for (const end = k + n; k < end; k++, i += s, j += t) z[k] = Math.max(x[i], y[j]);
  },
};

/**
 * One operand of a loop, where it lies.
 *
 * @type {(block: Block, info: DTypeInfo) => Floats | null}
 */
const floatsOf = (block, info) => (info.name === 'f64' ? block.f64 : info.name === 'f32' ? block.f32 : null);

/**
 * False for an array that lost its elements, too.
 *
 * @type {(array: Floats | null, from: number, n: number) => array is Floats}
 */
const hasFloats = (array, from, n) => array !== null && from + n <= array.length;

/**
 * @param {Loop} loop
 * @param {Storage} x with n elements
 * @param {Storage} y with n elements, or one
 * @param {number} n
 * @returns {Storage | null} null where it has to be done the long way
 */
function runLoop(loop, x, y, n) {
  const { info } = x;
  const a = floatsOf(/** @type {Block} */ (x.block), info);
  const b = floatsOf(/** @type {Block} */ (y.block), info);
  const unit = info.name === 'f64' ? 1 : 2;
  const [i, j] = [x.at * unit, y.at * unit];
  if (!hasFloats(a, i, x.size) || !hasFloats(b, j, y.size)) return null;
  const storage = smallStorage(info, n);
  const z = /** @type {Floats} */ (floatsOf(/** @type {Block} */ (storage.block), info));
  loop(a, i, x.size === 1 ? 0 : 1, b, j, y.size === 1 ? 0 : 1, z, storage.at * unit, n);
  return storage;
}

// ---------------------------------------------------------------------------------------- bound

/** So many kernels of one operation are bound at a time. */
const MOST_BOUND = 64;

/** @type {(info: DTypeInfo, size: number) => Int32Array} an array of the dtype, as words, whole ones */
const wordsFor = (info, size) => new Int32Array(2 * Math.ceil((size * info.bytes) / 8));

/** @type {(words: Int32Array, info: DTypeInfo, size: number) => import('../tensor/dtypes.js').TypedArray} */
function arrayOver({ buffer }, { arrayType }, size) {
  const ArrayOver = /** @type {any} */ (arrayType);
  return new ArrayOver(buffer, 0, size);
}

/** A kernel that is bound to arrays of its own. */
class Bound {
  /**
   * @param {Entry} entry
   * @param {readonly Storage[]} storages
   * @param {number} n
   */
  constructor(entry, storages, n) {
    const key = storages.map(({ info, size }) => `${info.name}${size === n ? '*' : '.'}`).join('');
    const kernel = kernelFor(`small ${entry.id} ${key}`, () =>
      compile(entry.operation.name, (graph) => {
        const inputs = storages.map(({ info, size }, i) => graph.input(`x${i}`, info.name, size === n ? ['n'] : []));
        graph.output('y0', entry.build(inputs));
      }),
    );
    kernel.fit(n, () => storages.map(({ size }) => (size === n ? [n] : [])));
    this.inputs = storages.map(({ info, size }) => wordsFor(info, size));
    this.output = wordsFor(entry.info, n);
    const arrays = [
      ...storages.map(({ info, size }, i) => arrayOver(this.inputs[i], info, size)),
      arrayOver(this.output, entry.info, n),
    ];
    kernel.isBound = true;
    /** Holds the code, also when the kernel is no longer kept. */
    this.bound = native.programBind(kernel.handle, arrays, true);
    this.arrays = arrays;
  }
}

/** @type {(from: Int32Array, at: number, to: Int32Array, start: number, count: number) => void} */
function copyWords(from, at, to, start, count) {
  for (let i = 0; i < count; i++) to[start + i] = from[at + i];
}

/**
 * @param {Entry} entry
 * @param {readonly Storage[]} storages each with a block, and n elements or one
 * @param {number} n
 * @returns {Storage | null} null where it has to be done the long way
 */
function runBound(entry, storages, n) {
  let key = n;
  for (let i = 0; i < storages.length; i++) key = 2 * key + (storages[i].size === n ? 1 : 0);
  /** @type {Bound | undefined} */
  let bound = entry.small.get(key);
  if (bound === undefined) {
    if (entry.small.size >= MOST_BOUND) entry.small.clear();
    bound = new Bound(entry, storages, n);
    entry.small.set(key, bound);
  }
  const { inputs, output } = bound;
  for (let i = 0; i < storages.length; i++) {
    const { block, at, info, size } = storages[i];
    const { words } = /** @type {Block} */ (block);
    const count = (size * info.bytes + 3) >> 2;
    if (words === null || 2 * at + count > words.length) return null;
    copyWords(words, 2 * at, inputs[i], 0, count);
  }
  invoke(bound.bound);
  const storage = smallStorage(entry.info, n);
  copyWords(
    output,
    0,
    /** @type {Int32Array} */ (/** @type {Block} */ (storage.block).words),
    2 * storage.at,
    output.length,
  );
  return storage;
}

module.exports = { loops, runBound, runLoop };
