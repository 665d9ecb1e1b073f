/**
 * Parameters of expressions, `@limit`, whose values are given with a run: they are slots of the kernel, so another
 * value needs no other code.
 */
'use strict';

const { describe } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
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
  bigint: { type: types.int64, word: (value) => BigInt.asIntN(64, value) },
  boolean: { type: types.bool, word: (value) => BigInt(value) },
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
      const wanted = 'a number, a bigint, a boolean or a valid Date';
      return fail('ERR_ARGUMENT', `parameter '${name}': expected ${wanted}, got ${describe(value)}`);
    }),
  );
}

/** Two words for each. @type {(names: readonly string[], parameters: Record<string, unknown> | undefined) => { words: bigint[], kept: ArrayBufferView[] }} */
function parameterWords(names, parameters) {
  const words = names.flatMap((name) => {
    const value = /** @type {any} */ (parameters)[name];
    return [KINDS[kindOf(value)].word(value), 0n];
  });
  return { words, kept: [] };
}

module.exports = { parameterTypes, parameterWords };
