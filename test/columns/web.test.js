// Expressions over columns as WebAssembly: what the module gives is what this process gives, bit for bit in strict, and
// data are checked before code follows them.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const arrow = require('apache-arrow');
const { native } = require('graphjit');
const { expr } = require('../../lib/columns/index.js');
const { arrowTable } = require('./tables.js');
const { generate } = require('./random.js');

const ROWS = 5003;
/** @type {(make: (i: number) => any) => any[]} */
const list = (make) => Array.from({ length: ROWS }, (_, i) => make(i));

/** Columns without nulls, and with some. */
const arrays = {
  x: Float64Array.from(list((i) => (i % 97 === 0 ? NaN : Math.sin(i) * 100))),
  f: Float32Array.from(list((i) => i / 7)),
  k: Int32Array.from(list((i) => (i * 7919) % 2003)),
  b: BigInt64Array.from(list((i) => BigInt(i) ** 4n - 1000n)),
  n: list((i) => (i % 3 === 0 ? null : i / 2)),
  s: list((i) => (i % 11 === 0 ? null : `${i % 2 ? 'Straße' : 'abc'} ${i % 19} ${'x'.repeat(i % 40)}`)),
  t: list((i) => (i % 5 === 0 ? null : i % 2 === 0)),
  d: list((i) => (i % 13 === 0 ? null : new Date(86400000 * i))),
};

/** @type {(value: any) => any} values of a result, which may be a typed array, a column, a vector or several by name */
function plain(value) {
  if (value === null || typeof value !== 'object') return value;
  // Of numbers deepEqual tells zeros apart and not NaNs, of arrays it compares bits.
  if (ArrayBuffer.isView(value)) return { type: value.constructor.name, list: Array.from(/** @type {any} */ (value)) };
  if (typeof value.toArray === 'function' && 'type' in value) return { type: String(value.type.text ?? value.type), list: Array.from(value, (each) => (each instanceof Uint8Array ? [...each] : each)) };
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

const load = async (/** @type {any} */ module, /** @type {any} */ options) => (await import('graphjit/web/columns')).load(module.bytes, options);

const FILTERS = [
  'x > 2', 'x > 2.0 and x < 60.5', "s like 'abc%'", "s like '%1%xx%' and k < 1000", 'n is null', 't', 'not t or n > 3', 'x = x', 'b % 2 = 1',
  "s in ('abc 0 ', 'Straße 3 xxx') or k in (1, 2, 3)", "upper(s) like 'STRASSE%'", 'false', 'f between 3 and 4', 'true',
];

test('filters give the same row numbers, counts and truths', async () => {
  for (const text of FILTERS) {
    const e = expr(text, { numerics: 'strict' });
    for (const variants of [['mvp'], ['simd']]) {
      const query = await load(e.toWasm(arrays, { kind: 'filter', variants }));
      assert.deepEqual(query(arrays), e.filter(arrays), text);
      assert.equal(query.count(arrays), e.count(arrays), text);
      assert.deepEqual(query.mask(arrays), e.mask(arrays), text);
    }
  }
});

const PROJECTIONS = [
  'x * 2 + k', 'sqrt(abs(x)) - f', 'n / 3', 'b * b', 'k % 7', 'case when x > 0 then x else n end', 'upper(s)', "s || '!' || s", 't and n > 100',
  'length(s)', 'substr(s, 2, 3)', 'coalesce(n, x)', 'cast(x as float32)', 'd', 's', 'null', 'power(abs(x), 0.3)',
];

test('projections give the same values, one by one and all in one pass', async () => {
  for (const text of PROJECTIONS) {
    const e = expr(text, { numerics: 'strict' });
    const query = await load(e.toWasm(arrays, { kind: 'project' }));
    assert.deepEqual(plain(query(arrays)), plain(e.project(arrays)), text);
  }
  const all = expr(Object.fromEntries(PROJECTIONS.map((text, i) => [`p${i}`, text])), { numerics: 'strict' });
  const query = await load(all.toWasm(arrays));
  assert.equal(query.kind, 'project');
  assert.deepEqual(plain(query(arrays)), plain(all.project(arrays)));
});

test('what is random is the same in both', async () => {
  let compared = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const { text, schema, columns, options: { divisionByZero, overflow, cast } } = generate(seed);
    const table = arrowTable(schema, columns, { cuts: [50, 70], skipped: seed % 3 });
    const e = expr({ value: text }, { divisionByZero, overflow, cast, numerics: 'strict', tier: 'full' });
    /** @type {any} */
    let module;
    try {
      module = e.toWasm(table);
    } catch (error) {
      // Whatever cannot be compiled is refused by both.
      assert.throws(() => e.project(table), { message: /** @type {any} */ (error).message }, text);
      continue;
    }
    const query = await load(module);
    /** @type {any} */
    let wanted;
    try {
      wanted = Array.from(e.project(table).getChildAt(0));
    } catch (error) {
      assert.throws(() => query(table), { message: /** @type {any} */ (error).message }, text);
      continue;
    }
    assert.deepEqual(Array.from((await load(module, { arrow }))(table).getChildAt(0)), wanted, `seed ${seed}: ${text}`);
    compared++;
  }
  assert.ok(compared > 30, `${compared} compared`);
});

