/**
 * Operations on matrices, which lie along the last two axes, and norms of them and of vectors.
 *
 * Parts of a matrix are selected by comparing row and column numbers, which the compiler computes on the way.
 */
'use strict';

const { boolean, expected, integer, readOptions } = require('../base/check.js');
const { append, constantOf, dimsOf, isValue, stateOf } = require('../graph/value.js');
const { dtypeName, dtypes } = require('../tensor/dtypes.js');
const { readAxes } = require('../tensor/views.js');
const { contractions } = require('./contractions.js');
const { elementwise, roundedOnce, rows } = require('./elementwise.js');
const { joins, movement, operandOf, reshapeTo } = require('./movement.js');
const { inDType, reductions } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

/** Loaded late: factors are made of what is here. @type {() => typeof import('./factors.js').factors} */
const factors = () => require('./factors.js').factors;

const given = (/** @type {unknown} */ value) => value;

/** @type {(x: unknown, caller: string) => ReturnType<typeof operandOf>} */
function matrixOf(x, caller) {
  const operand = operandOf(x, caller);
  return operand.rank >= 2 ? operand : expected(caller, 'at least two axes', 'the operand', x, 'ERR_SHAPE');
}

/** @type {(x: unknown, caller: string) => ReturnType<typeof operandOf>} */
function squareOf(x, caller) {
  const operand = matrixOf(x, caller);
  const [height, width] = operand.dims.slice(-2);
  return height === width ? operand : expected(caller, 'square matrices', 'the operand', x, 'ERR_SHAPE');
}

/** @type {(x: unknown) => Value} */
function matrixTranspose(x) {
  const { state, value, rank } = matrixOf(x, 'matrixTranspose');
  const axes = Array.from({ length: rank }, (_, i) => (i < rank - 2 ? i : 2 * rank - 3 - i));
  return append(state, 'transpose', [value], { axes });
}

// ---------------------------------------------------------------------------------- parts of them

/**
 * How far each column of a matrix is to the right of its row.
 *
 * @type {(state: GraphState, dims: readonly number[], axes: readonly [number, number]) => Value}
 */
function columnsAhead(state, dims, [rowAxis, columnAxis]) {
  const shape = dims.map((dim, axis) => (axis === rowAxis || axis === columnAxis ? dim : 1));
  const [row, column] = [rowAxis, columnAxis].map((axis) => append(state, 'iota', [], { dtype: 'i64', shape, axis }));
  return rows.sub(column, row);
}

/** The value of a dtype that no maximum takes. @type {(value: Value, caller: string) => Value} */
function least(value, caller) {
  const { kind, bytes } = dtypes[value.dtype];
  if (kind === 'float') return constantOf(stateOf(value), -Infinity, value.dtype, '-Infinity', caller);
  if (kind !== 'int') return constantOf(stateOf(value), kind === 'bool' ? false : 0, value.dtype, '0', caller);
  return constantOf(stateOf(value), -(2n ** BigInt(8 * bytes - 1)), value.dtype, 'the least value', caller);
}

/**
 * How many elements the diagonal `offset` above the main one has.
 *
 * @type {(state: GraphState, height: number, width: number, offset: number) => number}
 */
function diagonalSize(state, height, width, offset) {
  const [down, right] = [state.sub(height, Math.max(-offset, 0)), state.sub(width, Math.max(offset, 0))];
  if (down >= 0 && right >= 0) return Math.min(down, right);
  const shorter = state.min(down, right);
  return offset === 0 ? shorter : state.max(shorter, 0);
}

/**
 * The elements along a diagonal, as the last axis. Of known sizes they are a slice of the matrix as one row,
 * else the only ones that are not masked in each of its rows.
 *
 * @param {Value} value
 * @param {number} offset
 * @param {number} rowAxis
 * @param {number} columnAxis
 * @param {string} caller
 * @returns {Value}
 */
