/**
 * Bytes in memory, read as a file is.
 */
'use strict';

const { fail } = require('../base/errors.js');

/** What readers of archives ask of a file. */
class BytesSource {
  #bytes;

  /**
   * @param {Uint8Array} bytes
   * @param {string} file what messages call it
   * @param {string} caller
   */
  constructor(bytes, file, caller) {
    this.#bytes = bytes;
    this.file = file;
    this.caller = caller;
    this.size = bytes.byteLength;
  }

  /** @type {(at: number, length: number) => Uint8Array} not a copy */
  read(at, length) {
    if (at < 0 || at + length > this.size)
      fail('ERR_PARSE', `${this.caller}: ${this.file} ends at byte ${this.size}, before ${at + length}`);
    return this.#bytes.subarray(at, at + length);
  }

  /** @type {(target: Uint8Array, at: number) => void} */
  fill(target, at) {
    target.set(this.read(at, target.length));
  }
}

module.exports = { BytesSource };
