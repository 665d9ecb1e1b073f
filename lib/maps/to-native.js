/**
 * Maps as native functions: of a key its value, as a number, which other native functions call, and which become
 * WebAssembly and C as these do, with the tables inside.
 *
 * The functions are JavaScript. Of few keys they are a tree of comparisons, which captures nothing, so that expressions
 * and graphs take them too. Else they capture tables: integers and bigints are hashed as in generate.js; doubles are
 * searched by halves in sorted keys, since native functions cannot look at the bits of a number.
 */
'use strict';

const { expected } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { valuesByIndex } = require('./values.js');
const { classOf, isBigArray } = require('./words.js');

/** @typedef {import('./generate.js').Parts} Parts */
/** @typedef {{ text: string, capture: Record<string, any>, type: 'f64' | 'i64' | 'u64' }} Source */

/** Places of a key: an expression `s`, behind statements, and whether it is there. @typedef {{ before: string, found: string, slot: string, capture: Record<string, any> }} Search */

/** Most keys or intervals that become a tree of comparisons. */
const MOST_IN_TREE = 64;

/** @type {(table: import('./table.js').Table, hi: string) => string} */
function slotText({ factors: [m1, m2, m3], slotBits, bucketBits }, hi) {
  const sum = `(Math.imul(lo, ${m1}) + Math.imul(${hi}, ${m2}) | 0)`;
  if (bucketBits === 0) return `const s = ${sum} >>> ${32 - slotBits};`;
  return `let a = ${sum}, b = lo + Math.imul(${hi}, ${m3}) | 0;
  a = Math.imul(a ^ a >>> 15, ${0xc2b2ae35 | 0});
  b = Math.imul(b ^ b >>> 16, ${0x9e3779b1 | 0});
  const s = (b + Math.imul(P[a >>> ${32 - bucketBits}], a | 1) | 0) >>> ${32 - slotBits};`;
}

/** @type {(parts: Parts) => Search} */
function hashSearch({ kind, table }) {
  const { slots, pilots } = /** @type {import('./table.js').Table} */ (table);
  const capture = { I: slots, ...(pilots && { P: pilots }) };
  const own = slotText(/** @type {import('./table.js').Table} */ (table), kind === 'integer' ? '0' : 'hi');
  if (kind === 'integer') {
    return { before: `const lo = k | 0;\n  ${own}`, found: 'lo === k && I[4 * s] === lo', slot: 's', capture };
  }
  const high = kind === 'signed' ? 'Number(BigInt.asIntN(32, k >> 32n)) | 0' : 'Number(BigInt.asIntN(32, BigInt.asIntN(64, k) >> 32n)) | 0';
  const before = `const lo = Number(BigInt.asIntN(32, k)) | 0, hi = ${high};\n  ${own}`;
  return { before, found: 'I[4 * s] === lo && I[4 * s + 1] === hi', slot: 's', capture };
}

/** The number of sorted keys at most `k`, as `i`. @type {(count: number) => string} */
const halves = (count) => `let i = 0, j = ${count};
  while (i < j) {
    const m = i + j >>> 1;
    if (L[m] <= k) i = m + 1;
    else j = m;
  }`;

/** @type {(parts: Parts, order: { keys: any, indices: Int32Array }) => Search} */
function sortedSearch({ keys }, { keys: sorted, indices }) {
  const nan = keys.length > sorted.length ? keys.findIndex(Number.isNaN) : -1;
  // What is behind all sorted keys is NaN, and stands at the end.
  const all = Int32Array.from([...indices, Math.max(0, nan)]);
  return {
    before: `${halves(sorted.length)}\n  if (k !== k) i = ${sorted.length + 1};`,
    found: nan < 0 ? 'i > 0 && i <= L.length && L[i - 1] === k' : `i > ${sorted.length} || (i > 0 && L[i - 1] === k)`,
    slot: 'O[i - 1]',
    capture: { L: sorted, O: all },
  };
}

/** @type {(parts: Parts) => Search} */
function directSearch({ direct }) {
  const { least, indices } = /** @type {{ least: number, indices: Int32Array }} */ (direct);
  const found = `d >= 0 && d < ${indices.length} && s + (${least}) === k && N[s] >= 0`;
  const before = `const d = k - (${least});\n  const s = d >= 0 && d < ${indices.length} ? d >>> 0 : 0;`;
  return { before, found, slot: 's', capture: { N: indices } };
}

/** @type {(values: any) => any} a typed array of numbers */
function numbersOf(values) {
  if (classOf(values) !== undefined && !isBigArray(values)) return values;
  const other = Array.prototype.findIndex.call(values, (value) => value !== undefined && typeof value !== 'number');
  if (other >= 0 || isBigArray(values)) {
    return fail('ERR_UNSUPPORTED', 'toNative: values that are not numbers are not in native functions; their indices are, by { of: \'index\' }');
  }
  return Float64Array.from(values, Number);
}

/** @type {(search: Search, value: string, missing: string, type: Source['type'], capture: Record<string, any>) => Source} */
const sourceOf = ({ before, found, capture }, value, missing, type, more) => ({
  text: `(k) => {\n  ${before}\n  return ${found} ? ${value} : ${missing};\n}`,
  capture: { ...capture, ...more },
  type,
});