const AGGREGATES = { n: 'count()', c: 'count(n)', sum: 'sum(k)', u: 'sum(b)', m: 'max(x)', l: 'min(k)', a: 'any(t)', f: 'first(s)', z: 'last(n)' };

test('aggregates of a table, of none of its rows, and of no rows', async () => {
  for (const where of [undefined, 'k > 100', 'k < 0']) {
    const e = expr({ ...AGGREGATES, mean: 'mean(n)', v: 'var(n)', q: 'median(x)', t: 'min(s)' }, { numerics: 'strict' });
    const query = await load(e.toWasm(arrays, { where }));
    assert.deepEqual(query(arrays), e.aggregate(arrays, { where }));
  }
  const empty = await load(expr({ n: 'count(k)', s: 'sum(k)', v: 'var(k)' }).toWasm({ k: 'int32' }));
  assert.deepEqual(empty({ k: new Int32Array(0) }), { n: 0n, s: null, v: null });
  const sum = expr('sum(b)', { overflow: 'error' });
  const wide = { b: new BigInt64Array(3).fill(2n ** 62n) };
  assert.throws(() => sum.aggregate(wide), { code: 'ERR_CALL' });
  const summed = await load(sum.toWasm(wide));
  assert.throws(() => summed(wide), { code: 'ERR_CALL', message: /overflow/ });
  const folds = expr(AGGREGATES);
  assert.deepEqual((await load(folds.toWasm(arrays)))(arrays), folds.aggregate(arrays));
});

test('groups, more than there is room for at first, by numbers and texts', async () => {
  for (const by of ['k', ['s', 't'], 'd']) {
    const e = expr({ ...AGGREGATES, v: 'var(n)', q: 'quantile(x, 0.25)', text: 'min(s)' }, { numerics: 'strict' });
    const query = await load(e.toWasm(arrays, { by }));
    assert.deepEqual(plain(query(arrays)), plain(e.aggregate(arrays, { by })));
  }
});

test('expressions of aggregates and keys, and tables without chunks', async () => {
  const e = expr({ ratio: 'sum(x) / count() + @more', label: "upper(s) || '!'", spread: 'max(k) - min(k)', n: 'count()' }, { numerics: 'strict' });
  const query = await load(e.toWasm(arrays, { by: 's', parameters: { more: 'float64' } }));
  const parameters = { more: 0.5 };
  assert.deepEqual(plain(query(arrays, { parameters })), plain(e.aggregate(arrays, { by: 's', parameters })));
  const single = expr('sum(k) * 1.0 / count(k)');
  assert.equal((await load(single.toWasm(arrays)))(arrays), single.aggregate(arrays));
  const failing = await load(expr('100 % min(k)').toWasm(arrays));
  assert.throws(() => failing(arrays), { code: 'ERR_CALL', message: 'row 0: division by zero\n  100 % min(k)\n  ^^^^^^^^^^^^' });
  const none = new arrow.Table(arrowTable({ x: 'float64', s: 'utf8' }, { x: [1], s: ['a'] }).schema, []);
  const grouped = await load(expr({ n: 'count()', f: 'first(x)' }).toWasm({ x: 'float64?', s: 'dictionary(utf8)?' }, { by: 's' }));
  assert.deepEqual(grouped(none).n, new BigInt64Array(0));
  assert.deepEqual((await load(expr('x > 1').toWasm({ x: 'float64' })))(none), new Uint32Array(0));
});

