/**
 * What a run of a kernel over the chunks of a table is, whoever runs the code: this process (execute.js), or a page
 * that has it as WebAssembly (web/run.js).
 *
 * All chunks are one call. Outputs have room for whole blocks of 64 rows. A chunk of a kernel that writes strings is a
 * unit of work, and nobody knows how many bytes it gives: large ones are cut, and those whose bytes did not fit run
 * again with twice the room. So do all where the arena was too small.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { located } = require('../analyse/located.js');
const { sliceColumn } = require('../data/parts.js');
const { BLOCK, CHUNK, PART, PIECE_BLOCKS, SLOT, STATUS } = require('../kernel/layout.js');

/**
 * What there is to know of a kernel to run it; Prepared of prepare.js has it all.
 *
 * @typedef {object} Kernel
 * @property {import('../kernel/ranges.js').Unit} unit
 * @property {boolean} needsArena
 * @property {readonly import('../kernel/dag.js').Buffer[]} buffers
 * @property {readonly { name: string }[]} outputs
 * @property {readonly import('../analyse/context.js').Site[]} sites
 * @property {string} source text of the expression
 */
/** An array of a run: what the kernel reads, or writes, or both. @typedef {{ array: any, use: 'in' | 'out' | 'both' }} Given */
/** @typedef {import('../data/column.js').Column} Column */

/**
 * What a kernel is given: columns by name, all of `rows` rows. `start`: the number of the first one, if chunks are not
 * one behind the other.
 *
 * @typedef {{ rows: number, start?: number, columns: ReadonlyMap<string, Column> }} Chunk
 */
/** Buffers of an output in a chunk. @typedef {{ values?: any, bits?: Uint8Array, validity?: Uint8Array, offsets?: Int32Array, written?: number }} Written */

/**
 * `tables`: arrays that all chunks share, by the name and part of their buffers. `words`: two per parameter.
 * `numbers`: of rows, for messages, where they are not those of a table from first to last.
 *
 * @typedef {object} Inputs
 * @property {readonly Chunk[]} chunks
 * @property {ReadonlyMap<string, any>} tables
 * @property {readonly bigint[]} words
 * @property {readonly (import('../aggregate/partition.js').Partition | import('../aggregate/partition.js').DirectPartition)[]} [partitions]
 * @property {Uint32Array} [numbers]
 */

/** @type {Record<string, any>} by element of Loop IR */
const ARRAYS = {
  f64: Float64Array, f32: Float32Array, f16: Uint16Array, i64: BigInt64Array, u64: BigUint64Array, i32: Int32Array,
  u32: Uint32Array, i16: Int16Array, u16: Uint16Array, i8: Int8Array, u8: Uint8Array,
};

/** Rows of a chunk of strings, bytes that are thought to be enough for one, and of the arena of a thread. */
const TEXT_ROWS = 65536;
const TEXT_BYTES = 16;
const ARENA = 65536;
const MOST_ARENA = 2 ** 30;
const MOST_TEXT = 2 ** 31 - 1;

/** Bytes of a line of the caches. */
const LINE = 64;

/** Bits that all are set, for chunks without nulls in columns with some. */
let ones = new Uint8Array(0);

/** @type {(rows: number) => Uint8Array} */
function allOnes(rows) {
  const size = 8 * Math.ceil(rows / BLOCK);
  if (ones.length < size) ones = new Uint8Array(Math.max(size, 2 * ones.length)).fill(255);
  return ones;
}

/** Units of a chunk (kernel/ranges.js). @type {Record<import('../kernel/ranges.js').Unit, (rows: number) => number>} */
const UNITS = {
  block: (rows) => Math.ceil(rows / BLOCK),
  chunk: () => 1,
  piece: (rows) => Math.ceil(rows / (BLOCK * PIECE_BLOCKS)),
  partition: () => 0,
};

const padded = (/** @type {number} */ rows) => BLOCK * Math.ceil(rows / BLOCK);

/** Elements of an output of so many rows, and for text of so many bytes. @type {(buffer: import('../kernel/dag.js').Buffer, rows: number, room: number) => number} */
function sizeOf({ part, dtype, bytes }, rows, room) {
  if (isBits(part)) return padded(rows) / 8;
  if (part === 'offsets') return padded(rows) + 1;
  return dtype === 'u8' && bytes === 1 && room > 0 ? room : padded(rows) * (bytes === 16 ? 2 : 1);
}

const isBits = (/** @type {string} */ part) => part === 'bits' || part === 'validity';
/** @type {(buffer: import('../kernel/dag.js').Buffer) => any} */
const classOf = ({ part, dtype }) => (isBits(part) ? Uint8Array : ARRAYS[dtype]);

