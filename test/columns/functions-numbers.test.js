// Functions of numbers, decimals, bits and hashes, and casts, with nulls, extremes and NaN at sizes around a block of 64
// rows; Gandiva's own cases are in engine-cases.test.js.
'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { expr, table: read } = require('../../lib/columns/index.js');
const { arrowTable, valuesOf } = require('./tables.js');

const SIZES = [1, 63, 64, 65, 1000];
const MOST = 9223372036854775807n;
const LEAST = -MOST - 1n;
const NONE = null;
/** @type {(text: string) => any} */
const dec = (text) => {
  const [whole, part = ''] = text.split('.');
  return { unscaled: BigInt(whole + part), scale: part.length };
};

/** Columns by name: their types and values, as often as needed. @type {Record<string, [type: string, values: any[]]>} */
const COLUMNS = {
  i8: ['int8', [1, -128, NONE, 127, 0]],
  u8: ['uint8', [0, 255, NONE, 7, 128]],
  i32: ['int32', [7, -2147483648, NONE, 2147483647, -1]],
  i64: ['int64', [7n, LEAST, NONE, MOST, -1n]],
  u64: ['uint64', [7n, 0n, NONE, 18446744073709551615n, 1n]],
  f32: ['float32', [0.5, -1.5, NONE, NaN, 16777216]],
  x: ['float64', [2.5, -2.5, NONE, 0.49999999999999994, -0]],
  y: ['float64', [Infinity, -Infinity, NONE, NaN, 1e300]],
  b: ['bool', [true, false, NONE, true, false]],
  s: ['utf8', ['12', ' -7 ', NONE, '0', '127']],
  bad: ['utf8', ['1', 'x', NONE, '', '99999999999999999999']],
  d: ['decimal128(10, 2)', [dec('1.50'), dec('-2.25'), NONE, dec('99999999.99'), dec('0.00')]],
  e: ['decimal128(5, 3)', [dec('1.500'), dec('-2.249'), NONE, dec('99.999'), dec('0.001')]],
  full: ['decimal128(38, 0)', [dec('1'), dec('-2'), NONE, dec('9'.repeat(38)), dec('0')]],
};

