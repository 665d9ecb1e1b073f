/**
 * Ways through a function: branches, loops, jumps.
 *
 * A loop is walked several times (loop-fixpoint.js); what is written during the last walk is kept. What a condition
 * says of variables holds in the branch behind it, which is how the counter of a loop becomes an integer between
 * bounds.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const E = require('./environment.js');
const X = require('./expressions.js');
const Maybe = require('./nullable.js');
const { carried, settleHead } = require('./loop-fixpoint.js');
const { liveAtHeads } = require('../hir/liveness.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').Var} Var */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./environment.js').Env} Env */
/** @typedef {import('./environment.js').Edge} Edge */

// --- branches ---

/**
 * Runs with an environment and a list of its own.
 *
 * @type {(c: any, env: Env | null, list: any[], run: () => void) => Env | null}
 */
function inside(c, env, list, run) {
  const [outerEnv, outerOut] = [c.env, c.out];
  [c.env, c.out] = [env, list];
  c.nesting++;
  run();
  c.nesting--;
  const end = c.env;
  [c.env, c.out] = [outerEnv, outerOut];
  return end;
}

/**
 * Walks both sides of a condition that is not known. What it returns finishes the statement, or makes an expression of
 * it where the sides are nothing but a value each, and gives the value of `result`.
 *
 * @type {(c: any, test: Expression, testNode: any, then: () => void, otherwise: () => void) => (result: Var | null, place?: any) => Value}
 */
function branches(c, test, testNode, then, otherwise) {
  const start = /** @type {Env} */ (c.env);
  /** @type {any[][]} */
  const lists = [[], []];
  const ends = [then, otherwise].map((run, i) =>
    inside(c, new Map(start), lists[i], () => {
      if (testNode) refine(c, testNode, i === 0);
      run();
    }),
  );
  return (result, place = null) => {
    if (result && lists.every((list) => list.length === 0) && ends[0] && ends[1]) {
      const value = selected(test, ends[0].get(result), ends[1].get(result));
      if (value) return value;
    }
    c.out.push({ kind: 'if', test, then: lists[0], otherwise: lists[1], place });
    const edges = ends.flatMap((env, i) => (env ? [{ env, list: lists[i] }] : []));
    c.env = E.merge(c, edges);
    const value = result && c.env?.get(result);
    if (result) c.env?.delete(result);
    return /** @type {Value} */ (value);
  };
}

/** @type {(test: Expression, a: any, b: any) => Value | null} one of two numbers, booleans or bigints */
function selected(test, a, b) {
  if (a.kind !== b.kind || a.tag || b.tag) return null;
  const pick = (/** @type {Expression} */ x, /** @type {Expression} */ y) => {
    if (E.isSame(x, y)) return x;
    return M.isCheap(x) && M.isCheap(y) ? M.select(test, x, y) : { op: 'choose', type: x.type, args: [test, x, y] };
  };
  if (a.kind === 'boolean') return V.boolean(pickBoolean(test, a.x, b.x, pick));
  if (a.kind === 'bigint' && a.x.type === b.x.type)
    return V.bigint(pick(a.x, b.x), a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi);
  if (a.kind !== 'number') return null;
  const type = N.join(a.type, b.type);
  const to = N.typeOf(type);
  return new V.NumberValue(type, pick(M.convert(a.x, to), M.convert(b.x, to)));
}

/**
 * P && q and p || q by name.
 *
 * @type {(test: Expression, x: Expression, y: Expression, pick: (x: Expression, y: Expression) => Expression) => Expression}
 */
function pickBoolean(test, x, y, pick) {
  if (y.op === 'const' && !y.value)
    return M.isCheap(x) ? M.and(test, x) : { op: 'andalso', type: 'bool', args: [test, x] };
  if (x.op === 'const' && x.value)
    return M.isCheap(y) ? M.or(test, y) : { op: 'orelse', type: 'bool', args: [test, y] };
  return pick(x, y);
}

// --- what conditions say ---

