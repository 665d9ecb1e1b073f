/**
 * explain(): the layout of a map in words and figures, and what a lookup in it takes, measured when it is asked.
 */
'use strict';

const { nanosecondsOf, rounded } = require('../base/measure.js');
const { finderOf, lookUp } = require('./batch.js');
const { bytesOf } = require('./choice.js');
const { generate } = require('./generate.js');

/** @typedef {import('./generate.js').Parts} Parts */

/** Lookups that are measured, and for how long. */
const SAMPLE = 4096;
const LEAST = { rounds: 20, milliseconds: 10 };

/** @type {(parts: Parts) => { get: number, batch: number | null, map: number }} nanoseconds each */
function measure(parts) {
  const { keys, kind } = parts;
  const count = Math.min(SAMPLE, Math.max(keys.length, 256));
  // In no order that the keys have.
  const own = Array.from({ length: count }, (_, i) => keys[(i * 40503) % keys.length]);
  const { index } = generate({ ...parts, values: null });
  let sum = 0;
  const one = nanosecondsOf(count, () => {
    for (let i = 0; i < count; i++) sum += index(own[i]);
  }, LEAST);
  const map = new Map(own.map((key, i) => [key, i]));
  const peer = nanosecondsOf(count, () => {
    for (let i = 0; i < count; i++) sum += map.get(own[i]) ?? 0;
  }, LEAST);
  // That the sum is looked at keeps the loops.
  if (!(sum >= 0) || kind === 'string') return { get: one, batch: null, map: peer };
  const array = keys.constructor.from(own);
  const how = { Class: Int32Array, values: null, missing: -1, out: new Int32Array(count), threads: 1 };
  const batch = nanosecondsOf(count, () => lookUp(finderOf(parts), 'explain', array, how), LEAST);
  return { get: one, batch, map: peer };
}

/** How keys are found. @type {(parts: Parts) => string} */
function layoutText({ kind, layout, keys, direct, table, textHash }) {
  const count = keys.length;
  if (layout === 'direct') return `${count} integers in ${Number(direct?.indices.length) - 1} places`;
  const full = `${count} keys in ${2 ** Number(table?.slotBits)} slots`;
  const how =
    table?.hash === 'product'
      ? `one factor for each half of a key's word, found by trying, tells all apart: ${full}`
      : `buckets of keys, each with a pilot that puts them on free slots: ${full}`;
  if (kind !== 'string') return how;
  const places = textHash?.places;
  const from = places ? `the length and the units at ${places.join(', ') || 'no place'}` : 'all units';
  return `${how}; strings are hashed from ${from}`;
}

/** @type {(parts: Parts) => string} */
function reason(parts) {
  const { keys, choice } = parts;
  if (keys.length === 0) return 'there are no keys';
  if (choice?.by === 'option') return `the option 'layout' says so; ${layoutText(parts)}`;
  if (choice?.by !== 'measurement') return `no other layout is possible for these keys; ${layoutText(parts)}`;
  const [first, ...others] = choice.candidates;
  const isFastest = others.every(({ nanoseconds }) => nanoseconds >= first.nanoseconds);
  const why = isFastest ? 'the fastest that was measured' : 'nearly the fastest that was measured, and takes less memory';
  return `${why}, of ${choice.candidates.length}; ${layoutText(parts)}`;
}

/**
 * @param {Parts} parts
 * @param {{ milliseconds: number, changes: number, threads: number }} more
 */
function explain(parts, { milliseconds, changes, threads }) {
  const { kind, layout, keys, table } = parts;
  return {
    keys: kind,
    size: keys.length,
    layout: layout === 'hash' ? `hash by ${table?.hash}` : layout,
    reason: reason(parts),
    candidates: parts.choice?.candidates.map((each) => ({ ...each })) ?? [],
    single: 'JavaScript made for these keys: a call into the addon takes longer than a lookup',
    nanoseconds: keys.length === 0 ? null : measure(parts),
    bytes: bytesOf(parts),
    compileMilliseconds: rounded(milliseconds),
    changes,
    threads,
  };
}

module.exports = { explain };
