/**
 * Optimisers, schedules, clipping, initialisers and solvers: what trains models and fits curves, as functions over
 * trees of tensors.
 */
'use strict';

const { clipByGlobalNorm, clipByNorm, globalNorm } = require('./clipping.js');
const { initializers } = require('./initializers.js');
const { adam, adamW, lion, rmsprop, sgd } = require('./optimisers.js');
const { schedules } = require('./schedules.js');
const { fixedPoint } = require('./solve/fixed-point.js');
const { leastSquares } = require('./solve/least-squares.js');
const { minimize } = require('./solve/minimize.js');
const { root } = require('./solve/root.js');

module.exports = {
  adam,
  adamW,
  clipByGlobalNorm,
  clipByNorm,
  fixedPoint,
  globalNorm,
  initializers,
  leastSquares,
  lion,
  minimize,
  rmsprop,
  root,
  schedules,
  sgd,
};
