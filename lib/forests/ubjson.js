/**
 * UBJSON, draft 12, as XGBoost writes it: typed arrays become typed arrays, everything else what JSON would give.
 *
 * Every length is held against the bytes that are left before anything is made of it, and so is the depth.
 */
'use strict';

const { fail } = require('../base/errors.js');

/** Levels of arrays and objects; models have eight. */
const DEEPEST = 64;

/** Numbers, big-endian. @type {Record<string, { bytes: number, array: any, get: (view: DataView, at: number) => any }>} */
const NUMBERS = {
  i: { bytes: 1, array: Int8Array, get: (view, at) => view.getInt8(at) },
  U: { bytes: 1, array: Uint8Array, get: (view, at) => view.getUint8(at) },
  I: { bytes: 2, array: Int16Array, get: (view, at) => view.getInt16(at) },
  l: { bytes: 4, array: Int32Array, get: (view, at) => view.getInt32(at) },
  L: { bytes: 8, array: Float64Array, get: (view, at) => Number(view.getBigInt64(at)) },
  d: { bytes: 4, array: Float32Array, get: (view, at) => view.getFloat32(at) },
  D: { bytes: 8, array: Float64Array, get: (view, at) => view.getFloat64(at) },
};

/** @type {Record<string, any>} */
const CONSTANTS = { Z: null, T: true, F: false };

class Reader {
  #bytes;
  #view;
  #at = 0;

  /** @param {Uint8Array} bytes @param {string} file */
  constructor(bytes, file) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.file = file;
  }

  /** @type {(what: string) => never} */
  #refuse(what) {
    return fail('ERR_PARSE', `${this.file}: ${what} at byte ${this.#at}`);
  }

  /** Where so many bytes begin. @param {number} count */
  #take(count) {
    if (!(count <= this.#bytes.length - this.#at)) this.#refuse('the file ends too early');
    const at = this.#at;
    this.#at += count;
    return at;
  }

  #marker() {
    for (;;) {
      const marker = String.fromCharCode(this.#bytes[this.#take(1)]);
      if (marker !== 'N') return marker;
    }
  }

  #peek() {
    return String.fromCharCode(this.#bytes[this.#at] ?? 0);
  }

  #length(marker = this.#marker()) {
    const kind = Object.hasOwn(NUMBERS, marker) ? NUMBERS[marker] : undefined;
    const length = kind === undefined ? NaN : kind.get(this.#view, this.#take(kind.bytes));
    return Number.isSafeInteger(length) && length >= 0 ? length : this.#refuse('expected a length');
  }

  #text(length = this.#length()) {
    const at = this.#take(length);
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + at, length).toString('utf8');
  }

  /** @type {(marker: string, depth: number) => any} */
  #value(marker, depth) {
    if (Object.hasOwn(NUMBERS, marker)) {
      const { bytes, get } = NUMBERS[marker];
      return get(this.#view, this.#take(bytes));
    }
    if (Object.hasOwn(CONSTANTS, marker)) return CONSTANTS[marker];
    if (marker === 'S' || marker === 'H') return this.#text();
    if (marker === 'C') return String.fromCharCode(this.#bytes[this.#take(1)]);
    if (marker !== '[' && marker !== '{') return this.#refuse(`unknown marker ${JSON.stringify(marker)}`);
    if (depth >= DEEPEST) return this.#refuse(`more than ${DEEPEST} levels`);
    return marker === '[' ? this.#array(depth + 1) : this.#object(depth + 1);
  }

  /** What may stand behind the bracket: a type of all elements, and how many there are. */
  #head() {
    let [type, count] = [/** @type {string | null} */ (null), /** @type {number | null} */ (null)];
    if (this.#peek() === '$') {
      this.#take(1);
      type = this.#marker();
    }
    if (this.#peek() === '#') {
      this.#take(1);
      count = this.#length();
    }
    if (type !== null && count === null) this.#refuse('expected how many elements there are');
    if (count !== null && count > this.#bytes.length - this.#at && !(type !== null && type in CONSTANTS))
      this.#refuse(`${count} elements do not fit into the file`);
    if (count !== null && count > 2 ** 28) this.#refuse(`${count} elements are too many`);
    return { type, count };
  }

  /** @type {(depth: number) => any} */
  #array(depth) {
    const { type, count } = this.#head();
    if (type !== null && count !== null && Object.hasOwn(NUMBERS, type)) {
      const { bytes, array, get } = NUMBERS[type];
      const at = this.#take(bytes * count);
      const numbers = new array(count);
      for (let i = 0; i < count; i++) numbers[i] = get(this.#view, at + bytes * i);
      return numbers;
    }
    const list = [];
    while (count === null ? this.#peek() !== ']' : list.length < count) list.push(this.#value(type ?? this.#marker(), depth));
    if (count === null) this.#take(1);
    return list;
  }

  /** @type {(depth: number) => any} */
  #object(depth) {
    const { type, count } = this.#head();
    const object = Object.create(null);
    for (let i = 0; count === null ? this.#peek() !== '}' : i < count; i++) {
      const name = this.#text();
      object[name] = this.#value(type ?? this.#marker(), depth);
    }
    if (count === null) this.#take(1);
    return object;
  }

  value() {
    return this.#value(this.#marker(), 0);
  }
}

/** @type {(bytes: Uint8Array, file: string) => any} */
const parseUbjson = (bytes, file) => new Reader(bytes, file).value();

module.exports = { parseUbjson };
