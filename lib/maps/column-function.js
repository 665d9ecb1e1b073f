/**
 * Compiled maps as functions of expressions over columns: `expr('price(item) * 2', { functions: { price: map } })`.
 *
 * A row is looked up by a function of the library, in the arrays of the map as one piece of constant data. What is not
 * there is null, unlike in other functions of a map, which have no nulls; of a set it is false.
 */
'use strict';

const { describe } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { overload, row } = require('../columns/functions/signature.js');
const types = require('../columns/types/index.js');
const { repOf } = require('../columns/types/representation.js');
const { checkPaired } = require('./entries.js');
const { plain } = require('./words.js');

/** @typedef {import('./requests.js').Request} Request */
/** @typedef {import('../columns/kernel/dag.js').Node} Node */
/** @typedef {import('../columns/functions/signature.js').FunctionRow} FunctionRow */
/** @typedef {import('../columns/functions/signature.js').Build} Build */
/** @typedef {import('../columns/analyse/context.js').Context} Context */
/** @typedef {import('./export.js').Keys} Keys */

/** As src/library/maps/one.c numbers them. @type {import('./kernels.js').KernelName[]} */
const FINDERS = ['map_find', 'map_rank', 'map_find_texts', 'map_find_prefixes', 'map_find_addresses'];
const WORD = 8;
const OFFSET_BYTES = 8;
const LINE = 64;

const TAKEN = { texts: 'utf8', f64: 'float64', i64: 'int64', u64: 'uint64' };

/** Bytes up to a multiple. @type {(bytes: number, unit: number) => number} */
const rounded = (bytes, unit) => Math.ceil(bytes / unit) * unit;

/** What a map is looked up in, in one piece. @type {(request: Request) => Uint8Array} */
function blobOf({ kernel, slots, arrays, out }) {
  let end = rounded(WORD * (4 + slots.length + arrays.length), LINE);
  const places = arrays.map((array) => {
    if (array === null) return 0;
    const at = end;
    end = rounded(at + array.byteLength, LINE);
    return at;
  });
  const bytes = new Uint8Array(end);
  const words = [FINDERS.indexOf(kernel), slots.length + 2, arrays.length, out, ...slots, ...places];
  new BigInt64Array(bytes.buffer, 0, words.length).set(words.map(BigInt));
  arrays.forEach((array, i) => {
    if (array !== null) bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), places[i]);
  });
  return bytes;
}

/** Texts as map_text of the library takes them. @type {(texts: readonly string[]) => Uint8Array} */
function textsOf(texts) {
  const all = texts.map((text) => Buffer.from(text));
  const head = new BigInt64Array(texts.length + 2);
  head[0] = BigInt(texts.length);
  all.forEach((each, i) => (head[i + 2] = head[i + 1] + BigInt(each.length)));
  return Buffer.concat([new Uint8Array(head.buffer), ...all]);
}

/** What values are in columns, and an element of them. @typedef {{ type: import('../columns/types/index.js').DataType, pick: (c: Context, index: Node) => Node }} Values */

/** @type {(caller: string, values: any) => Values} */
function valuesOf(caller, values) {
  const own = plain(values) ?? (values.every((/** @type {unknown} */ each) => typeof each === 'number') ? Float64Array.from(values) : undefined);
  if (own !== undefined) {
    const type = types.plain.find(({ array, kind, id }) => array === own.constructor && (kind === 'int' || kind === 'float') && id !== 'float16');
    const found = type ?? fail('ERR_UNSUPPORTED', `${caller}: values of ${own.constructor.name} are in no column`);
    const bytes = new Uint8Array(own.buffer, own.byteOffset, own.byteLength);
    return { type: found, pick: (c, index) => c.dag.pick(bytes, index, /** @type {any} */ (repOf(found))) };
  }
  const type = typeof values[0] === 'number' ? 'number' : 'string';
  const other = values.findIndex((/** @type {unknown} */ each) => typeof each !== type);
  if (other >= 0) {
    fail('ERR_UNSUPPORTED', `${caller}: expressions have maps to numbers, to strings or to elements of a typed array, value ${other} is ${describe(values[other])}`);
  }
  checkPaired(caller, values);
  const texts = textsOf(values);
  return { type: types.utf8, pick: (c, index) => c.call('map_text', [index, c.dag.table(texts)], 'view', { out: true }) };
}

/** The index of a key, or -1; whatever where it is not asked for. @type {(keys: Keys, blob: Uint8Array) => (c: Context, key: Node) => Node} */
const indexOf = (keys, blob) => ({ dag, guard }, key) => {
  const given = keys === 'texts' ? [key] : [keys === 'i64' ? key : dag.op('bitcast', [key], 'i64'), dag.constant(0n, 'i64')];
  return dag.call('map_one', [...given, dag.table(blob)], 'i64', { out: false, fails: false, arena: false }, guard);
};

/**
 * @param {string} name
 * @param {import('./export.js').Exported} exported
 * @returns {FunctionRow}
 */
function columnFunction(name, { keys, entries: values, request }) {
  const index = indexOf(keys, blobOf(request({ values: null, missing: -1 }, OFFSET_BYTES)));
  const takes = TAKEN[keys];
  const doc = 'a compiled map';
  if (values === null) {
    return row('user', name, doc, [overload(`(${takes}) → bool`, (c, [key]) => c.dag.compare('ge', index(c, key), c.dag.constant(0n, 'i64')))]);
  }
  const found = valuesOf(`expr: function '${name}'`, values.length > 0 ? values : new Float64Array(1));
  const last = BigInt(Math.max(0, values.length - 1));
  /** @type {Build} */
  const build = (c, [{ value, valid }], { result }) => {
    const { dag } = c;
    const zero = dag.constant(0n, 'i64');
    const at = index(c, value);
    const inside = dag.op('min', [dag.op('max', [at, zero]), dag.constant(last, 'i64')]);
    return { type: result, value: found.pick(c, inside), valid: c.all([valid, dag.compare('ge', at, zero)]) };
  };
  return row('user', name, doc, [overload(`(${takes}) → ?`, build, () => found.type)], 'own');
}

module.exports = { columnFunction };
