/**
 * The tree of a function as text, for people and tests: close to the JavaScript that would do the same.
 *
 * Variables have their number where another of the program has the same name. What was a loop of any kind is `loop`,
 * with its parts in the order in which they run. Nothing reads this text back.
 */
'use strict';

const { constantOf, operandsOf } = require('./nodes.js');
const { expressionsOf, listsOf } = require('./tree.js');

/** @typedef {import('./index.js').Expression} Expression */
/** @typedef {import('./index.js').Statement} Statement */
/** @typedef {import('./index.js').FunctionNode} FunctionNode */
/** @typedef {import('./index.js').Variable} Variable */

const STEP = '  ';

/** All functions that one reaches, itself first. @param {FunctionNode} entry @returns {FunctionNode[]} */
function functionsIn(entry) {
  const found = new Set([entry]);
  for (const fn of found) {
    const visit = (/** @type {Expression} */ expression) => {
      if (expression.kind === 'closure') found.add(expression.callee);
      operandsOf(expression).forEach(visit);
    };
    const visitAll = (/** @type {Statement[]} */ list) => {
      for (const statement of list) {
        expressionsOf(statement).forEach(visit);
        listsOf(statement).forEach(visitAll);
      }
    };
    visitAll(fn.body);
  }
  return [...found];
}

class Printer {
  /** @param {FunctionNode[]} functions */
  constructor(functions) {
    /** @type {Map<object, string>} */
    this.names = new Map();
    /** @type {Map<string, number>} */
    this.taken = new Map();
    /** @type {Map<object, string>} */
    this.labels = new Map();
    /** @type {string[]} */
    this.lines = [];
    for (const fn of functions) this.nameOf(fn, fn.name || 'anonymous');
  }

  /** @param {object} thing @param {string} name @returns {string} the name, with a number if another thing has it */
  nameOf(thing, name) {
    const known = this.names.get(thing);
    if (known !== undefined) return known;
    const count = this.taken.get(name) ?? 0;
    this.taken.set(name, count + 1);
    const made = count === 0 ? name : `${name}_${count}`;
    this.names.set(thing, made);
    return made;
  }

  /** @param {Variable} variable */
  variable(variable) {
    return this.nameOf(variable, variable.name);
  }

  /** @param {object} target */
  label(target) {
    const known = this.labels.get(target);
    const made = known ?? `L${this.labels.size}`;
    this.labels.set(target, made);
    return made;
  }

  /** @param {Expression[]} list */
  list(list) {
    return list.map((one) => this.expression(one)).join(', ');
  }

  /** An operand, in parentheses where it has operators. @param {Expression} node */
  operand(node) {
    const text = this.expression(node);
    return /^(binary|logical|conditional|unary)$/.test(node.kind) ? `(${text})` : text;
  }

  /** @param {Expression} node @returns {string} */
  expression(node) {
    const fixed = constantOf(node);
    if (fixed) return constantText(fixed.value);
    switch (node.kind) {
      case 'variable':
        return this.variable(node.variable);
      case 'closure':
        return `fn ${this.nameOf(node.callee, node.callee.name)}`;
      case 'unary':
        return /^\w/.test(node.op)
          ? `${node.op} ${this.operand(node.operand)}`
          : `${node.op}${this.operand(node.operand)}`;
      case 'binary':
      case 'logical':
        return `${this.operand(node.left)} ${node.op} ${this.operand(node.right)}`;
      case 'conditional':
        return `${this.operand(node.test)} ? ${this.operand(node.then)} : ${this.operand(node.otherwise)}`;
      case 'index':
        return `${this.operand(node.object)}[${this.expression(node.index)}]`;
      case 'member':
        return `${this.operand(node.object)}.${node.name}`;
      case 'array':
        return `[${this.list(node.elements)}]`;
      case 'object':
        return `{ ${node.fields.map(({ name, value }) => (value.kind === 'spread' ? '' : `${name}: `) + this.expression(value)).join(', ')} }`;
      case 'spread':
        return `...${this.operand(node.argument)}`;
      case 'builtin':
        return `${node.name}(${this.list(node.args)})`;
      default:
        return node.kind;
    }
  }

