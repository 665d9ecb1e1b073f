/**
 * Tables of keys and values, and strings.
 */
'use strict';

const { asTensor } = require('../../../tensor/create.js');
const { dtypes } = require('../../../tensor/dtypes.js');
const { Known, Text } = require('../../shared/operands.js');
const { computedOf, labelsOf, mapped, numbersOf, parsedOf, placesOf } = require('../../shared/texts.js');
const { Table } = require('../operands.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */
/** @typedef {import('../operands.js').Entries} Entries */

/** @type {Translation} */
const table = { fold: false, translate: (node) => new Table(() => node.program.resources.entries(node)) };

/** @type {(operand: any, cx: Builder) => Entries} */
const entriesOf = (operand, cx) => (operand instanceof Table ? operand.read() : cx.fail('ERR_PARSE', 'an operand is no table'));

/** @type {(operand: any, cx: Builder) => Text} */
const textOf = (operand, cx) => (operand instanceof Text ? operand : cx.fail('ERR_DTYPE', 'expected strings'));

/** @type {(data: readonly (string | number)[], dtype: any) => any} */
function numbersTensor(data, dtype) {
  const { big } = dtypes[/** @type {'i64'} */ (dtype)];
  return asTensor(/** @type {any} */ (data.map((each) => (big ? BigInt(each) : Number(each)))), { dtype });
}

/** The values behind the keys, and the initial one behind them. @type {Translation['translate']} */
function find(_, [handle, keys, initial], cx) {
  const { entries, valueType } = entriesOf(handle, cx);
  const values = [...entries.values()];
  const places = placesOf(cx, keys, [...entries.keys()]);
  if (valueType === 'string') {
    const strings = computedOf([textOf(initial, cx)], [values.length + 1], ({ data }) => ({
      shape: [values.length + 1], data: [...values.map(String), data[0]],
    }));
    return labelsOf(places, [strings]);
  }
  const fill = /** @type {any} */ (cx.value(initial));
  const known = /** @type {any} */ (cx.constant(numbersTensor(values, valueType)));
  return known.concat([fill.reshape([1])]).take(cx.value(places));
}

/** @type {Translation['translate']} */
const tableSize = (_, [handle], cx) => cx.constant(entriesOf(handle, cx).entries.size, 'i64');

/** @type {(change: (text: string) => string) => Translation} each string by itself */
const eachText = (change) => ({ fold: false, translate: (_, [x], cx) => mapped(textOf(x, cx), change) });

/** Element by element; one alone goes with all. @type {Translation['translate']} */
function join(node, inputs, cx) {
  const texts = inputs.map((each) => textOf(each, cx));
  if (texts.length === 0) cx.fail('ERR_PARSE', 'there are no strings');
  const longest = texts.reduce((a, b) => ((b.shape?.length ?? 0) > (a.shape?.length ?? 0) ? b : a));
  const separator = node.attr('separator', '');
  return computedOf(texts, longest.shape, (...given) => {
    const { shape, data } = given.reduce((a, b) => (b.data.length > a.data.length ? b : a));
    return { shape, data: data.map((_, i) => given.map((each) => each.data[i % each.data.length]).join(separator)) };
  });
}

/**
 * Parts of strings between delimiters, an empty one standing for each character.
 *
 * @type {(text: string, delimiters: string, skipsEmpty: boolean) => string[]}
 */
function splitText(text, delimiters, skipsEmpty) {
  const among = new Set(delimiters);
  /** @type {string[]} */
  const parts = [''];
  for (const character of text) {
    if (delimiters === '') parts.push(character);
    else if (among.has(character)) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return skipsEmpty || delimiters === '' ? parts.filter((part) => part !== '') : parts;
}

/**
 * Parts of a vector of strings: where they lie in a matrix with a row for each string, and how large that is.
 *
 * @type {Translation['translate']}
 */
function split(node, [input, by], cx) {
  const texts = [textOf(input, cx), textOf(by, cx)];
  const rowsOf = (/** @type {any[]} */ [strings, delimiter]) =>
    strings.data.map((/** @type {string} */ text) => splitText(text, delimiter.data[0], node.attr('skip_empty', true)));
  const count = texts.every(({ known }) => known) ? rowsOf(texts.map(({ known }) => known)).flat().length : cx.uniqueName('parts');
  const places = numbersOf(cx, texts, { name: 'places', dtype: 'i64', shape: [count, 2] }, (...given) => {
    const list = rowsOf(given).flatMap((/** @type {string[]} */ row, /** @type {number} */ i) => row.flatMap((_, k) => [BigInt(i), BigInt(k)]));
    return { shape: [list.length / 2, 2], data: BigInt64Array.from(list) };
  });
  const parts = computedOf(texts, [count], (...given) => {
    const data = rowsOf(given).flat();
    return { shape: [data.length], data };
  });
  const size = numbersOf(cx, texts, { name: 'size', dtype: 'i64', shape: [2] }, (...given) => {
    const rows = rowsOf(given);
    const most = rows.reduce((/** @type {number} */ longest, /** @type {string[]} */ row) => Math.max(longest, row.length), 0);
    return { shape: [2], data: BigInt64Array.of(BigInt(rows.length), BigInt(most)) };
  });
  return [places, parts, size];
}

/** How many words a run of words has, where it begins, and what is put on both sides. @typedef {{ from: number, count: number, left: number, right: number }} Run */

/** Runs of words in a row of so many. @type {(length: number, width: number, edge: number) => Run[]} */
function runsOf(length, width, edge) {
  const total = Math.max(length + 2 * edge - width + 1, 0);
  return Array.from({ length: total }, (_, i) => {
    const [left, right] = [Math.max(edge - i, 0), Math.max(edge - (total - 1 - i), 0)];
    return { from: Math.max(i - edge, 0), count: width - left - right, left, right };
  });
}

/** Neighbouring words of each row, joined. @type {Translation['translate']} */
function ngrams(node, [words, splits], cx) {
  const ends = cx.ints(splits, 'where rows begin');
  const edge = node.attr('pad_width', 0);
  const edgeOf = (/** @type {number} */ width) => (edge < 0 ? width - 1 : Math.min(edge, width - 1));
  const rows = ends.slice(1).map((end, i) => {
    const length = end - ends[i];
    const runs = node.attr('ngram_widths', []).flatMap((/** @type {number} */ width) => runsOf(length, width, edgeOf(width)));
    const isKept = runs.length === 0 && length > 0 && node.attr('preserve_short_sequences', false);
    return (isKept ? runsOf(length, length + 2 * edge, edge) : runs).map((/** @type {Run} */ run) => ({ ...run, from: run.from + ends[i] }));
  });
  const runs = rows.flat();
  const [left, right] = [node.attr('left_pad', ''), node.attr('right_pad', '')];
  const text = computedOf([textOf(words, cx)], [runs.length], ({ data }) => ({
    shape: [runs.length],
    data: runs.map((run) =>
      [...Array(run.left).fill(left), ...data.slice(run.from, run.from + run.count), ...Array(run.right).fill(right)].join(node.attr('separator', ''))),
  }));
  const counts = rows.reduce((all, row) => [...all, all[all.length - 1] + row.length], [0]);
  return [text, Known.of(numbersTensor(counts, node.attr('Tsplits', 'i64')))];
}

/** What fills a table is looked for where it is read. @type {Translation} */
const filling = { translate: () => [], fold: false };

/** @type {import('./index.js').Table} */
const ops = {
  HashTable: table, HashTableV2: table,
  LookupTableFind: { translate: find, fold: false }, LookupTableFindV2: { translate: find, fold: false },
  LookupTableSize: { translate: tableSize, fold: false }, LookupTableSizeV2: { translate: tableSize, fold: false },
  InitializeTable: filling, InitializeTableV2: filling, InitializeTableFromTextFileV2: filling,
  LookupTableImport: filling, LookupTableImportV2: filling,
  StringLower: eachText((text) => text.toLowerCase()), StringUpper: eachText((text) => text.toUpperCase()),
  StringStrip: eachText((text) => text.trim()), StringJoin: { translate: join, fold: false },
  StringSplit: { translate: split, fold: false, outputs: ['indices', 'values', 'shape'] },
  StringNGrams: { translate: ngrams, fold: false, outputs: ['ngrams', 'ngrams_splits'] },
  StringToNumber: { translate: (node, [x], cx) => parsedOf(cx, textOf(x, cx), node.attr('out_type', 'f32')), fold: false },
};

module.exports = { ops };
