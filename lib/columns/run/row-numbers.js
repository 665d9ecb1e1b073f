/**
 * From words of bits to the numbers of the rows whose bits are set.
 *
 * Words are divided into pieces; one run counts the bits of each piece, which says where its numbers go, and one writes
 * them.
 */
'use strict';

const { inLargePages } = require('../../tensor/allocate.js');
const { BIT_TABLE } = require('../kernel/dag.js');
const { numbersText } = require('../kernel/selection.js');
const { Call } = require('./execute.js');

/** Words of a piece. */
const PIECE = 1024;
/** Words that describe a piece: first word, end, number of the first row, where its numbers go, or how many. */
const FIELDS = 4;

const head = (/** @type {string} */ name) => `module "${name}" {\n`;
const entry = `  entry func main() -> i32 {
    let slots: i64* = buffer<0, i64>
    return parallel pieces(slots, buffer<1, i64>) over 0 to slots[0] grain 1
  }
}
`;

/** Slots: the number of pieces, then FIELDS words for each. Arrays: the words, the numbers. */
const countText = `${head('count')}  func pieces(slots: i64* noalias, table: i64* noalias readonly, begin: i64, end: i64) -> i32 {
    let words: u64* = pointer<u64>(table[0])
    for p = begin to end step 1 {
      let at: i64 = add(mul(p, ${FIELDS}), 1)
      let sum: u64<4> = splat<4>(0:u64)
      let i: i64 = slots[at]
      let last: i64 = slots[add(at, 1)]
      while (le(add(i, 4), last)) {
        sum = add(sum, popcount(words[i:4]))
        i = add(i, 4)
      }
      array parts: u64[4]
      parts[0] = sum
      let count: u64 = add(add(parts[0], parts[1]), add(parts[2], parts[3]))
      while (lt(i, last)) {
        count = add(count, popcount(words[i]))
        i = add(i, 1)
      }
      slots[add(at, 3)] = convert<i64>(count)
    }
    return 0:i32
  }
${entry}`;

const expandText = `${head('expand')}  data 0: u8[2048] = hex "${Buffer.from(BIT_TABLE).toString('hex')}"
  func pieces(slots: i64* noalias, table: i64* noalias readonly, begin: i64, end: i64) -> i32 {
    let words: u64* = pointer<u64>(table[0])
    let out: u32* = pointer<u32>(table[1])
    for p = begin to end step 1 {
      let at: i64 = add(mul(p, ${FIELDS}), 1)
      let from: i64 = slots[at]
      let row: i64 = slots[add(at, 2)]
      let k: i64 = slots[add(at, 3)]
      let stop: i64 = slots[add(at, ${FIELDS + 3})]
      for i = from to select(lt(k, stop), slots[add(at, 1)], from) step 1 {
        let word: u64 = words[i]
        let base: i64 = add(row, mul(sub(i, from), 64))
${numbersText({ word: 'word', base: 'base', out: 'out', k: 'k', table: 'data<0>', may: 'le(add(k, 64), stop)' })}
      }
    }
    return 0:i32
  }
${entry}`;

/**
 * Regions of words: each is the bits of rows from `row` on.
 *
 * @typedef {{ word: number, words: number, row: number }} Region
 */

/** @type {(regions: readonly Region[]) => { slots: BigInt64Array, count: number }} */
function piecesOf(regions) {
  const count = regions.reduce((sum, { words }) => sum + Math.ceil(words / PIECE), 0);
  const slots = new BigInt64Array(1 + FIELDS * (count + 1));
  // Numbers below 2^32, in the lower halves of words.
  const halves = new Uint32Array(slots.buffer);
  halves[0] = count;
  let at = 2;
  for (const { word, words, row } of regions) {
    for (let from = 0; from < words; from += PIECE) {
      halves[at] = word + from;
      halves[at + 2] = word + Math.min(from + PIECE, words);
      halves[at + 4] = row + 64 * from;
      at += 2 * FIELDS;
    }
  }
  return { slots, count };
}

/** Makes counts of pieces where their numbers begin; returns how many there are. @type {(slots: BigInt64Array, count: number) => number} */
function startsOf(slots, count) {
  const halves = new Uint32Array(slots.buffer);
  let sum = 0;
  for (let p = 0; p <= count; p++) {
    const at = 2 * FIELDS * (p + 1);
    const own = halves[at];
    halves[at] = sum;
    sum += p < count ? own : 0;
  }
  return sum;
}

/** How many bits are set. @type {(words: Uint8Array, regions: readonly Region[], threads: number) => import('./steps.js').Steps<number>} */
function* countBits(words, regions, threads) {
  const { slots, count } = piecesOf(regions);
  yield new Call(countText, threads, slots, [words]);
  return startsOf(slots, count);
}

/**
 * The numbers of rows whose bits are set, in order.
 *
 * @param {Uint8Array} words
 * @param {readonly Region[]} regions
 * @param {number} threads
 * @param {Uint32Array} [out] where they are written, if it is large enough
 * @returns {import('./steps.js').Steps<Uint32Array>}
 */
function* rowNumbers(words, regions, threads, out) {
  const { slots, count } = piecesOf(regions);
  yield new Call(countText, threads, slots, [words]);
  const total = startsOf(slots, count);
  const fits = out !== undefined && out.length >= total;
  const numbers = fits ? out.subarray(0, total) : inLargePages(new Uint32Array(total));
  if (total > 0) yield new Call(expandText, threads, slots, [words, numbers]);
  return numbers;
}

module.exports = { countBits, rowNumbers };
