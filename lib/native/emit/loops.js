/**
 * TIR loops as Loop IR: `for` where a loop counts upwards and its counter's final value is no matter or plain, `while`
 * for all others.
 *
 * In a `for` the counter is a local of each round, so that LLVM sees at once that nobody sets it; if somebody reads it
 * later, its final value is set behind the loop. With `poll`, loops ask now and then whether the run has been
 * cancelled: those with loops or calls inside in each round, innermost counted ones once per piece.
 */
'use strict';

const { countedOf, countsLast, rangeOf } = require('../tir/counted-loops.js');
const { leaves, readsIn, someStatement } = require('../tir/walk.js');
const { STATUS } = require('./module.js');
const { held, textOf } = require('./values.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').LoopStmt} LoopStmt */
/** @typedef {import('../tir/index.js').PrangeStmt} PrangeStmt */
/** @typedef {import('../tir/counted-loops.js').Counted} Counted */
/** @typedef {import('./writer.js').Writer} Writer */
/** @typedef {(w: Writer, body: Statement[]) => void} EmitBlock */

/** Rounds of an innermost loop between two looks at whether the run is cancelled. */
const PIECE = 65536;
const HALF = 2n ** 62n;
/** The greatest integer that another follows. */
const MOST = 2n ** 63n - 2n;

/** @type {(body: Statement[], target: Statement) => boolean} */
const continuesIn = (body, target) => someStatement(body, (s) => s.kind === 'continue' && s.target === target);

/** Whether a loop has nothing inside that takes long by itself. @type {(body: Statement[]) => boolean} */
const isInnermost = (body) =>
  !someStatement(body, (s) => s.kind === 'loop' || s.kind === 'prange' || s.kind === 'call');

/** @type {(w: Writer) => void} */
function poll(w) {
  if (!w.shared.options.poll) return;
  w.needs.cancel = true;
  w.braces('if (cancelled)', () => w.fail(STATUS.cancelled));
}

/**
 * The loop's number stands in place of its line: sources may be several, and code of a loop too.
 *
 * @type {(w: Writer, s: LoopStmt | PrangeStmt) => string}
 */
const position = (w, s) => ` at ${s.id + 1}:${s.variant ?? 1}`;

/** @type {(w: Writer, test: Expression) => void} */
function leaveUnless(w, test) {
  if (test.op === 'andalso') {
    leaveUnless(w, test.args[0]);
    leaveUnless(w, test.args[1]);
    return;
  }
  w.braces(`if (not(${textOf(w, test)}))`, () => w.line('break'));
}

/**
 * The body; if `continue` has to go to what stands behind it, as a loop of one round.
 *
 * @type {(w: Writer, s: LoopStmt | PrangeStmt, wraps: boolean, emit: EmitBlock) => void}
 */
function bodyOf(w, s, wraps, emit) {
  if (!wraps) return emit(w, s.body);
  return w.frame(null, s, false, () => {
    w.braces('while (true)', () => {
      emit(w, s.body);
      if (!leaves(s.body)) w.line('break');
    });
  });
}

/** @type {(w: Writer, s: LoopStmt, emit: EmitBlock) => void} */
function whileLoop(w, s, emit) {
  const wraps = continuesIn(s.body, s) && (s.update.length > 0 || s.late);
  const plain = s.test !== null && !s.late && s.before.length === 0 && isPlain(w, s.test);
  const head = plain ? textOf(w, /** @type {Expression} */ (s.test)) : 'true';
  w.frame(s, wraps ? null : s, true, () => {
    w.braces(`while (${head})${position(w, s)}`, () => {
      poll(w);
      if (!s.late) testOf(w, s, plain, emit);
      if (!s.late && leaves(s.before)) return;
      bodyOf(w, s, wraps, emit);
      if (!wraps && leaves(s.body)) return;
      emit(w, s.update);
      if (s.late) testOf(w, s, plain, emit);
    });
  });
}

/**
 * What `before` leaves, such as by an error that is certain, has no test behind it.
 *
 * @type {(w: Writer, s: LoopStmt, plain: boolean, emit: EmitBlock) => void}
 */
function testOf(w, s, plain, emit) {
  emit(w, s.before);
  if (s.test && !plain && !leaves(s.before)) leaveUnless(w, s.test);
}

/** Whether an expression needs no statements in front. @type {(w: Writer, e: Expression) => boolean} */
function isPlain(w, e) {
  const lines = w.lines.length;
  textOf(w, e);
  const plain = w.lines.length === lines;
  w.lines.length = lines;
  return plain;
}

