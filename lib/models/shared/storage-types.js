/**
 * Element types that files store and nothing computes with: floats of eight and four bits, integers of 4 and 2 bits.
 *
 * Their elements are codes, one in each element of an array of a type that graphs have. `decode` and `encode` are graph
 * operations between codes and numbers. A code of a float has at most 8 bits, so a table says what it stands for; the
 * way
 * back is arithmetic on the bits of f64, which holds every number that is converted, so that each is rounded once.
 *
 * Several codes of 4 or 2 bits share a byte in a file. They stay so in memory where nobody moves them: a graph unpacks
 * them where they are read.
 */
'use strict';

const { append, isValue, stateOf } = require('../../graph/value.js');
const { Encoded } = require('./operands.js');

/** @typedef {import('../../tensor/dtypes.js').DType} DType */
/** @typedef {import('./builder.js').Builder} Builder */

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

/**
 * The same in a graph: bytes whose codes lie side by side on the last axis.
 *
 * @type {(bytes: any, bits: number) => any}
 */
function unpackBytes(bytes, bits) {
  const count = 8 / bits;
  if (count === 1) return bytes;
  const state = stateOf(bytes);
  const shifts = append(state, 'iota', [], { dtype: 'u8', shape: [count], axis: 0 });
  const codes = bytes.expandDims(-1).shr(/** @type {any} */ (shifts).mul(bits)).and(2 ** bits - 1);
  const dims = state.dims([...bytes.shape], 'load');
  return codes.reshape([...bytes.shape.slice(0, -1), state.text(state.mul(dims[dims.length - 1], count))]);
}

/** Codes of 4 or 2 bits with their sign, if they have one. @type {(codes: any, type: string) => any} */
function signed(codes, type) {
  if (!type.startsWith('i')) return codes.astype(carriers[type]);
  const shift = 8 - packedBits[type];
  return codes.astype('i8').shl(shift).shr(shift);
}

/**
 * The codes as a value of the graph, unpacked in it where the file has them packed.
 *
 * @param {Encoded} x
 * @param {Builder} cx
 * @returns {any}
 */
function codesOf(x, cx) {
  if (x.packed === undefined) return cx.value(x.codes);
  return signed(unpackBytes(cx.value(x.packed), packedBits[x.type]), x.type);
}

/**
 * A float of few bits. Codes up to `top` are finite; `infinity`, where there is one, comes behind, and `nan` is the
 * code
 * of NaN. Where that is the one of -0, there is no -0.
 *
 * @typedef {{ mantissa: number, bias: number, sign: number, top: number, infinity?: number, nan: number }} Layout
 */

/** @type {Readonly<Record<string, Layout>>} */
const layouts = Object.freeze({
  f8e4m3fn: { mantissa: 3, bias: 7, sign: 0x80, top: 0x7e, nan: 0x7f },
  f8e4m3fnuz: { mantissa: 3, bias: 8, sign: 0x80, top: 0x7f, nan: 0x80 },
  f8e5m2: { mantissa: 2, bias: 15, sign: 0x80, top: 0x7b, infinity: 0x7c, nan: 0x7f },
  f8e5m2fnuz: { mantissa: 2, bias: 16, sign: 0x80, top: 0x7f, nan: 0x80 },
  // It has no NaN, which becomes 0.
  f4e2m1fn: { mantissa: 1, bias: 1, sign: 8, top: 7, nan: 0 },
});

/** Powers of two, which have neither sign nor mantissa. */
const SCALE = { type: 'f8e8m0fnu', bias: 127, top: 254, nan: 255 };

/** @type {(code: number, layout: Layout) => number} */
function numberOf(code, { mantissa, bias, sign, top, infinity, nan }) {
  const magnitude = code & (sign - 1);
  const [unit, exponent] = [code < sign ? 1 : -1, magnitude >> mantissa];
  if (magnitude === infinity) return unit * Infinity;
  if (magnitude > top || (code === nan && nan === sign)) return NaN;
  const fraction = (magnitude & (2 ** mantissa - 1)) / 2 ** mantissa;
  return unit * (exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias));
}

/** @type {(type: string) => boolean} whether codes are the integers that they stand for */
const isInteger = (type) => !Object.hasOwn(layouts, type) && type !== SCALE.type;

/** What each code stands for, undefined where elements are numbers. @type {(type: string) => Float32Array | undefined} */
function tableOf(type) {
  if (isInteger(type)) return undefined;
  const layout = layouts[type];
  if (layout !== undefined) return Float32Array.from({ length: 2 * layout.sign }, (_, code) => numberOf(code, layout));
  return Float32Array.from({ length: 256 }, (_, code) => (code === SCALE.nan ? NaN : 2 ** (code - SCALE.bias)));
}

