/**
 * Roughly how much work a round of a loop is, for dividing its rounds among threads.
 *
 * Nodes of expressions count as many cycles as they take (tir/operators.js). Loops inside count as often as their
 * bounds say, if those are known before the outer loop, else as often as a guess. The unit is about a nanosecond.
 */
'use strict';

const { cyclesOf } = require('../tir/operators.js');
const { eachNode, expressionsOf, setsIn, declaredIn, someNode } = require('../tir/walk.js');
const { roundsOf } = require('./trip-count.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */

/** Rounds of a loop that nobody can foresee. */
const GUESS = 16n;
/** Rounds beyond which it does not matter how many more there are. */
const MANY = 1n << 20n;
/** What a piece of work should be at least. */
const PIECE = 20000n;

/** @type {(value: bigint) => Expression} */
const i64 = (value) => ({ op: 'const', type: 'i64', value, args: [] });
/** @type {(op: string, a: Expression, b: Expression) => Expression} */
const binary = (op, a, b) => ({ op, type: 'i64', args: [a, b] });

/** @type {(e: Expression) => bigint} */
function costOfExpression(e) {
  let cycles = 0;
  eachNode(e, (node) => {
    cycles += cyclesOf(node.op);
  });
  return BigInt(Math.floor(cycles / 3));
}

/**
 * The work of a block: what is known, and what depends on how often loops inside go round.
 *
 * @param {Statement[]} body
 * @param {Set<Local>} varying
 * @returns {{ fixed: bigint, more: Expression | null }}
 */
function costOf(body, varying) {
  let fixed = 0n;
  /** @type {Expression | null} */
  let more = null;
  const add = (/** @type {Expression} */ e) => {
    more = more ? binary('add', more, e) : e;
  };
  for (const s of body) {
    fixed += 1n + expressionsOf(s).reduce((sum, e) => sum + costOfExpression(e), 0n);
    const inner =
      s.kind === 'loop'
        ? [...s.before, ...s.body, ...s.update]
        : s.kind === 'if'
          ? [...s.then, ...s.otherwise]
          : s.kind === 'block' || s.kind === 'prange'
            ? s.body
            : [];
    const cost = costOf(inner, varying);
    const trips = s.kind === 'loop' || s.kind === 'prange' ? tripsOf(s, varying) : null;
    if (trips)
      add(binary('mul', trips, cost.more ? binary('add', cost.more, i64(cost.fixed + 1n)) : i64(cost.fixed + 1n)));
    else {
      fixed += cost.fixed * (s.kind === 'loop' ? GUESS : 1n);
      if (cost.more) add(s.kind === 'loop' ? binary('mul', cost.more, i64(GUESS)) : cost.more);
    }
  }
  return { fixed, more };
}

/**
 * How often a loop goes round, as an expression without what changes around it.
 *
 * @type {(s: import('../tir/index.js').LoopStmt | import('../tir/index.js').PrangeStmt, varying: Set<Local>) => Expression | null}
 */
function tripsOf(s, varying) {
  const rounds = roundsOf(s);
  const isKnown = rounds && !someNode(rounds.hi, (e) => e.op === 'load' || (e.op === 'local' && varying.has(e.local)));
  if (!rounds || !isKnown) return null;
  const hi = rounds.hi.type === 'i64' ? rounds.hi : { op: 'convert', type: 'i64', args: [rounds.hi] };
  return binary('min', binary('max', hi, i64(1n)), i64(MANY));
}

/**
 * How many rounds are worth a thread's attention, as an i64.
 *
 * @param {Statement} s the loop
 * @param {Statement[]} body its rounds
 * @returns {Expression}
 */
function grainOf(s, body) {
  const { fixed, more } = costOf(body, new Set([...setsIn([s]), ...declaredIn([s])]));
  if (!more) return i64(PIECE / (fixed + 1n) + 1n);
  return binary(
    'add',
    binary('div', i64(PIECE), binary('min', binary('add', more, i64(fixed + 1n)), i64(PIECE))),
    i64(0n),
  );
}

module.exports = { grainOf };