function diagonalOf(value, offset, rowAxis, columnAxis, caller) {
  const state = stateOf(value);
  const others = dimsOf(value).flatMap((_, axis) => (axis === rowAxis || axis === columnAxis ? [] : axis));
  const matrix = movement.transpose(value, [...others, rowAxis, columnAxis]);
  const dims = dimsOf(matrix);
  const [height, width] = dims.slice(-2);
  const batch = dims.slice(0, -2);
  if (height >= 0 && width >= 0) {
    const count = Math.max(diagonalSize(state, height, width, offset), 0);
    const flat = reshapeTo(state, matrix, [...batch, height * width]);
    const first = offset >= 0 ? offset : -offset * width;
    return append(state, 'slice', [flat], {
      start: [...batch.map(() => 0), count ? first : 0],
      shape: [...batch, count],
      stride: [...batch.map(() => 1), width + 1],
    });
  }
  const size = diagonalSize(state, height, width, offset);
  const lead = batch.map(() => 0);
  const wanted = rows.eq(columnsAhead(state, dims, [batch.length, batch.length + 1]), offset);
  const masked = rows.select(wanted, matrix, least(value, caller));
  const lines = append(state, 'reduce_max', [masked], { axes: [batch.length + 1] });
  return append(state, 'slice', [lines], {
    start: [...lead, Math.max(-offset, 0)],
    shape: [...batch, size],
    stride: [...lead, 1].map(() => 1),
  });
}

const diagonalOptions = { offset: integer(), axes: given };

/** @type {(x: unknown, options: Record<string, any>, caller: string) => Value} */
function readDiagonal(x, { offset = 0, axes = [-2, -1] }, caller) {
  const { value, rank } = matrixOf(x, caller);
  const plane = readAxes(axes, rank, caller);
  if (plane.length !== 2) return expected(caller, 'two axes', "option 'axes'", axes);
  return diagonalOf(value, offset, plane[0], plane[1], caller);
}

/** @type {(x: unknown, options?: unknown) => Value} */
const diagonal = (x, options) => readDiagonal(x, readOptions('diagonal', options, diagonalOptions), 'diagonal');

/** @type {(x: unknown, options?: unknown) => Value} */
function trace(x, options) {
  const { dtype, ...where } = readOptions('trace', options, { ...diagonalOptions, dtype: dtypeName });
  return reductions.sum(readDiagonal(x, where, 'trace'), { axis: -1, dtype });
}

/** A whole number, or what a run computes one of. @type {import('../base/check.js').Getter<unknown>} */
function diagonalNumber(value, which, caller) {
  if (!isValue(value)) return integer()(value, which, caller);
  return value.rank === 0 && /^[iu]\d/.test(value.dtype) ? value : expected(caller, 'a scalar integer', which, value);
}

/** @type {(caller: 'tril' | 'triu') => (x: unknown, options?: unknown) => Value} */
const triangle = (caller) => (x, options) => {
  const { k = 0 } = readOptions(caller, options, { k: diagonalNumber });
  const { state, value, dims, rank } = matrixOf(x, caller);
  const ahead = columnsAhead(state, dims, [rank - 2, rank - 1]);
  const kept = caller === 'tril' ? rows.le(ahead, k) : rows.ge(ahead, k);
  return rows.select(kept, value, constantOf(state, value.dtype === 'bool' ? false : 0, value.dtype, '0', caller));
};

// ---------------------------------------------------------------------------------------- powers

/** @type {(x: unknown, power: unknown) => Value} */
function matrixPower(x, power) {
  const { state, value, dims, rank } = squareOf(x, 'matrixPower');
  const times = integer(0)(power, 'the power', 'matrixPower');
  if (times === 0) {
    const one = elementwise.convert(rows.eq(columnsAhead(state, dims, [rank - 2, rank - 1]), 0), value.dtype);
    return append(state, 'broadcast', [one], { shape: dims, axes: dims.map((_, axis) => axis) });
  }
  /** @type {Value | undefined} */
  let result;
  let square = value;
  for (let left = times; ; square = contractions.matmul(square, square)) {
    if (left % 2 === 1) result = result ? contractions.matmul(result, square) : square;
    left = Math.floor(left / 2);
    if (left === 0) return /** @type {Value} */ (result);
  }
}

