/**
 * Trees of tensors in files that hold tensors by name: `{ layers: [{ w, b }] }` has the names `layers.0.w` and
 * `layers.0.b`, as in PyTorch.
 *
 * An array is a level of names where there are tensors or objects in it, and else data. Names may come from strangers:
 * they become own properties, whatever they are, and are as deep as a tree may be.
 */
'use strict';

const { describe, isOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { Tensor } = require('../tensor/tensor.js');

/** As deep as trees of tensors may be (trace/pytree.js). */
const MAX_DEPTH = 200;

/** @type {(value: unknown) => boolean} whether there are names below it */
const isLevel = (value) =>
  !(value instanceof Tensor) &&
  (isOptions(value) || (Array.isArray(value) && value.some((each) => each instanceof Tensor || isLevel(each))));

/**
 * What a tree holds, by name; `null` holds nothing.
 *
 * @param {unknown} tree
 * @param {string} caller
 * @returns {Record<string, unknown>}
 */
function flatNames(tree, caller) {
  /** @type {Map<string, unknown>} */
  const all = new Map();
  /** @type {(value: any, name: string, depth: number) => void} */
  const walk = (value, name, depth) => {
    if (value === null) return;
    if (depth > MAX_DEPTH) fail('ERR_ARGUMENT', `${caller}: the tree is nested more than ${MAX_DEPTH} levels deep`);
    if (isLevel(value)) {
      for (const [step, child] of Object.entries(value)) walk(child, name === '' ? step : `${name}.${step}`, depth + 1);
      return;
    }
    if (all.has(name)) fail('ERR_ARGUMENT', `${caller}: two tensors have the name ${describe(name)}`);
    all.set(name, value);
  };
  walk(tree, '', 0);
  return Object.fromEntries(all);
}

/**
 * The tree that names are of. A level whose names are the numbers from 0 on is an array.
 *
 * @param {Record<string, Tensor>} tensors
 * @param {string} caller
 * @returns {any}
 */
function nested(tensors, caller) {
  /** @typedef {Map<string, Tensor | Level>} Level */
  /** @type {Level} */
  const root = new Map();
  for (const [name, tensor] of Object.entries(tensors)) {
    const steps = name.split('.');
    const clash = () => fail('ERR_ARGUMENT', `${caller}: tensor ${describe(name)} does not nest: another has a part of its name`);
    if (steps.length > MAX_DEPTH)
      fail('ERR_ARGUMENT', `${caller}: tensor ${describe(name)} is nested more than ${MAX_DEPTH} levels deep`);
    const last = /** @type {string} */ (steps.pop());
    let level = root;
    for (const step of steps) {
      const next = level.get(step) ?? new Map();
      if (next instanceof Tensor) return clash();
      level.set(step, next);
      level = next;
    }
    if (level.has(last)) return clash();
    level.set(last, tensor);
  }
  /** @type {(level: Level) => any} */
  const build = (level) => {
    const made = [...level].map(([step, each]) => [step, each instanceof Tensor ? each : build(each)]);
    const isList = made.length > 0 && Array.from(made.keys()).every((i) => level.has(String(i)));
    return isList ? made.sort(([a], [b]) => Number(a) - Number(b)).map(([, each]) => each) : Object.fromEntries(made);
  };
  return build(root);
}

module.exports = { flatNames, isLevel, nested };
