// Tables: what programs have as columns over the same memory, with values equal to what apache-arrow says of them.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const arrow = require('apache-arrow');
const { tensor } = require('graphjit');
const { Column, concatColumns, makeColumn, readTable, sliceColumn, takeRows, useArrow, wholeColumn } = require('../../lib/columns/data');
const types = require('../../lib/columns/types');

const { makeData, vectorFromArray } = arrow;

/** A vector with some nulls, of more than a word of rows. @type {(type: any, valueOf: (row: number) => any, rows?: number) => any} */
const vectorOf = (type, valueOf, rows = 150) =>
  vectorFromArray(Array.from({ length: rows }, (_, row) => (row % 7 === 3 ? null : valueOf(row))), type);

/** Vectors of fixed width that builders do not make. @type {(type: any, data: any, length: number) => any} */
const vectorOver = (type, data, length) =>
  new arrow.Vector([makeData({ type, data, length, nullBitmap: Uint8Array.from({ length: Math.ceil(length / 8) }, () => 0b10110111) })]);

const TEXTS = ['', 'a', 'Straße', '日本', '😀!', 'plain text that is longer'];
const text = (/** @type {number} */ row) => TEXTS[row % TEXTS.length] + (row % 3 === 0 ? row : '');
const bytes = (/** @type {number} */ row) => Uint8Array.from({ length: row % 5 }, (_, i) => row + i * 70);
const big = (/** @type {number} */ row) => BigInt(row) * 1234567890123n - 99n;

/** @type {Record<string, any>} by the text of the type that expressions see */
const vectors = {
  int8: vectorOf(new arrow.Int8(), (row) => row - 75), int16: vectorOf(new arrow.Int16(), (row) => row * 217 - 16000), int32: vectorOf(new arrow.Int32(), (row) => row * 1e7 - 7e8),
  int64: vectorOf(new arrow.Int64(), big), uint8: vectorOf(new arrow.Uint8(), (row) => row + 100), uint16: vectorOf(new arrow.Uint16(), (row) => row * 400), uint32: vectorOf(new arrow.Uint32(), (row) => row * 2e7),
  uint64: vectorOf(new arrow.Uint64(), (row) => 2n ** 64n - 1n - BigInt(row)), float16: vectorOf(new arrow.Float16(), (row) => row / 4), float32: vectorOf(new arrow.Float32(), (row) => row / 8), float64: vectorOf(new arrow.Float64(), (row) => row / 3),
  bool: vectorOf(new arrow.Bool(), (row) => row % 5 < 2), utf8: vectorOf(new arrow.Utf8(), text), binary: vectorOf(new arrow.Binary(), bytes),
  date32: vectorOf(new arrow.DateDay(), (row) => new Date(row * 864e7)), date64: vectorOf(new arrow.DateMillisecond(), (row) => new Date(row * 864e5)),
  'time32[s]': vectorOf(new arrow.TimeSecond(), (row) => row), 'time32[ms]': vectorOf(new arrow.TimeMillisecond(), (row) => row * 1000), 'time64[us]': vectorOf(new arrow.TimeMicrosecond(), big), 'time64[ns]': vectorOf(new arrow.TimeNanosecond(), big),
  'timestamp[s]': vectorOf(new arrow.TimestampSecond(), (row) => row * 1000), 'timestamp[ms, Europe/Berlin]': vectorOf(new arrow.TimestampMillisecond('Europe/Berlin'), (row) => row * 1001),
  'timestamp[us, UTC]': vectorOf(new arrow.TimestampMicrosecond('UTC'), (row) => row * 977), 'timestamp[ns]': vectorOf(new arrow.TimestampNanosecond(), (row) => row * 977),
  'duration[s]': vectorOf(new arrow.DurationSecond(), big), 'duration[us]': vectorOf(new arrow.DurationMicrosecond(), big),
};

/** Those whose values differ from those of apache-arrow, with what they are. @type {[string, any, (row: number) => any][]} */
const others = [
  ['decimal128(20, 3)', vectorOver(new arrow.Decimal(3, 20), Uint32Array.from({ length: 400 }, (_, i) => (i % 4 === 0 ? i : i < 200 ? 0 : 0xffffffff)), 100), (row) => ((row < 50 ? row * 4 : row * 4 - 2 ** 32) / 1000).toFixed(3)],
  ['interval[year_month]', vectorOver(new arrow.IntervalYearMonth(), Int32Array.from({ length: 100 }, (_, i) => i - 20), 100), (row) => ({ months: row - 20, days: 0, nanoseconds: 0n })],
  ['interval[day_time]', vectorOver(new arrow.IntervalDayTime(), Int32Array.from({ length: 200 }, (_, i) => i - 20), 100), (row) => ({ months: 0, days: row * 2 - 20, nanoseconds: BigInt(row * 2 - 19) * 1000000n })],
  ['interval[month_day_nano]', vectorOver(new arrow.IntervalMonthDayNano(), Int32Array.from({ length: 400 }, (_, i) => (i % 4 === 3 ? -1 : i - 20)), 100), (row) => ({ months: row * 4 - 20, days: row * 4 - 19, nanoseconds: BigInt.asIntN(64, (-1n << 32n) | BigInt(row * 4 - 18 >>> 0)) })],
];

/** @type {(vector: any) => any[]} */
const valuesOf = (vector) => Array.from({ length: vector.length }, (_, row) => vector.get(row));
/** @type {(table: any, name?: string) => any[]} */
const read = (table, name = 'value') => table.column(name).chunks.flatMap((/** @type {any} */ column) => column.toArray());

