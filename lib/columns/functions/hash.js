/**
 * Hashes and digests: Gandiva's, which hash every number, truth, date and time as the float64 that it is, and texts,
 * bytes, and decimals by their bytes. They are never null: of a null, a hash is its seed, a digest that of nothing.
 */
'use strict';

const { overload, row } = require('./signature.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../kernel/dag.js').Rep} Rep */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('../analyse/context.js').Typed} Typed */
/** @typedef {import('./signature.js').Build} Build */

/** A number as a float64; all NaNs are one. @type {(c: Context, value: Node) => Node} */
function asFloat({ dag }, value) {
  const { rep } = value;
  if (rep === 'bool') return dag.select(value, dag.constant(1, 'f64'), dag.constant(0, 'f64'));
  const float = dag.convert(value, 'f64');
  if (rep !== 'f64' && rep !== 'f32') return float;
  return dag.select(dag.op('is_nan', [float], 'bool'), dag.constant(NaN, 'f64'), float);
}

/** @type {(c: Context, name: string, value: Node, seed: Node) => Node} */
function hashOf(c, name, value, seed) {
  const rep = name === 'hash32' ? 'i32' : 'i64';
  if (value.rep === 'view') return c.call(name, [value, seed], rep);
  return value.rep === 'i128' ? c.call(`${name}_decimal`, [value, seed], rep) : c.call(`${name}_float64`, [asFloat(c, value), seed], rep);
}

/** A seed that is null is 0. @type {(name: 'hash32' | 'hash64') => Build} */
const hash = (name) => (c, [{ value, valid }, seed], { result }) => {
  const { dag } = c;
  const rep = name === 'hash32' ? 'i32' : 'i64';
  const zero = dag.constant(0n, rep);
  const start = seed === undefined ? zero : seed.valid === null ? seed.value : dag.select(seed.valid, seed.value, zero);
  const hashed = hashOf(c, name, value, start);
  return { type: result, value: valid === null ? hashed : dag.select(valid, hashed, start), valid: null };
};

/** @type {(name: string) => Build} */
const digest = (name) => (c, [{ value, valid }], { result }) => {
  const { dag } = c;
  const how = { arena: true };
  const ofBytes = (/** @type {Node} */ bytes) => c.call(name, [bytes], 'view', how);
  const ofValue = () => {
    if (value.rep === 'view') return ofBytes(value);
    return value.rep === 'i128' ? ofBytes(dag.bytes16(value)) : c.call(`${name}_number`, [asFloat(c, value)], 'view', how);
  };
  if (valid === null) return { type: result, value: ofValue(), valid: null };
  const there = c.within(valid, ofValue);
  const absent = c.within(dag.not(valid), () => ofBytes(dag.text(new Uint8Array(0))));
  return { type: result, value: dag.select(valid, there, absent), valid: null };
};

/** @type {(names: string, doc: string, name: string) => import('./signature.js').FunctionRow} */
const ofDigest = (names, doc, name) => row('hash', names, doc, [overload('(any) → utf8', digest(name))], 'own');

module.exports = {
  rows: [
    row('hash', 'hash32 hash hash32AsDouble', 'MurmurHash3 of 32 bits, with a seed', [
      overload('(any) → int32', hash('hash32')),
      overload('(any, int32) → int32', hash('hash32')),
    ], 'own'),
    row('hash', 'hash64 hash64AsDouble', 'half of the MurmurHash3 of 128 bits, with a seed', [
      overload('(any) → int64', hash('hash64')),
      overload('(any, int64) → int64', hash('hash64')),
    ], 'own'),
    ofDigest('hashMD5 md5', 'MD5, in hexadecimal digits', 'md5'),
    ofDigest('hashSHA1 sha sha1', 'SHA-1, in hexadecimal digits', 'sha1'),
    ofDigest('hashSHA256 sha256', 'SHA-256, in hexadecimal digits', 'sha256'),
    ofDigest('hashSHA512 sha512', 'SHA-512, in hexadecimal digits', 'sha512'),
    row('hash', 'crc32', 'the checksum of IEEE 802.3', [overload('(text) → int64', (c, [a]) => c.call('crc32', [a], 'i64'))]),
  ],
};
