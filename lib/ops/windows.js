/**
 * Windows that slide over axes: convolution, its transpose, and the reductions that pooling is made of.
 *
 * `conv` is the primitive with everything around it that programs want: padding by name, other layouts of
 * input and kernel, a bias. Other layouts are transposes, which cost a pass over the operand. `windowSum`
 * and its siblings are the primitives that take a window over all axes; pools are in pools.js.
 *
 * Paddings are numbers when a graph is built. Those that depend on a size, as `'same'` does with a stride
 * other than 1, therefore take a size that is known.
 */
'use strict';

const { expected, integer, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, dimsOf, lift } = require('../graph/value.js');
const { rows } = require('./elementwise.js');
const { allAxes, movement, operandOf, reshapeTo } = require('./movement.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

const given = (/** @type {unknown} */ value) => value;
const MAX_SPATIAL = 3;

/**
 * One integer per axis with a window, or one for all of them.
 *
 * @param {unknown} value
 * @param {number} count
 * @param {number} least
 * @param {string} which
 * @param {string} caller
 * @returns {number[]}
 */
function perAxis(value, count, least, which, caller) {
  const read = integer(least);
  if (!Array.isArray(value)) return new Array(count).fill(read(value, which, caller));
  if (value.length !== count) return expected(caller, `a number, or ${count} of them,`, which, value, 'ERR_SHAPE');
  return value.map((each, axis) => read(each, `${which}, axis ${axis},`, caller));
}

/** How far a window reaches. @type {(window: number, dilation: number) => number} */
const reachOf = (window, dilation) => (window - 1) * dilation + 1;

const paddingNames = /** @type {const} */ (['valid', 'same', 'sameLower']);

/**
 * What is known of the windows along one axis.
 *
 * @typedef {{ size: number, window: number, stride: number, dilation: number }} Slide
 */

/**
 * Padding so that there are as many places as the size by the stride, rounded up.
 *
 * @param {Slide} slide
 * @param {boolean} lower whether an odd element goes in front
 * @param {number} axis
 * @param {GraphState} state
 * @param {string} caller
 * @returns {[number, number]}
 */
function samePadding({ size, window, stride, dilation }, lower, axis, state, caller) {
  if (size < 0 && stride !== 1) {
    fail(
      'ERR_SHAPE',
      `${caller}: padding 'same' with stride ${stride} takes a known size, but axis ${axis} has ${state.text(size)}`,
    );
  }
  const reach = reachOf(window, dilation);
  const total = stride === 1 ? reach - 1 : Math.max((Math.ceil(size / stride) - 1) * stride + reach - size, 0);
  const less = Math.floor(total / 2);
  return lower ? [total - less, less] : [less, total - less];
}

/**
 * What option 'padding' adds to each axis: a number, one or a pair of them per axis, or a name.
 *
 * @param {unknown} padding
 * @param {readonly Slide[]} slides
 * @param {GraphState} state
 * @param {string} caller
 * @param {number} [least] the least width
 * @returns {[number, number][]}
 */
function paddingOf(padding, slides, state, caller, least) {
  const which = "option 'padding'";
  if (typeof padding === 'string') {
    const name = oneOf(paddingNames)(padding, which, caller);
    if (name === 'valid') return slides.map(() => [0, 0]);
    return slides.map((slide, axis) => samePadding(slide, name === 'sameLower', axis, state, caller));
  }
  const read = integer(least);
  if (!Array.isArray(padding)) {
    const width = read(padding ?? 0, which, caller);
    return slides.map(() => [width, width]);
  }
  if (padding.length !== slides.length) {
    return expected(caller, `a number, ${slides.length} numbers or pairs, or a name`, which, padding, 'ERR_SHAPE');
  }
  return padding.map((each, axis) => {
    const pair = Array.isArray(each) ? each : [each, each];
    if (pair.length !== 2) return expected(caller, '[before, after]', `${which}, axis ${axis},`, each);
    const [before, after] = pair.map((width) => read(width, `${which}, axis ${axis},`, caller));
    return [before, after];
  });
}

// ------------------------------------------------------------------------------------ layouts

const SPATIAL = ['', 'W', 'HW', 'DHW'];

/**
 * The axes of a layout such as 'NHWC' in the order of `letters`; undefined when they are in that order.
 *
 * @param {unknown} layout any order of the letters
 * @param {string} letters
 * @param {string} which
 * @param {string} caller
 * @returns {number[] | undefined}
 */
function orderOf(layout, letters, which, caller) {
  if (layout === undefined || layout === letters) return undefined;
  const sorted = (/** @type {string} */ text) => [...text].sort().join('');
  if (typeof layout !== 'string' || sorted(layout) !== sorted(letters)) {
    return expected(caller, `the letters of '${letters}' in some order`, which, layout);
  }
  return [...letters].map((letter) => layout.indexOf(letter));
}

/** @type {(value: Value, order: number[] | undefined) => Value} */
const inOrder = (value, order) => (order ? movement.permute(value, order) : value);

/** The order that undoes another. @type {(order: number[] | undefined) => number[] | undefined} */
const inverse = (order) => order && order.map((_, axis) => order.indexOf(axis));

// ---------------------------------------------------------------------------------- primitives

const windowOptions = { stride: given, padding: given, dilation: given, baseDilation: given };

/** @type {(name: string, caller: string) => (x: unknown, window: unknown, options?: unknown) => Value} */
const windowReduction = (name, caller) => (x, window, options) => {
  const { stride = 1, padding = 0, dilation = 1, baseDilation = 1 } = readOptions(caller, options, windowOptions);
  const { state, value, dims, rank } = operandOf(x, caller);
  const isSize = typeof window === 'number' || typeof window === 'string';
  const sizes = state.dims(isSize ? new Array(rank).fill(window) : window, caller);
  if (sizes.length !== rank) expected(caller, `a size, or ${rank} of them,`, 'the window', window, 'ERR_SHAPE');
  const strides = perAxis(stride, rank, 1, "option 'stride'", caller);
  const dilations = perAxis(dilation, rank, 1, "option 'dilation'", caller);
  const bases = perAxis(baseDilation, rank, 1, "option 'baseDilation'", caller);
  const slides = dims.map((size, i) => ({ size, window: sizes[i], stride: strides[i], dilation: dilations[i] }));
  if (typeof padding === 'string' && padding !== 'valid') {
    const unknown = sizes.find((size, i) => size < 0 || bases[i] !== 1);
    if (unknown !== undefined)
      fail('ERR_ARGUMENT', `${caller}: padding '${padding}' takes a known window and no baseDilation`);
  }
  const ends = paddingOf(padding, slides, state, caller);
  return append(state, name, [value], {
    window: sizes,
    stride: strides,
    lo: ends.map(([before]) => before),
    hi: ends.map(([, after]) => after),
    base_dilation: bases,
    dilation: dilations,
  });
};

const primitives = {
  windowMax: windowReduction('window_max', 'windowMax'),
  windowMin: windowReduction('window_min', 'windowMin'),
  windowProd: windowReduction('window_prod', 'windowProd'),
  windowSum: windowReduction('window_sum', 'windowSum'),
};

// --------------------------------------------------------------------------------- convolution

const convOptions = {
  stride: given,
  padding: given,
  dilation: given,
  groups: integer(1),
  layout: given,
  kernelLayout: given,
  bias: given,
};

/**
 * Input and kernel as values, and how many axes the window moves along.
 *
 * @param {unknown} x
 * @param {unknown} kernel
 * @param {string} caller
 * @param {number} [spatial] how many there must be
 */
function operandsOf(x, kernel, caller, spatial) {
  const nameOf = (/** @type {number} */ i) => (i === 0 ? 'the input' : 'the kernel');
  const { state, values } = lift([x, kernel], caller, 0, nameOf);
  const found = values[0].rank - 2;
  const wanted = spatial === undefined ? 'a rank from 3 to 5' : `rank ${spatial + 2}`;
  if (spatial === undefined ? found < 1 || found > MAX_SPATIAL : found !== spatial) {
    fail('ERR_SHAPE', `${caller}: expected ${wanted} for the input, got shape ${state.shapeText(dimsOf(values[0]))}`);
  }
  if (values[1].rank !== values[0].rank) {
    const shapes = values.map((value) => state.shapeText(dimsOf(value)));
    fail('ERR_SHAPE', `${caller}: expected kernel and input of one rank, got shapes ${shapes[1]} and ${shapes[0]}`);
  }
  return { state, input: values[0], kernel: values[1], spatial: found };
}

/**
 * A result with channels along axis 1, with its bias, in the layout wanted.
 *
 * @param {Value} result
 * @param {unknown} bias a number or an element per channel
 * @param {number[] | undefined} order of the layout
 * @param {string} caller
 * @returns {Value}
 */
function finished(result, bias, order, caller) {
  if (bias === undefined) return inOrder(result, inverse(order));
  const { state, values } = lift([result, bias], caller, 0, () => "option 'bias'");
  const [sums, added] = values;
  const channels = dimsOf(sums)[1];
  const sizes = dimsOf(added);
  if (sizes.length > 1 || (sizes.length === 1 && sizes[0] !== channels && sizes[0] !== 1)) {
    const texts = [[channels], sizes].map((dims) => state.shapeText(dims));
    fail('ERR_SHAPE', `${caller}: expected a number or shape ${texts[0]} for option 'bias', got shape ${texts[1]}`);
  }
  if (sizes.length === 0) return inOrder(rows.add(sums, added), inverse(order));
  const along = dimsOf(sums).map((_, axis) => (axis === 1 ? sizes[0] : 1));
  return inOrder(rows.add(sums, reshapeTo(state, added, along)), inverse(order));
}

/**
 * Sizes of the window, which paddings by name depend on.
 *
 * @type {(kernel: Value, state: GraphState, caller: string) => number[]}
 */
function knownWindow(kernel, state, caller) {
  const window = dimsOf(kernel).slice(2);
  if (window.some((size) => size < 0)) {
    fail('ERR_SHAPE', `${caller}: expected a window of known size, got kernel ${state.shapeText(dimsOf(kernel))}`);
  }
  return window;
}

/** @type {(caller: string, spatial?: number) => (x: unknown, kernel: unknown, options?: unknown) => Value} */
const convolution = (caller, spatial) => (x, kernel, options) => {
  const read = readOptions(caller, options, { ...convOptions, baseDilation: given });
  const { stride = 1, padding = 0, dilation = 1, baseDilation = 1, groups = 1 } = read;
  const operands = operandsOf(x, kernel, caller, spatial);
  const { state, spatial: count } = operands;
  const order = orderOf(read.layout, `NC${SPATIAL[count]}`, "option 'layout'", caller);
  const input = inOrder(operands.input, order);
  const taps = inOrder(
    operands.kernel,
    orderOf(read.kernelLayout, `OI${SPATIAL[count]}`, "option 'kernelLayout'", caller),
  );
  const strides = perAxis(stride, count, 1, "option 'stride'", caller);
  const dilations = perAxis(dilation, count, 1, "option 'dilation'", caller);
  const bases = perAxis(baseDilation, count, 1, "option 'baseDilation'", caller);
  const isNamed = typeof padding === 'string' && padding !== 'valid';
  const window = isNamed ? knownWindow(taps, state, caller) : dimsOf(taps).slice(2);
  if (isNamed && bases.some((base) => base !== 1)) {
    fail('ERR_ARGUMENT', `${caller}: padding '${padding}' goes without option 'baseDilation', got ${bases.join(', ')}`);
  }
  const sizes = dimsOf(input).slice(2);
  const slides = sizes.map((size, i) => ({ size, window: window[i], stride: strides[i], dilation: dilations[i] }));
  const ends = paddingOf(padding, slides, state, caller);
  const result = append(state, 'conv', [input, taps], {
    stride: strides,
    lo: ends.map(([before]) => before),
    hi: ends.map(([, after]) => after),
    base_dilation: bases,
    dilation: dilations,
    groups,
  });
  return finished(result, read.bias, order, caller);
};

// ------------------------------------------------------------------------ transposed convolution

/**
 * A kernel [C, O / groups, …] as the one [O, C / groups, …] that goes the other way, turned about.
 *
 * @param {Value} kernel
 * @param {number} groups
 * @param {GraphState} state
 * @param {string} caller
 * @returns {Value}
 */
function turned(kernel, groups, state, caller) {
  const [inner, outer, ...window] = dimsOf(kernel);
  const each = state.floorDiv(inner, groups);
  if (state.mul(each, groups) !== inner) {
    fail('ERR_SHAPE', `${caller}: ${state.text(inner)} input channels cannot be divided into ${groups} groups`);
  }
  const spatial = window.map((_, i) => i + 2);
  const back = movement.reverse(kernel, spatial);
  if (groups === 1) return movement.permute(back, [1, 0, ...spatial]);
  const split = reshapeTo(state, back, [groups, each, outer, ...window]);
  const swapped = movement.permute(split, [0, 2, 1, ...spatial.map((axis) => axis + 1)]);
  return reshapeTo(state, swapped, [state.mul(outer, groups), each, ...window]);
}

/**
 * What 'same' cuts off the ends of a transposed convolution; below 0 is added.
 *
 * @type {(name: string, reach: number, stride: number) => [number, number]}
 */
function sameCut(name, reach, stride) {
  const total = reach - stride;
  const less = total < 0 ? 0 : Math.floor(total / 2);
  return name === 'sameLower' ? [total - less, less] : [less, total - less];
}

/** @type {(caller: string, spatial?: number) => (x: unknown, kernel: unknown, options?: unknown) => Value} */
const transposedConvolution = (caller, spatial) => (x, kernel, options) => {
  const read = readOptions(caller, options, { ...convOptions, outputPadding: given });
  const { stride = 1, padding = 0, dilation = 1, outputPadding = 0, groups = 1 } = read;
  const operands = operandsOf(x, kernel, caller, spatial);
  const { state, spatial: count } = operands;
  const order = orderOf(read.layout, `NC${SPATIAL[count]}`, "option 'layout'", caller);
  const input = inOrder(operands.input, order);
  const taps = inOrder(
    operands.kernel,
    orderOf(read.kernelLayout, `IO${SPATIAL[count]}`, "option 'kernelLayout'", caller),
  );
  const window = knownWindow(taps, state, caller);
  const strides = perAxis(stride, count, 1, "option 'stride'", caller);
  const dilations = perAxis(dilation, count, 1, "option 'dilation'", caller);
  const behind = perAxis(outputPadding, count, 0, "option 'outputPadding'", caller);
  const reaches = window.map((size, i) => reachOf(size, dilations[i]));
  for (const [i, extra] of behind.entries()) {
    const limit = Math.max(strides[i], dilations[i]);
    if (extra >= limit)
      expected(caller, `less than stride or dilation, ${limit},`, `option 'outputPadding', axis ${i},`, extra);
  }
  const slides = window.map((size, i) => ({ size: 0, window: size, stride: strides[i], dilation: dilations[i] }));
  const isSame = padding === 'same' || padding === 'sameLower';
  const cuts = isSame
    ? reaches.map((reach, i) => sameCut(padding, reach, strides[i]))
    : paddingOf(padding, slides, state, caller);
  const result = append(state, 'conv', [input, turned(taps, groups, state, caller)], {
    stride: strides.map(() => 1),
    lo: reaches.map((reach, i) => reach - 1 - cuts[i][0]),
    hi: reaches.map((reach, i) => reach - 1 - cuts[i][1] + behind[i]),
    base_dilation: strides,
    dilation: dilations,
    groups,
  });
  return finished(result, read.bias, order, caller);
};

// ------------------------------------------------------------------------------- NumPy's in 1-D

const modes = /** @type {const} */ (['full', 'same', 'valid']);

/**
 * Sums of products of one vector with another that moves along it.
 *
 * @param {unknown} a
 * @param {unknown} v
 * @param {'full' | 'same' | 'valid'} mode
 * @param {boolean} turn whether v is turned about
 * @param {string} caller
 * @returns {Value}
 */
function slidingProduct(a, v, mode, turn, caller) {
  const { state, values } = lift([a, v], caller);
  for (const [i, value] of values.entries()) {
    if (value.rank !== 1) {
      fail(
        'ERR_SHAPE',
        `${caller}: expected vectors, got shape ${state.shapeText(dimsOf(value))} for operand ${i + 1}`,
      );
    }
    if (dimsOf(value)[0] < 0 && i === 1)
      fail('ERR_SHAPE', `${caller}: expected a known size of operand 2, got ${state.text(dimsOf(value)[0])}`);
    if (dimsOf(value)[0] === 0) fail('ERR_SHAPE', `${caller}: operand ${i + 1} is empty`);
  }
  const [[long], [short]] = values.map((value) => dimsOf(value));
  // Of two known sizes the longer one is the input, as NumPy has it; turned, the result is the same.
  if (long >= 0 && long < short) {
    const other = slidingProduct(v, a, mode, turn, caller);
    return turn ? other : movement.reverse(other);
  }
  const before =
    mode === 'full' ? short - 1 : mode === 'same' ? (turn ? Math.ceil((short - 1) / 2) : Math.floor(short / 2)) : 0;
  const total = mode === 'full' ? 2 * (short - 1) : mode === 'same' ? short - 1 : 0;
  const kernel = turn ? movement.reverse(values[1]) : values[1];
  const result = append(
    state,
    'conv',
    [reshapeTo(state, values[0], [1, 1, long]), reshapeTo(state, kernel, [1, 1, short])],
    {
      stride: [1],
      lo: [before],
      hi: [total - before],
      base_dilation: [1],
      dilation: [1],
      groups: 1,
    },
  );
  return reshapeTo(state, result, dimsOf(result).slice(2));
}

/** @type {(caller: string, mode: 'full' | 'valid', turn: boolean) => (a: unknown, v: unknown, options?: unknown) => Value} */
const slider = (caller, standard, turn) => (a, v, options) => {
  const { mode = standard } = readOptions(caller, options, { mode: oneOf(modes) });
  return slidingProduct(a, v, mode, turn, caller);
};

/** Every operation here that becomes a method and a function, by name. */
const windows = {
  ...primitives,
  conv: convolution('conv'),
  conv1d: convolution('conv1d', 1),
  conv2d: convolution('conv2d', 2),
  conv3d: convolution('conv3d', 3),
  convTranspose: transposedConvolution('convTranspose'),
  convTranspose1d: transposedConvolution('convTranspose1d', 1),
  convTranspose2d: transposedConvolution('convTranspose2d', 2),
  convTranspose3d: transposedConvolution('convTranspose3d', 3),
  convolve: slider('convolve', 'full', true),
  correlate: slider('correlate', 'valid', false),
};

module.exports = { SPATIAL, allAxes, orderOf, paddingOf, perAxis, reachOf, windows };
