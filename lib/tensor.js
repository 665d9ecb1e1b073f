/**
 * Tensor: a typed array seen through a shape and strides.
 *
 * A tensor never moves its data by itself. `data` is the storage that the tensor and all of its views
 * share; element [i, j, …] is `data[offset + i * strides[0] + j * strides[1] + …]`. Views cost a small
 * frozen object each, whatever their size; only `copy`, `toArray` and, where strides cannot express the
 * result, `reshape` and `contiguous` touch every element. The storage stays writable, so writing
 * through one view shows in the others.
 *
 * The constructor is for this library: create.js makes tensors for users, `wrap` makes them here.
 */
'use strict';

const { allocate } = require('./allocate.js');
const { DESCRIBE, expected } = require('./check.js');
const { toElement } = require('./convert.js');
const { dtypes } = require('./dtypes.js');
const { fail } = require('./errors.js');
const { formatTensor } = require('./format.js');
const { sliceView } = require('./slice.js');
const storage = require('./storage.js');
const views = require('./views.js');

/** @typedef {import('./dtypes.js').DType} DType */
/** @typedef {import('./dtypes.js').TypedArray} TypedArray */
/** @typedef {import('./storage.js').Scalar} Scalar */
/** @typedef {import('./slice.js').View} View */

const KEY = Symbol('graphjit.tensor');

/** @typedef {import('./index.d.ts').Tensor} PublicTensor */

/** @implements {PublicTensor} */
class Tensor {
  /**
   * @param {symbol} key
   * @param {TypedArray} data
   * @param {DType} dtype
   * @param {View} view whose arrays are kept and frozen
   */
  constructor(key, data, dtype, view) {
    if (key !== KEY) fail('ERR_ARGUMENT', 'Tensor: use tensor(), zeros() or another function that creates one');
    const { shape, strides, offset } = view;
    this.data = data;
    this.dtype = dtype;
    this.shape = Object.freeze(shape);
    this.strides = Object.freeze(strides);
    this.offset = offset;
    this.rank = shape.length;
    let size = 1;
    for (const dim of shape) size *= dim;
    this.size = size;
    Object.freeze(this);
  }

  /** Whether the elements lie in memory in their order, one after the other. */
  get isContiguous() {
    return views.isContiguous(this.shape, this.strides);
  }

  get T() {
    return this.transpose();
  }

  /**
   * @param {readonly number[]} [axes] where each axis of the result comes from
   * @returns {Tensor}
   */
  transpose(axes) {
    if (axes !== undefined) return viewOf(this, permuted(this, axes, 'transpose'));
    const { shape, strides, offset } = this;
    return viewOf(this, { shape: shape.toReversed(), strides: strides.toReversed(), offset });
  }

  /**
   * @param {readonly number[]} axes
   * @returns {Tensor}
   */
  permute(axes) {
    return viewOf(this, permuted(this, axes, 'permute'));
  }

  /**
   * @param {number | readonly number[]} shape
   * @returns {Tensor}
   */
  reshape(shape) {
    const newShape = views.readShapeFor(this.size)(shape, 'the shape', 'reshape');
    const strides = views.reshapeStrides(this.shape, this.strides, newShape);
    if (strides !== null) return viewOf(this, { shape: newShape, strides, offset: this.offset });
    return wrap(this.copy().data, this.dtype, newShape);
  }

  /**
   * @param {...(number | readonly (number | null | undefined)[] | null | '...')} ranges
   * @returns {Tensor}
   */
  slice(...ranges) {
    return viewOf(this, sliceView(this, ranges));
  }

  /**
   * @param {number} axis
   * @returns {Tensor}
   */
  expandDims(axis) {
    const at = views.readAxis(axis, this.rank + 1, 'expandDims');
    if (this.rank === views.MAX_RANK) {
      fail('ERR_SHAPE', `expandDims: a tensor has at most ${views.MAX_RANK} axes`);
    }
    const { offset } = this;
    return viewOf(this, { shape: inserted(this.shape, at, 1), strides: inserted(this.strides, at, 0), offset });
  }

  /**
   * @param {number | readonly number[]} [axes]
   * @returns {Tensor}
   */
  squeeze(axes) {
    const { shape, strides, offset } = this;
    const gone = axes === undefined ? undefined : views.readAxes(axes, this.rank, 'squeeze');
    const wide = gone?.find((axis) => shape[axis] !== 1);
    if (wide !== undefined) fail('ERR_SHAPE', `squeeze: axis ${wide} has size ${shape[wide]}, not 1`);
    /** @type {(_: number, axis: number) => boolean} */
    const stays = (_, axis) => (gone === undefined ? shape[axis] !== 1 : !gone.includes(axis));
    return viewOf(this, { shape: shape.filter(stays), strides: strides.filter(stays), offset });
  }

  /**
   * @param {number | readonly number[]} [axes]
   * @returns {Tensor}
   */
  flip(axes) {
    const turned = axes === undefined ? undefined : views.readAxes(axes, this.rank, 'flip');
    const ranges = this.shape.map((_, axis) => (turned?.includes(axis) === false ? null : [null, null, -1]));
    return viewOf(this, sliceView(this, ranges));
  }

