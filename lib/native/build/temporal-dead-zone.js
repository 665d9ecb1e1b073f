/**
 * Variables that may be named before they are declared, which is a ReferenceError in JavaScript.
 *
 * In its own function the text tells: what stands in front of a declaration runs before it. A function inside may run
 * whenever something that names it does, so what counts is where those places stand, up to the function that declares
 * the variable; and in a `switch` the declaration may be in a case that is not taken. Few programs leave a doubt:
 * `const f = () => x` above `let x` has none if f is called below. Where there is one, a boolean goes with the
 * variable, which is true from its declaration on, and such references ask for it. Inference mostly knows the answer,
 * and nothing is left of it.
 */
'use strict';

const { constant, unary } = require('../hir/nodes.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('./scopes.js').Binding} Binding */
/** @typedef {import('./scopes.js').Names} Names */
/** @typedef {import('./context.js').Context} Context */

/**
 * A reference from a function inside. `holder`: of the functions around it the one that stands in the variable's own.
 *
 * @typedef {{ binding: Binding, node: Ast, holder: Ast }} InnerReference
 */

// --- finding them ---

/**
 * Whether a place in a variable's own function is none where it surely has a value.
 *
 * @param {Binding} binding
 * @param {number} at
 */
function isBefore({ ready, from, end }, at) {
  return at < ready || at >= end || (from !== null && at >= from.start && at < from.end);
}

/**
 * Whether a function inside may run where a variable is not declared.
 *
 * @param {Binding} binding
 * @param {Ast | null} fn
 * @param {Names} names
 * @param {Set<Ast>} seen
 * @returns {boolean}
 */
function runsBefore(binding, fn, names, seen) {
  if (!fn || seen.has(fn)) return !fn;
  seen.add(fn);
  const isEarly = (/** @type {number} */ at, /** @type {Ast | null} */ inside) =>
    inside === binding.fn ? isBefore(binding, at) : runsBefore(binding, inside, names, seen);
  const name = names.named.get(fn);
  if (!name) return isEarly(fn.start, names.around.get(fn) ?? null);
  return name.references.some(({ start, inside }) => isEarly(start, inside));
}

/** Marks what may be named too early, and where. @param {Names} names @param {InnerReference[]} references */
function findEarly(names, references) {
  for (const { binding, node, holder } of references) {
    const isHidden = binding.kind === 'let' || binding.kind === 'const' || binding.kind === 'param';
    if (isHidden && binding.fn && runsBefore(binding, holder, names, new Set())) guard(names, binding, node);
  }
}

/** @param {Names} names @param {Binding} binding @param {Ast} node */
function guard(names, binding, node) {
  names.guarded.add(node);
  if (binding.isGuarded) return;
  binding.isGuarded = true;
  binding.isOdd = true;
  names.guards.push(binding);
}

// --- writing what asks for them ---

/**
 * Before the declaration comes into reach: where a block, a function or the head of a loop begins.
 *
 * @param {Context} context
 * @param {Ast} home
 */
function hideDeclared(context, home) {
  for (const binding of context.unit.names.guards) {
    if (binding.home === home) context.set(context.unit.flagOf(binding), constant(false, home), home, true);
  }
}

/** Behind a declaration. @param {Context} context @param {Ast} node the identifier that it declares */
function showDeclared(context, node) {
  const binding = context.unit.names.meaning.get(node);
  if (binding?.isGuarded) context.set(context.unit.flagOf(binding), constant(true, node), node);
}

/**
 * Throws where a name is not declared yet.
 *
 * @param {Context} context
 * @param {Ast} node an identifier that is read or set
 */
function expectDeclared(context, node) {
  const { names } = context.unit;
  const binding = names.guarded.has(node) ? names.meaning.get(node) : null;
  if (!binding) return;
  const flag = context.read(context.unit.flagOf(binding), node);
  const message = constant(`Cannot access '${node.name}' before initialization`, node);
  const then = context.block(() =>
    context.emit({ kind: 'throw', type: 'ReferenceError', parts: [message], place: node }),
  );
  context.emit({ kind: 'if', test: unary('!', flag, node), then, otherwise: [], place: node });
}

module.exports = { expectDeclared, findEarly, guard, hideDeclared, showDeclared };
