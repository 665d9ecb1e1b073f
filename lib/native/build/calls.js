/**
 * Calls: of functions that are known, of the language's own, of methods of arrays, and `new`.
 *
 * A call of the user's code is a statement, whose result goes to a temporary variable. Functions of the language
 * have no effects and are expressions; those that make arrays are evaluated where they stand.
 */
'use strict';

const { builtin, constantOf, number, undefinedAt, variable } = require('../hir/nodes.js');
const { refuse } = require('../source/frame.js');
const { direct, readArray, throughArgument } = require('./arguments-object.js');
const { arrayMethod, extreme, fromCallback, isArrayMethod } = require('./arrays.js');
const { ABSENT, BUILTINS, ERRORS, TYPED_ARRAYS } = require('./globals.js');
const { growing, growingMethod } = require('./growing.js');
const { keyOf, staticOf } = require('./statics.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('../hir/index.js').Expression} Expression */
/** @typedef {import('./context.js').Context} Context */

/**
 * Methods that change what they are called on, and whether their value is that object itself.
 *
 * @type {Map<string, boolean>}
 */
const CHANGING = new Map([
  ['fill', true],
  ['copyWithin', true],
  ['reverse', true],
  ['sort', true],
  ['set', false],
  ['push', false],
  ['pop', false],
  ['shift', false],
  ['unshift', false],
  ['splice', false],
]);

/** Methods that skip elements that nobody has set. */
const SKIPPING = new Set([
  'forEach', 'map', 'filter', 'reduce', 'reduceRight', 'some', 'every', 'indexOf', 'lastIndexOf',
]);

/** Methods that make an array: evaluated once, where they stand. */
const MAKING = new Set(['subarray', 'slice', 'concat']);

/** Methods of texts, and those that make them. */
const TEXT_METHODS = new Set([
  'join', 'toString', 'toFixed', 'toPrecision', 'toExponential', 'toLocaleString', 'charAt', 'charCodeAt',
  'codePointAt', 'split', 'replace', 'replaceAll', 'trim', 'padStart', 'padEnd', 'repeat', 'startsWith', 'endsWith',
  'substring', 'substr', 'match', 'test', 'toUpperCase', 'toLowerCase', 'localeCompare',
]);

/** @param {Context} context @param {Ast} node an argument @param {(context: Context, node: Ast) => Expression} [read] @returns {Expression} */
function argument(context, node, read = (_, one) => context.expression(one)) {
  if (node.type !== 'SpreadElement') return read(context, node);
  return { kind: 'spread', argument: readArray(context, node.argument), place: node };
}

/** @param {Context} context @param {Ast[]} nodes @param {(context: Context, node: Ast) => Expression} [read] @returns {(() => Expression)[]} */
const argumentsOf = (context, nodes, read) => nodes.map((node) => () => argument(context, node, read));

/** @param {Context} context @param {Expression} callee @param {Expression[]} args @param {Ast} node @param {boolean} isUsed @returns {Expression} */
function emitCall(context, callee, args, node, isUsed) {
  const result = isUsed
    ? context.temporary(callee.kind === 'closure' ? callee.callee.name || 'result' : 'result', node)
    : null;
  context.emit({ kind: 'call', result, callee, args, place: node });
  return result ? variable(result, node) : undefinedAt(node);
}

/**
 * The callee without what has no effect, as compilers write it: `(0, lib.f)(x)`.
 *
 * @param {Context} context
 * @param {Ast} callee
 * @returns {Ast}
 */
function bare(context, callee) {
  if (callee.type === 'ChainExpression') return bare(context, callee.expression);
  if (callee.type !== 'SequenceExpression') return callee;
  const isIdle = callee.expressions.slice(0, -1).every((/** @type {Ast} */ one) => staticOf(context.unit, one));
  return isIdle ? bare(context, callee.expressions.at(-1)) : callee;
}

/**
 * @param {Context} context
 * @param {Ast} node a CallExpression
 * @param {Expression | null} object of a method, where a chain has evaluated it already
 * @param {boolean} isUsed
 * @returns {Expression}
 */
function call(context, node, object, isUsed) {
  const callee = bare(context, node.callee);
  if (callee.type === 'Super') refuse(callee, "'super' is not supported", 'call a function');
  if (object === null) {
    const found = staticOf(context.unit, callee);
    if (found?.kind === 'global') return callGlobal(context, found.name, node);
    if (found?.kind === 'function') {
      const closure = context.closure(found.fn, callee);
      return emitCall(context, closure, context.sequence(argumentsOf(context, node.arguments)), node, isUsed);
    }
    if (found?.kind === 'constant') refuse(callee, 'this is not a function', 'call a function');
    const plain = direct(context, node, callee);
    if (plain) return call(context, plain, null, isUsed);
  }
  if (callee.type === 'MemberExpression') return callMember(context, callee, node, object, isUsed);
  const [value, ...args] = context.sequence([
    () => context.expression(callee),
    ...argumentsOf(context, node.arguments),
  ]);
  return emitCall(context, value, args, node, isUsed);
}

/** @param {Context} context @param {Ast} callee @param {Ast} node @param {Expression | null} object @param {boolean} isUsed @returns {Expression} */
function callMember(context, callee, node, object, isUsed) {
  const name = keyOf(context.unit, callee);
  const base = object ? null : staticOf(context.unit, callee.object);
  if (base?.kind === 'function')
    return refuse(callee, `'.${name}' of a function is not supported`, 'call the function itself');
  // A global without that member is refused with what is known about it, and so is super.
  if (base?.kind === 'global' || callee.object.type === 'Super') return context.expression(callee);
  const grown = object || name === null ? null : growing(context, callee.object);
  const changed = grown && growingMethod(context, grown, String(name), node, isUsed);
  if (changed) return changed;
  const isFill = name === 'fill' && node.arguments.length === 1 && node.arguments[0].type !== 'SpreadElement';
  if (isFill) context.unit.filled.add(callee.object);
  const first = () => object ?? context.expression(callee.object);
  if (name !== null && TEXT_METHODS.has(name)) {
    refuse(
      callee.property,
      `'.${name}()' makes or reads a text, and texts are not computed with`,
      'make texts outside of the function',
    );
  }
  if (grown) refuseTouched(context, callee.object, node);
  if (name !== null && SKIPPING.has(name)) refuseHoles(context, callee.object, name, node);
  if (name !== null && isArrayMethod(name, node.arguments)) return arrayMethod(context, name, first, node, isUsed);
  const builds = argumentsOf(
    context,
    node.arguments,
    name === 'apply' || name === 'call' ? throughArgument : undefined,
  );
  const [value, ...args] = context.sequence([first, ...builds]);
  if (name === null) {
    const key = context.expression(callee.property);
    return emitCall(context, { kind: 'index', object: value, index: key, place: callee }, args, node, isUsed);
  }
  if (CHANGING.has(name)) return callChanging(context, name, value, args, node, isUsed);
  if (MAKING.has(name)) return context.hold(builtin(`.${name}`, [value, ...args], node), name);
  if (name === 'at') return builtin('.at', [value, ...args], node);
  return emitCall(context, { kind: 'member', object: value, name, place: callee }, args, node, isUsed);
}

/**
 * `new Array(n)` has no elements before it is filled, so these methods go over none.
 *
 * @param {Context} context
 * @param {Ast} object
 * @param {string} name
 * @param {Ast} node
 */
function refuseHoles({ unit }, object, name, node) {
  if (
    (object.type !== 'NewExpression' && object.type !== 'CallExpression') ||
    object.arguments.length !== 1 ||
    object.arguments[0].type === 'SpreadElement'
  )
    return;
  const made = staticOf(unit, object.callee);
  if (made?.kind === 'global' && made.name === 'Array')
    refuse(
      node,
      `'.${name}' goes over no element of an Array that is not filled`,
      'write Array.from({ length: n }, …), or .fill first',
    );
}

/**
 * A method goes over a copy of an array that grows, so its callback cannot change that.
 *
 * @param {Context} context
 * @param {Ast} object
 * @param {Ast} node
 */
function refuseTouched({ unit }, object, node) {
  const touched = unit.names.meaning.get(object)?.touched.find((at) => at > node.callee.end && at < node.end);
  if (touched !== undefined)
    refuse(node, `'${object.name}' is changed while a method goes over it`, 'write a for loop');
}

/** @param {Context} context @param {string} name @param {Expression} object @param {Expression[]} args @param {Ast} node @param {boolean} isUsed @returns {Expression} */
function callChanging(context, name, object, args, node, isUsed) {
  if (CHANGING.get(name)) {
    const kept = isUsed ? context.hold(object, 'object') : object;
    context.emit({ kind: 'method', result: null, object: kept, name, args, place: node });
    return kept;
  }
  const result = isUsed ? context.temporary('result', node) : null;
  context.emit({ kind: 'method', result, object, name, args, place: node });
  return result ? variable(result, node) : undefinedAt(node);
}

/** @param {Context} context @param {string} name @param {Ast} node @returns {Expression} */
function callGlobal(context, name, node) {
  const maker = /^(\w+)\.(of|from)$/.exec(name);
  if (maker) return make(context, maker[1], maker[2], node);
  if (name === 'Array') return construct(context, node);
  if (ERRORS.includes(name))
    return refuse(node, 'an Error is only supported where it is thrown', `write throw new ${name}(…)`);
  if (name === 'prange')
    return refuse(node, "'prange' is only supported as for (const i of prange(n))", 'loop over it');
  if (!BUILTINS.has(name)) return refuse(node, `'${name}' cannot be called here`, 'use what it makes as an argument');
  const args = context.sequence(argumentsOf(context, node.arguments));
  if (name === 'Number' && args.length === 0) return number(0, node);
  const isLong = args.some((one) => one.kind === 'spread' && !isCounted(context, one.argument));
  if (isLong && (name === 'Math.max' || name === 'Math.min')) return extreme(context, name, args, node);
  const made = builtin(name, args, node);
  return name === 'Math.random' ? context.hold(made, 'random') : made;
}

/**
 * Whether it is known, where the function is compiled, how many elements there are.
 *
 * @param {Context} context
 * @param {Expression} array
 */
const isCounted = (context, array) =>
  array.kind === 'array' || (array.kind === 'variable' && array.variable === context.fn.rest);

/** @param {Context} context @param {string} type @param {string} how @param {Ast} node @returns {Expression} */
function make(context, type, how, node) {
  const isArray = type === 'Array';
  if (how === 'of') {
    const elements = context.sequence(argumentsOf(context, node.arguments));
    /** @type {Expression} */
    const literal = { kind: 'array', elements, place: node };
    return isArray ? literal : context.hold(builtin(`new.${type}`, [literal], node), 'made');
  }
  if (node.arguments.length > 1) return fromCallback(context, type, node);
  const [source] = node.arguments;
  if (source?.type === 'ObjectExpression') return fromCallback(context, type, node);
  if (!source) return refuse(node, `'${type}.from' wants an array`, `write ${type}.from(values)`);
  const values = source.type === 'SpreadElement' ? argument(context, source) : readArray(context, source);
  return context.hold(builtin(`from.${type}`, [values], node), 'made');
}

/** @param {Context} context @param {Ast} node a NewExpression, or `Array(n)` @returns {Expression} */
function construct(context, node) {
  const found = staticOf(context.unit, bare(context, node.callee));
  const name = found?.kind === 'global' ? found.name : '';
  if (ERRORS.includes(name))
    refuse(node, 'an Error is only supported where it is thrown', `write throw new ${name}(…)`);
  if (name !== 'Array' && !TYPED_ARRAYS.includes(name)) {
    const absent = node.callee.type === 'Identifier' && !found && ABSENT[node.callee.name];
    if (absent) refuse(node, `'new ${node.callee.name}' is not supported: ${absent[0]}`, absent[1]);
    const advice = name ? 'use typed arrays and plain objects' : 'use functions and plain objects';
    refuse(node, "'new' is supported for typed arrays, Array and thrown errors only", advice);
  }
  const args = context.sequence(argumentsOf(context, node.arguments));
  if (name !== 'Array') return context.hold(builtin(`new.${name}`, args, node), 'made');
  const [first] = args;
  const fixed = first && constantOf(first);
  const isLength = args.length === 1 && first.kind !== 'spread' && (!fixed || typeof fixed.value === 'number');
  if (!isLength) return { kind: 'array', elements: args, place: node };
  return context.hold(builtin(context.unit.filled.has(node) ? 'new.room' : 'new.Array', args, node), 'made');
}

module.exports = { call, construct };
