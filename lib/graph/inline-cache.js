/**
 * What makes frequent calls cheap: seeing at a glance that a call is like the one before.
 *
 * Nothing here protects memory by belief. What C cannot see is what happens to an array between two
 * calls that use the same pointers: its buffer may be transferred or shrink. Asking an array for its
 * length takes 3 ns, as the language's getter does not know which of eleven classes it will meet; and
 * `array.length` may be a property that somebody put there. Elements cannot be redefined, so a Uint8Array
 * over the same buffer is asked for the last byte of the array, which is gone with the buffer. That is
 * half a nanosecond, always the same class.
 */
'use strict';

const { Storage, takeArray } = require('../tensor/storage.js');
const { Tensor, storageOf, infoOf, layoutFor, layoutOf, tensorOver } = require('../tensor/tensor.js');
const { sizeOf } = require('../tensor/views.js');

/** @typedef {import('./ports.js').Port} Port */
/** @typedef {import('../tensor/dtypes.js').TypedArray} TypedArray */

/**
 * @param {object} prototype
 * @param {string | symbol} name
 * @returns {(object: unknown) => any} the getter that the language defines there
 */
function intrinsic(prototype, name) {
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  return get ? Function.prototype.call.bind(get) : () => undefined;
}

const Bytes = Uint8Array;
const typedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype);
/** The name of the class, undefined for all that is no typed array. */
const classOf = intrinsic(typedArrayPrototype, Symbol.toStringTag);
const byteLengthOf = intrinsic(typedArrayPrototype, 'byteLength');
const byteOffsetOf = intrinsic(typedArrayPrototype, 'byteOffset');
const bufferOf = intrinsic(typedArrayPrototype, 'buffer');
const resizableOf = intrinsic(ArrayBuffer.prototype, 'resizable');
const growableOf = intrinsic(SharedArrayBuffer.prototype, 'growable');

/** @type {(buffer: unknown, get: (buffer: unknown) => unknown) => boolean} false for a buffer of the other kind */
function has(buffer, get) {
  try {
    return get(buffer) === true;
  } catch {
    return false;
  }
}

/**
 * Whether an array may lose memory during a run; a shared buffer can only grow.
 *
 * @type {(array: TypedArray) => boolean}
 */
const mayShrink = (array) => has(bufferOf(array), resizableOf);

/** @type {(array: TypedArray) => boolean} */
const mayChange = (array) => mayShrink(array) || has(bufferOf(array), growableOf);

/** Says whether all arrays are as they were: attached, and of the same length. */
class Watch {
  /** @param {readonly TypedArray[]} arrays */
  constructor(arrays) {
    /** Arrays whose length may change, and what it was; mostly there are none. */
    this.changing = arrays.filter(mayChange);
    this.lengths = this.changing.map(byteLengthOf);
    const held = arrays.filter((array) => !mayChange(array) && byteLengthOf(array) > 0);
    this.views = held.map((array) => new Bytes(bufferOf(array)));
    this.last = held.map((array) => byteOffsetOf(array) + byteLengthOf(array) - 1);
  }

  /** @returns {boolean} */
  isInPlace() {
    const { views, last, changing, lengths } = this;
    for (let i = 0; i < views.length; i++) if (views[i][last[i]] === undefined) return false;
    for (let i = 0; i < changing.length; i++) if (byteLengthOf(changing[i]) !== lengths[i]) return false;
    return true;
  }
}

// ------------------------------------------------------------------------------- runs like the last

/** What a value was given as: which way its shape and its array are found. */
const ARRAY = 1;
const TENSOR = 2;
const NUMBER = 3;

/** Arrays of up to so many bytes lie in the engine's heap until native code asks where they are, which takes 200 ns. */
const HEAP_BYTES = 64;

/**
 * How a value of a port was given to the last run. The next one may do with less where it is given in the same way: an
 * array of the same class and length, a Tensor of the same shape, a number. Then all shapes are the same, too, since
 * they follow from these.
 */
class Given {
  /**
   * @param {Port} port
   * @param {unknown} value undefined for a fresh output
   * @param {readonly number[]} shape
   * @param {number} size elements
   */
  constructor({ name, info, rank }, value, shape, size) {
    this.name = name;
    this.info = info;
    this.className = info.arrayType.name;
    this.size = size;
    this.bytes = size * info.bytes;
    this.layout = layoutFor(shape);
    this.form = formOf(value, info, rank, this.bytes);
    /** Where a number goes. One element of the engine's heap would be moved out of it by every run. */
    this.box = this.form === NUMBER || this.bytes <= HEAP_BYTES ? new info.arrayType(size) : null;
  }
}

/**
 * 0 for all that goes the long way.
 *
 * @type {(value: unknown, info: import('../tensor/dtypes.js').DTypeInfo, rank: number, bytes: number) => number}
 */
function formOf(value, info, rank, bytes) {
  if (value instanceof Tensor) return TENSOR;
  if (typeof value === 'number') return rank === 0 && info.kind === 'float' && info.half === undefined ? NUMBER : 0;
  return classOf(value) === info.arrayType.name && bytes > 0 ? ARRAY : 0;
}

/**
 * The array of a value that is given as it was before, for reading; null for any other.
 *
 * @param {any} value
 * @param {Given} given
 * @returns {TypedArray | null}
 */
function inputLike(value, { form, className, bytes, box, info, layout }) {
  if (form === ARRAY) return classOf(value) === className && byteLengthOf(value) === bytes ? value : null;
  if (form === NUMBER) {
    if (typeof value !== 'number') return null;
    /** @type {TypedArray} */ (box)[0] = value;
    return box;
  }
  return form === TENSOR && value instanceof Tensor ? arrayLike(value, info, layout, bytes) : null;
}

