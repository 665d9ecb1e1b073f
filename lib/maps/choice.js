/**
 * Which layout a map gets: of those that its keys can have the fastest, as measured with some of them, or one of less
 * memory that is nearly as fast; unless the option `layout` says it.
 *
 * What is measured are the functions that look one key up, by keys of the map and others near them in no order: their
 * code is compiled by the engine, whose speed nobody knows in advance. It is measured once in a process for maps of a
 * kind whose counts of keys and of places for each are within a factor of two. Of a large map some thousand neighbours
 * are a map to measure.
 */
'use strict';

const vm = require('node:vm');
const { fail } = require('../base/errors.js');
const { rounded } = require('../base/measure.js');
const { generate } = require('./generate.js');
const { layOutAs, layOutAsLater, shapeOf } = require('./layouts.js');
const { valuesByIndex } = require('./values.js');

/** @typedef {import('./entries.js').Entries} Entries */
/** @typedef {import('./generate.js').Layout} Layout */
/** @typedef {import('./generate.js').Parts} Parts */
/** @typedef {import('./layouts.js').Shape} Shape */
/** What was measured of a layout: nanoseconds of a lookup, and bytes. @typedef {{ layout: Layout, nanoseconds: number, bytes: number }} Candidate */
/** `candidates`: the best one first; none where nothing was measured. @typedef {{ by: 'option' | 'measurement' | 'necessity', layout: Layout, candidates: readonly Candidate[] }} Choice */

/** Places a direct table may have for each key, fewer where not all of a map is measured, and those any may have. */
const SPARSE = 16;
const SPARSE_LARGE = 8;
const ALWAYS_DIRECT = 256;
const PLACE_BYTES = 4;
const MOST_DIRECT_BYTES = 2 ** 30;
/** Most keys that comparisons are tried for, and units of each, and most keys that they can be asked for. */
const FEW = 4;
const MOST_UNITS = 256;
const MOST_COMPARED = 64;

/** Most keys of a map that is measured, and how many are looked up; a power of two. */
const SAMPLE = 2 ** 13;
/** Lookups, and milliseconds, in which the engine has compiled the code; there are more where one is far behind. */
const LOOKUPS = 2 ** 17;
const MILLISECONDS = 3;
const FAR_BEHIND = 2.5;
const MOST_MILLISECONDS = 40;
/** How much slower a layout of less memory may be. */
const NEARLY = 1.05;

/** By classes of maps. @type {Map<string, readonly Candidate[]>} */
const measured = new Map();

// --- which are possible ---

/** @type {(shape: Shape) => number} */
function directBytes({ entries: { values }, span }) {
  const each = values === null ? 0 : (values.BYTES_PER_ELEMENT ?? 8);
  return span * (PLACE_BYTES + each);
}

/** Whether keys can be compared thousands of times without that taking long. @type {(keys: ArrayLike<any>) => boolean} */
const areShort = (keys) => Array.from(keys).every((key) => typeof key !== 'string' || key.length <= MOST_UNITS);

/** @type {(shape: Shape) => Layout[]} */
function candidatesOf(shape) {
  const count = shape.entries.keys.length;
  const most = Math.max(ALWAYS_DIRECT, (count > SAMPLE ? SPARSE_LARGE : SPARSE) * count);
  /** @type {Layout[]} */
  const found = ['hash'];
  if (shape.span <= most && directBytes(shape) <= MOST_DIRECT_BYTES) found.push('direct');
  if (count <= FEW && areShort(shape.entries.keys)) found.push('comparisons');
  return found;
}

/** Refuses a layout that entries cannot have. @type {(caller: string, shape: Shape, layout: Layout) => void} */
function checkLayout(caller, shape, layout) {
  const { entries, span } = shape;
  if (entries.keys.length === 0 || layout === 'hash') return;
  const refuse = (/** @type {string} */ why) => fail('ERR_ARGUMENT', `${caller}: option 'layout' is '${layout}', ${why}`);
  const count = layout === 'comparisons' && entries.keys.length > MOST_COMPARED ? new Set(entries.keys).size : 0;
  if (count > MOST_COMPARED) refuse(`of at most ${MOST_COMPARED} keys, and there are ${count}`);
  if (layout !== 'direct') return;
  if (span === Infinity) refuse('and not all keys are numbers that are integers');
  const bytes = directBytes(shape);
  if (bytes > MOST_DIRECT_BYTES) refuse(`and a table of ${span} places takes ${bytes} bytes, the most are ${MOST_DIRECT_BYTES}`);
}

// --- what they take ---

/** Numbers that are neighbours. @type {(keys: Float64Array, span: number) => Float64Array} */
function neighbours(keys, span) {
  const width = (span * SAMPLE) / keys.length;
  const from = keys[keys.length >> 1] - width / 2;
  return keys.filter((key) => key >= from && key < from + width).slice(0, SAMPLE);
}

/** All of a map, or of a large one some keys that are neighbours. @type {(shape: Shape) => Shape} */
function sampleOf({ entries: { kind, keys, values }, span }) {
  const own = keys.length <= SAMPLE ? keys.slice() : neighbours(keys, span);
  return shapeOf({ kind: kind === 'integer' ? 'number' : kind, keys: own, values: values === null ? null : values.slice(0, own.length) });
}

/** One that is near a key, and rarely another key. @type {(key: any) => any} */
function near(key) {
  if (typeof key === 'string') return `${key.slice(0, -1)}\0`;
  return typeof key === 'bigint' ? key ^ 1n : Number.isInteger(key) ? key + 1 : key * (1 + 2 ** -40);
}

/** Three keys of four, in no order. @type {(keys: any) => any[]} */
function probesOf(keys) {
  return Array.from({ length: SAMPLE }, () => {
    const key = keys[Math.floor(Math.random() * keys.length)];
    return Math.random() < 0.25 ? near(key) : key;
  });
}

