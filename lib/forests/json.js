/**
 * JSON as libraries of forests write it: it may have NaN, Infinity and -Infinity, which become texts.
 */
'use strict';

const { fail } = require('../base/errors.js');

/** Texts as they are, and between them what is no JSON. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gs;

/** @type {(bytes: Uint8Array, file: string) => any} */
function parseJson(bytes, file) {
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return fail('ERR_PARSE', `${file}: not a text in UTF-8, or too large a one`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const plain = text.replace(TOKENS, (token) => (token[0] === '"' ? token : `"${token}"`));
    try {
      return JSON.parse(plain);
    } catch {
      return fail('ERR_PARSE', `${file}: ${/** @type {Error} */ (error).message}`);
    }
  }
}

module.exports = { parseJson };
