/**
 * Discrete Fourier transforms, of complex and of real values, and of frames of signals.
 *
 * There are no complex dtypes: a complex tensor has real and imaginary parts along a last axis of size 2, as in ONNX
 * and in PyTorch's `view_as_real`, so parts are neighbours in memory as they are in C. `axis` counts the axes in front
 * of it. The transforms of one axis are primitives (src/library/fourier), for any length; those of several go through
 * them one after another. `norm` is NumPy's.
 */
'use strict';

const { boolean, expected, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantFrom, constantOf, dimsOf, isValue, lift, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { readAxes, readAxis } = require('../tensor/views.js');
const { broadcastDims, pairOf } = require('./contractions.js');
const { roundedOnce, rows } = require('./elementwise.js');
const { indexing, sizeValue } = require('./indexing.js');
const { manipulation } = require('./manipulation.js');
const { floatOf } = require('./matrices.js');
const { joins, movement, operandOf, reshapeTo } = require('./movement.js');
const { inDType } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

const given = (/** @type {unknown} */ value) => value;

// ---------------------------------------------------------------------------------------- words

/** An operand of floats; integers become f64. @type {(x: unknown, caller: string) => ReturnType<typeof operandOf>} */
function floatsOf(x, caller) {
  return { ...operandOf(x, caller), value: floatOf(x, caller) };
}

/** The same with parts along the last axis. @type {(x: unknown, caller: string) => ReturnType<typeof operandOf>} */
function complexOf(x, caller) {
  const operand = floatsOf(x, caller);
  if (operand.rank > 0 && operand.dims[operand.rank - 1] === 2) return operand;
  return fail(
    'ERR_SHAPE',
    `${caller}: expected real and imaginary parts along a last axis of size 2, got ${operand.state.shapeText(operand.dims)}`,
  );
}

/** @type {(x: unknown, caller: string) => ReturnType<typeof operandOf>} */
function realOf(x, caller) {
  const operand = floatsOf(x, caller);
  return operand.rank > 0 ? operand : expected(caller, 'at least one axis', 'the operand', x, 'ERR_SHAPE');
}

/** @type {(value: Value, part: 0 | 1) => Value} */
function partOf(value, part) {
  const dims = dimsOf(value).slice(0, -1);
  const one = append(stateOf(value), 'slice', [value], {
    shape: [...dims, 1], start: [...dims.map(() => 0), part], stride: [...dims, 1].map(() => 1),
  });
  return reshapeTo(stateOf(value), one, dims);
}

/** @type {(re: Value, im: Value) => Value} */
const joined = (re, im) => joins.stack([re, im], { axis: -1 });

/** An axis cut off at a size, or with zeros behind. @type {(value: Value, size: number, axis: number) => Value} */
function fitted(value, size, axis) {
  const state = stateOf(value);
  const dims = dimsOf(value);
  const own = dims[axis];
  if (own === size) return value;
  if (own >= 0 && size >= 0) return movement.pad(value, dims.map((_, i) => [0, i === axis ? size - own : 0]));
  const place = append(state, 'iota', [], { dtype: 'i64', shape: [size], axis: 0 });
  const longer = movement.pad(value, dims.map((_, i) => [0, i === axis ? 1 : 0]));
  return indexing.take(longer, rows.min(place, sizeValue(state, own, 'i64', 'fft')), { axis });
}

/** How many bins of a real signal are not those of others. @type {(state: GraphState, length: number) => number} */
const half = (state, length) =>
  length >= 0 ? Math.floor(length / 2) + 1 : state.add(state.floorDiv(length, 2), 1);

/** Where an axis stands that a transform goes along, and the way back. @type {(value: Value, axis: number, to: number, transform: (value: Value) => Value) => Value} */
function along(value, axis, to, transform) {
  return manipulation.moveaxis(transform(manipulation.moveaxis(value, axis, to)), to, axis);
}

/** @type {(value: Value, isInverse: boolean) => Value} the axis in front of the parts */
const transformed = (value, isInverse) => append(stateOf(value), 'fft', [value], { adjoint: Number(isInverse) });

/** @typedef {'backward' | 'ortho' | 'forward'} Norm */

/** @type {import('../base/check.js').Getter<Norm>} */
function normOf(value, which, caller) {
  const known = ['backward', 'ortho', 'forward'];
  if (known.includes(/** @type {any} */ (value))) return /** @type {Norm} */ (value);
  return expected(caller, "'backward', 'ortho' or 'forward'", which, value);
}

/** Scaled as a norm says, of transforms of so many places in all. @type {(value: Value, norm: Norm, isInverse: boolean, count: number) => Value} */
function scaled(value, norm, isInverse, count) {
  if (norm !== 'ortho' && (norm === 'backward') !== isInverse) return value;
  const size = inDType(sizeValue(stateOf(value), count, 'i64', 'fft'), value.dtype);
  return rows.div(value, norm === 'ortho' ? rows.sqrt(size) : size);
}

// ---------------------------------------------------------------------------------- of one axis

/**
 * The length of a transform: what is said, or what there is.
 *
 * @type {(state: GraphState, length: unknown, own: number, which: string, caller: string) => number}
 */
function lengthOf(state, length, own, which, caller) {
  const found = length === undefined ? own : state.dim(length, which, caller);
  return found === 0 ? fail('ERR_SHAPE', `${caller}: there is no transform of length 0`) : found;
}

/** Of half of the bins: twice as many, less the ends. @type {(state: GraphState, bins: number) => number} */
const wholeOf = (state, bins) => (bins === 0 ? 0 : state.mul(state.sub(bins, 1), 2));

const oneAxis = { n: given, axis: given, norm: normOf };

/** @type {(caller: 'fft' | 'ifft') => (x: unknown, options?: unknown) => Value} */
const complexTransform = (caller) => (x, options) => {
  const { n, axis = -1, norm = 'backward' } = readOptions(caller, options, oneAxis);
  const { state, value, dims, rank } = complexOf(x, caller);
  const where = readAxis(axis, rank - 1, caller);
  const length = lengthOf(state, n, dims[where], "option 'n'", caller);
  const isInverse = caller === 'ifft';
  const result = along(fitted(value, length, where), where, rank - 2, (of) => transformed(of, isInverse));
  return scaled(result, norm, isInverse, length);
};

/** Bins of real lines, along the last axis. @type {(value: Value) => Value} */
const realBins = (value) => append(stateOf(value), 'rfft', [value]);

/** Real lines of bins. @type {(value: Value, length: number) => Value} */
const realLines = (value, length) => append(stateOf(value), 'irfft', [value], { count: [length] });

/** @type {(x: unknown, options?: unknown) => Value} */
function rfft(x, options) {
  const { n, axis = -1, norm = 'backward' } = readOptions('rfft', options, oneAxis);
  const { state, value, dims, rank } = realOf(x, 'rfft');
  const where = readAxis(axis, rank, 'rfft');
  const length = lengthOf(state, n, dims[where], "option 'n'", 'rfft');
  const moved = manipulation.moveaxis(fitted(value, length, where), where, -1);
  return scaled(manipulation.moveaxis(realBins(moved), rank - 1, where), norm, false, length);
}

/** @type {(x: unknown, options?: unknown) => Value} */
function irfft(x, options) {
  const { n, axis = -1, norm = 'backward' } = readOptions('irfft', options, oneAxis);
  const { state, value, dims, rank } = complexOf(x, 'irfft');
  const where = readAxis(axis, rank - 1, 'irfft');
  const length = lengthOf(state, n, wholeOf(state, dims[where]), "option 'n'", 'irfft');
  const moved = manipulation.moveaxis(fitted(value, half(state, length), where), where, rank - 2);
  return scaled(manipulation.moveaxis(realLines(moved, length), -1, where), norm, true, length);
}

// ------------------------------------------------------------------------------ of several axes

const manyAxes = { s: given, axes: given, norm: normOf };

/**
 * Axes, by default as many of the last as there are sizes, and the lengths along them.
 *
 * @type {(state: GraphState, dims: readonly number[], options: { s?: unknown, axes?: unknown }, standard: number[] | undefined, caller: string) => { axes: number[], lengths: number[] }}
 */
function planeOf(state, dims, { s, axes }, standard, caller) {
  if (s !== undefined && !Array.isArray(s)) expected(caller, 'a list of lengths', "option 's'", s);
  const sizes = /** @type {unknown[] | undefined} */ (s);
  const all = dims.map((_, axis) => axis);
  const some = standard ?? (sizes ? all.slice(-sizes.length) : all);
  const list = readAxes(axes ?? some, dims.length, caller);
  if (list.length === 0) expected(caller, 'at least one axis', "option 'axes'", axes);
  if (sizes && sizes.length !== list.length)
    fail('ERR_SHAPE', `${caller}: there are ${sizes.length} lengths for ${list.length} axes`);
  return { axes: list, lengths: list.map((axis, i) => lengthOf(state, sizes?.[i], dims[axis], "option 's'", caller)) };
}

/** @type {(value: Value, axes: readonly number[], isInverse: boolean) => Value} of values with parts */
function overAxes(value, axes, isInverse) {
  const front = dimsOf(value).length - 2;
  return axes.reduceRight((of, axis) => along(of, axis, front, (moved) => transformed(moved, isInverse)), value);
}

/** The last two axes in front of the parts. */
const PLANE = [-2, -1];

/** @type {(caller: 'fftn' | 'ifftn' | 'fft2' | 'ifft2') => (x: unknown, options?: unknown) => Value} */
const complexPlane = (caller) => (x, options) => {
  const { norm = 'backward', ...where } = readOptions(caller, options, manyAxes);
  const { state, value, dims } = complexOf(x, caller);
  const { axes, lengths } = planeOf(state, dims.slice(0, -1), where, caller.endsWith('2') ? PLANE : undefined, caller);
  const cut = axes.reduce((of, axis, i) => fitted(of, lengths[i], axis), value);
  const isInverse = caller.startsWith('i');
  return scaled(overAxes(cut, axes, isInverse), norm, isInverse, state.product(lengths));
};

/** @type {(caller: 'rfftn' | 'rfft2') => (x: unknown, options?: unknown) => Value} */
const realPlane = (caller) => (x, options) => {
  const { norm = 'backward', ...where } = readOptions(caller, options, manyAxes);
  const { state, value, dims, rank } = realOf(x, caller);
  const { axes, lengths } = planeOf(state, dims, where, caller.endsWith('2') ? PLANE : undefined, caller);
  const last = /** @type {number} */ (axes.at(-1));
  const cut = axes.reduce((of, axis, i) => fitted(of, lengths[i], axis), value);
  const bins = manipulation.moveaxis(realBins(manipulation.moveaxis(cut, last, -1)), rank - 1, last);
  return scaled(overAxes(bins, axes.slice(0, -1), false), norm, false, state.product(lengths));
};

/** @type {(caller: 'irfftn' | 'irfft2') => (x: unknown, options?: unknown) => Value} */
const realPlaneBack = (caller) => (x, options) => {
  const { norm = 'backward', ...where } = readOptions(caller, options, manyAxes);
  const { state, value, dims, rank } = complexOf(x, caller);
  const plane = planeOf(state, dims.slice(0, -1), where, caller.endsWith('2') ? PLANE : undefined, caller);
  const last = /** @type {number} */ (plane.axes.at(-1));
  const lengths = plane.lengths.with(-1, where.s === undefined ? wholeOf(state, dims[last]) : /** @type {number} */ (plane.lengths.at(-1)));
  lengthOf(state, undefined, /** @type {number} */ (lengths.at(-1)), "option 's'", caller);
  const bins = lengths.with(-1, half(state, /** @type {number} */ (lengths.at(-1))));
  const cut = plane.axes.reduce((of, axis, i) => fitted(of, bins[i], axis), value);
  const lines = manipulation.moveaxis(overAxes(cut, plane.axes.slice(0, -1), true), last, rank - 2);
  const result = manipulation.moveaxis(realLines(lines, /** @type {number} */ (lengths.at(-1))), -1, last);
  return scaled(result, norm, true, state.product(lengths));
};

// -------------------------------------------------------------------------------- order of bins

/** Half of a size, rounded down, or up. @type {(state: GraphState, size: number, isUp: boolean) => number} */
const halfSize = (state, size, isUp) =>
  size >= 0 ? Math.floor((size + Number(isUp)) / 2) : state.floorDiv(isUp ? state.add(size, 1) : size, 2);

/** @type {(caller: 'fftshift' | 'ifftshift') => (x: unknown, options?: unknown) => Value} */
const shift = (caller) => (x, options) => {
  const { axes, complex: isComplex = true } = readOptions(caller, options, { axes: given, complex: boolean });
  const { state, value, dims } = operandOf(x, caller);
  if (isComplex && dims.at(-1) !== 2)
    fail('ERR_SHAPE', `${caller}: expected real and imaginary parts along a last axis of size 2, got ${state.shapeText(dims)}; real values take the option complex: false`);
  const own = isComplex ? dims.slice(0, -1) : dims;
  return readAxes(axes ?? own.map((_, axis) => axis), own.length, caller).reduce((of, axis) => {
    // what comes first then: the second half, whose middle is the greater part or the lesser
    const first = halfSize(state, dims[axis], caller === 'fftshift');
    const part = (/** @type {number} */ start, /** @type {number} */ size) => {
      const shape = dims.with(axis, size);
      return append(state, 'slice', [of], {
        shape, start: dims.map((_, i) => (i === axis ? start : 0)), stride: shape.map(() => 1),
      });
    };
    const rest = dims[axis] >= 0 ? dims[axis] - first : state.sub(dims[axis], first);
    return joins.concat([part(first, rest), part(0, first)], { axis });
  }, value);
};

// --------------------------------------------------------------------------------- complex values

/** @type {(re: unknown, im?: unknown) => Value} */
function complex(re, im) {
  if (im === undefined) {
    const { state, value, dims } = floatsOf(re, 'complex');
    return joined(value, constantOf(state, 0, value.dtype, '0', 'complex', [...dims]));
  }
  const { values } = lift([re, im], 'complex');
  const { x, y } = pairOf(floatsOf(values[0], 'complex').value, floatsOf(values[1], 'complex').value, 'complex');
  const shape = broadcastDims(stateOf(x), dimsOf(x), dimsOf(y), 'complex');
  /** @type {(of: Value) => Value} */
  const repeated = (of) => {
    const axes = dimsOf(of).map((_, axis) => shape.length - of.rank + axis);
    return of.rank === shape.length && axes.every((axis) => dimsOf(of)[axis] === shape[axis])
      ? of
      : append(stateOf(of), 'broadcast', [of], { shape, axes });
  };
  return joined(repeated(x), repeated(y));
}

/** @type {(x: unknown) => Value} */
const real = (x) => partOf(complexOf(x, 'real').value, 0);

/** @type {(x: unknown) => Value} */
const imag = (x) => partOf(complexOf(x, 'imag').value, 1);

/** @type {(x: unknown) => Value} */
function conj(x) {
  const { value } = complexOf(x, 'conj');
  return joined(partOf(value, 0), rows.neg(partOf(value, 1)));
}

/** @type {(x: unknown) => Value} */
function complexAbs(x) {
  const { value } = complexOf(x, 'complexAbs');
  return rows.hypot(partOf(value, 0), partOf(value, 1));
}

/** @type {(x: unknown) => Value} */
function angle(x) {
  const { value } = complexOf(x, 'angle');
  return rows.atan2(partOf(value, 1), partOf(value, 0));
}

/** @type {(x: unknown, y: unknown) => Value} */
function complexMul(x, y) {
  const { values } = lift([x, y], 'complexMul');
  const both = pairOf(complexOf(values[0], 'complexMul').value, complexOf(values[1], 'complexMul').value, 'complexMul');
  const [a, b] = [partOf(both.x, 0), partOf(both.x, 1)];
  const [c, d] = [partOf(both.y, 0), partOf(both.y, 1)];
  return joined(rows.sub(rows.mul(a, c), rows.mul(b, d)), rows.add(rows.mul(a, d), rows.mul(b, c)));
}

// --------------------------------------------------------------------------------- convolutions

/** The least length from a size on without prime factors above 5, and even. @type {(size: number) => number} */
function quickLength(size) {
  if (size < 0) return size;
  for (let length = Math.max(2, size + (size % 2)); ; length += 2) {
    let rest = length;
    for (const factor of [2, 3, 5]) while (rest % factor === 0) rest /= factor;
    if (rest === 1) return length;
  }
}

/** @type {import('../base/check.js').Getter<'full' | 'same' | 'valid'>} */
function extentOf(value, which, caller) {
  const known = ['full', 'same', 'valid'];
  if (known.includes(/** @type {any} */ (value))) return /** @type {'full'} */ (value);
  return expected(caller, "'full', 'same' or 'valid'", which, value);
}

/** @type {(x: unknown, y: unknown, options?: unknown) => Value} */
function fftConvolve(x, y, options) {
  const caller = 'fftConvolve';
  const { mode = 'full', axes } = readOptions(caller, options, { mode: extentOf, axes: given });
  const { values } = lift([x, y], caller);
  const both = pairOf(realOf(values[0], caller).value, realOf(values[1], caller).value, caller);
  const { state } = both;
  const [first, second] = [dimsOf(both.x), dimsOf(both.y)];
  if (first.length !== second.length)
    fail('ERR_SHAPE', `${caller}: expected operands of as many axes, got ${state.shapeText(first)} and ${state.shapeText(second)}`);
  const list = readAxes(axes ?? first.map((_, axis) => axis), first.length, caller);
  for (const axis of list)
    if (first[axis] === 0 || second[axis] === 0) fail('ERR_SHAPE', `${caller}: axis ${axis} has no elements`);
  /** @type {(a: number, b: number) => number} */
  const less = (a, b) => (a >= 0 && b >= 0 ? a - b : state.sub(a, b));
  const full = list.map((axis) => less(state.add(first[axis], second[axis]), 1));
  const s = full.map((size) => quickLength(size)).map((size) => (size >= 0 ? size : state.text(size)));
  const bins = complexMul(realPlane('rfftn')(both.x, { s, axes: list }), realPlane('rfftn')(both.y, { s, axes: list }));
  const whole = realPlaneBack('irfftn')(bins, { s, axes: list });
  const shape = [...dimsOf(whole)];
  const start = shape.map(() => 0);
  list.forEach((axis, i) => {
    const [a, b] = [first[axis], second[axis]];
    if (mode === 'valid' && a >= 0 && b >= 0 && b > a)
      fail('ERR_SHAPE', `${caller}: mode 'valid' takes a second operand that is no longer than the first`);
    shape[axis] = mode === 'full' ? full[i] : mode === 'same' ? a : state.add(less(a, b), 1);
    start[axis] = mode === 'full' ? 0 : mode === 'same' ? halfSize(state, less(b, 1), false) : less(b, 1);
  });
  return append(state, 'slice', [whole], { shape, start, stride: shape.map(() => 1) });
}

// ------------------------------------------------------------------------- as ONNX has transforms

/** @type {(x: unknown, options?: unknown) => Value} */
function dft(x, options) {
  const caller = 'dft';
  const { axis = -2, length, inverse = false, onesided = false } = readOptions(caller, options, {
    axis: given, length: given, inverse: boolean, onesided: boolean,
  });
  const { state, value, dims, rank } = operandOf(x, caller);
  const parts = dims[rank - 1];
  if (dtypes[value.dtype].kind !== 'float') expected(caller, 'a float Value', 'the operand', x, 'ERR_DTYPE');
  if (rank < 2 || (parts !== 1 && parts !== 2))
    fail('ERR_SHAPE', `${caller}: expected 1 or 2 parts along the last axis, got ${state.shapeText(dims)}`);
  const where = readAxis(axis, rank, caller);
  if (where === rank - 1) expected(caller, 'an axis in front of that of the parts', "option 'axis'", axis);
  const own = inverse && onesided ? wholeOf(state, dims[where]) : dims[where];
  const size = lengthOf(state, length, own, "option 'length'", caller);
  // bins of f32 that cancel are zero, as where ONNX computes them
  const wide = value.dtype === 'f32' ? inDType(value, 'f64') : value;
  const result = along(wide, where, rank - 2, (of) =>
    inverse ? inverted(of, size, onesided) : forward(of, size, onesided));
  return inDType(result, value.dtype);
}

/** Parts of which the imaginary ones may be missing. @type {(value: Value) => Value} */
const withBoth = (value) => (dimsOf(value).at(-1) === 2 ? value : complex(partOf(value, 0)));

/** @type {(value: Value, length: number, isHalf: boolean) => Value} */
function forward(value, length, isHalf) {
  const cut = fitted(value, length, value.rank - 2);
  if (isHalf && dimsOf(cut).at(-1) === 1) return realBins(partOf(cut, 0));
  const whole = transformed(withBoth(cut), false);
  return isHalf ? fitted(whole, half(stateOf(whole), length), whole.rank - 2) : whole;
}

/** @type {(value: Value, length: number, isHalf: boolean) => Value} */
function inverted(value, length, isHalf) {
  const place = value.rank - 2;
  if (!isHalf) return scaled(transformed(withBoth(fitted(value, length, place)), true), 'backward', true, length);
  const lines = realLines(withBoth(fitted(value, half(stateOf(value), length), place)), length);
  return movement.expandDims(scaled(lines, 'backward', true, length), -1);
}

/** @type {(state: GraphState, options: any, caller: string) => { size: number, hop: number, weights?: Value, onesided: boolean }} */
function framing(state, { step, length, window, onesided = true }, caller) {
  const weights = window === undefined || isValue(window) ? window : constantFrom(state, window, caller);
  const size = length === undefined ? weights && dimsOf(weights)[0] : state.dim(length, "option 'length'", caller);
  if (size === undefined) return expected(caller, 'a number of places', "option 'length'", length);
  if (weights !== undefined && (weights.rank !== 1 || dimsOf(weights)[0] !== size))
    fail('ERR_SHAPE', `${caller}: expected a window [${state.text(size)}], got ${state.shapeText(dimsOf(weights))}`);
  const hop = state.dim(step, "option 'step'", caller);
  if (hop === 0) expected(caller, 'a size above 0', "option 'step'", step);
  return { size, hop, weights, onesided };
}

const frameOptions = { step: given, length: given, window: given, onesided: boolean };

/**
 * Frames of a signal, each of them transformed: [..., frames, bins, parts].
 *
 * @type {(x: unknown, options: unknown) => Value}
 */
function stft(x, options) {
  const caller = 'stft';
  const read = readOptions(caller, options, frameOptions);
  const { state, value, dims, rank } = operandOf(x, caller);
  if (rank < 2) fail('ERR_SHAPE', `${caller}: expected a signal [..., places, parts], got ${state.shapeText(dims)}`);
  const { size, hop, weights, onesided } = framing(state, read, caller);
  const framed = indexing.take(value, framePlaces(value, size, hop, caller), { axis: -2 });
  const weighted =
    weights === undefined ? framed : rows.mul(framed, reshapeTo(state, inDType(weights, value.dtype), [size, 1]));
  return dft(weighted, { onesided });
}

/** Which places of a signal are in each of its frames: [frames, places]. @type {(value: Value, size: number, hop: number, caller: string) => Value} */
function framePlaces(value, size, hop, caller) {
  const state = stateOf(value);
  const own = dimsOf(value)[value.rank - 2];
  const room = own >= 0 && size >= 0 ? own - size : state.sub(own, size);
  if (own >= 0 && size >= 0 && room < 0)
    fail('ERR_SHAPE', `${caller}: a frame of ${size} places does not fit into ${own}`);
  return placesOf(state, state.add(state.floorDiv(room, hop), 1), size, hop, caller);
}

/** @type {(state: GraphState, frames: number, size: number, hop: number, caller: string) => Value} */
function placesOf(state, frames, size, hop, caller) {
  const [frame, place] = [0, 1].map((axis) => append(state, 'iota', [], { dtype: 'i64', shape: [frames, size], axis }));
  return rows.add(rows.mul(frame, sizeValue(state, hop, 'i64', caller)), place);
}

/**
 * The signal whose frames these are: frames are weighted once more, added up where they overlap, and divided by the
 * squares of the weights that came together (Griffin and Lim, IEEE Transactions on Acoustics, Speech, and Signal
 * Processing 32, 1984). Places that no frame gives any weight are zero.
 *
 * @type {(x: unknown, options: unknown) => Value}
 */
function istft(x, options) {
  const caller = 'istft';
  const read = readOptions(caller, options, frameOptions);
  const { state, value, dims, rank } = complexOf(x, caller);
  if (rank < 3) fail('ERR_SHAPE', `${caller}: expected [..., frames, bins, 2], got ${state.shapeText(dims)}`);
  const { size, hop, weights, onesided } = framing(state, read, caller);
  const lines = inverted(value, size, onesided); // [..., frames, places, parts]
  const column = weights && reshapeTo(state, inDType(weights, value.dtype), [size, 1]);
  const weighted = column ? rows.mul(lines, column) : lines;
  const frames = dims[rank - 3];
  const length = state.add(state.mul(state.sub(frames, 1), hop), size);
  const outer = dims.slice(0, -3);
  const parts = /** @type {number} */ (dimsOf(lines).at(-1));
  const at = reshapeTo(state, placesOf(state, frames, size, hop, caller), [state.product([frames, size])]);
  const flat = reshapeTo(state, weighted, [...outer, state.product([frames, size]), parts]);
  const sums = overlapped(flat, at, length);
  const squares = column ? rows.mul(column, column) : constantOf(state, 1, value.dtype, '1', caller, [size, 1]);
  const all = append(state, 'broadcast', [squares], { shape: [frames, size, 1], axes: [1, 2] });
  const weight = overlapped(reshapeTo(state, all, [state.product([frames, size]), 1]), at, length);
  const isSome = rows.gt(weight, 0);
  return rows.select(isSome, rows.div(sums, rows.select(isSome, weight, 1)), 0);
}

/** Elements along the axis before the last, added up at places. @type {(value: Value, at: Value, length: number) => Value} */
function overlapped(value, at, length) {
  const state = stateOf(value);
  const dims = dimsOf(value);
  const shape = [...dims.slice(0, -2), length, /** @type {number} */ (dims.at(-1))];
  return indexing.indexAdd(constantOf(state, 0, value.dtype, '0', 'istft', shape), at, value, { axis: -2 });
}

/** Every operation here that becomes a method and a function, by name. */
const fourier = {
  angle: roundedOnce(angle),
  complex,
  complexAbs: roundedOnce(complexAbs),
  complexMul,
  conj,
  dft: roundedOnce(dft),
  fft: roundedOnce(complexTransform('fft')),
  fft2: roundedOnce(complexPlane('fft2')),
  fftConvolve: roundedOnce(fftConvolve, 2),
  fftn: roundedOnce(complexPlane('fftn')),
  fftshift: shift('fftshift'),
  ifft: roundedOnce(complexTransform('ifft')),
  ifft2: roundedOnce(complexPlane('ifft2')),
  ifftn: roundedOnce(complexPlane('ifftn')),
  ifftshift: shift('ifftshift'),
  imag,
  irfft: roundedOnce(irfft),
  irfft2: roundedOnce(realPlaneBack('irfft2')),
  irfftn: roundedOnce(realPlaneBack('irfftn')),
  istft: roundedOnce(istft),
  real,
  rfft: roundedOnce(rfft),
  rfft2: roundedOnce(realPlane('rfft2')),
  rfftn: roundedOnce(realPlane('rfftn')),
  stft: roundedOnce(stft),
};

module.exports = { fourier };
