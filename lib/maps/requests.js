/**
 * What the kernels that look many keys up are given of a map (src/library/maps): by batches, which bring keys and room
 * for results, and by exports, which write it into a module as data.
 *
 * All have keys at place 0 of their arrays, and their validity at 1.
 */
'use strict';

const { run, unitsOf } = require('./kernels.js');
const { textTable } = require('./text-table.js');
const { KINDS, slotsOf } = require('./words.js');

/** @typedef {import('./generate.js').Parts} Parts */
/** @typedef {import('./kernels.js').KernelName} KernelName */

/** What is written: elements of `values`, a typed array, or indices. @typedef {{ values: any, missing: any }} Output */
/**
 * @typedef {object} Request
 * @property {KernelName} kernel
 * @property {(number | bigint)[]} slots from the third on, behind the counts of units and of keys
 * @property {(ArrayBufferView | null)[]} arrays
 * @property {number} out the place of results
 * @property {number} [offsets] that of the offsets of texts
 */
/**
 * Keys, or the bytes of texts.
 *
 * @typedef {{ length: number, keys: any, validity: Uint8Array | null, offsets?: any, out: any, threads: number }} Batch
 */

const TEXT_OFFSETS = 6;
const INDICES = /** @type {const} */ ([0, 0n]);

/** The bits of a double. */
const bits = (/** @type {number} */ number) => new BigInt64Array(Float64Array.of(number).buffer)[0];

/** @type {(values: any, value: any) => bigint} the bits that an element of this class has for a value */
function bitsIn(values, value) {
  const one = new values.constructor([value]);
  const bytes = new Uint8Array(8);
  bytes.set(new Uint8Array(one.buffer));
  return new BigInt64Array(bytes.buffer)[0];
}

/** @type {(output: Output) => readonly [number, bigint]} bytes of a value, bits of a missing one */
const outputSlots = ({ values, missing }) =>
  values === null ? INDICES : [values.BYTES_PER_ELEMENT, bitsIn(values, missing)];

/** @type {(table: import('./table.js').Table) => number[]} a gjl_map_hash */
const hashSlots = ({ factors, bucketBits, slotBits }) =>
  [...factors.map((each) => each >>> 0), bucketBits === 0 ? 0 : 32 - bucketBits, 32 - slotBits];

/** A direct table in which nothing is. */
const NOTHING = { least: 0, indices: Int32Array.of(-1) };

/** Numbers or bigints of an array of this class. @type {(parts: Parts, keys: number, output: Output) => Request} */
function numberRequest(parts, keys, output) {
  const { table } = parts;
  const direct = table ? undefined : (parts.direct ?? NOTHING);
  const own = direct ? [bits(direct.least), direct.indices.length, 0, 0, 0, 0, 0] : [0, 0, ...hashSlots(/** @type {any} */ (table))];
  return {
    kernel: 'map_find',
    slots: [keys, KINDS[/** @type {'number'} */ (parts.kind)], ...outputSlots(output), ...own],
    arrays: [null, null, direct?.indices ?? table?.slots ?? null, table?.pilots ?? null, output.values, null],
    out: 5,
  };
}

/** Texts with offsets of so many bytes; `output.values` by index. @type {(parts: Parts, width: number, output: Output) => Request} */
function textRequest(parts, width, output) {
  const { secrets, table, cells, bytes } = textTable(parts);
  const [first, ...others] = secrets;
  return {
    kernel: 'map_find_texts',
    slots: [first, width, ...outputSlots(output), ...others, ...hashSlots(table)],
    arrays: [null, null, cells, table.pilots, output.values, null, null, bytes],
    out: 5,
    offsets: TEXT_OFFSETS,
  };
}

/**
 * Texts of which the longest prefix is found; `output.values` by entry.
 *
 * @param {import('./radix.js').Radix} radix of bytes
 * @param {Uint8Array} separator
 * @param {number} width
 * @param {Output} output
 * @returns {Request}
 */
function prefixRequest({ nodes, places, nearest, above, texts, units, entries }, separator, width, output) {
  const word = separator.reduceRight((sum, byte) => 256 * sum + byte, 0);
  const own = [nodes, places, output.values, null, null, nearest, above, texts, Uint8Array.from(units), entries];
  return {
    kernel: 'map_find_prefixes',
    slots: [word, width, ...outputSlots(output), separator.length],
    arrays: [null, null, ...own],
    out: 5,
    offsets: TEXT_OFFSETS,
  };
}

/** Intervals in order, and the entry of each: words of 32 bits of IPv4, of two of 64 of IPv6. @typedef {{ lows: any, highs: any, entries: Int32Array }} Networks */

/** IP addresses as texts; `output.values` by entry. @type {(v4: Networks, v6: Networks, width: number, output: Output) => Request} */
function addressRequest(v4, v6, width, output) {
  return {
    kernel: 'map_find_addresses',
    slots: [v4.entries.length, width, ...outputSlots(output), v6.entries.length],
    arrays: [null, null, v4.lows, v4.highs, output.values, null, null, v4.entries, v6.lows, v6.highs, v6.entries],
    out: 5,
    offsets: TEXT_OFFSETS,
  };
}

/** Of rankRequest: how many words are below a key, instead of an interval. */
const RANKS = -1;

/**
 * Numbers or bigints that lie in intervals, or their ranks among words.
 *
 * @param {import('./tree.js').Tree} tree
 * @param {object} how
 * @param {number} how.keys their class
 * @param {'number' | 'signed' | 'unsigned'} how.kind
 * @param {BigInt64Array | null} how.lasts the last word of each interval; null for ranks
 * @param {Int32Array | null} how.indices by interval, where those are written
 * @param {Output} how.output `values` by interval
 * @returns {Request}
 */
function rankRequest({ words, count, levels, nodes, buckets }, { keys, kind, lasts, indices, output }) {
  const what = lasts === null ? [RANKS, 0] : outputSlots(output);
  const own = buckets === null ? levels : [buckets.starts.length, bits(buckets.origin), bits(buckets.scale)];
  return {
    kernel: 'map_rank',
    slots: [keys, KINDS[kind], ...what, count, levels.length, ...own],
    arrays: [null, null, words, buckets ? null : nodes, lasts, output.values ?? indices, null, buckets?.starts ?? null],
    out: 6,
  };
}

/** @type {(request: Request, batch: Batch) => void} */
function perform({ kernel, slots, arrays, out, offsets }, batch) {
  if (batch.length === 0) return;
  const own = [batch.keys, batch.validity, ...arrays.slice(2)];
  own[out] = batch.out;
  if (offsets !== undefined) own[offsets] = batch.offsets;
  run(kernel, slotsOf([unitsOf(batch.length), batch.length, ...slots]), own, batch.threads);
}

module.exports = { addressRequest, numberRequest, perform, prefixRequest, rankRequest, textRequest };
