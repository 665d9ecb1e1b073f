// Operations that take images and boxes apart, at sizes known and symbolic, in all ways. Grids, folding and pools are compared with
// PyTorch in test/oracle; regions, suppression and cropping here with loops over single elements.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { throwsGraphError } = require('../support/errors.js');
const { assertAgreement, mainWays, reference } = require('../support/oracles.js');
const { randomOf } = require('../support/values.js');

/** @typedef {Record<string, { dtype: any, shape: any[], low?: number, high?: number }>} Given */

/** Inputs of these sizes: random floats, and whole numbers from `low` up to `high`. @type {(given: Given, sizes: Record<string, number>, seed: number) => any} */
function inputsOf(given, sizes, seed) {
  const random = randomOf(seed);
  return Object.fromEntries(
    Object.entries(given).map(([name, { dtype, shape, low = -1, high = 1 }]) => {
      const own = shape.map((size) => (typeof size === 'string' ? sizes[size] : size));
      const count = own.reduce((a, b) => a * b, 1);
      const values = Array.from({ length: count }, () => low + (high - low) * random());
      return [name, { dtype, shape: own, data: dtype === 'i64' ? BigInt64Array.from(values, (v) => BigInt(Math.floor(v))) : new (dtype === 'f64' ? Float64Array : Float32Array)(values) }];
    }),
  );
}

/**
 * One graph of symbolic sizes, run in all ways and by the reference at each of some sizes; `check` gets its results.
 *
 * @param {string} title
 * @param {Given} given
 * @param {(values: Record<string, any>) => Record<string, any>} build
 * @param {Record<string, number>[]} list
 * @param {(inputs: Record<string, any>, results: Record<string, any>) => void} check of Tensors
 * @param {any} [tolerance]
 */
async function atSizes(title, given, build, list, check, tolerance = { ulp: 64, absolute: 1e-6 }) {
  const graph = new Graph(title);
  const values = Object.fromEntries(Object.entries(given).map(([name, { dtype, shape }]) => [name, graph.input(name, dtype, shape)]));
  for (const [name, value] of Object.entries(build(values))) graph.output(name, value);
  const ways = await mainWays(graph);
  for (const [i, sizes] of list.entries()) {
    const inputs = inputsOf(given, sizes, i + 1);
    const want = reference(graph, inputs);
    const tensors = (/** @type {any} */ arrays) => Object.fromEntries(Object.entries(arrays).map(([name, { dtype, shape, data }]) => [name, tensor(data, { dtype, shape })]));
    check(tensors(inputs), tensors(want));
    const room = (/** @type {string} */ name) => (want[name].dtype === 'i64' && title === 'suppression' ? 3 * inputs.scores.data.length : undefined);
    assertAgreement(ways, inputs, want, { title: `${title} ${JSON.stringify(sizes)}`, tolerance: () => tolerance, room });
  }
}

/** @type {(got: any, want: any, title: string) => void} */
function near(got, want, title) {
  assert.deepEqual([...got.shape], [...want.shape], title);
  for (const [i, value] of [...got.data].entries()) {
    const other = Number(want.data[i]);
    assert.ok(Object.is(Number(value), other) || Math.abs(Number(value) - other) <= 1e-5 * Math.max(1, Math.abs(other)), `${title}: element ${i} is ${value}, expected ${other}`);
  }
}

const images = [{ n: 2, c: 3, h: 5, w: 7, i: 3, j: 2 }, { n: 1, c: 1, h: 1, w: 1, i: 1, j: 11 }, { n: 1, c: 2, h: 3, w: 13, i: 0, j: 2 }];

test('grids are sampled at sizes that a run brings', async () => {
  const given = { x: { dtype: 'f32', shape: ['n', 'c', 'h', 'w'] }, grid: { dtype: 'f32', shape: ['n', 'i', 'j', 2], low: -2, high: 2 }, theta: { dtype: 'f32', shape: ['n', 2, 3] } };
  const options = [{}, { mode: 'nearest', padding: 'border' }, { mode: 'cubic', padding: 'reflection', alignCorners: true }, { padding: 'reflection' }];
  await atSizes(
    'grids', given,
    ({ x, grid, theta }) => ({ ...Object.fromEntries(options.map((each, i) => [`s${i}`, x.gridSample(grid, each)])), affine: theta.affineGrid(['i', 'j']) }),
    images,
    ({ x, grid, theta }, results) => {
      for (const [i, each] of options.entries()) near(results[`s${i}`], x.gridSample(grid, each), JSON.stringify(each));
      near(results.affine, theta.affineGrid([grid.shape[1], grid.shape[2]]), 'affine');
    },
    { ulp: 256, absolute: 1e-4 },
  );
});

