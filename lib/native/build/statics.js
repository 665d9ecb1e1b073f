/**
 * What is known of an expression when the function is read: a constant, a function, something of the language.
 *
 * Names are followed to what they mean for ever: constants that are never assigned again, `const abs = Math.abs`,
 * functions by their declaration, captured numbers and functions. So a call mostly goes to a function that is known, a
 * `const N = 4` is the number 4 wherever it is used, and `!0`, `void 0` and `1 / 0` of minified code are what they
 * stand for. Nothing of this has effects, so what is known need not be built at all.
 */
'use strict';

const { COLUMN_FUNCTION } = require('../../base/well-known-symbols.js');
const { refuse } = require('../source/frame.js');
const { originOf, isFunction } = require('../source/index.js');
const { BUILTINS, CONSTANTS, IDENTITIES, MAKERS, SPACES } = require('./globals.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('./scopes.js').Binding} Binding */
/** @typedef {import('./program.js').Unit} Unit */
/** @typedef {import('../hir/nodes.js').Constant} Constant */

/**
 * `global`: something of the language, by its whole name. `given`: a captured object; `name` where it is captured
 * itself.
 *
 * @typedef {{ kind: 'constant', value: Constant } | { kind: 'global', name: string } | { kind: 'function', fn: FunctionNode, value?: Function }
 *   | { kind: 'given', value: object, name: string | null }} Static
 */

const isKnown = (/** @type {string} */ name) => BUILTINS.has(name) || SPACES.has(name) || MAKERS.has(name);

/** @param {string} name @returns {Static | null} */
function globalNamed(name) {
  if (CONSTANTS.has(name)) return { kind: 'constant', value: CONSTANTS.get(name) };
  return isKnown(name) ? { kind: 'global', name } : null;
}

/**
 * @param {Unit} unit
 * @param {unknown} value
 * @param {string} name
 * @param {boolean} isCapture handed over under this name itself
 * @param {Ast} place
 * @returns {Static}
 */
function staticOfValue(unit, value, name, isCapture, place) {
  const known = IDENTITIES.get(value);
  if (known !== undefined) return { kind: 'global', name: known };
  if (typeof value === 'function') {
    const from = originOf(value);
    const capture = from ? (from.capture ?? {}) : unit.capture;
    const origin = from?.origin ?? value;
    return { kind: 'function', fn: unit.program.functionOf(origin, { name, capture }), value };
  }
  if (typeof value === 'symbol') refuse(place, `'${name}' is captured as a symbol`, 'use a number');
  const map = /** @type {any} */ (value);
  if (map?.[COLUMN_FUNCTION]) {
    const isNative = map.toNative !== undefined && map.keyType !== 'string';
    const advice = isNative ? `hand ${name}.toNative() over and call that` : 'look keys up outside of the function';
    refuse(place, `'${name}' is a compiled map, which is JavaScript`, advice);
  }
  if (typeof value === 'object' && value !== null) return { kind: 'given', value, name: isCapture ? name : null };
  return { kind: 'constant', value: /** @type {Constant} */ (value) };
}

/** @param {Unit} unit @param {Ast} node an identifier declared nowhere in the text @returns {Static | null} */
function freeName(unit, node) {
  const { name } = node;
  if (Object.hasOwn(unit.capture, name)) return staticOfValue(unit, unit.capture[name], name, true, node);
  // A function that calls itself by the name it has outside: `const f = (n) => … f(n - 1) …`.
  if (name === unit.parsed.name) return { kind: 'function', fn: unit.functionOf(unit.parsed.node) };
  const { main } = unit.program;
  // Captured functions know the one compiled by its name as well.
  if (main && name === main.parsed.name && unit.capture === main.capture) {
    return { kind: 'function', fn: main.functionOf(main.parsed.node) };
  }
  return name === 'globalThis' ? { kind: 'global', name } : globalNamed(name);
}

/**
 * A function that another has as a property.
 *
 * @param {Unit} unit
 * @param {Function | undefined} fn
 * @param {string} name
 * @param {Ast} place
 * @returns {Static | null}
 */
function memberOfFunction(unit, fn, name, place) {
  const from = fn && originOf(fn);
  for (const holder of [fn, from?.origin]) {
    if (typeof holder !== 'function' || !Object.hasOwn(holder, name)) continue;
    const value = /** @type {any} */ (holder)[name];
    if (typeof value !== 'function') continue;
    const known = IDENTITIES.get(value);
    if (known !== undefined || originOf(value) || !from) return staticOfValue(unit, value, name, false, place);
    return { kind: 'function', fn: unit.program.functionOf(value, { name, capture: from.capture ?? {} }), value };
  }
  return null;
}

/** @param {Unit} unit @param {Static | null} base @param {string} name @param {Ast} place @returns {Static | null} */
function memberOf(unit, base, name, place) {
  if (base?.kind === 'global') return globalNamed(base.name === 'globalThis' ? name : `${base.name}.${name}`);
  if (base?.kind === 'function') return memberOfFunction(unit, base.value, name, place);
  if (base?.kind !== 'given' || !Object.hasOwn(base.value, name) || Array.isArray(base.value)) return null;
  const value = /** @type {any} */ (base.value)[name];
  // Numbers in objects may change between runs, functions and what holds them are taken as they are.
  if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return null;
  if (ArrayBuffer.isView(value) || Array.isArray(value)) return null;
  return staticOfValue(unit, value, name, false, place);
}

/**
 * What a text declares beside the function is what it says there: a table, a computed constant.
 *
 * @param {Unit} unit
 * @param {Binding} binding
 * @returns {Static | null}
 */
function valueBeside(unit, { name, init }) {
  if (!init || init.path.length > 0) return null;
  const known = unit.beside.get(init.node) ?? unit.program.compute(unit, init.node);
  if (!known) return null;
  unit.beside.set(init.node, known);
  return staticOfValue(unit, known.value, name, true, init.node);
}

/** @param {Unit} unit @param {Binding} binding @returns {Static | null} what its variable always is */
function staticOfBinding(unit, binding) {
  const { init, kind, loop, assigned } = binding;
  if (!init || assigned > 0 || loop || binding.isGuarded) return null;
  if (kind === 'function' || kind === 'self') return { kind: 'function', fn: unit.functionOf(init.node) };
  if (kind === 'var' && (!binding.isPlain || binding.isEarly)) return null;
  if (isFunction(init.node) && init.path.length === 0) return { kind: 'function', fn: unit.functionOf(init.node) };
  if (unit.resolving.has(binding)) return null;
  unit.resolving.add(binding);
  let found = staticOf(unit, init.node);
  for (const step of init.path) found = memberOf(unit, found, String(step), init.node);
  unit.resolving.delete(binding);
  if (!found && binding.fn === null && kind !== 'class') return valueBeside(unit, binding);
  // A var is undefined before its declaration is reached, which a function that is called early may see.
  return kind === 'var' && binding.fn && found?.kind === 'constant' ? null : found;
}

/** @type {Record<string, (value: any) => Constant>} */
const UNARY = {
  '-': (v) => -v, '+': (v) => +v, '!': (v) => !v, '~': (v) => ~v, void: () => undefined, typeof: (v) => typeof v,
};

/** @type {Record<string, (a: any, b: any) => Constant>} */
const BINARY = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '**': (a, b) => a ** b,
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
  '<<': (a, b) => a << b,
  '>>': (a, b) => a >> b,
  '>>>': (a, b) => a >>> b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '==': (a, b) => a == b, // eslint-disable-line eqeqeq
  '!=': (a, b) => a != b, // eslint-disable-line eqeqeq
  '===': (a, b) => a === b,
  '!==': (a, b) => a !== b,
};