/** @type {Record<string, string>} */
const NEGATED = { '<': '>=', '<=': '>', '>': '<=', '>=': '<', '===': '!==', '!==': '===', '==': '!=', '!=': '==' };
/** @type {Record<string, string>} */
const SWAPPED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/**
 * Narrows what variables may be where a condition is true, or false.
 *
 * @type {(c: any, e: any, truth: boolean) => void}
 */
function refine(c, e, truth) {
  if (!c.env) return;
  switch (e.kind) {
    case 'unary':
      if (e.op === '!') refine(c, e.operand, !truth);
      return;
    case 'logical':
      if ((e.op === '&&') === truth && e.op !== '??') {
        refine(c, e.left, truth);
        refine(c, e.right, truth);
      }
      return;
    case 'variable':
      narrowMaybe(c, e, (value) => (truth ? value.object : Maybe.nothingOf(value)));
      if (truth) narrowArray(c, e);
      narrowVariable(c, e, (t) => (truth ? truthy(t) : t));
      return;
    case 'builtin':
      refineBuiltin(c, e, truth);
      return;
    case 'binary':
      refineBinary(c, e, truth);
      return;
    default:
  }
}

/** @type {(t: import('./number-types.js').Num) => import('./number-types.js').Num} */
function truthy(t) {
  const lo = t.int && t.lo === 0 ? 1 : t.lo;
  return {
    ...t, lo, hi: t.int && t.hi === 0 && lo < 0 ? -1 : t.hi, nan: false, negativeZero: false, undefined: false,
    null: false,
  };
}

/** @type {(c: any, e: any, truth: boolean) => void} */
function refineBuiltin(c, e, truth) {
  const [arg] = e.args;
  if ((e.name === 'isNaN' || e.name === 'Number.isNaN') && !truth)
    narrowVariable(c, arg, (t) => ({ ...t, nan: false, undefined: e.name === 'isNaN' ? false : t.undefined }));
  if ((e.name === 'isFinite' || e.name === 'Number.isFinite') && truth) {
    narrowVariable(c, arg, (t) => ({
      ...t, nan: false, undefined: false, lo: Math.max(t.lo, -Number.MAX_VALUE), hi: Math.min(t.hi, Number.MAX_VALUE),
    }));
  }
}

/** @type {(c: any, e: any, truth: boolean) => void} */
function refineBinary(c, e, truth) {
  const op = truth ? e.op : NEGATED[e.op];
  if (!op) return;
  if (op in SWAPPED) {
    // A comparison that is true says that neither side is NaN; one that is false says nothing of that.
    refineRelation(c, e.left, op, e.right, truth);
    refineRelation(c, e.right, SWAPPED[op], e.left, truth);
  } else {
    refineEquality(c, e.left, op, e.right);
    refineEquality(c, e.right, op, e.left);
  }
}

/** @type {(c: any, node: any) => any} the variable that a comparison is about */
function subject(c, node) {
  if (node.kind === 'variable') return node;
  if (node.kind === 'unary' && (node.op === '+' || node.op === 'numeric')) return subject(c, node.operand);
  return null;
}

/** @type {(c: any, node: any, op: string, otherNode: any, truth: boolean) => void} */
function refineRelation(c, node, op, otherNode, truth) {
  if (!subject(c, node)) return;
  const other = quietly(c, otherNode);
  if (other?.kind === 'bigint') narrowBigInt(c, subject(c, node), op, other);
  if (other?.kind !== 'number') return;
  const o = N.plain(other.type);
  narrowVariable(c, subject(c, node), (t) => {
    // Not (x < y) may be because of a NaN: then the bounds say nothing.
    if (!truth && (t.nan || t.undefined || o.nan)) return t;
    const step = t.int && o.int ? 1 : 0;
    const next = { ...t, nan: false, undefined: false };
    if (op === '<') next.hi = Math.min(t.hi, o.hi - step);
    if (op === '<=') next.hi = Math.min(t.hi, o.hi);
    if (op === '>') next.lo = Math.max(t.lo, o.lo + step);
    if (op === '>=') next.lo = Math.max(t.lo, o.lo);
    if (t.int) [next.lo, next.hi] = [Math.ceil(next.lo) + 0, Math.floor(next.hi) + 0];
    if (next.lo > 0 || next.hi < 0) next.negativeZero = false;
    next.null = t.null && mayHold(op, o);
    if (op === '<' && other.x.op === 'local' && M.isStable(other.x))
      next.below = new Set([...(t.below ?? []), other.x.local]);
    return next.lo > next.hi ? t : next;
  });
}

