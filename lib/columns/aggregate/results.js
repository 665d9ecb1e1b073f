/**
 * What kernels have kept of groups, or of a whole table, as columns of one row per group.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { locatedAt } = require('../analyse/located.js');
const { Column, decimalText } = require('../data/column.js');
const { nullColumn, runsOf, takeColumn } = require('../data/parts.js');
const { ARRAYS, piecesOf } = require('../run/driver.js');
const { float64 } = require('../types/index.js');

/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('./partition.js').Partition | import('./partition.js').DirectPartition} Partition */

/**
 * Fields of groups by the word that they are in. `numbers`: element by element as what they are.
 *
 * @typedef {object} Kept
 * @property {number} size
 * @property {(field: any, rep: string) => any} numbers a typed array
 * @property {(field: any, count: number) => BigInt64Array} words so many a group
 * @property {() => Uint32Array} rows numbers of first rows
 */

/**
 * Groups of all partitions by their first rows, which ascend in each: of which partition, in which record, that row.
 *
 * @type {(partitions: readonly Partition[]) => { parts: Uint8Array, indices: Int32Array, rows: Uint32Array }}
 */
function inOrder(partitions) {
  const size = partitions.reduce((sum, each) => sum + each.size, 0);
  const parts = new Uint8Array(size);
  const orders = partitions.map((each) => each.order());
  const firsts = partitions.map((each) => each.rows());
  if (partitions.length === 1) return { parts, indices: orders[0], rows: firsts[0] };
  const indices = new Int32Array(size);
  const rows = new Uint32Array(size);
  const next = partitions.map(() => 0);
  for (let i = 0; i < size; i++) {
    let best = 0;
    let least = Infinity;
    for (let p = 0; p < next.length; p++) {
      const row = next[p] < firsts[p].length ? firsts[p][next[p]] : Infinity;
      if (row < least) {
        best = p;
        least = row;
      }
    }
    parts[i] = best;
    rows[i] = least;
    indices[i] = orders[best][next[best]++];
  }
  return { parts, indices, rows };
}

/** @type {(partitions: readonly Partition[], words: number) => Kept} */
function keptOf(partitions, words) {
  const { parts, indices, rows } = inOrder(partitions);
  const size = parts.length;
  const viewsAs = (/** @type {any} */ Class) => partitions.map(({ records }) => new Class(records.buffer));
  /** @type {Kept['numbers']} */
  const numbers = (word, rep) => {
    const Class = ARRAYS[rep];
    const out = new Class(size);
    const per = 8 / Class.BYTES_PER_ELEMENT;
    if (per === 1) copyWords(new Uint32Array(out.buffer), 0, 2, viewsAs(Uint32Array), parts, indices, words, word);
    else copyParts(out, viewsAs(Class), parts, indices, words * per, word * per);
    return out;
  };
  /** @type {Kept['words']} */
  const wordsOf = (word, count) => {
    const out = new BigInt64Array(size * count);
    const halves = new Uint32Array(out.buffer);
    for (let k = 0; k < count; k++) {
      copyWords(halves, 2 * k, 2 * count, viewsAs(Uint32Array), parts, indices, words, word + k);
    }
    return out;
  };
  return { size, numbers, rows: () => rows, words: wordsOf };
}

/** @type {(out: any, views: any[], parts: Uint8Array, indices: Int32Array, step: number, at: number) => void} */
function copyParts(out, views, parts, indices, step, at) {
  for (let i = 0; i < out.length; i++) out[i] = views[parts[i]][indices[i] * step + at];
}

/** Copies words by their halves: a bigint for each would take longer than anything else. @type {(out: Uint32Array, begin: number, step: number, views: Uint32Array[], parts: Uint8Array, indices: Int32Array, words: number, word: number) => void} */
function copyWords(out, begin, step, views, parts, indices, words, word) {
  const [only] = views;
  const isOne = views.length === 1;
  let k = begin;
  for (let i = 0; i < indices.length; i++) {
    const from = isOne ? only : views[parts[i]];
    const at = 2 * (indices[i] * words + word);
    out[k] = from[at];
    out[k + 1] = from[at + 1];
    k += step;
  }
}

/** Arrays that kernels write: of folds, so many lanes for each piece; of groups, something for each row. @type {(buffers: readonly import('../kernel/dag.js').Buffer[], chunks: readonly { rows: number, columns: any }[], isGrouped: boolean) => Map<string, any>} */
function outputsFor(buffers, chunks, isGrouped) {
  const rows = chunks.reduce((sum, chunk) => sum + chunk.rows, 0);
  const size = isGrouped ? rows : MOST_LANES * Math.max(1, piecesOf(chunks));
  const own = buffers.filter(({ role }) => role === 'out');
  return new Map(own.map(({ column, dtype }) => [`${column} values`, new ARRAYS[dtype](size)]));
}

/** Elements of a vector, at most. */
const MOST_LANES = 64;

