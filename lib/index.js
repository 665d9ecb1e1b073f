/**
 * The public names of graphjit, for require(); index.mjs gives the same names to import.
 */
'use strict';

const { GraphError } = require('./errors.js');
const { dtypes } = require('./dtypes.js');
const { associativeScan } = require('./associative.js');
const { control } = require('./control.js');
const { registerCustomCall } = require('./custom.js');
const { functions } = require('./eager/index.js');
const { Graph } = require('./graph.js');
const { targets } = require('./object.js');
const { machine } = require('./profile.js');
const { Program } = require('./program.js');
const { Tensor } = require('./tensor.js');
const { Value } = require('./value.js');
const create = require('./create.js');

// Files and tracing are loaded when somebody asks for them: together they take a quarter of the time of all the rest.
/** @type {typeof import('./jit.js').jit} */
const jit = (...args) => require('./jit.js').jit(...args);
/** @type {typeof import('./frontends/function/index.js').native} */
const native = (...args) => require('./frontends/function/index.js').native(...args);
/** @type {typeof import('./frontends/function/grad.js').grad} */
const grad = (...args) => require('./frontends/function/grad.js').grad(...args);
/** @type {typeof import('./frontends/function/grad.js').valueAndGrad} */
const valueAndGrad = (...args) => require('./frontends/function/grad.js').valueAndGrad(...args);
/** @type {typeof import('./frontends/function/vectorize.js').vectorize} */
const vectorize = (...args) => require('./frontends/function/vectorize.js').vectorize(...args);
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
    return require('./frontends/function/prange.js').prange;
  },
  get random() {
    return require('./random.js').random;
  },
  registerCustomCall,
  save,
  targets,
  valueAndGrad,
  vectorize,
  ...create,
  ...functions,
  ...control,
  associativeScan,
};
