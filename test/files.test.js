// load() and save(): what is written comes back, in the forms that others write too, and damaged or hostile files are errors.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const zlib = require('node:zlib');
const { after, test } = require('node:test');
const { spawnSync } = require('node:child_process');
const { GraphError, arange, dtypes, load, ones, save, tensor, zeros } = require('graphjit');
const { ownChecksum } = require('../lib/files/zip.js');
const { bytesOf } = require('./support/compare.js');
const { throwsGraphError: refuses } = require('./support/errors.js');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-files-'));
after(() => fs.rmSync(folder, { recursive: true }));
/** @type {(name: string) => string} */
const at = (name) => path.join(folder, name);

/** @type {(found: any, expected: any) => void} */
function assertSame(found, expected) {
  assert.deepEqual([found.dtype, found.shape], [expected.dtype, expected.shape]);
  assert.deepEqual(bytesOf(found.contiguous().data), bytesOf(expected.contiguous().data));
}

/** Tensors of every dtype, and of odd shapes. @type {Record<string, any>} */
const various = {
  ...Object.fromEntries(
    Object.values(dtypes)
      .map(({ name, kind }) => [name, tensor(kind === 'bool' ? [[true], [false], [true]] : [[1], [2], [3]], { dtype: name })]),
  ),
  'no axes': tensor(5),
  'no elements': zeros([0, 3]),
  strided: arange(12).reshape([3, 4]).T,
  part: arange(12).reshape([3, 4]).slice(1),
  pending: ones([700]).add(1),
  'a / ünïcode name': tensor([1n, -2n]),
  __proto__: undefined,
};
delete various.__proto__;

for (const [file, options] of /** @type {[string, any][]} */ ([
  ['all.npz', undefined],
  ['packed.npz', { compress: true }],
  ['all.safetensors', { metadata: { format: 'pt', 'ü': '"' } }],
  ['elsewhere', { format: 'npz' }],
])) {
  test(`tensors come back from ${file}`, () => {
    const known = file.endsWith('safetensors') ? various : Object.fromEntries(Object.entries(various).filter(([name]) => name !== 'bf16'));
    save(at(file), known, options);
    const found = load(at(file), options && options.format ? { format: options.format } : undefined);
    assert.deepEqual(Object.keys(found).sort(), Object.keys(known).sort());
    for (const name of Object.keys(known)) assertSame(found[name], known[name]);
    const some = load(at(file), { names: ['part', 'i32'], format: options?.format });
    assert.deepEqual(Object.keys(some).sort(), ['i32', 'part']);
    refuses(() => load(at(file), { names: ['prt'], format: options?.format }), 'ERR_ARGUMENT', /^load: unknown tensor 'prt' \(did you mean 'part'\?\)/);
  });
}

test('one tensor comes back from a .npy file', () => {
  for (const [name, value] of Object.entries(various)) {
    if (name === 'bf16') continue;
    save(at('one.npy'), value);
    assertSame(load(at('one.npy')), value);
  }
  save(at('LIST.NPY'), [[1, 2], [3, 4]]);
  assert.deepEqual(load(at('LIST.NPY')).toArray(), [[1, 2], [3, 4]]);
});

test('a name is a name, whatever it is', () => {
  const odd = JSON.parse('{ "__proto__": [1], "constructor": [2], "": [3] }');
  for (const file of ['odd.npz', 'odd.safetensors']) {
    save(at(file), odd);
    const found = load(at(file));
    assert.deepEqual(Object.keys(found).sort(), ['', '__proto__', 'constructor']);
    assert.equal(Object.getOwnPropertyDescriptor(found, '__proto__')?.value.at(0), 1);
  }
});

const python = ['/usr/bin/python3', 'python3'].find((one) => spawnSync(one, ['-c', 'import numpy']).status === 0);

