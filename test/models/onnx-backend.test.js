// The recorded cases of ONNX (Debian's package libonnx-testdata, of version 1.12), each compiled, by the reference
// evaluator, and as strict WebAssembly.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { CaseCheck, random } = require('../support/onnx-cases.js');

const root = '/usr/share/libonnx-testdata/data';
const skip = fs.existsSync(root) ? false : 'libonnx-testdata is not installed';

const otherShape = 'the file says [3, 4] of an input that has shape [1] in the record';
const noTraining = 'Gradient is an op of training, which differentiates the graph around it';

const otherEpsilon = 'recorded with an epsilon of 0.01, which the node does not name';

/** Cases that do not pass, and why. @type {Readonly<Record<string, string>>} */
const known = {
  test_adam_multiple: otherEpsilon,
  test_castlike_BFLOAT16_to_FLOAT: otherShape,
  test_castlike_BFLOAT16_to_FLOAT_expanded: otherShape,
  test_castlike_FLOAT_to_BFLOAT16: otherShape,
  test_castlike_FLOAT_to_BFLOAT16_expanded: otherShape,
  test_gradient_of_add: noTraining,
  test_gradient_of_add_and_mul: noTraining,
};

/** Of all cases that many pass at least. */
const LEAST_SHARE = 0.98;

const check = new CaseCheck(known);

/** @type {(set: string, title: string, pattern?: RegExp) => void} */
function cases(set, title, pattern) {
  test(title, { skip }, async () => {
    assert.deepEqual(await check.surprises(path.join(root, set), pattern), []);
  });
}

cases('node', 'nodes, a to c', /^test_[a-c]/i);
cases('node', 'nodes, d to l', /^test_[d-l]/i);
cases('node', 'nodes, m to r', /^test_[m-r]/i);
cases('node', 'nodes, s', /^test_s/i);
cases('node', 'nodes, t to z', /^test_[t-z]/i);
cases('simple', 'small models');
cases('pytorch-operator', 'operators as PyTorch exported them');
cases('pytorch-converted', 'layers as PyTorch exported them');

test('nearly all cases pass', { skip }, () => {
  assert.ok(check.passed >= LEAST_SHARE * check.all, `${check.passed} of ${check.all}`);
});

test('the tables name cases that there are', { skip }, () => {
  const folders = fs.readdirSync(root).flatMap((set) => fs.readdirSync(path.join(root, set)));
  assert.deepEqual([...Object.keys(known), ...Object.keys(random)].filter((name) => !folders.includes(name)), []);
});
