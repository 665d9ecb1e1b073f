/**
 * Ways through a tree that keep their own stack: a sum of ten thousand terms is ten thousand levels deep, and no call
 * stack is sure to hold them. Each node is visited once, however many operands it is.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const ast = require('./ast.js');

/** @typedef {import('./ast.js').Node} Node */

/** @type {readonly Node[]} */
const NONE = Object.freeze([]);

/** @type {{ [K in Node['kind']]: (node: Extract<Node, { kind: K }>) => readonly Node[] }} */
const CHILDREN = {
  literal: () => NONE,
  name: () => NONE,
  parameter: () => NONE,
  call: ({ args }) => args,
  in: ({ value, list }) => [value, ...list],
  case: ({ branches, otherwise }) => [
    ...branches.flatMap(({ when, then }) => [when, then]),
    ...(otherwise === null ? [] : [otherwise]),
  ],
  cast: ({ value }) => [value],
};

/**
 * The operands of a node, from left to right: of `in` the value before the list, of `case` each condition before its
 * result, and what is left otherwise last.
 *
 * @type {(node: Node) => readonly Node[]}
 */
const children = (node) => CHILDREN[node.kind](/** @type {any} */ (node));

/** @type {Partial<{ [K in Node['kind']]: (node: Extract<Node, { kind: K }>, operands: readonly Node[]) => Node }>} */
const REBUILD = {
  call: ({ name, start, end }, operands) => ast.call(name, operands, start, end),
  in: ({ start, end }, [value, ...list]) => ast.within(value, list, start, end),
  case: ({ branches, otherwise, start, end }, operands) => {
    const pairs = branches.map((_, i) => ({ when: operands[2 * i], then: operands[2 * i + 1] }));
    return ast.choice(pairs, otherwise && operands[2 * branches.length], start, end);
  },
  cast: ({ to, safe, start, end }, [value]) => ast.cast(value, to, safe, start, end),
};

/**
 * The node with other operands, in the order of {@link children}; the node itself where they are the same.
 *
 * @param {Node} node
 * @param {readonly Node[]} operands
 * @returns {Node}
 */
function withChildren(node, operands) {
  const isSame = children(node).every((operand, i) => operand === operands[i]);
  return isSame ? node : ast.standing(/** @type {any} */ (REBUILD)[node.kind](node, operands), node.source);
}

/**
 * A result for each node, from the leaves to the root.
 *
 * @template R, [N=Node]
 * @param {N} root
 * @param {(node: N, results: R[]) => R} visit gets the results of the operands, in their order
 * @param {(node: N) => readonly N[]} [operandsOf]
 * @returns {R} that of the root
 */
function fold(root, visit, operandsOf = /** @type {any} */ (children)) {
  /** @type {Map<N, R>} */
  const results = new Map();
  /** @type {Set<N>} nodes whose operands are being visited */
  const open = new Set();
  /** @type {{ node: N, operands: readonly N[], at: number }[]} */
  const stack = [];
  /** @type {(node: N) => void} */
  const enter = (node) => {
    if (open.has(node)) fail('ERR_ARGUMENT', 'an expression is an operand of itself');
    open.add(node);
    stack.push({ node, operands: operandsOf(node), at: 0 });
  };
  enter(root);
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const { node, operands } = top;
    while (top.at < operands.length && results.has(operands[top.at])) top.at++;
    if (top.at < operands.length) {
      enter(operands[top.at]);
      continue;
    }
    results.set(node, visit(node, /** @type {R[]} */ (operands.map((operand) => results.get(operand)))));
    open.delete(node);
    stack.pop();
  }
  return /** @type {R} */ (results.get(root));
}

/**
 * Visits each node once, before its operands, from left to right.
 *
 * @param {Node} root
 * @param {(node: Node) => void | boolean} visit false leaves the operands out
 */
function walk(root, visit) {
  const seen = new Set([root]);
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (visit(node) === false) continue;
    for (const operand of [...children(node)].reverse()) {
      if (seen.has(operand)) continue;
      seen.add(operand);
      stack.push(operand);
    }
  }
}

/**
 * A tree with other nodes in place of some.
 *
 * @param {Node} root
 * @param {(node: Node) => Node} replace gets each node with its operands replaced
 * @returns {Node}
 */
const rewrite = (root, replace) =>
  fold(root, (/** @type {Node} */ node, /** @type {Node[]} */ operands) => replace(withChildren(node, operands)));

/** A tree all of which stands in a text, but for what does in one already. @type {(root: Node, source: import('./ast.js').Source) => Node} */
const standingIn = (root, source) => rewrite(root, (node) => ast.standing(node, node.source ?? source));

/** What a node is apart from its operands. @type {(node: Node) => unknown[]} */
function own(node) {
  if (node.kind === 'case') return [node.kind, node.branches.length];
  if (node.kind === 'cast') return [node.kind, node.to.name, ...node.to.args, node.safe];
  if (node.kind === 'in') return [node.kind];
  if (node.kind !== 'literal') return [node.kind, node.name];
  const { type, value } = node;
  if (value instanceof Uint8Array) return [node.kind, type, ...value];
  if (typeof value === 'object' && value) return [node.kind, type, value.months, value.days, String(value.nanoseconds)];
  // JSON has no bigints, NaN, infinities or negative zero.
  return [node.kind, type, Object.is(value, -0) ? '-0' : typeof value === 'string' ? value : String(value)];
}

/**
 * Whether two trees say the same, wherever they stand and whichever of their nodes are shared.
 *
 * @param {Node} a
 * @param {Node} b
 * @returns {boolean}
 */
function same(a, b) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  const number = (/** @type {Node} */ node, /** @type {number[]} */ operands) => {
    const key = JSON.stringify([own(node), operands]);
    const found = numbers.get(key) ?? numbers.size;
    numbers.set(key, found);
    return found;
  };
  return fold(a, number) === fold(b, number);
}

module.exports = { children, fold, rewrite, same, standingIn, walk, withChildren };
