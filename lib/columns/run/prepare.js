/**
 * Expressions and the fields of a table as a kernel that is ready to be compiled: what it is given and what it gives.
 */
'use strict';

const { Analyser } = require('../analyse/index.js');
const { emitKernel } = require('../kernel/emit.js');
const types = require('../types/index.js');

/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('../data/index.js').Field} Field */
/** @typedef {import('../language/ast.js').Node} Ast */
/** @typedef {{ name: string, ast: Ast, text: string }} Named */

/**
 * @typedef {object} Output
 * @property {string} name
 * @property {DataType} type
 * @property {boolean} nullable
 */

/**
 * @typedef {object} Prepared
 * @property {string} text Loop IR
 * @property {import('../kernel/ranges.js').Unit} unit
 * @property {boolean} needsArena
 * @property {readonly { table: string, lanes: number }[]} folds
 * @property {readonly import('../kernel/dag.js').Buffer[]} buffers
 * @property {readonly Output[]} outputs
 * @property {readonly import('../analyse/context.js').Site[]} sites
 * @property {readonly import('../analyse/index.js').Lifted[]} lifted
 * @property {readonly string[]} parameters
 * @property {string} source text of the expression
 * @property {import('../kernel/dag.js').Dag} dag
 * @property {readonly import('../kernel/dag.js').Node[]} roots
 * @property {readonly Ast[]} asts
 * @property {ReadonlyMap<Ast, import('../analyse/index.js').Note>} notes
 */

/** @typedef {{ policies: import('../analyse/context.js').Policies, parameters: ReadonlyMap<string, DataType>, vectorBytes: number, lift?: boolean, exported?: boolean, functions?: ReadonlyMap<string, import('../functions/signature.js').FunctionRow> }} PrepareOptions */

/** @typedef {import('../kernel/dag.js').Dag} Dag */
/** @typedef {import('../kernel/dag.js').Node} Node */

/**
 * The kernel of a predicate: one word per block, with a bit for each row for which it is true.
 *
 * @type {(named: Named, fields: ReadonlyMap<string, Field>, options: PrepareOptions) => Prepared}
 */
const preparePredicate = (named, fields, options) =>
  prepareTruth(named, fields, options, (dag, taken) => dag.storeBits('mask', 'bits', taken), [
    { name: 'mask', type: types.bool, nullable: false },
  ]);

/**
 * The kernel of a predicate that one thread runs: the numbers of the rows for which it is true.
 *
 * @type {(named: Named, fields: ReadonlyMap<string, Field>, options: PrepareOptions) => Prepared}
 */
const prepareSelection = (named, fields, options) =>
  prepareTruth(named, fields, options, (dag, taken) => dag.rowNumbers(taken), []);

/**
 * @param {Named} named
 * @param {ReadonlyMap<string, Field>} fields
 * @param {PrepareOptions} options
 * @param {(dag: Dag, taken: Node) => Node} rootOf what is made of a truth per row
 * @param {Output[]} outputs
 */
function prepareTruth(named, fields, options, rootOf, outputs) {
  const analyser = new Analyser(fields, { ...options, text: named.text });
  const taken = analyser.condition(named.ast);
  return finish(analyser, [rootOf(analyser.dag, taken)], outputs, named.text, [named.ast], options);
}

/**
 * The kernel of one or more values per row.
 *
 * @type {(named: readonly Named[], fields: ReadonlyMap<string, Field>, options: PrepareOptions) => Prepared}
 */
function prepareProjection(named, fields, options) {
  const analyser = new Analyser(fields, { ...options, text: named.length === 1 ? named[0].text : '' });
  /** @type {import('../kernel/dag.js').Node[]} */
  const roots = [];
  const outputs = named.map(({ name, ast, text }) => {
    analyser.options.text = text;
    if (named.length > 1) analyser.context.text = text;
    const typed = analyser.typed(ast);
    roots.push(...storesOf(analyser, name, typed));
    return { name, type: typed.type, nullable: typed.valid !== null };
  });
  return finish(analyser, roots, outputs, named.map(({ text }) => text).join(', '), named.map(({ ast }) => ast), options);
}

/** @type {(analyser: Analyser, name: string, typed: import('../analyse/context.js').Typed) => import('../kernel/dag.js').Node[]} */
function storesOf({ dag }, name, { type, value, valid }) {
  const validity = valid === null ? [] : [dag.storeBits(name, 'validity', valid)];
  if (type.kind === 'null') return validity;
  if (value.rep === 'view') return [dag.storeText(name, value, valid), ...validity];
  if (value.rep === 'bool') return [dag.storeBits(name, 'bits', value), ...validity];
  return [dag.store(name, type.id === 'float16' ? dag.convert(value, 'f16') : value), ...validity];
}

/**
 * @param {Analyser} analyser
 * @param {readonly import('../kernel/dag.js').Node[]} roots
 * @param {readonly Output[]} outputs
 * @param {string} source
 * @param {readonly Ast[]} asts
 * @param {PrepareOptions & { unit?: import('../kernel/ranges.js').Unit, record?: import('../kernel/groups.js').GroupRecord }} options
 * @returns {Prepared}
 */
function finish(analyser, roots, outputs, source, asts, { vectorBytes, exported, unit: wanted, record }) {
  const { dag, context, lifted, parameters } = analyser;
  const all = [...context.checks, ...roots];
  const { text, unit, needsArena, folds } = emitKernel(dag, {
    name: 'columns', roots: all, vectorBytes, parameters: 2 * parameters.length, unit: wanted, record, exported,
  });
  return {
    text, unit, needsArena, folds, buffers: dag.buffers, outputs, sites: context.sites, lifted, parameters, source, dag,
    roots: all,
    notes: analyser.notes, asts,
  };
}

module.exports = { finish, preparePredicate, prepareProjection, prepareSelection };
