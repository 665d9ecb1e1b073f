/**
 * Graph.eval: the reference evaluator, which goes through a graph node by node.
 *
 * It is slow and shares no code with the compiler, which is its use: what both say is what a graph means.
 */
'use strict';

const { native } = require('../base/binding.js');
const { cutOutputs, portsOf, readInputs, readOutputs, resultOf, valuesByName } = require('./ports.js');

/**
 * @param {import('../base/binding.js').Handle} handle
 * @param {{ inputs: readonly any[], outputs: readonly any[] }} signature
 * @param {unknown} given
 * @returns {Record<string, import('../tensor/tensor.js').Tensor>}
 */
function evaluate(handle, signature, given) {
  const inputs = portsOf(signature.inputs, 'input');
  const outputs = portsOf(signature.outputs, 'output');
  const { arrays, shapes } = readInputs(valuesByName(given, inputs, 'input', 'eval'), inputs, 'eval');
  const results = readOutputs(undefined, native.graphFit(handle, shapes), outputs, 'eval');
  const computed = native.graphEval(handle, shapes, [...arrays, ...results.arrays]);
  const tensors = computed ? cutOutputs(results.arrays, computed, outputs, true) : results.tensors;
  return resultOf(tensors, outputs);
}

module.exports = { evaluate };
