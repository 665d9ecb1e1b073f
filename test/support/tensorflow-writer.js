// Writes TensorFlow graphs for tests: plain objects in, messages and bytes out, by the tables that the reader uses.
'use strict';

const { Tensor, tensor } = require('graphjit');
const { enumCodes, schema } = require('../../lib/models/tensorflow/schema.js');
const { encoder } = require('./protobuf-writer.js');

const encode = encoder(schema);

/** @type {Readonly<Record<string, number>>} codes by dtype */
const codes = {
  f32: 1, f64: 2, i32: 3, u8: 4, i16: 5, i8: 6, string: 7, c64: 8, i64: 9, bool: 10, resource: 20, variant: 21,
};

/** An attribute that is a dtype: { type: 'f32' }. @typedef {any} AttributeLike */
/**
 * A node: its name, its op, names of inputs, attributes. An attribute is a number (an integer unless { f }), a text, a
 * boolean, a list of such, { type }, { shape } with null for open sizes, { tensor }, { func }.
 *
 * @typedef {readonly [name: string, op: string, inputs?: readonly string[], attributes?: Record<string, AttributeLike>]} NodeLike
 */

/** @type {(list: any) => number[]} */
const shapeOf = (list) => (Array.isArray(list) ? [list.length, ...(list.length > 0 ? shapeOf(list[0]) : [])] : []);

/** @type {(sizes: readonly (number | null)[] | null) => any} */
const shapeProto = (sizes) => (sizes === null ? { unknownRank: true } : { dim: sizes.map((size) => ({ size: size ?? -1 })) });

/** Nested arrays of numbers (f32), bigints (i64), booleans or strings, or a Tensor. @type {(given: any) => any} */
function tensorProto(given) {
  const first = Array.isArray(given) ? given.flat(Infinity)[0] : given;
  if (typeof first === 'string') {
    const stringVal = [given].flat(Infinity).map((text) => Buffer.from(text));
    return { dtype: codes.string, tensorShape: shapeProto(shapeOf(given)), stringVal };
  }
  const dtypeOf = typeof first === 'bigint' ? 'i64' : typeof first === 'boolean' ? 'bool' : 'f32';
  const { dtype, shape, data } = (given instanceof Tensor ? given : tensor(given, { dtype: dtypeOf })).copy();
  const tensorContent = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return { dtype: codes[dtype], tensorShape: shapeProto([...shape]), tensorContent };
}

/** @type {(given: AttributeLike) => any} */
function attributeProto(given) {
  if (typeof given === 'number') return Number.isInteger(given) ? { i: given } : { f: given };
  if (typeof given === 'string') return { s: Buffer.from(given) };
  if (typeof given === 'boolean') return { b: given };
  if (Array.isArray(given)) {
    const items = given.map(attributeProto);
    const field = Object.keys(items[0] ?? { i: 0 })[0];
    return { list: { [field]: items.map((each) => each[field]) } };
  }
  if ('type' in given) return { type: codes[given.type] ?? enumCodes[given.type] };
  if ('shape' in given) return { shape: shapeProto(given.shape) };
  if ('tensor' in given) return { tensor: tensorProto(given.tensor) };
  return 'func' in given ? { func: { name: given.func } } : given;
}

/** @type {(node: NodeLike) => any} */
const nodeProto = ([name, op, input = [], attributes = {}]) => ({
  name, op, input,
  attr: Object.fromEntries(Object.entries(attributes).map(([key, given]) => [key, attributeProto(given)])),
});

/** A node that is a constant. @type {(name: string, given: any) => NodeLike} */
const constant = (name, given) => {
  const { dtype } = tensorProto(given);
  return [name, 'Const', [], { dtype: { type: Object.keys(codes).find((key) => codes[key] === dtype) }, value: { tensor: given } }];
};

/** @type {(name: string, dtype: string, shape: readonly (number | null)[] | null) => NodeLike} */
const placeholder = (name, dtype, shape) => [name, 'Placeholder', [], { dtype: { type: dtype }, shape: { shape } }];

/**
 * A function: names and types of inputs and outputs, nodes, and what outputs are.
 *
 * @typedef {{ name: string, inputs: Readonly<Record<string, string>>, outputs: Readonly<Record<string, string>>, nodes: readonly NodeLike[], returns: Readonly<Record<string, string>> }} FunctionLike
 */

/** @type {(given: FunctionLike) => any} */
const functionProto = ({ name, inputs, outputs, nodes, returns }) => ({
  signature: {
    name, inputArg: Object.entries(inputs).map(([each, type]) => ({ name: each, type: codes[type] })),
    outputArg: Object.entries(outputs).map(([each, type]) => ({ name: each, type: codes[type] })),
  },
  nodeDef: nodes.map(nodeProto), ret: returns,
});

/** @type {(nodes: readonly NodeLike[], functions?: readonly FunctionLike[]) => any} the message */
const graphProto = (nodes, functions = []) => ({
  node: nodes.map(nodeProto), library: { function: functions.map(functionProto) }, versions: { producer: 1087 },
});

/** @type {(nodes: readonly NodeLike[], functions?: readonly FunctionLike[]) => Uint8Array} the bytes of a graph */
const graphDef = (nodes, functions) => encode('Graph', graphProto(nodes, functions));

module.exports = { codes, constant, encode, graphDef, graphProto, placeholder, shapeProto, tensorProto };
