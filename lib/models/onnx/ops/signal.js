/**
 * Signals: windows, spectra, and the mel scale.
 */
'use strict';

const { Known } = require('../../shared/operands.js');
const { asTensor } = require('../../../tensor/create.js');
const { elementTypes } = require('../schema.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {(node: any) => any} */
const outputType = (node) => elementTypes[node.attr('output_datatype', 1)];

/**
 * A sum of cosines of the place, whose period is the size, or for a symmetric one the size less 1.
 *
 * @type {(coefficients: readonly number[]) => Translation['translate']}
 */
const cosineWindow = (coefficients) => (node, [size], cx) => {
  const [length] = cx.sizes(size, 'the size');
  const own = /** @type {any} */ (cx.value(cx.sizeValue(length), 'f64'));
  const period = node.attr('periodic', 1) === 1 ? own : own.sub(1).max(1);
  const turn = /** @type {any} */ (cx.iota([length], 'f64')).mul(2 * Math.PI).div(period);
  const parts = coefficients.map((factor, i) => (i === 0 ? factor : turn.mul(i).cos().mul(factor)));
  return parts.slice(1).reduce((sum, part) => part.add(sum), parts[0]).astype(outputType(node));
};

/**
 * Where the triangles of the mel scale begin, stand highest and end, as numbers of bins.
 *
 * @type {(bins: number, length: number, rate: number, low: number, high: number) => number[]}
 */
function melPlaces(bins, length, rate, low, high) {
  const mel = (/** @type {number} */ hertz) => 2595 * Math.log10(1 + hertz / 700);
  const step = (mel(high) - mel(low)) / (bins + 2);
  return Array.from({ length: bins + 2 }, (_, i) => {
    const hertz = 700 * (10 ** ((i * step + mel(low)) / 2595) - 1);
    return Math.floor(((length + 1) * hertz) / rate);
  });
}

/** @type {Translation['translate']} */
function melWeightMatrix(node, [count, length, rate, low, high], cx) {
  const [bins, size] = [cx.int(count, 'the number of bins'), cx.int(length, 'the length')];
  const edges = /** @type {const} */ ([cx.number(low, 'the lower edge'), cx.number(high, 'the upper edge')]);
  const places = melPlaces(bins, size, cx.number(rate, 'the sample rate'), ...edges);
  const rows = Math.floor(size / 2) + 1;
  const outside = places.find((place) => place < 0 || place > rows);
  if (outside !== undefined) cx.fail('ERR_ARGUMENT', `a triangle reaches bin ${outside}, but there are ${rows}`);
  const data = new Float64Array(rows * bins);
  for (let i = 0; i < bins; i++) {
    const [from, top, to] = places.slice(i, i + 3);
    for (let row = from; row < to || row === top; row++) {
      const rises = row < top || to === top;
      const height = rises ? (top === from ? 1 : (row - from) / (top - from)) : (to - row) / (to - top);
      if (row < rows) data[row * bins + i] = height;
    }
  }
  return cx.value(Known.of(asTensor(data, { dtype: 'f64' }).reshape([rows, bins])), outputType(node));
}

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    HannWindow: cosineWindow([0.5, -0.5]),
    HammingWindow: cosineWindow([25 / 46, -21 / 46]),
    BlackmanWindow: cosineWindow([0.42, -0.5, 0.08]),
    MelWeightMatrix: melWeightMatrix,
  },
};

module.exports = { ops };
