// Softmax and layer normalisation: several passes over each row, one over memory.
'use strict';

const { Graph } = require('graphjit');
const { fill } = require('../support/arrays.js');
const { cores, inC, inOnnxRuntime, inPython, inThreadedC, inTorch } = require('../support/peers.js');

const cases = {
  softmax: {
    kernel: 'softmax_f32',
    size: [1024, 1024],
    parameters: [],
    build: (x) => x.softmax(),
    torch: 'torch.softmax(x, 1)',
    onnx: [['Softmax', ['x'], 'y', { axis: -1 }]],
    numpy: 'e = np.exp(x - x.max(1, keepdims=True)); e / e.sum(1, keepdims=True)',
  },
  'layer-norm': {
    kernel: 'layer_norm_f32',
    size: [197, 768],
    parameters: ['scale', 'bias'],
    build: (x, scale, bias) => x.layerNorm({ scale, bias }),
    torch: 'torch.nn.functional.layer_norm(x, (768,), scale, bias)',
    onnx: [['LayerNormalization', ['x', 'scale', 'bias'], 'y', { axis: -1, epsilon: 1e-5 }]],
    numpy: 'd = x - x.mean(1, keepdims=True); d / np.sqrt((d * d).mean(1, keepdims=True) + np.float32(1e-5)) * scale + bias',
  },
};

function libraries({ torch, numpy, onnx, size: [rows, cols], parameters }) {
  const names = ['x', ...parameters];
  const filled = ['import numpy as np', 'r = np.random.default_rng(1)', `x = r.random((${rows}, ${cols}), np.float32)`];
  for (const name of parameters) filled.push(`${name} = r.random(${cols}, np.float32)`);
  const feeds = Object.fromEntries(names.map((name, i) => [name, { shape: i ? [cols] : [rows, cols], from: i ? 0 : -3, to: i ? 1 : 3 }]));
  return { ...inPython('numpy', filled.join('\n'), numpy), ...inTorch(filled, names, torch), ...inOnnxRuntime('f32', feeds, onnx) };
}

function rowCase(name) {
  const one = cases[name];
  const [rows, cols] = one.size;
  const wide = { type: 'f32', length: rows * cols };
  const specs = [{ ...wide, from: -3, to: 3 }, ...one.parameters.map(() => ({ type: 'f32', length: cols }))];
  return {
    name,
    title: `${name} of ${rows} × ${cols} f32`,
    unit: 'µs',
    targets: ['graphjit', `graphjit ×${cores}`].flatMap((who, i) =>
      ['torch', 'onnxruntime', 'numpy', 'gcc -Ofast'].map((peer) => ({ who, peer: i ? `${peer} ×${cores}` : peer, speed: 1 })),
    ),
    contestants() {
      const names = ['x', ...one.parameters];
      const arrays = Object.fromEntries(names.map((key, i) => [key, fill(specs[i])]));
      const y = fill(wide);
      const graph = new Graph(name);
      graph.output('y', one.build(...names.map((key, i) => graph.input(key, 'f32', i ? [cols] : [rows, cols]))));
      const bound = (threads, numerics = 'default') => graph.compile({ threads, numerics }).bind(arrays, { y });
      return {
        graphjit: bound(1),
        "'fast'": bound(1, 'fast'),
        ...(cores > 1 && { [`graphjit ×${cores}`]: bound(cores) }),
        ...inC(one.kernel, ...Object.values(arrays), y),
        ...inThreadedC(one.kernel, [...specs, wide]),
        ...libraries(one),
      };
    },
  };
}

module.exports = Object.keys(cases).map(rowCase);
