/**
 * Whether a value is one of many constants: tables in the kernel's data.
 *
 * Numbers are looked up several at a time. A constant has one place in each of two tables (cuckoo hashing), or in one
 * table if that works out, so a lookup is one or two reads without a loop. Places that are left over hold some constant
 * too: whoever finds it there is in the set as well. Hashes are products with odd numbers, which are tried in turn.
 *
 * Strings, and values of 16 bytes, are looked up row by row (src/library/sets.c says how).
 */
'use strict';

const { BYTES } = require('./dag.js');

/** @typedef {import('./dag.js').Dag} Dag */
/** @typedef {import('./dag.js').Node} Node */
/** @typedef {import('../analyse/context.js').Context} Context */

/** Most constants that are compared one by one, by bytes of a value: as many as a lookup takes the time of. */
const MOST_COMPARED = { 1: 100, 2: 40, 4: 24, 8: 14, 16: 3 };
/** Most constants for which one table is tried. */
const MOST_IN_ONE = 64;
const MOST_TRIES = 64;
const MOST_MOVES = 500;

/** @type {Record<string, any>} */
const ARRAYS = {
  f64: Float64Array, f32: Float32Array, i64: BigInt64Array, i32: Int32Array, i16: Int16Array, i8: Int8Array,
  u64: BigUint64Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array,
};

// --- numbers ---

const scratch = new DataView(new ArrayBuffer(8));

/** The word that a number is hashed as. @type {(value: number | bigint, rep: string) => bigint} */
function wordOf(value, rep) {
  if (rep === 'f64') scratch.setFloat64(0, Number(value) || 0);
  else if (rep === 'f32') scratch.setFloat32(4, Number(value) || 0);
  else return BigInt.asUintN(BYTES[rep] === 8 ? 64 : 32, BigInt(value));
  return rep === 'f64' ? scratch.getBigUint64(0) : BigInt(scratch.getUint32(4));
}

/** Odd, and all its bits random. @type {(k: number) => bigint} SplitMix64 */
function multiplier(k) {
  let z = BigInt.asUintN(64, 0x9e3779b97f4a7c15n * BigInt(k + 1));
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n) | 1n;
}

/**
 * Places of words in tables of 2^bits places, one table for each multiplier; null if they get in each other's way.
 *
 * @type {(words: readonly bigint[], width: number, bits: number, multipliers: readonly bigint[]) => Int32Array[] |
 * null}
 */
function placed(words, width, bits, multipliers) {
  const tables = multipliers.map(() => new Int32Array(1 << bits).fill(-1));
  const shift = BigInt(width - bits);
  for (let i = 0; i < words.length; i++) {
    let item = i;
    for (let moves = 0, t = 0; item >= 0; moves++, t = (t + 1) % tables.length) {
      if (moves > (tables.length > 1 ? MOST_MOVES : 0)) return null;
      const at = Number(BigInt.asUintN(width, words[item] * multipliers[t]) >> shift);
      [item, tables[t][at]] = [tables[t][at], item];
    }
  }
  return tables;
}

/** @type {(words: readonly bigint[], width: number) => { tables: Int32Array[], multipliers: bigint[], bits: number }} */
function tablesOf(words, width) {
  const cut = (/** @type {number} */ k) => BigInt.asUintN(width, multiplier(k));
  if (words.length <= MOST_IN_ONE) {
    const bits = Math.ceil(Math.log2(8 * words.length));
    for (let k = 0; k < MOST_TRIES; k++) {
      const tables = placed(words, width, bits, [cut(k)]);
      if (tables !== null) return { tables, multipliers: [cut(k)], bits };
    }
  }
  const least = Math.ceil(Math.log2(1.25 * words.length));
  for (let k = 0; ; k++) {
    const bits = least + (k >> 3);
    const multipliers = [cut(2 * k), cut(2 * k + 1)];
    const tables = placed(words, width, bits, multipliers);
    if (tables !== null) return { tables, multipliers, bits };
  }
}

