// Expressions over columns as programs meet them: what the package exports, what it takes for data, expressions and
// options, what results are like, and what is said of anything else.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { Readable } = require('node:stream');
const { describe, it } = require('node:test');
const { inspect } = require('node:util');
const arrow = require('apache-arrow');
const { Expression, GraphError, Table, expr, native, table, tableAsync, tensor, useArrow } = require('graphjit');

const root = path.join(__dirname, '../..');
const FLIGHTS = path.join(root, 'node_modules/vega-datasets/data/flights-200k.arrow');

/** @type {(work: () => unknown, code: string, message: RegExp) => void} */
const refused = (work, code, message) =>
  assert.throws(work, (error) => error instanceof GraphError && error.code === code && message.test(error.message) || assert.fail(error));
/** Values of a column, of whatever class. @type {(column: any) => any[]} */
const valuesOf = (column) => (typeof column.get === 'function' ? Array.from({ length: column.length }, (_, row) => column.get(row)) : [...column]);
/** @type {(words: string[]) => string} */
const node = (words) => execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8' });

const arrays = () => ({ x: Float64Array.of(5, NaN, -1, 7), i: Int32Array.of(1, 2, 3, 4), s: ['a', null, 'ü', 'a'], p: { y: Int8Array.of(4, 3, 2, 1) } });
const asArrow = () =>
  new arrow.Table({
    x: arrow.makeVector(Float64Array.of(5, NaN, -1, 7)), i: arrow.makeVector(Int32Array.of(1, 2, 3, 4)),
    s: arrow.vectorFromArray(['a', null, 'ü', 'a'], new arrow.Dictionary(new arrow.Utf8(), new arrow.Int16())),
  });

describe('the package', () => {
  it('loads expressions when they are asked for', () => {
    const code = `const graphjit = require('graphjit');
      const loaded = () => Object.keys(require.cache).filter((file) => file.includes('/lib/columns/')).length;
      const before = loaded();
      graphjit.expr('x > 1').filter({ x: [2] });
      console.log(before, loaded() > 20, Object.keys(require.cache).some((file) => file.includes('apache-arrow')));`;
    assert.equal(node(['-e', code]), '0 true false\n');
  });

  it('gives the same names to import', () => {
    const code = `import * as all from 'graphjit'; import { createRequire } from 'node:module';
      const own = createRequire(process.cwd() + '/x.js')('graphjit');
      const names = ['Expression', 'Table', 'expr', 'table', 'tableAsync', 'useArrow'];
      console.log(names.every((name) => typeof all[name] === 'function' && all[name] === own[name]), Object.keys(all.expr).join());`;
    assert.equal(node(['--input-type=module', '-e', code]), 'true call,col,lit,param,when\n');
  });

  it('takes the copy of apache-arrow of a program of modules', () => {
    const code = `import * as arrow from 'apache-arrow'; import { expr, table, useArrow } from 'graphjit';
      useArrow(arrow);
      const given = arrow.tableFromArrays({ x: Float64Array.of(1, 2, 3) });
      const result = expr({ y: 'x * 2', is: 'x > 1' }).project(given);
      console.log(result instanceof arrow.Table, arrow.tableFromIPC(arrow.tableToIPC(result)).toString().replace(/\\s+/g, ' '));
      console.log(table(arrow.tableToIPC(result)).toArrow() instanceof arrow.Table);`;
    const rows = '[ {"y": 2, "is": false}, {"y": 4, "is": true}, {"y": 6, "is": true} ]';
    assert.equal(node(['--input-type=module', '-e', code]), `true ${rows}\ntrue\n`);
    refused(() => useArrow({}), 'ERR_ARGUMENT', /useArrow: expected apache-arrow/);
  });
});

