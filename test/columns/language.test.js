// What texts mean: each row is a text and the canonical text of its tree, where functions that have no operator, or not
// in the row, stand as such. Rows whose point is the tree itself have the tree.
'use strict';

const assert = require('node:assert/strict');
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { describe, it } = require('node:test');
const { adviceOnName, children, col, fold, nodes, parse, parseTypeName, print, printTypeName, rewrite, same, walk, withChildren } = require('../../lib/columns/language/index.js');
const { BINARY, COMPARISON, IS, LEVELS, PREFIX, RESERVED } = require('../../lib/columns/language/operators.js');
const { tokenize } = require('../../lib/columns/language/tokens.js');
const { generator } = require('../support/generator.js');

/** A tree as calls in brackets: what binds how is plain to see. @param {import('../../lib/columns/language/ast.js').Node} root */
const calls = (root) => fold(root, (/** @type {any} */ node, /** @type {string[]} */ operands) => {
  if (node.kind === 'call') return `${node.name}(${operands.join(', ')})`;
  if (node.kind === 'in') return `in(${operands.join(', ')})`;
  if (node.kind === 'case') return `case(${operands.join(', ')})`;
  if (node.kind === 'cast') return `${node.safe ? 'try_cast' : 'cast'}(${operands[0]}, ${printTypeName(node.to)})`;
  return print(node);
});

