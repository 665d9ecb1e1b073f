/**
 * Functions of users in expressions: native functions of numbers, and expressions with parameters.
 *
 *   expr('score(x) > limit(y)', { functions: {
 *     score: native((x) => x * x),
 *     limit: { params: ['y'], expr: 'y * 2 + 1' },
 *   } })
 *
 * A native function is called for each row where all operands are there, as the op of a graph would be; what it may not
 * be as that (throw, capture arrays) it may not be here. An expression stands where it is called, with the operands in
 * the place of its parameters; it may call those before it.
 */
'use strict';

const { describe, isOptions } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { elementType, opOf } = require('../../native/graph/apply.js');
const { ownerOf } = require('../../native/run/callable.js');
const { astOf, rewrite } = require('../language/index.js');
const types = require('../types/index.js');
const { repOf } = require('../types/representation.js');

/** @typedef {import('../language/ast.js').Node} Ast */
/** @typedef {import('./signature.js').FunctionRow} FunctionRow */
/** @typedef {{ params: string[], ast: Ast }} Macro */

/** By element of Loop IR. @type {Record<string, import('../types/index.js').DataType>} */
const TYPES = Object.fromEntries(
  ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float32', 'float64', 'bool'].map((text) => {
    const type = types.typeOf(text);
    return [type.dtype ?? 'bool', type];
  }),
);

/** @type {(name: string, fn: Function) => FunctionRow} */
function nativeRow(name, fn) {
  const own = ownerOf(fn);
  if (own === undefined) return fail('ERR_ARGUMENT', `expr: function '${name}': expected one that native() has made, got ${describe(fn)}`);
  const takes = (/** @type {import('../types/index.js').DataType} */ { kind }) => kind === 'int' || kind === 'float' || kind === 'bool';
  const opFor = (/** @type {readonly import('../types/index.js').DataType[]} */ list) =>
    opOf(own, list.map((type, i) => own.signature?.params[i]?.type ?? elementType(/** @type {any} */ (repOf(type)))));
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
          const { params, result } = opFor(list);
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

/** @type {(name: string, given: any, before: ReadonlyMap<string, Macro>) => Macro} */
function macroOf(name, given, before) {
  const { params, expr: body } = given;
  if (!Array.isArray(params) || !params.every((param) => typeof param === 'string') || body === undefined)
    return fail('ERR_ARGUMENT', `expr: function '${name}': expected a native function or { params, expr }, got ${describe(given)}`);
  return { params, ast: expanded(astOf(body), before) };
}

/** An expression in which calls of macros are what they stand for. @type {(ast: Ast, macros: ReadonlyMap<string, Macro>) => Ast} */
function expanded(ast, macros) {
  if (macros.size === 0) return ast;
  return rewrite(ast, (node) => {
    const macro = node.kind === 'call' ? macros.get(node.name) : undefined;
    if (macro === undefined) return node;
    const { args, name } = /** @type {import('../language/ast.js').Call} */ (node);
    if (args.length !== macro.params.length)
      fail('ERR_ARGUMENT', `${name} takes ${macro.params.length} argument${macro.params.length === 1 ? '' : 's'}, got ${args.length}`);
    return rewrite(macro.ast, (inner) => {
      const at = inner.kind === 'name' ? macro.params.indexOf(inner.name) : -1;
      return at < 0 ? inner : args[at];
    });
  });
}

/**
 * @param {Record<string, unknown>} given by name
 * @returns {{ rows: ReadonlyMap<string, FunctionRow>, expand: (ast: Ast) => Ast }}
 */
function userFunctions(given) {
  /** @type {Map<string, FunctionRow>} */
  const rows = new Map();
  /** @type {Map<string, Macro>} */
  const macros = new Map();
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    if (typeof value === 'function') rows.set(key, nativeRow(name, value));
    else if (isOptions(value)) macros.set(key, macroOf(name, value, macros));
    else fail('ERR_ARGUMENT', `expr: function '${name}': expected a native function or { params, expr }, got ${describe(value)}`);
  }
  return { rows, expand: (ast) => expanded(ast, macros) };
}

module.exports = { userFunctions };
