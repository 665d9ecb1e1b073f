/**
 * What kernels have kept of groups, or of a whole table, as columns of one row per group.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { Column, decimalText } = require('../data/column.js');
const { nullColumn, runsOf, takeColumn } = require('../data/parts.js');
const { ARRAYS, piecesOf } = require('../run/driver.js');
const { float64 } = require('../types/index.js');

/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('./partition.js').Partition} Partition */

/**
 * Fields of groups by the word that they are in. `numbers`: element by element as what they are.
 *
 * @typedef {object} Kept
 * @property {number} size
 * @property {(field: any, rep: string) => any} numbers a typed array
 * @property {(field: any, count: number) => BigInt64Array} words so many a group
 */

/** Groups of all partitions by their first rows, which ascend in each. @type {(partitions: readonly Partition[], words: number) => { parts: Uint8Array, indices: Int32Array }} */
function inOrder(partitions, words) {
  const size = partitions.reduce((sum, each) => sum + each.size, 0);
  const parts = new Uint8Array(size);
  const indices = new Int32Array(size);
  // First words of records are row numbers below 2^32: their lower halves.
  const rows = partitions.map(({ records }) => new Uint32Array(records.buffer));
  const next = partitions.map(() => 0);
  for (let i = 0; i < size; i++) {
    let best = -1;
    for (let p = 0; p < partitions.length; p++) {
      if (next[p] === partitions[p].size) continue;
      if (best < 0 || rows[p][2 * words * next[p]] < rows[best][2 * words * next[best]]) best = p;
    }
    parts[i] = best;
    indices[i] = next[best]++;
  }
  return { parts, indices };
}

/** @type {(partitions: readonly Partition[], words: number) => Kept} */
function keptOf(partitions, words) {
  const { parts, indices } = inOrder(partitions, words);
  const size = parts.length;
  /** @type {Kept['numbers']} */
  const numbers = (word, rep) => {
    const Class = ARRAYS[rep];
    const per = 8 / Class.BYTES_PER_ELEMENT;
    const views = partitions.map(({ records }) => new Class(records.buffer));
    const out = new Class(size);
    for (let i = 0; i < size; i++) out[i] = views[parts[i]][(indices[i] * words + word) * per];
    return out;
  };
  /** @type {Kept['words']} */
  const wordsOf = (word, count) => {
    const out = new BigInt64Array(size * count);
    for (let i = 0; i < size; i++) {
      const at = indices[i] * words + word;
      for (let k = 0; k < count; k++) out[i * count + k] = partitions[parts[i]].records[at + k];
    }
    return out;
  };
  return { size, numbers, words: wordsOf };
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

/** How lanes and pieces come together, by fold. @type {Record<string, (a: any, b: any) => any>} */
const JOIN = {
  sum: (a, b) => a + b,
  count: (a, b) => a + b,
  min: (a, b) => (a < b || a !== a ? a : b),
  max: (a, b) => (a > b || a !== a ? a : b),
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
  return { size: 1, numbers, words: (table) => numbers(table, 'i64') };
}

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

/** Which sums of decimals there are: of some rows, and not too large. @type {(kept: Kept, planned: any, counts: BigInt64Array) => (i: number) => boolean} */
function wideSums(kept, { call, fields: [field], finish: { overflow } }, counts) {
  const lost = kept.numbers(field + 2, 'i64');
  if (overflow !== 'null' && lost.some((/** @type {bigint} */ each) => each !== 0n))
    fail('ERR_CALL', `aggregate: ${call.fn}: a sum of decimals has more than 38 digits`);
  return (i) => counts[i] > 0n && lost[i] === 0n;
}

/** @type {Record<string, (kept: Kept, planned: any, counts: BigInt64Array) => Column>} */
const FINISH = {
  count: (kept, { result }, counts) => new Column(result, kept.size, { values: counts, validity: null }),

  field: (kept, { result, fields: [field] }, counts) => {
    const values = kept.numbers(field, /** @type {string} */ (result.dtype));
    return new Column(result, kept.size, { values, validity: validityWhere(kept.size, (i) => counts[i] > 0n) });
  },

  checked: (kept, { call, result, fields: [field, float], finish: { overflow } }, counts) => {
    const values = kept.numbers(field, /** @type {string} */ (result.dtype));
    const floats = kept.numbers(float, 'f64');
    const isLost = (/** @type {number} */ i) => Math.abs(floats[i] - Number(values[i])) > 2 ** 62;
    if (overflow === 'error' && values.some((/** @type {bigint} */ _, /** @type {number} */ i) => isLost(i)))
      fail('ERR_CALL', `aggregate: ${call.fn}: ${result.text} overflow`);
    return new Column(result, kept.size, { values, validity: validityWhere(kept.size, (i) => counts[i] > 0n && !isLost(i)) });
  },

  bool: (kept, { result, fields: [field] }, counts) => {
    const numbers = kept.numbers(field, 'u8');
    const values = validityWhere(kept.size, (i) => numbers[i] !== 0) ?? new Uint8Array(Math.ceil(kept.size / 8)).fill(255);
    return new Column(result, kept.size, { values, validity: validityWhere(kept.size, (i) => counts[i] > 0n) });
  },

  mean: (kept, { result, fields: [field] }, counts) => {
    const values = kept.numbers(field, 'f64');
    for (let i = 0; i < values.length; i++) values[i] /= Number(counts[i]);
    return new Column(result, kept.size, { values, validity: validityWhere(kept.size, (i) => counts[i] > 0n) });
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
    return new Column(result, kept.size, { values, validity: validityWhere(kept.size, (i) => counts[i] > 0n) });
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

/** @type {(kept: Kept, planned: any) => BigInt64Array} */
const countsOf = (kept, { count }) => kept.numbers(count, 'i64');

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
  return new Column(float64, kept.size, { values, validity: validityWhere(kept.size, (i) => counts[i] > 0n) });
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
