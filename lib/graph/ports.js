/**
 * Named arrays, as users pass them to a run, brought into the order and form that C takes.
 *
 * A bare typed array has no shape. For a vector its length is the shape; for higher ranks the sizes
 * must follow from the length and from sizes already known: one symbol may be missing, which then is
 * what makes the product come out. Everything else needs a Tensor, and the error says so. Whether the
 * shapes of all inputs agree with each other is decided in C.
 */
'use strict';

const { describe, expected, integer, isOptions, unknownName } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { fromNested } = require('../tensor/convert.js');
const { dtypes } = require('../tensor/dtypes.js');
const { cutArray, takeArray } = require('../tensor/storage.js');
const { Tensor, wrap, wrapOwn } = require('../tensor/tensor.js');
const { sizeOf } = require('../tensor/views.js');
const { readInput, readOutput } = require('./buffers.js');

/** @typedef {import('../base/binding.js').Size} Size */
/** @typedef {import('../tensor/dtypes.js').TypedArray} TypedArray */

/**
 * @typedef {object} Port one input or output
 * @property {string} name
 * @property {import('../tensor/dtypes.js').DType} dtype
 * @property {readonly Size[]} shape
 * @property {readonly Size[]} most the same with the most that sizes can be which a run computes
 * @property {number} rank
 * @property {import('../tensor/dtypes.js').DTypeInfo} info
 * @property {string} label what errors call it: "input 'x'"
 * @property {string} type "f64[n, 4]"
 */

/** @typedef {'input' | 'output'} Role */

/**
 * @param {readonly { name: string, dtype: import('../tensor/dtypes.js').DType, shape: readonly Size[], most?: readonly Size[] }[]} infos
 * @param {Role} role
 * @returns {Port[]}
 */
function portsOf(infos, role) {
  return infos.map(({ name, dtype, shape, most = shape }) => ({
    name,
    dtype,
    shape: Object.freeze(shape),
    most: Object.freeze(most),
    rank: shape.length,
    info: dtypes[dtype],
    label: `${role} '${name}'`,
    type: `${dtype}[${shape.join(', ')}]`,
  }));
}

/**
 * The values of an object in the order of the ports; none missing, none unknown.
 *
 * @param {unknown} given
 * @param {readonly Port[]} ports
 * @param {Role} role
 * @param {string} caller
 * @returns {unknown[]}
 */
function valuesByName(given, ports, role, caller) {
  if (typeof given !== 'object' || given === null || Array.isArray(given) || ArrayBuffer.isView(given)) {
    return expected(caller, `an object from names to ${role} arrays`, `the ${role}s`, given);
  }
  const names = ports.map((port) => port.name);
  const known = new Set(names);
  for (const name of Object.keys(given)) {
    if (!known.has(name)) unknownName(caller, role, name, names);
  }
  return ports.map(({ name, type }) => {
    const value = Object.hasOwn(given, name) ? /** @type {Record<string, unknown>} */ (given)[name] : undefined;
    if (value !== undefined) return value;
    const list = names.map((each) => `'${each}'`).join(', ');
    return fail('ERR_ARGUMENT', `${caller}: ${role} '${name}' (${type}) is missing, ${role}s are ${list}`);
  });
}

// ---------------------------------------------------------------------------------------- inputs

/** @type {(value: unknown, port: Port, caller: string) => { data: TypedArray, shape: readonly number[] | null }} */
function inputOf(value, port, caller) {
  if (!Array.isArray(value)) return readInput(value, port.dtype, port.label, caller);
  return fromNested(value, port.dtype, `${caller}: ${port.label}`);
}

/** @type {(size: Size) => size is string} */
const isSymbol = (size) => typeof size === 'string' && /^\w+$/.test(size);

/** The symbols of some inputs: each stands alone somewhere. @type {(ports: readonly Port[]) => string[]} */
const symbolsOf = (ports) => [...new Set(ports.flatMap(({ shape }) => shape.filter(isSymbol)))];

/**
 * A number for every symbol, in their order.
 *
 * @param {unknown} sizes
 * @param {readonly string[]} symbols
 * @param {string} caller
 * @returns {number[]}
 */
