// Windows and images against PyTorch and NumPy: convolutions, pools, norms, resizing, modes of padding.
'use strict';

const { arange, tensor } = require('graphjit');
const { oracleTest } = require('../support/outside.js');

/** @type {(shape: number[], seed: number) => any} */
function random(shape, seed) {
  let state = seed;
  const next = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648 - 0.5;
  return tensor(Array.from({ length: shape.reduce((a, b) => a * b, 1) }, next)).reshape(shape);
}

const inputs = {
  x: random([2, 4, 9, 11], 1), w: random([6, 2, 3, 2], 2), b: random([6], 3), l: random([2, 4, 17], 4), k: random([4, 3, 4], 5),
  v: random([2, 3, 5, 6, 7], 6), u: random([4, 3, 2, 3, 2], 7), m: random([4], 8), s: random([4], 9), p: random([3, 4], 10), r: arange(1, 17).reshape([1, 1, 4, 4]),
};

oracleTest('convolutions, pools and norms', inputs, [
  ['conv2d', ({ x, w, b }) => x.conv2d(w, { groups: 2, stride: [2, 1], padding: [1, 2], dilation: [1, 2], bias: b }), 'F.conv2d(t(x), t(w), t(b), (2, 1), (1, 2), (1, 2), 2)'],
  ['same', ({ x, w }) => x.conv2d(w, { groups: 2, padding: 'same' }), "F.conv2d(t(x), t(w), padding='same', groups=2)"],
  ['NHWC', ({ x, w }) => x.permute([0, 2, 3, 1]).conv2d(w.permute([2, 3, 1, 0]), { groups: 2, layout: 'NHWC', kernelLayout: 'HWIO' }), 'F.conv2d(t(x), t(w), groups=2).permute(0, 2, 3, 1)'],
  ['conv1d', ({ l, k }) => l.conv1d(k.permute([2, 0, 1]).reshape([4, 4, 3]), { stride: 3, padding: 4 }), 'F.conv1d(t(l), t(k).permute(2, 0, 1).reshape(4, 4, 3), stride=3, padding=4)'],
  ['conv3d', ({ v, u }) => v.conv3d(u, { padding: 1, stride: [1, 2, 1] }), 'F.conv3d(t(v), t(u), padding=1, stride=(1, 2, 1))'],
  ['transposed', ({ x, w }) => x.convTranspose2d(w.slice([0, 4]), { stride: [2, 3], padding: [1, 0], outputPadding: [1, 2], groups: 2 }), 'F.conv_transpose2d(t(x), t(w)[:4], stride=(2, 3), padding=(1, 0), output_padding=(1, 2), groups=2)'],
  ['convolve', ({ m, b }) => m.convolve(b, { mode: 'same' }), "np.convolve(m, b, 'same')"],
  ['correlate', ({ m, b }) => m.correlate(b, { mode: 'full' }), "np.correlate(m, b, 'full')"],
  ['maxPool', ({ x }) => x.maxPool(3, { stride: 2, padding: 1, ceilMode: true }), 'F.max_pool2d(t(x), 3, 2, 1, ceil_mode=True)'],
  ['indices', ({ x }) => x.maxPoolWithIndices([2, 3], { padding: [0, 1] }).indices, 'F.max_pool2d(t(x), (2, 3), padding=(0, 1), return_indices=True)[1]'],
  ['avgPool', ({ x }) => x.avgPool(3, { stride: 2, padding: 1, ceilMode: true, countIncludePad: false }), 'F.avg_pool2d(t(x), 3, 2, 1, True, False)'],
  ['avgPool of padding', ({ x }) => x.avgPool(3, { stride: 2, padding: 1, ceilMode: true }), 'F.avg_pool2d(t(x), 3, 2, 1, True)'],
  ['adaptive', ({ x }) => x.adaptiveAvgPool([4, 3]), 'F.adaptive_avg_pool2d(t(x), (4, 3))'],
  ['adaptive max', ({ x }) => x.adaptiveMaxPool(4), 'F.adaptive_max_pool2d(t(x), 4)'],
  ['unfold', ({ x }) => x.unfold([3, 2], { padding: 1, stride: 2 }), 'F.unfold(t(x), (3, 2), padding=1, stride=2)'],
  ['batchNorm', ({ x, m, s }) => x.batchNorm(m, s.mul(s), { scale: s, bias: m }), 'F.batch_norm(t(x), t(m), t(s * s), t(s), t(m))'],
  ['groupNorm', ({ x, m, s }) => x.groupNorm(2, { scale: s, bias: m }), 'F.group_norm(t(x), 2, t(s), t(m))'],
  ['instanceNorm', ({ x }) => x.instanceNorm(), 'F.instance_norm(t(x))'],
  ['localResponseNorm', ({ x }) => x.localResponseNorm(3, { alpha: 0.1, k: 2 }), 'F.local_response_norm(t(x), 3, 0.1, 0.75, 2)'],
  ['pixelShuffle', ({ x }) => x.pixelShuffle(2), 'F.pixel_shuffle(t(x), 2)'],
  ['nearest', ({ x }) => x.resize({ size: [4, 20], coordinates: 'asymmetric', rounding: 'floor' }), 'F.interpolate(t(x), (4, 20))'],
  ['linear', ({ x }) => x.resize({ size: [4, 20], mode: 'linear' }), "F.interpolate(t(x), (4, 20), mode='bilinear')"],
  ['corners', ({ x }) => x.resize({ size: [4, 20], mode: 'linear', coordinates: 'alignCorners' }), "F.interpolate(t(x), (4, 20), mode='bilinear', align_corners=True)"],
  ['cubic', ({ x }) => x.resize({ scale: 2, mode: 'cubic' }), "F.interpolate(t(x), scale_factor=2, mode='bicubic')"],
  ['cubic by a factor', ({ x }) => x.resize({ scale: 1.7, mode: 'cubic' }), "F.interpolate(t(x), scale_factor=1.7, mode='bicubic')"],
  ['antialiased', ({ x }) => x.resize({ size: [4, 5], mode: 'linear', antialias: true, excludeOutside: true }), "F.interpolate(t(x), (4, 5), mode='bilinear', antialias=True)"],
  ['antialiased, cubic', ({ x }) => x.resize({ size: [4, 20], mode: 'cubic', cubicCoefficient: -0.5, antialias: true, excludeOutside: true }), "F.interpolate(t(x), (4, 20), mode='bicubic', antialias=True)"],
  // What ONNX's tests of Resize 18 expect.
  ['antialiased, ONNX', ({ r }) => r.resize({ scale: 0.6, mode: 'linear', antialias: true }), 'np.array([[[[2.875, 4.5], [9.375, 11]]]])'],
  ['antialiased, cubic, ONNX', ({ r }) => r.resize({ scale: 0.6, mode: 'cubic', antialias: true }), 'np.array([[[[2.5180721, 4.2858863], [9.589329, 11.357142]]]])', 1e-7],
  // A factor counts where the size stays, as in ONNX; PyTorch copies then.
  ['linear to the same size', ({ x }) => x.resize({ scale: [1.1, 1], mode: 'linear' }), 'np.apply_along_axis(lambda v: np.interp((np.arange(9) + 0.5) / 1.1 - 0.5, np.arange(9), v), 2, x)'],
  ...['edge', 'reflect', 'symmetric', 'maximum', 'minimum', 'mean', 'median'].map((mode) => /** @type {any} */ ([
    mode, (/** @type {any} */ { p }) => p.pad([[7, 1], [0, 9]], { mode }), `np.pad(p, ((7, 1), (0, 9)), '${mode}')`,
  ])),
  // Wider than the operand, NumPy before 1.25 repeats other elements.
  ['few', ({ p }) => p.pad([[2, 1], [0, 3]], { mode: 'median', statLength: 3 }), "np.pad(p, ((2, 1), (0, 3)), 'median', stat_length=3)"],
  ['wrap', ({ p }) => p.pad([[3, 1], [0, 4]], { mode: 'wrap' }), "np.pad(p, ((3, 1), (0, 4)), 'wrap')"],
  ['linearRamp', ({ p }) => p.pad([[2, 1], [0, 3]], { mode: 'linearRamp', endValue: 5 }), "np.pad(p, ((2, 1), (0, 3)), 'linear_ramp', end_values=5)"],
]);

