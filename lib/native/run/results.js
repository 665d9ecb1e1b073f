/**
 * What a run has left in its slots, as the value that the function returns.
 *
 * The shape of the result (source/types.js) is known when the code is; from it a reader is made once, which each call
 * uses. Arrays are handed over as typed arrays, in memory of their own or as a view of an argument; an argument that is
 * returned as a whole is the very same object, as in JavaScript.
 */
'use strict';

const { CLASS_OF } = require('../source/signature.js');
const { VIEW } = require('../source/types.js');

/** @typedef {import('../source/types.js').ResultShape} ResultShape */

/** Bytes of the state in front of the slots. */
const HEAD_BYTES = 8;

/**
 * The state of a caller, through the eyes of each kind of element.
 *
 * @typedef {object} State
 * @property {ArrayBuffer} buffer
 * @property {Int32Array} words
 * @property {Float64Array} f64 slots
 * @property {Float32Array} f32 two per slot, as are the next two
 * @property {Int32Array} i32
 * @property {Uint32Array} u32
 * @property {BigInt64Array} i64
 * @property {BigUint64Array} u64
 */

/** @type {(buffer: ArrayBuffer) => State} */
const stateOver = (buffer) => ({
  buffer,
  words: new Int32Array(buffer, 0, 2),
  f64: new Float64Array(buffer, HEAD_BYTES),
  f32: new Float32Array(buffer, HEAD_BYTES),
  i32: new Int32Array(buffer, HEAD_BYTES),
  u32: new Uint32Array(buffer, HEAD_BYTES),
  i64: new BigInt64Array(buffer, HEAD_BYTES),
  u64: new BigUint64Array(buffer, HEAD_BYTES),
});

/** @type {(slots: number) => State} */
const newState = (slots) => stateOver(new ArrayBuffer(HEAD_BYTES + 8 * Math.max(slots, 1)));

/**
 * What a reader reads from.
 *
 * @typedef {{ state: State, buffers: ArrayBuffer[], flat: unknown[], sources: unknown[], args: readonly unknown[] }} Run
 */
/** @typedef {(run: Run) => unknown} Read */

/** @type {(dtype: string, slot: number) => Read} of a number, whatever it is in memory */
function numberReader(dtype, slot) {
  switch (dtype) {
    case 'f32':
      return ({ state }) => state.f32[2 * slot];
    case 'i32':
      return ({ state }) => state.i32[2 * slot];
    case 'u32':
      return ({ state }) => state.u32[2 * slot];
    case 'i64':
      return ({ state }) => Number(state.i64[slot]);
    case 'u64':
      return ({ state }) => Number(state.u64[slot]);
    case 'bool':
      return ({ state }) => state.i32[2 * slot] & 1;
    default:
      return ({ state }) => state.f64[slot];
  }
}

/** @type {(shape: any, slot: number) => Read} of a scalar that is there */
function scalarReader({ kind, dtype }, slot) {
  if (kind === 'number') return numberReader(dtype, slot);
  if (kind === 'boolean') return ({ state }) => (state.i32[2 * slot] & 1) === 1;
  return dtype === 'u64' ? ({ state }) => state.u64[slot] : ({ state }) => state.i64[slot];
}

/** @type {(shape: any, first: number) => Read} */
function arrayReader(shape, first) {
  const { dtype, clamps, slot } = shape;
  const at = first + slot;
  const ArrayOf = /** @type {any} */ (globalThis)[
    /** @type {string} */ (CLASS_OF.get(clamps ? 'u8c' : dtype === 'bool' ? 'u8' : dtype))
  ];
  return ({ state, buffers, flat, sources }) => {
    const offset = Number(state.i64[at]);
    const length = Number(state.i64[at + 1]);
    const origin = Number(state.i64[at + 2]);
    if (origin < 0) return asGiven(shape, new ArrayOf(buffers[-1 - origin], offset, length));
    const port = (origin % VIEW) - 2;
    const whole = /** @type {any} */ (flat.filter(ArrayBuffer.isView)[port]);
    if (origin < VIEW) return sources[port] ?? whole;
    return asGiven(shape, new ArrayOf(whole.buffer, whole.byteOffset + offset, length));
  };
}

