/**
 * Calls of functions: of the user's, of the library's, and of functions of the language under another name.
 *
 * A call is compiled in place: the function's variables become variables of the caller, a `return` leaves a block, and
 * closures need no more than that. A function that is under way already when it is called calls itself, and is compiled
 * apart (out-of-line.js). So is a large one that stands in place often already (inline-policy.js).
 */
'use strict';

const V = require('./values.js');
const E = require('./environment.js');
const X = require('./expressions.js');
const flow = require('./control-flow.js');
const { count, isApart } = require('./inline-policy.js');
const { callApart, callLarge } = require('./out-of-line.js');
const { LIBRARY, NEGATIVE_EXPONENT } = require('./library.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').Var} Var */
/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */

/** Calls in place within each other. */
const MOST_FRAMES = 64;

/** @type {(callee: FunctionNode, parent: any, caller: any) => any} an activation, or several that are alike */
function newFrame(callee, parent, caller) {
  return {
    callee,
    parent,
    caller,
    level: caller ? caller.level + 1 : 0,
    /** @type {Map<import('../hir/index.js').Variable, Var>} */
    vars: new Map(),
    objects: new Map(),
    roots: new Map(),
    heads: new Map(),
    children: new Map(),
    /** Nodes of the tree that it takes, calls in place included. */
    size: 0,
    /** @type {Var} */
    result: { name: `${callee.name || 'function'}_result`, slots: new Map(), owner: null },
    /** @type {any[]} */
    returns: [],
    block: /** @type {any} */ (null),
    /** How many arguments it was called with. */
    count: 0,
  };
}

// --- what is called ---

/** @type {(c: any, s: any) => void} */
function call(c, s) {
  const { callee } = s;
  let result;
  if (callee.kind === 'member') result = methodCall(c, s, X.evaluate(c, callee.object), callee.name);
  else result = callValue(c, X.evaluate(c, callee), argumentsOf(c, s), s);
  if (c.env && s.result) c.assign(s.result, result);
}

/** @type {(c: any, s: any) => Value[]} computed before the call, not in it */
function argumentsOf(c, s) {
  return s.args.flatMap((/** @type {any} */ a) =>
    a.kind === 'spread' ? require('./memory.js').spread(c, a) : [X.settleValue(c, X.evaluate(c, a))],
  );
}

/** @type {(c: any, s: any, object: any, name: string) => Value} */
function methodCall(c, s, object, name) {
  if (object.kind === 'array' || object.kind === 'tensor') {
    const args = argumentsOf(c, s);
    if (object.kind === 'array' && ['subarray', 'slice', 'at'].includes(name))
      return require('./arrays.js').builtin(c, `.${name}`, [object, ...args], s);
    return require('./arrays.js').run(c, object, name, args, s);
  }
  if (object.kind === 'object' && object.isTuple && !object.fields.has(name))
    refuse(s.place, `.${name} of an array is not supported`, V.instead(name));
  if ((object.kind === 'closure' || object.kind === 'builtin') && (name === 'call' || name === 'apply'))
    return callThrough(c, object, name, s);
  return callValue(c, require('./memory.js').field(c, object, name, s.callee.place), argumentsOf(c, s), s);
}

/**
 * The first argument would be `this`, which means nothing.
 *
 * @type {(c: any, fn: Value, name: 'call' | 'apply', s: any) => Value}
 */
function callThrough(c, fn, name, s) {
  const args = argumentsOf(c, s);
  if (name === 'call') return callValue(c, fn, args.slice(1), s);
  const [, values = V.UNDEFINED] = args;
  const isNone = values.kind === 'undefined' || values.kind === 'null';
  return callValue(c, fn, isNone ? [] : require('./memory.js').spreadValue(c, values, s.args[1]?.place ?? s.place), s);
}

/** @type {(c: any, object: Value, s: any) => Value} a method of the user's, named as one that changes an array */
function callMember(c, object, s) {
  return callValue(c, require('./memory.js').field(c, object, s.name, s.place), argumentsOf(c, s), s);
}

/** @type {(c: any, value: Value, args: Value[], s: any) => Value} */
function callValue(c, value, args, s) {
  if (value.kind === 'builtin')
    return require('./builtins.js').apply(c, value.name, args, { ...s, name: value.name, args: s.args });
  if (value.kind === 'closure') return callClosure(c, value, args, s);
  return refuse(
    s.callee?.place ?? s.place,
    `${V.describe(value)} is called`,
    'only functions known at compile time can be called',
  );
}

/** @type {(c: any, name: string) => Value} */
function libraryFunction(c, name) {
  const { build } = require('../build/index.js');
  let callee = c.library.get(name);
  if (!callee) {
    callee = build(String(LIBRARY[name]).replace(/^\w+/, 'function $&'), { capture: { NEGATIVE_EXPONENT } });
    c.library.set(name, callee);
  }
  return { kind: 'closure', callee, frame: null };
}

/** @type {(c: any, name: string, args: Value[], s: any) => Value} */
function library(c, name, args, s) {
  return callValue(c, libraryFunction(c, name), args, s);
}

/** @type {(c: any, closure: import('./values.js').ClosureValue, args: Value[], s: any) => Value} */
function callClosure(c, closure, args, s) {
  if (c.frame.level > MOST_FRAMES) return refuse(s.place, `more than ${MOST_FRAMES} calls are inside each other`, '');
  for (let frame = c.frame; frame; frame = frame.caller) {
    if (frame.callee === closure.callee) return callApart(c, closure, args, s);
  }
  const isKnown = c.frame.children
    .get(s)
    ?.some((/** @type {any} */ f) => f.callee === closure.callee && f.parent === closure.frame);
  return !isKnown && isApart(c, closure, args) ? callLarge(c, closure, args, s) : callInPlace(c, closure, args, s);
}

