// Functions that are known to differ from V8 or to be refused, each with the reason. Each is to go.
'use strict';

/** @type {Record<string, string>} */
const npm = {
  'd3-array tickSpec': 'a function that calls itself returns an Array',
  'd3-array tickIncrement': 'a function that calls itself returns an Array',
  'd3-array tickStep': 'a function that calls itself returns an Array',
  'd3-array ticks': 'a function that calls itself returns an Array',
  'gl-matrix invert': 'an array or null is returned',
  'gl-matrix rotate': 'an array or null is returned',
  '@stdlib/math-base-special-erf erf': 'captured arrays that share a buffer',
  '@stdlib/math-base-special-exp exp': 'captured arrays that share a buffer',
  '@stdlib/math-base-special-gammaln gammaln': 'captured arrays that share a buffer',
  '@stdlib/math-base-special-besselj0 j0': 'captured arrays that share a buffer',
  '@stdlib/math-base-special-sin sin': 'captured arrays that share a buffer',
  '@stdlib/math-base-special-copysign copysign': 'captured arrays that share a buffer',
};

/** @type {Record<string, string>} */
const programs = {
};

module.exports = { npm, programs };