/** ONNX's RoiAlign, sample by sample. @type {(x: any, boxes: number[][], batch: number[], options: any) => number[]} */
function regionsOf(x, boxes, batch, { size, scale = 1, samplingRatio = 0, mode = 'avg', coordinates = 'halfPixel' }) {
  const [, channels, height, width] = x.shape;
  const data = [...x.data];
  const half = coordinates === 'halfPixel' ? 0.5 : 0;
  /** @type {number[]} */
  const results = [];
  for (const [r, box] of boxes.entries()) {
    const [x1, y1, x2, y2] = box.map((edge) => edge * scale - half);
    const lengths = [y2 - y1, x2 - x1].map((length) => (half ? length : Math.max(length, 1)));
    const steps = lengths.map((length, i) => length / size[i]);
    const samples = steps.map((step) => (samplingRatio > 0 ? samplingRatio : Math.ceil(step)));
    for (let c = 0; c < channels; c++) for (let i = 0; i < size[0]; i++) for (let j = 0; j < size[1]; j++) {
      let [sum, most] = [0, -Infinity];
      for (let k = 0; k < samples[0]; k++) for (let l = 0; l < samples[1]; l++) {
        let [y, w] = [y1 + i * steps[0] + ((k + 0.5) * steps[0]) / samples[0], x1 + j * steps[1] + ((l + 0.5) * steps[1]) / samples[1]];
        const isOutside = y < -1 || y > height || w < -1 || w > width;
        [y, w] = [Math.min(Math.max(y, 0), height - 1), Math.min(Math.max(w, 0), width - 1)];
        for (const [dy, dx] of [[0, 0], [0, 1], [1, 0], [1, 1]]) {
          const [a, b] = [y - Math.floor(y), w - Math.floor(w)];
          const weight = isOutside ? 0 : (dy ? a : 1 - a) * (dx ? b : 1 - b);
          const at = ((batch[r] * channels + c) * height + Math.min(Math.floor(y) + dy, height - 1)) * width + Math.min(Math.floor(w) + dx, width - 1);
          sum += weight * data[at];
          most = Math.max(most, weight * data[at]);
        }
      }
      const count = Math.max(samples[0], 0) * Math.max(samples[1], 0);
      results.push(mode === 'avg' ? sum / Math.max(count, 1) : count > 0 ? most : 0);
    }
  }
  return results;
}

test('bins of regions have as many samples as they need', async () => {
  const given = { x: { dtype: 'f64', shape: ['n', 'c', 'h', 'w'] }, boxes: { dtype: 'f64', shape: ['r', 4], low: -3, high: 12 }, batch: { dtype: 'i64', shape: ['r'], low: 0, high: 1 } };
  const options = /** @type {any[]} */ ([{ size: [2, 3] }, { size: [1, 2], samplingRatio: 3, scale: 0.5 }, { size: [2, 2], mode: 'max', coordinates: 'outputHalfPixel' }, { size: [3, 1], coordinates: 'output_half_pixel' }]);
  await atSizes(
    'regions', given,
    ({ x, boxes, batch }) => Object.fromEntries(options.map((each, i) => [`r${i}`, x.roiAlign(boxes, batch, each)])),
    [{ n: 2, c: 2, h: 5, w: 7, r: 5 }, { n: 1, c: 1, h: 1, w: 11, r: 2 }, { n: 1, c: 3, h: 2, w: 2, r: 0 }],
    ({ x, boxes, batch }, results) => {
      for (const [i, each] of options.entries()) {
        const own = { ...each, coordinates: each.coordinates === 'output_half_pixel' ? 'outputHalfPixel' : each.coordinates };
        const want = regionsOf(x, boxes.toArray(), [...batch.data].map(Number), own);
        near(results[`r${i}`], { shape: [boxes.shape[0], x.shape[1], ...each.size], data: want }, JSON.stringify(each));
      }
    },
  );
});

