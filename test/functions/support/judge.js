// Makes functions native and compares them with V8 as a test does.
//
// A gap is a function that is known not to be the same yet, with the reason. Its test fails once it is, so that the list
// of gaps never holds more than there are.
'use strict';

const assert = require('node:assert/strict');
const { native } = require('../../../lib/index.js');
const { captureOf } = require('./modules.js');
const { firstDifference } = require('./same.js');

/** A helper of another module, native in its own right, with the names of that module. @param {Function} fn @param {Record<string, any>} capture */
const wrap = (fn, capture) => native(fn, { capture });

/**
 * Where native code differs from V8, or why there is none; null where it is the same.
 *
 * @param {Function} fn
 * @param {any[][]} sets
 * @param {object} [options]
 */
function verdict(fn, sets, options = {}) {
  try {
    return firstDifference(native(fn, options), fn, sets);
  } catch (error) {
    return String(error.message);
  }
}

/**
 * @param {string | null} found
 * @param {string | undefined} gap why it is known to differ
 * @param {string} name
 */
function judge(found, gap, name) {
  if (gap !== undefined) assert.ok(found, `${name} is the same by now: take it out of the gaps ("${gap}")`);
  else assert.equal(found, null);
}

module.exports = { captureOf, judge, verdict, wrap };
