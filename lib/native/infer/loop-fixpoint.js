/**
 * Loop headers: what variables may be where each round begins.
 *
 * A loop is walked until what its header knows no longer grows: first with what was before the loop, then with what a
 * round makes of it, widened so that this ends soon, then once more narrowed. Each walk of a loop walks those inside,
 * so walks are dear. A loop seen before begins with what it came to then. One seen for the first time begins with what
 * its counters come to by its test and their steps alone, without the body. Both are guesses: what a walk then finds
 * decides.
 */
'use strict';

const E = require('./environment.js');
const Maybe = require('./nullable.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').LoopNode} LoopNode */
/** @typedef {import('../hir/index.js').PrangeNode} PrangeNode */
/** @typedef {import('./environment.js').Env} Env */
/** @typedef {import('./walk.js').Walk} Walk */

/** Rounds of widening after which what still changes may be any number. */
const MANY_WALKS = 12;

/** Rounds after which something is wrong with us. */
const MOST_WALKS = 40;

/** @type {(walk: Walk, entry: Env, back: Env) => Env} what of the end of a round its header has, too */
function carried(walk, entry, back) {
  return new Map([...back].filter(([variable]) => entry.has(variable) || walk.objects.isField(variable)));
}

/** @type {(walk: Walk, entry: Env, back: Env | null, widenFrom: Env | null) => Env} */
function joinHeader(walk, entry, back, widenFrom) {
  if (!back) return new Map(entry);
  const edge = carried(walk, entry, back);
  const edges = [
    { env: entry, list: [] },
    { env: edge, list: [] },
  ];
  walk.objects.unify(edges);
  Maybe.fillAbsent(edges);
  /** @type {Env} */
  const header = new Map();
  for (const [variable, first] of entry) {
    const other = edge.get(variable);
    if (other === undefined) continue;
    header.set(
      variable,
      first === other ? first : E.joinValues(walk, variable, [first, other], widenFrom?.get(variable) ?? null),
    );
  }
  return header;
}

/** @type {(a: Env, b: Env) => boolean} */
function isAlikeEnv(a, b) {
  if (a.size !== b.size) return false;
  for (const [variable, value] of a) if (!E.isAlike(value, b.get(variable))) return false;
  return true;
}

/**
 * Finds the environment at the header of a loop and the walk that is right for it.
 *
 * @template {{ back: Env | null }} T
 * @param {Walk} walk
 * @param {LoopNode | PrangeNode} s
 * @param {Env} entry
 * @param {(header: Env) => T} walkRound
 * @param {((header: Env) => { back: Env | null }) | null} [count] a walk of the test and the steps of counters only
 * @returns {{ header: Env, walked: T }}
 */
function settleHeader(walk, s, entry, walkRound, count = null) {
  const stored = walk.frame.headers.get(s);
  const start = stored ?? (count && settle(walk, s, entry, null, false, count).header);
  const settled = settle(walk, s, entry, start, !!stored, walkRound);
  walk.frame.headers.set(s, settled.header);
  return settled;
}

/**
 * @template {{ back: Env | null }} T
 * @param {Walk} walk
 * @param {LoopNode | PrangeNode} s
 * @param {Env} entry
 * @param {Env | null} start   a guess, which may be too wide
 * @param {boolean} isGrown   whether what still grows after the first walk is to be widened
 * @param {(header: Env) => T} walkRound
 * @returns {{ header: Env, walked: T }}
 */
function settle(walk, s, entry, start, isGrown, walkRound) {
  let header = start ? joinHeader(walk, entry, start, null) : new Map(entry);
  let walked = walkRound(header);
  let hasWidened = start !== null;
  for (let i = 0; ; i++) {
    walk.widensFully = i > MANY_WALKS;
    const next = joinHeader(
      walk,
      entry,
      walked.back ? joinTypes(walk, header, walked.back) : null,
      i > 0 || isGrown ? header : null,
    );
    walk.widensFully = false;
    if (isAlikeEnv(next, header)) break;
    if (i > MOST_WALKS)
      refuse(s.place, 'the types of this loop do not settle', 'write it with fewer variables that change type');
    hasWidened ||= i > 0;
    header = next;
    walked = walkRound(header);
  }
  if (hasWidened) {
    const narrow = joinHeader(walk, entry, walked.back, null);
    if (!isAlikeEnv(narrow, header)) {
      const again = walkRound(narrow);
      if (isAlikeEnv(joinHeader(walk, entry, again.back, null), narrow)) [header, walked] = [narrow, again];
      else walked = walkRound(header);
    }
  }
  return { header, walked };
}

/**
 * What was at the header, or comes back to it: so that nothing shrinks on the way up.
 *
 * @type {(walk: Walk, header: Env, back: Env) => Env}
 */
function joinTypes(walk, header, back) {
  const both = new Map(back);
  walk.objects.align(both, header);
  for (const [variable, value] of header) {
    const other = both.get(variable);
    if (other && other !== value && !Maybe.objectOf(value) && !Maybe.objectOf(other))
      both.set(variable, E.joinValues(walk, variable, [value, other], null));
  }
  return both;
}

module.exports = { carried, settleHeader };
