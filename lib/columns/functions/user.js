/**
 * Functions of users in expressions: native functions of numbers, compiled maps, and expressions with parameters.
 *
 *   expr('score(x) > limit(y)', { functions: {
 *     score: native((x) => x * x),
 *     limit: { params: ['y'], expr: 'y * 2 + 1' },
 *   } })
 *
 * A native function is called for each row where all operands are there, as the op of a graph would be; what it may not
 * be as that (throw, capture arrays) it may not be here. An expression stands where it is called, with the operands in
 * the place of its parameters; it may call the others, but not itself.
 */
'use strict';

const { describe, isOptions } = require('../../base/check.js');
const { GraphError, fail } = require('../../base/errors.js');
const { COLUMN_FUNCTION } = require('../../base/well-known-symbols.js');
const { elementType, opOf } = require('../../native/graph/apply.js');
const { ownerOf } = require('../../native/run/callable.js');
const { locatedAt } = require('../analyse/located.js');
const { astOf, print, rewrite, standingIn } = require('../language/index.js');
const types = require('../types/index.js');
const { repOf } = require('../types/representation.js');

/** @typedef {import('../language/ast.js').Node} Ast */
/** @typedef {import('./signature.js').FunctionRow} FunctionRow */
/** @typedef {{ name: string, params: string[], ast: Ast }} Macro */

/** @typedef {import('../types/index.js').DataType} DataType */

/** By element of Loop IR. @type {Record<string, DataType>} */
const TYPES = Object.fromEntries(
  ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float32', 'float64', 'bool'].map((text) => {
    const type = types.typeOf(text);
    return [type.dtype ?? 'bool', type];
  }),
);

/** Whether it is a compiled map, which knows its row. @type {(value: any) => value is { [COLUMN_FUNCTION]: (name: string) => FunctionRow }} */
const isLookup = (value) => typeof value?.[COLUMN_FUNCTION] === 'function';

/** @type {(name: string, fn: Function) => FunctionRow} */
function nativeRow(name, fn) {
  const own = ownerOf(fn);
  if (own === undefined) return fail('ERR_ARGUMENT', `expr: function '${name}': expected one that native() has made, got ${describe(fn)}`);
  const takes = (/** @type {DataType} */ { kind }) => kind === 'int' || kind === 'float' || kind === 'bool';
  const opFor = (/** @type {readonly DataType[]} */ list) =>
    opOf(own, list.map((type, i) => own.signature?.params[i]?.type ?? elementType(/** @type {any} */ (repOf(type)))));
  const { count, hasRest } = own.unit.arity;
  return {
    name,
    aliases: [],
    category: 'user',
    nulls: 'intersect',
    doc: `native ${own.name}`,
    overloads: [
      {
        text: '(number...) → number',
        fit: (args) => {
          const list = args.map(({ type }) => type);
          if (!list.every(takes)) return null;
          if (!hasRest && list.length > count) fail('ERR_ARGUMENT', countText(name, count, list.length));
          const { params, result } = named(() => opFor(list), name, own.name, list, count);
          if (params.length !== list.length) return null;
          return { args: params.map((dtype) => TYPES[dtype]), result: TYPES[result], cost: 0 };
        },
        build: (c, args, { args: list, result }) => {
          const { text, given } = opFor(list);
          return c.dag.convert(c.dag.native(text, args, /** @type {any} */ (given), c.guard), repOf(result));
        },
      },
    ],
  };
}

/** @type {(name: string, count: number, got: number) => string} */
const countText = (name, count, got) => `${name} takes ${count} argument${count === 1 ? '' : 's'}, got ${got}`;

/**
 * An op whose errors say which function of the expression it is, and for which types: few arguments are undefined, and
 * integers of 64 bits bigints, which is what is wrong then more often than not.
 *
 * @template T
 * @param {() => T} make
 * @param {string} name
 * @param {string} own as which the function knows itself
 * @param {readonly DataType[]} list
 * @param {number} count of parameters
 * @returns {T}
 */
