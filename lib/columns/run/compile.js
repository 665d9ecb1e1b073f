/**
 * Kernels as code, and their runs.
 *
 * Equal texts are one piece of code in this process; across processes the addon's disk cache finds it. A kernel starts
 * with code that is made quickly, while the better code is made beside it.
 */
'use strict';

const { native } = require('../../base/binding.js');
const { fail } = require('../../base/errors.js');
const { NUMERICS } = require('../../base/numerics.js');

/** @typedef {import('../../base/binding.js').Handle} Handle */

/** Most texts whose kernels are kept. */
const MOST = 512;
/** By text, the one used last behind, and by how it was compiled. @type {Map<string, Map<string, Handle>>} */
const kernels = new Map();

/** The kernels of a text, which is used last now. @type {(text: string) => Map<string, Handle>} */
function kernelsOf(text) {
  const own = kernels.get(text) ?? new Map();
  kernels.delete(text);
  kernels.set(text, own);
  if (kernels.size > MOST) kernels.delete(/** @type {string} */ (kernels.keys().next().value));
  return own;
}

/** Whether somebody has asked for this kernel before; from now on somebody has. @type {(text: string) => boolean} */
function askedBefore(text) {
  if (kernels.has(text)) return true;
  kernelsOf(text);
  return false;
}

/**
 * @param {string} text Loop IR
 * @param {{ numerics?: keyof typeof NUMERICS, optLevel?: number, cache?: boolean, tier?: 'auto' | 'full' }} [options]
 * @returns {Handle}
 */
function compileKernel(text, { numerics = 'default', optLevel = 3, cache = true, tier = 'auto' } = {}) {
  const own = kernelsOf(text);
  const key = `${numerics} ${optLevel} ${tier}`;
  const kernel = own.get(key) ?? native.functionCompile(text, NUMERICS[numerics], optLevel, cache, tier === 'auto' ? 1 : 0);
  own.set(key, kernel);
  return kernel;
}

/** What runs of kernels return, besides what kernels say themselves; src/base/exec.h. @type {Record<number, string>} */
const REASONS = { 1: 'cancelled', 2: 'out of memory' };

/** @type {(status: number) => number} the status, if it is 0 or a kernel's own */
function checkStatus(status) {
  if (status === 0 || status >= 16) return status;
  return fail(status === 2 ? 'ERR_MEMORY' : 'ERR_INTERNAL', `a kernel over columns ended: ${REASONS[status] ?? `status ${status}`}`);
}

/**
 * Runs a kernel now. Returns its status.
 *
 * @type {(kernel: Handle, threads: number, slots: BigInt64Array, arrays: readonly ArrayBufferView[]) => number}
 */
const runArrays = (kernel, threads, slots, arrays) => checkStatus(native.tableRun(kernel, threads, slots, arrays));

module.exports = { askedBefore, checkStatus, compileKernel, runArrays };
