// `graphjit query` as its users meet it: rows, columns and groups of Arrow files and streams, printed and written; what
// it says of texts and of files that are wrong, and how it ends.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { describe, it } = require('node:test');
const arrow = require('apache-arrow');
const { graphjit, newFolder } = require('./support/command.js');

const folder = newFolder();
const env = { GRAPHJIT_CACHE_DIR: path.join(folder, 'cache') };
/** @type {(words: readonly string[], input?: Uint8Array) => ReturnType<typeof graphjit>} */
const query = (words, input) => graphjit(['query', ...words], { cwd: folder, env, input });
/** What is printed, where all goes well. @type {(...words: string[]) => Promise<string>} */
async function printed(...words) {
  const { code, stdout, stderr } = await query(words);
  assert.deepEqual([code, stderr], [0, '']);
  return stdout;
}
/** @type {(stdout: string) => string[][]} */
const cellsOf = (stdout) => stdout.trimEnd().split('\n').map((line) => line.trim().split(/ {2,}/));

/** @type {(columns: Record<string, any>) => any} */
const batch = (columns) => new arrow.Table(columns).batches[0];
/** @type {(values: readonly (string | null)[]) => any} */
const texts = (values) => arrow.vectorFromArray(values, new arrow.Utf8());
/** @type {(delay: number[], origin: (string | null)[]) => any} */
const flightsBatch = (delay, origin) => batch({ delay: arrow.makeVector(Int16Array.from(delay)), origin: texts(origin) });
const flights = new arrow.Table([
  flightsBatch([12, 75, 300, -4], ['OSL', 'JFK', null, 'JFK']),
  flightsBatch([61, 62], ['JFK', 'OSL']),
]);

/** A vector of raw values, of which the second is null. @type {(type: any, data: any) => any} */
const raw = (type, data) => arrow.makeVector(arrow.makeData({ type, data, nullCount: 1, nullBitmap: Uint8Array.of(1) }));

/** One value of each kind that a text is made for, and a null below it. */
const kinds = new arrow.Table({
  day: arrow.vectorFromArray([new Date(Date.UTC(1969, 11, 31)), null], new arrow.DateDay()),
  at: raw(new arrow.TimestampMicrosecond('UTC'), BigInt64Array.of(-1n, 0n)),
  local: raw(new arrow.TimestampNanosecond(), BigInt64Array.of(1_600_000_000_123_456_789n, 0n)),
  clock: raw(new arrow.TimeMillisecond(), Int32Array.of(3_723_004, 0)),
  bytes: arrow.vectorFromArray([Uint8Array.of(0, 255), null], new arrow.Binary()),
  small: arrow.vectorFromArray([0.1, null], new arrow.Float32()),
  big: arrow.vectorFromArray([2n ** 60n + 1n, null], new arrow.Int64()),
  is: arrow.vectorFromArray([true, null], new arrow.Bool()),
  word: arrow.vectorFromArray(['a,"b"', null], new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8())),
  pair: arrow.vectorFromArray([{ x: 1, y: 'p' }, null], new arrow.Struct([new arrow.Field('x', new arrow.Int32()), new arrow.Field('y', new arrow.Utf8())])),
});

for (const [name, table] of Object.entries({ flights, kinds })) {
  fs.writeFileSync(path.join(folder, `${name}.arrow`), arrow.tableToIPC(table, 'file'));
  fs.writeFileSync(path.join(folder, `${name}.arrows`), arrow.tableToIPC(table, 'stream'));
}
fs.writeFileSync(path.join(folder, 'none.arrow'), arrow.tableToIPC(new arrow.Table(flights.schema), 'file'));
const nested = new arrow.Table({
  x: arrow.makeVector(Int32Array.of(1, 2, 3)), l: arrow.vectorFromArray([[1], [2, 3], null], new arrow.List(new arrow.Field('i', new arrow.Int8()))),
  s: texts(['a', '005', 'c']), p: arrow.vectorFromArray([{ y: 1 }, null, { y: 2 }], new arrow.Struct([new arrow.Field('y', new arrow.Int32())])),
});
fs.writeFileSync(path.join(folder, 'nested.arrow'), arrow.tableToIPC(nested, 'file'));
fs.writeFileSync(path.join(folder, 'nonested.arrow'), arrow.tableToIPC(new arrow.Table(nested.schema), 'file'));

