/**
 * Activations of functions: their variables, how they are entered, and how they end.
 *
 * An inlined call has an activation as any other; its `return` leaves a block. A function that is compiled for itself
 * ends in one return.
 */
'use strict';

const V = require('./values.js');
const E = require('./environment.js');
const memory = require('./memory.js');

/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('../hir/index.js').Variable} Variable */
/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('./environment.js').Edge} Edge */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').Var} Var */
/** @typedef {import('./walk.js').Walk} Walk */

/**
 * An activation of a function, or several that are alike.
 *
 * @typedef {object} Frame
 * @property {FunctionNode} callee
 * @property {Frame | null} parent that of the function around it
 * @property {Frame | null} caller
 * @property {number} level callers above
 * @property {Map<Variable, Var>} vars
 * @property {Map<unknown, Var>} temporaries variables that no source names, by what they are for
 * @property {Map<unknown, import('./values.js').ObjectValue[]>} literals what literals have made, by their nodes
 * @property {Map<unknown, import('../tir/index.js').Root>} roots of arrays made here, by where they are made
 * @property {Map<object, import('./environment.js').Env>} headers what loops came to, by their nodes
 * @property {Map<object, Frame[]>} children of calls that are inlined, by their nodes
 * @property {number} size nodes of the tree that it takes, inlined calls included
 * @property {Var} result
 * @property {Edge[]} returns
 * @property {import('../tir/index.js').BlockStmt | null} block that `return` leaves, in a call that is inlined
 * @property {number} count how many arguments it was called with
 */

/** @type {(callee: FunctionNode, parent: Frame | null, caller: Frame | null) => Frame} */
function newFrame(callee, parent, caller) {
  return {
    callee, parent, caller, level: caller ? caller.level + 1 : 0, vars: new Map(), temporaries: new Map(),
    literals: new Map(), roots: new Map(), headers: new Map(), children: new Map(), size: 0,
    result: { name: `${callee.name || 'function'}_result`, slots: new Map(), owner: null }, returns: [], block: null,
    count: 0,
  };
}

/** @type {(walk: Walk, frame: Frame, args: Value[], passed?: number) => void} `passed`: how many of these the call gave */
function enter(walk, frame, args, passed = args.length) {
  const { params, rest, given, variables } = frame.callee;
  frame.count = passed;
  for (const variable of variables) walk.here.set(walk.declare(variable), V.UNDEFINED);
  params.forEach((p, i) => walk.assign(p, args[i] ?? V.UNDEFINED));
  if (rest) collect(walk, rest, args.slice(params.length));
  if (given) collect(walk, given, args.slice(0, passed));
}

/** @type {(walk: Walk, variable: Variable, values: Value[]) => void} makes an array of arguments */
function collect(walk, variable, values) {
  const site = walk.facts.site(variable);
  if (site.inMemory) {
    walk.assign(variable, memory.listOf(walk, values, site, variable.place));
    return;
  }
  const tuple = walk.objects.make(
    variable.name,
    values.map((_, i) => String(i)),
    true,
    site,
  );
  tuple.nesting = walk.nesting;
  [...tuple.fields.values()].forEach((own, i) => E.setVariable(walk, own, values[i]));
  walk.assign(variable, tuple);
}

/**
 * Behind a call nobody can name its variables, but for closures.
 *
 * @type {(frame: Frame, edges: import('./environment.js').Edge[]) => void}
 */
function forgetOwn(frame, edges) {
  for (const [variable, own] of frame.vars) if (!variable.isShared) for (const { env } of edges) env.delete(own);
}

/** @type {(walk: Walk, s: Pick<import('../hir/index.js').ReturnNode, 'value'>) => void} */
function returnStatement(walk, s) {
  const { frame } = walk;
  const value = s.value ? walk.evaluate(s.value) : V.UNDEFINED;
  if (!walk.env) return;
  walk.here.set(frame.result, value);
  /** @type {Statement} */
  const statement = frame.block ? { kind: 'break', target: frame.block } : { kind: 'return', values: [] };
  walk.out.push(statement);
  frame.returns.push({ env: walk.env, list: walk.out, before: statement });
  walk.env = null;
}

/**
 * Ends a function that is compiled for itself: all ways out of it lead to one return, where what they give lies in one
 * place.
 *
 * @param {Walk} walk
 * @param {Frame} frame
 * @param {(value: Value) => import('../tir/index.js').Expression[]} taken what is returned of the value that the function gives, if it ever ends
 */
function finish(walk, frame, taken) {
  if (walk.env) returnStatement(walk, { value: null });
  const edges = frame.returns;
  if (edges.length === 0) return;
  const [only] = edges;
  /** @type {Statement[]} */
  const body = edges.length === 1 ? walk.out : [{ kind: 'block', body: walk.out }];
  if (edges.length === 1) only.list.splice(only.list.indexOf(/** @type {Statement} */ (only.before)), 1);
  else
    for (const { before } of edges)
      Object.assign(/** @type {Statement} */ (before), { kind: 'break', target: body[0], values: undefined });
  forgetOwn(frame, edges);
  walk.env = E.merge(walk, edges);
  walk.out = edges.length === 1 ? only.list : body; // what the only return gives may be known where it stands alone
  const values = taken(walk.env?.get(frame.result) ?? V.UNDEFINED);
  walk.out.push({ kind: 'return', values });
  walk.func.results = values.map((x) => /** @type {import('../tir/index.js').Scalar} */ (x.type));
  walk.out = body;
}

module.exports = { enter, finish, forgetOwn, newFrame, returnStatement };