test('tables of apache-arrow in chunks, slices and dictionaries', async () => {
  const columns = { x: list((i) => (i % 4 ? i / 3 : null)), s: list((i) => (i % 6 ? ['red', 'green', 'blå', ''][i % 4] : null)), t: list((i) => i % 3 === 0) };
  const schema = { x: 'float64', s: 'utf8', t: 'bool' };
  const e = expr("x > 100 and (s = 'blå' or t)");
  const p = expr({ u: 'upper(s)', x: 'x * 2', t: 'not t' });
  for (const how of [{}, { cuts: [64, 100, 1000], skipped: 3 }, { dictionaries: ['s'] }]) {
    const table = arrowTable(schema, columns, how);
    const filter = await load(e.toWasm(table));
    assert.deepEqual(filter(table), e.filter(table));
    const plainFilter = await load(e.toWasm({ x: 'float64?', s: 'utf8?', t: 'bool' }));
    assert.deepEqual(plainFilter(table), e.filter(table), 'a dictionary for a module that wants texts');
    const project = await load(p.toWasm(table), { arrow });
    const made = project(table);
    assert.ok(made instanceof arrow.Table);
    assert.deepEqual(made.toArray().map(String), p.project(table).toArray().map(String));
    assert.deepEqual(plain(await load(p.toWasm(table)).then((query) => query(table))).u.list, [...p.project(table).getChild('u')]);
  }
});

test('columns are given as buffers', async () => {
  const e = expr("s like 'b%' or x > 2");
  const query = await load(e.toWasm({ s: 'utf8?', x: 'int16?' }));
  const s = { values: new TextEncoder().encode('abbac'), offsets: Int32Array.of(0, 1, 3, 5), validity: Uint8Array.of(0b101) };
  assert.deepEqual(query({ s, x: { values: Int16Array.of(1, 2, 3), validity: Uint8Array.of(0b11) } }), new Uint32Array(0));
  assert.deepEqual(query({ s: { ...s, validity: null }, x: Int16Array.of(1, 2, 3) }), Uint32Array.of(1, 2));
  const truths = await load(expr('t').toWasm({ t: 'bool' }));
  assert.deepEqual(truths({ t: { values: Uint8Array.of(0b101), length: 3 } }), Uint32Array.of(0, 2));
  assert.throws(() => truths({ t: { values: Uint8Array.of(0b101) } }), { code: 'ERR_ARGUMENT' });
});

test('what is no valid data is refused before code runs', async () => {
  const query = await load(expr("s like '%b%'").toWasm({ s: 'utf8' }));
  const values = new TextEncoder().encode('aäb');
  const bad = [
    { values, offsets: Int32Array.of(0, 9) }, { values, offsets: Int32Array.of(0, 3, 1) }, { values, offsets: Int32Array.of(-1, 2) },
    { values, offsets: Int32Array.of(0, 2, 4) }, { values: Uint8Array.of(0xff), offsets: Int32Array.of(0, 1) },
    { values, offsets: Int32Array.of(0, 1), length: 7 }, { values, offsets: BigInt64Array.of(0n, 2n ** 62n) },
  ];
  for (const s of bad) assert.throws(() => query({ s }), { code: 'ERR_PARSE', name: 'GraphError' });
  const dictionary = new arrow.Vector([arrow.vectorFromArray(['a', 'b'], new arrow.Utf8()).data[0]]);
  const type = new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32(), 1);
  const s = new arrow.Vector([arrow.makeData({ type, length: 2, nullCount: 0, dictionary, data: Int32Array.of(0, 2) })]);
  const looked = await load(expr("s like '%b%'").toWasm({ s: 'dictionary(utf8, int32)' }));
  assert.throws(() => looked({ s }), { code: 'ERR_PARSE', message: /index 2/ });
});