/** @type {Record<string, [text: string, tree: string][]>} */
const meanings = {
  precedence: [
    ['a or b and c', 'or(a, and(b, c))'],
    ['not a and b', 'and(not(a), b)'],
    ['not a = b', 'not(equal(a, b))'],
    ['not a in (1)', 'not(in(a, 1))'],
    ['!a = b', 'equal(not(a), b)'],
    ['~a & b', '&(~(a), b)'],
    ['a > 1 & b < 2', '&(greater_than(a, 1), less_than(b, 2))'],
    ['a = 1 | b = 2 & c', '|(equal(a, 1), &(equal(b, 2), c))'],
    ['a | b ^ c & d', '|(a, ^(b, &(c, d)))'],
    ['a > 1 && b < 2 || c', '||(and(greater_than(a, 1), less_than(b, 2)), c)'],
    ['a || b || c', '||(||(a, b), c)'],
    ['a + b || c * d', '||(add(a, b), multiply(c, d))'],
    ['a + b * c - d', 'subtract(add(a, multiply(b, c)), d)'],
    ['a - b - c', 'subtract(subtract(a, b), c)'],
    ['a / b // c % d', 'mod(floor_divide(divide(a, b), c), d)'],
    ['a ** b ** c', 'power(a, power(b, c))'],
    ['-a ** b', 'negative(power(a, b))'],
    ['a ** -b', 'power(a, negative(b))'],
    ['-a * b', 'multiply(negative(a), b)'],
    ['- -a', 'negative(negative(a))'],
    ['+a', 'a'],
    ['a << 1 + 2 > b', 'greater_than(shift_left(a, add(1, 2)), b)'],
    ['a >> b << c', 'shift_left(shift_right(a, b), c)'],
    ['a = b is null', 'isnull(equal(a, b))'],
    ['a is null is true', 'istrue(isnull(a))'],
    ['a + 1 is not null', 'isnotnull(add(a, 1))'],
    ['a = b like c', 'equal(a, like(b, c))'],
    ['a + b in (1)', 'in(add(a, b), 1)'],
    ['-a::int', 'negative(cast(a, int))'],
    ['a::int::text', 'cast(cast(a, int), text)'],
    ['a + b::int', 'add(a, cast(b, int))'],
    ['(a + b) * c', 'multiply(add(a, b), c)'],
    ['a ? b : c ? d : e', 'case(a, b, c, d, e)'],
    ['a or b ? c : d', 'case(or(a, b), c, d)'],
    ['a if b else c if d else e', 'case(b, a, d, c, e)'],
    ['a > 1 if b else c', 'case(b, greater_than(a, 1), c)'],
  ],
  operators: [
    ['a == b', 'equal(a, b)'],
    ['a <> b', 'not_equal(a, b)'],
    ['a != b', 'not_equal(a, b)'],
    ['a is distinct from b', 'is_distinct_from(a, b)'],
    ['a IS NOT DISTINCT FROM b', 'is_not_distinct_from(a, b)'],
    ['a is true', 'istrue(a)'],
    ['a is not true', 'isnottrue(a)'],
    ['a is false', 'isfalse(a)'],
    ['a is not false', 'isnotfalse(a)'],
    ['a is unknown', 'isnull(a)'],
    ['a is None', 'isnull(a)'],
    ['a isnull', 'isnull(a)'],
    ['a notnull', 'isnotnull(a)'],
    ['a like b', 'like(a, b)'],
    ["a not ilike b escape '!'", "not(ilike(a, b, '!'))"],
    ["like(a, '%b')", "like(a, '%b')"],
    ['a not in (1, 2)', 'not(in(a, 1, 2))'],
    ['a in [1, 2,]', 'in(a, 1, 2)'],
    ['a in ()', 'in(a)'],
    ['a == [1, 2]', 'in(a, 1, 2)'],
    ['a != [1, 2]', 'not(in(a, 1, 2))'],
    ['a in @list', 'in(a, :list)'],
    ['a in (:list)', 'in(a, :list)'],
    ['a between 1 and 2 and b', 'and(and(greater_than_or_equal_to(a, 1), less_than_or_equal_to(a, 2)), b)'],
    ['a not between 1 and 2', 'not(and(greater_than_or_equal_to(a, 1), less_than_or_equal_to(a, 2)))'],
    ['a < b <= c', 'and(less_than(a, b), less_than_or_equal_to(b, c))'],
    ['a < b = c != d', 'and(and(less_than(a, b), equal(b, c)), not_equal(c, d))'],
    ['(a < b) < c', 'less_than(less_than(a, b), c)'],
  ],
  choices: [
    ['case when a then 1 end', 'case(a, 1)'],
    ['case when a then 1 when b then 2 else 3 end', 'case(a, 1, b, 2, 3)'],
    ['case a when 1 then 2 when 3 then 4 end', 'case(equal(a, 1), 2, equal(a, 3), 4)'],
    ['if(a, 1, 2)', 'case(a, 1, 2)'],
    ['IIF(a, 1, 2)', 'case(a, 1, 2)'],
    ['a ? :b : c', 'case(a, :b, c)'],
    ['a ?b :c', 'case(a, b, c)'],
  ],
  casts: [
    ['cast(a as int32)', 'cast(a, int32)'],
    ['CAST(a AS Decimal(38, 2))', 'cast(a, decimal(38, 2))'],
    ["cast(a, 'int32')", 'cast(a, int32)'],
    ['try_cast(a as double precision)', 'try_cast(a, double precision)'],
    ['a::timestamp[us, UTC]', 'cast(a, timestamp[us, UTC])'],
    ['a::timestamp[us, America/New_York]', "cast(a, timestamp[us, 'America/New_York'])"],
    ['a::timestamp[us, +05:30]', "cast(a, timestamp[us, '+05:30'])"],
    ['cast(a as timestamp(3) with time zone)', 'cast(a, timestamp with time zone(3))'],
    ['a::decimal(10, -2) + 1', 'add(cast(a, decimal(10, -2)), 1)'],
    ["a.astype('int64')", 'cast(a, int64)'],
  ],
  calls: [
    ['f()', 'f()'],
    ['Upper(a)', 'upper(a)'],
    ['add(a, b)', 'add(a, b)'],
    ['f(a, b + 1, g(c))', 'f(a, add(b, 1), g(c))'],
    ['extract(YEAR from a)', "extract('year', a)"],
    ["extract('year' from a)", "extract('year', a)"],
    ["extract('year', a)", "extract('year', a)"],
    ['extract(a)', 'extract(a)'],
    ['timestampadd(DAY, 1, a)', "timestampadd('day', 1, a)"],
    ['timestampdiff(sql_tsi_day, a, b)', "timestampdiff('sql_tsi_day', a, b)"],
    ['timestampadd("day", 1, a)', 'timestampadd(day, 1, a)'],
    ['substring(a from 2 for 3)', 'substring(a, 2, 3)'],
    ['substr(a, 2)', 'substr(a, 2)'],
    ['trim(a)', 'trim(a)'],
    ["trim('x' from a)", "trim(a, 'x')"],
    ["trim(leading 'x' from a)", "ltrim(a, 'x')"],
    ['trim(trailing from a)', 'rtrim(a)'],
    ["trim(a, 'x')", "trim(a, 'x')"],
    ["position('x' in a)", "position('x', a)"],
    ["position('x', a)", "position('x', a)"],
    ['position(a || b, c + 1 in (2))', 'position(||(a, b), in(add(c, 1), 2))'],
    ['position()', 'position()'],
    ['count(*)', 'count()'],
    ['count(a)', 'count(a)'],
    ['count(distinct a)', 'count_distinct(a)'],
    ['count(distinct)', 'count("distinct")'],
    ['a.isnull()', 'isnull(a)'],
    ['a.isna() or b.notna()', 'or(isnull(a), isnotnull(b))'],
    ['a.isin([1, 2])', 'in(a, 1, 2)'],
    ['a.between(1, 2)', 'and(greater_than_or_equal_to(a, 1), less_than_or_equal_to(a, 2))'],
    ["a.b.str.startswith('x')", "startswith(a.b, 'x')"],
    ['a.dt.year()', 'year(a)'],
    ['(a + b).abs()', 'abs(add(a, b))'],
    ['upper(a).str.len()', 'len(upper(a))'],
    ['"Odd name"(a)', 'odd name(a)'],
    ['date(a)', 'date(a)'],
    ['constructor(__proto__) + a.toString()', 'add(constructor(__proto__), tostring(a))'],
    ['trim(constructor) + a::constructor', 'add(trim(constructor), cast(a, constructor))'],
  ],
};

