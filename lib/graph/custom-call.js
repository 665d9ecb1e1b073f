/**
 * C functions in graphs: registering them by name, and calling them.
 *
 * The function runs in the process and is believed: what it does with the addresses it gets is beyond any
 * check here. It must be pure, since a call may be left out, shared or repeated, and safe on any thread.
 */
'use strict';

const { native } = require('../base/binding.js');
const { describe, expected, readOptions, string } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { asTensor } = require('../tensor/create.js');
const { dtypeName } = require('../tensor/dtypes.js');
const { append, constantFrom, constantOf, isScalar, isValue, stateOf } = require('./value.js');

/** @typedef {import('./value.js').Value} Value */
/** @typedef {import('./value.js').GraphState} GraphState */

/**
 * @param {unknown} name what graphs call it, a C identifier
 * @param {unknown} options
 */
function registerCustomCall(name, options) {
  const caller = 'registerCustomCall';
  const text = string(name, 'the name', caller);
  const { library, symbol = text } = readOptions(caller, options, { library: string, symbol: string });
  if (library === undefined) expected(caller, 'the path of a shared library', "option 'library'", library);
  else native.customRegister(text, library, symbol);
}

/** @type {(state: GraphState, operand: unknown, i: number) => Value} */
function operandOf(state, operand, i) {
  if (isScalar(operand)) {
    return constantOf(
      state,
      /** @type {number} */ (operand),
      asTensor(operand).dtype,
      `operand ${i + 1}`,
      'customCall',
    );
  }
  if (!isValue(operand)) return constantFrom(state, operand, 'customCall');
  if (stateOf(operand) === state) return operand;
  return fail(
    'ERR_ARGUMENT',
    `customCall: operand ${i + 1}, ${describe(operand)}, is of graph "${operand.graph.name}"`,
  );
}

/**
 * @param {GraphState} state
 * @param {unknown} name
 * @param {unknown} operands
 * @param {unknown} options
 * @returns {Value}
 */
function customCall(state, name, operands, options) {
  const text = string(name, 'the name', 'customCall');
  if (!Array.isArray(operands)) return expected('customCall', 'an array of Values', 'the operands', operands);
  const { dtype, shape } = readOptions('customCall', options, { dtype: dtypeName, shape: (given) => given });
  if (dtype === undefined || shape === undefined) {
    return expected('customCall', "'dtype' and 'shape' of the result", 'the options', options);
  }
  const values = operands.map((operand, i) => operandOf(state, operand, i));
  return append(state, 'custom_call', values, { dtype, shape: state.dims(shape, 'customCall') }, text);
}

module.exports = { customCall, registerCustomCall };
