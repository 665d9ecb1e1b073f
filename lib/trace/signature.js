/**
 * What a traced function was called with: the trees of its arguments, the types of their leaves, its static
 * arguments. Calls with equal signatures share a trace.
 */
'use strict';

const { describe, expected } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { isValue } = require('../graph/value.js');
const { dtypeName, dtypeOf } = require('../tensor/dtypes.js');
const { Tensor } = require('../tensor/tensor.js');
const { flatten, isTensorLike, leafPaths, pathText, structureText } = require('./pytree.js');
const { staticText } = require('./static-arguments.js');
const { equalSizes, sizesOf, symbolicShape } = require('./symbolic-sizes.js');

/** @typedef {import('./pytree.js').Structure} Structure */
/** @typedef {import('../tensor/dtypes.js').DType} DType */
/** @typedef {'data' | 'number' | 'boolean' | 'bigint'} LeafKind */
/** @typedef {{ kind: LeafKind, dtype: DType, shape: readonly (number | string)[] }} Leaf a leaf, but for its elements */

/**
 * @typedef {object} Signature
 * @property {string} key
 * @property {(Structure | null)[]} structures per argument; null for a static one
 * @property {string[]} statics per argument what its value prints as; '' for those that are not static
 * @property {unknown[]} leaves of all arguments
 * @property {Leaf[]} types of the leaves, as they are
 * @property {import('./trace.js').LeafType[]} inputs of the graph
 */

/**
 * @typedef {object} Rules what jit() was told
 * @property {string} name
 * @property {readonly (string | undefined)[]} parameters
 * @property {ReadonlySet<number>} statics
 * @property {boolean | readonly unknown[]} symbolic
 */

/** @type {Readonly<Record<string, Leaf>>} */
const SCALARS = Object.freeze({
  number: { kind: 'number', dtype: 'f64', shape: Object.freeze([]) },
  boolean: { kind: 'boolean', dtype: 'bool', shape: Object.freeze([]) },
  bigint: { kind: 'bigint', dtype: 'i64', shape: Object.freeze([]) },
});

/** @type {(leaf: unknown) => Leaf} */
function leafType(leaf) {
  if (leaf instanceof Tensor) return { kind: 'data', dtype: leaf.dtype, shape: leaf.shape };
  const dtype = dtypeOf(leaf);
  if (dtype === undefined) return SCALARS[typeof leaf];
  return { kind: 'data', dtype, shape: Object.freeze([/** @type {any} */ (leaf).length]) };
}

/** @type {(spec: unknown) => spec is { dtype: unknown, shape?: unknown }} what lower() takes in place of a tensor */
function isSpec(spec) {
  if (isTensorLike(spec) || typeof spec !== 'object' || spec === null || Array.isArray(spec)) return false;
  const names = Object.keys(spec);
  return (
    names.includes('dtype') &&
    typeof (/** @type {any} */ (spec).dtype) === 'string' &&
    names.every((name) => name === 'dtype' || name === 'shape')
  );
}

/** @type {(spec: unknown, which: string) => Leaf} */
function specType(spec, which) {
  if (isValue(spec)) return expected('lower', 'a Tensor or a spec such as { dtype, shape }', which, spec);
  if (!isSpec(spec)) return leafType(spec);
  const { dtype, shape = [] } = spec;
  const sizes = typeof shape === 'number' || typeof shape === 'string' ? [shape] : shape;
  if (!Array.isArray(sizes))
    return expected('lower', "an array of sizes, such as ['n', 3],", `the shape of ${which}`, shape);
  const list = Array.from(sizes);
  const wrong = list.find((size) => typeof size !== 'string' && !(Number.isSafeInteger(size) && size >= 0));
  if (wrong !== undefined) expected('lower', 'sizes of at least 0 and symbols', `the shape of ${which}`, wrong);
  return { kind: 'data', dtype: dtypeName(dtype, `the dtype of ${which}`, 'lower'), shape: list };
}

/** @type {(names: readonly string[]) => string[]} the same, but that equal ones are numbered */
function distinct(names) {
  const used = new Set();
  return names.map((name) => {
    let own = name;
    for (let i = 2; used.has(own); i++) own = `${name}_${i}`;
    used.add(own);
    return own;
  });
}

