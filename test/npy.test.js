// lib/tensor/npy.js: what is written reads back, in every dtype; what NumPy writes otherwise is read too; what is
// damaged or not supported is refused and says why.
'use strict';

const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { dtypes } = require('../lib/tensor/dtypes.js');
const { formatNpy, parseNpy } = require('../lib/tensor/npy.js');

const F64 = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";

/** A file with this header in this version. @type {(header: string, body?: Uint8Array, version?: number[]) => Buffer} */
function fileOf(header, body = new Uint8Array(0), version = [1, 0]) {
  const length = Buffer.alloc(version[0] === 1 ? 2 : 4);
  const text = Buffer.from(`${header}\n`, version[0] === 3 ? 'utf8' : 'latin1');
  if (version[0] === 1) length.writeUInt16LE(text.length);
  else length.writeUInt32LE(text.length);
  return Buffer.concat([Buffer.from('\x93NUMPY', 'latin1'), Buffer.from(version), length, text, body]);
}

/** @type {(array: NodeJS.TypedArray) => Uint8Array} */
const bytesOf = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

const two = bytesOf(Float64Array.of(1.5, -2));

for (const { name, arrayType, big, kind } of Object.values(dtypes).filter((row) => row.name !== 'bf16')) {
  it(`${name} reads back as it was written`, () => {
    const values = kind === 'bool' ? [0, 1, 1, 0, 1, 0] : [0, 1, 2, 3, 100, 127];
    const data = /** @type {any} */ (arrayType).from(big ? values.map(BigInt) : values);
    const bytes = formatNpy({ dtype: name, shape: [2, 3], data });
    assert.equal((bytes.length - data.byteLength) % 64, 0);
    assert.deepEqual(parseNpy(bytes), { dtype: name, shape: [2, 3], data });
  });
}

describe('what NumPy writes', () => {
  it('is what is written here', () => {
    const bytes = Buffer.from(formatNpy({ dtype: 'f64', shape: [2], data: Float64Array.of(1.5, -2) }));
    const header = `${F64.padEnd(117)}\n`;
    assert.deepEqual(bytes, Buffer.concat([Buffer.from('\x93NUMPY\x01\x00\x76\x00', 'latin1'), Buffer.from(header), two]));
  });

  for (const version of [[1, 0], [2, 0], [3, 0]]) {
    it(`is read in version ${version.join('.')}, at any alignment`, () => {
      for (const pad of ['', ' ', '    ']) {
        assert.deepEqual(parseNpy(fileOf(F64 + pad, two, version)), { dtype: 'f64', shape: [2], data: Float64Array.of(1.5, -2) });
      }
    });
  }

  it('may have scalars, empty arrays and other spellings of the header', () => {
    assert.deepEqual(parseNpy(fileOf("{'shape': (), 'fortran_order': False, 'descr': '|u1'}", Uint8Array.of(7))), { dtype: 'u8', shape: [], data: Uint8Array.of(7) });
    assert.deepEqual(parseNpy(fileOf('{"descr":"<i4","fortran_order":True,"shape":(3L,0L,)}')), { dtype: 'i32', shape: [3, 0], data: new Int32Array(0) });
  });

  it('in Fortran order is brought into C order', () => {
    const header = "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 2), }";
    const columns = Int16Array.from({ length: 12 }, (_, i) => i); // element [i, j, k] is i + 2 j + 6 k
    const expected = [];
    for (let i = 0; i < 2; i++) for (let j = 0; j < 3; j++) for (let k = 0; k < 2; k++) expected.push(i + 2 * j + 6 * k);
    assert.deepEqual([...parseNpy(fileOf(header, bytesOf(columns))).data], expected);
  });

  it('with the bytes of another processor is swapped', () => {
    const body = Buffer.alloc(16);
    body.writeDoubleBE(1.5, 0);
    body.writeDoubleBE(-2, 8);
    const file = fileOf(F64.replace('<', '>'), body);
    const before = Buffer.from(file);
    assert.deepEqual(parseNpy(file).data, Float64Array.of(1.5, -2));
    assert.deepEqual(file, before, 'the bytes that were passed stay as they are');
  });
});

