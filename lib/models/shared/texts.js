/**
 * Tensors of strings: what is computed of them, and what turns them into numbers and back.
 *
 * Strings live in JavaScript. What is computed of strings that inputs give is computed before a run, and its numbers
 * are inputs of the graph (`numbersOf`). What the program gives becomes strings after a run: numbers that are written
 * out (`writtenOf`), and indices into a table of strings (`Labels`). Ops that only move elements move such indices.
 * Where late strings are to become numbers again, a table that is known answers within the graph; else a run is asked
 * for what they are made of.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { isValue } = require('../../graph/value.js');
const { asTensor } = require('../../tensor/create.js');
const { dtypes } = require('../../tensor/dtypes.js');
const { wrapOwn } = require('../../tensor/tensor.js');
const { Known, Text } = require('./operands.js');

/** @typedef {import('./builder.js').Builder} Builder */
/** @typedef {import('./operands.js').Strings} Strings */
/** @typedef {import('./operands.js').Reader} Reader */
/** @typedef {import('../../tensor/dtypes.js').DType} DType */
/** @typedef {readonly (number | string)[]} Shape */

/** Codes of strings count from here in each further table. */
const TABLE = 2 ** 32;

/** @type {(shape: readonly number[]) => number} */
const countOf = (shape) => shape.reduce((total, size) => total * size, 1);

/** Strings that need results of the program. */
class LateText extends Text {
  /**
   * @param {Shape | undefined} shape
   * @param {(cx: Builder, name: string) => Reader} open asks the graph for what they are made of
   * @param {(cx: Builder) => Text} settle the same strings, once a run has said what they are made of
   */
  constructor(shape, open, settle) {
    super(shape, () => fail('ERR_STATE', 'strings of a run are read before it'), false);
    this.open = open;
    this.settle = settle;
  }

  /** @override @type {(cx: Builder, name: string) => Reader} */
  output(cx, name) {
    return this.open(cx, name);
  }
}

/** Strings of tables at indices that the graph computes: that into table k counts from k * TABLE. */
class Labels extends LateText {
  /**
   * @param {any} codes a Value of i64
   * @param {readonly Text[]} tables
   */
  constructor(codes, tables) {
    super(codes.shape, (cx, name) => {
      const read = cx.outputValue(name, codes);
      const readers = tables.map((table, i) => table.output(cx, `${name}_${i}`));
      return (results, inputs) => lookUp(read(results, inputs), readers.map((each) => each(results, inputs)));
    }, (cx) => {
      const shape = numericShape(codes.shape);
      const places = wrapOwn(BigInt64Array.from(/** @type {any} */ (cx.elements(codes, 'strings'))), 'i64', shape);
      return labelsOf(Known.of(places), tables.map((table) => settled(cx, table)));
    });
    this.codes = codes;
    this.tables = tables;
  }

  /** The strings that indices point to, if they are the same in all runs. @type {() => string[] | undefined} */
  vocabulary() {
    return this.tables.length === 1 ? this.tables[0].known?.data : undefined;
  }
}

/** @type {(shape: Shape) => number[]} */
const numericShape = (shape) =>
  shape.map((size) => (typeof size === 'number' ? size : fail('ERR_UNSUPPORTED', `strings whose number '${size}' is open cannot become numbers again`)));

/** @type {(codes: any, tables: readonly Strings[]) => Strings} */
function lookUp(codes, tables) {
  const data = Array.from(codes.copy().data, (code) => {
    const place = Number(code);
    const found = tables[Math.floor(place / TABLE)]?.data[place % TABLE];
    return found ?? fail('ERR_ARGUMENT', `load: there is no string ${place}`);
  });
  return { shape: codes.shape, data };
}

/** Strings that a run need not be asked for. @type {(cx: Builder, text: Text) => Text} */
const settled = (cx, text) => (text instanceof LateText ? text.settle(cx) : text);

// ------------------------------------------------------------------------------ strings of strings

/**
 * Strings computed of strings.
 *
 * @param {readonly Text[]} texts
 * @param {Shape | undefined} shape of the result
 * @param {(...given: Strings[]) => Strings} compute
 * @returns {Text}
 */
