/**
 * Whether what a variable names has no other name: then it dies with the variable.
 *
 * A variable that is only indexed, asked for its length and filled gives its array to nobody. One that is set from it,
 * as a temporary often is, counts as itself.
 */
'use strict';

/** @typedef {import('./index.js').FunctionNode} FunctionNode */
/** @typedef {import('./index.js').Variable} Variable */

/** @type {WeakMap<Variable, boolean>} */
const known = new WeakMap();

/** @type {(callee: FunctionNode, variable: Variable) => boolean} */
function staysLocal(callee, variable) {
  let stays = known.get(variable);
  if (stays === undefined) {
    known.set(variable, false); // in a circle
    stays = !variable.isShared && !escapesFrom(callee.body, variable, callee);
    known.set(variable, stays);
  }
  return stays;
}

/** Fields of nodes that lead elsewhere. */
const APART = new Set(['place', 'variable', 'fresh', 'result', 'target']);

const QUIET = new Set(['fill', 'set', 'copyWithin', 'reverse', 'sort']);

/** @type {(node: any, variable: Variable, callee: FunctionNode) => boolean} */
function escapesFrom(node, variable, callee) {
  if (Array.isArray(node)) return node.some((n) => escapesFrom(n, variable, callee));
  if (!node || typeof node !== 'object') return false;
  const inside = (/** @type {string[]} */ parts) => parts.some((p) => escapesFrom(node[p], variable, callee));
  const is = (/** @type {any} */ e) => e?.kind === 'variable' && e.variable === variable;
  switch (node.kind) {
    case 'variable':
      return is(node);
    case 'set':
      if (is(node.value))
        return !(node.variable !== variable && node.variable.isConst && staysLocal(callee, node.variable));
      return inside(['value']);
    case 'index':
      return (is(node.object) ? false : inside(['object'])) || inside(['index']);
    case 'member':
      return is(node.object) ? false : inside(['object']);
    case 'store':
      return (is(node.object) ? false : inside(['object'])) || inside(['index', 'value']);
    case 'method':
      if (is(node.object) && QUIET.has(node.name) && !node.result) return inside(['args']);
      return inside(['object', 'args']);
    case 'break':
    case 'continue':
    case 'closure':
      return false;
    default:
      return Object.entries(node).some(
        ([key, part]) => !APART.has(key) && typeof part === 'object' && escapesFrom(part, variable, callee),
      );
  }
}

module.exports = { staysLocal };
