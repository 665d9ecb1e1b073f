/**
 * Arrays in NumPy's file format, versions 1.0 to 3.0: a magic word, a header in the syntax of Python, the
 * elements as they lie in memory.
 *
 * Files come from strangers. The header is read by a small grammar, not evaluated; sizes are compared
 * with the bytes there are before memory is asked for. What is written is version 1.0, in C order and
 * little-endian. Structured, object and text arrays are refused, and so is bf16, for which NumPy has no
 * name: files of it hold elements of two bytes that could be anything.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { dtypes } = require('./dtypes.js');

/** @typedef {import('./dtypes.js').DType} DType */
/** @typedef {import('./dtypes.js').TypedArray} TypedArray */
/** @typedef {{ dtype: DType, shape: number[], data: TypedArray }} Plain */

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
const ALIGNMENT = 64;
const MOST_AXES = 8;
const MOST_HEADER = 65536;

/** Descriptions without their byte order. @type {Readonly<Record<string, DType>>} */
const DTYPE_OF = Object.freeze({
  f8: 'f64',
  f4: 'f32',
  f2: 'f16',
  i8: 'i64',
  i4: 'i32',
  i2: 'i16',
  i1: 'i8',
  u8: 'u64',
  u4: 'u32',
  u2: 'u16',
  u1: 'u8',
  b1: 'bool',
});

/** @type {(dtype: DType) => string | undefined} */
const codeOf = (dtype) => Object.keys(DTYPE_OF).find((code) => DTYPE_OF[code] === dtype);

const isLittle = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** @type {(message: string) => never} */
const bad = (message) => fail('ERR_PARSE', `npy: ${message}`);

/** @type {(text: string) => string} */
const clip = (text) => (text.length > 60 ? `${text.slice(0, 57)}...` : text);

// ---------------------------------------------------------------------------------------- header

const STRING = /'([^'\\]*)'|"([^"\\]*)"/y;