/** @type {[expression: string, type: string, values: any[]][]} */
const ROWS = [
  // casts between numbers
  ['cast(i32 as int64)', 'int64', [7n, -2147483648n, NONE, 2147483647n, -1n]],
  ['try_cast(i32 as int8)', 'int8', [7, NONE, NONE, NONE, -1]],
  ['try_cast(i64 as uint64)', 'uint64', [7n, NONE, NONE, MOST, NONE]],
  ['try_cast(u64 as int64)', 'int64', [7n, 0n, NONE, NONE, 1n]],
  ['try_cast(x as int)', 'int32', [2, -2, NONE, 0, 0]],
  ['try_cast(y as bigint)', 'int64', [NONE, NONE, NONE, NONE, NONE]],
  ['try_cast(f32 as uint8)', 'uint8', [0, NONE, NONE, NONE, NONE]],
  ['cast(cast(i32 as float32) as int64)', 'int64', [7n, -2147483648n, NONE, 2147483648n, -1n]],
  ['try_cast(cast(i32 as float32) as int)', 'int32', [7, -2147483648, NONE, NONE, -1]],
  ['try_cast(cast(i32 as float64) - 0.5 as int)', 'int32', [6, -2147483648, NONE, 2147483646, -1]],
  ['cast(cast(0.1 as float16) as float32) + f32 * 0', 'float32', [0.0999755859375, 0.0999755859375, NONE, NaN, 0.0999755859375]],
  ['cast(b as int8)', 'int8', [1, 0, NONE, 1, 0]],
  ['cast(i8 as bool)', 'bool', [true, true, NONE, true, false]],
  ['cast(y as bool)', 'bool', [true, true, NONE, true, true]],
  // texts
  ['cast(s as int8)', 'int8', [12, -7, NONE, 0, 127]],
  ['cast(s as float32)', 'float32', [12, -7, NONE, 0, 127]],
  ['try_cast(bad as uint16)', 'uint16', [1, NONE, NONE, NONE, NONE]],
  ['try_cast(bad as double)', 'float64', [1, NONE, NONE, NONE, 1e20]],
  ['try_cast(bad as decimal(20, 0))', 'decimal128(20, 0)', [dec('1'), NONE, NONE, NONE, dec('99999999999999999999')]],
  ['try_cast(bad as bool)', 'bool', [true, NONE, NONE, NONE, NONE]],
  ['cast(i64 as text)', 'utf8', ['7', String(LEAST), NONE, String(MOST), '-1']],
  ['cast(u64 as text)', 'utf8', ['7', '0', NONE, '18446744073709551615', '1']],
  ['cast(f32 as text)', 'utf8', ['0.5', '-1.5', NONE, 'NaN', '1.6777216E7']],
  ['cast(y as text)', 'utf8', ['Infinity', '-Infinity', NONE, 'NaN', '1.0E300']],
  ['cast(b as text)', 'utf8', ['true', 'false', NONE, 'true', 'false']],
  ['cast(d as text)', 'utf8', ['1.50', '-2.25', NONE, '99999999.99', '0.00']],
  ['cast(i32 as varchar(3))', 'utf8', ['7', '-21', NONE, '214', '-1']],
  ['cast(cast(s as binary) as text) = s', 'bool', [true, true, NONE, true, true]],
  ['cast(cast(x as text) as double) = x', 'bool', [true, true, NONE, true, true]],
  // decimals
  ['cast(d as int)', 'int32', [2, -2, NONE, 100000000, 0]],
  ['try_cast(d as int8)', 'int8', [2, -2, NONE, NONE, 0]],
  ['try_cast(full as uint64)', 'uint64', [1n, NONE, NONE, NONE, 0n]],
  ['cast(d as double)', 'float64', [1.5, -2.25, NONE, 99999999.99, 0]],
  ['cast(d as bool)', 'bool', [true, true, NONE, true, false]],
  ['try_cast(d as decimal(4, 1))', 'decimal128(4, 1)', [dec('1.5'), dec('-2.3'), NONE, NONE, dec('0.0')]],
  ['cast(i8 as decimal(3))', 'decimal128(3, 0)', [dec('1'), dec('-128'), NONE, dec('127'), dec('0')]],
  ['try_cast(u64 as decimal(5, 2))', 'decimal128(5, 2)', [dec('7.00'), dec('0.00'), NONE, NONE, dec('1.00')]],
  ['try_cast(y as decimal(38, 2))', 'decimal128(38, 2)', [NONE, NONE, NONE, NONE, NONE]],
  ['d + e', 'decimal128(12, 3)', [dec('3.000'), dec('-4.499'), NONE, dec('100000099.989'), dec('0.001')]],
  ['d - 1', 'decimal128(13, 2)', [dec('0.50'), dec('-3.25'), NONE, dec('99999998.99'), dec('-1.00')]],
  ['d * i8', 'decimal128(14, 2)', [dec('1.50'), dec('288.00'), NONE, dec('12699999998.73'), dec('0.00')]],
  ['d * 0.5', 'decimal128(12, 3)', [dec('0.750'), dec('-1.125'), NONE, dec('49999999.995'), dec('0.000')]],
  ['e / 2', 'decimal128(19, 14)', [dec('0.75000000000000'), dec('-1.12450000000000'), NONE, dec('49.99950000000000'), dec('0.00050000000000')]],
  ['d % 2', 'decimal128(10, 2)', [dec('1.50'), dec('-0.25'), NONE, dec('1.99'), dec('0.00')]],
  ['d + x', 'float64', [4, -4.75, NONE, 99999999.99 + 0.49999999999999994, 0]],
  ['-d', 'decimal128(10, 2)', [dec('-1.50'), dec('2.25'), NONE, dec('-99999999.99'), dec('0.00')]],
  ['abs(d)', 'decimal128(10, 2)', [dec('1.50'), dec('2.25'), NONE, dec('99999999.99'), dec('0.00')]],
  ['sign(d)', 'int32', [1, -1, NONE, 1, 0]],
  ['round(d, 1)', 'decimal128(10, 1)', [dec('1.5'), dec('-2.3'), NONE, dec('100000000.0'), dec('0.0')]],
  ['round(d, -1)', 'decimal128(9, 0)', [dec('0'), dec('0'), NONE, dec('100000000'), dec('0')]],
  ['floor(d)', 'decimal128(9, 0)', [dec('1'), dec('-3'), NONE, dec('99999999'), dec('0')]],
  ['d < e', 'bool', [false, true, NONE, false, true]],
  ['d = 1.5', 'bool', [true, false, NONE, false, false]],
  ['d < 1.501', 'bool', [true, true, NONE, false, true]],
  ['e <= 99.9989', 'bool', [true, true, NONE, false, true]],
  ['d in (0, 1.5, -2.25)', 'bool', [true, true, NONE, false, true]],
  ['d in (0, 1.5, 3, 4, 5, 6, 7, 8.25)', 'bool', [true, false, NONE, false, true]],
  ["full = decimal '99999999999999999999999999999999999999'", 'bool', [false, false, NONE, true, false]],
  ['case when d > 0 then d else e end', 'decimal128(11, 3)', [dec('1.500'), dec('-2.249'), NONE, dec('99999999.990'), dec('0.001')]],
  ['coalesce(d, 0)', 'decimal128(10, 2)', [dec('1.50'), dec('-2.25'), dec('0.00'), dec('99999999.99'), dec('0.00')]],
  ['greatest(d, e)', 'decimal128(11, 3)', [dec('1.500'), dec('-2.249'), NONE, dec('99999999.990'), dec('0.001')]],
  // functions
  ['round(x)', 'float64', [3, -3, NONE, 0, -0]],
  ['round(y)', 'float64', [Infinity, -Infinity, NONE, NaN, 1e300]],
  ['round(x * 1.01, 1)', 'float64', [2.5, -2.5, NONE, 0.5, -0]],
  ['round(y, 3)', 'float64', [Infinity, -Infinity, NONE, NaN, 1e300]],
  ['round(x, i8 * 0)', 'float64', [3, -3, NONE, 0, -0]],
  ['bround(x)', 'float64', [2, -2, NONE, 0, -0]],
  ['trunc(x)', 'float64', [2, -2, NONE, 0, -0]],
  ['truncate(i32, -3)', 'int32', [0, -2147483000, NONE, 2147483000, 0]],
  ['floor(f32)', 'float32', [0, -2, NONE, NaN, 16777216]],
  ['ceil(x)', 'float64', [3, -2, NONE, 1, -0]],
  ['sign(i64)', 'int64', [1n, -1n, NONE, 1n, -1n]],
  ['sign(u8)', 'uint8', [0, 1, NONE, 1, 1]],
  ['abs(i8)', 'int8', [1, -128, NONE, 127, 0]],
  ['sqrt(f32)', 'float64', [Math.SQRT1_2, NaN, NONE, NaN, 4096]],
  ['x ** 2', 'float64', [6.25, 6.25, NONE, 0.24999999999999994, 0]],
  ['power(x, 3)', 'float64', [15.625, -15.625, NONE, 0.12499999999999996, -0]],
  ['is_nan(y)', 'bool', [false, false, NONE, true, false]],
  ['is_finite(y)', 'bool', [false, false, NONE, false, true]],
  ['is_inf(y)', 'bool', [true, true, NONE, false, false]],
  ['is_nan(i8)', 'bool', [false, false, NONE, false, false]],
  ['gcd(i8, 12)', 'int64', [1n, 4n, NONE, 1n, 12n]],
  ['lcm(u8, 6)', 'int64', [0n, 510n, NONE, 42n, 384n]],
  ['factorial(u8 % 8)', 'int64', [1n, 5040n, NONE, 5040n, 1n]],
  ['pi() + i8 * 0', 'float64', [Math.PI, Math.PI, NONE, Math.PI, Math.PI]],
  ['castINT(x)', 'int32', [3, -3, NONE, 0, 0]],
  ['castINT(i64)', 'int32', [7, 0, NONE, -1, -1]],
  ['castDECIMAL(x, 5, 1)', 'decimal128(5, 1)', [dec('2.5'), dec('-2.5'), NONE, dec('0.5'), dec('0.0')]],
  ['castDECIMALNullOnOverflow(d, 4, 2)', 'decimal128(4, 2)', [dec('1.50'), dec('-2.25'), NONE, NONE, dec('0.00')]],
  ['castVARCHAR(d, 3)', 'utf8', ['1.5', '-2.', NONE, '999', '0.0']],
  // bits and hashes
  ['u8 & 15', 'uint8', [0, 15, NONE, 7, 0]],
  ['~i8', 'int8', [-2, 127, NONE, -128, -1]],
  ['xor(i32, -1)', 'int32', [-8, 2147483647, NONE, -2147483648, 0]],
  ['i8 << 1', 'int8', [2, 0, NONE, -2, 0]],
  ['i8 << 8', 'int8', [0, 0, NONE, 0, 0]],
  ['i8 >> 100', 'int8', [0, -1, NONE, 0, 0]],
  ['i64 >> i8', 'int64', [3n, -1n, NONE, 0n, -1n]],
  ['bit_count(i64)', 'int32', [3, 1, NONE, 63, 64]],
  ['bin(i8)', 'utf8', ['1', '10000000', NONE, '1111111', '0']],
  ['hash32(i8) = hash32(cast(i8 as double))', 'bool', [true, true, true, true, true]],
  ['hash32(sqrt(-1 - u8)) = hash32(sqrt(-3 - u8))', 'bool', [true, true, true, true, true]],
  ['hash32(s, 5) = 5', 'bool', [false, false, true, false, false]],
  ['crc32(s)', 'int64', [1330857165n, 445261165n, NONE, 4108050209n, 2401609675n]],
  ['md5(s) = md5(cast(s as binary))', 'bool', [true, true, true, true, true]],
  ['round(null) is null and i8 is not null', 'bool', [true, true, false, true, true]],
  ['istrue(x)', 'bool', [true, true, false, true, false]],
  ['isnumeric(s)', 'bool', [false, false, false, false, false]],
];

