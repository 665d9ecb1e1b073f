/**
 * Lists of programs in the form that the evaluator takes: tokens in one typed array, constants beside them, and where
 * each program begins.
 *
 * Nested arrays and texts are turned into it; who has such arrays already, as evolution does, makes no object for a
 * node. Nested arrays may be shared, and as deep as memory allows: they are walked with a stack of our own.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { expected, isAttached, isOptions, oneOf, readOptions, unknownName } = require('../base/check.js');
const { CONSTANT, VARIABLE } = require('./operators.js');
const expression = require('./expression.js');
const { Writer } = require('./writer.js');

/** @typedef {import('./operators.js').Language} Language */

/** @typedef {import('./writer.js').Programs} Programs */

/** Parts of one program: what shared subtrees of nested arrays may amount to. */
const MOST_PARTS = 1 << 23;

/** @typedef {{ writer: Writer, texts: import('./expression.js').Reader, variables: ReadonlyMap<string, number>, language: Language, caller: string, which: string }} Context */

/** @param {unknown} leaf @param {Context} context */
function putLeaf(leaf, { writer, variables, caller, which }) {
  if (typeof leaf === 'number') return writer.put(CONSTANT, leaf);
  if (typeof leaf !== 'string') return expected(caller, 'an array, a name of a variable or a number', `a part of ${which}`, leaf);
  const found = variables.get(leaf);
  return found === undefined ? unknownName(caller, 'variable', leaf, [...variables.keys()]) : writer.put(VARIABLE - found, 0);
}

/** @param {readonly unknown[]} node @param {Context} context @returns {number} of its operator */
function operatorOf(node, { language, caller, which }) {
  const [name] = node;
  if (typeof name !== 'string') return expected(caller, 'a name of an operator', `the first element of an array in ${which}`, name);
  const found = language.numbers.get(name);
  if (found === undefined) return unknownName(caller, 'operator', name, [...language.numbers.keys()]);
  const { arity } = language.operators[found];
  if (node.length - 1 === arity) return found;
  return fail('ERR_ARGUMENT', `${caller}: ${which}: operator '${name}' takes ${arity} operands, got ${node.length - 1}`);
}

/** @param {readonly unknown[]} root @param {Context} context */
function putNested(root, context) {
  const { writer, caller, which } = context;
  const begin = writer.length;
  /** Arrays that are being read. @type {{ node: readonly unknown[], operator: number, next: number }[]} */
  const path = [];
  /** @type {Set<readonly unknown[]>} */
  const open = new Set();
  /** @param {readonly unknown[]} node */
  const enter = (node) => {
    if (open.has(node)) fail('ERR_ARGUMENT', `${caller}: ${which} contains itself`);
    path.push({ node, operator: operatorOf(node, context), next: 1 });
    open.add(node);
  };
  enter(root);
  while (path.length > 0) {
    const at = path[path.length - 1];
    if (writer.length - begin > MOST_PARTS) {
      fail('ERR_ARGUMENT', `${caller}: ${which} has more than ${MOST_PARTS} parts`);
    }
    if (at.next === at.node.length) {
      writer.put(at.operator, 0);
      open.delete(at.node);
      path.pop();
      continue;
    }
    const operand = at.node[at.next++];
    if (Array.isArray(operand)) enter(operand);
    else putLeaf(operand, context);
  }
}

/** @param {unknown} program @param {Context} context */
function putProgram(program, context) {
  const { writer, variables, caller } = context;
  if (Array.isArray(program)) {
    putNested(program, context);
  } else if (typeof program === 'string') {
    const variable = variables.get(program);
    if (variable === undefined) context.texts.read(program);
    else writer.put(VARIABLE - variable, 0);
  } else if (typeof program === 'number') {
    writer.put(CONSTANT, program);
  } else {
    expected(caller, 'an array, a text or a number', context.which, program);
  }
}

// Copies, as whoever breeds programs writes the next ones where the last ones were.

