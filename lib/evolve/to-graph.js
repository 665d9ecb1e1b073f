/**
 * A program as a graph over columns, which compiles to machine code, wasm and C. It has the ops that the evaluator
 * runs, so its values are those of the population.
 */
'use strict';

const { opRows } = require('../base/ops.js');
const { Graph } = require('../graph/graph.js');
const { movement } = require('../ops/movement.js');
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

/**
 * @param {{ tokens: ArrayLike<number>, constants: ArrayLike<number> }} program
 * @param {readonly string[]} variables
 * @param {Language} language
 * @param {'f64' | 'f32'} dtype
 * @returns {import('../graph/graph.js').Graph} with an input [n] for each variable and the output 'value', [n]
 */
function toGraph(program, variables, language, dtype) {
  const graph = new Graph('program');
  const inputs = variables.map((name) => graph.input(name, dtype, ['n']));
  /** @type {(value: number) => Value} */
  const constant = (value) => graph.constant(value, { dtype });
  const value = evaluate(
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
  const isUniform = value.shape.length === 0 && inputs.length > 0;
  graph.output('value', isUniform ? movement.broadcastTo(value, ['n']) : value);
  return graph;
}

module.exports = { toGraph };
