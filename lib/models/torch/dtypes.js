/**
 * Dtypes by the names and numbers that PyTorch has for them.
 */
'use strict';

const { fail } = require('../../base/errors.js');

/** @typedef {import('../../tensor/dtypes.js').DType} DType */

/** By the number of c10::ScalarType, as code of scripts has it; undefined where graphs have none. @type {readonly (DType | undefined)[]} */
const byNumber = [
  'u8', 'i8', 'i16', 'i32', 'i64', 'f16', 'f32', 'f64', undefined, undefined, undefined, 'bool', undefined, undefined,
  undefined, 'bf16',
];

/** By the number of the enumeration of exported programs, which counts from 1. @type {Readonly<Record<number, DType>>} */
const byExportNumber = {
  1: 'u8', 2: 'i8', 3: 'i16', 4: 'i32', 5: 'i64', 6: 'f16', 7: 'f32', 8: 'f64', 12: 'bool', 13: 'bf16', 28: 'u16',
};

/** Storages by the start of their names. @type {Readonly<Record<string, DType>>} */
const byStorage = {
  Byte: 'u8', Char: 'i8', Short: 'i16', Int: 'i32', Long: 'i64', Half: 'f16', Float: 'f32', Double: 'f64', Bool: 'bool',
  BFloat16: 'bf16',
};

/** @type {Readonly<Record<string, DType>>} */
const byName = {
  uint8: 'u8', int8: 'i8', int16: 'i16', int32: 'i32', int64: 'i64', float16: 'f16', float32: 'f32', float64: 'f64',
  bool: 'bool', bfloat16: 'bf16', uint16: 'u16', uint32: 'u32', uint64: 'u64', half: 'f16', float: 'f32', double: 'f64', long: 'i64',
  int: 'i32', short: 'i16',
};

/** @type {(number: number) => DType} */
const dtypeOf = (number) => byNumber[number] ?? fail('ERR_UNSUPPORTED', `dtype number ${number} of PyTorch is complex, quantised or unknown`);

/** @type {(number: number) => DType} */
const exportedDtype = (number) => byExportNumber[number] ?? fail('ERR_UNSUPPORTED', `dtype number ${number} of an exported program is complex, quantised or unknown`);

/** @type {(dtype: string) => bigint} */
const numberOf = (dtype) => {
  const number = byNumber.indexOf(/** @type {DType} */ (dtype));
  return number < 0 ? fail('ERR_UNSUPPORTED', `PyTorch's scripts have no dtype ${dtype}`) : BigInt(number);
};

/**
 * @param {string} path such as 'torch.FloatStorage', or of an untyped storage the dtype: 'torch.float32'
 * @param {string} what
 * @returns {DType}
 */
function storageDtype(path, what) {
  const name = path.replace(/^torch\.(storage\.)?/, '');
  const own = /Storage$/.test(name) ? byStorage[name.replace(/Storage$/, '')] : byName[name];
  return own ?? fail('ERR_UNSUPPORTED', `${what} has elements of ${path}, which graphs do not have`);
}

module.exports = { dtypeOf, exportedDtype, numberOf, storageDtype };
