/**
 * Assignments of every kind: `=`, `+=`, `??=`, `++`, to variables, elements and fields.
 *
 * The object and the index of an element are evaluated first, then its old value is read where the operator wants it,
 * then the right side is evaluated, then the element is set: in that order whatever these do to each other.
 */
'use strict';

const { binary, index, member, unary } = require('../hir/nodes.js');
const { refuse } = require('../source/frame.js');
const { elementOf, growing, setElement, setLength } = require('./growing.js');
const { isRenewed } = require('./scopes.js');
const { keyOf, staticOf, staticOfBinding } = require('./statics.js');
const { expectDeclared, showDeclared } = require('./temporal-dead-zone.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('../hir/index.js').Expression} Expression */
/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('./context.js').Context} Context */

/**
 * What can be set. `parts` are what has to be evaluated to know it: object and index, object, or nothing.
 *
 * @typedef {object} Slot
 * @property {(() => Expression)[]} parts
 * @property {(parts: Expression[]) => Expression} read
 * @property {(parts: Expression[], value: Expression) => void} write
 */

/** @param {Context} context @param {Ast} node an identifier @param {Ast} place @returns {Slot} */
function variableSlot(context, node, place) {
  const binding = context.unit.names.meaning.get(node);
  if (!binding) return refuseFree(context, node);
  const target = context.target(node, binding);
  return {
    parts: [],
    read: () => {
      expectDeclared(context, node);
      return context.read(target, node);
    },
    write: (_parts, value) => {
      expectDeclared(context, node);
      context.set(target, value, place);
    },
  };
}

/** @param {Context} context @param {Ast} node @returns {never} */
function refuseFree(context, node) {
  const { name } = node;
  if (Object.hasOwn(context.unit.capture, name)) {
    return refuse(
      node,
      `'${name}' is captured by its value and cannot be set`,
      'set a variable of the function and return it',
    );
  }
  return refuse(node, `'${name}' is not declared in the function`, `declare it: let ${name}`);
}

/** @param {Context} context @param {import('./growing.js').Growing} grown @param {Ast} node @param {Ast} place @returns {Slot} */
function grownSlot(context, grown, node, place) {
  if (keyOf(context.unit, node) === 'length') {
    const read = () => context.read(grown.count, node);
    return { parts: [read], read, write: (_parts, value) => setLength(context, grown, value, place) };
  }
  return {
    parts: [() => context.expression(node.property)],
    read: ([key]) => elementOf(context, grown, key, node),
    write: ([key], value) => setElement(context, grown, key, value, place),
  };
}

/** @param {Context} context @param {Ast} node a member @param {Ast} place @returns {Slot} */
function memberSlot(context, node, place) {
  const grown = growing(context, node.object);
  if (grown) return grownSlot(context, grown, node, place);
  const name = keyOf(context.unit, node);
  const object = () => context.expression(node.object);
  if (name !== null) {
    return {
      parts: [object],
      read: ([it]) => member(it, name, node),
      write: ([it], value) => context.emit({ kind: 'field', object: it, name, value, place }),
    };
  }
  if (!node.computed) return refuse(node, 'private fields are not supported', 'use plain objects');
  return {
    parts: [object, () => context.expression(node.property)],
    read: ([it, key]) => index(it, key, node),
    write: ([it, key], value) => context.emit({ kind: 'store', object: it, index: key, value, place }),
  };
}

/** @param {Context} context @param {Ast} node what stands left of an assignment @param {Ast} place @returns {Slot} */
function slotOf(context, node, place) {
  if (node.type === 'Identifier') return variableSlot(context, node, place);
  if (node.type !== 'MemberExpression') return refuse(node, 'this cannot be assigned to');
  if (staticOf(context.unit, node.object)?.kind === 'global') {
    refuse(node, 'what the language provides cannot be set', 'use a variable of the function');
  }
  return memberSlot(context, node, place);
}

/**
 * @param {Context} context
 * @param {Ast} node an AssignmentExpression
 * @param {boolean} isUsed whether its value is wanted
 * @returns {Expression}
 */
function assign(context, node, isUsed) {
  const { operator, left } = node;
  if (left.type === 'ArrayPattern' || left.type === 'ObjectPattern') return assignPattern(context, node, isUsed);
  const slot = slotOf(context, left, node);
  if (operator === '&&=' || operator === '||=' || operator === '??=') return assignLogical(context, node, slot);
  if (operator === '=') {
    const [value, ...parts] = rotate(context.sequence([...slot.parts, () => context.expression(node.right)]));
    return finish(context, slot, parts, value, isUsed);
  }
  return assignCompound(context, node, slot, isUsed);
}

/** The last first. @param {Expression[]} values */
const rotate = (values) => [values[values.length - 1], ...values.slice(0, -1)];

