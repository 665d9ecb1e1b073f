/**
 * vectorize(fn, signature?, options?): a function of numbers as one of tensors, element by element.
 *
 * The function becomes an op of graphs (graph/apply.js), and the op an operation as all others are (eager/): operands
 * broadcast, kernels are compiled once for each list of dtypes and ranks, results may wait to be fused with what is
 * computed of them, and large ones are computed by several threads. With Values it adds to their graph. Calls on small
 * typed arrays that come again have a short way (graph/vector-call.js).
 */
'use strict';

const { expected } = require('../base/check.js');
const { call } = require('../eager/call.js');
const { Operation } = require('../eager/operation.js');
const { isScalar, isValue } = require('../graph/value.js');
const { asTensor } = require('../tensor/create.js');
const { dtypeOf } = require('../tensor/dtypes.js');
const { Tensor } = require('../tensor/tensor.js');
const { applyTo } = require('./graph/apply.js');
const { VectorCalls } = require('./graph/vector-call.js');
const { native } = require('./index.js');
const { ownerOf } = require('./run/callable.js');

/** @type {(arg: unknown, i: number, name: string) => Tensor} */
function operandOf(arg, i, name) {
  if (arg instanceof Tensor) return arg;
  if (isScalar(arg) || Array.isArray(arg) || dtypeOf(arg) !== undefined) return asTensor(/** @type {any} */ (arg));
  return expected(name, 'a Tensor, a typed array or a number', `argument ${i + 1}`, arg);
}

/** @type {(arg: unknown) => boolean} */
const isTypedArray = (arg) => !(arg instanceof Tensor) && dtypeOf(arg) !== undefined;

/**
 * @param {unknown} fn a function of numbers, or a native one
 * @param {unknown} [signature]
 * @param {unknown} [options]
 * @returns {any}
 */
function vectorize(fn, signature, options) {
  if (typeof fn !== 'function' && typeof fn !== 'string')
    return expected('vectorize', 'a function or the text of one', 'the first argument', fn);
  const given = typeof fn === 'function' && signature === undefined && options === undefined ? ownerOf(fn) : undefined;
  const scalar = given === undefined ? native(fn, signature, options) : fn;
  const own = given ?? ownerOf(scalar);
  if (own === undefined) return expected('vectorize', 'a function that can be compiled', 'the first argument', fn);
  const { name } = own;
  const operation = new Operation(name, (...values) => applyTo(own, values), false, 0);
  const { count, hasRest } = own.unit.arity;
  const calls = new VectorCalls(own);
  const { [name]: made } = {
    /** @param {unknown[]} args */
    [name](...args) {
      const used = hasRest || args.length === count ? args : args.slice(0, count);
      const quick = calls.call(used);
      if (quick !== null) return quick;
      if (used.some(isValue)) return applyTo(own, used);
      if (used.length === 0 || used.every(isScalar)) return /** @type {any} */ (scalar)(...args);
      const result = call(
        operation,
        used.map((arg, i) => (arg === undefined ? arg : operandOf(arg, i, name))),
      );
      if (!used.every((arg) => isTypedArray(arg) || isScalar(arg))) return result;
      const { data } = result;
      calls.note(used);
      return data;
    },
  };
  return Object.defineProperties(made, {
    length: { value: count, configurable: true },
    native: { value: scalar },
    toString: { value: () => `vectorize ${name}` },
  });
}

module.exports = { vectorize };
