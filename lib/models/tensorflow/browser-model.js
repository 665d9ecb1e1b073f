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
const { wrapOwn } = require('../../tensor/tensor.js');
const { FolderFiles } = require('../shared/folder-files.js');
const { Known, Text } = require('../shared/operands.js');
const { fromJson } = require('../shared/protobuf-json.js');
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

/** @type {(value: any, which: string) => string} */
const typeOf = (value, which) => (typeof value === 'string' && Object.hasOwn(types, value) ? types[value] : refuse(value, which));

/** @type {(value: any, which: string) => any[]} */
const listOf = (value, which) => (Array.isArray(value) ? value : refuse(value, which));

/**
 * One constant, and how many bytes it takes.
 *
 * @param {any} entry
 * @param {number} offset
 * @param {(from: number, to: number) => Uint8Array} read
 * @param {string} which
 * @returns {{ operand: Operand, length: number }}
 */
function weightOf(entry, offset, read, which) {
  const shape = listOf(entry.shape, `${which}: the shape`);
  if (!shape.every((size) => Number.isSafeInteger(size) && size >= 0)) refuse(shape, `${which}: the shape`);
  const [count, type] = [countOf(shape), typeOf(entry.dtype, `${which}: dtype`)];
  if (type === 'string') return textOf(shape, count, offset, read, which);
  const { quantization } = entry;
  const stored = quantization ? typeOf(quantization.dtype, `${which}: quantization`) : type;
  const bytes = stored === 'c64' ? 8 : dtypes[/** @type {DType} */ (stored)].bytes;
  const length = count * bytes;
  if (!Number.isSafeInteger(length)) refuse(shape, `${which}: the shape`);
  const raw = rawOperand(stored, shape, () => read(offset, offset + length), which);
  return { operand: quantization && raw instanceof Known ? restored(raw, quantization, /** @type {DType} */ (type)) : raw, length };
}

/** Numbers of quantised ones. @type {(raw: Known, quantization: any, dtype: DType) => Known} */
function restored(raw, { scale = 1, min = 0 }, dtype) {
  return new Known(dtype, raw.shape, () => {
    const source = /** @type {any} */ (raw.tensor).astype('f64').copy().data;
    const { arrayType } = dtypes[dtype];
    const isHalf = raw.dtype === 'f16';
    const number = (/** @type {any} */ code) => (isHalf ? code : Number(code) * scale + min);
    const data = new arrayType(source.length);
    for (let i = 0; i < source.length; i++) data[i] = dtype === 'f32' ? number(source[i]) : Math.round(number(source[i]));
    return wrapOwn(data, dtype, [...raw.shape]);
  });
}

/** Strings, each behind its length. @type {(shape: number[], count: number, offset: number, read: (from: number, to: number) => Uint8Array, which: string) => { operand: Text, length: number }} */
function textOf(shape, count, offset, read, which) {
  let at = offset;
  const data = [];
  for (let i = 0; i < count; i++) {
    const head = read(at, at + 4);
    const length = new DataView(head.buffer, head.byteOffset, 4).getUint32(0, true);
    data.push(Buffer.from(read(at + 4, at + 4 + length)).toString('utf8'));
    at += 4 + length;
  }
  if (data.length !== count) refuse(shape, which);
  return { operand: Text.of(shape, data), length: at - offset };
}

/** The bytes of several files, one behind the other. @type {(files: FolderFiles, paths: readonly string[], what: string) => { size: number, read: (from: number, to: number) => Uint8Array }} */
function joinedFiles(files, paths, what) {
  /** @type {{ path: string, from: number, to: number }[]} */
  const spans = [];
  let size = 0;
  for (const path of paths) spans.push({ path, from: size, to: (size += files.size(path, what)) });
  const read = (/** @type {number} */ from, /** @type {number} */ to) => {
    if (to > size) return fail('ERR_PARSE', `${what} ends at byte ${to}, but the files have ${size}`);
    const parts = spans.filter((span) => span.from < to && span.to > from).map((span) => {
      const [start, end] = [Math.max(from, span.from), Math.min(to, span.to)];
      return files.read(span.path, start - span.from, end - start, what);
    });
    return parts.length === 1 ? parts[0] : new Uint8Array(Buffer.concat(parts));
  };
  return { size, read };
}

/** @type {(manifest: any, folder: string | undefined, what: string) => Map<string, Operand>} */
function weightsOf(manifest, folder, what) {
  const files = new FolderFiles(folder);
  const weights = new Map();
  for (const group of listOf(manifest, `${what}: weightsManifest`)) {
    const paths = listOf(group?.paths, `${what}: paths`).map((each) => (typeof each === 'string' ? each : refuse(each, `${what}: paths`)));
    const { read } = joinedFiles(files, paths, `${what}: weights`);
    let offset = 0;
    for (const entry of listOf(group.weights, `${what}: weights`)) {
      const name = typeof entry?.name === 'string' ? entry.name : refuse(entry, `${what}: weights`);
      const which = `${what}: weight '${name}'`;
      const { operand, length } = weightOf(entry, offset, (from, to) => read(from, to), which);
      weights.set(name, operand);
      offset += length;
      read(offset, offset);
    }
  }
  return weights;
}

/** A signature in its JSON form. @type {(value: any, what: string) => { inputs?: Map<string, any>, outputs?: Map<string, any> } | undefined} */
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
