/**
 * Hashes: MurmurHash3 of a number as a float64, or of bytes, as Gandiva has it; digests by Node.
 */
'use strict';

const crypto = require('node:crypto');

const own = { nulls: 'own' };

const u32 = (/** @type {bigint} */ n) => BigInt.asUintN(32, n);
const u64 = (/** @type {bigint} */ n) => BigInt.asUintN(64, n);
const rotate32 = (/** @type {bigint} */ n, /** @type {bigint} */ by) => u32(n << by) | (n >> (32n - by));
const rotate64 = (/** @type {bigint} */ n, /** @type {bigint} */ by) => u64(n << by) | (n >> (64n - by));

/** Little-endian; what is missing is 0. @type {(data: Uint8Array, from: number, count: number) => bigint} */
const word = (data, from, count) =>
  Array.from(data.subarray(from, from + count)).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

/**
 * MurmurHash3_x86_32, in words of 64 bits as Gandiva has it: those above a negative seed's take part until they are cut
 * off, which they are at once where a number is hashed.
 *
 * @type {(data: Uint8Array, seed: bigint, isNumber: boolean) => bigint}
 */
function murmur32(data, seed, isNumber) {
  const mixed = (/** @type {bigint} */ k) => u32(rotate32(u32(k * 0xcc9e2d51n), 15n) * 0x1b873593n);
  let h = isNumber ? u32(seed) : u64(seed);
  const whole = data.length - (data.length % 4);
  for (let i = 0; i < whole; i += 4) h = u32(rotate32(h ^ mixed(word(data, i, 4)), 13n) * 5n + 0xe6546b64n);
  h ^= mixed(word(data, whole, 4));
  h ^= BigInt(data.length);
  h = u32((h ^ (h >> 16n)) * 0x85ebca6bn);
  h = u32((h ^ (h >> 13n)) * 0xc2b2ae35n);
  return h ^ (h >> 16n);
}

const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;

/** The first half of MurmurHash3_x64_128. @type {(data: Uint8Array, seed: bigint) => bigint} */
function murmur64(data, seed) {
  const first = (/** @type {bigint} */ k) => u64(rotate64(u64(k * C1), 31n) * C2);
  const second = (/** @type {bigint} */ k) => u64(rotate64(u64(k * C2), 33n) * C1);
  const end = (/** @type {bigint} */ h) => {
    const a = u64((h ^ (h >> 33n)) * 0xff51afd7ed558ccdn);
    const b = u64((a ^ (a >> 33n)) * 0xc4ceb9fe1a85ec53n);
    return b ^ (b >> 33n);
  };
  let [h1, h2] = [u64(seed), u64(seed)];
  const whole = data.length - (data.length % 16);
  for (let i = 0; i < whole; i += 16) {
    h1 = u64(u64(rotate64(h1 ^ first(word(data, i, 8)), 27n) + h2) * 5n + 0x52dce729n);
    h2 = u64(u64(rotate64(h2 ^ second(word(data, i + 8, 8)), 31n) + h1) * 5n + 0x38495ab5n);
  }
  h2 ^= second(word(data, whole + 8, 8));
  h1 ^= first(word(data, whole, 8));
  const length = BigInt(data.length);
  [h1, h2] = [h1 ^ length, h2 ^ length];
  h1 = u64(h1 + h2);
  h2 = u64(h2 + h1);
  return u64(end(h1) + end(h2));
}

/** Numbers are hashed as float64, whatever their type, but for decimals. @type {(value: any, type: any) => Uint8Array} */
function bytesOf(value, type) {
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.from(value);
  if (type.kind === 'decimal') return Buffer.from(BigInt64Array.of(BigInt.asIntN(64, value), value >> 64n).buffer);
  const data = Buffer.alloc(8);
  data.writeDoubleLE(Number(value));
  return data;
}

const isNumber = (/** @type {any} */ { kind }) => kind !== 'utf8' && kind !== 'binary' && kind !== 'decimal';

/** Of a null it is the seed, or 0 where there is none. @type {(murmur: any, bits: number) => any} */
const hashed = (murmur, bits) => (/** @type {any} */ value, /** @type {any} */ { args }) =>
  value === null ? 0n : BigInt.asIntN(bits, murmur(bytesOf(value, args[0]), 0n, isNumber(args[0])));

/** A seed that is null is 0. @type {(murmur: any, bits: number) => any} */
const seeded = (murmur, bits) => (/** @type {any} */ value, /** @type {bigint | null} */ seed, /** @type {any} */ { args }) => {
  if (value === null) return seed ?? 0n;
  // Of a seed only 32 bits count.
  return BigInt.asIntN(bits, murmur(bytesOf(value, args[0]), BigInt.asIntN(32, seed ?? 0n), isNumber(args[0])));
};

/** Digests of a null are those of nothing. @type {(name: string) => any} */
const digest = (name) => (/** @type {any} */ value, /** @type {any} */ { args }) =>
  crypto.createHash(name).update(value === null ? '' : bytesOf(value, args[0])).digest('hex');

/** @type {(data: Uint8Array) => bigint} */
function crc32(data) {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return BigInt((crc ^ 0xffffffff) >>> 0);
}

module.exports = [
  ['hash hash32 hash32AsDouble', '(any) → int32', hashed(murmur32, 32), null, own],
  ['hash32 hash32AsDouble', '(any, int32) → int32', seeded(murmur32, 32), null, own],
  ['hash64 hash64AsDouble', '(any) → int64', hashed(murmur64, 64), null, own],
  ['hash64 hash64AsDouble', '(any, int64) → int64', seeded(murmur64, 64), null, own],
  ['hashMD5 md5', '(any) → utf8', digest('md5'), null, own],
  ['hashSHA1 sha sha1', '(any) → utf8', digest('sha1'), null, own],
  ['hashSHA256 sha256', '(any) → utf8', digest('sha256'), null, own],
  ['hashSHA512 sha512', '(any) → utf8', digest('sha512'), null, own],
  ['crc32', '(utf8) → int64', (text) => crc32(Buffer.from(text))],
  ['crc32', '(binary) → int64', crc32],
];
