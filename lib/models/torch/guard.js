/**
 * Errors of files that are not as PyTorch writes them.
 */
'use strict';

const { GraphError, fail } = require('../../base/errors.js');

/** Lists and dictionaries have no more elements, all of those in each other counted. */
const MAX_NESTED = 2 ** 20;

/**
 * Runs what reads a file or a script. Where something is of another kind than all files have, it stumbles, which is an
 * error of the file; so is running out of stack.
 *
 * @template T
 * @param {string} what
 * @param {() => T} run
 * @returns {T}
 */
function guarded(what, run) {
  try {
    return run();
  } catch (error) {
    const isStumble = error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
    if (!isStumble) throw error;
    throw new GraphError(`${what}: it is not as PyTorch writes it: ${error.message}`, { code: 'ERR_PARSE', cause: error });
  }
}

/** Refuses lists that lie in each other so often that going through them has no end. @type {(value: any) => void} */
function checkNested(value) {
  const open = [value];
  let count = 0;
  while (open.length > 0) {
    const each = open.pop();
    if (!Array.isArray(each) && !(each instanceof Map)) continue;
    count += Array.isArray(each) ? each.length : each.size;
    if (count > MAX_NESTED) fail('ERR_OVERFLOW', `lists of a script have more than ${MAX_NESTED} elements`);
    for (const item of each.values()) if (typeof item === 'object') open.push(item);
  }
}

/** @type {(count: number, what: string) => number} a number of parts or elements that JavaScript makes one by one */
const bounded = (count, what) => (count <= MAX_NESTED ? count : fail('ERR_OVERFLOW', `${what}: ${count} are too many`));

module.exports = { bounded, checkNested, guarded };
