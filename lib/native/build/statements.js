/**
 * Statements but loops: declarations, conditions, `switch`, labels, and what leaves them.
 */
'use strict';

const { binary, constant, constantOf, undefinedAt } = require('../hir/nodes.js');
const { refuse } = require('../source/frame.js');
const { isFunction } = require('../source/index.js');
const { readArray } = require('./arguments-object.js');
const { pairsUp } = require('./assignments.js');
const { ERRORS } = require('./globals.js');
const { growing, start } = require('./growing.js');
const { doStatement, forOfStatement, forStatement, leavable, whileStatement } = require('./loops.js');
const { isKnownSpace } = require('./patterns.js');
const { isRenewed } = require('./scopes.js');
const { memberOf, staticOf, staticOfBinding } = require('./statics.js');
const { hideDeclared } = require('./temporal-dead-zone.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('../hir/index.js').Expression} Expression */
/** @typedef {import('../hir/index.js').Statement} Statement */
/** @typedef {import('../hir/index.js').BlockNode} BlockNode */
/** @typedef {import('./context.js').Context} Context */
/** @typedef {import('./context.js').Target} Target */

/** Statements that are refused: why, and what to write instead. @type {Record<string, [string, string]>} */
const REFUSED = {
  ForInStatement: ["'for-in' is not supported: keys of objects are texts", 'write for (let i = 0; i < a.length; i++)'],
  TryStatement: [
    "'try' is not supported",
    'test for what may go wrong, or catch what the function throws outside of it',
  ],
  WithStatement: ["'with' is not supported", 'name the object'],
  ClassDeclaration: ['classes are not supported', 'use functions and plain objects'],
  ImportDeclaration: ['modules cannot be loaded from native code', 'hand over what it exports as { capture }'],
};

/**
 * Functions of a block are there before its first statement, and so are, in a loop, the variables that its functions
 * hold.
 *
 * @param {Context} context
 * @param {Ast} block
 */
function hoist(context, block) {
  const { unit } = context;
  hideDeclared(context, block);
  const own = unit.names.blocks.get(block);
  for (const binding of own?.isHeldEarly ? own.bindings : []) {
    if (isRenewed(binding) && !staticOfBinding(unit, binding)) {
      context.set(unit.variableOf(binding), undefinedAt(block), block, true);
    }
  }
  for (const { binding, node } of unit.names.hoisted.get(block) ?? []) {
    if (staticOfBinding(unit, binding)) continue;
    const value = context.closure(unit.functionOf(node), node);
    context.set(unit.variableOf(binding), value, node, isRenewed(binding));
  }
}

/** @param {Context} context @param {Ast} node @param {Ast[]} [statements] */
function buildBlock(context, node, statements = node.body) {
  hoist(context, node);
  context.statements(statements);
}

/** @param {Context} context @param {Ast} node */
function variableDeclaration(context, node) {
  if (node.kind === 'using' || node.kind === 'await using') refuse(node, "'using' is not supported", 'use const');
  for (const declarator of node.declarations) {
    const { id, init } = declarator;
    if (init) declare(context, declarator);
    else if (node.kind === 'let') context.pattern(id, undefinedAt(id), true);
  }
}

/** @param {Context} context @param {Ast} declarator */
function declare(context, declarator) {
  const { id, init } = declarator;
  const grown = growing(context, id);
  if (grown) {
    start(context, grown, init);
    return;
  }
  if (id.type === 'Identifier') {
    const binding = context.unit.names.meaning.get(id);
    const known = binding && staticOfBinding(context.unit, binding);
    if (known && !(known.kind === 'given' && known.name === null)) return;
  }
  if (isKnownSpace(context, declarator)) {
    for (const property of id.properties) declareKnown(context, property, init);
  } else if (pairsUp(id, init)) declarePairs(context, id, init);
  else context.pattern(id, id.type === 'ArrayPattern' ? readArray(context, init) : context.expression(init), true);
}

/** `const [a, b] = [x, y]`: no array is made. @param {Context} context @param {Ast} id @param {Ast} init */
function declarePairs(context, id, init) {
  const isVar = context.unit.names.meaning.get(id.elements[0])?.kind === 'var';
  const values = context.operands(init.elements).map((value) => (isVar ? context.hold(value) : value));
  id.elements.forEach((/** @type {Ast | null} */ target, /** @type {number} */ at) => {
    if (target) context.pattern(target, values[at] ?? undefinedAt(init), true);
  });
}

/** @param {Context} context @param {Ast} property of a pattern that takes something of the language apart @param {Ast} init */
function declareKnown(context, property, init) {
  const binding = property.type === 'Property' ? context.unit.names.meaning.get(property.value) : null;
  if (binding && staticOfBinding(context.unit, binding)) return;
  const found = binding && memberOf(context.unit, staticOf(context.unit, init), String(property.key.name), property);
  if (found?.kind === 'constant') context.pattern(property.value, constant(found.value, property), true);
  else refuse(property, 'this is not known of what the language provides', 'name its members where they are used');
}

/** @param {Context} context @param {Ast} node */
function ifStatement(context, node) {
  const test = context.expression(node.test);
  const fixed = constantOf(test);
  const branch = (/** @type {Ast | null} */ one) => context.block(() => one && context.statements([one]));
  if (fixed) {
    const taken = fixed.value ? node.consequent : node.alternate;
    if (taken) context.statements([taken]);
    return;
  }
  context.emit({ kind: 'if', test, then: branch(node.consequent), otherwise: branch(node.alternate), place: node });
}

/** @param {Context} context @param {Ast} node */
function returnStatement(context, node) {
  const value = node.argument ? context.expression(node.argument) : null;
  const target = context.targets.find((one) => one.node.kind === 'prange');
  if (target)
    refuse(node, "'return' cannot leave a prange loop: its rounds run at the same time", 'use an ordinary loop');
  context.emit({ kind: 'return', value, place: node });
}

/**
 * The parts of a text put together with `+` or in a template.
 *
 * @param {Context} context
 * @param {Ast} node
 * @returns {Ast[] | null} null: it is no text
 */
function textParts(context, node) {
  if (node.type === 'TemplateLiteral') {
    return node.quasis.flatMap((/** @type {Ast} */ quasi, /** @type {number} */ at) => {
      const inner = node.expressions[at];
      return inner ? [quasi, ...(textParts(context, inner) ?? [inner])] : [quasi];
    });
  }
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    const [left, right] = [textParts(context, node.left), textParts(context, node.right)];
    return left || right ? [...(left ?? [node.left]), ...(right ?? [node.right])] : null;
  }
  const found = staticOf(context.unit, node);
  return found?.kind === 'constant' && typeof found.value === 'string' ? [node] : null;
}

