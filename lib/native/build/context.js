/**
 * Where a function's body is written down: the statements so far, temporary variables, and the order of evaluation.
 *
 * Expressions of the tree have no effects and are evaluated where they are used. So whoever builds one from several
 * parts asks `sequence` for them: it writes the statements that the parts need, in order, and keeps in a temporary
 * variable each value that a later part could change. Where nothing interferes, nothing is kept, and `a[i] * b[i] + c`
 * stays one expression.
 */
'use strict';

const { changes, noWrites, writesOf } = require('../hir/effects.js');
const { builtin, isFixed, isSimple, number, variable } = require('../hir/nodes.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('../hir/index.js').Expression} Expression */
/** @typedef {import('../hir/index.js').Statement} Statement */
/** @typedef {import('../hir/index.js').Variable} Variable */
/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../hir/index.js').LoopNode} LoopNode */
/** @typedef {import('../hir/index.js').PrangeNode} PrangeNode */
/** @typedef {import('../hir/index.js').BlockNode} BlockNode */
/** @typedef {import('./program.js').Unit} Unit */

/**
 * What `break` and `continue` may leave. A block is written only if something leaves it.
 *
 * @typedef {object} Target
 * @property {LoopNode | PrangeNode | BlockNode} node
 * @property {string[]} labels
 * @property {boolean} isPlain a `break` without a label means it
 * @property {boolean} isUsed
 * @property {Target} [round] what a `continue` leaves, where the rounds of a loop are written one after the other
 */

/** @typedef {{ value: Expression, body: Statement[] }} Part an expression and the statements that must have run before */

/**
 * The builders of each kind of syntax; index.js puts them together.
 *
 * @typedef {object} Builders
 * @property {(context: Context, node: Ast) => Expression} expression
 * @property {(context: Context, node: Ast) => void} effect an expression whose value nobody wants
 * @property {(context: Context, node: Ast) => void} statement
 * @property {(context: Context, node: Ast, value: Expression, isDeclared: boolean) => void} pattern
 */

const LEAVES = new Set(['return', 'throw', 'break', 'continue']);

class Context {
  /** @param {Builders} builders @param {Unit} unit @param {FunctionNode} fn */
  constructor(builders, unit, fn) {
    this.builders = builders;
    this.unit = unit;
    this.program = unit.program;
    this.fn = fn;
    /** @type {Statement[]} */
    this.body = fn.body;
    /** @type {Target[]} */
    this.targets = [];
    /** Temporary variables whose value has not been handed on. @type {Set<Variable>} */
    this.temporaries = new Set();
    this.uses = unit.program.usesOf(fn);
  }

  /** @param {Ast} node @returns {Expression} */
  expression(node) {
    return this.builders.expression(this, node);
  }

  /** @param {Ast} node */
  effect(node) {
    this.builders.effect(this, node);
  }

  /** @param {Ast[]} nodes */
  statements(nodes) {
    for (const node of nodes) this.builders.statement(this, node);
  }

  /** @param {Ast} node @param {Expression} value @param {boolean} isDeclared */
  pattern(node, value, isDeclared) {
    this.builders.pattern(this, node, value, isDeclared);
  }

  /** Writes a statement; behind one that leaves, nothing is reached. @param {Statement} statement */
  emit(statement) {
    const last = this.body.at(-1);
    if (!last || !LEAVES.has(last.kind)) this.body.push(statement);
  }

  /** @param {Statement[]} statements */
  emitAll(statements) {
    for (const statement of statements) this.emit(statement);
  }

  /** @param {Variable} target @param {Expression} value @param {Place} place @param {boolean} [declares] */
  set(target, value, place, declares = false) {
    const last = this.body.at(-1);
    // What has just been put into a temporary variable for this one use is put where it goes.
    if (value.kind === 'variable' && this.temporaries.has(value.variable) && last) {
      const temporary = value.variable;
      if (last.kind === 'set' && last.variable === temporary) {
        this.forget(temporary);
        Object.assign(last, { variable: target, declares });
        return;
      }
      if ((last.kind === 'call' || last.kind === 'method') && last.result === temporary && !declares) {
        this.forget(temporary);
        last.result = target;
        return;
      }
    }
    this.emit({ kind: 'set', variable: target, value, declares, place });
  }

  /** @param {Variable} temporary */
  forget(temporary) {
    this.temporaries.delete(temporary);
    const { variables } = this.fn;
    variables.splice(variables.lastIndexOf(temporary), 1);
  }

  /** @param {string} name @param {Place} place @param {boolean} [isConst] @returns {Variable} */
  temporary(name, place, isConst = true) {
    const made = this.program.variable(name, place, isConst, this.fn);
    this.temporaries.add(made);
    return made;
  }

  /** @param {Expression} value @param {string} [name] @returns {Expression} what keeps its value whatever happens, and may be written down twice */
  hold(value, name = 'value') {
    if (isFixed(value)) return value;
    // The elements may change, so it is they that are kept.
    if (value.kind === 'spread') {
      const args = value.isObject ? [value.argument] : [value.argument, number(0, value.place)];
      return {
        ...value,
        argument: this.hold(builtin(value.isObject ? 'new.omit' : 'new.rest', args, value.place), 'spread'),
      };
    }
    const kept = this.temporary(name, value.place);
    this.emit({ kind: 'set', variable: kept, value, declares: false, place: value.place });
    return variable(kept, value.place);
  }

  /** @param {Expression} value @param {string} [name] @returns {Expression} what may be written down twice, until something is set */
  reuse(value, name) {
    return isSimple(value) ? value : this.hold(value, name);
  }

  /** @template T @param {() => T} build @returns {{ value: T, body: Statement[] }} what it wrote, apart */
  apart(build) {
    const outer = this.body;
    /** @type {Statement[]} */
    const body = [];
    this.body = body;
    const value = build();
    this.body = outer;
    return { value, body };
  }

  /** @param {() => void} build @returns {Statement[]} */
  block(build) {
    return this.apart(build).body;
  }

  /**
   * Several expressions, evaluated in order.
   *
   * @param {(() => Expression)[]} builds
   * @returns {Expression[]} their values, all of which may be used behind what they wrote
   */
  sequence(builds) {
    const parts = builds.map((build) => this.apart(build));
    const later = noWrites();
    const mustHold = parts.map(() => false);
    let hasLater = false;
    for (let at = parts.length - 1; at >= 0; at--) {
      mustHold[at] = hasLater && changes(parts[at].value, later);
      hasLater ||= parts[at].body.length > 0;
      writesOf(parts[at].body, later);
    }
    return parts.map(({ value, body }, at) => {
      this.emitAll(body);
      return mustHold[at] ? this.hold(value) : value;
    });
  }

  /** @param {Ast[]} nodes @returns {Expression[]} */
  operands(nodes) {
    return this.sequence(nodes.map((node) => () => this.expression(node)));
  }

  /**
   * One of two values. Without effects it is an expression, else a temporary variable that each way sets.
   *
   * @param {Expression} test
   * @param {() => Expression} then
   * @param {() => Expression} otherwise
   * @param {Place} place
   * @returns {Expression}
   */
  choice(test, then, otherwise, place) {
    const yes = this.apart(then);
    const no = this.apart(otherwise);
    if (yes.body.length === 0 && no.body.length === 0) {
      return { kind: 'conditional', test, then: yes.value, otherwise: no.value, place };
    }
    const result = this.program.variable('value', place, false, this.fn);
    const ending = (/** @type {Part} */ { value, body }) => {
      return this.block(() => {
        this.emitAll(body);
        this.set(result, value, place);
      });
    };
    this.emit({ kind: 'if', test, then: ending(yes), otherwise: ending(no), place });
    return variable(result, place);
  }

  /** @param {Variable} it @param {Place} place @returns {Expression} */
  read(it, place) {
    if (it.owner !== this.fn) this.uses.variables.add(it);
    return variable(it, place);
  }

  /** @param {FunctionNode} callee @param {Place} place @returns {Expression} */
  closure(callee, place) {
    this.uses.callees.add(callee);
    this.program.want(callee);
    return { kind: 'closure', callee, place };
  }

  /** @param {Ast} node @param {import('./scopes.js').Binding} binding @returns {Variable} to be set */
  target(node, binding) {
    if (binding.kind === 'const') refuse(node, `'${node.name}' is a constant`, 'declare it with let to set it again');
    if (binding.kind === 'self') refuse(node, `'${node.name}' is the function itself`, 'use another name');
    if (binding.kind !== 'var' && this.unit.names.early.has(node)) this.refuseEarly(node);
    if (binding.fn === null) {
      refuse(
        node,
        `'${node.name}' is declared outside of the function`,
        'set a variable of the function and return it',
      );
    }
    const found = this.unit.variableAt(binding, node);
    if (found.owner !== this.fn) this.uses.variables.add(found);
    return found;
  }

  /** @param {Ast} node @returns {never} */
  refuseEarly(node) {
    return refuse(node, `'${node.name}' is used before it is declared`, 'move its declaration up');
  }
}

module.exports = { Context };