for (const [title, rows] of Object.entries(meanings)) {
  describe(`the meaning of ${title}`, () => {
    for (const [text, tree] of rows) {
      it(text, () => {
        assert.equal(calls(parse(text)), tree);
        assert.ok(same(parse(print(parse(text))), parse(text)), print(parse(text)));
      });
    }
  });
}

describe('canonical texts', () => {
  /** @type {[text: string, canonical: string][]} */
  const rows = [
    ['( (x > 2.0) AND (x<6) )', 'x > 2.0 and x < 6'],
    ['a - (b - c)', 'a - (b - c)'],
    ['(a - b) - c', 'a - b - c'],
    ['(a ** b) ** c', '(a ** b) ** c'],
    ['(-a) ** b', '(-a) ** b'],
    ['-(-a)', '- -a'],
    ['- -5', '- -5'],
    ['-~a', '- ~a'],
    ['-(5)', '-(5)'],
    ['- 5', '-5'],
    ['a - -5', 'a - -5'],
    ['a --5', 'a - -5'],
    ['(-5) ** 2', '(-5) ** 2'],
    ['-5 ** 2', '-5 ** 2'],
    ['not (a and b)', 'not (a and b)'],
    ['not not a', 'not not a'],
    ['(not a) = b', '(not a) = b'],
    ['not a between 1 and 2', 'a not between 1 and 2'],
    ['(a between 1 and 2) between b and (c = d)', 'a between 1 and 2 between b and (c = d)'],
    ['a >= 1 and a <= 2', 'a >= 1 and a <= 2'],
    ['a < b < c', 'a < b < c'],
    ['a < b and b < c', 'a < b and b < c'],
    ['not (a < b < c)', 'not a < b < c'],
    ['(a < b) = c', '(a < b) = c'],
    ['(a is null) = b', '(a is null) = b'],
    ['a = (b = c)', 'a = (b = c)'],
    ['case x + 1 when 2 then 3 when 4 then 5 end', 'case x + 1 when 2 then 3 when 4 then 5 end'],
    ['case x when 1 then 2 end', 'case when x = 1 then 2 end'],
    ['a if b else c', 'case when b then a else c end'],
    ['"x" + `y z` + "say ""hi""" + `a``b`', 'x + "y z" + "say ""hi""" + "a`b"'],
    ['"a.b".c + a."b c".d', 'a.b.c + "a.b c.d"'],
    ['"and" + "end" + end + "case"', '"and" + "end" + "end" + "case"'],
    ['größe + 数 + _a$1', 'größe + 数 + _a$1'],
    ['date + time + interval + timestamp', 'date + time + interval + timestamp'],
    ['@a + :b + :"c d"', ':a + :b + :"c d"'],
    ['1_000 + 0x1F + 0b101 + 0o17 + 007', '1000 + 31 + 5 + 15 + 7'],
    ['.5 + 1. + 1e3 + 1E-7 + 2.50 + 1e21', '0.5 + 1.0 + 1000.0 + 1e-7 + 2.5 + 1e+21'],
    ['1.50m + -2M + decimal \'+3.0\' + numeric \'4\'', "decimal '1.50' + decimal '-2' + decimal '+3.0' + decimal '4'"],
    ["float 'NaN' + double '-inf' + float '1e3'", "float 'nan' + float '-infinity' + 1000.0"],
    ['TRUE and False or NULL', 'true and false or null'],
    ["'it''s' || '' || 'a\\b'", "'it''s' || '' || 'a\\b'"],
    ["E'a\\tb\\'\\\\ \\x41\\u00e4\\u{1F600}\\q' || e''''", "'a\tb''\\ Aä😀q' || ''''"],
    ["x'00fF' || X''", "x'00ff' || x''"],
    ["date '2020-01-31' + time '1:2' + TIMESTAMP '2020' + datetime '2021'", "date '2020-01-31' + time '1:2' + timestamp '2020' + timestamp '2021'"],
    ['a -- the rest\n + b /* not\nthis */ + c --', 'a + b + c'],
    ['a\u00a0+\ufeffb\r\n', 'a + b'],
  ];
  for (const [text, canonical] of rows) {
    it(JSON.stringify(text), () => {
      assert.equal(print(parse(text)), canonical);
      assert.equal(print(parse(canonical)), canonical);
      assert.ok(same(parse(text), parse(canonical)));
    });
  }
});