function readSizes(sizes, symbols, caller) {
  const size = integer(0);
  if (!isOptions(sizes)) return expected(caller, 'an object from symbols to numbers', 'the sizes', sizes);
  for (const name of Object.keys(sizes)) {
    if (!symbols.includes(name)) unknownName(caller, 'symbol', name, symbols);
  }
  return symbols.map((name) => {
    const value = Object.hasOwn(sizes, name) ? sizes[name] : undefined;
    return size(value, `symbol '${name}'`, caller);
  });
}

/** The shapes of all inputs, symbols learnt from one helping with the next. */
class Shapes {
  /**
   * @param {readonly Port[]} ports
   * @param {string} caller
   */
  constructor(ports, caller) {
    this.ports = ports;
    this.caller = caller;
    /** @type {(readonly number[] | undefined)[]} */
    this.found = ports.map(() => undefined);
    /** @type {Map<string, number>} */
    this.symbols = new Map();
  }

  /** @type {(i: number, shape: readonly number[], shown: string) => void} */
  #set(i, shape, shown) {
    const port = this.ports[i];
    const fits =
      shape.length === port.rank &&
      shape.every((size, axis) => typeof port.shape[axis] === 'string' || port.shape[axis] === size);
    if (!fits) {
      fail('ERR_SHAPE', `${this.caller}: expected ${port.type} for ${port.label}, got ${shown}`);
    }
    port.shape.forEach((size, axis) => {
      if (isSymbol(size) && !this.symbols.has(size)) this.symbols.set(size, shape[axis]);
    });
    this.found[i] = shape;
  }

  /** @type {(i: number, shape: readonly number[]) => void} */
  given(i, shape) {
    this.#set(i, shape, `shape [${shape.join(', ')}]`);
  }

  /**
   * Finds the shape of a bare array where it follows from its length.
   *
   * @param {number} i
   * @param {number} length
   * @returns {boolean} false when too little is known yet
   */
  solve(i, length) {
    const { shape: sizes, label, type } = this.ports[i];
    const known = sizes.map((size) => (typeof size === 'number' ? size : this.symbols.get(size)));
    const missing = sizes.filter((_, axis) => known[axis] === undefined);
    if (missing.some((size) => size !== missing[0]) || (missing.length > 1 && !isSymbol(missing[0]))) return false;
    let held = 1;
    for (const size of known) held *= size ?? 1;
    if (missing.length === 0 && held !== length) {
      fail('ERR_SHAPE', `${this.caller}: expected ${held} elements for ${label} (${type}), got ${length}`);
    }
    if (missing.length > 0 && held === 0) return false;
    const root = Math.round((length / held) ** (1 / missing.length));
    if (missing.length > 0 && held * root ** missing.length !== length) {
      fail('ERR_SHAPE', `${this.caller}: ${length} elements do not fill ${type}, ${label}, for any ${missing[0]}`);
    }
    const shape = known.map((size) => size ?? root);
    this.#set(i, shape, `shape [${shape.join(', ')}]`);
    return true;
  }
}

/**
 * What there is to find out in most runs, and quickly: the lengths of bare vectors, equal for equal symbols.
 *
 * @param {readonly { data: TypedArray, shape: readonly number[] | null }[]} buffers
 * @param {readonly Port[]} ports
 * @returns {(readonly number[])[] | undefined} undefined for all else, also for what is wrong
 */
function vectorShapes(buffers, ports) {
  /** @type {(readonly number[])[]} */
  const shapes = [];
  /** @type {Map<Size, number>} */
  const lengths = new Map();
  for (let i = 0; i < ports.length; i++) {
    const { data, shape } = buffers[i];
    const symbol = ports[i].shape[0];
    if (shape !== null || ports[i].rank !== 1 || !isSymbol(symbol)) return undefined;
    const length = lengths.get(symbol) ?? data.length;
    if (data.length !== length) return undefined;
    lengths.set(symbol, length);
    shapes.push([length]);
  }
  return shapes;
}

/**
 * @param {readonly unknown[]} values one per port
 * @param {readonly Port[]} ports
 * @param {string} caller
 * @returns {{ arrays: TypedArray[], shapes: (readonly number[])[] }}
 */