  /** @param {string} text @param {number} depth */
  line(text, depth) {
    this.lines.push(STEP.repeat(depth) + text);
  }

  /** @param {Statement[]} statements @param {number} depth */
  body(statements, depth) {
    for (const statement of statements) this.statement(statement, depth);
  }

  /** @param {string} head @param {Statement[]} statements @param {number} depth */
  part(head, statements, depth) {
    if (statements.length === 0) return;
    this.line(`${head}:`, depth);
    this.body(statements, depth + 1);
  }

  /** @param {Statement} node @param {number} depth */
  statement(node, depth) {
    switch (node.kind) {
      case 'if':
        this.line(`if ${this.expression(node.test)}:`, depth);
        this.body(node.then, depth + 1);
        this.part('else', node.otherwise, depth);
        break;
      case 'loop':
        this.loop(node, depth);
        break;
      case 'prange': {
        const range = `${this.expression(node.first)}, ${this.expression(node.end)}`;
        this.part(`${this.label(node)} prange ${this.variable(node.variable)} of ${range}`, node.body, depth);
        break;
      }
      case 'block':
        this.part(`${this.label(node)} block`, node.body, depth);
        break;
      default:
        this.line(this.simple(node), depth);
    }
  }

  /** @param {import('./index.js').LoopNode} node @param {number} depth */
  loop(node, depth) {
    const fresh = node.fresh.length > 0 ? ` fresh ${node.fresh.map((one) => this.variable(one)).join(', ')}` : '';
    this.line(`${this.label(node)} loop ${node.form}${node.late ? ' late' : ''}${fresh}:`, depth);
    this.part('before', node.before, depth + 1);
    if (node.test) this.line(`test ${this.expression(node.test)}`, depth + 1);
    this.part('body', node.body, depth + 1);
    this.part('update', node.update, depth + 1);
  }

  /** A statement without statements in it. @param {Statement} node @returns {string} */
  simple(node) {
    switch (node.kind) {
      case 'set':
        return `${node.declares ? 'new ' : ''}${this.variable(node.variable)} = ${this.expression(node.value)}`;
      case 'store':
        return `${this.operand(node.object)}[${this.expression(node.index)}] = ${this.expression(node.value)}`;
      case 'field':
        return `${this.operand(node.object)}.${node.name} = ${this.expression(node.value)}`;
      case 'break':
      case 'continue':
        return `${node.kind} ${this.label(node.target)}`;
      case 'return':
        return node.value ? `return ${this.expression(node.value)}` : 'return';
      case 'throw':
        return `throw ${node.type}(${this.list(node.parts)})`;
      case 'call':
        return `${this.result(node)}call ${this.expression(node.callee)}(${this.list(node.args)})`;
      case 'method':
        return `${this.result(node)}call ${this.operand(node.object)}.${node.name}(${this.list(node.args)})`;
      default:
        return node.kind;
    }
  }

  /** @param {{ result: Variable | null }} node */
  result({ result }) {
    return result ? `${this.variable(result)} = ` : '';
  }

  /** @param {FunctionNode} fn */
  function(fn) {
    const params = [
      ...fn.params.map((param) => this.variable(param)),
      ...(fn.rest ? [`...${this.variable(fn.rest)}`] : []),
    ];
    const captures =
      fn.captures.length > 0 ? ` captures ${fn.captures.map((one) => this.variable(one)).join(', ')}` : '';
    const given = fn.given ? ` given ${this.variable(fn.given)}` : '';
    this.line(`function ${this.nameOf(fn, fn.name)}(${params.join(', ')})${captures}${given}:`, 0);
    this.body(fn.body, 1);
  }
}

/** @param {import('./nodes.js').Constant} value */
function constantText(value) {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  return Object.is(value, -0) ? '-0' : String(value);
}

/**
 * @param {FunctionNode} entry
 * @returns {string} it and all functions that it reaches, one after the other
 */
function print(entry) {
  const functions = functionsIn(entry);
  const printer = new Printer(functions);
  for (const fn of functions) printer.function(fn);
  return `${printer.lines.join('\n')}\n`;
}

module.exports = { print };
