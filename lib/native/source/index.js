/**
 * From a function, or the text of one, to its syntax tree.
 *
 * `fn.toString()` gives the text of a function expression, a declaration, an arrow or a method, all of which are
 * written differently; a text given directly may be any of these, or several declarations one of which is meant. What
 * cannot be read at all (native code, bound functions, classes) is refused here; what can be read, but not compiled, is
 * refused by the builder. Every node knows its source (`loc.source`), so messages can show the line.
 */
'use strict';

const { GraphError } = require('../../base/errors.js');
const { codeFrame, refuse } = require('./frame.js');

/** @typedef {import('../hir/index.js').Source} Source */
/** @typedef {import('../hir/index.js').Place} Place */
/** An acorn node, whose `loc.source` is the Source. @typedef {Place & { type: string, [key: string]: any }} Ast */

/**
 * @typedef {object} Parsed
 * @property {Source} source
 * @property {Ast} node the function
 * @property {string} name '' when it has none
 * @property {Ast[]} siblings the other statements of a text with several declarations
 */

/** @typedef {{ name?: string, file?: string, line?: number }} ParseOptions */

/** What stands behind a function that `native` made: its origin, and what its names mean. */
/** @type {WeakMap<Function, { origin: Function | string, capture?: Record<string, unknown> }>} */
const origins = new WeakMap();

/**
 * Lets a compiled function be captured by another: its source is read instead of that of what calls it.
 *
 * @param {Function} compiled
 * @param {{ origin: Function | string, capture?: Record<string, unknown> }} from
 */
function remember(compiled, from) {
  origins.set(compiled, from);
}

/** @param {Function} fn @returns {{ origin: Function | string, capture?: Record<string, unknown> } | undefined} */
const originOf = (fn) => origins.get(fn);

/** Loaded when there is something to parse. @returns {typeof import('acorn')} */
const acorn = () => require('acorn');

const isFunction = (/** @type {Ast} */ node) => /^(Arrow)?Function(Expression|Declaration)$/.test(node.type);

/** Calls `visit` with a node and all below it. @param {any} node @param {(node: Ast) => void} visit */
function walk(node, visit) {
  visit(node);
  for (const key in node) {
    const child = node[key];
    if (Array.isArray(child)) {
      for (const item of child) if (item && typeof item.type === 'string') walk(item, visit);
    } else if (child && typeof child.type === 'string' && key !== 'loc') walk(child, visit);
  }
}

/** What may stand behind an expression: nothing that means anything. */
const REST = /^(?:[\s;]|\/\*[^]*?\*\/|\/\/[^\n\r\u2028\u2029]*)*$/;

/** @param {Source} source @returns {any} options of acorn */
const parserOptions = (source) => ({ ecmaVersion: 'latest', locations: true, sourceFile: source, allowHashBang: true });

/**
 * Most functions are written as expressions, or can be read as such.
 *
 * @param {Source} source
 * @returns {Ast[]} a statement
 */
function parseExpression(source) {
  const expression = /** @type {any} */ (acorn().parseExpressionAt(source.text, 0, parserOptions(source)));
  if (!REST.test(source.text.slice(expression.end))) {
    throw Object.assign(new SyntaxError('Unexpected text'), { pos: expression.end, loc: expression.loc.end });
  }
  return [{ ...expression, type: 'ExpressionStatement', expression }];
}

/** @param {string} text @param {any} options @param {number} shift by which places of errors are too far right */
function parseShifted(text, options, shift) {
  try {
    return acorn().parse(text, options);
  } catch (error) {
    const { pos, loc } = /** @type {any} */ (error);
    if (loc?.line === 1) loc.column = Math.max(loc.column - shift, 0);
    throw Object.assign(/** @type {any} */ (error), { pos: pos - shift });
  }
}

/** @param {Source} source @returns {Ast[]} one method of a class, which may be private or static */
function parseMethod(source) {
  const [{ body }] = parseBetween(source, 'class A {', '\n}', 'script').body;
  if (body.body.length === 1) return body.body;
  throw Object.assign(new SyntaxError('Unexpected text'), { pos: 0, loc: { line: 1, column: 0 } });
}

/**
 * Parses text that stands between a prefix and a suffix, with places as if it stood alone.
 *
 * @param {Source} source
 * @param {string} prefix without a line break
 * @param {string} suffix
 * @param {'script' | 'module'} sourceType
 * @returns {Ast} the program
 */
function parseBetween(source, prefix, suffix, sourceType) {
  const shift = prefix.length;
  const program = parseShifted(prefix + source.text + suffix, { ...parserOptions(source), sourceType }, shift);
  if (shift > 0) {
    const seen = new Set(); // nodes that begin at one place may share it
    walk(program, (node) => {
      node.start -= shift;
      node.end -= shift;
      if (node.loc.start.line === 1 && !seen.has(node.loc.start)) node.loc.start.column -= shift;
      seen.add(node.loc.start);
    });
  }
  return /** @type {any} */ (program);
}

/**
 * The ways to read a text, in order: as an expression, as a method of an object or a class, as a program, as a module.
 * Each gives the statements.
 *
 * @type {((source: Source) => Ast[])[]}
 */
