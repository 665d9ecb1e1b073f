/**
 * TensorFlow files: what `load` makes of a graph, of a SavedModel or of a model of TensorFlow.js.
 *
 * A graph that says no more has its placeholders as inputs, and as outputs what no node reads. A signature names both.
 */
'use strict';

const { unknownName } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { decode } = require('../shared/protobuf.js');
const { takeWeights } = require('../shared/weights.js');
const { Complex } = require('./operands.js');
const { enumCodes, schema } = require('./schema.js');
const { tables } = require('./ops/index.js');
const { openShapeOf, typeOf } = require('./tensors.js');
const { Program } = require('./translate.js');

/** @typedef {import('../shared/operands.js').Operand} Operand */
/** @typedef {import('./namespace.js').Namespace} Namespace */
/** @typedef {import('./namespace.js').Reference} Reference */
/** @typedef {import('../model.js').ModelPort} ModelPort */
/** @typedef {{ name: string, reference: Reference, dtype: string, shape: (number | null)[] | undefined, optional?: boolean }} Port */
/** @typedef {{ caller: string, file: string, ops: Readonly<Record<string, any>>, outputs?: readonly string[], signature?: string }} Context */

/** Ops that give nothing, or nothing to see. */
const UNSEEN = /^(NoOp|Assert|Print|.*Placeholder.*|Const|Save.*|.*Summary|Assign.*|.*HashTable.*|InitializeTable.*|LookupTableImport.*|VarHandleOp|Variable.*|ShardedFilename|MergeV2Checkpoints|Restore.*|TensorArrayCloseV3)$/;
const PLACEHOLDER = /^Placeholder(V2|WithDefault)?$/;

/** @type {(proto: any, name: string) => any} */
const attr = (proto, name) => proto.attr?.get(name);

/** Since this version of graphs a shape without sizes is that of a scalar, and no open one. */
const SCALARS_SINCE = 24;

/** @type {(proto: any, producer: number) => (number | null)[] | undefined} */
function placeholderShape(proto, producer) {
  const shape = openShapeOf(attr(proto, 'shape')?.shape);
  return shape?.length === 0 && producer < SCALARS_SINCE ? undefined : shape;
}

/** Placeholders of a graph. @type {(namespace: Namespace, producer: number, what: string) => Port[]} */
function placeholders(namespace, producer, what) {
  return [...namespace.nodes].filter(([, { op }]) => PLACEHOLDER.test(op ?? '')).map(([name, proto]) => ({
    name, reference: { name, index: 0 }, dtype: typeOf(attr(proto, 'dtype')?.type ?? 1, `${what}: node '${name}'`),
    shape: placeholderShape(proto, producer), optional: proto.op === 'PlaceholderWithDefault',
  }));
}

/** What no node reads. @type {(namespace: Namespace, what: string) => Port[]} */
function ends(namespace, what) {
  const read = new Set([...namespace.nodes.keys()].flatMap((name) => namespace.reads(name)));
  return [...namespace.nodes].filter(([name, { op = '' }]) => !read.has(name) && !UNSEEN.test(op)).flatMap(([name, proto]) => {
    const type = attr(proto, 'T')?.type;
    const dtype = type === undefined ? 'f32' : typeOf(type, `${what}: node '${name}'`);
    return (tables[proto.op]?.outputs ?? ['']).map((_, index) => ({ name: index === 0 ? name : `${name}:${index}`, reference: { name, index }, dtype, shape: undefined }));
  });
}

/**
 * Inputs or outputs that a signature names.
 *
 * @type {(infos: ReadonlyMap<string, any> | undefined, namespace: Namespace, what: string) => Port[]}
 */
const named = (infos, namespace, what) =>
  [...(infos ?? [])].map(([name, info]) => {
    if (!info?.name) return fail('ERR_UNSUPPORTED', `${what}: '${name}' of the signature is no tensor`);
    return { name, reference: namespace.reference(info.name), dtype: typeOf(info.dtype ?? 1, `${what}: '${name}'`), shape: openShapeOf(info.tensorShape) };
  });