/** Greedy suppression, box by box. @type {(boxes: any, scores: any, options: any) => number[][]} */
function chosen(boxes, scores, { maxOutputBoxesPerClass: most = Infinity, iouThreshold = 0, scoreThreshold = -Infinity, centerPointBox = false }) {
  /** @type {(box: number[]) => number[][]} */
  const sides = ([a, b, c, d]) => [[a, c], [b, d]].map(([p, q]) => (centerPointBox ? [p - q / 2, p + q / 2] : [Math.min(p, q), Math.max(p, q)]));
  const area = (/** @type {number[][]} */ of) => of.reduce((all, [low, high]) => all * (high - low), 1);
  const overlap = (/** @type {number[][]} */ p, /** @type {number[][]} */ q) => {
    const both = p.map(([low, high], i) => [Math.max(low, q[i][0]), Math.min(high, q[i][1])]);
    if (both.some(([low, high]) => high <= low) || area(p) <= 0 || area(q) <= 0) return 0;
    return area(both) / (area(p) + area(q) - area(both));
  };
  /** @type {number[][]} */
  const rows = [];
  for (const [n, own] of scores.toArray().entries()) for (const [c, line] of own.entries()) {
    /** @type {number[]} */
    const kept = [];
    const order = line.map((/** @type {number} */ _, /** @type {number} */ i) => i).sort((/** @type {number} */ a, /** @type {number} */ b) => line[b] - line[a] || a - b);
    const side = (/** @type {number} */ i) => sides(boxes.toArray()[n][i]);
    for (const i of order) if (kept.length < most && line[i] > scoreThreshold && kept.every((k) => !(overlap(side(k), side(i)) > iouThreshold))) kept.push(i);
    rows.push(...kept.map((i) => [n, c, i]));
  }
  return rows;
}

test('boxes are suppressed by better ones', async () => {
  const given = { boxes: { dtype: 'f64', shape: ['n', 'b', 4], low: 0, high: 1 }, scores: { dtype: 'f64', shape: ['n', 'c', 'b'], low: 0, high: 1 } };
  const options = [{}, { maxOutputBoxesPerClass: 2, iouThreshold: 0.3 }, { scoreThreshold: 0.5, iouThreshold: 0.2, centerPointBox: true }, { maxOutputBoxesPerClass: 0 }];
  await atSizes(
    'suppression', given,
    ({ boxes, scores }) => Object.fromEntries(options.map((each, i) => [`s${i}`, boxes.nonMaxSuppression(scores, each)])),
    [{ n: 2, c: 3, b: 17 }, { n: 1, c: 1, b: 1 }, { n: 1, c: 2, b: 0 }, { n: 0, c: 2, b: 3 }],
    ({ boxes, scores }, results) => {
      for (const [i, each] of options.entries()) assert.deepEqual(results[`s${i}`].toArray().map((/** @type {any[]} */ row) => row.map(Number)), chosen(boxes, scores, each), JSON.stringify(each));
    },
  );
});

test('as many boxes as are wanted, and limits that are Values', () => {
  const graph = new Graph('limits');
  const boxes = graph.input('boxes', 'f32', [1, 3, 4]);
  const most = graph.input('most', 'i32', []);
  const scores = graph.constant([[[0.5, NaN, 0.9]]], { dtype: 'f32' });
  graph.output('z', boxes.nonMaxSuppression(scores, { size: 3, maxOutputBoxesPerClass: most, iouThreshold: graph.constant(0.5) }));
  const run = (/** @type {number} */ count) => graph.compile().run({ boxes: Float32Array.of(0, 0, 1, 1, 0, 0, 2, 2, 5, 5, 6, 6), most: Int32Array.of(count) }).z.toArray();
  assert.deepEqual(run(9), [[0n, 0n, 2n], [0n, 0n, 0n], [0n, 0n, 0n]]);
  assert.deepEqual(run(0), [[0n, 0n, 0n], [0n, 0n, 0n], [0n, 0n, 0n]]);
});

