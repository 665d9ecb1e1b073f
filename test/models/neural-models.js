// A case of neural-cases.js as the bytes of a model and what it is run with.
'use strict';

const { Tensor } = require('graphjit');
const { onnxModel } = require('../support/onnx-writer.js');
const { numbers } = require('./neural-cases.js');

/** @type {(given: import('./neural-cases.js').Case) => { bytes: Uint8Array, feeds: Record<string, any>, outputs: string[] }} */
function modelOf({ op, attributes, inputs, outputs = 1, version = 22 }) {
  const names = inputs.map((each, i) => (each === null ? '' : `x${i}`));
  /** @type {[Record<string, any>, Record<string, any>, Record<string, any>]} */
  const [types, feeds, initializers] = [{}, {}, {}];
  for (const [i, each] of inputs.entries()) {
    if (each === null) continue;
    if (each instanceof Tensor) {
      initializers[names[i]] = each;
      continue;
    }
    const [shape, sizes = shape, dtype = 'f32'] = each;
    const value = sizes instanceof Tensor ? sizes : numbers(sizes, i, dtype);
    types[names[i]] = [value.dtype, shape];
    feeds[names[i]] = value;
  }
  const results = Array.from({ length: outputs }, (_, i) => `y${i}`);
  const bytes = onnxModel({ nodes: [[op, names, results, attributes]], inputs: types, outputs: results, initializers, opsets: { '': version, 'ai.onnx.preview': 1 }, irVersion: 9 });
  return { bytes, feeds, outputs: results };
}

module.exports = { modelOf };
