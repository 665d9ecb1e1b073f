/**
 * Expressions: operators, names, members, literals, and what is evaluated only under a condition.
 *
 * Calls, assignments and patterns are in files of their own. What is known when the function is read (statics.js)
 * is written as a constant or a function at once.
 */
'use strict';

const {
  binary, builtin, constant, constantOf, index, member, unary, undefinedAt, variable,
} = require('../hir/nodes.js');
const { refuse } = require('../source/frame.js');
const { isFunction } = require('../source/index.js');
const { argumentsMember, isArguments, readArray } = require('./arguments-object.js');
const { assign, update } = require('./assignments.js');
const { call, construct } = require('./calls.js');
const { ABSENT, BUILTINS } = require('./globals.js');
const { elementOf, growing, wholeOf } = require('./growing.js');
const { propertyName } = require('./names.js');
const { keyOf, staticOf } = require('./statics.js');
const { expectDeclared } = require('./temporal-dead-zone.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('../hir/index.js').Expression} Expression */
/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('./context.js').Context} Context */
/** @typedef {import('./statics.js').Static} Static */

/** Expressions that are refused, by type: why, and what to write instead. @type {Record<string, [string, string]>} */
const REFUSED = {
  ThisExpression: ["'this' is not supported", 'hand the object over as a parameter'],
  Super: ["'super' is not supported", 'call a function'],
  MetaProperty: ["'new.target' and 'import.meta' are not supported", 'hand the value over as { capture }'],
  ImportExpression: ['modules cannot be loaded from native code', 'hand over what it exports as { capture }'],
  AwaitExpression: ["'await' is not supported", 'wait outside of the function'],
  YieldExpression: ["'yield' is not supported", 'fill an array and return it'],
  ClassExpression: ['classes are not supported', 'use functions and plain objects'],
  TaggedTemplateExpression: ['texts are not computed with', 'call a function'],
};

/** @param {Context} context @param {string} name @param {Ast} place @returns {Expression} a function of the language as a value */
function wrapped(context, name, place) {
  const { program } = context;
  const count = BUILTINS.get(name);
  if (count === undefined)
    return refuse(place, `'${name}' is not a value here`, 'use one of its members, or a function');
  let fn = program.wrappers.get(name);
  if (!fn) {
    fn = program.functionNode(name, place, context.fn.source, null);
    const isVariadic = count === Infinity;
    const params = Array.from({ length: isVariadic ? 0 : count }, (_, at) =>
      program.variable(`x${at}`, place, true, fn ?? null),
    );
    fn.params = params;
    if (isVariadic) fn.rest = program.variable('values', place, true, fn);
    const args = params.map((param) => variable(param, place));
    if (fn.rest) args.push({ kind: 'spread', argument: variable(fn.rest, place), place });
    fn.body.push({ kind: 'return', value: builtin(name, args, place), place });
    program.wrappers.set(name, fn);
    program.usesOf(fn);
  }
  return context.closure(fn, place);
}

/** @param {Context} context @param {Static} found @param {Ast} node @returns {Expression} */
function known(context, found, node) {
  switch (found.kind) {
    case 'constant':
      return constant(found.value, node);
    case 'function':
      return context.closure(found.fn, node);
    case 'global':
      return wrapped(context, found.name, node);
    default:
      return context.read(context.program.givenVariable(found.value, found.name ?? 'object', node), node);
  }
}

/** @param {Ast} node @returns {never} */
function refuseName(node) {
  const absent = Object.hasOwn(ABSENT, node.name) ? ABSENT[node.name] : null;
  if (absent) return refuse(node, `'${node.name}' is not there: ${absent[0]}`, absent[1]);
  if (node.name === 'arguments')
    return refuse(node, "'arguments' is not supported here", 'write (...values) and use values');
  return refuse(node, `'${node.name}' is not defined in the function`, `hand it over as { capture: { ${node.name} } }`);
}