/** @type {<T extends 'Int32Array' | 'Float64Array'>(name: T) => (value: unknown, which: string, caller: string) => InstanceType<(typeof globalThis)[T]>} */
const instance = (name) => (value, which, caller) => {
  if (!(value instanceof globalThis[name])) return expected(caller, `a ${name}`, which, value);
  if (!isAttached(value)) fail('ERR_STATE', `${caller}: ${which} is detached`);
  return /** @type {any} */ (value.slice());
};

/** @type {(value: unknown, which: string, caller: string) => Uint32Array} */
function offsetsOf(value, which, caller) {
  const isList = value instanceof Uint32Array || value instanceof Int32Array;
  if (!isList) return expected(caller, 'a Uint32Array or an Int32Array', which, value);
  if (!isAttached(value)) fail('ERR_STATE', `${caller}: ${which} is detached`);
  if (value.some((each) => each < 0)) return fail('ERR_ARGUMENT', `${caller}: ${which} has a negative element`);
  return new Uint32Array(value);
}

/** @param {Record<string, unknown>} programs @param {string} caller @returns {Programs} */
function readArrays(programs, caller) {
  const { tokens, constants, offsets, order = 'postfix' } = readOptions(caller, programs, {
    tokens: instance('Int32Array'),
    constants: instance('Float64Array'),
    offsets: offsetsOf,
    order: oneOf(/** @type {const} */ (['postfix', 'prefix'])),
  });
  if (!tokens || !constants || !offsets) {
    return expected(caller, 'arrays tokens, constants and offsets', 'programs', programs);
  }
  if (tokens.length !== constants.length) {
    return fail('ERR_SHAPE', `${caller}: ${tokens.length} tokens and ${constants.length} constants, expected as many`);
  }
  if (offsets.length === 0) return expected(caller, 'one offset more than there are programs', 'offsets', offsets);
  return { tokens, constants, offsets, order };
}

/**
 * @param {unknown} programs
 * @param {readonly string[]} variables
 * @param {Language} language
 * @param {string} caller
 * @returns {Programs}
 */
function readPrograms(programs, variables, language, caller) {
  if (!Array.isArray(programs)) {
    if (isOptions(programs)) return readArrays(programs, caller);
    return expected(caller, 'an array of programs, or { tokens, constants, offsets }', 'programs', programs);
  }
  const writer = new Writer();
  const offsets = [0];
  const texts = new expression.Reader(writer, variables, language, caller);
  const numbers = new Map(variables.map((name, i) => [name, i]));
  for (let i = 0; i < programs.length; i++) {
    putProgram(programs[i], { writer, texts, variables: numbers, language, caller, which: `program ${i}` });
    offsets.push(writer.length);
  }
  return writer.finish(offsets);
}

/**
 * A program of valid arrays in postfix order.
 *
 * @param {Programs} programs
 * @param {number} index
 * @param {Language} language
 * @returns {{ tokens: ArrayLike<number>, constants: ArrayLike<number> }}
 */
function programAt({ tokens, constants, offsets, order }, index, language) {
  const [begin, end] = [offsets[index], offsets[index + 1]];
  const own = { tokens: tokens.slice(begin, end), constants: constants.slice(begin, end) };
  return order === 'postfix' ? own : toPostfix(own, language);
}

/** @param {{ tokens: Int32Array, constants: Float64Array }} program in prefix order @param {Language} language */
function toPostfix({ tokens, constants }, language) {
  const out = { tokens: new Int32Array(tokens.length), constants: new Float64Array(tokens.length) };
  /** Operators with how many operands are still to come. @type {{ token: number, left: number }[]} */
  const open = [];
  let at = 0;
  for (let i = 0; i < tokens.length; i++) {
    const arity = language.arity(tokens[i]);
    if (arity > 0) {
      open.push({ token: tokens[i], left: arity });
      continue;
    }
    out.tokens[at] = tokens[i];
    out.constants[at++] = constants[i];
    for (let last = open.at(-1); last && --last.left === 0; last = open.at(-1)) {
      out.tokens[at++] = last.token;
      open.pop();
    }
  }
  return out;
}

module.exports = { programAt, readPrograms };
