/**
 * Products with weights of few bits, several in a byte.
 *
 * Code i of every byte makes part i of the weights, and every so many-th element of x the part that goes with it: so
 * nothing is interleaved again, and bytes are read in vectors. For few rows, as when text is generated, a product is
 * a sum in one pass over the bytes, scaled once for each block. For more rows, or a number that only a run knows, the
 * weights become floats in memory that the run gives to all such products one after the other. A choice by the run
 * (`cond`) was slower than either.
 */
'use strict';

/** So many rows are worth a pass over the bytes each. */
const FEW = 2;

/**
 * Weights in blocks.
 *
 * @typedef {object} Packed
 * @property {any} bytes u8 [columns, blocks, bytes of a block], the first code in the lowest bits
 * @property {number} bits
 * @property {any} zeros a number, or f32 [columns, blocks, 1]
 * @property {any} factors f32 [columns, blocks, 1]
 */

/** Part i of the codes, less the zero point. @type {(packed: Packed, i: number) => any} */
function partOf({ bytes, bits, zeros }, i) {
  const codes = bits === 8 ? bytes : bytes.shr(bits * i).and(2 ** bits - 1);
  return codes.astype('f32').sub(zeros);
}

/** Parts of the rows. @type {(x: any, packed: Packed) => any[]} [rows, blocks, elements of a part] each */
function partsOf(x, { bytes, bits }) {
  const [, blocks, length] = bytes.shape;
  const all = x.reshape([x.shape[0], blocks, length, 8 / bits]);
  return Array.from({ length: 8 / bits }, (_, i) => all.slice(null, null, null, i));
}

/** @type {(list: readonly any[]) => any} */
const sumOf = (list) => list.reduce((a, b) => a.add(b));

/** @type {(x: any, packed: Packed) => any} */
function onePass(x, packed) {
  const products = partsOf(x, packed).map((part, i) => part.expandDims(1).mul(partOf(packed, i).expandDims(0)));
  return sumOf(products).reduceSum([3]).mul(packed.factors.squeeze([2]).expandDims(0)).reduceSum([2]);
}

/** @type {(x: any, packed: Packed) => any} */
function unpacked(x, packed) {
  const [columns, blocks, length] = packed.bytes.shape;
  const products = partsOf(x, packed).map((part, i) => {
    const weights = partOf(packed, i).mul(packed.factors).reshape([columns, blocks * length]);
    return part.reshape([x.shape[0], blocks * length]).matmul(weights.transpose());
  });
  return sumOf(products);
}

/**
 * x · weightsᵀ
 *
 * @param {any} x f32 [rows, elements of all blocks]
 * @param {Packed} packed
 * @returns {any} f32 [rows, columns]
 */
function packedProduct(x, packed) {
  const [rows] = x.shape;
  return typeof rows === 'number' && rows <= FEW ? onePass(x, packed) : unpacked(x, packed);
}

module.exports = { packedProduct };
