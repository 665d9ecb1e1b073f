// Elements of storage types as numbers and back: every code, floats against the nearest code, and what ONNX says of special values.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { tensor } = require('graphjit');
const { elementTypes } = require('../../lib/models/onnx/schema.js');
const { packedBits } = require('../../lib/models/shared/storage-types.js');
const { operands, resultsOf } = require('../support/onnx-node.js');

/** Codes of element types in files. */
const typeCodes = Object.fromEntries(Object.entries(elementTypes).map(([code, name]) => [name, Number(code)]));

/** @type {(x: any, attributes: Record<string, any>) => any[]} */
function cast(x, attributes) {
  const [run, reference] = resultsOf({ op: 'Cast', attributes, inputs: { x }, opsets: { '': 24 } });
  const list = run.y.toArray();
  assert.deepEqual(list, reference.y.toArray());
  return list;
}

/** Numbers as codes of a type, and codes of an initializer as numbers. */
const encode = (/** @type {any} */ x, /** @type {string} */ type, options = {}) => cast(x, { to: typeCodes[type], ...options });
const decode = (/** @type {string} */ type, /** @type {number[]} */ codes, /** @type {string} */ dtype = 'f32') => {
  const bits = packedBits[type] ?? 8;
  const raw = new Uint8Array(Math.ceil((codes.length * bits) / 8));
  codes.forEach((code, i) => (raw[Math.floor((i * bits) / 8)] |= code << ((i * bits) % 8)));
  const inputs = { x: { type: typeCodes[type], dims: [codes.length], raw } };
  const [run, reference] = resultsOf({ op: 'Cast', attributes: { to: typeCodes[dtype] }, inputs, opsets: { '': 24 } });
  assert.deepEqual(run.y.toArray(), reference.y.toArray());
  return run.y.toArray();
};

/** Written out from the tables of the formats: exponent and mantissa of each code. @type {(code: number, exponents: number, mantissas: number, bias: number) => number} */
function small(code, exponents, mantissas, bias) {
  const sign = code >> (exponents + mantissas) ? -1 : 1;
  const exponent = (code >> mantissas) & (2 ** exponents - 1);
  const mantissa = code & (2 ** mantissas - 1);
  return sign * (exponent === 0 ? mantissa * 2 ** (1 - bias - mantissas) : (2 ** mantissas + mantissa) * 2 ** (exponent - bias - mantissas));
}

/** @type {Record<string, { all: number, number: (code: number) => number }>} */
const floats = {
  f8e4m3fn: { all: 256, number: (code) => ((code & 127) === 127 ? NaN : small(code, 4, 3, 7)) },
  f8e4m3fnuz: { all: 256, number: (code) => (code === 128 ? NaN : small(code, 4, 3, 8)) },
  f8e5m2: { all: 256, number: (code) => ((code & 127) < 124 ? small(code, 5, 2, 15) : (code & 127) > 124 ? NaN : code < 128 ? Infinity : -Infinity) },
  f8e5m2fnuz: { all: 256, number: (code) => (code === 128 ? NaN : small(code, 5, 2, 16)) },
  f8e8m0fnu: { all: 256, number: (code) => (code === 255 ? NaN : 2 ** (code - 127)) },
  f4e2m1fn: { all: 16, number: (code) => small(code, 2, 1, 1) },
};