describe('expr', () => {
  it('takes texts, what was built, lists, and both by name', () => {
    const { call, col, lit, param, when } = expr;
    const built = when(col('i').gt(param('least')), col('i').mul(lit(2))).otherwise(call('abs', -1));
    const options = { parameters: { least: 2n } };
    const expected = [1, 1, 6, 8];
    assert.deepEqual(valuesOf(expr(built).project(arrays(), options)), expected);
    assert.deepEqual(valuesOf(expr(String(built)).project(arrays(), options)), expected);
    const named = expr({ a: 'i + 1', b: built }).project(arrays(), options);
    assert.deepEqual([Object.keys(named), valuesOf(named.b)], [['a', 'b'], expected]);
    assert.deepEqual(Object.keys(expr(['i', 'i + 1', col('p.y')]).project(arrays())), ['i', 'i + 1', 'p.y']);
  });

  it('makes instances of Expression, which are no wrapper of the text', () => {
    const e = expr('x > 1');
    assert.ok(e instanceof Expression);
    assert.equal(expr.name, 'expr');
  });

  it('refuses what is none', () => {
    for (const given of [undefined, null, 1, {}, [3], { a: 1 }, new Date()]) refused(() => expr(given), 'ERR_ARGUMENT', /^expr: /);
    refused(() => expr('x >'), 'ERR_PARSE', /expression:1:4/);
    refused(() => expr({ good: 'x', bad: 'x y' }), 'ERR_PARSE', /expression:1:3/);
  });

  it('refuses unknown options, and names the known ones', () => {
    refused(() => expr('x', { thread: 2 }), 'ERR_ARGUMENT', /unknown option 'thread' \(did you mean 'threads'\?\), known options are 'threads'/);
    refused(() => expr('x', { overflow: 'saturate' }), 'ERR_ARGUMENT', /expected one of 'wrap', 'error', 'null' for option 'overflow', got "saturate"/);
    const e = expr('i');
    for (const method of ['filter', 'count', 'mask', 'filterTable', 'project', 'aggregate', 'explain']) {
      refused(() => e[method](arrays(), { row: 1 }), 'ERR_ARGUMENT', new RegExp(`${method}: unknown option 'row'`));
    }
    refused(() => e.topK(arrays(), 1, { asc: true }), 'ERR_ARGUMENT', /topK: unknown option 'asc'/);
    refused(() => e.topK(arrays(), -1), 'ERR_ARGUMENT', /the count/);
  });

  it('keeps aggregates and several expressions out of where one truth is wanted', () => {
    refused(() => expr('sum(i)').filter(arrays()), 'ERR_ARGUMENT', /sum/);
    refused(() => expr({ a: 'i', b: 'i' }).filter(arrays()), 'ERR_ARGUMENT', /filter takes one expression, this one has 'a', 'b'/);
  });

  it('takes values of parameters, of each type', async () => {
    const data = { ...arrays(), at: [new Date(1000), new Date(2000), null, new Date(3000)] };
    const rows = (/** @type {string} */ text, /** @type {any} */ p) => [...expr(text).filter(data, { parameters: { p } })];
    assert.deepEqual(rows('i > :p', 2), [2, 3]);
    assert.deepEqual(rows('i > :p', 2n), [2, 3]);
    assert.deepEqual(rows('(i > 2) = :p', false), [0, 1]);
    assert.deepEqual(rows('at >= :p', new Date(2000)), [1, 3]);
    for (const [text, found] of [['a', [0, 3]], ['ü', [2]], ['', []], ["a' or true or s = '", []]]) {
      const parameters = { p: text };
      assert.deepEqual(rows('s = :p', text), found);
      assert.deepEqual([...expr('s = :p').filter(asArrow(), { parameters })], found);
      assert.equal(expr('count(*)').aggregate(data, { where: 's = :p', parameters }), BigInt(/** @type {any} */ (found).length));
    }
    assert.deepEqual(rows('s like :p', '_'), [0, 2, 3]);
    assert.deepEqual(valuesOf(await expr('concat(s, :p, :q)').projectAsync(data, { parameters: { p: '!', q: '?' } })), ['a!?', '!?', 'ü!?', 'a!?']);
    for (const bad of [{}, [1], null, Symbol('x'), new Date(NaN)]) refused(() => rows('i > :p', bad), 'ERR_ARGUMENT', /parameter 'p': expected a number/);
    refused(() => rows('i > :p', new Date(NaN)), 'ERR_ARGUMENT', /got an invalid Date/);
    refused(() => rows('s = :p', 'a\udc00'), 'ERR_ARGUMENT', /parameter 'p': expected a text without half a character, got "a/);
    for (const bad of [2n ** 63n, -(2n ** 63n) - 1n, 2n ** 70n]) refused(() => rows('i > :p', bad), 'ERR_ARGUMENT', /parameter 'p': -?\d+n does not fit an int64/);
    assert.deepEqual(rows('i > :p', -(2n ** 63n)), [0, 1, 2, 3]);
    refused(() => expr('i > :p').count(data), 'ERR_ARGUMENT', /no value for parameter 'p'/);
  });

  it('takes functions of the program', () => {
    const functions = { half: native((/** @type {number} */ x) => x / 2), twice: { params: ['a'], expr: 'a + a' } };
    assert.deepEqual(valuesOf(expr('twice(half(i))', { functions }).project(arrays())), [1, 2, 3, 4]);
    const all = { ...functions, big: { params: ['a'], expr: 'twice(half(a)) > 2' } };
    assert.deepEqual(valuesOf(expr('i', { functions: all }).project(arrays(), { where: 'big(i)' })), [3, 4]);
    assert.deepEqual([...expr('i', { functions: all }).topK(arrays(), 1, { where: 'not big(i)' })], [1]);
    const { big, n } = expr({ n: 'count(*)' }, { functions: all }).aggregate(arrays(), { by: { big: 'big(i)' }, where: 'twice(i) > 2' });
    assert.deepEqual([valuesOf(big), valuesOf(n)], [[false, true], [1n, 2n]]);
    refused(() => expr('f(i)', { functions: { f: (/** @type {any} */ x) => x } }), 'ERR_ARGUMENT', /native\(\)/);
  });

  it('does to faults what options say', () => {
    const data = { i: Int8Array.of(100, 3), zero: Int8Array.of(0, 1) };
    const results = (/** @type {string} */ text, /** @type {any} */ options) => valuesOf(expr(text, options).project(data));
    assert.deepEqual(results('i + i', {}), [-56, 6]);
    assert.deepEqual(results('i + i', { overflow: 'null' }), [null, 6]);
    assert.deepEqual(results('i // zero', { divisionByZero: 'null' }), [null, 3]);
    assert.deepEqual(results('cast(i * 3.0 as int8)', { cast: 'null' }), [null, 9]);
    refused(() => results('i + i', { overflow: 'error' }), 'ERR_CALL', /^row 0: int8 overflow\n {2}i \+ i/);
    refused(() => results('i // zero', {}), 'ERR_CALL', /row 0: division by zero/);
    refused(() => results('cast(i * 3.0 as int8)', {}), 'ERR_CALL', /row 0: float64 to int8/);
    assert.deepEqual(results('case when zero <> 0 then i // zero end', {}), [null, 3]);
  });

  it('takes at least one expression', () => {
    for (const none of [[], {}]) refused(() => expr(none), 'ERR_ARGUMENT', /^expr: the expression is empty/);
    assert.deepEqual(expr(['count(*)']).aggregate({ x: [1] }, { by: [] })['count(*)'], BigInt64Array.of(1n));
  });
});

describe('operations', () => {
  for (const [kind, make] of Object.entries({ 'typed arrays': arrays, 'apache-arrow': asArrow })) {
    it(`over ${kind}`, async () => {
      const data = make();
      const positive = expr('x > 0 and s is not null');
      assert.deepEqual(positive.filter(data), Uint32Array.of(0, 3));
      assert.deepEqual(await positive.filterAsync(data), Uint32Array.of(0, 3));
      assert.equal(positive.count(data), 2);
      assert.deepEqual(valuesOf(positive.mask(data)).map(Boolean), [true, false, false, true]);
      assert.deepEqual(positive.filter(data, { rows: Uint32Array.of(3, 2) }), Uint32Array.of(3));
      const out = new Uint32Array(8);
      const found = positive.filter(data, { out });
      assert.deepEqual([[...found], found.buffer === out.buffer], [[0, 3], true]);
      const column = (/** @type {any} */ result, /** @type {string} */ name) => valuesOf(kind === 'apache-arrow' ? result.getChild(name) : result[name]);
      const kept = positive.filterTable(data);
      assert.deepEqual([column(kept, 's'), column(kept, 'i')], [['a', 'a'], [1, 4]]);
      const made = expr({ twice: 'i * 2', upper: 'upper(s)' }).project(data, { where: positive });
      assert.deepEqual([column(made, 'twice'), column(made, 'upper')], [[2, 8], ['A', 'A']]);
      assert.deepEqual(valuesOf(await expr('length(s)').projectAsync(data)), [1, null, 1, 1]);
      const sums = expr({ n: 'count(*)', sum: 'sum(i)' });
      assert.deepEqual(sums.aggregate(data, { where: 'i > 1' }), { n: 3n, sum: 9n });
      assert.deepEqual(await sums.aggregateAsync(data), { n: 4n, sum: 10n });
      assert.equal(expr('max(i) - min(i)').aggregate(data), 3);
      const groups = sums.aggregate(data, { by: 's' });
      assert.deepEqual([column(groups, 's'), column(groups, 'sum')], [['a', null, 'ü'], [5n, 2n, 3n]]);
      assert.deepEqual(column(sums.aggregate(data, { by: 'i % 2' }), 'i % 2'), [1, 0]);
      assert.deepEqual(column(sums.aggregate(data, { by: { odd: 'i % 2 = 1' } }), 'odd').map(Boolean), [true, false]);
      assert.deepEqual(expr('x').topK(data, 3), Uint32Array.of(3, 0, 2));
      assert.deepEqual(expr('s').topK(data, 2, { ascending: true, where: 'i > 1' }), Uint32Array.of(3, 2));
      assert.match(positive.explain(data, { stage: 'tree' }), /^and: bool/);
    });
  }

  it('of results again', () => {
    const first = expr({ a: 'i + 1', s: 'upper(s)' }).project(arrays());
    assert.deepEqual(valuesOf(expr("coalesce(s, '-') || cast(a as utf8)").project(first)), ['A2', '-3', 'Ü4', 'A5']);
  });

  it('give the same bits for any number of threads', () => {
    const rows = 300_000;
    const data = { x: Float64Array.from({ length: rows }, (_, i) => Math.sin(i) * 10 ** (i % 20)), k: Int32Array.from({ length: rows }, (_, i) => (i * 7919) % 1000) };
    const all = [1, 2, 3, 8].map((threads) => {
      const options = { threads };
      const groups = expr({ sum: 'sum(x)', mean: 'mean(x)' }, options).aggregate(data, { by: 'k' });
      const bits = (/** @type {any} */ array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64');
      return [expr('sum(x)', options).aggregate(data), bits(groups.k), bits(groups.sum), bits(groups.mean), bits(expr('x > k', options).filter(data))];
    });
    for (const each of all) assert.deepEqual(each, all[0]);
  });
});

describe('table', () => {
  it('reads files and bytes of Arrow, and takes tables as they are', async () => {
    const bytes = fs.readFileSync(FLIGHTS);
    const late = expr('delay > 60');
    const expected = late.count(arrow.tableFromIPC(bytes));
    assert.ok(expected > 1000);
    const tables = [table(FLIGHTS), table(bytes), table(new Uint8Array(bytes).buffer), table(new URL(`file://${FLIGHTS}`)), await tableAsync(fs.createReadStream(FLIGHTS))];
    for (const each of tables) assert.deepEqual([each instanceof Table, each.rows, each.origin, late.count(each)], [true, 200_000, 'arrow', expected]);
    assert.equal(table(tables[0]), tables[0]);
    assert.deepEqual(tables[0].fields.get('delay')?.type.text, 'int16');
    assert.ok(tables[0].toArrow() instanceof arrow.Table);
  });

  it('reads streams that arrive in pieces', async () => {
    const given = asArrow();
    const bytes = arrow.tableToIPC(given, 'stream');
    const pieces = Readable.from(Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) => bytes.subarray(7 * i, 7 * i + 7)));
    assert.equal(expr("s = 'a'").count(await tableAsync(pieces)), 2);
  });

  it('remembers what arrays hold, which objects do not', () => {
    const data = { x: Float64Array.from({ length: 100_000 }, (_, i) => i) };
    const known = table(data);
    const e = expr('x < 10');
    for (let again = 0; again < 3; again++) assert.deepEqual([e.count(known), e.count(data)], [10, 10]);
    data.x.fill(5);
    assert.equal(e.count(data), 100_000);
  });

  it('takes types that arrays do not say', () => {
    const days = table({ day: Int32Array.of(18262, 18293) }, { types: { day: 'date32' } });
    assert.deepEqual(expr("day >= date '2020-02-01'").filter(days), Uint32Array.of(1));
    refused(() => table({ day: Float64Array.of(1) }, { types: { day: 'date32' } }), 'ERR_DTYPE', /column 'day' of date32 cannot be/);
    refused(() => table({ x: [1] }, { type: {} }), 'ERR_ARGUMENT', /unknown option 'type' \(did you mean 'types'\?\)/);
    refused(() => table(FLIGHTS, { types: {} }), 'ERR_ARGUMENT', /unknown option 'types', there are no options/);
  });

  it('takes tensors, vectors and chunks', () => {
    const e = expr('x > 1');
    assert.deepEqual(e.filter({ x: tensor([1, 2, 3]) }), Uint32Array.of(1, 2));
    assert.deepEqual(e.filter({ x: arrow.makeVector(Int8Array.of(0, 5)) }), Uint32Array.of(1));
    assert.deepEqual(e.filter([{ x: Int8Array.of(2) }, { x: Int8Array.of(0, 3) }]), Uint32Array.of(0, 2));
    assert.deepEqual(expr('value > 1').filter(arrow.makeVector(Int8Array.of(0, 5))), Uint32Array.of(1));
  });

  it('takes objects that are columns in part', () => {
    const data = { x: Float64Array.of(1, 3, 4), tags: [['a'], [], null], name: 'abc', short: [[1]] };
    assert.equal(expr('x > 2').count(data), 2);
    assert.deepEqual(expr('x > 2').filterTable(data), { x: Float64Array.of(3, 4), tags: [[], null] });
    refused(() => expr('tags is null').count(data), 'ERR_UNSUPPORTED', /column 'tags' is an array with \["a"\] in it, which expressions cannot use/);
    refused(() => expr('name').count(data), 'ERR_UNSUPPORTED', /column 'name' is "abc"/);
  });

  it('refuses what is none', () => {
    for (const given of [undefined, null, 3, Float64Array.of(1), () => 1, { x: 3 }, { x: { y: new Date() } }]) refused(() => table(given), 'ERR_ARGUMENT', /^table: expected/);
    refused(() => table({ x: new Int8Array(2), y: new Int8Array(3) }), 'ERR_SHAPE', /column 'y' has 3 rows, 'x' 2/);
    refused(() => table('/nowhere/at.all'), 'ERR_ARGUMENT', /cannot read \/nowhere\/at\.all/);
    refused(() => table(Uint8Array.of(1, 2, 3)), 'ERR_PARSE', /no proper Arrow data/);
    refused(() => expr('x').filter(3), 'ERR_ARGUMENT', /expected a table of apache-arrow, an object of columns/);
    refused(() => expr('y').filter({ x: [1] }), 'ERR_ARGUMENT', /no column 'y'/);
  });

  it('refuses memory that was taken away', () => {
    const data = { x: Float64Array.of(1, 2) };
    const known = table(data);
    assert.equal(expr('x > 1').count(known), 1);
    structuredClone(data.x, { transfer: [data.x.buffer] });
    refused(() => expr('x > 1').count(known), 'ERR_STATE', /a buffer of column 'x' is detached/);
    refused(() => expr('x > 1').count(data), 'ERR_STATE', /the array of column 'x' is detached/);
    assert.deepEqual(expr('x').project({ x: new Float64Array(0) }), new Float64Array(0));
  });
});

describe('what is shown', () => {
  it('of columns are type and values', () => {
    const column = expr('s').project(arrays());
    assert.equal(inspect(column), "Column utf8[4] [ 'a', null, 'ü', 'a' ]");
    assert.match(inspect(expr('s').project({ s: Array(150).fill('a') })), /^Column utf8\[150\] \[[^]*\] … and 50 more$/);
    assert.equal(JSON.stringify(column), '["a",null,"ü","a"]');
  });

  it('of tables are rows and types', () => {
    assert.equal(inspect(table({ x: new Int8Array(2), s: ['a', 'b'] })), "Table[2] { x: 'int8', s: 'utf8' }");
  });
});
