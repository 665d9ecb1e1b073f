/**
 * Values by index, for those who have no slot: made when they are first asked for, and kept as long as the map.
 */
'use strict';

const { slotsByIndex } = require('./generate.js');

/** @typedef {import('./generate.js').Parts} Parts */

/** @type {WeakMap<Parts, any>} */
const known = new WeakMap();

/** @type {(parts: Parts) => any} */
function ordered({ keys, values, direct, table }) {
  const count = keys.length;
  if (values === null) return new Array(count).fill(true);
  const found = ArrayBuffer.isView(values) ? new /** @type {any} */ (values).constructor(count) : new Array(count);
  const slots = direct === undefined && table !== undefined ? slotsByIndex(table) : null;
  for (let i = 0; i < count; i++) found[i] = values[slots === null ? keys[i] - Number(direct?.least) : slots[i]];
  return found;
}

/**
 * @param {Parts} parts
 * @returns {any} an array of the class of the values; of a set true for each key
 */
function valuesByIndex(parts) {
  const found = known.get(parts) ?? ordered(parts);
  known.set(parts, found);
  return found;
}

module.exports = { valuesByIndex };
