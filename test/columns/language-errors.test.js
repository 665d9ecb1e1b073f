// Mistakes in texts: where each is said to be, what is said to be expected and what to write instead.
'use strict';

const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { parse, print, same } = require('../../lib/columns/language/index.js');
const { tryOne } = require('../fuzz/columns-language.js');
const { throwsGraphError } = require('../support/errors.js');

/** @type {[text: string, place: string, message: string][]} */
const rows = [
  ['', '1:1', 'expected a value, got the end of the text'],
  ['  ', '1:3', 'expected a value, got the end of the text'],
  ['a +', '1:4', "expected a value after '+', got the end of the text"],
  ['+', '1:2', "expected a value after '+', got the end of the text"],
  ['a b', '1:3', "expected an operator or the end of the text, got 'b'"],
  ['a adn b', '1:3', "expected an operator or the end of the text, got 'adn'; did you mean 'and'?"],
  ['a lkie b', '1:3', "expected an operator or the end of the text, got 'lkie'; did you mean 'like'?"],
  ['(a + b', '1:7', "expected an operator or ')', got the end of the text; '(' at 1:1 is not closed"],
  ['(a + b]', '1:7', "expected an operator or ')', got ']'"],
  ['f(a, b', '1:7', "expected an operator or ')', got the end of the text; '(' at 1:2 is not closed"],
  ['f(a b)', '1:5', "expected an operator or ')', got 'b'"],
  ['f(,)', '1:3', "expected a value after '(', got ','"],
  ['a)', '1:2', "expected an operator or the end of the text, got ')'; ')' closes nothing"],
  ['a + )', '1:5', "expected a value after '+', got ')'"],
  ['a ]', '1:3', "expected an operator or the end of the text, got ']'; ']' closes nothing"],
  ['[1]', '1:1', "expected a value, got '['; a list stands after 'in'"],
  ['* a', '1:1', "expected a value, got '*'; '*' alone stands in count(*) only"],
  ['f(*)', '1:3', "expected a value after '(', got '*'; '*' alone stands in count(*) only"],
  ['count(*, 1)', '1:7', "expected a value after '(', got '*'; '*' alone stands in count(*) only"],
  ['?', '1:1', "expected a value, got '?'; parameters have names: :name or @name"],
  ['a in', '1:5', "expected '(', '[' or a parameter with the list, got the end of the text"],
  ['a in b', '1:6', "expected '(', '[' or a parameter with the list, got 'b'"],
  ['a in (1, 2', '1:11', "expected an operator or ')', got the end of the text; '(' at 1:6 is not closed"],
  ['a in (1 2)', '1:9', "expected an operator or ')', got '2'"],
  ['a not b', '1:7', "expected 'in', 'like', 'ilike' or 'between', got 'b'"],
  ['a not', '1:6', "expected 'in', 'like', 'ilike' or 'between', got the end of the text"],
  ['a is', '1:5', "expected 'null', 'true', 'false', 'not' or 'distinct from', got the end of the text"],
  ['a is nul', '1:6', "expected 'null', 'true', 'false', 'not' or 'distinct from', got 'nul'; did you mean 'null'?"],
  ['a is 5', '1:6', "expected 'null', 'true', 'false', 'not' or 'distinct from', got '5'"],
  ['a is not distinct b', '1:19', "expected 'from', got 'b'"],
  ['a between 1', '1:12', "expected an operator or 'and', got the end of the text"],
  ['a between 1 or 2', '1:13', "expected an operator or 'and', got 'or'"],
  ['a like', '1:7', "expected a value after 'like', got the end of the text"],
  ['case end', '1:9', "expected 'when', got the end of the text"],
  ['case when a', '1:12', "expected an operator or 'then', got the end of the text"],
  ['case when a then', '1:17', "expected a value after 'then', got the end of the text"],
  ['case when a then 1', '1:19', "expected an operator, 'when', 'else' or 'end', got the end of the text"],
  ['case when a then 1 else 2', '1:26', "expected an operator or 'end', got the end of the text"],
  ['case a then 1 end', '1:8', "expected 'when', got 'then'"],
  ['a ? b', '1:6', "expected an operator or ':', got the end of the text"],
  ['a ? b c', '1:7', "expected an operator or ':', got 'c'"],
  ['a if b', '1:7', "expected an operator or 'else', got the end of the text"],
  ['if(a, b)', '1:1', 'if takes a condition and two results'],
  ['iif(a)', '1:1', 'iif takes a condition and two results'],
  ['a.between(1)', '1:1', 'between takes two bounds'],
  ['a.', '1:3', "expected a name after '.', got the end of the text"],
  ['a.1', '1:2', "expected an operator or the end of the text, got '.1'"],
  ['a.5', '1:2', "expected an operator or the end of the text, got '.5'"],
  ['1.a()', '1:3', "a number ends in 'a'; write a space or an operator between them"],
  ['1 .a', '1:5', "expected '(' and the arguments of a, got the end of the text"],
  ['f(a).b', '1:7', "expected '(' and the arguments of b, got the end of the text"],
  ['cast(a)', '1:7', "expected an operator or 'as', got ')'"],
  ['cast(a as)', '1:10', "expected the name of a type, got ')'"],
  ['cast(a as 5)', '1:11', "expected the name of a type, got '5'"],
  ["cast(a as 'foo bar')", '1:11', "'foo bar' is no type"],
  ['cast(a as decimal(,))', '1:19', "expected a number or a word, got ','"],
  ['cast(a as decimal(1', '1:20', "expected an operator or ')', got the end of the text; '(' at 1:18 is not closed"],
  ['a::', '1:4', 'expected the name of a type, got the end of the text'],
  ['a::timestamp with zone', '1:19', "expected 'time', got 'zone'"],
  ['a = not b', '1:5', "'not' binds more loosely than the operator before it; write (not …)"],
  ['- not a', '1:3', "'not' binds more loosely than the operator before it; write (not …)"],
  ['like', '1:1', 'expected a value, got \'like\'; \'like\' is a keyword, as a name it is written "like"'],
  ['and', '1:1', 'expected a value, got \'and\'; \'and\' is a keyword, as a name it is written "and"'],
  ['a and', '1:6', "expected a value after 'and', got the end of the text"],
  ['a or and b', '1:6', 'expected a value after \'or\', got \'and\'; \'and\' is a keyword, as a name it is written "and"'],
  ['a == like', '1:6', 'expected a value after \'==\', got \'like\'; \'like\' is a keyword, as a name it is written "like"'],
  ['a === b', '1:3', "'===' is no part of an expression; did you mean '=='?"],
  ['a !== b', '1:3', "'!==' is no part of an expression; did you mean '!='?"],
  ['a =< b', '1:3', "'=<' is no part of an expression; did you mean '<='?"],
  ['a => b', '1:3', "'=>' is no part of an expression; did you mean '>='?"],
  ['a <=> b', '1:3', "'<=>' is no part of an expression; write 'is not distinct from'"],
  ['a ≤ b', '1:3', "'≤' is no part of an expression; did you mean '<='?"],
  ['a × b', '1:3', "'×' is no part of an expression; did you mean '*'?"],
  ['‘a’', '1:1', "'‘' is no part of an expression; strings are in straight quotes: '…'"],
  ['“a”', '1:1', '\'“\' is no part of an expression; names are in straight quotes: "…"'],
  ['a; b', '1:2', "';' is no part of an expression; an expression ends with its text"],
  ['{a}', '1:1', "'{' is no part of an expression"],
  ['# a', '1:1', "'#' is no part of an expression; comments are '-- …' and '/* … */'"],
  ['a \\ b', '1:3', "'\\' is no part of an expression"],
  ['a $ b', '1:3', "'$' is no part of an expression"],
  ['\ud800', '1:1', 'half of a surrogate pair is no character'],
  ["'\ud800'", '1:2', 'half of a surrogate pair is no character'],
  ["'abc", '1:1', "this string has no end; a quote within a string is written twice: ''"],
  ["'it's'", '1:6', "this string has no end; a quote within a string is written twice: ''"],
  ['"abc', '1:1', 'this quoted name has no end'],
  ['`abc', '1:1', 'this quoted name has no end'],
  ['/* abc', '1:1', "this comment has no end; expected '*/'"],
  ['a /* b', '1:3', "this comment has no end; expected '*/'"],
  ["x'0'", '1:1', "expected two hexadecimal digits for each byte of x'…'"],
  ["x'0g'", '1:1', "expected two hexadecimal digits for each byte of x'…'"],
  ["x'00", '1:2', "this string of bytes has no end; a quote within a string is written twice: ''"],
  ["E'\\x4'", '1:3', "expected \\xHH, \\uHHHH or \\u{H…}, got '\\x'"],
  ["E'\\u12'", '1:3', "expected \\xHH, \\uHHHH or \\u{H…}, got '\\u'"],
  ["E'\\u{110000}'", '1:3', '\\u{110000} is no character of Unicode'],
  ["E'\\ud800'", '1:1', 'half of a surrogate pair is no character'],
  ["E'abc\\'", '1:2', "this string has no end; a quote within a string is written twice: ''"],
  ['1abc', '1:2', "a number ends in 'abc'; write a space or an operator between them"],
  ['0x', '1:2', "a number ends in 'x'; write a space or an operator between them"],
  ['0xg', '1:2', "a number ends in 'xg'; write a space or an operator between them"],
  ['1_', '1:2', "a number ends in '_'; write a space or an operator between them"],
  ['1__0', '1:2', "a number ends in '__0'; write a space or an operator between them"],
  ['1e999', '1:1', "this number is larger than the largest float; write float 'infinity'"],
  ['1.5em', '1:4', "a number ends in 'em'; write a space or an operator between them"],
  ['1e5m', '1:1', 'a decimal has no exponent'],
  ['@', '1:2', "expected the name of a parameter right after '@', got the end of the text"],
  ['@ p', '1:3', "expected the name of a parameter right after '@', got 'p'"],
  [':', '1:2', "expected the name of a parameter right after ':', got the end of the text"],
  ['@1', '1:2', "expected the name of a parameter right after '@', got '1'"],
  ['a @ b', '1:3', "expected an operator or the end of the text, got '@'"],
  ["interval '1'", '1:13', 'expected a unit of time, such as day, got the end of the text'],
  ['interval 1', '1:11', 'expected a unit of time, such as day, got the end of the text'],
  ['interval 1 foo', '1:10', "'foo' is no unit of time"],
  ["interval ''", '1:10', "expected amounts and units such as '1 month 2 days', got ''"],
  ["interval 'soon'", '1:10', "expected amounts and units such as '1 month 2 days', got 'soon'"],
  ["interval '1 day foo'", '1:10', "expected amounts and units such as '1 month 2 days', got 'foo'"],
  ["interval '0.5 month'", '1:10', '0.5 month is no number of months'],
  ["interval '1:99'", '1:10', '1:99:0 is no time'],
  ["interval '9999999999 years'", '1:10', 'an interval of 119999999988 months is too long'],
  ["interval '0.0000000001 s'", '1:10', '0.0000000001 s is no number of nanoseconds'],
  ["decimal 'abc'", '1:9', "'abc' is no decimal"],
  ["float '1e999'", '1:7', "'1e999' is no float"],
  ["float ''", '1:7', "'' is no float"],
  ['trim(both a b)', '1:13', "expected an operator or 'from', got 'b'"],
  ['trim(leading from a', '1:20', "expected an operator or ')', got the end of the text; '(' at 1:5 is not closed"],
  ['extract(year from)', '1:18', "expected a value after 'from', got ')'"],
  ['substring(a from )', '1:18', "expected a value after 'from', got ')'"],
  ['a\nor b c\nand d', '2:6', "expected an operator or the end of the text, got 'c'"],
  ['a &&& b', '1:5', "expected a value after '&&', got '&'"],
  ['sum(distinct x)', '1:5', "'distinct' stands in count(distinct x) only, sum has none"],
  ['a <> > b', '1:6', "expected a value after '<>', got '>'"],
  ["a like 'x' escape", '1:18', "expected a value after 'escape', got the end of the text"],
  ['select a', '1:8', "expected an operator or the end of the text, got 'a'"],
  ['a b c', '1:3', "expected an operator or the end of the text, got 'b'"],
  ['a as b', '1:3', "expected an operator or the end of the text, got 'as'; names of results are keys of an object: expr({ name: '…' })"],
  ['x = "a" "b"', '1:9', 'expected an operator or the end of the text, got "b"'],
  ["d > dat '2020-01-01'", '1:9', "expected an operator or the end of the text, got '2020-01-01'"],
];

