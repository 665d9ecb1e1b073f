/**
 * Regular expressions: what RE2 says, what JavaScript says where both mean the same, patterns that are refused, and
 * patterns that take exponential time elsewhere.
 */
'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { expr } = require('../../lib/columns/index.js');
const { call, col, lit } = require('../../lib/columns/language/index.js');
const { compile } = require('../../lib/columns/functions/regexp/compile.js');
const { randomOf } = require('../support/values.js');
const { arrowTable, valuesOf } = require('./tables.js');

/** What a function with these arguments behind the text is, of texts. @type {(name: string, texts: readonly (string | null)[], args: any[], type?: string, options?: any) => any[]} */
function run(name, texts, args, type = 'utf8', options = undefined) {
  const table = arrowTable({ s: 'utf8' }, { s: texts });
  return valuesOf(expr(call(name, col('s'), ...args.map((arg) => (arg?.kind ? arg : lit(arg)))), options).project(table), type);
}

/** @type {(texts: readonly string[], pattern: string, flags?: string) => any[]} */
const matches = (texts, pattern, flags) => run('regexp_matches', texts, flags === undefined ? [pattern] : [pattern, flags], 'bool');

/** Which of the texts match. @type {(texts: readonly string[], pattern: string, flags?: string) => string[]} */
const found = (texts, pattern, flags) => {
  const results = matches(texts, pattern, flags);
  return texts.filter((_, i) => results[i]);
};

/** Patterns, texts that match, and texts that do not. @type {[pattern: string, yes: string[], no: string[]][]} */
const MATCHES = [
  ['', ['', 'a'], []],
  ['^$', [''], ['a', '\n']],
  ['a', ['a', 'bab'], ['', 'b', 'A']],
  ['^ab', ['ab', 'abc'], ['cab', 'b']],
  ['ab$', ['ab', 'cab'], ['abc', 'ab\n']],
  ['^ab$', ['ab'], ['abab', 'ab\n', '']],
  ['a.c', ['abc', 'aéc', 'a😀c'], ['ac', 'a\nc', 'abbc']],
  ['(?s)a.c', ['a\nc'], ['ac']],
  ['(?m)^b$', ['a\nb\nc', 'b', 'b\n'], ['ab', 'bc\n']],
  ['\\Ab\\z', ['b'], ['a\nb']],
  ['(?m)\\Ab\\z', ['b'], ['a\nb', 'b\n']],
  ['[a-c]x', ['ax', 'cx'], ['dx', '-x']],
  ['[^a-c]x', ['dx', '\nx', '日x'], ['ax', 'x']],
  ['[]a]x', [']x', 'ax'], ['x', '[x']],
  ['[^]a]x', ['bx'], [']x', 'ax']],
  ['[a-]x', ['-x', 'ax'], ['bx']],
  ['[-a]x', ['-x', 'ax'], ['bx']],
  ['[\\d-z]x', ['-x', 'zx', '1x'], ['yx']],
  ['[[:alpha:]_]x', ['ax', '_x'], ['1x', 'éx']],
  ['[[:^alpha:]]x', ['1x', 'éx'], ['ax']],
  ['[é-ü]', ['é', 'ö', 'ü'], ['a', 'ÿ', 'ă']],
  ['[\\x{1F600}-\\x{1F64F}]', ['😀', '🙏'], ['🚀', '\u{1F5FF}', '\u{1F650}']],
  ['^\\d+$', ['0', '0123456789'], ['', '٣', '1a']],
  ['^\\w+$', ['aZ_0'], ['é', 'a b']],
  ['^\\s$', [' ', '\t', '\n', '\f', '\r'], ['\v', '\u00a0', 'a']],
  ['^[\\D\\W\\S]$', ['a', ' ', '1'], ['ab']],
  ['\\bfoo\\b', ['foo', 'a foo.', 'éfoo', 'foo é'], ['food', 'afoo', '_foo']],
  ['\\Boo\\B', ['foods', 'oo_oo_oo'], ['foo', 'oo']],
  ['\\B', ['é', '', 'ab', 'aé é'], ['a', 'aéa']],
  ['^\\pL+$', ['aé日'], ['1', 'a1']],
  ['^\\p{Greek}+$', ['αβγ'], ['abc', 'α1']],
  ['^\\P{Lu}\\p{^Lu}$', ['ab', '1é'], ['Ab', 'aÉ']],
  ['^[\\pN\\p{Han}]+$', ['1日²', '٣'], ['a']],
  ['(?i)straße', ['STRASSE'.replace('SS', 'ß'), 'sTRAẞE', 'ſtraße'], ['strasse']],
  ['(?i)^[k-l]$', ['k', 'K', '\u212a', 'L'], ['j', 'm']],
  ['(?i)[^k]', ['x'], ['k', 'K', '\u212a']],
  ['(?i:a)b', ['ab', 'Ab'], ['aB', 'AB']],
  ['a(?i)b', ['ab', 'aB'], ['Ab']],
  ['(?i)a(?-i)b', ['ab', 'Ab'], ['aB']],
  ['(?is-m:a.)b', ['A\nb'], ['A\nB']],
  ['^(?:cat|dog)s?$', ['cat', 'dogs'], ['cats ', 'bird']],
  ['^(a|ab)(c|bcd)$', ['ac', 'abc', 'abcd'], ['ab', 'abcdd']],
  ['^a{2}$', ['aa'], ['a', 'aaa']],
  ['^a{2,}$', ['aa', 'aaaaa'], ['a']],
  ['^a{2,4}$', ['aa', 'aaaa'], ['a', 'aaaaa']],
  ['^a{0}$', [''], ['a']],
  ['^a{,2}$', ['a{,2}'], ['a', 'aa']],
  ['^a{$', ['a{'], ['a']],
  ['x*', ['', 'a'], []],
  ['(|a)+b', ['b', 'aab'], ['a']],
  ['(a*)+b', ['b', 'aab'], ['a']],
  ['(a*)*$', ['', 'b'], []],
  ['\\Q.*\\E+', ['.*', '.**'], ['.', 'ab']],
  ['\\.\\*\\[\\-\\_', ['.*[-_'], ['a']],
  ['\\x41\\x{42}\\103\\n', ['ABC\n'], ['ABCn']],
  ['(?P<year>\\d{4})-(?<month>\\d\\d)', ['on 2020-02-29'], ['2020-2']],
  ['}', ['}'], ['{']],
  [']', [']'], ['[']],
  ['(?m)^\\z', ['', 'a\n'], ['a']],
  ['a\\b|\\bb', ['a', 'b', 'a b'], ['ac', 'cb']],
];