/** @param {Context} context @param {Ast} node @returns {Expression} */
function identifier(context, node) {
  const grown = growing(context, node);
  if (grown) return wholeOf(context, grown, node);
  const found = staticOf(context.unit, node);
  const binding = context.unit.names.meaning.get(node);
  if (binding && context.unit.names.early.has(node) && binding.kind !== 'var') context.refuseEarly(node);
  expectDeclared(context, node);
  if (found && !(found.kind === 'given' && found.name === null)) return known(context, found, node);
  if (!binding) return refuseName(node);
  if (binding.fn === null) {
    refuse(
      node,
      `'${node.name}' is neither a function nor a constant`,
      `hand it over as { capture: { ${node.name} } }`,
    );
  }
  if (binding.kind === 'class') refuse(node, 'classes are not supported', 'use functions and plain objects');
  return context.read(context.unit.variableAt(binding, node), node);
}

/** @param {Expression} value @returns {boolean} a text that is known here */
const isText = (value) => value.kind === 'string';

/** @param {Ast} node @returns {never} */
const refuseText = (node) =>
  refuse(node, 'texts are not computed with', 'make texts outside of the function, or in the message of an Error');

/** @param {Context} context @param {Ast} node @returns {Expression} */
function binaryExpression(context, node) {
  const { operator } = node;
  if (operator === 'instanceof') return instanceOf(context, node);
  if (operator === 'in') return refuse(node, "'in' is not supported", 'compare the field with undefined');
  const [left, right] = context.operands([node.left, node.right]);
  if (operator === '+' && (isText(left) || isText(right))) refuseText(node);
  return binary(operator, left, right, node);
}

/** @param {Context} context @param {Ast} node @returns {Expression} */
function instanceOf(context, node) {
  const type = staticOf(context.unit, node.right);
  if (type?.kind !== 'global') {
    return refuse(
      node,
      "'instanceof' is supported for typed arrays and Array only",
      'compare a field that tells the kinds apart',
    );
  }
  return builtin(`instanceof.${type.name}`, [context.expression(node.left)], node);
}

/** @param {Context} context @param {Ast} node @returns {Expression} */
function unaryExpression(context, node) {
  const { operator, argument } = node;
  if (operator === 'delete') return refuse(node, "'delete' is not supported", 'set the field to undefined');
  if (operator === 'void') {
    context.effect(argument);
    return undefinedAt(node);
  }
  const operand = context.expression(argument);
  if (operator === 'typeof' && operand.kind === 'closure') return constant('function', node);
  return unary(operator, operand, node);
}

/** @param {Context} context @param {Ast} node @returns {Expression} */
function logicalExpression(context, node) {
  const { operator } = node;
  const left = context.expression(node.left);
  const fixed = constantOf(left);
  if (fixed) {
    const isLeft =
      operator === '??' ? fixed.value !== undefined && fixed.value !== null : !fixed.value === (operator === '&&');
    return isLeft ? left : context.expression(node.right);
  }
  const right = context.apart(() => context.expression(node.right));
  if (right.body.length === 0) return { kind: 'logical', op: operator, left, right: right.value, place: node };
  const result = context.program.variable('value', node, false, context.fn);
  context.set(result, left, node);
  const kept = variable(result, node);
  const isNothing = binary('==', kept, { kind: 'null', place: node }, node);
  const test = operator === '&&' ? kept : operator === '||' ? unary('!', kept, node) : isNothing;
  const then = context.block(() => {
    context.emitAll(right.body);
    context.set(result, right.value, node);
  });
  context.emit({ kind: 'if', test, then, otherwise: [], place: node });
  return kept;
}

/** @param {Context} context @param {Ast} node @returns {Expression} */
function conditionalExpression(context, node) {
  const test = context.expression(node.test);
  const fixed = constantOf(test);
  if (fixed) return context.expression(fixed.value ? node.consequent : node.alternate);
  const way = (/** @type {Ast} */ branch) => () => context.expression(branch);
  return context.choice(test, way(node.consequent), way(node.alternate), node);
}

/** @param {Context} context @param {Ast} node @returns {Expression} */
function sequenceExpression(context, node) {
  for (const one of node.expressions.slice(0, -1)) context.effect(one);
  return context.expression(node.expressions.at(-1));
}

