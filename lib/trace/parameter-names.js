/**
 * The names of a function's parameters, read from its source text.
 *
 * They make graphs readable (`param "weights"` instead of `param "arg1"`) and let options name arguments. The
 * language has no other way to ask. This reads just enough: strings, comments and brackets are skipped
 * correctly, and a parameter that is no plain name (a pattern, a rest parameter) has none. What is not
 * understood, such as a bound or native function, has no names at all; nothing but names depends on it.
 */
'use strict';

const OPEN = '([{';
const CLOSE = ')]}';

/** What is passed over as a whole: comments, strings, and templates without anything to compute. */
const SKIPPED = /\/\*[^]*?\*\/|\/\/[^\n\r\u2028\u2029]*|'(?:\\[^]|[^'\\])*'|"(?:\\[^]|[^"\\])*"|`(?:\\[^]|[^`\\])*`/y;

/**
 * Where the comment or string that begins here ends; `at` when none does.
 *
 * @type {(text: string, at: number) => number}
 */
function skip(text, at) {
  SKIPPED.lastIndex = at;
  return SKIPPED.test(text) ? SKIPPED.lastIndex : at;
}

/** @type {(text: string) => string} the same without comments */
const bare = (text) => text.replace(/\/\*[^]*?\*\/|\/\/[^\n\r\u2028\u2029]*/g, ' ').trim();

/** @type {(text: string) => string[] | undefined} the parameters, each as it is written */
function parameterTexts(text) {
  let depth = 0;
  let start = -1;
  /** @type {string[]} */
  const found = [];
  for (let at = 0; at < text.length; at++) {
    const after = skip(text, at);
    if (after > at) {
      at = after - 1;
      continue;
    }
    const character = text[at];
    if (start < 0 && text.startsWith('=>', at)) return [text.slice(0, at).replace(/^\s*async\s/, '')]; // x => …
    if (OPEN.includes(character)) {
      if (depth++ === 0 && start < 0 && character === '(') start = at + 1;
    } else if (CLOSE.includes(character)) {
      if (--depth > 0) continue;
      if (start < 0) continue; // a computed name of a method
      const last = text.slice(start, at);
      return bare(last) === '' ? found : [...found, last];
    } else if (character === ',' && depth === 1 && start >= 0) {
      found.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return undefined;
}

/**
 * @param {Function} fn
 * @returns {(string | undefined)[]} one entry per parameter that the source shows; empty when it shows none
 */
function parameterNames(fn) {
  const texts = parameterTexts(Function.prototype.toString.call(fn)) ?? [];
  return texts.map((text) => /^([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*(?:=[^>]|$)/u.exec(bare(text))?.[1]);
}

module.exports = { parameterNames };
