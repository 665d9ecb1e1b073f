/**
 * Functions of strings and of bytes. Positions and lengths count code points, from 1; what src/library does is said
 * there.
 */
'use strict';

const { STATUS } = require('./decimal.js');
const { overload, row } = require('./signature.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('../analyse/context.js').Typed} Typed */
/** @typedef {import('./signature.js').Build} Build */

/** A part of an operand. @type {(name: string, what?: string) => Build} `what`: why there may be none */
const part = (name, what) => (c, args) =>
  c.call(name, args, 'view', what === undefined ? { out: true } : { out: true, fault: 'value', what });
/** A new string. @type {(name: string, what?: string) => Build} */
const made = (name, what) => (c, args) =>
  c.call(name, args, 'view', what === undefined ? { arena: true } : { arena: true, fault: 'value', what });
/** @type {(name: string) => Build} */
const truth = (name) => (c, args) => c.call(name, args, 'bool');
/** @type {(name: string) => Build} */
const int = (name) => (c, args) => c.dag.convert(c.call(name, args, 'i64'), 'i32');

/** @type {(names: string, doc: string, params: string, build: Build, result?: string) => import('./signature.js').FunctionRow} */
const one = (names, doc, params, build, result = 'utf8') => row('string', names, doc, [overload(`${params} → ${result}`, build)]);

/** Bytes of a string, times a number. @type {(times: bigint) => Build} */
const bytes = (times) => (c, [a]) => {
  const { dag } = c;
  return dag.convert(dag.op('mul', [dag.length(a), dag.constant(times, 'i64')]), 'i32');
};

// --- like ---

const LIKE_SPECIAL = /[%_]/u;

/**
 * A pattern that is a plain string between `%`s, and the function for it. @type {(pattern: string, escape: string) => { name: string, text: string } | null}
 */
function plainPattern(pattern, escape) {
  if (escape !== '' && pattern.includes(escape)) return null;
  const open = pattern.startsWith('%');
  const text = pattern.slice(open ? 1 : 0);
  const ends = text.endsWith('%');
  const inner = ends ? text.slice(0, -1) : text;
  if (LIKE_SPECIAL.test(inner)) return null;
  if (open && ends) return { name: 'contains', text: inner };
  if (open) return { name: 'ends_with', text: inner };
  return { name: ends ? 'starts_with' : 'utf8_equal', text: inner };
}

/** @type {(name: 'like' | 'ilike') => Build} */
const like = (name) => (c, args, info) => {
  const { dag } = c;
  const [text, pattern, escape] = args;
  const [, known, character] = /** @type {any} */ (info).literals;
  const isKnown = typeof known === 'string' && (escape === undefined || (isCharacter(character) && isEscapedRightly(known, character)));
  const plain = name === 'like' && isKnown ? plainPattern(known, character ?? '') : null;
  if (plain !== null) return c.call(plain.name, [text, dag.text(new TextEncoder().encode(plain.text))], 'bool');
  return c.call(name, [text, pattern, escape === undefined ? dag.constant(-1n, 'i64') : escapeOf(c, args, known, character)], 'bool');
};

/** @type {Build} */
const repeat = (c, args) => {
  const { dag } = c;
  const call = c.failing('repeat', args, 'view', true);
  c.fault(dag.failed(call, STATUS.invalid), 'value', 'a text is repeated 0 times or more');
  c.fault(dag.failed(call, STATUS.overflow), 'overflow', 'a text of more than 2 GiB');
  return call;
};

/** The code point of an escape, having checked what the pattern does with it. @type {(c: Context, nodes: Node[], pattern: unknown, escape: unknown) => Node} */
function escapeOf(c, [, pattern, escape], knownPattern, known) {
  const { dag } = c;
  const isOne = isCharacter(known);
  const code = isOne
    ? dag.constant(BigInt(known.codePointAt(0) ?? -1), 'i64')
    : c.call('like_escape', [escape], 'i64', { out: true, fault: 'value', what: 'an escape is one character' });
  if (isOne && typeof knownPattern === 'string' && isEscapedRightly(knownPattern, known)) return code;
  c.fault(dag.not(c.call('like_valid', [pattern, code], 'bool')), 'value', 'in a pattern an escape stands before %, _ or itself');
  return code;
}

/** @type {(literal: unknown) => literal is string} one character, or none */
const isCharacter = (literal) => typeof literal === 'string' && [...literal].length <= 1;

/** @type {(pattern: string, escape: string) => boolean} */
function isEscapedRightly(pattern, escape) {
  const characters = [...pattern];
  for (let i = 0; i < characters.length; i++) {
    if (characters[i] === escape && !['%', '_', escape].includes(characters[++i])) return false;
  }
  return true;
}

/** A new string, or null where there is none. @type {(name: string) => Build} */
const madeOrNull = (name) => (c, [{ value, valid }], { result }) => {
  const { dag } = c;
  const call = dag.call(name, [value], 'view', { out: true, fails: true, arena: true }, c.all([c.guard, valid]));
  return { type: result, value: call, valid: c.all([valid, dag.not(dag.failed(call))]) };
};

// --- of any number of strings ---

/** Nulls are as empty. @type {Build} */
const concat = (c, args, { result }) => {
  const { dag } = c;
  const nothing = dag.text(new Uint8Array(0));
  const texts = args.map(({ value, valid }) => ({
    value: valid === null ? value : dag.select(valid, value, nothing), valid: null,
  }));
  return { type: result, value: joined(c, texts), valid: null };
};

/** @type {(c: Context, texts: { value: Node, valid: null }[]) => Node} */
function joined(c, texts) {
  if (texts.length === 1) return texts[0].value;
  if (texts.length === 2) return c.call('concat2', texts.map(({ value }) => value), 'view', { arena: true });
  return c.call('concat', [c.dag.views(texts), c.dag.constant(BigInt(texts.length), 'i64')], 'view', { arena: true });
}

/** Nulls are left out; null if the separator is. @type {Build} */
const concatWithSeparator = (c, [separator, ...texts], { result }) => {
  const views = c.dag.views(texts);
  const value = c.call('concat_ws', [separator.value, views, c.dag.constant(BigInt(texts.length), 'i64')], 'view', { arena: true });
  return { type: result, value, valid: separator.valid };
};

/** @type {Build} */
const elt = (c, [index, ...texts], { result }) => {
  const { dag } = c;
  const count = dag.constant(BigInt(texts.length), 'i64');
  const call = dag.call('elt', [index.value, dag.views(texts), count], 'view', { out: true, fails: true, arena: false }, c.guard);
  return { type: result, value: call, valid: c.all([index.valid, dag.not(dag.failed(call))]) };
};

const TEXTS = '(utf8, utf8) → utf8';

module.exports = {
  rows: [
    one('octet_length', 'bytes', '(text)', bytes(1n), 'int32'),
    one('bit_length', 'bits', '(text)', bytes(8n), 'int32'),
    one('length char_length character_length len', 'code points', '(utf8)', int('utf8_length'), 'int32'),
    row('string', 'lengthUtf8', 'code points, also of bytes that are a text', [
      overload('(utf8) → int32', int('utf8_length')),
      overload('(binary) → int32', (c, args) => {
        const text = c.call('convert_from_utf8', args, 'view', { out: true, fault: 'value', what: 'bytes are not UTF-8' });
        return int('utf8_length')(c, [text], /** @type {any} */ ({}));
      }),
    ]),
    row('string', 'like', "whether a text matches a pattern: '%' is any text, '_' any code point", [
      overload('(utf8, utf8) → bool', like('like')),
      overload('(utf8, utf8, utf8) → bool', like('like')),
    ]),
    row('string', 'ilike', 'like, whatever the case of letters', [
      overload('(utf8, utf8) → bool', like('ilike')),
      overload('(utf8, utf8, utf8) → bool', like('ilike')),
    ]),
    one('starts_with startswith', 'whether the first begins with the second', '(text, text)', truth('starts_with'), 'bool'),
    one('ends_with endswith', 'whether the first ends with the second', '(text, text)', truth('ends_with'), 'bool'),
    one('is_substr contains', 'whether the second is in the first', '(text, text)', truth('contains'), 'bool'),
    one('strpos', 'where the second is in the first; 0 if nowhere', '(utf8, utf8)', int('strpos'), 'int32'),
    one('instr', 'where the second is in the first; 0 if nowhere', '(utf8, utf8)', int('instr'), 'int32'),
    row('string', 'locate position', 'where the first is in the second, from a place on; 0 if nowhere', [
      overload('(utf8, utf8) → int32', (c, [a, b]) => int('strpos')(c, [b, a], /** @type {any} */ ({}))),
      overload('(utf8, utf8, int64) → int32', (c, args) =>
        c.dag.convert(c.call('locate', args, 'i64', { out: true, fault: 'value', what: 'a place counts from 1' }), 'i32'),
      ),
    ]),
    one('find_in_set', 'which of the texts between commas the first is; 0 if none', '(utf8, utf8)', int('find_in_set'), 'int32'),
    one('ascii', 'the first byte, as a signed one: -48 of Ж; 0 of an empty text', '(utf8)', int('ascii'), 'int32'),
    row('string', 'substr substring', 'code points from a place on, from the end if it is negative', [
      overload('(utf8, int64) → utf8', part('substr_from')),
      overload('(utf8, int64, int64) → utf8', part('substr')),
    ]),
    one('byte_substr bytesubstring', 'bytes from a place on', '(binary, int64, int64)', part('byte_substr'), 'binary'),
    one('left', 'the first code points; all but so many last ones if the number is negative', '(utf8, int64)', part('left')),
    one('right', 'the last code points; all but so many first ones if the number is negative', '(utf8, int64)', part('right')),
    ...['ltrim', 'rtrim', 'btrim'].map((name) =>
      row('string', name === 'btrim' ? 'btrim trim' : name, `without spaces, or some characters, ${{ ltrim: 'in front', rtrim: 'at the end', btrim: 'on both sides' }[name]}`, [
        overload('(utf8) → utf8', part(name)),
        overload(TEXTS, part(`${name}_chars`)),
      ]),
    ),
    one('split_part', 'a part between delimiters, counted from 1', '(utf8, utf8, int64)', part('split_part', 'a part counts from 1')),
    one('substring_index', 'what is before a delimiter, counted from either end', '(utf8, utf8, int64)', part('substring_index')),
    row('string', 'concat', 'all texts; a null is an empty one', [overload('(utf8...) → utf8', concat)], 'own'),
    row('string', 'concat_ws', 'all texts but nulls, with the first between them', [overload('(utf8, utf8...) → utf8', concatWithSeparator)], 'own'),
    one('concatOperator', 'all texts', '(utf8...)', (c, texts) => joined(c, texts.map((value) => ({ value, valid: null })))),
    row('string', 'elt', 'one of several, by number; null if there is none', [overload('(int64, utf8...) → utf8', elt)], 'own'),
    one('repeat', 'so many times', '(utf8, int64)', repeat),
    one('space', 'so many spaces, 65,536 at most', '(int64)', made('space')),
    ...['lpad', 'rpad'].map((name) =>
      row('string', name, `of so many code points, 65,536 at most: filled ${name === 'lpad' ? 'in front' : 'at the end'} or cut at the end; an empty text stays so`, [
        overload('(utf8, int64) → utf8', (c, args) => made(name)(c, [...args, c.dag.text(Uint8Array.of(32))], /** @type {any} */ ({}))),
        overload('(utf8, int64, utf8) → utf8', made(name)),
      ]),
    ),
    one('reverse', 'code points from last to first', '(utf8)', made('reverse')),
    one('replace', 'the third wherever the second is', '(utf8, utf8, utf8)', made('replace')),
    one('overlay', 'the second in place of so many code points from a place on', '(utf8, utf8, int64, int64)', made('overlay', 'a place counts from 1')),
    one('quote', 'between quotes, with those within escaped', '(utf8)', made('quote')),
    one('chr', 'the character of a code point', '(int64)', made('chr', 'there is no such code point')),
    one('translate', 'characters of the second become those of the third, in the order in which the text has them; those for which none is left are dropped', '(utf8, utf8, utf8)', made('translate')),
    one('upper ucase', 'capital letters', '(utf8)', made('utf8_upper')),
    one('lower lcase', 'small letters', '(utf8)', made('utf8_lower')),
    one('initcap', 'a capital letter at the beginning of each word', '(utf8)', made('initcap')),
    ...['mask_first_n', 'mask_last_n', 'mask_show_first_n', 'mask_show_last_n'].map((name) =>
      one(name, 'letters as X and x, digits as n, in some places', '(utf8, int64)', made(name)),
    ),
    row('string', 'mask', 'letters as X and x, digits as n, or as given', [1, 2, 3, 4].map((count) =>
      overload(`(${Array.from({ length: count }, () => 'utf8').join(', ')}) → utf8`, (c, args) =>
        made('mask')(
          c, [...args, ...['X', 'x', 'n'].slice(count - 1).map((each) => c.dag.text(new TextEncoder().encode(each)))], /** @type {any} */ ({}),
        ),
      ),
    )),
    row('string', 'soundex', "how it sounds, by Russell's code; null without a letter", [overload('(utf8) → utf8', madeOrNull('soundex'))], 'own'),
    one('levenshtein', 'edits from one to the other', '(utf8, utf8)', (c, args) =>
      c.dag.convert(c.call('levenshtein', args, 'i64', { out: true, arena: true }), 'i32'), 'int32'),
    row('string', 'to_hex hex', 'hexadecimal digits of bytes or of a number', [
      overload('(binary) → utf8', made('to_hex')),
      overload('(utf8) → utf8', made('to_hex')),
      overload('(int32) → utf8', made('to_hex_int32')),
      overload('(int64) → utf8', made('to_hex_int64')),
    ]),
    row('string', 'from_hex unhex', 'the bytes of hexadecimal digits; null if it is something else', [
      overload('(utf8) → binary', madeOrNull('from_hex')),
    ], 'own'),
    one('binary_string', 'bytes of a text in which \\xNN is one', '(utf8)', made('binary_string'), 'binary'),
    one('base64', 'bytes in base 64', '(binary)', made('base64')),
    one('unbase64', 'the bytes of a text in base 64', '(utf8)', made('unbase64', 'not in base 64'), 'binary'),
    one('convert_fromUTF8 convert_from_utf8', 'bytes as text', '(binary)', part('convert_from_utf8', 'bytes are not UTF-8')),
    one('convert_replaceUTF8 convert_replace_utf8', 'bytes as text, with another character for those that are none', '(binary, utf8)', made('convert_replace_utf8', 'one character is wanted')),
    one('convert_toUTF8', 'a text as bytes', '(utf8)', (_, [a]) => a, 'binary'),
  ],
};