/** An input's array in a chunk. @type {(buffer: import('../kernel/dag.js').Buffer, chunk: Chunk) => any} */
function inputOf({ column: name, part }, { rows, columns }) {
  const column = /** @type {Column} */ (columns.get(name));
  if (part === 'validity') return column.validity ?? allOnes(rows);
  return part === 'offsets' ? column.offsets : column.values;
}

/**
 * Memory for an output in each chunk: one allocation for all of them, each part at a multiple of 64 bytes.
 *
 * @type {(buffer: import('../kernel/dag.js').Buffer, chunks: readonly Chunk[], rooms: readonly number[]) => any[]}
 */
function outputsOf(buffer, chunks, rooms) {
  const Class = classOf(buffer);
  const align = LINE / Class.BYTES_PER_ELEMENT;
  const sizes = chunks.map(({ rows }, c) => sizeOf(buffer, rows, rooms[c]));
  const all = new Class(sizes.reduce((sum, size) => sum + align * Math.ceil(size / align), 0));
  let end = 0;
  return sizes.map((size) => {
    const begin = end;
    end += align * Math.ceil(size / align);
    return all.subarray(begin, begin + size);
  });
}

/** Chunks that are not too large for strings. @type {(chunks: readonly Chunk[]) => Chunk[]} */
function cut(chunks) {
  return chunks.flatMap((chunk) => {
    if (chunk.rows <= TEXT_ROWS) return [chunk];
    return Array.from({ length: Math.ceil(chunk.rows / TEXT_ROWS) }, (_, i) => {
      const [from, to] = [i * TEXT_ROWS, Math.min((i + 1) * TEXT_ROWS, chunk.rows)];
      const columns = new Map([...chunk.columns].map(([name, column]) => [name, sliceColumn(column, from, to)]));
      return { rows: to - from, columns };
    });
  });
}

class Driver {
  /**
   * @param {Kernel} prepared
   * @param {Inputs} inputs
   * @param {number} threads
   */
  constructor(prepared, inputs, threads) {
    this.prepared = prepared;
    this.inputs = inputs;
    this.threads = threads;
    const nonEmpty = inputs.chunks.filter(({ rows }) => rows > 0);
    const isText = prepared.unit === 'chunk';
    this.chunks = isText ? cut(nonEmpty) : nonEmpty;
    this.rooms = this.chunks.map(({ rows }) => (isText ? Math.max(64, rows * TEXT_BYTES) : 0));
    this.arena = prepared.needsArena ? ARENA : 0;
    this.partitions = inputs.partitions ?? [];
    const { buffers } = prepared;
    this.own = buffers.filter(({ shared }) => !shared);
    /** What all chunks share, and calls add to. @type {Given[]} */
    this.shared = buffers.filter(({ shared }) => shared).map(({ column, part, role }) => ({
      array: inputs.tables.get(`${column} ${part}`),
      use: role === 'in' ? 'in' : 'both',
    }));
    /** Arrays of each buffer in `own`, by chunk. */
    this.arrays = this.own.map((buffer) =>
      buffer.role === 'in' ? this.chunks.map((chunk) => inputOf(buffer, chunk)) : outputsOf(buffer, this.chunks, this.rooms));
    this.starts = startRows(this.chunks);
  }