/**
 * What codes stand for.
 *
 * @param {Encoded} x
 * @param {string} dtype
 * @param {Builder} cx
 * @returns {any}
 */
function decode(x, dtype, cx) {
  const [codes, table] = [codesOf(x, cx), tableOf(x.type)];
  const numbers = table === undefined ? codes : /** @type {any} */ (cx.constant(table)).take(codes);
  return dtype === 'bool' ? numbers.ne(0) : numbers.astype(dtype);
}

/** Bits of the mantissa of f64, and its bias. */
const [FRACTION, BIAS] = [52, 1023];

/** The exponent in the bits of f64. @type {(bits: any) => any} */
const exponentOf = (bits) => bits.shr(FRACTION).and(0x7ff).sub(BIAS);

/** Rounded to nearest, halves to even. @type {(x: any, layout: Layout, isSaturated: boolean) => any} */
function encodeFloat(x, { mantissa, bias, sign, top, infinity, nan }, isSaturated) {
  const bits = x.bitcast('i64');
  const [least, most] = [1 - bias, (top >> mantissa) - bias];
  const magnitude = x.abs().min(2 ** (most + 1));
  const exponent = exponentOf(bits).clip(least, most + 1);
  // Below 2^(mantissa + 1), so that a code is this and as many steps as the exponent is above the least.
  const scale = exponent.neg().add(mantissa + BIAS).shl(FRACTION).bitcast('f64');
  const rounded = magnitude.mul(scale).roundEven().astype('i64');
  const code = exponent.sub(least).shl(mantissa).add(rounded);
  const beyond = isSaturated ? top : (infinity ?? nan);
  const unsigned = x.isNan().select(nan, code.gt(top).select(beyond, code));
  const hasZero = nan !== sign;
  const isNegative = hasZero ? bits.lt(0) : bits.lt(0).and(unsigned.ne(0));
  return isNegative.select(unsigned.or(sign), unsigned);
}

const half = 2n ** BigInt(FRACTION - 1);
/** Whether a fraction goes to the next power of two. @type {Readonly<Record<string, (fraction: any) => any>>} */
const goesUp = Object.freeze({
  up: (fraction) => fraction.gt(0), nearest: (fraction) => fraction.ge(half), down: (fraction) => fraction.lt(0),
});

/** A power of two near |x|. @type {(x: any, isSaturated: boolean, roundMode: string) => any} */
function encodeScale(x, isSaturated, roundMode) {
  const bits = x.bitcast('i64');
  const isAbove = goesUp[roundMode](bits.and(2n * half - 1n));
  const code = exponentOf(bits).add(SCALE.bias).add(isAbove.astype('i64'));
  const beyond = (/** @type {number} */ end) => (isSaturated ? end : SCALE.nan);
  return x.isNan().select(SCALE.nan, code.gt(SCALE.top).select(beyond(SCALE.top), code.lt(0).select(beyond(0), code)));
}

/**
 * How numbers that are out of range are converted, and how numbers become powers of two.
 *
 * @typedef {{ saturate?: boolean, roundMode?: string }} Conversion
 */

/**
 * Numbers as codes. Integers drop their higher bits.
 *
 * @param {any} x
 * @param {string} type
 * @param {Conversion} [conversion]
 * @returns {Encoded}
 */
function encode(x, type, { saturate = true, roundMode = 'up' } = {}) {
  if (isInteger(type)) return new Encoded(type, signed(x.astype('i64').and(2 ** packedBits[type] - 1), type));
  const number = x.astype('f64');
  const code =
    type === SCALE.type
      ? encodeScale(number, saturate, roundMode)
      : encodeFloat(number, layouts[type], saturate || type.startsWith('f4'));
  return new Encoded(type, code.astype('u8'));
}

/**
 * From or to a storage type, or both.
 *
 * @param {any} x
 * @param {string} dtype
 * @param {Builder} cx
 * @param {Conversion} [conversion]
 * @returns {any}
 */
function convertCodes(x, dtype, cx, conversion) {
  if (x instanceof Encoded && x.type === dtype) return x;
  if (conversion?.roundMode !== undefined && !Object.hasOwn(goesUp, conversion.roundMode))
    cx.fail('ERR_UNSUPPORTED', `round mode '${conversion.roundMode}' is unknown`);
  if (carrierOf(dtype) === undefined) return decode(x, dtype, cx);
  return encode(x instanceof Encoded ? decode(x, 'f32', cx) : isValue(x) ? x : cx.value(x), dtype, conversion);
}

module.exports = { carrierOf, codesOf, convertCodes, decode, encode, packedBits, tableOf, unpackBytes, unpackCodes };
