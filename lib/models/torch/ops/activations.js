/**
 * Activations, softmax, and what training alone would do.
 */
'use strict';

/** @typedef {import('../call.js').Call} Call */

/** @type {(name: string, options?: (call: Call) => any[]) => (call: Call) => any} a method of floats */
const method = (name, options = () => []) => (call) => call.floats()[name](...options(call));

/** @type {(call: Call) => any} the operand in the dtype that the result is to have */
const typed = (call) => {
  const dtype = call.dtype();
  return dtype === undefined ? call.floats() : call.value('self', dtype);
};

/** @type {(name: string) => (call: Call) => any} */
const softmax = (name) => (call) => {
  const value = typed(call);
  return value.rank === 0 ? value.reshape([1])[name]().reshape([]) : value[name]({ axis: call.axis('dim', value.rank) });
};

/** @type {(call: Call) => any} */
function elu(call) {
  const value = call.floats();
  const [alpha, scale, inner] = ['alpha', 'scale', 'input_scale'].map((name) => call.number(name));
  const low = value.mul(inner).expm1().mul(alpha);
  const result = value.gt(0).select(value, low);
  return scale === 1 ? result : result.mul(scale);
}

/** @type {(call: Call) => any} */
function softplus(call) {
  const value = call.floats();
  const [beta, limit] = [call.number('beta'), call.number('threshold')];
  const scaled = beta === 1 ? value : value.mul(beta);
  const soft = scaled.softplus();
  return scaled.gt(limit).select(value, beta === 1 ? soft : soft.div(beta));
}

/** @type {(call: Call) => any} */
function prelu(call) {
  const value = call.value();
  const weight = call.value('weight');
  const isPerChannel = weight.rank === 1 && value.rank > 1;
  const shape = isPerChannel ? [weight.shape[0], ...Array(value.rank - 2).fill(1)] : [...weight.shape];
  return value.gt(0).select(value, value.mul(weight.reshape(shape)));
}

/** @type {(call: Call) => any} */
const identity = (call) => call.operand('self');

/** @type {(call: Call) => any} what is random while training where any element may be dropped, and else the operand */
function dropout(call) {
  if (call.flag('train') && call.number('p') > 0) call.fail('ERR_UNSUPPORTED', 'it drops elements at random, as in training: save the model after eval()');
  return identity(call);
}

const RANDOM = ['rand', 'randn', 'randint', 'rand_like', 'randn_like', 'normal', 'uniform', 'bernoulli', 'multinomial', 'randperm'];

/** @type {import('./index.js').Ops} */
const ops = {
  'relu(self)': (call) => call.value().relu(),
  'relu6(self)': (call) => call.value().relu6(),
  'gelu(self, *, approximate="none")': method('gelu', (call) => [{ approximate: call.text('approximate') }]),
  'silu(self)': method('silu'), 'mish(self)': method('mish'), 'selu(self)': method('selu'), 'softsign(self)': method('softsign'),
  'elu(self, alpha=1, scale=1, input_scale=1)': elu,
  'celu(self, alpha=1.0)': method('celu', (call) => [{ alpha: call.number('alpha') }]),
  'leaky_relu(self, negative_slope=0.01)': method('leakyRelu', (call) => [{ slope: call.number('negative_slope') }]),
  'rrelu(self, lower=0.125, upper=0.3333333333333333, training=False, generator=None)': method('leakyRelu', (call) => [{ slope: (call.number('lower') + call.number('upper')) / 2 }]),
  'prelu(self, weight)': prelu, '_prelu_kernel(self, weight)': prelu,
  'log_sigmoid(self)': method('logSigmoid'), 'log_sigmoid_forward(self)': (call) => [call.floats().logSigmoid(), call.floats()],
  'softplus(self, beta=1, threshold=20)': softplus,
  'hardsigmoid(self)': method('hardSigmoid'), 'hardswish(self)': method('hardSwish'),
  'hardtanh(self, min_val=-1, max_val=1)': (call) => call.value().clip(call.number('min_val'), call.number('max_val')),
  'hardshrink(self, lambd=0.5)': method('hardShrink', (call) => [{ lambda: call.number('lambd') }]),
  'softshrink(self, lambd=0.5)': method('softShrink', (call) => [{ lambda: call.number('lambd') }]),
  'tanhshrink(self)': method('tanhShrink'),
  'threshold(self, threshold, value)': method('threshold', (call) => [call.number('threshold'), call.number('value')]),
  'glu(self, dim=-1)': (call) => call.value().glu({ axis: call.int('dim') }),
  'softmax(self, dim, dtype=None)': softmax('softmax'),
  'log_softmax(self, dim, dtype=None)': softmax('logSoftmax'),
  '_softmax(self, dim, half_to_float)': softmax('softmax'),
  '_log_softmax(self, dim, half_to_float)': softmax('logSoftmax'),
  '_safe_softmax(self, dim, dtype=None)': softmax('softmax'),
  'dropout(self|input, p, train)': dropout, 'feature_dropout(self|input, p, train)': dropout, 'alpha_dropout(self|input, p, train)': dropout,
  'feature_alpha_dropout(self|input, p, train)': dropout,
  'native_dropout(self|input, p, train)': (call) => [dropout(call), call.value().isFinite().or(true)],
  ...Object.fromEntries(RANDOM.map((name) => [`${name}(self, a=None, b=None, c=None, d=None, *, dtype=None)`, (/** @type {Call} */ call) => call.fail('ERR_UNSUPPORTED', 'random numbers of PyTorch cannot be made again')])),
};

module.exports = { ops };
