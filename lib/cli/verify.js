/**
 * `graphjit verify`: whether a model gives what was recorded of it elsewhere.
 *
 * Recorded data are folders test_data_set_N as ONNX has them, or .npz files with arrays by the names of inputs, outputs
 * and values in between. Of what differs, the value that the file computes first is named first: there it went wrong.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { compareTensors } = require('./compare.js');
const { EXIT, stop } = require('./errors.js');
const { isFolder } = require('./files.js');
const { openModel } = require('./model.js');
const { examples, positiveNumber, shared } = require('./options.js');
const { during, styleOf, table, toJson, write } = require('./print.js');

/** @typedef {{ name: string, inputs: Record<string, any>, outputs: Record<string, any> }} DataSet */
/** @typedef {{ set: string, value: string, elements: number, wrong: number, worst: number, detail: string }} Row */

/** @type {(folder: string, model: any) => DataSet[]} */
function readSets(folder, model) {
  const names = fs.readdirSync(folder).sort();
  const { dataSets } = require('../models/onnx/recorded.js');
  const recorded = names.filter((name) => /^test_data_set_\d+$/.test(name));
  const ports = (/** @type {readonly any[]} */ list) => list.map((port) => ({ name: port.name, type: port.type ?? { kind: 'tensor' } }));
  const given = dataSets(folder, { inputs: ports(model.inputs), outputs: ports(model.outputs) });
  return [
    ...given.map((set, i) => ({ name: recorded[i], ...set })),
    ...names.filter((name) => name.endsWith('.npz')).map((name) => readArchive(path.join(folder, name), name, model)),
  ];
}

/** @type {(file: string, name: string, model: any) => DataSet} */
function readArchive(file, name, model) {
  const { load } = require('../files/index.js');
  const all = Object.entries(load(file));
  const isInput = (/** @type {string} */ each) => model.inputs.some((/** @type {any} */ port) => port.name === each);
  return {
    name,
    inputs: Object.fromEntries(all.filter(([each]) => isInput(each))),
    outputs: Object.fromEntries(all.filter(([each]) => !isInput(each))),
  };
}

/**
 * Rows for tensors and strings, also those in lists and maps.
 *
 * @type {(set: string, value: string, got: any, want: any, tolerance: number | undefined) => Row[]}
 */
function rowsOf(set, value, got, want, tolerance) {
  if (Array.isArray(want) && Array.isArray(got) && got.length === want.length)
    return want.flatMap((each, i) => rowsOf(set, `${value}.${i}`, got[i], each, tolerance));
  if (want instanceof Map && got instanceof Map && got.size === want.size)
    return [...want].flatMap(([key, each]) => rowsOf(set, `${value}[${key}]`, got.get(key), each, tolerance));
  const { Tensor } = require('../tensor/tensor.js');
  if (want instanceof Tensor)
    return rowsOfTensor(set, value, typeof got === 'number' ? alike(got, want) : got, want, tolerance);
  const isSame = want === null ? got === null : isStrings(want) && isStrings(got) && hasStrings(got, want);
  const elements = isStrings(want) ? want.data.length : 1;
  const detail = isSame ? '' : 'it is recorded otherwise';
  return [{ set, value, elements, wrong: Number(!isSame), worst: isSame ? 0 : Infinity, detail }];
}

/** @type {(value: any) => boolean} */
const isStrings = (value) => Array.isArray(value?.data) && Array.isArray(value.shape);

/** @type {(got: any, want: any) => boolean} */
const hasStrings = (got, want) =>
  String(got.shape) === String(want.shape) && want.data.every((/** @type {string} */ each, /** @type {number} */ i) => each === got.data[i]);

/** A number of a map, as it is recorded. @type {(number: number, want: any) => any} */
const alike = (number, want) => require('../tensor/create.js').full(want.shape, number, { dtype: want.dtype });

