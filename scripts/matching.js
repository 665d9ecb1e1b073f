// What `npm test -- PATTERN` runs: the files of tests whose path matches, whatever runs them.
//
// A pattern is a regular expression, whatever the case, over paths from the root: `loops` takes the test files,
// C tests and golden files with that word in their path, `golden/loops` the golden files of one stage, and
// `test/eager.test.js` one file. Golden files are read by test files (golden*.test.js), which run with the rest left
// out unless they match themselves. What judges sources (types, lint, format), sanitizers and valgrind belong to the
// whole `npm test`.
'use strict';

const path = require('node:path');
const { findFiles } = require('./check.js');

const goldenTests = /golden[^/]*\.test\.js$/;

/**
 * @typedef {object} Matching
 * @property {string[]} node             files for node:test
 * @property {string[]} c                names of C tests
 * @property {string | undefined} golden what golden files are picked by, where not all are read
 */

/** @param {string} pattern @returns {(file: string) => boolean} */
function matcher(pattern) {
  try {
    const expression = new RegExp(pattern, 'i');
    return (file) => expression.test(file);
  } catch {
    // Such as a name with a bracket.
    return (file) => file.includes(pattern);
  }
}

/** @param {string} pattern @returns {Matching} */
function findMatching(pattern) {
  const matches = matcher(pattern);
  const node = findFiles(['test'], /\.test\.js$/).filter(matches);
  const c = findFiles(['test/c'], /\.c$/).filter(matches).map((file) => path.basename(file, '.c'));
  const golden = findFiles(['test/golden'], /\.\w+$/).some(matches) && !node.some((file) => goldenTests.test(file));
  return {
    node: golden ? [...node, ...findFiles(['test'], goldenTests)] : node,
    c,
    golden: golden ? pattern : undefined,
  };
}

module.exports = { findMatching, goldenTests, matcher };
