/**
 * Fourier transforms. Complex numbers are pairs along a last axis, which go from one of these ops to another.
 */
'use strict';

const { Complex } = require('../values.js');

/** @typedef {import('../call.js').Call} Call */

/** Parts along a new last axis. @type {(call: Call) => any} */
function pairs(call) {
  const { self } = call.args;
  return self instanceof Complex ? self.pair : call.floats().expandDims(-1);
}

/** How results are divided, besides what the inverse does. @type {(call: Call, length: any, inverse: boolean) => number} */
function scaleOf(call, length, inverse) {
  const norm = call.has('norm') ? call.text('norm') : 'backward';
  if (norm === 'backward') return 1;
  if (typeof length !== 'number') return call.fail('ERR_SHAPE', 'a transform is scaled by a size that is open');
  if (norm === 'ortho') return inverse ? Math.sqrt(length) : 1 / Math.sqrt(length);
  return inverse ? length : 1 / length;
}

/** @type {(given: { inverse?: boolean, onesided?: boolean }) => (call: Call) => any} */
const transform = ({ inverse = false, onesided = false }) => (call) => {
  const parts = pairs(call);
  const axis = call.axis('dim', parts.rank - 1);
  const isReal = inverse && onesided;
  const own = parts.shape[axis];
  const length = call.has('n') ? call.size('n') : isReal ? doubled(call, own) : own;
  const result = parts.dft({ axis, length, inverse, onesided });
  const scale = scaleOf(call, length, inverse);
  const scaled = scale === 1 ? result : result.mul(scale);
  return isReal ? scaled.reshape([...scaled.shape.slice(0, -1)]) : new Complex(scaled);
};

/** As many places as half the bins stand for. @type {(call: Call, bins: any) => any} */
const doubled = (call, bins) => {
  const { state } = call.cx;
  return state.text(state.mul(state.sub(state.dim(bins, 'a size', 'load'), 1), 2));
};

/** Frames of signals, as bins before frames. @type {(call: Call) => any} */
function stft(call) {
  const signal = call.floats();
  const length = call.int('n_fft');
  const step = call.has('hop_length') ? call.int('hop_length') : Math.floor(length / 4);
  const given = call.has('window') ? { window: padded(call.value('window'), length) } : {};
  if (!call.has('window') && call.has('win_length') && call.int('win_length') !== length) call.fail('ERR_UNSUPPORTED', 'a shorter frame has to have a window');
  const isOneSided = call.has('onesided') ? call.flag('onesided') : true;
  const frames = signal.expandDims(-1).stft({ step, length, ...given, onesided: isOneSided });
  const result = frames.swapaxes(-3, -2);
  const scaled = call.flag('normalized') ? result.mul(1 / Math.sqrt(length)) : result;
  return call.flag('return_complex') ? new Complex(scaled) : scaled;
}

/** In the middle of zeros. @type {(window: any, length: number) => any} */
function padded(window, length) {
  const rest = length - Number(window.shape[0]);
  return rest === 0 ? window : window.pad([[Math.floor(rest / 2), rest - Math.floor(rest / 2)]]);
}

/** @type {(index: 0 | 1) => (call: Call) => any} */
const partOf = (index) => (call) => call.args.self instanceof Complex ? call.args.self.part(index) : index === 0 ? call.value() : call.fail('ERR_DTYPE', 'a real tensor has no imaginary parts');

const FFT = 'self, n=None, dim=-1, norm=None';

/** @type {import('./index.js').Ops} */
const ops = {
  [`fft_fft(${FFT})`]: transform({}), [`fft_ifft(${FFT})`]: transform({ inverse: true }),
  [`fft_rfft(${FFT})`]: transform({ onesided: true }), [`fft_irfft(${FFT})`]: transform({ inverse: true, onesided: true }),
  'stft(self, n_fft, hop_length=None, win_length=None, window=None, normalized=False, onesided=None, return_complex=None)': stft,
  'view_as_real(self)': (call) => call.args.self instanceof Complex ? call.args.self.pair : call.fail('ERR_DTYPE', 'it is not complex'),
  'view_as_complex(self)': (call) => new Complex(call.value()),
  'real(self)': partOf(0), 'imag(self)': partOf(1),
  'angle(self)': (call) => partOf(1)(call).atan2(partOf(0)(call)),
};

module.exports = { ops };
