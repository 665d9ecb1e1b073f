// An outside oracle: what NumPy and PyTorch compute for the same inputs.
//
// A table of cases is one graph: every case adds an output to it and names the Python expression that
// must give the same. Compiled code and our own reference are compared with what Python says, and what
// tensors give at once where a test asks for it. Where NumPy is not installed the test is skipped, and
// where PyTorch is not, the cases that need it.
'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { reference } = require('./oracles.js');

/** @typedef {[name: string, build: (v: Record<string, any>, graph: any) => any, python: string, tolerance?: number]} Case */

const script = path.join(__dirname, '..', 'oracle', 'python.py');
/** The first Python that has NumPy: Debian's packages serve Debian's own. */
const interpreter = ['python3', '/usr/bin/python3'].find(
  (each) => spawnSync(each, ['-c', 'import numpy'], { stdio: 'ignore' }).status === 0,
);

/** NumPy's names of dtypes, by letter and bytes. @type {Record<string, string>} */
const dtypes = {
  f64: '<f8', f32: '<f4', f16: '<f2', i64: '<i8', i32: '<i4', i16: '<i2', i8: '|i1', u64: '<u8', u32: '<u4', u16: '<u2', u8: '|u1', bool: '|b1',
};

/** @type {(array: any) => string} */
const base64 = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64');

/** Elements as numbers. @type {(dtype: any, data: any) => number[]} */
const numbersOf = (dtype, data) => Array.from(/16$/.test(dtype) && data instanceof Uint16Array ? tensor(data, { dtype }).convert('f64').data : data, Number);

/** @type {(result: [string, number[], string]) => { dtype: string, shape: number[], values: any[] }} */
function decode([name, shape, text]) {
  const dtype = Object.keys(dtypes).find((each) => dtypes[each] === name);
  assert.ok(dtype, `NumPy gave dtype ${name}`);
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  const like = /** @type {any} */ (tensor([], { dtype: /** @type {any} */ (dtype) })).data.constructor;
  return { dtype, shape, values: numbersOf(dtype, new like(bytes.buffer)) };
}

/** @type {(inputs: Record<string, any>, cases: string[]) => any} */
function python(inputs, cases) {
  const encoded = Object.entries(inputs).map(([name, { dtype, shape, data }]) => [name, [dtypes[dtype], shape, base64(data)]]);
  const input = JSON.stringify({ inputs: Object.fromEntries(encoded), cases });
  const { status, stdout, stderr } = spawnSync(/** @type {string} */ (interpreter), [script], { input, encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

/** Elements equal but for `tolerance`, relative above 1 and absolute below. @type {(got: any, want: any, tolerance: number, title: string) => void} */
function assertNear(got, want, tolerance, title) {
  assert.deepEqual([...got.shape], want.shape, `${title}: shape`);
  const values = numbersOf(got.dtype, got.data);
  for (const [i, value] of values.entries()) {
    const wanted = want.values[i];
    const same = Object.is(value, wanted) || value === wanted || Math.abs(value - wanted) <= tolerance * Math.max(1, Math.abs(wanted));
    assert.ok(same, `${title}: element ${i} is ${value}, but Python says ${wanted}`);
  }
}

/**
 * A test that cases agree with Python.
 *
 * @param {string} title
 * @param {Record<string, any>} inputs tensors, by their names in JavaScript and Python
 * @param {readonly Case[]} cases
 * @param {{ atOnce?: boolean }} [options] atOnce: whether tensors compute the cases as well
 */
function oracleTest(title, inputs, cases, { atOnce = false } = {}) {
  test(title, { skip: interpreter ? false : 'NumPy is not installed' }, () => {
    const graph = new Graph('oracle');
    const values = Object.fromEntries(
      Object.entries(inputs).map(([name, { dtype, shape }]) => [name, graph.input(name, dtype, [...shape])]),
    );
    for (const [name, build] of cases) graph.output(name, build(values, graph));
    const program = graph.compile({ optLevel: 1, numerics: 'strict' });
    const compiled = program.run(inputs);
    const expected = reference(graph, inputs);
    const { torch, results } = python(inputs, cases.map(([, , text]) => text));
    for (const [i, [name, build, text, tolerance]] of cases.entries()) {
      if (!torch && /\b(?:torch|F|t)\b[.(]/.test(text)) continue;
      assert.ok(Array.isArray(results[i]), `${name}: ${text}: ${results[i].error}`);
      const want = decode(results[i]);
      const within = tolerance ?? ({ f16: 0, f32: 2e-5 }[want.dtype] ?? 1e-11);
      assertNear(compiled[name], want, within, `${name}, compiled`);
      assertNear(expected[name], want, within, `${name}, reference`);
      if (atOnce) assertNear(build(inputs, null).contiguous(), want, within, `${name}, at once`);
    }
    program.dispose();
  });
}

module.exports = { oracleTest };
