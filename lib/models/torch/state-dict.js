/**
 * What `torch.save` wrote: tensors by name, and whatever plain data lies beside them.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { ScriptObject, TensorRecord } = require('./pickle-globals.js');

/** @typedef {import('./archive.js').Archive} Archive */

/** Lists and dictionaries lie in each other no deeper. */
const MAX_DEPTH = 100;

/** @type {(archive: Archive) => any} a Tensor, or objects and arrays of them */
function tensorsOf(archive) {
  /** What is shared is made once. @type {Map<any, any>} */
  const made = new Map();
  /** @type {(value: any, depth: number) => any} */
  const convert = (value, depth) => {
    if (depth > MAX_DEPTH) return fail('ERR_PARSE', `${archive.what}: its data is nested more than ${MAX_DEPTH} deep`);
    if (typeof value === 'bigint') return Number(value);
    if (typeof value !== 'object' || value === null) return value;
    if (made.has(value)) return made.get(value);
    if (value instanceof TensorRecord) return remember(value, archive.tensor(value, 'data').tensor);
    if (Array.isArray(value)) {
      const list = remember(value, /** @type {any[]} */ ([]));
      for (const each of value) list.push(convert(each, depth + 1));
      return list;
    }
    if (value instanceof Map) {
      const object = remember(value, /** @type {Record<string, any>} */ ({}));
      for (const [key, each] of value) {
        const own = { value: convert(each, depth + 1), enumerable: true, writable: true, configurable: true };
        Object.defineProperty(object, String(key), own); // also a key such as __proto__
      }
      return object;
    }
    return value instanceof ScriptObject ? fail('ERR_UNSUPPORTED', `${archive.what} has a module without its code`) : remember(value, String(value.text ?? value.path));
  };
  /** @template T @param {any} value @param {T} own @returns {T} */
  const remember = (value, own) => {
    made.set(value, own);
    return own;
  };
  return convert(archive.pickle('data.pkl'), 0);
}

module.exports = { tensorsOf };