  /**
   * @param {number | readonly number[]} shape
   * @returns {Tensor}
   */
  broadcastTo(shape) {
    const target = views.readShape(shape, 'the shape', 'broadcastTo');
    const strides = views.broadcastStrides(this.shape, this.strides, target, 'broadcastTo');
    return viewOf(this, { shape: target, strides, offset: this.offset });
  }

  /**
   * @param {...number} indices
   * @returns {Scalar}
   */
  at(...indices) {
    return storage.scalarAt(this, storage.positionOf(this, indices, 'at'), 'at');
  }

  /**
   * @param {readonly number[]} indices
   * @param {Scalar} value
   * @returns {this}
   */
  set(indices, value) {
    if (!Array.isArray(indices)) expected('set', 'an array', 'the indices', indices);
    const at = storage.positionOf(this, indices, 'set');
    const element = toElement(value, dtypes[this.dtype], () => `element [${indices.join(', ')}]`, 'set');
    storage.checkStorage(this, 'set');
    this.data[at] = element;
    return this;
  }

  /** @returns {Scalar} */
  item() {
    if (this.size !== 1) {
      fail('ERR_SHAPE', `item: expected one element, got shape ${views.shapeText(this.shape)}`);
    }
    return storage.scalarAt(this, this.offset, 'item');
  }

  /** @returns {Tensor} */
  contiguous() {
    const { data, dtype, shape, offset, size } = this;
    if (!this.isContiguous) return this.copy();
    storage.checkStorage(this, 'contiguous');
    if (offset === 0 && data.length === size) return this;
    return wrap(storage.sectionOf(this), dtype, shape);
  }

  /** @returns {Tensor} */
  copy() {
    storage.checkStorage(this, 'copy');
    const target = allocate(dtypes[this.dtype], this.size, 'copy');
    storage.copyElements(this, target);
    return wrap(target, this.dtype, this.shape);
  }

  /** @returns {any} */
  toArray() {
    storage.checkStorage(this, 'toArray');
    storage.checkNestable(this.shape, 'toArray');
    const { shape, strides } = this;
    /** @type {(axis: number, at: number) => unknown} */
    const nest = (axis, at) => {
      if (axis === shape.length) return storage.scalarAt(this, at, 'toArray');
      return Array.from({ length: shape[axis] }, (_, i) => nest(axis + 1, at + i * strides[axis]));
    };
    return nest(0, this.offset);
  }

  toString() {
    storage.checkStorage(this, 'toString');
    return formatTensor(this);
  }

  /** @returns {Generator<any, void, undefined>} */
  *[Symbol.iterator]() {
    if (this.rank === 0) fail('ERR_SHAPE', 'a tensor of rank 0 has no axis to iterate over');
    for (let i = 0; i < this.shape[0]; i++) yield this.rank === 1 ? this.at(i) : this.slice(i);
  }

  /** What error messages and `util.inspect` call this tensor, such as `Tensor f64[2, 3]`. */
  [DESCRIBE]() {
    return `Tensor ${this.dtype}${views.shapeText(this.shape)}`;
  }

  /**
   * @param {number} depth
   * @param {import('node:util').InspectOptionsStylized} options
   * @returns {string}
   */
  [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
    const head = options.stylize(this[DESCRIBE](), 'special');
    if (depth < 0) return `[${head}]`;
    // Looking at a tensor in a debugger should say what is wrong with it, not throw.
    if (!storage.hasStorage(this)) return `${head} (its array is detached or was shortened)`;
    const body = formatTensor(this);
    return body.includes('\n') ? `${head}\n${body}` : `${head} ${body}`;
  }
}

/**
 * A tensor over elements that lie one after the other from the start of `data`. This is the cheap way
 * to make one: nothing is checked, `shape` is frozen and shared.
 *
 * @param {TypedArray} data of the dtype's class, at least as long as the shape has elements
 * @param {DType} dtype
 * @param {readonly number[]} shape
 * @returns {Tensor}
 */
function wrap(data, dtype, shape) {
  return new Tensor(KEY, data, dtype, { shape, strides: views.contiguousStrides(shape), offset: 0 });
}

/** @type {(tensor: Tensor, view: View) => Tensor} */
function viewOf(tensor, view) {
  return new Tensor(KEY, tensor.data, tensor.dtype, view);
}

/** @type {(tensor: Tensor, axes: unknown, caller: string) => View} */
function permuted({ rank, shape, strides, offset }, axes, caller) {
  const from = views.readAxes(axes, rank, caller);
  if (!Array.isArray(axes) || from.length !== rank) {
    return expected(caller, `an array of all ${rank} axes`, 'axes', axes, 'ERR_SHAPE');
  }
  return { shape: from.map((axis) => shape[axis]), strides: from.map((axis) => strides[axis]), offset };
}

/** @type {(list: readonly number[], at: number, value: number) => number[]} */
const inserted = (list, at, value) => list.toSpliced(at, 0, value);

module.exports = { Tensor, wrap };