/** Patterns that are wrong, what is said, and the character it is said of. @type {[pattern: string, message: RegExp, at: number][]} */
const WRONG = [
  ['+', /'\+' has nothing to repeat/u, 1],
  ['a|*', /'\*' has nothing to repeat/u, 3],
  ['a**', /'\*' has nothing to repeat/u, 3],
  ['a*{2}', /'\{2\}' has nothing to repeat/u, 3],
  ['(?i)*', /'\*' has nothing to repeat/u, 5],
  ['(a', /'\(' without '\)'/u, 1],
  ['a)', /'\)' without '\('/u, 2],
  ['x[a', /'\[' without '\]'/u, 2],
  ['[b-a]', /range 'b-a' ends before/u, 2],
  ['[[:word', /'\[' without '\]'/u, 1],
  ['[[:words:]]', /no class '\[:words:\]'/u, 2],
  ['\\', /does not end with/u, 1],
  ['(a)\\1', /references back/u, 4],
  ['a(?=b)', /lookaround/u, 2],
  ['a(?!b)', /lookaround/u, 2],
  ['(?<=a)b', /lookaround/u, 1],
  ['(?<!a)b', /lookaround/u, 1],
  ['(?>a)', /no group begins with '\(\?>'/u, 1],
  ['(?x)a', /no group begins with '\(\?x'/u, 1],
  ['(?i', /no group begins with/u, 1],
  ['(?i-)a', /no group begins with/u, 1],
  ['(?P<a b>c)', /name is letters/u, 1],
  ['(?P<n>a)(?P<n>b)', /two groups 'n'/u, 9],
  ['\\p{Foo}', /'\\p\{Foo\}' is no category/u, 1],
  ['\\p{', /'\{' without '\}'/u, 3],
  ['\\j', /'\\j' is not known/u, 1],
  ['\\Z', /is \\z/u, 1],
  ['\\x{110000}', /no code point/u, 1],
  ['a{3,2}', /asks for more than it allows/u, 2],
  ['a{1001}', /repeated 1001 times/u, 2],
  ['(?:a{100}){11}', /repeated 1100 times/u, 11],
  ['(?:(?:a{10}b){10}){10}{1000}', /nothing to repeat/u, 23],
];