test('windows fold, pools have indices and ceilings, at sizes that a run brings', async () => {
  const given = { x: { dtype: 'f32', shape: ['n', 'c', 'h', 'w'] } };
  const fold = { padding: [1, 0], stride: [2, 1], dilation: [1, 2] };
  const ceil = [{ ceilMode: true }, { stride: 3, padding: 1, ceilMode: true }, { stride: [2, 4], ceilMode: true, countIncludePad: false, padding: [0, 1] }];
  await atSizes(
    'windows', given,
    ({ x }) => {
      const { values, indices } = x.maxPoolWithIndices([2, 3], { ceilMode: true, padding: 1, perChannel: false, order: 'columnMajor' });
      const pooled = x.maxPoolWithIndices(2);
      return {
        values, indices, folded: x.unfold([2, 2], fold).fold(['h', 'w'], [2, 2], fold),
        unpooled: pooled.values.maxUnpool(pooled.indices, 2, { size: ['h', 'w'] }),
        least: pooled.values.maxUnpool(x.maxPoolWithIndices(2, { perChannel: false }).indices, 2, { perChannel: false, size: ['h', 'w'] }),
        ...Object.fromEntries(ceil.map((each, i) => [`a${i}`, x.avgPool([2, 3], each)])),
      };
    },
    [{ n: 2, c: 3, h: 5, w: 7 }, { n: 1, c: 1, h: 3, w: 11 }, { n: 1, c: 2, h: 2, w: 4 }, { n: 0, c: 1, h: 6, w: 5 }],
    ({ x }, results) => {
      for (const [i, each] of ceil.entries()) near(results[`a${i}`], x.avgPool([2, 3], each), JSON.stringify(each));
      const [, c, h, w] = x.shape;
      near(results.folded, x.unfold([2, 2], fold).fold([h, w], [2, 2], fold), 'folded');
      near(results.least, results.unpooled, 'unpooled');
      const flat = [...x.data];
      for (const [i, index] of [...results.indices.data].entries()) {
        const [channel, rest] = [Math.floor(Number(index) / (h * w)), Number(index) % (h * w)];
        assert.equal(flat[channel * h * w + (rest % h) * w + Math.floor(rest / h)], results.values.data[i]);
        assert.equal(channel, Math.floor(i / (results.values.size / (x.shape[0] * c))));
      }
      for (const [i, value] of flat.entries()) assert.ok([0, value].includes(results.unpooled.data[i]));
    },
    { ulp: 4 },
  );
});

test('sizes are cropped and padded around their middle', async () => {
  const given = { x: { dtype: 'f32', shape: ['n', 'm'] }, y: { dtype: 'f32', shape: ['a', 'b'] } };
  await atSizes(
    'centred', given,
    ({ x }) => ({ both: x.centerCropPad(['a', 'b']), one: x.centerCropPad([3], { axes: -1 }) }),
    [{ n: 5, m: 8, a: 2, b: 11 }, { n: 2, m: 1, a: 7, b: 1 }, { n: 0, m: 3, a: 2, b: 0 }, { n: 4, m: 7, a: 4, b: 4 }],
    ({ x, y }, results) => {
      const [n, m] = x.shape;
      const [a, b] = y.shape;
      const at = (/** @type {number} */ i, /** @type {number} */ size, /** @type {number} */ target) => i + Math.trunc((size - target) / 2);
      const rows = Array.from({ length: a }, (_, i) => Array.from({ length: b }, (_none, j) => x.toArray()[at(i, n, a)]?.[at(j, m, b)] ?? 0));
      assert.deepEqual(results.both.shape, [a, b]);
      assert.deepEqual([...results.both.data], rows.flat());
      near(results.both, x.centerCropPad([a, b]), 'known sizes');
      near(results.one, x.centerCropPad([n, 3]), 'one axis');
    },
    {},
  );
  assert.deepEqual(tensor([true, true], { dtype: 'bool' }).centerCropPad(5).toArray(), [false, true, true, false, false]);
});

test('Fourier transforms have lengths that a run brings', async () => {
  const given = { x: { dtype: 'f64', shape: ['n', 'm', 2] }, y: { dtype: 'f64', shape: ['b', 'l', 1] }, w: { dtype: 'f64', shape: ['f'] } };
  const options = [{}, { axis: 0 }, { onesided: true }, { inverse: true }, { inverse: true, onesided: true }, { length: 6, onesided: true }];
  await atSizes(
    'transforms', given,
    ({ x, y, w }) => ({ ...Object.fromEntries(options.map((each, i) => [`d${i}`, x.dft(each)])), frames: y.stft({ step: 2, window: w }), longer: x.dft({ length: 'm + 3' }) }),
    [{ n: 2, m: 7, b: 2, l: 9, f: 4 }, { n: 1, m: 12, b: 1, l: 5, f: 5 }, { n: 3, m: 2, b: 0, l: 5, f: 1 }],
    ({ x, y, w }, results) => {
      for (const [i, each] of options.entries()) near(results[`d${i}`], x.dft(each), JSON.stringify(each));
      near(results.frames, y.stft({ step: 2, window: w }), 'frames');
      near(results.longer, x.dft({ length: x.shape[1] + 3 }), 'longer');
    },
    { ulp: 1024, absolute: 1e-12 },
  );
  const long = tensor(Array.from({ length: 1009 }, (_, i) => [Math.sin(i), i % 3])).reshape([1009, 2]);
  near(long.dft().dft({ inverse: true }), long, 'a prime length');
  assert.deepEqual([...tensor([1, 0, 0, 0]).reshape([4, 1]).dft().data], [1, 0, 1, 0, 1, 0, 1, 0]);
});

