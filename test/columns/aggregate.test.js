'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const arrow = require('apache-arrow');
const { expr } = require('../../lib/columns/index.js');
const { randomOf } = require('../support/values.js');
const { arrowTable, atEdges, shown, typeOf, typeText, valuesOf } = require('./engine.js');

// --- values ---

const TEXTS = ['', 'a', 'b', 'ab', 'ä', '日本', '😀', 'a longer text of more than sixteen bytes', 'A longer text of more than sixteen bytes'];

/** Values of which there are few, so that groups have several rows. @type {Record<string, (random: () => number, type: any) => any>} */
const VALUES = {
  int: (random, { bits, signed }) => {
    const value = random() < 0.1 ? (signed ? -(2n ** BigInt(bits - 1)) : 2n ** BigInt(bits) - 1n) : BigInt(Math.floor(random() * 9) - (signed ? 4 : 0));
    return bits === 64 ? value : Number(value);
  },
  float: (random, { bits }) => {
    const value = [0, -0, 1.5, -2.25, 1e10, 3.75, 0.1, NaN, Infinity][Math.floor(random() * (random() < 0.1 ? 9 : 7))];
    return bits === 32 ? Math.fround(value) : value;
  },
  bool: (random) => random() < 0.5,
  utf8: (random) => TEXTS[Math.floor(random() * TEXTS.length)],
  binary: (random) => Uint8Array.from({ length: Math.floor(random() * 3) }, () => Math.floor(random() * 3)),
  date: (random, { bits }) => (bits === 64 ? BigInt(Math.floor(random() * 9)) * 86400000n : Math.floor(random() * 9) - 4),
  timestamp: (random) => BigInt(Math.floor(random() * 9) - 4) * 1000000007n,
  time: (random) => Math.floor(random() * 9) * 1000,
  decimal: (random, { scale }) => ({ unscaled: BigInt(Math.floor(random() * 9) - 4) * (random() < 0.3 ? 2n ** 70n : 1n), scale }),
};

const TYPES = [
  'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float32', 'float64', 'bool', 'utf8', 'binary', 'date32', 'date64',
  'timestamp[us]', 'time32[ms]', 'decimal128(38, 2)',
];

/** @type {(random: () => number, type: string, size: number, nulls: number) => any[]} */
const column = (random, type, size, nulls) =>
  Array.from({ length: size }, () => (random() < nulls ? null : VALUES[typeOf(type).kind](random, typeOf(type))));

/** What equal keys have in common: zeros are one, NaNs are one. @type {(value: any) => string} */
const keyText = (value) => (value instanceof Uint8Array ? `bytes ${value}` : `${typeof value} ${shown(Object.is(value, -0) ? 0 : Number.isNaN(value) ? 'NaN' : value)}`);

// --- what aggregates are ---

const isReal = (/** @type {string} */ type) => ['int', 'float'].includes(typeOf(type).kind);