for (const [type, { all, number }] of Object.entries(floats)) {
  test(`every code of ${type} is its number, and that number is the code`, () => {
    const codes = Array.from({ length: all }, (_, code) => code);
    const numbers = decode(type, codes);
    assert.deepEqual(numbers, codes.map(number));
    const finite = codes.filter((code) => Number.isFinite(number(code)));
    for (const dtype of /** @type {const} */ (['f32', 'f64', ...(type === 'f8e8m0fnu' ? [] : ['f16', 'bf16'])]))
      assert.deepEqual(encode(tensor(finite.map(number), { dtype: /** @type {any} */ (dtype) }), type), finite, dtype);
    assert.deepEqual(decode(type, finite, 'f64'), finite.map(number));
  });

  if (type === 'f8e8m0fnu') continue;
  test(`floats become the nearest code of ${type}`, () => {
    const finite = Array.from({ length: all / 2 }, (_, code) => code).filter((code) => Number.isFinite(number(code)));
    const most = number(/** @type {number} */ (finite.at(-1)));
    const nearest = (/** @type {number} */ x) =>
      finite.reduce((best, code) => {
        const [old, now] = [Math.abs(number(best) - x), Math.abs(number(code) - x)];
        return now < old || (now === old && code % 2 === 0) ? code : best;
      });
    const { ints } = operands(7);
    const spread = ints([500], 'i32', -(2 ** 20), 2 ** 20).toArray().map((/** @type {number} */ each, /** @type {number} */ i) => each * 2 ** ((i % 30) - 32));
    // What lies in the middle of two codes, and as near to it as floats go.
    const middles = finite.slice(1).flatMap((code) => {
      const middle = (number(code) + number(code - 1)) / 2;
      return [middle, middle * (1 + 2 ** -50), middle * (1 - 2 ** -50)];
    });
    const x = [...spread, ...middles].filter((each) => Math.abs(each) <= most);
    const sign = all / 2;
    const expected = x.map((each) => {
      const code = nearest(Math.abs(each));
      return each < 0 && (code !== 0 || !type.endsWith('uz')) ? code + sign : code;
    });
    assert.deepEqual(encode(tensor(x, { dtype: 'f64' }), type), expected);
  });
}

test('floats of 8 bits: out of range, infinite, NaN, zero, as the tables of Cast say', () => {
  const x = tensor([0, -0, NaN, Infinity, -Infinity, 1e6, -1e6], { dtype: 'f32' });
  /** @type {Record<string, [number[], number[]]>} */
  const expected = {
    f8e4m3fn: [[0, 0x80, 0x7f, 0x7e, 0xfe, 0x7e, 0xfe], [0, 0x80, 0x7f, 0x7f, 0xff, 0x7f, 0xff]],
    f8e4m3fnuz: [[0, 0, 0x80, 0x7f, 0xff, 0x7f, 0xff], [0, 0, 0x80, 0x80, 0x80, 0x80, 0x80]],
    f8e5m2: [[0, 0x80, 0x7f, 0x7b, 0xfb, 0x7b, 0xfb], [0, 0x80, 0x7f, 0x7c, 0xfc, 0x7c, 0xfc]],
    f8e5m2fnuz: [[0, 0, 0x80, 0x7f, 0xff, 0x7f, 0xff], [0, 0, 0x80, 0x80, 0x80, 0x80, 0x80]],
  };
  for (const [type, [saturated, open]] of Object.entries(expected)) {
    assert.deepEqual(encode(x, type), saturated, type);
    assert.deepEqual(encode(x, type, { saturate: 0 }), open, type);
  }
});

test('powers of two are rounded by mode', () => {
  const x = tensor([0.124, 0.25, 1.1, 1.5, 1.75, 2], { dtype: 'f32' });
  const expected = { up: [124, 125, 128, 128, 128, 128], down: [123, 125, 127, 127, 127, 128], nearest: [124, 125, 127, 128, 128, 128] };
  for (const [mode, codes] of Object.entries(expected)) assert.deepEqual(encode(x, 'f8e8m0fnu', { round_mode: mode }), codes, mode);
  const special = tensor([0, NaN, Infinity, 1e300, 1e-300], { dtype: 'f64' });
  assert.deepEqual(encode(special, 'f8e8m0fnu'), [0, 255, 254, 254, 0]);
  assert.deepEqual(encode(special, 'f8e8m0fnu', { saturate: 0, round_mode: 'nearest' }), [255, 255, 255, 255, 255]);
});

test('integers of 4 and 2 bits: all codes, also packed; others drop higher bits', () => {
  const ranges = { u4: [0, 15], i4: [-8, 7], u2: [0, 3], i2: [-2, 1] };
  for (const [type, [least, most]] of Object.entries(ranges)) {
    const numbers = Array.from({ length: most - least + 1 }, (_, i) => least + i);
    const mask = most - least;
    assert.deepEqual(decode(type, numbers.map((each) => each & mask), 'i32'), numbers, type);
    // A row that ends within a byte.
    assert.deepEqual(decode(type, numbers.slice(1).map((each) => each & mask), 'f32'), numbers.slice(1), type);
    const wrapped = (/** @type {number} */ each) => ((((each - least) % (mask + 1)) + mask + 1) % (mask + 1)) + least;
    const x = [-9, -8, -3, -1, 0, 1, 2, 7, 8, 15, 16, 200];
    for (const dtype of /** @type {const} */ (['i16', 'i32', 'f32']))
      assert.deepEqual(encode(tensor(x, { dtype }), type), x.map(wrapped), `${type} of ${dtype}`);
  }
});

