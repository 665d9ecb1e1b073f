// Writes ONNX models for tests: plain objects in, the bytes of a file out, by the tables that the reader uses.
'use strict';

const { Tensor, tensor } = require('graphjit');
const { elementTypes, schema } = require('../../lib/models/onnx/schema.js');
const { encoder } = require('./protobuf-writer.js');

/**
 * A type: of a tensor, whose open sizes are names (null: no name; without a shape the rank is open, too), or of a list, an
 * optional, a map.
 *
 * @typedef {readonly [dtype: string, shape?: readonly (number | string | null)[]]
 *   | { sequence: Type } | { optional: Type } | { key: string, value: Type } | null} Type null for none
 */

/**
 * What an attribute or an initializer is made of: a Tensor, nested arrays of numbers (f32), bigints (i64), booleans or strings,
 * or a message as the schema has it ({ type: 17, dims: [2], raw }).
 *
 * @typedef {any} TensorLike
 */

/**
 * A node. An attribute is an integer, another number (a float), a string, a Tensor, a graph, an array of such, or says
 * its field itself: { f: 1 }, { t: [1, 2] }, { reference: 'alpha', type: 1 }.
 *
 * @typedef {readonly [op: string, inputs: readonly string[], outputs: readonly string[], attributes?: Record<string, any>, rest?: { domain?: string, name?: string, overload?: string }]} NodeLike op may be 'domain::Name'
 */

/**
 * @typedef {object} GraphLike
 * @property {readonly NodeLike[]} nodes
 * @property {Readonly<Record<string, Type>>} [inputs]
 * @property {Readonly<Record<string, Type>> | readonly string[]} outputs
 * @property {Readonly<Record<string, TensorLike>>} [initializers]
 * @property {string} [name]
 */

/**
 * @typedef {object} FunctionLike
 * @property {string} name
 * @property {string} domain
 * @property {string} [overload]
 * @property {readonly string[]} inputs
 * @property {readonly string[]} outputs
 * @property {readonly string[]} [attributes] without defaults
 * @property {Record<string, any>} [defaults]
 * @property {readonly NodeLike[]} nodes
 * @property {Opsets} [opsets]
 */

/** The version of ai.onnx, or one for each domain. @typedef {number | Readonly<Record<string, number>>} Opsets */

const codes = Object.fromEntries(Object.entries(elementTypes).map(([code, name]) => [name, Number(code)]));

/** Codes of AttributeProto.AttributeType by field. @type {Readonly<Record<string, number>>} */
const attributeTypes = {
  f: 1, i: 2, s: 3, t: 4, g: 5, floats: 6, ints: 7, strings: 8, tensors: 9, graphs: 10, sparse: 11, typeProto: 13,
};

// ------------------------------------------------------------------------------------- messages

/** @type {(list: any) => any[]} */
const flat = (list) => (Array.isArray(list) ? list.flat(Infinity) : [list]);

/** @type {(list: any) => number[]} */
const shapeOf = (list) => (Array.isArray(list) ? [list.length, ...(list.length > 0 ? shapeOf(list[0]) : [])] : []);

const utf8 = (/** @type {any} */ text) => (typeof text === 'string' ? Buffer.from(text) : text);

/** @type {(element: any) => 'f32' | 'i64' | 'bool'} */
const dtypeOf = (element) => (typeof element === 'bigint' ? 'i64' : typeof element === 'boolean' ? 'bool' : 'f32');

