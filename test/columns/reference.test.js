'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { agrees, cases, departures, errorOf, valueOf } = require('./cases/index.js');
const { expected, generate } = require('./random.js');
const { Fault, evaluate } = require('./reference/index.js');
const { arrowTable, valuesOf } = require('./tables.js');

/** @type {(name: string) => any} */
const name = (text) => ({ kind: 'name', name: text });
/** @type {(value: any, type: string) => any} */
const literal = (value, type) => ({ kind: 'literal', type, value });
/** @type {(callee: string, ...args: any[]) => any} */
const call = (callee, ...args) => ({ kind: 'call', name: callee, args });

/** @type {(callee: string, args: [string, any][]) => any} */
function run(callee, args) {
  const columns = args.map((_, i) => `a${i}`);
  const schema = Object.fromEntries(columns.map((column, i) => [column, args[i][0]]));
  const row = Object.fromEntries(columns.map((column, i) => [column, valueOf(...args[i])]));
  try {
    const { type, values } = evaluate(call(callee.toLowerCase(), ...columns.map(name)), schema, [row]);
    return { type, value: values[0] };
  } catch (fault) {
    if (fault instanceof Fault) return { error: fault.kind };
    throw fault;
  }
}

/** @type {(value: any) => string} */
const shown = (value) => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each));

/** @type {(got: any, type: string, result: any) => boolean} */
const isAsSaid = (got, type, result) =>
  got.error !== undefined || errorOf(result) !== undefined
    ? got.error === errorOf(result)
    : got.type === type && agrees(type, got.value, result);

describe('the reference evaluator agrees with the cases of', () => {
  for (const [category, rows] of Object.entries(cases)) {
    test(category, () => {
      assert.ok(rows.length > 0);
      for (const [callee, args, type, result] of rows) {
        const got = run(callee, args);
        assert.ok(isAsSaid(got, type, result), `${callee}(${shown(args)}): expected ${shown(result)} ${type}, got ${shown(got)}`);
      }
    });
  }

  test('departures', () => {
    for (const [callee, args, { gandiva, ours }] of departures) {
      const got = run(callee, args);
      assert.ok(isAsSaid(got, ...ours), `${callee}(${shown(args)}): expected ${shown(ours)}, got ${shown(got)}`);
      assert.ok(!isAsSaid(got, ...gandiva), `${callee}(${shown(args)}) is as Gandiva has it`);
    }
  });
});

describe('the reference evaluator', () => {
  const schema = { i: 'int8', x: 'float64', s: 'utf8', b: 'bool' };
  const rows = [
    { i: 1, x: 0.5, s: 'a', b: true },
    { i: 0, x: NaN, s: '', b: false },
    { i: null, x: null, s: null, b: null },
  ];
  /** @type {(ast: any, options?: any) => any[]} */
  const values = (ast, options) => evaluate(ast, schema, rows, options).values;

  test('gives literals the type of what they stand beside', () => {
    const sum = evaluate(call('add', name('i'), literal(127n, 'integer')), schema, rows);
    assert.deepEqual(sum, { type: 'int8', values: [-128, 127, null] });
    assert.equal(evaluate(call('add', name('i'), literal(128n, 'integer')), schema, rows).type, 'int32');
  });

  test('asks for no branch that is not taken', () => {
    const division = call('div', literal(1n, 'integer'), name('i'));
    const guarded = { kind: 'case', branches: [{ when: call('not_equal', name('i'), literal(0n, 'integer')), then: division }], otherwise: null };
    assert.deepEqual(values(guarded), [1, null, null]);
    assert.throws(() => values(division), { kind: 'divisionByZero' });
    assert.deepEqual(values(division, { divisionByZero: 'null' }), [1, null, null]);
    const both = call('and', call('not_equal', name('i'), literal(0n, 'integer')), call('greater_than', division, literal(0n, 'integer')));
    assert.deepEqual(values(both), [true, false, null]);
  });

  test('knows what is in a list with a null', () => {
    const list = [literal('a', 'string'), literal(null, 'null')];
    assert.deepEqual(values({ kind: 'in', value: name('s'), list }), [true, null, null]);
    assert.deepEqual(values({ kind: 'in', value: name('s'), list: list.slice(0, 1) }), [true, false, null]);
  });

  test('casts, and tries to', () => {
    const cast = (/** @type {boolean} */ safe) => ({ kind: 'cast', value: name('x'), to: { name: 'int32', args: [] }, safe });
    assert.throws(() => values(cast(false)), { kind: 'cast' });
    assert.deepEqual(values(cast(true)), [0, null, null]);
    assert.deepEqual(values({ kind: 'cast', value: name('b'), to: { name: 'int64', args: [] }, safe: false }), [1n, 0n, null]);
  });

  test('reports overflow if asked to', () => {
    const sum = call('add', name('i'), literal(127n, 'integer'));
    assert.throws(() => values(sum, { overflow: 'error' }), { kind: 'overflow' });
    assert.deepEqual(values(sum, { overflow: 'null' }), [null, 127, null]);
  });
});

describe('random expressions', () => {
  test('are the same for the same seed', () => {
    for (const seed of [1, 2, 77]) assert.deepEqual(generate(seed), generate(seed));
  });

  test('have values of the type that was found, or a fault of a kind that is known', () => {
    let found = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const generated = generate(seed);
      const result = expected(generated);
      if (result.fault !== undefined) assert.match(result.fault, /^(divisionByZero|overflow|cast|value)$/u, generated.text);
      else {
        assert.equal(result.values.length, generated.rows.length, generated.text);
        found += result.values.filter((value) => value !== null).length;
      }
    }
    assert.ok(found > 5000, `${found} values that are not null`);
  });

  test('are of the functions that are asked for', () => {
    const names = ['add', 'multiply', 'less_than'];
    const forms = ['and', 'or', 'not', 'isnull', 'isnotnull', 'equal', 'greater_than_or_equal_to', 'not_equal', 'coalesce'];
    for (let seed = 1; seed <= 50; seed++) {
      const { ast, schema } = generate(seed, { functions: names, types: ['int32', 'float64'], kinds: ['bool', 'float'] });
      for (const type of Object.values(schema)) assert.match(type, /^(int32|float64)$/u);
      const called = JSON.stringify(ast, (_, value) => (typeof value === 'bigint' ? Number(value) : value)).matchAll(/"kind":"call","name":"([^"]+)"/gu);
      for (const [, callee] of called) assert.ok(names.includes(callee) || forms.includes(callee), callee);
    }
  });
});

test('tables of apache-arrow hold the values that they are made of', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const { schema, columns, rows } = generate(seed, { depth: 2 });
    for (const how of [{}, { cuts: [1, 64, 100] }, { skipped: 5 }, { cuts: [63], skipped: 3 }]) {
      if (rows.length === 0 && how.skipped) continue;
      const table = arrowTable(schema, columns, how);
      assert.equal(table.numRows, rows.length);
      for (const column of Object.keys(schema)) {
        assert.deepEqual(valuesOf(table.getChild(column), schema[column]), columns[column], `seed ${seed}: ${column} ${schema[column]}`);
      }
    }
  }
});
