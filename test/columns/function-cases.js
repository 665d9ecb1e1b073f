/**
 * Cases of functions (cases/index.js), run through compiled kernels: those of a name and types of arguments are the rows
 * of one table, so that a kernel is made for each signature and not for each case.
 */
'use strict';

const assert = require('node:assert/strict');
const { expr } = require('../../lib/columns/index.js');
const { agrees, errorOf, valueOf } = require('./cases/index.js');
const { arrowTable, valuesOf } = require('./tables.js');

/** @typedef {import('./cases/index.js').Case} Case */

/** The option that makes a kind of fault a null. @type {Record<string, string>} */
const OPTION = { divisionByZero: 'divisionByZero', overflow: 'overflow', cast: 'cast', value: 'cast' };

/** @type {(rows: readonly Case[]) => Map<string, Case[]>} */
function bySignature(rows) {
  /** @type {Map<string, Case[]>} */
  const groups = new Map();
  for (const row of rows) {
    const key = `${row[0]}(${row[1].map(([type]) => type).join(', ')}) → ${row[2]}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}

/** @type {(rows: readonly Case[], options?: any) => { type: string, values: any[] }} */
function computed(rows, options) {
  const [name, args, type] = rows[0];
  const schema = Object.fromEntries(args.map(([text], i) => [`a${i}`, text]));
  const columns = Object.fromEntries(
    args.map(([text], i) => [`a${i}`, rows.map(([, own]) => valueOf(text, own[i][1]))]),
  );
  // A function without arguments needs a table that has rows.
  const table = args.length > 0 ? arrowTable(schema, columns) : arrowTable({ none: 'int8' }, { none: rows.map(() => 0) });
  const vector = expr(`${name}(${Object.keys(schema).join(', ')})`, options).project(table);
  return { type: vector.type.toString(), values: valuesOf(vector, type) };
}

/** @type {(value: any) => string} */
const shown = (value) => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each));

/**
 * Checks every case; `isLeftOut` says which signatures are not.
 *
 * @type {(rows: readonly Case[], isLeftOut?: (signature: string) => boolean) => void}
 */
function checkCases(rows, isLeftOut = () => false) {
  for (const [signature, all] of bySignature(rows)) {
    if (isLeftOut(signature)) continue;
    const good = all.filter(([, , , result]) => errorOf(result) === undefined);
    const { values } = good.length > 0 ? computed(good) : { values: [] };
    good.forEach(([, args, type, result], i) => {
      assert.ok(agrees(type, values[i], result), `${signature} of ${shown(args)}: expected ${shown(result)}, got ${shown(values[i])}`);
    });
    for (const [, option] of Object.entries(OPTION)) {
      const bad = all.filter(([, , , result]) => OPTION[String(errorOf(result))] === option);
      if (bad.length === 0) continue;
      for (const row of bad) assert.throws(() => computed([row]), { code: 'ERR_CALL' }, `${signature} of ${shown(row[1])}`);
      const nulls = computed([...good, ...bad], { [option]: 'null' }).values.slice(good.length);
      assert.deepEqual(nulls, bad.map(() => null), `${signature} with ${option}: 'null'`);
    }
  }
}

module.exports = { checkCases };