test('every type of Arrow gives its values', () => {
  for (const [name, vector] of Object.entries(vectors)) {
    const table = readTable(vector);
    assert.equal(table.fields.get('value')?.type.text, name);
    assert.equal(table.rows, vector.length);
    assert.deepEqual(read(table), valuesOf(vector), name);
    assert.equal(table.column('value').chunks[0].nullCount, vector.nullCount, name);
    assert.ok(table.field('value').nullable);
  }
  for (const [name, vector, valueOf] of others) {
    const table = readTable(vector);
    assert.equal(table.fields.get('value')?.type.text, name);
    const expected = Array.from({ length: vector.length }, (_, row) => (vector.isValid(row) ? valueOf(row) : null));
    assert.deepEqual(read(table), expected, name);
  }
});

test('values are the same memory', () => {
  const column = readTable(vectors.float64).column('value').chunks[0];
  assert.equal(column.values.buffer, vectors.float64.data[0].values.buffer);
  const strings = readTable(vectors.utf8).column('value').chunks[0];
  assert.equal(strings.values, vectors.utf8.data[0].values);
  assert.equal(strings.offsets?.buffer, vectors.utf8.data[0].valueOffsets.buffer);
  const array = new Float64Array(5);
  assert.equal(readTable({ x: array }).column('x').chunks[0].values, array);
});

test('slices begin at any row, also of bitmaps and offsets', () => {
  const all = [...Object.entries(vectors), ...others.map(([name, vector]) => /** @type {[string, any]} */ ([name, vector]))];
  for (const [name, vector] of all) {
    const whole = read(readTable(vector));
    for (const [from, to] of [[0, 64], [1, 90], [3, 4], [8, 80], [64, 99], [65, 100], [77, 77]]) {
      assert.deepEqual(read(readTable(vector.slice(from, to))), whole.slice(from, to), `${name} ${from}`);
      assert.deepEqual(read(readTable(vector.slice(2).slice(from, to))), whole.slice(from + 2, to + 2), `${name} ${from}`);
      assert.deepEqual(sliceColumn(readTable(vector).column('value').chunks[0], from, to).toArray(), whole.slice(from, to), name);
    }
  }
});

test('bitmaps are where kernels read words of them', () => {
  for (const from of [0, 1, 8, 63, 64]) {
    const { values, validity } = readTable(vectors.bool.slice(from)).column('value').chunks[0];
    for (const bitmap of [values, validity]) assert.deepEqual([bitmap.byteOffset % 8, bitmap.length], [0, Math.ceil((150 - from) / 8)]);
  }
});

test('large texts and binaries, fixed-size binaries, views and nulls', () => {
  const large = vectorOf(new arrow.LargeUtf8(), text);
  const table = readTable(large);
  assert.equal(table.fields.get('value')?.layout, 'offsets64');
  assert.deepEqual(read(table), valuesOf(large));
  assert.deepEqual(read(readTable(large.slice(5, 70))), valuesOf(large).slice(5, 70));
  const blobs = vectorOf(new arrow.LargeBinary(), bytes);
  assert.deepEqual(read(readTable(blobs)), valuesOf(blobs));
  const fixed = vectorOf(new arrow.FixedSizeBinary(3), (row) => Uint8Array.of(row, 1, 2));
  assert.deepEqual(read(readTable(fixed.slice(4, 40))), valuesOf(fixed).slice(4, 40));
  assert.equal(readTable(fixed).fields.get('value')?.type, types.binary);
  const views = vectorOf(new arrow.Utf8View(), text);
  assert.deepEqual(read(readTable(views)), valuesOf(views));
  assert.deepEqual(read(readTable(views.slice(5, 70))), valuesOf(views).slice(5, 70));
  const nothing = new arrow.Vector([makeData({ type: new arrow.Null(), length: 3 })]);
  assert.deepEqual(read(readTable(nothing)), [null, null, null]);
  assert.equal(readTable(nothing).column('value').chunks[0].nullCount, 3);
});

test('a dictionary is a table that all chunks share', () => {
  const words = ['x', 'y', null, 'x', 'z', 'y'];
  for (const index of [new arrow.Int8(), new arrow.Int16(), new arrow.Int32(), new arrow.Uint8(), new arrow.Uint16(), new arrow.Uint32()]) {
    const vector = vectorFromArray(words, new arrow.Dictionary(new arrow.Utf8(), index));
    const table = readTable(vector);
    const { type, layout, index: name, values } = table.field('value');
    assert.deepEqual([type, layout, name], [types.utf8, 'dictionary', String(index).toLowerCase()]);
    assert.deepEqual(read(/** @type {any} */ (values), 'values'), ['x', 'y', 'z']);
    assert.equal(values, table.field('value').values);
    assert.deepEqual(read(table), words);
    assert.deepEqual(read(readTable(vector.slice(2, 5))), words.slice(2, 5));
  }
  const type = new arrow.Dictionary(new arrow.Utf8(), /** @type {any} */ (new arrow.Int64()));
  const long = makeData({ type, length: 3, data: /** @type {any} */ (BigInt64Array.of(1n, 0n, 1n)), dictionary: vectorFromArray(['a', 'b'], new arrow.Utf8()) });
  assert.deepEqual(read(readTable(new arrow.Vector([long]))), ['b', 'a', 'b']);
  const times = vectorFromArray([5, 6, 5], new arrow.Dictionary(new arrow.TimestampMillisecond(), new arrow.Int8()));
  assert.deepEqual(read(readTable(times)), [5, 6, 5]);
});

/** @type {(words: (string | null)[], indices: number[], nulls?: number[], id?: number) => any} */
function dictionaryData(words, indices, nulls = [], id = 7) {
  const type = new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8(), id);
  const nullBitmap = nulls.length ? Uint8Array.from([255 - nulls.reduce((sum, row) => sum + 2 ** row, 0)]) : undefined;
  return makeData({ type, length: indices.length, data: /** @type {any} */ (Int8Array.from(indices)), dictionary: vectorFromArray(words, new arrow.Utf8()), nullBitmap });
}