/** An Array may lie in memory as integers. @type {(shape: any, array: any) => unknown} */
const asGiven = ({ kind, encoded }, array) =>
  encoded ? decoded(array, encoded) : kind === 'list' ? Array.from(array, Number) : array;

const CODES = [undefined, undefined, null, false, true];

/**
 * The elements of an Array of other things than numbers.
 *
 * @type {(array: Float64Array, encoded: { head: number, kind: string }) => unknown[]}
 */
function decoded(array, { head, kind }) {
  const words = new Uint32Array(array.buffer, array.byteOffset, 2 * array.length);
  return Array.from(array, (x, i) =>
    words[2 * i + 1] === head ? CODES[words[2 * i]] : kind === 'booleans' ? x === 1 : x,
  );
}

/** @type {(read: Read, tag: number) => Read} of what may be undefined (1), null (2), or a boolean among numbers (3) */
const taggedReader = (read, tag) => (run) => {
  const which = run.state.i32[2 * tag];
  if (which === 1) return undefined;
  if (which === 2) return null;
  return which === 0 ? read(run) : Boolean(read(run));
};

/** @type {(shape: ResultShape, first: number) => Read} `first`: slots in front of those of results */
function readerOf(shape, first) {
  const tag = shape.kind === 'given' || shape.kind === 'tuple' || shape.kind === 'object' ? shape.tag : undefined;
  const read = valueReader(shape, first);
  return tag === undefined ? read : taggedReader(read, first + tag);
}

/** @type {(shape: ResultShape, first: number) => Read} */
function valueReader(shape, first) {
  switch (shape.kind) {
    case 'undefined':
      return () => undefined;
    case 'null':
      return () => null;
    case 'constant':
      return () => shape.value;
    case 'given':
      return ({ args }) => follow(args, shape.path);
    case 'array':
    case 'list':
      return shape.tag === null
        ? arrayReader(shape, first)
        : taggedReader(arrayReader(shape, first), first + shape.tag);
    case 'tuple': {
      const readers = shape.elements.map((each) => readerOf(each, first));
      return (run) => readers.map((read) => read(run));
    }
    case 'object': {
      const fields = Object.entries(shape.fields).map(
        ([name, each]) => /** @type {const} */ ([name, readerOf(each, first)]),
      );
      return (run) => Object.fromEntries(fields.map(([name, read]) => [name, read(run)]));
    }
    default: {
      const read = scalarReader(shape, first + shape.slot);
      return shape.tag === null ? read : taggedReader(read, first + shape.tag);
    }
  }
}

/**
 * What stands at a place in the arguments.
 *
 * @type {(args: readonly unknown[], path: readonly (string | number)[]) => any}
 */
const follow = (args, path) => path.reduce((/** @type {any} */ value, key) => value[key], args);

/**
 * What sets the fields of arguments that a function has set.
 *
 * @param {readonly { path: (string | number)[], shape: ResultShape }[]} updates
 * @param {number} first
 * @returns {(run: Run) => void}
 */
function setterOf(updates, first) {
  const setters = updates.map(({ path, shape }) => ({
    at: path.slice(0, -1), name: path[path.length - 1], read: readerOf(shape, first),
  }));
  return (run) => {
    const values = setters.map(({ read }) => read(run));
    setters.forEach(({ at, name }, i) => {
      const target = follow(run.args, at);
      if (!Object.is(target[name], values[i])) target[name] = values[i];
    });
  };
}

/** What the addon calls a scalar of this shape. @type {(shape: any) => string} */
function scalarPort({ kind, dtype }) {
  if (kind === 'boolean') return 'bool';
  return kind === 'number' && dtype === 'i64' ? 'int' : dtype;
}

