// Models of one node for tests, and random operands for them.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Tensor, tensor } = require('graphjit');
const { readOnnx } = require('../../lib/models/onnx/index.js');
const { createModel } = require('../../lib/models/model.js');
const { onnxModel } = require('./onnx-writer.js');

/**
 * A node: what its inputs are, by name and in order (null: left out), which of them are initializers, and its outputs
 * (null: left out).
 *
 * @typedef {object} OneNode
 * @property {string} op 'domain::Name', or a name of ONNX itself
 * @property {Record<string, any>} [attributes]
 * @property {Record<string, any>} inputs tensors, and messages of tensors for initializers
 * @property {readonly string[]} [known] initializers
 * @property {Readonly<Record<string, readonly (number | string)[]>>} [shapes] of inputs in the file, where sizes are open
 * @property {readonly (string | null)[]} [outputs] ['y'] by default
 * @property {Readonly<Record<string, number>>} [opsets]
 * @property {readonly import('./onnx-writer.js').NodeLike[]} [after] nodes behind it
 * @property {readonly string[]} [results] outputs of the model, if not those of the node
 */

const isMessage = (/** @type {any} */ value) => value !== null && !(value instanceof Tensor);

/** @type {(given: OneNode) => string[]} */
const openInputs = ({ inputs, known = [] }) =>
  Object.keys(inputs).filter((name) => inputs[name] !== null && !isMessage(inputs[name]) && !known.includes(name));

/** @type {(given: OneNode) => Uint8Array} the bytes of its model */
function bytesOf(given) {
  const { op, attributes, inputs, outputs = ['y'], opsets = { '': 21, 'com.microsoft': 1 }, after = [] } = given;
  const open = openInputs(given);
  const names = Object.keys(inputs).map((name) => (inputs[name] === null ? '' : name));
  const fixed = Object.keys(inputs).filter((name) => inputs[name] !== null && !open.includes(name));
  return onnxModel({
    nodes: [[op, names, outputs.map((name) => name ?? ''), attributes], ...after],
    inputs: Object.fromEntries(open.map((name) => [name, [inputs[name].dtype, given.shapes?.[name] ?? inputs[name].shape]])),
    outputs: given.results ?? outputs.filter((name) => name !== null),
    initializers: Object.fromEntries(fixed.map((name) => [name, inputs[name]])),
    opsets,
  });
}

/** @type {(given: OneNode) => { model: Model, feeds: Record<string, any> }} */
function modelOf(given) {
  const definition = readOnnx(bytesOf(given), { caller: 'load', file: given.op, ops: {} });
  const model = createModel(definition, { sizes: {}, compile: { cache: false, optLevel: 1 } });
  return { model, feeds: Object.fromEntries(openInputs(given).map((name) => [name, given.inputs[name]])) };
}

/** What it gives, compiled and by the reference evaluator. @type {(given: OneNode) => Record<string, any>[]} */
function resultsOf(given) {
  const { model, feeds } = modelOf(given);
  try {
    return [model.run(feeds), model.eval(feeds)];
  } finally {
    model.dispose();
  }
}

/**
 * Tensors of numbers that are alike in every run.
 *
 * @param {number} seed
 */
function operands(seed) {
  let state = seed >>> 0;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const list = (/** @type {readonly number[]} */ shape, /** @type {() => number} */ one) =>
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, one);
  return {
    /** Multiples of 1/64 between -2 and 2. @type {(shape: readonly number[], dtype?: any) => any} */
    floats: (shape, dtype = 'f32') => tensor(list(shape, () => Math.floor(next() * 257 - 128) / 64), { dtype, shape: [...shape] }),
    /** @type {(shape: readonly number[], dtype: any, least: number, most: number) => any} */
    ints: (shape, dtype, least, most) => {
      const data = list(shape, () => least + Math.floor(next() * (most - least + 1)));
      return tensor(/** @type {any} */ (/64/.test(dtype) ? data.map(BigInt) : data), { dtype, shape: [...shape] });
    },
  };
}

/** Numbers that JSON has no word for. @type {Readonly<Record<string, number>>} */
const words = Object.freeze({ nan: NaN, inf: Infinity, '-inf': -Infinity });

/** @type {(got: number, want: number, tolerance: number) => boolean} */
const isNear = (got, want, tolerance) => Object.is(got, want) || got === want || Math.abs(got - want) <= tolerance * Math.max(1, Math.abs(want));

/** @type {(results: Record<string, any>, recorded: Record<string, any>, tolerance: number) => void} */
function checkResults(results, recorded, tolerance = 2e-5) {
  for (const [output, want] of Object.entries(recorded)) {
    const { dtype, shape } = results[output];
    assert.deepEqual({ dtype, shape: [...shape] }, { dtype: want.dtype, shape: want.shape }, output);
    const got = [results[output].toArray()].flat(Infinity).map(Number);
    want.data.forEach((/** @type {any} */ each, /** @type {number} */ i) => {
      const isGood = isNear(got[i], words[each] ?? each, /^b?f/.test(dtype) ? tolerance : 0);
      if (!isGood) assert.fail(`${output}[${i}]: ${got[i]}, expected ${each}`);
    });
  }
}

/** @typedef {Readonly<Record<string, OneNode & { tolerance?: number }>>} Cases */
/** @typedef {Readonly<Record<string, Record<string, any>>>} Recorded */

/**
 * A test for each case: integers as they were recorded, floats within a tolerance (2e-5 where a case says nothing).
 *
 * @param {Cases} cases
 * @param {Recorded} recorded
 */
function checkRecorded(cases, recorded) {
  for (const [name, given] of Object.entries(cases)) {
    test(name, () => {
      for (const results of resultsOf(given)) checkResults(results, recorded[name], /** @type {number} */ (given.tolerance));
    });
  }
}

/**
 * A test for each case with sizes that the file leaves open: one graph is to serve all of them.
 *
 * @param {Readonly<Record<string, NonNullable<OneNode['shapes']>>>} open shapes of inputs by the name of a case
 * @param {Cases} cases
 * @param {Recorded} recorded
 */
function checkOpen(open, cases, recorded) {
  for (const [name, shapes] of Object.entries(open)) {
    test(`${name}: open sizes`, () => {
      const { model, feeds } = modelOf({ ...cases[name], shapes });
      try {
        checkResults(model.run(feeds), recorded[name], /** @type {number} */ (cases[name].tolerance));
        assert.equal(model.specialization, null);
      } finally {
        model.dispose();
      }
    });
  }
}

module.exports = { bytesOf, checkOpen, checkRecorded, modelOf, operands, resultsOf };