/** Patterns that are too large. */
const LARGE = [
  '(?:abcde){1000}', 'a'.repeat(5000), 'a'.repeat(20000), `(${'a'.repeat(99)}|b){100}`,
];

describe('regexp_matches', () => {
  test('as RE2 has it', () => {
    for (const [pattern, yes, no] of MATCHES) assert.deepEqual(found([...yes, ...no], pattern), yes, pattern);
  });

  test('takes flags', () => {
    assert.deepEqual(found(['ab', 'AB'], 'b', 'i'), ['ab', 'AB']);
    assert.deepEqual(found(['ab', 'AB'], 'b', 'ic'), ['ab']);
    assert.deepEqual(found(['a\nb', 'ab'], '^b', 'm'), ['a\nb']);
    assert.deepEqual(found(['a\nb'], 'A.B', 'is'), ['a\nb']);
    assert.throws(() => matches([], 'a', 'g'), { code: 'ERR_ARGUMENT', message: /no flag 'g'/u });
  });

  test('is null for null, and has the name regexp_like', () => {
    assert.deepEqual(run('regexp_like', ['a', null, 'b'], ['a|c'], 'bool'), [true, null, false]);
    assert.deepEqual(run('regexp_like', ['a', null], [null], 'bool'), [null, null]);
  });

  test('runs where a table would be too large', () => {
    const pattern = '(a|b)*a(a|b){12}c';
    const machine = compile(pattern).whether();
    assert.equal(machine.hasTable, false);
    const texts = ['abbbbbbbbbbbbc', 'bbbbbbbbbbbbbbc', 'xaabbabbabbabbc', 'a', ''];
    assert.deepEqual(matches(texts, pattern), texts.map((text) => new RegExp(pattern, 'u').test(text)));
    assert.deepEqual(found(['日本', 'x1', '1', 'é', ''], '^\\pL+$'), ['日本', 'é']);
  });

  test('runs on dictionaries and in filters', () => {
    const s = Array.from({ length: 200 }, (_, i) => [`row ${i % 7}`, null][Number(i % 5 === 0)]);
    const table = arrowTable({ s: 'utf8' }, { s }, { dictionaries: ['s'] });
    const wanted = s.flatMap((text, i) => (text !== null && /[35]$/u.test(text) ? [i] : []));
    assert.deepEqual([...expr("regexp_like(s, '[35]$')").filter(table)], wanted);
  });
});

describe('patterns are refused', () => {
  test('with what is wrong, and where', () => {
    for (const [pattern, message, at] of WRONG) {
      assert.throws(() => matches([], pattern), { code: 'ERR_PARSE', message }, pattern);
      assert.throws(() => matches([], pattern), { message: new RegExp(`, at character ${at} of `, 'u') }, pattern);
    }
  });

  test('that are too large', () => {
    for (const pattern of LARGE) {
      assert.throws(() => run('regexp_replace', [], [pattern, col('s')]), { code: 'ERR_ARGUMENT', message: /too large/u }, pattern.slice(0, 30));
    }
    const table = arrowTable({ s: 'utf8', g: 'int32' }, { s: [], g: [] });
    const groups = call('regexp_extract', col('s'), lit('(a)'.repeat(1000)), col('g'));
    assert.throws(() => expr(groups).project(table), { code: 'ERR_ARGUMENT', message: /too large for so many groups/u });
    assert.throws(() => matches([], '('.repeat(5000)), { code: 'ERR_PARSE', message: /more than 1000 groups/u });
  });

  test('that are not known', () => {
    for (const name of ['regexp_matches', 'regexp_extract']) {
      assert.throws(() => run(name, ['a'], [col('s')]), { code: 'ERR_ARGUMENT', message: /the pattern .* has to be a text/u });
    }
    const table = arrowTable({ s: 'utf8' }, { s: ['a'] });
    assert.throws(() => expr('regexp_like(s, :p)').project(table, { parameters: { p: 'a' } }), { message: /the pattern .* has to be a text|parameter/u });
  });
});

