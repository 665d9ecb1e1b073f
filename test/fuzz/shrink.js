// Makes a tree of grammar.js smaller while it still fails.
'use strict';

/** @typedef {import('./grammar.js').Node} Node */

/** @param {Node | string} node @returns {string} */
const print = (node) => (typeof node === 'string' ? node : node.parts.map(print).join(''));

/** @param {Node} node @param {(node: Node) => boolean} accepts @returns {Node[]} the nearest nodes below that are accepted */
function nearest(node, accepts) {
  return node.parts.flatMap((part) => (typeof part === 'string' ? [] : accepts(part) ? [part] : nearest(part, accepts)));
}

/** What may stand in the place of a node. @param {Node} node @returns {(Node | string)[]} */
function replacements(node) {
  if (node.role === 'list') return [];
  if (node.role === 'statement') return nearest(node, (inner) => inner.role === 'list').filter((list) => /;\n/.test(print(list)));
  const texts = ['0', '1', '(-1)', '0.5'].filter((text) => text.length < print(node).length);
  return [...texts, ...nearest(node, (inner) => inner.role === 'expression')];
}

/** Every tree that is one step smaller, larger steps first. @param {Node} tree @returns {Generator<Node>} */
function* smaller(tree) {
  const parts = tree.parts;
  const withPart = (/** @type {number} */ at, /** @type {(Node | string)[]} */ by) => ({ ...tree, parts: [...parts.slice(0, at), ...by, ...parts.slice(at + 1)] });
  if (tree.role === 'list') {
    for (let size = parts.length >> 1; size >= 1; size >>= 1) {
      for (let at = 0; at + size <= parts.length; at++) {
        const gone = parts.slice(at, at + size);
        if (gone.every((part) => typeof part !== 'string' && part.role === 'statement')) yield { ...tree, parts: [...parts.slice(0, at), ...parts.slice(at + size)] };
      }
    }
  }
  for (const [at, part] of parts.entries()) if (typeof part !== 'string') for (const by of replacements(part)) yield withPart(at, [by]);
  for (const [at, part] of parts.entries()) if (typeof part !== 'string') for (const by of smaller(part)) yield withPart(at, [by]);
}

/**
 * The smallest case found for which `fails` holds.
 *
 * @template T
 * @param {T} first for which it holds
 * @param {(made: T) => Iterable<T>} smallerOf what to try in place of a case
 * @param {(made: T) => boolean} fails
 * @param {number} tries at most
 */
function smallest(first, smallerOf, fails, tries) {
  let best = first;
  for (let left = tries, changed = true; changed && left > 0; ) {
    changed = false;
    for (const candidate of smallerOf(best)) {
      if (left-- <= 0) break;
      if (!fails(candidate)) continue;
      best = candidate;
      changed = true;
      break;
    }
  }
  return best;
}

/** The smallest tree found. @type {(tree: Node, fails: (tree: Node) => boolean, tries?: number) => Node} */
const shrink = (tree, fails, tries = 3000) => smallest(tree, smaller, fails, tries);

module.exports = { print, shrink, smallest };