test('a code becomes one of another type by its number', () => {
  const inputs = { x: { type: typeCodes.f8e4m3fn, dims: [3], raw: Uint8Array.of(0x38, 0x7e, 0xc0) } };
  const [{ y }] = resultsOf({ op: 'Cast', attributes: { to: typeCodes.f8e5m2 }, inputs, opsets: { '': 24 } });
  assert.deepEqual(y.toArray(), [0x3c, 0x5f, 0xc0]);
});

test('an unknown round mode is refused', () => {
  assert.throws(() => encode(tensor([1], { dtype: 'f32' }), 'f8e8m0fnu', { round_mode: 'odd' }), { code: 'ERR_UNSUPPORTED' });
});

test('what moves elements moves codes', () => {
  // 1 2 3 4 / 5 6 7 -8
  const x = { type: typeCodes.i4, dims: [2, 4], raw: Uint8Array.of(0x21, 0x43, 0x65, 0x87) };
  const after = [['Cast', ['y'], ['f'], { to: typeCodes.f32 }]];
  const moved = (/** @type {string} */ op, /** @type {Record<string, any>} */ inputs, attributes = {}) => {
    const [run] = resultsOf({ op, inputs, attributes, after: /** @type {any} */ (after), results: ['f'], opsets: { '': 24 } });
    return run.f.toArray();
  };
  assert.deepEqual(moved('Transpose', { x }), [[1, 5], [2, 6], [3, 7], [4, -8]]);
  assert.deepEqual(moved('Dropout', { x }), [[1, 2, 3, 4], [5, 6, 7, -8]]);
  assert.deepEqual(moved('Flatten', { x }, { axis: 0 }), [[1, 2, 3, 4, 5, 6, 7, -8]]);
  assert.deepEqual(moved('Concat', { x, other: x }, { axis: 1 }), [[1, 2, 3, 4, 1, 2, 3, 4], [5, 6, 7, -8, 5, 6, 7, -8]]);
  const p = tensor([[true], [false]], { dtype: 'bool' });
  const other = { ...x, raw: Uint8Array.of(0, 0, 0, 0) };
  assert.deepEqual(moved('Where', { p, x, other }), [[1, 2, 3, 4], [0, 0, 0, 0]]);
});

test('codes are asked whether they are numbers', () => {
  // 1, infinity, NaN, -infinity
  const x = { type: typeCodes.f8e5m2, dims: [4], raw: Uint8Array.of(0x3c, 0x7c, 0x7e, 0xfc) };
  const asked = (/** @type {string} */ op, attributes = {}) => resultsOf({ op, attributes, inputs: { x }, opsets: { '': 24 } })[0].y.toArray();
  assert.deepEqual(asked('IsNaN'), [false, false, true, false]);
  assert.deepEqual(asked('IsInf'), [false, true, false, true]);
  assert.deepEqual(asked('IsInf', { detect_negative: 0 }), [false, true, false, false]);
});

test('numbers as strings have as many digits as their type', () => {
  const written = (/** @type {any} */ x) => {
    const [run] = resultsOf({ op: 'Cast', attributes: { to: typeCodes.string }, inputs: { x }, opsets: { '': 24 } });
    return run.y.data;
  };
  assert.deepEqual(written(tensor([0.1, -2, 1e20, 2e-5, NaN, Infinity], { dtype: 'f32' })), ['0.1', '-2.0', '1e+20', '2e-05', 'nan', 'inf']);
  assert.deepEqual(written(tensor([0.1], { dtype: 'f64' })), ['0.1']);
  assert.deepEqual(written(tensor([7, -3], { dtype: 'i32' })), ['7', '-3']);
});
