// Writes protobuf messages for tests: plain objects in, bytes out, by the tables that the reader uses.
'use strict';

const { Writer } = require('protobufjs/minimal');

/** @type {Readonly<Record<string, number>>} */
const wires = { int32: 0, uint32: 0, int64: 0, uint64: 0, bool: 0, float: 5, double: 1, string: 2, bytes: 2 };

/** @type {(writer: any, type: string, value: any) => void} */
function writeScalar(writer, type, value) {
  if (type !== 'int64' && type !== 'uint64') writer[type](value);
  else {
    const bits = BigInt.asUintN(64, BigInt(value));
    writer.uint64({ low: Number(bits & 0xffffffffn) | 0, high: Number(bits >> 32n) | 0, unsigned: true });
  }
}

/** @type {(label: string | undefined, value: any) => readonly any[]} what a field is written for */
function itemsOf(label, value) {
  if (value === undefined) return [];
  if (label === 'map') return Object.entries(value).map(([key, each]) => ({ key, value: each }));
  return label === 'repeated' ? value : [value];
}

/**
 * @param {import('../../lib/models/shared/protobuf.js').Schema} schema
 * @returns {(name: string, message: any) => Uint8Array} bytes of any message of the schema; unknown fields are refused
 */
function encoder(schema) {
  /** @type {(writer: any, name: string, message: any) => any} */
  const write = (writer, name, message) => {
    for (const [key, value] of Object.entries(message)) {
      const found = Object.entries(schema[name]).find(([, [field]]) => field === key);
      if (found === undefined) throw new Error(`${name} has no field '${key}'`);
      const [number, [, type, label]] = [Number(found[0]), found[1]];
      for (const each of itemsOf(label, value)) {
        writer.uint32((number << 3) | (wires[type] ?? 2));
        if (type in wires) writeScalar(writer, type, each);
        else write(writer.fork(), type, each).ldelim();
      }
    }
    return writer;
  };
  return (name, message) => write(Writer.create(), name, message).finish();
}

module.exports = { encoder };
