/**
 * Literals: their types, and what they are in a kernel.
 *
 * An integer is an int32 if it fits, else an int64 or a uint64, and a number with a point is a float64; beside a column
 * both take its type, where the value fits (functions/signature.js).
 */
'use strict';

const types = require('../types/index.js');
const { inRange } = require('../functions/signature.js');
const { repOf } = require('../types/representation.js');

/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('../kernel/dag.js').Dag} Dag */
/** @typedef {import('../kernel/dag.js').Node} Node */

/** @type {Record<string, (value: any, refuse: (message: string) => never) => DataType>} */
const BY_KIND = {
  integer: (value, refuse) =>
    [types.int32, types.int64, types.uint64].find((type) => inRange(value, type)) ??
    refuse(`the integer ${value} does not fit 64 bits: write it as decimal '${value}'`),
  float: () => types.float64,
  boolean: () => types.bool,
  string: () => types.utf8,
  binary: () => types.binary,
  null: () => types.none,
};

/** Adds literals of other kinds. @type {(kind: string, type: (value: any, refuse: (message: string) => never) => DataType, node: (dag: Dag, value: any, type: DataType, refuse: (message: string) => never) => Node) => void} */
function addLiteral(kind, type, node) {
  BY_KIND[kind] = type;
  NODES[kind] = node;
}

/** @type {(ast: any, refuse: (message: string) => never) => DataType} */
const typeOfLiteral = ({ type, value }, refuse) => BY_KIND[type](value, refuse);

const encoder = new TextEncoder();

/** What a literal is as a value of a type, by the kind of the type. @type {Record<string, (dag: Dag, value: any, type: DataType, refuse: (message: string) => never) => Node>} */
const NODES = {
  int: (dag, value, type) => dag.constant(BigInt(value), repOf(type)),
  float: (dag, value, type) => {
    const node = dag.constant(type.bits === 64 ? Number(value) : Math.fround(Number(value)), repOf(type));
    // Halves are computed with as f32, but have fewer digits.
    return type.bits === 16 ? dag.convert(dag.convert(node, 'f16'), 'f32') : node;
  },
  bool: (dag, value) => dag.constant(value, 'bool'),
  utf8: (dag, value) => dag.text(encoder.encode(value)),
  binary: (dag, value) => dag.text(typeof value === 'string' ? encoder.encode(value) : value),
};

/** @type {(dag: Dag, value: any, type: DataType, refuse: (message: string) => never) => Node} */
function literalNode(dag, value, type, refuse) {
  const make = NODES[type.kind];
  return make === undefined ? refuse(`there are no literals of ${type.text} yet`) : make(dag, value, type, refuse);
}

/** A value for rows that have none. @type {(dag: Dag, type: DataType) => Node} */
function zeroOf(dag, type) {
  const rep = repOf(type);
  if (rep === 'view') return dag.text(new Uint8Array(0));
  if (rep === 'i128') return dag.table(new Uint8Array(16), 'i128');
  return dag.constant(rep === 'bool' ? false : 0, rep);
}

module.exports = { addLiteral, literalNode, typeOfLiteral, zeroOf };