/** @type {(rules: Rules, i: number) => string} */
const argumentName = ({ parameters }, i) => parameters[i] ?? `arg${i}`;

/**
 * @param {readonly Leaf[]} types
 * @param {readonly (readonly (import('./symbolic-sizes.js').Sizes | null)[])[]} sizes per argument and leaf, of a list of sizes
 * @param {readonly string[]} names of the inputs
 * @param {Rules} rules
 * @returns {(readonly (string | number)[])[]} shapes to trace with
 */
function tracedShapes(types, sizes, names, { symbolic, name }) {
  // Shapes of specs may have symbols of their own, which say what is meant.
  const plain = types.every(({ shape }) => shape.every((size) => typeof size === 'number'));
  const shapes = /** @type {(readonly number[])[]} */ (types.map(({ shape }) => shape));
  if (symbolic === true && plain) return equalSizes(shapes);
  const flat = sizes.flat();
  return shapes.map((shape, i) => symbolicShape(shape, flat[i] ?? null, `argument '${names[i]}'`, name));
}

/**
 * @param {readonly unknown[]} args
 * @param {Rules} rules
 * @param {'call' | 'lower'} purpose lower() takes specs in place of tensors
 * @returns {Signature}
 * @throws {import('../base/errors.js').GraphError} ERR_ARGUMENT for an argument that is no tree of tensors
 */
function signatureOf(args, rules, purpose) {
  const lowers = purpose === 'lower';
  const caller = lowers ? 'lower' : rules.name;
  const isLeaf = lowers ? (/** @type {unknown} */ value) => isTensorLike(value) || isSpec(value) : isTensorLike;
  const leafName = lowers ? 'a Tensor, a number, a spec such as { dtype, shape }' : 'a Tensor, a typed array, a number';
  /** @type {Signature} */
  const found = { key: '', structures: [], statics: [], leaves: [], types: [], inputs: [] };
  /** @type {string[]} */
  const names = [];
  /** @type {(import('./symbolic-sizes.js').Sizes | null)[][]} */
  const sizes = [];
  args.forEach((arg, i) => {
    const own = argumentName(rules, i);
    const which = `argument '${own}'`;
    const isStatic = rules.statics.has(i);
    found.statics.push(isStatic ? staticText(arg, caller, which) : '');
    if (isStatic) return found.structures.push(null);
    const { leaves, structure } = flattenArgument(arg, caller, which, { isLeaf, leafName, optional: true });
    for (const leaf of leaves) found.leaves.push(leaf);
    for (const path of leafPaths(structure)) names.push(pathText(path, own));
    if (Array.isArray(rules.symbolic)) sizes.push(sizesOf(structure, rules.symbolic[i], own, caller));
    return found.structures.push(structure);
  });
  const inputNames = distinct(names);
  found.types = found.leaves.map((leaf, i) =>
    lowers ? specType(leaf, `argument '${inputNames[i]}'`) : leafType(leaf),
  );
  if (found.leaves.some(isValue)) return found;
  const shapes = tracedShapes(found.types, sizes, inputNames, rules);
  found.inputs = found.types.map(({ kind, dtype }, i) => ({
    name: inputNames[i], dtype, shape: shapes[i], weak: kind === 'number' || kind === 'bigint',
  }));
  found.key = keyOf(found);
  return found;
}

/** @type {(arg: unknown, caller: string, which: string, rules: import('./pytree.js').TreeRules) => ReturnType<typeof flatten>} */
function flattenArgument(arg, caller, which, rules) {
  if (typeof arg !== 'string' && typeof arg !== 'function') return flatten(arg, caller, which, rules);
  return fail(
    'ERR_ARGUMENT',
    `${caller}: ${which} is ${describe(arg)}, which is no tensor: name it in option 'static' of jit`,
  );
}

/** @type {(found: Signature) => string} */
function keyOf({ structures, statics, types, inputs }) {
  const trees = structures.map((structure, i) => (structure === null ? `=${statics[i]}` : structureText(structure)));
  const leaves = types.map(
    ({ kind, dtype }, i) => `${kind === 'data' ? '' : kind}${dtype}[${inputs[i].shape.join(',')}]`,
  );
  return `${trees.join(';')}|${leaves.join(';')}`;
}

module.exports = { argumentName, signatureOf };
