// Expressions that are built are the trees of the same texts; what cannot be built is refused by the method that got it.
'use strict';

const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { astOf, call, col, isBuilder, lit, param, parse, print, same, validate, when } = require('../../lib/columns/language/index.js');
const { throwsGraphError } = require('../support/errors.js');

const [x, y] = [col('x'), col('y')];

/** @type {[built: ReturnType<typeof col>, text: string][]} */
const rows = [
  [x.gt(2).and(x.lt(6)), 'x > 2 and x < 6'],
  [x.add(y).sub(1).mul(2.5).div(y).floorDivide(3).mod(4), '((x + y - 1) * 2.5 / y // 3) % 4'],
  [x.pow(2).neg(), '-x ** 2'],
  [x.pow(y.pow(2)).pow(lit(-2)), '(x ** y ** 2) ** -2'],
  [x.eq(1).or(x.ne(2)).not(), 'not (x = 1 or x <> 2)'],
  [x.le(1).xor(x.ge(2)), 'x <= 1 ^ x >= 2'],
  [x.bitAnd(1).bitOr(2).bitXor(x.bitNot()).shl(1).shr(2), '(((x & 1) | 2) ^ ~x) << 1 >> 2'],
  [x.isDistinctFrom(y).and(x.isNotDistinctFrom(null)), 'x is distinct from y and x is not distinct from null'],
  [x.isNull().or(y.isNotNull()), 'x is null or y is not null'],
  [x.isTrue().or(x.isNotTrue()).or(x.isFalse()).or(x.isNotFalse()), 'x is true or x is not true or x is false or x is not false'],
  [x.between(1, y), 'x between 1 and y'],
  [x.between(1, 2).not(), 'x not between 1 and 2'],
  [x.isIn([1, 2.5, y]), 'x in (1, 2.5, y)'],
  [x.isIn(new Set(['a', 'b'])).not(), "x not in ('a', 'b')"],
  [x.isIn(param('list')), 'x in :list'],
  [x.isIn([]), 'x in ()'],
  [x.like('%a'), "x like '%a'"],
  [x.ilike('!%', '!').not(), "x not ilike '!%' escape '!'"],
  [x.concat(' ').concat(y), "x || ' ' || y"],
  [x.cast('int32').add(y.tryCast('decimal(38, 2)')), 'cast(x as int32) + try_cast(y as decimal(38, 2))'],
  [x.cast({ name: 'timestamp', args: ['us', 'UTC'] }), 'x::timestamp[us, UTC]'],
  [x.cast({ id: 'time32[s]' }), 'x::time32[s]'],
  [call('upper', x), 'upper(x)'],
  [x.call('SUBSTR', 1, 3), 'substr(x, 1, 3)'],
  [call('add', x, 1), 'x + 1'],
  [when(x.gt(1), 'a').when(y, 'b').otherwise(null), "case when x > 1 then 'a' when y then 'b' else null end"],
  [when(x, 1).add(2), 'case when x then 1 end + 2'],
  [col('order id').eq(col('a.b')), '"order id" = a.b'],
  [lit(7n).add(lit(7, 'float')).add(lit('1.50', 'decimal')), "7 + 7.0 + 1.50m"],
  [lit(-0).add(NaN).add(-Infinity).add(1e300), "-0.0 + float 'nan' + float '-infinity' + 1e300"],
  [lit(true).and(false).or(null), 'true and false or null'],
  [lit('2020-01-31', 'date').lt(new Date(Date.UTC(2020, 0, 31))), "date '2020-01-31' < timestamp '2020-01-31T00:00:00.000Z'"],
  [lit('12:30', 'time').add(lit('1 month 2 days', 'interval')), "time '12:30' + interval '1 month 2 days'"],
  [lit({ days: 1, nanoseconds: -5n }, 'interval'), "interval '1 day -5 ns'"],
  [lit('2020', 'timestamp').eq(lit(Uint8Array.of(0, 255))), "timestamp '2020' = x'00ff'"],
];

describe('what is built is the tree of', () => {
  for (const [built, text] of rows) {
    it(text, () => {
      const tree = astOf(built);
      assert.ok(same(tree, parse(text)), String(built));
      assert.ok(same(parse(String(built)), tree), String(built));
      assert.equal(tree.start, -1);
      assert.ok(Object.isFrozen(tree));
    });
  }
});

