/**
 * Errors of compiled code: what `throw` in the source, or a failing run, is to the caller.
 *
 * Code returns a number. Numbers from 16 on are places in the source that throw; the values that their messages show
 * lie in the first slots. The error is made here, of the class that the source names, and its stack begins with the
 * place.
 */
'use strict';

const { GraphError, fail, hideLibraryFrames } = require('../../base/errors.js');
const { STATUS } = require('../emit/module.js');

/**
 * What a place of the source throws; all of it can be written to a file.
 *
 * @typedef {object} ThrowSite
 * @property {string} type name of a class, '' where a value is thrown as it is
 * @property {(string | null)[]} message
 * @property {string[]} values their dtypes
 * @property {string} name of the function that throws
 * @property {string} file
 * @property {number} line
 * @property {number} column
 */

/** @type {Record<string, new (message?: string) => Error>} */
const CLASSES = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

/** @type {(state: import('./results.js').State, dtype: string, slot: number) => number | bigint | boolean} */
function valueOf(state, dtype, slot) {
  if (dtype === 'i64') return state.i64[slot];
  if (dtype === 'u64') return state.u64[slot];
  return dtype === 'bool' ? state.f64[slot] !== 0 : state.f64[slot];
}

/** @type {(site: ThrowSite, state: import('./results.js').State) => unknown} what is thrown */
function thrownAt(site, state) {
  const values = site.values.map((dtype, slot) => valueOf(state, dtype, slot));
  if (site.type === '') return site.message[0] ?? values[0];
  let next = 0;
  const text = site.message.map((part) => part ?? String(values[next++])).join('');
  const error = new (CLASSES[site.type] ?? Error)(text);
  return placed(error, site);
}

/** Has the stack begin with the place in the source. @type {(error: Error, site: ThrowSite) => Error} */
function placed(error, { name, file, line, column }) {
  hideLibraryFrames(error);
  const { stack } = error;
  if (typeof stack !== 'string') return error;
  const end = stack.indexOf(error.message) + error.message.length;
  const frame = `\n    at ${name || '<anonymous>'} (${file}:${line}:${column})`;
  error.stack = stack.slice(0, end) + frame + stack.slice(end);
  return error;
}

/**
 * @param {number} status that code returned
 * @param {readonly ThrowSite[]} sites
 * @param {import('./results.js').State} state
 * @param {string} name of the function that was called
 * @returns {never}
 */
function throwStatus(status, sites, state, name) {
  if (status >= STATUS.threw && status - STATUS.threw < sites.length)
    throw thrownAt(sites[status - STATUS.threw], state);
  switch (status) {
    case STATUS.tooDeep:
      throw hideLibraryFrames(new RangeError('Maximum call stack size exceeded'));
    case STATUS.memory:
      throw hideLibraryFrames(new RangeError(`${name}: out of memory for an array`));
    case STATUS.cancelled:
      throw new GraphError(`${name}: cancelled`, { code: 'ERR_CANCELLED' });
    default:
      return fail('ERR_INTERNAL', `${name}: compiled code returned ${status}`);
  }
}

/**
 * The sites of a program with what their messages show.
 *
 * @param {import('../tir/index.js').Program} program
 * @param {(place: import('../hir/index.js').Place) => { name: string, file: string, line: number, column: number }} whereOf
 * @returns {ThrowSite[]}
 */
function sitesOf(program, whereOf) {
  /** @type {string[][]} */
  const values = program.sites.map(() => []);
  /** @type {(body: import('../tir/index.js').Statement[]) => void} */
  const visit = (body) => {
    for (const statement of body) {
      if (statement.kind === 'throw') values[statement.site] = statement.values.map(({ type }) => type);
      for (const inner of blocksOf(statement)) visit(inner);
    }
  };
  for (const { body } of program.funcs) visit(body);
  return program.sites.map(({ type, message, place }, i) => ({ type, message, values: values[i], ...whereOf(place) }));
}

/** @type {(statement: any) => import('../tir/index.js').Statement[][]} */
const blocksOf = ({ before, then, otherwise, body, update }) =>
  [before, then, otherwise, body, update].filter(Array.isArray);

module.exports = { sitesOf, throwStatus };
