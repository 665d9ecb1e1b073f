/**
 * lib/base/errors.js for pages, where there are no frames of this library to hide.
 */
'use strict';

/** @typedef {import('../../index.d.ts').ErrorCode} ErrorCode */

class GraphError extends Error {
  /**
   * @param {string} message one line, without a full stop
   * @param {{ code?: ErrorCode, cause?: unknown }} [options]
   */
  constructor(message, { code = 'ERR_ARGUMENT', cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'GraphError';
    this.code = code;
  }
}

/** @type {(code: ErrorCode, message: string) => never} */
function fail(code, message) {
  throw new GraphError(message, { code });
}

module.exports = { GraphError, fail };
