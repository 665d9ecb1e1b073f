/**
 * Ops on strings. They run in JavaScript, on one side of the graph or the other (shared/texts.js).
 *
 * Upper and lower case follow a locale by its language ('de' of 'de_DE'); accents stay as they are. Tokenizer is an op
 * of onnxruntime, without which text models of scikit-learn are nothing.
 */
'use strict';

const { fail } = require('../../../base/errors.js');
const { asTensor } = require('../../../tensor/create.js');
const { Text } = require('../../shared/operands.js');
const { finder, fullMatcher } = require('../../shared/regular-expressions.js');
const sizes = require('../../shared/sizes.js');
const { broadcastShape } = require('../../shared/slices.js');
const { computedOf, mapped, numbersOf } = require('../../shared/texts.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */
/** @typedef {import('../../shared/operands.js').Strings} Strings */

/** @type {(operand: any, cx: Builder) => Text} */
const stringsOf = (operand, cx) => (operand instanceof Text ? operand : cx.fail('ERR_DTYPE', 'expected a tensor of strings'));

/** @type {(text: Text, cx: Builder) => readonly (number | string)[]} */
const shapeOf = (text, cx) => text.known?.shape ?? cx.shape(text);

// ------------------------------------------------------------------------------------ broadcast

/** @type {(a: readonly number[], b: readonly number[]) => number[]} */
function joinedShape(a, b) {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, i) => {
    const [one, other] = [a[i - rank + a.length] ?? 1, b[i - rank + b.length] ?? 1];
    if (one !== other && one !== 1 && other !== 1) fail('ERR_SHAPE', `run: strings of shapes [${a}] and [${b}] do not broadcast`);
    return one === 1 ? other : one;
  });
}

/** @type {Translation['translate']} */
function stringConcat(_, [a, b], cx) {
  const texts = [a, b].map((each) => stringsOf(each, cx));
  const shape = broadcastShape(shapeOf(texts[0], cx), shapeOf(texts[1], cx));
  return computedOf(texts, shape, (x, y) => {
    const joined = joinedShape(x.shape, y.shape);
    const [left, right] = [x, y].map(({ shape: own, data }) => sizes.spread(data, own, joined));
    return { shape: joined, data: left.map((each, i) => each + right[i]) };
  });
}

// ---------------------------------------------------------------------------------------- words

/**
 * As Python's split: at runs of white space without a delimiter; the rest stays whole.
 *
 * @type {(string: string, delimiter: string, most: number) => string[]}
 */
function splitString(string, delimiter, most) {
  const words = [];
  let rest = delimiter === '' ? string.trimStart() : string;
  while (rest !== '' || delimiter !== '') {
    const found = delimiter === '' ? /\s+/u.exec(rest) : { index: rest.indexOf(delimiter), 0: delimiter };
    if (found === null || found.index < 0 || words.length === most) break;
    words.push(rest.slice(0, found.index));
    rest = rest.slice(found.index + found[0].length);
  }
  return rest === '' && delimiter === '' ? words : [...words, rest];
}

/** @type {Translation['translate']} */
function stringSplit(node, [x], cx) {
  const text = stringsOf(x, cx);
  const shape = shapeOf(text, cx);
  const given = node.attr('maxsplit', -1);
  const split = (/** @type {Strings} */ { data }) => data.map((each) => splitString(each, node.attr('delimiter', ''), given < 0 ? Infinity : given));
  const parts = computedOf([text], [...shape, cx.uniqueName('parts')], (strings) => padded(strings.shape, split(strings), ''));
  if (!node.hasOutput(1)) return [parts];
  const counts = numbersOf(cx, [text], { name: 'counts', dtype: 'i64', shape }, (strings) => ({
    shape: strings.shape, data: BigInt64Array.from(split(strings), ({ length }) => BigInt(length)),
  }));
  return [parts, counts];
}

/** What cuts a string into words. @type {(node: any) => (string: string) => string[]} */
function tokenizer(node) {
  const expression = node.attr('tokenexp', '');
  if (expression !== '') {
    const find = finder(expression);
    return (string) => find(string).matches;
  }
  const separators = node.attr('separators', []);
  if (separators.length === 0 || separators.includes('')) return (string) => [...string];
  const finders = separators.map(finder);
  return (string) => {
    let parts = [string];
    for (const find of finders) parts = parts.flatMap((part) => find(part).rest);
    return parts;
  };
}

