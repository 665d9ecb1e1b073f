/**
 * Numbers as CSV: RFC 4180, one row a line, all rows of one length. A first row that is no row of
 * numbers is a heading. Tabs separate in `.tsv`.
 */
'use strict';

const { elementOf, isElement, textOfElement } = require('./elements.js');
const { stop } = require('./errors.js');

/** @typedef {import('../tensor/dtypes.js').DTypeInfo} DTypeInfo */
/** @typedef {{ text: string, line: number, column: number }} Cell */

/**
 * Calls `onRow` for each row that is not empty.
 *
 * @param {string} text
 * @param {string} separator
 * @param {(row: Cell[]) => void} onRow
 * @param {(message: string, at: { line: number, column: number }) => never} fail
 */
function readRows(text, separator, onRow, fail) {
  let at = 0;
  let line = 1;
  let start = 0; // of the line
  /** @type {Cell[]} */
  let row = [];
  const quotedCell = () => {
    const from = { line, column: at - start + 1 };
    let content = '';
    for (at++; ; at++) {
      if (at >= text.length) return fail('a quote is never closed', from);
      if (text[at] === '"') {
        if (text[at + 1] !== '"') break;
        at++;
      }
      if (text[at] === '\n') {
        line++;
        start = at + 1;
      }
      content += text[at];
    }
    at++;
    return { text: content, ...from };
  };
  const isEnd = () =>
    at >= text.length || text[at] === '\n' || (text[at] === '\r' && (at + 1 === text.length || text[at + 1] === '\n'));
  const plainCell = () => {
    const from = at;
    while (text[at] !== separator && !isEnd()) at++;
    return { text: text.slice(from, at), line, column: from - start + 1 };
  };
  while (at < text.length) {
    row.push(text[at] === '"' ? quotedCell() : plainCell());
    if (text[at] === separator) {
      at++;
      if (!isEnd()) continue;
      row.push({ text: '', line, column: at - start + 1 });
    } else if (!isEnd()) {
      fail('expected the end of the cell behind its closing quote', { line, column: at - start + 1 });
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    if (row.length > 1 || row[0].text !== '') onRow(row);
    row = [];
    line++;
    start = at;
  }
}

/**
 * @param {string} text
 * @param {DTypeInfo} info
 * @param {string} file for messages
 * @param {string} [separator]
 * @returns {{ rows: number, columns: number, elements: (number | bigint)[] }}
 */
function parseCsv(text, info, file, separator = ',') {
  /** @type {(message: string, at: { line: number, column: number }) => never} */
  const fail = (message, { line, column }) =>
    stop(message, {
      code: 'ERR_PARSE',
      place: { file, line, column, text: text.split('\n')[line - 1]?.replace(/\r$/, '') },
    });
  /** @type {(number | bigint)[]} */
  const elements = [];
  let rows = 0;
  let columns = -1;
  let seen = 0;
  readRows(
    text,
    separator,
    (row) => {
      seen++;
      if (seen === 1 && !row.every((cell) => isElement(cell.text.trim()))) {
        if (row.some((cell) => isElement(cell.text.trim()))) {
          const odd = /** @type {Cell} */ (row.find((cell) => !isElement(cell.text.trim())));
          elementOf(odd.text.trim(), info, (message) => fail(message, odd));
        }
        columns = row.length;
        return;
      }
      if (columns >= 0 && row.length !== columns)
        fail(`expected ${columns} cells as in the rows before, got ${row.length}`, row[0]);
      columns = row.length;
      for (const cell of row) elements.push(elementOf(cell.text.trim(), info, (message) => fail(message, cell)));
      rows++;
    },
    fail,
  );
  return { rows, columns: Math.max(columns, 0), elements };
}

/**
 * @param {{ data: ArrayLike<number | bigint>, dtype: string, shape: readonly number[] }} array of at most two axes
 * @param {string} [separator]
 * @returns {string}
 */
function formatCsv({ data, dtype, shape }, separator = ',') {
  const columns = shape.length === 2 ? shape[1] : 1;
  const rows = shape.length === 0 ? 1 : shape[0];
  const lines = Array.from({ length: rows }, (_, r) =>
    Array.from({ length: columns }, (__, c) => textOfElement(data[r * columns + c], dtype)).join(separator),
  );
  return lines.map((line) => `${line}\n`).join('');
}

module.exports = { formatCsv, parseCsv };
