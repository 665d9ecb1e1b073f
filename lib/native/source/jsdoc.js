/**
 * Types of parameters from JSDoc comments.
 *
 * Such comments are written for people: what is not understood, such as `{Function}` or a union, says nothing, and the
 * first call decides. Nothing here is an error.
 */
'use strict';

const { CLASSES, Reader, SCALARS, TypeFault, plainName } = require('./signature.js');

/** @typedef {import('./types.js').ValueType} ValueType */
/** @typedef {import('./signature.js').Place} Place */
/** @typedef {import('./index.js').Ast} Ast */

/** How people write what SCALARS knows by another name. */
const SYNONYMS = new Map(
  Object.entries({
    Number: 'number', Boolean: 'boolean', BigInt: 'bigint', integer: 'number', int: 'number', float: 'number',
    double: 'number',
  }),
);

/** @type {(name: string, reader: Reader) => ValueType | null} */
function docName(name, reader) {
  if (name === 'Array' || name === 'ArrayLike' || name === 'ReadonlyArray') {
    if (!reader.takes('.<') && !reader.takes('<')) return null;
    const element = reader.type();
    reader.expects('>');
    const isNumbers = element?.kind === 'number' && element.dtype === 'f64';
    return name !== 'ArrayLike' && isNumbers ? { kind: 'list' } : null;
  }
  if (name === 'readonly') return reader.type();
  if (name === 'Tensor') return null;
  const known = SYNONYMS.get(name) ?? name;
  if (known === 'undefined' || known === 'void' || known === 'null') return null;
  if (SCALARS.has(known) || Object.hasOwn(CLASSES, known)) return plainName(known, reader) ?? null;
  return null;
}

/** @type {(text: string) => Place} */
function readDocType(text) {
  const unknown = { type: null, isOptional: false };
  const members = text.split('|').map((each) => each.trim());
  const present = members.filter((each) => each !== 'undefined');
  if (present.length > 1 && !text.includes('{') && !text.includes('<')) return unknown;
  const isUnion = !text.includes('{') && !text.includes('<') && present.length < members.length;
  const reader = new Reader(isUnion ? present[0] : text, docName);
  try {
    const place = reader.place();
    reader.end();
    return { type: place.type, isOptional: place.isOptional || isUnion };
  } catch (error) {
    if (error instanceof TypeFault) return unknown;
    throw error;
  }
}

/**
 * What stands in braces at the start of a text, and what follows.
 *
 * @type {(text: string) => { type: string, rest: string } | null}
 */
function takeBraces(text) {
  if (!text.startsWith('{')) return null;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0)
      return { type: text.slice(1, at), rest: text.slice(at + 1).trimStart() };
  }
  return null;
}

/**
 * The types that the `@param` tags of a comment give, by name; of `p.x`, too.
 *
 * @param {string} comment
 * @returns {Map<string, Place>}
 */
function readComment(comment) {
  /** @type {Map<string, Place>} */
  const found = new Map();
  const text = comment.replace(/^\/\*\*?|\*\/$/g, '').replace(/^[ \t]*\* ?/gm, '');
  for (const tag of text.split(/(?:^|\s)@(?=\w)/u)) {
    if (!/^(?:param|arg|argument)\s/u.test(tag)) continue;
    const parts = takeBraces(tag.replace(/^\w+\s+/u, ''));
    const named = parts && /^(\[?)\s*([\p{ID_Start}$_][\p{ID_Continue}$.]*)/u.exec(parts.rest);
    if (!parts || !named) continue;
    const { type, isOptional } = readDocType(parts.type.trim());
    found.set(named[2], { type, isOptional: isOptional || named[1] !== '' });
  }
  return found;
}

/**
 * Gives a parameter the fields that tags such as `@param {number} p.x` name.
 *
 * @type {(name: string, place: Place, tags: Map<string, Place>) => Place}
 */
function withFields(name, place, tags) {
  if (place.type !== null) return place;
  /** @type {Record<string, ValueType>} */
  const fields = {};
  for (const [key, { type }] of tags) {
    if (!key.startsWith(`${name}.`)) continue;
    const field = key.slice(name.length + 1);
    if (type === null || field.includes('.')) return place;
    fields[field] = type;
  }
  return Object.keys(fields).length === 0 ? place : { type: { kind: 'object', fields }, isOptional: place.isOptional };
}

/**
 * What a doc comment in front of a parameter says, with `@type` or without.
 *
 * @type {(text: string, from: number, to: number) => Place | null}
 */
function inlineType(text, from, to) {
  const comment = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*$/u.exec(text.slice(from, to))?.[1].trim();
  if (comment === undefined) return null;
  const tagged = /^@type\s+([^]*)$/u.exec(comment)?.[1];
  const braces = tagged === undefined ? null : takeBraces(tagged);
  return readDocType(braces?.type ?? comment);
}

/** @type {(param: Ast) => { name: string, isOptional: boolean }} '' for a pattern */
function nameOf(param) {
  if (param.type === 'AssignmentPattern') return { name: nameOf(param.left).name, isOptional: true };
  return { name: param.type === 'Identifier' ? param.name : '', isOptional: false };
}

/** The doc comments that may be about the function itself. @type {(text: string, node: Ast) => string[]} */
function commentsOf(text, node) {
  const { body } = node;
  const inside =
    body.type === 'BlockStatement'
      ? /^\{\s*(\/\*\*(?:(?!\*\/)[^])*\*\/)/u.exec(text.slice(body.start))?.[1]
      : undefined;
  const before = text.slice(0, body.start).match(/\/\*\*(?:(?!\*\/)[^])*\*\//gu) ?? [];
  return inside === undefined ? before : [...before, inside];
}

/**
 * The types of a function's parameters as far as comments give them.
 *
 * @param {import('../hir/index.js').Source} source
 * @param {Ast} node the function
 * @param {string} [before] a comment that stands in front of the text
 * @returns {Place[]} one per parameter; empty where no comment says anything
 */
function readDocs(source, node, before) {
  const { text } = source;
  const comments = before === undefined ? commentsOf(text, node) : [before, ...commentsOf(text, node)];
  const tags = new Map(comments.flatMap((comment) => [...readComment(comment)]));
  let from = node.start;
  const places = node.params.map((/** @type {Ast} */ param) => {
    const inline = inlineType(text, from, param.start);
    from = param.end;
    if (param.type === 'RestElement') return { type: null, isOptional: true };
    const { name, isOptional } = nameOf(param);
    const place = inline ?? withFields(name, tags.get(name) ?? { type: null, isOptional: false }, tags);
    return isOptional ? { type: place.type, isOptional } : place;
  });
  return places.some((/** @type {Place} */ { type }) => type !== null) ? places : [];
}

module.exports = { readDocs };