/**
 * The slots of a result as the addon has to know them: whether the result is one scalar, and where arrays are.
 *
 * @param {ResultShape} shape
 * @param {readonly ResultShape[]} others what else is in the slots
 * @param {readonly string[]} types of the slots
 * @returns {{ ports: string[], isPlain: boolean }} `isPlain`: the addon makes the value
 */
function resultPorts(shape, others, types) {
  const isScalar = shape.kind === 'number' || shape.kind === 'boolean' || shape.kind === 'bigint';
  if (isScalar && shape.tag === null && types.length === 1) return { ports: [scalarPort(shape)], isPlain: true };
  if (isScalar && shape.tag === shape.slot + 1 && types.length === 2)
    return { ports: [`${scalarPort(shape)}?`], isPlain: true };
  /** @type {(string | null)[]} */
  const ports = [...types];
  for (const each of [shape, ...others]) markArrays(each, ports);
  return { ports: ports.filter((port) => port !== null), isPlain: shape.kind === 'undefined' && types.length === 0 };
}

/** Makes one port of the three slots of each array. @type {(shape: ResultShape, ports: (string | null)[]) => void} */
function markArrays(shape, ports) {
  if (shape.kind === 'tuple') shape.elements.forEach((each) => markArrays(each, ports));
  else if (shape.kind === 'object') Object.values(shape.fields).forEach((each) => markArrays(each, ports));
  else if (shape.kind === 'array' || shape.kind === 'list') {
    ports[shape.slot] = `${shape.clamps ? 'u8c' : shape.dtype === 'bool' ? 'u8' : shape.dtype}[]`;
    ports[shape.slot + 1] = ports[shape.slot + 2] = null;
  }
}

/** @type {(shape: ResultShape) => string} as a signature says it */
function shapeText(shape) {
  switch (shape.kind) {
    case 'number':
    case 'bigint':
    case 'boolean': {
      const text =
        shape.kind === 'boolean' ? 'bool' : shape.kind === 'number' && shape.dtype === 'i64' ? 'f64' : shape.dtype;
      return shape.tag === null ? text : `${text} | undefined`;
    }
    case 'array':
      return `${shape.clamps ? 'u8c' : shape.dtype}[]`;
    case 'list':
      return 'number[]';
    case 'tuple':
      return `[${shape.elements.map(shapeText).join(', ')}]`;
    case 'object':
      return `{ ${Object.entries(shape.fields)
        .map(([name, each]) => `${name}: ${shapeText(each)}`)
        .join(', ')} }`;
    case 'constant':
      return typeof shape.value;
    case 'given':
      return 'object';
    default:
      return shape.kind === 'undefined' ? 'void' : shape.kind;
  }
}

/**
 * Whether a result is what a signature says. A number is a number, whatever its dtype: what the function returns is up
 * to its source, and may turn out undefined where that reads out of range.
 *
 * @param {ResultShape} shape
 * @param {import('../source/types.js').ValueType} type
 * @returns {boolean}
 */
function isReturned(shape, type) {
  if (shape.kind === 'constant')
    return typeof shape.value === (type.kind === 'constant' ? typeof type.value : type.kind);
  if (shape.kind === 'given') return type.kind === 'object' || type.kind === 'tuple';
  if (shape.kind !== type.kind) return false;
  if (shape.kind === 'array' && type.kind === 'array')
    return shape.dtype === type.dtype && shape.clamps === Boolean(type.clamps);
  if (shape.kind === 'tuple' && type.kind === 'tuple') {
    return (
      shape.elements.length === type.elements.length &&
      shape.elements.every((each, i) => isReturned(each, type.elements[i]))
    );
  }
  if (shape.kind !== 'object' || type.kind !== 'object') return true;
  const { fields } = shape;
  const names = Object.keys(type.fields);
  return (
    names.length === Object.keys(fields).length &&
    names.every((name) => Object.hasOwn(fields, name) && isReturned(fields[name], type.fields[name]))
  );
}

module.exports = { isReturned, newState, readerOf, resultPorts, setterOf, shapeText };
