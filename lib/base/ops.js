/**
 * The table of ops, as src/ops/ops.def has it: what kind each op is, what it takes, what it costs.
 *
 * Whoever wants to know something of ops asks here, and keeps no list of their names: so a row in ops.def is enough to
 * add one.
 */
'use strict';

const { native } = require('./binding.js');

/** @typedef {import('./binding.js').OpRow} OpRow */

/** By name. @type {ReadonlyMap<string, OpRow>} */
const opRows = new Map(native.ops().map((row) => [row.name, row]));

module.exports = { opRows };
