// A small convolutional network for handwritten digits, which 25-handwritten-digits.js trains and web-digits puts into
// a page. A function of parameters and images: it runs on tensors, is traced and derived in a training step, and
// becomes a graph by itself, with the parameters as constants, which is what a program or a module is made of.
'use strict';

const { Graph, initializers, random } = require('graphjit');

/** First parameters. */
function initial(key) {
  const keys = random.split(key, 3);
  const dtype = 'f32';
  const layer = (shape, i, outputs) => ({
    weight: initializers.heNormal(keys[i], shape, { dtype }),
    bias: initializers.zeros(null, [outputs], { dtype }),
  });
  return { conv1: layer([8, 1, 5, 5], 0, 8), conv2: layer([16, 8, 5, 5], 1, 16), dense: layer([784, 10], 2, 10) };
}

/** Scores of the ten digits for images u8[n, 28, 28]. */
function network({ conv1, conv2, dense }, images) {
  const [n] = images.shape;
  const x = images.convert('f32').div(255).reshape([n, 1, 28, 28]);
  const block = (input, { weight, bias }) =>
    input.conv(weight, { stride: 2, padding: 2 }).add(bias.reshape([-1, 1, 1])).relu();
  return block(block(x, conv1), conv2).reshape([n, 784]).matmul(dense.weight).add(dense.bias);
}

/** One image as a graph: image u8[28, 28], white on black as in MNIST, to the chances f32[10] of the ten digits. */
function chancesGraph(params) {
  const graph = new Graph('digits');
  const image = graph.input('image', 'u8', [28, 28]);
  graph.output('chances', network(params, image.reshape([1, 28, 28])).softmax({ axis: 1 }).reshape([10]));
  return graph;
}

module.exports = { chancesGraph, initial, network };
