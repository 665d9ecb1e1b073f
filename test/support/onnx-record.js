// Writes what onnxruntime-node gives for cases of one node (onnx-node.js).
//
//   node test/support/onnx-record.js CASES.js RESULTS.json PATH_OF_ONNXRUNTIME_NODE
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { Tensor } = require('graphjit');
const { bytesOf } = require('./onnx-node.js');

/** @type {Record<string, string>} */
const types = {
  f32: 'float32', f64: 'float64', bool: 'bool', u8: 'uint8', i8: 'int8', u16: 'uint16', i16: 'int16', u32: 'uint32',
  i32: 'int32', u64: 'uint64', i64: 'int64',
};
const dtypes = Object.fromEntries(Object.entries(types).map(([dtype, name]) => [name, dtype]));

/** Floats with the digits that f32 has, and what JSON has no word for. @type {(element: any, dtype: string) => number | string} */
function written(element, dtype) {
  const number = Number(element);
  if (Number.isNaN(number)) return 'nan';
  if (!Number.isFinite(number)) return number > 0 ? 'inf' : '-inf';
  return dtype.startsWith('f') ? Number(number.toPrecision(8)) : number;
}

/** @type {(given: any, runtime: any) => Promise<Record<string, any>>} */
async function resultsOf(given, runtime) {
  const session = await runtime.InferenceSession.create(bytesOf(given), { graphOptimizationLevel: 'disabled', logSeverityLevel: 4 });
  const feeds = Object.entries(given.inputs).filter(([name, value]) => value instanceof Tensor && session.inputNames.includes(name));
  const results = await session.run(Object.fromEntries(feeds.map(([name, value]) => {
    const { dtype, shape, data } = value.copy();
    return [name, new runtime.Tensor(types[dtype], data, [...shape])];
  })));
  return Object.fromEntries(Object.entries(results).map(([name, /** @type {any} */ { type, dims, data }]) => {
    const dtype = dtypes[type];
    return [name, { dtype, shape: [...dims], data: Array.from(data, (each) => written(each, dtype)) }];
  }));
}

async function main() {
  const [cases, file, runtime] = process.argv.slice(2).map((each) => path.resolve(each));
  const lines = [];
  for (const [name, given] of Object.entries(require(cases)))
    lines.push(`${JSON.stringify(name)}: ${JSON.stringify(await resultsOf(given, require(runtime)))}`);
  fs.writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
}

void main();
