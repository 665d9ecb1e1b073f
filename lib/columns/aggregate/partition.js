/**
 * Memory of a partition of groups (kernel/groups.js): slots and records, which grow as groups come.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { PART } = require('../kernel/layout.js');

/** Groups at first, and how many times more when there is no room. */
const FIRST = 1024;
const GROWTH = 4;
const MOST = 2 ** 30;

class Partition {
  #words;
  #room = FIRST;
  #groups = 0;
  #chunk = 0n;
  #block = 0n;
  #rehash = false;

  /** @param {number} words of a record */
  constructor(words) {
    this.#words = words;
    this.slots = new Int32Array(2 * FIRST);
    this.records = new BigInt64Array(words * FIRST);
  }

  get arrays() {
    return [this.slots, this.records];
  }

  /** How many groups there are. */
  get size() {
    return this.#groups;
  }

  /** Says to a kernel where it is. @param {BigInt64Array} words */
  write(words) {
    words[PART.groups] = BigInt(this.#groups);
    words[PART.mask] = BigInt(this.slots.length - 1);
    words[PART.limit] = BigInt(this.#room);
    words[PART.chunk] = this.#chunk;
    words[PART.block] = this.#block;
    words[PART.rehash] = BigInt(this.#rehash);
  }

  /**
   * Looks how far a kernel has come, and makes room if there was too little. Whether there is something left to do.
   *
   * @type {(words: BigInt64Array, chunks: number) => boolean}
   */
  read(words, chunks) {
    this.#groups = Number(words[PART.groups]);
    this.#chunk = words[PART.chunk];
    this.#block = words[PART.block];
    this.#rehash = false;
    if (Number(this.#chunk) >= chunks) return false;
    this.#grow();
    return true;
  }

  /** The record of each group. @returns {Int32Array} */
  order() {
    return new Int32Array(this.#groups).map((_, i) => i);
  }

  /** Numbers of first rows, which are below 2^32 and so the lower halves of words. @returns {Uint32Array} */
  rows() {
    const halves = new Uint32Array(this.records.buffer);
    const step = 2 * this.#words;
    const rows = new Uint32Array(this.#groups);
    for (let i = 0; i < rows.length; i++) rows[i] = halves[step * i];
    return rows;
  }

  /** Has one group, which is what the first record says. */
  only() {
    this.#groups = 1;
  }

  /** Forgets what a kernel has done that ended before its time. */
  reset() {
    this.#groups = 0;
    this.#chunk = 0n;
    this.#block = 0n;
    this.#rehash = false;
    this.slots.fill(0);
    this.records.fill(0n);
  }

  #grow() {
    this.#room *= GROWTH;
    if (this.#room > MOST) fail('ERR_MEMORY', `aggregate: more than ${MOST / GROWTH} groups`);
    const records = new BigInt64Array(this.#words * this.#room);
    records.set(this.records.subarray(0, this.#words * this.#groups));
    this.records = records;
    this.slots = new Int32Array(2 * this.#room);
    this.#rehash = true;
  }
}

/** Integers from `least` on. @typedef {{ least: bigint, size: number }} Range */

/**
 * A partition of keys in a small range: a record for each, at its number in it. Slots are pairs: the record and the
 * first row of each group, in the order in which they came.
 */
class DirectPartition {
  #least;
  #shift;
  #groups = 0;

  /**
   * @param {number} words of a record
   * @param {Range} range
   * @param {number} parts a power of two
   */
  constructor(words, { least, size }, parts) {
    const own = Math.ceil(size / parts);
    this.#least = least;
    this.#shift = BigInt(Math.log2(parts));
    this.slots = new Int32Array(2 * own);
    this.records = new BigInt64Array(words * own);
  }

  get arrays() {
    return [this.slots, this.records];
  }

  get size() {
    return this.#groups;
  }

  /** @param {BigInt64Array} words */
  write(words) {
    words[PART.mask] = BigInt(this.slots.length / 2 - 1);
    words[PART.limit] = BigInt(2 * MOST);
    words[PART.least] = this.#least;
    words[PART.shift] = this.#shift;
  }

  /** @param {BigInt64Array} words */
  read(words) {
    this.#groups = Number(words[PART.groups]);
    return false;
  }

  /** Forgets what a kernel has done that ended before its time. */
  reset() {
    this.slots.fill(0);
    this.records.fill(0n);
  }

  order() {
    return new Int32Array(this.#groups).map((_, i) => this.slots[2 * i]);
  }

  rows() {
    return new Uint32Array(this.#groups).map((_, i) => this.slots[2 * i + 1]);
  }
}

/** A partition with one group, which has no rows. @type {(record: { words: number, initial: readonly { word: number, bits: bigint | string }[] }) => Partition} */
function onlyGroup({ words, initial }) {
  const partition = new Partition(words);
  for (const { word, bits } of initial) partition.records[word] = BigInt(bits);
  partition.only();
  return partition;
}

module.exports = { DirectPartition, Partition, onlyGroup };