function computedOf(texts, shape, compute) {
  if (texts.every(({ known }) => known !== undefined)) {
    const made = compute(...texts.map(({ known }) => /** @type {Strings} */ (known)));
    return Text.of(made.shape, made.data);
  }
  if (texts.every(({ early }) => early))
    return new Text(shape, (results, inputs) => compute(...texts.map((text) => text.read(results, inputs))), true);
  return new LateText(shape, (cx, name) => {
    const readers = texts.map((text, i) => text.output(cx, `${name}_${i}`));
    return (results, inputs) => compute(...readers.map((read) => read(results, inputs)));
  }, (cx) => computedOf(texts.map((text) => settled(cx, text)), shape, compute));
}

/** Each string by itself. @type {(text: Text, compute: (string: string) => string) => Text} */
const mapped = (text, compute) =>
  text instanceof Labels
    ? new Labels(text.codes, text.tables.map((table) => mapped(table, compute)))
    : computedOf([text], text.shape, ({ shape, data }) => ({ shape, data: data.map(compute) }));

/**
 * Numbers computed of strings, before a run.
 *
 * @param {Builder} cx
 * @param {readonly Text[]} texts
 * @param {{ name: string, dtype: DType, shape: Shape }} result
 * @param {(...given: Strings[]) => { shape: readonly number[], data: ArrayLike<any> }} compute elements as a typed array has them
 * @returns {any} a Known or a Value
 */
function numbersOf(cx, texts, { name, dtype, shape }, compute) {
  const own = texts.map((text) => settled(cx, text));
  const read = (/** @type {Record<string, any>} */ inputs) => {
    const made = compute(...own.map((text) => text.known ?? text.read({}, inputs)));
    return wrapOwn(/** @type {any} */ (made.data), dtype, [...made.shape]);
  };
  return own.every(({ known }) => known !== undefined) ? Known.of(read({})) : cx.derive(name, dtype, shape, read);
}

// ------------------------------------------------------------------------------------- movement

/**
 * What only moves elements, for strings: it moves their indices.
 *
 * @param {(node: any, inputs: any[], cx: Builder) => any} translate
 * @param {any} node
 * @param {readonly any[]} inputs
 * @param {Builder} cx
 * @returns {any[]}
 */
function movedTexts(translate, node, inputs, cx) {
  /** @type {Text[]} */
  const tables = [];
  const codes = inputs.map((each) => (each instanceof Text ? codesOf(cx, each, tables) : each));
  return cx.apply({ translate }, node, codes).map((each) => labelsOf(each, tables));
}

/** Indices that stand for strings of some tables, to which theirs are added. @type {(cx: Builder, text: Text, tables: Text[]) => any} */
function codesOf(cx, text, tables) {
  const base = tables.length * TABLE;
  if (text instanceof Labels) {
    tables.push(...text.tables);
    return base === 0 ? text.codes : text.codes.add(BigInt(base));
  }
  const shape = text.known?.shape ?? cx.shape(text);
  if (!text.early && !isBound(cx, shape)) return codesOf(cx, settled(cx, text), tables);
  tables.push(text);
  if (shape.every((size) => typeof size === 'number')) {
    const sizes = /** @type {number[]} */ ([...shape]);
    return Known.of(positions(sizes, base));
  }
  if (text.early) return cx.derive('strings', 'i64', shape, (inputs) => positions(text.read({}, inputs).shape, base));
  const { state } = cx;
  const count = state.text(state.product(state.dims([...shape], 'load')));
  return /** @type {any} */ (cx.iota([count], 'i64')).reshape([...shape]).add(BigInt(base));
}

/** Whether inputs of the graph say all sizes. @type {(cx: Builder, shape: Shape) => boolean} */
function isBound(cx, shape) {
  const sizes = cx.graph.inputs.flatMap(({ value }) => value.shape);
  return shape.every((size) => typeof size === 'number' || sizes.includes(size));
}

/** @type {(shape: readonly number[], base: number) => import('../../tensor/tensor.js').Tensor} */
const positions = (shape, base) =>
  wrapOwn(BigInt64Array.from({ length: countOf(shape) }, (_, i) => BigInt(base + i)), 'i64', [...shape]);

/** Strings of tables at indices. @type {(codes: any, tables: readonly Text[]) => Text} */
function labelsOf(codes, tables) {
  if (isValue(codes)) return new Labels(codes, tables);
  const { tensor } = /** @type {Known} */ (codes);
  return computedOf(tables, tensor.shape, (...given) => lookUp(tensor, given));
}