/** The first integer that is not below the bound, as an i64. @type {(w: Writer, counted: Counted) => string} */
function endOf(w, { compare, bound }) {
  const whole = bound.type === 'i64' ? textOf(w, bound) : `convert<i64>(${textOf(w, bound)})`;
  if (compare === 'lt') return whole;
  return `add(${rangeOf(bound)[1] < HALF ? whole : `min(${whole}, ${MOST})`}, 1)`;
}

/**
 * @param {Writer} w
 * @param {LoopStmt} s
 * @returns {{ counted: Counted, isReadLater: boolean } | null} if it can be a `for`
 */
function forShape(w, s) {
  const counted = s.late ? null : countedOf(s);
  if (!counted || counted.step < 1n || counted.compare === 'ne' || counted.compare === 'gt' || counted.compare === 'ge')
    return null;
  if (!countsLast(s, counted)) return null;
  const inside = readsIn([s]).get(counted.counter) ?? 0;
  const isReadLater = (w.reads.get(counted.counter) ?? 0) > inside;
  if (!isReadLater) return { counted, isReadLater };
  const breaks = someStatement(s.body, (inner) =>
    inner.kind === 'break' || inner.kind === 'continue' ? inner.target !== s || inner.kind === 'break' : false,
  );
  return breaks || counted.step !== 1n ? null : { counted, isReadLater };
}

/** @type {(w: Writer, s: LoopStmt, shape: { counted: Counted, isReadLater: boolean }, emit: EmitBlock) => void} */
function countedLoop(w, s, { counted, isReadLater }, emit) {
  const hi = endOf(w, counted);
  const { counter, step } = counted;
  const outer = w.nameOf(counter);
  const isNarrow = counter.type === 'i32';
  const lo = isNarrow ? `convert<i64>(${outer})` : outer;
  const pieces =
    Boolean(w.shared.options.poll) && isInnermost(s.body) && step === 1n && rangeOf(counted.bound)[1] < HALF;
  const end = isReadLater || pieces ? held(w, { text: hi, depth: 1 }, 'i64').text : hi;
  const name = w.fresh(isNarrow ? 'k' : counter.name);
  const inside = () => round(w, s, counted, name, emit);
  if (pieces) inPieces(w, s, lo, end, name, inside);
  else {
    w.frame(s, s, true, () =>
      w.braces(`for ${name} = ${lo} to ${end} step ${step}${position(w, s)}`, () => {
        poll(w);
        inside();
      }),
    );
  }
  w.names.set(counter, outer);
  if (isReadLater) w.line(`${outer} = ${isNarrow ? `convert<i32>(max(${lo}, ${end}))` : `max(${lo}, ${end})`}`);
}

/**
 * One round of a `for` whose counter is `name`.
 *
 * @type {(w: Writer, s: LoopStmt, counted: Counted, name: string, emit: EmitBlock) => void}
 */
function round(w, s, counted, name, emit) {
  const { counter, set } = counted;
  const others = s.update.filter((each) => each !== set);
  const wraps = others.length > 0 && continuesIn(s.body, s);
  w.names.set(counter, name);
  if (counter.type === 'i32') w.line(`let ${w.define(counter)}: i32 = convert<i32>(${name})`);
  bodyOf(w, s, wraps, emit);
  if (wraps || !leaves(s.body)) emit(w, others);
}

/**
 * A `for` that looks now and then whether the run is cancelled.
 *
 * @type {(w: Writer, s: LoopStmt, lo: string, hi: string, name: string, inside: () => void) => void}
 */
function inPieces(w, s, lo, hi, name, inside) {
  const c = w.fresh('c');
  w.frame(s, null, false, () => {
    w.braces(`for ${c} = ${lo} to ${hi} step ${PIECE}`, () => {
      poll(w);
      const head = `for ${name} = ${c} to min(add(${c}, ${PIECE}), ${hi}) step 1${position(w, s)}`;
      w.frame(null, s, true, () => w.braces(head, inside));
    });
  });
}

/** @type {(w: Writer, s: LoopStmt, emit: EmitBlock) => void} */
function loopStatement(w, s, emit) {
  const shape = forShape(w, s);
  if (shape) countedLoop(w, s, shape, emit);
  else whileLoop(w, s, emit);
}

/** @type {(w: Writer, s: PrangeStmt, emit: EmitBlock) => void} */
function prangeStatement(w, s, emit) {
  const [lo, hi] = [textOf(w, s.lo), textOf(w, s.hi)];
  const name = w.define(s.local);
  const inside = () => {
    poll(w);
    emit(w, s.body);
  };
  w.frame(s, s, true, () => w.braces(`for ${name} = ${lo} to ${hi} step 1${position(w, s)}`, inside));
}

module.exports = { loopStatement, prangeStatement };