/** @type {(names: readonly string[], size: number) => any} */
function tableOf(names, size) {
  const schema = Object.fromEntries(names.map((name) => [name, COLUMNS[name][0]]));
  const columns = Object.fromEntries(
    names.map((name) => [name, Array.from({ length: size }, (_, i) => valueIn(name, i))]),
  );
  return arrowTable(schema, columns);
}

/** @type {(name: string, row: number) => any} */
function valueIn(name, row) {
  const [type, values] = COLUMNS[name];
  const value = values[row % values.length];
  return type === 'float32' && value !== null ? Math.fround(value) : value;
}

/** The columns that a text names. @type {(text: string) => string[]} */
const namesIn = (text) => Object.keys(COLUMNS).filter((name) => new RegExp(`\\b${name}\\b(?!\\()`, 'u').test(text));

describe('expressions give', () => {
  for (const [text, type, values] of ROWS) {
    test(text, () => {
      const made = expr(text);
      for (const size of SIZES) {
        const vector = made.project(tableOf(namesIn(text), size));
        const wanted = Array.from({ length: size }, (_, i) => values[i % values.length]);
        assert.deepEqual(valuesOf(vector, type), type === 'float32' ? wanted.map((v) => (v === null ? v : Math.fround(v))) : wanted);
      }
      assert.equal(made.project(tableOf(namesIn(text), 0)).length, 0);
    });
  }
});

