/**
 * Element types that files store and nothing computes with: floats of eight and four bits, integers of 4 and 2 bits.
 *
 * Their elements are codes, one in each element of an array of a type that graphs have. `decode` and `encode` are graph
 * operations between codes and numbers.
 */
'use strict';

/** @typedef {import('../../tensor/dtypes.js').DType} DType */

/** The dtype of the codes. @type {Readonly<Record<string, DType>>} */
const carriers = Object.freeze({
  f8e4m3fn: 'u8', f8e4m3fnuz: 'u8', f8e5m2: 'u8', f8e5m2fnuz: 'u8', f8e8m0fnu: 'u8', f4e2m1fn: 'u8',
  i4: 'i8', u4: 'u8', i2: 'i8', u2: 'u8',
});

/** @type {(type: string) => DType | undefined} undefined for what is no storage type */
const carrierOf = (type) => (Object.hasOwn(carriers, type) ? carriers[type] : undefined);

/** Bits of a code where files pack several into a byte, the lowest first. @type {Readonly<Record<string, number>>} */
const packedBits = Object.freeze({ i4: 4, u4: 4, f4e2m1fn: 4, i2: 2, u2: 2 });

/**
 * Codes, one in each element, of the bytes that files have.
 *
 * @param {Uint8Array} bytes
 * @param {string} type
 * @param {number} count
 * @returns {Uint8Array | Int8Array}
 */
function unpackCodes(bytes, type, count) {
  const bits = packedBits[type] ?? 8;
  if (bits === 8) return bytes.slice(0, count);
  const codes = carriers[type] === 'i8' ? new Int8Array(count) : new Uint8Array(count);
  const perByte = 8 / bits;
  for (let i = 0; i < count; i++) {
    const code = (bytes[Math.floor(i / perByte)] >> (bits * (i % perByte))) & (2 ** bits - 1);
    codes[i] = carriers[type] === 'i8' ? (code << (32 - bits)) >> (32 - bits) : code;
  }
  return codes;
}

module.exports = { carrierOf, packedBits, unpackCodes };