describe('query', { concurrency: 2 }, () => {
  it('prints the rows for which a condition is true, of all batches', async () => {
    assert.equal(await printed('flights.arrow', 'delay > 60'), 'delay  origin\n   75  JFK\n  300  null\n   61  JFK\n   62  OSL\n');
    assert.equal(await printed('flights.arrows', "origin = 'OSL'"), 'delay  origin\n   12  OSL\n   62  OSL\n');
  });

  it('shows all rows without a condition, and some of them by --limit', async () => {
    assert.equal(cellsOf(await printed('flights.arrow')).length, 7);
    assert.deepEqual(cellsOf(await printed('flights.arrow', '--limit', '1')), [['delay', 'origin'], ['12', 'OSL']]);
    assert.deepEqual(cellsOf(await printed('flights.arrow', 'delay > 60', '--limit', '0')), [['delay', 'origin']]);
  });

  it('says how many rows it does not print', async () => {
    const many = new arrow.Table({ x: arrow.makeVector(new Int32Array(60)) });
    const { code, stdout, stderr } = await query(['-', 'x = 0'], arrow.tableToIPC(many, 'stream'));
    assert.deepEqual([code, cellsOf(stdout).length, stderr], [0, 51, '10 more rows; --limit says how many are shown\n']);
  });

  it('computes columns', async () => {
    const words = ['flights.arrow', 'delay > 60', '--select', 'delay / 60 as hours, upper(origin), *', '--limit', '2'];
    assert.deepEqual(cellsOf(await printed(...words)), [
      ['hours', 'upper(origin)', 'delay', 'origin'], ['1.25', 'JFK', '75', 'JFK'], ['5', 'null', '300', 'null'],
    ]);
  });

  it('sorts by a column, by what is computed, and by what is not shown', async () => {
    const column = async (/** @type {string[]} */ ...words) => cellsOf(await printed('flights.arrow', ...words)).slice(1).map(([first]) => first);
    assert.deepEqual(await column('--sort', 'delay desc'), ['300', '75', '62', '61', '12', '-4']);
    assert.deepEqual(await column('delay < 100', '--sort', 'delay', '--limit', '2'), ['-4', '12']);
    assert.deepEqual(await column('--select', '0 - delay as early', '--sort', 'early', '--limit', '2'), ['-300', '-75']);
    assert.deepEqual(await column('--select', 'delay', '--sort', 'origin DESC', '--limit', '2'), ['12', '62']);
  });

  it('aggregates, of all rows and by groups', async () => {
    const aggregates = ['--select', 'count(*) as n, mean(delay) as mean, sum(delay) / count(*) as again'];
    assert.deepEqual(cellsOf(await printed('flights.arrow', 'origin is not null', ...aggregates)), [['n', 'mean', 'again'], ['5', '41.2', '41.2']]);
    assert.deepEqual(cellsOf(await printed('flights.arrow', '--by', 'origin', ...aggregates, '--sort', 'mean desc')), [
      ['origin', 'n', 'mean', 'again'], ['null', '1', '300', '300'], ['JFK', '3', '44', '44'], ['OSL', '2', '37', '37'],
    ]);
    assert.deepEqual(cellsOf(await printed('flights.arrow', '--by', 'origin', '--sort', 'count desc', '--limit', '1')), [['origin', 'count'], ['JFK', '3']]);
    const late = ['--by', 'delay > 60 as late, origin', '--select', 'late, origin, max(delay)', '--limit', '2'];
    assert.deepEqual(cellsOf(await printed('flights.arrow', ...late)), [
      ['late', 'origin', 'max(delay)'], ['false', 'OSL', '12'], ['true', 'JFK', '75'],
    ]);
  });

  it('takes parameters', async () => {
    for (const value of ['70', '70.5']) {
      const stdout = await printed('flights.arrow', 'delay > :most', '--param', `most=${value}`, '--select', 'count(*)');
      assert.deepEqual(cellsOf(stdout), [['count(*)'], ['2']]);
    }
    assert.deepEqual(cellsOf(await printed('flights.arrow', 'origin = :from', '--param', 'from=OSL', '--select', 'count(*)')), [['count(*)'], ['2']]);
    for (const value of ["'005'", "'it''s'"]) {
      const shown = await printed('nested.arrow', 's = :id', '--select', 'x', '--param', `id=${value}`);
      assert.equal(shown, value === "'005'" ? 'x\n2\n' : 'x\n');
    }
  });

  it('shows columns of which nothing is computed', async () => {
    const all = [['x', 'l', 's', 'p'], ['1', '[1]', 'a', '{"y":1}'], ['2', '[2,3]', '005', 'null'], ['3', 'null', 'c', '{"y":2}']];
    assert.deepEqual(cellsOf(await printed('nested.arrow', '--select', '*')), all);
    assert.deepEqual(cellsOf(await printed('nested.arrow', '--limit', '0')), [all[0]]);
    assert.deepEqual(cellsOf(await printed('nested.arrow', 'x > 1', '--select', '*', '--sort', 'x desc')), [all[0], all[3], all[2]]);
    assert.equal(await printed('nested.arrow', '--select', 'l as k, p, p.y, x + 1 as z', '--csv'), 'k,p,p.y,z\n[1],"{""y"":1}",1,2\n"[2,3]",,,3\n,"{""y"":2}",2,4\n');
    assert.equal(await printed('nested.arrow', '--select', 'l'), 'l\n[1]\n[2,3]\nnull\n');
    assert.match(await printed('nested.arrow', '--select', '*', '--explain', 'tree'), /column x: int32\ncolumn s: utf8/);
    for (const from of ['nested.arrow', 'nonested.arrow']) {
      await printed(from, '--select', '*, l as m', '-o', 'again.arrows');
      const table = arrow.tableFromIPC(fs.readFileSync(path.join(folder, 'again.arrows')));
      assert.equal(String(table.schema), 'Schema<{ 0: x: Int32, 1: l: List<Int8>, 2: s: Utf8, 3: p: Struct<{y:Int32}>, 4: m: List<Int8> }>');
    }
    assert.deepEqual(cellsOf(await printed('nonested.arrow', 'p.y > 1')), [all[0]]);
  });

  it('shows values of all kinds as texts', async () => {
    const { rows } = JSON.parse(await printed('kinds.arrow', '--json'));
    assert.deepEqual(rows[0], {
      day: '1969-12-31', at: '1969-12-31T23:59:59.999999Z', local: '2020-09-13T12:26:40.123456789', clock: '01:02:03.004', bytes: '00ff',
      small: 0.10000000149011612, big: 2 ** 60, is: true, word: 'a,"b"', pair: { x: 1, y: 'p' },
    });
    assert.deepEqual(new Set(Object.values(rows[1])), new Set([null]));
    const [head, first, second] = (await printed('kinds.arrow', '--csv')).split('\n');
    assert.equal(head, 'day,at,local,clock,bytes,small,big,is,word,pair');
    assert.ok(first.endsWith('01:02:03.004,00ff,0.1,1152921504606846977,true,"a,""b""","{""x"":1,""y"":""p""}"'), first);
    assert.equal(second, ',,,,,,,,,');
  });

  it('keeps terminals from obeying what is in a text', async () => {
    const table = new arrow.Table({ s: texts(['a\u001b[31m\nb']) });
    const { stdout } = await query(['-'], arrow.tableToIPC(table, 'file'));
    assert.equal(stdout, 's\na\\u001b[31m\\u000ab\n');
  });

  it('writes files in the format of their ending', async () => {
    for (const ending of ['arrow', 'arrows', 'csv', 'tsv', 'json']) {
      assert.equal(await printed('flights.arrow', 'delay > 100', '-o', `out.${ending}`), '');
    }
    const read = (/** @type {string} */ name) => fs.readFileSync(path.join(folder, name));
    for (const name of ['out.arrow', 'out.arrows']) {
      const table = arrow.tableFromIPC(read(name));
      assert.deepEqual(table.toArray().map((row) => row.toJSON()), [{ delay: 300, origin: null }]);
    }
    assert.equal(read('out.arrow').subarray(0, 6).toString(), 'ARROW1');
    assert.equal(read('out.csv').toString(), 'delay,origin\n300,\n');
    assert.equal(read('out.tsv').toString(), 'delay\torigin\n300\t\n');
    assert.deepEqual(JSON.parse(read('out.json').toString()).rows, [{ delay: 300, origin: null }]);
  });

  it('reads what it wrote to a pipe', async () => {
    const { code, stdout } = await new Promise((resolve, reject) => {
      const { execFile } = require('node:child_process');
      const options = /** @type {const} */ ({ cwd: folder, encoding: 'buffer', env: { ...process.env, ...env } });
      const words = [require('./support/command.js').main, 'query', 'flights.arrow', 'delay > 60', '-o', '-'];
      execFile(process.execPath, words, options, (error, bytes) => (error ? reject(error) : resolve(query(['-', '--select', 'count(*)'], bytes))));
    });
    assert.deepEqual([code, cellsOf(stdout)], [0, [['count(*)'], ['4']]]);
  });

  it('takes files without a row and without a batch', async () => {
    assert.equal(await printed('none.arrow', 'delay > 60'), 'delay  origin\n');
    assert.deepEqual(cellsOf(await printed('none.arrow', '--select', 'count(*)')), [['count(*)'], ['0']]);
    assert.equal(await printed('none.arrow', '--select', 'delay + 1 as x', '--sort', 'x'), 'x\n');
    assert.equal(await printed('none.arrow', '--by', 'origin'), 'origin  count\n');
  });

  it('shows which columns there are', async () => {
    assert.equal(await printed('flights.arrow', '--schema'), '6 rows in 2 batches\n\ncolumn  type\ndelay   int16\norigin  utf8\n');
    const { columns } = JSON.parse(await printed('kinds.arrow', '--schema', '--json'));
    assert.deepEqual(columns.slice(-4, -2), [{ name: 'word', type: 'utf8', layout: 'dictionary' }, { name: 'pair', type: 'a struct' }]);
  });

  it('explains what expressions become', async () => {
    const tree = await printed('flights.arrow', 'delay > 60', '--select', 'upper(origin)', '--explain', 'tree');
    assert.match(tree, /^== condition\n\ngreater_than: bool[\s\S]*\n== columns\n\nupper: utf8, may be null/);
    for (const title of ['tree', 'plan', 'loops', 'llvm', 'asm']) {
      assert.match(await printed('flights.arrow', 'delay > 60', '--explain'), new RegExp(`^-- ${title}$`, 'm'));
    }
    assert.match(await printed('flights.arrow', '--by', 'origin', '--select', 'sum(delay * 2)', '--explain', 'tree'), /multiply/);
  });

  /** @type {[string, number, RegExp, string[]][]} */
  const mistakes = [
    ['a text that is none', 2, /expression:1:9: expected a value/, ['flights.arrow', 'delay > ']],
    ['a list that is none', 2, /expression:1:7: expected a value after ','/, ['flights.arrow', '--select', 'delay,']],
    ['an unknown column', 2, /no column 'dela' \(did you mean 'delay'\?\)/, ['flights.arrow', 'dela > 1']],
    ['an unknown function', 2, /no function 'uper' \(did you mean 'upper'\?\)|no function 'uper'/, ['flights.arrow', '--select', 'uper(origin)']],
    ['types that do not go together', 2, /greater_than takes/, ['flights.arrow', "delay > 'x'"]],
    ['two columns of a name', 2, /two columns are called 'delay'/, ['flights.arrow', '--select', 'delay, *']],
    ['what is neither a key nor aggregated', 2, /'delay' is neither in an aggregate nor a key/, ['flights.arrow', '--by', 'origin', '--select', 'delay']],
    ['an order by nothing there', 2, /no column 'delay'/, ['flights.arrow', '--by', 'origin', '--sort', 'delay']],
    ['an order by several', 2, /--sort is one expression, got 'delay desc, origin'/, ['flights.arrow', '--sort', 'delay desc, origin']],
    ['an order by a list', 2, /--sort is one expression, got 'delay, origin desc'/, ['flights.arrow', '--sort', 'delay, origin desc']],
    ['a text that looks like a number', 2, /got \(utf8, int64\); what looks like a number is one, a text is in quotes: --param "c='…'"\n/, ['flights.arrow', 'origin = :c', '--param', 'c=005']],
    ['an order by an aggregate', 2, /name 'count\(\*\)' in --select with 'as'/, ['flights.arrow', '--by', 'origin', '--sort', 'count(*) desc']],
    ['a condition on groups', 2, /'count' is an aggregate/, ['flights.arrow', 'count(*) > 1', '--by', 'origin']],
    ['a regular expression that is none', 2, /the regular expression is not valid/, ['flights.arrow', "regexp_matches(origin, '(')"]],
    ['a parameter without a value', 2, /parameter 'most': give it by --param most=VALUE, none are given/, ['flights.arrow', 'delay > :most']],
    ['a parameter without a name', 2, /expected NAME=VALUE for --param/, ['flights.arrow', '--param', '=1']],
    ['a file of an unknown format', 2, /\.arrow, \.arrows, \.csv, \.tsv, \.json for --output, got 'x\.xls'/, ['flights.arrow', '-o', 'x.xls']],
    ['a struct as a whole', 2, /column 'pair' is a struct/, ['kinds.arrow', 'pair is null']],
    ['a division by zero', 1, /row 0: division by zero/, ['flights.arrow', 'delay % 0 = 1']],
    ['a cast that does not fit', 1, /row 2: int16 to int8: the value does not fit/, ['flights.arrow', '--select', 'cast(delay as int8)']],
    ['a file that is not there', 1, /cannot read nowhere\.arrow: no such file/, ['nowhere.arrow']],
    ['a file of something else', 1, /is no proper Arrow data/, [__filename]],
    ['an output over the input', 1, /would be overwritten/, ['flights.arrow', '-o', 'flights.arrow']],
  ];
  for (const [title, exit, message, words] of mistakes) {
    it(`refuses ${title}`, async () => {
      const { code, stdout, stderr } = await query(words);
      assert.match(stderr, message);
      assert.deepEqual([code, stdout], [exit, '']);
    });
  }

  it('gives null instead of errors, if asked', async () => {
    const words = ['flights.arrow', '--select', 'delay // 0 as a, cast(delay as int8) as b', '--null-on-error', '--sort', 'b desc', '--limit', '1'];
    assert.deepEqual(cellsOf(await printed(...words)), [['a', 'b'], ['null', '75']]);
  });

  it('says of a file cut short what is missing', async () => {
    const whole = fs.readFileSync(path.join(folder, 'flights.arrow'));
    for (const length of [0, 7, 100, whole.length - 1]) {
      const { code, stderr } = await query(['-'], whole.subarray(0, length));
      assert.equal(code, 1, stderr);
      assert.match(stderr, /no proper Arrow data/);
    }
  });
});
