'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { native } = require('../../lib/index.js');
const { expr } = require('../../lib/columns/index.js');
const { call, col } = require('../../lib/columns/language/index.js');
const { arrowTable } = require('./tables.js');

/** Zero in rows 130 and 150, in two chunks. */
const x = Array.from({ length: 200 }, (_, row) => (row === 130 || row === 150 ? 0 : row + 1));
const schema = { x: 'int32', s: 'utf8', d: 'utf8' };
const columns = { x, s: x.map(String), d: x.map((value) => (value === 0 ? 'none' : String(value % 3))) };
const table = arrowTable(schema, columns, { cuts: [64, 140] });
const encoded = arrowTable(schema, columns, { dictionaries: ['d'] });

/** @type {(text: string, how?: any, options?: any) => () => any} */
const run = (text, how, options) => () => expr(text, options).project(table, how);
/** @type {(text: string, how?: any, options?: any) => any[]} */
const values = (text, how, options) => [...run(text, how, options)()];

describe('an error says', () => {
  test('the row, and the place in the text', () => {
    for (const threads of [1, 2, 4]) {
      assert.throws(run('1 + div(10, x)', undefined, { threads }), {
        code: 'ERR_CALL',
        message: 'row 130: division by zero\n  1 + div(10, x)\n      ^^^^^^^^^^',
      });
    }
    assert.throws(() => expr({ a: 'x + 1000', b: '1 + div(7, y)' }).project({ x: Int32Array.of(1), y: Int32Array.of(0) }), {
      message: 'row 0: division by zero\n  1 + div(7, y)\n      ^^^^^^^^^',
    });
    assert.throws(run('x >= 0\n  and div(10, x) > 0'), { message: 'row 130: division by zero\n    and div(10, x) > 0\n        ^^^^^^^^^^' });
    assert.throws(run('cast(s as int8)'), { message: /^row 127: utf8 to int8: [^]*\n {2}cast\(s as int8\)\n {2}\^{15}$/u });
  });

  test('the number that the row has in the table, where rows are chosen', () => {
    const rows = Uint32Array.of(7, 150, 130);
    assert.throws(run('div(10, x)', { rows }), { message: /^row 150: /u });
    assert.throws(run('div(10, x)', { where: 'x < 1' }), { message: /^row 130: /u });
    assert.throws(() => expr('div(10, x) > 1').filter(table, { rows }), { message: /^row 150: /u });
    assert.throws(() => expr('div(10, x) > 1').mask(table, { rows }), { message: /^row 150: /u });
    assert.throws(() => expr('div(10, x)').topK(table, 3, { where: 'x < 1' }), { message: /^row 130: /u });
  });

  test('what is meant by an unknown name', () => {
    assert.throws(run('y + 1'), { code: 'ERR_ARGUMENT', message: "there is no column 'y' (did you mean 'x'?), columns are 'x', 's', 'd'\n  y + 1\n  ^" });
    assert.throws(run('s = "y"'), { code: 'ERR_ARGUMENT', message: /^there is no column 'y' \("…" is a name, a string is in single quotes: 'y'\), columns are/u });
    for (const name of ['constructor', '__proto__']) {
      assert.throws(run(`${name}(x)`), { code: 'ERR_ARGUMENT', message: new RegExp(`^there is no function '${name}'`, 'u') });
      assert.throws(() => expr(`sum(${name}(x))`).aggregate(table), { code: 'ERR_ARGUMENT', message: new RegExp(`^there is no function '${name}'`, 'u') });
    }
    assert.throws(() => expr('sum(x)').aggregate(table, { where: 'count(*) > 1' }), { code: 'ERR_ARGUMENT', message: /^'count' is an aggregate, which has no value per row/u });
    assert.throws(run('2 * sqroot(x)'), { code: 'ERR_ARGUMENT', message: "there is no function 'sqroot' (did you mean 'sqrt'?)\n  2 * sqroot(x)\n      ^^^^^^^^^" });
    assert.throws(run('cast(x as integr)'), { code: 'ERR_ARGUMENT', message: /unknown type 'integr' \(did you mean 'integer'\?\)[^]*\n {12}\^{6}$/u });
    assert.throws(run('cast(x as decimal(40, 2))'), { code: 'ERR_ARGUMENT', message: /precision, got 40\n/u });
    assert.throws(run('x > @p', { parameters: { q: 1 } }), { code: 'ERR_ARGUMENT', message: /no value for parameter 'p': pass it in option 'parameters', given are 'q'\n/u });
  });

  test('what a function takes', () => {
    assert.throws(run('upper(x)'), { code: 'ERR_DTYPE', message: 'upper takes (utf8), got (int32)\n  upper(x)\n  ^^^^^^^^' });
    assert.throws(run("s + 'x'"), { code: 'ERR_DTYPE', message: /got \(utf8, utf8\); texts are joined by \|\|\n/u });
    assert.throws(run('x in @p', { parameters: { p: [1, 2] } }), { code: 'ERR_ARGUMENT', message: /got \[1, 2\]; it is one value: write lists out/u });
    assert.throws(run('s > 1'), { code: 'ERR_DTYPE', message: /^greater_than takes \(A, A\), where A is a type that all have in common, got \(utf8, int32\)\n/u });
    assert.throws(run("x in (1, 'a')"), { code: 'ERR_DTYPE', message: /have no common type: int32, int32, utf8\n/u });
    assert.throws(run('case when s then 1 end'), { code: 'ERR_DTYPE', message: /^a condition is a bool or a number, got utf8\n[^]*\n {12}\^$/u });
    assert.throws(() => expr('s').filter(table), { code: 'ERR_DTYPE', message: /^a condition is a bool or a number, got utf8\n/u });
    assert.throws(run("like(s, 'a', 'bb')"), { code: 'ERR_CALL', message: /^row 0: an escape is one character\n/u });
    assert.throws(run("s like 'a#b' escape '#'"), { code: 'ERR_CALL', message: /^row 0: in a pattern an escape stands before %, _ or itself\n/u });
  });

  test('what Python writes otherwise', () => {
    assert.throws(run('x == None'), { code: 'ERR_ARGUMENT', message: /^there is no column 'None' \(what is missing is null: ask by 'is null'\), columns are/u });
    assert.throws(run('x == nan'), { code: 'ERR_ARGUMENT', message: /^there is no column 'nan' \(NaN is written float 'nan'/u });
  });

  test('what to write where one of two timestamps has a zone', () => {
    const days = arrowTable({ t: 'timestamp[us, Europe/Oslo]', u: 'timestamp[s]' }, { t: [5n], u: [5n] });
    const of = (/** @type {string} */ text) => () => expr(text).project(days, { parameters: { p: new Date(7) } });
    const advice = '; if the one without a zone is in UTC, write cast';
    for (const text of ['t > :p', 'greatest(:p, t)', 't in (:p)', 'case when t is null then :p else t end']) {
      assert.throws(of(text), ({ code, message }) => code === 'ERR_DTYPE' && message.includes(`${advice}(:p as timestamp[ms, UTC])\n`), text);
    }
    assert.throws(of('t = u'), ({ message }) => message.includes(`${advice}(u as timestamp[s, UTC])\n`));
    assert.throws(of('t = u + interval 1 day'), ({ message }) => message.includes(`${advice}(x as timestamp[s, UTC])\n`));
    assert.deepEqual([...of('cast(:p as timestamp[ms, UTC]) > t')()], [true]);
  });

  test('that an expression is too deep', () => {
    const nested = (/** @type {number} */ levels) => Array.from({ length: levels }).reduce((each) => call('coalesce', 1, each), col('x'));
    assert.equal([...expr(nested(400)).project(table)][3], 1);
    assert.throws(() => expr(nested(2000)).project(table), { code: 'ERR_ARGUMENT', message: /nested more than 500 deep/u });
    const within = (/** @type {(each: any) => any} */ make) => Array.from({ length: 5000 }).reduce(make, col('x'));
    for (const make of [(/** @type {any} */ each) => each.neg(), (/** @type {any} */ each) => call('abs', each), (/** @type {any} */ each) => each.cast('int32')]) {
      assert.equal([...expr(within(make)).project(table)][3], 4);
    }
    assert.equal([...expr(`x${'::int32'.repeat(5000)}`).project(table)][3], 4);
    assert.equal([...expr(Array.from({ length: 20000 }, () => 'x').join(' + ')).project({ x: Float64Array.of(1) })][0], 20000);
  });

  test('what options there are', () => {
    assert.throws(run('x', { bad: 1 }), { code: 'ERR_ARGUMENT', message: /unknown option 'bad'/u });
    assert.throws(() => expr('x').explain(table, { stage: 'asmm' }), { code: 'ERR_ARGUMENT', message: /'tree', 'plan', 'loops', 'llvm', 'asm'/u });
    assert.throws(() => expr({ a: 'x', b: 's' }).filter(table), { code: 'ERR_ARGUMENT', message: /takes one expression, this one has 'a', 'b'/u });
    assert.throws(() => expr('x > 1').filter(table, { rows: Uint32Array.of(500) }), { code: 'ERR_ARGUMENT', message: /row 500 is beyond the 200 rows/u });
  });
});

describe('errors of functions of the program', () => {
  const data = { x: Float64Array.of(1, 2), i: Int32Array.of(1, 0), j: BigInt64Array.of(1n, 2n) };
  /** @type {(text: string, functions: any) => () => any} */
  const of = (text, functions) => () => expr(text, { functions }).project(data);
  const f = native((/** @type {number} */ a) => a * 2);
  const clamp = native((/** @type {number} */ a, /** @type {number} */ low, /** @type {number} */ high) => (a < low ? low : a > high ? high : a));

  test('stand in the text of the function, and name it', () => {
    assert.throws(of('g(x)', { g: { params: ['p'], expr: 'p + 1 + zz' } }), {
      code: 'ERR_ARGUMENT', message: "function 'g': there is no column 'zz', columns are 'x', 'i', 'j'\n  p + 1 + zz\n          ^^",
    });
    assert.throws(of('2 * g(i)', { g: { params: ['p'], expr: '3 // p' } }), {
      code: 'ERR_CALL', message: "row 1: function 'g': division by zero\n  3 // p\n  ^^^^^^",
    });
    assert.throws(of("g('a')", { g: { params: ['p'], expr: "case p when 1 then 'a' else 2 end" } }), { code: 'ERR_DTYPE', message: /^function 'g': equal takes [^]*\n {2}case p when/u });
    assert.throws(of('g(x)', { g: { params: ['p'], expr: col('p').add('a') } }), { code: 'ERR_DTYPE', message: /^function 'g': add takes /u });
    assert.throws(of('g(zz)', { g: { params: ['p'], expr: 'p + 1' } }), { message: /^there is no column 'zz'[^]*\n {2}g\(zz\)\n {4}\^\^$/u });
    assert.throws(() => expr('i', { functions: { g: { params: ['p'], expr: 'p + +' } } }), { code: 'ERR_PARSE', message: /^function 'g': expression:1:6: expected a value after '\+'/u });
    const functions = { g: { params: ['p'], expr: '1 + sum(p, 2)' } };
    assert.throws(() => expr({ a: 'sum(x)', b: 'g(x)' }, { functions }).aggregate(data), { message: "function 'g': sum takes 1 argument, got 2\n  1 + sum(p, 2)\n      ^^^^^^^^^" });
  });

  test('are of calls with too many or too few arguments', () => {
    const one = { g: { params: ['p'], expr: 'p' } };
    assert.throws(of('2 * g(x, x)', one), { code: 'ERR_ARGUMENT', message: 'g takes 1 argument, got 2\n  2 * g(x, x)\n      ^^^^^^^' });
    assert.throws(of('h(x)', { ...one, h: { params: ['q'], expr: '1 + g()' } }), { message: "function 'h': g takes 1 argument, got 0\n  1 + g()\n      ^^^" });
    assert.throws(of('1 + clamp(x)', { clamp }), { code: 'ERR_ARGUMENT', message: 'clamp takes 3 arguments, got 1\n  1 + clamp(x)\n      ^^^^^^^^' });
    assert.throws(of('f(x, 1, 2)', { f }), { code: 'ERR_ARGUMENT', message: /^f takes 1 argument, got 3\n/u });
  });

  test('name native functions, and say that integers of 64 bits are bigints', () => {
    assert.throws(of('1 + f(j)', { f }), { code: 'ERR_UNSUPPORTED', message: /^f\(int64\): [^]*; int64 is a bigint there: cast it, as in cast\(x as float64\)[^]*\n {2}1 \+ f\(j\)\n {6}\^{4}$/u });
    assert.deepEqual([...of('f(cast(j as float64))', { f })()], [2, 4]);
  });

  test('are of functions that call themselves; the order of functions does not matter', () => {
    const functions = { g: { params: ['p'], expr: 'h(p) * 2' }, h: { params: ['p'], expr: 'k(p) + p' }, k: { params: ['q'], expr: 'q * 10' } };
    assert.deepEqual([...of('g(x)', functions)()], [22, 44]);
    assert.throws(of('i', { ...functions, k: { params: ['q'], expr: '1 + g(q)' } }), {
      code: 'ERR_ARGUMENT', message: "function 'k': 'g' calls itself, which functions that are expressions cannot: g → h → k → g\n  1 + g(q)\n      ^^^^",
    });
  });
});

describe('errors of aggregates have a place, also where there are several texts', () => {
  const data = { x: Float64Array.of(1, 2), j: BigInt64Array.of(2n ** 62n, 2n ** 62n), s: ['a', 'b'] };
  /** @type {[named: any, how: any, message: string][]} */
  const rows = [
    [{ a: 'sum(x)' }, { by: 'nope' }, "there is no column 'nope', columns are 'x', 'j', 's'\n  nope\n  ^^^^"],
    [{ a: 'sum(x)', b: '1 + max(zz)' }, { by: 's' }, "there is no column 'zz', columns are 'x', 'j', 's'\n  1 + max(zz)\n          ^^"],
    [{ a: 'sum(x)' }, { where: 'zz > 0' }, "there is no column 'zz', columns are 'x', 'j', 's'\n  zz > 0\n  ^^"],
    [{ a: 'sum(x)', b: '1 + quantile(x, 2)' }, {}, 'quantile takes a value and a number from 0 to 1, written out\n  1 + quantile(x, 2)\n                  ^'],
    [{ a: 'sum(x)', b: '1 + max(x, 2)' }, {}, 'max takes 1 argument, got 2\n  1 + max(x, 2)\n      ^^^^^^^^^'],
    [{ a: 'sum(x)', b: '1 + sum(j)' }, { by: 'x // 4' }, 'aggregate: sum: int64 overflow\n  1 + sum(j)\n      ^^^^^^'],
    [{ a: 'sum(x)', b: 'sum(x) + x' }, { by: 's' }, "aggregate: 'x' is neither in an aggregate nor a key: write first(x) or group by it; keys are 's'\n  sum(x) + x\n           ^"],
    [{ a: 'sum(x)', b: 'sum(div(1, j - j))' }, { by: 's' }, 'row 0: division by zero\n  sum(div(1, j - j))\n      ^^^^^^^^^^^^^'],
  ];
  for (const [named, how, message] of rows) {
    test(message.slice(0, message.indexOf('\n')), async () => {
      const e = expr(named, { overflow: 'error' });
      assert.throws(() => e.aggregate(data, how), { message });
      if (message.startsWith('aggregate: ')) return;
      const inBatch = message.startsWith('row ') ? `batch 0, ${message}` : message;
      await assert.rejects(e.aggregateBatches([data], how), { message: inBatch });
    });
  }
});

describe('what is not asked for does not fail', () => {
  const tenth = x.map((value) => (value === 0 ? null : Math.trunc(10 / value)));

  test('in branches', () => {
    assert.deepEqual(values('case when x <> 0 then div(10, x) end'), tenth);
    assert.deepEqual(values('if(x = 0, null, div(10, x))'), tenth);
    assert.deepEqual(values('case when x = 0 then -1 when div(10, x) > 4 then 1 else 0 end'), x.map((value) => (value === 0 ? -1 : value <= 2 ? 1 : 0)));
    assert.throws(run('case when div(10, x) > 4 then 1 when x = 0 then -1 end'), { message: /^row 130: /u });
  });

  test('behind and, or and coalesce', () => {
    assert.deepEqual(values('x <> 0 and div(10, x) > 0'), tenth.map((value) => value !== null && value > 0));
    assert.deepEqual(values('x = 0 or div(10, x) > 0'), tenth.map((value) => value === null || value > 0));
    assert.deepEqual(values('coalesce(x, div(1, 0))'), x);
    assert.deepEqual(values('coalesce(case when x < 3 then x end, 7, div(1, 0))'), x.map((value) => (value < 3 ? value : 7)));
    assert.throws(run('div(10, x) > 0 and x <> 0'), { message: /^row 130: /u });
    assert.throws(run('coalesce(nullif(x, 0), div(10, x))'), { message: /^row 130: /u });
  });

  test('of nulls', () => {
    const some = arrowTable({ a: 'int32', b: 'int32' }, { a: [1, null, 3], b: [1, 0, null] });
    assert.deepEqual([...expr('div(a, b)').project(some)], [1, null, null]);
  });

  test('of values of a dictionary that no row has asked for', () => {
    assert.deepEqual([...expr("case when d <> 'none' then cast(d as int32) end").project(encoded)], x.map((value) => (value === 0 ? null : value % 3)));
    assert.throws(() => expr('cast(d as int32)').project(encoded), { message: /^row 130: /u });
  });
});

describe('options and casts decide what becomes of a fault', () => {
  test('null', () => {
    assert.deepEqual(values('div(10, x)', undefined, { divisionByZero: 'null' }).slice(129, 132), [0, null, 0]);
    assert.deepEqual(values('cast(s as int8)', undefined, { cast: 'null' }).slice(125, 128), [126, 127, null]);
    assert.deepEqual(values('try_cast(s as int8)').slice(125, 128), [126, 127, null]);
    assert.deepEqual(values('x + 2147483500', undefined, { overflow: 'null' }).slice(145, 149), [2147483646, 2147483647, null, null]);
  });

  test('wrap, which is what integers do', () => {
    assert.deepEqual(values('x + 2147483500').slice(146, 148), [2147483647, -2147483648]);
    assert.throws(run('x + 2147483500', undefined, { overflow: 'error' }), { code: 'ERR_CALL', message: /^row 147: int32 overflow\n/u });
  });

  test('a try is for its cast alone', () => {
    assert.throws(run('try_cast(cast(s as int8) as int64)'), { message: /^row 127: /u });
    assert.deepEqual(values('try_cast(try_cast(s as int8) as int64) is null').indexOf(true), 127);
  });
});