describe('intervals', () => {
  const hour = 3_600_000_000_000n;
  /** @type {[text: string, months: number, days: number, nanoseconds: bigint, canonical: string][]} */
  const rows = [
    ["interval '1 month'", 1, 0, 0n, '1 months'],
    ["interval '1' year", 12, 0, 0n, '12 months'],
    ['interval 3 days', 0, 3, 0n, '3 days'],
    ['interval 1_0 minutes', 0, 0, hour / 6n, '600 seconds'],
    ['interval 1.5 hours', 0, 0, 3n * hour / 2n, '5400 seconds'],
    ["interval '1 year 2 mons, 3 weeks -4 hours'", 14, 21, -4n * hour, '14 months 21 days -14400 seconds'],
    ["interval '1 day 04:05:06.789'", 0, 1, 14_706_789_000_000n, '1 days 14706.789 seconds'],
    ["interval '-0:30'", 0, 0, -hour / 2n, '-1800 seconds'],
    ["interval '1.5 days'", 0, 1, 12n * hour, '1 days 43200 seconds'],
    ["interval '0.5 years'", 6, 0, 0n, '6 months'],
    ["interval 'P1Y2M3W4DT5H6M7.5S'", 14, 25, 18_367_500_000_000n, '14 months 25 days 18367.5 seconds'],
    ["interval '-P1DT1H'", 0, -1, -hour, '-1 days -3600 seconds'],
    ["interval '3us' ", 0, 0, 3000n, '0.000003 seconds'],
    ["interval '1h30min'", 0, 0, 3n * hour / 2n, '5400 seconds'],
    ["interval '-1 ns'", 0, 0, -1n, '-0.000000001 seconds'],
    ["interval '0 days'", 0, 0, 0n, '0 days'],
  ];
  for (const [text, months, days, nanoseconds, canonical] of rows) {
    it(text, () => {
      const node = /** @type {any} */ (parse(text));
      assert.deepEqual(node.value, { months, days, nanoseconds });
      assert.equal(print(node), `interval '${canonical}'`);
      assert.ok(same(node, parse(print(node))));
    });
  }
});

