/**
 * The door of static maps: data that is looked up often and changes seldom, compiled from its keys.
 */
'use strict';

const { boolean, expected, oneOf, readOptions } = require('../base/check.js');
const { readEntries, readKeys } = require('./entries.js');
const { CompiledMap } = require('./compiled-map.js');
const { CompiledRanges } = require('./compiled-ranges.js');
const { cidrRange } = require('./addresses.js');
const { trieOf } = require('./compiled-trie.js');
const { readRanges } = require('./read-ranges.js');
const { GETTERS, mapOptionsOf, optionsOf } = require('./results.js');

/**
 * A map of entries.
 *
 * @param {any} entries
 * @param {unknown} [options]
 * @returns {CompiledMap}
 */
const compileMap = (entries, options) => new CompiledMap(readEntries('compileMap', entries), mapOptionsOf('compileMap', options));

/**
 * A set of keys.
 *
 * @param {any} keys
 * @param {unknown} [options]
 * @returns {CompiledMap}
 */
const compileSet = (keys, options) => new CompiledMap(readKeys('compileSet', keys), mapOptionsOf('compileSet', options));

/**
 * Intervals, none of which overlap, to values.
 *
 * @param {any} ranges
 * @param {unknown} [options]
 * @returns {CompiledRanges}
 */
function compileRanges(ranges, options) {
  const { inclusive = false, ...more } = readOptions('compileRanges', options, { ...GETTERS, inclusive: boolean });
  const { intervals, values } = readRanges('compileRanges', ranges, inclusive);
  return new CompiledRanges(intervals, values, optionsOf('compileRanges', more));
}

/** @type {(value: unknown, which: string, caller: string) => string} one UTF-16 unit */
const unit = (value, which, caller) =>
  typeof value === 'string' && value.length === 1 ? value : expected(caller, 'a string of one UTF-16 unit', which, value);

/**
 * Prefixes to values: of texts, or of IP addresses where all are networks.
 *
 * @param {any} entries
 * @param {unknown} [options]
 * @returns {import('./compiled-trie.js').CompiledTrie}
 */
function compileTrie(entries, options) {
  const getters = { ...GETTERS, separator: unit, of: oneOf(['texts', 'networks']) };
  const { separator, of, ...more } = readOptions('compileTrie', options, getters);
  const own = optionsOf('compileTrie', more);
  return trieOf('compileTrie', readEntries('compileTrie', entries), { ...own, separator, of: /** @type {'texts'} */ (of) });
}

module.exports = { cidrRange, compileMap, compileRanges, compileSet, compileTrie };