/** @type {[string, Uint8Array, RegExp][]} */
const bad = [
  ['nothing', new Uint8Array(0), /no \.npy file/],
  ['another magic word', Buffer.from('PK\x03\x04 something else'), /no \.npy file/],
  ['an unknown version', fileOf(F64, two, [4, 0]), /version 4\.0 is unknown/],
  ['half a prefix', fileOf(F64, two).subarray(0, 9), /ends inside its header, after 9 bytes/],
  ['half a header', fileOf(F64, two).subarray(0, 30), /ends inside its header, after 30 of/],
  ['a header that claims gigabytes', Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 2, 0, 255, 255, 255, 255]), /header has 4294967295 bytes/],
  ['too few elements', fileOf(F64, two.subarray(0, 15)), /ends too early: it has 15 bytes of elements, shape \[2\] needs 16/],
  ['too many elements', fileOf(F64, Buffer.concat([two, two])), /too long: it has 32 bytes/],
  ['a size beyond all', fileOf(F64.replace('2,', '9'.repeat(30)), two), /the size 9+ is too large/],
  ['sizes whose product overflows', fileOf(F64.replace('2,', '4294967296, 4294967296, 4294967296'), two), /ends too early/],
  ['an overflow that comes to 0', fileOf(F64.replace('2,', '9007199254740991, 9007199254740991, 0'), two), /too long/],
  ['too many axes', fileOf(F64.replace('2,', '1, 1, 1, 1, 1, 1, 1, 1, 2'), two), /has 9 axes, more than 8/],
  ['a negative size', fileOf(F64.replace('2,', '-2,'), two), /expected a size at '-2,\), }'/],
  ['records', fileOf("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }", two), /records are not supported/],
  ['objects', fileOf(F64.replace('<f8', '|O'), two), /elements of type '\|O' are not supported, known are f8 \(f64\)/],
  ['long doubles', fileOf(F64.replace('<f8', '<f16'), two), /elements of type '<f16' are not supported/],
  ['names of Object.prototype', fileOf(F64.replace('<f8', 'constructor'), two), /elements of type 'constructor' are not supported/],
  ['text instead of a dict', fileOf('import os', two), /expected '{' at 'import os'/],
  ['a missing key', fileOf("{'descr': '<f8', 'shape': (2,), }", two), /lacks 'fortran_order'/],
  ['an unknown key', fileOf("{'descr': '<f8', '__proto__': 1, }", two), /unknown key '__proto__'/],
  ['a key twice', fileOf("{'descr': '<f8', 'descr': '<f8', }", two), /has 'descr' twice/],
  ['something behind the dict', fileOf(`${F64} + 1`, two), /something behind it/],
  ['a bool of 2', fileOf("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", Uint8Array.of(1, 2)), /neither 0 nor 1/],
];

for (const [what, bytes, message] of bad) {
  it(`refuses ${what}`, () => {
    assert.throws(() => parseNpy(bytes), (/** @type {any} */ error) => error.name === 'GraphError' && /^ERR_/.test(error.code) && message.test(error.message));
  });
}

it('every prefix of a file is refused', () => {
  const whole = formatNpy({ dtype: 'f64', shape: [2], data: Float64Array.of(1.5, -2) });
  for (let length = 0; length < whole.length; length++) {
    assert.throws(() => parseNpy(whole.subarray(0, length)), { name: 'GraphError' });
  }
});

it('damaged bytes of a header give an array or a GraphError', () => {
  const whole = formatNpy({ dtype: 'f64', shape: [2], data: Float64Array.of(1.5, -2) });
  for (let at = 0; at < 128; at++) {
    for (const flip of [1, 0x10, 0x80, 0xff]) {
      const bytes = Uint8Array.from(whole);
      bytes[at] ^= flip;
      try {
        parseNpy(bytes);
      } catch (error) {
        assert.equal(/** @type {Error} */ (error).name, 'GraphError');
      }
    }
  }
});

it('floats of 16 bits are those of NumPy', () => {
  const bytes = formatNpy({ dtype: 'f16', shape: [2], data: Uint16Array.of(0x3c00, 0xc000) });
  assert.match(Buffer.from(bytes).toString('latin1'), /'descr': '<f2'/);
  assert.deepEqual([...bytes.subarray(-4)], [0, 0x3c, 0, 0xc0]);
});

it('bf16, which NumPy has no name for, is not written', () => {
  const message = 'npy: NumPy has no bf16; convert to f32, or bitcast to u16';
  assert.throws(() => formatNpy({ dtype: 'bf16', shape: [1], data: new Uint16Array(1) }), { code: 'ERR_UNSUPPORTED', message });
});