/** @param {Context} context @param {Ast} node the message of an error @returns {Expression[]} texts that follow each other are one */
function messageParts(context, node) {
  const nodes = textParts(context, node) ?? [node];
  const values = context.sequence(
    nodes.map(
      (one) => () => (one.type === 'TemplateElement' ? constant(one.value.cooked, node) : context.expression(one)),
    ),
  );
  /** @type {Expression[]} */
  const parts = [];
  for (const value of values) {
    const last = parts.at(-1);
    const fixed = constantOf(value);
    const text = fixed ? constant(String(fixed.value), value.place) : value;
    if (last?.kind === 'string' && text.kind === 'string')
      parts[parts.length - 1] = constant(last.value + text.value, last.place);
    else parts.push(text);
  }
  return parts.filter((part) => part.kind !== 'string' || part.value !== '');
}

/** @param {Context} context @param {Ast} node */
function throwStatement(context, node) {
  const { argument } = node;
  const isMade = argument.type === 'NewExpression' || argument.type === 'CallExpression';
  const found = isMade ? staticOf(context.unit, argument.callee) : null;
  if (found?.kind === 'global' && ERRORS.includes(found.name)) {
    const [message, ...more] = argument.arguments;
    if (more.length > 0 || message?.type === 'SpreadElement') {
      refuse(
        more[0] ?? message,
        'a thrown Error has a message and nothing else',
        `write throw new ${found.name}(message)`,
      );
    }
    const parts = message ? messageParts(context, message) : [];
    return context.emit({ kind: 'throw', type: found.name, parts, place: node });
  }
  if (argument.type === 'NewExpression') {
    refuse(
      argument,
      'only the errors of the language can be thrown',
      'throw new Error(message), and make another of it outside',
    );
  }
  return context.emit({ kind: 'throw', type: '', parts: [context.expression(argument)], place: node });
}