describe('regexp_extract', () => {
  test('a group, or all of the match', () => {
    const texts = ['John Doe - 124', 'MoreString Ann Lee - 7 x', 'John', '', null];
    const pattern = '(\\w+) (\\w+) - (\\d+)';
    assert.deepEqual(run('regexp_extract', texts, [pattern]), ['John', 'Ann', '', '', null]);
    assert.deepEqual(run('regexp_extract', texts, [pattern, 3n]), ['124', '7', '', '', null]);
    assert.deepEqual(run('regexp_extract', texts, [pattern, 0n]), ['John Doe - 124', 'Ann Lee - 7', '', '', null]);
  });

  test('prefers as RE2 does', () => {
    const cases = [
      ['(a+?)(a*)', 'aaa', ['a', 'aa']], ['(a|ab)(c|bcd)?', 'abcd', ['a', 'bcd']], ['(a{1,2}?)(a*)', 'aaa', ['a', 'aa']],
      ['(?U)(a+)(a*)', 'aaa', ['a', '']], ['(?:(a)|b)*', 'ab', ['a']], ['(a)|(b)', 'b', ['', 'b']], ['(|a)+', 'aaa', ['']],
      ['(a*)+', 'aab', ['aa']], ['(é|éa)(.*)', 'xéa日', ['é', 'a日']], ['(\\b)(\\w+)$', 'ab cd', ['', 'cd']],
    ];
    for (const [pattern, text, groups] of cases) {
      const got = Array.from(groups, (_, i) => run('regexp_extract', [text], [pattern, BigInt(i + 1)])[0]);
      assert.deepEqual(got, groups, String(pattern));
    }
  });

  test('group of a column', () => {
    const table = arrowTable({ s: 'utf8', g: 'int32' }, { s: ['ab', 'ab', 'ab', 'x'], g: [0, 1, 2, 1] });
    const text = "regexp_extract(s, '(a)(b)', g)";
    assert.deepEqual(valuesOf(expr(text).project(table), 'utf8'), ['ab', 'a', 'b', '']);
    const wrong = arrowTable({ s: 'utf8', g: 'int32' }, { s: ['ab', 'ab', 'x'], g: [2, 3, -1] });
    assert.throws(() => expr(text).project(wrong), { code: 'ERR_CALL', message: /no such group, the pattern has 2 groups/u });
    assert.deepEqual(valuesOf(expr(text, { cast: 'null' }).project(wrong), 'utf8'), ['b', null, null]);
  });

  test('refuses a group that there is not', () => {
    assert.throws(() => run('regexp_extract', ['a'], ['(a)', 2n]), { code: 'ERR_ARGUMENT', message: /no group 2, the pattern has 1 group/u });
    assert.throws(() => run('regexp_extract', ['a'], ['a']), { code: 'ERR_ARGUMENT', message: /no group 1, the pattern has 0 groups: 0 is all/u });
    assert.throws(() => run('regexp_extract', ['a'], ['a', -1n]), { code: 'ERR_ARGUMENT', message: /no group -1/u });
  });
});