function readInputs(values, ports, caller) {
  const buffers = values.map((value, i) => inputOf(value, ports[i], caller));
  const arrays = buffers.map(({ data }) => data);
  const vectors = vectorShapes(buffers, ports);
  if (vectors !== undefined) return { arrays, shapes: vectors };
  const shapes = new Shapes(ports, caller);
  buffers.forEach(({ shape }, i) => shape && shapes.given(i, shape));
  let open = ports.map((_, i) => i).filter((i) => buffers[i].shape === null);
  while (open.length > 0) {
    const left = open.filter((i) => !shapes.solve(i, buffers[i].data.length));
    if (left.length === open.length) {
      const { label, type } = ports[left[0]];
      const count = buffers[left[0]].data.length;
      const hint = 'pass a Tensor, such as tensor(array, { shape })';
      fail('ERR_SHAPE', `${caller}: ${count} elements do not say which shape ${label} (${type}) has: ${hint}`);
    }
    open = left;
  }
  return { arrays, shapes: /** @type {(readonly number[])[]} */ (shapes.found) };
}

// --------------------------------------------------------------------------------------- outputs

/** @type {(shape: readonly number[], port: Port, caller: string) => { data: TypedArray, tensor: Tensor }} */
function freshOutput(shape, port, caller) {
  const data = takeArray(port.info, sizeOf(shape, caller), caller);
  return { data, tensor: wrapOwn(data, port.dtype, shape) };
}

/**
 * An array of the caller as the tensor that a run will fill.
 *
 * @param {unknown} value
 * @param {readonly number[]} shape
 * @param {Port} port
 * @param {string} caller
 * @returns {{ data: TypedArray, tensor: Tensor }}
 */
function givenOutput(value, shape, port, caller) {
  const { data } = readOutput(value, port.dtype, port.label, caller);
  if (value instanceof Tensor) {
    if (value.rank !== port.rank || value.shape.some((size, axis) => size !== shape[axis])) {
      const wanted = `${port.dtype}[${shape.join(', ')}]`;
      fail('ERR_SHAPE', `${caller}: expected ${wanted} for ${port.label}, got ${describe(value)}`);
    }
    return { data, tensor: value };
  }
  const size = sizeOf(shape, caller);
  if (data.length !== size) {
    const of = `${port.dtype}[${shape.join(', ')}]`;
    fail('ERR_SHAPE', `${caller}: expected ${size} elements for ${port.label} (${of}), got ${data.length}`);
  }
  return { data, tensor: wrap(data, port.dtype, shape) };
}

/**
 * @param {readonly unknown[] | undefined} values one per port, undefined for fresh arrays
 * @param {readonly (readonly number[])[]} shapes one per port
 * @param {readonly Port[]} ports
 * @param {string} caller
 * @returns {{ arrays: TypedArray[], tensors: Tensor[] }}
 */
function readOutputs(values, shapes, ports, caller) {
  const read = ports.map((port, i) =>
    values === undefined ? freshOutput(shapes[i], port, caller) : givenOutput(values[i], shapes[i], port, caller),
  );
  return { arrays: read.map(({ data }) => data), tensors: read.map(({ tensor }) => tensor) };
}

/**
 * The outputs of a run that has computed sizes: the arrays have room for the most that there might be.
 *
 * @param {readonly TypedArray[]} arrays one per port
 * @param {readonly (readonly number[])[]} shapes that the run has given
 * @param {readonly Port[]} ports
 * @param {boolean} fresh whether nobody else has the arrays
 * @returns {Tensor[]}
 */
function cutOutputs(arrays, shapes, ports, fresh) {
  return arrays.map((array, i) => {
    const size = sizeOf(shapes[i], 'run');
    const { dtype } = ports[i];
    return fresh ? wrapOwn(cutArray(array, size), dtype, shapes[i]) : wrap(array.subarray(0, size), dtype, shapes[i]);
  });
}

/** @type {(tensors: readonly Tensor[], ports: readonly Port[]) => Record<string, Tensor>} */
function resultOf(tensors, ports) {
  return Object.fromEntries(ports.map(({ name }, i) => [name, tensors[i]]));
}

module.exports = { cutOutputs, portsOf, readInputs, readOutputs, readSizes, resultOf, symbolsOf, valuesByName };
