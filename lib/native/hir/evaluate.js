/**
 * The slow and obvious evaluator of the tree: what it means, in JavaScript's own values and operators.
 *
 * Tests compare it with the function that the tree was built from. Variables live in cells, so that closures share
 * them; a closure is a JavaScript function, so methods and callers may call it.
 */
'use strict';

const { constantOf } = require('./nodes.js');

/** @typedef {import('./index.js').Expression} Expression */
/** @typedef {import('./index.js').Statement} Statement */
/** @typedef {import('./index.js').FunctionNode} FunctionNode */
/** @typedef {import('./index.js').Variable} Variable */
/** @typedef {Map<Variable, { value: any }>} Cells */
/**
 * How a statement ended, but for by running to its end.
 *
 * @typedef {{ kind: 'break' | 'continue' | 'return', target?: object, value?: any } | null} Ending
 */

/** @type {Record<string, (v: any) => any>} */
const UNARY = {
  '-': (v) => -v,
  '+': (v) => +v,
  '!': (v) => !v,
  '~': (v) => ~v,
  typeof: (v) => typeof v,
  numeric: (v) => v++,
  increment: (v) => ++v,
  decrement: (v) => --v,
};

/** @type {Record<string, (a: any, b: any) => any>} */
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

const globals = /** @type {any} */ (globalThis);

/** Where the number of arguments of a call is kept among its variables. @type {any} */
const COUNT = { name: 'arguments.length' };

/** @param {Variable} variable @param {Cells} cells @returns {{ value: any }} */
function cellOf(variable, cells) {
  let cell = cells.get(variable);
  if (!cell) cells.set(variable, (cell = { value: variable.owner === null ? variable.value : undefined }));
  return cell;
}

/** @param {Expression[]} list @param {Cells} cells @returns {any[]} */
const evaluateAll = (list, cells) =>
  list.flatMap((one) => (one.kind === 'spread' ? [...evaluate(one.argument, cells)] : [evaluate(one, cells)]));

/** @param {string} name @param {any[]} args @returns {any} */
function callBuiltin(name, args) {
  const [how, rest] = [name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)];
  const [first, ...others] = args;
  if (name === 'new.like') return new first.constructor(first.length);
  if (name === 'new.grown') return Object.assign(new Array(others[0]), first);
  if (name === 'new.rest') return Array.from(first).slice(others[0]);
  if (name === 'new.omit') return Object.fromEntries(Object.entries(first).filter(([key]) => !others.includes(key)));
  if (how === 'new') return new globals[rest === 'room' ? 'Array' : rest](...args);
  if (how === 'from') return globals[rest].from(...args);
  if (how === 'instanceof') return first instanceof globals[rest];
  if (how === '') return first[rest](...others);
  return name.split('.').reduce((at, part) => at[part], globals)(...args);
}

/** @param {Expression} node @param {Cells} cells @returns {any} */
function evaluate(node, cells) {
  const fixed = constantOf(node);
  if (fixed) return fixed.value;
  switch (node.kind) {
    case 'variable':
      return cellOf(node.variable, cells).value;
    case 'closure':
      return closureOf(node.callee, cells);
    case 'unary':
      return UNARY[node.op](evaluate(node.operand, cells));
    case 'binary':
      return BINARY[node.op](evaluate(node.left, cells), evaluate(node.right, cells));
    case 'logical': {
      const left = evaluate(node.left, cells);
      const isLeft = node.op === '??' ? left !== undefined && left !== null : !left === (node.op === '&&');
      return isLeft ? left : evaluate(node.right, cells);
    }
    case 'conditional':
      return evaluate(evaluate(node.test, cells) ? node.then : node.otherwise, cells);
    case 'index':
      return evaluate(node.object, cells)[evaluate(node.index, cells)];
    case 'member':
      return evaluate(node.object, cells)[node.name];
    case 'array':
      return evaluateAll(node.elements, cells);
    case 'object':
      return Object.assign(
        {},
        ...node.fields.map(({ name, value }) =>
          value.kind === 'spread' ? evaluate(value.argument, cells) : { [name]: evaluate(value, cells) },
        ),
      );
    case 'builtin':
      if (node.name === 'arguments.length') return cells.get(COUNT)?.value;
      return callBuiltin(node.name, evaluateAll(node.args, cells));
    default:
      throw new TypeError(`no expression: ${node.kind}`);
  }
}

