/**
 * The one error class of graphjit, and the stack it shows.
 *
 * Every complaint about what a caller passed is a GraphError whose `code` is a row of
 * src/base/status.def, whether C or JavaScript noticed it, so that programs branch on the code and
 * people read the message. The stack starts at the caller's own line: the frames inside this folder
 * say nothing about the mistake, and a trace that opens with them sends readers to the wrong file.
 * Errors that users throw themselves (from callbacks, getters, abort reasons) pass through untouched.
 */
'use strict';

const path = require('node:path');

/** @typedef {import('../index.d.ts').ErrorCode} ErrorCode */

const LIBRARY = path.join(__dirname, '..') + path.sep;

/** Library frames are dropped afterwards, so take more than the user will see. */
const EXTRA_FRAMES = 20;

class GraphError extends Error {
  /**
   * @param {string} message one line, without a full stop
   * @param {{ code?: ErrorCode, cause?: unknown }} [options]
   */
  constructor(message, { code = 'ERR_ARGUMENT', cause } = {}) {
    const limit = Error.stackTraceLimit;
    const widened = typeof limit === 'number' && Reflect.set(Error, 'stackTraceLimit', limit + EXTRA_FRAMES);
    super(message, cause === undefined ? undefined : { cause });
    if (widened) Error.stackTraceLimit = limit;
    /** @type {ErrorCode} */
    this.code = code;
    hideLibraryFrames(this, limit);
  }
}
Object.defineProperty(GraphError.prototype, 'name', {
  value: 'GraphError',
  writable: true,
  configurable: true,
});

/**
 * Rewrites `error.stack` so that the first frame is the first one outside this library. Frames of the
 * engine between library frames (`Array.map (<anonymous>)`) go with them. A stack without a frame of
 * the user's, or one that `Error.prepareStackTrace` turned into something else, is left as it is.
 *
 * @param {Error} error
 * @param {number} [limit] how many frames to keep
 * @returns {Error} the same error
 */
function hideLibraryFrames(error, limit = Infinity) {
  const { stack } = error;
  if (typeof stack !== 'string') return error;
  // The message may itself hold lines that look like frames, so it is skipped by its text.
  const from = stack.indexOf(error.message) + error.message.length;
  const frames = stack.slice(from).split('\n').slice(1);
  const first = frames.findIndex(isUserFrame);
  if (first < 0) return error;
  const kept = frames.slice(first, first + limit);
  error.stack = [stack.slice(0, from), ...kept].join('\n');
  return error;
}

/** @type {(frame: string) => boolean} whether a line of a stack is neither the library's nor the engine's */
const isUserFrame = (frame) =>
  !frame.includes(LIBRARY) && !frame.endsWith('(<anonymous>)') && !frame.includes('(node:internal');

/**
 * Remembers where the library was called. This costs microseconds; finding the line in it costs more and is left to
 * {@link userLine}.
 *
 * @returns {{ stack?: unknown }}
 */
function here() {
  const limit = Error.stackTraceLimit;
  const widened = typeof limit === 'number' && Reflect.set(Error, 'stackTraceLimit', EXTRA_FRAMES);
  const place = {};
  Error.captureStackTrace(place, here);
  if (widened) Error.stackTraceLimit = limit;
  return place;
}

/**
 * @param {{ stack?: unknown }} place from {@link here}
 * @returns {string | undefined} such as '/app/model.js:12:15'
 */
function userLine({ stack }) {
  if (typeof stack !== 'string') return undefined;
  const frame = stack.split('\n').slice(1).find(isUserFrame);
  return frame && /\(?([^()\s]+:\d+:\d+)\)?$/.exec(frame)?.[1].replace('file://', '');
}

/**
 * Builds the error for a status that C reported; the addon calls this and throws the result.
 *
 * @param {ErrorCode} code
 * @param {string} message
 * @returns {GraphError}
 */
function createError(code, message) {
  return new GraphError(message, { code });
}

/**
 * @param {ErrorCode} code
 * @param {string} message one line, without a full stop
 * @returns {never}
 */
function fail(code, message) {
  throw new GraphError(message, { code });
}

module.exports = { GraphError, createError, fail, here, hideLibraryFrames, userLine };
