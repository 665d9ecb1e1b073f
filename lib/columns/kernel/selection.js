/**
 * From a word of bits to the numbers of the rows whose bits are set.
 *
 * A byte of the word is a row of a table of 256 that holds the numbers of its bits, of which eight are written at once
 * and as many kept as there are bits. So time goes with the words, and hardly with what is selected, but for words with
 * few bits, which are looked for one by one. What is written needs room for all rows and 64 more.
 */
'use strict';

/** Fewest bits of a word that are written by bytes. */
const MANY = 8;

/**
 * Lines of Loop IR that write the numbers of the bits of `word` to `out` from element `k` on.
 *
 * @type {(names: { word: string, base: string, out: string, k: string, table: string, may?: string }) => string}
 */
function numbersText({ word, base, out, k, table, may }) {
  const isMany = `ge(popcount(${word}), ${MANY}:u64)`;
  return `if (${may === undefined ? isMany : `and(${isMany}, ${may})`}) {
  for byte = 0 to 8 step 1 {
    let bits_: u64 = and(shr(${word}, convert<u64>(mul(byte, 8))), 255:u64)
    let numbers_: u32<8> = convert<u32>(${table}[mul(convert<i64>(bits_), 8):8])
    ${out}[${k}] = add(numbers_, splat<8>(convert<u32>(add(${base}, mul(byte, 8)))))
    ${k} = add(${k}, convert<i64>(popcount(bits_)))
  }
} else {
  while (ne(${word}, 0:u64)) {
    let low_: u64 = popcount(and(not(${word}), sub(${word}, 1:u64)))
    ${out}[${k}] = convert<u32>(add(${base}, convert<i64>(low_)))
    ${k} = add(${k}, 1)
    ${word} = and(${word}, sub(${word}, 1:u64))
  }
}`;
}

module.exports = { numbersText };
