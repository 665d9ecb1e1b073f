/**
 * Makers of the expressions that the builder writes by itself, and what can be told of an expression at a glance.
 */
'use strict';

/** @typedef {import('./index.js').Expression} Expression */
/** @typedef {import('./index.js').Variable} Variable */
/** @typedef {import('./index.js').Place} Place */
/**
 * A value that is known where the tree is built.
 *
 * @typedef {number | bigint | boolean | string | undefined | null} Constant
 */

/** @param {number} value @param {Place} place @returns {Expression} */
const number = (value, place) => ({ kind: 'number', value, place });

/** @param {Place} place @returns {Expression} */
const undefinedAt = (place) => ({ kind: 'undefined', place });

/** @param {Variable} it @param {Place} place @returns {Expression} */
const variable = (it, place) => ({ kind: 'variable', variable: it, place });

/** @param {import('./index.js').BinaryNode['op']} op @param {Expression} left @param {Expression} right @param {Place} place @returns {Expression} */
const binary = (op, left, right, place) => ({ kind: 'binary', op, left, right, place });

/** @param {import('./index.js').UnaryOp} op @param {Expression} operand @param {Place} place @returns {Expression} */
const unary = (op, operand, place) => ({ kind: 'unary', op, operand, place });

/** @param {Expression} object @param {Expression} at @param {Place} place @returns {Expression} */
const index = (object, at, place) => ({ kind: 'index', object, index: at, place });

/** @param {Expression} object @param {string} name @param {Place} place @returns {Expression} */
const member = (object, name, place) => ({ kind: 'member', object, name, place });

/** @param {string} name @param {Expression[]} args @param {Place} place @returns {Expression} */
const builtin = (name, args, place) => ({ kind: 'builtin', name, args, place });

/** @param {Constant} value @param {Place} place @returns {Expression} */
function constant(value, place) {
  if (value === undefined || value === null) return { kind: value === null ? 'null' : 'undefined', place };
  return /** @type {Expression} */ ({ kind: typeof value, value, place });
}

const CONSTANT_KINDS = new Set(['number', 'bigint', 'boolean', 'string', 'undefined', 'null']);

/** @param {Expression} expression @returns {{ value: Constant } | null} */
function constantOf(expression) {
  if (!CONSTANT_KINDS.has(expression.kind)) return null;
  if (expression.kind === 'null') return { value: null };
  return { value: /** @type {any} */ (expression).value };
}

/** Whether it may be written down twice: a constant, or a variable. @param {Expression} expression */
const isSimple = (expression) => expression.kind === 'variable' || CONSTANT_KINDS.has(expression.kind);

/** Whether it has one value for ever. @param {Expression} expression */
const isFixed = (expression) =>
  CONSTANT_KINDS.has(expression.kind) || (expression.kind === 'variable' && expression.variable.isConst);

/** The expressions directly below an expression. @param {Expression} expression @returns {Expression[]} */
function operandsOf(expression) {
  switch (expression.kind) {
    case 'unary':
      return [expression.operand];
    case 'binary':
    case 'logical':
      return [expression.left, expression.right];
    case 'conditional':
      return [expression.test, expression.then, expression.otherwise];
    case 'index':
      return [expression.object, expression.index];
    case 'member':
      return [expression.object];
    case 'array':
      return expression.elements;
    case 'object':
      return expression.fields.map(({ value }) => value);
    case 'builtin':
      return expression.args;
    case 'spread':
      return [expression.argument];
    default:
      return [];
  }
}

module.exports = {
  binary, builtin, constant, constantOf, index, isFixed, isSimple, member, number, operandsOf, unary, undefinedAt,
  variable,
};