  /** Slots for a run over some of the chunks. @param {readonly number[]} which */
  #slots(which) {
    const { words } = this.inputs;
    const unitsOf = UNITS[this.prepared.unit];
    const first = SLOT.parameters + words.length;
    const parts = first + CHUNK.words * (which.length + 1);
    const slots = new BigInt64Array(parts + PART.words * this.partitions.length);
    // What there are below 2^53, as a number in two halves: a bigint for each would be most of a small run.
    const halves = new Uint32Array(slots.buffer);
    const write = (/** @type {number} */ at, /** @type {number} */ value) => {
      halves[2 * at] = value;
      halves[2 * at + 1] = value / 2 ** 32;
    };
    words.forEach((word, i) => void (slots[SLOT.parameters + i] = word));
    write(SLOT.scratch, this.arena);
    write(SLOT.chunkCount, which.length);
    let unit = 0;
    which.forEach((c, i) => {
      const at = first + CHUNK.words * i;
      const { rows } = this.chunks[c];
      write(at + CHUNK.rows, rows);
      write(at + CHUNK.unit, unit);
      write(at + CHUNK.row, this.starts[c]);
      write(at + CHUNK.room, this.rooms[c]);
      unit += unitsOf(rows);
    });
    write(first + CHUNK.words * which.length + CHUNK.unit, unit);
    write(SLOT.units, this.prepared.unit === 'partition' ? this.partitions.length : unit);
    this.partitions.forEach((partition, p) => partition.write(slots.subarray(parts + PART.words * p)));
    return slots;
  }

  /** What code is given after the slots. @type {(which: readonly number[]) => Given[]} */
  #givenFor(which) {
    const { arena, arrays, partitions, threads } = this;
    /** @type {Given[]} */
    const own = [];
    for (const c of which) this.own.forEach(({ role }, k) => own.push({ array: arrays[k][c], use: role }));
    return [
      ...own,
      ...this.shared,
      ...(arena > 0 ? [{ array: new Uint8Array(arena * threads), use: /** @type {const} */ ('out') }] : []),
      ...partitions.flatMap((each) => each.arrays.map((array) => ({ array, use: /** @type {const} */ ('both') }))),
    ];
  }

  /**
   * The calls that a run is made of: asks for each, and is told its status. `threads`: most of them.
   *
   * @returns {Generator<{ slots: BigInt64Array, given: Given[], threads: number }, Map<string, { rows: number, buffers: Written }[]>, number>}
   */
  *calls() {
    let which = this.chunks.map((_, c) => c);
    while (which.length > 0) {
      const slots = this.#slots(which);
      const status = yield { slots, given: this.#givenFor(which), threads: this.threads };
      if (status === STATUS.failed) {
        // Of several threads that fail, one on its own finds the first row. It begins anew.
        for (const partition of this.partitions) partition.reset();
        const again = this.#slots(which);
        const same = this.threads > 1 ? yield { slots: again, given: this.#givenFor(which), threads: 1 } : 0;
        this.#refuse(same === STATUS.failed ? again : slots);
      }
      which = this.#left(status, slots, which);
    }
    return this.written();
  }

  /** What is left to do after a call. @type {(status: number, slots: BigInt64Array, which: number[]) => number[]} */
  #left(status, slots, which) {
    if (status === STATUS.arena) {
      this.arena *= 4;
      // Rows have been counted that are met again.
      for (const partition of this.partitions) partition.reset();
      return this.arena <= MOST_ARENA ? which : fail('ERR_MEMORY', 'a block of 64 rows makes more than 1 GiB of text');
    }
    if (status === STATUS.long) fail('ERR_CALL', 'a function makes a text of more than 2 GiB');
    const first = SLOT.parameters + this.inputs.words.length;
    if (this.prepared.unit === 'partition') return this.#goOn(slots.subarray(first + CHUNK.words * (which.length + 1)), which);
    if (this.prepared.unit !== 'chunk') return [];
    return which.filter((c, i) => {
      const state = Number(slots[first + CHUNK.words * i + CHUNK.state]);
      if (state >= 0) return false;
      this.#widen(c);
      return true;
    });
  }

  /** Gives partitions that had no more room as much as they need to go on. @type {(words: BigInt64Array, which: number[]) => number[]} */
  #goOn(words, which) {
    const left = this.partitions.filter((partition, p) => partition.read(words.subarray(PART.words * p), which.length));
    return left.length > 0 ? which : [];
  }

  #widen(/** @type {number} */ c) {
    if (this.rooms[c] >= MOST_TEXT) fail('ERR_MEMORY', 'a chunk of a column of text has more than 2 GiB');
    this.rooms[c] = Math.min(MOST_TEXT, 4 * this.rooms[c]);
    this.own.forEach((buffer, k) => {
      if (buffer.role === 'out') [this.arrays[k][c]] = outputsOf(buffer, [this.chunks[c]], [this.rooms[c]]);
    });
  }

  /** @type {(slots: BigInt64Array) => never} */
  #refuse(slots) {
    const { what, start, end, text = this.prepared.source } = this.prepared.sites[Number(slots[SLOT.site])];
    const row = Number(slots[SLOT.row]);
    return fail('ERR_CALL', located(text, start, end, `row ${this.inputs.numbers?.[row] ?? row}: ${what}`));
  }

  /** What was written, by output, a list of chunks. @returns {Map<string, { rows: number, buffers: Written }[]>} */
  written() {
    const outs = this.own.flatMap(({ role, column, part }, k) => (role === 'out' ? [{ column, part, arrays: this.arrays[k] }] : []));
    return new Map(this.prepared.outputs.map(({ name }) => {
      const own = outs.filter(({ column }) => column === name);
      const parts = this.chunks.map(({ rows }, c) => {
        const buffers = Object.fromEntries(own.map(({ part, arrays }) => [part, arrays[c]]));
        return { rows, buffers };
      });
      return [name, parts];
    }));
  }
}

/** @type {(chunks: readonly Chunk[]) => number[]} */
function startRows(chunks) {
  let row = 0;
  return chunks.map(({ rows, start = row }) => {
    row = start + rows;
    return start;
  });
}

/** Pieces of a table, from each of which a reduction has one partial result. @type {(chunks: readonly Chunk[]) => number} */
const piecesOf = (chunks) => chunks.reduce((sum, { rows }) => sum + UNITS.piece(rows), 0);

module.exports = { ARRAYS, Driver, piecesOf };
