/**
 * Operations on tensors: methods of Tensor, and functions that take tensors as well as values.
 *
 * All of them come from the one list of operations, so that what is added there works on tensors by itself.
 * Where Tensor has a method of its own (views, which cost nothing) that is what the function calls too.
 */
'use strict';

const { defineMethods } = require('../base/define-methods.js');
const { isValue } = require('../graph/value.js');
const { rows } = require('../ops/elementwise.js');
const { methods, operations } = require('../ops/index.js');
const { Tensor } = require('../tensor/tensor.js');
const { call, callOne, callTwo } = require('./call.js');
const { Operation } = require('./operation.js');
const { holds, isTensor } = require('./signature.js');

/** Operations whose first operand is a condition, with a dtype of its own. */
const CONDITIONS = ['select', 'where'];

/**
 * By name: the method and the function share what is known of an operation, where they are one.
 *
 * @type {Map<string, Operation>}
 */
const known = new Map();

/** @type {(name: string, operation: (...args: any[]) => any) => Operation} */
function operationOf(name, operation) {
  const found = known.get(name);
  if (found?.call === operation) return found;
  const made = new Operation(name, operation, name in rows, CONDITIONS.includes(name) ? 1 : 0);
  known.set(name, made);
  return made;
}

/** @type {(operation: Operation, self: any, args: readonly unknown[]) => any} */
function callAll(operation, self, args) {
  const all = [self, ...args];
  return holds(args, isValue) ? operation.call(...all) : call(operation, all);
}

/** @type {(name: string, operation: Operation) => (...args: any[]) => any} */
function methodOf(name, operation) {
  const { [name]: method } = {
    /** @this {Tensor} @param {...any} args */
    [name](...args) {
      if (this instanceof Tensor) {
        const short =
          args.length === 1 ? callTwo(operation, this, args[0]) : args.length === 0 ? callOne(operation, this) : null;
        if (short !== null) return short;
      }
      return callAll(operation, this, args);
    },
  };
  return method;
}

/** @type {(name: string, given: (...args: any[]) => any) => (...args: any[]) => any} */
function functionOf(name, given) {
  const operation = operationOf(name, given);
  const own = Object.hasOwn(Tensor.prototype, name) ? /** @type {any} */ (Tensor.prototype)[name] : undefined;
  const { [name]: made } = {
    /** @param {...any} args */
    [name](...args) {
      const [x, y] = args;
      if (x instanceof Tensor) {
        if (own !== undefined && !holds(args, isValue)) return own.apply(x, args.slice(1));
        const short = args.length === 2 ? callTwo(operation, x, y) : args.length === 1 ? callOne(operation, x) : null;
        if (short !== null) return short;
      }
      return holds(args, isTensor) && !holds(args, isValue) ? call(operation, args) : given(...args);
    },
  };
  return made;
}

/** The functions that index.js exports. @type {Readonly<Record<string, (...args: any[]) => any>>} */
const functions = Object.freeze(
  Object.fromEntries(Object.entries(operations).map(([name, operation]) => [name, functionOf(name, operation)])),
);

const others = Object.entries(methods).filter(([name]) => !Object.hasOwn(Tensor.prototype, name));
defineMethods(
  Tensor.prototype,
  others.map(([name, operation]) => [name, methodOf(name, operationOf(name, operation))]),
);

module.exports = { functions };
