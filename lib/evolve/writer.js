/**
 * Arrays that grow: tokens of programs, and their constants.
 */
'use strict';

/**
 * Program i has tokens from offsets[i] up to offsets[i + 1], in postfix order unless `order` is 'prefix'.
 *
 * @typedef {object} Programs
 * @property {Int32Array} tokens
 * @property {Float64Array} constants
 * @property {Uint32Array} offsets
 * @property {'prefix' | 'postfix'} order
 */

class Writer {
  #tokens = new Int32Array(1024);
  #constants = new Float64Array(1024);
  length = 0;

  /** @param {number} token @param {number} constant */
  put(token, constant) {
    if (this.length === this.#tokens.length) this.#grow();
    this.#tokens[this.length] = token;
    this.#constants[this.length++] = constant;
  }

  #grow() {
    const tokens = new Int32Array(2 * this.length);
    const constants = new Float64Array(2 * this.length);
    tokens.set(this.#tokens);
    constants.set(this.#constants);
    [this.#tokens, this.#constants] = [tokens, constants];
  }

  /** The last token, which is there. */
  get last() {
    return this.#tokens[this.length - 1];
  }

  /** The constant of the last token becomes its negative. */
  negate() {
    this.#constants[this.length - 1] *= -1;
  }

  /** @param {number[]} offsets @returns {Programs} */
  finish(offsets) {
    const [tokens, constants] = [this.#tokens.slice(0, this.length), this.#constants.slice(0, this.length)];
    return { tokens, constants, offsets: Uint32Array.from(offsets), order: 'postfix' };
  }
}

module.exports = { Writer };
