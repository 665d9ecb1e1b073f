/**
 * Maps and ranges of numbers in graphs: many keys that are a Value or a Tensor give one of values.
 *
 * What is a tree of comparisons is an op of elements, which fuses with those around it. Else the node is a function of
 * arrays with the tables as constants, since ops of elements have no memory.
 */
'use strict';

const { expected } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { isValue } = require('../graph/value.js');
const { Tensor } = require('../tensor/tensor.js');
const { nativeOf } = require('./to-native.js');

/** @typedef {import('./to-native.js').Source} Source */

/** Whether keys are looked up in a graph, or now as one would be. @type {(keys: any) => boolean} */
const isOfGraph = (keys) => isValue(keys) || keys instanceof Tensor;

const MANY = `(keys) => {
  const found = new Float64Array(keys.length);
  for (let i = 0; i < keys.length; i++) found[i] = find(keys[i]);
  return found;
}`;

/** `ofElements`: where it has no tables. @typedef {{ type: Source['type'], ofElements: any, ofArrays: any }} Made */

/** By whose they are, and what they give. @type {WeakMap<object, Map<string, Made>>} */
const known = new WeakMap();

/** @type {(source: Source) => Made} */
function made(source) {
  const { native } = require('../native/index.js');
  const { type, capture } = source;
  const find = nativeOf(source);
  const ofArrays = native(MANY, { params: [`${type}[]`] }, { capture: { find } });
  return { type, ofElements: Object.keys(capture).length === 0 ? find : null, ofArrays };
}

/** Dtypes whose numbers are bigints of a kind, none of which becomes another one. */
const INTEGERS = { i64: ['i64', 'i32', 'i16', 'i8', 'u32', 'u16', 'u8'], u64: ['u64', 'u32', 'u16', 'u8'] };

/** @type {(type: Source['type'], dtype: string, caller: string) => void} */
function checkDtype(type, dtype, caller) {
  if (type === 'f64' || INTEGERS[type].includes(dtype)) return;
  fail('ERR_DTYPE', `${caller}: the keys are ${dtype}, those of the map are ${type}: convert them, such as with astype('${type}')`);
}

/**
 * @param {object} owner of what is found, as long as it stays the same
 * @param {'value' | 'index'} of
 * @param {() => Source} sourceOf
 * @param {any} keys a Value or a Tensor
 * @param {unknown} out undefined, as results have memory of their own
 * @param {string} caller
 * @returns {any} of the same shape, f64
 */
function lookUpInGraph(owner, of, sourceOf, keys, out, caller) {
  if (out !== undefined) expected(caller, 'no array for results of a graph or a tensor', "'out'", out);
  const own = known.get(owner) ?? new Map();
  known.set(owner, own);
  if (!own.has(of)) own.set(of, made(sourceOf()));
  const { type, ofElements, ofArrays } = /** @type {Made} */ (own.get(of));
  checkDtype(type, keys.dtype, caller);
  const given = keys.dtype === type ? keys : keys.convert(type);
  if (ofElements !== null && isValue(given)) return ofElements(given).convert('f64');
  return given.rank === 1 ? ofArrays(given) : ofArrays(given.reshape([-1])).reshape(given.shape);
}

module.exports = { isOfGraph, lookUpInGraph };
