// Models as ONNX files, with weights that are as large as real ones: what services score with.
//
// The layers are those of the papers (He et al. 2015, arXiv:1512.03385; Sandler et al. 2018, arXiv:1801.04381; Iandola et
// al. 2016, arXiv:1602.07360; Vaswani et al. 2017, arXiv:1706.03762), with batch norms folded into the convolutions before
// them as exporters do. Weights are random numbers of a scale that keeps activations in range.
'use strict';

const { tensor } = require('graphjit');
const { onnxModel } = require('../../support/onnx-writer.js');

/** Collects nodes and weights; each method adds a layer and gives the name of its result. */
class Layers {
  constructor() {
    /** @type {any[]} */
    this.nodes = [];
    /** @type {Record<string, any>} */
    this.initializers = {};
    this.seed = 1;
  }

  /** @param {number[]} shape @param {number} scale */
  weight(shape, scale) {
    const data = new Float32Array(shape.reduce((total, size) => total * size, 1));
    for (let i = 0; i < data.length; i++) {
      this.seed = (Math.imul(this.seed, 1664525) + 1013904223) >>> 0; // Numerical Recipes
      data[i] = (this.seed / 2 ** 31 - 1) * scale;
    }
    return this.constant(tensor(data).reshape(shape));
  }

  /** @param {any} value */
  constant(value) {
    const name = `w${Object.keys(this.initializers).length}`;
    this.initializers[name] = value;
    return name;
  }

  /** @param {string} op @param {string[]} inputs @param {object} [attributes] */
  node(op, inputs, attributes = {}) {
    const name = `h${this.nodes.length}`;
    this.nodes.push([op, inputs, [name], attributes]);
    return name;
  }

  /** @param {string} x @param {number} from @param {number} to @param {number} size @param {{ stride?: number, pad?: number, group?: number }} [options] */
  conv(x, from, to, size, { stride = 1, pad = (size - 1) / 2, group = 1 } = {}) {
    const fan = (from / group) * size * size;
    const weights = [this.weight([to, from / group, size, size], Math.sqrt(3 / fan)), this.weight([to], 0.1)];
    const attributes = { kernel_shape: [size, size], strides: [stride, stride], pads: [pad, pad, pad, pad], group };
    return this.node('Conv', [x, ...weights], attributes);
  }

  /** @param {string} x */
  relu(x) {
    return this.node('Relu', [x]);
  }

  /** @param {string} x */
  relu6(x) {
    const [low, high] = [0, 6].map((bound) => this.constant(tensor(bound, { dtype: 'f32' })));
    return this.node('Clip', [x, low, high]);
  }

  /** @param {string} x @param {number} from @param {number} to */
  linear(x, from, to) {
    return this.node('Gemm', [x, this.weight([to, from], Math.sqrt(3 / from)), this.weight([to], 0.1)], { transB: 1 });
  }

  /** @param {Record<string, (number | string)[]>} inputs @param {string} result */
  file(inputs, result) {
    return onnxModel({
      nodes: this.nodes,
      initializers: this.initializers,
      inputs: Object.fromEntries(Object.entries(inputs).map(([name, shape]) => [name, ['f32', shape]])),
      outputs: { [result]: ['f32', null] },
      opsets: 17,
      irVersion: 8,
    });
  }
}

const picture = { x: [1, 3, 224, 224] };

function resnet50() {
  const net = new Layers();
  let x = net.relu(net.conv('x', 3, 64, 7, { stride: 2 }));
  x = net.node('MaxPool', [x], { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] });
  let from = 64;
  [[64, 3, 1], [128, 4, 2], [256, 6, 2], [512, 3, 2]].forEach(([width, blocks, first]) => {
    for (let i = 0; i < blocks; i++) {
      const stride = i === 0 ? first : 1;
      const a = net.relu(net.conv(x, from, width, 1));
      const b = net.relu(net.conv(a, width, width, 3, { stride }));
      const c = net.conv(b, width, 4 * width, 1);
      const skip = i === 0 ? net.conv(x, from, 4 * width, 1, { stride }) : x;
      x = net.relu(net.node('Add', [c, skip]));
      from = 4 * width;
    }
  });
  x = net.node('Flatten', [net.node('GlobalAveragePool', [x])]);
  return { bytes: net.file(picture, net.linear(x, 2048, 1000)), inputs: picture };
}

