// What every error of the library must look like, asked for in one place.
'use strict';

const assert = require('node:assert/strict');
const { GraphError } = require('graphjit');

/**
 * Asserts that `action` throws a GraphError with this code whose message matches, in the house style: one
 * line, no full stop, and a stack that begins outside the library.
 *
 * @param {() => unknown} action
 * @param {string} code
 * @param {RegExp} message
 */
function throwsGraphError(action, code, message) {
  assert.throws(action, (error) => isGraphError(error, code, message));
}

/** @param {unknown} error @param {string} code @param {RegExp} message */
function isGraphError(error, code, message) {
  assert.ok(error instanceof GraphError, `expected a GraphError, got ${error}`);
  assert.match(error.message, message);
  assert.equal(error.code, code);
  assert.doesNotMatch(error.message, /\n|\.$|failed to/);
  const [frame = ''] = (error.stack ?? '').split('\n').slice(1);
  assert.doesNotMatch(frame, /[\\/]lib[\\/]\w+\.js/);
  return true;
}

module.exports = { isGraphError, throwsGraphError };