test('signal windows and the mel scale', () => {
  const graph = new Graph('signals');
  graph.output('hann', graph.hannWindow('n', { dtype: 'f16' })).output('mel', graph.melWeightMatrix({ bins: 8, dftLength: 16, sampleRate: 8192, highest: 4096 }));
  graph.input('x', 'u8', ['n']);
  const { hann, mel } = graph.compile().run({ x: new Uint8Array(4) });
  assert.deepEqual(hann.toArray(), [0, 0.5, 1, 0.5]);
  // the example of ONNX's MelWeightMatrix
  const want = [[1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0, 0, 1], ...new Array(3).fill(new Array(8).fill(0))];
  assert.deepEqual(mel.toArray(), want);
});

/** Along the first permutation of columns: Leibniz' formula. @type {(m: number[][]) => number} */
const determinant = (m) =>
  m.length === 0 ? 1 : m[0].reduce((sum, own, i) => sum + (i % 2 ? -1 : 1) * own * determinant(m.slice(1).map((row) => row.toSpliced(i, 1))), 0);

test('determinants, triangles and sequences at sizes that a run brings', async () => {
  const given = { m: { dtype: 'f64', shape: ['b', 'n', 'n'] }, x: { dtype: 'f64', shape: ['l', 'b', 3] }, lengths: { dtype: 'i64', shape: ['b'], low: 0, high: 4 }, k: { dtype: 'i64', shape: [], low: -2, high: 3 } };
  await atSizes(
    'matrices', given,
    ({ m, x, lengths, k }) => ({
      det: m.det(), low: m.tril({ k }), high: m.triu({ k }), turned: x.reverseSequence(lengths),
      sums: x.cumulativeSum({ axis: 0, exclusive: true }), products: x.cumulativeProd({ axis: 0, reverse: true }), both: x.cumulativeSum({ axis: 0, exclusive: true, reverse: true }),
    }),
    [{ b: 3, n: 4, l: 5 }, { b: 1, n: 1, l: 4 }, { b: 2, n: 0, l: 4 }, { b: 0, n: 3, l: 7 }, { b: 2, n: 7, l: 11 }],
    ({ m, x, lengths, k }, results) => {
      near(results.det, { shape: [m.shape[0]], data: m.toArray().map(determinant) }, 'determinants');
      near(results.low, m.tril({ k: Number(k.item()) }), 'below');
      near(results.high, m.triu({ k: Number(k.item()) }), 'above');
      const rows = x.toArray();
      const order = (/** @type {number} */ b, /** @type {number} */ i) => (i < Number(lengths.data[b]) ? Number(lengths.data[b]) - 1 - i : i);
      const turned = rows.map((/** @type {number[][]} */ row, /** @type {number} */ i) => row.map((_, b) => rows[order(b, i)][b]));
      near(results.turned, { shape: x.shape, data: turned.flat(2) }, 'turned');
      const sum = (/** @type {number} */ i, /** @type {number} */ from, /** @type {number} */ to) => rows.slice(from, to).reduce((/** @type {number} */ all, /** @type {number[][]} */ row) => all + row.flat()[i], 0);
      const width = 3 * x.shape[1];
      near(results.sums, { shape: x.shape, data: [...x.data].map((_, i) => sum(i % width, 0, Math.floor(i / width))) }, 'sums');
      near(results.both, { shape: x.shape, data: [...x.data].map((_, i) => sum(i % width, Math.floor(i / width) + 1, rows.length)) }, 'sums from the end');
      near(results.products, { shape: x.shape, data: x.flip(0).cumulativeProd({ axis: 0 }).toArray().reverse().flat(2) }, 'products from the end');
    },
    { ulp: 1024, absolute: 1e-12 },
  );
  assert.deepEqual(tensor([[0, 2], [3, 0]], { dtype: 'i32' }).det().toArray(), -6);
  assert.deepEqual(tensor([1, 2, 3], { dtype: 'i8' }).cumulativeSum({ reverse: true, includeInitial: true }).toArray(), [6n, 5n, 3n, 0n]);
});

