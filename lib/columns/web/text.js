/**
 * lib/columns/data/text.js for pages: UTF-8 by the means of browsers.
 */
'use strict';

const encoder = new TextEncoder();
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes that are decoded at once to be judged, so that the text that is made of them is small. */
const PART = 65536;

/** @type {(bytes: Uint8Array) => (from: number, to: number) => string} */
const textReader = (bytes) => (from, to) => lenient.decode(bytes.subarray(from, to));

/** @type {(bytes: Uint8Array) => string} */
function byteText(bytes) {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** @type {(bytes: Uint8Array) => boolean} */
function isAscii(bytes) {
  let all = 0;
  for (let i = 0; i < bytes.length; i++) all |= bytes[i];
  return all < 128;
}

/** @type {(bytes: Uint8Array) => boolean} */
function isUtf8(bytes) {
  try {
    for (let at = 0; at < bytes.length; at += PART) {
      strict.decode(bytes.subarray(at, at + PART), { stream: at + PART < bytes.length });
    }
    return true;
  } catch {
    // What is left of a stream goes with it.
    strict.decode(new Uint8Array(0));
    return false;
  }
}

/** @type {(text: string) => number} */
const byteLength = (text) => encoder.encode(text).length;

/** Whether each surrogate has its other half: UTF-8 has no halves. @type {(text: any) => boolean} */
const isWellFormed = (text) => text.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text);

/** @type {(text: string) => Uint8Array} */
const encoded = (text) => encoder.encode(text);

/** @type {(text: string, bytes: Uint8Array, at: number) => void} */
const encodeInto = (text, bytes, at) => void encoder.encodeInto(text, bytes.subarray(at));

/** @type {(bytes: number) => Uint8Array} */
const uncleared = (bytes) => new Uint8Array(bytes);

module.exports = { byteLength, byteText, encoded, encodeInto, isAscii, isUtf8, isWellFormed, textReader, uncleared };
