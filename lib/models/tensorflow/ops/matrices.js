/**
 * Products of matrices, and parts of matrices.
 */
'use strict';

const { Complex } = require('../operands.js');
const { fused } = require('./windows.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {(a: any, b: any, options: [boolean, boolean]) => any} */
function product(a, b, [left, right]) {
  return (left ? a.matrixTranspose() : a).matmul(right ? b.matrixTranspose() : b);
}

/** @type {(names: [string, string]) => Translation['translate']} */
const matmul = (names) => (node, [a, b, ...args], cx) => {
  if (a instanceof Complex || b instanceof Complex) return cx.fail('ERR_UNSUPPORTED', 'products of complex matrices');
  const turned = /** @type {[boolean, boolean]} */ (names.map((name) => node.attr(name, false)));
  const result = product(cx.value(a), cx.value(b), turned);
  return fused(result, node, args, cx, 'NHWC');
};

/** @type {Translation['translate']} */
function band(_, [x, lower, upper], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const [below, above] = [cx.int(lower, 'the lower band'), cx.int(upper, 'the upper band')];
  const upperPart = below < 0 ? value : value.triu({ k: -below });
  return above < 0 ? upperPart : upperPart.tril({ k: above });
}

/** A matrix for each vector, on its diagonal. @type {Translation['translate']} */
function matrixDiag(_, [x], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const size = value.shape[value.rank - 1];
  const isOn = /** @type {any} */ (cx.iota([size, 1], 'i64')).eq(cx.iota([1, size], 'i64', 1));
  return isOn.select(value.expandDims(-1), 0);
}

/** @type {import('./index.js').Table} */
const ops = {
  MatMul: matmul(['transpose_a', 'transpose_b']), _FusedMatMul: matmul(['transpose_a', 'transpose_b']),
  BatchMatMul: matmul(['adj_x', 'adj_y']), BatchMatMulV2: matmul(['adj_x', 'adj_y']), BatchMatMulV3: matmul(['adj_x', 'adj_y']),
  Einsum: (node, inputs, cx) => {
    const others = inputs.slice(1).map((each) => cx.value(each));
    return /** @type {any} */ (cx.value(inputs[0])).einsum(node.attr('equation', ''), ...others);
  },
  MatrixBandPart: band, MatrixDiag: matrixDiag, MatrixDiagPart: (_, [x], cx) => /** @type {any} */ (cx.value(x)).diagonal(),
};

module.exports = { ops };