it('expressions may be used again and again and as deep as memory goes', () => {
  let sum = x;
  for (let i = 0; i < 10_000; i++) sum = y.sub(sum);
  assert.ok(same(validate(astOf(sum)), astOf(sum)));
  assert.equal(String(sum).length, 'y - x'.length + 'y - ()'.length * 9_999);
  let doubled = x;
  for (let i = 0; i < 100; i++) doubled = doubled.add(doubled);
  assert.ok(same(validate(astOf(doubled)), astOf(doubled)));
});

it('expressions are texts, built or trees', () => {
  assert.ok(isBuilder(x.add(1)) && isBuilder(when(x, 1)));
  for (const other of ['x', null, parse('x'), { node: 1 }]) assert.equal(isBuilder(other), false);
  const tree = parse('x + 1');
  for (const given of ['x + 1', x.add(1), tree, { kind: 'call', name: 'ADD', args: [{ kind: 'name', name: 'x' }, { kind: 'literal', type: 'integer', value: 1 }] }]) {
    assert.ok(same(astOf(given), tree));
  }
  assert.ok(same(astOf(x.add(parse('1'))), tree));
  for (const given of [undefined, null, 5, [], {}, () => {}]) throwsGraphError(() => astOf(given), 'ERR_ARGUMENT', /^expression: expected text or an expression that was built, got /);
});

describe('a tree that others made', () => {
  it('is copied, with the places it has and what it shares', () => {
    const text = "case when a.b between 1 and :p then x in ('s', 1.5) else try_cast(f(interval '1 day', x'00', 1.5m, date '2020') as decimal(3, 1)) end";
    const tree = parse(text);
    /** @type {any} */
    const thawed = structuredClone(tree);
    const copy = validate(thawed);
    assert.deepEqual({ ...copy }, { ...validate(tree) });
    assert.equal(copy.end, text.length);
    assert.equal(print(copy), print(tree));
    thawed.branches[0].then.list.pop();
    thawed.branches.pop();
    assert.ok(same(copy, tree));
  });

  const a = { kind: 'name', name: 'a' };
  /** @type {any} */
  const loop = { kind: 'call', name: 'f', args: [a] };
  loop.args.push({ kind: 'in', value: loop, list: [] });
  /** @type {[title: string, tree: any, message: RegExp][]} */
  const wrong = [
    ['a loop', loop, /^an expression is an operand of itself$/],
    ['another kind', { kind: 'column', name: 'a' }, /^expression: expected a node of kind literal, name, parameter, call, in, case, cast, got kind "column"$/],
    ['a kind of all objects', { kind: 'constructor' }, /got kind "constructor"$/],
    ['no operand', { kind: 'call', name: 'f', args: [a, undefined] }, /^expression: expected a node of kind .*, got undefined$/],
    ['a text as operand', { kind: 'call', name: 'f', args: ['a'] }, /got "a"$/],
    ['no arguments', { kind: 'call', name: 'f' }, /^expression: expected an array for the arguments of a call, got undefined$/],
    ['no name', { kind: 'name' }, /^expression: expected a string of Unicode for the name of a column, got undefined$/],
    ['half a character in a name', { kind: 'name', name: '\ud800' }, /^expression: expected a string of Unicode for the name of a column/],
    ['a number as a function', { kind: 'call', name: 5, args: [] }, /for the name of a function, got 5$/],
    ['a parameter without name', { kind: 'parameter', name: null }, /for the name of a parameter, got null$/],
    ['no list', { kind: 'in', value: a, list: a }, /^expression: expected an array for the list of 'in', got /],
    ['no branches', { kind: 'case', branches: [], otherwise: a }, /^expression: expected one or more \{ when, then \} for the branches of a case, got \[\]$/],
    ['half a branch', { kind: 'case', branches: [{ when: a }] }, /got undefined$/],
    ['an empty branch', { kind: 'case', branches: [null] }, /for the branches of a case/],
    ['another type of literal', { kind: 'literal', type: 'int', value: 1 }, /^expression: expected one of integer, float, .* for the type of a literal, got "int"$/],
    ['a fraction', { kind: 'literal', type: 'integer', value: 1.5 }, /^expression: expected an integer for a literal of type integer, got 1.5$/],
    ['a float of text', { kind: 'literal', type: 'float', value: '1' }, /expected a number for a literal of type float, got "1"$/],
    ['a decimal of letters', { kind: 'literal', type: 'decimal', value: 'one' }, /expected a text such as '1.50' for a literal of type decimal, got "one"$/],
    ['a boolean of one', { kind: 'literal', type: 'boolean', value: 1 }, /expected a boolean for a literal of type boolean, got 1$/],
    ['a null of nothing', { kind: 'literal', type: 'null' }, /expected null for a literal of type null, got undefined$/],
    ['a long interval', { kind: 'literal', type: 'interval', value: { months: 2 ** 31 } }, /for a literal of type interval/],
    ['an interval of words', { kind: 'literal', type: 'interval', value: 'soon' }, /for a literal of type interval, got "soon"$/],
    ['an interval of one', { kind: 'literal', type: 'interval', value: 1 }, /for a literal of type interval, got 1$/],
    ['bytes of an array', { kind: 'literal', type: 'binary', value: [1] }, /expected a Uint8Array for a literal of type binary, got \[1\]$/],
    ['no type', { kind: 'cast', value: a }, /^expression: expected a type such as 'int32' for a cast, got undefined$/],
    ['a type without name', { kind: 'cast', value: a, to: {} }, /for the name of a type, got undefined$/],
    ['a type of other things', { kind: 'cast', value: a, to: { name: 'int32', args: [null] } }, /for an argument of a type, got null$/],
  ];
  for (const [title, tree, message] of wrong) it(`may not have ${title}`, () => throwsGraphError(() => validate(tree), 'ERR_ARGUMENT', message));

  it('may not have integers of more digits than a text', () => {
    const huge = { kind: 'literal', type: 'integer', value: 10n ** 400n };
    assert.throws(() => validate(huge), { code: 'ERR_ARGUMENT', message: /^expression: expected an integer for a literal of type integer, got 10+\.\.\.$/ });
    assert.equal(print(validate({ ...huge, value: 10n ** 399n - 1n })), '9'.repeat(399));
  });

  it('may not have a type that cannot be read', () => {
    assert.throws(() => validate({ kind: 'cast', value: a, to: { name: 'int 32', args: [] } }), { code: 'ERR_PARSE', message: /^expression:1:5: expected the end of the type, got '32'\n/ });
  });
});