test('dictionaries that differ between chunks become one', () => {
  /** @type {[any[], string[], any[]][]} */
  const cases = [
    [[dictionaryData(['a', 'b'], [1, 0]), dictionaryData(['a', 'b', 'c'], [2, 1])], ['a', 'b', 'c'], ['b', 'a', 'c', 'b']],
    [[dictionaryData(['a', 'b'], [1, 0]), dictionaryData(['b', 'd'], [0, 1])], ['a', 'b', 'd'], ['b', 'a', 'b', 'd']],
    [[dictionaryData(['a', 'a'], [1, 0]), dictionaryData(['c'], [0, 0], [1])], ['a', 'a', 'c'], ['a', 'a', 'c', null]],
    [[dictionaryData(['a'], [0]), dictionaryData([], [5, 5], [0, 1])], ['a'], ['a', null, null]],
  ];
  for (const [list, words, expected] of cases) {
    const table = readTable(new arrow.Vector(list));
    assert.deepEqual(read(table), expected);
    assert.deepEqual(read(table.field('value').values, 'values').slice(0, words.length), words);
    const { chunks } = table.column('value');
    assert.equal(new Set(chunks.map(({ dictionary }) => dictionary)).size, 1);
    assert.deepEqual(chunks.map(({ index }) => index), [table.field('value').index, table.field('value').index]);
    assert.deepEqual(wholeColumn(table, 'value').toArray(), expected);
  }
});

test('indices of differing types become one', () => {
  const dictionary = vectorFromArray(['a', 'b'], new arrow.Utf8());
  const [narrow, wide] = [[new arrow.Int8(), Int8Array], [new arrow.Uint16(), Uint16Array]].map(([index, Class]) =>
    new arrow.Table({ s: new arrow.Vector([makeData({ type: new arrow.Dictionary(new arrow.Utf8(), /** @type {any} */ (index)), length: 2, data: new /** @type {any} */ (Class)([1, 0]), dictionary })]) }));
  const table = readTable([narrow, wide]);
  assert.deepEqual([read(table, 's'), table.field('s').index], [['b', 'a', 'b', 'a'], 'int32']);
  assert.equal(readTable(narrow).field('s').index, 'int8');
});

test('memory that threads share is read where it is', () => {
  const [shared, offsets] = [new SharedArrayBuffer(4), new SharedArrayBuffer(12)];
  new Uint8Array(shared).set(Buffer.from('aé!'));
  new Int32Array(offsets).set([0, 1, 4]);
  const table = readTable({ s: new arrow.Vector([makeData({ type: new arrow.Utf8(), length: 2, valueOffsets: new Int32Array(offsets), data: new Uint8Array(shared) })]), x: new Float64Array(new SharedArrayBuffer(16)) });
  assert.deepEqual([read(table, 's'), read(table, 'x')], [['a', 'é!'], [0, 0]]);
  assert.equal(table.column('s').chunks[0].values.buffer, shared);
});

test('indices behind nulls are good to follow', () => {
  const table = readTable(new arrow.Vector([dictionaryData(['a', 'b'], [1, 99, -4, 0], [1, 2])]));
  assert.deepEqual(read(table), ['b', null, null, 'a']);
  assert.deepEqual([...table.column('value').chunks[0].values], [1, 0, 0, 0]);
  const empty = readTable(new arrow.Vector([dictionaryData([], [3, 3], [0, 1])]));
  assert.deepEqual(read(empty), [null, null]);
  assert.deepEqual(read(empty.field('value').values, 'values'), [null]);
  const nulls = readTable(new arrow.Vector([dictionaryData(['a', null], [1, 0])]));
  assert.deepEqual([read(nulls), nulls.field('value').nullable, nulls.column('value').chunks[0].nullCount], [[null, 'a'], true, 1]);
});

test('structs are columns by their fields, null where the struct is', () => {
  const child = vectorOf(new arrow.Int32(), (row) => row, 20).data[0];
  const inner = makeData({ type: new arrow.Struct([new arrow.Field('z', new arrow.Bool(), true)]), length: 20, children: [vectorOf(new arrow.Bool(), (row) => row > 9, 20).data[0]] });
  const fields = [new arrow.Field('x', new arrow.Int32(), true), new arrow.Field('q', inner.type, true)];
  const struct = makeData({ type: new arrow.Struct(fields), length: 20, nullBitmap: Uint8Array.of(0b11111110, 255, 0b0111), children: [child, inner] });
  for (const [from, to] of [[0, 20], [5, 20], [0, 3]]) {
    const vector = new arrow.Vector([struct]).slice(from, to);
    const table = readTable({ p: vector });
    assert.deepEqual([...table.fields.keys()], ['p', 'p.x', 'p.q', 'p.q.z']);
    const rows = valuesOf(vector);
    assert.deepEqual(read(table, 'p.x'), rows.map((row) => row?.x ?? null));
    assert.deepEqual(read(table, 'p.q.z'), rows.map((row) => row?.q?.z ?? null));
  }
  assert.throws(() => readTable({ p: new arrow.Vector([struct]) }).field('p'), /column 'p' is a struct, which expressions cannot use; name one of its fields: p\.x, p\.q/);
});

