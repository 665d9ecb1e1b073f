/**
 * Recorded inputs and outputs of ONNX models: folders test_data_set_N, each of files of one message.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { decode } = require('../shared/protobuf.js');
const { Encoded, Text } = require('../shared/operands.js');
const { elementTypes, schema } = require('./schema.js');
const { ExternalFiles, operandOf } = require('./tensors.js');

/** The message of a file, by the type of the port. @type {Record<string, string>} */
const messages = { tensor: 'Tensor', sequence: 'Sequence', optional: 'Optional', map: 'Map' };

/** @type {(proto: any) => any} what a run takes and gives for a tensor */
function tensorOf(proto) {
  const operand = operandOf(proto, 'recorded data', new ExternalFiles(undefined));
  if (operand instanceof Text) return operand.read({}, {});
  return (operand instanceof Encoded ? /** @type {any} */ (operand.codes) : operand).tensor;
}

/** @type {(proto: any) => any} */
function sequenceOf({ tensors = [], sequences = [], maps = [], optionals = [] }) {
  return [...tensors.map(tensorOf), ...sequences.map(sequenceOf), ...maps.map(mapOf), ...optionals.map(optionalOf)];
}

/** @type {(proto: any) => any} */
const optionalOf = ({ type = 0, tensor: one, sequence, map, optional }) => {
  if (type === 0) return null;
  if (one) return tensorOf(one);
  if (sequence) return sequenceOf(sequence);
  return map ? mapOf(map) : optional ? optionalOf(optional) : null;
};

/** @type {(proto: any) => Map<any, any>} */
function mapOf({ keys = [], stringKeys = [], values = {} }) {
  const all = [...keys, ...stringKeys.map((/** @type {Uint8Array} */ each) => Buffer.from(each).toString('utf8'))];
  const list = sequenceOf(values);
  return new Map(all.map((key, i) => [key, list[i]]));
}

/** @type {Readonly<Record<string, (proto: any) => any>>} */
const readers = { tensor: tensorOf, sequence: sequenceOf, optional: optionalOf, map: mapOf };

/** @type {(file: string, type: any) => any} */
function readRecorded(file, { kind, dtype }) {
  const proto = decode(schema, messages[kind], fs.readFileSync(file), file);
  // Old files record bf16 as u16: its bits.
  if (dtype === 'bf16' && elementTypes[proto.type] === 'u16') proto.type = 16;
  return readers[kind](proto);
}

/**
 * The data sets of a folder.
 *
 * @param {string} folder
 * @param {any} definition inputs and outputs with their types
 * @returns {{ inputs: Record<string, any>, outputs: Record<string, any> }[]}
 */
function dataSets(folder, { inputs, outputs }) {
  const sets = fs.readdirSync(folder).filter((name) => /^test_data_set_\d+$/.test(name)).sort();
  const all = (/** @type {string} */ set, /** @type {any[]} */ ports, /** @type {string} */ role) =>
    Object.fromEntries(ports.flatMap(({ name, type }, i) => {
      const file = path.join(folder, set, `${role}_${i}.pb`);
      return fs.existsSync(file) ? [[name, readRecorded(file, type)]] : [];
    }));
  return sets.map((set) => ({ inputs: all(set, inputs, 'input'), outputs: all(set, outputs, 'output') }));
}

module.exports = { dataSets };