/** In another order each time, since processors remember thousands of branches. */
const LOOP = `let found = 0;
const step = 2 * Math.floor(2 ** 12 * Math.random()) + 1;
for (let i = 0; i < probes.length; i++) if (get(probes[Math.imul(i, step) & probes.length - 1]) !== undefined) found++;
return found;`;

/** Lookups of all probes, in a loop of its own, so that the engine knows what it calls. @type {(parts: Parts, probes: any[]) => () => number} */
function loopOf(parts, probes) {
  const loop = /** @type {any} */ (vm.compileFunction(LOOP, ['get', 'probes']));
  const { get } = generate(parts);
  return () => loop(get, probes);
}

/** @type {(parts: Parts) => number} */
function bytesOf({ keys, values, direct, table }) {
  const all = [keys, values, direct?.indices, table?.slots, table?.pilots];
  return all.reduce((sum, each) => sum + (each?.byteLength ?? 8 * (each?.length ?? 0)), 0);
}

/** @typedef {{ layout: Layout, parts: Parts, best: number }} Contestant */

/** Runs all in turn, so that what else the machine does slows all of them down. @type {(all: readonly Contestant[], probes: any[]) => void} */
function compete(all, probes) {
  const runs = all.map(({ parts }) => loopOf(parts, probes));
  const start = performance.now();
  const isOpen = (/** @type {number} */ round) => {
    const [spent, times] = [performance.now() - start, all.map(({ best }) => best)];
    if (round * probes.length < LOOKUPS || spent < MILLISECONDS) return true;
    return spent < MOST_MILLISECONDS && Math.max(...times) > FAR_BEHIND * Math.min(...times);
  };
  for (let round = 0; isOpen(round); round++) {
    all.forEach((each, i) => {
      const before = performance.now();
      runs[i]();
      each.best = Math.min(each.best, performance.now() - before);
    });
  }
}

/** The best one first. @type {(shape: Shape, layouts: readonly Layout[]) => readonly Candidate[]} */
function measure(shape, layouts) {
  const sample = sampleOf(shape);
  const probes = probesOf(sample.entries.keys);
  // Each of a copy, since to lay entries out moves them.
  const all = layouts.map((layout) => ({ layout, parts: layOutAs(sampleOf(sample), layout), best: Infinity }));
  compete(all, probes);
  const nanoseconds = (/** @type {number} */ best) => rounded((1e6 * best) / probes.length);
  const found = all.map(({ layout, parts, best }) => {
    return { layout, nanoseconds: nanoseconds(best), bytes: bytesOf(parts) };
  });
  const most = NEARLY * Math.min(...found.map((each) => each.nanoseconds));
  const isFast = (/** @type {Candidate} */ each) => Number(each.nanoseconds <= most);
  return found.sort((a, b) => isFast(b) - isFast(a) || a.bytes - b.bytes || a.nanoseconds - b.nanoseconds);
}

/** @type {(shape: Shape, layouts: readonly Layout[]) => readonly Candidate[]} */
function known(shape, layouts) {
  const { entries: { kind, keys, values }, span } = shape;
  const places = layouts.includes('direct') ? Math.ceil(Math.log2(span / keys.length)) : 0;
  const count = Math.ceil(Math.log2(Math.min(keys.length, SAMPLE)));
  const name = [kind, values === null, ...layouts, count, places].join();
  const found = measured.get(name) ?? measure(shape, layouts);
  measured.set(name, found);
  return found;
}

// --- choices ---

/** @type {(caller: string, shape: Shape, layout: Layout | undefined) => Choice} */
function choose(caller, shape, layout) {
  if (layout !== undefined) {
    checkLayout(caller, shape, layout);
    return { by: 'option', layout, candidates: [] };
  }
  const layouts = candidatesOf(shape);
  if (layouts.length === 1 || shape.entries.keys.length === 0) return { by: 'necessity', layout: 'hash', candidates: [] };
  const candidates = known(shape, layouts);
  return { by: 'measurement', layout: candidates[0].layout, candidates };
}

/** @typedef {{ threads: number, layout?: Layout }} How */

/** @type {(caller: string, entries: Entries, how: How) => Parts} */
function layOut(caller, entries, { threads, layout }) {
  const shape = shapeOf(entries);
  const choice = choose(caller, shape, layout);
  return { ...layOutAs(shape, choice.layout, threads), choice };
}

/** The same, with the search for a hash on another thread. @type {(caller: string, entries: Entries, how: How) => Promise<Parts>} */
async function layOutLater(caller, entries, { threads, layout }) {
  const shape = shapeOf(entries);
  const choice = choose(caller, shape, layout);
  return { ...(await layOutAsLater(shape, choice.layout, threads)), choice };
}

/**
 * The same map for exports, whose bytes are to be the same each time: where a measurement has chosen, a direct table is
 * taken by a rule, where it takes about as much memory as a hash. Comparisons have the table of a hash.
 *
 * @type {(parts: Parts) => Parts}
 */
function reproducible(parts) {
  const { kind, keys, values, choice } = parts;
  if (choice?.by !== 'measurement') return parts;
  const own = values === null ? null : valuesByIndex(parts).slice();
  const shape = shapeOf({ kind: kind === 'integer' ? 'number' : kind, keys: keys.slice(), values: own });
  const isDirect = shape.span <= Math.max(ALWAYS_DIRECT, SPARSE_LARGE * keys.length);
  return isDirect === (parts.layout === 'direct') ? parts : layOutAs(shape, isDirect ? 'direct' : 'hash');
}

module.exports = { bytesOf, checkLayout, layOut, layOutLater, reproducible };
