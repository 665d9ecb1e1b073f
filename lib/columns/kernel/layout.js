/**
 * Where a kernel finds what it is given: the slots of buffer 0, in words of 64 bits, and the addresses of buffer 1.
 *
 *   slots      SLOT, parameters, CHUNK words for each chunk and for the end, PART words for each partition
 *   addresses  of each chunk, its buffers; what all chunks share; the arena; what each partition has
 */
'use strict';

/** Rows of a block. */
const BLOCK = 64;
/** Blocks of a piece, the unit of reductions: what they give does not depend on how many threads there are. */
const PIECE_BLOCKS = 256;

/** `site`, `row`: where a run failed. `scratch`: bytes of the arena of a thread. */
const SLOT = Object.freeze({ site: 0, row: 1, scratch: 2, chunkCount: 3, units: 4, parameters: 8 });
/**
 * `unit`: the first of the chunk. `row`: the number of its first row. `room`: bytes for text; `state`: those written,
 * -1 if they did not fit.
 */
const CHUNK = Object.freeze({ rows: 0, unit: 1, row: 2, room: 3, state: 4, words: 5 });
/**
 * `mask`: slots less 1. `limit`: of groups. `chunk`, `block`: where to go on. `rehash`: whether slots are to be filled
 * again. `least`, `shift`: of keys in a small range.
 */
const PART = Object.freeze({
  groups: 0, mask: 1, limit: 2, chunk: 3, block: 4, rehash: 5, least: 6, shift: 7, words: 8,
});
/**
 * What an entry returns besides 0 and what src/base/exec.h says: a check failed; the arena was too small; no text is
 * so long.
 */
const STATUS = Object.freeze({ failed: 16, arena: 17, long: 18 });

module.exports = { BLOCK, CHUNK, PART, PIECE_BLOCKS, SLOT, STATUS };
