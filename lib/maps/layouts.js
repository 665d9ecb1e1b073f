/**
 * How a map's entries are laid out (choice.js says which layout they get):
 *
 *   direct        numbers that are integers close together: an index for each of the range
 *   comparisons   few keys: they are compared in the code, and the table is there for batches
 *   hash          one slot of a table that is looked at (table.js)
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
/** @typedef {import('./generate.js').Layout} Layout */
/** Entries whose kind is the narrowest; `span`: integers from the least to the greatest key, Infinity where some key is none. @typedef {{ entries: Entries, least: number, span: number }} Shape */

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

/** @type {(entries: Entries) => Shape} */
function shapeOf(entries) {
  const { kind, keys, values } = entries;
  if (kind !== 'number') return { entries, least: 0, span: Infinity };
  let [least, most] = [Infinity, -Infinity];
  let [integers, small] = [true, true];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (key < least) least = key;
    if (key > most) most = key;
    small &&= (key | 0) === key;
    integers &&= small || Number.isSafeInteger(key);
  }
  const span = integers ? most - least + 1 : Infinity;
  return { entries: { kind: small ? 'integer' : 'number', keys, values }, least, span };
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

/** @type {(entries: Entries, layout: Layout, table: import('./table.js').Table, textHash?: import('./texts.js').TextHash) => Parts} */
function tabled({ kind, keys, values }, layout, table, textHash) {
  const slots = slotsByIndex(table);
  return { kind, layout, keys, values: bySlot(values, (i) => slots[i], table.slots.length >> 2), table, textHash };
}

/** Parts that need no search for a hash of words, else null. @type {(shape: Shape, layout: Layout) => Parts | null} */
function withoutSearch({ entries, least, span }, layout) {
  const { kind, keys, values } = entries;
  if (keys.length === 0) return { kind, layout: 'comparisons', keys, values };
  if (layout === 'direct') return direct(entries, least, span);
  if (kind !== 'string') return null;
  const distinct = distinctTexts(entries);
  const { hash, table } = hashTexts(distinct.keys);
  return tabled(distinct, layout, table, hash);
}

/** @type {(entries: Entries, layout: Layout, found: import('./table.js').Table | import('./table.js').Equals) => Parts} */
function placed(entries, layout, found) {
  if (!('equals' in found)) return tabled(entries, layout, found);
  const { equals } = found;
  const distinct = withoutEquals(entries, (i) => (equals[i] > 0 ? equals[i] - 1 : i));
  return placed(distinct, layout, placeWords(wordsOf(distinct.keys, /** @type {any} */ (entries.kind))));
}

/** Entries in a layout that they can have. @type {(shape: Shape, layout: Layout, threads?: number) => Parts} */
function layOutAs(shape, layout, threads = 1) {
  const { entries } = shape;
  const words = () => wordsOf(entries.keys, /** @type {any} */ (entries.kind), threads);
  return withoutSearch(shape, layout) ?? placed(entries, layout, placeWords(words()));
}

/** The same, with the search for a hash on another thread. @type {(shape: Shape, layout: Layout, threads: number) => Promise<Parts>} */
async function layOutAsLater(shape, layout, threads) {
  const { entries } = shape;
  const words = () => wordsOf(entries.keys, /** @type {any} */ (entries.kind), threads);
  return withoutSearch(shape, layout) ?? placed(entries, layout, await placeWordsLater(words()));
}

module.exports = { layOutAs, layOutAsLater, shapeOf };
