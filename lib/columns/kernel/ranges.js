/**
 * How the work of a kernel is divided: what a unit is, and the loops over blocks of those that a thread is given.
 *
 *   block      64 rows, which have nothing to do with others
 *   chunk      a chunk of the table: where strings are written their places depend on those before
 *   piece      PIECE_BLOCKS blocks of a chunk, from which one partial result of a reduction comes
 *   partition  all rows, of which it takes those whose hash says so: groups of rows, in the order of rows
 */
'use strict';

const { partitionRange } = require('./groups.js');
const { beginFolds, endFolds } = require('./folds.js');
const { BLOCK, CHUNK, PIECE_BLOCKS } = require('./layout.js');

/** @typedef {'block' | 'chunk' | 'piece' | 'partition'} Unit */
/** @typedef {import('./emit.js').Emitter} Emitter */

/** Units between two looks at whether the run is cancelled. */
const POLL = 4096;

/** Fewest units that are worth another thread. @type {Record<Unit, number>} */
const GRAIN = { block: 256, chunk: 1, piece: 1, partition: 1 };

/** The locals of the chunk that unit `u` is in, where chunks are looked for. @param {Emitter} e */
function findChunk(e) {
  const unit = unitOf(e, 'add(c, 1)');
  e.braces(`while (le(${unit}, u))`, () => e.line('c = add(c, 1)'));
  e.chunk();
  e.line(`let origin: i64 = slots[add(at, ${CHUNK.unit})]`);
}

/** The first unit of a chunk. @type {(e: Emitter, c: string) => string} */
const unitOf = (e, c) => `slots[add(${e.chunkWords + CHUNK.unit}, mul(${CHUNK.words}, ${c}))]`;

/** @type {(e: Emitter) => void} */
const poll = (e) => e.braces('if (cancelled)', () => e.line('return 1:i32'));

/** @type {Record<Unit, (e: Emitter) => void>} */
const ranges = {
  block: (e) => {
    e.line('let c: i64 = 0');
    e.braces('while (lt(u, end))', () => {
      poll(e);
      findChunk(e);
      e.line(`let last: i64 = min(min(end, add(u, ${POLL})), ${unitOf(e, 'add(c, 1)')})`);
      e.braces('for g = sub(u, origin) to sub(last, origin) step 1', () => e.block());
      e.line('u = last');
    });
  },

  piece: (e) => {
    e.line('let c: i64 = 0');
    e.braces('while (lt(u, end))', () => {
      poll(e);
      findChunk(e);
      e.line(`let begins: i64 = mul(sub(u, origin), ${PIECE_BLOCKS})`);
      e.line(`let ends: i64 = min(add(begins, ${PIECE_BLOCKS}), div(add(rows, ${BLOCK - 1}), ${BLOCK}))`);
      beginFolds(e);
      e.braces('for g = begins to ends step 1', () => e.block());
      endFolds(e);
      e.line('u = add(u, 1)');
    });
  },

  chunk: (e) => {
    e.line('let c: i64 = 0');
    e.braces('while (lt(u, end))', () => {
      poll(e);
      findChunk(e);
      e.line(`let room: i64 = slots[add(at, ${CHUNK.room})]`);
      const texts = e.texts();
      for (const { offsets, written } of texts) {
        e.line(`let ${written}: i64 = 0`);
        e.line(`pointer<i32>(b${offsets})[0] = 0:i32`);
      }
      e.line('let full: bool = false');
      e.braces(`for g = 0 to div(add(rows, ${BLOCK - 1}), ${BLOCK}) step 1`, () => {
        e.block();
        e.braces('if (full)', () => e.line('break'));
      });
      const most = texts.map(({ written }) => written).reduce((a, b) => `max(${a}, ${b})`);
      e.line(`slots[add(at, ${CHUNK.state})] = select(full, -1, ${most})`);
      e.line('u = add(u, 1)');
    });
  },

  partition: partitionRange,
};

module.exports = { GRAIN, poll, ranges };
