/**
 * Heads of loops: what variables may be where each round begins.
 *
 * A loop is walked until what its head knows no longer grows: first with what was before the loop, then with what a
 * round makes of it, widened so that this ends soon, then once more narrowed. Each walk of a loop walks those inside,
 * so walks are dear. A loop seen before begins with what it came to then. One seen for the first time begins with what
 * its counters come to by its test and their steps alone, without the body. Both are guesses: what a walk then finds
 * decides.
 */
'use strict';

const E = require('./environment.js');
const Maybe = require('./nullable.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('./environment.js').Env} Env */

/** Rounds of widening after which what still changes may be any number. */
const MANY_WALKS = 12;

/** Rounds after which something is wrong with us. */
const MOST_WALKS = 40;

/** @type {(c: any, entry: Env, back: Env) => Env} what of the end of a round its head has, too */
function carried(c, entry, back) {
  return new Map([...back].filter(([variable]) => entry.has(variable) || c.objects.isField(variable)));
}

/** @type {(c: any, entry: Env, back: Env | null, widenFrom: Env | null) => Env} */
function joinHead(c, entry, back, widenFrom) {
  if (!back) return new Map(entry);
  const edge = carried(c, entry, back);
  const edges = [
    { env: entry, list: [] },
    { env: edge, list: [] },
  ];
  c.objects.unify(c, edges);
  Maybe.fillAbsent(edges);
  /** @type {Env} */
  const head = new Map();
  for (const [variable, first] of entry) {
    const other = edge.get(variable);
    if (other === undefined) continue;
    head.set(
      variable,
      first === other ? first : E.joinValues(c, variable, [first, other], widenFrom?.get(variable) ?? null),
    );
  }
  return head;
}

/** @type {(a: Env, b: Env) => boolean} */
function isAlikeEnv(a, b) {
  if (a.size !== b.size) return false;
  for (const [variable, value] of a) if (!E.isAlike(value, b.get(variable))) return false;
  return true;
}

/**
 * Finds the environment at the head of rounds and the walk that is right for it.
 *
 * @template {{ back: Env | null }} T
 * @param {any} c
 * @param {any} s
 * @param {Env} entry
 * @param {(head: Env) => T} walk
 * @param {((head: Env) => { back: Env | null }) | null} [count] a walk of the test and the steps of counters only
 * @returns {{ head: Env, walked: T }}
 */
function settleHead(c, s, entry, walk, count = null) {
  const stored = c.frame.heads.get(s);
  const start = stored ?? (count && settle(c, s, entry, null, false, count).head);
  const settled = settle(c, s, entry, start, !!stored, walk);
  c.frame.heads.set(s, settled.head);
  return settled;
}

/**
 * @template {{ back: Env | null }} T
 * @param {any} c
 * @param {any} s
 * @param {Env} entry
 * @param {Env | null} start   a guess, which may be too wide
 * @param {boolean} isGrown   whether what still grows after the first walk is to be widened
 * @param {(head: Env) => T} walk
 * @returns {{ head: Env, walked: T }}
 */
function settle(c, s, entry, start, isGrown, walk) {
  let head = start ? joinHead(c, entry, start, null) : new Map(entry);
  let walked = walk(head);
  let hasWidened = start !== null;
  for (let i = 0; ; i++) {
    c.hurries = i > MANY_WALKS;
    const next = joinHead(
      c,
      entry,
      walked.back ? joinTypes(c, head, walked.back) : null,
      i > 0 || isGrown ? head : null,
    );
    c.hurries = false;
    if (isAlikeEnv(next, head)) break;
    if (i > MOST_WALKS)
      refuse(s.place, 'the types of this loop do not settle', 'write it with fewer variables that change type');
    hasWidened ||= i > 0;
    head = next;
    walked = walk(head);
  }
  if (hasWidened) {
    const narrow = joinHead(c, entry, walked.back, null);
    if (!isAlikeEnv(narrow, head)) {
      const again = walk(narrow);
      if (isAlikeEnv(joinHead(c, entry, again.back, null), narrow)) [head, walked] = [narrow, again];
      else walked = walk(head);
    }
  }
  return { head, walked };
}

/**
 * What was at the head, or comes back to it: so that nothing shrinks on the way up.
 *
 * @type {(c: any, head: Env, back: Env) => Env}
 */
function joinTypes(c, head, back) {
  const both = new Map(back);
  c.objects.align(c, both, head);
  for (const [variable, value] of head) {
    const other = both.get(variable);
    if (other && other !== value && !Maybe.objectOf(value) && !Maybe.objectOf(other))
      both.set(variable, E.joinValues(c, variable, [value, other], null));
  }
  return both;
}

module.exports = { carried, settleHead };