/** @type {(number: unknown) => string} as source text */
const literal = (number) => (typeof number === 'number' ? `(${number})` : expected('toNative', 'a number', "option 'missing'", number));

/**
 * @param {Parts} parts
 * @param {() => { keys: any, indices: Int32Array }} order
 * @param {{ of: 'value' | 'index', missing: unknown }} options
 * @returns {Source}
 */
function mapSource(parts, order, { of, missing }) {
  const { kind, layout, values, keys } = parts;
  if (kind === 'string') return fail('ERR_UNSUPPORTED', 'toNative: native functions take no strings');
  const type = kind === 'signed' ? 'i64' : kind === 'unsigned' ? 'u64' : 'f64';
  const isSet = values === null;
  const none = of === 'index' ? '-1' : isSet ? '0' : literal(missing);
  if (keys.length === 0) return { text: `(k) => ${none}`, capture: {}, type };
  if (type !== 'u64' && keys.length <= MOST_IN_TREE) return { text: mapTree(parts, order(), of, none), capture: {}, type };
  const isSorted = kind === 'number' && layout !== 'direct';
  const search = layout === 'direct' ? directSearch(parts) : isSorted ? sortedSearch(parts, order()) : hashSearch(parts);
  if (of === 'index') {
    const index = layout === 'direct' ? 'N[s]' : isSorted ? search.slot : 'I[4 * s + 2]';
    return sourceOf(search, index, none, type, {});
  }
  if (isSet) return sourceOf(search, '1', none, type, {});
  const numbers = numbersOf(isSorted ? valuesByIndex(parts) : values);
  return sourceOf(search, `V[${search.slot}]`, none, type, { V: numbers });
}

/**
 * @param {import('./intervals.js').Intervals} intervals
 * @param {any} values by entry
 * @param {{ of: 'value' | 'index', missing: unknown }} options
 * @returns {Source}
 */
function intervalSource({ kind, lows, highs, indices }, values, { of, missing }) {
  if (kind === 'wide' || kind === 'any') return fail('ERR_UNSUPPORTED', 'toNative: native functions have bigints of 64 bits');
  const type = kind === 'signed' ? 'i64' : kind === 'unsigned' ? 'u64' : 'f64';
  const none = of === 'index' ? '-1' : literal(missing);
  const own = of === 'index' ? Int32Array.from(values, (/** @type {any} */ _, /** @type {number} */ i) => i) : numbersOf(values);
  if (type !== 'u64' && lows.length <= MOST_IN_TREE) {
    return { text: `(k) => ${treeText(lows, highs, Array.from(indices, (i) => keyText(own[i])), none)}`, capture: {}, type };
  }
  const V = own.constructor.from(indices, (/** @type {number} */ i) => own[i]);
  // NaN is behind no beginning.
  const search = { before: halves(lows.length), found: 'i > 0 && k <= U[i - 1]', slot: 'i - 1', capture: { L: lows, U: highs } };
  return sourceOf(search, 'V[i - 1]', none, type, { V });
}

/** @type {(x: any) => string} as source text */
const keyText = (x) => (typeof x === 'bigint' ? `(${x}n)` : `(${x})`);

/**
 * A tree of comparisons over intervals in order, of which each is one key where its ends are equal.
 *
 * @type {(lows: ArrayLike<any>, highs: ArrayLike<any>, values: readonly string[], none: string) => string}
 */
function treeText(lows, highs, values, none) {
  const leaf = (/** @type {number} */ i) => {
    const [low, high] = [keyText(lows[i]), keyText(highs[i])];
    return `(${low === high ? `k === ${low}` : `k >= ${low} && k <= ${high}`} ? ${values[i]} : ${none})`;
  };
  const tree = (/** @type {number} */ from, /** @type {number} */ to) => {
    if (to - from === 1) return leaf(from);
    const middle = (from + to) >> 1;
    /** @type {string} */
    const text = `(k < ${keyText(lows[middle])} ? ${tree(from, middle)} : ${tree(middle, to)})`;
    return text;
  };
  return lows.length === 0 ? none : tree(0, lows.length);
}

/** What a native function gives for each index. @type {(parts: Parts, of: 'value' | 'index') => (index: number) => number} */
function resultOf(parts, of) {
  if (of === 'index') return (i) => i;
  if (parts.values === null) return () => 1;
  const numbers = numbersOf(valuesByIndex(parts));
  return (i) => numbers[i];
}

/** @type {(parts: Parts, order: { keys: any, indices: Int32Array }, of: 'value' | 'index', none: string) => string} */
function mapTree(parts, { keys: sorted, indices }, of, none) {
  const result = resultOf(parts, of);
  const tree = treeText(sorted, sorted, Array.from(indices, (i) => keyText(result(i))), none);
  const nan = sorted.length < parts.keys.length ? parts.keys.findIndex(Number.isNaN) : -1;
  return nan < 0 ? `(k) => ${tree}` : `(k) => k !== k ? ${keyText(result(nan))} : ${tree}`;
}

/** @type {(source: Source) => any} a native function */
function nativeOf({ text, capture, type }) {
  const { native } = require('../native/index.js');
  return native(text, { params: [type] }, { capture, bounds: 'unchecked' });
}

module.exports = { intervalSource, mapSource, nativeOf };
