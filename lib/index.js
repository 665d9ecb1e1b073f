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
  ...['Graph', 'Program', 'Tensor', 'Value', 'dtypes'],
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
 * @param {() => F} find
 * @returns {F}
 */
const late = (find) =>
  /** @type {F} */ (
    (...args) => {
      library();
      return find()(...args);
    }
  );

module.exports = {
  GraphError,
  grad: late(() => require('./native/derivatives.js').grad),
  jit: late(() => require('./trace/jit.js').jit),
  load: late(() => require('./files/index.js').load),
  machine: late(() => require('./graph/profile.js').machine),
  native: late(() => require('./native/index.js').native),
  get prange() {
    library();
    return require('./native/source/prange.js').prange;
  },
  get random() {
    library();
    return require('./random/index.js').random;
  },
  registerCustomCall: late(() => require('./graph/custom-call.js').registerCustomCall),
  save: late(() => require('./files/index.js').save),
  targets: late(() => require('./graph/object-file.js').targets),
  valueAndGrad: late(() => require('./native/derivatives.js').valueAndGrad),
  vectorize: late(() => require('./native/vectorize.js').vectorize),
};

for (const name of names) {
  Object.defineProperty(module.exports, name, {
    get() {
      const value = library().member(name);
      // From now on a property as any other.
      Object.defineProperty(module.exports, name, { value, enumerable: true, configurable: true, writable: true });
      return value;
    },
    enumerable: true,
    configurable: true,
  });
}
