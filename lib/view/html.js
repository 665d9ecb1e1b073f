/**
 * Markup that is escaped by construction: html`<b>${name}</b>` is a piece of markup in which every value
 * is text, unless it is a piece itself, or a list of them.
 *
 * Names come from whoever wrote the graph, so nothing here trusts a string: only what a template says
 * literally, or `trusted` was given, is markup.
 */
'use strict';

/** A piece of markup. */
class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

// Control characters that HTML forbids, halves of surrogate pairs, and what turns the direction of text
// around: a name shall not rearrange the text beside it.
const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]|\p{Surrogate}/gu;

/** @type {(text: string) => string} */
const printable = (text) => text.replace(UNPRINTABLE, '\uFFFD');

/** @type {(text: string) => string} */
const escaped = (text) => printable(text.replace(/[&<>"']/g, (character) => ENTITIES[character]));

/** @type {(value: unknown) => string} */
function markupOf(value) {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(markupOf).join('');
  if (value === undefined || value === null || value === false) return '';
  return escaped(String(value));
}

/**
 * @param {TemplateStringsArray} strings
 * @param {...unknown} values text, pieces, lists of them; undefined, null and false are nothing
 */
const html = (strings, ...values) =>
  new Markup(strings.reduce((text, literal, i) => text + markupOf(values[i - 1]) + literal));

/** Text that is markup already, and is known to be ours. @type {(text: string) => Markup} */
const trusted = (text) => new Markup(text);

/**
 * A value as JSON that may stand in a script element: printable texts, and no `<`.
 *
 * @type {(value: unknown) => Markup}
 */
function json(value) {
  const text = JSON.stringify(value, (_, member) => (typeof member === 'string' ? printable(member) : member));
  return new Markup(
    text.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

module.exports = { Markup, escaped, html, json, trusted };