/**
 * Whether null, which compares as 0, may compare so.
 *
 * @type {(op: string, o: import('./number-types.js').Num) => boolean}
 */
function mayHold(op, o) {
  return op === '<' ? o.hi > 0 : op === '<=' ? o.hi >= 0 : op === '>' ? o.lo < 0 : o.lo <= 0;
}

/** @type {(c: any, node: any, op: string, other: any) => void} */
function narrowBigInt(c, node, op, other) {
  const variable = c.find(node.variable);
  const value = variable && c.env.get(variable);
  if (value?.kind !== 'bigint') return;
  let { lo, hi } = value;
  if (op === '<' && other.hi - 1n < hi) hi = other.hi - 1n;
  if (op === '<=' && other.hi < hi) hi = other.hi;
  if (op === '>' && other.lo + 1n > lo) lo = other.lo + 1n;
  if (op === '>=' && other.lo > lo) lo = other.lo;
  if (lo <= hi) c.env.set(variable, { ...value, lo, hi });
}

/** @type {(c: any, node: any, op: string, otherNode: any) => void} */
function refineEquality(c, node, op, otherNode) {
  const equal = op === '===' || op === '==';
  if (node.kind === 'unary' && node.op === 'typeof' && otherNode.kind === 'string') {
    refineType(c, node.operand, otherNode.value, equal);
    return;
  }
  if (!subject(c, node)) return;
  if (otherNode.kind === 'undefined' || otherNode.kind === 'null') {
    const loose = op.length === 2;
    narrowNothing(c, node, loose || otherNode.kind === 'undefined', loose || otherNode.kind === 'null', equal);
    return;
  }
  const other = quietly(c, otherNode);
  if (other?.kind !== 'number' || !equal || N.isNothing(other.type)) return;
  narrowVariable(c, subject(c, node), (t) => {
    // +x is 0 where x is null.
    const mayBeNull = t.null && node.kind !== 'variable' && N.hasZero(other.type);
    const next = {
      ...t, nan: false, undefined: false, null: mayBeNull, lo: Math.max(t.lo, other.type.lo),
      hi: Math.min(t.hi, other.type.hi),
    };
    if (t.int) [next.lo, next.hi] = [Math.ceil(next.lo) + 0, Math.floor(next.hi) + 0];
    return next.lo > next.hi ? t : next;
  });
}

/** @type {(c: any, node: any, name: string, equal: boolean) => void} what `typeof x === name` says, or `!==` */
function refineType(c, node, name, equal) {
  if (name === 'undefined') narrowNothing(c, node, true, false, equal);
  else if (equal) narrowNothing(c, node, true, name !== 'object', false);
}

/**
 * Where something is undefined, or null, or one of them; or where it is not.
 *
 * @type {(c: any, node: any, isUndefined: boolean, isNull: boolean, equal: boolean) => void}
 */