/** @type {(a: any, b: any) => number} */
function order(a, b) {
  if (typeof a === 'string' || a instanceof Uint8Array) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  const [x, y] = [a?.unscaled ?? a, b?.unscaled ?? b];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** @type {(sign: number) => (values: any[]) => any} */
const extreme = (sign) => (values) => {
  if (values.some((value) => Number.isNaN(value))) return NaN;
  return values.reduce((best, value) => (sign * order(value, best) > 0 ? value : best));
};

const numbers = (/** @type {any[]} */ values) => values.map((value) => (typeof value === 'object' ? Number(value.unscaled) / 10 ** value.scale : Number(value)));

/** @type {(values: any[], type: string) => any} */
function sum(values, type) {
  const { kind, signed, scale } = typeOf(type);
  if (kind === 'float') return values.reduce((a, b) => a + b, 0);
  if (kind === 'decimal') return { unscaled: values.reduce((a, b) => a + b.unscaled, 0n), scale };
  const exact = values.reduce((a, b) => a + BigInt(b), 0n);
  return signed || kind === 'bool' ? BigInt.asIntN(64, exact) : BigInt.asUintN(64, exact);
}

const mean = (/** @type {any[]} */ values) => numbers(values).reduce((a, b) => a + b, 0) / values.length;

/** @type {(ddof: number) => (values: any[]) => number | null} */
const variance = (ddof) => (values) => {
  if (values.length <= ddof) return null;
  const middle = mean(values);
  return numbers(values).reduce((all, value) => all + (value - middle) ** 2, 0) / (values.length - ddof);
};

/** @type {(share: number) => (values: any[]) => number} */
const quantile = (share) => (values) => {
  const sorted = Float64Array.from(numbers(values)).sort();
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low === high ? low : low + (high - low) * (at - Math.floor(at));
};

const isSummed = (/** @type {string} */ type) => isReal(type) || typeOf(type).kind === 'bool' || typeOf(type).kind === 'decimal';
const isOrdered = (/** @type {string} */ type) => typeOf(type).kind !== 'interval';

/** By call: what it takes, what it is of values that are there. Without any it is null, but for counts. @type {[text: string, takes: (type: string) => boolean, of: (values: any[], type: string) => any][]} */
const AGGREGATES = [
  ['count(x)', () => true, (values) => BigInt(values.length)],
  ['count_distinct(x)', () => true, (values) => BigInt(new Set(values.map(keyText)).size)],
  ['sum(x)', isSummed, sum],
  ['mean(x)', isSummed, mean],
  ['min(x)', isOrdered, extreme(-1)],
  ['max(x)', isOrdered, extreme(1)],
  ['first(x)', () => true, (values) => values[0]],
  ['last(x)', () => true, (values) => values.at(-1)],
  ['var_samp(x)', isSummed, variance(1)],
  ['var_pop(x)', isSummed, variance(0)],
  ['median(x)', isReal, quantile(0.5)],
  ['quantile(x, 0.9)', isReal, quantile(0.9)],
  ['any(x)', (type) => type === 'bool', (values) => values.includes(true)],
  ['all(x)', (type) => type === 'bool', (values) => !values.includes(false)],
];

/** @type {(of: (values: any[], type: string) => any, text: string, values: any[], type: string) => any} */
const valueOf = (of, text, values, type) => (values.length === 0 && !text.startsWith('count') ? null : of(values, type));

/** Rows by the texts of their keys, in the order of the first ones. @type {(rows: any[], keys: string[]) => any[][]} */
function groupsOf(rows, keys) {
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const row of rows) {
    const key = keys.map((name) => keyText(row[name])).join('\u0000');
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return keys.length === 0 ? [rows] : [...groups.values()];
}

/** Sums of floats are near: their terms come in another order. @type {(got: any, wanted: any, size: number) => boolean} */
function near(got, wanted, size) {
  if (typeof got !== 'number' || typeof wanted !== 'number') return shown(got) === shown(wanted);
  if (Object.is(got, wanted) || got === wanted || Number.isNaN(got) === true && Number.isNaN(wanted)) return true;
  return Math.abs(got - wanted) <= 1e-12 * Math.max(Math.abs(wanted), size);
}

/** The size of terms that a sum may have lost digits of. @type {(values: any[], text: string) => number} */
function sizeOf(values, text) {
  const most = Math.max(0, ...numbers(values.filter((value) => typeof value !== 'string' && !(value instanceof Uint8Array))).filter(Number.isFinite).map(Math.abs));
  return text.startsWith('var') ? most * most : most * values.length;
}

// --- comparisons ---

/** @type {(vector: any) => any[]} */
const read = (vector) => {
  const type = typeText(vector.type).replace(/^dictionary.*/u, '');
  return type === '' ? [...vector] : valuesOf(vector, type);
};

/** @type {(schema: Record<string, string>, columns: Record<string, any[]>, keys: string[], how: any, options: any) => void} */
function check(schema, columns, keys, how, { threads, where } = /** @type {any} */ ({})) {
  const size = columns.x.length;
  const all = Array.from({ length: size }, (_, i) => Object.fromEntries(Object.keys(schema).map((name) => [name, columns[name][i]])));
  const rows = where === undefined ? all : all.filter(({ w }) => w === true);
  const asked = AGGREGATES.filter(([, takes]) => takes(schema.x));
  const plainly = arrowTable(schema, columns, how);
  const table = how.atEnds ? atEdges(plainly, true) : plainly;
  const named = Object.fromEntries(asked.map(([text], i) => [`v${i}`, text]));
  const head = `${shown(schema)} by ${keys} of ${size} rows ${shown(how)} ${where ?? ''}`;
  const groups = groupsOf(rows, keys);
  const got = expr({ n: 'count(*)', ...named }, { threads, cache: false }).aggregate(table, { where, ...(keys.length > 0 ? { by: keys } : {}) });
  const column_ = (/** @type {string} */ name) => (keys.length > 0 ? read(got.getChild(name)) : [got[name]]);
  assert.deepEqual(column_('n').map(Number), groups.map(({ length }) => length), `${head}: count(*)`);
  for (const key of keys) {
    const found = column_(key);
    groups.forEach(([row], g) => assert.ok(shown(found[g]) === shown(row[key]), `${head}: key ${key} of group ${g} is ${shown(found[g])}, not ${shown(row[key])}`));
  }
  asked.forEach(([text, , of], i) => {
    const found = column_(`v${i}`);
    groups.forEach((group, g) => {
      const values = group.map(({ x }) => x).filter((x) => x !== null);
      const exact = valueOf(of, text, values, schema.x);
      const own = found[g];
      const isOfType = /^(sum|min|max|first|last)/u.test(text);
      const wanted = keys.length === 0 && isOfType ? plain(exact, schema.x) : exact;
      assert.ok(near(own, wanted, sizeOf(values, text)), `${head}: ${text} of group ${g} is ${shown(own)}, not ${shown(wanted)}`);
    });
  });
}

/** A value of a type as JavaScript has it, which is what a whole table gives. @type {(value: any, type: string) => any} */
function plain(value, type) {
  const { kind, bits, unit, scale } = typeOf(type);
  if (value === null) return null;
  if (kind === 'date') return bits === 32 ? value * 86400000 : Number(value);
  if (kind === 'timestamp') return Number(value) / { s: 0.001, ms: 1, us: 1000, ns: 1e6 }[/** @type {'s'} */ (unit)];
  if (kind !== 'decimal') return value;
  const digits = String(value.unscaled < 0n ? -value.unscaled : value.unscaled).padStart(scale + 1, '0');
  return `${value.unscaled < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}.${digits.slice(digits.length - scale)}`;
}

const FORMS = [{}, { cuts: [1, 64, 100] }, { cuts: [63, 128], skipped: 3 }, { cuts: [63, 128], atEnds: true }];

describe('aggregates of a whole table', () => {
  for (const type of TYPES) {
    test(type, () => {
      const random = randomOf(7);
      for (const size of [0, 1, 63, 65, 300]) {
        for (const nulls of [0, 0.3, 1]) {
          const schema = { x: type, w: 'bool' };
          const columns = { x: column(random, type, size, nulls), w: column(random, 'bool', size, 0.2) };
          check(schema, columns, [], FORMS[size % 4], { threads: 1 + (size % 2), where: size % 2 ? 'w' : undefined });
        }
      }
    });
  }
});

describe('aggregates of groups', () => {
  for (const type of TYPES) {
    test(`by ${type}`, () => {
      const random = randomOf(11);
      TYPES.forEach((operand, i) => {
        const size = [0, 1, 64, 131, 300][i % 5];
        const schema = { k: type, x: operand, w: 'bool' };
        const columns = { k: column(random, type, size, 0.1 * (i % 3)), x: column(random, operand, size, 0.2), w: column(random, 'bool', size, 0.2) };
        check(schema, columns, ['k'], FORMS[i % 4], { threads: 1 + (i % 4), where: i % 2 ? 'w' : undefined });
      });
    });
  }

  test('by two and three keys', () => {
    const random = randomOf(13);
    for (let i = 0; i < 24; i++) {
      const types = [0, 1, 2].map(() => TYPES[Math.floor(random() * TYPES.length)]);
      const operand = TYPES[Math.floor(random() * TYPES.length)];
      const schema = { k: types[0], l: types[1], m: types[2], x: operand };
      const columns = Object.fromEntries(Object.entries(schema).map(([name, type]) => [name, column(random, type, 257, 0.1)]));
      check(schema, columns, i % 2 ? ['k', 'l'] : ['m', 'k', 'l'], FORMS[i % 4], { threads: 1 + (i % 3) });
    }
  });
});

// --- groups and what they are of ---

/** @type {(table: any, names: readonly string[]) => any[][]} */
const rowsOf = (table, names) => {
  const columns = names.map((name) => read(table.getChild(name)));
  return columns[0].map((/** @type {any} */ _, /** @type {number} */ i) => columns.map((each) => each[i]));
};

describe('groups', () => {
  const size = 200000;
  const random = randomOf(5);
  const keys = Int32Array.from({ length: size }, () => Math.floor(random() * 120000) * 7919 - 40000000);
  const values = Float64Array.from({ length: size }, () => random() * 1000 - 300);
  const texts = Array.from(keys, (key) => `key ${key} of many, some of which begin alike`);
  /** @type {Map<number, number[]>} */
  const plainGroups = new Map();
  keys.forEach((key, i) => plainGroups.set(key, [...(plainGroups.get(key) ?? []), values[i]]));

  for (const threads of [1, 2, 4]) {
    test(`of a hundred thousand keys on ${threads} threads`, () => {
      const got = expr({ n: 'count(*)', s: 'sum(v)', m: 'max(v)' }, { threads }).aggregate({ k: keys, v: values }, { by: 'k' });
      assert.deepEqual([...got.k], [...plainGroups.keys()]);
      assert.deepEqual(Array.from(got.n, Number), [...plainGroups.values()].map(({ length }) => length));
      assert.deepEqual([...got.s], [...plainGroups.values()].map((each) => each.reduce((a, b) => a + b, 0)));
      assert.deepEqual([...got.m], [...plainGroups.values()].map((each) => Math.max(...each)));
    });
  }

  test('of as many texts', () => {
    const table = arrowTable({ k: 'utf8', v: 'float64' }, { k: texts, v: [...values] }, { cuts: [70001] });
    const got = expr({ s: 'sum(v)' }, { threads: 2 }).aggregate(table, { by: 'k' });
    assert.deepEqual(read(got.getChild('k')), [...new Set(texts)]);
    assert.deepEqual(read(got.getChild('s')), [...plainGroups.values()].map((each) => each.reduce((a, b) => a + b, 0)));
  });

  test('have the same bits whatever the number of threads', () => {
    const table = { k: keys.map((key) => key % 5), v: values };
    const named = { a: 'sum(v)', b: 'mean(v)', c: 'var_samp(v)', d: 'first(v)', e: 'last(v)', f: 'median(v)' };
    const run = (/** @type {number} */ threads, /** @type {any} */ how) => expr(named, { threads }).aggregate(table, how);
    for (const how of [{}, { by: 'k' }, { where: 'v > 0' }, { by: 'k', where: 'v > 0' }]) {
      const once = run(1, how);
      for (const threads of [2, 3, 7]) assert.deepEqual(run(threads, how), once);
    }
  });

  test('by dictionary columns are those by their values', () => {
    const next = randomOf(3);
    for (const type of ['utf8', 'int32', 'bool', 'date32']) {
      const schema = { k: type, x: 'int32' };
      const columns = { k: column(next, type, 300, 0.1), x: column(next, 'int32', 300, 0.1) };
      const named = { n: 'count(*)', s: 'sum(x)', a: 'min(k)', d: 'count_distinct(k)', f: 'first(k)' };
      const [plainly, encoded] = [{}, { dictionaries: ['k'] }].map((how) => expr(named).aggregate(arrowTable(schema, columns, how), { by: 'k' }));
      assert.deepEqual(rowsOf(encoded, ['n', 's', 'd']), rowsOf(plainly, ['n', 's', 'd']));
      const back = expr({ k: 'coalesce(k, k)', a: 'a', f: 'coalesce(f, f)' }).project(encoded);
      assert.deepEqual(rowsOf(back, ['k', 'a', 'f']), rowsOf(plainly, ['k', 'a', 'f']));
    }
  });

  test('by expressions, and of expressions', () => {
    const table = arrowTable({ k: 'int32', x: 'float64' }, { k: [1, 2, 3, 4, null, 6], x: [1, 2, 3, null, 5, 6] }, { cuts: [3] });
    const got = expr({ a: 'sum(x * 2) + count(*)', b: 'max(x) - min(x)', c: 'odd' }).aggregate(table, { by: { odd: 'k % 2 = 1' } });
    assert.deepEqual(rowsOf(got, ['odd', 'a', 'b', 'c']), [[true, 10, 2, true], [false, 19, 4, false], [null, 11, 0, null]]);
    assert.equal(expr('sum(x) / count(*)').aggregate(table), 17 / 6);
    assert.equal(expr('1 + 1').aggregate(table), 2);
    assert.deepEqual(expr({ a: 'count(*)', b: 'quantile(x + 1, 0.5)' }).aggregate(table, { where: 'k is not null' }), { a: 5n, b: 3.5 });
  });
});

describe('texts that are too large for the memory of a block', () => {
  /** @type {(rows: number) => { k: Int32Array, s: string[] }} */
  const dataOf = (rows) => ({
    k: Int32Array.from({ length: rows }, (_, i) => i % 3),
    s: Array.from({ length: rows }, (_, i) => 'a'.repeat(i >= rows - 70 ? 3000 : 1)),
  });

  for (const [what, rows] of /** @type {const} */ ([['hashed', 300], ['direct', 70000]])) {
    test(`count once in ${what} groups`, () => {
      const data = dataOf(rows);
      const sums = [0n, 0n, 0n];
      data.s.forEach((text, i) => void (sums[i % 3] += BigInt(text.length) + 1n));
      for (const threads of [1, 4]) {
        const { k, n, size } = expr({ n: 'count(*)', size: "sum(length(concat(upper(s), 'b')))" }, { threads }).aggregate(data, { by: 'k' });
        assert.deepEqual([...k], [0, 1, 2]);
        assert.equal(n.reduce((/** @type {bigint} */ a, /** @type {bigint} */ b) => a + b), BigInt(rows));
        assert.deepEqual([...size], sums);
      }
    });
  }

  test('count once in a table', () => {
    const of = (/** @type {string} */ text) => expr(text).aggregate(dataOf(300));
    assert.equal(of("var_pop(length(concat(s, 'b')))"), of('var_pop(length(s) + 1)'));
  });
});

describe('aggregates of batches', () => {
  /** @type {(...lists: (string | null)[][]) => any[]} */
  const coded = (...lists) => lists.map((k) => ({ k: arrow.vectorFromArray(k, new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32())) }));

  test('know keys that each batch numbers otherwise', async () => {
    const batches = [...coded(['a', 'b'], ['c', 'a'], [null, 'd', 'e', 'f', 'c']), { k: ['b', 'g'] }];
    const { k, n } = await expr({ n: 'count(*)' }).aggregateBatches(batches, { by: 'k' });
    assert.deepEqual([...k], ['a', 'b', 'c', null, 'd', 'e', 'f', 'g']);
    assert.deepEqual([...n], [2n, 2n, 2n, 1n, 1n, 1n, 1n, 1n]);
    const ends = expr({ first: 'first(k)', last: 'last(k)', least: 'min(k)', greatest: 'max(k)' });
    assert.deepEqual(await ends.aggregateBatches(coded([null], ['c', 'b'], ['d', 'a'])), { first: 'c', last: 'a', least: 'a', greatest: 'd' });
  });

  test('let a source go that they do not read to its end', async () => {
    let isOpen = true;
    function* source() {
      try {
        for (;;) yield { x: Float64Array.of(1) };
      } finally {
        isOpen = false;
      }
    }
    await assert.rejects(expr('sum(y)').aggregateBatches(source()), { code: 'ERR_ARGUMENT' });
    assert.equal(isOpen, false);
    isOpen = true;
    for await (const { x } of expr('x > 0').filterBatches(source())) {
      assert.deepEqual([...x], [1]);
      break;
    }
    assert.equal(isOpen, false);
  });

  test('are of one type', async () => {
    const batches = () => [{ x: Int32Array.of(7) }, { x: Float64Array.of(1.5) }];
    const wanted = (/** @type {string} */ what) =>
      ({ code: 'ERR_DTYPE', message: `batch 1: aggregateBatches: ${what} is int32 in batch 0 and float64 in batch 1` });
    await assert.rejects(expr('min(x)').aggregateBatches(batches()), wanted("'min(x)'"));
    await assert.rejects(expr('count(*)').aggregateBatches(batches(), { by: 'x' }), wanted("key 'x'"));
  });

  test('without rows are what a table without rows is', async () => {
    const schema = new arrow.Schema([
      new arrow.Field('x', new arrow.Int32()), new arrow.Field('s', new arrow.Utf8()), new arrow.Field('b', new arrow.Bool()),
    ]);
    const table = new arrow.Table(schema);
    const bytes = arrow.tableToIPC(table, 'stream');
    const e = expr({ n: 'count(*)', sum: 'sum(x)', mean: 'mean(x)', var: 'var_samp(x)', first: 'first(s)', least: 'min(upper(s))', any: 'any(b)', both: 'sum(x) + count(x)' });
    assert.deepEqual(e.aggregate(table), { n: 0n, sum: null, mean: null, var: null, first: null, least: null, any: null, both: null });
    assert.deepEqual(await e.aggregateBatches(bytes), e.aggregate(table));
    for (const by of ['s', 'b', ['x', 'upper(s)']]) {
      const whole = e.aggregate(table, { by, where: 'x > 1' });
      assert.equal(whole.numRows, 0);
      assert.equal(String((await e.aggregateBatches(bytes, { by, where: 'x > 1' })).schema), String(whole.schema));
    }
    const all = expr({ middle: 'median(x)', share: 'quantile(x * 2, 0.3)', different: 'count(distinct s)' });
    assert.deepEqual(all.aggregate(table), { middle: null, share: null, different: 0n });
    assert.equal(all.aggregate(table, { by: 's' }).numRows, 0);
    const wanted = { code: 'ERR_ARGUMENT', message: /the source has no batch that would say which columns there are: give one without rows/u };
    await assert.rejects(e.aggregateBatches([]), wanted);
    assert.equal(await expr('count(*)').aggregateBatches([{ x: [] }]), 0n);
  });

  test('are named by what is wrong in them', async () => {
    const batches = () => [{ x: Int32Array.of(1), y: [1] }, { x: Int32Array.of(4, 0), y: [1, 2] }];
    /** @type {(iterator: AsyncIterable<any>) => Promise<void>} */
    const readAll = async (iterator) => { for await (const each of iterator) assert.ok(each); };
    const wanted = { code: 'ERR_CALL', message: /^batch 1, row 1: division by zero\n/u };
    await assert.rejects(readAll(expr('1 // x').projectBatches(batches())), wanted);
    await assert.rejects(readAll(expr('1 // x > 0').filterBatches(batches())), wanted);
    await assert.rejects(expr('sum(1 // x)').aggregateBatches(batches()), wanted);
    await assert.rejects(readAll(expr('1 // x').projectBatches([batches()[1]])), { message: /^batch 0, row 1: / });
    await assert.rejects(readAll(expr('y').projectBatches([{ y: [1] }, { x: [1] }])), { code: 'ERR_ARGUMENT', message: /^batch 1: there is no column 'y'/u });
    await assert.rejects(readAll(expr('y').projectBatches([{ x: [1] }])), { message: /^there is no column 'y'/u });
    await assert.rejects(readAll(expr('y').filterBatches(5)), { code: 'ERR_ARGUMENT', message: /a stream, a response, or an iterable of tables for the source, got 5/u });
  });
});

