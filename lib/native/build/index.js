/**
 * From a function or its text to the tree of hir/index.js.
 *
 * The text is parsed (source/index.js), its names are resolved (scopes.js), and then each function that something names
 * is built: statements (statements.js, loops.js), expressions (expressions.js), assignments, patterns, calls and
 * methods of arrays each in a file of their own. All write through a Context, which keeps the order of evaluation.
 */
'use strict';

const { GraphError } = require('../../base/errors.js');
const { evaluator } = require('../hir/evaluate.js');
const { binary, undefinedAt, variable } = require('../hir/nodes.js');
const { refuse } = require('../source/frame.js');
const { Context } = require('./context.js');
const { effect, expression } = require('./expressions.js');
const { fillLiterals } = require('./literals.js');
const { pattern, withDefault } = require('./patterns.js');
const { Program } = require('./program.js');
const { functionBody, statement } = require('./statements.js');
const { hideDeclared, showDeclared } = require('./temporal-dead-zone.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('../hir/index.js').Variable} Variable */
/** @typedef {import('./program.js').Unit} Unit */

/** @type {import('./context.js').Builders} */
const BUILDERS = { expression, effect, statement, pattern };

/**
 * Takes a parameter apart, or gives it its default.
 *
 * @param {Context} context
 * @param {Ast} param
 * @param {Variable} given
 */
function buildParam(context, param, given) {
  const { left, right } = param;
  const value = variable(given, param);
  if (param.type === 'Identifier') showDeclared(context, param);
  else if (param.type !== 'AssignmentPattern') context.pattern(param, value, true);
  else if (left.type !== 'Identifier') context.pattern(left, withDefault(context, value, right), true);
  else {
    const then = context.block(() => context.set(given, context.expression(right), param));
    context.emit({
      kind: 'if', test: binary('===', value, undefinedAt(param), param), then, otherwise: [], place: param,
    });
    showDeclared(context, left);
  }
}

/**
 * Variables of the body that have the name of a parameter begin with its value.
 *
 * @param {Context} context
 * @param {Unit} unit
 * @param {Ast} node
 */
function copyParams(context, unit, node) {
  for (const [inner, outer] of unit.names.copies.get(node) ?? []) {
    context.set(unit.variableOf(inner), context.read(unit.variableOf(outer), node), node);
  }
}

/** @param {{ unit: Unit, fn: FunctionNode, node: Ast }} work */
function buildFunction({ unit, fn, node }) {
  if (node.generator) refuse(node, 'generators are not supported', 'fill an array and return it');
  if (node.async) refuse(node, 'async functions are not supported', 'wait outside of the function');
  const context = new Context(BUILDERS, unit, fn);
  const plain = node.params.filter((/** @type {Ast} */ { type }) => type !== 'RestElement');
  hideDeclared(context, node);
  plain.forEach((/** @type {Ast} */ param, /** @type {number} */ at) => buildParam(context, param, fn.params[at]));
  const last = node.params.at(-1);
  if (fn.rest) buildParam(context, last.argument, fn.rest);
  copyParams(context, unit, node);
  functionBody(context, node);
  fillLiterals(fn.body);
}

/**
 * @param {Unit} unit
 * @param {Ast} node an expression beside the function
 * @returns {{ value: unknown } | null} null: it calls functions of the text
 */
function compute(unit, node) {
  const { program, parsed } = unit;
  const fn = program.functionNode('value', node, parsed.source, null);
  const context = new Context(BUILDERS, unit, fn);
  context.emit({ kind: 'return', value: context.expression(node), place: node });
  const { callees, variables } = program.usesOf(fn);
  program.uses.delete(fn);
  if (callees.size > 0) return null;
  fn.captures = [...variables];
  return { value: evaluator(fn)() };
}

/**
 * @param {Function | string} origin
 * @param {object} [options]
 * @param {string} [options.name] which of the functions in a text is meant, and what it is called in messages
 * @param {string} [options.file] what messages call the source
 * @param {number} [options.line] that the text begins at
 * @param {Record<string, unknown>} [options.capture] what names mean that are not declared in the text
 * @returns {FunctionNode}
 */
function build(origin, { name, file, line, capture = {} } = {}) {
  const program = new Program(compute);
  try {
    const fn = program.functionOf(origin, { name, file, line, capture });
    program.want(fn);
    for (let work = program.queue.shift(); work; work = program.queue.shift()) buildFunction(work);
    program.settleCaptures();
    return fn;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new GraphError('the function is nested too deeply', { code: 'ERR_UNSUPPORTED' });
  }
}

module.exports = { build };