test('NumPy reads and writes the same files', { skip: python === undefined && 'NumPy is not installed' }, () => {
  const script = `
import numpy as np
for name in ('stored', 'packed'):
    found = np.load(name + '.npz')
    assert sorted(found.files) == ['b', 'x'], found.files
    assert found['x'].dtype == np.float32 and found['x'].tolist() == [[1, 2], [3, 4]]
    assert found['b'].tolist() == [True, False]
assert np.load('x.npy').tolist() == [[1, 2], [3, 4]]
a = np.arange(6, dtype='>i4').reshape(2, 3)
np.savez('theirs.npz', a=a, f=np.asfortranarray(a), s=np.float64(2.5))
np.savez_compressed('theirs-packed.npz', a=a, f=np.asfortranarray(a), s=np.float64(2.5))`;
  const own = { x: tensor([[1, 2], [3, 4]], { dtype: 'f32' }), b: tensor([true, false]) };
  save(at('stored.npz'), own);
  save(at('packed.npz'), own, { compress: true });
  save(at('x.npy'), own.x);
  const { status, stderr } = spawnSync(String(python), ['-c', script], { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  for (const file of ['theirs.npz', 'theirs-packed.npz']) {
    const { a, f, s } = load(at(file));
    assert.deepEqual([a.toArray(), a.dtype, f.toArray(), s.item()], [[[0, 1, 2], [3, 4, 5]], 'i32', [[0, 1, 2], [3, 4, 5]], 2.5]);
  }
});

test('what is no file, or no file of ours, is refused', () => {
  refuses(() => load(at('nothing.npy')), 'ERR_ARGUMENT', /^load: cannot read .*nothing\.npy: there is no such file or folder$/);
  refuses(() => load(folder, { format: 'npy' }), 'ERR_ARGUMENT', /it is a folder$/);
  refuses(() => load(3, { format: 'npy' }), 'ERR_ARGUMENT', /expected a path for the file, got 3$/);
  refuses(() => load('a\0.npy'), 'ERR_ARGUMENT', /expected a path/);
  refuses(() => load(at('x.npy'), { format: 'zip' }), 'ERR_ARGUMENT', /expected one of 'npy', 'npz', 'safetensors'/);
  refuses(() => load(at('x.npy'), { names: ['x'] }), 'ERR_ARGUMENT', /holds one tensor, without names$/);
  refuses(() => save(at('x.npy'), { x: [1] }), 'ERR_ARGUMENT', /expected one tensor, for a \.npy file,/);
  refuses(() => save(at('x.npz'), tensor([1])), 'ERR_ARGUMENT', /expected an object from names to tensors/);
  refuses(() => save(at('x.npz'), { x: [1] }, { metadata: {} }), 'ERR_ARGUMENT', /a \.npz file has no option 'metadata'$/);
  refuses(() => save(at('x.safetensors'), { x: [1] }, { metadata: { a: 1 } }), 'ERR_ARGUMENT', /expected an object of strings/);
  refuses(() => save(at('x.safetensors'), { __metadata__: [1] }), 'ERR_ARGUMENT', /is no name of a tensor$/);
  refuses(() => save(at('no/such/x.npy'), [1]), 'ERR_ARGUMENT', /^save: cannot write .*: there is no such file or folder$/);
  refuses(() => save(folder, [1], { format: 'npy' }), 'ERR_ARGUMENT', /it is a folder$/);
});

test('a file that cannot be written completely stays as it was', () => {
  save(at('kept.npz'), { x: [1] });
  const gone = ones([2000]);
  gone.dispose();
  refuses(() => save(at('kept.npz'), { a: [1], gone }), 'ERR_STATE', /the tensor is disposed$/);
  assert.deepEqual(load(at('kept.npz')).x.toArray(), [1]);
  assert.deepEqual(fs.readdirSync(folder).filter((name) => name.endsWith('.tmp')), []);
});

/** @type {(header: unknown, data?: number, more?: string) => void} */
function writeSafetensors(header, data = 8, more = '') {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header) + more);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  fs.writeFileSync(at('made.safetensors'), Buffer.concat([length, text, Buffer.alloc(data)]));
}