test('columns that expressions cannot use disturb nobody who does not name them', () => {
  const list = vectorFromArray([[1, 2], [3]], new arrow.List(new arrow.Field('item', new arrow.Int32())));
  const table = readTable({ l: list, x: Float64Array.of(1, 2), d: vectorOver(new arrow.Decimal(-2, 10), new Uint32Array(8), 2) });
  assert.deepEqual(read(table, 'x'), [1, 2]);
  assert.throws(() => table.column('l'), (/** @type {any} */ error) => error.code === 'ERR_UNSUPPORTED' && /column 'l' is List<Int32>/.test(error.message));
  assert.throws(() => table.column('d'), /decimal128\(10, -2\)/);
  assert.throws(() => table.column('y'), /unknown column 'y' \(did you mean/);
  const twice = new arrow.RecordBatch(new arrow.Schema([new arrow.Field('a', new arrow.Int8()), new arrow.Field('a', new arrow.Int8())]), makeData({ type: new arrow.Struct([]), length: 1, children: [vectors.int8.data[0].slice(0, 1), vectors.int8.data[0].slice(0, 1)] }));
  assert.throws(() => readTable(twice).column('a'), /a name that two columns have/);
});

test('chunks of tables stay chunks, and are cut where those of columns differ', () => {
  const a = new arrow.Vector([...vectors.int32.slice(0, 70).data, ...vectors.int32.slice(70, 150).data]);
  const b = new arrow.Vector([...vectors.utf8.slice(0, 33).data, ...vectors.utf8.slice(33, 150).data]);
  const both = readTable({ a, b, c: Float64Array.from({ length: 150 }, (_, i) => i), d: Array.from({ length: 150 }, (_, i) => i % 3 === 0) });
  assert.deepEqual(both.chunks.map(({ rows }) => rows), [33, 37, 80]);
  assert.deepEqual(read(both, 'a'), valuesOf(vectors.int32));
  assert.deepEqual(read(both, 'b'), valuesOf(vectors.utf8));
  assert.deepEqual(read(both, 'd'), Array.from({ length: 150 }, (_, i) => i % 3 === 0));
  assert.equal(both.chunks[1].columns.get('a')?.length, 37);
  const table = new arrow.Table({ a: vectors.int32, b: vectors.utf8 });
  const twice = readTable([table, table.slice(10, 20)]);
  assert.deepEqual([twice.rows, twice.chunks.length, twice.origin], [160, 2, 'arrow']);
  assert.deepEqual(read(twice, 'b'), [...valuesOf(vectors.utf8), ...valuesOf(vectors.utf8).slice(10, 20)]);
  assert.equal(readTable(table), readTable(table));
});

test('arrays of values are built into columns', () => {
  const table = readTable({
    n: [1, null, NaN, 2.5], i: [1n, -2n, undefined, 3n], u: [2n ** 64n - 1n, 0n, 1n, null], s: ['é', '', null, 'abc'], t: [true, false, null, true],
    d: [new Date(5), null, new Date(-1), new Date(0)], b: [Uint8Array.of(1, 2), null, Uint8Array.of(), Uint8Array.of(255)], z: [null, null, undefined, null],
    p: { x: new Int16Array(4), q: { y: [1, 2, 3, 4] } }, k: Buffer.from([1, 2, 3, 4]), f: tensor([1, 2, 3, 4]), m: tensor([true, false, true, true]),
  });
  const names = Object.fromEntries([...table.fields].map(([name, { type }]) => [name, type.text]));
  assert.deepEqual(names, { n: 'float64', i: 'int64', u: 'uint64', s: 'utf8', t: 'bool', d: 'timestamp[ms]', b: 'binary', z: 'null', 'p.x': 'int16', 'p.q.y': 'float64', k: 'uint8', f: 'float64', m: 'bool' });
  assert.deepEqual(read(table, 'n'), [1, null, NaN, 2.5]);
  assert.deepEqual(read(table, 'i'), [1n, -2n, null, 3n]);
  assert.deepEqual(read(table, 's'), ['é', '', null, 'abc']);
  assert.deepEqual(read(table, 't'), [true, false, null, true]);
  assert.deepEqual(read(table, 'd'), [5, null, -1, 0]);
  assert.deepEqual(read(table, 'b'), [Uint8Array.of(1, 2), null, Uint8Array.of(), Uint8Array.of(255)]);
  assert.deepEqual(read(table, 'm'), [true, false, true, true]);
  assert.deepEqual(read(readTable({ x: tensor([[1, 2], [3, 4]]).slice(null, 1) }), 'x'), [2, 4]);
});

test('holes in arrays are nulls', () => {
  const table = readTable({ n: [1, , 3], i: [, 2n, 3n], s: ['a', , 'b'], u: ['é', 'b', ,], t: [true, , false], d: [new Date(5), , new Date(7)], b: [Uint8Array.of(1), , Uint8Array.of(2)] }); // eslint-disable-line no-sparse-arrays
  assert.deepEqual([...table.fields].map(([name]) => [name, read(table, name)]), [
    ['n', [1, null, 3]], ['i', [null, 2n, 3n]], ['s', ['a', null, 'b']], ['u', ['é', 'b', null]], ['t', [true, null, false]], ['d', [5, null, 7]],
    ['b', [Uint8Array.of(1), null, Uint8Array.of(2)]],
  ]);
});

test('numbers and bigints together are float64 that lose nothing', () => {
  assert.deepEqual(read(readTable({ x: [0.5, 2n ** 60n, null] }), 'x'), [0.5, 2 ** 60, null]);
  for (const odd of [2n ** 60n + 1n, -(2n ** 53n) - 1n, 2n ** 2000n]) {
    assert.throws(() => read(readTable({ x: [1, odd] }), 'x'), { code: 'ERR_DTYPE', message: /expected a number that a float64 holds in column 'x', row 1, got / });
  }
});

test('columns may have the names of members of objects', () => {
  const names = ['constructor', 'hasOwnProperty', '__proto__', 'toString'];
  const table = readTable(Object.fromEntries(names.map((name, i) => [name, i % 2 ? [i, null] : Float64Array.of(i, 9)])));
  names.forEach((name, i) => assert.deepEqual(read(table, name), [i, i % 2 ? null : 9]));
  assert.equal(readTable({ constructor: [1] }, { types: { constructor: 'int8' } }).field('constructor').type.text, 'int8');
});

test('what no column is made of disturbs nobody who does not name it', () => {
  const given = { x: Float64Array.of(1, 2), tags: [['a'], []], name: 'abc', none: {}, map: new Map([[1, 2]]), grid: tensor([[1]]), p: { y: [3, 4], q: [[], null] } };
  for (const [table, times] of /** @type {[any, number][]} */ ([[readTable(given), 1], [readTable([given, given]), 2]])) {
    assert.deepEqual([table.rows, read(table, 'x').length, read(table, 'p.y').length], [2 * times, 2 * times, 2 * times]);
    for (const [name, code, message] of /** @type {[string, string, RegExp][]} */ ([
      ['tags', 'ERR_DTYPE', /expected numbers, .* in column 'tags', got \["a"\]/], ['name', 'ERR_ARGUMENT', /for column 'name', got "abc"/],
      ['none', 'ERR_ARGUMENT', /got an empty object/], ['map', 'ERR_ARGUMENT', /got a Map/], ['grid', 'ERR_SHAPE', /expected rank 1/], ['p.q', 'ERR_DTYPE', /in column 'p\.q', got \[\]/],
    ])) assert.throws(() => table.column(name), { code, message });
  }
});

test('values of several elements lie at words', () => {
  const askew = Int32Array.from({ length: 9 }, (_, i) => i).subarray(1);
  for (const name of ['interval[day_time]', 'interval[month_day_nano]']) {
    const table = readTable({ x: askew }, { types: { x: name } });
    assert.equal(table.column('x').chunks[0].values.byteOffset % 8, 0);
    assert.deepEqual(read(takeRows(table, Uint32Array.of(1, 0)), 'x'), read(table, 'x').slice(0, 2).reverse());
  }
  const decimals = makeData({ type: new arrow.Decimal(0, 20), length: 2, data: Uint32Array.of(9, 7, 0, 0, 0, 8, 0, 0, 0).subarray(1) });
  const { values } = readTable(new arrow.Vector([decimals])).column('value').chunks[0];
  assert.deepEqual([values.byteOffset % 8, read(readTable(new arrow.Vector([decimals])))], [0, ['7', '8']]);
  assert.throws(() => readTable({ x: askew.subarray(1) }, { types: { x: 'interval[day_time]' } }), /column 'x' has 7 elements, a row of interval\[day_time\] 2/);
});

test('types may be said', () => {
  const table = readTable(
    { a: [1, 2, null], b: ['1.5', -2, 30n], c: [new Date(864e5 * 3), 1, null], d: Int32Array.of(1, 2, 3), e: BigInt64Array.of(1n, 2n, 3n), f: Uint16Array.of(0x3c00, 0, 0), g: [1.5, 2, 3] },
    { types: { a: 'int8', b: 'decimal(10, 2)', c: 'date32', d: 'date32', e: 'timestamp[us, UTC]', f: 'float16', g: 'float16' } },
  );
  assert.deepEqual(read(table, 'a'), [1, 2, null]);
  assert.deepEqual(read(table, 'b'), ['1.50', '-2.00', '30.00']);
  assert.deepEqual(read(table, 'c'), [864e5 * 3, 864e5, null]);
  assert.deepEqual(read(table, 'e'), [0.001, 0.002, 0.003]);
  assert.deepEqual(read(table, 'f'), [1, 0, 0]);
  assert.deepEqual(read(table, 'g'), [1.5, 2, 3]);
  assert.deepEqual(table.fields.get('d')?.type, types.date32);
});

/** @type {[any, any, string, RegExp][]} */
const wrong = [
  [{ x: [1, 'a'] }, undefined, 'ERR_DTYPE', /expected a number in column 'x', row 1, got "a"/],
  [{ x: [true, 1] }, undefined, 'ERR_DTYPE', /expected a boolean in column 'x', row 1/],
  [{ x: ['a', 1] }, undefined, 'ERR_DTYPE', /expected a string in column 'x', row 1/],
  [{ x: [1n, 2n ** 70n] }, undefined, 'ERR_DTYPE', /from 0 to 18446744073709551615 in column 'x', row 1/],
  [{ x: [new Date(NaN)] }, undefined, 'ERR_DTYPE', /a Date or an integer for timestamp\[ms\] in column 'x', row 0, got an invalid Date/],
  [{ x: [{}] }, undefined, 'ERR_DTYPE', /expected numbers, bigints, strings/],
  [{ x: [1] }, { types: { y: 'int8' } }, 'ERR_ARGUMENT', /unknown column 'y' \(did you mean 'x'\?\), there are 'x'/],
  [{ x: [1.5] }, { types: { x: 'int8' } }, 'ERR_DTYPE', /an integer from -128 to 127/],
  [{ x: [300] }, { types: { x: 'uint8' } }, 'ERR_DTYPE', /an integer from 0 to 255/],
  [{ x: ['1.234'] }, { types: { x: 'decimal(5, 2)' } }, 'ERR_DTYPE', /that decimal128\(5, 2\) holds/],
  [{ x: ['1e3'] }, { types: { x: 'decimal(5, 2)' } }, 'ERR_DTYPE', /that decimal128\(5, 2\) holds/],
  [{ x: new Float64Array(1) }, { types: { x: 'int8' } }, 'ERR_DTYPE', /column 'x' of int8 cannot be Float64Array\(1\)/],
  [{ x: new Float64Array(1) }, { types: { x: 'strin' } }, 'ERR_ARGUMENT', /unknown type 'strin'/],
  [{ x: new Float64Array(1) }, { type: {} }, 'ERR_ARGUMENT', /unknown option 'type'/],
  [{ x: new Float64Array(2), y: new Float64Array(3) }, undefined, 'ERR_SHAPE', /column 'y' has 3 rows, 'x' 2/],
  [{ x: 5 }, undefined, 'ERR_ARGUMENT', /a tensor for column 'x', got 5/],
  [{ x: tensor([[1]]) }, undefined, 'ERR_SHAPE', /expected rank 1 for column 'x', got shape \[1, 1\]/],
  [7, undefined, 'ERR_ARGUMENT', /for the table, got 7/],
  [null, undefined, 'ERR_ARGUMENT', /for the table, got null/],
  [[{ x: [1] }, { x: ['a'] }], undefined, 'ERR_DTYPE', /column 'x' is float64 in chunk 0 and utf8 in chunk 1/],
  [[{ x: [1] }, { y: [1] }], undefined, 'ERR_DTYPE', /column 0 is 'x' in chunk 0 and 'y' in chunk 1/],
  [[{ x: [1], y: [1] }, { x: [1] }], undefined, 'ERR_DTYPE', /column 'y' is missing in chunk 1/],
  [{ x: ['a', '\ud800b'] }, undefined, 'ERR_DTYPE', /expected a text without half a character in column 'x', row 1/],
  [new Map([['x', [1]]]), undefined, 'ERR_ARGUMENT', /an object of columns \(Object\.fromEntries makes one\) .* got a Map/],
  [new Set([1]), undefined, 'ERR_ARGUMENT', /for the table, got a Set/],
  [new Date(5), undefined, 'ERR_ARGUMENT', /for the table, got a Date/],
  [Promise.resolve({}), undefined, 'ERR_ARGUMENT', /for the table, got a Promise/],
  [[{ x: [1] }, { x: [1], y: [2] }], undefined, 'ERR_DTYPE', /chunk 1 has 2 columns, chunk 0 1/],
];

test('what is no table says why', () => {
  for (const [data, options, code, message] of wrong) {
    assert.throws(() => read(readTable(data, options), 'x'), (/** @type {any} */ error) => error.code === code && (message.test(error.message) || error.message), String(message));
  }
});

test('rows are taken by number, from any chunk and of any type', () => {
  const columns = { ...Object.fromEntries(Object.entries(vectors).map(([, vector], i) => [`c${i}`, vector])), dict: vectorFromArray(valuesOf(vectors.utf8), new arrow.Dictionary(new arrow.Utf8(), new arrow.Int16())), large: vectorOf(new arrow.LargeUtf8(), text) };
  const table = readTable([new arrow.Table(columns).slice(0, 67), new arrow.Table(columns).slice(67)]);
  const rows = Uint32Array.from({ length: 90 }, (_, i) => (i * 37) % 150);
  const taken = takeRows(table, rows);
  for (const name of Object.keys(columns)) {
    const all = read(table, name);
    assert.deepEqual(read(taken, name), [...rows].map((row) => all[row]), name);
    assert.deepEqual(wholeColumn(table, name).toArray(), all, name);
  }
  assert.equal(takeRows(table, new Uint32Array(0)).rows, 0);
  assert.deepEqual([...takeRows(table, rows, ['c1', 'dict']).fields.keys()], ['c1', 'dict']);
  assert.throws(() => takeRows(table, Uint32Array.of(1, 150)), /row 150 is beyond the 150 rows/);
  assert.throws(() => takeRows(table, /** @type {any} */ ([1])), /expected a Uint32Array for the row numbers/);
  for (const [name, vector] of others) {
    assert.deepEqual(read(takeRows(readTable(vector), Uint32Array.of(70, 3, 3))), [70, 3, 3].map((row) => read(readTable(vector))[row]), name);
  }
});

test('columns and tables become those of apache-arrow', () => {
  const all = [...Object.entries(vectors), ...others.map(([name, vector]) => /** @type {[string, any]} */ ([name, vector])), /** @type {[string, any]} */ (['large', vectorOf(new arrow.LargeUtf8(), text)])];
  for (const [name, vector] of all) {
    const back = readTable(vector).column('value').chunks[0].toArrow(arrow);
    assert.equal(String(back.type), String(vector.type), name);
    assert.deepEqual(valuesOf(back), valuesOf(vector), name);
    assert.equal(back.nullCount, vector.nullCount, name);
  }
  const dictionary = vectorFromArray(['a', null, 'b', 'a'], new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8()));
  const table = readTable([new arrow.Table({ x: vectors.int32.slice(0, 4), s: dictionary }), new arrow.Table({ x: vectors.int32.slice(4, 8), s: dictionary })]);
  const back = table.toArrow(arrow);
  assert.deepEqual([back.numRows, back.batches.length, String(back.getChild('s').type)], [8, 2, String(dictionary.type)]);
  assert.deepEqual(valuesOf(back.getChild('s')), ['a', null, 'b', 'a', 'a', null, 'b', 'a']);
  const again = arrow.tableFromIPC(arrow.tableToIPC(back));
  assert.deepEqual(valuesOf(again.getChild('s')), valuesOf(back.getChild('s')));
  assert.deepEqual(valuesOf(readTable({ x: [1, 2] }).column('x').chunks[0].toArrow()), [1, 2]);
});

