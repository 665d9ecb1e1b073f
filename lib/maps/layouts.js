/**
 * How a map's entries are laid out, by what their keys are:
 *
 *   direct        numbers that are integers close together: an index for each of the range
 *   comparisons   one key: it is compared in the code, and the table is there for batches
 *   hash          all others, one slot of a table that is looked at (table.js)
 *
 * Of keys that are equal the last one's value counts, at the place of the first one, as in a Map.
 */
'use strict';

const { inLargePages } = require('../tensor/allocate.js');
const { slotsByIndex } = require('./generate.js');
const { placeWords, placeWordsLater } = require('./table.js');
const { hashTexts } = require('./texts.js');
const { wordsOf } = require('./words.js');

/** @typedef {import('./entries.js').Entries} Entries */
/** @typedef {import('./generate.js').Parts} Parts */

/** Entries a direct table has room for, for each that is there, and those that any may have. */
const SPARSE = 8;
const ALWAYS_DIRECT = 256;

/**
 * Most keys that are compared in the code. With hits and misses in no order, a second one costs a branch that nobody
 * foresees: of two numbers a hash takes 16.3 ns and comparisons 17.0, of eight 16.3 and 18.9; of eight strings 16.1
 * and 32.5.
 */
const MOST_COMPARED = 1;

/** Keeps of equal entries the last one's value at the place of the first. @type {(entries: Entries, firstOf: (i: number) => number) => Entries} */
function withoutEquals({ kind, keys, values }, firstOf) {
  const places = new Int32Array(keys.length);
  let size = 0;
  for (let i = 0; i < keys.length; i++) {
    const first = firstOf(i);
    const at = first === i ? size++ : places[first];
    places[i] = at;
    if (first === i) keys[at] = keys[i];
    if (values !== null) values[at] = values[i];
  }
  return { kind, keys: keys.slice(0, size), values: values === null ? null : values.slice(0, size) };
}

/** @type {(entries: Entries) => Entries} */
function distinctTexts(entries) {
  /** @type {Map<string, number>} */
  const firsts = new Map();
  entries.keys.forEach((/** @type {string} */ key, /** @type {number} */ i) => {
    if (!firsts.has(key)) firsts.set(key, i);
  });
  if (firsts.size === entries.keys.length) return entries;
  return withoutEquals(entries, (i) => /** @type {number} */ (firsts.get(entries.keys[i])));
}

/** What numbers are: integers of 32 bits all, integers, and within what. @type {(keys: Float64Array) => { integers: boolean, small: boolean, least: number, most: number }} */
function rangeOf(keys) {
  let [least, most] = [Infinity, -Infinity];
  let [integers, small] = [true, true];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (key < least) least = key;
    if (key > most) most = key;
    small &&= (key | 0) === key;
    integers &&= small || Number.isSafeInteger(key);
  }
  return { integers, small, least, most };
}

/** Values in the order of slots. @type {(values: any, slotOf: (i: number) => number, slots: number) => any} */
function bySlot(values, slotOf, slots) {
  if (values === null) return null;
  const isTyped = ArrayBuffer.isView(values);
  const own = isTyped ? new /** @type {any} */ (values).constructor(slots) : new Array(slots).fill(undefined);
  if (isTyped) inLargePages(new Uint8Array(own.buffer));
  for (let i = 0; i < values.length; i++) own[slotOf(i)] = values[i];
  return own;
}

/** Behind the places of keys is one that batches take for all others. @type {(entries: Entries, least: number, span: number) => Parts} */
function direct({ keys, values }, least, span) {
  const indices = new Int32Array(span + 1);
  inLargePages(new Uint8Array(indices.buffer));
  indices.fill(-1);
  for (let i = 0; i < keys.length; i++) if (indices[keys[i] - least] < 0) indices[keys[i] - least] = i;
  const distinct = withoutEquals({ kind: 'number', keys, values }, (i) => indices[keys[i] - least]);
  for (let i = 0; i < distinct.keys.length; i++) indices[distinct.keys[i] - least] = i;
  const own = bySlot(distinct.values, (i) => distinct.keys[i] - least, span + 1);
  return { kind: 'number', layout: 'direct', keys: distinct.keys, values: own, direct: { least: least + 0, indices } };
}

/** @type {(entries: Entries, table: import('./table.js').Table, textHash?: import('./texts.js').TextHash) => Parts} */
function hashed({ kind, keys, values }, table, textHash) {
  const slots = slotsByIndex(table);
  const layout = keys.length <= MOST_COMPARED ? 'comparisons' : 'hash';
  return { kind, layout, keys, values: bySlot(values, (i) => slots[i], table.slots.length >> 2), table, textHash };
}

/** What can be laid out without a search, and else entries to search a hash for. @type {(entries: Entries) => { parts: Parts } | { entries: Entries }} */
function prepare(entries) {
  const { kind, keys, values } = entries;
  if (keys.length === 0) return { parts: { kind, layout: 'comparisons', keys, values } };
  if (kind === 'string') {
    const distinct = distinctTexts(entries);
    const { hash, table } = hashTexts(distinct.keys);
    return { parts: hashed(distinct, table, hash) };
  }
  if (kind !== 'number') return { entries };
  const { integers, small, least, most } = rangeOf(keys);
  const span = most - least + 1;
  if (integers && span <= Math.max(ALWAYS_DIRECT, SPARSE * keys.length)) return { parts: direct(entries, least, span) };
  return { entries: { kind: small ? 'integer' : 'number', keys, values } };
}

/** @type {(entries: Entries, words: BigInt64Array, found: import('./table.js').Table | import('./table.js').Equals) => Parts} */
function placed(entries, words, found) {
  if (!('equals' in found)) return hashed(entries, found);
  const { equals } = found;
  const distinct = withoutEquals(entries, (i) => (equals[i] > 0 ? equals[i] - 1 : i));
  return placed(distinct, words, placeWords(wordsOf(distinct.keys, /** @type {any} */ (entries.kind))));
}

/** @type {(entries: Entries, threads: number) => Parts} */
function layOut(entries, threads) {
  const prepared = prepare(entries);
  if ('parts' in prepared) return prepared.parts;
  const words = wordsOf(prepared.entries.keys, /** @type {any} */ (prepared.entries.kind), threads);
  return placed(prepared.entries, words, placeWords(words));
}

/** The same, with the search for a hash on another thread. @type {(entries: Entries, threads: number) => Promise<Parts>} */
async function layOutLater(entries, threads) {
  const prepared = prepare(entries);
  if ('parts' in prepared) return prepared.parts;
  const words = wordsOf(prepared.entries.keys, /** @type {any} */ (prepared.entries.kind), threads);
  return placed(prepared.entries, words, await placeWordsLater(words));
}

module.exports = { layOut, layOutLater };