describe('what is no aggregate', () => {
  const table = { x: Float64Array.of(1, 2), b: Int32Array.of(1, 2) };
  /** @type {(text: string, how?: any) => any} */
  const run = (text, how) => () => expr(text).aggregate(table, how);

  test('is refused with what to do', () => {
    assert.throws(run('x + sum(x)'), { code: 'ERR_ARGUMENT', message: /'x' is neither in an aggregate nor a key/u });
    assert.throws(run('sum(y)'), { code: 'ERR_ARGUMENT', message: /there is no column 'y'/u });
    for (const name of ['constructor', '__proto__']) {
      assert.throws(run(`${name}(1)`), { code: 'ERR_ARGUMENT', message: /there is no function/u });
      assert.throws(() => expr(`${name}(x)`).project(table), { code: 'ERR_ARGUMENT', message: /there is no function/u });
    }
    assert.throws(run('sum(x, b)'), { code: 'ERR_ARGUMENT', message: /sum takes 1 argument, got 2/u });
    assert.throws(run('quantile(x, 2)'), { code: 'ERR_ARGUMENT', message: /quantile takes a value and a number from 0 to 1/u });
    assert.throws(run("sum('a')"), { code: 'ERR_DTYPE', message: /sum does not take utf8/u });
    assert.throws(run('sum(x)', { by: 'sum(b)' }), { code: 'ERR_ARGUMENT' });
    assert.throws(run('sum(x)', { where: 'max(x) > 1' }), { code: 'ERR_ARGUMENT' });
    assert.throws(run('sum(max(x))'), { code: 'ERR_ARGUMENT' });
  });
});