it('has nodes as documented, frozen, with their places in the text', () => {
  const tree = /** @type {any} */ (parse("(a) + 1 in ('x', 2.5)"));
  const name = { kind: 'name', name: 'a', start: 1, end: 2 };
  const one = { kind: 'literal', type: 'integer', value: 1n, start: 6, end: 7 };
  const sum = { kind: 'call', name: 'add', args: [name, one], start: 0, end: 7 };
  const list = [{ kind: 'literal', type: 'string', value: 'x', start: 12, end: 15 }, { kind: 'literal', type: 'float', value: 2.5, start: 17, end: 20 }];
  assert.deepEqual(tree, { kind: 'in', value: sum, list, start: 0, end: 21 });
  for (const part of [tree, tree.value, tree.value.args, tree.list]) assert.ok(Object.isFrozen(part));
  const cast = /** @type {any} */ (parse('try_cast(a as decimal(5, 2))'));
  assert.deepEqual(cast.to, { name: 'decimal', args: [5, 2], start: 14, end: 27 });
  assert.equal(cast.safe, true);
  const choice = /** @type {any} */ (parse('case when a then 1 end'));
  assert.deepEqual(Object.keys(choice), ['kind', 'branches', 'otherwise', 'start', 'end']);
  assert.equal(choice.otherwise, null);
  assert.deepEqual(/** @type {any} */ (parse("x'00ff'")).value, Uint8Array.of(0, 255));
});

it('has one node where an operand is used twice', () => {
  const chain = /** @type {any} */ (parse('a < f(b) < c'));
  assert.equal(chain.args[0].args[1], chain.args[1].args[0]);
  const between = /** @type {any} */ (parse('f(a) between 1 and 2'));
  assert.equal(between.args[0].args[0], between.args[1].args[0]);
  const subject = /** @type {any} */ (parse('case f(a) when 1 then 2 when 3 then 4 end'));
  assert.equal(subject.branches[0].when.args[0], subject.branches[1].when.args[0]);
});

it('keeps texts of nested between as short as they were', () => {
  let text = 'x';
  for (let i = 0; i < 50; i++) text = `${text} between 0 and 1`;
  assert.equal(print(parse(text)), text);
});

const many = Array.from({ length: 10_000 }, (_, i) => `a${i}`);
/** @type {[title: string, text: string][]} */
const long = [
  ['sums', many.join(' + ')],
  ['or', many.map((name) => `${name} = 1`).join(' or ')],
  ['comparisons', many.join(' < ')],
  ['||', many.join(' || ')],
  ['lists', `x in (${many.join(', ')})`],
  ['casts', `x${'::int'.repeat(10_000)}`],
  ['methods', `x${'.abs()'.repeat(10_000)}`],
  ['is', `x${' is null'.repeat(10_000)}`],
  ['branches', `case ${many.map((name) => `when ${name} then 1`).join(' ')} end`],
  ['conditions', `${many.join(' ? 1 : ')}`],
];
for (const [title, text] of long) {
  it(`takes ten thousand terms of ${title}`, () => {
    const tree = parse(text);
    const printed = print(tree);
    if (title === 'sums' || title === 'or' || title === 'comparisons' || title === '||' || title === 'is') assert.equal(printed, text);
    let names = 0;
    walk(tree, (node) => void (names += Number(node.kind === 'name')));
    assert.equal(names, text.startsWith('x ') || text.startsWith('x:') || text.startsWith('x.') ? (title === 'lists' ? 10_001 : 1) : 10_000);
    assert.ok(same(tree, rewrite(tree, (node) => node)));
  });
}