/** @type {(given: TensorLike, name?: string) => any} */
function tensorProto(given, name) {
  const isMessage = typeof given === 'object' && !Array.isArray(given) && !(given instanceof Tensor) && !ArrayBuffer.isView(given);
  if (isMessage) return { ...given, name };
  if (typeof flat(given)[0] === 'string') return { name, type: codes.string, dims: shapeOf(given), strings: flat(given).map(utf8) };
  const { dtype, shape, data } = (given instanceof Tensor ? given : tensor(given, { dtype: dtypeOf(flat(given)[0]) })).copy();
  return { name, type: codes[dtype], dims: [...shape], raw: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

/** @type {(type: Type) => any} */
function typeProto(type) {
  if (type === null) return undefined;
  if ('sequence' in type) return { sequence: { type: typeProto(type.sequence) } };
  if ('optional' in type) return { optional: { type: typeProto(type.optional) } };
  if ('key' in type) return { map: { key: codes[type.key], value: typeProto(type.value) } };
  const [dtype, shape] = type;
  const dims = shape?.map((size) => (typeof size === 'number' ? { value: size } : size === null ? {} : { name: size }));
  return { tensor: { type: codes[dtype], shape: dims && { dims } } };
}

/** @type {(given: any) => Record<string, any>} the field that a value stands for */
function fieldOf(given) {
  if (given instanceof Tensor) return { t: tensorProto(given) };
  if (typeof given === 'number') return Number.isInteger(given) ? { i: given } : { f: given };
  if (typeof given === 'bigint' || typeof given === 'boolean') return { i: Number(given) };
  if (typeof given === 'string') return { s: utf8(given) };
  if (Array.isArray(given)) return listField(given);
  if (given.nodes) return { g: graphProto(given) };
  if (given.t !== undefined) return { t: tensorProto(given.t) };
  return given;
}

/** @type {(given: readonly any[]) => Record<string, any>} */
function listField(given) {
  if (given.every((each) => typeof each === 'string')) return given.length > 0 ? { strings: given } : { ints: [] };
  if (given.every((each) => typeof each === 'number')) return given.every(Number.isInteger) ? { ints: given } : { floats: given };
  return given[0].nodes ? { graphs: given.map(graphProto) } : { tensors: given.map((each) => tensorProto(each)) };
}

/** @type {(attributes?: Record<string, any>) => any[]} */
const attributeProtos = (attributes = {}) =>
  Object.entries(attributes).map(([name, given]) => {
    const field = fieldOf(given);
    return { name, type: attributeTypes[Object.keys(field)[0]], ...field };
  });

/** @type {(node: NodeLike) => any} */
function nodeProto([key, inputs, outputs, attributes, rest]) {
  const [op, domain] = key.split('::').reverse();
  return { op, domain, inputs, outputs, attributes: attributeProtos(attributes), ...rest };
}

/** @type {(ports: Readonly<Record<string, Type>> | readonly string[] | undefined) => any[]} */
const portProtos = (ports = {}) =>
  Array.isArray(ports) ? ports.map((name) => ({ name })) : Object.entries(ports).map(([name, type]) => ({ name, type: typeProto(type) }));

/** @type {(graph: GraphLike) => any} */
function graphProto({ nodes, inputs, outputs, initializers = {}, name = 'graph' }) {
  return {
    name,
    nodes: nodes.map(nodeProto),
    inputs: portProtos(inputs),
    outputs: portProtos(outputs),
    initializers: Object.entries(initializers).map(([each, given]) => tensorProto(given, each)),
  };
}

/** @type {(opsets: Opsets) => any[]} */
const opsetProtos = (opsets) =>
  Object.entries(typeof opsets === 'number' ? { '': opsets } : opsets).map(([domain, version]) => ({ domain, version }));

/** @type {(each: FunctionLike) => any} */
const functionProto = ({ nodes, defaults, opsets = 23, ...rest }) => ({
  ...rest, nodes: nodes.map(nodeProto), defaults: attributeProtos(defaults), opsets: opsetProtos(opsets),
});

// --------------------------------------------------------------------------------------- writing

/** @type {(name: string, message: any) => Uint8Array} bytes of any message of the schema */
const encode = encoder(schema);

/**
 * The bytes of a model.
 *
 * @param {GraphLike & { opsets?: Opsets, functions?: readonly FunctionLike[], irVersion?: number }} given
 * @returns {Uint8Array}
 */
function onnxModel({ opsets = 23, functions = [], irVersion = 10, ...graph }) {
  return encode('Model', {
    irVersion, producer: 'test', graph: graphProto(graph), opsets: opsetProtos(opsets), functions: functions.map(functionProto),
  });
}

module.exports = { encode, graphProto, onnxModel, tensorProto };
