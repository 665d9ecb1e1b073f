/**
 * What loops do with the values that locals had before them, or in the round before.
 */
'use strict';

const { blocksOf, expressionsOf, readsIn, someNode } = require('./walk.js');

/** @typedef {import('./index.js').Statement} Statement */
/** @typedef {import('./index.js').Local} Local */
/** Of the value before a block: it may be read, it is replaced on all ways, or neither. @typedef {'reads' | 'sets' | 'leaves'} Use */

const JUMPS = new Set(['break', 'continue', 'return', 'throw']);

/** @type {(s: Statement, local: Local) => boolean} */
const mentions = (s, local) =>
  expressionsOf(s).some((e) => someNode(e, (node) => node.op === 'local' && node.local === local));

/** @type {(body: Statement[], local: Local) => Use} */
function useOf(body, local) {
  for (const s of body) {
    if (mentions(s, local)) return 'reads';
    if (s.kind === 'set' && s.local === local) return 'sets';
    if (JUMPS.has(s.kind)) return 'leaves';
    const use = useInside(s, local);
    if (use !== 'leaves') return use;
  }
  return 'leaves';
}

/** Of the blocks of a statement. @type {(s: Statement, local: Local) => Use} */
function useInside(s, local) {
  if (s.kind === 'if') {
    const uses = [useOf(s.then, local), useOf(s.otherwise, local)];
    if (uses.includes('reads')) return 'reads';
    return uses.includes('leaves') ? 'leaves' : 'sets';
  }
  // A loop may have no rounds, and jumps lead behind blocks: nothing of it is on all ways.
  if (blocksOf(s).some((block) => useOf(block, local) === 'reads')) return 'reads';
  // What a round skips by a jump is missing between it and the next one.
  const isRead = s.kind === 'loop' && [s.before, s.update].some((block) => readsIn(block).has(local));
  return isRead ? 'reads' : 'leaves';
}

/**
 * Whether no round of a loop sees what a local was before that round.
 *
 * @type {(s: import('./index.js').LoopStmt | import('./index.js').PrangeStmt, local: Local) => boolean}
 */
const isFresh = (s, local) => !mentions(s, local) && useInside(s, local) !== 'reads';

module.exports = { isFresh };