function named(make, name, own, list, count) {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    if (list.length < count) return fail('ERR_ARGUMENT', countText(name, count, list.length));
    const [head, ...rest] = error.message.replace(`${own}: `, '').split('\n');
    const wide = list.find(({ kind, bits }) => kind === 'int' && bits === 64)?.text;
    const advice = wide === undefined ? '' : `; ${wide} is a bigint there: cast it, as in cast(x as float64), where a number is meant`;
    return fail(error.code, [`${name}(${list.map(({ text }) => text).join(', ')}): ${head}${advice}`, ...rest].join('\n'));
  }
}

/** A function that is an expression, the calls in which are what they were. @type {(name: string, given: any) => Macro} */
function macroOf(name, given) {
  const { params, expr: body } = given;
  if (!Array.isArray(params) || !params.every((param) => typeof param === 'string') || body === undefined)
    return fail('ERR_ARGUMENT', `expr: function '${name}': expected a native function or { params, expr }, got ${describe(given)}`);
  const ast = treeOf(name, body);
  return { name, params, ast: standingIn(ast, { name, text: typeof body === 'string' ? body : print(ast) }) };
}

/** @type {(name: string, body: unknown) => Ast} */
function treeOf(name, body) {
  try {
    return astOf(body);
  } catch (error) {
    const { code, message } = /** @type {import('../../base/errors.js').GraphError} */ (error);
    return fail(code, `function '${name}': ${message}`);
  }
}

/** Functions in the place of their calls. */
class Macros {
  /** By name in lower case. @type {Map<string, Macro>} */
  #macros = new Map();
  /** Bodies in which that is done. @type {Map<Macro, Ast>} */
  #expanded = new Map();
  /** Those whose bodies are being expanded. @type {Macro[]} */
  #open = [];

  /** @type {(key: string, macro: Macro) => void} */
  add(key, macro) {
    this.#macros.set(key, macro);
  }

  /** @type {(ast: Ast, text: string) => Ast} */
  expand(ast, text) {
    if (this.#macros.size === 0) return ast;
    return rewrite(ast, (node) => {
      const macro = node.kind === 'call' ? this.#macros.get(node.name) : undefined;
      if (macro === undefined) return node;
      const { args } = /** @type {import('../language/ast.js').Call} */ (node);
      const { name, params } = macro;
      const refuse = (/** @type {string} */ message) => fail('ERR_ARGUMENT', locatedAt(text, node, message));
      if (args.length !== params.length) {
        return refuse(countText(name, params.length, args.length));
      }
      const from = this.#open.indexOf(macro);
      if (from >= 0) {
        const ring = [...this.#open.slice(from), macro].map((each) => each.name).join(' → ');
        return refuse(`'${name}' calls itself, which functions that are expressions cannot: ${ring}`);
      }
      return rewrite(this.#bodyOf(macro), (inner) => {
        const at = inner.kind === 'name' ? params.indexOf(inner.name) : -1;
        return at < 0 ? inner : args[at];
      });
    });
  }

  /** @type {(macro: Macro) => Ast} */
  #bodyOf(macro) {
    const known = this.#expanded.get(macro);
    if (known !== undefined) return known;
    this.#open.push(macro);
    const body = this.expand(macro.ast, '');
    this.#open.pop();
    this.#expanded.set(macro, body);
    return body;
  }

  /** Finds mistakes in all, called or not. */
  check() {
    for (const macro of this.#macros.values()) this.#bodyOf(macro);
  }
}

/**
 * @param {Record<string, unknown>} given by name
 * @returns {{ rows: ReadonlyMap<string, FunctionRow>, expand: (ast: Ast, text: string) => Ast }}
 */
function userFunctions(given) {
  /** @type {Map<string, FunctionRow>} */
  const rows = new Map();
  const macros = new Macros();
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    if (typeof value === 'function') rows.set(key, nativeRow(name, value));
    else if (isLookup(value)) rows.set(key, value[COLUMN_FUNCTION](name));
    else if (isOptions(value)) macros.add(key, macroOf(name, value));
    else fail('ERR_ARGUMENT', `expr: function '${name}': expected a native function, a compiled map or { params, expr }, got ${describe(value)}`);
  }
  macros.check();
  return { rows, expand: (ast, text) => macros.expand(ast, text) };
}

module.exports = { userFunctions };
