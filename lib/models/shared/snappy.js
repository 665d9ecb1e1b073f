/**
 * Unpacks the Snappy format (https://github.com/google/snappy): bytes as they are, and copies of what was unpacked
 * before.
 */
'use strict';

const { fail } = require('../../base/errors.js');

/** So much one block holds at most. */
const MAX_LENGTH = 2 ** 28;

/**
 * @param {Uint8Array} bytes
 * @param {string} what for messages
 * @returns {Uint8Array}
 */
function uncompress(bytes, what) {
  const refuse = () => fail('ERR_PARSE', `${what}: a compressed block is damaged`);
  let at = 0;
  const little = (/** @type {number} */ count) => {
    let value = 0;
    for (let i = 0; i < count; i++) value += (bytes[at++] ?? refuse()) * 256 ** i;
    return value;
  };
  let [length, shift] = [0, 1];
  for (;;) {
    const byte = bytes[at++] ?? refuse();
    length += (byte & 127) * shift;
    shift *= 128;
    if (byte < 128) break;
    if (shift > 2 ** 35) refuse();
  }
  if (length > MAX_LENGTH) refuse();
  const result = new Uint8Array(length);
  let to = 0;
  while (at < bytes.length) {
    const tag = bytes[at++];
    const kind = tag & 3;
    if (kind === 0) {
      const size = (tag >> 2 < 60 ? tag >> 2 : little((tag >> 2) - 59)) + 1;
      if (at + size > bytes.length || to + size > length) refuse();
      result.set(bytes.subarray(at, at + size), to);
      at += size;
      to += size;
      continue;
    }
    const size = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const back = kind === 1 ? (tag >> 5) * 256 + little(1) : little(kind === 2 ? 2 : 4);
    if (back === 0 || back > to || to + size > length) refuse();
    for (let i = 0; i < size; i++, to++) result[to] = result[to - back];
  }
  return to === length ? result : refuse();
}

module.exports = { uncompress };
