/**
 * Ways through a function: assignments, branches, loops, jumps.
 *
 * A loop is walked several times (loop-fixpoint.js); what is written during the last walk is kept. What a condition
 * says of variables holds in the branch behind it, which is how the counter of a loop becomes an integer between
 * bounds.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const E = require('./environment.js');
const Maybe = require('./nullable.js');
const { branches } = require('./branches.js');
const { toNumber } = require('./conversions.js');
const { condition, evaluateLoosely } = require('./expressions.js');
const { carried, settleHeader } = require('./loop-fixpoint.js');
const { refine } = require('./narrowing.js');
const { staysLocal } = require('../hir/escape.js');
const { liveAtHeads, liveBehind } = require('../hir/liveness.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').LoopNode} LoopNode */
/** @typedef {import('../tir/index.js').BlockStmt} BlockStmt */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').LoopStmt} LoopStmt */
/** @typedef {import('../tir/index.js').PrangeStmt} PrangeStmt */
/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('./environment.js').Edge} Edge */
/** @typedef {import('./environment.js').Env} Env */
/** @typedef {import('./frames.js').Frame} Frame */
/** @typedef {import('./values.js').Var} Var */
/** @typedef {import('./walk.js').Walk} Walk */

// --- variables and branches ---

/** @type {(walk: Walk, s: import('../hir/index.js').SetNode) => void} */
function set(walk, s) {
  if (makesArray(s.value)) {
    // Whether the array has other names than this one.
    const site = walk.facts.site(s.value);
    site.escapes = !staysLocal(walk.frame.callee, s.variable);
  }
  const isKept = s.variable.isConst && !walk.facts.boxed.has(s.variable);
  walk.assign(s.variable, isKept ? evaluateLoosely(walk, s.value) : walk.evaluate(s.value));
}

/** @type {(e: import('../hir/index.js').Expression) => boolean} */
function makesArray(e) {
  return e.kind === 'array' || (e.kind === 'builtin' && /^new\.|^from\.|^\.slice$|^\.concat$/.test(e.name));
}

/** @type {(walk: Walk, s: import('../hir/index.js').IfNode) => void} */
function conditional(walk, s) {
  const test = condition(walk, s.test);
  if (test.op === 'const') {
    refine(walk, s.test, Boolean(test.value));
    walk.run(test.value ? s.then : s.otherwise);
    return;
  }
  const finish = branches(
    walk,
    test,
    s.test,
    () => side(walk, s, s.then),
    () => side(walk, s, s.otherwise),
  );
  finish(null, s.place);
}

/**
 * A branch; objects that nobody names behind it have no names any more, so that they may become one (objects.js).
 *
 * @type {(walk: Walk, s: import('../hir/index.js').IfNode, list: import('../hir/index.js').Statement[]) => void}
 */
function side(walk, s, list) {
  walk.run(list);
  const { env, frame } = walk;
  if (!env || walk.objects.next === 1) return;
  const live = liveBehind(frame.callee).get(s);
  for (const [variable, own] of frame.vars) {
    if (!variable.isShared && !live?.has(variable) && Maybe.objectOf(env.get(own))) env.delete(own);
  }
}

// --- loops ---

/** @type {(walk: Walk, s: LoopNode | import('../hir/index.js').PrangeNode) => Env} what is known before a loop of what somebody may still read */
function liveEntry(walk, s) {
  const live = liveAtHeads(walk.frame.callee).get(s);
  const env = new Map(walk.env);
  if (!live) return env;
  for (const [variable, own] of walk.frame.vars) {
    if (!variable.isShared && !live.has(variable)) env.delete(own);
  }
  return env;
}

/**
 * A loop that has been walked.
 *
 * @typedef {object} WalkedLoop
 * @property {LoopStmt} statement
 * @property {Env | null} back what comes to the next round
 * @property {Edge[]} exits
 * @property {Statement[]} leaving what happens where the test does not hold
 * @property {Env | null} tested what the test finds
 */

/** @type {(walk: Walk, s: LoopNode) => void} */
function loop(walk, s) {
  const entry = liveEntry(walk, s);
  const { header, walked } = settleHeader(walk, s, entry, (at) => walkLoop(walk, s, at), counting(walk, s));
  const { statement, back, exits, leaving } = walked;
  /** @type {Statement[]} */
  const repeating = [];
  E.bringAll(walk, entry, header, (x) => walk.out.push(x));
  if (back) {
    const end = carried(walk, header, back);
    walk.objects.align(end, header);
    E.bringAll(walk, end, header, (x) => (s.late ? repeating : statement.update).push(x));
  }
  const never = !s.late && statement.test?.op === 'const' && !statement.test.value;
  if (never) moveHere(walk, statement.before);
  else walk.out.push(statement);
  walk.env = E.merge(walk, exits);
  if (never) walk.out.push(...leaving);
  else splitAtTest(walked, repeating);
}