/** @param {string} text */
function mistakeIn(text) {
  try {
    parse(text);
  } catch (error) {
    assert.equal(error.name, 'GraphError');
    assert.equal(error.code, 'ERR_PARSE');
    return error.message;
  }
  return assert.fail('is no mistake');
}

describe('mistakes in a text have a place and say what is expected', () => {
  for (const [text, place, message] of rows) {
    it(JSON.stringify(text), () => {
      const lines = mistakeIn(text).split('\n');
      assert.equal(lines[0], `expression:${place}: ${message}`);
      const [line, column] = place.split(':').map(Number);
      assert.ok(lines.includes(`> ${line} | ${text.split('\n')[line - 1].trimEnd()}`.trimEnd()), lines.join('\n'));
      assert.equal(lines.at(-1), `    | ${' '.repeat(column - 1)}^`);
    });
  }

  it('with a caret, also in long lines and behind tabs and line breaks of all kinds', () => {
    assert.equal(mistakeIn('a +\n  b c'), "expression:2:5: expected an operator or the end of the text, got 'c'\n  1 | a +\n> 2 |   b c\n    |     ^");
    assert.equal(mistakeIn('a\r\n\tb'), "expression:2:2: expected an operator or the end of the text, got 'b'\n  1 | a\n> 2 |     b\n    |     ^");
    const lines = mistakeIn(`${'a + '.repeat(100)}b c${' + d'.repeat(100)}`).split('\n');
    assert.equal(lines[0], "expression:1:403: expected an operator or the end of the text, got 'c'");
    assert.ok(lines[1].length < 130);
    assert.equal(lines[1][lines[2].indexOf('^')], 'c');
  });

  it('with invisible characters by their number', () => {
    assert.match(mistakeIn('a \u200b b'), /^expression:1:3: U\+200B is no part of an expression\n/);
  });

  it('in numbers and strings of any length', () => {
    assert.match(mistakeIn('9'.repeat(401)), /^expression:1:1: this number has more than 400 digits\n/);
    assert.match(mistakeIn(`x = '${'a'.repeat(1e6)}`), /^expression:1:5: this string has no end; /);
    assert.match(mistakeIn(`x ${'b'.repeat(1e6)}`), /^expression:1:3: expected an operator or the end of the text, got 'b{40}…'\n/);
    assert.match(mistakeIn(`E'${'\\'.repeat(1e5 + 1)}'`), /^expression:1:2: this string has no end; /);
  });
});

