/**
 * Signals: Fourier transforms, windows, and the mel scale.
 */
'use strict';

const { melWeightMatrix, signalWindow } = require('../../../ops/signal-windows.js');
const { isGiven } = require('../../shared/operands.js');
const { elementTypes } = require('../schema.js');
const { optional } = require('./neural.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** Computed in f64, in the type that the node asks for. @type {(node: any, value: any) => any} */
const asAsked = (node, value) => value.astype(elementTypes[node.attr('output_datatype', 1)]);

/** @type {(name: string, options?: object) => Translation['translate']} */
const windowOf = (name, options) => (node, [size], cx) => {
  const [length] = cx.sizes(size, 'the size');
  const how = { periodic: node.attr('periodic', 1) === 1, dtype: 'f64', ...options };
  return asAsked(node, signalWindow(cx.state, name, length, how));
};

/** An input of one size that may be left out. @type {(operand: any, which: string, cx: Builder) => any} */
const sizeOf = (operand, which, cx) =>
  isGiven(operand) ? cx.sizes(operand, which)[0] : undefined;

/** @type {Translation['translate']} */
function dft(node, [operand, length, axis], cx) {
  const given = isGiven(axis) ? cx.int(axis, 'the axis') : -2;
  return /** @type {any} */ (cx.value(operand)).dft({
    axis: node.version < 20 ? node.attr('axis', 1) : given,
    length: sizeOf(length, 'the length', cx),
    inverse: node.attr('inverse', 0) === 1,
    onesided: node.attr('onesided', 0) === 1,
  });
}

/** @type {Translation['translate']} */
function stft(node, [operand, step, weights, length], cx) {
  const x = /** @type {any} */ (cx.value(operand));
  const window = optional(weights, cx);
  const own = window === undefined ? x.shape[1] : window.shape[0];
  return x.stft({
    step: sizeOf(step, 'the step', cx),
    window,
    length: sizeOf(length, 'the length', cx) ?? own,
    onesided: node.attr('onesided', 1) === 1,
  });
}

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    HannWindow: windowOf('hannWindow'),
    HammingWindow: windowOf('hammingWindow', { alpha: 25 / 46 }),
    BlackmanWindow: windowOf('blackmanWindow'),
    MelWeightMatrix(node, [bins, length, rate, low, high], cx) {
      return asAsked(node, melWeightMatrix(cx.state, {
        bins: cx.int(bins, 'the number of bins'),
        dftLength: cx.int(length, 'the length'),
        sampleRate: cx.number(rate, 'the sample rate'),
        lowest: cx.number(low, 'the lower edge'),
        highest: cx.number(high, 'the upper edge'),
        dtype: 'f64',
      }));
    },
    DFT: dft, STFT: stft,
  },
};

module.exports = { ops };