/** Words of strings along a new axis, as text models of scikit-learn are exported. @type {Translation['translate']} */
function tokenize(node, [x], cx) {
  const text = stringsOf(x, cx);
  const cut = tokenizer(node);
  const [least, fill, isMarked] = [node.attr('mincharnum', 1), node.attr('pad_value', ''), node.attr('mark', 0) !== 0];
  const wordsOf = (/** @type {string} */ string) => {
    const words = cut(string).filter((word) => word !== '' && [...word].length >= least);
    return isMarked ? ['\u0002', ...words, '\u0003'] : words;
  };
  const shape = [...shapeOf(text, cx), cx.uniqueName('words')];
  return computedOf([text], shape, (strings) => padded(strings.shape, strings.data.map(wordsOf), fill));
}

/** Lists of words as rows of equal length. @type {(shape: readonly number[], lists: readonly string[][], fill: string) => Strings} */
function padded(shape, lists, fill) {
  const width = lists.reduce((most, { length }) => Math.max(most, length), 0);
  const data = lists.flatMap((list) => [...list, ...Array(width - list.length).fill(fill)]);
  return { shape: [...shape, width], data };
}

/** @type {Readonly<Record<string, (locale: string | undefined) => (word: string) => string>>} */
const cases = {
  NONE: () => (word) => word,
  LOWER: (locale) => (word) => word.toLocaleLowerCase(locale),
  UPPER: (locale) => (word) => word.toLocaleUpperCase(locale),
};

/** @type {Translation['translate']} */
function stringNormalizer(node, [x], cx) {
  const text = stringsOf(x, cx);
  const [action, isSensitive] = [node.attr('case_change_action', 'NONE'), node.attr('is_case_sensitive', 0) === 1];
  const locale = localeOf(node.attr('locale', ''));
  const change = cases[action]?.(locale) ?? cx.fail('ERR_PARSE', `case_change_action '${action}' is unknown`);
  const fold = (isSensitive ? cases.NONE : cases.LOWER)(locale);
  const stops = new Set(node.attr('stopwords', []).map(fold));
  const shape = shapeOf(text, cx);
  if (shape.length !== 1 && !(shape.length === 2 && (shape[0] === 1 || typeof shape[0] === 'string')))
    cx.fail('ERR_SHAPE', `expected strings of shape [C] or [1, C], got [${shape.join(', ')}]`);
  if (stops.size === 0) return mapped(text, change);
  return computedOf([text], [...shape.slice(0, -1), cx.uniqueName('words')], (strings) => {
    const words = strings.data.filter((word) => !stops.has(fold(word))).map(change);
    const data = words.length === 0 ? [''] : words;
    return { shape: [...strings.shape.slice(0, -1), data.length], data };
  });
}

/** @type {(name: string) => string | undefined} a tag of a language from 'en_US', 'C', 'en_US.UTF-8' */
function localeOf(name) {
  const found = /^([a-z]{2,3})([_-]|$)/i.exec(name);
  return found === null ? undefined : found[1];
}

/** @type {Translation['translate']} */
function regexFullMatch(node, [x], cx) {
  const text = stringsOf(x, cx);
  const matches = fullMatcher(node.attr('pattern', ''));
  return numbersOf(cx, [text], { name: 'matches', dtype: 'bool', shape: shapeOf(text, cx) }, ({ shape, data }) => ({
    shape, data: Uint8Array.from(data, (each) => Number(matches(each))),
  }));
}

// --------------------------------------------------------------------------------------- n-grams

/** Words that follow each other in an n-gram of the pool, and what counts it. @typedef {{ next: Map<string | number, Gram>, column: number, weight: number }} Gram */