function mobilenetV2() {
  const net = new Layers();
  let x = net.relu6(net.conv('x', 3, 32, 3, { stride: 2 }));
  let from = 32;
  const stages = [[1, 16, 1, 1], [6, 24, 2, 2], [6, 32, 3, 2], [6, 64, 4, 2], [6, 96, 3, 1], [6, 160, 3, 2], [6, 320, 1, 1]];
  for (const [expand, to, blocks, first] of stages) {
    for (let i = 0; i < blocks; i++) {
      const stride = i === 0 ? first : 1;
      const width = from * expand;
      const wide = expand === 1 ? x : net.relu6(net.conv(x, from, width, 1));
      const deep = net.relu6(net.conv(wide, width, width, 3, { stride, group: width }));
      const thin = net.conv(deep, width, to, 1);
      x = stride === 1 && from === to ? net.node('Add', [x, thin]) : thin;
      from = to;
    }
  }
  x = net.node('Flatten', [net.node('GlobalAveragePool', [net.relu6(net.conv(x, from, 1280, 1))])]);
  return { bytes: net.file(picture, net.linear(x, 1280, 1000)), inputs: picture };
}

function squeezenet() {
  const net = new Layers();
  const pool = (/** @type {string} */ each) => net.node('MaxPool', [each], { kernel_shape: [3, 3], strides: [2, 2], ceil_mode: 1 });
  const fire = (/** @type {string} */ each, /** @type {number} */ from, /** @type {number} */ squeeze, /** @type {number} */ expand) => {
    const small = net.relu(net.conv(each, from, squeeze, 1));
    const parts = [1, 3].map((size) => net.relu(net.conv(small, squeeze, expand, size)));
    return net.node('Concat', parts, { axis: 1 });
  };
  let x = pool(net.relu(net.conv('x', 3, 64, 3, { stride: 2, pad: 0 })));
  x = pool(fire(fire(x, 64, 16, 64), 128, 16, 64));
  x = pool(fire(fire(x, 128, 32, 128), 256, 32, 128));
  x = fire(fire(fire(fire(x, 256, 48, 192), 384, 48, 192), 384, 64, 256), 512, 64, 256);
  x = net.node('GlobalAveragePool', [net.relu(net.conv(x, 512, 1000, 1))]);
  return { bytes: net.file(picture, net.node('Flatten', [x])), inputs: picture };
}

function encoderLayer({ length = 128, width = 256, heads = 4, inner = 1024 } = {}) {
  const net = new Layers();
  const product = (/** @type {string} */ x, /** @type {number} */ from, /** @type {number} */ to) =>
    net.node('Add', [net.node('MatMul', [x, net.weight([from, to], Math.sqrt(3 / from))]), net.weight([to], 0.1)]);
  const split = net.constant(tensor([1n, BigInt(length), BigInt(heads), BigInt(width / heads)]));
  const joined = net.constant(tensor([1n, BigInt(length), BigInt(width)]));
  const [q, k, v] = [[0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]].map((perm) =>
    net.node('Transpose', [net.node('Reshape', [product('x', width, width), split])], { perm }));
  const scale = net.constant(tensor(1 / Math.sqrt(width / heads), { dtype: 'f32' }));
  const weights = net.node('Softmax', [net.node('Mul', [net.node('MatMul', [q, k]), scale])], { axis: -1 });
  const seen = net.node('Transpose', [net.node('MatMul', [weights, v])], { perm: [0, 2, 1, 3] });
  const norm = (/** @type {string} */ x) =>
    net.node('LayerNormalization', [x, net.weight([width], 1), net.weight([width], 0.1)], { axis: -1, epsilon: { f: 1e-5 } });
  const attended = norm(net.node('Add', ['x', product(net.node('Reshape', [seen, joined]), width, width)]));
  const hidden = product(attended, width, inner);
  const [half, one, root] = [0.5, 1, Math.SQRT2].map((value) => net.constant(tensor(value, { dtype: 'f32' })));
  const curve = net.node('Add', [net.node('Erf', [net.node('Div', [hidden, root])]), one]);
  const gelu = net.node('Mul', [net.node('Mul', [hidden, curve]), half]);
  const inputs = { x: [1, length, width] };
  return { bytes: net.file(inputs, norm(net.node('Add', [attended, product(gelu, inner, width)]))), inputs };
}

/** @type {(batch: number) => { bytes: Uint8Array, inputs: Record<string, number[]> }} */
function mlp(batch) {
  const net = new Layers();
  const hidden = net.relu(net.linear(net.relu(net.linear('x', 784, 256)), 256, 128));
  const inputs = { x: [batch, 784] };
  return { bytes: net.file(inputs, net.linear(hidden, 128, 10)), inputs };
}

/** Each makes the bytes of a file, and says the shapes of its inputs. */
const models = {
  'resnet-50': resnet50,
  'mobilenet-v2': mobilenetV2,
  squeezenet,
  encoder: encoderLayer,
  'mlp-1': () => mlp(1),
  'mlp-64': () => mlp(64),
};

module.exports = { models };
