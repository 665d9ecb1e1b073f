/**
 * Calls of a kernel in the memory of its module.
 *
 * Buffer 0 is slots, buffer 1 addresses of arrays. Arrays that lie in the memory are used in place; the others are
 * copied, and those that are written copied back. Views of one buffer that overlap are copied once. What a call needs
 * lies behind the arrays of the user and is forgotten after it.
 */
'use strict';

const { fail } = require('../../base/errors.js');

/** @typedef {import('../run/driver.js').Given} Given */

/** What is known of a module's memory: lib/web/memory.mjs. @typedef {{ top: () => number, reserve: (end: number) => void, allocate: (dtype: string, length: number) => any }} Space */
/** Bytes of a buffer that have a place as a whole. `read`: the kernel reads some. @typedef {{ buffer: any, low: number, high: number, at: number, read: boolean }} Piece */

/** Memory that a kernel writes, and who called it reads, at `at`, before the next call. */
class Room {
  at = 0;

  /** @param {number} bytes */
  constructor(bytes) {
    this.byteLength = bytes;
  }
}

const LINE = 64;
/** Bytes of gj_exec (src/base/exec.h) in a module, all 0: no cancelling, no threads. */
const EXEC = 64;

const rounded = (/** @type {number} */ bytes) => Math.ceil(bytes / LINE) * LINE;

/** @type {(given: readonly Given[], own: any) => Map<any, Piece>} by array, pieces in which they are */
function piecesOf(given, own) {
  /** @type {Map<any, Given[]>} */
  const byBuffer = new Map();
  for (const each of given) {
    const { buffer } = each.array;
    if (buffer === own || buffer === undefined) continue;
    const known = byBuffer.get(buffer);
    if (known === undefined) byBuffer.set(buffer, [each]);
    else known.push(each);
  }
  /** @type {Map<any, Piece>} */
  const pieces = new Map();
  for (const [buffer, views] of byBuffer) {
    views.sort((a, b) => a.array.byteOffset - b.array.byteOffset);
    /** @type {Piece | undefined} */
    let piece;
    for (const { array, use } of views) {
      const [low, high] = [array.byteOffset - (array.byteOffset % 8), array.byteOffset + array.byteLength];
      if (piece === undefined || low >= piece.high) piece = { buffer, low, high, at: 0, read: false };
      piece.high = Math.max(piece.high, high);
      piece.read ||= use !== 'out';
      pieces.set(array, piece);
    }
  }
  return pieces;
}

const isRoom = (/** @type {Given} */ { array }) => array instanceof Room;

/** @type {(array: any, at: number, buffer: any) => any} what has become of an array in the memory */
const copyIn = (array, at, buffer) => new array.constructor(buffer, at, array.length);

/**
 * One call. Returns its status.
 *
 * @type {(exports: any, space: Space, slots: BigInt64Array, given: readonly Given[]) => number}
 */
function call({ memory, run }, space, slots, given) {
  const pieces = piecesOf(given, memory.buffer);
  const at = space.top();
  const table = at + slots.byteLength;
  const buffers = table + 8 * given.length;
  const exec = rounded(buffers + 8);
  let end = exec + EXEC;
  const all = [...new Set(pieces.values())];
  for (const piece of all) {
    piece.at = end;
    end = rounded(end + piece.high - piece.low);
  }
  for (const { array } of given.filter(isRoom)) {
    array.at = end;
    end = rounded(end + array.byteLength);
  }
  makeRoom(memory, space, end, given);
  const bytes = new Uint8Array(memory.buffer);
  for (const { buffer, low, high, at: to, read } of all) {
    if (read) bytes.set(new Uint8Array(buffer, low, high - low), to);
  }
  const addresses = given.map(({ array }) => {
    if (array instanceof Room) return array.at;
    const piece = pieces.get(array);
    return piece === undefined ? array.byteOffset : piece.at + array.byteOffset - piece.low;
  });
  bytes.fill(0, exec, exec + EXEC);
  new BigInt64Array(memory.buffer, table, given.length).set(addresses.map(BigInt));
  new Uint32Array(memory.buffer, buffers, 2).set([at, table]);
  const inside = new BigInt64Array(memory.buffer, at, slots.length);
  inside.set(slots);
  const status = run(buffers, 0, exec);
  slots.set(inside);
  given.forEach(({ array, use }, i) => {
    if (use !== 'in' && pieces.has(array)) array.set(copyIn(array, addresses[i], memory.buffer));
  });
  return status;
}

/** Memory that grows is another buffer, and what lies in the one before is lost. @type {(memory: any, space: Space, end: number, given: readonly Given[]) => void} */
function makeRoom(memory, space, end, given) {
  const have = memory.buffer.byteLength;
  if (end <= have) return;
  if (given.some(({ array }) => array.buffer === memory.buffer)) {
    fail('ERR_MEMORY', `the memory of the module has ${have} bytes, this run needs ${end}: load(source, { memory: ${end} })`);
  }
  space.reserve(end);
}

module.exports = { Room, call };