/** @param {Context} context @param {Slot} slot @param {Expression[]} parts @param {Expression} value @param {boolean} isUsed @returns {Expression} */
function finish(context, slot, parts, value, isUsed) {
  if (slot.parts.length === 0) {
    slot.write(parts, value);
    return slot.read(parts);
  }
  const kept = isUsed ? context.hold(value) : value;
  slot.write(parts, kept);
  return kept;
}

/** @param {Context} context @param {Ast} node @param {Slot} slot @param {boolean} isUsed @returns {Expression} */
function assignCompound(context, node, slot, isUsed) {
  const bases = context.sequence(slot.parts).map((part) => context.reuse(part));
  const right = () => context.expression(node.right);
  const values = context.sequence([...bases.map((part) => () => part), () => slot.read(bases), right]);
  const [old, value] = values.slice(-2);
  if (value.kind === 'string') refuse(node, 'texts are not computed with', 'make texts outside of the function');
  const op = node.operator.slice(0, -1);
  return finish(context, slot, values.slice(0, -2), binary(op, old, value, node), isUsed);
}

/**
 * `a ||= b`: b is evaluated, and a set, only where a does not do.
 *
 * @param {Context} context
 * @param {Ast} node
 * @param {Slot} slot
 * @returns {Expression}
 */
function assignLogical(context, node, slot) {
  const parts = context.sequence(slot.parts).map((part) => context.hold(part));
  const result = context.program.variable('value', node, false, context.fn);
  const kept = /** @type {Expression} */ ({ kind: 'variable', variable: result, place: node });
  context.set(result, slot.read(parts), node);
  const isNothing = binary('==', kept, { kind: 'null', place: node }, node);
  const test = node.operator === '&&=' ? kept : node.operator === '||=' ? unary('!', kept, node) : isNothing;
  const then = context.block(() => {
    context.set(result, context.expression(node.right), node);
    slot.write(parts, kept);
  });
  context.emit({ kind: 'if', test, then, otherwise: [], place: node });
  return kept;
}

/**
 * `[a, b] = [b, a]`: the elements of a literal go to variables of their own, so no array is made.
 *
 * @param {Context} context
 * @param {Ast} node
 * @param {boolean} isUsed
 * @returns {Expression}
 */
function assignPattern(context, node, isUsed) {
  const { left, right } = node;
  if (isUsed || !pairsUp(left, right)) {
    const value = context.hold(context.expression(right), 'parts');
    context.pattern(left, value, false);
    return value;
  }
  const values = context.operands(right.elements).map((value) => context.hold(value, 'part'));
  left.elements.forEach((/** @type {Ast | null} */ target, /** @type {number} */ at) => {
    if (target) context.pattern(target, values[at] ?? { kind: 'undefined', place: right }, false);
  });
  return { kind: 'undefined', place: node };
}

/**
 * Whether an array literal can be taken apart without being made.
 *
 * @param {Ast} pattern
 * @param {Ast} value
 * @returns {boolean}
 */
function pairsUp(pattern, value) {
  if (pattern.type !== 'ArrayPattern' || value?.type !== 'ArrayExpression') return false;
  const isPlain = (/** @type {Ast | null} */ element) => element !== null && element.type !== 'SpreadElement';
  return (
    value.elements.every(isPlain) &&
    pattern.elements.every((/** @type {Ast | null} */ one) => one?.type !== 'RestElement')
  );
}

/**
 * @param {Context} context
 * @param {Ast} node `++x`, `x--`
 * @param {boolean} isUsed
 * @returns {Expression}
 */
function update(context, node, isUsed) {
  const slot = slotOf(context, node.argument, node);
  const parts = context.sequence(slot.parts).map((part) => context.reuse(part));
  const op = node.operator === '++' ? 'increment' : 'decrement';
  const old = slot.read(parts);
  if (node.prefix || !isUsed) return finish(context, slot, parts, unary(op, old, node), isUsed);
  const kept = context.hold(unary('numeric', old, node), 'old');
  slot.write(parts, unary(op, kept, node));
  return kept;
}

/**
 * Sets what a pattern's part names, to a value that is evaluated after it.
 *
 * @param {Context} context
 * @param {Ast} node an identifier or a member
 * @param {() => Expression} build
 * @param {boolean} isDeclared
 */
function assignPart(context, node, build, isDeclared) {
  if (isDeclared) {
    declare(context, node, build());
    return;
  }
  const slot = slotOf(context, node, node);
  const [value, ...parts] = rotate(context.sequence([...slot.parts, build]));
  slot.write(parts, value);
}

/** @param {Context} context @param {Ast} node the identifier of a declaration @param {Expression} value */
function declare(context, node, value) {
  const binding = context.unit.names.meaning.get(node);
  const known = binding && staticOfBinding(context.unit, binding);
  // What is known is written wherever it is named.
  if (!binding || (known && !(known.kind === 'given' && known.name === null))) return;
  context.set(context.unit.variableAt(binding, node), value, node, isRenewed(binding) && !binding.block?.isHeldEarly);
  showDeclared(context, node);
}

module.exports = { assign, assignPart, declare, pairsUp, slotOf, update };
