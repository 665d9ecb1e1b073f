/** What texts of code are made of: headers of C and data of Loop IR. */
'use strict';

/** What C calls elements; of halves their bits. @type {Readonly<Record<string, string>>} */
const C_TYPES = Object.freeze({
  f64: 'double', f32: 'float', f16: 'uint16_t', bool: 'bool', u8c: 'uint8_t', i8: 'int8_t', u8: 'uint8_t', i16: 'int16_t',
  u16: 'uint16_t', i32: 'int32_t', u32: 'uint32_t', i64: 'int64_t', u64: 'uint64_t',
});

/** The bytes of an array, as data of a module has them. @type {(array: ArrayBufferView) => string} */
const hexOf = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength).toString('hex');

module.exports = { C_TYPES, hexOf };
