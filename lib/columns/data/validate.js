/**
 * What has to hold before compiled code may follow offsets and indices, checked in one pass over each buffer.
 *
 * A check says the first mistake. The loops that run over good data have no branches: they collect sign bits, and only
 * when one is set a second loop looks for the row to name. Texts are judged by the engine, all bytes at once; then no
 * string may begin inside a character, which cannot happen where all of them are ASCII.
 */
'use strict';

const { bitAt } = require('./bitmaps.js');
const { isAscii, isUtf8 } = require('./text.js');

/** @typedef {{ at: number, text: string }} Mistake */

/** @type {(offsets: Int32Array, rows: number, bytes: number) => Mistake | undefined} */
function offsets32Mistake(offsets, rows, bytes) {
  let bad = offsets[0];
  let last = offsets[0];
  for (let i = 1; i <= rows; i++) {
    const next = offsets[i];
    bad |= next | ((next - last) | 0);
    last = next;
  }
  if (bad >= 0 && last <= bytes) return undefined;
  return firstMistake((i) => offsets[i], rows, bytes);
}

/** The words of 64-bit offsets, which are read twice as fast as bigints. @type {(offsets: BigInt64Array, rows: number, bytes: number) => Mistake | undefined} */
function offsets64Mistake(offsets, rows, bytes) {
  const words = new Int32Array(offsets.buffer, offsets.byteOffset, 2 * (rows + 1));
  let last = words[1] * 2 ** 32 + (words[0] >>> 0);
  let good = last >= 0;
  for (let i = 1; i <= rows; i++) {
    const next = words[2 * i + 1] * 2 ** 32 + (words[2 * i] >>> 0);
    if (next < last) good = false;
    last = next;
  }
  if (good && last <= bytes) return undefined;
  return firstMistake((i) => Number(offsets[i]), rows, bytes);
}

/** @type {(at: (i: number) => number, rows: number, bytes: number) => Mistake} */
function firstMistake(at, rows, bytes) {
  if (at(0) < 0) return { at: 0, text: `offset 0 is negative (${at(0)})` };
  for (let i = 1; i <= rows; i++) {
    if (at(i) < at(i - 1)) return { at: i - 1, text: `offset ${i} is ${at(i)}, after ${at(i - 1)}` };
  }
  return { at: rows - 1, text: `its last offset is ${at(rows)}, beyond the ${bytes} bytes of its values` };
}

/** @type {(offsets: Int32Array | BigInt64Array, rows: number, bytes: number) => Mistake | undefined} */
const offsetsMistake = (offsets, rows, bytes) =>
  offsets instanceof Int32Array ? offsets32Mistake(offsets, rows, bytes) : offsets64Mistake(offsets, rows, bytes);

/** @type {(byte: number) => boolean} whether a byte goes on with a character */
const goesOn = (byte) => (byte & 0xc0) === 0x80;

/** @type {(values: Uint8Array, offsets: any, rows: number) => boolean} whether a string begins inside a character */
function splitsCharacter(values, offsets, rows) {
  const end = Number(offsets[rows]);
  for (let i = 0; i < rows; i++) {
    const at = Number(offsets[i]);
    if (at < end && goesOn(values[at])) return true;
  }
  return false;
}

/**
 * Whether strings are UTF-8, and whether they are ASCII besides. Rows without a value may hold any bytes.
 *
 * @type {(values: Uint8Array, offsets: any, rows: number, validity: Uint8Array | null) => { ascii: boolean, mistake?: Mistake }}
 */
function checkText(values, offsets, rows, validity) {
  const used = values.subarray(Number(offsets[0]), Number(offsets[rows]));
  if (isAscii(used)) return { ascii: true };
  if (isUtf8(used) && !splitsCharacter(values, offsets, rows)) return { ascii: false };
  for (let i = 0; i < rows; i++) {
    if (validity !== null && !bitAt(validity, i)) continue;
    const text = values.subarray(Number(offsets[i]), Number(offsets[i + 1]));
    if (!isUtf8(text)) return { ascii: false, mistake: { at: i, text: `row ${i} is not UTF-8` } };
  }
  return { ascii: false };
}

/** Whether all indices are within a dictionary. @type {(indices: any, rows: number, size: number) => boolean} */
function indicesFit(indices, rows, size) {
  if (indices instanceof BigInt64Array || indices instanceof BigUint64Array) {
    const most = BigInt(size);
    return indices.every((index) => index >= 0n && index < most);
  }
  const top = size - 1;
  let bad = top;
  for (let i = 0; i < rows; i++) bad |= indices[i] | ((top - indices[i]) | 0);
  return rows === 0 || bad >= 0;
}

/** The first row with a value whose index is not within its dictionary. @type {(indices: any, rows: number, size: number, validity: Uint8Array | null) => number} -1 if there is none */
function wrongIndex(indices, rows, size, validity) {
  for (let i = 0; i < rows; i++) {
    const index = Number(indices[i]);
    if ((index < 0 || index >= size) && (validity === null || bitAt(validity, i))) return i;
  }
  return -1;
}

module.exports = { checkText, indicesFit, offsetsMistake, wrongIndex };
