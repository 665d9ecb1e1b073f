/**
 * Bitmaps as Arrow has them: bit `r % 8` of byte `r >> 3` belongs to row r, and is set where a row is valid or true.
 *
 * Kernels read them in words of 64 rows, so theirs begin at bit 0 of a byte whose address is a multiple of 8. A bitmap
 * of a slice may begin anywhere and is moved then: the only copy that reading an Arrow table makes, of a bit a row.
 */
'use strict';

/** Set bits of each byte. */
const COUNTS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** Bytes of a fresh bitmap: whole words, so that the last one can be read and written as such. @type {(rows: number) => number} */
const bytesFor = (rows) => Math.ceil(rows / 64) * 8;

/** @type {(rows: number) => Uint8Array} no bit set */
const emptyBitmap = (rows) => new Uint8Array(bytesFor(rows));

/** @type {(bitmap: Uint8Array, row: number) => boolean} */
const bitAt = (bitmap, row) => ((bitmap[row >>> 3] >>> (row & 7)) & 1) === 1;

/** Set bits of a word. @type {(word: number) => number} */
function countWord(word) {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * Set bits among some rows.
 *
 * @type {(bitmap: Uint8Array, from: number, rows: number) => number} `from` is a bit
 */
function countBits(bitmap, from, rows) {
  const end = from + rows;
  let at = from;
  let count = 0;
  while (at < end && ((at & 7) !== 0 || ((bitmap.byteOffset + at / 8) & 3) !== 0)) count += Number(bitAt(bitmap, at++));
  const whole = (end - at) >>> 5;
  if (whole > 0) {
    const words = new Uint32Array(bitmap.buffer, bitmap.byteOffset + at / 8, whole);
    for (let i = 0; i < whole; i++) count += countWord(words[i]);
    at += whole * 32;
  }
  for (; at + 8 <= end; at += 8) count += COUNTS[bitmap[at >>> 3]];
  for (; at < end; at++) count += Number(bitAt(bitmap, at));
  return count;
}

/**
 * Copies whole words to the begin of a bitmap.
 *
 * @type {(target: Uint8Array, source: Uint8Array, from: number, rows: number) => number} how many rows, a multiple of 32
 */
function copyWords(target, source, from, rows) {
  if (((target.byteOffset | source.byteOffset) & 3) !== 0) return 0;
  const shift = from & 31;
  const first = from >>> 5;
  const words = new Uint32Array(source.buffer, source.byteOffset, source.length >>> 2);
  const count = Math.max(0, Math.min(rows >>> 5, words.length - first - 1));
  const out = new Uint32Array(target.buffer, target.byteOffset, count);
  // Shifts count modulo 32, so the upper word is shifted twice.
  for (let i = 0; i < count; i++) out[i] = (words[first + i] >>> shift) | ((words[first + i + 1] << 1) << (31 - shift));
  return count * 32;
}

/**
 * Copies bits into a bitmap whose bits from `at` on are still 0.
 *
 * @type {(target: Uint8Array, at: number, source: Uint8Array, from: number, rows: number) => void}
 */
function copyBits(target, at, source, from, rows) {
  const done = at === 0 ? copyWords(target, source, from, rows) : 0;
  copyRest(target, at + done, source, from + done, rows - done);
}

/** @type {(target: Uint8Array, at: number, source: Uint8Array, from: number, rows: number) => void} */
function copyRest(target, at, source, from, rows) {
  let row = 0;
  if ((at & 7) === 0) {
    const shift = from & 7;
    const first = from >>> 3;
    const whole = rows >>> 3;
    const out = at / 8;
    if (shift === 0) target.set(source.subarray(first, first + whole), out);
    else {
      for (let i = 0; i < whole; i++) {
        target[out + i] = (source[first + i] >>> shift) | (source[first + i + 1] << (8 - shift));
      }
    }
    row = whole * 8;
  }
  for (; row < rows; row++) {
    if (bitAt(source, from + row)) target[(at + row) >>> 3] |= 1 << ((at + row) & 7);
  }
}

/** Sets bits. @type {(target: Uint8Array, at: number, rows: number) => void} */
function setBits(target, at, rows) {
  let row = at;
  const end = at + rows;
  while (row < end && (row & 7) !== 0) target[row >>> 3] |= 1 << (row++ & 7);
  if (end - row >= 8) target.fill(255, row >>> 3, end >>> 3);
  for (row = Math.max(row, end & ~7); row < end; row++) target[row >>> 3] |= 1 << (row & 7);
}

/**
 * Rows of a bitmap as kernels want them: the same memory where it lies well.
 *
 * @type {(bitmap: Uint8Array, from: number, rows: number) => Uint8Array}
 */
function alignedBits(bitmap, from, rows) {
  const bytes = Math.ceil(rows / 8);
  const at = from / 8;
  if ((from & 7) === 0 && ((bitmap.byteOffset + at) & 7) === 0) return bitmap.subarray(at, at + bytes);
  const copy = emptyBitmap(rows);
  copyBits(copy, 0, bitmap, from, rows);
  return copy.subarray(0, bytes);
}

/** The rows that are set in both. @type {(a: Uint8Array, b: Uint8Array, rows: number) => Uint8Array} */
function andBits(a, b, rows) {
  const bytes = Math.ceil(rows / 8);
  const both = emptyBitmap(rows);
  for (let i = 0; i < bytes; i++) both[i] = a[i] & b[i];
  return both.subarray(0, bytes);
}

/** @type {(rows: number, isSet: (row: number) => boolean) => Uint8Array} */
function packBits(rows, isSet) {
  const bits = emptyBitmap(rows);
  for (let row = 0; row < rows; row++) if (isSet(row)) bits[row >>> 3] |= 1 << (row & 7);
  return bits.subarray(0, Math.ceil(rows / 8));
}

module.exports = { alignedBits, andBits, bitAt, bytesFor, copyBits, countBits, emptyBitmap, packBits, setBits };