// -------------------------------------------------------------------------------------- look-ups

/**
 * Where elements are in a list of keys; `keys.length` for those that are not there. The last of equal keys counts.
 *
 * @param {Builder} cx
 * @param {any} x numbers or strings
 * @param {readonly any[]} keys
 * @returns {any} i64: a Known or a Value
 */
function placesOf(cx, x, keys) {
  const places = new Map(keys.map((key, i) => [typeof key === 'bigint' ? Number(key) : key, i]));
  if (!(x instanceof Text)) return placesOfNumbers(cx, x, places, keys.length);
  const encode = (/** @type {Strings} */ { shape, data }) => ({ shape, data: BigInt64Array.from(data, (each) => BigInt(places.get(each) ?? keys.length)) });
  const vocabulary = x instanceof Labels ? x.vocabulary() : undefined;
  if (vocabulary !== undefined) {
    const table = encode({ shape: [vocabulary.length], data: vocabulary });
    return /** @type {any} */ (cx.constant(wrapOwn(table.data, 'i64', table.shape))).take(/** @type {Labels} */ (x).codes);
  }
  return numbersOf(cx, [x], { name: 'places', dtype: 'i64', shape: x.known?.shape ?? cx.shape(x) }, encode);
}

/** @type {(cx: Builder, x: any, places: Map<any, number>, missing: number) => any} by a search in the sorted keys */
function placesOfNumbers(cx, x, places, missing) {
  const value = /** @type {any} */ (cx.value(x));
  const { dtype } = value;
  const sorted = [...places.keys()].filter((key) => !Number.isNaN(key)).sort((a, b) => a - b);
  const none = /** @type {any} */ (cx.constant(missing, 'i64'));
  const nan = places.get(NaN);
  const isNan = () => value.isNan().select(cx.constant(nan, 'i64'), none);
  if (sorted.length === 0) return nan === undefined ? none.broadcastTo(value.shape) : isNan();
  const { big } = dtypes[/** @type {DType} */ (dtype)];
  const constant = (/** @type {any[]} */ list, /** @type {DType} */ type) =>
    /** @type {any} */ (cx.constant(asTensor(list, { dtype: type })));
  const line = constant(big ? sorted.map(BigInt) : sorted, dtype);
  const at = line.searchsorted(value).min(cx.constant(sorted.length - 1, 'i64'));
  const table = constant(sorted.map((key) => BigInt(/** @type {number} */ (places.get(key)))), 'i64');
  const found = line.take(at).eq(value).select(table.take(at), none);
  return nan === undefined ? found : value.isNan().select(cx.constant(nan, 'i64'), found);
}

/** Whether strings are equal, broadcast against each other. @type {(cx: Builder, a: any, b: any) => any} */
function equalTexts(cx, a, b) {
  const known = a.known ?? b.known;
  if (known !== undefined) {
    const [x, y] = [a, b].map((text) => /** @type {any} */ (cx.value(placesOf(cx, text, known.data))));
    return x.eq(y);
  }
  const own = [a, b].map((text) => settled(cx, text));
  const [x, y] = own.map((text, i) => numbersOf(cx, own, { name: 'strings', dtype: 'i64', shape: cx.shape(text) }, (...given) => {
    const names = new Map(given.flatMap(({ data }) => data).map((each, at) => [each, at]));
    return { shape: given[i].shape, data: BigInt64Array.from(given[i].data, (each) => BigInt(/** @type {number} */ (names.get(each)))) };
  }));
  return /** @type {any} */ (cx.value(x)).eq(cx.value(y));
}

/**
 * Strings as their ranks among those that there are, and these in order.
 *
 * @type {(cx: Builder, text: Text) => { ranks: any, strings: Text }}
 */
function rankedOf(cx, text) {
  const own = settled(cx, text);
  const distinct = (/** @type {Strings} */ { data }) => [...new Set(data)].sort();
  const ranks = numbersOf(cx, [own], { name: 'ranks', dtype: 'i64', shape: own.known?.shape ?? cx.shape(own) }, (given) => {
    const places = new Map(distinct(given).map((string, i) => [string, BigInt(i)]));
    return { shape: given.shape, data: BigInt64Array.from(given.data, (each) => places.get(each) ?? 0n) };
  });
  const strings = computedOf([own], [cx.uniqueName('strings')], (given) => {
    const data = distinct(given);
    return { shape: [data.length], data };
  });
  return { ranks, strings };
}

