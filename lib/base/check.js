/**
 * Checks of arguments and options, with one shape of message:
 *
 *   compile: expected an integer from 1 to 256 for option 'threads', got "two"
 *   compile: unknown option 'thread' (did you mean 'threads'?), known options are 'threads', 'numerics'
 *
 * A *getter* takes (value, which, caller) and returns the value, typed, or throws. Functions that need
 * a bound or a list return a getter, so that a table of options reads as a list of what is allowed:
 *
 *   const { threads = 1, numerics = 'default' } = readOptions('compile', options, {
 *     threads: integer(1, 256),
 *     numerics: oneOf(['strict', 'default', 'fast']),
 *   });
 *
 * Defaults stay with the caller, where a reader of the function looks for them.
 */
'use strict';

const { fail } = require('./errors.js');

/**
 * @template T
 * @typedef {(value: unknown, which: string, caller: string) => T} Getter
 */

/** Objects that have this method say themselves what an error message should call them. */
const DESCRIBE = Symbol('graphjit.describe');

const MAX_TEXT = 60;

/** @type {(character: string) => string} */
const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** @type {(text: string) => string} short, and without line breaks and other control characters */
function clip(text) {
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 3)}...` : text;
  return short.replace(/[\p{Cc}\u2028\u2029]/gu, escaped);
}

/** @type {(value: unknown) => boolean} */
const isPlain = (value) => value === null || (typeof value !== 'object' && typeof value !== 'function');

/**
 * A short text for any value, safe to put on one line of an error message.
 *
 * @param {unknown} value
 * @returns {string}
 */
function describe(value) {
  switch (typeof value) {
    case 'string':
      return clip(JSON.stringify(value));
    case 'bigint':
      return clip(`${value}n`);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'function':
      return clip(`function ${value.name || '(anonymous)'}`);
    case 'object':
      return value === null ? 'null' : describeObject(value);
    default:
      return clip(String(value));
  }
}

/** @type {(value: object) => string} */
function describeObject(value) {
  if (Array.isArray(value)) {
    const short = value.length <= 8 && value.every(isPlain);
    return short ? clip(`[${Array.from(value, describe).join(', ')}]`) : `an array of ${value.length}`;
  }
  const own = /** @type {Record<symbol, unknown>} */ (value)[DESCRIBE];
  if (typeof own === 'function') return own.call(value);
  if (value instanceof Date && Number.isNaN(value.getTime())) return 'an invalid Date';
  const name = className(value);
  if (ArrayBuffer.isView(value) && 'length' in value) return clip(`${name}(${value.length})`);
  if (name === 'Object' || name === '') {
    const keys = Object.keys(value);
    return keys.length === 0 ? 'an empty object' : clip(`an object with ${keys.join(', ')}`);
  }
  return clip(`${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`);
}

/** @type {(value: object) => string} */
function className(value) {
  const { constructor } = value;
  return typeof constructor === 'function' ? String(constructor.name) : '';
}

/**
 * Throws the message that every wrong argument gets.
 *
 * @param {string} caller the public function, as the user wrote it
 * @param {string} what what was wanted: "an integer", "a boolean"
 * @param {string} which the argument: "axis", "option 'threads'"
 * @param {unknown} got
 * @param {import('./errors.js').ErrorCode} [code]
 * @returns {never}
 */
function expected(caller, what, which, got, code = 'ERR_ARGUMENT') {
  return fail(code, `${caller}: expected ${what} for ${which}, got ${describe(got)}`);
}

/**
 * The name among `known` that a misspelling probably meant: the smallest number of insertions,
 * deletions, replacements and swaps of neighbours, at most a third of the length.
 *
 * @param {string} name
 * @param {readonly string[]} known
 * @returns {string | undefined}
 */
function nearest(name, known) {
  if (name.length > MAX_TEXT) return undefined;
  const wanted = name.toLowerCase();
  let best;
  let bestDistance = Math.floor(Math.max(3, name.length) / 3) + 1;
  for (const candidate of known) {
    const found = distance(wanted, candidate.toLowerCase());
    if (found < bestDistance) [best, bestDistance] = [candidate, found];
  }
  return best;
}

/** @type {(a: string, b: string) => number} */
function distance(a, b) {
  /** @type {number[][]} */
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, replace);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1);
    }
    rows.push(row);
  }
  return rows[a.length][b.length];
}

/**
 * Throws for a name that is not in a closed list: an option, an input, a dtype.
 *
 * @param {string} caller
 * @param {string} kind "option", "input", … in the singular
 * @param {string} name
 * @param {readonly string[]} known
 * @param {string} [meant] the suggestion, where the caller knows a better one than the nearest name
 * @returns {never}
 */
function unknownName(caller, kind, name, known, meant = nearest(name, known)) {
  const hint = meant === undefined ? '' : ` (did you mean '${meant}'?)`;
  const list = known.map((each) => `'${each}'`).join(', ');
  const all = known.length === 0 ? `there are no ${kind}s` : `known ${kind}s are ${list}`;
  return fail('ERR_ARGUMENT', `${caller}: unknown ${kind} '${clip(name)}'${hint}, ${all}`);
}

/**
 * True for what can be an options argument: an object that is no array, typed array or instance of
 * one of our classes. Functions with optional arguments before the options use it to tell them apart.
 *
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isOptions(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value) &&
    !(DESCRIBE in value)
  );
}

/**
 * Reads an options object: unknown names throw, present ones go through their getter, and the ones
 * that are absent or undefined are undefined in the result.
 *
 * @template {Record<string, Getter<unknown>>} G
 * @param {string} caller
 * @param {unknown} options undefined stands for no options
 * @param {G} getters one per known option, in the order in which messages list them
 * @returns {{ [K in keyof G]?: ReturnType<G[K]> }}
 */
function readOptions(caller, options, getters) {
  /** @type {Record<string, unknown>} */
  const result = {};
  if (options === undefined) return /** @type {any} */ (result);
  if (!isOptions(options)) return expected(caller, 'an object', 'the options', options);
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(getters, name)) unknownName(caller, 'option', name, Object.keys(getters));
  }
  for (const [name, getter] of Object.entries(getters)) {
    const value = options[name];
    if (value !== undefined) result[name] = getter(value, `option '${name}'`, caller);
  }
  return /** @type {any} */ (result);
}

/** @type {Getter<boolean>} */
function boolean(value, which, caller) {
  return typeof value === 'boolean' ? value : expected(caller, 'a boolean', which, value);
}

/** @type {Getter<string>} */
function string(value, which, caller) {
  return typeof value === 'string' ? value : expected(caller, 'a string', which, value);
}

/** @type {Getter<(...args: any[]) => unknown>} */
function callable(value, which, caller) {
  if (typeof value !== 'function') return expected(caller, 'a function', which, value);
  return /** @type {(...args: any[]) => unknown} */ (value);
}

/** @type {Getter<number>} */
function finite(value, which, caller) {
  const good = typeof value === 'number' && Number.isFinite(value);
  return good ? value : expected(caller, 'a finite number', which, value);
}

/** @type {Getter<number>} */
function positive(value, which, caller) {
  const good = typeof value === 'number' && value > 0 && Number.isFinite(value);
  return good ? value : expected(caller, 'a positive number', which, value);
}

/**
 * @param {number} [min]
 * @param {number} [max]
 * @returns {Getter<number>}
 */
function integer(min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  return (value, which, caller) => {
    const good = Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
    if (good) return Number(value);
    let range = '';
    if (max !== Number.MAX_SAFE_INTEGER) range = ` from ${min} to ${max}`;
    else if (min !== Number.MIN_SAFE_INTEGER) range = ` of at least ${min}`;
    return expected(caller, `an integer${range}`, which, value);
  };
}

/**
 * @template {string} T
 * @param {readonly T[]} allowed
 * @returns {Getter<T>}
 */
function oneOf(allowed) {
  return (value, which, caller) => {
    const found = allowed.find((each) => each === value);
    if (found !== undefined) return found;
    const list = allowed.map((each) => `'${each}'`).join(', ');
    return expected(caller, `one of ${list}`, which, value);
  };
}

const { keys } = Object.getPrototypeOf(Uint8Array.prototype);

/**
 * Whether a typed array still has its buffer. One whose buffer was transferred away, or shrank so that the array lies
 * outside, pretends to be empty; only the methods of typed arrays tell, by throwing.
 *
 * @type {(array: import('../tensor/dtypes.js').TypedArray) => boolean}
 */
function isAttached(array) {
  if (array.length > 0) return true;
  try {
    keys.call(array);
    return true;
  } catch {
    return false;
  }
}

module.exports = {
  DESCRIBE,
  boolean,
  callable,
  describe,
  expected,
  finite,
  integer,
  isAttached,
  isOptions,
  nearest,
  oneOf,
  positive,
  readOptions,
  string,
  unknownName,
};
