/**
 * Programs as a graph over columns, which compiles to machine code, wasm and C. It has the ops that the evaluator
 * runs, so its values are those of the population.
 */
'use strict';

const { opRows } = require('../base/ops.js');
const { Graph } = require('../graph/graph.js');
const { joins, movement } = require('../ops/movement.js');
const { camelCase, rows } = require('../ops/elementwise.js');
const { CONSTANT, FUNCTION, VARIABLE } = require('./operators.js');

/** @typedef {import('./operators.js').Language} Language */
/** @typedef {import('../graph/value.js').Value} Value */

/** @type {ReadonlyMap<number, import('../base/binding.js').OpRow>} */
const ROWS = new Map([...opRows.values()].map((row) => [row.code, row]));

/** @type {(code: number) => import('../base/binding.js').OpRow} */
const rowOf = (code) => /** @type {import('../base/binding.js').OpRow} */ (ROWS.get(code));

/**
 * What tokens in postfix order make of operands.
 *
 * @template T
 * @param {{ tokens: ArrayLike<number>, constants: ArrayLike<number> }} program
 * @param {(token: number) => number} arity
 * @param {(token: number, operands: T[]) => T} apply an operator
 * @param {(value: number) => T} constant
 * @param {(index: number) => T} variable
 * @returns {T}
 */
function evaluate({ tokens, constants }, arity, apply, constant, variable) {
  /** @type {T[]} */
  const stack = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token >= 0) stack.push(apply(token, stack.splice(stack.length - arity(token))));
    else stack.push(token === CONSTANT ? constant(constants[i]) : variable(VARIABLE - token));
  }
  return stack[0];
}

/** In postfix order. @typedef {{ tokens: ArrayLike<number>, constants: ArrayLike<number> }} Program */

/**
 * @param {Graph} graph
 * @param {readonly Value[]} inputs
 * @param {Program} program
 * @param {Language} language
 * @param {'f64' | 'f32'} dtype
 * @returns {Value} its value, which has no axis where it is the same in all rows
 */
function append(graph, inputs, program, language, dtype) {
  /** @type {(value: number) => Value} */
  const constant = (value) => graph.constant(value, { dtype });
  return evaluate(
    program,
    (token) => language.arity(token),
    (token, operands) =>
      evaluate(
        language.bodies[token],
        (code) => (code >= FUNCTION ? language.functionOf(code) : rowOf(code)).arity,
        (code, own) =>
          code >= FUNCTION ? language.functionOf(code).apply(own, dtype) : rows[camelCase(rowOf(code).name)](...own),
        constant,
        (index) => operands[index],
      ),
    constant,
    (index) => inputs[index],
  );
}

/** @typedef {{ variables: readonly string[], language: Language, dtype: 'f64' | 'f32' }} Description */

/** @param {Program} program @param {Description} description @returns {Graph} with an input [n] for each variable and the output 'value', [n] */
function toGraph(program, { variables, language, dtype }) {
  const graph = new Graph('program');
  const inputs = variables.map((name) => graph.input(name, dtype, ['n']));
  const value = append(graph, inputs, program, language, dtype);
  const isUniform = value.shape.length === 0 && inputs.length > 0;
  graph.output('value', isUniform ? movement.broadcastTo(value, ['n']) : value);
  return graph;
}

/** @param {readonly Program[]} programs @param {Description} description @returns {Graph} with the output 'values', [programs, n] */
function toGraphOfAll(programs, { variables, language, dtype }) {
  const graph = new Graph('programs');
  const inputs = variables.map((name) => graph.input(name, dtype, ['n']));
  const shape = inputs.length > 0 ? ['n'] : [1];
  const values = programs.map((program) => {
    const value = append(graph, inputs, program, language, dtype);
    return value.shape.length === 0 ? movement.broadcastTo(value, shape) : value;
  });
  graph.output('values', joins.stack(values));
  return graph;
}

module.exports = { toGraph, toGraphOfAll };