/** How lanes and pieces come together, by fold: as in kernels, NaN wins and -0 is below 0. @type {Record<string, (a: any, b: any) => any>} */
const JOIN = {
  sum: (a, b) => a + b,
  count: (a, b) => a + b,
  min: (a, b) => (typeof a === 'bigint' ? (a < b ? a : b) : Math.min(a, b)),
  max: (a, b) => (typeof a === 'bigint' ? (a > b ? a : b) : Math.max(a, b)),
  first: (a, b) => (a >= 0n ? a : b),
  last: (a, b) => (b >= 0n ? b : a),
};

/** What folds of a whole table have given, as one group. @type {(tables: ReadonlyMap<string, any>, folds: readonly { table: string, lanes: number }[], pieces: number) => Kept} */
function wholeOf(tables, folds, pieces) {
  /** @type {Kept['numbers']} */
  const numbers = (table, rep) => {
    const { lanes } = /** @type {{ lanes: number }} */ (folds.find((fold) => fold.table === table));
    const values = tables.get(`${table} values`);
    const join = JOIN[table.split(' ')[1]];
    const out = new ARRAYS[rep](1);
    if (pieces === 0) return out.fill(join === JOIN.first || join === JOIN.last ? -1n : out[0]);
    const all = values.subarray(0, pieces * lanes);
    let sum = all[0];
    for (let i = 1; i < all.length; i++) sum = join(sum, all[i]);
    out[0] = sum;
    return out;
  };
  return { size: 1, numbers, rows: () => new Uint32Array(1), words: (table) => numbers(table, 'i64') };
}

/** Rows of groups that have an operand; null where all groups have some. @typedef {BigInt64Array | null} Counts */

/** Whether a group has an operand. @type {(counts: Counts) => (i: number) => boolean} */
function isCounted(counts) {
  if (counts === null) return () => true;
  const halves = new Uint32Array(counts.buffer, counts.byteOffset, 2 * counts.length);
  return (i) => halves[2 * i] !== 0 || halves[2 * i + 1] !== 0;
}

/** Which groups have an operand, null if all have. @type {(kept: Kept, counts: Counts) => Uint8Array | null} */
const counted = (kept, counts) => (counts === null ? null : validityWhere(kept.size, isCounted(counts)));

/** A bit for each group that `has` says something of. @type {(size: number, has: (i: number) => boolean) => Uint8Array | null} */
function validityWhere(size, has) {
  const bits = new Uint8Array(8 * Math.ceil(size / 64));
  let all = true;
  for (let i = 0; i < size; i++) {
    if (has(i)) bits[i >> 3] |= 1 << (i & 7);
    else all = false;
  }
  return all ? null : bits.subarray(0, Math.ceil(size / 8));
}

/** Calls in pages know no place. @type {(call: import('./split.js').Call, what: string) => never} */
function refuse({ fn, ast, text }, what) {
  const message = `aggregate: ${fn}: ${what}`;
  return fail('ERR_CALL', ast === undefined ? message : locatedAt(text, ast, message));
}

/** Which sums of decimals there are: of some rows, and not too large. @type {(kept: Kept, planned: any, counts: Counts) => (i: number) => boolean} */
function wideSums(kept, { call, fields: [field], finish: { overflow } }, counts) {
  const lost = kept.numbers(field + 2, 'i64');
  if (overflow !== 'null' && lost.some((/** @type {bigint} */ each) => each !== 0n))
    refuse(call, 'a sum of decimals has more than 38 digits');
  const has = isCounted(counts);
  return (i) => has(i) && lost[i] === 0n;
}

/** Those that divide by counts, or give them, have them. @type {Record<string, (kept: Kept, planned: any, counts: any) => Column>} */
const FINISH = {
  count: (kept, { result }, counts) => new Column(result, kept.size, { values: counts, validity: null }),

  field: (kept, { result, fields: [field] }, counts) => {
    const values = kept.numbers(field, /** @type {string} */ (result.dtype));
    return new Column(result, kept.size, { values, validity: counted(kept, counts) });
  },

  checked: (kept, { call, result, fields: [field, float], finish: { overflow } }, counts) => {
    const values = kept.numbers(field, /** @type {string} */ (result.dtype));
    const floats = kept.numbers(float, 'f64');
    const has = isCounted(counts);
    const isLost = (/** @type {number} */ i) => Math.abs(floats[i] - Number(values[i])) > 2 ** 62;
    if (overflow === 'error' && values.some((/** @type {bigint} */ _, /** @type {number} */ i) => isLost(i)))
      refuse(call, `${result.text} overflow`);
    return new Column(result, kept.size, { values, validity: validityWhere(kept.size, (i) => has(i) && !isLost(i)) });
  },

  bool: (kept, { result, fields: [field] }, counts) => {
    const numbers = kept.numbers(field, 'u8');
    const all = () => new Uint8Array(Math.ceil(kept.size / 8)).fill(255);
    const values = validityWhere(kept.size, (i) => numbers[i] !== 0) ?? all();
    return new Column(result, kept.size, { values, validity: counted(kept, counts) });
  },

  mean: (kept, { result, fields: [field] }, counts) => {
    const values = kept.numbers(field, 'f64');
    for (let i = 0; i < values.length; i++) values[i] /= Number(counts[i]);
    return new Column(result, kept.size, { values, validity: counted(kept, counts) });
  },

  moments: (kept, { result, fields: [field], finish: { ddof, root } }) => {
    const counts = kept.numbers(field, 'f64');
    const values = kept.numbers(field + 2, 'f64');
    for (let i = 0; i < values.length; i++) {
      const variance = values[i] / (counts[i] - ddof);
      values[i] = root ? Math.sqrt(variance) : variance;
    }
    return new Column(result, kept.size, { values, validity: validityWhere(kept.size, (i) => counts[i] > ddof) });
  },

  wideSum: (kept, planned, counts) => {
    const has = wideSums(kept, planned, counts);
    const values = new Uint32Array(kept.words(planned.fields[0], 2).buffer);
    return new Column(planned.result, kept.size, { values, validity: validityWhere(kept.size, has) });
  },

  wideMean: (kept, planned, counts) => {
    const has = wideSums(kept, planned, counts);
    const words = kept.words(planned.fields[0], 2);
    const values = Float64Array.from({ length: kept.size }, (_, i) => {
      const digits = (words[2 * i + 1] << 64n) | BigInt.asUintN(64, words[2 * i]);
      return Number(decimalText(digits, planned.finish.scale)) / Number(counts[i]);
    });
    return new Column(planned.result, kept.size, { values, validity: validityWhere(kept.size, has) });
  },

  wide: (kept, { result, fields: [field] }, counts) => {
    const values = new Uint32Array(kept.words(field, 2).buffer);
    return new Column(result, kept.size, { values, validity: counted(kept, counts) });
  },
};

