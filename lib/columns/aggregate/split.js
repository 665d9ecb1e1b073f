/**
 * Expressions with aggregates, divided: the aggregates, each once, and what is computed of their results, in which
 * their calls have become names (`#0`).
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { locatedAt } = require('../analyse/located.js');
const { print } = require('../language/print.js');
const { children, fold, standingIn, walk, withChildren } = require('../language/walk.js');
const { aggregateName, table } = require('../functions/aggregates.js');

/** @typedef {import('../language/ast.js').Node} Ast */
/** `share`: of a quantile; `text`: which `ast` is in. @typedef {{ name: string, fn: string, arg: Ast | null, share: number, ast: Ast, text: string }} Call */

/** What calls have of their own. @type {(ast: any) => string | undefined} */
const aggregateOf = (ast) => (ast.kind === 'call' ? aggregateName(ast.name) : undefined);

/** @type {(fn: string, ast: any, text: string) => number} */
function shareOf(fn, ast, text) {
  const { args } = ast;
  const most = table[fn].args;
  const refuse = (/** @type {string} */ message, place = ast) => fail('ERR_ARGUMENT', locatedAt(text, place, message));
  if (args.length > most) refuse(`${fn} takes ${most} argument${most > 1 ? 's' : ''}, got ${args.length}`);
  if (fn !== 'quantile') return 0.5;
  const value = Number(args[1]?.kind === 'literal' ? args[1].value : NaN);
  return value >= 0 && value <= 1 ? value : refuse('quantile takes a value and a number from 0 to 1, written out', args[1]);
}

/**
 * @param {readonly { name: string, ast: Ast, text: string }[]} named
 * @returns {{ calls: Call[], rest: { name: string, ast: Ast, text: string }[] }}
 */
function split(named) {
  /** @type {Map<string, Call>} */
  const calls = new Map();
  const enter = (/** @type {any} */ ast, /** @type {string} */ text) => {
    const fn = aggregateOf(ast);
    if (fn === undefined) return undefined;
    const key = print({ ...ast, name: fn });
    const call = calls.get(key) ?? {
      name: `#${calls.size}`, fn, arg: ast.args[0] ?? null, share: shareOf(fn, ast, text), ast, text,
    };
    calls.set(key, call);
    return /** @type {Ast} */ ({ kind: 'name', name: call.name, start: ast.start, end: ast.end });
  };
  const outside = (/** @type {Ast} */ ast) => (aggregateOf(ast) === undefined ? children(ast) : []);
  const rest = named.map(({ name, ast, text }) => ({
    name, text, ast: fold(ast, (/** @type {Ast} */ each, /** @type {Ast[]} */ parts) => enter(each, text) ?? withChildren(each, parts), outside),
  }));
  return { calls: [...calls.values()], rest };
}

/** The text that all are written in, in which places mean something; '' where there are several. @type {(named: readonly { text: string }[]) => string} */
function textOfAll(named) {
  const texts = new Set(named.map(({ text }) => text));
  return texts.size === 1 ? [...texts][0] : '';
}

/** What standsAlone has made. @type {WeakMap<Ast, { name: string, ast: Ast, text: string }>} */
const alone = new WeakMap();

/** An expression that knows its text, beside others. @type {<N extends { name: string, ast: Ast, text: string }>(named: N) => N} */
function standsAlone(named) {
  const { ast, text } = named;
  if (text === '') return named;
  const known = alone.get(ast);
  if (known?.text === text) return { ...named, ast: known.ast };
  const made = { ...named, ast: standingIn(ast, { text }) };
  alone.set(ast, made);
  return made;
}

/** Whether an expression has aggregates. @type {(ast: Ast) => boolean} */
function hasAggregate(ast) {
  let found = false;
  walk(ast, (each) => {
    found ||= aggregateOf(each) !== undefined;
    return !found;
  });
  return found;
}

module.exports = { hasAggregate, split, standsAlone, textOfAll };
