/**
 * Losses, of which the last argument but options says what becomes of those of all elements.
 */
'use strict';

/** @typedef {import('../call.js').Call} Call */

const REDUCTIONS = /** @type {const} */ (['none', 'mean', 'sum']);

/** @type {(call: Call) => { reduction: 'none' | 'mean' | 'sum' }} */
const reduced = (call) => ({ reduction: REDUCTIONS[call.int('reduction')] ?? call.fail('ERR_ARGUMENT', 'a reduction is unknown') });

/** @type {(name: string, more?: (call: Call) => object) => (call: Call) => any} */
const loss = (name, more = () => ({})) => (call) => {
  const [value, target] = call.alike('self', 'target');
  return value[name](target, { ...reduced(call), ...more(call) });
};

/** Targets are numbers of classes, or probabilities. @type {(name: string, more?: (call: Call) => object) => (call: Call) => any} */
const classLoss = (name, more = () => ({})) => (call) => {
  const weight = call.has('weight') ? { weight: call.value('weight') } : {};
  const ignored = { ignoreIndex: call.int('ignore_index') };
  return call.value()[name](call.value('target'), { ...reduced(call), ...weight, ...ignored, ...more(call) });
};

/** @type {(call: Call) => any} with weights of elements, and of what is positive */
function logitsLoss(call) {
  const [value, target] = call.alike('self', 'target');
  const low = value.logSigmoid();
  const positive = call.has('pos_weight') ? low.mul(call.value('pos_weight')) : low;
  const each = positive.mul(target).add(low.sub(value).mul(target.neg().add(1))).neg();
  return summed(call, call.has('weight') ? each.mul(call.value('weight')) : each);
}

/** @type {(call: Call) => any} */
function probabilityLoss(call) {
  const [value, target] = call.alike('self', 'target');
  const each = value.binaryCrossEntropy(target, { reduction: 'none' });
  return summed(call, call.has('weight') ? each.mul(call.value('weight')) : each);
}

/** @type {(call: Call, each: any) => any} */
function summed(call, each) {
  const { reduction } = reduced(call);
  return reduction === 'none' ? each : each[reduction]();
}

const TARGET = 'self|input, target';
const CLASSES = 'self|input, target, weight=None, reduction=1, ignore_index=-100';

/** @type {import('./index.js').Ops} */
const ops = {
  [`mse_loss(${TARGET}, reduction=1)`]: loss('mseLoss'),
  [`l1_loss(${TARGET}, reduction=1)`]: loss('l1Loss'),
  [`smooth_l1_loss(${TARGET}, reduction=1, beta=1.0)`]: loss('smoothL1Loss', (call) => ({ beta: call.number('beta') })),
  [`huber_loss(${TARGET}, reduction=1, delta=1.0)`]: loss('huberLoss', (call) => ({ delta: call.number('delta') })),
  [`kl_div(${TARGET}, reduction=1, *, log_target=False)`]: loss('klDivLoss', (call) => ({ logTarget: call.flag('log_target') })),
  [`soft_margin_loss(${TARGET}, reduction=1)`]: loss('softMarginLoss'),
  [`nll_loss(${CLASSES})`]: classLoss('nllLoss'),
  [`nll_loss_nd(${CLASSES})`]: classLoss('nllLoss'),
  [`nll_loss2d(${CLASSES})`]: classLoss('nllLoss'),
  [`nll_loss_forward(${CLASSES})`]: (call) => [classLoss('nllLoss')(call), null],
  [`cross_entropy_loss(${CLASSES}, label_smoothing=0.0)`]:
    classLoss('crossEntropyLoss', (call) => ({ labelSmoothing: call.number('label_smoothing') })),
  [`binary_cross_entropy(${TARGET}, weight=None, reduction=1)`]: probabilityLoss,
  [`binary_cross_entropy_with_logits(${TARGET}, weight=None, pos_weight=None, reduction=1)`]: logitsLoss,
};

module.exports = { ops };