/** @type {(x: unknown, options?: unknown) => Value} */
function vander(x, options) {
  const { n, increasing = false } = readOptions('vander', options, { n: given, increasing: boolean });
  const { state, value, dims, rank } = operandOf(x, 'vander');
  if (rank !== 1) expected('vander', 'a vector', 'the operand', x, 'ERR_SHAPE');
  const count = n === undefined ? dims[0] : state.dim(n, "option 'n'", 'vander');
  if (count === 0) return constantOf(state, 0, value.dtype, '0', 'vander', [dims[0], 0]);
  const column = reshapeTo(state, value, [dims[0], 1]);
  const repeated = append(state, 'broadcast', [column], { shape: [dims[0], state.sub(count, 1)], axes: [0, 1] });
  const powers = append(state, 'cumulate_prod', [repeated], { axis: 1 });
  const ones = constantOf(state, 1, value.dtype, '1', 'vander', [dims[0], 1]);
  const all = joins.concat([ones, powers], { axis: 1 });
  return increasing ? all : movement.reverse(all, 1);
}

// ----------------------------------------------------------------------------------------- norms

/** @type {(x: unknown, caller: string) => Value} */
function floatOf(x, caller) {
  const { value } = operandOf(x, caller);
  return dtypes[value.dtype].kind === 'float' ? value : elementwise.convert(value, 'f64');
}

/** @type {import('../base/check.js').Getter<number>} */
function orderOf(value, which, caller) {
  return typeof value === 'number' && !Number.isNaN(value) ? value : expected(caller, 'a number', which, value);
}

/** @type {(x: unknown, options?: unknown) => Value} */
function vectorNorm(x, options) {
  const caller = 'vectorNorm';
  const {
    axis, keepDims = false, ord = 2,
  } = readOptions(caller, options, { axis: given, keepDims: boolean, ord: orderOf });
  const value = floatOf(x, caller);
  const over = { axis, keepDims };
  if (ord === 2) return rows.sqrt(reductions.sum(rows.mul(value, value), over));
  const size = rows.abs(value);
  if (ord === Infinity) return reductions.max(size, over);
  if (ord === -Infinity) return reductions.min(size, over);
  if (ord === 1) return reductions.sum(size, over);
  if (ord === 0) return reductions.sum(inDType(rows.ne(value, 0), value.dtype), over);
  return rows.pow(reductions.sum(rows.pow(size, ord), over), 1 / ord);
}

/** @type {import('../base/check.js').Getter<'fro' | 'nuc' | number>} */
function matrixOrderOf(value, which, caller) {
  const known = ['fro', 'nuc', 1, -1, 2, -2, Infinity, -Infinity];
  if (known.includes(/** @type {any} */ (value))) return /** @type {'fro'} */ (value);
  return expected(caller, "'fro', 'nuc', 1, -1, 2, -2, Infinity or -Infinity", which, value);
}

/** The sum, the greatest or the least of them. @type {(value: Value, ord: 'nuc' | number, keepDims: boolean) => Value} */
function ofSingularValues(value, ord, keepDims) {
  const over = ord === 'nuc' ? reductions.sum : ord > 0 ? reductions.max : reductions.min;
  const result = over(factors().svdvals(value), { axis: -1, keepDims });
  return keepDims ? movement.expandDims(result, -1) : result;
}

/** @type {(x: unknown, options?: unknown) => Value} */
function matrixNorm(x, options) {
  const caller = 'matrixNorm';
  const { ord = 'fro', keepDims = false } = readOptions(caller, options, { ord: matrixOrderOf, keepDims: boolean });
  const value = floatOf(matrixOf(x, caller).value, caller);
  if (ord === 'fro') return rows.sqrt(reductions.sum(rows.mul(value, value), { axis: [-2, -1], keepDims }));
  if (ord === 'nuc' || Math.abs(ord) === 2) return ofSingularValues(value, ord, keepDims);
  const [along, across] = Math.abs(ord) === 1 ? [-2, -1] : [-1, -2];
  const sums = reductions.sum(rows.abs(value), { axis: along, keepDims: true });
  const extreme = ord > 0 ? reductions.max : reductions.min;
  const both = extreme(sums, { axis: across, keepDims: true });
  return keepDims ? both : movement.squeeze(both, [-2, -1]);
}

/** Operations that are functions and methods alike, by name. */
const matrices = {
  diagonal,
  matrixNorm: roundedOnce(matrixNorm),
  matrixPower,
  matrixTranspose,
  trace,
  tril: triangle('tril'),
  triu: triangle('triu'),
  vander,
  vectorNorm: roundedOnce(vectorNorm),
};

module.exports = { columnsAhead, diagonalOf, floatOf, matrices, matrixOf, squareOf };