describe('regexp_replace', () => {
  test('as RE2 has it', () => {
    /** @type {[pattern: string, by: string, text: string, result: string][]} */
    const cases = [
      ['ana', '', 'bananana', 'bn'], ['a*', 'x', 'baaac', 'xbxcx'], ['a*', '-', '日é', '-日-é-'], ['', '-', 'aé', '-a-é-'], ['', '-', '', '-'],
      ['(qu|[b-df-hj-np-tv-z]*)([a-z]+)', '\\2\\1ay', 'the quick brown fox jumps over the lazy dogs.', 'ethay ickquay ownbray oxfay umpsjay overay ethay azylay ogsday.'],
      ['\\w+', '\\0-NOSPAM', 'abcd.efghi@google.com', 'abcd-NOSPAM.efghi-NOSPAM@google-NOSPAM.com-NOSPAM'],
      ['^', '(START)', 'foo', '(START)foo'], ['^', '(START)', '', '(START)'], ['$', '(END)', '', '(END)'],
      ['b', 'bb', 'ababababab', 'abbabbabbabbabb'], ['b+', 'bb', 'bbbbbb', 'bb'], ['b*', 'bb', 'bbbbbb', 'bb'], ['b*', 'bb', 'aaaaa', 'bbabbabbabbabbabb'],
      ['a.*a', '(\\0)', 'aba\naba', '(aba)\n(aba)'], ['(a)(b)?', '[\\2|\\1]', 'abaa', '[b|a][|a][|a]'], ['b', '\\\\0', 'abc', 'a\\0c'],
      ['(?m)^', '> ', 'a\nb', '> a\n> b'], ['\\b', '|', 'ab cd', '|ab| |cd|'], ['x', 'y', 'abc', 'abc'], ['(.)(.)(.)', '\\3\\1\\3', 'abcdef', 'cacfdf'],
    ];
    for (const [pattern, by, text, result] of cases) assert.deepEqual(run('regexp_replace', [text], [pattern, by]), [result], `${pattern} by ${by}`);
  });

  test('by what a column says', () => {
    const table = arrowTable({ s: 'utf8', by: 'utf8' }, { s: ['a-b', 'c-d', 'e', null], by: ['\\2+\\1', '', '\\9', ''] });
    const text = "regexp_replace(s, '(\\w)-(\\w)', by)";
    assert.deepEqual(valuesOf(expr(text).project(table), 'utf8'), ['b+a', '', 'e', null]);
    const wrong = arrowTable({ s: 'utf8', by: 'utf8' }, { s: ['a-b', 'a-b', 'a-b', 'a-b'], by: ['\\3', '\\', 'x\\y', '\\\\'] });
    assert.throws(() => expr(text).project(wrong), { code: 'ERR_CALL', message: /the pattern has 2 groups/u });
    assert.deepEqual(valuesOf(expr(text, { cast: 'null' }).project(wrong), 'utf8'), [null, null, null, '\\']);
  });

  test('refuses replacements that ask for what there is not', () => {
    assert.throws(() => run('regexp_replace', ['a'], ['(a)', '\\2']), { code: 'ERR_ARGUMENT', message: /asks for group 2, the pattern has 1 group/u });
    for (const by of ['\\', 'a\\x']) assert.throws(() => run('regexp_replace', ['a'], ['(a)', by]), { code: 'ERR_ARGUMENT', message: /in a replacement/u });
  });

  test('takes as much memory as it needs', () => {
    const text = 'ab'.repeat(50_000);
    const [got] = run('regexp_replace', [text], ['(a)(b)', '\\2'.repeat(20)]);
    assert.equal(got, 'b'.repeat(20 * 50_000));
  });
});

