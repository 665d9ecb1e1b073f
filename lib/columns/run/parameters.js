/**
 * Parameters of expressions, `@limit`, whose values are given with a run: they are slots of the kernel, and texts are
 * tables of one text, so another value needs no other code.
 */
'use strict';

const { describe } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { textTable } = require('../analyse/names.js');
const { isWellFormed } = require('../data/text.js');
const types = require('../types/index.js');

/** @typedef {import('../types/index.js').DataType} DataType */

const bits = new DataView(new ArrayBuffer(8));

/** By what a value is. @type {Record<string, { type: DataType, word: (value: any) => bigint }>} */
const KINDS = {
  number: {
    type: types.float64,
    word: (value) => {
      bits.setFloat64(0, value);
      return bits.getBigInt64(0);
    },
  },
  bigint: { type: types.int64, word: (value) => value },
  boolean: { type: types.bool, word: (value) => BigInt(value) },
  string: { type: types.utf8, word: (value) => BigInt(value.length) },
  Date: { type: types.timestamp('ms'), word: (value) => BigInt(value.getTime()) },
};

/** @type {(value: unknown) => string} a Date that is none is nothing of this */
const kindOf = (value) => (value instanceof Date && !Number.isNaN(value.getTime()) ? 'Date' : typeof value);

/** @type {(parameters: Record<string, unknown> | undefined) => Map<string, DataType>} */
function parameterTypes(parameters) {
  return new Map(
    Object.entries(parameters ?? {}).map(([name, value]) => {
      const kind = KINDS[kindOf(value)];
      if (kind !== undefined) return [name, kind.type];
      const wanted = 'a number, a bigint, a boolean, a string or a valid Date';
      const advice = Array.isArray(value) ? "; it is one value: write lists out, 'in (1, 2)' or 'in (:a, :b)'" : '';
      return fail('ERR_ARGUMENT', `parameter '${name}': expected ${wanted}, got ${describe(value)}${advice}`);
    }),
  );
}

/**
 * Two words for each, and the arrays of texts by name and part of their buffers.
 *
 * @param {readonly string[]} names
 * @param {Record<string, unknown> | undefined} parameters
 * @returns {{ words: bigint[], texts: [string, any][] }}
 */
function parameterWords(names, parameters) {
  const values = names.map((name) => fitting(name, /** @type {any} */ (parameters)[name]));
  return {
    words: values.flatMap((value) => [KINDS[kindOf(value)].word(value), 0n]),
    texts: values.flatMap((value, i) => (typeof value === 'string' ? arraysOf(value, textTable(i)) : [])),
  };
}

/** A bigint is an int64, a string UTF-8. @type {(name: string, value: any) => any} */
function fitting(name, value) {
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value) {
    fail('ERR_ARGUMENT', `parameter '${name}': ${describe(value)} does not fit an int64`);
  }
  if (typeof value === 'string' && !isWellFormed(value)) {
    fail('ERR_ARGUMENT', `parameter '${name}': expected a text without half a character, got ${describe(value)}`);
  }
  return value;
}

/** @type {(text: string, name: string) => [string, any][]} */
function arraysOf(text, name) {
  const values = new TextEncoder().encode(text);
  return [[`${name} offsets`, Int32Array.of(0, values.length)], [`${name} values`, values]];
}

module.exports = { parameterTypes, parameterWords };