/** The n-grams of the pool by their first words. @type {(node: any, cx: Builder) => Gram} */
function gramsOf(node, cx) {
  const words = node.attr('pool_strings', []);
  const pool = words.length > 0 ? words : node.attr('pool_int64s', []);
  const [counts, columns, weights] = [node.attr('ngram_counts', []), node.attr('ngram_indexes', []), node.attr('weights', [])];
  const [least, most] = [node.attr('min_gram_length', 1), node.attr('max_gram_length', 1)];
  const gram = () => ({ next: new Map(), column: -1, weight: 1 });
  const root = gram();
  let number = 0;
  counts.forEach((/** @type {number} */ start, /** @type {number} */ i) => {
    const length = i + 1;
    const end = counts[i + 1] ?? pool.length;
    if (end < start || end > pool.length || (end - start) % length !== 0) cx.fail('ERR_PARSE', `ngram_counts [${counts}] do not fit a pool of ${pool.length}`);
    for (let at = start; at < end; at += length, number++) {
      if (length < least || length > most) continue;
      let last = root;
      for (const word of pool.slice(at, at + length)) {
        if (!last.next.has(word)) last.next.set(word, gram());
        last = /** @type {Gram} */ (last.next.get(word));
      }
      last.column = columns[number] ?? cx.fail('ERR_PARSE', `n-gram ${number} has no index`);
      last.weight = weights[number] ?? 1;
    }
  });
  return root;
}

/**
 * How often n-grams occur in a row.
 *
 * @type {(row: readonly (string | number)[], root: Gram, least: number, most: number, skips: number, count: (gram: Gram) => void) => void}
 */
function countGrams(row, root, least, most, skips, count) {
  for (let step = 1; step <= skips + 1; step++) {
    // Single words are counted once, whatever is left out between words.
    const from = step === 1 ? least : Math.max(least, 2);
    for (let start = 0; start < row.length; start++) {
      /** @type {Gram | undefined} */
      let gram = root;
      for (let length = 1, at = start; length <= most && at < row.length; length++, at += step) {
        gram = gram.next.get(row[at]);
        if (gram === undefined) break;
        if (length >= from && gram.column >= 0) count(gram);
      }
    }
  }
}

/** @type {Translation} */
const tfIdfVectorizer = {
  // Of numbers, too, n-grams are counted in JavaScript: what they are is asked of a run.
  translate: (node, [x], cx) => {
    const [mode, least, most] = [node.attr('mode', 'TF'), node.attr('min_gram_length', 1), node.attr('max_gram_length', 1)];
    const root = gramsOf(node, cx);
    const width = Math.max(-1, ...node.attr('ngram_indexes', [])) + 1;
    const compute = (/** @type {{ shape: readonly number[], data: ArrayLike<any> }} */ { shape, data }) => {
      const columns = shape[shape.length - 1] ?? 1;
      const rows = shape.length === 2 ? shape[0] : 1;
      const result = new Float32Array(rows * width);
      const list = Array.from(data, (each) => (typeof each === 'string' ? each : Number(each)));
      for (let row = 0; row < rows; row++) {
        countGrams(list.slice(row * columns, (row + 1) * columns), root, least, most, node.attr('max_skip_count', 0), ({ column, weight }) => {
          const at = row * width + column;
          result[at] = mode === 'IDF' ? weight : result[at] + (mode === 'TFIDF' ? weight : 1);
        });
      }
      return { shape: [...shape.slice(0, -1), width], data: result };
    };
    const shape = x instanceof Text ? shapeOf(x, cx) : cx.shape(x);
    if (shape.length > 2) cx.fail('ERR_SHAPE', `expected a shape [C] or [N, C], got [${shape.join(', ')}]`);
    const result = [...shape.slice(0, -1), width];
    if (x instanceof Text) return numbersOf(cx, [x], { name: 'counts', dtype: 'f32', shape: result }, compute);
    if (shape.some((size) => typeof size !== 'number')) cx.fail('ERR_SHAPE', `the shape [${shape.join(', ')}] must be known`);
    const { data } = compute({ shape: /** @type {number[]} */ (shape), data: cx.elements(x, 'the words') });
    return cx.constant(asTensor(data).reshape(/** @type {number[]} */ (result)));
  },
};

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    StringConcat: stringConcat, StringSplit: stringSplit, StringNormalizer: stringNormalizer,
    RegexFullMatch: regexFullMatch, TfIdfVectorizer: tfIdfVectorizer,
  },
  'com.microsoft': { Tokenizer: tokenize },
};

module.exports = { ops };