describe('a method refuses', () => {
  /** @type {[title: string, action: () => unknown, message: RegExp][]} */
  const wrong = [
    ['what is no value', () => x.gt(/** @type {any} */ (undefined)), /^gt: expected an expression or a value for an operand, got undefined$/],
    ['too few operands', () => x.gt(), /^gt: expected 1 argument, got 0$/],
    ['too many operands', () => x.neg(1), /^neg: expected 0 arguments, got 1$/],
    ['an array', () => x.add(/** @type {any} */ ([1])), /^add: expected an expression or a value for an operand, got \[1\]$/],
    ['a function', () => call('f', /** @type {any} */ (() => 1)), /^f: expected an expression or a value for an operand, got function/],
    ['a Date that is none', () => x.lt(new Date(NaN)), /^lt: expected a valid Date for an operand/],
    ['a list that is none', () => x.isIn(/** @type {any} */ (5)), /^isIn: expected an array for the list, got 5$/],
    ['a text as a list', () => x.isIn('abc'), /^isIn: expected an array for the list, got "abc"$/],
    ['half a character', () => lit('\ud800'), /^lit: expected a string of Unicode for a literal of type string/],
    ['names that are none', () => col(/** @type {any} */ (5)), /^col: expected a string of Unicode for the name of a column, got 5$/],
    ['parameters without name', () => param(/** @type {any} */ (null)), /^param: expected a string of Unicode for the name of a parameter, got null$/],
    ['functions without name', () => call(/** @type {any} */ (x)), /^call: expected a string of Unicode for the name of a function, got an expression$/],
    ['types of literals that there are not', () => lit(1, /** @type {any} */ ('int')), /^lit: expected one of integer, .* for the type of a literal, got "int"$/],
    ['literals of another type', () => lit('a', 'integer'), /^lit: expected an integer for a literal of type integer, got "a"$/],
    ['casts to nothing', () => x.cast(/** @type {any} */ (null)), /^cast: expected a type such as 'int32' for a cast, got null$/],
  ];
  for (const [title, action, message] of wrong) it(title, () => throwsGraphError(action, 'ERR_ARGUMENT', message));
});
