/**
 * The code that looks up one key, as JavaScript: a call into an addon takes longer than a lookup, and the engine
 * inlines what is written in its own language. Each map has functions of its own, in which what is known is constant.
 *
 *   get(k)     its value, or undefined
 *   has(k)     whether it is there
 *   index(k)   its index among the entries, or -1
 */
'use strict';

const vm = require('node:vm');
const { hashText } = require('./texts.js');

/** @typedef {import('./words.js').Kind} Kind */
/** @typedef {import('./table.js').Table} Table */
/** @typedef {'comparisons' | 'direct' | 'hash'} Layout */
/** @typedef {{ get: (key: any) => any, has: (key: any) => boolean, index: (key: any) => number }} Lookups */

/**
 * What there is to know of a map.
 *
 * @typedef {object} Parts
 * @property {Kind} kind
 * @property {Layout} layout
 * @property {any} keys by index
 * @property {any} values by slot; null in sets
 * @property {Table} [table] unless direct or empty
 * @property {import('./texts.js').TextHash} [textHash]
 * @property {{ least: number, indices: Int32Array }} [direct]
 * @property {import('./choice.js').Choice} [choice] why it is that layout
 */

const TYPES = { number: 'number', integer: 'number', signed: 'bigint', unsigned: 'bigint', string: 'string' };

/** The slot as an expression of `lo` and `hi`, behind statements. @type {(table: Table, flat: boolean) => { before: string, slot: string }} */
function slotText({ factors: [m1, m2, m3], slotBits, bucketBits }, flat) {
  const shift = 32 - slotBits;
  const sum = flat ? `Math.imul(lo, ${m1})` : `Math.imul(lo, ${m1}) + Math.imul(hi, ${m2})`;
  if (bucketBits === 0) return { before: '', slot: `(${sum}) >>> ${shift}` };
  const before = `let a = ${sum} | 0, b = ${flat ? 'lo' : `lo + Math.imul(hi, ${m3}) | 0`};
  a = Math.imul(a ^ a >>> 15, 0xC2B2AE35);
  b = Math.imul(b ^ b >>> 16, 0x9E3779B1);`;
  return { before, slot: `b + Math.imul(P[a >>> ${32 - bucketBits}], a | 1) >>> ${shift}` };
}

/**
 * Statements up to whether slot `s` is that of the key, the condition itself, and what else finds another slot.
 *
 * @typedef {{ before: string, found: string, last?: string }} Search
 */

/** @type {(parts: Parts) => Search} */
function numberSearch({ keys, table }) {
  const { before, slot } = slotText(/** @type {Table} */ (table), false);
  const nan = keys.findIndex(Number.isNaN);
  // NaN is not equal to itself, and -0 has other bits than 0.
  return {
    before: `F[0] = k + 0;\n  const lo = W[0], hi = W[1];\n  ${before}\n  let s = ${slot};`,
    found: 'D[2 * s] === k',
    ...(nan >= 0 && { last: `if (k !== k && (s = ${slotsByIndex(/** @type {Table} */ (table))[nan]}, true))` }),
  };
}

/** @type {(parts: Parts) => Search} */
function integerSearch({ table }) {
  const { before, slot } = slotText(/** @type {Table} */ (table), true);
  return { before: `const lo = k | 0;\n  if (lo !== k) return MISS;\n  ${before}\n  const s = ${slot};`, found: 'I[4 * s] === lo' };
}

/** @type {(parts: Parts) => Search} */
function bigintSearch({ kind, table }) {
  const { before, slot } = slotText(/** @type {Table} */ (table), false);
  const fit = kind === 'signed' ? 'BigInt.asIntN' : 'BigInt.asUintN';
  return {
    before: `B[0] = k;\n  const lo = W[0], hi = W[1];\n  ${before}\n  const s = ${slot};`,
    found: `I[4 * s] === lo && I[4 * s + 1] === hi && ${fit}(64, k) === k`,
  };
}

/** @type {(parts: Parts) => Search} */
function stringSearch({ table, textHash }) {
  const hash = /** @type {import('./texts.js').TextHash} */ (textHash);
  const { before, slot } = slotText(/** @type {Table} */ (table), false);
  const lengths = hash.least === hash.most ? `n !== ${hash.least}` : `n < ${hash.least} || n > ${hash.most}`;
  return {
    before: `const n = k.length;
  if (${lengths}) return MISS;
  ${hashText(hash)}
  ${before}
  let s = ${slot};
  if (I[4 * s] !== lo || I[4 * s + 1] !== hi) return MISS;`,
    found: 'K[s] === k',
    ...(table?.hasChains && { last: 'while ((s = I[4 * s + 3]) !== 0) if (K[s] === k)' }),
  };
}

