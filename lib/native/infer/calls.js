/**
 * Calls of functions: of the user's, of the library's, and of functions of the language under another name.
 *
 * A call is inlined: the function's variables become variables of the caller, a `return` leaves a block, and
 * closures need no more than that. A function that is under way already when it is called calls itself, and is compiled
 * out of line (out-of-line.js). So is a large one that is inlined often already (inline-policy.js).
 */
'use strict';

const V = require('./values.js');
const E = require('./environment.js');
const arrays = require('./arrays.js');
const builtins = require('./builtins.js');
const properties = require('./properties.js');
const { settleValue } = require('./conversions.js');
const { enter, forgetOwn, newFrame } = require('./frames.js');
const { count, isOutOfLine } = require('./inline-policy.js');
const { spread, spreadValue } = require('./literals.js');
const { callOutOfLine, callLarge } = require('./out-of-line.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Expression} ExpressionNode */
/** @typedef {import('../tir/index.js').BlockStmt} BlockStmt */
/** @typedef {import('./environment.js').Edge} Edge */
/** @typedef {import('./environment.js').Env} Env */
/** @typedef {import('./frames.js').Frame} Frame */
/** @typedef {import('./values.js').ClosureValue} ClosureValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').CallSite} CallSite */
/** @typedef {import('./walk.js').Walk} Walk */

/** Methods that the tree takes to give what they are called on, whatever that is. */
const GIVES_ITSELF = new Set(['fill', 'copyWithin', 'reverse', 'sort']);

/** Inlined calls within each other. */
const MOST_FRAMES = 64;

// --- what is called ---

/** @type {(walk: Walk, s: import('../hir/index.js').CallNode) => void} */
function callStatement(walk, s) {
  const { callee } = s;
  let result;
  if (callee.kind === 'member') result = methodCall(walk, s, walk.evaluate(callee.object), callee.name);
  else result = callValue(walk, walk.evaluate(callee), argumentsOf(walk, s), s);
  if (walk.env && s.result) walk.assign(s.result, result);
}

/** @type {(walk: Walk, s: CallSite) => Value[]} computed before the call, not in it */
function argumentsOf(walk, s) {
  return s.args.flatMap((a) =>
    a.kind === 'spread' ? spread(walk, a) : [settleValue(walk, walk.evaluate(a))],
  );
}

/** @type {(walk: Walk, s: CallSite & { callee: ExpressionNode }, object: Value, name: string) => Value} */
function methodCall(walk, s, object, name) {
  if (object.kind === 'array' || object.kind === 'tensor') {
    const args = argumentsOf(walk, s);
    if (object.kind === 'array' && ['subarray', 'slice', 'at'].includes(name))
      return arrays.builtin(walk, `.${name}`, [object, ...args], s);
    return arrays.run(walk, object, name, args, s);
  }
  if (object.kind === 'object' && object.isTuple && !object.fields.has(name))
    refuse(s.place, `.${name} of an array is not supported`, V.instead(name));
  if ((object.kind === 'closure' || object.kind === 'builtin') && (name === 'call' || name === 'apply'))
    return callThrough(walk, object, name, s);
  return callValue(walk, properties.field(walk, object, name, s.callee.place), argumentsOf(walk, s), s);
}

/**
 * The first argument would be `this`, which means nothing.
 *
 * @type {(walk: Walk, fn: Value, name: 'call' | 'apply', s: CallSite) => Value}
 */
function callThrough(walk, fn, name, s) {
  const args = argumentsOf(walk, s);
  if (name === 'call') return callValue(walk, fn, args.slice(1), s);
  const [, values = V.UNDEFINED] = args;
  const isNone = values.kind === 'undefined' || values.kind === 'null';
  return callValue(walk, fn, isNone ? [] : spreadValue(walk, values, s.args[1]?.place ?? s.place), s);
}

/** @type {(walk: Walk, object: Value, s: CallSite & { name: string }) => Value} a method of the user's, named as one that changes an array */
function callMember(walk, object, s) {
  return callValue(walk, properties.field(walk, object, s.name, s.place), argumentsOf(walk, s), s);
}

/** @type {(walk: Walk, s: import('../hir/index.js').MethodNode) => void} a method that changes what it is called on */
function methodStatement(walk, s) {
  const object = walk.evaluate(s.object);
  const isOwn = object.kind === 'object' && object.fields.has(s.name) && !GIVES_ITSELF.has(s.name);
  const result = isOwn
    ? callMember(walk, object, s)
    : arrays.run(
        walk,
        object,
        s.name,
        s.args.map((a) => walk.evaluate(a)),
        s,
      );
  if (walk.env && s.result) walk.assign(s.result, result);
}

/** @type {(walk: Walk, value: Value, args: Value[], s: CallSite) => Value} */
function callValue(walk, value, args, s) {
  if (value.kind === 'builtin')
    return builtins.apply(walk, value.name, args, { ...s, name: value.name, args: s.args });
  if (value.kind === 'closure') return callClosure(walk, value, args, s);
  return refuse(
    s.callee?.place ?? s.place,
    `${V.describe(value)} is called`,
    'only functions known at compile time can be called',
  );
}

/** @type {(walk: Walk, closure: ClosureValue, args: Value[], s: CallSite) => Value} */
function callClosure(walk, closure, args, s) {
  if (walk.frame.level > MOST_FRAMES) return refuse(s.place, `more than ${MOST_FRAMES} calls are inside each other`, '');
  /** @type {Frame | null} */
  let frame = walk.frame;
  for (; frame; frame = frame.caller) {
    if (frame.callee === closure.callee) return callOutOfLine(walk, closure, args, s);
  }
  const isKnown = walk.frame.children
    .get(s)
    ?.some((f) => f.callee === closure.callee && f.parent === closure.frame);
  const call = !isKnown && isOutOfLine(walk, closure, args) ? callLarge : inline;
  return call(walk, closure, args, s);
}

// --- inlining ---

/** @type {(walk: Walk, closure: ClosureValue, args: Value[], s: CallSite) => Value} */
function inline(walk, closure, args, s) {
  const frame = frameOf(walk, closure, s);
  const outer = walk.frame;
  /** @type {BlockStmt} */
  const statement = { kind: 'block', body: [] };
  frame.block = statement;
  frame.returns = [];
  const env = new Map(walk.env);
  walk.nesting--; // a call is no branch
  const end = walk.inside(env, statement.body, () => {
    walk.frame = frame;
    enter(walk, frame, args);
    walk.run(closure.callee.body);
    walk.env?.set(frame.result, V.UNDEFINED);
  });
  walk.nesting++;
  walk.frame = outer;
  count(walk, frame);
  return leave(walk, frame, statement, end);
}

/** @type {(walk: Walk, closure: ClosureValue, s: CallSite) => Frame} the same one whenever the same place calls the same function */
function frameOf(walk, closure, s) {
  let known = walk.frame.children.get(s);
  if (!known) walk.frame.children.set(s, (known = []));
  let frame = known.find((f) => f.callee === closure.callee && f.parent === closure.frame);
  if (!frame) known.push((frame = newFrame(closure.callee, closure.frame, walk.frame)));
  return frame;
}

/** @type {(walk: Walk, frame: Frame, statement: BlockStmt, end: Env | null) => Value} */
function leave(walk, frame, statement, end) {
  /** @type {Edge[]} */
  const edges = [...frame.returns, ...(end ? [{ env: end, list: statement.body }] : [])];
  const [only] = edges;
  const isPlain =
    edges.length === 1 && (!only.before || (only.list === statement.body && statement.body.at(-1) === only.before));
  if (isPlain || edges.length === 0) {
    if (only?.before) statement.body.pop();
    walk.out.push(...statement.body);
  } else {
    walk.out.push(statement);
  }
  forgetOwn(frame, edges);
  walk.env = E.merge(walk, edges);
  if (!walk.env) return V.UNDEFINED;
  const value = walk.here.get(frame.result);
  walk.here.delete(frame.result);
  return value ?? V.UNDEFINED;
}

module.exports = { callStatement, callValue, methodStatement };