function narrowNothing(c, node, isUndefined, isNull, equal) {
  if (node.kind !== 'variable') return;
  narrowMaybe(c, node, (value) =>
    equal ? Maybe.nothingOf(Maybe.without(value, !isUndefined, !isNull)) : Maybe.without(value, isUndefined, isNull),
  );
  const variable = c.find(node.variable);
  const value = variable && c.env.get(variable);
  if (value?.kind === 'array' && value.tag && !equal)
    c.env.set(variable, { ...value, tag: isUndefined && isNull ? null : value.tag });
  if (!value || (value.kind !== 'number' && value.kind !== 'boolean')) return;
  if (equal) return;
  const drop = { undefined: isUndefined, null: isNull };
  if (value.kind === 'boolean') {
    const [mayBeUndefined, mayBeNull] = [value.mayBeUndefined && !drop.undefined, value.mayBeNull && !drop.null];
    c.env.set(variable, { ...value, mayBeUndefined, mayBeNull, tag: mayBeUndefined || mayBeNull ? value.tag : null });
    return;
  }
  narrowVariable(c, node, (t) => ({ ...t, undefined: t.undefined && !drop.undefined, null: t.null && !drop.null }));
}

/**
 * @type {(c: any, node: any, narrow: (t: import('./number-types.js').Num) => import('./number-types.js').Num) => void}
 */
function narrowVariable(c, node, narrow) {
  if (node?.kind !== 'variable') return;
  const variable = c.find(node.variable);
  const value = variable && c.env.get(variable);
  if (value?.kind !== 'number') return;
  const type = narrow(value.type);
  if (N.isEqual(type, value.type)) return;
  const tag = N.isNothing(type) ? value.tag : null;
  c.env.set(
    variable,
    new V.NumberValue(type, () => M.convert(value.x, N.typeOf(type)), {
      tag, int32: value.int32, integer: value.integer, single: value.single,
    }),
  );
}

/** @type {(c: any, node: any, narrow: (value: import('./values.js').MaybeValue) => Value) => void} */
function narrowMaybe(c, node, narrow) {
  const variable = c.find(node.variable);
  const value = variable && c.env.get(variable);
  if (value?.kind === 'maybe') c.env.set(variable, narrow(value));
}

/** @type {(c: any, node: any) => void} an array that may be nothing is one where it counts as true */
function narrowArray(c, node) {
  const variable = c.find(node.variable);
  const value = variable && c.env.get(variable);
  if (value?.kind === 'array' && value.tag) c.env.set(variable, { ...value, tag: null });
}

/** @type {(c: any, node: any) => any} the value of an expression for what it may be, with nothing written */
function quietly(c, node) {
  let value = null;
  inside(c, c.env, [], () => {
    value = X.evaluate(c, node);
  });
  return value;
}

// --- loops ---

/** @type {(c: any, s: any) => Env} what is known before a loop of what somebody may still read */
function liveEntry(c, s) {
  const live = liveAtHeads(c.frame.callee).get(s);
  const env = new Map(c.env);
  if (!live) return env;
  for (const [variable, own] of c.frame.vars) {
    if (!variable.isShared && !live.has(variable)) env.delete(own);
  }
  return env;
}

/**
 * A loop that has been walked.
 *
 * @typedef {object} WalkedLoop
 * @property {any} statement
 * @property {Env | null} back what comes to the next round
 * @property {Edge[]} exits
 * @property {any[]} leaving what happens where the test does not hold
 * @property {Env | null} tested what the test finds
 */

/** @type {(c: any, s: any) => void} */
function loop(c, s) {
  const entry = liveEntry(c, s);
  const { head, walked } = settleHead(c, s, entry, (at) => walkLoop(c, s, at), counting(c, s));
  const { statement, back, exits, leaving } = walked;
  /** @type {any[]} */
  const repeating = [];
  E.bringAll(c, entry, head, (x) => c.out.push(x));
  if (back) {
    const end = carried(c, head, back);
    c.objects.align(c, end, head);
    E.bringAll(c, end, head, (x) => (s.late ? repeating : statement.update).push(x));
  }
  const never = !s.late && statement.test?.op === 'const' && !statement.test.value;
  if (never) moveHere(c, statement.before);
  else c.out.push(statement);
  c.env = E.merge(c, exits);
  if (never) c.out.push(...leaving);
  else splitAtTest(walked, repeating);
}