/** @type {(parts: Parts) => Search} */
function directSearch({ direct }) {
  const { least, indices } = /** @type {{ least: number, indices: Int32Array }} */ (direct);
  // A difference may be rounded to an integer, the sum of integers is not.
  const found = `s < ${indices.length} && s + ${least} === k && N[s] >= 0`;
  return { before: `const s = k - ${literal(least)} >>> 0;`, found };
}

/** @type {(parts: Parts) => Search} */
function searchOf(parts) {
  if (parts.layout === 'direct') return directSearch(parts);
  if (parts.kind === 'string') return stringSearch(parts);
  if (parts.kind === 'integer') return integerSearch(parts);
  return parts.kind === 'number' ? numberSearch(parts) : bigintSearch(parts);
}

/** @type {(key: any) => string} as source text */
function literal(key) {
  if (typeof key === 'string') return JSON.stringify(key);
  return typeof key === 'bigint' ? `${key}n` : `(${key})`;
}

/** @type {(parts: Parts, miss: string, hit: (slot: string, index: string) => string) => string} */
function comparisons({ keys, table }, miss, hit) {
  const slots = table ? slotsByIndex(table) : [];
  const lines = Array.from(keys, (key, i) =>
    `  if (${Number.isNaN(key) ? 'k !== k' : `k === ${literal(key)}`}) return ${hit(String(slots[i]), String(i))};\n`);
  return `${lines.join('')}  return ${miss};`;
}

/** @type {(parts: Parts, miss: string, hit: (slot: string, index: string) => string) => string} the body of a function */
function bodyOf(parts, miss, hit) {
  const type = `if (typeof k !== '${TYPES[parts.kind]}') return ${miss};\n`;
  if (parts.layout === 'comparisons') return type + comparisons(parts, miss, hit);
  const { before, found, last } = searchOf(parts);
  const given = hit('s', parts.layout === 'direct' ? 'N[s]' : 'I[4 * s + 2]');
  const behind = last === undefined ? '' : `${last} return ${given};\n  `;
  return `${type}  ${before.replaceAll('MISS', miss)}\n  if (${found}) return ${given};\n  ${behind}return ${miss};`;
}

/** Where each entry is. @type {(table: Table) => Int32Array} */
function slotsByIndex({ slots }) {
  const found = new Int32Array(slots.length >> 2);
  for (let s = 0; s < found.length; s++) if (slots[4 * s + 2] >= 0) found[slots[4 * s + 2]] = s;
  return found;
}

/** Strings by slot. @type {(keys: readonly string[], table: Table) => (string | undefined)[]} */
function keysBySlot(keys, { slots }) {
  return Array.from({ length: slots.length >> 2 }, (_, s) => keys[slots[4 * s + 2]]);
}

/**
 * @param {Parts} parts
 * @returns {Lookups}
 */
function generate(parts) {
  const { kind, table, values, direct, keys } = parts;
  const value = values === null ? () => 'true' : (/** @type {string} */ slot) => `V[${slot}]`;
  const bodies = [
    ['get', bodyOf(parts, 'undefined', value)],
    ['has', bodyOf(parts, 'false', () => 'true')],
    ['index', bodyOf(parts, '-1', (_, index) => index)],
  ];
  const functions = bodies.map(([name, body]) => `${name}: function ${name}(k) {\n  ${body}\n}`);
  const text = `return {\n${functions.join(',\n')}\n};`;
  const names = ['V', 'I', 'D', 'P', 'N', 'K', 'F', 'W', 'B'];
  const make = /** @type {any} */ (vm.compileFunction(text, names));
  const scratch = new ArrayBuffer(8);
  const views = [new Float64Array(scratch), new Int32Array(scratch), new BigInt64Array(scratch)];
  const slots = table?.slots ?? null;
  const own = kind === 'string' && table ? keysBySlot(keys, table) : null;
  const doubles = slots && new Float64Array(slots.buffer);
  return make(values, slots, doubles, table?.pilots ?? null, direct?.indices ?? null, own, ...views);
}

module.exports = { generate, slotsByIndex };