/** @type {(dag: Dag, value: Node) => Node} as wordOf */
function wordNode(dag, value) {
  const { rep } = value;
  const word = BYTES[rep] === 8 ? 'u64' : 'u32';
  if (rep !== 'f64' && rep !== 'f32') return dag.convert(value, word);
  const zero = dag.constant(0, rep);
  return dag.op('bitcast', [dag.select(dag.compare('eq', value, zero), zero, value)], word);
}

/** @type {(dag: Dag, value: Node, constants: readonly (number | bigint)[]) => Node} */
function inNumbers(dag, value, constants) {
  const rep = /** @type {import('./dag.js').NumberRep} */ (value.rep);
  const word = wordNode(dag, value);
  const width = 8 * BYTES[word.rep];
  /** @type {Map<bigint, number | bigint>} */
  const byWord = new Map(constants.map((each) => [wordOf(each, rep), each]));
  const isWide = rep === 'i64' || rep === 'u64';
  const values = [...byWord.values()].map((each) => (isWide ? BigInt(each) : Number(each)));
  const { tables, multipliers, bits } = tablesOf([...byWord.keys()], width);
  return tables
    .map((table, t) => {
      const filled = ARRAYS[rep].from(table, (/** @type {number} */ item) => values[Math.max(item, 0)]);
      const product = dag.op('mul', [word, dag.constant(multipliers[t], word.rep)]);
      const at = dag.op('shr', [product, dag.constant(BigInt(width - bits), word.rep)]);
      return dag.compare('eq', dag.pick(new Uint8Array(filled.buffer), at, rep), value);
    })
    .reduce((a, b) => dag.or(a, b));
}

// --- texts ---

const u64 = (/** @type {bigint} */ word) => BigInt.asUintN(64, word);
const turn = (/** @type {bigint} */ word, /** @type {bigint} */ by) => u64(word << by) | (word >> (64n - by));
const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;
const mixed = (/** @type {bigint} */ word) => u64(turn(u64(word * C1), 31n) * C2);

