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

/** @typedef {import('./ports.js').Port} Port */
/** @typedef {import('./dtypes.js').TypedArray} TypedArray */

/**
 * @param {object} prototype
 * @param {string} name
 * @returns {(object: unknown) => any} the getter that the language defines there
 */
function intrinsic(prototype, name) {
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  return get ? Function.prototype.call.bind(get) : () => undefined;
}

const Bytes = Uint8Array;
const typedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype);
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

/** Whether an array may lose memory during a run; a shared buffer can only grow. @type {(array: TypedArray) => boolean} */
const mayShrink = (array) => has(bufferOf(array), resizableOf);

/** @type {(array: TypedArray) => boolean} */
const mayChange = (array) => mayShrink(array) || has(bufferOf(array), growableOf);

/**
 * A function that says whether all arrays are as they are now: attached, and of the same length.
 *
 * @param {readonly TypedArray[]} arrays
 * @returns {() => boolean}
 */
function watchArrays(arrays) {
  if (arrays.some(mayChange)) {
    const lengths = arrays.map(byteLengthOf);
    return () => arrays.every((array, i) => byteLengthOf(array) === lengths[i]);
  }
  const held = arrays.filter((array) => byteLengthOf(array) > 0);
  const views = held.map((array) => new Bytes(bufferOf(array)));
  const last = held.map((array) => byteOffsetOf(array) + byteLengthOf(array) - 1);
  return () => {
    for (let i = 0; i < views.length; i++) if (views[i][last[i]] === undefined) return false;
    return true;
  };
}

/** @type {(given: any, ports: readonly Port[]) => boolean} whether an object has as many names as there are ports */
function hasAsMany(given, ports) {
  if (given === undefined || given === null) return false;
  let extra = ports.length;
  for (const name in given) if (name !== undefined) extra--;
  return extra === 0;
}

/**
 * Whether the values of the ports are just these arrays, and nothing else was given.
 *
 * @param {any} given
 * @param {readonly Port[]} ports
 * @param {readonly TypedArray[]} arrays
 * @param {number} first index of the first port among the arrays
 * @returns {boolean}
 */
function holdsArrays(given, ports, arrays, first) {
  if (!hasAsMany(given, ports)) return false;
  for (let i = 0; i < ports.length; i++) if (given[ports[i].name] !== arrays[first + i]) return false;
  return true;
}

/**
 * Appends the values of the ports to `arrays` as long as they are plain vectors of known lengths.
 *
 * @param {any} given
 * @param {readonly Port[]} ports
 * @param {readonly (readonly number[])[]} shapes
 * @param {TypedArray[]} arrays
 * @returns {boolean} whether all of them are, and nothing else was given
 */
function takeVectors(given, ports, shapes, arrays) {
  if (!hasAsMany(given, ports)) return false;
  for (let i = 0; i < ports.length; i++) {
    const port = ports[i];
    if (port.rank !== 1 || port.name === '__proto__') return false;
    const array = given[port.name];
    if (array === undefined || array === null || array.constructor !== port.info.arrayType) return false;
    // An empty array may be a detached one, which only the long way finds out.
    if (array.length !== shapes[i][0] || array.length === 0) return false;
    arrays.push(array);
  }
  return true;
}

module.exports = { byteLengthOf, holdsArrays, mayChange, mayShrink, takeVectors, watchArrays };