/**
 * Outputs of nodes that the caller names, in place of those that the file has.
 *
 * @type {(names: readonly string[], namespace: Namespace, caller: string) => Port[]}
 */
const chosen = (names, namespace, caller) =>
  names.map((name) => {
    const reference = namespace.reference(name);
    if (!namespace.nodes.has(reference.name)) return unknownName(caller, 'value', name, [...namespace.nodes.keys()]);
    return { name, reference, dtype: 'f32', shape: undefined };
  });

const COMPLEX = /** @type {Record<string, string>} */ ({ c64: 'f32', c128: 'f64' });

/** Complex numbers are pairs outside. @type {(port: Port) => ModelPort} */
function portOf({ name, dtype, shape, optional }) {
  const pairs = COMPLEX[dtype];
  const sizes = pairs && shape ? [...shape, 2] : shape;
  return { name, type: { kind: 'tensor', dtype: pairs ?? dtype, ...(sizes ? { shape: sizes } : {}) }, ...(optional ? { optional } : {}) };
}

/** @type {(operand: any, port: Port) => Operand} */
function entered(operand, { dtype }) {
  if (COMPLEX[dtype] === undefined) return operand;
  const axis = operand.rank - 1;
  return new Complex(operand.take(0, { axis }), operand.take(1, { axis }));
}

/**
 * A graph as something to run.
 *
 * @param {object} given
 * @param {any} given.graph a GraphDef
 * @param {{ inputs?: ReadonlyMap<string, any>, outputs?: ReadonlyMap<string, any> }} [given.signature]
 * @param {ReadonlyMap<string, Operand>} [given.weights]
 * @param {import('./resources.js').Store} [given.variables]
 * @param {any} [given.initializer]
 * @param {string} [given.name]
 * @param {Readonly<Record<string, any>>} [given.metadata]
 * @param {Context} context
 * @returns {import('../model.js').Definition}
 */
function definitionOf({ graph, signature, weights, variables, initializer, name = 'main', metadata = {} }, { caller, file, ops, outputs: names }) {
  const what = `${caller}: ${file}`;
  const program = new Program({ graph, what, ops, weights, variables, initializer });
  const { main } = program;
  const producer = graph.versions?.producer ?? graph.version ?? 0;
  const inputs = signature?.inputs ? named(signature.inputs, main, what) : placeholders(main, producer, what);
  const found = signature?.outputs ? named(signature.outputs, main, what) : ends(main, what);
  const outputs = names ? chosen(names, main, caller) : found;
  if (outputs.length === 0) fail('ERR_PARSE', `${what} has no outputs`);
  program.checkOps(outputs.map(({ reference }) => reference.name), inputs.map(({ reference }) => reference.name));
  return {
    format: 'tensorflow', name,
    metadata: { producer, ...metadata },
    inputs: inputs.map(portOf),
    outputs: outputs.map(portOf),
    values: [...main.nodes.keys()],
    build: (cx, given) => {
      const operands = new Map();
      for (const port of inputs) {
        const operand = given.get(port.name);
        if (operand !== undefined) operands.set(port.reference.name, entered(operand, port));
      }
      const results = program.build(cx, operands, outputs.map(({ reference }) => reference));
      return new Map(results.map((operand, i) => [outputs[i].name, operand]));
    },
  };
}

/** @type {(bytes: Uint8Array, context: Context) => import('../model.js').Definition} a GraphDef */
function readGraph(bytes, context) {
  /** @type {import('../shared/protobuf.js').View[]} */
  const views = [];
  const graph = decode(schema, 'Graph', bytes, `${context.caller}: ${context.file}`, views);
  takeWeights(views, bytes);
  return definitionOf({ graph }, context);
}

/** @type {(bytes: Uint8Array, context: Context) => import('../model.js').Definition} a GraphDef in text format */
function readGraphText(bytes, context) {
  const { fromText } = require('../shared/protobuf-text.js');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return definitionOf({ graph: fromText(schema, 'Graph', text, enumCodes, `${context.caller}: ${context.file}`) }, context);
}

module.exports = { definitionOf, readGraph, readGraphText };