test('views and fixed-size binaries come back as texts and binaries', () => {
  const views = vectorFromArray(['a', 'a text that is long enough', 'a'], new arrow.Dictionary(new arrow.Utf8View(), new arrow.Int8()));
  const table = new arrow.Table({ views, plain: vectorFromArray(['x', null, 'z'], new arrow.Utf8View()), fixed: vectorFromArray([1, 2, 3].map((n) => Uint8Array.of(n, n)), new arrow.FixedSizeBinary(2)) });
  const back = arrow.tableFromIPC(arrow.tableToIPC(takeRows(readTable(table), Uint32Array.of(1, 2)).toArrow()));
  assert.deepEqual(back.schema.fields.map(({ type }) => String(type)), ['Dictionary<Int8, Utf8>', 'Utf8', 'Binary']);
  assert.deepEqual(valuesOf(back.getChild('views')), ['a text that is long enough', 'a']);
  assert.deepEqual(valuesOf(back.getChild('fixed')), [Uint8Array.of(2, 2), Uint8Array.of(3, 3)]);
});

test('results are columns over buffers that may be longer', () => {
  const column = makeColumn(types.int32, 3, { values: Int32Array.of(1, 2, 3, 4, 5), validity: Uint8Array.of(0b11111101, 255) });
  assert.deepEqual([column.toArray(), [...column], column.nullCount, column.get(9), column.get(-1)], [[1, null, 3], [1, null, 3], 1, undefined, undefined]);
  const strings = makeColumn(types.utf8, 2, { values: Buffer.from('abcd'), offsets: BigInt64Array.of(0n, 1n, 3n, 4n) });
  assert.deepEqual([strings.toArray(), strings.layout], [['a', 'bc'], 'offsets64']);
  assert.equal(JSON.stringify(makeColumn(types.bool, 3, { values: Uint8Array.of(5) })), '[true,false,true]');
  assert.throws(() => makeColumn(types.int32, 3, { values: new Int32Array(2) }), /buffers are too short for 3 rows of int32/);
  const parts = [strings, makeColumn(types.utf8, 1, { values: Buffer.from('é'), offsets: Int32Array.of(0, 2) })];
  assert.deepEqual(concatColumns(parts).toArray(), ['a', 'bc', 'é']);
  assert.ok(column instanceof Column);
});