describe('hostile', () => {
  test('patterns take linear time', () => {
    const text = `${'a'.repeat(200_000)}!`;
    const patterns = ['(a*)*b', '(a|aa)+$', '(a|a?)+b', '(.*)(.*)(.*)(.*)(.*)b', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y', '(a?){30}a{30}b'];
    for (const pattern of patterns) {
      assert.deepEqual(matches([text], pattern), [false], pattern);
      assert.deepEqual(run('regexp_replace', [text], [pattern, '']), [text], pattern);
    }
    assert.deepEqual(run('regexp_extract', [text], ['((a*)*)*!', 1n]), ['a'.repeat(200_000)]);
    assert.deepEqual(run('regexp_extract', [text], ['(a*?)!', 1n]), ['a'.repeat(200_000)]);
  });

  test('texts take no stack', () => {
    const text = 'ab'.repeat(1_000_000);
    assert.deepEqual(run('regexp_extract', [text], ['^((?:a|b)*)$', 1n]), [text]);
  });
});

// --- random patterns ---

/** @typedef {ReturnType<typeof randomOf>} Random */

const LETTERS = ['a', 'b', 'c', 'é', '日', '😀', '1', '_', ' ', '\\n', '-', '\\.'];
const SETS = ['.', '\\d', '\\w', '\\W', '\\D', '[ab]', '[^a]', '[a-c1]', '[é-日]', '[^é😀]', '[\\d_]', '\\p{L}', '[^\\p{L}]'];
/** Not \B: for JavaScript there is a place within the two halves of a code point. */
const ASSERTIONS = ['^', '$', '\\b'];
const TIMES = ['*', '+', '?', '{2}', '{1,2}', '{0,3}', '{2,}', '*?', '+?', '??', '{1,3}?'];

/** @type {<T>(random: () => number, list: readonly T[]) => T} */
const pick = (random, list) => list[Math.floor(random() * list.length)];

/**
 * A pattern which JavaScript and RE2 take for the same: what is repeated is never empty, and has no groups, since
 * JavaScript forgets them each time around.
 *
 * @type {(random: () => number, depth: number, groups: boolean) => { text: string, isEmpty: boolean }}
 */
function randomPattern(random, depth, groups) {
  const kind = depth === 0 ? 0 : Math.floor(random() * 7);
  if (kind <= 1) return random() < 0.3 ? { text: pick(random, SETS), isEmpty: false } : { text: pick(random, LETTERS), isEmpty: false };
  if (kind === 2) return random() < 0.3 ? { text: pick(random, ASSERTIONS), isEmpty: true } : randomPattern(random, depth - 1, groups);
  if (kind === 3) {
    const part = randomPattern(random, depth - 1, false);
    const times = pick(random, TIMES);
    return part.isEmpty ? part : { text: `(?:${part.text})${times}`, isEmpty: /^[*?]|^\{0/u.test(times) };
  }
  const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => randomPattern(random, depth - 1, groups));
  const open = groups && random() < 0.5 ? '(' : '(?:';
  const isAlternative = kind === 4;
  const text = `${open}${parts.map((part) => part.text).join(isAlternative ? '|' : '')})`;
  return { text, isEmpty: isAlternative ? parts.some((part) => part.isEmpty) : parts.every((part) => part.isEmpty) };
}

/** @type {(random: () => number) => string} */
function randomText(random) {
  const letters = ['a', 'b', 'c', 'é', '日', '😀', '1', '_', ' ', '\n', '-', '.'].filter(() => random() < 0.4);
  const length = Math.floor(random() ** 2 * 24);
  return letters.length === 0 ? '' : Array.from({ length }, () => pick(random, letters)).join('');
}

/** Replaces as RE2 does: an empty match where another ended does not count. @type {(text: string, pattern: RegExp, by: (match: RegExpExecArray) => string) => string} */
function replaced(text, pattern, by) {
  let result = '';
  let at = 0;
  let done = -1;
  while (at <= text.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) break;
    result += text.slice(at, match.index);
    at = match.index + match[0].length;
    if (match[0] !== '' || match.index !== done) {
      result += by(match);
      done = at;
    } else if (at < text.length) {
      const c = String.fromCodePoint(/** @type {number} */ (text.codePointAt(at)));
      result += c;
      at += c.length;
    } else break;
  }
  return result + text.slice(at);
}

/** How many patterns there are, and where they begin. */
const [COUNT, FIRST] = (process.env.GRAPHJIT_REGEXPS ?? '25 1').split(' ').map(Number);

test('random patterns match what they match in JavaScript', () => {
  for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
    const random = randomOf(seed);
    const pattern = Array.from({ length: 1 + Math.floor(random() * 3) }, () => randomPattern(random, 3, true).text).join('');
    const texts = Array.from({ length: 150 }, () => randomText(random));
    const own = new RegExp(pattern, 'u');
    const groups = /** @type {RegExpExecArray} */ (new RegExp(`${pattern}|`, 'u').exec('')).length - 1;
    const group = Math.floor(random() * (groups + 1));
    const where = `seed ${seed}: ${pattern}`;
    assert.deepEqual(matches(texts, pattern), texts.map((text) => own.test(text)), where);
    assert.deepEqual(run('regexp_extract', texts, [pattern, BigInt(group)]), texts.map((text) => own.exec(text)?.[group] ?? ''), `${where}, group ${group}`);
    const by = (/** @type {RegExpExecArray} */ match) => `<${match[group] ?? ''}>`;
    const all = new RegExp(pattern, 'gu');
    if (group > 9) continue;
    assert.deepEqual(run('regexp_replace', texts, [pattern, `<\\${group}>`]), texts.map((text) => replaced(text, all, by)), `${where}, replaced`);
  }
});
