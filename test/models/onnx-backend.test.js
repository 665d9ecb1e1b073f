// The recorded cases of ONNX (Debian's package libonnx-testdata, of version 1.12), each compiled, by the reference
// evaluator, and as strict WebAssembly.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { failureOf, openCase } = require('../support/onnx-cases.js');

const root = '/usr/share/libonnx-testdata/data';
const skip = fs.existsSync(root) ? false : 'libonnx-testdata is not installed';

const otherShape = 'the file says [3, 4] of an input that has shape [1] in the record';
const noTraining = 'Gradient is an op of training, which differentiates the graph around it';
const otherNumbers = 'random numbers of another generator';

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

/** Cases whose results have no reason to be equal; types are. @type {Readonly<Record<string, string>>} */
const random = {
  test_bernoulli: otherNumbers,
  test_bernoulli_double: otherNumbers,
  test_bernoulli_double_expanded: otherNumbers,
  test_bernoulli_expanded: otherNumbers,
  test_bernoulli_seed: otherNumbers,
  test_bernoulli_seed_expanded: otherNumbers,
  test_training_dropout: otherNumbers,
  test_training_dropout_default: otherNumbers,
  test_training_dropout_default_mask: otherNumbers,
  test_training_dropout_mask: otherNumbers,
};

/** Of all cases that many pass at least. */
const LEAST_SHARE = 0.98;

const counts = { all: 0, passed: 0 };

/** @type {(folder: string) => string | undefined} what is wrong with shapes and dtypes */
function wrongTypes(folder) {
  const { model, sets } = openCase(folder);
  try {
    for (const { inputs, outputs } of sets) {
      const results = model.run(inputs);
      const typeOf = (/** @type {any} */ { dtype, shape }) => `${dtype}[${shape}]`;
      const wrong = Object.keys(outputs).find((name) => typeOf(results[name]) !== typeOf(outputs[name]));
      if (wrong !== undefined) return `${wrong} has another type`;
    }
    return undefined;
  } finally {
    model.dispose();
  }
}

/** @type {(folder: string, name: string) => Promise<string | undefined>} a line for what is not as the tables say */
async function surprise(folder, name) {
  counts.all++;
  const why = name in random ? wrongTypes(folder) : await failureOf(folder);
  if (why === undefined) counts.passed++;
  if (name in known) return why === undefined ? `${name} passes: take it out of the table` : undefined;
  return why === undefined ? undefined : `${name}: ${why}`;
}

/** @type {(set: string, title: string, pattern?: RegExp) => void} */
function cases(set, title, pattern = /./) {
  test(title, { skip }, async () => {
    const isCase = (/** @type {string} */ name) => fs.existsSync(path.join(root, set, name, 'model.onnx'));
    const names = fs.readdirSync(path.join(root, set)).filter((name) => pattern.test(name) && isCase(name));
    const lines = [];
    for (const name of names) lines.push(await surprise(path.join(root, set, name), name));
    assert.deepEqual(lines.filter(Boolean), []);
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
  assert.ok(counts.passed >= LEAST_SHARE * counts.all, `${counts.passed} of ${counts.all}`);
});

test('the tables name cases that there are', { skip }, () => {
  const folders = fs.readdirSync(root).flatMap((set) => fs.readdirSync(path.join(root, set)));
  assert.deepEqual([...Object.keys(known), ...Object.keys(random)].filter((name) => !folders.includes(name)), []);
});
