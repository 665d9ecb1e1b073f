/**
 * Images: their size, places in them, boxes, and channels as space.
 */
'use strict';

const { optional } = require('./neural.js');
const { slidesOf } = require('./windows.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** Whether an input is there; an empty tensor stands for none. @type {(operand: any, cx: Builder) => boolean} */
const isGiven = (operand, cx) => operand !== undefined && operand !== null && String(cx.shape(operand)) !== '0';

/** Modes by the names that versions had. @type {Record<string, 'nearest' | 'linear' | 'cubic'>} */
const modes = {
  nearest: 'nearest', linear: 'linear', bilinear: 'linear', trilinear: 'linear', cubic: 'cubic', bicubic: 'cubic',
};

/** @type {(node: any, initial: string, cx: Builder) => 'nearest' | 'linear' | 'cubic'} */
function modeOf(node, initial, cx) {
  const name = node.attr('mode', initial);
  return Object.hasOwn(modes, name) ? modes[name] : cx.fail('ERR_ARGUMENT', `mode is '${name}'`);
}

/**
 * Scales are stored as f32 but mean fractions: 0.6 is 3 / 5. So sizes come out as meant, and are short as texts.
 *
 * @type {(scale: number) => number}
 */
function asFraction(scale) {
  for (let below = 1; below <= 64; below++) {
    const fraction = Math.round(scale * below) / below;
    if (Math.fround(fraction) === scale) return fraction;
  }
  return scale;
}

/**
 * Integers between elements are computed as floats, and rounded.
 *
 * @type {(x: any, mode: string, compute: (x: any) => any) => any}
 */
function betweenElements(x, mode, compute) {
  if (mode === 'nearest' || /^b?f/.test(x.dtype)) return compute(x);
  return compute(x.astype(/8|16/.test(x.dtype) ? 'f32' : 'f64')).roundEven().astype(x.dtype);
}

/**
 * Before version 11 elements came from the place by the scale, rounded down, or up where the result is smaller.
 *
 * @type {(x: any, scales: readonly number[], mode: 'nearest' | 'linear' | 'cubic') => any}
 */
function resizeOld(x, scales, mode) {
  const scale = scales.map(asFraction);
  const coordinates = 'asymmetric';
  const axes = scale.map((_, axis) => axis);
  if (mode !== 'nearest') return betweenElements(x, mode, (own) => own.resize({ axes, scale, mode, coordinates }));
  const along = (/** @type {any} */ result, /** @type {number} */ factor, /** @type {number} */ axis) =>
    result.resize({ axes: axis, scale: factor, mode, coordinates, rounding: factor < 1 ? 'ceil' : 'floor' });
  return scale.reduce((result, factor, axis) => (factor === 1 ? result : along(result, factor, axis)), x);
}

/** @type {Translation['translate']} */
function upsample(node, [operand, scales], cx) {
  const x = /** @type {any} */ (cx.value(operand));
  const own = node.version < 7 ? [1, 1, node.attr('height_scale'), node.attr('width_scale')] : node.attr('scales');
  return resizeOld(x, node.version < 9 ? own : cx.numbers(scales, 'scales'), modeOf(node, 'nearest', cx));
}

/** @type {Translation['translate']} */
function resize(node, [operand, ...others], cx) {
  const x = /** @type {any} */ (cx.value(operand));
  const mode = modeOf(node, 'nearest', cx);
  if (node.version < 11) return resizeOld(x, cx.numbers(others[0], 'scales'), mode);
  const [roi, scales, sizes] = others;
  const axes = node.attr('axes', x.shape.map((/** @type {any} */ _, /** @type {number} */ axis) => axis));
  const coordinates = node.attr('coordinate_transformation_mode', 'half_pixel');
  const target = isGiven(sizes, cx)
    ? { size: cx.sizes(sizes, 'sizes'), keepAspectRatioPolicy: node.attr('keep_aspect_ratio_policy', 'stretch') }
    : { scale: cx.numbers(scales, 'scales').map(asFraction) };
  const part = isGiven(roi, cx) ? cx.value(roi) : undefined;
  const crop = { roi: part, extrapolationValue: node.attr('extrapolation_value', 0) };
  return betweenElements(x, mode, (own) => own.resize({
    axes, mode, coordinates, ...target,
    ...(coordinates === 'tf_crop_and_resize' ? crop : {}),
    ...(mode === 'nearest' ? { rounding: node.attr('nearest_mode', 'round_prefer_floor') } : {
      antialias: node.attr('antialias', 0) === 1, excludeOutside: node.attr('exclude_outside', 0) === 1,
    }),
    ...(mode === 'cubic' ? { cubicCoefficient: node.attr('cubic_coeff_a', -0.75) } : {}),
  }));
}

/** Integers are computed as floats. @type {Translation['translate']} */
function gridSample(node, [operand, grid], cx) {
  const x = /** @type {any} */ (cx.value(operand));
  const isFloat = /^b?f/.test(x.dtype);
  const result = (isFloat ? x : x.astype('f32')).gridSample(cx.value(grid), {
    mode: modeOf(node, 'linear', cx),
    padding: node.attr('padding_mode', 'zeros'),
    alignCorners: node.attr('align_corners', 0) === 1,
  });
  return isFloat ? result : result.astype(x.dtype);
}

/** @type {Translation['translate']} */
function roiAlign(node, [operand, regions, images], cx) {
  return /** @type {any} */ (cx.value(operand)).roiAlign(cx.value(regions), cx.value(images), {
    size: [node.attr('output_height', 1), node.attr('output_width', 1)],
    scale: node.attr('spatial_scale', 1),
    samplingRatio: node.attr('sampling_ratio', 0),
    mode: node.attr('mode', 'avg'),
    coordinates: node.version < 16 ? 'output_half_pixel' : node.attr('coordinate_transformation_mode', 'half_pixel'),
  });
}

/** @type {Translation['translate']} */
function nonMaxSuppression(node, [boxes, scores, most, overlap, least], cx) {
  const scalar = (/** @type {any} */ operand) => optional(operand, cx)?.reshape([]);
  return /** @type {any} */ (cx.value(boxes)).nonMaxSuppression(cx.value(scores), {
    maxOutputBoxesPerClass: scalar(most) ?? 0,
    iouThreshold: scalar(overlap) ?? 0,
    scoreThreshold: scalar(least),
    centerPointBox: node.attr('center_point_box', 0) === 1,
  });
}

/** @type {Translation['translate']} */
function col2Im(node, [operand, image, block], cx) {
  const x = /** @type {any} */ (cx.value(operand));
  const size = cx.sizes(image, 'the image shape');
  const { stride, padding, dilation } = slidesOf(node, size.length, cx);
  return x.fold(size, cx.ints(block, 'the block shape'), { stride, padding, dilation });
}

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    Upsample: upsample, Resize: resize, GridSample: gridSample, RoiAlign: roiAlign,
    NonMaxSuppression: nonMaxSuppression, Col2Im: col2Im,
    AffineGrid(node, [theta, size], cx) {
      const alignCorners = node.attr('align_corners', 0) === 1;
      return /** @type {any} */ (cx.value(theta)).affineGrid(cx.sizes(size, 'the size').slice(2), { alignCorners });
    },
    CenterCropPad: (node, [x, shape], cx) =>
      /** @type {any} */ (cx.value(x)).centerCropPad(cx.sizes(shape, 'the shape'), { axes: node.attr('axes') }),
    DepthToSpace(node, [x], cx) {
      const order = node.attr('mode', 'DCR') === 'CRD' ? 'channelsFirst' : 'blocksFirst';
      return /** @type {any} */ (cx.value(x)).depthToSpace(node.attr('blocksize'), { order });
    },
    SpaceToDepth: (node, [x], cx) => /** @type {any} */ (cx.value(x)).spaceToDepth(node.attr('blocksize')),
    ImageDecoder: (_node, _inputs, cx) => cx.fail('ERR_UNSUPPORTED', 'graphs decode no pictures: give the model decoded ones'),
  },
};

module.exports = { ops };
