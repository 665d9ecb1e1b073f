/**
 * The public names of graphjit, for require(); index.mjs gives the same names to import.
 */
'use strict';

const { GraphError } = require('./base/errors.js');
const { functions: control } = require('./eager/control.js');
const { functions } = require('./eager/index.js');
const { registerCustomCall } = require('./graph/custom-call.js');
const { Graph } = require('./graph/graph.js');
const { targets } = require('./graph/object-file.js');
const { machine } = require('./graph/profile.js');
const { Program } = require('./graph/program.js');
const { Value } = require('./graph/value.js');
const create = require('./tensor/create.js');
const { dtypes } = require('./tensor/dtypes.js');
const { Tensor } = require('./tensor/tensor.js');

// Files and tracing are loaded when somebody asks for them: together they take a quarter of the time of all the rest.
/** @type {typeof import('./trace/jit.js').jit} */
const jit = (...args) => require('./trace/jit.js').jit(...args);
/** @type {typeof import('./native/index.js').native} */
const native = (...args) => require('./native/index.js').native(...args);
/** @type {typeof import('./native/derivatives.js').grad} */
const grad = (...args) => require('./native/derivatives.js').grad(...args);
/** @type {typeof import('./native/derivatives.js').valueAndGrad} */
const valueAndGrad = (...args) => require('./native/derivatives.js').valueAndGrad(...args);
/** @type {typeof import('./native/vectorize.js').vectorize} */
const vectorize = (...args) => require('./native/vectorize.js').vectorize(...args);
/** @type {typeof import('./files/index.js').load} */
const load = (...args) => require('./files/index.js').load(...args);
/** @type {typeof import('./files/index.js').save} */
const save = (...args) => require('./files/index.js').save(...args);

module.exports = {
  Graph,
  GraphError,
  Program,
  Tensor,
  Value,
  dtypes,
  grad,
  jit,
  load,
  machine,
  native,
  get prange() {
    return require('./native/source/prange.js').prange;
  },
  get random() {
    return require('./random/index.js').random;
  },
  registerCustomCall,
  save,
  targets,
  valueAndGrad,
  vectorize,
  ...create,
  ...functions,
  ...control,
};
