/**
 * Destructuring: a pattern and a value become assignments, one per name, in order.
 *
 * Arrays are taken apart by index. That is what their iterator does, too, and anything else that could be iterated over
 * is refused when types are known.
 */
'use strict';

const { binary, builtin, constant, constantOf, index, member, number, undefinedAt } = require('../hir/nodes.js');
const { refuse } = require('../source/frame.js');
const { assignPart } = require('./assignments.js');
const { propertyName } = require('./names.js');
const { staticOf } = require('./statics.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('../hir/index.js').Expression} Expression */
/** @typedef {import('./context.js').Context} Context */

/**
 * @param {Context} context
 * @param {Expression} value
 * @param {Ast} node what to use where the value is undefined
 * @returns {Expression}
 */
function withDefault(context, value, node) {
  const fixed = constantOf(value);
  if (fixed) return fixed.value === undefined ? context.expression(node) : value;
  const kept = context.reuse(value, 'part');
  const test = binary('===', kept, undefinedAt(node), node);
  return context.choice(
    test,
    () => context.expression(node),
    () => kept,
    node,
  );
}

/** @param {Context} context @param {Ast} target @param {() => Expression} build @param {boolean} isDeclared */
function part(context, target, build, isDeclared) {
  const hasDefault = target.type === 'AssignmentPattern';
  const inner = hasDefault ? target.left : target;
  const value = () => (hasDefault ? withDefault(context, build(), target.right) : build());
  if (inner.type === 'Identifier' || inner.type === 'MemberExpression') assignPart(context, inner, value, isDeclared);
  else pattern(context, inner, value(), isDeclared);
}

/** @param {Context} context @param {Ast} node @param {Expression} whole @param {boolean} isDeclared */
function arrayPattern(context, node, whole, isDeclared) {
  node.elements.forEach((/** @type {Ast | null} */ element, /** @type {number} */ at) => {
    if (!element) return;
    const isRest = element.type === 'RestElement';
    const rest = () => context.hold(builtin('new.rest', [whole, number(at, element)], element), 'rest');
    const one = () => ({ ...index(whole, number(at, element), element), isLooped: true });
    part(context, isRest ? element.argument : element, isRest ? rest : one, isDeclared);
  });
}

/** @param {Context} context @param {Ast} node @param {Expression} whole @param {boolean} isDeclared */
function objectPattern(context, node, whole, isDeclared) {
  /** @type {string[]} */
  const names = [];
  for (const property of node.properties) {
    if (property.type === 'RestElement') {
      const gone = names.map((name) => constant(name, property));
      const rest = () => context.hold(builtin('new.omit', [whole, ...gone], property), 'rest');
      part(context, property.argument, rest, isDeclared);
      continue;
    }
    const name = propertyName(context, property);
    names.push(name);
    const isIndex = String(Number(name) >>> 0) === name;
    const read = () =>
      isIndex ? index(whole, number(Number(name), property), property) : member(whole, name, property);
    part(context, property.value, read, isDeclared);
  }
}

/**
 * @param {Context} context
 * @param {Ast} node a pattern, or a name
 * @param {Expression} value
 * @param {boolean} isDeclared by let, const, var or as a parameter, rather than assigned
 */
function pattern(context, node, value, isDeclared) {
  switch (node.type) {
    case 'ArrayPattern':
    case 'ObjectPattern': {
      const whole = context.hold(value, 'parts');
      if (node.type === 'ArrayPattern') arrayPattern(context, node, whole, isDeclared);
      else objectPattern(context, node, whole, isDeclared);
      return;
    }
    case 'Identifier':
    case 'MemberExpression':
    case 'AssignmentPattern':
      part(context, node, () => value, isDeclared);
      return;
    default:
      refuse(node, 'this cannot be assigned to');
  }
}

/**
 * Whether a pattern takes functions of the language apart, `const { sqrt, PI } = Math`: all is known.
 *
 * @param {Context} context
 * @param {Ast} declarator
 */
function isKnownSpace(context, { id, init }) {
  return id.type === 'ObjectPattern' && init && staticOf(context.unit, init)?.kind === 'global';
}

module.exports = { isKnownSpace, pattern, withDefault };
