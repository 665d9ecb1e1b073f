/**
 * Convolutions, dropout, attention: what layers of networks are made of. Pools, normalisations and recurrent layers have
 * files of their own.
 */
'use strict';

const { convolve, convolveTransposed } = require('../../shared/convolution.js');
const { listOf, slidesOf } = require('./windows.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {(operand: any, cx: Builder) => any} an input that may be left out */
const optional = (operand, cx) => (operand === undefined || operand === null ? undefined : cx.value(operand));

/** @type {Translation['translate']} */
function conv(node, [operand, weight, bias], cx) {
  const [x, kernel] = [/** @type {any} */ (cx.value(operand)), /** @type {any} */ (cx.value(weight))];
  const slides = slidesOf(node, x.rank - 2, cx);
  return convolve(cx, x, kernel, { ...slides, groups: node.attr('group', 1), bias: optional(bias, cx) });
}

/** @type {Translation['translate']} */
function convTranspose(node, [operand, weight, bias], cx) {
  const [x, kernel] = [/** @type {any} */ (cx.value(operand)), /** @type {any} */ (cx.value(weight))];
  const count = x.rank - 2;
  const shape = node.attr('output_shape');
  return convolveTransposed(cx, x, kernel, {
    ...slidesOf(node, count, cx),
    groups: node.attr('group', 1),
    bias: optional(bias, cx),
    outputPadding: listOf(node, 'output_padding', count, 0, cx),
    size: shape?.slice(-count), // the first version also named batch and channels
  });
}

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    Conv: conv, ConvTranspose: convTranspose,
  },
};

module.exports = { ops, optional };
