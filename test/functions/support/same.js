// When two runs of a function are the same: every number by Object.is, arrays and objects by their elements, errors by
// type and message, and the arrays that were passed as the runs left them.
'use strict';

const { isTypedArray } = require('node:util/types');

/** Copies of arguments, in which what was one array is one array, and views of one buffer are. @param {any[]} args */
function copied(args) {
  const buffers = new Map();
  const seen = new Map();
  const copy = (/** @type {any} */ value) => {
    if (typeof value !== 'object' || value === null) return value;
    const found = seen.get(value);
    if (found) return found;
    const made = isTypedArray(value) ? view(/** @type {any} */ (value)) : Array.isArray(value) ? value.map(copy) : record(value);
    seen.set(value, made);
    return made;
  };
  const view = (/** @type {any} */ array) => {
    const buffer = buffers.get(array.buffer) ?? array.buffer.slice(0);
    buffers.set(array.buffer, buffer);
    return new array.constructor(buffer, array.byteOffset, array.length);
  };
  const record = (/** @type {object} */ value) =>
    Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copy(field)]));
  return args.map(copy);
}

/**
 * What a call gives: its value or its error, and its arguments as it left them.
 *
 * @param {Function} fn
 * @param {any[]} args copied first
 */
function outcome(fn, args) {
  const own = copied(args);
  try {
    return { value: fn(...own), left: own };
  } catch (error) {
    return { error: { type: error.name, message: error.message, error }, left: own };
  }
}

/**
 * Where two values differ first; null where they do not.
 *
 * @param {any} actual
 * @param {any} expected
 * @param {string} [where]
 * @returns {string | null}
 */
function difference(actual, expected, where = 'result') {
  if (Object.is(actual, expected)) return null;
  const isPair = typeof actual === 'object' && typeof expected === 'object' && actual && expected;
  if (!isPair) return `${where}: ${shown(actual)}, not ${shown(expected)}`;
  if (isTypedArray(expected) && actual.constructor !== expected.constructor) {
    return `${where}: a ${actual.constructor.name}, not a ${expected.constructor.name}`;
  }
  // A typed array's elements only: in V8 a[undefined] = 1 makes a property that nobody means.
  const keysOf = (/** @type {any} */ value) => (isTypedArray(value) ? [...value.keys()] : Object.keys(value));
  const keys = keysOf(expected);
  if (keys.length !== keysOf(actual).length) return `${where}: ${shown(actual)}, not ${shown(expected)}`;
  for (const key of keys) {
    const found = difference(actual[key], expected[key], `${where}[${key}]`);
    if (found) return found;
  }
  return null;
}

/** A value in few words, -0 as such. @param {any} value */
function shown(value) {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'object' && value !== null) {
    const text = Array.from(isTypedArray(value) || Array.isArray(value) ? /** @type {any} */ (value) : Object.entries(value), String);
    return `${value.constructor.name} of ${text.slice(0, 12).join(', ')}${text.length > 12 ? ' …' : ''}`;
  }
  return Object.is(value, -0) ? '-0' : String(value);
}

/**
 * Where two outcomes differ; null where they do not.
 *
 * @param {ReturnType<typeof outcome>} actual
 * @param {ReturnType<typeof outcome>} expected
 */
function differs(actual, expected) {
  if (Boolean(actual.error) !== Boolean(expected.error)) {
    const told = (/** @type {ReturnType<typeof outcome>} */ { error, value }) =>
      error ? `throws ${error.type}: ${error.message}` : `gives ${shown(value)}`;
    return `${told(actual)}, where V8 ${told(expected)}`;
  }
  if (actual.error && expected.error) {
    const [ours, theirs] = [actual, expected].map(({ error }) => `${error?.type}: ${error?.message}`);
    if (ours !== theirs) return `throws ${ours}, not ${theirs}`;
  } else {
    const found = difference(actual.value, expected.value);
    if (found) return found;
    // An argument that is returned is that very array; empty ones nobody can tell apart.
    const at = actual.left.indexOf(actual.value);
    if (actual.value?.length > 0 && at !== expected.left.indexOf(expected.value)) return `result: is argument ${at} itself, unlike V8's`;
  }
  return difference(actual.left, expected.left, 'arguments') ?? difference(around(actual.left), around(expected.left), 'bytes around arguments');
}

/** The bytes of the buffers of typed arrays that are in none of them. @param {any[]} args */
function around(args) {
  const views = args.filter((arg) => isTypedArray(arg));
  return [...new Set(views.map(({ buffer }) => buffer))].map((buffer) => {
    const bytes = new Uint8Array(buffer.slice(0));
    for (const { buffer: of, byteOffset, byteLength } of views) if (of === buffer) bytes.fill(0, byteOffset, byteOffset + byteLength);
    return bytes;
  });
}

/**
 * Runs both functions on every set of arguments; the first difference as a line, or null.
 *
 * @param {Function} actual
 * @param {Function} expected
 * @param {Iterable<any[]>} sets
 */
function firstDifference(actual, expected, sets) {
  for (const args of sets) {
    const found = differs(outcome(actual, args), outcome(expected, args));
    if (found) return `(${args.map(shown).join('; ')}) ${found}`;
  }
  return null;
}

module.exports = { copied, differs, firstDifference, outcome, shown };
