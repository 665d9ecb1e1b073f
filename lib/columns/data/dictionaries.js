/**
 * One dictionary for all chunks of a column, so that an expression is evaluated on its values once.
 *
 * Chunks of a table mostly share a dictionary, or each has some values more than the one before (deltas): then the
 * longest serves all and no index changes. Chunks that come from different tables may number the same values
 * differently; then all indices are written anew, 4 bytes a row, and so they are where their types differ.
 */
'use strict';

const { Column } = require('./column.js');
const { concatColumns, takeColumn } = require('./parts.js');
const { byteText } = require('./text.js');

/** What tells values apart: texts and numbers do by themselves, bytes by their text. @type {(value: any) => unknown} */
function keyOf(value) {
  if (value instanceof Uint8Array) return byteText(value);
  if (typeof value === 'object' && value !== null) return `${value.months} ${value.days} ${value.nanoseconds}`;
  return value;
}

/** Counts of a unit are kept apart where milliseconds would not. @type {(column: Column) => (row: number) => unknown} */
function keysOf(column) {
  const exact = column.type.kind === 'timestamp';
  return (row) => {
    const value = column.get(row);
    return exact && value !== null ? column.values[row] : keyOf(value);
  };
}

/** @typedef {{ base: Column, baseKey: (row: number) => unknown, places: Map<unknown, number>, parts: Column[], size: number }} Merged */

/**
 * Where the values of a dictionary are in the merged one, to which those are added that it lacks.
 *
 * @type {(merged: Merged, dictionary: Column) => Int32Array | null} null where indices stay as they are
 */
function placesIn(merged, dictionary) {
  const { base, baseKey, places } = merged;
  const key = keysOf(dictionary);
  const moved = new Int32Array(dictionary.length);
  /** @type {number[]} */
  const added = [];
  for (let row = 0; row < dictionary.length; row++) {
    const value = key(row);
    // Values may be there twice, so the same place is looked at first.
    const same = row < base.length && Object.is(baseKey(row), value);
    const place = same ? row : (places.get(value) ?? merged.size + added.length);
    if (place === merged.size + added.length) {
      places.set(value, place);
      added.push(row);
    }
    moved[row] = place;
  }
  if (added.length > 0) merged.parts.push(takeColumn([dictionary], Uint32Array.from(added)));
  merged.size += added.length;
  return moved.every((place, row) => place === row) ? null : moved;
}

/** @type {(column: Column, moved: Int32Array | null, dictionary: Column, isSame: boolean) => Column} `isSame`: indices stay as they are */
function withDictionary({ type, length, values, validity }, moved, dictionary, isSame) {
  const place = moved === null ? Number : (/** @type {number | bigint} */ index) => moved[Number(index)];
  return new Column(type, length, { values: isSame ? values : Int32Array.from(values, place), validity, dictionary });
}

/**
 * The same columns with one dictionary.
 *
 * @param {readonly Column[]} columns with dictionaries
 * @returns {readonly Column[]}
 */
function shareDictionary(columns) {
  const all = /** @type {Column[]} */ ([...new Set(columns.map(({ dictionary }) => dictionary))]);
  const isUniform = new Set(columns.map(({ index }) => index)).size === 1;
  if (columns.length === 0 || (all.length === 1 && isUniform)) return columns;
  const base = all.reduce((longest, each) => (each.length > longest.length ? each : longest));
  const baseKey = keysOf(base);
  const places = new Map();
  for (let row = base.length - 1; row >= 0; row--) places.set(baseKey(row), row);
  /** @type {Merged} */
  const merged = { base, baseKey, places, parts: [base], size: base.length };
  const moves = new Map(all.map((dictionary) => [dictionary, placesIn(merged, dictionary)]));
  const dictionary = concatColumns(merged.parts);
  const isSame = isUniform && [...moves.values()].every((moved) => moved === null);
  return columns.map((column) =>
    withDictionary(column, moves.get(/** @type {Column} */ (column.dictionary)) ?? null, dictionary, isSame),
  );
}

module.exports = { shareDictionary };