/** The same for writing. @type {typeof inputLike} */
function outputLike(value, { className, bytes, info, layout }) {
  if (classOf(value) === className) return byteLengthOf(value) === bytes && bytes > 0 ? value : null;
  return value instanceof Tensor && storageOf(value).lent ? arrayLike(value, info, layout, bytes) : null;
}

/**
 * The array of a tensor that has all of its elements, in their order.
 *
 * @param {Tensor} tensor
 * @param {import('../tensor/dtypes.js').DTypeInfo} info
 * @param {{ shape: readonly number[] }} layout
 * @param {number} bytes
 * @returns {TypedArray | null}
 */
function arrayLike(tensor, info, { shape }, bytes) {
  const { array } = storageOf(tensor);
  const own = layoutOf(tensor);
  if (array === null || infoOf(tensor) !== info || !own.isPlain || byteLengthOf(array) !== bytes || bytes === 0)
    return null;
  if (own.shape.length !== shape.length) return null;
  for (let axis = 0; axis < shape.length; axis++) if (own.shape[axis] !== shape[axis]) return null;
  return array;
}

const { hasOwnProperty } = Object.prototype;

/**
 * Reads the values of all ports, in the order of valuesByName().
 *
 * @param {any} given
 * @param {readonly Given[]} ports
 * @param {unknown[]} values
 * @param {number} first where in the list they go
 * @returns {boolean} false where there are other names, or none, or nothing by one of them
 */
function readNamed(given, ports, values, first) {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false;
  let extra = ports.length;
  for (const name in given) if (hasOwnProperty.call(given, name)) extra--;
  if (extra !== 0) return false;
  for (let i = 0; i < ports.length; i++) {
    const value = given[ports[i].name];
    if (value === undefined) return false;
    values[first + i] = value;
  }
  return true;
}

/** How the values of a run were given, and the shapes that they had. */
class LastRun {
  /**
   * @param {readonly Port[]} inputs
   * @param {readonly unknown[]} values of the inputs
   * @param {readonly (readonly number[])[]} shapes
   * @param {readonly Port[]} outputs
   * @param {readonly (readonly number[])[]} outputShapes
   */
  constructor(inputs, values, shapes, outputs, outputShapes) {
    this.inputs = inputs.map((port, i) => new Given(port, values[i], shapes[i], sizeOf(shapes[i], 'run')));
    this.outputs = outputs.map(
      (port, i) => new Given(port, undefined, outputShapes[i], sizeOf(outputShapes[i], 'run')),
    );
    let bytes = 0;
    for (const given of [...this.inputs, ...this.outputs]) bytes += given.bytes;
    this.bytes = bytes;
  }

  /** Whether a run like this one can be quick. A port of this name cannot be read like others. */
  get isUsual() {
    return (
      this.inputs.every(({ form, name }) => form !== 0 && name !== '__proto__') &&
      this.outputs.every(({ name }) => name !== '__proto__')
    );
  }

  /**
   * The values of all ports, which getters may compute, running this very program; null where not just these are given.
   *
   * @param {unknown} inputs
   * @param {unknown} outputs undefined for fresh ones
   * @returns {unknown[] | null}
   */
  read(inputs, outputs) {
    const first = this.inputs.length;
    const isFresh = outputs === undefined;
    /** @type {unknown[]} */
    const values = new Array(isFresh ? first : first + this.outputs.length);
    return readNamed(inputs, this.inputs, values, 0) && (isFresh || readNamed(outputs, this.outputs, values, first))
      ? values
      : null;
  }

  /**
   * The arrays of values that are given as they were before, fresh ones for outputs that are not given; null for other
   * values.
   *
   * @param {readonly unknown[]} values
   * @returns {TypedArray[] | null}
   */
  arrays(values) {
    const { inputs, outputs } = this;
    const first = inputs.length;
    /** @type {TypedArray[]} */
    const arrays = new Array(first + outputs.length);
    for (let i = 0; i < inputs.length; i++) {
      const array = inputLike(values[i], inputs[i]);
      if (array === null) return null;
      arrays[i] = array;
    }
    const isFresh = values.length === first;
    for (let i = 0; i < outputs.length; i++) {
      const { box, info, size } = outputs[i];
      const array = isFresh ? (box ?? takeArray(info, size, 'run')) : outputLike(values[first + i], outputs[i]);
      if (array === null) return null;
      arrays[first + i] = array;
    }
    return arrays;
  }

  /**
   * The outputs of a run on what arrays() has said, by name.
   *
   * @param {readonly unknown[]} values
   * @param {readonly TypedArray[]} arrays
   * @returns {Record<string, Tensor>}
   */
  results(values, arrays) {
    const { outputs } = this;
    const first = this.inputs.length;
    const isFresh = values.length === first;
    /** @type {Record<string, Tensor>} */
    const results = {};
    for (let i = 0; i < outputs.length; i++) {
      const { name, box, info, size, layout } = outputs[i];
      const value = isFresh ? undefined : values[first + i];
      if (value instanceof Tensor) results[name] = value;
      else {
        const array = isFresh && box !== null ? box.slice() : arrays[first + i];
        results[name] = tensorOver(new Storage(info, size, array, null, 0, !isFresh), layout);
      }
    }
    return results;
  }
}

module.exports = { LastRun, Watch, byteLengthOf, classOf, mayChange, mayShrink };
