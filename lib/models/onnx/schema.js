/**
 * The messages of ONNX files: the fields that are read, from onnx.proto3 of ONNX 1.23 (https://onnx.ai), and the codes
 * of element types.
 */
'use strict';

/** @type {import('../shared/protobuf.js').Schema} */
const schema = {
  Model: {
    1: ['irVersion', 'int64'], 2: ['producer', 'string'], 3: ['producerVersion', 'string'], 4: ['domain', 'string'],
    5: ['modelVersion', 'int64'], 6: ['doc', 'string'], 7: ['graph', 'Graph'], 8: ['opsets', 'Opset', 'repeated'],
    14: ['properties', 'Entry', 'repeated'], 25: ['functions', 'Function', 'repeated'],
  },
  Opset: { 1: ['domain', 'string'], 2: ['version', 'int64'] },
  Entry: { 1: ['key', 'string'], 2: ['value', 'string'] },
  Graph: {
    1: ['nodes', 'Node', 'repeated'], 2: ['name', 'string'], 5: ['initializers', 'Tensor', 'repeated'],
    10: ['doc', 'string'], 11: ['inputs', 'ValueInfo', 'repeated'], 12: ['outputs', 'ValueInfo', 'repeated'],
    13: ['valueInfos', 'ValueInfo', 'repeated'], 15: ['sparseInitializers', 'SparseTensor', 'repeated'],
  },
  Node: {
    1: ['inputs', 'string', 'repeated'], 2: ['outputs', 'string', 'repeated'], 3: ['name', 'string'],
    4: ['op', 'string'], 5: ['attributes', 'Attribute', 'repeated'], 7: ['domain', 'string'],
    8: ['overload', 'string'],
  },
  Attribute: {
    1: ['name', 'string'], 2: ['f', 'float'], 3: ['i', 'int64'], 4: ['s', 'bytes'], 5: ['t', 'Tensor'],
    6: ['g', 'Graph'], 7: ['floats', 'float', 'repeated'], 8: ['ints', 'int64', 'repeated'],
    9: ['strings', 'string', 'repeated'], 10: ['tensors', 'Tensor', 'repeated'], 11: ['graphs', 'Graph', 'repeated'],
    14: ['typeProto', 'Type'], 20: ['type', 'int32'], 21: ['reference', 'string'], 22: ['sparse', 'SparseTensor'],
  },
  Tensor: {
    1: ['dims', 'int64', 'repeated'], 2: ['type', 'int32'], 4: ['floats', 'float', 'repeated'],
    5: ['int32s', 'int32', 'repeated'], 6: ['strings', 'bytes', 'repeated'], 7: ['int64s', 'int64', 'repeated'],
    8: ['name', 'string'], 9: ['raw', 'bytes'], 10: ['doubles', 'double', 'repeated'],
    11: ['uint64s', 'uint64', 'repeated'], 13: ['external', 'Entry', 'repeated'], 14: ['location', 'int32'],
  },
  SparseTensor: { 1: ['values', 'Tensor'], 2: ['indices', 'Tensor'], 3: ['dims', 'int64', 'repeated'] },
  ValueInfo: { 1: ['name', 'string'], 2: ['type', 'Type'] },
  Type: {
    1: ['tensor', 'TensorType'], 4: ['sequence', 'ElementType'], 5: ['map', 'MapType'], 8: ['sparse', 'TensorType'],
    9: ['optional', 'ElementType'],
  },
  TensorType: { 1: ['type', 'int32'], 2: ['shape', 'Shape'] },
  ElementType: { 1: ['type', 'Type'] },
  MapType: { 1: ['key', 'int32'], 2: ['value', 'Type'] },
  Shape: { 1: ['dims', 'Dimension', 'repeated'] },
  Dimension: { 1: ['value', 'int64'], 2: ['name', 'string'] },
  Function: {
    1: ['name', 'string'], 4: ['inputs', 'string', 'repeated'], 5: ['outputs', 'string', 'repeated'],
    6: ['attributes', 'string', 'repeated'], 7: ['nodes', 'Node', 'repeated'], 9: ['opsets', 'Opset', 'repeated'],
    10: ['domain', 'string'], 11: ['defaults', 'Attribute', 'repeated'], 13: ['overload', 'string'],
  },
  // Recorded inputs and outputs have these.
  Sequence: {
    1: ['name', 'string'], 2: ['type', 'int32'], 3: ['tensors', 'Tensor', 'repeated'],
    5: ['sequences', 'Sequence', 'repeated'], 6: ['maps', 'Map', 'repeated'], 7: ['optionals', 'Optional', 'repeated'],
  },
  Map: {
    1: ['name', 'string'], 2: ['keyType', 'int32'], 3: ['keys', 'int64', 'repeated'],
    4: ['stringKeys', 'bytes', 'repeated'], 5: ['values', 'Sequence'],
  },
  Optional: {
    1: ['name', 'string'], 2: ['type', 'int32'], 3: ['tensor', 'Tensor'], 5: ['sequence', 'Sequence'], 6: ['map', 'Map'],
    7: ['optional', 'Optional'],
  },
};

/** By the codes of TensorProto.DataType. @type {Readonly<Record<number, string>>} */
const elementTypes = {
  1: 'f32', 2: 'u8', 3: 'i8', 4: 'u16', 5: 'i16', 6: 'i32', 7: 'i64', 8: 'string', 9: 'bool', 10: 'f16', 11: 'f64',
  12: 'u32', 13: 'u64', 14: 'c64', 15: 'c128', 16: 'bf16', 17: 'f8e4m3fn', 18: 'f8e4m3fnuz', 19: 'f8e5m2',
  20: 'f8e5m2fnuz', 21: 'u4', 22: 'i4', 23: 'f4e2m1fn', 24: 'f8e8m0fnu', 25: 'u2', 26: 'i2',
};

/** Names of the first versions, whose Cast says its type in words. @type {Readonly<Record<string, string>>} */
const namedTypes = {
  FLOAT: 'f32', UINT8: 'u8', INT8: 'i8', UINT16: 'u16', INT16: 'i16', INT32: 'i32', INT64: 'i64', STRING: 'string',
  BOOL: 'bool', FLOAT16: 'f16', DOUBLE: 'f64', UINT32: 'u32', UINT64: 'u64',
};

/** What an attribute names, by code or in words; undefined for what is no type. @type {(to: unknown) => string | undefined} */
const elementTypeOf = (to) => elementTypes[/** @type {number} */ (to)] ?? namedTypes[String(to)];

/** What domain '' stands for. */
const STANDARD = 'ai.onnx';

module.exports = { STANDARD, elementTypeOf, elementTypes, schema };