const READERS = [
  parseExpression,
  (source) => parseBetween(source, '({', '\n})', 'script').body,
  parseMethod,
  (source) => parseBetween(source, '', '', 'script').body,
  (source) => parseBetween(source, '', '', 'module').body,
];

/** @param {Source} source @param {boolean} isText @returns {Ast[]} statements; throws the error of the reading that came farthest */
function readStatements(source, isText) {
  /** @type {any} */
  let worst = null;
  for (const reader of isText ? READERS : READERS.slice(0, 3)) {
    try {
      return reader(source);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const pos = /** @type {any} */ (error).pos;
      if (!worst || pos > worst.pos) worst = error;
    }
  }
  if (worst.message.startsWith('Not enough stack')) throw new RangeError(worst.message);
  const message = String(worst.message).replace(/ \(\d+:\d+\).*$/, '');
  const lines = source.text.split(/\r\n|[\n\r\u2028\u2029]/);
  const atEnd = worst.pos >= source.text.length || worst.loc.line > lines.length;
  const line = atEnd ? lines.length : worst.loc.line;
  const column = atEnd ? lines[line - 1].length : worst.loc.column;
  const where = `${source.file}:${source.line + line - 1}:${column + 1}`;
  throw new GraphError(`${where}: ${message}\n${codeFrame(source, { line, column })}`, { code: 'ERR_PARSE' });
}

/**
 * The functions that a statement holds, by name: `function f`, `const f = …`, `export function f`, `({ f() {} })`.
 *
 * @param {Ast} statement
 * @returns {{ name: string, node: Ast }[]}
 */
function functionsOf(statement) {
  if (statement.type.startsWith('Export')) return statement.declaration ? functionsOf(statement.declaration) : [];
  if (statement.type === 'ExpressionStatement') return functionsOf(statement.expression);
  if (isFunction(statement)) return [{ name: statement.id?.name ?? '', node: statement }];
  if (statement.type === 'VariableDeclaration') {
    return statement.declarations
      .filter((/** @type {Ast} */ { init, id }) => init && isFunction(init) && id.type === 'Identifier')
      .map((/** @type {Ast} */ { init, id }) => ({ name: id.name, node: init }));
  }
  if (statement.type === 'MethodDefinition') return methodOf(statement);
  return statement.type === 'ObjectExpression' && statement.properties.length === 1
    ? methodOf(statement.properties[0])
    : [];
}

/** @param {Ast} node a property of an object, or a method of a class @returns {{ name: string, node: Ast }[]} */
function methodOf({ type, kind, key, value }) {
  if (!['Property', 'MethodDefinition'].includes(type) || !isFunction(value)) return [];
  if (kind === 'get' || kind === 'set')
    refuse(value, `a ${kind}ter is not a function to be called`, 'hand over a method or a function');
  return [{ name: String(key.name ?? key.value ?? ''), node: value }];
}

/** @param {Source} source @param {Ast[]} statements @param {string | undefined} wanted @returns {{ name: string, node: Ast }} */
function choose(source, statements, wanted) {
  const found = statements.flatMap(functionsOf);
  const chosen = wanted === undefined ? undefined : found.findLast(({ name }) => name === wanted);
  const last = chosen ?? found.at(-1);
  if (last) return last;
  const first = statements[0];
  const inner = first.type === 'ExpressionStatement' ? first.expression : first;
  if (inner.type.startsWith('Class')) refuse(inner, 'a class is not a function to be called', 'hand over a function');
  return refuse(inner, 'this is not a function', 'give the text of a function, such as (a, b) => a + b', 'ERR_PARSE');
}

/** @param {Function} fn @returns {string} */
function textOf(fn) {
  const text = Function.prototype.toString.call(fn);
  if (!/\{\s*\[native code\]\s*\}\s*$/.test(text)) return text;
  const name = typeof fn.name === 'string' ? fn.name : '';
  if (name.startsWith('bound ')) {
    throw new GraphError(
      `'${name}' has no source: a bound function; hand over the function itself, its fixed arguments as { capture }`,
      { code: 'ERR_UNSUPPORTED' },
    );
  }
  throw new GraphError(`'${name}' has no source: native code; wrap it, such as (x) => Math.sin(x)`, {
    code: 'ERR_UNSUPPORTED',
  });
}

/**
 * @param {Function | string} origin
 * @param {ParseOptions} [options] `name`: which of several functions is meant, and what it is called in messages
 * @returns {Parsed}
 */
function parse(origin, { name, file, line = 1 } = {}) {
  const isText = typeof origin === 'string';
  const own = isText ? '' : typeof origin.name === 'string' ? origin.name : '';
  const text = isText ? origin : textOf(origin);
  /** @type {Source} */
  const source = { text, file: file ?? name ?? (own || 'function'), line };
  if (REST.test(text)) throw new GraphError('the text of a function is empty', { code: 'ERR_PARSE' });
  const statements = readStatements(source, isText);
  const chosen = choose(source, statements, name);
  if (file === undefined && name === undefined && own === '' && chosen.name) source.file = chosen.name;
  const siblings = isText && (statements.length > 1 || statements[0].type !== 'ExpressionStatement') ? statements : [];
  return { source, node: chosen.node, name: chosen.name || name || own, siblings };
}

module.exports = { isFunction, originOf, parse, remember, walk };
