/**
 * Loops. `for`-`of` becomes a counted loop over the indices of an array, whose length is read each round, as its
 * iterator does, or a loop over a range.
 */
'use strict';

const { binary, constantOf, index, member, number, unary, variable } = require('../hir/nodes.js');
const { refuse } = require('../source/frame.js');
const { readArray } = require('./arguments-object.js');
const { pairsUp } = require('./assignments.js');
const { growing } = require('./growing.js');
const { keyOf, staticOf } = require('./statics.js');
const { hideDeclared } = require('./temporal-dead-zone.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('../hir/index.js').Expression} Expression */
/** @typedef {import('../hir/index.js').LoopNode} LoopNode */
/** @typedef {import('../hir/index.js').Statement} Statement */
/** @typedef {import('../hir/index.js').Variable} Variable */
/** @typedef {import('./context.js').Context} Context */
/** @typedef {import('./context.js').Target} Target */

/** Rounds of a loop over a literal that are written one after the other, and the text that they have in all. */
const MOST_ROUNDS = 16;
const MOST_TEXT = 4000;

/** @param {LoopNode['form']} form @param {Ast} place @returns {LoopNode} */
const emptyLoop = (form, place) => ({
  kind: 'loop', form, before: [], test: null, body: [], update: [], late: false, fresh: [], place,
});

/** @param {Context} context @param {Target} target @param {() => void} build */
function within(context, target, build) {
  context.targets.push(target);
  build();
  context.targets.pop();
}

/**
 * Writes statements that a break may leave.
 *
 * @param {Context} context
 * @param {Ast} place
 * @param {Pick<Target, 'labels' | 'isPlain'>} names by which it is left
 * @param {(target: Target) => void} build
 */
function leavable(context, place, names, build) {
  /** @type {import('../hir/index.js').BlockNode} */
  const block = { kind: 'block', body: [], place };
  /** @type {Target} */
  const target = { ...names, node: block, isUsed: false };
  within(context, target, () => {
    block.body = context.block(() => build(target));
  });
  if (target.isUsed) context.emit(block);
  else context.emitAll(block.body);
}

/** @param {Context} context @param {LoopNode} loop @param {string[]} labels @param {Ast} body */
function buildBody(context, loop, labels, body) {
  within(context, { node: loop, labels, isPlain: true, isUsed: false }, () => {
    loop.body = context.block(() => context.statements([body]));
  });
}

/** @param {Context} context @param {LoopNode} loop @param {Ast | null} test */
function buildTest(context, loop, test) {
  if (!test) return;
  const { value, body } = context.apart(() => context.expression(test));
  loop.before = body;
  const fixed = constantOf(value);
  loop.test = fixed?.value ? null : value;
}

/** @param {Context} context @param {Ast} node @param {string[]} labels */
function forStatement(context, node, labels) {
  const { init, test, update, body } = node;
  const loop = emptyLoop('for', node);
  hideDeclared(context, node);
  if (init?.type === 'VariableDeclaration') {
    const bindings = init.kind === 'let' ? headVariables(context, init) : [];
    const kept = bindings.filter((binding) => context.unit.keepFirst(binding, init.end));
    context.statements([init]);
    for (const binding of kept)
      context.set(context.unit.variableOf(binding), context.read(context.unit.variableAt(binding, init), init), init);
    loop.fresh = bindings.map((binding) => context.unit.variableOf(binding));
  } else if (init) context.effect(init);
  buildTest(context, loop, test);
  buildBody(context, loop, labels, body);
  if (update) loop.update = context.block(() => context.effect(update));
  context.emit(loop);
}

/**
 * The variables of a head that closures hold, of which each round has its own.
 *
 * @param {Context} context
 * @param {Ast} declaration
 * @returns {import('./scopes.js').Binding[]}
 */
function headVariables(context, declaration) {
  const { names } = context.unit;
  const found = [];
  for (const [node, binding] of names.meaning) {
    if (binding?.node !== node || !binding.isShared || binding.kind !== 'let') continue;
    if (node.start >= declaration.start && node.end <= declaration.end && binding.loop) found.push(binding);
  }
  return found;
}

/** @param {Context} context @param {Ast} node @param {string[]} labels */
function whileStatement(context, node, labels) {
  const loop = emptyLoop('while', node);
  buildTest(context, loop, node.test);
  buildBody(context, loop, labels, node.body);
  context.emit(loop);
}

/** @param {Context} context @param {Ast} node @param {string[]} labels */
function doStatement(context, node, labels) {
  const loop = { ...emptyLoop('do', node), late: true };
  buildBody(context, loop, labels, node.body);
  buildTest(context, loop, node.test);
  context.emit(loop);
}

/**
 * Gives the names in the head of a `for`-`of` their values.
 *
 * @param {Context} context
 * @param {Ast} left
 * @param {Expression} value
 */
function bindHead(context, left, value) {
  if (left.type === 'VariableDeclaration') context.pattern(left.declarations[0].id, value, true);
  else context.pattern(left, value, false);
}

/** @param {Context} context @param {Ast} node @param {string[]} labels */
function forOfStatement(context, node, labels) {
  const { right } = node;
  hideDeclared(context, node);
  if (node.await) refuse(node, "'for await' is not supported", 'wait outside of the function');
  const isCall = right.type === 'CallExpression';
  const range = isCall ? staticOf(context.unit, right.callee) : null;
  if (range?.kind === 'global' && range.name === 'prange') prangeStatement(context, node, labels);
  else overElements(context, node, labels);
}

/** @param {Context} context @param {Ast} node @param {string[]} labels */
function overElements(context, node, labels) {
  const { left, right } = node;
  const isMember =
    right.type === 'CallExpression' && right.callee.type === 'MemberExpression' && right.arguments.length === 0;
  const method = isMember ? keyOf(context.unit, right.callee) : null;
  if (method !== 'entries' && method !== 'keys' && method !== 'values') {
    overArray(context, node, labels, right, (array, at) => bindHead(context, left, index(array, at, right)));
    return;
  }
  const source = right.callee.object;
  if (staticOf(context.unit, source)?.kind === 'global') {
    refuse(right, 'the fields of an object cannot be looped over', 'use an array, or name the fields');
  }
  overArray(context, node, labels, source, (array, at) => {
    if (method === 'keys') bindHead(context, left, at);
    else if (method === 'values') bindHead(context, left, index(array, at, right));
    else bindEntry(context, left, array, at, right);
  });
}

/**
 * `const [i, x] of a.entries()`: no pair is made.
 *
 * @param {Context} context
 * @param {Ast} left
 * @param {Expression} array
 * @param {Expression} at
 * @param {Ast} place
 */
function bindEntry(context, left, array, at, place) {
  const isDeclared = left.type === 'VariableDeclaration';
  const pattern = isDeclared ? left.declarations[0].id : left;
  const values = [at, index(array, at, place)];
  if (!pairsUp(pattern, /** @type {any} */ ({ type: 'ArrayExpression', elements: [] }))) {
    context.pattern(pattern, { kind: 'array', elements: values, place }, isDeclared);
    return;
  }
  pattern.elements.forEach((/** @type {Ast | null} */ target, /** @type {number} */ k) => {
    if (target) context.pattern(target, values[k] ?? { kind: 'undefined', place }, isDeclared);
  });
}

/**
 * @param {Context} context
 * @param {Ast} node
 * @param {string[]} labels
 * @param {Ast} source
 * @param {(array: Expression, at: Expression) => void} bind
 */
function overArray(context, node, labels, source, bind) {
  const grown = growing(context, source);
  if (grown) {
    const length = () => context.read(grown.count, source);
    countRounds(context, node, labels, length, (at) => bind(context.read(grown.items, source), at));
    return;
  }
  const array = context.hold(readArray(context, source), 'items');
  const count = roundsOf(context, source, node.body);
  if (count !== null) writeRounds(context, node, labels, count, (k) => bind(array, number(k, source)));
  else
    countRounds(
      context,
      node,
      labels,
      () => ({ ...member(array, 'length', source), isLooped: true }),
      (at) => bind(array, at),
    );
}

/**
 * How often a loop over a literal runs, where its rounds are to be written one after the other: what is in the literal
 * may be of a kind that has no memory, such as pairs or functions. Literals of numbers in a variable are memory that
 * loops go over.
 *
 * @param {Context} context
 * @param {Ast} source
 * @param {Ast} body
 * @returns {number | null}
 */
function roundsOf({ unit }, source, body) {
  const binding = source.type === 'Identifier' ? unit.names.meaning.get(source) : null;
  const isTable =
    binding?.kind === 'const' && binding.references.length === binding.reads && binding.init?.path.length === 0;
  const literal = isTable ? binding.init?.node : source;
  if (literal?.type !== 'ArrayExpression') return null;
  const { elements } = literal;
  if (elements.some((/** @type {Ast | null} */ one) => !one || one.type === 'SpreadElement')) return null;
  if (
    isTable &&
    !elements.some((/** @type {Ast} */ { type }) => /^(Array|Object|Function|ArrowFunction)Expression$/.test(type))
  )
    return null;
  return elements.length <= MOST_ROUNDS && elements.length * (body.end - body.start) <= MOST_TEXT
    ? elements.length
    : null;
}

/** @param {Context} context @param {Ast} node @param {string[]} labels @param {number} count @param {(k: number) => void} bind */
function writeRounds(context, node, labels, count, bind) {
  leavable(context, node, { labels, isPlain: true }, (target) => {
    for (let k = 0; k < count; k++) {
      leavable(context, node, { labels: [], isPlain: false }, (round) => {
        target.round = round;
        bind(k);
        context.statements([node.body]);
      });
    }
  });
}

/**
 * @param {Context} context
 * @param {Ast} node
 * @param {string[]} labels
 * @param {() => Expression} length
 * @param {(at: Expression) => void} bind
 */
function countRounds(context, node, labels, length, bind) {
  const at = context.program.variable('i', node, false, context.fn);
  const here = variable(at, node);
  context.set(at, number(0, node), node);
  const loop = emptyLoop('of', node);
  loop.test = binary('<', here, length(), node);
  within(context, { node: loop, labels, isPlain: true, isUsed: false }, () => {
    loop.body = context.block(() => {
      // A body may set the variable of its head, and the index is not that variable.
      bind(variable(at, node));
      context.statements([node.body]);
    });
  });
  loop.update = [{ kind: 'set', variable: at, value: unary('increment', here, node), declares: false, place: node }];
  context.emit(loop);
}

/** @param {Context} context @param {Ast} node @param {string[]} labels */
function prangeStatement(context, node, labels) {
  const { left, right } = node;
  const { arguments: args } = right;
  if (args.length < 1 || args.length > 2 || args.some((/** @type {Ast} */ { type }) => type === 'SpreadElement')) {
    refuse(right, "'prange' takes one or two arguments", 'write prange(end) or prange(first, end)');
  }
  const values = context.operands(args);
  const [first, end] = values.length === 1 ? [number(0, right), values[0]] : values;
  const at = context.program.variable('i', node, true, context.fn);
  /** @type {import('../hir/index.js').PrangeNode} */
  const loop = { kind: 'prange', variable: at, first, end, body: [], place: node };
  within(context, { node: loop, labels, isPlain: true, isUsed: false }, () => {
    loop.body = context.block(() => {
      bindHead(context, left, variable(at, node));
      context.statements([node.body]);
    });
  });
  takeName(context, loop);
  context.emit(loop);
}

/**
 * Where the head only names the counter, the counter is that variable.
 *
 * @param {Context} context
 * @param {import('../hir/index.js').PrangeNode} loop
 */
function takeName(context, loop) {
  const [first] = loop.body;
  if (first?.kind !== 'set' || first.declares || !first.variable.isConst || first.variable.owner !== context.fn) return;
  if (first.value.kind !== 'variable' || first.value.variable !== loop.variable) return;
  context.fn.variables.splice(context.fn.variables.indexOf(loop.variable), 1);
  loop.variable = first.variable;
  loop.body.shift();
}

module.exports = { doStatement, forOfStatement, forStatement, leavable, whileStatement };
