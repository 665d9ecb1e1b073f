// Which features beyond WebAssembly 1.0 the code of a module uses.
//
// An engine accepts all that it knows, so it cannot tell whether a module would do with less. This reads
// every instruction and refuses what it does not know.
'use strict';

const assert = require('node:assert/strict');

/** A cursor over bytes. */
class Reader {
  /** @param {Uint8Array} bytes @param {number} [at] @param {number} [end] */
  constructor(bytes, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  byte() {
    assert.ok(this.at < this.end, 'the module ends too early');
    return this.bytes[this.at++];
  }

  /** An unsigned or signed LEB128 number; of signed ones only the length matters here. */
  number() {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  skip(/** @type {number} */ count) {
    this.at += count;
    assert.ok(this.at <= this.end, 'the module ends too early');
  }

  /** What follows as a piece of its own. */
  part() {
    const size = this.number();
    const start = this.at;
    this.skip(size);
    return new Reader(this.bytes, start, start + size);
  }

  /** @param {(index: number) => void} each */
  vector(each) {
    const count = this.number();
    for (let i = 0; i < count; i++) each(i);
  }
}

const TYPES = { 0x7f: '', 0x7e: '', 0x7d: '', 0x7c: '', 0x7b: 'simd', 0x70: 'reference-types', 0x6f: 'reference-types' };

// By second byte of the prefix 0xfd. Loose: the engine may choose among results.
const RELAXED_FIXED = [0x100, 0x101, 0x102, 0x103, 0x104, 0x109, 0x10a, 0x10b, 0x10c];

/** @typedef {(name: string) => void} Use */

/** A function type's results, a local, a global. @type {(reader: Reader, use: Use) => void} */
function valueType(reader, use) {
  const type = reader.byte();
  assert.ok(type in TYPES, `unknown type ${type}`);
  const feature = TYPES[/** @type {keyof typeof TYPES} */ (type)];
  if (feature) use(feature);
}

/** @type {(reader: Reader, use: Use) => void} */
function blockType(reader, use) {
  const type = reader.bytes[reader.at];
  if (type === 0x40) reader.byte();
  else if (type >= 0x6f && type <= 0x7f) valueType(reader, use);
  else {
    reader.number();
    use('multi-value');
  }
}

/** @type {(reader: Reader) => void} */
function memoryPlace(reader) {
  assert.ok(reader.number() < 64, 'the flags of a memory access');
  reader.number();
}

/** @type {(reader: Reader, use: Use) => void} */
function miscellaneous(reader, use) {
  const code = reader.number();
  assert.ok(code <= 11, `unknown instruction fc ${code}`);
  use(code <= 7 ? 'trunc-sat' : 'bulk');
  if (code >= 8) reader.skip(code === 8 || code === 10 ? 2 : 1);
}

/** @type {(reader: Reader, use: Use) => void} */
function vectorInstruction(reader, use) {
  const code = reader.number();
  assert.ok(code <= 0x113, `unknown instruction fd ${code}`);
  if (code >= 0x100) {
    use('relaxed');
    if (!RELAXED_FIXED.includes(code)) use('loose');
  }
  use('simd');
  if (code <= 11 || code === 92 || code === 93) memoryPlace(reader);
  else if (code === 12 || code === 13) reader.skip(16);
  else if (code >= 21 && code <= 34) reader.skip(1);
  else if (code >= 84 && code <= 91) {
    memoryPlace(reader);
    reader.skip(1);
  }
}

/** @type {(reader: Reader, use: Use) => void} */
function atomic(reader, use) {
  const code = reader.number();
  assert.ok(code <= 0x4e, `unknown instruction fe ${code}`);
  use('threads');
  if (code === 3) reader.skip(1);
  else memoryPlace(reader);
}

/** Returns the first byte. @type {(reader: Reader, use: Use) => number} */
function instruction(reader, use) {
  const code = reader.byte();
  if (code >= 0x02 && code <= 0x04) blockType(reader, use);
  else if (code === 0x0c || code === 0x0d || code === 0x10) reader.number();
  else if (code === 0x0e) {
    reader.vector(() => reader.number());
    reader.number();
  } else if (code === 0x11) {
    reader.number();
    if (reader.byte() !== 0) use('reference-types');
  } else if (code >= 0x20 && code <= 0x24) reader.number();
  else if (code >= 0x28 && code <= 0x3e) memoryPlace(reader);
  else if (code === 0x3f || code === 0x40) reader.skip(1);
  else if (code === 0x41 || code === 0x42) reader.number();
  else if (code === 0x43) reader.skip(4);
  else if (code === 0x44) reader.skip(8);
  else if (code >= 0xc0 && code <= 0xc4) use('sign-ext');
  else if (code === 0xfc) miscellaneous(reader, use);
  else if (code === 0xfd) vectorInstruction(reader, use);
  else if (code === 0xfe) atomic(reader, use);
  else {
    const plain = [0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b].includes(code) || (code >= 0x45 && code <= 0xbf);
    assert.ok(plain, `unknown instruction ${code}`);
  }
  return code;
}

/** Instructions up to an `end`. @type {(reader: Reader, use: Use) => void} */
function constantExpression(reader, use) {
  while (instruction(reader, use) !== 0x0b);
}

/** @type {(reader: Reader, use: Use) => void} */
function functionBody(reader, use) {
  reader.vector(() => {
    reader.number();
    valueType(reader, use);
  });
  while (reader.at < reader.end) instruction(reader, use);
}

/** By id: what a section may use. @type {Record<number, (reader: Reader, use: Use) => void>} */
const SECTIONS = {
  1: (reader, use) =>
    reader.vector(() => {
      assert.equal(reader.byte(), 0x60);
      reader.vector(() => valueType(reader, use));
      reader.vector((i) => {
        if (i > 0) use('multi-value');
        valueType(reader, use);
      });
    }),
  9: (reader, use) =>
    reader.vector(() => {
      if (reader.number() !== 0) use('bulk');
      constantExpression(reader, use);
      reader.vector(() => reader.number());
    }),
  10: (reader, use) => reader.vector(() => functionBody(reader.part(), use)),
  11: (reader, use) =>
    reader.vector(() => {
      const kind = reader.number();
      if (kind !== 0) use('bulk');
      if (kind === 2) reader.number();
      if (kind !== 1) constantExpression(reader, use);
      reader.part();
    }),
  12: (_, use) => use('bulk'),
};

/** Mutable globals may not be exported. @type {(use: Use) => Record<number, (reader: Reader) => void>} */
function globalSections(use) {
  /** @type {boolean[]} */
  const mutable = [];
  return {
    6: (reader) =>
      reader.vector(() => {
        valueType(reader, use);
        mutable.push(reader.byte() === 1);
        constantExpression(reader, use);
      }),
    7: (reader) =>
      reader.vector(() => {
        reader.part(); // the name
        const kind = reader.byte();
        const index = reader.number();
        if (kind === 3 && mutable[index]) use('mutable-globals');
      }),
  };
}

/**
 * The names of the features, `loose` being relaxed instructions whose result is the engine's choice.
 *
 * @param {Uint8Array} bytes of a module that this engine need not know
 * @returns {Set<string>}
 */
function featuresOf(bytes) {
  /** @type {Set<string>} */
  const found = new Set();
  const use = (/** @type {string} */ name) => found.add(name);
  const globals = globalSections(use);
  const reader = new Reader(bytes);
  assert.deepEqual([...bytes.subarray(0, 8)], [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  reader.skip(8);
  while (reader.at < reader.end) {
    const id = reader.byte();
    const section = reader.part();
    SECTIONS[id]?.(section, use);
    globals[id]?.(section);
  }
  return found;
}

/** A module with a relaxed instruction, for WebAssembly.validate. */
const RELAXED = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15],
  ...[65, 2, 253, 15, 253, 128, 2, 11],
);

/** What a module of each variant may use, with numerics other than `'fast'`. */
const ALLOWED = {
  mvp: [],
  simd: ['simd', 'sign-ext', 'trunc-sat', 'bulk'],
  relaxed: ['simd', 'sign-ext', 'trunc-sat', 'bulk', 'relaxed'],
};

/** Asserts that a module keeps to its variant. @type {(bytes: Uint8Array, variant: keyof typeof ALLOWED, title: string) => void} */
function assertVariant(bytes, variant, title) {
  const more = [...featuresOf(bytes)].filter((name) => !ALLOWED[variant].includes(/** @type {never} */ (name)));
  assert.deepEqual(more, [], `${title}: variant ${variant}`);
}

module.exports = { RELAXED, assertVariant, featuresOf };