/**
 * Puts what happens on the two ways behind a test, out of the loop and, of a late one, to the next round, where each is
 * right for both: in front of the test. Only what throws, or sets a local that the other way or the test may read,
 * stands on its own way: fields of objects that have become others are such locals.
 *
 * @type {(walked: WalkedLoop, repeating: Statement[]) => void}
 */
function splitAtTest({ statement, leaving, tested }, repeating) {
  const moved = [...repeating, ...leaving];
  const { test } = statement;
  const read = moved.length > 0 && test && tested ? E.localsOf(tested) : null;
  if (!test || !read || !moved.some((s) => s.kind !== 'set' || read.has(s.local))) {
    statement.before.push(...moved);
    return;
  }
  leaving.push({ kind: 'break', target: statement });
  statement.before.push(
    { kind: 'if', test: M.unary('not', test), then: leaving, otherwise: [], place: null },
    ...repeating,
  );
  statement.test = null;
}

/** @type {(walk: Walk, s: LoopNode, header: Env) => WalkedLoop} */
function walkLoop(walk, s, header) {
  /** @type {LoopStmt & { form: string }} */
  const statement = {
    kind: 'loop', id: -1, form: s.form, before: [], test: null, body: [], update: [], late: s.late, place: s.place,
  };
  /** @type {Edge[]} */
  const exits = [];
  /** @type {Statement[]} */
  const leaving = [];
  const target = { statement, breaks: exits, continues: /** @type {Edge[]} */ ([]) };
  const outer = walk.targets.get(s);
  walk.targets.set(s, target);
  walk.depth++;
  /** @type {Edge | null} */
  let left = null;
  /** @type {Env | null} */
  let tested = null;
  const test = () => {
    walk.run(s.before);
    if (!walk.env || !s.test) return;
    statement.test = condition(walk, s.test);
    const known = statement.test.op === 'const' ? statement.test.value : null;
    if (known !== true) exits.push((left = { env: refined(walk, s.test, false), list: leaving }));
    if (known === true) statement.test = null;
    tested = walk.env;
    walk.env = known === false ? null : refined(walk, s.test, true);
    if (s.late) asTested(tested, walk.env);
  };
  const round = () => {
    const end = walk.inside(walk.env, statement.body, () => walk.run(s.body));
    const edges = [...(end ? [{ env: end, list: statement.body }] : []), ...target.continues];
    walk.env = E.merge(walk, edges);
    walk.env = walk.inside(walk.env, statement.update, () => walk.run(s.update));
  };
  const back = walk.inside(new Map(header), statement.before, () => {
    if (s.late) {
      round();
      test();
    } else {
      test();
      round();
    }
  });
  walk.depth--;
  if (outer) walk.targets.set(s, outer);
  if (exits.length > 1) asTested(tested, /** @type {any} */ (left)?.env ?? null);
  return { statement, back, exits, leaving, tested };
}

/**
 * Where paths meet behind a test, values are written before it: numbers and booleans then are what the test finds, as
 * it finds them.
 *
 * @type {(tested: Env | null, known: Env | null) => void}
 */
function asTested(tested, known) {
  if (!tested || !known) return;
  for (const [variable, value] of known) {
    const was = tested.get(variable);
    const isSame =
      was === value ||
      (was?.kind === 'number' &&
        value.kind === 'number' &&
        was.tag === value.tag &&
        N.typeOf(was.type) === N.typeOf(value.type)) ||
      (was?.kind === 'boolean' && value.kind === 'boolean' && was.tag === value.tag);
    if (!isSame && was?.kind === value.kind && (was.kind === 'number' || was.kind === 'boolean'))
      known.set(variable, was);
  }
}

/**
 * What a round does to the counters of a loop, if it has any and nothing else is needed to tell.
 *
 * @type {(walk: Walk, s: LoopNode) => ((header: Env) => { back: Env | null }) | null}
 */
function counting(walk, s) {
  const { test } = s;
  if (s.late || !test || s.before.length > 0) return null;
  const steps = [...s.body, ...s.update].filter(
    (each) => each.kind === 'set' && isStep(each) && !walk.facts.boxed.has(each.variable),
  );
  if (steps.length === 0) return null;
  const round = () => {
    refine(walk, test, true);
    walk.run(steps);
  };
  return (header) => ({ back: walk.inside(new Map(header), [], round) });
}

/** Whether a variable goes on by a constant, as a counter does. @type {(s: import('../hir/index.js').SetNode) => boolean} */
function isStep({ variable, value }) {
  const isOwn = (/** @type {import('../hir/index.js').Expression} */ e) => e.kind === 'variable' && e.variable === variable;
  if (value.kind === 'unary') return (value.op === 'increment' || value.op === 'decrement') && isOwn(value.operand);
  return (
    value.kind === 'binary' &&
    (value.op === '+' || value.op === '-') &&
    isOwn(value.left) &&
    value.right.kind === 'number'
  );
}