test('tables that a module was not made for are refused', async () => {
  const query = await load(expr('x > @least').toWasm({ x: 'float64' }, { parameters: { least: 'float64' } }));
  const parameters = { least: 1 };
  assert.deepEqual(query({ x: Float64Array.of(1, 2) }, { parameters }), Uint32Array.of(1));
  assert.deepEqual(query({ x: Float64Array.of(1, 2) }, { parameters: { least: 0 } }), Uint32Array.of(0, 1));
  const refused = [
    [{ x: Int32Array.of(1) }, { parameters }, 'ERR_DTYPE'], [{ x: [1, null] }, { parameters }, 'ERR_DTYPE'], [{ y: [1] }, { parameters }, 'ERR_ARGUMENT'],
    [{ x: Float64Array.of(1) }, {}, 'ERR_ARGUMENT'], [{ x: Float64Array.of(1) }, { parameters: { least: 1n } }, 'ERR_ARGUMENT'],
    [{ x: Float64Array.of(1) }, { parameters: { least: 1, most: 2 } }, 'ERR_ARGUMENT'], [7, { parameters }, 'ERR_ARGUMENT'],
    [{ x: Float64Array.of(1) }, { rows: 3 }, 'ERR_ARGUMENT'],
  ];
  for (const [data, options, code] of refused) assert.throws(() => query(data, options), { code, name: 'GraphError' });
});

test('parameters are of any type that they have here', async () => {
  const e = expr("s like @pattern or d < @day or t = @truth and b > @big", { numerics: 'strict' });
  const types = { pattern: 'utf8', day: 'timestamp[ms]', truth: 'bool', big: 'int64' };
  const query = await load(e.toWasm(arrays, { parameters: types }));
  for (const pattern of ['%Straße 1%x', 'abc%', '']) {
    const parameters = { pattern, day: new Date('1970-02-01'), truth: true, big: 10n ** 13n };
    assert.deepEqual(query(arrays, { parameters }), e.filter(arrays, { parameters }));
  }
});

test('errors of rows name the row and the place', async () => {
  const query = await load(expr('10 % k').toWasm({ k: 'int32' }));
  assert.throws(() => query({ k: Int32Array.of(1, 2, 0, 0) }), { code: 'ERR_CALL', message: 'row 2: division by zero\n  10 % k\n  ^^^^^^' });
  assert.deepEqual(query({ k: Int32Array.of(3, -4) }), Int32Array.of(1, 2));
});

test('functions of users go along', async () => {
  const square = native((/** @type {number} */ x) => Math.sin(x) * x, '(f64)');
  const e = expr('square(x) + 1', { functions: { square }, numerics: 'strict' });
  const query = await load(e.toWasm(arrays));
  assert.deepEqual(plain(query(arrays)), plain(e.project(arrays)));
});

test('texts grow, and arenas with them', async () => {
  const e = expr('repeat(s, 200)');
  const table = { s: Array.from({ length: 300 }, (_, i) => 'äb'.repeat(i)) };
  const query = await load(e.toWasm(table));
  assert.deepEqual(query(table).toArray(), table.s.map((s) => s.repeat(200)));
});

test('data in the memory of the module are used in place, and never lose it unnoticed', async () => {
  const e = expr("x > 10 and s like '%1%'");
  const own = { x: Float64Array.from({ length: 5000 }, (_, i) => i), s: Array.from({ length: 5000 }, (_, i) => `row ${i}`) };
  const table = new arrow.Table({ x: arrow.makeVector(own.x), s: arrow.vectorFromArray(own.s, new arrow.Utf8()) });
  const bytes = arrow.tableToIPC(table, 'file');
  const module = e.toWasm(table);
  const query = await load(module, { memory: 2 ** 20 });
  const place = query.allocate(bytes.length);
  place.data.set(bytes);
  const inside = arrow.tableFromIPC(place.data);
  assert.equal(inside.getChild('x').data[0].values.buffer, query.memory.buffer);
  assert.deepEqual(query(inside), e.filter(own));
  assert.equal(inside.getChild('x').data[0].values.buffer, query.memory.buffer);
  place.free();
  const tight = await load(module);
  const taken = tight.allocate(bytes.length);
  taken.data.set(bytes);
  const cramped = arrow.tableFromIPC(taken.data);
  const rest = tight.memory.buffer.byteLength - taken.at - bytes.length;
  if (rest < 4096) assert.throws(() => tight(cramped), { code: 'ERR_MEMORY', message: /load\(source, \{ memory: \d+ \}\)/ });
});

