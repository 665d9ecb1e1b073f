/**
 * The messages of TensorFlow files: the fields that are read, from the .proto files of TensorFlow 2
 * (https://github.com/tensorflow/tensorflow/tree/master/tensorflow/core), and the codes of element types.
 *
 * Fields have the names of their JSON form, so that binary, text and JSON files are read by the same tables. Numbers of
 * enums are `int32`; those that are named in text are element types.
 */
'use strict';

/** @type {import('../shared/protobuf.js').Schema} */
const schema = {
  Graph: {
    1: ['node', 'Node', 'repeated'], 2: ['library', 'FunctionLibrary'], 3: ['version', 'int32'], 4: ['versions', 'Versions'],
  },
  Versions: { 1: ['producer', 'int32'], 2: ['minConsumer', 'int32'] },
  Node: {
    1: ['name', 'string'], 2: ['op', 'string'], 3: ['input', 'string', 'repeated'], 4: ['device', 'string'],
    5: ['attr', 'AttrEntry', 'map'],
  },
  AttrEntry: { 1: ['key', 'string'], 2: ['value', 'Attr'] },
  Attr: {
    1: ['list', 'AttrList'], 2: ['s', 'bytes'], 3: ['i', 'int64'], 4: ['f', 'float'], 5: ['b', 'bool'], 6: ['type', 'int32'],
    7: ['shape', 'Shape'], 8: ['tensor', 'Tensor'], 9: ['placeholder', 'string'], 10: ['func', 'FunctionName'],
  },
  AttrList: {
    2: ['s', 'bytes', 'repeated'], 3: ['i', 'int64', 'repeated'], 4: ['f', 'float', 'repeated'], 5: ['b', 'bool', 'repeated'],
    6: ['type', 'int32', 'repeated'], 7: ['shape', 'Shape', 'repeated'], 8: ['tensor', 'Tensor', 'repeated'],
    9: ['func', 'FunctionName', 'repeated'],
  },
  FunctionName: { 1: ['name', 'string'], 2: ['attr', 'AttrEntry', 'map'] },
  Shape: { 2: ['dim', 'Dimension', 'repeated'], 3: ['unknownRank', 'bool'] },
  Dimension: { 1: ['size', 'int64'], 2: ['name', 'string'] },
  Tensor: {
    1: ['dtype', 'int32'], 2: ['tensorShape', 'Shape'], 4: ['tensorContent', 'bytes'], 5: ['floatVal', 'float', 'repeated'],
    6: ['doubleVal', 'double', 'repeated'], 7: ['intVal', 'int32', 'repeated'], 8: ['stringVal', 'bytes', 'repeated'],
    9: ['scomplexVal', 'float', 'repeated'], 10: ['int64Val', 'int64', 'repeated'], 11: ['boolVal', 'bool', 'repeated'],
    12: ['dcomplexVal', 'double', 'repeated'], 13: ['halfVal', 'int32', 'repeated'], 16: ['uint32Val', 'uint32', 'repeated'],
    17: ['uint64Val', 'uint64', 'repeated'], 18: ['float8Val', 'bytes'],
  },
  FunctionLibrary: { 1: ['function', 'Function', 'repeated'] },
  Function: {
    1: ['signature', 'Signature'], 3: ['nodeDef', 'Node', 'repeated'], 4: ['ret', 'TextEntry', 'map'], 5: ['attr', 'AttrEntry', 'map'],
  },
  Signature: {
    1: ['name', 'string'], 2: ['inputArg', 'Argument', 'repeated'], 3: ['outputArg', 'Argument', 'repeated'],
  },
  Argument: {
    1: ['name', 'string'], 3: ['type', 'int32'], 4: ['typeAttr', 'string'], 5: ['numberAttr', 'string'], 6: ['typeListAttr', 'string'],
  },
  TextEntry: { 1: ['key', 'string'], 2: ['value', 'string'] },

  SavedModel: { 1: ['savedModelSchemaVersion', 'int64'], 2: ['metaGraphs', 'MetaGraph', 'repeated'] },
  MetaGraph: {
    1: ['metaInfoDef', 'MetaInfo'], 2: ['graphDef', 'Graph'], 3: ['saverDef', 'Saver'],
    5: ['signatureDef', 'SignatureEntry', 'map'],
  },
  MetaInfo: { 4: ['tags', 'string', 'repeated'], 5: ['tensorflowVersion', 'string'] },
  Saver: { 1: ['filenameTensorName', 'string'], 3: ['restoreOpName', 'string'] },
  SignatureEntry: { 1: ['key', 'string'], 2: ['value', 'SignatureDef'] },
  SignatureDef: {
    1: ['inputs', 'TensorEntry', 'map'], 2: ['outputs', 'TensorEntry', 'map'], 3: ['methodName', 'string'],
  },
  TensorEntry: { 1: ['key', 'string'], 2: ['value', 'TensorInfo'] },
  TensorInfo: { 1: ['name', 'string'], 2: ['dtype', 'int32'], 3: ['tensorShape', 'Shape'] },

  BundleHeader: { 1: ['numShards', 'int32'], 2: ['endianness', 'int32'] },
  BundleEntry: {
    1: ['dtype', 'int32'], 2: ['shape', 'Shape'], 3: ['shardId', 'int32'], 4: ['offset', 'int64'], 5: ['size', 'int64'],
    7: ['slices', 'Slice', 'repeated'],
  },
  Slice: { 1: ['extent', 'Extent', 'repeated'] },
  Extent: { 1: ['start', 'int64'], 2: ['length', 'int64'] },
  ObjectGraph: { 1: ['nodes', 'TrackedObject', 'repeated'] },
  TrackedObject: { 2: ['attributes', 'SavedTensor', 'repeated'] },
  SavedTensor: { 1: ['name', 'string'], 2: ['fullName', 'string'], 3: ['checkpointKey', 'string'] },
};