/** @type {(walk: Walk, test: import('../hir/index.js').Expression, truth: boolean) => Env} */
function refined(walk, test, truth) {
  return /** @type {Env} */ (walk.inside(new Map(walk.env), [], () => refine(walk, test, truth)));
}

/** @type {(walk: Walk, s: import('../hir/index.js').PrangeNode) => void} */
function prange(walk, s) {
  const bounds = [s.first, s.end].map((e) => walk.settle(rangeBound(walk, e), 'end'));
  const entry = liveEntry(walk, s);
  const own = walk.declare(s.variable);
  const { header, walked } = settleHeader(walk, s, entry, (at) => walkPrange(walk, s, own, at, bounds));
  E.bringAll(walk, entry, header, (x) => walk.out.push(x));
  if (walked.back) E.bringAll(walk, walked.back, header, (x) => walked.statement.body.push(x));
  walk.out.push(walked.statement);
  walk.env = header;
}

/** @type {(walk: Walk, e: import('../hir/index.js').Expression) => Expression} the whole number that a bound of prange rounds up to */
function rangeBound(walk, e) {
  const value = toNumber(walk.evaluate(e), e.place);
  if (N.isIntegerOrNegativeZero(value.type)) return O.asInteger(value);
  return M.convert(M.unary('ceil', M.convert(value.x, 'f64')), 'i64');
}

/** @type {(walk: Walk, s: import('../hir/index.js').PrangeNode, own: Var, header: Env, bounds: Expression[]) => { statement: PrangeStmt, back: Env | null }} */
function walkPrange(walk, s, own, header, [lo, hi]) {
  const local = E.newLocal(s.variable.name, 'i64');
  /** @type {PrangeStmt} */
  const statement = { kind: 'prange', id: -1, local, lo, hi, body: [], place: s.place };
  const target = { statement, breaks: /** @type {Edge[]} */ ([]), continues: /** @type {Edge[]} */ ([]) };
  walk.targets.set(s, target);
  walk.depth++;
  const range = {
    ...N.counter, lo: Math.max(Number(M.valueOf(lo) ?? -N.LIMIT), -N.LIMIT),
    hi: Math.min(Number(M.valueOf(hi) ?? N.LIMIT), N.LIMIT),
  };
  const below = hi.op === 'local' && M.isStable(hi) ? new Set([hi.local]) : null;
  const start = new Map(header).set(own, new V.NumberValue({ ...range, below }, M.read(local)));
  const end = walk.inside(start, statement.body, () => walk.run(s.body));
  walk.depth--;
  if (target.breaks.length)
    refuse(s.place, 'break leaves a loop over prange', 'rounds that run at the same time all run: use a for loop');
  const edges = [...(end ? [{ env: end, list: statement.body }] : []), ...target.continues];
  return { statement, back: E.merge(walk, edges) };
}

/**
 * Puts the statements of a list here; jumps among them are found here from now on.
 *
 * @type {(walk: Walk, list: Statement[]) => void}
 */
function moveHere(walk, list) {
  walk.out.push(...list);
  const move = (/** @type {Edge} */ edge) => {
    if (edge.list === list) edge.list = walk.out;
  };
  for (const { breaks, continues } of walk.targets.values()) [...breaks, ...continues].forEach(move);
  /** @type {Frame | null} */
  let frame = walk.frame;
  for (; frame; frame = frame.caller) frame.returns.forEach(move);
}

/** @type {(walk: Walk, s: import('../hir/index.js').BlockNode) => void} a block that `break` may leave */
function block(walk, s) {
  /** @type {BlockStmt} */
  const statement = { kind: 'block', body: [] };
  const target = { statement, breaks: /** @type {Edge[]} */ ([]), continues: [] };
  walk.targets.set(s, target);
  const end = walk.inside(new Map(walk.env), statement.body, () => walk.run(s.body));
  if (target.breaks.length === 0) {
    moveHere(walk, statement.body);
    walk.env = end;
    return;
  }
  walk.out.push(statement);
  walk.env = E.merge(walk, [...(end ? [{ env: end, list: statement.body }] : []), ...target.breaks]);
}

/** @type {(walk: Walk, s: import('../hir/index.js').BreakNode | import('../hir/index.js').ContinueNode) => void} */
function jump(walk, s) {
  const target = /** @type {import('./walk.js').JumpTarget} */ (walk.targets.get(s.target));
  const statement = /** @type {Statement} */ ({ kind: s.kind, target: target.statement });
  walk.out.push(statement);
  (s.kind === 'break' ? target.breaks : target.continues).push({ env: walk.here, list: walk.out, before: statement });
  walk.env = null;
}

module.exports = { block, conditional, jump, loop, prange, set };