/** @type {[expression: string, code: string, message: RegExp, options?: any][]} */
const FAULTS = [
  ['cast(i32 as int8)', 'ERR_CALL', /row 1: int32 to int8: the value does not fit\n {2}cast\(i32 as int8\)\n {2}\^+$/u],
  ['cast(y as int)', 'ERR_CALL', /row 0: float64 to int32: the value does not fit/u],
  ['cast(bad as int)', 'ERR_CALL', /row 1: utf8 to int32: the text is no int32/u],
  ['cast(bad as decimal(5, 1))', 'ERR_CALL', /row 1: utf8 to decimal128\(5, 1\): the text is no number, or one that does not fit/u],
  ['cast(d as decimal(3, 1))', 'ERR_CALL', /row 3: decimal128\(10, 2\) to decimal128\(3, 1\): the value does not fit/u],
  ['d / (d - d)', 'ERR_CALL', /row 0: division by zero/u],
  ['d % 0', 'ERR_CALL', /row 0: division by zero/u],
  ['full * full * full', 'ERR_CALL', /row 3: decimal overflow/u],
  ['factorial(i8)', 'ERR_CALL', /row 1: there is no factorial of a negative number/u],
  ['factorial(u8)', 'ERR_CALL', /row 1: int64 overflow: a factorial of more than 20/u],
  ['log(i8, x)', 'ERR_CALL', /row 0: division by zero: a logarithm to base 1/u],
  ['castVARCHAR(i8, -1)', 'ERR_CALL', /row 0: a text of less than 0 characters/u],
  ['castINT(i64)', 'ERR_CALL', /row 1: int32 overflow/u, { overflow: 'error' }],
  ['abs(i8)', 'ERR_CALL', /row 1: int8 overflow/u, { overflow: 'error' }],
  ['cast(i32 as varchar(0))', 'ERR_ARGUMENT', /expected a length of 1 or more for type varchar, got 0/u],
  ["d + decimal '1.2.3'", 'ERR_PARSE', /'1.2.3' is no decimal/u],
  [`d = decimal '${'1'.repeat(39)}'`, 'ERR_PARSE', /a decimal has 38 digits at most, got 39 in '1{39}'/u],
  ['round(s)', 'ERR_DTYPE', /round takes .* got \(utf8\)/u],
  ['i8 & x', 'ERR_DTYPE', /bitwise_and takes \(int A, int A\), .* got \(int8, float64\)/u],
  ['castDECIMAL(x, i8, i8)', 'ERR_DTYPE', /castDECIMAL takes/u],
];

