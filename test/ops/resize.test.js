// Resizing by every mode of ONNX's Resize, against the formulas of its text, element by element; sizes known and symbolic.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { throwsGraphError } = require('../support/errors.js');
const { assertAgreement, mainWays, reference } = require('../support/oracles.js');

/** @typedef {{ from: number, to: number, scale: number, crop?: number[], how: any }} Axis */

/** The place of an element in the input. @type {(x: number, axis: Axis) => number} */
function placeOf(x, { from, to, scale, crop = [0, 1], how: { coordinates = 'half_pixel' } }) {
  const length = scale * from;
  switch (coordinates) {
    case 'half_pixel': return (x + 0.5) / scale - 0.5;
    case 'half_pixel_symmetric': return (from / 2) * (1 - to / length) + (x + 0.5) / scale - 0.5;
    case 'pytorch_half_pixel': return to > 1 ? (x + 0.5) / scale - 0.5 : 0;
    case 'tf_half_pixel_for_nn': return (x + 0.5) / scale;
    case 'asymmetric': return x / scale;
    case 'align_corners': return length === 1 ? 0 : (x * (from - 1)) / (length - 1);
    default: return to > 1 ? crop[0] * (from - 1) + (x * (crop[1] - crop[0]) * (from - 1)) / (length - 1) : 0.5 * (crop[0] + crop[1]) * (from - 1);
  }
}

/** @type {(d: number, how: any) => number} */
function weightOf(d, { mode, cubicCoefficient: a = -0.75 }) {
  if (mode === 'linear') return Math.max(1 - d, 0);
  if (d <= 1) return (a + 2) * d ** 3 - (a + 3) * d ** 2 + 1;
  return d < 2 ? a * d ** 3 - 5 * a * d ** 2 + 8 * a * d - 4 * a : 0;
}

/** @type {(line: number[], x: number, axis: Axis) => number} */
function elementOf(line, x, axis) {
  const { from, scale, how } = axis;
  const at = placeOf(x, axis);
  if (how.coordinates === 'tf_crop_and_resize' && (at < 0 || at > from - 1)) return how.extrapolationValue ?? 0;
  const end = (/** @type {number} */ i) => line[Math.min(Math.max(i, 0), from - 1)];
  if ((how.mode ?? 'nearest') === 'nearest') {
    const rounded = { round_prefer_floor: Math.ceil(at - 0.5), round_prefer_ceil: Math.floor(at + 0.5), floor: Math.floor(at), ceil: Math.ceil(at) };
    return end(rounded[/** @type {keyof typeof rounded} */ (how.rounding ?? 'round_prefer_floor')]);
  }
  const near = how.antialias ? Math.min(scale, 1) : 1;
  const reach = Math.ceil((how.mode === 'linear' ? 1 : 2) / near) + 1;
  let [sum, total] = [0, 0];
  for (let i = Math.floor(at) - reach; i <= Math.floor(at) + reach; i++) {
    if (how.excludeOutside && (i < 0 || i >= from)) continue;
    const weight = weightOf(Math.abs(i - at) * near, how);
    sum += weight * end(i);
    total += weight;
  }
  return sum / total;
}

/** @type {(rows: number[][]) => number[][]} */
const turned = (rows) => rows[0].map((_, i) => rows.map((row) => row[i]));

/** Rows of an image resized along both axes. @type {(image: number[][], how: any) => number[][]} */
function resized(image, how) {
  const from = [image.length, image[0].length];
  const to = from.map((size, i) => (how.size ? how.size[i] : Math.floor(size * how.scale[i])));
  const line = (/** @type {number} */ i) => (/** @type {number[]} */ own) => {
    const axis = { from: from[i], to: to[i], scale: how.scale?.[i] ?? to[i] / from[i], crop: how.roi && [how.roi[i], how.roi[i + 2]], how };
    return axis.from === axis.to && axis.scale === 1 && !how.roi ? own : Array.from({ length: to[i] }, (_, x) => elementOf(own, x, axis));
  };
  return turned(turned(image).map(line(0))).map(line(1));
}

const image = [[3, 1, 4, 1, 5, 9, 2], [6, 5, 3, 5, 8, 9, 7], [9, 3, 2, 3, 8, 4, 6], [2, 6, 4, 3, 3, 8, 3], [2, 7, 9, 5, 0, 2, 8]];
const targets = [{ size: [3, 11] }, { size: [1, 2] }, { scale: [1.7, 0.6] }, { scale: [0.5, 1] }, { size: [5, 7] }];
const coordinates = ['half_pixel', 'half_pixel_symmetric', 'pytorch_half_pixel', 'align_corners', 'asymmetric', 'tf_half_pixel_for_nn'];
const crop = { coordinates: 'tf_crop_and_resize', roi: [0.2, -0.1, 0.9, 1.2], extrapolationValue: 10 };
const kinds = [
  ...['round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil'].map((rounding) => ({ rounding })),
  { mode: 'linear' }, { mode: 'cubic' }, { mode: 'cubic', cubicCoefficient: -0.5, excludeOutside: true }, { mode: 'linear', excludeOutside: true },
];
const closing = [{ mode: 'linear', antialias: true }, { mode: 'cubic', antialias: true, excludeOutside: true, cubicCoefficient: -0.5 }];