test('safetensors files that contradict themselves are refused', () => {
  const made = at('made.safetensors');
  const x = { dtype: 'F32', shape: [2], data_offsets: [0, 8] };
  writeSafetensors({ x }, 8, '   ');
  assert.deepEqual(load(made).x.toArray(), [0, 0]);
  /** @type {[unknown, number, RegExp, any?][]} */
  const wrong = [
    [{ x }, 12, /its tensors have 8 bytes, the file has 12$/],
    [{ x }, 4, /tensor "x" has the offsets \[0, 8\], of 4 bytes$/],
    [{ x, y: x }, 8, /tensor "y" begins at 0, where 8 bytes come before it$/],
    [{ x: { ...x, data_offsets: [4, 12] } }, 12, /tensor "x" begins at 4, where 0 bytes/],
    [{ x: { ...x, data_offsets: [8, 0] } }, 8, /has the offsets \[8, 0\]/],
    [{ x: { ...x, data_offsets: [0, 8.5] } }, 8, /has the offsets/],
    [{ x: { ...x, shape: [3] } }, 8, /tensor "x" has 8 bytes, F32\[3\] needs 12$/],
    [{ x: { ...x, shape: [2 ** 50, 2 ** 50] } }, 8, /needs \d{30}/],
    [{ x: { ...x, shape: [-2] } }, 8, /has the shape \[-2\]$/],
    [{ x: { ...x, shape: new Array(9).fill(1) } }, 8, /has 9 axes, more than 8$/, 'ERR_SHAPE'],
    [{ x: { ...x, dtype: 'F8_E4M3' } }, 8, /has the dtype "F8_E4M3", known are F64, /, 'ERR_UNSUPPORTED'],
    [{ x: { ...x, dtype: 'toString' } }, 8, /has the dtype "toString"/, 'ERR_UNSUPPORTED'],
    [{ x: { ...x, extra: 1 } }, 8, /tensor "x" has data_offsets,dtype,extra,shape, not/],
    [{ x: null }, 0, /tensor "x" is null, not an object$/],
    [{ __metadata__: { a: 1 } }, 0, /__metadata__ is no object of texts$/],
    ['[1]', 0, /does not begin with '\{'$/],
    [' {}', 0, /does not begin with '\{'$/],
    ['{"x"', 0, /its header is no JSON$/],
    [`{"x":${JSON.stringify(x)},"\\u0078":${JSON.stringify(x)}}`, 8, /two tensors have the name "x"$/],
  ];
  for (const [header, data, message, code = 'ERR_PARSE'] of wrong) {
    writeSafetensors(header, data);
    refuses(() => load(made), code, message);
  }
  fs.writeFileSync(made, 'short');
  refuses(() => load(made), 'ERR_PARSE', /it has 5 bytes/);
  fs.writeFileSync(made, Buffer.alloc(16, 255));
  refuses(() => load(made), 'ERR_PARSE', /its header has 1844\d+ bytes, more than 100000000$/);
  fs.writeFileSync(made, Buffer.from([9, 0, 0, 0, 0, 0, 0, 0, 123, 125]));
  refuses(() => load(made), 'ERR_PARSE', /its header of 9 bytes reaches beyond its end$/);
});

test('files cut anywhere, and with any byte changed, are read right or refused', () => {
  const few = { x: tensor([1, 2], { dtype: 'i16' }), y: tensor([true]) };
  for (const [file, options] of /** @type {[string, any][]} */ ([['few.npz', {}], ['few-packed.npz', { compress: true }], ['few.safetensors', {}], ['few.npy', {}]])) {
    save(at(file), file.endsWith('.npy') ? few.x : few, options);
    const whole = fs.readFileSync(at(file));
    const other = at(`other-${file}`);
    const readOr = (/** @type {Buffer} */ bytes) => {
      fs.writeFileSync(other, bytes);
      try {
        return load(other);
      } catch (error) {
        assert.ok(error instanceof GraphError, String(error));
        return undefined;
      }
    };
    for (let end = 0; end < whole.length; end++) assert.equal(readOr(whole.subarray(0, end)), undefined, `${file} cut at ${end}`);
    for (let i = 0; i < whole.length; i++) readOr(Buffer.from(whole).fill(whole[i] ^ 0xff, i, i + 1));
  }
});

test('archives that hold more than they say, or twice the same bytes, are refused', () => {
  const file = at('bomb.npz');
  save(file, { x: zeros([100000]) }, { compress: true });
  const bytes = fs.readFileSync(file);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const directory = bytes.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
  const sizes = directory + 46 + 'x.npy'.length + 4;
  view.setBigUint64(sizes, 1000n, true);
  fs.writeFileSync(file, bytes);
  refuses(() => load(file), 'ERR_PARSE', /"x\.npy" is larger than it says$/);
  view.setBigUint64(sizes, 2n ** 60n, true);
  fs.writeFileSync(file, bytes);
  refuses(() => load(file), 'ERR_PARSE', /a size is beyond all bounds$/);
  save(file, { x: zeros([9]), y: zeros([9]) });
  const two = fs.readFileSync(file);
  const second = two.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
  new DataView(two.buffer, two.byteOffset).setBigUint64(second + 46 + 'y.npy'.length + 4 + 16, 0n, true);
  fs.writeFileSync(file, two);
  refuses(() => load(file), 'ERR_PARSE', /reaches beyond its end, into what follows$/);
});

test('checksums are those of zip', () => {
  const bytes = Buffer.from('123456789');
  assert.equal(ownChecksum(bytes), 0xcbf43926);
  if (typeof (/** @type {any} */ (zlib).crc32) === 'function') assert.equal(/** @type {any} */ (zlib).crc32(bytes), 0xcbf43926);
});
