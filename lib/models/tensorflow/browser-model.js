/**
 * Models of TensorFlow.js: a graph in a file `model.json`, and its constants in files beside it.
 *
 * Constants lie one after the other in the bytes of all files of a group. Quantised ones are integers with a scale and
 * a least number, or halves.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { isOptions } = require('../../base/check.js');
const { dtypes } = require('../../tensor/dtypes.js');
const { allocateConstant } = require('../../graph/shared-constants.js');
const { wrapOwn } = require('../../tensor/tensor.js');
const { FolderFiles } = require('../shared/folder-files.js');
const { Known, Text } = require('../shared/operands.js');
const { fromJson } = require('../shared/protobuf-json.js');
const { elementsOver } = require('../shared/weights.js');
const { definitionOf } = require('./index.js');
const { enumCodes, schema } = require('./schema.js');
const { countOf, rawOperand } = require('./tensors.js');

/** @typedef {import('../shared/operands.js').Operand} Operand */
/** @typedef {import('../../tensor/dtypes.js').DType} DType */

const types = /** @type {Readonly<Record<string, string>>} */ ({
  float32: 'f32', int32: 'i32', bool: 'bool', uint8: 'u8', uint16: 'u16', float16: 'f16', complex64: 'c64', string: 'string',
});

/** @type {(value: any, which: string) => never} */
const refuse = (value, which) => fail('ERR_PARSE', `${which} has ${JSON.stringify(value)?.slice(0, 60)}`);

/** @type {(table: Readonly<Record<string, string>>, value: any, which: string) => string} */
const typeOf = (table, value, which) => (typeof value === 'string' && Object.hasOwn(table, value) ? table[value] : refuse(value, which));

/** @type {(value: any, which: string) => any[]} */
const listOf = (value, which) => (Array.isArray(value) ? value : refuse(value, which));

/** What stands for numbers, and how many bytes each takes. */
const QUANTISED = /** @type {Readonly<Record<string, string>>} */ ({ uint8: 'u8', uint16: 'u16', float16: 'f16' });

/**
 * One constant, and how many bytes it takes.
 *
 * @param {any} entry
 * @param {number} offset
 * @param {Joined} files
 * @param {string} which
 * @returns {{ operand: Operand, length: number }}
 */
function weightOf(entry, offset, files, which) {
  const shape = listOf(entry.shape, `${which}: the shape`);
  if (!shape.every((size) => Number.isSafeInteger(size) && size >= 0)) refuse(shape, `${which}: the shape`);
  const [count, type] = [countOf(shape), typeOf(types, entry.dtype, `${which}: dtype`)];
  if (type === 'string') return textOf(shape, count, offset, files, which);
  const { quantization } = entry;
  if (quantization && type !== 'f32' && type !== 'i32') refuse(entry.dtype, `${which}: the dtype of quantised numbers`);
  const stored = quantization ? typeOf(QUANTISED, quantization.dtype, `${which}: quantization`) : type;
  const bytes = stored === 'c64' ? 8 : dtypes[/** @type {DType} */ (stored)].bytes;
  const length = count * bytes;
  if (!Number.isSafeInteger(length)) refuse(shape, `${which}: the shape`);
  const read = () => files.read(offset, offset + length);
  const operand = quantization
    ? restored(/** @type {DType} */ (type), shape, () => wrapOwn(elementsOver(read(), dtypes[/** @type {DType} */ (stored)]), /** @type {DType} */ (stored), shape), quantization, which)
    : rawOperand(stored, shape, read, which);
  return { operand, length };
}

/** Numbers of quantised ones. @type {(dtype: DType, shape: number[], read: () => any, quantization: any, which: string) => Known} */
function restored(dtype, shape, read, { scale = 1, min = 0 }, which) {
  for (const number of [scale, min]) if (typeof number !== 'number') refuse(number, `${which}: quantization`);
  return new Known(dtype, shape, () => {
    const codes = read();
    const isHalf = codes.dtype === 'f16';
    const { data } = (isHalf ? codes.astype('f32') : codes).copy();
    const number = (/** @type {number} */ code) => (isHalf ? code : code * scale + min);
    const restoredData = allocateConstant(dtype, data.length, 'load');
    for (let i = 0; i < data.length; i++) restoredData[i] = dtype === 'f32' ? number(data[i]) : Math.round(number(data[i]));
    return wrapOwn(restoredData, dtype, [...shape]);
  });
}

