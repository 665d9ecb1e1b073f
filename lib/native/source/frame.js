/**
 * Complaints about a function's source: where, why, what to write instead, and the line itself with a caret.
 *
 * Whoever finds a fault, from the parser to the last stage that knows a place, throws it from here, so that all look
 * alike. A place knows the source that it stands in (`loc.source`, which index.js puts there), so nobody has to hand
 * the text around. The frame shows the line and the one before it; of a long line, as minifiers write them, it shows a
 * window.
 */
'use strict';

const { GraphError } = require('../../base/errors.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../hir/index.js').Source} Source */
/** @typedef {import('../../index.d.ts').ErrorCode} ErrorCode */

const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/;
const TAB = '    ';
/** Columns of a line that are shown. */
const WINDOW = 100;
/** Columns kept before the caret in a line that is cut. */
const BEFORE = 40;

/**
 * What of a line is shown: tabs are spaces, since terminals and editors differ in what a tab is, and so is whatever
 * would not print; the ends are cut from a long line.
 *
 * @param {string} text
 * @param {number} column from 0
 * @returns {{ text: string, column: number }} with the column that the caret goes to
 */
function shown(text, column) {
  // eslint-disable-next-line no-control-regex
  const plain = (/** @type {string} */ part) => part.replace(/\t/g, TAB).replace(/[\u0000-\u001f\u007f\ufeff]/g, ' ');
  const line = plain(text);
  const at = plain(text.slice(0, column)).length;
  if (line.length <= WINDOW) return { text: line, column: at };
  const from = Math.max(0, Math.min(at - BEFORE, line.length - WINDOW));
  const to = Math.min(line.length, from + WINDOW);
  const head = from > 0 ? '... ' : '';
  const tail = to < line.length ? ' ...' : '';
  return { text: head + line.slice(from, to) + tail, column: head.length + at - from };
}

/**
 * @param {Source} source
 * @param {{ line: number, column: number }} position line from 1, in the text; column from 0
 * @returns {string} lines of source with their numbers, and one with a caret
 */
function codeFrame(source, { line, column }) {
  const lines = source.text.split(LINE_BREAK);
  const caret = shown(lines[line - 1] ?? '', column);
  const width = String(source.line + line - 1).length;
  const numbered = (/** @type {string} */ mark, /** @type {number} */ at, /** @type {string} */ text) =>
    `${mark} ${String(source.line + at - 1).padStart(width)} | ${text}`.trimEnd();
  const before = lines[line - 2] ?? '';
  return [
    ...(before.trim() === '' ? [] : [numbered(' ', line - 1, shown(before, 0).text)]),
    numbered('>', line, caret.text),
    `${' '.repeat(width + 2)} | ${' '.repeat(caret.column)}^`,
  ].join('\n');
}

/**
 * @param {Place} place
 * @returns {string} such as 'mean:3:10'; line and column count from 1
 */
function position({ loc }) {
  const { source, start } = loc;
  const line = start.line + (source ? source.line - 1 : 0);
  return `${source?.file ?? 'function'}:${line}:${start.column + 1}`;
}

/**
 * @param {Place} place
 * @param {string} reason what is wrong, without a full stop
 * @param {string} [advice] what to write instead
 * @returns {string} the message: place, reason and advice in one line, the code frame below it
 */
function complaint(place, reason, advice) {
  const line = `${position(place)}: ${reason}${advice ? `; ${advice}` : ''}`;
  return place.loc.source ? `${line}\n${codeFrame(place.loc.source, place.loc.start)}` : line;
}

/**
 * @param {Place} place
 * @param {string} reason what is wrong, without a full stop
 * @param {string} [advice] what to write instead
 * @param {ErrorCode} [code]
 * @returns {never}
 */
function refuse(place, reason, advice, code = 'ERR_UNSUPPORTED') {
  throw new GraphError(complaint(place, reason, advice), { code });
}

module.exports = { codeFrame, complaint, position, refuse };
