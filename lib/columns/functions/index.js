/**
 * The table of functions, by category in files; docs/columns.md lists it.
 *
 * `functions` finds a row by its name or an alias, whatever the case of its letters.
 */
'use strict';

/** @typedef {import('./signature.js').FunctionRow} FunctionRow */

/** @type {readonly FunctionRow[]} */
const rows = [
  require('./arithmetic.js'), require('./math.js'), require('./random.js'), require('./bits.js'), require('./logic.js'),
  require('./conversions.js'), require('./strings.js'), require('./hash.js'), require('./dates.js'),
  require('./dates-arithmetic.js'), require('./dates-cast.js'), require('./dates-strftime.js'),
  require('./regexp/index.js'),
].flatMap((file) => file.rows);

/** By lower-case name. @type {ReadonlyMap<string, FunctionRow>} */
const functions = new Map(
  rows.flatMap((row) => [row.name, ...row.aliases].map((name) => [name.toLowerCase(), row])),
);

module.exports = { functions, rows };
