/**
 * Types: from the tree of a function (hir/index.js) and the types of its parameters to a tree of machine types
 * (tir/index.js).
 *
 * Inference runs the function in its head: it walks statements in their order and knows at each place what every
 * variable may be (environment.js), decides by that what each operation is done on (operators.js), and writes it down
 * as it goes. What is known at compile time, such as objects, closures, branches that a type decides and functions
 * called, is gone then. If a decision turns out wrong later, the fact that shows it is kept (restarts.js) and all
 * begins again.
 *
 * This file has the rules of a walk (walk.js): what each kind of node is for it, part by part.
 */
'use strict';

const properties = require('./properties.js');
const statements = require('./control-flow.js');
const { RULES: operators, evaluate } = require('./expressions.js');
const { Again, Facts } = require('./restarts.js');
const { Walk } = require('./walk.js');
const { arrayLiteral, objectLiteral } = require('./literals.js');
const { builtin } = require('./builtins.js');
const { callStatement, callValue, methodStatement } = require('./calls.js');
const { enter, newFrame, returnStatement } = require('./frames.js');
const { finishEntry } = require('./outputs.js');
const { functionsOf, spreadWrites } = require('./out-of-line.js');
const { refuse } = require('../source/frame.js');
const { throwStatement } = require('./throws.js');

/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('../source/types.js').ResultShape} ResultShape */
/** @typedef {import('../source/types.js').ValueType} ValueType */
/** @typedef {import('../tir/index.js').Program} Program */
/** @typedef {import('./outputs.js').Update} Update */
/** @typedef {import('./walk.js').InferOptions} InferOptions */

/** @typedef {{ program: Program, result: ResultShape, updates: Update[], captured: { name: string, value: any }[], hints: number[] }} Inferred */

/** @type {import('./walk.js').Rules} */
const RULES = {
  evaluate,
  expressions: {
    ...operators,
    index: properties.index,
    member: properties.member,
    array: arrayLiteral,
    object: objectLiteral,
    builtin,
    spread: (_walk, e) => refuse(e.place, 'spread is not supported here', ''),
  },
  statements: {
    set: statements.set,
    store: properties.store,
    field: properties.setMember,
    if: statements.conditional,
    loop: statements.loop,
    prange: statements.prange,
    block: statements.block,
    break: statements.jump,
    continue: statements.jump,
    return: returnStatement,
    throw: throwStatement,
    call: callStatement,
    method: methodStatement,
  },
  field: properties.field,
  call: callValue,
};

/** @type {(callee: FunctionNode, types: ValueType[], options: InferOptions, facts: Facts, library: Map<string, FunctionNode>) => Inferred} */
function walkOnce(callee, types, options, facts, library) {
  const walk = new Walk(callee, options, facts, library, RULES);
  const { func, inputs, program } = walk;
  const values = callee.params.map((p, i) => inputs.value(p.name, types[i] ?? { kind: 'undefined' }, [i]));
  const behind = callee.params.length;
  const more = types
    .slice(behind)
    .map((t, i) => inputs.value(`${callee.rest?.name ?? 'more'}_${i}`, t, [behind + i]));
  const frame = newFrame(callee, null, null);
  walk.frame = frame;
  for (const variable of facts.shared) inputs.read(variable, callee.place);
  enter(walk, frame, [...values, ...more], types.length);
  walk.run(callee.body);
  const { result, updates } = finishEntry(walk, frame);
  func.body = walk.out;
  spreadWrites(walk.links);
  program.funcs = [...functionsOf(walk), func];
  return {
    program, result, updates, captured: inputs.captured,
    hints: types.flatMap((_, i) => (i < 31 && (walk.hints >> i) & 1 ? [i] : [])),
  };
}

/**
 * Types a function for parameters of these types.
 *
 * @param {FunctionNode} callee
 * @param {ValueType[]} types of its parameters, in order; those left out are undefined
 * @param {Partial<InferOptions>} [options]
 * @returns {Inferred} a program whose locals are only set (tir/place-locals.js), and whose loops have no numbers;
 *   `captured`: typed arrays that the caller passes behind those of the parameters
 */
function infer(callee, types, options = {}) {
  const chosen = { bounds: /** @type {const} */ ('exact'), inPlace: false, ...options };
  const facts = new Facts();
  const library = new Map();
  for (;;) {
    try {
      const inferred = walkOnce(callee, types, chosen, facts, library);
      facts.checkStale(callee.place);
      return inferred;
    } catch (error) {
      if (!(error instanceof Again) && !facts.isStale) throw error;
      facts.isStale = false;
    }
  }
}

module.exports = { infer };
