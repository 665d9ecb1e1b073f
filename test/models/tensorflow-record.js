// Writes tensorflow-results.json: what TensorFlow.js gives for the cases of tensorflow-cases.js.
//
//   node test/models/tensorflow-record.js FOLDER    where its packages core, converter and backend-cpu are installed
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { elementTypes } = require('../../lib/models/tensorflow/schema.js');
const { graphProto } = require('../support/tensorflow-writer.js');
const { cases } = require('./tensorflow-cases.js');

/** @type {Record<string, string>} */
const types = { f32: 'float32', i32: 'int32', bool: 'bool' };

/** A message in its JSON form. @type {(value: any) => any} */
function jsonOf(value) {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, key === 'type' || key === 'dtype' ? nameOf(each) : jsonOf(each)]));
}

/** @type {(code: any) => any} */
const nameOf = (code) => (typeof code !== 'number' ? jsonOf(code) : `DT_${{ f32: 'FLOAT', i32: 'INT32', bool: 'BOOL', variant: 'VARIANT', resource: 'RESOURCE' }[elementTypes[code]] ?? 'INVALID'}`);

async function main() {
  const packages = path.resolve(process.argv[2], 'node_modules', '@tensorflow');
  const tf = require(`${packages}/tfjs-core`);
  require(`${packages}/tfjs-backend-cpu`);
  const { loadGraphModel } = require(`${packages}/tfjs-converter`);
  /** @type {Record<string, any>} */
  const recorded = {};
  for (const [name, { nodes, functions, feeds, outputs }] of Object.entries(cases)) {
    const weights = [];
    const proto = graphProto(nodes, functions);
    const all = [...proto.node, ...proto.library.function.flatMap((/** @type {any} */ each) => each.nodeDef)];
    for (const node of all) {
      if (node.op !== 'Const') continue;
      const { dtype, tensorShape, tensorContent } = node.attr.value.tensor;
      weights.push({ spec: { name: node.name, shape: tensorShape.dim.map((/** @type {any} */ { size }) => size), dtype: types[elementTypes[dtype]] }, data: tensorContent });
    }
    const bytes = Buffer.concat(weights.map(({ data }) => data));
    const artifacts = { modelTopology: jsonOf(proto), format: 'graph-model', weightSpecs: weights.map(({ spec }) => spec), weightData: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) };
    try {
      const model = await loadGraphModel({ load: () => Promise.resolve(artifacts) });
      const given = Object.fromEntries(Object.entries(feeds).map(([key, value]) => [key, tf.tensor(Array.from(value.copy().data), [...value.shape], types[value.dtype])]));
      const results = await model.executeAsync(given, outputs);
      recorded[name] = [results].flat().map((each) => ({ shape: each.shape, data: Array.from(each.dataSync(), (/** @type {any} */ one) => Number(Number(one).toPrecision(6))) }));
    } catch (error) {
      console.log(`${name}: ${/** @type {Error} */ (error).message.slice(0, 200)}`);
    }
  }
  const lines = Object.entries(recorded).map(([name, results]) => `  ${JSON.stringify(name)}: ${JSON.stringify(results)}`);
  fs.writeFileSync(path.join(__dirname, 'tensorflow-results.json'), `{\n${lines.join(',\n')}\n}\n`);
}

void main();
