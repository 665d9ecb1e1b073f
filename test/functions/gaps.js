// Functions that are known to differ from V8 or to be refused, each with the reason. Each is to go.
'use strict';

/** @type {Record<string, string>} */
const npm = {};

/** @type {Record<string, string>} */
const programs = {};

module.exports = { npm, programs };