/** @type {any[]} */
const cases = targets.flatMap((target) => [
  ...kinds.flatMap((kind) => [...coordinates.map((each) => ({ coordinates: each })), crop].map((each) => ({ ...target, ...kind, ...each }))),
  ...closing.map((kind) => ({ ...target, ...kind })),
]);

/** @type {(shape: any, own: any[]) => Graph} */
function graphOf(shape, own) {
  const graph = new Graph('resized');
  const x = graph.input('x', 'f64', shape);
  for (const [i, how] of own.entries()) graph.output(`r${i}`, x.resize({ axes: [0, 1], ...how }));
  return graph;
}

/** @type {(results: Record<string, any>, own: any[]) => void} */
function assertResized(results, own) {
  for (const [i, how] of own.entries()) {
    const want = resized(image, how);
    const { shape, data } = results[`r${i}`];
    assert.deepEqual([...shape], [want.length, want[0].length], JSON.stringify(how));
    for (const [j, value] of want.flat().entries()) assert.ok(Math.abs(data[j] - value) < 1e-9, `${JSON.stringify(how)}: element ${j} is ${data[j]}, expected ${value}`);
  }
}

test('each mode of ONNX gives what its formula says, of known and of symbolic sizes', () => {
  assertResized(graphOf([5, 7], cases).compile().run({ x: tensor(image) }), cases);
  const free = cases.filter((how) => how.scale || !how.antialias);
  assertResized(graphOf(['n', 'm'], free).compile().run({ x: tensor(image) }), free);
});

test('the reference, native code and wasm resize alike', async () => {
  const own = cases.filter((how) => how.scale).filter((_, i) => i % 9 === 0);
  const graph = graphOf(['n', 'm'], own);
  const inputs = { x: { dtype: /** @type {const} */ ('f64'), shape: [5, 7], data: Float64Array.from(image.flat()) } };
  const want = reference(graph, inputs);
  assertResized(want, own);
  assertAgreement(await mainWays(graph), inputs, want, { title: 'resize', tolerance: () => ({ ulp: 64, absolute: 1e-12 }) });
});

test("a scale counts as it is, as in ONNX's tests", () => {
  const x = tensor([[[[1, 2, 3, 4], [5, 6, 7, 8]]]], { dtype: 'f32' });
  /** @type {(options: any) => number[]} */
  const rounded = (options) => [...x.resize({ scale: 0.6, ...options }).data].map((value) => Math.round(value * 1e4) / 1e4);
  assert.deepEqual(rounded({ mode: 'linear', coordinates: 'align_corners' }), [1, 3.1429]);
  assert.deepEqual(rounded({ mode: 'linear' }), [2.6667, 4.3333]);
});

test('sizes keep the ratio of sides, and any axes are resized', () => {
  const x = tensor([[1, 2, 3, 4], [5, 6, 7, 8]]);
  assert.deepEqual(x.resize({ size: [7, 8], axes: [0, 1], keepAspectRatioPolicy: 'notLarger' }).shape, [4, 8]);
  assert.deepEqual(x.resize({ size: [7, 8], axes: [0, 1], keepAspectRatioPolicy: 'not_smaller' }).shape, [7, 14]);
  assert.deepEqual(x.resize({ size: 1, axes: -1 }).toArray(), [[2], [6]]);
  assert.deepEqual(x.resize({ size: 0, axes: 0 }).shape, [0, 4]);
  const graph = new Graph('crop');
  const part = graph.input('crop', 'f64', [2]);
  graph.output('part', graph.input('x', 'f32', ['n']).resize({ size: 'm + 1', axes: 0, mode: 'linear', coordinates: 'tfCropAndResize', roi: part, extrapolationValue: -1 }));
  graph.input('y', 'u8', ['m']);
  const run = (/** @type {number[]} */ roi) => [...graph.compile().run({ x: Float32Array.of(0, 1, 2, 3, 4), crop: Float64Array.from(roi), y: new Uint8Array(2) }).part.data];
  assert.deepEqual(run([0.25, 0.75]), [1, 2, 3]);
  assert.deepEqual(run([1, -0.5]), [4, 1, -1]);
});

test('resizing refuses what it cannot do', () => {
  const graph = new Graph('bad');
  const x = graph.input('x', 'f32', [1, 1, 'n']);
  throwsGraphError(() => x.resize({ size: 2, coordinates: 'tfCropAndResize' }), 'ERR_ARGUMENT', /resize: option 'roi' and coordinates 'tfCropAndResize' go together/);
  throwsGraphError(() => x.resize({ size: 2, coordinates: 'tfCropAndResize', roi: [0, 1, 2] }), 'ERR_SHAPE', /resize: expected 2 numbers, all beginnings and then all ends, for option 'roi'/);
  throwsGraphError(() => x.resize({ size: 2, coordinates: /** @type {any} */ ('corners') }), 'ERR_ARGUMENT', /resize: expected one of 'halfPixel', .* for option 'coordinates', got "corners"/);
  throwsGraphError(() => x.resize({ scale: Math.PI }), 'ERR_SHAPE', /resize: scale 3.14\d* takes a known size, but axis 2 has n/);
  throwsGraphError(() => x.resize({ size: 4, keepAspectRatioPolicy: 'notLarger' }), 'ERR_SHAPE', /option 'keepAspectRatioPolicy' takes known sizes, but one is n/);
  throwsGraphError(() => x.resize({ size: 2, axes: [2], layout: 'NCW' }), 'ERR_ARGUMENT', /at most one of the options 'axes' and 'layout'/);
});
