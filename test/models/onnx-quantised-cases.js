// Nodes on quantised numbers, and their operands. What they give is in onnx-quantised.json, by onnxruntime 1.30 (onnx-record.js).
'use strict';

const { tensor } = require('graphjit');
const { operands } = require('../support/onnx-node.js');

const { floats, ints } = operands(11);
const f32 = (/** @type {any} */ list) => tensor(list, { dtype: 'f32' });
const u8 = (/** @type {any} */ list) => tensor(list, { dtype: 'u8' });
const i8 = (/** @type {any} */ list) => tensor(list, { dtype: 'i8' });
/** An initializer of a type that graphs do not have. @type {(type: number, dims: number[], raw: number[]) => any} */
const message = (type, dims, raw) => ({ type, dims, raw: Uint8Array.from(raw) });
/** Codes come out as floats. @type {readonly any[]} */
const asFloats = [['Cast', ['y'], ['f'], { to: 1 }]];
const newest = { '': 23 };
const halves = [-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 1000, -1000];

/** @type {Record<string, import('../support/onnx-node.js').OneNode>} */
const cases = {
  'quantise, halves to even': { op: 'QuantizeLinear', inputs: { x: f32(halves), s: f32(1), z: u8(3) } },
  'quantise, one scale in a vector': { op: 'QuantizeLinear', inputs: { x: floats([2, 3]), s: f32(0.03), z: i8(-7) }, opsets: { '': 10 } },
  'quantise along an axis': { op: 'QuantizeLinear', inputs: { x: floats([2, 3, 4]), s: f32([0.1, 0.02, 0.5]), z: u8([1, 128, 0]) } },
  'quantise along the last axis': { op: 'QuantizeLinear', attributes: { axis: -1 }, inputs: { x: floats([2, 3]), s: f32([0.1, 0.02, 0.5]), z: i8([1, 28, 0]) } },
  'quantise blocks': { op: 'QuantizeLinear', attributes: { axis: 1, block_size: 2 }, inputs: { x: floats([2, 4]), s: f32([[0.1, 0.02], [0.03, 0.5]]), z: u8([[1, 128], [3, 0]]) } },
  'quantise blocks, the last of which is short': { op: 'QuantizeLinear', attributes: { axis: 0, block_size: 2 }, inputs: { x: floats([3, 2]), s: f32([[0.1, 0.02], [0.03, 0.5]]), z: i8([[1, 18], [3, 0]]) } },
  'quantise without a zero point': { op: 'QuantizeLinear', attributes: { output_dtype: 5 }, inputs: { x: f32([1, -2.5, 3e5]), s: f32(0.5) } },
  'quantise to u16': { op: 'QuantizeLinear', inputs: { x: floats([5]), s: f32(0.001), z: tensor([32767], { dtype: 'u16' }).reshape([]) } },
  'quantise to i4': { op: 'QuantizeLinear', attributes: { output_dtype: 22 }, inputs: { x: floats([3, 5]), s: f32(0.1) }, after: asFloats, results: ['f'] },
  'quantise to u4': { op: 'QuantizeLinear', inputs: { x: floats([3, 5]), s: f32([0.1, 0.2, 0.3]), z: message(21, [3], [0x51, 0x07]) }, attributes: { axis: 0 }, after: asFloats, results: ['f'] },
  'quantise to f8e4m3fn': { op: 'QuantizeLinear', attributes: { output_dtype: 17 }, inputs: { x: floats([3, 5]), s: f32(0.001) }, after: asFloats, results: ['f'] },
  'quantise to f8e5m2, not saturated': { op: 'QuantizeLinear', attributes: { output_dtype: 19, saturate: 0 }, inputs: { x: floats([3, 5]), s: f32(0.00003) }, after: asFloats, results: ['f'] },
  'dequantise': { op: 'DequantizeLinear', inputs: { x: u8([0, 3, 128, 255]), s: f32(2), z: u8(128) } },
  'dequantise i32': { op: 'DequantizeLinear', inputs: { x: tensor([0, -3, 1 << 20], { dtype: 'i32' }), s: f32(0.5) } },
  'dequantise along an axis': { op: 'DequantizeLinear', inputs: { x: ints([2, 3, 2], 'i8', -128, 127), s: f32([0.1, 2, 0.5]), z: i8([1, -128, 0]) } },
  'dequantise blocks': { op: 'DequantizeLinear', attributes: { axis: 1, block_size: 3 }, inputs: { x: ints([2, 5], 'u8', 0, 255), s: f32([[0.1, 2], [0.5, 1]]), z: u8([[1, 128], [0, 5]]) } },
  'dequantise packed i4': { op: 'DequantizeLinear', attributes: { axis: 0 }, inputs: { x: message(22, [2, 4], [0x21, 0xf3, 0x87, 0x9a]), s: f32([0.5, 2]) } },
  'dequantise packed u4 whose rows share bytes': { op: 'DequantizeLinear', attributes: { axis: 0, block_size: 2 }, inputs: { x: message(21, [3, 3], [0x21, 0xf3, 0x87, 0x9a, 0x04]), s: f32([[0.5, 2, 1], [1, 3, 4]]), z: message(21, [2, 3], [0x37, 0x11, 0x8f]) } },
  'dequantise f8e4m3fnuz': { op: 'DequantizeLinear', inputs: { x: message(18, [4], [0x01, 0x7f, 0x80, 0xc3]), s: f32(0.5) } },
  'quantise dynamically': { op: 'DynamicQuantizeLinear', inputs: { x: floats([3, 4]) }, outputs: ['y', 's', 'z'] },
  'quantise dynamically what is all above 0': { op: 'DynamicQuantizeLinear', inputs: { x: f32([1, 2, 3.7]) }, outputs: ['y', 's', 'z'] },
  'quantise zeros dynamically': { op: 'DynamicQuantizeLinear', inputs: { x: f32([0, 0]) }, outputs: ['y', 's', 'z'] },
  'multiply matrices of integers': { op: 'MatMulInteger', inputs: { a: ints([2, 3, 4], 'u8', 0, 255), b: ints([4, 5], 'i8', -128, 127), az: u8(7), bz: i8(-3) } },
  'multiply matrices of integers, zero points of columns': { op: 'MatMulInteger', inputs: { a: ints([3, 4], 'u8', 0, 255), b: ints([4, 2], 'u8', 0, 255), az: null, bz: u8([3, 200]) } },
  'multiply quantised matrices': { op: 'QLinearMatMul', inputs: { a: ints([2, 3, 8], 'u8', 0, 255), as: f32(0.02), az: u8(100), b: ints([8, 4], 'u8', 0, 255), bs: f32(0.01), bz: u8(114), ys: f32(0.05), yz: u8(118) } },
  'multiply quantised matrices, scales of columns': { op: 'QLinearMatMul', inputs: { a: ints([3, 8], 'i8', -128, 127), as: f32(0.02), az: i8(10), b: ints([8, 4], 'i8', -128, 127), bs: f32([0.01, 0.02, 0.001, 0.03]), bz: i8([1, 2, 3, -4]), ys: f32(0.05), yz: i8(-8) } },
  'multiply matrices of integers, many rows of them': { op: 'MatMulInteger', inputs: { a: ints([2, 3, 600], 'u8', 0, 255), b: ints([600, 5], 'u8', 0, 255), az: u8(0), bz: u8([0, 255, 0, 1, 2]) } },
  'multiply matrices of integers, as great as they can be': { op: 'MatMulInteger', inputs: { a: tensor(new Uint8Array(514).fill(255), { shape: [1, 514] }), b: tensor(new Uint8Array(514).fill(255), { shape: [514, 1] }) } },
  'convolve integers deeply': { op: 'ConvInteger', inputs: { x: ints([1, 40, 4, 4], 'u8', 0, 255), w: ints([3, 40, 3, 3], 'u8', 0, 255), xz: u8(255), wz: u8(0) } },
  'convolve integers': { op: 'ConvInteger', attributes: { pads: [1, 1, 1, 1] }, inputs: { x: ints([1, 2, 4, 4], 'u8', 0, 255), w: ints([3, 2, 3, 3], 'u8', 0, 255), xz: u8(120), wz: u8(99) } },
  'convolve integers in groups': { op: 'ConvInteger', attributes: { strides: [2], group: 2 }, inputs: { x: ints([2, 4, 7], 'u8', 0, 255), w: ints([4, 2, 3], 'u8', 0, 255) } },
  'convolve quantised': { op: 'QLinearConv', attributes: { auto_pad: 'SAME_UPPER' }, inputs: { x: ints([1, 3, 5, 5], 'u8', 0, 255), xs: f32(0.02), xz: u8(131), w: ints([4, 3, 3, 3], 'i8', -128, 127), ws: f32([0.01, 0.02, 0.03, 0.001]), wz: i8([0, 0, 0, 0]), ys: f32(0.1), yz: u8(120), b: ints([4], 'i32', -1000, 1000) } },
  'convolve quantised in one dimension': { op: 'QLinearConv', attributes: { dilations: [2], strides: [2] }, inputs: { x: ints([2, 2, 9], 'u8', 0, 255), xs: f32(0.02), xz: u8(131), w: ints([2, 2, 2], 'u8', 0, 255), ws: f32(0.01), wz: u8(128), ys: f32(0.03), yz: u8(7) } },
};

/** Of opsets whose newest version is meant. */
for (const each of Object.values(cases)) each.opsets ??= newest;

module.exports = cases;