test('rows of zeros stay', () => {
  assert.deepEqual(tensor([[3, 4], [0, 0]]).lpNormalize().toArray(), [[0.6, 0.8], [0, 0]]);
});

test('what does not fit is refused', () => {
  const graph = new Graph('bad');
  const x = graph.input('x', 'f32', ['n', 3, 4, 5]);
  const i = graph.input('i', 'i64', [2]);
  /** @type {[() => any, any, RegExp][]} */
  const bad = [
    [() => x.gridSample(graph.input('g', 'f32', ['n', 2, 2, 3])), 'ERR_SHAPE', /gridSample: expected a grid \[batch, …, 2\] for shape \[n, 3, 4, 5\], got \[n, 2, 2, 3\]/],
    [() => x.gridSample(i), 'ERR_DTYPE', /gridSample: expected floats for the grid/],
    [() => x.affineGrid([2, 3]), 'ERR_SHAPE', /affineGrid: expected matrices \[batch, 2, 3\] for 2 sizes, got \[n, 3, 4, 5\]/],
    [() => x.roiAlign([[0, 0, 1, 1]], [0, 0], { size: 1 }), 'ERR_SHAPE', /roiAlign: expected regions \[n, 4\] and batch indices \[n\], got \[1, 4\] and \[2\]/],
    [() => x.roiAlign([[0, 0, 1, 1]], x, { size: 1 }), 'ERR_DTYPE', /roiAlign: expected integers for the indices/],
    [() => x.nonMaxSuppression(x), 'ERR_SHAPE', /nonMaxSuppression: expected boxes \[n, b, 4\] and scores \[n, c, b\]/],
    [() => graph.input('c', 'f32', ['n', 10, 6]).fold([4, 4], [2, 2]), 'ERR_SHAPE', /fold: 10 rows are not a multiple of the 4 elements of a window/],
    [() => graph.input('d', 'f32', ['n', 8, 6]).fold([4, 4], [2, 2]), 'ERR_SHAPE', /fold: there are 6 columns, but these windows have 9 places/],
    [() => x.maxUnpool(i, 2), 'ERR_SHAPE', /maxUnpool: expected operand and indices of one shape/],
    [() => x.maxUnpool(x, 2), 'ERR_DTYPE', /maxUnpool: expected integers for the indices/],
    [() => x.dft(), 'ERR_SHAPE', /dft: expected 1 or 2 parts along the last axis, got \[n, 3, 4, 5\]/],
    [() => graph.input('e', 'f32', [4, 2]).dft({ axis: 1 }), 'ERR_ARGUMENT', /dft: expected an axis in front of that of the parts/],
    [() => graph.input('f', 'f32', [4, 1]).stft({ step: 1, length: 5 }), 'ERR_SHAPE', /stft: a frame of 5 places does not fit into 4/],
    [() => graph.melWeightMatrix({ bins: 3, dftLength: 8, sampleRate: 100, highest: 60 }), 'ERR_ARGUMENT', /melWeightMatrix: expected 0 ≤ lowest < highest ≤ 50/],
    [() => graph.hannWindow(3, { dtype: 'i32' }), 'ERR_DTYPE', /hannWindow: expected a float dtype for option 'dtype'/],
    [() => x.cumulativeSum({ axis: 0, exclusive: true, includeInitial: true }), 'ERR_ARGUMENT', /options 'includeInitial' and 'exclusive' do not go together/],
    [() => x.reverseSequence([1, 2]), 'ERR_SHAPE', /reverseSequence: expected lengths \[3\], got \[2\]/],
    [() => x.det(), 'ERR_SHAPE', /det: expected square matrices/],
    [() => x.tril({ k: i }), 'ERR_ARGUMENT', /tril: expected a scalar integer for option 'k'/],
    [() => x.centerCropPad([1]), 'ERR_SHAPE', /centerCropPad: expected 4 sizes, one per axis, for the shape/],
    [() => x.maxPoolWithIndices(2, { layout: 'NHWC', perChannel: false }), 'ERR_ARGUMENT', /option 'perChannel' takes channels that are axis 1/],
  ];
  for (const [call, code, message] of bad) throwsGraphError(call, code, message);
});
