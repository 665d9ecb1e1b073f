/**
 * strftime and strptime: patterns of C, '%Y-%m-%d', as the words that library functions go by, 'yyyy-mm-dd'.
 *
 * A pattern has to be a literal. What C has besides (weeks from Sunday, names of zones, locales) is refused.
 */
'use strict';

const { clockOf, instantOf } = require('./dates-units.js');
const { overload, row } = require('./signature.js');

/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('./signature.js').Build} Build */
/** @typedef {import('./signature.js').CallInfo} CallInfo */

/** @type {Readonly<Record<string, string>>} */
const WORDS = Object.freeze({
  Y: 'yyyy', y: 'yy', m: 'mm', d: 'dd', j: 'ddd', H: 'hh24', I: 'hh12', M: 'mi', S: 'ss', f: 'ffffff', p: 'AM', b: 'Mon',
  B: 'Month', a: 'Dy', A: 'Day', V: 'iw', z: 'tzo', F: 'yyyy-mm-dd', T: 'hh24:mi:ss', R: 'hh24:mi', D: 'mm/dd/yy',
});

/** A directive, text that would be read as words, or another character. */
const PART = /%(.?)|([a-z0-9]+)|([^%])/giu;

/** @type {(c: Context, info: CallInfo) => string} */
function wordsOf(c, { literals: [, pattern], places: [, place] }) {
  if (typeof pattern !== 'string') return c.refuse("the pattern has to be a literal such as '%Y-%m-%d'");
  // An empty text between words keeps them apart: %d%d is no ddd.
  return pattern.replace(PART, (part, directive, text) => {
    if (part === '"') return c.refuse('a pattern has no double quotes', 'ERR_PARSE', place);
    if (text !== undefined) return `"${text}"`;
    if (directive === undefined || directive === '%') return part.slice(-1);
    const known = Object.keys(WORDS).map((each) => `%${each}`).join(' ');
    return `""${WORDS[directive] ?? c.refuse(`a pattern knows no '${part}', but ${known} %%`, 'ERR_PARSE', place)}""`;
  });
}

/** @type {(c: Context, info: CallInfo) => import('../kernel/dag.js').Node} */
const patternOf = (c, info) => c.dag.text(new TextEncoder().encode(wordsOf(c, info)));

/** @type {Build} */
const write = (c, [value], info) => {
  const [type] = info.args;
  const parts = type.kind === 'time' ? [c.dag.convert(value, 'i64'), ...clockOf(c, type)] : instantOf(c, value, type);
  return c.call('format_pattern', [...parts, patternOf(c, info)], 'view', {
    arena: true, fault: 'value', what: 'the value cannot be written so',
  });
};

/** @type {Build} */
const read = (c, [text], info) => {
  const args = [text, patternOf(c, info), c.dag.constant(0n, 'i64'), ...clockOf(c, info.result)];
  return c.call('parse_pattern', args, 'i64', { fault: 'cast', what: 'the text is no timestamp of this pattern' });
};

module.exports = {
  rows: [
    row('datetime', 'strftime', "a text by a pattern of C: strftime(t, '%Y-%m-%d')", [
      overload('(moment, utf8) → utf8', write),
      overload('(time, utf8) → utf8', write),
    ]),
    row('datetime', 'strptime', 'the timestamp[us] that a text is by a pattern of C', [
      overload('(utf8, utf8) → timestamp[us]', read),
    ]),
  ],
};
