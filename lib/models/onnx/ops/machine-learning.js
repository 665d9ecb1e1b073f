/**
 * Ops of ai.onnx.ml that prepare features: encoders of labels and categories, scalers, maps.
 *
 * A look-up is a search in sorted keys within the graph, or, of strings, in JavaScript at the border
 * (shared/texts.js). Maps are inputs and outputs of a model only. Where it must not give zeros, OneHotEncoder should
 * refuse a category that it does not know; a graph refuses nothing, so that it gives zeros, too.
 */
'use strict';

const { fail } = require('../../../base/errors.js');
const { asTensor } = require('../../../tensor/create.js');
const { wrapOwn } = require('../../../tensor/tensor.js');
const { Dictionary, Known, Text } = require('../../shared/operands.js');
const { labelsOf, movedTexts, placesOf } = require('../../shared/texts.js');
const { joins } = require('../../../ops/movement.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */
/** @typedef {import('../../../tensor/dtypes.js').DType} DType */

/** The dtype of scores: f32 of everything but f64. @type {(value: any) => any} */
const floating = (value) => (value.dtype === 'f64' ? value : value.astype('f32'));

/** A vector as one row. @type {(value: any) => any} */
const rowsOf = (value) => (value.rank === 1 ? value.reshape([1, ...value.shape]) : value);

/** @type {(numbers: ArrayLike<number>, dtype: 'f32' | 'f64', shape?: readonly number[]) => any} a tensor to make a constant of */
function tensorOf(numbers, dtype, shape = [numbers.length]) {
  const count = shape.reduce((total, size) => total * size, 1);
  if (!shape.every(Number.isInteger) || count !== numbers.length)
    return fail('ERR_PARSE', `a list of ${numbers.length} numbers does not have shape [${shape.join(', ')}]`);
  return wrapOwn(dtype === 'f64' ? Float64Array.from(numbers) : Float32Array.from(numbers), dtype, [...shape]);
}

/** @type {(number: number | bigint) => bigint} an element of i64 */
const whole = (number) =>
  typeof number === 'bigint' || Number.isInteger(number) ? BigInt(number) : fail('ERR_PARSE', `${number} is no integer`);

/** A list that may be a tensor, perhaps by a second name. @type {(node: any, name: string) => any[] | undefined} */
function listAttribute(node, name) {
  const given = node.attr(`${name}_as_tensor`) ?? node.attr(name);
  if (given === undefined || Array.isArray(given)) return given;
  return given instanceof Known
    ? [given.tensor.toArray()].flat(Infinity)
    : fail('ERR_PARSE', `attribute '${name}' is no list`);
}

// ------------------------------------------------------------------------------------- encoders

/** Names of attributes for one type of elements; the first that a node has counts. @type {(node: any, kind: string) => any} */
function listOf(node, kind) {
  for (const [suffix, dtype] of [['strings', 'string'], ['int64s', 'i64'], ['floats', 'f32']]) {
    const list = listAttribute(node, `${kind}_${suffix}`);
    if (list !== undefined) return { dtype, list };
  }
  const tensor = node.attr(`${kind}_tensor`);
  return tensor && elementsOf(tensor);
}

/** @type {(operand: any) => { dtype: string, list: any[] }} */
function elementsOf(operand) {
  if (operand instanceof Text) return { dtype: 'string', list: operand.known?.data ?? [] };
  if (!(operand instanceof Known)) return fail('ERR_PARSE', 'labels are no tensor');
  return { dtype: operand.dtype, list: [operand.tensor.toArray()].flat(Infinity) };
}

/**
 * What stands at places in a list; one behind its end is the default.
 *
 * @param {Builder} cx
 * @param {any} places
 * @param {string} dtype
 * @param {readonly any[]} list
 * @param {any} initial
 * @returns {any}
 */
function picked(cx, places, dtype, list, initial) {
  const all = [...list, initial];
  if (dtype === 'string') return labelsOf(places, [Text.of([all.length], all)]);
  const isBig = dtype === 'i64' || dtype === 'u64';
  const table = asTensor(isBig ? all.map(whole) : all.map(Number), { dtype: /** @type {DType} */ (dtype) });
  return /** @type {any} */ (cx.constant(table)).take(cx.value(places));
}

/** Integers and their names, in whichever direction the input asks for. @type {Translation['translate']} */
function categoryMapper(node, [x], cx) {
  const old = node.op === 'LabelEncoder';
  const names = node.attr(old ? 'classes_strings' : 'cats_strings', []);
  const numbers = old ? names.map((/** @type {string} */ _, /** @type {number} */ i) => i) : node.attr('cats_int64s', []);
  if (names.length !== numbers.length) cx.fail('ERR_PARSE', `${names.length} names for ${numbers.length} numbers`);
  if (x instanceof Text) return picked(cx, placesOf(cx, x, names), 'i64', numbers, node.attr('default_int64', -1));
  return picked(cx, placesOf(cx, x, numbers), 'string', names, node.attr('default_string', '_Unused'));
}

/** @type {Translation['translate']} */
function labelEncoder(node, inputs, cx) {
  if (node.version < 2) return categoryMapper(node, inputs, cx);
  const [keys, values] = [listOf(node, 'keys'), listOf(node, 'values')];
  if (keys === undefined || values === undefined || keys.list.length !== values.list.length)
    return cx.fail('ERR_PARSE', 'it needs as many keys as values');
  const [x] = inputs;
  if ((keys.dtype === 'string') !== (x instanceof Text)) return cx.fail('ERR_DTYPE', `keys are ${keys.dtype}, but not the input`);
  return picked(cx, placesOf(cx, x, keys.list), values.dtype, values.list, defaultOf(node, values.dtype));
}

/** @type {(node: any, dtype: string) => any} */
function defaultOf(node, dtype) {
  const given = node.attr('default_tensor');
  if (given !== undefined) return elementsOf(given).list[0];
  if (dtype === 'string') return node.attr('default_string', '_Unused');
  return /^b?f/.test(dtype) ? node.attr('default_float', -0) : node.attr('default_int64', -1);
}

/** @type {Translation['translate']} */
function oneHotEncoder(node, [x], cx) {
  const isText = x instanceof Text;
  const categories = node.attr(isText ? 'cats_strings' : 'cats_int64s', []);
  const own = isText ? x : cx.value(x, 'i64');
  const places = /** @type {any} */ (cx.value(placesOf(cx, own, categories)));
  return places.oneHot(categories.length, { dtype: 'f32' });
}

// ------------------------------------------------------------------------------------- features

/** @type {Translation['translate']} */
function arrayFeatureExtractor(node, [x, indices], cx) {
  if (x instanceof Text) return movedTexts(arrayFeatureExtractor, node, [x, indices], cx);
  const value = rowsOf(cx.value(x));
  return value.take(/** @type {any} */ (cx.value(indices)).reshape([-1]), { axis: -1 });
}

/** @type {Translation['translate']} */
function featureVectorizer(node, inputs, cx) {
  const sizes = node.attr('inputdimensions', []);
  const parts = inputs.map((each, i) => {
    const value = rowsOf(cx.value(each, 'f32'));
    const [rows, own] = value.shape;
    const size = sizes[i] ?? own;
    if (size === own || typeof own !== 'number') return value;
    return size < own ? value.slice(null, [0, size]) : value.pad([[0, 0], [0, size - own]]).reshape([rows, size]);
  });
  return joins.concat(parts, { axis: 1 });
}

/** @type {Translation['translate']} */
function imputer(node, [x], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const isFloat = /^f/.test(value.dtype);
  const replaced = isFloat ? node.attr('replaced_value_float', 0) : node.attr('replaced_value_int64', 0);
  const list = node.attr(isFloat ? 'imputed_value_floats' : 'imputed_value_int64s', []);
  if (list.length === 0) cx.fail('ERR_PARSE', 'it has no values for what is missing');
  const elements = value.dtype === 'i64' ? list.map(whole) : list;
  const values = /** @type {any} */ (cx.constant(asTensor(elements, { dtype: value.dtype })));
  const isMissing = Number.isNaN(replaced) ? value.isNan() : value.eq(cx.constant(replaced, value.dtype));
  return isMissing.select(list.length === 1 ? values.reshape([]) : values, value);
}

/** @type {Translation['translate']} */
function scaler(node, [x], cx) {
  const value = floating(cx.value(x));
  const vector = (/** @type {string} */ name) => {
    const list = node.attr(name, []);
    return list.length === 0 ? undefined : cx.constant(tensorOf(list, value.dtype));
  };
  const [offset, scale] = [vector('offset'), vector('scale')];
  const moved = offset === undefined ? value : value.sub(offset);
  return (scale === undefined ? moved : moved.mul(scale)).astype('f32');
}

/** @type {Readonly<Record<string, (value: any) => any>>} what rows are divided by */
const norms = {
  MAX: (value) => value.reduceMax([value.rank - 1]),
  L1: (value) => value.abs().sum({ axis: -1 }),
  L2: (value) => value.square().sum({ axis: -1 }).sqrt(),
};

/** @type {Translation['translate']} */
function normalizer(node, [x], cx) {
  const value = floating(cx.value(x));
  const norm = norms[node.attr('norm', 'MAX')];
  if (norm === undefined) return cx.fail('ERR_PARSE', `norm '${node.attr('norm')}' is unknown`);
  const divisor = norm(value).expandDims(-1);
  return value.div(divisor.eq(0).select(1, divisor)).astype('f32');
}

/** @type {Translation['translate']} */
function binarizer(node, [x], cx) {
  const value = /** @type {any} */ (cx.value(x));
  return floating(value).gt(node.attr('threshold', 0)).astype(value.dtype);
}

// ----------------------------------------------------------------------------------------- maps

/** @type {(operand: any, cx: Builder) => Dictionary} */
const dictionaryOf = (operand, cx) =>
  operand instanceof Dictionary ? operand : cx.fail('ERR_DTYPE', 'expected a map that is an input of the model');

/** @type {(given: any) => any} an element of a map, which may be a scalar tensor */
const scalarOf = (given) => (given !== null && typeof given === 'object' ? given.toArray() : given);

/**
 * A row that JavaScript makes of a map.
 *
 * @param {Builder} cx
 * @param {string} dtype
 * @param {number | string} columns
 * @param {(inputs: Record<string, any>) => any[]} read
 * @returns {any}
 */
function rowOf(cx, dtype, columns, read) {
  if (dtype === 'string')
    return new Text([1, columns], (_, inputs) => {
      const data = read(inputs).map(String);
      return { shape: [1, data.length], data };
    }, true);
  const options = { dtype: /** @type {DType} */ (dtype) };
  return cx.derive('row', options.dtype, [1, columns], (inputs) => {
    const numbers = read(inputs).map(Number);
    const data = dtype === 'i64' ? numbers.map((each) => BigInt(Math.trunc(each))) : numbers;
    return asTensor(data, options).reshape([1, data.length]);
  });
}

/** @type {Translation['translate']} */
function dictVectorizer(node, [x], cx) {
  const map = dictionaryOf(x, cx);
  const keys = listAttribute(node, 'string_vocabulary') ?? listAttribute(node, 'int64_vocabulary') ?? [];
  return rowOf(cx, map.value, keys.length, (inputs) => {
    const given = new Map([...map.read(inputs)].map(([key, value]) => [String(key), scalarOf(value)]));
    return keys.map((/** @type {any} */ key) => given.get(String(key)) ?? (map.value === 'string' ? '' : 0));
  });
}

const castTypes = new Map([['TO_FLOAT', 'f32'], ['TO_INT64', 'i64'], ['TO_STRING', 'string']]);

/** @type {Translation['translate']} */
function castMap(node, [x], cx) {
  const map = dictionaryOf(x, cx);
  const dtype = castTypes.get(node.attr('cast_to', 'TO_FLOAT')) ?? cx.fail('ERR_PARSE', 'cast_to is unknown');
  const isSparse = node.attr('map_form', 'DENSE') === 'SPARSE';
  const size = node.attr('max_map', 1);
  return rowOf(cx, dtype, isSparse ? size : cx.uniqueName('entries'), (inputs) => {
    const pair = (/** @type {[any, any]} */ [key, value]) => /** @type {[number, any]} */ ([Number(key), scalarOf(value)]);
    const entries = [...map.read(inputs)].map(pair);
    if (!isSparse) return entries.sort(([a], [b]) => a - b).map(([, value]) => value);
    const row = Array(size).fill(dtype === 'string' ? '' : 0);
    for (const [key, value] of entries) if (key >= 0 && key < size) row[key] = value;
    return row;
  });
}

/** Rows of scores as maps from labels. */
class Maps {
  /**
   * @param {any} scores a Value [rows, labels]
   * @param {readonly (string | number)[]} labels
   */
  constructor(scores, labels) {
    this.scores = scores;
    this.labels = labels;
  }

  /** @type {(cx: Builder, name: string) => import('../../shared/operands.js').Reader} */
  output(cx, name) {
    const read = cx.outputValue(name, this.scores);
    return (results) => {
      const rows = /** @type {any} */ (read(results, {}).toArray());
      const mapOf = (/** @type {readonly number[]} */ row) => new Map(this.labels.map((label, i) => [label, row[i]]));
      return rows.map(mapOf);
    };
  }
}

/** @type {Translation} */
const zipMap = {
  fold: false,
  translate: (node, [x], cx) => {
    const labels = listAttribute(node, 'classlabels_strings') ?? listAttribute(node, 'classlabels_int64s') ?? [];
    const scores = rowsOf(cx.value(x));
    if (typeof scores.shape[1] === 'number' && scores.shape[1] !== labels.length)
      cx.fail('ERR_SHAPE', `${labels.length} labels for ${scores.shape[1]} columns`);
    return new Maps(scores, labels);
  },
};

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx.ml': {
    ArrayFeatureExtractor: arrayFeatureExtractor, Binarizer: binarizer, CastMap: castMap,
    CategoryMapper: categoryMapper, DictVectorizer: dictVectorizer, FeatureVectorizer: featureVectorizer,
    Imputer: imputer, LabelEncoder: labelEncoder, Normalizer: normalizer, OneHotEncoder: oneHotEncoder,
    Scaler: scaler, ZipMap: zipMap,
  },
};

module.exports = { floating, listAttribute, ops, rowsOf, tensorOf, whole };
