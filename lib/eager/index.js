/**
 * Operations on tensors: methods of Tensor, and functions that take tensors as well as values.
 *
 * All of them come from the one list of operations, so that what is added there works on tensors by itself.
 * Where Tensor has a method of its own (views, which cost nothing) that is what the function calls too.
 *
 * What computes (call.js and what it needs) is loaded with the first operation on tensors, the operations themselves
 * when they are called first.
 */
'use strict';

const { defineMethods } = require('../base/define-methods.js');
const { isValue } = require('../graph/value.js');
const { listed, methodOf: valueMethodOf, operationOf: valueOperationOf } = require('../ops/index.js');
const { recording } = require('../tensor/recording.js');
const { Tensor } = require('../tensor/tensor.js');
const { holds, isTensor, requiresGrad } = require('./signature.js');

/** @typedef {import('./operation.js').Operation} Operation */

/** Operations whose first operand is a condition, with a dtype of its own. */
const CONDITIONS = ['select', 'where'];

/** Methods that Tensor has of its own, by name. @type {ReadonlyMap<string, (...args: any[]) => any>} */
const owned = new Map(
  listed.methods
    .filter((name) => Object.hasOwn(Tensor.prototype, name))
    .map((name) => [name, /** @type {any} */ (Tensor.prototype)[name]]),
);

/**
 * By name: the method and the function share what is known of an operation, where they are one.
 *
 * @type {Map<string, Operation>}
 */
const known = new Map();

/** What calls an operation; there as soon as there is one. @type {typeof import('./call.js')} */
let calls;

/** @type {(name: string, operation: (...args: any[]) => any) => Operation} */
function operationOf(name, operation) {
  const found = known.get(name);
  if (found?.call === operation) return found;
  calls ??= require('./call.js');
  const { rows } = require('../ops/elementwise.js');
  const made = new (require('./operation.js').Operation)(
    name,
    operation,
    name in rows,
    CONDITIONS.includes(name) ? 1 : 0,
  );
  known.set(name, made);
  return made;
}

/** What records one; there as soon as one is recorded. @type {typeof import('./tape.js')} */
let tapes;
const tape = () => (tapes ??= require('./tape.js'));

/** Whether one of the operands requires a gradient. @type {(x: unknown, args: readonly unknown[]) => boolean} */
const isRecorded = (x, args) => requiresGrad(x) || holds(args, requiresGrad);

recording.hooks = {
  recordView: (...args) => tape().recordView(...args),
  callFunction: (...args) => tape().callFunction(...args),
  backward: (...args) => require('./backward.js').backward(...args),
};

/** @type {(operation: Operation, self: any, args: readonly unknown[]) => any} */
function callAll(operation, self, args) {
  const all = [self, ...args];
  return holds(args, isValue) ? operation.call(...all) : calls.call(operation, all);
}

/** @type {(name: string) => (...args: any[]) => any} */
function methodOf(name) {
  /** @type {Operation | undefined} */
  let operation;
  const { [name]: method } = {
    /** @this {Tensor} @param {...any} args */
    [name](...args) {
      operation ??= operationOf(name, valueMethodOf(name));
      if (this instanceof Tensor) {
        if (recording.isOn && isRecorded(this, args)) return tape().recordCall(operation, [this, ...args]);
        const short =
          args.length === 1
            ? calls.callTwo(operation, this, args[0])
            : args.length === 0
              ? calls.callOne(operation, this)
              : null;
        if (short !== null) return short;
      }
      return callAll(operation, this, args);
    },
  };
  return method;
}

/** The function that index.js exports by this name. @type {(name: string) => (...args: any[]) => any} */
function functionOf(name) {
  /** @type {((...args: any[]) => any) | undefined} */
  let given;
  /** @type {Operation | undefined} */
  let operation;
  const own = owned.get(name);
  const { [name]: made } = {
    /** @param {...any} args */
    [name](...args) {
      const [x, y] = args;
      given ??= valueOperationOf(name);
      if (x instanceof Tensor) {
        if (own !== undefined && !holds(args, isValue)) return own.apply(x, args.slice(1));
        operation ??= operationOf(name, given);
        if (recording.isOn && isRecorded(x, args)) return tape().recordCall(operation, args);
        const short =
          args.length === 2
            ? calls.callTwo(operation, x, y)
            : args.length === 1
              ? calls.callOne(operation, x)
              : null;
        if (short !== null) return short;
      }
      if (!holds(args, isTensor) || holds(args, isValue)) return given(...args);
      operation ??= operationOf(name, given);
      if (recording.isOn && isRecorded(x, args)) return tape().recordCall(operation, args);
      return calls.call(operation, args);
    },
  };
  return made;
}

const others = listed.methods.filter((name) => !owned.has(name));
defineMethods(Tensor.prototype, others.map((name) => [name, methodOf(name)]));

module.exports = { functionOf };
