/**
 * The public names of graphjit, for require(); index.mjs gives the same names to import.
 *
 * Requiring it loads the addon, so that a machine without a fitting one is told at once, and next to nothing else:
 * what a name stands for is loaded when somebody asks for it. The names alone are known before.
 */
'use strict';

require('./base/binding.js');
const { GraphError } = require('./base/errors.js');
const { names: operations } = require('./ops/names.js');

/** The names that library.js knows. */
const names = [
  ...['Graph', 'Program', 'Tensor', 'Value', 'dtypes', 'noGrad'],
  ...['arange', 'asTensor', 'empty', 'eye', 'full', 'fullLike', 'linspace', 'ones', 'onesLike', 'tensor', 'zeros'],
  ...['zerosLike', 'associativeScan', 'cond', 'forLoop', 'map', 'scan', 'switchCase', 'whileLoop'],
  ...Object.values(operations).flat(),
];

/** With it values and tensors get their methods, which all other rooms count on. */
const library = () => require('./library.js');

/**
 * A function of another room.
 *
 * @template {(...args: any[]) => any} F
 * @param {string} name
 * @param {() => F} find
 * @returns {F}
 */
function late(name, find) {
  const named = {
    [name](/** @type {any[]} */ ...args) {
      library();
      return find()(...args);
    },
  };
  return /** @type {F} */ (named[name]);
}

/** What trains and fits. */
const optimise = () => {
  library();
  return require('./optimise/index.js');
};

/** Static maps. */
const maps = () => require('./maps/index.js');

/** Expressions over columns need neither values nor tensors. */
const columns = () => require('./columns/index.js');

module.exports = {
  adam: late('adam', () => optimise().adam),
  adamW: late('adamW', () => optimise().adamW),
  clipByGlobalNorm: late('clipByGlobalNorm', () => optimise().clipByGlobalNorm),
  clipByNorm: late('clipByNorm', () => optimise().clipByNorm),
  get Expression() {
    return columns().Expression;
  },
  get expr() {
    return columns().expr;
  },
  get Forest() {
    library();
    return require('./forests/index.js').Forest;
  },
  cidrRange: late('cidrRange', () => maps().cidrRange),
  compileMap: late('compileMap', () => maps().compileMap),
  compileRanges: late('compileRanges', () => maps().compileRanges),
  compileSet: late('compileSet', () => maps().compileSet),
  compileTrie: late('compileTrie', () => maps().compileTrie),
  evolve: late('evolve', () => require('./evolve/index.js').evolve),
  evolveAsync: late('evolveAsync', () => require('./evolve/index.js').evolveAsync),
  checkpoint: late('checkpoint', () => require('./transform/overrides.js').checkpoint),
  customGrad: late('customGrad', () => require('./transform/overrides.js').customGrad),
  GraphError,
  grad: late('grad', () => require('./transform/index.js').grad),
  gradients: late('gradients', () => require('./transform/index.js').gradients),
  hessian: late('hessian', () => require('./transform/jacobian.js').hessian),
  hvp: late('hvp', () => require('./transform/jacobian.js').hvp),
  jacobian: late('jacobian', () => require('./transform/jacobian.js').jacobian),
  jit: late('jit', () => require('./trace/jit.js').jit),
  jvp: late('jvp', () => require('./transform/index.js').jvp),
  fixedPoint: late('fixedPoint', () => optimise().fixedPoint),
  globalNorm: late('globalNorm', () => optimise().globalNorm),
  get initializers() {
    return optimise().initializers;
  },
  leastSquares: late('leastSquares', () => optimise().leastSquares),
  lion: late('lion', () => optimise().lion),
  load: late('load', () => require('./models/index.js').load),
  get Model() {
    library();
    return require('./models/model.js').Model;
  },
  minimize: late('minimize', () => optimise().minimize),
  machine: late('machine', () => require('./graph/profile.js').machine),
  native: late('native', () => require('./native/index.js').native),
  get prange() {
    library();
    return require('./native/source/prange.js').prange;
  },
  get random() {
    library();
    return require('./random/index.js').random;
  },
  population: late('population', () => require('./evolve/index.js').population),
  registerCustomCall: late('registerCustomCall', () => require('./graph/custom-call.js').registerCustomCall),
  get schedules() {
    return optimise().schedules;
  },
  get ScriptModule() {
    library();
    return require('./models/torch/script-module.js').ScriptModule;
  },
  rmsprop: late('rmsprop', () => optimise().rmsprop),
  root: late('root', () => optimise().root),
  save: late('save', () => require('./files/index.js').save),
  sgd: late('sgd', () => optimise().sgd),
  get Table() {
    return columns().Table;
  },
  get table() {
    return columns().table;
  },
  get tableAsync() {
    return columns().tableAsync;
  },
  symbolicRegression: late('symbolicRegression', () => require('./evolve/index.js').symbolicRegression),
  targets: late('targets', () => require('./graph/object-file.js').targets),
  get useArrow() {
    return columns().useArrow;
  },
  valueAndGrad: late('valueAndGrad', () => require('./transform/index.js').valueAndGrad),
  vectorize: late('vectorize', () => require('./native/vectorize.js').vectorize),
  vmap: late('vmap', () => require('./transform/vmap.js').vmap),
  vjp: late('vjp', () => require('./transform/index.js').vjp),
};

/** Of trees; the operation of the name is of one value. */
const stopGradient = late('stopGradient', () => require('./transform/overrides.js').stopGradient);
Object.defineProperty(module.exports, 'stopGradient', { value: stopGradient, enumerable: true });

for (const name of names.filter((each) => each !== 'stopGradient')) {
  /** @type {any} */
  let own;
  /** From then on a property as any other. @param {object} holder @param {any} value */
  const settle = (holder, value) =>
    Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
  Object.defineProperty(module.exports, name, {
    get() {
      own ??= library().member(name);
      if (Object.getOwnPropertyDescriptor(module.exports, name)?.configurable) settle(module.exports, own);
      return own;
    },
    set(value) {
      settle(this, value);
    },
    enumerable: true,
    configurable: true,
  });
}
