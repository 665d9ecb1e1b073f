/**
 * Pickles of PyTorch files, read as plain data.
 *
 * A pickle is a program for a stack machine that may import and call anything. Here it can make numbers, strings,
 * lists, tuples (as arrays), dictionaries (as maps), tensors (as records of where their elements are) and bags of
 * attributes for the classes of a script; every other name is an error, and nothing is called. Protocols 2 to 4 without
 * objects of classes, references to running code, or buffers outside. A pickle is read in one pass; what it makes is no
 * larger than itself but for records shared by the memo, which stay shared.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { GLOBALS, Global, ScriptObject } = require('./pickle-globals.js');

const MAX_BYTES = 2 ** 26;
const MAX_INTEGER_BYTES = 16;

/** Where a group of the stack begins. */
const MARK = Symbol('mark');

class Unpickler {
  /** @type {any[]} */
  #stack = [];
  /** @type {Map<number, any>} */
  #memo = new Map();
  #at = 0;
  #bytes;
  #view;
  #what;

  /**
   * @param {Uint8Array} bytes
   * @param {string} what for messages
   */
  constructor(bytes, what) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#what = what;
    if (bytes.length > MAX_BYTES) this.fail(`it has more than ${MAX_BYTES} bytes`);
  }

  /** @type {(text: string, code?: import('../../base/errors.js').ErrorCode) => never} */
  fail(text, code = 'ERR_PARSE') {
    return fail(code, `${this.#what}: ${code === 'ERR_PARSE' ? `no proper pickle at byte ${this.#at}: ` : ''}${text}`);
  }

  // ------------------------------------------------------------------------------------- bytes

  /** @type {(count: number) => number} where they begin */
  #take(count) {
    const from = this.#at;
    if (!(count >= 0) || from + count > this.#bytes.length) return this.fail('it ends too early');
    this.#at += count;
    return from;
  }

  byte() {
    return this.#bytes[this.#take(1)];
  }

  u16() {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32() {
    return this.#view.getUint32(this.#take(4), true);
  }

  i32() {
    return this.#view.getInt32(this.#take(4), true);
  }

  u64() {
    return Number(this.#view.getBigUint64(this.#take(8), true));
  }

  f64() {
    return this.#view.getFloat64(this.#take(8), false);
  }

  /** @type {(length: number) => string} */
  text(length) {
    const from = this.#take(length);
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + from, length).toString('utf8');
  }

  /** @type {(length: number) => Uint8Array} */
  slice(length) {
    const from = this.#take(length);
    return this.#bytes.slice(from, from + length);
  }

  line() {
    const end = this.#bytes.indexOf(10, this.#at);
    if (end < 0) return this.fail('a line has no end');
    const text = this.text(end - this.#at);
    this.#at++;
    return text;
  }

  /** A little-endian integer in two's complement. @type {(length: number) => bigint} */
  long(length) {
    if (length > MAX_INTEGER_BYTES) return this.fail(`an integer has ${length} bytes`, 'ERR_UNSUPPORTED');
    const bytes = this.slice(length);
    const unsigned = bytes.reduceRight((total, byte) => total * 256n + BigInt(byte), 0n);
    return BigInt.asIntN(length * 8, unsigned);
  }

  // ------------------------------------------------------------------------------------- stack

  /** @type {(value: any) => void} */
  push(value) {
    this.#stack.push(value);
  }

  pop() {
    if (this.#stack.length === 0) this.fail('its stack is empty');
    const value = this.#stack.pop();
    return value === MARK ? this.fail('a mark is no value') : value;
  }

  top() {
    const value = this.#stack.at(-1);
    return value === undefined || value === MARK ? this.fail('its stack is empty') : value;
  }

  /** What lies above the last mark. @type {() => any[]} */
  popGroup() {
    const from = this.#stack.lastIndexOf(MARK);
    if (from < 0) return this.fail('a mark is missing');
    const group = this.#stack.splice(from);
    return group.slice(1);
  }

  /** @type {(count: number) => any[]} */
  popMany(count) {
    if (count === 1) return [this.pop()];
    const from = this.#stack.length - count;
    if (from < 0) this.fail('its stack is empty');
    const items = this.#stack.splice(from);
    return items.includes(MARK) ? this.fail('a mark is no value') : items;
  }

  /** @type {(key: number) => void} */
  put(key) {
    this.#memo.set(key, this.top());
  }

  memoize() {
    this.put(this.#memo.size);
  }

  /** @type {(key: number) => void} */
  get(key) {
    if (!this.#memo.has(key)) this.fail(`nothing is remembered as ${key}`);
    this.push(this.#memo.get(key));
  }

  // ----------------------------------------------------------------------------------- objects

  /** @type {(items: readonly any[]) => void} pairs into the map on top */
  setItems(items) {
    const map = this.top();
    if (!(map instanceof Map) || items.length % 2 !== 0) this.fail('items go into a dictionary in pairs');
    for (let i = 0; i < items.length; i += 2) {
      const key = items[i];
      if (!['string', 'bigint', 'number', 'boolean'].includes(typeof key)) this.fail('a key is no string and no number', 'ERR_UNSUPPORTED');
      map.set(key, items[i + 1]);
    }
  }

  /** @type {(items: readonly any[]) => void} */
  appendItems(items) {
    const list = this.top();
    if (!Array.isArray(list)) this.fail('something is appended to what is no list');
    for (const item of items) list.push(item);
  }

  /** @type {(module: any, name: any) => void} */
  global(module, name) {
    if (typeof module !== 'string' || typeof name !== 'string') this.fail('a name is no string');
    this.push(new Global(module, name));
  }

  /** Calls what is known, by its name alone. */
  reduce() {
    const args = this.pop();
    const called = this.pop();
    if (!(called instanceof Global) || !Array.isArray(args)) this.fail('it calls what is no name');
    const make = GLOBALS.get(called.path);
    if (make === undefined) this.fail(`it calls ${called.path}, and nothing of a file is ever run`, 'ERR_UNSUPPORTED');
    this.push(/** @type {import('./pickle-globals.js').Maker} */ (make)(args, (text, code) => this.fail(`${called.path}: ${text}`, code)));
  }

  /** @type {(given: any, args: any) => void} an object of a class of the script, still without attributes */
  newObject(given, args) {
    if (!(given instanceof Global) || !Array.isArray(args)) this.fail('an object has no class');
    if (!given.isScript) this.fail(`it has an object of class ${given.path}: only tensors, plain data and scripts are read; save a state dict instead`, 'ERR_UNSUPPORTED');
    this.push(new ScriptObject(given.path));
  }

  build() {
    const state = this.pop();
    const target = this.top();
    if (target instanceof ScriptObject) {
      if (state instanceof Map) for (const [name, value] of state) target.attributes.set(String(name), value);
      else target.state = state;
    } else if (!(target instanceof Map)) this.fail('state is given to what has none', 'ERR_UNSUPPORTED');
    // The attributes of an OrderedDict, such as versions of modules, are no part of its items.
  }

  /** A storage: `('storage', type, key, location, elements)`. @type {() => void} */
  persistent() {
    const id = this.pop();
    const [kind, type, key, , count] = Array.isArray(id) ? id : [];
    if (kind !== 'storage' || !(type instanceof Global) || typeof key !== 'string' || typeof count !== 'bigint')
      this.fail('a reference outside is no storage', 'ERR_UNSUPPORTED');
    this.push({ storage: type.path, key, count: Number(count) });
  }

  /** @returns {any} */
  run() {
    for (;;) {
      const code = this.byte();
      if (code === STOP) return this.pop();
      const step = steps[code];
      if (step === undefined) this.fail(`instruction 0x${code.toString(16)} is not of a file of tensors`, 'ERR_UNSUPPORTED');
      step(this);
    }
  }
}

const STOP = 0x2e;

/** What each instruction does. @type {Readonly<Record<number, (m: Unpickler) => void>>} */
const steps = {
  0x80: (m) => {
    const protocol = m.byte();
    if (protocol < 2 || protocol > 5) m.fail(`it is of protocol ${protocol}`, 'ERR_UNSUPPORTED');
  },
  0x95: (m) => void m.u64(), // a frame, which says how long it is
  0x28: (m) => m.push(MARK),
  0x30: (m) => void m.pop(),
  0x31: (m) => void m.popGroup(),
  0x32: (m) => m.push(m.top()),
  0x4e: (m) => m.push(null),
  0x88: (m) => m.push(true),
  0x89: (m) => m.push(false),
  0x4b: (m) => m.push(BigInt(m.byte())),
  0x4d: (m) => m.push(BigInt(m.u16())),
  0x4a: (m) => m.push(BigInt(m.i32())),
  0x8a: (m) => m.push(m.long(m.byte())),
  0x8b: (m) => m.push(m.long(m.u32())),
  0x47: (m) => m.push(m.f64()),
  0x58: (m) => m.push(m.text(m.u32())),
  0x8c: (m) => m.push(m.text(m.byte())),
  0x8d: (m) => m.push(m.text(m.u64())),
  0x54: (m) => m.push(m.text(m.u32())),
  0x55: (m) => m.push(m.text(m.byte())),
  0x42: (m) => m.push(m.slice(m.u32())),
  0x43: (m) => m.push(m.slice(m.byte())),
  0x29: (m) => m.push([]),
  0x5d: (m) => m.push([]),
  0x7d: (m) => m.push(new Map()),
  0x74: (m) => m.push(m.popGroup()),
  0x6c: (m) => m.push(m.popGroup()),
  0x85: (m) => m.push(m.popMany(1)),
  0x86: (m) => m.push(m.popMany(2)),
  0x87: (m) => m.push(m.popMany(3)),
  0x61: (m) => m.appendItems(m.popMany(1)),
  0x65: (m) => m.appendItems(m.popGroup()),
  0x73: (m) => m.setItems(m.popMany(2)),
  0x75: (m) => m.setItems(m.popGroup()),
  0x71: (m) => m.put(m.byte()),
  0x72: (m) => m.put(m.u32()),
  0x94: (m) => m.memoize(),
  0x68: (m) => m.get(m.byte()),
  0x6a: (m) => m.get(m.u32()),
  0x63: (m) => m.global(m.line(), m.line()),
  0x93: (m) => m.global(...(/** @type {[any, any]} */ (m.popMany(2)))),
  0x52: (m) => m.reduce(),
  0x81: (m) => m.newObject(...(/** @type {[any, any]} */ (m.popMany(2)))),
  0x62: (m) => m.build(),
  0x51: (m) => m.persistent(),
};

/**
 * @param {Uint8Array} bytes
 * @param {string} what for messages
 * @returns {any}
 */
const unpickle = (bytes, what) => new Unpickler(bytes, what).run();

module.exports = { unpickle };