const sampled = { x: inputs.x, v: inputs.v, g: random([2, 5, 3, 2], 31).mul(4), h: random([2, 2, 3, 4, 3], 32).mul(4), a: random([2, 2, 3], 33).mul(3), c: random([2, 3, 4], 34).mul(3) };

oracleTest('grids and pools with indices', sampled, [
  ...['bilinear', 'nearest', 'bicubic'].flatMap((mode) => ['zeros', 'border', 'reflection'].flatMap((padding) => [false, true].map((alignCorners) => /** @type {any} */ ([
    `${mode}, ${padding}, ${alignCorners}`,
    (/** @type {any} */ { x, g }) => x.gridSample(g.astype('f64'), { mode: mode === 'nearest' ? mode : mode === 'bilinear' ? 'linear' : 'cubic', padding, alignCorners }),
    `F.grid_sample(t(x), t(g).double(), '${mode}', '${padding}', ${alignCorners ? 'True' : 'False'})`,
  ])))),
  ...['bilinear', 'nearest'].map((mode) => /** @type {any} */ ([
    `volumes, ${mode}`, (/** @type {any} */ { v, h }) => v.gridSample(h, { mode: mode === 'nearest' ? mode : 'linear', padding: 'reflection' }), `F.grid_sample(t(v), t(h), '${mode}', 'reflection', False)`,
  ])),
  ...[false, true].flatMap((alignCorners) => /** @type {any} */ ([
    [`affine, ${alignCorners}`, (/** @type {any} */ { a }) => a.affineGrid([3, 5], { alignCorners }), `F.affine_grid(t(a), (2, 1, 3, 5), ${alignCorners ? 'True' : 'False'})`],
    [`affine of volumes, ${alignCorners}`, (/** @type {any} */ { c }) => c.affineGrid([3, 1, 4], { alignCorners }), `F.affine_grid(t(c), (2, 1, 3, 1, 4), ${alignCorners ? 'True' : 'False'})`],
  ])),
  ['fold', ({ x }) => x.unfold([3, 2], { padding: 1, stride: 2 }).fold([9, 11], [3, 2], { padding: 1, stride: 2 }), 'F.fold(F.unfold(t(x), (3, 2), padding=1, stride=2), (9, 11), (3, 2), padding=1, stride=2)'],
  ['fold with gaps', ({ x }) => x.unfold([2, 3], { dilation: [3, 2], padding: [0, 2] }).fold([9, 11], [2, 3], { dilation: [3, 2], padding: [0, 2] }), 'F.fold(F.unfold(t(x), (2, 3), dilation=(3, 2), padding=(0, 2)), (9, 11), (2, 3), dilation=(3, 2), padding=(0, 2))'],
  ['indices in ceil mode', ({ x }) => x.maxPoolWithIndices([2, 3], { stride: [3, 2], dilation: [2, 1], ceilMode: true, padding: [0, 1] }).indices, 'F.max_pool2d(t(x), (2, 3), (3, 2), (0, 1), (2, 1), ceil_mode=True, return_indices=True)[1]'],
  ['maxUnpool', ({ x }) => { const { values, indices } = x.maxPoolWithIndices([2, 3]); return values.maxUnpool(indices, [2, 3], { size: [9, 11] }); }, 'F.max_unpool2d(*F.max_pool2d(t(x), (2, 3), return_indices=True), (2, 3), output_size=(9, 11))'],
  ['maxUnpool of the least size', ({ v }) => { const { values, indices } = v.slice(null, null, [0, 4], null, [0, 6]).maxPoolWithIndices(2); return values.maxUnpool(indices, 2); }, 'F.max_unpool3d(*F.max_pool3d(t(v)[:, :, :4, :, :6], 2, return_indices=True), 2)'],
  ['lpNormalize', ({ x }) => x.lpNormalize({ axis: 1 }), 'F.normalize(t(x))'],
  ['lpNormalize, 1', ({ x }) => x.lpNormalize({ p: 1 }), 'F.normalize(t(x), 1, -1)'],
  ['lpNormalize, 3', ({ x }) => x.lpNormalize({ p: 3, axis: [2, 3] }), 't(x) / t(x).abs().pow(3).sum((2, 3), True).pow(1 / 3)'],
]);

