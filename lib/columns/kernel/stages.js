/**
 * In what order a block is computed: nodes of one class that can be computed in one loop are a stage.
 *
 * Stages are found greedily, each as large as the ones before it allow. Calls for different rows (guards) are different
 * loops, so a stage of rows has one guard. What a later stage needs of an earlier one is kept for the 64 rows of the
 * block, in a word where it is a boolean and in an array on the stack where it is not.
 */
'use strict';

/** @typedef {import('./dag.js').Node} Node */
/** @typedef {import('./dag.js').Class} Class */

/**
 * `kept`: the nodes that other stages read.
 *
 * @typedef {object} Stage
 * @property {Class} cls
 * @property {Node | null} guard
 * @property {Node[]} nodes
 * @property {Set<Node>} kept
 */

/** All that a node needs before it. @type {(node: Node) => readonly Node[]} */
const needsOf = ({ args, guard }) => (guard === null ? args : [...args, guard]);

/** The nodes that `roots` need, operands first. @type {(nodes: readonly Node[], roots: readonly Node[]) => Node[]} */
function reachable(nodes, roots) {
  const needed = new Set(roots);
  for (let i = nodes.length - 1; i >= 0; i--) {
    if (needed.has(nodes[i])) for (const each of needsOf(nodes[i])) needed.add(each);
  }
  return nodes.filter((node) => needed.has(node));
}

/**
 * The nodes of a class, and for a guard, that can be computed when all of `done` are.
 *
 * @type {(left: readonly Node[], done: ReadonlySet<Node>, cls: Class, guard: Node | null) => Node[]}
 */
function ready(left, done, cls, guard) {
  /** @type {Set<Node>} */
  const chosen = new Set();
  for (const node of left) {
    if (node.cls !== cls || node.guard !== guard) continue;
    if (node.args.every((arg) => done.has(arg) || chosen.has(arg)) && (guard === null || done.has(guard)))
      chosen.add(node);
  }
  return [...chosen];
}

/** @type {readonly Class[]} */
const ORDER = ['lanes', 'word', 'row'];

/**
 * @param {readonly Node[]} nodes operands first
 * @param {readonly Node[]} roots
 * @returns {Stage[]}
 */
function stagesOf(nodes, roots) {
  const all = reachable(nodes, roots);
  const done = new Set(all.filter(({ cls }) => cls === 'leaf'));
  let left = all.filter(({ cls }) => cls !== 'leaf');
  /** @type {Stage[]} */
  const stages = [];
  const add = (/** @type {Class} */ cls, /** @type {Node | null} */ guard) => {
    const chosen = ready(left, done, cls, guard);
    if (chosen.length === 0) return;
    stages.push({ cls, guard, nodes: chosen, kept: new Set() });
    for (const node of chosen) done.add(node);
    left = left.filter((node) => !done.has(node));
  };
  while (left.length > 0) {
    for (const cls of ORDER) {
      const guards = cls === 'row' ? new Set(left.filter((node) => node.cls === 'row').map(({ guard }) => guard)) : [null];
      for (const guard of guards) add(cls, guard);
    }
  }
  return keep(stages);
}

/** @type {(stages: Stage[]) => Stage[]} */
function keep(stages) {
  const home = new Map(stages.flatMap((stage) => stage.nodes.map((node) => [node, stage])));
  for (const stage of stages) {
    for (const node of stage.nodes) {
      for (const arg of needsOf(node)) {
        const from = home.get(arg);
        if (from !== undefined && from !== stage) from.kept.add(arg);
      }
    }
  }
  return stages;
}

module.exports = { stagesOf };
