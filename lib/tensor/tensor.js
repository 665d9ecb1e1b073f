/**
 * Tensor: a typed array seen through a shape and strides.
 *
 * `data` is the storage that the tensor and all of its views share; element [i, j, …] is
 * `data[offset + i * strides[0] + j * strides[1] + …]`. Views cost a small object each, whatever their
 * size; only `copy`, `toArray` and, where strides cannot express the result, `reshape` and `contiguous`
 * touch every element. The storage stays writable, so writing through one view shows in the others.
 *
 * Where elements are until somebody asks for `data` is the business of the storage (storage.js) that a tensor
 * and its views have in common: they may not even be computed yet. All properties are getters, so that
 * making a tensor means making two objects and no typed array.
 *
 * The constructor is for this library: create.js makes tensors for users, `wrap` makes them here.
 */
'use strict';

const { DESCRIBE, expected } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { toElement } = require('./convert.js');
const { dtypes } = require('./dtypes.js');
const { History, begin, recording } = require('./recording.js');
const { sliceView } = require('./slice.js');
const { Storage, arrayOf, storageOver, lend, lookAt, ownArrayOf, release, takeArray } = require('./storage.js');
const strided = require('./strided.js');
const views = require('./views.js');

/** @typedef {import('./dtypes.js').DType} DType */
/** @typedef {import('./dtypes.js').TypedArray} TypedArray */
/** @typedef {import('./strided.js').Scalar} Scalar */
/** @typedef {import('./slice.js').View} View */

const KEY = Symbol('graphjit.tensor');

/**
 * How a tensor sees its storage. Results share the layout of their operands, so nothing here ever changes.
 */
class Layout {
  /**
   * @param {View} view whose arrays are kept and frozen
   * @param {boolean} [isView] whether the storage belongs to another tensor
   */
  constructor({ shape, strides, offset }, isView = false) {
    this.shape = Object.freeze(shape);
    this.strides = Object.freeze(strides);
    this.offset = offset;
    let size = 1;
    for (const dim of shape) size *= dim;
    this.size = size;
    this.isContiguous = views.isContiguous(shape, strides);
    /** Whether the elements lie in order from the start of the storage. */
    this.isPlain = this.isContiguous && offset === 0;
    this.isView = isView;
  }
}

/** @type {(tensor: Tensor) => Storage} */
let storageOf;
/** @type {(tensor: Tensor) => import('./dtypes.js').DTypeInfo} */
let infoOf;
/** @type {(tensor: Tensor) => Layout} */
let layoutOf;
/** @type {(tensor: Tensor) => History | null} */
let historyOf;
/** @type {(tensor: Tensor, history: History) => void} */
let setHistory;

class Tensor {
  #storage;
  #info;
  #layout;
  /** Of tensors that require a gradient, or have required one. @type {History | null} */
  #history = null;

  static {
    historyOf = (tensor) => tensor.#history;
    setHistory = (tensor, history) => {
      tensor.#history = history;
    };
    storageOf = (tensor) => tensor.#storage;
    infoOf = (tensor) => tensor.#info;
    layoutOf = (tensor) => tensor.#layout;
  }

  /**
   * @param {symbol} key
   * @param {Storage} storage
   * @param {import('./dtypes.js').DTypeInfo} info
   * @param {Layout} layout
   */
  constructor(key, storage, info, layout) {
    if (key !== KEY) fail('ERR_ARGUMENT', 'Tensor: use tensor(), zeros() or another function that creates one');
    this.#storage = storage;
    this.#info = info;
    this.#layout = layout;
  }

