/** Messages about a place in the text of an expression. */
'use strict';

/** A message with the place it is about. @type {(text: string, start: number, end: number, message: string) => string} */
function located(text, start, end, message) {
  if (start < 0 || text === '') return message;
  const begin = text.lastIndexOf('\n', start - 1) + 1;
  const stop = text.indexOf('\n', start);
  const line = text.slice(begin, stop < 0 ? undefined : stop);
  const size = Math.max(1, Math.min(end, begin + line.length) - start);
  return `${message}\n  ${line}\n  ${' '.repeat(start - begin)}${'^'.repeat(size)}`;
}

/** The same of a node, which may stand in another text than that of the expression. @type {(text: string, place: import('../language/ast.js').Span, message: string) => string} */
function locatedAt(text, { start, end, source }, message) {
  if (source === undefined) return located(text, start, end, message);
  return located(source.text, start, end, told(source, message));
}

/** What goes wrong in a function says so. @type {(source: import('../language/ast.js').Source | undefined, message: string) => string} */
const told = (source, message) => (source?.name === undefined ? message : `function '${source.name}': ${message}`);

module.exports = { located, locatedAt, told };
