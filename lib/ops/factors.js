/**
 * Linear algebra: factors of matrices, which lie along the last two axes, and what is solved with them.
 *
 * The factors are primitives, whose algorithms are part of the core (src/library/matrices, spectral); the rest is
 * written in terms of them, so derivatives and batches come from there. A matrix that has no answer, singular or not
 * positive definite, gives NaN and infinities where the answer would be, never an error: a batch may have both kinds.
 */
'use strict';

const { boolean, expected, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantOf, dimsOf, lift, resultsOf, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { broadcastDims, contractions, pairOf, withBatch } = require('./contractions.js');
const { elementwise, roundedOnce, rows } = require('./elementwise.js');
const { sizeValue } = require('./indexing.js');
const { columnsAhead, floatOf, matrices, matrixOf, squareOf } = require('./matrices.js');
const { joins, movement, operandOf, reshapeTo } = require('./movement.js');
const { inDType, reductions } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

/** Loaded late: trace/control.js needs the operations. @type {() => typeof import('../trace/control.js').control} */
const control = () => require('../trace/control.js').control;

/** Loaded late for the same reason. @type {() => typeof import('../transform/overrides.js').customGrad} */
const customGrad = () => require('../transform/overrides.js').customGrad;

const given = (/** @type {unknown} */ value) => value;

// ---------------------------------------------------------------------------------------- words

/**
 * Matrices of floats; integers become f64.
 *
 * @typedef {{ state: GraphState, value: Value, height: number, width: number }} Matrices
 */

/** @type {(x: unknown, caller: string) => Matrices} */
function floatMatrixOf(x, caller) {
  const { state, dims } = matrixOf(x, caller);
  const [height, width] = dims.slice(-2);
  return { state, value: floatOf(x, caller), height, width };
}

/** @type {(x: unknown, caller: string) => Matrices} */
function floatSquareOf(x, caller) {
  squareOf(x, caller);
  return floatMatrixOf(x, caller);
}

const turned = matrices.matrixTranspose;

/** The last sizes after those of the batch. @type {(value: Value, ...last: number[]) => number[]} */
const shapeLike = (value, ...last) => [...dimsOf(value).slice(0, -2), ...last];

/** Ones on the diagonal. @type {(value: Value, height: number, width: number) => Value} */
function identityLike(value, height, width) {
  const state = stateOf(value);
  const shape = shapeLike(value, height, width);
  const ahead = columnsAhead(state, shape, [shape.length - 2, shape.length - 1]);
  const one = elementwise.convert(rows.eq(ahead, 0), value.dtype);
  return append(state, 'broadcast', [one], { shape, axes: shape.map((_, axis) => axis) });
}

/** Part of a matrix: rows and columns from the first on. @type {(value: Value, height: number, width: number, left?: number) => Value} */
function partOf(value, height, width, left = 0) {
  const shape = shapeLike(value, height, width);
  const lead = shape.slice(0, -1).map(() => 0);
  return append(stateOf(value), 'slice', [value], { shape, start: [...lead, left], stride: shape.map(() => 1) });
}

/** Two matrices of one dtype, their batches broadcast. @type {(a: Value, b: Value, caller: string) => [Value, Value]} */
function together(a, b, caller) {
  const { state, x, y } = pairOf(a, b, caller);
  const batch = broadcastDims(state, dimsOf(x).slice(0, -2), dimsOf(y).slice(0, -2), caller);
  return [withBatch(x, batch), withBatch(y, batch)];
}

/**
 * A matrix and right sides: a vector where they have one axis, else matrices.
 *
 * @type {(a: unknown, b: unknown, caller: string, isSquare?: boolean) => { a: Value, b: Value, back: (x: Value) => Value }}
 */
function systemOf(a, b, caller, isSquare = true) {
  const { values } = lift([a, b], caller);
  const matrix = (isSquare ? floatSquareOf : floatMatrixOf)(values[0], caller);
  const right = operandOf(values[1], caller);
  if (right.rank === 0) expected(caller, 'a vector or matrices', 'the right side', b, 'ERR_SHAPE');
  const isVector = right.rank === 1;
  const columns = isVector ? reshapeTo(right.state, right.value, [...right.dims, 1]) : right.value;
  const floats = dtypes[columns.dtype].kind === 'float' ? columns : elementwise.convert(columns, matrix.value.dtype);
  const size = dimsOf(floats).at(-2);
  if (size !== matrix.height)
    fail(
      'ERR_SHAPE',
      `${caller}: a matrix ${matrix.state.shapeText(dimsOf(matrix.value))} has no right side ${right.state.shapeText(right.dims)}`,
    );
  const [x, y] = together(matrix.value, floats, caller);
  return { a: x, b: y, back: (result) => (isVector ? movement.squeeze(result, -1) : result) };
}

// -------------------------------------------------------------------------------------- factors

/** @type {(x: unknown, options?: unknown) => Value} */
function cholesky(x, options) {
  const { upper = false } = readOptions('cholesky', options, { upper: boolean });
  const { state, value } = floatSquareOf(x, 'cholesky');
  const factor = append(state, 'cholesky', [upper ? turned(value) : value]);
  return upper ? turned(factor) : factor;
}

/** Both results of elimination. @type {(value: Value) => { packed: Value, order: Value }} */
function eliminated(value) {
  const packed = append(stateOf(value), 'lu', [value]);
  return { packed, order: resultsOf(packed, 2)[1] };
}

/** @type {(x: unknown) => { l: Value, u: Value, rows: Value }} */
function lu(x) {
  const { state, value, height, width } = floatMatrixOf(x, 'lu');
  const { packed, order } = eliminated(value);
  const size = state.min(height, width);
  const below = matrices.tril(partOf(packed, height, size), { k: -1 });
  return {
    l: rows.add(below, identityLike(packed, height, size)),
    u: matrices.triu(partOf(packed, size, width)),
    rows: order,
  };
}

/** @type {import('../base/check.js').Getter<'reduced' | 'complete'>} */
function modeOf(value, which, caller) {
  return value === 'reduced' || value === 'complete' ? value : expected(caller, "'reduced' or 'complete'", which, value);
}

/** @type {(value: Value, columns: number) => { q: Value, r: Value }} */
function orthogonal(value, columns) {
  const q = append(stateOf(value), 'qr', [value], { count: [columns] });
  return { q, r: resultsOf(q, 2)[1] };
}

/** @type {(x: unknown, options?: unknown) => { q: Value, r: Value }} */
function qr(x, options) {
  const { mode = 'reduced' } = readOptions('qr', options, { mode: modeOf });
  const { state, value, height, width } = floatMatrixOf(x, 'qr');
  return orthogonal(value, mode === 'complete' ? height : state.min(height, width));
}

/** @type {(x: unknown, options: unknown, caller: string) => { eigenvalues: Value, eigenvectors: Value }} */
function symmetricEigen(x, options, caller) {
  const { upper = false } = readOptions(caller, options, { upper: boolean });
  const { state, value } = floatSquareOf(x, caller);
  const eigenvalues = append(state, 'eigh', [upper ? turned(value) : value]);
  return { eigenvalues, eigenvectors: resultsOf(eigenvalues, 2)[1] };
}

/** @type {(x: unknown, options?: unknown) => { eigenvalues: Value, eigenvectors: Value }} */
const eigh = (x, options) => symmetricEigen(x, options, 'eigh');

/** @type {(x: unknown, options?: unknown) => Value} */
const eigvalsh = (x, options) => symmetricEigen(x, options, 'eigvalsh').eigenvalues;

/** The columns that are missing of an orthonormal basis of all. @type {(basis: Value, size: number, rank: number) => Value} */
function completed(basis, size, rank) {
  const state = stateOf(basis);
  const { q } = orthogonal(basis, size);
  const rest = size >= 0 && rank >= 0 ? size - rank : state.sub(size, rank);
  return joins.concat([basis, partOf(q, size, rest, rank)], { axis: -1 });
}

/** Singular values and sizes. @typedef {{ state: GraphState, s: Value, height: number, width: number }} Spectrum */

/** @type {(x: unknown, caller: string) => { u: Value, s: Value, vh: Value } & Matrices} */
function singular(x, caller) {
  const operand = floatMatrixOf(x, caller);
  const u = append(operand.state, 'svd', [operand.value]);
  const [, s, vh] = resultsOf(u, 3);
  return { ...operand, u, s, vh };
}

/** @type {(x: unknown, options?: unknown) => { u: Value, s: Value, vh: Value }} */
function svd(x, options) {
  const { fullMatrices = true } = readOptions('svd', options, { fullMatrices: boolean });
  const { state, u, s, vh, height, width } = singular(x, 'svd');
  if (!fullMatrices || height === width) return { u, s, vh };
  const rank = state.min(height, width);
  return {
    u: height === rank ? u : completed(u, height, rank),
    s,
    vh: width === rank ? vh : turned(completed(turned(vh), width, rank)),
  };
}

/** @type {(x: unknown) => Value} */
const svdvals = (x) => singular(x, 'svdvals').s;

// -------------------------------------------------------------------------------------- solving

const triangleOptions = { upper: boolean, transposed: boolean, unitDiagonal: boolean, left: boolean };

/** @type {(a: unknown, b: unknown, options?: unknown) => Value} */
function triangularSolve(a, b, options) {
  const caller = 'triangularSolve';
  const {
    upper = false, transposed = false, unitDiagonal = false, left = true,
  } = readOptions(caller, options, triangleOptions);
  if (!left) {
    const other = { upper, transposed: !transposed, unitDiagonal };
    return turned(triangularSolve(a, turned(floatMatrixOf(lift([a, b], caller).values[1], caller).value), other));
  }
  const system = systemOf(a, b, caller);
  const state = stateOf(system.a);
  const size = /** @type {number} */ (dimsOf(system.a).at(-1));
  const matrix = unitDiagonal
    ? rows.select(rows.eq(identityLike(system.a, size, size), 1), constantOf(state, 1, system.a.dtype, '1', caller), system.a)
    : system.a;
  const attributes = { upper: Number(upper), adjoint: Number(transposed) };
  return system.back(append(state, 'triangular_solve', [matrix, system.b], attributes));
}

/** @type {(a: Value, b: Value) => Value} */
function solved(a, b) {
  const { packed, order } = eliminated(a);
  return append(stateOf(a), 'lu_solve', [a, packed, b, order], { adjoint: 0 });
}

/** @type {(a: unknown, b: unknown) => Value} */
function solve(a, b) {
  const system = systemOf(a, b, 'solve');
  return system.back(solved(system.a, system.b));
}

/** @type {(x: unknown) => Value} */
function inv(x) {
  const { value, height } = floatSquareOf(x, 'inv');
  return solved(value, identityLike(value, height, height));
}

// --------------------------------------------------------------------------------- determinants

/** Distances of neighbouring floats at 1. */
const epsilons = { f64: 2 ** -52, f32: 2 ** -23 };

/** 1 or -1, by the pairs of rows that have changed places. @type {(order: Value, dtype: import('../tensor/dtypes.js').DType) => Value} */
function signOf(order, dtype) {
  const earlier = movement.expandDims(order, -1);
  const later = movement.expandDims(order, -2);
  const swapped = matrices.triu(elementwise.convert(rows.gt(earlier, later), 'i32'), { k: 1 });
  const odd = rows.and(reductions.sum(swapped, { axis: [-2, -1], dtype: 'i32' }), 1);
  return elementwise.convert(rows.sub(1, rows.mul(odd, 2)), dtype);
}

/**
 * Determinant, factors and order of rows.
 *
 * @type {(a: Value) => [Value, Value, Value]}
 */
function eliminatedDet(a) {
  const { packed, order } = eliminated(a);
  return [rows.mul(reductions.prod(matrices.diagonal(packed), { axis: -1 }), signOf(order, a.dtype)), packed, order];
}

/**
 * The determinant's cotangent times the matrix of cofactors, det · A⁻ᵀ. Of a singular matrix both are those of factors
 * whose zero pivots have become small, so that the product is that of cofactors but for rounding, as in PyTorch.
 *
 * @type {(args: readonly [Value], results: readonly Value[], cotangents: readonly Value[]) => Value[]}
 */
function detBackward([a], [product, found, order], [cotangent]) {
  const packed = rows.stopGradient(found);
  const size = /** @type {number} */ (dimsOf(a).at(-1));
  const one = identityLike(packed, size, size);
  const isZero = rows.and(rows.eq(one, 1), rows.eq(packed, 0));
  const largest = reductions.max(rows.abs(packed), { axis: [-2, -1], keepDims: true });
  const share = rows.mul(largest, epsilons[/** @type {'f64'} */ (a.dtype)]);
  const least = rows.max(share, dtypes[a.dtype].bytes > 4 ? 2 ** -500 : 2 ** -60);
  const regular = rows.select(isZero, least, packed);
  const moved = rows.mul(reductions.prod(matrices.diagonal(regular), { axis: -1 }), signOf(order, a.dtype));
  const whole = rows.select(reductions.any(isZero, { axis: [-2, -1] }), moved, product);
  const cofactors = append(stateOf(a), 'lu_solve', [a, regular, one, order], { adjoint: 1 });
  const factor = movement.expandDims(movement.expandDims(rows.mul(cotangent, whole), -1), -1);
  return [rows.mul(cofactors, factor)];
}

/** @type {(x: unknown) => Value} */
function det(x) {
  const { value, width } = floatSquareOf(x, 'det');
  // without rows there is nothing to be the greatest
  if (width === 0) return eliminatedDet(value)[0];
  return customGrad()(eliminatedDet, detBackward)(value)[0];
}

/** @type {(x: unknown) => { sign: Value, logabsdet: Value }} */
function slogdet(x) {
  const { value } = floatSquareOf(x, 'slogdet');
  const { packed, order } = eliminated(value);
  const pivots = matrices.diagonal(packed);
  return {
    sign: rows.mul(reductions.prod(rows.sign(pivots), { axis: -1 }), signOf(order, value.dtype)),
    logabsdet: reductions.sum(rows.log(rows.abs(pivots)), { axis: -1 }),
  };
}

// --------------------------------------------------------------------------- by singular values

/**
 * Below it singular values count as zero, of each matrix: [..., 1].
 *
 * @type {(of: Spectrum, rtol: unknown, caller: string) => Value}
 */
function threshold({ state, s, height, width }, rtol, caller) {
  const largest = reductions.max(s, { axis: -1, keepDims: true });
  if (rtol !== undefined) {
    const [, share] = lift([s, rtol], `${caller}, option 'rtol'`).values;
    return rows.mul(largest, share.rank > 0 ? movement.expandDims(share, -1) : share);
  }
  const greater = height >= 0 && width >= 0 ? Math.max(height, width) : state.max(height, width);
  const size = inDType(sizeValue(state, greater, 'i64', caller), s.dtype);
  return rows.mul(largest, rows.mul(size, epsilons[/** @type {'f64'} */ (s.dtype)]));
}

const tolerance = { rtol: given };

/** @type {(x: unknown, options?: unknown) => Value} */
function matrixRank(x, options) {
  const { rtol } = readOptions('matrixRank', options, tolerance);
  const of = singular(x, 'matrixRank');
  return reductions.sum(rows.gt(of.s, threshold(of, rtol, 'matrixRank')), { axis: -1, dtype: 'i64' });
}

/**
 * Inverses of the singular values that count.
 *
 * @type {(of: Spectrum, rtol: unknown, caller: string) => Value}
 */
function inverses(of, rtol, caller) {
  const counts = rows.gt(of.s, threshold(of, rtol, caller));
  return rows.select(counts, rows.div(1, rows.select(counts, of.s, 1)), 0);
}

/**
 * What comes to a matrix A from its pseudoinverse P, which has a derivative where singular values are equal, though
 * they and their vectors have none (Golub and Pereyra, SIAM Journal on Numerical Analysis 10, 1973).
 *
 * @type {(args: readonly [Value], results: readonly Value[], cotangents: readonly Value[]) => Value[]}
 */
function pseudoinverseBackward([a], [p], [cotangent]) {
  const { matmul } = contractions;
  const [back, pt] = [turned(cotangent), turned(p)];
  const inner = matmul(matmul(pt, cotangent), pt);
  const [left, right] = [matmul(matmul(pt, p), back), matmul(matmul(back, p), pt)];
  const outside = rows.add(rows.sub(left, matmul(matmul(left, p), a)), rows.sub(right, matmul(a, matmul(p, right))));
  return [rows.sub(outside, inner)];
}

/**
 * The pseudoinverse of matrices, and their singular values.
 *
 * @type {(a: Value, rtol: unknown, caller: string) => [Value, Value]}
 */
function pseudoinverse(a, rtol, caller) {
  /** @type {(x: Value) => Value[]} */
  const bySingularValues = (x) => {
    const of = singular(x, caller);
    const columns = movement.expandDims(inverses(of, rtol, caller), -1);
    return [contractions.matmul(turned(of.vh), rows.mul(columns, turned(of.u))), rows.stopGradient(of.s)];
  };
  return customGrad()(bySingularValues, pseudoinverseBackward)(a);
}

/** @type {(x: unknown, options?: unknown) => Value} */
function pinv(x, options) {
  const { rtol } = readOptions('pinv', options, tolerance);
  return pseudoinverse(floatMatrixOf(x, 'pinv').value, rtol, 'pinv')[0];
}

/** @type {(a: unknown, b: unknown, options?: unknown) => { x: Value, residuals: Value, rank: Value, s: Value }} */
function lstsq(a, b, options) {
  const { rtol } = readOptions('lstsq', options, tolerance);
  const system = systemOf(a, b, 'lstsq', false);
  const of = floatMatrixOf(system.a, 'lstsq');
  const [p, s] = pseudoinverse(system.a, rtol, 'lstsq');
  const x = contractions.matmul(p, system.b);
  const left = rows.sub(contractions.matmul(system.a, x), system.b);
  const residuals = reductions.sum(rows.mul(left, left), { axis: -2, keepDims: true });
  return {
    x: system.back(x),
    residuals: movement.squeeze(system.back(residuals), system.back(x).rank < x.rank ? -1 : -2),
    rank: reductions.sum(rows.gt(s, threshold({ ...of, s }, rtol, 'lstsq')), { axis: -1, dtype: 'i64' }),
    s,
  };
}

// ---------------------------------------------------------------------------------- exponentials

/** Coefficients of the Padé approximant of degree 13 to exp, from the highest power down, over the last of them. */
const PADE = [
  1, 182, 16380, 960960, 40840800, 1323241920, 33522128640, 670442572800, 10559470521600, 129060195264000,
  1187353796428800, 7771770303897600, 32382376266240000, 64764752532480000,
].map((coefficient) => coefficient / 64764752532480000);

/** Up to this 1-norm that approximant is exact to the last bits of f64. */
const PADE_RADIUS = 5.371920351148152;

/**
 * The exponential of small matrices: (V - U)⁻¹·(V + U), where U has the odd powers and V the even ones.
 *
 * @type {(a: Value, size: number) => Value}
 */
function padeExponential(a, size) {
  const { matmul } = contractions;
  const a2 = matmul(a, a);
  const a4 = matmul(a2, a2);
  const a6 = matmul(a4, a2);
  const one = identityLike(a, size, size);
  /** @type {(first: number) => [Value, Value]} of powers 6, 4, 2 and 0, above and below the sixth */
  const parts = (first) => {
    const [c6, c4, c2, d6, d4, d2, d0] = [0, 2, 4, 6, 8, 10, 12].map((i) => PADE[first + i]);
    const plus = (/** @type {Value[]} */ ...terms) => terms.reduce((x, y) => rows.add(x, y));
    return [
      plus(rows.mul(a6, c6), rows.mul(a4, c4), rows.mul(a2, c2)),
      plus(rows.mul(a6, d6), rows.mul(a4, d4), rows.mul(a2, d2), rows.mul(one, d0)),
    ];
  };
  const [oddHigh, oddLow] = parts(0);
  const [evenHigh, evenLow] = parts(1);
  const u = matmul(a, rows.add(matmul(a6, oddHigh), oddLow));
  const v = rows.add(matmul(a6, evenHigh), evenLow);
  return solved(rows.sub(v, u), rows.add(v, u));
}

/**
 * Scaling and squaring (Higham, SIAM Journal on Matrix Analysis and Applications 26, 2005).
 *
 * @type {(x: unknown) => Value}
 */
function expm(x) {
  const { state, value, height } = floatSquareOf(x, 'expm');
  const sums = reductions.sum(rows.abs(value), { axis: -2, keepDims: true });
  const norm = reductions.max(sums, { axis: -1, keepDims: true });
  const over = rows.ceil(rows.log2(rows.div(rows.stopGradient(norm), PADE_RADIUS)));
  // of NaN and infinities there is nothing to square
  const times = rows.select(rows.isFinite(over), rows.max(over, 0), 0);
  const scaled = padeExponential(rows.mul(value, rows.exp2(rows.neg(times))), height);
  const { power } = control().whileLoop(
    (/** @type {any} */ { step, most }) => rows.lt(step, most),
    (/** @type {any} */ { step, most, counts, power: before }) => ({
      step: rows.add(step, 1),
      most,
      counts,
      power: rows.select(rows.lt(step, counts), contractions.matmul(before, before), before),
    }),
    { step: constantOf(state, 0, value.dtype, '0', 'expm'), most: reductions.max(times), counts: times, power: scaled },
  );
  return power;
}

/** Operations that are functions and methods alike, by name. */
const factors = {
  cholesky: roundedOnce(cholesky),
  det: roundedOnce(det),
  eigh: roundedOnce(eigh),
  eigvalsh: roundedOnce(eigvalsh),
  expm: roundedOnce(expm),
  inv: roundedOnce(inv),
  lstsq: roundedOnce(lstsq, 2),
  lu: roundedOnce(lu),
  matrixRank: roundedOnce(matrixRank),
  pinv: roundedOnce(pinv),
  qr: roundedOnce(qr),
  slogdet: roundedOnce(slogdet),
  solve: roundedOnce(solve, 2),
  svd: roundedOnce(svd),
  svdvals: roundedOnce(svdvals),
  triangularSolve: roundedOnce(triangularSolve, 2),
};

module.exports = { factors };