  get data() {
    return lend(this.#storage, 'data');
  }

  get dtype() {
    return this.#info.name;
  }

  get shape() {
    return this.#layout.shape;
  }

  get strides() {
    return this.#layout.strides;
  }

  get offset() {
    return this.#layout.offset;
  }

  get size() {
    return this.#layout.size;
  }

  get rank() {
    return this.#layout.shape.length;
  }

  /** Whether the elements lie in memory in their order, one after the other. */
  get isContiguous() {
    return this.#layout.isContiguous;
  }

  get T() {
    return this.transpose();
  }

  get mT() {
    const { rank } = this;
    if (rank < 2) fail('ERR_SHAPE', `mT: expected at least two axes, got rank ${rank}`);
    return this.transpose([...Array.from({ length: rank - 2 }, (_, axis) => axis), rank - 1, rank - 2]);
  }

  get requiresGrad() {
    return this.#history !== null && this.#history.requiresGrad;
  }

  set requiresGrad(value) {
    if (typeof value !== 'boolean') expected('requiresGrad', 'a boolean', 'the value', value);
    if (!this.isLeaf) {
      if (value) return;
      fail('ERR_STATE', 'requiresGrad: the tensor is the result of recorded operations: use detach() for one that is not');
    }
    if (this.#history !== null) this.#history.requiresGrad = value;
    else if (value) {
      checkFloat(this, 'requiresGrad');
      this.#history = new History(null, 0);
    }
    if (value) begin();
  }

  /** Whether no recorded operation made it. */
  get isLeaf() {
    return this.#history === null || this.#history.step === null;
  }

  /** @type {Tensor | null} */
  get grad() {
    return this.#history === null ? null : this.#history.grad;
  }

  set grad(value) {
    if (value !== null) {
      if (!(value instanceof Tensor)) expected('grad', 'a Tensor or null', 'the gradient', value);
      if (!this.requiresGrad) fail('ERR_STATE', 'grad: the tensor requires no gradient: set requiresGrad first');
      checkGradient(this, value, 'grad');
    }
    if (this.#history !== null) this.#history.grad = value;
  }

  /** @returns {this} */
  retainGrad() {
    if (!this.requiresGrad) fail('ERR_STATE', 'retainGrad: the tensor requires no gradient');
    /** @type {History} */ (this.#history).retainsGrad = true;
    return this;
  }

  /** @returns {Tensor} over the same elements */
  detach() {
    const { isView } = this.#layout;
    return new Tensor(KEY, this.#storage, this.#info, isView ? this.#layout : new Layout(this.#layout, true));
  }

  /**
   * @param {unknown} [gradient]
   * @param {unknown} [options]
   */
  backward(gradient, options) {
    if (!this.requiresGrad) {
      fail('ERR_STATE', 'backward: no operation was recorded: none of its operands requires a gradient, or noGrad was at work');
    }
    recording.hooks.backward(this, gradient, options);
  }

  /**
   * @param {readonly number[]} [axes] where each axis of the result comes from
   * @returns {Tensor}
   */
  transpose(axes) {
    if (axes !== undefined) return viewOf(this, permuted(this, axes, 'transpose'), 'permute', [axes]);
    const { shape, strides, offset } = this;
    return viewOf(this, { shape: shape.toReversed(), strides: strides.toReversed(), offset }, 'transpose', []);
  }

  /**
   * @param {readonly number[]} axes
   * @returns {Tensor}
   */
  permute(axes) {
    return viewOf(this, permuted(this, axes, 'permute'), 'permute', [axes]);
  }

  /**
   * @param {number | readonly number[]} shape
   * @returns {Tensor}
   */
  reshape(shape) {
    const newShape = views.readShapeFor(this.size)(shape, 'the shape', 'reshape');
    const strides = views.reshapeStrides(this.shape, this.strides, newShape);
    if (strides !== null) return reshapedTo(this, { shape: newShape, strides, offset: this.offset });
    return reshaped(this.copy(), newShape);
  }

  /**
   * @param {...(number | readonly (number | null | undefined)[] | null | '...')} ranges
   * @returns {Tensor}
   */
  slice(...ranges) {
    return viewOf(this, sliceView(this, ranges), 'slice', ranges);
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
    return reshapedTo(this, { shape: inserted(this.shape, at, 1), strides: inserted(this.strides, at, 0), offset });
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
    return reshapedTo(this, { shape: shape.filter(stays), strides: strides.filter(stays), offset });
  }

  /**
   * @param {number | readonly number[]} [axes]
   * @returns {Tensor}
   */
  flip(axes) {
    const turned = axes === undefined ? undefined : views.readAxes(axes, this.rank, 'flip');
    const ranges = this.shape.map((_, axis) => (turned?.includes(axis) === false ? null : [null, null, -1]));
    return viewOf(this, sliceView(this, ranges), 'slice', ranges);
  }

  /**
   * @param {number | readonly number[]} shape
   * @returns {Tensor}
   */
  broadcastTo(shape) {
    const target = views.readShape(shape, 'the shape', 'broadcastTo');
    const strides = views.broadcastStrides(this.shape, this.strides, target, 'broadcastTo');
    return viewOf(this, { shape: target, strides, offset: this.offset }, 'broadcastTo', [target]);
  }

  /**
   * @param {...number} indices
   * @returns {Scalar}
   */
  at(...indices) {
    const elements = lookInto(this, 'at');
    return strided.scalarAt(elements, strided.positionOf(elements, indices, 'at'), 'at');
  }

  /**
   * @param {readonly number[]} indices
   * @param {Scalar} value
   * @returns {this}
   */
  set(indices, value) {
    if (!Array.isArray(indices)) expected('set', 'an array', 'the indices', indices);
    if (recording.isOn && this.requiresGrad) {
      fail('ERR_STATE', 'set: the tensor requires a gradient: write inside of noGrad(() => …), or to its detach()');
    }
    const at = strided.positionOf(this, indices, 'set');
    const element = toElement(value, dtypes[this.dtype], () => `element [${indices.join(', ')}]`, 'set');
    strided.checkAttached(elementsOf(this, 'set'), 'set');
    ownArrayOf(this.#storage, 'set')[at] = element;
    this.#storage.writes++;
    return this;
  }

  /** @returns {Scalar} */
  item() {
    if (this.size !== 1) {
      fail('ERR_SHAPE', `item: expected one element, got shape ${views.shapeText(this.shape)}`);
    }
    return strided.scalarAt(lookInto(this, 'item'), this.offset, 'item');
  }

  /** @returns {Tensor} */
  contiguous() {
    if (!this.isContiguous) return this.copy();
    if (isWhole(this)) {
      if (this.#storage.array !== null) strided.checkAttached(elementsOf(this, 'contiguous'), 'contiguous');
      return this;
    }
    if (recording.isOn && this.requiresGrad) return this.copy();
    const elements = elementsOf(this, 'contiguous');
    strided.checkAttached(elements, 'contiguous');
    lend(this.#storage, 'contiguous'); // the section is over the same memory
    return wrap(strided.sectionOf(elements), this.dtype, this.shape);
  }

  /** @returns {Tensor} */
  copy() {
    const elements = lookInto(this, 'copy');
    strided.checkAttached(elements, 'copy');
    const target = takeArray(this.#info, this.size, 'copy');
    strided.copyElements(elements, target);
    return recorded(this, wrapOwn(target, this.dtype, this.shape), 'reshape', [this.shape]);
  }

  /** @returns {any} */
  toArray() {
    const elements = lookInto(this, 'toArray');
    strided.checkAttached(elements, 'toArray');
    strided.checkNestable(this.shape, 'toArray');
    return strided.nest(elements, 0, this.offset, 'toArray');
  }

  toString() {
    const elements = lookInto(this, 'toString');
    strided.checkAttached(elements, 'toString');
    return require('./format.js').formatTensor(elements);
  }

  /** @returns {Generator<any, void, undefined>} */
  *[Symbol.iterator]() {
    if (this.rank === 0) fail('ERR_SHAPE', 'a tensor of rank 0 has no axis to iterate over');
    for (let i = 0; i < this.shape[0]; i++) yield this.rank === 1 ? this.at(i) : this.slice(i);
  }

  /**
   * Gives the memory back now. Of a tensor that is a view of another only the view ends.
   */
  dispose() {
    if (!this.#layout.isView) release(this.#storage);
    this.#storage = emptyStorage(this.#info);
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
    if (isDisposed(this)) return `${head} (disposed)`;
    const elements = lookInto(this, 'inspect');
    if (!strided.hasElements(elements)) return `${head} (its array is detached or was shortened)`;
    const body = require('./format.js').formatTensor(elements);
    return body.includes('\n') ? `${head}\n${body}` : `${head} ${body}`;
  }
}

if (Symbol.dispose !== undefined) {
  const { dispose } = Tensor.prototype;
  Object.defineProperty(Tensor.prototype, Symbol.dispose, { value: dispose, writable: true, configurable: true });
}

/** @type {(tensor: Tensor, caller: string) => void} */
function checkFloat(tensor, caller) {
  if (infoOf(tensor).kind !== 'float') {
    fail('ERR_DTYPE', `${caller}: ${tensor[DESCRIBE]()} has no gradient, only floats do: convert it, such as with astype('f64')`);
  }
}

/** @type {(tensor: Tensor, gradient: Tensor, caller: string) => void} refuses a gradient of another type */
function checkGradient(tensor, gradient, caller) {
  const isAlike = tensor.dtype === gradient.dtype && String(tensor.shape) === String(gradient.shape);
  if (!isAlike || tensor.rank !== gradient.rank) {
    fail('ERR_SHAPE', `${caller}: the gradient is ${gradient[DESCRIBE]()}, but must be as ${tensor[DESCRIBE]()}`);
  }
}

/** What disposed tensors have for a storage. @type {(info: import('./dtypes.js').DTypeInfo) => Storage} */
const emptyStorage = (info) => new Storage(info, 0, null, null, 0, false);

/** @type {(tensor: Tensor) => boolean} */
function isDisposed(tensor) {
  const { array, block, pending } = storageOf(tensor);
  return array === null && block === null && pending === null;
}

/** What the functions of strided.js take: elements, for reading, and how to go through them. */
class Elements {
  /**
   * @param {Tensor} tensor
   * @param {TypedArray} data
   */
  constructor(tensor, data) {
    const { shape, strides, offset, size } = layoutOf(tensor);
    this.data = data;
    this.dtype = infoOf(tensor).name;
    this.shape = shape;
    this.strides = strides;
    this.offset = offset;
    this.size = size;
    this.tensor = tensor;
  }

  [DESCRIBE]() {
    return this.tensor[DESCRIBE]();
  }
}

/** @type {(tensor: Tensor, caller: string) => Elements} with the array of the storage */
const elementsOf = (tensor, caller) => new Elements(tensor, arrayOf(storageOf(tensor), caller));

/** @type {(tensor: Tensor, caller: string) => Elements} to be read at once and forgotten */
const lookInto = (tensor, caller) => new Elements(tensor, lookAt(storageOf(tensor), caller));

/** @type {(shape: readonly number[]) => Layout} of elements that lie one after the other */
const layoutFor = (shape) => new Layout({ shape, strides: views.contiguousStrides(shape), offset: 0 });

/** @type {(storage: Storage, layout: Layout) => Tensor} */
const tensorOver = (storage, layout) => new Tensor(KEY, storage, storage.info, layout);

/** Whether a tensor has all elements of its storage, in their order. @type {(tensor: Tensor) => boolean} */
function isWhole(tensor) {
  const { isContiguous, offset, size } = layoutOf(tensor);
  const storage = storageOf(tensor);
  return isContiguous && offset === 0 && size === (storage.array === null ? storage.size : storage.array.length);
}

/**
 * A tensor over elements that lie one after the other from the start of `data`, an array that others may have. This
 * is the cheap way to make one: nothing is checked, `shape` is frozen and shared.
 *
 * @param {TypedArray} data of the dtype's class, at least as long as the shape has elements
 * @param {DType} dtype
 * @param {readonly number[]} shape
 * @returns {Tensor}
 */
function wrap(data, dtype, shape) {
  return tensorOver(storageOver(data, dtypes[dtype], true), layoutFor(shape));
}

/** The same over an array that nobody else has. @type {typeof wrap} */
function wrapOwn(data, dtype, shape) {
  return tensorOver(storageOver(data, dtypes[dtype], false), layoutFor(shape));
}

/**
 * The elements in their order as an array of just that length, for reading, which nobody may keep.
 *
 * @param {Tensor} tensor
 * @param {string} caller
 * @returns {TypedArray}
 */
function readableOf(tensor, caller) {
  const elements = elementsOf(tensor, caller);
  strided.checkAttached(elements, caller);
  if (isWhole(tensor)) return elements.data;
  if (tensor.isContiguous) return strided.sectionOf(elements);
  const target = takeArray(infoOf(tensor), tensor.size, caller);
  strided.copyElements(elements, target);
  return target;
}

/** @type {(x: Tensor, made: Tensor, name: string, args: readonly unknown[]) => Tensor} what was made of x, by that name */
const recorded = (x, made, name, args) =>
  recording.isOn && x.requiresGrad ? recording.hooks.recordView(name, args, x, made) : made;

/** @type {(tensor: Tensor, view: View, name: string, args: readonly unknown[]) => Tensor} by the operation of values of that name */
function viewOf(tensor, view, name, args) {
  const made = new Tensor(KEY, storageOf(tensor), infoOf(tensor), new Layout(view, true));
  return recorded(tensor, made, name, args);
}

/** @type {(tensor: Tensor, view: View) => Tensor} */
const reshapedTo = (tensor, view) => viewOf(tensor, view, 'reshape', [view.shape]);

/** @type {(tensor: Tensor, shape: readonly number[]) => Tensor} of a contiguous tensor */
function reshaped(tensor, shape) {
  return reshapedTo(tensor, { shape, strides: views.contiguousStrides(shape), offset: layoutOf(tensor).offset });
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

module.exports = {
  Layout, Tensor, checkGradient, historyOf, infoOf, isDisposed, isWhole, layoutFor, layoutOf, readableOf, reshaped,
  setHistory, storageOf, tensorOver, wrap, wrapOwn,
};
