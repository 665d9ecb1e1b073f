/**
 * What ranges of columns say of a predicate: for each piece whether it is true for no row, for all, or who knows.
 *
 * The graph of the kernel is walked with ranges instead of values. Comparisons of columns with constants and parameters
 * are decided, and what is made of them by and, or, not; everything else is unknown. NaN makes a range that decides
 * nothing.
 */
'use strict';

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../data/column.js').Column} Column */

const NONE = 0;
const ALL = 1;
const UNKNOWN = 2;

/** A range of values. @typedef {[any, any]} Range */

/** @type {Record<string, (a: Range, b: Range) => number>} */
const COMPARE = {
  lt: ([a, b], [x, y]) => (b < x ? ALL : a >= y ? NONE : UNKNOWN),
  le: ([a, b], [x, y]) => (b <= x ? ALL : a > y ? NONE : UNKNOWN),
  gt: ([a, b], [x, y]) => (a > y ? ALL : b <= x ? NONE : UNKNOWN),
  ge: ([a, b], [x, y]) => (a >= y ? ALL : b < x ? NONE : UNKNOWN),
  eq: ([a, b], [x, y]) => (a === b && a === x && x === y ? ALL : b < x || a > y ? NONE : UNKNOWN),
  ne: ([a, b], [x, y]) => (b < x || a > y ? ALL : a === b && a === x && x === y ? NONE : UNKNOWN),
};

/** @type {Record<string, (a: number, b: number) => number>} */
const LOGIC = {
  and: (a, b) => (a === NONE || b === NONE ? NONE : a === ALL && b === ALL ? ALL : UNKNOWN),
  or: (a, b) => (a === ALL || b === ALL ? ALL : a === NONE && b === NONE ? NONE : UNKNOWN),
  not: (a) => (a === UNKNOWN ? UNKNOWN : 1 - a),
  xor: () => UNKNOWN,
};

/**
 * @param {readonly Node[]} nodes of the kernel, operands first
 * @param {Node} root
 * @param {{ range: (node: Node) => Range | null, hasNulls: (node: Node) => boolean }} facts of columns, constants and parameters
 * @returns {number}
 */
function decide(nodes, root, { range, hasNulls }) {
  /** @type {Map<Node, number>} */
  const decided = new Map();
  for (const node of nodes) {
    if (node.rep !== 'bool') continue;
    decided.set(node, outcome(node));
    if (node === root) break;
  }
  return decided.get(root) ?? UNKNOWN;

  /** @type {(node: Node) => number} */
  function outcome(node) {
    const { kind, name, args, value } = node;
    if (kind === 'constant') return value ? ALL : NONE;
    if (kind === 'bits') return hasNulls(node) ? UNKNOWN : ALL;
    if (kind === 'logic') return LOGIC[name](decided.get(args[0]) ?? UNKNOWN, decided.get(args[1]) ?? UNKNOWN);
    if (kind !== 'op' || !(name in COMPARE)) return UNKNOWN;
    const [a, b] = args.map(range);
    return a === null || b === null ? UNKNOWN : COMPARE[name](a, b);
  }
}

module.exports = { ALL, NONE, decide };