/** @param {Context} context @param {Ast} node a member whose object is at hand @param {Expression} object @returns {Expression} */
function memberExpression(context, node, object) {
  const name = keyOf(context.unit, node);
  if (name !== null) return member(object, name, node);
  if (!node.computed) return refuse(node, 'private fields are not supported', 'use plain objects');
  const [base, key] = context.sequence([() => object, () => context.expression(node.property)]);
  return index(base, key, node);
}

/** @param {Context} context @param {Ast} node @param {import('./growing.js').Growing} grown @returns {Expression} `out.length`, `out[i]` */
function grownMember(context, node, grown) {
  if (keyOf(context.unit, node) === 'length') return context.read(grown.count, node);
  return node.computed
    ? elementOf(context, grown, context.expression(node.property), node)
    : memberExpression(context, node, wholeOf(context, grown, node));
}

/**
 * `a?.b.c`: where an object before `?.` is undefined or null, the whole chain is undefined.
 *
 * @param {Context} context
 * @param {Ast} node
 * @param {(value: Expression) => Expression} then what becomes of the value of `node`
 * @returns {Expression}
 */
function chain(context, node, then) {
  if (node.type === 'CallExpression') return chainedCall(context, node, then);
  if (node.type !== 'MemberExpression') return then(context.expression(node));
  return chain(context, node.object, (object) => {
    if (!node.optional) return then(memberExpression(context, node, object));
    const kept = context.reuse(object);
    const isNothing = binary('==', kept, { kind: 'null', place: node }, node);
    const way = () => then(memberExpression(context, node, kept));
    return context.choice(isNothing, () => undefinedAt(node), way, node);
  });
}

/** @param {Context} context @param {Ast} node @param {(value: Expression) => Expression} then @returns {Expression} */
function chainedCall(context, node, then) {
  if (node.optional) refuse(node, "'?.(' is not supported", 'test whether there is a function with if');
  if (node.callee.type !== 'MemberExpression') return then(call(context, node, null, true));
  return chain(context, node.callee.object, (object) => {
    if (!node.callee.optional) return then(call(context, node, object, true));
    const kept = context.reuse(object);
    const isNothing = binary('==', kept, { kind: 'null', place: node }, node);
    return context.choice(
      isNothing,
      () => undefinedAt(node),
      () => then(call(context, node, kept, true)),
      node,
    );
  });
}

/** @param {Context} context @param {Ast} node @returns {Expression} */
function arrayLiteral(context, node) {
  const elements = context.sequence(
    node.elements.map((/** @type {Ast | null} */ element) => () => {
      if (!element) return undefinedAt(node);
      if (element.type !== 'SpreadElement') return context.expression(element);
      return { kind: 'spread', argument: readArray(context, element.argument), place: element };
    }),
  );
  return { kind: 'array', elements, place: node };
}

/** @param {Context} context @param {Ast} node @returns {Expression} */
function objectLiteral(context, node) {
  /** @type {string[]} */
  const names = [];
  const values = context.sequence(
    node.properties.map((/** @type {Ast} */ property) => () => {
      if (property.type === 'SpreadElement') {
        names.push('');
        return { kind: 'spread', argument: context.expression(property.argument), isObject: true, place: property };
      }
      if (property.kind !== 'init')
        return refuse(property, 'getters and setters are not supported', 'write a plain field');
      const name = propertyName(context, property);
      const setsPrototype = name === '__proto__' && !property.computed && !property.shorthand && !property.method;
      if (setsPrototype)
        refuse(property, 'objects with a prototype are not supported', 'write the fields into the object');
      names.push(name);
      return context.expression(property.value);
    }),
  );
  /** @type {Map<string | Expression, import('../hir/index.js').Field>} */
  const fields = new Map();
  names.forEach((name, at) =>
    fields.set(values[at].kind === 'spread' ? values[at] : name, { name, value: values[at] }),
  );
  return { kind: 'object', fields: [...fields.values()], place: node };
}

