/**
 * UTF-8 by the means of Node. For browsers web/text.js stands in its place, which package.json says under `browser`.
 */
'use strict';

const { isAscii, isUtf8 } = require('node:buffer');

/** @type {(bytes: Uint8Array) => Buffer} the same memory */
const bufferOf = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength);

/** Parts of bytes as texts. @type {(bytes: Uint8Array) => (from: number, to: number) => string} */
function textReader(bytes) {
  const whole = bufferOf(bytes);
  return (from, to) => whole.toString('utf8', from, to);
}

/** A character for each byte, so that equal bytes are equal texts. @type {(bytes: Uint8Array) => string} */
const byteText = (bytes) => bufferOf(bytes).toString('latin1');

/** @type {(text: string) => number} */
const byteLength = (text) => Buffer.byteLength(text);

/** Whether each surrogate has its other half: UTF-8 has no halves. @type {(text: any) => boolean} */
const isWellFormed = (text) => text.isWellFormed();

/** @type {(text: string) => Uint8Array} with memory of its own */
const encoded = (text) => new Uint8Array(Buffer.from(text, 'utf8'));

/** @type {(text: string, bytes: Uint8Array, at: number) => void} where there is room for it */
const encodeInto = (text, bytes, at) => void bufferOf(bytes).write(text, at);

/** @type {(bytes: number) => Uint8Array} memory that is not cleared */
const uncleared = (bytes) => new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer, 0, bytes);

module.exports = { byteLength, byteText, encoded, encodeInto, isAscii, isUtf8, isWellFormed, textReader, uncleared };
