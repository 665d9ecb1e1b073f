/**
 * Inputs of methods: types of a script as types of a model, and what a run gives as values of the script.
 */
'use strict';

const { describe, expected } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { isValue } = require('../../graph/value.js');
const { Encoded, Known, Sequence, Sizes, Text } = require('../shared/operands.js');

/** @typedef {import('./parser.js').Expression} Expression */
/** @typedef {import('../model.js').PortType} PortType */

/** @type {(type: Expression | null) => { name: string, args: Expression[] }} */
function nameOf(type) {
  if (type === null) return { name: 'Tensor', args: [] };
  if (type.kind === 'name') return { name: type.name, args: [] };
  if (type.kind !== 'index') return { name: 'unknown', args: [] };
  return { name: nameOf(type.of).name, args: type.index.kind === 'tuple' ? type.index.items : [type.index] };
}

/**
 * Numbers and texts are part of the case: what depends on them is decided before anything runs.
 *
 * @type {Readonly<Record<string, (value: any) => boolean>>}
 */
const PLAIN = {
  int: (value) => Number.isSafeInteger(value) || typeof value === 'bigint',
  float: (value) => typeof value === 'number',
  number: (value) => typeof value === 'number',
  bool: (value) => typeof value === 'boolean',
  str: (value) => typeof value === 'string',
};

/** @type {(value: any, type: Expression | null, which: string) => any} in a form that names a case */
function readData(value, type, which) {
  const { name, args } = nameOf(type);
  if (name === 'Optional') return value === null || value === undefined ? null : readData(value, args[0], which);
  if (name === 'List' || name === 'Tuple') {
    if (!Array.isArray(value)) return expected('run', 'an array', which, value);
    return { list: value.map((each, i) => readData(each, args[name === 'List' ? 0 : i], which)) };
  }
  const isFit = Object.hasOwn(PLAIN, name) ? PLAIN[name](value) : fail('ERR_UNSUPPORTED', `${which} has a type that no run can give`);
  if (!isFit) return expected('run', `a value of type ${name}`, which, value);
  return { type: name, value: typeof value === 'bigint' ? Number(value) : value };
}

/** @type {(type: Expression | null) => boolean} */
function hasTensors(type) {
  const { name, args } = nameOf(type);
  return name === 'Tensor' || args.some(hasTensors);
}

/**
 * @param {Expression | null} type
 * @param {any} shape that the caller gives
 * @param {string} which
 * @returns {PortType}
 */
function portType(type, shape, which) {
  const { name, args } = nameOf(type);
  if (name === 'Tensor') return tensorType(shape, which);
  if (!hasTensors(type)) return { kind: 'data', read: (/** @type {any} */ value) => readData(value, type, which) };
  if (name === 'Optional') return { kind: 'optional', of: portType(args[0], shape, which) };
  if (name === 'List') return { kind: 'sequence', of: portType(args[0], shape, which) };
  if (name === 'Tuple') return { kind: 'sequence', of: portType(args[0], shape, which) };
  return fail('ERR_UNSUPPORTED', `${which} is of type ${name}`);
}

/** @type {(given: any, which: string) => PortType} */
function tensorType(given, which) {
  if (given === undefined) return { kind: 'tensor', dtype: /** @type {any} */ (undefined) };
  const { dtype = 'f32', shape } = Array.isArray(given) ? { shape: given } : given;
  const isFit = Array.isArray(shape) && shape.every((size) => typeof size === 'string' || (Number.isSafeInteger(size) && size >= 0));
  return isFit ? { kind: 'tensor', dtype, shape } : expected('load', "a shape, such as ['n', 3, 224, 224]", which, describe(given));
}

/** What an operand of the model is for a script. @type {(given: any, run: import('./interpreter.js').Interpreter) => any} */
function fromJavaScript(given, run) {
  if (given === null || given === undefined) return null;
  if (given instanceof Sequence) return given.items.map((each) => fromJavaScript(each, run));
  if (isValue(given) || given instanceof Known || given instanceof Sizes) return run.cell(given);
  if (given instanceof Encoded || given instanceof Text) return run.fail('ERR_UNSUPPORTED', 'an input is no tensor of numbers');
  return dataOf(given);
}

/** @type {(given: any) => any} */
function dataOf(given) {
  if (given === null) return null;
  if (given.list) return given.list.map(dataOf);
  return given.type === 'int' ? BigInt(given.value) : given.value;
}

module.exports = { fromJavaScript, portType };