const signals = { p: random([3, 12, 2], 41), q: random([2, 360, 1], 42), r: random([2, 128, 2], 43), s: random([5, 67, 2], 44), w: random([16], 45) };
/** @type {(of: string) => string} the parts of complex numbers as an axis */
const parted = (of) => `(lambda z: np.stack((z.real, z.imag), -1))(${of})`;
const complex = (/** @type {string} */ name) => `(${name}[..., 0] + 1j * ${name}[..., 1])`;

oracleTest('Fourier transforms', signals, [
  ...['p', 'r', 's'].flatMap((name) => /** @type {any} */ ([
    [`dft of ${name}`, (/** @type {any} */ v) => v[name].dft(), parted(`np.fft.fft(${complex(name)})`), 1e-12],
    [`inverse of ${name}`, (/** @type {any} */ v) => v[name].dft({ inverse: true }), parted(`np.fft.ifft(${complex(name)})`), 1e-12],
    [`along axis 0 of ${name}`, (/** @type {any} */ v) => v[name].dft({ axis: 0, length: 5 }), parted(`np.fft.fft(${complex(name)}, 5, 0)`), 1e-12],
    [`longer, ${name}`, (/** @type {any} */ v) => v[name].dft({ length: 300, onesided: true }), parted(`np.fft.fft(${complex(name)}, 300)[:, :151]`), 1e-12],
    [`shorter, ${name}`, (/** @type {any} */ v) => v[name].dft({ length: 7 }), parted(`np.fft.fft(${complex(name)}, 7)`), 1e-12],
    [`real, ${name}`, (/** @type {any} */ v) => v[name].dft({ inverse: true, onesided: true }), `np.fft.irfft(${complex(name)})[..., None]`, 1e-12],
    [`real of odd length, ${name}`, (/** @type {any} */ v) => v[name].dft({ inverse: true, onesided: true, length: 75 }), `np.fft.irfft(${complex(name)}, 75)[..., None]`, 1e-12],
  ])),
  ['of real numbers', ({ q }) => q.dft({ onesided: true }), parted('np.fft.rfft(q[..., 0])'), 1e-12],
  ['stft', ({ q, w }) => q.stft({ step: 5, window: w }), parted('np.fft.rfft(np.stack([q[:, i:i + 16, 0] * w for i in range(0, 345, 5)], 1))'), 1e-12],
  ['stft of both parts', ({ r }) => r.stft({ step: 9, length: 20, onesided: false }), parted(`np.fft.fft(np.stack([${complex('r')}[:, i:i + 20] for i in range(0, 109, 9)], 1))`), 1e-12],
  ...[['hann', 'hanning'], ['hamming', 'hamming'], ['blackman', 'blackman']].flatMap(([name, numpy]) => /** @type {any} */ ([
    [name, (/** @type {any} */ _, /** @type {any} */ graph) => graph[`${name}Window`](11, { dtype: 'f64', periodic: false }), `np.${numpy}(11)`, 1e-15],
    [`${name}, periodic`, (/** @type {any} */ _, /** @type {any} */ graph) => graph[`${name}Window`](10, { dtype: 'f64' }), `np.${numpy}(11)[:10]`, 1e-15],
    [`${name} of one place`, (/** @type {any} */ _, /** @type {any} */ graph) => graph[`${name}Window`](1, { dtype: 'f64', periodic: false }), `np.${numpy}(1)`],
  ])),
]);
