/**
 * Calls of functions: of the user's, of the library's, and of functions of the language under another name.
 *
 * A call is compiled in place: the function's variables become variables of the caller, a `return` leaves a block, and
 * closures need no more than that. A function that is under way already when it is called calls itself: it becomes a function of
 * its own, one for each choice of machine types of its arguments, and takes what it uses of functions around it
 * as further arguments. What it gives is found by walking it with nothing known of itself at first, until that
 * does not change any more.
 */
'use strict';

const N = require('./numbers.js');
const M = require('./machine.js');
const V = require('./values.js');
const E = require('./environment.js');
const X = require('./expressions.js');
const flow = require('./flow.js');
const { LIBRARY, NEGATIVE_EXPONENT } = require('./library.js');
const { refuse } = require('./frame.js');

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').Var} Var */
/** @typedef {import('./hir.js').FunctionNode} FunctionNode */

/** Calls in place within each other. */
const MOST_FRAMES = 64;
/** Walks of a function that calls itself after which something is wrong with us. */
const MOST_WALKS = 30;

/** @type {(callee: FunctionNode, parent: any, caller: any) => any} an activation, or several that are alike */
function newFrame(callee, parent, caller) {
  return {
    callee,
    parent,
    caller,
    level: caller ? caller.level + 1 : 0,
    /** @type {Map<import('./hir.js').Variable, Var>} */
    vars: new Map(),
    objects: new Map(),
    roots: new Map(),
    heads: new Map(),
    children: new Map(),
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

/** @type {(c: any, s: any) => Value[]} */
function argumentsOf(c, s) {
  return s.args.flatMap((/** @type {any} */ a) => (a.kind === 'spread' ? require('./memory.js').spread(c, a) : [settled(c, X.evaluate(c, a))]));
}

/** @type {(c: any, v: any) => Value} a number that is computed before the call, not in it */
function settled(c, v) {
  if (v.kind === 'number' && !M.isStable(v.x)) return new V.NumberValue(v.type, E.settle(c, v.x, 'argument'), { tag: v.tag && E.settle(c, v.tag) });
  if ((v.kind === 'boolean' || v.kind === 'bigint') && !M.isStable(v.x)) return { ...v, x: E.settle(c, v.x, 'argument') };
  return v;
}

/** @type {(c: any, s: any, object: any, name: string) => Value} */
function methodCall(c, s, object, name) {
  if (object.kind === 'array' || object.kind === 'tensor') {
    const args = argumentsOf(c, s);
    if (object.kind === 'array' && ['subarray', 'slice', 'at'].includes(name)) return require('./arrays.js').builtin(c, `.${name}`, [object, ...args], s);
    return require('./arrays.js').run(c, object, name, args, s);
  }
  return callValue(c, require('./memory.js').field(c, object, name, s.callee.place), argumentsOf(c, s), s);
}

/** @type {(c: any, value: Value, args: Value[], s: any) => Value} */
function callValue(c, value, args, s) {
  if (value.kind === 'builtin') return require('./builtins.js').apply(c, value.name, args, { ...s, name: value.name, args: s.args });
  if (value.kind === 'closure') return callClosure(c, value, args, s);
  return refuse(s.callee?.place ?? s.place, `${V.describe(value)} is called`, 'only functions known at compile time can be called');
}

/** @type {(c: any, name: string) => Value} */
function libraryFunction(c, name) {
  const { build } = require('./build.js');
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
  for (let frame = c.frame; frame; frame = frame.caller) {
    if (frame.callee === closure.callee) return callRecursive(c, closure, args, s);
  }
  if (c.frame.level > MOST_FRAMES) return refuse(s.place, `more than ${MOST_FRAMES} calls are inside each other`, '');
  return callInPlace(c, closure, args, s);
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

/** @type {(c: any, frame: any, args: Value[]) => void} */
function enter(c, frame, args) {
  const { params, rest, variables } = frame.callee;
  frame.count = args.length;
  for (const variable of variables) c.env.set(c.declare(variable), V.UNDEFINED);
  params.forEach((/** @type {any} */ p, /** @type {number} */ i) => c.assign(p, args[i] ?? V.UNDEFINED));
  if (!rest) return;
  const values = args.slice(params.length);
  const tuple = c.objects.make(rest.name, values.map((_, i) => String(i)), true, c.facts.site(frame, rest));
  [...tuple.fields.values()].forEach((own, i) => E.setVariable(c, own, values[i]));
  c.assign(rest, tuple);
}

/** @type {(c: any, frame: any, statement: any, end: any) => Value} */
function leave(c, frame, statement, end) {
  const edges = [...frame.returns, ...(end ? [{ env: end, list: statement.body }] : [])];
  const [only] = edges;
  const isPlain = edges.length === 1 && (!only.before || (only.list === statement.body && statement.body.at(-1) === only.before));
  if (isPlain || edges.length === 0) {
    if (only?.before) statement.body.pop();
    c.out.push(...statement.body);
  } else {
    c.out.push(statement);
  }
  c.env = E.merge(c, edges);
  if (!c.env) return V.UNDEFINED;
  const value = c.env.get(frame.result);
  c.env.delete(frame.result);
  for (const [variable, own] of frame.vars) if (!variable.isShared) c.env.delete(own);
  return value ?? V.UNDEFINED;
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

// --- functions that call themselves ---

/** @type {(c: any, value: Value, place: any, what: string, least?: readonly string[]) => { key: string, args: any[], rebuild: (locals: any[]) => Value, types: string[] }} a value as arguments, and back; `least`: types that numbers have at least */
function flatten(c, value, place, what, least = []) {
  switch (value.kind) {
    case 'object':
      return flattenObject(c, value, place, what, least);
    case 'number': {
      const whole = N.isInteger(value.type);
      const own = whole ? (N.fitsInt32(value.type) ? 'i32' : 'i64') : 'f64';
      const type = WIDTHS[Math.max(WIDTHS.indexOf(own), WIDTHS.indexOf(/** @type {any} */ (least[0])))];
      const general = type === 'i32' ? N.int32 : type === 'i64' ? N.whole(-N.LIMIT, N.LIMIT) : N.number({ negativeZero: true, nan: true, ...nothingOf(value) });
      const tagged = N.isNothing(general);
      return {
        key: type + (tagged ? 'u' : ''),
        types: tagged ? [type, 'i32'] : [type],
        args: tagged ? [M.convert(value.x, type), E.tagOf(value)] : [M.convert(value.x, type)],
        rebuild: ([x, tag]) => new V.NumberValue(general, M.read(x), { tag: tagged ? M.read(tag) : null }),
      };
    }
    case 'boolean':
      return { key: 'bool', types: ['bool'], args: [value.x], rebuild: ([x]) => V.boolean(M.read(x)) };
    case 'bigint':
      return { key: value.x.type, types: [value.x.type], args: [value.x], rebuild: ([x]) => V.bigint(M.read(x)) };
    case 'array': {
      const { ref } = value;
      return {
        key: `${ref.dtype}${ref.clamps ? 'c' : ''}${value.isList ? 'l' : ''}[]`,
        types: [ref.pointer.type, 'i64'],
        args: [ref.pointer, ref.length],
        rebuild: ([pointer, length]) => ({ ...value, ref: { ...ref, pointer: M.read(pointer), length: M.read(length) } }),
      };
    }
    case 'tensor':
    case 'oneOf':
    case 'mixed':
      return refuse(place, `${V.describe(value)} is handed to ${what}, which calls itself`, 'hand over its numbers, or a typed array');
    default:
      return { key: JSON.stringify(value, (k, v) => (k === 'callee' || k === 'frame' ? identity(v) : v)), types: [], args: [], rebuild: () => value };
  }
}

/** Types of numbers that are handed over, each holding those before it. */
const WIDTHS = /** @type {import('./tir.js').Scalar[]} */ (['i32', 'i64', 'f64']);

/** @type {(c: any, object: import('./values.js').ObjectValue, place: any, what: string, least: readonly string[]) => any} field by field; a copy, which nobody may change */
function flattenObject(c, object, place, what, least) {
  const names = [...object.fields.keys()];
  let behind = least;
  const parts = names.map((name) => {
    const part = flatten(c, c.env.get(/** @type {Var} */ (object.fields.get(name))) ?? V.UNDEFINED, place, what, behind);
    behind = behind.slice(part.types.length);
    return part;
  });
  return {
    key: `${object.isTuple ? '[' : '{'}${names.map((name, i) => `${name}:${parts[i].key}`).join()}}`,
    types: parts.flatMap((p) => p.types),
    args: parts.flatMap((p) => p.args),
    rebuild(/** @type {any[]} */ locals) {
      const made = c.objects.make('copy', names, object.isTuple, null);
      let at = 0;
      names.forEach((name, i) => {
        const { types } = parts[i];
        c.env.set(made.fields.get(name), parts[i].rebuild(locals.slice(at, at + types.length)));
        at += types.length;
      });
      made.isCopy = true;
      return made;
    },
  };
}

/** @type {WeakMap<object, number>} */
const identities = new WeakMap();
let nextIdentity = 1;
/** @type {(value: any) => number} */
function identity(value) {
  if (!value) return 0;
  if (!identities.has(value)) identities.set(value, nextIdentity++);
  return /** @type {number} */ (identities.get(value));
}

/** @type {(value: any) => object} */
function nothingOf(value) {
  return { undefined: value.type.undefined, null: value.type.null };
}

/** @type {(c: any, closure: any, place: any) => { variable: any, own: Var, value: Value }[]} what a function uses of those around it */
function captured(c, closure, place) {
  /** @type {{ variable: any, own: Var, value: Value }[]} */
  const found = [];
  for (const variable of closure.callee.captures) {
    if (!variable.owner) continue;
    const own = c.resolve(closure.frame, variable);
    const value = own && c.env.get(own);
    if (!value) continue;
    if (value.kind !== 'boxed' && isSetIn(closure.callee, variable)) c.facts.box(variable, place);
    found.push({ variable, own, value });
  }
  for (const variable of c.facts.shared) {
    const value = c.capture(variable, place);
    if (value.kind === 'array') found.push({ variable, own: c.captureVar(variable), value });
  }
  return found;
}

/** @type {WeakMap<FunctionNode, Set<object>>} */
const setVariables = new WeakMap();

/** @type {(callee: FunctionNode, variable: object) => boolean} whether a function, or one inside it, sets a variable */
function isSetIn(callee, variable) {
  let all = setVariables.get(callee);
  if (!all) {
    all = new Set();
    collectSets(callee.body, all, new Set([callee]));
    setVariables.set(callee, all);
  }
  return all.has(variable);
}

/** Fields of nodes that lead elsewhere. */
const APART = new Set(['place', 'variable', 'result', 'target', 'fresh']);

/** @type {(node: any, all: Set<object>, seen: Set<object>) => void} seen: functions, which may name themselves */
function collectSets(node, all, seen) {
  if (!node || typeof node !== 'object') return;
  if (node.kind === 'set' || node.kind === 'prange') all.add(node.variable);
  if ((node.kind === 'call' || node.kind === 'method') && node.result) all.add(node.result);
  if (node.kind === 'closure') {
    if (!seen.has(node.callee)) collectSets(node.callee.body, all, seen.add(node.callee));
    return;
  }
  for (const [key, part] of Object.entries(node)) if (!APART.has(key)) collectSets(part, all, seen);
}

/** @type {(c: any, closure: any, args: Value[], s: any) => Value} */
function callRecursive(c, closure, args, s) {
  const { callee } = closure;
  const name = callee.name || 'the function';
  if (callee.rest) return refuse(s.place, `${name} has a rest parameter and calls itself`, 'name its parameters');
  const around = captured(c, closure, s.place);
  const own = callee.params.map((/** @type {any} */ _, /** @type {number} */ i) => flatten(c, args[i] ?? V.UNDEFINED, s.place, name));
  const outside = around.map(({ value }) => flattenCaptured(c, value, s.place, name));
  const all = [...own, ...outside];
  const counted = callee.countsArguments ? `of ${args.length}` : '';
  const key = `${identity(callee)}:${identity(closure.frame)}${counted}(${all.map((a) => a.key).join()})`;
  let record = c.functions.get(key);
  if (!record) {
    record = newRecord(c, closure, own, outside, around, args.length);
    c.functions.set(key, record);
    walkRecord(c, record, key, s);
  }
  addRoots(record, all);
  if (!record.result) {
    // Nothing is known to come back from it, or nothing ever does.
    c.out.push({ kind: 'call', callee: record.func, args: all.flatMap((a) => a.args), results: [], place: s.place });
    c.out.push({ kind: 'throw', site: c.site(s.place, 'Error', ['this is never reached']), values: [] });
    c.env = null;
    return V.UNDEFINED;
  }
  const results = record.result.types.map((/** @type {string} */ type) => E.newLocal(c, 'result', type));
  c.out.push({ kind: 'call', callee: record.func, args: all.flatMap((a) => a.args), results, place: s.place });
  return record.result.rebuild(results);
}

/** @type {(c: any, value: any, place: any, name: string) => any} */
function flattenCaptured(c, value, place, name) {
  if (value.kind !== 'boxed') return flatten(c, value, place, name);
  const { ref } = value;
  return {
    key: `box${ref.dtype}`,
    types: [ref.pointer.type],
    args: [ref.pointer],
    rebuild: (/** @type {any[]} */ [pointer]) => ({ ...value, ref: { ...ref, pointer: M.read(pointer) } }),
  };
}

/** @type {(record: any, all: any[]) => void} arrays of a function may be any that its callers hand over */
function addRoots(record, all) {
  for (const [i, a] of all.entries()) {
    const roots = record.roots[i];
    if (roots && a.roots) for (const root of a.roots) if (!roots.includes(root)) roots.push(root);
  }
}

/** @type {(c: any, closure: any, own: any[], outside: any[], around: any[], count: number) => any} */
function newRecord(c, closure, own, outside, around, count) {
  const { callee } = closure;
  const func = c.newFunc(callee.name || 'f', callee.place);
  func.isRecursive = true;
  return { closure, func, own, outside, around, count, result: null, roots: [], results: null };
}

/** @type {(c: any, record: any, key: string, s: any) => void} */
function walkRecord(c, record, key, s) {
  const saved = { func: c.func, out: c.out, env: c.env, frame: c.frame, targets: c.targets, depth: c.depth, isWrapping: c.isWrapping };
  for (let i = 0; ; i++) {
    if (i > MOST_WALKS) refuse(s.place, 'what this function returns does not settle', 'return one type');
    const before = record.result?.key;
    for (const other of [...c.functions.keys()].reverse()) {
      if (other === key) break;
      c.functions.delete(other);
    }
    walkOnce(c, record, saved);
    Object.assign(c, saved);
    if (record.result?.key === before) break;
  }
}

/** @type {(c: any, record: any, saved: any) => void} */
function walkOnce(c, record, saved) {
  const { closure, func, own, outside, around } = record;
  Object.assign(c, { func, out: [], env: new Map(), targets: new Map(), depth: 0, isWrapping: false });
  const frame = newFrame(closure.callee, closure.frame, saved.frame);
  c.frame = frame;
  func.params = [];
  const values = [...own, ...outside].map((/** @type {any} */ a) => {
    const locals = a.types.map((/** @type {string} */ type) => ({ ...E.newLocal(c, 'p', type), isParam: true }));
    func.params.push(...locals);
    return a.rebuild(locals);
  });
  around.forEach((/** @type {any} */ { own: variable }, /** @type {number} */ i) => c.env.set(variable, values[own.length + i]));
  enter(c, frame, values.slice(0, own.length));
  frame.count = record.count;
  c.run(closure.callee.body);
  finish(c, frame, record);
  func.body = c.out;
}

/** @type {(c: any, frame: any, record: any) => void} ends a function with one return, where what it gives lies in one place */
function finish(c, frame, record) {
  const edges = frame.returns;
  if (c.env) {
    const statement = { kind: 'return', values: [] };
    c.out.push(statement);
    c.env.set(frame.result, V.UNDEFINED);
    edges.push({ env: c.env, list: c.out, before: statement });
  }
  if (edges.length === 0) return;
  const block = { kind: 'block', body: c.out };
  for (const edge of edges) Object.assign(edge.before, { kind: 'break', target: block, values: undefined });
  c.env = E.merge(c, edges);
  c.out = [block];
  const shape = flatten(c, c.env.get(frame.result), frame.callee.place, frame.callee.name || 'a function', record.result?.types);
  c.out.push({ kind: 'return', values: shape.args });
  record.func.results = shape.types;
  record.result = shape;
}

exports.call = call;
exports.callValue = callValue;
exports.enter = enter;
exports.library = library;
exports.libraryFunction = libraryFunction;
exports.newFrame = newFrame;
exports.returns = returns;