test('buffers that are taken away are noticed', () => {
  const x = new Float64Array(10);
  const table = readTable({ x, y: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] });
  table.checkIntact(['x', 'y']);
  structuredClone(x.buffer, { transfer: [x.buffer] });
  assert.throws(() => table.checkIntact(['x']), (/** @type {any} */ error) => error.code === 'ERR_STATE' && /column 'x' is detached/.test(error.message));
  table.checkIntact(['y']);
});

/** Data that lie. @type {[string, () => any, RegExp][]} */
const malformed = [
  ['short values', () => makeData({ type: new arrow.Float64(), length: 10, data: new Float64Array(9) }), /its values have 72 bytes, 10 rows need 80/],
  ['no values', () => makeData({ type: new arrow.Int8(), length: 1 }), /its values have 0 bytes, 1 rows need 1/],
  ['short bits', () => makeData({ type: new arrow.Bool(), length: 17, data: new Uint8Array(2) }), /its values have 2 bytes, 17 rows need 3/],
  ['short decimals', () => makeData({ type: new arrow.Decimal(0, 10), length: 2, data: new Uint32Array(7) }), /28 bytes, 2 rows need 32/],
  ['short validity', () => makeData({ type: new arrow.Int8(), length: 17, nullCount: -1, data: new Int8Array(17), nullBitmap: new Uint8Array(2) }), /its validity has 2 bytes, 17 rows need 3/],
  ['no validity', () => makeData({ type: new arrow.Int8(), length: 3, nullCount: 1, data: new Int8Array(3) }), /it has 1 nulls and no bitmap/],
  ['other nulls', () => makeData({ type: new arrow.Int8(), length: 8, nullCount: 1, data: new Int8Array(8), nullBitmap: Uint8Array.of(0b00111111) }), /it says 1 nulls, its validity has 2/],
  ['short offsets', () => makeData({ type: new arrow.Utf8(), length: 3, valueOffsets: Int32Array.of(0, 1, 2), data: Buffer.from('abc') }), /its offsets have 12 bytes, 3 rows need 16/],
  ['falling offsets', () => makeData({ type: new arrow.Utf8(), length: 3, valueOffsets: Int32Array.of(0, 2, 1, 3), data: Buffer.from('abc') }), /offset 2 is 1, after 2/],
  ['negative offsets', () => makeData({ type: new arrow.Binary(), length: 2, valueOffsets: Int32Array.of(-1, 2, 3), data: Buffer.from('abc') }), /offset 0 is negative \(-1\)/],
  ['far offsets', () => makeData({ type: new arrow.Utf8(), length: 2, valueOffsets: Int32Array.of(0, 2, 4), data: Buffer.from('abc') }), /its last offset is 4, beyond the 3 bytes/],
  ['far 64-bit offsets', () => makeData({ type: new arrow.LargeUtf8(), length: 2, valueOffsets: BigInt64Array.of(0n, 2n, 2n ** 40n), data: Buffer.from('abc') }), /its last offset is 1099511627776, beyond/],
  ['falling 64-bit offsets', () => makeData({ type: new arrow.LargeBinary(), length: 2, valueOffsets: BigInt64Array.of(0n, 2n, -1n), data: Buffer.from('abc') }), /offset 2 is -1, after 2/],
  ['no UTF-8', () => makeData({ type: new arrow.Utf8(), length: 2, valueOffsets: Int32Array.of(0, 1, 3), data: Uint8Array.of(97, 0xc3, 0x28) }), /row 1 is not UTF-8/],
  ['a split character', () => makeData({ type: new arrow.Utf8(), length: 2, valueOffsets: Int32Array.of(0, 1, 2), data: Buffer.from('é') }), /row 0 is not UTF-8/],
  ['a character split by a null', () => makeData({ type: new arrow.Utf8(), length: 3, valueOffsets: Int32Array.of(0, 1, 1, 2), data: Buffer.from('é') }), /row 0 is not UTF-8/],
  ['a far index', () => dictionaryData(['a'], [0, 1]), /row 1 has index 1, its dictionary has 1 values/],
  ['a negative index', () => dictionaryData(['a'], [-1, 0]), /row 0 has index -1/],
  ['an index into nothing', () => dictionaryData([], [0]), /row 0 has index 0, its dictionary has 0 values/],
  ['a broken dictionary', () => { const data = dictionaryData(['a'], [0]); data.dictionary.data[0].valueOffsets[1] = 9e6; return data; }, /column 'value' \(dictionary\)/],
  ['a view of nothing', () => makeData({ type: new arrow.Utf8View(), views: new Uint8Array(Int32Array.of(20, 0, 3, 0).buffer), variadicBuffers: [] }), /row 0 is at 0 of buffer 3/],
  ['a view beyond', () => makeData({ type: new arrow.Utf8View(), views: new Uint8Array(Int32Array.of(20, 0, 0, 5).buffer), variadicBuffers: [new Uint8Array(24)] }), /row 0 is at 5 of buffer 0/],
  ['a negative view', () => makeData({ type: new arrow.BinaryView(), views: new Uint8Array(Int32Array.of(-20, 0, 0, 5).buffer) }), /row 0 has a length of -20/],
  ['short fixed bytes', () => makeData({ type: new arrow.FixedSizeBinary(4), length: 2, data: new Uint8Array(7) }), /its values have 7 bytes, 2 rows need 8/],
];