/** By the codes of DataType: the name in text, and the dtype here; those without one hold no elements that are read. */
const dataTypes = /** @type {const} */ ({
  1: ['DT_FLOAT', 'f32'], 2: ['DT_DOUBLE', 'f64'], 3: ['DT_INT32', 'i32'], 4: ['DT_UINT8', 'u8'], 5: ['DT_INT16', 'i16'],
  6: ['DT_INT8', 'i8'], 7: ['DT_STRING', 'string'], 8: ['DT_COMPLEX64', 'c64'], 9: ['DT_INT64', 'i64'], 10: ['DT_BOOL', 'bool'],
  11: ['DT_QINT8', 'i8'], 12: ['DT_QUINT8', 'u8'], 13: ['DT_QINT32', 'i32'], 14: ['DT_BFLOAT16', 'bf16'], 15: ['DT_QINT16', 'i16'],
  16: ['DT_QUINT16', 'u16'], 17: ['DT_UINT16', 'u16'], 18: ['DT_COMPLEX128', 'c128'], 19: ['DT_HALF', 'f16'],
  20: ['DT_RESOURCE', 'resource'], 21: ['DT_VARIANT', 'variant'], 22: ['DT_UINT32', 'u32'], 23: ['DT_UINT64', 'u64'],
  24: ['DT_FLOAT8_E5M2', 'f8e5m2'], 25: ['DT_FLOAT8_E4M3FN', 'f8e4m3fn'], 29: ['DT_INT4', 'i4'], 30: ['DT_UINT4', 'u4'],
});

/** References to variables have the code of their elements and this. */
const REFERENCE = 100;

/** @type {Readonly<Record<number, string>>} */
const elementTypes = Object.fromEntries(
  Object.entries(dataTypes).flatMap(([code, [, dtype]]) => [[code, dtype], [Number(code) + REFERENCE, dtype]]),
);

/** Codes by name, for text and JSON. @type {Readonly<Record<string, number>>} */
const enumCodes = Object.fromEntries(
  Object.entries(dataTypes).flatMap(([code, [name]]) => [[name, Number(code)], [`${name}_REF`, Number(code) + REFERENCE]]),
);

module.exports = { elementTypes, enumCodes, schema };