/** @param {Unit} unit @param {Ast} node @returns {Static | null} */
function computed(unit, node) {
  const isUnary = node.type === 'UnaryExpression';
  const left = staticOf(unit, isUnary ? node.argument : node.left);
  if (isUnary && node.operator === 'typeof') return typeOf(unit, node.argument, left);
  if (left?.kind !== 'constant') return null;
  if (isUnary) {
    const operation = UNARY[node.operator];
    if (!operation || (typeof left.value === 'bigint' && node.operator === '+')) return null;
    return { kind: 'constant', value: operation(left.value) };
  }
  const right = staticOf(unit, node.right);
  const operation = BINARY[node.operator];
  if (right?.kind !== 'constant' || !operation) return null;
  // Bigints are computed by the machine, which throws where they leave 64 bits; numbers are never mixed with them.
  if (typeof left.value === 'bigint' || typeof right.value === 'bigint') return null;
  return { kind: 'constant', value: operation(left.value, right.value) };
}

/** @param {Unit} unit @param {Ast} node @param {Static | null} known @returns {Static | null} */
function typeOf(unit, node, known) {
  const is = (/** @type {string} */ value) => /** @type {Static} */ ({ kind: 'constant', value });
  if (known?.kind === 'constant') return is(typeof known.value);
  if (known?.kind === 'function') return is('function');
  if (known?.kind === 'global') return is(known.name === 'Math' || known.name === 'globalThis' ? 'object' : 'function');
  if (node.type === 'Identifier' && !unit.names.meaning.get(node) && !known && node.name !== 'arguments')
    return is('undefined');
  return null;
}

/** @param {Unit} unit @param {Ast} node a member, not optional @returns {string | null} the name it asks for, if that is known */
function keyOf(unit, node) {
  if (!node.computed) return node.property.type === 'PrivateIdentifier' ? null : node.property.name;
  const key = staticOf(unit, node.property);
  return key?.kind === 'constant' && typeof key.value === 'string' ? key.value : null;
}

/** @param {Unit} unit @param {Ast} node @returns {Static | null} */
function find(unit, node) {
  switch (node.type) {
    case 'Literal':
      if (node.regex) return null;
      return {
        kind: 'constant',
        value: node.bigint !== undefined && node.bigint !== null ? BigInt(node.bigint) : node.value,
      };
    case 'Identifier': {
      const binding = unit.names.meaning.get(node);
      return binding ? staticOfBinding(unit, binding) : freeName(unit, node);
    }
    case 'MemberExpression': {
      const name = node.optional ? null : keyOf(unit, node);
      return name === null ? null : memberOf(unit, staticOf(unit, node.object), name, node);
    }
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? { kind: 'constant', value: node.quasis[0].value.cooked } : null;
    case 'UnaryExpression':
    case 'BinaryExpression':
      return computed(unit, node);
    case 'SequenceExpression': {
      const isIdle = node.expressions
        .slice(0, -1)
        .every((/** @type {Ast} */ one) => staticOf(unit, one)?.kind === 'constant');
      return isIdle ? staticOf(unit, node.expressions.at(-1)) : null;
    }
    case 'ConditionalExpression': {
      const test = staticOf(unit, node.test);
      return test?.kind === 'constant' ? staticOf(unit, test.value ? node.consequent : node.alternate) : null;
    }
    default:
      return null;
  }
}

/**
 * @param {Unit} unit
 * @param {Ast} node
 * @returns {Static | null} null: only running it tells
 */
function staticOf(unit, node) {
  const known = unit.statics.get(node);
  if (known !== undefined) return known;
  const found = find(unit, node);
  unit.statics.set(node, found);
  return found;
}

module.exports = { keyOf, memberOf, staticOf, staticOfBinding };
