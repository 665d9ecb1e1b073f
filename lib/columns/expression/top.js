/**
 * The rows with the greatest or least values, without sorting the others: a heap of as many as are wanted, on whose top
 * is the one that would go next. Most values are compared with that one and no more.
 *
 * Rows of equal values come in their order. Nulls and NaN come last, whichever way is asked for.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { concatColumns } = require('../data/parts.js');

/** @typedef {import('../data/column.js').Column} Column */

/** @type {(bits: Uint8Array | null, row: number) => boolean} */
const there = (bits, row) => bits === null || ((bits[row >> 3] >> (row & 7)) & 1) === 1;

/** What numbers are compared as: halves as what they stand for. @type {(column: Column) => any} */
const numbersIn = (column) =>
  column.type.id === 'float16' ? Float32Array.from(column, (value) => value ?? 0) : column.values;

/** Compares rows as their values are ordered. @type {(column: Column) => (a: number, b: number) => number} */
function comparisonOf(column) {
  const { type, values, offsets } = column;
  if (type.kind === 'utf8' || type.kind === 'binary') {
    const list = /** @type {any} */ (offsets);
    const bytes = (/** @type {number} */ row) => values.subarray(Number(list[row]), Number(list[row + 1]));
    return (a, b) => Buffer.compare(bytes(a), bytes(b));
  }
  if (type.kind === 'bool') return (a, b) => Number(there(values, a)) - Number(there(values, b));
  if (type.kind === 'decimal') {
    const words = new BigInt64Array(values.buffer, values.byteOffset, values.length / 2);
    const low = new BigUint64Array(values.buffer, values.byteOffset, values.length / 2);
    const order = (/** @type {bigint} */ x, /** @type {bigint} */ y) => (x < y ? -1 : x > y ? 1 : 0);
    return (a, b) => order(words[2 * a + 1], words[2 * b + 1]) || order(low[2 * a], low[2 * b]);
  }
  if (type.kind === 'interval') return fail('ERR_DTYPE', `topK: values of ${type.text} have no order`);
  const numbers = numbersIn(column);
  return (a, b) => (numbers[a] < numbers[b] ? -1 : numbers[a] > numbers[b] ? 1 : 0);
}

/**
 * @param {readonly Column[]} parts
 * @param {number} count
 * @param {boolean} ascending the least ones
 * @returns {Uint32Array} row numbers, the best first
 */
function topRows(parts, count, ascending) {
  const column = concatColumns(parts);
  const { length, validity, type } = column;
  const numbers = numbersIn(column);
  const compare = comparisonOf(column);
  const sign = ascending ? 1 : -1;
  const isLost = (/** @type {number} */ row) => !there(validity, row) || (type.kind === 'float' && Number.isNaN(numbers[row]));
  /** Whether row a comes behind row b. @type {(a: number, b: number) => boolean} */
  const behind = (a, b) => {
    const order = sign * compare(a, b);
    return order > 0 || (order === 0 && a > b);
  };
  /** @type {number[]} */
  const heap = [];
  /** @type {number[]} */
  const lost = [];
  for (let row = 0; row < length; row++) {
    if (isLost(row)) {
      if (lost.length < count) lost.push(row);
    } else if (heap.length < count) push(heap, row, behind);
    else if (heap.length > 0 && behind(heap[0], row)) replace(heap, row, behind);
  }
  heap.sort((a, b) => (behind(a, b) ? 1 : -1));
  return Uint32Array.from([...heap, ...lost].slice(0, count));
}

/** @type {(heap: number[], row: number, behind: (a: number, b: number) => boolean) => void} */
function push(heap, row, behind) {
  let i = heap.push(row) - 1;
  while (i > 0) {
    const above = (i - 1) >> 1;
    if (!behind(heap[i], heap[above])) return;
    [heap[i], heap[above]] = [heap[above], heap[i]];
    i = above;
  }
}

/** @type {(heap: number[], row: number, behind: (a: number, b: number) => boolean) => void} */
function replace(heap, row, behind) {
  heap[0] = row;
  for (let i = 0; ;) {
    let best = i;
    for (const below of [2 * i + 1, 2 * i + 2]) {
      if (below < heap.length && behind(heap[below], heap[best])) best = below;
    }
    if (best === i) return;
    [heap[i], heap[best]] = [heap[best], heap[i]];
    i = best;
  }
}

module.exports = { topRows };
