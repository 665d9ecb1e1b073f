/**
 * Sparse tensors of ONNX files, made dense: their consumers are ops on dense tensors.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { dtypes } = require('../../tensor/dtypes.js');
const { wrapOwn } = require('../../tensor/tensor.js');
const { Known } = require('../shared/operands.js');
const { operandOf } = require('./tensors.js');

/** A dense tensor is made of few elements; one that is much larger than its file is refused. */
const MAX_ELEMENTS = 2 ** 28;

/**
 * @param {{ values: any, indices: any, dims: readonly number[] }} sparse operands, and the shape
 * @param {string} what for messages
 * @returns {Known}
 */
function denseOf({ values, indices, dims }, what) {
  const count = dims.reduce((total, size) => total * size, 1);
  if (!dims.every((size) => Number.isSafeInteger(size) && size >= 0) || count > MAX_ELEMENTS)
    return fail('ERR_PARSE', `${what} has shape [${dims}]`);
  if (!(values instanceof Known) || !(indices instanceof Known)) return fail('ERR_PARSE', `${what} has no numbers`);
  return new Known(values.dtype, dims, () => {
    const data = new dtypes[values.dtype].arrayType(count);
    const source = values.tensor.copy().data;
    placesOf(indices, dims, what).forEach((place, i) => (data[place] = source[i]));
    return wrapOwn(data, values.dtype, [...dims]);
  });
}

/**
 * Indices are positions in row-major order, or vectors of one index for each axis.
 *
 * @type {(indices: Known, dims: readonly number[], what: string) => number[]}
 */
function placesOf(indices, dims, what) {
  const list = /** @type {any[]} */ (indices.tensor.toArray());
  const places = list.map((each) =>
    Array.isArray(each) ? each.reduce((at, index, axis) => at * dims[axis] + Number(index), 0) : Number(each),
  );
  const count = dims.reduce((total, size) => total * size, 1);
  if (places.some((place) => !(place >= 0 && place < count))) return fail('ERR_PARSE', `${what} has an index outside of [${dims}]`);
  return places;
}

/** @type {(proto: any, what: string, files: any) => Known} */
function densify(proto, what, files) {
  const named = `${what}: sparse initializer '${proto.values?.name}'`;
  const [values, indices] = [proto.values, proto.indices].map((each) => operandOf(each ?? {}, named, files));
  return denseOf({ values, indices, dims: (proto.dims ?? []).map(Number) }, named);
}

module.exports = { denseOf, densify };