describe('ways through trees', () => {
  it('have the operands of each kind in order, and put others in their place', () => {
    for (const text of ['f(a, b)', 'a in (b, c)', 'case when a then b when c then d else e end', 'case when a then b end', 'cast(a as int8)', 'a', ':p', '1']) {
      const node = parse(text);
      const upper = withChildren(node, children(node).map((operand) => nodes.name(/** @type {any} */ (operand).name.toUpperCase())));
      assert.equal(print(upper), text.length > 2 ? text.replace(/\b[a-e]\b/g, (name) => name.toUpperCase()) : text);
      assert.equal(withChildren(node, children(node)), node);
    }
  });

  it('visit each node once, from the leaves to the root or from the root to the leaves', () => {
    const x = nodes.name('x');
    let tree = nodes.call('add', [x, x]);
    for (let i = 0; i < 99; i++) tree = nodes.call('add', [tree, tree]);
    let visits = 0;
    assert.equal(fold(tree, (_, /** @type {number[]} */ [depth = 0]) => (visits++, depth + 1)), 101);
    assert.equal(visits, 101);
    walk(tree, () => void visits--);
    assert.equal(visits, 0);
    assert.ok(same(tree, rewrite(tree, (node) => node)));
  });

  it('leave out what is below a node', () => {
    /** @type {string[]} */
    const seen = [];
    walk(parse('f(g(a), b)'), (node) => {
      if (node.kind === 'name' || node.kind === 'call') seen.push(node.name);
      return !(node.kind === 'call' && node.name === 'g');
    });
    assert.deepEqual(seen, ['f', 'g', 'b']);
  });

  it('tell trees apart that differ in anything but places', () => {
    const texts = ['a', ':a', "'a'", '"A"', '1', '1.0', "'1'", 'decimal \'1\'', 'null', "'null'", 'f(a)', 'f(a, a)', 'g(a)', 'a in (a)', 'case when a then a end', 'cast(a as int8)', 'try_cast(a as int8)', 'cast(a as int16)', "x'61'", "interval '1 day'", "interval '1 hour'", '-0.0', '0.0', "float 'nan'"];
    for (const [i, text] of texts.entries()) for (const [j, other] of texts.entries()) assert.equal(same(parse(text), parse(`  ${other}`)), i === j, `${text} ${other}`);
  });
});

it('reads and prints names of types', () => {
  for (const text of ['int32', 'decimal(38, 2)', 'timestamp[us, UTC]', "timestamp[ns, 'America/New_York']", 'double precision', 'interval[month_day_nano]', 'time32[s]']) {
    const { name, args } = parseTypeName(text);
    assert.equal(printTypeName({ name, args }), text);
  }
  assert.deepEqual(parseTypeName('character varying(20)').args, [20]);
});

it('refuses to print what no memory holds', () => {
  let tree = nodes.call('add', [nodes.name('x'), nodes.name('x')]);
  for (let i = 0; i < 60; i++) tree = nodes.call('add', [tree, tree]);
  assert.throws(() => print(tree), { code: 'ERR_OVERFLOW', message: 'print: the text of the expression has more than 16777216 characters' });
});

it('tells what an unknown name may have meant', () => {
  const text = 'nmae = "Bob"';
  const tree = /** @type {any} */ (parse(text));
  assert.equal(adviceOnName(text, tree.args[0], ['id', 'name']), "did you mean 'name'?");
  assert.equal(adviceOnName(text, tree.args[1], ['id', 'name']), "\"…\" is a name, a string is in single quotes: 'Bob'");
  assert.equal(adviceOnName(null, nodes.name('zzz'), ['id', 'name']), undefined);
});

