// Numeric functions of well-known npm packages, one row each: where it is, and which kinds of arguments it is tried with.
// `known` gives names that only a closure of the module sees, with the values that they have there.
'use strict';

const { functionOf } = require('./support/modules.js');
const { arrays, between, oneOf, real, unit, whole } = require('./support/values.js');

/** @typedef {import('./support/values.js').Kind} Kind */
/** @typedef {{ file: string, name: string, kinds: Kind[], known?: () => Record<string, any> }} Row */

const small = whole(-20, 40, [0, 1, 2, 3]);
const index = whole(0, 12, [1, 2, 3]);
const modest = between(-50, 50, [0, -0, 0.5, 1, 3.5, 20, 21, NaN, Infinity, -Infinity]);
const bits = whole(-(2 ** 31), 2 ** 32 - 1, [0, 1, -1, 31, 32, 33, 2 ** 31, 2 ** 40, 1.5, NaN]);
const list = arrays(real);
const tame = arrays(between(-10, 10, [0, 1, -1]));
const positive = arrays(between(0.1, 10, [1, 1, 2]));
const long = arrays(between(-10, 10, [0, 1, -1]), { lengths: [12, 20, 64] });
const nine = arrays(between(-10, 10, [0, 1, -1]), { lengths: [9, 9, 9, 1] });
const weights = arrays(between(0.1, 10, [1, 1, 2]), { lengths: [9, 9, 9, 1] });
const sorted = arrays(whole(-5, 5), { sorted: true });
const vector = (/** @type {number} */ length, /** @type {any} */ type = Float32Array) => arrays(between(-4, 4, [0, -0, 1]), { type, lengths: [length] });
const [vec3, vec4, mat4] = [vector(3), vector(4), vector(16)];
const doubles = vector(16, Float64Array);
const channel = between(0, 255, [0, 1, 51, 127.5, 255, -0, NaN]);
const channels = (/** @type {number} */ length) => arrays(channel, { type: Array, lengths: [length] });
const probability = between(0, 1, [0, 1, 0.5, 0.25, -0.1, 1.1, NaN]);

/** @param {string} file @param {Record<string, Kind[]>} functions @returns {Row[]} */
const from = (file, functions) => Object.entries(functions).map(([name, kinds]) => ({ file, name, kinds }));

/** Conversions of colors, which take an array, by how many channels they have. @type {[number, string[]][]} */
const conversions = [
  [3, [
    'rgb.hsl', 'rgb.hsv', 'rgb.hwb', 'rgb.cmyk', 'rgb.xyz', 'rgb.lab', 'rgb.ansi16', 'rgb.ansi256', 'rgb.hcg', 'rgb.apple', 'rgb.gray', 'hsl.rgb', 'hsl.hsv', 'hsl.hcg',
    'hsv.rgb', 'hsv.hsl', 'hsv.ansi16', 'hsv.hcg', 'hwb.rgb', 'hwb.hcg', 'xyz.rgb', 'xyz.lab', 'lab.xyz', 'lab.lch', 'lch.lab', 'hcg.rgb', 'hcg.hsv', 'hcg.hsl', 'hcg.hwb', 'apple.rgb',
  ]],
  [4, ['cmyk.rgb']],
  [1, ['ansi16.rgb', 'ansi256.rgb', 'gray.rgb', 'gray.hsl', 'gray.hwb', 'gray.cmyk', 'gray.lab']],
];

/** What wraps a conversion, so that it takes an array or the channels one by one. @param {number} size @param {string} name @returns {Row[]} */
const wrappers = (size, name) => {
  const known = () => ({ fn: functionOf('color-convert/conversions.js', `convert.${name}`) });
  const file = 'color-convert/index.js';
  return [
    { file, name: `exports.${name}`, kinds: Array(size).fill(channel), known },
    ...(size > 1 ? [{ file, name: `exports.${name}.raw`, kinds: [channels(size)], known }] : []),
  ];
};

