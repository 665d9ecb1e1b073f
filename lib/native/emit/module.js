/**
 * What a module of Loop IR is to those who call it: its text, and all that they would have to look for in the text.
 *
 * Whoever writes a statement notes in its function's Writer what the statement does (writer.js); of the function that
 * is called and those that it reaches, `moduleOf` joins the notes. So nobody reads Loop IR but the compiler in C. A
 * module is plain data that can be kept as JSON, and `isModule` verifies one that was kept. What stands in the text of
 * functions that nothing calls does not count.
 */
'use strict';

/** What compiled code returns (src/base/exec.h): 0, or why it ended. From `threw` on they are sites of a program. */
const STATUS = Object.freeze({ done: 0, cancelled: 1, memory: 2, tooDeep: 5, threw: 16 });

/** @typedef {'cancelled' | 'memory' | 'tooDeep' | 'threw'} Reason */

/**
 * A parameter of an exported function. An `array` is a pointer to its elements, a `result` one to where the function
 * writes a value.
 *
 * @typedef {object} Param
 * @property {'scalar' | 'array' | 'length' | 'result'} role
 * @property {string} name in the text
 * @property {string} dtype of what is passed, or of what it points to
 * @property {number} index of the program's port; of the result
 * @property {boolean} isWritten the function writes to where it points
 */

/** The only result, or a status. @typedef {{ is: 'value' | 'status', dtype: string }} Returned */

/** What a status other than 0 means. `site`: which of the program threw. @typedef {{ status: number, reason: Reason, site: number | null }} Failure */

/**
 * What code takes besides what it is passed: memory of the run's heap, the run's threads, whether the run is cancelled,
 * how far the stack goes, arrays in frames of functions, constant data.
 *
 * @typedef {Record<'heap' | 'threads' | 'cancel' | 'stack' | 'frame' | 'data', boolean>} Needs
 */

/**
 * @typedef {object} LoopModule
 * @property {string} text
 * @property {string} name of the function that is called
 * @property {Param[]} params none for an entry, whose signature is that of all compiled code
 * @property {Returned | null} returns
 * @property {Failure[]} failures in the order of their statuses
 * @property {Needs} needs
 */

/** @returns {Needs} */
const noNeeds = () => ({ heap: false, threads: false, cancel: false, stack: false, frame: false, data: false });

/** Whether the exported function takes the run (gj_exec) as its last parameter. @type {(module: LoopModule) => boolean} */
const takesRun = ({ needs }) => needs.heap || needs.threads || needs.cancel || needs.stack;

/** @type {Record<number, Reason>} */
const REASONS = { [STATUS.cancelled]: 'cancelled', [STATUS.memory]: 'memory', [STATUS.tooDeep]: 'tooDeep' };

/** @type {(status: number) => Failure} */
const failureOf = (status) =>
  status >= STATUS.threw
    ? { status, reason: 'threw', site: status - STATUS.threw }
    : { status, reason: REASONS[status], site: null };

/**
 * The module whose `called` function calls those of `writers`, functions of the program.
 *
 * @param {{ text: string, name: string, params: Param[], returns: Returned | null }} own
 * @param {import('./writer.js').Writer} called
 * @param {ReadonlyMap<import('../tir/index.js').Func, import('./writer.js').Writer>} writers
 * @returns {LoopModule}
 */
function moduleOf(own, called, writers) {
  /** @type {Set<number>} */
  const statuses = new Set();
  const needs = noNeeds();
  const reached = new Set([called]);
  for (const writer of reached) {
    for (const status of writer.statuses) statuses.add(status);
    for (const key of /** @type {(keyof Needs)[]} */ (Object.keys(needs))) needs[key] ||= writer.needs[key];
    for (const callee of writer.callees)
      reached.add(/** @type {import('./writer.js').Writer} */ (writers.get(callee)));
  }
  return { ...own, failures: [...statuses].sort((a, b) => a - b).map(failureOf), needs };
}

// --- verifying ---

/** @type {(value: any) => boolean} */
const isText = (value) => typeof value === 'string';

const ROLES = ['scalar', 'array', 'length', 'result'];

/** @type {(param: any) => boolean} */
const isParam = ({ role, name, dtype, index, isWritten }) =>
  ROLES.includes(role) && [name, dtype].every(isText) && Number.isInteger(index) && typeof isWritten === 'boolean';

/** @type {(failure: any, sites: number) => boolean} */
function isFailure(failure, sites) {
  const { status, reason, site } = failure;
  const own = Number.isInteger(status) && status > 0 ? failureOf(status) : null;
  return own !== null && isText(reason) && own.reason === reason && own.site === site && (own.site ?? -1) < sites;
}

/**
 * Whether something is a module, of a program with so many sites.
 *
 * @type {(value: any, sites: number) => value is LoopModule}
 */
function isModule(value, sites) {
  if (typeof value !== 'object' || value === null) return false;
  const { text, name, params, returns, failures, needs } = value;
  return (
    [text, name].every(isText) &&
    Array.isArray(params) &&
    params.every(isParam) &&
    (returns === null || (['value', 'status'].includes(returns?.is) && isText(returns.dtype))) &&
    Array.isArray(failures) &&
    failures.every((each) => isFailure(each, sites)) &&
    Object.keys(noNeeds()).every((key) => typeof needs?.[key] === 'boolean')
  );
}

module.exports = { STATUS, isModule, moduleOf, noNeeds, takesRun };
