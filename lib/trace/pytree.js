/**
 * Trees of tensors: arrays and plain objects, nested, with something that stands for a tensor at each leaf.
 *
 * Functions of tensors take and give such trees: the parameters of a model, the state of a loop. Here a tree
 * is taken apart into its leaves and its *structure*, and put together again from both. Arrays and objects
 * keep their order; objects count by their own enumerable names, in the order in which these were added.
 * `null` is a tree without leaves, and so is `undefined` where a caller allows it. What is neither a leaf nor
 * one of these (a Map, a Date, an instance of a class) is refused, with the path to it: guessing what to do
 * with it would lose data silently.
 *
 * Trees come from strangers. Every property is read once; holes, cycles and trees of absurd size are errors
 * instead of endless walks; names such as `__proto__` are names like any other.
 */
'use strict';

const { describe } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { isScalar, isValue } = require('../graph/value.js');
const { dtypeOf } = require('../tensor/dtypes.js');
const { Tensor } = require('../tensor/tensor.js');

/** Beyond this many levels a tree is refused; recursion has a limit as well. */
const MAX_DEPTH = 200;

/** So many nodes are no tree of tensors but an array of numbers, or one object held in exponentially many places. */
const MAX_NODES = 100_000;

/**
 * @typedef {object} Structure
 * @property {'leaf' | 'null' | 'undefined' | 'array' | 'object'} kind
 * @property {readonly string[]} names of an object's children
 * @property {readonly Structure[]} children
 */

/** @typedef {readonly (string | number)[]} Path */

/**
 * @typedef {object} TreeRules
 * @property {(value: unknown) => boolean} [isLeaf] what counts as a leaf: isTensorLike when left out
 * @property {boolean} [optional] whether undefined is a tree without leaves
 * @property {string} [leafName] what messages call a leaf
 */

/** @type {(kind: Structure['kind'], children?: readonly Structure[], names?: readonly string[]) => Structure} */
const structureOf = (kind, children = [], names = []) =>
  Object.freeze({ kind, names: Object.freeze(names), children: Object.freeze(children) });

const LEAF = structureOf('leaf');
const NULL = structureOf('null');
const UNDEFINED = structureOf('undefined');

/** @type {(value: unknown) => boolean} whether a value stands for one tensor */
const isTensorLike = (value) =>
  value instanceof Tensor || isValue(value) || isScalar(value) || dtypeOf(value) !== undefined;

