/**
 * Graphs, programs, values and tensors with all their methods, and the functions on them: what nearly every program
 * that asks for anything needs. index.js loads it then; rooms that few programs enter it loads one by one.
 */
'use strict';

const { functions: control } = require('./eager/control.js');
const { functionOf } = require('./eager/index.js');
const { Graph } = require('./graph/graph.js');
const { Program } = require('./graph/program.js');
const { Value } = require('./graph/value.js');
const create = require('./tensor/create.js');
const { dtypes } = require('./tensor/dtypes.js');
const { noGrad } = require('./tensor/recording.js');
const { Tensor } = require('./tensor/tensor.js');

/** But for the operations, which are many. @type {Record<string, any>} */
const members = { Graph, Program, Tensor, Value, dtypes, noGrad, ...create, ...control };

/** What a public name stands for, made when it is asked for. @type {(name: string) => any} */
const member = (name) => (name in members ? members[name] : functionOf(name));

module.exports = { member, members };
