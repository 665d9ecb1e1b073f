// Writes neural-results.json: what ONNX Runtime gives for the cases of neural-cases.js.
//
//   node test/models/record.js PATH_OF_ONNXRUNTIME_NODE
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { cases } = require('./neural-cases.js');
const { modelOf } = require('./neural-models.js');

/** @type {Record<string, string>} */
const types = { f32: 'float32', f64: 'float64', i64: 'int64', i32: 'int32', bool: 'bool' };

async function main() {
  const { InferenceSession, Tensor } = require(path.resolve(process.argv[2]));
  /** @type {Record<string, any>} */
  const recorded = {};
  for (const [name, each] of Object.entries(cases)) {
    const { bytes, feeds, outputs } = modelOf(each);
    try {
      const session = await InferenceSession.create(Buffer.from(bytes), { logSeverityLevel: 4 });
      const inputs = Object.entries(feeds).map(([key, value]) => [key, new Tensor(types[value.dtype], value.copy().data, [...value.shape])]);
      const results = await session.run(Object.fromEntries(inputs));
      recorded[name] = outputs.map((key) => ({ shape: results[key].dims, data: Array.from(results[key].data, (one) => Number(Number(one).toPrecision(6))) }));
    } catch (error) {
      console.log(`${name}: ${/** @type {Error} */ (error).message.slice(0, 300)}`);
    }
  }
  const lines = Object.entries(recorded).map(([name, results]) => `  ${JSON.stringify(name)}: ${JSON.stringify(results)}`);
  fs.writeFileSync(path.join(__dirname, 'neural-results.json'), `{\n${lines.join(',\n')}\n}\n`);
}

void main();