/** Rows of a column by number; null where it is below 0. @type {(chunks: readonly Column[], rows: BigInt64Array) => Column} */
function rowsOf(chunks, rows) {
  const numbers = Uint32Array.from(rows, (row) => Number(row < 0n ? 0n : row));
  const taken = takeColumn(chunks, numbers, runsOf(chunks.map(({ length }) => ({ rows: length })), numbers));
  const there = validityWhere(rows.length, (i) => rows[i] >= 0n);
  if (there === null) return taken;
  const { type, values, offsets, validity, dictionary } = taken;
  const both = validity === null ? there : there.map((bits, i) => bits & validity[i]);
  return new Column(type, rows.length, { values, offsets, validity: both, dictionary });
}

/** @type {(kept: Kept, planned: any) => Counts} */
const countsOf = (kept, { count }) => (count === null ? null : kept.numbers(count, 'i64'));

/** The value at a share of the way through numbers in order. @type {(values: Float64Array, share: number) => number} */
function quantileOf(values, share) {
  // NaNs come last.
  values.sort();
  const at = share * (values.length - 1);
  const below = Math.floor(at);
  const next = values[Math.min(below + 1, values.length - 1)];
  // The difference of two infinities is none.
  return at === below || next === values[below] ? values[below] : values[below] + (next - values[below]) * (at - below);
}

/**
 * @param {Kept} kept
 * @param {any} planned
 * @param {Int32Array} links of each row, to the one before
 * @param {ArrayLike<number | bigint>} numbers by row
 */
function quantiles(kept, { fields: [field], count, call: { share } }, links, numbers) {
  const lasts = kept.numbers(field, 'i64');
  const counts = kept.numbers(count, 'i64');
  const values = new Float64Array(kept.size);
  for (let i = 0; i < kept.size; i++) {
    const own = new Float64Array(Number(counts[i]));
    for (let k = own.length, row = Number(lasts[i]); k-- > 0; row = links[row]) own[k] = Number(numbers[row]);
    if (own.length > 0) values[i] = quantileOf(own, share);
  }
  return new Column(float64, kept.size, { values, validity: counted(kept, counts) });
}

/**
 * What a column of results needs besides what was kept: columns of the table, links between rows, counts of values.
 *
 * @typedef {object} Sources
 * @property {(ast: any, rows: BigInt64Array) => Generator<any, Column, any>} valuesAt
 * @property {(planned: any) => Int32Array} links
 * @property {(ast: any) => ArrayLike<number | bigint>} numbers
 * @property {(call: any) => Generator<any, Column, any>} distinct
 */

/** The column of an aggregate, which may need more runs. @type {(kept: Kept, planned: any, sources: Sources) => Generator<any, Column, any>} */
function* columnFor(kept, planned, sources) {
  const { kind } = planned.finish;
  const make = FINISH[kind];
  if (make !== undefined) return make(kept, planned, countsOf(kept, planned));
  const { arg } = planned.call;
  if (kind === 'distinct') return yield* sources.distinct(planned.call);
  if (kind === 'quantile') return quantiles(kept, planned, sources.links(planned), sources.numbers(arg));
  const [field] = planned.fields;
  const rows = kind === 'text' ? kept.numbers(field + 2, 'i64') : kept.numbers(field, 'i64');
  const isNothing = rows.every((/** @type {bigint} */ row) => row < 0n);
  return isNothing ? nullColumn(planned.result, rows.length) : yield* sources.valuesAt(arg, rows);
}

module.exports = { columnFor, keptOf, outputsFor, rowsOf, wholeOf };
