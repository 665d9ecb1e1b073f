// Results of files of PyTorch against recorded ones.
'use strict';

const assert = require('node:assert/strict');
const { Tensor, tensor } = require('graphjit');

/** Of the greatest element; halves as far as they go. @type {(dtype: string) => number} */
const toleranceOf = (dtype) => (dtype === 'f16' ? 2e-3 : 1e-5);

/** @type {(value: any) => Tensor[]} the leaves of results, in their order */
function leaves(value) {
  if (value === null || typeof value === 'string') return [];
  if (value instanceof Tensor) return [value];
  if (typeof value !== 'object') return [tensor(value)];
  return Object.values(value).flatMap(leaves);
}

/** @type {(got: Tensor, want: any, which: string) => void} */
function compare(got, want, which) {
  assert.deepEqual(got.shape, want.shape, `${which}: shape`);
  if (want.shape.length > 0) assert.equal(got.dtype, want.dtype, `${which}: dtype`);
  const [a, b] = [got, want].map((each) => [each.toArray()].flat(Infinity).map(Number));
  const bound = toleranceOf(want.dtype) * Math.max(1e-3, ...b.filter(Number.isFinite).map(Math.abs));
  b.forEach((number, i) => assert.ok(Object.is(a[i], number) || a[i] === number || Math.abs(a[i] - number) <= bound, `${which}[${i}]: ${a[i]}, expected ${number}`));
}

/** Runs a model on what is recorded as in0, in1, ... and compares with out0, out1, ... @type {(model: any, recorded: Record<string, Tensor>) => void} */
function compareAll(model, recorded) {
  const given = Object.keys(recorded).filter((name) => name.startsWith('in')).map((name, i) => [model.inputs[i].name, recorded[name]]);
  const results = leaves(model.run(Object.fromEntries(given)));
  assert.equal(results.length, Object.keys(recorded).length - given.length);
  results.forEach((result, i) => compare(result, recorded[`out${i}`], `result ${i}`));
}

module.exports = { compare, compareAll, leaves };
