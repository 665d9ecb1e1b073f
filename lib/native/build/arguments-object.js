/**
 * What a function is called with besides its parameters: `arguments`, and calls by `apply` and `call`.
 *
 * `arguments` is an array of what a call gave, as a rest parameter is; it may be read, spread and handed on by `apply`,
 * and a function that names parts of it only gets a parameter for each. `f.apply(any, values)` is `f(...values)`, since
 * `this` means nothing here. Functions that are not known before types are (calls.js) are called so by inference.
 */
'use strict';

const { builtin, index, undefinedAt, variable } = require('../hir/nodes.js');
const { refuse } = require('../source/frame.js');
const { BUILTINS } = require('./globals.js');
const { keyOf, staticOf } = require('./statics.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('../hir/index.js').Expression} Expression */
/** @typedef {import('./context.js').Context} Context */

/** @param {Context} context @param {Ast} node */
const isArguments = (context, node) =>
  node.type === 'Identifier' && node.name === 'arguments' && !context.unit.names.meaning.get(node);

/** @param {Ast} node @returns {never} */
const refuseArguments = (node) => refuse(node, "'arguments' is not supported here", 'write (...values) and use values');

/**
 * Whether a function has `arguments` of its own, and setting a parameter changes none of them.
 *
 * @param {Context} context
 */
function hasOwn({ fn: { params, place } }) {
  const { type, params: written } = /** @type {Ast} */ (place);
  if (type === 'ArrowFunctionExpression') return false;
  return written.some((/** @type {Ast} */ one) => one.type !== 'Identifier') || params.every(({ isConst }) => isConst);
}

/** All that a call gave, to be read. @param {Context} context @param {Ast} node @returns {Expression} */
function allArguments(context, node) {
  const { fn, program } = context;
  if (!hasOwn(context)) refuseArguments(node);
  fn.countsArguments = true;
  fn.given ??= program.variable('arguments', fn.place, true, fn);
  return variable(fn.given, node);
}

/** An array that is only read, be it `arguments`. @param {Context} context @param {Ast} node @returns {Expression} */
const readArray = (context, node) =>
  isArguments(context, node) ? allArguments(context, node) : context.expression(node);

/**
 * `arguments.length`, which a call decides, `arguments[2]` and `arguments[i]`.
 *
 * @param {Context} context
 * @param {Ast} node
 * @returns {Expression}
 */
function argumentsMember(context, node) {
  const { params, rest, place } = context.fn;
  const isOwn = /** @type {Ast} */ (place).type !== 'ArrowFunctionExpression';
  const key = keyOf(context.unit, node);
  if (isOwn && key === 'length') {
    context.fn.countsArguments = true;
    return builtin('arguments.length', [], node);
  }
  if (!node.computed) return refuseArguments(node.object);
  const at = isOwn && !rest ? staticOf(context.unit, node.property) : null;
  const param = at?.kind === 'constant' ? params[Number(at.value)] : undefined;
  // A parameter that is set changes `arguments`, or does not, by rules that nobody wants to rely on.
  return param?.isConst
    ? variable(param, node)
    : index(allArguments(context, node.object), context.expression(node.property), node);
}

/** @param {Ast} argument @returns {Ast} */
const spreadOf = (argument) => ({
  type: 'SpreadElement', argument, start: argument.start, end: argument.end, loc: argument.loc,
});

/** Whether a first argument, which is `this` to the function, has no effect. @param {Ast} node */
const isIdle = ({ type, argument }) =>
  /^(ThisExpression|Identifier|Literal)$/.test(type) || (type === 'UnaryExpression' && argument.type === 'Literal');

/**
 * `f.apply(any, values)`, `f.call(any, x)` and `Array.prototype.slice.call(arguments, 1)` as calls without them.
 *
 * @param {Context} context
 * @param {Ast} node
 * @param {Ast} callee of it
 * @returns {Ast | null} null: it is no such call
 */
function direct(context, node, callee) {
  if (callee.type !== 'MemberExpression' || callee.optional) return null;
  const name = keyOf(context.unit, callee);
  if (name !== 'apply' && name !== 'call') return null;
  const { object } = callee;
  const [self, ...args] = node.arguments;
  if (
    node.arguments.some(
      (/** @type {Ast} */ { type }, /** @type {number} */ i) =>
        type === 'SpreadElement' && (i === 0 || name === 'apply'),
    )
  )
    return null;
  if (name === 'call' && self && isSlice(context, object) && isArguments(context, self)) {
    const copy = {
      type: 'ArrayExpression', elements: [spreadOf(self)], start: self.start, end: self.end, loc: self.loc,
    };
    return { ...node, callee: { ...object, object: copy }, arguments: args };
  }
  const found = staticOf(context.unit, object);
  if (found?.kind !== 'function' && !(found?.kind === 'global' && BUILTINS.has(found.name))) return null;
  if (self && !isIdle(self)) context.effect(self);
  const isNone = args.length === 0 || isNothing(context, args[0]);
  return { ...node, callee: object, arguments: name === 'call' ? args : isNone ? [] : [spreadOf(args[0])] };
}

/** @param {Context} context @param {Ast} node */
function isNothing({ unit }, node) {
  const found = staticOf(unit, node);
  return found?.kind === 'constant' && (found.value === undefined || found.value === null);
}

/** Whether it is `Array.prototype.slice` or `[].slice`. @param {Context} context @param {Ast} node */
function isSlice(context, node) {
  if (node.type !== 'MemberExpression' || keyOf(context.unit, node) !== 'slice') return false;
  const { object } = node;
  if (object.type === 'ArrayExpression') return object.elements.length === 0;
  const base =
    object.type === 'MemberExpression' && keyOf(context.unit, object) === 'prototype'
      ? staticOf(context.unit, object.object)
      : null;
  return base?.kind === 'global' && base.name === 'Array';
}

/**
 * An argument of `f.apply` or `f.call`, of a function that only types tell.
 *
 * @param {Context} context
 * @param {Ast} node
 * @returns {Expression}
 */
const throughArgument = (context, node) =>
  node.type === 'ThisExpression' ? undefinedAt(node) : readArray(context, node);

module.exports = { argumentsMember, direct, isArguments, readArray, throughArgument };