/**
 * Puts what happens on the two ways behind a test, out of the loop and, of a late one, to the next round, where each is
 * right for both: in front of the test. Only what throws, or sets a local that the other way or the test may read,
 * stands on its own way: fields of objects that have become others are such locals.
 *
 * @type {(walked: WalkedLoop, repeating: any[]) => void}
 */
function splitAtTest({ statement, leaving, tested }, repeating) {
  const moved = [...repeating, ...leaving];
  const read = moved.length > 0 && statement.test && tested ? E.localsOf(tested) : null;
  if (!read || !moved.some(({ kind, local }) => kind !== 'set' || read.has(local))) {
    statement.before.push(...moved);
    return;
  }
  leaving.push({ kind: 'break', target: statement });
  statement.before.push(
    { kind: 'if', test: M.unary('not', statement.test), then: leaving, otherwise: [], place: null },
    ...repeating,
  );
  statement.test = null;
}

/** @type {(c: any, s: any, head: Env) => WalkedLoop} */
function walkLoop(c, s, head) {
  /** @type {any} */
  const statement = {
    kind: 'loop', id: -1, form: s.form, before: [], test: null, body: [], update: [], late: s.late, place: s.place,
  };
  /** @type {Edge[]} */
  const exits = [];
  /** @type {any[]} */
  const leaving = [];
  const target = { statement, breaks: exits, continues: /** @type {Edge[]} */ ([]) };
  const outer = c.targets.get(s);
  c.targets.set(s, target);
  c.depth++;
  /** @type {Edge | null} */
  let left = null;
  /** @type {Env | null} */
  let tested = null;
  const test = () => {
    c.run(s.before);
    if (!c.env || !s.test) return;
    statement.test = X.condition(c, s.test);
    const known = statement.test.op === 'const' ? statement.test.value : null;
    if (known !== true) exits.push((left = { env: refined(c, s.test, false), list: leaving }));
    if (known === true) statement.test = null;
    tested = c.env;
    c.env = known === false ? null : refined(c, s.test, true);
    if (s.late) asTested(tested, c.env);
  };
  const round = () => {
    const end = inside(c, c.env, statement.body, () => c.run(s.body));
    const edges = [...(end ? [{ env: end, list: statement.body }] : []), ...target.continues];
    c.env = E.merge(c, edges);
    c.env = inside(c, c.env, statement.update, () => c.run(s.update));
  };
  const back = inside(c, new Map(head), statement.before, () => {
    if (s.late) {
      round();
      test();
    } else {
      test();
      round();
    }
  });
  c.depth--;
  if (outer) c.targets.set(s, outer);
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
 * @type {(c: any, s: any) => ((head: Env) => { back: Env | null }) | null}
 */
function counting(c, s) {
  if (s.late || !s.test || s.before.length > 0) return null;
  const steps = [...s.body, ...s.update].filter(
    (/** @type {any} */ each) => isStep(each) && !c.facts.boxed.has(each.variable),
  );
  if (steps.length === 0) return null;
  const round = () => {
    refine(c, s.test, true);
    c.run(steps);
  };
  return (head) => ({ back: inside(c, new Map(head), [], round) });
}

/** Whether a variable goes on by a constant, as a counter does. @type {(s: any) => boolean} */
function isStep({ kind, variable, value }) {
  if (kind !== 'set') return false;
  const isOwn = (/** @type {any} */ e) => e.kind === 'variable' && e.variable === variable;
  if (value.kind === 'unary') return (value.op === 'increment' || value.op === 'decrement') && isOwn(value.operand);
  return (
    value.kind === 'binary' &&
    (value.op === '+' || value.op === '-') &&
    isOwn(value.left) &&
    value.right.kind === 'number'
  );
}

/** @type {(c: any, test: any, truth: boolean) => Env} */
function refined(c, test, truth) {
  return /** @type {Env} */ (inside(c, new Map(c.env), [], () => refine(c, test, truth)));
}

/** @type {(c: any, s: any) => void} */
function prange(c, s) {
  const bounds = [s.first, s.end].map((e) => E.settle(c, rangeBound(c, e), 'end'));
  const entry = liveEntry(c, s);
  const own = c.declare(s.variable);
  const { head, walked } = settleHead(c, s, entry, (at) => walkPrange(c, s, own, at, bounds));
  E.bringAll(c, entry, head, (x) => c.out.push(x));
  if (walked.back) E.bringAll(c, walked.back, head, (x) => walked.statement.body.push(x));
  c.out.push(walked.statement);
  c.env = head;
}

/** @type {(c: any, e: any) => Expression} the whole number that a bound of prange rounds up to */
function rangeBound(c, e) {
  const value = X.toNumber(c, X.evaluate(c, e), e.place);
  if (N.isIntegerOrNegativeZero(value.type)) return require('./operators.js').asInteger(value);
  return M.convert(M.unary('ceil', M.convert(value.x, 'f64')), 'i64');
}

/** @type {(c: any, s: any, own: Var, head: Env, bounds: Expression[]) => { statement: any, back: Env | null }} */
function walkPrange(c, s, own, head, [lo, hi]) {
  const local = E.newLocal(c, s.variable.name, 'i64');
  /** @type {any} */
  const statement = { kind: 'prange', id: -1, local, lo, hi, body: [], place: s.place };
  const target = { statement, breaks: /** @type {Edge[]} */ ([]), continues: /** @type {Edge[]} */ ([]) };
  c.targets.set(s, target);
  c.depth++;
  const range = {
    ...N.counter, lo: Math.max(Number(M.valueOf(lo) ?? -N.LIMIT), -N.LIMIT),
    hi: Math.min(Number(M.valueOf(hi) ?? N.LIMIT), N.LIMIT),
  };
  const below = hi.op === 'local' && M.isStable(hi) ? new Set([hi.local]) : null;
  const start = new Map(head).set(own, new V.NumberValue({ ...range, below }, M.read(local)));
  const end = inside(c, start, statement.body, () => c.run(s.body));
  c.depth--;
  if (target.breaks.length)
    refuse(s.place, 'break leaves a loop over prange', 'rounds that run at the same time all run: use a for loop');
  const edges = [...(end ? [{ env: end, list: statement.body }] : []), ...target.continues];
  return { statement, back: E.merge(c, edges) };
}

/**
 * Puts the statements of a list here; jumps among them are found here from now on.
 *
 * @type {(c: any, list: any[]) => void}
 */
function moveHere(c, list) {
  c.out.push(...list);
  const move = (/** @type {Edge} */ edge) => {
    if (edge.list === list) edge.list = c.out;
  };
  for (const { breaks, continues } of c.targets.values()) [...breaks, ...continues].forEach(move);
  for (let frame = c.frame; frame; frame = frame.caller) frame.returns.forEach(move);
}

/** @type {(c: any, s: any) => void} a block that `break` may leave */
function block(c, s) {
  const statement = { kind: 'block', body: /** @type {any[]} */ ([]) };
  const target = { statement, breaks: /** @type {Edge[]} */ ([]), continues: [] };
  c.targets.set(s, target);
  const end = inside(c, new Map(c.env), statement.body, () => c.run(s.body));
  if (target.breaks.length === 0) {
    moveHere(c, statement.body);
    c.env = end;
    return;
  }
  c.out.push(statement);
  c.env = E.merge(c, [...(end ? [{ env: end, list: statement.body }] : []), ...target.breaks]);
}

/** @type {(c: any, s: any) => void} break and continue */
function jump(c, s) {
  const target = c.targets.get(s.target);
  const statement = { kind: s.kind, target: target.statement };
  c.out.push(statement);
  (s.kind === 'break' ? target.breaks : target.continues).push({ env: c.env, list: c.out, before: statement });
  c.env = null;
}

exports.block = block;
exports.branches = branches;
exports.inside = inside;
exports.jump = jump;
exports.loop = loop;
exports.prange = prange;
exports.refine = refine;
