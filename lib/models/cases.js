/**
 * Cases: what is known of the inputs of a model before a graph is built, and the operands that stand for them.
 *
 * Of most inputs everything is known but numbers. What a file leaves open (a rank, a dtype, the length of a list,
 * whether an optional is there) a run says; model.js has a graph for each answer.
 */
'use strict';

const { expected, isOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { asTensor } = require('../tensor/create.js');
const { Tensor } = require('../tensor/tensor.js');
const { Dictionary, Encoded, Sequence, Text } = require('./shared/operands.js');
const { carrierOf } = require('./shared/storage-types.js');

/** @typedef {import('./model.js').OpenSize} OpenSize */
/** @typedef {import('./model.js').PortType} PortType */
/** @typedef {import('./shared/builder.js').Builder} Builder */
/** @typedef {import('./shared/equal-sizes.js').EqualSizes} EqualSizes */
/** @typedef {import('./shared/operands.js').Operand} Operand */

/**
 * What is known of an input before a graph is built.
 *
 * @typedef {{ name: string, kind: 'tensor', dtype: string, shape: readonly (number | string)[] }
 *   | { name: string, kind: 'list', items: readonly Case[] }
 *   | { name: string, kind: 'map', key: string, value: string }
 *   | { name: string, kind: 'data', items: any }
 *   | { name: string, kind: 'none' }} Case
 */

/** What tells cases of an input of one model apart. @type {(each: Case | undefined) => string} */
function textOf(each) {
  if (each === undefined) return '';
  if (each.kind === 'tensor') return `${each.dtype}[${each.shape}]`;
  return each.kind === 'list' ? `(${each.items.map(textOf).join(';')})` : JSON.stringify(each);
}

/** A name of a size as a symbol of graphs. @type {(name: string) => string} */
function symbolOf(name) {
  const word = name.replace(/\W+/g, '_').replace(/^_+|_+$/g, '') || 'size';
  return /^\d/.test(word) ? `n${word}` : word;
}

/** Sizes of an input: names for those of its type, or of a run where it has none. @typedef {(name: string, open: readonly OpenSize[] | undefined, shape: readonly number[]) => (number | string)[]} Fixed */

/**
 * What a run says of an input.
 *
 * @param {string} name
 * @param {PortType} type
 * @param {any} given
 * @param {boolean} isFixed whether sizes are the numbers of the run
 * @param {Fixed} fixed names open sizes
 * @param {string} caller
 * @returns {Case}
 */
function caseOf(name, type, given, isFixed, fixed, caller) {
  if (type.kind === 'optional') {
    if (given === null || given === undefined) return { name, kind: 'none' };
    return caseOf(name, type.of, given, isFixed, fixed, caller);
  }
  if (type.kind === 'sequence') {
    if (!Array.isArray(given)) return expected(caller, 'an array of tensors', `input '${name}'`, given);
    // Sizes of items are their own, whatever the file calls them.
    /** @type {Fixed} */
    const fixedAlone = (item, open, shape) =>
      fixed(item, open?.map((size) => (typeof size === 'number' ? size : null)), shape);
    const caseAt = (/** @type {any} */ each, /** @type {number} */ i) =>
      caseOf(`${name}.${i}`, type.of, each, isFixed, fixedAlone, caller);
    return { name, kind: 'list', items: given.map(caseAt) };
  }
  if (type.kind === 'data') return { name, kind: 'data', items: type.read(given) };
  if (type.kind === 'map') {
    const { key, value } = type;
    return { name, kind: 'map', key, value: (value.kind === 'tensor' && value.dtype) || value.kind };
  }
  if (type.dtype === 'string') {
    const shape = type.shape && !isFixed ? fixed(name, type.shape, []) : readStrings(given).shape;
    return { name, kind: 'tensor', dtype: 'string', shape };
  }
  const dtype = type.dtype ?? asTensor(given).dtype;
  const shape = shapeOf(given, carrierOf(dtype) ?? dtype, type.shape, `input '${name}'`, caller);
  checkShape(shape, type.shape, `${caller}: input '${name}'`);
  return { name, kind: 'tensor', dtype, shape: isFixed ? shape : fixed(name, type.shape, shape) };
}

/** @type {(each: Case, equal: EqualSizes) => Case} */
function withSizes(each, equal) {
  if (each.kind === 'list') return { ...each, items: each.items.map((item) => withSizes(item, equal)) };
  return each.kind === 'tensor' ? { ...each, shape: each.shape.map((size) => equal.apply(size)) } : each;
}

/** @type {(shape: readonly number[], wanted: readonly OpenSize[] | undefined, which: string) => void} */
function checkShape(shape, wanted, which) {
  if (wanted === undefined) return;
  const fits = wanted.every((size, axis) => typeof size !== 'number' || size === shape[axis]);
  if (fits && wanted.length === shape.length) return;
  fail('ERR_SHAPE', `${which} has shape [${shape}], expected [${wanted.map((size) => size ?? '?').join(', ')}]`);
}

/** @type {(given: any, dtype: string, open: readonly OpenSize[] | undefined, which: string, caller: string) => readonly number[]} */
function shapeOf(given, dtype, open, which, caller) {
  if (ArrayBuffer.isView(given) && open !== undefined && open.length !== 1) {
    const length = /** @type {any} */ (given).length;
    const unknown = open.filter((size) => typeof size !== 'number').length;
    const rest = open.reduce((/** @type {number} */ total, size) => total * (typeof size === 'number' ? size : 1), 1);
    if (unknown <= 1) return open.map((size) => (typeof size === 'number' ? size : length / rest));
    return fail('ERR_SHAPE', `${caller}: ${which} has several open sizes: pass a Tensor, which has a shape`);
  }
  const isTyped = given instanceof Tensor || ArrayBuffer.isView(given);
  return asTensor(given, isTyped ? undefined : { dtype: /** @type {any} */ (dtype) }).shape;
}

/** @type {(given: any) => number[]} */
const stringShape = (given) => {
  if (!Array.isArray(given)) return [];
  return [given.length, ...(given.length > 0 ? stringShape(given[0]) : [])];
};

/**
 * The operand that stands for an input.
 *
 * @param {Builder} cx
 * @param {Case} each
 * @param {string} path of the input, with indices into lists
 * @returns {Operand}
 */
function operandOf(cx, each, path) {
  if (each.kind === 'none') return null;
  if (each.kind === 'data') return each.items;
  if (each.kind === 'list') return new Sequence(each.items.map((item) => operandOf(cx, item, item.name)));
  if (each.kind === 'map') return new Dictionary(each.key, each.value, (inputs) => readMap(valueAt(inputs, path)));
  if (each.dtype === 'string')
    return new Text(each.shape, (_, inputs) => readStrings(valueAt(inputs, path)), true);
  const carrier = carrierOf(each.dtype);
  const value = cx.graph.input(cx.uniqueName(path), carrier ?? each.dtype, [...each.shape]);
  return carrier === undefined ? value : new Encoded(each.dtype, value);
}

/** An input, or an element of one that is a list: `x.0.1`. @type {(inputs: Record<string, any>, path: string) => any} */
function valueAt(inputs, path) {
  if (Object.hasOwn(inputs, path)) return inputs[path];
  const dot = path.lastIndexOf('.');
  return dot < 0 ? undefined : valueAt(inputs, path.slice(0, dot))?.[Number(path.slice(dot + 1))];
}

/** @type {(given: any) => { shape: readonly number[], data: string[] }} */
function readStrings(given) {
  if (given && Array.isArray(given.data) && Array.isArray(given.shape)) return given;
  const shape = stringShape(given);
  const data = Array.isArray(given) ? given.flat(Infinity) : [given];
  const odd = data.findIndex((each) => typeof each !== 'string');
  if (odd >= 0 || data.length !== shape.reduce((total, size) => total * size, 1))
    return expected('run', 'strings in arrays of equal lengths', 'an input', odd >= 0 ? data[odd] : given);
  return { shape, data };
}

/** A map of an input: a Map, or a plain object. @type {(given: any) => Map<any, any>} */
function readMap(given) {
  if (given instanceof Map) return given;
  return isOptions(given) ? new Map(Object.entries(given)) : expected('run', 'a Map or a plain object', 'an input', given);
}

module.exports = { caseOf, operandOf, symbolOf, textOf, valueAt, withSizes };