/** @type {(hash: bigint) => bigint} */
function finished(hash) {
  const h = u64((hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn);
  const k = u64((h ^ (h >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return k ^ (k >> 33n);
}

const viewOf = (/** @type {Uint8Array} */ bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const fewOf = (/** @type {Uint8Array} */ bytes) => bytes.reduceRight((word, byte) => (word << 8n) | BigInt(byte), 0n);

/** utf8_hash of src/library/strings/hash.c. @type {(bytes: Uint8Array) => bigint} */
function textHash(bytes) {
  const { length } = bytes;
  let h = u64(BigInt(length) * C2);
  if (length < 8) return finished(h ^ mixed(fewOf(bytes)));
  const view = viewOf(bytes);
  for (let i = 0; i < length - 8; i += 8) {
    h = u64(turn(h ^ mixed(view.getBigUint64(i, true)), 27n) * 5n + 0x52dce729n);
  }
  return finished(h ^ mixed(view.getBigUint64(length - 8, true)));
}

const HEAD = 7;
const SLOT = 4;
const MOST_LENGTH = 255;
/** Where two words of strings may lie that tell them apart, in bytes from the beginning and from the end. */
const WORDS = [[0, 0], [8, 0], [0, 8], [8, 8], [16, 0], [24, 16]];
/** Strings with the same two words that are compared one by one. */
const MOST_ALIKE = 4;

/** @typedef {readonly [first: bigint, second: bigint]} Words */

/** The two words of a string that it is looked up by. @type {(bytes: Uint8Array, from: number, to: number) => Words} */
function wordsOf(bytes, from, to) {
  const last = bytes.length - 8;
  if (last < 0) return [fewOf(bytes), 0n];
  const view = viewOf(bytes);
  return [view.getBigUint64(Math.min(from, last), true), view.getBigUint64(last - Math.min(to, last), true)];
}

/** Words that tell strings apart, and where they lie. @type {(texts: readonly Uint8Array[]) => { from: number, to: number, words: Words[] }} */
function chosenWords(texts) {
  for (const [from, to] of WORDS) {
    const words = texts.map((text) => wordsOf(text, from, to));
    /** @type {Map<string, number>} */
    const alike = new Map();
    const isFew = words.every(([first, second], i) => {
      const key = `${first} ${second} ${texts[i].length}`;
      alike.set(key, (alike.get(key) ?? 0) + 1);
      return /** @type {number} */ (alike.get(key)) <= MOST_ALIKE;
    });
    if (isFew) return { from, to, words };
  }
  return { from: -1, to: -1, words: texts.map((text) => [textHash(text), 0n]) };
}

/** hash() of src/library/sets.c. @type {(words: Words, length: number) => bigint} */
function slotHash([first, second], length) {
  const h = u64((first ^ BigInt(length)) * C1);
  const k = u64((h ^ (h >> 32n) ^ second) * C2);
  return k ^ (k >> 32n);
}

/** The bytes of a set of strings, all of which differ: src/library/sets.c has the layout. @type {(texts: readonly Uint8Array[]) => Uint8Array} */
function textSet(texts) {
  const slots = 2 ** Math.ceil(Math.log2(2 * texts.length));
  const mask = BigInt(slots - 1);
  const begin = 8 * (HEAD + SLOT * slots);
  const bytes = new Uint8Array(begin + texts.reduce((sum, text) => sum + text.length, 0));
  const table = new BigUint64Array(bytes.buffer, 0, HEAD + SLOT * slots);
  const { from, to, words } = chosenWords(texts);
  table.set([mask, u64(BigInt(from)), u64(BigInt(to))], 4);
  let place = begin;
  for (const [i, text] of texts.entries()) {
    const known = Math.min(text.length, MOST_LENGTH);
    table[known >> 6] |= 1n << BigInt(known & 63);
    let slot = slotHash(words[i], text.length) & mask;
    while (table[HEAD + SLOT * Number(slot) + 3] !== 0n) slot = (slot + 1n) & mask;
    table.set([...words[i], BigInt(text.length), BigInt(place)], HEAD + SLOT * Number(slot));
    bytes.set(text, place);
    place += text.length;
  }
  return bytes;
}

/** @type {(c: Context, value: Node, constants: readonly Node[]) => Node} */
function inTexts(c, value, constants) {
  const { dag } = c;
  const texts = constants.map(({ value: number }) => dag.data[Number(number)]);
  const text = value.rep === 'view' ? value : dag.bytes16(value);
  const set = dag.table(textSet(texts));
  // Two loops over the rows of a block: the first asks for the memory that the second reads.
  const mayBe = c.call('may_be_in_texts', [text, set], 'bool');
  return dag.and(mayBe, c.within(mayBe, () => c.call('in_texts', [text, set], 'bool')));
}

// --- both ---

const isConstant = (/** @type {Node} */ { kind }) => kind === 'constant' || kind === 'text' || kind === 'table';

/** Which items of a list are looked up, since so many are not compared faster. @type {(rep: import('./dag.js').Rep, items: readonly Node[]) => Set<Node>} */
function lookedUp(rep, items) {
  const constants = new Set(items.filter(isConstant));
  const most = rep === 'bool' ? Infinity : MOST_COMPARED[/** @type {16} */ (BYTES[rep])];
  return constants.size > most ? constants : new Set();
}

/** Whether a value is one of constants; NaN is none. @type {(c: Context, value: Node, constants: readonly Node[]) => Node} */
function inSet(c, value, constants) {
  if (value.rep === 'view' || value.rep === 'i128') return inTexts(c, value, constants);
  const numbers = constants.map((node) => /** @type {number | bigint} */ (node.value)).filter((each) => !Number.isNaN(each));
  return numbers.length === 0 ? c.dag.constant(false, 'bool') : inNumbers(c.dag, value, numbers);
}

module.exports = { inSet, lookedUp };