describe('expressions within expressions', () => {
  /** @type {Record<string, (depth: number) => string>} */
  const nests = {
    brackets: (depth) => '('.repeat(depth) + 'x' + ')'.repeat(depth),
    calls: (depth) => 'f('.repeat(depth) + 'x' + ')'.repeat(depth),
    choices: (depth) => 'if('.repeat(depth) + 'x' + ', 1, 2)'.repeat(depth),
    lists: (depth) => 'x.isin(['.repeat(depth) + 'x' + '])'.repeat(depth),
    cases: (depth) => 'case when '.repeat(depth) + 'x' + ' then 1 end'.repeat(depth),
    negations: (depth) => 'not '.repeat(depth) + 'x',
    signs: (depth) => '- '.repeat(depth) + 'x',
    powers: (depth) => 'x' + ' ** x'.repeat(depth),
  };
  for (const [title, nest] of Object.entries(nests)) {
    it(`may be ${title}, up to a depth`, () => {
      assert.ok(same(parse(print(parse(nest(399)))), parse(nest(399))));
      for (const depth of [400, 10_000, 100_000]) assert.match(mistakeIn(nest(depth)), /^expression:1:\d+: expressions are nested more than 400 deep\n/);
    });
  }
});

it('only texts are parsed', () => {
  for (const value of [undefined, null, 5, {}, ['a']]) throwsGraphError(() => parse(/** @type {any} */ (value)), 'ERR_ARGUMENT', /^parse: expected a string for the expression, got /);
});

it('random trees and damaged texts are taken as they should be', () => {
  for (let seed = 1; seed <= 300; seed++) assert.equal(tryOne(seed), undefined);
});
