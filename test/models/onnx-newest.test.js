// The test cases of ONNX 1.23, each compiled, by the reference evaluator, and as strict WebAssembly.
//
// onnx-1.23.br has what the generators of ONNX (onnx/backend/test/case, licensed as Apache-2.0) gave with NumPy 1.24 and
// ml_dtypes 0.5.4: 1790 of 1854 cases, without those of 25000 bytes and more, whose ops have smaller ones but for Mish.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, test } = require('node:test');
const { unpack } = require('../support/onnx-archive.js');
const { CaseCheck, random } = require('../support/onnx-cases.js');

const noPictures = 'graphs decode no pictures';
const noTraining = 'Gradient is an op of training, which differentiates the graph around it';

/** Cases that do not pass, and why. @type {Readonly<Record<string, string>>} */
const known = {
  test_gradient_of_add: noTraining,
  test_gradient_of_add_and_mul: noTraining,
  test_image_decoder_decode_bmp_rgb: noPictures,
  test_image_decoder_decode_jpeg2k_rgb: noPictures,
  test_image_decoder_decode_jpeg_bgr: noPictures,
  test_image_decoder_decode_jpeg_grayscale: noPictures,
  test_image_decoder_decode_jpeg_rgb: noPictures,
  test_image_decoder_decode_png_rgb: noPictures,
  test_image_decoder_decode_pnm_rgb: noPictures,
  test_image_decoder_decode_tiff_rgb: noPictures,
  test_image_decoder_decode_webp_rgb: noPictures,
};

/** Of all cases that many pass at least. */
const LEAST_SHARE = 0.99;

const check = new CaseCheck(known);
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-onnx-'));

before(() => unpack(path.join(__dirname, 'onnx-1.23.br'), root));
after(() => fs.rmSync(root, { recursive: true, force: true }));

/** @type {(title: string, pattern: RegExp) => void} */
function cases(title, pattern) {
  test(title, async () => assert.deepEqual(await check.surprises(root, pattern), []));
}

cases('nodes, a and b', /^test_[ab]/i);
cases('nodes, c to f', /^test_[c-f]/i);
cases('nodes, g to n', /^test_[g-n]/i);
cases('nodes, o to r', /^test_[o-r]/i);
cases('nodes, s to z', /^test_[s-z]/i);

test('nearly all cases pass', () => {
  assert.ok(check.passed >= LEAST_SHARE * check.all, `${check.passed} of ${check.all}`);
});

test('the tests above have all cases, and the tables name cases that there are', () => {
  const folders = fs.readdirSync(root);
  assert.deepEqual(folders.filter((name) => !/^test_[a-z]/i.test(name)), []);
  assert.deepEqual([...Object.keys(known), ...Object.keys(random)].filter((name) => !folders.includes(name)), []);
});