describe('faults say where they are:', () => {
  for (const [text, code, message, options] of FAULTS) {
    test(text, () => {
      assert.throws(() => expr(text, options).project(tableOf(namesIn(text), 5)), (/** @type {any} */ error) => {
        assert.equal(error.code, code);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  test('and count only where they are asked for', () => {
    const guarded = expr('case when d <> 0 then 1 / d else 0 end').project(tableOf(['d'], 5));
    assert.equal(guarded.length, 5);
    const nulls = expr('full * full', { overflow: 'null' }).project(tableOf(['full'], 5));
    assert.deepEqual(valuesOf(nulls, 'decimal128(38, 0)').map((value) => value === null), [false, false, true, true, false]);
  });
});

test('aggregates of decimals', () => {
  const table = tableOf(['d', 'i8'], 1000);
  const wanted = { sum: '19999999848.00', min: '-2.25', max: '99999999.99', mean: 24999999.81 };
  for (const [name, value] of Object.entries(wanted)) assert.equal(expr(`${name}(d)`).aggregate(table), value);
  assert.equal(expr('count(distinct d)').aggregate(table), 4n);
  const groups = expr({ least: 'min(d)', mean: 'mean(d)' }).aggregate(table, { by: 'i8' });
  assert.deepEqual([...groups.getChild('mean')], [1.5, -2.25, null, 99999999.99, 0]);
  assert.deepEqual(valuesOf(groups.getChild('least'), COLUMNS.d[0]), COLUMNS.d[1]);
  const full = tableOf(['full', 'i8'], 10);
  for (const name of ['sum', 'mean']) {
    assert.throws(() => expr(`${name}(full)`).aggregate(full), { message: new RegExp(`${name}: a sum of decimals has more`, 'u') });
    assert.equal(expr(`${name}(full)`, { overflow: 'null' }).aggregate(full), null);
  }
  assert.equal(expr('max(full)').aggregate(full), '9'.repeat(38));
});

test('random numbers', () => {
  const rows = 10000;
  const x = new Float64Array(rows);
  const given = (/** @type {string} */ text, /** @type {any} */ options) => expr(text, options).project({ x });
  const all = given('random() + x * 0');
  assert.ok(all.every((/** @type {number} */ each) => each >= 0 && each < 1));
  const mean = all.reduce((/** @type {number} */ sum, /** @type {number} */ each) => sum + each, 0) / rows;
  assert.ok(Math.abs(mean - 0.5) < 0.02, `${mean}`);
  assert.equal(new Set(all).size, rows);
  assert.deepEqual(given('random() + x * 0', { threads: 4 }), all);
  assert.ok(given('random() - random() + x').every((/** @type {number} */ each) => each !== 0));
  assert.ok(given('random(7) - random(7) + x').every((/** @type {number} */ each) => each === 0));
  const between = expr('random() between 0.25 and 0.5').count({ x }) / rows;
  assert.ok(Math.abs(between - 0.25) < 0.03, `${between}`);
  const dice = given('rand_integer(1, 6) + cast(x as int)');
  assert.deepEqual([...new Set(dice)].sort(), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual([...new Set(given('rand_integer(3) + cast(x as int)'))].sort(), [0, 1, 2]);
  const any = given('rand_integer() + cast(x as int)');
  assert.ok(Math.min(...any) < -(2 ** 30) && Math.max(...any) > 2 ** 30);
  assert.throws(() => given('rand_integer(0)'), { code: 'ERR_CALL', message: /a range of random integers has one at least/u });
  assert.throws(() => given('rand_integer(2, 1)'), { code: 'ERR_CALL', message: /the least random integer is above the greatest/u });
});

describe('decimals that no decimal holds both of', () => {
  const columns = { a: ['-0.0000000006', '1.5', '2', null], b: ['0', '1.5', '2.0001', '1'], one: ['0.5', '1', '2', '3'] };
  const fine = read(columns, { types: { a: 'decimal128(38, 10)', b: 'decimal128(38, 4)', one: 'decimal128(20, 4)' } });
  const mixed = read({ ...columns, j: BigInt64Array.of(0n, 1n, 2n, 3n) }, { types: { a: 'decimal128(38, 20)' } });
  /** @type {[text: string, data: any, expected: any[]][]} */
  const rows = [
    ['a = b', fine, [false, true, false, null]],
    ['a <> b', fine, [true, false, true, null]],
    ['a < b', fine, [true, false, true, null]],
    ['b <= a', fine, [false, true, false, null]],
    ['a is distinct from b', fine, [true, false, true, true]],
    ['nullif(a, b) is null', fine, [false, true, false, true]],
    ['a in (b, one)', fine, [false, true, true, null]],
    ['a in (b, null)', fine, [null, true, null, null]],
    ['one in (a, b)', fine, [false, false, true, null]],
    ['b = 1.50000001m', fine, [false, false, false, false]],
    ['a < j', mixed, [true, false, false, null]],
    ['case a when b then 1 else 0 end = 1', fine, [false, true, false, false]],
  ];
  for (const [text, data, expected] of rows) {
    test(`${text} is compared as it is`, () => {
      const found = expr(`coalesce(${text}, null)`).project(data);
      assert.deepEqual(Array.from(found, (each) => (each === null ? null : Boolean(each))), expected);
    });
  }

  test('are rounded where a result has to be of one type', () => {
    assert.deepEqual(expr('coalesce(a, b)').project(fine).toArray(), ['0.0000', '1.5000', '2.0000', '1.0000']);
    assert.equal(expr('greatest(a, b)').project(fine).type.text, 'decimal128(38, 4)');
  });
});

describe('greatest and least of floats', () => {
  const values = { x: [NaN, 1, -0, 0, null, 3], y: [1, NaN, 0, -0, NaN, null] };
  for (const type of ['float64', 'float32']) {
    test(`of ${type} are NaN beside one, and -0 is below 0, whatever the order`, () => {
      const data = read(values, { types: { x: type, y: type } });
      for (const pair of ['x, y', 'y, x']) {
        assert.deepEqual([...expr(`greatest(${pair})`).project(data)], [NaN, NaN, 0, 0, NaN, 3], pair);
        assert.deepEqual([...expr(`least(${pair})`).project(data)], [NaN, NaN, -0, -0, NaN, 3], pair);
        // Interpreted the first time, compiled the second.
        const greatest = expr(`greatest(${pair})`, { cache: false });
        const Class = type === 'float64' ? Float64Array : Float32Array;
        const [x, y] = [[NaN, 1, -0, 0, 2], [1, NaN, 0, -0, 3]].map((each) => Class.from({ length: 200 }, (_, i) => each[i % 5]));
        for (let run = 0; run < 3; run++) assert.deepEqual([...greatest.project({ x, y }).slice(100, 105)], [NaN, NaN, 0, 0, 3]);
      }
    });
  }
});
