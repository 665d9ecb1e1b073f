/**
 * Fourier transforms along the last axis. Complex tensors are pairs of their parts there (lib/ops/fourier.js).
 */
'use strict';

const { joins } = require('../../../ops/movement.js');
const { Complex } = require('../operands.js');
const { partsOf } = require('./elementwise.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {(operand: any, cx: Builder) => any} */
const pairsOf = (operand, cx) => joins.stack(partsOf(operand, cx), { axis: -1 });

/** @type {(pairs: any) => Complex} */
function complexOf(pairs) {
  const [re, im] = pairs.unstack({ axis: -1 });
  return new Complex(re, im);
}

/** @type {(inverse: boolean) => Translation['translate']} */
const whole = (inverse) => (_, [x], cx) => complexOf(pairsOf(x, cx).dft({ inverse }));

/** @type {Translation['translate']} */
function ofReals(_, [x, size], cx) {
  const [length] = cx.sizes(size, 'the length');
  return complexOf(/** @type {any} */ (cx.value(x)).expandDims(-1).dft({ length, onesided: true }));
}

/** @type {Translation['translate']} */
function toReals(_, [x, size], cx) {
  const [length] = cx.sizes(size, 'the length');
  return pairsOf(x, cx).dft({ length, inverse: true, onesided: true }).squeeze(-1);
}

/** @type {import('./index.js').Table} */
const ops = { FFT: whole(false), IFFT: whole(true), RFFT: ofReals, IRFFT: toReals };

module.exports = { ops };
