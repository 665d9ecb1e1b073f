/**
 * The public names of graphjit, for require(); index.mjs gives the same names to import.
 */
'use strict';

const { GraphError } = require('./errors.js');
const { dtypes } = require('./dtypes.js');
const { control } = require('./control.js');
const { registerCustomCall } = require('./custom.js');
const { functions } = require('./eager/index.js');
const { load, save } = require('./files/index.js');
const { Graph } = require('./graph.js');
const { targets } = require('./object.js');
const { jit } = require('./jit.js');
const { machine } = require('./profile.js');
const { Program } = require('./program.js');
const { random } = require('./random.js');
const { Tensor } = require('./tensor.js');
const { Value } = require('./value.js');
const create = require('./create.js');

module.exports = {
  Graph,
  GraphError,
  Program,
  Tensor,
  Value,
  dtypes,
  jit,
  load,
  machine,
  random,
  registerCustomCall,
  save,
  targets,
  ...create,
  ...functions,
  ...control,
};