/** @type {(value: unknown) => value is Record<string, unknown>} */
function isPlainObject(value) {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  // An object of another realm (a vm context) has that realm's Object.prototype.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

/**
 * A path as source text would have it: `layers[0].w`, `["odd name"]`.
 *
 * @param {Path} path
 * @param {string} [root] what the path starts from
 * @returns {string}
 */
function pathText(path, root = '') {
  let text = root;
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

// ------------------------------------------------------------------------------------ taking apart

/**
 * What ends a walk. The error is made where the walk began: from deep inside its stack would not reach the user's line.
 */
class Refusal {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** One walk through a tree. */
class Walk {
  /**
   * @param {string} root what messages call the tree
   * @param {TreeRules} rules
   */
  constructor(root, { isLeaf = isTensorLike, optional = false, leafName = 'a Tensor or a number' }) {
    this.root = root;
    this.isLeaf = isLeaf;
    this.optional = optional;
    this.leafName = leafName;
    /** @type {unknown[]} */
    this.leaves = [];
    this.visited = 0;
    /** @type {(string | number)[]} */
    this.path = [];
    /** @type {object[]} the arrays and objects that hold the current one */
    this.ancestors = [];
  }

  /** @type {(text: string) => never} */
  refuse(text) {
    throw new Refusal(`${pathText(this.path, this.root)} ${text}`);
  }

  /**
   * @param {unknown} tree
   * @returns {Structure}
   */
  visit(tree) {
    if (++this.visited > MAX_NODES) {
      this.refuse(`is one of more than ${MAX_NODES} values: pass a tensor in place of an array of numbers`);
    }
    if (this.isLeaf(tree)) {
      this.leaves.push(tree);
      return LEAF;
    }
    if (tree === null) return NULL;
    if (tree === undefined && this.optional) return UNDEFINED;
    if (Array.isArray(tree)) return this.#inside(tree, () => this.#array(tree));
    if (isPlainObject(tree)) return this.#inside(tree, () => this.#object(tree));
    return this.refuse(`is ${describe(tree)}, expected ${this.leafName}, null, or arrays and plain objects of them`);
  }

  /** @type {(tree: object, visit: () => Structure) => Structure} */
  #inside(tree, visit) {
    if (this.ancestors.includes(tree)) this.refuse('holds itself: a tree has no cycles');
    if (this.ancestors.length === MAX_DEPTH) this.refuse(`is nested more than ${MAX_DEPTH} levels deep`);
    this.ancestors.push(tree);
    const structure = visit();
    this.ancestors.pop();
    return structure;
  }

  /** @type {(step: string | number, value: unknown) => Structure} */
  #child(step, value) {
    this.path.push(step);
    const structure = this.visit(value);
    this.path.pop();
    return structure;
  }

  /** @param {readonly unknown[]} array */
  #array(array) {
    const { length } = array;
    /** @type {Structure[]} */
    const children = [];
    for (let i = 0; i < length; i++) {
      const value = array[i];
      if (value === undefined && !Object.hasOwn(array, i)) this.refuse(`has a hole at ${i}`);
      children.push(this.#child(i, value));
    }
    return structureOf('array', children);
  }

  /** @param {Record<string, unknown>} object */
  #object(object) {
    const names = Object.keys(object);
    return structureOf(
      'object',
      names.map((name) => this.#child(name, object[name])),
      names,
    );
  }
}

/**
 * Takes a tree apart.
 *
 * @param {unknown} tree
 * @param {string} caller what begins messages
 * @param {string} root what messages call the tree, such as "argument 'x'"
 * @param {TreeRules} [rules]
 * @returns {{ leaves: unknown[], structure: Structure }}
 * @throws {import('../base/errors.js').GraphError} ERR_ARGUMENT for what is no tree, with the path to it
 */
function flatten(tree, caller, root, rules = {}) {
  const walk = new Walk(root, rules);
  try {
    const structure = walk.visit(tree);
    return { leaves: walk.leaves, structure };
  } catch (refusal) {
    if (refusal instanceof Refusal) return fail('ERR_ARGUMENT', `${caller}: ${refusal.text}`);
    throw refusal;
  }
}

/**
 * Takes a tree apart that must have a given structure; names of objects may come in another order.
 *
 * @param {Structure} structure
 * @param {unknown} tree
 * @param {string} caller
 * @param {string} root
 * @param {string} other what the structure is that of, such as 'the initial state'
 * @param {TreeRules} [rules]
 * @returns {unknown[]} the leaves in the order of the structure
 */
function flattenAs(structure, tree, caller, root, other, rules = {}) {
  const given = flatten(tree, caller, root, rules);
  /** @type {unknown[]} */
  const leaves = [];
  let next = 0;
  let difference = '';
  /** @type {(wanted: Structure, got: Structure, path: Path, at: number) => boolean} */
  const take = (wanted, got, path, at) => {
    const { kind } = wanted;
    const differs = () => {
      difference = `${pathText(path, root)} is ${shortText(got)}, expected ${shortText(wanted)}`;
      return false;
    };
    if (kind !== got.kind || wanted.children.length !== got.children.length) return differs();
    if (kind === 'leaf') leaves[at] = given.leaves[next++];
    /** @type {number[]} where the leaves of each child of `wanted` begin */
    const starts = [];
    for (const child of wanted.children) {
      starts.push(at);
      at += countLeaves(child);
    }
    const isObject = kind === 'object';
    const places = isObject ? placesOf(wanted.names) : undefined;
    return got.children.every((child, i) => {
      const place = places === undefined ? i : places.get(got.names[i]);
      if (place === undefined) return differs();
      return take(wanted.children[place], child, [...path, isObject ? got.names[i] : i], starts[place]);
    });
  };
  if (!take(structure, given.structure, [], 0)) fail('ERR_ARGUMENT', `${caller}: ${difference} as in ${other}`);
  return leaves;
}

/** @type {(names: readonly string[]) => Map<string, number>} */
const placesOf = (names) => new Map(names.map((name, i) => [name, i]));

/** @type {(structure: Structure) => string} what a message calls one node of a structure */
function shortText({ kind, names, children }) {
  if (kind === 'array') return `an array of ${children.length}`;
  if (kind !== 'object') return kind === 'leaf' ? 'a tensor' : kind;
  return names.length === 0 ? 'an empty object' : `an object with ${names.join(', ')}`;
}

// ----------------------------------------------------------------------------------- putting together

/**
 * @param {Structure} structure
 * @param {readonly unknown[]} leaves as many as the structure has
 * @returns {any}
 */
function unflatten(structure, leaves) {
  let next = 0;
  /** @type {(node: Structure) => unknown} */
  const build = ({ kind, names, children }) => {
    switch (kind) {
      case 'leaf':
        return leaves[next++];
      case 'array':
        return children.map(build);
      case 'object': {
        /** @type {Record<string, unknown>} */
        const object = {};
        for (let i = 0; i < names.length; i++) {
          const value = build(children[i]);
          if (names[i] !== '__proto__') object[names[i]] = value;
          else
            Object.defineProperty(object, '__proto__', { value, writable: true, enumerable: true, configurable: true });
        }
        return object;
      }
      default:
        return kind === 'null' ? null : undefined;
    }
  };
  return build(structure);
}

/**
 * Collects the leaves of a tree that is likely to have a given structure, names in the same order included.
 *
 * @param {Structure} structure
 * @param {any} tree
 * @param {(value: unknown) => boolean} isLeaf
 * @param {unknown[]} leaves gets them appended
 * @returns {boolean} false when the tree is another; then `leaves` holds some of its leaves
 */
function collect(structure, tree, isLeaf, leaves) {
  const { kind, names, children } = structure;
  if (kind === 'leaf') {
    leaves.push(tree);
    return isLeaf(tree);
  }
  if (kind === 'null') return tree === null;
  if (kind === 'undefined') return tree === undefined;
  if (kind === 'array') {
    if (!Array.isArray(tree) || tree.length !== children.length) return false;
    for (let i = 0; i < children.length; i++) if (!collect(children[i], tree[i], isLeaf, leaves)) return false;
    return true;
  }
  if (!isPlainObject(tree) || isLeaf(tree)) return false;
  const own = Object.keys(tree);
  if (own.length !== names.length) return false;
  for (let i = 0; i < own.length; i++) {
    if (own[i] !== names[i] || !collect(children[i], tree[own[i]], isLeaf, leaves)) return false;
  }
  return true;
}

// ------------------------------------------------------------------------------------------- looking

/** @type {(structure: Structure) => number} */
function countLeaves({ kind, children }) {
  let count = kind === 'leaf' ? 1 : 0;
  for (const child of children) count += countLeaves(child);
  return count;
}

/**
 * A text that two structures share exactly if they are the same: `[*,{"w":*,"b":null}]`.
 *
 * @param {Structure} structure
 * @returns {string}
 */
function structureText({ kind, names, children }) {
  if (kind === 'array') return `[${children.map(structureText).join(',')}]`;
  if (kind === 'object')
    return `{${children.map((child, i) => `${JSON.stringify(names[i])}:${structureText(child)}`).join(',')}}`;
  return kind === 'leaf' ? '*' : kind;
}

/**
 * The path of every leaf, in order.
 *
 * @param {Structure} structure
 * @returns {Path[]}
 */
function leafPaths(structure) {
  /** @type {Path[]} */
  const paths = [];
  /** @type {(node: Structure, path: Path) => void} */
  const walk = ({ kind, names, children }, path) => {
    if (kind === 'leaf') paths.push(path);
    children.forEach((child, i) => walk(child, [...path, kind === 'object' ? names[i] : i]));
  };
  walk(structure, []);
  return paths;
}

module.exports = {
  collect,
  countLeaves,
  flatten,
  flattenAs,
  isTensorLike,
  leafPaths,
  pathText,
  structureText,
  unflatten,
};