/** @param {Context} context @param {Ast} node a break or continue */
function jump(context, node) {
  const isBreak = node.type === 'BreakStatement';
  const label = node.label?.name;
  const target = context.targets.findLast(({ node: { kind }, labels, isPlain, round }) => {
    const fits = label === undefined ? isPlain : labels.includes(label);
    return fits && (isBreak || kind !== 'block' || round);
  });
  if (!target) return refuse(node, 'there is nothing here to leave');
  const at = context.targets.indexOf(target);
  const crossed = context.targets.slice(at).findIndex(({ node: { kind } }) => kind === 'prange');
  if (crossed > 0 || (crossed === 0 && isBreak)) {
    refuse(node, 'a prange loop cannot be left early: its rounds run at the same time', 'use an ordinary loop');
  }
  const left = isBreak ? target : (target.round ?? target);
  left.isUsed = true;
  const kind = isBreak || left !== target ? 'break' : 'continue';
  return context.emit(/** @type {Statement} */ ({ kind, target: left.node, place: node }));
}

/** @param {Context} context @param {Ast} node */
function labeledStatement(context, node) {
  const labels = [];
  let inner = node;
  for (; inner.type === 'LabeledStatement'; inner = inner.body) labels.push(inner.label.name);
  const loop = LOOPS[inner.type];
  if (loop) return loop(context, inner, labels);
  return leavable(context, node, { labels, isPlain: false }, () => context.statements([inner]));
}

/**
 * Whether control never comes to the end of statements, as far as the last one tells.
 *
 * @param {Ast[]} statements
 * @returns {boolean}
 */
function leaves(statements) {
  const last = statements.at(-1);
  if (!last) return false;
  if (last.type === 'BlockStatement') return leaves(last.body);
  if (last.type === 'IfStatement')
    return last.alternate !== null && leaves([last.consequent]) && leaves([last.alternate]);
  return /^(Return|Throw|Break|Continue)Statement$/.test(last.type);
}

/** @param {Context} context @param {Ast} node */
function switchStatement(context, node) {
  const value = context.hold(context.expression(node.discriminant), 'choice');
  leavable(context, node, { labels: [], isPlain: true }, () => {
    hoist(context, node);
    const { cases } = node;
    const isIdle = (/** @type {Ast} */ { consequent }) => consequent.length === 0 || leaves(consequent);
    const isPlain =
      cases.slice(0, -1).every(isIdle) &&
      cases.every((/** @type {Ast} */ { test }) => !test || isConstant(context, test));
    if (isPlain) switchByTests(context, node, value);
    else switchByBlocks(context, node, value);
  });
}

/** @param {Context} context @param {Ast} node */
const isConstant = (context, node) => staticOf(context.unit, node)?.kind === 'constant';

/**
 * No case runs into another: one condition after the other.
 *
 * @param {Context} context
 * @param {Ast} node
 * @param {Expression} value
 */