// --- in place ---

/** @type {(c: any, closure: import('./values.js').ClosureValue, args: Value[], s: any) => Value} */
function callInPlace(c, closure, args, s) {
  const frame = frameOf(c, closure, s);
  const outer = c.frame;
  const statement = { kind: 'block', body: /** @type {any[]} */ ([]) };
  frame.block = statement;
  frame.returns = [];
  const env = new Map(c.env);
  c.nesting--; // a call is no branch
  const end = flow.inside(c, env, statement.body, () => {
    c.frame = frame;
    enter(c, frame, args);
    c.run(closure.callee.body);
    c.env?.set(frame.result, V.UNDEFINED);
  });
  c.nesting++;
  c.frame = outer;
  count(c, frame);
  return leave(c, frame, statement, end);
}

/** @type {(c: any, closure: any, s: any) => any} the same one whenever the same place calls the same function */
function frameOf(c, closure, s) {
  let known = c.frame.children.get(s);
  if (!known) c.frame.children.set(s, (known = []));
  let frame = known.find((/** @type {any} */ f) => f.callee === closure.callee && f.parent === closure.frame);
  if (!frame) known.push((frame = newFrame(closure.callee, closure.frame, c.frame)));
  return frame;
}

/** @type {(c: any, frame: any, args: Value[], passed?: number) => void} `passed`: how many of these the call gave */
function enter(c, frame, args, passed = args.length) {
  const { params, rest, given, variables } = frame.callee;
  frame.count = passed;
  for (const variable of variables) c.env.set(c.declare(variable), V.UNDEFINED);
  params.forEach((/** @type {any} */ p, /** @type {number} */ i) => c.assign(p, args[i] ?? V.UNDEFINED));
  if (rest) collect(c, frame, rest, args.slice(params.length));
  if (given) collect(c, frame, given, args.slice(0, passed));
}

/** @type {(c: any, frame: any, variable: any, values: Value[]) => void} makes an array of arguments */
function collect(c, frame, variable, values) {
  const site = c.facts.site(frame, variable);
  if (site.inMemory) {
    c.assign(variable, require('./memory.js').listOf(c, values, site, variable.place));
    return;
  }
  const tuple = c.objects.make(
    variable.name,
    values.map((_, i) => String(i)),
    true,
    site,
  );
  tuple.nesting = c.nesting;
  [...tuple.fields.values()].forEach((own, i) => E.setVariable(c, own, values[i]));
  c.assign(variable, tuple);
}

/** @type {(c: any, frame: any, statement: any, end: any) => Value} */
function leave(c, frame, statement, end) {
  const edges = [...frame.returns, ...(end ? [{ env: end, list: statement.body }] : [])];
  const [only] = edges;
  const isPlain =
    edges.length === 1 && (!only.before || (only.list === statement.body && statement.body.at(-1) === only.before));
  if (isPlain || edges.length === 0) {
    if (only?.before) statement.body.pop();
    c.out.push(...statement.body);
  } else {
    c.out.push(statement);
  }
  forgetOwn(frame, edges);
  c.env = E.merge(c, edges);
  if (!c.env) return V.UNDEFINED;
  const value = c.env.get(frame.result);
  c.env.delete(frame.result);
  return value ?? V.UNDEFINED;
}

/**
 * Behind a call nobody can name its variables, but for closures.
 *
 * @type {(frame: any, edges: import('./environment.js').Edge[]) => void}
 */
function forgetOwn(frame, edges) {
  for (const [variable, own] of frame.vars) if (!variable.isShared) for (const { env } of edges) env.delete(own);
}

/** @type {(c: any, s: any) => void} */
function returns(c, s) {
  const { frame } = c;
  const value = s.value ? X.evaluate(c, s.value) : V.UNDEFINED;
  if (!c.env) return;
  c.env.set(frame.result, value);
  const statement = frame.block ? { kind: 'break', target: frame.block } : { kind: 'return', values: [] };
  c.out.push(statement);
  frame.returns.push({ env: c.env, list: c.out, before: statement });
  c.env = null;
}

/**
 * Ends a function that is compiled for itself: all ways out of it lead to one return, where what they give lies in one
 * place.
 *
 * @param {any} c
 * @param {any} frame
 * @param {(value: Value) => import('../tir/index.js').Expression[]} taken what is returned of the value that the function gives, if it ever ends
 */
function finish(c, frame, taken) {
  if (c.env) returns(c, { value: null });
  const edges = frame.returns;
  if (edges.length === 0) return;
  const [only] = edges;
  const body = edges.length === 1 ? c.out : [{ kind: 'block', body: c.out }];
  if (edges.length === 1) only.list.splice(only.list.indexOf(only.before), 1);
  else for (const edge of edges) Object.assign(edge.before, { kind: 'break', target: body[0], values: undefined });
  forgetOwn(frame, edges);
  c.env = E.merge(c, edges);
  c.out = edges.length === 1 ? only.list : body; // what the only return gives may be known where it stands alone
  const values = taken(c.env?.get(frame.result) ?? V.UNDEFINED);
  c.out.push({ kind: 'return', values });
  c.func.results = values.map((x) => x.type);
  c.out = body;
}

exports.call = call;
exports.callMember = callMember;
exports.callValue = callValue;
exports.enter = enter;
exports.finish = finish;
exports.library = library;
exports.libraryFunction = libraryFunction;
exports.newFrame = newFrame;
exports.returns = returns;
