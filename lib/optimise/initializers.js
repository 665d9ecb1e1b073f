/**
 * Initialisers: first values of parameters, by the names that JAX and Keras have for them.
 *
 * Each takes a key, a shape and options, and draws as lib/random does: the same key gives the same numbers everywhere.
 * Those with a fan count how many inputs and outputs an element has. A matrix is [in, out], as x.matmul(w) takes it;
 * beyond two axes the shape is that of a convolution, [out, in, ...window]. Options `inAxis` and `outAxis` say
 * otherwise, as for the weights of linear, which are [out, in].
 */
'use strict';

const { expected, finite, integer, positive, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { floatName } = require('../random/bits.js');
const { random } = require('../random/index.js');
const { full } = require('../tensor/create.js');
const { readAxis, readShape } = require('../tensor/views.js');

/** @typedef {(key: any, shape: any, options?: any) => any} Initializer */

/** The deviation of a standard normal number that is drawn again beyond 2. */
const TRUNCATED_DEVIATION = 0.87962566103423978;

const dtype = floatName;

/** @type {(name: string, value?: number) => Initializer} the key is not looked at */
const filled = (name, value) => (_key, shape, options) => {
  const caller = `initializers.${name}`;
  const own = readOptions(caller, options, value === undefined ? { dtype, value: finite } : { dtype });
  return full(readShape(shape, 'the shape', caller), value ?? own.value ?? 0, { dtype: own.dtype ?? 'f64' });
};

/** @type {Initializer} */
function normal(key, shape, options) {
  const { std = 0.01, mean = 0, ...own } = readOptions('initializers.normal', options, { dtype, std: positive, mean: finite });
  return random.normal(shape, { key, std, mean, ...own });
}

/** Normal numbers within two deviations, whose deviation then is `std`. @type {Initializer} */
function truncatedNormal(key, shape, options) {
  const { std = 0.01, ...own } = readOptions('initializers.truncatedNormal', options, { dtype, std: positive });
  const drawn = /** @type {any} */ (random.truncatedNormal(shape, { key, ...own }));
  return drawn.mul(std / TRUNCATED_DEVIATION);
}

/** @type {Initializer} */
function uniform(key, shape, options) {
  const own = readOptions('initializers.uniform', options, { dtype, low: finite, high: finite });
  const { low = -0.01, high = 0.01 } = own;
  return random.uniform(shape, { ...own, key, low, high });
}

/**
 * How many inputs and outputs an element has.
 *
 * @type {(shape: unknown, axes: { inAxis?: number, outAxis?: number }, caller: string) => [number, number]}
 */
function fansOf(shape, axes, caller) {
  const sizes = readShape(shape, 'the shape', caller);
  const { length: rank } = sizes;
  if (rank < 2) return expected(caller, 'at least two axes', 'the shape', shape, 'ERR_SHAPE');
  const { inAxis = rank === 2 ? 0 : 1, outAxis = rank === 2 ? 1 : 0 } = axes;
  const [from, to] = [inAxis, outAxis].map((axis) => (axis < 0 ? axis + rank : axis));
  for (const axis of [from, to]) {
    if (axis < 0 || axis >= rank) fail('ERR_SHAPE', `${caller}: there is no axis ${axis} among ${rank}`);
  }
  if (from === to) fail('ERR_SHAPE', `${caller}: axis ${from} cannot be both that of inputs and of outputs`);
  const window = sizes.reduce((product, size, axis) => (axis === from || axis === to ? product : product * size), 1);
  return [sizes[from] * window, sizes[to] * window];
}

/**
 * One whose variance is `scale` over a fan.
 *
 * @param {string} name
 * @param {number} scale
 * @param {(fanIn: number, fanOut: number) => number} fanOf
 * @param {'uniform' | 'normal'} kind
 * @returns {Initializer}
 */
const varianceScaling = (name, scale, fanOf, kind) => (key, shape, options) => {
  const caller = `initializers.${name}`;
  const own = readOptions(caller, options, { dtype, inAxis: integer(), outAxis: integer() });
  const deviation = Math.sqrt(scale / Math.max(1, fanOf(...fansOf(shape, own, caller))));
  const given = own.dtype === undefined ? {} : { dtype: own.dtype };
  if (kind === 'normal') return truncatedNormal(key, shape, { std: deviation, ...given });
  return uniform(key, shape, { low: -Math.sqrt(3) * deviation, high: Math.sqrt(3) * deviation, ...given });
};

/**
 * Orthonormal rows or columns, whichever are fewer, of inputs by outputs: the Q of normal numbers, with signs such that
 * R has a positive diagonal, which is uniform (Mezzadri, Notices of the AMS 54, 2007).
 *
 * @type {Initializer}
 */
function orthogonal(key, shape, options) {
  const caller = 'initializers.orthogonal';
  const known = { dtype, scale: finite, inAxis: integer(), outAxis: integer() };
  const { scale = 1, dtype: kind = 'f64', ...axes } = readOptions(caller, options, known);
  const sizes = readShape(shape, 'the shape', caller);
  fansOf(shape, axes, caller);
  const at = readAxis(axes.outAxis ?? (sizes.length === 2 ? 1 : 0), sizes.length, caller);
  const others = sizes.filter((_, axis) => axis !== at);
  const [count, columns] = [others.reduce((a, b) => a * b, 1), sizes[at]];
  const isWide = columns > count;
  const drawn = /** @type {any} */ (random.normal(isWide ? [columns, count] : [count, columns], { key, dtype: kind }));
  const { q, r } = drawn.qr();
  const signed = q.mul(r.diagonal().lt(0).select(-scale, scale).convert(kind));
  return (isWide ? signed.mT : signed).reshape([...others, columns]).moveaxis(-1, at);
}

const input = (/** @type {number} */ fanIn) => fanIn;
const average = (/** @type {number} */ fanIn, /** @type {number} */ fanOut) => (fanIn + fanOut) / 2;

const initializers = Object.freeze({
  constant: filled('constant'),
  /** Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks" (2010). */
  glorotNormal: varianceScaling('glorotNormal', 1, average, 'normal'),
  glorotUniform: varianceScaling('glorotUniform', 1, average, 'uniform'),
  /** He et al., "Delving deep into rectifiers" (2015), for layers in front of a relu. */
  heNormal: varianceScaling('heNormal', 2, input, 'normal'),
  heUniform: varianceScaling('heUniform', 2, input, 'uniform'),
  /** LeCun et al., "Efficient backprop" (1998). */
  lecunNormal: varianceScaling('lecunNormal', 1, input, 'normal'),
  lecunUniform: varianceScaling('lecunUniform', 1, input, 'uniform'),
  normal,
  ones: filled('ones', 1),
  /** Saxe, McClelland and Ganguli, arXiv:1312.6120 (2013). */
  orthogonal,
  truncatedNormal,
  uniform,
  zeros: filled('zeros', 0),
});

module.exports = { initializers };
