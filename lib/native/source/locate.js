/**
 * Where a function stands in its file, which the language does not tell.
 *
 * The file that calls `native` is known from the stack, and mostly holds the function too. If its text is found there
 * just once, that is the place: messages then name the line that a reader can open, and a JSDoc comment in front of the
 * function is seen. Anything else (a function from another file, code made by eval or a bundler) has no place.
 */
'use strict';

const fs = require('node:fs');
const { fileURLToPath } = require('node:url');

/** @typedef {{ file: string, line: number, column: number, comment: string | undefined }} Location line and column from 1 */

/** Files up to this size are looked into. */
const MOST_BYTES = 2 ** 22;
/** How far in front of a function its comment may end: `const name = native(`. */
const MOST_BETWEEN = 200;

/**
 * The file read last; functions often come one after the other.
 *
 * @type {{ file: string, stamp: string, text: string } | null}
 */
let latest = null;

/** @type {(file: string) => string} '' for what cannot be read */
function textOf(file) {
  try {
    const { size, mtimeMs } = fs.statSync(file);
    const stamp = `${size} ${mtimeMs}`;
    if (latest === null || latest.file !== file || latest.stamp !== stamp) {
      latest = { file, stamp, text: size <= MOST_BYTES ? fs.readFileSync(file, 'utf8') : '' };
    }
    return latest.text;
  } catch {
    return '';
  }
}

/** The doc comment that ends right in front of a position. @type {(text: string, at: number) => string | undefined} */
function commentBefore(text, at) {
  const end = text.lastIndexOf('*/', at);
  const start = end < 0 ? -1 : text.lastIndexOf('/**', end);
  if (start < 0 || at - end > MOST_BETWEEN || text.indexOf('*/', start) !== end) return undefined;
  const between = text.slice(end + 2, at);
  return /^[^;{}]*$/u.test(between) ? text.slice(start, end + 2) : undefined;
}

/**
 * @param {string} text of the function
 * @param {string | undefined} line from base/errors.js: 'file:line:column' of the caller
 * @returns {Location | null}
 */
function locate(text, line) {
  const file = line?.replace(/:\d+:\d+$/u, '');
  if (file === undefined || file.startsWith('node:')) return null;
  const name = file.startsWith('file://') ? fileURLToPath(file) : file;
  const whole = textOf(name);
  const at = whole.indexOf(text);
  if (at < 0 || whole.includes(text, at + 1)) return null;
  const before = whole.slice(0, at).split(/\r\n|[\n\r\u2028\u2029]/u);
  const last = /** @type {string} */ (before.at(-1));
  return { file: name, line: before.length, column: last.length + 1, comment: commentBefore(whole, at) };
}

module.exports = { locate };