/** @type {(set: string, value: string, got: any, want: any, tolerance: number | undefined) => Row[]} */
function rowsOfTensor(set, value, got, want, tolerance) {
  const wrong = (/** @type {string} */ detail) => [{ set, value, elements: 0, wrong: 1, worst: Infinity, detail }];
  const { Tensor } = require('../tensor/tensor.js');
  if (!(got instanceof Tensor)) return wrong('it is no tensor');
  if (got.dtype !== want.dtype || String(got.shape) !== String(want.shape))
    return wrong(`${got.dtype}[${got.shape}], recorded ${want.dtype}[${want.shape}]`);
  const compared = compareTensors(got, want, tolerance);
  const detail = compared.wrong === 0 ? '' : `element ${compared.at}: ${compared.own}, recorded ${compared.reference}`;
  return [{ set, value, elements: compared.elements, wrong: compared.wrong, worst: compared.worst, detail }];
}

/**
 * @param {string} file
 * @param {Record<string, any>} options
 */
async function verify(file, { data, tolerance = 1e-3, reference, json }) {
  if (!isFolder(data)) stop(`cannot read ${data}: it is no folder`);
  const { model } = await openModel(file);
  if (model === undefined) {
    stop(`${file} is a graph; verify compares models with what was recorded of them`);
    return;
  }
  const sets = readSets(data, model);
  if (sets.length === 0) stop(`${data} has no test_data_set_N and no .npz file`);
  /** @type {Row[]} */
  const rows = [];
  for (const { name, inputs, outputs } of sets) {
    const order = new Map(model.values.map((/** @type {string} */ each, /** @type {number} */ i) => [each, i]));
    const wanted = Object.keys(outputs).sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    const own = model.outputs.map((/** @type {any} */ port) => port.name);
    const inner = wanted.filter((each) => !own.includes(each));
    const asked = inner.length === 0 ? model : /** @type {any} */ ((await openModel(file, { outputs: wanted })).model);
    const results = during(`running ${name}`, () => (reference ? asked.eval(inputs) : asked.run(inputs)));
    for (const each of wanted.filter((key) => key in results))
      rows.push(...rowsOf(name, each, results[each], outputs[each], tolerance));
  }
  if (rows.length === 0) stop(`${data} has no value that was recorded of the model`);
  report(rows, json);
  if (rows.some(({ wrong }) => wrong > 0)) process.exitCode = EXIT.input;
}

/** @type {(rows: readonly Row[], json: boolean) => void} */
function report(rows, json) {
  if (json) {
    write(toJson({ values: rows, ok: rows.every(({ wrong }) => wrong === 0) }));
    return;
  }
  const style = styleOf(process.stdout);
  const lines = rows.map(({ set, value, elements, wrong, worst, detail }) => [
    set, value, wrong === 0 ? style.green('same') : style.red('differs'), String(elements), worst.toExponential(1), detail,
  ]);
  write(table([['data', 'value', '', 'elements', 'worst', ''], ...lines], { right: [3, 4] }));
  const first = rows.find(({ wrong }) => wrong > 0);
  if (first !== undefined) write(`\n${first.value} differs first, ${first.wrong} of ${first.elements} elements: ${first.detail}\n`);
}

/** @param {import('commander').Command} program */
function register(program) {
  program
    .command('verify')
    .summary('compare a model with recorded inputs and outputs')
    .description('Runs a model on recorded inputs and compares its values with those that were recorded.')
    .argument('<model>', 'the model file')
    .requiredOption('--data <folder>', 'what was recorded: folders test_data_set_N, or .npz files of arrays by name')
    .option('--tolerance <ratio>', 'of the largest magnitude (default: 1e-3)', positiveNumber('--tolerance'))
    .option('--reference', 'use the reference evaluator instead of compiled code')
    .addOption(shared.json())
    .addHelpText('after', examples(['graphjit verify model.onnx --data recorded']))
    .action(verify);
}

module.exports = { register };
