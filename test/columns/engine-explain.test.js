'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { expr } = require('../../lib/columns/index.js');
const { arrowTable } = require('./tables.js');

const columns = { x: [1, 2, 3], y: [1, null, 3], s: ['a', 'b', null], d: ['a', 'b', 'a'] };
const table = arrowTable({ x: 'float64', y: 'int32', s: 'utf8', d: 'utf8' }, columns);
const encoded = arrowTable({ d: 'utf8' }, { d: columns.d }, { dictionaries: ['d'] });

/** @type {(source: any, stage: string, data?: any) => string} */
const explain = (source, stage, data = table) => expr(source).explain(data, { stage });

test('explain shows the kernels of aggregates', () => {
  const data = { x: Float64Array.of(1, 2), s: ['a', 'b'] };
  assert.equal(expr('sum(x) / count(*)').explain(data, { stage: 'tree' }), [
    'divide', '  sum: float64, may be null', '    column x: float64', '  count: int64',
  ].join('\n'));
  assert.equal(expr('sum(x) / count(*)').explain(data, { stage: 'plan' }), [
    'stage 1, rows in lanes of vectors: sum', 'stage 2, 64 rows in a word of bits: count',
  ].join('\n'));
  const grouped = expr({ a: 'sum(x)' }).explain(data, { stage: 'plan', by: "s || '!'", where: 'x > 1' });
  assert.match(grouped, /^stage 1[^]*concat2[^]*\nstage \d, row by row, for some rows: group sum$/u);
  for (const stage of ['loops', 'llvm', 'asm']) assert.ok(expr('max(x)').explain(data, { stage }).length > 100);
  assert.throws(() => expr('x').explain(data, { where: 'x > 1' }), { code: 'ERR_ARGUMENT', message: /^explain: option 'where' is for aggregates/u });
});

describe('explain', () => {
  test('shows the tree with types, nulls and overloads', () => {
    assert.equal(explain('(x > 2.0) and (y < 6)', 'tree'), [
      "and: bool, may be null   and(bool, bool) → bool, sees nulls itself",
      '  greater_than: bool   greater_than(A, A) → bool, null if an operand is',
      '    column x: float64',
      '    literal 2.0: float64',
      '  less_than: bool, may be null   less_than(A, A) → bool, null if an operand is',
      '    column y: int32, may be null',
      '    literal 6: int32',
    ].join('\n'));
  });

  test('shows stages', () => {
    assert.equal(explain('(x > 2.0) and (x < 6.0)', 'plan'), [
      'stage 1, rows in lanes of vectors: gt lt and',
      'stage 2, 64 rows in a word of bits: storeBits',
    ].join('\n'));
    assert.match(explain("upper(s) || 'x'", 'plan'), /row by row/u);
    assert.match(explain('case when y > 0 then cast(s as int32) end', 'plan'), /row by row, for some rows: int32_from_text/u);
  });

  test('says what is computed once per value of a dictionary', () => {
    assert.match(explain('upper(d)', 'tree', encoded), /^upper: utf8[^\n]* once per value of the dictionary\n {2}column d: utf8/u);
  });

  test('shows code of each stage', () => {
    assert.match(explain('x + 1', 'loops'), /^module "columns" \{\n[^]*parallel/u);
    assert.match(explain('x + 1', 'llvm'), /define [^]*fadd[^]*<\d+ x double>/u);
    assert.match(explain('x + 1', 'asm'), /\.globl|\.text/u);
  });

  test('shows all of several expressions', () => {
    const all = expr({ a: 'x + 1', b: 'y' }).explain(table);
    assert.deepEqual([...all.matchAll(/^-- (\w+)$/gmu)].map(([, stage]) => stage), ['tree', 'plan', 'loops', 'llvm', 'asm']);
    assert.match(all, /\nadd: float64 [^]*\ncolumn y: int32, may be null\n/u);
  });
});
