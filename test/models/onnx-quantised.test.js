// Ops on quantised numbers against what onnxruntime gives.
'use strict';

const { checkOpen, checkRecorded } = require('../support/onnx-node.js');
const cases = require('./onnx-quantised-cases.js');
const recorded = require('./onnx-quantised.json');

checkRecorded(cases, recorded);

checkOpen({
  'quantise along an axis': { x: ['n', 3, 'm'] },
  'quantise dynamically': { x: ['n', 'm'] },
  'dequantise along an axis': { x: ['n', 3, 'm'] },
  'multiply matrices of integers': { a: ['b', 'n', 4] },
  'multiply quantised matrices': { a: ['b', 'n', 8] },
  'convolve quantised': { x: ['n', 3, 'h', 'w'] },
  'convolve integers': { x: ['n', 2, 'h', 'w'] },
}, cases, recorded);