test('what is no such module, and memory that there is not, have codes', async () => {
  const { load: loadFrom } = await import('graphjit/web/columns');
  for (const none of [null, undefined, 5, {}, Promise.resolve(null), { mvp: 7 }]) {
    await assert.rejects(loadFrom(none), { name: 'GraphError', code: 'ERR_ARGUMENT', message: /^load: expected an address, a Response, bytes or a WebAssembly\.Module, got / });
  }
  // One that is empty, and one that imports a function.
  const empty = [0, 97, 115, 109, 1, 0, 0, 0];
  for (const bytes of [empty, [...empty, 1, 4, 1, 96, 0, 0, 2, 7, 1, 1, 97, 1, 98, 0, 0]]) {
    await assert.rejects(loadFrom(Uint8Array.from(bytes)), { name: 'GraphError', code: 'ERR_ARGUMENT', message: /no module of an expression over columns/ });
  }
  const query = await load(expr('x > 1').toWasm({ x: 'float64' }));
  assert.throws(() => query.allocate(2 ** 40), { name: 'GraphError', code: 'ERR_MEMORY', message: /out of memory for \d+ bytes/ });
  assert.throws(() => query.allocate(-1), { code: 'ERR_ARGUMENT' });
});

test('modules of filters are small and import nothing', () => {
  for (const [text, most] of [['x > 2.0 and x < 6.0', 5000], ["x > 2 and s like 'a%'", 5500], ['x * 2 + 1', 2500]]) {
    const { bytes } = expr(String(text)).toWasm({ x: 'float64', s: 'utf8' });
    assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(bytes)), []);
    assert.ok(bytes.length < Number(most), `${text}: ${bytes.length} bytes`);
  }
});

test('what cannot be exported is refused', () => {
  const x = { x: 'float64' };
  const refused = [
    [() => expr('x > 2').toWasm(), 'ERR_ARGUMENT'], [() => expr('x > 2').toWasm({ y: 'float64' }), 'ERR_ARGUMENT'],
    [() => expr('x > 2').toWasm({ x: 'floot64' }), 'ERR_ARGUMENT'], [() => expr('x > 2').toWasm(x, { kind: 'sort' }), 'ERR_ARGUMENT'],
    [() => expr({ a: 'x > 2', b: 'x' }).toWasm(x, { kind: 'filter' }), 'ERR_ARGUMENT'], [() => expr('x').toWasm(x, { by: 'x' }), 'ERR_ARGUMENT'],
    [() => expr('sum(x) / x').toWasm(x), 'ERR_ARGUMENT'], [() => expr('first(x + 1)').toWasm(x), 'ERR_UNSUPPORTED'], [() => expr('sum(x)').toWasm(x, { by: 'x + 1' }), 'ERR_UNSUPPORTED'],
    [() => expr('count_distinct(x)').toWasm(x), 'ERR_UNSUPPORTED'], [() => expr('x > @a').toWasm(x, { parameters: { a: 'int8' } }), 'ERR_DTYPE'],
    [() => expr({ x: 'sum(x)' }).toWasm(x, { by: 'x' }), 'ERR_ARGUMENT'],
    [() => expr('s').toWasm({ s: 'dictionary(utf8, int33)' }), 'ERR_ARGUMENT'],
  ];
  for (const [action, code] of refused) assert.throws(/** @type {any} */ (action), { code });
});

test('one file holds modules and loader', async () => {
  const { mjs } = expr('x > 2').toWasm({ x: 'float64' }, { variants: ['mvp', 'simd'] });
  const { load: own } = await import(`data:text/javascript;base64,${Buffer.from(mjs).toString('base64')}`);
  assert.deepEqual((await own())({ x: Float64Array.of(1, 3) }), Uint32Array.of(1));
  await assert.rejects((await import('graphjit/web/columns')).load(expr('x').toWasm({ x: 'float64' }).bytes.slice(0, 9)));
});
