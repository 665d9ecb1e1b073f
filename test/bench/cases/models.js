// Models of ONNX files against onnxruntime: a run, and the time from a file to the first result.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { load, tensor } = require('graphjit');
const { models } = require('../support/onnx-models.js');
const { cores, inOnnxRuntimeFile } = require('../support/peers.js');

/** @type {(name: keyof typeof models) => { file: string, inputs: Record<string, number[]> }} */
function written(name) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-bench-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true }));
  const { bytes, inputs } = models[name]();
  const file = path.join(folder, `${name}.onnx`);
  fs.writeFileSync(file, bytes);
  return { file, inputs };
}

/** @type {(inputs: Record<string, number[]>) => Record<string, any>} */
const filled = (inputs) =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, shape]) => {
      const data = new Float32Array(shape.reduce((total, size) => total * size, 1));
      for (let i = 0; i < data.length; i++) data[i] = ((i * 7919) % 2000) / 1000 - 1;
      return [name, tensor(data).reshape(shape)];
    }),
  );

const runs = /** @type {(keyof typeof models)[]} */ (Object.keys(models)).map((name) => ({
  name: `model-${name}`,
  title: `${name}, one run`,
  unit: 'µs',
  group: 'models',
  async contestants() {
    const { file, inputs } = written(name);
    const arrays = filled(inputs);
    const ours = [];
    for (const threads of cores > 1 ? [1, cores] : [1]) {
      const model = await load(file, { threads });
      ours.push([threads === 1 ? 'graphjit' : `graphjit ×${threads}`, () => model.run(arrays)]);
    }
    return { ...Object.fromEntries(ours), ...inOnnxRuntimeFile(file, inputs) };
  },
}));

module.exports = runs;
