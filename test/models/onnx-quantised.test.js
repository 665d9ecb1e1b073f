// Ops on quantised numbers against what onnxruntime gives, and what they do where it does not say.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { resultsOf, modelOf } = require('../support/onnx-node.js');
const { checkRecorded } = require('../support/onnx-node.js');

checkRecorded(require('./onnx-quantised-cases.js'), require('./onnx-quantised.json'));
