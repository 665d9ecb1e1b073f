/**
 * Sizes that a traced function is open about: the option `symbolic` of jit().
 *
 * With `true`, sizes that are equal in the call that is traced share a symbol, and another pattern of equal
 * sizes is another trace: the function may rely on two sizes being equal, and says nothing when it does.
 * Size 1 stays what it is, since it broadcasts. A list says it per argument instead, such as
 * `[['n', 4], null]`; then calls whose sizes contradict it are errors.
 */
'use strict';

const { describe, expected, isOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { pathText } = require('./pytree.js');

/** @typedef {import('./pytree.js').Structure} Structure */
/** @typedef {readonly (string | number | null)[]} Sizes null for whatever a call has there */

/** @type {import('../base/check.js').Getter<boolean | readonly unknown[]>} */
function symbolicOption(value, which, caller) {
  if (typeof value === 'boolean' || Array.isArray(value)) return value;
  return expected(caller, 'true, or an array with the sizes of each argument', which, value);
}

/** @type {(shapes: readonly (readonly number[])[]) => (string | number)[][]} */
function equalSizes(shapes) {
  /** @type {Map<number, string>} */
  const symbols = new Map();
  return shapes.map((shape) =>
    shape.map((size) => {
      if (size === 1) return 1;
      const symbol = symbols.get(size) ?? `n${symbols.size}`;
      symbols.set(size, symbol);
      return symbol;
    }),
  );
}

/** @type {(size: unknown) => size is string | number | null} */
const isSize = (size) => size === null || typeof size === 'string' || (Number.isSafeInteger(size) && Number(size) >= 0);

/**
 * The sizes that a specification gives to each leaf of an argument: null where it says nothing.
 *
 * @param {Structure} structure of the argument
 * @param {unknown} spec
 * @param {string} root what messages call the argument
 * @param {string} caller
 * @returns {(Sizes | null)[]}
 */
function sizesOf(structure, spec, root, caller) {
  /** @type {(Sizes | null)[]} */
  const found = [];
  /** @type {(node: Structure, own: unknown, path: readonly (string | number)[]) => void} */
  const walk = ({ kind, names, children }, own, path) => {
    const which = () => `option 'symbolic' at ${pathText(path, root)}`;
    if (kind === 'leaf') {
      const given = own ?? null;
      const fits = given === null || (Array.isArray(given) && given.every(isSize));
      if (!fits) expected(caller, "null or an array of sizes, such as ['n', 4]", which(), given);
      found.push(/** @type {Sizes | null} */ (given));
      return;
    }
    const isTree = kind === 'object' ? isOptions(own) : Array.isArray(own);
    if (own !== undefined && own !== null && !isTree)
      expected(
        caller,
        `null or sizes for ${kind === 'object' ? names.join(', ') : `each of ${children.length}`}`,
        which(),
        own,
      );
    children.forEach((child, i) => {
      const step = kind === 'object' ? names[i] : i;
      const inner = isTree && Object.hasOwn(/** @type {object} */ (own), step) ? /** @type {any} */ (own)[step] : null;
      walk(child, inner, [...path, step]);
    });
  };
  walk(structure, spec, []);
  return found;
}

/**
 * The sizes to trace with, for an argument's leaf of a given shape.
 *
 * @param {readonly number[]} shape
 * @param {Sizes | null} sizes
 * @param {string} which
 * @param {string} caller
 * @returns {readonly (string | number)[]}
 */
function symbolicShape(shape, sizes, which, caller) {
  if (sizes === null) return shape;
  const fits =
    sizes.length === shape.length && sizes.every((size, axis) => typeof size !== 'number' || size === shape[axis]);
  if (!fits)
    fail('ERR_SHAPE', `${caller}: ${which} has shape [${shape.join(', ')}], option 'symbolic' says ${describe(sizes)}`);
  return sizes.map((size, axis) => size ?? shape[axis]);
}

module.exports = { equalSizes, sizesOf, symbolicOption, symbolicShape };
