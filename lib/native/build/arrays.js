/**
 * Methods of arrays that take a callback or look for something, as the loops that the language says they are.
 *
 * The receiver and the arguments are evaluated once, its length is read once, and each element when its round comes. A
 * callback is called with as many of element, index and array as it has parameters, and with all if it names
 * `arguments`. Where it is known, as an arrow mostly is, the stages behind put its body into the loop.
 */
'use strict';

const { binary, builtin, constant, index, member, number, unary, undefinedAt, variable } = require('../hir/nodes.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('../hir/index.js').Expression} Expression */
/** @typedef {import('../hir/index.js').LoopNode} LoopNode */
/** @typedef {import('../hir/index.js').Variable} Variable */
/** @typedef {import('./context.js').Context} Context */

/** @typedef {(args: Expression[], isUsed?: boolean) => Expression} Invoke */

/**
 * What a method has to work with.
 *
 * @typedef {object} Receiver
 * @property {Context} context
 * @property {Ast} node the call
 * @property {Expression} array
 * @property {Expression} length
 * @property {Expression[]} args evaluated
 * @property {Invoke} invoke calls the first argument
 * @property {boolean} isUsed
 */

/**
 * Whether a function may see more of a call than its parameters.
 *
 * @param {import('../hir/index.js').FunctionNode} callee
 */
const takesAll = ({ rest, namesArguments }) => rest !== null || namesArguments;

/**
 * @param {Context} context
 * @param {Ast} node
 * @param {Expression} callback
 * @returns {Invoke}
 */
function invoker(context, node, callback) {
  const wanted = callback.kind === 'closure' && !takesAll(callback.callee) ? callback.callee.params.length : Infinity;
  return (args, isUsed = true) => {
    const result = isUsed ? context.temporary('result', node) : null;
    context.emit({ kind: 'call', result, callee: callback, args: args.slice(0, wanted), place: node });
    return result ? variable(result, node) : undefinedAt(node);
  };
}

/**
 * Writes a loop over the indices of an array.
 *
 * @param {Pick<Receiver, 'context' | 'node' | 'length'>} receiver
 * @param {(at: Expression, loop: LoopNode) => void} round
 * @param {{ from?: Expression, isReverse?: boolean }} [options]
 */
function loop({ context, node, length }, round, { from, isReverse = false } = {}) {
  const at = context.program.variable('i', node, false, context.fn);
  const here = variable(at, node);
  const first = from ?? (isReverse ? binary('-', length, number(1, node), node) : number(0, node));
  context.set(at, first, node);
  const test = isReverse ? binary('>=', here, number(0, node), node) : binary('<', here, length, node);
  /** @type {LoopNode} */
  const made = {
    kind: 'loop', form: 'of', before: [], test, body: [], update: [], late: false, fresh: [], place: node,
  };
  made.update.push({
    kind: 'set',
    variable: at,
    value: unary(isReverse ? 'decrement' : 'increment', here, node),
    declares: false,
    place: node,
  });
  made.body = context.block(() => round(here, made));
  context.emit(made);
}

/** @param {Receiver} receiver @param {Expression} at */
const element = ({ array, node }, at) => index(array, at, node);

/** @param {Receiver} receiver @param {string} name @param {Expression} value @returns {Variable} a variable that rounds set */
function accumulator({ context, node }, name, value) {
  const made = context.program.variable(name, node, false, context.fn);
  context.set(made, value, node);
  return made;
}

/**
 * Ends the loop in which it stands, with a result.
 *
 * @param {Receiver} receiver
 * @param {Expression} test
 * @param {Variable} result
 * @param {Expression} value
 * @param {LoopNode} target
 */
function leave({ context, node }, test, result, value, target) {
  const then = context.block(() => {
    context.set(result, value, node);
    context.emit({ kind: 'break', target, place: node });
  });
  context.emit({ kind: 'if', test, then, otherwise: [], place: node });
}

/** @param {Receiver} it @returns {Expression} */
function forEach(it) {
  loop(it, (at) => void it.invoke([element(it, at), at, it.array], false));
  return undefinedAt(it.node);
}

/**
 * `Math.max(...a)` of an array as long as it happens to be: a loop, in whatever order, since the greatest is the
 * greatest.
 *
 * @param {Context} context
 * @param {string} name Math.max or Math.min
 * @param {Expression[]} args
 * @param {Ast} node
 * @returns {Expression}
 */
function extreme(context, name, args, node) {
  const single = args.filter(({ kind }) => kind !== 'spread');
  const arrays = args.flatMap((one) => (one.kind === 'spread' ? [context.hold(one.argument, 'array')] : []));
  const it = {
    context, node, array: arrays[0], length: arrays[0], args, invoke: () => undefinedAt(node), isUsed: true,
  };
  const most = accumulator(it, name.slice(5), builtin(name, single, node));
  for (const array of arrays) {
    const length = context.hold(member(array, 'length', node), 'length');
    loop({ ...it, length }, (at) => {
      context.set(most, builtin(name, [variable(most, node), index(array, at, node)], node), node);
    });
  }
  return variable(most, node);
}

/** @param {Receiver} it @returns {Expression} */
function map(it) {
  const { context, node, array } = it;
  const made = context.hold(builtin('new.like', [array], node), 'mapped');
  loop(it, (at) => {
    const value = it.invoke([element(it, at), at, array]);
    context.emit({ kind: 'store', object: made, index: at, value, place: node });
  });
  return made;
}

/** @param {Receiver} it @returns {Expression} */
function filter(it) {
  const { context, node, array } = it;
  const made = context.hold(builtin('new.like', [array], node), 'filtered');
  const count = accumulator(it, 'count', number(0, node));
  const kept = variable(count, node);
  loop(it, (at) => {
    const value = context.hold(element(it, at), 'element');
    const test = it.invoke([value, at, array]);
    const then = context.block(() => {
      context.emit({ kind: 'store', object: made, index: kept, value, place: node });
      context.set(count, unary('increment', kept, node), node);
    });
    context.emit({ kind: 'if', test, then, otherwise: [], place: node });
  });
  return context.hold(builtin('.slice', [made, number(0, node), kept], node), 'filtered');
}

/** @param {boolean} isReverse @returns {(it: Receiver) => Expression} */
const reduce = (isReverse) => (it) => {
  const { context, node, array, length, args } = it;
  const step = isReverse ? -1 : 1;
  const first = isReverse ? binary('-', length, number(1, node), node) : number(0, node);
  if (args.length < 2) {
    const then = context.block(() => {
      const text = constant('Reduce of empty array with no initial value', node);
      context.emit({ kind: 'throw', type: 'TypeError', parts: [text], place: node });
    });
    context.emit({ kind: 'if', test: binary('===', length, number(0, node), node), then, otherwise: [], place: node });
  }
  const total = accumulator(it, 'total', args.length < 2 ? element(it, first) : args[1]);
  const second = isReverse ? binary('-', length, number(2, node), node) : number(step, node);
  const round = (/** @type {Expression} */ at) => {
    context.set(total, it.invoke([variable(total, node), element(it, at), at, array]), node);
  };
  loop(it, round, { isReverse, from: args.length < 2 ? second : first });
  return variable(total, node);
};

/**
 * Methods that ask each element until one decides.
 *
 * @param {boolean} isReverse
 * @param {(it: Receiver) => Expression} start the result where none does
 * @param {(it: Receiver, at: Expression) => { test: Expression, value: Expression }} decide
 * @returns {(it: Receiver, from?: Expression) => Expression}
 */
const search = (isReverse, start, decide) => (it, from) => {
  const result = accumulator(it, 'found', start(it));
  const round = (/** @type {Expression} */ at, /** @type {LoopNode} */ target) => {
    const { test, value } = decide(it, at);
    leave(it, test, result, value, target);
  };
  loop(it, round, { isReverse, from });
  return variable(result, it.node);
};

/** @param {Receiver} it @param {Expression} at */
const ask = (it, at) => it.invoke([element(it, at), at, it.array]);

const no = (/** @type {Receiver} */ { node }) => constant(false, node);
const yes = (/** @type {Receiver} */ { node }) => constant(true, node);
const none = (/** @type {Receiver} */ { node }) => number(-1, node);

/** @param {boolean} isReverse */
const findIndex = (isReverse) => search(isReverse, none, (it, at) => ({ test: ask(it, at), value: at }));

/** @param {boolean} isReverse */
const find = (isReverse) =>
  search(
    isReverse,
    ({ node }) => undefinedAt(node),
    (it, at) => {
      const value = it.context.hold(element(it, at), 'element');
      return { test: it.invoke([value, at, it.array]), value };
    },
  );

const some = search(false, no, (it, at) => ({ test: ask(it, at), value: yes(it) }));
const every = search(false, yes, (it, at) => ({ test: unary('!', ask(it, at), it.node), value: no(it) }));

/** @param {Receiver} it @param {Expression} at */
const equals = (it, at) => binary('===', element(it, at), it.args[0], it.node);

const indexOf = search(false, none, (it, at) => ({ test: equals(it, at), value: at }));
const lastIndexOf = search(true, none, (it, at) => ({ test: equals(it, at), value: at }));
const includes = search(false, no, (it, at) => {
  // NaN is found, unlike by indexOf: two values are the same if both differ from themselves.
  const value = it.context.hold(element(it, at), 'element');
  const [wanted] = it.args;
  const both = {
    kind: 'logical', op: '&&', left: binary('!==', value, value, it.node),
    right: binary('!==', wanted, wanted, it.node),
  };
  const same = binary('===', value, wanted, it.node);
  const test = { kind: 'logical', op: '||', left: same, right: { ...both, place: it.node }, place: it.node };
  return { test: /** @type {Expression} */ (test), value: yes(it) };
});

/**
 * Where a search begins that was given an index: from the end if negative, within the array.
 *
 * @param {Receiver} it
 * @returns {Expression | undefined}
 */
function startOf({ context, node, args, length }) {
  if (args.length < 2) return undefined;
  const from = context.hold(builtin('Math.trunc', [args[1]], node), 'from');
  const isBehind = binary('<', from, number(0, node), node);
  const back = builtin('Math.max', [binary('+', from, length, node), number(0, node)], node);
  // What is no number is 0, which adding it to 0 by `|| 0` gives.
  /** @type {Expression} */
  const ahead = { kind: 'logical', op: '||', left: from, right: number(0, node), place: node };
  return context.hold({ kind: 'conditional', test: isBehind, then: back, otherwise: ahead, place: node }, 'from');
}

/** The same for lastIndexOf, which goes down from there. @param {Receiver} it @returns {Expression | undefined} */
function lastStartOf({ context, node, args, length }) {
  if (args.length < 2) return undefined;
  const whole = builtin('Math.trunc', [args[1]], node);
  const from = context.hold({ kind: 'logical', op: '||', left: whole, right: number(0, node), place: node }, 'from');
  const isBehind = binary('<', from, number(0, node), node);
  const ahead = builtin('Math.min', [from, binary('-', length, number(1, node), node)], node);
  return context.hold(
    { kind: 'conditional', test: isBehind, then: binary('+', from, length, node), otherwise: ahead, place: node },
    'from',
  );
}

/** Methods with a callback. @type {Record<string, (it: Receiver) => Expression>} */
const CALLBACKS = {
  forEach,
  map,
  filter,
  reduce: reduce(false),
  reduceRight: reduce(true),
  some,
  every,
  find: find(false),
  findLast: find(true),
  findIndex: findIndex(false),
  findLastIndex: findIndex(true),
};

/** Methods that look for a value. @type {Record<string, (it: Receiver) => Expression>} */
const SEARCHES = {
  indexOf: (it) => indexOf(it, startOf(it)),
  lastIndexOf: (it) => lastIndexOf(it, lastStartOf(it)),
  includes: (it) => includes(it, startOf(it)),
};

/** Methods that make a changed copy, by the one that changes in place. @type {Record<string, string>} */
const COPIES = { toSorted: 'sort', toReversed: 'reverse' };

/** @param {string} name @param {Ast[]} args */
const isArrayMethod = (name, args) =>
  (Object.hasOwn(CALLBACKS, name) && args.length > 0) ||
  (Object.hasOwn(SEARCHES, name) && args.length > 0) ||
  Object.hasOwn(COPIES, name);

/**
 * @param {Context} context
 * @param {string} name
 * @param {() => Expression} first the receiver
 * @param {Ast} node the call
 * @param {boolean} isUsed
 * @returns {Expression}
 */
function arrayMethod(context, name, first, node, isUsed) {
  const spread = node.arguments.find((/** @type {Ast} */ { type }) => type === 'SpreadElement');
  if (spread) refuse(spread, `arguments of '${name}' cannot be spread`, 'write them one by one');
  const values = context.sequence([
    first,
    ...node.arguments.map((/** @type {Ast} */ one) => () => context.expression(one)),
  ]);
  const [array, ...args] = values.map((value) => (value.kind === 'closure' ? value : context.hold(value, 'array')));
  if (Object.hasOwn(COPIES, name)) {
    const copy = context.hold(builtin('.slice', [array], node), 'copy');
    context.emit({ kind: 'method', result: null, object: copy, name: COPIES[name], args, place: node });
    return copy;
  }
  const length = context.hold(/** @type {any} */ ({ ...member(array, 'length', node), isLooped: true }), 'length');
  const method = Object.hasOwn(CALLBACKS, name) ? CALLBACKS[name] : SEARCHES[name];
  const invoke = args.length > 0 ? invoker(context, node, args[0]) : () => undefinedAt(node);
  return method({ context, node, array, length, args, invoke, isUsed });
}

/**
 * `Array.from({ length: n }, (_, i) => …)`, and the same of an array, for typed arrays, too.
 *
 * @param {Context} context
 * @param {string} type
 * @param {Ast} node
 * @returns {Expression}
 */
function fromCallback(context, type, node) {
  const [source, callback] = node.arguments;
  const isCount = source.type === 'ObjectExpression';
  const [count, ...others] = isCount ? source.properties : [];
  if (
    isCount &&
    (others.length > 0 ||
      count?.type !== 'Property' ||
      count.computed ||
      (count.key.name ?? count.key.value) !== 'length')
  ) {
    refuse(
      source,
      `'${type}.from' is supported for arrays and { length: n }`,
      `write ${type}.from({ length: n }, (_, i) => …)`,
    );
  }
  const nodes = [isCount ? count.value : source, ...(callback ? [callback] : [])];
  const values = context
    .operands(nodes)
    .map((value) => (value.kind === 'closure' ? value : context.hold(value, 'source')));
  const length = isCount ? values[0] : context.hold(member(values[0], 'length', node), 'length');
  const made = context.hold(builtin(callback && type === 'Array' ? 'new.room' : `new.${type}`, [length], node), 'made');
  if (!callback) return made;
  const invoke = invoker(context, node, values[1]);
  const it = { context, node, array: values[0], length, args: [], invoke, isUsed: true };
  loop(it, (at) => {
    const value = invoke([isCount ? undefinedAt(node) : element(it, at), at]);
    context.emit({ kind: 'store', object: made, index: at, value, place: node });
  });
  return made;
}

module.exports = { arrayMethod, extreme, fromCallback, isArrayMethod, loop };
