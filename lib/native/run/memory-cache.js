/**
 * What has been found out about functions, for equal ones.
 *
 * A function of the same text, place, options and captured values has the same tree, and for the same types the same
 * code. So who compiles a function again, as code in a loop or a module loaded twice does, pays for neither. Captured
 * values count by what they are: numbers and the like, and functions of which that holds too. With arrays or objects
 * among them nothing is shared, since they may change.
 */
'use strict';

const { originOf } = require('../source/index.js');

/**
 * What equal functions share.
 *
 * @typedef {object} Shared
 * @property {string | null} key that equal ones have; null: there are none
 * @property {import('./disk-cache.js').Notes | undefined} notes from earlier processes, once somebody has looked
 * @property {import('../hir/index.js').FunctionNode | null} tree
 * @property {import('../source/signature.js').Place[] | null} docs
 * @property {Map<string, number[]>} hints by the key of types: numbers of parameters that count or index
 * @property {Map<string, import('./compile.js').Code>} codes by the key of their types
 */

/** Most functions that are kept, the ones used last. */
const MOST = 256;

/** @type {Map<string, Shared>} */
const memo = new Map();

/** @type {(key: string | null) => Shared} */
const fresh = (key) => ({ key, notes: undefined, tree: null, docs: null, hints: new Map(), codes: new Map() });

/** @type {(value: unknown, depth: number) => string | null} null for what may change */
function valueKey(value, depth) {
  switch (typeof value) {
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
      return `${value}n`;
    case 'string':
      return JSON.stringify(value);
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'function':
      return functionKey(value, depth + 1);
    default:
      return value === null ? 'null' : null;
  }
}

/** @type {(fn: Function, depth: number) => string | null} */
function functionKey(fn, depth) {
  const { origin, capture } = originOf(fn) ?? { origin: fn, capture: {} };
  // Properties of functions, as JavaScript has them, may be anything.
  if (depth > 16 || (typeof origin === 'function' && Object.keys(origin).length > 0)) return null;
  if (typeof origin === 'function' && String(origin).endsWith('{ [native code] }')) return builtinKey(origin);
  const captured = captureKey(capture ?? {}, depth);
  return captured === null ? null : `${originKey(origin)}${captured}`;
}

/**
 * What the engine provides has no text that tells it apart: `isNaN` and `Number.isNaN` have the same.
 *
 * @type {(fn: Function) => string | null}
 */
const builtinKey = (fn) => require('../build/globals.js').IDENTITIES.get(fn) ?? null;

/** @type {(origin: Function | string) => string} */
const originKey = (origin) =>
  typeof origin === 'string' ? JSON.stringify(origin) : `${JSON.stringify([origin.name, String(origin)])}`;

/** @type {(capture: Record<string, unknown>, depth: number) => string | null} */
function captureKey(capture, depth) {
  const parts = [];
  for (const [name, value] of Object.entries(capture)) {
    const key = valueKey(value, depth);
    if (key === null) return null;
    parts.push(`${JSON.stringify(name)}:${key}`);
  }
  return `{${parts.join()}}`;
}

/**
 * @param {Function | string} origin
 * @param {Record<string, unknown>} capture
 * @param {string} more what else the tree and the code depend on
 * @returns {Shared}
 */
function sharedOf(origin, capture, more) {
  const isOpen = typeof origin === 'function' && Object.keys(origin).length > 0;
  const captured = isOpen ? null : captureKey(capture, 0);
  if (captured === null) return fresh(null);
  const key = `${more} ${originKey(origin)} ${captured}`;
  const found = memo.get(key) ?? fresh(key);
  memo.delete(key);
  memo.set(key, found);
  if (memo.size > MOST) memo.delete(/** @type {string} */ (memo.keys().next().value));
  return found;
}

module.exports = { sharedOf };
