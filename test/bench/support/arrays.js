// Typed arrays of evenly spread numbers in an order that no loop can profit from, the same every time.
'use strict';

const types = { f64: Float64Array, f32: Float32Array, i32: Int32Array, u8: Uint8Array };

/**
 * @param {{ type: keyof typeof types, length: number, from?: number, to?: number }} spec
 *   numbers in [from, to), 0 to 1 unless told
 */
function fill({ type, length, from = 0, to = 1 }) {
  const array = new types[type](length);
  let state = 0x2545f491;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    array[i] = from + (to - from) * (state / 0x100000000);
  }
  return array;
}

module.exports = { fill, types };