/** The words of a header, one after the other. */
class Words {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /** @type {(pattern: RegExp) => RegExpExecArray | null} sticky patterns */
  match(pattern) {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  /** @type {(mark: string) => boolean} */
  take(mark) {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    return true;
  }

  /** @type {(mark: string) => void} */
  expect(mark) {
    if (!this.take(mark))
      bad(`the header is damaged: expected '${mark}' at '${clip(this.text.slice(this.at).trim())}'`);
  }

  /** @returns {string} */
  string() {
    const found = this.match(STRING);
    if (!found) return bad(`the header is damaged: expected a string at '${clip(this.text.slice(this.at).trim())}'`);
    return found[1] ?? found[2];
  }
}

/** @type {(words: Words) => string} */
function readDescr(words) {
  if (words.take('[')) return bad('arrays of records are not supported, only plain numbers');
  return words.string();
}

/** @type {(words: Words) => boolean} */
function readOrder(words) {
  if (words.take('True')) return true;
  words.expect('False');
  return false;
}

/** @type {(words: Words) => number[]} */
function readShape(words) {
  /** @type {number[]} */
  const shape = [];
  words.expect('(');
  while (!words.take(')')) {
    const digits = words.match(/(\d+)L?/y);
    if (!digits) return bad(`the header is damaged: expected a size at '${clip(words.text.slice(words.at).trim())}'`);
    if (!Number.isSafeInteger(Number(digits[1]))) bad(`the size ${clip(digits[1])} is too large`);
    shape.push(Number(digits[1]));
    if (!words.take(',')) {
      words.expect(')');
      break;
    }
  }
  return shape;
}

/** @type {(text: string) => { descr: string, fortran: boolean, shape: number[] }} */
function readHeader(text) {
  const words = new Words(text);
  /** @type {Record<string, any>} */
  const found = {};
  /** @type {Record<string, (words: Words) => unknown>} */
  const readers = { descr: readDescr, fortran_order: readOrder, shape: readShape };
  words.expect('{');
  while (!words.take('}')) {
    const key = words.string();
    if (!Object.hasOwn(readers, key)) bad(`the header has an unknown key '${clip(key)}'`);
    if (Object.hasOwn(found, key)) bad(`the header has '${key}' twice`);
    words.expect(':');
    found[key] = readers[key](words);
    if (!words.take(',')) {
      words.expect('}');
      break;
    }
  }
  if (words.match(/\S/y)) bad('the header is damaged: there is something behind it');
  const missing = Object.keys(readers).find((key) => !Object.hasOwn(found, key));
  if (missing) bad(`the header lacks '${missing}'`);
  return { descr: found.descr, fortran: found.fortran_order, shape: found.shape };
}

/** @type {(bytes: Uint8Array) => { text: string, start: number }} the header, and where the elements start */
function findHeader(bytes) {
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) bad("this is no .npy file, it does not begin with '\\x93NUMPY'");
  const major = bytes[6];
  if (bytes.length >= 8 && !(major >= 1 && major <= 3))
    bad(`version ${major}.${bytes[7]} is unknown, versions 1 to 3 are known`);
  const before = major === 1 ? 10 : 12;
  if (bytes.length < before) bad(`the file ends inside its header, after ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > MOST_HEADER) bad(`the header has ${length} bytes, more than ${MOST_HEADER}`);
  if (bytes.length < before + length)
    bad(`the file ends inside its header, after ${bytes.length} of ${before + length} bytes`);
  const text = Buffer.from(bytes.subarray(before, before + length)).toString(major === 3 ? 'utf8' : 'latin1');
  return { text, start: before + length };
}

/** @type {(descr: string) => { dtype: DType, swap: boolean }} */
function readDtype(descr) {
  const found = /^([<>=|]?)([a-zA-Z]\d+)$/.exec(descr);
  const code = found?.[2] ?? '';
  if (!found || !Object.hasOwn(DTYPE_OF, code)) {
    const known = Object.entries(DTYPE_OF).map(([each, name]) => `${each} (${name})`);
    return fail(
      'ERR_UNSUPPORTED',
      `npy: elements of type '${clip(descr)}' are not supported, known are ${known.join(', ')}`,
    );
  }
  const isBig = found[1] === '>' || (found[1] === '=' && !isLittle);
  return { dtype: DTYPE_OF[code], swap: isBig === isLittle && dtypes[DTYPE_OF[code]].bytes > 1 };
}

/**
 * Elements, as many as there are bytes for.
 *
 * @type {(shape: readonly number[], available: number, each: number) => number}
 */
function countElements(shape, available, each) {
  if (shape.length > MOST_AXES) fail('ERR_SHAPE', `npy: the array has ${shape.length} axes, more than ${MOST_AXES}`);
  const wanted = shape.reduce((count, size) => count * BigInt(size), BigInt(each));
  if (wanted !== BigInt(available)) {
    const relation = wanted > BigInt(available) ? 'ends too early: it has' : 'is too long: it has';
    bad(`the file ${relation} ${available} bytes of elements, shape [${shape.join(', ')}] needs ${wanted}`);
  }
  return available / each;
}

// --------------------------------------------------------------------------------------- elements

/** @type {(bytes: Uint8Array, each: number) => void} */
function swapBytes(bytes, each) {
  for (let at = 0; at < bytes.length; at += each) bytes.subarray(at, at + each).reverse();
}

/** Columns first to rows first. @type {(source: any, target: any, shape: readonly number[]) => void} */
function fromFortran(source, target, shape) {
  const rank = shape.length;
  const strides = shape.map((_, axis) => shape.slice(0, axis).reduce((a, b) => a * b, 1));
  const index = new Array(rank).fill(0);
  let from = 0;
  for (let to = 0; to < target.length; to++) {
    target[to] = source[from];
    for (let axis = rank - 1; axis >= 0; axis--) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

/**
 * The array in the bytes of a file. Elements are not copied where they lie as a typed array wants them.
 *
 * @param {Uint8Array} bytes
 * @returns {Plain}
 * @throws {import('../base/errors.js').GraphError}
 */
function parseNpy(bytes) {
  const { text, start } = findHeader(bytes);
  const { descr, fortran, shape } = readHeader(text);
  const { dtype, swap } = readDtype(descr);
  const { arrayType, bytes: each } = dtypes[dtype];
  const count = countElements(shape, bytes.length - start, each);
  const ready = !swap && (bytes.byteOffset + start) % each === 0;
  // Of a Buffer, slice() would be a view.
  const own = ready ? bytes.subarray(start) : Uint8Array.prototype.slice.call(bytes, start);
  if (swap) swapBytes(own, each);
  const ArrayOver = /** @type {new (buffer: ArrayBufferLike, offset: number, length: number) => TypedArray} */ (
    /** @type {unknown} */ (arrayType)
  );
  let data = new ArrayOver(own.buffer, own.byteOffset, count);
  if (dtype === 'bool' && own.some((byte) => byte > 1)) bad('a bool is neither 0 nor 1');
  if (fortran && shape.length > 1) {
    const source = data;
    data = new arrayType(count);
    fromFortran(source, data, shape);
  }
  return { dtype, shape, data };
}

/**
 * What stands in front of the elements, version 1.0.
 *
 * @param {{ dtype: DType, shape: readonly number[] }} array
 * @returns {Uint8Array}
 */
function npyHead({ dtype, shape }) {
  const code = codeOf(dtype);
  if (code === undefined)
    return fail('ERR_UNSUPPORTED', `npy: NumPy has no ${dtype}; convert to f32, or bitcast to u16`);
  const order = dtypes[dtype].bytes === 1 ? '|' : '<';
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${order}${code}', 'fortran_order': False, 'shape': (${sizes}), }`;
  const start = Math.ceil((10 + text.length + 1) / ALIGNMENT) * ALIGNMENT;
  const bytes = new Uint8Array(start);
  bytes.set([...MAGIC, 1, 0, (start - 10) & 255, (start - 10) >> 8]);
  bytes.set(Buffer.from(`${text.padEnd(start - 11)}\n`, 'latin1'), 10);
  return bytes;
}

/**
 * The bytes of a file.
 *
 * @param {{ dtype: DType, shape: readonly number[], data: TypedArray }} array in C order
 * @returns {Uint8Array}
 */
function formatNpy({ dtype, shape, data }) {
  const head = npyHead({ dtype, shape });
  const bytes = new Uint8Array(head.length + data.byteLength);
  bytes.set(head);
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), head.length);
  if (!isLittle) swapBytes(bytes.subarray(head.length), dtypes[dtype].bytes);
  return bytes;
}

module.exports = { formatNpy, npyHead, parseNpy };