test('what fails in groups is told at once, however many there are', () => {
  const rows = 200_000;
  const table = { k: Float64Array.from({ length: rows }, (_, i) => i), x: Int32Array.from({ length: rows }, (_, i) => rows - 10 - i) };
  for (const threads of [1, 2]) {
    const failing = () => expr('sum(div(1, x))', { threads }).aggregate(table, { by: 'k' });
    assert.throws(failing, (/** @type {any} */ error) => error.code === 'ERR_CALL' && /row 199990: division by zero/u.test(error.message));
  }
});

test('faults of aggregates are shown in the text they are in, and in no other', () => {
  const table = { x: Float64Array.of(1, 2), y: Int32Array.of(0, 1) };
  const told = (/** @type {() => any} */ ask, /** @type {string} */ message) => assert.throws(ask, { code: 'ERR_CALL', message });
  told(() => expr('sum(7 // y)').aggregate(table), 'row 0: division by zero\n  sum(7 // y)\n      ^^^^^^');
  told(() => expr({ a: 'sum(x)', b: 'sum(7 // y)' }).aggregate(table), 'row 0: division by zero\n  sum(7 // y)\n      ^^^^^^');
  told(() => expr('sum(x)').aggregate(table, { where: '7 // y > 1' }), 'row 0: division by zero\n  7 // y > 1\n  ^^^^^^');
});

describe('the greatest and the least of zeros', () => {
  for (const rows of [2, 65, 40_000]) {
    for (const sign of [0, -0]) {
      test(`are 0 and -0, ${rows} rows from ${Object.is(sign, 0) ? '0' : '-0'} on, grouped or not`, () => {
        const e = expr({ most: 'max(x)', least: 'min(x)' });
        for (const x of [Float64Array, Float32Array].map((Class) => Class.from({ length: rows }, (_, i) => (i % 2 ? -sign : sign)))) {
          assert.deepEqual(e.aggregate({ x }), { most: 0, least: -0 });
          assert.deepEqual(e.aggregate({ x: [...x, null] }), { most: 0, least: -0 });
          const grouped = e.aggregate({ x, k: new Uint8Array(rows) }, { by: 'k' });
          assert.deepEqual([grouped.most[0], grouped.least[0]], [0, -0]);
        }
      });
    }
  }
});