test('malformed data are refused when they are named', () => {
  for (const [name, make, message] of malformed) {
    const table = readTable({ value: new arrow.Vector([make()]), x: new arrow.Vector([make()]) });
    assert.throws(() => table.column('value'), (/** @type {any} */ error) => error.code === 'ERR_PARSE' && (message.test(error.message) || assert.fail(`${name}: ${error.message}`)), name);
  }
});

test('the bytes of nulls may be anything', () => {
  const data = makeData({ type: new arrow.Utf8(), length: 3, nullBitmap: Uint8Array.of(0b101), valueOffsets: Int32Array.of(0, 1, 2, 3), data: Uint8Array.of(97, 0xff, 98) });
  const { ascii, validity } = readTable(new arrow.Vector([data])).column('value').chunks[0];
  assert.deepEqual([read(readTable(new arrow.Vector([data]))), ascii, validity?.[0]], [['a', null, 'b'], false, 0b101]);
});

test('what was read is remembered until its buffers change', () => {
  const vector = vectorFromArray([1, 2, 3], new arrow.Int32());
  const first = readTable(vector).column('value').chunks[0];
  assert.equal(readTable({ a: vector }).column('a').chunks[0], first);
  vector.set(1, null);
  assert.deepEqual(read(readTable({ a: vector }), 'a'), [1, null, 3]);
});

