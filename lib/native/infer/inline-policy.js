/**
 * Inlining policy: which functions are compiled out of line although they could be inlined. These are large ones that
 * would be inlined often.
 *
 * A helper of a helper that is called at five places each would stand in twenty-five, and compiling takes as long as
 * the code is. How often a function would be inlined is counted before anything is compiled, as far as its calls
 * name it; those that come by way of variables and arguments are counted as they are met, and are inlined
 * until it gets too much. A small one costs less than a call of it and is always inlined; a large one that calls
 * itself never is.
 */
'use strict';

const { capturesOf } = require('./call-abi.js');

/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('./frames.js').Frame} Frame */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

/** Nodes of the tree up to which a function is small. */
const SMALL = 48;
/** Nodes of the tree that the inlined calls of one function take, at most. */
const MOST_INLINED = 600;

/** What can be handed over without anybody's noticing; objects cannot, since they are copied. */
const PASSED = new Set([
  'number', 'boolean', 'bigint', 'string', 'undefined', 'null', 'array', 'tensor', 'builtin', 'closure', 'cell',
]);

/** Fields of nodes that lead elsewhere. */
const REFERENCES = new Set(['place', 'variable', 'result', 'target', 'fresh', 'callee']);

/** @type {WeakMap<FunctionNode, number>} */
const sizes = new WeakMap();

/** @type {(node: any) => number} */
function nodesIn(node) {
  if (!node || typeof node !== 'object') return 0;
  if (Array.isArray(node)) return node.reduce((sum, part) => sum + nodesIn(part), 0);
  let sum = 1;
  for (const [key, part] of Object.entries(node)) if (!REFERENCES.has(key)) sum += nodesIn(part);
  return sum;
}

/** @type {(callee: FunctionNode) => number} of its own tree, without what it calls */
function sizeOf(callee) {
  let size = sizes.get(callee);
  if (size === undefined) sizes.set(callee, (size = nodesIn(callee.body)));
  return size;
}

// --- before ---

/** @typedef {Map<FunctionNode, Map<FunctionNode, number>>} Graph of calls: how often one names another */

/** @type {(node: any, calls: Map<FunctionNode, number>) => void} */
function callsIn(node, calls) {
  if (!node || typeof node !== 'object') return;
  if (node.kind === 'call' && node.callee.kind === 'closure')
    calls.set(node.callee.callee, (calls.get(node.callee.callee) ?? 0) + 1);
  for (const [key, part] of Object.entries(node)) if (!REFERENCES.has(key)) callsIn(part, calls);
}

/** @type {(callee: FunctionNode, graph: Graph) => Graph} */
function graphOf(callee, graph) {
  const calls = new Map();
  graph.set(callee, calls);
  callsIn(callee.body, calls);
  for (const inner of calls.keys()) if (!graph.has(inner)) graphOf(inner, graph);
  return graph;
}

/** @type {(graph: Graph, callee: FunctionNode, at?: FunctionNode, seen?: Set<FunctionNode>) => boolean} */
function callsItself(graph, callee, at = callee, seen = new Set()) {
  return [...(graph.get(at)?.keys() ?? [])].some(
    (inner) => inner === callee || (!seen.has(inner) && callsItself(graph, callee, inner, seen.add(inner))),
  );
}

/** @type {(entry: FunctionNode) => Set<FunctionNode>} the functions that are compiled out of line wherever they are called */
function planOf(entry) {
  const graph = graphOf(entry, new Map());
  const recursive = new Set([...graph.keys()].filter((callee) => callsItself(graph, callee)));
  /** Functions behind all that call them. @type {Set<FunctionNode>} */
  const order = new Set();
  /** @type {(callee: FunctionNode, seen: Set<FunctionNode>) => void} */
  const visit = (callee, seen) => {
    if (seen.has(callee)) return;
    seen.add(callee);
    for (const inner of graph.get(callee)?.keys() ?? []) visit(inner, seen);
    order.add(callee);
  };
  visit(entry, new Set());
  const outOfLine = new Set();
  const times = new Map([[entry, 1]]);
  for (const callee of [...order].reverse()) {
    const isLarge = sizeOf(callee) > SMALL;
    const often = times.get(callee) ?? 1;
    if (isLarge && (recursive.has(callee) || often * sizeOf(callee) > MOST_INLINED)) outOfLine.add(callee);
    const own = recursive.has(callee) || outOfLine.has(callee) ? 1 : often;
    for (const [inner, sites] of graph.get(callee) ?? [])
      if (!recursive.has(inner)) times.set(inner, (times.get(inner) ?? 0) + own * sites);
  }
  outOfLine.delete(entry);
  return outOfLine;
}

/** @type {WeakMap<FunctionNode, Set<FunctionNode>>} */
const plans = new WeakMap();

/** @type {(walk: Walk) => Set<FunctionNode>} */
function planned({ callee }) {
  let plan = plans.get(callee);
  if (!plan) plans.set(callee, (plan = planOf(callee)));
  return plan;
}

// --- on the way ---

/** @type {(walk: Walk, frame: Frame) => void} counts what an inlined call has come to, with the calls in it */
function count(walk, frame) {
  let size = sizeOf(frame.callee);
  for (const frames of frame.children.values()) for (const inner of frames) size += inner.size;
  const known = walk.inlined.get(frame.callee) ?? { total: 0, largest: 0 };
  known.total += size - frame.size;
  known.largest = Math.max(known.largest, size);
  frame.size = size;
  walk.inlined.set(frame.callee, known);
}

/** @type {(walk: Walk, callee: FunctionNode) => boolean} */
function isTooMuch(walk, callee) {
  if (planned(walk).has(callee)) return true;
  const known = walk.inlined.get(callee);
  return !!known && known.largest > SMALL && known.total + known.largest > MOST_INLINED;
}

/**
 * Whether one more call is compiled out of line.
 *
 * @type {(walk: Walk, closure: import('./values.js').ClosureValue, args: Value[]) => boolean}
 */
function isOutOfLine(walk, closure, args) {
  const { callee } = closure;
  if (walk.options.inPlace || callee.rest || walk.facts.inPlace.has(callee) || !isTooMuch(walk, callee)) return false;
  const { found, set } = capturesOf(walk, closure, args);
  return set.length === 0 && [...args, ...found.map(({ value }) => value)].every((value) => PASSED.has(value.kind));
}

module.exports = { count, isOutOfLine };
