/**
 * Arrays that grow: `const out = []`, then `out.push(x)`, `out[out.length] = x` or `out[i] = x` in a loop.
 *
 * It begins as a literal, `[...x, y]`, `Array.from(…)` or `new Array(n)`. Such an array is two variables: an array with
 * room to spare, and how many elements there are. When it is full, its elements go to one of twice the length. This
 * holds for arrays that are in one variable from beginning to end (scopes.js counts how a name is used): nobody else
 * can tell. Where the array as a whole is wanted, to be returned or gone over by a method, it is a copy of what is
 * there. What would leave a hole is an error of the run.
 */
'use strict';

const {
  binary, builtin, constant, constantOf, index, isFixed, member, number, undefinedAt, unary,
} = require('../hir/nodes.js');
const { refuse } = require('../source/frame.js');
const { isFunction } = require('../source/index.js');
const { loop } = require('./arrays.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('../hir/index.js').Expression} Expression */
/** @typedef {import('../hir/index.js').Variable} Variable */
/** @typedef {import('./context.js').Context} Context */
/** @typedef {import('./scopes.js').Binding} Binding */

/** Elements that there is room for at first. */
const ROOM = 8;

/** @typedef {{ items: Variable, count: Variable }} Growing */

/**
 * Whether all that happens to an array is known: it is made where its variable is, and grows.
 *
 * @param {Binding} binding
 * @param {import('./scopes.js').Names} names
 * @returns {boolean}
 */
function grows(binding, names) {
  const {
    init, kind, loop: head, assigned, references, reads, changes, values, handed, isGrown, isResized, isOdd, isShared,
  } = binding;
  if (isOdd || assigned > 0 || head || !init || init.path.length > 0) return false;
  if (!(isLiteral(init.node) ? isGrown : isResized && makesArray(init.node, names))) return false;
  if (kind === 'var' || references.length !== reads + changes + values + handed.length) return false;
  return handed.length === 0 || (!isShared && handed.every((to) => isOnlyRead(to, names, new Set())));
}

/** Whether a literal names its elements. @param {Ast} node */
const isLiteral = ({ type, elements }) =>
  type === 'ArrayExpression' && elements.every((/** @type {Ast | null} */ one) => one && one.type !== 'SpreadElement');

/**
 * Whether an expression makes an Array that nobody else has.
 *
 * @param {Ast} node
 * @param {import('./scopes.js').Names} names
 */
function makesArray(node, names) {
  const isArray = (/** @type {Ast} */ one) =>
    one.type === 'Identifier' && one.name === 'Array' && !names.meaning.get(one);
  if (node.type === 'ArrayExpression') return node.elements.every(Boolean);
  if (node.type === 'NewExpression') return isArray(node.callee);
  const { callee } = node;
  if (node.type !== 'CallExpression') return false;
  if (callee.type === 'MemberExpression' && !callee.computed && callee.property.name === 'fill')
    return makesArray(callee.object, names);
  return (
    isArray(callee) ||
    (callee.type === 'MemberExpression' &&
      !callee.computed &&
      callee.property.name === 'from' &&
      isArray(callee.object))
  );
}

/**
 * Whether a function does no more with an argument than to read it, so that a copy will do.
 *
 * @param {Binding['handed'][number]} to
 * @param {import('./scopes.js').Names} names
 * @param {Set<Binding>} seen parameters that are looked at already
 * @returns {boolean}
 */
function isOnlyRead({ callee: { init, assigned }, at }, names, seen) {
  if (assigned > 0 || !init || init.path.length > 0 || !isFunction(init.node) || names.wanted.has(init.node))
    return false;
  const { params } = init.node;
  const param = params[at];
  const binding = param?.type === 'Identifier' ? names.meaning.get(param) : null;
  if (!binding) return at >= params.length && params.at(-1)?.type !== 'RestElement';
  if (seen.has(binding)) return true;
  seen.add(binding);
  const { references, reads, handed, touched, isOdd, isShared } = binding;
  const isRead =
    binding.assigned === 0 &&
    touched.length === 0 &&
    !isOdd &&
    !isShared &&
    references.length === reads + handed.length;
  return isRead && handed.every((next) => isOnlyRead(next, names, seen));
}

/** @param {Context} context @param {Ast} node @returns {Growing | null} what a name stands for, if it is an array that grows */
function growing(context, node) {
  const binding = node.type === 'Identifier' ? context.unit.names.meaning.get(node) : null;
  if (!binding || !grows(binding, context.unit.names)) return null;
  if (context.unit.names.early.has(node)) context.refuseEarly(node);
  const { unit, program } = context;
  let found = unit.growing.get(binding);
  if (!found) {
    const owner = binding.fn ? unit.functionOf(binding.fn) : null;
    const make = (/** @type {string} */ name) => {
      const made = program.variable(name, binding.node, false, owner);
      made.isShared = binding.isShared;
      return made;
    };
    found = { items: make(binding.name), count: make(`${binding.name}_count`) };
    unit.growing.set(binding, found);
  }
  return found;
}

/** `const out = [a, b]`. @param {Context} context @param {Growing} it @param {Ast} node what makes the array */
function start(context, { items, count }, node) {
  if (!isLiteral(node)) {
    const made = context.hold(context.expression(node), 'made');
    const length = context.hold(member(made, 'length', node), 'length');
    context.set(items, builtin('new.grown', [made, length], node), node);
    context.set(count, length, node);
    return;
  }
  const values = context.operands(node.elements).map((value) => context.hold(value, 'element'));
  const room = number(Math.max(ROOM, values.length), node);
  context.set(items, builtin('new.room', [room], node), node);
  context.set(count, number(values.length, node), node);
  values.forEach((value, at) => {
    context.emit({ kind: 'store', object: context.read(items, node), index: number(at, node), value, place: node });
  });
}

/** @param {Context} context @param {Growing} it @param {Expression} value that keeps its value @param {Ast} place */
function append(context, { items, count }, value, place) {
  const [array, length] = [context.read(items, place), context.read(count, place)];
  const then = context.block(() => {
    const twice = binary('*', length, number(2, place), place);
    const made = context.hold(
      builtin('new.grown', [array, binary('+', twice, number(ROOM, place), place)], place),
      'room',
    );
    context.emit({ kind: 'set', variable: items, value: made, declares: false, place });
  });
  context.emit({
    kind: 'if', test: binary('>=', length, { kind: 'member', object: array, name: 'length', place }, place), then,
    otherwise: [], place,
  });
  context.emit({ kind: 'store', object: array, index: length, value, place });
  context.set(count, unary('increment', length, place), place);
}

/**
 * `out[i]`: nothing is there from the count on.
 *
 * @param {Context} context
 * @param {Growing} it
 * @param {Expression} key
 * @param {Ast} place
 * @returns {Expression}
 */
function elementOf(context, { items, count }, key, place) {
  const at = context.reuse(key, 'index');
  const test = binary('<', at, context.read(count, place), place);
  return {
    kind: 'conditional', test, then: index(context.read(items, place), at, place), otherwise: undefinedAt(place), place,
  };
}

/**
 * `out[i] = x`: sets an element, or adds one behind the last.
 *
 * @param {Context} context
 * @param {Growing} it
 * @param {Expression} key
 * @param {Expression} value
 * @param {Ast} place
 */
function setElement(context, it, key, value, place) {
  const at = isFixed(key) ? key : context.hold(key, 'index');
  const kept = context.hold(value);
  const length = context.read(it.count, place);
  const added = context.block(() => append(context, it, kept, place));
  const inside = context.block(() => {
    context.emit({ kind: 'store', object: context.read(it.items, place), index: at, value: kept, place });
  });
  const hole = context.block(() => {
    const parts = [constant('an array grows by one element at a time: there is none before ', place), at];
    context.emit({ kind: 'throw', type: 'RangeError', parts, place });
  });
  const isInside = binary('<', at, length, place);
  const otherwise = context.block(() => {
    context.emit({ kind: 'if', test: binary('===', at, length, place), then: added, otherwise: hole, place });
  });
  context.emit({ kind: 'if', test: isInside, then: inside, otherwise, place });
}

/** `out.length = 0`. @param {Context} context @param {Growing} it @param {Expression} value @param {Ast} place */
function setLength(context, { count }, value, place) {
  if (constantOf(value)?.value !== 0)
    refuse(place, 'the length of an array can only be set to 0', 'pop what is too much');
  context.read(count, place);
  context.set(count, value, place);
}

/** A copy of what there is. @param {Context} context @param {Growing} it @param {Ast} place @returns {Expression} */
function wholeOf(context, { items, count }, place) {
  const args = [context.read(items, place), number(0, place), context.read(count, place)];
  return context.hold(builtin('.slice', args, place), 'whole');
}

/** @param {Context} context @param {Growing} it @param {Ast} node the call @returns {Expression} */
function push(context, it, node) {
  if (node.arguments.some((/** @type {Ast} */ { type }) => type === 'SpreadElement')) return pushAll(context, it, node);
  const values = context.operands(node.arguments).map((value) => context.hold(value, 'pushed'));
  for (const value of values) append(context, it, value, node);
  return context.read(it.count, node);
}

/** `out.push(x, ...more)`. @param {Context} context @param {Growing} it @param {Ast} node @returns {Expression} */
function pushAll(context, it, node) {
  const array = context.hold(
    context.expression({ ...node, type: 'ArrayExpression', elements: node.arguments }),
    'pushed',
  );
  const length = context.hold(member(array, 'length', node), 'length');
  loop({ context, node, length }, (at) => append(context, it, context.hold(index(array, at, node), 'element'), node));
  return context.read(it.count, node);
}

/** @param {Context} context @param {Growing} it @param {Ast} node @returns {Expression} */
function pop(context, it, node) {
  const length = context.read(it.count, node);
  const last = binary('-', length, number(1, node), node);
  const value = context.hold(elementOf(context, it, last, node), 'popped');
  const then = context.block(() => context.set(it.count, unary('decrement', length, node), node));
  context.emit({ kind: 'if', test: binary('>', length, number(0, node), node), then, otherwise: [], place: node });
  return value;
}

/** @param {Context} context @param {Growing} it @param {Ast} node @returns {Expression} */
function shift(context, it, node) {
  const value = context.hold(elementOf(context, it, number(0, node), node), 'shifted');
  const [array, length] = [context.read(it.items, node), context.read(it.count, node)];
  const then = context.block(() => {
    const rest = context.hold(builtin('.slice', [array, number(1, node)], node), 'rest');
    context.emit({ kind: 'set', variable: it.items, value: rest, declares: false, place: node });
    context.set(it.count, unary('decrement', length, node), node);
  });
  context.emit({ kind: 'if', test: binary('>', length, number(0, node), node), then, otherwise: [], place: node });
  return value;
}

/**
 * Methods that change the elements there are: `sort`, `reverse`, `fill`.
 *
 * @param {Context} context
 * @param {Growing} it
 * @param {string} name
 * @param {Ast} node
 * @param {boolean} isUsed
 * @returns {Expression}
 */
function arrange(context, it, name, node, isUsed) {
  const args = context
    .operands(node.arguments)
    .map((value) => (value.kind === 'closure' ? value : context.hold(value)));
  const copy = wholeOf(context, it, node);
  context.emit({ kind: 'set', variable: it.items, value: copy, declares: false, place: node });
  context.emit({ kind: 'method', result: null, object: copy, name, args, place: node });
  return isUsed ? copy : undefinedAt(node);
}

/**
 * A call of a method that changes an array that grows.
 *
 * @param {Context} context
 * @param {Growing} it
 * @param {string} name
 * @param {Ast} node
 * @param {boolean} isUsed
 * @returns {Expression | null} null: it is another method, for which a copy will do
 */
function growingMethod(context, it, name, node, isUsed) {
  if (name === 'push') return push(context, it, node);
  if (name === 'pop') return pop(context, it, node);
  if (name === 'shift') return shift(context, it, node);
  return name === 'sort' || name === 'reverse' || name === 'fill' ? arrange(context, it, name, node, isUsed) : null;
}

module.exports = { elementOf, growing, growingMethod, setElement, setLength, start, wholeOf };