function switchByTests(context, node, value) {
  /** @type {{ tests: Ast[], isDefault: boolean, body: Ast[] }[]} */
  const groups = [];
  let open = { tests: /** @type {Ast[]} */ ([]), isDefault: false, body: /** @type {Ast[]} */ ([]) };
  node.cases.forEach((/** @type {Ast} */ { test, consequent }, /** @type {number} */ at) => {
    if (test) open.tests.push(test);
    else open.isDefault = true;
    if (consequent.length === 0 && at < node.cases.length - 1) return;
    groups.push({ ...open, body: consequent });
    open = { tests: [], isDefault: false, body: [] };
  });
  const other = groups.find(({ isDefault }) => isDefault);
  const tested = groups.filter((group) => group !== other);
  const build = (/** @type {number} */ at) => {
    const group = tested[at];
    if (!group) {
      context.statements(withoutBreak(other?.body ?? []));
      return;
    }
    const tests = group.tests.map((test) => binary('===', value, context.expression(test), test));
    const test = tests.reduce((left, right) => ({ kind: 'logical', op: '||', left, right, place: node }));
    const then = context.block(() => context.statements(withoutBreak(group.body)));
    context.emit({ kind: 'if', test, then, otherwise: context.block(() => build(at + 1)), place: node });
  };
  build(0);
}

/** Without the `break` that ends a case. @param {Ast[]} statements @returns {Ast[]} */
function withoutBreak(statements) {
  const last = statements.at(-1);
  if (last?.type === 'BreakStatement' && !last.label) return statements.slice(0, -1);
  return statements;
}

/**
 * Cases that run into each other: a block around all before each case, which its test leaves. Behind it the case
 * begins.
 *
 * @param {Context} context
 * @param {Ast} node
 * @param {Expression} value
 */
function switchByBlocks(context, node, value) {
  const { cases } = node;
  /** @type {BlockNode[]} */
  const entries = cases.map((/** @type {Ast} */ place) => ({ kind: 'block', body: [], place }));
  const enter = (/** @type {number} */ at) => context.emit({ kind: 'break', target: entries[at], place: cases[at] });
  const leaveTarget = context.targets[context.targets.length - 1];
  const build = (/** @type {number} */ at) => {
    if (at >= 0) {
      entries[at].body = context.block(() => build(at - 1));
      context.emit(entries[at]);
      context.statements(cases[at].consequent);
      return;
    }
    cases.forEach((/** @type {Ast} */ { test }, /** @type {number} */ k) => {
      if (!test) return;
      const wanted = context.expression(test);
      context.emit({
        kind: 'if', test: binary('===', value, wanted, test), then: context.block(() => enter(k)), otherwise: [],
        place: test,
      });
    });
    const other = cases.findIndex((/** @type {Ast} */ { test }) => !test);
    if (other < 0) {
      leaveTarget.isUsed = true;
      context.emit({ kind: 'break', target: /** @type {BlockNode} */ (leaveTarget.node), place: node });
    } else enter(other);
  };
  build(cases.length - 1);
}

/** @type {Record<string, (context: Context, node: Ast, labels: string[]) => void>} */
const LOOPS = {
  ForStatement: forStatement,
  WhileStatement: whileStatement,
  DoWhileStatement: doStatement,
  ForOfStatement: forOfStatement,
};

/** @type {Record<string, (context: Context, node: Ast) => void>} */
const BUILDERS = {
  ExpressionStatement: (context, { expression }) => context.effect(expression),
  BlockStatement: buildBlock,
  VariableDeclaration: variableDeclaration,
  FunctionDeclaration: () => {},
  EmptyStatement: () => {},
  DebuggerStatement: () => {},
  IfStatement: ifStatement,
  ReturnStatement: returnStatement,
  ThrowStatement: throwStatement,
  BreakStatement: jump,
  ContinueStatement: jump,
  LabeledStatement: labeledStatement,
  SwitchStatement: switchStatement,
};

/** @param {Context} context @param {Ast} node */
function statement(context, node) {
  const loop = LOOPS[node.type];
  const build = BUILDERS[node.type];
  if (loop) loop(context, node, []);
  else if (build) build(context, node);
  else if (Object.hasOwn(REFUSED, node.type)) refuse(node, ...REFUSED[node.type]);
  else refuse(node, `'${node.type}' is not supported`);
}

/** @param {Context} context @param {Ast} fn */
function functionBody(context, fn) {
  if (isFunction(fn) && fn.body.type !== 'BlockStatement') {
    context.emit({ kind: 'return', value: context.expression(fn.body), place: fn.body });
    return;
  }
  buildBlock(context, fn.body);
}

module.exports = { functionBody, statement };