describe('docs/columns-language.md', () => {
  const page = readFileSync(path.join(__dirname, '../../docs/columns-language.md'), 'utf8').replaceAll('\\|', '|');
  const spelled = (/** @type {string} */ cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text);
  const section = (/** @type {string} */ title) => page.split(`\n## ${title}\n`)[1].split('\n## ')[0];

  for (const title of ['Where spellings disagree', 'Choices, ranges, lists', 'Calls']) {
    it(`says what other text is the same, under ${title}`, () => {
      const rows = [...section(title).matchAll(/^\| `([^`]+)` \| `([^`]+)` \|/gm)];
      assert.ok(rows.length > 8);
      for (const [, text, other] of rows) assert.ok(same(parse(text), parse(other)), `${text} is ${print(parse(text))}`);
    });
  }

  it('has values that parse', () => {
    const rows = [...section('Values').matchAll(/^\| (`.*`) \|.*\|$/gm)];
    assert.ok(rows.length > 8);
    for (const text of rows.flatMap(([, cell]) => spelled(cell))) assert.match(parse(text).kind, /literal|parameter/);
  });

  it('has all operators, by how tightly they bind, and their functions', () => {
    const text = section('Operators');
    for (const [word, name] of [...BINARY, ...COMPARISON, ...PREFIX, ...IS.map(([test, called]) => [`is ${test}`, called])]) {
      if (!/none|unknown/.test(word) && !/^is not/.test(word)) assert.ok(text.includes(`\`${word}\``) || text.includes(`\`${word}a\``), word);
      assert.ok(text.includes(`\`${name}\``), name);
    }
    const places = [...BINARY, ...COMPARISON].map(([word, , level]) => ({ line: text.split('\n').findIndex((line) => spelled(line.split(' | ')[0]).includes(word)), level: LEVELS[level] }));
    for (const a of places) for (const b of places) assert.equal(Math.sign(a.line - b.line), Math.sign(a.level - b.level));
  });

  it('has all words that are quoted, and the message that it shows', () => {
    const words = /are quoted as names: `([^`]+)`/.exec(page)?.[1].split(/\s+/);
    assert.deepEqual(words?.sort(), [...RESERVED].sort());
    const shown = /```text\n([\s\S]*?)\n```/.exec(page)?.[1];
    assert.throws(() => parse('(x > 2) adn (x < 6)'), { message: shown });
  });

  it('has all methods', () => {
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(col('x'))).filter((name) => !['constructor', 'toString'].includes(name));
    const text = section('Built by methods');
    assert.deepEqual(methods.filter((name) => !new RegExp(`\\b${name}\\b`).test(text)), []);
  });
});

it('tells plain words as the patterns do', () => {
  const next = generator(21);
  const words = [
    'a', 'B_1', 'x$y', 'é', 'aé', 'E', 'e', 'x', 'X1', '_', '12', '0', '007', '1.5', '1e3', '1E-3', '1.', '.5', '0x1F', '0b1', '1_000', '1_', '1.50m', '2m',
    '1.5.2', '123456789012345', '1234567890123456', '0.12345678901234567', '+', '-', '*', '**', '/', '//', '%', '(', ')', ',', '<=', '=>', '->', '.', '$', "'s'",
    '"q"', "e's'", '-- c', '--', '/*c*/', '\u2028',
  ];
  const pick = () => words[Math.floor(next() * words.length)];
  const told = (text) => {
    try {
      return tokenize(text);
    } catch (error) {
      return [error.code, error.message.split('\n')[0]];
    }
  };
  for (let round = 0; round < 5000; round++) {
    const text = Array.from({ length: 1 + Math.floor(next() * 4) }, () => pick() + (next() < 0.4 ? pick() : '')).join(' ');
    // Behind a tab, which is not plain, a word goes by the patterns.
    assert.deepEqual(told(` ${text}`), told(`\t${text.replaceAll(' ', '\t')}`), text);
  }
});
