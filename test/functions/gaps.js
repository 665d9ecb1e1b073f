// Functions that are known to differ from V8 or to be refused, each with the reason. Each is to go.
'use strict';

/** @type {Record<string, string>} */
const npm = {
  'color-convert convert.ansi16.rgb': 'an array of one number is computed with, as the text of it',
  'color-convert convert.ansi256.rgb': 'an array of one number is computed with, as the text of it',
  'color-convert exports.ansi256.rgb': 'an array of one number is computed with, as the text of it',
};

/** @type {Record<string, string>} */
const programs = {};

module.exports = { npm, programs };