/** @param {FunctionNode} fn @param {Cells} outer @returns {(...args: any[]) => any} */
function closureOf(fn, outer) {
  /** @type {Cells} */
  const captured = new Map(fn.captures.map((variable) => [variable, cellOf(variable, outer)]));
  return (...args) => {
    const cells = new Map(captured);
    cells.set(COUNT, { value: args.length });
    fn.params.forEach((param, at) => cells.set(param, { value: args[at] }));
    if (fn.given) cells.set(fn.given, { value: args });
    if (fn.rest) cells.set(fn.rest, { value: args.slice(fn.params.length) });
    return run(fn.body, cells)?.value;
  };
}

/** @param {Statement[]} statements @param {Cells} cells @returns {Ending} */
function run(statements, cells) {
  for (const statement of statements) {
    const ending = step(statement, cells);
    if (ending) return ending;
  }
  return null;
}

/** @param {import('./index.js').LoopNode} loop @param {Cells} cells @returns {Ending} */
function runLoop(loop, cells) {
  const renew = () => loop.fresh.forEach((variable) => cells.set(variable, { value: cellOf(variable, cells).value }));
  renew();
  for (let isFirst = true; ; isFirst = false) {
    if (!(isFirst && loop.late)) {
      const ending = run(loop.before, cells);
      if (ending) return ending;
      if (loop.test && !evaluate(loop.test, cells)) return null;
    }
    const ending = run(loop.body, cells);
    if (ending?.kind === 'break' && ending.target === loop) return null;
    if (ending && !(ending.kind === 'continue' && ending.target === loop)) return ending;
    renew();
    run(loop.update, cells);
  }
}

/** @param {import('./index.js').PrangeNode} loop @param {Cells} cells @returns {Ending} */
function runRange(loop, cells) {
  const [first, end] = [evaluate(loop.first, cells), evaluate(loop.end, cells)];
  for (let i = first; i < end; i++) {
    cells.set(loop.variable, { value: i });
    const ending = run(loop.body, cells);
    if (ending && !(ending.kind === 'continue' && ending.target === loop)) return ending;
  }
  return null;
}

/** @param {import('./index.js').ThrowNode} node @param {Cells} cells @returns {never} */
function fail({ type, parts }, cells) {
  const values = parts.map((part) => evaluate(part, cells));
  if (type === '') throw values[0];
  throw new globals[type](values.map(String).join(''));
}

/** @param {Statement} node @param {Cells} cells @returns {Ending} */
function step(node, cells) {
  switch (node.kind) {
    case 'set': {
      const value = evaluate(node.value, cells);
      if (node.declares) cells.set(node.variable, { value });
      else cellOf(node.variable, cells).value = value;
      return null;
    }
    case 'store':
      evaluate(node.object, cells)[evaluate(node.index, cells)] = evaluate(node.value, cells);
      return null;
    case 'field':
      evaluate(node.object, cells)[node.name] = evaluate(node.value, cells);
      return null;
    case 'if':
      return run(evaluate(node.test, cells) ? node.then : node.otherwise, cells);
    case 'loop':
      return runLoop(node, cells);
    case 'prange':
      return runRange(node, cells);
    case 'block': {
      const ending = run(node.body, cells);
      return ending?.kind === 'break' && ending.target === node ? null : ending;
    }
    case 'break':
    case 'continue':
      return { kind: node.kind, target: node.target };
    case 'return':
      return { kind: 'return', value: node.value ? evaluate(node.value, cells) : undefined };
    case 'throw':
      return fail(node, cells);
    default:
      return call(node, cells);
  }
}

/** @param {import('./index.js').CallNode | import('./index.js').MethodNode} node @param {Cells} cells @returns {null} */
function call(node, cells) {
  const { result } = node;
  const args = evaluateAll(node.args, cells);
  const method = node.kind === 'method' ? node : node.callee.kind === 'member' ? node.callee : null;
  const value = method
    ? evaluate(method.object, cells)[method.name](...args)
    : evaluate(/** @type {any} */ (node).callee, cells)(...args);
  if (result) cellOf(result, cells).value = value;
  return null;
}

/**
 * @param {FunctionNode} fn from build()
 * @returns {(...args: any[]) => any}
 */
function evaluator(fn) {
  return closureOf(fn, new Map());
}

module.exports = { evaluator };