// ---------------------------------------------------------------------------------- conversions

/** Numbers as strings. @type {(cx: Builder, x: any) => Text} */
function writtenOf(cx, x) {
  if (x instanceof Known) return writeTensor(x.tensor);
  const value = cx.value(x);
  return new LateText(value.shape, (builder, name) => {
    const read = builder.outputValue(name, value);
    return (results, inputs) => /** @type {Strings} */ (writeTensor(read(results, inputs)).known);
  }, (builder) => {
    const shape = numericShape(value.shape);
    return Text.of(shape, builder.elements(value, 'numbers to write').map(writer(value.dtype)));
  });
}

/** @type {(tensor: import('../../tensor/tensor.js').Tensor) => Text} */
function writeTensor(tensor) {
  const list = /** @type {any} */ (tensor.toArray());
  return Text.of(tensor.shape, (Array.isArray(list) ? list.flat(Infinity) : [list]).map(writer(tensor.dtype)));
}

/** Whether a decimal number names an element of the dtype. @type {Readonly<Record<string, (number: number) => number>>} */
const rounding = {
  f32: Math.fround,
  f16: (number) => halfOf('f16', number),
  bf16: (number) => halfOf('bf16', number),
};

/** @type {(dtype: DType, number: number) => number} */
function halfOf(dtype, number) {
  const half = /** @type {import('../../tensor/halves.js').Half} */ (dtypes[dtype].half);
  return half.decode(half.encode(number));
}

/** What writes an element as NumPy does: the fewest digits that name it. @type {(dtype: DType) => (element: any) => string} */
function writer(dtype) {
  if (dtypes[dtype].kind === 'bool') return (element) => (element ? 'True' : 'False');
  if (dtypes[dtype].kind !== 'float') return String;
  const round = rounding[dtype];
  return (element) => {
    if (!Number.isFinite(element)) return Number.isNaN(element) ? 'nan' : element > 0 ? 'inf' : '-inf';
    return numberText(element, round === undefined ? element : shortest(element, round));
  };
}

/** @type {(element: number, round: (number: number) => number) => number} */
function shortest(element, round) {
  for (let digits = 1; digits < 9; digits++) {
    const near = Number(element.toPrecision(digits));
    if (round(near) === element) return near;
  }
  return Number(element.toPrecision(9));
}

/** Exponents for elements from 1e16 on and below 1e-4, of at least two digits. @type {(element: number, number: number) => string} */
function numberText(element, number) {
  const size = Math.abs(element);
  if (size === 0) return Object.is(element, -0) ? '-0.0' : '0.0';
  if (size >= 1e16 || size < 1e-4) return number.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  const text = String(number);
  return text.includes('.') ? text : `${text}.0`;
}

const special = new Map([['nan', NaN], ['inf', Infinity], ['+inf', Infinity], ['-inf', -Infinity], ['infinity', Infinity], ['+infinity', Infinity], ['-infinity', -Infinity]]);

/** @type {(string: string, isBig: boolean) => number | bigint} */
function parseNumber(string, isBig) {
  const word = string.trim().toLowerCase();
  if (isBig && /^[+-]?\d+$/.test(word)) return BigInt(word.replace('+', ''));
  const number = special.get(word) ?? (word === '' ? NaN : Number(word));
  if (Number.isNaN(number) && !special.has(word)) return fail('ERR_ARGUMENT', `run: string ${JSON.stringify(string)} is no number`);
  return isBig ? BigInt(Math.trunc(number)) : number;
}

/** Strings as numbers. @type {(cx: Builder, text: Text, dtype: DType) => any} */
function parsedOf(cx, text, dtype) {
  const { big } = dtypes[dtype];
  return numbersOf(cx, [text], { name: 'number', dtype, shape: text.known?.shape ?? cx.shape(text) }, ({ shape, data }) => {
    const numbers = data.map((each) => parseNumber(each, big));
    return { shape, data: asTensor(dtype === 'bool' ? numbers.map(Boolean) : numbers, { dtype }).copy().data };
  });
}

module.exports = {
  Labels, codesOf, computedOf, equalTexts, isBound, labelsOf, mapped, movedTexts, numbersOf, parsedOf, placesOf,
  rankedOf, writtenOf,
};
