/**
 * explain(): the layout of a map in words and figures, and what a lookup in it takes, measured when it is asked.
 */
'use strict';

const { finderOf, lookUp } = require('./batch.js');
const { bytesOf } = require('./choice.js');
const { generate } = require('./generate.js');

/** @typedef {import('./generate.js').Parts} Parts */

/** Lookups that are measured, and rounds of them. The fastest counts: the first ones warm the engine up. */
const SAMPLE = 4096;
const ROUNDS = 20;
const MILLISECONDS = 10;

/** Nanoseconds of a lookup. @type {(count: number, run: () => void) => number} */
function measured(count, run) {
  let best = Infinity;
  const end = performance.now() + MILLISECONDS;
  for (let i = 0; i < ROUNDS || performance.now() < end; i++) {
    const start = process.hrtime.bigint();
    run();
    best = Math.min(best, Number(process.hrtime.bigint() - start));
  }
  return Number((best / count).toPrecision(3));
}

/** @type {(parts: Parts) => { get: number, batch: number | null, map: number }} nanoseconds each */
function measure(parts) {
  const { keys, kind } = parts;
  const count = Math.min(SAMPLE, Math.max(keys.length, 256));
  // In no order that the keys have.
  const own = Array.from({ length: count }, (_, i) => keys[(i * 40503) % keys.length]);
  const { index } = generate({ ...parts, values: null });
  let sum = 0;
  const one = measured(count, () => {
    for (let i = 0; i < count; i++) sum += index(own[i]);
  });
  const map = new Map(own.map((key, i) => [key, i]));
  const peer = measured(count, () => {
    for (let i = 0; i < count; i++) sum += map.get(own[i]) ?? 0;
  });
  if (!(sum >= 0)) return { get: one, batch: null, map: peer };
  if (kind === 'string') return { get: one, batch: null, map: peer };
  const array = keys.constructor.from(own);
  const how = { Class: Int32Array, values: null, missing: -1, out: new Int32Array(count), threads: 1 };
  return { get: one, batch: measured(count, () => lookUp(finderOf(parts), 'explain', array, how)), map: peer };
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
    compileMilliseconds: Number(milliseconds.toPrecision(3)),
    changes,
    threads,
  };
}

module.exports = { explain };
