// Compiles or does not: what users may write with expressions over columns, and what they may not.
import { Float64, makeVector, Table as ArrowTable } from 'apache-arrow';
import { Expression, GraphError, Table, expr, native, table, tableAsync, tensor, useArrow } from '../../lib/index.js';
import type { BuiltExpression, Column, TypedArray } from '../../lib/index.js';

const data = { x: Float64Array.of(1, 2), s: ['a', null], p: { y: new Int32Array(2) }, t: tensor([1, 2]) };
const arrow = new ArrowTable({ x: makeVector(Float64Array.of(1, 2)) });

const one = expr('x > 1', { threads: 2, overflow: 'null' });
const rows: Uint32Array = one.filter(data, { parameters: { limit: 3 } });
const later: Promise<Uint32Array> = one.filterAsync(arrow, { rows, signal: new AbortController().signal });
const count: number = one.count(table(data));
const mask: TypedArray | Column = one.mask(data);
const kept: Record<string, TypedArray | Column> = one.filterTable(data);
const same: ArrowTable = one.filterTable(arrow);
const text: string = one.explain(arrow, { stage: 'tree' });
// @ts-expect-error an unknown stage
one.explain(arrow, { stage: 'words' });
// @ts-expect-error an unknown option
expr('x', { thread: 2 });
// @ts-expect-error a number is no expression
expr(2);
// @ts-expect-error nor is it a table
one.filter(2);

const several = expr({ n: 'count(*)', mean: expr.col('x').call('mean') });
const { n, mean } = several.aggregate(data, { where: one });
// @ts-expect-error of names that there are
several.aggregate(data).sum;
const groups: Record<string, TypedArray | Column> = several.aggregate(data, { by: { key: 's' } });
const columns: Record<'a' | 'b', TypedArray | Column> = expr({ a: 'x', b: 's' }).project(data, { where: 'x > 1' });
const value: TypedArray | Column = expr('x + 1').project(data);
const projected: Promise<ArrowTable> = expr(['x', 'x + 1']).projectAsync(arrow);
const best: Uint32Array = expr('x').topK(data, 3, { ascending: true, where: expr.col('x').gt(1) });

const waited: Promise<{ n: any }> = several.aggregateAsync(data, { signal: new AbortController().signal });
const streamed: Promise<any> = several.aggregateBatches('flights.arrow', { by: 's' });
const parts: AsyncGenerator<any> = one.filterBatches([arrow, data]);
const { bytes } = one.toWasm({ x: 'float64', s: 'utf8?' }, { kind: 'filter', variants: ['mvp'], parameters: { limit: 'float64' } });
const own = expr('f(x) + g(x)', { functions: { f: native((x: number) => x), g: { params: ['a'], expr: 'a + 1' } } });

const { call, col, lit, param, when } = expr;
const built: BuiltExpression = when(col('x').between(1, param('high')), call('upper', col('s')))
  .when(col('s').isIn(['a', 'b']), lit('1.50', 'decimal').cast('utf8'))
  .otherwise(null);
// @ts-expect-error an object is no operand
col('x').gt({});
// @ts-expect-error literals have these types
lit(1, 'int');

const typed: Table<'arrays'> = table({ day: Int32Array.of(1) }, { types: { day: 'date32' } });
const file: Table<'arrow'> = table('flights.arrow');
const fetched: Promise<Table<'arrow'>> = tableAsync(fetch('https://example.org/flights.arrow'));
const types: string[] = [...file.fields.values()].map(({ name, type }) => `${name} ${type.text}`);
// @ts-expect-error table makes them
new Table();
useArrow({ Float64 });
const is: boolean = one instanceof Expression && !(one instanceof GraphError);
void [later, waited, streamed, parts, bytes, own, count, mask, kept, same, text, n, mean, groups, columns, value, projected, best, built, typed, fetched, types, is];