test('structs, lists and maps go along when rows are taken', () => {
  const item = (/** @type {any} */ type) => new arrow.Field('item', type, true);
  const lists = Array.from({ length: 9 }, (_, row) => (row === 4 ? null : Array.from({ length: row % 4 }, (__, k) => (k === 2 ? null : row * 10 + k))));
  const list = vectorFromArray(lists, new arrow.List(item(new arrow.Int32())));
  const words = vectorFromArray(lists.map((each) => each && each.map(String)), new arrow.List(item(new arrow.Utf8())));
  const pairs = vectorFromArray(lists.map((_, row) => [row, row + 0.5]), new arrow.FixedSizeList(2, item(new arrow.Float64())));
  const struct = new arrow.Struct([new arrow.Field('x', new arrow.Int16(), true), new arrow.Field('y', new arrow.List(item(new arrow.Bool())), true)]);
  const structs = vectorFromArray(lists.map((_, row) => (row === 3 ? null : { x: row, y: [row > 4, null] })), struct);
  const large = new arrow.Vector([makeData({ type: new arrow.LargeList(item(new arrow.Int32())), length: 9, valueOffsets: BigInt64Array.from(list.data[0].valueOffsets.subarray(0, 10), BigInt), child: list.data[0].children[0] })]);
  const columns = { list, words, pairs, structs, large };
  const json = (/** @type {any} */ table) => JSON.parse(JSON.stringify(table.toArray()));
  for (const from of [0, 2]) {
    const whole = new arrow.Table(columns).slice(from);
    const chunked = readTable([whole.slice(0, 3), whole.slice(3)]);
    for (const rows of [[0, 1, 2, 3, 4, 5, 6], [6, 2, 2, 4, 0], []]) {
      const taken = takeRows(chunked, Uint32Array.from(rows));
      assert.deepEqual(json(taken.toArrow(arrow)), rows.map((row) => json(whole)[row]), `${from} ${rows}`);
      assert.deepEqual(read(taken, 'structs.x'), rows.map((row) => whole.getChild('structs')?.get(row)?.x ?? null));
    }
  }
  const cut = readTable({ list, x: new arrow.Vector([...vectors.int8.slice(0, 4).data, ...vectors.int8.slice(4, 9).data]) });
  assert.deepEqual([cut.chunks.length, json(cut.toArrow(arrow)).map((/** @type {any} */ row) => row.list)], [2, lists]);
  assert.deepEqual([...takeRows(cut, Uint32Array.of(1), ['list']).fields.keys()], ['list']);
  const views = vectorFromArray([['a'], ['b']], new arrow.List(item(new arrow.Utf8View())));
  assert.throws(() => takeRows(readTable({ views }), Uint32Array.of(0)), /rows of column 'views' cannot be taken, since it has Utf8View inside/);
  const broken = list.data[0].clone();
  broken.valueOffsets = Int32Array.from({ length: 10 }, (_, i) => i * 90);
  assert.throws(() => takeRows(readTable({ broken: new arrow.Vector([broken]) }), Uint32Array.of(0)), { code: 'ERR_PARSE', message: /column 'broken' is no valid Arrow data: its last offset is 810/ });
});

test('a program of ES modules gets tables of its own copy of apache-arrow', async () => {
  const other = await import('apache-arrow');
  assert.notEqual(other.Table, arrow.Table);
  const list = other.vectorFromArray([[1], [2, 3], null], new other.List(new other.Field('i', new other.Int32())));
  const table = new other.Table({ x: other.vectorFromArray([1, null, 3], new other.Int16()), s: other.vectorFromArray(['a', 'b', 'a']), list });
  const taken = takeRows(readTable(table), Uint32Array.of(2, 1));
  const back = other.tableFromIPC(other.tableToIPC(taken.toArrow()));
  assert.equal(back.toString(), '[\n  {"x": 3, "s": "a", "list": null},\n  {"x": null, "s": "b", "list": [2,3]}\n]');
  assert.throws(() => taken.toArrow(arrow), { code: 'ERR_STATE', message: /column 'list' comes from another copy of apache-arrow/ });
  const column = readTable({ x: [1, 2] }).column('x').chunks[0];
  useArrow(other);
  try {
    assert.ok(column.toArrow().type instanceof other.Float64);
  } finally {
    useArrow(arrow);
  }
  assert.ok(column.toArrow().type instanceof arrow.Float64);
  assert.throws(() => useArrow({}), /expected apache-arrow for the module, got an empty object/);
});