/**
 * Strings, each behind its length.
 *
 * @type {(shape: number[], count: number, offset: number, files: Joined, which: string) => { operand: Text, length: number }}
 */
function textOf(shape, count, offset, files, which) {
  const bytes = files.read(offset, files.size);
  const lengths = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const data = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    const from = at + 4;
    at = from > bytes.length ? from : from + lengths.getUint32(at, true);
    if (at > bytes.length) return fail('ERR_PARSE', `${which} ends at byte ${offset + at}, but the files have ${files.size}`);
    data.push(Buffer.from(bytes.subarray(from, at)).toString('utf8'));
  }
  return { operand: Text.of(shape, data), length: at };
}

/** Several files, one behind the other. @typedef {{ size: number, read: (from: number, to: number) => Uint8Array }} Joined */

/** @type {(files: FolderFiles, paths: readonly string[], what: string) => Joined} */
function joinedFiles(files, paths, what) {
  /** @type {{ path: string, from: number, to: number }[]} */
  const spans = [];
  let size = 0;
  for (const path of paths) spans.push({ path, from: size, to: (size += files.size(path, what)) });
  const read = (/** @type {number} */ from, /** @type {number} */ to) => {
    if (to > size) return fail('ERR_PARSE', `${what} ends at byte ${to}, but the files have ${size}`);
    const bytes = /** @type {Uint8Array} */ (allocateConstant('u8', to - from, 'load'));
    for (const span of spans) {
      const [start, end] = [Math.max(from, span.from), Math.min(to, span.to)];
      if (start < end) files.fill(bytes.subarray(start - from, end - from), span.path, start - span.from, what);
    }
    return bytes;
  };
  return { size, read };
}

/** @type {(manifest: any, folder: string | undefined, what: string) => Map<string, Operand>} */
function weightsOf(manifest, folder, what) {
  const files = new FolderFiles(folder);
  const weights = new Map();
  for (const group of listOf(manifest, `${what}: weightsManifest`)) {
    const paths = listOf(group?.paths, `${what}: paths`).map((each) => (typeof each === 'string' ? each : refuse(each, `${what}: paths`)));
    const joined = joinedFiles(files, paths, `${what}: weights`);
    let offset = 0;
    for (const entry of listOf(group.weights, `${what}: weights`)) {
      const name = typeof entry?.name === 'string' ? entry.name : refuse(entry, `${what}: weights`);
      const which = `${what}: weight '${name}'`;
      const { operand, length } = weightOf(entry, offset, joined, which);
      weights.set(name, operand);
      offset += length;
      joined.read(offset, offset);
    }
  }
  return weights;
}

/**
 * A signature in its JSON form.
 *
 * @type {(value: any, what: string) => { inputs?: Map<string, any>, outputs?: Map<string, any> } | undefined}
 */
function signatureOf(value, what) {
  if (!isOptions(value)) return undefined;
  const signature = fromJson(schema, 'SignatureDef', value, enumCodes, `${what}: signature`);
  return signature.outputs?.size > 0 ? signature : undefined;
}

/**
 * @param {Uint8Array} bytes
 * @param {import('./index.js').Context & { folder?: string }} context
 * @returns {import('../model.js').Definition}
 */
function readBrowserModel(bytes, context) {
  const what = `${context.caller}: ${context.file}`;
  /** @type {any} */
  let json;
  try {
    json = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch (error) {
    return fail('ERR_PARSE', `${what} is no JSON: ${/** @type {Error} */ (error).message}`);
  }
  const { modelTopology: topology } = json;
  if (!isOptions(topology) || (json.format !== 'graph-model' && !Array.isArray(/** @type {any} */ (topology).node)))
    return fail('ERR_UNSUPPORTED', `${what} has layers of Keras and no graph: convert it to a graph model`);
  const read = (/** @type {any} */ graph, /** @type {string} */ part) => fromJson(schema, 'Graph', graph, enumCodes, `${what}: ${part}`);
  return definitionOf({
    graph: read(topology, 'modelTopology'),
    signature: signatureOf(json.signature ?? json.userDefinedMetadata?.signature, what),
    weights: weightsOf(json.weightsManifest ?? [], context.folder, what),
    initializer: isOptions(json.modelInitializer) ? read(json.modelInitializer, 'modelInitializer') : undefined,
    metadata: Object.fromEntries(['generatedBy', 'convertedBy'].flatMap((key) => (json[key] ? [[key, String(json[key])]] : []))),
  }, context);
}

module.exports = { readBrowserModel };
