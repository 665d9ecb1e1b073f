/**
 * ONNX files: what `load` makes of one.
 *
 * The file is read into plain objects (schema.js), its types become those of ports, and its nodes are translated in
 * their order (translate.js) when a graph is built.
 */
'use strict';

const { unknownName } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { decode } = require('../shared/protobuf.js');
const { takeWeights } = require('../shared/weights.js');
const { STANDARD, schema } = require('./schema.js');
const { ExternalFiles, typeOf } = require('./tensors.js');
const { Program } = require('./translate.js');

/** @typedef {import('../model.js').PortType} PortType */

/** @type {(proto: any, what: string) => PortType} */
function typeOfProto(proto, what) {
  if (proto?.tensor) {
    const dtype = typeOf(proto.tensor.type ?? 0, what);
    const dims = proto.tensor.shape ? (proto.tensor.shape.dims ?? []) : undefined;
    return { kind: 'tensor', dtype, ...(dims ? { shape: dims.map(sizeOf) } : {}) };
  }
  if (proto?.sequence) return { kind: 'sequence', of: typeOfProto(proto.sequence.type, what) };
  if (proto?.optional) return { kind: 'optional', of: typeOfProto(proto.optional.type, what) };
  if (proto?.map) return { kind: 'map', key: typeOf(proto.map.key ?? 0, what), value: typeOfProto(proto.map.value, what) };
  return fail('ERR_UNSUPPORTED', `${what} has ${proto?.sparse ? 'a sparse type' : 'no type'}`);
}

/** A negative size, as old exporters write it, is an open one. @type {(dim: any) => import('../model.js').OpenSize} */
function sizeOf({ value, name }) {
  if (value !== undefined && Number(value) >= 0) return Number(value);
  return name ? name : null;
}

/** @type {(opsets: readonly any[] | undefined) => Map<string, number>} */
const versionsOf = (opsets = []) =>
  new Map(opsets.map(({ domain, version }) => [domain || STANDARD, Number(version ?? 0)]));

/**
 * @param {Uint8Array} bytes
 * @param {{ caller: string, file: string, folder?: string, ops: Readonly<Record<string, any>>, outputs?: readonly string[] }} context
 * @returns {import('../model.js').Definition}
 */
function readOnnx(bytes, { caller, file, folder, ops, outputs }) {
  const what = `${caller}: ${file}`;
  /** @type {import('../shared/protobuf.js').View[]} */
  const views = [];
  const proto = decode(schema, 'Model', bytes, what, views);
  takeWeights(views, bytes);
  if (proto.graph === undefined) fail('ERR_PARSE', `${what} has no graph`);
  const { graph } = proto;
  const versions = versionsOf(proto.opsets);
  if (outputs !== undefined) graph.outputs = chosenOutputs(graph, outputs, caller);
  const program = new Program({ proto, versions, files: new ExternalFiles(folder), what, ops });
  program.checkOps();
  return {
    format: 'onnx',
    name: graph.name || 'main',
    metadata: {
      producer: [proto.producer, proto.producerVersion].filter(Boolean).join(' '),
      opsets: Object.fromEntries(versions),
      irVersion: Number(proto.irVersion ?? 0),
      ...(proto.domain ? { domain: proto.domain } : {}),
      ...(proto.doc ? { description: proto.doc } : {}),
      properties: Object.fromEntries((proto.properties ?? []).map((/** @type {any} */ { key = '', value = '' }) => [key, value])),
    },
    inputs: inputPorts(proto, what),
    outputs: (graph.outputs ?? []).map((/** @type {any} */ each) => outputPort(each, `${what}: output '${each.name}'`)),
    values: (graph.nodes ?? []).flatMap((/** @type {any} */ node) => node.outputs ?? []),
    build: (cx, given) => program.build(cx, given),
  };
}

/** Names of initializers. @type {(graph: any) => string[]} */
const initialized = ({ initializers = [], sparseInitializers = [] }) =>
  [...initializers, ...sparseInitializers.map((/** @type {any} */ each) => each.values ?? {})].map(({ name = '' }) => name);

/** @type {(proto: any, what: string) => import('../model.js').ModelPort[]} */
function inputPorts({ graph, irVersion = 0 }, what) {
  const given = new Set(initialized(graph));
  const names = new Set();
  // Before IR version 4 every initializer was an input as well, which nobody passes. Since then they are defaults.
  const inputs = (graph.inputs ?? []).filter((/** @type {any} */ { name = '' }) => !given.has(name) || irVersion >= 4);
  return inputs.map((/** @type {any} */ { name = '', type }) => {
    if (names.has(name)) fail('ERR_PARSE', `${what} has two inputs '${name}'`);
    names.add(name);
    const port = { name, type: typeOfProto(type, `${what}: input '${name}'`) };
    return given.has(name) ? { ...port, optional: true } : port;
  });
}

/**
 * Values of the file in place of its outputs.
 *
 * @param {any} graph
 * @param {readonly string[]} names
 * @param {string} caller
 * @returns {any[]}
 */
function chosenOutputs(graph, names, caller) {
  const { nodes = [], inputs = [], outputs = [] } = graph;
  const typed = new Map(outputs.map((/** @type {any} */ each) => [each.name, each]));
  const all = [...inputs.map((/** @type {any} */ { name }) => name), ...initialized(graph)];
  const known = new Set([...nodes.flatMap((/** @type {any} */ node) => node.outputs ?? []), ...all]);
  return names.map((name) => (known.has(name) ? (typed.get(name) ?? { name }) : unknownName(caller, 'value', name, [...known])));
}

/** Outputs need no type: what computes them has one. @type {(proto: any, what: string) => { name: string, type?: PortType }} */
function outputPort({ name = '', type }, what) {
  return { name, type: type && Object.keys(type).length > 0 ? typeOfProto(type, what) : undefined };
}

module.exports = { readOnnx };