/** @type {Record<string, (context: Context, node: Ast) => Expression>} */
const BUILDERS = {
  Identifier: identifier,
  BinaryExpression: binaryExpression,
  UnaryExpression: unaryExpression,
  LogicalExpression: logicalExpression,
  ConditionalExpression: conditionalExpression,
  SequenceExpression: sequenceExpression,
  ArrayExpression: arrayLiteral,
  ObjectExpression: objectLiteral,
  AssignmentExpression: (context, node) => assign(context, node, true),
  UpdateExpression: (context, node) => update(context, node, true),
  CallExpression: (context, node) => call(context, node, null, true),
  NewExpression: construct,
  MemberExpression: (context, node) => {
    if (isArguments(context, node.object)) return argumentsMember(context, node);
    if (node.object.type === 'Super') refuse(node.object, ...REFUSED.Super);
    const base = staticOf(context.unit, node.object);
    if (base?.kind === 'global') return refuseGlobal(context, node, base.name);
    const grown = growing(context, node.object);
    if (grown) return grownMember(context, node, grown);
    return memberExpression(context, node, context.expression(node.object));
  },
  ChainExpression: (context, node) => chain(context, node.expression, (value) => value),
  Literal: (_context, node) => refuse(node, 'regular expressions are not supported', 'match outside of the function'),
  TemplateLiteral: (_context, node) => refuseText(node),
};

/** @param {Context} context @param {Ast} node @param {string} base @returns {never} */
function refuseGlobal(context, node, base) {
  const name = keyOf(context.unit, node);
  const whole = name === null ? base : `${base}.${name}`;
  const absent = Object.hasOwn(ABSENT, whole) ? ABSENT[whole] : null;
  if (absent) return refuse(node, `'${whole}' is not there: ${absent[0]}`, absent[1]);
  if (name === null) return refuse(node, `members of '${base}' must be named`, `write ${base}.name`);
  return refuse(node, `'${whole}' is not known`, `write it with what there is of ${base}, or as a function`);
}

/**
 * @param {Context} context
 * @param {Ast} node
 * @returns {Expression} evaluated where it is used; what must happen before has been written
 */
function expression(context, node) {
  if (isFunction(node)) return context.closure(context.unit.functionOf(node), node);
  const refused = Object.hasOwn(REFUSED, node.type) ? REFUSED[node.type] : null;
  if (refused) return refuse(node, ...refused);
  if (node.type === 'Identifier') return identifier(context, node);
  const found = staticOf(context.unit, node);
  if (found && found.kind !== 'given') return known(context, found, node);
  const build = BUILDERS[node.type];
  return build ? build(context, node) : refuse(node, `'${node.type}' is not supported`);
}

/**
 * An expression whose value nobody wants. What may fail is evaluated all the same: an element out of range may throw.
 *
 * @param {Context} context
 * @param {Ast} node
 */
function effect(context, node) {
  switch (node.type) {
    case 'AssignmentExpression':
      assign(context, node, false);
      return;
    case 'UpdateExpression':
      update(context, node, false);
      return;
    case 'SequenceExpression':
      for (const one of node.expressions) effect(context, one);
      return;
    case 'CallExpression':
      keep(context, call(context, node, null, false));
      return;
    case 'LogicalExpression':
      if (node.operator !== '??' && !staticOf(context.unit, node.left)) {
        const left = context.expression(node.left);
        const test = node.operator === '&&' ? left : unary('!', left, node);
        conditionally(
          context,
          test,
          () => effect(context, node.right),
          () => {},
          node,
        );
        return;
      }
      break;
    case 'ConditionalExpression': {
      const test = context.expression(node.test);
      const [yes, no] = [() => effect(context, node.consequent), () => effect(context, node.alternate)];
      const fixed = constantOf(test);
      if (!fixed) conditionally(context, test, yes, no, node);
      else if (fixed.value) yes();
      else no();
      return;
    }
    default:
  }
  keep(context, context.expression(node));
}

/** @param {Context} context @param {Expression} test @param {() => void} then @param {() => void} otherwise @param {Ast} place */
function conditionally(context, test, then, otherwise, place) {
  const [yes, no] = [context.block(then), context.block(otherwise)];
  if (yes.length + no.length > 0) context.emit({ kind: 'if', test, then: yes, otherwise: no, place });
  else keep(context, test);
}

/** @param {Context} context @param {Expression} value that is not used, but may throw */
function keep(context, value) {
  if (value.kind === 'index' || value.kind === 'binary' || value.kind === 'builtin' || value.kind === 'conditional') {
    context.hold(value, 'unused');
  }
}

module.exports = { effect, expression };