/** @type {Row[]} */
const rows = [
  ...from('mathjs/lib/cjs/plain/number/arithmetic.js', {
    absNumber: [real], cubeNumber: [real], cbrtNumber: [real], expm1Number: [real], expNumber: [real],
    log10Number: [real], log1pNumber: [real], log2Number: [real], logNumber: [real, real],
    gcdNumber: [small, small], lcmNumber: [small, small], modNumber: [real, real], xgcdNumber: [small, small],
    powNumber: [real, real], signNumber: [real], nthRootNumber: [real, whole(-3, 5)], normNumber: [real],
    unaryMinusNumber: [real], divideNumber: [real, real],
  }),
  ...from('mathjs/lib/cjs/plain/number/bitwise.js', {
    bitAndNumber: [bits, bits], bitNotNumber: [bits], bitOrNumber: [bits, bits], bitXorNumber: [bits, bits],
    leftShiftNumber: [bits, bits], rightArithShiftNumber: [bits, bits], rightLogShiftNumber: [bits, bits],
  }),
  ...from('mathjs/lib/cjs/plain/number/combinations.js', { combinationsNumber: [whole(-1, 60, [5, 20, 40]), whole(-1, 20, [2, 3])] }),
  ...from('mathjs/lib/cjs/plain/number/probability.js', { gammaNumber: [between(-30, 175, [NaN, 0, 5, 171, 172, 0.25, 100.5])], lgammaNumber: [modest] }),
  ...from('mathjs/lib/cjs/plain/number/trigonometry.js', {
    acoshNumber: [real], acothNumber: [real], acschNumber: [real], asechNumber: [real], asinhNumber: [real], atan2Number: [real, real],
    atanhNumber: [real], cosNumber: [real], coshNumber: [real], cothNumber: [real], cschNumber: [real], secNumber: [real],
    sinNumber: [real], sinhNumber: [real], tanNumber: [real], tanhNumber: [real], acosNumber: [unit], asinNumber: [unit],
  }),
  ...from('mathjs/lib/cjs/plain/number/logical.js', { xorNumber: [real, real], notNumber: [real] }),
  ...from('mathjs/lib/cjs/utils/number.js', { isInteger: [real], copysign: [real, real], nearlyEqual: [real, real] }),
  ...from('mathjs/lib/cjs/utils/product.js', { product: [whole(0, 5), whole(0, 30)] }),

  ...from('simple-statistics/dist/simple-statistics.mjs', {
    sum: [list], sumSimple: [list], mean: [list], meanSimple: [list], variance: [tame], standardDeviation: [tame],
    sampleVariance: [tame], sampleStandardDeviation: [tame], coefficientOfVariation: [tame], sumNthPowerDeviations: [tame, whole(1, 4)],
    combineMeans: [real, small, real, small], combineVariances: [real, real, small, real, small, small],
    addToMean: [real, small, real], subtractFromMean: [real, small, real], max: [list], min: [list], extent: [list],
    extentSorted: [sorted], maxSorted: [sorted], minSorted: [sorted], geometricMean: [positive], harmonicMean: [positive],
    logAverage: [positive], rootMeanSquare: [list], scaledRootMeanSquare: [list], product: [tame], quantileSorted: [sorted, probability],
    quantileRankSorted: [sorted, small], medianSorted: [sorted], modeSorted: [sorted], uniqueCountSorted: [sorted],
    quickselect: [tame, index, oneOf(0), oneOf(0)], lowerBound: [sorted, small], upperBound: [sorted, small],
    sampleCovariance: [nine, nine], sampleCorrelation: [nine, nine], sampleKurtosis: [long], sampleSkewness: [tame],
    weightedMean: [nine, weights], weightedVariance: [nine, weights], tTest: [tame, real], tTestTwoSample: [tame, tame, real],
    relativeError: [real, real], approxEqual: [real, real], gammaln: [modest], sign: [real],
    cumulativeStdLogisticProbability: [real], cumulativeStdNormalProbability: [modest], errorFunction: [real],
    inverseErrorFunction: [unit], factorial: [whole(-2, 180, [0, 1, 2, 5, 12, 20, 25, 100, 170, 171, 1.5, NaN])], gamma: [modest], logit: [probability], probit: [probability], zScore: [real, real, real],
    ssq: [index, index, long, long], swap: [tame, index, index], compare: [real, real],
  }),

  ...from('d3-ease/dist/d3-ease.mjs', {
    quadIn: [unit], quadOut: [unit], quadInOut: [unit], cubicIn: [unit], cubicOut: [unit], cubicInOut: [unit], sinIn: [unit],
    sinOut: [unit], sinInOut: [unit], expIn: [unit], expOut: [unit], expInOut: [unit], circleIn: [unit], circleOut: [unit],
    circleInOut: [unit], bounceIn: [unit], bounceOut: [unit], bounceInOut: [unit], tpmt: [real],
  }),
  ...['polyIn', 'polyOut', 'polyInOut'].map((name) => ({ file: 'd3-ease/dist/d3-ease.mjs', name, kinds: [unit], known: () => ({ e: 3 }) })),
  ...['backIn', 'backOut', 'backInOut'].map((name) => ({ file: 'd3-ease/dist/d3-ease.mjs', name, kinds: [unit], known: () => ({ s: 1.70158 }) })),
  ...['elasticIn', 'elasticOut', 'elasticInOut'].map((name) => ({
    file: 'd3-ease/dist/d3-ease.mjs', name, kinds: [unit],
    known: () => ({ a: 1, p: 0.3 / (2 * Math.PI), s: Math.asin(1 / 1) * (0.3 / (2 * Math.PI)) }),
  })),

  ...from('d3-array/dist/d3-array.mjs', {
    ascending: [real, real], descending: [real, real], tickSpec: [modest, modest, whole(1, 20)], tickIncrement: [modest, modest, whole(1, 20)],
    tickStep: [modest, modest, whole(1, 20)], swap: [list, index, index], ascendingDefined: [real, real], range: [between(-5, 5, [0]), between(-5, 20, [3]), oneOf(1, 0.5, 2)],
    ticks: [modest, modest, whole(1, 20)],
  }),
  ...from('d3-interpolate/dist/d3-interpolate.mjs', { basis: [unit, real, real, real, real], cosh: [real], sinh: [real], tanh: [real] }),

  ...from('three/src/math/MathUtils.js', {
    clamp: [real, real, real], euclideanModulo: [real, real], mapLinear: [real, real, real, real, real], inverseLerp: [real, real, real],
    lerp: [real, real, unit], damp: [real, real, unit, unit], pingpong: [real, real], smoothstep: [real, real, real],
    smootherstep: [real, real, real], degToRad: [real], radToDeg: [real], isPowerOfTwo: [real], ceilPowerOfTwo: [real], floorPowerOfTwo: [real],
  }),
  ...from('three/src/extras/core/Interpolations.js', {
    CatmullRom: [unit, real, real, real, real], QuadraticBezier: [unit, real, real, real], CubicBezier: [unit, real, real, real, real],
  }),
  ...from('three/src/math/Color.js', { hue2rgb: [unit, unit, real] }),
  ...from('three/src/math/ColorManagement.js', { SRGBToLinear: [unit], LinearToSRGB: [unit] }),
  ...from('three/src/extras/lib/earcut.js', {
    zOrder: [real, real, real, real, unit], pointInTriangle: [real, real, real, real, real, real, real, real],
    pointInTriangleExceptFirst: [real, real, real, real, real, real, real, real], sign: [real], signedArea: [tame, oneOf(0, 2), whole(0, 10), oneOf(2)],
  }),
  ...from('three/src/math/Quaternion.js', {
    'Quaternion.slerpFlat': [doubles, index, doubles, index, doubles, index, unit],
    'Quaternion.multiplyQuaternionsFlat': [doubles, index, doubles, index, doubles, index],
  }),
  ...from('three/src/extras/DataUtils.js', { fromHalfFloat: [whole(0, 65535, [1, 31744, 32768, 64512])] }),

  ...from('gl-matrix/cjs/common.js', { toRadian: [real], toDegree: [real], equals: [real, real], round: [real] }),
  ...from('gl-matrix/cjs/vec3.js', {
    length: [vec3], add: [vec3, vec3, vec3], scaleAndAdd: [vec3, vec3, vec3, real], distance: [vec3, vec3], squaredLength: [vec3],
    normalize: [vec3, vec3], dot: [vec3, vec3], cross: [vec3, vec3, vec3], lerp: [vec3, vec3, vec3, unit], slerp: [vec3, vec3, vec3, unit],
    hermite: [vec3, vec3, vec3, vec3, vec3, unit], bezier: [vec3, vec3, vec3, vec3, vec3, unit], transformMat4: [vec3, vec3, mat4],
    transformQuat: [vec3, vec3, vec4], rotateX: [vec3, vec3, vec3, real], angle: [vec3, vec3], exactEquals: [vec3, vec3], round: [vec3, vec3],
  }),
  ...from('gl-matrix/cjs/mat4.js', {
    multiply: [mat4, mat4, mat4], invert: [mat4, mat4], determinant: [mat4], transpose: [mat4, mat4], translate: [mat4, mat4, vec3],
    rotate: [mat4, mat4, real, vec3], perspectiveNO: [mat4, unit, unit, unit, oneOf(2, Infinity)], fromQuat: [mat4, vec4], frob: [mat4],
    adjoint: [mat4, mat4], getRotation: [vec4, mat4],
  }),
  ...from('gl-matrix/cjs/quat.js', { multiply: [vec4, vec4, vec4], slerp: [vec4, vec4, vec4, unit], fromEuler: [vec4, real, real, real], exp: [vec4, vec4] }),

  ...conversions.flatMap(([count, names]) => from('color-convert/conversions.js', Object.fromEntries(names.map((name) => [`convert.${name}`, [channels(count)]])))),
  ...['rgb.hsl', 'rgb.cmyk', 'rgb.lab', 'hsl.rgb', 'hsv.rgb', 'lch.lab', 'hcg.rgb', 'hwb.rgb'].flatMap((name) => wrappers(3, name)),
  ...wrappers(4, 'cmyk.rgb'), ...wrappers(1, 'gray.rgb'), ...wrappers(1, 'ansi256.rgb'),

  ...from('bezier-easing/src/index.js', { LinearEasing: [real], x2t: [unit, unit, unit, unit], Y: [unit, unit, unit, unit] }),

  ...from('@stdlib/math-base-special-erf/lib/main.js', { erf: [real] }),
  ...from('@stdlib/math-base-special-exp/lib/main.js', { exp: [between(-760, 720, [0, -0, 1, NaN, Infinity, -Infinity])] }),
  ...from('@stdlib/math-base-special-gammaln/lib/main.js', { gammaln: [real] }),
  ...from('@stdlib/math-base-special-besselj0/lib/main.js', { j0: [real] }),
  ...from('@stdlib/math-base-special-gcd/lib/main.js', { gcd: [whole(-(2 ** 40), 2 ** 40, [0, 1, 12, 18, 1.5, NaN]), whole(-1000, 1000, [0])] }),
  ...from('@stdlib/math-base-special-ln/lib/main.js', { ln: [real] }),
  ...from('@stdlib/math-base-special-sin/lib/main.js', { sin: [real] }),
  ...from('@stdlib/math-base-special-copysign/lib/main.js', { copysign: [real, real] }),
  ...from('@stdlib/math-base-special-fmod/lib/main.js', { fmod: [real, real] }),
  ...from('@stdlib/blas-base-ddot/lib/ndarray.js', { ddot: [index, long, oneOf(1, 2, -1), index, long, oneOf(1, 3), index] }),
  ...from('@stdlib/stats-base-dvariancewd/lib/ndarray.js', { dvariancewd: [index, oneOf(0, 1), tame, oneOf(1, 2, 0), index] }),
  ...from('@stdlib/strided-base-stride2offset/lib/main.js', { stride2offset: [small, small] }),
];

module.exports = rows;
