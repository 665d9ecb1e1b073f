/**
 * Prefixes of texts: a radix tree of UTF-16 units for strings, and one of bytes for columns, made when the first one is
 * looked up.
 *
 * A prefix that ends amid a character begins texts that have the whole of it, which bytes do not show. Where there is
 * one, columns are read text by text, and nothing is exported.
 */
'use strict';

const { performTexts } = require('./batch.js');
const { prefixRequest } = require('./requests.js');
const { radixFinder, radixTree } = require('./radix.js');

/** @typedef {import('../columns/data/column.js').Column} Column */
/** @typedef {import('./compiled-trie.js').Search} Search */

/** @type {(text: string) => boolean} */
const isPaired = (text) => /** @type {any} */ (text).isWellFormed();

/** Bytes of UTF-8 as the units of a string, in the order of which they are. @type {(text: string) => string} */
const inBytes = (text) => Buffer.from(text).toString('latin1');

/**
 * @param {readonly string[]} prefixes
 * @param {string | undefined} separator
 * @returns {Search}
 */
function textSearch(prefixes, separator) {
  const radix = radixTree(prefixes);
  const index = radixFinder(radix, separator === undefined ? -1 : separator.charCodeAt(0));
  const { length } = radix.entries;
  const isInBytes = prefixes.every(isPaired) && isPaired(separator ?? '');
  /** @type {import('./radix.js').Radix | undefined} */
  let bytes;
  /** @type {Search['request']} */
  const request = (width, output) => {
    bytes ??= radixTree(prefixes.map(inBytes));
    return prefixRequest(bytes, Buffer.from(separator ?? ''), width, output);
  };
  const each = (/** @type {Column} */ column, /** @type {import('./batch.js').Output} */ { out }) => {
    for (let i = 0; i < column.length; i++) out[i] = index(column.get(i));
  };
  return {
    index,
    keys: 'strings',
    texts: isInBytes ? (column, output) => performTexts(column, (width) => request(width, output), output) : each,
    request: isInBytes ? request : undefined,
    explain: () => ({
      keys: 'text', layout: 'radix tree', nodes: length,
      single: 'JavaScript: one unit read and one slot looked at for each node, then one comparison',
      batch: isInBytes ? 'columns: native, a radix tree of bytes' : 'columns: text by text, since a prefix ends amid a character',
    }),
  };
}

module.exports = { textSearch };
