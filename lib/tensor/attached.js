/**
 * Whether a typed array still has its memory.
 *
 * In a file of its own, since pages load it without the rest of tensors.
 */
'use strict';

const { keys } = Object.getPrototypeOf(Uint8Array.prototype);

/**
 * Whether an array still has its buffer. One whose buffer was transferred away, or shrank so that the
 * array lies outside, pretends to be empty; only the methods of typed arrays tell, by throwing.
 *
 * @type {(array: import('./dtypes.js').TypedArray) => boolean}
 */
function isAttached(array) {
  if (array.length > 0) return true;
  try {
    keys.call(array);
    return true;
  } catch {
    return false;
  }
}

module.exports = { isAttached };
