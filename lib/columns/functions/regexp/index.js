/**
 * Functions of regular expressions in RE2's syntax. Patterns are known when an expression is compiled: they are part of
 * its text.
 */
'use strict';

const { STATUS } = require('../decimal.js');
const { overload, row } = require('../signature.js');
const { compile } = require('./compile.js');
const { PatternError } = require('./parse.js');
const { TooLarge } = require('./program.js');

/** @typedef {import('../../kernel/dag.js').Node} Node */
/** @typedef {import('../../analyse/context.js').Context} Context */
/** @typedef {import('../signature.js').Build} Build */
/** @typedef {import('../signature.js').CallInfo} CallInfo */

/** @type {(text: string) => Uint8Array} */
const utf8 = (text) => new TextEncoder().encode(text);

/** A text that has to be known; a null is as empty, since the result is null anyway. @type {(c: Context, info: CallInfo, index: number, what: string) => string} */
function known(c, { literals }, index, what) {
  const literal = literals[index];
  if (literal === null) return '';
  if (typeof literal === 'string') return literal;
  return c.refuse(`${what} of a regular expression has to be a text in the expression: it cannot be a column, a parameter or computed`);
}

/** Does something with a pattern, which it may be unfit for. @template T @param {Context} c @param {string} pattern @param {() => T} build */
function building(c, pattern, build) {
  try {
    return build();
  } catch (error) {
    if (error instanceof TooLarge) return c.refuse(error.message);
    if (!(error instanceof PatternError)) throw error;
    return c.refuse(`the regular expression is not valid: ${error.message}, at character ${error.at + 1} of '${pattern}'`, 'ERR_PARSE');
  }
}

/** @type {(c: Context, text: string) => import('./parse.js').Flags} */
function flagsOf(c, text) {
  const wrong = [...text].find((flag) => !'cims'.includes(flag));
  if (wrong !== undefined) c.refuse(`there is no flag '${wrong}' of regular expressions, there are c, i, m and s`);
  return { i: text.lastIndexOf('i') > text.lastIndexOf('c'), m: text.includes('m'), s: text.includes('s'), U: false };
}

/** @type {Build} */
const matches = (c, [text], info) => {
  const { dag } = c;
  const pattern = known(c, info, 1, 'the pattern');
  const flags = flagsOf(c, info.args.length > 2 ? known(c, info, 2, 'the flags') : '');
  return building(c, pattern, () => {
    const { plain, whether } = compile(pattern, flags);
    if (plain !== null) return c.call(plain.name, [text, dag.text(utf8(plain.text))], 'bool');
    const { bytes, hasTable } = whether();
    if (hasTable) return c.call('regexp_matches', [text, dag.table(bytes)], 'bool');
    const found = c.call('regexp_search', [text, dag.table(bytes)], 'i64', { out: true, arena: true });
    return dag.compare('ne', found, dag.constant(0n, 'i64'));
  });
};

/** @type {(count: number) => string} */
const groupsText = (count) => (count === 1 ? 'the pattern has 1 group' : `the pattern has ${count} groups`);

/** Numbers from 1 on. @type {(count: number) => number[]} */
const counted = (count) => Array.from({ length: count }, (_, i) => i + 1);

/** @type {Build} */
const extract = (c, [text, , group], info) => {
  const { dag } = c;
  const pattern = known(c, info, 1, 'the pattern');
  const literal = info.args.length > 2 ? info.literals[2] : 1n;
  return building(c, pattern, () => {
    const { groups, places } = compile(pattern);
    if (typeof literal !== 'bigint' && typeof literal !== 'number') {
      const call = c.failing('regexp_extract', [text, dag.table(places(counted(groups))), group], 'view', true);
      c.fault(dag.failed(call, STATUS.invalid), 'value', `there is no such group, ${groupsText(groups)}`);
      return call;
    }
    const number = Number(literal);
    if (number < 0 || number > groups) c.refuse(`there is no group ${number}, ${groupsText(groups)}${number === 1 ? ': 0 is all of the match' : ''}`);
    // Only what is asked for is kept.
    const asked = number === 0 ? [] : [number];
    return c.call('regexp_extract', [text, dag.table(places(asked)), dag.constant(BigInt(asked.length), 'i64')], 'view', { arena: true });
  });
};

/** A replacement in which groups have the numbers that they are kept under; null where it is wrong. @type {(text: string) => { asked: number[], text: string } | null} */
function replacementOf(text) {
  if (!/^(?:[^\\]|\\[\d\\])*$/u.test(text)) return null;
  const asked = [...new Set(Array.from(text.matchAll(/\\([\d\\])/gu), ([, c]) => c))].filter((c) => c !== '\\' && c !== '0').map(Number);
  return { asked, text: text.replace(/\\([1-9\\])/gu, (all, c) => (c === '\\' ? all : `\\${asked.indexOf(Number(c)) + 1}`)) };
}

/** @type {Build} */
const replace = (c, [text, , by], info) => {
  const { dag } = c;
  const pattern = known(c, info, 1, 'the pattern');
  const literal = info.literals[2];
  const rule = 'in a replacement \\0 to \\9 are groups and \\\\ is \\';
  return building(c, pattern, () => {
    const { groups, places } = compile(pattern);
    if (typeof literal !== 'string') {
      const call = c.failing('regexp_replace', [text, dag.table(places(counted(Math.min(groups, 9)))), by], 'view', true);
      c.fault(dag.failed(call, STATUS.invalid), 'value', `${rule}, and ${groupsText(groups)}`);
      c.fault(dag.failed(call, STATUS.overflow), 'overflow', 'a text of more than 2 GiB');
      return call;
    }
    const replacement = replacementOf(literal);
    if (replacement === null) return c.refuse(rule);
    const wrong = replacement.asked.find((number) => number > groups);
    if (wrong !== undefined) c.refuse(`the replacement asks for group ${wrong}, ${groupsText(groups)}`);
    return c.call('regexp_replace', [text, dag.table(places(replacement.asked)), dag.text(utf8(replacement.text))], 'view', { arena: true });
  });
};

module.exports = {
  rows: [
    row('string', 'regexp_matches regexp_like', 'whether a part of a text matches a regular expression; flags are i (case), m (lines), s (. is all)', [
      overload('(utf8, utf8) → bool', matches),
      overload('(utf8, utf8, utf8) → bool', matches),
    ]),
    row('string', 'regexp_replace', 'with all that matches a regular expression replaced; \\1 is the first group', [
      overload('(utf8, utf8, utf8) → utf8', replace),
    ]),
    row('string', 'regexp_extract', 'a group of the first match of a regular expression, the first unless told, 0 being all of it; empty if nothing matches', [
      overload('(utf8, utf8) → utf8', extract),
      overload('(utf8, utf8, int64) → utf8', extract),
    ]),
  ],
};
